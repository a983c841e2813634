"""The light reader and Inspect's own give the same rows; runs where the extra `inspect` is installed."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from analysis.ingest.importers.common.records import Log, ReadOptions, RefusedError
from analysis.ingest.importers.inspect_logs import InspectImporter
from tests.unit.importers.makers import inspect_log, inspect_members, inspect_sample, write_eval, write_json


@pytest.fixture(scope="module")
def inspect_ai_log() -> Any:
    return pytest.importorskip("inspect_ai.log", reason="inspect_ai is not installed (extra `inspect`)")


def plain(value: Any) -> Any:
    """Return a score value as the light reader keeps it: numbers, or text; NaN and null are unscored."""
    if isinstance(value, bool | int | float):
        return None if math.isnan(value) else float(value)
    return value


def by_inspect(reader: Any, path: Path) -> list[tuple[Any, ...]]:
    log = reader.read_eval_log(str(path))
    rows = []
    for sample in log.samples or []:
        values: dict[str, Any] = {}
        for name, score in (sample.scores or {}).items():
            parts = score.value.items() if isinstance(score.value, dict) else [(None, score.value)]
            for key, value in parts:
                if not isinstance(value, list | dict):
                    values[name if key is None else f"{name}.{key}"] = plain(value)
        usage = sample.model_usage.get(log.eval.model)
        read = None
        if usage is not None:
            read = usage.input_tokens + (usage.input_tokens_cache_read or 0)
            read += usage.input_tokens_cache_write or 0
        seconds = sample.working_time if sample.working_time is not None else sample.total_time
        rows.append((log.eval.model, log.eval.task, str(sample.id), sample.epoch - 1, values, read, seconds))
    return sorted(rows, key=repr)


def by_light_reader(path: Path) -> list[tuple[Any, ...]]:
    importer = InspectImporter()
    log = Log(path.name, "inspect")
    rows = []
    for s in importer.read(importer.find(path), log, ReadOptions()):
        values = {x.metric: x.number if x.number is not None else x.text for x in s.scores}
        rows.append((log.model, log.task, s.item, s.run, values, s.input_tokens, s.latency_s))
    return sorted(rows, key=repr)


def test_real_logs(inspect_ai_log: Any, data_dir: Path) -> None:
    compared = 0
    for path in sorted((data_dir / "native" / "inspect").iterdir()):
        try:
            found = by_light_reader(path)
        except RefusedError:
            continue
        assert found == by_inspect(inspect_ai_log, path), path.name
        compared += len(found)
    assert compared == 305


@pytest.mark.parametrize("kind", ["json", "eval"])
def test_made_up_logs(inspect_ai_log: Any, tmp_path: Path, kind: str) -> None:
    usage = {"openai/gpt-test": {"input_tokens": 10, "output_tokens": 5, "total_tokens": 18,
                                 "input_tokens_cache_read": 3}}  # fmt: skip
    error = {"message": "x", "traceback": "", "traceback_ansi": ""}
    log = inspect_log(
        [
            inspect_sample(1, {"m": "C", "n": 0.5}, model_usage=usage, total_time=3.0),
            inspect_sample(1, {"m": math.nan, "d": {"value": {"a": 1, "b": "I"}}}, epoch=2, working_time=1.0),
            inspect_sample("x/y", {"m": True}),
            inspect_sample("e", None, error=error),
        ]
    )
    path = tmp_path / f"log.{kind}"
    if kind == "json":
        write_json(path, log)
    else:
        write_eval(path, inspect_members(log))
    assert by_light_reader(path) == by_inspect(inspect_ai_log, path)
