"""Labels beside points never cover each other or a point."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from analysis.figures.place import place_labels
from analysis.figures.text import text_width

SIZE = 12.0


def boxes(
    points: list[tuple[float, float]], labels: list[str]
) -> dict[int, tuple[float, float, float, float]]:
    placed = place_labels(points, labels, range(len(points)), width=480, height=330, size=SIZE)
    out = {}
    for p in placed:
        wide = text_width(labels[p.index], SIZE)
        left = p.x - {"left": 0, "center": wide / 2, "right": wide}[p.align]
        out[p.index] = (left, p.y - 6, left + wide, p.y + 6)
    return out


def crosses(a: tuple[float, ...], b: tuple[float, ...]) -> bool:
    return min(a[2], b[2]) - max(a[0], b[0]) > 0.5 and min(a[3], b[3]) - max(a[1], b[1]) > 0.5


@pytest.mark.parametrize("n", [1, 2, 9, 36, 200])
def test_no_label_covers_another_or_a_point(n: int) -> None:
    rng = np.random.default_rng(n)
    points = [(float(x), float(y)) for x, y in rng.uniform((10, 10), (470, 320), (n, 2))]
    labels = [f"model-{i}" * (1 + i % 3) for i in range(n)]
    found = boxes(points, labels)
    assert len(found) >= min(n, 20)
    for a, b in itertools.combinations(found.values(), 2):
        assert not crosses(a, b)
    for i, box in found.items():
        assert box[0] >= 0
        assert box[2] <= 480
        assert not any(
            crosses(box, (x - 4, y - 4, x + 4, y + 4)) for j, (x, y) in enumerate(points) if j != i
        )


def test_all_points_in_one_place_still_give_labels() -> None:
    found = boxes([(240.0, 160.0)] * 12, [f"m{i}" for i in range(12)])
    assert len(found) >= 6


def test_the_most_important_comes_first() -> None:
    points, labels = [(240.0, 160.0), (241.0, 160.0)], ["a" * 30, "b" * 30]
    first = place_labels(points, labels, [1, 0], width=480, height=330, size=SIZE)[0]
    assert first.index == 1
    assert (first.x, first.y, first.align) != (0, 0, "")


def test_labels_avoid_lines_where_they_can() -> None:
    line = [(100.0, 100.0, 480.0, 100.0)]
    (free,) = place_labels([(100.0, 100.0)], ["model"], [0], width=480, height=330, size=SIZE)
    (beside,) = place_labels([(100.0, 100.0)], ["model"], [0], width=480, height=330, size=SIZE, lines=line)
    assert (free.y, free.align) == (100.0, "left")
    assert beside.y != 100.0 or beside.align == "right"
