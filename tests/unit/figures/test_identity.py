"""Labels and colours: the same everywhere, and little moved when models join."""

from __future__ import annotations

import polars as pl

from analysis.figures.identity import COLOURS, colour_slots, identify
from analysis.figures.theme import DARK, LIGHT


def models(names: list[str]) -> dict[str, pl.DataFrame]:
    return {"models": pl.DataFrame({"model": names, "name": names, "weights": [None] * len(names)})}


def test_up_to_ten_models_have_ten_colours() -> None:
    slots = colour_slots(f"m{i}" for i in range(10))
    assert sorted(slots.values()) == list(range(10))


def test_order_of_the_models_does_not_matter() -> None:
    names = [f"m{i}" for i in range(8)]
    assert colour_slots(names) == colour_slots(reversed(names))


def test_grey_comes_last() -> None:
    for n in range(1, 10):
        assert COLOURS - 1 not in colour_slots(f"model {i}" for i in range(n)).values()


def test_most_models_keep_their_colour_when_one_joins() -> None:
    kept = total = 0
    for start in range(40):
        names = [f"{start} model {i}" for i in range(7)]
        before = colour_slots(names)
        after = colour_slots([*names, f"{start} a newcomer"])
        kept += sum(before[m] == after[m] for m in names)
        total += len(names)
    assert kept / total > 0.6


def test_beyond_ten_models_none_has_a_colour_of_its_own() -> None:
    who = identify(models([f"m{i}" for i in range(11)]))
    assert {who.colour(m, LIGHT) for m in who.labels} == {LIGHT.neutral}
    assert {who.colour(m, DARK) for m in who.labels} == {DARK.neutral}


def test_models_of_other_tables_have_labels_too() -> None:
    tables = models(["a"]) | {"concordance": pl.DataFrame({"model_a": ["a"], "model_b": ["b"]})}
    assert identify(tables).labels == {"a": "a", "b": "b"}


def test_names_of_the_models_table_are_shown_and_told_apart() -> None:
    frame = pl.DataFrame(
        {"model": ["x", "y", "z"], "name": ["One", "One", None], "weights": ["open", None, "closed"]}
    )
    who = identify({"models": frame})
    assert who.label("z") == "z"
    assert who.label("x").startswith("One #")
    assert who.label("x") != who.label("y")
    assert who.weights == {"x": "open", "y": "not stated", "z": "closed"}


def test_running_text_has_names_in_full_unless_they_are_very_long() -> None:
    long, longer = "a-model-name-of-" + "x" * 40, "a-model-name-of-" + "y" * 70
    who = identify(models([long, longer]))
    assert who.label(long) != long
    assert who.spoken(long) == long
    assert who.spoken(longer) == who.label(longer)
