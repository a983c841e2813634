"""Render one page of the site."""

from pathlib import Path

from analysis.config import read_config
from analysis.reporting.render import render_page
from analysis.rule import told_plainly

benchmark = snakemake.wildcards.get("benchmark", "")
with told_plainly(snakemake.rule, snakemake.log[0], benchmark):
    render_page(
        snakemake.rule.removeprefix("render_"),
        config=read_config(overrides=snakemake.params.config),
        benchmark=benchmark or snakemake.params.get("benchmarks"),
        out=Path(snakemake.output.page),
        log=Path(snakemake.log[0]),
    )
