"""Write the raw folder of the reconstruction."""

from pathlib import Path

from analysis.demo.npcbench.write import write_npcbench
from analysis.rule import told_plainly

with told_plainly(snakemake.rule, snakemake.log[0]):
    write_npcbench(Path(snakemake.output.card).parent)
