"""Sueda 1.9.4: damping of a muscle."""

from __future__ import annotations

import numpy as np

from rbnotes.forces import Muscle
from rbnotes.forces.body_forces import path_wrenches
from rbnotes.forces.path import length_gradient, path_length
from rbnotes.ledger.claims.sueda.section_1_9 import Gamma, rotations_and_span
from rbnotes.ledger.claims.sueda.section_1_9_4 import ON_BOTH, section
from rbnotes.ledger.claims.sueda.section_1_9_4.force import MUSCLE
from rbnotes.ledger.claims.sueda.section_1_9_4.stiffness import (
    EXACT,
    SEGMENT,
    muscle,
    relative_velocity_printed,
)
from rbnotes.ledger.oracles.body_paths import twist_derivative
from rbnotes.ledger.oracles.muscles import (
    df_L,
    df_V,
    muscle_wrenches,
    tension,
    tension_per_length,
    unnormalized_wrenches,
)
from rbnotes.ledger.pages import DROPPED, Page
from rbnotes.ledger.quantities import AREA, MOMENTUM, SPATIAL_DAMPING
from rbnotes.ledger.record import Result
from rbnotes.testing import complex_step


def damping_library(E, x, phi, *parameters):
    return -path_wrenches(muscle(*parameters), E, x, phi).D


def damping_reference(E, x, phi, *parameters):
    """Compare with minus complex steps of the statics of a muscle, along the twists."""
    return -twist_derivative(lambda z: muscle_wrenches(E, x, z, *parameters), phi)


def outer_printed(E, x, phi, *parameters):
    """Return (1.55) with d the derivative of f / |dx| with respect to the velocity of the first point."""
    R1, R2, dx = rotations_and_span(E, x)
    dv = relative_velocity_printed(E, x, phi)
    d = d_velocity_reference(dx, dv, *parameters)
    column = np.concatenate([Gamma(x[0]).T @ R1.T @ dx, -Gamma(x[1]).T @ R2.T @ dx])
    row = np.concatenate([d @ R1 @ Gamma(x[0]), -d @ R2 @ Gamma(x[1])])
    return np.outer(column, row)


def d_velocity_reference(dx, dv, *parameters):
    """Compare with the complex step of f / l_MT with respect to the velocity of the first point."""
    L = np.sqrt(dx @ dx)
    return complex_step(lambda first: tension(*parameters)(L, np.sum(dx * (dv - first)) / L) / L, np.zeros(3))


@section.erratum("e1.54", "Damping matrix of a muscle as the derivative of its wrenches")
class e1_54:
    page_2019 = Page(13)
    page_2021 = Page(
        18,
        r"(1.70), the same for $\mathsf D = d\mathsf f/d\dot{\mathsf q}$, which (3.65) takes with the right sign; the row still stands before the column",
        fixed=True,
    )
    formula = r"D = \frac{\partial}{\partial\Phi}\Bigl(\frac{f}{\|\Delta\mathbf x\|}\Bigr)\begin{pmatrix}\Gamma_1^TR_1^T\Delta\mathbf x\\ -\Gamma_2^TR_2^T\Delta\mathbf x\end{pmatrix}"
    edit = (
        r"D = \frac{\partial}{\partial\Phi}\Bigl(\frac{f}{\|\Delta\mathbf x\|}\Bigr)\begin{pmatrix}\Gamma_1^TR_1^T\Delta\mathbf x\\ -\Gamma_2^TR_2^T\Delta\mathbf x\end{pmatrix}",
        r"D = -\begin{pmatrix}\Gamma_1^TR_1^T\Delta\mathbf x\\ -\Gamma_2^TR_2^T\Delta\mathbf x\end{pmatrix}\frac{\partial}{\partial\Phi}\Bigl(\frac{f}{\|\Delta\mathbf x\|}\Bigr)",
    )
    inputs = MUSCLE
    result = Result(SPATIAL_DAMPING, ON_BOTH)

    def printed(E, x, phi, *parameters):
        """Evaluate (1.54) with its derivative by complex steps."""
        return np.outer(
            unnormalized_wrenches(E, x),
            twist_derivative(lambda z: tension_per_length(E, x, z, *parameters), phi),
        )

    library = damping_library
    reference = damping_reference
    combined_with = ("sueda/s1.9/e1.30", "sueda/s1.9.1/t377")
    correction = (
        r"$D = -\begin{pmatrix}\Gamma_1^TR_1^T\Delta\mathbf x\\ -\Gamma_2^TR_2^T\Delta\mathbf x\end{pmatrix}"
        r"\dfrac{\partial}{\partial\Phi}\Bigl(\dfrac{f}{\|\Delta\mathbf x\|}\Bigr)$, or $-hD$ in (1.30)"
    )
    remark = (
        "(1.30) has $+hD$ on the left and 1.9.1 puts $D = dI$ there for a damper, so its $D$ is "
        r"$-\partial\mathsf f/\partial\Phi$. With the printed sign, a muscle that resists lengthening "
        "has a negative $D$, and the step amplifies the motion that it should damp."
    )
    effect = (
        "A damper of 15 N s/m on one kilogram, in steps of 50 ms, reverses the velocity and makes it 2 times as "
        "large in each step."
    )
    implements = EXACT


@section.holds("e1.55#a", "The damping matrix of a muscle is an outer product")
class e1_55_a:
    page_2019 = Page(13)
    page_2021 = Page(18)
    formula = r"\frac{\partial\mathsf f}{\partial\Phi} = \begin{pmatrix}\Gamma_1^TR_1^T\Delta\mathbf x\\ -\Gamma_2^TR_2^T\Delta\mathbf x\end{pmatrix}\begin{pmatrix}\mathbf d^TR_1\Gamma_1 & -\mathbf d^TR_2\Gamma_2\end{pmatrix}"
    inputs = MUSCLE
    result = Result(SPATIAL_DAMPING, ON_BOTH)
    printed = outer_printed

    def library(E, x, phi, *parameters):
        return path_wrenches(muscle(*parameters), E, x, phi).D

    def reference(E, x, phi, *parameters):
        """Compare with complex steps of the statics of a muscle, along the twists."""
        return twist_derivative(lambda z: muscle_wrenches(E, x, z, *parameters), phi)

    remark = (
        r"Here $\mathbf d$ is the derivative of $f/\|\Delta\mathbf x\|$ with respect to $\dot{\mathbf "
        "x}_1$."
    )
    implements = EXACT


@section.erratum("e1.55#b", "Sign of the damping matrix, as (1.30) uses it")
class e1_55_b:
    page_2019 = Page(13)
    page_2021 = Page(
        18,
        r"(1.71) for $\mathsf D = d\mathsf f/d\dot{\mathsf q}$, which (3.65) takes with the right sign; $df/d\dot{\mathsf q}_1$ has a factor $1/l$ too many",
        fixed=True,
    )
    formula = r"D = \begin{pmatrix}\Gamma_1^TR_1^T\Delta\mathbf x\\ -\Gamma_2^TR_2^T\Delta\mathbf x\end{pmatrix}\begin{pmatrix}\mathbf d^TR_1\Gamma_1 & -\mathbf d^TR_2\Gamma_2\end{pmatrix}"
    edit = (r"D = \begin", r"D = -\begin")
    inputs = MUSCLE
    result = Result(SPATIAL_DAMPING, ON_BOTH)
    printed = outer_printed
    library = damping_library
    reference = damping_reference
    combined_with = ("sueda/s1.9/e1.30", "sueda/s1.9.1/t377")
    correction = (
        r"$D = -\begin{pmatrix}\Gamma_1^TR_1^T\Delta\mathbf x\\ -\Gamma_2^TR_2^T\Delta\mathbf x\end{pmatrix}"
        r"\begin{pmatrix}\mathbf d^TR_1\Gamma_1 & -\mathbf d^TR_2\Gamma_2\end{pmatrix}$, or $-hD$ in (1.30)"
    )
    remark = (
        r"(1.30) has $+hD$ on the left and 1.9.1 puts $D = dI$ there for a damper, so its $D$ is "
        r"$-\partial\mathsf f/\partial\Phi$."
    )
    implements = EXACT


@section.erratum("e1.56", "Derivative of tension over length with respect to the velocity of the first point")
class e1_56:
    page_2019 = Page(13, r"$f_{opt}\,a f_L f_V'$, without a prime at $f_L$")
    page_2021 = DROPPED
    formula = r"\mathbf d = -\frac{f_{opt}\,a f_L' f_V'}{l_{opt}\,v_{max}\,l_{MT}^2}\,\Delta\mathbf x"
    edit = ("f_L' f_V'", "f_L f_V'")
    inputs = SEGMENT
    result = Result(
        MOMENTUM / AREA, "tension over length, by the velocity of the first point along the axes of the world"
    )

    def printed(dx, dv, f_opt, a, l_opt, v_max, l_T):
        l_MT = np.sqrt(dx @ dx)
        lt, vt = (l_MT - l_T) / l_opt, dx @ dv / l_MT / (l_opt * v_max)
        return -f_opt * a * df_L(lt) * df_V(vt) / (l_opt * v_max * l_MT**2) * dx

    def library(dx, dv, *parameters):
        zero = np.zeros(3)
        x, v = np.array([zero, dx]), np.array([zero, dv])
        L, Ldot = path_length(x, v)
        return muscle(*parameters)(L, Ldot).dF_dLdot / L * length_gradient(x)[:3]

    reference = d_velocity_reference
    correction = (
        r"$f_L$ without prime: $\mathbf d = -\dfrac{f_{opt}\,a f_L "
        r"f_V'}{l_{opt}\,v_{max}\,l_{MT}^2}\,\Delta\mathbf x$"
    )
    remark = (
        "(1.64) is right. At the optimal length $f_L' = 0$, so with the factor of the text the muscle would "
        r"not damp where it is strongest. The sign is that of $+\partial\mathsf f/\partial\Phi$."
    )
    implements = (length_gradient, Muscle)
