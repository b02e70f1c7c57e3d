"""Sensors: quantities of a frame or a joint at a state of a model.

Contacts and joint limits do not act on them, as in :func:`rbnotes.multibody.forward_dynamics`; contact forces
of a simulation are channels of its trajectory (:meth:`rbnotes.multibody.Trajectory.channel`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.dynamics import State
from rbnotes.multibody.model import Model
from rbnotes.multibody.model_dynamics import (
    body_index,
    forward_dynamics,
    frame_in_body,
    frame_jacobian,
    frame_jacobian_rate_unchecked,
    frame_jacobian_unchecked,
    tree_frame,
)
from rbnotes.multibody.model_equations import constrained_tree_acceleration, velocity_map
from rbnotes.multibody.reduced.dynamics import gyroscopic_and_gravity_wrenches
from rbnotes.multibody.reduced.joint_reactions import constraints_on_bodies, joint_transmitted_wrenches
from rbnotes.unchecked.linear_algebra import matvec


def frame_pose(model: Model, state: State, body: str, frame: ArrayLike | None = None) -> Array:
    """Return the pose ``(4, 4)`` of a frame of a body in the world, m.

    Parameters
    ----------
    body
        Name of the body.
    frame : (4, 4), optional
        Frame in the body frame, m; the body frame by default.

    Raises
    ------
    InvalidArgument
        If ``state`` does not fit the model, there is no such body, or ``frame`` is not a pose.
    """
    arguments.require_instance("model", model, Model)
    index = body_index(model, body)
    result: Array = model.body_state(state).E[index] @ frame_in_body(frame)
    return result


def frame_velocity(
    model: Model, state: State, body: str, frame: ArrayLike | None = None, *, reference: str = "body"
) -> Array:
    """Return the twist ``(6,)`` of a frame of a body: angular, then linear velocity, rad/s and m/s.

    Parameters
    ----------
    body
        Name of the body.
    frame : (4, 4), optional
        Frame in the body frame, m; the body frame by default.
    reference : {"body", "world", "world_aligned"}
        As for :func:`~rbnotes.multibody.frame_jacobian`.

    Raises
    ------
    InvalidArgument
        If ``state`` does not fit the model, there is no such body, or ``frame`` is not a pose.
    """
    J = frame_jacobian(model, state, body, frame, reference=reference)
    result: Array = J @ state.velocity
    return result


def frame_acceleration(
    model: Model,
    state: State,
    body: str,
    frame: ArrayLike | None = None,
    *,
    tau: ArrayLike = 0.0,
    reference: str = "body",
) -> Array:
    """Return the rate ``(6,)`` of :func:`frame_velocity` under the forces of the model, rad/s^2 and m/s^2.

    With ``reference="world_aligned"`` its last three numbers are the acceleration of the origin of the frame.
    An accelerometer there measures this less gravity, in its own axes.

    Parameters
    ----------
    body
        Name of the body.
    frame : (4, 4), optional
        Frame in the body frame, m; the body frame by default.
    tau
        Further forces ``(N,)``, as for :func:`~rbnotes.multibody.forward_dynamics`, such as those of
        :func:`~rbnotes.multibody.actuator_forces`.
    reference : {"body", "world", "world_aligned"}
        As for :func:`~rbnotes.multibody.frame_jacobian`.

    Raises
    ------
    InvalidArgument
        If ``state`` or ``tau`` does not fit the model, there is no such body, or ``frame`` is not a pose.
    SingularConfiguration
        If a joint is in a singular state.
    """
    checked_frame = tree_frame(model, state, body, frame, reference)
    J = frame_jacobian_unchecked(checked_frame)
    rate = frame_jacobian_rate_unchecked(checked_frame)
    result: Array = J @ forward_dynamics(model, state, tau) + rate @ state.velocity
    return result


def joint_wrench(model: Model, state: State, body: str, *, tau: ArrayLike = 0.0) -> Array:
    """Return the wrench ``(6,)`` that a joint transmits to the body it carries: moment and force, N m and N.

    It is in the joint frame that moves with the body, and contains the forces along the motion of the joint,
    such as those of its spring and its actuator.

    Parameters
    ----------
    body
        Name of the body that the joint carries.
    tau
        Further forces ``(N,)``, as for :func:`~rbnotes.multibody.forward_dynamics`.

    Raises
    ------
    InvalidArgument
        If ``state`` or ``tau`` does not fit the model, or no joint carries such a body.
    SingularConfiguration
        If a joint is in a singular state.
    """
    arguments.require_instance("model", model, Model)
    index = body_index(model, body)
    if model.bodies[index].is_free:
        raise InvalidArgument("body", f"{body!r}, a free body", "a body on a joint")
    tree, tree_state = model.tree, model.tree_state(state)
    B = velocity_map(model, tree_state).B
    qddot, multipliers = constrained_tree_acceleration(model, tree_state, B, tau)
    kinematics = tree.body_kinematics(tree_state)
    accelerations = kinematics.J @ qddot[state.v.size :] + kinematics.bias_acceleration
    wrenches = matvec(tree.inertias, accelerations)
    wrenches -= gyroscopic_and_gravity_wrenches(tree, tree_state.q, tree_state.qdot)
    force = arguments.call_user_function("forces", model.force_law, model.body_state(state)).f
    wrenches -= np.reshape(force[: wrenches.size], wrenches.shape)
    equations = [each for each in model.constraints if not each.unilateral]
    for _, rows, own in constraints_on_bodies(tree, equations, tree_state):
        wrenches -= (rows.T @ multipliers[own]).reshape(wrenches.shape)
    result: Array = joint_transmitted_wrenches(tree, tree_state.q, wrenches)[index]
    return result
