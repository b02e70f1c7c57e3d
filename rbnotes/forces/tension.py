"""Tension laws: the tension of a spring, a muscle or a cable as a function of its length and rate.

A law is a function ``law(L, Ldot) -> Tension`` that broadcasts over arrays; a frozen dataclass holds its
parameters, which may be arrays too (one entry per spring). ``F > 0`` pulls the ends together. Laws that
derive from a potential have ``energy(L)`` with ``d energy / dL = F`` at ``Ldot = 0``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.unchecked.central_differences import derivative_at_zero
from rbnotes.unchecked.frozen import set_fields

TensionFunction = Callable[[Array, Array], ArrayLike]
Parameter = float | Array
"""A number, or an array with one entry per spring."""


class Tension(NamedTuple):
    """Tension and its derivatives, arrays of one shape.

    Attributes
    ----------
    F
        Tension ``(...)``, N; positive pulls the ends together.
    dF_dL
        Stiffness along the path ``(...)``, N/m.
    dF_dLdot
        Damping along the path ``(...)``, N s/m.
    """

    F: Array
    dF_dL: Array
    dF_dLdot: Array


class TensionLaw(Protocol):
    """Function from a length (m) and its rate of change (m/s) to a tension."""

    def __call__(self, L: ArrayLike, Ldot: ArrayLike, /) -> Tension:
        """Return the tension and its derivatives at lengths ``L (...)``, m, and rates ``Ldot (...)``, m/s."""


class Stress(NamedTuple):
    """Force per length and its derivatives, arrays of one shape.

    Attributes
    ----------
    sigma
        F / L ``(...)``, N/m.
    dsigma_dL
        Its derivative with respect to the length ``(...)``, N/m^2.
    dsigma_dLdot
        Its derivative with respect to the rate ``(...)``, N s/m^2.
    """

    sigma: Array
    dsigma_dL: Array
    dsigma_dLdot: Array


def stress(law: TensionLaw, L: ArrayLike, Ldot: ArrayLike = 0.0) -> Stress:
    """Return the force per length ``sigma = F / L`` of a law (Lloyd 0.13), for positive lengths.

    The force on the first of two points is ``sigma (x2 - x1)``.

    Raises InvalidArgument if ``law`` is not a function, ``L`` is not positive, or the shape of ``Ldot`` does
    not fit.
    """
    arguments.require_function("law", law, "L", "Ldot")
    L = arguments.positive_array("L", L)
    F, dF_dL, dF_dLdot = arguments.call_user_function("law", law, L, Ldot)
    return Stress(F / L, (dF_dL - F / L) / L, dF_dLdot / L)


@dataclass(frozen=True, eq=False)
class LinearSpring:
    """``F = k (L - r) + d Ldot`` (Lloyd 0.12.1).

    Raises InvalidArgument if ``stiffness``, ``damping`` or ``rest_length`` is negative.

    Attributes
    ----------
    stiffness
        k >= 0, N/m.
    damping
        d >= 0, N s/m.
    rest_length
        r >= 0, m.
    """

    stiffness: Parameter
    damping: Parameter = 0.0
    rest_length: Parameter = 0.0

    def __post_init__(self) -> None:
        _store_parameters(self, nonnegative=("stiffness", "damping", "rest_length"))

    def __call__(self, L: ArrayLike, Ldot: ArrayLike, /) -> Tension:
        """Return the tension, N; raises InvalidArgument if ``L`` is negative or ``Ldot`` not finite."""
        L, Ldot = _check_length_and_rate(L, Ldot)
        F = self.stiffness * (L - self.rest_length) + self.damping * Ldot
        return _tension(L, F, self.stiffness, self.damping)

    def energy(self, L: ArrayLike) -> Array:
        """Return ``k (L - r)^2 / 2``, J.

        Raises InvalidArgument if ``L`` is negative.
        """
        return 0.5 * np.asarray(self.stiffness) * (_check_length(L) - self.rest_length) ** 2


@dataclass(frozen=True, eq=False)
class SpringDamper:
    """``F = k (L - r) / r + d Ldot / r``: a spring per unit of strain (Sueda 1.9.6).

    A positive tension pulls the ends together: the terms of stiffness and damping have the same sign.

    Raises InvalidArgument if ``stiffness`` or ``damping`` is negative or ``rest_length`` is not positive.

    Attributes
    ----------
    stiffness
        k >= 0, N: the tension at twice the rest length.
    damping
        d >= 0, N s.
    rest_length
        r > 0, m.
    """

    stiffness: Parameter
    damping: Parameter
    rest_length: Parameter

    def __post_init__(self) -> None:
        _store_parameters(self, nonnegative=("stiffness", "damping"), positive=("rest_length",))

    def __call__(self, L: ArrayLike, Ldot: ArrayLike, /) -> Tension:
        """Return the tension, N; raises InvalidArgument if ``L`` is negative or ``Ldot`` not finite."""
        L, Ldot = _check_length_and_rate(L, Ldot)
        k, d = np.divide(self.stiffness, self.rest_length), np.divide(self.damping, self.rest_length)
        return _tension(L, k * (L - self.rest_length) + d * Ldot, k, d)

    def energy(self, L: ArrayLike) -> Array:
        """Return the energy ``k (L - r)^2 / (2 r)``, J.

        Raises InvalidArgument if ``L`` is negative.
        """
        k = np.divide(self.stiffness, self.rest_length)
        return 0.5 * k * (_check_length(L) - self.rest_length) ** 2


@dataclass(frozen=True, eq=False)
class LinearStress:
    """``sigma = k (L - r) / L`` with ``F = sigma L`` (Lloyd 0.13): an undamped linear spring.

    Raises InvalidArgument if ``stiffness`` or ``rest_length`` is negative.

    Attributes
    ----------
    stiffness
        k >= 0, N/m.
    rest_length
        r >= 0, m.
    """

    stiffness: Parameter
    rest_length: Parameter = 0.0

    def __post_init__(self) -> None:
        _store_parameters(self, nonnegative=("stiffness", "rest_length"))

    def __call__(self, L: ArrayLike, Ldot: ArrayLike, /) -> Tension:
        """Return the tension, N; raises InvalidArgument if ``L`` is negative or ``Ldot`` not finite."""
        return LinearSpring(self.stiffness, 0.0, self.rest_length)(L, Ldot)

    def energy(self, L: ArrayLike) -> Array:
        """Return ``k (L - r)^2 / 2``, J.

        Raises InvalidArgument if ``L`` is negative.
        """
        return LinearSpring(self.stiffness, 0.0, self.rest_length).energy(L)


@dataclass(frozen=True, eq=False)
class QuadraticStrain:
    """``sigma = k epsilon``, ``epsilon = (L^2 - r^2) / (2 r^2)``, with ``F = sigma L`` (Lloyd 0.13).

    The Green strain of finite elements: the force is a polynomial of the end points.

    Raises InvalidArgument if ``stiffness`` is negative or ``rest_length`` is not positive.

    Attributes
    ----------
    stiffness
        k >= 0, N/m: also the slope of F at the rest length.
    rest_length
        r > 0, m.
    """

    stiffness: Parameter
    rest_length: Parameter

    def __post_init__(self) -> None:
        _store_parameters(self, nonnegative=("stiffness",), positive=("rest_length",))

    def strain(self, L: ArrayLike) -> Array:
        """Return the strain ``epsilon = (L^2 - r^2) / (2 r^2)``.

        Raises InvalidArgument if ``L`` is negative.
        """
        result: Array = (np.square(_check_length(L) / self.rest_length) - 1) / 2
        return result

    def __call__(self, L: ArrayLike, Ldot: ArrayLike, /) -> Tension:
        """Return the tension, N; raises InvalidArgument if ``L`` is negative or ``Ldot`` not finite."""
        L, Ldot = _check_length_and_rate(L, Ldot)
        sigma = self.stiffness * self.strain(L)
        dsigma_dL = self.stiffness * L / np.square(self.rest_length)
        return _tension(L, sigma * L, dsigma_dL * L + sigma, 0.0)

    def energy(self, L: ArrayLike) -> Array:
        """Return ``k r^2 epsilon^2 / 2``, J.

        Raises InvalidArgument if ``L`` is negative.
        """
        return 0.5 * np.asarray(self.stiffness) * np.square(self.rest_length * self.strain(L))


@dataclass(frozen=True, eq=False)
class ConstantTension:
    """Constant tension, such as that of a cable with a hanging weight.

    Raises InvalidArgument if the shape of ``tension`` does not fit.

    Attributes
    ----------
    tension
        F, N.
    """

    tension: Parameter

    def __post_init__(self) -> None:
        _store_parameters(self, real=("tension",))

    def __call__(self, L: ArrayLike, Ldot: ArrayLike, /) -> Tension:
        """Return the tension, N; raises InvalidArgument if ``L`` is negative or ``Ldot`` not finite."""
        L, Ldot = _check_length_and_rate(L, Ldot)
        return _tension(L, self.tension, 0.0, 0.0)

    def energy(self, L: ArrayLike) -> Array:
        """Return ``F L``, J.

        Raises InvalidArgument if ``L`` is negative.
        """
        return np.asarray(self.tension) * _check_length(L)


@dataclass(frozen=True, eq=False)
class CallableTensionLaw:
    """Law given as a function, with or without its derivatives.

    Omitted derivatives are finite differences of order eight over 1.6 % of L (and of
    1 m/s + |Ldot|), good to about ten digits where the function is smooth on that scale.

    Raises InvalidArgument if ``function``, ``dF_dL``, ``dF_dLdot`` or ``potential`` is not a function.

    Attributes
    ----------
    function
        Function F(L, Ldot), N, of m and m/s, that broadcasts.
    dF_dL
        Derivative dF/dL as such a function, N/m; by finite differences if it is not given.
    dF_dLdot
        Derivative dF/dLdot as such a function, N s/m; by finite differences if it is not given.
    potential
        Energy, J, as a function of L, if there is one.
    """

    function: TensionFunction
    dF_dL: TensionFunction | None = None
    dF_dLdot: TensionFunction | None = None
    potential: Callable[[Array], ArrayLike] | None = None

    def __post_init__(self) -> None:
        arguments.require_function("function", self.function, "L", "Ldot")
        for name in ("dF_dL", "dF_dLdot"):
            if getattr(self, name) is not None:
                arguments.require_function(name, getattr(self, name), "L", "Ldot")
        if self.potential is not None:
            arguments.require_function("potential", self.potential, "L")

    def __call__(self, L: ArrayLike, Ldot: ArrayLike, /) -> Tension:
        """Return the tension, N; raises InvalidArgument if ``L`` is negative or ``Ldot`` not finite."""
        L, Ldot = _check_length_and_rate(L, Ldot)
        F = self._evaluate(L, Ldot)
        if self.dF_dL is None:
            L = arguments.positive_array("L", L)
            F_L: Array = derivative_at_zero(lambda t: self._evaluate(L * (1 + t), Ldot)) / L
        else:
            F_L = self._check_value("dF_dL", self.dF_dL(L, Ldot))
        if self.dF_dLdot is None:
            scale = 1 + np.abs(Ldot)
            F_Ldot = derivative_at_zero(lambda t: self._evaluate(L, Ldot + scale * t)) / scale
        else:
            F_Ldot = self._check_value("dF_dLdot", self.dF_dLdot(L, Ldot))
        return _tension(L, F, F_L, F_Ldot)

    def energy(self, L: ArrayLike) -> Array:
        """Return the given potential, J.

        Raises
        ------
        InvalidArgument
            If none was given.
        """
        if self.potential is None:
            raise InvalidArgument("potential", "None", "the energy as a function of L")
        return self._check_value("potential", self.potential(_check_length(L)))

    def _evaluate(self, L: Array, Ldot: Array) -> Array:
        return self._check_value("function", self.function(L, Ldot))

    @staticmethod
    def _check_value(name: str, value: ArrayLike) -> Array:
        return arguments.array(f"value of {name}", value)


def _check_length(L: ArrayLike) -> Array:
    return arguments.real_array("L", L, minimum=0.0)


def _check_length_and_rate(L: ArrayLike, Ldot: ArrayLike) -> tuple[Array, Array]:
    length, rate = _check_length(L), arguments.real_array("Ldot", Ldot)
    shape = arguments.common_shape(L=length.shape, Ldot=rate.shape)
    return np.broadcast_to(length, shape), np.broadcast_to(rate, shape)


def _tension(L: Array, F: ArrayLike, dF_dL: ArrayLike, dF_dLdot: ArrayLike) -> Tension:
    """Return the three values broadcast to the shape of L and the parameters."""
    values = [np.asarray(value, dtype=np.float64) for value in (F, dF_dL, dF_dLdot)]
    return Tension(*np.broadcast_arrays(L, *values)[1:])


def _store_parameters(
    law: object,
    *,
    nonnegative: tuple[str, ...] = (),
    positive: tuple[str, ...] = (),
    real: tuple[str, ...] = (),
) -> None:
    """Check the named fields and store them: numbers as floats, arrays as read-only copies."""
    for name in (*nonnegative, *positive, *real):
        value = getattr(law, name)
        if name in positive:
            value = arguments.positive_array(name, value)
        else:
            value = arguments.real_array(name, value, minimum=0.0 if name in nonnegative else -np.inf)
        set_fields(law, **{name: value if value.ndim else value.item()})
