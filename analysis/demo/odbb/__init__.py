"""ODBB, reconstructed: a benchmark whose verdicts satisfy the numbers that its paper prints.

The paper (arXiv:2608.28592) reports nine models on 2,005 oncology decision points. Its raw outputs are
not part of this project, so the verdicts here are solved for: an integer program finds a solve
pattern for every item, and seeded searches fill in verdicts, decisions, labels, scores and
adjudications. What the paper prints is in `statements.yaml`; what it does not print, and was chosen, in
`choices`.
"""

from __future__ import annotations

from analysis.demo.odbb.write import write_odbb

__all__ = ["write_odbb"]
