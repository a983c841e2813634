"""The demonstration `rubric`: what is true of the simulation is what the tables find."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from analysis.config import Config
from analysis.demo.rubric.cast import CALIBRATION_VIGNETTES, DOMAINS, ERROR_DROP, MODELS, RATERS
from analysis.demo.rubric.simulate import Simulated, expected_rating, simulate
from analysis.demo.rubric.write import demo_keys, write_rubric_demo
from analysis.derived import derive, read_derived, write_benchmark
from analysis.ingest.benchmark import read_benchmark
from analysis.scoring.rubric.model import Rubric, read_rubric
from analysis.scoring.rubric.state import applies

RULES = ("score_rubric", "compare_rubric_scores", "assess_rubric_raters", "plan_rubric")
HUMANS = [r for r, rater in enumerate(RATERS) if rater.kind == "human"]


@pytest.fixture(scope="module")
def truth() -> tuple[Rubric, Simulated, np.ndarray]:
    """The rubric, the simulation, and which lines apply by the keys, shape (vignettes, lines)."""
    rubric = read_rubric("expressed_clinical_reasoning")
    keys = demo_keys()
    known = np.array([[applies(rubric, name, key)[0] for name in rubric.scored] for key in keys])
    known &= np.array([rubric.fields[name].in_mean for name in rubric.scored])
    return rubric, simulate(rubric, keys), known


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> dict[str, pl.DataFrame]:
    """Every table that the rules of a rubric make of the demonstration."""
    folder = tmp_path_factory.mktemp("rubric")
    write_rubric_demo(folder / "raw")
    config = Config.model_validate({"statistics": {"resamples": 300}})
    write_benchmark(read_benchmark(folder / "raw"), folder / "derived", config)
    for rule in RULES:
        derive(rule, folder / "derived")
    return read_derived(folder / "derived")


def test_the_folder_repeats_byte_for_byte(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_rubric_demo(tmp_path / name)
    files = sorted(p.name for p in (tmp_path / "a").iterdir())
    assert all((tmp_path / "a" / f).read_bytes() == (tmp_path / "b" / f).read_bytes() for f in files)
    assert "simulated" in (tmp_path / "a" / "benchmark.yaml").read_text().lower()


def test_the_design_is_the_one_that_is_told(tables: dict[str, pl.DataFrame]) -> None:
    vignettes = tables["rubric_vignettes"]
    assert vignettes.group_by("task_type").len().sort("task_type").rows() == [
        (task, 4) for task in ("diagnostic", "longitudinal", "patient_facing", "pushback", "sequential")
    ]
    kinds = tables["rater_severity"].filter(pl.col("name") == "all")["rater_kind"].value_counts()
    assert dict(kinds.iter_rows()) == {"human": 3, "judge": 2}
    assert tables["rubric_models"]["model"].n_unique() == 6


def test_leniency_is_recovered(tables: dict[str, pl.DataFrame], truth) -> None:
    """Against what each rater gives on average to these responses, rounding into 1 to 5 included."""
    _, simulated, known = truth
    means = np.array([expected_rating(simulated.latent, rater)[:, known].mean() for rater in RATERS])
    expected = means - means[HUMANS].mean()
    rows = tables["rater_severity"].filter(pl.col("name") == "all").sort("rater")
    assert rows["rater"].to_list() == [rater.rater for rater in RATERS]
    # A line's noise is at most 1 and some 1,900 lines are rated: five standard errors are 0.12.
    assert rows["leniency"].to_numpy() == pytest.approx(expected, abs=0.12)
    covered = (rows["ci_low"].to_numpy() - 0.03 <= expected) & (expected <= rows["ci_high"].to_numpy() + 0.03)
    assert covered.all()


def test_domain_scores_are_recovered(tables: dict[str, pl.DataFrame], truth) -> None:
    rubric, simulated, known = truth
    expected = np.mean([expected_rating(simulated.latent, RATERS[r]) for r in HUMANS], axis=0)
    rows = tables["rubric_models"].filter(
        pl.col("comparability") == "all", pl.col("unit") == "domain", pl.col("raters") == "human"
    )
    domain = np.array([rubric.domain_of[name] for name in rubric.scored])
    for d in DOMAINS:
        lines = known & (domain == d)
        use = lines.any(axis=1)
        for m, model in enumerate(MODELS):
            of_vignette = np.where(lines, expected[m], 0.0).sum(axis=1)[use] / lines.sum(axis=1)[use]
            row = rows.filter(pl.col("name") == d, pl.col("model") == model.model).row(0, named=True)
            assert row["n_items"] == use.sum()
            # Three raters' rounding and noise over the lines of a model: five standard errors.
            bound = 5 * 0.6 / np.sqrt(3 * lines.sum())
            assert abs(row["estimate"] - of_vignette.mean()) < bound, (d, model.model)


def test_the_order_of_raters_by_their_noise_is_seen(tables: dict[str, pl.DataFrame]) -> None:
    rows = tables["judge_agreement"].filter(pl.col("unit") == "domain", pl.col("statistic") == "pearson")
    means = dict(rows.group_by("judge").agg(pl.col("estimate").mean()).iter_rows())
    assert means["judge-lumen"] > means["judge-orbit"] + 0.1
    reliability = tables["rubric_reliability"].filter(
        pl.col("round") == "main", pl.col("unit") == "domain", pl.col("statistic") == "icc_2_1"
    )
    icc = {k[0]: part["estimate"].mean() for k, part in reliability.group_by("raters")}
    assert icc["human"] > icc["judge"] + 0.1


def test_calibration_raised_agreement(tables: dict[str, pl.DataFrame]) -> None:
    rows = tables["rubric_reliability"].filter(
        pl.col("unit") == "domain", pl.col("raters") == "human", pl.col("statistic") == "alpha_ordinal"
    )
    before, after = (
        rows.filter(pl.col("round") == name).sort("name") for name in ("calibration", "main:calibration")
    )
    assert before["n"].to_list() == after["n"].to_list()
    assert before["n"][0] == len(CALIBRATION_VIGNETTES) * len(MODELS)
    assert before["estimate"].mean() < after["estimate"].mean() - 0.15


def test_every_true_error_that_a_human_saw_is_a_flag_beside_the_composite(
    tables: dict[str, pl.DataFrame], truth
) -> None:
    _, simulated, _ = truth
    any_human = simulated.flags[HUMANS].any(axis=0)
    rates = tables["flag_rates"].filter(
        pl.col("comparability") == "all", pl.col("raters") == "human", pl.col("rule") == "any"
    )
    assert dict(rates.select("model", "n_flagged").iter_rows()) == {
        model.model: int(any_human[m].sum()) for m, model in enumerate(MODELS)
    }
    beside = tables["rubric_models"].filter(
        pl.col("raters") == "human", pl.col("unit") == "composite", pl.col("name") == "weighted"
    )
    assert beside["n_flagged"].sum() == any_human.sum()
    judge = (
        tables["flag_agreement"]
        .filter(pl.col("rater_a") == "judge-orbit", pl.col("rater_b") == "human (any)")
        .row(0, named=True)
    )
    orbit = simulated.flags[[r.rater for r in RATERS].index("judge-orbit")]
    assert (judge["n_both"], judge["n_only_a"]) == ((orbit & any_human).sum(), (orbit & ~any_human).sum())


def test_errors_counted_twice_are_marked_where_they_were_made(tables: dict[str, pl.DataFrame], truth) -> None:
    rubric, simulated, _ = truth
    rows = tables["domain_correlations"].filter(pl.col("raters") == "human", pl.col("n_shared_errors") > 0)
    touched = sorted({rubric.domain_of[name] for name in ERROR_DROP})
    pairs = {(a, b) for i, a in enumerate(touched) for b in touched[i + 1 :]}
    assert set(rows.select("domain_a", "domain_b").iter_rows()) == pairs
    assert set(rows["n_shared_errors"]) == {int((simulated.hazard >= 0).sum())}


def test_volunteered_claims_are_counted_and_do_not_enter_comparisons(
    tables: dict[str, pl.DataFrame], truth
) -> None:
    rubric, simulated, _ = truth
    asked = np.array([applies(rubric, "3d", key)[0] for key in demo_keys()])
    n = int(simulated.volunteers[:, ~asked].sum())
    assert tables["applicability"].filter(pl.col("criterion_id") == "3d")["n_volunteered"].sum() == n
    scores = tables["rubric_scores"].filter(pl.col("raters") == "human", pl.col("unit") == "subdimension")
    claims = scores.filter(pl.col("name") == "3d", pl.col("volunteered"))
    assert claims.height == n
    assert claims["score_prespecified"].null_count() == n


def test_keys_are_older_than_ratings_and_reviews_that_were_forgotten_are_told(
    tables: dict[str, pl.DataFrame],
) -> None:
    vignettes = tables["rubric_vignettes"]
    assert (vignettes["prespecified_at"] < vignettes["first_rated_at"]).all()
    low = tables["safety_flags"].filter(pl.col("kind") == "not_reviewed")
    assert low.height > 0
    assert low["score"].max() <= 2
    said = tables["audit"].filter(pl.col("check") == "rubric_key_not_reviewed")["n"][0]
    assert low.height <= said


def test_the_model_component_is_the_variance_of_the_true_levels(
    tables: dict[str, pl.DataFrame], truth
) -> None:
    """Between models, in the rounded scores of the human raters; the domain that no error touches."""
    _, simulated, _ = truth
    rubric = truth[0]
    lines = [i for i, name in enumerate(rubric.scored) if rubric.domain_of[name] == "7"]
    expected = np.mean([expected_rating(simulated.latent, RATERS[r]) for r in HUMANS], axis=0)
    means = expected[:, :, lines].mean(axis=2)
    between = means.mean(axis=1).var(ddof=1)
    within = (means - means.mean(axis=1, keepdims=True) - means.mean(axis=0) + means.mean()).ravel()
    interaction = float(np.sum(within**2) / ((6 - 1) * (20 - 1)))
    row = tables["variance_components"].filter(
        pl.col("raters") == "human", pl.col("name") == "7", pl.col("component") == "model"
    )
    assert row["raw"][0] == pytest.approx(between - interaction / 20, abs=0.05)
