"""Judges against physicians: the targeted audit, its unflagged part (2, A30, A31), the expanded one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt
import polars as pl

from analysis.demo.npcbench.choices import stream
from analysis.demo.npcbench.consultations import JUDGE, Question
from analysis.demo.npcbench.printed import printed, prints_as

TARGETED, EXPANDED = "physicians (targeted)", "physicians (expanded)"
ERRORS = ("major", "minor")
"""Beginnings of the identifiers of error criteria."""
JUDGES = (JUDGE, *(j for j in printed("table_2").models if j != JUDGE))
"""The judge whose labels are given by the scores is tried first."""
N_SMALL_CASES, N_LARGE_CASES = 3, 3
"""Cases of one and of two questions in the expanded audit: 9 questions of 6 models are 54 responses."""

Labels = dict[tuple[str, str], dict[str, bool]]
"""What the judge of the scores says, by (model, item) and criterion."""
Target = tuple[str, str, str]
Rating = tuple[str, str, str | None, str, str, str | None, bool]
"""Model, item, criterion, rater, kind of rater, label, flagged."""
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Confusion:
    """A judge's labels against the physicians' on n labels, p of them true for the physicians.

    Parameters
    ----------
    n, p : int
        Labels, and labels that the physicians call true.
    tp, fp : int
        Labels that the judge calls true, of those that the physicians do and do not.
    """

    n: int
    p: int
    tp: int
    fp: int

    @property
    def agreement(self) -> float:
        """Share of equal labels."""
        return (self.tp + self.n - self.p - self.fp) / self.n

    @property
    def kappa(self) -> float:
        """Cohen's kappa."""
        true = self.tp + self.fp
        chance = (self.p * true + (self.n - self.p) * (self.n - true)) / self.n**2
        return (self.agreement - chance) / (1 - chance)

    def minus(self, other: Confusion) -> Confusion:
        """Return the labels that the other one does not hold."""
        return Confusion(self.n - other.n, self.p - other.p, self.tp - other.tp, self.fp - other.fp)

    @property
    def possible(self) -> bool:
        """Whether it can be: no count below 0 or above its whole."""
        return 0 <= self.tp <= self.p and 0 <= self.fp <= self.n - self.p


@dataclass(frozen=True)
class Group:
    """Labels that are audited together, and what the judges say of them.

    Parameters
    ----------
    targets : list of (model, item, criterion)
        The labels.
    confusion : dict of str to Confusion
        By judge.
    """

    targets: list[Target]
    confusion: dict[str, Confusion]


def reconstruct_ratings(asked: list[Question], labels: Labels) -> pl.DataFrame:
    """Return `ratings.parquet`: the judge of the scores on every criterion, and both audits."""
    rows: list[Rating] = [
        (model, item, criterion, JUDGE, "judge", _word(true), False)
        for (model, item), named in labels.items()
        for criterion, true in named.items()
    ]
    expanded = _expanded_sample(asked, labels)
    used = {item for _, item, _ in expanded}
    sample = _targeted_sample([q for q in asked if q.item_id not in used], labels)
    rows += _audit_rows(TARGETED, targeted_groups(sample, labels), labels, sample.flagged)
    rows += [(model, item, None, TARGETED, "human", None, False) for model, item in sample.excluded]
    rows += _audit_rows(EXPANDED, [expanded_group(expanded, labels)], labels, set())
    columns = ["model", "item_id", "criterion_id", "rater", "rater_kind", "label", "flagged"]
    frame = pl.DataFrame(rows, schema=columns, orient="row", infer_schema_length=None)
    kind = pl.col("criterion_id").str.split("-").list.first()
    polarity = pl.when(kind.is_in(["major", "minor"])).then(pl.lit("negative")).when(kind.is_not_null())
    return frame.with_columns(polarity.then(pl.lit("positive")).alias("polarity"))


def _word(true: bool) -> str:
    return "true" if true else "false"


def _true(targets: list[Target], labels: Labels) -> Mask:
    return np.array([labels[model, item][criterion] for model, item, criterion in targets])


@dataclass(frozen=True)
class Sample:
    """Responses of the targeted audit: flagged, not flagged, excluded."""

    unflagged: list[tuple[str, str]]
    flagged: set[tuple[str, str]]
    excluded: list[tuple[str, str]]


def _targeted_sample(asked: list[Question], labels: Labels) -> Sample:
    """Choose responses whose numbers of labels add up to table A30's, a model at a time.

    Among the choices that do, the one is taken in which the judge calls true about the share of
    unflagged labels that table A31 prints; the last model makes up for the others exactly.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp

    table, a31, rng = printed("table_a30"), printed("table_a31"), stream("audits", "sample")
    cells = [(model, q, flagged) for model in table.models for q in asked for flagged in (False, True)]
    rows, low = [], []

    def require(values: Sequence[float], total: int) -> None:
        rows.append(list(values))
        low.append(total)

    for model in table.models:
        mine = [m == model for m, _, _ in cells]
        n_included = table.count(model, "sampled responses") - table.count(model, "excluded responses")
        require([float(x) for x in mine], n_included)
        sizes = [x * q.n_criteria for x, (_, q, _) in zip(mine, cells, strict=True)]
        require(sizes, table.count(model, "included labels"))
        flagged = [s * f for s, (_, _, f) in zip(sizes, cells, strict=True)]
        require(flagged, table.count(model, "flagged labels retained"))
    true = [sum(labels[m, q.item_id].values()) for m, q, _ in cells]
    n_true = a31.successes(JUDGE, "True rate", a31.count(JUDGE, "n"), per=1.0)
    require([t * (not f) for t, (_, _, f) in zip(true, cells, strict=True)], n_true)
    once = np.kron(np.eye(len(cells) // 2), [1.0, 1.0])
    made = milp(
        rng.random(len(cells)),
        constraints=[LinearConstraint(np.array(rows, dtype=float), low, low), LinearConstraint(once, 0, 1)],
        bounds=Bounds(0, 1),
        integrality=np.ones(len(cells)),
        options={"node_limit": 20_000, "mip_rel_gap": 0.5},
    )
    if made.x is None:
        raise RuntimeError(f"table A30 cannot be met: {made.message}")
    chosen = [(m, q.item_id, f) for (m, q, f), x in zip(cells, made.x, strict=True) if x > 0.5]
    taken = {(m, i) for m, i, _ in chosen}
    excluded = []
    for model in table.models:
        free = [q.item_id for q in asked if (model, q.item_id) not in taken]
        order = rng.permutation(len(free))[: table.count(model, "excluded responses")]
        excluded += [(model, free[int(i)]) for i in sorted(order)]
    return Sample([(m, i) for m, i, f in chosen if not f], {(m, i) for m, i, f in chosen if f}, excluded)


def _labels_of(responses: list[tuple[str, str]], labels: Labels) -> list[Target]:
    return [(m, i, c) for m, i in responses for c in labels[m, i]]


def targeted_groups(sample: Sample, labels: Labels) -> list[Group]:
    """Return unflagged and flagged labels with confusions that print as tables 2 and A31 have them."""
    unflagged = _labels_of(sample.unflagged, labels)
    flagged = _labels_of(sorted(sample.flagged), labels)
    small = unflagged_confusions()
    n = int(printed("table_2").totals["targeted labels"])
    if len(unflagged) + len(flagged) != n or len(unflagged) != small[JUDGE].n:
        raise ValueError(f"{len(unflagged)} unflagged and {len(flagged)} flagged labels")
    n_true = int(_true(unflagged, labels).sum()) + int(_true(flagged, labels).sum())
    for p in _outwards(round(n * small[JUDGE].p / small[JUDGE].n), n):
        rest: dict[str, Confusion] = {}
        for judge in JUDGES:
            fits = [
                c.minus(small[judge])
                for c in _confusions("targeted", judge, n, p, n_true if judge == JUDGE else None)
            ]
            fits = [c for c in fits if c.possible]
            if not fits:
                break
            rest[judge] = fits[len(fits) // 2]
        else:
            return [Group(unflagged, small), Group(flagged, rest)]
    raise ValueError("tables 2 and A31 contradict each other")


def _outwards(middle: int, n: int) -> list[int]:
    """Return the numbers from 1 to n - 1, the nearest to the middle first."""
    return sorted(range(1, n), key=lambda x: (abs(x - middle), x))


def unflagged_confusions() -> dict[str, Confusion]:
    """Return the one set of confusions with a common number of true labels that prints as table A31."""
    table = printed("table_a31")
    n = table.count(JUDGE, "n")
    for p in range(1, n):
        made = {}
        for judge in table.models:
            n_true = table.successes(judge, "True rate", n, per=1.0)
            for tp in range(p + 1):
                c = Confusion(n, p, tp, n_true - tp)
                if c.possible and _prints(c, table.rows[judge]):
                    made[judge] = c
        if len(made) == len(table.models):
            return made
    raise ValueError("table A31 contradicts itself")


def _prints(c: Confusion, cells: tuple[str, ...]) -> bool:
    sensitivity, specificity = c.tp / c.p, 1 - c.fp / (c.n - c.p)
    values = (c.agreement, (sensitivity + specificity) / 2, c.kappa, sensitivity, specificity)
    return all(prints_as(v, text) for v, text in zip(values, cells[1:], strict=False))


def _confusions(audit: str, judge: str, n: int, p: int, n_true: int | None) -> list[Confusion]:
    """Return the confusions that print as a judge's row of table 2, given the true labels of both."""
    table = printed("table_2")
    agreement, kappa = (table.cell(judge, f"{audit} {c}") for c in ("agreement", "kappa"))
    made = []
    for true in range(n + 1) if n_true is None else [n_true]:
        for equal in _counts_near(float(agreement), n):
            # equal = tp + (n - p - fp), true = tp + fp
            twice = equal + true - (n - p)
            c = Confusion(n, p, twice // 2, true - twice // 2)
            fits = twice % 2 == 0 and c.possible and prints_as(100 * c.agreement, agreement)
            if fits and prints_as(c.kappa, kappa):
                made.append(c)
    return made


def _counts_near(percent: float, n: int) -> range:
    middle = round(percent * n / 100)
    return range(max(0, middle - 2), min(n, middle + 2) + 1)


def _expanded_sample(asked: list[Question], labels: Labels) -> list[Target]:
    """Choose six cases whose questions, answered by every model, hold just over 1,013 criteria.

    The criteria over that number have no label of the physicians.
    """
    n = int(printed("table_2").totals["expanded labels"])
    by_case: dict[str, list[Question]] = {}
    for q in asked:
        by_case.setdefault(q.case_id, []).append(q)
    models = sorted({m for m, _ in labels})
    size = {case: sum(q.n_criteria for q in qs) for case, qs in sorted(by_case.items())}
    small = [case for case in size if len(by_case[case]) == 1]
    large = [case for case in size if len(by_case[case]) == 2]
    pairs = (
        (sum(size[c] for c in (*a, *b)) * len(models) - n, a, b)
        for a in combinations(small, N_SMALL_CASES)
        for b in combinations(large, N_LARGE_CASES)
    )
    spare, a, b = min(x for x in pairs if x[0] >= 0)
    questions = [q for case in sorted((*a, *b)) for q in by_case[case]]
    targets = _labels_of([(m, q.item_id) for m in models for q in questions], labels)
    left_out = set(stream("audits", "expanded").permutation(len(targets))[:spare].tolist())
    return [t for i, t in enumerate(targets) if i not in left_out]


def expanded_group(targets: list[Target], labels: Labels) -> Group:
    """Return the labels of the expanded audit with confusions that print as table 2 has them."""
    n, n_true = len(targets), int(_true(targets, labels).sum())
    for p in _outwards(n_true, n):
        made: dict[str, Confusion] = {}
        for judge in JUDGES:
            fits = _confusions("expanded", judge, n, p, n_true if judge == JUDGE else None)
            if not fits:
                break
            made[judge] = fits[len(fits) // 2]
        else:
            return Group(targets, made)
    raise ValueError("table 2 contradicts itself on the expanded audit")


def _audit_rows(
    physicians: str, groups: list[Group], labels: Labels, flagged: set[tuple[str, str]]
) -> list[Rating]:
    """Draw physicians' and judges' labels with the confusions of each group."""
    rows: list[Rating] = []
    for g, group in enumerate(groups):
        rng = stream("audits", physicians, str(g))
        known = _true(group.targets, labels)
        c = group.confusion[JUDGE]
        error = np.array([criterion.startswith(ERRORS) for _, _, criterion in group.targets])
        truth = _draw_truth(known, error, c, rng)
        said = {physicians: truth}
        for judge, confusion in group.confusion.items():
            if judge != JUDGE:
                said[judge] = _draw(truth, confusion.tp, confusion.fp, rng)
        for rater, values in said.items():
            kind = "human" if rater == physicians else "judge"
            for (model, item, criterion), value in zip(group.targets, values, strict=True):
                flag = (model, item) in flagged and rater == physicians
                rows.append((model, item, criterion, rater, kind, _word(bool(value)), flag))
    return rows


def _draw_truth(known: Mask, error: Mask, c: Confusion, rng: np.random.Generator) -> Mask:
    """Draw the physicians' labels, with about the same sensitivity of the judge on requirements and errors.

    How agreement splits by polarity is not printed. Most labels that the judge calls false are of
    errors: drawn without regard to polarity, nearly all that it misses would be errors.
    """
    made = _draw(known, c.tp, 0, rng)
    n_missed = c.p - c.tp
    of_errors = min(round(n_missed * (made & error).sum() / c.tp), int((error & ~known).sum()))
    for among, n in ((~known & error, of_errors), (~known & ~error, n_missed - of_errors)):
        made[rng.permutation(np.flatnonzero(among))[:n]] = True
    if int(made.sum()) != c.p:
        raise ValueError(f"{int(made.sum())} labels are true, not {c.p}")
    return made


def _draw(given: Mask, n_of_true: int, n_of_false: int, rng: np.random.Generator) -> Mask:
    """Return labels: so many true where the given ones are true, so many where they are false."""
    made = np.zeros(given.size, dtype=bool)
    for value, n in ((True, n_of_true), (False, n_of_false)):
        made[rng.permutation(np.flatnonzero(given == value))[:n]] = True
    return made
