"""Convert an HTML page to Markdown with TeX between dollars, for notebooks: text and positions of code cells.

The input is the page, not its source, so that it contains the numbers of equations, badges, links and the
output of directives.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache

from bs4 import BeautifulSoup
from bs4.element import NavigableString, PageElement, Tag

from rbnotes_book import openings
from rbnotes_book.node import SCRIPTS

SKIPPED = {"script", "style", "nav", "noscript", "button", "form"}
CELL = "cell"


@dataclass
class Text:
    """Text between code cells.

    Attributes
    ----------
    markdown
        Text in Markdown.
    pictures
        Attachments: name, then media type and base64.
    """

    markdown: str
    pictures: dict[str, dict[str, str]] = field(default_factory=dict)


@dataclass(frozen=True)
class Code:
    """Position of the next code cell."""

    in_solution: bool


@cache
def _macros() -> tuple[tuple[re.Pattern[str], str], ...]:
    macros: dict[str, str] = json.loads((SCRIPTS / "macros.json").read_text(encoding="utf-8"))
    grouped = {name: text if text[0] == "{" else f"{{{text}}}" for name, text in macros.items()}
    return tuple((re.compile(re.escape(name) + r"(?![A-Za-z])"), text) for name, text in grouped.items())


def expand_macros(tex: str) -> str:
    """Expand the book's own TeX macros, which a notebook does not know."""
    for name, text in _macros():
        tex = name.sub(text.replace("\\", r"\\"), tex)
    return tex.strip()


SPAN = re.compile(r"<span\b|</span>")
DRAWING = re.compile(r'<div class="picture" role="img" aria-label="([^"]*)".*?</div>', re.DOTALL)
"""Drawings of :mod:`rbnotes_book.drawing`: their labels need the style of the page; a notebook has none."""


def _light(html: str) -> str:
    """Return the page with only the TeX of each formula, because KaTeX's output is most of a page."""
    parts = []
    at = 0
    while (start := html.find('<span class="katex">', at)) >= 0:
        depth, end = 0, start
        while True:
            match = SPAN.search(html, end)
            assert match is not None, "a formula that does not end"
            depth, end = depth + (1 if match[0] == "<span" else -1), match.end()
            if depth == 0:
                break
        annotation = re.search("<annotation.*</annotation>", html[start:end], re.DOTALL)
        assert annotation is not None, f"a formula without its TeX: {html[start:end][:200]}"
        parts += [html[at:start], annotation[0]]
        at = end
    return "".join([*parts, html[at:]])


def article(page: str) -> Tag:
    """Return the text of a page without the theme around it."""
    start = page.index("<article")
    text = DRAWING.sub(r"<p><em>Drawn on the page of this chapter: \1</em></p>", page[start:])
    light = _light(text[: text.index("</article>")])
    element = BeautifulSoup(light, "html.parser").find("article")
    assert isinstance(element, Tag)
    return element


def parts(body: Tag, link: Callable[[str], str]) -> list[Text | Code]:
    """Return text and code cells of a page in order; ``link`` converts addresses for a notebook."""
    return _Writer(link).parts(body)


def _classes(tag: Tag) -> set[str]:
    return set(tag.get_attribute_list("class"))


class _Writer:
    def __init__(self, link: Callable[[str], str]) -> None:
        self.link = link
        self.pictures: dict[str, dict[str, str]] = {}

    def parts(self, body: Tag) -> list[Text | Code]:
        parts: list[Text | Code] = []
        for block in self._blocks(body):
            if isinstance(block, Code):
                parts.append(block)
                continue
            if not parts or isinstance(parts[-1], Code):
                parts.append(Text("", self.pictures))
            last = parts[-1]
            assert isinstance(last, Text)
            last.markdown = f"{last.markdown}\n\n{block}".strip()
        for part in parts:
            if isinstance(part, Text):
                text = part.markdown
                part.pictures = {
                    name: data for name, data in self.pictures.items() if f"attachment:{name})" in text
                }
        return parts

    def _blocks(self, tag: Tag) -> Iterator[str | Code]:
        """Yield the blocks of Markdown and cells in a tag; loose text becomes a paragraph."""
        loose: list[str] = []
        for child in tag.children:
            if isinstance(child, Tag) and child.name not in INLINE:
                yield from self._paragraph(loose)
                if child.name not in SKIPPED:
                    yield from self._block(child)
            else:
                loose.append(self._inline(child))
        yield from self._paragraph(loose)

    @staticmethod
    def _paragraph(loose: list[str]) -> Iterator[str]:
        text = re.sub(r"\s+", " ", "".join(loose)).strip()
        loose.clear()
        if text:
            yield text

    def _block(self, tag: Tag) -> Iterator[str | Code]:
        classes = _classes(tag)
        if openings.PICTURE in classes:
            return  # its cell follows
        if openings.CODE in classes:
            yield from (Code(in_solution=False) for _ in tag.find_all(class_=CELL))
        elif CELL in classes:
            solution = tag.find_parent(class_="solution") is not None
            yield Code(in_solution=solution)
        elif re.fullmatch("h[1-6]", tag.name):
            yield "#" * int(tag.name[1]) + " " + self._line(tag)
        elif "math" in classes:
            yield self._display(tag)
        elif any(name.startswith("highlight-") for name in classes) or tag.name == "pre":
            yield self._listing(tag)
        elif tag.name in ("ul", "ol"):
            yield self._list(tag)
        elif tag.name == "dl":
            yield from self._definitions(tag)
        elif tag.name == "table":
            yield self._table(tag)
        elif "admonition" in classes:
            yield from self._admonition(tag)
        elif tag.name == "details":
            yield from self._details(tag)
        elif tag.name == "hr":
            yield "---"
        else:
            yield from self._blocks(tag)

    def _line(self, tag: Tag) -> str:
        return re.sub(r"\s+", " ", "".join(map(self._inline, tag.children))).strip()

    def _inline(self, node: PageElement) -> str:
        if not isinstance(node, Tag):
            text = str(node) if type(node) is NavigableString else ""  # no comments
            return re.sub(r"([\\`*_$\[\]<])", r"\\\1", text)
        classes = _classes(node)
        if node.name in SKIPPED or "headerlink" in classes:
            return ""
        if "math" in classes:
            return f"${self._tex(node)}$"
        if node.name in ("img", "svg"):
            return self._picture(node)
        inner = "".join(map(self._inline, node.children))
        if node.name == "a" and node.get("href"):
            before, after = (" " if edge.isspace() else "" for edge in (inner[:1], inner[-1:]))
            return f"{before}[{inner.strip()}]({self.link(str(node['href']))}){after}"
        if node.name == "code":
            return f"`{node.get_text()}`"
        mark = {"em": "*", "i": "*", "cite": "*", "strong": "**", "b": "**"}.get(node.name, "")
        return f"{mark}{inner}{mark}" if inner.strip() else inner

    @staticmethod
    def _tex(tag: Tag) -> str:
        note = tag.find("annotation")
        assert note is not None, f"a formula without its TeX: {tag}"
        return expand_macros(note.get_text())

    def _display(self, tag: Tag) -> str:
        number = tag.find(class_="eqno")
        label = ""
        if number is not None:
            label = rf" \tag{{{re.sub(r'[^A-Za-z0-9. ]', '', number.get_text()).strip()}}}"
        verdict = tag.find("a", class_="on-paper")
        link = f"\n\n{self._inline(verdict)}" if verdict is not None else ""
        return f"$$\n{self._tex(tag)}{label}\n$$" + link

    def _picture(self, tag: Tag) -> str:
        """Attach a drawing, and link a picture file where it is."""
        if tag.name == "img":
            return f"![{tag.get('alt') or ''}]({self.link(str(tag['src']))})"
        title = tag.find("title")
        words = title.get_text() if title is not None else str(tag.get("aria-label") or "")
        name = f"drawing-{len(self.pictures) + 1}.svg"
        self.pictures[name] = {"image/svg+xml": base64.b64encode(str(tag).encode()).decode()}
        return f"![{words}](attachment:{name})"

    @staticmethod
    def _listing(tag: Tag) -> str:
        language = next((name[10:] for name in _classes(tag) if name.startswith("highlight-")), "")
        language = {"default": "", "none": "", "ipython3": "python"}.get(language, language)
        return f"```{language}\n{tag.get_text().strip()}\n```"

    def _list(self, tag: Tag) -> str:
        items = []
        for number, item in enumerate(tag.find_all("li", recursive=False), start=1):
            mark = f"{number}. " if tag.name == "ol" else "- "
            text = "\n\n".join(str(block) for block in self._blocks(item) if not isinstance(block, Code))
            items.append(mark + text.replace("\n", "\n" + " " * len(mark)))
        return "\n".join(items)

    def _definitions(self, tag: Tag) -> Iterator[str | Code]:
        for child in tag.find_all(["dt", "dd"], recursive=False):
            if child.name == "dt":
                yield f"**{self._line(child)}**"
            else:
                yield from self._blocks(child)

    def _table(self, tag: Tag) -> str:
        rows = [
            [self._line(cell).replace("|", r"\vert ") for cell in row.find_all(["th", "td"])]
            for row in tag.find_all("tr")
        ]
        if not rows:
            return ""
        lines = ["| " + " | ".join(row) + " |" for row in rows]
        lines.insert(1, "|" + " --- |" * len(rows[0]))
        return "\n".join(lines)

    def _admonition(self, tag: Tag) -> Iterator[str | Code]:
        """Quote an admonition, unless it contains cells, which cannot stand in a quotation."""
        title = tag.find(class_="admonition-title")
        words = self._line(title) if isinstance(title, Tag) else ""
        if isinstance(title, Tag):
            title.extract()
        blocks = list(self._blocks(tag))
        if "solution" in _classes(tag):
            yield f"<details><summary>{words}</summary>\n\n" if not _cells(blocks) else f"**{words}**"
            yield from blocks
            if not _cells(blocks):
                yield "</details>"
        elif _cells(blocks):
            yield f"**{words}**"
            yield from blocks
        else:
            quoted = "\n\n".join([f"**{words}**", *map(str, blocks)])
            yield "\n".join(f"> {line}".rstrip() for line in quoted.split("\n"))

    def _details(self, tag: Tag) -> Iterator[str | Code]:
        summary = tag.find("summary")
        if isinstance(summary, Tag):
            yield f"**{self._line(summary)}**"
            summary.extract()
        yield from self._blocks(tag)


INLINE = {
    "a", "abbr", "b", "br", "cite", "code", "em", "i", "img", "kbd", "mark", "q", "small", "span", "strong",
    "sub", "sup", "svg",
}  # fmt: skip


def _cells(blocks: list[str | Code]) -> bool:
    return any(isinstance(block, Code) for block in blocks)
