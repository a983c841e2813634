"""Write the simulated consultations: ``python -m analysis.demo.medconsult OUT``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from analysis.demo.medconsult.write import write_medconsult


def main(arguments: list[str] | None = None) -> int:
    """Write the raw folder of the simulation and say where it is."""
    parser = argparse.ArgumentParser(prog="python -m analysis.demo.medconsult", description=__doc__)
    parser.add_argument(
        "out", type=Path, metavar="OUT", help="folder to write, such as results/raw/medconsult"
    )
    out: Path = parser.parse_args(arguments).out
    write_medconsult(out)
    sys.stdout.write(f"Simulated consultations written to {out}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
