"""What the resolution of samples found, and what it leaves open."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from analysis.ingest.importers.pipeline.question import Question


@dataclass
class Resolution:
    """What was resolved, and what is still open.

    Parameters
    ----------
    questions : list of Question
        Open questions; where there are any, the rest is provisional.
    dropped : dict of str to Counter
        Samples that gave no row, by log and reason.
    notes : list of str
        What was decided by rule, in sentences.
    rows : int
        Rows that will be written.
    added : Counter
        Rows added for items that a list does not name, by log.
    """

    questions: list[Question] = field(default_factory=list)
    dropped: dict[str, Counter[str]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    rows: int = 0
    added: Counter[str] = field(default_factory=Counter)

    def drop(self, log: str, reason: str, n: int) -> None:
        """Count samples of a log that give no row."""
        self.dropped.setdefault(log, Counter())[reason] += n
