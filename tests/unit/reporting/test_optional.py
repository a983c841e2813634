"""Parts of a report that few benchmarks have stand under a heading, or in one list of what is not there."""

from __future__ import annotations

import polars as pl

from analysis.reporting.sections import optional
from tests.unit.reporting.conftest import Derive, grid
from tests.unit.reporting.test_sentences import words


def test_without_clusters_nothing_is_shown_and_all_is_listed(view_of: Derive) -> None:
    view = view_of(grid({"a": "1100", "b": "1000"}))
    assert [optional.show(view, part) for part in optional.PARTS] == [""] * len(optional.PARTS)
    text = words(optional.not_here(view))
    assert "Not in this report:" in text
    for line in (
        "Whole episodes: the card declares no cluster.",
        "Paired controls: the card declares no controls.",
        "Rubric: no response is scored by a declared rubric.",
        "Consultation sessions: there are no consultation sessions.",
    ):
        assert line in text


def test_with_clusters_episodes_have_a_heading(view_of: Derive) -> None:
    items = pl.DataFrame(
        {"item_id": [f"i{i:03d}" for i in range(40)], "cluster_id": [i // 2 for i in range(40)]}
    )
    view = view_of(grid({"a": "1100" * 10, "b": "1000" * 10}), card={"cluster": "cluster_id"}, items=items)
    assert optional.show(view, "episodes").startswith("\n## Whole episodes {#episodes}\n")
    assert "Whole episodes" not in words(optional.not_here(view))
