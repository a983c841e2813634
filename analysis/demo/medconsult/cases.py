"""The simulated patients: what they have, what they can say, what in their profile bears on drugs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analysis.demo.medconsult.content import Hazard, Unit, contents

N_CASES = 160
COMPANION = 0.5
"""Share of cases with a second condition."""

COMPANION_CORE = 0.25
"""Share of second conditions that are core diagnoses."""

BACKGROUND = (3, 6)
"""Fewest and most units that no diagnosis needs."""


@dataclass(frozen=True)
class Gold:
    """A gold diagnosis: its core flag, and the turn from which its evidence can suffice."""

    diagnosis: str
    core: bool
    t_evidence: int


@dataclass(frozen=True)
class Case:
    """One simulated patient.

    Parameters
    ----------
    case_id : str
        Identifier.
    gold : tuple of Gold
        What the patient has; the first is core.
    units : dict of str to Unit
        What the patient can say, by identifier.
    mni_of : dict of str to tuple of str
        For each unit the gold diagnoses that need it.
    age : int
        Age in years.
    sex : str
        Sex.
    weight_kg, egfr : float
        Body weight and filtration rate.
    hard, soft : Hazard
        What in the profile speaks against which drug.
    """

    case_id: str
    gold: tuple[Gold, ...]
    units: dict[str, Unit]
    mni_of: dict[str, tuple[str, ...]]
    age: int
    sex: str
    weight_kg: float
    egfr: float
    hard: Hazard
    soft: Hazard

    @property
    def needed(self) -> tuple[str, ...]:
        """Templates that bring out necessary information, in the doctors' order."""
        found = {self.units[u].template for u, of in self.mni_of.items() if of}
        return tuple(t for t in contents().templates if t in found)

    @property
    def beside(self) -> tuple[str, ...]:
        """Templates that bring out only what no diagnosis needs, in the doctors' order."""
        found = {u.template for u in self.units.values()} - set(self.needed)
        return tuple(t for t in contents().templates if t in found)

    def told_by(self, template: str) -> list[str]:
        """Return the units that a question of a template brings out."""
        return [u for u, unit in self.units.items() if unit.template == template]


def simulate_cases(rng: np.random.Generator) -> tuple[Case, ...]:
    """Draw the patients."""
    c = contents()
    primaries = [d for d, condition in c.conditions.items() if not condition.companion]
    return tuple(_case(rng, f"case-{i + 1:03d}", primaries[i % len(primaries)]) for i in range(N_CASES))


def _case(rng: np.random.Generator, case_id: str, primary: str) -> Case:
    c = contents()
    diagnoses = [(primary, True)]
    if rng.random() < COMPANION:
        companions = [d for d, condition in c.conditions.items() if condition.companion]
        diagnoses.append((str(rng.choice(companions)), bool(rng.random() < COMPANION_CORE)))
    needs = [(unit, (d,)) for d, _ in diagnoses for unit in c.conditions[d].needs]
    n_back = int(rng.integers(BACKGROUND[0], BACKGROUND[1] + 1))
    taken = {unit.template for unit, _ in needs}
    # Background never hides behind a needed question: what a question beyond the needed ones costs is plain.
    free = [u for u in c.background if u.template not in taken]
    picked = sorted(rng.choice(len(free), size=min(n_back, len(free)), replace=False).tolist())
    rows = [*needs, *((free[i], ()) for i in picked)]
    names = [d for d, _ in diagnoses]
    hard = [h for h in c.hard if not set(h.not_with) & set(names)]
    the_hard, the_soft = hard[int(rng.integers(len(hard)))], c.soft[int(rng.integers(len(c.soft)))]
    gold = tuple(Gold(d, core, len({u.template for u in c.conditions[d].needs})) for d, core in diagnoses)
    units = {f"u{i + 1:02d}": unit for i, (unit, _) in enumerate(rows)}
    mni_of = {f"u{i + 1:02d}": of for i, (_, of) in enumerate(rows)}
    age = the_soft.age or int(rng.integers(22, 62))
    return Case(
        case_id,
        gold,
        units,
        mni_of,
        age,
        "female" if rng.random() < 0.55 else "male",
        float(np.round(rng.normal(74, 12), 1)),
        float(np.round(rng.uniform(65, 110), 0)),
        the_hard,
        the_soft,
    )
