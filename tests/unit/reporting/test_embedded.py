"""The embedded renderer on small projects of its own."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from analysis.errors import VerdictAtlasError
from analysis.reporting import kernel
from analysis.reporting.embedded import render_embedded
from analysis.reporting.errors import RenderError
from analysis.reporting.source import read_page

PROJECT = """
project: {type: default}
lang: en
execute: {echo: false}
format:
  html: {toc: false, template: template.html}
"""
FENCE = "```"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a small project; no kernel is installed as far as Jupyter can see."""
    for name in ("JUPYTER_PATH", "JUPYTER_DATA_DIR", "IPYTHONDIR"):
        monkeypatch.setenv(name, str(tmp_path / "empty"))
    (tmp_path / "_quarto.yml").write_text(PROJECT)
    (tmp_path / "template.html").write_text('<html lang="$lang$"><title>$title$</title>$body$</html>\n')
    return tmp_path


def render(project: Path, text: str, **more: object) -> str:
    page = project / "page.qmd"
    page.write_text(text, encoding="utf-8")
    return render_embedded(page, variables={}, environment=dict(os.environ), **more)  # type: ignore[arg-type]


def test_figures_and_tables_are_numbered_and_referred_to(project: Path) -> None:
    html = render(
        project,
        """---
title: T
---

See @fig-b, @fig-a and [-@tbl-x].

::: {#fig-a}
```{=html}
<svg></svg>
```

First *caption*.
:::

![Second]( b.png ){#fig-b}

| a |
|---|
| 1 |

: Numbers {#tbl-x}
""",
    )
    assert '<a href="#fig-b" class="quarto-xref">Figure\u00a02</a>' in html
    assert '<a href="#fig-a" class="quarto-xref">Figure\u00a01</a>' in html
    assert '<a href="#tbl-x" class="quarto-xref">1</a>' in html
    captions = re.findall(r"<figcaption[^>]*>\s*(.*?)\s*</figcaption>", html, flags=re.S)
    assert captions == [
        "Figure\u00a01: First <em>caption</em>.",
        "Figure\u00a02: Second",
        "Table\u00a01: Numbers",
    ]
    assert html.index("<svg>") < html.index("First <em>")
    assert html.index("Numbers") < html.index("<table")


def test_sections_are_referred_to_by_number(project: Path) -> None:
    html = render(
        project,
        "---\nnumber-sections: true\n---\n\n# One {#sec-one}\n\n## Sub {#sec-sub}\n\n# Two {#sec-two}\n\n"
        "@sec-sub and @sec-two\n",
    )
    assert ">Section\u00a01.1</a> and <a" in html
    assert ">Section\u00a02</a>" in html


def test_a_reference_without_target_is_an_error(project: Path) -> None:
    with pytest.raises(RenderError, match=r"^page\.qmd: refers to @fig-none, which the page does not hold$"):
        render(project, "See @fig-none and @fig-none.\n")


def test_callouts_have_their_title_from_attribute_heading_or_kind(project: Path) -> None:
    html = render(
        project,
        """
::: {.callout-note title="By *attribute*"}
one
:::

::: {.callout-warning}
## By heading
two
:::

::: {.callout-tip}
three
:::
""",
    )
    titles = re.findall(r"<blockquote>\s*<p><strong>(.*?)</strong></p>", html, flags=re.S)
    assert titles == ["By <em>attribute</em>", "By heading", "Tip"]
    assert "<h2" not in html
    assert 'class="callout callout-warning"' in html


def test_tabs_link_their_panes(project: Path) -> None:
    html = render(
        project,
        "::: {.panel-tabset}\n\n## One\n\nfirst\n\n## Two\n\n"
        "::: {#fig-in}\nx\n\ncaption\n:::\n\n:::\n\n@fig-in\n",
    )
    targets = re.findall(r'<li><a [^>]*href="#([^"]+)">(\w+)</a></li>', html)
    assert targets == [("tabset-1-1", "One"), ("tabset-1-2", "Two")]
    for identifier, _ in targets:
        assert f'<div id="{identifier}">' in html
    assert "Figure\u00a01</a>" in html
    assert "<h2" not in html


def test_parts_are_included_with_their_cells(project: Path) -> None:
    (project / "_part.qmd").write_text(
        f"Part text.\n\n{FENCE}{{python}}\n#| output: asis\nprint('**bold**')\n{FENCE}\n"
    )
    html = render(project, "Before.\n\n{{< include _part.qmd >}}\n\nAfter.\n")
    assert re.sub(r"\s+", " ", html).count(
        "<p>Before.</p> <p>Part text.</p> <p><strong>bold</strong></p> <p>After.</p>"
    )


def test_a_page_cannot_include_itself_or_what_is_not_there(project: Path) -> None:
    with pytest.raises(RenderError, match=r"^page\.qmd: page\.qmd includes itself$"):
        render(project, "{{< include page.qmd >}}\n")
    with pytest.raises(RenderError, match=r"^page\.qmd: _none\.qmd does not exist$"):
        render(project, "{{< include _none.qmd >}}\n")


def test_outputs_follow_the_options_of_their_cell(project: Path, tmp_path: Path) -> None:
    log = tmp_path / "page.log"
    html = render(
        project,
        f"""
{FENCE}{{python}}
#| include: false
import os, sys
value = os.environ["PAGE_TEST"]
print("never shown")
sys.stderr.write("careful")
{FENCE}

{FENCE}{{python}}
#| output: asis
print("::: {{.wide}}\\nasis " + value + "\\n:::")
{FENCE}

{FENCE}{{python}}
#| echo: true
print("<b>plain</b>")
{FENCE}

{FENCE}{{python}}
#| output: false
print("not shown either")
{FENCE}

{FENCE}{{python}}
#| eval: false
raise SystemExit
{FENCE}

{FENCE}{{python}}
#| label: fig-html
#| fig-cap: "A caption"
class Picture:
    def _repr_html_(self):
        return "<svg id='p'></svg>"
Picture()
{FENCE}

@fig-html
""".replace("PAGE_TEST", "HOME"),
        log=log,
    )
    assert "careful" not in html
    assert log.read_text() == "careful"
    assert "never shown" not in html
    assert "not shown either" not in html
    assert "SystemExit" not in html
    assert f"asis {os.environ['HOME']}" in html
    assert "&lt;b&gt;plain&lt;/b&gt;" in html
    assert re.search(r"<svg id='p'></svg>.*Figure\u00a01: A caption", html, flags=re.S)


def test_a_failing_cell_is_one_clear_message(project: Path, tmp_path: Path) -> None:
    log = tmp_path / "logs" / "page.log"
    cells = [f"{FENCE}{{python}}\n{code}\n{FENCE}\n" for code in ("x = 1", "#| label: sums\n1 / 0")]
    text = "\n".join(["One.\n", *cells])
    with pytest.raises(RenderError) as caught:
        render(project, text, benchmark="bench", log=log)
    assert str(caught.value) == (
        "page.qmd, cell 'sums' (line 8), benchmark 'bench': ZeroDivisionError: division by zero\n"
        f"  what to do: the traceback stands in {log}"
    )
    assert isinstance(caught.value, VerdictAtlasError)
    assert "Traceback" in log.read_text()
    assert "\x1b" not in log.read_text()


def test_our_own_errors_speak_for_themselves(project: Path) -> None:
    code = "from analysis.errors import VerdictAtlasError\nraise VerdictAtlasError('nothing to show')"
    with pytest.raises(RenderError, match=r"^page\.qmd, cell 1 \(line 2\): nothing to show$"):
        render(project, f"{FENCE}{{python}}\n{code}\n{FENCE}\n")


def test_a_page_without_code_starts_no_kernel(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> str:
        raise AssertionError("a kernel was started")

    monkeypatch.setattr(kernel, "run_cells", refuse)
    assert "<p>Text.</p>" in render(project, "Text.\n\n```python\nnot = 'run'\n```\n")


def test_headers_and_options_must_be_yaml(tmp_path: Path) -> None:
    page = tmp_path / "p.qmd"
    page.write_text("---\ntitle: [\n---\n")
    with pytest.raises(RenderError, match=r"^p\.qmd: the header is not valid YAML"):
        read_page(page)
    page.write_text(f"{FENCE}{{python}}\n#| label\nx = 1\n{FENCE}\n")
    with pytest.raises(RenderError, match=r"^p\.qmd: options of cell 1 is not a mapping of keys to values$"):
        read_page(page)
