"""`medconsult`: simulated consultations with known truth, after the design of MedConsultBench.

The paper (arXiv:2601.12661) scores whole consultations by large language models; its sessions are not
part of this project. Patients, systems, sessions and judgements here are invented and drawn with a
fixed seed. Some styles lean on aggregates that the paper prints; `targets` lists aim and outcome.
"""

from __future__ import annotations

from analysis.demo.medconsult.write import write_medconsult

__all__ = ["write_medconsult"]
