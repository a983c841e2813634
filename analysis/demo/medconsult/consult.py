"""One consultation: what is asked and revealed, diagnosed, prescribed, revised.

Returns rows of the raw contract and, beside them, what was planted, counted by the simulation itself.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from analysis.demo.medconsult.cases import Case
from analysis.demo.medconsult.cast import T_MAX, Style
from analysis.demo.medconsult.content import Line, contents
from analysis.demo.medconsult.policy import Policy

Row = dict[str, Any]

HIT_RATE = 0.85
"""P(an MNI unit holds | its diagnosis); among other diagnoses it is the complement."""

SPARE = 0.35
"""Share of the failures to adapt that meet the constraint and lose quality."""

DECISIONS = (
    "first",
    "second",
    "companion",
    "false",
    "marked",
    "plan",
    "unsafe",
    "caution",
    "adapts",
    "spare",
    "concern",
)
"""Decisions whose shares over the cases are drawn to be as planted: see `stratified`."""


def stratified(rng: np.random.Generator, n: int) -> list[dict[str, float]]:
    """Return for each of n cases a number between 0 and 1 per decision, one in each n-th of the range.

    A decision taken where its number is below p is then taken in a share p of the cases, to 1 / n.
    """
    columns = {name: (rng.permutation(n) + rng.random(n)) / n for name in DECISIONS}
    return [{name: float(column[i]) for name, column in columns.items()} for i in range(n)]


@dataclass
class Consultation:
    """A session's rows by raw file, and what was planted in it."""

    rows: dict[str, list[Row]] = field(default_factory=lambda: defaultdict(list))
    planted: Row = field(default_factory=dict)


def consult(
    rng: np.random.Generator, case: Case, style: Style, policy: Policy, chance: dict[str, float]
) -> Consultation:
    """Simulate one session of a system with a patient.

    Parameters
    ----------
    rng : numpy.random.Generator
        The session's own stream.
    case, style, policy : Case, Style, Policy
        Patient, system, and what doctors would ask.
    chance : dict of str to float
        The session's row of `stratified`.
    """
    out = Consultation()
    key: Row = {"model": style.model, "case_id": case.case_id}
    out.planted.update(key)
    t_dx = _take_history(rng, case, style, policy, out, key)
    named = _diagnose(rng, case, style, out, key, t_dx, chance)
    out.rows["sessions"].append(
        {**key, "t_dx": None if style.refuses else t_dx, "t_max": T_MAX},
    )
    _treat(rng, case, style, out, key, named, chance)
    _follow_up(rng, style, out, key, chance)
    out.planted["concern_met"] = chance["concern"] < style.concern
    return out


def _questions(rng: np.random.Generator, case: Case, style: Style) -> list[tuple[str, bool]]:
    """Return the templates in the order asked, each with whether it is asked again later."""
    if style.refuses:
        return []
    if style.script:
        return [(t, False) for t in style.script]
    left = [t for t in case.needed if rng.random() < style.needed]
    pool = contents().templates if style.guesses else case.beside
    left += [t for t in pool if t not in case.needed and rng.random() < style.beside]
    left.sort(key=contents().templates.index)
    asked: list[tuple[str, bool]] = []
    while left:
        at = 0 if rng.random() < style.orderly else int(rng.integers(len(left)))
        asked.append((left.pop(at), bool(rng.random() < style.again)))
    return asked


def _take_history(
    rng: np.random.Generator, case: Case, style: Style, policy: Policy, out: Consultation, key: Row
) -> int:
    belief = _Belief(case)
    told: set[str] = set()
    asked: list[str] = []
    queue = _questions(rng, case, style)
    effective = ineffective = 0
    turns: list[tuple[str, list[str]]] = []
    for template, again in queue:
        units = case.told_by(template)
        # A patient who is vague at first keeps one unit back until asked again.
        keep = units[-1:] if again and len(units) > 1 else []
        turns.append((template, [u for u in units if u not in keep]))
        if again:
            turns.append((template, keep))
    turns = turns[:T_MAX]
    for number, (template, units) in enumerate(turns, start=1):
        new = [u for u in units if u not in told]
        if template in asked:
            effective, ineffective = effective + bool(new), ineffective + (not new)
        last = asked[-1] if asked else None
        expert = policy.expert(last, set(asked), set(case.needed) | set(case.beside))
        second = [t for t in expert if t != template][: int(rng.integers(0, 3))]
        other = [t for t in policy.templates if t != template and t not in expert]
        fill = [other[int(i)] for i in rng.permutation(len(other))[: 2 - len(second)]]
        before = belief.shares()
        belief.hear(new)
        out.rows["turns"].append(
            {
                **key,
                "turn": number,
                "question": contents().questions[template],
                "template": template,
                "revealed": new,
                "top_k": [template, *second, *fill],
                "expert": expert,
                "belief_before": before,
                "belief_after": belief.shares(),
            }
        )
        told |= set(new)
        asked.append(template)
    mni = {u for u, of in case.mni_of.items() if of}
    out.planted.update(
        n_turns=len(turns),
        n_mni=len(mni),
        n_mni_found=len(mni & told),
        beyond=math.fsum(case.units[u].weight for u in sorted(told - mni)),
        necessary=math.fsum(case.units[u].weight for u in sorted(mni)),
        n_effective=effective,
        n_ineffective=ineffective,
    )
    return len(turns)


class _Belief:
    """Posterior over what the patient may have, by Bayes' rule from the necessary units heard."""

    def __init__(self, case: Case) -> None:
        first = contents().conditions[case.gold[0].diagnosis]
        self.candidates = list(dict.fromkeys([first.diagnosis, *first.mimics, *contents().conditions]))[:5]
        self.case = case
        self.log = [0.0] * len(self.candidates)

    def hear(self, units: list[str]) -> None:
        """Update with newly revealed units."""
        for unit in units:
            of = self.case.mni_of[unit]
            if set(of) & set(self.candidates):
                for i, d in enumerate(self.candidates):
                    self.log[i] += math.log(HIT_RATE if d in of else 1 - HIT_RATE)

    def shares(self) -> list[float]:
        """Return the posterior."""
        top = max(self.log)
        weights = [math.exp(x - top) for x in self.log]
        total = math.fsum(weights)
        return [w / total for w in weights]


def _diagnose(
    rng: np.random.Generator,
    case: Case,
    style: Style,
    out: Consultation,
    key: Row,
    t_dx: int,
    chance: dict[str, float],
) -> list[str]:
    listed: list[str] = []
    first = case.gold[0]
    by_rote = style.guesses or bool(style.script)
    pool = list(contents().conditions) if by_rote else list(contents().conditions[first.diagnosis].mimics)
    pool = [d for d in pool if d not in {g.diagnosis for g in case.gold}]
    wrong = [pool[int(i)] for i in rng.permutation(len(pool))]
    if not style.refuses:
        if chance["first"] < style.first_core:
            listed.append(first.diagnosis)
        else:
            listed += [wrong.pop(0)] if wrong else []
            listed += [first.diagnosis] if chance["second"] < style.second_core else []
        listed += [g.diagnosis for g in case.gold[1:] if chance["companion"] < style.companion]
        listed += wrong[:1] if chance["false"] < style.false else []
    core = {g.diagnosis for g in case.gold if g.core}
    for rank, diagnosis in enumerate(listed, start=1):
        marked = diagnosis in core if chance["marked"] < 0.8 else rank == 1
        out.rows["differentials"].append(
            {
                **key,
                "diagnosis": diagnosis,
                "rank": rank,
                "as_core": marked,
                "turn_named": t_dx,
                "rationale": f"Simulated rationale for {diagnosis}.",
            }
        )
    out.planted.update(core_first=bool(listed) and listed[0] in core, n_listed=len(listed))
    return listed


def _treat(
    rng: np.random.Generator,
    case: Case,
    style: Style,
    out: Consultation,
    key: Row,
    named: list[str],
    chance: dict[str, float],
) -> None:
    c = contents()
    lines: dict[str, tuple[Line, str]] = {}
    contra = pair = dose = caution = False
    if chance["plan"] < style.plans:
        basis = [str(rng.choice(list(c.conditions)))] if style.guesses else named
        for diagnosis in basis:
            for line in c.conditions[diagnosis].plan:
                if rng.random() < style.complete and _safe(case, line, diagnosis):
                    lines.setdefault(line[0], (line, diagnosis))
        reach = np.cumsum(style.unsafe)
        contra, pair, dose = (bool(i == np.searchsorted(reach, chance["unsafe"], "right")) for i in range(3))
        caution = chance["caution"] < style.caution
        if contra:
            lines[case.hard.drug[0]] = (case.hard.drug, "")
        if pair:
            for line in c.severe_pairs[int(rng.integers(len(c.severe_pairs)))]:
                lines.setdefault(line[0], (line, ""))
        if dose:
            lines[c.gross_dose[0]] = (c.gross_dose, "")
        if caution:
            lines[case.soft.drug[0]] = (case.soft.drug, "")
    for plan in ("initial", "revised"):
        kept = list(lines.values()) if plan == "initial" else list(lines.values())[:1]
        for number, ((drug, amount, unit, per_day, route), diagnosis) in enumerate(kept, start=1):
            out.rows["regimens"].append(
                {
                    **key,
                    "plan": plan,
                    "line": number,
                    "drug": drug,
                    "dose": amount,
                    "dose_unit": unit,
                    "per_day": per_day,
                    "route": route,
                    "indication": diagnosis or None,
                }
            )
    out.planted.update(
        n_drugs=len(lines), contraindicated=contra, severe_pair=pair, gross_dose=dose, caution=caution
    )


def _safe(case: Case, line: Line, diagnosis: str) -> bool:
    """Tell whether the patient's hazards leave a line of a diagnosis's standard plan alone."""
    hazards = (case.hard, case.soft)
    return all(line[0] != h.drug[0] and diagnosis not in h.not_with for h in hazards)


def _follow_up(
    rng: np.random.Generator, style: Style, out: Consultation, key: Row, chance: dict[str, float]
) -> None:
    intents = list(contents().follow_ups)
    for turn, at in enumerate(rng.permutation(len(intents))[:3].tolist(), start=1):
        out.rows["followups"].append(
            {
                **key,
                "turn": turn,
                "intent": intents[at],
                "question": contents().follow_ups[intents[at]],
                "answer": "Simulated answer.",
                "weight": 2.0 if intents[at] == "side_effect_concern" else 1.0,
            }
        )
    adapted = chance["adapts"] < style.adapts
    met = adapted or chance["spare"] < SPARE
    before = float(np.round(rng.uniform(0.6, 0.95), 2))
    after = before * (rng.uniform(0.92, 1.0) if adapted or not met else rng.uniform(0.3, 0.7))
    out.rows["adaptations"].append(
        {
            **key,
            "constraint": "",
            "kind": ("cost", "access", "preference")[int(rng.integers(3))],
            "satisfied": met,
            "quality_before": before,
            "quality_after": float(np.round(after, 3)),
        }
    )
    out.planted["adapted"] = adapted
