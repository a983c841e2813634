"""Small integer programs: counts that satisfy linear statements and stay close to a start."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

NODE_LIMIT = 2_000


class Counts:
    """Non-negative counts of kinds of patients under linear statements.

    Parameters
    ----------
    start : array_like of float, shape (N,)
        What the counts would be if nothing else were known.
    near : bool
        Keep the solution near the start; else only the wishes count.
    """

    def __init__(self, start: npt.ArrayLike, *, near: bool = True) -> None:
        self.start = np.asarray(start, dtype=np.float64)
        self.near = near
        self._rows: list[Floats] = []
        self._low: list[float] = []
        self._high: list[float] = []
        self._wished: list[tuple[Floats, float, float]] = []

    def require(self, row: npt.ArrayLike, low: float, high: float | None = None) -> None:
        """Bound the sum of the counts, each times its number in `row`."""
        self._rows.append(np.asarray(row, dtype=np.float64))
        self._low.append(low)
        self._high.append(low if high is None else high)

    def wish(self, row: npt.ArrayLike, value: float, price: float) -> None:
        """Ask for a sum without insisting: `price` for each unit of distance."""
        self._wished.append((np.asarray(row, dtype=np.float64), value, price))

    def solve(self) -> Ints:
        """Return the counts.

        HiGHS runs with a node limit rather than a time limit, so the result does not depend on the speed
        of the machine.

        Raises
        ------
        RuntimeError
            Where no counts satisfy the statements.
        """
        from scipy.optimize import Bounds, LinearConstraint, milp

        n = self.start.size
        pulls = (
            [(row, float(v), 1.0) for row, v in zip(np.eye(n), self.start, strict=True)] if self.near else []
        )
        pulls += self._wished
        # Variables: the counts, then the distance of each pull.
        rows = [np.concatenate([row, np.zeros(len(pulls))]) for row in self._rows]
        low, high = list(self._low), list(self._high)
        for i, (row, value, _) in enumerate(pulls):
            for sign in (1, -1):
                rows.append(np.concatenate([sign * row, -np.eye(len(pulls))[i]]))
                low.append(-np.inf)
                high.append(sign * value)
        made = milp(
            np.concatenate([np.zeros(n), [price for _, _, price in pulls]]),
            constraints=LinearConstraint(np.array(rows), low, high),
            bounds=Bounds(0, np.inf),
            integrality=np.concatenate([np.ones(n), np.zeros(len(pulls))]),
            options={"node_limit": NODE_LIMIT, "mip_rel_gap": 0.02},
        )
        if made.x is None:
            raise RuntimeError(f"the printed numbers contradict each other: {made.message}")
        counts: Ints = np.rint(made.x[:n]).astype(np.int64)
        return counts


def inside(value: float, half: float) -> tuple[float, float]:
    """Return limits just inside a printed value's rounding interval."""
    margin = 0.02 * half
    return value - half + margin, value + half - margin
