"""Muscle of Sueda 1.9.4: three piecewise cubic curves and the tension law that they define.

A curve is a scipy ``PPoly``: ``curve(x)``, ``curve.derivative()(x)``, ``curve.antiderivative()(x)`` work on
arrays. Beyond its interval it continues along its end tangents, so it is C1 on the whole line. Where the
end slope is zero (everywhere except at the right end of the passive curve) it is constant there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import comb, factorial
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.interpolate import PPoly

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.forces.tension import Parameter, Tension
from rbnotes.unchecked.frozen import set_fields

MAX_LENGTH = 1e20
"""Largest length for which the energy is computed, m."""


class Condition(NamedTuple):
    """Linear equation for the coefficients: the value of a derivative of one cubic at one point.

    Attributes
    ----------
    cubic
        Index of the cubic, from 0 at the left.
    x
        Point of the condition, dimensionless.
    order
        Order of the derivative: 0, 1 or 2.
    value
        Value of the derivative, dimensionless.
    """

    cubic: int
    x: float
    order: int
    value: float


def piecewise_cubic(knots: ArrayLike, conditions: Sequence[Condition]) -> PPoly:
    """Return the curve of n cubics with equal values and slopes at the knots and 2n + 2 conditions.

    Parameters
    ----------
    knots : (n+1,)
        Ends of the intervals, increasing, dimensionless.
    conditions
        The 2n + 2 equations besides the 2 (n - 1) at the inner knots (Sueda eqs. (1.41), (1.43), (1.45)).

    Returns
    -------
    PPoly
        Extended along its end tangents to the whole line.

    Raises
    ------
    InvalidArgument
        If the knots do not increase, or the conditions are not 2n + 2 independent ones.
    """
    knots = arguments.array("knots", knots, None)
    n = knots.size - 1
    if knots.ndim != 1 or n < 1 or np.any(np.diff(knots) <= 0):
        raise InvalidArgument("knots", f"{knots}", "two or more increasing numbers")
    conditions = arguments.instances("conditions", conditions, Condition)
    for c in conditions:
        arguments.count("conditions: cubic", c.cubic)
        arguments.count("conditions: order", c.order)
        arguments.array("conditions: x, value", [c.x, c.value])
        if c.cubic > n - 1:
            raise InvalidArgument("conditions", f"cubic {c.cubic}", f"one of {n}, counted from 0")
    joints = [
        (
            _condition_row(n, cubic, knots, knots[cubic + 1], order)
            - _condition_row(n, cubic + 1, knots, knots[cubic + 1], order)
        )
        for cubic in range(n - 1)
        for order in (0, 1)
    ]
    rows = [_condition_row(n, c.cubic, knots, c.x, c.order) for c in conditions]
    matrix = np.array(joints + rows)
    if len(conditions) != 2 * n + 2 or np.linalg.matrix_rank(matrix) < 4 * n:
        got = f"{len(conditions)} conditions, {np.linalg.matrix_rank(matrix)} independent equations in all"
        raise InvalidArgument("conditions", got, f"{2 * n + 2} conditions that make {4 * n} equations")
    values = [0.0] * len(joints) + [c.value for c in conditions]
    solution = np.linalg.solve(matrix, np.array(values))
    return _extend_linearly(knots, solution.reshape(n, 4).astype(np.float64))


def power_coefficients(curve: PPoly) -> Array:
    """Return rows ``(a, b, c, d)`` of ``a x^3 + b x^2 + c x + d`` for each cubic of a curve ``(n, 4)``.

    This is the form of Sueda eqs. (1.40)-(1.46). The extensions beyond the end knots are omitted.

    Raises InvalidArgument if ``curve`` is not a ``PPoly``.
    """
    arguments.require_instance("curve", curve, PPoly)
    local = curve.c.T[1:-1]
    powers = np.zeros_like(local)
    for row, knot, cubic in zip(powers, curve.x[1:-2], local, strict=True):
        for degree, coefficient in zip((3, 2, 1, 0), cubic, strict=True):
            for k in range(degree + 1):
                row[3 - k] += coefficient * comb(degree, k) * (-knot) ** (degree - k)
    result: Array = powers
    return result


def _condition_row(n: int, cubic: int, knots: Array, x: float, order: int) -> Array:
    # Powers of the distance from the cubic's left knot: far better conditioned than powers of x.
    row = np.zeros((n, 4))
    for degree in range(order, 4):
        falling = factorial(degree) / factorial(degree - order)
        row[cubic, 3 - degree] = falling * (x - knots[cubic]) ** (degree - order)
    return row.ravel()


def _extend_linearly(knots: Array, cubics: Array) -> PPoly:
    curve = PPoly(cubics.T, knots)
    (left, right), (slope_left, slope_right) = curve(knots[[0, -1]]), curve(knots[[0, -1]], 1)
    left_piece = [0.0, 0.0, slope_left, left - slope_left]
    right_piece = [0.0, 0.0, slope_right, right]
    return PPoly(
        np.column_stack([left_piece, cubics.T, right_piece]),
        np.concatenate([[knots[0] - 1.0], knots, [knots[-1] + 1.0]]),
    )


PASSIVE_FORCE_LENGTH = piecewise_cubic(
    (1.0, 1.3, 1.7),
    (
        Condition(0, 1.0, 0, 0.0),
        Condition(0, 1.0, 1, 0.0),
        Condition(0, 1.3, 0, 0.126110265892917),
        Condition(0, 1.3, 1, 1.07051016402631),
        Condition(1, 1.7, 0, 1.0),
        Condition(1, 1.7, 1, 2.85714285714286),
    ),
)
"""f_P: zero up to the optimal length, 1 at 1.7 times it (where Sueda (1.41) has 1.8 in one of two places);
beyond 1.7 it continues with its end slope 2/0.7."""

ACTIVE_FORCE_LENGTH = piecewise_cubic(
    (0.4, 0.7, 1.2, 1.81),
    (
        Condition(0, 0.4, 0, 0.0),
        Condition(0, 0.4, 1, 0.0),
        Condition(0, 0.7, 0, 0.767020368396388),
        Condition(1, 1.0, 0, 1.0),
        Condition(1, 1.0, 1, 0.0),
        Condition(1, 1.2, 0, 0.89),
        Condition(2, 1.81, 0, 0.0),
        Condition(2, 1.81, 1, 0.0),
    ),
)
"""f_L: 1 at the optimal length, zero outside [0.4, 1.81] (Sueda eq. (1.43))."""

FORCE_VELOCITY = piecewise_cubic(
    (-1.0, -0.05, 0.05, 1.0),
    (
        Condition(0, -1.0, 0, 0.0),
        Condition(0, -1.0, 1, 0.0),
        Condition(0, -1.0, 2, 0.0),
        Condition(1, 0.0, 0, 1.0),
        Condition(1, 0.0, 1, 5.0),
        Condition(2, 1.0, 0, 1.4),
        Condition(2, 1.0, 1, 0.0),
        Condition(2, 1.0, 2, 0.0),
    ),
)
"""f_V: 0 at the fastest shortening (-1) and beyond, 1 at rest, 1.4 from 1 on (Sueda eq. (1.45))."""


@dataclass(frozen=True, eq=False)
class Muscle:
    """Tension ``f_opt (a f_L(l) f_V(v) + f_P(l))`` of a muscle with a stiff tendon (Sueda 1.9.4).

    The normalized length is ``l = (L - l_T) / l_opt``, the normalized velocity ``v = Ldot / (l_opt v_max)``,
    positive while the muscle lengthens. It is a :class:`~rbnotes.forces.tension.TensionLaw` for paths.

    Raises InvalidArgument if ``peak_force``, ``optimal_length`` or ``max_velocity`` is not positive,
    ``tendon_length`` is negative, or ``activation`` is not in [0, 1].

    Attributes
    ----------
    peak_force
        f_opt > 0, N: isometric tension at full activation and optimal length.
    optimal_length
        l_opt > 0, m: length of the muscle, without tendon, at which it is strongest.
    max_velocity
        v_max > 0, optimal lengths per second: at this speed of shortening the active tension is zero.
    tendon_length
        l_T >= 0, m: the part of the path that does not stretch.
    activation
        Activation a in [0, 1].
    active_force_length
        Curve f_L.
    force_velocity
        Curve f_V.
    passive_force_length
        Curve f_P.
    """

    peak_force: Parameter
    optimal_length: Parameter
    max_velocity: Parameter
    tendon_length: Parameter = 0.0
    activation: Parameter = 0.0
    active_force_length: PPoly = field(default=ACTIVE_FORCE_LENGTH, repr=False)
    force_velocity: PPoly = field(default=FORCE_VELOCITY, repr=False)
    passive_force_length: PPoly = field(default=PASSIVE_FORCE_LENGTH, repr=False)

    def __post_init__(self) -> None:
        for name in ("peak_force", "optimal_length", "max_velocity"):
            self._set_parameter(name, arguments.positive_array(name, getattr(self, name)))
        self._set_parameter(
            "tendon_length", arguments.real_array("tendon_length", self.tendon_length, minimum=0.0)
        )
        self._set_parameter(
            "activation", arguments.real_array("activation", self.activation, minimum=0.0, maximum=1.0)
        )

    def normalized_length(self, L: ArrayLike) -> Array:
        """Return ``(L - l_T) / l_opt`` for lengths of the whole path, muscle and tendon (Sueda eq. (1.47)).

        Raises InvalidArgument if ``L`` is negative.
        """
        result: Array = np.divide(
            arguments.real_array("L", L, minimum=0.0) - self.tendon_length, self.optimal_length
        )
        return result

    def normalized_velocity(self, Ldot: ArrayLike) -> Array:
        """Return ``Ldot / (l_opt v_max)`` (Sueda eq. (1.49)).

        Raises InvalidArgument if the shape of ``Ldot`` does not fit.
        """
        return arguments.real_array("Ldot", Ldot) / np.multiply(self.optimal_length, self.max_velocity)

    def __call__(self, L: ArrayLike, Ldot: ArrayLike, /) -> Tension:
        """Return the tension and its derivatives at path length L and rate Ldot (eq. (1.38)).

        Raises InvalidArgument if ``L`` is negative or the shape of ``Ldot`` does not fit.
        """
        length, rate = self.normalized_length(L), self.normalized_velocity(Ldot)
        shape = arguments.common_shape(L=length.shape, Ldot=rate.shape)
        length, rate = np.broadcast_to(length, shape), np.broadcast_to(rate, shape)
        a, peak = np.float64(self.activation), np.float64(self.peak_force)
        f_L, f_V, f_P = self.active_force_length, self.force_velocity, self.passive_force_length
        F = peak * (a * f_L(length) * f_V(rate) + f_P(length))
        F_length = peak * (a * f_L(length, 1) * f_V(rate) + f_P(length, 1))
        F_rate = peak * a * f_L(length) * f_V(rate, 1)
        speed = np.multiply(self.optimal_length, self.max_velocity)
        return Tension(*np.broadcast_arrays(F, F_length / self.optimal_length, F_rate / speed))

    def energy(self, L: ArrayLike) -> Array:
        """Return the energy stored in the passive tissue, J.

        The active tension has no potential.

        Raises InvalidArgument if ``L`` is negative.
        """
        L = arguments.real_array("L", L, minimum=0.0, maximum=MAX_LENGTH)  # the fourth power must be finite
        stored = self.passive_force_length.antiderivative()(self.normalized_length(L))
        result: Array = np.multiply(self.peak_force, self.optimal_length) * stored
        return result

    def _set_parameter(self, name: str, value: Array) -> None:
        set_fields(self, **{name: value if value.ndim else value.item()})
