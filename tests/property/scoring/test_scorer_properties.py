"""What holds for every response: none is lost, order is nothing, repair is idempotent, F1 is monotone."""

from __future__ import annotations

import json
import random

import orjson
import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.scoring.odbb import Dictionaries, Gold, Scorer, ScorerConfig, load_dictionaries
from analysis.scoring.odbb.gold import CrcGold, GoldSlot, NccnGold
from analysis.scoring.odbb.mend import UnreadableError, read_json
from analysis.scoring.odbb.repair import parse_response
from analysis.scoring.odbb.slots import match_slots, prepare_slots
from analysis.scoring.odbb.therapy import TherapyReader
from analysis.scoring.odbb.tokens import Tokenizer, Weights

DICTIONARIES = load_dictionaries()
CONFIG = ScorerConfig()
TOKENS = Tokenizer(DICTIONARIES)
THERAPY = TherapyReader(DICTIONARIES, CONFIG)

words = st.sampled_from(
    ["ras", "msi", "status", "her2", "margin", "ecog", "renal", "function", "stage", "kras"]
)
phrases = st.lists(words, min_size=1, max_size=4).map(" ".join)
needs_lists = st.lists(phrases, max_size=8)
slot_lists = st.lists(phrases, min_size=1, max_size=5)
names = [*DICTIONARIES.drugs.agents, "Lonsurf", "FOLFOX4", "xeloda", "leucovorin", "novelmab"]
drugs = st.sampled_from(names)
regimens = st.lists(drugs, min_size=1, max_size=5)
scalars = st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=12)
anything = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "decision",
                    "need",
                    "needs",
                    "next_step",
                    "regimens",
                    "regimen",
                    "intent",
                    "reasoning",
                    "item_id",
                ]
            )
            | st.text(max_size=6),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)
decisions = st.sampled_from([*DICTIONARIES.fields.decision, "Stop", "proceed", "route", "Need evidence"])
answers = st.fixed_dictionaries(
    {"decision": decisions, "needs": needs_lists | phrases},
    optional={"next_step": st.text(max_size=40), "reasoning": st.text(max_size=40), "rational": phrases},
)
cases = st.fixed_dictionaries(
    {"regimens": st.lists(regimens, min_size=1, max_size=3) | phrases},
    optional={"intent": st.sampled_from(["palliative", "Adjuvant therapy", "cure"]), "rational": phrases},
)


def f1(needs: list[str], slots: list[str]) -> float:
    item = NccnGold(
        item_id="a",
        track="NCCN",
        question_type="q",
        decision="stop_missing_info",
        slots=tuple(GoldSlot(text=s) for s in slots),
    )
    weights = Weights([item], TOKENS)
    return match_slots(needs, prepare_slots(item, TOKENS, weights), TOKENS, weights, 0.5).f1


@given(needs_lists, slot_lists, st.randoms(use_true_random=False))
def test_slot_f1_does_not_depend_on_any_order(needs: list[str], slots: list[str], rng: random.Random) -> None:
    shuffled, turned = list(needs), list(slots)
    rng.shuffle(shuffled)
    rng.shuffle(turned)
    assert f1(needs, slots) == f1(shuffled, turned)


@given(needs_lists, slot_lists)
def test_asking_for_what_was_missed_never_lowers_the_f1(needs: list[str], slots: list[str]) -> None:
    before = f1(needs, slots)
    for slot in slots:
        after = f1([*needs, slot], slots)
        hits_before = before * (len({TOKENS(n) for n in needs}) + len(slots)) / 2
        hits_after = after * (len({TOKENS(n) for n in [*needs, slot]}) + len(slots)) / 2
        assert hits_after >= hits_before - 1e-9
        if hits_after > hits_before + 0.5:
            assert after >= before


@given(needs_lists, slot_lists)
def test_asking_for_something_beside_the_point_never_raises_the_f1(
    needs: list[str], slots: list[str]
) -> None:
    assert f1([*needs, "zebra crossing"], slots) <= f1(needs, slots)


@given(regimens, regimens)
def test_a_coarser_granularity_never_lowers_the_therapy_f1(given_: list[str], gold: list[str]) -> None:
    item = CrcGold.model_construct(
        item_id="c", track="CRC", regimen=tuple(gold), intent="palliative", contraindicated=(), molecular={}
    )
    strict, by_class, by_family = THERAPY.match([given_], THERAPY.prepare(item)).f1
    assert 0 <= strict <= by_class <= by_family <= 1


@given(st.lists(regimens, min_size=1, max_size=3), regimens, st.randoms(use_true_random=False))
def test_therapy_does_not_depend_on_the_order_of_drugs(
    options: list[list[str]], gold: list[str], rng: random.Random
) -> None:
    item = CrcGold.model_construct(
        item_id="c",
        track="CRC",
        regimen=tuple(gold),
        intent="palliative",
        contraindicated=("5-FU",),
        molecular={},
    )
    turned = [list(o) for o in options]
    for option in turned:
        rng.shuffle(option)
    prepared = THERAPY.prepare(item)
    assert THERAPY.match(options, prepared) == THERAPY.match(turned, prepared)


@given(regimens)
def test_reading_a_regimen_twice_changes_nothing(given_: list[str]) -> None:
    once = THERAPY.regimen(given_)
    known = [a for a in once.agents if not a.startswith("unknown:")]
    assert set(THERAPY.regimen(known).agents) == set(known)


@given(
    answers | cases | anything,
    st.booleans(),
    st.integers(0, 60),
    st.sampled_from(["", "```json\n", "Well: "]),
)
def test_repair_is_idempotent(value: object, crc: bool, cut: int, before: str) -> None:
    text = json.dumps(value)
    once = parse_response(before + text[: len(text) - cut], "item", crc, DICTIONARIES, CONFIG)
    assert (once.record is None) == (once.technical != "")
    if once.record is not None:
        twice = parse_response(orjson.dumps(once.record).decode(), "item", crc, DICTIONARIES, CONFIG)
        assert twice.record == once.record
        assert twice.repairs == ()


@given(st.text(max_size=200) | st.text(alphabet='{}[]",:\\ntrueu0`', max_size=80))
def test_any_text_is_read_or_called_unreadable(text: str) -> None:
    repairs: list[str] = []
    try:
        read_json(text, repairs)
    except UnreadableError:
        assert repairs == []


@settings(max_examples=60)
@given(st.lists((answers | cases | anything).map(json.dumps) | st.text(max_size=40) | st.none(), max_size=12))
def test_no_response_is_lost(scorer: Scorer, gold: Gold, texts: list[str | None]) -> None:
    items = list(gold.items)
    frame = pl.DataFrame(
        {
            "model": ["m"] * len(texts),
            "item_id": [items[(7 * i) % len(items)] for i in range(len(texts))],
            "run": list(range(len(texts))),
            "response": texts,
        },
        schema_overrides={"response": pl.String, "model": pl.String, "item_id": pl.String, "run": pl.Int64},
    )
    rows = scorer.score(frame).verdicts
    assert rows.select("model", "item_id", "run").equals(frame.select("model", "item_id", "run"))
    assert rows["verdict"].is_in(["correct", "partial", "incorrect", "technical_failure"]).all()
    technical = rows["verdict"] == "technical_failure"
    assert (rows["score"].is_null() == technical).all()
    assert (rows.filter(technical)["labels"].list.len() == 1).all()
    assert (rows.filter(rows["verdict"] == "correct")["labels"].list.len() == 0).all()


@settings(max_examples=25)
@given(st.lists(answers.map(json.dumps), min_size=1, max_size=10), st.randoms(use_true_random=False))
def test_responses_are_scored_alone(
    gold: Gold, dictionaries: Dictionaries, scorer: Scorer, texts: list[str], rng: random.Random
) -> None:
    items = list(gold.items)
    frame = pl.DataFrame(
        {
            "model": ["m"] * len(texts),
            "item_id": [items[i % 18] for i in range(len(texts))],
            "run": list(range(len(texts))),
            "response": texts,
        }
    )
    order = list(range(len(texts)))
    rng.shuffle(order)
    # A scorer that has seen other responses, in another order, gives the same rows.
    fresh = Scorer(gold, dictionaries, CONFIG).score(frame[order]).verdicts.sort("run")
    assert fresh.equals(scorer.score(frame).verdicts)
