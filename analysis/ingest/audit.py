"""Counts of what ingest read, joined, left unused or found odd: one row each, with its sentence."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field

import polars as pl

from analysis.config import BenchmarkCard
from analysis.ingest.audit_trail import VERDICT

AUDIT_SCHEMA = {"check": pl.String, "subject": pl.String, "n": pl.Int64, "note": pl.String}


def plural(n: int, noun: str, several: str = "") -> str:
    """Return the number with its noun: `1 row`, `2,000 rows`."""
    return f"{n:,} {noun if n == 1 else several or f'{noun}s'}"


@dataclass
class AuditCounts:
    """Gathers the audit table while files are read."""

    rows: list[tuple[str, str, int, str]] = field(default_factory=list)
    id_types: dict[str, list[str]] = field(default_factory=dict)

    def add(self, check: str, subject: str, n: int, note: str) -> None:
        """Add one counted fact."""
        self.rows.append((check, subject, n, note))

    def note_file(self, name: str, raw: pl.DataFrame, unused: list[str]) -> None:
        """Count a file's rows, the type of its item ids and the columns that nothing reads."""
        self.add("rows_read", name, raw.height, f"{plural(raw.height, 'row')} read from {name}")
        if "item_id" in raw.columns:
            kind = "integers" if raw["item_id"].dtype.is_integer() else "text"
            self.id_types.setdefault(kind, []).append(name)
        self.note_unused(name, raw, unused)

    def note_unused(self, name: str, raw: pl.DataFrame, unused: list[str]) -> None:
        """Count the columns of a file that nothing reads."""
        for column in unused:
            n = raw.height - raw[column].null_count()
            self.add("unused_column", f"{name}: {column}", n, f"column {column} of {name} is not used")

    def frame(self) -> pl.DataFrame:
        """Return the audit table."""
        return pl.DataFrame(self.rows, schema=AUDIT_SCHEMA, orient="row").sort("check", "subject")


def audit_verdicts(
    trail: AuditCounts,
    verdicts: pl.DataFrame,
    items: pl.DataFrame,
    models: pl.DataFrame,
    companions: Mapping[str, pl.DataFrame | None],
    card: BenchmarkCard,
    quarantine: pl.DataFrame,
) -> None:
    """Add what can be counted once everything is joined."""
    _sums(trail, verdicts, items, models, quarantine)
    _identifiers(trail, verdicts, items, models)
    _labels(trail, verdicts, card)
    _companions(trail, verdicts, items, models, companions)
    _scales(trail, companions.get("ratings"), card)


def _scales(trail: AuditCounts, ratings: pl.DataFrame | None, card: BenchmarkCard) -> None:
    """Count the scales of the card of which no rating has a label: a misspelt label makes it idle."""
    used = set() if ratings is None else set(ratings["label"].drop_nulls().unique())
    for name, labels in card.rating_scales.items():
        if not used & set(labels):
            note = f"the rating scale {name} of the card ({', '.join(labels)}) has no label that a rating has"
            trail.add("rating_scale_unused", name, 0, note)


def _sums(
    trail: AuditCounts,
    verdicts: pl.DataFrame,
    items: pl.DataFrame,
    models: pl.DataFrame,
    quarantine: pl.DataFrame,
) -> None:
    trail.add("rows", "", verdicts.height, f"{plural(verdicts.height, 'row')} of verdicts stand")
    trail.add("items", "", items.height, plural(items.height, "item"))
    trail.add("models", "", models.height, plural(models.height, "model"))
    excluded = verdicts.filter("excluded").height
    trail.add("excluded_rows", "", excluded, f"{plural(excluded, 'row')} excluded by verdict")
    unscored = verdicts.filter(pl.col("correct").is_null() & ~pl.col("excluded")).height
    trail.add("unscored_rows", "", unscored, f"{plural(unscored, 'row')} without a score")
    aside = quarantine.select("file", "row").n_unique()
    trail.add("quarantined_rows", "", aside, f"{plural(aside, 'row')} set aside (quarantine.parquet)")
    for reason, n in quarantine.group_by("reason").len().sort("reason").iter_rows():
        trail.add("quarantined_rows", reason, n, f"{plural(n, 'row')} set aside: {reason}")
    runs = verdicts.group_by("model", "item_id").len()
    per_model = runs.group_by("model").agg(
        pl.col("len").min().alias("low"), pl.col("len").max().alias("high")
    )
    for model, low, high in per_model.sort("model").iter_rows():
        if low != high:
            note = f"{model}: between {low} and {high} runs per item"
            trail.add("ragged_runs", model, high - low, note)
    cells = runs.height
    empty = items.height * models.filter(pl.col("n_rows") > 0).height - cells
    trail.add("missing_cells", "", empty, f"{plural(empty, 'cell')} (model and item) without any row")
    seen = verdicts.group_by("item_id").agg(pl.col("model").n_unique().alias("n"))
    alone = seen.filter(pl.col("n") == 1).height
    trail.add("items_seen_by_one_model", "", alone, f"{plural(alone, 'item')} seen by one model only")


def _identifiers(
    trail: AuditCounts, verdicts: pl.DataFrame, items: pl.DataFrame, models: pl.DataFrame
) -> None:
    if len(trail.id_types) > 1:
        n_int, n_text = (len(trail.id_types[k]) for k in ("integers", "text"))
        note = (
            f"item_id stands as integers in {plural(n_int, 'file')} and as text in {n_text}: "
            "joined on the decimal text"
        )
        trail.add("mixed_item_id_types", "", n_int + n_text, note)
    for what, names in (("models", models["model"]), ("items", items["item_id"])):
        folded = names.map_elements(_fold, return_dtype=pl.String)
        twins = pl.DataFrame({"name": names, "folded": folded}).group_by("folded").agg("name")
        twins = twins.filter(pl.col("name").list.len() > 1).sort("folded")
        for folded_name, group in twins.head(20).iter_rows():
            note = f"{what} whose names differ only in case, spacing or Unicode form: " + ", ".join(
                sorted(group)
            )
            trail.add(f"near_identical_{what}", str(folded_name), len(group), note)


def _fold(name: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def _labels(trail: AuditCounts, verdicts: pl.DataFrame, card: BenchmarkCard) -> None:
    if not card.labels:
        return
    counts = verdicts.select(pl.col("labels").list.explode(empty_as_null=False).alias("label"))
    counts = counts.drop_nulls().group_by("label").len().sort("label")
    used = dict(counts.iter_rows())
    for label, n in used.items():
        if label not in card.labels:
            trail.add(
                "label_not_in_card", label, n, f"label {label} stands in {plural(n, 'row')}, not in the card"
            )
    for label, rule in card.labels.items():
        if label not in used and not rule.reserved:
            trail.add("label_never_used", label, 0, f"label {label} of the card stands in no row")


def _companions(
    trail: AuditCounts,
    verdicts: pl.DataFrame,
    items: pl.DataFrame,
    models: pl.DataFrame,
    companions: Mapping[str, pl.DataFrame | None],
) -> None:
    for model in models.filter(pl.col("n_rows") == 0)["model"]:
        trail.add(
            "model_without_verdicts", model, 0, f"{model} stands in the models table and has no verdicts"
        )
    listed = companions.get("models")
    if listed is not None:
        for model in models.filter(~pl.col("model").is_in(listed["model"].implode()))["model"]:
            trail.add("model_not_listed", model, 0, f"{model} has verdicts and is not in the models table")
    if companions.get("items") is not None:
        asked = verdicts["item_id"].unique()
        never = items.filter(~pl.col("item_id").is_in(asked.implode())).height
        if never:
            trail.add(
                "items_without_verdicts", "", never, f"{plural(never, 'item')} listed without any verdict"
            )
    steps = companions.get("audit_trail")
    if steps is not None:
        _audit_trail(trail, verdicts, steps)
    ratings = companions.get("ratings")
    if ratings is not None:
        trail.add("ratings", "", ratings.height, f"{plural(ratings.height, 'rating')} read")
        known = verdicts.select("model", "item_id").unique()
        rated = ratings.filter(pl.col("model").is_not_null()).join(known, on=["model", "item_id"], how="anti")
        if rated.height:
            note = f"{plural(rated.height, 'rating')} of responses without a verdict"
            trail.add("ratings_without_verdict", "", rated.height, note)
    criteria = companions.get("criteria")
    if criteria is not None:
        _rubric(trail, criteria, ratings)


def _rubric(trail: AuditCounts, criteria: pl.DataFrame, ratings: pl.DataFrame | None) -> None:
    """Count the rubric, its criteria that nobody rates, and ratings of other criteria of its questions."""
    n_questions = criteria["item_id"].n_unique()
    note = f"{plural(criteria.height, 'criterion', 'criteria')} of {plural(n_questions, 'question')} read"
    trail.add("criteria", "", criteria.height, note)
    key = ["item_id", "criterion_id"]
    rated = criteria.select(key).clear() if ratings is None else ratings.select(key).drop_nulls()
    unrated = criteria.join(rated, on=key, how="anti").height
    if unrated:
        note = f"{plural(unrated, 'criterion', 'criteria')} of the rubric without any rating"
        trail.add("criteria_without_ratings", "", unrated, note)
    of_questions = rated.join(criteria, on="item_id", how="semi")
    other = of_questions.join(criteria, on=key, how="anti").height
    if other:
        note = f"{plural(other, 'rating')} of questions of the rubric on criteria that it does not list"
        trail.add("ratings_outside_rubric", "", other, note)


def _audit_trail(trail: AuditCounts, verdicts: pl.DataFrame, steps: pl.DataFrame) -> None:
    """Count a scorer's steps, those of no response, and responses without steps or with another verdict."""
    trail.add("audit_trail", "", steps.height, f"{plural(steps.height, 'step')} of the audit trail read")
    key = ["model", "item_id", "run"]
    lost = steps.join(verdicts, on=key, how="anti").height
    if lost:
        note = f"{plural(lost, 'step')} of the audit trail of responses without a verdict"
        trail.add("audit_trail_without_verdict", "", lost, note)
    bare = verdicts.join(steps, on=key, how="anti").height
    if bare:
        note = f"{plural(bare, 'response')} without a step in the audit trail"
        trail.add("responses_without_audit_trail", "", bare, note)
    stated = steps.filter(pl.col("phase") == VERDICT).join(verdicts.select(*key, "verdict"), on=key)
    other = stated.filter(pl.col("outcome") != pl.col("verdict")).select(key).n_unique()
    if other:
        note = f"{plural(other, 'response')} whose audit trail ends in another verdict than the one recorded"
        trail.add("audit_trail_of_other_verdict", "", other, note)
