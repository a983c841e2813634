"""The columns of the sessions' raw files: names, kinds, bounds and defaults."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from analysis.schemas.sessions import JUDGED, PLANS, RATER_KINDS, ROLES, SEVERITIES, UNITS, VIOLATION_KINDS

Kind = Literal["id", "text", "whole", "number", "flag", "set", "sequence", "word"]
T_MAX = 20
"""T_max where a file does not say: the paper's."""


@dataclass(frozen=True)
class Column:
    """A column of a raw file.

    Parameters
    ----------
    name : str
        Its name.
    kind : str
        `id` (text or integer, not null), `text`, `whole`, `number`, `flag`, `set` and `sequence`
        (lists; order and repetition count in the latter only) or `word` (one of `allowed`).
    required : bool
        The file must have it.
    default : str, int, float, bool or None
        In place of a column that is absent, and of a null.
    nullable : bool
        Null may stay null (only where there is no default).
    low, high : float or None
        Bounds of numbers.
    allowed : tuple of str
        Words that are accepted.
    """

    name: str
    kind: Kind
    required: bool = False
    default: str | int | float | bool | None = None
    nullable: bool = True
    low: float | None = None
    high: float | None = None
    allowed: tuple[str, ...] = ()


def _id(name: str) -> Column:
    return Column(name, "id", required=True, nullable=False)


def _texts(*names: str) -> tuple[Column, ...]:
    return tuple(Column(name, "text") for name in names)


def _turn(name: str, *, low: int = 0, required: bool = False, nullable: bool = True) -> Column:
    return Column(name, "whole", required, nullable=nullable, low=low)


RUN = Column("run", "whole", default=0, low=0)
SESSION = (_id("model"), _id("case_id"), RUN)
PLAN = Column("plan", "word", default="initial", allowed=PLANS)
WEIGHT = Column("weight", "number", default=1.0, low=0)

COLUMNS: dict[str, tuple[Column, ...]] = {
    "sessions": (*SESSION, _turn("t_dx", required=True), Column("t_max", "whole", default=T_MAX, low=1)),
    "session_turns": (
        *SESSION,
        _turn("turn", required=True, nullable=False),
        *_texts("question", "template", "intent"),
        Column("revealed", "set", required=True),
        Column("top_k", "sequence"),
        Column("expert", "set"),
        Column("information_gain", "number"),
    ),
    "session_cases": (
        _id("case_id"),
        *_texts("title", "specialty"),
        Column("age", "number", low=0),
        *_texts("sex"),
        *(Column(name, "number", low=0) for name in ("weight_kg", "egfr")),
        Column("factors", "sequence"),
        *(Column(name, "set") for name in ("allergies", "medications")),
    ),
    "session_aius": (
        _id("case_id"),
        _id("aiu_id"),
        *_texts("text", "category"),
        WEIGHT,
        Column("red_flag", "flag", default=False),
        Column("key", "flag"),
        Column("mni_of", "set"),
    ),
    "session_precedence": (
        Column("case_id", "id", default=""),
        Column("unit", "word", default="template", allowed=UNITS),
        _id("before"),
        _id("after"),
        Column("support", "number", low=0, high=1),
    ),
    "session_gold": (
        _id("case_id"),
        _id("diagnosis"),
        Column("core", "flag", default=True),
        WEIGHT,
        Column("severity", "number", low=0),
        _turn("t_evidence"),
    ),
    "session_differentials": (
        *SESSION,
        _id("diagnosis"),
        _turn("rank", low=1, required=True, nullable=False),
        Column("as_core", "flag"),
        _turn("turn_named"),
        *_texts("rationale"),
    ),
    "session_regimens": (
        *SESSION,
        PLAN,
        _turn("line", low=1),
        _id("drug"),
        Column("dose", "number", low=0),
        *_texts("dose_unit"),
        Column("per_day", "number", low=0),
        *_texts("route", "indication"),
    ),
    "session_violations": (
        *SESSION,
        PLAN,
        _turn("violation", low=1),
        *_texts("rule"),
        Column("kind", "word", required=True, nullable=False, allowed=VIOLATION_KINDS),
        Column("severity", "word", required=True, nullable=False, allowed=SEVERITIES),
        Column("hard", "flag"),
        *_texts("drug", "other_drug", "note"),
    ),
    "session_followups": (
        *SESSION,
        _turn("turn", low=1, required=True, nullable=False),
        *_texts("intent", "question", "answer"),
        WEIGHT,
    ),
    "session_adaptations": (
        *SESSION,
        Column("constraint", "id", default=""),
        *_texts("kind"),
        Column("satisfied", "flag", required=True),
        *(Column(name, "number", low=0) for name in ("quality_before", "quality_after")),
    ),
    "session_judgements": (
        *SESSION,
        Column("metric", "word", required=True, nullable=False, allowed=tuple(JUDGED)),
        Column("target", "id", default=""),
        Column("dimension", "text", default=""),
        _id("rater"),
        Column("repeat", "whole", default=0, low=0),
        Column("rater_kind", "word", default="judge", allowed=RATER_KINDS),
        Column("value", "number", required=True, nullable=False, low=0, high=1),
    ),
    "session_systems": (
        _id("model"),
        Column("role", "word", default="model", allowed=ROLES),
        *_texts("base_model"),
        Column("thinking", "flag"),
    ),
}
"""The columns of every raw file, in the order of its schema."""

BELIEFS = ("belief_before", "belief_after")
"""Columns of the turns from which the information gain is computed."""


def known_columns(table: str) -> tuple[str, ...]:
    """Return the columns of a raw file that something reads."""
    return (*(c.name for c in COLUMNS[table]), *(BELIEFS if table == "session_turns" else ()))
