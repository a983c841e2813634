"""Who and what is simulated: the models, the question types and the tracks, with their true parameters.

Every model, vendor and patient here is invented. Abilities are on the probit scale of
`analysis.demo.simulate`: one unit is one standard deviation of a model's own residual.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

CostBasis = Literal["per_response", "tokens", "invoice", "unpriced"]


@dataclass(frozen=True)
class SimulatedModel:
    """An invented model: what the models table says of it, and how it behaves.

    Parameters
    ----------
    model, name, family, vendor : str
        As in the raw contract.
    weights : {'open', 'closed'}
        Kind of weights.
    released : str
        Release date, ISO 8601.
    ability : float
        Mean of the latent response on an item of difficulty 0.
    boldness : float
        Probability of committing to an action when the answer is wrong.
    tokens : int
        Mean length of a response, in tokens.
    cost : {'per_response', 'tokens', 'invoice', 'unpriced'}
        Where a reader can learn the model's cost from.
    input_price_usd, output_price_usd : float
        Prices in USD per million tokens.
    speed : float
        Output tokens per second.
    technical : float
        Share of items whose response could not be read.
    shared : float
        Loading on the difficulty that all models share; less than 1 is a model with a mind of its own.
    gap : float
        Probability that the reasoning holds the reference step although the answer is not correct.
    by_track, by_type : mapping of str to float
        Additions to the ability in a track or on a question type.
    missing, unscored : int
        Items without a row, and items whose response was never scored.
    """

    model: str
    name: str
    family: str
    vendor: str
    weights: Literal["open", "closed"]
    released: str
    ability: float
    boldness: float
    tokens: int
    cost: CostBasis
    input_price_usd: float
    output_price_usd: float
    speed: float
    technical: float
    shared: float = 1.0
    gap: float = 0.05
    by_track: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    by_type: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    missing: int = 0
    unscored: int = 0


@dataclass(frozen=True)
class QuestionType:
    """A question type: how hard it is, how often it is a shared blind spot, and what the reference does.

    Parameters
    ----------
    name : str
        As in `items.question_type`.
    difficulty : float
        Mean difficulty on the probit scale.
    blind : float
        Share of items that lie in a blind spot of every model.
    decision : str
        The reference decision.
    """

    name: str
    difficulty: float
    blind: float
    decision: str


@dataclass(frozen=True)
class Track:
    """A track of the benchmark.

    Parameters
    ----------
    name : str
        As in `items.track`.
    n_items : int
        Number of items.
    turns : tuple of int
        Least and greatest number of items of a patient.
    runs : int
        How often each item was asked.
    mix : mapping of str to float
        Share of each question type.
    """

    name: str
    n_items: int
    turns: tuple[int, int]
    runs: int
    mix: Mapping[str, float]


QUESTION_TYPES = (
    QuestionType("next_step", -0.70, 0.08, "proceed"),
    QuestionType("missing_information", -0.30, 0.15, "request_information"),
    QuestionType("parallel_options", -0.15, 0.20, "proceed"),
    QuestionType("dose_adjustment", 0.20, 0.25, "proceed"),
    QuestionType("pathway_choice", 0.85, 0.50, "reroute"),
    QuestionType("handover", 1.10, 0.60, "escalate"),
)
"""From the easiest to the hardest."""

TRACKS = (
    Track(
        "guideline",
        1200,
        (1, 4),
        1,
        {
            "next_step": 0.26,
            "missing_information": 0.22,
            "parallel_options": 0.20,
            "dose_adjustment": 0.10,
            "pathway_choice": 0.13,
            "handover": 0.09,
        },
    ),
    Track(
        "case",
        560,
        (2, 7),
        1,
        {
            "next_step": 0.28,
            "missing_information": 0.20,
            "parallel_options": 0.12,
            "dose_adjustment": 0.22,
            "pathway_choice": 0.18,
        },
    ),
    Track(
        "urgent",
        240,
        (1, 2),
        3,
        {"next_step": 0.40, "missing_information": 0.20, "dose_adjustment": 0.20, "handover": 0.20},
    ),
)
"""2,000 items in all; the urgent ones were asked three times."""

SPECIALTIES = ("cardiology", "endocrinology", "nephrology", "neurology", "respiratory")

MODELS = (
    SimulatedModel(
        "aster-2", "Aster 2", "Aster", "Larkspur Research", "closed", "2026-02-17",
        ability=0.28, boldness=0.26, tokens=940, cost="per_response",
        input_price_usd=3.0, output_price_usd=15.0, speed=74.0, technical=0.002, gap=0.05,
        by_type={"dose_adjustment": 0.12, "parallel_options": 0.1},
    ),
    SimulatedModel(
        "borealis-2", "Borealis 2", "Borealis", "Northlight Systems", "closed", "2025-06-03",
        ability=0.0, boldness=0.20, tokens=720, cost="per_response",
        input_price_usd=1.25, output_price_usd=10.0, speed=112.0, technical=0.004, gap=0.06,
    ),
    SimulatedModel(
        "borealis-pro", "Borealis Pro", "Borealis", "Northlight Systems", "closed", "2026-03-10",
        ability=-0.02, boldness=0.78, tokens=1180, cost="per_response",
        input_price_usd=5.0, output_price_usd=25.0, speed=58.0, technical=0.006, gap=0.025,
        by_track={"case": 0.08}, by_type={"next_step": 0.12, "missing_information": -0.25},
    ),
    SimulatedModel(
        "cobalt-70b", "Cobalt 70B", "Cobalt", "Open Orchard", "open", "2025-11-20",
        ability=0.04, boldness=0.14, tokens=610, cost="tokens",
        input_price_usd=0.55, output_price_usd=1.9, speed=96.0, technical=0.008, gap=0.08,
        by_track={"case": -0.12, "guideline": 0.03},
    ),
    SimulatedModel(
        "cobalt-8b", "Cobalt 8B", "Cobalt", "Open Orchard", "open", "2025-11-20",
        ability=-0.5, boldness=0.22, tokens=430, cost="tokens",
        input_price_usd=0.06, output_price_usd=0.18, speed=205.0, technical=0.021, gap=0.07,
    ),
    SimulatedModel(
        "dune-instruct", "Dune Instruct", "Dune", "Tern Collective", "open", "2026-01-08",
        ability=0.02, boldness=0.16, tokens=560, cost="invoice",
        input_price_usd=0.3, output_price_usd=1.1, speed=128.0, technical=0.010, gap=0.09,
    ),
    SimulatedModel(
        "ember-chat", "Ember Chat", "Ember", "Lantern Works", "closed", "2026-04-02",
        ability=-0.01, boldness=0.70, tokens=830, cost="unpriced",
        input_price_usd=0.0, output_price_usd=0.0, speed=88.0, technical=0.005, gap=0.03,
        by_type={"next_step": 0.1, "missing_information": -0.2},
    ),
    SimulatedModel(
        "fjord-3", "Fjord 3", "Fjord", "Saltmarsh Institute", "open", "2025-12-12",
        ability=-0.06, boldness=0.24, tokens=890, cost="tokens",
        input_price_usd=0.9, output_price_usd=3.2, speed=64.0, technical=0.012, shared=0.72, gap=0.06,
        by_track={"case": 0.22, "guideline": -0.08}, missing=38,
    ),
    SimulatedModel(
        "garnet-mini", "Garnet Mini", "Garnet", "Lantern Works", "closed", "2025-09-25",
        ability=-0.62, boldness=0.30, tokens=380, cost="tokens",
        input_price_usd=0.15, output_price_usd=0.6, speed=240.0, technical=0.003, gap=0.04,
        unscored=17,
    ),
)  # fmt: skip
"""One leader, a plateau of six, and two small models that trail."""
