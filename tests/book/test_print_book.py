"""The book as a PDF: printed parts of a page, and merged chapters."""

import print_book
import pypdf
import pytest
from pypdf.annotations import Link

PAGE = (
    '<html><body><nav>menu</nav><article class="bd-article"><h1>{number}{name}<a class="headerlink" '
    'href="#x">#</a></h1><a href="#here">a</a><a href="two.html#there">b</a><a href="finder.html">c</a>'
    '<a href="https://example.org">d</a><details class="hide"><summary>s</summary>code</details>'
    '<figure><script type="application/json">1</script><noscript><svg></svg></noscript></figure></article>'
)


def test_printed_page_is_unfolded_and_links_printed_pages():
    page = PAGE.format(number='<span class="section-number">1. </span>', name="One")
    text = print_book.article(page, "book/one", {"book/one", "book/two"})
    assert 'href="#here"' in text
    assert f'href="{print_book.HOST}book/two"' in text
    assert "finder" not in text
    assert "https://example.org" in text
    assert '<details open class="hide">' in text
    assert "<figure><svg></svg></figure>" in text
    assert "menu" not in text
    assert print_book.strip_markup(print_book.title(page)) == "1. One"


def test_errata_of_sections_follow_their_table(tmp_path):
    rows = ("si-1.9.html#a", "si-1.10.html#b", "si-1.9.html#c", "lloyd-1.html#d")
    table = "".join(f'<a href="generated/errata-{row}">x</a>' for row in rows)
    (tmp_path / "book").mkdir()
    (tmp_path / "book" / "errata-si.html").write_text(table, encoding="utf-8")
    pages = print_book.errata_pages(tmp_path, "book/errata-si")
    assert pages == ["book/generated/errata-si-1.9", "book/generated/errata-si-1.10"]
    assert print_book.errata_pages(tmp_path, "book/rotations") == []


def test_solutions_move_to_the_appendix_and_ledger_tables_are_omitted():
    page = (
        '<article><h1>One</h1><div class="exercise">do</div><div class="solution dropdown admonition">'
        '<div>nested</div>so, by <a href="#equation-x">(1)</a></div><p>between</p>'
        '<div class="solution">again</div><section id="claims-of-this-chapter"><section>table</section>'
        "</section><p>end</p></article>"
    )
    printed_page = print_book.article(page, "book/one", {"book/one"})
    text, solutions = print_book.extract_elements(printed_page, r'<div class="solution\b')
    assert text == ('<article><h1>One</h1><div class="exercise">do</div><p>between</p><p>end</p></article>')
    assert len(solutions) == 2
    appendix = print_book.appendix({"book/one": solutions}, {"book/one": "1. One"})
    assert "<h2>1. One</h2>" in appendix
    assert f'<div>nested</div>so, by <a href="{print_book.HOST}book/one">(1)</a></div>' in appendix
    assert appendix.index("nested") < appendix.index("again")


def test_page_numbers_continue_from_chapter_to_chapter():
    styled = print_book.document("x", "", 'Euler\'s <b>"steps"</b>', 41)
    assert "counter-reset: page 41" in styled
    assert "'Euler\N{RIGHT SINGLE QUOTATION MARK}s \"steps\", page ' counter(page)" in styled


def write_pdf(path, *addresses):
    writer = pypdf.PdfWriter()
    for _ in range(2):
        page = writer.add_blank_page(100, 100)
    for address in addresses:
        writer.add_annotation(page, Link(rect=(0, 0, 9, 9), url=address))
    writer.write(path)
    return path


def test_merged_chapters_have_bookmarks_and_links(tmp_path):
    host = print_book.HOST
    chapters = {
        "book/one": ("1. One", write_pdf(tmp_path / "1.pdf", f"{host}book/two", "https://example.org")),
        "book/two": ("2. Two", write_pdf(tmp_path / "2.pdf", f"{host}book/one")),
    }
    print_book.merge_chapters(chapters, tmp_path / "book.pdf")
    book = pypdf.PdfReader(tmp_path / "book.pdf")
    assert len(book.pages) == 4
    assert [item.title for item in book.outline] == ["1. One", "2. Two"]
    assert book.page_labels == ["i", "ii", "1", "2"]
    assert [book.get_destination_page_number(item) for item in book.outline] == [0, 2]

    def leads_to(link):
        target = link.get_object()
        if "/Dest" not in target:
            return target["/A"]["/URI"]
        return book.get_page_number(target["/Dest"][0].get_object())

    assert [leads_to(link) for link in book.pages[1]["/Annots"]] == [2, "https://example.org"]
    assert [leads_to(link) for link in book.pages[3]["/Annots"]] == [0]


def test_missing_browser_is_reported(monkeypatch):
    monkeypatch.setattr(print_book, "find_browser", lambda: None)
    monkeypatch.setattr("sys.argv", ["print_book.py", "--browser"])
    with pytest.raises(SystemExit, match="none of chromium"):
        print_book.main()
