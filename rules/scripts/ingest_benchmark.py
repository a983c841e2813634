"""Read and validate one benchmark's raw folder."""

from pathlib import Path

from analysis.config import read_config
from analysis.derived import write_benchmark
from analysis.ingest.benchmark import read_benchmark
from analysis.rule import progress_to, told_plainly

with told_plainly(snakemake.rule, snakemake.log[0], snakemake.wildcards.benchmark):
    config = read_config(overrides=snakemake.params.config)
    benchmark = read_benchmark(
        Path(snakemake.params.folder), lenient=config.lenient, progress=progress_to(snakemake.log[0])
    )
    write_benchmark(benchmark, Path(snakemake.output.card).parent, config)
