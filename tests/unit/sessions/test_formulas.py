"""Each metric's formula on columns whose values are computed by hand; None: not defined."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from analysis.sessions import diagnosis, follow_up, history, treatment
from analysis.sessions.definitions import BY_NAME, METRICS, PRIMARY, SECONDARY, UNDEFINED

NONE = float("nan")

CASES: list[tuple[Callable[..., Any], list[list[float]], list[float | None]]] = [
    # found, necessary, T_dx, T_max: turn 1, the last turn, no turn, no diagnosis, nothing necessary
    (
        history.mni_comp,
        [[4, 4, 1, 2, 0], [4, 4, 4, 4, 0], [1, 20, 0, NONE, 5], [20, 20, 20, 20, 20]],
        [1.0, 0.05, 0.25, 0.025, None],
    ),
    (
        history.mni_comp_printed,
        [[4, 4, 1, 2, 0], [4, 4, 4, 4, 0], [1, 20, 0, NONE, 5], [20, 20, 20, 20, 20]],
        [20.0, 1.0, 5.0, 0.5, None],
    ),
    (history.mni_comp_capped, [[4, 1, 0], [4, 4, 0], [1, 10, 5], [20, 20, 20]], [1.0, 0.5, None]),
    (history.mni_coverage, [[3, 0, 0], [4, 4, 0]], [0.75, 0.0, None]),
    (history.red_flag_coverage, [[1, 0], [2, 0]], [0.5, None]),
    (history.cprw, [[3, 0, 1], [2, 2, 0]], [1.5, 0.0, None]),
    (history.cprw_bounded, [[3, 0, 1], [2, 2, 0]], [0.6, 0.0, None]),
    (history.ige, [[3, 0, NONE], [4, 0, 2]], [0.75, 0.0, None]),
    # hits, turns of the slice, turns asked
    (history.hit_at_k, [[1, 0, 0], [4, 0, 0], [5, 0, 3]], [0.25, 0.0, None]),
    (history.povr_printed, [[1, 0, 0], [4, 4, 0]], [0.25, 0.0, None]),
    (history.povr, [[1, 0, 0], [4, 4, 0], [3, 0, 0]], [0.25, 1.0, None]),
    (history.povr_strict, [[3, 0, 0], [4, 4, 0]], [0.25, 1.0, None]),
    (history.povr_asked, [[1, 0], [2, 0]], [0.5, None]),
    (history.kiel, [[1.2, 0, 4, 0], [4, 4, 4, 0]], [0.7, 1.0, 0.0, None]),
    (history.repetition, [[1, 0], [4, 0]], [0.25, 0.0]),
    # TP, FP, gold: half found and two false ones, an empty list, nothing to find
    (diagnosis.f1, [[1, 0, 0], [2, 0, 3], [2, 2, 0]], [2 / 5, 0.0, None]),
    (diagnosis.swds, [[1.5, 0, 0], [3, 3, 0]], [0.5, 0.0, None]),
    (diagnosis.ndcg_severity, [[1, 0, 0], [2, 0, 0], [3, 3, 0]], [0.5, 0.0, None]),
    (diagnosis.ded, [[6, 0, 0], [2, 1, 0], [10, 10, 10]], [0.3, 0.0, None]),
    (diagnosis.ded_turns, [[6, 0], [2, 0]], [3.0, None]),
    (diagnosis.top_1_core, [[1, 1, 0, 0], [1, 2, 0, 1], [2, 1, 1, 0]], [1.0, 0.5, 0.0, None]),
    (treatment.psc, [[0, 1, 3]], [1.0, 0.0, 0.0]),
    # pairs in conflict, drugs: one of three pairs, a single drug, no drug
    (treatment.ddiv, [[1, 0, 0], [3, 1, 0]], [1 / 3, 0.0, 0.0]),
    (treatment.pcr, [[1, 0], [4, 0]], [0.25, 0.0]),
    (treatment.plan_completeness, [[0, 2]], [1.0, 0.0]),
    (treatment.of_plans, [[0.5, 1.0], [3, 0]], [0.5, None]),
    (follow_up.fqr, [[2, 0], [4, 0]], [0.5, None]),
    # unmet, unjudged, degraded, constraints
    (
        follow_up.dcsr,
        [[0, 1, 0, 0, 1, 0], [0, 0, 0, 1, 1, 0], [0, 0, 1, 0, 0, 0], [2, 2, 2, 2, 2, 0]],
        [1.0, 0.0, 0.0, None, 0.0, None],
    ),
    (follow_up.judged_mean, [[1.5, 0], [2, 0]], [0.75, None]),
]


@pytest.mark.parametrize(("function", "columns", "expected"), CASES, ids=[c[0].__name__ for c in CASES])
def test_formula(function: Any, columns: list[list[float]], expected: list[float | None]) -> None:
    found = function(*(np.array(c, dtype=np.float64) for c in columns))
    assert found == pytest.approx([NONE if e is None else e for e in expected], nan_ok=True)


def test_discounts_of_ties() -> None:
    alpha = [1.0, 1 / np.log2(3), 0.5]
    assert diagnosis.discount(np.array([1, 2, 3])) == pytest.approx(alpha)
    found = diagnosis.tied_discount(np.array([0, 0, 1]), np.array([1, 3, 2]))
    assert found == pytest.approx([1.0, sum(alpha) / 3, sum(alpha[1:]) / 2])
    assert diagnosis.tied_discount(np.array([], dtype=np.int64), np.array([], dtype=np.int64)).size == 0


def test_the_catalogue() -> None:
    assert (len(PRIMARY), len(SECONDARY)) == (12, 12)
    assert len(BY_NAME) == len(METRICS)
    assert set(UNDEFINED) == set(BY_NAME)
    for metric in METRICS:
        assert not metric.form_of or BY_NAME[metric.form_of].tier != "supplementary"
        assert metric.tier == "supplementary" or not metric.form_of
        assert not metric.form_of or BY_NAME[metric.form_of].direction == metric.direction


def test_the_primary_metrics_by_stage() -> None:
    by_stage = {s: [m.name for m in METRICS if m.stage == s and m.tier == "primary"] for s in
                ("history", "diagnosis", "treatment", "follow_up")}  # fmt: skip
    assert by_stage == {
        "history": ["mni_comp", "cprw", "ige", "hit_1", "povr"],
        "diagnosis": ["f1_core", "swds"],
        "treatment": ["psc", "ddiv", "pcr"],
        "follow_up": ["fqr", "dcsr"],
    }
