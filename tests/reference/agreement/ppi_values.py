"""Print what ppi_py 0.2.3 gives for four samples: the numbers of `test_judge_correction.PPI`.

Run in an environment of its own (``pip install ppi-python==0.2.3``); the project does not need it.
"""

from __future__ import annotations

import numpy as np

# Human labels, judge labels more, share of yes, the judge's sensitivity and specificity.
SAMPLES = (
    (60, 800, 0.7, 0.95, 0.8),
    (100, 400, 0.9, 0.97, 0.7),
    (50, 5000, 0.5, 0.8, 0.8),
    (200, 200, 0.3, 0.6, 0.55),
)


def main() -> None:
    """Print cells, then estimate and limits with tuned weight and with weight 1."""
    from ppi_py import ppi_mean_ci, ppi_mean_pointestimate

    for seed, (n, n_rest, share, sensitivity, specificity) in enumerate(SAMPLES):
        rng = np.random.default_rng(seed)
        total = n + n_rest
        human = (rng.random(total) < share).astype(int)
        hit, rejected = rng.random(total) < sensitivity, rng.random(total) >= specificity
        judge = np.where(human == 1, hit, rejected).astype(int)
        pairs = ((1, 1), (1, 0), (0, 1), (0, 0))
        cells = [int(((human[:n] == i) & (judge[:n] == j)).sum()) for i, j in pairs]
        y, f, rest = human[:n].astype(float), judge[:n].astype(float), judge[n:].astype(float)
        found = []
        for weight in (None, 1):
            low, high = ppi_mean_ci(y, f, rest, alpha=0.05, lam=weight)
            estimate = ppi_mean_pointestimate(y, f, rest, lam=weight)
            found += [float(np.squeeze(x)) for x in (estimate, low, high)]
        print((*cells, int(rest.sum()), int(n_rest - rest.sum())), found)  # noqa: T201


if __name__ == "__main__":
    main()
