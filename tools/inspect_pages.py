"""Inspect the written pages with a headless Chromium, in light and dark mode and at the width of a phone.

    python tools/inspect_pages.py [--pages FOLDER] [--only NAME ...] [--pictures FOLDER]

It reports accessibility faults found by axe-core, pages wider than their window, requests to other hosts,
errors on the console, and layout faults: formulas and tables wider than their column, formulas cut by a box,
code that scrolls, numbers beside formulas on a phone, labels beside formulas in boxes, first pictures far
down the page. It counts formulas and cells, and those that scroll. --pictures saves a screenshot of each page
in each mode. tools/check_pages.py has the checks that need no browser.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    FloatRect,
    Page,
    Request,
    ViewportSize,
    sync_playwright,
)

from rbnotes.ledger.errata_pdf import BROWSERS, find_browser

NO_BROWSER = f"none of {', '.join(BROWSERS)} is installed (on Debian: apt-get install chromium)"
ROOT = Path(__file__).resolve().parent.parent
AXE = ROOT / "book" / "_js" / "node_modules" / "axe-core" / "axe.min.js"
# Files may read each other, WebGL runs without a graphics card, pages do not use it, no other host resolves.
FLAGS = [
    "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--hide-scrollbars",
    "--disable-gpu-rasterization", "--disable-gpu-compositing",
    "--allow-file-access-from-files", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]  # fmt: skip
# Faults of the theme and of the bibliography's markup, not of the pages.
FOREIGN_RULES = [
    "aria-allowed-role",
    "aria-deprecated-role",
    "aria-required-children",
    "label-content-name-mismatch",
    "region",
    "summary-name",
]

# Lays out what is out of sight: axe would compare its colors with what else is at its place.
LAY_OUT_ALL = """
async () => {
  document.documentElement.classList.add("whole");
  // displays out of sight are laid out, and can be fitted, from the next frame on
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  dispatchEvent(new Event("resize"));
}
"""
# Measures the layout of a page: faults, and numbers of elements that scroll.
LAYOUT = """
async (firstPicture) => {
  const found = [], phone = innerWidth < 600;
  const all = (selector) =>
    [...document.querySelectorAll(selector)].filter((element) => element.clientWidth > 0);
  const say = (what, elements) => {
    if (elements.length) found.push(`${elements.length} ${what}, such as ${name(elements[0])}`);
  };
  const name = (element) =>
    (element.querySelector("annotation") || element).textContent.trim().replace(/\\s+/g, " ").slice(0, 80);
  const picture = document.querySelector("article :is(figure, .cell_output img)");
  if (!phone && picture && document.querySelector("h1 .section-number")) {
    const down = Math.round(picture.getBoundingClientRect().top + scrollY);
    if (down > firstPicture) found.push(`the first picture is ${down} px down`);
  }
  for (const box of document.querySelectorAll("details")) box.open = true;
  for (const box of document.querySelectorAll(".toggle-hidden")) box.classList.remove("toggle-hidden");
  document.documentElement.classList.add("whole");
  // displays out of sight are laid out, and can be fitted, from the next frame on
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  dispatchEvent(new Event("resize"));
  const formulas = all("div.math .formula"), cells = all("div.cell_input pre");
  const wide = formulas.filter((formula) => formula.scrollWidth > formula.clientWidth);
  const scrolling = cells.filter((cell) => cell.scrollWidth > cell.clientWidth);
  say("formulas are wider than their column", wide.filter((formula) => !phone || formula.tabIndex < 0));
  say("formulas are cut above or below", formulas.filter(
    (formula) => formula.scrollHeight > formula.clientHeight + 1));
  // a box cuts off the bar of a transpose
  say("formulas in the text are cut by a box", [...document.querySelectorAll("span.math")].filter(
    (formula) => getComputedStyle(formula).overflowY !== "visible"));
  if (!phone) say("listings scroll", all("div.highlight pre").filter(
    (listing) => listing.scrollWidth > listing.clientWidth));
  if (!phone) say("tables are wider than their column", all("article table").filter((table) =>
    table.getBoundingClientRect().width > table.parentElement.clientWidth + 1));
  else say("numbers stand beside their formulas", all("div.math:has(> .eqno)").filter((math) =>
    math.querySelector(".eqno").getBoundingClientRect().top + 3
      < math.querySelector(".formula").getBoundingClientRect().bottom));
  say("labels stand beside what they name in a box", all(".admonition dl.claim-fields > dt").filter((label) =>
    label.nextElementSibling.getBoundingClientRect().top + 3 < label.getBoundingClientRect().bottom));
  const counts = { formulas: formulas.length, "wide formulas": wide.length, cells: cells.length,
    "scrolling cells": scrolling.length };
  return { found, counts };
}
"""
FIRST_PICTURE = 850
"""Largest distance of the first picture of a chapter from the top, less than a screen of 900 px [px]."""


@dataclass(frozen=True)
class DisplayMode:
    """Display mode: width of the window [px] and preferences of the reader."""

    name: str
    width: int
    scheme: Literal["light", "dark"] = "light"
    touch: bool = False


DISPLAY_MODES = (
    DisplayMode("light", 1280),
    DisplayMode("dark", 1280, scheme="dark"),
    DisplayMode("phone", 390, touch=True),
)
HEIGHT = 900
"""Height of the window [px]."""
PICTURE = 4000
"""Height of a picture of a page [px]: beyond twice this, Chromium repeats the top of the page."""


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start the installed browser under Playwright, without a download."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=FLAGS)
        yield browser
        browser.close()


@cache
def _context(browser: Browser, mode: DisplayMode, scripts: bool, calm: bool) -> BrowserContext:
    """Return a context for all windows in this mode: a new one would read fonts, styles and scripts again."""
    size: ViewportSize = {"width": mode.width, "height": HEIGHT}
    return browser.new_context(
        viewport=size,
        color_scheme=mode.scheme,
        has_touch=mode.touch,
        java_script_enabled=scripts,
        reduced_motion="reduce" if calm else "no-preference",
    )


@contextmanager
def window(browser: Browser, mode: DisplayMode, *, scripts: bool = True, calm: bool = True) -> Iterator[Page]:
    """Open an empty window in this mode with an empty storage; scenes play by themselves unless `calm`."""
    page = _context(browser, mode, scripts, calm).new_page()
    try:
        yield page
    finally:
        if scripts and page.url.startswith(("file:", "http:")):
            page.evaluate("localStorage.clear()")
        page.close()


def inspect(browser: Browser, mode: DisplayMode, pages: list[Path]) -> tuple[list[str], Counter[str]]:
    """Return the faults of the pages in one mode, and the counts of formulas and cells."""
    faults, counts = [], Counter[str]()
    for path in pages:
        with window(browser, mode) as page:
            page_findings, counted = inspect_one(page, path)
        faults += [f"{path.as_uri()} ({mode.name}): {fault}" for fault in page_findings]
        counts += Counter(counted)
    return faults, counts


def inspect_one(page: Page, path: Path) -> tuple[list[str], dict[str, int]]:
    faults = []

    def on_request(request: Request) -> None:
        if not request.url.startswith(("file:", "data:", "blob:")):
            faults.append(f"requests {request.url}")

    def on_console_message(message: ConsoleMessage) -> None:
        if message.type == "error":
            faults.append(f"console: {message.text}: {message.location['url']}")

    page.on("request", on_request)
    page.on("console", on_console_message)
    page.on("pageerror", lambda error: faults.append(f"console: {error}"))
    page.goto(path.as_uri())
    page.evaluate("() => document.fonts.ready.then(() => null)")
    width = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
    if width[0] > width[1]:
        faults.append(f"wider than the window: {width[0]} px")
    page.evaluate(LAY_OUT_ALL)
    page.add_script_tag(path=AXE)
    rules = {rule: {"enabled": False} for rule in FOREIGN_RULES}
    # Its preload would read the styles again from the wrong folder.
    how = {"rules": rules, "resultTypes": ["violations"], "preload": False}
    report = page.evaluate("(how) => axe.run(document, how)", how)
    for fault in report["violations"]:
        first = fault["nodes"][0]["html"][:200]
        faults.append(f"{fault['id']}: {fault['help']}: {len(fault['nodes'])} times, such as {first}")
    measured = page.evaluate(LAYOUT, FIRST_PICTURE)
    return faults + measured["found"], measured["counts"]


def save_screenshots(browser: Browser, mode: DisplayMode, path: Path, folder: Path) -> None:
    """Save screenshots of a page from top to bottom as folder/page-look-1.png and so on."""
    with window(browser, mode) as page:
        page.goto(path.as_uri())
        page.evaluate("() => document.fonts.ready.then(() => null)")
        height = page.evaluate("document.documentElement.scrollHeight")
        for number, top in enumerate(range(0, height, PICTURE), start=1):
            clip: FloatRect = {
                "x": 0,
                "y": top,
                "width": mode.width,
                "height": min(PICTURE, height - top),
            }
            page.screenshot(path=folder / f"{path.stem}-{mode.name}-{number}.png", clip=clip, full_page=True)


def main() -> int:
    parser = argparse.ArgumentParser(description="Looks at the written pages with a headless Chromium.")
    parser.add_argument(
        "--pages", type=Path, default=ROOT / "_build" / "html", help="folder (default _build/html)"
    )
    parser.add_argument("--only", nargs="+", metavar="NAME", help="only these pages, such as rotations")
    parser.add_argument("--pictures", type=Path, metavar="FOLDER", help="save pictures there")
    args = parser.parse_args()
    folder = args.pages.resolve()
    pages = [
        page for page in sorted((folder / "book").rglob("*.html")) if not args.only or page.stem in args.only
    ]
    if not pages:
        parser.error(f"no such pages in {folder}")
    if find_browser() is None:
        parser.exit(2, f"{NO_BROWSER}\n")
    if args.pictures:
        args.pictures.mkdir(parents=True, exist_ok=True)
    faults = []
    with chromium() as browser:
        for mode in DISPLAY_MODES:
            print(f"{mode.name}: {len(pages)} pages", flush=True)
            messages, counts = inspect(browser, mode, pages)
            faults += messages
            print(*(f"  {count} {what}" for what, count in counts.items()), sep="\n", flush=True)
            if args.pictures:
                for page in pages:
                    save_screenshots(browser, mode, page, args.pictures)
    print(*faults, f"{len(faults)} faults", sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
