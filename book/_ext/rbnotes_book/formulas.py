"""Typeset formulas with KaTeX during the build: HTML and MathML, without scripts in the page.

A formula that KaTeX cannot read becomes a warning that names the place.
"""

from __future__ import annotations

import atexit
import json
import os
import re
import subprocess
from collections.abc import Callable
from functools import cache
from html import escape

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number
from sphinx.writers.html5 import HTML5Translator

from rbnotes.ledger.section import mark_brackets_in_rows
from rbnotes.ledger.tex_to_text import split_text_and_formulas
from rbnotes_book.node import NODE, SCRIPTS

SERVER = SCRIPTS / "katex_server.js"
MAX_UNBROKEN_LENGTH = 28
"""A formula in the text of so many characters of TeX is kept on one line, and what touches it with it."""
CLOSING_TAGS = 3 * "</span>"
"""With these end the last piece of a formula that is kept on one line, all its pieces, and the formula."""
MATHML = re.compile(r"<math.*</math>", re.DOTALL)
NUMBERING = re.compile(r"\\begin\{(align|alignat|gather|equation|eqnarray|flalign)\}")

STRUT = re.compile(r'class="base" style="--height:([\d.]+)em(?:;--depth:-([\d.]+)em)?')
"""Strut of a box of a formula: its height, and its depth below the baseline [em of KaTeX]."""
KATEX_EM = 1.08
"""Font size of a formula relative to the text, as in book.css."""
LINE_HEIGHT = 1.2
"""Least height of a line of KaTeX [em of KaTeX]."""

TALL = re.compile(r"\\(?:[dt]?frac|begin|sum|int|sqrt)(?![a-zA-Z])")
"""Commands whose results are taller than a line: brackets around them have a size of their own."""

RECORD = "ledger:"
"""Prefix of the source of a node that comes from a record and not from a page."""

logger = logging.getLogger(__name__)


class FormulaError(ValueError):
    """Error of a formula that KaTeX cannot read."""


@cache
def _server() -> subprocess.Popen[str]:
    server = subprocess.Popen(
        [NODE, SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
    )
    # Closes the pipes, upon which the server ends, and waits for that.
    atexit.register(server.__exit__, None, None, None)
    return server


# Processes that share a server would read each other's answers.
os.register_at_fork(after_in_child=_server.cache_clear)


@cache
def typeset(tex: str, *, display: bool) -> str:
    """Return HTML and MathML of a formula.

    Raises
    ------
    FormulaError
        If KaTeX cannot read it; the message says where.
    """
    if NUMBERING.search(tex):
        raise FormulaError(
            "an environment that numbers by itself; write $$ ... $$ (label), or its starred form"
        )
    tex = mark_brackets_in_rows(tex)
    server = _server()
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write(json.dumps({"tex": tex, "display": display}) + "\n")
    server.stdin.flush()
    response = server.stdout.readline()
    if not response:
        raise RuntimeError(f"{SERVER.name} stopped on the formula {tex!r}")
    result: dict[str, str] = json.loads(response)
    if "error" in result:
        raise FormulaError(result["error"])
    return result["html"]


def breakable(tex: str) -> str:
    r"""Return TeX of a formula in the text with breaks inside its brackets, which ``\left(`` forbids.

    Short formulas, and brackets around fractions and matrices, are unchanged.
    """
    if len(tex) <= MAX_UNBROKEN_LENGTH or TALL.search(tex):
        return tex
    result = re.sub(r"\\(?:left|right)(?=[()\[\]])", "", tex)
    return result if not re.search(r"\\(?:left|right)(?![a-zA-Z])", result) else tex


def mathml(tex: str, *, display: bool) -> str:
    """Return the MathML of a formula, which the browser lays out: a third of the elements of KaTeX."""
    [result] = MATHML.findall(typeset(tex, display=display))
    return str(result)


def typeset_text(tex: str, formula: Callable[..., str] = typeset) -> str:
    """Typeset a display, or a sentence with formulas in it."""
    parts = split_text_and_formulas(tex)
    if len(parts) == 1 and not parts[0].is_text:
        return formula(parts[0].content, display=True)
    return "".join(
        escape(part.content) if part.is_text else formula(breakable(part.content), display=False)
        for part in parts
    )


def _typeset_node(translator: HTML5Translator, node: nodes.Element, *, display: bool) -> str:
    tex = node.astext()
    try:
        tex = node.get("marked", tex)
        return typeset(tex if display else breakable(tex), display=display)
    except FormulaError as error:
        from_record = (node.source or "").startswith(RECORD)
        location = node.source if from_record else node
        logger.warning("formula %r: %s", tex, error, location=location, type="formula")
        return f'<code class="formula-error">{translator.encode(tex)}</code>'


def is_short(node: nodes.math) -> bool:
    """Return True if a formula in the text is never broken."""
    return len(node.astext()) <= MAX_UNBROKEN_LENGTH


def visit_math(translator: HTML5Translator, node: nodes.math) -> None:
    html = _typeset_node(translator, node, display=False)
    if "tail" in node and html.endswith(CLOSING_TAGS):
        tail = translator.encode(node["tail"])
        html = f'{html.removesuffix(CLOSING_TAGS)}<span class="tail">{tail}</span>{CLOSING_TAGS}'
    short = " short" if is_short(node) else ""
    translator.body.append(f'<span class="math notranslate nohighlight{short}">{html}</span>')
    raise nodes.SkipNode


def height(html: str) -> float:
    """Return the height of a formula on one line, in em of the text.

    The browser reserves it for a display that is not rendered yet, because it is far from the window.
    """
    boxes = [(float(total), float(depth or 0)) for total, depth in STRUT.findall(html)]
    ascent = max((total - depth for total, depth in boxes), default=0)
    return KATEX_EM * max(LINE_HEIGHT, ascent + max((depth for _, depth in boxes), default=0))


def visit_math_block(translator: HTML5Translator, node: nodes.math_block) -> None:
    html = _typeset_node(translator, node, display=True)
    body = translator.body
    body.append(translator.starttag(node, "div", CLASS="math notranslate nohighlight"))
    reserved = f"contain-intrinsic-height:auto {height(html):.2f}em"
    body.append(f'<div class="formula" style="{reserved}">{html}</div>')
    if node["number"]:
        body.append(f'<span class="eqno">({get_node_equation_number(translator, node)})')
        translator.add_permalink_ref(node, "Link to this equation")
        body.append("</span>")
        body.append(node.get("beside_number", ""))
    body.append("</div>\n")
    raise nodes.SkipNode


def setup(app: Sphinx) -> None:
    app.add_html_math_renderer("katex", (visit_math, None), (visit_math_block, None))
