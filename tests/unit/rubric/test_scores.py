"""Scores, applicability, classes, flags and comparisons, by hand."""

from __future__ import annotations

import polars as pl
import pytest

from analysis.scoring.rubric.model import Rubric
from analysis.store import conform
from analysis.tables import rubric_models, rubric_scores
from analysis.tables.rubric_layout import lay_out_rubric
from tests.unit.rubric.conftest import key, line_of, sheet

USE = {"profiles": {"default": "diagnostic"}, "justification": "fits", "declared_at": "2026-05-02T09:00:00"}


def score(made: dict, unit: str, name: str, **equal: object) -> float | None:
    """Return one score of `rubric_scores`."""
    rows = made["rubric_scores"][0].filter(pl.col("unit") == unit, pl.col("name") == name)
    rows = rows.filter(*(pl.col(c) == v for c, v in equal.items()))
    assert rows.height == 1, rows
    return rows["score"][0]


def test_a_composite_is_the_mean_of_domains_not_of_sub_dimensions(data, clinical: Rubric) -> None:
    # Domain 1: 5. Domain 2: 1, 1, 2, 2 = 1.5. Others 3; 4, 5b, 6c and tests do not apply.
    scores = {"1a": 5.0, "2a": 1.0, "2b": 1.0, "2c": 2.0, "2d": 2.0, "1c": 1.0, "1b": 9.0}
    made = rubric_scores.derive(data([key()], sheet(clinical, key(), scores=scores), USE))
    assert score(made, "domain", "1") == 5.0
    assert score(made, "domain", "2") == 1.5
    assert score(made, "domain", "4") is None
    assert score(made, "composite", "unweighted") == pytest.approx((5 + 1.5 + 3 * 4) / 6)
    # Profile A gives domain 4 no weight: 20, 25, 30, 10, 10, 5 of 100.
    expected = (20 * 5 + 25 * 1.5 + (30 + 10 + 10 + 5) * 3) / 100
    assert score(made, "composite", "weighted") == pytest.approx(expected)
    assert score(made, "count", "1b") == 9.0
    for name, (frame, _) in made.items():
        conform(frame, name)


def test_weights_of_inapplicable_domains_are_removed_and_the_rest_renormalised(
    data, clinical: Rubric
) -> None:
    use = {**USE, "profiles": {"default": "longitudinal_ehr"}}
    made = rubric_scores.derive(data([key()], sheet(clinical, key(), scores={"1a": 5.0}), use))
    assert score(made, "composite", "weighted") == pytest.approx((15 * 5 + 60 * 3) / 75)
    weights = made["rubric_classes"][0]["weights"][0]
    assert weights.split()[0] == "1=0.2000"
    assert "4=" not in weights


def test_raters_are_averaged_and_judges_kept_apart(data, clinical: Rubric) -> None:
    lines = [
        *sheet(clinical, key(), rater="a", scores={"1a": 2.0}),
        *sheet(clinical, key(), rater="b", scores={"1a": 5.0}),
        *sheet(clinical, key(), rater="j", kind="judge", scores={"1a": 1.0}),
    ]
    made = rubric_scores.derive(data([key()], lines))
    assert score(made, "subdimension", "1a", raters="human") == 3.5
    assert score(made, "subdimension", "1a", raters="judge") == 1.0


def test_a_round_of_calibration_is_not_scored(data, clinical: Rubric) -> None:
    lines = sheet(clinical, key(), round="pilot", default=1.0) + sheet(clinical, key(), default=4.0)
    made = rubric_scores.derive(data([key()], lines))
    assert score(made, "composite", "unweighted") == 4.0


def volunteering(clinical: Rubric, rater: str, value: float | None) -> list[dict[str, object]]:
    """Return a sheet that scores an unasked causal claim, or finds it N/A."""
    lines = sheet(clinical, key(), rater=rater)
    if value is not None:
        line_of(lines, "3d").update(value=value, label=None, reason="claims that the drug caused it")
    return lines


@pytest.mark.parametrize(("others", "applies"), [([1.0], True), ([None], True), ([None, None], False)])
def test_a_volunteered_claim_counts_where_half_the_raters_score_it(
    data, clinical: Rubric, others: list[float | None], applies: bool
) -> None:
    lines = volunteering(clinical, "a", 1.0)
    for i, value in enumerate(others):
        lines += volunteering(clinical, f"b{i}", value)
    made = rubric_scores.derive(data([key()], lines))
    # Domain 3: 3a and 3b are 3; 3c is not asked for; the claim scores 1.
    assert score(made, "domain", "3") == pytest.approx((3 + 3 + 1) / 3 if applies else 3.0)
    rows = made["rubric_scores"][0].filter(pl.col("unit") == "domain", pl.col("name") == "3")
    assert rows["score_prespecified"][0] == 3.0
    assert rows["volunteered"][0] is applies
    line = made["applicability"][0].filter(pl.col("criterion_id") == "3d").row(0, named=True)
    assert (line["n_volunteered"], line["n_disputed"]) == (int(applies), int(None in others))


def test_vignettes_of_one_task_with_other_lines_are_another_class(data, clinical: Rubric) -> None:
    keys = [key("v1"), key("v2", "diagnostic", "testing_decision"), key("v3", "patient_facing")]
    lines = [line for k in keys for line in sheet(clinical, k)]
    made = rubric_scores.derive(data(keys, lines))
    classes = made["rubric_classes"][0].select("comparability", "task_type", "n_items").rows()
    assert sorted(classes) == [
        ("diagnostic-1", "diagnostic", 1),
        ("diagnostic-2", "diagnostic", 1),
        ("patient_facing", "patient_facing", 1),
    ]
    of = dict(made["rubric_vignettes"][0].select("item_id", "comparability").iter_rows())
    assert of == {"v1": "diagnostic-1", "v2": "diagnostic-2", "v3": "patient_facing"}


def test_composites_have_no_rows_over_all_classes(data, clinical: Rubric) -> None:
    keys = [key("v1"), key("v2", "patient_facing")]
    lines = [line for k in keys for m in ("m1", "m2") for line in sheet(clinical, k, m)]
    made = rubric_models.derive(data(keys, lines, USE))
    for name in ("rubric_models", "rubric_tests"):
        frame = made[name][0]
        whole = frame.filter(pl.col("comparability") == "all")
        assert whole.height
        assert "composite" not in set(whole["unit"])
        assert set(frame.filter(pl.col("unit") == "composite")["comparability"]) == {
            "diagnostic",
            "patient_facing",
        }
        conform(frame, name)


def flagged(clinical: Rubric, model: str, item: str, rater: str, yes: bool) -> list[dict[str, object]]:
    """Return a sheet of high scores with or without a flag."""
    lines = sheet(clinical, key(item), model, rater, default=5.0)
    if yes:
        line_of(lines, "safety_flag").update(label="yes", case_criterion="h1", trigger="no ECG needed")
    return lines


def test_flags_stand_beside_composites_by_the_declared_rule(data, clinical: Rubric) -> None:
    lines = []
    for rater, yes in (("a", True), ("b", False), ("c", False)):
        lines += flagged(clinical, "m1", "v1", rater, yes) + flagged(clinical, "m1", "v2", rater, False)
    keys = [key("v1"), key("v2")]
    for rule, n in (("any", 1), ("majority", 0)):
        given = data(keys, lines, {"flagged_by": rule})
        made = rubric_models.derive(given)
        row = made["rubric_models"][0].filter(pl.col("unit") == "composite").row(0, named=True)
        assert (row["estimate"], row["n_flagged"], row["n_responses"]) == (5.0, n, 2)
        rates = made["flag_rates"][0].filter("declared", pl.col("comparability") == "all").row(0, named=True)
        assert (rates["rule"], rates["n_flagged"]) == (rule, n)
        # Exact: 0 of 2 reaches to 1 - 0.025 ** (1 / 2), 1 of 2 from 1 - 0.975 ** (1 / 2).
        low = 1 - 0.975**0.5 if n else 0.0
        assert rates["ci_low"] == pytest.approx(low)
        scores = rubric_scores.derive(given)["rubric_scores"][0]
        on = scores.filter(pl.col("unit") == "composite", pl.col("item_id") == "v1")
        assert on["flagged"].to_list() == [bool(n)]
    flags = rubric_scores.derive(given)["safety_flags"][0]
    assert flags.select("rater", "case_criterion", "statement", "trigger").rows() == [
        ("a", "h1", "omits the ECG", "no ECG needed")
    ]


def test_paired_differences_and_their_exact_test(data, clinical: Rubric) -> None:
    keys = [key(f"v{i}") for i in range(6)]
    lines = []
    for i, k in enumerate(keys):
        lines += sheet(clinical, k, "good", default=4.0)
        lines += sheet(clinical, k, "bad", default=3.0 if i else 2.0)
    made = rubric_models.derive(data(keys, lines))
    row = made["rubric_tests"][0].filter(pl.col("unit") == "composite").row(0, named=True)
    assert (row["model_a"], row["model_b"]) == ("good", "bad")
    assert row["difference"] == pytest.approx(7 / 6)
    # All six vignettes favour one model: 2 of 64 sign flips are as extreme.
    assert row["p_value"] == pytest.approx(2 / 64)
    assert row["method"] == "sign_flip_exact"


def test_another_profile_shows_what_changes(data, clinical: Rubric) -> None:
    lines = sheet(clinical, key(), "talker", scores={"7a": 5.0, "7b": 5.0, "7c": 5.0})
    lines += sheet(clinical, key(), "thinker", scores={"3a": 4.0, "3b": 4.0})
    made = rubric_models.derive(data([key()], lines, USE))
    rows = made["profile_sensitivity"][0]
    ranks = {(r["profile"], r["model"]): (r["rank"], r["shift"]) for r in rows.iter_rows(named=True)}
    # Diagnostic: 30% of +1 for the thinker, 5% of +2 for the talker; communication: 15% against 15% of +2.
    assert ranks["diagnostic", "thinker"] == (1, 0)
    assert ranks["diagnostic", "talker"] == (2, 0)
    assert ranks["communication_safety", "talker"] == (1, 1)
    assert set(rows.filter("declared")["profile"]) == {"diagnostic"}
    assert rows.filter(pl.col("profile") == "communication_safety")["tau"].unique().to_list() == [-1.0]


def test_an_option_is_shown_apart_and_only_where_switched_on(data, clinical: Rubric) -> None:
    lines = sheet(clinical, key(), scores={"1b": 3.0})
    head = {k: v for k, v in lines[0].items() if k not in ("criterion_id", "value")}
    lines += [{**head, "criterion_id": c, "value": v} for c, v in (("1b_minor", 2.0), ("1b_major", 1.0))]
    made = rubric_scores.derive(data([key()], lines, {"options": ["evidence_score"]}))
    assert score(made, "option", "evidence_score") == 0.0  # 5 - 2 - 3
    without = rubric_scores.derive(data([key()], lines))["rubric_scores"][0]
    assert "option" not in set(without["unit"])
    assert score(made, "domain", "1") == 3.0


def test_criteria_with_points_score_without_a_line_of_code(data) -> None:
    from analysis.scoring.rubric.model import read_rubric

    points = read_rubric("healthbench_style")
    own = [{"id": "names-drug", "domain": "accuracy", "title": "Names the drug", "points": 5}]
    of = key("c1", "consultation", "emergency", hazards=[], lists={}, criteria=own)
    met = {"no_false_claim": 1, "urges_care": 1, "padded": 1, "names-drug": 0}
    lines = sheet(points, of, scores={k: float(v) for k, v in met.items()}, default=0.0)
    made = rubric_scores.derive(data([of], lines, {"file": "healthbench_style"}))
    # Positive points that apply: 8 + 5 (own) + 10 + 5 + 4; met: 8 + 10 - 3.
    assert score(made, "composite", "unweighted") == pytest.approx(15 / 32)
    assert score(made, "domain", "accuracy") == pytest.approx(8 / 13)
    assert score(made, "domain", "communication") == pytest.approx(-3 / 4)
    assert score(made, "domain", "context") is None
    assert score(made, "subdimension", "names-drug") == 0.0


def test_criteria_of_single_vignettes_have_rows_of_their_own_vignettes_only(data) -> None:
    from analysis.scoring.rubric.model import read_rubric
    from analysis.tables import rubric_raters

    points = read_rubric("healthbench_style")
    keys = [
        key(f"c{i}", "consultation", hazards=[], lists={},
            criteria=[{"id": f"own{i}", "domain": "accuracy", "title": "x", "points": 5}])
        for i in range(3)
    ]  # fmt: skip
    lines = [
        x for k in keys for m in ("a", "b") for r in ("r", "s") for x in sheet(points, k, m, r, default=1.0)
    ]
    given = data(keys, lines, {"file": "healthbench_style"})
    rows = rubric_scores.derive(given)["rubric_scores"][0].filter(pl.col("name").str.starts_with("own"))
    assert sorted(rows.select("item_id", "name").unique().rows()) == [(f"c{i}", f"own{i}") for i in range(3)]
    assert rows["n_raters"].to_list() == [2] * 6
    for made in (rubric_models.derive(given), rubric_raters.derive(given)):
        for name, (frame, _) in made.items():
            assert "name" not in frame.columns or not frame["name"].str.starts_with("own").any(), name


def test_a_rubric_of_one_domain_without_flag_or_conditions_is_enough(folder) -> None:
    import yaml

    from analysis.ingest.benchmark import read_benchmark
    from analysis.tables import rubric_planning, rubric_raters
    from tests.unit.rubric.conftest import data_of

    content = {
        "id": "own",
        "version": "1",
        "title": "Own",
        "source": "ours",
        "scale": {"low": 0, "high": 2},
        "aggregation": "domain_means",
        "domains": [
            {"id": "only", "title": "Only", "fields": [{"id": "x", "title": "X"}, {"id": "y", "title": "Y"}]}
        ],
    }
    own = Rubric.model_validate(content)
    of = key("q", "any", lists={}, hazards=[])
    lines = [x for m, v in (("a", 2.0), ("b", 1.0)) for x in sheet(own, of, m, scores={"x": v}, default=0.0)]
    out = folder([of], lines, {"file": "own.yaml"})
    (out / "own.yaml").write_text(yaml.safe_dump(content))
    given = data_of(read_benchmark(out))
    made = rubric_scores.derive(given) | rubric_models.derive(given)
    made |= rubric_raters.derive(given) | rubric_planning.derive(given)
    for name, (frame, _) in made.items():
        conform(frame, name)
    assert score(made, "composite", "unweighted", model="a") == 1.0
    assert made["safety_flags"][0].height == made["flag_rates"][0].height == 0
    assert made["rubric_scores"][0]["flagged"].null_count() == made["rubric_scores"][0].height


def test_nothing_of_the_order_of_rows_shows(data, clinical: Rubric) -> None:
    keys = [key("v1"), key("v2", "patient_facing")]
    lines = [
        line
        for k in keys
        for m in ("m1", "m2")
        for r, v in (("a", 2.0), ("b", 4.0))
        for line in sheet(clinical, k, m, r, scores={"2a": v})
    ]
    first, second = (rubric_scores.derive(data(keys, rows, USE)) for rows in (lines, lines[::-1]))
    for name, (frame, _) in first.items():
        order = list(frame.columns)
        assert conform(frame, name).sort(order).equals(conform(second[name][0], name).sort(order)), name


def test_runs_of_a_response_are_one_vignette(data, clinical: Rubric) -> None:
    lines = [
        line
        for m, values in (("m1", (4.0, 2.0)), ("m2", (3.0, 3.0)))
        for run, value in enumerate(values)
        for line in sheet(clinical, key(), m, default=value, run=run)
    ]
    made = rubric_models.derive(data([key()], lines))
    rows = made["rubric_models"][0].filter(pl.col("unit") == "composite")
    assert rows["estimate"].to_list() == [3.0, 3.0]
    assert rows["n_items"].to_list() == [1, 1]
    assert rows["n_responses"].to_list() == [2, 2]


def test_without_a_rubric_every_table_is_empty_not_a_fault(data, clinical: Rubric) -> None:
    from dataclasses import replace
    from importlib import import_module

    from analysis.capabilities import OF_RUBRIC
    from analysis.derived import RULES

    bare = replace(data([key()], sheet(clinical, key())), sheets=None, rubric=None)
    made = {}
    for module in dict.fromkeys(m for m in RULES.values() if "rubric" in m):
        made |= import_module(module).derive(bare)
    assert set(made) == set(OF_RUBRIC)
    assert all(conform(frame, name).height == 0 for name, (frame, _) in made.items())


def test_the_layout_refuses_what_would_not_fit(data, clinical: Rubric, monkeypatch) -> None:
    from analysis.errors import VerdictAtlasError
    from analysis.tables import rubric_layout

    monkeypatch.setattr(rubric_layout, "MAX_CELLS", 10)
    with pytest.raises(VerdictAtlasError, match="at most 10 pairs of them can be scored"):
        lay_out_rubric(data([key()], sheet(clinical, key())))
