"""Formulas that tables for figures are made with, written out plainly."""

from __future__ import annotations

import math

Z = 1.959963984540054


def wilson(k: int, n: int) -> tuple[float, float]:
    """Wilson's interval at 95%."""
    p, d = k / n, 1 + Z * Z / n
    middle, half = (p + Z * Z / (2 * n)) / d, Z * math.sqrt(p * (1 - p) / n + Z * Z / (4 * n * n)) / d
    return max(0.0, middle - half), min(1.0, middle + half)
