"""What rubric scores rest on: applicability, comparability classes, keys, flags, distributions of scores."""

from __future__ import annotations

import numpy as np
import polars as pl

from analysis.ingest.sheets import unreviewed
from analysis.schemas import Applicability, RubricClasses, RubricDistribution, RubricVignettes, SafetyFlags
from analysis.scoring.rubric.lines import plan_lines
from analysis.scoring.rubric.score import profile_weights
from analysis.tables.data import BenchmarkData, table_frame
from analysis.tables.rubric_layout import RESPONSE, RubricLayout, comparability_classes


def applicability_table(layout: RubricLayout) -> pl.DataFrame:
    """Return which lines apply to which vignette, and what raters made of it.

    Returns
    -------
    pl.DataFrame
        Rows of the `Applicability` schema: every score line of every vignette with a key.
    """
    key = ["item_id", "criterion_id"]
    lines = plan_lines(layout.state)
    classes = comparability_classes(layout.state, layout.plan)
    rows = layout.sheets.filter(pl.col("criterion_id").is_in(layout.plan.fields))
    counts = rows.group_by(key).agg(
        pl.col("applicable").sum().alias("n_scored"), (~pl.col("applicable")).sum().alias("n_not_applicable")
    )
    disputed = (
        rows.group_by(*RESPONSE, "criterion_id")
        .agg(pl.col("applicable").any().alias("some"), pl.col("applicable").all().alias("every"))
        .filter(pl.col("some") & ~pl.col("every"))
        .group_by(key)
        .agg(pl.len().alias("n_disputed"))
    )
    reasons = (
        rows.filter(~pl.col("applicable"))
        .group_by(*key, "reason")
        .len()
        .sort([*key, "len", "reason"], descending=[False, False, True, False])
        .group_by(key, maintain_order=True)
        .agg(pl.col("reason").first())
    )
    for other in (classes.drop("not_applicable"), counts, disputed, _volunteered(layout), reasons):
        on = key if "criterion_id" in other.columns else ["item_id"]
        lines = lines.join(other, on=on, how="left", maintain_order="left")
    in_mean = dict(zip(layout.plan.fields, layout.plan.in_mean.tolist(), strict=True))
    titles = {d.id: d.title for d in layout.state.rubric.domains}
    names = {name: layout.state.fields[name].title for name in layout.plan.fields}
    places = {name: i for i, name in enumerate(layout.plan.fields, start=1)}
    numbers = ("n_scored", "n_not_applicable", "n_volunteered", "n_disputed")
    lines = lines.with_columns(
        pl.col("criterion_id").replace_strict(layout.state.domain_of, return_dtype=pl.String).alias("domain"),
        pl.col("criterion_id").replace_strict(in_mean, return_dtype=pl.Boolean).alias("in_mean"),
        pl.col("criterion_id").replace_strict(names, return_dtype=pl.String).alias("title"),
        pl.col("criterion_id").replace_strict(places, return_dtype=pl.Int64).alias("position"),
        pl.when(~pl.col("applies")).then("why_not").alias("why_not"),
        *(pl.col(c).fill_null(0).cast(pl.Int64) for c in numbers),
    )
    lines = lines.with_columns(
        pl.col("domain").replace_strict(titles, return_dtype=pl.String).alias("domain_title")
    )
    return lines.select(Applicability.column_names())


def _volunteered(layout: RubricLayout) -> pl.DataFrame:
    """Count the responses whose human scores (else any kind's) count a line that only they made apply."""
    values, _ = layout.of_kind(layout.present_kinds[0])
    beyond = ~np.isnan(values) & ~layout.called_for & layout.plan.in_mean[None, :]
    at, line = np.nonzero(beyond)
    frame = pl.DataFrame(
        {
            "item_id": layout.responses["item_id"].gather(at.tolist()),
            "criterion_id": pl.Series([layout.plan.fields[i] for i in line.tolist()], dtype=pl.String),
        }
    )
    return frame.group_by("item_id", "criterion_id").agg(pl.len().alias("n_volunteered"))


def classes_table(layout: RubricLayout) -> pl.DataFrame:
    """Return the comparability classes with the weights in force.

    Returns
    -------
    pl.DataFrame
        Rows of the `RubricClasses` schema.
    """
    state, plan = layout.state, layout.plan
    classes = comparability_classes(state, plan)
    values, _ = layout.of_kind(layout.present_kinds[0])
    beyond = (~np.isnan(values) & ~layout.called_for & plan.in_mean[None, :]).any(axis=1)
    responses = layout.responses.with_columns(beyond=pl.Series(beyond))
    rows = []
    for name, part in classes.sort("comparability", "item_id").group_by("comparability", maintain_order=True):
        task, missing = part["task_type"][0], part["not_applicable"][0].split()
        own = responses.filter(pl.col("comparability") == name[0])
        called = [
            domain
            for d, domain in enumerate(plan.domains)
            if any(
                keep and line not in missing
                for line, keep in zip(plan.fields, plan.in_mean & (plan.domain == d), strict=True)
            )
        ]
        profile = state.profile_of(task)
        rows.append(
            {
                "comparability": name[0],
                "task_type": task,
                "not_applicable": " ".join(missing),
                "domains": " ".join(called),
                "profile": profile,
                "weights": _weights_text(layout, profile, called),
                "n_items": part.height,
                "n_models": own["model"].n_unique(),
                "n_responses": own.height,
                "n_volunteered": int(own["beyond"].sum()),
            }
        )
    columns = {name: [row[name] for row in rows] for name in RubricClasses.column_names()}
    return table_frame(RubricClasses, columns, len(rows))


def _weights_text(layout: RubricLayout, profile: str, called: list[str]) -> str:
    weights = profile_weights(layout.state, profile)
    given = np.ones(len(layout.plan.domains)) if weights is None else weights
    own = np.array([w if d in called else 0.0 for d, w in zip(layout.plan.domains, given, strict=True)])
    if own.sum() <= 0:
        return ""
    return " ".join(
        f"{d}={w:.4f}" for d, w in zip(layout.plan.domains, own / own.sum(), strict=True) if d in called
    )


def vignettes_table(data: BenchmarkData, layout: RubricLayout) -> pl.DataFrame:
    """Return every key with its hash, its time and the first rating.

    Returns
    -------
    pl.DataFrame
        Rows of the `RubricVignettes` schema.
    """
    assert data.sheets is not None
    keys = layout.state.keys.values()
    classes = comparability_classes(layout.state, layout.plan)
    rated = data.sheets.group_by("item_id").agg(
        pl.col("rated_at").min().alias("first_rated_at"),
        pl.struct("model", "run", "round", "rater").n_unique().cast(pl.Int64).alias("n_sheets"),
    )
    joined = classes.join(rated, on="item_id", how="left", maintain_order="left")
    return table_frame(
        RubricVignettes,
        {
            "item_id": joined["item_id"],
            "task_type": joined["task_type"],
            "comparability": joined["comparability"],
            "audience": [key.audience for key in keys],
            "decision_point": [key.decision_point for key in keys],
            "features": [" ".join(key.features) for key in keys],
            "n_hazards": [len(key.hazards or ()) for key in keys],
            "prespecified_at": [key.prespecified_at for key in keys],
            "first_rated_at": joined["first_rated_at"],
            "sha256": [key.sha256 for key in keys],
            "n_sheets": joined["n_sheets"].fill_null(0),
        },
        joined.height,
    )


def flags_table(layout: RubricLayout) -> pl.DataFrame:
    """Return every flag that was raised, and every low safety score without a reviewed key.

    Returns
    -------
    pl.DataFrame
        Rows of the `SafetyFlags` schema.
    """
    flag, sheets = layout.state.rubric.flag, layout.sheets
    if flag is None:
        return SafetyFlags.create_empty()
    raised = sheets.filter(
        (pl.col("criterion_id") == flag.id) & (pl.col("label").str.to_lowercase() == "yes")
    )
    statements = pl.DataFrame(
        [(k.item_id, h.id, h.statement) for k in layout.state.keys.values() for h in k.hazards or ()],
        schema={"item_id": pl.String, "case_criterion": pl.String, "statement": pl.String},
        orient="row",
    )
    raised = raised.join(statements, on=["item_id", "case_criterion"], how="left", maintain_order="left")
    low = unreviewed(sheets, layout.state).with_columns(
        pl.lit(None, dtype=pl.String).alias("statement"), pl.lit(None, dtype=pl.String).alias("trigger")
    )
    both = [
        frame.with_columns(pl.lit(kind).alias("kind"), score.alias("score"))
        for frame, kind, score in (
            (raised, "flag", pl.lit(None, dtype=pl.Float64)),
            (low, "not_reviewed", pl.col("value")),
        )
    ]
    return pl.concat([frame.select(SafetyFlags.column_names()) for frame in both])


def distribution_table(layout: RubricLayout) -> pl.DataFrame:
    """Count how often each score was given, by kind of rater, line and model.

    Returns
    -------
    pl.DataFrame
        Rows of the `RubricDistribution` schema; scores never given have rows with 0.
    """
    scale = layout.state.rubric.scale
    rows = layout.sheets.filter(pl.col("criterion_id").is_in(layout.plan.fields)).select(
        pl.col("rater_kind").alias("raters"), "criterion_id", "model", "value", "applicable"
    )
    rows = pl.concat([rows, rows.with_columns(pl.lit("all").alias("model"))])
    key = ["raters", "criterion_id", "model"]
    counts = rows.group_by(key).agg(
        *(
            (pl.col("value") == v).sum().cast(pl.Int64).alias(str(v))
            for v in range(scale.low, scale.high + 1)
        ),
        (~pl.col("applicable")).sum().cast(pl.Int64).alias("n_not_applicable"),
    )
    long = counts.unpivot(
        index=[*key, "n_not_applicable"], variable_name="value", value_name="n"
    ).with_columns(pl.col("value").cast(pl.Int64))
    total = pl.col("n").sum().over(key)
    return long.with_columns(pl.when(total > 0).then(pl.col("n") / total).alias("share")).select(
        RubricDistribution.column_names()
    )
