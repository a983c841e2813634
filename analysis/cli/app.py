"""The commands and their options. Each imports what it needs when it runs, so that help is quick."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

OK, FAILED, USAGE, UNDECIDED, PARTIAL = 0, 1, 2, 3, 4
"""Exit codes: fine; wrong data or nothing imported; wrong usage; a choice is open; some files refused."""

EXIT_CODES = """\b
Exit codes:
  0  fine
  1  the data are wrong, or nothing could be imported
  2  wrong usage
  3  a choice is open; nothing was written
  4  imported, but some files were refused
"""


def examples(*lines: str) -> str:
    """Return examples for the end of a command's help, a line each."""
    return "\b\nExamples:\n" + "\n".join(f"  verdict-atlas {line}" for line in lines)


app = typer.Typer(
    help="Columnar analytics and reporting over evaluation results.",
    epilog="Documentation: docs/, from docs/importers/index.md.\n\n" + EXIT_CODES,
    no_args_is_help=True,
    # Help by rich would take three times as long to start; rich serves tables, progress and questions.
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

FORMAT_HELP = (
    "inspect, lm-eval, helm, openai-evals, eval-arena, every-eval-ever, resolved, table, "
    "or auto (every log by what it is; tables only by name)"
)
RAW_HELP = "Folder of the raw benchmarks (default: raw of config/config.yaml, else results/raw)."
Json = Annotated[bool, typer.Option("--json", help="Write the result to standard output as JSON.")]
Raw = Annotated[Path | None, typer.Option("--raw", metavar="FOLDER", help=RAW_HELP)]


def _formats(incomplete: str) -> list[tuple[str, str]]:
    from analysis.ingest.importers.registry import FORMATS

    known = {name: text for name, (_, _, text) in FORMATS.items()}
    known["auto"] = "every log by what it is"
    return [(name, text) for name, text in known.items() if name.startswith(incomplete)]


def _benchmarks(incomplete: str) -> list[str]:
    from analysis.cli.places import raw_folder

    folder = raw_folder(None)
    names = sorted(p.name for p in folder.iterdir() if p.is_dir()) if folder.is_dir() else []
    return [name for name in names if name.startswith(incomplete)]


def _version(value: bool) -> None:
    if value:
        from analysis import __version__

        typer.echo(f"verdict-atlas {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and stop.")
    ] = False,
) -> None:
    """Columnar analytics and reporting over evaluation results."""


@app.command(
    "import",
    epilog=examples(
        "import inspect logs/ --benchmark mine",
        "import lm-eval out/ -b mine --primary exact_match,strict-match",
        "import helm runs/ -b mine --primary exact_match --stratum split --dry-run",
        "import table runs.csv -b mine --mapping mapping.yaml",
    )
    + "\n\n"
    + EXIT_CODES,
)
def import_command(
    format: Annotated[
        str, typer.Argument(metavar="FORMAT", help=FORMAT_HELP, autocompletion=_formats, show_default=False)
    ],
    paths: Annotated[list[Path], typer.Argument(metavar="PATH...", help="Logs, or folders that hold logs.")],
    benchmark: Annotated[
        str,
        typer.Option(
            "--benchmark",
            "-b",
            metavar="NAME",
            help="The benchmark to import into.",
            autocompletion=_benchmarks,
        ),
    ],
    primary: Annotated[
        list[str] | None,
        typer.Option(
            metavar="METRIC",
            help="The primary metric. Several: a task takes the first it has. TASK=METRIC for one task.",
        ),
    ] = None,
    graded: Annotated[
        list[str] | None,
        typer.Option(metavar="METRIC", help="Values from 0 to 1 count as they are."),
    ] = None,
    threshold: Annotated[
        list[str] | None,
        typer.Option(
            metavar="METRIC=VALUE",
            help="Success from that value on (up to it, where lower is better).",
        ),
    ] = None,
    range: Annotated[
        list[str] | None,
        typer.Option(metavar="METRIC=WORST:BEST", help="Scale a metric to 0..1."),
    ] = None,
    value: Annotated[
        list[str] | None,
        typer.Option(
            metavar="METRIC:TEXT=COUNTS",
            help="What a text counts: 0 to 1, exclude, or unscored.",
        ),
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[LOG=]NAME",
            help="Name the model of logs that do not; LOG is a name or a pattern with *.",
        ),
    ] = None,
    model_role: Annotated[
        str | None,
        typer.Option(metavar="ROLE", help="Inspect: take the model of this role."),
    ] = None,
    name_by: Annotated[
        list[str] | None,
        typer.Option(metavar="SETTING", help="Put a setting of the log into the model's name."),
    ] = None,
    duplicates: Annotated[
        str | None,
        typer.Option(
            metavar="latest|runs",
            help="Repeated answers: latest counts, or each a run.",
        ),
    ] = None,
    same_id: Annotated[
        str | None,
        typer.Option(
            metavar="merge|split",
            help="One identifier with different questions: one item or several.",
        ),
    ] = None,
    unfinished: Annotated[
        str | None,
        typer.Option(
            metavar="exclude|score",
            help="Answers of cancelled or failed logs (default: exclude).",
        ),
    ] = None,
    perturbed: Annotated[
        str | None,
        typer.Option(
            metavar="items|exclude",
            help="HELM: perturbed instances are items, or left out.",
        ),
    ] = None,
    items: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|union",
            help="What was asked, where a file lists only what was resolved.",
        ),
    ] = None,
    choices_file: Annotated[
        Path | None,
        typer.Option("--choices", metavar="FILE", help="Choices from a YAML file."),
    ] = None,
    track: Annotated[
        str | None,
        typer.Option(
            metavar="KEY",
            help="Metadata key for tracks (default: the task, of several).",
        ),
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(metavar="KEY", help="Metadata key for clusters."),
    ] = None,
    stratum: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY", help="Metadata key for strata."),
    ] = None,
    keep: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY", help="Further metadata key to keep as an item column."),
    ] = None,
    rater: Annotated[
        list[str] | None,
        typer.Option(
            metavar="METRIC[=KIND]",
            help="A metric that is a rating (judge, human, scorer); none for none.",
        ),
    ] = None,
    prices: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="CSV with model, input_price_usd, output_price_usd (per million tokens).",
        ),
    ] = None,
    mapping: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Tables: which column is what (YAML)."),
    ] = None,
    full: Annotated[
        bool | None,
        typer.Option("--full/--summaries", help="Inspect: read whole samples, or summaries."),
    ] = None,
    replace: Annotated[
        bool,
        typer.Option("--replace", help="Forget logs and choices of earlier imports."),
    ] = False,
    force: Annotated[
        bool,
        typer.Option("--force", help="Overwrite files that no import has written."),
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be written.")] = False,
    no_input: Annotated[bool, typer.Option("--no-input", help="Never ask on the terminal.")] = False,
    as_json: Json = False,
    raw: Raw = None,
) -> None:
    """Import other tools' logs into a benchmark.

    Only new and changed logs are read. What a person must decide is asked for, on a terminal or with
    the option that answers it; choices are kept in import.json and hold for later imports.
    """
    from analysis.cli import importing

    lists = {
        "primary": primary,
        "graded": graded,
        "threshold": threshold,
        "range": range,
        "value": value,
        "model": model,
        "name_by": name_by,
        "strata": stratum,
        "covariates": keep,
        "raters": rater,
    }
    single = {
        "model_role": model_role,
        "duplicates": duplicates,
        "same_id": same_id,
        "unfinished": unfinished,
        "perturbed": perturbed,
        "items": items,
        "track": track,
        "cluster": cluster,
        "prices": prices,
        "mapping": mapping,
        "full": full,
    }
    given = {k: v for k, v in {**lists, **single}.items() if v is not None and v != []}
    code = importing.run(
        format,
        paths,
        benchmark,
        given,
        choices_file=choices_file,
        replace=replace,
        force=force,
        dry_run=dry_run,
        no_input=no_input,
        as_json=as_json,
        raw=raw,
    )
    raise typer.Exit(code)


@app.command(epilog=examples("validate mine", "validate mine --json") + "\n\n" + EXIT_CODES)
def validate(
    benchmark: Annotated[
        str, typer.Argument(metavar="NAME", help="The benchmark.", autocompletion=_benchmarks)
    ],
    lenient: Annotated[
        bool, typer.Option("--lenient", help="Count faulty rows as set aside rather than as errors.")
    ] = False,
    as_json: Json = False,
    raw: Raw = None,
) -> None:
    """Check a benchmark's folder: everything that is wrong, at once, with file, column, values and rows."""
    from analysis.cli import checking

    raise typer.Exit(checking.validate(benchmark, lenient=lenient, as_json=as_json, raw=raw))


@app.command(epilog=examples("new mine"))
def new(
    benchmark: Annotated[str, typer.Argument(metavar="NAME", help="The benchmark.")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be written.")] = False,
    as_json: Json = False,
    raw: Raw = None,
) -> None:
    """Start a benchmark: a commented benchmark.yaml, and an example of its verdicts."""
    from analysis.cli import starting

    raise typer.Exit(starting.new(benchmark, dry_run=dry_run, as_json=as_json, raw=raw))


@app.command(
    epilog=examples("export mine --to csv --out mine.csv", "export mine --to eval-arena --out mine.jsonl")
)
def export(
    benchmark: Annotated[
        str, typer.Argument(metavar="NAME", help="The benchmark.", autocompletion=_benchmarks)
    ],
    to: Annotated[str, typer.Option("--to", metavar="FORMAT", help="csv, jsonl or eval-arena.")],
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="The file to write.")],
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file.")] = False,
    as_json: Json = False,
    raw: Raw = None,
) -> None:
    """Write a benchmark's verdicts for other tools; importing them again gives the same verdicts."""
    from analysis.cli import exporting

    raise typer.Exit(exporting.export(benchmark, to, out, force=force, as_json=as_json, raw=raw))


@app.command(
    epilog=examples(
        "query", "query hardest_items --benchmark demo", "query mine.sql --set track=all --out rows.csv"
    )
)
def query(
    file: Annotated[
        str | None,
        typer.Argument(metavar="FILE.sql", help="An SQL file, or a query of queries/ by its name."),
    ] = None,
    benchmark: Annotated[
        str,
        typer.Option(
            "--benchmark", "-b", metavar="NAME", help="The benchmark (default: the only one built)."
        ),
    ] = "",
    parameter: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Set a parameter of the query.")
    ] = None,
    engine: Annotated[str, typer.Option(metavar="duckdb|polars", help="What runs it.")] = "duckdb",
    rows: Annotated[int, typer.Option(help="Rows to show at most, 0 for all.")] = 50,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write to .parquet or .csv instead.")
    ] = None,
    results: Annotated[Path, typer.Option(help="Folder that holds derived/.")] = Path("results"),
    as_json: Json = False,
) -> None:
    """Run SQL on a benchmark's tables; without a file, list the queries of the project."""
    from analysis.cli import querying

    code = querying.query(
        file, benchmark, parameter or [], engine=engine, rows=rows, out=out, results=results, as_json=as_json
    )
    raise typer.Exit(code)


@app.command(epilog=examples("demo"))
def demo(
    benchmark: Annotated[
        str, typer.Argument(metavar="NAME", help="Name of the benchmark to write.")
    ] = "demo",
    force: Annotated[bool, typer.Option("--force", help="Write over a folder that exists.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be written.")] = False,
    as_json: Json = False,
    raw: Raw = None,
) -> None:
    """Write the simulated demonstration benchmark."""
    from analysis.cli import starting

    raise typer.Exit(starting.demo(benchmark, force=force, dry_run=dry_run, as_json=as_json, raw=raw))


@app.command(epilog=examples("doctor", "doctor --json"))
def doctor(as_json: Json = False) -> None:
    """Show what is installed: Python, the libraries, Quarto, a browser, the folders."""
    from analysis.cli import examining

    raise typer.Exit(examining.doctor(as_json=as_json))
