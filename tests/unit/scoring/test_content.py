"""Phase 3 by hand: slots with weights, path overlap and polarity, therapy at three granularities."""

from __future__ import annotations

import math

import pytest

from analysis.scoring.odbb import Dictionaries, ScorerConfig
from analysis.scoring.odbb.gold import CrcGold, GoldSlot, NccnGold
from analysis.scoring.odbb.slots import SlotMatch, match_slots, prepare_slots
from analysis.scoring.odbb.steps import StepReader
from analysis.scoring.odbb.therapy import CaseGold, TherapyReader
from analysis.scoring.odbb.tokens import Tokenizer, Weights


def stop_item(*slots: str, item_id: str = "a") -> NccnGold:
    prepared = tuple(GoldSlot(text=s.lstrip("!"), critical=s.startswith("!")) for s in slots)
    return NccnGold(
        item_id=item_id, track="NCCN", question_type="q", decision="stop_missing_info", slots=prepared
    )


@pytest.fixture(scope="module")
def tokens(dictionaries: Dictionaries) -> Tokenizer:
    return Tokenizer(dictionaries)


def match(tokens: Tokenizer, item: NccnGold, *needs: str, threshold: float = 0.5) -> SlotMatch:
    weights = Weights([item], tokens)
    return match_slots(needs, prepare_slots(item, tokens, weights), tokens, weights, threshold)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("KRAS/NRAS mutation status", {"ras", "mutation", "status"}),
        ("extended RAS", {"ras", "status"}),
        ("MMR status", {"msi", "status"}),
        ("ECOG PS", {"performance", "status"}),
        ("the patient's performance status", {"performance", "status", "s"}),
        ("Tumour margins", {"tumor", "margin", "status"}),
        ("  ", set()),
    ],
)
def test_phrases_become_canonical_tokens(text: str, expected: set[str], tokens: Tokenizer) -> None:
    assert tokens(text) == expected


def test_weights_are_inverse_document_frequencies(tokens: Tokenizer) -> None:
    items = [stop_item("RAS status", item_id="a"), stop_item("HER2 status", item_id="b")]
    weights = Weights(items, tokens)
    assert weights.of("status") == math.log(3 / 3) + 1
    assert weights.of("ras") == math.log(3 / 2) + 1
    assert weights.of("elsewhere") == math.log(3 / 1) + 1


def test_slot_f1_by_hand(tokens: Tokenizer) -> None:
    item = stop_item("!RAS status", "performance status", "renal function")
    found = match(tokens, item, "KRAS testing", "creatinine", "insurance", "the KRAS status")
    # Three distinct needs (both KRAS wordings are the RAS status), two of three slots found.
    assert found.n_needs == 3
    assert found.precision == pytest.approx(2 / 3)
    assert found.recall == pytest.approx(2 / 3)
    assert found.f1 == pytest.approx(2 / 3)
    assert [need for need, _ in found.found] == ["KRAS testing", None, "creatinine"]
    assert not found.missed_critical


def test_a_shared_common_token_is_not_enough(tokens: Tokenizer) -> None:
    items = [stop_item(f"{w} status", item_id=w) for w in ("apple", "pear", "plum")]
    weights = Weights(items, tokens)
    slots = prepare_slots(items[0], tokens, weights)
    missed = match_slots(["pear status"], slots, tokens, weights, 0.5)
    share = (math.log(4 / 4) + 1) / (math.log(4 / 4) + 1 + math.log(4 / 2) + 1)
    assert missed.f1 == 0
    assert missed.found == ((None, pytest.approx(share)),)


def test_matching_finds_as_many_slots_as_it_can(tokens: Tokenizer) -> None:
    # The first need fits both slots, the second only the first slot: both slots are found all the same.
    item = stop_item("alpha beta", "alpha gamma")
    assert match(tokens, item, "alpha beta gamma", "alpha beta").recall == 1


def test_a_missed_critical_slot_is_noted(tokens: Tokenizer) -> None:
    assert match(tokens, stop_item("!apple", "pear"), "pear").missed_critical
    assert not match(tokens, stop_item("apple", "!pear"), "pear").missed_critical
    assert match(tokens, stop_item("apple", "pear"), "pear").missed_critical


def test_no_needs_give_zero(tokens: Tokenizer) -> None:
    assert match(tokens, stop_item("apple"))[:4] == (0.0, 0.0, 0.0, 0)


@pytest.fixture(scope="module")
def reader(dictionaries: Dictionaries, tokens: Tokenizer) -> StepReader:
    return StepReader(dictionaries, tokens, Weights([], tokens), ScorerConfig())


def test_path_overlap_by_hand(reader: StepReader) -> None:
    found = reader.match("Refer to hepatic surgery", ["refer to hepatic surgery section", "route elsewhere"])
    assert found.overlap == pytest.approx(2 * 3 / (3 + 4))
    assert found.gold == "refer to hepatic surgery section"


@pytest.mark.parametrize(
    ("measure", "overlap"), [("dice", 6 / 7), ("jaccard", 3 / 4), ("gold_coverage", 3 / 4)]
)
def test_overlap_measures(
    measure: str, overlap: float, dictionaries: Dictionaries, tokens: Tokenizer
) -> None:
    config = ScorerConfig.model_validate({"overlap_measure": measure})
    reader = StepReader(dictionaries, tokens, Weights([], tokens), config)
    assert reader.match(
        "Refer to hepatic surgery", ["refer to hepatic surgery section"]
    ).overlap == pytest.approx(overlap)


@pytest.mark.parametrize(
    ("step", "gold", "conflict"),
    [
        ("Give anti-EGFR therapy", "do not give anti-EGFR therapy", True),
        ("Do not give anti-EGFR therapy", "do not give anti-EGFR therapy", False),
        ("Adjuvant chemotherapy is contraindicated", "adjuvant chemotherapy", True),
        (
            "Route to upfront surgery, no perioperative chemotherapy",
            "avoid upfront surgery and route to perioperative chemotherapy",
            True,
        ),
        (
            "Avoid upfront surgery; route to perioperative chemotherapy",
            "avoid upfront surgery and route to perioperative chemotherapy",
            False,
        ),
        ("Continue bevacizumab maintenance", "discontinue bevacizumab maintenance", True),
        ("Manage as unresectable liver metastases", "manage as resectable liver metastases", True),
        ("Refer to palliative care", "do not operate", False),
    ],
)
def test_polarity(step: str, gold: str, conflict: bool, reader: StepReader) -> None:
    found = reader.match(step, [gold])
    assert found.conflict is conflict
    if conflict:
        assert found.overlap == 0


def test_a_conflict_with_one_wording_gives_way_to_a_match_with_another(reader: StepReader) -> None:
    found = reader.match("give FOLFOX today", ["do not give FOLFOX today", "give FOLFOX today"])
    assert (found.conflict, found.overlap) == (False, 1.0)


@pytest.mark.parametrize(
    ("step", "names", "commits"),
    [
        ("Start FOLFOX.", True, True),
        ("Once the RAS status is known, start FOLFOX", True, False),
        ("Avoid surgery", False, False),
        ("Refer to the transplant team", True, True),
        ("Discuss in the tumor board", False, False),
    ],
)
def test_steps_name_treatments_and_commit(step: str, names: bool, commits: bool, reader: StepReader) -> None:
    read = reader.read[step]
    assert (read.names_treatment, read.commits) == (names, commits)


def test_a_gold_step_is_found_in_a_passage_of_the_reasoning(reader: StepReader) -> None:
    prepared = reader.prepare_gold(["refer to brain metastasis pathway"])
    near = "Unclear. One could refer her. The brain metastases pathway fits. More later. And more."
    far = (
        "Refer later. "
        + "Nothing here. " * 5
        + "The brain was clear. "
        + "Nothing. " * 5
        + "Metastasis pathway."
    )
    assert reader.reads_of(near, prepared) == (True, False)
    assert reader.reads_of(far, prepared) == (False, False)
    assert reader.reads_of("The reports are discordant.", prepared) == (False, True)


@pytest.fixture(scope="module")
def therapy(dictionaries: Dictionaries) -> TherapyReader:
    return TherapyReader(dictionaries, ScorerConfig())


@pytest.mark.parametrize(
    ("drugs", "agents"),
    [
        (["FOLFOX4"], ("folfox",)),
        (["Lonsurf"], ("ftd/tpi",)),
        (["trifluridine", "tipiracil"], ("ftd/tpi",)),
        (["Oxaliplatin", "leucovorin", "5-FU"], ("folfox",)),
        (["mFOLFOX6 (reduced dose)", "Avastin"], ("bevacizumab", "folfox")),
        (["5-FU/oxaliplatin"], ("folfox",)),
        (["biweekly cetuximab"], ("cetuximab",)),
        (["oncodrugimab 5 mg"], ("unknown:oncodrugimab mg",)),
        (["dexamethasone"], ()),
    ],
)
def test_regimens_are_canonical(drugs: list[str], agents: tuple[str, ...], therapy: TherapyReader) -> None:
    assert therapy.regimen(drugs).agents == agents


def case(therapy: TherapyReader, **changes: object) -> CaseGold:
    base = {"item_id": "c", "track": "CRC", "regimen": ["FOLFOX", "bevacizumab"], "intent": "palliative"}
    return therapy.prepare(CrcGold.model_validate(base | changes))


def test_therapy_f1_by_hand(therapy: TherapyReader) -> None:
    gold = case(therapy)
    assert therapy.match([["CAPOX", "bevacizumab"]], gold).f1 == (0.5, 1.0, 1.0)
    assert therapy.match([["FOLFIRI", "aflibercept"]], gold).f1 == (0.0, 0.0, 1.0)
    assert therapy.match([["FOLFOX"]], gold).f1 == pytest.approx((2 / 3,) * 3)
    assert therapy.match([["imaginarium"]], gold).f1 == (0, 0, 0)


def test_capecitabine_for_5_fu_fails_strictly_and_passes_by_class(therapy: TherapyReader) -> None:
    gold = case(therapy, regimen=["5-FU"])
    assert therapy.match([["capecitabine"]], gold).f1 == (0.0, 1.0, 1.0)


def test_the_best_of_the_first_three_regimens_counts(therapy: TherapyReader) -> None:
    gold = case(therapy, contraindicated=["cetuximab"])
    regimens = [["cetuximab"], ["FOLFOX"], ["FOLFOX", "bevacizumab"], ["regorafenib"]]
    best = therapy.match(regimens, gold)
    assert best.f1[0] == 1
    assert best.contraindicated == ("cetuximab",)
    late = therapy.match([["S-1"], ["UFT"], ["iris"], ["FOLFOX", "bevacizumab"]], gold)
    assert late.f1[0] == 0


def test_a_part_that_is_ruled_out_rules_the_backbone_out(therapy: TherapyReader) -> None:
    gold = case(therapy, regimen=["regorafenib"], contraindicated=["5-FU"])
    assert therapy.match([["mFOLFOX6"]], gold).contraindicated == ("folfox",)


@pytest.mark.parametrize(
    ("findings", "drugs", "wrong"),
    [
        ({"RAS": "mutant"}, ["cetuximab"], ("cetuximab",)),
        ({"RAS": "wild"}, ["cetuximab"], ()),
        ({}, ["cetuximab", "encorafenib"], ()),
        ({"BRAF": "V600E"}, ["cetuximab"], ("cetuximab",)),
        ({"BRAF": "V600E"}, ["cetuximab", "encorafenib"], ()),
        ({"MSI": "stable"}, ["pembrolizumab"], ("pembrolizumab",)),
        ({"RAS": "g12c"}, ["sotorasib", "panitumumab"], ()),
        ({"HER2": "negative"}, ["trastuzumab", "tucatinib"], ("trastuzumab", "tucatinib")),
    ],
)
def test_molecular_findings(
    findings: dict[str, str], drugs: list[str], wrong: tuple[str, ...], therapy: TherapyReader
) -> None:
    gold = case(therapy, molecular=findings)
    assert therapy.match([drugs], gold).molecular == wrong
