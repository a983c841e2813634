"""The command line `verdict-atlas`: thin commands over the package; nothing heavy is imported at start."""

from __future__ import annotations


def main() -> None:
    """Run the command line."""
    from analysis.cli.app import app

    app(prog_name="verdict-atlas")
