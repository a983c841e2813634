"""The ordinary agreement table gives the paper's weighted kappas from its reconstructed adjudications."""

from __future__ import annotations

from pathlib import Path

import pytest

from analysis.config import Config, settings_for
from analysis.demo.odbb.write import write_odbb
from analysis.ingest.benchmark import read_benchmark
from analysis.tables import agreement
from analysis.tables.data import BenchmarkData


def test_weighted_kappas_and_the_limits_that_the_documentation_states(tmp_path: Path, root: Path) -> None:
    write_odbb(tmp_path / "odbb")
    made = read_benchmark(tmp_path / "odbb")
    settings = settings_for(made.card, Config())
    data = BenchmarkData(
        made.verdicts, made.items, made.models, made.card, settings, made.ratings, made.audit
    )
    tables = agreement.derive(data)
    rows = tables["agreement"][0].filter(criterion_group="criterion:verdict")
    kappa = {row[:2]: row[2] for row in rows.select("rater_a", "rater_b", "kappa_linear").iter_rows()}
    # arXiv:2608.28592, section 3.9: 0.939 and 0.790 for the reviewers, 0.757 between them.
    assert kappa["scorer", "doctor_a"] == pytest.approx(0.939, abs=5e-4)
    assert kappa["scorer", "doctor_b"] == pytest.approx(0.790, abs=5e-4)
    assert kappa["doctor_a", "doctor_b"] == pytest.approx(0.757, abs=5e-4)
    limits = tables["agreement_statistics"][0].filter(
        criterion_group="criterion:verdict", statistic="kappa_linear", rater_a="scorer"
    )
    page = (root / "docs" / "odbb.md").read_text(encoding="utf-8")
    for rater, low, high in limits.select("rater_b", "ci_low", "ci_high").iter_rows():
        name = rater.replace("doctor_a", "doctor A").replace("doctor_b", "doctor B")
        assert f"| scorer and {name} | {kappa['scorer', rater]:.3f} | {low:.3f} to {high:.3f} |" in page
