"""Options of the command line to the choices of an import, and answers on the terminal to the same."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from analysis.errors import ConfigError

if TYPE_CHECKING:
    from analysis.ingest.importers.pipeline.choices import Choices

ONE_OF = {
    "duplicates": ("latest", "runs"),
    "same_id": ("merge", "split"),
    "unfinished": ("exclude", "score"),
    "perturbed": ("items", "exclude"),
}


def choices_from(given: Mapping[str, Any], choices_file: Path | None = None) -> Choices:
    """Return the choices that options and a file make; options come before the file.

    Raises
    ------
    ConfigError
        Where an option or the file is wrong.
    """
    from analysis.config import parse
    from analysis.ingest.importers.pipeline.choices import Choices, read_choices

    data: dict[str, Any] = {}
    for name, value in given.items():
        flag = f"--{name.replace('_', '-')}"
        if name in ONE_OF and value not in ONE_OF[name]:
            raise ConfigError(f"{flag} {value}: allowed are {', '.join(ONE_OF[name])}")
        convert = _CONVERT.get(name)
        data[name] = convert(flag, value) if convert else value
    choices = parse(Choices, data, file="options")
    return read_choices(choices_file).merged(choices) if choices_file is not None else choices


def _split(flag: str, text: str, form: str) -> tuple[str, str]:
    name, equals, value = text.rpartition("=")
    if not equals or not name or not value:
        raise ConfigError(f"{flag} {text}: write {form}")
    return name, value


def _number(flag: str, text: str, value: str) -> float:
    try:
        return float(value)
    except ValueError:
        raise ConfigError(f"{flag} {text}: {value!r} is not a number") from None


def _thresholds(flag: str, entries: Sequence[str]) -> dict[str, float]:
    pairs = [(e, *_split(flag, e, "METRIC=VALUE")) for e in entries]
    return {name: _number(flag, entry, value) for entry, name, value in pairs}


def _ranges(flag: str, entries: Sequence[str]) -> dict[str, tuple[float, float]]:
    found = {}
    for entry in entries:
        name, value = _split(flag, entry, "METRIC=WORST:BEST")
        worst, colon, best = value.partition(":")
        if not colon:
            raise ConfigError(f"{flag} {entry}: write METRIC=WORST:BEST")
        found[name] = (_number(flag, entry, worst), _number(flag, entry, best))
    return found


def _values(flag: str, entries: Sequence[str]) -> dict[str, dict[str, float | str]]:
    found: dict[str, dict[str, float | str]] = {}
    for entry in entries:
        name, counts = _split(flag, entry, "METRIC:TEXT=COUNTS")
        metric, colon, text = name.partition(":")
        if not colon:
            raise ConfigError(f"{flag} {entry}: write METRIC:TEXT=COUNTS")
        meaning = counts if counts in ("exclude", "unscored") else _number(flag, entry, counts)
        found.setdefault(metric, {})[text] = meaning
    return found


def _models(flag: str, entries: Sequence[str]) -> dict[str, str]:
    found = {}
    for entry in entries:
        pattern, equals, name = entry.partition("=")
        if not equals:
            pattern, name = "*", entry
        if not name.strip() or not pattern:
            raise ConfigError(f"{flag} {entry}: write NAME or LOG=NAME")
        found[pattern] = name
    return found


def _items(flag: str, value: str) -> Any:
    if value == "union":
        return value
    path = Path(value)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{flag} {value}: cannot be read ({error.__class__.__name__})") from None
    if text.lstrip().startswith("["):
        try:
            entries = json.loads(text)
        except ValueError:
            raise ConfigError(f"{flag} {value}: is not a JSON list") from None
        return tuple(sorted({str(e) for e in entries}))
    return tuple(sorted({line.strip() for line in text.splitlines() if line.strip()}))


def _prices(flag: str, path: Path) -> dict[str, dict[str, float]]:
    columns = ("model", "input_price_usd", "output_price_usd")
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ConfigError(f"{flag} {path}: cannot be read ({error.__class__.__name__})") from None
    if not rows or not set(columns) <= set(rows[0]):
        raise ConfigError(f"{flag} {path}: needs the columns {', '.join(columns)}")
    return {
        row["model"]: {name: _number(flag, row["model"], row[name] or "") for name in columns[1:]}
        for row in rows
    }


def _mapping(flag: str, path: Path) -> dict[str, Any]:
    from analysis.ingest.importers.table_mapping import read_mapping

    if not path.is_file():
        raise ConfigError(f"{flag} {path}: does not exist")
    return read_mapping(path).model_dump(mode="json", exclude_defaults=True)


_CONVERT: dict[str, Callable[[str, Any], Any]] = {
    "threshold": _thresholds,
    "range": _ranges,
    "value": _values,
    "model": _models,
    "items": _items,
    "prices": _prices,
    "mapping": _mapping,
}
LISTS = frozenset(
    {"primary", "graded", "threshold", "range", "value", "model", "name_by", "strata", "covariates", "raters"}
)
FLAG_NAMES = {"stratum": "strata", "keep": "covariates", "rater": "raters"}


def choices_from_flags(tokens: Sequence[str]) -> Choices:
    """Return the choices of a piece of command line, such as an answer on the terminal."""
    given: dict[str, Any] = {}
    position = 0
    while position + 1 < len(tokens):
        name = tokens[position].removeprefix("--").replace("-", "_")
        name = FLAG_NAMES.get(name, name)
        if name in LISTS:
            given.setdefault(name, []).append(tokens[position + 1])
        else:
            given[name] = tokens[position + 1]
        position += 2
    return choices_from(given)
