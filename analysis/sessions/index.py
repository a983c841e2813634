"""Sessions numbered, and the rows of every other table with the number of their session or case.

Metrics are computed on arrays with one entry per session. Sums go through `totals`, which adds in
the order of the rows: the same digits whatever the number of cores.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import polars as pl

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
KEY = ["model", "case_id", "run"]


@dataclass(frozen=True)
class SessionIndex:
    """Every session with its number, 0 to n - 1, in the order of (model, case_id, run).

    Parameters
    ----------
    sessions : pl.DataFrame
        Sorted, with the columns `session` and `case`.
    tables : mapping of str to pl.DataFrame
        The validated tables of the sessions by name, those that exist.
    """

    sessions: pl.DataFrame
    tables: Mapping[str, pl.DataFrame]
    _joined: dict[tuple[str, ...], pl.DataFrame] = field(default_factory=dict, repr=False, compare=False)

    @property
    def n(self) -> int:
        """Number of sessions."""
        return self.sessions.height

    @property
    def n_cases(self) -> int:
        """Number of cases that any session has."""
        return self.sessions["case_id"].n_unique()

    @property
    def case(self) -> Ints:
        """Case number of each session, shape (n,)."""
        return self.sessions["case"].cast(pl.Int64).to_numpy()

    @property
    def t_dx(self) -> Floats:
        """T_dx, shape (n,); NaN where no diagnosis was made."""
        return as_floats(self.sessions["t_dx"])

    @property
    def t_max(self) -> Floats:
        """T_max, shape (n,)."""
        return as_floats(self.sessions["t_max"])

    def has(self, *tables: str) -> bool:
        """Tell whether all these tables exist."""
        return all(table in self.tables for table in tables)

    def of_sessions(self, table: str, *extra: str) -> pl.DataFrame:
        """Return a table's rows in their order with `session`, and further columns of the sessions."""
        if (table, *extra) not in self._joined:
            numbers = self.sessions.select(*KEY, "session", "case", *extra)
            rows = self.tables[table].join(numbers, on=KEY, how="inner", maintain_order="left")
            self._joined[table, *extra] = rows.drop(KEY)
        return self._joined[table, *extra]

    def of_cases(self, table: str) -> pl.DataFrame:
        """Return the rows of the cases that any session has, with `case`; sorted by case."""
        numbers = self.sessions.select("case_id", "case").unique("case_id", maintain_order=True)
        rows = self.tables[table].join(numbers, on="case_id", how="inner", maintain_order="left")
        return rows.drop("case_id").sort("case", maintain_order=True)


def index_sessions(tables: Mapping[str, pl.DataFrame]) -> SessionIndex:
    """Give every session and every case a number.

    Parameters
    ----------
    tables : mapping of str to pl.DataFrame
        Validated tables by name; `sessions` is required.
    """
    sessions = tables["sessions"].sort(KEY)
    cases = sessions.select("case_id").unique().sort("case_id").with_row_index("case")
    sessions = sessions.join(cases, on="case_id", how="left", maintain_order="left")
    return SessionIndex(sessions.with_row_index("session"), tables)


def as_floats(values: pl.Series) -> Floats:
    """Return a column as numbers; null becomes NaN."""
    return values.cast(pl.Float64).fill_null(float("nan")).to_numpy()


def totals(codes: pl.Series, n: int, values: pl.Series | Floats | None = None) -> Floats:
    """Return the number of rows of each code, or the sum of their values, added in row order; shape (n,)."""
    weights = None if values is None else as_floats(values) if isinstance(values, pl.Series) else values
    return np.bincount(codes.to_numpy(), weights=weights, minlength=n).astype(np.float64)


def ratio(top: Floats, bottom: Floats, *, otherwise: float = float("nan")) -> Floats:
    """Return top / bottom; where bottom is 0, `otherwise` (default: NaN, not defined).

    The printed formulas add an epsilon to such denominators, which guards the division and nothing
    else: without it a perfect score is exactly 1.

    Examples
    --------
    >>> ratio(np.array([1.0, 0.0]), np.array([4.0, 0.0]))
    array([0.25,  nan])
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(bottom == 0, otherwise, np.divide(top, bottom))


def means_by(rows: pl.DataFrame, keys: list[str], value: str = "value") -> pl.DataFrame:
    """Return the mean of a column for every combination of keys, sorted by them; added in sorted order."""
    rows = rows.select(*keys, value).sort(*keys, value)
    new = rows.select(pl.struct(keys).rle_id()).to_series()
    first = rows.filter(new.diff().fill_null(1) != 0).select(keys)
    n = first.height
    return first.with_columns(pl.Series(value, totals(new, n, rows[value]) / np.maximum(totals(new, n), 1)))
