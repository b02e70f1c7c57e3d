"""Sueda 1.9.6: spring-dampers. The oracle: the energy k (l - L)^2 / (2 L) and the Rayleigh function d ldot^2 / (2 L).

A spring-damper pulls its ends back to the rest length and takes energy out of the motion: its forces are minus
the derivatives of these two functions with respect to poses and to twists.
"""

from __future__ import annotations

import numpy as np

from rbnotes.checking import complex_step
from rbnotes.checking.strategies import nonzero_vectors, positive_numbers, vectors
from rbnotes.forces.body_forces import body_path_length, path_wrenches
from rbnotes.forces.path import path_force
from rbnotes.forces.tension import Constant, SpringDamper
from rbnotes.ledger.record import Record, Verdict
from rbnotes.ledger.sueda.section_1_9 import (
    CHAPTER,
    MOVING_PAIR,
    PAIR,
    RESTING_PAIR,
    Gamma,
    along_poses,
    along_twists,
    between,
    length,
    rate,
    wrenches,
)
from rbnotes.ledger.sueda.section_1_9_3 import STIFFNESS_TEX, stiffness_printed
from rbnotes.ledger.sueda.section_1_9_4 import FOR_STEP

COEFFICIENTS = {"k": positive_numbers(), "d": positive_numbers(), "L": positive_numbers()}
SPRING = {**MOVING_PAIR, **COEFFICIENTS}
SPRING_AT_REST = {**RESTING_PAIR, **COEFFICIENTS}
SEGMENT = {"dx": nonzero_vectors(shortest=0.5), "dv": vectors(), **COEFFICIENTS}
STILL = np.zeros((2, 6))


def pull(E, x):
    """Column and row of the segment: (Gamma_1^T R_1^T dx; -Gamma_2^T R_2^T dx), and R_i Gamma_i for the rows."""
    R1, R2, _, _, _, _, dx = between(E, x)
    column = np.concatenate([Gamma(x[0]).T @ R1.T @ dx, -Gamma(x[1]).T @ R2.T @ dx])
    return column, dx, R1 @ Gamma(x[0]), R2 @ Gamma(x[1])


def force_on_first(dx, dv, k, d, L):
    """Minus the slopes of energy and Rayleigh function with respect to the first point and its velocity."""

    def energy(first):
        stretch = np.sqrt(np.sum((dx - first) ** 2)) - L
        return k * stretch * stretch / (2 * L)

    def rayleigh(first):
        ldot = np.sum(dx * (dv - first)) / np.sqrt(dx @ dx)
        return d * ldot * ldot / (2 * L)

    return -complex_step(energy, np.zeros(3)) - complex_step(rayleigh, np.zeros(3))


def point_printed(dx, dv, k, d, L):
    l = np.sqrt(dx @ dx)
    l_dot = dx @ dv / l
    return (k * (l - L) / L - d * l_dot / L) * dx / l


def point_library(dx, dv, k, d, L):
    zero = np.zeros(3)
    return path_force(SpringDamper(k, d, L), np.array([zero, dx]), np.array([zero, dv])).f[0]


def law(k, d, L):
    """Tension, for the references; that it is right is checked by e1.65 and e1.66."""
    return lambda length, rate: (k * (length - L) + d * rate) / L


def force_printed(E, x, phi, k, d, L):
    column, dx, R1G1, R2G2 = pull(E, x)
    l = np.sqrt(dx @ dx)
    l_dot = dx @ (R2G2 @ phi[1] - R1G1 @ phi[0]) / l
    f_s = k * (l - L) / L - d * l_dot / L
    f_n = 1 / l * np.concatenate([-column[:6], -column[6:]])
    return f_s * f_n


def force_library(E, x, phi, k, d, L):
    return path_wrenches(SpringDamper(k, d, L), E, x, phi).w.ravel()


def force_reference(E, x, phi, k, d, L):
    """Minus the slopes of the energy along the poses and of the Rayleigh function along the twists."""
    energy = along_poses(lambda moved: k * (length(moved, x) - L) ** 2 / (2 * L), E)
    rayleigh = along_twists(lambda z: d * rate(E, x, z) ** 2 / (2 * L), phi)
    return -energy - rayleigh


def parts_printed(E, x):
    """K_n1 + K_n2 of (1.67)"""
    column, dx, R1G1, R2G2 = pull(E, x)
    l = np.sqrt(dx @ dx)
    d = dx / l**3
    K_n1 = np.outer(column, np.concatenate([d @ R1G1, -d @ R2G2]))
    K_n2 = stiffness_printed(E, x, 1 / l)
    return K_n1 + K_n2


def parts_library(E, x):
    return path_wrenches(Constant(1.0), E, x, STILL).K


def parts_reference(E, x):
    return along_poses(lambda moved: wrenches(lambda *state: 1.0, moved, x, STILL), E)


def stiffness_all_printed(E, x, phi, k, d, L):
    column, dx, R1G1, R2G2 = pull(E, x)
    l = np.sqrt(dx @ dx)
    l_dot = dx @ (R2G2 @ phi[1] - R1G1 @ phi[0]) / l
    f_s = k * (l - L) / L - d * l_dot / L
    slope = -k / L * dx / l
    row = np.concatenate([slope @ R1G1, -slope @ R2G2])
    f_n = -column / l
    return np.outer(f_n, row) + f_s * parts_printed(E, x)


def stiffness_library(E, x, phi, k, d, L):
    return path_wrenches(SpringDamper(k, d, L), E, x, phi).K


def stiffness_reference(E, x, phi, k, d, L):
    return along_poses(lambda moved: wrenches(law(k, d, L), moved, x, phi), E)


def slope_printed(E, x, phi, k, d, L):
    _, dx, R1G1, R2G2 = pull(E, x)
    l = np.sqrt(dx @ dx)
    slope = -k / L * dx / l
    return np.concatenate([slope @ R1G1, -slope @ R2G2])


def slope_library(E, x, phi, k, d, L):
    found = body_path_length(E, x, phi)
    _, F_l, F_l_dot = SpringDamper(k, d, L)(found.L, found.Ldot)
    return F_l * found.dL_dxi + F_l_dot * found.dLdot_dxi


def slope_reference(E, x, phi, k, d, L):
    return along_poses(lambda moved: law(k, d, L)(length(moved, x), rate(moved, x, phi)), E)


def damping_printed(E, x, phi, k, d, L):
    column, dx, R1G1, R2G2 = pull(E, x)
    l = np.sqrt(dx @ dx)
    slope = -d / L * dx / l
    f_n = -column / l
    return np.outer(f_n, np.concatenate([slope @ R1G1, -slope @ R2G2]))


def damping_library(E, x, phi, k, d, L):
    return -path_wrenches(SpringDamper(k, d, L), E, x, phi).D


def damping_reference(E, x, phi, k, d, L):
    """Second derivatives of the Rayleigh function: minus the derivative of its forces."""
    return along_twists(lambda z: -wrenches(lambda _, rate: d * rate / L, E, x, z), phi)


def twist_slope_printed(E, x, phi, k, d, L):
    _, dx, R1G1, R2G2 = pull(E, x)
    l = np.sqrt(dx @ dx)
    slope = -d / L * dx / l
    return np.concatenate([slope @ R1G1, -slope @ R2G2])


def twist_slope_library(E, x, phi, k, d, L):
    found = body_path_length(E, x, phi)
    return -SpringDamper(k, d, L)(found.L, found.Ldot).dF_dLdot * found.dL_dxi


def twist_slope_reference(E, x, phi, k, d, L):
    """Slope of the f_s that (1.66) prints."""
    return along_twists(lambda z: k * (length(E, x) - L) / L - d * rate(E, x, z) / L, phi)


LAW = ("rbnotes.forces.tension.SpringDamper",)
FORCE = ("rbnotes.forces.body_forces.path_wrenches", *LAW)
ROW_TEX = r"\begin{pmatrix}\mathbf d^TR_1\Gamma_1 & -\mathbf d^TR_2\Gamma_2\end{pmatrix}"
VECTOR_TEX = r"\begin{pmatrix}\Gamma_1^TR_1^T\Delta\mathbf x\\ -\Gamma_2^TR_2^T\Delta\mathbf x\end{pmatrix}"
F_S_TEX = r"k\frac{l - L}{L} - d\frac{\dot l}{L}"

RECORDS = [
    Record(
        id="sueda/s1.9.6/e1.65",
        title="Force of a spring-damper",
        verdict=Verdict.ERRATUM,
        chapter=CHAPTER,
        implemented_by=("rbnotes.forces.path.path_force", *LAW),
        formula=r"\mathbf f = \Bigl("
        + F_S_TEX
        + r"\Bigr)\frac{\Delta\mathbf x}{l},\qquad l = \|\Delta\mathbf x\|",
        correction=r"$\mathbf f = \Bigl(k\dfrac{l - L}{L} + d\dfrac{\dot l}{L}\Bigr)\dfrac{\Delta\mathbf x}{l}$ on the first point",
        remark=r"As force on the first point, the damper drives the motion: it pushes the ends apart while they separate. As force on the "
        "second point, a stretched spring would repel. The two terms must have one sign.",
        oracle="minus the slopes of the energy and of the Rayleigh function, by complex steps",
        inputs=SEGMENT,
        printed=point_printed,
        library=point_library,
        reference=force_on_first,
    ),
    Record(
        id="sueda/s1.9.6/e1.66",
        title="Wrenches of a spring-damper",
        verdict=Verdict.ERRATUM,
        chapter=CHAPTER,
        implemented_by=FORCE,
        formula=r"\mathsf f = f_s\mathsf f_n,\quad f_s = "
        + F_S_TEX
        + r",\quad \mathsf f_n = \frac1l\begin{pmatrix}"
        r"-\Gamma_1^TR_1^T\Delta\mathbf x\\ \Gamma_2^TR_2^T\Delta\mathbf x\end{pmatrix}",
        correction=r"$f_s = k\dfrac{l - L}{L} + d\dfrac{\dot l}{L}$ and $\mathsf f_n = \dfrac1l\begin{pmatrix}\Gamma_1^TR_1^T\Delta\mathbf x\\ "
        r"-\Gamma_2^TR_2^T\Delta\mathbf x\end{pmatrix}$, the sign of (1.39)",
        remark=r"$\mathsf f_n$ points the other way than in (1.39) and (1.60), so that a stretched spring pushes its ends further apart: it does "
        "not maintain its rest length. The damping term comes out right, because both of its signs are wrong.",
        oracle="minus the slopes of the energy along the poses and of the Rayleigh function along the twists",
        inputs=SPRING,
        printed=force_printed,
        library=force_library,
        reference=force_reference,
    ),
    Record(
        id="sueda/s1.9.6/e1.67#a",
        title="Stiffness of a spring-damper",
        verdict=Verdict.ERRATUM,
        chapter=CHAPTER,
        implemented_by=FORCE,
        formula=r"K = \frac{\partial f_s}{\partial E}\mathsf f_n + f_s(K_{n1} + K_{n2})",
        correction=r"with $f_s$ and $\mathsf f_n$ as corrected in (1.66), $K = \mathsf f_n\,\dfrac{\partial f_s}{\partial E} + f_s(K_{n1} - K_{n2})$",
        remark=r"Against the derivative of the printed force (1.66), which at rest is minus that of the right one, it is wrong as well: "
        r"there it is $K_{n1}$ that would have to change its sign.",
        oracle="complex step of the statics of a spring-damper whose points move, along body-frame increments",
        inputs=SPRING,
        printed=stiffness_all_printed,
        library=stiffness_library,
        reference=stiffness_reference,
    ),
    Record(
        id="sueda/s1.9.6/e1.67#b",
        title="Stiffness of a unit tension",
        verdict=Verdict.ERRATUM,
        chapter=CHAPTER,
        implemented_by=("rbnotes.forces.body_forces.path_wrenches", "rbnotes.forces.tension.Constant"),
        formula=r"K_{n1} + K_{n2} = "
        + VECTOR_TEX
        + ROW_TEX
        + r" + \frac1l"
        + STIFFNESS_TEX
        + r",\qquad \mathbf d = \frac{\Delta\mathbf x}{l^3}",
        correction=r"$K_{n1} - K_{n2}$ for $\mathsf f_n = \dfrac1l" + VECTOR_TEX + r"$",
        remark=r"$K_{n1}$ is the derivative of $1/l$ in $+\mathsf f_n$ of (1.39), $K_{n2}$ that of the vector in $-\mathsf f_n$.",
        oracle="complex step of the statics of a unit tension, along body-frame increments",
        inputs=PAIR,
        printed=parts_printed,
        library=parts_library,
        reference=parts_reference,
    ),
    Record(
        id="sueda/s1.9.6/e1.67#c",
        title="How the tension changes with the poses",
        verdict=Verdict.CONDITIONAL,
        chapter=CHAPTER,
        implemented_by=("rbnotes.forces.body_forces.body_path_length", *LAW),
        formula=r"\frac{\partial f_s}{\partial E} = "
        + ROW_TEX
        + r",\qquad \mathbf d = \frac{-k}{L}\frac{\Delta\mathbf x}{l}",
        condition=r"the bodies are at rest, or $d = 0$",
        correction=r"add $\dfrac dL\,\dfrac{\partial\dot l}{\partial E}$",
        remark=r"With the twists held, a change of pose turns the segment and the velocities of its ends, so $\dot l$ changes.",
        oracle="complex step of the tension k (l - L) / L + d ldot / L of two moving points",
        inputs=SPRING,
        given=SPRING_AT_REST,
        printed=slope_printed,
        library=slope_library,
        reference=slope_reference,
    ),
    Record(
        id="sueda/s1.9.6/e1.68#a",
        title="Damping matrix of a spring-damper, as (1.30) uses it",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=FORCE,
        formula=r"D = \frac{\partial f_s}{\partial\Phi}\mathsf f_n,\quad \frac{\partial f_s}{\partial\Phi} = "
        + ROW_TEX
        + r",\quad \mathbf d = \frac{-d}{L}\frac{\Delta\mathbf x}{l}",
        remark=r"$D = -\partial\mathsf f/\partial\Phi$, positive semidefinite, with $\mathsf f_n$ as printed in (1.66): two wrong signs cancel. With "
        r"(1.66) mended, $D$ needs a minus sign like (1.55). " + FOR_STEP + ".",
        oracle="minus the complex step of the forces of the Rayleigh function, along the twists",
        inputs=SPRING,
        printed=damping_printed,
        library=damping_library,
        reference=damping_reference,
    ),
    Record(
        id="sueda/s1.9.6/e1.68#b",
        title="How f_s changes with the twists",
        verdict=Verdict.ERRATUM,
        chapter=CHAPTER,
        implemented_by=("rbnotes.forces.body_forces.body_path_length", *LAW),
        formula=r"\frac{\partial f_s}{\partial\Phi} = "
        + ROW_TEX
        + r",\qquad \mathbf d = \frac{-d}{L}\frac{\Delta\mathbf x}{l}",
        correction=r"for the printed $f_s = "
        + F_S_TEX
        + r"$: $\mathbf d = \dfrac{+d}{L}\dfrac{\Delta\mathbf x}{l}$. Better correct (1.66) to $+d\,\dot l/L$; "
        "then this is right as printed",
        oracle="complex step along the twists of f_s as (1.66) has it",
        inputs=SPRING,
        printed=twist_slope_printed,
        library=twist_slope_library,
        reference=twist_slope_reference,
    ),
]
