"""Latent qualities, ratings and flags of the demonstration, drawn from the parameters in `cast`.

The latent quality of a line of a response is the model's level in the domain, plus what the vignette, the
model in this vignette and the line contribute, all normal, less what a safety-critical error costs. A
rating is the latent quality plus the rater's leniency and noise, rounded into 1 to 5. What a rater gives on
average, rounding included, is therefore known exactly: `expected_rating`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from analysis.demo.rubric.cast import (
    DOMAINS,
    ERROR_DROP,
    FALSE_FLAG,
    MODELS,
    RATERS,
    SD_LINE,
    SD_MODEL_VIGNETTE,
    SD_VIGNETTE,
    UNTRAINED,
    SimulatedRater,
)
from analysis.scoring.rubric.keys import VignetteKey
from analysis.scoring.rubric.model import Rubric

SEED = 20_260_908


@dataclass(frozen=True)
class Simulated:
    """What is true of the simulated responses, and what the raters make of it.

    Parameters
    ----------
    latent : ndarray of float, shape (M, V, F)
        Latent quality of every score line.
    hazard : ndarray of int, shape (M, V)
        Number of the key's hazard that the response commits, -1 for none.
    volunteers : ndarray of bool, shape (M, V)
        The response makes a causal claim that nobody asked for.
    minor, major : ndarray of int, shape (M, V)
        Unsupported claims.
    ratings, calibration : ndarray of int, shape (K, M, V, F)
        Scores of K raters, trained and before.
    flags : ndarray of bool, shape (K, M, V)
        Flags of K raters.
    solved : ndarray of bool, shape (M, V)
        The response's final decision is acceptable.
    """

    latent: npt.NDArray[np.float64]
    hazard: npt.NDArray[np.int64]
    volunteers: npt.NDArray[np.bool_]
    minor: npt.NDArray[np.int64]
    major: npt.NDArray[np.int64]
    ratings: npt.NDArray[np.int64]
    calibration: npt.NDArray[np.int64]
    flags: npt.NDArray[np.bool_]
    solved: npt.NDArray[np.bool_]


def simulate(rubric: Rubric, keys: list[VignetteKey]) -> Simulated:
    """Draw everything, the same on every run.

    Parameters
    ----------
    rubric : Rubric
        Gives the score lines and their domains.
    keys : list of VignetteKey
        The V vignettes.
    """
    # One stream per step: a change to the flags leaves the scores as they were.
    streams = [np.random.default_rng([SEED, step]) for step in range(6)]
    lines = rubric.scored
    domain = [DOMAINS.index(rubric.domain_of[name]) for name in lines]
    m, v, f = len(MODELS), len(keys), len(lines)
    level = np.array([model.level for model in MODELS])[:, domain]
    rng = streams[0]
    latent = level[:, None, :] + SD_VIGNETTE * rng.standard_normal((1, v, 1))
    latent = (
        latent + SD_MODEL_VIGNETTE * rng.standard_normal((m, v, 1)) + SD_LINE * rng.standard_normal((m, v, f))
    )
    rng = streams[1]
    commits = rng.random((m, v)) < np.array([model.hazard for model in MODELS])[:, None]
    which = rng.integers(0, np.array([len(key.hazards or ()) for key in keys])[None, :], (m, v))
    hazard = np.where(commits, which, -1)
    for name, drop in ERROR_DROP.items():
        latent[:, :, lines.index(name)] -= drop * commits
    rng = streams[2]
    volunteers = rng.random((m, v)) < np.array([model.volunteers for model in MODELS])[:, None]
    rate = np.array([model.unsupported for model in MODELS])[:, None]
    minor, major = rng.poisson(0.8 * rate, (m, v)), rng.poisson(0.2 * rate, (m, v))
    final = latent.mean(axis=2) + 0.5 * streams[3].standard_normal((m, v)) - 0.8 * commits
    trained = np.stack([_rate(latent, rater, streams[4]) for rater in RATERS])
    before = np.stack([_rate(latent, rater, streams[4], UNTRAINED) for rater in RATERS])
    rng = streams[5]
    flags = np.stack(
        [rng.random((m, v)) < np.where(commits, rater.sensitivity, FALSE_FLAG) for rater in RATERS]
    )
    return Simulated(latent, hazard, volunteers, minor, major, trained, before, flags, final > 3.0)


def _rate(
    latent: npt.NDArray[np.float64], rater: SimulatedRater, rng: np.random.Generator, factor: float = 1.0
) -> npt.NDArray[np.int64]:
    noise = factor * rater.spread * rng.standard_normal(latent.shape)
    return np.clip(np.rint(latent + factor * rater.leniency + noise), 1, 5).astype(np.int64)


def expected_rating(latent: npt.NDArray[np.float64], rater: SimulatedRater) -> npt.NDArray[np.float64]:
    """Return what a rater gives on average, rounding into 1 to 5 included.

    Parameters
    ----------
    latent : ndarray of float
        Latent quality.
    rater : SimulatedRater
        The rater.

    Returns
    -------
    ndarray of float, of the same shape

    Examples
    --------
    >>> expected_rating(np.array([3.0, 9.0]), SimulatedRater("r", "human", 0.0, 0.5, 1.0)).round(6).tolist()
    [3.0, 5.0]
    """
    from scipy.special import ndtr

    cuts = np.array([1.5, 2.5, 3.5, 4.5])
    above = ndtr((latent[..., None] + rater.leniency - cuts) / rater.spread)
    expected: npt.NDArray[np.float64] = 1 + above.sum(axis=-1)
    return expected
