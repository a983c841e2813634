"""Tables of any origin: CSV, JSON Lines, JSON, XLSX and Parquet, with a mapping file.

Columns that carry the names of the raw contract are taken as what they say; any other column needs
a line in the mapping file. CSV, JSON Lines and Parquet are read in a stream.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, ClassVar

from analysis.ingest.importers.common.files import (
    bare_name,
    clean_text,
    natural_name,
)
from analysis.ingest.importers.common.jsonfiles import reason_of
from analysis.ingest.importers.common.jsontext import JsonError
from analysis.ingest.importers.common.records import Log, LogFile, ReadOptions, RefusedError, Sample, Score
from analysis.ingest.importers.common.values import (
    identifier,
    key_value,
    look_up,
    number_or_none,
    score,
)
from analysis.ingest.importers.table_files import CSV_SUFFIXES, JSON_SUFFIXES, Row, open_table
from analysis.ingest.importers.table_mapping import (
    ITEM_TARGETS,
    OUTCOMES,
    SUFFIX,
    NeedsMappingError,
    TableMapping,
    native_columns,
    read_mapping,
)

_ESCAPED = ("'=", "'+", "'-", "'@", "'\t", "'\r", "''")


class TableImporter:
    """Reads tables by a mapping file."""

    name = "table"
    title = "Table (CSV, JSON Lines, XLSX, Parquet)"
    maps: ClassVar[dict[str, str]] = {
        "every column": "the column of the mapping file, else the column of the same name",
        "metrics": "metrics of the mapping file",
        "items": "track, question_type, cluster_id, position, component, weight, declared columns",
    }

    def detect(self, path: Path, head: bytes) -> bool:
        """Say whether the file is a table, by its suffix."""
        name = bare_name(path)
        if name.endswith(SUFFIX):
            return False
        return name.endswith((*CSV_SUFFIXES, *JSON_SUFFIXES, ".xlsx", ".parquet"))

    def find(self, path: Path) -> LogFile:
        """Return the table with a mapping file of the same name beside it."""
        mapping = path.parent / f"{bare_name(path).rsplit('.', 1)[0]}{SUFFIX}"
        return LogFile(path, natural_name(path, 2), (mapping,) if mapping.is_file() else ())

    def read(self, file: LogFile, log: Log, options: ReadOptions) -> Iterator[Sample]:
        """Yield one sample per row."""
        log.tool = "table"
        mapping: TableMapping = options.mapping or TableMapping()
        if options.mapping is None and file.companions:
            mapping = read_mapping(file.companions[0])
            log.note(f"mapped by {file.companions[0].name} beside it")
        log.verdict_order = list(mapping.verdicts.order or ())
        log.verdict_succeed = list(mapping.verdicts.succeed or ())
        with ExitStack() as stack:
            columns, rows = open_table(file.path, mapping, stack)
            fixed = not bare_name(file.path).endswith(JSON_SUFFIXES)
            reader = _RowReader(columns, mapping, options, log, fixed=fixed)
            for place, row in rows:
                if isinstance(row, JsonError):
                    log.drop(reason_of(row), place)
                    continue
                sample = reader.sample(row, place)
                if sample is not None:
                    yield sample
        if log.records == 0:
            raise RefusedError(
                "holds no rows" + (f" ({'; '.join(sorted(log.broken))})" if log.broken else "")
            )


class _RowReader:
    """Turns rows into samples, by the mapping; `fixed` says that every row has all the columns."""

    def __init__(
        self,
        columns: Sequence[str],
        mapping: TableMapping,
        options: ReadOptions,
        log: Log,
        *,
        fixed: bool,
    ) -> None:
        self.mapping = mapping
        self.options = options
        self.log = log
        self.columns: dict[str, str] = dict(mapping.columns)  # type: ignore[arg-type]
        explicit = bool(self.columns)
        if not explicit:
            self.columns = native_columns(columns)
        known = set(columns)
        lacking = [c for c in (*self.columns.values(), *mapping.metrics.values()) if c not in known]
        if lacking and explicit and fixed:
            raise RefusedError(f"has no column {lacking[0]!r} (columns: {', '.join(list(columns)[:12])})")
        if lacking and explicit:
            # JSON records need not all have the same keys, and null ones may be left out.
            log.note(f"keys not found in the first records: {', '.join(lacking)}")
        has_outcome = any(o in self.columns for o in OUTCOMES) or bool(mapping.metrics)
        if "item_id" not in self.columns or not has_outcome:
            raise NeedsMappingError(list(columns))
        used = {*self.columns.values(), *mapping.metrics.values()}
        unused = [c for c in columns if c not in used and c not in options.keys]
        if unused:
            shown = ", ".join(unused[:8]) + (" ..." if len(unused) > 8 else "")
            log.note(f"columns not used: {shown}")
        self.true = frozenset(t.lower() for t in mapping.true)
        self.false = frozenset(t.lower() for t in mapping.false)
        self.null = frozenset(mapping.null)
        self.excluded = frozenset(mapping.verdicts.exclude)
        self.getters = {t: self._getter(c) for t, c in self.columns.items()}
        self.metrics = {n: self._getter(c) for n, c in mapping.metrics.items()}
        self.outcome = next((o for o in ("correct", "verdict", "score") if o in self.columns), "")
        log.declared_primary = self.outcome

    def _getter(self, column: str) -> Callable[[Row], Any]:
        escaped = self.mapping.csv_escape == "apostrophe"
        null = self.null

        def get(row: Row) -> Any:
            value = row.get(column)
            if value is None and column not in row:
                value = look_up(row, column)
            if isinstance(value, str):
                if value in null:
                    return None
                if escaped and value.startswith(_ESCAPED):
                    return value[1:]
            return value

        return get

    def get(self, target: str, row: Row) -> Any:
        """Return a target's value in a row, or the constant that stands for it."""
        getter = self.getters.get(target)
        if getter is not None:
            return getter(row)
        return self.mapping.constants.get(target)  # type: ignore[call-overload]

    def sample(self, row: Row, place: str) -> Sample | None:
        """Return the row as a sample; None where it is dropped."""
        item = identifier(self.get("item_id", row))
        if item is None:
            self.log.drop("row has no item_id", place)
            return None
        run = _whole(self.get("run", row))
        if run is None:
            self.log.drop("run is not a whole number from 0", place)
            return None
        outcomes = self._outcomes(row, place)
        if outcomes is None:
            return None
        verdict = outcomes[0].text if outcomes else None
        self.log.records += 1
        sample = Sample(
            item=item[0],
            item_is_int=item[1],
            run=run,
            model=key_value(self.get("model", row)),
            task=key_value(self.get("task", row)),
            status=verdict if verdict and verdict in self.excluded else "",
            scores=outcomes,
            labels=self._texts("labels", row),
            flags=self._texts("flags", row),
            decision=key_value(self.get("decision", row)),
            input_tokens=self._number("input_tokens", row),
            output_tokens=self._number("output_tokens", row),
            cost_usd=self._number("cost_usd", row),
            latency_s=self._number("latency_s", row),
        )
        for name, getter in self.metrics.items():
            found = score(name, getter(row), self.log)
            if found is not None:
                sample.scores.append(found)
        for target in ITEM_TARGETS:
            if (value := key_value(self.get(target, row))) is not None:
                sample.keys[target] = value
        for key in self.options.keys:
            if (value := key_value(look_up(row, key))) is not None and value not in self.null:
                sample.keys[key] = value
        return sample

    def _outcomes(self, row: Row, place: str) -> list[Score] | None:
        """Return a row's verdict with its truth value, and its score; None where it is dropped.

        The score is a metric of its own beside a verdict or a truth value, which decide.
        """
        found = []
        stated = self.get("correct", row)
        correct = None if stated is None else self._truth(stated)
        if stated is not None and correct is None:
            self.log.drop("correct is neither true nor false", f"{place}: {stated}")
            return None
        if self.outcome in ("correct", "verdict"):
            found.append(Score(self.outcome, None, key_value(self.get("verdict", row)), correct))
        if "score" in self.columns:
            raw = self.get("score", row)
            one = score("score", raw, self.log)
            if one is None or one.text is not None:
                self.log.drop("score is no number", f"{place}: {raw}")
                return None
            found.append(one)
        return found

    def _truth(self, value: Any) -> bool | None:
        if isinstance(value, bool):
            return value
        if isinstance(value, int | float):
            return bool(value) if value in (0, 1) else None
        text = str(value).strip().lower()
        return True if text in self.true else False if text in self.false else None

    def _number(self, target: str, row: Row) -> float | None:
        value = self.get(target, row)
        number = number_or_none(value)
        if number is None and value is not None and value == value:
            self.log.note(f"{target}: no number from 0, left out", value)
        return number

    def _texts(self, target: str, row: Row) -> list[str]:
        return _entries(self.get(target, row), self.mapping.separator)


def _entries(value: Any, separator: str) -> list[str]:
    """Return a list of texts from a list, a JSON list in a text, or a text with separators."""
    if isinstance(value, str):
        if value.startswith("["):
            try:
                value = json.loads(value)
            except ValueError:
                value = [value]
        else:
            value = value.split(separator)
    if value is None:
        return []
    entries: Iterable[Any] = value if isinstance(value, list | tuple) else [value]
    return [clean_text(str(e).strip()) for e in entries if e is not None and str(e).strip()]


def _whole(value: Any) -> int | None:
    if value is None:
        return 0
    number = number_or_none(value)
    return int(number) if number is not None and number.is_integer() and number < 2**53 else None
