"""`make look` detects each kind of layout fault in a browser."""

import re

import pytest
from inspect_pages import DISPLAY_MODES, NO_BROWSER, chromium, inspect

from rbnotes.ledger.errata_pdf import find_browser

LOOK = {look.name: look for look in DISPLAY_MODES}
FORMULA = (
    '<div class="math"><div class="formula" {}><annotation>x</annotation>'
    '<div style="{}">y</div></div>{}</div>'
)
NUMBER = '<span class="eqno">(1)</span>'
CELL = (
    '<div class="cell_input"><div class="highlight">'
    '<pre style="overflow: auto" tabindex="0">{}</pre></div></div>'
)
BOX = (
    '<div class="admonition"><dl class="claim-fields" style="display: {}">'
    "<dt>Printed</dt><dd>x</dd></dl></div>"
)
STYLE = "<style>.math { display: flex } .formula { overflow: auto; flex: 1 }</style>"

SOUND = (
    FORMULA.format("", "width: 90px", "")
    + '<span class="math">x</span>'
    + CELL.format("x")
    + BOX.format("block")
)
FAULTS = {
    "formulas are wider than their column": (FORMULA.format("", "width: 3000px", ""), {"light", "phone"}),
    "formulas are cut above or below": (
        FORMULA.format('style="height: 9px; overflow: hidden"', "height: 30px", ""),
        {"light", "phone"},
    ),
    "formulas in the text are cut by a box": (
        '<span class="math" style="display: inline-flex; overflow: hidden">x</span>',
        {"light", "phone"},
    ),
    "listings scroll": (CELL.format("x" * 400), {"light"}),
    "tables are wider than their column": (
        '<div style="width: 90px"><table style="width: 300px"><tr><td>x</td></tr></table></div>',
        {"light"},
    ),
    "numbers stand beside their formulas": (FORMULA.format("", "", NUMBER), {"phone"}),
    "labels stand beside what they name in a box": (BOX.format("flex"), {"light", "phone"}),
    "the first picture is": ('<p style="height: 2000px"></p><figure>x</figure>', {"light"}),
}

pytestmark = pytest.mark.skipif(find_browser() is None, reason=NO_BROWSER)


@pytest.mark.slow(together=True)
@pytest.mark.parametrize("look", ["light", "phone"])
def test_each_layout_fault_is_found(look, tmp_path):
    pages = {}
    for number, text in enumerate(["", *(fault for fault, _ in FAULTS.values())]):
        pages[number] = tmp_path / f"page-{number}.html"
        pages[number].write_text(
            f'<!doctype html><html lang="en"><title>x</title>{STYLE}<body><main><article>'
            f'<h1><span class="section-number">1</span>x</h1>{SOUND}{text}</article></main></body></html>'
        )
    with chromium() as started:
        faults, counts = inspect(started, LOOK[look], list(pages.values()))
    for number, page in pages.items():
        page_faults = [
            fault for fault in faults if page.as_uri() in fault and re.search(r"\): (\d+ |the first)", fault)
        ]
        planted = [what for what, (_, looks) in FAULTS.items() if look in looks]
        name = ["", *FAULTS][number]
        if name in planted:
            assert len(page_faults) == 1, (name, faults)
            assert name in page_faults[0]
        else:
            assert page_faults == [], (name, page_faults)
    assert counts["formulas"] == len(pages) + 3
    assert counts["cells"] == len(pages) + 1
