"""Write the raw folder of the simulated consultations."""

from pathlib import Path

from analysis.demo.medconsult.write import write_medconsult
from analysis.rule import told_plainly

with told_plainly(snakemake.rule, snakemake.log[0]):
    write_medconsult(Path(snakemake.output.card).parent)
