"""Lloyd 0.19: what attachments do to mass and fictitious forces. Twists are linear part first here."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from rbnotes.attachments import null_space_reduction, point_on_body
from rbnotes.dynamics import StepProblem
from rbnotes.ledger.oracles.bodies import bracket, motion
from rbnotes.ledger.oracles.constrained_systems import energy_matrix
from rbnotes.ledger.quantities import (
    ACCELERATION,
    LINEAR_FIRST_TWIST,
    LINEAR_FIRST_WRENCH,
    TIME,
    VELOCITY,
    matrix_quantity,
)
from rbnotes.ledger.record import Verdict, claim
from rbnotes.testing import derivative
from rbnotes.testing.strategies import arrays, positive_numbers, rotations, vectors

CHAPTER = "attachments"
cross = np.cross
POINT = {"R": rotations(), "c": vectors()}
MOVING = {**POINT, "v": vectors(), "w": vectors()}
ACCELERATED = {**MOVING, "vdot": vectors(), "wdot": vectors()}
HEAVY = {**POINT, "m": positive_numbers()}
BODY = {**HEAVY, "M": arrays(6, 6).map(lambda S: S @ S.T / 6 + np.eye(6))}
FORCED = {"c": vectors(), "a": vectors(), "w": vectors(), "wdot": vectors(), "m": positive_numbers()}
POINT_ON_BODY = ("rbnotes.attachments.point_on_body",)
REDUCE = ("rbnotes.attachments.point_on_body", "rbnotes.attachments.NullSpaceReduction.reduce")
BY_DIFFERENCES = "the acceleration of a point of a body with changing twist, by differences"


QUANTITIES = {"M": matrix_quantity(LINEAR_FIRST_WRENCH * TIME, LINEAR_FIRST_TWIST), "a": ACCELERATION}


def swapped(vector):
    """Angular part first, or back."""
    return np.concatenate([vector[3:], vector[:3]])


def attached(R, c, v=None, w=None):
    E = np.eye(4)
    E[:3, :3] = R
    return point_on_body(1, 0, E, c, None if v is None else np.concatenate([w, v]))


def point_velocity(R, c, v, w):
    """Of a point of a body that turns about an axis while its origin flies, by differences of its place."""
    E = np.eye(4)
    E[:3, :3] = R
    moving = motion(E, np.concatenate([w, v]))
    return derivative(lambda t: moving(t)[:3, :3] @ c + moving(t)[:3, 3]).value


def point_acceleration(R, c, v, w, vdot, wdot):
    """By differences of the point's velocity, as the body changes its twist at a constant rate."""

    def velocity(t):
        # The rotation reaches the angular velocity w + t wdot to first order in t.
        turned = R @ Rotation.from_rotvec(t * w + t**2 / 2 * wdot).as_matrix()
        twist_v, twist_w = v + t * vdot, w + t * wdot
        return turned @ (twist_v + cross(twist_w, c))

    return derivative(velocity).value


def rows_reference(R, c):
    """The opposite of the velocities that unit twists give the point."""
    still = np.zeros(3)
    columns = [point_velocity(R, c, unit, still) for unit in np.eye(3)]
    columns += [point_velocity(R, c, still, unit) for unit in np.eye(3)]
    return -np.stack(columns, axis=1)


def inertia_library(R, c, m, M):
    order = [3, 4, 5, 0, 1, 2]
    both = np.zeros((9, 9))
    both[:6, :6], both[6:, 6:] = M[np.ix_(order, order)], m * np.eye(3)
    space = null_space_reduction((6, 3), (attached(R, c),))
    return space.reduce(StepProblem(both, np.zeros(9))).mass[np.ix_(order, order)]


def inertia_reference(R, c, m, M):
    follows = -rows_reference(R, c)

    def velocities(twist):
        return np.concatenate([twist, follows @ twist])

    both = np.zeros((9, 9))
    both[:6, :6], both[6:, 6:] = M, m * np.eye(3)
    return energy_matrix(both, velocities, 6)


def acceleration_library(R, c, v, w, vdot, wdot):
    point = attached(R, c, v, w)
    return point.blocks[0] @ np.concatenate((wdot, vdot)) + point.bias


@claim("lloyd/s0.19/e0.36", "Velocity of a particle attached to a body")
class e0_36:
    formula = r"\mathbf v_p = \mathbf R_{BW}\mathbf v - \mathbf R_{BW}\,\mathbf c\times\boldsymbol\omega"
    inputs = MOVING
    result = VELOCITY

    def printed(R, c, v, w):
        return R @ v - R @ cross(c, w)

    def library(R, c, v, w):
        point = attached(R, c)
        return point.blocks[0] @ np.concatenate([w, v]) + point.bias

    oracle = "differences of the particle's place while the body turns about an axis and its origin flies"
    reference = point_velocity
    verdict = Verdict.HOLDS
    implemented_by = POINT_ON_BODY
    chapter = CHAPTER


@claim("lloyd/s0.19/d1", "Its attachment as a constraint")
class d1:
    formula = (
        r"\mathbf G_{\beta\alpha} = \begin{pmatrix} -\mathbf R_{BW} & \mathbf R_{BW}[\mathbf c] \end{pmatrix}"
    )
    inputs = POINT
    result = matrix_quantity(VELOCITY, LINEAR_FIRST_TWIST)

    def printed(R, c):
        return np.hstack([-R, R @ bracket(c)])

    def library(R, c):
        space = null_space_reduction((6, 3), (attached(R, c),))
        units = np.eye(6)[[3, 4, 5, 0, 1, 2]]
        return -np.stack([space.expand_velocities(unit)[6:] for unit in units], axis=1)

    oracle = "differences of the particle's place for each unit twist of the body"
    reference = rows_reference
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.attachments.NullSpaceReduction.expand_velocities",)
    chapter = CHAPTER


@claim("lloyd/s0.19/d2#a", "Effective inertia of the body, by (0.21)")
class d2_a:
    formula = r"\mathbf M' = \mathbf M + m\,\mathbf G_{\beta\alpha}^T\mathbf G_{\beta\alpha}"
    inputs = BODY
    result = matrix_quantity(LINEAR_FIRST_WRENCH * TIME, LINEAR_FIRST_TWIST)

    def printed(R, c, m, M):
        G = np.hstack((-R, R @ bracket(c)))
        return M + m * (G.T @ G)

    library = inertia_library

    oracle = "the kinetic energy of body and particle, the particle's velocity by differences"
    reference = inertia_reference
    verdict = Verdict.HOLDS
    implemented_by = REDUCE
    chapter = CHAPTER


@claim("lloyd/s0.19/d2#b", "Effective inertia of the body, with the inertia of a point mass")
class d2_b:
    formula = (
        r"\mathbf M' = \mathbf M + \begin{pmatrix}"
        r" m\mathbf I & -m[\mathbf c] \\"
        r" m[\mathbf c] & -m[\mathbf c][\mathbf c] \end{pmatrix}"
    )
    inputs = BODY
    result = matrix_quantity(LINEAR_FIRST_WRENCH * TIME, LINEAR_FIRST_TWIST)

    def printed(R, c, m, M):
        I = np.eye(3)
        return M + np.block([[m * I, -m * bracket(c)], [m * bracket(c), -m * bracket(c) @ bracket(c)]])

    library = inertia_library

    oracle = "the kinetic energy of body and particle, the particle's velocity by differences"
    reference = inertia_reference
    equivalent_mutants = {
        "swapped operands in `-m * bracket(c) @ bracket(c)`": "both factors are the same matrix"
    }
    verdict = Verdict.HOLDS
    implemented_by = REDUCE
    chapter = CHAPTER


@claim("lloyd/s0.19/d3", "Newton and Euler for the point mass")
class d3:
    formula = (
        r"\begin{pmatrix} m\mathbf I & -m[\mathbf c] \\ m[\mathbf c] & -m[\mathbf c][\mathbf c] \end{pmatrix}"
        r" \begin{pmatrix} \mathbf a \\ \dot{\boldsymbol\omega} \end{pmatrix}"
        r" = \begin{pmatrix} \mathbf f \\ \boldsymbol\tau \end{pmatrix}"
        r" + \begin{pmatrix} -m\,\boldsymbol\omega\times\boldsymbol\omega\times\mathbf c \\"
        r" m\,\boldsymbol\omega\times\mathbf c\times\mathbf c\times\boldsymbol\omega \end{pmatrix}"
    )
    inputs = FORCED
    result = LINEAR_FIRST_WRENCH

    def printed(c, a, w, wdot, m):
        """Force and moment on the particle, in body coordinates."""
        I = np.eye(3)
        matrix = np.block([[m * I, -m * bracket(c)], [m * bracket(c), -m * bracket(c) @ bracket(c)]])
        fictitious = np.concatenate((-m * cross(w, cross(w, c)), m * cross(w, cross(c, cross(c, w)))))
        return matrix @ np.concatenate((a, wdot)) - fictitious

    def library(c, a, w, wdot, m):
        """The body's origin is at rest for an instant, so that a is the rate of v."""
        point = attached(np.eye(3), c, np.zeros(3), w)
        masses = np.zeros((9, 9))
        masses[6:, 6:] = m * np.eye(3)
        small = null_space_reduction((6, 3), (point,)).reduce(StepProblem(masses, np.zeros(9)))
        return swapped(small.mass @ np.concatenate((wdot, a)) - small.momentum)

    oracle = (
        "Newton's law for the particle, its acceleration by differences, and the moment of the force on it"
    )

    def reference(c, a, w, wdot, m):
        """Newton's law for the particle, with its acceleration by differences, and the moment of that force."""
        force = m * point_acceleration(np.eye(3), c, np.zeros(3), w, a, wdot)
        return np.concatenate([force, cross(c, force)])

    equivalent_mutants = {
        "swapped operands in `-m * bracket(c) @ bracket(c)`": "both factors are the same matrix"
    }
    verdict = Verdict.HOLDS
    remark = "Products are taken from right to left."
    implemented_by = REDUCE
    chapter = CHAPTER


@claim("lloyd/s0.19/t900#a", "Acceleration of the body's origin, seen from the body")
class t900_a:
    formula = r"\mathbf a = \mathbf R_{WB}\,{}^W\dot{\mathbf v} = \dot{\mathbf v} + \boldsymbol\omega\times\mathbf v"
    inputs = {"R": rotations(), "v": vectors(), "w": vectors(), "vdot": vectors()}
    result = ACCELERATION

    def printed(R, v, w, vdot):
        return vdot + cross(w, v)

    def library(R, v, w, vdot):
        """The acceleration of the origin as that of a point at rest in the body, seen from the body."""
        point = attached(R, np.zeros(3), v, w)
        return R.T @ (point.blocks[0] @ np.concatenate((np.zeros(3), vdot)) + point.bias)

    oracle = "differences of the origin's velocity in the world"

    def reference(R, v, w, vdot):
        def velocity(t):
            return R @ Rotation.from_rotvec(t * w).as_matrix() @ (v + t * vdot)

        return R.T @ derivative(velocity).value

    verdict = Verdict.HOLDS
    implemented_by = POINT_ON_BODY
    chapter = CHAPTER


@claim("lloyd/s0.19/d4#a", "Acceleration of the particle, differentiated")
class d4_a:
    formula = (
        r"\dot{\mathbf v}_p = \mathbf R_{BW}\dot{\mathbf v} - \mathbf R_{BW}\,\mathbf c\times\dot{\boldsymbol\omega}"
        r" + \dot{\mathbf R}_{BW}\mathbf v - \dot{\mathbf R}_{BW}\,\mathbf c\times\boldsymbol\omega"
    )
    inputs = ACCELERATED
    result = ACCELERATION

    def printed(R, c, v, w, vdot, wdot):
        Rdot = R @ bracket(w)
        return R @ vdot - R @ cross(c, wdot) + Rdot @ v - Rdot @ cross(c, w)

    library = acceleration_library

    oracle = BY_DIFFERENCES
    reference = point_acceleration
    verdict = Verdict.HOLDS
    implemented_by = POINT_ON_BODY
    chapter = CHAPTER


@claim("lloyd/s0.19/d4#b", "Acceleration of the particle, with the rate of the rotation")
class d4_b:
    formula = (
        r"\dot{\mathbf v}_p = \mathbf R_{BW}\dot{\mathbf v} - \mathbf R_{BW}\,\mathbf c\times\dot{\boldsymbol\omega}"
        r" + \mathbf R_{BW}\,\boldsymbol\omega\times\mathbf v"
        r" - \mathbf R_{BW}\,\boldsymbol\omega\times\mathbf c\times\boldsymbol\omega"
    )
    inputs = ACCELERATED
    result = ACCELERATION

    def printed(R, c, v, w, vdot, wdot):
        return R @ vdot - R @ cross(c, wdot) + R @ cross(w, v) - R @ cross(w, cross(c, w))

    library = acceleration_library

    oracle = BY_DIFFERENCES
    reference = point_acceleration
    verdict = Verdict.HOLDS
    implemented_by = POINT_ON_BODY
    chapter = CHAPTER


@claim("lloyd/s0.19/d4#c", "Acceleration of the particle, by the constraint and its drift")
class d4_c:
    formula = (
        r"\dot{\mathbf v}_p = -\mathbf G_{\beta\alpha}(\mathbf a, \dot{\boldsymbol\omega})^T + \mathbf g_\beta,\quad"
        r"\mathbf g_\beta = \mathbf R_{BW}\,\boldsymbol\omega\times\boldsymbol\omega\times\mathbf c"
    )
    inputs = ACCELERATED
    result = ACCELERATION

    def printed(R, c, v, w, vdot, wdot):
        G = np.hstack([-R, R @ bracket(c)])
        a = vdot + cross(w, v)
        g = R @ cross(w, cross(w, c))
        return -G @ np.concatenate((a, wdot)) + g

    library = acceleration_library

    oracle = BY_DIFFERENCES
    reference = point_acceleration
    verdict = Verdict.HOLDS
    implemented_by = POINT_ON_BODY
    chapter = CHAPTER
