"""The statistics kernels against what a user would use instead, values checked, in one process.

Run as ``python -m bench.stats``. evalstats is no dependency of the project: without it that
comparison is left out, visibly. eval-arena is not packaged: name a checkout and an interpreter that
has its requirements (``EVAL_ARENA=/path EVAL_ARENA_PYTHON=/path/to/python``) to include it.
"""

from __future__ import annotations

import importlib.util
import sys
import warnings

from bench import stats_bootstrap, stats_everything, stats_pairs
from bench.measure import Comparison, as_table, versions, write_result

NOTES = (
    "Times are processor seconds on one thread (linear algebra included), in one process: ours the best of "
    "three, those of slow peers a single run. 'about' marks a part that was measured and scaled up."
)


def main() -> int:
    """Run all comparisons, print the table and keep it."""
    rows: list[Comparison] = []
    skipped: list[str] = []
    for run in (*stats_bootstrap.RUNS, *stats_pairs.RUNS):
        rows += run()
        print(as_table(rows[-1:]).splitlines()[-1], flush=True)
    if importlib.util.find_spec("evalstats"):
        rows += stats_everything.against_evalstats()
    else:
        skipped.append("evalstats is not installed: left out.")
    arena = stats_everything.against_eval_arena()
    rows += arena
    if not arena:
        skipped.append("EVAL_ARENA is not set: left out.")
    packages = versions("numpy", "scipy", "arch", "statsmodels", "scikit-learn", "evalstats")
    body = "\n\n".join([as_table(rows), *skipped, packages + "."])
    print(body)
    print(write_result("stats", "Statistics kernels side by side", body, NOTES).name)
    return 0


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    sys.exit(main())
