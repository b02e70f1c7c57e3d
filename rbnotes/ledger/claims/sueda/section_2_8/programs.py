"""Sueda 2.8: inequalities on maximal and on reduced coordinates, and the active ones among them."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import strategies as st

from rbnotes.complementarity import QP, solve
from rbnotes.dynamics import State
from rbnotes.ledger.claims.sueda.section_2_8 import section
from rbnotes.ledger.claims.sueda.section_2_8.loop_closure import gamma
from rbnotes.ledger.claims.sueda.section_2_8.motion import (
    QUADRATIC,
    quadratic_level,
    reduced_row,
    reduced_row_dot,
)
from rbnotes.ledger.joint_quantities import BRANCHING
from rbnotes.ledger.oracles import complex_steps
from rbnotes.ledger.oracles.bodies import bracket
from rbnotes.ledger.oracles.branching_tree import (
    bias_acceleration,
    point_position,
    position_derivatives,
    tree_newton_equations,
)
from rbnotes.ledger.oracles.branching_tree_inputs import NAMES, TREE, QuadraticConstraint, library_tree
from rbnotes.ledger.oracles.constrained_systems import least_action
from rbnotes.ledger.pages import Page
from rbnotes.ledger.quantities import ACCELERATION, RATE, TIME, VELOCITY, stacked_quantity, vector_quantity
from rbnotes.ledger.record import Result
from rbnotes.multibody.reduced import (
    PlaneLimit,
    body_kinematics,
    constrained_acceleration,
    constraint_rows,
    mass_matrix,
    net_generalized_force,
)
from rbnotes.testing.strategies import arrays, is_rounded, numbers, round_numbers, unit_vectors

# A point of the other hinge's body stays above a plane (maximal coordinates), a quadratic function of the
# joint coordinates stays above a level, and another one is constant.
BODY = 3
PLANE_INPUTS = {
    "x": arrays(3).map(lambda x: round_numbers(x / 2 + np.array([1.0, -0.5, 0.25]))),
    "normal": unit_vectors(),
}
SECOND_QUADRATIC = {
    "c2": QUADRATIC["c"],
    "b2": QUADRATIC["b"].map(lambda b: round_numbers(b + np.array([0.5, 2.0, -1.5, 0.0, 1.0]))),
}


def maximal_rows(kinematics, x, normal):
    """Return C_m J_mr and its rate by (2.104), times qdot."""
    R, omega = kinematics.body_poses[BODY, :3, :3], kinematics.phi[BODY, :3]
    C_m, C_m_dot = normal @ R @ gamma(x), normal @ R @ bracket(omega) @ gamma(x)
    return C_m @ kinematics.J[BODY], C_m_dot @ kinematics.phi[BODY] + C_m @ kinematics.bias_acceleration[BODY]


def stack_rows(kinematics, q, v, x, normal, c, b):
    """Return C_r with C_m J_mr, and their rates times qdot."""
    on_bodies, bias = maximal_rows(kinematics, x, normal)
    return np.vstack([reduced_row(c, b, q), on_bodies]), np.append(reduced_row_dot(c, v) @ v, bias)


def inequality_errors(link_frames, x, normal, c, b):
    """Return the errors of both inequalities as a function: level, then height of the point (the oracle)."""
    quadratic, position = quadratic_level(c, b), point_position(link_frames, BODY, x)
    return lambda q: np.concatenate([quadratic(q), (position(q) @ normal)[..., None]], axis=-1)


@section.holds("e2.104", "Stacked inequalities on joints and on bodies")
class e2_104:
    formula = r"\bar C_r = \begin{pmatrix} C_r \\ C_m J_{mr} \end{pmatrix},\quad \dot{\bar C}_r = \begin{pmatrix} \dot C_r \\ \dot C_m J_{mr} + C_m\dot J_{mr} \end{pmatrix}"
    inputs = {name: TREE[name] for name in ("link_frames", "bodies", "q", "v")} | PLANE_INPUTS | QUADRATIC
    result = Result(
        stacked_quantity(
            vector_quantity((RATE, 1), (VELOCITY, 1)),
            vector_quantity((RATE / TIME, 1), (ACCELERATION, 1)),
        ),
        "of the inequality on joints, then on bodies: velocities, then accelerations",
    )

    def printed(link_frames, bodies, q, v, x, normal, c, b):
        """Apply the rows and their rates to joint velocities."""
        C, bias = stack_rows(body_kinematics(library_tree(link_frames, bodies), q, v), q, v, x, normal, c, b)
        return [C @ v, bias]

    def library(link_frames, bodies, q, v, x, normal, c, b):
        system, state = library_tree(link_frames, bodies), State(q=q, qdot=v)
        limits = [QuadraticConstraint(c, b, unilateral=True), PlaneLimit(NAMES[BODY], x, normal)]
        rows = [constraint_rows(system, each, state, 0.0) for each in limits]
        return [
            np.concatenate([each.G @ v for each in rows]),
            np.concatenate([each.bias_acceleration for each in rows]),
        ]

    def reference(link_frames, bodies, q, v, x, normal, c, b):
        """Compare with the rates of level and height at constant joint velocities, and with their rates."""
        error = inequality_errors(link_frames, x, normal, c, b)
        return [complex_steps.directional_derivative(error, q, v), bias_acceleration(error, q, v)]

    implements = (constraint_rows, PlaneLimit)


def velocity_with_speeds(link_frames, q, v, x, normal, c, b, speeds):
    """Return the velocity nearest to v at which level and height rise at these speeds.

    In the region of tenths, where that velocity has too many digits, the tree is at rest.
    """
    if is_rounded():
        return np.zeros_like(v)
    rows = position_derivatives(inequality_errors(link_frames, x, normal, c, b), q)
    return v + np.linalg.pinv(rows) @ (speeds - rows @ v)


def bounds_with_gaps(link_frames, q, x, normal, c, b, gaps):
    """Return level and height minus the gaps."""
    return inequality_errors(link_frames, x, normal, c, b)(q) - gaps


NONNEGATIVE = st.tuples(numbers(-1, 1), numbers(-1, 1)).map(lambda pair: np.maximum(0.0, pair))
GEOMETRY = ("link_frames", "q", "x", "normal", "c", "b")
SHARED_STATE = st.shared(
    st.tuples(
        *((TREE | PLANE_INPUTS | QUADRATIC)[name] for name in GEOMETRY), TREE["v"], NONNEGATIVE, NONNEGATIVE
    ),
    key="inequalities, some of them open or opening",
)


def limit_inputs(gaps, speeds):
    """Return inputs whose gaps and speeds are the drawn ones times these factors."""
    drawn = {name: SHARED_STATE.map(lambda d, k=k: d[k]) for k, name in enumerate(GEOMETRY)}
    drawn["v"] = SHARED_STATE.map(lambda d: velocity_with_speeds(d[0], d[1], d[6], *d[2:6], speeds * d[8]))
    drawn["bounds"] = SHARED_STATE.map(lambda d: bounds_with_gaps(*d[:6], gaps * d[7]))
    return drawn | {"bodies": TREE["bodies"], "g": TREE["g"]} | SECOND_QUADRATIC


@section.conditional("e2.105", "Accelerations under inequalities and equations as a quadratic program")
class e2_105:
    page_2019 = Page(38)
    page_2021 = Page(50)
    formula = r"\underset{\ddot q_r}{\text{minimize}}\ \ \tfrac12\ddot q_r^\top M_r\ddot q_r - \ddot q_r^\top f_r \quad\text{subject to}\quad \bar C_r\ddot q_r \ge -\dot{\bar C}_r\dot q_r,\quad \bar G_r\ddot q_r = -\dot{\bar G}_r\dot q_r"
    inputs = limit_inputs(1.0, 1.0)
    result = Result(BRANCHING / TIME / TIME, "of the joints, in their order")

    def printed(link_frames, q, x, normal, c, b, v, bounds, bodies, g, c2, b2):
        tree = library_tree(link_frames, bodies, g)
        C, C_bias = stack_rows(body_kinematics(tree, q, v), q, v, x, normal, c, b)
        G, G_dot = reduced_row(c2, b2, q), reduced_row_dot(c2, v)
        program = QP(mass_matrix(tree, q), -net_generalized_force(tree, q, v), C, -C_bias, G, -G_dot @ v)
        return solve(program, "block_principal_pivoting").x

    def library(link_frames, q, x, normal, c, b, v, bounds, bodies, g, c2, b2):
        constraints = [
            QuadraticConstraint(c, b, bounds[:1], unilateral=True),
            PlaneLimit(NAMES[BODY], x, normal / np.linalg.norm(normal), bounds[1]),
            QuadraticConstraint(c2, b2),
        ]
        system, state = library_tree(link_frames, bodies, g), State(q=q, qdot=v)
        return constrained_acceleration(system, constraints, state)[0]

    def reference(link_frames, q, x, normal, c, b, v, bounds, bodies, g, c2, b2):
        """Try all sets of active inequalities, with masses, gaps and their rates from points."""
        M, f = tree_newton_equations(link_frames, bodies, g, q, v)
        error, equation = inequality_errors(link_frames, x, normal, c, b), quadratic_level(c2, b2)
        active = (error(q) - bounds < 1e-9) & (complex_steps.directional_derivative(error, q, v) < 1e-9)
        C, c_bias = position_derivatives(error, q)[active], bias_acceleration(error, q, v)[active]
        G, g_bias = position_derivatives(equation, q), bias_acceleration(equation, q, v)
        candidates = []
        for choice in itertools.product([False, True], repeat=len(C)):
            is_closed = np.array(choice, dtype=bool)
            rows, bias = np.vstack([G, C[is_closed]]), np.append(g_bias, c_bias[is_closed])
            a = least_action(M, f, rows, -bias)
            is_admissible = np.all(C @ a + c_bias >= -1e-9)
            candidates.append((np.inf if not is_admissible else a @ M @ a / 2 - a @ f, a))
        return min(candidates, key=lambda pair: pair[0])[1]

    tolerance = 1e-8
    condition_inputs = limit_inputs(0.0, 0.0)
    condition = "all the inequalities are active: closed, and neither opening nor closing ($g = 0$ and $\\bar C_r\\dot q_r = 0$)"

    def holds_when(link_frames, q, x, normal, c, b, v, bounds, bodies, g, c2, b2):
        error = inequality_errors(link_frames, x, normal, c, b)
        return np.all(error(q) - bounds < 1e-9) and np.all(
            complex_steps.directional_derivative(error, q, v) < 1e-9
        )

    remark = (
        "An inequality with a gap, or one that opens, must be left out; otherwise the program stops "
        "joints at limits that are far away. A closed inequality that closes further needs an "
        "impulse, not an acceleration. At the velocity level no such distinction is needed."
    )
    implements = (constrained_acceleration, PlaneLimit)
