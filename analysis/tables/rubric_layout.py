"""`RubricLayout`: the dense responses x lines view that every table about a rubric starts from."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt
import polars as pl

from analysis.errors import VerdictAtlasError
from analysis.schemas import DERIVED
from analysis.scoring.rubric.lines import plan_lines
from analysis.scoring.rubric.score import ScorePlan, composites, domain_scores, profile_weights
from analysis.scoring.rubric.sheets import MAIN
from analysis.scoring.rubric.state import RubricState
from analysis.tables.data import BenchmarkData, Made

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

RESPONSE = ["model", "item_id", "run"]
KINDS = ("human", "judge", "scorer")
MAX_CELLS = 200_000_000
"""Responses times lines that are laid out at once (1.6 GB)."""

UNWEIGHTED, WEIGHTED = "unweighted", "weighted"


@dataclass(frozen=True)
class RubricLayout:
    """Scores of R responses on F lines.

    Parameters
    ----------
    state : RubricState
        The rubric in use.
    plan : ScorePlan
        How lines make domains and composites.
    sheets : pl.DataFrame
        The rows of the main round.
    responses : pl.DataFrame
        R rows of `model`, `item_id`, `run`, `task_type` and `comparability`, sorted.
    called_for : ndarray of bool, shape (R, F)
        Which lines the vignette's key makes applicable.
    raters : tuple of str
        The raters, in code-point order.
    kinds : tuple of str
        Kind of each.
    """

    state: RubricState
    plan: ScorePlan
    sheets: pl.DataFrame
    responses: pl.DataFrame
    called_for: BoolArray
    raters: tuple[str, ...]
    kinds: tuple[str, ...]
    _of_kind: dict[str, tuple[FloatArray, IntArray]] = field(default_factory=dict, repr=False, compare=False)

    @property
    def present_kinds(self) -> list[str]:
        """The kinds of raters that there are, humans first."""
        return [kind for kind in KINDS if kind in self.kinds]

    @cached_property
    def _rows(self) -> tuple[IntArray, IntArray, IntArray, FloatArray]:
        """Return rater, response, line and value of every score."""
        scored = self.sheets.filter(
            pl.col("criterion_id").is_in(self.plan.fields) & pl.col("value").is_not_null()
        )
        at = scored.join(
            self.responses.select(*RESPONSE).with_row_index("response"),
            on=RESPONSE,
            how="left",
            maintain_order="left",
        )
        place = {name: i for i, name in enumerate(self.plan.fields)}
        rater = {name: i for i, name in enumerate(self.raters)}
        return (
            at["rater"].replace_strict(rater, return_dtype=pl.Int64).to_numpy(),
            at["response"].cast(pl.Int64).to_numpy(),
            at["criterion_id"].replace_strict(place, return_dtype=pl.Int64).to_numpy(),
            at["value"].to_numpy(),
        )

    def of_rater(self, rater: int) -> FloatArray:
        """Return one rater's scores, shape (R, F); NaN where there is none."""
        who, response, line, value = self._rows
        own = who == rater
        out = np.full(self.called_for.shape, np.nan)
        out[response[own], line[own]] = value[own]
        return out

    def of_kind(self, kind: str) -> tuple[FloatArray, IntArray]:
        """Return the mean scores of a kind of raters, and how many raters scored.

        A line that only the response made apply counts where at least half of the raters of the
        response scored it.

        Returns
        -------
        values : ndarray of float, shape (R, F)
            NaN where the line does not apply.
        n : ndarray of int, shape (R, F)
            Raters with a score.
        """
        if kind not in self._of_kind:
            who, response, line, value = self._rows
            members = np.array([k == kind for k in self.kinds])
            own = members[who]
            n_lines = self.called_for.shape[1]
            flat = response[own] * n_lines + line[own]
            total = np.bincount(flat, weights=value[own], minlength=self.called_for.size)
            n = np.bincount(flat, minlength=self.called_for.size).reshape(self.called_for.shape)
            means = np.divide(total.reshape(n.shape), n, out=np.full(n.shape, np.nan), where=n > 0)
            too_few = ~self.called_for & (2 * n < self.n_sheets(kind)[:, None])
            self._of_kind[kind] = np.where(too_few, np.nan, means), n.astype(np.int64)
        return self._of_kind[kind]

    def n_sheets(self, kind: str) -> IntArray:
        """Return how many raters of a kind rated each response, shape (R,)."""
        own = self.sheets.filter(pl.col("rater_kind") == kind)
        counts = own.group_by(RESPONSE).agg(pl.col("rater").n_unique().alias("n"))
        joined = self.responses.select(RESPONSE).join(counts, on=RESPONSE, how="left", maintain_order="left")
        return joined["n"].fill_null(0).cast(pl.Int64).to_numpy()

    def prespecified(self, values: FloatArray) -> FloatArray:
        """Return values without the lines that only the response made apply."""
        may = self.optional_lines
        return np.where(self.called_for | may[None, :], values, np.nan)

    @property
    def common_lines(self) -> tuple[str, ...]:
        """The rubric's own lines, which stand first; criteria of single vignettes follow."""
        return self.plan.fields[: len(self.state.rubric.scored)]

    @cached_property
    def optional_lines(self) -> BoolArray:
        """Lines outside the means: they may or may not apply, whatever the key says."""
        return ~self.plan.in_mean

    def units(self, values: FloatArray) -> dict[tuple[str, str], FloatArray]:
        """Return the scores of every sub-dimension, domain and composite, by (unit, name).

        Criteria of single vignettes enter domains and composites, but are no units of their own: nothing
        is compared on them.

        Parameters
        ----------
        values : ndarray of float, shape (R, F)
            Scores of the lines.

        Returns
        -------
        dict of (str, str) to ndarray of float, shape (R,)
        """
        out = {("subdimension", name): values[:, f] for f, name in enumerate(self.common_lines)}
        domains = domain_scores(values, self.plan)
        for d, name in enumerate(self.plan.domains):
            out["domain", name] = domains[:, d]
        out["composite", UNWEIGHTED] = composites(values, domains, self.plan)
        if self.state.use.profiles:
            out["composite", WEIGHTED] = composites(values, domains, self.plan, self.declared_weights)
        return out

    @cached_property
    def declared_weights(self) -> FloatArray:
        """The declared weights of each response's task type, shape (R, D); 1 where none is declared."""
        of_task = {
            task: profile_weights(self.state, self.state.profile_of(task))
            for task in self.responses["task_type"].unique()
        }
        ones = np.ones(len(self.plan.domains))
        rows = [ones if of_task[t] is None else of_task[t] for t in self.responses["task_type"]]
        return np.array(rows, dtype=np.float64).reshape(len(rows), ones.size)

    @cached_property
    def flags(self) -> dict[str, IntArray]:
        """Each rater's answers on the flag, shape (R,): 1 yes, 0 no, -1 none."""
        flag = self.state.rubric.flag
        if flag is None:
            return {}
        rows = self.sheets.filter(pl.col("criterion_id") == flag.id).with_columns(
            (pl.col("label").str.to_lowercase() == "yes").cast(pl.Int64).alias("yes")
        )
        out = {}
        for rater in self.raters:
            own = rows.filter(pl.col("rater") == rater).select(*RESPONSE, "yes")
            joined = self.responses.select(RESPONSE).join(own, on=RESPONSE, how="left", maintain_order="left")
            out[rater] = joined["yes"].fill_null(-1).to_numpy()
        return out

    def flagged(self, kind: str, rule: str) -> IntArray:
        """Return which responses are flagged by the raters of a kind: 1, 0, or -1 where none answered."""
        answers = [a for (rater, a) in self.flags.items() if self.kinds[self.raters.index(rater)] == kind]
        if not answers:
            return np.full(self.responses.height, -1, dtype=np.int64)
        stacked = np.stack(answers)
        yes, n = (stacked == 1).sum(axis=0), (stacked >= 0).sum(axis=0)
        raised = yes > 0 if rule == "any" else 2 * yes > n
        return np.where(n > 0, raised.astype(np.int64), -1)

    def clusters(self, data: BenchmarkData) -> IntArray:
        """Return the resampled unit of each response, shape (R,): its vignette, or the declared cluster."""
        return item_units(self.responses["item_id"], data)


def item_units(items: pl.Series, data: BenchmarkData) -> IntArray:
    """Return a number per resampled unit: the item, or its cluster where the card declares one."""
    names = items.to_frame("item_id")
    if data.card.cluster is not None:
        of_item = data.items.select("item_id", pl.col(data.card.cluster).cast(pl.String).alias("cluster"))
        names = names.join(of_item, on="item_id", how="left", maintain_order="left")
        unit = pl.coalesce(pl.format("c:{}", "cluster"), pl.format("i:{}", "item_id"))
        names = names.select(unit.alias("item_id"))
    return names["item_id"].rank("dense").to_numpy().astype(np.int64) - 1


def without_rubric(data: BenchmarkData, *tables: str) -> Made | None:
    """Return empty tables for a benchmark that declares no rubric, None for one that does."""
    if data.sheets is not None and data.rubric is not None:
        return None
    return {name: (DERIVED[name].create_empty(), "The card declares no rubric") for name in tables}


def lay_out_rubric(data: BenchmarkData, round_name: str = MAIN) -> RubricLayout:
    """Lay the scoring sheets of a round out.

    Parameters
    ----------
    data : BenchmarkData
        The validated tables, sheets and rubric included.
    round_name : str
        The round.
    """
    why = "rules of the rubric run where one is declared"
    assert data.sheets is not None, why
    assert data.rubric is not None, why
    state = RubricState.from_json(data.rubric)
    plan = ScorePlan.of(state)
    sheets = data.sheets.filter(pl.col("round") == round_name)
    responses = sheets.select(RESPONSE).unique().sort(RESPONSE)
    classes = comparability_classes(state, plan)
    responses = responses.join(classes, on="item_id", how="left", maintain_order="left")
    raters = sheets.select("rater", "rater_kind").unique().sort("rater")
    if responses.height * len(plan.fields) > MAX_CELLS:
        raise VerdictAtlasError(
            f"the sheets have {responses.height:,} responses and {len(plan.fields):,} lines, those of "
            f"single vignettes included; at most {MAX_CELLS:,} pairs of them can be scored\n  what to do: "
            "split the benchmark"
        )
    return RubricLayout(
        state,
        plan,
        sheets,
        responses,
        _called_for(state, plan, responses),
        tuple(raters["rater"]),
        tuple(raters["rater_kind"]),
    )


def _called_for(state: RubricState, plan: ScorePlan, responses: pl.DataFrame) -> BoolArray:
    lines = plan_lines(state).filter("applies")
    items = responses["item_id"].unique().sort()
    row = {name: i for i, name in enumerate(items)}
    column = {name: i for i, name in enumerate(plan.fields)}
    lines = lines.filter(pl.col("item_id").is_in(items.implode()))
    table = np.zeros((items.len(), len(plan.fields)), dtype=bool)
    at = lines["item_id"].replace_strict(row, return_dtype=pl.Int64).to_numpy()
    table[at, lines["criterion_id"].replace_strict(column, return_dtype=pl.Int64).to_numpy()] = True
    of_response: BoolArray = table[responses["item_id"].replace_strict(row, return_dtype=pl.Int64).to_numpy()]
    return of_response


def comparability_classes(state: RubricState, plan: ScorePlan) -> pl.DataFrame:
    """Return the class of every vignette: its task type, numbered where one has several patterns.

    Returns
    -------
    pl.DataFrame
        `item_id`, `task_type`, `comparability`, `not_applicable` (lines parted by spaces).

    Notes
    -----
    The pattern is over the lines that enter a mean, by the key. Vignettes with criteria of their own
    share a class by the rubric's common lines only: points are shares of what each vignette offers.
    """
    common = set(state.rubric.scored)
    enters = {name for name, keep in zip(plan.fields, plan.in_mean, strict=True) if keep} & common
    lines = plan_lines(state).filter(pl.col("criterion_id").is_in(list(enters)) & ~pl.col("applies"))
    missing = lines.group_by("item_id", maintain_order=True).agg(
        pl.col("criterion_id").str.join(" ").alias("not_applicable")
    )
    keys = pl.DataFrame(
        {
            "item_id": list(state.keys),
            "task_type": [key.task_type or "unstated" for key in state.keys.values()],
        },
        schema={"item_id": pl.String, "task_type": pl.String},
    )
    keys = keys.join(missing, on="item_id", how="left", maintain_order="left")
    keys = keys.with_columns(pl.col("not_applicable").fill_null(""))
    patterns = keys.select("task_type", "not_applicable").unique().sort("task_type", "not_applicable")
    patterns = patterns.with_columns(
        pl.len().over("task_type").alias("n"), pl.int_range(1, pl.len() + 1).over("task_type").alias("number")
    )
    name = pl.when(pl.col("n") == 1).then("task_type").otherwise(pl.format("{}-{}", "task_type", "number"))
    patterns = patterns.select("task_type", "not_applicable", name.alias("comparability"))
    return keys.join(patterns, on=["task_type", "not_applicable"], how="left", maintain_order="left").select(
        "item_id", "task_type", "comparability", "not_applicable"
    )
