"""What whole episodes say, in words: the composition gap as sentences and as a headline."""

from __future__ import annotations

from typing import Any

import polars as pl

from analysis.card_episodes import ALL_CORRECT
from analysis.figures.episode_select import main_endpoint, tracks_shown
from analysis.reporting.markup import escape
from analysis.reporting.numbers import Scale, plural, scale_for, span
from analysis.reporting.results import ALL
from analysis.reporting.view import View

Finding = tuple[str, str]
"""A statement and what stands behind it, both HTML."""


def panels_of(view: View) -> list[tuple[str, str, pl.DataFrame]]:
    """Return track, leading endpoint and its gaps for each track shown, the highest joint success first."""
    gaps = view.results.table("composition_gap")
    if gaps is None:
        return []
    card = view.results.card
    found = []
    for track in tracks_shown(gaps, card):
        endpoint = main_endpoint(gaps, track, card)
        part = gaps.filter(pl.col("track") == track, pl.col("endpoint") == endpoint)
        if part.height:
            part = part.sort([pl.col("joint").round(12), "model"], descending=[True, False])
            found.append((track, endpoint, part))
    return found


def finding(view: View) -> Finding | None:
    """Return how far success on whole episodes falls behind that on items, as a headline."""
    panels = panels_of(view)
    if not panels:
        return None
    # The track with the joint endpoint of the most parts tells the story.
    track, endpoint, part = max(panels, key=lambda p: (len(p[2]["parts"][0]), -panels.index(p)))
    part = _apart(part)
    best, scale = part.row(0, named=True), scale_for("percent", [])
    where = "" if track == ALL else f" of track <bdi>{escape(track)}</bdi>"
    lead = (
        f"{view.name(best['model'])} has {scale.value(best['item_accuracy'])} of single items{where} right, "
        f"and {scale.value(best['joint'])} of whole episodes."
    )
    left = _left_out(view, track, endpoint, best)
    return lead, f"{place(part, endpoint)}{left}{independence(view, part)}"


def _left_out(view: View, track: str, endpoint: str, best: dict[str, Any]) -> str:
    """Return how many episodes neither share is of; empty where every episode can be judged."""
    rows = view.results.rows("episodes", track=track, endpoint=endpoint, model=best["model"])
    if rows is None or rows.is_empty():
        return ""
    left = sum(rows[name][0] for name in ("n_clusters", "n_incomplete", "n_without")) - best["n_clusters"]
    why = "without a score on every item, or without an item of every component"
    return f"Both leave {plural(left, 'episode')} out: {why}. " if left else ""


def place(part: pl.DataFrame, endpoint: str) -> str:
    """Return what the first row's joint success is among the models: highest, shared, or that of all none."""
    best = part["joint"][0]
    alike = int((part["joint"].round(12) == round(best, 12)).sum())
    if part.height == 1:
        return f"A whole episode asks for this: {words_of(endpoint)}. "
    if not best:
        return f"No model has a whole episode right ({words_of(endpoint)}). "
    if alike > 1:
        others = plural(alike - 1, "other model")
        return f"It shares the highest joint success ({words_of(endpoint)}) with {others}. "
    return f"It has the highest joint success ({words_of(endpoint)}). "


def _apart(part: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of the models that were not used in choosing the episodes, where there are any."""
    others = part.filter(~pl.col("construction"))
    return others if others.height else part


def words_of(endpoint: str) -> str:
    """Return an endpoint in words, as HTML."""
    if endpoint == ALL_CORRECT:
        return "everything right"
    name = endpoint.removeprefix(f"{ALL_CORRECT}:")
    shown = f"<bdi>{escape(name)}</bdi>"
    return f"all of {shown} right" if name != endpoint else shown


def sentence(view: View, track: str, endpoint: str, part: pl.DataFrame) -> str:
    """Return the composition gap of a track, as sentences."""
    card, part = view.results.card, _apart(part)
    where = "" if track == ALL else f"<bdi><strong>{escape(track)}</strong></bdi>: "
    low, high = part["joint"].min(), part["joint"].max()
    accuracy = part["item_accuracy"].min(), part["item_accuracy"].max()
    scale = scale_for("percent", [])
    meaning = card.episodes.endpoints[endpoint].meaning if endpoint in card.episodes.endpoints else ""
    asked = f" ({escape(meaning)})" if meaning else ""
    n = span(min(part["n_clusters"].to_list()), max(part["n_clusters"].to_list()))
    verb = f"{where}{'W' if not where else 'w'}hole episodes, {words_of(endpoint)}{asked}"
    if part.height == 1:
        row = part.row(0, named=True)
        return (
            f"{verb}: {view.name(row['model'])} has {scale.value(row['joint'])} of {n} right, and "
            f"{scale.value(row['item_accuracy'])} of their items. {independence(view, part)}"
        )
    return (
        f"{verb}: {plural(part.height, 'model')} have {_from_to(scale, low, high)} of {n} right, "
        f"and {_from_to(scale, *accuracy)} of their items. "
        f"{independence(view, part)}"
    )


def _from_to(scale: Scale, low: Any, high: Any) -> str:
    """Return two shares, or the one that both are when printed."""
    first, last = scale.value(low), scale.value(high)
    return first if first == last else f"{first} to {last}"


def independence(view: View, part: pl.DataFrame) -> str:
    """Return how joint success compares with what independent parts would give."""
    above = part.filter(pl.col("gap_independent_low") > 0).height
    below = part.filter(pl.col("gap_independent_high") < 0).height
    known = part.filter(pl.col("gap_independent_low").is_not_null()).height
    if not known:
        return "Too few episodes are right, or fail in several parts, to compare with independent parts."
    of = plural(known, "model")
    left = part.height - known
    texts = []
    if not above and not below:
        texts.append(f"Joint success is not told from that of independent parts for any of {of}.")
    if above:
        what = "Failures come together in the same episodes more than independence would have it"
        texts.append(f"{what} for {above} of {of}.")
    if below:
        what = "Failures spread over more episodes than independence would have it"
        texts.append(f"{what} for {below} of {of}.")
    if not part["parts"][0].len():
        texts.append("Independence here takes the items of an episode as equally hard.")
    if left:
        texts.append(
            f"Of {plural(left, 'model')} this cannot be said: too few episodes are right, or fail in several "
            "parts, for resampling to tell."
        )
    return " ".join(texts)


def construction_words(view: View) -> str:
    """Return which models were used in choosing the episodes; empty where the card names none."""
    models = [m for m in view.results.card.episodes.construction_models if m in view.results.names]
    if not models:
        return ""
    return (
        f"Used in choosing the episodes, and shown apart: {view.names(models, most=8)}. Their results are "
        "not comparable with the others’, since the episodes were chosen with a look at their answers."
    )
