"""Every figure of every odd benchmark: drawn and valid, or absent with a reason."""

from __future__ import annotations

import json
import re
from typing import Any

import polars as pl
import pytest

from analysis.config import BenchmarkCard
from analysis.figures import DARK, FIGURES, LIGHT, Absent, Figure, policies, specification
from analysis.figures.identity import identify
from tests.unit.figures.builder import build
from tests.unit.figures.cases import CASES, HOSTILE_NAMES, PLAIN, SIMULATED, Tables


class Case:
    """A benchmark, and its figures drawn once."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.tables, self.card = CASES[name]()
        self.drawn = {n: f.attempt(self.tables, self.card, LIGHT) for n, f in FIGURES.items()}


@pytest.fixture(scope="module", params=CASES, ids=str)
def case(request: pytest.FixtureRequest) -> Case:
    return Case(request.param)


def walk(value: Any) -> Any:
    """Yield every value inside nested data."""
    yield value
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for item in inner:
        yield from walk(item)


def subtitle(spec: dict[str, Any]) -> str:
    return " ".join(spec["title"]["subtitle"])


def spec_of(name: str, tables: Tables, card: BenchmarkCard = PLAIN) -> dict[str, Any]:
    drawn = FIGURES[name].attempt(tables, card, LIGHT)
    assert not isinstance(drawn, Absent), drawn
    return specification(drawn, validate=False)


def rows_with(spec: dict[str, Any], *fields: str) -> list[dict[str, Any]]:
    """Return the longest of a specification's data sets whose rows have certain fields."""
    return max((d for d in spec["datasets"].values() if d and set(fields) <= set(d[0])), key=len)


@pytest.mark.parametrize("name", FIGURES)
def test_draws_or_says_why_not(case: Case, name: str) -> None:
    drawn = case.drawn[name]
    if isinstance(drawn, Absent):
        assert re.fullmatch(r"[A-Z][^\n]{10,}\.", drawn.reason)
        return
    spec = specification(drawn)  # checks it against the schema of Vega-Lite
    text = json.dumps(spec, allow_nan=False)
    assert subtitle(spec)
    assert ("Simulated data" in subtitle(spec)) == bool(case.card.synthetic)
    assert "{" not in " ".join(spec["title"]["text"])
    assert "\\u202e" not in text
    for sentences in (
        FIGURES[name].caption(case.tables, case.card),
        FIGURES[name].alt_text(case.tables, case.card),
    ):
        assert re.fullmatch(r"[^\n]+\.", sentences), sentences
        assert "None" not in sentences
        assert "nan" not in sentences.split()


def test_which_are_absent(case: Case) -> None:
    absent = {n for n, drawn in case.drawn.items() if isinstance(drawn, Absent)}
    alone = {"concordance", "pairwise"} if "single model" in case.name else set()
    costs = {"frontier"} if case.name == "no prices" else set()
    tracks = "track" in case.name or case.name in {"single model", "hostile text"}
    optional = {"policies", "failure_labels", "score_distribution"}
    # None of these benchmarks declares a rubric; tests/unit/rubric draws those figures.
    rubric = {"rubric_domains", "rubric_distribution"}
    assert absent - optional == alone | costs | rubric | (set() if tracks else {"scores_by_track"})


def test_200_models() -> None:
    tables = build(200, 40, missing=0.1, tracks=("x", "y"))
    # Two hundred models leave no item unsolved, and no rubric is declared.
    without = {"score_distribution", "rubric_domains", "rubric_distribution"}
    for name in [n for n in FIGURES if n not in without]:
        figure = FIGURES[name]
        spec = spec_of(name, tables)
        widths = [
            v["width"] for v in walk(spec) if isinstance(v, dict) and isinstance(v.get("width"), (int, float))
        ]
        assert max(widths) <= 1000, name
        assert figure.caption(tables, PLAIN)
    text = FIGURES["count_distribution"].caption(tables, PLAIN)
    assert "each is solved by at least one model: 0% unsolved" in text
    assert "largest in track" not in text


@pytest.mark.parametrize("figure", FIGURES.values(), ids=FIGURES)
@pytest.mark.parametrize("rows", ["no table", "no rows"])
def test_missing_tables_give_a_reason(figure: Figure, rows: str) -> None:
    tables = build(3, 30)
    for needed in figure.needs:
        short = {n: t for n, t in tables.items() if n != needed}
        if rows == "no rows" and needed in tables:
            short[needed] = tables[needed].clear()
        assert figure.attempt(short, PLAIN, LIGHT) == Absent(figure.without)


def test_themes_differ_in_colour_only() -> None:
    tables, card = CASES["nine models, tracks"]()
    for name, figure in FIGURES.items():
        specs = [figure.attempt(tables, card, theme) for theme in (LIGHT, DARK)]
        if isinstance(specs[0], Absent):
            continue
        plain = []
        for spec in specs:
            rows = [v for v in walk(specification(spec, validate=False)) if not isinstance(v, (dict, list))]
            plain.append(
                [v for v in rows if not (isinstance(v, str) and re.fullmatch(r"#[0-9a-f]{6}|data-.*", v))]
            )
        assert plain[0] == plain[1], name


def test_a_model_keeps_its_label_and_colour_in_every_figure() -> None:
    tables, card = CASES["nine models, tracks"]()
    who = identify(tables)
    expected = {who.label(m): who.colour(m, LIGHT) for m in tables["models"]["model"]}
    for name in ("scores", "scores_by_track", "coverage", "decisiveness", "frontier"):
        spec = spec_of(name, tables, card)
        rows = [
            r
            for data in spec["datasets"].values()
            for r in data
            if "label" in r and r.get("colour") in LIGHT.series
        ]
        assert {r["label"] for r in rows} >= set(expected) - (
            {"model-03", "model-08"} if name == "frontier" else set()
        )
        assert all(r["colour"] == expected[r["label"]] for r in rows), name


def test_hostile_names_stand_in_full_or_shortened_and_stay_apart() -> None:
    tables, card = CASES["hostile text"]()
    spec = spec_of("scores", tables, card)
    labels = {r["label"] for data in spec["datasets"].values() for r in data if "estimate" in r}
    assert len(labels) == len(HOSTILE_NAMES)
    assert {"<script>alert('x')</script>", "=SUM(A1)", "🦙 Llama 3 🚀", "tab and newlineevil"} <= labels


def test_scores_follow_rank_and_show_limits_of_the_first_method() -> None:
    tables = build(5, 50)
    spec = spec_of("scores", tables)
    rows = rows_with(spec, "estimate", "low")
    wanted = tables["model_scores"].filter(
        (pl.col("track") == "all") & (pl.col("metric") == "correct") & (pl.col("method") == "wilson")
    ).sort("rank")  # fmt: skip
    assert [r["estimate"] for r in rows] == wanted["estimate"].to_list()
    assert [r["low"] for r in rows] == wanted["ci_low"].to_list()
    assert "95% Wilson intervals" in subtitle(spec)
    assert "n = 50 items" in subtitle(spec)


def test_null_limits_are_left_out_not_drawn_at_zero() -> None:
    tables = build(3, 20, rate=(1.0, 1.0), clustered=True)
    spec = spec_of("scores", tables)
    rows = rows_with(spec, "estimate", "low")
    assert all(r["low"] is None and r["high"] is None for r in rows)
    assert "no intervals" in subtitle(spec)
    assert "[" not in FIGURES["scores"].caption(tables, PLAIN)


def test_zero_block_states_count_share_and_interval() -> None:
    tables = build(4, 60, rate=(0.2, 0.4))
    zero = tables["count_distribution"].filter(
        (pl.col("track") == "all") & (pl.col("k") == 0) & (pl.col("basis") == "answered")
    ).row(0, named=True)  # fmt: skip
    text = json.dumps(spec_of("count_distribution", tables), ensure_ascii=False)
    share, low, high = (f"{100 * zero[c]:.1f}%" for c in ("share", "ci_low", "ci_high"))
    assert f"No model solves {zero['n_items']} items: {share} [{low}, {high}]" in text
    assert f"{zero['n_items']} of 60 items: {share}" in FIGURES["count_distribution"].caption(tables, PLAIN)


def test_second_basis_only_where_it_differs() -> None:
    same = json.dumps(spec_of("count_distribution", build(4, 60)))
    other = json.dumps(spec_of("count_distribution", build(4, 60, missing=0.2)))
    assert "every model answered" not in same
    assert "Items that every model answered" in other


def test_free_models_stand_beside_the_log_axis() -> None:
    tables = build(6, 80, priced="free")
    spec = spec_of("frontier", tables)
    rows = rows_with(spec, "price")
    free = [r for r in rows if r["cost"] == 0]
    assert len(free) == 1
    assert free[0]["px"] < min(r["px"] for r in rows if r["cost"] > 0)
    assert '"free"' in json.dumps(spec)
    assert "Free of cost" in FIGURES["frontier"].caption(tables, PLAIN)


def test_unpriced_models_are_named() -> None:
    tables = build(6, 80, priced="some")
    spec = spec_of("frontier", tables)
    assert "No cost known: model-03." in subtitle(spec)
    assert "model-03" in FIGURES["frontier"].caption(tables, PLAIN)


def test_shapes_tell_open_from_closed() -> None:
    tables = build(3, 80, priced="same")
    rows = rows_with(spec_of("frontier", tables), "shape")
    assert {r["label"]: r["shape"] for r in rows} == {
        "model-00": "square", "model-01": "circle", "model-02": "triangle-up",
    }  # fmt: skip


def test_policies_only_where_ranks_differ() -> None:
    tables = build(3, 30)
    same = tables["policies"].with_columns(rank=pl.col("rank_in_force"))
    drawn = FIGURES["policies"].attempt({**tables, "policies": same}, PLAIN, LIGHT)
    assert drawn == Absent("Every policy for missing cells gives the same ranks.")
    swapped = same.with_columns(
        rank=pl.when(pl.col("policy") == "failure").then(4 - pl.col("rank")).otherwise(pl.col("rank"))
    )
    assert "2 models of 3 change rank" in subtitle(spec_of("policies", {**tables, "policies": swapped}))


def test_policies_has_a_column_for_each_that_differs() -> None:
    tables = build(3, 30)
    first = tables["policies"].filter(pl.col("policy") == "exclude")
    moved = first.with_columns(rank=4 - pl.col("rank"))
    named = [
        *(first.with_columns(policy=pl.lit(p)) for p in ("exclude", "excluded_as_failure")),
        *(moved.with_columns(policy=pl.lit(p)) for p in ("failure", "missing_as_failure")),
        first.with_columns(policy=pl.lit("common_items"), n_items=pl.lit(7, dtype=pl.Int64)),
    ]
    with_more = {**tables, "denominators": pl.concat(named)}

    def columns(card: BenchmarkCard) -> set[str]:
        return set(policies.rows_of(with_more, card)["policy"])

    assert columns(PLAIN) == {"exclude", "failure", "common_items"}
    # The policy in force has a column where another gives the same numbers.
    alike = pl.concat([first.with_columns(policy=pl.lit(p)) for p in ("exclude", "failure")])
    shown = policies.rows_of({**tables, "denominators": alike}, BenchmarkCard(missing="failure"))
    assert set(shown["policy"]) == {"failure"}
    text = json.dumps(spec_of("policies", with_more))
    assert [p for p, name in policies.POLICIES.items() if f'"{name}"' in text] == [
        "exclude", "failure", "common_items",
    ]  # fmt: skip
    caption = FIGURES["policies"].caption(with_more, PLAIN)
    assert "excluded, unscored = 0: both count 0" in caption
    assert "never asked" not in caption


def test_kinds_of_labels_stand_apart() -> None:
    tables = build(3, 80)
    text = json.dumps(spec_of("failure_labels", tables, SIMULATED))
    for kind in ("Hard failures", "Other failures", "Technical faults"):
        assert kind in text
    plain = json.dumps(spec_of("failure_labels", tables))
    assert "Hard failures" not in plain


def test_equal_scores_share_the_lead() -> None:
    tables = build(3, 20, rate=(1.0, 1.0))
    caption = FIGURES["scores"].caption(tables, PLAIN)
    assert "model-00, model-01 and model-02 share the highest score, 100%." in caption
    assert "leads" not in caption


def test_card_decides_what_success_is_called() -> None:
    tables, card = CASES["five tracks"]()
    spec = spec_of("scores", tables, card)
    assert spec["title"]["text"] == ["Items with verdict “safe/yes” or “yes”, by model"]


def test_pairs_without_common_items_stay_empty() -> None:
    tables = build(3, 40)
    keep = (pl.col("model_a") != "model-00") & (pl.col("model_b") != "model-00")
    alone = {
        **tables,
        "concordance": tables["concordance"].filter(keep),
        "pairwise_tests": tables["pairwise_tests"].with_columns(
            p_value=pl.when(keep).then("p_value"), p_holm=pl.when(keep).then("p_holm")
        ),
    }
    spec = spec_of("concordance", alone)
    assert "Left out: 1 model without an item in common" in subtitle(spec)
    spec = spec_of("pairwise", alone)
    assert "Empty cells: no common items." in subtitle(spec)
    assert "2 pairs without common items could not be tested." in FIGURES["pairwise"].caption(alone, PLAIN)
