"""A question to a person: what was found, and which option answers it."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from analysis.ingest.importers.pipeline.naming import counted


@dataclass(frozen=True)
class Option:
    """One answer to a question.

    Parameters
    ----------
    flag : str
        What to put on the command line.
    meaning : str
        What it does.
    answer : dict
        The same as keys of `Choices`; empty where something must still be filled in.
    """

    flag: str
    meaning: str
    answer: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Question:
    """Something that a person must decide.

    Parameters
    ----------
    about : str
        The key of `Choices` that it is about.
    text : str
        What was found, and what is asked.
    options : tuple of Option
        The answers.
    """

    about: str
    text: str
    options: tuple[Option, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the question as plain data, for JSON."""
        return asdict(self)


def quoted(*parts: str) -> str:
    """Return an option of the command line, quoted for a shell."""
    return " ".join(p if p.startswith("--") else shlex.quote(p) for p in parts)


def duplicate_question(n: int, within: int, differing: Sequence[str], example: str) -> Question:
    """Ask what samples are that a model has more than once."""
    setting = f"; the logs differ in {', '.join(differing[:4])}" if differing else ""
    inside = f"; {counted(within, 'of them stands', 'of them stand')} twice within one log" if within else ""
    options = [
        Option("--duplicates latest", "the latest log's answer counts", {"duplicates": "latest"}),
        Option("--duplicates runs", "they are repetitions: each is a run", {"duplicates": "runs"}),
    ]
    options += [
        Option(
            quoted("--name-by", key),
            f"they are different systems: put {key} into the model's name",
            {"name_by": [key]},
        )
        for key in differing[:4]
    ]
    return Question(
        "duplicates",
        counted(n, "answer is", "answers are")
        + f" to a question that the same model answered before (such as {example}){setting}{inside}."
        " What are they?",
        tuple(options),
    )


def same_id_question(n: int, example: str) -> Question:
    """Ask about identifiers that stand for several questions."""
    return Question(
        "same_id",
        counted(n, "identifier stands", "identifiers stand")
        + f" for different questions in different logs (such as {example}). One item each, or several?",
        (
            Option(
                "--same-id split", "several: the identifier gets a mark per question", {"same_id": "split"}
            ),
            Option("--same-id merge", "one: the questions differ in wording only", {"same_id": "merge"}),
        ),
    )


SHOWN = 8
