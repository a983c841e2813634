"""`verdict-atlas doctor`: what is installed, and what that allows."""

from __future__ import annotations

import importlib.metadata
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from analysis.cli import show
from analysis.cli.app import FAILED, OK

TIMEOUT = 20


def doctor(*, as_json: bool) -> int:
    """Show what is installed; exit code 1 where something needed is missing."""
    findings = examine()
    missing = [f for f in findings if f["needed"] and not f["found"]]
    if as_json:
        show.write_json({"status": "missing" if missing else "ok", "findings": findings})
    else:
        rows: list[list[object]] = [
            [f["name"], f["version"] or ("-" if f["found"] else "not found"), f["note"]] for f in findings
        ]
        show.table("what is installed", [("what", False), ("version", False), ("", False)], rows)
        if missing:
            names = ", ".join(f["name"] for f in missing)
            show.say(
                f"Missing: {names}. Install the package again: pip install -e .", error=True, style="red"
            )
    return FAILED if missing else OK


def examine() -> list[dict[str, Any]]:
    """Return what was found: name, version, whether it is needed, and what it is for."""
    findings = [_finding("Python", platform.python_version(), needed=True, note="3.11 or later")]
    findings += [_library(name) for name in _required()]
    findings += [
        _optional("inspect-ai", "optional: a second reader of Inspect logs (pip install -e '.[inspect]')"),
        _optional("playwright", "optional: browser tests"),
        _program(
            "quarto", "optional: renders the pages where it is installed; else the embedded renderer does"
        ),
        _program("snakemake", "builds everything", needed=True, beside_python=True),
        _program("git", "optional: publishing to a branch"),
        _browser(),
        _folder(),
    ]
    return findings


def _finding(name: str, version: str, *, needed: bool, note: str, found: bool = True) -> dict[str, Any]:
    return {"name": name, "version": version, "found": found, "needed": needed, "note": note}


def _required() -> list[str]:
    """Return the libraries that the installed package requires, by its own metadata."""
    try:
        requirements = importlib.metadata.requires("verdict-atlas") or []
    except importlib.metadata.PackageNotFoundError:
        return []
    names = [re.match(r"[A-Za-z0-9._-]+", r) for r in requirements if "extra ==" not in r]
    return sorted(m.group() for m in names if m)


def _library(name: str) -> dict[str, Any]:
    try:
        return _finding(name, importlib.metadata.version(name), needed=True, note="")
    except importlib.metadata.PackageNotFoundError:
        return _finding(name, "", needed=True, note="", found=False)


def _optional(name: str, note: str) -> dict[str, Any]:
    return {**_library(name), "needed": False, "note": note}


def _program(name: str, note: str, *, needed: bool = False, beside_python: bool = False) -> dict[str, Any]:
    path = shutil.which(name)
    if path is None and beside_python:
        beside = Path(sys.executable).with_name(name)
        path = str(beside) if beside.is_file() else None
    if path is None:
        return _finding(name, "", needed=needed, note=note, found=False)
    try:
        done = subprocess.run(
            [path, "--version"], capture_output=True, text=True, timeout=TIMEOUT, check=False
        )
        version = (done.stdout or done.stderr).strip().splitlines()
    except (OSError, subprocess.TimeoutExpired):
        version = []
    return _finding(name, version[0] if version else "?", needed=needed, note=note)


def _browser() -> dict[str, Any]:
    """Look for a Chromium, in the path and where playwright keeps its own."""
    note = "optional: browser tests"
    for name in ("chromium", "chromium-browser", "google-chrome", "chrome"):
        if shutil.which(name):
            return {**_program(name, note), "name": "Chromium"}
    kept = sorted(Path.home().glob(".cache/ms-playwright/chromium*"))
    return _finding("Chromium", kept[-1].name if kept else "", needed=False, note=note, found=bool(kept))


def _folder() -> dict[str, Any]:
    from analysis.cli.places import raw_folder
    from analysis.errors import VerdictAtlasError

    try:
        folder = raw_folder(None)
    except VerdictAtlasError as error:
        return _finding("raw folder", "", needed=False, note=str(error), found=False)
    names = sorted(p.name for p in folder.iterdir() if p.is_dir()) if folder.is_dir() else []
    note = f"{folder}: {', '.join(names) if names else 'no benchmarks yet'}"
    return _finding("raw folder", "", needed=False, note=note, found=folder.is_dir())
