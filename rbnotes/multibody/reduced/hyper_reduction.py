"""Hyper-reduced coordinates: fewer than a tree's joints have, such as one angle for a chain (Sueda 2.6).

The coordinates of all joints are a function of fewer ones, ``q = f(q_R)``, with the Jacobian J_rR. Velocities
follow by one more factor, and the equations of motion by one more transpose (Sueda eqs. (2.80) to (2.83)),

    qdot = J_rR qdot_R,      J_mR = J_mr J_rR,      M_R = J_rR^T M_r J_rR.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.dynamics import State
from rbnotes.joints.joint_type import COMPLEX_STEP
from rbnotes.multibody.reduced.reduced_tree import ReducedTree, ReductionDerivatives
from rbnotes.multibody.reduced.tree import Tree


@dataclass(frozen=True, eq=False)
class JointCoordinates:
    """Coordinates of all joints as a function of r fewer ones.

    Attributes
    ----------
    num_coordinates
        Number r of coordinates.
    q
        Function from q_R to the coordinates ``(k,)`` of all joints.
    jacobian
        Function from q_R to J_rR ``(k, r)``, the derivative of q.
    jacobian_rate
        Function from coordinates and velocities ``(r,)`` to the rate ``(k, r)`` of J_rR.
    bias_acceleration_derivative
        Function to the derivative ``(k, r)`` of ``jacobian_rate(q_R, v_R) @ v_R`` by q_R at constant v_R, for
        implicit steps. None: by the complex step, for which jacobian_rate accepts complex coordinates.

    Raises
    ------
    InvalidArgument
        If ``num_coordinates`` is negative or ``q``, ``jacobian``, ``jacobian_rate`` or
        ``bias_acceleration_derivative`` is not a function.
    """

    num_coordinates: int
    q: Callable[[Array], ArrayLike]
    jacobian: Callable[[Array], ArrayLike]
    jacobian_rate: Callable[[Array, Array], ArrayLike]
    bias_acceleration_derivative: Callable[[Array, Array], ArrayLike] | None = None

    def __post_init__(self) -> None:
        arguments.count("num_coordinates", self.num_coordinates)
        arguments.require_function("q", self.q, "q_R")
        arguments.require_function("jacobian", self.jacobian, "q_R")
        arguments.require_function("jacobian_rate", self.jacobian_rate, "q_R", "v_R")
        if self.bias_acceleration_derivative is not None:
            arguments.require_function(
                "bias_acceleration_derivative", self.bias_acceleration_derivative, "q_R", "v_R"
            )

    def _bias_acceleration_derivative(self, q: Array, v: Array) -> ArrayLike:
        """Return the derivative of ``Jdot v`` with respect to q, by complex steps if it is not given."""
        if self.bias_acceleration_derivative is not None:
            derivative: ArrayLike = self._evaluate("bias_acceleration_derivative", q, v)
            return derivative
        shifted = q + 1j * COMPLEX_STEP * np.eye(self.num_coordinates)
        rates = np.stack(
            [np.asarray(self._evaluate("jacobian_rate", each, v)) @ v for each in shifted], axis=-1
        )
        if not np.iscomplexobj(rates):
            expected = "a function, or a jacobian_rate that accepts complex coordinates"
            raise InvalidArgument(
                "bias_acceleration_derivative", "None, and a jacobian_rate that is real", expected
            )
        result: Array = rates.imag / COMPLEX_STEP
        return result

    def _evaluate(self, name: str, *values: Array) -> Any:
        """Return the value of one of the functions, which must leave its arguments unchanged."""
        return arguments.call_user_function(name, getattr(self, name), *values)


def linear_coordinates(J: ArrayLike, offset: ArrayLike = 0.0) -> JointCoordinates:
    """Return ``q = J q_R + offset`` with a constant ``J (k, r)``.

    Raises
    ------
    InvalidArgument
        If the columns of J are linearly dependent, or the shape of ``offset`` does not fit.
    """
    constant: Array = arguments.with_ndim("J", arguments.array("J", J, None, None), 2)
    k, r = constant.shape[-2:]
    rank = int(np.linalg.matrix_rank(constant))
    if rank < r:
        got = f"shape {constant.shape}, rank {rank}"
        raise InvalidArgument("J", got, f"a matrix with {r} independent columns")
    constant_offset = arguments.array("offset", offset)
    if constant_offset.shape not in ((), (k,)):
        raise InvalidArgument("offset", f"shape {constant_offset.shape}", f"a number, or shape ({k},)")
    zero = np.zeros_like(constant)
    return JointCoordinates(
        r,
        partial(_affine, constant, constant_offset),
        partial(_constant, constant),
        partial(_constant, zero),
        partial(_constant, zero),
    )


def _affine(J: Array, offset: Array, q_R: Array) -> Array:
    return J @ q_R + offset


def _constant(value: Array, *_: Array) -> Array:
    return value


def gear_coordinates(tree: Tree, ratios: Mapping[str, float]) -> JointCoordinates:
    """Return coordinates in which one turns several joints, each by its ratio; eq. (2.81) has ratios 1.

    The new coordinate replaces that of the first of these joints in the tree; all other coordinates stay the
    same.

    Raises
    ------
    InvalidArgument
        If there is no such link, one has not exactly one coordinate, or all ratios are zero.
    """
    arguments.require_instance("tree", tree, Tree)
    arguments.require_instance("ratios", ratios, Mapping)
    column = np.zeros(tree.num_coordinates)
    for name, ratio in ratios.items():
        coordinates = tree.coordinate_slices[tree.index(arguments.text("ratios: name", name))]
        if coordinates.stop - coordinates.start != 1:
            raise InvalidArgument(
                "ratios", f"{name!r} with {coordinates.stop - coordinates.start} coordinates", "one"
            )
        column[coordinates] = arguments.real_number("ratios", ratio)
    if not np.any(column):
        raise InvalidArgument("ratios", repr(dict(ratios)), "one that is not zero")
    first_coordinates = sorted(tree.coordinate_slices[tree.index(name)].start for name in ratios)
    J = np.eye(tree.num_coordinates)
    J[:, first_coordinates[0]] = column
    return linear_coordinates(np.delete(J, first_coordinates[1:], axis=1))


def reduce_coordinates(tree: Tree, coordinates: JointCoordinates) -> ReducedTree:
    """Return a tree in fewer coordinates, as a mechanical system: its states are those of the r coordinates.

    Particles beside the tree keep their own coordinates. The result is a
    :class:`~rbnotes.dynamics.MechanicalSystem` with the whole tree as its ``tree``: ``expand(state)`` returns
    the state of the whole tree, ``reduction(state)`` and ``acceleration_reduction(state)`` the maps to all
    velocities and accelerations.

    Parameters
    ----------
    tree
        Whole tree, with all particles and forces.
    coordinates
        Map from the r coordinates to the k coordinates of the joints, rad or m.

    Raises
    ------
    InvalidArgument
        If ``tree`` is not a ``Tree`` or ``coordinates`` is not a ``JointCoordinates``.
    """
    arguments.require_instance("tree", tree, Tree)
    arguments.require_instance("coordinates", coordinates, JointCoordinates)
    return _HyperReducedTree(tree, coordinates)


@dataclass(frozen=True, eq=False)
class _HyperReducedTree(ReducedTree):
    """Tree whose joint coordinates are a function of fewer ones.

    Attributes
    ----------
    coordinates
        Map from the fewer coordinates to those of the joints, rad or m.
    """

    coordinates: JointCoordinates

    def _expand(self, state: State) -> tuple[State, Array, Array]:
        """Return the state in joint coordinates, and the reduction's J and bias."""
        k, r, count = self.tree.num_coordinates, self.coordinates.num_coordinates, state.v.size
        if state.q.shape != (r,) or state.qdot.shape != (r,):
            got = f"q {state.q.shape} and qdot {state.qdot.shape}"
            raise InvalidArgument("state", got, f"q and qdot of shape ({r},)")
        q = arguments.vector("q(q_R)", self.coordinates._evaluate("q", state.q), k)
        joint_jacobian = arguments.matrix("jacobian", self.coordinates._evaluate("jacobian", state.q), k, r)
        rate = self._jacobian_rate(state.q, state.qdot)
        J = np.zeros((count + k, count + r))
        J[:count, :count], J[count:, count:] = np.eye(count), joint_jacobian
        bias = np.append(np.zeros(count), rate @ state.qdot)
        return replace(state, q=q, qdot=joint_jacobian @ state.qdot), J, bias

    def _reduction_derivatives(self, state: State, acceleration: Array, f: Array) -> ReductionDerivatives:
        """Return the derivatives of the reduction at a state, an acceleration and forces."""
        k, r, count = self.tree.num_coordinates, self.coordinates.num_coordinates, state.v.size
        q, v, a = state.q, state.qdot, acceleration[count:]
        jacobian_derivative = np.stack([self._jacobian_rate(q, along) for along in np.eye(r)], axis=-1)
        twist_derivative = np.einsum("ijl,j->il", jacobian_derivative, v)
        bias_derivative = arguments.matrix(
            "bias_acceleration_derivative", self.coordinates._bias_acceleration_derivative(q, v), k, r
        )
        joint_blocks = (
            twist_derivative,
            np.einsum("ijl,j->il", jacobian_derivative, a) + bias_derivative,
            self._jacobian_rate(q, v) + twist_derivative,
        )
        velocities, accelerations, bias = (np.pad(each, ((count, 0), (count, 0))) for each in joint_blocks)
        forces = np.pad(np.einsum("ijl,i->jl", jacobian_derivative, f[count:]), ((count, 0), (count, 0)))
        return ReductionDerivatives(velocities, accelerations, bias, forces)

    def _jacobian_rate(self, q: Array, v: Array) -> Array:
        k, r = self.tree.num_coordinates, self.coordinates.num_coordinates
        result: Array = arguments.matrix(
            "jacobian_rate", self.coordinates._evaluate("jacobian_rate", q, v), k, r
        )
        return result
