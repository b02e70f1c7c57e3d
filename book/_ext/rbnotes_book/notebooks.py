"""Write every chapter as an executed notebook, and links that open it in Binder and Colab.

A notebook contains the text of the page, badges and cross-references as links, figures, and the cells with
their outputs. It runs wherever the package is installed: it includes the files that a chapter reads from
``_data``.
"""

from __future__ import annotations

import json
import os
import posixpath
import re
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import nbformat
from bs4 import BeautifulSoup
from docutils import nodes
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.parallel import ParallelTasks, SerialTasks, parallel_available

from rbnotes_book import execution, markdown
from rbnotes_book.scenes import MARKS

FOLDER = "_sources"
"""Folder of the theme's download button, relative to that of the pages."""
BRANCH = "notebooks"
"""The branch of the repository to which the published workflow pushes the notebooks."""
BINDER = "https://mybinder.org/v2/gh/{name}/{branch}?urlpath=lab/tree/{notebook}"
COLAB = "https://colab.research.google.com/github/{name}/blob/{branch}/{notebook}"

logger = logging.getLogger(__name__)


def repository(app: Sphinx) -> str:
    """Return the repository as ``owner/name`` from _config.yml or the CI workflow; "" if unknown."""
    return str(app.config.rbnotes_repository) or os.environ.get("GITHUB_REPOSITORY", "")


def pages_address(name: str) -> str:
    """Return the address of the published pages of a repository."""
    owner, _, project = name.partition("/")
    return f"https://{owner.lower()}.github.io/{project}/"


def notebook(
    page: str, cells: list[NotebookNode], docname: str, data: dict[str, str], name: str
) -> NotebookNode:
    """Return a chapter as a notebook.

    ``page`` is its HTML, ``cells`` are its executed code cells, ``data`` are the files that it reads, and
    ``name`` is the name of the repository or empty.
    """

    def link(address: str) -> str:
        parts = urlsplit(address)
        if parts.scheme or parts.netloc:
            return address
        here = posixpath.dirname(docname)
        path = posixpath.normpath(posixpath.join(here, parts.path)) if parts.path else f"{docname}.html"
        base = pages_address(name) if name else "../" * (docname.count("/") + 1)
        return base + path + (f"#{parts.fragment}" if parts.fragment else "")

    result: NotebookNode = new_notebook()
    result.metadata.kernelspec = {"display_name": "Python 3", "language": "python", "name": "python3"}
    result.metadata.language_info = {"name": "python", "file_extension": ".py"}
    book_address = link("")
    note = f"*A chapter of [rbnotes]({book_address}); it needs the package `rbnotes`.*"
    result.cells.append(new_markdown_cell(note))
    if name:
        result.cells.append(_installation_cell(name))
    if data:
        result.cells.append(_data_files_cell(data))
    unplaced_cells = iter(cells)
    for part in markdown.parts(markdown.article(page), link):
        if isinstance(part, markdown.Text):
            text = new_markdown_cell(part.markdown)
            if part.pictures:
                text.attachments = part.pictures
            result.cells.append(text)
        else:
            for cell in unplaced_cells:
                result.cells.append(_executed_code_cell(cell, book_address, folded=part.in_solution))
                if not _is_removed(cell):
                    break
            else:
                raise ValueError(f"{docname}: the page has more cells than were run")
    remaining = list(unplaced_cells)
    if not all(map(_is_removed, remaining)):
        raise ValueError(f"{docname}: {len(remaining)} cells that were run are not on the page")
    result.cells += [_executed_code_cell(cell, book_address, folded=True) for cell in remaining]
    nbformat.validate(result)
    return result


def _installation_cell(name: str) -> NotebookNode:
    source = (
        "# where the package is missing, as in Colab\n"
        "import importlib.util\n\n"
        'if importlib.util.find_spec("rbnotes") is None:\n'
        f'    %pip install -q "rbnotes @ git+https://github.com/{name}"'
    )
    return _hidden_code_cell(source)


def _data_files_cell(data: dict[str, str]) -> NotebookNode:
    lines = [
        "# the files that this chapter reads",
        "from pathlib import Path",
        "",
        'Path("_data").mkdir(exist_ok=True)',
    ]
    lines += [f"Path({f'_data/{file}'!r}).write_text({text!r})" for file, text in data.items()]
    return _hidden_code_cell("\n".join(lines) + ";")


def _hidden_code_cell(source: str) -> NotebookNode:
    cell: NotebookNode = new_code_cell(source, metadata={"jupyter": {"source_hidden": True}})
    return cell


def _is_removed(cell: NotebookNode) -> bool:
    return "remove-cell" in cell.metadata.get("tags", [])


def _executed_code_cell(cell: NotebookNode, page: str, *, folded: bool) -> NotebookNode:
    tags = list(cell.metadata.get("tags", []))
    hidden = folded or bool({"hide-input", "remove-input", "remove-cell"} & set(tags))
    metadata: dict[str, Any] = {"tags": tags} if tags else {}
    if hidden:
        metadata["jupyter"] = {"source_hidden": True}
    result: NotebookNode = new_code_cell(
        cell.source, metadata=metadata, execution_count=cell.get("execution_count")
    )
    result.outputs = [_output(output, page) for output in cell.get("outputs", [])]
    return result


def _output(output: NotebookNode, page: str) -> NotebookNode:
    """Return an output with scenes as still pictures, because the player is larger than the chapter."""
    html = output.get("data", {}).get("text/html", "")
    if not any(mark in html for mark in MARKS):
        return output
    figure = BeautifulSoup(html, "html.parser")
    drawing = (figure.select_one(".choice:not([hidden])") or figure).select_one("img, svg")
    caption = figure.find("figcaption")
    words = caption.get_text().strip() if caption is not None else ""
    text = f'<p>{words} Run this cell to see it move, or look at <a href="{page}">its page</a>.</p>'
    count = {"execution_count": output.execution_count} if output.output_type == "execute_result" else {}
    data = {"text/html": f"{drawing or ''}{text}", "text/plain": words}
    result: NotebookNode = new_output(output.output_type, data, **count)
    return result


def data_of(cells: list[NotebookNode], folder: Path) -> dict[str, str]:
    """Return the data files that code cells read, by name."""
    code = "\n".join(cell.source for cell in cells)
    if "_data/" not in code:
        return {}
    return {
        path.name: path.read_text(encoding="utf-8")
        for path in sorted(folder.iterdir())
        if re.search(rf"[\"'/]{re.escape(path.stem)}(?:{re.escape(path.suffix)})?[\"']", code)
    }


def _write(app: Sphinx, exception: Exception | None) -> None:
    """Write the notebook of each chapter that is newer than its notebook, several at a time."""
    if exception is not None or app.builder.format != "html":
        return
    tasks = ParallelTasks(app.parallel) if parallel_available and app.parallel > 1 else SerialTasks()
    for chapter in execution.chapters(Path(app.srcdir)):
        tasks.add_task(partial(_write_notebook, app), chapter)
    tasks.join()


def _write_notebook(app: Sphinx, chapter: Path) -> None:
    root = Path(app.srcdir)
    docname = chapter.relative_to(root).with_suffix("").as_posix()
    page = Path(app.outdir) / f"{docname}.html"
    target = Path(app.outdir) / FOLDER / f"{docname}.ipynb"
    if target.exists() and target.stat().st_mtime > page.stat().st_mtime:
        return
    cells = execution.stored_cells(chapter, root)
    if cells is None:  # left out of this build
        return
    content = notebook(
        page.read_text(encoding="utf-8"),
        cells,
        docname,
        data_of(cells, chapter.parent / "_data"),
        repository(app),
    )
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _offer(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Point the theme's download button to the notebook."""
    if doctree is not None and "kernelspec" in app.env.metadata.get(pagename, {}):
        context["ipynb_source"] = f"{pagename}.ipynb"


def _launch(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Add buttons that open the notebook in Binder and Colab if the repository is known."""
    name = repository(app)
    if not name or "ipynb_source" not in context:
        return
    fields = {"name": name, "branch": BRANCH, "notebook": posixpath.basename(pagename) + ".ipynb"}
    buttons = [
        {"type": "link", "text": text, "tooltip": f"Run this chapter on {text}", "icon": icon,
         "url": address.format(**fields)}
        for text, icon, address in (
            ("Binder", "_static/images/logo_binder.svg", BINDER),
            ("Colab", "_static/images/logo_colab.png", COLAB),
        )
    ]  # fmt: skip
    context["header_buttons"].append({
        "type": "group", "tooltip": "Run this chapter", "icon": "fas fa-rocket", "buttons": buttons,
        "label": "launch-buttons",
    })  # fmt: skip


def setup(app: Sphinx) -> None:
    app.add_config_value("rbnotes_repository", "", "html")
    app.connect("html-page-context", _offer, priority=100)  # before the theme makes its buttons
    app.connect("html-page-context", _launch, priority=900)  # after
    app.connect("build-finished", _write)
