"""Text from data is never markup, whatever it is put into."""

from __future__ import annotations

import html

from hypothesis import given
from hypothesis import strategies as st

from analysis.reporting.markup import block, clean, escape, inline, linked, named, prose


@given(st.text())
def test_escaped_text_holds_nothing_that_html_pandoc_or_quarto_reads(text: str) -> None:
    escaped = escape(text)
    assert not set("<>\"'{}`$@\n\r") & set(escaped)
    assert html.unescape(escaped) == clean(text)


def test_control_and_reordering_characters_go() -> None:
    assert clean("a\x00b\u202ec\ud800d\ne\u2028f") == "abcd e f"


def test_a_name_cannot_leave_its_raw_inline() -> None:
    name = "a`{=html}`<b>`"
    assert inline(named(name)).count("`") == 2
    assert "<b>" not in inline(named(name))


def test_a_name_cannot_close_its_raw_block() -> None:
    fences = [line for line in block(named("x\n```\n# Heading")).splitlines() if line.startswith("```")]
    assert fences == ["```{=html}", "```"]


def test_only_web_addresses_are_linked() -> None:
    assert linked("javascript:alert(1)") == "javascript:alert(1)"
    assert linked('https://a.example/"onclick=x').startswith('<a href="https://a.example/">')
    assert prose("one\n\n\ntwo <b>") == "<p>one</p><p>two &lt;b&gt;</p>"
    assert linked("(see https://a.example/x).") == (
        '(see <a href="https://a.example/x">https://a.example/x</a>).'
    )
