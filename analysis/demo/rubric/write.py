"""Write the simulation as a raw folder: keys, locked before the first rating, and scoring sheets."""

from __future__ import annotations

import shutil
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import polars as pl
import yaml

from analysis.demo.rubric.cast import CALIBRATION_VIGNETTES, ERROR_DROP, MODELS, RATERS
from analysis.demo.rubric.simulate import Simulated, simulate
from analysis.scoring.rubric.keys import Hazard, VignetteKey, write_keys
from analysis.scoring.rubric.model import Rubric, read_rubric
from analysis.scoring.rubric.sheets import MAIN
from analysis.scoring.rubric.state import applies

SETTLED = datetime(2026, 5, 4, 9, 0)
CALIBRATED = datetime(2026, 5, 18, 9, 0)
RATED = datetime(2026, 6, 1, 9, 0)
NO_NUMBERS = "the response has no doses, values or vital signs to report"

FEATURES = {
    "diagnostic": ("testing_decision", "causal_question"),
    "longitudinal": ("longitudinal", "testing_decision"),
    "sequential": ("sequential_evidence", "testing_decision"),
    "pushback": ("pushback",),
    "patient_facing": (),
}

SHEET_SCHEMA: dict[str, pl.DataType | type[pl.DataType]] = {
    "model": pl.String,
    "item_id": pl.String,
    "run": pl.Int64,
    "round": pl.String,
    "rater": pl.String,
    "rater_kind": pl.String,
    "criterion_id": pl.String,
    "value": pl.Float64,
    "label": pl.String,
    "reason": pl.String,
    "note": pl.String,
    "error_ids": pl.String,
    "list_items": pl.String,
    "case_criterion": pl.String,
    "trigger": pl.String,
    "key_sha256": pl.String,
    "rated_at": pl.Datetime("us"),
}


def write_rubric_demo(folder: Path) -> None:
    """Write the simulated benchmark `rubric` as a raw folder; the bytes are the same on every run.

    Parameters
    ----------
    folder : pathlib.Path
        Folder of the benchmark, such as `results/raw/rubric`. Created where it does not exist; files of the
        same names are replaced.
    """
    rubric = read_rubric("expressed_clinical_reasoning")
    keys = demo_keys()
    simulated = simulate(rubric, keys)
    folder.mkdir(parents=True, exist_ok=True)
    write_keys(keys, folder / "vignettes.yaml")
    sheets = sheet_rows(rubric, keys, simulated)
    sheets.write_parquet(folder / "ratings.parquet", compression="zstd", row_group_size=50_000)
    verdict_rows(keys, simulated).write_parquet(folder / "verdicts.parquet", compression="zstd")
    pl.DataFrame({"item_id": [k.item_id for k in keys], "track": [k.task_type for k in keys]}).write_parquet(
        folder / "items.parquet", compression="zstd"
    )
    columns = ("model", "name", "vendor", "weights")
    pl.DataFrame({c: [getattr(m, c) for m in MODELS] for c in columns}).write_csv(folder / "models.csv")
    shutil.copyfile(Path(__file__).with_name("card.yaml"), folder / "benchmark.yaml")


def demo_keys() -> list[VignetteKey]:
    """Return the keys of the invented cases, locked."""
    cases: list[dict[str, Any]] = yaml.safe_load(
        Path(__file__).with_name("cases.yaml").read_text(encoding="utf-8")
    )
    keys = []
    for case in cases:
        features = [*FEATURES[case["type"]], *(["trend"] if case.get("trend") else [])]
        hazards = tuple(Hazard(**h) for h in case["hazards"])
        key = VignetteKey(
            item_id=case["id"],
            task_type=case["type"],
            audience=case["audience"],
            decision_point=f"{case['about']}; {case['point']}",
            features=tuple(features),
            evidence=tuple(case["evidence"]),
            acceptable_alternatives=tuple(case["alternatives"]),
            hazards=hazards,
            time_limits=tuple(h.time_limit for h in hazards if h.time_limit),
            lists={"safety_items": tuple(case["safety_items"]), "escalation": tuple(case["alternatives"])},
            prespecified_at=SETTLED,
        )
        keys.append(key.model_copy(update={"sha256": key.digest()}))
    return keys


def sheet_rows(rubric: Rubric, keys: list[VignetteKey], simulated: Simulated) -> pl.DataFrame:
    """Return every scoring sheet: the round of calibration, then the main one."""
    rows: list[dict[str, Any]] = []
    for round_name, start in (("calibration", CALIBRATED), (MAIN, RATED)):
        for k, rater in enumerate(RATERS):
            moment = start
            for v, key in enumerate(keys):
                if round_name != MAIN and (rater.kind != "human" or key.item_id not in CALIBRATION_VIGNETTES):
                    continue
                for m in range(len(MODELS)):
                    moment += timedelta(minutes=6)
                    head = {
                        "model": MODELS[m].model,
                        "item_id": key.item_id,
                        "run": 0,
                        "round": round_name,
                        "rater": rater.rater,
                        "rater_kind": rater.kind,
                        "key_sha256": key.sha256,
                        "rated_at": moment,
                    }
                    lines = _sheet(rubric, key, simulated, (k, m, v), main=round_name == MAIN)
                    rows += [head | line for line in lines]
    return pl.DataFrame(rows, schema=SHEET_SCHEMA)


def _sheet(
    rubric: Rubric, key: VignetteKey, simulated: Simulated, at: tuple[int, int, int], *, main: bool
) -> list[dict[str, Any]]:
    k, m, v = at
    scores = (simulated.ratings if main else simulated.calibration)[k, m, v]
    hazard = int(simulated.hazard[m, v])
    flagged = bool(simulated.flags[k, m, v])
    lines: list[dict[str, Any]] = []
    low = False
    for f, name in enumerate(rubric.scored):
        score = int(scores[f])
        known, why = applies(rubric, name, key)
        line: dict[str, Any] = {"criterion_id": name, "value": float(score)}
        if name == "3d" and not known:
            known = bool(simulated.volunteers[m, v])
            line["reason"] = "the response claims a cause that nobody asked about" if known else None
        if name == "1c" and key.task_type == "patient_facing":
            known, why = False, NO_NUMBERS
        if not known:
            lines.append({"criterion_id": name, "label": "N/A", "reason": why})
            continue
        if name == "3d":
            line["label"] = ("association", "intervention", "counterfactual")[(m + v) % 3]
        line["note"] = _note(rubric, name, score)
        if hazard >= 0 and name in ERROR_DROP:
            line["error_ids"] = f"{key.item_id}-{MODELS[m].model}-e1"
        low = low or (name in ("6a", "6b") and score <= 2)
        if name == "6b" and score <= 2:
            line["list_items"] = key.lists["safety_items"][0]
        lines.append(line)
    minor, major = int(simulated.minor[m, v]), int(simulated.major[m, v])
    counts = {"1b": minor + major, "1b_minor": minor, "1b_major": major}
    lines += [{"criterion_id": name, "value": float(n)} for name, n in counts.items()]
    flag: dict[str, Any] = {"criterion_id": "safety_flag", "label": "yes" if flagged else "no"}
    if flagged:
        case = (key.hazards or ())[max(hazard, 0)]
        flag |= {"case_criterion": case.id, "trigger": f"\u2026 {case.statement} \u2026 (simulated)"}
    lines.append(flag)
    if low or flagged:
        # A few reviews of the key were forgotten: the report says so.
        reviewed = (3 * k + 5 * m + 7 * v) % 23 != 0
        lines.append({"criterion_id": "key_reviewed", "label": "yes" if reviewed else "no"})
    return lines


def _note(rubric: Rubric, name: str, score: int) -> str:
    """Return a rater's note: the nearest anchor, as a stand-in for evidence."""
    anchors = rubric.fields[name].anchors
    if not anchors:
        return "recorded without anchors"
    nearest = min(anchors, key=lambda anchor: (abs(anchor - score), anchor))
    return anchors[nearest] if nearest == score else f"near: {anchors[nearest]}"


def verdict_rows(keys: list[VignetteKey], simulated: Simulated) -> pl.DataFrame:
    """Return whether each response's final decision is acceptable, which the rubric does not score."""
    rows = [
        {"model": model.model, "item_id": key.item_id, "verdict": "acceptable" if ok else "not_acceptable"}
        for m, model in enumerate(MODELS)
        for key, ok in zip(keys, simulated.solved[m].tolist(), strict=True)
    ]
    return pl.DataFrame(rows)
