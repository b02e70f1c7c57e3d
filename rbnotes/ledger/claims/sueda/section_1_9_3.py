"""Sueda 1.9.3: zero-length springs between two bodies. The oracle: statics, work, complex steps."""

from __future__ import annotations

import numpy as np

from rbnotes.forces.body_forces import zero_length_energy, zero_length_spring
from rbnotes.forces.path import symmetric_part
from rbnotes.ledger.claims.sueda.section_1_9 import PAIR, Gamma, rotations_and_span
from rbnotes.ledger.oracles.bodies import bracket
from rbnotes.ledger.oracles.body_paths import point_positions, pose_derivative, wrenches
from rbnotes.ledger.pages import Page
from rbnotes.ledger.quantities import ENERGY, LENGTH, POSE, SPATIAL_STIFFNESS, STIFFNESS, WRENCH
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section
from rbnotes.testing.strategies import positive_numbers

ON_BOTH = "on both bodies, each in its frame"

section = Section(
    "sueda/s1.9.3",
    chapter="springs-and-muscles-on-bodies",
    page_2019=Page(9, last=10),
    page_2021=Page(13, last=14),
    arguments={
        "E": Argument(POSE, "of each body in the world"),
        "x": Argument(LENGTH, "in each body, in its frame"),
        "k": Argument(STIFFNESS),
    },
)


SPRING = {**PAIR, "k": positive_numbers()}
AT_REST = np.zeros((2, 6))
IDENTITY = np.eye(3)


def force_printed(E, x, k):
    R1, R2, dx = rotations_and_span(E, x)
    return k * np.concatenate([Gamma(x[0]).T @ R1.T @ dx, -Gamma(x[1]).T @ R2.T @ dx])


def force_library(E, x, k):
    return zero_length_spring(k, E, x).w.ravel()


def force_reference(E, x, k):
    """Compare with statics of a tension k L: moments about the bodies' origins and forces, in body axes."""
    return wrenches(lambda L, Ldot: k * L, E, x, AT_REST)


def stiffness_printed(E, x, k):
    R1, R2, p1, p2 = E[0, :3, :3], E[1, :3, :3], E[0, :3, 3], E[1, :3, 3]
    x1, x2 = bracket(x[0]), bracket(x[1])
    start, end = R1 @ x[0] + p1, R2 @ x[1] + p2
    return k * np.block(
        [
            [x1 @ bracket(R1.T @ (p1 - end)), x1, x1 @ R1.T @ R2 @ x2, -x1 @ R1.T @ R2],
            [bracket(R1.T @ (p1 - end)), IDENTITY, R1.T @ R2 @ x2, -R1.T @ R2],
            [x2 @ R2.T @ R1 @ x1, -x2 @ R2.T @ R1, x2 @ bracket(R2.T @ (p2 - start)), x2],
            [R2.T @ R1 @ x1, -R2.T @ R1, bracket(R2.T @ (p2 - start)), IDENTITY],
        ]
    )


def stiffness_reference(E, x, k):
    """Compare with complex steps of the statics of two points that attract each other."""
    return pose_derivative(lambda poses: force_reference(poses, x, k), E)


@section.holds("e1.35", "Wrenches of a zero-length spring")
class e1_35:
    formula = r"\mathsf f = k\begin{pmatrix}\Gamma_1^TR_1^T\Delta\mathbf x\\ -\Gamma_2^TR_2^T\Delta\mathbf x\end{pmatrix},\qquad \Delta\mathbf x = {}^0\mathbf x_2 - {}^0\mathbf x_1"
    inputs = SPRING
    result = Result(WRENCH, ON_BOTH)
    printed = force_printed
    library = force_library
    reference = force_reference
    remark = "The points attract each other."
    implements = zero_length_spring


@section.holds("t401", "The wrenches of a zero-length spring are minus the gradient of the potential")
class t401:
    formula = r"\mathsf f = -\partial V/\partial E"
    inputs = SPRING
    result = Result(WRENCH, ON_BOTH)
    printed = force_printed
    library = force_library

    def reference(E, x, k):
        """Compare with the complex step of half k times the squared distance, along body-frame increments."""

        def potential(poses):
            start, end = point_positions(poses, x)
            return k * np.sum((end - start) ** 2) / 2

        return -pose_derivative(potential, E)

    implements = zero_length_spring


@section.holds("e1.36", "Potential of a zero-length spring")
class e1_36:
    formula = r"V = \tfrac12 k\,\Delta\mathbf x^T\Delta\mathbf x"
    inputs = SPRING
    result = Result(ENERGY)

    def printed(E, x, k):
        _, _, dx = rotations_and_span(E, x)
        return 0.5 * k * dx @ dx

    def library(E, x, k):
        return zero_length_energy(k, E, x)

    def reference(E, x, k):
        """Compare with the work against the spring, by quadrature.

        The points move one after the other from the world's origin to their positions.
        """
        start, end = point_positions(E, x)
        nodes, weights = np.polynomial.legendre.leggauss(3)
        s, ds = (nodes + 1) / 2, weights / 2
        first = sum(w * k * (u * start) @ start for u, w in zip(s, ds, strict=True))
        second = sum(w * k * (u * end - start) @ end for u, w in zip(s, ds, strict=True))
        return first + second

    implements = zero_length_energy


@section.erratum("e1.37#a", "Stiffness of a zero-length spring, as (1.30) uses it")
class e1_37_a:
    page_2019 = Page(10)
    page_2021 = Page(14, r"(1.44), $\mathsf K = d\mathsf f/d\mathsf q$ with the right sign", fixed=True)
    formula = r"K = k\begin{pmatrix}[{}^1\mathbf x_1][R_1^T(\mathbf p_1 - {}^0\mathbf x_2)] & [{}^1\mathbf x_1] & [{}^1\mathbf x_1]R_1^TR_2[{}^2\mathbf x_2] & -[{}^1\mathbf x_1]R_1^TR_2\\[R_1^T(\mathbf p_1 - {}^0\mathbf x_2)] & I & R_1^TR_2[{}^2\mathbf x_2] & -R_1^TR_2\\[{}^2\mathbf x_2]R_2^TR_1[{}^1\mathbf x_1] & -[{}^2\mathbf x_2]R_2^TR_1 & [{}^2\mathbf x_2][R_2^T(\mathbf p_2 - {}^0\mathbf x_1)] & [{}^2\mathbf x_2]\\R_2^TR_1[{}^1\mathbf x_1] & -R_2^TR_1 & [R_2^T(\mathbf p_2 - {}^0\mathbf x_1)] & I\end{pmatrix}"
    edit = ("K = k", "K = -k")
    inputs = SPRING
    result = Result(SPATIAL_STIFFNESS, ON_BOTH)
    printed = stiffness_printed

    def library(E, x, k):
        return zero_length_spring(k, E, x).K

    reference = stiffness_reference
    combined_with = ("sueda/s1.9/e1.30", "sueda/s1.9.2/e1.33")
    correction = (
        "a minus sign in front of the matrix, $-k$ instead of $k$, which gives $K = "
        r"+\partial\mathsf f/\partial E$"
    )
    remark = (
        r"The text differentiates the force, and (1.30) takes $K = +\partial\mathsf f/\partial q$, as "
        r"does (1.33); all sixteen blocks have the sign of $-\partial\mathsf f/\partial E$. With this "
        "sign, $M - h^2K$ makes a stiff spring unstable."
    )
    effect = (
        "A mass on a spring, released at a displacement of 1 m, reaches an amplitude of 13 m after a "
        "second of implicit Euler, which should damp the motion."
    )
    implements = zero_length_spring


@section.holds("e1.37#b", "The sixteen blocks as derivatives of minus the force")
class e1_37_b:
    page_2019 = Page(10)
    page_2021 = Page(14, "(1.44), the derivative of the force itself")
    formula = r"k(\cdots) = -\partial\mathsf f/\partial E"
    inputs = SPRING
    result = Result(SPATIAL_STIFFNESS, ON_BOTH)
    printed = stiffness_printed

    def library(E, x, k):
        return -zero_length_spring(k, E, x).K

    def reference(E, x, k):
        """Compare with minus complex steps of the statics of two points that attract each other."""
        return -pose_derivative(lambda poses: force_reference(poses, x, k), E)

    remark = (
        "The blocks are consistent with each other; only their common sign is wrong where (1.30) uses "
        "the matrix."
    )
    implements = zero_length_spring


@section.definition("t409", "Symmetric part of the stiffness of a zero-length spring")
class t409:
    formula = r"K = \tfrac12(K + K^T)"
    inputs = SPRING
    result = Result(SPATIAL_STIFFNESS, ON_BOTH)

    defines = ("K",)

    def printed(E, x, k):
        """Symmetrize the K that has the sign needed by (1.30)."""
        K = -stiffness_printed(E, x, k)
        return 1 / 2 * (K + K.T)

    def library(E, x, k):
        return symmetric_part(zero_length_spring(k, E, x).K)

    def reference(E, x, k):
        """Compare with the derivative of the statics, minus its skew part."""
        K = stiffness_reference(E, x, k)
        return K - (K - K.T) / 2

    implements = symmetric_part
