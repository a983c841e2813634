"""Figures on a page: inline SVG in both colour schemes, with caption and downloads."""

from __future__ import annotations

import re

from analysis.reporting.downloads import FIGURE_FORMATS
from analysis.reporting.markup import block, escape, inline
from analysis.reporting.view import View, absent

_ROLE = re.compile(
    r' (?:role|aria-label|aria-roledescription|aria-hidden|aria-describedby|aria-labelledby|tabindex)="[^"]*"'
)
_SIZE = re.compile(r'<svg\b[^>]*?\bwidth="([\d.]+)"')
_FORMAT_NAMES = {".svg": "SVG", ".png": "PNG", ".pdf": "PDF", ".vl.json": "Vega-Lite"}


def figure_float(view: View, name: str, identifier: str = "") -> str:
    """Return a figure as a numbered float of Markdown, or the line that says why it is absent.

    Parameters
    ----------
    view : View
        The benchmark.
    name : str
        The figure's name.
    identifier : str
        Default: ``fig-`` and the name with hyphens.
    """
    about = view.figures.get(name)
    light, dark = (view.results.figures / f"{name}{ending}" for ending in (".svg", ".dark.svg"))
    if about is None or about.get("absent") or not light.is_file():
        reason = (about or {}).get("absent") or "The figure was not drawn."
        return absent(escape(reason))
    alt = escape(about.get("alt") or about.get("title") or name)
    variants = [("for-light", light)] + ([("for-dark", dark)] if dark.is_file() else [])
    pictures = []
    for css, path in variants:
        svg = inline_svg(path.read_text(encoding="utf-8"), prefix=f"{name}-{css}", alt=alt)
        only = "" if len(variants) > 1 else " alone"
        pictures.append(f'<div class="{css}{only}">{svg}</div>')
    files = [
        f'<a href="{escape(view.figures_link)}/{name}{ending}" download>{_FORMAT_NAMES[ending]}</a>'
        for ending in FIGURE_FORMATS
        if (view.results.figures / f"{name}{ending}").is_file()
    ]
    body = (
        f'<div class="picture scroll">{"".join(pictures)}</div>\n<p class="downloads">{" ".join(files)}</p>'
    )
    title, caption = escape(about.get("title", "")), escape(about.get("caption", ""))
    text = inline(f"<strong>{title}.</strong> {caption}" if title else caption)
    return f"\n::: {{#{identifier or 'fig-' + name.replace('_', '-')}}}\n{block(body)}\n{text}\n:::\n"


def has_figure(view: View, name: str) -> bool:
    """Tell whether a figure was drawn."""
    about = view.figures.get(name)
    return about is not None and not about.get("absent") and (view.results.figures / f"{name}.svg").is_file()


def inline_svg(svg: str, *, prefix: str, alt: str) -> str:
    """Return an SVG document for use inside a page.

    Identifiers get a prefix, so that several pictures on a page do not share them; the picture is one image
    to a screen reader, with `alt` (escaped already) in place of the labels of its marks.
    """
    svg = re.sub(r"<\?xml[^>]*\?>|<!DOCTYPE[^>]*>|<!--.*?-->", "", svg, flags=re.S).strip()
    svg = re.sub(r"<script\b.*?</script>", "", svg, flags=re.S)
    svg = _ROLE.sub("", svg)
    svg = re.sub(r'\bid="([^"]+)"', rf'id="{prefix}-\1"', svg)
    svg = re.sub(r"url\((['\"]?)#", rf"url(\1#{prefix}-", svg)
    svg = re.sub(r'href="#', f'href="#{prefix}-', svg)
    size = _SIZE.search(svg)
    natural = f' style="--natural: {float(size.group(1)):g}px"' if size else ""
    svg = re.sub(r'(<svg\b[^>]*?) style="[^"]*"', r"\1", svg, count=1)
    return svg.replace("<svg", f'<svg role="img" aria-label="{alt}"{natural}', 1)
