"""Small derived tables for figures, computed plainly from a drawn matrix of successes.

What the figures need is plausible frames of the right shape; the statistics of the project are
tested elsewhere and are deliberately not used here.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import polars as pl

from analysis.schemas import TABLES
from tests.unit.figures.consultation_builder import consultation_tables
from tests.unit.figures.episode_builder import episode_tables
from tests.unit.figures.plain import Z, wilson
from tests.unit.figures.session_tables import session_tables

POLICIES = ("exclude", "failure", "common_items")


def build(
    n_models: int = 4,
    n_items: int = 60,
    *,
    tracks: tuple[str, ...] = (),
    names: list[str] | None = None,
    labels: tuple[str, ...] = ("unsafe", "wrong_content", "truncated"),
    values: tuple[str, ...] = ("diagnosis", "staging", "treatment"),
    missing: float = 0.0,
    rate: tuple[float, float] = (0.35, 0.8),
    priced: str = "some",
    clustered: bool = False,
    seed: int = 1,
) -> dict[str, pl.DataFrame]:
    """Return the derived tables of a drawn benchmark.

    `rate` is the range of the models' success rates, `missing` the share of cells that are absent,
    `priced` is ``some``, ``none``, ``free`` (one model costs nothing) or ``same``.
    """
    rng = np.random.default_rng(seed)
    models = names or [f"model-{i:02d}" for i in range(n_models)]
    m = len(models)
    hard = rng.beta(0.9, 1.1, n_items)
    power = np.linspace(rate[1], rate[0], m)[rng.permutation(m)]
    chance = np.clip(power[:, None] + (0.5 - hard)[None, :] * 0.9, 0, 1)
    if rate[0] == rate[1] and rate[0] in (0.0, 1.0):
        chance = np.full((m, n_items), rate[0])
    solved = rng.random((m, n_items)) < chance
    seen = rng.random((m, n_items)) >= missing
    seen[:, 0] = True
    track = np.array([tracks[i % len(tracks)] if tracks else "" for i in range(n_items)])
    value = np.array([values[i % len(values)] for i in range(n_items)])
    tables = {"models": _models(models, priced), "items": _items(track, value, n_items)}
    everywhere = {"all": np.ones(n_items, bool), **{t: track == t for t in tracks}}
    out: dict[str, list[dict[str, Any]]] = {name: [] for name in TABLES}
    for name, here in everywhere.items():
        _track(out, name, models, solved[:, here], seen[:, here], rng, clustered, priced)
        _labels(out, name, models, seen[:, here], labels, rng)
        _flags(out, name, models, solved[:, here], seen[:, here])
        _grades(out, name, solved[:, here], seen[:, here])
    _strata(out, models, solved, seen, value)
    tables |= episode_tables(models, rate)
    tables |= consultation_tables(models, rate)
    for table, rows in out.items():
        if rows:
            schema = TABLES[table]
            frame = pl.DataFrame(rows, schema={c: d.dtype for c, d in schema.columns().items()})
            tables[table] = frame.sort(schema.primary_key(), maintain_order=True)
    return tables | session_tables(models, seed=seed)


def _flags(
    out: dict[str, list[dict[str, Any]]], track: str, models: list[str], solved: np.ndarray, seen: np.ndarray
) -> None:
    """Flag every third answer as one that knows, every seventh as odd."""
    for i, model in enumerate(models):
        n, failed = int(seen[i].sum()), int((seen[i] & ~solved[i]).sum())
        for flag, every in (("knows_the_answer", 3), ("odd", 7)):
            flagged = seen[i] & (np.arange(seen.shape[1]) % every == 0)
            both = int((flagged & ~solved[i]).sum())
            if n:
                low, high = wilson(both, n)
                out["flag_outcomes"].append(
                    {
                        "track": track, "model": model, "flag": flag, "n_items": n,
                        "n_flagged": int(flagged.sum()), "n_flagged_failed": both, "n_failed": failed,
                        "rate": float(flagged.sum() / n), "gap": both / n, "ci_low": low, "ci_high": high,
                        "share_of_failures": both / failed if failed else None,
                    }
                )  # fmt: skip


def _grades(out: dict[str, list[dict[str, Any]]], track: str, solved: np.ndarray, seen: np.ndarray) -> None:
    """Grade an answer by its place among the items, 1 where it is right."""
    grade = np.where(solved, 1.0, np.arange(seen.shape[1]) % 10 / 20)
    some = (solved & seen).any(0)
    for subset, keep in (("all", seen.any(0)), ("solved", some), ("unsolved", seen.any(0) & ~some)):
        values = grade[:, keep][seen[:, keep]]
        if not values.size:
            continue
        about = {"track": track, "metric": "score", "subset": subset}
        out["score_summaries"].append(
            {
                **about, "n_items": int(keep.sum()), "n_cells": values.size, "mean": float(values.mean()),
                "median": float(np.median(values)), "q25": float(np.quantile(values, 0.25)),
                "q75": float(np.quantile(values, 0.75)), "share_zero": float((values == 0).mean()),
                "share_below_tenth": float((values < 0.1).mean()),
            }
        )  # fmt: skip
        for b, n in enumerate(np.histogram(values, 20, (0, 1))[0].tolist()):
            edges = {"bin": b, "low": b / 20, "high": (b + 1) / 20}
            out["score_distribution"].append({**about, **edges, "n_cells": n, "share": n / values.size})


def _models(models: list[str], priced: str) -> pl.DataFrame:
    rows = [
        {
            "model": model,
            "name": model,
            "weights": (None, "open", "closed")[i % 3] if priced != "none" else None,
            "n_rows": 10,
        }
        for i, model in enumerate(models)
    ]
    schema = {c: d.dtype for c, d in TABLES["models"].columns().items()}
    return pl.DataFrame(rows, schema=schema).sort("model")


def _items(track: np.ndarray, value: np.ndarray, n: int) -> pl.DataFrame:
    rows = [{"item_id": str(i), "track": track[i] or None, "question_type": value[i]} for i in range(n)]
    return pl.DataFrame(rows, schema={c: d.dtype for c, d in TABLES["items"].columns().items()})


def _track(
    out: dict[str, list[dict[str, Any]]],
    track: str,
    models: list[str],
    solved: np.ndarray,
    seen: np.ndarray,
    rng: np.random.Generator,
    clustered: bool,
    priced: str,
) -> None:
    n = seen.sum(1)
    here = [i for i in range(len(models)) if n[i]]
    k = (solved & seen).sum(1)
    order = sorted(here, key=lambda i: (-round(k[i] / n[i], 12), models[i]))
    for metric in ("correct", "hard_failure", "decisive"):
        got = {"correct": k, "hard_failure": (n - k) // 3, "decisive": n - (n - k) // 2}[metric]
        ranks = sorted(here, key=lambda i: (-round(got[i] / n[i], 12), models[i]))
        for place, i in enumerate(ranks, 1):
            low, high = wilson(int(got[i]), int(n[i]))
            for method in ("bootstrap",) if clustered else ("wilson", "bootstrap"):
                degenerate = method == "bootstrap" and got[i] in (0, n[i])
                out["model_scores"].append(
                    {
                        "track": track, "metric": metric, "model": models[i], "method": method,
                        "rank": place, "estimate": float(got[i] / n[i]),
                        "ci_low": None if degenerate else low, "ci_high": None if degenerate else high,
                        "level": 0.95, "n_items": int(n[i]), "n_clusters": int(n[i]), "n_excluded": 0,
                        "n_unscored": 0, "n_missing": int((~seen[i]).sum()),
                    }
                )  # fmt: skip
    _counts(out, track, models, solved & seen, seen)
    _pairs(out, track, models, solved, seen, order)
    _costs(out, track, models, k, n, order, priced)
    for policy in POLICIES:
        common = seen.all(0)
        use = common if policy == "common_items" else np.ones_like(common)
        total = {"failure": seen[:, use].shape[1]}.get(policy)
        if not use.any():
            continue
        rate = {i: (solved & seen)[i, use].sum() / (total or max(1, seen[i, use].sum())) for i in here}
        for place, i in enumerate(sorted(here, key=lambda i: (-rate[i], models[i])), 1):
            out["policies"].append(
                {
                    "track": track, "metric": "correct", "policy": policy, "model": models[i], "rank": place,
                    "estimate": float(rate[i]), "n_items": int(seen[i, use].sum()),
                    "rank_in_force": order.index(i) + 1,
                }
            )  # fmt: skip


def _counts(
    out: dict[str, list[dict[str, Any]]], track: str, models: list[str], hit: np.ndarray, seen: np.ndarray
) -> None:
    for basis, keep in (("answered", seen.any(0)), ("complete", seen.all(0))):
        total = int(keep.sum())
        if not total:
            continue
        k = hit[:, keep].sum(0)
        for value in range(len(models) + 1):
            number = int((k == value).sum())
            low, high = wilson(number, total)
            out["count_distribution"].append(
                {
                    "track": track, "basis": basis, "k": value, "n_items": number,
                    "share": number / total, "ci_low": low, "ci_high": high,
                }
            )  # fmt: skip
        covered = np.zeros(total, bool)
        left = set(range(len(models)))
        best: list[int] = []
        for step in range(1, len(models) + 1):
            pick = min(left, key=lambda i: (-int((hit[i, keep] & ~covered).sum()), models[i]))
            gained = int((hit[pick, keep] & ~covered).sum())
            covered |= hit[pick, keep]
            left.remove(pick)
            best.append(pick)
            number = int(covered.sum())
            low, high = wilson(number, total)
            row = {
                "track": track, "basis": basis, "method": "greedy", "step": step, "model": models[pick],
                "gained": gained, "covered": number, "share": number / total, "ci_low": low, "ci_high": high,
            }  # fmt: skip
            out["coverage"].append(row)
            for member in best if len(models) <= 40 else ():
                # one more item than greedy in the middle: a stand-in for the exact optimum
                more = min(int(hit[:, keep].any(0).sum()), number + (1 if 1 < step < len(models) else 0))
                out["coverage"].append(
                    {
                        **row, "method": "optimal", "model": models[member], "gained": 0, "covered": more,
                        "share": more / total, "ci_low": wilson(more, total)[0],
                        "ci_high": wilson(more, total)[1],
                    }
                )  # fmt: skip


def _pairs(
    out: dict[str, list[dict[str, Any]]],
    track: str,
    models: list[str],
    solved: np.ndarray,
    seen: np.ndarray,
    order: list[int],
) -> None:
    tests = []
    for (pa, a), (pb, b) in itertools.combinations(enumerate(order), 2):
        both = seen[a] & seen[b]
        n = int(both.sum())
        x, y = solved[a, both], solved[b, both]
        agree = float((x == y).mean()) if n else None
        expected = float(x.mean() * y.mean() + (1 - x.mean()) * (1 - y.mean())) if n else 1.0
        out["concordance"].append(
            {
                "track": track, "model_a": models[a], "model_b": models[b], "n_items": n, "agreement": agree,
                "correct_agreement": agree,
                "kappa": (agree - expected) / (1 - expected) if n and expected < 1 - 1e-12 else None,
            }
        )  # fmt: skip
        better, worse = int((x & ~y).sum()), int((~x & y).sum())
        d = (better - worse) / n if n else None
        se = math.sqrt(max(better + worse - (better - worse) ** 2 / n, 0)) / n if n else 0.0
        p = math.erfc(abs(d) / se / math.sqrt(2)) if n and se > 0 else (1.0 if n else None)
        tests.append(
            {
                "track": track, "metric": "correct", "model_a": models[a], "model_b": models[b],
                "difference": d,
                "ci_low": d - Z * se if n else None, "ci_high": d + Z * se if n else None, "n_items": n,
                "n_better": better, "n_worse": worse, "p_value": p, "method": "exact sign flip",
                "adjacent": pb == pa + 1, "p_bonferroni": None, "p_holm": p, "significant": False,
            }
        )  # fmt: skip
    known = sorted((t for t in tests if t["p_value"] is not None), key=lambda t: t["p_value"])
    running = 0.0
    for i, t in enumerate(known):
        running = max(running, min(1.0, t["p_value"] * (len(known) - i)))
        t["p_holm"] = running
        t["significant"] = running < 0.05
    out["pairwise_tests"] += tests
    tier = 1
    significant = {(t["model_a"], t["model_b"]) for t in tests if t["significant"]}
    for place, i in enumerate(order, 1):
        name = models[i]
        if place > 1 and (models[order[place - 2]], name) in significant:
            tier += 1
        lower = sum((name, models[j]) in significant for j in order)
        upper = sum((models[j], name) in significant for j in order)
        out["tiers"].append(
            {
                "track": track, "metric": "correct", "model": name, "rank": place, "tier": tier,
                "letters": "abcdefghijklmnopqrstuvwxyz"[min(25, tier - 1)], "rank_low": upper + 1,
                "rank_high": len(order) - lower, "in_best_set": upper == 0, "p_next": None,
                "alpha_adjusted": 0.05 / max(1, len(order) - 1), "reversal": False,
            }
        )  # fmt: skip


def _costs(
    out: dict[str, list[dict[str, Any]]],
    track: str,
    models: list[str],
    k: np.ndarray,
    n: np.ndarray,
    order: list[int],
    priced: str,
) -> None:
    def cost(i: int) -> float | None:
        if priced == "none" or (priced == "some" and i % 5 == 3):
            return None
        if priced == "free" and i == 0:
            return 0.0
        return 0.002 if priced == "same" else 0.0002 * 10 ** ((i * 7 % 11) / 4)

    rows = [(i, cost(i), float(k[i] / n[i])) for i in order]
    for i, c, s in rows:
        worse = [
            j for j, d, t in rows
            if j != i and c is not None and d is not None and ((t >= s and d < c) or (t > s and d <= c))
        ]  # fmt: skip
        out["frontier"].append(
            {
                "track": track, "metric": "correct", "model": models[i],
                "cost_usd": None if c is None else c * n[i],
                "cost_per_response_usd": c, "estimate": s, "on_frontier": c is not None and not worse,
                "dominated_by": models[worse[0]] if worse else None,
                "p_on_frontier": None if c is None else (0.9 if not worse else 0.05),
            }
        )  # fmt: skip
        if track == "all":
            basis = "unpriced" if c is None else "free" if c == 0 else "cost_usd"
            out["costs"].append(
                {
                    "model": models[i], "basis": basis, "n_rows": int(n[i]),
                    "n_priced": 0 if c is None else int(n[i]),
                    "cost_usd": None if c is None else c * n[i], "note": "",
                }
            )  # fmt: skip


def _labels(
    out: dict[str, list[dict[str, Any]]],
    track: str,
    models: list[str],
    seen: np.ndarray,
    labels: tuple[str, ...],
    rng: np.random.Generator,
) -> None:
    for i, model in enumerate(models):
        n = int(seen[i].sum())
        for j, label in enumerate(labels):
            number = int(rng.binomial(n, 0.3 / (j + 1)))
            low, high = wilson(number, n) if n else (0.0, 1.0)
            if n:
                out["failure_labels"].append(
                    {
                        "track": track, "model": model, "label": label, "n_items": n, "count": number,
                        "rate": number / n, "ci_low": low, "ci_high": high,
                    }
                )  # fmt: skip


def _strata(
    out: dict[str, list[dict[str, Any]]],
    models: list[str],
    solved: np.ndarray,
    seen: np.ndarray,
    value: np.ndarray,
) -> None:
    for name in sorted(set(value.tolist())):
        here = value == name
        hit = (solved & seen)[:, here]
        zero = int((~hit.any(0)).sum())
        for i, model in enumerate(models):
            n = int(seen[i, here].sum())
            if n:
                low, high = wilson(int(hit[i].sum()), n)
                out["strata"].append(
                    {
                        "stratum": "question_type", "value": name, "model": model, "n_items": n,
                        "estimate": float(hit[i].sum() / n), "ci_low": low, "ci_high": high,
                        "n_zero_correct": zero, "n_stratum_items": int(here.sum()),
                    }
                )  # fmt: skip
