"""The worked example of docs/sessions.md, from raw files to metrics, against figures computed by hand."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.ingest.benchmark import read_benchmark
from analysis.sessions.measure import measure_sessions
from tests.unit.sessions.worked_example import example, write

LOG3 = np.log2(3)

BY_HAND = {
    "mni_comp": 0.5 * 0.7,
    "mni_comp_printed": 1.25,
    "mni_comp_capped": 1.0,
    "mni_coverage": 0.5,
    "red_flag_coverage": 0.0,
    "cprw": 0.0625,
    "cprw_bounded": 0.5 / 8.5,
    "ige": 0.225,
    "hit_1": 0.5,
    "povr": 1 / 3,
    "povr_printed": 1 / 3,
    "povr_strict": 2 / 3,
    "povr_asked": 1 / 2,
    "kiel": 0.45,
    "repetition_effective": 0.0,
    "repetition_ineffective": 0.25,
    "f1_core": 0.5,
    "f1_core_lenient": 2 / 3,
    "f1_noncore": 0.5,
    "f1_noncore_lenient": 2 / 3,
    "top_1_core": 0.0,
    "swds": (3 / LOG3 + 1 / 2) / (3 + 1 / LOG3),
    "ndcg_severity": (3 / LOG3 + 1 / 2) / (3 + 1 / LOG3),
}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, float]:
    folder = write(tmp_path_factory.mktemp("raw") / "bench", example())
    _, values = measure_sessions(read_benchmark(folder).sessions, tau=0.9)
    return {name: float(value[0]) for name, value in values.items()}


@pytest.mark.parametrize("metric", BY_HAND)
def test_metric(found: dict[str, float], metric: str) -> None:
    assert found[metric] == pytest.approx(BY_HAND[metric], abs=1e-12)


def test_nothing_else_is_measured(found: dict[str, float]) -> None:
    assert set(found) == set(BY_HAND)
