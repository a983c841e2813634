"""How a metric's values become verdicts: what the log or common use says, else what was chosen."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from analysis.ingest.importers.pipeline.choices import Choices
from analysis.ingest.importers.pipeline.profile import MetricProfile, Profile

CORRECT, PARTIAL, INCORRECT, NO_ANSWER = "correct", "partial", "incorrect", "no_answer"
TECHNICAL_FAILURE = "technical_failure"
VERDICT_ORDER = (NO_ANSWER, INCORRECT, PARTIAL, CORRECT)


class Meaning(NamedTuple):
    """What a text counts: a verdict, a number, success; all null: unscored."""

    verdict: str | None = None
    number: float | None = None
    correct: bool | None = None
    excluded: bool = False


INSPECT_LETTERS = {
    "C": Meaning(CORRECT, 1.0, True),
    "P": Meaning(PARTIAL, 0.5, False),
    "I": Meaning(INCORRECT, 0.0, False),
    "N": Meaning(NO_ANSWER, 0.0, False),
}
"""Inspect's letters, as its own metrics count them."""

INSPECT_WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
"""Texts that Inspect's own metrics count."""

_RIGHT = ("correct", "right", "pass", "passed", "success", "true")
_WRONG = ("incorrect", "wrong", "fail", "failed", "failure", "false")
WORDS = {
    **{word: Meaning(None, 1.0, True) for word in _RIGHT},
    **{word: Meaning(None, 0.0, False) for word in _WRONG},
    "partial": Meaning(None, None, False),
    "technical_failure": Meaning(None, None, None, excluded=True),
}
"""Texts that mean the same in every tool, whatever their case."""


@dataclass
class Rule:
    """How one metric of one task is read.

    Parameters
    ----------
    task, metric : str
        Which.
    texts : dict of str to Meaning
        What each of its texts counts.
    scale : tuple of float or None
        Worst and best value, where they are not 0 and 1.
    threshold : float or None
        Success from this value on, on the metric's own scale.
    lower_is_better : bool
        Success up to the threshold.
    graded : bool
        Values between 0 and 1 count as they are.
    given : bool
        The verdict's text stands as it is, and is missing where it is missing.
    kind : str
        ``binary``, ``graded``, ``threshold``, ``stated`` (the log says success) or ``text``.
    """

    task: str
    metric: str
    texts: dict[str, Meaning] = field(default_factory=dict)
    scale: tuple[float, float] | None = None
    threshold: float | None = None
    lower_is_better: bool = False
    graded: bool = False
    given: bool = False
    kind: str = "binary"

    def sentence(self) -> str:
        """Say in words how the metric is read."""
        if self.kind == "stated":
            return "success as the log states it"
        if self.threshold is not None:
            return f"success {'up to' if self.lower_is_better else 'from'} {self.threshold:g}"
        if self.kind == "text" and self.texts:
            return ", ".join(f"{text} = {_counted(meaning)}" for text, meaning in sorted(self.texts.items()))
        scale = f", scaled from {self.scale[0]:g} (worst) to {self.scale[1]:g} (best)" if self.scale else ""
        if self.graded:
            return f"graded between 0 and 1{scale}"
        return f"1 is success, 0 is not{scale}"


def _counted(meaning: Meaning) -> str:
    if meaning.excluded:
        return "excluded"
    if meaning.number is not None:
        return f"{meaning.number:g}"
    return "unscored" if meaning.correct is None else "1" if meaning.correct else "not correct"


@dataclass
class Reading:
    """A metric's rule, and what is still open about it."""

    rule: Rule
    unknown_texts: list[str] = field(default_factory=list)
    fractional: bool = False
    outside: bool = False


def reading_of(profile: MetricProfile, choices: Choices) -> Reading:
    """Return how a metric is read, with what only a person can say."""
    metric = profile.metric
    rule = Rule(
        profile.task,
        metric,
        scale=choices.range.get(metric),
        threshold=choices.threshold.get(metric),
        lower_is_better=profile.lower_is_better,
        graded=metric in choices.graded,
        given=profile.declared,
    )
    reading = Reading(rule)
    for text in () if profile.declared and metric == "correct" else profile.texts:
        meaning = _meaning(text, profile, choices)
        if meaning is None:
            reading.unknown_texts.append(text)
        else:
            rule.texts[text] = meaning
    halves = any(m.number not in (None, 0.0, 1.0) for m in rule.texts.values())
    reading.fractional = profile.n_number > profile.n_binary or halves
    low, high = profile.low, profile.high
    if rule.scale is None and low is not None and high is not None:
        reading.outside = low < 0 or high > 1
    if (profile.declared and metric == "correct") or (profile.n_stated and profile.n_unstated == 0):
        rule.kind = "stated"
    elif rule.threshold is not None:
        rule.kind = "threshold"
    elif rule.graded:
        rule.kind = "graded"
    elif profile.n_number == 0 and rule.texts:
        rule.kind = "text"
    return reading


def _meaning(text: str, profile: MetricProfile, choices: Choices) -> Meaning | None:
    chosen = choices.value.get(profile.metric, {})
    if text in chosen:
        meaning = chosen[text]
        if meaning == "exclude":
            return Meaning(text, excluded=True)
        if meaning == "unscored" or isinstance(meaning, str):
            return Meaning()
        return Meaning(text, meaning, meaning >= 1)
    known = {*INSPECT_LETTERS, *WORDS, *INSPECT_WORDS}
    if profile.format == "inspect" and all(
        t in known or t.lower() in known or t in chosen for t in profile.texts
    ):
        if text in INSPECT_LETTERS:
            return INSPECT_LETTERS[text]
        if text.lower() in INSPECT_WORDS:
            number = INSPECT_WORDS[text.lower()]
            return Meaning(CORRECT if number else INCORRECT, number, bool(number))
    common = WORDS.get(text.lower())
    return common._replace(verdict=text) if common else None


def candidates(profile: Profile, task: str, choices: Choices) -> list[MetricProfile]:
    """Return the metrics that could be the task's primary one: those that score anything.

    A table's mapping says which column is the outcome; its other metrics do not compete.
    """
    declared = [m for m in profile.of(task).values() if m.declared]
    if declared:
        return declared
    found = [m for m in profile.of(task).values() if not m.bookkeeping]
    scored = [m for m in found if m.n_scored]
    return scored or found
