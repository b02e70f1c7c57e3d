"""Sueda 1.9.5: muscles through several points, each on its own body. The oracle: statics, complex steps.

Checked with three points, so that the middle body belongs to two segments.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import euclidean

from rbnotes import se3
from rbnotes.forces.body_forces import body_path_length, path_wrenches, zero_length_spring
from rbnotes.forces.muscle import Muscle
from rbnotes.forces.path import path_length
from rbnotes.forces.tension import ConstantTension
from rbnotes.ledger.claims.sueda.section_1_9 import CHAPTER, Gamma, between, bodies, motions, points
from rbnotes.ledger.claims.sueda.section_1_9_3 import stiffness_printed
from rbnotes.ledger.claims.sueda.section_1_9_4 import (
    LAW,
    LAW_NAMES,
    PARAMETERS,
    law_library,
    law_printed,
    law_reference,
)
from rbnotes.ledger.claims.sueda.section_1_9_4_stiffness import muscle
from rbnotes.ledger.oracles.body_paths import length, point_positions, pose_derivative, rate, wrenches
from rbnotes.ledger.oracles.muscles import muscle_wrenches, tension
from rbnotes.ledger.quantities import (
    FORCE,
    LENGTH,
    NUMBER,
    RATE,
    SCREW,
    VELOCITY,
    WRENCH,
    matrix_quantity,
    vector_quantity,
)
from rbnotes.ledger.record import Verdict, claim

PATH = {"E": bodies(3), "x": points(3)}
MUSCLE = {**PATH, "phi": motions(3), **PARAMETERS}
STILL = np.zeros((3, 6))


QUANTITIES = {"a": NUMBER, "l_T": LENGTH, "l_opt": LENGTH, "v_max": RATE}


def spans(E, x):
    X = point_positions(E, x)
    return [X[1] - X[0], X[2] - X[1]]


def columns(E, x):
    """Gamma_k^T R_k^T for the three bodies."""
    return [Gamma(x[k]).T @ E[k, :3, :3].T for k in range(3)]


def rows(E, x):
    """R_k Gamma_k for the three bodies."""
    return [E[k, :3, :3] @ Gamma(x[k]) for k in range(3)]


def in_blocks(E, x):
    """Sum of the f_k, each in its two block locations of one long vector."""
    dx1, dx2 = spans(E, x)
    to1, to2, to3 = columns(E, x)
    zero = np.zeros(6)
    f1 = np.concatenate([to1 @ dx1, -to2 @ dx1, zero]) / np.linalg.norm(dx1)
    f2 = np.concatenate([zero, to2 @ dx2, -to3 @ dx2]) / np.linalg.norm(dx2)
    return f1 + f2


def last_pull(E, x):
    """Statics of a tension equal to its length in the second segment, on bodies 2 and 3."""
    return wrenches(lambda L, Ldot: L, E[1:], x[1:], STILL[1:])


def split_library(E, x):
    return path_wrenches(ConstantTension(1.0), E[1:], x[1:], np.zeros((2, 6))).K


def second_part_library(E, x):
    X = se3.transform_points(E[1:], x[1:])
    return zero_length_spring(1 / path_length(X, 0 * X).L, E[1:], x[1:]).K


BOTH_WAYS = "a distance is the same both ways"
LENGTHS = ("rbnotes.forces.body_forces.body_path_length", *LAW_NAMES)
EXACT = ("rbnotes.forces.body_forces.path_wrenches", *LAW_NAMES)


@claim("sueda/s1.9.5/e1.57", "Length of a muscle through n points")
class e1_57:
    formula = r"l_{MT} = \sum_{k=1}^{n-1}\|\Delta\mathbf x_k\|,\qquad \tilde l = \frac{l_{MT} - l_T}{l_{opt}}"
    inputs = MUSCLE
    result = vector_quantity((LENGTH, 1), (NUMBER, 1))

    def printed(E, x, phi, f_opt, a, l_opt, v_max, l_T):
        dx1, dx2 = spans(E, x)
        l_MT = np.linalg.norm(dx1) + np.linalg.norm(dx2)
        return np.array([1.0 * l_MT, (l_MT - l_T) / l_opt])

    def library(E, x, phi, f_opt, a, l_opt, v_max, l_T):
        L = body_path_length(E, x, phi).L
        return np.array([L, Muscle(f_opt, l_opt, v_max, l_T, a).normalized_length(L)])

    oracle = "distances of scipy, counted in optimal lengths"

    def reference(E, x, phi, f_opt, a, l_opt, v_max, l_T):
        """Distances of scipy, and the number of optimal lengths beside the tendon."""
        X = point_positions(E, x)
        L = euclidean(X[0], X[1]) + euclidean(X[1], X[2])
        return np.array([L, L / l_opt - l_T / l_opt])

    equivalent_mutants = {
        "in spans: negated X[1] - X[0] in `[X[1] - X[0], X[2] - X[1]]`": BOTH_WAYS,
        "in spans: negated X[2] - X[1] in `[X[1] - X[0], X[2] - X[1]]`": BOTH_WAYS,
        "in spans: swapped operands in `X[1] - X[0]`": BOTH_WAYS,
        "in spans: swapped operands in `X[2] - X[1]`": BOTH_WAYS,
    }
    verdict = Verdict.HOLDS
    implemented_by = LENGTHS
    chapter = CHAPTER


@claim("sueda/s1.9.5/e1.58", "Its rate of lengthening")
class e1_58:
    formula = (
        r"v = \sum_{k=1}^{n-1}\frac{\Delta\mathbf x_k^T}{\|\Delta\mathbf x_k\|}\Delta\dot{\mathbf "
        r"x}_k,\qquad \tilde v = \frac{v}{l_{opt}v_{max}}"
    )
    inputs = MUSCLE
    result = vector_quantity((VELOCITY, 1), (NUMBER, 1))

    def printed(E, x, phi, f_opt, a, l_opt, v_max, l_T):
        dx1, dx2 = spans(E, x)
        X1, X2, X3 = (J @ twist for J, twist in zip(rows(E, x), phi, strict=True))
        v = dx1 / np.linalg.norm(dx1) @ (X2 - X1) + dx2 / np.linalg.norm(dx2) @ (X3 - X2)
        return np.array([1.0 * v, v / (l_opt * v_max)])

    def library(E, x, phi, f_opt, a, l_opt, v_max, l_T):
        Ldot = body_path_length(E, x, phi).Ldot
        return np.array([Ldot, Muscle(f_opt, l_opt, v_max, l_T, a).normalized_velocity(Ldot)])

    oracle = "slope of the length along the motion of all bodies, by complex steps"

    def reference(E, x, phi, f_opt, a, l_opt, v_max, l_T):
        """Slopes of the length and of the normalised length along the motion."""
        both = (
            pose_derivative(lambda moved: np.array([length(moved, x), (length(moved, x) - l_T) / l_opt]), E)
            @ phi.ravel()
        )
        return both / [1, v_max]

    verdict = Verdict.HOLDS
    implemented_by = LENGTHS
    chapter = CHAPTER


@claim("sueda/s1.9.5/e1.59", "Its tension")
class e1_59:
    formula = r"f = f_{opt}\bigl(a f_L(\tilde l) f_V(\tilde v) + f_P(\tilde l)\bigr)"
    inputs = LAW
    result = FORCE
    defines = ("f",)
    printed = law_printed
    library = law_library
    oracle = (
        "the curves by Hermite and Newton interpolation of their conditions, lengths counted in optimal ones"
    )
    reference = law_reference
    tolerance = 1e-08
    verdict = Verdict.DEFINITION
    implemented_by = LAW_NAMES
    chapter = CHAPTER


@claim("sueda/s1.9.5/e1.60", "Its wrenches")
class e1_60:
    formula = (
        r"\mathsf f = f\sum_{k=1}^{n-1}\mathsf f_k,\qquad \mathsf f_k "
        r"= \frac{1}{\|\Delta\mathbf x_k\|}\begin{pmatrix}\Gamma_k^TR_k^T\Delta\mathbf x_k\\"
        r" -\Gamma_{k+1}^TR_{k+1}^T\Delta\mathbf x_k\end{pmatrix}"
    )
    inputs = MUSCLE
    result = WRENCH

    def printed(E, x, phi, *parameters):
        f = tension(*parameters)(length(E, x), rate(E, x, phi))
        return f * in_blocks(E, x)

    def library(E, x, phi, *parameters):
        return path_wrenches(muscle(*parameters), E, x, phi).w.ravel()

    oracle = "statics: the same tension in all segments, as moments and forces seen from the bodies"
    reference = muscle_wrenches
    verdict = Verdict.HOLDS
    remark = r"Each $\mathsf f_k$ stands in the rows of bodies $k$ and $k+1$."
    implemented_by = EXACT
    chapter = CHAPTER


@claim("sueda/s1.9.5/t524", "The same force in every segment")
class t524:
    formula = r"\text{`the same for all the segments'}:\quad f \text{ draws each end into its segment}"
    inputs = MUSCLE
    result = FORCE

    def printed(E, x, phi, *parameters):
        """The forces that draw the two ends in, each of which belongs to one segment."""
        return tension(*parameters)(length(E, x), rate(E, x, phi)) * np.ones(2)

    def library(E, x, phi, *parameters):
        w, X = path_wrenches(muscle(*parameters), E, x, phi).w, se3.transform_points(E, x)
        drawn = (X[1] - X[0]) @ E[0, :3, :3] @ w[0, 3:], (X[1] - X[2]) @ E[2, :3, :3] @ w[2, 3:]
        return np.array(drawn) / np.linalg.norm(np.diff(X, axis=0), axis=1)

    oracle = "statics of the whole muscle: what the force on each end does along its own segment"

    def reference(E, x, phi, *parameters):
        """The power of the end forces when an end is drawn straight out of its segment with speed one."""
        forces = muscle_wrenches(E, x, phi, *parameters).reshape(3, 2, 3)[:, 1]
        X = point_positions(E, x)
        ends = [(0, (X[0] - X[1]) / euclidean(X[0], X[1])), (2, (X[2] - X[1]) / euclidean(X[2], X[1]))]
        return np.array([-(E[k, :3, :3] @ forces[k]) @ outwards for k, outwards in ends])

    verdict = Verdict.HOLDS
    remark = r"So each $\mathsf f_k$ is the pull of a unit tension; at the points between, two of them meet at an angle."
    implemented_by = EXACT
    chapter = CHAPTER


@claim("sueda/s1.9.5/d1", "Stiffness of a unit tension in one segment: two parts")
class d1:
    formula = "K_k = K_{k1} + K_{k2}"
    inputs = PATH
    result = matrix_quantity(WRENCH / FORCE, SCREW)

    def printed(E, x):
        """K_k for the second segment, its two parts by complex steps."""
        pair, ends = E[1:], x[1:]
        K_k1 = np.outer(last_pull(E, x), pose_derivative(lambda moved: 1 / length(moved, ends), pair))
        K_k2 = (
            1
            / length(pair, ends)
            * pose_derivative(lambda moved: wrenches(lambda L, Ldot: L, moved, ends, STILL[1:]), pair)
        )
        return K_k1 + K_k2

    library = split_library
    oracle = "complex step of the statics of a unit tension, along body-frame increments"

    def reference(E, x):
        return pose_derivative(lambda moved: wrenches(lambda L, Ldot: 1.0, moved, x[1:], STILL[1:]), E[1:])

    equivalent_mutants = {
        "swapped arguments in `np.outer(last_pull(E, x), pose_derivative(lambda moved: 1 / length(moved, ends), pair))`": (
            "the slope of the inverse length is a multiple of the column"
        )
    }
    verdict = Verdict.HOLDS
    remark = (
        r"$K_{k1}$ from the change of $1/\|\Delta\mathbf x_k\|$, $K_{k2}$ from that of the vector, both "
        r"as $+\partial/\partial E$. With $K_{k2}$ as printed in (1.62) it would have to be $K_{k1} - "
        r"K_{k2}$."
    )
    implemented_by = ("rbnotes.forces.body_forces.path_wrenches", "rbnotes.forces.tension.ConstantTension")
    chapter = CHAPTER


@claim("sueda/s1.9.5/d2", "First part: the length changes")
class d2:
    formula = (
        r"K_{k1} = \begin{pmatrix}\Gamma_k^TR_k^T\Delta\mathbf x\\"
        r" -\Gamma_{k+1}^TR_{k+1}^T\Delta\mathbf x\end{pmatrix}\begin{pmatrix}\mathbf d^TR_k\Gamma_k & "
        r"-\mathbf d^TR_{k+1}\Gamma_{k+1}\end{pmatrix},\qquad \mathbf d "
        r"= \frac{\Delta\mathbf x_k}{\|\Delta\mathbf x_k\|^3}"
    )
    inputs = PATH
    result = matrix_quantity(WRENCH / FORCE, SCREW)

    def printed(E, x):
        """K_k1 for the second segment, with the dx of 1.9.3, from the first point to the second."""
        dx1, dx2 = spans(E, x)
        dx = dx1
        _, to2, to3 = columns(E, x)
        _, R2G2, R3G3 = rows(E, x)
        d = dx2 / np.linalg.norm(dx2) ** 3
        return np.outer(np.concatenate([to2 @ dx, -to3 @ dx]), np.concatenate([d @ R2G2, -d @ R3G3]))

    def library(E, x):
        return split_library(E, x) - second_part_library(E, x)

    oracle = "complex step of the inverse length, times the statics"

    def reference(E, x):
        return np.outer(last_pull(E, x), pose_derivative(lambda moved: 1 / length(moved, x[1:]), E[1:]))

    verdict = Verdict.MISPRINT
    scan = True
    correction = r"$\Delta\mathbf x_k$ in the place of $\Delta\mathbf x$"
    remark = (
        r"Read as the $\Delta\mathbf x = {}^0\mathbf x_2 - {}^0\mathbf x_1$ of 1.9.3, it is wrong in "
        r"every segment but the first. The sign is that of $+\partial/\partial E$."
    )
    implemented_by = ("rbnotes.forces.body_forces.path_wrenches", "rbnotes.forces.tension.ConstantTension")
    chapter = CHAPTER


@claim("sueda/s1.9.5/e1.62", "Second part: the direction changes")
class e1_62:
    formula = (
        r"K_{k2} = \frac{1}{\|\Delta\mathbf x_k\|}\begin{pmatrix}[\mathbf x_k][R_k^T(\mathbf p_k - "
        r"\mathbf x_{k+1})] & [\mathbf x_k] & [\mathbf x_k]R_k^TR_{k+1}[\mathbf x_{k+1}] & -[\mathbf "
        r"x_k]R_k^TR_{k+1}\\[R_k^T(\mathbf p_k - \mathbf x_{k+1})] & I & R_k^TR_{k+1}[\mathbf x_{k+1}] & "
        r"-R_k^TR_{k+1}\\[\mathbf x_{k+1}]R_{k+1}^TR_k[\mathbf x_k] & -[\mathbf x_{k+1}]R_{k+1}^TR_k & "
        r"[\mathbf x_{k+1}][R_{k+1}^T(\mathbf p_{k+1} - \mathbf x_k)] & [\mathbf x_{k+1}]\\"
        r"R_{k+1}^TR_k[\mathbf x_k] & -R_{k+1}^TR_k & [R_{k+1}^T(\mathbf p_{k+1} - \mathbf x_k)] & "
        r"I\end{pmatrix}"
    )
    inputs = PATH
    result = matrix_quantity(WRENCH / FORCE, SCREW)

    def printed(E, x):
        return stiffness_printed(E[1:], x[1:], 1 / np.linalg.norm(between(E[1:], x[1:])[-1]))

    library = second_part_library
    oracle = "complex step of the statics of a tension equal to the length, along body-frame increments"

    def reference(E, x):
        pair, ends = E[1:], x[1:]
        return pose_derivative(
            lambda moved: wrenches(lambda L, Ldot: L, moved, ends, STILL[1:]), pair
        ) / length(pair, ends)

    combined_with = ("sueda/s1.9.5/e1.61", "sueda/s1.9.5/d2")
    verdict = Verdict.ERRATUM
    correction = (
        r"a minus sign in front of the matrix, $-\dfrac{1}{\|\Delta\mathbf x_k\|}$ in the place of "
        r"$\dfrac{1}{\|\Delta\mathbf x_k\|}$"
    )
    remark = (
        "The matrix of (1.37), with its sign; (1.61) and $K_{k1}$ have the other one. (The leading "
        "superscripts are left out in print: some points are meant in body, others in world coordinates, "
        "as in (1.37).)"
    )
    implemented_by = ("rbnotes.forces.body_forces.zero_length_spring",)
    chapter = CHAPTER
