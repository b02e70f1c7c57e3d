"""Sueda 2.8: the rows that close a loop, their rates, and the effect of one row too many."""

from __future__ import annotations

import numpy as np

from rbnotes import se3
from rbnotes.ledger.claims.sueda.section_2_8 import section
from rbnotes.ledger.oracles.bodies import bracket, motion
from rbnotes.ledger.oracles.branching_tree import tangent_directions
from rbnotes.ledger.oracles.constrained_systems import project_velocity
from rbnotes.ledger.pages import Page
from rbnotes.ledger.quantities import LENGTH, NUMBER, RATE, VELOCITY, vector_quantity
from rbnotes.ledger.record import Result
from rbnotes.multibody.reduced import constraints, perpendicular_pair
from rbnotes.testing import derivative
from rbnotes.testing.strategies import frames, twists, unit_vectors, vectors

# Two bodies that move, a point of each, and a hinge axis in the first.
PAIR = {
    "A": frames(),
    "B": frames(),
    "x_A": vectors(3),
    "x_B": vectors(3),
    "phi_A": twists(),
    "phi_B": twists(),
}
PAIR_WITH_AXIS = PAIR | {"axis": unit_vectors()}


def gamma(x):
    """Evaluate Gamma of (1.12)."""
    return np.hstack([bracket(x).T, np.eye(3)])


def point_velocity(E, x, phi):
    """Return the velocity of a point of a body, by differences."""
    pose = motion(E, phi)
    return derivative(lambda t: pose(t)[:3, :3] @ x + pose(t)[:3, 3]).value


def perpendicular_directions(a):
    """Evaluate (2.94)."""
    v1 = np.zeros(3)
    v1[np.argmin(np.abs(a))] = 1
    v2 = np.cross(a, v1) / np.linalg.norm(np.cross(a, v1))
    v1 = np.cross(v2, a) / np.linalg.norm(np.cross(v2, a))
    return np.stack([v1, v2])


def loop_rows(E_A, E_B, x_A, x_B, directions):
    """Return G_m of (2.95)."""
    return directions @ np.hstack([E_A[:3, :3] @ gamma(x_A), -E_B[:3, :3] @ gamma(x_B)])


def loop_rows_dot(E_A, E_B, x_A, x_B, omega_A, omega_B, directions):
    """Evaluate (2.97)."""
    on_A = E_A[:3, :3] @ bracket(omega_A) @ gamma(x_A)
    return directions @ np.hstack([on_A, -E_B[:3, :3] @ bracket(omega_B) @ gamma(x_B)])


@section.holds("e2.93", "Velocities of the two points of a loop closure")
class e2_93:
    formula = r"{}^0\dot{\mathbf x}_A = {}^0_A\mathbf R\,\Gamma({}^A\mathbf x_A)\,{}^A\phi_A,\quad {}^0\dot{\mathbf x}_B = {}^0_B\mathbf R\,\Gamma({}^B\mathbf x_B)\,{}^B\phi_B"
    inputs = PAIR
    result = Result(VELOCITY, "of the point of A, then of that of B, along the axes of the world")

    def printed(A, B, x_A, x_B, phi_A, phi_B):
        return [A[:3, :3] @ gamma(x_A) @ phi_A, B[:3, :3] @ gamma(x_B) @ phi_B]

    def library(A, B, x_A, x_B, phi_A, phi_B):
        return se3.point_velocity(np.stack([A, B]), np.stack([x_A, x_B]), np.stack([phi_A, phi_B]))

    def reference(A, B, x_A, x_B, phi_A, phi_B):
        """Compare with differences of the points along motions of the bodies."""
        return [point_velocity(A, x_A, phi_A), point_velocity(B, x_B, phi_B)]

    implements = se3.point_velocity


@section.holds("e2.94", "Two directions perpendicular to an axis and to each other")
class e2_94:
    formula = r"\mathbf v_1 = (1\ 0\ 0)^\top \text{ (1 where } |\mathbf a| \text{ is smallest)},\quad \mathbf v_2 = \frac{\mathbf a\times\mathbf v_1}{\|\mathbf a\times\mathbf v_1\|},\quad \mathbf v_1 = \frac{\mathbf v_2\times\mathbf a}{\|\mathbf v_2\times\mathbf a\|}"
    inputs = {"a": unit_vectors()}
    result = Result(NUMBER, "rows: two directions, in the frame of a")

    def printed(a):
        return perpendicular_directions(a)

    def library(a):
        return perpendicular_pair(a)

    def reference(a):
        """Compare with the coordinate axis farthest from a, projected normal to a, and the same rotated by a quarter turn."""
        return tangent_directions(a)

    remark = (
        r"$\mathbf v_1, \mathbf v_2, \mathbf a$ are right-handed. If two entries are equally small, "
        "either one is possible."
    )
    implements = perpendicular_pair


@section.holds("e2.95", "Rows of a loop closure")
class e2_95:
    formula = r"\underbrace{\begin{pmatrix} \mathbf v_1^\top \\ \mathbf v_2^\top \end{pmatrix}\begin{pmatrix} {}^0_A\mathbf R\,\Gamma({}^A\mathbf x_A) & -{}^0_B\mathbf R\,\Gamma({}^B\mathbf x_B) \end{pmatrix}}_{\mathbf G_m}\begin{pmatrix} {}^A\phi_A \\ {}^B\phi_B \end{pmatrix} = 0"
    inputs = PAIR_WITH_AXIS
    result = Result(VELOCITY, "along the two directions")

    def printed(A, B, x_A, x_B, phi_A, phi_B, axis):
        directions = perpendicular_directions(A[:3, :3] @ axis)
        return loop_rows(A, B, x_A, x_B, directions) @ np.append(phi_A, phi_B)

    def library(A, B, x_A, x_B, phi_A, phi_B, axis):
        directions = perpendicular_pair(A[:3, :3] @ axis)
        return directions @ (se3.point_velocity(A, x_A, phi_A) - se3.point_velocity(B, x_B, phi_B))

    def reference(A, B, x_A, x_B, phi_A, phi_B, axis):
        """Compare with the speed at which the points separate along directions normal to the axis, by differences."""
        pose_A, pose_B = motion(A, phi_A), motion(B, phi_B)

        def gap(t):
            return pose_A(t)[:3, :3] @ x_A + pose_A(t)[:3, 3] - pose_B(t)[:3, :3] @ x_B - pose_B(t)[:3, 3]

        return tangent_directions(A[:3, :3] @ axis) @ derivative(gap).value

    remark = "The check uses twists that open the loop; the product is then the rate of opening."
    implements = (perpendicular_pair, se3.point_velocity)


@section.misprint("t1256", "Relative velocity that a loop allows")
class t1256:
    page_2019 = Page(37)
    page_2021 = Page(48)
    formula = r"\text{`the relative velocity must be equal along these two directions'}"
    inputs = PAIR_WITH_AXIS
    result = Result(vector_quantity(*2 * ((RATE, 3), (VELOCITY, 3))), "of A, then of B, each in its frame")
    constants = (LENGTH,)

    def printed(A, B, x_A, x_B, phi_A, phi_B, axis):
        """Return the nearest twists with equal components of the relative velocity along both directions."""
        v1, v2 = perpendicular_directions(A[:3, :3] @ axis)
        row = (v1 - v2) @ loop_rows(A, B, x_A, x_B, np.eye(3))
        twists = np.append(phi_A, phi_B)
        return twists - row * (row @ twists) / (row @ row)

    def library(A, B, x_A, x_B, phi_A, phi_B, axis):
        """Return the nearest twists without relative velocity along the directions."""
        directions = perpendicular_pair(A[:3, :3] @ axis)
        at_A, at_B = A[:3, :3] @ se3.Gamma(x_A), B[:3, :3] @ se3.Gamma(x_B)
        G, twists = directions @ np.hstack([at_A, -at_B]), np.append(phi_A, phi_B)
        return twists - np.linalg.pinv(G) @ G @ twists

    def reference(A, B, x_A, x_B, phi_A, phi_B, axis):
        """Compare with the nearest twists that separate the points along the axis alone, by least squares."""
        normals = tangent_directions(A[:3, :3] @ axis)
        on_A = [A[:3, :3] @ (np.cross(unit[:3], x_A) + unit[3:]) for unit in np.eye(6)]
        on_B = [B[:3, :3] @ (np.cross(unit[:3], x_B) + unit[3:]) for unit in np.eye(6)]
        gap_jacobian = np.array(on_A + [-column for column in on_B]).T
        return project_velocity(np.eye(12), normals @ gap_jacobian, np.append(phi_A, phi_B))

    correction = (
        "The relative velocity must vanish along these two directions: the components of the two "
        "velocities must be equal."
    )
    replacement = (
        "The constraint we want is that the relative velocity must vanish along these two directions."
    )
    implements = perpendicular_pair


@section.demonstration("t1268", "Sizes of the rows of a loop and of their rates")
class t1268:
    formula = r"\mathbf G_m,\ \dot{\mathbf G}_m \in \mathbb R^{2\times12}"
    result = Result(NUMBER, "rows and columns of both matrices")

    def printed():
        return [2, 12, 2, 12]

    def library():
        directions = perpendicular_pair([0.6, 0.0, 0.8])
        at_A = se3.Gamma([0.1, 0.2, 0.3])
        rows = directions @ np.hstack([at_A, -at_A])
        return [*rows.shape, *rows.shape]

    def reference():
        """Count the directions normal to an axis, and the components of two twists."""
        num_directions = 3 - np.linalg.matrix_rank(np.outer([0.6, 0.0, 0.8], [0.6, 0.0, 0.8]))
        units = [point_velocity(np.eye(4), np.ones(3), unit) for unit in np.eye(6)]
        return [num_directions, 2 * len(units), num_directions, 2 * len(units)]

    tolerance = 0.0
    implements = constraints
