"""Sueda 1.9.4: stiffness of a muscle between two bodies."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from scipy.interpolate import PPoly

from rbnotes.forces.body_forces import body_path_length, path_wrenches, zero_length_spring
from rbnotes.forces.muscle import Muscle
from rbnotes.forces.path import length_gradient, length_hessian, path_length
from rbnotes.ledger.claims.sueda.section_1_9 import (
    Gamma,
    has_constant_rate,
    path_of_constant_rate,
    rotations_and_span,
)
from rbnotes.ledger.claims.sueda.section_1_9_3 import stiffness_printed
from rbnotes.ledger.claims.sueda.section_1_9_4 import ON_BOTH, section
from rbnotes.ledger.claims.sueda.section_1_9_4.force import MUSCLE, PARAMETERS
from rbnotes.ledger.oracles.body_paths import pose_derivative
from rbnotes.ledger.oracles.muscles import (
    ACTIVE,
    PASSIVE,
    VELOCITY,
    df_L,
    df_P,
    f_L,
    f_P,
    f_V,
    muscle_wrenches,
    tension,
    tension_per_length,
    unnormalized_wrenches,
)
from rbnotes.ledger.pages import Page
from rbnotes.ledger.quantities import LENGTH, SPATIAL_STIFFNESS, STIFFNESS
from rbnotes.ledger.record import Result
from rbnotes.testing import complex_step
from rbnotes.testing.strategies import nonzero_vectors, numbers, vectors

CURVES = [PPoly(np.array(curve)[:, None], [0.0, 1.0]) for curve in (ACTIVE, VELOCITY, PASSIVE)]
MUSCLE_OF_CONSTANT_RATE = {**path_of_constant_rate(2), **PARAMETERS}


def muscle(f_opt, a, l_opt, v_max, l_T):
    """Return the library's muscle with the three cubics as its curves."""
    return Muscle(f_opt, l_opt, v_max, l_T, a, *CURVES)


def stiffness_library(E, x, phi, *parameters):
    return path_wrenches(muscle(*parameters), E, x, phi).K


def direction_part_library(E, x, phi, *parameters):
    L, Ldot, _, _ = body_path_length(E, x, phi)
    return muscle(*parameters)(L, Ldot).F / L * zero_length_spring(1.0, E, x).K


SEGMENT = {"dx": nonzero_vectors(shortest=0.5), "dv": vectors(), **PARAMETERS}
SPANS = st.shared(st.tuples(nonzero_vectors(shortest=0.5), numbers()), key="span and its rate")
ALIGNED_SEGMENT = {
    **SEGMENT,
    "dx": SPANS.map(lambda drawn: drawn[0]),
    "dv": SPANS.map(lambda drawn: drawn[1] * drawn[0]),
}


def d_printed(dx, dv, f_opt, a, l_opt, v_max, l_T):
    l_MT = np.sqrt(dx @ dx)
    lt, vt = (l_MT - l_T) / l_opt, dx @ dv / l_MT / (l_opt * v_max)
    f = f_opt * (a * f_L(lt) * f_V(vt) + f_P(lt))
    return 1 / l_MT**2 * (f / l_MT - f_opt * (a * df_L(lt) * f_V(vt) + df_P(lt)) / l_opt) * dx


def relative_velocity_printed(E, x, phi):
    """Return the relative velocity of the two points, with the velocities of (1.48)."""
    return E[1, :3, :3] @ Gamma(x[1]) @ phi[1] - E[0, :3, :3] @ Gamma(x[0]) @ phi[0]


EXACT = (path_wrenches, Muscle)
MISSING_RATE = (
    r"$\dfrac{f_{opt}\,a\,f_L f_V'}{l_{opt}v_{max}}\,\dfrac{\partial v}{\partial E}$ over $l_{MT}$ must be added to the row: "
    r"at constant twists, a change of pose rotates the segment and the velocities of its points."
)


@section.misprint("e1.50", "The two parts of a muscle's stiffness")
class e1_50:
    page_2019 = Page(12)
    page_2021 = Page(17)
    formula = r"K = \frac{\partial}{\partial E}\Bigl(\frac{f}{\|\Delta\mathbf x\|}\Bigr)\begin{pmatrix}\Gamma_1^TR_1^T\Delta\mathbf x\\ -\Gamma_2^TR_2^T\Delta\mathbf x\end{pmatrix} + \frac{f}{\|\Delta\mathbf x\|}\frac{\partial}{\partial E}\begin{pmatrix}\Gamma_1^TR_1^T\Delta\mathbf x\\ -\Gamma_2^TR_2^T\Delta\mathbf x\end{pmatrix}"
    edit = (
        r"\frac{\partial}{\partial E}\Bigl(\frac{f}{\|\Delta\mathbf x\|}\Bigr)\begin{pmatrix}\Gamma_1^TR_1^T\Delta\mathbf x\\ -\Gamma_2^TR_2^T\Delta\mathbf x\end{pmatrix}",
        r"\begin{pmatrix}\Gamma_1^TR_1^T\Delta\mathbf x\\ -\Gamma_2^TR_2^T\Delta\mathbf x\end{pmatrix}\frac{\partial}{\partial E}\Bigl(\frac{f}{\|\Delta\mathbf x\|}\Bigr)",
    )
    inputs = MUSCLE
    result = Result(SPATIAL_STIFFNESS, ON_BOTH)

    def printed(E, x, phi, *parameters):
        """Evaluate (1.50) with its derivatives by complex steps and its factors in the printed order."""
        gradient = pose_derivative(lambda poses: tension_per_length(poses, x, phi, *parameters), E)
        K1 = np.outer(gradient, unnormalized_wrenches(E, x))
        K2 = tension_per_length(E, x, phi, *parameters) * pose_derivative(
            lambda poses: unnormalized_wrenches(poses, x), E
        )
        return K1 + K2

    library = stiffness_library

    def reference(E, x, phi, *parameters):
        """Compare with complex steps of the statics of a muscle, along body-frame increments."""
        return pose_derivative(lambda poses: muscle_wrenches(poses, x, phi, *parameters), E)

    correction = (
        r"column times row: $K = \begin{pmatrix}\Gamma_1^TR_1^T\Delta\mathbf x\\ "
        r"-\Gamma_2^TR_2^T\Delta\mathbf x\end{pmatrix}\dfrac{\partial}{\partial E}"
        r"\Bigl(\dfrac{f}{\|\Delta\mathbf x\|}\Bigr) + \dfrac{f}{\|\Delta\mathbf x\|}\dfrac{\partial}{\partial E}"
        r"\begin{pmatrix}\Gamma_1^TR_1^T\Delta\mathbf x\\ -\Gamma_2^TR_2^T\Delta\mathbf x\end{pmatrix}$"
    )
    remark = (
        "(1.52) has the right order; (1.61) repeats the printed one. The printed order transposes the "
        r"first part, which matters if the bodies move: then $\partial f/\partial E$ also contains the "
        r"change of $\tilde v$, which (1.52) leaves out."
    )
    implements = EXACT


@section.erratum("e1.51", "Second part of a muscle's stiffness: derivative of the direction")
class e1_51:
    page_2019 = Page(13)
    page_2021 = Page(17)
    formula = r"K_2 = \frac{f}{\|\Delta\mathbf x\|}\begin{pmatrix}[{}^1\mathbf x_1][R_1^T(\mathbf p_1 - {}^0\mathbf x_2)] & [{}^1\mathbf x_1] & [{}^1\mathbf x_1]R_1^TR_2[{}^2\mathbf x_2] & -[{}^1\mathbf x_1]R_1^TR_2\\[R_1^T(\mathbf p_1 - {}^0\mathbf x_2)] & I & R_1^TR_2[{}^2\mathbf x_2] & -R_1^TR_2\\[{}^2\mathbf x_2]R_2^TR_1[{}^1\mathbf x_1] & -[{}^2\mathbf x_2]R_2^TR_1 & [{}^2\mathbf x_2][R_2^T(\mathbf p_2 - {}^0\mathbf x_1)] & [{}^2\mathbf x_2]\\R_2^TR_1[{}^1\mathbf x_1] & -R_2^TR_1 & [R_2^T(\mathbf p_2 - {}^0\mathbf x_1)] & I\end{pmatrix}"
    edit = (r"K_2 = \frac", r"K_2 = -\frac")
    inputs = MUSCLE
    result = Result(SPATIAL_STIFFNESS, ON_BOTH)

    def printed(E, x, phi, *parameters):
        return stiffness_printed(E, x, tension_per_length(E, x, phi, *parameters))

    library = direction_part_library

    def reference(E, x, phi, *parameters):
        """Compare with complex steps of the statics of a muscle, along body-frame increments."""
        return tension_per_length(E, x, phi, *parameters) * pose_derivative(
            lambda poses: unnormalized_wrenches(poses, x), E
        )

    combined_with = ("sueda/s1.9.4/e1.50", "sueda/s1.9.4/e1.52")
    correction = (
        r"a minus sign in front of the matrix, $-\dfrac{f}{\|\Delta\mathbf x\|}$ instead of "
        r"$\dfrac{f}{\|\Delta\mathbf x\|}$"
    )
    remark = (
        r"The matrix has the sign of (1.37), but (1.50) adds $K_2 = +\frac{f}{\|\Delta\mathbf "
        r"x\|}\frac{\partial}{\partial E}(\cdots)$ to a $K_1$ of the right sign. No sign of the sum "
        "makes both parts right."
    )
    implements = (body_path_length, zero_length_spring)


@section.conditional("e1.52", "First part of a muscle's stiffness: derivative of the tension")
class e1_52:
    page_2019 = Page(13)
    page_2021 = Page(17, r"(1.67) to (1.69), with the change of $\dot l$", fixed=True)
    formula = r"K_1 = \begin{pmatrix}\Gamma_1^TR_1^T\Delta\mathbf x\\ -\Gamma_2^TR_2^T\Delta\mathbf x\end{pmatrix}\begin{pmatrix}\mathbf d^TR_1\Gamma_1 & -\mathbf d^TR_2\Gamma_2\end{pmatrix}"
    inputs = MUSCLE
    result = Result(SPATIAL_STIFFNESS, ON_BOTH)

    def printed(E, x, phi, f_opt, a, l_opt, v_max, l_T):
        R1, R2, dx = rotations_and_span(E, x)
        d = d_printed(dx, relative_velocity_printed(E, x, phi), f_opt, a, l_opt, v_max, l_T)
        column = np.concatenate([Gamma(x[0]).T @ R1.T @ dx, -Gamma(x[1]).T @ R2.T @ dx])
        row = np.concatenate([d @ R1 @ Gamma(x[0]), -d @ R2 @ Gamma(x[1])])
        return np.outer(column, row)

    def library(E, x, phi, *parameters):
        return stiffness_library(E, x, phi, *parameters) - direction_part_library(E, x, phi, *parameters)

    def reference(E, x, phi, *parameters):
        """Compare with complex steps of the statics of a muscle, along body-frame increments."""
        return np.outer(
            unnormalized_wrenches(E, x),
            pose_derivative(lambda poses: tension_per_length(poses, x, phi, *parameters), E),
        )

    condition_inputs = MUSCLE_OF_CONSTANT_RATE
    holds_when = has_constant_rate
    condition = r"the two points move along the segment (or the tension does not depend on $\tilde v$)"
    correction = MISSING_RATE
    remark = r"The sign is that of $+\partial\mathsf f/\partial E$, unlike that of (1.51)."
    implements = EXACT


@section.conditional("e1.53", "Derivative of tension over length with respect to the first point")
class e1_53:
    page_2019 = Page(13)
    page_2021 = Page(17, r"(1.67) to (1.69), with the change of $\dot l$", fixed=True)
    formula = r"\mathbf d = \frac{1}{l_{MT}^2}\Bigl(\frac{f}{l_{MT}} - \frac{f_{opt}(a f_L' f_V + f_P')}{l_{opt}}\Bigr)\Delta\mathbf x"
    inputs = SEGMENT
    result = Result(
        STIFFNESS / LENGTH,
        "tension over length, by the motion of the first point along the axes of the world",
    )
    printed = d_printed

    def library(dx, dv, *parameters):
        zero = np.zeros(3)
        x, v = np.array([zero, dx]), np.array([zero, dv])
        L, Ldot = path_length(x, v)
        F, F_L, F_Ldot = muscle(*parameters)(L, Ldot)
        dL_dx1, dLdot_dx1 = length_gradient(x)[:3], (length_hessian(x) @ v.ravel())[:3]
        return (F_L - F / L) / L * dL_dx1 + F_Ldot / L * dLdot_dx1

    def reference(dx, dv, *parameters):
        """Compare with the complex step of f / l_MT with respect to the first point, at constant velocities."""

        def ratio(first):
            span = dx - first
            L = np.sqrt(np.sum(span * span))
            return tension(*parameters)(L, np.sum(span * dv) / L) / L

        return complex_step(ratio, np.zeros(3))

    condition_inputs = ALIGNED_SEGMENT

    def holds_when(dx, dv, *parameters):
        return np.allclose(np.cross(dx, dv), 0, atol=1e-9)

    condition = (
        r"$\tilde v$ does not change when the point is displaced: the relative velocity of the two points "
        r"is zero or along the segment"
    )
    correction = (
        r"add $-\dfrac{f_{opt}\,a f_L f_V'}{l_{opt}v_{max}l_{MT}^2}\Bigl(I - \dfrac{\Delta\mathbf "
        r"x\Delta\mathbf x^T}{l_{MT}^2}\Bigr)(\dot{\mathbf x}_2 - \dot{\mathbf x}_1)$"
    )
    implements = (length_gradient, length_hessian, Muscle)
