"""Edge cases of the metrics, each on the worked example with something changed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from analysis.ingest.benchmark import read_benchmark
from analysis.sessions.measure import measure_sessions
from tests.unit.sessions.worked_example import SESSION, example, rows, write

Files = dict[str, pl.DataFrame]


@pytest.fixture
def measured(tmp_path: Path) -> Any:
    """Measure the only session of some files; a metric that is not defined is None, an absent one missing."""

    def measure(files: Files, tau: float = 0.9) -> dict[str, float | None]:
        _, values = measure_sessions(read_benchmark(write(tmp_path / "bench", files)).sessions, tau=tau)
        return {n: None if np.isnan(v[0]) else float(v[0]) for n, v in values.items()}

    return measure


def with_session(files: Files, **columns: Any) -> Files:
    return {**files, "sessions": rows({**SESSION, "t_dx": 4, "t_max": 10, **columns})}


def without_turns(files: Files) -> Files:
    """Keep another session's turns, so that the file exists and this session has none."""
    other = files["turns"].with_columns(model=pl.lit("other"))
    sessions = pl.concat([files["sessions"], files["sessions"].with_columns(model=pl.lit("other"))])
    return {**files, "turns": other, "sessions": sessions}


def test_a_refusal_asks_nothing_and_diagnoses_nothing(measured: Any) -> None:
    files = without_turns(example())
    files["sessions"] = files["sessions"].with_columns(
        t_dx=pl.when(pl.col("model") == "m").then(None).otherwise("t_dx")
    )
    files["differentials"] = files["differentials"].with_columns(model=pl.lit("other"))
    found = measured(files)
    expected = {
        "mni_comp": 0.0,
        "mni_comp_printed": 0.0,
        "cprw": 0.0,
        "ige": 0.0,
        "hit_1": 0.0,
        "povr": 1.0,
        "povr_printed": 0.0,
        "povr_strict": 1.0,
        "povr_asked": None,
        "kiel": 0.0,
        "repetition_effective": 0.0,
        "repetition_ineffective": 0.0,
        "f1_core": 0.0,
        "f1_noncore": 0.0,
        "swds": 0.0,
        "ndcg_severity": 0.0,
        "top_1_core": 0.0,
    }
    assert {name: found[name] for name in expected} == expected


def test_turns_that_are_not_recorded_leave_history_undefined(measured: Any) -> None:
    found = measured(without_turns(example()))
    assert {
        found[n] for n in ("mni_comp", "cprw", "ige", "hit_1", "povr", "kiel", "repetition_effective")
    } == {None}
    assert found["f1_core"] == 0.5


def test_diagnosis_at_once(measured: Any) -> None:
    opening = rows({"turn": 0, "revealed": ["chest_pain"]}, **SESSION)
    files = with_session(example(), t_dx=0)
    files["turns"] = pl.concat([opening, files["turns"]], how="diagonal_relaxed")
    found = measured(files)
    assert found["mni_comp"] == found["mni_coverage"] == 0.25
    assert found["mni_comp_printed"] == 2.5
    assert found["povr"] == 1.0
    assert (found["ige"], found["hit_1"], found["repetition_ineffective"]) == (0.0, 0.0, 0.0)
    assert found["kiel"] == 0.25


def test_no_diagnosis_made_counts_all_turns_and_comes_last(measured: Any) -> None:
    found = measured(with_session(example(), t_dx=None))
    assert found["mni_comp"] == pytest.approx(0.5 * 1 / 10)
    assert found["mni_comp_printed"] == 0.5
    assert found["ige"] == pytest.approx(0.9 / 4)


def test_turns_after_the_diagnosis_do_not_count(measured: Any) -> None:
    found = measured(with_session(example(), t_dx=2))
    assert found["mni_coverage"] == 0.25
    assert found["ige"] == 0.25
    assert found["repetition_ineffective"] == 0.0
    assert found["povr"] == 0.0


def test_no_necessary_information(measured: Any) -> None:
    files = example()
    files["aius"] = files["aius"].with_columns(mni_of=pl.lit([], dtype=pl.List(pl.String)))
    found = measured(files)
    assert {found[n] for n in ("mni_comp", "mni_comp_printed", "mni_coverage", "cprw", "cprw_bounded")} == {
        None
    }
    # The red flag is the only key unit left, and it was never elicited.
    assert found["kiel"] == 0.0


def test_declared_key_units_replace_the_default(measured: Any) -> None:
    files = example()
    files["aius"] = files["aius"].with_columns(key=pl.col("aiu_id") == "pets")
    assert measured(files)["kiel"] == pytest.approx(0.9)


def test_a_turn_without_gain_leaves_ige_undefined(measured: Any) -> None:
    files = example()
    gain = pl.when(pl.col("turn") == 3).then(None).otherwise("information_gain")
    files["turns"] = files["turns"].with_columns(information_gain=gain)
    found = measured({**files, **{}})
    assert found["ige"] is None


def test_gain_from_beliefs_is_the_drop_in_entropy(measured: Any) -> None:
    files = example()
    before = pl.lit([0.25, 0.25, 0.25, 0.25])
    files["turns"] = files["turns"].with_columns(
        belief_before=before, belief_after=pl.lit([0.5, 0.5, 0.0, 0.0])
    )
    files["turns"] = files["turns"].drop("information_gain")
    assert measured(files)["ige"] == pytest.approx(1.0)


def test_no_gain_no_metric(measured: Any) -> None:
    files = example()
    files["turns"] = files["turns"].drop("information_gain", "expert")
    found = measured(files)
    assert not {"ige", "hit_1", "hit_3"} & set(found)


def test_hit_at_three_needs_the_list(measured: Any) -> None:
    files = example()
    lists = pl.Series([["a", "b", "onset"], ["severity"], ["a", "b", "c", "aggravating"], []])
    files["turns"] = files["turns"].with_columns(top_k=lists)
    found = measured(files)
    assert (found["hit_1"], found["hit_3"]) == (0.25, 0.5)
    some = pl.Series([["a"], None, ["a"], ["a"]])
    files["turns"] = files["turns"].with_columns(top_k=some)
    assert measured(files)["hit_3"] is None


def test_empty_expert_sets_are_outside_the_slice(measured: Any) -> None:
    files = example()
    files["turns"] = files["turns"].with_columns(expert=pl.Series([["onset"], [], None, ["red_flags"]]))
    assert measured(files)["hit_1"] == 0.5


def test_a_pair_of_every_case_and_of_one_counts_once(measured: Any) -> None:
    files = example()
    own = rows(
        {"case_id": "c1", "unit": "template", "before": "aggravating", "after": "social"},
        {"case_id": "c1", "unit": "aiu", "before": "exertion", "after": "pets"},
        {"case_id": "c2", "unit": "template", "before": "social", "after": "onset"},
    )
    files["precedence"] = pl.concat([files["precedence"], own], how="diagonal")
    assert measured(files)["povr_printed"] == 2 / 4


def test_units_of_the_same_turn_break_no_order(measured: Any) -> None:
    files = example()
    shown = pl.Series([["exertion", "pets"], [], [], []], dtype=pl.List(pl.String))
    files["turns"] = files["turns"].with_columns(revealed=shown)
    files["precedence"] = rows(
        {"unit": "aiu", "before": "exertion", "after": "pets"},
        {"unit": "aiu", "before": "pets", "after": "exertion"},
    )
    found = measured(files)
    assert (found["povr"], found["povr_strict"]) == (0.0, 0.0)


def test_a_judge_says_what_repetition_was_effective(measured: Any) -> None:
    files = example()
    files["judgements"] = rows({"metric": "repetition", "target": "4", "rater": "j", "value": 1.0}, **SESSION)
    found = measured(files)
    assert (found["repetition_effective"], found["repetition_ineffective"]) == (0.25, 0.0)


def test_ties_share_their_positions(measured: Any) -> None:
    files = example()
    files["differentials"] = files["differentials"].with_columns(rank=pl.Series([7, 7, 9]))
    found = measured(files)
    tied = (1 + 1 / np.log2(3)) / 2
    ideal = 3 + 1 / np.log2(3)
    assert found["swds"] == pytest.approx((3 * tied + 1 / 2) / ideal)
    assert found["top_1_core"] == 0.5


def test_f1_core_as_marked(measured: Any) -> None:
    files = example()
    files["differentials"] = files["differentials"].with_columns(as_core=pl.Series([True, False, False]))
    assert measured(files)["f1_core_marked"] == pytest.approx(2 / 3)


def test_no_core_diagnosis(measured: Any) -> None:
    files = example()
    files["gold"] = files["gold"].with_columns(core=pl.lit(False))
    found = measured(files)
    assert (found["f1_core"], found["top_1_core"]) == (None, None)
    assert found["f1_noncore"] == pytest.approx(4 / 5)


def test_ndcg_is_against_the_best_list_of_the_same_length(measured: Any) -> None:
    files = example()
    files["gold"] = files["gold"].with_columns(severity=pl.Series([1.0, 5.0]))
    files["differentials"] = rows({"diagnosis": "angina", "rank": 1}, **SESSION)
    found = measured(files)
    assert found["ndcg_severity"] == pytest.approx(1 / 5)
    assert found["swds"] == pytest.approx(3 / (3 + 1 / np.log2(3)))


def test_delay_from_the_evidence_given(measured: Any) -> None:
    files = example()
    files["gold"] = files["gold"].with_columns(t_evidence=pl.Series([2, 1]))
    files["differentials"] = rows(
        {"diagnosis": "angina", "rank": 1, "turn_named": 3}, {"diagnosis": "gerd", "rank": 2}, **SESSION
    )
    found = measured(files)
    # Angina one turn late, hypertension never named: from turn 1 to T_max.
    assert found["ded"] == pytest.approx((1 + 9) / 2 / 10)
    assert found["ded_turns"] == 1.0


def test_delay_from_the_information_revealed(measured: Any) -> None:
    files = example()
    shown = pl.Series([["bp_high"], [], ["pets"], []], dtype=pl.List(pl.String))
    files["turns"] = files["turns"].with_columns(revealed=shown)
    found = measured(files)
    # Hypertension's only unit came in turn 1, its name with the diagnosis in turn 4; angina's never sufficed.
    assert found["ded"] == pytest.approx(3 / 10)
    assert found["ded_turns"] == 3.0


def test_naming_before_the_evidence_is_no_negative_delay(measured: Any) -> None:
    files = example()
    files["gold"] = files["gold"].with_columns(t_evidence=pl.Series([9, 9]))
    assert measured(files)["ded"] == 0.0


def plan(*drugs: str, **columns: Any) -> pl.DataFrame:
    return rows(*({"drug": d} for d in drugs), **SESSION, **columns)


def test_treatment_of_a_plan(measured: Any) -> None:
    files = example()
    files["regimens"] = plan("a", "b", "c")
    files["violations"] = rows(
        {"kind": "interaction", "severity": "major", "drug": "b", "other_drug": "a"},
        {"kind": "interaction", "severity": "critical", "drug": "a", "other_drug": "b"},
        {"kind": "interaction", "severity": "moderate", "drug": "a", "other_drug": "c"},
        {"kind": "interaction", "severity": "critical", "drug": "a", "other_drug": "taken"},
        {"kind": "profile_conflict", "severity": "minor", "drug": "c"},
        {"kind": "contraindication", "severity": "moderate", "drug": "b"},
        {"kind": "missing_component", "severity": "critical"},
        **SESSION,
    )
    found = measured(files)
    assert (found["psc"], found["ddiv"], found["pcr"]) == (0.0, pytest.approx(1 / 3), pytest.approx(2 / 3))
    assert (found["pcr_cautions"], found["plan_completeness"]) == (pytest.approx(1 / 3), 0.0)


def test_what_is_hard_may_be_said(measured: Any) -> None:
    files = example()
    files["regimens"] = plan("a")
    files["violations"] = rows(
        {"kind": "profile_conflict", "severity": "critical", "drug": "a", "hard": None}, **SESSION
    ).with_columns(pl.col("hard").cast(pl.Boolean))
    assert measured(files)["psc"] == 1.0
    files["violations"] = files["violations"].with_columns(hard=pl.lit(True))
    assert measured(files)["psc"] == 0.0


@pytest.mark.parametrize(("drugs", "planned", "pairs"), [(("a",), 1.0, None), ((), None, None)])
def test_too_few_drugs(measured: Any, drugs: tuple[str, ...], planned: float | None, pairs: None) -> None:
    files = example()
    other = plan("a", "b").with_columns(plan=pl.lit("revised"))
    files["regimens"] = pl.concat([other, plan(*drugs)], how="diagonal") if drugs else other
    files["violations"] = rows(
        {"kind": "interaction", "severity": "major", "drug": "a", "other_drug": "b", "plan": "revised"},
        **SESSION,
    )
    found = measured(files)
    assert (found["psc"], found["ddiv"], found["pcr"]) == (1.0, 0.0, 0.0)
    assert (found["psc_planned"], found["ddiv_pairs"]) == (planned, pairs)


def test_regimens_without_a_critic_have_no_treatment_metrics(measured: Any) -> None:
    assert "psc" not in measured({**example(), "regimens": plan("a")})


def judged(*values: dict[str, Any]) -> pl.DataFrame:
    return rows(*({"rater": "j", **v} for v in values), **SESSION)


def test_judgements_average_raters_then_dimensions_then_targets(measured: Any) -> None:
    files = example()
    files["judgements"] = judged(
        {"metric": "drss", "target": "angina", "dimension": "a", "value": 1.0},
        {"metric": "drss", "target": "angina", "dimension": "a", "value": 0.0, "rater": "k"},
        {"metric": "drss", "target": "angina", "dimension": "b", "value": 1.0},
        {"metric": "drss", "target": "gerd", "dimension": "a", "value": 0.0},
        {"metric": "drss", "target": "gerd", "dimension": "a", "value": 1.0, "repeat": 1},
        {
            "metric": "drss",
            "target": "gerd",
            "dimension": "a",
            "value": 1.0,
            "rater": "h",
            "rater_kind": "human",
        },
        {"metric": "car", "target": "1", "value": 1.0, "rater": "h", "rater_kind": "human"},
    ).with_columns(pl.col("repeat").fill_null(0), pl.col("rater_kind").fill_null("judge"))
    found = measured(files)
    assert found["drss"] == pytest.approx((0.75 + 0) / 2)
    assert found["car"] == 1.0


def test_follow_up_turns_without_a_judgement_are_left_out(measured: Any) -> None:
    files = example()
    files["followups"] = rows(
        {"turn": 1, "weight": 3.0}, {"turn": 2, "weight": 1.0}, {"turn": 3, "weight": 1.0}, **SESSION
    )
    files["judgements"] = judged(
        {"metric": "fqr", "target": 1, "value": 1.0}, {"metric": "fqr", "target": 2, "value": 0.0}
    )
    found = measured(files)
    assert (found["fqr"], found["fqr_weighted"]) == (0.5, 0.75)


@pytest.mark.parametrize(
    ("constraints", "expected"),
    [
        ([(True, 0.8, 0.72)], (1.0, 1.0, 1.0)),
        ([(True, 0.8, 0.71)], (0.0, 1.0, 0.0)),
        ([(False, 0.8, 0.8)], (0.0, 0.0, 1.0)),
        ([(True, 0.8, 0.8), (False, 0.8, 0.8)], (0.0, 0.0, 1.0)),
        ([(None, 0.8, 0.8)], (None, None, 1.0)),
        ([(None, 0.8, 0.1), (True, 0.8, 0.8)], (0.0, None, 0.0)),
        ([(False, None, None), (True, 1.0, 1.0)], (0.0, 0.0, None)),
        ([(True, 0.0, 0.0)], (1.0, 1.0, 1.0)),
    ],
)
def test_constraints(measured: Any, constraints: list[Any], expected: tuple[float | None, ...]) -> None:
    files = example()
    # Another session makes every part of the metric possible.
    files["sessions"] = pl.concat([files["sessions"], files["sessions"].with_columns(model=pl.lit("z"))])
    made = rows(
        *(
            {"model": "m", "constraint": str(i), "satisfied": s, "quality_before": q, "quality_after": r}
            for i, (s, q, r) in enumerate(constraints)
        ),
        {"model": "z", "constraint": "0", "satisfied": True, "quality_before": 1.0, "quality_after": 1.0},
        case_id="c1",
    )
    files["adaptations"] = made
    found = measured(files)
    assert (found["dcsr"], found["constraint_met"], found["quality_kept"]) == expected


def test_tau_is_the_share_of_quality_to_keep(measured: Any) -> None:
    files = example()
    files["adaptations"] = rows({"satisfied": True, "quality_before": 1.0, "quality_after": 0.5}, **SESSION)
    assert measured(files, tau=0.5)["dcsr"] == 1.0
    assert measured(files, tau=0.6)["dcsr"] == 0.0
