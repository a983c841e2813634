"""O1: 103 questions with 1,726 rubric criteria (A5), and the labels from which the scores follow (A29).

The deduction formula is not printed; the one in force here is the card's default (see
`analysis.stats.rubric`). The labels are solved for under that formula.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
import polars as pl

from analysis.card_consultation import Consultation
from analysis.demo.npcbench.choices import N_CASES, SPECIAL_SHARE, stream
from analysis.demo.npcbench.frames import Part
from analysis.demo.npcbench.printed import printed

TRACK = "O1"
JUDGE = "gpt-oss-120b"
KINDS = ("core", "evidence", "conditional", "major", "minor")
TAGS = {
    "AE": "adverse events",
    "Dx": "diagnosis",
    "Eld.": "elderly",
    "Ped.": "pediatric",
    "Tx": "treatment",
    "Workup": "workup",
}
"""Tags by their heads in table A29."""

RULES = Consultation()
WEIGHT = {**RULES.requirements, **RULES.errors}
N_LAST = 4
"""Questions whose labels are searched exhaustively to meet a tag's mean."""


@dataclass(frozen=True)
class Question:
    """One question: its case, its tag and how many criteria of each kind it has."""

    item_id: str
    case_id: str
    tag: str
    n: dict[str, int]

    @property
    def n_criteria(self) -> int:
        """All criteria."""
        return sum(self.n.values())

    @property
    def weight(self) -> int:
        """Weight of all requirements."""
        return int(sum(WEIGHT[k] * self.n[k] for k in RULES.requirements))


@dataclass(frozen=True)
class Response:
    """What a response met: weight earned, and major and minor errors triggered."""

    earned: int
    major: int
    minor: int

    def score(self, question: Question) -> float:
        """Return the score under the card's formula."""
        points = WEIGHT["major"] * self.major + WEIGHT["minor"] * self.minor
        return min(100.0, max(0.0, 100 * self.earned / question.weight - points))


def questions() -> list[Question]:
    """Return the 103 questions: criteria of a tag spread over its questions, cases of one to four."""
    tags = printed("table_a29").totals
    names = [TAGS[head] for head, n in tags.items() for _ in range(int(n))]
    counts = {tag: _spread(tag, n) for tag, n in _criteria_by_tag().items()}
    rng = stream("consultations", "cases")
    sizes = np.ones(N_CASES, dtype=int)
    while sizes.sum() < len(names):
        sizes[rng.choice(np.flatnonzero(sizes < 4))] += 1
    cases = rng.permutation(np.repeat(np.arange(N_CASES), sizes))
    taken = dict.fromkeys(counts, 0)
    made = []
    for i, tag in enumerate(names):
        made.append(Question(f"O1-{i + 1:03d}", f"O1-case-{cases[i] + 1:02d}", tag, counts[tag][taken[tag]]))
        taken[tag] += 1
    return made


def _criteria_by_tag() -> dict[str, dict[str, int]]:
    """Return criteria per tag and kind; table A5 prints elderly and pediatric questions together."""
    table = printed("table_a5")
    made = {
        tag: {k: table.count(tag, k) for k in KINDS}
        for tag in ("treatment", "adverse events", "diagnosis", "workup")
    }
    whole = {k: table.count("special populations", k) for k in KINDS}
    share = SPECIAL_SHARE["elderly"] / sum(SPECIAL_SHARE.values())
    made["elderly"] = {k: round(n * share) for k, n in whole.items()}
    made["pediatric"] = {k: n - made["elderly"][k] for k, n in whole.items()}
    return made


def _spread(tag: str, totals: dict[str, int]) -> list[dict[str, int]]:
    """Spread the criteria of a tag over its questions, some more and some fewer."""
    n = int(next(v for head, v in printed("table_a29").totals.items() if TAGS[head] == tag))
    rng = stream("consultations", "criteria", tag)
    made: list[dict[str, int]] = [{} for _ in range(n)]
    for kind, total in totals.items():
        least = total // n if total < 2 * n else max(1, total // n - 1)
        count = np.full(n, least)
        while count.sum() < total:
            count[rng.choice(np.flatnonzero(count <= total / n + 1))] += 1
        for i, c in enumerate(count):
            made[i][kind] = int(c)
    return made


def criterion_frame(asked: list[Question]) -> pl.DataFrame:
    """Return `criteria.parquet`."""
    rows = [(q.item_id, name, kind) for q in asked for name, kind in criteria_of(q)]
    return pl.DataFrame(rows, schema=["item_id", "criterion_id", "kind"], orient="row")


def criteria_of(question: Question) -> list[tuple[str, str]]:
    """Return identifier and kind of a question's criteria."""
    return [(f"{kind}-{i + 1}", kind) for kind in KINDS for i in range(question.n[kind])]


def reconstruct_consultations(asked: list[Question]) -> Part:
    """Return the items, and one unscored answer of each model: what counts are the labels."""
    part = Part()
    for q in asked:
        part.add_item(q.item_id, TRACK, q.case_id, "consultation", tags=[q.tag])
    for model in printed("table_a29").models:
        for q in asked:
            part.leave_unscored(model, q.item_id)
    return part


def solve_responses(model: str, asked: list[Question]) -> list[Response]:
    """Return one response per question, so that every number of the model's row in table A29 holds."""
    table, n = printed("table_a29"), len(asked)
    rng = stream("consultations", model)
    with_error = {kind: table.successes(model, kind.capitalize(), n) for kind in ("major", "minor")}
    target = _targets(model)
    made: dict[int, Response] = {}
    # The tag of two questions leaves least room: its errors are searched together with what is met.
    small = [i for i, q in enumerate(asked) if q.tag == "workup"]
    for i, response in zip(small, _search_pair([asked[i] for i in small], target["workup"]), strict=True):
        made[i] = response
    rest = [i for i in range(n) if i not in made]
    errors = {}
    for kind in ("major", "minor"):
        left = with_error[kind] - sum(getattr(r, kind) > 0 for r in made.values())
        # Good tags have fewer errors.
        key = [target[asked[i].tag] / len(asked) / 100 + rng.random() for i in rest]
        chosen = [rest[j] for j in np.argsort(key, kind="stable")[:left]]
        errors[kind] = {i: 1 + int(asked[i].n[kind] > 1 and rng.random() < 0.2) for i in chosen}
    for tag, total in target.items():
        own = [i for i in rest if asked[i].tag == tag]
        if own:
            wrong = [(errors["major"].get(i, 0), errors["minor"].get(i, 0)) for i in own]
            made |= dict(zip(own, _meet([asked[i] for i in own], wrong, total, rng), strict=True))
    return [made[i] for i in range(n)]


def _targets(model: str) -> dict[str, float]:
    """Return the sum of scores that each tag should have.

    Tags and total are each rounded; the tags' means are moved together within their rounding so that
    the total prints as it does.
    """
    table = printed("table_a29")
    n = {head: int(size) for head, size in table.totals.items()}
    mean = {head: table.value(model, head) for head in n}
    total = sum(mean[h] * n[h] for h in n) / sum(n.values())
    shift = float(np.clip(table.value(model, "Score") - total, -0.035, 0.035))
    shift = shift if abs(table.value(model, "Score") - total) > 0.03 else 0.0
    # Two questions meet their mean less exactly, so theirs stays in the middle.
    return {TAGS[h]: (mean[h] + (0.0 if n[h] < N_LAST else shift)) * n[h] for h in n}


def _search_pair(pair: list[Question], total: float) -> list[Response]:
    """Return the two responses whose scores add up best, then those with few errors, then similar ones."""
    options = [
        [
            Response(v, major, minor)
            for major, minor in product(range(min(2, q.n["major"]) + 1), range(min(3, q.n["minor"]) + 1))
            for v in range(q.weight + 1)
            if 100 * v / q.weight >= WEIGHT["major"] * major + WEIGHT["minor"] * minor
        ]
        for q in pair
    ]

    scores, n_errors = (
        [np.array([value(r, q) for r in own]) for own, q in zip(options, pair, strict=True)]
        for value in (Response.score, lambda r, _: 3 * r.major + r.minor)
    )
    off = np.maximum(0.0, np.abs(scores[0][:, None] + scores[1][None, :] - total) - 0.04)
    errors = n_errors[0][:, None] + n_errors[1][None, :]
    apart = np.abs(scores[0][:, None] - scores[1][None, :])
    best = int(np.lexsort((apart.ravel(), errors.ravel(), np.round(off, 9).ravel()))[0])
    i, j = divmod(best, len(options[1]))
    return [options[0][i], options[1][j]]


def _meet(
    own: list[Question], wrong: list[tuple[int, int]], total: float, rng: np.random.Generator
) -> list[Response]:
    """Choose the weight that each response earns, so that the scores add up to a tag's total."""
    mean = total / len(own)
    order = rng.permutation(len(own))
    score = np.clip(mean + 18 * rng.normal(size=len(own)), 0, 97)
    earned = np.zeros(len(own), dtype=int)

    def response(i: int, v: int) -> Response:
        return Response(v, *wrong[i])

    def least(i: int) -> int:
        points = WEIGHT["major"] * wrong[i][0] + WEIGHT["minor"] * wrong[i][1]
        return int(np.ceil(points * own[i].weight / 100))

    head, tail = order[:-N_LAST], order[-N_LAST:]
    left = total
    for place, i in enumerate(head):
        # Later questions make up for what earlier ones were off.
        wish = score[i] + (left - score[order[place:]].sum()) / (len(own) - place)
        points = WEIGHT["major"] * wrong[i][0] + WEIGHT["minor"] * wrong[i][1]
        earned[i] = int(np.clip(round((wish + points) * own[i].weight / 100), least(i), own[i].weight))
        left -= response(i, int(earned[i])).score(own[i])
    options = [
        np.array([(v, response(i, v).score(own[i])) for v in range(least(i), own[i].weight + 1)])
        for i in tail
    ]
    for i, v in zip(tail, _closest(options, left), strict=True):
        earned[i] = v
    return [response(i, int(v)) for i, v in enumerate(earned)]


def _closest(options: list[np.ndarray], total: float) -> list[int]:
    """Return one value of each option so that their scores add up to the total as closely as possible.

    Pairs of options are listed with their sums, and the two lists are searched from both ends.
    """
    halves = []
    for first, second in ((options[0], options[1]), (options[2], options[3])):
        sums = (first[:, 1][:, None] + second[:, 1][None, :]).ravel()
        order = np.argsort(sums, kind="stable")
        halves.append((sums[order], order, second.shape[0]))
    (left, left_order, left_n), (right, right_order, right_n) = halves
    at = np.clip(np.searchsorted(right, total - left), 1, right.size - 1)
    nearer = np.where(np.abs(left + right[at - 1] - total) <= np.abs(left + right[at] - total), at - 1, at)
    # Among equally close ones the middle of the list: four responses of similar quality.
    gap = np.round(np.abs(left + right[nearer] - total), 4)
    best = int(min(range(left.size), key=lambda i: (gap[i], abs(i - left.size // 2))))
    i, j = divmod(int(left_order[best]), left_n)
    k, m = divmod(int(right_order[nearer[best]]), right_n)
    return [int(options[0][i, 0]), int(options[1][j, 0]), int(options[2][k, 0]), int(options[3][m, 0])]


def label_response(model: str, question: Question, response: Response) -> dict[str, bool]:
    """Return which criteria the judge calls true: requirements met, errors triggered."""
    rng = stream("consultations", "labels", model, question.item_id)
    n = {k: question.n[k] for k in KINDS}
    others = n["evidence"] + n["conditional"]
    low, high = max(0, -(-(response.earned - others) // 2)), min(n["core"], response.earned // 2)
    core = int(np.clip(round(response.earned / question.weight * n["core"]), low, high))
    rest = response.earned - 2 * core
    evidence = int(
        np.clip(round(rest * n["evidence"] / max(others, 1)), max(0, rest - n["conditional"]), n["evidence"])
    )
    evidence = min(evidence, rest)
    met = {
        "core": core,
        "evidence": evidence,
        "conditional": rest - evidence,
        "major": response.major,
        "minor": response.minor,
    }
    true = {f"{k}-{i + 1}" for k in KINDS for i in rng.permutation(n[k])[: met[k]]}
    return {name: name in true for name, _ in criteria_of(question)}
