"""Forces between rigid bodies (Sueda 1.9): tensions along paths, zero-length springs, pulls, viscous damping.

Every function takes the pose E of the body that carries each point, the point's body coordinates x and,
where velocities matter, the body's twist phi. Wrenches, K and D are those of
:class:`~rbnotes.forces.wrenches.BodyForces`: K = +dw/dxi along E exp([xi]) at constant twist components,
D = +dw/dphi.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments, se3
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.forces.path import (
    PointForces,
    length_gradient,
    length_hessian,
    path_force,
    path_length,
    path_stiffness,
    symmetric_part,
)
from rbnotes.forces.tension import TensionLaw
from rbnotes.forces.wrenches import BodyForces, carried_forces, carried_points, point_jacobians

STIFFNESS = ("exact", "positional", "symmetrised")


class BodyPathLength(NamedTuple):
    """Length of a path through points of n bodies, its rate, and how they change with poses and twists."""

    L: Array
    """Length of the active segments ``(...)``, m."""
    Ldot: Array
    """Its time derivative ``(...)``, m/s."""
    dL_dxi: Array
    """Along body-frame increments E exp([xi]) ``(..., 6n)``. It is also dLdot/dphi."""
    dLdot_dxi: Array
    """At constant twist components ``(..., 6n)``."""


def body_path_length(
    E: ArrayLike, x: ArrayLike, phi: ArrayLike, active: ArrayLike | None = None
) -> BodyPathLength:
    """Length of a path through points of bodies and its derivatives (Sueda eqs. (1.57), (1.58)).

    With them, a tension F(L, Ldot) has dF/dxi = F_L dL/dxi + F_Ldot dLdot/dxi and dF/dphi = F_Ldot dL/dxi.
    Arguments as for :func:`path_wrenches`.

    Raises
    ------
    SingularConfiguration
        If a segment has length zero.
    """
    X, V = carried_points(E, x, phi)
    J, G = point_jacobians(E, x, phi)
    L, Ldot = path_length(X, V, active)
    gradient = length_gradient(X, active)
    turning = (length_hessian(X, active) @ V.reshape(*V.shape[:-2], -1, 1))[..., 0]
    return BodyPathLength(L, Ldot, _by_body(gradient, J), _by_body(turning, J) + _by_body(gradient, G))


def _by_body(row: Array, maps: Array) -> Array:
    """Rows ``(..., 3n)`` times the block-diagonal matrix of ``maps (..., n, 3, 6)``."""
    product = np.einsum("...ai,...aiu->...au", row.reshape(*row.shape[:-1], -1, 3), maps)
    return product.reshape(*product.shape[:-2], -1)


def path_wrenches(
    law: TensionLaw,
    E: ArrayLike,
    x: ArrayLike,
    phi: ArrayLike,
    active: ArrayLike | None = None,
    *,
    stiffness: str = "exact",
) -> BodyForces:
    """Wrenches of a tension along a path through points of bodies (Sueda 1.9.4-1.9.6).

    With a :class:`~rbnotes.forces.muscle.Muscle` as law it is a muscle, with more than two points a
    multi-point muscle, with a :class:`~rbnotes.forces.tension.SpringDamper` a spring-damper.

    Parameters
    ----------
    law : TensionLaw
        F(L, Ldot); parameters that are arrays have one entry per path (...).
    E : (..., n, 4, 4)
        Pose of each point's body.
    x : (..., n, 3)
        Points in body coordinates, m.
    phi : (..., n, 6)
        Twist of each point's body in body coordinates.
    active : (n-1,) of bool, optional
        Segments that count to L; all by default.
    stiffness : {"exact", "positional", "symmetrised"}
        ``"positional"`` leaves out of K that poses change Ldot at constant twists, as Sueda's (1.52) and
        (1.63) do; ``"symmetrised"`` is the symmetric part of that. Both equal neither the exact K nor each
        other in general; D and the wrenches are always exact.

    Raises
    ------
    SingularConfiguration
        If a segment has length zero.
    """
    arguments.choice("stiffness", stiffness, STIFFNESS)
    X, V = carried_points(E, x, phi)
    forces = path_force(law, X, V, active)
    if stiffness == "exact":
        return carried_forces(E, x, phi, forces)
    parts = path_stiffness(law, X, V, active)
    still = np.zeros_like(phi, dtype=np.float64)
    result = carried_forces(E, x, still, forces._replace(K=parts.material + parts.geometric))
    return result if stiffness == "positional" else result._replace(K=symmetric_part(result.K))


def zero_length_spring(k: ArrayLike, E: ArrayLike, x: ArrayLike) -> BodyForces:
    """Wrenches of springs of rest length zero between pairs of points (Sueda 1.9.3).

    Unlike a tension along a path it has a direction-free force, ``k (X_2 - X_1)`` on the first point, which
    is smooth where the points meet.

    Parameters
    ----------
    k : (...)
        Stiffness, N/m, at least 0.
    E : (..., 2, 4, 4)
        Poses of the two bodies.
    x : (..., 2, 3)
        The points in body coordinates, m.
    """
    k = arguments.scalar("k", k, minimum=0.0)
    X = _pair(se3.transform_points(E, x))
    pull = k[..., None] * (X[..., 1, :] - X[..., 0, :])
    K = k[..., None, None] * np.kron([[-1.0, 1.0], [1.0, -1.0]], np.eye(3))
    forces = PointForces(np.stack([pull, -pull], axis=-2), K, np.zeros_like(K))
    return carried_forces(E, x, np.zeros((*X.shape[:-1], 6)), forces)


def zero_length_energy(k: ArrayLike, E: ArrayLike, x: ArrayLike) -> Array:
    """``k |X_2 - X_1|^2 / 2``, J ``(...)`` (Sueda eq. (1.36)); arguments as for the spring."""
    X = _pair(se3.transform_points(E, x))
    return 0.5 * arguments.scalar("k", k, minimum=0.0) * np.sum((X[..., 1, :] - X[..., 0, :]) ** 2, axis=-1)


def directional_force(k: ArrayLike, a: ArrayLike, E: ArrayLike, x: ArrayLike) -> BodyForces:
    """Wrench of a force ``k a``, constant in the world, on a point of a body (Sueda 1.9.2).

    ``symmetric_part`` of its K is what Sueda uses in place of it.

    Parameters
    ----------
    k : (...)
        Factor; k a is the force, N.
    a : (..., 3)
        Direction in world coordinates.
    E : (..., 4, 4)
        Pose of the body.
    x : (..., 3)
        The point in body coordinates, m.

    Returns
    -------
    BodyForces
        ``w (..., 6)``, ``K`` and ``D (..., 6, 6)``: there is one point, so no axis for it.
    """
    a, x = arguments.vector("a", a), arguments.vector("x", x)
    E = arguments.frame("E", E)
    f = arguments.scalar("k", k)[..., None] * a
    f = np.broadcast_to(f, np.broadcast_shapes(f.shape, x.shape, (*E.shape[:-2], 3)))[..., None, :]
    none = np.zeros((*f.shape[:-2], 3, 3))
    phi = np.zeros((*f.shape[:-1], 6))
    w, K, D = carried_forces(E[..., None, :, :], x[..., None, :], phi, PointForces(f, none, none))
    return BodyForces(w[..., 0, :], K, D)


def directional_energy(k: ArrayLike, a: ArrayLike, E: ArrayLike, x: ArrayLike) -> Array:
    """``-k X . a``, J ``(...)`` (Sueda eq. (1.32)); arguments as for the force."""
    return -arguments.scalar("k", k) * np.sum(se3.transform_points(E, x) * arguments.vector("a", a), axis=-1)


def viscous_damping(d: ArrayLike, phi: ArrayLike) -> BodyForces:
    """Wrench ``-d phi`` that resists every motion of a body (Sueda 1.9.1).

    One coefficient for both halves of the twist: N m s for the angular, N s/m for the linear part, and the
    result depends on where the body's origin is.

    Parameters
    ----------
    d : (...)
        Coefficient, at least 0.
    phi : (..., 6)
        Twists in body coordinates.

    Returns
    -------
    BodyForces
        ``w (..., 6)``, ``K = 0`` and ``D = -d I (..., 6, 6)``.
    """
    d, phi = arguments.scalar("d", d, minimum=0.0), arguments.twist("phi", phi)
    shape = np.broadcast_shapes(d.shape, phi.shape[:-1])
    D = np.broadcast_to(-d[..., None, None] * np.eye(6), (*shape, 6, 6))
    return BodyForces(-d[..., None] * phi, np.zeros_like(D), D)


def _pair(X: Array) -> Array:
    if X.ndim < 2 or X.shape[-2] != 2:
        raise InvalidArgument("x", f"points of shape {X.shape}", "two points (..., 2, 3)")
    return X
