"""Sueda 2.8: inequalities on maximal and on reduced coordinates, and which of them have a say."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import strategies as st

from rbnotes.complementarity import QP, solve
from rbnotes.dynamics import State
from rbnotes.ledger.claims.sueda.section_2_8 import section
from rbnotes.ledger.claims.sueda.section_2_8.loop_closure import gamma
from rbnotes.ledger.claims.sueda.section_2_8.motion import CURVED, level, reduced_row, reduced_row_dot
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
    TreeSystem,
    body_kinematics,
    constrained_acceleration,
    constraint_rows,
    mass_matrix,
    net_generalized_force,
)
from rbnotes.testing.strategies import arrays, numbers, unit_vectors

# A point of the other hinge's body stays above a plane (on maximal coordinates), a curved function of the
# joints' own coordinates stays above a level, and another one keeps its value.
BODY = 3
ABOVE = {"x": arrays(3).map(lambda x: x / 2 + np.array([1.0, -0.5, 0.25])), "normal": unit_vectors()}
SECOND = {"c2": CURVED["c"], "b2": CURVED["b"].map(lambda b: b + np.array([0.5, 2.0, -1.5, 0.0, 1.0]))}


def maximal_rows(now, x, normal):
    """C_m J_mr and what (2.104) makes of its rate, times qdot."""
    R, omega = now.body_poses[BODY, :3, :3], now.phi[BODY, :3]
    C_m, C_m_dot = normal @ R @ gamma(x), normal @ R @ bracket(omega) @ gamma(x)
    return C_m @ now.J[BODY], C_m_dot @ now.phi[BODY] + C_m @ now.bias_acceleration[BODY]


def stack_rows(now, q, v, x, normal, c, b):
    """C_r with C_m J_mr, and their rates times qdot."""
    on_bodies, bent = maximal_rows(now, x, normal)
    return np.vstack([reduced_row(c, b, q), on_bodies]), np.append(reduced_row_dot(c, v) @ v, bent)


def above(at, x, normal, c, b):
    """Level of the curved function, height of the point, by the coordinates: the oracle."""
    curved, place = level(c, b), point_position(at, BODY, x)
    return lambda q: np.concatenate([curved(q), (place(q) @ normal)[..., None]], axis=-1)


@section.holds("e2.104", "Inequalities of both kinds, stacked")
class e2_104:
    formula = r"\bar C_r = \begin{pmatrix} C_r \\ C_m J_{mr} \end{pmatrix},\quad \dot{\bar C}_r = \begin{pmatrix} \dot C_r \\ \dot C_m J_{mr} + C_m\dot J_{mr} \end{pmatrix}"
    inputs = {name: TREE[name] for name in ("at", "bodies", "q", "v")} | ABOVE | CURVED
    result = Result(
        stacked_quantity(
            vector_quantity((RATE, 1), (VELOCITY, 1)),
            vector_quantity((RATE / TIME, 1), (ACCELERATION, 1)),
        ),
        "of the inequality on joints, then on bodies: of velocities, then of accelerations",
    )

    def printed(at, bodies, q, v, x, normal, c, b):
        """Apply the rows and their rates to joint velocities."""
        C, bent = stack_rows(body_kinematics(library_tree(at, bodies), q, v), q, v, x, normal, c, b)
        return [C @ v, bent]

    def library(at, bodies, q, v, x, normal, c, b):
        system, state = TreeSystem(library_tree(at, bodies)), State(q=q, qdot=v)
        limits = [QuadraticConstraint(c, b, unilateral=True), PlaneLimit(NAMES[BODY], x, normal)]
        rows = [constraint_rows(system, each, state, 0.0) for each in limits]
        return [
            np.concatenate([each.G @ v for each in rows]),
            np.concatenate([each.bias_acceleration for each in rows]),
        ]

    def reference(at, bodies, q, v, x, normal, c, b):
        """Measure the rates of level and height at steady joint velocities, and the rates of these."""
        error = above(at, x, normal, c, b)
        return [complex_steps.directional_derivative(error, q, v), bias_acceleration(error, q, v)]

    implements = (constraint_rows, PlaneLimit)


def moving_off(at, q, v, x, normal, c, b, speeds):
    """Return the velocity nearest to v at which level and height rise at these speeds."""
    rows = position_derivatives(above(at, x, normal, c, b), q)
    return v + np.linalg.pinv(rows) @ (speeds - rows @ v)


def draw_bounds(at, q, x, normal, c, b, gaps):
    """Level and height that are short of where they are by the gaps."""
    return above(at, x, normal, c, b)(q) - gaps


NOT_BELOW_ZERO = st.tuples(numbers(-1, 1), numbers(-1, 1)).map(lambda pair: np.maximum(0.0, pair))
GEOMETRY = ("at", "q", "x", "normal", "c", "b")
DRAWN = st.shared(
    st.tuples(
        *((TREE | ABOVE | CURVED)[name] for name in GEOMETRY), TREE["v"], NOT_BELOW_ZERO, NOT_BELOW_ZERO
    ),
    key="inequalities, some of them open or opening",
)


def limits(gaps, speeds):
    """Return inputs whose gaps and speeds are these fractions of those drawn."""
    drawn = {name: DRAWN.map(lambda d, k=k: d[k]) for k, name in enumerate(GEOMETRY)}
    drawn["v"] = DRAWN.map(lambda d: moving_off(d[0], d[1], d[6], *d[2:6], speeds * d[8]))
    drawn["bounds"] = DRAWN.map(lambda d: draw_bounds(*d[:6], gaps * d[7]))
    return drawn | {"bodies": TREE["bodies"], "g": TREE["g"]} | SECOND


@section.conditional("e2.105", "Accelerations under inequalities and equations as a quadratic program")
class e2_105:
    page_2019 = Page(38)
    page_2021 = Page(50)
    formula = r"\underset{\ddot q_r}{\text{minimize}}\ \ \tfrac12\ddot q_r^\top M_r\ddot q_r - \ddot q_r^\top f_r \quad\text{subject to}\quad \bar C_r\ddot q_r \ge -\dot{\bar C}_r\dot q_r,\quad \bar G_r\ddot q_r = -\dot{\bar G}_r\dot q_r"
    inputs = limits(1.0, 1.0)
    result = Result(BRANCHING / TIME / TIME, "of the joints, in their order")

    def printed(at, q, x, normal, c, b, v, bounds, bodies, g, c2, b2):
        tree = library_tree(at, bodies, g)
        C, C_bent = stack_rows(body_kinematics(tree, q, v), q, v, x, normal, c, b)
        G, G_dot = reduced_row(c2, b2, q), reduced_row_dot(c2, v)
        program = QP(mass_matrix(tree, q), -net_generalized_force(tree, q, v), C, -C_bent, G, -G_dot @ v)
        return solve(program, "block_principal_pivoting").x

    def library(at, q, x, normal, c, b, v, bounds, bodies, g, c2, b2):
        constraints = [
            QuadraticConstraint(c, b, bounds[:1], unilateral=True),
            PlaneLimit(NAMES[BODY], x, normal / np.linalg.norm(normal), bounds[1]),
            QuadraticConstraint(c2, b2),
        ]
        system, state = TreeSystem(library_tree(at, bodies, g)), State(q=q, qdot=v)
        return constrained_acceleration(system, constraints, state)[0]

    def reference(at, q, x, normal, c, b, v, bounds, bodies, g, c2, b2):
        """Try all sets of closed inequalities that do not open, with masses, gaps and their rates from points."""
        M, f = tree_newton_equations(at, bodies, g, q, v)
        error, kept = above(at, x, normal, c, b), level(c2, b2)
        counts = (error(q) - bounds < 1e-9) & (complex_steps.directional_derivative(error, q, v) < 1e-9)
        C, c_bent = position_derivatives(error, q)[counts], bias_acceleration(error, q, v)[counts]
        G, g_bent = position_derivatives(kept, q), bias_acceleration(kept, q, v)
        candidates = []
        for chosen in itertools.product([False, True], repeat=len(C)):
            held = np.array(chosen, dtype=bool)
            rows, bent = np.vstack([G, C[held]]), np.append(g_bent, c_bent[held])
            a = least_action(M, f, rows, -bent)
            fits = np.all(C @ a + c_bent >= -1e-9)
            candidates.append((np.inf if not fits else a @ M @ a / 2 - a @ f, a))
        return min(candidates, key=lambda pair: pair[0])[1]

    tolerance = 1e-8
    given = limits(0.0, 0.0)
    condition = "all the inequalities are active: closed, and neither opening nor closing ($g = 0$ and $\\bar C_r\\dot q_r = 0$)"

    def holds_when(at, q, x, normal, c, b, v, bounds, bodies, g, c2, b2):
        error = above(at, x, normal, c, b)
        return np.all(error(q) - bounds < 1e-9) and np.all(
            complex_steps.directional_derivative(error, q, v) < 1e-9
        )

    remark = (
        "An inequality with a gap, or one that opens, must be left out: with it the program holds limbs back from "
        "limits that are far away. One that is closed and closes needs an impulse, which no acceleration is. At "
        "the velocity level none of this is asked."
    )
    implements = (constrained_acceleration, PlaneLimit)
