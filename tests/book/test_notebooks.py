"""Chapters as notebooks: text as Markdown, cells with outputs, and execution."""

import nbformat
import pytest
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_output
from rbnotes_book import markdown, notebooks
from rbnotes_book.formulas import typeset

INLINE = typeset(r"R^\T x", display=False)
PAGE = f"""
<html><nav>menu</nav><article class="bd-article"><section id="x">
<h1><span class="section-number">3. </span>Title<a class="headerlink" href="#x">#</a></h1>
<p>A formula <span class="math">{INLINE}</span> that
<span class="claim"><a href="generated/ledger.html#d1"><span class="verdict">holds</span></a></span>, 2*3.</p>
<div class="math"><div class="formula">{typeset("a = b", display=True)}</div>
<span class="eqno">(S 1.37)<a class="headerlink" href="#e">#</a></span>
<button class="verdict">corrected</button>
<a class="verdict on-paper" href="generated/ledger.html#e37">corrected</a>
<div class="display-card" popover><p>In print</p></div></div>
<div class="cell tag_hide-input"><div class="cell_input">import</div></div>
<ul><li><p>one</p></li><li><p>two <code>c|d</code></p></li></ul>
<table><tr><th>h</th></tr><tr><td>a|b</td></tr></table>
<div class="admonition erratum"><p class="admonition-title">Wrong</p><p>Why.</p></div>
<svg aria-label="a drawing"><path/></svg>
<div class="solution admonition"><p class="admonition-title">Solution</p><div class="cell">x</div></div>
</section></article></html>
"""
SCENE = '<figure class="rbnotes-scene"><script>1</script><figcaption>A box falls.</figcaption></figure>'
FIRST = "from pathlib import Path\nimport rbnotes\nnumbers = Path('_data/table.csv').read_text()"
SECOND = "print(len(numbers), rbnotes.so3.exp([0, 0, 0])[0, 0])"


@pytest.fixture(scope="module")
def notebook():
    cells = [
        new_code_cell(FIRST, metadata={"tags": ["hide-input"]}),
        new_code_cell("assert numbers", metadata={"tags": ["remove-cell"]}),
        new_code_cell(SECOND, outputs=[new_output("display_data", {"text/html": SCENE})]),
    ]
    return notebooks.notebook(PAGE, cells, "book/x", {"table.csv": "1,2\n"}, "owner/name")


def test_the_text_is_markdown_with_tex_badges_and_links(notebook):
    text = "\n\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    for part in (
        "# 3. Title\n",
        r"$R^{\mathsf{T}} x$",
        "[holds](https://owner.github.io/name/book/generated/ledger.html#d1), 2\\*3",
        "$$\na = b \\tag{S 1.37}\n$$\n\n[corrected](https://owner.github.io/name/book/generated/ledger.html#e37)\n\n",
        "- one\n- two `c|d`",
        "| h |\n| --- |\n| a\\vert b |",
        "> **Wrong**\n>\n> Why.",
        "**Solution**",
    ):
        assert part in text
    assert "menu" not in text
    assert "katex" not in text


def test_folded_cells_stay_folded(notebook):
    code = {cell.source: cell for cell in notebook.cells if cell.cell_type == "code"}
    assert list(code)[2:] == [FIRST, "assert numbers", SECOND]
    assert all(cell.metadata["jupyter"]["source_hidden"] for cell in code.values())


def test_drawings_are_included_and_players_are_not(notebook):
    (cell_with_drawing,) = [cell for cell in notebook.cells if cell.get("attachments")]
    (name,) = cell_with_drawing.attachments
    assert f"(attachment:{name})" in cell_with_drawing.source
    (output,) = notebook.cells[-1].outputs
    assert "script" not in str(output)
    assert "A box falls." in str(output)


def test_labeled_drawing_is_replaced_by_its_alt_text():
    label = '<span class="katex"><span class="katex-html">i</span></span>'
    picture = f'<div class="picture" role="img" aria-label="Two frames."><svg></svg>{label}</div>'
    page = f'<article><figure class="drawing">{picture}<figcaption>A caption.</figcaption></figure></article>'
    (text,) = markdown.parts(markdown.article(page), str)
    assert "*Drawn on the page of this chapter: Two frames.*" in text.markdown
    assert "A caption." in text.markdown


def test_notebook_runs_with_the_installed_package(notebook, tmp_path):
    alone = nbformat.from_dict(notebook)
    NotebookClient(alone, timeout=600, resources={"metadata": {"path": tmp_path}}).execute()
    assert alone.cells[-1].outputs[0].text == "4 1.0\n"
    assert (tmp_path / "_data" / "table.csv").read_text() == "1,2\n"


def test_cells_of_a_folded_bar_follow_each_other_and_moved_pictures_are_left_out():
    page = (
        '<article class="bd-article"><section id="x"><p>Why?</p>'
        '<div class="cell opening-picture"><div class="cell_output"><img src="a.png"/>words</div></div>'
        '<div class="cell opening-code"><details><summary>Show</summary>'
        '<div class="cell">1</div><div class="cell">2</div></details></div><p>Goals</p></section></article>'
    )
    found = notebooks.notebook(page, [new_code_cell("1"), new_code_cell("2")], "book/x", {}, "")
    assert [cell.source for cell in found.cells[1:]] == ["Why?", "1", "2", "Goals"]


def test_page_with_other_cells_than_the_executed_ones_is_rejected():
    with pytest.raises(ValueError, match="more cells"):
        notebooks.notebook(PAGE, [new_code_cell("x")], "book/x", {}, "")
    with pytest.raises(ValueError, match="not on the page"):
        notebooks.notebook(PAGE, [new_code_cell("x")] * 3, "book/x", {}, "")
