"""The book itself: every chapter runs, and the pages that `make book` wrote are sound."""

import re
from pathlib import Path

import pytest
from check_pages import check
from nbclient.exceptions import DeadKernelError
from rbnotes_book import execution

ROOT = Path(__file__).parents[2]
CHAPTERS = list(execution.chapters(ROOT))


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
def test_chapter_runs(chapter):
    assert execution.execute(chapter, ROOT).error == ""


def test_kernels_that_do_not_start_are_replaced(monkeypatch):
    starts = []

    def start(notebook, **options):
        starts.append(notebook)
        if len(starts) < notebook:
            raise RuntimeError("Kernel died before replying to kernel_info")
        return "result"

    monkeypatch.setattr(execution, "single_nb_execution", start)
    assert execution._execute_cells(execution.MAX_STARTS, Path()) == "result"
    starts.clear()
    with pytest.raises(RuntimeError, match="Kernel died"):
        execution._execute_cells(execution.MAX_STARTS + 1, Path())


def test_kernels_that_end_in_a_cell_are_not_replaced(monkeypatch):
    def crash(notebook, **options):
        notebook.append("start")
        raise DeadKernelError("Kernel died")

    monkeypatch.setattr(execution, "single_nb_execution", crash)
    starts = []
    with pytest.raises(DeadKernelError):
        execution._execute_cells(starts, Path())
    assert starts == ["start"]


def test_written_pages_have_no_faults():
    pages = ROOT / "_build" / "html"
    assert (pages / "index.html").exists(), "write the pages first: make book"
    assert check(pages) == []


OUTPUT = re.compile(r'<div class="output[ "].*?</div>', re.DOTALL)
UNINTENDED = re.compile(
    r"it raised \w+|np\.float64\(|^\(-?[\d.]+(, -?[\d.]+){3}\)$|object at 0x", re.MULTILINE
)
"""A failed challenge, and representations of results that a cell should not show."""


def test_outputs_show_no_failed_challenges_and_no_representations():
    faults = []
    for page in sorted((ROOT / "_build" / "html" / "book").glob("*.html")):
        for output in OUTPUT.findall(page.read_text(encoding="utf-8")):
            found = UNINTENDED.search(re.sub("<[^>]+>", "", output))
            faults += [f"{page.stem}: {found[0]}"] if found else []
    assert faults == []


def test_every_record_names_a_chapter_of_the_book():
    from rbnotes import ledger

    names = {chapter.stem for chapter in CHAPTERS}
    assert {record.chapter for record in ledger.load()} <= names
