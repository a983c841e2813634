"""Stratified samples: sizes, quotas, balance, distinct units, and the error of a stratum that runs dry."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from analysis.errors import DataError
from analysis.tables.sampling import Stratum, draw_sample


def pool() -> pl.DataFrame:
    items = [f"i{n:02d}" for n in range(30)]
    rows = [
        {
            "model": m,
            "item_id": i,
            "kind": "a" if n < 20 else "b",
            "verdict": "good" if (n + k) % 3 else "bad",
        }
        for k, m in enumerate(("x", "y", "z"))
        for n, i in enumerate(items)
    ]
    return pl.DataFrame(rows)


STRATA = [Stratum("b", 6, {"kind": ["b"]}), Stratum("a", 9, {"kind": ["a"]})]


def test_the_sample_has_the_sizes_and_is_balanced_over_models() -> None:
    sample = draw_sample(pool(), STRATA, rng=np.random.default_rng(1))
    assert sample["stratum"].to_list() == ["b"] * 6 + ["a"] * 9
    assert (sample["kind"] == sample["stratum"]).all()
    assert sample["item_id"].n_unique() == 15
    assert sample["model"].value_counts()["count"].to_list() == [5, 5, 5]


def test_quotas_cut_across_the_strata() -> None:
    sample = draw_sample(
        pool(), STRATA, rng=np.random.default_rng(1), quotas={"verdict": {"good": 11, "bad": 4}}
    )
    assert dict(sample["verdict"].value_counts().iter_rows()) == {"good": 11, "bad": 4}


def test_the_seed_decides() -> None:
    first, again, other = (draw_sample(pool(), STRATA, rng=np.random.default_rng(s)) for s in (1, 1, 2))
    assert_frame_equal(first, again)
    assert not first.equals(other)


def test_every_item_of_a_stratum_is_equally_likely() -> None:
    frame = pool().filter(pl.col("model") == "x")
    rng = np.random.default_rng(3)
    drawn = [draw_sample(frame, [Stratum("all", 10)], rng=rng)["item_id"] for _ in range(300)]
    counts = pl.concat(drawn).value_counts()["count"]
    # 300 draws of a third of 30 items: 100 each in expectation, standard deviation 8.2.
    assert counts.len() == 30
    assert counts.min() > 60
    assert counts.max() < 140


def test_a_stratum_that_cannot_be_filled_is_named() -> None:
    with pytest.raises(DataError, match="stratum 'b' cannot be filled: 10 of 11 units drawn"):
        draw_sample(pool(), [Stratum("b", 11, {"kind": ["b"]})], rng=np.random.default_rng(1))


def test_more_than_one_quota_column_is_refused() -> None:
    with pytest.raises(ValueError, match="quotas: one column at most, got 2"):
        draw_sample(pool(), STRATA, rng=np.random.default_rng(1), quotas={"kind": {}, "verdict": {}})
