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
from rbnotes.ledger.claims.sueda.section_1_9 import CHAPTER
from rbnotes.ledger.claims.sueda.section_1_9_4_curves import (
    active_reference,
    hermite,
    powers,
    velocity_reference,
)
from rbnotes.ledger.quantities import NUMBER
from rbnotes.ledger.record import Verdict, claim

MIDDLE = (0.126110265892917, 1.07051016402631)
"""Value and slope of the passive curve at 1.3."""


def passive_reference():
    """Value and slope are stated at all three knots."""
    return powers(hermite([1.0, 1.3, 1.7], [0.0, MIDDLE[0], 1.0], [0.0, MIDDLE[1], 2.85714285714286]))


def passive_library():
    return power_coefficients(PASSIVE_FORCE_LENGTH)


def row(x):
    return [x**3, x**2, x, 1]


def slope_row(x):
    return [3 * x**2, 2 * x, 1, 0]


def matrix_printed(right_end=1.8, joint=1.3):
    """The matrix of (1.41) with the abscissa of row 3 and that of rows 7 and 8."""
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
    """The solution of (1.41)."""
    matrix = matrix_printed(right_end, joint)
    right = np.array([0.0, MIDDLE[0], 1.0, 0.0, MIDDLE[1], 2.85714285714286, 0.0, 0.0])
    return np.linalg.solve(matrix, right).reshape(2, 4)


PASSIVE = ("rbnotes.forces.muscle.PASSIVE_FORCE_LENGTH", "rbnotes.forces.muscle.power_coefficients")
HERMITE = "Hermite interpolation of the values and slopes at 1, 1.3 and 1.7; no linear system"


@claim("sueda/s1.9.4/t432#a", "Which curve Fig. 1a shows")
class t432_a:
    formula = (
        r"\text{`the active force length curve, shown in Fig. 1a': two cubics on } [1.0, 1.3], [1.3, 1.7]"
    )
    result = NUMBER

    def printed():
        """Active tension per peak force at the optimal length and beyond, with the curve of Fig. 1a as f_L."""
        return PASSIVE_FORCE_LENGTH([1.0, 1.2])

    def library():
        return ACTIVE_FORCE_LENGTH([1.0, 1.2])

    oracle = "the middle cubic of the active curve, interpolated from the conditions (1.43)"

    def reference():
        """At the optimal length and at 1.2 times it, where the middle cubic ends."""
        return np.polyval(active_reference()[1], [1.0, 1.2])

    verdict = Verdict.MISPRINT
    correction = (
        "the passive force length curve, as the caption of Fig. 1 says; the active one has three cubics "
        "and follows in (1.43)"
    )
    remark = "As active curve, it would give a muscle that is slack at its optimal length."
    implemented_by = ("rbnotes.forces.muscle.ACTIVE_FORCE_LENGTH",)
    chapter = CHAPTER


@claim("sueda/s1.9.4/t432#b", "Where the two cubics of the passive curve join")
class t432_b:
    formula = r"\text{`share the same function and derivative at } x = 1.0\text{'}"
    result = NUMBER

    def printed():
        return system_printed(right_end=1.7, joint=1.0)

    library = passive_library
    oracle = HERMITE
    reference = passive_reference
    tolerance = 1e-12
    verdict = Verdict.MISPRINT
    correction = "at $x = 1.3$, as the two equations behind it and rows 7 and 8 of (1.41) have it"
    implemented_by = PASSIVE
    chapter = CHAPTER


@claim("sueda/s1.9.4/t432#c", "Eight conditions for eight coefficients")
class t432_c:
    formula = r"8\ \text{coefficients, } 8\ \text{conditions: `a square matrix that can be solved'}"
    result = NUMBER

    def printed():
        """Rows, columns, and how many of the rows are independent."""
        return np.array([8, 8, 8])

    def library():
        """The six conditions and the two of the joint: how many there are, and how many a curve meets."""
        knots, single = (1.0, 1.3, 1.7), [(0, 1.0), (0, 1.3), (1, 1.7)]
        stated = [Condition(cubic, x, order, 1.0) for cubic, x in single for order in (0, 1)]
        curve = piecewise_cubic(knots, stated)
        met = sum(np.abs(curve(each.x, each.order) - each.value) < 1e-9 for each in stated)
        return np.array([len(stated), met, met]) + 2

    oracle = "singular values of the matrix of (1.41), with 1.7 in its third row"

    def reference():
        matrix = matrix_printed(right_end=1.7)
        sizes = np.linalg.svd(matrix)[1]
        return np.array([*matrix.shape, np.sum(sizes > 1e-9 * sizes[0])])

    exact = "counts of rows, of columns and of singular values"
    verdict = Verdict.DEMONSTRATION
    remark = (
        "As printed, with 1.8 in the third row, the matrix is regular as well; its solution is another curve."
    )
    implemented_by = ("rbnotes.forces.muscle.piecewise_cubic",)
    chapter = CHAPTER


@claim("sueda/s1.9.4/t424", "Of how many cubics the three curves are made")
class t424:
    formula = r"\text{passive: two cubic segments; active force length, force velocity: three}"
    result = NUMBER

    def printed():
        return np.array([2, 3, 3])

    def library():
        """Pieces with a third power of x: beyond their ends the curves go on straight."""
        curves = (PASSIVE_FORCE_LENGTH, ACTIVE_FORCE_LENGTH, FORCE_VELOCITY)
        return np.array([np.count_nonzero(curve.c[0]) for curve in curves])

    oracle = "in how many stretches the third derivative of the interpolated curves is constant"

    def reference():
        """Neighbouring cubics with different leading coefficients are different."""
        curves = (passive_reference(), active_reference(), velocity_reference())
        return np.array([1 + np.count_nonzero(np.abs(np.diff(curve[:, 0])) > 1e-9) for curve in curves])

    exact = "counts of cubics"
    verdict = Verdict.DEMONSTRATION
    implemented_by = ("rbnotes.forces.muscle.PASSIVE_FORCE_LENGTH", "rbnotes.forces.muscle.FORCE_VELOCITY")
    chapter = CHAPTER


@claim("sueda/s1.9.4/e1.41", "Linear system for the passive curve")
class e1_41:
    formula = (
        r"f_2(1.8) = 1:\quad\text{row 3} "
        r"= (0\ \ 0\ \ 0\ \ 0\ \ 1.8^3\ \ 1.8^2\ \ 1.8\ \ 1),\ \text{right-hand side } 1.0"
    )
    result = NUMBER

    def printed():
        return system_printed()

    library = passive_library
    oracle = HERMITE
    reference = passive_reference
    tolerance = 1e-12
    verdict = Verdict.ERRATUM
    correction = r"$f_2(1.7) = 1$: row 3 is $(0\ \ 0\ \ 0\ \ 0\ \ 1.7^3\ \ 1.7^2\ \ 1.7\ \ 1)$"
    remark = (
        "In the text too: 'we want the right cubic to go through (1.8, 1.0)'. But the interval ends at "
        "1.7, the slope is given there, and the printed coefficients (1.42) solve the system with 1.7. "
        "As printed, $a_2 = 8.7875$ instead of $-2.7612$, and the curve reaches only 0.63 at 1.7."
    )
    implemented_by = PASSIVE
    chapter = CHAPTER


@claim("sueda/s1.9.4/e1.42", "Coefficients of the passive curve")
class e1_42:
    formula = r"a_1 = 2.55305620081729,\ \ldots,\ d_2 = 11.3749950550874"
    result = NUMBER

    def printed():
        """To the twelfth digit; the last ones that are printed are noise, see the remark."""
        return [
            [2.55305620082, -7.02386028611, 6.38855196977, -1.91774788447],
            [-2.76122280854, 14.6587935048, -23.0429533092, 11.3749950551],
        ]

    library = passive_library
    oracle = HERMITE
    reference = passive_reference
    tolerance = 5e-10
    verdict = Verdict.DEMONSTRATION
    remark = (
        r"Twelve significant digits agree in every coefficient. The last two or three that are printed "
        r"(largest difference $2.4\cdot10^{-12}$, in $c_2$) are rounding errors of the linear system in "
        r"powers of $x$."
    )
    implemented_by = PASSIVE
    chapter = CHAPTER
