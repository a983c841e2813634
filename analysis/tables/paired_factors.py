"""`paired_factors`: variants of the same base model, thinking and not, on the same cases."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from analysis.schemas import PairedFactors
from analysis.seeds import generator_for
from analysis.stats.multiplicity import benjamini_hochberg, holm
from analysis.stats.paired import compare_pairs
from analysis.tables.data import BenchmarkData, Made, table_frame
from analysis.tables.session_matrix import Floats, SessionMatrix, lay_out_sessions, without

ALL = "all"
"""Stands for the mean over the base models."""


def derive(data: BenchmarkData) -> Made:
    """Make `paired_factors`."""
    if "sessions" not in data.sessions:
        return without("paired_factors")
    method = (
        "Mean paired differences over cases, tested by sign flips of cases; Holm and Benjamini-Hochberg "
        "over the metrics of a tier, each base model by itself; the mean over base models says nothing of "
        "other base models"
    )
    return {"paired_factors": (compare_variants(data), method)}


def compare_variants(data: BenchmarkData) -> pl.DataFrame:
    """Compare the thinking variants of each base model with those that do not think.

    Runs of a case are averaged first. Pairs are compared on the cases that both have, their mean over
    base models on the cases that all have.

    Returns
    -------
    pl.DataFrame
        Rows of the `PairedFactors` schema; none without a base model in both variants.
    """
    matrix = lay_out_sessions(data)
    pairs = find_pairs(data, matrix)
    if not pairs:
        return PairedFactors.create_empty()
    rows: list[dict[str, Any]] = []
    for definition in matrix.definitions.iter_rows(named=True):
        values, units = _by_case(matrix, matrix.values(definition["metric"]))
        scores = [np.stack([values[a], values[b]]) for _, a, b in pairs]
        labels = [(base, matrix.models[a], matrix.models[b], 1) for base, a, b in pairs]
        if len(pairs) > 1:
            # A case counts where every pair has it: the mean is then over the same pairs everywhere.
            scores.append(np.mean(scores, axis=0))
            labels.append((ALL, "", "", len(pairs)))
        rows += _rows(data, definition, np.concatenate(scores), units, labels)
    frame = pl.DataFrame(rows, infer_schema_length=None).with_columns(
        p_holm=pl.lit(None, dtype=pl.Float64), p_benjamini_hochberg=pl.lit(None, dtype=pl.Float64)
    )
    frame = frame.sort("base_model", "model_a", "model_b", "tier", maintain_order=True)
    parts = []
    for part in frame.partition_by("base_model", "model_a", "model_b", "tier", maintain_order=True):
        p = part["p_value"].fill_null(float("nan")).to_numpy()
        parts.append(
            part.with_columns(
                pl.Series("p_holm", holm(p)), pl.Series("p_benjamini_hochberg", benjamini_hochberg(p))
            )
        )
    frame = pl.concat(parts)
    return table_frame(PairedFactors, {c: frame[c] for c in PairedFactors.column_names()}, frame.height)


def find_pairs(data: BenchmarkData, matrix: SessionMatrix) -> list[tuple[str, int, int]]:
    """Return every pair (base model, thinking variant, other variant), as numbers of the matrix."""
    if "session_systems" not in data.sessions:
        return []
    place = {m: i for i, m in enumerate(matrix.models)}
    systems = data.sessions["session_systems"].drop_nulls(["base_model", "thinking"])
    known = systems.filter(pl.col("model").is_in(matrix.models)).sort("base_model", "model")
    out = []
    for (base,), part in known.group_by("base_model", maintain_order=True):
        on, off = (part.filter(pl.col("thinking") == flag)["model"].to_list() for flag in (True, False))
        out += [(str(base), place[a], place[b]) for a in on for b in off]
    return out


def _by_case(matrix: SessionMatrix, values: Floats) -> tuple[Floats, np.ndarray]:
    """Return the mean over runs for each case, shape (M, C), and the resampled unit of each case."""
    case = (matrix.slots["case_id"].rank("dense").cast(pl.Int64) - 1).to_numpy()
    n = int(case.max(initial=-1)) + 1
    has = ~np.isnan(values)
    total = np.stack([np.bincount(case, np.where(h, v, 0.0), n) for h, v in zip(has, values, strict=True)])
    count = np.stack([np.bincount(case, h, n) for h in has])
    units = np.zeros(n, dtype=np.int64)
    units[case] = matrix.units
    with np.errstate(invalid="ignore"):
        return total / count, units


def _rows(
    data: BenchmarkData,
    definition: dict[str, Any],
    scores: Floats,
    units: np.ndarray,
    labels: list[tuple[str, str, str, int]],
) -> list[dict[str, Any]]:
    """Return a row for each label; rows 2 i and 2 i + 1 of the scores are its two sides."""
    settings = data.settings
    sign = 1.0 if definition["direction"] == "higher" else -1.0
    found = compare_pairs(
        scores,
        rng=generator_for(settings.seed, "resample", "cases"),
        n_resamples=settings.resamples,
        n_permutations=settings.permutations,
        level=settings.level,
        # Without a declared cluster a case is a unit of its own, and methods are named so.
        clusters=units if np.unique(units).size < units.size else None,
        pairs=np.arange(2 * len(labels)).reshape(-1, 2),
    )
    rows = []
    for i, (base, model_a, model_b, n_pairs) in enumerate(labels):
        n = int(found.n_items[i])
        sides = scores[2 * i : 2 * i + 2]
        both = ~np.isnan(sides).any(axis=0)
        mean_a, mean_b = (float(side[both].mean()) if n else None for side in sides)
        limits = sorted(sign * float(x[i]) for x in (found.ci_low, found.ci_high))
        rows.append(
            {
                "factor": "thinking",
                "base_model": base,
                "model_a": model_a,
                "model_b": model_b,
                "metric": definition["metric"],
                "stage": definition["stage"],
                "tier": definition["tier"],
                "n_pairs": n_pairs,
                "n_cases": n,
                "mean_a": mean_a,
                "mean_b": mean_b,
                "advantage": sign * float(found.difference[i]) if n else None,
                "ci_low": limits[0],
                "ci_high": limits[1],
                "level": settings.level,
                "p_value": float(found.p_value[i]) if n else None,
                "method": str(found.method[i]),
            }
        )
    return rows
