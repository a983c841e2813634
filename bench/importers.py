"""Importing large and many logs, beside what a user would read them with: time, processor time, memory.

Run ``python bench/importers.py`` for a quick look, ``--gigabytes 2 --logs 10000`` for the full size. With
``--inspect-python PATH`` (a Python that has inspect_ai) Inspect's own reader is measured on the same logs.
Everything is written to a temporary folder and removed.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

QUESTION = (
    "A train leaves at noon and travels at sixty kilometres an hour for three hours. How far does it go? "
)

OURS = """
import sys
from pathlib import Path
from analysis.ingest.importers.pipeline.choices import Choices
from analysis.ingest.importers.pipeline.run import import_logs
report = import_logs(sys.argv[1], [Path(sys.argv[2])], Path(sys.argv[3]), Choices())
assert not report.questions and not report.refused, (report.questions, report.refused[:3])
print(report.summary["totals"]["rows_written"])
"""
PANDAS = """
import sys
import pandas as pd
print(len(pd.read_json(sys.argv[2], lines=True)))
"""
PANDAS_CHUNKS = """
import sys
import pandas as pd
print(sum(len(c) for c in pd.read_json(sys.argv[2], lines=True, chunksize=50_000)))
"""
POLARS = """
import sys
import polars as pl
print(pl.read_ndjson(sys.argv[2]).height)
"""
INSPECT_SUMMARIES = """
import sys
from inspect_ai.analysis import samples_df
print(len(samples_df(sys.argv[2], quiet=True)))
"""
INSPECT_WHOLE = """
import sys
from inspect_ai.log import list_eval_logs, read_eval_log
print(sum(len(read_eval_log(i).samples or []) for i in list_eval_logs(sys.argv[2])))
"""


@dataclass(frozen=True)
class Measured:
    """One run of one reader."""

    reader: str
    rows: str
    seconds: float
    processor_seconds: float
    peak_mb: float


def measure(reader: str, code: str, *arguments: str, python: str = sys.executable) -> Measured:
    """Run code in a process of its own and measure it."""
    start = time.perf_counter()
    with subprocess.Popen(
        [python, "-c", code, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        out = process.stdout.read()
        error = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.perf_counter() - start
    rows = out.strip() if process.returncode == 0 else f"failed ({error.strip().splitlines()[-1][:60]})"
    scale = 1024 if sys.platform != "darwin" else 1024 * 1024
    return Measured(reader, rows, seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / scale)


def lm_eval_lines(size: int) -> Iterator[bytes]:
    """Yield lines as lm-evaluation-harness writes them, about 1 kB each, until the size is reached."""
    rng = random.Random(1)
    written = doc = 0
    while written < size:
        answer = rng.randrange(1000)
        record = {
            "doc_id": doc,
            "doc": {"question": f"{QUESTION}({doc}) " * 2, "answer": str(answer), "level": doc % 5},
            "target": str(answer),
            "arguments": {"gen_args_0": {"arg_0": f"Q: {QUESTION}({doc})\nA:", "arg_1": {"until": ["\n"]}}},
            "resps": [[f"The answer is {answer}. " * 3]],
            "filtered_resps": [str(answer)],
            "filter": "none",
            "metrics": ["exact_match"],
            "doc_hash": f"{doc:064x}",
            "prompt_hash": f"{doc + 1:064x}",
            "target_hash": f"{doc + 2:064x}",
            "exact_match": float(rng.random() < 0.6),
        }
        line = json.dumps(record).encode() + b"\n"
        written += len(line)
        doc += 1
        yield line


def write_lm_eval(folder: Path, size: int) -> Path:
    """Write one samples file of about the size, with its results."""
    date = "2025-05-31T14-30-51.983293"
    path = folder / f"samples_gsm8k_{date}.jsonl"
    with path.open("wb") as file:
        for line in lm_eval_lines(size):
            file.write(line)
    results = {"model_name": "org/model", "configs": {"gsm8k": {}}, "results": {"gsm8k": {}}}
    (folder / f"results_{date}.json").write_text(json.dumps(results))
    return path


def write_inspect(folder: Path, logs: int, samples: int) -> None:
    """Write many small `.eval` logs: each model and task once."""
    folder.mkdir()
    rng = random.Random(2)
    for number in range(logs):
        model, task = f"org/model-{number % 100}", f"task_{number // 100}"
        created = "2025-03-01T10:00:00+00:00"
        header: dict[str, Any] = {
            "version": 2,
            "status": "success",
            "eval": {
                "eval_id": f"e{number}", "run_id": f"r{number}", "created": created, "task": task,
                "task_id": f"t{number}", "task_version": 0, "task_args": {}, "model": model, "model_args": {},
                "dataset": {"name": "d", "samples": samples}, "config": {}, "packages": {},
            },
            "plan": {"name": "plan", "steps": [{"solver": "generate", "params": {}}], "config": {}},
            "results": {"total_samples": samples, "completed_samples": samples, "scores": []},
            "stats": {"started_at": created, "completed_at": created, "model_usage": {}},
        }  # fmt: skip
        usage = {model: {"input_tokens": 90, "output_tokens": 30, "total_tokens": 120}}
        summaries = [
            {
                "id": i, "epoch": 1, "input": f"{QUESTION}({i})", "target": "180", "metadata": {},
                "scores": {"match": {"value": rng.choice("CI"), "answer": "180"}},
                "model_usage": usage, "total_time": 1.5, "working_time": 1.2, "uuid": f"u{number}-{i}",
                "completed": True,
            }
            for i in range(samples)
        ]  # fmt: skip
        with zipfile.ZipFile(folder / f"{number:05d}.eval", "w", zipfile.ZIP_DEFLATED) as archive:
            start = {k: header[k] for k in ("version", "eval", "plan")}
            archive.writestr("_journal/start.json", json.dumps(start))
            for summary in summaries:
                message = {"role": "assistant", "content": QUESTION, "source": "generate"}
                sample = {**summary, "messages": [message], "output": {"model": model, "choices": []}}
                sample.pop("completed")
                archive.writestr(f"samples/{summary['id']}_epoch_1.json", json.dumps(sample))
            archive.writestr("summaries.json", json.dumps(summaries))
            archive.writestr("header.json", json.dumps(header))


def show(title: str, found: list[Measured]) -> None:
    """Print a table."""
    print(f"\n{title}")
    print(f"{'reader':44} {'rows':>12} {'seconds':>9} {'cpu s':>8} {'peak MB':>9}")
    for m in found:
        print(f"{m.reader:44} {m.rows:>12} {m.seconds:9.1f} {m.processor_seconds:8.1f} {m.peak_mb:9.0f}")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--gigabytes", type=float, default=0.1)
    parser.add_argument("--logs", type=int, default=300)
    parser.add_argument("--samples", type=int, default=10, help="samples per log")
    parser.add_argument("--inspect-python", default="", help="a Python with inspect_ai")
    parser.add_argument("--no-pandas-whole", action="store_true", help="leave out pandas without chunks")
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with tempfile.TemporaryDirectory(prefix="bench-importers-") as name:
        place = Path(name)
        if options.gigabytes:
            path = write_lm_eval(place, int(options.gigabytes * 1e9))
            size = path.stat().st_size / 1e9
            found = [measure("verdict-atlas import lm-eval", OURS, "lm-eval", str(path), str(place / "a"))]
            found.append(measure("pandas.read_json in chunks (reads only)", PANDAS_CHUNKS, "", str(path)))
            if not options.no_pandas_whole:
                found.append(measure("pandas.read_json (reads only)", PANDAS, "", str(path)))
            found.append(measure("polars.read_ndjson (reads only)", POLARS, "", str(path)))
            show(f"one JSON Lines file of {size:.2f} GB", found)
            path.unlink()
        if options.logs:
            logs = place / "logs"
            write_inspect(logs, options.logs, options.samples)
            size = sum(p.stat().st_size for p in logs.iterdir()) / 1e6
            found = [measure("verdict-atlas import inspect", OURS, "inspect", str(logs), str(place / "b"))]
            if options.inspect_python:
                python = options.inspect_python
                found.append(
                    measure(
                        "inspect_ai samples_df (summaries)", INSPECT_SUMMARIES, "", str(logs), python=python
                    )
                )
                found.append(
                    measure("inspect_ai read_eval_log (whole)", INSPECT_WHOLE, "", str(logs), python=python)
                )
            show(f"{options.logs:,} Inspect logs of {options.samples} samples ({size:.0f} MB)", found)


if __name__ == "__main__":
    main()
