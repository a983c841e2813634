"""The commands: exit codes, JSON, dry runs, what is asked, what is said."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from analysis.cli.app import app
from analysis.config import BenchmarkCard, read_card
from tests.unit.importers.makers import (
    contents,
    inspect_log,
    inspect_sample,
    lm_record,
    write_json,
    write_lm,
)

Invoke = Callable[..., tuple[int, str, str]]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder in which the commands run."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def invoke(place: Path) -> Invoke:
    """Run a command; return exit code, standard output and standard error."""

    def run(*arguments: object) -> tuple[int, str, str]:
        result = CliRunner().invoke(app, [str(a) for a in arguments])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result.exit_code, result.stdout, result.stderr

    return run


@pytest.fixture
def log(place: Path) -> Path:
    samples = [inspect_sample(i, {"match": "C" if i else "I", "f1": i / 4}) for i in range(3)]
    return write_json(place / "logs" / "log.json", inspect_log(samples))


def test_an_open_choice_is_exit_code_3_and_nothing_is_written(invoke: Invoke, log: Path, place: Path) -> None:
    code, out, err = invoke("import", "inspect", log, "-b", "mine")
    assert code == 3
    assert out == ""
    assert err == (
        "Nothing was written: this must be decided first.\n"
        "\n"
        "2 metrics in arith. Which one is the primary? The others are kept as metrics.\n"
        "  --primary f1\n"
        "      3 scored; mean 0.25, from 0 to 0.5\n"
        "  --primary match\n"
        "      3 scored; values 'C', 'I'\n"
    )
    assert [p.name for p in place.iterdir()] == ["logs"]


def test_the_option_that_is_shown_answers(invoke: Invoke, log: Path, place: Path) -> None:
    code, out, err = invoke("import", "inspect", log, "-b", "mine", "--primary", "match")
    assert (code, err) == (0, "")
    assert "1 log (1 read now, 0 known): 3 rows read, 3 written" in out
    assert (place / "results/raw/mine/verdicts.parquet").is_file()
    code, out, _ = invoke("validate", "mine")
    assert code == 0
    assert (
        out.splitlines()[-1] == "mine is valid: rows 3, models 1, items 3, scored 3, excluded 0, set aside 0"
    )


def test_json_alone_stands_on_standard_output(invoke: Invoke, log: Path) -> None:
    code, out, err = invoke("import", "inspect", log, "-b", "mine", "--json")
    data = json.loads(out)
    assert (code, err) == (3, "")
    assert (data["status"], data["questions"][0]["about"]) == ("undecided", "primary")
    assert data["questions"][0]["options"][1]["answer"] == {"primary": ["match"]}
    code, out, _ = invoke("import", "inspect", log, "-b", "mine", "--json", "--primary", "match")
    data = json.loads(out)
    assert (data["status"], data["exit_code"], data["new"]) == ("imported", 0, ["log.json"])
    assert data["import"]["totals"]["rows_written"] == 3


def test_a_dry_run_writes_nothing_and_says_what_it_would(invoke: Invoke, log: Path, place: Path) -> None:
    code, out, _ = invoke("import", "inspect", log, "-b", "mine", "--primary", "match", "--dry-run")
    assert code == 0
    assert "Would write benchmark.yaml, import/logs.json, import/samples.parquet, verdicts.parquet" in out
    assert [p.name for p in place.iterdir()] == ["logs"]
    invoke("import", "inspect", log, "-b", "mine", "--primary", "match")
    before = contents(place / "results")
    invoke("import", "inspect", log, "-b", "mine", "--primary", "f1", "--graded", "f1", "--dry-run")
    assert contents(place / "results") == before


def test_refused_files_are_exit_code_4_beside_good_ones_and_1_alone(invoke: Invoke, log: Path) -> None:
    bad = log.with_name("bad.json")
    bad.write_text('{"version": 1, "status": ')
    code, _, err = invoke("import", "inspect", log.parent, "-b", "mine", "--primary", "match")
    assert code == 4
    assert err == (
        "1 file could not be imported:\n  bad.json is not JSON (it ends in the middle: truncated?)\n"
    )
    assert invoke("import", "inspect", bad, "-b", "other")[0] == 1
    assert invoke("import", "inspect", log.parent.parent / "none", "-b", "other")[0] == 1


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (
            ["import", "nothing", "x", "-b", "m"],
            2,
            "'nothing' is no format; allowed are inspect, lm-eval, helm, ",
        ),
        (["import", "inspect", "x", "-b", "../m"], 1, "benchmark name '../m': allowed are letters, digits"),
        (["import", "inspect", "x", "-b", "m", "--threshold", "a"], 1, "--threshold a: write METRIC=VALUE"),
        (
            ["import", "inspect", "x", "-b", "m", "--threshold", "a=b"],
            1,
            "--threshold a=b: 'b' is not a number",
        ),
        (["import", "inspect", "x", "-b", "m", "--range", "a=1"], 1, "--range a=1: write METRIC=WORST:BEST"),
        (["import", "inspect", "x", "-b", "m", "--range", "a=1:1"], 1, "worst and best value are both 1.0"),
        (["import", "inspect", "x", "-b", "m", "--value", "a=1"], 1, "--value a=1: write METRIC:TEXT=COUNTS"),
        (["import", "inspect", "x", "-b", "m", "--value", "a:b=2"], 1, "allowed is a number from 0 to 1"),
        (
            ["import", "inspect", "x", "-b", "m", "--duplicates", "all"],
            1,
            "--duplicates all: allowed are latest, runs",
        ),
        (
            ["import", "inspect", "x", "-b", "m", "--mapping", "no.yaml"],
            1,
            "--mapping no.yaml: does not exist",
        ),
        (["import", "inspect", "x", "-b", "m", "--items", "no.txt"], 1, "--items no.txt: cannot be read"),
        (["validate", "none"], 1, "benchmark 'none': there is no folder results/raw/none"),
        (["export", "none", "--to", "csv", "--out", "x.csv"], 1, "benchmark 'none': there is no folder"),
    ],
)
def test_wrong_use_is_explained(invoke: Invoke, arguments: list[str], code: int, message: str) -> None:
    found, out, err = invoke(*arguments)
    assert found == code
    assert out == ""
    assert message in err


def test_choices_come_from_options_and_files(invoke: Invoke, place: Path) -> None:
    path = write_lm(
        place / "lm", "t", [lm_record(i, {"acc": i % 2, "f1": 0.5, "ppl": 3 + i}) for i in range(2)]
    )
    (place / "choices.yaml").write_text("primary: [f1]\ngraded: [f1]\nmodel: {'*': org/file}\n")
    code, out, _ = invoke(
        "import", "lm-eval", path, "-b", "mine", "--choices", "choices.yaml",
        "--model", "samples_t*=org/option", "--primary", "ppl", "--range", "ppl=10:0", "--graded", "ppl",
        "--json",
    )  # fmt: skip
    assert code == 0
    choices = json.loads(out)["import"]["choices"]
    assert choices == {
        "graded": ["ppl"],
        "model": {"*": "org/file", "samples_t*": "org/option"},
        "primary": ["ppl"],
        "range": {"ppl": [10.0, 0.0]},
    }
    assert json.loads(out)["import"]["models"][0]["model"] == "org/option"


def test_prices_become_a_models_table(invoke: Invoke, log: Path, place: Path) -> None:
    import polars as pl

    (place / "prices.csv").write_text(
        "model,input_price_usd,output_price_usd\nopenai/gpt-test,1.5,6\nother,1,1\n"
    )
    assert invoke("import", "inspect", log, "-b", "m", "--primary", "match", "--prices", "prices.csv")[0] == 0
    models = pl.read_parquet(place / "results/raw/m/models.parquet")
    assert models.rows() == [("openai/gpt-test", 1.5, 6.0)]


def test_answers_on_the_terminal(log: Path, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from analysis.cli import importing
    from analysis.ingest.importers.pipeline.choices import Choices
    from analysis.ingest.importers.pipeline.run import import_logs

    answers = iter(["1", "2", "0.25"])
    monkeypatch.setattr("rich.prompt.Prompt.ask", lambda *a, **k: next(answers))
    report = import_logs("inspect", [log], place / "b", Choices(), ask=importing.ask_on_terminal)
    # f1 is primary (1); it is graded, and counts from a threshold on (2), which is 0.25.
    assert report.questions == []
    assert report.summary["choices"] == {"primary": ["f1"], "threshold": {"f1": 0.25}}
    assert report.summary["models"][0]["correct"] == 2


def test_stopping_on_the_terminal_writes_nothing(
    log: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from analysis.cli import importing
    from analysis.ingest.importers.pipeline.choices import Choices
    from analysis.ingest.importers.pipeline.run import import_logs

    monkeypatch.setattr("rich.prompt.Prompt.ask", lambda *a, **k: "q")
    report = import_logs("inspect", [log], place / "b", Choices(), ask=importing.ask_on_terminal)
    assert [q.about for q in report.questions] == ["primary"]
    assert not (place / "b").exists()


def test_validate_says_everything_at_once(invoke: Invoke, place: Path) -> None:
    import polars as pl

    folder = place / "results/raw/bad"
    folder.mkdir(parents=True)
    pl.DataFrame({"model": ["a", None], "item_id": ["1", "2"], "score": [0.5, 3.0]}).write_parquet(
        folder / "verdicts.parquet"
    )
    code, out, err = invoke("validate", "bad")
    assert (code, out) == (1, "")
    assert err.startswith("2 problems in benchmark 'bad':\n")
    code, out, _ = invoke("validate", "bad", "--json")
    data = json.loads(out)
    assert (code, data["status"], data["n_problems"]) == (1, "invalid", 2)
    assert {p["column"] for p in data["problems"]} == {"model", "score"}
    assert {p["file"] for p in data["problems"]} == {"verdicts.parquet"}


def test_new_writes_a_card_that_is_valid_as_it_is_and_without_its_marks(invoke: Invoke, place: Path) -> None:
    assert invoke("new", "mine")[0] == 0
    folder = place / "results/raw/mine"
    card = folder / "benchmark.yaml"
    assert read_card(card) == BenchmarkCard()
    text = card.read_text()
    for name in BenchmarkCard.model_fields:
        assert f"\n# {name}:" in text
    code, _, err = invoke("new", "mine")
    assert (code, "has benchmark.yaml, example.csv already" in err) == (1, True)
    code, _, _ = invoke("import", "table", folder / "example.csv", "-b", "mine")
    assert code == 0
    assert invoke("validate", "mine")[0] == 0


def test_every_example_line_of_the_new_card_is_valid(invoke: Invoke, place: Path) -> None:
    import yaml

    invoke("new", "mine")
    text = (place / "results/raw/mine/benchmark.yaml").read_text()
    blocks = [b.split("\n") for b in text.split("\n\n")[1:] if b.strip()]
    for block in blocks:
        lines = [line.removeprefix("# ") for line in block]
        at = next(i for i, line in enumerate(lines) if line.split(":")[0] in BenchmarkCard.model_fields)
        data = {k: v for k, v in yaml.safe_load("\n".join(lines[at:])).items() if v is not None}
        BenchmarkCard.model_validate(data)


def test_demo_writes_a_valid_benchmark(invoke: Invoke, place: Path) -> None:
    assert invoke("demo")[0] == 0
    assert (place / "results/raw/demo/benchmark.yaml").is_file()
    code, _, err = invoke("demo")
    assert (code, err) == (1, "results/raw/demo exists already; --force writes over it\n")


def test_export_writes_the_file_and_its_mapping(invoke: Invoke, log: Path, place: Path) -> None:
    invoke("import", "inspect", log, "-b", "mine", "--primary", "match")
    code, out, _ = invoke("export", "mine", "--to", "csv", "--out", "mine.csv")
    assert (code, out) == (0, "Wrote 3 rows to mine.csv, mine.mapping.yaml\n")
    assert (place / "mine.csv").read_text().splitlines()[:2] == [
        "model,item_id,run,verdict,correct,f1",
        "openai/gpt-test,0,0,incorrect,false,0.0",
    ]
    assert invoke("export", "mine", "--to", "csv", "--out", "mine.csv")[0] == 1
    code, _, err = invoke("export", "mine", "--to", "xml", "--out", "x")
    assert (code, err) == (1, "'xml' is no export format; allowed are csv, jsonl, eval-arena\n")


def test_query_lists_the_queries_of_the_project(invoke: Invoke) -> None:
    code, out, _ = invoke("query", "--json")
    names = [q["name"] for q in json.loads(out)["queries"]]
    assert code == 0
    assert "hardest_items" in names
    code, _, err = invoke("query", "hardest_items")
    assert code == 1
    assert "say which benchmark with --benchmark" in err


def test_doctor_names_every_library_and_program(invoke: Invoke) -> None:
    code, out, _ = invoke("doctor", "--json")
    findings: dict[str, Any] = {f["name"]: f for f in json.loads(out)["findings"]}
    assert code == 0
    assert findings["polars"]["version"]
    assert findings["polars"]["needed"]
    assert {"Python", "quarto", "Chromium", "snakemake", "raw folder", "inspect-ai"} <= set(findings)
    assert not findings["quarto"]["needed"]


def test_doctor_is_exit_code_1_where_something_needed_is_missing(
    invoke: Invoke, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("analysis.cli.examining._required", lambda: ["no-such-library"])
    code, _, err = invoke("doctor")
    assert (code, "Missing: no-such-library." in err) == (1, True)


def test_text_of_the_data_is_never_markup(invoke: Invoke, place: Path) -> None:
    log = inspect_log([inspect_sample(1, {"m": "C"})], model="[red]x[/red]\x1b[31m")
    path = write_json(place / "log.json", log)
    code, out, _ = invoke("import", "inspect", path, "-b", "m")
    assert code == 0
    assert "[red]x[/red]\\x1b[31m" in out


def test_help_names_every_command_and_the_exit_codes(invoke: Invoke) -> None:
    code, out, _ = invoke("--help")
    assert code == 0
    for name in ("import", "validate", "new", "export", "query", "demo", "doctor"):
        assert f"\n  {name} " in out
        assert "Example" in invoke(name, "--help")[1]
    assert "3  a choice is open; nothing was written" in out


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys; from analysis.cli.app import app\n"
        "try: app(['--help'], prog_name='verdict-atlas')\n"
        "except SystemExit: pass\n"
        "heavy = {'polars', 'pyarrow', 'duckdb', 'pydantic', 'yaml', 'numpy', 'rich', 'scipy', 'pandas'}\n"
        "sys.exit(', '.join(sorted(heavy & set(sys.modules))) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_module_runs_as_the_command_does() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "analysis", "--version"], capture_output=True, text=True, check=False
    )
    from analysis import __version__

    assert done.stdout == f"verdict-atlas {__version__}\n"


def test_shell_completion_offers_formats_and_benchmarks(place: Path) -> None:
    from analysis.cli.app import _benchmarks, _formats

    (place / "results/raw/mine").mkdir(parents=True)
    assert [name for name, _ in _formats("e")] == ["eval-arena", "every-eval-ever"]
    assert _benchmarks("m") == ["mine"]
