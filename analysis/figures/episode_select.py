"""Which tracks and endpoints of episodes figures and pages show."""

from __future__ import annotations

import polars as pl

from analysis.card_episodes import ALL_CORRECT
from analysis.config import BenchmarkCard

MAX_TRACKS = 3
"""The most tracks that have a panel of their own."""


def tracks_shown(frame: pl.DataFrame, card: BenchmarkCard) -> list[str]:
    """Return the tracks to show: the card's, else `all`, where whole clusters are."""
    there = set(frame["track"].to_list())
    if card.episodes.tracks is not None:
        named = [t for t in card.episodes.tracks if t in there]
        # Those with joint endpoints of their own come first.
        return named[:MAX_TRACKS]
    return ["all"] if "all" in there else sorted(there)[:MAX_TRACKS]


def main_endpoint(frame: pl.DataFrame, track: str, card: BenchmarkCard) -> str:
    """Return the endpoint that leads a track: the last that the card declares there, else `all_correct`."""
    there = set(frame.filter(pl.col("track") == track)["endpoint"].to_list())
    declared = [name for name in card.episodes.endpoints if name in there]
    return declared[-1] if declared else ALL_CORRECT


def endpoint_words(endpoint: str) -> str:
    """Say what an endpoint is, as a title or an axis has it.

    Examples
    --------
    >>> endpoint_words("all_correct"), endpoint_words("all_correct:care"), endpoint_words("strict")
    ('everything right', 'all of care right', 'strict')
    """
    if endpoint == ALL_CORRECT:
        return "everything right"
    if endpoint.startswith(f"{ALL_CORRECT}:"):
        return f"all of {endpoint.removeprefix(f'{ALL_CORRECT}:')} right"
    return endpoint
