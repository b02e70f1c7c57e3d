"""Build the book: fetch its JavaScript, run the chapters, write the pages, print the ledger's summary.

    python tools/build_book.py                        the whole book, in _build/html
    python tools/build_book.py --only rotations       run only these chapters (the others show no outputs)
    python tools/build_book.py --chapters             run the chapters, compile for the tests, write no pages
    python tools/build_book.py --output /some/folder  write there (for builds side by side)

All warnings are errors: see book/_ext/rbnotes_book.
"""

from __future__ import annotations

import argparse
import gc
import shutil
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from build_scripts import SCRIPTS, build_scripts, digest

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "book" / "_ext"))

# The configuration has no internationalized addresses; the grammar for them takes two seconds to build.
sys.modules["rfc3987_syntax"] = None  # type: ignore[assignment]  # makes its import fail; typeshed lacks this

from jupyter_book.sphinx import build_sphinx  # noqa: E402  # the line above comes first
from rbnotes_book import cache, execution, kernels  # noqa: E402  # the path comes first

from rbnotes import ledger  # noqa: E402  # the path comes first

PROCESSES = 2
"""Chapters that run at a time, and processes that read and write pages."""
FEW = 4
"""Number of chapters that run before the first preloaded process is ready."""
COLLECTION_THRESHOLDS = (500_000, 20, 100)
"""Thresholds of garbage collection while pages are written: their trees are millions of objects in use."""
COMPILED = (
    "forward_dynamics_single",
    "forward_dynamics_batch",
    "dynamics_derivatives",
    "generalized_forces",
    "take_steps",
    "find_shape_contacts",
)
"""Functions that chapters on compiled code call: compiled beside the first chapters, and once for all."""


def run_chapters(root: Path, chapters: list[Path], *, compile_all: bool = False) -> list[str]:
    """Run chapters of the book at ``root``, two at a time; return the errors.

    The last chapters come first: they take the longest, and none of them should run alone at the end. Those
    on compiled code wait for the compiler.
    """
    errors = []
    absent = [chapter for chapter in chapters if not execution.is_stored(chapter, root)]
    with ThreadPoolExecutor(max_workers=PROCESSES) as pool:
        if compile_all or any(map(uses_compiled_code, absent)):
            pool.submit(compile_functions, compile_all)
        if len(absent) > FEW:
            kernels.fork_kernels()
        order = sorted(reversed(chapters), key=uses_compiled_code)
        runs = [pool.submit(execution.execute, chapter, root) for chapter in order]
        for count, run in enumerate(as_completed(runs), start=1):
            result = run.result()
            state = "FAILED" if result.error else "kept" if result.cached else f"{result.seconds:.1f} s"
            print(f"[{count}/{len(runs)}] {result.chapter.stem}: {state}", flush=True)
            if result.error:
                errors.append(result.error)
    return errors


def uses_compiled_code(chapter: Path) -> bool:
    """Return True if a chapter calls compiled dynamics or compiled steps."""
    text = chapter.read_text(encoding="utf-8")
    return "import packing" in text or "compiled=True" in text


def compile_functions(compile_all: bool) -> None:
    """Compile the functions of ``COMPILED``, or all, unless they are on disk; callers report failures."""
    names = f"dict.fromkeys([*{COMPILED}, *ENTRIES])" if compile_all else str(COMPILED)
    code = (
        "from rbnotes.compiled.compilation import compiled_function\n"
        "from rbnotes.compiled.entry_points import ENTRIES\n"
        f"for name in {names}: compiled_function(name)"
    )
    subprocess.run([sys.executable, "-P", "-c", code], check=False)


def write_pages(root: Path, output: Path, *, skipped: list[Path]) -> bool:
    """Write the HTML of the book at ``root``; return True if there was no warning."""
    mark = output / "written-from"
    # Sphinx reports a fault only when it reads the page. So after a failure, or a change of the
    # extension, it reads every page again.
    sources = digest(ROOT / "book" / "_ext", SCRIPTS, root / "_config.yml", root / "_toc.yml")
    state = f"{sources} {cache.folder(root).name} {skipped}"
    if not mark.exists() or mark.read_text() != state:
        for folder in ("doctrees", "html"):
            shutil.rmtree(output / folder, ignore_errors=True)
    mark.unlink(missing_ok=True)
    gc.set_threshold(*COLLECTION_THRESHOLDS)
    status = build_sphinx(
        root,
        output / "html",
        doctreedir=output / "doctrees",
        noconfig=True,
        path_config=root / "_config.yml",
        confoverrides={
            "external_toc_path": str(root / "_toc.yml"),
            "latex_individualpages": False,
            "nb_execution_excludepatterns": [path.relative_to(root).as_posix() for path in skipped],
        },
        jobs=PROCESSES,
        warningiserror=True,
        keep_going=True,
    )
    if status != 0:
        return False
    mark.write_text(state)
    return True


def summary() -> str:
    """Return a summary of the ledger in one line."""
    counts = Counter(record.verdict for record in ledger.load())
    verdicts = ", ".join(f"{counts[verdict]} {verdict}" for verdict in ledger.Verdict if counts[verdict])
    return f"Ledger: {counts.total()} claims ({verdicts})"


def main() -> int:
    parser = argparse.ArgumentParser(description="Builds the book.")
    parser.add_argument("--only", nargs="+", metavar="CHAPTER", help="run only these chapters")
    parser.add_argument(
        "--chapters", action="store_true", help="run the chapters, compile for the tests, write no pages"
    )
    parser.add_argument("--output", type=Path, help="where to write (default: _build)")
    parser.add_argument(
        "--root", type=Path, default=ROOT, help="folder of the book's _toc.yml (default: this one)"
    )
    args = parser.parse_args()
    root, output = args.root.resolve(), (args.output or args.root / "_build").resolve()

    build_scripts()
    chapters = list(execution.chapters(root))
    run = [path for path in chapters if args.only is None or path.stem in args.only]
    if args.only is not None and len(run) != len(args.only):
        parser.error(f"chapters are: {', '.join(path.stem for path in chapters)}")

    errors = run_chapters(root, run, compile_all=args.chapters)
    if args.chapters and not errors:
        return 0
    is_written = not errors and write_pages(
        root, output, skipped=[path for path in chapters if path not in run]
    )
    if not is_written:
        print(*errors, sep="\n\n", file=sys.stderr)
        print("\nThe book has faults, see above.", file=sys.stderr)
        return 1
    cache.prune(root)
    print(f"\n{summary()}\nStart page: {output / 'html' / 'index.html'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
