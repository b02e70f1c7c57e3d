"""Sueda 2.8: rates of the rows of a loop whose hinge axis may rotate."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from rbnotes.dynamics import State
from rbnotes.ledger.claims.sueda.section_2_8 import section
from rbnotes.ledger.claims.sueda.section_2_8.loop_closure import PAIR_WITH_AXIS, loop_rows, loop_rows_dot
from rbnotes.ledger.oracles.bodies import bracket, motion
from rbnotes.ledger.oracles.branching_tree import acceleration_of, point_position, tangent_directions
from rbnotes.ledger.oracles.branching_tree_inputs import NAMES, TREE, library_tree
from rbnotes.ledger.pages import Page
from rbnotes.ledger.quantities import ACCELERATION, NUMBER, POINT_JACOBIAN, TIME, vector_quantity
from rbnotes.ledger.record import Argument, Result
from rbnotes.multibody.reduced import LoopClosure, body_kinematics, perpendicular_pair
from rbnotes.testing import derivative
from rbnotes.testing.strategies import arrays

# The branching tree, closed between a point of the other hinge (A) and a point of the slider (B).
A, B = 3, 2
UNIT_POINTS = np.concatenate([np.ones((4, 4, 1)), np.broadcast_to(np.eye(4)[:, :3], (4, 4, 3))], axis=-1)


def gap(link_frames, x_A, x_B):
    """Return the vector from the point of B to that of A."""
    first, second = point_position(link_frames, A, x_A), point_position(link_frames, B, x_B)
    return lambda q: first(q) - second(q)


def twist_with_slip(A, B, x_A, x_B, phi_A, phi_B, axis, slip):
    """Return the twist of B with which the points separate along the axis alone at a given speed."""
    at_A = A[:3, :3] @ (np.cross(phi_A[:3], x_A) + phi_A[3:] - slip * axis)
    return np.append(phi_B[:3], B[:3, :3].T @ at_A - np.cross(phi_B[:3], x_B))


SHARED_PAIR = st.shared(st.tuples(*PAIR_WITH_AXIS.values(), arrays(1)), key="a hinge that slides")
WITH_SLIP = {name: SHARED_PAIR.map(lambda drawn, k=k: drawn[k]) for k, name in enumerate(PAIR_WITH_AXIS)}
WITH_SLIP["phi_B"] = SHARED_PAIR.map(lambda drawn: twist_with_slip(*drawn))
WITHOUT_SLIP = {**WITH_SLIP, "phi_B": SHARED_PAIR.map(lambda drawn: twist_with_slip(*[*drawn[:-1], 0.0]))}
ABOUT_AXIS = {
    **WITH_SLIP,
    "phi_B": SHARED_PAIR.map(lambda drawn: drawn[5]),
    "phi_A": SHARED_PAIR.map(lambda drawn: np.append(drawn[4][0] * drawn[6], drawn[4][3:])),
}


def recomputed_row_rates(A, B, x_A, x_B, phi_A, phi_B, axis):
    """Return the rate of the rows while both bodies move, with directions recomputed from the axis."""
    pose_A, pose_B, units = motion(A, phi_A), motion(B, phi_B), np.eye(6)
    on_A, on_B = (np.cross(units[:, :3], x) + units[:, 3:] for x in (x_A, x_B))

    def rows(t):
        R_A, R_B = pose_A(t)[:3, :3], pose_B(t)[:3, :3]
        return tangent_directions(R_A @ axis) @ np.hstack([R_A @ on_A.T, -R_B @ on_B.T])

    return derivative(rows, step=SHORT_STEP).value


SHORT_STEP = 1e-4
SHORT_STEP_REASON = (
    "small steps, because the directions jump where another entry of the axis becomes the smallest"
)


def stack_pair(values):
    return np.concatenate([values[A], values[B]])


@section.holds("e2.96", "Constraint on the acceleration")
class e2_96:
    formula = r"\mathbf G_m\dot{\mathbf q}_m = 0 \quad\rightarrow\quad \dot{\mathbf G}_m\dot{\mathbf q}_m + \mathbf G_m\ddot{\mathbf q}_m = 0"
    inputs = {name: TREE[name] for name in ("link_frames", "q", "v")} | {
        "x_A": arrays(3),
        "x_B": arrays(3),
        "a": arrays(5),
    }
    arguments = {
        "a": Argument(
            vector_quantity((NUMBER / TIME**2, 3), (ACCELERATION, 1), (NUMBER / TIME**2, 1)),
            "of the joints, in their order",
        )
    }
    result = Result(ACCELERATION, "along the axes of the world")

    def printed(link_frames, q, v, x_A, x_B, a):
        """Evaluate with three fixed directions."""
        kinematics = body_kinematics(library_tree(link_frames, UNIT_POINTS), q, v)
        E, phi = kinematics.body_poses, kinematics.phi
        G = loop_rows(E[A], E[B], x_A, x_B, np.eye(3))
        G_dot = loop_rows_dot(E[A], E[B], x_A, x_B, phi[A, :3], phi[B, :3], np.eye(3))
        body_accelerations = kinematics.J @ a + kinematics.bias_acceleration
        return G_dot @ stack_pair(phi) + G @ stack_pair(body_accelerations)

    def library(link_frames, q, v, x_A, x_B, a):
        loop = LoopClosure(NAMES[A], x_A, NAMES[B], x_B)
        rows = loop.rows(library_tree(link_frames, UNIT_POINTS), State(q=q, qdot=v), 0.0)
        return rows.G @ a + rows.bias_acceleration

    def reference(link_frames, q, v, x_A, x_B, a):
        """Compare with second differences of the gap between the points along an accelerated motion."""
        return acceleration_of(gap(link_frames, x_A, x_B), q, v, a)

    implements = LoopClosure


@section.conditional("t1264", "Rate of the rows if only the rotation matrices depend on time")
class t1264:
    page_2019 = Page(37)
    page_2021 = Page(49)
    formula = r"\text{`the only factors that depend on time are the two rotation matrices'}"
    inputs = {**WITH_SLIP, "phi_B": ABOUT_AXIS["phi_B"]}
    result = Result(
        POINT_JACOBIAN / TIME, "a row for each direction, over the twists of A and B, each in its frame"
    )

    def printed(A, B, x_A, x_B, phi_A, phi_B, axis):
        directions = perpendicular_pair(A[:3, :3] @ axis)
        on_A = A[:3, :3] @ bracket(phi_A[:3]) @ np.hstack([bracket(x_A).T, np.eye(3)])
        on_B = B[:3, :3] @ bracket(phi_B[:3]) @ np.hstack([bracket(x_B).T, np.eye(3)])
        return directions @ np.hstack([on_A, -on_B])

    def reference(A, B, x_A, x_B, phi_A, phi_B, axis):
        """Compare with differences of the rows while both bodies move, with recomputed directions."""
        return recomputed_row_rates(A, B, x_A, x_B, phi_A, phi_B, axis)

    tolerance = 1e-6
    tolerance_reason = SHORT_STEP_REASON
    condition_inputs = ABOUT_AXIS
    condition = (
        "body A does not rotate the axis of the hinge: it only rotates about this axis, as in a planar "
        "linkage at rest"
    )

    def holds_when(A, B, x_A, x_B, phi_A, phi_B, axis):
        return np.linalg.norm(np.cross(phi_A[:3], axis)) < 1e-9

    remark = r"$\mathbf v_1$ and $\mathbf v_2$ are computed from an axis of body A, and rotate with it."
    implements = perpendicular_pair


@section.conditional("e2.97", "Rate of the rows in the constraint on the acceleration")
class e2_97:
    page_2019 = Page(37)
    page_2021 = Page(49)
    formula = r"\dot{\mathbf G}_m = \begin{pmatrix} \mathbf v_1^\top \\ \mathbf v_2^\top \end{pmatrix}\begin{pmatrix} {}^0_A\mathbf R[{}^A\boldsymbol\omega_A]\Gamma({}^A\mathbf x_A) & -{}^0_B\mathbf R[{}^B\boldsymbol\omega_B]\Gamma({}^B\mathbf x_B) \end{pmatrix}"
    inputs = WITH_SLIP
    result = Result(ACCELERATION, "along the axes of the world")

    def printed(A, B, x_A, x_B, phi_A, phi_B, axis):
        directions = perpendicular_pair(A[:3, :3] @ axis)
        G_dot = loop_rows_dot(A, B, x_A, x_B, phi_A[:3], phi_B[:3], directions)
        return directions.T @ (G_dot @ np.append(phi_A, phi_B))

    def reference(A, B, x_A, x_B, phi_A, phi_B, axis):
        """Compare with differences of the rows while both bodies move, with recomputed directions."""
        rates = recomputed_row_rates(A, B, x_A, x_B, phi_A, phi_B, axis) @ np.append(phi_A, phi_B)
        return tangent_directions(A[:3, :3] @ axis).T @ rates

    tolerance = 1e-6
    tolerance_reason = SHORT_STEP_REASON
    condition_inputs = WITHOUT_SLIP
    condition = (
        "the points stay together in all directions, also along the axis (as the other hinges of a "
        "planar linkage ensure), or the axis does not rotate"
    )

    def holds_when(A, B, x_A, x_B, phi_A, phi_B, axis):
        at_A = A[:3, :3] @ (np.cross(phi_A[:3], x_A) + phi_A[3:])
        at_B = B[:3, :3] @ (np.cross(phi_B[:3], x_B) + phi_B[3:])
        slip = (A[:3, :3] @ axis) @ (at_A - at_B)
        return np.linalg.norm(slip * np.cross(phi_A[:3], axis)) < 1e-9

    remark = (
        "The check multiplies the rate by twists that satisfy (2.95), which gives a vector normal to the "
        r"axis. The missing term is $\dot{\mathbf v}_i\cdot(\dot{\mathbf x}_A - \dot{\mathbf x}_B)$; it "
        "matters if the bodies slide along the hinge, or if the constraint has drifted."
    )
    implements = perpendicular_pair
