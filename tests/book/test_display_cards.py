"""Verdicts of displays: labels, badges that would repeat them, and sentences of cards."""

from types import SimpleNamespace

import pytest
from docutils import nodes
from rbnotes_book import badges, directive, display_cards, equations, line_ends


@pytest.mark.parametrize(
    ("label", "display"),
    [
        ("sueda-1.37", "sueda/s1.9.3/e1.37"),
        ("lloyd-0.45", "lloyd/s0.22.1/e0.45"),
        ("sueda-1.37a", None),
        ("own", None),
    ],
)
def test_labels_name_displays_of_the_notes(label, display):
    assert equations.display_of(label) == display


def sentence(*parts):
    """Return a paragraph; a part ``<name>`` is the badge of a claim with an anchor, ``<>`` the anchor of one
    that was removed.
    """
    paragraph = nodes.paragraph()
    for part in parts:
        if part == "<>":
            paragraph += nodes.inline(ids=["removed"])
        elif part.startswith("<"):
            badge = nodes.inline(
                "", "holds", classes=["claim"], claim=part.strip("<>"), ids=[part.strip("<>")]
            )
            paragraph += badge
        else:
            paragraph += nodes.Text(part)
    return paragraph


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        (("The derivative is ", "<a>"), "The derivative is"),
        (("By the rule ", "<a>", ", it is zero."), "By the rule, it is zero."),
        ((" ", "<a>"), ""),
        (("It is zero ", "<a>", " and one ", "<b>", "."), "It is zero and one holds."),
        (("Both hold ", "<a>", ", ", "<b>", "."), "Both hold holds."),
        (("Both hold ", "<b>", ", ", "<a>", "."), "Both hold holds."),
        (("Both hold ", "<a>", ", ", "<a>", ":"), "Both hold:"),
        (("Both hold ", "<>", "<a>", ":"), "Both hold:"),
        (("All hold ", "<b>", ", ", "<>", "<a>", ":"), "All hold holds:"),
    ],
)
def test_a_sentence_without_a_badge_has_no_gap(parts, text):
    paragraph = sentence(*parts)
    removed = [node for node in paragraph.findall(nodes.inline) if node.get("claim") == "a"]
    for badge in removed:
        display_cards.remove_badge(badge)
    assert paragraph.astext() == text
    assert all(node.astext() for node in paragraph.children if isinstance(node, nodes.Text))
    assert badge["ids"] == ["a"]  # links to the sentence keep their target
    assert badge.parent is paragraph


def test_an_anchor_does_not_part_a_formula_from_its_colon():
    formula, anchor = nodes.math("", "x = 1"), nodes.inline(ids=["a"])
    paragraph = nodes.paragraph("", "", nodes.Text("With "), formula, anchor, nodes.Text(":"))
    line_ends.join(None, paragraph, "rotations")
    assert paragraph.index(anchor) < paragraph.index(formula)
    assert paragraph[-1].astext().endswith(":")
    assert line_ends.JOINER in paragraph.astext()


def test_sentences_of_cards_have_formulas_and_code():
    text = display_cards.prose("$x < 1$ & `solve`")
    assert text.startswith("<math")
    assert text.endswith("</math> &amp; <code>solve</code>")


@pytest.mark.parametrize(("number", "shown"), [("3", "14.3"), ("S 1.37", "S 1.37")])
def test_own_displays_are_numbered_with_their_chapter(number, shown):
    env = SimpleNamespace(toc_secnumbers={"book/a": {"": (14,)}})
    assert equations.number_in_book(env, "book/a", number) == shown
    assert equations.number_in_book(env, "index", number) == number


def test_a_paragraph_before_several_displays_loses_the_badges_of_all():
    paragraph = sentence("The blocks are ", "<lloyd/s0.18/e0.27>", " ", "<lloyd/s0.18/e0.28>", " ", "<other>")
    displays = [nodes.math_block("", "x", label=f"lloyd-0.{number}") for number in (27, 28)]
    document = nodes.container("", paragraph, displays[0], nodes.target(), displays[1])
    display_cards._remove_badges(None, document)
    assert [each["claim"] for each in paragraph.findall(nodes.inline) if "claim" in each["classes"]] == [
        "other"
    ]


@pytest.mark.parametrize(
    ("parts", "length"),
    [
        (("So ", "<a>", " ", "<b>", ", ", "<c>"), 3),
        (("So ", "<a>", " ", "<b>", " and ", "<c>"), 2),
        (("So it is.",), 0),
    ],
)
def test_rows_of_badges_are_counted(parts, length):
    assert badges.longest_row(sentence(*parts)) == length


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("so `we arrive at' (2.123)", "so 'we arrive at' (2.123)"),
        ("The code `f` and the bodies' frames", "The code `f` and the bodies' frames"),
        ("`a` and `b`'s sum", "`a` and `b`'s sum"),
    ],
)
def test_quotations_of_records_are_no_code(text, shown):
    assert directive.replace_tex_quotes(text) == shown
