"""The demonstration `demo`: a seeded simulation of 2,000 items and 9 models with latent traits.

A response's latent margin is the model's ability, less the item's difficulty, plus what the patient,
the kind of weights, the family, the response and the run contribute, all normal. A margin above 0 is
correct, one a little below is partial. A share of the items of each question type lies in a blind
spot that every model has: that makes the block of items which no model solves larger than
independent models would leave. The true parameters stand in `analysis.demo.cast`.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from analysis.demo.behaviour import Behaviour, behave
from analysis.demo.cast import MODELS, QUESTION_TYPES, SPECIALTIES, TRACKS
from analysis.demo.ratings import simulate_ratings

SEED = 20_260_601
RUNS = max(track.runs for track in TRACKS)

BLIND_PENALTY = 2.2
PARTIAL_WIDTH = 1.4
SD_ITEM, SD_PATIENT, SD_WEIGHTS, SD_FAMILY, SD_RESPONSE, SD_RUN = 0.85, 0.35, 0.30, 0.22, 0.38, 0.30
LATER_TURN = 0.06
"""What each further turn of a patient adds to the difficulty."""

INCORRECT, PARTIAL, CORRECT = 0, 1, 2
TEXTS = pl.List(pl.String)
VERDICTS = np.array(["incorrect", "partial", "correct"])


@dataclass(frozen=True)
class SimulatedItems:
    """The items: the table as written, and what the simulation knows beyond it.

    Parameters
    ----------
    table : polars.DataFrame
        As in `items.parquet`, N rows.
    difficulty : ndarray of float, shape (N,)
        True difficulty on the probit scale, without the blind spot.
    blind : ndarray of bool, shape (N,)
        Whether the item lies in the shared blind spot.
    patient : ndarray of int, shape (N,)
        Index of the item's patient.
    runs : ndarray of int, shape (N,)
        How often the item was asked.
    """

    table: pl.DataFrame
    difficulty: NDArray[np.float64]
    blind: NDArray[np.bool_]
    patient: NDArray[np.int64]
    runs: NDArray[np.int64]


def simulate_items(rng: np.random.Generator) -> SimulatedItems:
    """Draw the items with their tracks, types, patients and true difficulties."""
    types = {q.name: q for q in QUESTION_TYPES}
    rows: list[dict[str, object]] = []
    patients: list[int] = []
    n_patients = 0
    for track in TRACKS:
        names = list(track.mix)
        drawn = rng.choice(names, size=track.n_items, p=[track.mix[n] for n in names])
        turn = left = 0
        specialty = ""
        for number, name in enumerate(drawn.tolist(), start=1):
            if not left:
                left = int(rng.integers(track.turns[0], track.turns[1] + 1))
                turn, n_patients = 0, n_patients + 1
                specialty = str(rng.choice(SPECIALTIES))
            turn, left = turn + 1, left - 1
            component = None
            if track.name == "case":
                component = "workup" if name in {"missing_information", "pathway_choice"} else "treatment"
            rows.append(
                {
                    "item_id": f"{track.name}-{number:04d}",
                    "track": track.name,
                    "question_type": name,
                    "cluster_id": f"patient-{n_patients:04d}",
                    "position": turn,
                    "component": component,
                    "specialty": specialty,
                }
            )
            patients.append(n_patients - 1)
    table = pl.DataFrame(rows, schema_overrides={"component": pl.String})
    kinds = [types[name] for name in table["question_type"]]
    position = table["position"].to_numpy()
    difficulty = (
        np.array([q.difficulty for q in kinds])
        + LATER_TURN * (position - 1)
        + SD_ITEM * rng.standard_normal(len(kinds))
    )
    runs = {track.name: track.runs for track in TRACKS}
    return SimulatedItems(
        table=table,
        difficulty=difficulty,
        blind=rng.random(len(kinds)) < np.array([q.blind for q in kinds]),
        patient=np.array(patients),
        runs=np.array([runs[name] for name in table["track"]]),
    )


def latent_margins(items: SimulatedItems, rng: np.random.Generator) -> NDArray[np.float64]:
    """Draw the latent margin of every response.

    Parameters
    ----------
    items : SimulatedItems
        The N items.
    rng : numpy.random.Generator
        Source of randomness.

    Returns
    -------
    ndarray of float, shape (M, N, R)
        Margin of model, item and run; above 0 is correct.
    """
    n = items.table.height
    track, kind = items.table["track"].to_list(), items.table["question_type"].to_list()
    patient = SD_PATIENT * rng.standard_normal(int(items.patient.max()) + 1)[items.patient]
    by_weights = {w: SD_WEIGHTS * rng.standard_normal(n) for w in ("closed", "open")}
    by_family = {
        f: SD_FAMILY * rng.standard_normal(n) for f in dict.fromkeys(model.family for model in MODELS)
    }
    margins = np.empty((len(MODELS), n, RUNS))
    for m, model in enumerate(MODELS):
        added = np.array(
            [model.by_track.get(t, 0.0) + model.by_type.get(q, 0.0) for t, q in zip(track, kind, strict=True)]
        )
        mean = model.ability + added - model.shared * items.difficulty + patient
        own = by_weights[model.weights] + by_family[model.family] + SD_RESPONSE * rng.standard_normal(n)
        margins[m] = (mean + own - BLIND_PENALTY * items.blind)[:, None]
        margins[m] += SD_RUN * rng.standard_normal((n, RUNS))
    return margins


def graded(margins: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Turn margins into verdicts (0 incorrect, 1 partial, 2 correct) and scores in [0, 1].

    Examples
    --------
    >>> verdict, score = graded(np.array([-9.0, -0.7, 0.0, 9.0]))
    >>> verdict.tolist(), score.tolist()
    ([0, 1, 1, 2], [0.0, 0.47, 0.74, 1.0])
    """
    verdict = np.where(margins > 0, CORRECT, np.where(margins > -PARTIAL_WIDTH, PARTIAL, INCORRECT))
    above = 0.75 + 0.25 * (1 - np.exp(-np.clip(margins, 0, None)))
    within = 0.20 + 0.54 * (1 + np.clip(margins, -PARTIAL_WIDTH, 0) / PARTIAL_WIDTH)
    below = 0.19 * np.exp(np.clip(margins + PARTIAL_WIDTH, None, 0))
    score = np.select([verdict == CORRECT, verdict == PARTIAL], [above, within], below)
    return verdict, np.round(score, 2)


def simulate_responses(
    items: SimulatedItems, margins: NDArray[np.float64], rng: np.random.Generator
) -> dict[str, pl.DataFrame]:
    """Turn margins into each model's rows of verdicts.

    Faults, rows never scored and missing rows concern whole cells, so all models keep the same
    number of scored runs on every item that they answered.
    """
    table = items.table
    n = table.height
    reading = np.round(1350 * np.exp(0.35 * rng.standard_normal(n)))
    withheld = rng.random(n) < 0.3
    decision_of = {q.name: q.decision for q in QUESTION_TYPES}
    reference = np.array([decision_of[name] for name in table["question_type"]], dtype=object)
    # A third of the dosing questions lack the value that the dose depends on: the reference asks for it.
    dosing = (table["question_type"] == "dose_adjustment").to_numpy()
    reference[dosing & withheld] = "request_information"
    case = np.flatnonzero((table["track"] == "case").to_numpy())

    frames: dict[str, pl.DataFrame] = {}
    item = np.repeat(np.arange(n), items.runs)
    run = np.concatenate([np.arange(r) for r in items.runs])
    for m, model in enumerate(MODELS):
        verdict, score = graded(margins[m][item, run])
        technical = (rng.random(n) < model.technical)[item]
        pending = np.isin(item, rng.choice(n, size=model.unscored, replace=False)) & ~technical
        absent = np.isin(item, rng.choice(case, size=model.missing, replace=False))
        told: Behaviour = behave(
            model,
            verdict,
            reference[item],
            technical=technical,
            pending=pending,
            dosing=dosing[item],
            rng=rng,
        )
        output = np.round(model.tokens * np.exp(0.4 * rng.standard_normal(len(item)))).astype(np.int64)
        output[told.truncated] = 4096
        read = np.round(reading[item] * (0.94 + 0.02 * m)).astype(np.int64)
        latency = 0.6 + output / model.speed * np.exp(0.25 * rng.standard_normal(len(item)))
        columns: dict[str, object] = {
            "model": [model.model] * len(item),
            "item_id": table["item_id"].gather(item),
            "run": run.astype(np.int32),
            "verdict": np.where(technical, "technical_failure", VERDICTS[verdict]).tolist(),
            "score": score,
            "labels": told.labels,
            "decision": told.decision,
            "flags": told.flags,
        }
        if model.cost == "per_response":
            usd = (read * model.input_price_usd + output * model.output_price_usd) / 1e6
            columns["cost_usd"] = np.round(usd, 6)
        columns |= {"input_tokens": read, "output_tokens": output, "latency_s": np.round(latency, 2)}
        lists = {"labels": TEXTS, "flags": TEXTS, "decision": pl.String()}
        frame = pl.DataFrame(columns, schema_overrides=lists)
        known = pl.Series(~(technical | pending))
        frame = frame.with_columns(
            verdict=pl.when(pl.Series(~pending)).then("verdict"),
            score=pl.when(known).then("score"),
        )
        frames[model.model] = frame.filter(pl.Series(~absent))
    return frames


def models_table(frames: dict[str, pl.DataFrame]) -> pl.DataFrame:
    """Return the models table; each model shows only the kind of cost that it is known by."""
    rows = []
    for model in MODELS:
        frame = frames[model.model]
        read, written = (int(frame[c].to_numpy().sum()) for c in ("input_tokens", "output_tokens"))
        used = read * model.input_price_usd + written * model.output_price_usd
        priced = model.cost == "tokens"
        rows.append(
            {
                "model": model.model,
                "name": model.name,
                "family": model.family,
                "vendor": model.vendor,
                "weights": model.weights,
                "released": model.released,
                "input_price_usd": model.input_price_usd if priced else None,
                "output_price_usd": model.output_price_usd if priced else None,
                "total_cost_usd": round(used / 1e6, 2) if model.cost == "invoice" else None,
            }
        )
    return pl.DataFrame(rows)


def write_demo(folder: Path) -> None:
    """Write the simulated benchmark `demo` as a raw folder; the bytes are the same on every run.

    Parameters
    ----------
    folder : pathlib.Path
        Folder of the benchmark, such as `results/raw/demo`. Created where it does not exist; files of the
        same names are replaced.
    """
    # One stream per step: a change to the ratings leaves the verdicts as they were.
    streams = [np.random.default_rng([SEED, step]) for step in range(4)]
    items = simulate_items(streams[0])
    frames = simulate_responses(items, latent_margins(items, streams[1]), streams[2])
    ratings = simulate_ratings(pl.concat(frames.values(), how="diagonal"), streams[3])

    (folder / "verdicts").mkdir(parents=True, exist_ok=True)
    for name, frame in frames.items():
        _write_parquet(frame, folder / "verdicts" / f"{name}.parquet")
    _write_parquet(items.table, folder / "items.parquet")
    _write_parquet(ratings, folder / "ratings.parquet")
    models_table(frames).write_csv(folder / "models.csv")
    shutil.copyfile(Path(__file__).with_name("demo.yaml"), folder / "benchmark.yaml")


def _write_parquet(frame: pl.DataFrame, path: Path) -> None:
    frame.write_parquet(path, compression="zstd", compression_level=9, row_group_size=10_000)
