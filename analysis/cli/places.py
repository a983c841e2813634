"""Where the command line finds the raw benchmarks."""

from __future__ import annotations

from pathlib import Path

CONFIG = Path("config/config.yaml")


def raw_folder(given: Path | None) -> Path:
    """Return the folder of the raw benchmarks: as given, as configured, or `results/raw`."""
    if given is not None:
        return given
    from analysis.config import read_config

    return Path(read_config(CONFIG).raw)


def benchmark_folder(name: str, raw: Path | None) -> Path:
    """Return a benchmark's folder.

    Raises
    ------
    ConfigError
        Where the name cannot be a benchmark's, or the configuration is wrong.
    """
    from analysis.config import check_benchmark_name
    from analysis.errors import ConfigError

    try:
        check_benchmark_name(name)
    except ValueError as error:
        raise ConfigError(str(error)) from None
    return raw_folder(raw) / name
