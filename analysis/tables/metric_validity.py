"""`metric_validity`: which metrics put baselines below the models, and a reference above them.

Baselines that refuse, ask by rote or guess should score worse than any model, and people who do this
for a living no worse. A metric that says otherwise measures something else there: a refusal is safe.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from analysis.schemas import MetricValidity
from analysis.stats.composite import percentile_limits
from analysis.tables.data import BenchmarkData, Made, table_frame
from analysis.tables.session_matrix import SessionMatrix, lay_out_sessions, without


def derive(data: BenchmarkData) -> Made:
    """Make `metric_validity`."""
    if "sessions" not in data.sessions:
        return without("metric_validity")
    method = (
        "Means of baselines and references against those of each model; against beyond what the cases leave "
        f"open: expanded limits of the difference, {data.settings.resamples:,} joint resamples of cases"
    )
    return {"metric_validity": (compare_baselines(lay_out_sessions(data)), method)}


def compare_baselines(matrix: SessionMatrix) -> pl.DataFrame:
    """Compare every baseline and reference with every model, metric by metric.

    Returns
    -------
    pl.DataFrame
        Rows of the `MetricValidity` schema; none where all systems are models.
    """
    others = [i for i, role in enumerate(matrix.roles) if role != "model"]
    models = matrix.ranked
    parts: list[pl.DataFrame] = [MetricValidity.create_empty()]
    if not others or not models.size:
        return parts[0]
    means, m = matrix.metric_means(), len(matrix.models)
    for at, row in enumerate(matrix.definitions.iter_rows(named=True)):
        own = slice(at * m, (at + 1) * m)
        sign = 1.0 if row["direction"] == "higher" else -1.0
        value, drawn = sign * means.estimate[own], sign * means.replicates[:, own]
        known = models[~np.isnan(value[models])]
        best, worst = (f(value[known]) * sign if known.size else np.nan for f in (np.max, np.min))
        for i in others:
            wanted = 1.0 if matrix.roles[i] == "baseline" else -1.0
            compared = known if not np.isnan(value[i]) else known[:0]
            # Positive: the model stands on the wished side of the baseline (better) or reference (worse).
            ahead = wanted * (value[compared] - value[i])
            _, high = percentile_limits(
                wanted * (drawn[:, compared] - drawn[:, i : i + 1]),
                np.minimum(means.n_cases[own][compared], means.n_cases[own][i]),
                level=matrix.level,
            )
            same = np.isnan(high)
            against = np.where(same, ahead < 0, high < 0)
            # Better than a baseline is meant strictly; a reference may be reached.
            good = ahead > 1e-12 if wanted > 0 else ahead >= -1e-12
            columns = {
                "metric": row["metric"],
                "system": matrix.models[i],
                "role": matrix.roles[i],
                "tier": row["tier"],
                "direction": row["direction"],
                "estimate": means.estimate[own][i],
                "ci_low": means.low[own][i],
                "ci_high": means.high[own][i],
                "level": matrix.level,
                "best_model": best,
                "worst_model": worst,
                "n_models": int(compared.size),
                "n_as_wished": int(good.sum()),
                "n_against": int(against.sum()),
                "as_wished": bool(good.all()) if compared.size else None,
            }
            parts.append(table_frame(MetricValidity, {k: _one(v) for k, v in columns.items()}, 1))
    return pl.concat(parts)


def _one(value: object) -> object:
    """Return a single number as Python's own: a table takes it for every row."""
    return value.item() if isinstance(value, np.generic) else value
