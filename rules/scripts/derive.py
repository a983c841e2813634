"""Derive the tables of one rule from the validated tables."""

from pathlib import Path

from analysis.derived import derive
from analysis.rule import told_plainly

with told_plainly(snakemake.rule, snakemake.log[0], snakemake.wildcards.benchmark):
    outputs = {name: Path(path) for name, path in snakemake.output.items()}
    derive(snakemake.rule, Path(snakemake.input.card).parent, outputs=outputs)
