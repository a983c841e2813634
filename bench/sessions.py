"""Consultation sessions at the paper's scale: 19 models, 5,000 cases, 20 turns each.

``python -m bench.sessions`` writes the raw files to a temporary folder, reads them, and measures the
metrics of all sessions in processes of their own: processor seconds and seconds by the clock, for one
thread and for two.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from bench.measure import versions, write_result

N_MODELS, N_CASES, N_TURNS = 19, 5_000, 20
TEMPLATES = [f"template-{i:03d}" for i in range(100)]
DISEASES = [f"disease-{i:03d}" for i in range(300)]
N_UNITS = 25


def write_files(folder: Path, n_models: int, n_cases: int) -> None:
    """Write every file of the sessions, with all columns that any metric reads."""
    rng = np.random.default_rng(0)
    folder.mkdir(parents=True)
    made = {**_cases(rng, n_cases), **_sessions(rng, n_models, n_cases)}
    for stem, frame in made.items():
        frame.write_parquet(folder / f"{stem}.parquet")
    own = Path(__file__).resolve().parent.parent / "analysis" / "sessions" / "knowledge.yaml"
    (folder / "knowledge.yaml").write_text(own.read_text())


def _pick(rng: np.random.Generator, names: list[str], shape: Any) -> np.ndarray:
    return np.array(names, dtype=object)[rng.integers(len(names), size=shape)]


def _codes(rng: np.random.Generator, names: list[str], n: int) -> pl.Series:
    return pl.Series(names).gather(rng.integers(len(names), size=n))


def _case_ids(n: int) -> list[str]:
    return [f"case-{i:05d}" for i in range(n)]


def _cases(rng: np.random.Generator, n: int) -> dict[str, pl.DataFrame]:
    ids = _case_ids(n)
    gold = np.argsort(rng.random((n, len(DISEASES))), axis=1)[:, :3]
    of_gold = pl.DataFrame(
        {
            "case_id": np.repeat(ids, 3),
            "diagnosis": np.array(DISEASES)[gold.ravel()],
            "core": np.tile([True, False, False], n),
            "weight": np.round(rng.uniform(0.5, 3, n * 3), 2),
        }
    )
    member = rng.integers(-3, 3, size=n * N_UNITS)
    of_case = np.repeat(np.arange(n), N_UNITS)
    diagnosis = np.where(member >= 0, np.array(DISEASES)[gold[of_case, np.maximum(member, 0)]], "")
    aius = pl.DataFrame(
        {
            "case_id": np.repeat(ids, N_UNITS),
            "aiu_id": np.tile([f"unit-{i:02d}" for i in range(N_UNITS)], n),
            "weight": np.round(rng.uniform(0.5, 2, n * N_UNITS), 2),
            "red_flag": rng.random(n * N_UNITS) < 0.1,
            "mni_of": [[d] if d else [] for d in diagnosis],
        }
    )
    cases = pl.DataFrame(
        {
            "case_id": ids,
            "age": rng.integers(1, 95, n),
            "egfr": np.round(rng.uniform(15, 120, n), 1),
            "factors": [[f] for f in _pick(rng, ["asthma", "hypertension", "pregnancy", "epilepsy"], n)],
            "allergies": [[a] for a in _pick(rng, ["penicillin", "none known"], n)],
            "medications": [[m] for m in _pick(rng, ["warfarin", "sertraline", "lisinopril"], n)],
        }
    )
    pairs = rng.integers(len(TEMPLATES), size=(200, 2))
    pairs = np.unique(pairs[pairs[:, 0] != pairs[:, 1]], axis=0)
    names = np.array(TEMPLATES)
    precedence = pl.DataFrame({"before": names[pairs[:, 0]], "after": names[pairs[:, 1]]})
    return {"gold": of_gold, "aius": aius, "cases": cases, "precedence": precedence}


def _sessions(rng: np.random.Generator, n_models: int, n_cases: int) -> dict[str, pl.DataFrame]:
    n = n_models * n_cases
    key = pl.DataFrame(
        {
            "model": np.repeat([f"model-{m:02d}" for m in range(n_models)], n_cases),
            "case_id": np.tile(_case_ids(n_cases), n_models),
        }
    )

    def each(times: int) -> pl.DataFrame:
        return key[np.repeat(np.arange(n), times)]

    turns = n * N_TURNS
    units = [f"unit-{i:02d}" for i in range(N_UNITS)]
    draws = pl.DataFrame(
        {
            **{f"t{i}": _codes(rng, TEMPLATES, turns) for i in range(5)},
            **{f"u{i}": _codes(rng, units, turns) for i in range(2)},
            "count": rng.integers(0, 3, size=turns),
        }
    )
    lists = draws.select(
        template="t0",
        revealed=pl.concat_list("u0", "u1").list.head("count"),
        top_k=pl.concat_list("t0", "t1", "t2"),
        expert=pl.concat_list("t2", "t3", "t4"),
    )
    drugs = ["aspirin", "warfarin", "ibuprofen", "simvastatin", "clarithromycin", "metformin", "amoxicillin"]
    shuffled = np.argsort(rng.random((n, len(drugs))), axis=1)[:, :3]
    listed = np.argsort(rng.random((n, 60)), axis=1)[:, :5]
    dimensions = ["evidence_coverage", "negative_evidence", "causal_plausibility", "uncertainty_calibration"]
    judged = [
        *(("drss", DISEASES[0], d) for d in dimensions),
        *(("fqr", str(t), "") for t in (1, 2, 3)),
        ("car", "1", ""),
        *(("aoc", "", d) for d in ("clarity", "practicality", "empathy")),
        *(("sdbi", "", d) for d in ("options", "preferences", "decision")),
        ("neu", "finding", ""),
    ]
    judgements = each(len(judged)).with_columns(
        *(
            pl.Series(name, [j[i] for j in judged] * n)
            for i, name in enumerate(("metric", "target", "dimension"))
        ),
        pl.lit("judge").alias("rater"),
        pl.Series("value", rng.integers(0, 3, n * len(judged)) / 2),
    )
    t_dx = rng.integers(5, N_TURNS + 1, n)
    return {
        "sessions": key.with_columns(pl.Series("t_dx", t_dx), pl.lit(N_TURNS).alias("t_max")),
        "turns": each(N_TURNS).with_columns(
            pl.Series("turn", np.tile(np.arange(1, N_TURNS + 1), n)),
            *lists.get_columns(),
            pl.Series("information_gain", np.round(rng.normal(0.2, 0.2, turns), 3)),
        ),
        "differentials": each(5).with_columns(
            pl.Series("diagnosis", np.array(DISEASES)[listed.ravel()]),
            pl.Series("rank", np.tile(np.arange(1, 6), n)),
            pl.Series("as_core", rng.random(n * 5) < 0.3),
            pl.Series("turn_named", rng.integers(1, N_TURNS + 1, n * 5)),
        ),
        "regimens": each(3).with_columns(
            pl.Series("drug", np.array(drugs)[shuffled.ravel()]),
            pl.Series("dose", rng.choice([100, 250, 500, 1000], n * 3)),
            pl.lit("mg").alias("dose_unit"),
            pl.Series("per_day", rng.integers(1, 5, n * 3)),
            pl.lit("oral").alias("route"),
        ),
        "followups": each(3).with_columns(
            pl.Series("turn", np.tile([1, 2, 3], n)), pl.lit("cost_access_issue").alias("intent")
        ),
        "adaptations": key.with_columns(
            pl.Series("satisfied", rng.random(n) < 0.6),
            pl.Series("quality_before", rng.random(n)),
            pl.Series("quality_after", rng.random(n)),
        ),
        "judgements": judgements,
    }


def measure(folder: Path) -> None:
    """Read, write and measure the sessions; print seconds and memory as JSON."""
    from analysis.config import BenchmarkCard, Config
    from analysis.derived import derive, read_data, write_benchmark
    from analysis.ingest.benchmark import read_benchmark
    from analysis.sessions.measure import measure_sessions
    from analysis.tables.session_metrics import long_metrics

    seconds: dict[str, tuple[float, float]] = {}

    def timed(name: str, run: Callable[[], Any]) -> Any:
        begin = time.perf_counter(), time.process_time()
        result = run()
        seconds[name] = time.perf_counter() - begin[0], time.process_time() - begin[1]
        return result

    derived = folder / "derived"
    benchmark = timed("read and check raw files, safety critic", lambda: read_benchmark(folder / "raw"))
    timed("write validated tables", lambda: write_benchmark(benchmark, derived, Config()))
    tau = BenchmarkCard().sessions.tau
    index, values = timed("all metrics", lambda: measure_sessions(benchmark.sessions, tau=tau))
    timed("as a long table", lambda: long_metrics(index, values))
    timed("rule measure_sessions: read, measure, write", lambda: derive("measure_sessions", derived))
    assert read_data(derived).sessions.keys()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    json.dump({"seconds": seconds, "peak": peak}, sys.stdout)


def main() -> int:
    """Measure with one thread and with two, print and write the result page."""
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as name:
        write_files(Path(name) / "raw" / "sessions", N_MODELS, N_CASES)
        found = []
        for threads in ("1", "2"):
            command = [sys.executable, "-m", "bench.sessions", name]
            environment = {**os.environ, "POLARS_MAX_THREADS": threads}
            run = subprocess.run(command, capture_output=True, check=True, env=environment)
            found.append(json.loads(run.stdout))
    lines = [
        "| seconds | processor, 1 thread | processor, 2 threads | clock, 1 thread | clock, 2 threads |",
        "|---|---:|---:|---:|---:|",
    ]
    for step in found[0]["seconds"]:
        (clock_one, one), (clock_two, two) = (f["seconds"][step] for f in found)
        lines.append(f"| {step} | {one:.1f} | {two:.1f} | {clock_one:.1f} | {clock_two:.1f} |")
    lines.append(f"| peak memory (GB) | {found[0]['peak']:.2f} | {found[1]['peak']:.2f} | | |")
    notes = (
        f"{N_MODELS} models x {N_CASES:,} cases x {N_TURNS} turns, all files of the sessions, 45 metrics. "
        f"{versions('polars', 'numpy')}. The clock depends on what else the machine does: its load was "
        f"{load:.1f} before the runs."
    )
    path = write_result("sessions", "Metrics of consultation sessions", "\n".join(lines), notes)
    sys.stdout.write(path.read_text())
    return 0


if __name__ == "__main__":
    if len(sys.argv) > 1:
        measure(Path(sys.argv[1]))
    else:
        sys.exit(main())
