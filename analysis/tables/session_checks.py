"""Checks of consultation sessions: findings from what ingest counted of them."""

from __future__ import annotations

from collections.abc import Iterator

from analysis.tables.data import BenchmarkData
from analysis.tables.quality_checks import Finding, Status, of_ingest

OF_SESSIONS: dict[str, Status] = {
    "verdicts_from_sessions": "note",
    "sessions_without_verdict": "attention",
    "sessions_without_diagnosis": "note",
    "sessions_without_differential": "attention",
    "differentials_without_t_dx": "attention",
    "sessions_with_missing_turns": "attention",
}
"""Counts of sessions."""

OF_OTHERS: dict[str, Status] = {
    "turns_after_diagnosis": "note",
    "cases_without_rows": "attention",
    "cases_without_session": "note",
    "followups_not_judged": "attention",
    "judgements_of_nothing": "attention",
    "model_without_sessions": "note",
    "critic_not_run": "note",
    "critic_violations": "note",
    "critic_unknown_drug": "attention",
    "critic_unknown_allergy": "attention",
    "critic_unknown_medication": "attention",
    "critic_unknown_profile": "note",
    "critic_dose_not_given": "note",
    "critic_dose_unit": "note",
    "critic_doses_a_day_not_given": "note",
    "critic_route_not_given": "note",
}
"""Counts of other things: turns, cases, judgements, lines of regimens."""


def sessions_findings(data: BenchmarkData) -> Iterator[Finding]:
    """Return what ingest found odd in the sessions; nothing where a benchmark has none.

    Unlike the checks of verdicts these have a row only where they found something: most benchmarks
    have no sessions to check.
    """
    n_sessions = int(of_ingest(data, "sessions")["n"].sum())
    for check, status in {**OF_SESSIONS, **OF_OTHERS}.items():
        for subject, n, note in of_ingest(data, check).iter_rows():
            of = n_sessions if check in OF_SESSIONS else n
            yield Finding(check, subject, n, of, status, f"{note[0].upper()}{note[1:]}.")
