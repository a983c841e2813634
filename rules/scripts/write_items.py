"""Write the pages of one benchmark's items."""

from pathlib import Path

from analysis.config import read_config
from analysis.reporting.items.write import write_items
from analysis.rule import told_plainly

with told_plainly(snakemake.rule, snakemake.log[0], snakemake.wildcards.benchmark):
    write_items(
        snakemake.wildcards.benchmark,
        config=read_config(overrides=snakemake.params.config),
        folder=Path(snakemake.output.page).parent,
    )
