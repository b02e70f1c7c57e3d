"""Tracing, differentiation and evaluation by casadi of joints given as functions."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from rbnotes.arguments import Array, InvalidArgument
from rbnotes.joints.general.symbols import (
    Symbolic,
    casadi,
    from_casadi_matrix,
    symbol_vector,
    to_casadi_matrix,
)

PoseFactor = tuple[Symbolic, Symbolic]
"""A rotation ``(3, 3)`` and a position ``(3,)``."""
PoseFunction = Callable[[Symbolic], PoseFactor | list[PoseFactor]]
"""Function from coordinates ``(k,)`` to a pose, or to a list of poses whose product is the pose."""
MarginFunction = Callable[[Symbolic], Mapping[str, Symbolic]]
"""Function from coordinates ``(k,)`` to named numbers that vanish where the pose or its chart is singular."""


def jacobian(function: Callable[[Any], Any], point: Any) -> Array:
    """Return derivatives ``(m, k)`` of m results with respect to k arguments, numbers or symbols."""
    ca, p = casadi(), symbol_vector("p", len(point))
    derivative = ca.densify(ca.jacobian(to_casadi_matrix(function(p)), to_casadi_matrix(p)))
    derivative = ca.Function("jacobian", [to_casadi_matrix(p)], [derivative])(
        ca.densify(to_casadi_matrix(point))
    )
    return (
        from_casadi_matrix(derivative) if np.asarray(point).dtype == object else np.array(ca.DM(derivative))
    )


def trace(
    function: PoseFunction, margins: MarginFunction | None, num_coordinates: int
) -> tuple[Any, tuple[str, ...]]:
    """Return the casadi function ``q -> R1, t1, R2, t2, ..., margins`` and the names of the margins.

    Raises
    ------
    InvalidArgument
        If the function does not accept symbols, or its results have other shapes.
    """
    ca, q = casadi(), symbol_vector("q", num_coordinates)
    try:
        result = function(q)
        factors = result if isinstance(result, list) else [result]
        arrays = [np.asarray(part, dtype=object) for factor in factors for part in factor]
        named_margins = {} if margins is None else dict(margins(q))
        shapes = [array.shape for array in arrays]
        outputs = [*map(to_casadi_matrix, arrays), to_casadi_matrix(list(named_margins.values()))]
    except (TypeError, ValueError, AttributeError) as error:
        got = f"{type(error).__name__}, {str(error).strip():.120}"
        expected = (
            "a function q -> (R, t) of arithmetic, numpy functions, and rotation and translation of "
            "rbnotes.joints, without branches on q"
        )
        raise InvalidArgument("function", got, expected) from error
    if not shapes or shapes != [(3, 3), (3,)] * len(factors):
        got = ", ".join(map(str, shapes)) or "nothing"
        raise InvalidArgument("function", f"results of shape {got}", "R (3, 3) and t (3,)")
    return ca.Function("pose", [to_casadi_matrix(q)], outputs, {"cse": True}), tuple(named_margins)


def derivative_functions(pose: Any) -> dict[str, Callable[[], Any]]:
    """Return functions that build the casadi functions of a joint from a traced pose, by their names.

    A product is differentiated factor by factor: the adjoint of the inverse of a factor transforms the twist
    of the factors before it, and the factor adds its own twist.
    """
    ca, count = casadi(), pose.size1_in(0)
    q, qdot = ca.SX.sym("q", count), ca.SX.sym("qdot", count)
    *factors, margins = pose(q)
    R, t, S = ca.SX.eye(3), ca.SX(3, 1), ca.SX(6, count)
    twist = ca.SX(6, 1)
    for Rj, tj in _merge_constant_factors(list(zip(factors[::2], factors[1::2], strict=True))):
        own_twists = _factor_motion_subspace(Rj, tj, q)
        S, twist = (_inverse_adjoint_product(Rj, tj, each) for each in (S, twist))
        S, twist = ca.sparsify(S + own_twists), twist + own_twists @ qdot
        R, t = ca.sparsify(R @ Rj), t + R @ tj
    bias_acceleration = ca.jtimes(twist, q, qdot)

    def rate() -> Any:
        return ca.reshape(ca.jtimes(ca.vec(ca.densify(S)), q, qdot), 6, count)

    def subspace_derivatives() -> Any:
        """Return Sdot_i, Sddot_i and dS/dq_i for each column S_i."""
        columns, qddot = ca.densify(S), ca.SX.sym("qddot", count)
        S_dot = rate()
        S_ddot = ca.reshape(
            ca.jtimes(ca.vec(S_dot), q, qdot) + ca.jtimes(ca.vec(columns), q, qddot), 6, count
        )
        S_jacobian = ca.jacobian(ca.vec(columns), q)
        table = ca.densify(ca.vec(ca.vertcat(S_dot, S_ddot, S_jacobian)))
        return ca.Function(
            "subspace_derivatives", [q, qdot, qddot], [table, ca.densify(margins)], {"cse": True}
        )

    def build(function_name: str, inputs: list[Any], *outputs: Any) -> Any:
        dense = [ca.densify(each) for each in (*outputs, margins) if each.numel()]
        return ca.Function(function_name, inputs, dense, {"cse": True})

    def kinematics(**extra_outputs: Any) -> Any:
        results = {"R": R, "t": t, "S": S, "bias_acceleration": bias_acceleration} | extra_outputs
        dense = [ca.densify(each) for each in results.values()]
        return ca.Function("motion", [q, qdot], dense, ["q", "qdot"], list(results), {"cse": True})

    return {
        "pose": lambda: build("pose", [q], R, t),
        "motion_subspace": lambda: build("motion_subspace", [q], S),
        "motion_subspace_rate": lambda: build("motion_subspace_rate", [q, qdot], rate()),
        "motion_subspace_derivative": lambda: build(
            "motion_subspace_derivative", [q], ca.jacobian(ca.vec(ca.densify(S)), q)
        ),
        "bias_acceleration_derivative": lambda: build(
            "bias_acceleration_derivative", [q, qdot], ca.jacobian(bias_acceleration, q)
        ),
        "kinematics": kinematics,
        "kinematics_and_margins": lambda: kinematics(R=R.T, margins=margins),
        "subspace_derivatives": subspace_derivatives,
    }


def _factor_motion_subspace(R: Any, t: Any, q: Any) -> Any:
    """Return the columns ``(6, k)`` of ``Q^-1 dQ/dq`` of one factor."""
    ca = casadi()
    x, y, z = (R[:, i] for i in range(3))
    dx, dy, dz, dt = (ca.jacobian(each, q) for each in (x, y, z, t))
    return ca.sparsify(ca.vertcat(z.T @ dy, x.T @ dz, y.T @ dx, R.T @ dt))


def _inverse_adjoint_product(R: Any, t: Any, twists: Any) -> Any:
    """Return twists ``(6, m)`` transformed by the adjoint of the inverse pose."""
    ca = casadi()
    angular, linear = twists[:3, :], twists[3:, :]
    return ca.vertcat(R.T @ angular, R.T @ (linear - ca.skew(t) @ angular))


def _merge_constant_factors(factors: list[PoseFactor]) -> list[PoseFactor]:
    """Return the factors with adjacent constant ones multiplied together."""
    result: list[PoseFactor] = []
    for R, t in factors:
        if result and all(each.is_constant() for each in (R, t, *result[-1])):
            previous_rotation, previous_position = result.pop()
            R, t = casadi().sparsify(previous_rotation @ R), previous_position + previous_rotation @ t
        result.append((R, t))
    return result


class VectorizedFunction:
    """Casadi function of vectors that is evaluated on stacks of numbers."""

    def __init__(self, function: Any) -> None:
        self.function = function
        self._thread_local = threading.local()

    def __reduce__(self) -> tuple[type[VectorizedFunction], tuple[Any]]:
        """Pickle the function alone: buffers belong to a thread."""
        return VectorizedFunction, (self.function,)

    def __call__(self, *vectors: Array) -> list[Array]:
        """Return matrices ``(..., rows, columns)`` of vectors ``(..., k)`` with the same leading axes."""
        inputs, outputs, run = self._buffers()
        shape = vectors[0].shape[:-1]
        rows = [vector.reshape(-1, into.size) for vector, into in zip(vectors, inputs, strict=True)]
        stacks = [np.empty((len(rows[0]), out.size)) for out in outputs]
        for i in range(len(rows[0])):
            for row, into in zip(rows, inputs, strict=True):
                into[:] = row[i]
            run()
            for stack, out in zip(stacks, outputs, strict=True):
                stack[i] = out
        sizes = [self.function.size_out(j) for j in range(self.function.n_out())]
        # casadi stores columns.
        return [
            stack.reshape(*shape, columns, height).swapaxes(-1, -2)
            for stack, (height, columns) in zip(stacks, sizes, strict=True)
        ]

    def _buffers(self) -> Any:
        """Return inputs, outputs and the call of this thread; casadi reads and writes these arrays."""
        if not hasattr(self._thread_local, "buffers"):
            function = self.function
            buffer, run = function.buffer()
            inputs = [np.zeros(function.numel_in(i)) for i in range(function.n_in())]
            outputs = [np.zeros(function.numel_out(i)) for i in range(function.n_out())]
            for i, array in enumerate(inputs):
                buffer.set_arg(i, array.data)
            for i, array in enumerate(outputs):
                buffer.set_res(i, array.data)
            self._thread_local.buffers = inputs, outputs, run
            self._thread_local.buffer = buffer  # owned here: `run` uses it
        return self._thread_local.buffers
