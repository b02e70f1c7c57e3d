"""{drawing} name: insert a schematic drawing of :mod:`rbnotes_book.drawings` into the page.

The picture is SVG inside the page, so that it takes the page's colors; its labels are formulas like those of
the text. The option ``alt`` is the alt text, the content is the caption.
"""

from __future__ import annotations

import html
import re
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from rbnotes_book import formulas
from rbnotes_book.drawings import DRAWINGS
from rbnotes_book.drawings.pen import WIDTH, Label, Pen

logger = logging.getLogger(__name__)


def markup(text: str) -> str:
    """Return text with formulas between dollars as HTML; ``<br>`` breaks a line."""
    parts = text.split("$")
    return "".join(formulas.typeset(part, display=False) if i % 2 else part for i, part in enumerate(parts))


def _label(label: Label, height: float) -> str:
    left, top = 100 * label.at[0] / WIDTH, 100 * (1 - label.at[1] / height)
    style = f"left:{left:.2f}%;top:{top:.2f}%"
    return f'<span class="label {label.side} {label.color}" style="{style}">{markup(label.text)}</span>'


def picture(pen: Pen, alt: str) -> str:
    """Return the drawing as HTML."""
    labels = "".join(_label(label, pen.height) for label in pen.labels)
    # Formulas contain MathML for screen readers; here the alt text is better.
    labels = re.sub(r'<span class="katex-mathml">.*?</span>', "", labels)
    shape = f"aspect-ratio:{WIDTH:g}/{pen.height:g}"
    return (
        f'<div class="picture" role="img" aria-label="{html.escape(alt)}" style="{shape}">'
        f'{pen.svg()}<span aria-hidden="true">{labels}</span></div>'
    )


class Drawing(SphinxDirective):
    """{drawing} name, with alt text as an option and the caption as content."""

    required_arguments = 1
    has_content = True
    option_spec: ClassVar = {"alt": directives.unchanged_required}

    def run(self) -> list[nodes.Node]:
        name, alt = self.arguments[0], self.options.get("alt", "")
        if name not in DRAWINGS:
            logger.warning("no drawing %r", name, location=self.get_location())
            return []
        if not alt or not self.content:
            logger.warning("drawing %r without alt text or caption", name, location=self.get_location())
            return []
        caption = nodes.container()
        self.state.nested_parse(self.content, self.content_offset, caption)
        drawing = picture(DRAWINGS[name](), alt)
        # A docutils figure would get a number, unlike the other pictures of the book.
        start = nodes.raw("", f'<figure class="drawing">{drawing}<figcaption>', format="html")
        return [start, *caption.children, nodes.raw("", "</figcaption></figure>", format="html")]


def setup(app: Sphinx) -> None:
    app.add_directive("drawing", Drawing)
