"""What the commands print: data as plain text, never as markup; JSON alone on standard output."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console


def console(*, error: bool = False) -> Console:
    """Return a console; wide and without colours where it is no terminal."""
    from rich.console import Console

    stream = sys.stderr if error else sys.stdout
    return Console(stderr=error, width=None if stream.isatty() else 160, highlight=False, soft_wrap=True)


def plain(value: object) -> str:
    """Return text in which neither control characters nor escape sequences act."""
    return "".join(c if c.isprintable() or c == "\n" else repr(c)[1:-1] for c in str(value))


def say(text: object = "", *, error: bool = False, style: str = "") -> None:
    """Print one line of plain text."""
    from rich.text import Text

    console(error=error).print(Text(plain(text), style=style))


def table(title: str, columns: list[tuple[str, bool]], rows: list[list[object]]) -> None:
    """Print a table; columns are a heading and whether they are numbers."""
    from rich.table import Table
    from rich.text import Text

    shown = Table(title=Text(title), title_justify="left")
    for heading, numeric in columns:
        shown.add_column(Text(heading), justify="right" if numeric else "left", overflow="fold")
    for row in rows:
        shown.add_row(*(Text(f"{v:,}" if isinstance(v, int) else plain(v)) for v in row))
    console().print(shown)


def write_json(data: Any) -> None:
    """Write a result to standard output as JSON."""
    sys.stdout.write(json.dumps(data, ensure_ascii=False, indent=1, default=str) + "\n")


def guarded(run: Callable[[], int], *, as_json: bool) -> int:
    """Run a command; an error made for people is printed, and is exit code 1."""
    from analysis.errors import DataError, VerdictAtlasError

    try:
        return run()
    except DataError as error:
        if as_json:
            write_json({"status": "invalid", "problems": [p.to_dict() for p in error.problems]})
        else:
            say(error, error=True, style="red")
    except VerdictAtlasError as error:
        if as_json:
            write_json({"status": "failed", "message": str(error)})
        else:
            say(error, error=True, style="red")
    except KeyboardInterrupt:
        say("stopped; nothing was written", error=True)
        return 130
    return 1
