"""What one run of the workflow builds: which benchmarks, and which tables each can have."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysis.capabilities import COMPANIONS, generated_tables, has_part_files, possible_tables
from analysis.config import Config, check_benchmark_name, parse
from analysis.errors import ConfigError

GENERATED = ("demo", "odbb", "npcbench", "rubric", "medconsult")
"""Benchmarks that a rule writes itself, when they are named. Their folders belong to the project."""


@dataclass(frozen=True)
class Plan:
    """What a run builds.

    Parameters
    ----------
    config : Config
        The configuration in force.
    raw, results : str
        Folders of the raw verdicts and of everything written.
    benchmarks : tuple of str
        Benchmarks to build, in code-point order.
    tables : dict of str to tuple of str
        The derived tables that each benchmark can have.
    """

    config: Config
    raw: str
    results: str
    benchmarks: tuple[str, ...]
    tables: dict[str, tuple[str, ...]]

    def with_table(self, table: str) -> tuple[str, ...]:
        """Return the benchmarks that can have a table."""
        return tuple(b for b in self.benchmarks if table in self.tables[b])


def plan_run(data: dict[str, Any], folder: Path) -> Plan:
    """Plan a run.

    Parameters
    ----------
    data : dict
        The configuration as Snakemake read it, command line included.
    folder : Path
        The working folder; relative paths of the configuration start there.

    Raises
    ------
    ConfigError
        Where the configuration is wrong or names a benchmark that does not exist.
    """
    config = parse(Config, data, file="config.yaml")
    raw = folder / config.raw
    found = find_benchmarks(raw)
    if config.benchmarks == "auto":
        own = [name for name in found if name not in GENERATED]
        benchmarks = own or ["demo"]
    else:
        benchmarks = sorted(set(config.benchmarks))
        for name in benchmarks:
            if name not in found and name not in GENERATED:
                near = difflib.get_close_matches(name, [*found, *GENERATED], n=1)
                hint = f"; did you mean {near[0]!r}?" if near else ""
                known = ", ".join([*found, *GENERATED])
                raise ConfigError(
                    f"benchmark {name!r} has no verdicts in {config.raw}/{name}{hint}\n  there are: {known}"
                )
    if not benchmarks:
        raise ConfigError("benchmarks: the list is empty; allowed: auto, or at least one name")
    tables = {
        name: generated_tables(name) if name in GENERATED else possible_tables(raw / name, _card(raw / name))
        for name in benchmarks
    }
    return Plan(config, config.raw, config.results, tuple(benchmarks), tables)


def find_benchmarks(raw: Path) -> list[str]:
    """Return the folders of the raw folder that hold verdicts or sessions, in code-point order.

    Raises
    ------
    ConfigError
        Where such a folder's name cannot serve as a folder of the site.
    """
    if not raw.is_dir():
        return []
    names = [p.name for p in raw.iterdir() if p.is_dir() and not p.name.startswith(".") and _has_verdicts(p)]
    for name in names:
        try:
            check_benchmark_name(name)
        except ValueError as error:
            raise ConfigError(f"{raw.name}/{name}: {error}") from None
    return sorted(names)


def raw_files(folder: Path) -> list[str]:
    """Return every raw file of a benchmark that ingest reads, sorted."""
    single = [folder / f for f in ("verdicts.parquet", "benchmark.yaml", "import.json")]
    single += [folder / f"{s}.{x}" for s in COMPANIONS for x in ("parquet", "csv")]
    parts = [*(folder / "verdicts").glob("**/*.parquet"), *_rubric_files(folder)]
    parts += [p for p in (folder / "sessions").glob("**/*") if p.suffix in (".parquet", ".yaml")]
    return sorted(str(p) for p in [*single, *parts] if p.is_file())


def _rubric_files(folder: Path) -> list[Path]:
    """Return the files of a declared rubric: its own, the keys, the scoring sheets."""
    use = (_card(folder) or {}).get("rubric")
    if not isinstance(use, dict):
        return []
    named = [
        str(use.get("file", "")),
        str(use.get("vignettes", "vignettes.yaml")),
        "sheets.csv",
        "sheets.parquet",
    ]
    # What is no plain file name is for ingest to refuse.
    files = [folder / name for name in named if name and Path(name).name == name]
    return [*files, *(folder / "sheets").glob("**/*.csv"), *(folder / "sheets").glob("**/*.parquet")]


def _has_verdicts(folder: Path) -> bool:
    return has_part_files(folder, "verdicts") or has_part_files(folder, "sessions/sessions")


def _card(folder: Path) -> dict[str, Any] | None:
    """Read a card loosely; ingest validates it and says what is wrong."""
    import yaml

    try:
        data = yaml.safe_load((folder / "benchmark.yaml").read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError):
        return None
    return data if isinstance(data, dict) else None
