"""A site of small benchmarks, and a headless Chromium to open it from disk."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from analysis.config import Config
from analysis.reporting.items.write import write_items
from analysis.reporting.leaderboard import write_leaderboard
from analysis.reporting.render import render_page
from tests.unit.reporting.conftest import HOSTILE_CARD, derive_all, hostile_ratings, hostile_runs
from tests.unit.reporting.test_pages import draw

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test of this folder."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Render a site whose names are as awkward as they get."""
    results = derive_all(
        tmp_path_factory.mktemp("browser"), "hostile", hostile_runs(), HOSTILE_CARD, ratings=hostile_ratings()
    )
    draw(results, "hostile")
    out = results / "site"
    config = Config(results=str(results), renderer="embedded")
    write_items("hostile", config=config, folder=out / "hostile")
    render_page("report", config=config, benchmark="hostile", out=out / "hostile" / "index.html")
    write_leaderboard("hostile", config=config, folder=out / "hostile")
    render_page("index", config=config, benchmark=["hostile"], out=out / "index.html")
    render_page("methods", config=config, out=out / "methods.html")
    return out


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Start Chromium; tests are skipped, visibly, where there is none."""
    program = os.environ.get("VERDICT_ATLAS_CHROMIUM") or next(
        filter(None, map(shutil.which, PROGRAMS)), None
    )
    if program is None:
        pytest.skip(f"no Chromium on the PATH ({', '.join(PROGRAMS)}); set VERDICT_ATLAS_CHROMIUM")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
        yield started
        started.close()


Open = Callable[..., "Page"]


@pytest.fixture
def open_page(browser: Browser, site: Path) -> Iterator[Open]:
    """Open a page of the site from disk; afterwards it must have asked no host and complained of nothing."""
    contexts, requests, complaints = [], [], []

    def opened(name: str, *, width: int = 1280, scheme: str = "light", scripts: bool = True) -> Page:
        context = browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme=scheme,  # type: ignore[arg-type]
            java_script_enabled=scripts,
            accept_downloads=True,
        )
        contexts.append(context)
        page = context.new_page()
        page.on("request", lambda request: requests.append(request.url))
        page.on("requestfailed", lambda request: complaints.append(f"failed: {request.url}"))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda m: complaints.append(m.text) if m.type in ("error", "warning") else None)
        page.on("dialog", lambda dialog: complaints.append(f"dialog: {dialog.message}"))
        page.goto((site / name).as_uri())
        return page

    yield opened
    for context in contexts:
        context.close()
    assert [r for r in requests if not r.startswith(("file:", "data:"))] == []
    assert complaints == []
