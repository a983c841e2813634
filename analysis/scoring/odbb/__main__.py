"""Score responses: ``python -m analysis.scoring.odbb GOLD RESPONSES --out FOLDER``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from analysis.errors import VerdictAtlasError
from analysis.scoring.odbb.config import read_scorer_config
from analysis.scoring.odbb.dictionaries import load_dictionaries
from analysis.scoring.odbb.files import read_responses, write_folder
from analysis.scoring.odbb.gold import load_gold, write_lock
from analysis.scoring.odbb.score import Scorer


def main(arguments: list[str] | None = None) -> int:
    """Run the command; the exit code is 1 where the input is wrong."""
    parser = argparse.ArgumentParser(prog="python -m analysis.scoring.odbb", description=__doc__)
    parser.add_argument("gold", type=Path, metavar="GOLD", help="folder with gold.jsonl and gold.sha256")
    parser.add_argument(
        "responses", type=Path, nargs="?", metavar="RESPONSES", help="a .jsonl file or a folder"
    )
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="raw folder, such as results/raw/mine")
    parser.add_argument("--config", type=Path, help="thresholds (YAML); without it, the defaults")
    parser.add_argument("--title", default="", help="title of the benchmark")
    parser.add_argument("--synthetic", default="", help="statement for simulated data")
    parser.add_argument("--lenient", action="store_true", help="set lines that cannot be attributed aside")
    parser.add_argument("--lock", action="store_true", help="write the lock of GOLD after an intended change")
    given = parser.parse_args(arguments)
    if given.lock:
        sys.stdout.write(f"{given.gold.name}: locked at {write_lock(given.gold)}\n")
        return 0
    if given.responses is None or given.out is None:
        parser.error("RESPONSES and --out are needed")
    try:
        dictionaries = load_dictionaries()
        config = read_scorer_config(given.config)
        gold = load_gold(given.gold, dictionaries)
        responses, set_aside = read_responses(given.responses, gold, lenient=given.lenient)
    except VerdictAtlasError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    scored = Scorer(gold, dictionaries, config).score(responses)
    write_folder(
        given.out,
        scored,
        gold,
        dictionaries,
        config,
        set_aside=set_aside,
        title=given.title or given.out.name,
        synthetic=given.synthetic,
    )
    counts = ", ".join(f"{n} {v}" for v, n in scored.verdicts["verdict"].value_counts(sort=True).iter_rows())
    aside = f", {set_aside.height} lines set aside" if set_aside.height else ""
    sys.stdout.write(f"{scored.verdicts.height} responses scored ({counts}){aside}: {given.out}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
