"""The same input gives the same bytes, whatever the number of threads."""

import os
import subprocess
import sys

CODE = """
import hashlib
import numpy as np
from analysis.stats.bootstrap import bootstrap_means
from analysis.stats.confidence_set import model_confidence_set
from analysis.stats.paired import compare_pairs

rng = np.random.default_rng(3)
digest = hashlib.sha256()
for scores in (rng.random((8, 400)), rng.integers(0, 2, (8, 400)).astype(float)):
    scores[rng.random(scores.shape) < 0.05] = np.nan
    options = {"clusters": np.arange(400) // 3, "weights": rng.random(400)}
    for chosen in ({}, options):
        boot = bootstrap_means(scores, rng=np.random.default_rng(0), n_resamples=300, **chosen)
        digest.update(boot.replicates.tobytes())
        digest.update(boot.interval(0.95, "studentized").ci_low.tobytes())
        pairs = compare_pairs(
            scores, rng=np.random.default_rng(0), n_resamples=300, n_permutations=500, level=0.95, **chosen
        )
        for array in (pairs.p_value, pairs.difference, pairs.ci_low, pairs.ci_high):
            digest.update(array.tobytes())
        best = model_confidence_set(
            scores, rng=np.random.default_rng(0), n_resamples=100, alpha=0.1, **chosen
        )
        digest.update(best.p_value.tobytes())
print(digest.hexdigest())
"""


def test_threads_do_not_change_a_digit():
    digests = set()
    for threads in ("1", "2"):
        environment = os.environ | {"OPENBLAS_NUM_THREADS": threads, "OMP_NUM_THREADS": threads}
        done = subprocess.run(
            [sys.executable, "-c", CODE], capture_output=True, text=True, check=True, env=environment
        )
        digests.add(done.stdout)
    assert len(digests) == 1
