"""Simulate the consultations, and write them as a raw folder that the pipeline reads like anyone's data."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from analysis.demo.medconsult.cases import Case, simulate_cases
from analysis.demo.medconsult.cast import CAST
from analysis.demo.medconsult.consult import Row, consult, stratified
from analysis.demo.medconsult.content import Condition, contents
from analysis.demo.medconsult.judging import Judgements, judge
from analysis.demo.medconsult.policy import Policy, mine_policy
from analysis.seeds import generator_for
from analysis.sessions.knowledge import OWN

SEED = 20_260_112
TEXTS = pl.List(pl.String)
NUMBERS = pl.List(pl.Float64)
TYPES = {
    "revealed": TEXTS,
    "top_k": TEXTS,
    "expert": TEXTS,
    "belief_before": NUMBERS,
    "belief_after": NUMBERS,
    "t_dx": pl.Int64,
    "indication": pl.String,
}


@dataclass(frozen=True)
class Simulation:
    """The simulated benchmark.

    Parameters
    ----------
    cases : tuple of Case
        The patients.
    policy : Policy
        What the simulated doctors do.
    tables : dict of str to pl.DataFrame
        Files of ``sessions/`` by stem.
    planted : pl.DataFrame
        What the simulation put into each session, counted on its own: one row per session.
    judgements : Judgements
        With the true values.
    """

    cases: tuple[Case, ...]
    policy: Policy
    tables: dict[str, pl.DataFrame]
    planted: pl.DataFrame
    judgements: Judgements


def simulate(seed: int = SEED) -> Simulation:
    """Simulate every system with every patient.

    Parameters
    ----------
    seed : int
        Seed; every session has a stream of its own.
    """
    policy = mine_policy(generator_for(seed, "doctors"))
    cases = simulate_cases(generator_for(seed, "patients"))
    sessions = []
    for style in CAST:
        chances = stratified(generator_for(seed, "decisions", style.model), len(cases))
        for case, chance in zip(cases, chances, strict=True):
            rng = generator_for(seed, "session", style.model, case.case_id)
            sessions.append(consult(rng, case, style, policy, chance))
    rows: dict[str, list[Row]] = {}
    for one in sessions:
        for table, part in one.rows.items():
            rows.setdefault(table, []).extend(part)
    tables = {name: _frame(part) for name, part in rows.items()}
    judgements = judge(generator_for(seed, "judges"), sessions)
    tables |= {"judgements": judgements.rows, "systems": _systems(), **_of_cases(cases, policy)}
    return Simulation(cases, policy, tables, pl.DataFrame([s.planted for s in sessions]), judgements)


def write_medconsult(folder: Path) -> None:
    """Write the simulation `medconsult` as a raw folder; the bytes are the same on every run.

    Parameters
    ----------
    folder : pathlib.Path
        Folder of the benchmark, such as ``results/raw/medconsult``. Created where it does not exist;
        files of the same names are replaced.
    """
    made = simulate()
    (folder / "sessions").mkdir(parents=True, exist_ok=True)
    for name, frame in made.tables.items():
        frame.write_parquet(folder / "sessions" / f"{name}.parquet", compression="zstd")
    shutil.copyfile(OWN, folder / "sessions" / "knowledge.yaml")
    _models().write_parquet(folder / "models.parquet", compression="zstd")
    # The workflow takes the card for the whole folder: it is written last.
    shutil.copyfile(Path(__file__).with_name("card.yaml"), folder / "benchmark.yaml")


def _frame(rows: list[Row]) -> pl.DataFrame:
    known: dict[str, Any] = {name: kind for name, kind in TYPES.items() if name in rows[0]}
    return pl.DataFrame(rows, schema_overrides=known, infer_schema_length=None)


def _models() -> pl.DataFrame:
    return pl.DataFrame({c: [getattr(s, c) for s in CAST] for c in ("model", "name", "family")})


def _systems() -> pl.DataFrame:
    columns = ("model", "role", "base_model", "thinking")
    return pl.DataFrame(
        {c: [getattr(s, c) for s in CAST] for c in columns},
        schema_overrides={"base_model": pl.String, "thinking": pl.Boolean},
    )


def _of_cases(cases: tuple[Case, ...], policy: Policy) -> dict[str, pl.DataFrame]:
    profiles, units, gold, pairs = [], [], [], []
    for case in cases:
        factors = [h.factor for h in (case.hard, case.soft) if h.factor]
        allergies = [h.allergy for h in (case.hard, case.soft) if h.allergy]
        first = case.gold[0].diagnosis
        profiles.append(
            {
                "case_id": case.case_id,
                "title": f"{'Woman' if case.sex == 'female' else 'Man'}, {case.age}, with {first}",
                "specialty": _specialty(first),
                "age": float(case.age),
                "sex": case.sex,
                "weight_kg": case.weight_kg,
                "egfr": case.egfr,
                "factors": factors,
                "allergies": allergies,
                "medications": [],
            }
        )
        for unit_id, unit in case.units.items():
            units.append(
                {
                    "case_id": case.case_id,
                    "aiu_id": unit_id,
                    "text": unit.text,
                    "category": unit.category,
                    "weight": unit.weight,
                    "red_flag": unit.red_flag,
                    "mni_of": list(case.mni_of[unit_id]),
                }
            )
        for g in case.gold:
            gold.append(
                {
                    "case_id": case.case_id,
                    "diagnosis": g.diagnosis,
                    "core": g.core,
                    "weight": _condition(g.diagnosis).weight,
                    "severity": _condition(g.diagnosis).severity,
                    "t_evidence": g.t_evidence,
                }
            )
        for (before, after), support in sorted(policy.precedence.items()):
            if before in case.needed and after in case.needed:
                pairs.append({"case_id": case.case_id, "before": before, "after": after, "support": support})
    lists = {"factors": TEXTS, "allergies": TEXTS, "medications": TEXTS}
    return {
        "cases": pl.DataFrame(profiles, schema_overrides=lists),
        "aius": pl.DataFrame(units, schema_overrides={"mni_of": TEXTS}),
        "gold": pl.DataFrame(gold),
        "precedence": pl.DataFrame(pairs),
    }


def _specialty(diagnosis: str) -> str:
    return _condition(diagnosis).specialty


def _condition(diagnosis: str) -> Condition:
    return contents().conditions[diagnosis]
