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
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from analysis.stats.agreement import pairwise_kappas
from analysis.stats.greedy import greedy_coverage
from analysis.stats.reliability import estimate_alpha
from analysis.stats.resampled_units import ResampledUnits

APRICOT = """
import json, sys, time
import numpy as np
from apricot import MaxCoverageSelection
solved = np.load(sys.argv[1]).astype(np.float64)
MaxCoverageSelection(2, optimizer="naive").fit(solved[:4])
times = []
for _ in range(3):
    start = time.perf_counter()
    found = MaxCoverageSelection(solved.shape[0], optimizer="naive").fit(solved)
    times.append(time.perf_counter() - start)
covered = np.logical_or.accumulate(solved[found.ranking] > 0, axis=0).sum(axis=1)
print(json.dumps({"seconds": min(times), "covered": covered.tolist()}))
"""


def best_of(run: Callable[[], Any], repeats: int = 3) -> tuple[float, Any]:
    """Return the shortest of several times, and what the last run returned."""
    seconds, result = [], None
    for _ in range(repeats):
        start = time.perf_counter()
        result = run()
        seconds.append(time.perf_counter() - start)
    return min(seconds), result


def kappas_of_all_pairs() -> dict[str, Any]:
    """Compute kappa for 1,225 pairs: 50 raters, 1,000 responses, three categories."""
    from sklearn.metrics import cohen_kappa_score

    rng = np.random.default_rng(1)
    truth = rng.integers(0, 3, 1000)
    codes = np.where(rng.random((50, 1000)) < 0.6, truth, rng.integers(0, 3, (50, 1000)))
    upper = list(zip(*np.triu_indices(50, 1), strict=True))
    ours, kappas = best_of(lambda: pairwise_kappas(codes, 3))
    theirs, loop = best_of(lambda: [cohen_kappa_score(codes[a], codes[b]) for a, b in upper], repeats=1)
    assert np.allclose([kappas.kappa[a, b] for a, b in upper], loop)
    return row("kappa, 1,225 pairs", ours, "scikit-learn, one pair after the other", theirs, 50)


def greedy_against_apricot() -> dict[str, Any]:
    """Compute greedy coverage of 50 models and 1,000 items."""
    rng = np.random.default_rng(2)
    solved = rng.random((50, 1000)) < rng.beta(0.5, 2, 1000)
    ours, path = best_of(lambda: greedy_coverage(solved))
    python = sys.executable if importlib.util.find_spec("apricot") else os.environ.get("APRICOT_PYTHON")
    name = "greedy coverage, 50 x 1,000"
    if python is None:
        return {"what": name, "seconds": ours, "note": "apricot-select is not here: comparison left out"}
    file = Path("bench") / "results" / "solved.npy"
    np.save(file, solved)
    out = subprocess.run([python, "-c", APRICOT, str(file)], capture_output=True, text=True, check=True)
    file.unlink()
    found = json.loads(out.stdout.splitlines()[-1])
    # Ties may be broken otherwise; the number covered at the first steps may not differ.
    assert found["covered"][:5] == path.covered[:5].tolist()
    return row(name, ours, "apricot-select, MaxCoverageSelection", found["seconds"], 100)


def greedy_of_half_a_million() -> dict[str, Any]:
    """Compute greedy coverage of 200 models and 500,000 items, packing included."""
    rng = np.random.default_rng(3)
    hard = rng.beta(0.4, 1.5, 500_000).astype(np.float32)
    solved = np.stack([rng.random(500_000, dtype=np.float32) < hard for _ in range(200)])
    seconds, path = best_of(lambda: greedy_coverage(solved), repeats=1)
    assert path.covered[-1] == solved.any(axis=0).sum()
    return {"what": "greedy coverage, 200 x 500,000", "seconds": seconds, "limit_seconds": 5.0}


def alpha_of_many_ratings() -> list[dict[str, Any]]:
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
        name = f"alpha ({metric}) of 150,000 ratings with interval"
        rows.append({"what": name, "seconds": seconds, "limit_seconds": 5.0})
    return rows


def row(what: str, ours: float, other: str, theirs: float, wanted: float) -> dict[str, Any]:
    """Return one comparison."""
    return {
        "what": what,
        "seconds": ours,
        "other": other,
        "other_seconds": theirs,
        "ratio": theirs / ours,
        "wanted_ratio": wanted,
    }


def main() -> None:
    """Run everything, print it and keep it in ``bench/results/agreement.json``."""
    rows = [
        kappas_of_all_pairs(),
        greedy_against_apricot(),
        greedy_of_half_a_million(),
        *alpha_of_many_ratings(),
    ]
    for one in rows:
        text = f"{one['what']}: {one['seconds']:.4g} s"
        if "ratio" in one:
            text += f"; {one['other']}: {one['other_seconds']:.4g} s, {one['ratio']:.0f} times"
            text += f" (wanted: {one['wanted_ratio']:.0f})"
        text += f" (wanted: under {one['limit_seconds']:.0f} s)" if "limit_seconds" in one else ""
        text += f" - {one['note']}" if "note" in one else ""
        print(text)
    out = Path("bench") / "results" / "agreement.json"
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
