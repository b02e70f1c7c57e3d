"""Sueda 1.9.4: the passive curve of the muscle, its linear system and printed coefficients."""

from __future__ import annotations

import numpy as np

from rbnotes.forces.muscle import (
    ACTIVE_FORCE_LENGTH,
    FORCE_VELOCITY,
    PASSIVE_FORCE_LENGTH,
    Condition,
    piecewise_cubic,
    power_coefficients,
)
from rbnotes.ledger.claims.sueda.section_1_9_4 import section
from rbnotes.ledger.claims.sueda.section_1_9_4.curves import (
    active_reference,
    hermite_cubics,
    interpolated_coefficients,
    velocity_reference,
)
from rbnotes.ledger.pages import DROPPED, Page
from rbnotes.ledger.quantities import NUMBER
from rbnotes.ledger.record import Result

MIDDLE = (0.126110265892917, 1.07051016402631)
"""Value and derivative of the passive curve at 1.3."""


def passive_reference():
    """Compare with Hermite interpolation of the stated values and derivatives at 1, 1.3 and 1.7."""
    return interpolated_coefficients(
        hermite_cubics([1.0, 1.3, 1.7], [0.0, MIDDLE[0], 1.0], [0.0, MIDDLE[1], 2.85714285714286])
    )


def passive_library():
    return power_coefficients(PASSIVE_FORCE_LENGTH)


def row(x):
    return [x**3, x**2, x, 1]


def derivative_row(x):
    return [3 * x**2, 2 * x, 1, 0]


def matrix_printed(right_end=1.8, knot=1.3):
    """Return the matrix of (1.41) with the abscissa of row 3 and that of rows 7 and 8."""
    zeros = [0.0, 0.0, 0.0, 0.0]
    return np.array(
        [
            row(1.0) + zeros,
            row(1.3) + zeros,
            zeros + row(right_end),
            derivative_row(1.0) + zeros,
            derivative_row(1.3) + zeros,
            zeros + derivative_row(1.7),
            row(knot) + [-entry for entry in row(knot)],
            derivative_row(knot) + [-entry for entry in derivative_row(knot)],
        ]
    )


def system_printed(right_end=1.8, knot=1.3):
    """Return the solution of (1.41)."""
    matrix = matrix_printed(right_end, knot)
    right_side = np.array([0.0, MIDDLE[0], 1.0, 0.0, MIDDLE[1], 2.85714285714286, 0.0, 0.0])
    return np.linalg.solve(matrix, right_side).reshape(2, 4)


PASSIVE = (PASSIVE_FORCE_LENGTH, power_coefficients)


@section.misprint("t432#a", "The curve that Fig. 1a shows")
class t432_a:
    page_2019 = Page(11)
    page_2021 = DROPPED
    formula = (
        r"\text{`the active force length curve, shown in Fig. 1a': two cubics on } [1.0, 1.3], [1.3, 1.7]"
    )
    result = Result(NUMBER, "at the optimal length, then at the end of the middle cubic")

    def printed():
        """Return the active tension per peak force at two lengths, with the curve of Fig. 1a as f_L."""
        return PASSIVE_FORCE_LENGTH([1.0, 1.2])

    def library():
        return ACTIVE_FORCE_LENGTH([1.0, 1.2])

    def reference():
        """Compare with the middle cubic of the active curve, interpolated from the conditions (1.43)."""
        return np.polyval(active_reference()[1], [1.0, 1.2])

    correction = (
        "the passive force length curve, as the caption of Fig. 1 says; the active one has three cubics "
        "and follows in (1.43)"
    )
    replacement = "As an example, let's look at the passive force length curve, shown in Fig. 1a."
    remark = "As an active curve, it would give no tension at the optimal length."
    implements = ACTIVE_FORCE_LENGTH


@section.misprint("t432#b", "Common knot of the two cubics of the passive curve")
class t432_b:
    page_2019 = Page(11)
    page_2021 = DROPPED
    formula = r"\text{`share the same function and derivative at } x = 1.0\text{'}"
    result = Result(NUMBER, "a row for each cubic, the highest power first")

    def printed():
        return system_printed(right_end=1.7, knot=1.0)

    library = passive_library
    reference = passive_reference
    tolerance = 1e-12
    correction = "at $x = 1.3$, as in the two equations that follow and in rows 7 and 8 of (1.41)"
    replacement = "Finally, we want the left and right segments to share the same function and derivative at $x = 1.3$, which can be encoded as $f_1(1.3) - f_2(1.3) = 0$ and $f_1'(1.3) - f_2'(1.3) = 0$ (rows 7 and 8)."
    implements = PASSIVE


@section.demonstration("t432#c", "Eight conditions for eight coefficients")
class t432_c:
    formula = r"8\ \text{coefficients, } 8\ \text{conditions: `a square matrix that can be solved'}"
    result = Result(NUMBER, "rows, columns and rank")

    def printed():
        """Return the numbers of rows and columns, and the rank."""
        return np.array([8, 8, 8])

    def library():
        """Count the six point conditions and the two of the common knot, and those that a curve satisfies."""
        knots, single = (1.0, 1.3, 1.7), [(0, 1.0), (0, 1.3), (1, 1.7)]
        conditions = [Condition(cubic, x, order, 1.0) for cubic, x in single for order in (0, 1)]
        curve = piecewise_cubic(knots, conditions)
        num_satisfied = sum(
            np.abs(curve(condition.x, condition.order) - condition.value) < 1e-9 for condition in conditions
        )
        return np.array([len(conditions), num_satisfied, num_satisfied]) + 2

    def reference():
        """Compare with singular values of the matrix of (1.41), with 1.7 in its third row."""
        matrix = matrix_printed(right_end=1.7)
        sizes = np.linalg.svd(matrix)[1]
        return np.array([*matrix.shape, np.sum(sizes > 1e-9 * sizes[0])])

    exact = "counts of rows, of columns and of singular values"
    remark = (
        "As printed, with 1.8 in the third row, the matrix is regular as well, but its solution is a "
        "different curve."
    )
    implements = piecewise_cubic


@section.demonstration("t424", "Numbers of cubics in the three curves")
class t424:
    formula = r"\text{passive: two cubic segments; active force length, force velocity: three}"
    result = Result(NUMBER, "for the passive, the active and the force velocity curve")

    def printed():
        return np.array([2, 3, 3])

    def library():
        """Count the pieces with a third power of x; beyond their ends the curves are linear."""
        curves = (PASSIVE_FORCE_LENGTH, ACTIVE_FORCE_LENGTH, FORCE_VELOCITY)
        return np.array([np.count_nonzero(curve.c[0]) for curve in curves])

    def reference():
        """Count the intervals in which the third derivative of the interpolated curves is constant.

        Neighboring cubics differ if their leading coefficients differ.
        """
        curves = (passive_reference(), active_reference(), velocity_reference())
        return np.array([1 + np.count_nonzero(np.abs(np.diff(curve[:, 0])) > 1e-9) for curve in curves])

    exact = "counts of cubics"
    implements = (PASSIVE_FORCE_LENGTH, FORCE_VELOCITY)


@section.erratum("e1.41", "Linear system for the passive curve")
class e1_41:
    page_2019 = Page(11)
    page_2021 = DROPPED
    formula = r"f_2(1.8) = 1:\quad\text{row 3} = (0\ \ 0\ \ 0\ \ 0\ \ 1.8^3\ \ 1.8^2\ \ 1.8\ \ 1),\ \text{right-hand side } 1.0"
    result = Result(NUMBER, "a row for each cubic, the highest power first")

    def printed():
        return system_printed()

    library = passive_library
    reference = passive_reference
    tolerance = 1e-12
    correction = r"$f_2(1.7) = 1$: row 3 is $(0\ \ 0\ \ 0\ \ 0\ \ 1.7^3\ \ 1.7^2\ \ 1.7\ \ 1)$"
    replacement = r"""\begin{pmatrix} 1.0^3 & 1.0^2 & 1.0 & 1 & 0 & 0 & 0 & 0 \\ 1.3^3 & 1.3^2 & 1.3 & 1 & 0 & 0 & 0 & 0 \\ 0 & 0 & 0 & 0 & 1.7^3 & 1.7^2 & 1.7 & 1 \\ 3(1.0^2) & 2(1.0) & 1 & 0 & 0 & 0 & 0 & 0 \\ 3(1.3^2) & 2(1.3) & 1 & 0 & 0 & 0 & 0 & 0 \\ 0 & 0 & 0 & 0 & 3(1.7^2) & 2(1.7) & 1 & 0 \\ 1.3^3 & 1.3^2 & 1.3 & 1 & -1.3^3 & -1.3^2 & -1.3 & -1 \\ 3(1.3^2) & 2(1.3) & 1 & 0 & -3(1.3^2) & -2(1.3) & -1 & 0 \end{pmatrix}
\begin{pmatrix} a_1 \\ b_1 \\ c_1 \\ d_1 \\ a_2 \\ b_2 \\ c_2 \\ d_2 \end{pmatrix}
= \begin{pmatrix} 0.0 \\ 0.126110265892917 \\ 1.0 \\ 0.0 \\ 1.07051016402631 \\ 2.85714285714286 \\ 0.0 \\ 0.0 \end{pmatrix}"""
    remark = (
        "The text has the same error: 'we want the right cubic to go through (1.8, 1.0)'. But the "
        "interval ends at 1.7, the derivative is given there, and the printed coefficients (1.42) solve "
        "the system with 1.7. As printed, $a_2 = 8.7875$ instead of $-2.7612$, and the curve reaches "
        "only 0.63 at 1.7."
    )
    effect = (
        "A passive muscle that carries half of its largest force stretches to 1.65 times its length "
        "instead of 1.51."
    )
    implements = PASSIVE


@section.demonstration("e1.42", "Coefficients of the passive curve")
class e1_42:
    formula = r"a_1 = 2.55305620081729,\ \ldots,\ d_2 = 11.3749950550874"
    result = Result(NUMBER, "a row for each cubic, the highest power first")

    def printed():
        """Return the coefficients to twelve digits; the last printed digits are rounding errors, see the remark."""
        return [
            [2.55305620082, -7.02386028611, 6.38855196977, -1.91774788447],
            [-2.76122280854, 14.6587935048, -23.0429533092, 11.3749950551],
        ]

    library = passive_library
    reference = passive_reference
    tolerance = 5e-10
    tolerance_reason = "the printed numbers are compared to twelve digits"
    remark = (
        "Twelve significant digits agree in every coefficient. The last two or three printed digits "
        r"(largest difference $2.4\cdot10^{-12}$, in $c_2$) are rounding errors of the linear system in "
        "powers of $x$."
    )
    implements = PASSIVE
