"""The pipeline recovers what the simulation planted, session by session and in its parameters."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from analysis.demo.medconsult.cases import simulate_cases
from analysis.demo.medconsult.cast import CAST, HUMAN_FLIP, JUDGE_FLIP, OTHER_FLIP
from analysis.demo.medconsult.content import contents
from analysis.demo.medconsult.policy import SUPPORT, mine_policy
from analysis.demo.medconsult.targets import as_markdown, compare
from analysis.demo.medconsult.write import write_medconsult
from analysis.seeds import generator_for
from tests.unit.session_analyses.conftest import Made

STYLES = {s.model: s for s in CAST}


@pytest.fixture(scope="module")
def side_by_side(made: Made) -> pl.DataFrame:
    """What was planted in each session beside what was measured."""
    metrics = made.table("session_metrics").pivot("metric", index=["model", "case_id"], values="value")
    return made.simulation.planted.join(metrics, on=["model", "case_id"], how="left", validate="1:1")


def share(top: str, bottom: str) -> pl.Expr:
    """Return a ratio of planted counts, 0 where there is nothing to divide by."""
    return pl.when(pl.col(bottom) > 0).then(pl.col(top) / pl.col(bottom)).otherwise(0.0)


PLANTED = {
    "mni_coverage": share("n_mni_found", "n_mni"),
    "cprw": share("beyond", "necessary"),
    "top_1_core": pl.col("core_first").cast(pl.Float64),
    "dcsr": pl.col("adapted").cast(pl.Float64),
    "psc": (~pl.any_horizontal("contraindicated", "severe_pair", "gross_dose")).cast(pl.Float64),
    "pcr": pl.when(pl.col("n_drugs") > 0)
    .then((pl.col("contraindicated").cast(pl.Int64) + pl.col("caution").cast(pl.Int64)) / pl.col("n_drugs"))
    .otherwise(0.0),
    "ddiv": pl.when(pl.col("n_drugs") > 1)
    .then(pl.col("severe_pair") * 2 / (pl.col("n_drugs") * (pl.col("n_drugs") - 1)))
    .otherwise(0.0),
}


@pytest.mark.parametrize("metric", PLANTED)
def test_every_session_has_what_was_planted(side_by_side: pl.DataFrame, metric: str) -> None:
    planted = side_by_side.select(PLANTED[metric].alias("planted"))["planted"].to_numpy()
    assert np.ptp(planted) > 0
    np.testing.assert_allclose(side_by_side[metric].to_numpy(), planted, atol=1e-12)


def test_repetitions_differ_from_the_planted_by_the_judges_errors(side_by_side: pl.DataFrame) -> None:
    """A judge says which repetitions were effective; together the two kinds are as planted."""
    rows = side_by_side.filter(pl.col("n_turns") > 0)
    both = rows["repetition_effective"] + rows["repetition_ineffective"]
    planted = (rows["n_effective"] + rows["n_ineffective"]) / rows["n_turns"]
    np.testing.assert_allclose(both.to_numpy(), planted.to_numpy(), atol=1e-12)


@pytest.mark.parametrize("model", [s.model for s in CAST if s.role != "baseline"])
def test_expected_coverage_lies_in_the_interval(made: Made, model: str) -> None:
    """A unit is revealed where its template was asked: with the style's probability, whatever the case."""
    row = made.table("session_scores").row(
        by_predicate=(pl.col("model") == model) & (pl.col("metric") == "mni_coverage"), named=True
    )
    half = max(row["ci_high"] - row["estimate"], row["estimate"] - row["ci_low"])
    # Seven intervals at once: those of 95% are widened to about 99.9%.
    assert abs(row["estimate"] - STYLES[model].needed) < 1.7 * half


@pytest.mark.parametrize("model", [s.model for s in CAST if s.role != "baseline"])
def test_expected_redundancy_is_met(made: Made, model: str) -> None:
    """Each template beside the needed ones is asked with the style's probability."""
    worth = []
    for case in made.simulation.cases:
        mni = {u for u, of in case.mni_of.items() if of}
        beside = [u for u in case.units if u not in mni]
        worth.append(sum(case.units[u].weight for u in beside) / sum(case.units[u].weight for u in mni))
    row = made.table("session_scores").row(
        by_predicate=(pl.col("model") == model) & (pl.col("metric") == "cprw"), named=True
    )
    half = max(row["ci_high"] - row["estimate"], row["estimate"] - row["ci_low"])
    assert abs(row["estimate"] - STYLES[model].beside * float(np.mean(worth))) < 1.7 * half


@pytest.mark.parametrize("metric", ["drss", "fqr", "car", "sdbi"])
def test_repeated_judging_differs_as_often_as_planted(made: Made, metric: str) -> None:
    """Yes and no differ where one of two judgements errs; on three steps, two errors can part ways too."""
    error = JUDGE_FLIP.get(metric, OTHER_FLIP)
    judged = made.simulation.judgements
    again = judged.rows.filter(pl.col("metric") == metric, pl.col("repeat") == 1)
    truth = again.join(judged.truth, on=["model", "case_id", "metric", "target", "dimension"])["truth"]
    middle = float((truth == 0.5).mean())
    step = 1.0 if metric in ("fqr", "car") else 0.5
    # From the middle both go one step, to different sides in half of the cases.
    expected = step * 2 * error * (1 - error) + middle * error**2 / 2
    rows = made.table("judge_reliability").filter(
        pl.col("metric") == metric, pl.col("comparison") == "repeat", pl.col("unit") == "judgement"
    )
    differ = rows.row(by_predicate=pl.col("statistic") == "mean_absolute_difference", named=True)
    assert differ["ci_low"] <= expected <= differ["ci_high"]


def test_kappas_follow_from_the_planted_error_rates(made: Made) -> None:
    """Kappa of two raters who err independently with rates e, f on truth with share p of yes."""
    truth = made.simulation.judgements.truth
    for metric in ("fqr", "car", "neu"):
        p = float(truth.filter(pl.col("metric") == metric)["truth"].mean())  # type: ignore[arg-type]
        judge = JUDGE_FLIP.get(metric, OTHER_FLIP)
        rows = made.table("judge_reliability").filter(
            pl.col("metric") == metric, pl.col("statistic") == "kappa", pl.col("unit") == "judgement"
        )
        for comparison, (e, f) in {
            "human_human": (HUMAN_FLIP, HUMAN_FLIP),
            # The third human settles what two differ on; both err alike with e squared.
            "judge_human": (judge, HUMAN_FLIP**2),
        }.items():
            agree = (1 - e) * (1 - f) + e * f
            yes = [p * (1 - x) + (1 - p) * x for x in (e, f)]
            chance = yes[0] * yes[1] + (1 - yes[0]) * (1 - yes[1])
            row = rows.row(by_predicate=pl.col("comparison") == comparison, named=True)
            half = max(row["ci_high"] - row["estimate"], row["estimate"] - row["ci_low"])
            assert abs(row["estimate"] - (agree - chance) / (1 - chance)) < 1.5 * half, (metric, comparison)


def test_planted_order_of_the_models_is_found(made: Made) -> None:
    """Every thinking variant was given the better number throughout, and stands above the other."""
    ranks = dict(
        made.table("stage_scores")
        .filter(pl.col("stage") == "composite", pl.col("rank").is_not_null())
        .select("model", "rank")
        .iter_rows()
    )
    assert ranks["alder-think"] < ranks["alder"]
    assert ranks["birch-think"] < ranks["birch"]
    assert set(ranks) == {s.model for s in CAST if s.role == "model"}


def test_what_was_aimed_at_came_out(made: Made) -> None:
    tables = {n: made.table(n) for n in ("session_scores", "hidden_indicators", "judge_reliability")}
    found = compare(tables)
    aimed = found.filter(pl.col("why_not") == "")
    assert aimed.height == 12 + 6 + 6 + 16 + 3  # tables 3 to 6, and what section 5 quotes of table 2
    worst = aimed.with_columns(off=(pl.col("got") - pl.col("target")).abs()).sort("off", descending=True)
    assert worst["off"][0] <= 0.05, worst.head(3)
    assert set(found["table"]) == {2, 3, 4, 5, 6}


def test_the_page_lists_what_came_out(made: Made, root: Path) -> None:
    tables = {n: made.table(n) for n in ("session_scores", "hidden_indicators", "judge_reliability")}
    page = (root / "docs" / "medconsult.md").read_text(encoding="utf-8")
    assert as_markdown(compare(tables)) in page


def test_the_same_bytes_again(made: Made, tmp_path: Path) -> None:
    write_medconsult(tmp_path / "again")
    files = sorted(p.relative_to(made.raw) for p in made.raw.rglob("*") if p.is_file())
    assert files == sorted(
        p.relative_to(tmp_path / "again") for p in (tmp_path / "again").rglob("*") if p.is_file()
    )
    for name in files:
        assert (tmp_path / "again" / name).read_bytes() == (made.raw / name).read_bytes(), name


def test_the_card_and_the_knowledge_base_say_what_they_are(made: Made) -> None:
    for name in ("benchmark.yaml", "sessions/knowledge.yaml"):
        assert "synthetic:" in (made.raw / name).read_text(encoding="utf-8")


def test_every_drug_is_known_to_the_knowledge_base(made: Made) -> None:
    audit = made.table("audit")
    assert audit.filter(pl.col("check").str.contains("unknown_drug|drugs_unknown")).is_empty()


def test_mined_pairs_are_the_doctors_order() -> None:
    """Doctors ask along one order with jitter: every pair mined follows it, and support is at least 80%."""
    policy = mine_policy(np.random.default_rng(5))
    place = {t: i for i, t in enumerate(contents().templates)}
    assert len(policy.precedence) > 60
    assert all(place[a] < place[b] for a, b in policy.precedence)
    assert min(policy.precedence.values()) >= SUPPORT
    np.testing.assert_allclose(policy.transition.sum(axis=1), 1.0)
    # All doctors begin with the chief complaint.
    assert policy.transition[-1].argmax() == 0


def test_cases_are_consistent() -> None:
    for case in simulate_cases(generator_for(3, "cases")):
        assert case.gold[0].core
        assert len({g.diagnosis for g in case.gold}) == len(case.gold)
        for gold in case.gold:
            assert gold.diagnosis not in case.hard.not_with
            assert any(gold.diagnosis in of for of in case.mni_of.values())
        assert not set(case.needed) & set(case.beside)
