"""Write the simulation: ``python -m analysis.demo.rubric OUT``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from analysis.demo.rubric.write import write_rubric_demo


def main(arguments: list[str] | None = None) -> int:
    """Write the raw folder of the simulation and say where it is."""
    parser = argparse.ArgumentParser(prog="python -m analysis.demo.rubric", description=__doc__)
    parser.add_argument("out", type=Path, metavar="OUT", help="folder to write, such as results/raw/rubric")
    out: Path = parser.parse_args(arguments).out
    write_rubric_demo(out)
    sys.stdout.write(f"Simulated ratings written to {out}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
