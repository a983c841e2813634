"""Resolved samples to the rows of the raw contract, a batch at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from analysis.errors import DataError, problem_with_values
from analysis.ingest.importers.pipeline.layout import RATINGS_SCHEMA, RESOURCES, Plan, Tally
from analysis.ingest.importers.pipeline.rules import (
    CORRECT,
    INCORRECT,
    PARTIAL,
    TECHNICAL_FAILURE,
    Meaning,
    Rule,
)

Objects = NDArray[np.object_]
Floats = NDArray[np.float64]
TOLERANCE = 1e-9


@dataclass
class _Entries:
    """The scores of a batch, flat: which row, which metric, and the value."""

    parent: NDArray[np.int64]
    metric: Objects
    number: Floats
    text: Objects
    correct: Objects

    def of(self, metric: str, rows: NDArray[np.bool_]) -> _Entries:
        """Return the entries of a metric within some rows, the first of each row."""
        chosen = np.flatnonzero((self.metric == metric) & rows[self.parent])
        _, first = np.unique(self.parent[chosen], return_index=True)
        at = chosen[first]
        return _Entries(self.parent[at], self.metric[at], self.number[at], self.text[at], self.correct[at])


class Converter:
    """Turns batches of resolved samples into verdict rows and ratings.

    Parameters
    ----------
    plan : Plan
        What the output looks like.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.schema = plan.schema()
        self.tally = Tally()

    def convert(self, batch: pa.Table) -> tuple[pa.Table, pa.Table]:
        """Return the verdict rows and the ratings of a batch."""
        n = batch.num_rows
        tasks = _objects(batch["task"])
        models = _objects(batch["model"])
        status = self._status(batch)
        entries = _entries(batch["scores"])
        verdict: Objects = np.full(n, None, object)
        correct: Objects = np.full(n, None, object)
        score: Floats = np.full(n, np.nan)
        for task, rule in sorted(self.plan.primary.items()):
            rows = tasks == task
            if rows.any():
                self._apply(rule, entries.of(rule.metric, rows), status, verdict, correct, score)
        unlisted = np.asarray(batch["row"].is_null())
        verdict[unlisted], correct[unlisted], score[unlisted] = INCORRECT, False, 0.0
        self._exclude(status, verdict, correct, score)
        for task in sorted(self.plan.score_beside):
            given = entries.of("score", tasks == task)
            score[given.parent] = given.number
        columns: dict[str, Any] = {
            "model": batch["model"],
            "item_id": batch["item_id"],
            "run": batch["run"].cast(pa.int64()),
            "verdict": pa.array(verdict, pa.string()),
            "correct": pa.array(correct, pa.bool_()),
            "score": pa.array(score, pa.float64(), from_pandas=True),
        }
        self._take_texts(batch, status, columns)
        for metric, column in self.plan.columns.items():
            columns[column] = self._extra(metric, tasks, entries)
        self._count(models, verdict, correct, score, status)
        table = pa.table([columns[f.name] for f in self.schema], schema=self.schema)
        return table, self._ratings(batch, entries, status)

    def _status(self, batch: pa.Table) -> Objects:
        status = _objects(batch["status"])
        status[[s is None for s in status]] = ""
        if self.plan.score_unfinished:
            status[[s.startswith("log_") for s in status]] = ""
        return status

    def _apply(
        self,
        rule: Rule,
        entries: _Entries,
        status: Objects,
        verdict: Objects,
        correct: Objects,
        score: Floats,
    ) -> None:
        stated = np.array([c is not None for c in entries.correct], bool)
        numeric = ~np.isnan(entries.number) & ~stated
        at = entries.parent[stated]
        correct[at] = entries.correct[stated]
        inside = (entries.number >= 0) & (entries.number <= 1)
        score[at] = np.where(inside, entries.number, np.nan)[stated]
        verdict[at] = [
            t if t is not None or rule.given else CORRECT if c else INCORRECT
            for t, c in zip(entries.text[stated], entries.correct[stated], strict=True)
        ]
        self._apply_numbers(rule, entries.parent[numeric], entries.number[numeric], verdict, correct, score)
        worded = np.flatnonzero(~stated & ~numeric & np.array([t is not None for t in entries.text], bool))
        for position in worded:
            text, row = entries.text[position], entries.parent[position]
            if (status[row] and status[row] == text) or rule.kind == "stated":
                verdict[row] = text
                continue
            meaning = rule.texts.get(text, Meaning())
            self._apply_meaning(rule, meaning, row, status, verdict, correct, score)

    def _apply_numbers(
        self,
        rule: Rule,
        at: NDArray[np.int64],
        number: Floats,
        verdict: Objects,
        correct: Objects,
        score: Floats,
    ) -> None:
        if at.size == 0:
            return
        scaled = _scaled(rule, number)
        success = scaled >= 1
        if rule.threshold is not None:
            success = number <= rule.threshold if rule.lower_is_better else number >= rule.threshold
        correct[at] = success
        verdict[at] = np.where(success, CORRECT, INCORRECT)
        if rule.graded and rule.threshold is None:
            verdict[at[(scaled > 0) & (scaled < 1)]] = PARTIAL
        score[at] = np.where((scaled >= 0) & (scaled <= 1), scaled, np.nan)

    def _apply_meaning(
        self,
        rule: Rule,
        meaning: Meaning,
        row: int,
        status: Objects,
        verdict: Objects,
        correct: Objects,
        score: Floats,
    ) -> None:
        if meaning.excluded:
            status[row] = verdict[row] = meaning.verdict or TECHNICAL_FAILURE
            return
        verdict[row] = meaning.verdict
        correct[row] = meaning.correct
        score[row] = np.nan if meaning.number is None else meaning.number
        if rule.threshold is not None and meaning.number is not None:
            correct[row] = meaning.number >= rule.threshold

    def _exclude(self, status: Objects, verdict: Objects, correct: Objects, score: Floats) -> None:
        """Take what leaves the denominator out of it; its verdict says so."""
        for row in np.flatnonzero(status != ""):
            own = verdict[row] == status[row]
            verdict[row] = status[row] if own else TECHNICAL_FAILURE
            correct[row] = None
            score[row] = np.nan
            self.tally.reasons[status[row]] += 1
            self.tally.excluded_verdicts.add(verdict[row])
            if own:
                status[row] = TECHNICAL_FAILURE

    def _take_texts(self, batch: pa.Table, status: Objects, columns: dict[str, Any]) -> None:
        labels = batch["labels"].to_pylist()
        for row in np.flatnonzero((status != "") & (status != TECHNICAL_FAILURE)):
            labels[row] = [*(labels[row] or []), status[row]]
        cleaned = [sorted(set(entry)) if entry else [] for entry in labels]
        for entry in cleaned:
            self.tally.labels.update(entry)
        columns["labels"] = pa.array(cleaned, pa.list_(pa.string()))
        flags = [sorted(set(entry)) if entry else [] for entry in batch["flags"].to_pylist()]
        columns["flags"] = pa.array(flags, pa.list_(pa.string()))
        columns["decision"] = batch["decision"]
        for name in RESOURCES:
            columns[name] = batch[name]

    def _extra(self, metric: str, tasks: Objects, entries: _Entries) -> pa.Array:
        values: Floats = np.full(len(tasks), np.nan)
        for task, rule in sorted(self.plan.extras[metric].items()):
            found = entries.of(metric, tasks == task)
            values[found.parent] = found.number
            for position in np.flatnonzero(np.isnan(found.number)):
                if found.text[position] is not None:
                    number = rule.texts.get(found.text[position], Meaning()).number
                    values[found.parent[position]] = np.nan if number is None else number
        return pa.array(values, pa.float64(), from_pandas=True)

    def _ratings(self, batch: pa.Table, entries: _Entries, status: Objects) -> pa.Table:
        parts = []
        everything = status == ""
        for rater in self.plan.raters:
            found = entries.of(rater.metric, everything)
            given = ~np.isnan(found.number) | np.array([t is not None for t in found.text], bool)
            at = pa.array(found.parent[given])
            n = len(at)
            parts.append(
                pa.table(
                    [
                        pc.take(batch["model"], at),
                        pc.take(batch["item_id"], at),
                        pc.take(batch["run"], at).cast(pa.int64()),
                        pa.array([rater.criterion] * n, pa.string()),
                        pa.array([rater.rater] * n, pa.string()),
                        pa.array([rater.kind] * n, pa.string()),
                        pa.array(found.text[given], pa.string()),
                        pa.array(found.number[given], pa.float64(), from_pandas=True),
                    ],
                    schema=RATINGS_SCHEMA,
                )
            )
        return pa.concat_tables(parts) if parts else RATINGS_SCHEMA.empty_table()

    def _count(
        self, models: Objects, verdict: Objects, correct: Objects, score: Floats, status: Objects
    ) -> None:
        tally = self.tally
        scored = np.array([c is not None for c in correct], bool)
        excluded = status != ""
        success = np.array([c is True or c is np.True_ for c in correct], bool)
        tally.verdicts.update(v for v in verdict if v is not None)
        for model in np.unique(models):
            rows = models == model
            tally.rows[model] += int(rows.sum())
            tally.scored[model] += int((rows & scored).sum())
            tally.excluded[model] += int((rows & excluded).sum())
            tally.unscored[model] += int((rows & ~scored & ~excluded).sum())
            tally.correct[model] += int((rows & success).sum())
            tally.score_sum[model] = tally.score_sum.get(model, 0.0) + float(np.nansum(score[rows & scored]))


def _scaled(rule: Rule, number: Floats) -> Floats:
    """Return the values on the scale 0 to 1.

    Raises
    ------
    DataError
        Where a graded metric has values beyond the range that was given for it.
    """
    if rule.scale is None:
        return number
    worst, best = rule.scale
    scaled: Floats = (number - worst) / (best - worst)
    outside = (scaled < -TOLERANCE) | (scaled > 1 + TOLERANCE)
    if outside.any() and rule.threshold is None:
        raise DataError(
            [
                problem_with_values(
                    "has values outside the range given for it",
                    column=rule.metric,
                    values=[f"{v:g}" for v in np.unique(number[outside])],
                    n_rows=int(outside.sum()),
                    allowed=f"from {min(rule.scale):g} to {max(rule.scale):g}",
                    hint=f"widen --range {rule.metric}=WORST:BEST",
                )
            ]
        )
    clipped: Floats = np.clip(scaled, 0.0, 1.0)
    return clipped


def _objects(column: pa.ChunkedArray) -> Objects:
    return np.array(column.to_pylist(), dtype=object)


def _entries(column: pa.ChunkedArray) -> _Entries:
    scores = column.combine_chunks()
    if isinstance(scores, pa.ChunkedArray):
        scores = pa.concat_arrays(scores.chunks)
    lengths = np.asarray(pc.fill_null(pc.list_value_length(scores), 0), dtype=np.int64)
    flat = scores.flatten()
    return _Entries(
        parent=np.repeat(np.arange(len(scores), dtype=np.int64), lengths),
        metric=np.array(flat.field("metric").to_pylist(), dtype=object),
        number=np.array(
            [np.nan if v is None else v for v in flat.field("number").to_pylist()], dtype=np.float64
        ),
        text=np.array(flat.field("text").to_pylist(), dtype=object),
        correct=np.array(flat.field("correct").to_pylist(), dtype=object),
    )
