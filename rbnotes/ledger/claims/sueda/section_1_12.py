"""Sueda 1.12: stabilization, drift and the rate of a constraint."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from scipy.linalg import expm, null_space

from rbnotes import se3
from rbnotes.constraints.stabilization import project_positions
from rbnotes.dynamics import BilateralRows, StepProblem, solve_step
from rbnotes.ledger.oracles.bodies import bracket, motion
from rbnotes.ledger.oracles.twists import adjoint_by_conjugation, twist_matrix
from rbnotes.ledger.quantities import AREA, LENGTH, NUMBER, VELOCITY
from rbnotes.ledger.record import Verdict, claim
from rbnotes.testing import complex_step, derivative
from rbnotes.testing.strategies import (
    arrays,
    frames,
    nonzero_vectors,
    positive_numbers,
    spd_matrices,
    vectors,
)

CHAPTER = "stabilization"

# Drift: one constraint g(x) = x^T A x / 2 + b^T x, from a point q of its surface of equal g, at which it was met.
DRIFTING = {
    "A": spd_matrices(3),
    "b": nonzero_vectors(3),
    "q": vectors(3),
    "v": nonzero_vectors(3),
    "h": positive_numbers(0.125, 1),
}


# A ball joint between two bodies, at x1 in the one and x2 in the other: g(E1, E2) = R1 x1 + p1 - R2 x2 - p2.
BALL = {
    "E1": frames(),
    "E2": frames(),
    "x1": vectors(),
    "x2": vectors(),
    "phi1": arrays(6),
    "phi2": arrays(6),
}


QUANTITIES = {"A": NUMBER / AREA, "b": NUMBER / LENGTH, "off": LENGTH, "q": LENGTH}


def gap(E1, E2, x1, x2):
    return (E1 @ np.append(x1, 1.0) - E2 @ np.append(x2, 1.0))[:3]


def entries(E1, E2):
    """The numbers of both poses that are not constant, as one vector q (24,)."""
    return np.concatenate([E1[:3].ravel(), E2[:3].ravel()])


def gap_of_entries(q, x1, x2):
    return gap(q[:12].reshape(3, 4), q[12:].reshape(3, 4), x1, x2)


def rate_library(E1, E2, x1, x2, phi1, phi2):
    return se3.point_velocity(E1, x1, phi1) - se3.point_velocity(E2, x2, phi2)


def rate_reference(E1, E2, x1, x2, phi1, phi2):
    first, second = motion(E1, phi1), motion(E2, phi2)
    here, there = np.append(x1, 1.0), np.append(x2, 1.0)
    return derivative(lambda t: first(t) @ here - second(t) @ there).value[:3]


# The same joint with the rows of (1.69): its frame in body 1, and body 2's point off its origin by `off`.
USED_SO_FAR = {"E": frames(), "off": nonzero_vectors(), "phi1": arrays(6), "phi2": arrays(6)}
POINT = np.array([0.3, -0.2, 0.5])
F = expm(np.array([[0, -0.5, 0.3, 0.2], [0.5, 0, -0.7, -0.4], [-0.3, 0.7, 0, 0.6], [0, 0, 0, 0]]))
TURN = expm(np.array([[0, 0.4, 0.6], [-0.4, 0, -0.8], [-0.6, 0.8, 0]]))


def second_pose(E, off):
    """Pose of the other body, whose own point (0.3, -0.2, 0.5) is off the joint's origin, seen from the joint."""
    E2 = np.eye(4)
    E2[:3, :3] = E[:3, :3] @ F[:3, :3] @ TURN
    E2[:3, 3] = (E @ F @ np.append(off, 1.0))[:3] - E2[:3, :3] @ POINT
    return E2


def rod_error(length):
    return lambda x: np.array([(x[3:] - x[:3]) @ (x[3:] - x[:3]) - length**2])


def rod_row(x):
    return 2 * np.concatenate([x[:3] - x[3:], x[3:] - x[:3]])[None]


ROD = {
    "m1": positive_numbers(),
    "m2": positive_numbers(),
    "x1": vectors(),
    "x2": vectors().map(lambda x: x + np.array([5.0, 0.0, 0.0])),
    "length": positive_numbers(3, 6),
}


@claim("sueda/s1.12/t640#a", "Constraints imposed on velocities drift")
class t640_a:
    formula = (
        r"\mathbf G(q^k)\,\Phi^{k+1} = 0\ \Rightarrow\ g(q^{k+1}) - g(q^k) "
        r"= \tfrac{h^2}2\,\Phi^\top\tfrac{\partial^2g}{\partial q^2}\,\Phi \ne 0"
    )
    inputs = DRIFTING
    result = NUMBER

    def printed(A, b, q, v, h):
        """What one step leaves, if the new velocities keep to the row."""
        G = A @ q + b
        along = v - G * (G @ v) / (G @ G)
        return h**2 / 2 * along @ A @ along

    def library(A, b, q, v, h):
        row = BilateralRows((A @ q + b)[None])
        x = q + h * solve_step(StepProblem(np.eye(3), v, row)).velocity
        return (x @ A @ x / 2 + b @ x) - (q @ A @ q / 2 + b @ q)

    oracle = "the constraint at the end of a straight step in the plane that touches its surface"

    def reference(A, b, q, v, h):
        """Values of the constraint, after a step along two directions that do not change it at first."""
        plane = null_space(complex_step(lambda x: x @ A @ x / 2 + b @ x, q)[None])
        ends = np.stack([q, q + h * plane @ (plane.T @ v)])
        return np.diff([end @ A @ end / 2 + b @ end for end in ends])[0]

    equivalent_mutants = {
        "swapped operands in `v - G * (G @ v) / (G @ G)`": "the same both ways along a line"
    }
    verdict = Verdict.HOLDS
    remark = (
        r"'Unavoidable' where the rows turn with the motion, as here. Where the second derivative vanishes (a "
        r"bead on a straight wire, the contact of a point with a plane) nothing drifts but rounding."
    )
    implemented_by = ("rbnotes.dynamics.solve_step",)
    chapter = CHAPTER


@claim("sueda/s1.12/t640#b", "Post-stabilization")
class t640_b:
    formula = (
        r"q \leftarrow q + \Delta q,\quad \Delta q "
        r"= \arg\min\,\tfrac12\Delta q^\top\mathbf M\,\Delta q\ \text{with}\ \mathbf G\,\Delta q = -g"
    )
    inputs = ROD
    result = LENGTH

    def printed(m1, m2, x1, x2, length):
        q, weights = np.concatenate([x1, x2]), np.repeat([1 / m1, 1 / m2], 3)
        for _ in range(31):
            span = q[3:] - q[:3]
            g, G = span @ span - length**2, 2 * np.concatenate([-span, span])
            q = q - weights * G * g / (G @ (weights * G))
        return q

    def library(m1, m2, x1, x2, length):
        mass = np.diag(np.repeat([m1, m2], 3))
        return project_positions(np.concatenate([x1, x2]), mass, rod_error(length), rod_row).positions

    oracle = "two masses on a rod: both ends move along it, about their centre of mass"

    def reference(m1, m2, x1, x2, length):
        """Both ends move along the rod, about the centre of mass."""
        centre = (m1 * x1 + m2 * x2) / (m1 + m2)
        along = (x2 - x1) / np.linalg.norm(x2 - x1)
        return np.concatenate(
            [centre - m2 / (m1 + m2) * length * along, centre + m1 / (m1 + m2) * length * along]
        )

    verdict = Verdict.HOLDS
    remark = "The notes name it and say no more; this is the form with the least motion by the masses."
    implemented_by = ("rbnotes.constraints.stabilization.project_positions",)
    chapter = CHAPTER


@claim("sueda/s1.12/e1.81#a", "Rate of a constraint by the chain rule")
class e1_81_a:
    formula = r"\frac{dg}{dt} = \frac{\partial g}{\partial q}\,\dot q"
    inputs = BALL
    result = VELOCITY

    def printed(E1, E2, x1, x2, phi1, phi2):
        dg_dq = complex_step(lambda q: gap_of_entries(q, x1, x2), entries(E1, E2))
        qdot = entries(E1 @ twist_matrix(phi1), E2 @ twist_matrix(phi2))
        return dg_dq @ qdot

    library = rate_library
    oracle = "numerical derivative of a ball joint's error along the motion of its two bodies"
    reference = rate_reference
    verdict = Verdict.HOLDS
    remark = r"Here $q$ are the entries of both $\mathbf E$, and $\dot q$ those of $\mathbf E[\phi]$."
    implemented_by = ("rbnotes.se3.point_velocity",)
    chapter = CHAPTER


@claim("sueda/s1.12/e1.81#b", "Rate of a constraint from its rows")
class e1_81_b:
    formula = r"\frac{dg}{dt} = G\,\Phi"
    inputs = BALL
    result = VELOCITY

    def printed(E1, E2, x1, x2, phi1, phi2):
        R1, R2 = E1[:3, :3], E2[:3, :3]
        G = np.hstack([R1 @ bracket(x1).T, R1, -R2 @ bracket(x2).T, -R2])
        return G @ np.concatenate([phi1, phi2])

    library = rate_library
    oracle = "numerical derivative of a ball joint's error along the motion of its two bodies"
    reference = rate_reference
    verdict = Verdict.HOLDS
    remark = r"$G$ has six columns a body, $\partial g/\partial q$ twelve: they are not the same matrix."
    implemented_by = ("rbnotes.se3.point_velocity",)
    chapter = CHAPTER


@claim("sueda/s1.12/t644", "Is it the constraint that was used so far?")
class t644:
    formula = r"\frac{dg}{dt} = G\,\Phi\ \text{with the rows}\ G\ \text{of (1.69)}"
    inputs = USED_SO_FAR
    result = VELOCITY
    constants = (LENGTH,)

    def printed(E, off, phi1, phi2):
        X1 = np.linalg.inv(F)
        X2 = np.linalg.inv(E @ F) @ second_pose(E, off)
        delta = adjoint_by_conjugation(X1) @ phi1 - adjoint_by_conjugation(X2) @ phi2
        return delta[3:]

    def library(E, off, phi1, phi2):
        """The joint's axes turn with body 1, and so does what it sees of the gap."""
        other = second_pose(E, off)
        R, at = (E @ F)[:3, :3], F[:3, 3]
        gap = se3.transform_points(E, at) - se3.transform_points(other, POINT)
        rate = se3.point_velocity(E, at, phi1) - se3.point_velocity(other, POINT, phi2)
        return R.T @ (rate - np.cross(E[:3, :3] @ phi1[:3], gap))

    oracle = "numerical derivative of the gap of a ball joint, along axes that the first body carries"

    def reference(E, off, phi1, phi2):
        """Rate of the gap between the joint's two points, measured along the axes that body 1 carries."""
        first, second = motion(E, phi1), motion(second_pose(E, off), phi2)

        def misfit(t):
            joint = first(t) @ F
            return joint[:3, :3].T @ (joint[:3, 3] - (second(t) @ np.append(POINT, 1.0))[:3])

        return derivative(misfit).value

    verdict = Verdict.CONDITIONAL
    given = {**USED_SO_FAR, "off": st.just(np.zeros(3))}
    primitives = ("rbnotes.ledger.claims.sueda.section_1_12.second_pose",)

    def holds_when(E, off, phi1, phi2):
        return not np.any(off)

    condition = "the joint is together, $g = 0$"
    remark = (
        "The adjoint rows take the velocity of the second body where the first one has its joint, not "
        "where the second one has it. Apart, the rates differ by the gap times the relative angular "
        "velocity, which is small where stabilization works."
    )
    implemented_by = ("rbnotes.se3.point_velocity",)
    chapter = CHAPTER
