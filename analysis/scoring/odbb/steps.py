"""Phase 3, proceed items: the response's next step against the gold pathway steps, and their polarity."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from analysis.scoring.odbb.config import ScorerConfig
from analysis.scoring.odbb.dictionaries import Dictionaries
from analysis.scoring.odbb.text import drug_key, folded, plain, words_of
from analysis.scoring.odbb.tokens import Memo, Tokenizer, Weights

# The look behind keeps a long run of marks from being tried at each of its positions.
SENTENCE = re.compile(r"(?<![.;:!?])[.;:!?]++(?=\s|$)|\n+")


NOTHING: frozenset[str] = frozenset()
Spellings = tuple[tuple[tuple[str, ...], tuple[str, ...], float], ...]
"""A gold step to look for: per token the parts of words that betray it, its spellings, its weight."""


class Step(NamedTuple):
    """A step as read: what it recommends, what it recommends against, whether it names a treatment.

    Parameters
    ----------
    tokens, recommended, rejected : frozenset of str
        All tokens, those that are recommended, those that are recommended against.
    opposed : frozenset of str
        Its words that have an opposite.
    names_treatment : bool
        A specific treatment is recommended.
    commits : bool
        It is recommended without a condition.
    """

    tokens: frozenset[str]
    recommended: frozenset[str]
    rejected: frozenset[str]
    opposed: frozenset[str]
    names_treatment: bool
    commits: bool


class StepMatch(NamedTuple):
    """How a next step fits the gold steps.

    Parameters
    ----------
    overlap : float
        Token overlap with the best gold step; 0 where the step contradicts it.
    gold : str
        That gold step.
    conflict : bool
        The step shares its vocabulary with a gold step and says the opposite.
    """

    overlap: float
    gold: str
    conflict: bool


class StepReader:
    """Reads next steps and reasoning.

    Parameters
    ----------
    dictionaries : Dictionaries
        Negations, conditions, opposites, treatments.
    tokens : Tokenizer
        Canonical tokens.
    weights : Weights
        Weights over the gold corpus.
    config : ScorerConfig
        Thresholds.
    """

    def __init__(
        self, dictionaries: Dictionaries, tokens: Tokenizer, weights: Weights, config: ScorerConfig
    ) -> None:
        language = dictionaries.language
        self._tokens, self._weights, self._config = tokens, weights, config
        self._language = language
        self._turning = language.negations | language.verdicts_against
        self._clause = re.compile(rf"\b(?:{'|'.join(sorted(language.clause_words))})\b")
        self._segment = re.compile(rf"(?:,|\band\b)\s*(?=(?:{'|'.join(sorted(language.directives))})\b)")
        drugs = {plain(name) for name, agent in dictionaries.agent_of.items() if agent and drug_key(name)}
        self._treatments = frozenset().union(
            *(tokens(word) for word in language.treatments), (d for d in drugs if d and " " not in d)
        )
        self._opposites = [(a, b) for pair in language.opposites for a, b in (pair, pair[::-1])]
        self._opposed = frozenset(word for pair in language.opposites for word in pair)
        self._conflicts = language.conflicts
        self._conflict_stems = _shortest_inside(language.conflicts)
        self._variants = _variants(dictionaries)
        self.read = Memo(self._read)

    def _read(self, text: str) -> Step:
        recommended = rejected = NOTHING
        names = commits = False
        lowered = folded(text)
        every = words_of(lowered)
        for clause in self._clauses(lowered, every):
            words = every if clause is lowered else words_of(clause)
            if self._turning.isdisjoint(words):
                forward, backward = self._tokens.words(words), NOTHING
            else:
                forward, backward = self._polarities(clause)
            # Most steps have one clause and reject nothing: no need to copy sets.
            recommended = recommended | forward if recommended else forward
            rejected = rejected | backward if backward else rejected
            if not self._treatments.isdisjoint(forward):
                names = True
                commits = commits or self._language.conditions.isdisjoint(words)
        opposed = self._opposed.intersection(every)
        tokens = recommended | rejected if rejected else recommended
        return Step(tokens, recommended, rejected, opposed, names, commits)

    def _clauses(self, lowered: str, words: Sequence[str]) -> list[str]:
        """Split at sentence ends and at clause words; most steps have neither inside."""
        sentences = SENTENCE.split(lowered)
        if self._language.clause_words.isdisjoint(words):
            return sentences if len(sentences) > 1 else [lowered]
        return [clause for sentence in sentences for clause in self._clause.split(sentence)]

    def _polarities(self, clause: str) -> tuple[frozenset[str], frozenset[str]]:
        """Return what a clause recommends and what it recommends against, segment by segment."""
        negations, against = self._language.negations, self._language.verdicts_against
        forward: frozenset[str] = frozenset()
        backward: frozenset[str] = frozenset()
        for segment in self._segment.split(clause):
            words = words_of(segment)
            if not against.isdisjoint(words):
                backward |= self._tokens.words([w for w in words if w not in self._turning])
                continue
            cue = next((i for i, w in enumerate(words) if w in negations), len(words))
            forward |= self._tokens.words(words[:cue])
            backward |= self._tokens.words([w for w in words[cue:] if w not in negations])
        return forward, backward

    def match(self, text: str, gold_steps: Sequence[str]) -> StepMatch:
        """Compare a next step with every wording of the gold step; the best one counts."""
        step = self.read[text]
        best = StepMatch(0.0, gold_steps[0] if gold_steps else "", False)
        conflict = None
        for wording in gold_steps:
            gold = self.read[wording]
            overlap = self._overlap(step.tokens, gold.tokens)
            if self._contradicts(step, gold):
                if overlap >= self._config.path_overlap:
                    conflict = StepMatch(0.0, wording, True)
            elif overlap > best.overlap:
                best = StepMatch(overlap, wording, False)
        if conflict is not None and best.overlap < self._config.path_overlap:
            return conflict
        return best

    def _overlap(self, step: frozenset[str], gold: frozenset[str]) -> float:
        shared = len(step & gold)
        if not shared:
            return 0.0
        if self._config.overlap_measure == "dice":
            return 2 * shared / (len(step) + len(gold))
        if self._config.overlap_measure == "jaccard":
            return shared / (len(step) + len(gold) - shared)
        return shared / len(gold)

    def _contradicts(self, step: Step, gold: Step) -> bool:
        if step.rejected or gold.rejected:
            shared = step.tokens & gold.tokens
            turned = (step.rejected - step.recommended) & (gold.recommended - gold.rejected)
            turned |= (step.recommended - step.rejected) & (gold.rejected - gold.recommended)
            if turned:
                share = self._weights.total(turned) / self._weights.total(shared)
                if share >= self._config.polarity_conflict:
                    return True
        if not step.opposed or not gold.opposed:
            return False
        said, wanted = step.opposed - gold.opposed, gold.opposed - step.opposed
        return any(a in said and b in wanted for a, b in self._opposites)

    def prepare_gold(self, gold_steps: Sequence[str]) -> tuple[Spellings, ...]:
        """Return, per gold step, its tokens as spellings to look for, the heaviest first."""
        prepared = []
        for step in gold_steps:
            entries = []
            for token in self.read[step].tokens:
                spellings = self._variants.get(token, (token, f"{token}s"))
                entries.append((_shortest_inside(spellings), spellings, self._weights.of(token)))
            prepared.append(tuple(sorted(entries, key=lambda e: (-e[2], e[1]))))
        return tuple(prepared)

    def reads_of(self, reasoning: str, prepared: Sequence[Spellings]) -> tuple[bool, bool]:
        """Tell whether a passage of the reasoning holds a gold step, and whether it names a data conflict.

        Parameters
        ----------
        reasoning : str
            The reasoning text.
        prepared : sequence
            What `prepare_gold` returned.
        """
        lowered = folded(reasoning)
        conflict = False
        for stem in self._conflict_stems:
            if stem in lowered:
                conflict = not self._conflicts.isdisjoint(set(words_of(lowered)))
                break
        for step in prepared:
            if self._may_hold(step, lowered):
                words = set(words_of(lowered))
                if self._holds(step, words) and self._passage_holds(step, lowered):
                    return True, conflict
        return False, conflict

    def _may_hold(self, step: Spellings, lowered: str) -> bool:
        """Tell whether the text can hold the step: its tokens are there, be it as parts of words."""
        spare = (1 - self._config.gold_step_in_reasoning) * sum(weight for _, _, weight in step) + 1e-9
        for stems, _, weight in step:
            for stem in stems:
                if stem in lowered:
                    break
            else:
                spare -= weight
                if spare < 0:
                    return False
        return bool(step)

    def _holds(self, step: Spellings, words: set[str]) -> bool:
        held = total = 0.0
        for _, spellings, weight in step:
            total += weight
            for spelling in spellings:
                if spelling in words:
                    held += weight
                    break
        return held >= self._config.gold_step_in_reasoning * total - 1e-12

    def _passage_holds(self, step: Spellings, reasoning: str) -> bool:
        sentences = [set(words_of(s)) for s in SENTENCE.split(reasoning)]
        length = self._config.passage_sentences
        if len(sentences) <= length:
            return True
        return any(
            self._holds(step, set().union(*sentences[i : i + length]))
            for i in range(len(sentences) - length + 1)
        )


def _shortest_inside(words: Iterable[str]) -> tuple[str, ...]:
    """Return the words that hold no other one: a text without them holds none of the words."""
    every = sorted(set(words))
    return tuple(w for w in every if not any(o in w for o in every if o != w))


def _variants(dictionaries: Dictionaries) -> dict[str, tuple[str, ...]]:
    """Return the spellings of every token that has other ones than its plural."""
    out: dict[str, set[str]] = {}
    for word, canonical in dictionaries.slots.words.items():
        out.setdefault(canonical, {canonical, f"{canonical}s"}).add(word)
    return {t: tuple(sorted(spellings)) for t, spellings in out.items()}
