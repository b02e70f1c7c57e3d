"""Sueda 2.4.12: a joint along a spline of poses. The oracle builds splines by their recursion."""

from __future__ import annotations

import numpy as np
from scipy.interpolate import BSpline, CubicHermiteSpline

from rbnotes.joints import SplineCurve
from rbnotes.joints.spline import BSPLINE_BASIS, CATMULL_ROM_BASIS
from rbnotes.ledger.oracles.pose_products import make_poses
from rbnotes.ledger.oracles.spline_poses import basis
from rbnotes.ledger.quantities import LENGTH, NUMBER
from rbnotes.ledger.record import Verdict, claim
from rbnotes.testing.strategies import arrays, numbers

CHAPTER = "spline-joints"
CURVE = ("rbnotes.joints.SplineCurve",)
B = np.array([[1, -3, 3, -1], [4, 0, -6, 3], [1, 3, 3, -3], [0, 0, 0, 1]]) / 6
BEZIER = np.array([[1, -3, 3, -1], [0, 3, -6, 3], [0, 0, 3, -3], [0, 0, 0, 1]])
POINTS = {"C": arrays(3, 4), "q": numbers(0.0, 1.0)}


QUANTITIES = {"C": LENGTH}


def through_points(C, basis=BSPLINE_BASIS):
    """The joint whose control frames are points, without a turn."""
    return SplineCurve(make_poses(np.eye(3), C.T), cyclic=False, basis=basis)


def scipy_spline(C, q, order=0):
    """The spline of points, or its derivative, by scipy: the segment from 0 to 1 of a uniform one."""
    return BSpline(np.arange(-3, C.shape[1] + 1), C.T, 3)(q, order)


def point_library(C, q):
    return through_points(C).transform([q])[:3, 3]


SCIPY = "scipy's B-spline with uniform knots"


@claim("sueda/s2.4.12/e2.60", "The matrix of four control points")
class e2_60:
    formula = r"C = \begin{pmatrix} \mathbf c_1 & \mathbf c_2 & \mathbf c_3 & \mathbf c_4 \end{pmatrix}"
    defines = ("C",)
    verdict = Verdict.DEFINITION
    implemented_by = CURVE
    chapter = CHAPTER


@claim("sueda/s2.4.12/e2.61", "The basis matrix of cubic B-splines")
class e2_61:
    formula = r"B = \frac16\begin{pmatrix} 1&-3&3&-1\\4&0&-6&3\\1&3&3&-3\\0&0&0&1 \end{pmatrix}"
    inputs = {"q": numbers(0.0, 1.0)}
    result = NUMBER

    def printed(q):
        """The weights of the four control points that the matrix gives."""
        rows = [[1, -3, 3, -1], [4, 0, -6, 3], [1, 3, 3, -3], [0, 0, 0, 1]]
        return np.array(rows) / 6 @ np.array([1, q, q**2, q**3])

    def library(q):
        return np.array([1, q, q**2, q**3]) @ BSPLINE_BASIS

    oracle = "the recursion of Cox and de Boor for uniform knots"

    def reference(q):
        return basis(q)

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.joints.spline.BSPLINE_BASIS",)
    chapter = CHAPTER


@claim("sueda/s2.4.12/e2.62", "Position on a spline")
class e2_62:
    formula = r"\mathbf x(q) = CB\vec q,\quad \vec q = \begin{pmatrix} 1\\q\\q^2\\q^3 \end{pmatrix}"
    inputs = POINTS
    result = LENGTH

    def printed(C, q):
        powers = np.array([1, q, q**2, q**3])
        return C @ B @ powers

    library = point_library
    oracle = SCIPY

    def reference(C, q):
        return scipy_spline(C, q)

    verdict = Verdict.HOLDS
    implemented_by = CURVE
    chapter = CHAPTER


@claim("sueda/s2.4.12/t1042#a", "Another basis matrix makes another spline")
class t1042_a:
    formula = (
        r"\mathbf x(q) = CB'\vec q:\ \text{`other types of splines can be swapped in by replacing the basis matrix, "
        r"$B$'}"
    )
    inputs = POINTS
    result = LENGTH

    def printed(C, q):
        """Bezier's, and Catmull and Rom's."""
        powers = np.array([1, q, q**2, q**3])
        through = np.array([[0, -1, 2, -1], [2, 0, -5, 3], [0, 1, 4, -3], [0, 0, -1, 1]]) / 2
        return np.array([C @ BEZIER @ powers, C @ through @ powers])

    def library(C, q):
        curves = through_points(C, BEZIER.T), through_points(C, CATMULL_ROM_BASIS)
        return np.array([curve.transform([q])[:3, 3] for curve in curves])

    oracle = (
        "de Casteljau's construction, and scipy's Hermite spline with half the distance of the neighbours"
    )

    def reference(C, q):
        line = C
        for _ in range(3):
            line = (1 - q) * line[:, :-1] + q * line[:, 1:]
        slopes = (C[:, 2:] - C[:, :-2]) / 2
        return np.array([line[:, 0], CubicHermiteSpline([0, 1], C[:, 1:3].T, slopes.T)(q)])

    verdict = Verdict.HOLDS
    remark = (
        r"For points, any; for control frames, whose spline (2.67) begins at $C_1$ and goes on in steps, the weights "
        r"must add up to one: a Hermite spline of two points and two slopes cannot be swapped in."
    )
    implemented_by = ("rbnotes.joints.spline.CATMULL_ROM_BASIS", *CURVE)
    chapter = CHAPTER


@claim("sueda/s2.4.12/t1042#b", "More control points: the right four, and a parameter between 0 and 1")
class t1042_b:
    formula = (
        r"\mathbf x(q) = C_kB\vec u,\quad C_k = \begin{pmatrix} \mathbf c_{k+1} & \cdots & \mathbf c_{k+4} "
        r"\end{pmatrix},\quad k = \lfloor q\rfloor,\ u = q - k"
    )
    inputs = {"C": arrays(3, 7), "q": numbers(0.0, 3.984375)}
    result = LENGTH

    def printed(C, q):
        k = int(np.floor(q))
        u = q - k
        return C[:, k : k + 4] @ B @ np.array([1, u, u**2, u**3])

    library = point_library
    oracle = SCIPY + " and seven control points"

    def reference(C, q):
        return scipy_spline(C, q)

    verdict = Verdict.HOLDS
    implemented_by = CURVE
    chapter = CHAPTER


@claim("sueda/s2.4.12/e2.63", "The same, control point by control point")
class e2_63:
    formula = r"\mathbf x(q) = \mathbf c_1B_1(q) + \mathbf c_2B_2(q) + \mathbf c_3B_3(q) + \mathbf c_4B_4(q)"
    inputs = POINTS
    result = LENGTH

    def printed(C, q):
        powers = np.array([1, q, q**2, q**3])
        c1, c2, c3, c4 = C.T
        return c1 * (B[0] @ powers) + c2 * (B[1] @ powers) + c3 * (B[2] @ powers) + c4 * (B[3] @ powers)

    library = point_library
    oracle = SCIPY

    def reference(C, q):
        return scipy_spline(C, q)

    verdict = Verdict.HOLDS
    implemented_by = CURVE
    chapter = CHAPTER


@claim("sueda/s2.4.12/t1048", "A basis function is a row of the matrix times the powers")
class t1048:
    formula = r"B_i(q):\ \text{`the product of the $i$th row of $B$ and $\vec q$'}"
    inputs = {"q": numbers(0.0, 1.0)}
    result = NUMBER

    def printed(q):
        powers = np.array([1, q, q**2, q**3])
        return np.array([row @ powers for row in B])

    def library(q):
        """Three of them as a position, for control points at unit distances; the other is what is left of one."""
        x = point_library(np.eye(3, 4), q)
        return np.append(x, 1 - np.sum(x))

    oracle = "how the points of scipy's spline change with each control point"

    def reference(q):
        return scipy_spline(np.eye(4), q)

    verdict = Verdict.HOLDS
    implemented_by = CURVE
    chapter = CHAPTER


@claim("sueda/s2.4.12/e2.64", "Position on a spline from steps between control points")
class e2_64:
    formula = (
        r"\mathbf x(q) = \mathbf c_1\tilde B_1(q) + \Delta\mathbf c_2\tilde B_2(q) + \Delta\mathbf c_3\tilde B_3(q) + "
        r"\Delta\mathbf c_4\tilde B_4(q),\quad \Delta\mathbf c_i = \mathbf c_i - \mathbf c_{i-1}"
    )
    inputs = POINTS
    result = LENGTH

    def printed(C, q):
        b1, b2, b3, b4 = B @ np.array([1, q, q**2, q**3])
        c1, c2, c3, c4 = C.T
        sums = [b1 + b2 + b3 + b4, b2 + b3 + b4, b3 + b4, b4]
        return c1 * sums[0] + (c2 - c1) * sums[1] + (c3 - c2) * sums[2] + (c4 - c3) * sums[3]

    library = point_library
    oracle = SCIPY

    def reference(C, q):
        return scipy_spline(C, q)

    equivalent_mutants = {"dropped factor `sums[0]` in `c1 * sums[0]`": "this sum is one, as (2.65) says"}
    verdict = Verdict.HOLDS
    implemented_by = CURVE
    chapter = CHAPTER


@claim("sueda/s2.4.12/e2.65", "The cumulative basis functions")
class e2_65:
    formula = (
        r"\tilde B_4 = B_4,\quad \tilde B_3 = B_3 + B_4,\quad \tilde B_2 = B_2 + B_3 + B_4,\quad "
        r"\tilde B_1 = B_1 + B_2 + B_3 + B_4 = 1"
    )
    inputs = {"q": numbers(0.0, 1.0)}
    result = NUMBER

    def printed(q):
        """The four, and the first one once more as the number that it is."""
        b1, b2, b3, b4 = B @ np.array([1, q, q**2, q**3])
        return np.array([1, b1 + b2 + b3 + b4, b2 + b3 + b4, b3 + b4, b4])

    def library(q):
        """Positions for unit steps from point to point; the first point counts as a whole."""
        steps = np.cumsum(np.eye(3, 4, 1), axis=1)
        away = np.ones((3, 1))
        x = point_library(steps, q)
        return np.append((point_library(steps + away, q) - x)[:2], x)

    oracle = "how the points of scipy's spline change with the first control point and with each step"

    def reference(q):
        """The first point carries all of them, the first step all but it, and so on."""
        carried = np.triu(np.ones((4, 4)))
        weights = scipy_spline(carried, q)
        return np.append(weights[0], weights)

    verdict = Verdict.HOLDS
    implemented_by = CURVE
    chapter = CHAPTER


def slopes_library(C, q):
    joint = through_points(C)
    return np.append(joint.motion_subspace([q])[3:], joint.motion_subspace_derivative([q])[3:])


def slopes_reference(C, q):
    return np.append(scipy_spline(C, q, 1), scipy_spline(C, q, 2))


@claim("sueda/s2.4.12/e2.66", "Derivatives of the basis functions")
class e2_66:
    formula = (
        r"B'(q) = \frac16\begin{pmatrix} -3&3&-1\\0&-6&3\\3&3&-3\\0&0&1 \end{pmatrix}\begin{pmatrix} 1\\2q\\3q^2 "
        r"\end{pmatrix},\quad B''(q) = \frac16\begin{pmatrix} 3&-1\\-6&3\\3&-3\\0&1 \end{pmatrix}\begin{pmatrix} "
        r"2\\6q \end{pmatrix}"
    )
    inputs = POINTS
    result = LENGTH

    def printed(C, q):
        """Of the control points with these weights."""
        first = (
            np.array([[-3, 3, -1], [0, -6, 3], [3, 3, -3], [0, 0, 1]]) / 6 @ np.array([1, 2 * q, 3 * q**2])
        )
        second = np.array([[3, -1], [-6, 3], [3, -3], [0, 1]]) / 6 @ np.array([2, 6 * q])
        return np.append(C @ first, C @ second)

    library = slopes_library
    oracle = "the first and second derivatives of scipy's B-spline"
    reference = slopes_reference
    verdict = Verdict.HOLDS
    remark = r"These are derivatives of $B_i$; those of $\tilde B_i$, of which the text speaks, are their sums, as in (2.65)."
    implemented_by = CURVE
    chapter = CHAPTER


@claim("sueda/s2.4.12/t1058", "Cumulative derivatives, by differentiating the powers")
class t1058:
    formula = r"\tilde B_i'(q) = \sum_{j\ge i}(B\,\vec q\,')_j,\quad \tilde B_i''(q) = \sum_{j\ge i}(B\,\vec q\,'')_j"
    inputs = POINTS
    result = LENGTH

    def printed(C, q):
        """Of the steps with these weights; the zeros of the powers are left in, and the first weight is constant."""
        steps = np.stack([C[:, 3] - C[:, 2], C[:, 2] - C[:, 1], C[:, 1] - C[:, 0]])
        first = np.cumsum((B @ np.array([0, 1, 2 * q, 3 * q**2]))[:0:-1])
        second = np.cumsum((B @ np.array([0, 0, 2, 6 * q]))[:0:-1])
        return np.append(first @ steps, second @ steps)

    library = slopes_library
    oracle = "the first and second derivatives of scipy's B-spline"
    reference = slopes_reference
    verdict = Verdict.HOLDS
    implemented_by = CURVE
    chapter = CHAPTER
