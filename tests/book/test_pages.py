"""Pages of a small book without faults, and its second build."""

import json
import re

import pytest
from check_pages import check
from tiny_book import LEDGER_PAGES, NOTEBOOK

from rbnotes.ledger.evidence import NOT_PROVED, read_evidence
from rbnotes.ledger.sources import active_ledger

CHAPTER_TEXT = """\
# Example

$$
a = b
$$ (sueda-1.1)

$$
c = d
$$ (own)

$$
e = f
$$ (other)

It {claim}`lloyd/s0.2/d1`; this display {claim}`lloyd/s0.2/d2`.

```{erratum} lloyd/s0.2/d2
Why it matters.
```

It says so {claim}`sueda/s1.1/e1.1`, and the next line agrees {claim}`sueda/s1.1/t9`.
A long one is $a = b + c + d + e + f + g + h + i$, and `x-y` is short.

```{records}
```
"""
SYMBOLS = "# Symbols\n\n```{symbols}\n```\n"
CELLS = """\
# Cells

From another chapter: {eq}`sueda-1.1`.

```{code-cell} ipython3
---
mystnb:
  image:
    alt: a line that rises
---
from rbnotes.viewer import Scene, box, figure
fig, ax = figure()
ax.plot([0, 1]);
```

```{code-cell} ipython3
Scene("A box stands still.").add(box([1, 1, 1]))
```
"""


@pytest.fixture(scope="module")
def book(tiny_book):
    book = tiny_book(
        {
            "index": "# Start\n",
            "example": CHAPTER_TEXT,
            "cells": NOTEBOOK + CELLS,
            "symbols": SYMBOLS,
            **LEDGER_PAGES,
        },
        part="Springs",
        repository="owner/name",
    )
    book.explain_symbols(
        "{ tex = ['a', 'b', 'c', 'd'], meaning = 'any length', unit = 'm' }, "
        "{ tex = 'e', meaning = 'charge', lloyd = 'q' }, "
        "{ tex = 'f', meaning = 'rate', chapters = ['example'] }"
    )
    first = book.run_command()
    assert first.returncode == 0, first.stderr
    book.first = first
    return book


def page(book, name):
    return (book.html / f"{name}.html").read_text(encoding="utf-8")


def test_equations_have_the_numbers_of_the_notes(book):
    html = page(book, "example")
    assert '<span class="eqno">(S 1.1)' in html
    assert '<span class="eqno">(1)' in html
    assert '<span class="eqno">(2)' in html
    assert 'href="example.html#equation-sueda-1-1">(S 1.1)</a>' in page(book, "cells")


def test_formulas_are_typeset_without_scripts(book):
    html = page(book, "example")
    assert '<span class="katex-mathml"><math' in html
    assert not re.search("<script[^>]*mathjax", html, re.IGNORECASE)
    assert (book.html / "_static" / "katex" / "fonts" / "KaTeX_Main-Regular.woff2").exists()


def test_symbols_of_displays_carry_their_table_entries(book):
    html = page(book, "example")
    assert re.search(r'<span class="enclosing mathnormal" [^>]*data-symbol="1">e</span>', html)
    assert "symbols-data.js" in html
    assert "symbols.js" not in page(book, "cells")
    data = (book.html / "_static" / "symbols-data.js").read_text(encoding="utf-8")
    assert '["e","charge","","",""]' in data


def test_the_table_of_symbols_lists_meaning_unit_notes_and_chapters(book):
    html = page(book, "symbols")
    for part in ("any length", "<td>m</td>", "charge", "Lloyd", 'href="example.html"'):
        assert part in html, part
    assert "data-symbol" not in html
    assert 'href="#symbols-springs">Springs</a>' in html
    assert re.search(r'id="symbols-springs">\s*<h2>Springs', html)


def test_a_claim_shows_the_worst_verdict_of_its_parts_and_links_to_its_entry(book):
    html = page(book, "example")
    assert 'href="book/generated/ledger-lloyd-0.2.html#lloyd-s0-2-d1"' in html
    assert '<span class="verdict verdict-holds">holds</span>' in html
    assert 'href="book/generated/ledger-lloyd-0.2.html#lloyd-s0-2-d2-b"' in html
    assert (
        html.count('<span class="verdict verdict-erratum">wrong in print</span>') == 5
    )  # badge, box and table; the other claim has no box


def test_punctuation_stays_on_the_line_of_a_badge(book):
    html = page(book, "example")
    assert "holds</span></a></span>\N{WORD JOINER}; this display" in html
    assert "this display <span" in html


def test_punctuation_is_part_of_the_last_piece_of_a_long_formula(book):
    """It is not repeated; a word of code with a minus is not broken."""
    html = page(book, "example")
    assert re.search(r'i</span><span class="tail">,</span></span></span></span></span> and <code', html)
    assert re.search(r'<code class="[^"]*short[^"]*"><span class="pre">x-y', html)


def test_erratum_box_shows_printed_form_right_form_and_effect(book):
    box = (
        page(book, "example")
        .split('<div class="admonition erratum docutils container">')[1]
        .split("</table>")[0]
    )
    for text in (
        "Lloyd 0.2, display 2, part b: Title of",
        "as printed",
        "Right form",
        "Perhaps the conversion of the text.",
        "no page available",
        "Why it",
    ):
        assert text in box


def test_ledger_shows_every_record_and_links_its_explanation(book):
    html = page(book, "book/generated/ledger-lloyd-0.2")
    for anchor in ("lloyd-s0-2-d1", "lloyd-s0-2-d2-a", "lloyd-s0-2-d2-b"):
        assert f'id="{anchor}"' in html
    assert "another way to square" in html
    assert "52 inputs" in html
    assert '<details class="claim-card"><summary>Submit a function of (x):</summary><pre>' in html
    assert 'href="../../example.html#explained-lloyd-s0-2-d1"' in html  # at its badge
    sueda = page(book, "book/generated/ledger-sueda-1.1")
    assert 'href="../../example.html#explained-sueda-s1-1-e1-1"' in sueda  # not in the chapter's table


def test_pages_give_the_stored_evidence(book):
    stored = read_evidence(active_ledger().folder)
    ledger, errata = (page(book, f"book/generated/{kind}-lloyd-0.2") for kind in ("ledger", "errata"))
    for html, id in ((ledger, "lloyd/s0.2/d1"), (ledger, "lloyd/s0.2/d2#a"), (errata, "lloyd/s0.2/d2#b")):
        summary = stored.get(id, NOT_PROVED).summary
        assert f"<p>{summary[0].upper()}{summary[1:]}" in html
    badge = page(book, "example").split("true as printed; ")[1]
    assert badge.startswith(f"{stored['lloyd/s0.2/d1'].summary} (")
    table = page(book, "ledger").split("of-evidence")[1]
    assert "of the 5 claims that state something" in table
    assert re.findall(r"<td>all</td>\s*<td></td>\s*<td>(\d+)</td>\s*<td>(\d+)</td>", table) == [("2", "3")]


def test_the_right_form_is_linked_to_the_reference_and_back(book):
    assert 'href="api-ledger.html#rbnotes.ledger.find"' in page(book, "book/generated/ledger-lloyd-0.2")
    reference = page(book, "book/generated/api-ledger")
    assert 'href="ledger-lloyd-0.2.html#lloyd-s0-2-d1"' in reference
    assert 'href="../../example.html#explained-lloyd-s0-2-d1"' in reference


def test_claims_table_of_a_chapter_links_sentence_and_ledger(book):
    table = page(book, "example").split("of-chapter")[1]
    assert 'href="#explained-lloyd-s0-2-d1"' in table
    assert "ledger-lloyd-0.2.html#lloyd-s0-2-d1" in table


def test_errata_show_counterexamples_and_both_results(book):
    errata, conditions = page(book, "book/generated/errata-lloyd-0.2"), page(book, "conditions-lloyd")
    assert "x = 1" in errata
    assert re.search(r"Printed gives.*?-1.*?Right gives.*?>1<", errata, re.DOTALL)
    assert "Holds if" not in errata
    assert "x = -1" in conditions  # the shrunk one for the conditional claim
    assert "Holds if" in conditions
    assert "Nothing to correct" in page(book, "errata-si")


def test_errata_list_fixed_slips_first_and_separate_slips_of_the_conversion(book):
    sueda, lloyd = page(book, "errata-sueda"), page(book, "errata-lloyd")
    assert "converted from the version of 2019-09-18 (48 pages" in sueda
    assert "Of the author: 1 error." in sueda
    assert "<h2>Fixed by the author" in sueda
    assert "<h2>Summary" not in sueda
    assert "No page of the author was available" in lloyd
    assert "<h2>Slips of the conversion" in lloyd
    entry = page(book, "book/generated/errata-sueda-1.1")
    assert "2019-09-18, page 1, same as the text; 2021-09-27, page 3:" in entry
    assert "The author." in entry


def test_errata_table_links_the_corrections_of_each_section(book):
    summary, section = page(book, "errata-lloyd"), page(book, "book/generated/errata-lloyd-0.2")
    assert 'href="book/generated/errata-lloyd-0.2.html#errata-lloyd-s0-2-d2-b"' in summary
    assert "Printed gives" not in summary
    assert 'id="errata-lloyd-s0-2-d2-b"' in section
    assert 'href="../../errata-lloyd.html"' in section
    assert 'href="#errata-lloyd-s0-2-d2-a"' in page(book, "conditions-lloyd")


def test_generated_pages_have_no_superfluous_markup(book):
    for name in ("symbols", "finder", "book/generated/api-errors"):
        html = page(book, name).split("<article")[1].split("</article>")[0]
        assert not re.search(r'<span class="pre">[^<]*</span>', html), name
        assert "<td><p>" not in html, name


def test_the_finder_lists_each_display_with_all_its_links(book):
    html = page(book, "finder")
    rows = re.findall(r'<tr data-id="([^"]+)">', html)
    assert rows == ["lloyd/s0.2/d1", "lloyd/s0.2/d2", "sueda/s1.1/e1.1"]
    row = html.split('data-id="sueda/s1.1/e1.1"')[1].split("</tr>")[0]
    for part in (
        "ledger-sueda-1.1.html#sueda-s1-1-e1-1",
        "example.html#explained-",
        "api-ledger.html#",
        "S 1.1",
    ):
        assert part in row
    assert "finder.js" in html
    assert "finder.js" not in page(book, "example")


def test_search_and_finder_data_are_scripts(book):
    static = book.html / "_static"
    displays = (static / "displays.js").read_text(encoding="utf-8")
    assert '"number": "1.1"' in displays
    assert "katex" in (static / "formulas-sueda.js").read_text(encoding="utf-8")
    excerpts = (static / "excerpts.js").read_text(encoding="utf-8")
    assert "From another chapter" in excerpts
    assert "katex" not in excerpts


@pytest.mark.slow
def test_rewriting_a_page_keeps_the_search_excerpts_of_others(tiny_book):
    before = "# One\n\n```{index} ! sun, star\n```\n\nA sentence about the sun.\n"
    source = f"{CHAPTER_TEXT}\n```{{index}} ! vector\n```\n"
    book = tiny_book({"index": before, "example": source, **LEDGER_PAGES})

    def data():
        return {file.name: file.read_text(encoding="utf-8") for file in (book.html / "_static").glob("*.js")}

    def index_entries():
        text = (book.html / "searchindex.js").read_text(encoding="utf-8")
        index = json.loads(text.removeprefix("Search.setIndex(").removesuffix(")"))
        return {entry: sorted(locations) for entry, locations in index["indexentries"].items()}

    scripts, entries = [], []
    for text in (before, before.replace("sun", "moon"), before):
        (book.root / "index.md").write_text(text, encoding="utf-8")
        build = book.build()
        assert build.returncode == 0, build.stderr
        scripts.append(data())
        entries.append(index_entries())
    assert "about the moon" in scripts[1]["excerpts.js"]
    assert "Why it matters" in scripts[1]["excerpts.js"]
    assert entries[0].keys() >= {"sun", "star", "vector"}
    assert entries[1] == {
        "moon" if entry == "sun" else entry: location for entry, location in entries[0].items()
    }
    assert entries[2] == entries[0]
    assert scripts[2] == scripts[0]


def test_formulas_are_not_indexed_as_words(book):
    index = (book.html / "searchindex.js").read_text(encoding="utf-8")
    assert "chapter" in index
    assert "annot" not in index
    assert "x^2" not in index


def test_player_is_loaded_only_on_pages_with_a_scene(book):
    assert "scene-player.js" in page(book, "cells")
    assert "scene-player.js" not in page(book, "example")
    assert "<iframe" not in page(book, "cells")


def test_pages_work_offline_without_broken_links(book):
    assert check(book.html) == []


@pytest.mark.slow
def test_second_build_runs_only_changed_chapters(book):
    assert "cells: kept" not in book.first.stdout
    assert "cells: kept" in book.build().stdout
    path = book.root / "cells.md"
    path.write_text(path.read_text(encoding="utf-8").replace("[1, 1, 1]", "[1, 2, 1]"), encoding="utf-8")
    changed = book.build()
    assert "cells: kept" not in changed.stdout
    assert changed.returncode == 0, changed.stderr


def test_chapters_with_cells_open_in_binder_and_colab_if_the_repository_is_known(book):
    binder = "https://mybinder.org/v2/gh/owner/name/notebooks?urlpath=lab/tree/cells.ipynb"
    colab = "https://colab.research.google.com/github/owner/name/blob/notebooks/cells.ipynb"
    for address in (binder, colab):
        assert f'href="{address}"' in page(book, "cells")
        assert address.partition("/owner")[0] not in page(book, "example")
    notebook = (book.html / "_sources" / "cells.ipynb").read_text(encoding="utf-8")
    assert "https://owner.github.io/name/" in notebook


def test_command_prints_summary_and_start_page(book):
    summary, start = book.first.stdout.splitlines()[-2:]
    assert summary.startswith("Ledger: ")
    assert start == f"Start page: {book.html / 'index.html'}"
