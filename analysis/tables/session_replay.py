"""`replayed_sessions` and `replayed_turns`: a few sessions turn by turn, with what each metric counted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import polars as pl

from analysis.schemas import ReplayedSessions, ReplayedTurns
from analysis.tables.data import BenchmarkData, Made, table_frame
from analysis.tables.hidden_errors import IN_FORCE
from analysis.tables.session_matrix import SessionMatrix, lay_out_sessions, without

KEY = ["model", "case_id", "run"]
TEXTS = pl.List(pl.String)

RIGHT = pl.col("top_1_core") >= 1
COVERED = pl.col("mni_coverage") >= IN_FORCE
SAFE = pl.col("psc") >= 1
ADAPTED = pl.col("dcsr") >= 1

EXAMPLES: tuple[tuple[str, str, pl.Expr, str], ...] = (
    (
        "sound",
        "right diagnosis, evidence gathered, safe plan, adapted: the one with the best MNI-Comp",
        RIGHT & COVERED & SAFE & ADAPTED,
        "-mni_comp",
    ),
    (
        "thin history",
        f"right diagnosis on less than {IN_FORCE:.0%} of the necessary information: the thinnest",
        RIGHT & ~COVERED,
        "mni_coverage",
    ),
    (
        "unsafe plan",
        "right diagnosis on enough information, and a hard violation: the one with the most conflicts",
        RIGHT & COVERED & ~SAFE,
        "-pcr",
    ),
    (
        "failed revision",
        "right, thorough and safe until the patient's new constraint",
        RIGHT & COVERED & SAFE & ~ADAPTED,
        "-mni_comp",
    ),
    (
        "wrong although thorough",
        "every necessary unit found, and the first diagnosis is no core one",
        ~RIGHT & (pl.col("mni_coverage") >= 1),
        "-mni_comp",
    ),
    (
        "goes in circles",
        "the largest share of turns that repeat an intent and bring nothing new",
        pl.col("repetition_ineffective") > 0,
        "-repetition_ineffective",
    ),
)
"""Name, what was looked for, condition, and the metric that decides (a minus: the largest first)."""


def derive(data: BenchmarkData) -> Made:
    """Make `replayed_sessions` and `replayed_turns`."""
    if "sessions" not in data.sessions:
        return without("replayed_sessions", "replayed_turns")
    chosen = choose_sessions(lay_out_sessions(data))
    method = (
        "First session of its kind by the stated metric, then model, case and run; models before baselines"
    )
    return {
        "replayed_sessions": (chosen, method),
        "replayed_turns": (replay(data, chosen), "Counted turn by turn as the metrics count"),
    }


def choose_sessions(matrix: SessionMatrix) -> pl.DataFrame:
    """Choose an example of each kind that the metrics can tell, none twice.

    Returns
    -------
    pl.DataFrame
        Rows of the `ReplayedSessions` schema.
    """
    used = sorted(
        {name for _, _, test, _ in EXAMPLES for name in test.meta.root_names()} | {"mni_comp", "pcr"}
    )
    frames = []
    for m in matrix.ranked:
        values = {n: matrix.values(n)[m] for n in used if n in matrix.metrics}
        if not values:
            continue
        frames.append(
            matrix.slots.with_columns(
                pl.lit(matrix.models[m]).alias("model"), **{k: pl.Series(v) for k, v in values.items()}
            )
        )
    if not frames:
        return ReplayedSessions.create_empty()
    sessions = pl.concat(frames).with_columns(pl.col(pl.Float64).fill_nan(None))
    taken: list[dict[str, Any]] = []
    for name, reason, test, by in EXAMPLES:
        needed = set(test.meta.root_names()) | {by.removeprefix("-")}
        if not needed <= set(sessions.columns):
            continue
        # What is not defined is not an example of anything.
        alike = sessions.filter(test.fill_null(False))
        order = alike.sort(
            by.removeprefix("-"), *KEY, descending=[by.startswith("-"), False, False, False], nulls_last=True
        )
        found = _first(order, by.removeprefix("-"), taken)
        if found is not None:
            taken.append(
                {
                    **found,
                    "number": len(taken) + 1,
                    "example": name,
                    "reason": reason,
                    "n_alike": alike.height,
                }
            )
    columns = {c: [t[c] for t in taken] for c in ReplayedSessions.column_names()}
    return table_frame(ReplayedSessions, columns, len(taken))


def _first(order: pl.DataFrame, by: str, taken: list[dict[str, Any]]) -> dict[str, Any] | None:
    """Return the first session that was not taken; of equal ones, one of a model without an example."""
    used = {tuple(t[k] for k in KEY) for t in taken}
    left = [
        row for row in order.select(*KEY, by).iter_rows(named=True) if tuple(row[k] for k in KEY) not in used
    ]
    if not left:
        return None
    shown = {t["model"] for t in taken}
    equal = [row for row in left if row[by] == left[0][by]]
    best = next((row for row in equal if row["model"] not in shown), left[0])
    return {k: best[k] for k in KEY}


def replay(data: BenchmarkData, chosen: pl.DataFrame) -> pl.DataFrame:
    """Go through the turns of the chosen sessions and note what each metric counted.

    Returns
    -------
    pl.DataFrame
        Rows of the `ReplayedTurns` schema; none where there are no turns.
    """
    if "session_turns" not in data.sessions or chosen.is_empty():
        return ReplayedTurns.create_empty()
    rows: list[dict[str, Any]] = []
    for session in chosen.iter_rows(named=True):
        rows += _session_turns(data, {k: session[k] for k in KEY})
    columns: dict[str, Any] = {}
    for name, column in ReplayedTurns.columns().items():
        columns[name] = pl.Series(name, [r[name] for r in rows], dtype=column.dtype)
    return table_frame(ReplayedTurns, columns, len(rows))


def _session_turns(data: BenchmarkData, key: dict[str, Any]) -> Iterator[dict[str, Any]]:
    tables = data.sessions
    mine = [pl.col(k) == v for k, v in key.items()]
    of_case = pl.col("case_id") == key["case_id"]
    turns = tables["session_turns"].filter(mine).sort("turn")
    t_dx = tables["sessions"].filter(mine)["t_dx"][0]
    units = tables["session_aius"].filter(of_case) if "session_aius" in tables else None
    known = {} if units is None else {u["aiu_id"]: u for u in units.iter_rows(named=True)}
    gold = set(tables["session_gold"].filter(of_case)["diagnosis"]) if "session_gold" in tables else set()
    necessary = {u for u, row in known.items() if gold & set(row["mni_of"])}
    pairs = _pairs(data, key["case_id"])
    first: dict[str, int] = {}
    intents: dict[str, int] = {}
    told: set[str] = set()
    for row in turns.iter_rows(named=True):
        turn, template = row["turn"], row["template"]
        new = [u for u in row["revealed"] if u not in told]
        told |= set(new)
        beyond = [u for u in new if u not in necessary]
        late = []
        if turn >= 1 and template is not None and template not in first:
            late = [after for before, after in pairs if before == template and after in first]
            first[template] = turn
        # As Hit@1 counts: the first of the model's list, else the question asked.
        top = row["top_k"][0] if row["top_k"] else template if row["top_k"] is None else None
        expert = row["expert"] or []
        intent = row["intent"] or template
        yield {
            **key,
            "turn": turn,
            "question": row["question"],
            "template": template,
            "revealed": [_says(known, u) for u in row["revealed"]],
            "necessary": [_says(known, u) for u in new if u in necessary],
            "beyond": [_says(known, u) for u in beyond],
            "beyond_weight": float(sum(known[u]["weight"] for u in beyond if u in known)),
            "n_necessary_so_far": len(told & necessary),
            "n_necessary": len(necessary),
            "information_gain": row["information_gain"],
            "expert": expert,
            "hit": None if not expert or turn < 1 else top in expert,
            "repeats": intents.get(intent) if intent is not None and turn >= 1 else None,
            "too_late": late,
            "counted": t_dx is None or turn <= t_dx,
        }
        if intent is not None and turn >= 1:
            intents.setdefault(intent, turn)


def _pairs(data: BenchmarkData, case_id: str) -> list[tuple[str, str]]:
    """Return the precedence pairs of templates that apply to a case."""
    if "session_precedence" not in data.sessions:
        return []
    rows = data.sessions["session_precedence"].filter(
        pl.col("case_id").is_in(["", case_id]) & (pl.col("unit") == "template")
    )
    return sorted(set(rows.select("before", "after").iter_rows()))


def _says(known: dict[str, dict[str, Any]], unit: str) -> str:
    """Return what a unit says, or its identifier."""
    return str((known.get(unit) or {}).get("text") or unit)
