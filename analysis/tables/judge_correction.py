"""`judge_correction`: each model's share of yes as humans would see it, from a judge's many labels.

The humans' word on a response is the majority of theirs; responses on which they tie are left out.
The judge is a rater of kind judge or scorer, or the benchmark's own verdict, which stands on every
response and is then what is corrected.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from analysis.schemas import JudgeCorrection
from analysis.stats.judge_correction import Share, judge_bias, prediction_powered, share_of_yes
from analysis.stats.rogan_gladen import rogan_gladen
from analysis.tables.data import BenchmarkData, Made, table_frame
from analysis.tables.rated import VERDICT, RatingMatrix, lay_out_ratings

WORTH_IT = 1.1
"""Judge labels are worth it where they make the human labels count as this many times their number."""

FEW = 10
"""With fewer human labels than this a correction is not given."""


@dataclass(frozen=True)
class _Labels:
    """A judge's and the humans' labels of one model's responses."""

    human: npt.NDArray[np.int64]
    judge: npt.NDArray[np.int64]
    judge_only: npt.NDArray[np.int64]
    clusters: npt.NDArray[np.int64] | None
    clusters_only: npt.NDArray[np.int64] | None


def derive(data: BenchmarkData) -> Made:
    """Make `judge_correction`."""
    method = (
        "Share of yes by humans: human labels alone (Wilson), judge labels alone, prediction-powered "
        "inference with tuned weight (Student, half an observation added to each pair of labels; takes the "
        "responses that humans labelled as a random sample), Rogan-Gladen with the interval of Lang and "
        "Reiczigel; over clusters where a model has several labels of one item or cluster"
    )
    return {"judge_correction": (correct_judges(data), method)}


def correct_judges(data: BenchmarkData) -> pl.DataFrame:
    """Estimate each model's share of yes from each judge's labels and the humans'.

    Parameters
    ----------
    data : BenchmarkData
        The validated tables, ratings included.

    Returns
    -------
    pl.DataFrame
        Rows of the `JudgeCorrection` schema: four methods for each judge and model with human labels;
        none where no human and no judge say yes or no.
    """
    matrix = lay_out_ratings(data)
    human = _majority(matrix)
    parts: list[pl.DataFrame] = [JudgeCorrection.create_empty()]
    frame = matrix.targets.with_columns(
        pl.Series("human", human), pl.Series("unit", matrix.clusters, dtype=pl.Int64)
    )
    for r, (name, kind) in enumerate(zip(matrix.raters, matrix.kinds, strict=True)):
        if kind == "human":
            continue
        judged = frame.with_columns(pl.Series("judge", matrix.positive[r]))
        if kind == VERDICT:
            judged = _every_verdict(judged, data)
        judged = judged.filter(pl.col("judge") >= 0, pl.col("model").is_not_null())
        for (model,), part in judged.sort("model", maintain_order=True).group_by(
            "model", maintain_order=True
        ):
            labels = _split(part, clustered=data.card.cluster is not None)
            if labels.human.size:
                parts.append(_rows(name, kind, str(model), labels, data.settings.level))
    return pl.concat(parts)


def _majority(matrix: RatingMatrix) -> npt.NDArray[np.int64]:
    """Return the humans' majority, shape (N,): 1 or 0, -1 where they tie or say nothing."""
    people = [r for r, kind in enumerate(matrix.kinds) if kind == "human"]
    yes = (matrix.positive[people] == 1).sum(axis=0)
    no = (matrix.positive[people] == 0).sum(axis=0)
    out: npt.NDArray[np.int64] = np.where(yes > no, 1, np.where(no > yes, 0, -1)).astype(np.int64)
    return out


def _every_verdict(rated: pl.DataFrame, data: BenchmarkData) -> pl.DataFrame:
    """Put the verdict beside every response, rated or not."""
    key = ["model", "item_id", "run"]
    people = rated.filter(pl.col("human") >= 0, pl.col("criterion_id").is_null()).select(*key, "human")
    verdicts = data.verdicts.filter(pl.col("correct").is_not_null())
    joined = verdicts.select(*key, pl.col("correct").cast(pl.Int64).alias("judge")).join(
        people, on=key, how="left", maintain_order="left"
    )
    unit = pl.col("item_id")
    if data.card.cluster is not None:
        clusters = data.items.select("item_id", pl.col(data.card.cluster).cast(pl.String).alias("cluster"))
        joined = joined.join(clusters, on="item_id", how="left", maintain_order="left")
        unit = pl.col("cluster")
    return joined.with_columns(
        pl.col("human").fill_null(-1), (unit.rank("dense").cast(pl.Int64) - 1).alias("unit")
    )


def _split(part: pl.DataFrame, *, clustered: bool) -> _Labels:
    clustered = clustered or part["unit"].n_unique() < part.height
    both, rest = part.filter(pl.col("human") >= 0), part.filter(pl.col("human") < 0)
    return _Labels(
        both["human"].to_numpy(),
        both["judge"].to_numpy(),
        rest["judge"].to_numpy(),
        both["unit"].to_numpy() if clustered else None,
        rest["unit"].to_numpy() if clustered else None,
    )


def _rows(judge: str, kind: str, model: str, labels: _Labels, level: float) -> pl.DataFrame:
    n, n_rest = labels.human.size, labels.judge_only.size
    everything = np.concatenate([labels.judge, labels.judge_only])
    units = None
    if labels.clusters is not None and labels.clusters_only is not None:
        units = np.concatenate([labels.clusters, labels.clusters_only])
    powered, alone = (
        prediction_powered(
            labels.human,
            labels.judge,
            labels.judge_only,
            level=level,
            judge_weight=weight,
            clusters=labels.clusters,
            clusters_only=labels.clusters_only,
        )
        for weight in (None, 0.0)
    )
    bias = judge_bias(labels.human, labels.judge, level=level, clusters=labels.clusters)
    shares = {
        "human_only": share_of_yes(labels.human, level=level, clusters=labels.clusters),
        "judge_only": share_of_yes(everything, level=level, clusters=units, by="judge"),
        "ppi": powered if n >= FEW else _without_limits(powered),
        "rogan_gladen": rogan_gladen(labels.human, labels.judge, labels.judge_only, level=level),
    }
    if labels.clusters is not None or n < FEW:
        shares["rogan_gladen"] = _without_limits(shares["rogan_gladen"])
    equivalent = n * (alone.std_error / powered.std_error) ** 2 if powered.std_error > 0 else float("nan")
    worth = bool(n >= FEW and n_rest and equivalent >= WORTH_IT * n)
    who = "recorded verdict" if kind == VERDICT else kind
    notes = {
        "human_only": "",
        "judge_only": _on_bias(bias, who),
        "ppi": _on_worth(n, n_rest, equivalent, worth, who),
        "rogan_gladen": _on_rogan_gladen(shares["rogan_gladen"], labels, who),
    }
    columns = {
        "judge": judge,
        "judge_kind": kind,
        "model": model,
        "method": list(shares),
        "n_human": n,
        "n_judge_only": n_rest,
        **{
            name: [getattr(share, name) for share in shares.values()]
            for name in ("estimate", "std_error", "ci_low", "ci_high")
        },
        "level": level,
        "judge_weight": [share.judge_weight for share in shares.values()],
        "bias": bias.estimate,
        "bias_low": bias.ci_low,
        "bias_high": bias.ci_high,
        "human_equivalent": [None, None, equivalent, None],
        "worth_it": [None, None, worth, None],
        "note": [notes[method] for method in shares],
    }
    return table_frame(JudgeCorrection, columns, len(shares))


def _without_limits(share: Share) -> Share:
    nan = float("nan")
    return Share(
        share.estimate,
        nan,
        nan,
        nan,
        share.level,
        share.method,
        share.n_human,
        share.n_judge,
        share.judge_weight,
    )


def _on_bias(bias: Share, who: str) -> str:
    size = f"{100 * bias.estimate:+.1f} points ({100 * bias.ci_low:+.1f} to {100 * bias.ci_high:+.1f})"
    if np.isnan(bias.ci_low):
        return f"Whether the {who} alone is biased cannot be said: too few human labels."
    if bias.ci_low > 0 or bias.ci_high < 0:
        return f"The {who} alone is biased: {size} against the humans."
    return f"No bias of the {who} is shown: {size} against the humans."


def _on_worth(n: int, n_rest: int, equivalent: float, worth: bool, who: str) -> str:
    labels = "human label" if n == 1 else "human labels"
    if n < FEW:
        return f"Only {n} {labels}: too few to correct the {who}."
    if n_rest == 0:
        return f"Humans labelled all that the {who} did: their labels stand alone."
    if worth:
        return f"Worth it: the {who} makes {n:,} {labels} count as {equivalent:,.0f}."
    return f"Not worth it: with the {who} {n:,} {labels} count as {equivalent:,.0f}."


def _on_rogan_gladen(share: Share, labels: _Labels, who: str) -> str:
    if not np.isnan(share.estimate):
        several = "; no interval: a model has several labels of one item or cluster"
        alike = f"Takes sensitivity and specificity of the {who} as the same on both parts"
        return f"{alike}{several if labels.clusters is not None else ''}."
    if labels.judge_only.size == 0:
        return f"Nothing that only the {who} has labelled."
    if labels.human.min() == labels.human.max():
        return "The humans say only yes or only no: sensitivity or specificity is unknown."
    return f"The {who} is no better than chance on the responses that humans labelled."
