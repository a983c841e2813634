"""The pages of single items: what stands on them, where, and what is left out."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from analysis.config import Config
from analysis.reporting.embedded import render_embedded
from analysis.reporting.environment import BENCHMARK, RESULTS
from analysis.reporting.items.catalogue import Catalogue, anchor, by_interest, natural_key, read_catalogue
from analysis.reporting.items.cells import MOST_CHARACTERS, number, text
from analysis.reporting.items.pages import build_pages, places_of
from analysis.reporting.items.panels import audit_trail, ratings, verdicts
from analysis.reporting.items.panels.audit_trail import MOST_STEPS
from analysis.reporting.items.panels.panel import MOST_ROWS, Panel
from analysis.reporting.items.panels.registry import PANELS
from analysis.reporting.items.sections import MOST_PANEL_BYTES, panels_of
from analysis.reporting.items.view import ItemView
from analysis.reporting.items.write import write_items
from analysis.reporting.results import Results
from analysis.reporting.sections import single_items
from analysis.reporting.view import View
from tests.unit.reporting.conftest import HOSTILE, HOSTILE_CARD, Derive, derive_all, grid
from tests.unit.reporting.page_checks import PageReader, check_page

ODD_ITEMS = [
    *HOSTILE,
    "../../../etc/passwd",
    "a\\b:c?d*e|f",
    " ",
    ".",
    "x" * 5000,
    "</section></main>",
    'i-" onclick="x',
    "9" * 5000,
]
"""Identifiers that could become file names or markup; the raw contract refuses only the empty one."""

RATINGS = pl.DataFrame(
    {
        "model": ["a", "a", "b", None],
        "item_id": ["i000", "i000", "i001", "i001"],
        "run": [0, 0, 0, 0],
        "rater": ["r1", "r2", "r1", "r1"],
        "rater_kind": ["human", "judge", "human", "human"],
        "label": ["correct", "partial", "incorrect", "ambiguous"],
        "flagged": [False, True, False, False],
    }
)
TRAIL = pl.DataFrame(
    {
        "model": ["a", "a", "b"],
        "item_id": ["i000"] * 3,
        "step": [1, 2, 1],
        "phase": ["content", "verdict", "verdict"],
        "field": ["slot_f1", "verdict", "verdict"],
        "outcome": ["not reached", "correct", "incorrect"],
        "found": ["2 needs", None, None],
        "expected": ["3 <slots>", None, None],
        "value": [0.66999, None, None],
        "threshold": [0.67, None, None],
    }
)


ENOUGH = ("score_models", "count_items")
"""Rules that make what the pages of items read."""


@pytest.fixture
def view_of(tmp_path: Path) -> Derive:
    """Derive what the pages of items read, and open it."""

    def build(verdicts: pl.DataFrame, card: dict[str, Any] | None = None, **companions: pl.DataFrame) -> View:
        results = derive_all(tmp_path, "bench", verdicts, card, rules=ENOUGH, **companions)
        return View(Results.open("bench", results))

    return build


def items_of(view: View, *items: str) -> ItemView:
    return ItemView(view, frozenset(items))


def cells(html: str) -> list[list[str]]:
    """Return the body rows of the tables of a panel as plain text."""
    rows = re.findall(r"<tr><th scope=\"row\">.*?</tr>", html, re.S)
    return [[re.sub(r"<[^>]+>", "", c) for c in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", r)] for r in rows]


def test_verdicts_stand_in_rank_order_with_what_was_recorded(view_of: Derive) -> None:
    frame = grid({"b": "10", "a": "11", "c": "x "}).with_columns(
        score=pl.Series([1.0, 0.25, 1.0, 0.5, None]),
        labels=pl.Series([["F1", "F2"], [], [], [], ["T2"]]),
        decision=pl.Series(["stop", None, "go", "go", None]),
    )
    view = items_of(view_of(frame), "i000", "i001")
    assert cells(verdicts.show(view, "i000")) == [
        ["a", "correct", "yes", "1", "", "go"],
        ["b", "correct", "yes", "1", "F1, F2", "stop"],
        ["c", "technical_failure", "excluded", "", "T2", ""],
    ]
    assert "1 model has no response: <bdi" in verdicts.show(view, "i001")
    assert "Run" not in verdicts.show(view, "i000")


def test_repeated_runs_say_which_models_solve_the_item_overall(view_of: Derive) -> None:
    runs = pl.concat(
        [
            grid({"a": "1", "b": "0", "c": "0"}).with_columns(run=pl.lit(0)),
            grid({"a": "1", "b": "1", "c": "0"}).with_columns(run=pl.lit(1)),
            grid({"a": "0", "b": "0", "c": "0"}).with_columns(run=pl.lit(2)),
        ]
    )
    report = view_of(runs)
    shown = verdicts.show(items_of(report, "i000"), "i000")
    assert [row[1] for row in cells(shown)] == ["0", "1", "2"] * 3
    assert "Correct in at least 50% of its scored runs: a (2 of 3)." in shown
    assert read_catalogue(report.results).frame["k"].to_list() == [1]


def test_ratings_stand_beside_the_recorded_verdict(view_of: Derive) -> None:
    view = items_of(view_of(grid({"a": "11", "b": "00"}), ratings=RATINGS), "i000", "i001")
    assert cells(ratings.show(view, "i000")) == [
        ["a", "r1 human", "correct", "", "correct"],
        ["a", "r2 judge", "partial", "flagged", "correct"],
    ]
    assert cells(ratings.show(view, "i001")) == [
        ["the item itself", "r1 human", "ambiguous", "", ""],
        ["b", "r1 human", "incorrect", "", "incorrect"],
    ]


def test_a_rating_of_a_response_that_is_not_there_says_so(view_of: Derive) -> None:
    rated = RATINGS.with_columns(model=pl.Series(["a", "a", "z", None]), run=pl.Series([0, 3, 0, 0]))
    view = items_of(view_of(grid({"a": "11", "b": "00"}), ratings=rated), "i000", "i001")
    assert [row[-1] for row in cells(ratings.show(view, "i000"))] == ["correct", "no response"]
    assert cells(ratings.show(view, "i001"))[1][-1] == "no response"


def test_the_trail_shows_fields_slots_and_thresholds(view_of: Derive) -> None:
    view = items_of(view_of(grid({"a": "1", "b": "0"}), audit_trail=TRAIL), "i000")
    shown = audit_trail.show(view, "i000")
    assert "<summary>3 steps of 2 responses</summary>" in shown
    groups = re.findall(r"<tbody>(.*?)</tbody>", shown, re.S)
    rows = [[re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row) for row in group.split("\n")] for group in groups]
    assert rows == [
        [
            ["a: correct"],
            ["content", "slot_f1", "not reached", "2 needs", "3 &lt;slots&gt;", "0.66999", "0.67"],
            ["verdict", "verdict", "correct"],
        ],
        [["b: incorrect"], ["verdict", "verdict", "incorrect"]],
    ]
    assert [panel.name for panel in panels_of(view)] == ["verdicts", "audit-trail"]


def test_a_value_never_looks_like_the_threshold_that_it_misses() -> None:
    assert number(0.66999) != number(0.67)
    assert number(-0.5) == "\u22120.5"


def test_long_texts_are_cut_and_counted() -> None:
    assert text("x" * (MOST_CHARACTERS + 1)).endswith("(1 more character)</span>")
    assert text(" ") == '<span class="muted">(empty)</span>'
    assert text("\u0646 <b>") == "<bdi>\u0646 &lt;b&gt;</bdi>"


def test_rows_past_the_bound_are_counted(view_of: Derive) -> None:
    many = grid({f"m{i:03d}": "1" for i in range(MOST_ROWS + 3)})
    shown = verdicts.show(items_of(view_of(many), "i000"), "i000")
    assert len(cells(shown)) == MOST_ROWS
    assert "3 more rows in <code>verdicts.parquet</code>." in shown


def test_a_trail_past_the_bounds_is_counted(view_of: Derive) -> None:
    steps = pl.DataFrame(
        {"step": range(MOST_STEPS + 2), "field": ["f" * 700] * (MOST_STEPS + 2), "outcome": "o"}
    )
    trail = grid({"a": "1", "b": "0", "c": "0", "d": "0"}).select("model", "item_id").join(steps, how="cross")
    view = items_of(view_of(grid({"a": "1", "b": "0", "c": "0", "d": "0"}), audit_trail=trail), "i000")
    shown = audit_trail.show(view, "i000")
    assert f"<summary>{4 * (MOST_STEPS + 2)} steps of 4 responses</summary>" in shown
    assert shown.count("2 more steps in <code>audit_trail.parquet</code>") == 2
    assert "2 more responses in <code>audit_trail.parquet</code>." in shown
    assert len(shown) < MOST_PANEL_BYTES


def test_long_rows_end_a_table_early_and_are_counted(view_of: Derive) -> None:
    wordy = RATINGS.head(1).select("model", "item_id", "run", "rater_kind", label=pl.lit("y" * 600))
    wordy = pl.concat([wordy.with_columns(rater=pl.lit(f"{i}" + "x" * 590)) for i in range(MOST_ROWS)])
    view = items_of(view_of(grid({"a": "1"}), ratings=wordy), "i000")
    shown = ratings.show(view, "i000")
    n = len(cells(shown))
    assert 0 < n < MOST_ROWS
    assert f"{MOST_ROWS - n} more rows in <code>ratings.parquet</code>." in shown
    assert len(shown) < MOST_PANEL_BYTES


def counted(**groups: list[tuple[str, int, int]]) -> Catalogue:
    rows = [(i, None, None, k, n, None, None, None, g) for g, items in groups.items() for i, k, n in items]
    names = [
        "item_id",
        "track",
        "question_type",
        "k",
        "n_models",
        "mean_score",
        "all_partial",
        "all_incorrect",
    ]
    return Catalogue(pl.DataFrame(rows, schema=[*names, "group"], orient="row"))


def test_unsolved_and_dividing_items_take_turns() -> None:
    catalogue = counted(
        every=[("e", 9, 9)],
        some=[("s1", 1, 9), ("s4", 4, 9), ("s5", 5, 9)],
        unsolved=[("u1", 0, 3), ("u2", 0, 9)],
        unscored=[("z", 0, 0)],
    )
    assert by_interest(catalogue, 99) == ["u2", "s4", "u1", "s5", "s1", "e", "z"]
    assert by_interest(catalogue, 3) == ["u2", "s4", "u1"]


def test_people_sort_numbers_by_value_and_tracks_first() -> None:
    found = sorted(
        [("t", "q10"), ("t", "q9"), (None, "a"), ("s", "z"), ("t", "q" + "1" * 5000)],
        key=lambda pair: natural_key(*pair),
    )
    assert found == [("s", "z"), ("t", "q9"), ("t", "q10"), ("t", "q" + "1" * 5000), (None, "a")]


def test_a_large_benchmark_shows_a_selection_and_counts_the_rest(tmp_path: Path) -> None:
    n = 6000
    marks = {"a": "1" * 2000 + "0" * 4000, "b": "1" * 3000 + "0" * 3000, "c": "1" * 2000 + "0" * 4000}
    frame = grid(marks).with_columns(track=pl.lit("t"))
    results = derive_all(tmp_path, "large", frame, rules=ENOUGH)
    config = Config(results=str(results), item_pages=150)
    folder = results / "site" / "large"
    write_items("large", config=config, folder=folder)
    page = check_page((folder / "items.html").read_text(encoding="utf-8"))
    words = " ".join("".join(page.text).split())
    assert (
        "Pages show 150 of 6,000 items: those that no model solves and those that divide the models most. "
        "Left out: 2,925 of 3,000 that no model solves, 925 of 1,000 that some models solve and 2,000 of "
        "2,000 that every scored model solves. This list holds the items that have a page." in words
    )
    assert "Solved by no model (75 of 3,000)" in words
    assert "Solved by every model that was scored (0 of 2,000)" in words
    places = json.loads((folder / "items.json").read_text(encoding="utf-8"))["items"]
    assert len(places) == 150
    assert len(page.links) < 200 < n
    assert sorted(p.name for p in (folder / "items").iterdir()) == ["0001.html", "0002.html"]
    second = (folder / "items" / "0002.html").read_text(encoding="utf-8")
    assert "Items 101 to 150 of 150" in second
    assert "Left out: 2,925 of 3,000" in second


def test_bytes_bound_the_pages_whatever_the_panels_hold(view_of: Derive) -> None:
    view = view_of(grid({"a": "10" * 50, "b": "00" * 50}))
    wide = Panel("wide", "Wide", ("verdicts",), lambda _, item: f"<p>{item}{'x' * 10_000}</p>")
    catalogue = read_catalogue(view.results)
    pages = build_pages(view, catalogue, most_items=100, most_bytes=200_000, panels=(wide,))
    bodies = sum(len(page.body) for page in pages)
    assert 180_000 < bodies <= 200_000
    places = places_of(pages)
    assert sum(left for left, _ in catalogue.left_out(places).values()) == 100 - len(places)
    huge = Panel("huge", "Huge", ("verdicts",), lambda *_: "x" * (MOST_PANEL_BYTES + 1))
    one = build_pages(view, read_catalogue(view.results), most_items=1, panels=(huge,))
    assert "Too large for a page (250 kilobytes)" in one[0].body


def test_pages_end_before_they_grow_too_large(view_of: Derive) -> None:
    view = view_of(grid({"a": "10" * 50}))
    wide = Panel("wide", "Wide", ("verdicts",), lambda *_: "x" * 90_000)
    pages = build_pages(view, read_catalogue(view.results), most_items=100, panels=(wide,))
    assert [len(page.items) for page in pages] == [4] * 25


def test_a_panel_is_shown_only_where_its_tables_are(view_of: Derive) -> None:
    view = items_of(view_of(grid({"a": "1"})), "i000")
    more = Panel("notes", "Notes & more", ("rubric",), lambda *_: "never")
    silent = Panel("silent", "Silent", ("verdicts",), lambda *_: "")
    assert [p.name for p in panels_of(view, (*PANELS, more, silent))] == ["verdicts", "silent"]
    pages = build_pages(view.report, read_catalogue(view.report.results), most_items=9, panels=(silent,))
    assert "Silent" not in pages[0].body
    assert len({panel.name for panel in PANELS}) == len(PANELS)


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the pages of a benchmark in which everything that is text is hostile; return its site."""
    base = tmp_path_factory.mktemp("odd")
    frame = pl.DataFrame(
        [
            (model, item, j % 2 == k % 2, [name], name, [name], name, name)
            for k, model in enumerate(HOSTILE)
            for j, (item, name) in enumerate(zip(ODD_ITEMS, HOSTILE * 2, strict=False))
        ],
        schema=["model", "item_id", "correct", "labels", "decision", "flags", "track", "question_type"],
        orient="row",
    )
    rated = pl.DataFrame(
        {
            "model": HOSTILE,
            "item_id": ODD_ITEMS[: len(HOSTILE)],
            "run": [0] * len(HOSTILE),
            "criterion_id": HOSTILE,
            "rater": HOSTILE,
            "rater_kind": ["human"] * len(HOSTILE),
            "label": HOSTILE,
        }
    )
    own = pl.col("criterion_id") + " of the rubric"
    rated = pl.concat([rated, rated.with_columns(own, pl.lit("yes").alias("label"))])
    criteria = pl.DataFrame(
        {
            "item_id": ODD_ITEMS[: len(HOSTILE)],
            "criterion_id": HOSTILE,
            **dict.fromkeys(("kind", "text"), HOSTILE),
            "polarity": ["positive"] * len(HOSTILE),
            "weight": [1.0] * len(HOSTILE),
        }
    ).with_columns(own)
    steps = pl.DataFrame(
        {
            "model": HOSTILE,
            "item_id": ODD_ITEMS[: len(HOSTILE)],
            "step": [1] * len(HOSTILE),
            **dict.fromkeys(("phase", "field", "outcome", "found", "expected"), HOSTILE),
        }
    )
    results = derive_all(
        base,
        "odd",
        frame,
        HOSTILE_CARD,
        rules=[*ENOUGH, "score_consultations"],
        ratings=rated,
        criteria=criteria,
        audit_trail=steps,
    )
    write_items("odd", config=Config(results=str(results)), folder=results / "site" / "odd")
    return results / "site" / "odd"


def test_odd_identifiers_are_text_and_never_file_names(odd: Path) -> None:
    listed = check_page((odd / "items.html").read_text(encoding="utf-8"))
    files = sorted(p.name for p in odd.rglob("*") if p.is_file())
    pages = [f for f in files if f[0].isdigit()]
    assert files == sorted([*pages, "items.html", "items.json"])
    assert pages == [f"{i + 1:04d}.html" for i in range(len(pages))]
    places = json.loads((odd / "items.json").read_text(encoding="utf-8"))["items"]
    assert sorted(places) == sorted(ODD_ITEMS)
    for place in places.values():
        assert re.fullmatch(r"items/\d{4}\.html#i-[0-9a-f]{16}", place)
        assert place in listed.links
        file, _, target = place.partition("#")
        assert target in check_page((odd / file).read_text(encoding="utf-8")).ids


def test_hostile_text_is_shown_as_text_in_every_panel(odd: Path) -> None:
    for file in [odd / "items.html", *sorted((odd / "items").iterdir())]:
        html = file.read_text(encoding="utf-8")
        page = check_page(html)
        assert page.tags.count("script") <= 3
        assert "img" not in page.tags
        for mark in ("alert(1)</", "<img", "<u>", "{{<", "\u202e", 'onclick="x'):
            assert mark not in html
        assert "Made up &lt;u&gt;here&lt;/u&gt;." in html
    shown = " ".join(
        "".join(PageReader((odd / "items" / "0001.html").read_text(encoding="utf-8")).text).split()
    )
    # Vignettes and sessions have tests of their own: tests/unit/rubric, tests/unit/session_analyses.
    own = ("vignette", "sessions")
    for panel in (panel for panel in PANELS if not panel.name.startswith(own)):
        assert panel.title in shown
    assert "What the labels mean<b>label</b><u>meaning</u>" in shown


def test_every_local_link_leads_somewhere(odd: Path) -> None:
    others = {"index.html", "leaderboard.html", "methods.html", "item_counts.parquet"}
    for file in [odd / "items.html", *sorted((odd / "items").iterdir())]:
        page = check_page(file.read_text(encoding="utf-8"))
        for target in page.links + page.sources:
            path = file.parent.joinpath(target.partition("#")[0])
            assert target.startswith(("#", "http")) or path.name in others or path.is_file(), target


def test_the_same_tables_give_the_same_bytes_and_nothing_stale(odd: Path, tmp_path: Path) -> None:
    config = Config(results=str(odd.parent.parent))
    again = tmp_path / "again"
    (again / "items").mkdir(parents=True)
    (again / "items" / "0099.html").write_text("stale")
    write_items("odd", config=config, folder=again)
    made = {p.relative_to(again): p.read_bytes() for p in again.rglob("*") if p.is_file()}
    kept = {p.relative_to(odd): p.read_bytes() for p in odd.rglob("*") if p.is_file()}
    assert made == kept


def test_the_report_links_to_items_where_they_have_a_page(odd: Path) -> None:
    view = View(Results.open("odd", odd.parent.parent))
    assert f"#{anchor(HOSTILE[0])}" in view.item(HOSTILE[0])
    assert view.item("never <heard> of") == '<bdi class="name">never &lt;heard&gt; of</bdi>'
    ways = single_items.divided(view) + single_items.every(view)
    links = re.findall(r'href="([^"]+)"', ways)
    assert {link.partition("#")[0] for link in links} <= {
        "items.html",
        *(f"items/{p.name}" for p in (odd / "items").iterdir()),
    }
    assert len(links) == single_items.MOST_EXAMPLES + 2


def test_without_pages_the_report_has_no_links(view_of: Derive) -> None:
    view = view_of(grid({"a": "100", "b": "010"}), ratings=RATINGS)
    assert single_items.unsolved(view) + single_items.every(view) + single_items.flagged(view) == ""
    folder = view.results.folder.parent.parent / "site" / "bench"
    write_items("bench", config=Config(results=str(folder.parent.parent)), folder=folder)
    linked = View(view.results, site_link="../x/")
    assert f'The 1 item that no model solves: <a href="../x/items/0001.html#{anchor("i002")}">' in (
        single_items.unsolved(linked)
    )
    assert "Raters flagged responses to 1 item:" in single_items.flagged(linked)


def test_no_pages_can_be_asked_for(view_of: Derive) -> None:
    view = view_of(grid({"a": "100", "b": "010"}))
    folder = view.results.folder.parent.parent / "site" / "bench"
    write_items("bench", config=Config(results=str(folder.parent.parent), item_pages=0), folder=folder)
    html = (folder / "items.html").read_text(encoding="utf-8")
    check_page(html)
    assert "None of the 3 items has a page (item_pages in the configuration)." in html
    assert list((folder / "items").iterdir()) == []


def test_items_that_nobody_answered_have_a_place_and_strange_ratings_a_count(view_of: Derive) -> None:
    items = pl.DataFrame({"item_id": ["i000", "silent"]})
    strange = RATINGS.with_columns(item_id=pl.Series(["i000", "i000", "gone", "gone"]))
    view = view_of(grid({"a": "x", "b": "x"}), items=items, ratings=strange)
    folder = view.results.folder.parent.parent / "site" / "bench"
    write_items("bench", config=Config(results=str(folder.parent.parent)), folder=folder)
    words = " ".join("".join(check_page((folder / "items.html").read_text()).text).split())
    assert "2 rows of ratings are of items that the benchmark does not have" in words
    assert "Without a scored response (2)" in words
    page = (folder / "items" / "0001.html").read_text()
    assert "no model was scored" in page
    assert "No model has a response to this item." in page


def test_the_page_of_the_quarto_project_lists_the_same_items(odd: Path, root: Path) -> None:
    results = odd.parent.parent
    environment = {"PYTHONPATH": str(root), BENCHMARK: "odd", RESULTS: str(results)}
    shown = render_embedded(
        root / "reports" / "items.qmd", variables={}, environment=os.environ | environment
    )
    page = check_page(shown)
    own = check_page((odd / "items.html").read_text(encoding="utf-8"))
    prefix = f"{os.path.relpath(odd, root / 'reports' / '_site')}/"
    places = [link for link in own.links if link.startswith("items/")]
    assert [link.removeprefix(prefix) for link in page.links if "/items/" in link] == places
    assert len(places) == len(ODD_ITEMS)


def test_lists_of_tags_are_shown_as_words(view_of: Derive) -> None:
    tags = pl.DataFrame({"item_id": ["i000", "i001"], "tags": [["heart", "<b>lung</b>"], []]})
    card = {"consultation": {"tags": "tags"}}
    view = view_of(grid({"a": "xx", "b": "xx"}), card, items=tags)
    folder = view.results.folder.parent.parent / "site" / "bench"
    write_items("bench", config=Config(results=str(folder.parent.parent)), folder=folder)
    page = (folder / "items" / "0001.html").read_text()
    # Tags are put in code-point order.
    assert "&lt;b&gt;lung&lt;/b&gt;, heart" in page
    assert page.count("<bdi>tags</bdi>") == 1
