"""The pages of docs/importers: their examples run as shown, and their tables are in step with the code."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from analysis.cli.app import app
from analysis.ingest.importers.pipeline.choices import Choices
from analysis.ingest.importers.registry import FORMATS, importer
from analysis.ingest.importers.table_mapping import TableMapping

FILE = re.compile(r"^```\w+ file=(\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def page(root: Path, name: str) -> str:
    return (root / "docs" / "importers" / f"{name}.md").read_text(encoding="utf-8")


def transcript(text: str) -> str:
    """Run the commands of a page's console blocks; return the blocks as they should read."""
    out = []
    for block in CONSOLE.findall(text):
        lines = []
        for line in block.splitlines():
            if not line.startswith("$ "):
                continue
            result = CliRunner().invoke(app, shlex.split(line)[2:])
            lines.append(line)
            lines += [shown.rstrip() for shown in result.output.rstrip().splitlines()]
            if result.exit_code:
                lines.append(f"(exit code {result.exit_code})")
        out.append("\n".join(lines) + "\n")
    return "\n".join(out)


@pytest.mark.parametrize("name", FORMATS)
def test_the_worked_example_runs_as_shown(
    root: Path, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = page(root, name)
    files = FILE.findall(text)
    assert files
    for file, content in files:
        path = tmp_path / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    shown = "\n".join(CONSOLE.findall(text))
    assert shown
    assert transcript(text) == shown


@pytest.mark.parametrize("name", FORMATS)
def test_the_table_of_what_becomes_what_is_in_step(root: Path, name: str) -> None:
    rows = [f"| {_cell(column)} | {_cell(source)} |" for column, source in importer(name).maps.items()]
    assert "\n".join(rows) + "\n" in page(root, name)


def _cell(text: str) -> str:
    return text.replace("<", "&lt;").replace("|", "&#124;")


def test_every_format_has_its_page_in_the_index(root: Path) -> None:
    index = page(root, "index")
    for name in FORMATS:
        assert f"| `{name}` |" in index
        assert f"[{name}.md]({name}.md)" in index


def test_every_key_of_the_mapping_file_is_explained(root: Path) -> None:
    text = page(root, "table")
    for name, field in TableMapping.model_fields.items():
        meaning = " ".join((field.description or "").split())
        assert meaning
        assert f"| `{name}` | {meaning} |" in text


def test_every_choice_has_an_option_and_every_option_a_place_in_the_pages(root: Path) -> None:
    help_text = CliRunner().invoke(app, ["import", "--help"]).output
    named = {"strata": "stratum", "covariates": "keep", "raters": "rater"}
    pages = page(root, "index") + page(root, "inspect") + page(root, "table")
    for name in Choices.model_fields:
        flag = f"--{named.get(name, name).replace('_', '-')}"
        assert flag in help_text
        assert flag in pages, flag
