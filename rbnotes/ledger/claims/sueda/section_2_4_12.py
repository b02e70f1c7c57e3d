"""Sueda 2.4.12: a joint along a spline of poses. The oracle builds splines by their recursion."""

from __future__ import annotations

import numpy as np
from scipy.interpolate import BSpline, CubicHermiteSpline
from scipy.linalg import expm

from rbnotes.joints import SplineCurve
from rbnotes.joints.spline import BSPLINE_BASIS, CATMULL_ROM_BASIS
from rbnotes.ledger.joint_quantities import coordinates, velocities
from rbnotes.ledger.oracles import complex_steps
from rbnotes.ledger.oracles.pose_products import (
    derivative_along_motion,
    make_poses,
    pose_jacobian,
    pose_jacobian_derivative,
    random_poses,
)
from rbnotes.ledger.oracles.spline_poses import basis, frame_twists, spline_curve
from rbnotes.ledger.oracles.twists import adjoint_by_conjugation, commutator, twist_matrix
from rbnotes.ledger.pages import Page
from rbnotes.ledger.quantities import LENGTH, NUMBER, POSE, SCREW, TWIST
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section
from rbnotes.testing.strategies import arrays, numbers

section = Section(
    "sueda/s2.4.12",
    chapter="spline-joints",
    page_2019=Page(30, last=32),
    page_2021=Page(42, last=43),
    arguments={
        "q": Argument(coordinates, "coordinates of the joint"),
        "C": Argument(
            LENGTH, "control points as columns, or control frames, in the fixed frame of the joint"
        ),
        "qdot": Argument(velocities, "rates of the coordinates of the joint"),
    },
)


B = np.array([[1, -3, 3, -1], [4, 0, -6, 3], [1, 3, 3, -3], [0, 0, 0, 1]]) / 6
BEZIER = np.array([[1, -3, 3, -1], [0, 3, -6, 3], [0, 0, 3, -3], [0, 0, 0, 1]])
POINTS = {"C": arrays(3, 4), "q": numbers(0.0, 1.0)}


def point_spline(C, basis=BSPLINE_BASIS):
    """Return the joint whose control frames are points without rotations."""
    return SplineCurve(make_poses(np.eye(3), C.T), cyclic=False, basis=basis)


def scipy_spline(C, q, order=0):
    """Return the spline of points, or its derivative, by scipy: the segment from 0 to 1 of a uniform one."""
    return BSpline(np.arange(-3, C.shape[1] + 1), C.T, 3)(q, order)


def point_library(C, q):
    return point_spline(C).transform([q])[:3, 3]


@section.definition("e2.60", "Matrix of four control points")
class e2_60:
    formula = r"C = \begin{pmatrix} \mathbf c_1 & \mathbf c_2 & \mathbf c_3 & \mathbf c_4 \end{pmatrix}"
    defines = ("C",)
    implements = SplineCurve


@section.holds("e2.61", "Basis matrix of cubic B-splines")
class e2_61:
    formula = r"B = \frac16\begin{pmatrix} 1&-3&3&-1\\4&0&-6&3\\1&3&3&-3\\0&0&0&1 \end{pmatrix}"
    inputs = {"q": numbers(0.0, 1.0)}
    result = Result(NUMBER, "one for each control point")

    def printed(q):
        """Return the weights of the four control points that the matrix gives."""
        rows = [[1, -3, 3, -1], [4, 0, -6, 3], [1, 3, 3, -3], [0, 0, 0, 1]]
        return np.array(rows) / 6 @ np.array([1, q, q**2, q**3])

    def library(q):
        return np.array([1, q, q**2, q**3]) @ BSPLINE_BASIS

    def reference(q):
        """Compare with the recursion of Cox and de Boor for uniform knots."""
        return basis(q)

    implements = BSPLINE_BASIS


@section.holds("e2.62", "Position on a spline")
class e2_62:
    formula = r"\mathbf x(q) = CB\vec q,\quad \vec q = \begin{pmatrix} 1\\q\\q^2\\q^3 \end{pmatrix}"
    inputs = POINTS
    result = Result(LENGTH, "in the fixed frame of the joint")

    def printed(C, q):
        powers = np.array([1, q, q**2, q**3])
        return C @ B @ powers

    library = point_library

    def reference(C, q):
        """Compare with scipy's B-spline with uniform knots."""
        return scipy_spline(C, q)

    implements = SplineCurve


@section.holds("t1042#a", "Splines with other basis matrices")
class t1042_a:
    formula = r"\mathbf x(q) = CB'\vec q:\ \text{`other types of splines can be swapped in by replacing the basis matrix, $B$'}"
    inputs = POINTS
    result = Result(LENGTH, "in the fixed frame, once for each of the matrices")

    def printed(C, q):
        """Evaluate with the basis matrices of Bezier, and of Catmull and Rom."""
        powers = np.array([1, q, q**2, q**3])
        catmull_rom = np.array([[0, -1, 2, -1], [2, 0, -5, 3], [0, 1, 4, -3], [0, 0, -1, 1]]) / 2
        return np.array([C @ BEZIER @ powers, C @ catmull_rom @ powers])

    def library(C, q):
        curves = point_spline(C, BEZIER.T), point_spline(C, CATMULL_ROM_BASIS)
        return np.array([curve.transform([q])[:3, 3] for curve in curves])

    def reference(C, q):
        """Compare with de Casteljau's construction, and scipy's Hermite spline with central differences."""
        line = C
        for _ in range(3):
            line = (1 - q) * line[:, :-1] + q * line[:, 1:]
        tangents = (C[:, 2:] - C[:, :-2]) / 2
        return np.array([line[:, 0], CubicHermiteSpline([0, 1], C[:, 1:3].T, tangents.T)(q)])

    remark = (
        "For points, any basis matrix is possible. For control frames, whose spline (2.67) starts at "
        "$C_1$ and adds steps, the weights must add up to one: a Hermite spline of two points and two "
        "tangents is not possible."
    )
    implements = (CATMULL_ROM_BASIS, SplineCurve)


@section.holds("t1042#b", "Spline with more than four control points")
class t1042_b:
    formula = r"\mathbf x(q) = C_kB\vec u,\quad C_k = \begin{pmatrix} \mathbf c_{k+1} & \cdots & \mathbf c_{k+4} \end{pmatrix},\quad k = \lfloor q\rfloor,\ u = q - k"
    any_size = True
    inputs = {"C": arrays(3, 7), "q": numbers(0.0, 3.984375)}
    result = Result(LENGTH, "in the fixed frame of the joint")

    def printed(C, q):
        k = int(np.floor(q))
        u = q - k
        return C[:, k : k + 4] @ B @ np.array([1, u, u**2, u**3])

    library = point_library

    def reference(C, q):
        """Compare with scipy's B-spline with uniform knots and seven control points."""
        return scipy_spline(C, q)

    implements = SplineCurve


@section.holds("e2.63", "Position on a spline as a weighted sum of control points")
class e2_63:
    formula = r"\mathbf x(q) = \mathbf c_1B_1(q) + \mathbf c_2B_2(q) + \mathbf c_3B_3(q) + \mathbf c_4B_4(q)"
    inputs = POINTS
    result = Result(LENGTH, "in the fixed frame of the joint")

    def printed(C, q):
        powers = np.array([1, q, q**2, q**3])
        c1, c2, c3, c4 = C.T
        return c1 * (B[0] @ powers) + c2 * (B[1] @ powers) + c3 * (B[2] @ powers) + c4 * (B[3] @ powers)

    library = point_library

    def reference(C, q):
        """Compare with scipy's B-spline with uniform knots."""
        return scipy_spline(C, q)

    implements = SplineCurve


@section.holds("t1048", "Basis function as a row of the matrix times the powers")
class t1048:
    formula = r"B_i(q):\ \text{`the product of the $i^{th}$ row of $B$ and $\vec q$'}"
    inputs = {"q": numbers(0.0, 1.0)}
    result = Result(NUMBER, "one for each control point")

    def printed(q):
        powers = np.array([1, q, q**2, q**3])
        return np.array([row @ powers for row in B])

    def library(q):
        """Return three weights as a position, for control points at unit distances, and the fourth from their sum."""
        x = point_library(np.eye(3, 4), q)
        return np.append(x, 1 - np.sum(x))

    def reference(q):
        """Compare with the change of the points of scipy's spline with each control point."""
        return scipy_spline(np.eye(4), q)

    implements = SplineCurve


@section.holds("e2.64", "Position on a spline from differences of control points")
class e2_64:
    formula = r"\mathbf x(q) = \mathbf c_1\tilde B_1(q) + \Delta\mathbf c_2\tilde B_2(q) + \Delta\mathbf c_3\tilde B_3(q) + \Delta\mathbf c_4\tilde B_4(q),\quad \Delta\mathbf c_i = \mathbf c_i - \mathbf c_{i-1}"
    inputs = POINTS
    result = Result(LENGTH, "in the fixed frame of the joint")

    def printed(C, q):
        b1, b2, b3, b4 = B @ np.array([1, q, q**2, q**3])
        c1, c2, c3, c4 = C.T
        sums = [b1 + b2 + b3 + b4, b2 + b3 + b4, b3 + b4, b4]
        return c1 * sums[0] + (c2 - c1) * sums[1] + (c3 - c2) * sums[2] + (c4 - c3) * sums[3]

    library = point_library

    def reference(C, q):
        """Compare with scipy's B-spline with uniform knots."""
        return scipy_spline(C, q)

    implements = SplineCurve


@section.holds("e2.65", "Cumulative basis functions")
class e2_65:
    formula = r"\tilde B_4 = B_4,\quad \tilde B_3 = B_3 + B_4,\quad \tilde B_2 = B_2 + B_3 + B_4,\quad \tilde B_1 = B_1 + B_2 + B_3 + B_4 = 1"
    inputs = {"q": numbers(0.0, 1.0)}
    result = Result(NUMBER, "the first one twice, then one for each step")

    def printed(q):
        """Return the four weights, and the first one also as a number."""
        b1, b2, b3, b4 = B @ np.array([1, q, q**2, q**3])
        return np.array([1, b1 + b2 + b3 + b4, b2 + b3 + b4, b3 + b4, b4])

    def library(q):
        """Return positions for unit differences of control points, and displacements of all points at once."""
        steps = np.cumsum(np.eye(3, 4, 1), axis=1)
        shift = np.ones((3, 1))
        x = point_library(steps, q)
        return np.append((point_library(steps + shift, q) - x)[:2], x)

    def reference(q):
        """Compare with the change of scipy's spline with the first control point and with each difference.

        The first point moves all points, the first difference moves all but the first, and so on.
        """
        points = np.triu(np.ones((4, 4)))
        weights = scipy_spline(points, q)
        return np.append(weights[0], weights)

    implements = SplineCurve


def derivatives_library(C, q):
    joint = point_spline(C)
    return np.append(joint.motion_subspace([q])[3:], joint.motion_subspace_derivative([q])[3:])


def derivatives_reference(C, q):
    """Compare with the first and second derivatives of scipy's B-spline."""
    return np.append(scipy_spline(C, q, 1), scipy_spline(C, q, 2))


@section.holds("e2.66", "Derivatives of the basis functions")
class e2_66:
    formula = r"B'(q) = \frac16\begin{pmatrix} -3&3&-1\\0&-6&3\\3&3&-3\\0&0&1 \end{pmatrix}\begin{pmatrix} 1\\2q\\3q^2 \end{pmatrix},\quad B''(q) = \frac16\begin{pmatrix} 3&-1\\-6&3\\3&-3\\0&1 \end{pmatrix}\begin{pmatrix} 2\\6q \end{pmatrix}"
    inputs = POINTS
    result = Result(LENGTH, "first, then second derivative by the coordinate, in the fixed frame")

    def printed(C, q):
        """Apply the printed weights to the control points."""
        first = (
            np.array([[-3, 3, -1], [0, -6, 3], [3, 3, -3], [0, 0, 1]]) / 6 @ np.array([1, 2 * q, 3 * q**2])
        )
        second = np.array([[3, -1], [-6, 3], [3, -3], [0, 1]]) / 6 @ np.array([2, 6 * q])
        return np.append(C @ first, C @ second)

    library = derivatives_library
    reference = derivatives_reference
    remark = (
        r"These are derivatives of $B_i$. The derivatives of $\tilde B_i$, which the text mentions, are "
        "their sums, as in (2.65)."
    )
    implements = SplineCurve


@section.holds("t1058", "Derivatives of the cumulative basis functions, by differentiating the powers")
class t1058:
    formula = r"\tilde B_i'(q) = \sum_{j\ge i}(B\,\vec q\,')_j,\quad \tilde B_i''(q) = \sum_{j\ge i}(B\,\vec q\,'')_j"
    inputs = POINTS
    result = Result(LENGTH, "first, then second derivative by the coordinate, in the fixed frame")

    def printed(C, q):
        """Apply the weights to the differences of control points; the weight of the first point is constant."""
        steps = np.stack([C[:, 3] - C[:, 2], C[:, 2] - C[:, 1], C[:, 1] - C[:, 0]])
        first = np.cumsum((B @ np.array([0, 1, 2 * q, 3 * q**2]))[:0:-1])
        second = np.cumsum((B @ np.array([0, 0, 2, 6 * q]))[:0:-1])
        return np.append(first @ steps, second @ steps)

    library = derivatives_library
    reference = derivatives_reference
    implements = SplineCurve


# ------------------------------------------------------------------------------------------------------------
# Splines of control frames and Algorithm 3. The oracles follow the screw of each step for a fraction of a second.


POSES = {"C": random_poses(4), "q": numbers(0.0, 1.0)}
MOTION = {**POSES, "qdot": numbers()}


def frame_spline(C):
    """Return the joint on the segment of four control frames."""
    return SplineCurve(C, cyclic=False)


def cumulative_basis(powers):
    """Return the cumulative basis functions 2, 3 and 4 from the powers of q, or derivatives from theirs."""
    b = B @ powers
    return [b[1] + b[2] + b[3], b[2] + b[3], b[3]]


def pose_library(C, q):
    return frame_spline(C).transform([q])


def pose_reference(C, q):
    """Compare with screw motions along the steps for fractions of a second, by weights of Cox and de Boor."""
    return spline_curve(C)(np.array([q]))


def S_library(C, q):
    return frame_spline(C).motion_subspace([q])[:, 0]


def S_reference(C, q):
    """Compare with complex steps of screw motions along the steps, by weights of Cox and de Boor."""
    return pose_jacobian(spline_curve(C), np.array([q]))[:, 0]


@section.holds("e2.67", "Pose on a spline of control frames")
class e2_67:
    formula = r"Q(q) = C_1\exp(\Delta C_2\tilde B_2(q))\exp(\Delta C_3\tilde B_3(q))\exp(\Delta C_4\tilde B_4(q)),\quad \Delta C_i = \log(C_{i-1}^{-1}C_i)"
    inputs = POSES
    arguments = {"C": Argument(POSE, "control frames, in the fixed frame of the joint")}
    result = Result(POSE, "of the moving frame in the fixed one")

    def printed(C, q):
        b2, b3, b4 = cumulative_basis(np.array([1, q, q**2, q**3]))
        d2, d3, d4 = map(twist_matrix, frame_twists(C))
        return C[0] @ expm(d2 * b2) @ expm(d3 * b3) @ expm(d4 * b4)

    library = pose_library
    reference = pose_reference
    remark = (
        "The pose is defined if neighbors are less than half a turn apart, so that the logarithm is the "
        "shortest motion."
    )
    implements = SplineCurve


@section.misprint("t1070#a", "Jacobian of a spline joint")
class t1070_a:
    page_2019 = Page(32)
    page_2021 = Page(43)
    formula = r"S = [Q^{-1}(\partial Q/\partial q)]"
    inputs = POSES
    arguments = {"C": Argument(POSE, "control frames, in the fixed frame of the joint")}
    result = Result(SCREW, "in the frame that the joint moves")

    def printed(C, q):
        """Return the matrix in the printed bracket."""
        pose, point = spline_curve(C), np.array([q])
        return np.linalg.inv(pose(point)) @ complex_steps.partial_derivatives(pose, point)[0]

    library = S_library
    reference = S_reference
    undefined = (
        "the bracket is that of a twist, but its argument is a 4 x 4 matrix, and the left-hand side is a "
        "column of six"
    )
    correction = (
        r"$[S] = Q^{-1}(\partial Q/\partial q)$: the bracket belongs to the left-hand side, as in (2.29) "
        "and (2.44)"
    )
    replacement = r"The recursive method for computing the corresponding joint Jacobian, $[S] = Q^{-1}(\partial Q/\partial q)$, and Hessian, $\partial S/\partial q$, are given in the appendix of the spline joints paper, which we reproduce in Alg. 3 for reference."
    implements = SplineCurve


@section.holds("t1070#b", "Rate of the Jacobian by the chain rule")
class t1070_b:
    formula = r"\dot S = (\partial S/\partial q)\,\dot q"
    inputs = MOTION
    arguments = {"C": Argument(POSE, "control frames, in the fixed frame of the joint")}
    result = Result(TWIST, "in the frame that the joint moves")

    def printed(C, q, qdot):
        return pose_jacobian_derivative(spline_curve(C), np.array([q]))[:, 0, 0] * qdot

    def library(C, q, qdot):
        return frame_spline(C).motion_subspace_rate([q], [qdot])[:, 0]

    def reference(C, q, qdot):
        """Compare with differences along the motion of complex steps of the pose."""

        def columns(t):
            return pose_jacobian(spline_curve(C), q + t * qdot)

        return derivative_along_motion(columns, np.zeros(1), np.ones(1))[:, 0]

    implements = SplineCurve


@section.holds("alg3#a", "Algorithm 3: the transform")
class alg3_a:
    formula = r"Q = C_1\exp(\Delta C_2\tilde B_2(q));\quad i = 3, 4:\ Q_i = \exp(\Delta C_i\tilde B_i(q)),\ Q = QQ_i"
    inputs = POSES
    arguments = {"C": Argument(POSE, "control frames, in the fixed frame of the joint")}
    result = Result(POSE, "of the moving frame in the fixed one")

    def printed(C, q):
        d, b = (
            [twist_matrix(step) for step in frame_twists(C)],
            cumulative_basis(np.array([1, q, q**2, q**3])),
        )
        Q = C[0] @ expm(d[0] * b[0])
        for i in (1, 2):
            Qi = expm(d[i] * b[i])
            Q = Q @ Qi
        return Q

    library = pose_library
    reference = pose_reference
    implements = SplineCurve


@section.holds("alg3#b", "Algorithm 3: the Jacobian")
class alg3_b:
    formula = r"S = \Delta C_2\tilde B_2'(q);\quad i = 3, 4:\ S = \Delta C_i\tilde B_i'(q) + \mathrm{Ad}(Q_i^{-1})\,S"
    inputs = POSES
    arguments = {"C": Argument(POSE, "control frames, in the fixed frame of the joint")}
    result = Result(SCREW, "in the frame that the joint moves")

    def printed(C, q):
        d = frame_twists(C)
        b = cumulative_basis(np.array([1, q, q**2, q**3]))
        b_first = cumulative_basis(np.array([0, 1, 2 * q, 3 * q**2]))
        S = d[0] * b_first[0]
        for i in (1, 2):
            Ad = adjoint_by_conjugation(np.linalg.inv(expm(twist_matrix(d[i]) * b[i])))
            S = d[i] * b_first[i] + Ad @ S
        return S

    library = S_library
    reference = S_reference
    remark = (
        r"$\Delta C_i$ is a 4 x 4 matrix in the exponential, and its twist, a column of six, in the "
        "formula for $S$."
    )
    implements = SplineCurve


@section.erratum("alg3#c", "Algorithm 3: the derivative of the Jacobian")
class alg3_c:
    page_2019 = Page(32)
    page_2021 = Page(43)
    formula = r"\begin{aligned} \partial S/\partial q &= \Delta C_2\tilde B_2''(q);\quad\text{then, for }i = 3, 4: \\ \partial S/\partial q &= \Delta C_i\tilde B_i''(q) + \mathrm{Ad}_i\left(\partial S/\partial q + \mathrm{ad}_i\,\Delta C_i\tilde B_i(q)\right) \end{aligned}"
    edit = (r"\mathrm{ad}_i\,\Delta C_i\tilde B_i(q)", r"\mathrm{ad}_i\,\Delta C_i\tilde B_i'(q)")
    inputs = POSES
    arguments = {"C": Argument(POSE, "control frames, in the fixed frame of the joint")}
    result = Result(SCREW, "in the frame that the joint moves")

    def printed(C, q):
        """Evaluate line by line; S is that of the previous iteration in line 8, but not in line 10."""
        d = frame_twists(C)
        b = cumulative_basis(np.array([1, q, q**2, q**3]))
        b_first = cumulative_basis(np.array([0, 1, 2 * q, 3 * q**2]))
        b_second = cumulative_basis(np.array([0, 0, 2, 6 * q]))
        S, dS = d[0] * b_first[0], d[0] * b_second[0]
        for i in (1, 2):
            Ad = adjoint_by_conjugation(np.linalg.inv(expm(twist_matrix(d[i]) * b[i])))
            ad_step = commutator(S, d[i])
            S = d[i] * b_first[i] + Ad @ S
            dS = d[i] * b_second[i] + Ad @ (dS + ad_step * b[i])
        return dS

    def library(C, q):
        return frame_spline(C).motion_subspace_derivative([q])[:, 0, 0]

    def reference(C, q):
        """Compare with differences of order eight of complex steps of the pose."""
        return pose_jacobian_derivative(spline_curve(C), np.array([q]))[:, 0, 0]

    correction = (
        r"$\mathrm{Ad}_i\,(\partial S/\partial q + \mathrm{ad}_i\,\Delta C_i\tilde B_i'(q))$ in line 10: "
        "with the derivative of the basis function, as in line 16 of Algorithm 4"
    )
    remark = (
        r"$\mathrm{Ad}_i = \mathrm{Ad}(Q_i^{-1})$, $\mathrm{ad}_i = \mathrm{ad}(S)$. The term $\dot "
        r"S\dot q$ of accelerations is wrong unless the steps commute."
    )
    effect = (
        "A body that moves freely on a spline joint with 1 J has 0.97 J after 0.6 s. Algorithm 4 has "
        "the right derivative."
    )
    implements = SplineCurve
