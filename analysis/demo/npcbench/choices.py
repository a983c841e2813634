"""What the paper does not print and the reconstruction had to choose. It means nothing beyond that."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analysis.seeds import generator_for

SEED = 42


def stream(*names: str) -> np.random.Generator:
    """Return the generator of a named part of the reconstruction."""
    return generator_for(SEED, "npcbench", *names)


@dataclass(frozen=True)
class Model:
    """A model of which the text prints at least one row.

    Parameters
    ----------
    model, name : str
        Identifier and the paper's name.
    family : str
        The group's title where a table prints it (A7, A10), else the maker's series.
    weights : {'open', 'closed'} or None
        Open for models that are published for download, closed for those of an API.
    """

    model: str
    name: str
    family: str
    weights: str | None


API, MEDICAL, GENERAL = "API models", "Medical-specific models", "Open general models"

MODELS = (
    Model("claude-4.6", "Claude-4.6", API, "closed"),
    Model("deepseek-v3.1", "DeepSeek-V3.1", API, "open"),
    Model("fleming-r1-7b", "Fleming-R1-7B", MEDICAL, "open"),
    Model("gemini-2.5-flash", "Gemini-2.5-Flash", API, "closed"),
    Model("gemini-2.5-pro", "Gemini-2.5-Pro", API, "closed"),
    Model("gemini-3.1-pro-preview", "Gemini-3.1-Pro-Preview", API, "closed"),
    Model("gpt-4.1", "GPT-4.1", API, "closed"),
    Model("gpt-5.1", "GPT-5.1", API, "closed"),
    Model("gpt-oss-120b", "GPT-OSS-120B", GENERAL, "open"),
    Model("gpt-oss-20b", "GPT-OSS-20B", GENERAL, "open"),
    Model("healthgpt-pro-4b", "HealthGPT-Pro-4B", MEDICAL, "open"),
    Model("healthgpt-pro-8b", "HealthGPT-Pro-8B", MEDICAL, "open"),
    Model("hulu-med-32b", "Hulu-Med-32B", MEDICAL, "open"),
    Model("hulu-med-4b", "Hulu-Med-4B", MEDICAL, "open"),
    Model("hulu-med-7b", "Hulu-Med-7B", MEDICAL, "open"),
    Model("internvl3.5-38b", "InternVL3.5-38B", GENERAL, "open"),
    Model("lingshu-32b", "Lingshu-32B", MEDICAL, "open"),
    Model("lingshu-7b", "Lingshu-7B", MEDICAL, "open"),
    Model("qwen3-vl-30b-a3b-instruct", "Qwen3-VL-30B-A3B-Instruct", GENERAL, "open"),
    Model("qwen3-vl-8b-instruct", "Qwen3-VL-8B-Instruct", GENERAL, "open"),
    Model("qwen3.5-27b", "Qwen3.5-27B", GENERAL, "open"),
    Model("qwen3.6-27b", "Qwen3.6-27B", GENERAL, "open"),
    Model("qwen3.6-35b-a3b", "Qwen3.6-35B-A3B", GENERAL, "open"),
)
"""Titles of families beyond "API models" (A10) and "Medical-Specific LLMs" (A7) are ours, and so is who
belongs to them where the text cuts the rows."""

STAGES = ("T1", "T2", "T3", "T4")

STRUCTURES: dict[str, tuple[str, ...]] = {
    "T1": ("nasopharyngeal wall", "nasal cavity", "oropharynx"),
    "T2": ("parapharyngeal space", "medial pterygoid", "lateral pterygoid", "prevertebral muscle"),
    "T3": (
        "clivus",
        "sphenoid base",
        "pterygoid process",
        "petrous apex",
        "cervical vertebra",
        "paranasal sinus",
    ),
    "T4": ("intracranial", "cavernous sinus", "orbit", "parotid gland", "hypopharynx"),
}
"""18 structures, by the stage that their invasion gives. The paper prints their number, not their names."""

CARDS_PER_PATIENT = 27
"""2,700 cards over 100 patients: 9 of the 18 structures are shown twice."""

CARE_SWAPS = ((4, 2), (4, 2))
"""Depths that matched and assigned patients exchange: the 25 deepest patients hold 119 care decisions, and
the paper prints 115 for the 25 with matched pathology."""

EXTRA_QUESTIONS = 31
"""146 questions of the controls less the 115 scored ones of the same 25 patients: one or two a patient."""

N_CASES = 42
"""Cases of the 103 consultations (figure 5)."""

SPECIAL_SHARE = {"elderly": 4, "pediatric": 8}
"""The 12 questions on special populations of table A5 are the 4 on elderly and 8 on pediatric patients of
table A29; their criteria are split in this proportion."""
