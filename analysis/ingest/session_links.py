"""Whether the files of the sessions fit each other: rows of sessions that exist, units that the case has."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from analysis.ingest.audit import AuditCounts, plural
from analysis.ingest.checks import RowChecks

KEY = ["model", "case_id", "run"]
OF_CASES = ("session_aius", "session_gold", "session_cases", "session_precedence", "session_systems")
"""Tables that are not about single sessions."""


def check_links(
    checks: RowChecks, frame: pl.DataFrame, table: str, tables: Mapping[str, pl.DataFrame]
) -> None:
    """Flag rows of sessions that `sessions` does not list, and units that the case does not have.

    Parameters
    ----------
    checks : RowChecks
        The file's rows; flagged here.
    frame : pl.DataFrame
        Its normalised rows, in the same order.
    table : str
        Name of the table.
    tables : mapping of str to pl.DataFrame
        Tables that were read before it.
    """
    if table != "sessions" and table not in OF_CASES and "sessions" in tables:
        listed = tables["sessions"].select(*KEY, pl.lit(True).alias("__there")).unique()
        there = frame.select(KEY).join(listed, on=KEY, how="left", maintain_order="left")["__there"]
        shown = frame.select(pl.format("{}, {}, run {}", *KEY)).to_series() if there.null_count() else there
        checks.flag(
            there.is_null(),
            "belongs to a session that sessions does not list",
            column="case_id",
            values=shown,
            allowed="model, case_id and run of a row of sessions",
        )
    if table == "session_turns" and "session_aius" in tables:
        _units(checks, frame, tables["session_aius"])


def _units(checks: RowChecks, frame: pl.DataFrame, aius: pl.DataFrame) -> None:
    shown = (
        frame.lazy()
        .select("case_id", pl.col("revealed").alias("aiu_id"))
        .with_row_index("row")
        .explode("aiu_id", empty_as_null=False, keep_nulls=False)
        .join(aius.lazy().select("case_id", "aiu_id"), on=["case_id", "aiu_id"], how="anti")
        .group_by("row")
        .agg(pl.col("aiu_id").min())
        .sort("row")
        .collect()
    )
    if shown.is_empty():
        return
    rows = pl.DataFrame({"row": pl.int_range(frame.height, dtype=pl.UInt32, eager=True)})
    unknown = rows.join(shown, on="row", how="left", maintain_order="left")["aiu_id"]
    checks.flag(
        unknown.is_not_null(),
        "reveals units that the case does not have",
        column="revealed",
        values=unknown,
        allowed="aiu_id of a row of aius with the same case_id",
    )


def audit_sessions(trail: AuditCounts, tables: Mapping[str, pl.DataFrame]) -> None:
    """Count what is odd and not refused."""
    sessions = tables["sessions"]
    trail.add("sessions", "", sessions.height, plural(sessions.height, "consultation session"))
    none = sessions["t_dx"].null_count()
    if none:
        trail.add("sessions_without_diagnosis", "", none, f"{plural(none, 'session')} without a diagnosis")
    if "session_differentials" in tables:
        listed = tables["session_differentials"]
        n = sessions.drop_nulls("t_dx").join(listed, on=KEY, how="anti").height
        if n:
            note = f"{plural(n, 'session')} with t_dx and no differential: an empty list"
            trail.add("sessions_without_differential", "", n, note)
        n = sessions.filter(pl.col("t_dx").is_null()).join(listed, on=KEY, how="semi").height
        if n:
            note = f"{plural(n, 'session')} with a differential although t_dx says that no diagnosis was made"
            trail.add("differentials_without_t_dx", "", n, note)
    if "session_turns" in tables:
        _audit_turns(trail, sessions, tables["session_turns"])
    if "session_judgements" in tables:
        _audit_judged(trail, tables)
    cases = sessions.select("case_id").unique()
    for table, what in (("session_aius", "units"), ("session_gold", "gold diagnoses")):
        if table in tables:
            n = cases.join(tables[table], on="case_id", how="anti").height
            if n:
                stem = table.removeprefix("session_")
                trail.add(
                    "cases_without_rows", stem, n, f"{plural(n, 'case')} of the sessions without {what}"
                )
            own = tables[table].join(cases, on="case_id", how="anti")["case_id"].n_unique()
            if own:
                stem = table.removeprefix("session_")
                trail.add(
                    "cases_without_session", stem, own, f"{plural(own, 'case')} with {what}, no session"
                )


def audit_session_verdicts(
    trail: AuditCounts, tables: Mapping[str, pl.DataFrame], verdicts: pl.DataFrame
) -> None:
    """Count the sessions of which there is no verdict, and what describes models without a session."""
    if "sessions" not in tables:
        return
    asked = tables["sessions"].rename({"case_id": "item_id"})
    key = ["model", "item_id", "run"]
    n = asked.join(verdicts, on=key, how="anti").height
    if n:
        trail.add("sessions_without_verdict", "", n, f"{plural(n, 'session')} without a verdict of its own")
    if "session_systems" in tables:
        idle = tables["session_systems"].join(asked, on="model", how="anti")
        for model in idle["model"].sort():
            trail.add("model_without_sessions", model, 0, f"{model} stands in systems and has no sessions")


def _audit_judged(trail: AuditCounts, tables: Mapping[str, pl.DataFrame]) -> None:
    """Count judgements of turns that do not exist, and follow-up turns that nobody judged."""
    judgements = tables["session_judgements"]
    for metric, table in (("fqr", "session_followups"), ("repetition", "session_turns")):
        rows = judgements.filter(pl.col("metric") == metric)
        if table not in tables or rows.is_empty():
            continue
        turns = tables[table].select(*KEY, pl.col("turn").cast(pl.String).alias("target"))
        n = rows.join(turns, on=[*KEY, "target"], how="anti").height
        if n:
            note = f"{plural(n, 'judgement')} {metric} of turns that do not exist: not used"
            trail.add("judgements_of_nothing", metric, n, note)
        if metric == "fqr":
            n = turns.join(rows, on=[*KEY, "target"], how="anti").height
            if n:
                note = f"{plural(n, 'follow-up turn')} without a judgement: left out of FQR"
                trail.add("followups_not_judged", "", n, note)


def _audit_turns(trail: AuditCounts, sessions: pl.DataFrame, turns: pl.DataFrame) -> None:
    joined = turns.select(*KEY, "turn").join(sessions, on=KEY, how="inner")
    late = joined.filter(pl.col("turn") > pl.col("t_dx")).height
    if late:
        note = f"{plural(late, 'turn')} after the diagnosis: not counted as history taking"
        trail.add("turns_after_diagnosis", "", late, note)
    asked = joined.filter((pl.col("turn") >= 1) & (pl.col("turn") <= pl.col("t_dx")))
    n_asked = asked.group_by(KEY).agg(pl.len().alias("n_asked"))
    fewer = sessions.join(n_asked, on=KEY, how="left").with_columns(pl.col("n_asked").fill_null(0))
    fewer = fewer.filter(pl.col("n_asked") < pl.col("t_dx"))
    if fewer.height:
        note = f"{plural(fewer.height, 'session')} with fewer recorded turns than t_dx"
        trail.add("sessions_with_missing_turns", "", fewer.height, note)
