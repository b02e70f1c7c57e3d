"""Derivatives of the dynamics of a model: stiffness, damping, and the derivatives of both dynamics.

Derivatives with respect to the configuration refer to increments in the order of ``state.velocity``: a twist
xi of a free body in its own frame, ``E exp([xi])``, the displacements of particles, and the coordinates of
the joints. The matrices are dense. The methods ``linearized_force`` and ``linearized_residual`` of
:class:`~rbnotes.multibody.Model` return them with the force; they are sparse for a model without joints.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.complementarity.problems import to_dense
from rbnotes.dynamics import Forces, State
from rbnotes.multibody.model import Model
from rbnotes.multibody.model_dynamics import forward_dynamics, mass_matrix


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
    K: Array = _dense_linearized_force(model, state).K
    return K


def damping(model: Model, state: State) -> Array:
    """Return the damping matrix ``(N, N)``: the derivative of all forces with respect to velocities.

    The forces are those of :func:`stiffness`, the terms of the velocities included.

    Raises
    ------
    InvalidArgument
        If ``state`` does not fit the model.
    """
    D: Array = _dense_linearized_force(model, state).D
    return D


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
    residual = _dense_linearized_residual(model, state, acceleration)
    inverse = np.linalg.inv(mass_matrix(model, state))
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
    residual = _dense_linearized_residual(model, state, acceleration)
    return InverseDynamicsDerivatives(-residual.K, -residual.D, mass_matrix(model, state))


def _dense_linearized_residual(model: Model, state: State, acceleration: ArrayLike) -> Forces:
    arguments.require_instance("model", model, Model)
    f, K, D = model.linearized_residual(state, acceleration)
    return Forces(f, to_dense(K), to_dense(D))


def _dense_linearized_force(model: Model, state: State) -> Forces:
    arguments.require_instance("model", model, Model)
    f, K, D = model.linearized_force(state)
    return Forces(f, to_dense(K), to_dense(D))


def _refuse_constraints(model: Model) -> None:
    if any(not each.unilateral for each in model.constraints):
        raise InvalidArgument("model", "equality constraints", "a model without, for these derivatives")
    for body in model.bodies:
        if body.joint is not None and body.joint.num_coordinate_constraints:
            joint = type(body.joint).__name__
            got = f"a {joint} joint of body {body.name!r}, whose coordinates are constrained"
            raise InvalidArgument("model", got, "joints with independent coordinates, for these derivatives")
