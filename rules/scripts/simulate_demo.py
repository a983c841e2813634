"""Write the demonstration's raw folder."""

from pathlib import Path

from analysis.demo.simulate import write_demo
from analysis.rule import told_plainly

with told_plainly(snakemake.rule, snakemake.log[0]):
    write_demo(Path(snakemake.output.card).parent)
