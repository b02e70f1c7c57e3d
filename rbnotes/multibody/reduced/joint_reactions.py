"""Joint reactions of a tree during a step, recovered from the motion (Sueda 2.11, 2.11.1).

Reduced coordinates find a motion without the joint reactions. These follow from the motion: the part of a
body's change of momentum that is not due to forces comes from its joints and from other constraints,

    w = M (J (v+ - v) + h Jdot v) - h f - (impulses of constraints and contacts on bodies).

A leaf receives its share through its own joint; every other body, too, after the shares of its children's
joints are added. By d'Alembert's principle ``J^T w`` are the driving forces along the joints' own motion,
zero if nothing drives them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array
from rbnotes.dynamics import State
from rbnotes.multibody.reduced.constraint_protocol import BodyConstraint, BodyConstraintRows, Constraint
from rbnotes.multibody.reduced.dynamics import gyroscopic_and_gravity_wrenches
from rbnotes.multibody.reduced.jacobian_products import subtree_wrenches
from rbnotes.multibody.reduced.kinematics import relative_joint_poses
from rbnotes.multibody.reduced.tree import Tree
from rbnotes.unchecked import se3


def body_constraint_impulses(
    tree: Tree, state: State, velocity: ArrayLike, h: float, *, implicit: bool = False
) -> Array:
    """Return the impulsive wrenches ``(n, 6)`` of constraints on the bodies in a step, in body frames.

    They are the difference between the motion with joints and that of unconstrained bodies (right form of
    Sueda eqs. (2.116), (2.117), which omit ``Jdot v``).

    Parameters
    ----------
    velocity
        Velocities after the step ``(N,)``.
    implicit
        True if the forces are those at the end of the step, as in linearly implicit Euler.

    Raises
    ------
    InvalidArgument
        If ``h`` is not positive or the shape of ``velocity`` does not fit.
    """
    arguments.require_instance("tree", tree, Tree)
    arguments.require_instance("state", state, State)
    G, offset = impulse_balance(tree, state, arguments.positive_number("h", h), implicit)
    return (G @ arguments.single_vector("velocity", velocity, state.size) + offset).reshape(-1, 6)


def impulse_balance(tree: Tree, state: State, h: float, implicit: bool) -> tuple[Array, Array]:
    """Return G and the rest of the impulses of :func:`body_constraint_impulses` as ``G v+ + rest (6 n,)``."""
    kinematics = tree.body_kinematics(state)
    n = kinematics.phi.size
    reduction_matrix = tree.reduction(state).J
    J = reduction_matrix[:n].reshape(-1, 6, state.size)
    G = (tree.inertias @ J).reshape(n, -1)
    bias_acceleration = np.einsum("nij,nj->ni", tree.inertias, kinematics.bias_acceleration)
    unconstrained_wrenches = gyroscopic_and_gravity_wrenches(tree, state.q, state.qdot)
    offset = h * (bias_acceleration - unconstrained_wrenches).ravel() - G @ state.velocity
    applied_forces = tree.applied_forces(tree.maximal_state(state))
    offset -= h * np.asarray(applied_forces.f)[:n]
    if implicit:
        K, D = ((matrix @ reduction_matrix)[:n] for matrix in (applied_forces.K, applied_forces.D))
        G = G - h * (h * K + D)
        offset += h * D @ state.velocity
    return G, offset


def joint_transmitted_wrenches(tree: Tree, q: ArrayLike, wrenches: ArrayLike) -> Array:
    """Return the wrenches from each parent through the joint ``(n, 6)``, in the joints' frames (Algorithm 8).

    The sweep goes from the leaves to the roots: the wrench on a body is that of its own joint less those of
    its children's joints, so that the latter are added in its frame. The map is linear and takes time
    proportional to the number of joints.

    Parameters
    ----------
    wrenches : (n, 6)
        Total wrenches from the joints on each body, in the bodies' frames, N m and N; or impulses.

    Raises
    ------
    InvalidArgument
        If the shape of ``q`` or ``wrenches`` does not fit.
    """
    arguments.require_instance("tree", tree, Tree)
    q = arguments.with_ndim("q", tree.check_vector("q", q), 1)
    body_wrenches = arguments.with_ndim(
        "wrenches", arguments.array("wrenches", wrenches, len(tree.links), 6), 2
    )
    return subtree_wrenches(tree, body_wrenches, se3.Ad_inverse(relative_joint_poses(tree, q)))


def constraint_body_jacobian(tree: Tree, constraint: Constraint, state: State) -> Array | None:
    """Return the rows ``(m, 6 n)`` of a constraint on the twists of the bodies; None if it acts on joints.

    Its multipliers push the bodies by their transpose.

    Raises
    ------
    InvalidArgument
        If ``tree`` is not a ``Tree``, ``constraint`` is not a ``Constraint``, or
        ``state`` is not a ``State``.
    """
    arguments.require_instance("tree", tree, Tree)
    arguments.require_instance("state", state, State)
    arguments.require_methods("constraint", constraint, "rows")
    if not isinstance(constraint, BodyConstraint):
        return None
    body_constraint = constraint.body_rows(tree, tree.body_kinematics(state), state, state.t)
    return rows_on_twists(body_constraint, len(tree.links))


def rows_on_twists(constraint: BodyConstraintRows, num_bodies: int) -> Array:
    """Return the rows ``(m, 6 n)`` of a constraint on the twists of all bodies."""
    rows = np.zeros((len(constraint.error), 6 * num_bodies))
    for i, block in constraint.body_blocks.items():
        rows[:, 6 * i : 6 * i + 6] = block
    return rows


class ConstraintOnBodies(NamedTuple):
    """Constraint that acts on bodies, with its rows and the slice of its multipliers.

    Attributes
    ----------
    constraint
        Constraint.
    rows
        Rows ``(m, 6 n)`` on the twists of the bodies.
    multipliers
        Slice among the multipliers of all equations, or of all inequalities for an inequality.
    """

    constraint: Constraint
    rows: Array
    multipliers: slice


def constraints_on_bodies(
    tree: Tree, constraints: Iterable[Constraint], state: State
) -> list[ConstraintOnBodies]:
    """Return the constraints that act on bodies, at a state.

    Multipliers of equations begin with those of the joints' own coordinates.
    """
    result = []
    next_row = {False: len(tree.coordinate_constraint_rows(state).rows), True: 0}
    for constraint in constraints:
        start = next_row[constraint.unilateral]
        next_row[constraint.unilateral] += len(constraint.rows(tree, state, state.t).G)
        rows = constraint_body_jacobian(tree, constraint, state)
        if rows is not None:
            result.append(ConstraintOnBodies(constraint, rows, slice(start, start + len(rows))))
    return result
