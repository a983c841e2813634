"""Write the pages of a rubric's vignettes."""

from pathlib import Path

from analysis.config import read_config
from analysis.reporting.rubric_pages import write_rubric_pages
from analysis.rule import told_plainly

with told_plainly(snakemake.rule, snakemake.log[0], snakemake.wildcards.benchmark):
    write_rubric_pages(
        snakemake.wildcards.benchmark,
        config=read_config(overrides=snakemake.params.config),
        folder=Path(snakemake.output.index).parent,
    )
