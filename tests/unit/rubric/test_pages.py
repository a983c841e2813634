"""The rubric in the report, its pages of vignettes and its figures."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from analysis.config import Config
from analysis.derived import derive, read_derived, read_state, write_benchmark
from analysis.figures import LIGHT, write_figures
from analysis.figures.figure import Absent, specification
from analysis.figures.registry import FIGURES
from analysis.ingest.benchmark import read_benchmark
from analysis.reporting.items.write import write_items
from analysis.reporting.results import Results
from analysis.reporting.sections import rubric as section
from analysis.reporting.view import View
from analysis.scoring.rubric.model import Rubric, read_rubric
from tests.unit.rubric.conftest import Line, key, line_of, sheet

EVIL = "<script>alert(1)</script>`${x}` {{< y >}}"
USE = {"profiles": {"default": "diagnostic"}, "justification": EVIL, "declared_at": "2026-05-02T09:00:00"}
RULES = ("score_rubric", "compare_rubric_scores", "assess_rubric_raters", "plan_rubric")

Show = Callable[..., tuple[View, str]]


@pytest.fixture
def shown(folder, tmp_path: Path) -> Show:
    """Return a function that derives a benchmark and returns its view and its section."""

    def run(keys, lines, use=None) -> tuple[View, str]:
        raw = folder(keys, lines, use)
        config = Config.model_validate({"results": str(tmp_path)})
        derived = tmp_path / "derived" / raw.name
        write_benchmark(read_benchmark(raw), derived, config)
        for rule in RULES:
            derive(rule, derived)
        write_items(raw.name, config=config, folder=tmp_path / "site" / raw.name)
        view = View(Results.open(raw.name, tmp_path))
        return view, section.show(view)

    return run


def hostile(rubric: Rubric) -> tuple[list, list[Line]]:
    """Return keys and sheets whose every text is markup."""
    keys = [
        key(EVIL),
        key("=1+1", "pushback", "pushback"),
        key("index", "patient_facing", not_elicited={"3a": EVIL}),
    ]
    lines: list[Line] = []
    for place, of in enumerate(keys):
        for step, model in enumerate((EVIL, "@m")):
            for r, (rater, kind) in enumerate(((EVIL, "human"), ("h2", "human"), ('j"x', "judge"))):
                own = sheet(
                    rubric, of, model, rater, kind, default=float(1 + (place + step + r) % 5), note=EVIL
                )
                if model == EVIL and r == 0:
                    line_of(own, "safety_flag").update(label="yes", case_criterion="h1", trigger=EVIL)
                lines += own
    return keys, lines


def test_text_from_sheets_and_keys_is_never_markup(shown: Show, clinical: Rubric, tmp_path: Path) -> None:
    view, text = shown(*hostile(clinical), USE)
    assert "<script>" not in text
    assert "&lt;script&gt;" in text
    pages = sorted((tmp_path / "site" / view.results.benchmark).glob("**/*.html"))
    assert len(pages) == 2
    for page in pages:
        html = page.read_text(encoding="utf-8")
        assert "<script>alert" not in html
    assert "&lt;script&gt;alert" in pages[-1].read_text(encoding="utf-8")


def test_a_flag_a_declaration_and_what_does_not_apply_are_shown(
    shown: Show, clinical: Rubric, tmp_path: Path
) -> None:
    high = sheet(clinical, key(), "bold", default=5.0, note="see line 3")
    line_of(high, "safety_flag").update(label="yes", case_criterion="h1", trigger="no ECG needed")
    use = {**USE, "justification": "one visit each"}
    view, text = shown([key()], [*high, *sheet(clinical, key(), "meek", default=4.0)], use)
    board = text[text.index("rubric-board") :]
    row = board[board.index("bold") : board.index("meek")]
    assert "5.00" in row
    assert "1/1" in row
    assert row.count("N/A") == 1
    assert "one visit each" in text
    assert "2026-05-02 09:00:00" in text
    state = (view.results.folder / "rubric.json").read_text()
    stamp = state[state.index('"declaration_sha256": "') + 23 :][:12]
    assert f"<code>{stamp}</code>" in text
    assert "no ECG needed" in text
    assert "omits the ECG" in text
    page = (tmp_path / "site" / view.results.benchmark / "items" / "0001.html").read_text(encoding="utf-8")
    assert page.count("see line 3") == len([x for x in high if x.get("note")])
    assert "no ECG needed" in page
    assert key().sha256 in page


def test_without_a_rubric_the_section_says_so(shown: Show, clinical: Rubric) -> None:
    view, _ = shown([key()], sheet(clinical, key()))
    for path in view.results.folder.glob("rubric_models.parquet"):
        path.unlink()
    again = View(Results.open(view.results.benchmark, view.results.folder.parent.parent))
    assert "The card declares no rubric." in section.show(again)


@pytest.mark.parametrize("name", ["rubric_domains", "rubric_distribution"])
def test_figures_of_both_rubrics_are_valid(shown: Show, clinical: Rubric, name: str) -> None:
    points = read_rubric("healthbench_style")
    of = [key(f"c{i}", "consultation", hazards=[], lists={}) for i in range(2)]
    lines = [x for k in of for m in ("a", "b") for x in sheet(points, k, m, default=float(m == "a"))]
    for keys, rows, use in ((of, lines, {"file": "healthbench_style"}), (*hostile(clinical), USE)):
        view, _ = shown(keys, rows, use)
        tables = read_derived(view.results.folder)
        _, card, _ = read_state(view.results.folder)
        drawn = FIGURES[name].attempt(tables, card, LIGHT)
        assert not isinstance(drawn, Absent)
        spec = specification(drawn)
        assert "N/A" in str(spec["title"]["subtitle"])
        assert FIGURES[name].caption(tables, card)
        assert FIGURES[name].alt_text(tables, card)


def test_the_report_of_one_rater_and_one_response_says_what_is_missing(shown: Show, clinical: Rubric) -> None:
    view, text = shown([key()], sheet(clinical, key()))
    assert "No two raters of a kind have rated the same response." in text
    assert "No kind of rater has two raters" in text
    assert "No weighting profile is declared" in text
    assert view.results.table("decision_study") is None


@pytest.mark.parametrize("crossed", [True, False])
def test_raters_who_rated_different_responses_are_told(shown: Show, clinical: Rubric, crossed: bool) -> None:
    lines = sheet(clinical, key(), "m1", "a") + sheet(clinical, key(), "m2", "b")
    if crossed:
        lines += sheet(clinical, key(), "m1", "b") + sheet(clinical, key(), "m2", "a")
    _, text = shown([key()], lines)
    assert ("not adjusted for leniency" in text) is not crossed


def test_figures_are_written_with_the_others(shown: Show, clinical: Rubric, tmp_path: Path) -> None:
    view, _ = shown([key()], sheet(clinical, key()))
    _, card, _ = read_state(view.results.folder)
    tables = {
        n: t
        for n, t in read_derived(view.results.folder).items()
        if n.startswith(("rubric", "appl", "models"))
    }
    write_figures(tables, card, tmp_path / "figures")
    assert {"rubric_domains.svg", "rubric_distribution.svg"} <= {
        p.name for p in (tmp_path / "figures").iterdir()
    }


@pytest.mark.parametrize(("n", "told"), [(5, True), (6, False)])
def test_a_class_too_small_for_any_test_is_told(shown: Show, clinical: Rubric, n: int, told: bool) -> None:
    # All signs alike over n vignettes: p = 2 / 2^n, 0.0625 for five and 0.03125 for six.
    keys = [key(f"v{i}") for i in range(n)]
    lines = [x for k in keys for m, s in (("a", 4.0), ("b", 2.0)) for x in sheet(clinical, k, m, default=s)]
    view, text = shown(keys, lines)
    assert ("too few vignettes for any test" in text) == told
    tests = view.results.rows("rubric_tests", unit="composite", name="unweighted")
    assert tests is not None
    assert tests["significant"].to_list() == [not told]


def test_intervals_over_few_vignettes_are_called_rough(shown: Show, clinical: Rubric) -> None:
    keys = [key(f"v{i:02}", *(("longitudinal", "longitudinal") if i < 4 else ())) for i in range(12)]
    lines = []
    for i, k in enumerate(keys):
        for r, kind in (("h1", "human"), ("h2", "human"), ("j", "judge")):
            lines += sheet(clinical, k, "m", r, kind, default=float(1 + (i + (r == "h2") * (i % 2)) % 5))
    _, text = shown(keys, lines)
    note = "Intervals of <bdi>4</bdi> <bdi>Temporal reasoning</bdi> rest on 4 or fewer vignettes"
    # The tables by domain of humans and of all raters, and that of the judge.
    assert text.count(note) == 3
