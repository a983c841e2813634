"""Write the raw folder of the simulated ratings."""

from pathlib import Path

from analysis.demo.rubric.write import write_rubric_demo
from analysis.rule import told_plainly

with told_plainly(snakemake.rule, snakemake.log[0]):
    write_rubric_demo(Path(snakemake.output.card).parent)
