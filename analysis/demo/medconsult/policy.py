"""How simulated doctors ask: sessions of their own, the Markov policy and the precedence pairs in them.

As in the paper (section 3.3): a smoothed first-order Markov policy over templates, and A before B
where A comes first in at least 80 % of the sessions that have both.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from analysis.demo.medconsult.content import contents

N_DOCTORS = 1200
"""Sessions of simulated doctors that the policy is estimated from."""

ASKED = (0.45, 0.95)
"""Range of the probabilities with which doctors ask a template."""

JITTER = 2.2
"""Standard deviation of a template's place around the doctors' order, in places."""

SUPPORT = 0.80
"""Least share for a precedence pair (section 3.3)."""

SMOOTHING = 0.5
"""Added to every count of a transition."""


@dataclass(frozen=True)
class Policy:
    """What doctors would ask next, and what they ask before what.

    Parameters
    ----------
    templates : tuple of str
        The K templates.
    transition : ndarray of float, shape (K + 1, K)
        Probability of the next template after each one; the last row is that of the first question.
    precedence : dict of (str, str) to float
        Pairs (before, after) with their support.
    """

    templates: tuple[str, ...]
    transition: npt.NDArray[np.float64]
    precedence: dict[tuple[str, str], float]

    def expert(self, last: str | None, asked: set[str], relevant: set[str], n: int = 3) -> list[str]:
        """Return the n templates that doctors would most probably ask next, none that was asked.

        Those that can bring something out in the case; any, once all of them were asked.
        """
        open_ones = (relevant or set(self.templates)) - asked or set(self.templates) - asked
        row = self.transition[-1 if last is None else self.templates.index(last)]
        order = sorted(range(len(self.templates)), key=lambda k: (-row[k], k))
        return [self.templates[k] for k in order if self.templates[k] in open_ones][:n]


def mine_policy(rng: np.random.Generator) -> Policy:
    """Simulate doctors' sessions and estimate policy and pairs from them."""
    templates = contents().templates
    k = len(templates)
    asked = rng.uniform(*ASKED, size=k)
    asked[0] = 1.0
    counts = np.full((k + 1, k), SMOOTHING)
    both, first = np.zeros((k, k)), np.zeros((k, k))
    for _ in range(N_DOCTORS):
        chosen = np.flatnonzero(rng.random(k) < asked)
        place = chosen + rng.normal(0.0, JITTER, chosen.size)
        place[chosen == 0] = -np.inf
        sequence = chosen[np.argsort(place, kind="stable")]
        for last, following in zip([k, *sequence[:-1].tolist()], sequence.tolist(), strict=True):
            counts[last, following] += 1
        for i, a in enumerate(sequence):
            both[a, sequence[i + 1 :]] += 1
            both[sequence[i + 1 :], a] += 1
            first[a, sequence[i + 1 :]] += 1
    with np.errstate(invalid="ignore"):
        share = first / both
    pairs = {
        (templates[a], templates[b]): float(share[a, b])
        for a in range(k)
        for b in range(k)
        if a != b and both[a, b] and share[a, b] >= SUPPORT
    }
    return Policy(templates, counts / counts.sum(axis=1, keepdims=True), pairs)
