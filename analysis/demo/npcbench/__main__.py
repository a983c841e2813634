"""Write the reconstruction: ``python -m analysis.demo.npcbench OUT``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from analysis.demo.npcbench.write import write_npcbench


def main(arguments: list[str] | None = None) -> int:
    """Write the raw folder of the reconstruction and say where it is."""
    parser = argparse.ArgumentParser(prog="python -m analysis.demo.npcbench", description=__doc__)
    parser.add_argument("out", type=Path, metavar="OUT", help="folder to write, such as results/raw/npcbench")
    out: Path = parser.parse_args(arguments).out
    write_npcbench(out)
    sys.stdout.write(f"Reconstruction (not the authors' data) written to {out}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
