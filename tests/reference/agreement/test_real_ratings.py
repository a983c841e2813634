"""Tables of real benchmarks: every pair against scikit-learn, and what an expert should be told."""

from __future__ import annotations

from pathlib import Path

import krippendorff
import polars as pl
import pytest
from sklearn.metrics import cohen_kappa_score

from analysis.config import Config, settings_for
from analysis.ingest.benchmark import read_benchmark
from analysis.store import conform
from analysis.tables import agreement, data_quality, denominators, ensembles, influence, reliability
from analysis.tables.data import BenchmarkData


def load(folder: Path, resamples: int = 200) -> BenchmarkData:
    """Read a real benchmark with few resamples."""
    read = read_benchmark(folder)
    settings = settings_for(read.card, Config()).model_copy(update={"resamples": resamples})
    return BenchmarkData(
        read.verdicts, read.items, read.models, read.card, settings, read.ratings, read.audit
    )


@pytest.mark.parametrize("name", ["pandalm", "jailbreakbench", "xsum_halluc", "helm_safety"])
def test_every_pair_of_raters_is_scikit_learns(name: str, data_dir: Path) -> None:
    data = load(data_dir / name)
    table = conform(agreement.derive(data)["agreement"][0], "agreement")
    assert data.ratings is not None
    key = ["model", "item_id", "run", "criterion_id"]
    category = pl.coalesce("label", pl.col("value").cast(pl.String)).alias("category")
    ratings = data.ratings.select(*key, "rater", category).drop_nulls("category")
    for row in table.filter(pl.col("rater_b") != "verdict").iter_rows(named=True):
        one, other = (ratings.filter(pl.col("rater") == row[r]) for r in ("rater_a", "rater_b"))
        both = one.join(other, on=key, nulls_equal=True)
        assert row["n"] == both.height
        expected = cohen_kappa_score(both["category"].to_list(), both["category_right"].to_list())
        assert row["kappa"] == pytest.approx(expected)
        assert row["ci_low"] < row["kappa"] < row["ci_high"]


def test_humans_agree_more_than_judges_do(data_dir: Path) -> None:
    data = load(data_dir / "pandalm")
    table = conform(reliability.derive(data)["reliability"][0], "reliability")
    nominal = table.filter(pl.col("statistic") == "alpha_nominal")
    alpha = dict(nominal.select("raters", "estimate").iter_rows())
    assert data.ratings is not None
    codes = {"first": 0.0, "second": 1.0, "tie": 2.0}
    for kind in ("human", "judge"):
        wide = data.ratings.filter(pl.col("rater_kind") == kind).pivot(
            "rater", index="item_id", values="label"
        )
        ratings = wide.drop("item_id").select(pl.all().replace_strict(codes, return_dtype=pl.Float64))
        expected = krippendorff.alpha(ratings.to_numpy().T, level_of_measurement="nominal")
        assert alpha[kind] == pytest.approx(expected)
    assert alpha["human"] > alpha["judge"] + 0.3


def test_the_verdict_of_jailbreakbench_is_one_of_its_judges(data_dir: Path) -> None:
    found = conform(reliability.derive(load(data_dir / "jailbreakbench"))["raters"][0], "raters")
    assert found.filter("is_verdict")["rater"].to_list() == ["judge_main"]


def test_what_the_audits_must_say(data_dir: Path) -> None:
    def notes(name: str) -> dict[tuple[str, str], dict[str, object]]:
        found = conform(data_quality.derive(load(data_dir / name))["data_quality"][0], "data_quality")
        return {(row["check"], row["subject"]): row for row in found.iter_rows(named=True)}

    helm = notes("helm_safety")
    assert helm["ratings_without_verdict", ""]["n"] == 7200
    panda = notes("pandalm")
    assert panda["undeclared_clusters", ""]["n"] == 50
    medagents = notes("medagents")
    assert medagents["items_of_one_model", ""]["n"] == 2152
    assert medagents["items_of_one_model", "gpt-4o-mini|mdagents"]["share"] > 0.9
    tau = notes("tau_trials")
    assert tau["unequal_runs", ""]["status"] == "attention"


def test_never_asked_is_a_policy_that_matters(data_dir: Path) -> None:
    table = denominators.derive(load(data_dir / "tau_trials"))["rank_agreement"][0]
    of_all = table.filter(pl.col("track") == "all", pl.col("policy_a") == "exclude")
    tau = dict(of_all.select("policy_b", "kendall_tau").iter_rows())
    assert tau["missing_as_failure"] < 0.8
    assert tau["excluded_as_failure"] == 1.0


def test_one_track_turns_the_helm_ranking_over(data_dir: Path) -> None:
    table = influence.derive(load(data_dir / "helm_safety"))["influence"][0]
    score = table.filter(pl.col("metric") == "score")
    worst = score.sort("kendall_tau").row(0, named=True)
    assert worst["left_out"] == "harm_bench"
    assert worst["max_rank_change"] == 4


def test_choosing_in_sample_is_optimistic_on_real_data(data_dir: Path) -> None:
    table = ensembles.derive(load(data_dir / "jailbreakbench"))["ensembles"][0]
    part = table.filter(pl.col("track") == "all", pl.col("basis") == "answered")
    fitted = part.filter(pl.col("method") == "cross_fitted").sort("size")
    assert (fitted["optimism"] > -1e-9).all()
    assert fitted["optimism"].max() > 0.005
    assert fitted["optimism"][-1] == pytest.approx(0.0)
