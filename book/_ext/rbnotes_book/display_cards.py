"""Verdicts of displays: a button beside the number of a display opens a card with the print and the evidence.

The card is a popover, which works without scripts and closes on Esc. On paper a link to the entry replaces
it. A badge of the same display in the text before or after it would repeat the verdict, and is removed.
"""

from __future__ import annotations

import html
import re

from docutils import nodes
from sphinx.application import Sphinx

from rbnotes.ledger import Record
from rbnotes.ledger.record import NEEDS_CORRECTION
from rbnotes_book import claims, equations, formulas

CODE = re.compile("`([^`]*)`")


def record_of(label: str) -> Record | None:
    """Return the record with the worst verdict of the display with a label of the notes."""
    display = equations.display_of(label)
    records = claims.records_of_claim(display) if display else []
    return claims.worst(records) if records else None


def _paragraphs_beside(block: nodes.math_block) -> list[nodes.paragraph]:
    """Return the paragraph that introduces a display, perhaps with others before it, and the one after it."""
    siblings = block.parent.children
    position = siblings.index(block)
    result = []
    for step, between in ((-1, nodes.target | nodes.math_block), (1, nodes.target)):
        index = position + step
        while 0 <= index < len(siblings) and isinstance(siblings[index], between):
            index += step
        if 0 <= index < len(siblings) and isinstance(siblings[index], nodes.paragraph):
            result.append(siblings[index])
    return result


def _is_badge(node: nodes.Node | None) -> bool:
    return isinstance(node, nodes.inline) and "claim" in node["classes"]


def _is_comma(node: nodes.Node | None) -> bool:
    return isinstance(node, nodes.Text) and node.strip() == ","


def _is_anchor(node: nodes.Node | None) -> bool:
    return isinstance(node, nodes.inline) and not node.children


def remove_badge(badge: nodes.inline) -> None:
    """Remove a badge from its sentence with the space or the comma before it; its anchor stays."""
    parent = badge.parent
    index = parent.index(badge)
    first = index  # of the badge and the anchors of badges removed before it
    while first and _is_anchor(parent[first - 1]):
        first -= 1
    before = parent[first - 1] if first else None
    after = parent[index + 1] if index + 1 < len(parent) else None
    badge.clear()
    badge["classes"].remove("claim")
    kept = [badge] if badge["ids"] else []
    # Slices are replaced by position, because equal texts are equal nodes.
    if _is_comma(after) and index + 2 < len(parent) and _is_badge(parent[index + 2]):
        parent[index : index + 2] = kept
    elif _is_comma(before) and first > 1 and _is_badge(parent[first - 2]):
        parent[first - 1 : index + 1] = [*parent[first:index], *kept]
    elif isinstance(before, nodes.Text) and (after is None or re.match(r"[\s.,:;)]", after.astext())):
        text = before.astext().rstrip()
        anchors = [*parent[first:index], *kept]
        parent[first - 1 : index + 1] = [nodes.Text(text), *anchors] if text else anchors
    else:
        parent[index : index + 1] = kept


def _remove_badges(app: Sphinx, doctree: nodes.document) -> None:
    for block in doctree.findall(nodes.math_block):
        display = equations.display_of(block.get("label") or "")
        if display is None:
            continue
        for paragraph in _paragraphs_beside(block):
            for badge in list(paragraph.findall(nodes.inline)):
                if _is_badge(badge) and badge.get("claim") == display:
                    remove_badge(badge)


def prose(text: str) -> str:
    """Return a sentence of a record, with TeX between dollars and code between backquotes, as HTML."""
    parts = text.split("$")
    parts[::2] = (CODE.sub(r"<code>\1</code>", html.escape(part)) for part in parts[::2])
    parts[1::2] = (formulas.mathml(part, display=False) for part in parts[1::2])
    return "".join(parts)


def card(record: Record, identifier: str, entry: str) -> str:
    """Return a button with its card; ``entry`` is the address of the record's entry in the ledger."""
    word = "corrected" if record.verdict in NEEDS_CORRECTION else claims.WORDS[record.verdict]
    place = claims.place_in_notes(record).partition(", part ")[0]
    style = f"verdict verdict-{record.verdict}"
    verdict = f'<span class="{style}">{claims.WORDS[record.verdict]}</span>'
    meaning = claims.MEANING[record.verdict]
    lines = [
        f"<p><strong>{html.escape(place)}</strong> {html.escape(record.title)}</p>",
        f"<p>{verdict} {html.escape(meaning[:1].upper() + meaning[1:])}.</p>",
    ]
    if record.verdict in NEEDS_CORRECTION and record.formula:
        lines.append(f"<p>In print: {formulas.typeset_text(record.formula, formulas.mathml)}</p>")
    if record.condition:
        lines.append(f"<p>Holds if {prose(record.condition)}</p>")
    if record.oracle:
        lines.append(f"<p>{prose(record.oracle)}</p>")
    lines.append(f'<p><a href="{entry}">Full entry in the ledger</a></p>')
    return (
        f'<button type="button" class="{style}" popovertarget="{identifier}" '
        f'aria-label="{word}: verdict of {html.escape(place)}">{word}</button>'
        f'<a class="{style} on-paper" href="{entry}">{word}</a>'
        f'<div class="display-card" id="{identifier}" popover>{"".join(lines)}</div>'
    )


def _add_cards(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    entries = app.env.get_domain("ledger").data["entry"]
    for block in doctree.findall(nodes.math_block):
        record = record_of(block.get("label") or "")
        if record is not None and record.id in entries and app.builder.format == "html":
            page, anchor = entries[record.id]
            entry = f"{app.builder.get_relative_uri(docname, page)}#{anchor}"
            block["beside_number"] = card(record, f"card-{nodes.make_id(block['label'])}", entry)


def setup(app: Sphinx) -> None:
    app.connect("doctree-read", _remove_badges)
    app.connect("doctree-resolved", _add_cards)
