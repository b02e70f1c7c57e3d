"""Extend the search: prose without TeX, excerpts that need no server, and the numbers of the notes.

Sphinx's own search stays. Its index leaves out formulas (KaTeX writes each three times) and the code on
generated pages. ``search-notes.js`` adds the entries of a number, and the excerpts; ``search-slips.js``
corrects typing errors if there is no result; ``book/_search/scorer.js`` defines the order of the results.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import IO, Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.search import IndexBuilder, WordStore

from rbnotes.ledger.tex_to_text import formula_to_text

SCRIPTS = ("displays.js", "excerpts.js", "search-words.js", "search-notes.js", "search-slips.js")
SKIPPED = (nodes.comment, nodes.raw, nodes.math, nodes.math_block, nodes.literal_block)
MAX_EXCERPT_LENGTH = 8000
"""Letters of a page's section that are kept for excerpts."""
BEFORE, AFTER = "window.rbnotesExcerpts = ", ";\n"


def _words(self: IndexBuilder, doctree: nodes.document) -> WordStore:
    """Return the words of a page without formulas and code."""
    store = WordStore()

    def visit(node: nodes.Node) -> None:
        if isinstance(node, SKIPPED):
            return
        if isinstance(node, nodes.Text):
            store.words.extend(self.lang.split(node.astext()))
        elif isinstance(node, nodes.title):
            title, ids = node.astext(), node.parent["ids"]
            store.titles.append((title, ids[0] if ids else None))
            store.title_words.extend(self.lang.split(title))
        for child in node.children:
            visit(child)

    visit(doctree)
    return store


_load_without_entries = IndexBuilder.load


def _load(self: IndexBuilder, stream: IO[str], format: Any) -> None:
    """Load the index of the previous build with the entries of index directives, which Sphinx drops."""
    text = stream.read()
    _load_without_entries(self, StringIO(text), format)
    index = format.loads(text)
    for entry, locations in index["indexentries"].items():
        for page, anchor, is_main in locations:
            name = index["docnames"][page]
            if name in self.env.found_docs:
                self._index_entries.setdefault(name, []).append((entry, anchor, "main" if is_main else ""))


def prose(node: nodes.Node) -> Iterator[str]:
    """Yield the text of an excerpt: inline formulas as TeX, without displays, code and outputs."""
    if isinstance(node, nodes.math):
        yield formula_to_text(node.astext())
    elif isinstance(node, nodes.Text):
        yield str(node)
    elif isinstance(node, (*SKIPPED, addnodes.pending_xref, nodes.section)):
        return
    else:
        for child in node.children:
            yield from prose(child)
        if isinstance(node, nodes.TextElement | nodes.entry) and not isinstance(node, nodes.Inline):
            yield " "


def excerpts(doctree: nodes.document) -> list[list[str]]:
    """Return anchor and text of each section of a page."""
    result = []
    for section in doctree.findall(nodes.section):
        text = " ".join("".join(part for child in section for part in prose(child)).split())
        result.append([section["ids"][0] if section["ids"] else "", text[:MAX_EXCERPT_LENGTH]])
    return result


def _collect(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    texts: dict[str, list[list[str]]] = app.env.__dict__.setdefault("rbnotes_texts", {})
    texts[docname] = excerpts(doctree)


def _write(app: Sphinx, exception: Exception | None) -> None:
    if exception is None and app.builder.format == "html":
        file = Path(app.outdir) / "_static" / "excerpts.js"
        # Only rewritten pages are collected; the others keep their texts.
        all_texts = _previous_texts(file) | getattr(app.env, "rbnotes_texts", {})
        texts = {name: all_texts[name] for name in sorted(app.env.found_docs & set(all_texts))}
        text = json.dumps(texts, ensure_ascii=False, separators=(",", ":"))
        file.write_text(f"{BEFORE}{text}{AFTER}", encoding="utf-8")


def _previous_texts(file: Path) -> dict[str, list[list[str]]]:
    """Return the excerpts of the previous build."""
    if not file.exists():
        return {}
    text = file.read_text(encoding="utf-8")
    texts: dict[str, list[list[str]]] = json.loads(text.removeprefix(BEFORE).removesuffix(AFTER))
    return texts


def _load_script(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    if pagename == "search":
        for script in SCRIPTS:
            app.add_js_file(script)


def setup(app: Sphinx) -> None:
    # Sphinx has no hook for the words that it collects, so two methods are replaced.
    IndexBuilder._word_collector = _words  # type: ignore[method-assign]  # no hook
    IndexBuilder.load = _load  # type: ignore[method-assign]  # no hook
    app.connect("doctree-resolved", _collect)
    app.connect("html-page-context", _load_script)
    app.connect("build-finished", _write)
