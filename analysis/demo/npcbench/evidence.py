"""L6 controls: care with predicted against reference image evidence, 25 patients and 146 questions (A23)."""

from __future__ import annotations

import numpy as np

from analysis.demo.npcbench.carepath import cohort
from analysis.demo.npcbench.choices import EXTRA_QUESTIONS, stream
from analysis.demo.npcbench.frames import Part
from analysis.demo.npcbench.printed import half_unit, printed
from analysis.demo.npcbench.program import Counts, inside

PREDICTED, REFERENCE = "L6 predicted evidence", "L6 reference evidence"
Z95 = 1.959964
Pair = tuple[int, int, int]


def questions() -> dict[str, int]:
    """Return the control questions of each patient with matched pathology: 146 in all."""
    patients = [p for p in cohort() if p.source == "matched"]
    order = stream("evidence", "questions").permutation(len(patients))
    more = {int(i): 1 for i in order}
    for i in order[: EXTRA_QUESTIONS - len(patients)]:
        more[int(i)] += 1
    return {p.name: p.depth + more[i] for i, p in enumerate(patients)}


def reconstruct_evidence() -> Part:
    """Return items and answers of the two conditions."""
    part, asked = Part(), questions()
    if sum(asked.values()) != int(printed("table_a3").totals["control questions"]):
        raise ValueError(f"{sum(asked.values())} control questions")
    for track, prefix in ((PREDICTED, "L6P"), (REFERENCE, "L6R")):
        for patient, n in asked.items():
            for j in range(n):
                part.add_item(
                    f"{prefix}{patient[2:]}-{j + 1}",
                    track,
                    patient,
                    "care",
                    position=j + 1,
                    question=f"{patient}-control-{j + 1}",
                )
    for model in printed("table_a23").models:
        _answer(part, model, asked)
    return part


def right_answers(model: str, asked: dict[str, int]) -> dict[int, list[Pair]]:
    """Return, per number of questions d, triples (d, right with predicted, right with reference evidence).

    The means over patients, their difference and the patients better, worse and unchanged are
    printed; the spread of the differences is chosen to come near the printed interval.
    """
    table = printed("table_a23")
    sizes = {d: list(asked.values()).count(d) for d in sorted(set(asked.values()))}
    n = sum(sizes.values())
    cells = [(d, a, b) for d in sizes for a in range(d + 1) for b in range(d + 1)]
    rate = table.value(model, "predicted") / 100
    program = Counts(len(cells))
    for d, size in sizes.items():
        program.require([float(e == d) for e, _, _ in cells], size)
    for column, value in {
        "predicted": [a / d for d, a, _ in cells],
        "reference": [b / d for d, _, b in cells],
        "difference": [(b - a) / d for d, a, b in cells],
    }.items():
        text = table.cell(model, column)
        low, high = inside(float(text), half_unit(text))
        program.require([100 * v / n for v in value], low, high)
    for column, sign in (("better", 1), ("worse", -1), ("unchanged", 0)):
        program.require([float(np.sign(b - a) == sign) for _, a, b in cells], table.count(model, column))
    width = (table.value(model, "high") - table.value(model, "low")) / 100
    spread = (width / (2 * Z95)) ** 2 * n * n + n * (table.value(model, "difference") / 100) ** 2
    program.wish([((b - a) / d) ** 2 for d, a, b in cells], spread, price=200.0, free=0.02 * spread)
    # Patients differ in how hard they are: the baseline spreads around its mean.
    program.wish(
        [(a / d - rate) ** 2 for d, a, _ in cells], n * 0.5 * rate * (1 - rate), price=20.0, free=0.3
    )
    counts = program.solve()
    made: dict[int, list[Pair]] = {d: [] for d in sizes}
    for cell, count in zip(cells, counts, strict=True):
        made[cell[0]] += [cell] * int(count)
    return made


def _answer(part: Part, model: str, asked: dict[str, int]) -> None:
    rng, made = stream("evidence", model), right_answers(model, asked)
    for d, triples in made.items():
        patients = [p for p, n in asked.items() if n == d]
        for patient, i in zip(patients, rng.permutation(len(triples)), strict=True):
            _, a, b = triples[int(i)]
            order = rng.permutation(d)
            before = set(order[:a].tolist())
            # Only as many answers change as must.
            after = set(order[:b].tolist())
            for j in range(d):
                name = f"{patient[2:]}-{j + 1}"
                part.answer(model, f"L6P{name}", j in before)
                part.answer(model, f"L6R{name}", j in after)
