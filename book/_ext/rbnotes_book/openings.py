"""Show the first picture of a chapter below its question, and the code that draws it below the picture.

Chapters are written in the order of their execution: question, goals, imports, code, picture. A reader sees
the question, the picture, one folded bar with all code up to the picture, and the goals.
"""

from __future__ import annotations

import re

from docutils import nodes
from myst_nb.sphinx_ import HideCodeCellNode
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

GOALS = re.compile(r"\s*(You will be able to)\s*$")
PICTURE = "opening-picture"
"""Class of the outputs that stand before their cells."""
CODE = "opening-code"
"""Class of the folded bar with the cells."""


class PictureFirst(SphinxPostTransform):
    """Reorder the openings of all chapters of a document."""

    default_priority = 198  # the next one, of myst_nb, folds cells one by one
    formats = ("html",)

    def run(self, **kwargs: object) -> None:
        """Reorder each section that begins with a question and goals."""
        for section in list(self.document.findall(nodes.section)):
            reorder(section)


def reorder(section: nodes.section) -> None:
    """Move the first picture below the question, if only folded cells and text stand before it."""
    opening = [each for each in section.children if not isinstance(each, nodes.section)]
    goals = next((i for i, each in enumerate(opening) if isinstance(each, nodes.bullet_list)), 0)
    question = opening[goals - 1] if goals else None
    last_text = question[-1] if isinstance(question, nodes.paragraph) else None
    match = GOALS.search(last_text.astext()) if isinstance(last_text, nodes.Text) else None
    if question is None or last_text is None or match is None:
        return
    start = goals + 1
    if start < len(opening) and opening[start].astext().startswith("You need"):
        start += 1
    end = next((i for i, each in enumerate(opening) if i >= start and _shows_a_picture(each)), None)
    if end is None or not all(_may_move(each) for each in opening[start : end + 1]):
        return
    moved = opening[start : end + 1]
    for each in moved:
        section.remove(each)
    text = last_text.astext()
    question.replace(last_text, nodes.Text(text[: match.start()]))
    first = [each for each in moved if not _is_cell(each)]
    place = section.index(question) + 1
    section.insert(
        place,
        [
            *(each for each in first if isinstance(each, nodes.paragraph)),
            *(each for each in first if not isinstance(each, nodes.paragraph)),
            *_picture_and_code([each for each in moved if _is_cell(each)]),
            nodes.paragraph("", match[1]),
        ],
    )


def _picture_and_code(cells: list[nodes.Element]) -> list[nodes.Element]:
    """Return the outputs of cells, the last one first, and one folded bar with their inputs."""
    if not cells:
        return []
    outputs: list[nodes.Node] = []
    bar = HideCodeCellNode(
        prompt_show=cells[-1]["prompt_show"].replace("{type}", "source"),
        prompt_hide=cells[-1]["prompt_hide"].replace("{type}", "source"),
        classes=["above-input"],
    )
    for cell in cells:
        del cell["hide_mode"]
        if cell[-1].get("nb_element") == "cell_code_output":
            shown = cell[-1]
            shown.children.sort(key=lambda each: not _shows_a_picture(each))  # and then what is printed
            outputs.insert(0, shown)
            cell.remove(shown)
        bar += cell
    picture = nodes.container("", *outputs, classes=["cell", PICTURE])
    return [picture, nodes.container("", bar, classes=["cell", CODE])]


def _is_cell(node: nodes.Node) -> bool:
    return isinstance(node, nodes.container) and node.get("nb_element") == "cell_code"


def _shows_a_picture(node: nodes.Node) -> bool:
    if isinstance(node, nodes.paragraph):
        return False
    if any(node.findall(nodes.image)):
        return True
    return any("<figure" in each.astext() for each in node.findall(nodes.raw))


def _may_move(node: nodes.Node) -> bool:
    """Return True for text, pictures, and cells that are folded."""
    return not _is_cell(node) or (isinstance(node, nodes.Element) and node.get("hide_mode") == "input")


def setup(app: Sphinx) -> None:
    """Register the transform."""
    app.add_post_transform(PictureFirst)
