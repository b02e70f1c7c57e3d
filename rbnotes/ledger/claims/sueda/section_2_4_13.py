"""Sueda 2.4.13: a joint on a spline surface. The oracles use scipy's splines and rotations, and recursion."""

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
        "q1": Argument(NUMBER, "coordinates of the joint"),
        "q2": Argument(NUMBER, "coordinates of the joint"),
        "t": Argument(NUMBER, "translation of a control frame"),
        "angles": Argument(NUMBER, "angles of a control frame"),
        "P": Argument(LINEAR_FIRST_TWIST * TIME, "of the control frames"),
        "values": Argument(NUMBER, "of a control frame: translation, then angles"),
        "a": Argument(NUMBER),
        "b": Argument(NUMBER),
        "c": Argument(NUMBER),
        "qdot": Argument(RATE, "rates of the coordinates of the joint"),
    },
)


B = np.array([[1, -3, 3, -1], [4, 0, -6, 3], [1, 3, 3, -3], [0, 0, 0, 1]]) / 6
AXES = np.eye(6)[[3, 4, 5, 0, 1, 2]]
HEIGHT = {"C": arrays(4, 4), "q1": numbers(0.0, 1.0), "q2": numbers(0.0, 1.0)}
PATCH = {"P": arrays(4, 4, 6), "q1": numbers(0.0, 1.0), "q2": numbers(0.0, 1.0)}
MOTION = {**PATCH, "qdot": vectors(2)}


def surface_joint(P):
    """Return the joint on a patch. The library transposes the grid: its second index goes with q_1."""
    return SplineSurface(np.swapaxes(P, 0, 1))


def height_joint(C):
    """Return the joint on a patch whose values are positions along x, without rotations."""
    return surface_joint(np.concatenate([C[..., None], np.zeros((4, 4, 5))], axis=-1))


def powers(q):
    return np.array([1, q, q**2, q**3])


def power_derivatives(q):
    return np.array([0, 1, 2 * q, 3 * q**2])


def power_second_derivatives(q):
    return np.array([0, 0, 2, 6 * q])


def surface_value(C, q1, q2):
    """Evaluate (2.68)."""
    return powers(q1) @ B.T @ C @ B @ powers(q2)


def surface_gradient(C, q1, q2):
    """Return the first derivatives with respect to q_1 and q_2 of (2.69)."""
    first = power_derivatives(q1) @ B.T @ C @ B @ powers(q2)
    return np.array([first, powers(q1) @ B.T @ C @ B @ power_derivatives(q2)])


def surface_hessian(C, q1, q2):
    """Return the second derivatives of (2.69)."""
    first = power_second_derivatives(q1) @ B.T @ C @ B @ powers(q2)
    second = powers(q1) @ B.T @ C @ B @ power_second_derivatives(q2)
    mixed = power_derivatives(q1) @ B.T @ C @ B @ power_derivatives(q2)
    return np.array([[first, mixed], [mixed, second]])


def scipy_surface(C, q1, q2, orders):
    """Return the surface, or a derivative, by scipy's splines: along the columns, then along the resulting row."""
    knots = np.arange(-3, 5)
    return BSpline(knots, BSpline(knots, C, 3)(q1, orders[0]), 3)(q2, orders[1])


@section.holds("e2.68", "Tensor product surface")
class e2_68:
    formula = r"f(C, q_1, q_2) = \tilde q_1^TB^TCB\tilde q_2,\quad \tilde q_i = \begin{pmatrix} 1&q_i&q_i^2&q_i^3 \end{pmatrix}^T"
    inputs = HEIGHT
    result = Result(NUMBER)
    printed = surface_value

    def library(C, q1, q2):
        return height_joint(C).transform([q1, q2])[0, 3]

    def reference(C, q1, q2):
        """Compare with scipy's B-splines with uniform knots: of each column of control values, then of the results."""
        return scipy_surface(C, q1, q2, (0, 0))

    remark = (
        "The rows of $C$ are ordered along $q_1$ and its columns along $q_2$. The library (and the code "
        "of the notes) uses the transposed grid, like a picture: columns along $q_1$."
    )
    implements = SplineSurface


@section.holds("e2.69#a", "First derivatives of the surface")
class e2_69_a:
    formula = r"\frac{\partial f}{\partial q_1} = \tilde q_1'^TB^TCB\tilde q_2,\quad \frac{\partial f}{\partial q_2} = \tilde q_1^TB^TCB\tilde q_2',\quad \tilde q_i' = \begin{pmatrix} 0&1&2q_i&3q_i^2 \end{pmatrix}^T"
    inputs = HEIGHT
    result = Result(NUMBER, "by the first, then by the second coordinate")
    printed = surface_gradient

    def library(C, q1, q2):
        return height_joint(C).motion_subspace([q1, q2])[3]

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
        first = power_second_derivatives(q1) @ B.T @ C @ B @ powers(q2)
        return np.array([first, powers(q1) @ B.T @ C @ B @ power_second_derivatives(q2)])

    def library(C, q1, q2):
        return np.diag(height_joint(C).motion_subspace_derivative([q1, q2])[3])

    def reference(C, q1, q2):
        """Compare with scipy's second derivatives of B-splines."""
        return np.array([scipy_surface(C, q1, q2, orders) for orders in ((2, 0), (0, 2))])

    implements = SplineSurface


@section.misprint("e2.69#c", "Mixed derivative of the surface")
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
        """Return two derivatives with respect to the one variable q_1 q_2, at constant q_1 / q_2."""
        product = q1 * q2
        (xx, xy), (_, yy) = surface_hessian(C, q1, q2)
        x, y = surface_gradient(C, q1, q2)
        tangent = np.array([q1, q2]) / (2 * product)
        tangent_rate = -np.array([q1, q2]) / (4 * product**2)
        second = (
            tangent[0] ** 2 * xx
            + 2 * tangent[0] * tangent[1] * xy
            + tangent[1] ** 2 * yy
            + tangent_rate @ np.array([x, y])
        )
        return np.array([second, second])

    def library(C, q1, q2):
        hessian = height_joint(C).motion_subspace_derivative([q1, q2])[3]
        return np.array([hessian[0, 1], hessian[1, 0]])

    def reference(C, q1, q2):
        """Compare with scipy's derivatives of B-splines, once in each direction, in both orders."""
        transposed = BSpline(np.arange(-3, 5), BSpline(np.arange(-3, 5), C.T, 3)(q2, 1), 3)(q1, 1)
        return np.array([scipy_surface(C, q1, q2, (1, 1)), transposed])

    correction = (
        r"$\frac{\partial^2f}{\partial q_1\partial q_2} = \frac{\partial^2f}{\partial q_2\partial q_1}$: "
        "one derivative with respect to each coordinate. The right-hand side is right."
    )
    implements = SplineSurface


@section.holds("t1098", "Order of the translation and the rotation of a control frame")
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
    remark = "The twists have the angular part first, so these are three translations, then three rotations."
    implements = SplineSurface


def pose_library(P, q1, q2):
    return surface_joint(P).transform([q1, q2])


def pose_reference(P, q1, q2):
    """Compare with positions and angles weighted by the recursion of Cox and de Boor."""
    return spline_surface(P)(np.array([q1, q2]))


@section.holds("e2.71", "Pose on a spline surface")
class e2_71:
    formula = r"Q(q) = \prod_{k=1}^6\exp(\hat e_kf(C_k, q))"
    inputs = PATCH
    result = Result(POSE, "of the moving frame in the fixed one")

    def printed(P, q1, q2):
        """Multiply the factors from left to right."""
        Q = np.eye(4)
        for k, axis in enumerate(AXES):
            Q = Q @ expm(twist_matrix(axis * surface_value(P[..., k], q1, q2)))
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
        """Return the position on the surface of sixteen equal control frames."""
        return surface_joint(np.broadcast_to(values, (4, 4, 6))).transform([0.3, 0.7])[:3, 3]

    def reference(values):
        """Compare with the product of six exponentials with the values of one control frame, applied to its origin."""
        x = np.array([0, 0, 0, 1])
        for value, axis in zip(values[::-1], AXES[::-1], strict=True):
            x = expm(twist_matrix(axis * value)) @ x
        return x[:3]

    implements = SplineSurface


@section.holds("t1106#b", "The product of the rotations is that of XYZ Euler angles")
class t1106_b:
    formula = r"R = \exp(\hat e_4f_4)\exp(\hat e_5f_5)\exp(\hat e_6f_6):\ \text{`acts as XYZ Euler angles'}"
    inputs = PATCH
    result = Result(NUMBER, "takes coordinates of the moving frame to those of the fixed one")

    def printed(P, q1, q2):
        angles = np.array([surface_value(P[..., k], q1, q2) for k in (3, 4, 5)])
        rotations = [screw_pose(axis, angle) for axis, angle in zip(np.eye(3), angles, strict=True)]
        return (rotations[0] @ rotations[1] @ rotations[2])[:3, :3]

    def library(P, q1, q2):
        return pose_library(P, q1, q2)[:3, :3]

    def reference(P, q1, q2):
        """Compare with scipy's splines, and scipy's rotation by XYZ Euler angles."""
        angles = [scipy_surface(P[..., k], q1, q2, (0, 0)) for k in (3, 4, 5)]
        return Rotation.from_euler("XYZ", angles).as_matrix()

    implements = SplineSurface


ANGLE_BOUND = np.pi / 4


@section.holds("t1106#c", "No gimbal lock for small rotations")
class t1106_c:
    formula = r"\sigma_{\min}(S_\text{rot}) = \sqrt{1 - |\sin b|} > 0.54,\quad |b| < \pi/4:\ \text{`gimbal locks ... should not be a problem as long as the rotations are small ($<\pi/4$)'}"
    inputs = {"a": numbers(-0.78, 0.78), "b": numbers(-0.78, 0.78), "c": numbers(-0.78, 0.78)}
    result = Result(NUMBER, "smallest singular value for these angles, then the smaller of it and the bound")

    def printed(a, b, c):
        """Return the lowest angular speed for rates of norm one, and the smaller of it and the bound."""
        slowest = np.sqrt(1 - np.abs(np.sin(b)))
        return np.array([slowest, np.minimum(slowest, np.sqrt(1 - np.sin(ANGLE_BOUND)))])

    def library(a, b, c):
        slowest = EulerSpherical("XYZ").distance_to_singularity([[a, b, c], [c, ANGLE_BOUND, a]])
        return np.array([slowest[0], np.min(slowest)])

    def reference(a, b, c):
        """Compare with smallest singular values of angular velocities, by differences of scipy's rotation."""

        def rotation_at(angles):
            return Rotation.from_euler("XYZ", angles).as_matrix()

        def slowest(angles):
            columns = [
                rotation_at(angles).T @ derivative_along_motion(rotation_at, angles, unit)
                for unit in np.eye(3)
            ]
            return np.linalg.svd(np.array([[X[2, 1], X[0, 2], X[1, 0]] for X in columns]))[1][-1]

        return np.array([slowest(np.array([a, b, c])), slowest(np.array([0.3, ANGLE_BOUND, -0.2]))])

    remark = (
        r"Only the second angle $b$ matters, and it may have any value below $\pi/2$; the first and the "
        r"last one are arbitrary. Control values below $\pi/4$ suffice, because the weights are positive "
        "and add up to one."
    )
    implements = EulerSpherical


# ------------------------------------------------------------------------------------------------------------
# Algorithm 4, and the rate of a Jacobian with two columns.


def S_library(P, q1, q2):
    return surface_joint(P).motion_subspace([q1, q2])


def S_reference(P, q1, q2):
    """Compare with complex steps of the pose, weighted by the recursion of Cox and de Boor."""
    return pose_jacobian(spline_surface(P), np.array([q1, q2]))


def dS_library(P, q1, q2):
    return surface_joint(P).motion_subspace_derivative([q1, q2])


def dS_reference(P, q1, q2):
    """Compare with differences of order eight of complex steps of such a pose."""
    return pose_jacobian_derivative(spline_surface(P), np.array([q1, q2]))


def factor(k, P, q1, q2):
    """Return Q_k of Algorithm 4."""
    return expm(twist_matrix(AXES[k] * surface_value(P[..., k], q1, q2)))


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


@section.holds("t1108#b", "Rate of the Jacobian in MATLAB")
class t1108_b:
    formula = r"\dot S = (\partial S/\partial q)\,\dot q:\ \texttt{Sdot = dSdq(:,:,1)*qdot(1) + dSdq(:,:,2)*qdot(2)}"
    inputs = MOTION
    result = Result(
        matrix_quantity(TWIST, NUMBER),
        "a column for each coordinate of the joint, in the frame that it moves",
    )

    def printed(P, q1, q2, qdot):
        """Evaluate with the layout of Algorithm 4: (:, i, j) is the derivative of column i by coordinate j."""
        dSdq = dS_reference(P, q1, q2)
        return dSdq[:, :, 0] * qdot[0] + dSdq[:, :, 1] * qdot[1]

    def library(P, q1, q2, qdot):
        return surface_joint(P).motion_subspace_rate([q1, q2], qdot)

    def reference(P, q1, q2, qdot):
        """Compare with differences of the Jacobian along the motion."""

        def columns(t):
            return pose_jacobian(spline_surface(P), np.array([q1, q2]) + t * qdot)

        return derivative_along_motion(columns, np.zeros(1), np.ones(1))

    primitives = ("rbnotes.ledger.oracles.spline_poses.spline_surface",)
    remark = (
        r"The third index is that of the derivative: $\partial S/\partial q$ is not symmetric in the "
        "last two indices, and the contraction over the second one is wrong. The product is a "
        "contraction, not a tensor product."
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
        S = np.outer(AXES[0], surface_gradient(P[..., 0], q1, q2))
        for k in (1, 2, 3, 4, 5):
            Ad = adjoint_by_conjugation(np.linalg.inv(factor(k, P, q1, q2)))
            gradient = surface_gradient(P[..., k], q1, q2)
            for i in (0, 1):
                S[:, i] = AXES[k] * gradient[i] + Ad @ S[:, i]
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
        "like the Jacobian; the last axis is the coordinate of the derivative",
    )

    def printed(P, q1, q2):
        """Evaluate with the S_i of the previous iteration in ad_i, because line 13 precedes line 14."""
        S = np.outer(AXES[0], surface_gradient(P[..., 0], q1, q2))
        dS = AXES[0][:, None, None] * surface_hessian(P[..., 0], q1, q2)
        for k in (1, 2, 3, 4, 5):
            Ad = adjoint_by_conjugation(np.linalg.inv(factor(k, P, q1, q2)))
            gradient, hessian = surface_gradient(P[..., k], q1, q2), surface_hessian(P[..., k], q1, q2)
            for i in (0, 1):
                ad_axis = commutator(S[:, i], AXES[k])
                S[:, i] = AXES[k] * gradient[i] + Ad @ S[:, i]
                for j in (0, 1):
                    dS[:, i, j] = AXES[k] * hessian[i, j] + Ad @ (dS[:, i, j] + ad_axis * gradient[j])
        return dS

    library = dS_library
    reference = dS_reference
    implements = SplineSurface
