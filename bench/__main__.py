"""``python -m bench [NAME ...]``: run the benchmarks, all or some, and write `bench/results/`."""

from __future__ import annotations

import subprocess
import sys

NAMES = ("workflow", "stats", "agreement", "scale", "tables_at_scale", "importers", "episodes", "rubric")
"""Benchmarks in the order in which they run; each is a program of its own."""


def main(names: list[str]) -> int:
    """Run benchmarks one after the other, so that they do not slow each other."""
    unknown = [name for name in names if name not in NAMES]
    if unknown:
        sys.stderr.write(f"unknown benchmark {unknown[0]!r}; there are: {', '.join(NAMES)}\n")
        return 2
    codes = [
        subprocess.run([sys.executable, "-m", f"bench.{name}"], check=False).returncode for name in names
    ]
    return max(codes)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or list(NAMES)))
