"""What passes through the joints of a tree during a step: reactions from the motion (Sueda 2.11, 2.11.1).

Reduced coordinates find a motion without asking what the joints do for it. It follows from the motion: what a
body gained in momentum and did not get from forces came from its joints and whatever else holds it,

    w = M (J (v+ - v) + h Jdot v) - h f - (impulses of constraints and contacts on bodies).

A leaf's share came through its own joint; every other body's, too, after what its children's joints took from
it is added. By d'Alembert's principle ``J^T w`` is what drives the joints along their own motion, and nothing
if nothing drives them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array
from rbnotes.dynamics import State
from rbnotes.multibody.reduced.constraint_protocol import BodyConstraint, Constraint
from rbnotes.multibody.reduced.dynamics import gyroscopic_and_gravity_wrenches
from rbnotes.multibody.reduced.jacobian_products import subtree_wrenches
from rbnotes.multibody.reduced.kinematics import _relative_joint_poses
from rbnotes.multibody.reduced.model import Tree
from rbnotes.multibody.reduced.system import TreeSystem
from rbnotes.unchecked import se3


def body_constraint_impulses(
    system: TreeSystem, state: State, velocity: ArrayLike, h: float, *, implicit: bool = False
) -> Array:
    """Impulsive wrenches ``(n, 6)`` that the bodies got in a step besides those of forces, in body frames.

    The difference between the motion with joints and that of the bodies if nothing held them (right form of
    Sueda eqs. (2.116), (2.117), which leave out ``Jdot v``).

    Parameters
    ----------
    velocity
        After the step ``(N,)``.
    implicit
        Whether the forces were those at the end of the step, as in linearly implicit Euler.

    Raises
    ------
    InvalidArgument
        If ``h`` is not positive or the shape of ``velocity`` does not fit.
    """
    arguments.require_instance("system", system, TreeSystem)
    arguments.require_instance("state", state, State)
    G, offset = impulse_balance(system, state, arguments.positive_number("h", h), implicit)
    return (G @ arguments.single_vector("velocity", velocity, state.size) + offset).reshape(-1, 6)


def impulse_balance(system: TreeSystem, state: State, h: float, implicit: bool) -> tuple[Array, Array]:
    """The impulses of :func:`unconstrained_impulses` as ``G v+ + rest (6 n,)``."""
    kinematics = system.body_kinematics(state)
    n = kinematics.phi.size
    reduction_matrix = system.reduction(state).J
    J = reduction_matrix[:n].reshape(-1, 6, state.size)
    G = (system.tree.inertias @ J).reshape(n, -1)
    bias_acceleration = np.einsum("nij,nj->ni", system.tree.inertias, kinematics.bias_acceleration)
    unconstrained_wrenches = gyroscopic_and_gravity_wrenches(system.tree, state.q, state.qdot)
    offset = h * (bias_acceleration - unconstrained_wrenches).ravel() - G @ state.velocity
    applied = system.applied(system.maximal_state(state))
    offset -= h * np.asarray(applied.f)[:n]
    if implicit:
        K, D = ((matrix @ reduction_matrix)[:n] for matrix in (applied.K, applied.D))
        G = G - h * (h * K + D)
        offset += h * D @ state.velocity
    return G, offset


def joint_transmitted_wrenches(tree: Tree, q: ArrayLike, wrenches: ArrayLike) -> Array:
    """What passes from each parent through the joint ``(n, 6)``, in the joints' own frames (Algorithm 8).

    From the leaves to the roots: a body gets what its own joint gives it less what its children's joints
    give to these, so that the latter are added, as seen from its frame. Linear, and in time proportional to
    the number of joints.

    Parameters
    ----------
    wrenches : (n, 6)
        What the joints give to each body in all, in the bodies' frames, N m and N; or impulses.

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
    return subtree_wrenches(tree, body_wrenches, se3.Ad_inverse(_relative_joint_poses(tree, q)))


def constraint_body_jacobian(system: TreeSystem, constraint: Constraint, state: State) -> Array | None:
    """Rows ``(m, 6 n)`` of a constraint on the twists of the bodies; None if it acts on joints.

    Its multipliers push the bodies by their transpose.

    Raises InvalidArgument if ``system`` is no ``TreeSystem``, ``constraint`` is no ``Constraint``, or
    ``state`` is no ``State``.
    """
    arguments.require_instance("system", system, TreeSystem)
    arguments.require_instance("state", state, State)
    arguments.require_methods("constraint", constraint, "rows")
    if not isinstance(constraint, BodyConstraint):
        return None
    body_constraint = constraint.body_rows(system, system.body_kinematics(state), state, state.t)
    rows = np.zeros((len(body_constraint.error), 6 * len(system.tree.links)))
    for i, block in body_constraint.body_blocks.items():
        rows[:, 6 * i : 6 * i + 6] = block
    return rows
