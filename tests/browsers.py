"""Chromium for the tests that open pages: the system's, driven by Playwright."""

import contextlib
import os
import shutil

WIDTHS = (360, 1024, 1280, 1920)
"""A telephone, a small laptop, a laptop and a wide screen, in pixels: at each, nothing is wider than the screen."""
LINES = 2
"""So many lines a cell has at most where a table has room."""
NAMES = ("chromium", "chromium-browser", "google-chrome", "chromium-headless-shell")


def missing():
    """Why no browser can be opened here; an empty text if one can."""
    try:
        import axe_playwright_python  # noqa: F401
        import playwright.sync_api  # noqa: F401
    except ImportError:
        return "Playwright or axe is not installed: pip install '.[browser]'"
    return "" if found() else "no Chromium is installed: apt-get install chromium, or name one by ANONDUCK_BROWSER"


def found():
    """The path of the browser, or None."""
    named = os.environ.get("ANONDUCK_BROWSER")
    return named or next((path for path in map(shutil.which, NAMES) if path), None)


@contextlib.contextmanager
def chromium():
    """A headless Chromium; skips the test, with the reason, where it does not start."""
    import pytest
    from playwright.sync_api import Error, sync_playwright

    with sync_playwright() as driver:
        try:
            browser = driver.chromium.launch(
                executable_path=found(), args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
            )
        except Error as error:
            pytest.skip(f"{found()} does not start: {error}")
        try:
            yield browser
        finally:
            browser.close()


@contextlib.contextmanager
def opened(browser, path, *, scheme="light", width=1400, height=900, ready="body[data-ready]"):
    """A page with what it says in ``page.said``: messages of its console, errors, and requests for anything else."""
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
    page = context.new_page()
    said = []
    page.on("console", lambda message: said.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: said.append(f"error: {error}"))
    page.on(
        "request", lambda request: None if request.url == path.as_uri() else said.append(f"asked for {request.url}")
    )
    page.said = said
    page.goto(path.as_uri())
    page.wait_for_selector(ready, state="attached")
    try:
        yield page
    finally:
        context.close()


CRAMPED = """lines => [
    ...[...document.querySelectorAll('.scroll')].filter((one) => one.scrollWidth > one.clientWidth)
        .map((one) => `cut: ${one.getAttribute('aria-label')}`),
    ...[...document.querySelectorAll('th, td')].filter((cell) => {
        const inside = document.createRange();
        inside.selectNodeContents(cell);
        return new Set([...inside.getClientRects()].map((one) => Math.round(one.top))).size > lines;
    }).map((cell) => `squeezed: ${cell.textContent.slice(0, 80)}`)]"""


def cramped(page):
    """The tables whose last columns are cut off, and the cells that have too many lines."""
    return page.evaluate(CRAMPED, LINES)


def barriers(page):
    """What axe finds on a page that keeps people from reading it: the rule and the elements, by text."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page).response["violations"]
    return [f"{one['id']}: {node['html'][:200]}" for one in found for node in one["nodes"]]
