"""The scorer: responses and gold items in, verdicts and their audit trail out, one pass per phase."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import polars as pl

from analysis.scoring.odbb.config import ScorerConfig
from analysis.scoring.odbb.crc import CrcScorer
from analysis.scoring.odbb.dictionaries import Dictionaries
from analysis.scoring.odbb.gold import CrcGold, Gold
from analysis.scoring.odbb.labels import Labeller
from analysis.scoring.odbb.nccn import NccnScorer
from analysis.scoring.odbb.repair import Parsed, parse_responses
from analysis.scoring.odbb.rows import REPAIRED, TECHNICAL, Rows
from analysis.scoring.odbb.steps import StepReader
from analysis.scoring.odbb.therapy import TherapyReader
from analysis.scoring.odbb.tokens import Tokenizer, Weights
from analysis.scoring.odbb.trail import Trail


@dataclass(frozen=True)
class Scored:
    """What the scorer returns.

    Parameters
    ----------
    verdicts : pl.DataFrame
        One row per response, in the raw contract's columns and the scorer's own.
    trail : pl.DataFrame
        The audit trail: one row per step of a response.
    """

    verdicts: pl.DataFrame
    trail: pl.DataFrame


class Scorer:
    """Scores responses against gold items.

    The same responses give the same rows, whatever their order and whatever was scored before: nothing
    is random, and what is remembered between responses only saves time.

    Parameters
    ----------
    gold : Gold
        Gold items.
    dictionaries : Dictionaries
        Names, synonyms, drugs, labels.
    config : ScorerConfig
        Thresholds.
    """

    def __init__(self, gold: Gold, dictionaries: Dictionaries, config: ScorerConfig) -> None:
        self.gold, self.dictionaries, self.config = gold, dictionaries, config
        tokens = Tokenizer(dictionaries)
        weights = Weights(gold.items.values(), tokens)
        steps = StepReader(dictionaries, tokens, weights, config)
        self._labeller = Labeller(dictionaries)
        self._nccn = NccnScorer(tokens, weights, steps, self._labeller, config)
        self._crc = CrcScorer(TherapyReader(dictionaries, config), steps, self._labeller, config)
        self._is_crc: dict[str, bool] = {}
        for item_id, item in gold.items.items():
            self._is_crc[item_id] = isinstance(item, CrcGold)
            if isinstance(item, CrcGold):
                self._crc.add(item)
            else:
                self._nccn.add(item)

    def score(self, responses: pl.DataFrame) -> Scored:
        """Score responses.

        Parameters
        ----------
        responses : pl.DataFrame
            `model`, `item_id`, `run`, `response` (text or null); every item has gold. Further
            columns are kept.

        Returns
        -------
        Scored
            Rows in the order of the responses.
        """
        item_ids = responses["item_id"].to_list()
        texts = responses["response"].to_list()
        crc = [self._is_crc[i] for i in item_ids]
        rows, trail = Rows.of_length(len(texts)), Trail()
        with _collector_paused():
            parsed = parse_responses(texts, item_ids, crc, self.dictionaries, self.config)
            self._note_repairs(parsed, rows, trail)
            for i, (item_id, is_crc, response) in enumerate(zip(item_ids, crc, parsed, strict=True)):
                if response.record is not None:
                    scorer = self._crc if is_crc else self._nccn
                    flags = [REPAIRED] if response.repairs else []
                    scorer.score(i, item_id, response.record, flags, rows, trail)
            self._labeller.refuse_reserved({name for labels in set(rows.labels) for name in labels.split()})
            keys = responses.drop("response")
            return Scored(pl.concat([keys, rows.frame()], how="horizontal"), trail.frame(keys))

    def _note_repairs(self, parsed: Sequence[Parsed], rows: Rows, trail: Trail) -> None:
        for i, response in enumerate(parsed):
            for repair in response.repairs:
                trail.add(i, "repair", "response", repair)
            if response.technical:
                rows.labels[i] = response.technical
                trail.add(i, "labels", response.technical, "emitted", response.reason)
                trail.add(i, "verdict", "verdict", TECHNICAL)


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Pause the cyclic garbage collector: many small tuples are made here, and no cycle among them."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
