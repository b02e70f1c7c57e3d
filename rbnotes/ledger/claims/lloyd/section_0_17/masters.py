"""Lloyd 0.17: masters of an attachment, and its right-hand side."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from rbnotes.attachments import (
    NullSpaceReduction,
    null_space_reduction,
    point_on_body,
    point_on_points,
)
from rbnotes.ledger.claims.lloyd.section_0_17 import section
from rbnotes.ledger.oracles.bodies import bracket, motion
from rbnotes.ledger.quantities import (
    ACCELERATION,
    NUMBER,
    VELOCITY,
)
from rbnotes.ledger.record import Result
from rbnotes.testing import derivative
from rbnotes.testing.strategies import arrays, frames, positive_numbers, twists, vectors

POINTS = 4
"""Number of active points, which include the masters."""
MASTERS = st.permutations(range(POINTS)).map(lambda order: np.array(order[:2]))
BODY_POINT = {"E": frames(), "x": vectors(3), "phi": twists(), "h": positive_numbers(0.25, 1.0)}


def drift_reference(E, x, phi, h):
    """Compare with differences of the velocity of a body point over one step at constant body twist."""

    def velocity(t):
        pose = motion(E, phi)(t)
        rotation = pose[:3, :3]
        return rotation @ (phi[3:] + np.cross(phi[:3], x))

    return h * derivative(velocity).value


@section.holds("t732", "Components on which an attachment depends")
class t732:
    formula = r"\mathbf G_{k\alpha} \text{ is zero except for the master components to which } k \text{ is attached}"
    inputs = {"masters": MASTERS, "weights": vectors(2, 0.25, 2.0), "x": arrays(POINTS, 3)}
    result = Result(NUMBER, "of the attached point by all points, along the axes of the world")

    def printed(masters, weights, x):
        G = np.zeros((3, POINTS, 3))
        for master, weight in zip(masters, weights, strict=True):
            G[:, master] = -weight * np.eye(3)
        return G.reshape(3, 3 * POINTS)

    def library(masters, weights, x):
        attachment = point_on_points(POINTS, [int(j) for j in masters], weights)
        space = null_space_reduction([3] * (POINTS + 1), [attachment])
        return -np.stack([space.expand_velocities(unit)[3 * POINTS :] for unit in np.eye(3 * POINTS)], axis=1)

    def reference(masters, weights, x):
        """Compare with differences of the position of the attached point as each active point moves."""

        def place(points):
            return weights @ points[masters]

        moves = np.eye(3 * POINTS).reshape(-1, POINTS, 3)
        return -np.stack([derivative(lambda t, m=m: place(x + t * m)).value for m in moves], axis=1)

    remark = "The notes say `sparse except for' instead of `zero except for'."
    implements = NullSpaceReduction.expand_velocities


@section.erratum("t774#b", "Right-hand side for an attachment that changes along the motion")
class t774_b:
    formula = r"\mathbf g_\beta = h\dot{\mathbf G}_{\beta\alpha}\mathbf v_\alpha"
    inputs = BODY_POINT
    result = Result(VELOCITY, "of the attached point, along the axes of the world")

    def printed(E, x, phi, h):
        """Evaluate h Gdot v for a point of a body, where ``v_k + G v_body = 0`` with ``G = -R (-[x] I)``."""
        R = E[:3, :3]
        Gdot = R @ bracket(phi[:3]) @ np.hstack([bracket(x), -np.eye(3)])
        return h * Gdot @ phi

    def library(E, x, phi, h):
        """Return the bias of the acceleration times the step size."""
        return h * point_on_body(1, 0, E, x, phi).bias

    reference = drift_reference
    tolerance = 1e-08
    combined_with = ("lloyd/s0.17/e0.19",)
    correction = r"$\mathbf g_\beta = -h\dot{\mathbf G}_{\beta\alpha}\mathbf v_\alpha$"
    replacement = r"To see that this is generally the case, we note that typically $\mathbf g_\beta = -h\dot{\mathbf G}_{\beta\alpha}\mathbf v_\alpha$."
    remark = (
        r"The attachment at the end of the step is $\mathbf v_\beta + (\mathbf G_{\beta\alpha} + "
        r"h\dot{\mathbf G}_{\beta\alpha})\mathbf v_\alpha = 0$, and the terms that do not appear "
        r"in (0.19) move to the right-hand side. The next sentence, which replaces $\mathbf "
        r"G_{\beta\alpha}$ by $\mathbf G_{\beta\alpha} + h\dot{\mathbf G}_{\beta\alpha}$, is "
        r"correct, and so is the $\mathbf g_\beta$ of section 0.19."
    )
    effect = (
        "A double pendulum with masses of 1 kg and rods of 1 m, released at 1.5 rad, gains 16.7 J in two "
        "seconds without a drive."
    )
    implements = point_on_body


@section.holds("t774#c", "The attachment at the end of the step, without a right-hand side")
class t774_c:
    formula = (
        r"\mathbf v_\beta + (\mathbf G_{\beta\alpha} + h\dot{\mathbf G}_{\beta\alpha})\mathbf v_\alpha = 0"
    )
    inputs = BODY_POINT
    result = Result(VELOCITY, "of the attached point, along the axes of the world")

    def printed(E, x, phi, h):
        """Return the point's velocity from the attachment at the end of the step, for the old twist."""
        R = E[:3, :3]
        G = R @ np.hstack([bracket(x), -np.eye(3)])
        Gdot = R @ bracket(phi[:3]) @ np.hstack([bracket(x), -np.eye(3)])
        return -(G + h * Gdot) @ phi

    def library(E, x, phi, h):
        point = point_on_body(1, 0, E, x, phi)
        return point.blocks[0] @ phi + h * point.bias

    def reference(E, x, phi, h):
        """Compare with differences of the position of a body point: its velocity and its change in a step."""
        velocity = derivative(lambda t: motion(E, phi)(t) @ np.append(x, 1.0)).value[:3]
        return velocity + drift_reference(E, x, phi, h)

    tolerance = 1e-08
    remark = "This holds to first order in h."
    implements = point_on_body


@section.holds("t774#d", "Zero right-hand side for a constant attachment")
class t774_d:
    formula = r"\mathbf G_{\beta\alpha}\text{ constant}:\quad\mathbf g_\beta = 0"
    inputs = {
        "weights": vectors(2, 0.25, 2.0),
        "x": arrays(2, 3),
        "v": arrays(2, 3),
        "a": arrays(2, 3),
    }
    result = Result(ACCELERATION, "of the attached point, along the axes of the world")

    def printed(weights, x, v, a):
        """Return the acceleration ``-G a + g`` of a point between two others, with g = 0."""
        G = -np.hstack([weight * np.eye(3) for weight in weights])
        return -G @ a.ravel()

    def library(weights, x, v, a):
        attachment = point_on_points(2, [0, 1], weights)
        return sum(block @ a[j] for j, block in attachment.blocks.items()) + attachment.bias

    def reference(weights, x, v, a):
        """Compare with differences of the velocity of a point between two points that accelerate."""

        def velocity(t):
            place = derivative(lambda s: weights @ (x + (t + s) * v + (t + s) ** 2 / 2 * a))
            return place.value

        h = 0.125
        # The motion is a parabola: its velocity changes evenly.
        return (velocity(h) - velocity(-h)) / (2 * h)

    implements = point_on_points
