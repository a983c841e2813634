"""Which tables a benchmark can have, from file footers alone: the workflow asks before it plans.

Light on purpose: every call of `snakemake` imports this.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

COMPANIONS = ("items", "models", "ratings", "criteria", "audit_trail", "statements")
"""Files that may lie beside the verdicts, without their ending."""

ALWAYS = (
    "model_scores",
    "item_counts",
    "count_distribution",
    "coverage",
    "unique_solves",
    "concordance",
    "pairwise_tests",
    "tiers",
    "adjusted_tests",
    "omnibus",
    "costs",
    "policies",
    "planning",
    "planning_items",
    "ensembles",
    "coverage_shares",
    "denominators",
    "rank_agreement",
    "influence",
    "rank_stability",
    "data_quality",
    "decisiveness",
    "flag_outcomes",
    "model_clusters",
    "rank_shifts",
    "score_distribution",
    "score_summaries",
    "specialties",
    "threshold_sensitivity",
    "version_changes",
)
"""Tables that verdicts alone give."""

OF_RUNS = ("repeated_runs", "run_noise")
"""Tables that need repeated runs."""

OF_RATINGS = (
    "agreement",
    "agreement_statistics",
    "reliability",
    "raters",
    "judge_correction",
    "agreement_by_class",
    "rating_labels",
)
"""Tables that need ratings."""

OF_RUBRIC = (
    "rubric_scores",
    "applicability",
    "rubric_classes",
    "rubric_vignettes",
    "safety_flags",
    "rubric_distribution",
    "rubric_models",
    "rubric_tests",
    "flag_rates",
    "profile_sensitivity",
    "rubric_reliability",
    "rater_severity",
    "judge_agreement",
    "flag_agreement",
    "floor_ceiling",
    "domain_correlations",
    "variance_components",
    "decision_study",
)
"""Tables that need a declared rubric."""

GENERATED_RUBRIC = ("rubric",)
"""Benchmarks of the project's own that declare a rubric."""

OF_EPISODES = (
    "episodes",
    "episode_states",
    "episode_nested",
    "episode_depth",
    "episode_groups",
    "composition_gap",
    "composition_gap_pairs",
)
"""Tables that need a declared cluster."""

OF_AUDITS = ("judge_audit", "judge_audit_coverage")
"""Tables that need a judge's and a reference's labels."""

OF_CRITERIA = ("consultation_scores", "consultation_items", "criterion_counts")
"""Tables that need a rubric and ratings on its criteria."""
OF_SESSIONS = (
    "session_metrics",
    "metric_definitions",
    "session_scores",
    "stage_scores",
    "composite_ranks",
    "composite_orders",
    "composite_pairs",
    "hidden_indicators",
    "hidden_errors",
    "replayed_sessions",
    "replayed_turns",
)
"""Tables that need consultation sessions."""

OF_JUDGED_SESSIONS = ("judge_reliability",)
"""Tables that need judgements of sessions."""

OF_SYSTEMS = ("metric_validity",)
"""Tables that need to know which systems are models, baselines or a reference."""

OF_VARIANTS = ("paired_factors",)
"""Tables that need variants of the same base model."""

ALL_OF_SESSIONS = (*OF_SESSIONS, *OF_JUDGED_SESSIONS, *OF_SYSTEMS, *OF_VARIANTS)
"""Tables on consultation sessions."""

GENERATED_CONTROLS = ("npcbench",)
"""Benchmarks of the project's own that declare endpoints and controls and have open answers."""

GENERATED_SESSIONS = ("medconsult",)
"""Benchmarks of the project's own that have consultation sessions."""

WHY_ABSENT = {
    "failure_labels": "no verdict file has a column labels or failure_label",
    "decisions": "no verdict file has a column decision",
    "strata": "items have no question_type, and the card declares no strata",
    "frontier": "nothing gives costs: no cost_usd, no total_cost_usd, no prices",
    **dict.fromkeys(OF_RUNS, "no verdict file has a column run"),
    **dict.fromkeys(OF_RATINGS, "there is no ratings.parquet"),
    **dict.fromkeys(OF_RUBRIC, "the card declares no rubric"),
    **dict.fromkeys(OF_EPISODES, "the card declares no cluster"),
    **dict.fromkeys(OF_AUDITS, "there is no ratings.parquet"),
    "endpoint_scores": "the card declares no endpoints",
    "paired_controls": "the card declares no controls",
    "family_profiles": "no models table gives a family",
    **dict.fromkeys(OF_CRITERIA, "there is no criteria.parquet with a ratings.parquet beside it"),
    **dict.fromkeys(OF_SESSIONS, "there are no consultation sessions (sessions/sessions.parquet)"),
    **dict.fromkeys(OF_JUDGED_SESSIONS, "no sessions were judged (sessions/judgements.parquet)"),
    **dict.fromkeys(OF_SYSTEMS, "nothing says who is a baseline (role in sessions/systems.parquet)"),
    **dict.fromkeys(
        OF_VARIANTS,
        "nothing says which models are variants (base_model and thinking in sessions/systems.parquet)",
    ),
}
"""Why a table is absent, as the report says it."""


def generated_tables(name: str) -> tuple[str, ...]:
    """Return the derived tables of a benchmark that a rule writes, some of them empty.

    They do not depend on whether the benchmark is written already: else a second run would find that the
    inputs of its figures have changed.

    Parameters
    ----------
    name : str
        The benchmark.
    """
    without: tuple[str, ...] = () if name in GENERATED_RUBRIC else OF_RUBRIC
    without += () if name in GENERATED_SESSIONS else ALL_OF_SESSIONS
    without += () if name in GENERATED_CONTROLS else (*OF_CRITERIA, "endpoint_scores", "paired_controls")
    return (*ALWAYS, *(table for table in WHY_ABSENT if table not in without))


def possible_tables(folder: Path, card: dict[str, Any] | None) -> tuple[str, ...]:
    """Return the derived tables that a raw folder can have.

    Parameters
    ----------
    folder : Path
        ``results/raw/<benchmark>``; where it does not exist yet, every table is possible.
    card : dict or None
        What `benchmark.yaml` says, unvalidated.

    Returns
    -------
    tuple of str
        Names of `analysis.schemas.DERIVED`. A file that cannot be read counts as having no
        columns: ingest will say what is wrong with it.
    """
    if not folder.is_dir():
        return generated_tables(folder.name)
    verdicts = verdict_columns(folder)
    items = _columns(folder / "items.parquet")
    models = _model_columns(folder)
    declared = (card or {}).get("strata")
    rubric = (card or {}).get("rubric") is not None
    found = {
        "failure_labels": bool(verdicts & {"labels", "failure_label"}),
        "decisions": "decision" in verdicts,
        "strata": bool(declared) or (declared is None and "question_type" in (verdicts | items)),
        "frontier": bool(("cost_usd" in verdicts) or (models & {"total_cost_usd", "input_price_usd"})),
        **dict.fromkeys(OF_RUNS, "run" in verdicts),
        **dict.fromkeys(OF_RATINGS, rubric or (folder / "ratings.parquet").is_file()),
        **dict.fromkeys(OF_RUBRIC, rubric),
        **dict.fromkeys(OF_EPISODES, bool((card or {}).get("cluster"))),
        **dict.fromkeys(OF_AUDITS, rubric or (folder / "ratings.parquet").is_file()),
        "endpoint_scores": bool((card or {}).get("endpoints")),
        "paired_controls": bool((card or {}).get("controls")),
        "family_profiles": "family" in models,
        **dict.fromkeys(
            OF_CRITERIA, all((folder / f).is_file() for f in ("criteria.parquet", "ratings.parquet"))
        ),
        **_of_sessions(folder),
    }
    return (*ALWAYS, *(name for name, there in found.items() if there))


def _of_sessions(folder: Path) -> dict[str, bool]:
    """Tell which tables on consultation sessions there can be."""
    there = has_part_files(folder, "sessions/sessions")
    systems: set[str] = set()
    for file in _part_files(folder, "sessions/systems") if there else ():
        systems |= _columns(file)
    return {
        **dict.fromkeys(OF_SESSIONS, there),
        **dict.fromkeys(OF_JUDGED_SESSIONS, there and has_part_files(folder, "sessions/judgements")),
        **dict.fromkeys(OF_SYSTEMS, "role" in systems),
        **dict.fromkeys(OF_VARIANTS, {"base_model", "thinking"} <= systems),
    }


def _part_files(folder: Path, stem: str) -> list[Path]:
    """Return the Parquet file of that stem, or those of the folder of that name."""
    single = folder / f"{stem}.parquet"
    return [single] if single.is_file() else sorted((folder / stem).glob("**/*.parquet"))


def has_part_files(folder: Path, stem: str) -> bool:
    """Tell whether there is a file of that stem, or a folder of that name with Parquet files."""
    return (folder / f"{stem}.parquet").is_file() or any((folder / stem).glob("**/*.parquet"))


def verdict_columns(folder: Path) -> set[str]:
    """Return the columns that any verdict file has; of the sessions, where verdicts are made from them."""
    stem = "verdicts" if has_part_files(folder, "verdicts") else "sessions/sessions"
    names: set[str] = set()
    for file in _part_files(folder, stem):
        names |= _columns(file)
    return names


def _columns(file: Path) -> set[str]:
    import pyarrow.parquet as pq
    from pyarrow import ArrowException

    if not file.is_file():
        return set()
    try:
        return set(pq.read_schema(file).names)
    except (ArrowException, OSError):
        return set()


def _model_columns(folder: Path) -> set[str]:
    csv = folder / "models.csv"
    if csv.is_file():
        with csv.open(encoding="utf-8", errors="replace") as stream:
            return {name.strip().strip('"') for name in stream.readline().split(",")}
    return _columns(folder / "models.parquet")
