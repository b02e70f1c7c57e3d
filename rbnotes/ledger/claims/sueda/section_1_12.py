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
        "A": Argument(NUMBER / AREA, "in the generalized coordinates of the system"),
        "b": Argument(NUMBER / LENGTH, "in the generalized coordinates of the system"),
        "q": Argument(LENGTH, "in the generalized coordinates of the system"),
        "v": Argument(VELOCITY, "in the generalized coordinates of the system"),
        "h": Argument(TIME),
        "m1": Argument(MASS),
        "m2": Argument(MASS),
        "x1": Argument(LENGTH, "joint point in the body 1, in its frame"),
        "x2": Argument(LENGTH, "joint point in the body 2, in its frame"),
        "length": Argument(LENGTH),
        "E": Argument(POSE, "of the body 1 in the world"),
        "offset": Argument(
            LENGTH, "from the joint's origin to the point of the second body, along the axes of the joint"
        ),
        "phi1": Argument(TWIST, "of the body 1, in its frame"),
        "phi2": Argument(TWIST, "of the body 2, in its frame"),
        "E1": Argument(POSE, "of the body 1 in the world"),
        "E2": Argument(POSE, "of the body 2 in the world"),
        "g": Argument(LENGTH, "one for each constraint"),
        "gamma": Argument(RATE),
        "A1": Argument(
            NUMBER / LENGTH, "one row for each constraint, over the generalized coordinates of the system"
        ),
        "A2": Argument(
            NUMBER / LENGTH, "one row for each constraint, over the generalized coordinates of the system"
        ),
        "B": Argument(NUMBER, "one row for each constraint, over the generalized coordinates of the system"),
        "alpha": Argument(RATE),
        "beta": Argument(RATE),
        "M": Argument(MASS, "in the generalized coordinates of the system"),
        "G": Argument(NUMBER, "one row for each constraint, over the generalized coordinates of the system"),
        "x": Argument(LENGTH, "in the generalized coordinates of the system"),
        "f": Argument(MOMENTUM, "in the generalized coordinates of the system"),
        "w": Argument(VELOCITY, "in the generalized coordinates of the system"),
        "target": Argument(ACCELERATION, "one for each constraint"),
        "s": Argument(TIME),
        "N": Argument(NUMBER, "one row for each constraint, over the generalized coordinates of the system"),
        "gap": Argument(LENGTH, "one for each constraint"),
        "rate": Argument(VELOCITY, "one for each constraint"),
        "drift": Argument(ACCELERATION, "one for each constraint"),
        "time_unit": Argument(NUMBER),
    },
)


# Drift of the constraint g(x) = g(q), with g(x) = x^T A x / 2 + b^T x, from the point q.
DRIFT = {
    "A": arrays(3, 3).map(lambda B: B + B.T),
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


def pose_entries(E1, E2):
    """Return the entries of both poses that are not constant, as one vector q (24,)."""
    return np.concatenate([E1[:3].ravel(), E2[:3].ravel()])


def gap_of_entries(q, x1, x2):
    return gap(q[:12].reshape(3, 4), q[12:].reshape(3, 4), x1, x2)


def rate_library(E1, E2, x1, x2, phi1, phi2):
    return se3.point_velocity(E1, x1, phi1) - se3.point_velocity(E2, x2, phi2)


def rate_reference(E1, E2, x1, x2, phi1, phi2):
    """Compare with the numerical derivative of a ball joint's error along the motion of its two bodies."""
    first, second = motion(E1, phi1), motion(E2, phi2)
    p1, p2 = np.append(x1, 1.0), np.append(x2, 1.0)
    return derivative(lambda t: first(t) @ p1 - second(t) @ p2).value[:3]


# The same joint with the rows of (1.69): its frame in body 1, and the point of body 2 at `offset` from its origin.
TWIST_ROWS = {"E": frames(), "offset": nonzero_vectors(), "phi1": arrays(6), "phi2": arrays(6)}
POINT = np.array([0.3, -0.2, 0.5])
F = expm(np.array([[0, -0.5, 0.3, 0.2], [0.5, 0, -0.7, -0.4], [-0.3, 0.7, 0, 0.6], [0, 0, 0, 0]]))
ROTATION = expm(np.array([[0, 0.4, 0.6], [-0.4, 0, -0.8], [-0.6, 0.8, 0]]))


def second_pose(E, offset):
    """Return the pose of body 2, whose point (0.3, -0.2, 0.5) is at `offset` from the joint's origin."""
    E2 = np.eye(4)
    E2[:3, :3] = E[:3, :3] @ F[:3, :3] @ ROTATION
    E2[:3, 3] = (E @ F @ np.append(offset, 1.0))[:3] - E2[:3, :3] @ POINT
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
    inputs = DRIFT
    result = Result(NUMBER, "one for each constraint")

    def printed(A, b, q, v, h):
        """Return the constraint error after one step whose new velocities satisfy the row."""
        G = A @ q + b
        tangential = v - G * (G @ v) / (G @ G)
        return h**2 / 2 * tangential @ A @ tangential

    def library(A, b, q, v, h):
        row = BilateralRows((A @ q + b)[None])
        x = q + h * solve_step(StepProblem(np.eye(3), v, row)).velocity
        return (x @ A @ x / 2 + b @ x) - (q @ A @ q / 2 + b @ q)

    def reference(A, b, q, v, h):
        """Compare with the constraint error after a straight step in the tangent plane of the constraint."""
        basis = null_space(complex_step(lambda x: x @ A @ x / 2 + b @ x, q)[None])
        ends = np.stack([q, q + h * basis @ (basis.T @ v)])
        return np.diff([end @ A @ end / 2 + b @ end for end in ends])[0]

    special = {"A": "the second derivative of a constraint is symmetric"}
    remark = (
        "The drift is 'unavoidable' if the rows change with the motion, as here. If the second "
        "derivative vanishes (a bead on a straight wire, the contact of a point with a plane), only "
        "rounding errors drift."
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
        """Compare with two masses that move along the rod about their center of mass."""
        center = (m1 * x1 + m2 * x2) / (m1 + m2)
        direction = (x2 - x1) / np.linalg.norm(x2 - x1)
        return np.concatenate(
            [center - m2 / (m1 + m2) * length * direction, center + m1 / (m1 + m2) * length * direction]
        )

    tolerance_reason = "the library stops its iteration at an error of 1e-10 in the constraint"
    remark = (
        "The notes only mention post-stabilization; this is the form with the smallest correction in the "
        "mass metric."
    )
    implements = project_positions


@section.holds("e1.81#a", "Rate of a constraint by the chain rule")
class e1_81_a:
    formula = r"\frac{dg}{dt} = \frac{\partial g}{\partial q}\,\dot q"
    inputs = BALL
    result = Result(VELOCITY, "along the axes of the world")

    def printed(E1, E2, x1, x2, phi1, phi2):
        dg_dq = complex_step(lambda q: gap_of_entries(q, x1, x2), pose_entries(E1, E2))
        qdot = pose_entries(E1 @ twist_matrix(phi1), E2 @ twist_matrix(phi2))
        return dg_dq @ qdot

    library = rate_library
    reference = rate_reference
    remark = r"Here $q$ contains the entries of both $\mathbf E$, and $\dot q$ those of $\mathbf E[\phi]$."
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
    remark = (
        r"$G$ has six columns for each body, but $\partial g/\partial q$ has twelve: the matrices differ."
    )
    implements = se3.point_velocity


@section.conditional("t644", "Rate of a joint constraint with the rows of (1.69)")
class t644:
    page_2019 = Page(18)
    page_2021 = Page(23)
    formula = r"\frac{dg}{dt} = G\,\Phi\ \text{with the rows}\ G\ \text{of (1.69)}"
    inputs = TWIST_ROWS
    result = Result(VELOCITY, "along the axes of the joint")
    constants = (LENGTH,)

    def printed(E, offset, phi1, phi2):
        X1 = np.linalg.inv(F)
        X2 = np.linalg.inv(E @ F) @ second_pose(E, offset)
        delta = adjoint_by_conjugation(X1) @ phi1 - adjoint_by_conjugation(X2) @ phi2
        return delta[3:]

    def library(E, offset, phi1, phi2):
        """Return the rate of the gap along the axes of the joint, which rotate with body 1."""
        other = second_pose(E, offset)
        R, joint_origin = (E @ F)[:3, :3], F[:3, 3]
        gap = se3.transform_points(E, joint_origin) - se3.transform_points(other, POINT)
        rate = se3.point_velocity(E, joint_origin, phi1) - se3.point_velocity(other, POINT, phi2)
        return R.T @ (rate - np.cross(E[:3, :3] @ phi1[:3], gap))

    def reference(E, offset, phi1, phi2):
        """Compare with the numerical derivative of the gap of a ball joint, along axes fixed to the first body."""
        first, second = motion(E, phi1), motion(second_pose(E, offset), phi2)

        def gap_in_joint(t):
            joint = first(t) @ F
            return joint[:3, :3].T @ (joint[:3, 3] - (second(t) @ np.append(POINT, 1.0))[:3])

        return derivative(gap_in_joint).value

    condition_inputs = {**TWIST_ROWS, "offset": st.just(np.zeros(3))}
    primitives = ("rbnotes.ledger.claims.sueda.section_1_12.second_pose",)

    def holds_when(E, offset, phi1, phi2):
        return not np.any(offset)

    condition = "the joint constraint is satisfied, $g = 0$"
    remark = (
        "The adjoint rows evaluate the velocity of the second body at the joint of the first body, not "
        r"at its own joint point. If $g \ne 0$, the rates differ by the cross product of the relative "
        "angular velocity with the gap, which is small if the stabilization works."
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


# The unknowns of the system are w plus s times the acceleration: for accelerations w = 0 and s = 1, for the
# velocities of (1.73) w is the old velocity and s the step.
ACCELERATION_KKT = {
    "M": spd_matrices(3),
    "G": nonzero_vectors(3).map(lambda row: row[None]),
    "w": vectors(3),
    "target": vectors(1),
    "f": vectors(3),
    "s": positive_numbers(0.125, 1.0),
}


def match_targets(G, w, target, s):
    """Change w along the row so that both kinds of unknowns have the same target: G w = (1 - s) target."""
    return w - G[0] * (G @ w - (1 - s) * target) / (G[0] @ G[0])


SHARED_SYSTEM = st.shared(
    st.tuples(*(ACCELERATION_KKT[name] for name in ("G", "w", "target", "s"))), key="system for accelerations"
)
MATCHING_KKT = {
    **ACCELERATION_KKT,
    "G": SHARED_SYSTEM.map(lambda drawn: drawn[0]),
    "w": SHARED_SYSTEM.map(lambda drawn: match_targets(*drawn)),
    "target": SHARED_SYSTEM.map(lambda drawn: drawn[2]),
    "s": SHARED_SYSTEM.map(lambda drawn: drawn[3]),
}


def _nearest_velocity(N, lower_bound, v):
    """Return the velocity nearest to v (unit masses) whose product with the row has this lower bound."""
    deficit = np.maximum(0.0, lower_bound - N @ v)
    return v + N.T @ np.linalg.solve(N @ N.T, deficit)


CONTACT = {
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
    any_size = True
    inputs = {"g": vectors(3), "gamma": positive_numbers()}
    result = Result(VELOCITY, "one for each constraint")

    def printed(g, gamma):
        return -gamma * g

    def library(g, gamma):
        return velocity_target(g, gamma)

    def reference(g, gamma):
        """Compare with the initial rate of an error that decays as exp(-gamma t)."""
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
        bias = np.array([v @ A1 @ v, v @ A2 @ v])
        return acceleration_target(quadratic(A1, A2, B, q), G @ v, bias, alpha, beta)

    def reference(A1, A2, B, q, v, alpha, beta):
        """Compare with the second derivative of a damped oscillator, minus that of the error along straight motion.

        The oscillator is evaluated by its matrix exponential.
        """

        def rate(t):
            return complex_step(lambda s: quadratic(A1, A2, B, q + s * v), np.array([t]))[..., 0]

        bias = derivative(rate).value
        oscillator = np.array([[0.0, 1.0], [-(beta**2), -2 * alpha]])
        initial = np.stack([quadratic(A1, A2, B, q), rate(0.0)])
        target = derivative(lambda t: (oscillator @ expm(t * oscillator) @ initial)[0]).value
        return target - bias

    primitives = ("rbnotes.ledger.claims.sueda.section_1_12.quadratic",)
    remark = r"The error is critically damped for $\alpha = \beta$."
    implements = acceleration_target


@section.holds("t654#a", "Velocity target in the KKT system of the twists")
class t654_a:
    formula = r"\begin{pmatrix} M & G^\top \\ G & 0 \end{pmatrix}\begin{pmatrix} \Phi \\ \lambda \end{pmatrix} = \begin{pmatrix} \tilde f \\ -\gamma g \end{pmatrix}"
    any_size = True
    inputs = LINEAR
    result = Result(
        vector_quantity((VELOCITY, 3), (MOMENTUM, 1)),
        "of the velocities in the generalized coordinates of the system, then of the constraints",
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
        """Compare with the prescribed remaining error, reached by the least impulse from the free motion."""
        free_velocity = np.linalg.solve(M, f)
        velocity_change = ((1 - h * gamma) * (G @ x) - G @ (x + h * free_velocity)) / h
        impulse = np.linalg.solve(G @ np.linalg.solve(M, G.T), velocity_change)
        return np.append(free_velocity + np.linalg.solve(M, G.T @ impulse), -impulse)

    remark = (
        r"Each step multiplies the error of a constraint with constant rows by $1 - h\gamma$, which is "
        r"stable for $0 < h\gamma < 2$. $\lambda$ is minus the impulse, as in (1.73)."
    )
    implements = BAUMGARTE_STEP


@section.conditional("t654#b", "Acceleration target in a KKT system")
class t654_b:
    page_2019 = Page(18)
    page_2021 = Page(23)
    formula = r"\begin{pmatrix} M & G^\top \\ G & 0 \end{pmatrix}\begin{pmatrix} \cdot \\ \lambda \end{pmatrix} = \begin{pmatrix} \cdot \\ -\dot G\dot q - 2\alpha G\dot q - \beta^2 g \end{pmatrix}"
    inputs = ACCELERATION_KKT
    arguments = {"f": Argument(FORCE, "in the generalized coordinates of the system")}
    result = Result(ACCELERATION, "in the generalized coordinates of the system")

    def printed(M, G, w, target, f, s):
        unknowns = kkt_solution(M, G, M @ w + s * f, target)
        return (unknowns - w) / s

    def library(M, G, w, target, f, s):
        rows = BilateralRows(G, G @ w + s * target)
        return (solve_step(StepProblem(M, M @ w + s * f, rows)).velocity - w) / s

    def reference(M, G, w, target, f, s):
        """Compare with the admissible acceleration nearest to the free one in the mass metric, by the null space."""
        null = np.linalg.svd(G)[2][1:].T
        particular = np.linalg.pinv(G) @ target
        free_velocity = np.linalg.solve(M, f)
        return particular + null @ np.linalg.solve(
            null.T @ M @ null, null.T @ M @ (free_velocity - particular)
        )

    units_mismatch = "if the unknowns are velocities, the rows equate velocities to accelerations"
    condition_inputs = MATCHING_KKT

    def holds_when(M, G, w, target, f, s):
        return np.allclose(G @ w, (1 - s) * target, atol=1e-9)

    condition = (
        "the unknowns are accelerations and the upper right-hand side contains forces (or, for unknowns "
        r"$w + s\ddot q$, $Gw$ happens to be $(1 - s)$ times the target)"
    )
    remark = (
        "The KKT system (1.73) of the notes solves for the new twists. Its lower right-hand side must be "
        r"$G\Phi^k$ plus $h$ times the second line."
    )
    implements = solve_step


@section.holds("t654#c", "Velocity target in the quadratic program of contacts")
class t654_c:
    formula = r"\mathbf C\Phi \ge -\gamma g"
    any_size = True
    inputs = CONTACT
    result = Result(LENGTH, "one for each constraint")

    def printed(N, gap, v, gamma, h):
        Phi = _nearest_velocity(N, -gamma * gap, v)
        return gap + h * N @ Phi

    def library(N, gap, v, gamma, h):
        rows = UnilateralRows(N, velocity_target(gap, gamma))
        return gap + h * N @ solve_step(StepProblem(np.eye(3), v, unilateral=rows)).velocity

    def reference(N, gap, v, gamma, h):
        """Compare with the gap after free motion or the fraction 1 - h gamma of the old gap, the larger of both."""
        return np.maximum(gap + h * N @ v, (1 - h * gamma) * gap)

    remark = (
        "Here $g$ is the gap, negative if the bodies overlap. An open gap permits an approach; with "
        r"$\gamma = 1/h$, exactly up to contact."
    )
    implements = BAUMGARTE_STEP


@section.holds("t654#d", "Velocity target with a rate of 1/h")
class t654_d:
    formula = r"\gamma = 1/h"
    inputs = {name: LINEAR[name] for name in ("M", "G", "x", "f", "h")}
    result = Result(LENGTH, "in the generalized coordinates of the system")

    def printed(M, G, x, f, h):
        gamma = 1 / h
        return x + h * kkt_solution(M, G, f, -gamma * (G @ x))

    def library(M, G, x, f, h):
        rows = BilateralRows(G, velocity_target(G @ x, 1 / h))
        return x + h * solve_step(StepProblem(M, f, rows)).velocity

    def reference(M, G, x, f, h):
        """Compare with the point of the constraint nearest, in the mass metric, to the end of the free motion."""
        null = np.linalg.svd(G)[2][1:].T
        free_position = x + h * np.linalg.solve(M, f)
        return null @ np.linalg.solve(null.T @ M @ null, null.T @ M @ free_position)

    remark = (
        "With constant rows the error vanishes after one step. Otherwise only the drift of the step "
        "itself remains."
    )
    implements = BAUMGARTE_STEP


@section.holds("t654#e", "Rates of 1/h have the right units")
class t654_e:
    formula = r"\alpha = \beta = \gamma = 1/h:\quad \text{`to make the units work out'}"
    any_size = True
    inputs = {
        "g": vectors(2),
        "rate": vectors(2),
        "drift": vectors(2),
        "h": positive_numbers(0.125, 1),
        "time_unit": positive_numbers(0.25, 4),
    }
    result = Result(
        vector_quantity((VELOCITY, 2), (ACCELERATION, 2)),
        "for velocities, then for accelerations: one for each constraint",
    )

    def printed(g, rate, drift, h, time_unit):
        """Evaluate both targets in another unit of time, and convert them back."""
        steps = h * time_unit
        velocity = -1 / steps * g
        acceleration = -drift / time_unit**2 - 2 / steps * rate / time_unit - (1 / steps) ** 2 * g
        return np.append(velocity * time_unit, acceleration * time_unit**2)

    def library(g, rate, drift, h, time_unit):
        return np.append(velocity_target(g, 1 / h), acceleration_target(g, rate, drift, 1 / h, 1 / h))

    def reference(g, rate, drift, h, time_unit):
        """Compare with rates of errors with the time constant h: exponential, and critically damped."""
        oscillator = np.array([[0.0, 1.0], [-(h**-2.0), -2 / h]])
        decay = derivative(lambda t: g * np.exp(-t / h)).value
        acceleration = derivative(
            lambda t: (oscillator @ expm(t * oscillator) @ np.stack([g, rate]))[0]
        ).value
        return np.append(decay, acceleration - drift)

    tolerance = 1e-08
    remark = (
        "Right units do not imply stability. With the steps (1.28) and (1.29) of the notes, which use "
        r"the new velocities, $\alpha = \beta = 1/h$ multiplies errors by 1.618 in each step (the golden "
        r"ratio), and equal rates are stable only below $2(\sqrt2 - 1)/h \approx 0.83/h$. If the old "
        "velocities update the positions, an error vanishes after two steps."
    )
    implements = (velocity_target, acceleration_target)
