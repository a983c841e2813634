"""L6, the CarePath cohort: 100 patients with pathology, MRI T stage and 217 care decisions (A3, A20, A21)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analysis.demo.npcbench.choices import CARE_SWAPS, STAGES, stream
from analysis.demo.npcbench.frames import NOT_SCORED, Part
from analysis.demo.npcbench.printed import printed

TRACK = "L6"


@dataclass(frozen=True)
class Patient:
    """One patient of the cohort.

    Parameters
    ----------
    name : str
        Identifier of the cluster.
    source : {'matched', 'assigned'}
        Where the pathology specimen comes from.
    depth : int
        Scored care decisions.
    stage, pathology : str
        Reference labels.
    n_unscored : int
        Treatment items that are left out of the scoring.
    """

    name: str
    source: str
    depth: int
    stage: str
    pathology: str
    n_unscored: int


def cohort() -> list[Patient]:
    """Return the patients: depths of figure A4, split so that matched ones hold 115 decisions (A3)."""
    figure, linkage = printed("figure_a4"), printed("table_a3")
    n = {d: figure.count(f"depth {d}", "count") for d in range(1, 7)}
    deepest = [d for d in sorted(n, reverse=True) for _ in range(n[d])]
    n_matched = linkage.count("matched", "patients")
    matched, assigned = deepest[:n_matched], deepest[n_matched:]
    for gives, takes in CARE_SWAPS:
        matched[matched.index(gives)], assigned[assigned.index(takes)] = takes, gives
    for group, depths in (("matched", matched), ("assigned", assigned)):
        if sum(depths) != linkage.count(group, "care nodes"):
            raise ValueError(f"{group} patients hold {sum(depths)} care decisions")
    rng = stream("carepath", "cohort")
    stages = [s for s in STAGES for _ in range(figure.count(s, "count"))]
    stages = [stages[i] for i in rng.permutation(len(stages))]
    negative = int(rng.integers(len(deepest)))
    treated = set(rng.permutation(n_matched)[: int(linkage.totals["excluded treatment items"])].tolist())
    sources = ["matched"] * n_matched + ["assigned"] * len(assigned)
    return [
        Patient(
            f"L6-{i + 1:03d}",
            sources[i],
            depth,
            stages[i],
            "negative" if i == negative else "positive",
            int(i in treated),
        )
        for i, depth in enumerate([*matched, *assigned])
    ]


@dataclass(frozen=True)
class Outcome:
    """What a model gets right for one patient: the number of care answers, and both image labels."""

    n_care: int
    image: bool


def reconstruct_carepath() -> Part:
    """Return items and answers of the cohort for the models of tables A20 and A21."""
    part, patients = Part(), cohort()
    for p in patients:
        _add_items(part, p)
    for model in printed("table_a20").models:
        _answer(part, model, patients, states(model, patients))
    for model in printed("table_a21").models:
        outcomes: dict[str, Outcome] = {}
        for source in ("matched", "assigned"):
            outcomes |= group_outcomes(model, source, [p for p in patients if p.source == source])
        _answer(part, model, patients, outcomes)
    return part


def states(model: str, patients: list[Patient]) -> dict[str, Outcome]:
    """Draw who is in which of the four joint states of table A20.

    Patients outside C have one care answer or more wrong; how many is not printed and is ours.
    """
    table, rng = printed("table_a20"), stream("carepath", model)
    sizes = [table.count(model, c) for c in ("|C and F|", "|C, not F|", "|F, not C|", "|neither|")]
    kinds = np.repeat(np.arange(4), sizes)
    # Patients with few decisions are right on all of them more often.
    easy = np.argsort([p.depth + 2.5 * rng.random() for p in patients], kind="stable")
    care = np.zeros(len(patients), dtype=bool)
    care[easy[: sizes[0] + sizes[1]]] = True
    image = np.zeros(len(patients), dtype=bool)
    for right, n in ((True, sizes[0]), (False, sizes[2])):
        image[rng.permutation(np.flatnonzero(care == right))[:n]] = True
    if int((care & image).sum()) != int((kinds == 0).sum()):
        raise ValueError(f"{model}: the states do not add up")
    return {
        p.name: Outcome(p.depth if care[i] else int(rng.integers(p.depth)), bool(image[i]))
        for i, p in enumerate(patients)
    }


def group_outcomes(model: str, source: str, patients: list[Patient]) -> dict[str, Outcome]:
    """Draw outcomes of the patients of one source that meet the four columns of table A21."""
    table, rng = printed("table_a21"), stream("carepath", model, source)
    n = len(patients)
    n_right = table.successes(model, f"{source} Care", sum(p.depth for p in patients))
    n_all, n_image, n_strict = (
        table.successes(model, f"{source} {c}", n) for c in ("All-care", "Image", "Strict")
    )
    depth = np.array([p.depth for p in patients])
    care = _all_care(depth, n_all, n_right, rng)
    image = np.zeros(n, dtype=bool)
    image[rng.permutation(np.flatnonzero(care))[:n_strict]] = True
    image[rng.permutation(np.flatnonzero(~care))[: n_image - n_strict]] = True
    right = np.where(care, depth, 0)
    # What is left goes to patients with at least one wrong answer.
    room = np.repeat(np.flatnonzero(~care), (depth - 1)[~care])
    for i in rng.permutation(room)[: n_right - int(right.sum())]:
        right[i] += 1
    if int(right.sum()) != n_right:
        raise ValueError(f"{model}, {source}: {right.sum()} right care answers, not {n_right}")
    return {p.name: Outcome(int(right[i]), bool(image[i])) for i, p in enumerate(patients)}


def _all_care(depth: np.ndarray, n_all: int, n_right: int, rng: np.random.Generator) -> np.ndarray:
    """Choose who is right throughout: easier patients first, so far as the right answers suffice."""
    for spread in (2.5, 1.0, 0.0):
        order = np.argsort(depth + spread * rng.random(depth.size), kind="stable")
        care = np.zeros(depth.size, dtype=bool)
        care[order[:n_all]] = True
        left = n_right - int(depth[care].sum())
        if 0 <= left <= int((depth - 1)[~care].sum()):
            return care
    raise ValueError(f"{n_all} patients with everything right do not go with {n_right} right answers")


def _add_items(part: Part, p: Patient) -> None:
    shared = {"pathology_source": p.source}
    part.add_item(
        f"{p.name}-pathology", TRACK, p.name, "pathology", position=1, **shared, **{"class": p.pathology}
    )
    part.add_item(f"{p.name}-t", TRACK, p.name, "t_stage", position=2, **shared, **{"class": p.stage})
    for j in range(p.depth):
        part.add_item(f"{p.name}-care-{j + 1}", TRACK, p.name, "care", position=3 + j, **shared)
    for j in range(p.n_unscored):
        name = f"{p.name}-treatment-{j + 1}"
        part.add_item(name, TRACK, p.name, "care", position=3 + p.depth + j, **shared)


def _answer(part: Part, model: str, patients: list[Patient], outcomes: dict[str, Outcome]) -> None:
    rng = stream("carepath", "answers", model)
    for p in patients:
        outcome = outcomes[p.name]
        # Nearly every specimen is positive: where the image labels are not both right, the stage is wrong.
        pathology = outcome.image or (p.pathology == "positive" and rng.random() < 0.97)
        other = "negative" if p.pathology == "positive" else "positive"
        part.answer(model, f"{p.name}-pathology", pathology, p.pathology if pathology else other)
        wrong = [s for s in STAGES if s != p.stage]
        stage = p.stage if outcome.image else wrong[int(rng.integers(len(wrong)))]
        part.answer(model, f"{p.name}-t", outcome.image, stage)
        right = set(rng.permutation(p.depth)[: outcome.n_care].tolist())
        for j in range(p.depth):
            part.answer(model, f"{p.name}-care-{j + 1}", j in right)
        for j in range(p.n_unscored):
            part.leave_unscored(model, f"{p.name}-treatment-{j + 1}", NOT_SCORED)
