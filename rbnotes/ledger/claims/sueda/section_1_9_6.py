"""Sueda 1.9.6: spring-dampers. The oracle: the energy k (l - L)^2 / (2 L) and the Rayleigh function d ldot^2 / (2 L).

A spring-damper restores its rest length and dissipates energy: its forces are minus the derivatives of
these two functions with respect to poses and to twists.
"""

from __future__ import annotations

import numpy as np

from rbnotes.forces.body_forces import body_path_length, path_wrenches
from rbnotes.forces.path import path_force
from rbnotes.forces.tension import ConstantTension, SpringDamper
from rbnotes.ledger import quantities as units
from rbnotes.ledger.claims.sueda.section_1_9 import (
    MOVING_PAIR,
    PAIR,
    Gamma,
    has_constant_rate,
    path_of_constant_rate,
    rotations_and_span,
)
from rbnotes.ledger.claims.sueda.section_1_9_3 import stiffness_printed
from rbnotes.ledger.oracles.body_paths import length, pose_derivative, rate, twist_derivative, wrenches
from rbnotes.ledger.pages import Page
from rbnotes.ledger.quantities import (
    LENGTH,
    MOMENTUM,
    POSE,
    SCREW,
    SPATIAL_DAMPING,
    SPATIAL_STIFFNESS,
    TWIST,
    VELOCITY,
    WRENCH,
    matrix_quantity,
)
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section
from rbnotes.testing import complex_step
from rbnotes.testing.strategies import nonzero_vectors, positive_numbers, vectors

ON_BOTH = "on both bodies, each in its frame"

section = Section(
    "sueda/s1.9.6",
    chapter="springs-and-muscles-on-bodies",
    page_2019=Page(14, last=15),
    page_2021=Page(20),
    arguments={
        "dx": Argument(LENGTH, "from the first point to the second, along the axes of the world"),
        "dv": Argument(
            VELOCITY, "velocity of the second point minus that of the first, along the axes of the world"
        ),
        "k": Argument(units.FORCE),
        "d": Argument(MOMENTUM),
        "L": Argument(LENGTH),
        "E": Argument(POSE, "of each body in the world"),
        "x": Argument(LENGTH, "in each body, in its frame"),
        "phi": Argument(TWIST, "in the frame of the body"),
    },
)


COEFFICIENTS = {"k": positive_numbers(), "d": positive_numbers(), "L": positive_numbers()}
SPRING = {**MOVING_PAIR, **COEFFICIENTS}
SPRING_OF_CONSTANT_RATE = {**path_of_constant_rate(2), **COEFFICIENTS}
SEGMENT = {"dx": nonzero_vectors(shortest=0.5), "dv": vectors(), **COEFFICIENTS}
AT_REST = np.zeros((2, 6))


def segment(E, x):
    """Return the vector along the segment, and R_i Gamma_i of its ends."""
    R1, R2, dx = rotations_and_span(E, x)
    return dx, R1 @ Gamma(x[0]), R2 @ Gamma(x[1])


def segment_with_column(E, x):
    """Return (Gamma_1^T R_1^T dx; -Gamma_2^T R_2^T dx), the vector dx, and R_i Gamma_i of both ends."""
    R1, R2, dx = rotations_and_span(E, x)
    column = np.concatenate([Gamma(x[0]).T @ R1.T @ dx, -Gamma(x[1]).T @ R2.T @ dx])
    return column, dx, R1 @ Gamma(x[0]), R2 @ Gamma(x[1])


def tension(k, d, L):
    """Return the tension law for the references; e1.65 and e1.66 check it."""
    return lambda length, rate: (k * (length - L) + d * rate) / L


def unit_stiffness_printed(E, x):
    """Return K_n1 + K_n2 of (1.67)."""
    column, dx, R1G1, R2G2 = segment_with_column(E, x)
    l = np.sqrt(dx @ dx)
    d = dx / l**3
    K_n1 = np.outer(column, np.concatenate([d @ R1G1, -d @ R2G2]))
    K_n2 = stiffness_printed(E, x, 1 / l)
    return K_n1 + K_n2


FORCE = (path_wrenches, SpringDamper)


@section.erratum("e1.65", "Force of a spring-damper")
class e1_65:
    page_2019 = Page(14)
    page_2021 = Page(
        20,
        r"(1.81), $f = k\varepsilon + d\dot\varepsilon$ with $\varepsilon = (l - L)/L$",
        fixed=True,
    )
    formula = r"\mathbf f = \Bigl(k\frac{l - L}{L} - d\frac{\dot l}{L}\Bigr)\frac{\Delta\mathbf x}{l},\qquad l = \|\Delta\mathbf x\|"
    edit = (r"- d\frac", r"+ d\frac")
    inputs = SEGMENT
    result = Result(units.FORCE, "on the first point, along the axes of the world")

    def printed(dx, dv, k, d, L):
        l = np.sqrt(dx @ dx)
        l_dot = dx @ dv / l
        return (k * (l - L) / L - d * l_dot / L) * dx / l

    def library(dx, dv, k, d, L):
        zero = np.zeros(3)
        return path_force(SpringDamper(k, d, L), np.array([zero, dx]), np.array([zero, dv])).f[0]

    def reference(dx, dv, k, d, L):
        """Compare with minus the derivatives of energy and Rayleigh function, by complex steps.

        The energy depends on the first point, the Rayleigh function on its velocity.
        """

        def energy(first):
            stretch = np.sqrt(np.sum((dx - first) ** 2)) - L
            return k * stretch * stretch / (2 * L)

        def rayleigh(first):
            ldot = np.sum(dx * (dv - first)) / np.sqrt(dx @ dx)
            return d * ldot * ldot / (2 * L)

        return -complex_step(energy, np.zeros(3)) - complex_step(rayleigh, np.zeros(3))

    combined_with = ("sueda/s1.9.4/e1.48", "sueda/s1.9.4/e1.39")
    correction = (
        r"$\mathbf f = \Bigl(k\dfrac{l - L}{L} + d\dfrac{\dot l}{L}\Bigr)\dfrac{\Delta\mathbf x}{l}$ on "
        r"the first point"
    )
    remark = (
        "As the force on the first point, the damping term drives the motion: it pushes the ends apart "
        "while they separate. As the force on the second point, a stretched spring would be repulsive. "
        "The two terms must have the same sign."
    )
    effect = (
        "A mass on a spring-damper, released at 10 cm, has an amplitude of 66 cm two seconds later "
        "instead of 2 cm."
    )
    implements = (path_force, SpringDamper)


@section.erratum("e1.66", "Wrenches of a spring-damper")
class e1_66:
    page_2019 = Page(14)
    page_2021 = Page(
        20,
        r"(1.81), $f = k\varepsilon + d\dot\varepsilon$, in the wrenches (1.64)",
        fixed=True,
    )
    formula = r"\mathsf f = f_s\mathsf f_n,\quad f_s = k\frac{l - L}{L} - d\frac{\dot l}{L},\quad \mathsf f_n = \frac1l\begin{pmatrix}-\Gamma_1^TR_1^T\Delta\mathbf x\\ \Gamma_2^TR_2^T\Delta\mathbf x\end{pmatrix}"
    edits = (
        (r"- d\frac", r"+ d\frac"),
        (r"-\Gamma_1^TR_1^T\Delta\mathbf x\\ \Gamma_2", r"\Gamma_1^TR_1^T\Delta\mathbf x\\ -\Gamma_2"),
    )
    inputs = SPRING
    result = Result(WRENCH, ON_BOTH)

    def printed(E, x, phi, k, d, L):
        column, dx, R1G1, R2G2 = segment_with_column(E, x)
        l = np.sqrt(dx @ dx)
        l_dot = dx @ (R2G2 @ phi[1] - R1G1 @ phi[0]) / l
        f_s = k * (l - L) / L - d * l_dot / L
        f_n = 1 / l * np.concatenate([-column[:6], -column[6:]])
        return f_s * f_n

    def library(E, x, phi, k, d, L):
        return path_wrenches(SpringDamper(k, d, L), E, x, phi).w.ravel()

    def reference(E, x, phi, k, d, L):
        """Compare with minus the derivatives of the energy over poses and of the Rayleigh function over twists."""
        energy = pose_derivative(lambda poses: k * (length(poses, x) - L) ** 2 / (2 * L), E)
        rayleigh = twist_derivative(lambda z: d * rate(E, x, z) ** 2 / (2 * L), phi)
        return -energy - rayleigh

    combined_with = ("sueda/s1.9.4/e1.39",)
    correction = (
        r"$f_s = k\dfrac{l - L}{L} + d\dfrac{\dot l}{L}$ and $\mathsf f_n = "
        r"\dfrac1l\begin{pmatrix}\Gamma_1^TR_1^T\Delta\mathbf x\\ -\Gamma_2^TR_2^T\Delta\mathbf "
        r"x\end{pmatrix}$, the sign of (1.39)"
    )
    remark = (
        r"$\mathsf f_n$ is opposite to that of (1.39) and (1.60), so a stretched spring pushes its ends "
        "further apart. The damping term is right, because both of its signs are wrong."
    )
    implements = FORCE


@section.erratum("e1.67#a", "Stiffness of a spring-damper")
class e1_67_a:
    page_2019 = Page(15)
    page_2021 = Page(17)
    formula = r"K = \frac{\partial f_s}{\partial E}\mathsf f_n + f_s(K_{n1} + K_{n2})"
    edits = (
        (r"\frac{\partial f_s}{\partial E}\mathsf f_n", r"\mathsf f_n\frac{\partial f_s}{\partial E}"),
        ("K_{n1} + K_{n2}", "K_{n1} - K_{n2}"),
    )
    inputs = SPRING
    result = Result(SPATIAL_STIFFNESS, ON_BOTH)

    def printed(E, x, phi, k, d, L):
        column, dx, R1G1, R2G2 = segment_with_column(E, x)
        l = np.sqrt(dx @ dx)
        l_dot = dx @ (R2G2 @ phi[1] - R1G1 @ phi[0]) / l
        f_s = k * (l - L) / L - d * l_dot / L
        gradient = -k / L * dx / l
        row = np.concatenate([gradient @ R1G1, -gradient @ R2G2])
        f_n = -column / l
        return np.outer(f_n, row) + f_s * unit_stiffness_printed(E, x)

    def library(E, x, phi, k, d, L):
        return path_wrenches(SpringDamper(k, d, L), E, x, phi).K

    def reference(E, x, phi, k, d, L):
        """Compare with complex steps of the statics of a spring-damper, along body-frame increments."""
        return pose_derivative(lambda poses: wrenches(tension(k, d, L), poses, x, phi), E)

    correction = (
        r"with $f_s$ and $\mathsf f_n$ as corrected in (1.66), $K = \mathsf f_n\,\dfrac{\partial "
        r"f_s}{\partial E} + f_s(K_{n1} - K_{n2})$"
    )
    remark = (
        "The formula is not the derivative of the printed force (1.66) either. At rest that force is "
        "minus the right one, and the sign of $K_{n1}$ would have to change."
    )
    implements = FORCE


@section.erratum("e1.67#b", "Stiffness of a unit tension")
class e1_67_b:
    page_2019 = Page(15)
    page_2021 = Page(17)
    formula = r"K_{n1} + K_{n2} = \begin{pmatrix}\Gamma_1^TR_1^T\Delta\mathbf x\\ -\Gamma_2^TR_2^T\Delta\mathbf x\end{pmatrix}\begin{pmatrix}\mathbf d^TR_1\Gamma_1 & -\mathbf d^TR_2\Gamma_2\end{pmatrix} + \frac1l\begin{pmatrix}[{}^1\mathbf x_1][R_1^T(\mathbf p_1 - {}^0\mathbf x_2)] & [{}^1\mathbf x_1] & [{}^1\mathbf x_1]R_1^TR_2[{}^2\mathbf x_2] & -[{}^1\mathbf x_1]R_1^TR_2\\[R_1^T(\mathbf p_1 - {}^0\mathbf x_2)] & I & R_1^TR_2[{}^2\mathbf x_2] & -R_1^TR_2\\[{}^2\mathbf x_2]R_2^TR_1[{}^1\mathbf x_1] & -[{}^2\mathbf x_2]R_2^TR_1 & [{}^2\mathbf x_2][R_2^T(\mathbf p_2 - {}^0\mathbf x_1)] & [{}^2\mathbf x_2]\\R_2^TR_1[{}^1\mathbf x_1] & -R_2^TR_1 & [R_2^T(\mathbf p_2 - {}^0\mathbf x_1)] & I\end{pmatrix},\qquad \mathbf d = \frac{\Delta\mathbf x}{l^3}"
    inputs = PAIR
    result = Result(matrix_quantity(WRENCH / units.FORCE, SCREW), ON_BOTH)
    printed = unit_stiffness_printed

    def library(E, x):
        return path_wrenches(ConstantTension(1.0), E, x, AT_REST).K

    def reference(E, x):
        """Compare with the complex step of the statics of a unit tension, along body-frame increments."""
        return pose_derivative(lambda poses: wrenches(lambda *state: 1.0, poses, x, AT_REST), E)

    correction = (
        r"$K_{n1} - K_{n2}$ for $\mathsf f_n = \dfrac1l\begin{pmatrix}\Gamma_1^TR_1^T\Delta\mathbf x\\ "
        r"-\Gamma_2^TR_2^T\Delta\mathbf x\end{pmatrix}$"
    )
    replacement = r"""\begin{aligned}
K &= \mathsf f_n\frac{\partial f_s}{\partial E} + f_s(K_{n1} - K_{n2}) \\
K_{n1} &= \begin{pmatrix}\Gamma_1^TR_1^T\Delta\mathbf x\\ -\Gamma_2^TR_2^T\Delta\mathbf x\end{pmatrix}\begin{pmatrix}\mathbf d^TR_1\Gamma_1 & -\mathbf d^TR_2\Gamma_2\end{pmatrix},\quad \mathbf d = \frac{\Delta\mathbf x}{l^3} \\
K_{n2} &= \frac1l\begin{pmatrix}[{}^1\mathbf x_1][R_1^T(\mathbf p_1 - {}^0\mathbf x_2)] & [{}^1\mathbf x_1] & [{}^1\mathbf x_1]R_1^TR_2[{}^2\mathbf x_2] & -[{}^1\mathbf x_1]R_1^TR_2\\[R_1^T(\mathbf p_1 - {}^0\mathbf x_2)] & I & R_1^TR_2[{}^2\mathbf x_2] & -R_1^TR_2\\[{}^2\mathbf x_2]R_2^TR_1[{}^1\mathbf x_1] & -[{}^2\mathbf x_2]R_2^TR_1 & [{}^2\mathbf x_2][R_2^T(\mathbf p_2 - {}^0\mathbf x_1)] & [{}^2\mathbf x_2]\\R_2^TR_1[{}^1\mathbf x_1] & -R_2^TR_1 & [R_2^T(\mathbf p_2 - {}^0\mathbf x_1)] & I\end{pmatrix}
\end{aligned}"""
    remark = (
        r"$K_{n1}$ is the derivative of $1/l$ in $+\mathsf f_n$ of (1.39), $K_{n2}$ that of the vector in "
        r"$-\mathsf f_n$."
    )
    implements = (path_wrenches, ConstantTension)


@section.conditional("e1.67#c", "Derivative of the tension of a spring-damper with respect to the poses")
class e1_67_c:
    page_2019 = Page(15)
    page_2021 = Page(17, r"(1.67), with the change of $\dot l$", fixed=True)
    formula = r"\frac{\partial f_s}{\partial E} = \begin{pmatrix}\mathbf d^TR_1\Gamma_1 & -\mathbf d^TR_2\Gamma_2\end{pmatrix},\qquad \mathbf d = \frac{-k}{L}\frac{\Delta\mathbf x}{l}"
    inputs = SPRING
    result = Result(WRENCH / LENGTH, "over the motions of the bodies, each in its frame")

    def printed(E, x, phi, k, d, L):
        dx, R1G1, R2G2 = segment(E, x)
        l = np.sqrt(dx @ dx)
        gradient = -k / L * dx / l
        return np.concatenate([gradient @ R1G1, -gradient @ R2G2])

    def library(E, x, phi, k, d, L):
        path = body_path_length(E, x, phi)
        _, F_l, F_l_dot = SpringDamper(k, d, L)(path.L, path.Ldot)
        return F_l * path.dL_dxi + F_l_dot * path.dLdot_dxi

    def reference(E, x, phi, k, d, L):
        """Compare with the complex step of the tension k (l - L) / L + d ldot / L of two moving points."""
        return pose_derivative(lambda poses: tension(k, d, L)(length(poses, x), rate(poses, x, phi)), E)

    condition_inputs = SPRING_OF_CONSTANT_RATE
    holds_when = has_constant_rate
    condition = "the two points move along the segment, or $d = 0$"
    correction = r"add $\dfrac dL\,\dfrac{\partial\dot l}{\partial E}$"
    remark = (
        "At constant twists, a change of pose rotates the segment and the velocities of its ends, so "
        r"$\dot l$ changes."
    )
    implements = (body_path_length, SpringDamper)


@section.holds("e1.68#a", "Damping matrix of a spring-damper, as (1.30) uses it")
class e1_68_a:
    page_2019 = Page(15)
    page_2021 = Page(
        20,
        r"(1.82), $df/d\dot l = d/L$, in (1.70) for $\mathsf D = d\mathsf f/d\dot{\mathsf q}$",
    )
    formula = r"D = \frac{\partial f_s}{\partial\Phi}\mathsf f_n,\quad \frac{\partial f_s}{\partial\Phi} = \begin{pmatrix}\mathbf d^TR_1\Gamma_1 & -\mathbf d^TR_2\Gamma_2\end{pmatrix},\quad \mathbf d = \frac{-d}{L}\frac{\Delta\mathbf x}{l}"
    inputs = SPRING
    result = Result(SPATIAL_DAMPING, ON_BOTH)

    def printed(E, x, phi, k, d, L):
        column, dx, R1G1, R2G2 = segment_with_column(E, x)
        l = np.sqrt(dx @ dx)
        gradient = -d / L * dx / l
        f_n = -column / l
        return np.outer(f_n, np.concatenate([gradient @ R1G1, -gradient @ R2G2]))

    def library(E, x, phi, k, d, L):
        return -path_wrenches(SpringDamper(k, d, L), E, x, phi).D

    def reference(E, x, phi, k, d, L):
        """Compare with minus complex steps of the forces of the Rayleigh function, along the twists."""
        return twist_derivative(lambda z: -wrenches(lambda _, rate: d * rate / L, E, x, z), phi)

    remark = (
        "The row stands before the column, as in (1.50); here they are parallel, and the order does not matter. "
        r"$D = -\partial\mathsf f/\partial\Phi$, positive semidefinite, with $\mathsf f_n$ as printed in "
        "(1.66): two wrong signs cancel. With (1.66) corrected, $D$ needs a minus sign like (1.55). "
        "(1.30) has $+hD$ on the left and 1.9.1 puts $D = dI$ there for a damper, so its $D$ is "
        r"$-\partial\mathsf f/\partial\Phi$."
    )
    implements = FORCE


@section.erratum("e1.68#b", "Derivative of f_s with respect to the twists")
class e1_68_b:
    page_2019 = Page(15)
    page_2021 = Page(20, r"(1.82), $df/d\dot l = d/L$", fixed=True)
    formula = r"\frac{\partial f_s}{\partial\Phi} = \begin{pmatrix}\mathbf d^TR_1\Gamma_1 & -\mathbf d^TR_2\Gamma_2\end{pmatrix},\qquad \mathbf d = \frac{-d}{L}\frac{\Delta\mathbf x}{l}"
    inputs = SPRING
    result = Result(WRENCH / VELOCITY, "over the motions of the bodies, each in its frame")

    def printed(E, x, phi, k, d, L):
        dx, R1G1, R2G2 = segment(E, x)
        l = np.sqrt(dx @ dx)
        gradient = -d / L * dx / l
        return np.concatenate([gradient @ R1G1, -gradient @ R2G2])

    def library(E, x, phi, k, d, L):
        path = body_path_length(E, x, phi)
        return -SpringDamper(k, d, L)(path.L, path.Ldot).dF_dLdot * path.dL_dxi

    def reference(E, x, phi, k, d, L):
        """Compare with the complex step of the printed f_s of (1.66), along the twists."""
        return twist_derivative(lambda z: k * (length(E, x) - L) / L - d * rate(E, x, z) / L, phi)

    combined_with = ("sueda/s1.9.6/e1.66",)
    correction = (
        r"for the printed $f_s = k\frac{l - L}{L} - d\frac{\dot l}{L}$: $\mathbf d = "
        r"\dfrac{+d}{L}\dfrac{\Delta\mathbf x}{l}$. Better correct (1.66) to $+d\,\dot l/L$; then this is "
        r"right as printed, and $D = -\mathsf f_n\,\partial f_s/\partial\Phi$"
    )
    replacement = r"D = -\mathsf f_n\frac{\partial f_s}{\partial\Phi},\quad \frac{\partial f_s}{\partial\Phi} = \begin{pmatrix}\mathbf d^TR_1\Gamma_1 & -\mathbf d^TR_2\Gamma_2\end{pmatrix},\quad \mathbf d = \frac{-d}{L}\frac{\Delta\mathbf x}{l}"
    implements = (body_path_length, SpringDamper)
