"""The same model with the same label and the same colour in every figure.

Labels come from `name` of the models table, cleaned, shortened and made unique. Colours are given
to up to ten models: each prefers the colour that its identifier hashes to, and where two prefer
the same, the later in code-point order takes the next free one. So a model that joins a benchmark
leaves the others' colours alone except where it meets one of them. Beyond ten models no model has
a colour of its own.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from analysis.figures.figure import Tables
from analysis.figures.text import clean, short_labels
from analysis.figures.theme import LABEL_WIDTH, LIGHT, TEXT, Theme

LONG_NAME = 60
"""Names of more characters are shortened in running text too."""

COLOURS = len(LIGHT.series)
"""The most models that have colours of their own."""


@dataclass(frozen=True)
class Identity:
    """Labels and colours of a benchmark's models.

    Parameters
    ----------
    labels : dict of str to str
        Identifier to label: short, unique.
    names : dict of str to str
        Identifier to name in full, cleaned.
    slots : dict of str to int
        Identifier to place in the theme's series; empty beyond ten models.
    weights : dict of str to str
        Identifier to ``open``, ``closed`` or ``not stated``.
    """

    labels: dict[str, str]
    names: dict[str, str]
    slots: dict[str, int]
    weights: dict[str, str]

    def label(self, model: str) -> str:
        """Return the model's label."""
        return self.labels[model]

    def spoken(self, model: str) -> str:
        """Return the model's name for running text: in full, unless it is very long."""
        name = self.names[model]
        unique = list(self.names.values()).count(name) == 1
        return name if unique and len(name) <= LONG_NAME else self.labels[model]

    def colour(self, model: str, theme: Theme) -> str:
        """Return the model's colour, or the neutral one beyond ten models."""
        return theme.series[self.slots[model]] if self.slots else theme.neutral


def identify(tables: Tables) -> Identity:
    """Return labels and colours for every model of the models table and of the other tables."""
    rows = tables["models"].to_dicts() if "models" in tables else []
    known = {row["model"]: row for row in rows}
    for table in ("model_scores", "concordance", "coverage", "failure_labels", "strata", "frontier"):
        frame = tables.get(table)
        if frame is not None:
            for column in ("model", "model_a", "model_b"):
                if column in frame.columns:
                    for model in frame[column].unique().to_list():
                        known.setdefault(model, {})
    models = sorted(known)
    names = {m: clean(known[m].get("name") or m) for m in models}
    return Identity(
        labels=short_labels(names, LABEL_WIDTH, TEXT),
        names=names,
        slots=colour_slots(models),
        weights={m: known[m].get("weights") or "not stated" for m in models},
    )


def colour_slots(models: Iterable[str]) -> dict[str, int]:
    """Return a place among the ten colours for each model; nothing beyond ten models.

    Examples
    --------
    >>> slots = colour_slots(["a", "b", "c"])
    >>> len(set(slots.values())), colour_slots(map(str, range(11)))
    (3, {})
    """
    models = sorted(models)
    if len(models) > COLOURS:
        return {}
    slots: dict[str, int] = {}
    taken: set[int] = set()
    for model in models:
        digest = hashlib.sha256(model.encode("utf-8", "surrogatepass")).digest()
        slot = int.from_bytes(digest[:8], "big") % (COLOURS - 1)
        while slot in taken:
            # the last colour is a grey: it is given only where there is no other
            slot = COLOURS - 1 if len(taken) == COLOURS - 1 else (slot + 1) % (COLOURS - 1)
        taken.add(slot)
        slots[model] = slot
    return slots
