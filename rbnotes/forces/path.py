"""A tension along a path through points of space: axial springs and multi-point springs (Lloyd 0.12-0.14).

A path of n segments has n + 1 points, ``x (..., n+1, 3)`` with velocities ``v``. The tension F(L, Ldot)
is the same in all segments, so it acts on each point along its two segments: via points are pulleys without
friction. ``active (n,)`` marks the segments whose lengths count to L; the others are passive: they have the
tension but do not add to the length.

All derivatives are with respect to the 3 (n+1) coordinates, point after point. With a = dL/dx (active
segments), b = d(length of all segments)/dx and the Hessians H_a, H_b of the two lengths,

    f = -F b,
    K = df/dx = -dF/dL b a^T - dF/dLdot b (H_a v)^T - F H_b,
    D = df/dv = -dF/dLdot b a^T.

This module checks arguments; the formulas are in ``rbnotes/forces/unchecked_path.py``.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.forces import unchecked_path
from rbnotes.forces.tension import TensionLaw

STIFFNESS_OPTIONS = ("exact", "taut", "positional", "symmetrized")
"""Options of K: the derivative of the force; without the geometric part of pushing paths
(:func:`taut_stiffness`); at constant tension rates; or the symmetric part of the latter."""


@runtime_checkable
class PotentialLaw(TensionLaw, Protocol):
    """A tension law with a potential energy."""

    def energy(self, L: ArrayLike) -> Array:
        """Return the potential energy ``(...)`` at lengths ``L (...)``, J."""


class PathLength(NamedTuple):
    """Length of a path and its rate of change.

    Attributes
    ----------
    L
        Length of the active segments ``(...)``, m.
    Ldot
        Its time derivative ``(...)``, m/s.
    """

    L: Array
    Ldot: Array


class PointForces(NamedTuple):
    """Forces on the points of a path and their exact Jacobians.

    Attributes
    ----------
    f
        Forces ``(..., n+1, 3)``, N.
    K
        +df/dx ``(..., 3(n+1), 3(n+1))``, N/m.
    D
        +df/dv ``(..., 3(n+1), 3(n+1))``, N s/m.
    """

    f: Array
    K: Array
    D: Array


class PathStiffness(NamedTuple):
    """The three parts of df/dx, each ``(..., 3(n+1), 3(n+1))``.

    Attributes
    ----------
    material
        -dF/dL b a^T ``(..., 3(n+1), 3(n+1))``, N/m, of the change of the tension with the length.
    rate
        -dF/dLdot b (H_a v)^T ``(..., 3(n+1), 3(n+1))``, N/m, of the change of Ldot with the directions of the
        segments; not symmetric.
    geometric
        -F H_b ``(..., 3(n+1), 3(n+1))``, N/m, of the change of the directions of the forces.
    """

    material: Array
    rate: Array
    geometric: Array


def path_segments(x: ArrayLike) -> tuple[Array, Array]:
    """Return directions ``u (..., n, 3)`` and lengths ``l (..., n)`` of the segments of a path.

    The points are ``x (..., n+1, 3)``, m; u are unit vectors (Lloyd eq. (0.11)).

    Raises
    ------
    InvalidArgument
        If the shape of ``x`` does not fit.
    SingularConfiguration
        If the ends of a segment coincide (to rounding); the message names the segment.
    """
    return unchecked_path.path_segments(_check_points("x", x))


def length_gradient(x: ArrayLike, active: ArrayLike | None = None) -> Array:
    """Return the row dL/dx ``(..., 3(n+1))``, which is also dLdot/dv (Lloyd 0.14).

    Raises InvalidArgument if the shape of ``x`` or ``active`` does not fit; SingularConfiguration if a
    segment has no length.
    """
    x = _check_points("x", x)
    return unchecked_path.length_gradient(x, active_flags(x.shape[-2] - 1, active))


def length_hessian(x: ArrayLike, active: ArrayLike | None = None) -> Array:
    """Return second derivatives d^2 L/dx^2 ``(..., 3(n+1), 3(n+1))``; its product with v is dLdot/dx.

    Raises InvalidArgument if the shape of ``x`` or ``active`` does not fit; SingularConfiguration if a
    segment has no length.
    """
    x = _check_points("x", x)
    return unchecked_path.length_hessian(x, active_flags(x.shape[-2] - 1, active))


def path_length(x: ArrayLike, v: ArrayLike, active: ArrayLike | None = None) -> PathLength:
    """Return the length of the active segments and its rate of change (Lloyd eqs. (0.12), (0.14)).

    Parameters
    ----------
    x, v : (..., n+1, 3)
        Points of the path, m, and their velocities, m/s.
    active : (n,) of bool, optional
        True for segments that count; all by default.

    Raises
    ------
    InvalidArgument
        If the shape of ``x``, ``v`` or ``active`` does not fit.
    SingularConfiguration
        If a segment has no length.
    """
    return PathLength(*unchecked_path.path_length(*_check_points_and_velocities(x, v, active)))


def path_force(law: TensionLaw, x: ArrayLike, v: ArrayLike, active: ArrayLike | None = None) -> PointForces:
    """Return the forces of a tension along a path on its points, with exact Jacobians (Lloyd 0.12, 0.14).

    A path of one segment is an axial spring.

    Parameters
    ----------
    law : TensionLaw
        F(L, Ldot); parameters that are arrays have one entry per path (...).
    x, v : (..., n+1, 3)
        Points of the path and their velocities, m and m/s.
    active : (n,) of bool, optional
        True for segments that count to L; all by default. The tension acts along all of them.

    Raises
    ------
    InvalidArgument
        If ``law`` is not a function or the shape of ``x``, ``v`` or ``active`` does not fit.
    SingularConfiguration
        If a segment has length zero.
    """
    arguments.require_function("law", law, "L", "Ldot")
    terms = unchecked_path.path_terms(law, *_check_points_and_velocities(x, v, active))
    return PointForces(terms.f, terms.stiffness("exact"), terms.D)


def path_stiffness(
    law: TensionLaw, x: ArrayLike, v: ArrayLike, active: ArrayLike | None = None
) -> PathStiffness:
    """Return the parts of df/dx: material, rate and geometric stiffness.

    Their sum is ``path_force(...).K``.

    Raises InvalidArgument if ``law`` is not a function or the shape of ``x``, ``v`` or ``active`` does not
    fit; SingularConfiguration if a segment has no length.
    """
    arguments.require_function("law", law, "L", "Ldot")
    terms = unchecked_path.path_terms(law, *_check_points_and_velocities(x, v, active))
    return PathStiffness(terms.material, terms.rate, terms.geometric)


def taut_stiffness(law: TensionLaw, x: ArrayLike, v: ArrayLike, active: ArrayLike | None = None) -> Array:
    """Return df/dx without the geometric part of paths that push (F < 0), for large steps.

    A pushing path is laterally unstable. Without that part, and if dF/dL >= 0 on active segments, the
    symmetric parts are negative semidefinite.

    Raises InvalidArgument if ``law`` is not a function or the shape of ``x``, ``v`` or ``active`` does not
    fit; SingularConfiguration if a segment has no length.
    """
    arguments.require_function("law", law, "L", "Ldot")
    terms = unchecked_path.path_terms(law, *_check_points_and_velocities(x, v, active))
    return terms.stiffness("taut")


def symmetric_part(matrix: ArrayLike) -> Array:
    """Return ``(A + A^T) / 2`` of matrices ``(..., n, n)``.

    Raises InvalidArgument if the shape of ``matrix`` does not fit.
    """
    matrix = arguments.array("matrix", matrix, None, None)
    if matrix.shape[-1] != matrix.shape[-2]:
        raise InvalidArgument("matrix", f"shape {matrix.shape}", "square matrices (..., n, n)")
    return unchecked_path.symmetric_part(matrix)


def path_energy(law: PotentialLaw, x: ArrayLike) -> Array:
    """Return the potential energy of a path with all segments active, J ``(...)``.

    A path with passive segments has none: their tension does work that the law does not include.

    Raises InvalidArgument if the shape of ``x`` does not fit; SingularConfiguration if a segment has no
    length.
    """
    arguments.require_methods("law", law, "energy")
    _, lengths = path_segments(x)
    return law.energy(np.sum(lengths, axis=-1))


def dissipated_power(law: TensionLaw, x: ArrayLike, v: ArrayLike, active: ArrayLike | None = None) -> Array:
    """Return the power that the rate dependence of the tension dissipates, W ``(...)``.

    It is ``(F(L, Ldot) - F(L, 0))`` times the rate of lengthening of the whole path, so it is never
    negative for a damper without passive segments; with them, the two rates may differ in sign.

    Raises InvalidArgument if ``law`` is not a function or the shape of ``x``, ``v`` or ``active`` does not
    fit; SingularConfiguration if a segment has no length.
    """
    arguments.require_function("law", law, "L", "Ldot")
    x, v, active_weights = _check_points_and_velocities(x, v, active)
    L, Ldot = unchecked_path.path_length(x, v, active_weights)
    _, full_rate = unchecked_path.path_length(x, v, np.ones(len(active_weights)))
    F: Array = arguments.call_user_function("law", law, L, Ldot).F
    return (F - law(L, np.zeros_like(Ldot)).F) * full_rate


def active_flags(n: int, active: ArrayLike | None) -> Array:
    """Return flags of the n active segments, as numbers ``(n,)``."""
    if active is None:
        return np.ones(n)
    flags = arguments.boolean_vector("active", active, n)
    if not np.any(flags):
        raise InvalidArgument("active", "no active segment", "at least one")
    return flags.astype(np.float64)


def _check_points(name: str, value: ArrayLike) -> Array:
    points = arguments.array(name, value, None, 3)
    if points.shape[-2] < 2:
        raise InvalidArgument(name, f"shape {points.shape}", "shape (..., n+1, 3) with at least two points")
    return points


def _check_points_and_velocities(
    x: ArrayLike, v: ArrayLike, active: ArrayLike | None
) -> tuple[Array, Array, Array]:
    """Check points and velocities, broadcast them, and return numerical flags of the segments."""
    x, v = _check_points("x", x), _check_points("v", v)
    if x.shape[-2] != v.shape[-2]:
        raise InvalidArgument("v", f"shape {v.shape}", f"one velocity for each point of x, {x.shape}")
    try:
        positions, velocities = np.broadcast_arrays(x, v)
    except ValueError as error:
        raise InvalidArgument("v", f"shape {v.shape}", f"a shape that broadcasts with {x.shape}") from error
    return positions, velocities, active_flags(x.shape[-2] - 1, active)
