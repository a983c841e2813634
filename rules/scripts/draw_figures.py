"""Draw every figure of one benchmark."""

from pathlib import Path

from analysis.derived import read_derived, read_state
from analysis.figures import write_figures
from analysis.rule import told_plainly

with told_plainly(snakemake.rule, snakemake.log[0], snakemake.wildcards.benchmark):
    folder = Path(snakemake.input.card).parent
    _, card, _ = read_state(folder)
    write_figures(read_derived(folder), card, Path(snakemake.output.index).parent)
