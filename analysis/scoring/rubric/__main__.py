"""Rubrics, keys and scoring sheets: ``python -m analysis.scoring.rubric COMMAND FOLDER``.

``list`` names the project's rubrics; ``lock`` writes the hashes of a folder's vignette keys;
``template`` writes empty sheets for the responses of its verdicts; ``check`` reads all its sheets
and says everything that is wrong.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from analysis.config import BenchmarkCard, read_card
from analysis.errors import ConfigError, DataError, Problem, VerdictAtlasError
from analysis.scoring.rubric.keys import lock_keys
from analysis.scoring.rubric.model import read_rubric, rubric_names
from analysis.scoring.rubric.sheets import MAIN


def main(arguments: list[str] | None = None) -> int:
    """Run one command; 0 where nothing is wrong."""
    parser = argparse.ArgumentParser(prog="python -m analysis.scoring.rubric", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    commands.add_parser("list", help="name the project's rubrics")
    for name, text in (
        ("lock", "write the hashes of the vignettes' keys"),
        ("check", "read the sheets and say what is wrong"),
        ("template", "write empty sheets"),
    ):
        command = commands.add_parser(name, help=text)
        command.add_argument("folder", type=Path, help="the benchmark's raw folder, with benchmark.yaml")
        if name == "template":
            command.add_argument("--rater", required=True, help="who will fill them in")
            command.add_argument("--kind", default="human", choices=("human", "judge", "scorer"))
            command.add_argument("--round", default=MAIN, help="main, or a round of calibration")
            command.add_argument("--seed", type=int, help="shuffle the responses")
            command.add_argument(
                "--out", type=Path, help="file to write (default: sheets/<rater>.csv of the folder)"
            )
    given = parser.parse_args(arguments)
    try:
        return _run(given)
    except VerdictAtlasError as error:
        sys.stderr.write(f"{error}\n")
        return 1


def _run(given: argparse.Namespace) -> int:
    if given.command == "list":
        for name in rubric_names():
            rubric = read_rubric(name)
            sys.stdout.write(f"{name}: {rubric.title} ({len(rubric.fields)} lines; {rubric.source})\n")
        return 0
    card = read_card(given.folder / "benchmark.yaml")
    if given.command == "lock":
        use = card.rubric
        if use is None:
            raise ConfigError(f"benchmark {given.folder.name!r}: the card declares no rubric")
        n = lock_keys(given.folder / use.vignettes)
        sys.stdout.write(f"{n} {'key' if n == 1 else 'keys'} locked in {given.folder / use.vignettes}\n")
        return 0
    return _template(given, card) if given.command == "template" else _check(given.folder, card)


def _template(given: argparse.Namespace, card: BenchmarkCard) -> int:
    import polars as pl

    from analysis.ingest.files import read_parquet_file, verdict_files
    from analysis.scoring.rubric.state import read_state
    from analysis.scoring.rubric.template import write_template

    state = read_state(given.folder, card)
    seen: set[tuple[str, str, int]] = set()
    for source in verdict_files(given.folder):
        frame = read_parquet_file(source)
        run = pl.col("run").cast(pl.Int64) if "run" in frame.columns else pl.lit(0, dtype=pl.Int64)
        seen |= set(frame.select(pl.col("model"), pl.col("item_id").cast(pl.String), run).iter_rows())
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", given.rater).strip(".-") or "rater"
    out: Path = given.out or given.folder / "sheets" / f"{plain}.csv"
    if out.exists():
        raise VerdictAtlasError(f"{out}: exists already; name another file with --out")
    out.parent.mkdir(parents=True, exist_ok=True)
    n = write_template(
        out, state, seen, rater=given.rater, rater_kind=given.kind, round_name=given.round, seed=given.seed
    )
    sys.stdout.write(f"{n} empty sheets written to {out}\n")
    return 0


def _check(folder: Path, card: BenchmarkCard) -> int:
    from analysis.ingest.sheets import join_sheets, read_sheets
    from analysis.scoring.rubric.state import read_state

    state = read_state(folder, card)
    problems: list[Problem] = []
    parts = []
    for source, checks, frame in read_sheets(folder, state):
        problems += [*checks.fatal, *checks.problems]
        if frame is not None:
            parts.append((source.name, frame))
    if parts:
        problems += join_sheets(parts)[1]
    if problems:
        raise DataError(problems, folder.name)
    n = sum(frame.height for _, frame in parts)
    sys.stdout.write(f"{n:,} lines in {len(parts)} files of sheets follow {state.rubric.id}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
