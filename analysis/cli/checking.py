"""`verdict-atlas validate`: everything that is wrong with a benchmark's folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from analysis.cli import show
from analysis.cli.app import FAILED, OK


def validate(name: str, *, lenient: bool, as_json: bool, raw: Path | None) -> int:
    """Check a benchmark; return the exit code."""

    def body() -> int:
        from analysis.cli.places import benchmark_folder
        from analysis.errors import DataError, VerdictAtlasError
        from analysis.ingest.benchmark import read_benchmark

        folder = benchmark_folder(name, raw)
        if not folder.is_dir():
            raise VerdictAtlasError(f"benchmark {name!r}: there is no folder {folder}")
        try:
            benchmark = read_benchmark(folder, lenient=lenient)
        except DataError as error:
            if as_json:
                show.write_json(
                    {
                        "status": "invalid",
                        "benchmark": name,
                        "n_problems": len(error.problems),
                        "problems": [p.to_dict() for p in error.problems],
                    }
                )
            else:
                show.say(error, error=True, style="red")
            return FAILED
        verdicts = benchmark.verdicts
        facts: dict[str, Any] = {
            "rows": verdicts.height,
            "models": verdicts["model"].n_unique(),
            "items": benchmark.items.height,
            "scored": int(verdicts["correct"].is_not_null().sum()),
            "excluded": int(verdicts["excluded"].sum()),
            "set_aside": benchmark.quarantine.height,
        }
        notes = benchmark.audit["note"].to_list()
        if as_json:
            show.write_json({"status": "valid", "benchmark": name, **facts, "notes": notes})
        else:
            for note in notes:
                show.say(f"  {note}")
            facts_text = ", ".join(f"{what.replace('_', ' ')} {n:,}" for what, n in facts.items())
            show.say(f"{name} is valid: {facts_text}", style="bold")
        return OK

    return show.guarded(body, as_json=as_json)
