"""Layout of chapters: line lengths, folded setup, unique labels, sections in one order."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
import yaml
from myst_nb.core.read import read_myst_markdown_notebook
from nbformat import NotebookNode
from rbnotes_book.execution import SYNTAX, chapters

import rbnotes
from rbnotes import ledger

ROOT = Path(__file__).resolve().parents[2]
CHAPTERS = list(chapters(ROOT))
COLUMNS = 80
"""Columns of a code cell on a page of 1280 px without scrolling; tools/inspect_pages.py measures them."""


def cells(chapter: Path) -> list[tuple[int, NotebookNode]]:
    """Yield the line number and the text of each code cell of a chapter."""
    notebook = read_myst_markdown_notebook(
        chapter.read_text(encoding="utf-8"), SYNTAX, add_source_map=True, path=chapter
    )
    starts = notebook.metadata["source_map"]
    return [
        (start + 1, cell)
        for start, cell in zip(starts, notebook.cells, strict=True)
        if cell.cell_type == "code"
    ]


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
def test_code_fits_the_page(chapter: Path) -> None:
    chapter_cells = cells(chapter)
    long = [
        f"{chapter.name}, cell at line {start}: {line}"
        for start, cell in chapter_cells
        for line in cell.source.splitlines()
        if len(line) > COLUMNS
    ]
    # what a cell says of itself, such as the words of a picture, is read in the source
    heads = re.findall(r"(?m)^```\{code-cell\}.*\n---\n((?:.*\n)*?)---$", chapter.read_text(encoding="utf-8"))
    long += [f"{chapter.name}: {line}" for head in heads for line in head.splitlines() if len(line) > COLUMNS]
    assert not long, "lines of more than 80 columns:\n" + "\n".join(long)


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
def test_setup_cells_are_folded(chapter: Path) -> None:
    setup_cells = [cell for _, cell in cells(chapter)]
    if not setup_cells:  # a page without code, such as the front page
        return
    folded = [{"hide-input", "remove-input"} & set(cell.metadata.get("tags", [])) for cell in setup_cells]
    if len(re.findall(r"(?m)^(?:import|from) ", setup_cells[0].source)) > 3:
        assert folded[0], "fold the imports: tags: [hide-input]"
    visible_lengths = [
        len(cell.source.splitlines()) for cell, hidden in zip(setup_cells, folded, strict=True) if not hidden
    ]
    assert len(visible_lengths) < 3 or visible_lengths[0] < max(visible_lengths), (
        "the first code that shows is the longest"
    )


ENDS = ["What the notes got wrong", "Check it yourself", "Summary", "Exercises", "Claims of this chapter"]
"""Last headings of a chapter, in this order; a chapter may lack some, and have others in between."""


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
def test_chapters_end_with_the_same_sections(chapter: Path) -> None:
    headings = re.findall(r"(?m)^## (.+)$", chapter.read_text(encoding="utf-8"))
    ends = [heading for heading in headings if heading in ENDS]
    assert ends == [end for end in ENDS if end in ends]
    last = [end for end in ENDS[2:] if end in ends]
    assert headings[len(headings) - len(last) :] == last


TOC = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
NUMBERED = [
    ROOT / f"{chapter['file']}.md"
    for part in TOC["parts"]
    if part.get("numbered")
    for chapter in part["chapters"]
]
PICTURES = "|".join((r"\{drawing\}", r"\{live\}", r"\{code-cell\}"))


@pytest.mark.parametrize("chapter", NUMBERED, ids=lambda path: path.stem)
def test_chapters_open_with_a_question_and_a_picture(chapter: Path) -> None:
    opening = chapter.read_text(encoding="utf-8").partition("\n## ")[0]
    assert re.search(r"(?m)^\*\*[^*]+\?\*\*", opening), "a question in bold"
    assert re.search(PICTURES, opening), "a picture"
    assert re.search(r"(?m)able to\n\n- ", opening), "what the reader will be able to do"
    assert chapter == NUMBERED[0] or re.search(r"(?m)^You need ", opening), "what the reader needs"


@pytest.mark.parametrize("chapter", NUMBERED, ids=lambda path: path.stem)
def test_chapters_end_with_a_summary(chapter: Path) -> None:
    text = chapter.read_text(encoding="utf-8").partition("\n## Summary\n")[2].partition("\n## ")[0]
    assert 3 <= len(re.findall(r"(?m)^- ", text)) <= 6, "items"
    assert re.search(r"usual mistake|The trap", text), "the usual mistake"
    assert re.search(r"\]\([\w-]+\.md", text), "a link to another chapter"


@pytest.mark.parametrize(("chapter", "following"), list(pairwise(NUMBERED)), ids=lambda path: path.stem)
def test_summaries_link_the_next_chapter(chapter: Path, following: Path) -> None:
    text = chapter.read_text(encoding="utf-8").partition("\n## Summary\n")[2].partition("\n## ")[0]
    assert f"]({following.name}" in text


PROGRAMS = {
    ("qp-and-lcp", "From a quadratic program to an LCP"): "Lloyd 0.3",
    ("contact", "Box friction"): "Lloyd 0.10",
    ("gauss-seidel", "Friction"): "Lloyd 0.16",
    ("stabilization", "One system for a step"): "Sueda (1.78) to (1.80)",
    ("friction", "Contact as a quadratic program in impulses"): "Sueda (1.83), (1.84)",
    ("friction", "The single quadratic program of contact and friction"): "Sueda (1.85) to (1.88)",
    ("friction-in-joints", "Staggered projections"): "Sueda (2.113), (2.114)",
}
"""Sections with the convex programs of contact in the notes."""


@pytest.mark.parametrize(("chapter", "section"), PROGRAMS, ids=lambda name: name)
def test_contact_programs_are_stated_in_cvxpy_and_compared_with_the_library(chapter, section):
    text = (ROOT / "book" / f"{chapter}.md").read_text(encoding="utf-8")
    text = text.partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    *_, after = text.rpartition("cvxpy.Problem(")
    assert "cvxpy.Variable" in text
    assert ".solve(" in after
    assert re.search(r"(?m)^ *assert np\.(allclose|isclose)\(", after)
    if chapter != "qp-and-lcp":  # right as printed
        assert re.search(r"# print.*:", text), "mark the lines that differ from the print"


ALGORITHMS = sorted(
    (record.chapter, record.display) for record in ledger.load() if re.search(r"/alg\d+$", record.display)
)
ALGORITHM = re.compile(r"(?ms)^```\{prf:algorithm\} (.*?)\n(.*?)^```$")


@pytest.mark.parametrize("chapter", sorted({chapter for chapter, _ in ALGORITHMS}))
def test_algorithms_of_the_notes_stand_in_full_with_numbered_lines(chapter):
    text = (ROOT / "book" / f"{chapter}.md").read_text(encoding="utf-8")
    algorithms = ALGORITHM.findall(text)
    displays = {display for name, display in ALGORITHMS if name == chapter}
    assert len(algorithms) >= len(displays)
    for title, body in algorithms:
        numbers = [int(number) for number in re.findall(r"(?m)^(\d+)\. ", body)]
        assert numbers == list(range(1, len(numbers) + 1)), title
        assert len(numbers) >= 2, title
        assert not re.search(r"(?m)^ *- ", body), (title, "lines without numbers")
        assert "corrected" not in title or "*(" in body, (title, "mark the lines that differ from the print")


LABEL = re.compile(r"^\(([\w-]+)\)=$|^:label: (\S+)$", re.MULTILINE)


def test_no_two_pages_have_the_same_label() -> None:
    """Sphinx does not notice it where the pages are read by two processes."""
    labels = Counter(
        target or directive
        for page in sorted((ROOT / "book").glob("*.md"))
        for target, directive in LABEL.findall(page.read_text(encoding="utf-8"))
    )
    assert len(labels) > 100
    assert [label for label, count in labels.items() if count > 1] == []


def test_examples_of_the_reference_fit_the_page() -> None:
    package = Path(rbnotes.__file__).parent
    long = [
        f"{file.relative_to(package)}:{number}: {line}"
        for file in sorted(package.rglob("*.py"))
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1)
        if re.match(r"\s*(>>>|\.\.\.) ", line) and len(line.strip()) > COLUMNS
    ]
    assert long == []


def test_listings_of_the_package_docstring_fit_the_page() -> None:
    listed = [line[4:] for line in rbnotes.__doc__.splitlines() if re.match(r" {4}\S| {22}\S", line)]
    assert len(listed) > 25
    assert [line for line in listed if len(line) > COLUMNS] == []
