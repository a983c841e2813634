"""Generated logs of every format: what goes in comes out, whatever the values and the order."""

from __future__ import annotations

import json
import math
import tempfile
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from analysis.ingest.importers.common.jsonscanner import document
from analysis.ingest.importers.common.records import Log, ReadOptions, RefusedError, Sample, Score
from analysis.ingest.importers.registry import FORMATS, importer
from tests.unit.importers import makers as make

FEW = settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
MANY = settings(max_examples=60, deadline=None)

text = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), min_size=1, max_size=12)
visible = text.filter(lambda t: bool(t.strip()))
ids = st.one_of(st.integers(-5, 10**12), visible)
unit = st.floats(0, 1, allow_nan=False)
number = st.floats(-1e6, 1e6, allow_nan=False)
value = st.one_of(
    st.sampled_from(["C", "I", "P", "N"]),
    st.booleans(),
    st.integers(0, 1),
    unit,
    st.none(),
    st.just(math.nan),
)


@contextmanager
def scratch() -> Any:
    """A folder of one example's own."""
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def read(format: str, path: Path) -> tuple[list[Sample], Log]:
    reader = importer(format)
    log = Log(path.name, format)
    return list(reader.read(reader.find(path), log, ReadOptions())), log


def refusal(format: str, path: Path) -> str | None:
    """Return why a file is refused; None where it is read. Any other error is a fault."""
    try:
        read(format, path)
    except RefusedError as error:
        return str(error)
    return None


def as_number(raw: Any) -> tuple[float | None, str | None]:
    """Return a raw score as number and text."""
    if isinstance(raw, bool | int | float):
        return (None, None) if math.isnan(raw) else (float(raw), None)
    return None, raw


@st.composite
def inspect_samples(draw: st.DrawFn) -> list[dict[str, Any]]:
    keys = draw(
        st.lists(st.tuples(ids, st.integers(1, 3)), max_size=6, unique_by=lambda k: (str(type(k[0])), k))
    )
    scorers = draw(st.lists(st.sampled_from(["match", "judge", "x y"]), max_size=3, unique=True))
    return [make.inspect_sample(item, {s: draw(value) for s in scorers}, epoch=epoch) for item, epoch in keys]


@FEW
@given(inspect_samples(), st.sampled_from(["json", "stored", "deflate", "zstd", "whole"]))
def test_inspect_logs(samples: list[dict[str, Any]], kind: str) -> None:
    log = make.inspect_log(samples)
    with scratch() as folder:
        if kind == "json":
            path = make.write_json(folder / "l.json", log)
        else:
            method = {"stored": 0, "deflate": 8, "zstd": 93, "whole": 8}[kind]
            members = make.inspect_members(log, summaries=kind != "whole")
            path = make.write_eval(folder / "l.eval", members, method)
        if not samples:
            try:
                read("inspect", path)
            except RefusedError:
                return
            raise AssertionError("a log without samples was read")
        if kind == "whole" and len({n for n, _ in members}) < len(members):
            return  # two identifiers of one text share a member's name: the tool itself keeps the last
        found, _ = read("inspect", path)
    wanted = {
        (str(s["id"]), isinstance(s["id"], int), s["epoch"] - 1): [
            (name, *as_number(score["value"])) for name, score in s["scores"].items()
        ]
        for s in samples
    }
    assert {
        (s.item, s.item_is_int, s.run): [(x.metric, x.number, x.text) for x in s.scores] for s in found
    } == wanted


@FEW
@given(
    st.lists(st.integers(0, 50), min_size=1, max_size=8, unique=True),
    st.dictionaries(st.sampled_from(["none", "strict", "loose"]), st.just(None), min_size=1),
    st.data(),
)
def test_lm_eval_logs(docs: list[int], filters: dict[str, None], data: st.DataObject) -> None:
    records = [
        make.lm_record(doc, {"acc": data.draw(st.integers(0, 1)), "f1": data.draw(number)}, filter=name)
        for name in filters
        for doc in docs
    ]
    with scratch() as folder:
        path = make.write_lm(folder, "t", records, make.lm_results(["t"]))
        found, log = read("lm-eval", path)
    assert log.broken == {}
    assert [(s.item, s.part or "none") for s in found] == [(str(r["doc_id"]), r["filter"]) for r in records]
    for sample, record in zip(found, records, strict=True):
        suffix = "" if record["filter"] == "none" else f",{record['filter']}"
        assert sample.scores == [
            Score(f"acc{suffix}", float(record["acc"])),
            Score(f"f1{suffix}", float(record["f1"])),
        ]


@FEW
@given(
    st.lists(st.tuples(st.sampled_from("abcde"), st.integers(0, 2)), min_size=1, max_size=8, unique=True),
    st.data(),
)
def test_helm_runs(keys: list[tuple[str, int]], data: st.DataObject) -> None:
    values = {key: {m: data.draw(unit) for m in ("exact_match", "f1")} for key in keys}
    entries = [
        make.helm_entry(item, [make.helm_stat(metric, values[item, trial][metric])], trial=trial)
        for metric in ("exact_match", "f1")
        for item, trial in keys
    ]
    shuffled = data.draw(st.permutations(entries))
    with scratch() as folder:
        found, _ = read("helm", make.write_helm(folder, shuffled))
    assert {(s.item, s.run): {x.metric: x.number for x in s.scores} for s in found} == values


@FEW
@given(
    st.dictionaries(visible, st.lists(st.booleans(), min_size=1, max_size=3), min_size=1, max_size=6),
    st.data(),
)
def test_openai_event_logs(truth: dict[str, list[bool]], data: st.DataObject) -> None:
    events = [(item, "match", {"correct": c}) for item, runs in truth.items() for c in runs]
    noise = [(item, "sampling", {"prompt": "p", "sampled": "s"}) for item in truth]
    order = data.draw(st.permutations(range(len(noise))))
    with scratch() as folder:
        path = make.openai_log(folder / "l.jsonl", [noise[i] for i in order] + events)
        found, _ = read("openai-evals", path)
    rows: dict[str, list[bool]] = {}
    for sample in sorted(found, key=lambda s: s.run):
        rows.setdefault(sample.item, []).append(sample.scores[0].number == 1.0)
    assert rows == truth


@FEW
@given(
    st.lists(
        st.tuples(visible, ids, st.integers(0, 6), st.integers(1, 6)), min_size=1, max_size=6,
        unique_by=lambda r: (r[0], str(r[1])),
    )
)  # fmt: skip
def test_eval_arena_records(rows: list[tuple[str, Any, int, int]]) -> None:
    lines = [
        {
            "benchmark_id": "b",
            "model": m,
            "example_id": i,
            "pass1": min(c, n) / n,
            "correct": min(c, n),
            "count": n,
        }
        for m, i, c, n in rows
    ]
    with scratch() as folder:
        found, log = read("eval-arena", make.write_lines(folder / "a.jsonl", lines))
    assert log.records == len(lines)
    for line in lines:
        values = [
            s.scores[0].number for s in found if (s.model, s.item) == (line["model"], str(line["example_id"]))
        ]
        assert values == [1.0] * line["correct"] + [0.0] * (line["count"] - line["correct"])


@FEW
@given(st.dictionaries(visible, st.tuples(unit, st.booleans()), min_size=1, max_size=8))
def test_every_eval_ever_records(rows: dict[str, tuple[float, bool]]) -> None:
    lines = [make.eee_record(item, *facts) for item, facts in rows.items()]
    with scratch() as folder:
        found, _ = read("every-eval-ever", make.write_lines(folder / "x_samples.jsonl", lines))
    assert {s.item: (s.scores[0].number, s.scores[0].correct) for s in found} == rows


@FEW
@given(st.dictionaries(visible, st.lists(visible, max_size=5), min_size=1, max_size=4))
def test_lists_of_resolved_ids(lists: dict[str, list[str]]) -> None:
    if {"resolved", "resolved_ids", "performances", "results"} & set(lists):
        return
    with scratch() as folder:
        path = make.write_json(folder / "x.json", lists)
        if not any(lists.values()):
            return
        found, log = read("resolved", path)
    assert log.open_world
    assert {(s.model, s.item) for s in found} == {(m, i) for m, items in lists.items() for i in items}


@FEW
@given(st.lists(st.tuples(visible, visible, st.booleans()), min_size=1, max_size=8))
def test_csv_tables(rows: list[tuple[str, str, bool]]) -> None:
    import csv

    with scratch() as folder:
        path = folder / "t.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["model", "item_id", "correct"])
            writer.writerows(rows)
        found, log = read("table", path)
    # A carriage return or line feed within a quoted field is text; the csv module keeps it.
    assert log.broken == {}
    assert [(s.model, s.item, s.scores[0].correct) for s in found] == rows


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**60), 2**60)
    | st.floats(allow_nan=False, allow_infinity=False)
    | text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=8,
)


@MANY
@given(st.dictionaries(text, json_values, max_size=4), st.lists(json_values, max_size=4), st.integers(1, 40),
       st.sampled_from([None, 1]), st.booleans(), st.data())  # fmt: skip
def test_documents_are_cut_where_a_parser_cuts_them(
    members: dict[str, Any],
    samples: list[Any],
    piece: int,
    indent: int | None,
    ascii_only: bool,
    data: st.DataObject,
) -> None:
    import io

    members.pop("samples", None)
    whole = {**members, "samples": samples}
    raw = json.dumps(whole, indent=indent, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    found: dict[str, Any] = {"samples": []}
    for key, item in document(Pieces(raw, piece), frozenset({"samples"})):
        if key == "samples":
            found["samples"].append(item)
        else:
            found[key] = item
    assert found == whole
    cut = raw[: data.draw(st.integers(0, len(raw) - 1))]
    try:
        list(document(io.BytesIO(cut), frozenset({"samples"})))
    except RefusedError:
        return
    raise AssertionError("a document that was cut off was taken as whole")


class Pieces:
    """A stream that gives a few bytes at a time."""

    def __init__(self, data: bytes, size: int) -> None:
        self.data = data
        self.size = size

    def read(self, size: int = -1, /) -> bytes:
        piece, self.data = self.data[: self.size], self.data[self.size :]
        return piece

    def close(self) -> None:
        pass


@MANY
@given(
    st.sampled_from(sorted(FORMATS)),
    st.binary(max_size=200),
    st.sampled_from([".json", ".jsonl", ".eval", ".csv"]),
)
def test_any_bytes_are_refused_or_read_never_worse(format: str, data: bytes, suffix: str) -> None:
    names: dict[str, Callable[[str], str]] = {
        "helm": lambda _: "per_instance_stats.json",
        "lm-eval": lambda s: f"samples_t_2025-01-01T00-00-00.1{s}",
    }
    with scratch() as folder:
        path = folder / names.get(format, lambda s: f"log{s}")(suffix)
        path.write_bytes(data)
        reason = refusal(format, path)
    assert reason is None or (reason and "\n" not in reason)


@MANY
@given(st.sampled_from(sorted(FORMATS)), json_values, st.booleans())
def test_any_json_is_refused_or_read_never_worse(format: str, data: Any, lines: bool) -> None:
    names = {"helm": "per_instance_stats.json", "lm-eval": "samples_t_2025-01-01T00-00-00.1.jsonl"}
    with scratch() as folder:
        path = folder / names.get(format, "log.jsonl" if lines else "log.json")
        if lines and isinstance(data, list):
            make.write_lines(path, data)
        else:
            make.write_json(path, data)
        reason = refusal(format, path)
    assert reason is None or (reason and "\n" not in reason)
