"""Concordance with the gold answer, ranks, paired tests, ensembles and cost, measured with plain code."""

from __future__ import annotations

import math
from itertools import combinations, pairwise

import polars as pl

from analysis.demo.odbb.measures import Record


def strict(r: Record, model: str, track: str | None = "NCCN", kind: str | None = None) -> float:
    """Return the share of readable responses that are correct."""
    rows = r.rows(model, track, kind).filter(pl.col("verdict") != "technical_failure")
    return float((rows["verdict"] == "correct").sum()) / rows.height


def ncc_rank(r: Record, model: str) -> float:
    """Return the rank by strict concordance on the NCCN track."""
    return 1 + sum(strict(r, m) > strict(r, model) for m in r.names)


def crc_rank(r: Record, model: str, level: str = "class") -> float:
    """Return the rank by mean therapy F1."""
    return 1 + sum(mean_f1(r, m, level) > mean_f1(r, model, level) for m in r.names)


def mean_f1(r: Record, model: str, level: str) -> float:
    """Return the mean therapy F1 over readable CRC responses."""
    return float(r.rows(model, "CRC")[f"therapy_f1_{level}"].drop_nulls().to_numpy().mean())


def relative(r: Record, a: str, b: str) -> float:
    """Return by how much the strict concordance of a exceeds that of b, relative to b."""
    return strict(r, a) / strict(r, b) - 1


def p_value(r: Record, a: str, b: str) -> float:
    """Return the two-sided exact p of the paired test on NCCN items: binomial on the discordant ones."""
    left, right = r.verdict_of(a, "NCCN"), r.verdict_of(b, "NCCN")
    common = left.keys() & right.keys()
    only_a = sum(left[i] == "correct" != right[i] for i in common)
    only_b = sum(right[i] == "correct" != left[i] for i in common)
    n, tail = only_a + only_b, max(only_a, only_b)
    return min(1.0, 2 * sum(math.comb(n, j) for j in range(tail, n + 1)) / 2**n) if n else 1.0


def min_plateau_p(r: Record) -> float:
    """Return the smallest p among the ten pairs of models ranked 2 to 6."""
    plateau = [m for m in r.names if 2 <= ncc_rank(r, m) <= 6]
    return min(p_value(r, a, b) for a, b in combinations(plateau, 2))


def n_tiers(r: Record) -> float:
    """Count tiers: a new one begins where adjacent models differ at 0.05/8."""
    order = sorted(r.names, key=lambda m: -strict(r, m))
    return 1 + sum(p_value(r, a, b) < 0.05 / 8 for a, b in pairwise(order))


def n_types_above(r: Record, kind: str, low: float, high: float = 1.0) -> float:
    """Count models whose strict concordance on a question type lies in [low, high)."""
    return sum(low <= strict(r, m, "NCCN", kind) < high for m in r.names)


def best_of_type(r: Record, kind: str, model: str) -> float:
    """Tell whether a model leads a question type."""
    return float(max(r.names, key=lambda m: strict(r, m, "NCCN", kind)) == model)


def second_of_type(r: Record, kind: str) -> float:
    """Return the second best strict concordance on a question type."""
    return sorted(strict(r, m, "NCCN", kind) for m in r.names)[-2]


def specialty_is(r: Record, model: str, kind: str) -> float:
    """Tell whether a question type is the model's best one among those with at least 60 items."""
    kinds = r.of(r.items, "NCCN")["question_type"].value_counts().filter(pl.col("count") >= 60)
    return float(max(kinds["question_type"], key=lambda k: strict(r, model, "NCCN", k)) == kind)


def greedy(r: Record) -> list[tuple[str, int, int]]:
    """Return the greedy ensemble: model, items gained, items covered."""
    covered: set[str] = set()
    steps = []
    left = sorted(r.names)
    while left:
        best = max(left, key=lambda m: len(r.solved[m] - covered))  # the first of equals
        gained = len(r.solved[best] - covered)
        covered |= r.solved[best]
        steps.append((best, gained, len(covered)))
        left.remove(best)
    return steps


def greedy_model_is(r: Record, step: int, model: str) -> float:
    """Tell whether the model is taken at this step."""
    return float(greedy(r)[step - 1][0] == model)


def coverage(r: Record, step: int) -> float:
    """Return the share of items that the first models cover."""
    return greedy(r)[step - 1][2] / r.items.height


def gain(r: Record, step: int, last: int | None = None) -> float:
    """Return the share of items gained at a step, or over steps."""
    return sum(g for _, g, _ in greedy(r)[step - 1 : last or step]) / r.items.height


def mean_gain(r: Record, step: int, last: int) -> float:
    """Return the mean share gained per step."""
    return gain(r, step, last) / (last - step + 1)


def largest_gain_from(r: Record, step: int) -> float:
    """Return the largest share gained at this step or later."""
    return max(g for _, g, _ in greedy(r)[step - 1 :]) / r.items.height


def unique(r: Record, model: str) -> float:
    """Count items that this model alone solves."""
    return len(r.solved[model] - set().union(*(r.solved[m] for m in r.names if m != model)))


def max_unique_of_others(r: Record) -> float:
    """Return the largest such count of the models that the text does not name."""
    return max(unique(r, m) for m in r.names if m not in ("minimax-m2.7", "gpt-5.5"))


def agreement(r: Record, a: str, b: str) -> float:
    """Return the verdict-level concordance of two models over both tracks."""
    left, right = r.verdict_of(a, None), r.verdict_of(b, None)
    common = left.keys() & right.keys()
    return sum(left[i] == right[i] for i in common) / len(common)


def max_other_agreement(r: Record) -> float:
    """Return the largest concordance of a pair that the text does not name."""
    cluster = ("glm-5.1", "glm-5", "qwen-3.6-plus")
    pairs = [p for p in combinations(r.names, 2) if not set(p) <= set(cluster)]
    return max(agreement(r, a, b) for a, b in pairs)


def n_models_concordant(r: Record, limit: float) -> float:
    """Count open-weight models in a pair of open-weight models above a concordance."""
    pairs = [p for p in combinations(r.open_models, 2) if agreement(r, *p) > limit]
    return len({m for p in pairs for m in p})


def model_value(r: Record, model: str, column: str) -> float:
    """Return a number of the models table."""
    return float(r.models.filter(pl.col("model") == model)[column].item())


def cost_ratio(r: Record, a: str, b: str) -> float:
    """Return the ratio of two total costs."""
    return model_value(r, a, "total_cost_usd") / model_value(r, b, "total_cost_usd")


def on_frontier(r: Record, model: str) -> float:
    """Tell whether no other model has at least its NCCN concordance for less cost, or more for its cost."""
    cost = dict(zip(r.models["model"], r.models["total_cost_usd"], strict=True))
    mine, price = strict(r, model), cost[model]
    return float(
        not any(
            (strict(r, m) >= mine and cost[m] < price) or (strict(r, m) > mine and cost[m] <= price)
            for m in r.names
            if m != model
        )
    )


def n_on_frontier(r: Record, weights: str | None = None) -> float:
    """Count models on the frontier."""
    names = r.open_models if weights == "open" else r.names
    return sum(on_frontier(r, m) for m in names)
