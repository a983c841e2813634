"""L3: pathology, sequences, 2,700 structure cards and the anatomical panel of 100 patients (A14 to A18)."""

from __future__ import annotations

from itertools import product

import numpy as np

from analysis.demo.npcbench.choices import CARDS_PER_PATIENT, STAGES, STRUCTURES, stream
from analysis.demo.npcbench.frames import Part
from analysis.demo.npcbench.printed import half_unit, printed, prints_as, successes_for

PATHOLOGY, SEQUENCE, PANEL = "L3 pathology", "L3 sequence", "L3 panel"
CARDS, STAGING, GOLD = "L3 cards", "L3 staging", "L3 reference evidence"
STAGER = "gpt-oss-120b"
N_PATHOLOGY, N_SEQUENCE, PER_STAGE = 69, 200, 15
SLOTS = [(stage, structure) for stage in STAGES for structure in STRUCTURES[stage]]
SLOT_STAGE = {structure: STAGES.index(stage) for stage, structure in SLOTS}
PRESENT, ABSENT = "present", "absent"


def reconstruct_imaging() -> Part:
    """Return items and answers of every L3 track."""
    part = Part()
    for track, column, n in ((PATHOLOGY, "Path.", N_PATHOLOGY), (SEQUENCE, "Seq.", N_SEQUENCE)):
        _flat_questions(part, track, column, n)
    patients = Panel()
    patients.add_items(part)
    direct = {**_direct_by_class(patients), **_direct_overall(patients)}
    for model, right in direct.items():
        _stages(part, model, patients, "direct_t", right, PANEL)
    rule: dict[str, list[str]] = {}
    for model in printed("table_a15").models:
        _invasion_labels(part, model, patients, direct[model])
        rule[model] = CardAnswers(model, patients).write(part)
    _staged(part, patients, rule)
    return part


class Panel:
    """The 100 patients of the panel: stage, fixed balanced subset, reference invasion of 18 structures."""

    def __init__(self) -> None:
        sizes, rng = printed("table_a16").totals, stream("imaging", "panel")
        stages = np.repeat(np.arange(4), [int(sizes[s]) for s in STAGES])
        self.stage = rng.permutation(stages)
        self.names = [f"L3-{i + 1:03d}" for i in range(self.stage.size)]
        self.balanced = np.zeros(self.stage.size, dtype=bool)
        for s in range(4):
            self.balanced[rng.permutation(np.flatnonzero(self.stage == s))[:PER_STAGE]] = True
        # The mapping reaches 99 of 100 on reference evidence: one T3 patient shows no T3 structure.
        self.missed = int(rng.choice(np.flatnonzero(self.stage == STAGES.index("T3"))))
        self.invaded = np.zeros((self.stage.size, len(SLOTS)), dtype=bool)
        group = np.array([STAGES.index(stage) for stage, _ in SLOTS])
        for i, s in enumerate(self.stage):
            shown = s - 1 if i == self.missed else s
            own = np.flatnonzero(group == shown)
            self.invaded[i] = (group < shown) & (rng.random(len(SLOTS)) < 0.7)
            self.invaded[i, rng.permutation(own)[: 1 + int(rng.integers(own.size))]] = True
        # 27 cards: every structure once, nine of them twice.
        twice = [
            rng.permutation(len(SLOTS))[: CARDS_PER_PATIENT - len(SLOTS)] for _ in range(self.stage.size)
        ]
        self.cards = [np.sort(np.concatenate([np.arange(len(SLOTS)), extra])) for extra in twice]

    def add_items(self, part: Part) -> None:
        """Add the items of the panel, of the cards, of the stagers and of the reference evidence."""
        for i, name in enumerate(self.names):
            stage = {"class": STAGES[self.stage[i]], "bal60": "yes" if self.balanced[i] else "no"}
            part.add_item(f"{name}-direct", PANEL, name, "direct_t", **stage)
            for j, (_, structure) in enumerate(SLOTS):
                part.add_item(
                    f"{name}-invasion-{j + 1:02d}", PANEL, name, "invasion_label", structure=structure
                )
            for component in ("rule_slot_t", "llm_slot_t"):
                part.add_item(f"{name}-{component}", STAGING, name, component, **stage)
            part.add_item(f"{name}-gold", GOLD, name, "llm_slot_t", **stage)
            for c, slot in enumerate(self.cards[i]):
                self._add_card(part, i, c, int(slot), stage)

    def _add_card(self, part: Part, i: int, c: int, slot: int, stage: dict[str, str]) -> None:
        card, structure = f"{self.names[i]}-card-{c + 1:02d}", SLOTS[slot][1]
        label = PRESENT if self.invaded[i, slot] else ABSENT
        shared = {"card": card, "structure": structure, "class": stage["class"]}
        for component in ("structure", "invasion"):
            part.add_item(
                f"{card}-{component}", CARDS, self.names[i], component, **shared, invasion_label=label
            )


def _flat_questions(part: Part, track: str, column: str, n: int) -> None:
    table, prefix = printed("table_a14"), track.replace(" ", "-")
    names = [
        part.add_item(f"{prefix}-{i + 1:03d}", track, f"{prefix}-{i + 1:03d}", track.split()[1])
        for i in range(n)
    ]
    for model in table.models:
        right = set(
            stream("imaging", track, model).permutation(n)[: table.successes(model, column, n)].tolist()
        )
        for i, name in enumerate(names):
            part.answer(model, name, i in right)


def _stages(
    part: Part, model: str, panel: Panel, component: str, right: np.ndarray, track: str, suffix: str = ""
) -> None:
    """Write stage answers: the reference where right, else another one."""
    rng = stream("imaging", component, model)
    for i, name in enumerate(panel.names):
        others = [s for s in range(4) if s != panel.stage[i]]
        stage = panel.stage[i] if right[i] else others[int(rng.integers(3))]
        part.answer(model, f"{name}-{suffix or component.split('_')[0]}", bool(right[i]), STAGES[stage])


def _direct_by_class(panel: Panel) -> dict[str, np.ndarray]:
    """Draw who is staged right, with the recalls and the balanced subset of table A16."""
    table, made = printed("table_a16"), {}
    for model in table.models:
        rng = stream("imaging", "direct", model)
        n_right = [table.successes(model, s, int((panel.stage == i).sum())) for i, s in enumerate(STAGES)]
        inside = table.successes(model, "T-bal60", 4 * PER_STAGE)
        right = np.zeros(panel.stage.size, dtype=bool)
        for s, split in enumerate(_split_subset(n_right, inside, panel)):
            for balanced, k in zip((True, False), split, strict=True):
                among = np.flatnonzero((panel.stage == s) & (panel.balanced == balanced))
                right[rng.permutation(among)[:k]] = True
        made[model] = right
    return made


def _split_subset(n_right: list[int], inside: int, panel: Panel) -> list[tuple[int, int]]:
    """Split the right answers of each stage into those within and outside the balanced subset.

    Of the splits that add up to the printed number the most even one is taken.
    """
    outside = [int(((panel.stage == s) & ~panel.balanced).sum()) for s in range(4)]
    choices = [range(max(0, k - outside[s]), min(k, PER_STAGE) + 1) for s, k in enumerate(n_right)]
    fits = [split for split in product(*choices) if sum(split) == inside]
    sizes = [PER_STAGE + o for o in outside]

    def unevenness(split: tuple[int, ...]) -> float:
        return sum((x - k * PER_STAGE / n) ** 2 for x, k, n in zip(split, n_right, sizes, strict=True))

    best = min(fits, key=unevenness)
    return [(x, k - x) for x, k in zip(best, n_right, strict=True)]


def _direct_overall(panel: Panel) -> dict[str, np.ndarray]:
    """Draw who is staged right for the models of which only the overall rate is printed (A18)."""
    table, known = printed("table_a18"), set(printed("table_a16").models)
    made = {}
    for model in table.models:
        if model not in known:
            rng, right = stream("imaging", "direct", model), np.zeros(panel.stage.size, dtype=bool)
            right[rng.permutation(right.size)[: table.successes(model, "Direct T", right.size)]] = True
            made[model] = right
    return made


def _invasion_labels(part: Part, model: str, panel: Panel, direct: np.ndarray) -> None:
    """Write the 18 invasion labels of each patient (Pt. Inv. of A14, Complete Inv. and EG T of A15)."""
    a14, a15, rng = printed("table_a14"), printed("table_a15"), stream("imaging", "labels", model)
    n, n_slots = panel.stage.size, len(SLOTS)
    complete, grounded = (a15.successes(model, c, n) for c in ("Complete Inv.", "EG T"))
    whole = np.zeros(n, dtype=bool)
    whole[rng.permutation(np.flatnonzero(direct))[:grounded]] = True
    whole[rng.permutation(np.flatnonzero(~direct))[: complete - grounded]] = True
    n_right = successes_for(a14.cell(model, "Pt. Inv."), n * n_slots)[0]
    right = np.repeat(whole[:, None], n_slots, axis=1)
    # Every other patient keeps a wrong label.
    places = np.array([(i, j) for i in np.flatnonzero(~whole) for j in rng.permutation(n_slots)[1:]])
    for i, j in places[rng.permutation(len(places))[: n_right - int(right.sum())]]:
        right[i, j] = True
    for i, name in enumerate(panel.names):
        for j in range(n_slots):
            part.answer(model, f"{name}-invasion-{j + 1:02d}", bool(right[i, j]))


class CardAnswers:
    """A model's answers on 2,700 cards: which structure, and whether it is invaded (A14, A17).

    The stage that the mapping gives follows from the cards called present: put into the reference
    slots (oracle-slot) or into the slots that the model names (model-slot). So stages are drawn
    first; in each patient one card, or two, then carry them, and every other card fits in.
    """

    def __init__(self, model: str, panel: Panel) -> None:
        self.model, self.panel = model, panel
        self.rng = stream("imaging", "cards", model)
        table, n = printed("table_a17"), panel.stage.size
        self.oracle = self._drawn(table.successes(model, "Oracle-slot", n))
        self.slot_stage = self._drawn(table.successes(model, "Model-slot", n))
        n_cards = n * CARDS_PER_PATIENT
        self.n_structure, self.n_joint = card_counts(model, n_cards)
        # One row per card: patient, reference slot, predicted slot, called present.
        self.patient = np.repeat(np.arange(n), CARDS_PER_PATIENT)
        self.gold = np.concatenate(panel.cards)
        self.named = np.full(n_cards, -1)
        self.present = np.zeros(n_cards, dtype=bool)
        self.group = np.array([SLOT_STAGE[structure] for _, structure in SLOTS])
        self._carry_stages()
        self._name_right()
        self._name_wrong()

    def _drawn(self, n_right: int) -> np.ndarray:
        """Draw a stage for every patient, right for so many; frequent errors are high stages."""
        n = self.panel.stage.size
        stage = self.panel.stage.copy()
        for i in self.rng.permutation(n)[n_right:]:
            others = [s for s in (3, 2, 1, 0) if s != stage[i]]
            stage[i] = others[int(self.rng.choice(3, p=[0.6, 0.3, 0.1]))]
        return stage

    def _carry_stages(self) -> None:
        for i in range(self.panel.stage.size):
            cards = np.flatnonzero(self.patient == i)
            oracle, slot = int(self.oracle[i]), int(self.slot_stage[i])
            own = cards[self.group[self.gold[cards]] == oracle]
            carrier = int(self.rng.choice(own))
            self.present[carrier] = True
            self.named[carrier] = self._other_slot(int(self.gold[carrier]), lambda g, s=slot: g == s)

    def _name_right(self) -> None:
        """Name the structure of so many cards rightly, and call so many of those rightly.

        A card called absent carries no stage, so all of these are called absent: rightly where the
        reference is absent, wrongly where it is present.
        """
        free = self.named < 0
        invaded = self.panel.invaded[self.patient, self.gold]
        for truth, k in ((False, self.n_joint), (True, self.n_structure - self.n_joint)):
            among = np.flatnonzero(free & (invaded == truth))
            if among.size < k:
                raise ValueError(f"{self.model}: {among.size} cards for {k}")
            chosen = self.rng.permutation(among)[:k]
            self.named[chosen] = self.gold[chosen]

    def _name_wrong(self) -> None:
        """Name another structure on every other card; call it present where no stage changes."""
        for c in np.flatnonzero(self.named < 0):
            i, gold = self.patient[c], int(self.gold[c])
            top = int(self.slot_stage[i])
            self.named[c] = self._other_slot(gold, lambda g, s=top: g <= s)
            self.present[c] = self.group[gold] <= self.oracle[i] and self.rng.random() < 0.4

    def _other_slot(self, gold: int, allowed: object) -> int:
        fits = [j for j, g in enumerate(self.group) if j != gold and allowed(int(g))]  # type: ignore[operator]
        return int(self.rng.choice(fits))

    def write(self, part: Part) -> list[str]:
        """Write the answers; return the stage that the mapping gives on the predicted slots."""
        for c, i in enumerate(self.patient):
            card = f"{self.panel.names[i]}-card-{c % CARDS_PER_PATIENT + 1:02d}"
            gold, named = int(self.gold[c]), int(self.named[c])
            part.answer(self.model, f"{card}-structure", gold == named, SLOTS[named][1])
            truth = bool(self.panel.invaded[i, gold])
            decision = PRESENT if self.present[c] else ABSENT
            part.answer(self.model, f"{card}-invasion", truth == bool(self.present[c]), decision)
        return [STAGES[s] for s in self.slot_stage]


def card_counts(model: str, n_cards: int) -> tuple[int, int]:
    """Return cards with the right structure, and with the right invasion too, that print as A14 has them."""
    table = printed("table_a14")
    for s in successes_for(table.cell(model, "Struct."), n_cards):
        for j in successes_for(table.cell(model, "Joint"), n_cards):
            if prints_as(100 * j / s, table.cell(model, "Inv.")):
                return s, j
    raise ValueError(f"{model}: structure, joint and conditional accuracy contradict each other")


def _staged(part: Part, panel: Panel, rule: dict[str, list[str]]) -> None:
    """Write the stages of the rule and of the text stager (A18), and of the reference evidence."""
    table, n = printed("table_a18"), panel.stage.size
    reference = [STAGES[s] for s in panel.stage]
    for model in table.models:
        if model in rule:
            for name, stage, truth in zip(panel.names, rule[model], reference, strict=True):
                part.answer(model, f"{name}-rule_slot_t", stage == truth, stage)
        else:
            right = _drawn_right(model, "rule", n, table.successes(model, "Rule-slot T", n))
            _stages(part, model, panel, "rule_slot_t", right, STAGING, "rule_slot_t")
        right = _balanced_right(model, panel)
        _stages(part, model, panel, "llm_slot_t", right, STAGING, "llm_slot_t")
    right = np.ones(n, dtype=bool)
    right[panel.missed] = False
    _stages(part, STAGER, panel, "llm_slot_t", right, GOLD, "gold")


def _drawn_right(model: str, what: str, n: int, k: int) -> np.ndarray:
    right = np.zeros(n, dtype=bool)
    right[stream("imaging", what, model).permutation(n)[:k]] = True
    return right


def _balanced_right(model: str, panel: Panel) -> np.ndarray:
    """Draw who the text stager gets right, with the printed accuracy and balanced recall.

    T1 and T2 have 15 patients each, T3 and T4 35: the balanced recall says how many of the right ones
    are T1 or T2. Where no number fits the print (one model), the nearest is taken.
    """
    table, rng = printed("table_a18"), stream("imaging", "llm", model)
    n_right = table.successes(model, "LLM-slot T", panel.stage.size)
    cell = table.cell(model, "Bal. LLM T")
    sizes = np.bincount(panel.stage, minlength=4)

    def recall(early: int) -> float:
        return float(25 * (early / sizes[0] + (n_right - early) / sizes[3]))

    early = min(range(n_right + 1), key=lambda x: (max(0, abs(recall(x) - float(cell)) - half_unit(cell)), x))
    right = np.zeros(panel.stage.size, dtype=bool)
    for stages, k in (((0, 1), early), ((2, 3), n_right - early)):
        among = np.flatnonzero(np.isin(panel.stage, stages))
        right[rng.permutation(among)[:k]] = True
    return right
