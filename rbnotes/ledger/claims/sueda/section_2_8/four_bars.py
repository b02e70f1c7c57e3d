"""Sueda 2.8: the planar four-bar linkage, its degrees of freedom and its singular direction."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from scipy.linalg import null_space

from rbnotes.dynamics import State
from rbnotes.ledger.claims.sueda.section_2_8 import section
from rbnotes.ledger.claims.sueda.section_2_8.loop_closure import gamma, loop_rows, loop_rows_dot
from rbnotes.ledger.joint_quantities import BRANCHING
from rbnotes.ledger.oracles.branching_tree import (
    joint_axis,
    newton_equations,
    point_position,
    position_derivatives,
    tangent_directions,
    tree_newton_equations,
)
from rbnotes.ledger.oracles.branching_tree_inputs import TREE, library_tree
from rbnotes.ledger.oracles.constrained_systems import project_velocity
from rbnotes.ledger.oracles.four_bar_linkage import (
    bar_point_positions,
    closed_loop_directions,
    loop_closure_error,
    open_chain_directions,
    relative_accelerations,
    relative_rates,
    rotating_base,
)
from rbnotes.ledger.oracles.four_bar_linkage_inputs import (
    LINKAGE,
    MOVING_LINKAGE,
    assembled_angles,
    assembled_rates,
    linkage_tree,
    loop_closure,
)
from rbnotes.ledger.pages import Page
from rbnotes.ledger.quantities import NUMBER, RATE, TIME
from rbnotes.ledger.record import Argument, Result
from rbnotes.multibody.reduced import (
    LoopClosure,
    body_kinematics,
    constrained_acceleration,
    jacobian,
    mass_matrix,
    net_generalized_force,
    perpendicular_pair,
    poses,
)
from rbnotes.testing.strategies import arrays, numbers

# A linkage for the counts.
BARS = np.array([1.25, 0.4, 1.3, 1.1])
PLANE_POSE = np.array([[0.6, 0, 0.8, 0.3], [0, 1, 0, -0.2], [-0.8, 0, 0.6, 0.5], [0, 0, 0, 1.0]])
POINTS = np.tile([[1.0, 0.5, 0, 0], [1, 0, 0.5, 0], [2, 0, 0, 0.5], [1, 0.1, 0.2, 0.3]], (3, 1, 1))


def open_chain_terms(place, bars, frames, bodies, q):
    """Return the mass matrix of the open chain at rest, and the derivatives of the gap at its end."""
    positions = bar_point_positions(lambda u: place, bars, frames, bodies, open_chain_directions)
    masses = bodies[..., 0].ravel()
    M, _ = newton_equations(positions, masses, np.zeros((len(masses), 3)), q, 0 * q)
    return M, position_derivatives(loop_closure_error(place, bars), q)


@section.demonstration("t1252#a", "Degrees of freedom and constraints of a four-bar linkage")
class t1252_a:
    formula = r"\text{3 degrees of freedom before, a 3-dimensional constraint, a 1-D null space, 1 degree of freedom}"
    result = Result(
        NUMBER,
        "degrees of freedom, constraints, dimension of the null space, degrees of freedom with the loop",
    )

    def printed():
        return [3, 3, 1, 1]

    def library():
        frames = np.tile(np.eye(4), (3, 1, 1))
        system = linkage_tree(PLANE_POSE, BARS, frames, POINTS)
        q = assembled_angles(BARS, 0.7)
        G = loop_closure(BARS, frames, planar=False).rows(system, State(q=q), 0.0).G
        kkt = np.block([[system.mass_matrix(State(q=q)), G.T], [G, np.zeros((3, 3))]])
        deficiencies = [len(part) - np.linalg.matrix_rank(part, tol=1e-9) for part in (kkt, G)]
        return [system.num_coordinates, *G.shape[:1], *deficiencies]

    def reference():
        """Count the independent motions of the points of the chain, and of its end, by complex steps."""
        q = np.array([0.7, 0.3, -2.0])
        frames = np.tile(np.eye(4), (3, 1, 1))
        M, G = open_chain_terms(PLANE_POSE, BARS, frames, POINTS, q)
        num_dofs, rank = np.linalg.matrix_rank(M), np.linalg.matrix_rank(G, tol=1e-9)
        return [num_dofs, len(G), len(G) - rank, num_dofs - rank]

    tolerance = 0.0
    remark = (
        "The first of the four bars is fixed; if it is hinged to the world, it adds one degree of "
        "freedom before and one after."
    )
    implements = LoopClosure


def vector_projector(vector):
    """Return the projector on a vector, the same for both signs and any length."""
    return np.outer(vector, vector) / (vector @ vector)


@section.holds("t1244", "The null space of the rows of a loop contains its motions, and nothing else")
class t1244:
    formula = r"\text{`We're looking for } G \text{ such that } G\Phi = 0\text{'}"
    inputs = LINKAGE | {name: MOVING_LINKAGE[name] for name in ("tilt", "beta")}
    result = Result(NUMBER, "of the base, then of the three hinges")

    def printed(place, bars, frames, bodies, theta, tilt, beta):
        """Return the projector onto the joint velocities that the rows allow."""
        tree, loop = (
            linkage_tree(place, bars, frames, bodies, tilt=tilt),
            loop_closure(bars, frames, tilt=tilt),
        )
        q = np.append(beta, assembled_angles(bars, theta))
        E, J, hinge = poses(tree, q).body_poses, jacobian(tree, q), poses(tree, q).joint_poses[1, :3, 2]
        G = loop_rows(E[0], E[3], loop.x_a, loop.x_b, perpendicular_pair(hinge)) @ np.vstack([J[:6], J[-6:]])
        return np.eye(4) - np.linalg.pinv(G) @ G

    def library(place, bars, frames, bodies, theta, tilt, beta):
        system = linkage_tree(place, bars, frames, bodies, tilt=tilt)
        state = State(q=np.append(beta, assembled_angles(bars, theta)))
        basis = null_space(loop_closure(bars, frames, tilt=tilt).rows(system, state, 0.0).G, rcond=1e-9)
        return basis @ basis.T

    def reference(place, bars, frames, bodies, theta, tilt, beta):
        """Compare with the rotation of the base and the bar angles by the law of cosines, by complex steps."""
        projector = np.zeros((4, 4))
        rates = relative_rates(bars, np.array([theta]), np.ones(1))
        projector[0, 0], projector[1:, 1:] = 1, np.outer(rates, rates) / np.sum(rates**2)
        return projector

    remark = r"The motions are twists $\Phi = J_{mr}\dot q$ that the other hinges allow."
    implements = LoopClosure


@section.conditional("t1252#b", "Null direction of a loop of hinges with three rows")
class t1252_b:
    page_2019 = Page(37)
    page_2021 = Page(48)
    formula = r"\text{`a 1D nullspace that corresponds to the actual, single degree of freedom'}"
    inputs = {**LINKAGE, "scale": numbers(-1.0, 1.0).map(lambda s: max(0.0, s))}
    arguments = {"scale": Argument(NUMBER, "of the masses: 0 for the constraint alone, 1 for the system")}
    result = Result(NUMBER, "of the three hinges")

    def printed(place, bars, frames, bodies, theta, scale):
        """Return the projector onto the rates that the matrix determines: all but the motion of the linkage."""
        return np.eye(3) - vector_projector(assembled_rates(bars, assembled_angles(bars, theta), 1.0))

    def library(place, bars, frames, bodies, theta, scale):
        system = linkage_tree(place, bars, frames, bodies)
        state, loop = State(q=assembled_angles(bars, theta)), loop_closure(bars, frames)
        rows = LoopClosure(loop.a, loop.x_a, loop.b, loop.x_b).rows(system, state, 0.0).G
        matrix = np.block([[scale * system.mass_matrix(state), rows.T], [rows, np.zeros((3, 3))]])
        rates = null_space(matrix, rcond=1e-9)[:3]
        return np.eye(3) - rates @ rates.T

    def reference(place, bars, frames, bodies, theta, scale):
        """Compare with the rates that take neither kinetic energy nor a gap, of points by complex steps.

        A null vector satisfies G v = 0 and v M v = 0; the sum of both squares has the same null space.
        """
        M, G = open_chain_terms(place, bars, frames, bodies, assembled_angles(bars, theta))
        values, vectors = np.linalg.eigh(scale * M + G.T @ G)
        rates = vectors[:, values < 1e-9 * values.max()]
        return np.eye(3) - rates @ rates.T

    def holds_when(place, bars, frames, bodies, theta, scale):
        return scale == 0

    tolerance = 1e-8
    primitives = ("rbnotes.ledger.oracles.four_bar_linkage_inputs.assembled_angles",)
    condition_inputs = {**inputs, "scale": st.just(0.0)}
    condition = (
        r"The matrix is $\mathbf G_m\mathbf J_{mr}$ alone, here $3\times3$. The system that is solved also "
        r"has the multipliers, and its null space is $(\dot q, \lambda) = (0, {}^0\mathbf a)$: a force along "
        "the hinges' axis, which the other hinges take up."
    )
    remark = (
        r"In the system with multipliers the motion is determined, also with three rows. The next sentence, "
        "by which (2.94) removes the null space, is true of that system: the null space of "
        r"$\mathbf G_m\mathbf J_{mr}$ is the same with two rows."
    )
    implements = LoopClosure


def make_parallel(link_frames):
    """Make the axes of both hinges on the cross parallel."""
    link_frames = link_frames.copy()
    link_frames[3, 0, :3, :3] = link_frames[1, 0, :3, :3]
    return link_frames


@section.conditional("t1252#c", "The hinge axis of the other body")
class t1252_c:
    page_2019 = Page(37)
    page_2021 = Page(48)
    formula = r"\text{`}B\text{ would work just as well'}"
    inputs = {name: TREE[name] for name in ("link_frames", "bodies", "q", "v")} | {
        "x_A": arrays(3).map(lambda x: x / 2 + np.array([1.5, 0.5, 0.0])),
        "x_B": arrays(3).map(lambda x: x / 2 + np.array([0.0, -1.5, 0.5])),
    }
    result = Result(BRANCHING / TIME, "of the joints, in their order")

    def printed(link_frames, bodies, q, v, x_A, x_B):
        """Return the nearest velocities in the mass metric, with rows across the axis of B (body 1; A is body 3)."""
        tree = library_tree(link_frames, bodies)
        kinematics = body_kinematics(tree, q, v)
        E, J = kinematics.body_poses, kinematics.J
        directions = perpendicular_pair(kinematics.joint_poses[1, :3, 2])
        G = directions @ (E[3, :3, :3] @ gamma(x_A) @ J[3] - E[1, :3, :3] @ gamma(x_B) @ J[1])
        W = np.linalg.inv(mass_matrix(tree, q))
        return v - W @ G.T @ np.linalg.solve(G @ W @ G.T, G @ v)

    def reference(link_frames, bodies, q, v, x_A, x_B):
        """Compare with nearest velocities with rows across the axis of A, from masses and gaps of points."""
        M, _ = tree_newton_equations(link_frames, bodies, np.zeros(3), q, 0 * q)
        gap_jacobian = position_derivatives(point_position(link_frames, 3, x_A), q) - position_derivatives(
            point_position(link_frames, 1, x_B), q
        )
        return project_velocity(M, tangent_directions(joint_axis(link_frames, 3)(q)) @ gap_jacobian, v)

    tolerance = 1e-7
    tolerance_reason = "the problem is ill-conditioned if the points can hardly separate"
    condition_inputs = {**inputs, "link_frames": inputs["link_frames"].map(make_parallel)}
    condition = "both hinges are parallel, as in a planar linkage"

    def holds_when(link_frames, bodies, q, v, x_A, x_B):
        axes = [joint_axis(link_frames, body)(q) for body in (1, 3)]
        return np.linalg.norm(np.cross(*axes)) < 1e-9

    remark = (
        "In space, the direction without a row is in general neither of the two axes. Most loops of "
        "hinges that are not parallel are rigid. In those that move (Bennett's linkage), it is "
        "another direction."
    )
    implements = (perpendicular_pair, mass_matrix)


@section.holds("e2.98#b", "Accelerations of a four-bar linkage")
class e2_98_b:
    formula = r"\begin{pmatrix} M_r & J_{mr}^\top G_m^\top \\ G_m J_{mr} & 0 \end{pmatrix}\begin{pmatrix} \ddot q_r \\ \lambda \end{pmatrix} = \begin{pmatrix} f_r \\ -(\dot G_m J_{mr} + G_m\dot J_{mr})\dot q_r \end{pmatrix}"
    inputs = MOVING_LINKAGE
    result = Result(RATE / TIME, "accelerations of the base, then of the three hinges")

    def printed(place, bars, frames, bodies, theta, tilt, beta, g, speeds):
        tree = linkage_tree(place, bars, frames, bodies, g=g, tilt=tilt)
        angles = assembled_angles(bars, theta)
        q, v = np.append(beta, angles), np.append(speeds[0], assembled_rates(bars, angles, speeds[1]))
        kinematics = body_kinematics(tree, q, v)
        base, rocker = kinematics.J[0], kinematics.J[3]
        loop = loop_closure(bars, frames, tilt=tilt)
        directions = perpendicular_pair(kinematics.joint_poses[1, :3, 2])
        E, phi = kinematics.body_poses, kinematics.phi
        G = loop_rows(E[0], E[3], loop.x_a, loop.x_b, directions)
        G_dot = loop_rows_dot(E[0], E[3], loop.x_a, loop.x_b, phi[0, :3], phi[3, :3], directions)
        rows = G @ np.vstack([base, rocker])
        bias = G_dot @ np.vstack([base, rocker]) @ v + G @ np.append(
            kinematics.bias_acceleration[0], kinematics.bias_acceleration[3]
        )
        kkt = np.block([[mass_matrix(tree, q), rows.T], [rows, np.zeros((2, 2))]])
        return np.linalg.solve(kkt, np.append(net_generalized_force(tree, q, v), -bias))[:4]

    def library(place, bars, frames, bodies, theta, tilt, beta, g, speeds):
        angles = assembled_angles(bars, theta)
        rates = assembled_rates(bars, angles, speeds[1])
        state = State(q=np.append(beta, angles), qdot=np.append(speeds[0], rates))
        system = linkage_tree(place, bars, frames, bodies, g=g, tilt=tilt)
        return constrained_acceleration(system, [loop_closure(bars, frames, tilt=tilt)], state)[0]

    def reference(place, bars, frames, bodies, theta, tilt, beta, g, speeds):
        """Compare with Newton's law for points of the bars, which depend on the angles of base and crank alone."""
        directions = closed_loop_directions(bars)
        base = rotating_base(place, tilt)
        positions = bar_point_positions(base, bars, frames, bodies, lambda u: directions(u[..., 1:]))
        masses = bodies[..., 0].ravel()
        M, f = newton_equations(positions, masses, masses[:, None] * g, np.array([beta, theta]), speeds)
        base_acceleration, crank_acceleration = np.linalg.solve(M, f)
        theta, omega = np.array([theta]), speeds[1:]
        return np.append(
            base_acceleration, relative_accelerations(bars, theta, omega, np.array([crank_acceleration]))
        )

    tolerance = 1e-8
    remark = (
        "The base moves. If the first bar is at rest, the closure point of the loop is also at rest, and "
        r"$\dot G_m\dot q_m$ is zero."
    )
    implements = (constrained_acceleration, LoopClosure)
