"""What casadi does for joints given as functions: it traces them, differentiates them and evaluates both."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from rbnotes.arguments import Array, InvalidArgument
from rbnotes.joints.general.symbols import Symbolic, casadi, entries, matrix, symbols

Factor = tuple[Symbolic, Symbolic]
"""A rotation ``(3, 3)`` and a position ``(3,)``."""
Pose = Callable[[Symbolic], Factor | list[Factor]]
"""Coordinates ``(k,)`` to a pose, or to a list of poses of which it is the product."""
Margins = Callable[[Symbolic], Mapping[str, Symbolic]]
"""Coordinates ``(k,)`` to numbers that are zero where the pose, or its chart, is singular, by their names."""


def slopes(function: Callable[[Any], Any], at: Any) -> Array:
    """Derivatives ``(m, k)`` of a function of k numbers with m results, at numbers or at symbols ``(k,)``."""
    ca, p = casadi(), symbols("p", len(at))
    derivative = ca.densify(ca.jacobian(matrix(function(p)), matrix(p)))
    derivative = ca.Function("slopes", [matrix(p)], [derivative])(ca.densify(matrix(at)))
    return entries(derivative) if np.asarray(at).dtype == object else np.array(ca.DM(derivative))


def traced(function: Pose, margins: Margins | None, count: int) -> tuple[Any, tuple[str, ...]]:
    """The casadi function ``q -> R1, t1, R2, t2, ..., margins`` of a joint, and the names of the margins.

    Raises
    ------
    InvalidArgument
        If the function cannot take symbols, or its results have other shapes.
    """
    ca, q = casadi(), symbols("q", count)
    try:
        result = function(q)
        factors = result if isinstance(result, list) else [result]
        arrays = [np.asarray(part, dtype=object) for factor in factors for part in factor]
        kept = {} if margins is None else dict(margins(q))
        shapes = [array.shape for array in arrays]
        outputs = [*map(matrix, arrays), matrix(list(kept.values()))]
    except (TypeError, ValueError, AttributeError) as error:
        got = f"{type(error).__name__}, {str(error).strip():.120}"
        expected = "a function q -> (R, t) of arithmetic and numpy functions, without branches on q"
        raise InvalidArgument("function", got, expected) from error
    if not shapes or shapes != [(3, 3), (3,)] * len(factors):
        got = ", ".join(map(str, shapes)) or "nothing"
        raise InvalidArgument("function", f"results of shape {got}", "R (3, 3) and t (3,)")
    return ca.Function("pose", [matrix(q)], outputs, {"cse": True}), tuple(kept)


def functions(pose: Any) -> dict[str, Callable[[], Any]]:
    """How to make each of the casadi functions that follow from a traced one, by their names.

    A product is differentiated factor by factor: seen from behind a new factor, the twist of those before it
    is turned by the adjoint of its inverse, and the factor adds its own.
    """
    ca, count = casadi(), pose.size1_in(0)
    q, qdot = ca.SX.sym("q", count), ca.SX.sym("qdot", count)
    *factors, margins = pose(q)
    R, t, S = ca.SX.eye(3), ca.SX(3, 1), ca.SX(6, count)
    twist = ca.SX(6, 1)
    for Rj, tj in _merged(list(zip(factors[::2], factors[1::2], strict=True))):
        own = _own_twists(Rj, tj, q)
        S, twist = (_seen_behind(Rj, tj, each) for each in (S, twist))
        S, twist = ca.sparsify(S + own), twist + own @ qdot
        R, t = ca.sparsify(R @ Rj), t + R @ tj
    drift = ca.jtimes(twist, q, qdot)

    def rate() -> Any:
        return ca.reshape(ca.jtimes(ca.vec(ca.densify(S)), q, qdot), 6, count)

    def bends() -> Any:
        """Of each column S_i, one after the other, Sdot_i, Sddot_i and the derivatives of all by q_i."""
        columns, qddot = ca.densify(S), ca.SX.sym("qddot", count)
        dot = rate()
        ddot = ca.reshape(ca.jtimes(ca.vec(dot), q, qdot) + ca.jtimes(ca.vec(columns), q, qddot), 6, count)
        by_each = ca.jacobian(ca.vec(columns), q)
        table = ca.densify(ca.vec(ca.vertcat(dot, ddot, by_each)))
        return ca.Function("bends", [q, qdot, qddot], [table, ca.densify(margins)], {"cse": True})

    def made(name: str, inputs: list[Any], *outputs: Any) -> Any:
        dense = [ca.densify(each) for each in (*outputs, margins) if each.numel()]
        return ca.Function(name, inputs, dense, {"cse": True})

    def motion(**more: Any) -> Any:
        results = {"R": R, "t": t, "S": S, "drift": drift} | more
        dense = [ca.densify(each) for each in results.values()]
        return ca.Function("motion", [q, qdot], dense, ["q", "qdot"], list(results), {"cse": True})

    return {
        "pose": lambda: made("pose", [q], R, t),
        "jacobian": lambda: made("jacobian", [q], S),
        "rate": lambda: made("rate", [q, qdot], rate()),
        "slopes": lambda: made("slopes", [q], ca.jacobian(ca.vec(ca.densify(S)), q)),
        "drift_slope": lambda: made("drift_slope", [q, qdot], ca.jacobian(drift, q)),
        "motion": motion,
        "guarded": lambda: motion(R=R.T, margins=margins),
        "bends": bends,
    }


def _own_twists(R: Any, t: Any, q: Any) -> Any:
    """Columns ``(6, k)`` of ``Q^-1 dQ/dq`` of one factor."""
    ca = casadi()
    x, y, z = (R[:, i] for i in range(3))
    dx, dy, dz, dt = (ca.jacobian(each, q) for each in (x, y, z, t))
    return ca.sparsify(ca.vertcat(z.T @ dy, x.T @ dz, y.T @ dx, R.T @ dt))


def _seen_behind(R: Any, t: Any, twists: Any) -> Any:
    """Twists ``(6, m)`` by the adjoint of the inverse pose."""
    ca = casadi()
    angular, linear = twists[:3, :], twists[3:, :]
    return ca.vertcat(R.T @ angular, R.T @ (linear - ca.skew(t) @ angular))


def _merged(factors: list[Factor]) -> list[Factor]:
    """The factors, those that are constant and follow one another as one."""
    result: list[Factor] = []
    for R, t in factors:
        if result and all(each.is_constant() for each in (R, t, *result[-1])):
            before, at = result.pop()
            R, t = casadi().sparsify(before @ R), at + before @ t
        result.append((R, t))
    return result


class Evaluated:
    """A casadi function of vectors, on stacks of numbers: by its virtual machine, without a conversion."""

    def __init__(self, function: Any) -> None:
        self.function = function
        self._of_thread = threading.local()

    def __getstate__(self) -> Any:
        return self.function

    def __setstate__(self, function: Any) -> None:
        # The class that is unpickled is this one: what __init__ sets fits.
        self.__init__(function)  # type: ignore[misc]

    def __call__(self, *vectors: Array) -> list[Array]:
        """Matrices ``(..., rows, columns)`` of vectors ``(..., k)`` with the same leading axes."""
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
        if not hasattr(self._of_thread, "buffers"):
            function = self.function
            buffer, run = function.buffer()
            inputs = [np.zeros(function.numel_in(i)) for i in range(function.n_in())]
            outputs = [np.zeros(function.numel_out(i)) for i in range(function.n_out())]
            for i, array in enumerate(inputs):
                buffer.set_arg(i, array.data)
            for i, array in enumerate(outputs):
                buffer.set_res(i, array.data)
            self._of_thread.buffers = inputs, outputs, run
            self._of_thread.kept = buffer
        return self._of_thread.buffers
