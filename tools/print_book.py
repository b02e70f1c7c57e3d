"""Prints the whole built book as one PDF, by a browser that is installed.

    python tools/print_book.py            _build/rbnotes.pdf from _build/html
    python tools/print_book.py --browser  only say whether a browser is there, before the book is built

All chapters with their solutions unfolded, the errata and the references, in the order of the table of
contents. What only helps on a screen stays there: the finder, the entries of the ledger, the reference.
"""

from __future__ import annotations

import argparse
import html
import posixpath
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import urlsplit

from sphinx_external_toc.parsing import parse_toc_yaml

from rbnotes import __version__
from rbnotes.ledger.errata_pdf import BROWSERS, FLAGS, browser

ROOT = Path(__file__).resolve().parent.parent
ON_SCREEN = {"book/finder", "book/api", "book/ledger"}
"""Pages that only help where one can click and search."""
SECONDS = 380
STYLE = """
body { display: block; margin: 0; }
main { width: 658px; margin: 0 auto; }
article { break-before: page; }
.title-page { padding-top: 30vh; text-align: center; }
.title-page h1 { font-size: 3rem; }
.contents p.part { margin: 1rem 0 0.2rem; font-weight: 600; }
.contents ul { margin: 0; padding: 0; list-style: none; }
"""
MISSING = (
    f"A PDF needs a browser, and none of {', '.join(BROWSERS)} is installed. "
    "The pages in _build/html print from any browser, too: each has a button for it."
)


def slug(docname: str) -> str:
    """The anchor of a page in the whole book."""
    return docname.replace("/", "-")


def article(page: str, docname: str, printed: set[str]) -> str:
    """The text of a page with anchors, links and pictures as they are in the whole book."""
    start = page.index("<article")
    body = page[page.index(">", start) + 1 : page.index("</article>", start)]
    here, prefix = posixpath.dirname(docname), slug(docname) + "--"

    def address(match: re.Match[str]) -> str:
        name, value = match[1], html.unescape(match[2])
        parts = urlsplit(value)
        if parts.scheme or parts.netloc:
            return match[0]
        path = posixpath.normpath(posixpath.join(here, parts.path)) if parts.path else f"{docname}.html"
        if name == "src":
            return f'src="{html.escape(path)}"'
        target = path.removesuffix(".html")
        if target not in printed:
            return ""  # what is not printed cannot be turned to
        anchor = f"{slug(target)}--{parts.fragment}" if parts.fragment else slug(target)
        return f'href="#{html.escape(anchor)}"'

    body = re.sub(r'\b(href|src)="([^"]*)"', address, body)
    body = re.sub(r'\b(id|for|aria-labelledby|aria-describedby)="([^"]+)"', rf'\1="{prefix}\2"', body)
    body = re.sub(r"url\(#([^)]+)\)", rf"url(#{prefix}\1)", body)
    # a scene is its still drawing; nothing is folded; the theme's footer is not text
    body = re.sub(r"</?noscript>", "", body)
    body = re.sub(r"<details\b(?![^>]*\bopen\b)", "<details open", body)
    body = re.sub(r"<script\b.*?</script>", "", body, flags=re.DOTALL)
    return f'<article class="bd-article" id="{slug(docname)}">{body}</article>'


def contents(root: Path, pages: dict[str, str]) -> str:
    """The table of contents, with links."""
    lines = []
    for part in parse_toc_yaml(root / "_toc.yml").root.subtrees:
        names = [str(item) for item in part.items if str(item) in pages]
        if names:
            lines.append(f'<p class="part">{html.escape(part.caption or "")}</p><ul>')
            lines += [f'<li><a href="#{slug(name)}">{title(pages[name])}</a></li>' for name in names]
            lines.append("</ul>")
    return f'<article class="contents"><h1>Contents</h1>{"".join(lines)}</article>'


def title(page: str) -> str:
    """The heading of a page, with the number of its chapter."""
    match = re.search(r"<h1>(<span class=\"section-number\">.*?</h1>)", page) or re.search(
        r"<h1>(.*?)</h1>", page[page.index("<article") :], re.DOTALL
    )
    assert match is not None
    return re.sub(r"<a class=\"headerlink\".*?</a>|</h1>", "", match[1])


def whole(root: Path, folder: Path) -> str:
    """The whole book as one page, to lie at the top of the folder of its pages."""
    toc = parse_toc_yaml(root / "_toc.yml")
    names = [name for name in toc if name not in ON_SCREEN and (folder / f"{name}.html").exists()]
    pages = {name: (folder / f"{name}.html").read_text(encoding="utf-8") for name in names}
    first = pages[names[0]]
    styles = re.findall(r'<link[^>]*rel="stylesheet"[^>]*>', first)
    head = "".join(style.replace('href="../', 'href="') for style in styles)
    articles = "".join(article(page, name, set(names)) for name, page in pages.items())
    return (
        f'<!doctype html><html lang="en" data-theme="light" data-mode="light"><head><meta charset="utf-8">'
        f"<title>rbnotes {__version__}</title>{head}<style>{STYLE}</style>"
        f'<script defer src="_static/book.js"></script></head><body><main class="bd-content">'
        f'<section class="title-page"><h1>rbnotes</h1><p>Rigid-body dynamics, checked by running it</p>'
        f"<p>Version {__version__}, {time.strftime('%d %B %Y')}</p>"
        f"<p>Text: CC BY 4.0. Code: MIT licence.</p></section>"
        f"{contents(root, pages)}{articles}</main></body></html>"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description="Prints the whole built book as one PDF.")
    parser.add_argument("--browser", action="store_true", help="only look for a browser")
    parser.add_argument("--root", type=Path, default=ROOT, help="folder of the book's _toc.yml")
    parser.add_argument("--pages", type=Path, help="folder of the pages (default _build/html)")
    parser.add_argument("--output", type=Path, help="default _build/rbnotes.pdf")
    args = parser.parse_args()
    program = browser()
    if program is None:
        sys.exit(MISSING)
    if args.browser:
        return 0
    folder = (args.pages or args.root / "_build" / "html").resolve()
    output = (args.output or args.root / "_build" / "rbnotes.pdf").resolve()
    if not folder.is_dir():
        sys.exit(f"There are no pages in {folder}: run `make book` first.")
    page = folder / "whole-book.html"
    page.write_text(whole(args.root.resolve(), folder), encoding="utf-8")
    try:
        with tempfile.TemporaryDirectory() as profile:
            command = [program, *FLAGS, "--generate-pdf-document-outline", "--window-size=800,1000"]
            command += [f"--user-data-dir={profile}", f"--print-to-pdf={output}", page.as_uri()]
            done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    finally:
        page.unlink()
    if done.returncode != 0 or not output.exists():
        sys.exit(f"The browser did not print the book.\n{done.stderr[-2000:]}")
    print(f"The whole book: {output}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
