"""Text from data on its way into HTML and Markdown: it is never markup.

Everything that a page prints passes one of these functions. Braces, dollars, backticks and at-signs
become entities too, so that a name can neither open a Quarto shortcode or a formula nor close the raw
block in which it stands.
"""

from __future__ import annotations

import html
import re
import unicodedata

_ENTITIES = {ord(c): f"&#{ord(c)};" for c in "{}$`@"}
_REORDER = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\ufeff")
"""Characters that change the direction of the text around them: a name must not be able to."""
_BREAKS = re.compile(r"[\t\n\r\v\f\x85\u2028\u2029]+")


def clean(text: object) -> str:
    """Return text on one line without control characters, reordering characters and lone surrogates.

    Examples
    --------
    >>> clean("a" + chr(10) + "b" + chr(0) + "c")
    'a bc'
    """
    line = _BREAKS.sub(" ", str(text))
    return "".join(c for c in line if c not in _REORDER and unicodedata.category(c) not in ("Cc", "Cs"))


def escape(text: object) -> str:
    """Return text for HTML content and for attribute values in quotes.

    Examples
    --------
    >>> escape('<b>"{{< x >}}"')
    '&lt;b&gt;&quot;&#123;&#123;&lt; x &gt;&#125;&#125;&quot;'
    """
    return html.escape(clean(text), quote=True).translate(_ENTITIES)


def named(text: object, *, css: str = "name", title: str = "") -> str:
    """Return a name from the data as an element of its own, isolated from the text's direction.

    Examples
    --------
    >>> named("GPT <4>")
    '<bdi class="name">GPT &lt;4&gt;</bdi>'
    """
    tip = f' title="{escape(title)}"' if title else ""
    return f'<bdi class="{css}"{tip}>{escape(text)}</bdi>'


def inline(markup: str) -> str:
    """Return ready HTML for use inside a Markdown paragraph."""
    return f"`{markup}`{{=html}}" if markup else ""


def block(markup: str) -> str:
    """Return ready HTML as a raw block of Markdown, with blank lines around it."""
    return f"\n```{{=html}}\n{markup}\n```\n"


def paragraph(markup: str, *, css: str = "") -> str:
    """Return ready inline HTML as a paragraph of its own, a raw block of Markdown."""
    return block(f"<p{f' class={chr(34)}{css}{chr(34)}' if css else ''}>{markup}</p>")


def prose(text: str) -> str:
    """Return plain text from data as HTML: blank lines part paragraphs, addresses become links.

    Only `https:` and `http:` addresses are linked, so a text cannot bring a script.

    Examples
    --------
    >>> prose("See https://example.org/a.")
    '<p>See <a href="https://example.org/a">https://example.org/a</a>.</p>'
    """
    parts = [p for p in re.split(r"\n\s*\n", text.strip()) if p.strip()]
    return "".join(f"<p>{linked(p)}</p>" for p in parts)


def linked(text: str) -> str:
    """Return plain text as inline HTML with its web addresses linked."""
    pieces = re.split(r"(https?://[^\s<>\"'`{}]*[^\s<>\"'`{}.,;:!?)\]])", text)
    return "".join(
        f'<a href="{escape(piece)}">{escape(piece)}</a>' if i % 2 else escape(piece)
        for i, piece in enumerate(pieces)
    )
