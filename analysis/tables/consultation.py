"""`consultation_scores`, `consultation_items`, `criterion_counts`: open answers scored by a rubric.

Every rater whose labels are scored gives each response (model, item, run) a score; runs of one
question are averaged first, so a question counts once. A question belongs to every tag that it
carries and to `all`; tags may overlap. What is resampled is the case: the declared cluster, else
the question itself.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from analysis.rubric_labels import NO_APPLICATION, label_values
from analysis.schemas import ConsultationItems, ConsultationScores, CriterionCounts
from analysis.seeds import generator_for
from analysis.stats.resampled_units import ResampledUnits
from analysis.stats.results import FloatArray
from analysis.stats.rubric import RatioMeans, ratio_means, score_rubric
from analysis.tables.data import BenchmarkData, Made, rank_order, ranks_of, table_frame

ALL = "all"
RESPONSE = ["rater", "model", "item_id", "run"]
SCORES = ("item_mean", "case_mean")


def derive(data: BenchmarkData) -> Made:
    """Make `consultation_scores`, `consultation_items` and `criterion_counts`."""
    rules = data.card.consultation
    weights = ", ".join(f"{k} {w:g}" for k, w in rules.requirements.items())
    points = ", ".join(f"{k} {w:g}" for k, w in rules.errors.items())
    formula = (
        f"100 x weight of requirements met / weight of those that apply ({weights}) less amounts for "
        f"triggered errors ({points}; {rules.deduct}), within 0 and 100; weights of criteria.parquet go first"
    )
    items, counts = score_responses(data), count_criteria(data)
    intervals = (
        "percentile bootstrap over cases with t-widened tails, the same resamples for all models of a tag"
    )
    return {
        "consultation_items": (items, formula),
        "consultation_scores": (score_consultations(data, items), f"{formula}; {intervals}"),
        "criterion_counts": (counts, "Counts of criteria.parquet"),
    }


def score_responses(data: BenchmarkData) -> pl.DataFrame:
    """Score every response that a rater has labelled.

    Parameters
    ----------
    data : BenchmarkData
        The validated tables, ratings and criteria included.

    Returns
    -------
    pl.DataFrame
        Rows of the `ConsultationItems` schema.
    """
    labelled = _labelled(data)
    if labelled.is_empty():
        return ConsultationItems.create_empty()
    criteria = _criteria(data)
    responses = labelled.select(RESPONSE).unique().sort(RESPONSE).with_row_index("at")
    grid = responses.join(criteria, on="item_id", maintain_order="left").join(
        labelled, on=[*RESPONSE, "criterion_id"], how="left", maintain_order="left"
    )
    said = grid.filter(pl.col("met") >= 0)
    made = score_rubric(
        said["at"].to_numpy(),
        said["met"].to_numpy(),
        said["weight"].to_numpy(),
        said["kind"].rank("dense").cast(pl.Int64).to_numpy() - 1,
        (said["polarity"] == "negative").to_numpy(),
        n_responses=responses.height,
        deduct=data.card.consultation.deduct,
    )
    wanted, error = pl.col("polarity") == "positive", pl.col("polarity") == "negative"
    counts = grid.group_by("at", maintain_order=True).agg(
        (wanted & (pl.col("met") > 0)).sum().alias("n_met"),
        (wanted & (pl.col("met") >= 0)).sum().alias("n_applicable"),
        (wanted & (pl.col("met") == NO_APPLICATION)).sum().alias("n_not_applicable"),
        (error & (pl.col("met") > 0)).sum().alias("n_errors"),
        pl.col("met").is_null().sum().alias("n_unrated"),
    )
    columns = {name: responses[name] for name in RESPONSE}
    columns |= {name: counts[name] for name in counts.columns if name != "at"}
    cases = dict(_cases(data).iter_rows())
    columns["case_id"] = responses["item_id"].replace_strict(cases, return_dtype=pl.String)
    scores = {"earned": made.earned, "deduction": made.deduction, "score": made.score}
    return table_frame(ConsultationItems, columns | scores, responses.height)


def score_consultations(data: BenchmarkData, responses: pl.DataFrame) -> pl.DataFrame:
    """Average the scores and the error rates per rater, tag and model.

    Parameters
    ----------
    data : BenchmarkData
        The validated tables.
    responses : pl.DataFrame
        What `score_responses` returns.

    Returns
    -------
    pl.DataFrame
        Rows of the `ConsultationScores` schema. An interval over fewer than two cases does not
        exist; `method` says so.
    """
    parts: list[pl.DataFrame] = [ConsultationScores.create_empty()]
    if responses.is_empty():
        return parts[0]
    cells = _statistics(data, responses)
    tags = _tags(data)
    for (rater,), of_rater in cells.group_by("rater", maintain_order=True):
        for tag in tags["tag"].unique().sort():
            asked = tags.filter(pl.col("tag") == tag).select("item_id", "case_id")
            part = of_rater.join(asked, on="item_id", how="inner", maintain_order="left")
            if part.height:
                parts.append(_tag_rows(data, str(rater), str(tag), asked, part))
    return pl.concat(parts)


def count_criteria(data: BenchmarkData) -> pl.DataFrame:
    """Count questions and criteria by tag and kind.

    Returns
    -------
    pl.DataFrame
        Rows of the `CriterionCounts` schema.
    """
    if data.criteria is None or data.criteria.is_empty():
        return CriterionCounts.create_empty()
    tags = _tags(data)
    sizes = tags.group_by("tag").agg(
        pl.col("item_id").n_unique().alias("n_items"), pl.col("case_id").n_unique().alias("n_cases")
    )
    rows = data.criteria.join(tags.select("item_id", "tag"), on="item_id")
    one = pl.when(pl.col("weight").n_unique() == 1).then(pl.col("weight").first()).alias("weight")
    mixed = (
        pl.when(pl.col("polarity").n_unique() > 1).then(pl.lit("both")).otherwise(pl.col("polarity").first())
    )
    by_kind = rows.group_by("tag", "kind").agg(pl.len().alias("n_criteria"), mixed.alias("polarity"), one)
    every = (
        rows.group_by("tag")
        .agg(pl.len().alias("n_criteria"))
        .with_columns(
            pl.lit(ALL).alias("kind"),
            pl.lit("both").alias("polarity"),
            pl.lit(None, dtype=pl.Float64).alias("weight"),
        )
    )
    table = pl.concat([by_kind, every.select(by_kind.columns)]).join(sizes, on="tag").sort("tag", "kind")
    return table_frame(CriterionCounts, {name: table[name] for name in table.columns}, table.height)


def _labelled(data: BenchmarkData) -> pl.DataFrame:
    """Return what each scored rater says of each criterion of the rubric: `met`, never null."""
    empty = pl.DataFrame(schema={**dict.fromkeys((*RESPONSE, "criterion_id"), pl.String), "met": pl.Float64})
    if data.ratings is None or data.criteria is None:
        return empty
    ratings = data.ratings.with_columns(label_values(data.ratings, data.card))
    ratings = ratings.filter(pl.col("met").is_not_null() & pl.col("model").is_not_null())
    chosen = data.card.consultation.raters
    if chosen:
        ratings = ratings.filter(pl.col("rater").is_in(chosen))
    ratings = ratings.with_columns(pl.col("run").fill_null(0))
    known = data.criteria.select("item_id", "criterion_id")
    return ratings.join(known, on=["item_id", "criterion_id"], how="semi").select(
        *RESPONSE, "criterion_id", "met"
    )


def _criteria(data: BenchmarkData) -> pl.DataFrame:
    assert data.criteria is not None  # there are labels on its criteria
    return data.criteria.select("item_id", "criterion_id", "kind", "polarity", "weight")


def _cases(data: BenchmarkData) -> pl.DataFrame:
    """Return every item with its case: the declared cluster, else itself."""
    case = pl.col(data.card.cluster).cast(pl.String) if data.card.cluster else pl.col("item_id")
    return data.items.select("item_id", pl.coalesce(case, "item_id").alias("case_id"))


def _tags(data: BenchmarkData) -> pl.DataFrame:
    """Return a row per tag (`all` included) and question of the rubric, with its case."""
    assert data.criteria is not None
    questions = data.items.join(data.criteria.select("item_id").unique(), on="item_id", how="semi")
    questions = questions.join(_cases(data), on="item_id", maintain_order="left")
    column = data.card.consultation.tags or ("tags" if "tags" in questions.columns else "question_type")
    tag = questions[column]
    listed = (
        tag
        if isinstance(tag.dtype, pl.List)
        else questions.select(pl.concat_list(pl.col(column).cast(pl.String)))
    )
    with_tags = questions.select("item_id", "case_id").with_columns(
        (listed if isinstance(listed, pl.Series) else listed.to_series()).alias("tag")
    )
    single = with_tags.explode("tag").drop_nulls("tag").unique(maintain_order=True)
    every = questions.select("item_id", "case_id", pl.lit(ALL).alias("tag"))
    return pl.concat([every, single.select(every.columns)])


def _statistics(data: BenchmarkData, responses: pl.DataFrame) -> pl.DataFrame:
    """Return `rater`, `model`, `item_id`, `statistic`, `value`, `size`: runs of a question averaged.

    A statistic of the tag is the sum of `value` over that of `size`: for scores and error rates a
    question has size 1, for shares of criteria the number of its labelled criteria.
    """
    key = ["rater", "model", "item_id"]
    scored = responses.drop_nulls("score").group_by(key).agg(pl.col("score").sort().mean().alias("value"))
    parts = [scored.select(*key, pl.lit("item_mean").alias("statistic"), "value", pl.lit(1.0).alias("size"))]
    labels = _labelled(data).join(_criteria(data), on=["item_id", "criterion_id"]).filter(pl.col("met") >= 0)
    error = pl.col("polarity") == "negative"
    per_run = labels.group_by(*RESPONSE, "kind", "polarity").agg(
        pl.col("met").sort().sum().alias("met"), pl.len().alias("n")
    )
    good = pl.when(error).then(pl.col("n") - pl.col("met")).otherwise("met")
    name = pl.when(error).then(pl.format("avoided:{}", "kind")).otherwise(pl.format("met:{}", "kind"))
    shares = per_run.with_columns(good.alias("good"), name.alias("statistic"))
    parts.append(
        shares.group_by(*key, "statistic")
        .agg(pl.col("good").sort().mean().alias("value"), pl.col("n").mean().alias("size"))
        .select(*key, "statistic", "value", "size")
    )
    # A question without a criterion of the kind cannot go wrong: its responses count. One whose criteria
    # of the kind have no label does not.
    listed = _criteria(data).filter(error).select("item_id", "kind").unique()
    listed = listed.with_columns(pl.lit(True).alias("listed"))
    found = per_run.filter(error).select(*RESPONSE, "kind", (pl.col("met") > 0).cast(pl.Float64).alias("any"))
    every = responses.select(RESPONSE).join(listed.select("kind").unique(), how="cross")
    rates = every.join(listed, on=["item_id", "kind"], how="left").join(
        found, on=[*RESPONSE, "kind"], how="left"
    )
    rates = rates.filter(pl.col("any").is_not_null() | pl.col("listed").is_null())
    rates = rates.with_columns(pl.col("any").fill_null(0.0))
    parts.append(
        rates.group_by(*key, "kind")
        .agg(pl.col("any").sort().mean().alias("value"))
        .select(*key, pl.format("error:{}", "kind").alias("statistic"), "value", pl.lit(1.0).alias("size"))
    )
    return pl.concat(parts).sort(*key, "statistic")


@dataclass(frozen=True)
class _Totals:
    """Sums per model and case of one statistic within a tag: numerator, denominator, questions."""

    value: FloatArray
    size: FloatArray
    n_items: FloatArray


def _tag_rows(
    data: BenchmarkData, rater: str, tag: str, asked: pl.DataFrame, part: pl.DataFrame
) -> pl.DataFrame:
    models = part["model"].unique().sort().to_list()
    cases = asked["case_id"].unique().sort().to_list()
    rng = generator_for(data.settings.seed, "resample", "consultation", tag)
    units = ResampledUnits.create(len(cases), rng=rng, n_resamples=data.settings.resamples)
    frames = []
    statistics = part["statistic"].unique().sort().to_list()
    for statistic in ["case_mean", *statistics] if "item_mean" in statistics else statistics:
        source = "item_mean" if statistic == "case_mean" else statistic
        totals = _totals(part.filter(pl.col("statistic") == source), models, cases)
        value, size = totals.value, totals.size
        if statistic == "case_mean":
            with np.errstate(invalid="ignore", divide="ignore"):
                value, size = np.where(size > 0, value / size, 0.0), (size > 0).astype(np.float64)
        made = ratio_means(value, size, units, level=data.settings.level)
        frames.append(_rows(data, (rater, tag, statistic), models, asked.height, totals, made))
    return pl.concat(frames)


def _totals(rows: pl.DataFrame, models: list[str], cases: list[str]) -> _Totals:
    at_model = rows["model"].replace_strict({m: i for i, m in enumerate(models)}, return_dtype=pl.Int64)
    at_case = rows["case_id"].replace_strict({c: i for i, c in enumerate(cases)}, return_dtype=pl.Int64)
    flat = at_model.to_numpy() * len(cases) + at_case.to_numpy()

    def add(weights: FloatArray) -> FloatArray:
        sums = np.bincount(flat, weights=weights, minlength=len(models) * len(cases))
        return sums.astype(np.float64).reshape(len(models), len(cases))

    return _Totals(add(rows["value"].to_numpy()), add(rows["size"].to_numpy()), add(np.ones(rows.height)))


def _rows(
    data: BenchmarkData,
    key: tuple[str, str, str],
    models: list[str],
    n_asked: int,
    totals: _Totals,
    made: RatioMeans,
) -> pl.DataFrame:
    rater, tag, statistic = key
    kept = ~np.isnan(made.estimate)
    # Lower is better for error rates.
    order = rank_order(-made.estimate[kept] if statistic.startswith("error:") else made.estimate[kept])
    n_items = totals.n_items.sum(axis=1)[kept].astype(np.int64)
    n_units = made.n_units[kept]
    no_limits = np.isnan(made.limits.low[kept])
    how = "case_bootstrap" if data.card.cluster else "item_bootstrap"
    method = [_method(how, *x) for x in zip(no_limits, n_items, n_units, strict=True)]
    size = totals.size.sum(axis=1)[kept]
    columns = {
        "rater": rater,
        "tag": tag,
        "model": [m for m, k in zip(models, kept, strict=True) if k],
        "statistic": statistic,
        "rank": ranks_of(order),
        "estimate": made.estimate[kept],
        "ci_low": made.limits.low[kept],
        "ci_high": made.limits.high[kept],
        "level": data.settings.level,
        "method": method,
        "n_items": n_items,
        "n_cases": n_units,
        "n_criteria": np.rint(size).astype(np.int64) if statistic[:4] in ("met:", "avoi") else 0,
        "n_missing": n_asked - n_items,
    }
    return table_frame(ConsultationScores, columns, int(kept.sum()))


def _method(how: str, no_limits: bool, n_items: int, n_cases: int) -> str:
    if n_items == 1:
        return "none: one question"
    if n_cases == 1:
        return "none: one case"
    return "none: every resample is equal" if no_limits else how
