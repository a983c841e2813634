"""The deterministic scorer of ODBB: structured model responses and gold items in, raw verdicts out.

It follows section 2.3 of arXiv:2608.28592; what the paper leaves to its supplement is ours and configurable.
No model is asked anything; the same responses give the same bytes.
"""

from __future__ import annotations

from analysis.scoring.odbb.config import ScorerConfig, read_scorer_config
from analysis.scoring.odbb.dictionaries import Dictionaries, load_dictionaries
from analysis.scoring.odbb.gold import Gold, load_gold, write_lock
from analysis.scoring.odbb.score import Scored, Scorer

__all__ = [
    "Dictionaries",
    "Gold",
    "Scored",
    "Scorer",
    "ScorerConfig",
    "load_dictionaries",
    "load_gold",
    "read_scorer_config",
    "write_lock",
]
