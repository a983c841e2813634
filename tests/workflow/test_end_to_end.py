"""Whole runs of the workflow: odd data, broken data, changed data, other core counts."""

from __future__ import annotations

import hashlib
from pathlib import Path

import polars as pl

from tests.workflow.conftest import make_workspace, run_snakemake, write_raw

ODD_NAMES = ["=HYPERLINK(1)", "<img src=x onerror=alert(1)>", "org/model \"q\" 'r'", "🦉", "نموذج عربي"]
TINY = pl.DataFrame(
    {"model": ["a", "a", "b", "b"], "item_id": ["x", "y"] * 2, "correct": [True, False, True, True]}
)


def digests(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of every file of a folder."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_the_demonstration_twice_gives_the_same_bytes(root: Path, tmp_path: Path) -> None:
    found = []
    for cores in (1, 2):
        workspace = make_workspace(root, tmp_path / str(cores))
        run = run_snakemake(workspace, "report", cores=cores)
        assert run.returncode == 0, run.stdout
        assert "The site is in results/site: open results/site/index.html" in run.stdout
        found.append(
            {stage: digests(workspace / "results" / stage) for stage in ("raw", "derived", "figures", "site")}
        )
    one, two = found
    for stage in one:
        assert one[stage] == two[stage], stage
        assert one[stage], stage
    again = run_snakemake(tmp_path / "2", "report")
    assert "Nothing to be done" in again.stdout


def test_a_broken_benchmark_stops_no_other_and_says_why(workspace: Path) -> None:
    write_raw(workspace, "good", TINY)
    write_raw(workspace, "bad", TINY.with_columns(score=pl.lit(7.0)))
    run = run_snakemake(workspace, "report")
    assert run.returncode != 0
    message = (
        "ingest_benchmark, benchmark bad: 1 problem in benchmark 'bad':\n"
        "- verdicts.parquet, column 'score': is above 1\n"
        "  found: '7.0'\n"
        "  rows: 4 (first: row 1, 2, 3)\n"
        "  allowed: a number in [0, 1]\n"
    )
    assert message in run.stdout
    assert "Traceback" not in run.stdout
    assert (workspace / "results/site/good/index.html").is_file()
    index = (workspace / "results/site/index.html").read_text()
    assert 'href="good/index.html"' in index
    assert "bad" in index
    mended = workspace / "results/raw/bad/verdicts.parquet"
    TINY.write_parquet(mended)
    again = run_snakemake(workspace, "report")
    assert again.returncode == 0, again.stdout
    assert 'href="bad/index.html"' in (workspace / "results/site/index.html").read_text()


def test_a_changed_file_rebuilds_only_its_benchmark(workspace: Path) -> None:
    write_raw(workspace, "one", TINY)
    write_raw(workspace, "two", TINY)
    assert run_snakemake(workspace, "tables").returncode == 0
    path = workspace / "results/raw/two/verdicts.parquet"
    TINY.with_columns(correct=True).write_parquet(path)
    planned = run_snakemake(workspace, "tables", "--dry-run", "--quiet").stdout
    run = run_snakemake(workspace, "tables")
    assert run.returncode == 0, planned
    assert "ingest_benchmark two" in run.stdout
    assert "ingest_benchmark one" not in run.stdout


def test_odd_names_reach_pages_as_text(workspace: Path) -> None:
    rows = [
        {
            "model": name,
            "item_id": f"i{i}",
            "correct": (i * (m + 2)) % 7 < 4,
            "failure_label": name if i % 3 == 0 else None,
        }
        for m, name in enumerate(ODD_NAMES)
        for i in range(30)
    ]
    write_raw(workspace, "odd", pl.DataFrame(rows))
    run = run_snakemake(workspace, "report")
    assert run.returncode == 0, run.stdout
    site = workspace / "results/site/odd"
    for page in (site / "index.html", site / "leaderboard.html", site / "items" / "0001.html"):
        text = page.read_text()
        assert "<img src=x" not in text
        assert "&lt;img src=x onerror=alert(1)&gt;" in text
        assert "نموذج عربي" in text
    for figure in (workspace / "results/figures/odd").glob("*.svg"):
        assert "<img" not in figure.read_text()
    csv = pl.read_csv(site / "leaderboard.csv", infer_schema=False)
    cells = [cell for column in csv.iter_columns() for cell in column.drop_nulls()]
    assert [cell for cell in cells if cell.startswith(("=", "@"))] == []
    assert any("=HYPERLINK(1)" in cell for cell in cells)


EXTREMES = {
    "one-model": TINY.filter(model="a"),
    "one-item": TINY.filter(item_id="x"),
    "one-row": TINY.head(1),
    "all-correct": TINY.with_columns(correct=True),
    "none-correct": TINY.with_columns(correct=False),
    "no-common-items": pl.DataFrame({"model": ["a", "b"], "item_id": ["x", "y"], "correct": [True, False]}),
    "nothing-scored": TINY.with_columns(correct=pl.lit(None, dtype=pl.Boolean)),
}


def test_extreme_data_build_whole_reports(workspace: Path) -> None:
    for name, frame in EXTREMES.items():
        write_raw(workspace, name, frame)
    run = run_snakemake(workspace, "report")
    assert run.returncode == 0, run.stdout
    index = (workspace / "results/site/index.html").read_text()
    for name in EXTREMES:
        assert (workspace / "results/site" / name / "index.html").stat().st_size > 5000
        assert f'href="{name}/index.html"' in index


def test_unknown_benchmarks_and_keys_are_told_with_a_suggestion(workspace: Path) -> None:
    write_raw(workspace, "medagents", TINY)
    run = run_snakemake(workspace, "report", "--config", "benchmarks=[medagent]")
    assert run.returncode != 0
    assert (
        "benchmark 'medagent' has no verdicts in results/raw/medagent; did you mean 'medagents'?"
        in run.stdout
    )
    run = run_snakemake(workspace, "report", "--config", "benchmark=[medagents]")
    assert "config.yaml, key 'benchmark': is not a known key; did you mean 'benchmarks'?" in run.stdout


def test_a_lenient_run_sets_rows_aside_and_the_report_prints_the_count(workspace: Path) -> None:
    rows = pl.concat([TINY, TINY.head(1)]).with_columns(score=pl.Series([1.0, 0.0, 1.0, 1.0, 1.0]))
    write_raw(workspace, "loose", rows)
    assert run_snakemake(workspace, "report").returncode != 0
    run = run_snakemake(workspace, "report", "--config", "lenient=true")
    assert run.returncode == 0, run.stdout
    assert pl.read_parquet(workspace / "results/derived/loose/quarantine.parquet").height == 1
    assert "1 row set aside" in (workspace / "results/site/loose/index.html").read_text()
