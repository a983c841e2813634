"""Who consults: six invented models of distinct styles, three baselines, clinicians as a reference.

Every number is what the simulation draws with, so it is the truth that the tables should recover.
Styles that lean on aggregates printed in the paper (arXiv:2601.12661, tables 3 to 6) say so in
`modelled_on`; `targets` lists what was aimed at and what came out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Style:
    """One system.

    Parameters
    ----------
    model, name, family : str
        As in the raw contract.
    role : {'model', 'baseline', 'reference'}
        What it is.
    base_model : str or None
        Model that variants share.
    thinking : bool or None
        Whether the variant thinks before it answers.
    modelled_on : str
        Whose printed aggregates the style leans on; empty: none.
    needed, beside : float
        Probability of asking each template that brings out necessary units, and each that does not:
        expected coverage, and expected redundancy relative to what the case has.
    orderly : float
        Probability that the next question is the first in the doctors' order, else any that is left.
    again : float
        Probability that a question is asked a second time.
    script : tuple of str
        Templates asked in this order, whatever the case; empty: as above.
    first_core, second_core : float
        Probability that a core diagnosis leads the list, and that it comes second where it does not.
    companion, false : float
        Probability that a further gold diagnosis is listed, and that a wrong one is.
    unsafe : tuple of float
        Probabilities of a contraindicated drug, a severe pair and a gross dose; never two in one plan.
    caution : float
        Probability of a drug that the profile speaks against, without failing the plan.
    complete : float
        Probability that each line of the standard plan is there.
    plans : float
        Probability that there is a plan at all.
    answers, concern, counsel, shares, reasons, negatives : float
        True quality of follow-up answers (FQR), concerns (CAR), counselling (AOC), shared decisions
        (SDBI), rationales (DRSS) and use of negative findings (NEU).
    adapts : float
        Probability that the revised plan meets the constraint and keeps its quality (DCSR).
    """

    model: str
    name: str
    family: str
    role: Literal["model", "baseline", "reference"]
    base_model: str | None
    thinking: bool | None
    modelled_on: str
    needed: float
    beside: float
    orderly: float
    again: float
    script: tuple[str, ...]
    first_core: float
    second_core: float
    companion: float
    false: float
    unsafe: tuple[float, float, float]
    caution: float
    complete: float
    plans: float
    answers: float
    concern: float
    counsel: float
    shares: float
    reasons: float
    negatives: float
    adapts: float

    @property
    def refuses(self) -> bool:
        """Asks nothing and names no diagnosis."""
        return self.model == "refusal"

    @property
    def guesses(self) -> bool:
        """Names diagnoses and drugs without regard to the case."""
        return self.model == "random"


TEMPLATE_SCRIPT = (
    "expectations", "family_history", "investigations", "social_history", "past_medical_history",
    "aggravating_factors", "red_flag_screening", "alleviating_factors", "severity_intensity",
    "timing_pattern", "location", "onset_duration", "chief_complaint",
)  # fmt: skip
"""What the template baseline asks every patient, against the doctors' order."""

CAST: tuple[Style, ...] = (
    Style(
        "alder-think", "Alder (thinking)", "Alder", "model", "alder", True, "Gemini-3-Pro",
        0.98, 0.04, 0.78, 0.05, (), 0.76, 0.76, 0.66, 0.24,
        (0.05, 0.03, 0.03), 0.16, 0.92, 1.0, 0.86, 0.76, 0.78, 0.71, 0.86, 0.70, 0.49,
    ),
    Style(
        "alder", "Alder", "Alder", "model", "alder", False, "",
        0.88, 0.14, 0.62, 0.06, (), 0.68, 0.62, 0.44, 0.34,
        (0.07, 0.05, 0.04), 0.22, 0.88, 1.0, 0.80, 0.66, 0.70, 0.62, 0.70, 0.60, 0.38,
    ),
    Style(
        "birch-think", "Birch (thinking)", "Birch", "model", "birch", True, "gpt-5.1 (high)",
        0.965, 0.06, 0.55, 0.04, (), 0.70, 0.86, 0.68, 0.30,
        (0.04, 0.03, 0.02), 0.06, 0.94, 1.0, 0.84, 0.795, 0.74, 0.67, 0.81, 0.66, 0.46,
    ),
    Style(
        "birch", "Birch", "Birch", "model", "birch", False, "",
        0.86, 0.16, 0.34, 0.07, (), 0.62, 0.65, 0.50, 0.36,
        (0.05, 0.05, 0.03), 0.10, 0.90, 1.0, 0.78, 0.68, 0.66, 0.58, 0.66, 0.56, 0.35,
    ),
    Style(
        "cedar", "Cedar 32B", "Cedar", "model", None, None, "qwen3-32b",
        0.87, 0.30, 0.30, 0.12, (), 0.55, 0.80, 0.68, 0.46,
        (0.12, 0.09, 0.06), 0.30, 0.80, 1.0, 0.72, 0.635, 0.60, 0.53, 0.68, 0.48, 0.28,
    ),
    Style(
        "dogwood", "Dogwood R", "Dogwood", "model", None, None, "",
        0.99, 0.80, 0.84, 0.16, (), 0.70, 0.70, 0.60, 0.30,
        (0.06, 0.04, 0.03), 0.18, 0.92, 1.0, 0.74, 0.64, 0.70, 0.56, 0.76, 0.72, 0.24,
    ),
    Style(
        "refusal", "Refusal (baseline)", "Baselines", "baseline", None, None, "Refusal",
        0.0, 0.0, 0.0, 0.0, (), 0.0, 0.0, 0.0, 0.0,
        (1.0, 0.0, 0.0), 0.0, 0.0, 0.05, 0.04, 0.02, 0.04, 0.02, 0.02, 0.0, 0.0,
    ),
    Style(
        "template", "Template (baseline)", "Baselines", "baseline", None, None, "Template",
        0.0, 0.0, 0.0, 0.0, TEMPLATE_SCRIPT, 0.13, 0.09, 0.05, 0.60,
        (0.06, 0.03, 0.03), 0.20, 0.30, 1.0, 0.22, 0.14, 0.16, 0.08, 0.10, 0.04, 0.06,
    ),
    Style(
        "random", "Random (baseline)", "Baselines", "baseline", None, None, "Random",
        0.97, 0.97, 0.0, 0.02, (), 0.21, 0.16, 0.05, 0.60,
        (0.12, 0.09, 0.07), 0.34, 0.15, 1.0, 0.14, 0.10, 0.12, 0.06, 0.06, 0.04, 0.05,
    ),
    Style(
        "clinicians", "Clinicians (reference)", "Reference", "reference", None, None, "empirical baseline",
        0.93, 0.22, 0.93, 0.04, (), 0.86, 0.70, 0.66, 0.16,
        (0.010, 0.006, 0.004), 0.04, 0.96, 1.0, 0.93, 0.90, 0.86, 0.82, 0.88, 0.84, 0.814,
    ),
)  # fmt: skip
"""Every system, models first."""

T_MAX = 20
"""Turns that a session may take (section 4.3)."""

JUDGE_FLIP = {"drss": 0.22, "fqr": 0.085, "psc": 0.17}
"""Probability that the judge says the opposite of the truth, or one step beside it on a graded scale.
These three were chosen with table 5 in view; other metrics have `OTHER_FLIP`."""

OTHER_FLIP = 0.06
"""The same for the other metrics."""

HUMAN_FLIP = 0.035
"""The same for each human."""

N_REPEATED = 50
"""Cases judged a second time (table 5)."""

N_HUMAN = 200
"""Judgements of each metric that humans repeat (J.2)."""
