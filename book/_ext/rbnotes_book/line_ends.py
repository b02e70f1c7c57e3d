"""Keep a comma, a bracket or the rest of a word on the line of the formula or badge that it touches.

Browsers may break a line on either side of a box within it, even before a comma; a word joiner forbids it.
After a formula that may itself break, the text becomes part of the formula's last piece. A single short word
of code does not break either.
"""

from __future__ import annotations

from docutils import nodes
from sphinx.application import Sphinx

from rbnotes_book.formulas import is_short

JOINER = "\N{WORD JOINER}"
SHORT_CODE = 12
"""Longest code, in characters, that is not broken at a minus sign."""


def is_box(node: nodes.Node) -> bool:
    """Return True if a node of a line of text is drawn as a box: a formula, a badge, or a link around one."""
    if isinstance(node, nodes.math):
        return True
    if not isinstance(node, nodes.inline | nodes.reference):
        return False
    return "verdict" in node["classes"] or (len(node) == 1 and is_box(node[0]))


def join(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Insert joiners between boxes and the text that touches them, or move the text into the formula."""
    for code in doctree.findall(nodes.literal):
        if len(code.astext()) <= SHORT_CODE and " " not in code.astext():
            code["classes"].append("short")
    for parent in {id(box.parent): box.parent for box in doctree.findall(is_box)}.values():
        children: list[nodes.Node] = []
        for node in parent.children:
            if children and is_box(children[-1]) and isinstance(node, nodes.inline) and not node.children:
                children.insert(-1, node)  # an anchor, which would part a formula from the comma after it
                continue
            if children and _touch(children[-1], node):
                box = children[-1]
                if isinstance(box, nodes.math) and not is_short(box):
                    touching = node.astext().split(maxsplit=1)[0]
                    box["tail"] = touching
                    node = nodes.Text(node.astext().removeprefix(touching))
                else:
                    children.append(nodes.Text(JOINER))
            children.append(node)
        parent.children = []
        parent.extend(children)


def _touch(left: nodes.Node, right: nodes.Node) -> bool:
    """Return True if there is no space between a box and the text beside it."""
    if isinstance(left, nodes.Text):
        return is_box(right) and not left.astext()[-1:].isspace() and left.astext() != ""
    return is_box(left) and isinstance(right, nodes.Text) and right.astext()[:1].strip() != ""


def setup(app: Sphinx) -> None:
    # after links have been resolved
    app.connect("doctree-resolved", join, priority=900)
