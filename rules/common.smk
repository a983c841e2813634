"""The plan (which benchmarks, which tables) and path helpers, shared by every stage."""

import os
import subprocess
import sys
from pathlib import Path

from analysis.code_inputs import code_of
from analysis.errors import ConfigError
from analysis.planning import GENERATED, plan_run, raw_files
from snakemake.exceptions import WorkflowError

try:
    PLAN = plan_run(config, Path.cwd())
except ConfigError as error:
    raise WorkflowError(str(error)) from None

RAW, RESULTS = PLAN.raw, PLAN.results
DERIVED = f"{RESULTS}/derived"
FIGURES = f"{RESULTS}/figures"
SITE = f"{RESULTS}/site"
LOGS = f"{RESULTS}/logs"
BENCHMARKS = PLAN.benchmarks
DERIVE_MODULES = ("analysis.derived", "analysis.rule")


# Snakemake runs one job per core: a job that starts threads for every core slows all of them.
for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")


wildcard_constraints:
    benchmark=r"[A-Za-z0-9][A-Za-z0-9._-]*",


def table(name):
    """Path pattern of one table of a benchmark."""
    return f"{DERIVED}/{{benchmark}}/{name}.parquet"


def derived_tables(benchmark):
    """Paths of the derived tables that a benchmark can have."""
    return [f"{DERIVED}/{benchmark}/{name}.parquet" for name in PLAN.tables[benchmark]]


CARD = f"{DERIVED}/{{benchmark}}/benchmark.json"
VALIDATED = [table("verdicts"), table("items"), table("models")]
MEASURED = [table("session_metrics"), table("metric_definitions")]


def raw_inputs(wildcards):
    """Files that ingest reads; of a generated benchmark, the card that is written last."""
    if wildcards.benchmark in GENERATED:
        return [f"{RAW}/{wildcards.benchmark}/benchmark.yaml"]
    return raw_files(Path(RAW) / wildcards.benchmark)


def say_what_was_built():
    """Say where the site is, if this run made one."""
    page = Path(SITE) / "index.html"
    if page.exists():
        print(f"The site is in {SITE}: open {page}", file=sys.stderr)


def explain_failures():
    """Print the message of every rule that failed, and bring the first page up to date with what stands."""
    failed = [
        path.read_text(encoding="utf-8").rstrip()
        for path in sorted(Path(LOGS).glob("**/*.failed"))
    ]
    if Path(SITE).exists():
        command = [
            sys.executable,
            f"{workflow.basedir}/rules/scripts/refresh_index.py",
            *BENCHMARKS,
        ]
        subprocess.run(
            command, input=PLAN.config.model_dump_json(), text=True, check=False
        )
    print("\n".join(["", *failed, "", f"Full logs: {LOGS}/"]), file=sys.stderr)
