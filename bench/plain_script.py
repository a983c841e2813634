"""What a user would write instead: pandas, scipy, statsmodels and scikit-learn in loops.

The core tables of one benchmark, from the same validated rows: scores with Wilson limits and a
cluster bootstrap, counts, greedy coverage, concordance, paired permutation tests of neighbours,
labels and strata. Run as a program, it prints its seconds and its numbers as JSON.
"""

from __future__ import annotations

import json
import sys
import time
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.proportion import proportion_confint


def core_tables(derived: Path, *, n_resamples: int = 2000, n_permutations: int = 10_000) -> dict[str, Any]:
    """Compute the core tables of the track `all`."""
    verdicts = pd.read_parquet(derived / "verdicts.parquet")
    items = pd.read_parquet(derived / "items.parquet")
    scored = verdicts[verdicts["correct"].notna()].assign(correct=lambda d: d["correct"].astype(float))
    cells = scored.groupby(["model", "item_id"])["correct"].mean().unstack("item_id")
    out: dict[str, Any] = {"estimate": cells.mean(axis=1).to_dict()}
    order = sorted(out["estimate"], key=lambda m: (-round(out["estimate"][m], 12), m))
    out["wilson"] = {
        m: proportion_confint(round(cells.loc[m].sum()), cells.loc[m].count(), method="wilson") for m in order
    }
    out["interval"] = cluster_bootstrap(cells, items, n_resamples)
    solved = cells >= 0.5
    out["k"] = solved.sum().value_counts().sort_index().to_dict()
    out["greedy"] = greedy(solved)
    mode = scored.groupby(["model", "item_id"])["verdict"].agg(lambda v: v.mode().iloc[0]).unstack("item_id")
    out["concordance"] = {}
    for a, b in combinations(order, 2):
        both = mode.loc[[a, b]].dropna(axis=1)
        kappa = cohen_kappa_score(both.loc[a], both.loc[b])
        out["concordance"][a, b] = (float((both.loc[a] == both.loc[b]).mean()), float(kappa))
    rng = np.random.default_rng(0)
    out["p_next"] = {}
    for a, b in pairwise(order):
        both = cells.loc[[a, b]].dropna(axis=1)
        test = stats.permutation_test(
            (both.loc[a].to_numpy(), both.loc[b].to_numpy()),
            lambda x, y, axis: np.mean(x, axis=axis) - np.mean(y, axis=axis),
            permutation_type="samples",
            n_resamples=n_permutations,
            vectorized=True,
            rng=rng,
        )
        out["p_next"][a, b] = float(test.pvalue)
    exploded = verdicts.explode("labels").dropna(subset="labels")
    out["labels"] = exploded.groupby(["model", "labels"])["item_id"].nunique().to_dict()
    by_type = cells.T.join(items.set_index("item_id")["question_type"]).groupby("question_type").mean()
    out["strata"] = by_type.stack().to_dict()
    return out


def cluster_bootstrap(
    cells: pd.DataFrame, items: pd.DataFrame, n_resamples: int
) -> dict[str, tuple[float, float]]:
    """Resample clusters and take percentiles, one resample after the other."""
    cluster = items.set_index("item_id")["cluster_id"].reindex(cells.columns)
    sums, counts = cells.T.groupby(cluster).sum().to_numpy(), cells.T.groupby(cluster).count().to_numpy()
    rng = np.random.default_rng(0)
    means = np.empty((n_resamples, cells.shape[0]))
    for i in range(n_resamples):
        drawn = rng.integers(0, len(sums), len(sums))
        means[i] = sums[drawn].sum(axis=0) / counts[drawn].sum(axis=0)
    low, high = np.percentile(means, [2.5, 97.5], axis=0)
    return {m: (float(a), float(b)) for m, a, b in zip(cells.index, low, high, strict=True)}


def greedy(solved: pd.DataFrame) -> list[tuple[str, int]]:
    """Add the model that solves most of what is left."""
    sets = {m: set(solved.columns[solved.loc[m]]) for m in solved.index}
    covered: set[str] = set()
    path = []
    while sets:
        model = min(sets, key=lambda m: (-len(sets[m] - covered), -len(solved.columns[solved.loc[m]]), m))
        gained = len(sets[model] - covered)
        covered |= sets.pop(model)
        path.append((model, gained))
    return path


if __name__ == "__main__":
    start = time.perf_counter()
    tables = core_tables(Path(sys.argv[1]))
    json.dump({"seconds": time.perf_counter() - start, "greedy": tables["greedy"]}, sys.stdout)
