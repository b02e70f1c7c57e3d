"""Formulas with fewer elements look as KaTeX sets them: equal positions of glyphs and lines in a browser."""

import json
import re
import subprocess
from pathlib import Path

import pytest
from inspect_pages import NO_BROWSER, chromium
from rbnotes_book.node import NODE, SCRIPTS

from rbnotes.ledger.errata_pdf import find_browser

FORMULAS = [
    r"f = m\,a + b",
    r"\dot{\mathbf q}_i^\T\,\ddot{\mathbf q}_{i+1}",
    r"{}^0_i\mathbf R\,\Gamma({}^i\mathbf x)\,{}^i\dot\phi_i",
    r"f_i' = 3a_i x^2 + 2b_i x + c_i,\quad f_i'' = 6a_i x + 2b_i",
    r"\frac{1}{2}\,\frac{\partial f}{\partial\xi} + \tfrac12\cot\tfrac\phi2",
    r"\frac{\dfrac{a}{b} + c}{1 + \dfrac{x_1}{\lVert\Delta x\rVert}}",
    r"\begin{pmatrix} R & p \\ 0 & 1 \end{pmatrix}^{-1}",
    (
        r"\begin{bmatrix} a_{11} & \cdots & a_{1n} \\ \vdots & \ddots & \vdots \\ a_{m1} & \cdots & "
        r"a_{mn} \end{bmatrix}"
    ),
    r"\left(\begin{array}{c|c} A & B \\ \hline C & D \end{array}\right)",
    r"\begin{pmatrix} [x_1][R_1^\T(p_1 - X_2)] & [x_1] \\ R_2^\T R_1[x_1] & -[x_2]R_2^\T \end{pmatrix}",
    (
        r"\begin{cases} \mathbf I_{6\times6} & \text{if } \lambda(i) = j \\ \mathbf 0 & "
        r"\text{otherwise} \end{cases}"
    ),
    (
        r"\begin{aligned} f_1 &= k_t R_1^\T (x_2 - x_1), & \tau_1 &= k_r\, w, \\ f_2 &= -f_1 & "
        r"\tau_2 &= -k_r w \end{aligned}"
    ),
    r"\begin{gathered} w = f_s w_n, \\ f_s = k\,\frac{l - L}{L} + d\,\frac{\dot l}{L} \end{gathered}",
    r"\underbrace{\begin{pmatrix} a \\ b \end{pmatrix} c}_{K_1} + \underbrace{d\,e}_{K_2}",
    r"\overbrace{a + b}^{n}\ \overline{x + y}\ \underline{z}",
    r"\sum_{k=1}^{n-1}\lVert\Delta x_k\rVert,\qquad \prod_{i\in\mu(k)} A_i",
    r"\Bigl(\sum_{k=1}^{n-1} w_k\Bigr)\frac{\partial f}{\partial\phi} + \biggl[\int_0^h v\,dt\biggr]",
    r"\left(\mathbf G_i^{-1}\dfrac{\partial\mathbf G_i}{\partial q_i^1}\right)^{\!\vee}",
    r"\left\{\left[\left(\frac{a}{b}\right)\right]\right\}",
    r"\sqrt{x^2 + y^2},\quad \sqrt[3]{\frac{a}{b}}",
    r"\hat{\mathbf v}\ \tilde l\ \bar{\mathbf J}\ \vec r\ \widehat{abc}\ \widetilde{xyz}",
    r"\min_{v}\ \max_{\lambda\ge 0}\ \lim_{h\to0}\ \operatorname{diag}(a)",
    r"0 \le \lambda \perp G v + b \ge 0",
    r"a \overset{\text{def}}{=} b \stackrel{!}{=} c \underset{x}{\to} d",
    (
        r"\mathbf S_i^\T\bar{\mathbf J}_i\,(\mathbf A_i\dot{\mathbf v} + \mathbf S_i\ddot{\mathbf "
        r"q}_i) = 0 \quad\Rightarrow\quad x"
    ),
    r"\mathcal R\,J_v\,\mathcal R^\T,\qquad \mathcal R = \operatorname{diag}(R_A, R_A)",
    r"\phantom{\mathbf f_i} = \sum_{k}\mathbf A_k^*\,\mathbf f_k",
    r"x_{a_{b_c}}^{d^{e^f}} + {x'}^2 + x''_i",
    r"\binom{n}{k}\ \tbinom{n}{k}\ {n \brace k}",
    r"\boxed{M \dot v = f}\ \cancel{a}",
    r"\substack{i = 1 \\ i \ne j}\ \sum_{\substack{0 < i < n \\ j \in J}} x_{ij}",
    (
        r"\dot{\mathbf v}_\lambda = \Theta_\lambda\dot{\mathbf v},\ \boldsymbol\alpha_k\ "
        r"\mathrm{ad}^*_{\mathbf v}"
    ),
    r"\left\lVert\frac{x}{y}\right\rVert_2 \quad \left|\begin{matrix} a & b \\ c & d \end{matrix}\right|",
    r"\htmlData{symbol=1}{\mathbf {n}^{\T}}\,{}^{0}_{i}\htmlData{symbol=0}{\mathbf {R}}",
    r"\htmlClass{wrong}{-}\,\htmlData{symbol=3}{\dot{\mathbf x}}\ \htmlData{symbol=2}{\bar{\tau}_{k}}",
    r"\tfrac{d}{dt}\mathbb R^{3}\ \mathfrak{so}(3)\ \mathsf T\ \texttt{code}",
    (
        r"\scriptstyle a + \frac{b}{c}\ \displaystyle \frac{b}{c}\ {\scriptscriptstyle x}\ {\large "
        r"y}\ {\small z}"
    ),
    r"\xrightarrow[\text{below}]{\text{above}}\ \overrightarrow{AB}",
    r"a\!b\,c\:d\;e\quad f\qquad g\hspace{1em}h\ i~j",
    (
        r"\begin{pmatrix} 1.3^3 & -1.3^2 \\ 3\cdot 1.3^2 & -2\cdot 1.3 \end{pmatrix}\begin{pmatrix} "
        r"a_1 \\ d_2 \end{pmatrix}"
    ),
]
"""Formulas of each kind in the book, and of constructs that KaTeX sets in a way of its own."""
TOLERANCE = 0.5
"""Largest distance of a glyph from its place in KaTeX's own output [px]."""
PLACES = r"""() => [...document.querySelectorAll(".formula")].map((formula) => {
  const origin = formula.getBoundingClientRect(), result = [];
  const add = (text, box, font) =>
    result.push([text, font, box.left - origin.left, box.bottom - origin.top, box.width]);
  const texts = document.createTreeWalker(formula.querySelector(".katex-html"), NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const node = texts.currentNode, style = getComputedStyle(node.parentElement);
    const font = [style.fontFamily, style.fontStyle, style.fontWeight, parseFloat(style.fontSize).toFixed(1)];
    for (let i = 0; i < node.data.length; i++) {
      if (/[\u200b\s]/.test(node.data[i])) continue;
      const range = document.createRange();
      range.setStart(node, i);
      range.setEnd(node, i + 1);
      add(node.data[i], range.getBoundingClientRect(), font.join(" "));
    }
  }
  for (const line of formula.querySelectorAll(".frac-line, .overline-line, .underline-line, .hline, svg"))
    add("line", line.getBoundingClientRect(), "");
  add("formula", origin, "");
  return result;
})"""

pytestmark = pytest.mark.skipif(find_browser() is None, reason=NO_BROWSER)


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    """Return the places of glyphs and lines in each formula, as KaTeX sets it and compact."""
    command = [NODE, Path(__file__).with_name("compact.mjs"), SCRIPTS]
    run = subprocess.run(command, input=json.dumps(FORMULAS), capture_output=True, text=True, check=True)
    pairs = json.loads(run.stdout)
    styles = [SCRIPTS / "node_modules" / "katex" / "dist" / "katex.min.css", SCRIPTS / "formulas.css"]
    folder = tmp_path_factory.mktemp("formulas")
    positions = []
    with chromium() as browser:
        page = browser.new_page()
        for number, sheets in enumerate((styles[:1], styles)):
            links = "".join(f'<link rel="stylesheet" href="{sheet.as_uri()}">' for sheet in sheets)
            body = "".join(f'<div class="formula">{pair[number]}</div>' for pair in pairs)
            path = folder / f"{number}.html"
            path.write_text(
                f'<!doctype html><meta charset="utf-8">{links}'
                f"<style>.formula {{ position: relative; width: max-content; margin: 8px }}</style>{body}",
                encoding="utf-8",
            )
            page.goto(path.as_uri())
            page.evaluate("() => document.fonts.ready.then(() => null)")
            positions.append(page.evaluate(PLACES))
    return list(zip(pairs, *positions, strict=True))


def distance(glyph, other):
    return max(abs(a - b) for a, b in zip(glyph[2:], other[2:], strict=True))


def displaced_items(original, compact):
    """Return the glyphs and lines that have no counterpart of the same font at their place."""
    left = list(compact)
    result = []
    for glyph in original:
        same = [other for other in left if other[:2] == glyph[:2]]
        nearest = min(same, key=lambda other: distance(glyph, other), default=None)
        if nearest is None or distance(glyph, nearest) > TOLERANCE:
            result.append((glyph, nearest))
        else:
            left.remove(nearest)
    return result + [(None, glyph) for glyph in left]


def test_glyphs_of_compact_formulas_stand_where_katex_puts_them(places):
    wrong = {
        tex: displaced_items(original, compact)
        for tex, (_, original, compact) in zip(FORMULAS, places, strict=True)
    }
    assert {tex: glyphs[:2] for tex, glyphs in wrong.items() if glyphs} == {}


def test_compact_formulas_have_half_the_elements(places):
    counts = [sum(len(re.findall("<[a-z]", pair[number])) for pair, *_ in places) for number in (0, 1)]
    assert counts[1] < 0.7 * counts[0]
