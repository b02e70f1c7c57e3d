"""Lloyd 0.19: effect of attachments on mass and fictitious forces. Twists have the linear part first here."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from rbnotes import so3
from rbnotes.attachments import NullSpaceReduction, null_space_reduction, point_on_body
from rbnotes.dynamics import StepProblem
from rbnotes.ledger.oracles.bodies import bracket, motion
from rbnotes.ledger.oracles.constrained_systems import energy_matrix
from rbnotes.ledger.quantities import (
    ACCELERATION,
    LENGTH,
    LINEAR_FIRST_TWIST,
    LINEAR_FIRST_WRENCH,
    MASS,
    NUMBER,
    RATE,
    TIME,
    VELOCITY,
    matrix_quantity,
)
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section
from rbnotes.testing import derivative
from rbnotes.testing.strategies import arrays, positive_numbers, rotations, vectors

ON_BODY_LINEAR_FIRST = "on the body, linear part first, along its axes"

section = Section(
    "lloyd/s0.19",
    chapter="attachments",
    arguments={
        "R": Argument(NUMBER, "of the body in the world"),
        "c": Argument(LENGTH, "of the point, in the frame of the body"),
        "v": Argument(VELOCITY, "of the origin of the body, along the axes of the body"),
        "w": Argument(RATE, "of the body, along its own axes"),
        "m": Argument(MASS),
        "M": Argument(
            matrix_quantity(LINEAR_FIRST_WRENCH * TIME, LINEAR_FIRST_TWIST),
            "of the body, about its origin and along its axes",
        ),
        "a": Argument(ACCELERATION, "of the origin of the body, along the axes of the body"),
        "wdot": Argument(NUMBER / TIME**2, "of the body, along its own axes"),
        "vdot": Argument(ACCELERATION, "of the origin of the body, along the axes of the body"),
        "b": Argument(LENGTH, "along the axes of the body"),
    },
)


cross = np.cross
POINT = {"R": rotations(), "c": vectors()}
MOVING_POINT = {**POINT, "v": vectors(), "w": vectors()}
ACCELERATED_POINT = {**MOVING_POINT, "vdot": vectors(), "wdot": vectors()}
PARTICLE = {**POINT, "m": positive_numbers()}
BODY = {**PARTICLE, "M": arrays(6, 6).map(lambda S: S @ S.T / 6 + np.eye(6))}
PARTICLE_FORCE = {"c": vectors(), "a": vectors(), "w": vectors(), "wdot": vectors(), "m": positive_numbers()}
REDUCE = (point_on_body, NullSpaceReduction.reduce)


def swap_parts(vector):
    """Exchange the linear and the angular part."""
    return np.concatenate([vector[3:], vector[:3]])


def body_point(R, c, v=None, w=None):
    E = np.eye(4)
    E[:3, :3] = R
    return point_on_body(1, 0, E, c, None if v is None else np.concatenate([w, v]))


def point_velocity(R, c, v, w):
    """Compare with differences of the particle's position while the body rotates and translates."""
    E = np.eye(4)
    E[:3, :3] = R
    pose = motion(E, np.concatenate([w, v]))
    return derivative(lambda t: pose(t)[:3, :3] @ c + pose(t)[:3, 3]).value


def point_acceleration(R, c, v, w, vdot, wdot):
    """Compare with differences of the velocity of a body point while the twist changes at a constant rate."""

    def velocity(t):
        # The rotation reaches the angular velocity w + t wdot to first order in t.
        rotation = R @ Rotation.from_rotvec(t * w + t**2 / 2 * wdot).as_matrix()
        twist_v, twist_w = v + t * vdot, w + t * wdot
        return rotation @ (twist_v + cross(twist_w, c))

    return derivative(velocity).value


def rows_reference(R, c):
    """Compare with differences of the particle's position for each unit twist of the body."""
    zero = np.zeros(3)
    columns = [point_velocity(R, c, unit, zero) for unit in np.eye(3)]
    columns += [point_velocity(R, c, zero, unit) for unit in np.eye(3)]
    return -np.stack(columns, axis=1)


def inertia_library(R, c, m, M):
    order = [3, 4, 5, 0, 1, 2]
    M_all = np.zeros((9, 9))
    M_all[:6, :6], M_all[6:, 6:] = M[np.ix_(order, order)], m * np.eye(3)
    space = null_space_reduction((6, 3), (body_point(R, c),))
    return space.reduce(StepProblem(M_all, np.zeros(9))).mass[np.ix_(order, order)]


def inertia_reference(R, c, m, M):
    """Compare with the kinetic energy of body and particle, with the particle's velocity by differences."""
    particle_velocity_map = -rows_reference(R, c)

    def velocities(twist):
        return np.concatenate([twist, particle_velocity_map @ twist])

    M_all = np.zeros((9, 9))
    M_all[:6, :6], M_all[6:, 6:] = M, m * np.eye(3)
    return energy_matrix(M_all, velocities, 6)


def acceleration_library(R, c, v, w, vdot, wdot):
    point = body_point(R, c, v, w)
    return point.blocks[0] @ np.concatenate((wdot, vdot)) + point.bias


@section.holds("e0.36", "Velocity of a particle attached to a body")
class e0_36:
    formula = r"\mathbf v_p = \mathbf R_{BW}\mathbf v - \mathbf R_{BW}\,\mathbf c\times\boldsymbol\omega"
    inputs = MOVING_POINT
    result = Result(VELOCITY, "along the axes of the world")

    def printed(R, c, v, w):
        return R @ v - R @ cross(c, w)

    def library(R, c, v, w):
        point = body_point(R, c)
        return point.blocks[0] @ np.concatenate([w, v]) + point.bias

    reference = point_velocity
    implements = point_on_body


@section.holds("d1", "Attachment of a particle to a body as a constraint")
class d1:
    formula = (
        r"\mathbf G_{\beta\alpha} = \begin{pmatrix} -\mathbf R_{BW} & \mathbf R_{BW}[\mathbf c] \end{pmatrix}"
    )
    inputs = POINT
    result = Result(
        matrix_quantity(VELOCITY, LINEAR_FIRST_TWIST),
        "in the world, by the motion of the body, linear part first, along its axes",
    )

    def printed(R, c):
        return np.hstack([-R, R @ bracket(c)])

    def library(R, c):
        space = null_space_reduction((6, 3), (body_point(R, c),))
        units = np.eye(6)[[3, 4, 5, 0, 1, 2]]
        return -np.stack([space.expand_velocities(unit)[6:] for unit in units], axis=1)

    reference = rows_reference
    implements = NullSpaceReduction.expand_velocities


@section.holds("d2#a", "Effective inertia of the body, by (0.21)")
class d2_a:
    formula = r"\mathbf M' = \mathbf M + m\,\mathbf G_{\beta\alpha}^T\mathbf G_{\beta\alpha}"
    inputs = BODY
    result = Result(
        matrix_quantity(LINEAR_FIRST_WRENCH * TIME, LINEAR_FIRST_TWIST),
        "about the origin of the body, linear part first, along its axes",
    )

    def printed(R, c, m, M):
        G = np.hstack((-R, R @ bracket(c)))
        return M + m * (G.T @ G)

    library = inertia_library

    reference = inertia_reference
    implements = REDUCE


@section.holds("d2#b", "Effective inertia of the body, with the inertia of a point mass")
class d2_b:
    formula = r"\mathbf M' = \mathbf M + \begin{pmatrix} m\mathbf I & -m[\mathbf c] \\ m[\mathbf c] & -m[\mathbf c][\mathbf c] \end{pmatrix}"
    inputs = BODY
    result = Result(
        matrix_quantity(LINEAR_FIRST_WRENCH * TIME, LINEAR_FIRST_TWIST),
        "about the origin of the body, linear part first, along its axes",
    )

    def printed(R, c, m, M):
        I = np.eye(3)
        return M + np.block([[m * I, -m * bracket(c)], [m * bracket(c), -m * bracket(c) @ bracket(c)]])

    library = inertia_library

    reference = inertia_reference
    implements = REDUCE


@section.holds("d3", "Newton-Euler equations of the point mass")
class d3:
    formula = r"\begin{pmatrix} m\mathbf I & -m[\mathbf c] \\ m[\mathbf c] & -m[\mathbf c][\mathbf c] \end{pmatrix} \begin{pmatrix} \mathbf a \\ \dot{\boldsymbol\omega} \end{pmatrix} = \begin{pmatrix} \mathbf f \\ \boldsymbol\tau \end{pmatrix} + \begin{pmatrix} -m\,\boldsymbol\omega\times\boldsymbol\omega\times\mathbf c \\ m\,\boldsymbol\omega\times\mathbf c\times\mathbf c\times\boldsymbol\omega \end{pmatrix}"
    inputs = PARTICLE_FORCE
    result = Result(LINEAR_FIRST_WRENCH, ON_BODY_LINEAR_FIRST)

    def printed(c, a, w, wdot, m):
        """Return the force and moment on the particle, in body coordinates."""
        I = np.eye(3)
        matrix = np.block([[m * I, -m * bracket(c)], [m * bracket(c), -m * bracket(c) @ bracket(c)]])
        fictitious = np.concatenate((-m * cross(w, cross(w, c)), m * cross(w, cross(c, cross(c, w)))))
        return matrix @ np.concatenate((a, wdot)) - fictitious

    def library(c, a, w, wdot, m):
        """Evaluate with the body's origin momentarily at rest, so that a is the derivative of v."""
        point = body_point(np.eye(3), c, np.zeros(3), w)
        masses = np.zeros((9, 9))
        masses[6:, 6:] = m * np.eye(3)
        small = null_space_reduction((6, 3), (point,)).reduce(StepProblem(masses, np.zeros(9)))
        return swap_parts(small.mass @ np.concatenate((wdot, a)) - small.momentum)

    def reference(c, a, w, wdot, m):
        """Apply Newton's law to the particle, with its acceleration by differences.

        The moment is that of the force about the origin of the body.
        """
        force = m * point_acceleration(np.eye(3), c, np.zeros(3), w, a, wdot)
        return np.concatenate([force, cross(c, force)])

    remark = "The cross products are evaluated from right to left."
    implements = REDUCE


@section.holds("t900#a", "Acceleration of the body's origin, in body coordinates")
class t900_a:
    formula = r"\mathbf a = \mathbf R_{WB}\,{}^W\dot{\mathbf v} = \dot{\mathbf v} + \boldsymbol\omega\times\mathbf v"
    inputs = {"R": rotations(), "v": vectors(), "w": vectors(), "vdot": vectors()}
    result = Result(ACCELERATION, "along the axes of the body")

    def printed(R, v, w, vdot):
        return vdot + cross(w, v)

    def library(R, v, w, vdot):
        """Return the acceleration of a body point at the origin, in body coordinates."""
        point = body_point(R, np.zeros(3), v, w)
        return R.T @ (point.blocks[0] @ np.concatenate((np.zeros(3), vdot)) + point.bias)

    def reference(R, v, w, vdot):
        """Compare with differences of the origin's velocity in the world."""

        def velocity(t):
            return R @ Rotation.from_rotvec(t * w).as_matrix() @ (v + t * vdot)

        return R.T @ derivative(velocity).value

    implements = point_on_body


@section.holds("d4#a", "Acceleration of the particle, differentiated")
class d4_a:
    formula = r"\dot{\mathbf v}_p = \mathbf R_{BW}\dot{\mathbf v} - \mathbf R_{BW}\,\mathbf c\times\dot{\boldsymbol\omega} + \dot{\mathbf R}_{BW}\mathbf v - \dot{\mathbf R}_{BW}\,\mathbf c\times\boldsymbol\omega"
    inputs = ACCELERATED_POINT
    result = Result(ACCELERATION, "along the axes of the world")

    def printed(R, c, v, w, vdot, wdot):
        Rdot = R @ bracket(w)
        return R @ vdot - R @ cross(c, wdot) + Rdot @ v - Rdot @ cross(c, w)

    library = acceleration_library

    reference = point_acceleration
    implements = point_on_body


@section.holds("d4#b", "Acceleration of the particle, with the rate of the rotation")
class d4_b:
    formula = r"\dot{\mathbf v}_p = \mathbf R_{BW}\dot{\mathbf v} - \mathbf R_{BW}\,\mathbf c\times\dot{\boldsymbol\omega} + \mathbf R_{BW}\,\boldsymbol\omega\times\mathbf v - \mathbf R_{BW}\,\boldsymbol\omega\times\mathbf c\times\boldsymbol\omega"
    inputs = ACCELERATED_POINT
    result = Result(ACCELERATION, "along the axes of the world")

    def printed(R, c, v, w, vdot, wdot):
        return R @ vdot - R @ cross(c, wdot) + R @ cross(w, v) - R @ cross(w, cross(c, w))

    library = acceleration_library

    reference = point_acceleration
    implements = point_on_body


@section.holds("d4#c", "Acceleration of the particle, by the constraint and its drift")
class d4_c:
    formula = r"\dot{\mathbf v}_p = -\mathbf G_{\beta\alpha}(\mathbf a, \dot{\boldsymbol\omega})^T + \mathbf g_\beta,\quad\mathbf g_\beta = \mathbf R_{BW}\,\boldsymbol\omega\times\boldsymbol\omega\times\mathbf c"
    inputs = ACCELERATED_POINT
    result = Result(ACCELERATION, "along the axes of the world")

    def printed(R, c, v, w, vdot, wdot):
        G = np.hstack([-R, R @ bracket(c)])
        a = vdot + cross(w, v)
        g = R @ cross(w, cross(w, c))
        return -G @ np.concatenate((a, wdot)) + g

    library = acceleration_library

    reference = point_acceleration
    implements = point_on_body


# ------------------------------------------------------------------------------------------------------------
# The force correction equals the fictitious forces of a point mass.


ROTATING_PARTICLE = {"R": rotations(), "c": vectors(), "w": vectors(), "m": positive_numbers()}


def change_library(R, c, w, m):
    masses = np.zeros((9, 9))
    masses[6:, 6:] = m * np.eye(3)
    point = body_point(R, c, np.zeros(3), w)
    return swap_parts(
        null_space_reduction((6, 3), (point,)).reduce(StepProblem(masses, np.zeros(9))).momentum
    )


def change_reference(R, c, w, m):
    """Compare with the force and moment that keep the particle in steady rotation, by differences."""
    zero = np.zeros(3)
    force = m * (R.T @ point_acceleration(R, c, zero, w, zero, zero))
    return -np.concatenate([force, cross(c, force)])


@section.holds("d5#a", "The force correction, by (0.23)")
class d5_a:
    formula = r"m\begin{pmatrix} -\mathbf R_{BW}^T \\ -[\mathbf c]\,\mathbf R_{BW}^T \end{pmatrix}\bigl(\mathbf R_{BW}\,\boldsymbol\omega\times\boldsymbol\omega\times\mathbf c\bigr)"
    inputs = ROTATING_PARTICLE
    result = Result(LINEAR_FIRST_WRENCH, ON_BODY_LINEAR_FIRST)

    def printed(R, c, w, m):
        g = R @ cross(w, cross(w, c))
        return m * (np.vstack([-R.T, -bracket(c) @ R.T]) @ g)

    library = change_library

    reference = change_reference
    implements = REDUCE


@section.holds("d5#b", "The force correction equals the fictitious forces")
class d5_b:
    formula = r"\begin{pmatrix} -m\,\boldsymbol\omega\times\boldsymbol\omega\times\mathbf c \\ m\,\boldsymbol\omega\times\mathbf c\times\mathbf c\times\boldsymbol\omega \end{pmatrix}"
    inputs = ROTATING_PARTICLE
    result = Result(LINEAR_FIRST_WRENCH, ON_BODY_LINEAR_FIRST)

    def printed(R, c, w, m):
        return np.concatenate((-m * cross(w, cross(w, c)), m * cross(w, cross(c, cross(c, w)))))

    library = change_library

    reference = change_reference
    implements = REDUCE


@section.holds("t914", "The identity of the two triple products")
class t914:
    formula = r"\mathbf a\times\mathbf b\times\mathbf b\times\mathbf a = -\mathbf b\times\mathbf a\times\mathbf a\times\mathbf b"
    inputs = {"a": vectors(), "b": vectors()}
    arguments = {"a": Argument(LENGTH, "of the origin of the body, along the axes of the body")}
    result = Result(LENGTH**4, "in the frame of a and b")

    def printed(a, b):
        return -cross(b, cross(a, cross(a, b)))

    def library(a, b):
        return so3.hat(a) @ so3.hat(b) @ so3.hat(b) @ a

    def reference(a, b):
        """Evaluate the left side, product by product, in components."""
        product = a
        for left in (b, b, a):
            x, y, z = left
            product = np.array(
                [
                    y * product[2] - z * product[1],
                    z * product[0] - x * product[2],
                    x * product[1] - y * product[0],
                ]
            )
        return product

    implements = so3.hat


@section.misprint("t900#b", "Location of the fictitious forces")
class t900_b:
    formula = r"\text{`the fictitous forces given by the rightmost vector in (0.19)':}\quad \begin{pmatrix} \mathbf f_\alpha \\ \mathbf f_\beta \\ \mathbf g_\alpha \\ \mathbf g_\beta \end{pmatrix}"
    inputs = ROTATING_PARTICLE
    result = Result(LINEAR_FIRST_WRENCH, ON_BODY_LINEAR_FIRST)

    def printed(R, c, w, m):
        """Return the right side of (0.19) for body and particle, without forces and other constraints."""
        on_body, on_particle = np.zeros(6), np.zeros(3)
        return np.concatenate([on_body, on_particle, R @ cross(w, cross(w, c))])

    library = change_library
    reference = change_reference
    undefined = "the right-hand side of (0.19) has a part for each component and each constraint, but no wrench on the body"
    correction = (
        "The fictitious forces are the rightmost vector of the preceding unnumbered equation for the "
        "point mass. The end of the section has the same wrong reference to (0.19)."
    )
    replacement = "We therefore expect the attachment to add the fictitious forces given by the rightmost vector of the equation above."
    implements = REDUCE
