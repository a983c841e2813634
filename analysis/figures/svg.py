"""SVG as pages need it: described, scalable, free of clashing identifiers, and small.

Vega's SVG has a fixed size, class names that a page's styles could hit, and identifiers that are
the same in every file; several of them in one page would share their clip paths.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from xml.etree import ElementTree as ET

SVG = "http://www.w3.org/2000/svg"
_DROPPED = frozenset(
    {"class", "role", "pointer-events", "version", "aria-label", "aria-roledescription", "aria-hidden"}
)
_GEOMETRY = frozenset(
    {"d", "transform", "x", "y", "x2", "y2", "width", "height", "cx", "cy", "r", "viewBox", "dy"}
)
_DEFAULTS = {("opacity", "1"), ("font-weight", "normal"), ("font-style", "normal"), ("stroke-opacity", "1")}
_LONG = re.compile(r"-?\d*\.\d{3,}(?:e-?\d+)?")
_REFERENCE = re.compile(r"url\(#([^)]+)\)")


def finish_svg(svg: str, *, name: str, theme: str, title: str, description: str) -> str:
    """Return Vega's SVG ready to stand inline in a page, next to others.

    Parameters
    ----------
    svg : str
        What the renderer wrote.
    name, theme : str
        Name of the figure and of the theme: they begin every identifier, and a digest of the
        content follows, so figures of several benchmarks can share a page.
    title, description : str
        What a screen reader says.

    Returns
    -------
    str
        The SVG, without XML declaration: as wide as drawn, or as its container where that is narrower.
    """
    ET.register_namespace("", SVG)
    root = ET.fromstring(svg)
    digest = hashlib.sha256(svg.encode()).hexdigest()[:8]
    prefix = f"{name}-{theme}-{digest}"
    _rename(root, prefix)
    _slim(root)
    width = float(root.get("width", "0"))
    height = float(root.get("height", "0"))
    root.attrib.clear()
    root.set("viewBox", f"0 0 {width:g} {height:g}")
    root.set("width", f"{width:g}")
    root.set("height", f"{height:g}")
    root.set("style", "max-width:100%;height:auto")
    root.set("role", "img")
    root.set("aria-labelledby", f"{prefix}-title {prefix}-desc")
    for place, (tag, text) in enumerate((("title", title), ("desc", description))):
        element = ET.Element(f"{{{SVG}}}{tag}", {"id": f"{prefix}-{tag}"})
        element.text = text
        root.insert(place, element)
    return ET.tostring(root, encoding="unicode") + "\n"


def size_of(svg: str) -> tuple[float, float]:
    """Return the width and height in pixels that a finished SVG was drawn for."""
    found = re.search(r'viewBox="0 0 (\S+) (\S+)"', svg)
    return (float(found[1]), float(found[2])) if found else (0.0, 0.0)


def _rename(root: ET.Element, prefix: str) -> None:
    """Give every identifier and every reference to one the prefix."""
    for element in root.iter():
        for key, value in element.attrib.items():
            if key == "id":
                element.set(key, f"{prefix}-{value}")
            elif key.endswith("href") and value.startswith("#"):
                element.set(key, f"#{prefix}-{value[1:]}")
            elif "url(#" in value:
                element.set(key, _REFERENCE.sub(rf"url(#{prefix}-\1)", value))


def _slim(root: ET.Element) -> None:
    """Drop what draws nothing, shorten numbers, and join neighbours that differ in their path only."""
    for element in list(root.iter()):
        for child in list(element):
            empty = child.tag == f"{{{SVG}}}path" and (
                child.get("d", "") == "" or (child.get("fill") is None and child.get("stroke") is None)
            )
            if child.get("display") == "none" or (empty and not _inherits(child)):
                element.remove(child)
    for element in root.iter():
        for key in list(element.attrib):
            value = element.attrib[key]
            if key in _DROPPED or (key, value) in _DEFAULTS:
                del element.attrib[key]
            elif key in _GEOMETRY:
                element.set(key, _LONG.sub(_short, value))
    for element in root.iter():
        _join(element)
    _prune(root)


def _inherits(element: ET.Element) -> bool:
    """Tell whether a path lies in a clip path, where it needs no paint."""
    return element.get("clip-rule") is not None


def _short(found: re.Match[str]) -> str:
    text = f"{float(found[0]):.2f}".rstrip("0").rstrip(".")
    return "0" if text in {"-0", ""} else text


def _join(element: ET.Element) -> None:
    """Join neighbouring paths of one opaque colour: a matrix of 200 models has 20,000 of them."""
    last: ET.Element | None = None
    for child in list(element):
        look = {k: v for k, v in child.attrib.items() if k != "d"}
        plain = child.tag == f"{{{SVG}}}path" and set(look) == {"fill"}
        if plain and last is not None and last.get("fill") == look["fill"]:
            last.set("d", last.get("d", "") + child.get("d", ""))
            element.remove(child)
        else:
            last = child if plain else None


def _prune(root: ET.Element) -> None:
    """Remove groups without content, and unwrap those that say nothing."""
    for element in _bottom_up(root):
        for child in list(element):
            if child.tag != f"{{{SVG}}}g":
                continue
            place = list(element).index(child)
            if len(child) == 0:
                element.remove(child)
            elif not child.attrib or child.attrib == {"transform": "translate(0,0)"}:
                element.remove(child)
                for offset, grandchild in enumerate(list(child)):
                    element.insert(place + offset, grandchild)


def _bottom_up(element: ET.Element) -> Iterator[ET.Element]:
    for child in list(element):
        yield from _bottom_up(child)
    yield element
