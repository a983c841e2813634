"""How many responses a second the scorer scores: ``python -m analysis.scoring.odbb.throughput [N]``.

The responses are made up, every one different in its reasoning, its next step and part of its needs, a tenth
of them in need of repair. CPU time is counted, so that further threads do not help.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np
import orjson
import polars as pl

from analysis.scoring.odbb.config import ScorerConfig
from analysis.scoring.odbb.dictionaries import Dictionaries, load_dictionaries
from analysis.scoring.odbb.gold import Gold, NccnGold, load_gold
from analysis.scoring.odbb.score import Scorer
from analysis.seeds import generator_for

EXAMPLE = Path(__file__).with_name("example")
DECISIONS = (
    "stop_missing_info",
    "stop_need_evidence",
    "proceed_with_treatment",
    "route_to_alternative_pathway",
)
BATCH = 5000
FILLER = (
    "the patient presents with a lesion that was found at routine follow up and has had no prior systemic "
    "therapy so the guideline node offers more than one option here and the choice turns on facts that "
    "the vignette leaves open including laboratory values imaging findings and the wishes of the patient"
)


def make_responses(gold: Gold, dictionaries: Dictionaries, n: int, *, seed: int = 42) -> pl.DataFrame:
    """Return n different responses to random gold items.

    Parameters
    ----------
    gold : Gold
        Items to answer.
    dictionaries : Dictionaries
        Synonyms and drugs to answer with.
    n : int
        Number of responses.
    seed : int
        Seed.
    """
    rng = generator_for(seed, "odbb scorer", "responses")
    items = list(gold.items.values())
    phrases = [p for variants in dictionaries.slots.phrases.values() for p in variants]
    drugs = list(dictionaries.drugs.agents)
    filler = FILLER.split()
    rows = []
    for i in range(n):
        item = items[int(rng.integers(len(items)))]
        words = [filler[j] for j in rng.integers(len(filler), size=120)]
        answer: dict[str, object] = {"reasoning": f"Case {i}. " + " ".join(words) + "."}
        if isinstance(item, NccnGold):
            asked = [s.text for s in item.slots if rng.random() < 0.7]
            asked += [phrases[j] for j in rng.integers(len(phrases), size=2)]
            asked.append(f"result {i} of the follow up scan")
            step = item.steps[0] if item.steps and rng.random() < 0.5 else "discuss in the tumor board"
            answer |= {"decision": DECISIONS[int(rng.integers(4))], "needs": asked}
            answer |= {"next_step": f"{step}, visit {i}", "basis": "guideline node"}
        else:
            chosen = [drugs[j] for j in rng.integers(len(drugs), size=2)]
            chosen = [*item.regimen] if rng.random() < 0.4 else chosen
            answer |= {"regimens": [chosen, [drugs[int(rng.integers(len(drugs)))]]], "intent": "palliative"}
        text = orjson.dumps(answer).decode()
        kind = rng.random()
        if kind < 0.05:
            text = f"```json\n{text}\n```"
        elif kind < 0.08:
            text = text.replace('"needs"', '"need"')
        elif kind < 0.10:
            text = text[: int(len(text) * 0.9)]
        rows.append((f"model-{i % 9}", item.item_id, i // 9, text))
    return pl.DataFrame(rows, schema=["model", "item_id", "run", "response"], orient="row")


def main(arguments: list[str]) -> int:
    """Measure and print."""
    n = int(arguments[0]) if arguments else 20_000
    dictionaries = load_dictionaries()
    gold = load_gold(EXAMPLE, dictionaries)
    responses = make_responses(gold, dictionaries, n)
    times = []
    for start in range(0, n, BATCH):
        # A new scorer for every batch: it remembers nothing of the others.
        scorer = Scorer(gold, dictionaries, ScorerConfig())
        batch = responses.slice(start, BATCH)
        begun = time.process_time()
        steps = scorer.score(batch).trail.height
        times.append((time.process_time() - begun) / batch.height)
    size = np.mean(responses["response"].str.len_bytes().to_numpy())
    sys.stdout.write(
        f"{n:,} responses of {size:,.0f} bytes, {steps / batch.height:.1f} audit steps each: "
        f"{1 / np.median(times):,.0f} responses a second of CPU time (median batch), "
        f"{1 / min(times):,.0f} (best batch)\n"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
