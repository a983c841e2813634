"""Files of figures: complete, described, apart from each other, and the same bytes every time."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from analysis.figures import FIGURES, read_index, write_figures
from analysis.figures.svg import SVG, finish_svg
from analysis.figures.write import FORMATS
from tests.unit.figures.builder import build
from tests.unit.figures.cases import CASES, PLAIN

DRAW = """
import sys
from pathlib import Path
from analysis.figures import write_figures
from tests.unit.figures.cases import CASES
write_figures(*CASES["hostile text"](), Path(sys.argv[1]))
"""


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("figures")
    write_figures(*CASES["hostile text"](), folder)
    return folder


def svgs(folder: Path) -> dict[str, ET.Element]:
    return {p.name: ET.fromstring(p.read_text(encoding="utf-8")) for p in sorted(folder.glob("*.svg"))}


def test_every_figure_has_every_file_or_a_reason(written: Path) -> None:
    index = read_index(written)
    own = [f"{name}_track_{i}" for i in (1, 2) for name in ("scores", "frontier")]
    assert list(index) == [*FIGURES, *own]
    for name, about in index.items():
        files = {p.name for p in written.glob(f"{name}.*")}
        if "absent" in about:
            assert not files
        else:
            assert files == {f"{name}{ending}" for ending in FORMATS} == set(about["files"])
            assert about["caption"]
            assert about["alt"]
            assert about["width"] > 0 < about["height"]
        assert about["synthetic"].startswith("Simulated data")
    assert (written / "scores.png").read_bytes().startswith(b"\x89PNG")
    assert (written / "scores.pdf").read_bytes().startswith(b"%PDF-1.7")


def test_identifiers_of_all_pictures_are_distinct_and_references_hold(written: Path) -> None:
    seen: set[str] = set()
    for name, root in svgs(written).items():
        own = [e.get("id") for e in root.iter() if e.get("id")]
        assert len(own) == len(set(own)), name
        assert not seen & set(own), name
        assert all(i.startswith(name.split(".")[0] + "-") for i in own)
        seen |= set(own)
        for element in root.iter():
            for value in element.attrib.values():
                for target in re.findall(r"url\(#([^)]+)\)", value):
                    assert target in own, name


def test_pictures_are_described_scale_and_carry_no_styles_of_a_page(written: Path) -> None:
    for root in svgs(written).values():
        assert root.get("role") == "img"
        title, desc = root[0], root[1]
        assert (title.tag, desc.tag) == (f"{{{SVG}}}title", f"{{{SVG}}}desc")
        assert title.text
        assert desc.text
        assert root.get("aria-labelledby") == f"{title.get('id')} {desc.get('id')}"
        assert root.get("viewBox") == f"0 0 {root.get('width')} {root.get('height')}"
        assert "max-width:100%" in str(root.get("style"))
        assert not any(e.get("class") for e in root.iter())


def test_text_of_data_is_text(written: Path) -> None:
    for path in written.glob("*.svg"):
        text = path.read_text(encoding="utf-8")
        assert "<script" not in text
        assert "<b>" not in text
        root = ET.fromstring(text)
        tags = {e.tag.removeprefix(f"{{{SVG}}}") for e in root.iter()}
        assert tags <= {
            "svg",
            "g",
            "path",
            "rect",
            "line",
            "text",
            "tspan",
            "title",
            "desc",
            "defs",
            "clipPath",
        }
        assert not any(key.startswith("on") for e in root.iter() for key in e.attrib)
    shown = "".join(svgs(written)["scores.svg"].itertext())
    assert "<script>alert('x')</script>" in shown
    assert 'a" onload="x" id="clip0' in shown


def test_nothing_is_loaded_from_elsewhere(written: Path) -> None:
    for path in written.glob("*.svg"):
        text = path.read_text(encoding="utf-8").replace(SVG, "").replace("http://www.w3.org/1999/xlink", "")
        assert "http" not in text
        assert "url(#" in text or "url(" not in text
    for path in written.glob("*.vl.json"):
        spec = json.loads(path.read_text(encoding="utf-8"))
        assert spec.pop("$schema").startswith("https://vega.github.io/schema/vega-lite/v6")
        assert "http" not in json.dumps(spec)


def test_dark_pictures_have_the_size_of_light_ones(written: Path) -> None:
    pictures = svgs(written)
    for name in [n for n in pictures if not n.endswith(".dark.svg")]:
        assert pictures[name].get("viewBox") == pictures[name.replace(".svg", ".dark.svg")].get("viewBox")


def digests(folder: Path) -> dict[str, str]:
    return {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in sorted(folder.iterdir())}


def test_another_process_writes_the_same_bytes(written: Path, root: Path, tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo", "PYTHONPATH": str(root)}
    subprocess.run([sys.executable, "-c", DRAW, str(tmp_path)], check=True, cwd=root, env=environment)
    assert digests(tmp_path) == digests(written)


def test_files_of_absent_figures_are_removed(tmp_path: Path) -> None:
    tables = build(2, 20)
    few = {n: tables[n] for n in ("models", "count_distribution")}
    (tmp_path / "frontier.svg").write_text("old")
    (tmp_path / "notes.txt").write_text("kept")
    write_figures(few, PLAIN, tmp_path)
    assert {p.name for p in tmp_path.iterdir()} == {
        *(f"count_distribution{ending}" for ending in FORMATS), "index.json", "notes.txt",
    }  # fmt: skip


def test_neighbouring_squares_of_a_colour_become_one_path_and_text_keeps_its_digits() -> None:
    raw = (
        f'<svg xmlns="{SVG}" width="10" height="5" class="marks"><g class="a">'
        '<path d="M0,0h1v1h-1Z" fill="#111111"/><path d="M1,0h1.23456v1h-1Z" fill="#111111"/>'
        '<path d="M2,0h1v1h-1Z" fill="#222222"/><path d="M3,0h1Z" fill="#222222" opacity="0.5"/>'
        '<g clip-path="url(#clip1)"><text x="1.00001">1.23456 id="clip1"</text></g></g>'
        '<defs><clipPath id="clip1"><rect width="1" height="1"/></clipPath></defs></svg>'
    )
    out = finish_svg(raw, name="x", theme="light", title="T & T", description="<d>")
    root = ET.fromstring(out)
    paths = [e.get("d") for e in root.iter(f"{{{SVG}}}path")]
    assert paths == ["M0,0h1v1h-1ZM1,0h1.23v1h-1Z", "M2,0h1v1h-1Z", "M3,0h1Z"]
    (text,) = root.iter(f"{{{SVG}}}text")
    assert text.text == '1.23456 id="clip1"'
    clip = next(root.iter(f"{{{SVG}}}clipPath")).get("id")
    assert re.fullmatch(r"x-light-[0-9a-f]{8}-clip1", str(clip))
    assert f'clip-path="url(#{clip})"' in out


def test_a_track_that_is_gone_leaves_no_figure(tmp_path: Path) -> None:
    write_figures(build(3, 40, tracks=("b", "<a>")), PLAIN, tmp_path)
    assert (tmp_path / "scores_track_2.svg").is_file()
    first = read_index(tmp_path)["scores_track_1"]
    assert first["title"] == "Scores, intervals and tiers, track <a>"
    assert first["caption"].startswith("Track <a>. Items answered correctly: 3 models")
    write_figures(build(3, 40), PLAIN, tmp_path)
    assert not list(tmp_path.glob("*_track_*"))
