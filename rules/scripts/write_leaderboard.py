"""Write the leaderboard of one benchmark."""

from pathlib import Path

from analysis.config import read_config
from analysis.reporting.leaderboard import write_leaderboard
from analysis.rule import told_plainly

with told_plainly(snakemake.rule, snakemake.log[0], snakemake.wildcards.benchmark):
    write_leaderboard(
        snakemake.wildcards.benchmark,
        config=read_config(overrides=snakemake.params.config),
        folder=Path(snakemake.output.page).parent,
    )
