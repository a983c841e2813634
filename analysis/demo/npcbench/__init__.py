"""NPCBench, reconstructed: a benchmark whose answers satisfy the numbers that its paper prints.

The paper asks whether a model's answers are jointly right for the same patient. Its raw outputs are
not part of this project, so the answers here are solved for, table by table. What the text prints is
in `printed.yaml`; how each number is read from the ordinary tables is in `statements.yaml`; what the
paper leaves open, and was chosen, is in `choices`. Rows of models that the text cuts are not made up.
"""

from __future__ import annotations

from analysis.demo.npcbench.write import write_npcbench

__all__ = ["write_npcbench"]
