"""Agreement and coverage against what a user would use instead, values checked equal.

Run as ``python -m bench.agreement``. apricot-select needs an older numpy than the project: where it
cannot be imported, name an interpreter that has it (``APRICOT_PYTHON=/path/to/python``); otherwise
that comparison is left out, visibly.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from analysis.stats.agreement import pairwise_kappas
from analysis.stats.greedy import greedy_coverage
from analysis.stats.reliability import estimate_alpha
from analysis.stats.resampled_units import ResampledUnits
from bench.measure import Comparison, as_table, best_of, versions, write_result

NOTES = "Times are processor seconds on one thread: ours the best of three, those of slow peers a single run."
APRICOT = """
import json, sys, time
import numpy as np
from apricot import MaxCoverageSelection
solved = np.load(sys.argv[1]).astype(np.float64)
MaxCoverageSelection(2, optimizer="naive").fit(solved[:4])
times = []
for _ in range(3):
    start = time.process_time()
    found = MaxCoverageSelection(solved.shape[0], optimizer="naive").fit(solved)
    times.append(time.process_time() - start)
covered = np.logical_or.accumulate(solved[found.ranking] > 0, axis=0).sum(axis=1)
print(json.dumps({"seconds": min(times), "covered": covered.tolist()}))
"""


def kappas_of_all_pairs() -> Comparison:
    """Compute kappa for 1,225 pairs: 50 raters, 1,000 responses, three categories."""
    from sklearn.metrics import cohen_kappa_score

    rng = np.random.default_rng(1)
    truth = rng.integers(0, 3, 1000)
    codes = np.where(rng.random((50, 1000)) < 0.6, truth, rng.integers(0, 3, (50, 1000)))
    upper = list(zip(*np.triu_indices(50, 1), strict=True))
    ours, kappas = best_of(lambda: pairwise_kappas(codes, 3))
    theirs, loop = best_of(lambda: [cohen_kappa_score(codes[a], codes[b]) for a, b in upper], repeats=1)
    assert np.allclose([kappas.kappa[a, b] for a, b in upper], loop)
    task = "kappa of 1,225 pairs of raters, 1,000 responses, three categories"
    return Comparison(task, "scikit-learn cohen_kappa_score in a loop", ours, theirs, "kappa equal to 1e-8")


def greedy_against_apricot() -> Comparison | None:
    """Compute greedy coverage of 50 models and 1,000 items; None where apricot-select is not here."""
    python = sys.executable if importlib.util.find_spec("apricot") else os.environ.get("APRICOT_PYTHON")
    if python is None:
        return None
    rng = np.random.default_rng(2)
    solved = rng.random((50, 1000)) < rng.beta(0.5, 2, 1000)
    ours, path = best_of(lambda: greedy_coverage(solved))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "solved.npy"
        np.save(file, solved)
        out = subprocess.run([python, "-c", APRICOT, str(file)], capture_output=True, text=True, check=True)
    found = json.loads(out.stdout.splitlines()[-1])
    # Ties may be broken otherwise; the number covered at the first steps may not differ.
    assert found["covered"][:5] == path.covered[:5].tolist()
    task, peer = "greedy coverage, 50 models x 1,000 items", "apricot-select MaxCoverageSelection"
    return Comparison(task, peer, ours, found["seconds"], "items covered equal over the first five steps")


def greedy_of_half_a_million() -> tuple[str, float]:
    """Compute greedy coverage of 200 models and 500,000 items, packing included."""
    rng = np.random.default_rng(3)
    hard = rng.beta(0.4, 1.5, 500_000).astype(np.float32)
    solved = np.stack([rng.random(500_000, dtype=np.float32) < hard for _ in range(200)])
    seconds, path = best_of(lambda: greedy_coverage(solved), repeats=1)
    assert path.covered[-1] == solved.any(axis=0).sum()
    return "greedy coverage, 200 models x 500,000 items, packing included", seconds


def alpha_of_many_ratings() -> list[tuple[str, float]]:
    """Compute alpha of 150,000 ratings: three raters, five categories, with 2,000 resamples."""
    import krippendorff

    rng = np.random.default_rng(4)
    ratings = np.clip(rng.integers(0, 5, 50_000) + rng.integers(-1, 2, (3, 50_000)), 0, 4).astype(float)
    rows = []
    for metric in ("nominal", "ordinal", "interval"):
        draws = ResampledUnits.create(50_000, rng=np.random.default_rng(1), n_resamples=2000)
        seconds, result = best_of(
            lambda m=metric, d=draws: estimate_alpha(ratings, m, units=d, level=0.95), repeats=1
        )
        assert np.isclose(result.estimate[0], krippendorff.alpha(ratings, level_of_measurement=metric))
        rows.append((f"{metric} alpha of 150,000 ratings, interval from 2,000 resamples", seconds))
    return rows


def main() -> None:
    """Run everything, print the tables and keep them."""
    apricot = greedy_against_apricot()
    rows = [kappas_of_all_pairs(), *([] if apricot is None else [apricot])]
    alone = [greedy_of_half_a_million(), *alpha_of_many_ratings()]
    body = [as_table(rows)]
    if apricot is None:
        body.append("apricot-select is not here: that comparison is left out.")
    lines = [f"| {what} | {seconds:.2g} s |" for what, seconds in alone]
    body.append("\n".join(["| alone, at most 5 s wanted | ours |", "|---|---:|", *lines]))
    body.append(f"{versions('numpy', 'scikit-learn', 'krippendorff')}.")
    text = "\n\n".join(body)
    print(text)
    print(write_result("agreement", "Agreement and coverage beside their peers", text, NOTES).name)


if __name__ == "__main__":
    main()
