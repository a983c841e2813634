"""F1 and NDCG against scikit-learn, which averages over ties as well."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from sklearn.metrics import f1_score, ndcg_score

from analysis.sessions.diagnosis_counts import diagnosis_metrics
from analysis.sessions.index import index_sessions

N = 40
DISEASES = [f"d{i}" for i in range(9)]


@pytest.fixture(scope="module")
def drawn() -> tuple[dict[str, np.ndarray], dict[str, pl.DataFrame]]:
    """Draw N sessions that rank all diseases, with ties, over cases with graded gold diagnoses."""
    rng = np.random.default_rng(11)
    rank = rng.integers(1, 6, size=(N, len(DISEASES)))
    weight = np.where(rng.random((N, len(DISEASES))) < 0.4, rng.integers(1, 8, size=rank.shape) / 2, 0.0)
    weight[:, 0] = 1.0
    core = (weight > 0) & (rng.random(rank.shape) < 0.6)
    listed = rng.random(rank.shape) < 0.5
    cases = [f"c{i:02d}" for i in range(N)]
    key = {"model": "m", "run": 0}
    gold = [
        {
            "case_id": c,
            "diagnosis": d,
            "core": bool(core[i, j]),
            "weight": weight[i, j],
            "severity": weight[i, j],
            "t_evidence": None,
        }
        for i, c in enumerate(cases)
        for j, d in enumerate(DISEASES)
        if weight[i, j] > 0
    ]
    rows = [
        {**key, "case_id": c, "diagnosis": d, "rank": int(rank[i, j]), "as_core": None, "turn_named": None}
        for i, c in enumerate(cases)
        for j, d in enumerate(DISEASES)
    ]
    tables = {
        "sessions": pl.DataFrame([{**key, "case_id": c, "t_dx": 1, "t_max": 20} for c in cases]),
        "session_gold": pl.DataFrame(gold, schema_overrides={"t_evidence": pl.Int64}),
        "session_differentials": pl.DataFrame(
            rows, schema_overrides={"as_core": pl.Boolean, "turn_named": pl.Int64}
        ),
    }
    return {"rank": rank, "weight": weight, "core": core, "listed": listed}, tables


def test_ndcg_of_whole_lists_with_ties(drawn: tuple[dict[str, np.ndarray], dict[str, pl.DataFrame]]) -> None:
    arrays, tables = drawn
    found = diagnosis_metrics(index_sessions(tables), None)
    expected = [
        ndcg_score([w], [-r.astype(np.float64)])
        for w, r in zip(arrays["weight"], arrays["rank"], strict=True)
    ]
    assert found["ndcg_severity"] == pytest.approx(expected, abs=1e-12)
    assert found["swds"] == pytest.approx(expected, abs=1e-12)


def test_f1_of_sets(drawn: tuple[dict[str, np.ndarray], dict[str, pl.DataFrame]]) -> None:
    arrays, tables = drawn
    kept = pl.Series(arrays["listed"].ravel())
    tables = {**tables, "session_differentials": tables["session_differentials"].filter(kept)}
    found = diagnosis_metrics(index_sessions(tables), None)
    other = (arrays["weight"] > 0) & ~arrays["core"]
    for name, of in (("f1_core", arrays["core"]), ("f1_noncore", other)):
        expected = f1_score(of, arrays["listed"], average="samples", zero_division=0)
        some = of.any(axis=1)
        assert np.isnan(found[name]).sum() == (~some).sum()
        assert np.nansum(found[name]) / N == pytest.approx(expected)
