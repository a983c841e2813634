"""Write the raw folder of the reconstruction."""

from pathlib import Path

from analysis.demo.odbb.write import write_odbb
from analysis.rule import told_plainly

with told_plainly(snakemake.rule, snakemake.log[0]):
    write_odbb(Path(snakemake.output.card).parent)
