"""Kinds of columns and descriptions that several tables share."""

from __future__ import annotations

from analysis.typed_frames import dy

SHARE = {"unit": "share, 0 to 1"}
COUNT = {"unit": "count"}
USD = {"unit": "USD"}


def key_column(description: str) -> dy.String:
    """Return a column of the key."""
    return dy.String(primary_key=True, description=description)


def text_column(description: str) -> dy.String:
    """Return a column of text that may be null."""
    return dy.String(nullable=True, description=description)


def count_column(description: str, *, nullable: bool = False) -> dy.Int64:
    """Return a column of counts."""
    return dy.Int64(nullable=nullable, min=0, description=description, metadata=COUNT)


def share_column(description: str, *, nullable: bool = True) -> dy.Float64:
    """Return a column of shares between 0 and 1."""
    return dy.Float64(nullable=nullable, min=-1e-12, max=1 + 1e-12, description=description, metadata=SHARE)


def number_column(description: str, *, unit: str = "", nonnegative: bool = False) -> dy.Float64:
    """Return a column of numbers that may be null."""
    return dy.Float64(
        nullable=True,
        min=0.0 if nonnegative else None,
        description=description,
        metadata={"unit": unit} if unit else None,
    )


TRACK = "Track of the items, or `all`."
METRIC = "Metric: `correct`, `score`, a declared column, or a rate such as `hard_failure`."
MODEL = "Model's identifier."
BASIS = "`answered`: items for which any model has a cell; `complete`: items for which every model has one."
LOW = "Lower confidence limit; null where no interval exists."
HIGH = "Upper confidence limit; null where no interval exists."
