"""Whatever sessions there are: tables that keep their schema, pages without markup of the data."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from analysis.capabilities import ALL_OF_SESSIONS, possible_tables
from analysis.config import Config
from analysis.derived import derive, write_benchmark
from analysis.ingest.benchmark import read_benchmark
from analysis.reporting.items.panels.sessions import show as show_panel
from analysis.reporting.items.view import ItemView
from analysis.reporting.results import Results
from analysis.reporting.sections import sessions
from analysis.reporting.view import View
from analysis.store import read_table
from tests.property.sessions.generated import frames, generate
from tests.unit.session_analyses.conftest import RULES, Made
from tests.unit.sessions.worked_example import example, write

NEEDS = {"assess_judges": "session_judgements", "validate_metrics": "session_systems"}
HOSTILE = "<script>alert(1)</script>{{< x >}}`$=1+1"


def build(path: Path, files: dict[str, pl.DataFrame], *, card: str = "", verdicts: bool = True) -> Path:
    """Write raw files, read them and derive every table that they make possible."""
    raw = write(path / "raw", files)
    if verdicts:
        keys = files["sessions"].select("model", pl.col("case_id").alias("item_id"))
        run = files["sessions"]["run"] if "run" in files["sessions"].columns else 0
        keys.with_columns(run=run, correct=pl.lit(True)).unique().write_parquet(raw / "verdicts.parquet")
    if card:
        (raw / "benchmark.yaml").write_text(card, encoding="utf-8")
    folder = path / "results" / "derived" / "odd"
    write_benchmark(read_benchmark(raw), folder, Config())
    for rule in RULES:
        needed = NEEDS.get(rule)
        if needed is None or (folder / f"{needed}.parquet").is_file():
            derive(rule, folder)
    return folder


def files_of(raw: Path) -> list[tuple[str, Path]]:
    """Return the raw files of the sessions by stem."""
    return [(path.stem, path) for path in sorted((raw / "sessions").glob("*.parquet"))]


def page(path: Path) -> str:
    """Return the section on consultations."""
    return sessions.show(View(Results.open("odd", path / "results")))


def check(folder: Path) -> None:
    """Check what must hold of any sessions."""
    stages = read_table(folder / "stage_scores.parquet")
    assert (stages["estimate"].drop_nulls().is_between(0, 1)).all()
    lacking = stages.filter(pl.col("lacking").is_not_null())
    assert lacking["estimate"].null_count() == lacking.height
    wide = read_table(folder / "hidden_indicators.parquet")
    for (_,), own in wide.group_by("model"):
        of = dict(own.select("quantity", "estimate").iter_rows())
        if of.get("drop") is not None:
            parts = sum(v for q, v in of.items() if q.startswith("drop_"))
            assert parts == pytest.approx(of["drop"], abs=1e-9)
    errors = read_table(folder / "hidden_errors.parquet")
    for _, own in errors.group_by("model", "coverage_at"):
        of = dict(own.select("error", "n").iter_rows())
        exclusive = [n for e, n in of.items() if e.endswith("_only") or e in ("several", "none")]
        assert sum(exclusive) == own["n_right"][0]
    replayed = read_table(folder / "replayed_turns.parquet")
    keys = read_table(folder / "replayed_sessions.parquet").select("model", "case_id", "run")
    assert replayed.join(keys, on=["model", "case_id", "run"], how="anti").is_empty()


@pytest.mark.parametrize("seed", range(4))
def test_generated_sessions(tmp_path: Path, seed: int) -> None:
    files = frames(generate(seed, n_models=1 + seed))
    if seed % 2:
        models = files["sessions"]["model"].unique().sort().to_list()
        roles = ["baseline" if i == 0 else "model" for i in range(len(models))]
        files["systems"] = pl.DataFrame(
            {
                "model": models,
                "role": roles,
                "base_model": ["b"] * len(models),
                "thinking": [i % 2 == 0 for i in range(len(models))],
            }
        )
    folder = build(tmp_path, files)
    check(folder)
    text = page(tmp_path)
    assert "None" not in re.sub(r"<[^>]*>", "", text)
    assert "nan" not in text


def test_the_worked_example_has_no_treatment_and_says_so(tmp_path: Path) -> None:
    folder = build(tmp_path, example(), verdicts=False)
    check(folder)
    stages = read_table(folder / "stage_scores.parquet")
    assert set(stages["stage"]) == {"history", "diagnosis", "composite", "composite_of_stages"}
    # Seven of twelve: five of history and two of diagnosis.
    assert stages.filter(pl.col("stage") == "composite")["n_metrics"].to_list() == [7]
    history = stages.filter(pl.col("stage") == "history")["estimate"][0]
    expected = [0.35, 1 - 0.0625 / 1.0625, 0.225 / 1.225, 0.5, 1 - 1 / 3]
    assert history == pytest.approx(sum(expected) / 5)
    text = page(tmp_path)
    assert "PSC, DDIV, PCR, FQR and DCSR cannot be computed" in text
    assert read_table(folder / "composite_ranks.parquet").is_empty()


def test_sessions_and_nothing_else(tmp_path: Path) -> None:
    folder = build(tmp_path, {"sessions": example()["sessions"]})
    for table in ("session_scores", "stage_scores", "composite_pairs", "hidden_errors", "replayed_turns"):
        assert read_table(folder / f"{table}.parquet").is_empty(), table
    assert '<p class="absent">There are no consultation sessions.</p>' in page(tmp_path)


def test_a_benchmark_without_sessions_has_no_rows(tmp_path: Path) -> None:
    raw = tmp_path / "raw"
    raw.mkdir()
    pl.DataFrame({"model": ["m"], "item_id": ["c1"], "correct": [True]}).write_parquet(
        raw / "verdicts.parquet"
    )
    write_benchmark(read_benchmark(raw), tmp_path / "derived", Config())
    for rule in RULES:
        derive(rule, tmp_path / "derived")
    for table in ALL_OF_SESSIONS:
        assert read_table(tmp_path / "derived" / f"{table}.parquet").is_empty(), table


def test_repeated_runs_stay_within_their_case(tmp_path: Path) -> None:
    """Ten runs of the same session are one case: no spread between cases, no interval."""
    files = example()
    for stem in ("sessions", "turns", "differentials"):
        files[stem] = pl.concat([files[stem].with_columns(run=pl.lit(i)) for i in range(10)])
    folder = build(tmp_path, files, verdicts=False)
    row = read_table(folder / "session_scores.parquet").filter(pl.col("metric") == "mni_comp")
    assert row.select("n_sessions", "n_defined", "n_cases").row(0) == (10, 10, 1)
    assert row["estimate"].to_list() == pytest.approx([0.35])
    assert row["ci_low"].to_list() == [None]


def test_a_model_of_few_cases_does_not_silence_the_order(made: Made, tmp_path: Path) -> None:
    """A model with a single case is missing from a third of the resamples: the others keep their order."""
    files = {stem: pl.read_parquet(path) for stem, path in files_of(made.raw)}
    few, case = "cedar", "case-005"
    for stem, frame in files.items():
        if {"model", "case_id"} <= set(frame.columns):
            files[stem] = frame.filter((pl.col("model") != few) | (pl.col("case_id") == case))
    folder = build(tmp_path, files, verdicts=False)
    ranks = read_table(folder / "composite_ranks.parquet").filter(pl.col("source") == "cases")
    assert few not in set(ranks["model"])
    assert ranks.height == 5
    stages = read_table(folder / "stage_scores.parquet").filter(pl.col("stage") == "composite")
    assert stages.filter(pl.col("model") == few)["estimate"].null_count() == 0


SCRIPT = """
import sys
from pathlib import Path
import polars as pl
from tests.unit.session_analyses.test_odd_data import build, files_of
build(Path(sys.argv[2]), {s: pl.read_parquet(p) for s, p in files_of(Path(sys.argv[1]))}, verdicts=False)
"""


def test_the_same_bytes_for_one_thread_and_two(made: Made, tmp_path: Path, root: Path) -> None:
    found = []
    for threads in ("1", "2"):
        environment = {**os.environ, "POLARS_MAX_THREADS": threads, "OPENBLAS_NUM_THREADS": threads}
        command = [sys.executable, "-c", SCRIPT, str(made.raw), str(tmp_path / threads)]
        subprocess.run(command, check=True, cwd=root, env=environment)
        tables = sorted((tmp_path / threads / "results" / "derived" / "odd").glob("*.parquet"))
        found.append({p.name: p.read_bytes() for p in tables})
    assert found[0] == found[1]
    assert len(found[0]) > 25


def test_a_declared_cluster_is_what_is_resampled(tmp_path: Path) -> None:
    files = frames(generate(11, n_models=2, n_cases=12))
    cases = files["sessions"]["case_id"].unique().sort()
    raw = write(tmp_path / "raw", files)
    pl.DataFrame({"item_id": cases, "cluster_id": ["one patient"] * len(cases)}).write_parquet(
        raw / "items.parquet"
    )
    folder = build(tmp_path, files, card="cluster: cluster_id\n")
    scores = read_table(folder / "session_scores.parquet")
    assert scores["estimate"].drop_nulls().len() > 20
    assert scores["ci_low"].null_count() == scores.height
    assert scores["n_cases"].max() == 1


def test_text_of_the_data_is_never_markup(tmp_path: Path) -> None:
    files = example()
    files["turns"] = files["turns"].with_columns(question=pl.lit(HOSTILE), intent=pl.lit(HOSTILE))
    files["aius"] = files["aius"].with_columns(text=pl.lit(HOSTILE))
    files["gold"] = files["gold"].with_columns(diagnosis=pl.lit(HOSTILE) + pl.col("diagnosis"))
    files["cases"] = pl.DataFrame({"case_id": ["c1"], "title": [HOSTILE]})
    files["systems"] = pl.DataFrame({"model": ["m"], "role": ["model"]})
    other = {s: f.with_columns(model=pl.lit(HOSTILE)) for s, f in files.items() if "model" in f.columns}
    files |= {s: pl.concat([files[s], f]) for s, f in other.items() if s != "systems"}
    first = pl.DataFrame(
        {"model": ["m"], "case_id": ["c1"], "diagnosis": [HOSTILE + "angina"], "rank": [1]},
        schema_overrides={"rank": files["differentials"]["rank"].dtype},
    )
    kept = files["differentials"].filter(pl.col("model") == "m").with_columns(rank=pl.col("rank") + 1)
    files["differentials"] = pl.concat([first, kept.select(first.columns)])
    build(tmp_path, files, verdicts=False)
    view = ItemView(View(Results.open("odd", tmp_path / "results")), frozenset(["c1"]))
    for text in (page(tmp_path), show_panel(view, "c1")):
        assert text.count("&lt;script&gt;") > 3
        assert "<script" not in text
        assert "{{<" not in text
        assert HOSTILE not in text


def test_which_tables_are_possible(tmp_path: Path) -> None:
    raw = write(tmp_path / "raw", example())
    found = set(possible_tables(raw, None)) & set(ALL_OF_SESSIONS)
    missing = {"judge_reliability", "metric_validity", "paired_factors"}
    assert found == set(ALL_OF_SESSIONS) - missing
    write(raw, {"systems": pl.DataFrame({"model": ["m"], "role": ["model"]})})
    assert "metric_validity" in possible_tables(raw, None)
    assert "paired_factors" not in possible_tables(raw, None)
    assert not set(possible_tables(tmp_path, None)) & set(ALL_OF_SESSIONS)


def test_a_metric_without_a_value_in_any_session_leaves_the_composite_of_all(tmp_path: Path) -> None:
    files = example()
    # Units without a diagnosis they are necessary for: MNI-Comp and CPRw are defined nowhere.
    files["aius"] = files["aius"].drop("mni_of")
    folder = build(tmp_path, files)
    composite = read_table(folder / "stage_scores.parquet").filter(pl.col("stage") == "composite")
    defined = read_table(folder / "metric_definitions.parquet").filter(
        pl.col("tier") == "primary", pl.col("n_defined") > 0
    )
    assert not {"mni_comp", "cprw"} & set(defined["metric"])
    assert composite["n_metrics"].to_list() == [defined.height] * composite.height
    assert composite["estimate"].null_count() == 0
    assert f"the composite is one of {defined.height}." in page(tmp_path)


def test_counts_of_nothing_are_not_shown(tmp_path: Path) -> None:
    files = example()
    files["aius"] = files["aius"].drop("mni_of")
    build(tmp_path, files)
    assert "0 of 0" not in page(tmp_path)
