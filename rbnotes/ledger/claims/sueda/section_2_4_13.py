"""Sueda 2.4.13: a joint over a spline surface. The oracles use scipy's splines and rotations, and recursion."""

from __future__ import annotations

import numpy as np
from scipy.interpolate import BSpline
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from rbnotes.joints import Composite, EulerSpherical, SplineSurface, Translational
from rbnotes.ledger.oracles.pose_products import derivative_along_motion, screw_pose
from rbnotes.ledger.oracles.spline_poses import euler_rotation, spline_surface
from rbnotes.ledger.oracles.twists import twist_matrix
from rbnotes.ledger.quantities import LINEAR_FIRST_TWIST, NUMBER, POSE, TIME
from rbnotes.ledger.record import Verdict, claim
from rbnotes.testing.strategies import arrays, numbers, vectors

CHAPTER = "spline-joints"
SURFACE = ("rbnotes.joints.SplineSurface",)
B = np.array([[1, -3, 3, -1], [4, 0, -6, 3], [1, 3, 3, -3], [0, 0, 0, 1]]) / 6
AXES = np.eye(6)[[3, 4, 5, 0, 1, 2]]
HEIGHT = {"C": arrays(4, 4), "q1": numbers(0.0, 1.0), "q2": numbers(0.0, 1.0)}
PATCH = {"P": arrays(4, 4, 6), "q1": numbers(0.0, 1.0), "q2": numbers(0.0, 1.0)}
MOVING = {**PATCH, "qdot": vectors(2)}


QUANTITIES = {
    "C": NUMBER,
    "P": LINEAR_FIRST_TWIST * TIME,
    "a": NUMBER,
    "b": NUMBER,
    "c": NUMBER,
    "q1": NUMBER,
    "q2": NUMBER,
    "t": NUMBER,
    "values": NUMBER,
}


def over(P):
    """The joint over a patch. The library counts the grid the other way round: its second index goes with q_1."""
    return SplineSurface(np.swapaxes(P, 0, 1))


def height(C):
    """The joint over a patch whose values are positions along x, without a turn."""
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
    """The surface, or a derivative, by scipy's splines: first along the columns, then along the row they give."""
    knots = np.arange(-3, 5)
    return BSpline(knots, BSpline(knots, C, 3)(q1, orders[0]), 3)(q2, orders[1])


@claim("sueda/s2.4.13/e2.68", "A tensor product surface")
class e2_68:
    formula = (
        r"f(C, q_1, q_2) = \tilde q_1^TB^TCB\tilde q_2,\quad \tilde q_i = \begin{pmatrix} 1&q_i&q_i^2&q_i^3 "
        r"\end{pmatrix}^T"
    )
    inputs = HEIGHT
    result = NUMBER
    printed = value

    def library(C, q1, q2):
        return height(C).transform([q1, q2])[0, 3]

    oracle = "scipy's B-splines with uniform knots: of each column of control values, then of what they give"

    def reference(C, q1, q2):
        return scipy_surface(C, q1, q2, (0, 0))

    verdict = Verdict.HOLDS
    remark = (
        r"So the rows of $C$ follow one another along $q_1$ and its columns along $q_2$. The library (and the code "
        r"that goes with the notes) lays its grid out the other way, as a picture: columns along $q_1$."
    )
    implemented_by = SURFACE
    chapter = CHAPTER


@claim("sueda/s2.4.13/e2.69#a", "First derivatives of the surface")
class e2_69_a:
    formula = (
        r"\frac{\partial f}{\partial q_1} = \tilde q_1'^TB^TCB\tilde q_2,\quad \frac{\partial f}{\partial q_2} = "
        r"\tilde q_1^TB^TCB\tilde q_2',\quad \tilde q_i' = \begin{pmatrix} 0&1&2q_i&3q_i^2 \end{pmatrix}^T"
    )
    inputs = HEIGHT
    result = NUMBER
    printed = slope

    def library(C, q1, q2):
        return height(C).motion_subspace([q1, q2])[3]

    oracle = "scipy's derivatives of B-splines, one direction after the other"

    def reference(C, q1, q2):
        return np.array([scipy_surface(C, q1, q2, orders) for orders in ((1, 0), (0, 1))])

    verdict = Verdict.HOLDS
    implemented_by = SURFACE
    chapter = CHAPTER


@claim("sueda/s2.4.13/e2.69#b", "Second derivatives of the surface")
class e2_69_b:
    formula = (
        r"\frac{\partial^2f}{\partial q_1^2} = \tilde q_1''^TB^TCB\tilde q_2,\quad \frac{\partial^2f}{\partial q_2^2} "
        r"= \tilde q_1^TB^TCB\tilde q_2'',\quad \tilde q_i'' = \begin{pmatrix} 0&0&2&6q_i \end{pmatrix}^T"
    )
    inputs = HEIGHT
    result = NUMBER

    def printed(C, q1, q2):
        first = bends_of_powers(q1) @ B.T @ C @ B @ powers(q2)
        return np.array([first, powers(q1) @ B.T @ C @ B @ bends_of_powers(q2)])

    def library(C, q1, q2):
        return np.diag(height(C).motion_subspace_derivative([q1, q2])[3])

    oracle = "scipy's second derivatives of B-splines"

    def reference(C, q1, q2):
        return np.array([scipy_surface(C, q1, q2, orders) for orders in ((2, 0), (0, 2))])

    verdict = Verdict.HOLDS
    implemented_by = SURFACE
    chapter = CHAPTER


@claim("sueda/s2.4.13/e2.69#c", "The mixed derivative of the surface")
class e2_69_c:
    formula = r"\frac{\partial^2f}{\partial q_1q_2} = \frac{\partial^2f}{\partial q_2q_1} = \tilde q_1'^TB^TCB\tilde q_2'"
    inputs = HEIGHT
    result = NUMBER

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

    oracle = "scipy's derivatives of B-splines, once in each direction, in both orders"

    def reference(C, q1, q2):
        other = BSpline(np.arange(-3, 5), BSpline(np.arange(-3, 5), C.T, 3)(q2, 1), 3)(q1, 1)
        return np.array([scipy_surface(C, q1, q2, (1, 1)), other])

    equivalent_mutants = {
        "swapped indices in `hessian[0, 1]`": "the mixed derivatives are equal",
        "swapped indices in `hessian[1, 0]`": "the mixed derivatives are equal",
    }
    verdict = Verdict.MISPRINT
    correction = (
        r"$\frac{\partial^2f}{\partial q_1\partial q_2} = \frac{\partial^2f}{\partial q_2\partial q_1}$: a derivative "
        r"by each. The right side is right."
    )
    implemented_by = SURFACE
    chapter = CHAPTER


@claim("sueda/s2.4.13/t1098", "Translations in front: they go directly into the pose")
class t1098:
    formula = (
        r"E = TR:\ \text{`the translation values in $T$ go directly into the last column of the $E$ matrix rather "
        r"than being rotated by $R$'}"
    )
    inputs = {"t": vectors(), "angles": vectors()}
    result = NUMBER

    def printed(t, angles):
        """The last columns of T R and of R T."""
        T, R = np.eye(4), np.eye(4)
        T[:3, 3], R[:3, :3] = t, euler_rotation(angles)
        return np.array([(T @ R)[:3, 3], (R @ T)[:3, 3]])

    def library(t, angles):
        parts = Translational(), EulerSpherical("XYZ")
        orders = (parts, np.append(t, angles)), (parts[::-1], np.append(angles, t))
        return np.array([Composite(*each).transform(q)[:3, 3] for each, q in orders])

    oracle = "where scipy's rotation takes the vector, or the vector itself"

    def reference(t, angles):
        return np.array([t, Rotation.from_euler("XYZ", angles).apply(t)])

    equivalent_mutants = {"dropped factor `R` in `T @ R`": "that R leaves the last column alone is the claim"}
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.joints.Composite", "rbnotes.joints.EulerSpherical")
    chapter = CHAPTER


@claim("sueda/s2.4.13/e2.70", "The six basis vectors")
class e2_70:
    formula = (
        r"\hat e_1 = \begin{pmatrix}0&0&0&1&0&0\end{pmatrix}^T,\quad \hat e_2 = \begin{pmatrix}0&0&0&0&1&0"
        r"\end{pmatrix}^T,\quad \hat e_3 = \begin{pmatrix}0&0&0&0&0&1\end{pmatrix}^T,\quad \hat e_4 = "
        r"\begin{pmatrix}1&0&0&0&0&0\end{pmatrix}^T,\quad \hat e_5 = \begin{pmatrix}0&1&0&0&0&0\end{pmatrix}^T,\quad "
        r"\hat e_6 = \begin{pmatrix}0&0&1&0&0&0\end{pmatrix}^T"
    )
    defines = tuple(rf"\hat e_{k}" for k in range(1, 7))
    verdict = Verdict.DEFINITION
    remark = "With twists angular part first: three translations, then three rotations."
    implemented_by = SURFACE
    chapter = CHAPTER


def pose_library(P, q1, q2):
    return over(P).transform([q1, q2])


def pose_reference(P, q1, q2):
    return spline_surface(P)(np.array([q1, q2]))


BY_ANGLES = "positions and angles weighted by Cox and de Boor's recursion, and rotations by sines and cosines"


@claim("sueda/s2.4.13/e2.71", "The pose over a spline surface")
class e2_71:
    formula = r"Q(q) = \prod_{k=1}^6\exp(\hat e_kf(C_k, q))"
    inputs = PATCH
    result = POSE

    def printed(P, q1, q2):
        """The factors from left to right."""
        Q = np.eye(4)
        for k, axis in enumerate(AXES):
            Q = Q @ expm(twist_matrix(axis * value(P[..., k], q1, q2)))
        return Q

    library = pose_library
    oracle = BY_ANGLES
    reference = pose_reference
    verdict = Verdict.HOLDS
    implemented_by = SURFACE
    chapter = CHAPTER


@claim("sueda/s2.4.13/t1106#a", "The first three control matrices are positions of control frames")
class t1106_a:
    formula = r"\text{`$C_1$ through $C_3$ are the $x$, $y$, and $z$ positions of the 16 control frames'}"
    inputs = {"values": arrays(6)}
    result = NUMBER

    def printed(values):
        return values[:3]

    def library(values):
        """The surface of sixteen equal control frames stays there."""
        return over(np.broadcast_to(values, (4, 4, 6))).transform([0.3, 0.7])[:3, 3]

    oracle = "the product of six exponentials with the values of one control frame, applied to its origin"

    def reference(values):
        x = np.array([0, 0, 0, 1])
        for value, axis in zip(values[::-1], AXES[::-1], strict=True):
            x = expm(twist_matrix(axis * value)) @ x
        return x[:3]

    verdict = Verdict.HOLDS
    implemented_by = SURFACE
    chapter = CHAPTER


@claim("sueda/s2.4.13/t1106#b", "The rotations multiplied together are XYZ Euler angles")
class t1106_b:
    formula = r"R = \exp(\hat e_4f_4)\exp(\hat e_5f_5)\exp(\hat e_6f_6):\ \text{`acts as XYZ Euler angles'}"
    inputs = PATCH
    result = NUMBER

    def printed(P, q1, q2):
        angles = np.array([value(P[..., k], q1, q2) for k in (3, 4, 5)])
        turns = [screw_pose(axis, angle) for axis, angle in zip(np.eye(3), angles, strict=True)]
        return (turns[0] @ turns[1] @ turns[2])[:3, :3]

    def library(P, q1, q2):
        return pose_library(P, q1, q2)[:3, :3]

    oracle = "scipy's splines, and scipy's rotation about x, the new y and the newest z"

    def reference(P, q1, q2):
        angles = [scipy_surface(P[..., k], q1, q2, (0, 0)) for k in (3, 4, 5)]
        return Rotation.from_euler("XYZ", angles).as_matrix()

    verdict = Verdict.HOLDS
    implemented_by = SURFACE
    chapter = CHAPTER


SMALL = np.pi / 4


@claim("sueda/s2.4.13/t1106#c", "No gimbal lock as long as rotations are small")
class t1106_c:
    formula = (
        r"\sigma_{\min}(S_\text{rot}) = \sqrt{1 - |\sin b|} > 0.54,\quad |b| < \pi/4:\ \text{`gimbal locks ... should "
        r"not be a problem as long as the rotations are small ($<\pi/4$)'}"
    )
    inputs = {"a": numbers(-0.78, 0.78), "b": numbers(-0.78, 0.78), "c": numbers(-0.78, 0.78)}
    result = NUMBER

    def printed(a, b, c):
        """How slow the slowest rotation is that rates of size one make; the bound, if it is no slower."""
        slowest = np.sqrt(1 - np.abs(np.sin(b)))
        return np.array([slowest, np.minimum(slowest, np.sqrt(1 - np.sin(SMALL)))])

    def library(a, b, c):
        slowest = EulerSpherical("XYZ").distance_to_singularity([[a, b, c], [c, SMALL, a]])
        return np.array([slowest[0], np.min(slowest)])

    oracle = "smallest singular values of angular velocities, from differences of scipy's rotation, there and at the bound"

    def reference(a, b, c):
        def moved(angles):
            return Rotation.from_euler("XYZ", angles).as_matrix()

        def slowest(angles):
            columns = [moved(angles).T @ derivative_along_motion(moved, angles, unit) for unit in np.eye(3)]
            return np.linalg.svd(np.array([[X[2, 1], X[0, 2], X[1, 0]] for X in columns]))[1][-1]

        return np.array([slowest(np.array([a, b, c])), slowest(np.array([0.3, SMALL, -0.2]))])

    equivalent_mutants = {
        "cos for sin in `np.sin(SMALL)`": "sine and cosine of this angle are equal",
        "only `np.sqrt(1 - np.sin(SMALL))` in `np.minimum(slowest, np.sqrt(1 - np.sin(SMALL)))`": (
            "that the bound is the smaller one is the claim; the oracle's side has it there"
        ),
    }
    verdict = Verdict.HOLDS
    remark = (
        r"Only the second angle $b$ counts, and it may be anything short of $\pi/2$. The first and the last one may "
        r"be as large as they like. Control values below $\pi/4$ suffice, as the weights are positive and add up to one."
    )
    implemented_by = ("rbnotes.joints.EulerSpherical",)
    chapter = CHAPTER
