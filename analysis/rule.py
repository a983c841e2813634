"""How a rule of the workflow reports: one clear message where it fails, a log, progress."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from analysis.errors import VerdictAtlasError


@contextmanager
def told_plainly(rule: str, log: str, benchmark: str = "") -> Iterator[None]:
    """Run the body of a rule; a failure prints one message and leaves the details in the log.

    Errors of the data or the configuration are printed as they are. Anything else is a fault of
    ours: the message says so and names the log, which holds the traceback.

    Parameters
    ----------
    rule : str
        The rule's name.
    log : str
        Path of the rule's log; a file of the same name ending in ``.failed`` keeps the message.
    benchmark : str
        The benchmark it works on, empty where it works on all.
    """
    path = Path(log)
    path.parent.mkdir(parents=True, exist_ok=True)
    failed = path.with_suffix(".failed")
    failed.unlink(missing_ok=True)
    path.write_text("", encoding="utf-8")
    where = f"{rule}, benchmark {benchmark}" if benchmark else rule
    sys.stderr.write(f"{rule} {benchmark}".rstrip() + "\n")
    try:
        yield
    except VerdictAtlasError as error:
        _fail(f"{where}: {error}", path, failed)
    except Exception as error:
        with path.open("a", encoding="utf-8") as stream:
            traceback.print_exc(file=stream)
        kind = f"{type(error).__name__}: {error}".splitlines()[0]
        _fail(f"{where}: stopped by a fault of Verdict Atlas itself ({kind}); details in {log}", path, failed)


def _fail(message: str, log: Path, failed: Path) -> None:
    with log.open("a", encoding="utf-8") as stream:
        stream.write(message + "\n")
    failed.write_text(message + "\n", encoding="utf-8")
    sys.stderr.write(message + "\n")
    sys.stderr.flush()
    sys.exit(1)


def progress_to(log: str) -> Callable[[str], None]:
    """Return a function that notes progress in a rule's log."""

    def note(message: str) -> None:
        with Path(log).open("a", encoding="utf-8") as stream:
            stream.write(message + "\n")

    return note
