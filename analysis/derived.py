"""A benchmark's derived folder: what ingest leaves there, and how tables are made from it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import polars as pl

from analysis.config import BenchmarkCard, Config, Settings, config_hash, parse, settings_for
from analysis.errors import VerdictAtlasError
from analysis.ingest.benchmark import Benchmark
from analysis.store import Provenance, read_metadata, read_provenance, read_table, write_table
from analysis.tables.data import BenchmarkData

CARD_FILE = "benchmark.json"
"""The card and the statistics in force, as ingest understood them."""


def write_benchmark(benchmark: Benchmark, folder: Path, config: Config) -> None:
    """Write the validated tables, the audit and the card in force to a derived folder."""
    settings = settings_for(benchmark.card, config)
    provenance = Provenance(
        benchmark=benchmark.name,
        inputs=benchmark.inputs,
        config_sha256=config_hash(benchmark.card, settings),
        seed=settings.seed,
        settings=settings.model_dump(mode="json", exclude={"seed"}),
        synthetic=benchmark.card.synthetic,
    )
    folder.mkdir(parents=True, exist_ok=True)
    state = {"name": benchmark.name, "card": benchmark.card.model_dump(mode="json")}
    state["settings"] = settings.model_dump(mode="json")
    text = json.dumps(state, indent=2, sort_keys=True, ensure_ascii=False)
    (folder / CARD_FILE).write_text(text + "\n", encoding="utf-8")
    for name in ("verdicts", "items", "models", "audit"):
        write_table(getattr(benchmark, name), name, folder / f"{name}.parquet", provenance=provenance)
    optional = {"ratings": benchmark.ratings, "quarantine": benchmark.quarantine}
    for name, frame in optional.items():
        path = folder / f"{name}.parquet"
        if frame is not None and (name == "ratings" or frame.height):
            write_table(frame, name, path, provenance=provenance)
        else:
            path.unlink(missing_ok=True)


def read_state(folder: Path) -> tuple[str, BenchmarkCard, Settings]:
    """Return a derived folder's benchmark name, card and statistics in force."""
    path = folder / CARD_FILE
    if not path.is_file():
        raise VerdictAtlasError(
            f"{folder}: is not a derived benchmark (no {CARD_FILE}); snakemake tables makes it"
        )
    state = json.loads(path.read_text(encoding="utf-8"))
    card = parse(BenchmarkCard, state["card"], file=CARD_FILE)
    return state["name"], card, parse(Settings, state["settings"], file=CARD_FILE)


def read_data(folder: Path) -> BenchmarkData:
    """Read what every derived table is computed from."""
    _, card, settings = read_state(folder)
    tables = {name: read_table(folder / f"{name}.parquet") for name in ("verdicts", "items", "models")}
    return BenchmarkData(**tables, card=card, settings=settings)


def read_derived(folder: Path) -> dict[str, pl.DataFrame]:
    """Return every table of a derived folder by name."""
    from analysis.schemas import TABLES

    return {p.stem: read_table(p) for p in sorted(folder.glob("*.parquet")) if p.stem in TABLES}


def derive(rule: str, folder: Path, *, outputs: dict[str, Path] | None = None) -> None:
    """Run one rule of the derived stage and write its tables beside its inputs.

    Parameters
    ----------
    rule : str
        A key of `RULES`.
    folder : Path
        The derived folder.
    outputs : dict of str to Path, optional
        Where to write each table (default: beside the inputs).
    """
    made = RULES[rule](read_data(folder), folder)
    provenance = read_provenance(folder / "verdicts.parquet")
    for table, (frame, method) in made.items():
        path = (outputs or {}).get(table, folder / f"{table}.parquet")
        write_table(frame, table, path, provenance=provenance, method=method)


def method_of(path: Path) -> str:
    """Return how a table was computed, in words."""
    return str(read_metadata(path)["method"])


Made = dict[str, tuple[pl.DataFrame, str]]
"""Tables by name, each with its method in words."""


def _score_models(data: BenchmarkData, folder: Path) -> Made:
    from analysis.tables.model_scores import score_models

    unit = f"clusters ({data.card.cluster})" if data.card.cluster else "items"
    method = f"Mean of cells; joint bootstrap over {unit}, {data.settings.resamples:,} resamples"
    if not data.card.cluster:
        method += "; Wilson where every cell has one scored run"
    return {"model_scores": (score_models(data), method)}


def _count_items(data: BenchmarkData, folder: Path) -> Made:
    from analysis.tables.counts import count_items, count_unique_solves, distribute_counts

    solved = f"a model solves an item when its cell is at least {data.card.solved_at:g}"
    return {
        "item_counts": (count_items(data), f"Exact counts; {solved}"),
        "count_distribution": (distribute_counts(data), f"Exact counts with Wilson intervals; {solved}"),
        "unique_solves": (count_unique_solves(data), f"Exact counts; {solved}"),
    }


def _cover_items(data: BenchmarkData, folder: Path) -> Made:
    from analysis.tables.coverage import cover_items

    method = "Greedy, and the exact optimum of every size; Wilson intervals for the shares"
    return {"coverage": (cover_items(data), method)}


def _compare_verdicts(data: BenchmarkData, folder: Path) -> Made:
    from analysis.tables.concordance import compare_verdicts

    return {"concordance": (compare_verdicts(data), "Exact agreement; Cohen's kappa, unweighted")}


def _compare_models(data: BenchmarkData, folder: Path) -> Made:
    from analysis.tables.comparisons import assign_tiers, compare_models

    tests = compare_models(data)
    family = f"Bonferroni over adjacent pairs and Holm over all pairs at {data.settings.alpha:g}"
    kinds = ", ".join(sorted(tests["method"].unique())) or "no pair"
    return {
        "pairwise_tests": (tests, f"Paired tests ({kinds}); {family}"),
        "tiers": (assign_tiers(data, tests), f"Sequential adjacent tiers; letters by Holm; {family}"),
    }


def _count_labels(data: BenchmarkData, folder: Path) -> Made:
    from analysis.tables.labels import count_labels

    return {"failure_labels": (count_labels(data), "Items with the label in any run; Wilson intervals")}


def _count_decisions(data: BenchmarkData, folder: Path) -> Made:
    from analysis.tables.labels import count_decisions

    return {"decisions": (count_decisions(data), "Items with the decision in any run")}


def _stratify_scores(data: BenchmarkData, folder: Path) -> Made:
    from analysis.tables.strata import stratify_scores

    return {"strata": (stratify_scores(data), "Mean of cells; Wilson where valid, else bootstrap")}


def _price_models(data: BenchmarkData, folder: Path) -> Made:
    from analysis.tables.frontier import price_models

    return {"costs": (price_models(data), "Total cost, else cost per row, else tokens times prices")}


def _trace_frontier(data: BenchmarkData, folder: Path) -> Made:
    from analysis.tables.frontier import trace_frontier

    return {"frontier": (trace_frontier(data), "Exact Pareto set on cost per response; joint bootstrap")}


def _compare_policies(data: BenchmarkData, folder: Path) -> Made:
    from analysis.tables.policies import compare_policies

    return {"policies": (compare_policies(data), "Ranks under each policy for missing cells")}


RULES: dict[str, Callable[[BenchmarkData, Path], Made]] = {
    "score_models": _score_models,
    "count_items": _count_items,
    "cover_items": _cover_items,
    "compare_verdicts": _compare_verdicts,
    "compare_models": _compare_models,
    "count_labels": _count_labels,
    "count_decisions": _count_decisions,
    "stratify_scores": _stratify_scores,
    "price_models": _price_models,
    "trace_frontier": _trace_frontier,
    "compare_policies": _compare_policies,
}
"""The rules of the derived stage."""
