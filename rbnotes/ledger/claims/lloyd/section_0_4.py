"""Lloyd 0.4: derivatives of roll, pitch and yaw angles."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from rbnotes import euler
from rbnotes.ledger.quantities import NUMBER, RATE, TORQUE
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section
from rbnotes.testing import derivative
from rbnotes.testing.strategies import numbers, vectors

section = Section(
    "lloyd/s0.4",
    chapter="quaternions",
    arguments={
        "angles": Argument(
            NUMBER,
            "about z, then about the rotated y axis, then about the x axis rotated by both",
        ),
        "rates": Argument(RATE, "of these three angles, in that order"),
        "theta": Argument(NUMBER),
        "side": Argument(NUMBER),
        "multipliers": Argument(TORQUE, "of the constraints on these three angles, in that order"),
    },
)


ANGLES = st.tuples(numbers(-3, 3), numbers(-1.25, 1.25), numbers(-3, 3)).map(np.array)
ANGLES_AND_RATES = {"angles": ANGLES, "rates": vectors()}
X, Y, Z = np.eye(3)


def orientation(angles):
    """Return the rotation by the three angles, each about an axis of the frame rotated so far."""
    return Rotation.from_euler("ZYX", angles).as_matrix()


def velocity_reference(angles, rates):
    """Compare with differences of the rotation matrix that scipy builds from the angles.

    The angular velocity is half the sum of e x de/dt over the axes of the frame.
    """
    R = orientation(angles)
    Rdot = derivative(lambda t: orientation(angles + t * rates)).value
    return np.sum(np.cross(R, Rdot, axis=0), axis=1) / 2


def map_reference(angles):
    """Compare with differences of the rotation matrix that scipy builds from the angles, angle by angle."""
    return np.stack([velocity_reference(angles, rate) for rate in np.eye(3)], axis=-1)


def rotation_axes(angles):
    """Return the columns z, y' and x'', the axes of the three rotations, by rotating the base axes."""
    theta, phi, _ = angles
    first = Rotation.from_rotvec(theta * Z)
    return np.stack([Z, first.apply(Y), (first * Rotation.from_rotvec(phi * Y)).apply(X)], axis=-1)


def inverse_printed(angles):
    (ct, cf, _), (st, sf, _) = np.cos(angles), np.sin(angles)
    return np.array([[sf * ct / cf, sf * st / cf, 1], [-st, ct, 0], [ct / cf, st / cf, 0]])


@section.definition("t64", "Roll, pitch and yaw: rotations about z, the new y' and the final x''")
class t64:
    formula = r"\mathbf R = \mathbf R_z(\theta)\,\mathbf R_y(\phi)\,\mathbf R_x(\psi)"
    inputs = {"angles": ANGLES}
    result = Result(NUMBER, "takes coordinates of the frame rotated by all three angles to base coordinates")

    def printed(angles):
        (ct, cf, cp), (st, sf, sp) = np.cos(angles), np.sin(angles)
        about_z = np.array([[ct, -st, 0], [st, ct, 0], [0, 0, 1]])
        about_y = np.array([[cf, 0, sf], [0, 1, 0], [-sf, 0, cf]])
        about_x = np.array([[1, 0, 0], [0, cp, -sp], [0, sp, cp]])
        return about_z @ about_y @ about_x

    def library(angles):
        return euler.to_rotation(angles)

    def reference(angles):
        """Compose three of scipy's rotations about fixed axes, each rotated by the previous ones."""
        z, y1, x2 = rotation_axes(angles).T
        theta, phi, psi = angles
        factors = [
            Rotation.from_rotvec(a * axis).as_matrix() for a, axis in ((theta, z), (phi, y1), (psi, x2))
        ]
        return factors[2] @ factors[1] @ factors[0]

    defines = (r"\mathbf R",)
    implements = euler.to_rotation


@section.holds("d1", "Angular velocity from the rates of roll, pitch and yaw")
class d1:
    formula = r"\boldsymbol\omega = \mathbf z\,\dot\theta + \mathbf y'\,\dot\phi + \mathbf x''\,\dot\psi"
    inputs = ANGLES_AND_RATES
    result = Result(RATE, "in base coordinates")

    def printed(angles, rates):
        z, y1, x2 = rotation_axes(angles).T
        return z * rates[0] + y1 * rates[1] + x2 * rates[2]

    def library(angles, rates):
        return euler.rates_to_velocity(angles) @ rates

    reference = velocity_reference
    implements = euler.rates_to_velocity


@section.holds("d2", "The map from rates to angular velocity in the base frame")
class d2:
    formula = r"\boldsymbol\omega = \begin{pmatrix} 0 & -s_\theta & c_\theta c_\phi \\ 0 & c_\theta & s_\theta c_\phi \\ 1 & 0 & -s_\phi \end{pmatrix}\begin{pmatrix}\dot\theta\\\dot\phi\\\dot\psi\end{pmatrix}"
    inputs = {"angles": ANGLES}
    result = Result(NUMBER, "takes rates of the three angles to angular velocities in base coordinates")

    def printed(angles):
        (ct, cf, _), (st, sf, _) = np.cos(angles), np.sin(angles)
        return np.array([[0, -st, ct * cf], [0, ct, st * cf], [1, 0, -sf]])

    def library(angles):
        return euler.rates_to_velocity(angles)

    reference = map_reference
    implements = euler.rates_to_velocity


@section.holds("e0.2", "The rates of roll, pitch and yaw from the angular velocity")
class e0_2:
    formula = r"\begin{pmatrix}\dot\theta\\\dot\phi\\\dot\psi\end{pmatrix} = \begin{pmatrix} \frac{s_\phi c_\theta}{c_\phi} & \frac{s_\phi s_\theta}{c_\phi} & 1 \\ -s_\theta & c_\theta & 0 \\ \frac{c_\theta}{c_\phi} & \frac{s_\theta}{c_\phi} & 0 \end{pmatrix}\boldsymbol\omega"
    inputs = {"angles": ANGLES}
    result = Result(NUMBER, "takes angular velocities in base coordinates to rates of the three angles")
    printed = inverse_printed

    def library(angles):
        return euler.velocity_to_rates(angles)

    def reference(angles):
        """Invert the map found by differences of scipy's rotation matrix."""
        return np.linalg.inv(map_reference(angles))

    implements = euler.velocity_to_rates


@section.holds("t90#a", "The first and the last axis align where the cosine of the pitch vanishes")
class t90_a:
    formula = r"c_\phi = 0 \;\Rightarrow\; \mathbf z \parallel \mathbf x''"
    inputs = {"theta": numbers(-3, 3), "side": st.sampled_from((1.0, -1.0))}
    result = Result(NUMBER, "in base coordinates")

    def printed(theta, side):
        """Return the last axis at a pitch of a quarter turn to the given side."""
        return -side * Z

    def library(theta, side):
        return euler.rates_to_velocity([theta, side * np.pi / 2, 0.0])[:, 2]

    def reference(theta, side):
        """Rotate the last axis of the base frame by the angles."""
        return rotation_axes([theta, side * np.pi / 2, 0.0])[:, 2]

    implements = euler.rates_to_velocity


@section.holds(
    "t90#b", "The map from rates to angular velocity is singular only where the cosine of the pitch vanishes"
)
class t90_b:
    formula = r"\det(\mathbf z\ \ \mathbf y'\ \ \mathbf x'') = -c_\phi"
    inputs = {"angles": st.tuples(numbers(-3, 3), numbers(-3, 3), numbers(-3, 3)).map(np.array)}
    result = Result(NUMBER)

    def printed(angles):
        return -np.cos(angles[1])

    def library(angles):
        return np.linalg.det(euler.rates_to_velocity(angles))

    def reference(angles):
        """Compute the volume spanned by the three axes, found by rotating the base axes."""
        z, y1, x2 = rotation_axes(angles).T
        return np.cross(z, y1) @ x2

    remark = "The notes have no symbol for this; the determinant vanishes exactly at a singularity."
    implements = euler.rates_to_velocity


@section.holds("t92", "The constraint wrenches of angle limits are the rows of (0.2)")
class t92:
    formula = r"\boldsymbol\tau = \mathbf G^T\boldsymbol\lambda,\quad \mathbf G \text{ the matrix of (0.2)}"
    inputs = {"angles": ANGLES, "multipliers": vectors()}
    result = Result(TORQUE, "in base coordinates")

    def printed(angles, multipliers):
        return inverse_printed(angles).T @ multipliers

    def library(angles, multipliers):
        return euler.velocity_to_rates(angles).T @ multipliers

    def reference(angles, multipliers):
        """Compare with the work of the multipliers on the angles that scipy reads from the rotation.

        The torque about a base axis is the work for a unit rotation about that axis.
        """
        R = Rotation.from_matrix(orientation(angles))

        def work(axis):
            def angle_work(t):
                new_angles = (Rotation.from_rotvec(t * axis) * R).as_euler("ZYX")
                change = (new_angles - angles + np.pi) % (2 * np.pi) - np.pi
                return multipliers @ change

            return derivative(angle_work).value

        return np.array([work(axis) for axis in np.eye(3)])

    remark = (
        "The torque is in base coordinates, like the angular velocity of (0.2). In body "
        r"coordinates, the rows are those of $\mathbf G\,\mathbf R$."
    )
    implements = euler.velocity_to_rates


@section.holds("d3", "Time derivatives of the rows that constrain roll, pitch and yaw")
class d3:
    formula = r"\begin{pmatrix} -s_\theta t_\phi\dot\theta + (1+t_\phi^2)c_\theta\dot\phi & c_\theta t_\phi\dot\theta + (1+t_\phi^2)s_\theta\dot\phi & 0 \\ -c_\theta\dot\theta & -s_\theta\dot\theta & 0 \\ (-s_\theta\dot\theta + c_\theta t_\phi\dot\phi)/c_\phi & (c_\theta\dot\theta + s_\theta t_\phi\dot\phi)/c_\phi & 0 \end{pmatrix}"
    inputs = ANGLES_AND_RATES
    result = Result(
        RATE, "of the map from angular velocities in base coordinates to rates of the three angles"
    )

    def printed(angles, rates):
        (ct, cf, _), (st, sf, _) = np.cos(angles), np.sin(angles)
        tf = sf / cf
        dt, df = rates[0], rates[1]
        return np.array(
            [
                [-st * tf * dt + (1 + tf**2) * ct * df, ct * tf * dt + (1 + tf**2) * st * df, 0],
                [-ct * dt, -st * dt, 0],
                [(-st * dt + ct * tf * df) / cf, (ct * dt + st * tf * df) / cf, 0],
            ]
        )

    def library(angles, rates):
        return euler.velocity_to_rates_dot(angles, rates)

    def reference(angles, rates):
        """Compare with differences along a motion of the inverse of the matrix of the three axes."""
        return derivative(lambda t: np.linalg.inv(rotation_axes(angles + t * rates))).value

    implements = euler.velocity_to_rates_dot
