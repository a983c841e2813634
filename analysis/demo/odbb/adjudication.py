"""The two waves of clinician review (sections 2.5 and 3.9) as rows of `ratings.parquet`.

First wave: two oncologists judge the scorer's verdict on 125 responses each, 25 of them shared. The
agreement counts follow from the printed percentages: 41 of 43, 73 of 75 and 5 of 5 for doctor A, 34 of
40, 71 of 78 and 4 of 4 for doctor B; so does the direction of the disagreements, from the printed
kappas. Second wave: two other oncologists judge 80 gold answers of zero-correct items.
"""

from __future__ import annotations

import polars as pl

from analysis.demo.odbb.choices import SEED
from analysis.demo.odbb.items import OTHER_WORKSPACES
from analysis.demo.odbb.published import QUESTION_TYPES
from analysis.seeds import generator_for
from analysis.tables.sampling import Stratum, draw_sample

NAME = {q.code: q.name for q in QUESTION_TYPES}

BY_TYPE = {"SPD": 3, "ERR": 5, "URD": 9, "IGHR": 11, "MIR": 30, "POD": 77}
"""The NCCN question-type stratum of 135 items, scarce types first."""

SHARED_BY_TYPE = {"SPD": 1, "ERR": 1, "URD": 2, "IGHR": 2, "MIR": 6, "POD": 13}
"""The 25 items that both oncologists review."""

VERDICTS = {"correct": 74, "partial": 142, "incorrect": 9}
"""Scorer's verdicts in the sample, shared items counted once: they give the printed counts."""

SHARED_VERDICTS = {"correct": 9, "partial": 16}

DOCTORS = ("doctor_a", "doctor_b")
OWN = ({"correct": 34, "partial": 61, "incorrect": 5}, {"correct": 31, "partial": 65, "incorrect": 4})
"""What each doctor reviews alone, by the scorer's verdict; the unsure ones are partial (ours)."""

UNSURE = (2, 3)
DISAGREE = ({"correct": 2, "partial": 2}, {"correct": 6, "partial": 4})
"""Disagreements on the items reviewed alone; doctor B has three more on shared items."""

SHARED_DISAGREEMENTS = 3
INSTEAD = {"correct": "partial", "partial": "correct"}

AUDITORS = ("auditor_c", "auditor_d")
AUDIT = {"ERR": 3, "CRC": 3, "IGHR": 20, "URD": 15, "MIR": 15, "POD": 15}
"""The audit sample beside all nine universal failures (section 2.5)."""

ARGUABLE = (6, 8)
"""Gold answers that each auditor calls arguable, the same ones first (ours: the paper gives no count)."""


def rate(verdicts: pl.DataFrame, items: pl.DataFrame) -> pl.DataFrame:
    """Return the ratings of both waves, with the stratum that each item was drawn in.

    Parameters
    ----------
    verdicts : pl.DataFrame
        `model`, `item_id`, `verdict`.
    items : pl.DataFrame
        The items table.
    """
    return pl.concat([_first_wave(verdicts, items), _second_wave(verdicts, items)]).sort(
        "criterion_id", "rater", "item_id"
    )


def adjudication_sample(verdicts: pl.DataFrame, items: pl.DataFrame) -> pl.DataFrame:
    """Draw the 225 responses: 135 by question type, 60 by workspace, 30 CRC cases, 25 of every model."""
    rng = generator_for(SEED, "odbb", "adjudication")
    pool = verdicts.join(items, on="item_id").filter(pl.col("verdict") != "technical_failure")
    pool = pool.sort("model", "item_id")
    twice = OTHER_WORKSPACES[int(rng.integers(len(OTHER_WORKSPACES)))]
    strata = [Stratum("question_type", n, {"question_type": [NAME[c]]}) for c, n in BY_TYPE.items()]
    strata += [
        Stratum("workspace", 2 if name == twice else 1, {"cluster_id": [name]}) for name in OTHER_WORKSPACES
    ]
    strata.append(Stratum("crc", 30, {"track": ["CRC"]}))
    return draw_sample(pool, strata, rng=rng, quotas={"verdict": VERDICTS})


def _first_wave(verdicts: pl.DataFrame, items: pl.DataFrame) -> pl.DataFrame:
    rng = generator_for(SEED, "odbb", "reviewers")
    sample = adjudication_sample(verdicts, items)
    by_type = sample.filter(pl.col("stratum") == "question_type").drop("stratum")
    strata = [Stratum("shared", n, {"question_type": [NAME[c]]}) for c, n in SHARED_BY_TYPE.items()]
    shared = draw_sample(by_type, strata, rng=rng, balance=None, quotas={"verdict": SHARED_VERDICTS})
    alone = sample.filter(~pl.col("item_id").is_in(shared["item_id"].implode()))
    columns = ["model", "item_id", "verdict"]
    stratum = sample.with_columns(
        pl.when(pl.col("item_id").is_in(shared["item_id"].implode()))
        .then(pl.lit("question_type, shared"))
        .otherwise("stratum")
        .alias("stratum")
    ).select("item_id", "stratum")
    rows = [_ratings(sample.select(columns), "verdict", "scorer", "scorer", sample["verdict"])]
    lenient = shared.filter(pl.col("verdict") == "partial")["item_id"].head(SHARED_DISAGREEMENTS)
    for doctor, name in enumerate(DOCTORS):
        own = draw_sample(
            alone, [Stratum("own", sum(OWN[doctor].values()))], rng=rng, quotas={"verdict": OWN[doctor]}
        )
        alone = alone.filter(~pl.col("item_id").is_in(own["item_id"].implode()))
        judged = _judge(own, doctor)
        both = shared.with_columns(
            pl.when(pl.col("item_id").is_in(lenient.implode()) & pl.lit(doctor == 1))
            .then(pl.lit("disagree_should_be_correct"))
            .otherwise(pl.format("agree_{}", "verdict"))
            .alias("label")
        )
        all_judged = pl.concat([judged.select(*columns, "label"), both.select(*columns, "label")])
        rows.append(_ratings(all_judged, "adjudication", name, "human", all_judged["label"]))
        # The verdict that an adjudication implies; an unsure one implies none.
        evaluable = all_judged.filter(pl.col("label") != "unsure")
        implied = evaluable["label"].str.replace("^(agree|disagree_should_be)_", "")
        rows.append(_ratings(evaluable, "verdict", name, "human", implied))
    return pl.concat(rows).join(stratum, on="item_id", how="left", maintain_order="left")


def _judge(own: pl.DataFrame, doctor: int) -> pl.DataFrame:
    """Give the responses that a doctor reviews alone their adjudication, in the order of the draw."""
    labels = []
    seen = {"correct": 0, "partial": 0, "incorrect": 0}
    for verdict in own["verdict"]:
        n = seen[verdict]
        seen[verdict] += 1
        n_disagree = DISAGREE[doctor].get(verdict, 0)
        n_unsure = UNSURE[doctor] if verdict == "partial" else 0
        if n < n_disagree:
            labels.append(f"disagree_should_be_{INSTEAD[verdict]}")
        elif n < n_disagree + n_unsure:
            labels.append("unsure")
        else:
            labels.append(f"agree_{verdict}")
    return own.with_columns(pl.Series("label", labels))


def _second_wave(verdicts: pl.DataFrame, items: pl.DataFrame) -> pl.DataFrame:
    rng = generator_for(SEED, "odbb", "gold audit")
    per_item = verdicts.group_by("item_id").agg(
        (pl.col("verdict") == "correct").sum().alias("k"),
        (pl.col("verdict") == "incorrect").all().alias("all_incorrect"),
    )
    unsolved = items.join(per_item, on="item_id").filter(pl.col("k") == 0).sort("item_id")
    universal = unsolved.filter(pl.col("all_incorrect") & (pl.col("track") == "NCCN"))
    pool = unsolved.filter(~pl.col("item_id").is_in(universal["item_id"].implode()))
    strata = [Stratum(c, n, {"question_type": [NAME[c]]}) for c, n in AUDIT.items()]
    drawn = draw_sample(pool, strata, rng=rng, balance=None)
    first = {c: drawn.filter(pl.col("stratum") == c)["item_id"].to_list() for c in AUDIT}
    sample = pl.concat([universal.select("item_id"), drawn.select("item_id")])

    # Both call two gold answers wrong and one of them a third; four are not traceable for both. The CRC
    # items come off worse, as section 2.2 says; which others do is ours.
    wrong = ({first["CRC"][0], first["POD"][0]}, {first["CRC"][0], first["POD"][0], first["MIR"][0]})
    untraceable = set(first["CRC"][:2]) | set(first["IGHR"][:2])
    rows = []
    ids = sample["item_id"].to_list()
    doubted = rng.choice([i for i in ids if i not in wrong[1]], max(ARGUABLE), replace=False).tolist()
    for auditor, name in enumerate(AUDITORS):
        arguable = doubted[: ARGUABLE[auditor]]
        labels = ["wrong" if i in wrong[auditor] else "arguable" if i in arguable else "correct" for i in ids]
        traces = ["not_traceable" if i in untraceable else "traceable" for i in ids]
        answers = sample.with_columns(pl.lit(None, dtype=pl.String).alias("model"))
        rows.append(_ratings(answers, "gold_correctness", name, "human", pl.Series(labels)))
        rows.append(_ratings(answers, "gold_traceability", name, "human", pl.Series(traces)))
    stratum = pl.concat(
        [
            universal.select("item_id", pl.lit("universal_failure").alias("stratum")),
            drawn.select("item_id", pl.col("question_type").alias("stratum")),
        ]
    )
    return pl.concat(rows).join(stratum, on="item_id", how="left", maintain_order="left")


def _ratings(rated: pl.DataFrame, criterion: str, rater: str, kind: str, label: pl.Series) -> pl.DataFrame:
    return rated.select(
        "model",
        "item_id",
        pl.lit(criterion).alias("criterion_id"),
        pl.lit(rater).alias("rater"),
        pl.lit(kind).alias("rater_kind"),
        label.alias("label"),
    )
