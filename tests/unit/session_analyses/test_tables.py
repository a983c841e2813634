"""The tables on consultations against plain computation from the metrics of the sessions."""

from __future__ import annotations

from collections import defaultdict
from statistics import fmean
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats
from sklearn.metrics import cohen_kappa_score

from analysis.sessions.definitions import BY_NAME, PRIMARY
from tests.unit.session_analyses.conftest import Made

UNBOUNDED = {"cprw", "ige"}
STAGE_OF = {m: BY_NAME[m].stage for m in PRIMARY}


@pytest.fixture(scope="module")
def sessions(made: Made) -> dict[str, dict[str, dict[str, float]]]:
    """Values by model, case and metric, plain."""
    out: dict[str, dict[str, dict[str, float]]] = defaultdict(lambda: defaultdict(dict))
    for row in made.table("session_metrics").iter_rows(named=True):
        if row["value"] is not None:
            out[row["model"]][row["case_id"]][row["metric"]] = row["value"]
    return out


def normalised(metric: str, value: float) -> float:
    x = value / (1 + value) if metric in UNBOUNDED else value
    return x if BY_NAME[metric].direction == "higher" else 1 - x


def by_hand(sessions: Any, model: str) -> dict[str, float]:
    """Return each primary metric's normalised mean."""
    return {m: normalised(m, fmean(v[m] for v in sessions[model].values() if m in v)) for m in PRIMARY}


def test_stage_means_and_composites(made: Made, sessions: Any) -> None:
    rows = made.table("stage_scores")
    for model in sessions:
        own = by_hand(sessions, model)
        stages = {s: fmean(v for m, v in own.items() if STAGE_OF[m] == s) for s in set(STAGE_OF.values())}
        expected = {
            **stages,
            "composite": fmean(own.values()),
            "composite_of_stages": fmean(stages.values()),
        }
        found = dict(rows.filter(pl.col("model") == model).select("stage", "estimate").iter_rows())
        assert found == pytest.approx(expected, abs=1e-12)


def test_only_models_are_ranked(made: Made) -> None:
    rows = made.table("stage_scores").filter(pl.col("stage") == "composite")
    assert set(rows.filter(pl.col("rank").is_null())["role"]) == {"baseline", "reference"}
    ranked = rows.filter(pl.col("rank").is_not_null()).sort("rank")
    assert ranked["rank"].to_list() == [1, 2, 3, 4, 5, 6]
    assert ranked["estimate"].is_sorted(descending=True)


def test_intervals_over_cases_are_as_wide_as_their_standard_error(made: Made, sessions: Any) -> None:
    """A mean of 160 cases: the 95% interval spans about 3.95 standard errors (Student)."""
    rows = made.table("session_scores").filter(pl.col("metric") == "mni_comp", pl.col("role") == "model")
    for row in rows.iter_rows(named=True):
        values = [v["mni_comp"] for v in sessions[row["model"]].values()]
        error = np.std(values, ddof=1) / np.sqrt(len(values))
        width = row["ci_high"] - row["ci_low"]
        assert width == pytest.approx(2 * stats.t.ppf(0.975, 159) * error, rel=0.1)


def test_pairs_agree_with_the_scores(made: Made, sessions: Any) -> None:
    rows = made.table("composite_pairs")
    assert rows.height == 15
    for row in rows.iter_rows(named=True):
        a, b = by_hand(sessions, row["model_a"]), by_hand(sessions, row["model_b"])
        assert row["difference"] == pytest.approx(fmean(a.values()) - fmean(b.values()), abs=1e-12)
        assert row["n_better"] == sum(a[m] > b[m] + 1e-12 for m in PRIMARY)
        assert row["n_worse"] == sum(a[m] < b[m] - 1e-12 for m in PRIMARY)
        assert row["ci_low"] < row["difference"] < row["ci_high"]
        if row["n_worse"] == 0:
            assert row["p_weights"] == row["p_stage_weights"] == 1.0


def test_hidden_errors_counted_plainly(made: Made, sessions: Any) -> None:
    rows = made.table("hidden_errors")
    for model in sessions:
        for at in (0.5, 0.75, 1.0):
            right = [v for v in sessions[model].values() if v["top_1_core"] == 1]
            kinds = [(v["mni_coverage"] < at - 1e-12, v["psc"] < 1, v["dcsr"] < 1) for v in right]
            expected = {
                "history": sum(h for h, _, _ in kinds),
                "safety": sum(s for _, s, _ in kinds),
                "adaptation": sum(a for _, _, a in kinds),
                "history_only": sum(k == (True, False, False) for k in kinds),
                "safety_only": sum(k == (False, True, False) for k in kinds),
                "adaptation_only": sum(k == (False, False, True) for k in kinds),
                "several": sum(sum(k) > 1 for k in kinds),
                "any": sum(any(k) for k in kinds),
                "none": sum(not any(k) for k in kinds),
            }
            own = rows.filter(pl.col("model") == model, pl.col("coverage_at") == at)
            assert dict(own.select("error", "n").iter_rows()) == expected
            for row in own.iter_rows(named=True):
                assert row["n_right"] == len(right)
                assert row["share_of_all"] == pytest.approx(row["n"] / 160)
                if right:
                    assert row["share"] == pytest.approx(row["n"] / len(right))
                else:
                    assert row["share"] is None


def test_the_drop_is_the_sum_of_its_parts(made: Made, sessions: Any) -> None:
    wide = made.table("hidden_indicators").pivot("quantity", index="model", values="estimate")
    for row in wide.iter_rows(named=True):
        own = sessions[row["model"]].values()
        assert row["static"] == pytest.approx(fmean(v["top_1_core"] for v in own))
        assert row["with_process"] == pytest.approx(fmean(v["top_1_core"] * v["mni_comp"] for v in own))
        full = fmean(v["top_1_core"] * v["mni_comp"] * v["psc"] * v["dcsr"] for v in own)
        assert row["full"] == pytest.approx(full)
        assert row["drop"] == pytest.approx(row["static"] - row["full"])
        parts = row["drop_history"] + row["drop_safety"] + row["drop_adaptation"]
        assert parts == pytest.approx(row["drop"], abs=1e-12)


def test_a_refusal_is_safe_and_the_table_says_so(made: Made) -> None:
    rows = {(r["metric"], r["system"]): r for r in made.table("metric_validity").iter_rows(named=True)}
    for metric in ("psc", "ddiv", "cprw"):
        assert rows[metric, "refusal"]["as_wished"] is False
        assert rows[metric, "refusal"]["n_against"] > 0
    for metric in ("mni_comp", "f1_core", "povr", "dcsr"):
        assert rows[metric, "refusal"]["as_wished"] is True
        assert rows[metric, "refusal"]["n_as_wished"] == rows[metric, "refusal"]["n_models"] == 6
    # Not defined for a system that lists nothing: not compared.
    assert rows["drss", "refusal"]["as_wished"] is None
    # The paper's own: random names more core diagnoses than the template does.
    assert rows["f1_core", "random"]["estimate"] > rows["f1_core", "template"]["estimate"]


def test_validity_counts_models_on_either_side(made: Made) -> None:
    scores = made.table("session_scores")
    for row in made.table("metric_validity").iter_rows(named=True):
        models = scores.filter(
            pl.col("metric") == row["metric"], pl.col("role") == "model", pl.col("estimate").is_not_null()
        )
        if row["estimate"] is None:
            assert row["n_models"] == 0
            continue
        sign = 1 if row["direction"] == "higher" else -1
        ahead = sum(sign * (e - row["estimate"]) > 1e-12 for e in models["estimate"])
        level = sum(abs(e - row["estimate"]) <= 1e-12 for e in models["estimate"])
        wished = ahead if row["role"] == "baseline" else models.height - ahead
        assert row["n_as_wished"] == wished, (row["metric"], row["system"], level)


def test_variants_compared_case_by_case(made: Made, sessions: Any) -> None:
    rows = made.table("paired_factors")
    cases = sorted(sessions["alder"])
    for row in rows.filter(pl.col("tier") == "primary", pl.col("n_pairs") == 1).iter_rows(named=True):
        metric = row["metric"]
        a, b = (np.array([sessions[row[m]][c][metric] for c in cases]) for m in ("model_a", "model_b"))
        sign = 1 if BY_NAME[metric].direction == "higher" else -1
        assert row["advantage"] == pytest.approx(sign * (a - b).mean(), abs=1e-12)
        assert row["ci_low"] <= row["advantage"] <= row["ci_high"]
        if metric in ("psc", "dcsr"):
            better, worse = int((a > b).sum()), int((a < b).sum())
            exact = stats.binomtest(better, better + worse, 0.5).pvalue
            assert row["p_value"] == pytest.approx(exact, rel=1e-9)


def test_the_mean_over_base_models_is_tested_on_its_own_differences(made: Made, sessions: Any) -> None:
    row = made.table("paired_factors").row(
        by_predicate=(pl.col("base_model") == "all") & (pl.col("metric") == "dcsr"), named=True
    )
    cases = sorted(sessions["alder"])
    d = np.array(
        [
            fmean(
                sessions[f"{base}-think"][c]["dcsr"] - sessions[base][c]["dcsr"]
                for base in ("alder", "birch")
            )
            for c in cases
        ]
    )
    assert (row["n_pairs"], row["n_cases"]) == (2, 160)
    assert row["advantage"] == pytest.approx(d.mean())
    flips = np.random.default_rng(1).choice([-1, 1], (20_000, d.size))
    monte_carlo = np.mean(np.abs(flips @ d) >= abs(d.sum()) - 1e-12)
    assert row["p_value"] == pytest.approx(monte_carlo, abs=0.004)


def test_adjusted_within_a_tier_and_a_base_model(made: Made) -> None:
    rows = made.table("paired_factors")
    for part in rows.filter(pl.col("tier") == "primary").partition_by("base_model"):
        p = part.sort("p_value")["p_value"].to_numpy()
        steps = np.maximum.accumulate(p * np.arange(p.size, 0, -1)).clip(max=1.0)
        np.testing.assert_allclose(part.sort("p_value", "p_holm")["p_holm"].to_numpy(), steps)
        np.testing.assert_allclose(
            np.sort(part["p_benjamini_hochberg"].to_numpy()), np.sort(stats.false_discovery_control(p))
        )


def judged(made: Made, metric: str, rater: str, repeat: int = 0) -> dict[tuple[str, ...], float]:
    rows = made.simulation.judgements.rows.filter(
        pl.col("metric") == metric, pl.col("rater") == rater, pl.col("repeat") == repeat
    )
    columns = ("model", "case_id", "target", "dimension")
    return {tuple(r[c] for c in columns): r["value"] for r in rows.iter_rows(named=True)}


def reliability(made: Made, metric: str, unit: str, comparison: str) -> dict[str, dict[str, Any]]:
    rows = made.table("judge_reliability").filter(
        pl.col("metric") == metric, pl.col("unit") == unit, pl.col("comparison") == comparison
    )
    return {r["statistic"]: r for r in rows.iter_rows(named=True)}


@pytest.mark.parametrize("metric", ["fqr", "drss", "psc"])
def test_repeated_judging_against_scipy(made: Made, metric: str) -> None:
    one, two = judged(made, metric, "judge-sim"), judged(made, metric, "judge-sim", 1)
    keys = sorted(two)
    x, y = ([side[k] for k in keys] for side in (one, two))
    found = reliability(made, metric, "judgement", "repeat")
    assert found["spearman"]["estimate"] == pytest.approx(stats.spearmanr(x, y).statistic)
    assert found["mean_absolute_difference"]["estimate"] == pytest.approx(fmean(map(abs, np.subtract(x, y))))
    assert found["spearman"]["n"] == len(keys)
    by_session: dict[tuple[str, str], list[tuple[float, float]]] = defaultdict(list)
    for key, a, b in zip(keys, x, y, strict=True):
        by_session[key[0], key[1]].append((a, b))
    means = [tuple(fmean(side) for side in zip(*pairs, strict=True)) for pairs in by_session.values()]
    if len(means) < len(keys):
        found = reliability(made, metric, "session", "repeat")
        assert found["spearman"]["estimate"] == pytest.approx(stats.spearmanr(means).statistic)
        assert found["spearman"]["n"] == len(means)


@pytest.mark.parametrize("metric", ["fqr", "drss", "sdbi", "repetition"])
def test_kappas_against_scikit_learn(made: Made, metric: str) -> None:
    one, two, three = (judged(made, metric, f"clinician-{i}") for i in (1, 2, 3))
    judge = judged(made, metric, "judge-sim")
    keys = sorted(one)
    weights = "quadratic" if metric in ("drss", "sdbi") else None
    statistic = "kappa_quadratic" if weights else "kappa"

    def kappa(a: dict[Any, float], b: dict[Any, float]) -> float:
        codes = [[round(2 * side[k]) for k in keys] for side in (a, b)]
        return float(cohen_kappa_score(*codes, weights=weights))

    consensus = {k: three.get(k, one[k]) for k in keys}
    assert all(one[k] == two[k] for k in keys if k not in three)
    humans = reliability(made, metric, "judgement", "human_human")
    assert humans[statistic]["estimate"] == pytest.approx(kappa(one, two))
    assert {(r["rater_a"], r["rater_b"]) for r in humans.values()} == {("clinician-1", "clinician-2")}
    against = reliability(made, metric, "judgement", "judge_human")
    assert against[statistic]["estimate"] == pytest.approx(kappa(judge, consensus))
    assert against[statistic]["n"] == len(keys)
    assert against[statistic]["n_unresolved"] == 0


def test_the_replay_adds_up_to_the_metrics(made: Made, sessions: Any) -> None:
    turns = made.table("replayed_turns")
    chosen = made.table("replayed_sessions").sort("number")
    assert chosen["example"].to_list()[0] == "sound"
    assert chosen.select("model", "case_id").n_unique() == chosen.height == 6
    for row in chosen.iter_rows(named=True):
        values = sessions[row["model"]][row["case_id"]]
        own = turns.filter(pl.col("model") == row["model"], pl.col("case_id") == row["case_id"], "counted")
        case = next(c for c in made.simulation.cases if c.case_id == row["case_id"])
        n = own.height
        mass = sum(case.units[u].weight for u, of in case.mni_of.items() if of)
        assert own["n_necessary_so_far"].max() / own["n_necessary"][0] == pytest.approx(
            values["mni_coverage"]
        )
        assert own["beyond_weight"].sum() / mass == pytest.approx(values["cprw"])
        assert own["information_gain"].clip(0).sum() / n == pytest.approx(values["ige"])
        assert own["hit"].sum() / n == pytest.approx(values["hit_1"])
        repeated = values["repetition_effective"] + values["repetition_ineffective"]
        assert own["repeats"].is_not_null().sum() / n == pytest.approx(repeated)
        pairs = made.simulation.tables["precedence"].filter(pl.col("case_id") == row["case_id"]).height
        assert own["too_late"].list.len().sum() / pairs == pytest.approx(values["povr"])


def test_examples_are_of_their_kind(made: Made, sessions: Any) -> None:
    for row in made.table("replayed_sessions").iter_rows(named=True):
        v = sessions[row["model"]][row["case_id"]]
        sound = v["top_1_core"] == 1, v["mni_coverage"] >= 0.75, v["psc"] == 1, v["dcsr"] == 1
        expected = {
            "sound": sound == (True, True, True, True),
            "thin history": sound[:2] == (True, False),
            "unsafe plan": sound[:3] == (True, True, False),
            "failed revision": sound == (True, True, True, False),
            "wrong although thorough": not sound[0] and v["mni_coverage"] == 1,
            "goes in circles": v["repetition_ineffective"] > 0,
        }
        assert expected[row["example"]], row
