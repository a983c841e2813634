"""Figures as files: Vega-Lite, SVG in both themes, PNG and PDF, with an index of what they say."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

from analysis.config import BenchmarkCard
from analysis.figures.by_track import every_figure
from analysis.figures.drawing import draw_figure
from analysis.figures.figure import Absent, DrawnFigure, Tables
from analysis.figures.parts import synthetic_text
from analysis.figures.pdf import canonical_pdf
from analysis.figures.svg import SVG, finish_svg, size_of

FORMATS = (".vl.json", ".svg", ".dark.svg", ".png", ".pdf")
"""Endings of the files of a figure."""

PNG_SCALE = 2.0
"""Pixels of a PNG for each pixel of the figure."""

MAX_PNG_SIDE = 16_000
"""Longest side of a PNG in pixels: taller figures are written at a smaller scale."""


def write_figures(tables: Tables, card: BenchmarkCard, folder: Path) -> None:
    """Draw every figure and write its files, and `index.json` with what each says.

    Parameters
    ----------
    tables : mapping of str to pl.DataFrame
        The derived tables of one benchmark that exist.
    card : BenchmarkCard
        Its card.
    folder : Path
        Where the files go; files of a figure that is now absent are removed.

    Notes
    -----
    The same tables and card give the same bytes. Nothing is loaded from elsewhere.
    """
    folder.mkdir(parents=True, exist_ok=True)
    index: dict[str, Any] = {}
    # A track that is gone leaves no figure behind.
    for old in folder.glob("*_track_*"):
        old.unlink()
    figures = every_figure(tables)
    for name, figure in figures.items():
        drawn = draw_figure(figure, tables, card)
        if isinstance(drawn, Absent):
            for ending in FORMATS:
                (folder / f"{name}{ending}").unlink(missing_ok=True)
            index[name] = {"title": figure.title, "absent": drawn.reason}
        else:
            index[name] = _write_one(drawn, folder)
        index[name]["synthetic"] = synthetic_text(card) if card.synthetic else ""
    text = json.dumps(index, indent=1, ensure_ascii=False)
    (folder / "index.json").write_text(text + "\n", encoding="utf-8")


def _write_one(drawn: DrawnFigure, folder: Path) -> dict[str, Any]:
    import vl_convert

    name = drawn.name
    files = {ending: folder / f"{name}{ending}" for ending in FORMATS}
    files[".vl.json"].write_text(vega_lite_text(drawn.light), encoding="utf-8")
    raw = vl_convert.vegalite_to_svg(drawn.light, allowed_base_urls=[])
    dark = vl_convert.vegalite_to_svg(drawn.dark, allowed_base_urls=[])
    for svg, theme, ending in ((raw, "light", ".svg"), (dark, "dark", ".dark.svg")):
        finished = finish_svg(svg, name=name, theme=theme, title=drawn.title, description=drawn.alt_text)
        files[ending].write_text(finished, encoding="utf-8")
    width, height = size_of(finished)
    scale = min(PNG_SCALE, MAX_PNG_SIDE / max(width, height, 1.0))
    files[".png"].write_bytes(vl_convert.svg_to_png(raw, scale=scale))
    files[".pdf"].write_bytes(_pdf(raw, width, height, drawn.title))
    return {
        "title": drawn.title,
        "caption": drawn.caption,
        "alt": drawn.alt_text,
        "width": width,
        "height": height,
        "files": [f"{name}{ending}" for ending in FORMATS],
    }


def _pdf(svg: str, width: float, height: float, title: str) -> bytes:
    """Return the picture as PDF; where a font cannot be embedded (colour emoji), as an image in it."""
    import vl_convert

    try:
        pdf = vl_convert.svg_to_pdf(svg)
    except RuntimeError:
        scale = min(2 * PNG_SCALE, MAX_PNG_SIDE / max(width, height, 1.0))
        png = base64.b64encode(vl_convert.svg_to_png(svg, scale=scale)).decode()
        pdf = vl_convert.svg_to_pdf(
            f'<svg xmlns="{SVG}" xmlns:xlink="http://www.w3.org/1999/xlink" width="{width:g}" '
            f'height="{height:g}"><image width="{width:g}" height="{height:g}" '
            f'xlink:href="data:image/png;base64,{png}"/></svg>'
        )
    return canonical_pdf(pdf, title=title)


def vega_lite_text(spec: dict[str, Any]) -> str:
    """Return a specification as text that reads and compares well: sorted keys, one value a line."""
    return json.dumps(spec, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def read_index(folder: Path) -> dict[str, dict[str, Any]]:
    """Read what `write_figures` said about the figures of a folder."""
    index: dict[str, dict[str, Any]] = json.loads((folder / "index.json").read_text(encoding="utf-8"))
    return index
