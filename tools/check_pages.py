"""Check the written pages without a browser: they work offline and contain no faults.

    python tools/check_pages.py [folder of the pages, default _build/html]

It reports requests to other hosts, links to missing files or anchors, pictures without alt text, duplicate
anchors on a page, and unresolved formulas and references.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

FETCHED = {  # elements that a browser loads by itself
    "audio": "src", "embed": "src", "iframe": "src", "img": "src", "link": "href", "object": "data",
    "script": "src", "source": "src", "track": "src", "video": "src",
}  # fmt: skip
UNRESOLVED = {"problematic": "unresolved reference", "formula-error": "formula that does not parse"}
CSS_URL = re.compile(r"(?:url\(\s*|@import\s+)['\"]?((?:https?:)?//[^'\")\s]+)")


@dataclass
class Page(HTMLParser):
    """Parser of a page that collects its links, anchors and faults."""

    path: Path
    anchors: set[str] = field(default_factory=set)
    links: list[tuple[int, str]] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()
        self.feed(self.path.read_text(encoding="utf-8"))

    def fault(self, message: str) -> None:
        self.faults.append(f"{self.path}:{self.getpos()[0]}: {message}")

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attributes}
        self._note_anchors(tag, values)
        if tag == "img" and not values.get("alt", "").strip():
            self.fault(f"picture without alt text: {values.get('src', '')[:80]}")
        if tag == "a" and "href" in values:
            self.links.append((self.getpos()[0], values["href"]))
        if tag in FETCHED and FETCHED[tag] in values and values.get("rel") != "canonical":
            self._note_fetched(values[FETCHED[tag]])
        for name in values.get("class", "").split():
            if name in UNRESOLVED:
                self.fault(UNRESOLVED[name])
        for address in CSS_URL.findall(values.get("style", "")):
            self.fault(f"fetches {address}")

    def _note_anchors(self, tag: str, values: dict[str, str]) -> None:
        if id := values.get("id"):
            if id in self.anchors:
                self.fault(f"the anchor {id!r} stands twice")
            self.anchors.add(id)
        if tag == "a" and "name" in values:
            self.anchors.add(values["name"])

    def _note_fetched(self, address: str) -> None:
        if urlsplit(address).netloc:
            self.fault(f"fetches {address}")
        else:
            self.links.append((self.getpos()[0], address))


def check(folder: Path) -> list[str]:
    """Return the faults of all pages and style sheets below a folder, each with file and line."""
    pages = {path: Page(path) for path in sorted(folder.rglob("*.html")) if "_static" not in path.parts}
    faults = [fault for page in pages.values() for fault in page.faults]
    for page in pages.values():
        for line, link in page.links:
            if message := _broken(page, link, pages):
                faults.append(f"{page.path}:{line}: {message}")
    for path in sorted(folder.rglob("*.css")):
        addresses = CSS_URL.findall(path.read_text(encoding="utf-8"))
        faults += [f"{path}: fetches {address}" for address in addresses]
    return faults


def _broken(page: Page, link: str, pages: dict[Path, Page]) -> str | None:
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return None  # another host, or mailto
    target = page.path
    if parts.path:
        target = (page.path.parent / unquote(parts.path)).resolve()
    if not target.is_file():
        return f"link to a file that is not there: {link}"
    anchor = unquote(parts.fragment)
    if anchor and target in pages and anchor not in pages[target].anchors:
        return f"link to an anchor that is not there: {link}"
    return None


def main() -> int:
    default = Path(__file__).parent.parent / "_build" / "html"
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else default
    faults = check(folder.resolve())
    print(*faults, f"{len(faults)} faults in the pages of {folder}", sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
