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
    hermite,
    powers,
    velocity_reference,
)
from rbnotes.ledger.pages import DROPPED, Page
from rbnotes.ledger.quantities import NUMBER
from rbnotes.ledger.record import Result

MIDDLE = (0.126110265892917, 1.07051016402631)
"""Value and slope of the passive curve at 1.3."""


def passive_reference():
    """Compare with Hermite interpolation of the values and slopes at 1, 1.3 and 1.7; no linear system.

    Value and slope are stated at all three knots.
    """
    return powers(hermite([1.0, 1.3, 1.7], [0.0, MIDDLE[0], 1.0], [0.0, MIDDLE[1], 2.85714285714286]))


def passive_library():
    return power_coefficients(PASSIVE_FORCE_LENGTH)


def row(x):
    return [x**3, x**2, x, 1]


def slope_row(x):
    return [3 * x**2, 2 * x, 1, 0]


def matrix_printed(right_end=1.8, joint=1.3):
    """Return the matrix of (1.41) with the abscissa of row 3 and that of rows 7 and 8."""
    none = [0.0, 0.0, 0.0, 0.0]
    return np.array(
        [
            row(1.0) + none,
            row(1.3) + none,
            none + row(right_end),
            slope_row(1.0) + none,
            slope_row(1.3) + none,
            none + slope_row(1.7),
            row(joint) + [-entry for entry in row(joint)],
            slope_row(joint) + [-entry for entry in slope_row(joint)],
        ]
    )


def system_printed(right_end=1.8, joint=1.3):
    """Return the solution of (1.41)."""
    matrix = matrix_printed(right_end, joint)
    right = np.array([0.0, MIDDLE[0], 1.0, 0.0, MIDDLE[1], 2.85714285714286, 0.0, 0.0])
    return np.linalg.solve(matrix, right).reshape(2, 4)


PASSIVE = (PASSIVE_FORCE_LENGTH, power_coefficients)


@section.misprint("t432#a", "Which curve Fig. 1a shows")
class t432_a:
    page_2019 = Page(11)
    page_2021 = DROPPED
    formula = (
        r"\text{`the active force length curve, shown in Fig. 1a': two cubics on } [1.0, 1.3], [1.3, 1.7]"
    )
    result = Result(NUMBER, "at the optimal length, then where the middle cubic ends")

    def printed():
        """Active tension per peak force at the optimal length and beyond, with the curve of Fig. 1a as f_L."""
        return PASSIVE_FORCE_LENGTH([1.0, 1.2])

    def library():
        return ACTIVE_FORCE_LENGTH([1.0, 1.2])

    def reference():
        """Compare with the middle cubic of the active curve, interpolated from the conditions (1.43).

        At the optimal length and at 1.2 times it, where the middle cubic ends.
        """
        return np.polyval(active_reference()[1], [1.0, 1.2])

    correction = (
        "the passive force length curve, as the caption of Fig. 1 says; the active one has three cubics "
        "and follows in (1.43)"
    )
    replacement = "As an example, let's look at the passive force length curve, shown in Fig. 1a."
    remark = "As active curve, it would give a muscle that is slack at its optimal length."
    implements = ACTIVE_FORCE_LENGTH


@section.misprint("t432#b", "Where the two cubics of the passive curve join")
class t432_b:
    page_2019 = Page(11)
    page_2021 = DROPPED
    formula = r"\text{`share the same function and derivative at } x = 1.0\text{'}"
    result = Result(NUMBER, "a row for each cubic, the highest power first")

    def printed():
        return system_printed(right_end=1.7, joint=1.0)

    library = passive_library
    reference = passive_reference
    tolerance = 1e-12
    correction = "at $x = 1.3$, as the two equations behind it and rows 7 and 8 of (1.41) have it"
    replacement = "Finally, we want the left and right segments to share the same function and derivative at $x = 1.3$, which can be encoded as $f_1(1.3) - f_2(1.3) = 0$ and $f_1'(1.3) - f_2'(1.3) = 0$ (rows 7 and 8)."
    implements = PASSIVE


@section.demonstration("t432#c", "Eight conditions for eight coefficients")
class t432_c:
    formula = r"8\ \text{coefficients, } 8\ \text{conditions: `a square matrix that can be solved'}"
    result = Result(NUMBER, "rows, columns and rank")

    def printed():
        """Rows, columns, and how many of the rows are independent."""
        return np.array([8, 8, 8])

    def library():
        """Count the six conditions and the two of the joint, and those that a curve satisfies."""
        knots, single = (1.0, 1.3, 1.7), [(0, 1.0), (0, 1.3), (1, 1.7)]
        stated = [Condition(cubic, x, order, 1.0) for cubic, x in single for order in (0, 1)]
        curve = piecewise_cubic(knots, stated)
        met = sum(np.abs(curve(each.x, each.order) - each.value) < 1e-9 for each in stated)
        return np.array([len(stated), met, met]) + 2

    def reference():
        """Compare with singular values of the matrix of (1.41), with 1.7 in its third row."""
        matrix = matrix_printed(right_end=1.7)
        sizes = np.linalg.svd(matrix)[1]
        return np.array([*matrix.shape, np.sum(sizes > 1e-9 * sizes[0])])

    exact = "counts of rows, of columns and of singular values"
    remark = (
        "As printed, with 1.8 in the third row, the matrix is regular as well; its solution is another curve."
    )
    implements = piecewise_cubic


@section.demonstration("t424", "Of how many cubics the three curves are made")
class t424:
    formula = r"\text{passive: two cubic segments; active force length, force velocity: three}"
    result = Result(NUMBER, "how many for the passive, the active and the force velocity curve")

    def printed():
        return np.array([2, 3, 3])

    def library():
        """Pieces with a third power of x: beyond their ends the curves go on straight."""
        curves = (PASSIVE_FORCE_LENGTH, ACTIVE_FORCE_LENGTH, FORCE_VELOCITY)
        return np.array([np.count_nonzero(curve.c[0]) for curve in curves])

    def reference():
        """Count the intervals in which the third derivative of the interpolated curves is constant.

        Neighbouring cubics with different leading coefficients are different.
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
        "In the text too: 'we want the right cubic to go through (1.8, 1.0)'. But the interval ends at "
        "1.7, the slope is given there, and the printed coefficients (1.42) solve the system with 1.7. "
        "As printed, $a_2 = 8.7875$ instead of $-2.7612$, and the curve reaches only 0.63 at 1.7."
    )
    implements = PASSIVE


@section.demonstration("e1.42", "Coefficients of the passive curve")
class e1_42:
    formula = r"a_1 = 2.55305620081729,\ \ldots,\ d_2 = 11.3749950550874"
    result = Result(NUMBER, "a row for each cubic, the highest power first")

    def printed():
        """To the twelfth digit; the last ones that are printed are noise, see the remark."""
        return [
            [2.55305620082, -7.02386028611, 6.38855196977, -1.91774788447],
            [-2.76122280854, 14.6587935048, -23.0429533092, 11.3749950551],
        ]

    library = passive_library
    reference = passive_reference
    tolerance = 5e-10
    remark = (
        r"Twelve significant digits agree in every coefficient. The last two or three that are printed "
        r"(largest difference $2.4\cdot10^{-12}$, in $c_2$) are rounding errors of the linear system in "
        r"powers of $x$."
    )
    implements = PASSIVE
