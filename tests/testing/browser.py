"""A real browser for tests: Chromium without a window, a check of accessibility, pictures to look at.

Playwright's plain interface keeps an event loop running in the thread that uses it, so that nothing else can run one
there: a Chromium serves a module's tests and ends with them, and crawls are made before it starts.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

_AXE = Path(__file__).parent / "vendor" / "axe.min.js"
_INK = """([where, colour]) => {
  const probe = document.createElement("canvas").getContext("2d");
  probe.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(colour).trim();
  probe.fillRect(0, 0, 1, 1);
  const wanted = probe.getImageData(0, 0, 1, 1).data;
  const canvas = document.querySelector(where);
  const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
  let count = 0;
  for (let at = 0; at < data.length; at += 4) {
    if ([0, 1, 2, 3].every((part) => Math.abs(data[at + part] - wanted[part]) < 12)) count += 1;
  }
  return count;
}"""
_PATIENCE = 60_000  # milliseconds, for a machine that is busy with other things
_NAMES = ("/usr/bin/chromium", "chromium", "chromium-browser", "google-chrome")


@contextmanager
def chromium() -> Iterator[Browser]:
    """The browser; who has none skips the test."""
    found = next((path for name in _NAMES if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip("there is no Chromium: install one (on Debian, apt-get install chromium)")
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []  # a sandbox cannot be made by root
        browser = playwright.chromium.launch(executable_path=found, args=arguments)
        try:
            yield browser
        finally:
            browser.close()


class Tab:
    """A page in a browser of its own, with all that went wrong on it."""

    def __init__(self, context: BrowserContext) -> None:
        self.context = context
        self.page: Page = context.new_page()
        self.troubles: list[str] = []
        self.requested: list[str] = []
        self.page.on("console", lambda said: self.troubles.append(said.text) if said.type == "error" else None)
        self.page.on("pageerror", lambda error: self.troubles.append(str(error)))
        self.page.on("dialog", self._dialog)
        self.page.on("request", lambda request: self.requested.append(request.url))

    def _dialog(self, dialog: Any) -> None:
        self.troubles.append(f"a dialog: {dialog.message}")
        dialog.dismiss()

    def assert_accessible(self) -> None:
        """axe-core finds nothing to complain about."""
        self.page.evaluate(_AXE.read_text())  # by the debugger, which the page's own policy does not bind
        found = self.page.evaluate("axe.run()")
        violations = [f"{each['id']}: {[node['html'] for node in each['nodes']]}" for each in found["violations"]]
        assert not violations, "\n".join(violations)
        assert found["passes"]

    def assert_no_sideways_scroll(self) -> None:
        wide, room = self.page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
        assert wide <= room, f"{wide} pixels in a window of {room}"

    def ink(self, canvas: str, colour: str) -> int:
        """How many pixels of a canvas have a colour of the style sheet."""
        return int(self.page.evaluate(_INK, [canvas, colour]))

    def picture(self, name: str, tmp_path: Path, *, whole: bool = True) -> None:
        """Of the page, or of what its window shows: a PNG where SOUGHT_SCREENSHOTS says, else in `tmp_path`."""
        folder = Path(os.environ.get("SOUGHT_SCREENSHOTS") or tmp_path)
        folder.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=folder / f"{name}.png", full_page=whole)


@contextmanager
def tab(browser: Browser, **options: Any) -> Iterator[Tab]:
    """A fresh tab; `options` are those of playwright's new_context."""
    context = browser.new_context(**options)
    context.set_default_timeout(_PATIENCE)
    expect.set_options(timeout=_PATIENCE)
    try:
        yield Tab(context)
    finally:
        context.close()
