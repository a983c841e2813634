"""The metrics of one session in plain Python, written from the definitions and nothing else.

Slow on purpose: one session, one set, one loop at a time. It shares no code with `analysis.sessions`.
"""

from __future__ import annotations

import math
from typing import Any

Rows = list[dict[str, Any]]


def alpha(rank: int) -> float:
    return 1 / math.log2(1 + rank)


def mean(values: list[float]) -> float | None:
    return sum(values) / len(values) if values else None


def session_metrics(session: dict[str, Any], raw: dict[str, Rows], tau: float) -> dict[str, float | None]:
    """Return the metrics of one session; None where one is not defined."""
    key = (session["model"], session["case_id"], session["run"])
    case, t_dx, t_max = session["case_id"], session["t_dx"], session["t_max"]

    def own(stem: str) -> Rows:
        return [r for r in raw[stem] if (r["model"], r["case_id"], r["run"]) == key]

    def of_case(stem: str) -> Rows:
        return [r for r in raw[stem] if r["case_id"] == case]

    turns = sorted(own("turns"), key=lambda r: r["turn"])
    turns = [r for r in turns if t_dx is None or r["turn"] <= t_dx]
    gold, listed = of_case("gold"), own("differentials")
    out: dict[str, float | None] = {}
    asked = [r for r in turns if r["turn"] >= 1]
    history = _history(turns, asked, of_case("aius"), gold, raw["precedence"], session)
    if t_dx is not None and t_dx > 0 and not asked:
        history = dict.fromkeys(history)
    out |= history
    out |= _diagnosis(gold, listed, t_dx, t_max)
    out |= _plan(
        [r for r in own("regimens") if r["plan"] == "initial"],
        [r for r in own("violations") if r["plan"] == "initial"],
    )
    out |= _judged(own("judgements"), own("followups"))
    out |= _constraints(own("adaptations"), tau)
    return out


def _history(
    turns: Rows, asked: Rows, aius: Rows, gold: Rows, pairs: Rows, session: dict[str, Any]
) -> dict[str, float | None]:
    t_dx, t_max, case = session["t_dx"], session["t_max"], session["case_id"]
    diagnoses = {g["diagnosis"] for g in gold}
    weight = {a["aiu_id"]: a["weight"] for a in aius}
    mni = {a["aiu_id"] for a in aius if diagnoses & set(a["mni_of"])}
    red = {a["aiu_id"] for a in aius if a["red_flag"]}
    seen: dict[str, int] = {}
    for turn in turns:
        for unit in turn["revealed"]:
            seen.setdefault(unit, turn["turn"])
    coverage = len(seen.keys() & mni) / len(mni) if mni else None
    at = t_max if t_dx is None else max(t_dx, 1)
    mass = sum(weight[u] for u in sorted(mni))
    beyond = sum(weight[u] for u in sorted(seen.keys() - mni))
    late = [min(max(seen[u] - 1, 0) / t_max, 1) if u in seen else 1 for u in sorted(red | mni)]
    n_turns = len(asked) if t_dx is None else t_dx
    gain = sum(max(0, t["information_gain"]) for t in asked)
    sliced = [t for t in asked if t["expert"]]
    first = {t["template"]: t["turn"] for t in reversed(asked) if t["template"] is not None}
    position = {"template": first, "aiu": seen}
    both = wrong = n_pairs = 0
    for p in pairs:
        if p["case_id"] in ("", case):
            n_pairs += 1
            place = position[p["unit"]]
            if p["before"] in place and p["after"] in place:
                both += 1
                wrong += place[p["before"]] > place[p["after"]]
    effective = ineffective = 0
    intents: set[str] = set()
    for t in asked:
        if t["template"] in intents:
            new = any(seen[u] == t["turn"] for u in t["revealed"])
            effective, ineffective = effective + new, ineffective + (not new)
        if t["template"] is not None:
            intents.add(t["template"])

    def hit(k: int) -> float | None:
        if not asked:
            return 0.0
        return mean([float(bool(set(t["top_k"][:k]) & set(t["expert"]))) for t in sliced])

    printed = wrong / n_pairs if n_pairs else None
    return {
        "mni_comp": None if coverage is None else coverage * (t_max - at + 1) / t_max,
        "mni_comp_printed": None if coverage is None else coverage * t_max / at,
        "mni_comp_capped": None if coverage is None else min(1, coverage * t_max / at),
        "mni_coverage": coverage,
        "red_flag_coverage": len(seen.keys() & red) / len(red) if red else None,
        "cprw": beyond / mass if mass else None,
        "cprw_bounded": beyond / (beyond + mass) if mass else None,
        "ige": gain / n_turns if n_turns else 0.0,
        "hit_1": hit(1),
        "hit_3": hit(3),
        "povr": 1.0 if printed is not None and not asked else printed,
        "povr_printed": printed,
        "povr_strict": 1 - (both - wrong) / n_pairs if n_pairs else None,
        "povr_asked": wrong / both if both else None,
        "kiel": 1 - sum(late) / len(late) if late else None,
        "repetition_effective": effective / n_turns if n_turns else 0.0,
        "repetition_ineffective": ineffective / n_turns if n_turns else 0.0,
    }


def _diagnosis(gold: Rows, listed: Rows, t_dx: int | None, t_max: int) -> dict[str, float | None]:
    core = {g["diagnosis"] for g in gold if g["core"]}
    other = {g["diagnosis"] for g in gold if not g["core"]}
    named = {d["diagnosis"] for d in listed}

    def f1(of: set[str], false: set[str]) -> float | None:
        tp = len(of & named)
        return 2 * tp / (2 * tp + len(false) + len(of - named)) if of else None

    # Ties: average over the positions that the tied diagnoses take.
    discount: dict[str, float] = {}
    place = 1
    for rank in sorted({d["rank"] for d in listed}):
        tied = [d["diagnosis"] for d in listed if d["rank"] == rank]
        share = sum(alpha(place + i) for i in range(len(tied))) / len(tied)
        discount |= dict.fromkeys(tied, share)
        place += len(tied)
    by = {c: sorted((g[c] for g in gold), reverse=True) for c in ("weight", "severity")}
    ideal = sum(w * alpha(i + 1) for i, w in enumerate(by["weight"]))
    best = [w * alpha(i + 1) for i, w in enumerate(by["severity"])]
    reward = sum(g["weight"] * discount.get(g["diagnosis"], 0) for g in gold)
    gain = sum(g["severity"] * discount.get(g["diagnosis"], 0) for g in gold)
    length = sum(best[: len(listed)])
    turn = {d["diagnosis"]: t_dx if d["turn_named"] is None else d["turn_named"] for d in listed}
    delays, delays_named = [], []
    for g in gold:
        if g["t_evidence"] is not None:
            t_ai = turn.get(g["diagnosis"])
            delay = max(0, (t_max if t_ai is None else t_ai) - g["t_evidence"])
            delays.append(delay)
            if g["diagnosis"] in turn:
                delays_named.append(delay)
    delay_all = mean(delays)
    first = [d["diagnosis"] for d in listed if d["rank"] == min(x["rank"] for x in listed)]
    marked = {d["diagnosis"] for d in listed if d["as_core"]}
    return {
        "f1_core": f1(core, named - core),
        "f1_core_lenient": f1(core, named - core - other),
        "f1_core_marked": f1(core, marked - core),
        "f1_noncore": f1(other, named - other),
        "f1_noncore_lenient": f1(other, named - core - other),
        "swds": reward / ideal if ideal else None,
        "ndcg_severity": (gain / length if length else 0.0) if sum(best) else None,
        "ded": None if delay_all is None else min(1, delay_all / t_max),
        "ded_turns": mean(delays_named),
        "top_1_core": (sum(d in core for d in first) / len(first) if first else 0.0) if core else None,
    }


def _plan(lines: Rows, broken: Rows) -> dict[str, float | None]:
    drugs = {r["drug"] for r in lines}
    n_pairs = len(drugs) * (len(drugs) - 1) // 2
    severe = {
        frozenset((v["drug"], v["other_drug"]))
        for v in broken
        if v["kind"] == "interaction" and v["severity"] in ("critical", "major")
    }
    in_pairs = sum(len(pair) == 2 and pair <= drugs for pair in severe)
    conflict = {v["drug"] for v in broken if v["kind"] in ("profile_conflict", "contraindication")} & drugs
    caution = {v["drug"] for v in broken if v["kind"] == "profile_conflict"} & drugs
    safe = 0.0 if any(v["hard"] for v in broken) else 1.0
    complete = 0.0 if any(v["kind"] == "missing_component" for v in broken) else 1.0
    ddiv = in_pairs / n_pairs if n_pairs else 0.0
    pcr = len(conflict) / len(drugs) if drugs else 0.0
    return {
        "psc": safe,
        "ddiv": ddiv,
        "pcr": pcr,
        "pcr_cautions": len(caution) / len(drugs) if drugs else 0.0,
        "psc_planned": safe if drugs else None,
        "ddiv_pairs": ddiv if n_pairs else None,
        "pcr_planned": pcr if drugs else None,
        "plan_completeness": complete if drugs else None,
    }


def _judged(judgements: Rows, followups: Rows) -> dict[str, float | None]:
    """Judges only, first judgements: raters, then dimensions, then targets."""

    def targets(metric: str) -> dict[str, float]:
        rows = [
            j for j in judgements if j["metric"] == metric and j["rater_kind"] == "judge" and not j["repeat"]
        ]
        found: dict[str, float] = {}
        for target in {j["target"] for j in rows}:
            of_target = [j for j in rows if j["target"] == target]
            scores = []
            for dimension in {j["dimension"] for j in of_target}:
                scores.append(mean([j["value"] for j in of_target if j["dimension"] == dimension]) or 0.0)
            found[target] = mean(scores) or 0.0
        return found

    answered = targets("fqr")
    turns = [(answered[str(f["turn"])], f["weight"]) for f in followups if str(f["turn"]) in answered]
    weight = sum(w for _, w in turns)
    return {
        **{m: mean(list(targets(m).values())) for m in ("drss", "neu", "car", "aoc", "sdbi")},
        "fqr": mean([z for z, _ in turns]),
        "fqr_weighted": sum(z * w for z, w in turns) / weight if weight else None,
    }


def _constraints(rows: Rows, tau: float) -> dict[str, float | None]:
    met = [r["satisfied"] for r in rows]
    kept = [
        None if r["quality_after"] is None else r["quality_after"] >= tau * r["quality_before"] - 1e-9
        for r in rows
    ]

    def all_of(values: list[bool | None]) -> float | None:
        if not values:
            return None
        if False in values:
            return 0.0
        return None if None in values else 1.0

    return {"dcsr": all_of([*met, *kept]), "constraint_met": all_of(met), "quality_kept": all_of(kept)}
