"""Lloyd 0.17: which components an attachment depends on, and what it leaves on the right side."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from rbnotes.attachments import null_space_reduction, point_on_body, point_on_points
from rbnotes.ledger.claims.lloyd.section_0_17 import CHAPTER
from rbnotes.ledger.oracles.bodies import bracket, motion
from rbnotes.ledger.quantities import ACCELERATION, NUMBER, VELOCITY
from rbnotes.ledger.record import Verdict, claim
from rbnotes.testing import derivative
from rbnotes.testing.strategies import arrays, frames, positive_numbers, twists, vectors

POINTS = 4
"""Active points, among which the masters are."""
MASTERS = st.permutations(range(POINTS)).map(lambda order: np.array(order[:2]))
CARRIED = {"E": frames(), "x": vectors(3), "phi": twists(), "h": positive_numbers(0.25, 1.0)}


QUANTITIES = {"a": ACCELERATION}


def drift_reference(E, x, phi, h):
    """What the velocity of the point changes by while the twist of the body stays as it is."""

    def velocity(t):
        moving = motion(E, phi)(t)
        turned = moving[:3, :3]
        return turned @ (phi[3:] + np.cross(phi[:3], x))

    return h * derivative(velocity).value


@claim("lloyd/s0.17/t732", "Which components an attachment depends on")
class t732:
    formula = (
        r"\mathbf G_{k\alpha} \text{ is zero except for the master components to which } k "
        r"\text{ is attached}"
    )
    inputs = {"masters": MASTERS, "weights": vectors(2, 0.25, 2.0), "x": arrays(POINTS, 3)}
    result = NUMBER

    def printed(masters, weights, x):
        G = np.zeros((3, POINTS, 3))
        for master, weight in zip(masters, weights, strict=True):
            G[:, master] = -weight * np.eye(3)
        return G.reshape(3, 3 * POINTS)

    def library(masters, weights, x):
        attachment = point_on_points(POINTS, [int(j) for j in masters], weights)
        space = null_space_reduction([3] * (POINTS + 1), [attachment])
        return -np.stack([space.expand_velocities(unit)[3 * POINTS :] for unit in np.eye(3 * POINTS)], axis=1)

    oracle = "the place of the attached point, by differences, as each of the active points moves"

    def reference(masters, weights, x):
        def place(points):
            return weights @ points[masters]

        moves = np.eye(3 * POINTS).reshape(-1, POINTS, 3)
        return -np.stack([derivative(lambda t, m=m: place(x + t * m)).value for m in moves], axis=1)

    verdict = Verdict.HOLDS
    remark = 'The notes say "sparse except for".'
    implemented_by = ("rbnotes.attachments.NullSpaceReduction.expand_velocities",)
    chapter = CHAPTER


@claim("lloyd/s0.17/t774#b", "What is on the right side if the attachment changes along the motion")
class t774_b:
    formula = r"\mathbf g_\beta = h\dot{\mathbf G}_{\beta\alpha}\mathbf v_\alpha"
    inputs = CARRIED
    result = VELOCITY

    def printed(E, x, phi, h):
        """A point of a body: ``v_k + G v_body = 0`` with ``G = -R (-[x] I)``."""
        R = E[:3, :3]
        Gdot = R @ bracket(phi[:3]) @ np.hstack([bracket(x), -np.eye(3)])
        return h * Gdot @ phi

    def library(E, x, phi, h):
        """That of the acceleration, over one step."""
        return h * point_on_body(1, 0, E, x, phi).bias

    oracle = (
        "a point of a body: what its velocity changes by in a step while the body's twist stays, by "
        "differences"
    )
    reference = drift_reference
    tolerance = 1e-08
    combined_with = ("lloyd/s0.17/e0.19",)
    verdict = Verdict.ERRATUM
    correction = r"$\mathbf g_\beta = -h\dot{\mathbf G}_{\beta\alpha}\mathbf v_\alpha$"
    remark = (
        r"The attachment at the end of the step is $\mathbf v_\beta + (\mathbf G_{\beta\alpha} + "
        r"h\dot{\mathbf G}_{\beta\alpha})\mathbf v_\alpha = 0$, and what (0.19) has no room for goes to "
        r"the right. The next sentence, which replaces $\mathbf G_{\beta\alpha}$ by $\mathbf "
        r"G_{\beta\alpha} + h\dot{\mathbf G}_{\beta\alpha}$, is right, and so is the $\mathbf g_\beta$ of "
        r"section 0.19."
    )
    implemented_by = ("rbnotes.attachments.point_on_body",)
    chapter = CHAPTER


@claim("lloyd/s0.17/t774#c", "The attachment at the end of the step, without a right side")
class t774_c:
    formula = (
        r"\mathbf v_\beta + (\mathbf G_{\beta\alpha} + h\dot{\mathbf G}_{\beta\alpha})\mathbf v_\alpha = 0"
    )
    inputs = CARRIED
    result = VELOCITY

    def printed(E, x, phi, h):
        """The point's velocity at the end of the step, by the attachment there, for the twist that the body has."""
        R = E[:3, :3]
        G = R @ np.hstack([bracket(x), -np.eye(3)])
        Gdot = R @ bracket(phi[:3]) @ np.hstack([bracket(x), -np.eye(3)])
        return -(G + h * Gdot) @ phi

    def library(E, x, phi, h):
        point = point_on_body(1, 0, E, x, phi)
        return point.blocks[0] @ phi + h * point.bias

    oracle = "a point of a body: its velocity and what that changes by in a step, by differences of its place"

    def reference(E, x, phi, h):
        """The velocity now, and what it changes by."""
        now = derivative(lambda t: motion(E, phi)(t) @ np.append(x, 1.0)).value[:3]
        return now + drift_reference(E, x, phi, h)

    tolerance = 1e-08
    verdict = Verdict.HOLDS
    remark = "To first order in h."
    implemented_by = ("rbnotes.attachments.point_on_body",)
    chapter = CHAPTER


@claim("lloyd/s0.17/t774#d", "No right side where the attachment is constant")
class t774_d:
    formula = r"\mathbf G_{\beta\alpha}\text{ constant}:\quad\mathbf g_\beta = 0"
    inputs = {
        "weights": vectors(2, 0.25, 2.0),
        "x": arrays(2, 3),
        "v": arrays(2, 3),
        "a": arrays(2, 3),
    }
    result = ACCELERATION

    def printed(weights, x, v, a):
        """The acceleration ``-G a + g`` of a point between two others, with g = 0."""
        G = -np.hstack([weight * np.eye(3) for weight in weights])
        return -G @ a.ravel()

    def library(weights, x, v, a):
        attachment = point_on_points(2, [0, 1], weights)
        return sum(block @ a[j] for j, block in attachment.blocks.items()) + attachment.bias

    oracle = "differences of the velocity of a point between two that move with changing velocities"

    def reference(weights, x, v, a):
        def velocity(t):
            place = derivative(lambda s: weights @ (x + (t + s) * v + (t + s) ** 2 / 2 * a))
            return place.value

        h = 0.125
        # The motion is a parabola: its velocity changes evenly.
        return (velocity(h) - velocity(-h)) / (2 * h)

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.attachments.point_on_points",)
    chapter = CHAPTER
