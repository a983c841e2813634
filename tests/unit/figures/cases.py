"""Benchmarks of every odd shape, for tests that say: whatever the data, a sane figure or a reason."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from analysis.config import BenchmarkCard
from tests.unit.figures.builder import build

Tables = dict[str, pl.DataFrame]

HOSTILE_NAMES = [
    "<script>alert('x')</script>",
    'a" onload="x" id="clip0',
    "org/model-with/slashes:v1",
    "=SUM(A1)",
    "مرحبا بالعالم",
    "🦙 Llama 3 🚀",
    "x" * 80,
    "a very long model name with words and words that go on and on and on for about eighty",
    "tab\tand\nnewline\u202eevil",
]
HOSTILE_LABELS = ("<b>x</b>", "=1+1", "", "漢字のラベル", "y" * 90)
HOSTILE_VALUES = ("<i>", "a / b", "漢字", "v" * 70, "")

SIMULATED = BenchmarkCard(
    synthetic="Simulated data: nothing here says anything about a real model <at all>.",
    labels={
        "unsafe": {"hard": True, "meaning": "acts where it should stop"},
        "truncated": {"technical": True},
        "wrong_content": "wrong",
    },
    decisions={"decisive": ("proceed",)},
)
PLAIN = BenchmarkCard()
RENAMED = BenchmarkCard(
    verdicts={"order": ("no", "safe/yes", "yes"), "succeed": ("safe/yes", "yes")}, alpha=0.1, level=0.9
)


def with_metric(tables: Tables, metric: str, factor: float) -> Tables:
    """Return the tables as if another numeric metric led, with values of another size."""
    values = {"estimate", "ci_low", "ci_high", "difference"}
    out = dict(tables)
    for name in ("model_scores", "tiers", "pairwise_tests", "frontier", "policies", "strata"):
        frame = tables[name]
        scaled = [pl.col(c) * factor for c in frame.columns if c in values]
        out[name] = frame.with_columns(scaled)
        if "metric" in frame.columns:
            out[name] = out[name].with_columns(pl.col("metric").replace("correct", metric))
    return out


CASES: dict[str, Callable[[], tuple[Tables, BenchmarkCard]]] = {
    "two models": lambda: (build(2, 60), PLAIN),
    "nine models, tracks": lambda: (build(9, 120, tracks=("case", "guideline"), priced="free"), SIMULATED),
    "five tracks": lambda: (build(4, 100, tracks=("a", "b", "c", "d", "e 10"), missing=0.3), RENAMED),
    "eleven models": lambda: (build(11, 80, missing=0.2), PLAIN),
    "36 models, ten tracks": lambda: (
        build(36, 200, missing=0.3, tracks=tuple(f"track {i}" for i in range(10))),
        PLAIN,
    ),
    "hostile text": lambda: (
        build(names=HOSTILE_NAMES, n_items=90, missing=0.2, priced="free", labels=HOSTILE_LABELS,
              values=HOSTILE_VALUES, tracks=("<x>", "ö" * 60)),
        SIMULATED,
    ),
    "single model": lambda: (build(1, 30, tracks=("a", "b")), SIMULATED),
    "single item": lambda: (build(3, 1), PLAIN),
    "single model and item": lambda: (build(1, 1), PLAIN),
    "all correct": lambda: (build(4, 40, rate=(1.0, 1.0)), PLAIN),
    "none correct": lambda: (build(4, 40, rate=(0.0, 0.0), priced="same"), PLAIN),
    "clusters": lambda: (build(4, 60, clustered=True), BenchmarkCard(cluster="cluster_id")),
    "numeric metric, tracks": lambda: (
        with_metric(build(4, 60, tracks=("a", "b")), "latency_s", 73.0),
        BenchmarkCard(primary_metric="latency_s"),
    ),
    "graded score, many tracks": lambda: (
        with_metric(build(4, 60, tracks=tuple("abcdef"), missing=0.2), "score", 0.9),
        BenchmarkCard(primary_metric="score", metrics=("score",)),
    ),
    "no prices": lambda: (build(3, 40, priced="none"), PLAIN),
    "many labels and values": lambda: (
        build(3, 200, labels=tuple(f"label {i}" for i in range(70)), values=tuple(map(str, range(65)))),
        PLAIN,
    ),
}  # fmt: skip
"""Cases that draw quickly; 200 models have a test of their own."""
