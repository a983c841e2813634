"""Response files in, a raw benchmark folder out."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import orjson
import polars as pl
import yaml

import analysis
from analysis.config import config_hash
from analysis.errors import DataError, Problem
from analysis.scoring.odbb.config import ScorerConfig
from analysis.scoring.odbb.dictionaries import Dictionaries
from analysis.scoring.odbb.gold import CrcGold, Gold, NccnGold
from analysis.scoring.odbb.score import Scored

NUMBERS = ("cost_usd", "input_tokens", "output_tokens", "latency_s")
TEXT_NAMES = {"model": ("model", "model_id"), "item_id": ("item_id", "item", "id")}
RESPONSE_NAMES = ("response", "output", "text", "completion")
SET_ASIDE = {"file": pl.String, "line": pl.Int64, "reason": pl.String}


def read_responses(path: Path, gold: Gold, *, lenient: bool = False) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Read responses: one JSON object a line, with `model`, `item_id`, `response` and optionally `run`.

    Parameters
    ----------
    path : Path
        A file, or a folder whose ``*.jsonl`` files are read in the order of their names.
    gold : Gold
        Gold items.
    lenient : bool
        Set lines that cannot be attributed to an item aside, with their reason, rather than refuse all.

    Returns
    -------
    responses, set_aside : pl.DataFrame
        `model`, `item_id`, `run`, the resource columns that any line has, `response`; and `file`, `line`,
        `reason` of the lines that a lenient run set aside.

    Raises
    ------
    DataError
        Where a line is not a JSON object, names no model or item, repeats another, or its item has no gold.
    """
    files = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
    if not files or not all(f.is_file() for f in files):
        raise DataError([Problem("holds no .jsonl file", path.name)])
    rows: list[dict[str, Any]] = []
    faults: list[tuple[str, int, str, str]] = []
    seen: set[tuple[str, str, int]] = set()
    for file in files:
        for number, line in enumerate(file.read_bytes().split(b"\n"), start=1):
            if not line.strip():
                continue
            row, fault, value = _read_line(line)
            if row is not None:
                key = (row["model"], row["item_id"], row["run"])
                if row["item_id"] not in gold.items:
                    fault, value = "names an item without gold", row["item_id"]
                elif key in seen:
                    fault, value = "repeats an earlier (model, item_id, run)", str(key)
                else:
                    seen.add(key)
                    rows.append(row)
                    continue
            faults.append((file.name, number, fault, value))
    if faults and not lenient:
        raise DataError(_problems(faults))
    if not rows:
        raise DataError([Problem("holds no response", path.name), *_problems(faults)])
    aside = pl.DataFrame([(f, n, reason) for f, n, reason, _ in faults], schema=SET_ASIDE, orient="row")
    return _frame(rows), aside


def _read_line(line: bytes) -> tuple[dict[str, Any] | None, str, str]:
    """Return the row of a line, or what is wrong with it and where it shows."""
    try:
        raw = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        return None, "is not JSON", str(error)[:60]
    if not isinstance(raw, dict):
        return None, "is not a JSON object", type(raw).__name__
    row: dict[str, Any] = {}
    for name, variants in TEXT_NAMES.items():
        value = next((raw[v] for v in variants if v in raw), None)
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if not isinstance(value, str) or not value:
            return None, f"has no {name}", str(sorted(raw)[:4])
        row[name] = value
    run = raw.get("run", 0)
    if not isinstance(run, int) or isinstance(run, bool):
        return None, "has a run that is not an integer", str(run)[:60]
    row["run"] = run
    response = next((raw[v] for v in RESPONSE_NAMES if v in raw), None)
    # A response that was stored as JSON rather than as its text is read like its text.
    row["response"] = (
        response if response is None or isinstance(response, str) else orjson.dumps(response).decode()
    )
    for name in NUMBERS:
        number = raw.get(name)
        usable = isinstance(number, int | float) and not isinstance(number, bool) and number >= 0
        row[name] = float(number) if usable else None  # type: ignore[arg-type]
    return row, "", ""


def _problems(faults: Iterable[tuple[str, int, str, str]]) -> list[Problem]:
    grouped: dict[tuple[str, str], list[tuple[int, str]]] = {}
    for file, number, reason, value in faults:
        grouped.setdefault((file, reason), []).append((number, value))
    return [
        Problem(
            reason,
            file,
            values=tuple(dict.fromkeys(v[:80] for _, v in found))[:3],
            n_values=len({v for _, v in found}),
            rows=tuple(n for n, _ in found[:3]),
            n_rows=len(found),
            hint="mend the lines, or use --lenient to set them aside",
        )
        for (file, reason), found in grouped.items()
    ]


def _frame(rows: list[dict[str, Any]]) -> pl.DataFrame:
    types = {"model": pl.String, "item_id": pl.String, "run": pl.Int64}
    columns = {name: pl.Series(name, [r[name] for r in rows], dtype=dtype) for name, dtype in types.items()}
    for name in NUMBERS:
        if any(r[name] is not None for r in rows):
            columns[name] = pl.Series(name, [r[name] for r in rows], dtype=pl.Float64)
    columns["response"] = pl.Series("response", [r["response"] for r in rows], dtype=pl.String)
    return pl.DataFrame(list(columns.values()))


def item_table(gold: Gold) -> pl.DataFrame:
    """Return `items.parquet` of the gold items."""
    rows = []
    for item in gold.items.values():
        guideline = isinstance(item, NccnGold)
        intent = ("stop" if item.stops else "proceed") if isinstance(item, NccnGold) else "regimen"
        cluster = item.workspace if isinstance(item, NccnGold) else item.case_id
        rows.append(
            {
                "item_id": item.item_id,
                "track": "NCCN" if guideline else "CRC",
                "question_type": item.question_type,
                "cluster_id": cluster or item.item_id,
                "gold_intent": intent,
                "gold_answer": _gold_answer(item),
            }
        )
    return pl.DataFrame(rows)


def _gold_answer(item: NccnGold | CrcGold) -> str:
    if isinstance(item, CrcGold):
        return f"{' + '.join(item.regimen)} ({item.intent})"
    asks = "; ".join(slot.text for slot in item.slots)
    steps = "; ".join(item.steps)
    return f"{item.decision}: {asks if item.stops else steps}"


def card(dictionaries: Dictionaries, tracks: set[str], title: str, synthetic: str) -> dict[str, Any]:
    """Return the benchmark's card, for `benchmark.yaml`."""
    labels = {}
    for name, rule in dictionaries.labels.items():
        kinds = {k: True for k in ("hard", "technical", "reserved") if getattr(rule, k)}
        labels[name] = {"meaning": rule.meaning, **kinds}
    therapy = [f"therapy_f1_{g}" for g in ("strict", "class", "family")] if "CRC" in tracks else []
    content: dict[str, Any] = {"title": title, "source": f"Scored by verdict-atlas {analysis.__version__}"}
    if synthetic:
        content["synthetic"] = synthetic
    return content | {
        "verdicts": {"order": ["incorrect", "partial", "correct"], "succeed": ["correct"]},
        "metrics": ["score", *therapy],
        "strata": ["question_type", "gold_intent"],
        "covariates": ["gold_intent", "gold_answer"],
        "labels": labels,
        "decisions": {"decisive": ["proceed_with_treatment", "route_to_alternative_pathway"]},
    }


def write_folder(
    folder: Path,
    scored: Scored,
    gold: Gold,
    dictionaries: Dictionaries,
    config: ScorerConfig,
    *,
    set_aside: pl.DataFrame,
    title: str,
    synthetic: str = "",
) -> None:
    """Write a raw benchmark folder: verdicts, items, audit trail, card, and what the scorer was."""
    folder.mkdir(parents=True, exist_ok=True)
    items = item_table(gold)
    for name, frame in {"verdicts": scored.verdicts, "items": items, "audit_trail": scored.trail}.items():
        frame.write_parquet(folder / f"{name}.parquet", compression="zstd", row_group_size=50_000)
    text = yaml.safe_dump(
        card(dictionaries, set(items["track"]), title, synthetic), sort_keys=False, allow_unicode=True
    )
    (folder / "benchmark.yaml").write_text(text, encoding="utf-8")
    if set_aside.height:
        set_aside.write_parquet(folder / "set_aside.parquet", compression="zstd")
    counts = scored.verdicts["verdict"].value_counts().sort("verdict")
    record = {
        "scorer": "analysis.scoring.odbb",
        "package_version": analysis.__version__,
        "gold_sha256": gold.sha256,
        "dictionaries_sha256": dictionaries.sha256,
        "config_sha256": config_hash(config),
        "config": config.model_dump(mode="json"),
        "responses": scored.verdicts.height,
        "set_aside": set_aside.height,
        "verdicts": dict(counts.iter_rows()),
    }
    (folder / "scoring.json").write_bytes(orjson.dumps(record, option=orjson.OPT_INDENT_2) + b"\n")
