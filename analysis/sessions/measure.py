"""Every metric of every session that the tables make possible."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from analysis.schemas.sessions import FILES
from analysis.sessions.definitions import METRICS, Metric
from analysis.sessions.diagnosis_counts import diagnosis_metrics
from analysis.sessions.history_counts import history_metrics, take_history
from analysis.sessions.index import Floats, SessionIndex, index_sessions
from analysis.sessions.judged import judged_metrics
from analysis.sessions.later_counts import follow_up_metrics, treatment_metrics

STEMS = {stem: table for table, stem in FILES.items()}


def measure_sessions(
    tables: Mapping[str, pl.DataFrame], *, tau: float
) -> tuple[SessionIndex, dict[str, Floats]]:
    """Compute the metrics.

    Parameters
    ----------
    tables : mapping of str to pl.DataFrame
        Validated tables of the sessions by name.
    tau : float
        τ of DCSR.

    Returns
    -------
    SessionIndex
        The sessions in the order of the values.
    dict of str to ndarray of float, shape (n,)
        Values by metric, in the order of `METRICS`; NaN where a metric is not defined. Metrics that the
        tables do not make possible are absent.
    """
    index = index_sessions(tables)
    told = take_history(index)
    found = {
        **history_metrics(index, told),
        **diagnosis_metrics(index, told),
        **treatment_metrics(index),
        **judged_metrics(index),
        **follow_up_metrics(index, tau),
    }
    return index, {m.name: found[m.name] for m in METRICS if m.name in found}


def why_impossible(metric: Metric, tables: Mapping[str, pl.DataFrame]) -> str:
    """Return why a metric is absent: which files or columns are missing."""
    missing = [stem for stem in metric.needs if STEMS[stem] not in tables]
    if missing:
        return "there is no " + " and no ".join(f"sessions/{stem}" for stem in missing)
    return _EMPTY.get(metric.name, f"{', '.join(metric.needs)} have nothing that it could be counted from")


_NO_JUDGEMENT = "no row of sessions/judgements has the metric "
_EMPTY = {
    "ige": "no turn has an information gain",
    "hit_1": "no turn has an expert set",
    "hit_3": "no turn has both an expert set and top_k",
    "repetition_effective": "no turn has a template or an intent",
    "repetition_ineffective": "no turn has a template or an intent",
    "f1_core_marked": "no diagnosis has as_core",
    "ded": "no gold diagnosis has t_evidence, and no session reveals all of a diagnosis's MNI",
    "ded_turns": "no gold diagnosis has t_evidence, and no session reveals all of a diagnosis's MNI",
    "dcsr": "no constraint is judged with its qualities",
    "constraint_met": "no constraint is judged",
    "quality_kept": "no constraint has its qualities",
    **{name: _NO_JUDGEMENT + name for name in ("drss", "neu", "car", "aoc", "sdbi", "fqr")},
    "fqr_weighted": _NO_JUDGEMENT + "fqr",
}
