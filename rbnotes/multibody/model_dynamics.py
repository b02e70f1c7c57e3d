"""Dynamics of a model in the velocities of its state: those of free bodies, particles and joints.

Velocities ``v (N,)`` are stacked as in ``state.velocity``, with six numbers for each free body, in its own
frame, and three for each particle. Accelerations are their rates, generalized forces the wrenches, forces and
joint forces that multiply them.

    M(state) dv/dt + bias_forces(state) = passive joint forces + forces of the model + tau + G^T lambda.

Contacts, joint limits, joint friction and actuators act in :func:`rbnotes.multibody.simulate` only;
:func:`actuator_forces` returns the forces of the latter.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.complementarity.problems import to_dense
from rbnotes.dynamics import State
from rbnotes.multibody import model_equations
from rbnotes.multibody.model import Model
from rbnotes.multibody.model_equations import velocity_map
from rbnotes.multibody.reduced.kinematics import jacobian_rate as tree_jacobian_rate
from rbnotes.multibody.reduced.recursive_dynamics import bias_forces as tree_bias_forces
from rbnotes.unchecked import se3

REFERENCE_FRAMES = ("body", "world", "world_aligned")
"""Accepted values of ``reference`` in :func:`frame_jacobian`."""


def mass_matrix(model: Model, state: State) -> Array:
    """Return the mass matrix ``(N, N)``, symmetric and dense; :meth:`Model.mass_matrix` may be sparse.

    Along the constrained coordinates of a joint, such as the length of a quaternion, it has an inertia that
    does not change the motion (:class:`rbnotes.multibody.reduced.Tree`).

    Raises
    ------
    InvalidArgument
        If ``state`` does not fit the model.
    """
    arguments.require_instance("model", model, Model)
    return to_dense(model.mass_matrix(state))


def bias_forces(model: Model, state: State) -> Array:
    """Return the bias forces ``(N,)``: inverse dynamics at zero acceleration.

    They contain gravity and the terms of the velocities, but no springs, dampers, forces or constraints.

    Raises
    ------
    InvalidArgument
        If ``state`` does not fit the model.
    """
    arguments.require_instance("model", model, Model)
    model.check_state(state)
    if model.free_system is not None:
        return -model.free_system.gyroscopic_wrenches(state) - model.free_system.gravity_force(state)
    tree_state = model.tree_state(state)
    B, bias_acceleration = velocity_map(model, tree_state)
    weights = np.outer(model.particles, model.gravity).ravel()
    tree_bias = np.append(-weights, tree_bias_forces(model.tree, tree_state.q, tree_state.qdot))
    M = model.tree.mass_matrix(tree_state)
    result: Array = np.linalg.solve(B.T, tree_bias - M @ np.linalg.solve(B, bias_acceleration))
    return result


def inverse_dynamics(model: Model, state: State, acceleration: ArrayLike) -> Array:
    """Return the forces ``(N,)`` besides those of the model that give the accelerations ``(N,)``.

    They add to gravity, joint springs and dampers, and the forces of the model; constraints are ignored.

    Raises
    ------
    InvalidArgument
        If ``state`` does not fit the model or ``acceleration`` does not fit the state.
    """
    arguments.require_instance("model", model, Model)
    model.check_state(state)
    acceleration = arguments.single_vector("acceleration", acceleration, state.size)
    result: Array = model.mass_matrix(state) @ acceleration - model.force(state)
    return result


def forward_dynamics(model: Model, state: State, tau: ArrayLike = 0.0) -> Array:
    """Return the accelerations ``(N,)`` under gravity, joint springs and dampers, forces and constraints.

    Equations among the constraints hold, with prescribed motions at the time of the state; contacts and
    joint limits do not act.

    Parameters
    ----------
    tau
        Further forces ``(N,)``: wrenches on free bodies in their frames and joint forces, N m and N.

    Raises
    ------
    InvalidArgument
        If ``state`` does not fit the model or ``tau`` does not fit the state.
    SingularConfiguration
        If a joint is in a singular state.
    """
    arguments.require_instance("model", model, Model)
    model.check_state(state)
    return model_equations.acceleration(model, state, tau)


def frame_jacobian(
    model: Model, state: State, body: str, frame: ArrayLike | None = None, *, reference: str = "body"
) -> Array:
    """Return the Jacobian ``(6, N)`` of a frame of a body: its twist for the velocities of the state.

    Parameters
    ----------
    body
        Name of the body.
    frame : (4, 4), optional
        Frame in the body frame, m; the body frame by default.
    reference : {"body", "world", "world_aligned"}
        Twist in the axes of the frame, about its origin; in the world's axes, about the world's origin
        (spatial); or in the world's axes, about the origin of the frame.

    Raises
    ------
    InvalidArgument
        If ``state`` does not fit the model, there is no such body, or ``frame`` is not a pose.
    """
    return frame_jacobian_unchecked(tree_frame(model, state, body, frame, reference))


def frame_jacobian_unchecked(frame: TreeFrame) -> Array:
    """Return :func:`frame_jacobian` of a checked frame."""
    model, tree_state, index, offset, reference = frame
    kinematics = model.tree.body_kinematics(tree_state)
    B_inverse = np.linalg.inv(velocity_map(model, tree_state).B)
    J = se3.Ad_inverse(offset) @ _with_particles(kinematics.J[index], tree_state) @ B_inverse
    result: Array = _reference_transform(kinematics.body_poses[index] @ offset, reference) @ J
    return result


def frame_jacobian_rate(
    model: Model, state: State, body: str, frame: ArrayLike | None = None, *, reference: str = "body"
) -> Array:
    """Return the rate ``(6, N)`` of :func:`frame_jacobian` at the velocities of the state.

    The rate of the twist of the frame is ``J dv/dt + Jdot v``.

    Parameters
    ----------
    body
        Name of the body.
    frame : (4, 4), optional
        Frame in the body frame, m; the body frame by default.
    reference : {"body", "world", "world_aligned"}
        As for :func:`frame_jacobian`.

    Raises
    ------
    InvalidArgument
        If ``state`` does not fit the model, there is no such body, or ``frame`` is not a pose.
    """
    return frame_jacobian_rate_unchecked(tree_frame(model, state, body, frame, reference))


def frame_jacobian_rate_unchecked(frame: TreeFrame) -> Array:
    """Return :func:`frame_jacobian_rate` of a checked frame."""
    model, tree_state, index, offset, reference = frame
    tree = model.tree
    kinematics = model.tree.body_kinematics(tree_state)
    B_inverse = np.linalg.inv(velocity_map(model, tree_state).B)
    to_frame = se3.Ad_inverse(offset)
    J = to_frame @ _with_particles(kinematics.J[index], tree_state) @ B_inverse
    tree_rate = tree_jacobian_rate(tree, tree_state.q, tree_state.qdot).reshape(kinematics.J.shape)[index]
    rate = to_frame @ _with_particles(tree_rate, tree_state) @ B_inverse
    rate -= J @ _velocity_map_rate(model, tree_state) @ B_inverse
    to_reference = _reference_transform(kinematics.body_poses[index] @ offset, reference)
    twist = to_frame @ kinematics.phi[index]
    if reference == "world":
        return np.asarray(to_reference @ (rate + se3.ad(twist) @ J))
    if reference == "world_aligned":
        rate = rate + se3.ad(np.concatenate([twist[:3], np.zeros(3)])) @ J
    return np.asarray(to_reference @ rate)


class TreeFrame(NamedTuple):
    """Frame of a body at a state of a model's tree.

    Attributes
    ----------
    model
        Model of the body.
    tree_state
        State of the model's tree.
    body_index
        Index of the body.
    offset
        Frame ``(4, 4)`` in the body frame, m.
    reference
        ``"body"``, ``"world"`` or ``"world_aligned"``, see :func:`frame_jacobian`.
    """

    model: Model
    tree_state: State
    body_index: int
    offset: Array
    reference: str


def tree_frame(model: Model, state: State, body: str, frame: ArrayLike | None, reference: str) -> TreeFrame:
    """Return the checked arguments of :func:`frame_jacobian`."""
    tree_state = _tree_state(model, state)
    arguments.choice("reference", reference, REFERENCE_FRAMES)
    return TreeFrame(model, tree_state, body_index(model, body), frame_in_body(frame), reference)


def body_index(model: Model, body: str) -> int:
    """Return the index of the body with a checked name."""
    try:
        return model.index(arguments.text("body", body))
    except InvalidArgument as error:
        raise InvalidArgument("body", error.got, error.expected) from None


def frame_in_body(frame: ArrayLike | None) -> Array:
    """Return a checked frame ``(4, 4)``, or the body frame for None."""
    if frame is None:
        return np.eye(4)
    return arguments.with_ndim("frame", arguments.frame("frame", frame), 2)


def _reference_transform(pose: Array, reference: str) -> Array:
    """Return the map ``(6, 6)`` from twists in a frame with this pose to those of the reference."""
    if reference == "body":
        return np.eye(6)
    if reference == "world":
        return se3.Ad(pose)
    return np.kron(np.eye(2), pose[:3, :3])


def _with_particles(J: Array, tree_state: State) -> Array:
    """Return a Jacobian of the tree ``(6, k)`` with zero columns for the velocities of the particles."""
    return np.hstack([np.zeros((len(J), tree_state.v.size)), J])


def _velocity_map_rate(model: Model, tree_state: State) -> Array:
    """Return the rate ``(N, N)`` of B of :func:`~rbnotes.multibody.model_equations.velocity_map`."""
    tree, particles = model.tree, tree_state.v.size
    rate = np.zeros((particles + tree.num_coordinates, particles + tree.num_coordinates))
    for number, index in enumerate(model.free_body_indices):
        own, joint = tree.coordinate_slices[index], tree.links[index].joint
        columns = slice(particles + own.start, particles + own.stop)
        rate[6 * number : 6 * number + 6, columns] = joint.compute_motion_subspace_rate(
            tree_state.q[own], tree_state.qdot[own]
        )
    return rate


def actuator_forces(
    model: Model, state: State, commands: ArrayLike | Mapping[str, ArrayLike] | None = None
) -> Array:
    """Return the generalized forces of the actuators ``(N,)``, N m and N.

    Parameters
    ----------
    commands
        Forces, N m or N, or targets of servos, rad, m, rad/s or m/s, ``(k,)`` or a number by the names of
        bodies on joints, with the default of the actuators for the others; or one number for each joint
        velocity, in the order of ``state.qdot``. Joints without an actuator take a force.

    Raises
    ------
    InvalidArgument
        If ``state`` or ``commands`` does not fit the model.
    """
    tree_state = _tree_state(model, state)
    command = model.command_vector("commands", {} if commands is None else commands)
    force = model.actuator_gains.forces(tree_state.q, tree_state.qdot, command)
    return np.concatenate([np.zeros(state.phi.size + state.v.size), force[model.joint_indices]])


def kinetic_energy(model: Model, state: State) -> float:
    """Return the kinetic energy, that of the rotors of joints included, J.

    Raises
    ------
    InvalidArgument
        If ``state`` does not fit the model.
    """
    arguments.require_instance("model", model, Model)
    model.check_state(state)
    return model_equations.kinetic_energy(model, state)


def potential_energy(model: Model, state: State) -> float:
    """Return the potential energy of gravity, joint springs and the forces that have one, J.

    The potential of gravity is zero with every center of mass at the world's origin.

    Raises
    ------
    InvalidArgument
        If ``state`` does not fit the model.
    """
    arguments.require_instance("model", model, Model)
    model.check_state(state)
    return model_equations.potential_energy(model, state)


def _tree_state(model: Model, state: State) -> State:
    arguments.require_instance("model", model, Model)
    return model.tree_state(state)
