"""The two files a person writes: ``config/config.yaml`` and a benchmark's ``benchmark.yaml``.

Both are pydantic models that refuse unknown keys at every level and suggest the nearest known
one. Defaults of the statistics stand in the configuration; a card overrides them.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import re
from pathlib import Path
from typing import Any, Literal, TypeVar

import yaml
from pydantic import BaseModel, Field, ValidationError, field_validator, model_validator

from analysis.card_consultation import Consultation
from analysis.card_episodes import Control, Endpoint, Episodes, JudgeAudit
from analysis.card_rubric import RubricUse
from analysis.card_sessions import SessionRules
from analysis.errors import ConfigError, Problem
from analysis.strict import Strict

M = TypeVar("M", bound="Strict")
MissingPolicy = Literal["exclude", "failure", "common_items", "error"]
IntervalMethod = Literal[
    "wilson",
    "clopper_pearson",
    "jeffreys",
    "bootstrap",
    "bootstrap_percentile",
    "bootstrap_basic",
    "bootstrap_bca",
    "bootstrap_studentized",
]
BENCHMARK_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
"""What a benchmark's folder may be called: it becomes a folder of the site and a part of file names."""

NOT_METRICS = frozenset(
    {"model", "item_id", "run", "verdict", "excluded", "labels", "failure_label", "decision", "flags"}
    | {"track", "question_type", "cluster_id", "hard_failure", "decisive"}
)
"""Columns of the verdicts that are no numbers, and names of rates."""

RESERVED_NAMES = frozenset({"assets", "site_libs", "methods", "index"})
"""Names that the site uses itself."""


class VerdictRules(Strict):
    """Which verdicts there are and what they count."""

    order: tuple[str, ...] | None = None
    """All verdicts, worst to best. When given, any other verdict is an error."""
    succeed: tuple[str, ...] | None = None
    """Verdicts that count as success (default: `correct`)."""
    exclude: tuple[str, ...] = ("technical_failure",)
    """Verdicts that leave the denominator."""

    @field_validator("order", "succeed", "exclude")
    @classmethod
    def _distinct(cls, value: tuple[str, ...] | None) -> tuple[str, ...] | None:
        if value is not None and len(set(value)) != len(value):
            raise ValueError("a verdict stands twice")
        return value

    @model_validator(mode="after")
    def _known(self) -> VerdictRules:
        if self.order is not None and self.succeed is not None:
            unknown = [v for v in self.succeed if v not in self.order]
            if unknown:
                raise ValueError(f"succeed names {unknown[0]!r}, which is not in order {list(self.order)}")
        both = [v for v in self.succeeding if v in self.exclude]
        if both:
            raise ValueError(f"{both[0]!r} both succeeds and is excluded")
        return self

    @property
    def succeeding(self) -> tuple[str, ...]:
        """The verdicts that succeed, with the default filled in."""
        return ("correct",) if self.succeed is None else self.succeed


class Label(Strict):
    """A failure label."""

    meaning: str = ""
    """What the label means, as a reader should see it."""
    hard: bool = False
    """Counts towards the hard-failure rate."""
    technical: bool = False
    """A technical fault, shown apart from the model's own failures."""
    reserved: bool = False
    """Set aside for later: a row that uses it is an error."""


class Decisions(Strict):
    """What the values of `decision` mean."""

    decisive: tuple[str, ...] = ()
    """Decisions that commit to an action; their rate is the metric `decisive`."""


class BenchmarkCard(Strict):
    """A benchmark's `benchmark.yaml`. Every key is optional."""

    title: str = ""
    """Title of the report (default: the folder's name)."""
    description: str = ""
    """A paragraph for the report's head, plain text."""
    source: str = ""
    """Where the verdicts come from: a citation, a repository, a DOI."""
    licence: str = ""
    """Under which licence they may be used."""
    synthetic: str = ""
    """Says that data are simulated or reconstructed, and how. Stands on every page and in every table."""
    verdicts: VerdictRules = VerdictRules()
    """Which verdicts there are and what they count."""
    missing: MissingPolicy = "exclude"
    """How cells without a scored run are treated: `exclude` (each model's own cells), `failure` (asked but
    unscored counts 0), `common_items` (items for which every model has a cell), `error` (refuse)."""
    labels: dict[str, Label] = Field(default_factory=dict)
    """Failure labels: a meaning, or a meaning with `hard`, `technical`, `reserved`."""
    decisions: Decisions = Decisions()
    """What the values of `decision` mean."""
    sessions: SessionRules = SessionRules()
    """How consultation sessions are measured."""
    rating_scales: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """Ordered labels of `ratings.parquet` beside `verdicts.order`: a name of your own, and the labels from
    lowest to highest. Ratings that keep to the labels of one scale get weighted kappas and ordinal alpha."""
    consultation: Consultation = Consultation()
    """How responses are scored from rubric criteria, where there is a `criteria.parquet`."""
    metrics: tuple[str, ...] = ()
    """Further metrics: `score`, or numeric columns of the verdict files."""
    primary_metric: str = "correct"
    """The metric that leads the report."""
    strata: tuple[str, ...] | None = None
    """Item columns by which scores are broken down (default: `question_type` where items have it)."""
    covariates: tuple[str, ...] = ()
    """Further columns of `items.parquet` to keep."""
    cluster: str | None = None
    """The item column that names the cluster (patient, passage), such as `cluster_id`; only if declared."""
    weight: str | None = None
    """The item column with weights, such as `weight`. Weights are ignored unless declared."""
    episodes: Episodes = Episodes()
    """Joint correctness of the items of a cluster; needs `cluster`."""
    endpoints: dict[str, Endpoint] = Field(default_factory=dict)
    """Further endpoints by name: macro, balanced, conditional, on a fixed subset, or of a derived stage."""
    controls: dict[str, Control] = Field(default_factory=dict)
    """Paired controls by name: the same questions under two conditions."""
    judge_audits: dict[str, JudgeAudit] = Field(default_factory=dict)
    """Judge audits by name (default: one for each human rater that shares labels with a judge)."""
    solved_at: float = Field(default=0.5, gt=0, le=1)
    """A model solves an item when its cell (mean over scored runs) is at least this."""
    free_models: tuple[str, ...] = ()
    """Models whose cost may be 0."""
    intervals: tuple[IntervalMethod, ...] | None = None
    """Interval methods of `model_scores`, the primary first (default: of the configuration)."""
    alpha: float | None = Field(default=None, gt=0, lt=1)
    """Family-wise error rate of the tests (default: of the configuration)."""
    level: float | None = Field(default=None, gt=0, lt=1)
    """Confidence level of the intervals (default: of the configuration)."""
    resamples: int | None = Field(default=None, ge=100, le=1_000_000)
    """Bootstrap resamples (default: of the configuration)."""
    permutations: int | None = Field(default=None, ge=100, le=10_000_000)
    """Monte Carlo permutations where no exact test exists (default: of the configuration)."""
    seed: int | None = Field(default=None, ge=0)
    """Seed of everything random (default: of the configuration)."""
    rubric: RubricUse | None = None
    """The scoring rubric that the ratings follow, if they follow one."""

    @field_validator("metrics", "primary_metric")
    @classmethod
    def _numeric(cls, value: Any) -> Any:
        for name in (value,) if isinstance(value, str) else value:
            if name in NOT_METRICS or name.startswith("__"):
                raise ValueError(f"{name!r} is no metric: name correct, score or a numeric column")
        return value

    @field_validator("labels", mode="before")
    @classmethod
    def _meanings(cls, value: Any) -> Any:
        if isinstance(value, dict):
            return {k: {"meaning": v} if isinstance(v, str) else v for k, v in value.items()}
        return value

    @field_validator("rating_scales")
    @classmethod
    def _ordered(cls, value: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
        for name, labels in value.items():
            if len(labels) < 2 or len(set(labels)) != len(labels):
                raise ValueError(f"scale {name!r} needs two labels or more, each once; got {list(labels)}")
        return value

    @property
    def hard_labels(self) -> tuple[str, ...]:
        """The labels that count towards the hard-failure rate."""
        return tuple(name for name, label in self.labels.items() if label.hard)


class Statistics(Strict):
    """Defaults of the statistics; a card overrides them."""

    alpha: float = Field(default=0.05, gt=0, lt=1)
    """Family-wise error rate of the tests."""
    level: float = Field(default=0.95, gt=0, lt=1)
    """Confidence level of the intervals."""
    resamples: int = Field(default=2000, ge=100, le=1_000_000)
    """Bootstrap resamples."""
    permutations: int = Field(default=10_000, ge=100, le=10_000_000)
    """Monte Carlo permutations where no exact test exists."""
    seed: int = Field(default=42, ge=0)
    """Seed of everything random."""
    intervals: tuple[IntervalMethod, ...] = ("wilson", "bootstrap")
    """Interval methods of `model_scores`, the primary first. `wilson` stands only where it is valid."""


class Publish(Strict):
    """Where `snakemake publish` puts the site."""

    folder: str = "results/published"
    """Folder the site is copied to (used where no repository is named)."""
    repository: str = ""
    """Local git repository whose branch receives the site instead."""
    branch: str = "gh-pages"
    """Branch of that repository."""
    push: bool = False
    """Push the branch afterwards. Never done unless set."""
    remote: str = "origin"
    """Remote to push to."""


class Config(Strict):
    """`config/config.yaml`. Every key is optional."""

    benchmarks: Literal["auto"] | tuple[str, ...] = "auto"
    """`auto`: every folder of the raw folder that has verdicts, or the demonstration when there is none."""
    raw: str = "results/raw"
    """Folder of the raw verdicts, one folder per benchmark."""
    results: str = "results"
    """Folder under which `derived`, `figures`, `site` and `logs` are written."""
    site_title: str = "Verdict Atlas"
    """Title of the site."""
    renderer: Literal["auto", "quarto", "embedded"] = "auto"
    """Which renderer makes the pages: `auto` uses Quarto where it is installed."""
    item_pages: int = Field(default=2500, ge=0)
    """Most items of a benchmark that stand on pages, with verdicts, ratings and audit trail; 0: none."""
    lenient: bool = False
    """Set rows that break the raw contract aside in `quarantine.parquet` rather than refuse them."""
    statistics: Statistics = Statistics()
    """Defaults of the statistics."""
    publish: Publish = Publish()
    """Where `snakemake publish` puts the site."""

    @field_validator("benchmarks", mode="before")
    @classmethod
    def _one_name(cls, value: Any) -> Any:
        return (value,) if isinstance(value, str) and value != "auto" else value

    @field_validator("benchmarks")
    @classmethod
    def _names(cls, value: Any) -> Any:
        for name in () if value == "auto" else value:
            check_benchmark_name(name)
        return value


class Settings(Strict):
    """What a card and the configuration say together: the statistics in force for one benchmark."""

    alpha: float
    """Family-wise error rate."""
    level: float
    """Confidence level."""
    resamples: int
    """Bootstrap resamples."""
    permutations: int
    """Monte Carlo permutations."""
    seed: int
    """Seed of everything random."""
    intervals: tuple[IntervalMethod, ...]
    """Interval methods, the primary first."""


def settings_for(card: BenchmarkCard, config: Config) -> Settings:
    """Return the statistics in force: the card's where it names them, else the configuration's."""
    return Settings(
        **{
            name: getattr(config.statistics, name) if getattr(card, name) is None else getattr(card, name)
            for name in Settings.model_fields
        }
    )


def check_benchmark_name(name: str) -> str:
    """Return the name, or raise ``ValueError`` where it cannot be a folder of the site."""
    if not BENCHMARK_NAME.fullmatch(name):
        raise ValueError(
            f"benchmark name {name!r}: allowed are letters, digits, '.', '_' and '-', "
            "starting with a letter or digit"
        )
    if name in RESERVED_NAMES:
        raise ValueError(f"benchmark name {name!r} is used by the site itself")
    return name


def read_card(path: Path | None) -> BenchmarkCard:
    """Read a benchmark's card; no file is a card with every default.

    Raises
    ------
    ConfigError
        Where the file is not YAML or breaks the card's model.
    """
    if path is None or not path.exists():
        return BenchmarkCard()
    return parse(BenchmarkCard, read_yaml(path), file=path.name)


def read_config(path: Path | None = None, overrides: dict[str, Any] | None = None) -> Config:
    """Read the configuration; keys of `overrides` replace those of the file."""
    data = read_yaml(path) if path is not None and path.exists() else {}
    return parse(Config, {**data, **(overrides or {})}, file=path.name if path else "config")


def read_yaml(path: Path) -> dict[str, Any]:
    """Read a YAML mapping."""
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path.name}: is not valid YAML: {' '.join(str(error).split())}") from None
    if data is None:
        return {}
    if not isinstance(data, dict):
        raise ConfigError(
            f"{path.name}: holds a {type(data).__name__}; allowed is a mapping of keys to values"
        )
    return data


def parse(model: type[M], data: dict[str, Any], *, file: str) -> M:
    """Validate data against a model; errors name the key, the value, and the nearest known key."""
    try:
        return model.model_validate(data)
    except ValidationError as error:
        problems = [_explain(model, e) for e in error.errors(include_url=False)]
        raise ConfigError("\n".join(str(_located(p, file)) for p in problems)) from None


def _located(problem: Problem, file: str) -> Problem:
    return Problem(**{**problem.to_dict(), "file": file, "kind": "key"})  # type: ignore[arg-type]


def _explain(model: type[BaseModel], error: Any) -> Problem:
    place = tuple(str(part) for part in error["loc"] if not _is_branch(part))
    key = ".".join(place)
    if error["type"] == "extra_forbidden":
        known = _keys_at(model, place[:-1])
        near = difflib.get_close_matches(place[-1], known, n=1, cutoff=0.6)
        return Problem(
            message="is not a known key" + (f"; did you mean {near[0]!r}?" if near else ""),
            column=key,
            allowed=", ".join(known),
        )
    value = error.get("input")
    hint = ""
    if isinstance(value, bool) and "string" in error["type"]:
        hint = "YAML reads yes, no, on, off, true and false as truth values: put quotes around them"
    return Problem(
        message=error["msg"].removeprefix("Value error, "),
        column=key,
        values=(str(value)[:80],) if not isinstance(value, dict) else (),
        n_values=1,
        hint=hint,
    )


def _is_branch(part: object) -> bool:
    """Tell whether pydantic named a branch of a union rather than a key."""
    return isinstance(part, str) and (part.startswith(("literal[", "tuple[", "function-")) or part in {"str"})


def _keys_at(model: type[BaseModel], place: tuple[str, ...]) -> list[str]:
    """Return the keys known at a place inside the model."""
    for part in place:
        field = model.model_fields.get(part)
        if field is None:
            continue
        for candidate in (field.annotation, *getattr(field.annotation, "__args__", ())):
            if isinstance(candidate, type) and issubclass(candidate, BaseModel):
                model = candidate
    return sorted(model.model_fields)


def config_hash(*models: BaseModel) -> str:
    """Return the SHA-256 of the models' canonical JSON, as the pages and tables show it."""
    text = json.dumps([m.model_dump(mode="json") for m in models], sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()
