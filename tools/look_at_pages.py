"""Looks at the written pages with a headless Chromium, in light, in dark and at the width of a phone.

    python tools/look_at_pages.py [--pages FOLDER] [--only NAME ...] [--pictures FOLDER]

Reported are: what axe-core finds inaccessible, pages wider than their window, requests to other hosts,
errors on the console, and faults of the layout: formulas and tables wider than their column, formulas cut by
a box, code that scrolls, numbers beside formulas on a phone, labels beside formulas in boxes, first pictures
far down. How many formulas and cells there are, and how many of them scroll, is counted. With --pictures each
page is photographed in each look. This needs a browser, so it is not part of `make test`;
tools/check_pages.py checks what can be checked without one.
"""

from __future__ import annotations

import argparse
import html
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from rbnotes.ledger.errata_pdf import BROWSERS, browser

ROOT = Path(__file__).resolve().parent.parent
AXE = ROOT / "book" / "_js" / "node_modules" / "axe-core" / "axe.min.js"
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
    "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--hide-scrollbars", "--allow-file-access-from-files", "--enable-logging=stderr",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]  # fmt: skip
# faults of the theme and of the bibliography's markup, not of the pages
FOREIGN_RULES = [
    "aria-allowed-role",
    "aria-deprecated-role",
    "aria-required-children",
    "label-content-name-mismatch",
    "region",
    "summary-name",
]

# Measures the layout of a page: what is at fault, and how much of what scrolls.
LAYOUT = """
function layout(page) {
  const found = [], doc = page.document, phone = page.innerWidth < 600;
  const all = (selector) => [...doc.querySelectorAll(selector)].filter((element) => element.clientWidth > 0);
  const say = (what, elements) => {
    if (elements.length) found.push(`${elements.length} ${what}, such as ${name(elements[0])}`);
  };
  const name = (element) =>
    (element.querySelector("annotation") || element).textContent.trim().replace(/\\s+/g, " ").slice(0, 80);
  const picture = doc.querySelector("article :is(figure, .cell_output img)");
  if (!phone && picture && doc.querySelector("h1 .section-number")) {
    const down = Math.round(picture.getBoundingClientRect().top + page.scrollY);
    if (down > FIRST_PICTURE) found.push(`the first picture is ${down} px down`);
  }
  for (const box of doc.querySelectorAll("details")) box.open = true;
  for (const box of doc.querySelectorAll(".toggle-hidden")) box.classList.remove("toggle-hidden");
  page.dispatchEvent(new page.Event("resize"));
  const formulas = all("div.math .formula"), cells = all("div.cell_input pre");
  const wide = formulas.filter((formula) => formula.scrollWidth > formula.clientWidth);
  const scrolling = cells.filter((cell) => cell.scrollWidth > cell.clientWidth);
  say("formulas are wider than their column", wide.filter((formula) => !phone || formula.tabIndex < 0));
  say("formulas are cut above or below", formulas.filter(
    (formula) => formula.scrollHeight > formula.clientHeight + 1));
  // a box cuts off the bar of a transpose
  say("formulas in the text are cut by a box", [...doc.querySelectorAll("span.math")].filter(
    (formula) => page.getComputedStyle(formula).overflowY !== "visible"));
  if (!phone) say("cells have code that scrolls", scrolling);
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
FIRST_PICTURE = 1200
"""How far down the first picture of a chapter may stand: a screen of 900 px and a third [px]."""

# Shows one page after the other in a frame and writes what it finds into the document.
INSPECTOR = """
<!doctype html><body style="margin:0"><iframe style="border:0; width:WIDTHpx; height:900px"></iframe>
<script>
LAYOUT
const frame = document.querySelector("iframe");
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
async function inspect(address) {
  await new Promise((resolve) => { frame.onload = resolve; frame.src = address; });
  await wait(400);
  const page = frame.contentWindow, root = page.document.documentElement, faults = [];
  if (root.scrollWidth > root.clientWidth) faults.push(`wider than the window: ${root.scrollWidth} px`);
  for (const { name } of page.performance.getEntriesByType("resource"))
    if (!name.startsWith("file:") && !name.startsWith("data:")) faults.push(`requests ${name}`);
  await new Promise((resolve) => {
    const script = page.document.createElement("script");
    script.src = AXE; script.onload = resolve; page.document.head.append(script);
  });
  const rules = Object.fromEntries(FOREIGN_RULES.map((rule) => [rule, { enabled: false }]));
  const { violations } = await page.axe.run(page.document, { rules, resultTypes: ["violations"] });
  for (const { id, help, nodes } of violations)
    faults.push(`${id}: ${help}: ${nodes.length} times, such as ${nodes[0].html.slice(0, 200)}`);
  const { found, counts } = layout(page);
  return { faults: [...faults, ...found], counts };
}
(async () => {
  const found = {};
  for (const page of PAGES) found[page] = await inspect(page)
    .catch((error) => ({ faults: [String(error)], counts: {} }));
  document.body.textContent = "FOUND" + JSON.stringify(found) + "END";
})();
</script>
"""


@dataclass(frozen=True)
class Look:
    """A way to look at a page."""

    name: str
    width: int
    flags: tuple[str, ...] = ()


LOOKS = (
    Look("light", 1280),
    Look("dark", 1280, ("--blink-settings=preferredColorScheme=0",)),
    Look("phone", 390),
)


def browse(
    look: Look, document: str, *flags: str, address: str | None = None
) -> subprocess.CompletedProcess[str]:
    """Open a document of ours in a fresh browser, or what a server on this machine has at an address."""
    program = browser()
    if program is None:
        sys.exit(f"none of {', '.join(BROWSERS)} is installed")
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        page.write_text(document, encoding="utf-8")
        command = [program, *FLAGS, *look.flags, f"--user-data-dir={folder}/profile", *flags]
        command.append(address or page.as_uri())
        return subprocess.run(command, capture_output=True, text=True, timeout=600, check=True)


def inspect(look: Look, pages: list[Path]) -> tuple[list[str], Counter[str]]:
    """Faults of the pages in one look, and how many formulas and cells there are and scroll."""
    document = INSPECTOR.replace("LAYOUT", LAYOUT.replace("FIRST_PICTURE", str(FIRST_PICTURE)))
    document = document.replace("FOREIGN_RULES", json.dumps(FOREIGN_RULES)).replace("WIDTH", str(look.width))
    document = document.replace("PAGES", json.dumps([page.as_uri() for page in pages]))
    document = document.replace("AXE", json.dumps(AXE.as_uri()))
    size = f"--window-size={max(look.width, 500)},900"
    run = browse(look, document, size, "--virtual-time-budget=3600000", "--dump-dom")
    found = re.search("FOUND(.*)END", run.stdout, re.DOTALL)
    if found is None:
        return [f"{look.name}: the browser gave no answer\n{run.stderr}"], Counter()
    answers = json.loads(html.unescape(found[1])).items()
    faults = [f"{page} ({look.name}): {fault}" for page, answer in answers for fault in answer["faults"]]
    counts: Counter[str] = sum((Counter(answer["counts"]) for _, answer in answers), Counter())
    console = re.findall(r"CONSOLE.*?\] (.*(?:Uncaught|ERR_|Failed|rror).*)", run.stderr)
    return faults + [f"console ({look.name}): {line}" for line in console], counts


def photograph(look: Look, page: Path, folder: Path, height: int) -> None:
    """Save a picture of a page as folder/page-look.png."""
    target = folder / f"{page.stem}-{look.name}.png"
    frame = (
        f'<iframe src="{page.as_uri()}" style="border:0; width:{look.width}px; height:{height}px"></iframe>'
    )
    document = f'<!doctype html><body style="margin:0">{frame}'
    size = f"--window-size={max(look.width, 500)},{height}"
    browse(look, document, size, "--virtual-time-budget=5000", f"--screenshot={target}")


def main() -> int:
    parser = argparse.ArgumentParser(description="Looks at the written pages with a headless Chromium.")
    parser.add_argument(
        "--pages", type=Path, default=ROOT / "_build" / "html", help="folder (default _build/html)"
    )
    parser.add_argument("--only", nargs="+", metavar="NAME", help="only these pages, such as rotations")
    parser.add_argument("--pictures", type=Path, metavar="FOLDER", help="save pictures there")
    parser.add_argument("--height", type=int, default=3000, help="of the pictures [px]")
    args = parser.parse_args()
    folder = args.pages.resolve()
    pages = [
        page for page in sorted((folder / "book").glob("*.html")) if not args.only or page.stem in args.only
    ]
    if not pages:
        parser.error(f"no such pages in {folder}")
    if args.pictures:
        args.pictures.mkdir(parents=True, exist_ok=True)
    faults = []
    for look in LOOKS:
        print(f"{look.name}: {len(pages)} pages", flush=True)
        found, counts = inspect(look, pages)
        faults += found
        print(*(f"  {count} {what}" for what, count in counts.items()), sep="\n", flush=True)
        if args.pictures:
            for page in pages:
                photograph(look, page, args.pictures, args.height)
    print(*faults, f"{len(faults)} faults", sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
