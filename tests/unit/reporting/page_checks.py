"""What every page has to keep, read from its HTML."""

from __future__ import annotations

from html.parser import HTMLParser

VOID = frozenset(
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"]
)
OPTIONAL_END = frozenset(["p", "li", "dt", "dd"])


class PageReader(HTMLParser):
    """Reads a page strictly: every element is closed where it must be.

    Attributes
    ----------
    ids, links, sources : list of str
        Identifiers, link targets, and what the page loads.
    tags : set of str
        Names of the elements.
    handlers : list of str
        Event handlers in attributes: there must be none.
    """

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.ids: list[str] = []
        self.links: list[str] = []
        self.sources: list[str] = []
        self.handlers: list[str] = []
        self.tags: list[str] = []
        self.text: list[str] = []
        self._open: list[str] = []
        self._raw = 0
        self.feed(text)
        self.close()
        assert not self._open, f"not closed: {self._open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        values = {k: v or "" for k, v in attrs}
        assert len(values) == len(attrs), f"an attribute stands twice in <{tag}>: {attrs}"
        self.handlers += [k for k in values if k.startswith("on")]
        if "id" in values:
            self.ids.append(values["id"])
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        elif "href" in values:
            self.sources.append(values["href"])
        if "src" in values:
            self.sources.append(values["src"])
        if tag not in VOID:
            self._open.append(tag)
            self._raw += tag in ("script", "style")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open, f"</{tag}> closes nothing"
        assert self._open[-1] == tag, f"</{tag}> closes <{self._open[-1]}> at {self.getpos()}"
        self._raw -= tag in ("script", "style")
        self._open.pop()

    def handle_data(self, data: str) -> None:
        if not self._raw:
            self.text.append(data)


def check_page(html: str) -> PageReader:
    """Check what holds for every page; return what was read."""
    page = PageReader(html)
    assert html.startswith("<!DOCTYPE html>")
    assert '<html lang="en">' in html
    assert '<meta name="viewport" content="width=device-width, initial-scale=1">' in html
    twice = sorted({i for i in page.ids if page.ids.count(i) > 1})
    assert not twice, f"identifiers stand twice: {twice}"
    lost = [a for a in page.links if a.startswith("#") and a[1:] not in page.ids]
    assert not lost, f"links lead nowhere: {lost}"
    assert not page.handlers
    assert page.tags.count("h1") == 1
    assert page.tags.count("main") == 1
    outside = [s for s in page.sources if "//" in s or s.startswith("data:")]
    assert not outside, f"the page loads from elsewhere: {outside}"
    assert "url(http" not in html
    return page
