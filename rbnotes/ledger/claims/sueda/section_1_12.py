"""Sueda 1.12: stabilization, drift and the rate of a constraint."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from scipy.linalg import expm, null_space

from rbnotes import se3
from rbnotes.constraints.stabilization import acceleration_target, project_positions, velocity_target
from rbnotes.dynamics import BilateralRows, StepProblem, UnilateralRows, solve_step
from rbnotes.ledger.oracles.bodies import bracket, motion
from rbnotes.ledger.oracles.twists import adjoint_by_conjugation, twist_matrix
from rbnotes.ledger.pages import Page
from rbnotes.ledger.quantities import (
    ACCELERATION,
    AREA,
    FORCE,
    LENGTH,
    MASS,
    MOMENTUM,
    NUMBER,
    POSE,
    RATE,
    TIME,
    TWIST,
    VELOCITY,
    vector_quantity,
)
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section
from rbnotes.testing import complex_step, derivative
from rbnotes.testing.strategies import (
    arrays,
    frames,
    nonzero_vectors,
    positive_numbers,
    spd_matrices,
    vectors,
)

section = Section(
    "sueda/s1.12",
    chapter="stabilization",
    page_2019=Page(17, last=18),
    page_2021=Page(23),
    arguments={
        "A": Argument(NUMBER / AREA, "in the coordinates of the whole system, whatever they are"),
        "b": Argument(NUMBER / LENGTH, "in the coordinates of the whole system, whatever they are"),
        "q": Argument(LENGTH, "in the coordinates of the whole system, whatever they are"),
        "v": Argument(VELOCITY, "in the coordinates of the whole system, whatever they are"),
        "h": Argument(TIME),
        "m1": Argument(MASS),
        "m2": Argument(MASS),
        "x1": Argument(LENGTH, "the joint's point in the body 1, in its frame"),
        "x2": Argument(LENGTH, "the joint's point in the body 2, in its frame"),
        "length": Argument(LENGTH),
        "E": Argument(POSE, "of the body 1 in the world"),
        "off": Argument(
            LENGTH, "of the second body's point from the joint's origin, along the axes of the joint"
        ),
        "phi1": Argument(TWIST, "of the body 1, in its frame"),
        "phi2": Argument(TWIST, "of the body 2, in its frame"),
        "E1": Argument(POSE, "of the body 1 in the world"),
        "E2": Argument(POSE, "of the body 2 in the world"),
        "g": Argument(LENGTH, "one for each constraint"),
        "gamma": Argument(RATE),
        "A1": Argument(
            NUMBER / LENGTH, "one row for each constraint, over the coordinates of the whole system"
        ),
        "A2": Argument(
            NUMBER / LENGTH, "one row for each constraint, over the coordinates of the whole system"
        ),
        "B": Argument(NUMBER, "one row for each constraint, over the coordinates of the whole system"),
        "alpha": Argument(RATE),
        "beta": Argument(RATE),
        "M": Argument(MASS, "in the coordinates of the whole system, whatever they are"),
        "G": Argument(NUMBER, "one row for each constraint, over the coordinates of the whole system"),
        "x": Argument(LENGTH, "in the coordinates of the whole system, whatever they are"),
        "f": Argument(MOMENTUM, "in the coordinates of the whole system, whatever they are"),
        "w": Argument(VELOCITY, "in the coordinates of the whole system, whatever they are"),
        "target": Argument(ACCELERATION, "one for each constraint"),
        "s": Argument(TIME),
        "N": Argument(NUMBER, "one row for each constraint, over the coordinates of the whole system"),
        "gap": Argument(LENGTH, "one for each constraint"),
        "rate": Argument(VELOCITY, "one for each constraint"),
        "drift": Argument(ACCELERATION, "one for each constraint"),
        "unit": Argument(NUMBER),
    },
)


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


def gap(E1, E2, x1, x2):
    return (E1 @ np.append(x1, 1.0) - E2 @ np.append(x2, 1.0))[:3]


def entries(E1, E2):
    """Return the numbers of both poses that are not constant, as one vector q (24,)."""
    return np.concatenate([E1[:3].ravel(), E2[:3].ravel()])


def gap_of_entries(q, x1, x2):
    return gap(q[:12].reshape(3, 4), q[12:].reshape(3, 4), x1, x2)


def rate_library(E1, E2, x1, x2, phi1, phi2):
    return se3.point_velocity(E1, x1, phi1) - se3.point_velocity(E2, x2, phi2)


def rate_reference(E1, E2, x1, x2, phi1, phi2):
    """Compare with the numerical derivative of a ball joint's error along the motion of its two bodies."""
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


@section.holds("t640#a", "Constraints imposed on velocities drift")
class t640_a:
    formula = r"\mathbf G(q^k)\,\Phi^{k+1} = 0\ \Rightarrow\ g(q^{k+1}) - g(q^k) = \tfrac{h^2}2\,\Phi^\top\tfrac{\partial^2g}{\partial q^2}\,\Phi \ne 0"
    inputs = DRIFTING
    result = Result(NUMBER, "one for each constraint")

    def printed(A, b, q, v, h):
        """Return the constraint error after one step whose new velocities satisfy the row."""
        G = A @ q + b
        along = v - G * (G @ v) / (G @ G)
        return h**2 / 2 * along @ A @ along

    def library(A, b, q, v, h):
        row = BilateralRows((A @ q + b)[None])
        x = q + h * solve_step(StepProblem(np.eye(3), v, row)).velocity
        return (x @ A @ x / 2 + b @ x) - (q @ A @ q / 2 + b @ q)

    def reference(A, b, q, v, h):
        """Compare with the constraint error at the end of a straight step in the tangent plane of its surface.

        Values of the constraint, after a step along two directions that do not change it at first.
        """
        plane = null_space(complex_step(lambda x: x @ A @ x / 2 + b @ x, q)[None])
        ends = np.stack([q, q + h * plane @ (plane.T @ v)])
        return np.diff([end @ A @ end / 2 + b @ end for end in ends])[0]

    remark = (
        r"'Unavoidable' where the rows turn with the motion, as here. Where the second derivative vanishes (a "
        r"bead on a straight wire, the contact of a point with a plane) nothing drifts but rounding."
    )
    implements = solve_step


@section.holds("t640#b", "Post-stabilization")
class t640_b:
    formula = r"q \leftarrow q + \Delta q,\quad \Delta q = \arg\min\,\tfrac12\Delta q^\top\mathbf M\,\Delta q\ \text{with}\ \mathbf G\,\Delta q = -g"
    inputs = ROD
    arguments = {
        "x1": Argument(LENGTH, "end of the rod, in the world"),
        "x2": Argument(LENGTH, "end of the rod, in the world"),
    }
    result = Result(LENGTH, "of both ends, in the world")

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

    def reference(m1, m2, x1, x2, length):
        """Compare with two masses at the ends of a rod that turns about their center of mass.

        Both ends move along the rod, about the center of mass.
        """
        center = (m1 * x1 + m2 * x2) / (m1 + m2)
        along = (x2 - x1) / np.linalg.norm(x2 - x1)
        return np.concatenate(
            [center - m2 / (m1 + m2) * length * along, center + m1 / (m1 + m2) * length * along]
        )

    remark = "The notes name it and say no more; this is the form with the least motion by the masses."
    implements = project_positions


@section.holds("e1.81#a", "Rate of a constraint by the chain rule")
class e1_81_a:
    formula = r"\frac{dg}{dt} = \frac{\partial g}{\partial q}\,\dot q"
    inputs = BALL
    result = Result(VELOCITY, "along the axes of the world")

    def printed(E1, E2, x1, x2, phi1, phi2):
        dg_dq = complex_step(lambda q: gap_of_entries(q, x1, x2), entries(E1, E2))
        qdot = entries(E1 @ twist_matrix(phi1), E2 @ twist_matrix(phi2))
        return dg_dq @ qdot

    library = rate_library
    reference = rate_reference
    remark = r"Here $q$ are the entries of both $\mathbf E$, and $\dot q$ those of $\mathbf E[\phi]$."
    implements = se3.point_velocity


@section.holds("e1.81#b", "Rate of a constraint from its rows")
class e1_81_b:
    formula = r"\frac{dg}{dt} = G\,\Phi"
    inputs = BALL
    result = Result(VELOCITY, "along the axes of the world")

    def printed(E1, E2, x1, x2, phi1, phi2):
        R1, R2 = E1[:3, :3], E2[:3, :3]
        G = np.hstack([R1 @ bracket(x1).T, R1, -R2 @ bracket(x2).T, -R2])
        return G @ np.concatenate([phi1, phi2])

    library = rate_library
    reference = rate_reference
    remark = r"$G$ has six columns a body, $\partial g/\partial q$ twelve: they are not the same matrix."
    implements = se3.point_velocity


@section.conditional("t644", "Is it the constraint that was used so far?")
class t644:
    page_2019 = Page(18)
    page_2021 = Page(23)
    formula = r"\frac{dg}{dt} = G\,\Phi\ \text{with the rows}\ G\ \text{of (1.69)}"
    inputs = USED_SO_FAR
    result = Result(VELOCITY, "along the axes of the joint")
    constants = (LENGTH,)

    def printed(E, off, phi1, phi2):
        X1 = np.linalg.inv(F)
        X2 = np.linalg.inv(E @ F) @ second_pose(E, off)
        delta = adjoint_by_conjugation(X1) @ phi1 - adjoint_by_conjugation(X2) @ phi2
        return delta[3:]

    def library(E, off, phi1, phi2):
        """Return the rate of the gap along the axes of the joint, which turn with body 1."""
        other = second_pose(E, off)
        R, at = (E @ F)[:3, :3], F[:3, 3]
        gap = se3.transform_points(E, at) - se3.transform_points(other, POINT)
        rate = se3.point_velocity(E, at, phi1) - se3.point_velocity(other, POINT, phi2)
        return R.T @ (rate - np.cross(E[:3, :3] @ phi1[:3], gap))

    def reference(E, off, phi1, phi2):
        """Compare with the numerical derivative of the gap of a ball joint, along axes fixed to the first body.

        Rate of the gap between the joint's two points, measured along the axes that body 1 carries.
        """
        first, second = motion(E, phi1), motion(second_pose(E, off), phi2)

        def misfit(t):
            joint = first(t) @ F
            return joint[:3, :3].T @ (joint[:3, 3] - (second(t) @ np.append(POINT, 1.0))[:3])

        return derivative(misfit).value

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
    implements = se3.point_velocity


# ------------------------------------------------------------------------------------------------------------
# Stabilization, Baumgarte's targets and their rates.


# Baumgarte's targets, on the constraint g(q) = (q^T A1 q / 2 + b1^T q, q^T A2 q / 2 + b2^T q).
BAUMGARTE = {"A1": spd_matrices(3), "A2": spd_matrices(3), "B": arrays(2, 3), "q": arrays(3), "v": arrays(3)}


def quadratic(A1, A2, B, q):
    return np.array([q @ A1 @ q / 2, q @ A2 @ q / 2]) + B @ q


LINEAR = {
    "M": spd_matrices(3),
    "G": nonzero_vectors(3).map(lambda row: row[None]),
    "x": vectors(3),
    "f": vectors(3),
    "gamma": positive_numbers(),
    "h": positive_numbers(0.125, 1),
}


def kkt_solution(M, G, upper, lower):
    """Return the upper unknowns of (1.73)."""
    kkt = np.block([[M, G.T], [G, np.zeros((1, 1))]])
    return np.linalg.solve(kkt, np.concatenate([upper, lower]))[:3]


# The unknowns of the system are s times the acceleration and the part w of what went before: for accelerations
# w = 0 and s = 1, for the velocities of (1.73) w is the old velocity and s the step.
ACCELERATION_KKT = {
    "M": spd_matrices(3),
    "G": nonzero_vectors(3).map(lambda row: row[None]),
    "w": vectors(3),
    "target": vectors(1),
    "f": vectors(3),
    "s": positive_numbers(0.125, 0.5),
}


def seen_alike(G, w, target, s):
    """Return the part of w that makes the target of the unknowns that of the accelerations: G w = (1 - s) target."""
    return w - G[0] * (G @ w - (1 - s) * target) / (G[0] @ G[0])


DRAWN = st.shared(
    st.tuples(*(ACCELERATION_KKT[name] for name in ("G", "w", "target", "s"))), key="system for accelerations"
)
ALIKE = {
    **ACCELERATION_KKT,
    "G": DRAWN.map(lambda drawn: drawn[0]),
    "w": DRAWN.map(lambda drawn: seen_alike(*drawn)),
    "target": DRAWN.map(lambda drawn: drawn[2]),
    "s": DRAWN.map(lambda drawn: drawn[3]),
}


def _least_change(N, least, v):
    """Return the velocity nearest to v (unit masses) whose product with the one row is at least this."""
    missing = np.maximum(0.0, least - N @ v)
    return v + N.T @ np.linalg.solve(N @ N.T, missing)


TOUCHING = {
    "N": nonzero_vectors(3).map(lambda row: row[None]),
    "gap": vectors(1),
    "v": vectors(3),
    "gamma": positive_numbers(),
    "h": positive_numbers(0.125, 1),
}


BAUMGARTE_STEP = (velocity_target, solve_step)


@section.holds("e1.82#a", "Baumgarte's target for velocities")
class e1_82_a:
    formula = r"G\dot q = -\gamma g"
    inputs = {"g": vectors(3), "gamma": positive_numbers()}
    result = Result(VELOCITY, "one for each constraint")

    def printed(g, gamma):
        return -gamma * g

    def library(g, gamma):
        return velocity_target(g, gamma)

    def reference(g, gamma):
        """Compare with the rate of an error that decays as exp(-gamma t).

        The rate at time zero of an error that decays as exp(-gamma t).
        """
        return derivative(lambda t: g * np.exp(-gamma * t)).value

    implements = velocity_target


@section.holds("e1.82#b", "Baumgarte's target for accelerations")
class e1_82_b:
    formula = r"G\ddot q = -\dot G\dot q - 2\alpha G\dot q - \beta^2 g"
    inputs = {**BAUMGARTE, "alpha": positive_numbers(), "beta": positive_numbers()}
    result = Result(ACCELERATION, "one for each constraint")

    def printed(A1, A2, B, q, v, alpha, beta):
        g = quadratic(A1, A2, B, q)
        G = np.stack([A1 @ q, A2 @ q]) + B
        Gdot = np.stack([A1 @ v, A2 @ v])
        return -Gdot @ v - 2 * alpha * G @ v - beta**2 * g

    def library(A1, A2, B, q, v, alpha, beta):
        G = np.stack([A1 @ q, A2 @ q]) + B
        drift = np.array([v @ A1 @ v, v @ A2 @ v])
        return acceleration_target(quadratic(A1, A2, B, q), G @ v, drift, alpha, beta)

    def reference(A1, A2, B, q, v, alpha, beta):
        """Compare with second derivatives of the error along straight motion, and of a damped oscillator (matrix exponential).

        What is missing between the second derivative of g along straight motion and that of a damped oscillator.
        """

        def rate(t):
            return complex_step(lambda s: quadratic(A1, A2, B, q + s * v), np.array([t]))[..., 0]

        straight = derivative(rate).value
        oscillator = np.array([[0.0, 1.0], [-(beta**2), -2 * alpha]])
        start = np.stack([quadratic(A1, A2, B, q), rate(0.0)])
        wanted = derivative(lambda t: (oscillator @ expm(t * oscillator) @ start)[0]).value
        return wanted - straight

    primitives = ("rbnotes.ledger.claims.sueda.section_1_12.quadratic",)
    remark = r"Critically damped for $\alpha = \beta$."
    implements = acceleration_target


@section.holds("t654#a", "The target in the KKT system of the twists")
class t654_a:
    formula = r"\begin{pmatrix} M & G^\top \\ G & 0 \end{pmatrix}\begin{pmatrix} \Phi \\ \lambda \end{pmatrix} = \begin{pmatrix} \tilde f \\ -\gamma g \end{pmatrix}"
    inputs = LINEAR
    result = Result(
        vector_quantity((VELOCITY, 3), (MOMENTUM, 1)),
        "of the velocities in the coordinates of the whole system, then of the constraints",
    )

    def printed(M, G, x, f, gamma, h):
        g = G @ x
        zero = np.zeros((1, 1))
        kkt = np.block([[M, G.T], [G, zero]])
        return np.linalg.solve(kkt, np.concatenate([f, -gamma * g]))

    def library(M, G, x, f, gamma, h):
        step = solve_step(StepProblem(M, f, BilateralRows(G, velocity_target(G @ x, gamma))))
        return np.append(step.velocity, -step.bilateral)

    def reference(M, G, x, f, gamma, h):
        """Compare with the prescribed remaining error, reached by the least impulse from the free motion.

        The velocities that leave 1 - h gamma of the error, changed by the least impulse; its negative.
        """
        free = np.linalg.solve(M, f)
        missing = ((1 - h * gamma) * (G @ x) - G @ (x + h * free)) / h
        impulse = np.linalg.solve(G @ np.linalg.solve(M, G.T), missing)
        return np.append(free + np.linalg.solve(M, G.T @ impulse), -impulse)

    remark = (
        r"Each step multiplies the error of a constraint with constant rows by $1 - h\gamma$: stable for "
        r"$0 < h\gamma < 2$. $\lambda$ is the negative of the impulse, as in (1.73)."
    )
    implements = BAUMGARTE_STEP


@section.conditional("t654#b", "The target for accelerations in a KKT system")
class t654_b:
    page_2019 = Page(18)
    page_2021 = Page(23)
    formula = r"\begin{pmatrix} M & G^\top \\ G & 0 \end{pmatrix}\begin{pmatrix} \cdot \\ \lambda \end{pmatrix} = \begin{pmatrix} \cdot \\ -\dot G\dot q - 2\alpha G\dot q - \beta^2 g \end{pmatrix}"
    inputs = ACCELERATION_KKT
    arguments = {"f": Argument(FORCE, "in the coordinates of the whole system, whatever they are")}
    result = Result(ACCELERATION, "in the coordinates of the whole system")

    def printed(M, G, w, target, f, s):
        unknowns = kkt_solution(M, G, M @ w + s * f, target)
        return (unknowns - w) / s

    def library(M, G, w, target, f, s):
        rows = BilateralRows(G, G @ w + s * target)
        return (solve_step(StepProblem(M, M @ w + s * f, rows)).velocity - w) / s

    def reference(M, G, w, target, f, s):
        """Compare with the acceleration of that target nearest to the free one in the mass metric, in the null space.

        The acceleration with G a = target that is nearest, by the masses, to that of the force alone.
        """
        null = np.linalg.svd(G)[2][1:].T
        some = np.linalg.pinv(G) @ target
        free = np.linalg.solve(M, f)
        return some + null @ np.linalg.solve(null.T @ M @ null, null.T @ M @ (free - some))

    units_mismatch = r"with velocities for unknowns, their rows are set equal to accelerations"
    given = ALIKE

    def holds_when(M, G, w, target, f, s):
        return np.allclose(G @ w, (1 - s) * target, atol=1e-9)

    condition = (
        r"the unknowns are accelerations and the upper right side holds forces (or, for unknowns $w + s\ddot q$, "
        r"by chance $Gw = (1 - s)$ times the target)"
    )
    remark = (
        r"The notes' KKT system (1.73) solves for the new twists. There the lower right side must be "
        r"$G\Phi^k$ plus $h$ times the second line."
    )
    implements = solve_step


@section.holds("t654#c", "The target in the quadratic program of contacts")
class t654_c:
    formula = r"\mathbf C\Phi \ge -\gamma g"
    inputs = TOUCHING
    result = Result(LENGTH, "one for each constraint")

    def printed(N, gap, v, gamma, h):
        Phi = _least_change(N, -gamma * gap, v)
        return gap + h * N @ Phi

    def library(N, gap, v, gamma, h):
        rows = UnilateralRows(N, velocity_target(gap, gamma))
        return gap + h * N @ solve_step(StepProblem(np.eye(3), v, unilateral=rows)).velocity

    def reference(N, gap, v, gamma, h):
        """Compare with the larger of the gap of free motion and the fraction 1 - h gamma of the old gap.

        The gap of free motion, or the part 1 - h gamma of the old one, whichever is larger.
        """
        return np.maximum(gap + h * N @ v, (1 - h * gamma) * gap)

    remark = (
        r"With $g$ the gap, negative where bodies overlap. A gap that is still open lets them approach, "
        r"with $\gamma = 1/h$ just up to contact."
    )
    implements = BAUMGARTE_STEP


@section.holds("t654#d", "A rate of 1/h at the velocity level")
class t654_d:
    formula = r"\gamma = 1/h"
    inputs = {name: LINEAR[name] for name in ("M", "G", "x", "f", "h")}
    result = Result(LENGTH, "in the coordinates of the whole system")

    def printed(M, G, x, f, h):
        gamma = 1 / h
        return x + h * kkt_solution(M, G, f, -gamma * (G @ x))

    def library(M, G, x, f, h):
        rows = BilateralRows(G, velocity_target(G @ x, 1 / h))
        return x + h * solve_step(StepProblem(M, f, rows)).velocity

    def reference(M, G, x, f, h):
        """Compare with the point of the constraint nearest, in the mass metric, to the end of the free motion.

        The point of the constraint that is nearest, by the masses, to where the free motion leads.
        """
        null = np.linalg.svd(G)[2][1:].T
        there = x + h * np.linalg.solve(M, f)
        return null @ np.linalg.solve(null.T @ M @ null, null.T @ M @ there)

    remark = (
        "All of the error is gone after one step if the rows do not turn, and all but what the step "
        "itself adds if they do."
    )
    implements = BAUMGARTE_STEP


@section.holds("t654#e", "Rates of 1/h make the units work out")
class t654_e:
    formula = r"\alpha = \beta = \gamma = 1/h:\quad \text{`to make the units work out'}"
    inputs = {
        "g": vectors(2),
        "rate": vectors(2),
        "drift": vectors(2),
        "h": positive_numbers(0.125, 1),
        "unit": positive_numbers(0.25, 4),
    }
    result = Result(
        vector_quantity((VELOCITY, 2), (ACCELERATION, 2)),
        "for velocities, then for accelerations: one for each constraint",
    )

    def printed(g, rate, drift, h, unit):
        """Both targets, counted in another unit of time, and taken back to the old one."""
        steps = h * unit
        velocity = -1 / steps * g
        acceleration = -drift / unit**2 - 2 / steps * rate / unit - (1 / steps) ** 2 * g
        return np.append(velocity * unit, acceleration * unit**2)

    def library(g, rate, drift, h, unit):
        return np.append(velocity_target(g, 1 / h), acceleration_target(g, rate, drift, 1 / h, 1 / h))

    def reference(g, rate, drift, h, unit):
        """Compare with the rates of an error that decays within the step, critically damped, from its exponential.

        Of exp(-t/h) g, and of the oscillator with the eigenvalue -1/h twice, less what moves anyway.
        """
        twice = np.array([[0.0, 1.0], [-(h**-2.0), -2 / h]])
        decay = derivative(lambda t: g * np.exp(-t / h)).value
        bent = derivative(lambda t: (twice @ expm(t * twice) @ np.stack([g, rate]))[0]).value
        return np.append(decay, bent - drift)

    tolerance = 1e-08
    remark = (
        r"Units are not all. With the notes' steps (1.28), (1.29), which move with the new velocities, "
        r"$\alpha = \beta = 1/h$ multiplies errors by 1.618 a step (the golden ratio), and equal rates are stable "
        r"only below $2(\sqrt2 - 1)/h \approx 0.83/h$; if the old velocities move the positions, all of an error "
        r"is gone after two steps."
    )
    implements = (velocity_target, acceleration_target)
