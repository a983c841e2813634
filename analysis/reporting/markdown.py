"""A page's cells, once run, as the Markdown that Pandoc reads."""

from __future__ import annotations

from typing import Any

from analysis.reporting.markup import block, clean, escape
from analysis.reporting.source import Cell, Page


def to_markdown(page: Page, defaults: dict[str, Any]) -> str:
    """Return the page's Markdown: text as it stands, code cells as their options say.

    Parameters
    ----------
    page : Page
        The page after its cells ran.
    defaults : dict
        Options of every cell (`execute` in the project's and the page's header).
    """
    parts = []
    for cell in page.cells:
        parts.append(cell.source if cell.kind == "markdown" else _cell(cell, defaults))
    return "\n\n".join(parts) + "\n"


def _cell(cell: Cell, defaults: dict[str, Any]) -> str:
    options = {"echo": True, "output": True, "include": True, **defaults, **cell.options}
    if options["include"] is False:
        return ""
    parts = []
    if options["echo"]:
        parts.append(_fenced(cell.source, "python .cell-code"))
    if options["output"] is not False:
        asis = options["output"] == "asis"
        parts += [_output(o, asis=asis) for o in cell.outputs]
    body = "\n\n".join(p for p in parts if p)
    label = str(options.get("label") or "")
    caption = options.get("fig-cap") or options.get("tbl-cap")
    if body and caption and label.startswith(("fig-", "tbl-")):
        return f"::: {{#{label}}}\n\n{body}\n\n{caption}\n\n:::"
    return body


def _output(output: Any, *, asis: bool) -> str:
    kind = output["output_type"]
    if kind == "stream":
        if output["name"] != "stdout":
            return ""
        text = str(output["text"])
        return text if asis else _fenced(text)
    if kind not in ("display_data", "execute_result"):
        return ""
    data = output["data"]
    if "text/markdown" in data:
        return str(data["text/markdown"])
    for html in ("text/html", "image/svg+xml"):
        if html in data:
            return block(str(data[html]))
    if "image/png" in data:
        return block(f'<img alt="" src="data:image/png;base64,{clean(data["image/png"]).replace(" ", "")}">')
    text = str(data.get("text/plain", ""))
    return block(f"<pre>{escape(text)}</pre>") if "\n" not in text else _fenced(text)


def _fenced(text: str, kind: str = "") -> str:
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}{' {.' + kind + '}' if kind else ''}\n{text.rstrip()}\n{fence}"
