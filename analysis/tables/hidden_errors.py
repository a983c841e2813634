"""`hidden_indicators` and `hidden_errors`: what right diagnoses hide in process, safety and adaptation.

MedConsultBench (arXiv:2601.12661, table 4) prints averages of indicators whose drop exceeds the sum of
its three shares of hidden errors, so the two cannot be parts of one whole. Both are made here: the
averages, with an attribution that sums to the drop, and the shares of statically right sessions.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from analysis.schemas import HiddenErrors, HiddenIndicators
from analysis.stats.hidden_errors import attribute_drop, cross_errors
from analysis.tables.data import BenchmarkData, Made, table_frame
from analysis.tables.session_matrix import Floats, SessionMatrix, lay_out_sessions, without

STATIC = "top_1_core"
"""What a static test sees: whether the first diagnosis is a core one."""

FACTORS = {"history": "mni_comp", "safety": "psc", "adaptation": "dcsr"}
"""The share of its credit that a session keeps in each respect: a primary metric of each stage."""

FAILS = {"history": "mni_coverage", "safety": "psc", "adaptation": "dcsr"}
"""The metric by which a session fails: coverage below a threshold, the other two below 1."""

COVERAGE_AT = (0.5, 0.75, 1.0)
"""Thresholds of coverage."""

IN_FORCE = 0.75
"""The threshold that the report shows."""


@dataclass(frozen=True)
class _Sessions:
    """Credit and factors of the sessions for which all of it is defined, NaN elsewhere."""

    kinds: tuple[str, ...]
    credit: Floats
    factors: Floats
    n_left_out: Floats


def derive(data: BenchmarkData) -> Made:
    """Make `hidden_indicators` and `hidden_errors`."""
    if "sessions" not in data.sessions:
        return without("hidden_indicators", "hidden_errors")
    matrix = lay_out_sessions(data)
    over = f"expanded percentile limits, {data.settings.resamples:,} joint resamples of cases"
    used = ", ".join(f"{kind} by {metric}" for kind, metric in FACTORS.items())
    return {
        "hidden_indicators": (
            average_indicators(matrix),
            f"Means of {STATIC}, times factors ({used}); Shapley attribution of the drop; {over}",
        ),
        "hidden_errors": (
            count_errors(matrix),
            f"Shares of sessions that {STATIC} calls right; history fails below a coverage, safety and "
            f"adaptation where psc and dcsr are below 1; {over}",
        ),
    }


def average_indicators(matrix: SessionMatrix) -> pl.DataFrame:
    """Average the credit of the sessions as more of the consultation counts, and attribute the drop.

    Returns
    -------
    pl.DataFrame
        Rows of the `HiddenIndicators` schema; none without diagnoses, or without any factor. A factor
        whose metric the data do not give is left out for every model.
    """
    found = _take(matrix, FACTORS)
    if found is None:
        return HiddenIndicators.create_empty()
    m, n = found.credit.shape
    flat = found.factors.reshape(len(found.kinds), m * n)
    parts = attribute_drop(found.credit.ravel(), flat).reshape(len(found.kinds), m, n)
    full = found.credit * np.prod(found.factors, axis=0)
    rows = {"static": found.credit, "full": full, "drop": found.credit - full}
    if "history" in found.kinds:
        rows["with_process"] = found.credit * found.factors[found.kinds.index("history")]
    rows |= {f"drop_{kind}": part for kind, part in zip(found.kinds, parts, strict=True)}
    means = matrix.means(np.concatenate(list(rows.values())))
    k = len(rows)
    columns = {
        "model": list(matrix.models) * k,
        "quantity": np.repeat(list(rows), m),
        "role": list(matrix.roles) * k,
        "estimate": means.estimate,
        "ci_low": means.low,
        "ci_high": means.high,
        "level": matrix.level,
        "n_sessions": means.n_sessions,
        "n_left_out": np.tile(found.n_left_out, k),
    }
    return table_frame(HiddenIndicators, columns, m * k)


def count_errors(matrix: SessionMatrix) -> pl.DataFrame:
    """Count the statically right sessions that fail in each way, alone and together.

    Returns
    -------
    pl.DataFrame
        Rows of the `HiddenErrors` schema; none without diagnoses, or without any way to fail.
    """
    found = _take(matrix, FAILS)
    if found is None:
        return HiddenErrors.create_empty()
    # Where several diagnoses tie for the first rank, half of them core is not right.
    right = found.credit >= 1 - 1e-12
    known = ~np.isnan(found.credit)
    thresholds = COVERAGE_AT if "history" in found.kinds else (IN_FORCE,)
    rows: list[tuple[float, str, np.ndarray]] = []
    for at in thresholds:
        failed = [
            found.factors[i] < (at if kind == "history" else 1.0) - 1e-12
            for i, kind in enumerate(found.kinds)
        ]
        for name, error in cross_errors(np.stack([f.ravel() for f in failed])).items():
            rows.append((at, _name(name, found.kinds), error.reshape(right.shape) & right))
    m = len(matrix.models)
    of_right = matrix.means(np.concatenate([np.where(right, error, np.nan) for _, _, error in rows]))
    of_all = matrix.means(np.concatenate([np.where(known, error, np.nan) for _, _, error in rows]))
    k = len(rows)
    columns = {
        "model": list(matrix.models) * k,
        "coverage_at": np.repeat([at for at, _, _ in rows], m),
        "error": np.repeat([name for _, name, _ in rows], m),
        "role": list(matrix.roles) * k,
        "in_force": np.repeat([at == IN_FORCE for at, _, _ in rows], m),
        "n": np.concatenate([error.sum(axis=1) for _, _, error in rows]),
        "n_right": np.tile(right.sum(axis=1), k),
        "n_sessions": np.tile(known.sum(axis=1), k),
        "n_left_out": np.tile(found.n_left_out, k),
        "share": of_right.estimate,
        "ci_low": of_right.low,
        "ci_high": of_right.high,
        "share_of_all": of_all.estimate,
        "all_low": of_all.low,
        "all_high": of_all.high,
        "level": matrix.level,
    }
    return table_frame(HiddenErrors, columns, m * k)


def _take(matrix: SessionMatrix, metrics: dict[str, str]) -> _Sessions | None:
    kinds = tuple(kind for kind, metric in metrics.items() if metric in matrix.metrics)
    if STATIC not in matrix.metrics or not kinds:
        return None
    credit = matrix.values(STATIC)
    factors = np.stack([matrix.values(metrics[kind]) for kind in kinds])
    unknown = np.isnan(credit) | np.isnan(factors).any(axis=0)
    left_out = matrix.n_sessions - (~unknown).sum(axis=1)
    return _Sessions(kinds, np.where(unknown, np.nan, credit), np.where(unknown, np.nan, factors), left_out)


def _name(code: str, kinds: tuple[str, ...]) -> str:
    """Return an error's name from its code in `cross_errors`."""
    number, _, only = code.partition(" ")
    if not number.isdigit():
        return code
    return kinds[int(number)] + ("_only" if only else "")
