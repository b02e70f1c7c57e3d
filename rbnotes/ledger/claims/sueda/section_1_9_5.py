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
from rbnotes.ledger.claims.sueda.section_1_9 import (
    Gamma,
    between,
    bodies,
    motions,
    moves_along,
    path_along,
    points,
)
from rbnotes.ledger.claims.sueda.section_1_9_3 import stiffness_printed
from rbnotes.ledger.claims.sueda.section_1_9_4.force import (
    LAW,
    PARAMETERS,
    law_library,
    law_printed,
    law_reference,
)
from rbnotes.ledger.claims.sueda.section_1_9_4.stiffness import muscle
from rbnotes.ledger.oracles.body_paths import (
    length,
    point_positions,
    pose_derivative,
    rate,
    twist_derivative,
    wrenches,
)
from rbnotes.ledger.oracles.muscles import df_L, df_P, df_V, f_L, f_V, muscle_wrenches, tension
from rbnotes.ledger.pages import DROPPED, Page
from rbnotes.ledger.quantities import (
    FORCE,
    LENGTH,
    NUMBER,
    POSE,
    RATE,
    SCREW,
    SPATIAL_DAMPING,
    SPATIAL_STIFFNESS,
    TWIST,
    VELOCITY,
    WRENCH,
    matrix_quantity,
    vector_quantity,
)
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section

ON_BODIES_OF_PATH = "on each body of the path, in its frame, angular part first"

section = Section(
    "sueda/s1.9.5",
    chapter="springs-and-muscles-on-bodies",
    page_2019=Page(13, last=14),
    page_2021=Page(18, last=20),
    arguments={
        "E": Argument(POSE, "of each body in the world"),
        "x": Argument(LENGTH, "in each body, in its frame"),
        "phi": Argument(TWIST, "in the frame of the body"),
        "f_opt": Argument(FORCE),
        "a": Argument(NUMBER),
        "l_opt": Argument(LENGTH),
        "v_max": Argument(RATE),
        "l_T": Argument(LENGTH),
        "L": Argument(LENGTH),
        "Ldot": Argument(VELOCITY),
    },
)


PATH = {"E": bodies(3), "x": points(3)}
MUSCLE = {**PATH, "phi": motions(3), **PARAMETERS}
STILL = np.zeros((3, 6))


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


LENGTHS = (body_path_length, Muscle)
EXACT = (path_wrenches, Muscle)


@section.holds("e1.57", "Length of a muscle through n points")
class e1_57:
    page_2019 = Page(13)
    page_2021 = Page(18, "(1.73), the sum; the normalized length is dropped")
    formula = r"l_{MT} = \sum_{k=1}^{n-1}\|\Delta\mathbf x_k\|,\qquad \tilde l = \frac{l_{MT} - l_T}{l_{opt}}"
    inputs = MUSCLE
    result = Result(vector_quantity((LENGTH, 1), (NUMBER, 1)), "in meters, then over the optimal length")

    def printed(E, x, phi, f_opt, a, l_opt, v_max, l_T):
        dx1, dx2 = spans(E, x)
        l_MT = np.linalg.norm(dx1) + np.linalg.norm(dx2)
        return np.array([1.0 * l_MT, (l_MT - l_T) / l_opt])

    def library(E, x, phi, f_opt, a, l_opt, v_max, l_T):
        L = body_path_length(E, x, phi).L
        return np.array([L, Muscle(f_opt, l_opt, v_max, l_T, a).normalized_length(L)])

    def reference(E, x, phi, f_opt, a, l_opt, v_max, l_T):
        """Compare with distances of scipy, counted in optimal lengths.

        Distances of scipy, and the number of optimal lengths beside the tendon.
        """
        X = point_positions(E, x)
        L = euclidean(X[0], X[1]) + euclidean(X[1], X[2])
        return np.array([L, L / l_opt - l_T / l_opt])

    implements = LENGTHS


@section.holds("e1.58", "Its rate of lengthening")
class e1_58:
    page_2019 = Page(13)
    page_2021 = Page(18, "(1.74), the sum; the normalized velocity is dropped")
    formula = r"v = \sum_{k=1}^{n-1}\frac{\Delta\mathbf x_k^T}{\|\Delta\mathbf x_k\|}\Delta\dot{\mathbf x}_k,\qquad \tilde v = \frac{v}{l_{opt}v_{max}}"
    inputs = MUSCLE
    result = Result(vector_quantity((VELOCITY, 1), (NUMBER, 1)), "in meters, then over the optimal length")

    def printed(E, x, phi, f_opt, a, l_opt, v_max, l_T):
        dx1, dx2 = spans(E, x)
        X1, X2, X3 = (J @ twist for J, twist in zip(rows(E, x), phi, strict=True))
        v = dx1 / np.linalg.norm(dx1) @ (X2 - X1) + dx2 / np.linalg.norm(dx2) @ (X3 - X2)
        return np.array([1.0 * v, v / (l_opt * v_max)])

    def library(E, x, phi, f_opt, a, l_opt, v_max, l_T):
        Ldot = body_path_length(E, x, phi).Ldot
        return np.array([Ldot, Muscle(f_opt, l_opt, v_max, l_T, a).normalized_velocity(Ldot)])

    def reference(E, x, phi, f_opt, a, l_opt, v_max, l_T):
        """Compare with the slope of the length along the motion of all bodies, by complex steps.

        Slopes of the length and of the normalised length along the motion.
        """
        both = (
            pose_derivative(lambda moved: np.array([length(moved, x), (length(moved, x) - l_T) / l_opt]), E)
            @ phi.ravel()
        )
        return both / [1, v_max]

    implements = LENGTHS


@section.definition("e1.59", "Its tension")
class e1_59:
    page_2019 = Page(13)
    page_2021 = DROPPED
    formula = r"f = f_{opt}\bigl(a f_L(\tilde l) f_V(\tilde v) + f_P(\tilde l)\bigr)"
    inputs = LAW
    result = Result(FORCE, ON_BODIES_OF_PATH)
    defines = ("f",)
    printed = law_printed
    library = law_library
    reference = law_reference
    tolerance = 1e-08
    implements = Muscle


@section.holds("e1.60", "Its wrenches")
class e1_60:
    page_2019 = Page(13)
    page_2021 = Page(18)
    formula = r"\mathsf f = f\sum_{k=1}^{n-1}\mathsf f_k,\qquad \mathsf f_k = \frac{1}{\|\Delta\mathbf x_k\|}\begin{pmatrix}\Gamma_k^TR_k^T\Delta\mathbf x_k\\ -\Gamma_{k+1}^TR_{k+1}^T\Delta\mathbf x_k\end{pmatrix}"
    inputs = MUSCLE
    result = Result(WRENCH, ON_BODIES_OF_PATH)

    def printed(E, x, phi, *parameters):
        f = tension(*parameters)(length(E, x), rate(E, x, phi))
        return f * in_blocks(E, x)

    def library(E, x, phi, *parameters):
        return path_wrenches(muscle(*parameters), E, x, phi).w.ravel()

    oracle = (
        "Compare with statics: the same tension in all segments, as moments and forces seen from the bodies."
    )
    reference = muscle_wrenches
    remark = r"Each $\mathsf f_k$ stands in the rows of bodies $k$ and $k+1$."
    implements = EXACT


@section.holds("t524", "The same force in every segment")
class t524:
    page_2019 = Page(14)
    page_2021 = Page(18)
    formula = r"\text{`the same for all the segments'}:\quad f \text{ draws each end into its segment}"
    inputs = MUSCLE
    result = Result(FORCE, "at either end of the path")

    def printed(E, x, phi, *parameters):
        """Return the forces that draw the two ends in, each of which belongs to one segment."""
        return tension(*parameters)(length(E, x), rate(E, x, phi)) * np.ones(2)

    def library(E, x, phi, *parameters):
        w, X = path_wrenches(muscle(*parameters), E, x, phi).w, se3.transform_points(E, x)
        drawn = (X[1] - X[0]) @ E[0, :3, :3] @ w[0, 3:], (X[1] - X[2]) @ E[2, :3, :3] @ w[2, 3:]
        return np.array(drawn) / np.linalg.norm(np.diff(X, axis=0), axis=1)

    def reference(E, x, phi, *parameters):
        """Compare with statics of the whole muscle: the power of the force on each end at unit speed along its own segment.

        The power of the end forces when an end is drawn straight out of its segment with speed one.
        """
        forces = muscle_wrenches(E, x, phi, *parameters).reshape(3, 2, 3)[:, 1]
        X = point_positions(E, x)
        ends = [(0, (X[0] - X[1]) / euclidean(X[0], X[1])), (2, (X[2] - X[1]) / euclidean(X[2], X[1]))]
        return np.array([-(E[k, :3, :3] @ forces[k]) @ outwards for k, outwards in ends])

    remark = r"So each $\mathsf f_k$ is the pull of a unit tension; at the points between, two of them meet at an angle."
    implements = EXACT


@section.holds("d1", "Stiffness of a unit tension in one segment: two parts")
class d1:
    page_2019 = Page(14)
    page_2021 = Page(19)
    formula = "K_k = K_{k1} + K_{k2}"
    inputs = PATH
    result = Result(matrix_quantity(WRENCH / FORCE, SCREW), ON_BODIES_OF_PATH)

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

    def reference(E, x):
        """Compare with the complex step of the statics of a unit tension, along body-frame increments."""
        return pose_derivative(lambda moved: wrenches(lambda L, Ldot: 1.0, moved, x[1:], STILL[1:]), E[1:])

    remark = (
        r"$K_{k1}$ from the change of $1/\|\Delta\mathbf x_k\|$, $K_{k2}$ from that of the vector, both "
        r"as $+\partial/\partial E$. With $K_{k2}$ as printed in (1.62) it would have to be $K_{k1} - "
        r"K_{k2}$."
    )
    implements = (path_wrenches, ConstantTension)


@section.misprint("d2", "First part: the length changes")
class d2:
    page_2019 = Page(14)
    page_2021 = Page(
        19,
        r"(1.77), with $\Delta\mathbf x_k$; but there $\mathbf d_k = -\Delta\mathbf x_k/l_k^3$, whose sign is wrong",
        mended=True,
    )
    formula = r"K_{k1} = \begin{pmatrix}\Gamma_k^TR_k^T\Delta\mathbf x\\ -\Gamma_{k+1}^TR_{k+1}^T\Delta\mathbf x\end{pmatrix}\begin{pmatrix}\mathbf d^TR_k\Gamma_k & -\mathbf d^TR_{k+1}\Gamma_{k+1}\end{pmatrix},\qquad \mathbf d = \frac{\Delta\mathbf x_k}{\|\Delta\mathbf x_k\|^3}"
    edits = (
        ("^T\\Delta\\mathbf x\\\\", "^T\\Delta\\mathbf x_k\\\\"),
        (r"^T\Delta\mathbf x\end", r"^T\Delta\mathbf x_k\end"),
    )
    inputs = PATH
    result = Result(matrix_quantity(WRENCH / FORCE, SCREW), ON_BODIES_OF_PATH)

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

    def reference(E, x):
        """Compare with the complex step of the inverse length, times the statics."""
        return np.outer(last_pull(E, x), pose_derivative(lambda moved: 1 / length(moved, x[1:]), E[1:]))

    correction = r"$\Delta\mathbf x_k$ in the place of $\Delta\mathbf x$"
    remark = (
        r"Read as the $\Delta\mathbf x = {}^0\mathbf x_2 - {}^0\mathbf x_1$ of 1.9.3, it is wrong in "
        r"every segment but the first. The sign is that of $+\partial/\partial E$."
    )
    implements = (path_wrenches, ConstantTension)


@section.erratum("e1.62", "Second part: the direction changes")
class e1_62:
    page_2019 = Page(14)
    page_2021 = Page(19)
    formula = r"K_{k2} = \frac{1}{\|\Delta\mathbf x_k\|}\begin{pmatrix}[\mathbf x_k][R_k^T(\mathbf p_k - \mathbf x_{k+1})] & [\mathbf x_k] & [\mathbf x_k]R_k^TR_{k+1}[\mathbf x_{k+1}] & -[\mathbf x_k]R_k^TR_{k+1}\\[R_k^T(\mathbf p_k - \mathbf x_{k+1})] & I & R_k^TR_{k+1}[\mathbf x_{k+1}] & -R_k^TR_{k+1}\\[\mathbf x_{k+1}]R_{k+1}^TR_k[\mathbf x_k] & -[\mathbf x_{k+1}]R_{k+1}^TR_k & [\mathbf x_{k+1}][R_{k+1}^T(\mathbf p_{k+1} - \mathbf x_k)] & [\mathbf x_{k+1}]\\R_{k+1}^TR_k[\mathbf x_k] & -R_{k+1}^TR_k & [R_{k+1}^T(\mathbf p_{k+1} - \mathbf x_k)] & I\end{pmatrix}"
    edit = (r"K_{k2} = \frac", r"K_{k2} = -\frac")
    inputs = PATH
    result = Result(matrix_quantity(WRENCH / FORCE, SCREW), ON_BODIES_OF_PATH)

    def printed(E, x):
        return stiffness_printed(E[1:], x[1:], 1 / np.linalg.norm(between(E[1:], x[1:])[-1]))

    library = second_part_library

    def reference(E, x):
        """Compare with the complex step of the statics of a tension equal to the length, along body-frame increments."""
        pair, ends = E[1:], x[1:]
        return pose_derivative(
            lambda moved: wrenches(lambda L, Ldot: L, moved, ends, STILL[1:]), pair
        ) / length(pair, ends)

    combined_with = ("sueda/s1.9.5/e1.61", "sueda/s1.9.5/d2")
    correction = (
        r"a minus sign in front of the matrix, $-\dfrac{1}{\|\Delta\mathbf x_k\|}$ in the place of "
        r"$\dfrac{1}{\|\Delta\mathbf x_k\|}$"
    )
    remark = (
        "The matrix of (1.37), with its sign; (1.61) and $K_{k1}$ have the other one. (The leading "
        "superscripts, which the conversion of the text dropped, tell points in body coordinates from those in "
        "world coordinates, as in (1.37).)"
    )
    implements = zero_length_spring


# ------------------------------------------------------------------------------------------------------------
# How the force of a muscle through several points changes.


MUSCLE_ALONG = {**path_along(3), **PARAMETERS}


def normalised(E, x):
    """Sum of the f_k: statics of a unit tension."""
    return wrenches(lambda L, Ldot: 1.0, E, x, STILL)


@section.misprint("e1.61", "Its stiffness by the product rule")
class e1_61:
    page_2019 = Page(14)
    page_2021 = Page(19)
    formula = r"K = \frac{\partial f}{\partial E}\sum_{k=1}^{n-1}f_k + f\sum_{k=1}^{n-1}K_k"
    edit = (
        r"\frac{\partial f}{\partial E}\sum_{k=1}^{n-1}f_k",
        r"\Bigl(\sum_{k=1}^{n-1}f_k\Bigr)\frac{\partial f}{\partial E}",
    )
    inputs = MUSCLE
    result = Result(SPATIAL_STIFFNESS, ON_BODIES_OF_PATH)

    def printed(E, x, phi, *parameters):
        """(1.61), its derivatives by complex steps."""
        F = tension(*parameters)
        slope = pose_derivative(lambda moved: F(length(moved, x), rate(moved, x, phi)), E)
        K = pose_derivative(lambda moved: normalised(moved, x), E)
        return np.outer(slope, normalised(E, x)) + F(length(E, x), rate(E, x, phi)) * K

    def library(E, x, phi, *parameters):
        return path_wrenches(muscle(*parameters), E, x, phi).K

    def reference(E, x, phi, *parameters):
        """Compare with the complex step of the statics of a muscle through three moving points, along body-frame increments."""
        return pose_derivative(lambda moved: muscle_wrenches(moved, x, phi, *parameters), E)

    correction = (
        r"$K = \bigl(\sum\mathsf f_k\bigr)\dfrac{\partial f}{\partial E} + f\sum K_k$: column times row"
    )
    remark = (
        r"The text calls the first product an outer product with $\partial f/\partial E$ on the left. In "
        r"that order the matrix comes out transposed, which shows as soon as the bodies move."
    )
    implements = EXACT


@section.holds("t538", "The first product is an outer product of two long vectors")
class t538:
    page_2019 = Page(14)
    page_2021 = Page(19)
    formula = r"K - f\sum_k K_k = \mathsf a\,\mathsf b^T,\quad \mathsf a,\mathsf b\in\mathbb R^{6n},\quad \text{`each summand contributing to two block locations'}"
    inputs = MUSCLE
    result = Result(SPATIAL_STIFFNESS, ON_BODIES_OF_PATH)

    def printed(E, x, phi, *parameters):
        F = tension(*parameters)
        slope = pose_derivative(lambda moved: F(length(moved, x), rate(moved, x, phi)), E)
        return np.outer(normalised(E, x), slope)

    def library(E, x, phi, *parameters):
        whole = path_wrenches(muscle(*parameters), E, x, phi)
        L, Ldot, _, _ = body_path_length(E, x, phi)
        return whole.K - muscle(*parameters)(L, Ldot).F * path_wrenches(ConstantTension(1.0), E, x, phi).K

    def reference(E, x, phi, *parameters):
        """Compare with complex steps of the statics of the muscle, minus those at a constant tension."""
        F = tension(*parameters)(length(E, x), rate(E, x, phi))
        held = pose_derivative(lambda moved: wrenches(lambda L, Ldot: F, moved, x, phi), E)
        return pose_derivative(lambda moved: muscle_wrenches(moved, x, phi, *parameters), E) - held

    tolerance = 1e-08
    remark = "Column times row, see (1.61). Which blocks each summand fills is checked with (1.60)."
    implements = EXACT


@section.conditional("e1.63", "How the tension changes with the poses")
class e1_63:
    page_2019 = Page(14)
    page_2021 = Page(19, r"(1.79), with the change of $\dot l_k$", mended=True)
    formula = r"\frac{\partial f}{\partial E} = \sum_{k=1}^{n-1}\begin{pmatrix}\mathbf d^TR_k\Gamma_k & -\mathbf d^TR_{k+1}\Gamma_{k+1}\end{pmatrix},\qquad \mathbf d = \frac{-f_{opt}(a f_L' f_V + f_P')}{l_{opt}}\frac{\Delta\mathbf x_k}{\|\Delta\mathbf x_k\|}"
    inputs = MUSCLE
    result = Result(WRENCH / LENGTH, "over the motions of the bodies, each in its frame")

    def printed(E, x, phi, f_opt, a, l_opt, v_max, l_T):
        dx1, dx2 = spans(E, x)
        R1G1, R2G2, R3G3 = rows(E, x)
        lt, vt = (length(E, x) - l_T) / l_opt, rate(E, x, phi) / (l_opt * v_max)
        factor = -f_opt * (a * df_L(lt) * f_V(vt) + df_P(lt)) / l_opt
        d1, d2 = factor * dx1 / np.linalg.norm(dx1), factor * dx2 / np.linalg.norm(dx2)
        zero = np.zeros(6)
        return np.concatenate([d1 @ R1G1, -d1 @ R2G2, zero]) + np.concatenate([zero, d2 @ R2G2, -d2 @ R3G3])

    def library(E, x, phi, *parameters):
        L, Ldot, dL_dxi, dLdot_dxi = body_path_length(E, x, phi)
        _, F_L, F_Ldot = muscle(*parameters)(L, Ldot)
        return F_L * dL_dxi + F_Ldot * dLdot_dxi

    def reference(E, x, phi, *parameters):
        """Compare with the complex step of the tension of a muscle through three moving points."""
        return pose_derivative(lambda moved: tension(*parameters)(length(moved, x), rate(moved, x, phi)), E)

    given = MUSCLE_ALONG
    holds_when = moves_along
    condition = (
        r"the ends move along their segments and the points between are at rest (or the tension does not "
        r"depend on $\tilde v$)"
    )
    correction = r"add $\dfrac{f_{opt}\,a f_L f_V'}{l_{opt}v_{max}}\dfrac{\partial v}{\partial E}$"
    remark = (
        "With the twists held, a change of pose turns the segments and the velocities of their points, "
        "so $v$ changes."
    )
    implements = LENGTHS


@section.erratum("d3", "Its damping matrix, as (1.30) uses it")
class d3:
    page_2019 = Page(14)
    page_2021 = Page(
        20,
        r"(1.80) for $\mathsf D = d\mathsf f/d\dot{\mathsf q}$, which (3.65) takes with the right sign; the row still stands before the column",
        mended=True,
    )
    formula = r"D = \frac{\partial f}{\partial\Phi}\sum_{k=1}^{n-1}f_k"
    edit = (
        r"\frac{\partial f}{\partial\Phi}\sum_{k=1}^{n-1}f_k",
        r"-\Bigl(\sum_{k=1}^{n-1}f_k\Bigr)\frac{\partial f}{\partial\Phi}",
    )
    inputs = MUSCLE
    result = Result(SPATIAL_DAMPING, ON_BODIES_OF_PATH)

    def printed(E, x, phi, *parameters):
        """D, with the derivative of the tension by complex steps."""
        F = tension(*parameters)
        return np.outer(normalised(E, x), twist_derivative(lambda z: F(length(E, x), rate(E, x, z)), phi))

    def library(E, x, phi, *parameters):
        return -path_wrenches(muscle(*parameters), E, x, phi).D

    def reference(E, x, phi, *parameters):
        """Compare with minus the complex step of the statics of a muscle through three moving points, along the twists."""
        return -twist_derivative(lambda z: muscle_wrenches(E, x, z, *parameters), phi)

    combined_with = ("sueda/s1.9/e1.30", "sueda/s1.9.1/t377")
    correction = r"$D = -\bigl(\sum\mathsf f_k\bigr)\,\dfrac{\partial f}{\partial\Phi}$, or $-hD$ in (1.30)"
    remark = (
        r"(1.30) has $+hD$ on the left and 1.9.1 puts $D = dI$ there for a damper, so its $D$ is "
        r"$-\partial\mathsf f/\partial\Phi$. The product is column times row."
    )
    implements = EXACT


@section.holds("e1.64", "How the tension changes with the twists")
class e1_64:
    page_2019 = Page(14)
    page_2021 = Page(20, r"(1.80), for any law $f(l, \dot l)$, with a factor $1/l_k$ too many")
    formula = r"\frac{\partial f}{\partial\Phi} = \sum_{k=1}^{n-1}\begin{pmatrix}\mathbf d^TR_k\Gamma_k & -\mathbf d^TR_{k+1}\Gamma_{k+1}\end{pmatrix},\qquad \mathbf d = \frac{-f_{opt}(a f_L f_V')}{l_{opt}v_{max}}\frac{\Delta\mathbf x_k}{\|\Delta\mathbf x_k\|}"
    inputs = MUSCLE
    result = Result(WRENCH / VELOCITY, "over the motions of the bodies, each in its frame")

    def printed(E, x, phi, f_opt, a, l_opt, v_max, l_T):
        dx1, dx2 = spans(E, x)
        R1G1, R2G2, R3G3 = rows(E, x)
        lt, vt = (length(E, x) - l_T) / l_opt, rate(E, x, phi) / (l_opt * v_max)
        factor = -f_opt * (a * f_L(lt) * df_V(vt)) / (l_opt * v_max)
        d1, d2 = factor * dx1 / np.linalg.norm(dx1), factor * dx2 / np.linalg.norm(dx2)
        zero = np.zeros(6)
        return np.concatenate([d1 @ R1G1, -d1 @ R2G2, zero]) + np.concatenate([zero, d2 @ R2G2, -d2 @ R3G3])

    def library(E, x, phi, *parameters):
        L, Ldot, dLdot_dphi, _ = body_path_length(E, x, phi)
        return muscle(*parameters)(L, Ldot).dF_dLdot * dLdot_dphi

    def reference(E, x, phi, *parameters):
        """Compare with the complex step of the tension along the twists."""
        return twist_derivative(lambda z: tension(*parameters)(length(E, x), rate(E, x, z)), phi)

    remark = "With $f_L$, where (1.56) has $f_L'$."
    implements = LENGTHS


@section.holds("t542", "The damping matrix is an outer product of two long vectors")
class t542:
    page_2019 = Page(14)
    page_2021 = Page(20)
    formula = r"\frac{\partial\mathsf f}{\partial\Phi} = \mathsf a\,\mathsf b^T,\quad \mathsf a = \sum_k\mathsf f_k,\ \mathsf b = \frac{\partial f}{\partial\Phi} \in\mathbb R^{6n}"
    inputs = MUSCLE
    result = Result(SPATIAL_DAMPING, ON_BODIES_OF_PATH)

    def printed(E, x, phi, *parameters):
        F = tension(*parameters)
        return np.outer(in_blocks(E, x), twist_derivative(lambda z: F(length(E, x), rate(E, x, z)), phi))

    def library(E, x, phi, *parameters):
        return path_wrenches(muscle(*parameters), E, x, phi).D

    def reference(E, x, phi, *parameters):
        """Compare with the complex step of the statics of a muscle through three moving points, along the twists."""
        return twist_derivative(lambda z: muscle_wrenches(E, x, z, *parameters), phi)

    remark = "So it has rank one: a muscle damps nothing but its own lengthening."
    implements = EXACT
