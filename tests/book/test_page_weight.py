"""Size limits of pages: measurement, exceptions, and the pages of the book."""

from pathlib import Path

import pytest
from rbnotes_book import execution, page_weight

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "_build" / "html" / "book"


@pytest.mark.parametrize(
    "kind", ["ledger-si-4", "errata-sueda", "conditions-si", "finder", "symbols", "api-se3"]
)
def test_generated_page_above_the_limit_is_a_fault(tmp_path, kind):
    page = tmp_path / f"{kind}.html"
    page.write_text("<p>" * 15_000, encoding="utf-8")
    assert page_weight.faults(page) == []
    page.write_text("<p>" * 15_001, encoding="utf-8")
    assert page_weight.faults(page) == [f"{kind}.html has 15001 elements, more than 15000"]
    page.write_text("x" * 1_500_001, encoding="utf-8")
    assert page_weight.faults(page) == [f"{kind}.html has 1.5 MB, more than 1.5"]


def test_chapters_have_a_limit_of_elements_only(tmp_path):
    page = tmp_path / "rotations.html"
    page.write_text("<p>" * 15_001, encoding="utf-8")
    assert page_weight.faults(page) == ["rotations.html has 15001 elements, more than 15000"]
    page.write_text("x" * 1_500_001, encoding="utf-8")
    assert page_weight.faults(page) == []


def test_unused_elements_are_removed():
    body = (
        '<code><span class="pre">a</span> <span class="pre">b</span></code><td><p>m <b>x</b></p></td>'
        "<td><p>one</p><p>two</p></td><td></td><p>p</p>"
    )
    assert page_weight.without_redundant_elements(body) == (
        "<code>a b</code><td>m <b>x</b></td><td><p>one</p><p>two</p></td><td></td><p>p</p>"
    )


def test_tokens_in_the_color_of_the_text_are_no_elements():
    listing = '<div class="highlight"><pre><span class="n">a</span> <span class="mi">1</span></pre></div>'
    body = f'<span class="n">sig</span>{listing}'
    assert page_weight.without_plain_tokens(body) == body.replace('<span class="n">a</span>', "a")


def test_all_pages_of_the_book_are_below_the_limit():
    pages = sorted(PAGES.rglob("*.html"))
    names = {path.stem for path in pages}
    assert names.issuperset(chapter.stem for chapter in execution.chapters(ROOT))
    assert all(any(name.startswith(kind) for name in names) for kind in page_weight.GENERATED)
    assert [fault for path in pages for fault in page_weight.faults(path)] == []
