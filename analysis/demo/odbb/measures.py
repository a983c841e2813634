"""The paper's quantities, measured on a written raw folder with plain code.

Nothing here knows how the folder was made: it reads the four Parquet files and counts. The solver's
modules are not imported, so that the check of a statement is independent of its solution.
"""

from __future__ import annotations

import math
from pathlib import Path

import polars as pl

Z95 = 1.959963984540054
VERDICTS = ["incorrect", "partial", "correct"]
BOLD = ["gpt-5.5", "gemini-3.1-pro-preview"]
"""The two models that the paper sets against the seven conservative ones (section 3.5)."""


class Record:
    """The raw folder of the reconstruction, read once."""

    def __init__(self, folder: Path) -> None:
        self.items = pl.read_parquet(folder / "items.parquet")
        self.models = pl.read_parquet(folder / "models.parquet")
        self.ratings = pl.read_parquet(folder / "ratings.parquet")
        self.cells = pl.read_parquet(folder / "verdicts.parquet").join(self.items, on="item_id")
        self.by_item = (
            self.cells.group_by("item_id", "track", "question_type")
            .agg(
                (pl.col("verdict") == "correct").sum().alias("k"),
                (pl.col("verdict") == "partial").all().alias("all_partial"),
                (pl.col("verdict") == "incorrect").all().alias("all_incorrect"),
            )
            .sort("item_id")
        )
        self.names = self.models["model"].to_list()
        self.open_models = self.models.filter(pl.col("weights") == "open")["model"].to_list()
        self.cautious = [m for m in self.names if m not in BOLD]
        solved = self.cells.filter(pl.col("verdict") == "correct")
        self.solved = {m: set(solved.filter(pl.col("model") == m)["item_id"]) for m in self.names}

    def of(self, frame: pl.DataFrame, track: str | None = None, kind: str | None = None) -> pl.DataFrame:
        """Keep a track, a question type, or both."""
        if track:
            frame = frame.filter(pl.col("track") == track)
        return frame.filter(pl.col("question_type") == kind) if kind else frame

    def rows(self, model: str, track: str | None = "NCCN", kind: str | None = None) -> pl.DataFrame:
        """Return a model's rows of a track and question type."""
        return self.of(self.cells.filter(pl.col("model") == model), track, kind)

    def verdict_of(self, model: str, track: str | None) -> dict[str, str]:
        """Return the model's verdict of every item with a readable response."""
        rows = self.rows(model, track).filter(pl.col("verdict") != "technical_failure")
        return dict(zip(rows["item_id"], rows["verdict"], strict=True))


def wilson(k: int, n: int, side: str) -> float:
    """Return the lower or upper 95 % Wilson limit of k in n."""
    p, z = k / n, Z95
    centre = p + z * z / (2 * n)
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return (centre + (half if side == "high" else -half)) / (1 + z * z / n)


def n_items(r: Record, track: str | None = None, kind: str | None = None) -> float:
    """Count items."""
    return r.of(r.items, track, kind).height


def n_workspaces(r: Record, area: str | None = None) -> float:
    """Count guideline workspaces of the NCCN track."""
    items = r.of(r.items, "NCCN")
    return (items.filter(pl.col("workspace_area") == area) if area else items)["cluster_id"].n_unique()


def n_models(r: Record, weights: str | None = None) -> float:
    """Count models."""
    return (r.models.filter(pl.col("weights") == weights) if weights else r.models).height


def n_model_pairs(r: Record) -> float:
    """Count pairs of models."""
    return math.comb(r.models.height, 2)


def n_stop_items(r: Record) -> float:
    """Count items whose gold answer is to stop."""
    return r.items.filter(pl.col("gold_intent") == "stop").height


def stop_share(r: Record) -> float:
    """Return their share of the NCCN items."""
    return n_stop_items(r) / n_items(r, "NCCN")


def zero_correct(r: Record, track: str | None = None, kind: str | None = None) -> float:
    """Count items that no model answers correctly."""
    return r.of(r.by_item, track, kind).filter(pl.col("k") == 0).height


def zero_share(r: Record, track: str | None = None, kind: str | None = None) -> float:
    """Return their share."""
    return zero_correct(r, track, kind) / n_items(r, track, kind)


def zero_wilson(r: Record, side: str) -> float:
    """Return a Wilson limit of the overall share."""
    return wilson(int(zero_correct(r)), int(n_items(r)), side)


def n_with_k(r: Record, low: int, high: int) -> float:
    """Count items that low to high models answer correctly."""
    return r.by_item.filter(pl.col("k").is_between(low, high)).height


def share_with_k(r: Record, low: int, high: int) -> float:
    """Return their share."""
    return n_with_k(r, low, high) / r.items.height


def is_local_peak(r: Record, k: int, left: int, right: int) -> float:
    """Tell whether more items have k correct models than have `left` or `right`."""
    return float(n_with_k(r, k, k) > max(n_with_k(r, left, left), n_with_k(r, right, right)))


def all_partial(r: Record) -> float:
    """Count zero-correct items that are partial for every model."""
    return r.by_item.filter("all_partial").height


def all_partial_share(r: Record) -> float:
    """Return their share of the zero-correct items."""
    return all_partial(r) / zero_correct(r)


def all_incorrect(r: Record, crossing: bool | None = None) -> float:
    """Count NCCN items that are incorrect for every model, those of handoff and routing, or the others."""
    items = r.of(r.by_item, "NCCN").filter("all_incorrect")
    if crossing is None:
        return items.height
    kinds = ["in_guide_handoff_resolution", "upstream_routing_decision"]
    return items.filter(pl.col("question_type").is_in(kinds) == crossing).height


def wall_scores(r: Record) -> pl.Series:
    """Return the content scores on zero-correct items."""
    wall = r.by_item.filter(pl.col("k") == 0).select("item_id")
    return r.cells.join(wall, on="item_id")["score"]


def n_wall_scores(r: Record) -> float:
    """Count them, nulls left out."""
    return wall_scores(r).drop_nulls().len()


def wall_mean(r: Record) -> float:
    """Return their mean."""
    return float(wall_scores(r).to_numpy().mean())


def wall_median(r: Record) -> float:
    """Return their median."""
    scores = sorted(wall_scores(r).to_list())
    return float(scores[len(scores) // 2])


def wall_below(r: Record, limit: float) -> float:
    """Return their share below a limit."""
    return float((wall_scores(r).to_numpy() < limit).mean())
