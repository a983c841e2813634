"""Which metrics are ratings, and by whom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from analysis.errors import DataError, problem_with_values


@dataclass(frozen=True)
class Rater:
    """A metric that is a rating."""

    metric: str
    rater: str
    kind: str
    criterion: str | None = None


def raters_of(metrics: Mapping[str, str], chosen: Sequence[str] | None, known: Sequence[str]) -> list[Rater]:
    """Return the metrics that are ratings.

    Parameters
    ----------
    metrics : mapping of str to str
        The judges' metrics and their raters, as the logs say.
    chosen : sequence of str or None
        ``metric`` or ``metric=kind``; ``none`` for none. Null: the judges, where there are several.
    known : sequence of str
        All metrics.

    Raises
    ------
    DataError
        Where a chosen metric does not exist.
    """
    if chosen is None:
        if len(set(metrics.values())) < 2:
            return []
        return [_rater(metric, "judge", rater) for metric, rater in sorted(metrics.items())]
    found = []
    for entry in chosen:
        if entry == "none":
            continue
        metric, equals, kind = entry.rpartition("=")
        if not equals or kind not in ("human", "judge", "scorer"):
            metric, kind = entry, "judge" if entry in metrics else "scorer"
        if metric not in known:
            raise DataError(
                [
                    problem_with_values(
                        "is no metric of the logs",
                        column=metric,
                        values=[metric],
                        allowed=", ".join(sorted(known)[:12]),
                    )
                ]
            )
        found.append(_rater(metric, kind, metrics.get(metric, metric)))
    return sorted(found, key=lambda r: r.metric)


def _rater(metric: str, kind: str, rater: str) -> Rater:
    if metric.startswith(f"{rater}."):
        return Rater(metric, rater, kind, metric.removeprefix(f"{rater}."))
    return Rater(metric, rater, kind)
