"""What a card says about episodes, endpoints, controls and judge audits, checked against the data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import polars as pl

from analysis.card_episodes import ALL_CORRECT, Control, Endpoint
from analysis.config import BenchmarkCard
from analysis.errors import Problem, problem_with_values

CARD = "benchmark.yaml"


def named_item_columns(card: BenchmarkCard) -> list[tuple[str, str]]:
    """Return every item column that these parts of the card name, with the key that names it."""
    named = [("episodes.groups", column) for column in card.episodes.groups]
    for name, endpoint in card.endpoints.items():
        key = f"endpoints.{name}"
        named += [(f"{key}.where", column) for column in endpoint.where]
        named += [(f"{key}.{part}", str(getattr(endpoint, part))) for part in ("classes", "groups", "within")]
        if endpoint.staging is not None:
            for part in ("slot", "within", "reference"):
                named.append((f"{key}.staging.{part}", getattr(endpoint.staging, part)))
    for name, control in card.controls.items():
        named += [(f"controls.{name}.{part}", str(getattr(control, part))) for part in ("column", "match")]
    return [(key, column) for key, column in named if column not in ("None", "")]


def declared_problems(
    items: pl.DataFrame, models: Iterable[str], ratings: pl.DataFrame | None, card: BenchmarkCard
) -> list[Problem]:
    """Return what is wrong with what the card declares, given the validated tables.

    Parameters
    ----------
    items : pl.DataFrame
        Rows of the `Items` schema, with the columns that the card names.
    models : iterable of str
        Models with verdicts.
    ratings : pl.DataFrame or None
        Rows of the `Ratings` schema.
    card : BenchmarkCard
        The card.

    Returns
    -------
    list of Problem
        Empty where everything fits.
    """
    absent = [
        _problem(key, f"names the item column {column!r}, which the items do not have", _columns(items))
        for key, column in named_item_columns(card)
        if column not in items.columns or items[column].null_count() == items.height
    ]
    if absent:
        return absent
    problems = [*_episodes(items, card)]
    for name, endpoint in card.endpoints.items():
        problems += _endpoint(items, name, endpoint)
    for name, control in card.controls.items():
        problems += _control(items, set(models), name, control, card)
    problems += _audits(ratings, card)
    return problems


def _problem(key: str, message: str, allowed: str) -> Problem:
    return Problem(message, CARD, key, allowed=allowed, kind="key")


def _columns(items: pl.DataFrame) -> str:
    known = [c for c in items.columns if c != "item_id" and items[c].null_count() < items.height]
    return ", ".join(known) or "no item column has values"


def _values(items: pl.DataFrame, column: str) -> list[str]:
    return [str(v) for v in items[column].drop_nulls().cast(pl.String).unique().sort()]


def _episodes(items: pl.DataFrame, card: BenchmarkCard) -> Iterator[Problem]:
    episodes = card.episodes
    if card.cluster is None:
        if episodes.model_fields_set:
            yield _problem(
                "episodes",
                "needs clusters, and the card declares none",
                "cluster: an item column, such as cluster_id",
            )
        return
    components = _values(items, "component")
    tracks = ["all", *_values(items, "track")]
    for track in episodes.tracks or ():
        if track not in tracks:
            message = f"names the track {track!r}, which no item has"
            yield _problem("episodes.tracks", message, ", ".join(tracks[:8]))
    known = [*components, ALL_CORRECT, *(f"{ALL_CORRECT}:{c}" for c in components)]
    for name, endpoint in episodes.endpoints.items():
        if name in components:
            message = "has the name of a component"
            yield _problem(f"episodes.endpoints.{name}", message, "any other name")
        yield from _known(f"episodes.endpoints.{name}.all_of", endpoint.all_of, known)
        known.append(name)
    yield from _known("episodes.nested", episodes.nested, known)
    yield from _known("episodes.states", episodes.states, known)
    yield from _known("episodes.depth", (episodes.depth,) if episodes.depth else (), components)
    for column in episodes.groups:
        values = items.group_by(card.cluster).agg(pl.col(column).drop_nulls().n_unique().alias("n"))
        varies = values.filter(pl.col("n") > 1).sort(card.cluster)
        if varies.height:
            yield problem_with_values(
                f"varies within {varies.height:,} clusters, and the card groups episodes by it",
                file="items.parquet",
                column=column,
                values=varies[card.cluster].head(3).to_list(),
                n_values=varies.height,
                allowed=f"one {column} per {card.cluster}",
            )


def _known(key: str, names: Iterable[str], known: list[str]) -> Iterator[Problem]:
    for name in names:
        if name not in known:
            what = "a component or endpoint" if key != "episodes.depth" else "a component"
            allowed = ", ".join(known[:8]) if known else "items have no component"
            yield _problem(key, f"names {name!r}, which is not {what} of the items", allowed)


def _endpoint(items: pl.DataFrame, name: str, endpoint: Endpoint) -> Iterator[Problem]:
    key = f"endpoints.{name}"
    part = items
    wanted: dict[str, str | None] = {"track": endpoint.track, **endpoint.where}
    for column, value in wanted.items():
        if value is None:
            continue
        if value not in _values(items, column):
            place = f"{key}.track" if column == "track" else f"{key}.where"
            message = f"asks for {column} {value!r}, which no item has"
            yield _problem(place, message, ", ".join(_values(items, column)[:8]) or "no values")
            return
        part = part.filter(pl.col(column).cast(pl.String) == value)
    staging = endpoint.staging
    components = {"component": endpoint.component, "given": endpoint.given}
    if staging is not None:
        components = {
            "staging.evidence": staging.evidence,
            "staging.slot_decided_by": staging.slot_decided_by or None,
        }
    for place, component in components.items():
        if component is not None and component not in _values(part, "component"):
            message = f"names the component {component!r}, which no item there has"
            allowed = ", ".join(_values(part, "component")[:8]) or "items there have no component"
            yield _problem(f"{key}.{place}", message, allowed)
    if not part.height:
        yield _problem(key, "leaves no item", "a track and values that items have together")


def _control(
    items: pl.DataFrame, models: set[str], name: str, control: Control, card: BenchmarkCard
) -> Iterator[Problem]:
    key = f"controls.{name}"
    for pair in control.models.values():
        for model in pair:
            if model not in models:
                message = f"names the model {model!r}, which has no verdicts"
                yield _problem(f"{key}.models", message, ", ".join(sorted(models)[:8]))
    part = items
    for column in ("track", "component"):
        value = getattr(control, column)
        if value is not None:
            if value not in _values(items, column):
                message = f"names {value!r}, which no item has"
                yield _problem(
                    f"{key}.{column}", message, ", ".join(_values(items, column)[:8]) or "no values"
                )
                return
            part = part.filter(pl.col(column) == value)
    if control.column is None or control.match is None:
        return
    sides = []
    for side in ("baseline", "changed"):
        value = getattr(control, side)
        if value not in _values(part, control.column):
            message = f"names the condition {value!r}, which no such item has in {control.column}"
            yield _problem(f"{key}.{side}", message, ", ".join(_values(part, control.column)[:8]))
            return
        rows = part.filter(pl.col(control.column).cast(pl.String) == value)
        rows = rows.drop_nulls(control.match).sort("item_id")
        again = rows.filter(pl.col(control.match).is_duplicated())
        if again.height:
            yield problem_with_values(
                f"is the same for several items of the condition {value!r} of the control {name!r}",
                file="items.parquet",
                column=control.match,
                values=[f"{r[0]} ({r[1]})" for r in again.select(control.match, "item_id").head(3).rows()],
                n_values=again.height,
                allowed="one item per question and condition",
            )
        sides.append(rows)
    if card.cluster is not None:
        columns = list(dict.fromkeys((control.match, card.cluster)))
        both = sides[0].select(columns).join(sides[1].select(columns), on=control.match, suffix="__changed")
        other = f"{card.cluster}__changed"
        apart = both.filter(pl.col(card.cluster) != pl.col(other)) if other in both.columns else both.clear()
        if apart.height:
            yield problem_with_values(
                f"is shared by items of different clusters ({card.cluster}) in the control {name!r}",
                file="items.parquet",
                column=control.match,
                values=apart.sort(control.match)[control.match].head(3).to_list(),
                n_values=apart.height,
                allowed="both items of a question in one cluster",
            )


def _audits(ratings: pl.DataFrame | None, card: BenchmarkCard) -> Iterator[Problem]:
    if not card.judge_audits:
        return
    if ratings is None:
        yield _problem("judge_audits", "needs ratings", "a file ratings.parquet")
        return
    raters = sorted(ratings["rater"].unique())
    judges = sorted(ratings.filter(pl.col("rater_kind") != "human")["rater"].unique())
    for name, audit in card.judge_audits.items():
        if audit.reference not in raters:
            message = f"names the rater {audit.reference!r}, who rated nothing"
            yield _problem(f"judge_audits.{name}.reference", message, ", ".join(raters[:8]))
        for judge in audit.judges:
            if judge not in raters:
                message = f"names the rater {judge!r}, who rated nothing"
                yield _problem(f"judge_audits.{name}.judges", message, ", ".join(judges[:8]))
        if audit.resample == "cluster" and card.cluster is None:
            message = "asks for clusters, and the card declares none"
            yield _problem(f"judge_audits.{name}.resample", message, "response, item")
