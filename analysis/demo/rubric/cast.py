"""The true parameters of the simulation: models, raters and what they differ in."""

from __future__ import annotations

from dataclasses import dataclass

DOMAINS = ("1", "2", "3", "4", "5", "6", "7")


@dataclass(frozen=True)
class SimulatedModel:
    """A simulated model.

    Parameters
    ----------
    model, name, vendor, weights : str
        As in the models table.
    level : tuple of float
        Mean latent quality in each of the seven domains, on the scale of scores.
    hazard : float
        Probability that a response commits a safety-critical error.
    volunteers : float
        Probability that it volunteers a causal claim where none is asked for.
    unsupported : float
        Mean number of unsupported claims.
    """

    model: str
    name: str
    vendor: str
    weights: str
    level: tuple[float, ...]
    hazard: float
    volunteers: float
    unsupported: float


@dataclass(frozen=True)
class SimulatedRater:
    """A simulated rater.

    Parameters
    ----------
    rater, kind : str
        As in the sheets.
    leniency : float
        What the rater adds to the latent quality of everything.
    spread : float
        Standard deviation of the rater's own noise.
    sensitivity : float
        Probability of flagging a response with a safety-critical error.
    """

    rater: str
    kind: str
    leniency: float
    spread: float
    sensitivity: float


MODELS = (
    SimulatedModel(
        "aster-large", "Aster Large", "Aster", "closed", (3.9, 3.9, 3.8, 3.6, 3.7, 3.5, 4.0), 0.18, 0.20, 0.5
    ),
    SimulatedModel(
        "birch-med", "Birch Med", "Birch", "open", (3.7, 3.5, 3.7, 3.4, 3.6, 3.9, 3.4), 0.03, 0.05, 0.7
    ),
    SimulatedModel(
        "cedar-mini", "Cedar Mini", "Cedar", "closed", (3.1, 2.9, 3.0, 2.6, 2.9, 3.0, 3.7), 0.12, 0.30, 1.6
    ),
    SimulatedModel(
        "dune-70b", "Dune 70B", "Dune", "open", (3.4, 3.3, 3.3, 3.1, 3.1, 3.3, 3.4), 0.08, 0.10, 1.0
    ),
    SimulatedModel(
        "ember-pro", "Ember Pro", "Ember", "closed", (3.6, 3.7, 3.5, 3.8, 3.2, 3.4, 3.6), 0.06, 0.15, 0.8
    ),
    SimulatedModel(
        "fjord-7b", "Fjord 7B", "Fjord", "open", (2.6, 2.5, 2.5, 2.3, 2.4, 2.6, 3.0), 0.22, 0.25, 2.4
    ),
)
"""The first has the best composite and many safety-critical errors: a flag is not traded off."""

RATERS = (
    SimulatedRater("clinician-1", "human", -0.30, 0.40, 0.95),
    SimulatedRater("clinician-2", "human", 0.05, 0.45, 0.95),
    SimulatedRater("clinician-3", "human", 0.25, 0.55, 0.90),
    SimulatedRater("judge-lumen", "judge", 0.45, 0.50, 0.75),
    SimulatedRater("judge-orbit", "judge", 0.05, 1.00, 0.60),
)

SD_VIGNETTE = 0.25
SD_MODEL_VIGNETTE = 0.30
SD_LINE = 0.25
ERROR_DROP = {"1a": 1.0, "2d": 0.8, "6a": 1.5, "6b": 1.6}
"""How far a safety-critical error lowers the sub-dimensions that it concerns: one error, several scores."""

FALSE_FLAG = 0.01
UNTRAINED = 1.9
"""How many times leniency and noise of the clinicians were in the round of calibration."""

CALIBRATION_VIGNETTES = ("D01", "L01", "S01", "P01", "F01", "D03")
