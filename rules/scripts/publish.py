"""Copy the site to where the configuration says."""

import sys

from analysis.config import read_config
from analysis.reporting.publish import publish_site
from analysis.rule import told_plainly

with told_plainly(snakemake.rule, snakemake.log[0]):
    published = publish_site(read_config(overrides=snakemake.params.config))
    change = "published" if published.changed else "unchanged since the last time"
    pushed = ", pushed" if published.pushed else ""
    sys.stderr.write(f"{published.n_files:,} files {change}: {published.target}{pushed}\n")
