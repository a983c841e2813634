"""`verdict-atlas export`: a benchmark's verdicts for other tools."""

from __future__ import annotations

from pathlib import Path

from analysis.cli import show
from analysis.cli.app import OK


def export(name: str, to: str, out: Path, *, force: bool, as_json: bool, raw: Path | None) -> int:
    """Write the export; return the exit code."""

    def body() -> int:
        from analysis.cli.places import benchmark_folder
        from analysis.errors import VerdictAtlasError
        from analysis.ingest.benchmark import read_benchmark
        from analysis.ingest.exporters.write import export_benchmark

        folder = benchmark_folder(name, raw)
        if not folder.is_dir():
            raise VerdictAtlasError(f"benchmark {name!r}: there is no folder {folder}")
        if out.exists() and not force:
            raise VerdictAtlasError(f"{out} exists already; --force writes over it")
        done = export_benchmark(read_benchmark(folder), to, out)
        written = [str(p) for p in done.written]
        if as_json:
            show.write_json(
                {"status": "ok", "rows": done.rows, "written": written, "left_out": done.left_out}
            )
        else:
            show.say(f"Wrote {done.rows:,} rows to {', '.join(written)}", style="bold")
            for sentence in done.left_out:
                show.say(f"  {sentence}")
        return OK

    return show.guarded(body, as_json=as_json)
