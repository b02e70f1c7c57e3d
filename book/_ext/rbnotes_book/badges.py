"""Warn of badges that stand for a noun or a verb: a badge is an annotation, and a sentence reads without it.

A badge stands for a word if the word before it requires an object, and no display follows.
"""

from __future__ import annotations

import re
from itertools import groupby, takewhile

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging

INCOMPLETE_ENDING = re.compile(
    r"(?:^|\W)(?:a|an|and|as|at|by|for|from|into|of|or|see|than|that|the|was|were|which|with)$", re.IGNORECASE
)
"""Words after which a sentence cannot stop."""
CONTINUED_ENDING = re.compile(r"(?:^|\W)(?:are|in|is|it|on|so|they|this|to|where)$", re.IGNORECASE)
"""Words after which it can stop, but not go on."""

LONGEST_ROW = 2
"""Largest number of badges in a row."""

logger = logging.getLogger(__name__)


def _is_badge(node: nodes.Node) -> bool:
    return isinstance(node, nodes.inline) and "claim" in node["classes"]


def _is_gap(node: nodes.Node) -> bool:
    return _is_badge(node) or (isinstance(node, nodes.Text) and not node.astext().strip(" ,\n"))


def stands_for_a_word(badge: nodes.inline) -> bool:
    """Return True if the sentence around a badge, the first of a row of badges, is incomplete without it."""
    siblings = list(badge.parent.children)
    at = siblings.index(badge)
    gap = list(takewhile(_is_gap, reversed(siblings[:at])))
    if any(_is_badge(node) for node in gap):
        return False
    before = siblings[at - len(gap) - 1] if at > len(gap) else None
    after = "".join(node.astext() for node in siblings[at + 1 :] if not _is_badge(node)).lstrip()
    if not after.strip(" .,:;)\n") and _display_follows(badge.parent):
        return False
    if before is None:
        return bool(after)  # at the beginning of a paragraph there is nothing that it could be about
    if not isinstance(before, nodes.Text):
        return False
    text = before.astext().rstrip()
    return bool(INCOMPLETE_ENDING.search(text) or (CONTINUED_ENDING.search(text) and after[:1].isalnum()))


def _display_follows(paragraph: nodes.Element) -> bool:
    following = paragraph.next_node(descend=False, siblings=True)
    while isinstance(following, nodes.target):
        following = following.next_node(descend=False, siblings=True)
    return isinstance(following, nodes.math_block)


def check(app: Sphinx, doctree: nodes.document) -> None:
    for badge in doctree.findall(nodes.inline):
        if _is_badge(badge) and stands_for_a_word(badge):
            text = " ".join(badge.parent.astext().split())
            logger.warning("a badge stands in the place of a word: %.80s ...", text, location=badge.parent)


def longest_row(paragraph: nodes.Element) -> int:
    """Return the number of badges in the longest row, in which only commas and spaces separate them."""
    rows = (list(row) for is_gap, row in groupby(paragraph.children, _is_gap) if is_gap)
    return max((sum(map(_is_badge, row)) for row in rows), default=0)


def check_rows(app: Sphinx, doctree: nodes.document) -> None:
    """Warn of three badges in a row, which interrupt a sentence."""
    for paragraph in doctree.findall(nodes.paragraph):
        if longest_row(paragraph) > LONGEST_ROW:
            text = " ".join(paragraph.astext().split())
            logger.warning("place these badges beside their statements: %.80s ...", text, location=paragraph)


def setup(app: Sphinx) -> None:
    app.connect("doctree-read", check)
    app.connect("doctree-read", check_rows, priority=900)  # badges beside displays have been removed
