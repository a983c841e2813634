"""Whole pages of small benchmarks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from analysis.config import Config
from analysis.reporting.downloads import copy_downloads
from analysis.reporting.items.write import write_items
from analysis.reporting.leaderboard import write_leaderboard
from analysis.reporting.render import render_page
from tests.unit.reporting.conftest import (
    HOSTILE,
    HOSTILE_CARD,
    derive_all,
    grid,
    hostile_ratings,
    hostile_runs,
)
from tests.unit.reporting.page_checks import check_page

SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="300" height="60" viewBox="0 0 300 60" role="document">'
    '<defs><clipPath id="clip0"><rect width="9" height="9"></rect></clipPath></defs>'
    '<g clip-path="url(#clip0)" role="graphics-symbol" aria-label="x"><text>%s</text></g></svg>'
)


def draw(results: Path, benchmark: str) -> None:
    """Write figures as the drawing rule does: one drawn, one absent."""
    folder = results / "figures" / benchmark
    folder.mkdir(parents=True)
    for ending in (".svg", ".dark.svg", ".png", ".pdf", ".vl.json"):
        (folder / f"scores{ending}").write_text(SVG % ending)
    index = {
        "scores": {
            "title": "Scores <b>",
            "caption": "Of @models `x` {{< y >}}",
            "alt": 'Dots "x"',
            "absent": None,
        },
        "coverage": {"title": "C", "caption": "", "alt": "", "absent": "Nothing is <covered>."},
    }
    (folder / "index.json").write_text(json.dumps(index))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Render the whole site of one hostile benchmark with figures and one bare one."""
    base = tmp_path_factory.mktemp("site")
    results = derive_all(base, "hostile", hostile_runs(), HOSTILE_CARD, ratings=hostile_ratings())
    derive_all(base, "bare", grid({"a": "1x0", "b": "10 "}))
    draw(results, "hostile")
    config = Config(results=str(results), renderer="embedded", site_title="Site <& co>")
    out = results / "site"
    for benchmark in ("hostile", "bare"):
        write_items(benchmark, config=config, folder=out / benchmark)
        render_page("report", config=config, benchmark=benchmark, out=out / benchmark / "index.html")
        write_leaderboard(benchmark, config=config, folder=out / benchmark)
    render_page("index", config=config, benchmark=["hostile", "bare"], out=out / "index.html")
    render_page("methods", config=config, out=out / "methods.html")
    return out


PAGES = [
    "index.html",
    "methods.html",
    "hostile/index.html",
    "hostile/leaderboard.html",
    "hostile/items.html",
    "hostile/items/0001.html",
    "bare/index.html",
    "bare/leaderboard.html",
    "bare/items.html",
    "bare/items/0001.html",
]


@pytest.mark.parametrize("name", PAGES)
def test_every_page_is_sound(site: Path, name: str) -> None:
    html = (site / name).read_text(encoding="utf-8")
    page = check_page(html)
    assert page.tags.count("script") <= 5
    assert "Traceback" not in html
    assert "object at 0x" not in html


@pytest.mark.parametrize("name", PAGES)
def test_every_local_link_leads_to_a_file(site: Path, name: str) -> None:
    page = check_page((site / name).read_text(encoding="utf-8"))
    for target in [*page.links, *page.sources]:
        if not target.startswith(("#", "http")):
            assert (site / name).parent.joinpath(target.partition("#")[0]).is_file(), target


@pytest.mark.parametrize("name", ["hostile/index.html", "hostile/leaderboard.html", "index.html"])
def test_names_from_data_are_text_and_nothing_else(site: Path, name: str) -> None:
    html = (site / name).read_text(encoding="utf-8")
    page = check_page(html)
    for mark in ("alert(1)</", "<img src=x", "<i>track", "<b>label", "<u>", "{{<", 'javascript:alert(4)"'):
        assert mark not in html
    text = " ".join("".join(page.text).split())
    assert "<script>alert(3)</script> {{< include x >}} $y$ @tbl-scores" in text
    shown = [n for n in HOSTILE if " ".join(n.replace("\u202e", "").split()) in text]
    assert shown == HOSTILE if name != "index.html" else shown
    assert "math" not in page.tags


def test_simulated_data_are_called_so_on_every_page_that_shows_them(site: Path) -> None:
    for name in PAGES[:1] + [page for page in PAGES if page.startswith("hostile/")]:
        assert "Made up &lt;u&gt;here&lt;/u&gt;." in (site / name).read_text()
    for name in ["methods.html", *(page for page in PAGES if page.startswith("bare/"))]:
        assert "synthetic" not in (site / name).read_text()


def test_figures_stand_inline_in_both_schemes_with_downloads(site: Path) -> None:
    html = (site / "hostile" / "index.html").read_text()
    assert html.count('role="img" aria-label="Dots &quot;x&quot;"') == 2
    assert 'id="scores-for-light-clip0"' in html
    assert 'clip-path="url(#scores-for-dark-clip0)"' in html
    assert "graphics-symbol" not in html
    assert "Figure\u00a01: <strong>Scores &lt;b&gt;.</strong> Of &#64;models" in html
    assert '<p class="absent">Nothing is &lt;covered&gt;.</p>' in html
    for ending in ("svg", "png", "pdf", "vl.json"):
        assert f'href="figures/scores.{ending}" download' in html


def test_a_table_that_is_gone_is_gone_from_the_site(site: Path) -> None:
    stale = site / "bare" / "tables" / "stale.parquet"
    stale.write_text("x")
    copy_downloads("bare", site.parent, site / "bare")
    assert not stale.exists()
    assert (site / "bare" / "tables" / "model_scores.parquet").is_file()


def test_the_same_results_give_the_same_bytes(site: Path, tmp_path: Path) -> None:
    config = Config(results=str(site.parent), renderer="embedded", site_title="Site <& co>")
    again = tmp_path / "again"
    render_page("report", config=config, benchmark="hostile", out=again / "hostile" / "index.html")
    write_items("hostile", config=config, folder=again / "hostile")
    write_leaderboard("hostile", config=config, folder=again / "hostile")
    made = [p for p in again.rglob("*") if p.is_file()]
    assert {"index.html", "leaderboard.html", "leaderboard.csv", "datatables.js"} <= {p.name for p in made}
    for path in made:
        assert path.read_bytes() == (site / path.relative_to(again)).read_bytes(), path.name


def test_a_benchmark_without_tables_does_not_take_the_index_down(site: Path, tmp_path: Path) -> None:
    config = Config(results=str(site.parent), renderer="embedded")
    render_page("index", config=config, benchmark=["bare", "broken"], out=tmp_path / "index.html")
    text = (tmp_path / "index.html").read_text()
    assert "benchmark &#x27;broken&#x27; has no derived tables" in text
    assert 'href="bare/index.html"' in text


def test_the_index_says_why_a_benchmark_was_refused(site: Path, tmp_path: Path) -> None:
    failed = site.parent / "logs" / "ingest_benchmark" / "refused.failed"
    failed.parent.mkdir(parents=True)
    failed.write_text(
        "ingest_benchmark, benchmark refused: verdicts.parquet, row 3:\n  no <model> {{< x >}}\n",
        encoding="utf-8",
    )
    config = Config(results=str(site.parent), renderer="embedded")
    render_page("index", config=config, benchmark=["bare", "refused"], out=tmp_path / "index.html")
    text = (tmp_path / "index.html").read_text(encoding="utf-8")
    check_page(text)
    assert "This benchmark could not be built." in text
    assert (
        '<p class="refused">verdicts.parquet, row 3:<br>no &lt;model&gt; &#123;&#123;&lt; x &gt;&#125;&#125;'
        in text
    )
    assert "has no derived tables" not in text


def test_the_newer_sections_stand_on_the_page(site: Path) -> None:
    html = (site / "hostile" / "index.html").read_text(encoding="utf-8")
    for name in (
        "agreement",
        "reliability",
        "raters",
        "judge-correction",
        "planning-items",
        "planning",
        "repeated-runs",
        "run-noise",
        "ensembles",
        "coverage-shares",
        "denominators",
        "without-track",
    ):
        assert f'id="tbl-{name}"' in html, name
    assert "&lt;b&gt;human&lt;/b&gt;" in html
    assert "The data went through" in html
    bare = (site / "bare" / "index.html").read_text(encoding="utf-8")
    assert '<p class="absent">There is no ratings.parquet.</p>' in bare
    assert '<p class="absent">No verdict file has a column run.</p>' in bare
    assert 'id="tbl-agreement"' not in bare
