"""Formulas in Unicode: examples, all formulas of the ledger, and the value of random expressions."""

import math
import random
import re

import pytest

from rbnotes import ledger
from rbnotes.ledger.unicode_math import (
    formula_to_unicode,
    labeled_lines,
    readable_formula,
    sentence_to_unicode,
)

EXAMPLES = {
    r"\mathbf M^{-1}\dot{\mathbf x}": "M⁻¹ẋ",
    r"\frac{l - L}{L}": "((l − L)/L)",
    r"\frac{a + b}{2}x": "((a + b)/2)x",
    r"\frac12 m\dot{\mathbf x}^\top\dot{\mathbf x}": "(1/2)mẋᵀẋ",
    r"\|\Delta\mathbf x\|": "‖Δx‖",
    r"\mathbf v_{k+1}": "vₖ₊₁",
    r"R_{WB}": "R_(WB)",
    r"\begin{pmatrix} M & -G^\top \\ G & 0 \end{pmatrix}": "[M, −Gᵀ; G, 0]",
    r"0 \le z \perp w \ge 0": "0 ≤ z ⊥ w ≥ 0",
    r"\ddot q = M^{-1}f \text{ given } f": "q̈ = M⁻¹f given f",
    r"\cos\theta\sin(q)": "cos θ sin(q)",
    r"\left.\frac{d}{dt}\right|_{t=0}": "(d/(dt))|ₜ₌₀",
}


@pytest.mark.parametrize("tex", EXAMPLES)
def test_examples(tex):
    assert formula_to_unicode(tex) == EXAMPLES[tex]


def test_all_formulas_of_the_ledger_are_readable():
    for record in ledger.load():
        texts = [formula_to_unicode(record.formula)]
        convert = sentence_to_unicode if record.is_prose else formula_to_unicode
        texts.append(convert(record.replacement))
        texts += [sentence_to_unicode(t) for t in (record.correction, record.condition, record.remark)]
        for text in texts:
            assert not re.search(r"[\\$]", text), (record.id, text)


def random_expression(rng, depth):
    """Return a random expression in TeX and its value."""
    if depth == 0:
        digit = rng.randint(1, 9)
        return str(digit), float(digit)
    (a, x), (b, y) = random_expression(rng, depth - 1), random_expression(rng, depth - 1)
    kind = rng.choice("+-*/r^f")
    if kind == "+":
        return f"({a} + {b})" if rng.random() < 0.5 else rf"\left({a} + {b}\right)", x + y
    if kind == "-":
        return f"({a} - {b})", x - y
    if kind == "*":
        return rf"({a})\cdot({b})", x * y
    if kind == "r":
        return rf"\sqrt{{{a} + {b}}}" if x + y > 0 else (a, x)[0], math.sqrt(x + y) if x + y > 0 else x
    if kind == "^":
        return rf"({a})^{{2}}", x**2
    denominator = y if abs(y) > 1e-9 else 1.0
    shown = b if abs(y) > 1e-9 else "1"
    if kind == "f":
        return rf"\tfrac{{{a} - {shown}}}{{{shown} + 0}}\cdot{shown}", x - denominator
    return rf"2\cdot\frac{{{a}}}{{{shown}}}", 2 * x / denominator


def test_text_has_the_value_of_the_formula():
    """Parentheses keep fractions, roots and powers together: the text is evaluated as an expression."""
    rng = random.Random(3)
    for _ in range(300):
        tex, value = random_expression(rng, rng.randint(1, 4))
        text = formula_to_unicode(tex)
        for sign, code in {"−": "-", "·": "*", "²": "**2", "√": "math.sqrt"}.items():
            text = text.replace(sign, code)
        text = re.sub(r"math\.sqrt(\d+)", r"math.sqrt(\1)", text)
        result = eval(text, {"math": math})
        assert math.isclose(result, value, rel_tol=1e-9, abs_tol=1e-9), (tex, text)


@pytest.mark.parametrize("tex", [r"{a", r"\begin{pmatrix} a", r"\unknown", r"\frac{a}", r"\text{a"])
def test_text_that_is_not_a_formula_is_an_error_or_unchanged(tex):
    with pytest.raises(ValueError, match=r"closed|unknown|argument"):
        formula_to_unicode(tex)
    assert readable_formula(tex) == tex


def test_long_texts_end_with_dots():
    lines = labeled_lines("right", "word " * 60, 2)
    assert len(lines) == 2
    assert lines[0].startswith("  right     word")
    assert lines[1].endswith("…")
    assert all(len(line) <= 80 for line in lines)
    assert labeled_lines("right", "") == []
