"""Changes of the exact copy of the package: derivatives of dual numbers, and rational inputs.

Inputs keep the draws of the strategies and add a random offset to each number, one of ``SET_SIZE`` equally
likely ones. Rotations and unit vectors are rational points of the sphere near those drawn, by stereographic
projection of such numbers.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from flint import fmpq

from rbnotes.ledger.exact.arrays import (
    ExactArray,
    array,
    has_exact,
    identity,
    object_array,
    plain_objects,
    to_exact,
    to_plain,
    wrap,
    zeros,
)
from rbnotes.ledger.exact.degrees import VARIABLE
from rbnotes.ledger.exact.duals import Dual, new_tag, split
from rbnotes.ledger.exact.linear_algebra import matrix_rank
from rbnotes.ledger.exact.loader import patch
from rbnotes.ledger.exact.numbers import ONE, ZERO, Exact, convert, decimal, real_part
from rbnotes.ledger.exact.scipy_stand_in import cross_matrix, rotation_of_quaternion

SET_BITS = 128
SET_SIZE = 2**SET_BITS
"""Number of equally likely values of each random variable."""
LARGEST_OFFSET = fmpq(1, 128)
"""Bound on the offset of a drawn number, half the step of the grid that it is drawn from."""
SPHERE_OFFSET = fmpq(1, 2**40)
"""Bound on the offset of the parameters of points on a sphere, which keeps small angles small."""
SMALLEST_SINGULAR_VALUE = 0.2
SERIES_BELOW = decimal("1e-40")
"""Angle below which the library's series are used: elsewhere the closed forms are exact."""
PROXIMAL_WEIGHT = decimal("1e-20")
"""Weight of the proximal steps of the library, so small that a few steps reach the width of a ball."""

_random = random.Random()


def seed_offsets(seed: str) -> None:
    """Make the offsets of the inputs that are drawn next reproducible."""
    _random.seed(seed)


def random_variable(center: fmpq, offset: fmpq) -> Exact:
    """Return a number in ``[center, center + offset)``, drawn uniformly from ``SET_SIZE`` values."""
    return Exact(center + offset * fmpq(_random.getrandbits(SET_BITS), SET_SIZE), False, VARIABLE)


def derivative_parts(value: Any, tag: int) -> ExactArray:
    """Return the derivatives of all entries of a value."""
    entries = plain_objects(value)
    return object_array([split(each, tag)[1] for each in entries.reshape(-1)], entries.shape).view(ExactArray)


def derivative_along(path: Callable[[Any], Any]) -> ExactArray:
    """Return the derivative at zero of an array-valued function of one number."""
    tag = new_tag()
    return derivative_parts(path(Dual(ZERO, ONE, tag)), tag)


def derivatives_along(path: Callable[[Any, Any], Any], n: int) -> Any:
    """Return the derivatives of ``path(direction, t)`` at ``t = 0`` along n unit vectors, last axis."""
    columns = [derivative_along(partial(path, e)) for e in identity(n)]
    return np.stack(columns, axis=-1)


def _twist_matrix(xi: Any) -> Any:
    M = zeros((4, 4))
    M[:3, :3], M[:3, 3] = wrap(cross_matrix(xi[:3])), xi[3:]
    return M


@patch("testing.differences")
def _replace_differences(module: Any) -> None:
    """Replace finite differences by derivatives of dual numbers."""

    def estimate(value):
        return module.DerivativeEstimate(value, 0.0)

    def derivative(function, t=0.0, *, step=None):
        return estimate(derivative_along(lambda s: function(convert(t) + s))[()])

    def jacobian(function, x, *, step=None):
        x = array(x, float)
        return estimate(derivatives_along(lambda e, t: function(x + t * e), x.size))

    def jacobian_so3(function, R, *, step=None):
        R = array(R, float)

        def rotated(w, t):
            return function(R @ (identity(3) + t * wrap(cross_matrix(w))))

        return estimate(derivatives_along(rotated, 3))

    def jacobian_se3(function, E, *, step=None):
        E = array(E, float)

        def displaced(xi, t):
            return function(E @ (identity(4) + t * _twist_matrix(xi)))

        return estimate(derivatives_along(displaced, 6))

    module.derivative, module.jacobian = derivative, jacobian
    module.jacobian_so3, module.jacobian_se3 = jacobian_so3, jacobian_se3
    module.complex_step = lambda function, x: jacobian(function, x).value


@patch("unchecked.central_differences")
def _replace_central_differences(module: Any) -> None:
    """Replace central differences by derivatives of dual numbers."""

    def time_derivatives_at_zero(function, step=None):
        first, second = new_tag(), new_tag()
        t = Dual(Dual(ZERO, ONE, first), ONE, second)
        values = array(function(array([[t]])), float)[0]
        once = derivative_parts(values, second)
        entries = plain_objects(values)
        plain = object_array([real_part(each) for each in entries.reshape(-1)], entries.shape)
        real = plain_objects(once)
        velocity = object_array([split(each, first)[0] for each in real.reshape(-1)], real.shape)
        return wrap(plain), wrap(velocity), derivative_parts(once, first)

    module.time_derivative_at_zero = lambda function, step=None: derivative_along(
        lambda t: function(array([[t]]))
    )[0]
    module.derivative_at_zero = lambda function, step=None: derivative_along(function)
    module.time_derivatives_at_zero = time_derivatives_at_zero


@patch("ledger.oracles.complex_steps")
def _replace_complex_steps(module: Any) -> None:
    def directional_derivative(function, q, qdot):
        return derivative_along(lambda t: function(q + t * array(qdot, float)))

    def partial_derivatives(function, q):
        return directional_derivative(function, q[..., None, :], np.eye(q.shape[-1]))

    module.directional_derivative, module.partial_derivatives = directional_derivative, partial_derivatives


@patch("arguments.numbers")
def _accept_exact_numbers(module: Any) -> None:
    """Let the checks of arguments accept exact arrays."""
    checked = module._real_numbers

    def real_numbers(name, value):
        if has_exact(value):
            converted = array(value, float)
            if isinstance(converted, ExactArray):
                return converted
        return array(checked(name, value), float)

    module._real_numbers = real_numbers


@patch("unchecked.so3")
def _lower_series_threshold(module: Any) -> None:
    module.SERIES_BELOW = module.CLOSED_FORM_ABOVE = SERIES_BELOW


@patch("ledger.oracles.body_trees")
def _lower_series_threshold_of_oracle(module: Any) -> None:
    module.SERIES_BELOW_SQUARED = SERIES_BELOW * SERIES_BELOW


@patch("complementarity.block_principal_pivoting")
def _solve_free_block_exactly(module: Any) -> None:
    """Solve for the free variables at once instead of iterating to rounding; reduce the proximal weight."""
    module.PROXIMAL_WEIGHT = PROXIMAL_WEIGHT
    iteration_class, refine_active_set = module._BlockIteration, module.refine_active_set
    refine_to_rounding = iteration_class.refine

    def refine(self, side, z, factorization=None):
        free, exact = np.flatnonzero(side == 0), self.at_bounds(side)
        try:
            solve = module.principal_solver(self.M, free, zeros(len(side)), self.is_symmetric)
        except (np.linalg.LinAlgError, RuntimeError):  # redundant rows
            return refine_to_rounding(self, side, z, factorization)
        exact[free] = solve(-(self.M @ exact + self.q)[free])
        return self.clip(exact)

    def refine_exactly(problem, z):
        iteration = iteration_class(problem)
        z = iteration.clip(array(z, float))
        refined = iteration.refine(iteration.classify(z), z)
        is_solution = iteration.residuals(refined).relative <= PROXIMAL_WEIGHT
        return refined if is_solution else refine_active_set(problem, z)

    iteration_class.refine, module.refine_active_set = refine, refine_exactly


@patch("forces.assembly")
def _keep_zero_entries(module: Any) -> None:
    """Keep the entries that may be zero, which changes no matrix."""

    def add(self, indices, blocks):
        rows, columns = np.broadcast_arrays(indices[:, :, None], indices[:, None, :])
        is_entry = (rows != module.NO_COORDINATE) & (columns != module.NO_COORDINATE)
        self.rows.append(rows[is_entry])
        self.columns.append(columns[is_entry])
        self.values.append(np.broadcast_to(blocks, rows.shape)[is_entry])

    module._SparseEntries.add = add


@patch("friction.single_qp")
def _accept_solutions(module: Any) -> None:
    """Accept solutions without the test of the laws of friction: the oracle decides if they are right."""
    module._law_violation = lambda *_: ZERO


@patch("constraints._dense_kkt")
def _decide_rank_exactly(module: Any) -> None:
    module._is_clearly_independent = lambda M, L, R: len(R) == 0 or matrix_rank(R) == len(R)


def _nearby(value: Any) -> fmpq:
    return fmpq(round(float(value) * 2**60), 2**60)


def unit_vector_near(x: Any) -> Any:
    """Return a rational point of the unit sphere near the direction of a vector."""
    direction = np.array([float(each) for each in np.asarray(to_plain(x))])
    direction /= math.sqrt(float(direction @ direction))
    pole = int(np.argmin(direction)) if direction.min() < -1e-3 else int(np.argmin(np.abs(direction)))
    parameters = [
        random_variable(_nearby(each / (1 - direction[pole])), SPHERE_OFFSET) if each else ZERO
        for i, each in enumerate(direction)
        if i != pole
    ]
    square = sum((s * s for s in parameters), ZERO)
    scale = square + 1
    point = [2 * s / scale for s in parameters]
    point.insert(pole, (square - 1) / scale)
    return wrap(object_array(point, direction.shape))


def unit_quaternion_near(rotation_vector: Any) -> Any:
    """Return a rational unit quaternion, scalar first, near a rotation vector's."""
    w = np.array([float(each) for each in np.asarray(to_plain(rotation_vector))])
    angle = math.sqrt(float(w @ w))
    if angle == 0:
        return to_exact(np.array([1, 0, 0, 0]))
    return unit_vector_near(np.concatenate([[math.cos(angle / 2)], w / angle * math.sin(angle / 2)]))


@patch("testing.strategies")
def _draw_rational_inputs(module: Any) -> None:
    """Let strategies draw random rational numbers near those of the grid."""
    st = module.st
    drawn_from_grid = module._map_to_region

    def map_to_region(drawn, low, high, *, may_vanish=True):
        values = array(drawn_from_grid(drawn, low, high, may_vanish=may_vanish), float)
        if module._region != "generic" or low == high:
            return values
        middle = (float(low) + float(high)) / 2
        entries = [
            random_variable(each.value, LARGEST_OFFSET if float(each) < middle else -LARGEST_OFFSET)
            for each in plain_objects(values).reshape(-1)
        ]
        return object_array(entries, values.shape).view(ExactArray)

    def has_full_rank(A):
        return (
            np.linalg.svd(np.asarray(to_plain(A)).astype(float), compute_uv=False)[-1]
            >= SMALLEST_SINGULAR_VALUE
        )

    module._map_to_region = map_to_region
    module.full_rank_matrices = lambda rows, columns: module.matrices(rows, columns).filter(has_full_rank)
    module.unit_vectors = lambda size=3: module.nonzero_vectors(size).map(unit_vector_near)
    module.rotations = lambda angles="any": module.rotation_vectors(angles).map(
        lambda w: wrap(rotation_of_quaternion(np.roll(np.asarray(to_plain(unit_quaternion_near(w))), -1)))
    )
    module.unit_quaternions = lambda angles="any": st.builds(
        lambda q, sign: q * int(sign),
        module.rotation_vectors(angles).map(unit_quaternion_near),
        st.sampled_from((1.0, -1.0)),
    )
