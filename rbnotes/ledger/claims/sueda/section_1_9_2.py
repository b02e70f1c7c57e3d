"""Sueda 1.9.2: a force of constant direction on a point of a body. The oracle: moments, work, complex steps."""

from __future__ import annotations

import numpy as np

from rbnotes import se3, so3
from rbnotes.forces.body_forces import directional_energy, directional_force
from rbnotes.forces.path import symmetric_part
from rbnotes.forces.symmetry import asymmetry
from rbnotes.ledger.claims.sueda.section_1_9 import Gamma
from rbnotes.ledger.oracles.bodies import bracket, motion
from rbnotes.ledger.oracles.body_paths import pose_derivative
from rbnotes.ledger.pages import Page
from rbnotes.ledger.quantities import ENERGY, FORCE, LENGTH, NUMBER, POSE, SPATIAL_STIFFNESS, WRENCH
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section
from rbnotes.testing import complex_step
from rbnotes.testing.strategies import frames, nonzero_vectors, positive_numbers, rotations, vectors

section = Section(
    "sueda/s1.9.2",
    chapter="springs-and-muscles-on-bodies",
    page_2019=Page(9),
    page_2021=Page(12, last=14),
    arguments={
        "k": Argument(FORCE),
        "a": Argument(NUMBER, "direction of the force, along the axes of the world"),
        "E": Argument(POSE, "of the body in the world"),
        "x": Argument(LENGTH, "in the frame of the body"),
        "R": Argument(NUMBER, "of the body in the world"),
    },
)


DIRECTIONAL_FORCE = {"k": positive_numbers(), "a": nonzero_vectors(), "E": frames(), "x": vectors()}
ROTATED_VECTOR = {"R": rotations(), "a": nonzero_vectors()}


def wrench(k, a, E, x):
    """Compare with statics: the moment about the body's origin and the force, in body axes."""
    f = E[:3, :3].T @ (k * a)
    return np.concatenate([np.cross(x, f), f])


def potential(k, a, E, x):
    return -k * a @ (E[:3, :3] @ x + E[:3, 3])


def force_printed(k, a, E, x):
    return k * Gamma(x).T @ E[:3, :3].T @ a


def force_library(k, a, E, x):
    return directional_force(k, a, E, x).w


def stiffness_printed(k, a, E, x):
    R = E[:3, :3]
    zero = np.zeros((3, 3))
    return k * np.block([[bracket(x) @ bracket(R.T @ a), zero], [bracket(R.T @ a), zero]])


def rotate_to_first_order(R, w):
    """Return R exp([w]) to first order in w."""
    return R + R @ bracket(w)


def second_derivatives(k, a, E, x):
    """Return X_i X_j V for the six generators X of motions.

    V is linear in E, so the derivatives are products of matrices.
    """
    generators = np.zeros((6, 4, 4))
    for generator, axis in zip(generators, np.eye(6), strict=True):
        generator[:3, :3], generator[:3, 3] = bracket(axis[:3]), axis[3:]
    products = np.einsum("iab,jbc->ijac", generators, generators)
    return np.einsum("a,ijab,b->ij", np.append(-k * a, 0), E @ products, np.append(x, 1))


@section.holds("e1.31", "Wrench of a force of constant direction")
class e1_31:
    formula = r"\mathsf f = k\,\Gamma^T R^T\,{}^0\mathbf a"
    inputs = DIRECTIONAL_FORCE
    result = Result(WRENCH, "in the frame of the body")
    printed = force_printed
    library = force_library
    reference = wrench
    exact = "a moment and a force, single products that both forms compute in the same order"
    remark = "The notes call it 'the linear wrench'; it contains a torque and a force."
    implements = directional_force


@section.holds("e1.32", "Potential of a force of constant direction")
class e1_32:
    formula = r"V = -k\;{}^0\mathbf x^T\;{}^0\mathbf a"
    inputs = DIRECTIONAL_FORCE
    result = Result(ENERGY)

    def printed(k, a, E, x):
        x0 = E[:3, :3] @ x + E[:3, 3]
        return -k * x0 @ a

    library = directional_energy

    def reference(k, a, E, x):
        """Compare with the work against the force along a curve from the world's origin, by quadrature."""
        end = E[:3, :3] @ x + E[:3, 3]
        nodes, weights = np.polynomial.legendre.leggauss(4)
        s, ds = (nodes + 1) / 2, weights / 2
        offset = np.array([1.0, -2.0, 0.5])
        velocities = 2 * s[:, None] * end + (1 - 2 * s[:, None]) * offset
        return -np.sum(ds * (velocities @ (k * a)))

    implements = directional_energy


@section.holds("t387", "The wrench is minus the gradient of the potential")
class t387:
    formula = r"k\,\Gamma^T R^T\,{}^0\mathbf a = -\partial V/\partial E"
    inputs = DIRECTIONAL_FORCE
    result = Result(WRENCH, "in the frame of the body")
    printed = force_printed
    library = force_library

    def reference(k, a, E, x):
        """Compare with the complex step of V along body-frame increments."""
        return -pose_derivative(lambda poses: potential(k, a, poses[0], x), E[None])

    implements = directional_force


@section.holds("e1.33", "Stiffness of a force of constant direction")
class e1_33:
    formula = (
        r"K = k\begin{pmatrix}[{}^i\mathbf x][R^T\,{}^0\mathbf a] & 0\\ [R^T\,{}^0\mathbf a] & 0\end{pmatrix}"
    )
    inputs = DIRECTIONAL_FORCE
    result = Result(SPATIAL_STIFFNESS, "in the frame of the body")
    printed = stiffness_printed

    def library(k, a, E, x):
        return directional_force(k, a, E, x).K

    def reference(k, a, E, x):
        """Compare with the complex step of the statics of a force, along body-frame increments."""
        return pose_derivative(lambda poses: wrench(k, a, poses[0], x), E[None])

    remark = (
        r"This is $+\partial\mathsf f/\partial E$, as (1.30) needs it; (1.37), (1.51), (1.62) and (1.67) "
        r"have the other sign."
    )
    implements = directional_force


@section.holds("e1.34#a", "Derivative of a world vector in body axes with respect to rotation")
class e1_34_a:
    formula = r"\partial (R^T\mathbf a)/\partial\boldsymbol\omega = [R^T\mathbf a]"
    inputs = ROTATED_VECTOR
    result = Result(NUMBER, "along the axes of the body, by its rotation")

    def printed(R, a):
        return bracket(R.T @ a)

    def library(R, a):
        return so3.hat(R.T @ a)

    def reference(R, a):
        """Compare with the complex step along R exp([w])."""
        return complex_step(lambda w: rotate_to_first_order(R, w).T @ a, np.zeros(3))

    implements = so3.hat


@section.holds("e1.34#b", "Derivative of a body vector in world axes with respect to rotation")
class e1_34_b:
    formula = r"\partial (R\,\mathbf a)/\partial\boldsymbol\omega = -R\,[\mathbf a]"
    inputs = ROTATED_VECTOR
    result = Result(NUMBER, "along the axes of the world, by the rotation of the body along its axes")

    def printed(R, a):
        return -R @ bracket(a)

    def library(R, a):
        return -R @ so3.hat(a)

    def reference(R, a):
        """Compare with the complex step along R exp([w])."""
        return complex_step(lambda w: rotate_to_first_order(R, w) @ a, np.zeros(3))

    implements = so3.hat


@section.holds("e1.34#c", "Derivative of the body's origin with respect to translation")
class e1_34_c:
    formula = r"\partial\mathbf p/\partial\mathbf v = R"
    inputs = {"E": frames()}
    result = Result(NUMBER, "along the axes of the world, by the motion of the body along its axes")

    def printed(E):
        R = E[:3, :3]
        return 1.0 * R

    def library(E):
        return (E[:3, :3] @ se3.Gamma(np.zeros(3)))[:, 3:]

    def reference(E):
        """Compare with the displacements of the origin after unit time along each body axis."""
        return np.stack(
            [motion(E, np.append(np.zeros(3), v))(1.0)[:3, 3] - E[:3, 3] for v in np.eye(3)], axis=-1
        )

    implements = se3.Gamma


@section.holds("t395#a", "The stiffness matrix is not symmetric")
class t395_a:
    formula = r"K \ne K^T"
    inputs = DIRECTIONAL_FORCE
    result = Result(SPATIAL_STIFFNESS, "in the frame of the body")

    def printed(k, a, E, x):
        K = stiffness_printed(k, a, E, x)
        return K - K.T

    def library(k, a, E, x):
        return asymmetry(directional_force(k, a, E, x).w[None])

    def reference(k, a, E, x):
        """Compare with second derivatives of V along two generators, in both orders: their commutator."""
        second = second_derivatives(k, a, E, x)
        return second - second.T

    remark = (
        r"That the force does not depend on the translation explains only part of it: the block of the "
        r"rotations is not symmetric either. The reason is that body-frame increments do not commute: $K "
        r"- K^T = \begin{pmatrix}[\boldsymbol\tau] & [\mathbf f]\\ [\mathbf f] & 0\end{pmatrix}$ for "
        r"every force that has a potential."
    )
    implements = (asymmetry, directional_force)


@section.definition("t395#b", "Symmetric part of the stiffness matrix")
class t395_b:
    formula = r"K = \tfrac12(K + K^T)"
    inputs = DIRECTIONAL_FORCE
    result = Result(SPATIAL_STIFFNESS, "in the frame of the body")

    defines = ("K",)

    def printed(k, a, E, x):
        K = stiffness_printed(k, a, E, x)
        return 1 / 2 * (K + K.T)

    def library(k, a, E, x):
        return symmetric_part(directional_force(k, a, E, x).K)

    def reference(k, a, E, x):
        """Compare with second derivatives of V along E exp([xi]).

        Since exp([xi]) = I + [xi] + [xi]^2 / 2 + ..., they are the mean of both orders.
        """
        second = second_derivatives(k, a, E, x)
        return -(second + second.T) / 2

    remark = (
        "If the force has a potential, this is minus its Hessian in exponential coordinates, "
        r"$V(E\exp([\xi]))$ at $\xi = 0$."
    )
    implements = symmetric_part
