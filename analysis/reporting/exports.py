"""The leaderboard for machines: CSV that no spreadsheet takes for formulas, and JSON. Nothing is rounded."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

from analysis.reporting.leaderboard_rows import Board
from analysis.reporting.markup import clean
from analysis.reporting.view import View

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def neutral(text: str) -> str:
    """Return text that a spreadsheet shows rather than computes: a leading apostrophe marks it as text.

    Examples
    --------
    >>> neutral("=1+1"), neutral("-x"), neutral("model")
    ("'=1+1", "'-x", 'model')
    """
    return f"'{text}" if text.lstrip(" \u00a0").startswith(FORMULA_STARTS) else text


def records(board: Board) -> list[dict[str, Any]]:
    """Return one flat record per ranked model, in rank order; the same keys in every record."""
    found = []
    for row in board.rows:
        record = {
            "order": row["rank"],
            "model": row["model"],
            "name": row["name"] or row["model"],
            "vendor": row["vendor"],
            "family": row["family"],
            "weights": row["weights"],
            "rank_low": row["rank_low"],
            "rank_high": row["rank_high"],
            "letters": row["letters"],
            "tier": row["tier"],
            "in_best_set": row["in_best_set"],
            "score": row["estimate"],
            "ci_low": row["ci_low"],
            "ci_high": row["ci_high"],
            "interval_method": row["method"],
            "n_items": row["n_items"],
            "n_excluded": row["n_excluded"],
            "n_unscored": row["n_unscored"],
            "n_missing": row["n_missing"],
        }
        for group in board.groups:
            for column in group.columns:
                key = column.key
                while key in record:
                    key += "'"
                record[key] = column.values.get(row["model"])
        found.append(record)
    return found


def as_csv(view: View, board: Board) -> str:
    """Return the leaderboard as CSV (RFC 4180, UTF-8, lines end in a line feed)."""
    rows = records(board)
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    keys = list(rows[0]) if rows else ["order", "model", "score"]
    writer.writerow([neutral(clean(key)) for key in keys])
    for row in rows:
        writer.writerow([_field(value) for value in row.values()])
    return stream.getvalue()


def _field(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value) if isinstance(value, int | float) else neutral(clean(value))


def as_json(view: View, board: Board) -> str:
    """Return the leaderboard as JSON, with what it was made from."""
    results = view.results
    about = results.metadata("model_scores") or results.metadata("verdicts")
    document = {
        "benchmark": results.benchmark,
        "title": results.title,
        "synthetic": results.card.synthetic or None,
        "metric": view.metric,
        "level": results.settings.level,
        "alpha": results.settings.alpha,
        "seed": results.settings.seed,
        "version": about.get("version"),
        "config_sha256": about.get("config_sha256"),
        "models": records(board),
        "not_ranked": [{"model": model, "reason": why} for model, why in board.unranked],
    }
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
