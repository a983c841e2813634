"""`verdict-atlas new` and `demo`: a benchmark to start from."""

from __future__ import annotations

from pathlib import Path

from analysis.cli import show
from analysis.cli.app import OK

EXAMPLE_CSV = """model,item_id,run,verdict,labels,cost_usd,track
model-a,case-001,0,correct,,0.0021,diagnosis
model-a,case-002,0,incorrect,omission;unsafe_advice,0.0019,diagnosis
model-b,case-001,0,partial,omission,0.0004,diagnosis
model-b,case-002,0,technical_failure,,,diagnosis
"""
EXAMPLE_NAME = "example.csv"


def new(name: str, *, dry_run: bool, as_json: bool, raw: Path | None) -> int:
    """Write a commented card and an example; return the exit code."""

    def body() -> int:
        from analysis.cli.places import benchmark_folder
        from analysis.errors import VerdictAtlasError

        folder = benchmark_folder(name, raw)
        files = {"benchmark.yaml": commented_card(), EXAMPLE_NAME: EXAMPLE_CSV}
        there = [f for f in files if (folder / f).exists()]
        if there:
            raise VerdictAtlasError(f"{folder} has {', '.join(there)} already; choose another name")
        if not dry_run:
            folder.mkdir(parents=True, exist_ok=True)
            for file, text in files.items():
                (folder / file).write_text(text, encoding="utf-8")
        if as_json:
            show.write_json({"status": "ok", "folder": str(folder), "written": sorted(files)})
            return OK
        show.say(
            f"{'Would write' if dry_run else 'Wrote'} {', '.join(sorted(files))} to {folder}", style="bold"
        )
        show.say("Next, one of:")
        show.say(f"  put Parquet files in {folder}/verdicts/ (the columns of {EXAMPLE_NAME})")
        show.say(f"  verdict-atlas import table {folder / EXAMPLE_NAME} --benchmark {name}")
        show.say(f"  verdict-atlas import inspect LOGS --benchmark {name}")
        return OK

    return show.guarded(body, as_json=as_json)


def commented_card() -> str:
    """Return a `benchmark.yaml` in which every key stands, explained and commented out."""
    from analysis.config import BenchmarkCard

    out = [
        "# The card of a benchmark. Every key is optional: take the # away from those you need.",
        "# The verdicts themselves are Parquet files; see docs/configuration.md.",
        "",
    ]
    for name, field in BenchmarkCard.model_fields.items():
        out += [f"# {line}" for line in _wrapped(" ".join((field.description or "").split()))]
        default = field.get_default(call_default_factory=True)
        out += [f"# {line}" for line in _EXAMPLES.get(name, f"{name}: {_shown(default)}").split("\n")]
        out.append("")
    return "\n".join(out)


def _wrapped(text: str) -> list[str]:
    import textwrap

    return textwrap.wrap(text, 96)


def _shown(value: object) -> str:
    import json

    from pydantic import BaseModel

    if value is None or value == "":
        return ""
    if isinstance(value, BaseModel):
        value = value.model_dump(exclude_defaults=True)
    return json.dumps(list(value) if isinstance(value, tuple) else value, default=str)


_EXAMPLES = {
    "title": "title: Diagnoses in rare diseases",
    "description": "description: What was asked, of whom, and how it was judged.",
    "source": "source: https://doi.org/10.0000/example",
    "licence": "licence: CC BY 4.0",
    "synthetic": "synthetic: Simulated; no real patient is behind any item.",
    "verdicts": "verdicts:\n  order: [incorrect, partial, correct]\n  succeed: [correct]\n"
    "  exclude: [technical_failure]",
    "labels": "labels:\n  omission: Leaves out what was needed.\n  unsafe_advice:\n"
    "    meaning: Could harm if followed.\n    hard: true",
    "decisions": "decisions:\n  decisive: [treat, refer]",
    "metrics": "metrics: [score]",
    "primary_metric": "primary_metric: correct",
    "strata": "strata: [question_type]",
    "covariates": "covariates: [difficulty]",
    "cluster": "cluster: cluster_id",
    "weight": "weight: weight",
    "episodes": "episodes:\n  endpoints:\n    strict: {all_of: [diagnosis, treatment]}\n  depth: treatment",
    "endpoints": "endpoints:\n  stage: {component: stage, classes: stage}",
    "controls": "controls:\n  history: {column: track, baseline: snapshot, changed: full, match: question}",
    "judge_audits": "judge_audits:\n  panel: {reference: physicians}",
    "free_models": "free_models: [model-b]",
    "intervals": "intervals: [wilson, bootstrap]",
    "alpha": "alpha: 0.05",
    "level": "level: 0.95",
    "resamples": "resamples: 2000",
    "permutations": "permutations: 10000",
    "seed": "seed: 42",
    "rubric": "rubric:\n  file: expressed_clinical_reasoning\n  vignettes: vignettes.yaml",
}


def demo(name: str, *, force: bool, dry_run: bool, as_json: bool, raw: Path | None) -> int:
    """Write the demonstration benchmark; return the exit code."""

    def body() -> int:
        from analysis.cli.places import benchmark_folder
        from analysis.errors import VerdictAtlasError

        folder = benchmark_folder(name, raw)
        if folder.exists() and any(folder.iterdir()) and not force:
            raise VerdictAtlasError(f"{folder} exists already; --force writes over it")
        if not dry_run:
            from analysis.demo.simulate import write_demo

            write_demo(folder)
        written = sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())
        if as_json:
            show.write_json({"status": "ok", "folder": str(folder), "written": written})
            return OK
        verb = "Would write" if dry_run else "Wrote"
        show.say(f"{verb} the simulated benchmark {name} to {folder}", style="bold")
        show.say("Next: snakemake --cores 8 report")
        return OK

    return show.guarded(body, as_json=as_json)
