"""The pages in a real browser, opened from disk."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest

from tests.browser.conftest import Open
from tests.unit.reporting.conftest import HOSTILE

PAGES = [
    "index.html",
    "methods.html",
    "hostile/index.html",
    "hostile/leaderboard.html",
    "hostile/items.html",
    "hostile/items/0001.html",
]

OVERFLOW = """() => [...document.querySelectorAll("body *")].filter(e => {
  const r = e.getBoundingClientRect();
  const held = e.closest(".scroll, pre, math, .sr-only, .skip");
  return r.right > document.documentElement.clientWidth + 1 && !held;
}).map(e => e.outerHTML.slice(0, 120))"""

CONTRAST = """() => {
  const channel = c => { c /= 255; return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; };
  const canvas = document.createElement("canvas"); canvas.width = canvas.height = 1;
  const pen = canvas.getContext("2d", { willReadFrequently: true });
  const rgb = css => {
    pen.clearRect(0, 0, 1, 1); pen.fillStyle = css; pen.fillRect(0, 0, 1, 1);
    return [...pen.getImageData(0, 0, 1, 1).data];
  };
  const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const ground = e => {
    for (; e; e = e.parentElement) {
      const colour = rgb(getComputedStyle(e).backgroundColor);
      if (colour[3] === 255) return colour;
    }
    return rgb(getComputedStyle(document.documentElement).colorScheme.includes("dark") ? "black" : "white");
  };
  const poor = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const e = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !e.checkVisibility()) continue;
    if (e.closest("script, svg, .sr-only, .skip")) continue;
    const style = getComputedStyle(e), size = parseFloat(style.fontSize);
    const need = size >= 24 || (size >= 18.66 && +style.fontWeight >= 700) ? 3 : 4.5;
    const [a, b] = [light(rgb(style.color)), light(ground(e))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    const who = `${e.tagName}.${e.className} ${e.textContent.slice(0, 40)}`;
    if (ratio < need) poor.push(`${ratio.toFixed(2)} ${who}`);
  }
  return [...new Set(poor)];
}"""


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_its_ground(open_page: Open, name: str, scheme: str) -> None:
    page = open_page(name, scheme=scheme)
    assert page.evaluate(CONTRAST) == []


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("width", [360, 768, 1280])
def test_the_page_never_scrolls_sideways(open_page: Open, name: str, width: int) -> None:
    page = open_page(name, width=width)
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0
    assert page.evaluate(OVERFLOW) == []


UNFOLD = "document.querySelectorAll('details.more').forEach(d => { d.open = true; })"


@pytest.mark.parametrize(("width", "scheme"), [(360, "dark"), (1280, "light")])
def test_what_is_folded_away_is_as_sound_as_the_rest(open_page: Open, width: int, scheme: str) -> None:
    page = open_page("hostile/index.html", width=width, scheme=scheme)
    folded = page.locator("details.more")
    assert folded.count() > 10
    assert not any(folded.nth(i).evaluate("e => e.open") for i in range(folded.count()))
    page.evaluate(UNFOLD)
    assert page.locator("#tbl-agreement").is_visible()
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0
    assert page.evaluate(OVERFLOW) == []
    assert page.evaluate(CONTRAST) == []


def test_what_needs_attention_comes_first(open_page: Open) -> None:
    page = open_page("hostile/index.html")
    tags = page.locator("#quality .checks .tag").all_inner_texts()
    assert tags == sorted(tags)
    assert {"attention", "note"} == set(tags)


def test_wide_tables_scroll_inside_their_own_box_and_by_keyboard(open_page: Open) -> None:
    page = open_page("hostile/index.html", width=360)
    box = page.locator(".scroll.overflows").first
    assert box.get_attribute("tabindex") == "0"
    box.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("document.querySelector('.scroll.overflows').scrollLeft > 0")


def test_the_table_sorts_by_mouse_and_keyboard(open_page: Open) -> None:
    page = open_page("hostile/leaderboard.html")
    orders = "els => els.map(e => parseFloat(e.dataset.order))"
    place = page.locator("#leaderboard thead th", has_text="Correct, %").evaluate("e => e.cellIndex") + 1
    column = page.locator(f"#leaderboard tbody tr > :nth-child({place})")
    first = column.evaluate_all(orders)
    assert first == sorted(first, reverse=True)
    for expected in ("descending", "ascending"):
        page.locator("#leaderboard thead th", has_text="Correct, %").click()
        page.locator(f"th[aria-sort={expected}]", has_text="Correct, %").wait_for()
        assert column.evaluate_all(orders) == sorted(first, reverse=expected == "descending")
    orders_of_names = []
    for expected in ("ascending", "descending"):
        page.locator("#leaderboard thead th.model [role=button]").focus()
        page.keyboard.press("Enter")
        page.locator(f"th.model[aria-sort={expected}]").wait_for()
        names = page.locator("#leaderboard tbody th").evaluate_all("els => els.map(e => e.dataset.order)")
        orders_of_names.append(names)
    up, down = orders_of_names
    assert up == down[::-1]
    plain = ["a/b \"quoted\" 'single' & co", "reversed gnp", "x" * 80]
    assert [n for n in up if n in plain] == plain


def test_the_table_filters(open_page: Open) -> None:
    page = open_page("hostile/leaderboard.html")
    rows = page.locator("#leaderboard tbody tr")
    assert rows.count() == len(HOSTILE)
    assert page.locator(".shown").inner_text() == f"{len(HOSTILE)} models"
    page.locator("#find").fill("<script>")
    assert rows.count() == 1
    assert page.locator(".shown").inner_text() == f"1 of {len(HOSTILE)} models"
    page.locator("#find").fill("nothing of the kind")
    assert page.locator("#leaderboard tbody").inner_text().strip() == "No model matches."
    page.locator("#find").fill("")
    assert rows.count() == len(HOSTILE)


def test_groups_of_columns_hide_and_show(open_page: Open) -> None:
    page = open_page("hostile/leaderboard.html")
    assert page.locator(".group-strata").count() == 0
    page.locator("input[data-group=strata]").check()
    assert page.locator("th.group-strata").count() == 2
    tracks = page.locator("th.group-tracks").count()
    page.locator("input[data-group=tracks]").uncheck()
    assert (tracks, page.locator("th.group-tracks").count()) == (2, 0)


def test_without_scripts_everything_is_there(open_page: Open) -> None:
    page = open_page("hostile/leaderboard.html", scripts=False)
    assert page.locator("#leaderboard tbody tr").count() == len(HOSTILE)
    assert page.locator("th.group-strata").first.is_visible()
    assert not page.locator("#controls").is_visible()
    assert not page.locator(".theme-toggle").is_visible()
    report = open_page("hostile/index.html", scripts=False)
    panes = report.locator(".tab-content > div")
    assert panes.count() >= 2
    assert all(panes.nth(i).is_visible() for i in range(panes.count()))


def test_tabs_work_by_mouse_and_arrow_keys(open_page: Open) -> None:
    page = open_page("hostile/index.html")
    tabs, panes = page.locator("[role=tab]"), page.locator("[role=tabpanel]")
    assert [panes.nth(i).is_visible() for i in range(2)] == [True, False]
    tabs.nth(1).click()
    assert [panes.nth(i).is_visible() for i in range(2)] == [False, True]
    page.keyboard.press("ArrowLeft")
    assert tabs.nth(0).get_attribute("aria-selected") == "true"
    assert tabs.nth(0).evaluate("e => e === document.activeElement")


def test_the_choice_of_colours_is_kept(open_page: Open) -> None:
    page = open_page("hostile/index.html")
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    button = page.locator(".theme-toggle")
    assert button.get_attribute("aria-pressed") == "false"
    button.click()
    dark = page.evaluate(ground)
    assert dark != light
    assert page.locator(".for-dark").first.is_visible()
    assert not page.locator(".for-light").first.is_visible()
    page.reload()
    assert page.evaluate(ground) == dark
    page.locator(".theme-toggle").click()
    assert page.evaluate(ground) == light


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_figure_shows_one_of_its_two_variants(open_page: Open, scheme: str) -> None:
    page = open_page("hostile/index.html", scheme=scheme)
    assert page.locator(f".for-{scheme}").first.is_visible()
    other = {"light": "dark", "dark": "light"}[scheme]
    assert not page.locator(f".for-{other}").first.is_visible()


def test_the_first_stop_of_the_keyboard_skips_to_the_content(open_page: Open) -> None:
    page = open_page("hostile/index.html")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "content"


def test_print_is_light_and_whole(open_page: Open) -> None:
    page = open_page("hostile/index.html", scheme="dark")
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    for hidden in (".site-nav", ".toc", ".theme-toggle", ".downloads"):
        assert not page.locator(hidden).first.is_visible(), hidden
    panes = page.locator("[role=tabpanel]")
    assert all(panes.nth(i).is_visible() for i in range(panes.count()))
    assert page.locator(".for-light").first.is_visible()


def test_a_link_into_a_folded_part_opens_it(open_page: Open) -> None:
    page = open_page("hostile/index.html")
    folded = page.locator("details.more").last
    inner = folded.locator("[id]").first.get_attribute("id")
    assert folded.get_attribute("open") is None
    page.evaluate("id => { location.hash = id; }", inner)
    page.wait_for_function("[...document.querySelectorAll('details.more')].pop().open")


def test_downloads_arrive(open_page: Open, site: Path) -> None:
    page = open_page("hostile/index.html")
    for link in page.locator("a[download]").all():
        target = site / "hostile" / (link.get_attribute("href") or "")
        assert target.is_file(), target
    assert len(json.loads((site / "hostile" / "leaderboard.json").read_text())["models"]) == len(HOSTILE)


def test_the_contents_mark_the_section_in_view(open_page: Open) -> None:
    page = open_page("hostile/index.html")
    page.locator(".toc a", has_text="Cost").click()
    page.wait_for_function("document.querySelector('.toc a[aria-current]').textContent === 'Cost'")


UNNAMED = """() => [...document.querySelectorAll("button, input, select, a[href], svg[role=img]")].filter(e =>
  !(e.innerText || e.textContent || "").trim() && !e.getAttribute("aria-label") && !e.labels?.length
).map(e => e.outerHTML.slice(0, 100))"""

LEVELS = """() => [...document.querySelectorAll("h1, h2, h3, h4")]
  .filter(e => e.checkVisibility()).map(e => +e.tagName[1])"""


@pytest.mark.parametrize("name", PAGES)
def test_every_page_has_its_landmarks_and_names(open_page: Open, name: str) -> None:
    page = open_page(name)
    assert page.title()
    assert page.locator("main h1").count() == 1
    assert page.evaluate(UNNAMED) == []
    levels = page.evaluate(LEVELS)
    assert all(below - above <= 1 for above, below in pairwise(levels)), levels


def test_the_list_of_items_can_be_searched(open_page: Open) -> None:
    page = open_page("hostile/items.html")
    rows = page.locator(".listed tbody tr")
    assert rows.count() == 40
    page.fill("#find", "i7")
    shown = [row.inner_text().split()[0] for row in rows.all() if row.is_visible()]
    assert shown == ["i7"]
    assert page.locator(".shown").inner_text() == "1 of 40 items"
    page.fill("#find", "")
    assert all(row.is_visible() for row in rows.all())


def test_a_link_of_the_report_leads_to_the_item_and_its_ratings(open_page: Open) -> None:
    page = open_page("hostile/index.html")
    link = page.locator('#boundary a[href^="items/"]').first
    name = link.inner_text()
    link.click()
    heading = page.locator(".item:target h2")
    assert heading.inner_text() == name
    assert heading.is_visible()
    assert page.locator(".item:target .verdicts tbody tr").count() >= len(HOSTILE) - 1


def test_items_read_without_scripts(open_page: Open) -> None:
    page = open_page("hostile/items.html", scripts=False)
    assert not page.locator("#controls").is_visible()
    page.locator(".listed a", has_text="i7").first.click()
    assert page.locator(".item:target h2").inner_text() == "i7"
    assert page.locator(".item:target .ratings tbody tr").first.is_visible()
