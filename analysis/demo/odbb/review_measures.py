"""The quantities of the two review waves, measured on the ratings with plain code."""

from __future__ import annotations

import polars as pl

from analysis.demo.odbb.measures import VERDICTS, Record, wilson


def _labels(r: Record, criterion: str, rater: str) -> dict[str, str]:
    rows = r.ratings.filter((pl.col("criterion_id") == criterion) & (pl.col("rater") == rater))
    return dict(zip(rows["item_id"], rows["label"], strict=True))


def n_reviewed(r: Record, rater: str | None = None, evaluable: bool = False) -> float:
    """Count reviewer-item pairs, of one reviewer or both, those marked unsure in or out."""
    rows = r.ratings.filter(pl.col("criterion_id") == "adjudication")
    rows = rows.filter(pl.col("rater") == rater) if rater else rows
    return (rows.filter(pl.col("label") != "unsure") if evaluable else rows).height


def n_reviewed_items(r: Record, evaluable: bool = False) -> float:
    """Count distinct reviewed items."""
    rows = r.ratings.filter(pl.col("criterion_id") == "adjudication")
    return (rows.filter(pl.col("label") != "unsure") if evaluable else rows)["item_id"].n_unique()


def n_unsure(r: Record, rater: str) -> float:
    """Count a reviewer's unsure judgments."""
    return n_reviewed(r, rater) - n_reviewed(r, rater, evaluable=True)


def n_shared(r: Record, kind: str | None = None) -> float:
    """Count items that both doctors review."""
    both = _labels(r, "adjudication", "doctor_a").keys() & _labels(r, "adjudication", "doctor_b").keys()
    return r.of(r.items, None, kind).filter(pl.col("item_id").is_in(sorted(both))).height


def n_in_stratum(r: Record, stratum: str, kind: str | None = None) -> float:
    """Count sampled items of a stratum of the first wave (its shared items included)."""
    drawn = r.ratings.filter((pl.col("criterion_id") == "verdict") & (pl.col("rater") == "scorer"))
    drawn = drawn.filter(pl.col("stratum").str.starts_with(stratum)).join(r.items, on="item_id")
    return r.of(drawn, None, kind).height


def n_workspaces_reviewed(r: Record) -> float:
    """Count workspaces that the workspace stratum covers."""
    drawn = r.ratings.filter((pl.col("rater") == "scorer") & (pl.col("stratum") == "workspace"))
    return drawn.join(r.items, on="item_id")["cluster_id"].n_unique()


def n_per_model(r: Record, end: str) -> float:
    """Return the smallest or largest number of sampled items of a model."""
    counts = r.ratings.filter(pl.col("rater") == "scorer")["model"].value_counts()["count"].to_list()
    return float({"low": min, "high": max}[end](counts))


def n_agreed(r: Record, rater: str | None = None, verdict: str | None = None) -> float:
    """Count evaluable pairs in which the doctor agrees with the scorer, by the scorer's verdict."""
    scorer = _labels(r, "verdict", "scorer")
    raters = [rater] if rater else ["doctor_a", "doctor_b"]
    pairs = [(scorer[i], v) for name in raters for i, v in _labels(r, "verdict", name).items()]
    return sum(s == v for s, v in pairs if verdict in (None, s))


def agreement_rate(r: Record, rater: str | None = None, verdict: str | None = None) -> float:
    """Return their share."""
    scorer = _labels(r, "verdict", "scorer")
    raters = [rater] if rater else ["doctor_a", "doctor_b"]
    n = sum(verdict in (None, scorer[i]) for name in raters for i in _labels(r, "verdict", name))
    return n_agreed(r, rater, verdict) / n


def weighted_kappa(r: Record, a: str, b: str) -> float:
    """Return Cohen's kappa of two raters' verdicts, linear weights."""
    left, right = _labels(r, "verdict", a), _labels(r, "verdict", b)
    pairs = [(VERDICTS.index(left[i]), VERDICTS.index(right[i])) for i in left.keys() & right.keys()]
    n = len(pairs)
    observed = sum(abs(x - y) for x, y in pairs) / n
    expected = sum(abs(x - y) for x, _ in pairs for _, y in pairs) / n**2
    return 1 - observed / expected


def n_doctors_agree(r: Record) -> float:
    """Count shared items on which both doctors imply the same verdict."""
    left, right = _labels(r, "verdict", "doctor_a"), _labels(r, "verdict", "doctor_b")
    return sum(left[i] == right[i] for i in left.keys() & right.keys())


def n_lenient(r: Record) -> float:
    """Count shared items that the scorer and doctor A call partial and doctor B calls correct."""
    scorer, left, right = (_labels(r, "verdict", who) for who in ("scorer", "doctor_a", "doctor_b"))
    shared = left.keys() & right.keys()
    return sum((scorer[i], left[i], right[i]) == ("partial", "partial", "correct") for i in shared)


def n_hard_disagreements(r: Record) -> float:
    """Count disagreements in which an incorrect verdict is involved."""
    scorer = _labels(r, "verdict", "scorer")
    doctors = [_labels(r, "verdict", who) for who in ("doctor_a", "doctor_b")]
    pairs = [(scorer[i], v) for doctor in doctors for i, v in doctor.items()]
    return sum(s != v and "incorrect" in (s, v) for s, v in pairs)


def n_audited(r: Record, stratum: str | None = None) -> float:
    """Count audited gold answers."""
    rows = r.ratings.filter((pl.col("criterion_id") == "gold_correctness") & (pl.col("rater") == "auditor_c"))
    return (rows.filter(pl.col("stratum") == stratum) if stratum else rows).height


def _audit(r: Record, criterion: str, label: str, how: str, track: str | None = None) -> tuple[int, int]:
    left, right = (_labels(r, criterion, who) for who in ("auditor_c", "auditor_d"))
    items = set(r.of(r.items, track)["item_id"]) & left.keys()
    hits = [(left[i] == label) + (right[i] == label) for i in items]
    return sum(h == 2 or (how == "either" and h == 1) for h in hits), len(hits)


def audit_count(r: Record, criterion: str, label: str, how: str = "both") -> float:
    """Count audited items with a label by both auditors, or by either."""
    return _audit(r, criterion, label, how)[0]


def audit_rate(r: Record, criterion: str, label: str, how: str = "both", track: str | None = None) -> float:
    """Return their share of the audited items, or of those of a track."""
    k, n = _audit(r, criterion, label, how, track)
    return k / n


def audit_wilson(r: Record, criterion: str, label: str, side: str, how: str = "both") -> float:
    """Return a Wilson limit of that share."""
    k, n = _audit(r, criterion, label, how)
    return wilson(k, n, side)


def n_universal_wrong(r: Record) -> float:
    """Count universal failures whose gold answer an auditor calls wrong."""
    rows = r.ratings.filter(pl.col("stratum") == "universal_failure")
    return rows.filter((pl.col("criterion_id") == "gold_correctness") & (pl.col("label") == "wrong")).height
