"""For every kind of fault the build fails, names the place, and fails again when repeated."""

import re

import pytest
from tiny_book import FAKE_LEDGER, LEDGER_PAGES, NOTEBOOK

# page: text, and the message that must name the page and the line
FAULTS = {
    "reference": ("# A\n\nSee [the moon](to-the-moon).\n", r"reference\.md:3: WARNING: .*to-the-moon"),
    "equation-reference": (
        "# A\n\nSee {eq}`lloyd-0.99`.\n",
        r"equation-reference\.md:3: WARNING: .*lloyd-0\.99",
    ),
    "formula": ("# A\n\n$$\n\\frac{1}{2\n$$\n", r"formula\.md:3: WARNING: formula .*frac"),
    "inline-formula": (
        "# A\n\nSo $\\notacommand$ it is.\n",
        r"inline-formula\.md:3: WARNING: formula .*notacommand",
    ),
    "self-numbered": (
        "# A\n\n\\begin{align}\na &= b\n\\end{align}\n",
        r"self-numbered\.md:3: WARNING: .*numbers by itself",
    ),
    "number-first": ("# A\n\n$$\na\n$$ (sueda-1.2)\n", None),
    "number-second": (
        "# A\n\n$$\nb\n$$ (sueda-1.2)\n",
        r"number-second\.md:3: WARNING: duplicate label of equation sueda-1\.2.*number-first",
    ),
    "number-unknown": (
        "# A\n\n$$\nb\n$$ (sueda-9.99)\n",
        r"number-unknown\.md:3: WARNING: the notes have no equation S 9\.99",
    ),
    "alt-text": ("# A\n\n![](dot.png)\n", r"alt-text\.md:3: WARNING: image without alt text: dot\.png"),
    "figure-alt-text": (
        NOTEBOOK + "\n# A\n\n```{code-cell} ipython3\nfrom rbnotes.viewer import figure\nfigure();\n```\n",
        r"figure-alt-text\.md:10: WARNING: image without alt text",
    ),
    "claim": (
        "# A\n\nIt {claim}`lloyd/s0.2/d77`.\n",
        r"claim\.md:3: WARNING: no record of the claim 'lloyd/s0\.2/d77'",
    ),
    "erratum": ("# A\n\n```{erratum} lloyd/s0.2/d1\n```\n", r"erratum\.md:3: WARNING: lloyd/s0\.2/d1 holds"),
    "example": (
        # a table of claims tells none of them
        "# A\n\n{claim}`lloyd/s0.2/d1`\n\n```{records}\n```\n",
        r"example\.md: WARNING: the chapter does not explain .*sueda/s1\.1/e1\.1",
    ),
    "needs-later": (
        "---\nneeds: [left-out]\n---\n# A\n\nAfter [B](left-out.md).\n",
        r"needs-later\.md: WARNING: needs left-out, which does not stand before it",
    ),
    "needs-nothing": (
        "---\nneeds: [unicorn]\n---\n# A\n",
        r"needs-nothing\.md: WARNING: needs unicorn, which is no page",
    ),
    "needs-unsaid": (
        "---\nneeds: [index]\n---\n# A\n\n## B\n\nAfter [the start](index.md).\n",
        r"needs-unsaid\.md: WARNING: the opening does not link index",
    ),
    "badge": (
        "# A\n\nThe first part of {claim}`lloyd/s0.2/d1` is clear.\n",
        r"badge\.md:3: WARNING: a badge stands in the place of a word",
    ),
    "lost": (
        "# A\n\n```{exercise}\n:label: lost-ex\nDo.\n```\n\n```{solution-start} lost-ex\nDone.\n```\n\n"
        "```{solution-end}\n```\n",
        r"lost\.md:9: WARNING: this text is lost",
    ),
    "symbol": (
        "# A\n\n$$\n\\dot{\\hat M}_c = a\n$$\n",
        r"symbol\.md:3: WARNING: the table of symbols does not have \\hat\{M\}_\{c\} for symbol",
    ),
    "left-out": (
        "# A\n\n$$\nK = k(\\cdots)\n$$ (sueda-1.3)\n",
        r"left-out\.md:3: WARNING: the display sueda-1\.3 leaves something out",
    ),
}


@pytest.fixture(scope="module")
def faulty_builds(tiny_book):
    book = tiny_book(
        {"index": "# Start\n", **{name: text for name, (text, _) in FAULTS.items()}, **LEDGER_PAGES}
    )
    book.explain_symbols(
        "{ tex = ['a', 'b', 'k', 'K'], meaning = 'known' }, { tex = 'c', meaning = 'of no display' }"
    )
    (book.root / "dot.png").write_bytes(
        bytes.fromhex(
            "89504e470d0a1a0a0000000d4948445200000001000000010804000000b51c0c020000000b4944415478da63fcff1f00"
            "0302020082bd6a100000000049454e44ae426082"
        )
    )
    return book.build(), book.build()


@pytest.mark.slow(together=True)
@pytest.mark.parametrize("name", [name for name, (_, message) in FAULTS.items() if message])
def test_each_fault_is_named_with_its_place_in_both_builds(faulty_builds, name):
    for build in faulty_builds:
        assert build.returncode == 1
        assert re.search(FAULTS[name][1], build.stderr), build.stderr


@pytest.mark.slow(together=True)
def test_unused_symbol_is_reported(faulty_builds):
    assert "symbols.toml: no display of any has c (of no display)" in faulty_builds[0].stderr


@pytest.mark.slow(together=True)
def test_correct_page_has_no_warning(faulty_builds):
    assert not any("number-first.md" in line.split(" ")[0] for line in faulty_builds[0].stderr.splitlines())


CELLS = {
    "raises": ("x = 1\nx / 0", r"raises\.md:7: cell starting with 'x = 1' raised ZeroDivisionError"),
    "warns": (
        "import warnings\nwarnings.warn('beware')",
        r"warns\.md:7: cell starting with 'import warnings' wrote to stderr:(.|\n)*beware",
    ),
    "pictures": (
        "---\nmystnb: {image: {alt: A plot.}}\n---\nx = 1",
        r"pictures\.md:7: cell starting with 'x = 1' describes a picture and shows none",
    ),
}


@pytest.mark.slow
def test_cells_that_raise_or_warn_or_lack_output_fail_every_build(tiny_book):
    pages = {
        name: f"{NOTEBOOK}# A\n```{{code-cell}} ipython3\n{code}\n```\n" for name, (code, _) in CELLS.items()
    }
    book = tiny_book({"index": "# Start\n", **pages})
    for _ in range(2):
        build = book.build()
        assert build.returncode == 1
        for _, message in CELLS.values():
            assert re.search(message, build.stderr), build.stderr


@pytest.mark.slow
def test_missing_ledger_data_is_reported(tiny_book):
    ledger = FAKE_LEDGER.replace("$f(x) = x^2$", r"$f(x) = \\dots$").replace(
        "rbnotes.ledger.find", "rbnotes.ledger.load"
    )
    build = tiny_book({"index": "# Start\n", "example": "# A\n", **LEDGER_PAGES}, ledger=ledger).build()
    assert build.returncode == 1
    assert "the right form of (S 1.1) stands nowhere" in build.stderr
    assert "ledger:lloyd/s0.2/d2#b: an ellipsis in the right form" in build.stderr


def test_a_formula_in_the_ledger_that_does_not_parse_names_its_record(tiny_book):
    book = tiny_book(
        {"index": "# Start\n", **LEDGER_PAGES}, ledger=FAKE_LEDGER.replace("f(x) = -x^2", r"\frac{x")
    )
    build = book.build()
    assert build.returncode == 1
    assert re.search(r"ledger:lloyd/s0\.2/d1: WARNING: formula", build.stderr), build.stderr
