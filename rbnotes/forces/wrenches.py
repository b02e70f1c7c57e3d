"""Forces on points that bodies carry, as wrenches on the bodies, with exact Jacobians.

A point with body coordinates x on a body with pose E = (R, p) and twist phi is at X = R x + p and moves with
``V = R Gamma(x) phi``. Let forces f(X, V) on such points have K_x = df/dX and D_x = df/dV, and let
J = R Gamma(x) for each point. The wrench on its body is w = J^T f, and along body-frame increments
E exp([xi]) at constant twist components,

    dX = J xi,   dV = -R [Gamma phi] xi_angular =: G xi,   d(J^T) f = Gamma^T [R^T f] xi_angular =: H xi,
    K = dw/dxi = J^T (K_x J + D_x G) + H,
    D = dw/dphi = J^T D_x J.

G appears because a turning body turns the velocities of its points, H because it turns the arm and the
axes in which the wrench is written. H is not symmetric, so K is not, even where the forces have a potential.

This module checks arguments; the formulas are in ``rbnotes/forces/unchecked_wrenches.py``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.forces import unchecked_wrenches
from rbnotes.forces.path import PointForces


class BodyForces(NamedTuple):
    """Wrenches on the bodies of n points and their exact Jacobians, all in body coordinates.

    Attributes
    ----------
    w
        Wrenches ``(..., n, 6)``, torque about the body's origin first, N m and N.
    K
        +dw/dxi ``(..., 6n, 6n)``, N m and N per rad or m, along body-frame increments E exp([xi]) at
        constant twist components.
    D
        +dw/dphi ``(..., 6n, 6n)``, N m and N per rad/s or m/s.
    """

    w: Array
    K: Array
    D: Array


def point_kinematics(E: ArrayLike, x: ArrayLike, phi: ArrayLike) -> tuple[Array, Array]:
    """Return positions and velocities ``(..., n, 3)`` in world coordinates of points on bodies.

    Parameters
    ----------
    E : (..., n, 4, 4)
        Pose of each point's body.
    x : (..., n, 3)
        Points in body coordinates, m.
    phi : (..., n, 6)
        Twist of each point's body, body coordinates, rad/s and m/s.

    Raises
    ------
    InvalidArgument
        If ``E`` is not a pose or the shape of ``x`` or ``phi`` does not fit.
    """
    return unchecked_wrenches.point_kinematics(*check_point_bodies(E, x, phi))


def point_jacobians(E: ArrayLike, x: ArrayLike, phi: ArrayLike) -> tuple[Array, Array]:
    """Return the derivatives J and G ``(..., n, 3, 6)`` of point positions and velocities.

    They are taken with respect to poses, at constant twist components: ``J = dX/dxi = dV/dphi`` and
    ``G = dV/dxi``. Arguments as for :func:`point_kinematics`.

    Raises InvalidArgument if ``E`` is not a pose or the shape of ``x`` or ``phi`` does not fit.
    """
    return unchecked_wrenches.point_jacobians(*check_point_bodies(E, x, phi))


def wrenches_from_point_forces(E: ArrayLike, x: ArrayLike, phi: ArrayLike, forces: PointForces) -> BodyForces:
    """Return the wrenches of point forces on the bodies of the points, with exact Jacobians.

    Each point has its own six coordinates; the rows and columns of points on one body have to be summed, as
    :func:`rbnotes.forces.assembly.assemble` does.

    Parameters
    ----------
    E : (..., n, 4, 4)
        As for :func:`point_kinematics`, m.
    x : (..., n, 3)
        Points in body coordinates, m.
    phi : (..., n, 6)
        Twists of the bodies, rad/s and m/s.
    forces : PointForces
        f ``(..., n, 3)``, K and D ``(..., 3n, 3n)`` with respect to the points' positions and velocities.

    Raises
    ------
    InvalidArgument
        If ``E`` is not a pose or the shape of ``x``, ``phi`` or ``forces`` does not fit.
    """
    arguments.require_instance("forces", forces, PointForces)
    E, x, phi = check_point_bodies(E, x, phi)
    f, K, D = check_forces(forces)
    if f.shape[-2:] != x.shape[-2:]:
        raise InvalidArgument("forces", f"f of shape {f.shape}", f"one for each of {x.shape[-2:-1]} points")
    arguments.common_shape(x=x.shape[:-2], forces=f.shape[:-2])
    return BodyForces(*unchecked_wrenches.wrenches_from_point_forces(E, x, phi, (f, K, D)))


def check_forces(forces: PointForces | BodyForces) -> tuple[Array, Array, Array]:
    """Check forces on n points, or wrenches on bodies, and the shapes of their Jacobians."""
    name, size = forces._fields[0], 3 if isinstance(forces, PointForces) else 6
    f = arguments.vector(f"forces: {name}", forces[0], size)
    count = size * f.shape[-2] if f.ndim > 1 else size
    K, D = (arguments.array(f"forces: {field}", getattr(forces, field), count, count) for field in ("K", "D"))
    arguments.common_shape(**{"forces: " + name: f.shape[:-2], "K": K.shape[:-2], "D": D.shape[:-2]})
    return f, K, D


def check_point_bodies(E: ArrayLike, x: ArrayLike, phi: ArrayLike) -> tuple[Array, Array, Array]:
    """Check poses and twists of bodies and their points, and broadcast them."""
    E, x, phi = arguments.frame("E", E), arguments.vector("x", x), arguments.twist("phi", phi)
    for name, shape in (("x", x.shape[:-1]), ("phi", phi.shape[:-1])):
        try:
            np.broadcast_shapes(E.shape[:-2], shape)
        except ValueError as error:
            got = f"{shape} of them"
            raise InvalidArgument(name, got, f"one for each of the poses, {E.shape[:-2]}") from error
    shape = arguments.common_shape(E=E.shape[:-2], x=x.shape[:-1], phi=phi.shape[:-1])
    return (
        np.broadcast_to(E, (*shape, 4, 4)),
        np.broadcast_to(x, (*shape, 3)),
        np.broadcast_to(phi, (*shape, 6)),
    )
