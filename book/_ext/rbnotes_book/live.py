r"""{live} name: insert a live figure, which computes in the page, with its poster and its first numbers.

A figure is one file of ``book/_js/figures``; the library computes what the page shows before it is touched,
without scripts, and in print: :mod:`rbnotes_book.live_figures`. The content of the directive is the caption.
Terms of the figure's formula are marked ``\term{name}{...}``, wrong signs ``\wrong{...}``.
"""

from __future__ import annotations

import html
import json
import re
import subprocess
from functools import cache
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from rbnotes_book import formulas, live_figures
from rbnotes_book.node import NODE, SCRIPTS

SERVER = SCRIPTS / "poster.mjs"
MARK = re.compile(r'data-live="([\w-]+)"')
TERM = re.compile(r"\\term\{(\w+)\}\{")

logger = logging.getLogger(__name__)


@cache
def describe(name: str, evaluations: str = "null") -> dict[str, Any]:
    """Return what a figure says of itself, and with the evaluations of its modes, JSON, its drawings.

    Raises
    ------
    ValueError
        If Node cannot read the figure.
    """
    request = f'{{"name": {json.dumps(name)}, "evaluations": {evaluations}}}\n'
    run = subprocess.run([NODE, SERVER], input=request, capture_output=True, encoding="utf-8", check=False)
    if run.returncode != 0:
        raise ValueError(f"live figure {name!r}: {run.stderr}")
    result: dict[str, Any] = json.loads(run.stdout)
    return result


def typeset(tex: str, prefix: str, terms: dict[str, Any], texts: dict[str, str]) -> str:
    """Return a form as HTML; each of its terms has its number below."""
    tex = tex.replace(r"\wrong", r"\htmlClass{wrong}")
    while match := TERM.search(tex):
        end = _closing_brace(tex, match.end())
        term = terms[match[1]]
        number = rf"{texts[term['key']]}\ \text{{{term['unit']}}}"
        inner = rf"\htmlClass{{term {term['kind']}}}{{{tex[match.end() : end]}}}"
        below = rf"\htmlId{{{prefix}-{match[1]}}}{{\htmlClass{{value {term['kind']}}}{{{number}}}}}"
        tex = f"{tex[: match.start()]}\\underbrace{{{inner}}}_{{{below}}}{tex[end + 1 :]}"
    return formulas.typeset(tex, display=True)


def _closing_brace(tex: str, start: int) -> int:
    depth = 1
    for position in range(start, len(tex)):
        depth += {"{": 1, "}": -1}.get(tex[position], 0)
        if depth == 0:
            return position
    raise formulas.FormulaError(f"no closing brace in {tex!r}")


def figure(name: str) -> str:
    """Return a figure up to its caption as HTML."""
    about = describe(name)
    poster = about["poster"]
    evaluations = {mode: live_figures.evaluate(name, poster["state"], mode) for mode in about["modes"]}
    description = describe(name, json.dumps(evaluations))
    parts = [f'<figure class="live" data-live="{name}"><div class="forms">']
    for mode, form in description["modes"].items():
        first = " first" if mode == poster["mode"] else ""
        texts = description["texts"][mode]
        formula = typeset(form["tex"], f"live-{name}-{mode}", description["terms"], texts)
        label = html.escape(form["label"]) + (" (shown below)" if first else "")
        parts.append(
            f'<div class="form{first}" data-mode="{mode}"><span class="name">{label}</span>'
            f'<div class="math"><div class="formula">{formula}</div></div></div>'
        )
    parts.append(
        f'</div><div class="views" role="img" aria-label="{html.escape(description["description"])}">'
    )
    for view in description["views"]:
        box = f"0 0 340 {view['height']:.4g}"
        parts.append(f'<svg class="view" data-view="{view["name"]}" viewBox="{box}">{view["svg"]}</svg>')
    parts.append('</div><dl class="numbers">')
    for number in description["numbers"]:
        text = description["texts"][poster["mode"]][number["key"]]
        unit, kind = number.get("unit", ""), number.get("kind", "")
        parts.append(
            f'<div class="{kind}"><dt>{html.escape(number["label"])}</dt>'
            f'<dd data-key="{number["key"]}">{text} {unit}</dd></div>'
        )
    parts.append("</dl><figcaption>")
    return "".join(parts)


class Live(SphinxDirective):
    """{live} name, with the caption as content."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        name = self.arguments[0]
        if name not in live_figures.names():
            logger.warning("no live figure %r", name, location=self.get_location())
            return []
        if not self.content:
            logger.warning("live figure %r without caption", name, location=self.get_location())
            return []
        for path in SCRIPTS.rglob("*.*js"):
            if "node_modules" not in path.parts:
                self.env.note_dependency(str(path))
        words = nodes.container()
        self.state.nested_parse(self.content, self.content_offset, words)
        # Texts, and links with a state, refer to the figure by the name of this box.
        box = nodes.container(ids=[f"live-{name}"], names=[f"live-{name}"])
        self.state.document.note_explicit_target(box)
        box += nodes.raw("", figure(name), format="html")
        box += words.children
        box += nodes.raw("", "</figcaption></figure>", format="html")
        return [box]


def _load_scripts(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Load scripts and style only on pages with a live figure: first the figures, then what runs them."""
    names = MARK.findall(context.get("body", ""))
    if names:
        for name in sorted(set(names)):
            app.add_js_file(f"live-{name}.js", loading_method="defer")
        app.add_js_file("live.js", loading_method="defer")
        app.add_css_file("live.css")


def setup(app: Sphinx) -> None:
    app.add_directive("live", Live)
    app.connect("html-page-context", _load_scripts)
