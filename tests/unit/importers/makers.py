"""Logs as the tools write them, made up for the tests."""

from __future__ import annotations

import json
import struct
import zipfile
import zlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import zstandard

from analysis.ingest.importers.pipeline.choices import Choices
from analysis.ingest.importers.pipeline.report import ImportReport
from analysis.ingest.importers.pipeline.run import import_logs


def run(
    format: str, paths: Path | Sequence[Path], folder: Path, *, replace: bool = False, **choices: Any
) -> ImportReport:
    """Import into a folder with some choices."""
    given = [paths] if isinstance(paths, Path) else list(paths)
    return import_logs(format, given, folder, Choices(**choices), replace=replace)


def verdicts(folder: Path) -> pl.DataFrame:
    """Return the verdict rows that an import wrote."""
    return pl.read_parquet(folder / "verdicts.parquet")


def contents(folder: Path) -> dict[str, bytes]:
    """Return every file below a folder."""
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def write_json(path: Path, data: Any, **options: Any) -> Path:
    """Write JSON, NaN allowed as Python's writers have it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data, **options), encoding="utf-8")
    return path


def write_lines(path: Path, records: Iterable[Any]) -> Path:
    """Write JSON Lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(r) + "\n" for r in records), encoding="utf-8")
    return path


# --- Inspect AI ---------------------------------------------------------------------------------


def inspect_sample(
    item: Any, scores: Mapping[str, Any] | None, *, epoch: int = 1, **more: Any
) -> dict[str, Any]:
    """Return a sample; scores are values, or whole score objects."""
    sample: dict[str, Any] = {"id": item, "epoch": epoch, "input": f"Question {item}?", "target": "x"}
    if scores is not None:
        sample["scores"] = {
            name: value if isinstance(value, dict) and "value" in value else {"value": value}
            for name, value in scores.items()
        }
    return {**sample, "model_usage": {}, "metadata": {}, **more}


def inspect_log(
    samples: Sequence[dict[str, Any]],
    *,
    model: str = "openai/gpt-test",
    task: str = "arith",
    eval_id: str = "e1",
    created: str = "2025-03-01T10:00:00+00:00",
    status: str = "success",
    spec: Mapping[str, Any] | None = None,
    **more: Any,
) -> dict[str, Any]:
    """Return a whole log, its keys in Inspect's order."""
    head = {
        "version": 2,
        "status": status,
        "eval": {
            "eval_id": eval_id,
            "run_id": f"run-{eval_id}",
            "created": created,
            "task": task,
            "task_id": f"task-{task}",
            "task_version": 0,
            "task_args": {},
            "dataset": {"name": "d"},
            "model": model,
            "config": {},
            "packages": {"inspect_ai": "0.3.200"},
            **(spec or {}),
        },
        "plan": {"name": "plan", "steps": [{"solver": "generate", "params": {}}], "config": {}},
        "results": {"scores": []},
        "stats": {"started_at": created, "completed_at": created},
        **more,
    }
    return {**head, "samples": list(samples)}


SUMMARY_KEYS = (
    "id", "epoch", "input", "target", "metadata", "scores", "model_usage", "role_usage", "error", "limit",
    "total_time", "working_time",
)  # fmt: skip


def summary_of(sample: Mapping[str, Any]) -> dict[str, Any]:
    """Return a sample's summary, as Inspect thins it."""
    summary = {k: sample[k] for k in SUMMARY_KEYS if k in sample}
    if isinstance(summary.get("error"), dict):
        summary["error"] = summary["error"]["message"]
    if isinstance(summary.get("limit"), dict):
        summary["limit"] = summary["limit"]["type"]
    summary["metadata"] = {
        k: v if not isinstance(v, str) or len(v) < 1024 else v[:1021] + "..."
        for k, v in sample.get("metadata", {}).items()
        if not isinstance(v, dict | list)
    }
    return {**summary, "completed": True}


def inspect_members(
    log: Mapping[str, Any], *, summaries: bool = True, finished: bool = True, chunked: bool = False
) -> list[tuple[str, Any]]:
    """Return the members of the archive of a log."""
    header = {k: v for k, v in log.items() if k != "samples"}
    members: list[tuple[str, Any]] = [
        ("_journal/start.json", {"version": 2, "eval": log["eval"], "plan": log["plan"]})
    ]
    for sample in log["samples"]:
        name = f"samples/{sample['id']}_epoch_{sample['epoch']}"
        if chunked:
            members.append((f"{name}/sample.json", {k: v for k, v in sample.items() if k != "metadata"}))
            members.append((f"{name}/metadata.json", sample["metadata"]))
        else:
            members.append((f"{name}.json", sample))
    thin = [summary_of(s) for s in log["samples"]]
    if summaries:
        members.append(("_journal/summaries/1.json", thin))
    if finished:
        if summaries:
            members.append(("summaries.json", thin))
        members.append(("header.json", header))
    return members


def write_eval(path: Path, members: Iterable[tuple[str, Any]], method: int = zipfile.ZIP_DEFLATED) -> Path:
    """Write an `.eval` archive; a member is JSON data or bytes. Method 93 is zstd."""
    path.parent.mkdir(parents=True, exist_ok=True)
    pairs = [(n, d if isinstance(d, bytes) else json.dumps(d).encode()) for n, d in members]
    if method == 93:
        path.write_bytes(zstd_zip(pairs))
        return path
    import warnings

    with warnings.catch_warnings(), zipfile.ZipFile(path, "w", method) as archive:
        warnings.simplefilter("ignore", UserWarning)  # a name twice, as Inspect writes retries
        for name, data in pairs:
            archive.writestr(name, data)
    return path


def zstd_zip(pairs: Sequence[tuple[str, bytes]]) -> bytes:
    """Return a zip archive with zstd members, which Python 3.11's zipfile cannot write."""
    body, directory = b"", b""
    for name, data in pairs:
        packed = zstandard.compress(data)
        encoded = name.encode()
        fields = (63, 0x800, 93, 0, 0, zlib.crc32(data), len(packed), len(data), len(encoded), 0)
        directory += struct.pack("<4s6H3I5H2I", b"PK\x01\x02", 63, *fields, 0, 0, 0, 0, len(body)) + encoded
        body += struct.pack("<4s5H3I2H", b"PK\x03\x04", *fields) + encoded + packed
    end = struct.pack("<4s4H2IH", b"PK\x05\x06", 0, 0, len(pairs), len(pairs), len(directory), len(body), 0)
    return body + directory + end


# --- lm-evaluation-harness ----------------------------------------------------------------------

LM_DATE = "2025-05-31T14-30-51.983293"


def lm_record(
    doc_id: Any, metrics: Mapping[str, Any], *, filter: str | None = "none", **more: Any
) -> dict[str, Any]:
    """Return a sample's line of the harness."""
    record = {
        "doc_id": doc_id,
        "doc": {"question": f"Q{doc_id}", "level": str(hash_free(doc_id) % 3)},
        "target": "1",
        "arguments": {"gen_args_0": {"arg_0": "Q"}},
        "resps": [["1"]],
        "filtered_resps": ["1"],
        "metrics": list(metrics),
        "doc_hash": f"{hash_free(doc_id):064x}",
        **metrics,
        **more,
    }
    if filter is not None:
        record["filter"] = filter
    return record


def hash_free(value: Any) -> int:
    """Return a number that depends on the value only, not on the process."""
    return zlib.crc32(str(value).encode()) + (1 << 200)


def lm_results(tasks: Sequence[str], *, model: str | None = "org/model", **more: Any) -> dict[str, Any]:
    """Return a results file."""
    data: dict[str, Any] = {
        "results": {t: {"alias": t} for t in tasks},
        "configs": {t: {"task": t} for t in tasks},
        "versions": dict.fromkeys(tasks, 1.0),
        "n-shot": dict.fromkeys(tasks, 0),
        "config": {"model": "hf", "model_args": f"pretrained={model},dtype=float"},
        "date": 1748701851.0,
        "lm_eval_version": "0.4.9",
    }
    if model is not None:
        data["model_name"] = model
    return {**data, **more}


def write_lm(
    folder: Path,
    task: str,
    records: Iterable[Any],
    results: Mapping[str, Any] | None = None,
    *,
    date: str = LM_DATE,
) -> Path:
    """Write the harness's samples, and the results of the run beside them."""
    if results is not None:
        write_json(folder / f"results_{date}.json", results)
    return write_lines(folder / f"samples_{task}_{date}.jsonl", records)


# --- HELM ---------------------------------------------------------------------------------------


def helm_stat(name: str, value: float | None, *, split: str = "test", count: int = 1) -> dict[str, Any]:
    """Return one statistic of one instance."""
    stat: dict[str, Any] = {
        "name": {"name": name, "split": split},
        "count": count if value is not None else 0,
    }
    if value is not None:
        stat.update(sum=value * count, mean=value)
    return stat


def helm_entry(
    instance: str, stats: Sequence[dict[str, Any]], *, trial: int = 0, perturbation: Any = None
) -> dict[str, Any]:
    """Return one entry of `per_instance_stats.json`."""
    entry = {"instance_id": instance, "train_trial_index": trial, "stats": list(stats)}
    return {**entry, "perturbation": perturbation} if perturbation else entry


def write_helm(
    folder: Path,
    entries: Sequence[dict[str, Any]],
    *,
    name: str = "mmlu:subject=law,model=openai_x",
    model: str | None = "openai/x",
    state: Mapping[str, Any] | None = None,
) -> Path:
    """Write a run folder."""
    path = folder / name.replace(":", "-", 1)
    adapter = {"method": "generation", "max_train_instances": 5, **({"model": model} if model else {})}
    spec = {
        "name": name,
        "scenario_spec": {"class_name": "x", "args": {"subject": "law"}},
        "adapter_spec": adapter,
        "groups": ["mmlu"],
    }
    write_json(path / "run_spec.json", spec)
    if state is not None:
        write_json(path / "scenario_state.json", state)
    return write_json(path / "per_instance_stats.json", entries, indent=2)


# --- OpenAI evals -------------------------------------------------------------------------------


def openai_log(
    path: Path, events: Iterable[tuple[str, str, Any]], *, finished: bool = True, **spec: Any
) -> Path:
    """Write an event log; events are sample, type and data."""
    records: list[Any] = [
        {
            "spec": {
                "completion_fns": ["gpt-4"],
                "eval_name": "arith.test.v1",
                "run_id": "240101000000ABCD",
                "created_at": "2024-01-01 00:00:00.000000",
                "run_config": {"eval_spec": {"cls": "evals.elsuite.basic.match:Match", "args": {}}},
                **spec,
            }
        }
    ]
    for number, (sample, kind, data) in enumerate(events):
        records.append(
            {
                "run_id": "240101000000ABCD",
                "event_id": number,
                "sample_id": sample,
                "type": kind,
                "data": data,
            }
        )
    if finished:
        records.append({"final_report": {"accuracy": 0.5}, "run_id": "240101000000ABCD"})
    return write_lines(path, records)


# --- every-eval-ever ----------------------------------------------------------------------------


def eee_record(sample: str, score: Any, correct: bool, **more: Any) -> dict[str, Any]:
    """Return an instance record."""
    return {
        "schema_version": "0.3.0",
        "evaluation_id": "bench/org_model/1750000000",
        "model_id": "org/model",
        "evaluation_name": "bench",
        "sample_id": sample,
        "interaction_type": "single_turn",
        "input": {"raw": f"Question {sample}", "reference": ["x"]},
        "output": {"raw": ["x"]},
        "answer_attribution": [],
        "evaluation": {"score": score, "is_correct": correct},
        **more,
    }


# --- workbooks ----------------------------------------------------------------------------------

_OOXML = "http://schemas.openxmlformats.org"
_PARTS = {
    "[Content_Types].xml": f'<Types xmlns="{_OOXML}/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Override PartName="/xl/workbook.xml" ContentType="application/'
    'vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>'
    '<Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/'
    'vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>',
    "_rels/.rels": f'<Relationships xmlns="{_OOXML}/package/2006/relationships"><Relationship Id="r1" '
    f'Type="{_OOXML}/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/>'
    "</Relationships>",
    "xl/workbook.xml": f'<workbook xmlns="{_OOXML}/spreadsheetml/2006/main" '
    f'xmlns:r="{_OOXML}/officeDocument/2006/relationships">'
    '<sheets><sheet name="Runs" sheetId="1" r:id="r1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_OOXML}/package/2006/relationships">'
    f'<Relationship Id="r1" Type="{_OOXML}/officeDocument/2006/relationships/worksheet" '
    'Target="worksheets/sheet1.xml"/></Relationships>',
}


def write_workbook(path: Path, rows: Sequence[Sequence[Any]]) -> Path:
    """Write a workbook with one sheet, `Runs`."""
    out = []
    for number, row in enumerate(rows, 1):
        cells = []
        for column, value in enumerate(row):
            place = f"{chr(65 + column)}{number}"
            if isinstance(value, bool):
                cells.append(f'<c r="{place}" t="b"><v>{int(value)}</v></c>')
            elif isinstance(value, int | float):
                cells.append(f'<c r="{place}"><v>{value}</v></c>')
            elif value is not None:
                cells.append(f'<c r="{place}" t="inlineStr"><is><t>{value}</t></is></c>')
        out.append(f'<row r="{number}">{"".join(cells)}</row>')
    body = "".join(out)
    sheet = f'<worksheet xmlns="{_OOXML}/spreadsheetml/2006/main"><sheetData>{body}</sheetData></worksheet>'
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in {**_PARTS, "xl/worksheets/sheet1.xml": sheet}.items():
            archive.writestr(name, f'<?xml version="1.0"?>{text}')
    return path
