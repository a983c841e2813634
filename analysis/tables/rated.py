"""`RatingMatrix`: the dense raters x responses view that every table about raters starts from.

What is rated is a response (model, item, run) on a criterion, or an item where the ratings name no
model. The benchmark's own verdict joins the raters as one more, so that a judge can be compared
with what was recorded.

Yes and no
----------
A label counts as yes where the card calls it a success, and as no where it is any other verdict the
benchmark knows. A criterion whose labels are all of `YES` and `NO` is read as such. A number between
0 and 1 counts as yes at 1, as `score` does. Anything else is neither.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from analysis.cells import effective_verdict
from analysis.schemas import Ratings
from analysis.seeds import generator_for
from analysis.stats.resampled_units import ResampledUnits
from analysis.tables.data import BenchmarkData

TARGET = ["model", "item_id", "run", "criterion_id"]
YES = frozenset({"yes", "true", "1", "pass", "passed", "met", "positive", "correct"})
NO = frozenset({"no", "false", "0", "fail", "failed", "unmet", "not met", "negative", "incorrect"})
DERIVED_VERDICTS = ("correct", "partial", "incorrect")

MAX_CRITERIA = 50
"""Single criteria get rows of their own up to this many."""

MAX_CATEGORIES = 20
"""Numbers with more distinct values than this are no categories: they have no kappa."""

VERDICT = "verdict"
"""Name and kind of the benchmark's own verdict among the raters."""

AUTHORITY = {"human": 3, VERDICT: 2, "scorer": 1, "judge": 0}
"""Of two raters of different kinds the one with more authority is the reference."""


Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class RatingScale:
    """An order of categories: the card's verdicts, or one of its rating scales.

    Parameters
    ----------
    codes : ndarray of int, shape (S,)
        The categories of the matrix that are on the scale, lowest first.
    places : ndarray of float, shape (S,)
        Their places on it; those between belong to words that nobody used.
    """

    codes: npt.NDArray[np.int64]
    places: npt.NDArray[np.float64]


@dataclass(frozen=True)
class RatingMatrix:
    """Ratings of R raters on N targets.

    Parameters
    ----------
    raters, kinds : tuple of str
        R raters in code-point order, the recorded verdict last where it can be compared.
    targets : pl.DataFrame
        N rows of `model`, `item_id`, `run`, `criterion_id`, `polarity`.
    labels : tuple of str
        K categories of text in code-point order.
    scales : tuple of RatingScale
        The orders that hold any of them: the card's verdicts, then its rating scales.
    label : ndarray of int, shape (R, N)
        Category; -1 where there is none.
    value : ndarray of float, shape (R, N)
        Number; NaN where there is none.
    positive : ndarray of int, shape (R, N)
        1 for yes, 0 for no, -1 for neither.
    flagged : ndarray of bool, shape (R, N)
        The rating is flagged.
    clusters : ndarray of int, shape (N,)
        Resampled unit: the item, or its cluster where the card declares it.
    """

    raters: tuple[str, ...]
    kinds: tuple[str, ...]
    targets: pl.DataFrame
    labels: tuple[str, ...]
    scales: tuple[RatingScale, ...]
    label: npt.NDArray[np.int64]
    value: npt.NDArray[np.float64]
    positive: npt.NDArray[np.int64]
    flagged: npt.NDArray[np.bool_]
    clusters: npt.NDArray[np.int64]

    @property
    def has_rating(self) -> npt.NDArray[np.bool_]:
        """True where rater and target have a rating, shape (R, N)."""
        return (self.label >= 0) | ~np.isnan(self.value) | (self.positive >= 0)

    def resampled_units(self, data: BenchmarkData) -> ResampledUnits:
        """Return the joint resamples of the items (or clusters) for everything about raters."""
        return ResampledUnits.create(
            self.targets.height,
            rng=generator_for(data.settings.seed, "resample", "ratings"),
            n_resamples=data.settings.resamples,
            clusters=self.clusters,
        )


def lay_out_ratings(data: BenchmarkData) -> RatingMatrix:
    """Lay ratings out, with the recorded verdict where the rated response has exactly one.

    Parameters
    ----------
    data : BenchmarkData
        The validated tables, ratings included.

    Returns
    -------
    RatingMatrix
        A rating without a run is of the response's only run where the verdicts have one; where they
        have several it cannot be told which was rated, and no verdict is put beside it.
    """
    ratings = Ratings.create_empty() if data.ratings is None else data.ratings
    rows = _raters(_with_runs(ratings, data))
    targets = rows.group_by(TARGET).agg(pl.col("polarity").drop_nulls().sort().first())
    targets = targets.sort(TARGET, nulls_last=False).with_row_index("at")
    names = rows.select("rater", "rater_kind").unique().sort("rater", "rater_kind")
    labels, scales = _scales(rows["label"], data)
    rows = rows.join(
        _positive(rows, data), on=["criterion_id", "label", "value"], how="left", nulls_equal=True
    )
    at = rows.join(
        targets.select("at", *TARGET), on=TARGET, how="left", nulls_equal=True, maintain_order="left"
    )
    row, column = _index(at["rater"], names["rater"].to_list()), at["at"].to_numpy().astype(np.int64)
    shape = (names.height, targets.height)
    label, positive = np.full(shape, -1, dtype=np.int64), np.full(shape, -1, dtype=np.int64)
    value, flagged = np.full(shape, np.nan), np.zeros(shape, dtype=bool)
    label[row, column] = _index(at["label"], list(labels))
    value[row, column] = at["value"].cast(pl.Float64).to_numpy()
    positive[row, column] = at["positive"].fill_null(-1).to_numpy()
    flagged[row, column] = at["flagged"].fill_null(False).to_numpy()
    matrix = RatingMatrix(
        tuple(names["rater"]),
        tuple(names["rater_kind"]),
        targets.drop("at"),
        labels,
        scales,
        label,
        value,
        positive,
        flagged,
        _clusters(targets, data),
    )
    return _with_verdict(matrix, data)


def _with_runs(ratings: pl.DataFrame, data: BenchmarkData) -> pl.DataFrame:
    single = data.verdicts.group_by("model", "item_id").agg(
        pl.col("run").first().alias("only_run"), pl.len().alias("n")
    )
    single = single.filter(pl.col("n") == 1).drop("n")
    joined = ratings.join(single, on=["model", "item_id"], how="left", maintain_order="left")
    return joined.with_columns(pl.coalesce("run", "only_run").alias("run")).drop("only_run")


def _raters(rows: pl.DataFrame) -> pl.DataFrame:
    """Tell raters of one name and several kinds apart; keep a name free for the verdict."""
    kinds = rows.group_by("rater").agg(pl.col("rater_kind").n_unique().alias("n_kinds"))
    named = pl.format("{} ({})", "rater", "rater_kind")
    apart = (pl.col("n_kinds") > 1) | (pl.col("rater") == VERDICT)
    joined = rows.join(kinds, on="rater", how="left", maintain_order="left")
    return joined.with_columns(pl.when(apart).then(named).otherwise("rater").alias("rater")).drop("n_kinds")


def _scales(labels: pl.Series, data: BenchmarkData) -> tuple[tuple[str, ...], tuple[RatingScale, ...]]:
    """Return the labels, and every scale of the card that holds any of them."""
    names = sorted(labels.drop_nulls().unique())
    scales = []
    for order in (data.card.verdicts.order or (), *data.card.rating_scales.values()):
        places = [i for i, name in enumerate(order) if name in names]
        if places:
            codes = np.array([names.index(order[i]) for i in places], dtype=np.int64)
            scales.append(RatingScale(codes, np.array(places, dtype=np.float64)))
    return tuple(names), tuple(scales)


def ordered_codes(
    label: npt.NDArray[np.int64], matrix: RatingMatrix
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64] | None, int]:
    """Return codes, places and number of the categories in which these ratings can be compared.

    Criteria may use words of their own. Ratings that keep to the words of one scale have places, and
    only those words are their categories; others have none.

    Parameters
    ----------
    label : ndarray of int
        Categories of the matrix, -1 where there is none.
    matrix : RatingMatrix
        Gives the categories and their scales.

    Returns
    -------
    codes : ndarray of int
        Categories, lowest first where they have places; -1 where there is none.
    positions : ndarray of float or None
        Their places; None where they have no order.
    n_levels : int
        Their number.
    """
    used = np.unique(label[label >= 0])
    for scale in matrix.scales:
        if np.isin(used, scale.codes).all():
            code = np.full(len(matrix.labels), -1, dtype=np.int64)
            code[scale.codes] = np.arange(scale.codes.size)
            return np.where(label >= 0, code[label], -1), scale.places, scale.codes.size
    return label, None, len(matrix.labels)


def _positive(rows: pl.DataFrame, data: BenchmarkData) -> pl.DataFrame:
    """Return `criterion_id`, `label`, `value`, `positive` of every distinct rating."""
    verdicts = data.card.verdicts
    known = set(verdicts.order or (*data.verdicts["verdict"].drop_nulls().unique(), *DERIVED_VERDICTS))
    known -= set(verdicts.exclude)
    out = []
    for key, part in rows.group_by("criterion_id", maintain_order=True):
        seen = part.select("label", "value").unique(maintain_order=True)
        words = {str(label).strip().casefold() for label in seen["label"].drop_nulls()}
        of_verdicts = any(label in known for label in seen["label"].drop_nulls())
        yes_no = not of_verdicts and words <= YES | NO
        numbers = part.filter(pl.col("label").is_null())["value"].drop_nulls()
        unit = bool(numbers.len()) and bool(numbers.is_between(0, 1).all())
        for label, value in seen.iter_rows():
            positive = None
            if label is not None and of_verdicts and label in known:
                positive = int(label in verdicts.succeeding)
            elif label is not None and yes_no:
                positive = int(label.strip().casefold() in YES)
            elif label is None and value is not None and unit:
                positive = int(value >= 1 - 1e-12)
            out.append((key[0], label, value, positive))
    schema = {"criterion_id": pl.String, "label": pl.String, "value": pl.Float64, "positive": pl.Int64}
    return pl.DataFrame(out, schema=schema, orient="row")


def _index(values: pl.Series, among: list[str]) -> npt.NDArray[np.int64]:
    """Return each value's place among the names, -1 where it is not there."""
    if not among:
        return np.full(values.len(), -1, dtype=np.int64)
    places = values.replace_strict(
        {name: i for i, name in enumerate(among)}, default=-1, return_dtype=pl.Int64
    )
    return places.fill_null(-1).to_numpy()


def _clusters(targets: pl.DataFrame, data: BenchmarkData) -> npt.NDArray[np.int64]:
    unit = pl.col("item_id")
    joined = targets.select("item_id")
    if data.card.cluster is not None:
        of_item = data.items.select("item_id", pl.col(data.card.cluster).cast(pl.String).alias("cluster"))
        joined = joined.join(of_item, on="item_id", how="left", maintain_order="left")
        # An item that the benchmark does not know is its own unit.
        unit = pl.coalesce(pl.format("c:{}", "cluster"), pl.format("i:{}", "item_id"))
    names = joined.select(unit.alias("unit"))["unit"]
    return names.rank("dense").to_numpy().astype(np.int64) - 1


def _with_verdict(matrix: RatingMatrix, data: BenchmarkData) -> RatingMatrix:
    """Add the recorded verdict as a rater, where any rated response has one."""
    scored = data.verdicts.filter(pl.col("correct").is_not_null()).select(
        "model", "item_id", "run", "score", "correct", effective_verdict().alias("verdict")
    )
    # A verdict is of the whole response: it says nothing of a single criterion.
    whole = pl.col("criterion_id").is_null()
    joined = matrix.targets.join(scored, on=["model", "item_id", "run"], how="left", maintain_order="left")
    joined = joined.with_columns(
        pl.when(whole).then(name).alias(name) for name in ("score", "correct", "verdict")
    )
    if not joined["correct"].count():
        return matrix
    known = set(joined["verdict"].drop_nulls()) | set(data.card.verdicts.order or DERIVED_VERDICTS)
    # Labels of another vocabulary (yes, no) are compared with success alone.
    same_words = bool(matrix.labels) and set(matrix.labels) <= known
    labels, scales = matrix.labels, matrix.scales
    label = matrix.label
    own = np.full(joined.height, -1, dtype=np.int64)
    if same_words:
        words = pl.concat([pl.Series(matrix.labels, dtype=pl.String), joined["verdict"].drop_nulls()])
        labels, scales = _scales(words, data)
        moved = _index(pl.Series(matrix.labels, dtype=pl.String), list(labels))
        label = np.where(label >= 0, moved[label], -1)
        own = _index(joined["verdict"], list(labels))
    numbers = matrix.value[~np.isnan(matrix.value)]
    unit = bool(numbers.size) and bool(np.all((numbers >= 0) & (numbers <= 1)))
    score = joined["score"].cast(pl.Float64).to_numpy() if unit else np.full(joined.height, np.nan)
    success = joined["correct"].cast(pl.Int64).fill_null(-1).to_numpy()
    return RatingMatrix(
        (*matrix.raters, VERDICT),
        (*matrix.kinds, VERDICT),
        matrix.targets,
        labels,
        scales,
        np.vstack([label, own]),
        np.vstack([matrix.value, score]),
        np.vstack([matrix.positive, success]),
        np.vstack([matrix.flagged, np.zeros(joined.height, dtype=bool)]),
        matrix.clusters,
    )


def criterion_groups(matrix: RatingMatrix) -> list[tuple[str, Mask]]:
    """Return the groups of ratings that get rows of their own: names, and masks of shape (R, N).

    `all`; `unflagged` where some ratings are flagged; `polarity:<name>` where there are several
    polarities; `criterion:<id>` where there are several criteria, up to `MAX_CRITERIA`.
    """
    every = np.ones(matrix.label.shape, dtype=bool)
    groups = [("all", every)]
    if matrix.flagged.any():
        groups.append(("unflagged", ~matrix.flagged))
    for column, prefix, limit in (("polarity", "polarity", 10), ("criterion_id", "criterion", MAX_CRITERIA)):
        names = matrix.targets[column].drop_nulls().unique().sort()
        distinct = names.len() + bool(matrix.targets[column].null_count())
        if distinct > 1 and names.len() <= limit:
            for name in names:
                mask = (matrix.targets[column] == name).fill_null(False).to_numpy()
                groups.append((f"{prefix}:{name}", every & mask))
    return groups
