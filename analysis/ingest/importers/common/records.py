"""The records that every importer gives, and the protocol that an importer follows.

An importer reads one log at a time and yields a `Sample` per answered item. It decides nothing
that a person should decide: all metrics, all model names and all identifiers go on as the log has
them, and `analysis.ingest.importers.pipeline` asks for the choices.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Protocol

from analysis.errors import VerdictAtlasError

MAX_EXAMPLES = 3


class RefusedError(VerdictAtlasError):
    """A log cannot be imported; the message says why. Other logs go on."""


class Score(NamedTuple):
    """One metric's value for one sample.

    Parameters
    ----------
    metric : str
        The metric's name in the log, such as ``match`` or ``exact_match,strict-match``.
    number : float or None
        The value as a number; truth values are 1 and 0.
    text : str or None
        The value as text, where it is not a number, or a label beside the number.
    correct : bool or None
        Success as the log itself states it, where it does so beside the value.

    Notes
    -----
    All three null: the sample was asked but not scored by this metric.
    """

    metric: str
    number: float | None = None
    text: str | None = None
    correct: bool | None = None


@dataclass(slots=True)
class Sample:
    """What a log says about one answer of one model to one item.

    Parameters
    ----------
    item : str
        Item's identifier as text.
    item_is_int : bool
        The log has it as an integer: 1 and "1" within one log are different samples.
    run : int
        Repetition, from 0.
    part : str
        Samples of one log with the same identity and different parts are pieces of one sample.
    model, task : str or None
        Null: as the log says.
    status : str
        Why the answer leaves the denominator, such as ``sample_error``; empty where it does not.
    input_hash : int or None
        Hash of the question, to tell whether one identifier names two questions.
    scores : list of Score
        The metrics.
    keys : dict
        Values of the declared metadata keys.
    """

    item: str
    item_is_int: bool = False
    run: int = 0
    part: str = ""
    model: str | None = None
    task: str | None = None
    status: str = ""
    input_hash: int | None = None
    scores: list[Score] = field(default_factory=list)
    keys: dict[str, str] = field(default_factory=dict)
    labels: list[str] = field(default_factory=list)
    flags: list[str] = field(default_factory=list)
    decision: str | None = None
    input_tokens: float | None = None
    output_tokens: float | None = None
    cost_usd: float | None = None
    latency_s: float | None = None


@dataclass(frozen=True)
class LogFile:
    """A log on disk: its main file, and the files that accompany it.

    Parameters
    ----------
    path : Path
        The file that holds the samples.
    name : str
        Its natural name: the last parts of the path that identify it, the same wherever the
        folder stands and however the path was given.
    companions : tuple of Path
        Files that say more about it (results, run specification), read by the importer.
    """

    path: Path
    name: str
    companions: tuple[Path, ...] = ()


@dataclass
class Log:
    """What an importer learns of a log while it reads, and everything it counts."""

    name: str
    format: str
    sha256: str = ""
    size: int = 0
    companions: dict[str, str] = field(default_factory=dict)
    copies: list[str] = field(default_factory=list)
    tool: str = ""
    tool_version: str = ""
    log_id: str = ""
    created: str = ""
    completed: str = ""
    status: str = "success"
    model: str | None = None
    suggested_model: str = ""
    task: str | None = None
    dataset: str = ""
    groups: list[str] = field(default_factory=list)
    roles: dict[str, str] = field(default_factory=dict)
    variant: dict[str, str] = field(default_factory=dict)
    judges: dict[str, str] = field(default_factory=dict)
    default_metric: str = ""
    declared_primary: str = ""
    lower_is_better: set[str] = field(default_factory=set)
    bookkeeping: set[str] = field(default_factory=set)
    open_world: bool = False
    verdict_order: list[str] = field(default_factory=list)
    verdict_succeed: list[str] = field(default_factory=list)
    records: int = 0
    broken: Counter[str] = field(default_factory=Counter)
    notes: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[str]] = field(default_factory=dict)

    def drop(self, reason: str, example: object = None, n: int = 1) -> None:
        """Count a record that gives no row, with its reason."""
        self.broken[reason] += n
        self._example(reason, example)

    def note(self, what: str, example: object = None, n: int = 1) -> None:
        """Count something that a reader should know and that costs no row."""
        self.notes[what] += n
        self._example(what, example)

    def _example(self, reason: str, example: object) -> None:
        if example is None:
            return
        shown = self.examples.setdefault(reason, [])
        text = str(example)
        text = text if len(text) <= 80 else text[:77] + "..."
        if len(shown) < MAX_EXAMPLES and text not in shown:
            shown.append(text)


@dataclass(frozen=True)
class ReadOptions:
    """What a reader needs to know before it reads.

    Parameters
    ----------
    keys : tuple of str
        Metadata keys to keep (track, cluster, strata, covariates).
    mapping : object or None
        The column mapping of tables (`analysis.ingest.importers.table_mapping.TableMapping`).
    full : bool
        Read full samples where a log also holds summaries.
    """

    keys: tuple[str, ...] = ()
    mapping: Any = None
    full: bool = False


class Importer(Protocol):
    """What every format provides."""

    name: str
    """The format's name on the command line."""
    title: str
    """The tool's name, as a reader knows it."""
    maps: ClassVar[dict[str, str]]
    """What becomes what: column of the raw contract, and where it stands in the log."""

    def detect(self, path: Path, head: bytes) -> bool:
        """Say whether the file is a log of this format, by its name and first bytes."""

    def find(self, path: Path) -> LogFile:
        """Return the log that the file is the main file of."""

    def read(self, file: LogFile, log: Log, options: ReadOptions) -> Iterator[Sample]:
        """Yield the log's samples in a stream; fill `log` on the way.

        Raises
        ------
        RefusedError
            Where the log as a whole cannot be imported.
        """
