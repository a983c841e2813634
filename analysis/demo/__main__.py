"""Write the demonstration benchmark: ``python -m analysis.demo OUT``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from analysis.demo.simulate import write_demo


def main(arguments: list[str] | None = None) -> int:
    """Write the demonstration's raw folder and say where it is."""
    parser = argparse.ArgumentParser(prog="python -m analysis.demo", description=__doc__)
    parser.add_argument("out", type=Path, metavar="OUT", help="folder to write, such as results/raw/demo")
    out: Path = parser.parse_args(arguments).out
    write_demo(out)
    sys.stdout.write(f"Simulated benchmark written to {out}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
