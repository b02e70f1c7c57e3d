"""Run chapters and keep their outputs, for the tests and for the pages."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from filelock import FileLock
from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn, JupyterCacheAbstract
from jupyter_cache.executors.utils import ExecutionResult, single_nb_execution
from myst_nb.core.read import is_myst_markdown_notebook, read_myst_markdown_notebook
from myst_parser.config.main import MdParserConfig
from nbclient.exceptions import DeadKernelError
from nbformat import NotebookNode
from sphinx_external_toc.parsing import parse_toc_yaml

from rbnotes.viewer.scene import PAGE_HAS_PLAYER
from rbnotes_book import digits
from rbnotes_book.cache import folder

CELL_TIMEOUT = 120
MAX_STARTS = 3
"""Largest number of kernels that are started for a chapter."""
SYNTAX = MdParserConfig(enable_extensions={"amsmath", "colon_fence", "deflist", "dollarmath"})


@dataclass(frozen=True)
class Execution:
    """Result of running one chapter.

    Attributes
    ----------
    chapter
        File of the chapter.
    seconds
        Time of the run, s.
    cached
        True if the result of an earlier run was used.
    error
        File, line and error; empty on success.
    """

    chapter: Path
    seconds: float
    cached: bool
    error: str = ""


def chapters(root: Path) -> Iterator[Path]:
    """Yield the book's pages with code, in the order of the table of contents."""
    toc = parse_toc_yaml(root / "_toc.yml")
    for name in toc:
        path = root / f"{name}.md"
        if path.exists() and is_myst_markdown_notebook(path.read_text(encoding="utf-8")):
            yield path


def execute(chapter: Path, root: Path) -> Execution:
    """Run a chapter of the book at ``root``, unless its outputs are already kept.

    A cell that raises, or that prints to stderr as a Python warning does, is an error; the outputs of such a
    chapter are not kept. Badly formatted numbers are an error too, see ``digits``.
    """
    notebook = _read(chapter)
    store = folder(root)
    store.mkdir(parents=True, exist_ok=True)
    lock = FileLock(store / "lock")
    with lock:
        stored_duration = _lookup(get_cache(store), notebook)
    if stored_duration is not None:
        return Execution(chapter, stored_duration, cached=True, error=_unreadable(chapter, root))

    os.environ.setdefault("OMP_NUM_THREADS", "1")  # chapters run side by side
    os.environ[PAGE_HAS_PLAYER] = "yes"
    result = _execute_cells(notebook, chapter.parent)
    for cell in notebook.cells:
        _join_streams(cell)
        digits.drop_signs_of_zeros(cell)
    error = _first_error(notebook, chapter)
    if not error and result.err is not None:
        error = f"{chapter}: {type(result.err).__name__}: {result.err}"
    if not error:
        bundle = CacheBundleIn(notebook, str(chapter), data={"execution_seconds": result.time})
        with lock:
            get_cache(store).cache_notebook_bundle(bundle, check_validity=False, overwrite=True)
        error = _unreadable(chapter, root)
    return Execution(chapter, result.time, cached=False, error=error)


def _execute_cells(notebook: NotebookNode, working_folder: Path) -> ExecutionResult:
    """Execute cells in place, in another kernel if the first one ends before it answers.

    A kernel chooses the numbers of its ports before it opens them, so another program may take one.
    """
    run = partial(
        single_nb_execution,
        notebook,
        cwd=str(working_folder),
        timeout=CELL_TIMEOUT,
        allow_errors=False,
        extra_arguments=["--IPKernelApp.log_level=ERROR"],  # or it warns of every plain connection
    )
    for _ in range(MAX_STARTS - 1):
        try:
            return run()
        except DeadKernelError:  # while it ran a cell
            raise
        except RuntimeError:
            continue
    return run()


def is_stored(chapter: Path, root: Path) -> bool:
    """Return True if the outputs of a chapter are kept."""
    store = folder(root)
    if not store.exists():
        return False
    with FileLock(store / "lock"):
        return _lookup(get_cache(store), _read(chapter)) is not None


def stored_cells(chapter: Path, root: Path) -> list[NotebookNode] | None:
    """Return the code cells of a chapter with their outputs; None if none are kept."""
    notebook = _read(chapter)
    store = folder(root)
    with FileLock(store / "lock"):
        try:
            record = get_cache(store).match_cache_notebook(notebook)
        except KeyError:
            return None
        stored = get_cache(store).get_cache_bundle(record.pk).nb
    source_cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    executed_cells = [cell for cell in stored.cells if cell.cell_type == "code"]
    for cell, source_cell in zip(executed_cells, source_cells, strict=True):
        cell.metadata = source_cell.metadata  # tags are not part of what was run
    return executed_cells


def _read(chapter: Path) -> NotebookNode:
    source = chapter.read_text(encoding="utf-8")
    notebook: NotebookNode = read_myst_markdown_notebook(source, SYNTAX, add_source_map=True, path=chapter)
    return notebook


def _join_streams(cell: NotebookNode) -> None:
    """Join consecutive outputs of a cell to the same stream, because their division is arbitrary."""
    joined: list[NotebookNode] = []
    for output in cell.get("outputs", []):
        last = joined[-1] if joined else {}
        if output.output_type == "stream" and last.get("name") == output.name:
            last["text"] += output.text
        else:
            joined.append(output)
    if joined:
        cell.outputs = joined


def _unreadable(chapter: Path, root: Path) -> str:
    """Return the faults of the numbers in the kept outputs of a chapter."""
    messages = []
    for cell in stored_cells(chapter, root) or []:
        first = cell.source.splitlines()[0]
        messages += [f"{chapter}: cell starting with {first!r}: {fault}" for fault in digits.faults(cell)]
    return "\n".join(messages)


def _lookup(cache: JupyterCacheAbstract, notebook: NotebookNode) -> float | None:
    """Return the duration of the kept run of this notebook in seconds; None if there is none."""
    try:
        return float(cache.match_cache_notebook(notebook).data["execution_seconds"])
    except KeyError:
        return None


def _first_error(notebook: NotebookNode, chapter: Path) -> str:
    lines = notebook.metadata["source_map"]
    for cell, line in zip(notebook.cells, lines, strict=True):
        if cell.cell_type != "code":
            continue
        where = f"{chapter}:{line + 1}: cell starting with {cell.source.splitlines()[0]!r}"
        for output in cell.outputs:
            if output.output_type == "error" and "raises-exception" not in cell.metadata.get("tags", []):
                trace = "\n".join(output.traceback)
                return f"{where} raised {output.ename}: {output.evalue}\n{trace}"
            if output.output_type == "stream" and output.name == "stderr":
                return f"{where} wrote to stderr:\n{output.text}"
        output_kinds = {kind for output in cell.outputs for kind in output.get("data", {})}
        if "image" in cell.metadata.get("mystnb", {}) and not any(
            kind.startswith("image/") for kind in output_kinds
        ):
            return f"{where} describes a picture and shows none"
    return ""
