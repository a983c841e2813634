"""`endpoint_scores`: the card's further endpoints, beyond the mean over items."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from analysis.card_episodes import Endpoint
from analysis.matrix import ALL, VerdictMatrix
from analysis.schemas import EndpointScores
from analysis.seeds import generator_for
from analysis.stats.additive import Estimates
from analysis.stats.class_means import estimate_class_means, estimate_conditional
from analysis.stats.episodes import count_clusters, joint_outcomes
from analysis.stats.proportions import wilson_interval
from analysis.stats.resampled_units import ResampledUnits
from analysis.tables.data import BenchmarkData, Made, table_frame
from analysis.tables.staging import derive_stages

Row = dict[str, object]


def derive(data: BenchmarkData) -> Made:
    """Make `endpoint_scores`."""
    unit = f"clusters ({data.card.cluster})" if data.card.cluster else "items"
    method = (
        f"Bootstrap over {unit}, {data.settings.resamples:,} resamples (of conditional shares bias-corrected "
        "and accelerated); Wilson for shares where no two items share a unit"
    )
    return {"endpoint_scores": (score_endpoints(data), method)}


def score_endpoints(data: BenchmarkData) -> pl.DataFrame:
    """Estimate every endpoint that the card declares.

    Parameters
    ----------
    data : BenchmarkData
        The validated tables.

    Returns
    -------
    pl.DataFrame
        Rows of the `EndpointScores` schema; none for a model without an item of the endpoint.
    """
    rows: list[Row] = []
    for name, endpoint in data.card.endpoints.items():
        if endpoint.staging is not None:
            found = _staged(data, name, endpoint)
        elif endpoint.given is not None:
            found = _conditional(data, name, endpoint)
        else:
            found = _means(data, name, endpoint)
        rows += [{"track": endpoint.track or ALL, "endpoint": name, **row} for row in found]
    columns = {column: [row[column] for row in rows] for column in EndpointScores.column_names()}
    return table_frame(EndpointScores, columns, len(rows))


@dataclass(frozen=True)
class _Scores:
    """Scores of M models on the N items of an endpoint.

    Parameters
    ----------
    models : tuple of str
        M models.
    values : ndarray of float, shape (M, N)
        Scores; NaN where there is none.
    classes : list of str, length N
        Class or group of each item; `""` where the endpoint has none.
    clusters : ndarray of int, shape (N,)
        Unit of each item.
    n_left_out : ndarray of int, shape (M,)
        What was asked and does not count.
    """

    models: tuple[str, ...]
    values: npt.NDArray[np.float64]
    classes: list[str]
    clusters: npt.NDArray[np.int64]
    n_left_out: npt.NDArray[np.int64]


def _matrix(data: BenchmarkData, endpoint: Endpoint) -> VerdictMatrix:
    """Return the cells of an endpoint's items that any model has answered, of every component."""
    matrix = data.matrix("correct", "failure" if data.card.missing == "failure" else "exclude")
    keep = np.asarray(matrix.has_cell.any(axis=0))
    for column, value in {"track": endpoint.track, **endpoint.where}.items():
        if value is not None:
            keep &= (matrix.items[column].cast(pl.String) == value).fill_null(False).to_numpy()
    part = matrix.select_items(keep)
    return part.select_models(part.models_with_cells)


def _units(matrix: VerdictMatrix) -> npt.NDArray[np.int64]:
    codes = np.arange(matrix.items.height) if matrix.clusters is None else matrix.clusters
    return np.asarray(codes, dtype=np.int64)


def _resampled(data: BenchmarkData, name: str, clusters: npt.NDArray[np.int64]) -> ResampledUnits:
    return ResampledUnits.create(
        clusters.size,
        rng=generator_for(data.settings.seed, "endpoint", name),
        n_resamples=data.settings.resamples,
        clusters=clusters,
    )


def _means(data: BenchmarkData, name: str, endpoint: Endpoint) -> Iterator[Row]:
    """Yield accuracy, and by class or group, of the endpoint's items."""
    matrix = _matrix(data, endpoint)
    if endpoint.component is not None:
        matrix = matrix.select_items(
            (matrix.items["component"] == endpoint.component).fill_null(False).to_numpy()
        )
        matrix = matrix.select_models(matrix.models_with_cells)
    column = endpoint.classes or endpoint.groups
    labels = pl.Series([""] * matrix.items.height) if column is None else matrix.items[column].cast(pl.String)
    named = labels.is_not_null().to_numpy()
    has = matrix.has_cell & named
    values = np.where(has, matrix.values.astype(np.float64), np.nan)
    left_out = matrix.items.height - has.sum(axis=1)
    units = _units(matrix)[named]
    scores = _Scores(matrix.models, values[:, named], labels.drop_nulls().to_list(), units, left_out)
    yield from _class_rows(data, name, endpoint, scores)


def _staged(data: BenchmarkData, name: str, endpoint: Endpoint) -> Iterator[Row]:
    """Yield accuracy and recalls of the derived stages, and the ceiling of the mapping."""
    staged = derive_stages(data, endpoint)
    units = np.arange(len(staged.clusters))
    left_out = np.isnan(staged.right).sum(axis=1)
    scores = _Scores(staged.models, staged.right, list(staged.reference), units, left_out)
    yield from _class_rows(data, name, endpoint, scores)
    if not np.isnan(staged.ceiling).all():
        hits, n = int(np.nansum(staged.ceiling)), int((~np.isnan(staged.ceiling)).sum())
        limits = wilson_interval([hits], [n], level=data.settings.level)
        for m, model in enumerate(staged.models):
            yield {
                **_blank(data, model, "ceiling"),
                "n_items": n,
                "n_clusters": n,
                "n_success": hits,
                "estimate": hits / n,
                "ci_low": limits.low[0],
                "ci_high": limits.high[0],
                "method": "wilson",
                "n_left_out": int(left_out[m]),
            }


def _blank(data: BenchmarkData, model: str, statistic: str, part: str = "") -> Row:
    return {
        "statistic": statistic,
        "part": part,
        "model": model,
        "method": "none",
        "n_success": None,
        "ci_low": None,
        "ci_high": None,
        "level": data.settings.level,
        "baseline": None,
    }


def _class_rows(data: BenchmarkData, name: str, endpoint: Endpoint, scores: _Scores) -> Iterator[Row]:
    names = sorted(set(scores.classes))
    if not names:
        return
    place = {c: i for i, c in enumerate(names)}
    codes = np.array([place[c] for c in scores.classes], dtype=np.int64)
    units = _resampled(data, name, scores.clusters)
    each, mean = ("recall", "balanced") if endpoint.classes is not None else ("group", "macro")
    boot = "cluster_bootstrap" if data.card.cluster else "bootstrap"
    for m, model in enumerate(scores.models):
        values = scores.values[m]
        has = ~np.isnan(values)
        if not has.any():
            continue
        result = estimate_class_means(values, codes, len(names), units=units, level=data.settings.level)
        counts = np.bincount(codes[has], minlength=len(names))
        baseline = float(counts.max() / has.sum()) if endpoint.classes is not None else None
        wanted = [("accuracy", "", "mean", has)]
        if endpoint.classes is not None or endpoint.groups is not None:
            wanted.append((mean, "", "balanced", has))
            wanted += [(each, c, str(i), has & (codes == i)) for c, i in place.items()]
        for statistic, part, key, of in wanted:
            row = {
                **_blank(data, model, statistic, part),
                "n_items": int(of.sum()),
                "n_clusters": int(np.unique(scores.clusters[of]).size),
                "baseline": baseline,
                "n_left_out": int(scores.n_left_out[m]),
            }
            yield from _with_intervals(row, values[of], scores.clusters[of], result, key, boot)
        if baseline is not None:
            yield {
                **_blank(data, model, "majority_baseline", names[int(np.argmax(counts))]),
                "n_items": int(has.sum()),
                "n_clusters": int(np.unique(scores.clusters[has]).size),
                "n_success": int(counts.max()),
                "estimate": baseline,
                "baseline": baseline,
                "n_left_out": int(scores.n_left_out[m]),
            }


def _with_intervals(
    row: Row,
    values: npt.NDArray[np.float64],
    clusters: npt.NDArray[np.int64],
    result: Estimates,
    key: str,
    boot: str,
) -> Iterator[Row]:
    """Yield the row of each interval: the bootstrap's, and Wilson's for a plain share."""
    estimate, low, high = result[key]
    binary = bool(np.all((values == 0) | (values == 1))) and key != "balanced"
    row = {**row, "estimate": estimate, "n_success": int(values.sum()) if binary else None}
    yield {**row, "method": boot, "ci_low": low, "ci_high": high}
    if binary and values.size and np.unique(clusters).size == values.size:
        limits = wilson_interval([int(values.sum())], [values.size], level=result.level)
        yield {**row, "method": "wilson", "ci_low": limits.low[0], "ci_high": limits.high[0]}


def _conditional(data: BenchmarkData, name: str, endpoint: Endpoint) -> Iterator[Row]:
    """Yield how often the condition holds, the two together, and the one given the other."""
    matrix = _matrix(data, endpoint)
    link = endpoint.within or data.card.cluster
    components = matrix.items["component"]
    part = components.replace_strict(
        {endpoint.given: 0, endpoint.component: 1}, default=-1, return_dtype=pl.Int64
    ).fill_null(-1)
    linked = matrix.items["item_id"] if link is None else matrix.items[link].cast(pl.String)
    keep = ((part >= 0) & linked.is_not_null()).fill_null(False).to_numpy()
    dropped = int((part >= 0).sum() - keep.sum())
    matrix, part, linked = (
        matrix.select_items(keep),
        part.filter(pl.Series(keep)),
        linked.filter(pl.Series(keep)),
    )
    codes = linked.rank("dense").to_numpy().astype(np.int64) - 1
    counts = count_clusters(
        matrix.solved(data.card.solved_at),
        matrix.has_cell,
        codes,
        parts=part.to_numpy(),
        n_parts=2,
    )
    given, both = joint_outcomes(counts, [0]), joint_outcomes(counts, [0, 1])
    units = _units(matrix)
    of_link = np.zeros(both.n_items.size, dtype=np.int64)
    # A link lies in one cluster; without declared clusters it is its own unit.
    of_link[codes] = units if matrix.clusters is not None else codes
    resampled = _resampled(data, name, of_link)
    boot = "cluster_bootstrap_bca" if data.card.cluster else "bootstrap_bca"
    for m, model in enumerate(matrix.models):
        known = both.known[m]
        if not known.any():
            continue
        result = estimate_conditional(
            given.success[m], both.success[m], known, units=resampled, level=data.settings.level
        )
        n, n_given, n_both = (int(x.sum()) for x in (known, known & given.success[m], both.success[m]))
        sizes = {"given": (n, n_given), "joint": (n, n_both), "conditional": (n_given, n_both)}
        for i, statistic in enumerate(result.names):
            method = result.method[i].replace("bootstrap_bca", boot)
            yield {
                **_blank(data, model, statistic),
                "n_items": sizes[statistic][0],
                "n_success": sizes[statistic][1],
                "n_clusters": result.n_clusters,
                "estimate": result.estimate[i],
                "ci_low": result.ci_low[i],
                "ci_high": result.ci_high[i],
                "method": "none" if np.isnan(result.ci_low[i]) else method,
                "n_left_out": dropped + int((~known).sum()),
            }
