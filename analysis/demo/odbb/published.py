"""What the paper prints about models and question types, as the solver needs it.

Everything in this module stands in the paper (arXiv:2608.28592); the section is named beside it.
What the paper leaves open is in `analysis.demo.odbb.choices`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Model:
    """One evaluated model.

    Parameters
    ----------
    model, name, family, vendor : str
        As in the raw contract. Vendors are common knowledge: the body of table 2 is not in the text.
    weights : {'open', 'closed'}
        Section 3.8 and figure 2b.
    total_cost_usd : float
        Section 3.8.
    released : str or None
        Section 2.4 dates Gemini 2.5 Pro alone.
    input_price_usd : float or None
        Caption of table 2: USD per million tokens.
    """

    model: str
    name: str
    family: str
    vendor: str
    weights: Literal["open", "closed"]
    total_cost_usd: float
    released: str | None = None
    input_price_usd: float | None = None


MODELS = (
    Model("claude-sonnet-4.6", "Claude Sonnet 4.6", "Claude", "Anthropic", "closed", 20.68),
    Model("glm-5.1", "GLM-5.1", "GLM", "Z.ai", "open", 3.73),
    Model("glm-5", "GLM-5", "GLM", "Z.ai", "open", 2.07),
    Model("qwen-3.6-plus", "Qwen 3.6-Plus", "Qwen", "Alibaba", "open", 2.26, None, 0.325),
    Model("minimax-m2.7", "Minimax M2.7", "Minimax", "MiniMax", "open", 3.17),
    Model("gpt-5.5", "GPT-5.5", "GPT", "OpenAI", "closed", 38.60),
    Model("deepseek-v4-pro", "DeepSeek V4 Pro", "DeepSeek", "DeepSeek", "open", 10.29, None, 0.435),
    Model("gemini-2.5-pro", "Gemini 2.5 Pro", "Gemini", "Google", "closed", 9.63, "2025-06"),
    Model("gemini-3.1-pro-preview", "Gemini 3.1 Pro Preview", "Gemini", "Google", "closed", 16.03),
)
"""The models in the order of section 3.2: by strict concordance on the NCCN track."""

N_MODELS = len(MODELS)
CLAUDE, GLM51, GLM5, QWEN, MINIMAX, GPT, DEEPSEEK, GEMINI25, GEMINI31 = range(N_MODELS)


@dataclass(frozen=True)
class QuestionType:
    """One question type.

    Parameters
    ----------
    name : str
        As in the items table.
    code : str
        The paper's abbreviation, part of our item identifiers.
    track : {'NCCN', 'CRC'}
        Track.
    gold : {'stop', 'proceed', 'regimen'}
        What the gold answer asks for. Section 3.5: the 1,337 items of three types ask to stop.
    n_items, n_zero_correct : int
        Table 4.
    """

    name: str
    code: str
    track: Literal["NCCN", "CRC"]
    gold: Literal["stop", "proceed", "regimen"]
    n_items: int
    n_zero_correct: int


QUESTION_TYPES = (
    QuestionType("parallel_option_disambiguation", "POD", "NCCN", "stop", 920, 200),
    QuestionType("missing_information_request", "MIR", "NCCN", "stop", 348, 165),
    QuestionType("in_guide_handoff_resolution", "IGHR", "NCCN", "proceed", 136, 105),
    QuestionType("upstream_routing_decision", "URD", "NCCN", "proceed", 110, 71),
    QuestionType("evidence_resolution_request", "ERR", "NCCN", "stop", 69, 24),
    QuestionType("single_path_decision", "SPD", "NCCN", "proceed", 3, 2),
    QuestionType("crc_therapy_recommendation", "CRC", "CRC", "regimen", 419, 278),
)
"""The question types of table 4, the CRC cases last."""

POD, MIR, IGHR, URD, ERR, SPD, CRC = range(len(QUESTION_TYPES))

N_ALL_CORRECT = 78
"""Items that all nine models answer correctly (section 3.3)."""

N_SEVEN_OR_EIGHT = (296, 297)
"""Items with seven or eight correct models: both round to 14.8 % of 2,005 (section 3.3)."""

COVERED = (685, 909, 1016)
"""Items covered by Claude, with Minimax, with GPT-5.5: the only counts that print 34.2, 45.3 (+11.2)
and 50.7 (+5.3) percent (section 3.3)."""

MAX_LATER_GAIN = 60
"""Largest gain below 3 points, from the fourth model on (figure 3)."""

UNIQUE = {MINIMAX: 57, GPT: 52}
"""Items that one model alone solves; every other model has fewer (section 3.7)."""

CONCORDANCE = {(GLM51, QWEN): 0.801, (GLM51, GLM5): 0.800, (GLM5, QWEN): 0.778}
"""Verdict-level concordance of the open-weight cluster (section 3.8)."""

MAX_OTHER_CONCORDANCE = 0.77
"""The text names three pairs above this; no other pair may exceed it."""

N_ALL_PARTIAL = 481
"""Zero-correct items that are partial for all nine models (section 3.3)."""

N_ALL_INCORRECT = 9
"""NCCN items that are incorrect for all nine models, all in handoff or upstream routing (section 3.4)."""

ZERO_CORRECT_MEAN_SCORE = 0.09
ZERO_CORRECT_BELOW_TENTH = 0.694
"""Content scores on zero-correct items, over 7,605 model-item pairs (section 3.3, figure 3)."""
