"""Small integer programs: counts that satisfy linear statements and stay close to what is likely."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

NODE_LIMIT = 20_000
"""Nodes, not seconds: the result does not depend on the speed of the machine."""


@dataclass(frozen=True)
class Wish:
    """A sum that is asked for without insisting: `price` for each unit of distance beyond `free`."""

    row: Floats
    value: float
    price: float
    free: float


class Counts:
    """Non-negative whole counts of N kinds of patients under linear statements."""

    def __init__(self, n: int) -> None:
        self.n = n
        self._rows: list[Floats] = []
        self._low: list[float] = []
        self._high: list[float] = []
        self._wishes: list[Wish] = []

    def require(self, row: npt.ArrayLike, low: float, high: float | None = None) -> None:
        """Bound the sum of the counts, each times its number in `row`."""
        self._rows.append(np.asarray(row, dtype=np.float64))
        self._low.append(low)
        self._high.append(low if high is None else high)

    def wish(self, row: npt.ArrayLike, value: float, *, price: float = 1.0, free: float = 0.0) -> None:
        """Ask for a sum of the counts, each times its number in `row`."""
        self._wishes.append(Wish(np.asarray(row, dtype=np.float64), value, price, free))

    def stay_near(self, start: npt.ArrayLike) -> None:
        """Ask for every count to be near its number in `start`."""
        for row, value in zip(np.eye(self.n), np.asarray(start, dtype=np.float64), strict=True):
            self.wish(row, float(value))

    def solve(self) -> Ints:
        """Return the counts.

        Raises
        ------
        RuntimeError
            Where no counts satisfy the statements, or none were found within `NODE_LIMIT`.
        """
        from scipy.optimize import Bounds, LinearConstraint, milp

        # Variables: the counts, then the distance of each wish.
        n, n_wishes = self.n, len(self._wishes)
        rows = [np.concatenate([row, np.zeros(n_wishes)]) for row in self._rows]
        low, high = list(self._low), list(self._high)
        for wish, own in zip(self._wishes, np.eye(n_wishes), strict=True):
            for sign in (1, -1):
                rows.append(np.concatenate([sign * wish.row, -own]))
                low.append(-np.inf)
                high.append(sign * wish.value + wish.free)
        made = milp(
            np.concatenate([np.zeros(n), [w.price for w in self._wishes]]),
            constraints=LinearConstraint(np.array(rows), low, high),
            bounds=Bounds(0, np.inf),
            integrality=np.concatenate([np.ones(n), np.zeros(n_wishes)]),
            options={"node_limit": NODE_LIMIT, "mip_rel_gap": 0.02},
        )
        if made.x is None:
            raise RuntimeError(f"no counts meet the printed numbers: {made.message}")
        counts: Ints = np.rint(made.x[:n]).astype(np.int64)
        return counts


def inside(value: float, half: float) -> tuple[float, float]:
    """Return limits just inside a printed value's rounding interval."""
    margin = 0.02 * half
    return value - half + margin, value + half - margin
