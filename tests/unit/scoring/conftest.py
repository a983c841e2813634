"""The packaged dictionaries and the example gold corpus."""

from __future__ import annotations

from pathlib import Path

import pytest

import analysis.scoring.odbb
from analysis.scoring.odbb import Dictionaries, Gold, Scorer, ScorerConfig, load_dictionaries, load_gold

EXAMPLE = Path(analysis.scoring.odbb.__file__).with_name("example")


@pytest.fixture(scope="session")
def dictionaries() -> Dictionaries:
    return load_dictionaries()


@pytest.fixture(scope="session")
def gold(dictionaries: Dictionaries) -> Gold:
    return load_gold(EXAMPLE, dictionaries)


@pytest.fixture(scope="session")
def scorer(gold: Gold, dictionaries: Dictionaries) -> Scorer:
    return Scorer(gold, dictionaries, ScorerConfig())
