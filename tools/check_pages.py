"""Check the written pages without a browser: they work offline and contain no faults.

    python tools/check_pages.py [folder of the pages, default _build/html]

It reports requests to other hosts, links to missing files or anchors, pictures without alt text, duplicate
anchors on a page, and unresolved formulas and references.
"""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit

from lxml import etree

FETCHED = {  # elements that a browser loads by itself
    "audio": "src", "embed": "src", "iframe": "src", "img": "src", "link": "href", "object": "data",
    "script": "src", "source": "src", "track": "src", "video": "src",
}  # fmt: skip
UNRESOLVED = {"problematic": "unresolved reference", "formula-error": "formula that does not parse"}
CSS_URL = re.compile(r"(?:url\(\s*|@import\s+)['\"]?((?:https?:)?//[^'\")\s]+)")


@dataclass
class Page:
    """Links, anchors and faults of a page."""

    path: Path
    anchors: set[str] = field(default_factory=set)
    links: list[tuple[int, str]] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        parser = etree.HTMLParser(encoding="utf-8", huge_tree=True)
        root = etree.parse(self.path, parser).getroot()
        self._read_anchors(root)
        for element in root.iter("img"):
            if not element.get("alt", "").strip():
                self._add_fault(element, f"picture without alt text: {element.get('src', '')[:80]}")
        for element in root.iter("a"):
            if "href" in element.attrib:
                self.links.append((element.sourceline, element.get("href")))
        for element in root.iter(*FETCHED):
            address = element.get(FETCHED[element.tag])
            if address is not None and element.get("rel") != "canonical":
                self._add_fetched(element, address)
        for name, message in UNRESOLVED.items():
            for element in root.xpath(f"//*[contains(@class, '{name}')]"):
                if name in element.get("class").split():
                    self._add_fault(element, message)
        for element in root.xpath("//*[contains(@style, '//')]"):
            for address in CSS_URL.findall(element.get("style")):
                self._add_fault(element, f"fetches {address}")

    def _add_fault(self, element: etree._Element, message: str) -> None:
        self.faults.append(f"{self.path}:{element.sourceline}: {message}")

    def _read_anchors(self, root: etree._Element) -> None:
        for element in root.xpath("//*[@id != '']"):
            id = element.get("id")
            if id in self.anchors:
                self._add_fault(element, f"the anchor {id!r} occurs twice")
            self.anchors.add(id)
        self.anchors.update(root.xpath("//a/@name"))

    def _add_fetched(self, element: etree._Element, address: str) -> None:
        if urlsplit(address).netloc:
            self._add_fault(element, f"fetches {address}")
        else:
            self.links.append((element.sourceline, address))


def check(folder: Path) -> list[str]:
    """Return the faults of all pages and style sheets below a folder, each with file and line."""
    pages = {path: Page(path) for path in sorted(folder.rglob("*.html")) if "_static" not in path.parts}
    faults = [fault for page in pages.values() for fault in page.faults]
    for page in pages.values():
        broken = {link: _broken(page, link, pages) for link in {link for _, link in page.links}}
        faults += [f"{page.path}:{line}: {broken[link]}" for line, link in page.links if broken[link]]
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
        target = Path(os.path.normpath(page.path.parent / unquote(parts.path)))
    if target not in pages and not target.is_file():
        return f"link to a missing file: {link}"
    anchor = unquote(parts.fragment)
    if anchor and target in pages and anchor not in pages[target].anchors:
        return f"link to a missing anchor: {link}"
    return None


def main() -> int:
    default = Path(__file__).parent.parent / "_build" / "html"
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else default
    faults = check(folder.resolve())
    print(*faults, f"{len(faults)} faults in the pages of {folder}", sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
