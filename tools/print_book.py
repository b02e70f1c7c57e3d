"""Print the built book as one PDF, chapter by chapter, with an installed browser.

    python tools/print_book.py            _build/rbnotes.pdf from _build/html
    python tools/print_book.py --browser  only check for a browser, before the book is built

The PDF contains all chapters with their code unfolded, the errata and the references, in the order of the
table of contents, and the solutions of the exercises as an appendix, with page numbers, bookmarks and links.
It omits the finder, the ledger with its tables, and the API reference.
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

from pypdf import PdfReader, PdfWriter
from pypdf.constants import PageLabelStyle
from pypdf.generic import ArrayObject, NameObject
from sphinx_external_toc.parsing import parse_toc_yaml

from rbnotes import __version__
from rbnotes.ledger.errata_pdf import BROWSER_FLAGS, BROWSERS, find_browser

ROOT = Path(__file__).resolve().parent.parent
ON_SCREEN = {"book/finder", "book/api", "book/ledger"}
"""Pages that are useless in print."""
SECONDS = 300
"""For one chapter, on a busy machine."""
HOST = "https://chapter.invalid/"
"""Host of the links to other chapters until the chapters are bound."""
APPENDIX = "book/solutions"
"""Name of the appendix among the pages; no page has this name."""
STYLE = """
html { font-size: 14px; counter-reset: page BEFORE; }
body { display: block; margin: 0; }
main { width: 658px; margin: 0 auto; }
@page cover { margin: 0; }
.title-page { page: cover; display: flex; flex-direction: column; box-sizing: border-box; height: 296mm;
  width: 210mm; margin: 0 calc(50% - 105mm); padding: 45mm 28mm 28mm; color: #fff; background: #0b3a63;
  print-color-adjust: exact; }
.title-page svg { width: 120mm; margin: 0 0 26mm -4mm; }
.title-page h1 { margin: 0 0 6mm; font-size: 4.4rem; color: #fff; }
.title-page p { margin: 0 0 3mm; font-size: 1.5rem; }
.title-page .imprint { margin-top: auto; font-size: 1rem; }
.contents { break-before: page; }
.contents p.part { margin: 1rem 0 0.2rem; font-weight: 600; break-after: avoid; }
.contents ul { margin: 0; padding: 0; list-style: none; }
.contents li { display: flex; }
.contents li::before { order: 1; flex: 1; margin: 0 0.4rem 0.3em; border-bottom: 1px dotted; content: ""; }
.contents .page { order: 2; }
#all-chapters { display: none; }
@page { @bottom-center { content: FOOTER; font: 9pt sans-serif; } }
"""
CSS_TEXT = str.maketrans({"'": "\N{RIGHT SINGLE QUOTATION MARK}", "\\": None})
MISSING = (
    f"A PDF needs a browser, and none of {', '.join(BROWSERS)} is installed. "
    "The pages in _build/html print from any browser, too: each has a button for it."
)


def errata_pages(folder: Path, docname: str) -> list[str]:
    """Return the pages of errata that a page's table links, in order; they are in no table of contents."""
    if not docname.startswith("book/errata-"):
        return []
    page = (folder / f"{docname}.html").read_text(encoding="utf-8")
    name = re.escape(posixpath.basename(docname))
    pages = re.findall(rf'href="(generated/{name}-[^"#]*)\.html#', page)
    return list(dict.fromkeys(posixpath.join("book", each) for each in pages))


def article(page: str, docname: str, printed: set[str]) -> str:
    """Return the text of a page with the links of the whole book and without folded parts."""
    start = page.index("<article")
    body = page[start : page.index("</article>", start)] + "</article>"
    body, _ = extract_elements(body, r'<section id="claims-of-this-chapter"')

    def address(match: re.Match[str]) -> str:
        parts = urlsplit(html.unescape(match[1]))
        if parts.scheme or parts.netloc or not parts.path:
            return match[0]
        path = posixpath.normpath(posixpath.join(posixpath.dirname(docname), parts.path))
        target = path.removesuffix(".html")
        # pages outside the PDF cannot be linked
        return f'href="{HOST}{target}"' if target in printed else ""

    body = re.sub(r'\bhref="([^"]*)"', address, body)
    # a scene is a still drawing; nothing is folded
    body = re.sub(r"</?noscript>", "", body)
    body = re.sub(r"<details\b(?![^>]*\bopen\b)", "<details open", body)
    return re.sub(r"<script\b.*?</script>", "", body, flags=re.DOTALL)


def extract_elements(body: str, opening: str) -> tuple[str, list[str]]:
    """Split a text into the text without the elements whose tags match a pattern, and these elements."""
    remainder, extracted, at = "", [], 0
    while match := re.search(opening, body[at:]):
        start = at + match.start()
        name = re.split(r"\W", body[start + 1 :], maxsplit=1)[0]
        depth, end = 0, start
        for tag in re.finditer(rf"<(/?){name}\b[^>]*>", body[start:]):
            depth += -1 if tag[1] else 1
            end = start + tag.end()
            if depth == 0:
                break
        remainder += body[at:start]
        extracted.append(body[start:end])
        at = end
    return remainder + body[at:], extracted


def appendix(solutions: dict[str, list[str]], titles: dict[str, str]) -> str:
    """Return the solutions of all chapters; their references link to the chapters."""
    parts = []
    for name, elements in solutions.items():
        elements = [re.sub(r'\bhref="#[^"]*"', f'href="{HOST}{name}"', text) for text in elements]
        parts.append(f"<section><h2>{titles[name]}</h2>{''.join(elements)}</section>")
    return f'<article class="bd-article"><h1>Solutions</h1>{"".join(parts)}</article>'


def contents(root: Path, titles: dict[str, str], first: dict[str, int]) -> str:
    """Return the table of contents, with links and the numbers of first pages."""

    def line(name: str) -> str:
        return f'<li><a href="{HOST}{name}">{titles[name]}</a><span class="page">{first[name]}</span></li>'

    lines = []
    for part in parse_toc_yaml(root / "_toc.yml").root.subtrees:
        names = [str(item) for item in part.items if str(item) in first]
        if names:
            lines.append(f'<p class="part">{html.escape(part.caption or "")}</p><ul>')
            lines += [*map(line, names), "</ul>"]
    if APPENDIX in first:
        lines += ['<p class="part">Appendix</p><ul>', line(APPENDIX), "</ul>"]
    return f'<article class="contents"><h1>Contents</h1>{"".join(lines)}</article>'


def title(page: str) -> str:
    """Return the heading of a page with the number of its chapter."""
    match = re.search(r"<h1>(<span class=\"section-number\">.*?</h1>)", page) or re.search(
        r"<h1>(.*?)</h1>", page[page.index("<article") :], re.DOTALL
    )
    assert match is not None
    return re.sub(r"<a class=\"headerlink\".*?</a>|</h1>", "", match[1])


def strip_markup(markup: str) -> str:
    """Return the text without markup."""
    return html.unescape(re.sub("<[^>]*>", "", markup))


def document(body: str, like: str, heading: str, before: int | None) -> str:
    """Return a page for print with the style sheets of a page; numbers continue from ``before``."""
    styles = "".join(re.findall(r'<link[^>]*rel="stylesheet"[^>]*>', like))
    scripts = "".join(re.findall(r"<script[^>]*book\.js[^>]*></script>", like))
    footer = '""' if before is None else f"'{strip_markup(heading).translate(CSS_TEXT)}, page ' counter(page)"
    style = STYLE.replace("FOOTER", footer).replace("BEFORE", str(before or 0))
    return (
        '<!doctype html><html lang="en" data-theme="light"><head><meta charset="utf-8">'
        f"<title>{html.escape(strip_markup(heading))}</title>{styles}<style>{style}</style>{scripts}</head>"
        f'<body><main class="bd-content">{body}</main></body></html>'
    )


COVER_DRAWING = """<svg viewBox="0 0 240 150" fill="none" stroke="#fff" stroke-width="2"
 stroke-linejoin="round"><path d="M6 132H234" stroke-opacity="0.45"/>
<g fill="#000" fill-opacity="0.35" stroke="none">
<ellipse cx="62" cy="132" rx="42" ry="4"/><ellipse cx="184" cy="132" rx="34" ry="4"/></g>
<g transform="rotate(-16 62 78)"><rect x="26" y="50" width="72" height="56" rx="5"
 fill="#3d85d8"/></g><g transform="rotate(12 184 66)"><rect x="154" y="42" width="60" height="48" rx="5"
 fill="#e08214"/></g><path d="M97 68l8-1 4-10 7 21 7-22 7 21 7-22 7 20 4-10 8-1"/><g stroke-width="4"
 stroke-linecap="round"><path d="M100 40h24m-8-7l8 7-8 7" stroke="#9fe0b3"/><path d="M152 30h-24m8-7l-8 7 8 7"
 stroke="#9fe0b3"/></g><path d="M44 78l12 12 24-28" stroke-width="7" stroke-linecap="round"/></svg>"""
"""Two bodies pulled together by a stretched spring; the first one bears the mark of the book."""


def front_matter(root: Path, titles: dict[str, str], first: dict[str, int]) -> str:
    """Return title page and contents."""
    return (
        f'<section class="title-page">{COVER_DRAWING}<h1>rbnotes</h1>'
        "<p>Rigid-body dynamics, checked by running it</p>"
        f'<p class="imprint">Version {__version__}, {time.strftime("%d %B %Y")}<br>'
        f"Text: CC BY 4.0. Code: MIT license.</p></section>{contents(root, titles, first)}"
    )


def print_page(program: str, text: str, source: Path, target: Path) -> None:
    """Print a document that temporarily lies at a place among the pages."""
    source.write_text(text, encoding="utf-8")
    try:
        with tempfile.TemporaryDirectory() as profile:
            command = [program, *BROWSER_FLAGS, "--generate-pdf-document-outline", "--window-size=800,1000"]
            command += [f"--user-data-dir={profile}", f"--print-to-pdf={target}", source.as_uri()]
            done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    finally:
        source.unlink()
    if done.returncode != 0 or not target.exists():
        sys.exit(f"The browser did not print {source.name}.\n{done.stderr[-2000:]}")


def merge_chapters(chapters: dict[str, tuple[str, Path]], output: Path) -> None:
    """Merge printed chapters, by name with title and file; links between them lead to first pages.

    The pages of the first one, the table of contents, are not numbered.
    """
    writer = PdfWriter()
    first: dict[str, int] = {}
    for name, (heading, file) in chapters.items():
        first[name] = len(writer.pages)
        writer.append(PdfReader(file), outline_item=heading)
    for page in writer.pages:
        for reference in page.get("/Annots") or ():
            link = reference.get_object()
            address = str(link.get("/A", {}).get("/URI", ""))
            name = address.removeprefix(HOST)
            if address.startswith(HOST) and name in first:
                del link["/A"]
                target = writer.pages[first[name]].indirect_reference
                link[NameObject("/Dest")] = ArrayObject([target, NameObject("/Fit")])
    count = list(first.values())[1] if len(first) > 1 else 0
    if count:
        writer.set_page_label(0, count - 1, style=PageLabelStyle.LOWERCASE_ROMAN)
    writer.set_page_label(count, len(writer.pages) - 1, style=PageLabelStyle.DECIMAL, start=1)
    writer.write(output)


def main() -> int:
    parser = argparse.ArgumentParser(description="Prints the whole built book as one PDF.")
    parser.add_argument("--browser", action="store_true", help="only look for a browser")
    parser.add_argument("--root", type=Path, default=ROOT, help="folder of the book's _toc.yml")
    parser.add_argument("--pages", type=Path, help="folder of the pages (default _build/html)")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="only these pages, such as rotations")
    parser.add_argument("--output", type=Path, help="default _build/rbnotes.pdf")
    args = parser.parse_args()
    program = find_browser()
    if program is None:
        sys.exit(MISSING)
    if args.browser:
        return 0
    folder = (args.pages or args.root / "_build" / "html").resolve()
    output = (args.output or args.root / "_build" / "rbnotes.pdf").resolve()
    if not folder.is_dir():
        sys.exit(f"There are no pages in {folder}: run `make book` first.")
    names = [
        name
        for listed in parse_toc_yaml(args.root / "_toc.yml")
        for name in (listed, *errata_pages(folder, listed))
        if name not in ON_SCREEN
        and (folder / f"{name}.html").exists()
        and (not args.only or posixpath.basename(name) in args.only)
    ]
    pages = {name: (folder / f"{name}.html").read_text(encoding="utf-8") for name in names}
    texts, solutions = {}, {}
    for name, page in pages.items():
        texts[name], solution_elements = extract_elements(
            article(page, name, set(names)), r'<div class="solution\b'
        )
        if solution_elements:
            solutions[name] = solution_elements
    titles = {name: title(page) for name, page in pages.items()}
    if solutions:
        texts[APPENDIX], titles[APPENDIX] = appendix(solutions, titles), "Solutions"
    with tempfile.TemporaryDirectory() as printed:
        bound: dict[str, tuple[str, Path]] = {}
        first: dict[str, int] = {}
        before = 0

        def print_part(name: str, text: str, heading: str, before: int | None) -> int:
            """Print one part of the book; return its number of pages."""
            file = Path(printed) / f"{len(bound)}.pdf"
            like = pages.get(name, pages[names[0]])
            path = folder / f"{name if name in pages else names[0]}-to-print.html"
            print(f"[{len(bound) + 1}/{len(texts) + 1}] {strip_markup(heading)}", flush=True)
            print_page(program, document(text, like, heading, before), path, file)
            bound[name] = strip_markup(heading), file
            return len(PdfReader(file).pages)

        for name, text in texts.items():
            first[name] = before + 1
            before += print_part(name, text, titles[name], before)
        print_part("front", front_matter(args.root, titles, first), "Contents", None)
        merge_chapters({"front": bound.pop("front"), **bound}, output)
    print(f"The whole book: {output}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
