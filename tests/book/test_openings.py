"""Openings of chapters: the first picture below the question, one folded bar below the picture."""

from pathlib import Path

import pytest
import yaml
from docutils import nodes
from myst_nb.sphinx_ import HideCodeCellNode
from rbnotes_book import openings

GOALS = "You will be able to"


def cell(source, *outputs, hide="input"):
    """Return a cell as myst_nb makes it."""
    code = nodes.container("", nodes.literal_block(source, source), nb_element="cell_code_source")
    result = nodes.container(
        "", code, nb_element="cell_code", hide_mode=hide, prompt_show="Show {type}", prompt_hide="Hide {type}"
    )
    if outputs:
        result += nodes.container("", *outputs, nb_element="cell_code_output")
    return result


def picture():
    return nodes.raw("", "<figure class='rbnotes-scene'></figure>", format="html")


def paragraph(text):
    return nodes.paragraph("", "", nodes.Text(text))


def chapter(*rest, goals=GOALS):
    question = nodes.paragraph("", "", nodes.strong("", "Why?"), nodes.Text(f" Because it is. {goals}"))
    goal_list = nodes.bullet_list("", nodes.list_item("", paragraph("see it.")))
    needed = paragraph("You need nothing.")
    return nodes.section("", nodes.title("", "T"), question, goal_list, needed, *rest, nodes.section())


def shown(section):
    """Return the texts of the parts of a section, and whether each is a folded bar."""
    return [
        (each.astext().replace("\n\n", " | "), bool(list(each.findall(HideCodeCellNode))))
        for each in section.children[1:-1]
    ]


def test_picture_follows_the_question_and_one_bar_has_all_code():
    section = chapter(
        cell("import"),
        paragraph("A ball falls."),
        cell("path", nodes.Text("3 m")),
        cell("scene", nodes.container("", nodes.Text("1 s")), picture()),
    )
    openings.reorder(section)
    assert shown(section) == [
        ("Why? Because it is.", False),
        ("A ball falls.", False),
        ("<figure class='rbnotes-scene'></figure> | 1 s | 3 m", False),
        ("import | path | scene", True),
        (GOALS, False),
        ("see it.", False),
        ("You need nothing.", False),
    ]
    assert not any(each.get("hide_mode") for each in section.findall(nodes.container))


def test_drawing_without_code_moves():
    section = chapter(nodes.container("", picture()), cell("import"))
    openings.reorder(section)
    texts = [text for text, _ in shown(section)]
    assert texts[1:3] == ["<figure class='rbnotes-scene'></figure>", GOALS]
    assert texts[-1] == "import"


@pytest.mark.parametrize(
    "section",
    [
        chapter(cell("import"), cell("visible", hide=None), cell("scene", picture())),
        chapter(cell("scene", picture()), goals="Read on:"),
        chapter(cell("import")),
        nodes.section("", nodes.title("", "T"), paragraph("Text.")),
    ],
    ids=["visible code", "no goals", "no picture", "no question"],
)
def test_other_openings_are_unchanged(section):
    before = section.pformat()
    openings.reorder(section)
    assert section.pformat() == before


ROOT = Path(__file__).parents[2]
NUMBERED = [
    chapter["file"]
    for part in yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))["parts"]
    if part.get("numbered")
    for chapter in part["chapters"]
]


@pytest.mark.parametrize("chapter", NUMBERED, ids=lambda file: Path(file).name)
def test_pages_of_chapters_open_with_question_picture_and_goals(chapter):
    html = (ROOT / "_build" / "html" / f"{chapter}.html").read_text(encoding="utf-8")
    opening = html.split("<article", 1)[1].split("<h2", 1)[0]
    places = [
        min((opening.find(mark) for mark in marks if mark in opening), default=None)
        for marks in (["?</strong>"], ["opening-picture", "<figure", "<svg"], ["You will be able to"])
    ]
    assert None not in places
    assert places == sorted(places)
    assert opening.count("opening-code") == opening.count("opening-picture") <= 1
