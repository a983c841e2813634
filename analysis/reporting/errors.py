"""What a person reads when a page cannot be rendered."""

from __future__ import annotations

from pathlib import Path

from analysis.errors import VerdictAtlasError


class RenderError(VerdictAtlasError):
    """A page cannot be rendered; the message names page and cell, the log has the traceback.

    Parameters
    ----------
    page : str
        The page's file, such as ``report.qmd``.
    message : str
        What went wrong.
    cell : str
        The cell in which it went wrong: its label, or its number.
    line : int
        The cell's first line in the page's file; 0 where it is not known.
    benchmark : str
        The benchmark that the page shows, empty where it shows several.
    log : Path, optional
        Where the traceback stands.
    """

    def __init__(
        self,
        page: str,
        message: str,
        *,
        cell: str = "",
        line: int = 0,
        benchmark: str = "",
        log: Path | None = None,
    ) -> None:
        self.page, self.message, self.cell, self.line = page, message, cell, line
        self.benchmark, self.log = benchmark, log
        place = page
        if cell:
            place += f", cell {cell}" + (f" (line {line})" if line else "")
        if benchmark:
            place += f", benchmark {benchmark!r}"
        where = f"\n  what to do: the traceback stands in {log}" if log is not None else ""
        super().__init__(f"{place}: {message}{where}")
