"""Sueda 2.4.13: a joint over a spline surface. The oracles use scipy's splines and rotations, and recursion."""

from __future__ import annotations

import numpy as np
from scipy.interpolate import BSpline
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from rbnotes.joints import Composite, EulerSpherical, SplineSurface, Translational
from rbnotes.ledger.oracles.pose_products import (
    derivative_along_motion,
    pose_jacobian,
    pose_jacobian_derivative,
    screw_pose,
)
from rbnotes.ledger.oracles.spline_poses import euler_rotation, spline_surface
from rbnotes.ledger.oracles.twists import adjoint_by_conjugation, commutator, twist_matrix
from rbnotes.ledger.pages import Page
from rbnotes.ledger.quantities import (
    LENGTH,
    LINEAR_FIRST_TWIST,
    NUMBER,
    POSE,
    RATE,
    SCREW,
    TIME,
    TWIST,
    matrix_quantity,
    stacked_quantity,
)
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section
from rbnotes.testing.strategies import arrays, numbers, vectors

section = Section(
    "sueda/s2.4.13",
    chapter="spline-joints",
    page_2019=Page(32, last=33),
    page_2021=Page(43, last=45),
    arguments={
        "C": Argument(NUMBER, "heights over a grid of control points"),
        "q1": Argument(NUMBER, "coordinates of the joint in question"),
        "q2": Argument(NUMBER, "coordinates of the joint in question"),
        "t": Argument(NUMBER, "of a control frame: translation, and angles"),
        "angles": Argument(NUMBER, "of a control frame: translation, and angles"),
        "P": Argument(LINEAR_FIRST_TWIST * TIME, "of the control frames"),
        "values": Argument(NUMBER, "of a control frame: translation, and angles"),
        "a": Argument(NUMBER),
        "b": Argument(NUMBER),
        "c": Argument(NUMBER),
        "qdot": Argument(RATE, "rates of the coordinates of the joint in question"),
    },
)


B = np.array([[1, -3, 3, -1], [4, 0, -6, 3], [1, 3, 3, -3], [0, 0, 0, 1]]) / 6
AXES = np.eye(6)[[3, 4, 5, 0, 1, 2]]
HEIGHT = {"C": arrays(4, 4), "q1": numbers(0.0, 1.0), "q2": numbers(0.0, 1.0)}
PATCH = {"P": arrays(4, 4, 6), "q1": numbers(0.0, 1.0), "q2": numbers(0.0, 1.0)}
MOVING = {**PATCH, "qdot": vectors(2)}


def over(P):
    """Return the joint over a patch. The library counts the grid the other way round: its second index goes with q_1."""
    return SplineSurface(np.swapaxes(P, 0, 1))


def height(C):
    """Return the joint over a patch whose values are positions along x, without rotations."""
    return over(np.concatenate([C[..., None], np.zeros((4, 4, 5))], axis=-1))


def powers(q):
    return np.array([1, q, q**2, q**3])


def slopes_of_powers(q):
    return np.array([0, 1, 2 * q, 3 * q**2])


def bends_of_powers(q):
    return np.array([0, 0, 2, 6 * q])


def value(C, q1, q2):
    """(2.68)."""
    return powers(q1) @ B.T @ C @ B @ powers(q2)


def slope(C, q1, q2):
    """First derivatives by q_1 and by q_2 of (2.69)."""
    first = slopes_of_powers(q1) @ B.T @ C @ B @ powers(q2)
    return np.array([first, powers(q1) @ B.T @ C @ B @ slopes_of_powers(q2)])


def curvature(C, q1, q2):
    """Second derivatives of (2.69)."""
    first = bends_of_powers(q1) @ B.T @ C @ B @ powers(q2)
    second = powers(q1) @ B.T @ C @ B @ bends_of_powers(q2)
    mixed = slopes_of_powers(q1) @ B.T @ C @ B @ slopes_of_powers(q2)
    return np.array([[first, mixed], [mixed, second]])


def scipy_surface(C, q1, q2, orders):
    """Return the surface, or a derivative, by scipy's splines: first along the columns, then along the row they give."""
    knots = np.arange(-3, 5)
    return BSpline(knots, BSpline(knots, C, 3)(q1, orders[0]), 3)(q2, orders[1])


@section.holds("e2.68", "A tensor product surface")
class e2_68:
    formula = r"f(C, q_1, q_2) = \tilde q_1^TB^TCB\tilde q_2,\quad \tilde q_i = \begin{pmatrix} 1&q_i&q_i^2&q_i^3 \end{pmatrix}^T"
    inputs = HEIGHT
    result = Result(NUMBER)
    printed = value

    def library(C, q1, q2):
        return height(C).transform([q1, q2])[0, 3]

    def reference(C, q1, q2):
        """Compare with scipy's B-splines with uniform knots: of each column of control values, then of the results."""
        return scipy_surface(C, q1, q2, (0, 0))

    remark = (
        r"So the rows of $C$ follow one another along $q_1$ and its columns along $q_2$. The library (and the code "
        r"that goes with the notes) lays its grid out the other way, as a picture: columns along $q_1$."
    )
    implements = SplineSurface


@section.holds("e2.69#a", "First derivatives of the surface")
class e2_69_a:
    formula = r"\frac{\partial f}{\partial q_1} = \tilde q_1'^TB^TCB\tilde q_2,\quad \frac{\partial f}{\partial q_2} = \tilde q_1^TB^TCB\tilde q_2',\quad \tilde q_i' = \begin{pmatrix} 0&1&2q_i&3q_i^2 \end{pmatrix}^T"
    inputs = HEIGHT
    result = Result(NUMBER, "by the first, then by the second coordinate")
    printed = slope

    def library(C, q1, q2):
        return height(C).motion_subspace([q1, q2])[3]

    def reference(C, q1, q2):
        """Compare with scipy's derivatives of B-splines, one direction after the other."""
        return np.array([scipy_surface(C, q1, q2, orders) for orders in ((1, 0), (0, 1))])

    implements = SplineSurface


@section.holds("e2.69#b", "Second derivatives of the surface")
class e2_69_b:
    formula = r"\frac{\partial^2f}{\partial q_1^2} = \tilde q_1''^TB^TCB\tilde q_2,\quad \frac{\partial^2f}{\partial q_2^2} = \tilde q_1^TB^TCB\tilde q_2'',\quad \tilde q_i'' = \begin{pmatrix} 0&0&2&6q_i \end{pmatrix}^T"
    inputs = HEIGHT
    result = Result(NUMBER, "by the first, then by the second coordinate")

    def printed(C, q1, q2):
        first = bends_of_powers(q1) @ B.T @ C @ B @ powers(q2)
        return np.array([first, powers(q1) @ B.T @ C @ B @ bends_of_powers(q2)])

    def library(C, q1, q2):
        return np.diag(height(C).motion_subspace_derivative([q1, q2])[3])

    def reference(C, q1, q2):
        """Compare with scipy's second derivatives of B-splines."""
        return np.array([scipy_surface(C, q1, q2, orders) for orders in ((2, 0), (0, 2))])

    implements = SplineSurface


@section.misprint("e2.69#c", "The mixed derivative of the surface")
class e2_69_c:
    page_2019 = Page(32)
    page_2021 = Page(44)
    formula = r"\frac{\partial^2f}{\partial q_1q_2} = \frac{\partial^2f}{\partial q_2q_1} = \tilde q_1'^TB^TCB\tilde q_2'"
    edits = (
        (r"\partial q_1q_2", r"\partial q_1\partial q_2"),
        (r"\partial q_2q_1", r"\partial q_2\partial q_1"),
    )
    inputs = HEIGHT
    result = Result(NUMBER, "by the first, then by the second coordinate")

    def printed(C, q1, q2):
        """Two derivatives by the one variable q_1 q_2, along the way on which q_1 / q_2 stays what it is."""
        product = q1 * q2
        (xx, xy), (_, yy) = curvature(C, q1, q2)
        x, y = slope(C, q1, q2)
        along = np.array([q1, q2]) / (2 * product)
        bent = -np.array([q1, q2]) / (4 * product**2)
        second = (
            along[0] ** 2 * xx + 2 * along[0] * along[1] * xy + along[1] ** 2 * yy + bent @ np.array([x, y])
        )
        return np.array([second, second])

    def library(C, q1, q2):
        hessian = height(C).motion_subspace_derivative([q1, q2])[3]
        return np.array([hessian[0, 1], hessian[1, 0]])

    def reference(C, q1, q2):
        """Compare with scipy's derivatives of B-splines, once in each direction, in both orders."""
        other = BSpline(np.arange(-3, 5), BSpline(np.arange(-3, 5), C.T, 3)(q2, 1), 3)(q1, 1)
        return np.array([scipy_surface(C, q1, q2, (1, 1)), other])

    correction = (
        r"$\frac{\partial^2f}{\partial q_1\partial q_2} = \frac{\partial^2f}{\partial q_2\partial q_1}$: a derivative "
        r"by each. The right side is right."
    )
    implements = SplineSurface


@section.holds("t1098", "Translations in front: they go directly into the pose")
class t1098:
    formula = r"E = TR:\ \text{`the translation values in $T$ go directly into the last column of the $E$ matrix rather than being rotated by $R$'}"
    inputs = {"t": vectors(), "angles": vectors()}
    result = Result(NUMBER, "in the fixed frame, with the translation in front, then behind")

    def printed(t, angles):
        """Return the last columns of T R and of R T."""
        T, R = np.eye(4), np.eye(4)
        T[:3, 3], R[:3, :3] = t, euler_rotation(angles)
        return np.array([(T @ R)[:3, 3], (R @ T)[:3, 3]])

    def library(t, angles):
        parts = Translational(), EulerSpherical("XYZ")
        orders = (parts, np.append(t, angles)), (parts[::-1], np.append(angles, t))
        return np.array([Composite(*each).transform(q)[:3, 3] for each, q in orders])

    def reference(t, angles):
        """Compare with the vector rotated by scipy, or the vector itself."""
        return np.array([t, Rotation.from_euler("XYZ", angles).apply(t)])

    implements = (Composite, EulerSpherical)


@section.definition("e2.70", "The six basis vectors")
class e2_70:
    formula = r"\hat e_1 = \begin{pmatrix}0&0&0&1&0&0\end{pmatrix}^T,\quad \hat e_2 = \begin{pmatrix}0&0&0&0&1&0\end{pmatrix}^T,\quad \hat e_3 = \begin{pmatrix}0&0&0&0&0&1\end{pmatrix}^T,\quad \hat e_4 = \begin{pmatrix}1&0&0&0&0&0\end{pmatrix}^T,\quad \hat e_5 = \begin{pmatrix}0&1&0&0&0&0\end{pmatrix}^T,\quad \hat e_6 = \begin{pmatrix}0&0&1&0&0&0\end{pmatrix}^T"
    defines = tuple(rf"\hat e_{k}" for k in range(1, 7))
    remark = "With twists angular part first: three translations, then three rotations."
    implements = SplineSurface


def pose_library(P, q1, q2):
    return over(P).transform([q1, q2])


def pose_reference(P, q1, q2):
    """Compare with positions and angles weighted by Cox and de Boor's recursion, and rotations by sines and cosines."""
    return spline_surface(P)(np.array([q1, q2]))


@section.holds("e2.71", "The pose over a spline surface")
class e2_71:
    formula = r"Q(q) = \prod_{k=1}^6\exp(\hat e_kf(C_k, q))"
    inputs = PATCH
    result = Result(POSE, "of the moving frame in the fixed one")

    def printed(P, q1, q2):
        """Return the factors from left to right."""
        Q = np.eye(4)
        for k, axis in enumerate(AXES):
            Q = Q @ expm(twist_matrix(axis * value(P[..., k], q1, q2)))
        return Q

    library = pose_library
    reference = pose_reference
    implements = SplineSurface


@section.holds("t1106#a", "The first three control matrices are positions of control frames")
class t1106_a:
    formula = r"\text{`$C_1$ through $C_3$ are the $x$, $y$, and $z$ positions of the 16 control frames'}"
    inputs = {"values": arrays(6)}
    result = Result(NUMBER, "in the fixed frame")

    def printed(values):
        return values[:3]

    def library(values):
        """Return the pose on the surface of sixteen equal control frames."""
        return over(np.broadcast_to(values, (4, 4, 6))).transform([0.3, 0.7])[:3, 3]

    def reference(values):
        """Compare with the product of six exponentials with the values of one control frame, applied to its origin."""
        x = np.array([0, 0, 0, 1])
        for value, axis in zip(values[::-1], AXES[::-1], strict=True):
            x = expm(twist_matrix(axis * value)) @ x
        return x[:3]

    implements = SplineSurface


@section.holds("t1106#b", "The rotations multiplied together are XYZ Euler angles")
class t1106_b:
    formula = r"R = \exp(\hat e_4f_4)\exp(\hat e_5f_5)\exp(\hat e_6f_6):\ \text{`acts as XYZ Euler angles'}"
    inputs = PATCH
    result = Result(NUMBER, "takes coordinates of the moving frame to those of the fixed one")

    def printed(P, q1, q2):
        angles = np.array([value(P[..., k], q1, q2) for k in (3, 4, 5)])
        turns = [screw_pose(axis, angle) for axis, angle in zip(np.eye(3), angles, strict=True)]
        return (turns[0] @ turns[1] @ turns[2])[:3, :3]

    def library(P, q1, q2):
        return pose_library(P, q1, q2)[:3, :3]

    def reference(P, q1, q2):
        """Compare with scipy's splines, and scipy's rotation about x, the new y and the newest z."""
        angles = [scipy_surface(P[..., k], q1, q2, (0, 0)) for k in (3, 4, 5)]
        return Rotation.from_euler("XYZ", angles).as_matrix()

    implements = SplineSurface


SMALL = np.pi / 4


@section.holds("t1106#c", "No gimbal lock as long as rotations are small")
class t1106_c:
    formula = r"\sigma_{\min}(S_\text{rot}) = \sqrt{1 - |\sin b|} > 0.54,\quad |b| < \pi/4:\ \text{`gimbal locks ... should not be a problem as long as the rotations are small ($<\pi/4$)'}"
    inputs = {"a": numbers(-0.78, 0.78), "b": numbers(-0.78, 0.78), "c": numbers(-0.78, 0.78)}
    result = Result(NUMBER, "smallest singular values, for these angles, then next to a lock")

    def printed(a, b, c):
        """Return the lowest angular speed for rates of norm one, and the smaller of it and the bound."""
        slowest = np.sqrt(1 - np.abs(np.sin(b)))
        return np.array([slowest, np.minimum(slowest, np.sqrt(1 - np.sin(SMALL)))])

    def library(a, b, c):
        slowest = EulerSpherical("XYZ").distance_to_singularity([[a, b, c], [c, SMALL, a]])
        return np.array([slowest[0], np.min(slowest)])

    def reference(a, b, c):
        """Compare with smallest singular values of angular velocities, from differences of scipy's rotation, there and at the bound."""

        def rotation_at(angles):
            return Rotation.from_euler("XYZ", angles).as_matrix()

        def slowest(angles):
            columns = [
                rotation_at(angles).T @ derivative_along_motion(rotation_at, angles, unit)
                for unit in np.eye(3)
            ]
            return np.linalg.svd(np.array([[X[2, 1], X[0, 2], X[1, 0]] for X in columns]))[1][-1]

        return np.array([slowest(np.array([a, b, c])), slowest(np.array([0.3, SMALL, -0.2]))])

    remark = (
        r"Only the second angle $b$ counts, and it may be anything short of $\pi/2$. The first and the last one may "
        r"be as large as they like. Control values below $\pi/4$ suffice, as the weights are positive and add up to one."
    )
    implements = EulerSpherical


# ------------------------------------------------------------------------------------------------------------
# Algorithm 4, and the rate of a Jacobian with two columns.


def S_library(P, q1, q2):
    return over(P).motion_subspace([q1, q2])


def S_reference(P, q1, q2):
    """Compare with positions and angles weighted by Cox and de Boor's recursion, and rotations by sines and cosines; complex steps of the pose."""
    return pose_jacobian(spline_surface(P), np.array([q1, q2]))


def dS_library(P, q1, q2):
    return over(P).motion_subspace_derivative([q1, q2])


def dS_reference(P, q1, q2):
    """Compare with differences of order eight of the twists that complex steps of such a pose give."""
    return pose_jacobian_derivative(spline_surface(P), np.array([q1, q2]))


def factor(k, P, q1, q2):
    """Q_k of Algorithm 4."""
    return expm(twist_matrix(AXES[k] * value(P[..., k], q1, q2)))


@section.holds("t1108#a", "Sizes of the Jacobian and of its derivative")
class t1108_a:
    formula = r"S \in \mathbb R^{6\times2},\quad \partial S/\partial q \in \mathbb R^{6\times2\times2}"
    result = Result(NUMBER, "sizes, axis by axis")

    def printed():
        return [6, 2, 6, 2, 2]

    def library():
        grid = np.zeros((4, 4, 6))
        return [*S_library(grid, 0.5, 0.5).shape, *dS_library(grid, 0.5, 0.5).shape]

    def reference():
        """Count the entries of the differences of a pose with two coordinates."""
        grid = np.zeros((4, 4, 6))
        return [*S_reference(grid, 0.5, 0.5).shape, *dS_reference(grid, 0.5, 0.5).shape]

    exact = "sizes are whole numbers"
    implements = SplineSurface


@section.holds("t1108#b", "The rate of the Jacobian: the MATLAB line")
class t1108_b:
    formula = r"\dot S = (\partial S/\partial q)\,\dot q:\ \texttt{Sdot = dSdq(:,:,1)*qdot(1) + dSdq(:,:,2)*qdot(2)}"
    inputs = MOVING
    result = Result(
        matrix_quantity(TWIST, NUMBER),
        "a column for each coordinate of the joint, in the frame that it moves",
    )

    def printed(P, q1, q2, qdot):
        """Evaluate with the layout of Algorithm 4: (:, i, j) is the derivative of column i by coordinate j."""
        dSdq = dS_reference(P, q1, q2)
        return dSdq[:, :, 0] * qdot[0] + dSdq[:, :, 1] * qdot[1]

    def library(P, q1, q2, qdot):
        return over(P).motion_subspace_rate([q1, q2], qdot)

    def reference(P, q1, q2, qdot):
        """Compare with differences of the Jacobian along the motion."""

        def along(t):
            return pose_jacobian(spline_surface(P), np.array([q1, q2]) + t * qdot)

        return derivative_along_motion(along, np.zeros(1), np.ones(1))

    primitives = ("rbnotes.ledger.oracles.spline_poses.spline_surface",)
    remark = (
        r"The third index counts what is varied: $\partial S/\partial q$ is not symmetric in the last two, and "
        r"contracted over the other one it is wrong. It is a contraction, not a tensor product."
    )
    implements = SplineSurface


@section.holds("alg4#a", "Algorithm 4: the transform")
class alg4_a:
    formula = r"Q = \exp(\hat e_1f(C_1, q));\quad k = 2, \ldots, 6:\ Q_k = \exp(\hat e_kf(C_k, q)),\ Q = QQ_k"
    inputs = PATCH
    result = Result(POSE, "of the moving frame in the fixed one")

    def printed(P, q1, q2):
        Q = factor(0, P, q1, q2)
        for k in (1, 2, 3, 4, 5):
            Qk = factor(k, P, q1, q2)
            Q = Q @ Qk
        return Q

    library = pose_library
    reference = pose_reference
    implements = SplineSurface


@section.holds("alg4#b", "Algorithm 4: the Jacobian")
class alg4_b:
    formula = r"S_i = \hat e_1\,\partial f_i(C_1, q);\quad k = 2, \ldots, 6:\ S_i = \hat e_k\,\partial f_i(C_k, q) + \mathrm{Ad}(Q_k^{-1})\,S_i"
    inputs = PATCH
    result = Result(
        matrix_quantity(SCREW, NUMBER),
        "a column for each coordinate of the joint, in the frame that it moves",
    )

    def printed(P, q1, q2):
        S = np.outer(AXES[0], slope(P[..., 0], q1, q2))
        for k in (1, 2, 3, 4, 5):
            Ad = adjoint_by_conjugation(np.linalg.inv(factor(k, P, q1, q2)))
            slopes = slope(P[..., k], q1, q2)
            for i in (0, 1):
                S[:, i] = AXES[k] * slopes[i] + Ad @ S[:, i]
        return S

    library = S_library
    reference = S_reference
    implements = SplineSurface


@section.holds("alg4#c", "Algorithm 4: the derivative of the Jacobian")
class alg4_c:
    formula = r"\partial S_{ij} = \hat e_1\,\partial^2f_{ij}(C_1, q);\quad k = 2, \ldots, 6:\ \partial S_{ij} = \hat e_k\,\partial^2f_{ij}(C_k, q) + \mathrm{Ad}(Q_k^{-1})\left(\partial S_{ij} + \mathrm{ad}(S_i)\,\hat e_k\,\partial f_j(C_k, q)\right)"
    inputs = PATCH
    result = Result(
        stacked_quantity(NUMBER, NUMBER, NUMBER, LENGTH, LENGTH, LENGTH),
        "as the Jacobian, and the last axis tells by which coordinate it is derived",
    )

    def printed(P, q1, q2):
        """Evaluate with the S_i of the round before in ad_i, as line 13 stands before line 14."""
        S = np.outer(AXES[0], slope(P[..., 0], q1, q2))
        dS = AXES[0][:, None, None] * curvature(P[..., 0], q1, q2)
        for k in (1, 2, 3, 4, 5):
            Ad = adjoint_by_conjugation(np.linalg.inv(factor(k, P, q1, q2)))
            slopes, bends = slope(P[..., k], q1, q2), curvature(P[..., k], q1, q2)
            for i in (0, 1):
                ad_axis = commutator(S[:, i], AXES[k])
                S[:, i] = AXES[k] * slopes[i] + Ad @ S[:, i]
                for j in (0, 1):
                    dS[:, i, j] = AXES[k] * bends[i, j] + Ad @ (dS[:, i, j] + ad_axis * slopes[j])
        return dS

    library = dS_library
    reference = dS_reference
    implements = SplineSurface
