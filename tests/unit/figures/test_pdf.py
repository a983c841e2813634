"""PDF files: the same bytes however the renderer numbers its objects."""

from __future__ import annotations

import re

import pytest

from analysis.figures.pdf import canonical_pdf


def document(order: list[int], names: dict[int, int], *, swap: bool = False) -> bytes:
    """Write a small document whose objects stand in an order and under numbers of choice."""
    n = {k: b"%d" % v for k, v in names.items()}
    fonts = [b"/fo0 " + n[4] + b" 0 R", b"/fo1 " + n[5] + b" 0 R"]
    if swap:
        fonts.reverse()
    bodies = {
        1: b"<<\n  /Type /Catalog\n  /Pages " + n[2] + b" 0 R\n>>",
        2: b"<<\n  /Type /Pages\n  /Count 1\n  /Kids [" + n[3] + b" 0 R]\n>>",
        3: b"<<\n  /Type /Page\n  /Resources <<\n    /Font <<\n      "
        + b"\n      ".join(fonts)
        + b"\n    >>\n  >>\n  /Contents "
        + n[6]
        + b" 0 R\n  /MediaBox [0 0 10.5 -3]\n>>",
        4: b"<<\n  /Name (one \\) 7 0 R \\( two)\n>>",
        5: b"<<\n  /Hex <FEFF 0041>\n  /On true\n>>",
        6: b"<<\n  /Length 25\n>>\nstream\n1 0 obj\nendstream\nendobj!\nendstream",
    }
    text = b"%PDF-1.7\n%\x80\x80\x80\x80\n\n"
    for k in order:
        text += n[k] + b" 0 obj\n" + bodies[k] + b"\nendobj\n\n"
    return text + b"xref\n0 7\ntrailer\n<<\n  /Size 7\n  /Root " + n[1] + b" 0 R\n>>\nstartxref\n9\n%%EOF"


def test_order_and_numbers_of_objects_do_not_matter() -> None:
    a = document([1, 2, 3, 4, 5, 6], {1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 6})
    b = document([6, 5, 1, 4, 3, 2], {1: 6, 2: 5, 3: 4, 4: 3, 5: 2, 6: 1}, swap=True)
    assert a != b
    assert canonical_pdf(a) == canonical_pdf(b)


def test_streams_and_strings_are_kept_as_they_are() -> None:
    out = canonical_pdf(document([1, 2, 3, 4, 5, 6], {k: k for k in range(1, 7)}))
    assert b"stream\n1 0 obj\nendstream\nendobj!\nendstream" in out
    assert rb"(one \) 7 0 R \( two)" in out
    assert b"<FEFF 0041>" in out
    assert b"/MediaBox[0 0 10.5 -3]" in out


def test_the_table_of_objects_points_at_them() -> None:
    out = canonical_pdf(document([2, 1, 3, 6, 5, 4], {k: k for k in range(1, 7)}), title="Café")
    offsets = [int(x) for x in re.findall(rb"(\d{10}) 00000 n\r\n", out)]
    assert len(offsets) == 7
    for number, offset in enumerate(offsets, 1):
        assert out[offset:].startswith(b"%d 0 obj\n" % number)
    start = int(re.search(rb"startxref\n(\d+)", out)[1])
    assert out[start:].startswith(b"xref\n0 8\n")
    assert b"/Title <FEFF004300610066" in out


def test_no_clock_and_no_identifier() -> None:
    out = canonical_pdf(document([1, 2, 3, 4, 5, 6], {k: k for k in range(1, 7)}))
    assert not re.search(rb"/CreationDate|/ModDate|/ID", out)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"%PDF-1.7\n1 0 obj\n<<>>\nendobj\n", "the PDF has no trailer that names its catalogue"),
        (
            b"%PDF-1.7\n1 0 obj\n<</A 9 0 R>>\nendobj\ntrailer\n<</Root 1 0 R>>",
            "the PDF refers to object 9, which it does not have",
        ),
        (
            b"%PDF-1.7\n1 0 obj\n<</Length 3>>\nstream\nabcdef\nendstream\nendobj\ntrailer\n<</Root 1 0 R>>",
            "the stream of object 1 of the PDF does not end where it says",
        ),
    ],
)
def test_what_is_not_understood_is_refused(text: bytes, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        canonical_pdf(text)
