"""Sueda 1.9.5: muscles through several points, each on its own body. The oracle: statics, complex steps.

Checked with three points, so that the middle body belongs to two segments.
"""

from __future__ import annotations

import re

import numpy as np
from scipy.spatial.distance import euclidean

from rbnotes.forces.body_forces import body_path_length, path_wrenches, zero_length_spring
from rbnotes.forces.muscle import Muscle
from rbnotes.forces.path import path_length
from rbnotes.forces.tension import Constant
from rbnotes.ledger.record import Record, Verdict
from rbnotes.ledger.sueda.section_1_9 import (
    CHAPTER,
    Gamma,
    along_poses,
    along_twists,
    at_rest,
    between,
    bodies,
    length,
    motions,
    places,
    points,
    rate,
    wrenches,
)
from rbnotes.ledger.sueda.section_1_9_3 import STIFFNESS_TEX, stiffness_printed
from rbnotes.ledger.sueda.section_1_9_4 import (
    FOR_STEP,
    LAW,
    LAW_NAMES,
    PARAMETERS,
    df_L,
    df_P,
    df_V,
    f_L,
    f_V,
    law_library,
    law_reference,
    muscle,
    tension,
    total,
)

PATH = {"E": bodies(3), "x": points(3)}
MUSCLE = {**PATH, "phi": motions(3), **PARAMETERS}
MUSCLE_AT_REST = {**MUSCLE, "phi": at_rest(3)}
STILL = np.zeros((3, 6))


def spans(E, x):
    X = places(E, x)
    return [X[1] - X[0], X[2] - X[1]]


def columns(E, x):
    """Gamma_k^T R_k^T for the three bodies."""
    return [Gamma(x[k]).T @ E[k, :3, :3].T for k in range(3)]


def rows(E, x):
    """R_k Gamma_k for the three bodies."""
    return [E[k, :3, :3] @ Gamma(x[k]) for k in range(3)]


# --- length, rate, force ------------------------------------------------------------------------------------


def length_printed(E, x, phi, f_opt, a, l_opt, v_max, l_T):
    dx1, dx2 = spans(E, x)
    l_MT = np.linalg.norm(dx1) + np.linalg.norm(dx2)
    return np.array([1.0 * l_MT, (l_MT - l_T) / l_opt])


def length_library(E, x, phi, f_opt, a, l_opt, v_max, l_T):
    L = body_path_length(E, x, phi).L
    return np.array([L, Muscle(f_opt, l_opt, v_max, l_T, a).normalised_length(L)])


def length_reference(E, x, phi, f_opt, a, l_opt, v_max, l_T):
    """Distances of scipy, and the number of optimal lengths beside the tendon."""
    X = places(E, x)
    L = euclidean(X[0], X[1]) + euclidean(X[1], X[2])
    return np.array([L, L / l_opt - l_T / l_opt])


def rate_printed(E, x, phi, f_opt, a, l_opt, v_max, l_T):
    dx1, dx2 = spans(E, x)
    X1, X2, X3 = (J @ twist for J, twist in zip(rows(E, x), phi, strict=True))
    v = dx1 / np.linalg.norm(dx1) @ (X2 - X1) + dx2 / np.linalg.norm(dx2) @ (X3 - X2)
    return np.array([1.0 * v, v / (l_opt * v_max)])


def rate_library(E, x, phi, f_opt, a, l_opt, v_max, l_T):
    Ldot = body_path_length(E, x, phi).Ldot
    return np.array([Ldot, Muscle(f_opt, l_opt, v_max, l_T, a).normalised_velocity(Ldot)])


def rate_reference(E, x, phi, f_opt, a, l_opt, v_max, l_T):
    """Slopes of the length and of the normalised length along the motion."""
    both = (
        along_poses(lambda moved: np.array([length(moved, x), (length(moved, x) - l_T) / l_opt]), E)
        @ phi.ravel()
    )
    return both / [1, v_max]


def force_printed(E, x, phi, *parameters):
    dx1, dx2 = spans(E, x)
    to1, to2, to3 = columns(E, x)
    zero = np.zeros(6)
    f1 = np.concatenate([to1 @ dx1, -to2 @ dx1, zero]) / np.linalg.norm(dx1)
    f2 = np.concatenate([zero, to2 @ dx2, -to3 @ dx2]) / np.linalg.norm(dx2)
    f = tension(*parameters)(length(E, x), rate(E, x, phi))
    return f * (f1 + f2)


def force_library(E, x, phi, *parameters):
    return path_wrenches(muscle(*parameters), E, x, phi).w.ravel()


# --- stiffness ------------------------------------------------------------------------------------------------


def normalised(E, x):
    """Sum of the f_k: statics of a unit tension."""
    return wrenches(lambda L, Ldot: 1.0, E, x, STILL)


def stiffness_by_parts(E, x, phi, *parameters):
    """(1.61), its derivatives by complex steps."""
    F = tension(*parameters)
    slope = along_poses(lambda moved: F(length(moved, x), rate(moved, x, phi)), E)
    K = along_poses(lambda moved: normalised(moved, x), E)
    return np.outer(slope, normalised(E, x)) + F(length(E, x), rate(E, x, phi)) * K


def stiffness_library(E, x, phi, *parameters):
    return path_wrenches(muscle(*parameters), E, x, phi).K


def stiffness_reference(E, x, phi, *parameters):
    return along_poses(lambda moved: total(moved, x, phi, *parameters), E)


def last_pull(E, x):
    """Statics of a tension equal to its length in the second segment, on bodies 2 and 3."""
    return wrenches(lambda L, Ldot: L, E[1:], x[1:], STILL[1:])


def split_printed(E, x):
    """K_k for the second segment, its two parts by complex steps."""
    pair, ends = E[1:], x[1:]
    K_k1 = np.outer(last_pull(E, x), along_poses(lambda moved: 1 / length(moved, ends), pair))
    K_k2 = (
        1
        / length(pair, ends)
        * along_poses(lambda moved: wrenches(lambda L, Ldot: L, moved, ends, STILL[1:]), pair)
    )
    return K_k1 + K_k2


def split_library(E, x):
    return path_wrenches(Constant(1.0), E[1:], x[1:], STILL[1:]).K


def split_reference(E, x):
    return along_poses(lambda moved: wrenches(lambda L, Ldot: 1.0, moved, x[1:], STILL[1:]), E[1:])


def first_part_printed(E, x):
    """K_k1 for the second segment, with the dx of 1.9.3, from the first point to the second."""
    dx1, dx2 = spans(E, x)
    dx = dx1
    _, to2, to3 = columns(E, x)
    _, R2G2, R3G3 = rows(E, x)
    d = dx2 / np.linalg.norm(dx2) ** 3
    return np.outer(np.concatenate([to2 @ dx, -to3 @ dx]), np.concatenate([d @ R2G2, -d @ R3G3]))


def first_part_library(E, x):
    return split_library(E, x) - second_part_library(E, x)


def first_part_reference(E, x):
    return np.outer(last_pull(E, x), along_poses(lambda moved: 1 / length(moved, x[1:]), E[1:]))


def second_part_printed(E, x):
    return stiffness_printed(E[1:], x[1:], 1 / np.linalg.norm(between(E, x, 1)[-1]))


def second_part_library(E, x):
    X = places(E[1:], x[1:])
    return zero_length_spring(1 / path_length(X, 0 * X).L, E[1:], x[1:]).K


def second_part_reference(E, x):
    pair, ends = E[1:], x[1:]
    return along_poses(lambda moved: wrenches(lambda L, Ldot: L, moved, ends, STILL[1:]), pair) / length(
        pair, ends
    )


def slope_printed(E, x, phi, f_opt, a, l_opt, v_max, l_T):
    dx1, dx2 = spans(E, x)
    R1G1, R2G2, R3G3 = rows(E, x)
    lt, vt = (length(E, x) - l_T) / l_opt, rate(E, x, phi) / (l_opt * v_max)
    factor = -f_opt * (a * df_L(lt) * f_V(vt) + df_P(lt)) / l_opt
    d1, d2 = factor * dx1 / np.linalg.norm(dx1), factor * dx2 / np.linalg.norm(dx2)
    zero = np.zeros(6)
    return np.concatenate([d1 @ R1G1, -d1 @ R2G2, zero]) + np.concatenate([zero, d2 @ R2G2, -d2 @ R3G3])


def slope_library(E, x, phi, *parameters):
    L, Ldot, dL_dxi, dLdot_dxi = body_path_length(E, x, phi)
    _, F_L, F_Ldot = muscle(*parameters)(L, Ldot)
    return F_L * dL_dxi + F_Ldot * dLdot_dxi


def slope_reference(E, x, phi, *parameters):
    return along_poses(lambda moved: tension(*parameters)(length(moved, x), rate(moved, x, phi)), E)


# --- damping --------------------------------------------------------------------------------------------------


def damping_printed(E, x, phi, *parameters):
    """D, with the derivative of the tension by complex steps."""
    F = tension(*parameters)
    return np.outer(normalised(E, x), along_twists(lambda z: F(length(E, x), rate(E, x, z)), phi))


def damping_library(E, x, phi, *parameters):
    return -path_wrenches(muscle(*parameters), E, x, phi).D


def damping_reference(E, x, phi, *parameters):
    return -along_twists(lambda z: total(E, x, z, *parameters), phi)


def twist_slope_printed(E, x, phi, f_opt, a, l_opt, v_max, l_T):
    dx1, dx2 = spans(E, x)
    R1G1, R2G2, R3G3 = rows(E, x)
    lt, vt = (length(E, x) - l_T) / l_opt, rate(E, x, phi) / (l_opt * v_max)
    factor = -f_opt * (a * f_L(lt) * df_V(vt)) / (l_opt * v_max)
    d1, d2 = factor * dx1 / np.linalg.norm(dx1), factor * dx2 / np.linalg.norm(dx2)
    zero = np.zeros(6)
    return np.concatenate([d1 @ R1G1, -d1 @ R2G2, zero]) + np.concatenate([zero, d2 @ R2G2, -d2 @ R3G3])


def twist_slope_library(E, x, phi, *parameters):
    L, Ldot, dLdot_dphi, _ = body_path_length(E, x, phi)
    return muscle(*parameters)(L, Ldot).dF_dLdot * dLdot_dphi


def twist_slope_reference(E, x, phi, *parameters):
    return along_twists(lambda z: tension(*parameters)(length(E, x), rate(E, x, z)), phi)


UNNUMBERED_TEX = re.sub(r"\{\}\^[012]", "", STIFFNESS_TEX).replace("_1", "_k").replace("_2", "_{k+1}")
"""The matrix of (1.37) for bodies k and k + 1, without the leading superscripts, as (1.62) has it."""

LENGTHS = ("rbnotes.forces.body_forces.body_path_length", *LAW_NAMES)
EXACT = ("rbnotes.forces.body_forces.path_wrenches", *LAW_NAMES)
STEP_POSES = (
    "complex step of the statics of a muscle through three moving points, along body-frame increments"
)
ROW_TEX = r"\begin{pmatrix}\mathbf d^TR_k\Gamma_k & -\mathbf d^TR_{k+1}\Gamma_{k+1}\end{pmatrix}"
VECTOR_TEX = (
    r"\begin{pmatrix}\Gamma_k^TR_k^T\Delta\mathbf x\\ -\Gamma_{k+1}^TR_{k+1}^T\Delta\mathbf x\end{pmatrix}"
)

RECORDS = [
    Record(
        id="sueda/s1.9.5/e1.57",
        title="Length of a muscle through n points",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=LENGTHS,
        formula=r"l_{MT} = \sum_{k=1}^{n-1}\|\Delta\mathbf x_k\|,\qquad \tilde l = \frac{l_{MT} - l_T}{l_{opt}}",
        oracle="distances of scipy, counted in optimal lengths",
        inputs=MUSCLE,
        printed=length_printed,
        library=length_library,
        reference=length_reference,
    ),
    Record(
        id="sueda/s1.9.5/e1.58",
        title="Its rate of lengthening",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=LENGTHS,
        formula=r"v = \sum_{k=1}^{n-1}\frac{\Delta\mathbf x_k^T}{\|\Delta\mathbf x_k\|}\Delta\dot{\mathbf x}_k,\qquad "
        r"\tilde v = \frac{v}{l_{opt}v_{max}}",
        oracle="slope of the length along the motion of all bodies, by complex steps",
        inputs=MUSCLE,
        printed=rate_printed,
        library=rate_library,
        reference=rate_reference,
    ),
    Record(
        id="sueda/s1.9.5/e1.59",
        title="Its tension",
        verdict=Verdict.DEFINITION,
        chapter=CHAPTER,
        implemented_by=LAW_NAMES,
        formula=r"f = f_{opt}\bigl(a f_L(\tilde l) f_V(\tilde v) + f_P(\tilde l)\bigr)",
        oracle="the curves evaluated from the printed coefficients (1.42), (1.44), (1.46)",
        inputs=LAW,
        library=law_library,
        reference=law_reference,
        tolerance=1e-8,
    ),
    Record(
        id="sueda/s1.9.5/e1.60",
        title="Its wrenches",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=EXACT,
        formula=r"\mathsf f = f\sum_{k=1}^{n-1}\mathsf f_k,\qquad \mathsf f_k = \frac{1}{\|\Delta\mathbf x_k\|}\begin{pmatrix}"
        r"\Gamma_k^TR_k^T\Delta\mathbf x_k\\ -\Gamma_{k+1}^TR_{k+1}^T\Delta\mathbf x_k\end{pmatrix}",
        remark=r"Each $\mathsf f_k$ stands in the rows of bodies $k$ and $k+1$.",
        oracle="statics: the same tension in all segments, as moments and forces seen from the bodies",
        inputs=MUSCLE,
        printed=force_printed,
        library=force_library,
        reference=total,
    ),
    Record(
        id="sueda/s1.9.5/e1.61",
        title="Its stiffness by the product rule",
        verdict=Verdict.MISPRINT,
        chapter=CHAPTER,
        implemented_by=EXACT,
        formula=r"K = \frac{\partial f}{\partial E}\sum_{k=1}^{n-1}f_k + f\sum_{k=1}^{n-1}K_k",
        correction=r"$K = \bigl(\sum\mathsf f_k\bigr)\dfrac{\partial f}{\partial E} + f\sum K_k$: column times row",
        remark=r"The text calls the first product an outer product with $\partial f/\partial E$ on the left. In that order "
        r"the matrix comes out transposed, which shows as soon as the bodies move.",
        oracle=STEP_POSES,
        inputs=MUSCLE,
        printed=stiffness_by_parts,
        library=stiffness_library,
        reference=stiffness_reference,
    ),
    Record(
        id="sueda/s1.9.5/d1",
        title="Stiffness of a unit tension in one segment: two parts",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=EXACT,
        formula=r"K_k = K_{k1} + K_{k2}",
        remark=r"$K_{k1}$ from the change of $1/\|\Delta\mathbf x_k\|$, $K_{k2}$ from that of the vector, both as "
        r"$+\partial/\partial E$. With $K_{k2}$ as printed in (1.62) it would have to be $K_{k1} - K_{k2}$.",
        oracle="complex step of the statics of a unit tension, along body-frame increments",
        inputs=PATH,
        printed=split_printed,
        library=split_library,
        reference=split_reference,
    ),
    Record(
        id="sueda/s1.9.5/d2",
        title="First part: the length changes",
        verdict=Verdict.MISPRINT,
        chapter=CHAPTER,
        implemented_by=EXACT,
        formula=r"K_{k1} = "
        + VECTOR_TEX
        + ROW_TEX
        + r",\qquad \mathbf d = \frac{\Delta\mathbf x_k}{\|\Delta\mathbf x_k\|^3}",
        correction=r"$\Delta\mathbf x_k$ in the place of $\Delta\mathbf x$",
        remark=r"Read as the $\Delta\mathbf x = {}^0\mathbf x_2 - {}^0\mathbf x_1$ of 1.9.3, it is wrong in every segment but the first. "
        r"The sign is that of $+\partial/\partial E$.",
        scan=True,
        oracle="complex step of the inverse length, times the statics",
        inputs=PATH,
        printed=first_part_printed,
        library=first_part_library,
        reference=first_part_reference,
    ),
    Record(
        id="sueda/s1.9.5/e1.62",
        title="Second part: the direction changes",
        verdict=Verdict.ERRATUM,
        chapter=CHAPTER,
        implemented_by=("rbnotes.forces.body_forces.zero_length_spring", *EXACT),
        formula=r"K_{k2} = \frac{1}{\|\Delta\mathbf x_k\|}" + UNNUMBERED_TEX,
        correction=r"$K_{k2} = -\dfrac{1}{\|\Delta\mathbf x_k\|}(\cdots)$",
        remark=r"The matrix of (1.37), with its sign; (1.61) and $K_{k1}$ have the other one. (The leading superscripts are left out in "
        "print: some points are meant in body, others in world coordinates, as in (1.37).)",
        oracle="complex step of the statics of a tension equal to the length, along body-frame increments",
        inputs=PATH,
        printed=second_part_printed,
        library=second_part_library,
        reference=second_part_reference,
    ),
    Record(
        id="sueda/s1.9.5/e1.63",
        title="How the tension changes with the poses",
        verdict=Verdict.CONDITIONAL,
        chapter=CHAPTER,
        implemented_by=LENGTHS,
        formula=r"\frac{\partial f}{\partial E} = \sum_{k=1}^{n-1}"
        + ROW_TEX
        + r",\qquad \mathbf d = \frac{-f_{opt}(a f_L' f_V + f_P')}"
        r"{l_{opt}}\frac{\Delta\mathbf x_k}{\|\Delta\mathbf x_k\|}",
        condition=r"the bodies are at rest (or the tension does not depend on $\tilde v$)",
        correction=r"add $\dfrac{f_{opt}\,a f_L f_V'}{l_{opt}v_{max}}\dfrac{\partial v}{\partial E}$",
        remark=r"With the twists held, a change of pose turns the segments and the velocities of their points, so $v$ changes.",
        oracle="complex step of the tension of a muscle through three moving points",
        inputs=MUSCLE,
        given=MUSCLE_AT_REST,
        printed=slope_printed,
        library=slope_library,
        reference=slope_reference,
    ),
    Record(
        id="sueda/s1.9.5/d3",
        title="Its damping matrix, as (1.30) uses it",
        verdict=Verdict.ERRATUM,
        chapter=CHAPTER,
        implemented_by=EXACT,
        formula=r"D = \frac{\partial f}{\partial\Phi}\sum_{k=1}^{n-1}f_k",
        correction=r"$D = -\bigl(\sum\mathsf f_k\bigr)\,\dfrac{\partial f}{\partial\Phi}$, or $-hD$ in (1.30)",
        remark=FOR_STEP + ". The product is column times row.",
        oracle="minus the complex step of the statics of a muscle through three moving points, along the twists",
        inputs=MUSCLE,
        printed=damping_printed,
        library=damping_library,
        reference=damping_reference,
    ),
    Record(
        id="sueda/s1.9.5/e1.64",
        title="How the tension changes with the twists",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=LENGTHS,
        formula=r"\frac{\partial f}{\partial\Phi} = \sum_{k=1}^{n-1}"
        + ROW_TEX
        + r",\qquad \mathbf d = \frac{-f_{opt}(a f_L f_V')}"
        r"{l_{opt}v_{max}}\frac{\Delta\mathbf x_k}{\|\Delta\mathbf x_k\|}",
        remark=r"With $f_L$, where (1.56) has $f_L'$.",
        oracle="complex step of the tension along the twists",
        inputs=MUSCLE,
        printed=twist_slope_printed,
        library=twist_slope_library,
        reference=twist_slope_reference,
    ),
]
