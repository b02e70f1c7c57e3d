"""What the search shows of formulas in the text."""

import pytest

from rbnotes.ledger.prose import words


@pytest.mark.parametrize(
    ("tex", "text"),
    [
        (r"R\,[\omega]", "R [ω]"),
        (r"\ddot g = -2\alpha\dot g - \beta^2 g", "ddot g = -2α dot g - β^2 g"),
        (r"\mathbf x^\T \le \lambda\times\Gamma", "x^T ≤ λ×Γ"),
        (r"0 \le z \perp w \ge 0", "0 ≤ z ⊥ w ≥ 0"),
    ],
)
def test_formulas_become_a_line_of_text(tex, text):
    assert words(tex) == text
