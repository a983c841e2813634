"""Copy the site to where the configuration says."""

from analysis.config import read_config
from analysis.reporting.publish import publish_site
from analysis.rule import told_plainly

with told_plainly(snakemake.rule, snakemake.log[0]):
    publish_site(read_config(overrides=snakemake.params.config))
