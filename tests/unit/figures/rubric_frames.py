"""Small frames of a rubric's tables, with what their figures read."""

from __future__ import annotations

import polars as pl

DOMAINS = (
    ("1", "Facts", ("1a",)),
    ("2", "Reasoning that is written down", ("2a", "2b")),
    ("3", "Time", ("3a",)),
)


def rubric_tables(models: list[str]) -> dict[str, pl.DataFrame]:
    """Return `rubric_models`, `applicability` and `rubric_distribution`; the last domain has no score."""
    scores = [
        {
            "comparability": "all",
            "raters": "human",
            "unit": "domain",
            "name": domain,
            "model": model,
            "rank": rank,
            "estimate": 4.5 - 0.5 * rank - 0.25 * d,
            "ci_low": None if rank == 1 else 4.25 - 0.5 * rank - 0.25 * d,
            "ci_high": None if rank == 1 else 4.75 - 0.5 * rank - 0.25 * d,
            "n_items": 12 - d,
        }
        for d, (domain, _, _) in enumerate(DOMAINS[:2])
        for rank, model in enumerate(models, start=1)
    ]
    lines = [(domain, title, line) for domain, title, own in DOMAINS for line in own]
    applicability = [
        {
            "item_id": "v1",
            "criterion_id": line,
            "domain": domain,
            "title": f"Line {line}",
            "domain_title": title,
            "position": position,
        }
        for position, (domain, title, line) in enumerate(lines, start=1)
    ]
    counts = {"1a": (2, 4, 6, 8, 4), "2a": (0, 0, 10, 0, 0), "2b": (9, 1, 0, 1, 1), "3a": (0, 0, 0, 0, 0)}
    distribution = [
        {"raters": "human", "criterion_id": line, "model": "all", "value": value, "n": n,
         "share": n / sum(own) if sum(own) else None, "n_not_applicable": 24 - sum(own)}
        for line, own in counts.items()
        for value, n in enumerate(own, start=1)
    ]  # fmt: skip
    return {
        "rubric_models": pl.DataFrame(scores, infer_schema_length=None),
        "applicability": pl.DataFrame(applicability),
        "rubric_distribution": pl.DataFrame(distribution, infer_schema_length=None),
    }
