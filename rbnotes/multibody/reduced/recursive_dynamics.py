"""Recursive dynamics of a tree: inverse, forward, and hybrid dynamics (Sueda 2.12, Algorithm 9).

The equations of motion are those of :mod:`rbnotes.multibody.reduced.dynamics`, without J and without the mass
matrix: each link is visited a few times, so that the cost grows linearly.

In *inverse* dynamics all accelerations are given. One sweep from the roots computes twists and their rates,
one from the leaves adds up the required wrenches. *Forward* dynamics needs the articulated inertia at each
joint: that of its body and of all bodies beyond it, reduced by the motion of their joints (Featherstone).
In *hybrid* dynamics the accelerations of some joints are prescribed. Inverse dynamics with the prescribed
accelerations alone gives the residual forces at the free joints. Their accelerations follow from these with
the prescribed joints locked; inverse dynamics then gives the forces at the prescribed joints.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array, BoolArray, InvalidArgument
from rbnotes.multibody.reduced.dynamics import (
    _gyroscopic_and_gravity_wrenches,
    _passive_joint_forces,
    check_applied_forces,
)
from rbnotes.multibody.reduced.inverse_mass import factor_mass_matrix
from rbnotes.multibody.reduced.jacobian_products import (
    generalized_forces,
    jacobian_product_and_rate,
)
from rbnotes.multibody.reduced.kinematics import (
    _matvec,
    _poses,
    check_vectors,
    relative_joint_poses,
)
from rbnotes.multibody.reduced.tree import Tree
from rbnotes.unchecked import se3

MAX_LINK_STATES = 16384
"""Number of links times states for which dynamics are computed at once, which bounds the memory."""


class HybridDynamicsResult(NamedTuple):
    """Accelerations and forces of all joints, some of them with prescribed accelerations.

    Attributes
    ----------
    qddot
        Accelerations of all joints ``(..., k)``, rad/s^2 or m/s^2.
    tau
        Applied forces ``(..., k)``, N m or N: the given ones at free joints, the required ones at prescribed
        joints.
    """

    qddot: Array
    tau: Array


def inverse_dynamics(
    tree: Tree, q: ArrayLike, qdot: ArrayLike, qddot: ArrayLike, wrenches: ArrayLike = 0.0
) -> Array:
    """Return the applied joint forces ``(..., k)`` for the accelerations qddot: recursive Newton-Euler.

    :func:`~rbnotes.multibody.reduced.inverse_dynamics_dense` forms the mass matrix instead, with the same
    result.

    Parameters
    ----------
    wrenches
        Applied body wrenches ``(..., n, 6)``, N m and N, besides gravity, in body coordinates.

    Raises
    ------
    InvalidArgument
        If a shape does not fit.
    """
    arguments.require_instance("tree", tree, Tree)
    q, qdot, qddot, _, wrenches = check_dynamics_arguments(tree, q, qdot, qddot, 0.0, wrenches)
    return _inverse_dynamics(tree, q, qdot, qddot, wrenches)


def _inverse_dynamics(tree: Tree, q: Array, qdot: Array, qddot: Array, wrenches: Array) -> Array:
    return _newton_euler(tree, q, qdot, qddot, wrenches) - _passive_joint_forces(tree, q, qdot)


def _newton_euler(tree: Tree, q: Array, qdot: Array, qddot: Array, wrenches: Array | float) -> Array:
    """Return the joint forces ``(..., k)`` for qddot without those of springs and dampers."""
    steps = relative_joint_poses(tree, q)
    A = se3.Ad_inverse(steps)
    phi, rate = (
        _matvec(tree.joint_to_body_adjoints, each)
        for each in jacobian_product_and_rate(tree, q, qdot, qdot, qddot, A)
    )
    f = (
        _gyroscopic_and_gravity_wrenches(tree, _poses(tree, steps).body_poses, phi)
        + wrenches
        - _matvec(tree.inertias, rate)
    )
    return -generalized_forces(tree, q, f, A)


def bias_forces(tree: Tree, q: ArrayLike, qdot: ArrayLike) -> Array:
    """Return the bias forces ``(..., k)``: inverse dynamics at zero acceleration.

    They contain gravity and the terms of the velocities, but no springs, dampers or applied wrenches: the
    ``h`` of ``M_r qddot + h = tau``.

    Raises
    ------
    InvalidArgument
        If the shape of ``q`` or ``qdot`` does not fit.
    """
    arguments.require_instance("tree", tree, Tree)
    q, qdot = check_vectors(tree, q=q, qdot=qdot)
    return _newton_euler(tree, q, qdot, np.zeros_like(q), 0.0)


def forward_dynamics(
    tree: Tree, q: ArrayLike, qdot: ArrayLike, tau: ArrayLike = 0.0, wrenches: ArrayLike = 0.0
) -> Array:
    """Return the accelerations ``(..., k)`` under joint forces and wrenches: articulated bodies.

    :func:`~rbnotes.multibody.reduced.forward_dynamics_dense` solves with the mass matrix instead. It has the
    same parameters and errors. Both satisfy the constraints of joints on their own coordinates.

    Raises
    ------
    InvalidArgument
        If a shape does not fit.
    """
    return hybrid_dynamics(tree, q, qdot, {}, tau, wrenches).qddot


def hybrid_dynamics(
    tree: Tree,
    q: ArrayLike,
    qdot: ArrayLike,
    accelerations: Mapping[str, ArrayLike],
    tau: ArrayLike = 0.0,
    wrenches: ArrayLike = 0.0,
) -> HybridDynamicsResult:
    """Return the accelerations of free joints and the forces of joints with prescribed accelerations.

    The result is that of :class:`~rbnotes.multibody.reduced.PrescribedJoint` and its rows in the equations of
    motion (Sueda eq. (2.106)), in linear time. If all joints are prescribed it is inverse dynamics, if none
    is, forward dynamics.

    Parameters
    ----------
    accelerations
        Accelerations ``(..., k_i)`` of the prescribed joints, rad/s^2 or m/s^2, by the names of their links;
        a joint with a single coordinate also accepts a number.
    tau
        Applied joint forces ``(..., k)``, N m or N, besides those of springs and dampers; those of prescribed
        joints are ignored.
    wrenches
        Applied body wrenches ``(..., n, 6)``, N m and N, besides gravity, in body coordinates.

    Raises
    ------
    InvalidArgument
        If there is no link of a name, or the shape of its acceleration does not fit its joint.
    SingularConfiguration
        If a free joint is in a singular state, or no mass moves with it; the message names it.
    """
    arguments.require_instance("tree", tree, Tree)
    arguments.require_instance("accelerations", accelerations, Mapping)
    prescribed, is_prescribed = prescribed_accelerations(tree, accelerations)
    q, qdot, prescribed, tau, wrenches = check_dynamics_arguments(tree, q, qdot, prescribed, tau, wrenches)
    num_states, block_size = math.prod(q.shape[:-1]), max(1, MAX_LINK_STATES // max(1, len(tree.links)))
    state_arrays = (q, qdot, prescribed, tau, wrenches)
    if num_states <= block_size:
        return _hybrid_dynamics(tree, accelerations, is_prescribed, *state_arrays)
    stacks = [each.reshape(num_states, *each.shape[q.ndim - 1 :]) for each in state_arrays]
    blocks = [
        _hybrid_dynamics(tree, accelerations, is_prescribed, *(each[i : i + block_size] for each in stacks))
        for i in range(0, num_states, block_size)
    ]
    return HybridDynamicsResult(
        *(np.concatenate(parts).reshape(q.shape) for parts in zip(*blocks, strict=True))
    )


def _hybrid_dynamics(
    tree: Tree,
    locked: Collection[str],
    is_prescribed: BoolArray,
    q: Array,
    qdot: Array,
    prescribed: Array,
    tau: Array,
    wrenches: Array,
) -> HybridDynamicsResult:
    """Return :func:`hybrid_dynamics` of checked arguments with the same leading axes."""
    # Forces for the prescribed accelerations alone; the free joints differ from theirs by a residual.
    free_forces, constraint_accelerations = _remove_constraint_components(
        tree, q, qdot, tau - _inverse_dynamics(tree, q, qdot, prescribed, wrenches)
    )
    qddot = prescribed + np.where(
        is_prescribed,
        0.0,
        constraint_accelerations + factor_mass_matrix(tree, q, locked=locked).solve(free_forces),
    )
    if not np.any(is_prescribed):
        return HybridDynamicsResult(qddot, np.array(tau))
    return HybridDynamicsResult(
        qddot, np.where(is_prescribed, _inverse_dynamics(tree, q, qdot, qddot, wrenches), tau)
    )


def _remove_constraint_components(tree: Tree, q: Array, qdot: Array, forces: Array) -> tuple[Array, Array]:
    """Return forces without their components along joints' own constraints, and the constraint accelerations.

    Both are ``(..., k)``. A joint's S is zero along the rows of its constraints, so that nothing else moves.
    """
    remaining, constraint_accelerations = np.array(forces), np.zeros(q.shape)
    for link, coordinates in zip(tree.links, tree.coordinate_slices, strict=True):
        if link.joint.num_coordinate_constraints:
            joint_q, joint_qdot = q[..., coordinates], qdot[..., coordinates]
            rows = link.joint.compute_coordinate_constraint_jacobian(joint_q)
            bias_acceleration = _matvec(
                link.joint.compute_coordinate_constraint_jacobian_rate(joint_q, joint_qdot), joint_qdot
            )
            right_sides = np.stack([_matvec(rows, forces[..., coordinates]), bias_acceleration], axis=-1)
            components = rows.mT @ np.linalg.solve(rows @ rows.mT, right_sides)
            remaining[..., coordinates] -= components[..., 0]
            constraint_accelerations[..., coordinates] = -components[..., 1]
    return remaining, constraint_accelerations


def prescribed_accelerations(tree: Tree, accelerations: Mapping[str, ArrayLike]) -> tuple[Array, BoolArray]:
    """Return accelerations ``(..., k)``, zero at free joints, and the mask ``(k,)`` of prescribed ones."""
    link_names = [link.name for link in tree.links]
    prescribed_by_link: dict[str, Array] = {}
    for name, value in accelerations.items():
        if name not in link_names:
            raise InvalidArgument("accelerations", repr(name), "one of " + ", ".join(map(repr, link_names)))
        coordinates = tree.coordinate_slices[tree.index(name)]
        numbers = arguments.array(f"accelerations[{name!r}]", value)
        prescribed_by_link[name] = numbers[None] if numbers.ndim == 0 else numbers
        if prescribed_by_link[name].shape[-1] != coordinates.stop - coordinates.start:
            expected = f"shape (..., {coordinates.stop - coordinates.start})"
            raise InvalidArgument(f"accelerations[{name!r}]", f"shape {numbers.shape}", expected)
    shapes = {f"accelerations[{name!r}]": value.shape[:-1] for name, value in prescribed_by_link.items()}
    prescribed = np.zeros((*arguments.common_shape(**shapes), tree.num_coordinates))
    is_prescribed = np.zeros(tree.num_coordinates, dtype=bool)
    for name, value in prescribed_by_link.items():
        coordinates = tree.coordinate_slices[tree.index(name)]
        prescribed[..., coordinates], is_prescribed[coordinates] = value, True
    return prescribed, is_prescribed


def check_dynamics_arguments(
    tree: Tree, q: ArrayLike, qdot: ArrayLike, qddot: ArrayLike, tau: ArrayLike, wrenches: ArrayLike
) -> list[Array]:
    """Return the arguments of dynamics, broadcast to the same leading axes."""
    tau, wrenches = check_applied_forces(tree, tau, wrenches)
    wrenches = wrenches if wrenches.ndim else np.broadcast_to(wrenches, (len(tree.links), 6))
    vectors = check_vectors(
        tree, q=q, qdot=qdot, qddot=qddot, tau=np.broadcast_to(tau, (*tau.shape[:-1], tree.num_coordinates))
    )
    leading_axes = arguments.common_shape(q=vectors[0].shape[:-1], wrenches=wrenches.shape[:-2])
    vectors = [np.broadcast_to(each, (*leading_axes, tree.num_coordinates)) for each in vectors]
    return [*vectors, np.broadcast_to(wrenches, (*leading_axes, *wrenches.shape[-2:]))]
