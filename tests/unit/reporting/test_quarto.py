"""How Quarto is called, with a stand-in for Quarto on the PATH."""

from __future__ import annotations

import stat
import sys
from pathlib import Path

import pytest
import yaml

from analysis.config import Config
from analysis.reporting.errors import RenderError
from analysis.reporting.render import render_page, use_quarto
from tests.unit.reporting.conftest import derive_all, grid

STAND_IN = """#!{python}
import json, os, pathlib, sys
pathlib.Path({record!r}).write_text(json.dumps({{
    "arguments": sys.argv[1:],
    "folder": sorted(p.name for p in pathlib.Path().iterdir()),
    "metadata": pathlib.Path("_metadata.yml").read_text(),
    "environment": {{k: v for k, v in os.environ.items() if k.startswith(("VERDICT", "QUARTO"))}},
}}))
out = pathlib.Path("_site"); out.mkdir()
(out / "report.html").write_text(
    '<head><link rel="stylesheet" href="report_files/libs/x/a.css">\\n'
    '<script src="report_files/libs/x/a.js"></script>\\n</head><body>from quarto</body>'
)
if os.environ.get("FAIL"):
    print("ERROR: cell failed", file=sys.stderr)
    sys.exit(1)
"""


@pytest.fixture
def quarto(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put a stand-in on the PATH; return the file in which it notes how it was called."""
    folder, record = tmp_path / "bin", tmp_path / "called.json"
    folder.mkdir()
    program = folder / "quarto"
    program.write_text(STAND_IN.format(python=sys.executable, record=str(record)))
    program.chmod(program.stat().st_mode | stat.S_IEXEC)
    monkeypatch.setenv("PATH", str(folder), prepend=":")
    return record


def test_quarto_renders_in_a_copy_of_the_project(quarto: Path, tmp_path: Path) -> None:
    results = derive_all(tmp_path, "bench", grid({"a": "10", "b": "01"}), {"title": "A *title*: {{< x >}}"})
    out, log = results / "site" / "bench" / "index.html", tmp_path / "page.log"
    render_page("report", config=Config(results=str(results)), benchmark="bench", out=out, log=log)
    assert out.read_text() == "<head></head><body>from quarto</body>"
    called = yaml.safe_load(quarto.read_text())
    assert called["arguments"] == ["render", "report.qmd", "--to", "html"]
    assert {"_quarto.yml", "report.qmd", "template.html", "assets"} <= set(called["folder"])
    assert called["environment"]["VERDICT_ATLAS_BENCHMARK"] == "bench"
    assert called["environment"]["VERDICT_ATLAS_RESULTS"] == str(results)
    assert called["environment"]["QUARTO_PYTHON"] == sys.executable
    variables = yaml.safe_load(called["metadata"])
    assert variables["assets"] == "../assets"
    assert variables["page-title"].startswith("`A *title*: &#123;&#123;&lt; x &gt;&#125;&#125; ")


def test_a_failure_of_quarto_is_one_message(
    quarto: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAIL", "1")
    results = derive_all(tmp_path, "bench", grid({"a": "10", "b": "01"}))
    out, log = results / "site" / "bench" / "index.html", tmp_path / "page.log"
    with pytest.raises(RenderError) as caught:
        render_page("report", config=Config(results=str(results)), benchmark="bench", out=out, log=log)
    assert str(caught.value) == (
        "report.qmd, benchmark 'bench': Quarto failed: ERROR: cell failed\n"
        f"  what to do: the traceback stands in {log}"
    )
    assert not out.exists()


def test_the_configuration_chooses_the_renderer(quarto: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert use_quarto("auto")
    assert not use_quarto("embedded")
    monkeypatch.setenv("PATH", "")
    assert not use_quarto("auto")
    with pytest.raises(RenderError, match="renderer is 'quarto', and there is no quarto on the PATH"):
        use_quarto("quarto")


def test_the_pages_use_only_what_both_renderers_understand(root: Path) -> None:
    project = yaml.safe_load((root / "reports" / "_quarto.yml").read_text())
    assert project["format"]["html"]["html-math-method"] == "mathml"
    for name in project["project"]["render"]:
        text = (root / "reports" / name).read_text()
        assert "```{python}\n#| label: " in text or "{python}" not in text
        assert "{{<" not in text.replace("{{< include ", "")
