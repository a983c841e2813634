"""Tokens of clinical phrases and their weights over the gold corpus."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from analysis.scoring.odbb.dictionaries import Dictionaries
from analysis.scoring.odbb.gold import GoldItem, NccnGold
from analysis.scoring.odbb.text import plain, singular

V = TypeVar("V")
CACHE_SIZE = 20_000
"""Texts that are remembered; a step takes about a kilobyte."""


class Memo(dict[str, V]):
    """Remembers a function of a text: `memo[text]` is its value.

    Emptied when it is full, so that memory stays bounded. A dictionary because looking up is most of what
    happens here.
    """

    def __init__(self, function: Callable[[str], V]) -> None:
        super().__init__()
        self._function = function

    def __missing__(self, text: str) -> V:
        """Return the function's value of a new text."""
        if len(self) >= CACHE_SIZE:
            self.clear()
        value = self[text] = self._function(text)
        return value


class Tokenizer:
    """Turns a clinical phrase into its set of canonical tokens.

    Parameters
    ----------
    dictionaries : Dictionaries
        Synonyms and stop words.
    """

    def __init__(self, dictionaries: Dictionaries) -> None:
        self._phrases = dictionaries.slot_phrases
        self._synonyms = dictionaries.slots.words
        self._stop = dictionaries.language.stopwords
        self.remembered = Memo(self._tokenize)
        """The tokens of every phrase, as a mapping."""
        self._canonical = Memo(self._canonical_word)

    def __call__(self, text: str) -> frozenset[str]:
        """Return the tokens of a phrase."""
        return self.remembered[text]

    def words(self, words: Sequence[str]) -> frozenset[str]:
        """Return the tokens of words that are plain already."""
        canonical = self._canonical
        return frozenset([t for w in self._phrases.replace(words) if (t := canonical[w])])

    def _tokenize(self, text: str) -> frozenset[str]:
        return self.words(plain(text).split())

    def _canonical_word(self, word: str) -> str:
        """Return the token of a word, the empty text for a stop word."""
        return "" if word in self._stop else singular(self._synonyms.get(word, word))


class Weights:
    """Inverse document frequencies over the gold corpus: log((1 + N) / (1 + df)) + 1.

    A document is an NCCN item: the tokens of its slots and steps. So tokens that many items share
    (`status`, `information`) weigh little. A token that the corpus does not have weighs as much as the
    rarest.
    """

    def __init__(self, items: Iterable[GoldItem], tokens: Tokenizer) -> None:
        frequency: dict[str, int] = {}
        n = 0
        for item in items:
            if not isinstance(item, NccnGold):
                continue
            n += 1
            texts = [slot.text for slot in item.slots] + list(item.steps)
            for token in frozenset().union(*(tokens(text) for text in texts)):
                frequency[token] = frequency.get(token, 0) + 1
        self._unknown = math.log(1 + n) + 1
        self._weight = {t: math.log((1 + n) / (1 + df)) + 1 for t, df in frequency.items()}

    def of(self, token: str) -> float:
        """Return the weight of a token."""
        return self._weight.get(token, self._unknown)

    def total(self, tokens: Iterable[str]) -> float:
        """Return the weight of tokens together; `fsum` makes it independent of their order."""
        get, unknown = self._weight.get, self._unknown
        return math.fsum([get(t, unknown) for t in tokens])

    def as_mapping(self) -> Mapping[str, float]:
        """Return the weights of the corpus' tokens."""
        return self._weight
