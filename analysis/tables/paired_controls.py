"""`paired_controls`: the same questions under two conditions, within each model.

A control is a comparison of two rows, baseline and changed, of one model on the questions that it
answered under both. Clusters are resampled and flipped whole. The draw is the same for all models of a
control, so that what is said of one model can be set beside what is said of another.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from analysis.card_episodes import Control
from analysis.matrix import VerdictMatrix
from analysis.schemas import PairedControls
from analysis.seeds import generator_for
from analysis.stats.multiplicity import benjamini_hochberg, holm
from analysis.stats.paired import PairedComparisons, compare_pairs
from analysis.tables.data import BenchmarkData, Made, table_frame

ENDPOINTS = ("item_weighted", "cluster_macro", "all_correct")
Row = dict[str, object]


def derive(data: BenchmarkData) -> Made:
    """Make `paired_controls`."""
    unit = f"clusters ({data.card.cluster})" if data.card.cluster else "questions"
    method = (
        f"Paired bootstrap over {unit}, {data.settings.resamples:,} resamples; sign-flip test, exact where "
        f"it can be counted; Holm and Benjamini-Hochberg over the models of a control"
    )
    return {"paired_controls": (compare_conditions(data), method)}


@dataclass(frozen=True)
class Conditions:
    """One model's cells under two conditions.

    Parameters
    ----------
    model : str
        Model, or the name that the card gives to a pair of models.
    words : tuple of str
        Names of the two conditions.
    values : ndarray of float, shape (2, P)
        Cells of P questions under the baseline and the changed condition; NaN where there is none.
    n_runs : ndarray of int, shape (2, P)
        Scored runs behind them.
    right : ndarray of bool, shape (2, P)
        The cell is solved.
    clusters : ndarray of int, shape (P,)
        Cluster of each question, 0 to G - 1; the question itself where no cluster is declared.
    n_alone : int
        Answered items that have no partner under the other condition.
    """

    model: str
    words: tuple[str, str]
    values: npt.NDArray[np.float64]
    n_runs: npt.NDArray[np.int64]
    right: npt.NDArray[np.bool_]
    clusters: npt.NDArray[np.int64]
    n_alone: int


def compare_conditions(data: BenchmarkData) -> pl.DataFrame:
    """Compare the two conditions of every control, model by model.

    Parameters
    ----------
    data : BenchmarkData
        The validated tables; the card declares the controls.

    Returns
    -------
    pl.DataFrame
        Rows of the `PairedControls` schema. A model that answered under one condition only has rows
        without a comparison; one that answered under none has no row.
    """
    frames: list[pl.DataFrame] = [PairedControls.create_empty()]
    for name, control in data.card.controls.items():
        rows = [row for found in lay_out_control(data, name) for row in _compare(data, name, control, found)]
        for endpoint in ENDPOINTS:
            family = [row for row in rows if row["endpoint"] == endpoint]
            p = np.array([row["p_value"] for row in family], dtype=np.float64)
            columns: dict[str, object] = {
                c: [row[c] for row in family] for c in (family[0] if family else {})
            }
            columns |= {"p_holm": holm(p), "p_benjamini_hochberg": benjamini_hochberg(p)}
            if family:
                frames.append(table_frame(PairedControls, columns, len(family)))
    return pl.concat(frames)


def lay_out_control(data: BenchmarkData, name: str) -> list[Conditions]:
    """Lay out each model's cells under the two conditions of a control."""
    control = data.card.controls[name]
    matrix = data.matrix("correct", "failure" if data.card.missing == "failure" else "exclude")
    keep = np.ones(matrix.items.height, dtype=bool)
    for column in ("track", "component"):
        wanted = getattr(control, column)
        if wanted is not None:
            keep &= (matrix.items[column] == wanted).fill_null(False).to_numpy()
    matrix = matrix.select_items(keep)
    if control.models:
        return list(_pairs_of_models(data, control, matrix))
    return list(_pairs_of_items(data, control, matrix))


def _pairs_of_models(data: BenchmarkData, control: Control, matrix: VerdictMatrix) -> Iterator[Conditions]:
    clusters = _codes(matrix.clusters, np.arange(matrix.items.height))
    right = matrix.solved(data.card.solved_at)
    for shown, names in control.models.items():
        at = [matrix.models.index(name) for name in names]
        has = matrix.has_cell[at]
        if has.any():
            values = np.where(has, matrix.values[at].astype(np.float64), np.nan)
            yield Conditions(shown, names, values, matrix.n_runs[at].astype(np.int64), right[at], clusters, 0)


def _pairs_of_items(data: BenchmarkData, control: Control, matrix: VerdictMatrix) -> Iterator[Conditions]:
    condition = matrix.items[str(control.column)].cast(pl.String)
    question = matrix.items[str(control.match)].cast(pl.String)
    sides = []
    for value in (control.baseline, control.changed):
        at = np.flatnonzero((condition == value).fill_null(False).to_numpy())
        sides.append(pl.DataFrame({"question": question.gather(at), "at": at}))
    base, other = sides
    both = base.drop_nulls().join(other.drop_nulls(), on="question", suffix="_changed").sort("question")
    pairs = both.select("at", "at_changed").to_numpy().T.astype(np.int64).reshape(2, -1)
    clusters = _codes(
        None if matrix.clusters is None else matrix.clusters[pairs[0]], np.arange(pairs.shape[1])
    )
    alone = np.setdiff1d(np.concatenate([base["at"].to_numpy(), other["at"].to_numpy()]), pairs)
    right, has, words = (
        matrix.solved(data.card.solved_at),
        matrix.has_cell,
        (control.baseline, control.changed),
    )
    for m, model in enumerate(matrix.models):
        n_alone = int(has[m, alone].sum())
        if n_alone or has[m, pairs].any():
            values = np.where(has[m, pairs], matrix.values[m, pairs].astype(np.float64), np.nan)
            n_runs = matrix.n_runs[m, pairs].astype(np.int64)
            yield Conditions(model, words, values, n_runs, right[m, pairs], clusters, n_alone)


def _codes(clusters: npt.NDArray[np.int64] | None, otherwise: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    codes = otherwise if clusters is None else clusters
    return np.unique(codes, return_inverse=True)[1].astype(np.int64).reshape(-1)


def _compare(data: BenchmarkData, name: str, control: Control, found: Conditions) -> Iterator[Row]:
    """Yield the row of each endpoint."""
    has = ~np.isnan(found.values)
    both = np.asarray(has.all(axis=0))
    one_only = int(np.asarray(has.any(axis=0)).sum() - both.sum())
    n_clusters = int(found.clusters.max(initial=-1)) + 1
    per_cluster = np.bincount(found.clusters[both], minlength=n_clusters)
    complete = (per_cluster > 0) & (per_cluster == np.bincount(found.clusters, minlength=n_clusters))
    right = found.right & both
    means = _cluster_means(found.values, both, found.clusters, per_cluster)
    sums = np.stack([np.bincount(found.clusters[both], row[both], n_clusters) for row in right])
    joint = np.where(complete, sums == per_cluster, np.nan).astype(np.float64)
    joint[:, ~complete] = np.nan
    runs = np.where(both, found.n_runs, 0)
    cluster_runs = np.stack([np.bincount(found.clusters, row, n_clusters) for row in runs]).astype(np.int64)
    words = found.words
    scores = {
        "item_weighted": (np.where(both, found.values, np.nan), found.clusters, runs),
        "cluster_macro": (means, None, cluster_runs),
        "all_correct": (joint, None, cluster_runs),
    }
    for endpoint, (values, clusters, n_runs) in scores.items():
        used = both & (complete[found.clusters] if endpoint == "all_correct" else True)
        compared = _paired(data, name, values, clusters, n_runs) if used.any() else None
        of_clusters = means if endpoint != "all_correct" else joint
        change = of_clusters[1] - of_clusters[0]
        with np.errstate(invalid="ignore"):
            better, worse = int(np.sum(change > 1e-12)), int(np.sum(change < -1e-12))
            n_used = int(np.sum(~np.isnan(change)))
        some = compared is not None
        level_of = [float(np.mean(row[~np.isnan(row)])) if some else None for row in values]
        yield {
            "control": name,
            "model": found.model,
            "endpoint": endpoint,
            "primary": endpoint == control.primary,
            "baseline": words[0],
            "changed": words[1],
            "n_items": int(used.sum()),
            "n_clusters": n_used,
            "n_unpaired": found.n_alone + one_only + int(both.sum() - used.sum()),
            "score_baseline": level_of[0],
            "score_changed": level_of[1],
            "difference": float(compared.difference[0]) + 0.0 if compared is not None else None,
            "ci_low": float(compared.ci_low[0]) if compared is not None else None,
            "ci_high": float(compared.ci_high[0]) if compared is not None else None,
            "level": data.settings.level,
            "n_better": better,
            "n_worse": worse,
            "n_unchanged": n_used - better - worse,
            "n_corrected": int((used & ~found.right[0] & found.right[1]).sum()),
            "n_harmed": int((used & found.right[0] & ~found.right[1]).sum()),
            "p_value": float(compared.p_value[0]) if compared is not None else None,
            "method": _method(data, compared, clusters is None),
            "note": "" if some else _why_not(found, both, words),
        }


def _cluster_means(
    values: npt.NDArray[np.float64],
    both: npt.NDArray[np.bool_],
    clusters: npt.NDArray[np.int64],
    per_cluster: npt.NDArray[np.int64],
) -> npt.NDArray[np.float64]:
    sums = np.stack([np.bincount(clusters[both], row[both], per_cluster.size) for row in values])
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(per_cluster > 0, sums / per_cluster, np.nan))


def _paired(
    data: BenchmarkData,
    name: str,
    values: npt.NDArray[np.float64],
    clusters: npt.NDArray[np.int64] | None,
    n_runs: npt.NDArray[np.int64],
) -> PairedComparisons:
    return compare_pairs(
        values,
        rng=generator_for(data.settings.seed, "control", name),
        n_resamples=data.settings.resamples,
        n_permutations=data.settings.permutations,
        level=data.settings.level,
        clusters=clusters,
        n_runs=n_runs,
        pairs=np.array([[1, 0]]),
    )


def _method(data: BenchmarkData, compared: PairedComparisons | None, of_clusters: bool) -> str:
    if compared is None:
        return "none"
    method = str(compared.method[0])
    if of_clusters and data.card.cluster is not None:
        # What was compared item by item here are whole clusters.
        return f"cluster_{method.removeprefix('item_')}"
    return method.removeprefix("cluster_") if data.card.cluster is None else method


def _why_not(found: Conditions, both: npt.NDArray[np.bool_], words: tuple[str, str]) -> str:
    has = np.asarray((~np.isnan(found.values)).any(axis=1))
    if both.any():
        return "No cluster has every question answered under both conditions."
    if has[0] != has[1]:
        return f"Answered only under {words[0] if has[0] else words[1]!r}."
    return "No question is answered under both conditions."
