"""Derivatives of the dynamics of a model: stiffness, damping, and the derivatives of both dynamics.

Derivatives with respect to the configuration refer to increments in the order of ``state.velocity``: a twist
xi of a free body in its own frame, ``E exp([xi])``, and the coordinates of the joints.

The derivatives of trees (Sueda 2.7) are with respect to coordinates. The joint of each free body is therefore
moved to the present pose, where its coordinates, the position p and the rotation vector r, are zero. Near it,
with the angular velocity w, the velocity v, and their rates alpha and a, the rates of the coordinates are

    rdot = w + [r] w / 2,                            pdot = v + [r] v,
    rddot = alpha + [r] alpha / 2 - [w] [r] w / 6,   pddot = (1 + [r]) (a + w x v),

and generalized forces m and f give the moment ``m - [r] m / 2`` and the force ``f - [r] f`` in body axes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.dynamics import Forces, State
from rbnotes.multibody.model import Model
from rbnotes.multibody.model_dynamics import forward_dynamics
from rbnotes.multibody.reduced.tree import Tree
from rbnotes.unchecked import so3
from rbnotes.unchecked.frozen import replace_unchecked


class ForwardDynamicsDerivatives(NamedTuple):
    """Derivatives ``(N, N)`` of the accelerations.

    Attributes
    ----------
    configuration
        Derivative ``(N, N)`` in increments of the configuration, rad/s^2 and m/s^2 per rad and m.
    velocity
        Derivative ``(N, N)`` with respect to the velocities, rad/s^2 and m/s^2 per rad/s and m/s.
    force
        Derivative ``(N, N)`` with respect to the forces, the inverse of the mass matrix, 1/(kg m^2) and 1/kg.
    """

    configuration: Array
    velocity: Array
    force: Array


class InverseDynamicsDerivatives(NamedTuple):
    """Derivatives ``(N, N)`` of the generalized forces of inverse dynamics.

    Attributes
    ----------
    configuration
        Derivative ``(N, N)`` in increments of the configuration, N m and N per rad and m.
    velocity
        Derivative ``(N, N)`` with respect to the velocities, N m and N per rad/s and m/s.
    acceleration
        Derivative ``(N, N)`` with respect to the accelerations, the mass matrix, kg m^2, kg m and kg.
    """

    configuration: Array
    velocity: Array
    acceleration: Array


def stiffness(model: Model, state: State) -> Array:
    """Return the stiffness matrix ``(N, N)``: the derivative of all forces along increments of positions.

    The generalized forces are those of ``M dv/dt = f``: gravity, joint springs and dampers, the forces of
    the model, and the terms of the velocities; constraints and contacts do not act. The matrix is not
    symmetric in general, even for forces with a potential: rotations about different axes do not commute.

    Raises
    ------
    InvalidArgument
        If ``state`` does not fit the model.
    """
    return _force_derivatives(model, state)[0]


def damping(model: Model, state: State) -> Array:
    """Return the damping matrix ``(N, N)``: the derivative of all forces with respect to velocities.

    The forces are those of :func:`stiffness`, the terms of the velocities included.

    Raises
    ------
    InvalidArgument
        If ``state`` does not fit the model.
    """
    return _force_derivatives(model, state)[1]


def forward_dynamics_derivatives(
    model: Model, state: State, tau: ArrayLike = 0.0
) -> ForwardDynamicsDerivatives:
    """Return the derivatives of :func:`~rbnotes.multibody.forward_dynamics`.

    Parameters
    ----------
    tau
        Further forces ``(N,)``, N m and N, which do not change with the state.

    Raises
    ------
    InvalidArgument
        If ``state`` or ``tau`` does not fit, or the model has equality constraints or joints whose
        coordinates are constrained, such as quaternions.
    SingularConfiguration
        If a joint is in a singular state.
    """
    acceleration = forward_dynamics(model, state, tau)
    _refuse_constraints(model)
    residual, M = _linearized_residual(model, state, acceleration)
    inverse = np.linalg.inv(M)
    return ForwardDynamicsDerivatives(inverse @ residual.K, inverse @ residual.D, inverse)


def inverse_dynamics_derivatives(
    model: Model, state: State, acceleration: ArrayLike
) -> InverseDynamicsDerivatives:
    """Return the derivatives of :func:`~rbnotes.multibody.inverse_dynamics`.

    Parameters
    ----------
    acceleration
        Accelerations ``(N,)``, rad/s^2 and m/s^2.

    Raises
    ------
    InvalidArgument
        If ``state`` does not fit the model or ``acceleration`` does not fit the state.
    """
    arguments.require_instance("model", model, Model)
    model.check_state(state)
    acceleration = arguments.single_vector("acceleration", acceleration, state.size)
    residual, M = _linearized_residual(model, state, acceleration)
    return InverseDynamicsDerivatives(-residual.K, -residual.D, M)


def linearized_residual(model: Model, state: State, acceleration: ArrayLike) -> Forces:
    """Return ``f - M acceleration (N,)`` with K along increments and D with respect to velocities ``(N, N)``.

    Parameters
    ----------
    acceleration
        Accelerations ``(N,)``, rad/s^2 and m/s^2.

    Raises
    ------
    InvalidArgument
        If ``state`` does not fit the model or ``acceleration`` does not fit the state.
    """
    arguments.require_instance("model", model, Model)
    model.check_state(state)
    acceleration = arguments.single_vector("acceleration", acceleration, state.size)
    return _linearized_residual(model, state, acceleration)[0]


def _force_derivatives(model: Model, state: State) -> tuple[Array, Array]:
    arguments.require_instance("model", model, Model)
    model.check_state(state)
    residual, _ = _linearized_residual(model, state, np.zeros(state.size))
    return residual.K, residual.D


class CenteredTree(NamedTuple):
    """Tree of a model whose free bodies have zero coordinates at the present state.

    Attributes
    ----------
    tree
        Tree under all forces.
    state
        Coordinates and velocities of the tree.
    tree_from_model
        Permutation ``(k, N)`` from the velocities of the model to those of the tree.
    """

    tree: Tree
    state: State
    tree_from_model: Array


def centered_tree(model: Model, state: State) -> CenteredTree:
    """Return the tree of a model with the joints of free bodies at their present poses, for a valid state."""
    tree = model.tree
    links = list(tree.links)
    tree_from_model: Array = np.zeros((tree.num_coordinates, state.size))
    q, qdot = np.zeros(tree.num_coordinates), np.zeros(tree.num_coordinates)
    for number, index in enumerate(model.free_body_indices):
        links[index] = replace_unchecked(links[index], placement=state.E[number])
        own, column = tree.coordinate_slices[index], 6 * number
        # The coordinates are position, then rotation vector; twists have the angular part first.
        order = np.r_[3:6, 0:3]
        tree_from_model[np.arange(own.start, own.stop), column + order] = 1.0
        qdot[own] = state.phi[number][order]
    first = 6 * len(model.free_body_indices)
    tree_from_model[model.joint_indices, first + np.arange(len(model.joint_indices))] = 1.0
    q[model.joint_indices], qdot[model.joint_indices] = state.q, state.qdot
    tree_state = replace_unchecked(state, E=state.E[:0], phi=state.phi[:0], q=q, qdot=qdot)
    return CenteredTree(replace_unchecked(tree, links=tuple(links)), tree_state, tree_from_model)


def _linearized_residual(model: Model, state: State, acceleration: Array) -> tuple[Forces, Array]:
    """Return the residual with its derivatives, and the mass matrix ``(N, N)``."""
    tree, tree_state, P = centered_tree(model, state)
    velocity_by_x: Array = np.zeros((state.size, state.size))
    acceleration_by_x, acceleration_by_v = np.zeros_like(velocity_by_x), np.zeros_like(velocity_by_x)
    tree_acceleration = acceleration.copy()
    for number, twist in enumerate(state.phi):
        w, v = slice(6 * number, 6 * number + 3), slice(6 * number + 3, 6 * number + 6)
        W, V = so3.hat(twist[:3]), so3.hat(twist[3:])
        tree_acceleration[v] += W @ twist[3:]
        velocity_by_x[w, w], velocity_by_x[v, w] = -W / 2, -V
        acceleration_by_x[w, w] = -so3.hat(acceleration[w]) / 2 + W @ W / 6
        acceleration_by_x[v, w] = -so3.hat(tree_acceleration[v])
        acceleration_by_v[v, w], acceleration_by_v[v, v] = -V, W
    f, K, D = tree.linearized_residual(tree_state, P @ tree_acceleration)
    M = P.T @ tree.mass_matrix(tree_state) @ P
    f, K, D = P.T @ f, P.T @ K @ P, P.T @ D @ P
    K = K + D @ velocity_by_x - M @ acceleration_by_x
    for number in range(len(state.E)):
        w, v = slice(6 * number, 6 * number + 3), slice(6 * number + 3, 6 * number + 6)
        K[w, w] += so3.hat(f[w]) / 2
        K[v, w] += so3.hat(f[v])
    return Forces(f, K, D - M @ acceleration_by_v), M


def _refuse_constraints(model: Model) -> None:
    if any(not each.unilateral for each in model.constraints):
        raise InvalidArgument("model", "equality constraints", "a model without, for these derivatives")
    for body in model.bodies:
        if body.joint is not None and body.joint.num_coordinate_constraints:
            joint = type(body.joint).__name__
            got = f"a {joint} joint of body {body.name!r}, whose coordinates are constrained"
            raise InvalidArgument("model", got, "joints with independent coordinates, for these derivatives")
