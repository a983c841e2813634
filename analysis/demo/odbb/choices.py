"""What the paper does not print and the reconstruction had to choose, inside the printed ranges.

Where a number of a row is printed, a comment names the section. All other numbers are ours: they make
the rows complete and mean nothing beyond that.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

SEED = 42


@dataclass(frozen=True)
class Behaviour:
    """Counts that the reconstruction gives one model.

    Parameters
    ----------
    ncc_correct : int
        Correct NCCN items. With `ncc_technical` it gives the printed strict concordance.
    ncc_technical, crc_technical : int
        Technical failures per track; they leave the denominator of the concordance.
    unreadable : int
        How many of them are T2 (truncated or unparseable JSON); the rest are T1.
    f1, f3 : int
        Unsafe overreach and premature commitment among NCCN items.
    decisive : int
        NCCN items on which the model commits to an action.
    need_evidence : int
        NCCN items with the decision `stop_need_evidence`.
    gap : int
        NCCN items whose reasoning holds the gold step although the verdict is not correct.
    conflicts : int
        Responses that acknowledge conflicting data.
    contradictory : tuple of int
        Contradictory outputs on NCCN and on CRC.
    contraindicated : int
        CRC items with a contraindicated drug (F16).
    crc_correct : int
        Correct CRC items.
    f1_strict, f1_class, f1_family : float
        Mean therapy F1@3 over the scored CRC items.
    """

    ncc_correct: int
    ncc_technical: int
    crc_technical: int
    unreadable: int
    f1: int
    f3: int
    decisive: int
    need_evidence: int
    gap: int
    conflicts: int
    contradictory: tuple[int, int]
    contraindicated: int
    crc_correct: int
    f1_strict: float
    f1_class: float
    f1_family: float


# Printed: strict concordances (3.2); F1, F3 and need_evidence of both Gemini (3.5); decisive and hard-failure
# rates of GPT-5.5 and Gemini 3.1, and the ends of the others' ranges (3.5); gaps of Qwen, GLM-5, Minimax and
# Gemini 3.1 (3.6); conflicts of Claude and Qwen, contradictions of Claude and GPT-5.5, contraindicated
# of Claude, strict F1@3 of both GLM (3.7).
BEHAVIOUR = (
    Behaviour(590, 1, 0, 0, 52, 48, 130, 120, 108, 2, (22, 6), 25, 95, 0.318, 0.431, 0.488),
    Behaviour(515, 2, 1, 2, 46, 41, 105, 131, 122, 15, (60, 14), 14, 98, 0.338, 0.452, 0.507),
    Behaviour(510, 3, 1, 3, 44, 37, 98, 126, 133, 17, (71, 17), 18, 46, 0.207, 0.289, 0.352),
    Behaviour(504, 2, 0, 1, 36, 30, 82, 142, 144, 24, (64, 15), 12, 76, 0.279, 0.392, 0.451),
    Behaviour(493, 19, 5, 22, 59, 50, 133, 118, 132, 11, (88, 21), 19, 84, 0.300, 0.418, 0.470),
    Behaviour(479, 1, 0, 1, 151, 176, 428, 37, 79, 6, (168, 44), 22, 82, 0.296, 0.405, 0.463),
    Behaviour(438, 6, 2, 6, 65, 57, 141, 104, 114, 9, (79, 18), 16, 62, 0.250, 0.341, 0.409),
    Behaviour(364, 5, 1, 5, 56, 48, 143, 155, 102, 8, (93, 22), 17, 74, 0.272, 0.371, 0.430),
    Behaviour(250, 4, 1, 4, 158, 173, 523, 4, 49, 5, (120, 28), 21, 70, 0.262, 0.356, 0.418),
)
"""In the order of `published.MODELS`."""

SOLVES = np.array(
    [
        # Claude GLM51 GLM5 Qwen Minimax GPT DeepSeek Gem2.5 Gem3.1
        [461, 405, 406, 402, 386, 373, 373, 288, 189],
        [92, 76, 76, 74, 62, 47, 40, 52, 27],
        [4, 2, 1, 2, 6, 19, 2, 3, 12],
        [9, 5, 4, 4, 8, 21, 6, 7, 15],
        [23, 26, 22, 21, 30, 18, 17, 14, 6],
        [1, 1, 1, 1, 1, 0, 0, 0, 0],
        [95, 98, 46, 76, 84, 82, 62, 74, 70],
    ]
)
"""Correct items per question type and model from which the program starts. It moves them as it must."""

EVIDENCE_RUNNER_UP = 26
"""Evidence resolution items of the next-best model: 26 of 69 prints 37.7 % (section 3.7)."""

ERR_TECHNICAL_MINIMAX = 2
"""44.8 % of evidence resolution is no k of 69, but 30 of 67: two technical failures."""

ALL_PARTIAL = {"stop": 347, "proceed": 103, "regimen": 31}
"""The 481 all-partial items by what the gold answer asks for."""

PARTIAL_MEAN_F1 = 0.36
"""Mean strict therapy F1 of partial CRC responses, before the model's mean is met."""
