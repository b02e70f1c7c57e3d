"""Sueda 1.9.5: muscles through several points, each on its own body. The oracle: statics, complex steps.

Three points are used, so that the middle body belongs to two segments.
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
    body_points,
    body_poses,
    body_twists,
    has_constant_rate,
    path_of_constant_rate,
    rotations_and_span,
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
    chapter="multi-point-muscles",
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


PATH = {"E": body_poses(3), "x": body_points(3)}
MUSCLE = {**PATH, "phi": body_twists(3), **PARAMETERS}
AT_REST = np.zeros((3, 6))


def spans(E, x):
    X = point_positions(E, x)
    return [X[1] - X[0], X[2] - X[1]]


def transposed_jacobians(E, x):
    """Return Gamma_k^T R_k^T for the three bodies."""
    return [Gamma(x[k]).T @ E[k, :3, :3].T for k in range(3)]


def point_jacobians(E, x):
    """Return R_k Gamma_k for the three bodies."""
    return [E[k, :3, :3] @ Gamma(x[k]) for k in range(3)]


def unit_wrenches_printed(E, x):
    """Return the sum of the f_k, each in its two block locations of one long vector."""
    dx1, dx2 = spans(E, x)
    J1_T, J2_T, J3_T = transposed_jacobians(E, x)
    zero = np.zeros(6)
    f1 = np.concatenate([J1_T @ dx1, -J2_T @ dx1, zero]) / np.linalg.norm(dx1)
    f2 = np.concatenate([zero, J2_T @ dx2, -J3_T @ dx2]) / np.linalg.norm(dx2)
    return f1 + f2


def last_segment_wrenches(E, x):
    """Return the wrenches on bodies 2 and 3 of a tension in the second segment equal to its length."""
    return wrenches(lambda L, Ldot: L, E[1:], x[1:], AT_REST[1:])


def unit_stiffness_library(E, x):
    return path_wrenches(ConstantTension(1.0), E[1:], x[1:], np.zeros((2, 6))).K


def direction_part_library(E, x):
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
    result = Result(vector_quantity((LENGTH, 1), (NUMBER, 1)), "in meters, then normalized")

    def printed(E, x, phi, f_opt, a, l_opt, v_max, l_T):
        dx1, dx2 = spans(E, x)
        l_MT = np.linalg.norm(dx1) + np.linalg.norm(dx2)
        return np.array([1.0 * l_MT, (l_MT - l_T) / l_opt])

    def library(E, x, phi, f_opt, a, l_opt, v_max, l_T):
        L = body_path_length(E, x, phi).L
        return np.array([L, Muscle(f_opt, l_opt, v_max, l_T, a).normalized_length(L)])

    def reference(E, x, phi, f_opt, a, l_opt, v_max, l_T):
        """Compare with distances by scipy, in meters and in optimal lengths beside the tendon."""
        X = point_positions(E, x)
        L = euclidean(X[0], X[1]) + euclidean(X[1], X[2])
        return np.array([L, L / l_opt - l_T / l_opt])

    implements = LENGTHS


@section.holds("e1.58", "Rate of lengthening of a muscle through n points")
class e1_58:
    page_2019 = Page(13)
    page_2021 = Page(18, "(1.74), the sum; the normalized velocity is dropped")
    formula = r"v = \sum_{k=1}^{n-1}\frac{\Delta\mathbf x_k^T}{\|\Delta\mathbf x_k\|}\Delta\dot{\mathbf x}_k,\qquad \tilde v = \frac{v}{l_{opt}v_{max}}"
    inputs = MUSCLE
    result = Result(vector_quantity((VELOCITY, 1), (NUMBER, 1)), "in meters per second, then normalized")

    def printed(E, x, phi, f_opt, a, l_opt, v_max, l_T):
        dx1, dx2 = spans(E, x)
        X1, X2, X3 = (J @ twist for J, twist in zip(point_jacobians(E, x), phi, strict=True))
        v = dx1 / np.linalg.norm(dx1) @ (X2 - X1) + dx2 / np.linalg.norm(dx2) @ (X3 - X2)
        return np.array([1.0 * v, v / (l_opt * v_max)])

    def library(E, x, phi, f_opt, a, l_opt, v_max, l_T):
        Ldot = body_path_length(E, x, phi).Ldot
        return np.array([Ldot, Muscle(f_opt, l_opt, v_max, l_T, a).normalized_velocity(Ldot)])

    def reference(E, x, phi, f_opt, a, l_opt, v_max, l_T):
        """Compare with the derivatives of the length and of the normalized length along the motion, by complex steps."""
        rates = (
            pose_derivative(lambda poses: np.array([length(poses, x), (length(poses, x) - l_T) / l_opt]), E)
            @ phi.ravel()
        )
        return rates / [1, v_max]

    implements = LENGTHS


@section.definition("e1.59", "Tension of a muscle through n points")
class e1_59:
    page_2019 = Page(13)
    page_2021 = DROPPED
    formula = r"f = f_{opt}\bigl(a f_L(\tilde l) f_V(\tilde v) + f_P(\tilde l)\bigr)"
    inputs = LAW
    result = Result(FORCE)
    defines = ("f",)
    printed = law_printed
    library = law_library
    reference = law_reference
    tolerance = 1e-08
    tolerance_reason = "the printed coefficients of the passive curve have fifteen digits"
    implements = Muscle


@section.holds("e1.60", "Wrenches of a muscle through n points")
class e1_60:
    page_2019 = Page(13)
    page_2021 = Page(18)
    formula = r"\mathsf f = f\sum_{k=1}^{n-1}\mathsf f_k,\qquad \mathsf f_k = \frac{1}{\|\Delta\mathbf x_k\|}\begin{pmatrix}\Gamma_k^TR_k^T\Delta\mathbf x_k\\ -\Gamma_{k+1}^TR_{k+1}^T\Delta\mathbf x_k\end{pmatrix}"
    inputs = MUSCLE
    result = Result(WRENCH, ON_BODIES_OF_PATH)

    def printed(E, x, phi, *parameters):
        f = tension(*parameters)(length(E, x), rate(E, x, phi))
        return f * unit_wrenches_printed(E, x)

    def library(E, x, phi, *parameters):
        return path_wrenches(muscle(*parameters), E, x, phi).w.ravel()

    oracle = "Compare with statics: the same tension in all segments, as moments and forces in body axes."
    reference = muscle_wrenches
    remark = r"Each $\mathsf f_k$ occupies the rows of bodies $k$ and $k+1$."
    implements = EXACT


@section.holds("t524", "The tension is the same in every segment")
class t524:
    page_2019 = Page(14)
    page_2021 = Page(18)
    formula = r"\text{`the same for all the segments'}:\quad f \text{ draws each end into its segment}"
    inputs = MUSCLE
    result = Result(FORCE, "at either end of the path")

    def printed(E, x, phi, *parameters):
        """Return the tension at the two ends, each of which belongs to one segment."""
        return tension(*parameters)(length(E, x), rate(E, x, phi)) * np.ones(2)

    def library(E, x, phi, *parameters):
        w, X = path_wrenches(muscle(*parameters), E, x, phi).w, se3.transform_points(E, x)
        products = (X[1] - X[0]) @ E[0, :3, :3] @ w[0, 3:], (X[1] - X[2]) @ E[2, :3, :3] @ w[2, 3:]
        return np.array(products) / np.linalg.norm(np.diff(X, axis=0), axis=1)

    def reference(E, x, phi, *parameters):
        """Compare with statics: minus the power of the force on each end at unit speed out of its segment."""
        forces = muscle_wrenches(E, x, phi, *parameters).reshape(3, 2, 3)[:, 1]
        X = point_positions(E, x)
        ends = [(0, (X[0] - X[1]) / euclidean(X[0], X[1])), (2, (X[2] - X[1]) / euclidean(X[2], X[1]))]
        return np.array([-(E[k, :3, :3] @ forces[k]) @ outwards for k, outwards in ends])

    remark = (
        r"Each $\mathsf f_k$ is therefore the wrench of a unit tension. At an intermediate point the "
        "forces of two segments act at an angle."
    )
    implements = EXACT


@section.holds("d1", "Stiffness of a unit tension in one segment, in two parts")
class d1:
    page_2019 = Page(14)
    page_2021 = Page(19)
    formula = "K_k = K_{k1} + K_{k2}"
    inputs = PATH
    result = Result(matrix_quantity(WRENCH / FORCE, SCREW), ON_BODIES_OF_PATH)

    def printed(E, x):
        """Return K_k for the second segment, with its two parts by complex steps."""
        pair, ends = E[1:], x[1:]
        K_k1 = np.outer(
            last_segment_wrenches(E, x), pose_derivative(lambda poses: 1 / length(poses, ends), pair)
        )
        K_k2 = (
            1
            / length(pair, ends)
            * pose_derivative(lambda poses: wrenches(lambda L, Ldot: L, poses, ends, AT_REST[1:]), pair)
        )
        return K_k1 + K_k2

    library = unit_stiffness_library

    def reference(E, x):
        """Compare with the complex step of the statics of a unit tension, along body-frame increments."""
        return pose_derivative(lambda poses: wrenches(lambda L, Ldot: 1.0, poses, x[1:], AT_REST[1:]), E[1:])

    remark = (
        r"$K_{k1}$ is the derivative of $1/\|\Delta\mathbf x_k\|$ and $K_{k2}$ that of the vector, both "
        r"as $+\partial/\partial E$. With $K_{k2}$ as printed in (1.62), the sum would have to be "
        "$K_{k1} - K_{k2}$."
    )
    implements = (path_wrenches, ConstantTension)


@section.misprint("d2", "First part of the stiffness of a unit tension: derivative of the length")
class d2:
    page_2019 = Page(14)
    page_2021 = Page(
        19,
        r"(1.77), with $\Delta\mathbf x_k$; but there $\mathbf d_k = -\Delta\mathbf x_k/l_k^3$, whose sign is wrong",
        fixed=True,
    )
    formula = r"K_{k1} = \begin{pmatrix}\Gamma_k^TR_k^T\Delta\mathbf x\\ -\Gamma_{k+1}^TR_{k+1}^T\Delta\mathbf x\end{pmatrix}\begin{pmatrix}\mathbf d^TR_k\Gamma_k & -\mathbf d^TR_{k+1}\Gamma_{k+1}\end{pmatrix},\qquad \mathbf d = \frac{\Delta\mathbf x_k}{\|\Delta\mathbf x_k\|^3}"
    edits = (
        ("^T\\Delta\\mathbf x\\\\", "^T\\Delta\\mathbf x_k\\\\"),
        (r"^T\Delta\mathbf x\end", r"^T\Delta\mathbf x_k\end"),
    )
    inputs = PATH
    result = Result(matrix_quantity(WRENCH / FORCE, SCREW), ON_BODIES_OF_PATH)

    def printed(E, x):
        """Return K_k1 for the second segment, with the dx of 1.9.3 from the first point to the second."""
        dx1, dx2 = spans(E, x)
        dx = dx1
        _, J2_T, J3_T = transposed_jacobians(E, x)
        _, R2G2, R3G3 = point_jacobians(E, x)
        d = dx2 / np.linalg.norm(dx2) ** 3
        return np.outer(np.concatenate([J2_T @ dx, -J3_T @ dx]), np.concatenate([d @ R2G2, -d @ R3G3]))

    def library(E, x):
        return unit_stiffness_library(E, x) - direction_part_library(E, x)

    def reference(E, x):
        """Compare with the complex step of the inverse length, times the statics."""
        return np.outer(
            last_segment_wrenches(E, x), pose_derivative(lambda poses: 1 / length(poses, x[1:]), E[1:])
        )

    correction = r"$\Delta\mathbf x_k$ instead of $\Delta\mathbf x$"
    remark = (
        r"With the $\Delta\mathbf x = {}^0\mathbf x_2 - {}^0\mathbf x_1$ of 1.9.3, the formula is wrong "
        r"in every segment but the first. The sign is that of $+\partial/\partial E$."
    )
    implements = (path_wrenches, ConstantTension)


@section.erratum("e1.62", "Second part of the stiffness of a unit tension: derivative of the direction")
class e1_62:
    page_2019 = Page(14)
    page_2021 = Page(19)
    formula = r"K_{k2} = \frac{1}{\|\Delta\mathbf x_k\|}\begin{pmatrix}[\mathbf x_k][R_k^T(\mathbf p_k - \mathbf x_{k+1})] & [\mathbf x_k] & [\mathbf x_k]R_k^TR_{k+1}[\mathbf x_{k+1}] & -[\mathbf x_k]R_k^TR_{k+1}\\[R_k^T(\mathbf p_k - \mathbf x_{k+1})] & I & R_k^TR_{k+1}[\mathbf x_{k+1}] & -R_k^TR_{k+1}\\[\mathbf x_{k+1}]R_{k+1}^TR_k[\mathbf x_k] & -[\mathbf x_{k+1}]R_{k+1}^TR_k & [\mathbf x_{k+1}][R_{k+1}^T(\mathbf p_{k+1} - \mathbf x_k)] & [\mathbf x_{k+1}]\\R_{k+1}^TR_k[\mathbf x_k] & -R_{k+1}^TR_k & [R_{k+1}^T(\mathbf p_{k+1} - \mathbf x_k)] & I\end{pmatrix}"
    edit = (r"K_{k2} = \frac", r"K_{k2} = -\frac")
    inputs = PATH
    result = Result(matrix_quantity(WRENCH / FORCE, SCREW), ON_BODIES_OF_PATH)

    def printed(E, x):
        return stiffness_printed(E[1:], x[1:], 1 / np.linalg.norm(rotations_and_span(E[1:], x[1:])[-1]))

    library = direction_part_library

    def reference(E, x):
        """Compare with complex steps of the statics of a tension equal to the length."""
        pair, ends = E[1:], x[1:]
        return pose_derivative(
            lambda poses: wrenches(lambda L, Ldot: L, poses, ends, AT_REST[1:]), pair
        ) / length(pair, ends)

    combined_with = ("sueda/s1.9.5/e1.61", "sueda/s1.9.5/d2")
    correction = (
        r"a minus sign in front of the matrix, $-\dfrac{1}{\|\Delta\mathbf x_k\|}$ instead of "
        r"$\dfrac{1}{\|\Delta\mathbf x_k\|}$"
    )
    remark = (
        "The matrix has the sign of (1.37); (1.61) and $K_{k1}$ have the opposite one. (The conversion of the "
        "text dropped the leading superscripts, which distinguish points in body coordinates from those in "
        "world coordinates, as in (1.37).)"
    )
    implements = zero_length_spring


# ------------------------------------------------------------------------------------------------------------
# Derivatives of the wrenches of a muscle through several points.


MUSCLE_OF_CONSTANT_RATE = {**path_of_constant_rate(3), **PARAMETERS}


def unit_wrenches(E, x):
    """Return the sum of the f_k: statics of a unit tension."""
    return wrenches(lambda L, Ldot: 1.0, E, x, AT_REST)


@section.misprint("e1.61", "Stiffness of a muscle through n points, by the product rule")
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
        """Evaluate (1.61) with its derivatives by complex steps."""
        F = tension(*parameters)
        gradient = pose_derivative(lambda poses: F(length(poses, x), rate(poses, x, phi)), E)
        K = pose_derivative(lambda poses: unit_wrenches(poses, x), E)
        return np.outer(gradient, unit_wrenches(E, x)) + F(length(E, x), rate(E, x, phi)) * K

    def library(E, x, phi, *parameters):
        return path_wrenches(muscle(*parameters), E, x, phi).K

    def reference(E, x, phi, *parameters):
        """Compare with complex steps of the statics of a muscle through three points, along body-frame increments."""
        return pose_derivative(lambda poses: muscle_wrenches(poses, x, phi, *parameters), E)

    correction = (
        r"$K = \bigl(\sum\mathsf f_k\bigr)\dfrac{\partial f}{\partial E} + f\sum K_k$: column times row"
    )
    remark = (
        r"The text calls the first product an outer product with $\partial f/\partial E$ on the left. In "
        "that order the matrix is transposed, which matters if the bodies move."
    )
    implements = EXACT


@section.holds("t538", "The first term of the stiffness is an outer product")
class t538:
    page_2019 = Page(14)
    page_2021 = Page(19)
    formula = r"K - f\sum_k K_k = \mathsf a\,\mathsf b^T,\quad \mathsf a,\mathsf b\in\mathbb R^{6n},\quad \text{`each summand contributing to two block locations'}"
    inputs = MUSCLE
    result = Result(SPATIAL_STIFFNESS, ON_BODIES_OF_PATH)

    def printed(E, x, phi, *parameters):
        F = tension(*parameters)
        gradient = pose_derivative(lambda poses: F(length(poses, x), rate(poses, x, phi)), E)
        return np.outer(unit_wrenches(E, x), gradient)

    def library(E, x, phi, *parameters):
        forces = path_wrenches(muscle(*parameters), E, x, phi)
        L, Ldot, _, _ = body_path_length(E, x, phi)
        return forces.K - muscle(*parameters)(L, Ldot).F * path_wrenches(ConstantTension(1.0), E, x, phi).K

    def reference(E, x, phi, *parameters):
        """Compare with complex steps of the statics of the muscle, minus those at a constant tension."""
        F = tension(*parameters)(length(E, x), rate(E, x, phi))
        at_constant_tension = pose_derivative(lambda poses: wrenches(lambda L, Ldot: F, poses, x, phi), E)
        return (
            pose_derivative(lambda poses: muscle_wrenches(poses, x, phi, *parameters), E)
            - at_constant_tension
        )

    tolerance = 1e-08
    remark = (
        "The product is column times row, see (1.61). The record of (1.60) checks which blocks each "
        "summand fills."
    )
    implements = EXACT


@section.conditional("e1.63", "Derivative of the tension with respect to the poses")
class e1_63:
    page_2019 = Page(14)
    page_2021 = Page(19, r"(1.79), with the change of $\dot l_k$", fixed=True)
    formula = r"\frac{\partial f}{\partial E} = \sum_{k=1}^{n-1}\begin{pmatrix}\mathbf d^TR_k\Gamma_k & -\mathbf d^TR_{k+1}\Gamma_{k+1}\end{pmatrix},\qquad \mathbf d = \frac{-f_{opt}(a f_L' f_V + f_P')}{l_{opt}}\frac{\Delta\mathbf x_k}{\|\Delta\mathbf x_k\|}"
    inputs = MUSCLE
    result = Result(WRENCH / LENGTH, "over the motions of the bodies, each in its frame")

    def printed(E, x, phi, f_opt, a, l_opt, v_max, l_T):
        dx1, dx2 = spans(E, x)
        R1G1, R2G2, R3G3 = point_jacobians(E, x)
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
        return pose_derivative(lambda poses: tension(*parameters)(length(poses, x), rate(poses, x, phi)), E)

    condition_inputs = MUSCLE_OF_CONSTANT_RATE
    holds_when = has_constant_rate
    condition = (
        r"the ends move along their segments and the points between are at rest (or the tension does not "
        r"depend on $\tilde v$)"
    )
    correction = r"add $\dfrac{f_{opt}\,a f_L f_V'}{l_{opt}v_{max}}\dfrac{\partial v}{\partial E}$"
    remark = (
        "At constant twists, a change of pose rotates the segments and the velocities of their points, "
        "so $v$ changes."
    )
    implements = LENGTHS


@section.erratum("d3", "Damping matrix of a muscle through n points, as (1.30) uses it")
class d3:
    page_2019 = Page(14)
    page_2021 = Page(
        20,
        r"(1.80) for $\mathsf D = d\mathsf f/d\dot{\mathsf q}$, which (3.65) takes with the right sign; the row still stands before the column",
        fixed=True,
    )
    formula = r"D = \frac{\partial f}{\partial\Phi}\sum_{k=1}^{n-1}f_k"
    edit = (
        r"\frac{\partial f}{\partial\Phi}\sum_{k=1}^{n-1}f_k",
        r"-\Bigl(\sum_{k=1}^{n-1}f_k\Bigr)\frac{\partial f}{\partial\Phi}",
    )
    inputs = MUSCLE
    result = Result(SPATIAL_DAMPING, ON_BODIES_OF_PATH)

    def printed(E, x, phi, *parameters):
        """Evaluate D with the derivative of the tension by complex steps."""
        F = tension(*parameters)
        return np.outer(unit_wrenches(E, x), twist_derivative(lambda z: F(length(E, x), rate(E, x, z)), phi))

    def library(E, x, phi, *parameters):
        return -path_wrenches(muscle(*parameters), E, x, phi).D

    def reference(E, x, phi, *parameters):
        """Compare with minus complex steps of the statics of a muscle through three points, along the twists."""
        return -twist_derivative(lambda z: muscle_wrenches(E, x, z, *parameters), phi)

    combined_with = ("sueda/s1.9/e1.30", "sueda/s1.9.1/t377")
    correction = r"$D = -\bigl(\sum\mathsf f_k\bigr)\,\dfrac{\partial f}{\partial\Phi}$, or $-hD$ in (1.30)"
    remark = (
        r"(1.30) has $+hD$ on the left and 1.9.1 puts $D = dI$ there for a damper, so its $D$ is "
        r"$-\partial\mathsf f/\partial\Phi$. The product is column times row."
    )
    implements = EXACT


@section.holds("e1.64", "Derivative of the tension with respect to the twists")
class e1_64:
    page_2019 = Page(14)
    page_2021 = Page(20, r"(1.80), for any law $f(l, \dot l)$, with a factor $1/l_k$ too many")
    formula = r"\frac{\partial f}{\partial\Phi} = \sum_{k=1}^{n-1}\begin{pmatrix}\mathbf d^TR_k\Gamma_k & -\mathbf d^TR_{k+1}\Gamma_{k+1}\end{pmatrix},\qquad \mathbf d = \frac{-f_{opt}(a f_L f_V')}{l_{opt}v_{max}}\frac{\Delta\mathbf x_k}{\|\Delta\mathbf x_k\|}"
    inputs = MUSCLE
    result = Result(WRENCH / VELOCITY, "over the motions of the bodies, each in its frame")

    def printed(E, x, phi, f_opt, a, l_opt, v_max, l_T):
        dx1, dx2 = spans(E, x)
        R1G1, R2G2, R3G3 = point_jacobians(E, x)
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

    remark = "The formula has $f_L$ where the converted text of (1.56) has $f_L'$."
    implements = LENGTHS


@section.holds("t542", "The damping matrix of a muscle through n points is an outer product")
class t542:
    page_2019 = Page(14)
    page_2021 = Page(20)
    formula = r"\frac{\partial\mathsf f}{\partial\Phi} = \mathsf a\,\mathsf b^T,\quad \mathsf a = \sum_k\mathsf f_k,\ \mathsf b = \frac{\partial f}{\partial\Phi} \in\mathbb R^{6n}"
    inputs = MUSCLE
    result = Result(SPATIAL_DAMPING, ON_BODIES_OF_PATH)

    def printed(E, x, phi, *parameters):
        F = tension(*parameters)
        return np.outer(
            unit_wrenches_printed(E, x), twist_derivative(lambda z: F(length(E, x), rate(E, x, z)), phi)
        )

    def library(E, x, phi, *parameters):
        return path_wrenches(muscle(*parameters), E, x, phi).D

    def reference(E, x, phi, *parameters):
        """Compare with complex steps of the statics of a muscle through three points, along the twists."""
        return twist_derivative(lambda z: muscle_wrenches(E, x, z, *parameters), phi)

    remark = "The matrix has rank one: a muscle damps only its own lengthening."
    implements = EXACT
