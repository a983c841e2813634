"""Random generators named by what they serve, so that no draw depends on the order of the work."""

from __future__ import annotations

import hashlib

import numpy as np


def generator_for(seed: int, *names: str) -> np.random.Generator:
    """Return the generator of a named piece of work.

    The same seed and names give the same stream in any process; other names give an independent
    one. Comparisons that must share their resamples ask for the same names.

    Parameters
    ----------
    seed : int
        The benchmark's seed.
    names : str
        What the stream serves, such as ``("resample", "all")``.

    Examples
    --------
    >>> a, b = generator_for(42, "resample", "all"), generator_for(42, "resample", "all")
    >>> a.integers(1000) == b.integers(1000)
    np.True_
    """
    words = np.frombuffer(hashlib.sha256("\0".join(names).encode()).digest(), dtype=np.uint32)
    return np.random.default_rng([seed, *words.tolist()])
