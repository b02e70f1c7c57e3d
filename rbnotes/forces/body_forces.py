"""Forces between rigid bodies (Sueda 1.9): path tensions, springs, constant forces, viscous damping.

Every function takes the pose E of the body that carries each point, the point's body coordinates x and,
where velocities matter, the body's twist phi. Wrenches, K and D are those of
:class:`~rbnotes.forces.wrenches.BodyForces`: K = +dw/dxi along E exp([xi]) at constant twist components,
D = +dw/dphi.

Here arguments are checked; the formulas stand in ``rbnotes/forces/unchecked_wrenches.py`` and ``_path.py``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.forces import unchecked_path, unchecked_wrenches
from rbnotes.forces.path import STIFFNESS_OPTIONS, active_flags
from rbnotes.forces.tension import TensionLaw
from rbnotes.forces.wrenches import BodyForces, check_point_bodies
from rbnotes.unchecked import se3


class BodyPathLength(NamedTuple):
    """Length of a path through points of n bodies and its rate, and their derivatives.

    Attributes
    ----------
    L
        Length of the active segments ``(...)``, m.
    Ldot
        Its time derivative ``(...)``, m/s.
    dL_dxi
        Derivative of L along body-frame increments E exp([xi]) ``(..., 6n)``, equal to dLdot/dphi.
    dLdot_dxi
        Derivative of Ldot along them at constant twist components ``(..., 6n)``.
    """

    L: Array
    Ldot: Array
    dL_dxi: Array
    dLdot_dxi: Array


def body_path_length(
    E: ArrayLike, x: ArrayLike, phi: ArrayLike, active: ArrayLike | None = None
) -> BodyPathLength:
    """Return the length of a path through points of bodies and its derivatives (Sueda eqs. (1.57), (1.58)).

    With them, a tension F(L, Ldot) has dF/dxi = F_L dL/dxi + F_Ldot dLdot/dxi and dF/dphi = F_Ldot dL/dxi.
    Arguments as for :func:`path_wrenches`.

    Raises
    ------
    InvalidArgument
        If ``E`` is not a pose or the shape of ``x``, ``phi`` or ``active`` does not fit.
    SingularConfiguration
        If a segment has length zero.
    """
    E, x, phi = check_point_bodies(E, x, phi)
    X, V = unchecked_wrenches.point_kinematics(E, x, phi)
    active_weights = _path_active_flags(X.shape[:-1], active)
    J, G = unchecked_wrenches.point_jacobians(E, x, phi)
    L, Ldot = unchecked_path.path_length(X, V, active_weights)
    gradient = unchecked_path.length_gradient(X, active_weights)
    convective = (
        unchecked_path.length_hessian(X, active_weights) @ V.reshape(*V.shape[:-2], 3 * V.shape[-2], 1)
    )[..., 0]
    return BodyPathLength(
        L,
        Ldot,
        _apply_body_jacobians(gradient, J),
        _apply_body_jacobians(convective, J) + _apply_body_jacobians(gradient, G),
    )


class BodyPathSegments(NamedTuple):
    """Directions and lengths of the segments of a path through points of n bodies, and derivatives.

    Attributes
    ----------
    u
        Unit vector along each segment ``(..., n-1, 3)``, in world axes.
    l
        Length of each segment ``(..., n-1)``, m.
    du_dxi
        Derivative of u along body-frame increments E exp([xi]) of all bodies ``(..., n-1, 3, 6n)``, 1/rad
        and 1/m. With their twists phi, u changes at the rate ``du_dxi @ phi``.
    """

    u: Array
    l: Array  # noqa: E741  # the name in the notes
    du_dxi: Array


def body_path_segments(E: ArrayLike, x: ArrayLike) -> BodyPathSegments:
    """Return the unit vector along each segment of a path, with its derivative by the poses of the bodies.

    The segment between two bodies has ``du/dxi = (I - u u^T) / l @ [-R_1 Gamma(x_1), R_2 Gamma(x_2)]``. It
    follows from Lloyd's (0.13) and Sueda's (1.12).

    Parameters
    ----------
    E : (..., n, 4, 4)
        Pose of each point's body.
    x : (..., n, 3)
        Points in body coordinates, m.

    Raises
    ------
    InvalidArgument
        If ``E`` is not a pose or the shape of ``x`` does not fit.
    SingularConfiguration
        If a segment has length zero.

    Examples
    --------
    A spring hangs from the origin. A rotation of its upper body does not turn it; moving the lower body
    along its x axis does:

    >>> import numpy as np
    >>> from rbnotes import se3
    >>> E = se3.frame(np.eye(3), [[0, 0, 0], [0, 0, -2]])
    >>> u, l, du_dxi = body_path_segments(E, np.zeros((2, 3)))
    >>> print(u, l)
    [[ 0.  0. -1.]] [2.]
    >>> print(du_dxi[0, 0])
    [ 0.   0.   0.  -0.5  0.   0.   0.   0.   0.   0.5  0.   0. ]
    """
    E, x, phi = check_point_bodies(E, x, np.zeros(6))
    X = se3.transform_points(E, x)
    _path_active_flags(X.shape[:-1], None)
    J, _ = unchecked_wrenches.point_jacobians(E, x, phi)
    u, lengths = unchecked_path.path_segments(X)
    du_dx = unchecked_path.direction_derivatives(u, lengths)
    points, segments = X.shape[-2], u.shape[-2]
    du_dxi = np.zeros((*u.shape, points, 6))
    for i in range(segments):
        du_dxi[..., i, :, i, :] = -du_dx[..., i, :, :] @ J[..., i, :, :]
        du_dxi[..., i, :, i + 1, :] = du_dx[..., i, :, :] @ J[..., i + 1, :, :]
    return BodyPathSegments(u, lengths, du_dxi.reshape(*u.shape, 6 * points))


def _apply_body_jacobians(row: Array, maps: Array) -> Array:
    """Return rows ``(..., 3n)`` times the block-diagonal matrix of ``maps (..., n, 3, 6)``."""
    product = np.einsum("...ai,...aiu->...au", row.reshape(*row.shape[:-1], row.shape[-1] // 3, 3), maps)
    result: Array = product.reshape(*product.shape[:-2], 6 * product.shape[-2])
    return result


def path_wrenches(
    law: TensionLaw,
    E: ArrayLike,
    x: ArrayLike,
    phi: ArrayLike,
    active: ArrayLike | None = None,
    *,
    stiffness: str = "exact",
) -> BodyForces:
    """Return the wrenches of a tension along a path through points of bodies (Sueda 1.9.4-1.9.6).

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
        True for segments that count to L; all by default.
    stiffness : {"exact", "taut", "positional", "symmetrized"}
        ``"taut"`` omits the geometric stiffness of paths that push (:func:`rbnotes.forces.taut_stiffness`).
        ``"positional"`` omits the dependence of Ldot on poses at constant twists, as Sueda's (1.52) and
        (1.63) do; ``"symmetrized"`` is the symmetric part of that. Both equal neither the exact K nor each
        other in general; D and the wrenches are always exact.

    Raises
    ------
    InvalidArgument
        If ``law`` is not a function, ``E`` is not a pose, ``stiffness`` is not one of the names, or the shape
        of ``x`` or ``phi`` does not fit.
    SingularConfiguration
        If a segment has length zero.
    """
    arguments.require_function("law", law, "L", "Ldot")
    arguments.choice("stiffness", stiffness, STIFFNESS_OPTIONS)
    E, x, phi = check_point_bodies(E, x, phi)
    points = np.broadcast_shapes(E.shape[:-2], x.shape[:-1])
    return unchecked_path_wrenches(law, E, x, phi, _path_active_flags(points, active), stiffness)


def unchecked_path_wrenches(
    law: TensionLaw, E: Array, x: Array, phi: Array, active: Array, stiffness: str
) -> BodyForces:
    """Return :func:`path_wrenches` without checks, with numerical flags."""
    terms = unchecked_path.path_terms(law, *unchecked_wrenches.point_kinematics(E, x, phi), active)
    if stiffness in ("exact", "taut"):
        forces = terms.f, terms.stiffness(stiffness), terms.D
        return BodyForces(*unchecked_wrenches.wrenches_from_point_forces(E, x, phi, forces))
    forces = terms.f, terms.stiffness("positional"), terms.D
    result = BodyForces(*unchecked_wrenches.wrenches_from_point_forces(E, x, np.zeros_like(phi), forces))
    return result if stiffness == "positional" else result._replace(K=unchecked_path.symmetric_part(result.K))


def _path_active_flags(points: tuple[int, ...], active: ArrayLike | None) -> Array:
    if not points or points[-1] < 2:
        got = f"points of shape {(*points, 3)}"
        raise InvalidArgument("x", got, "a path (..., n+1, 3) of two points or more")
    return active_flags(points[-1] - 1, active)


def zero_length_spring(k: ArrayLike, E: ArrayLike, x: ArrayLike) -> BodyForces:
    """Return the wrenches of springs of rest length zero between pairs of points (Sueda 1.9.3).

    Unlike a tension along a path its force, ``k (X_2 - X_1)`` on the first point, does not depend on a
    direction and is smooth where the points meet.

    Parameters
    ----------
    k : (...)
        Stiffness, N/m, at least 0.
    E : (..., 2, 4, 4)
        Poses of the two bodies, m.
    x : (..., 2, 3)
        The points in body coordinates, m.

    Raises
    ------
    InvalidArgument
        If ``k`` is negative, ``E`` is not a pose, or the shape of ``x`` does not fit.
    """
    return BodyForces(*unchecked_wrenches.zero_length_spring(*_check_spring_arguments(k, E, x)))


def zero_length_energy(k: ArrayLike, E: ArrayLike, x: ArrayLike) -> Array:
    """Return ``k |X_2 - X_1|^2 / 2``, J ``(...)`` (Sueda eq. (1.36)); arguments as for the spring.

    Raises InvalidArgument if ``k`` is negative, ``E`` is not a pose, or the shape of ``x`` does not fit.
    """
    return unchecked_wrenches.zero_length_energy(*_check_spring_arguments(k, E, x))


def directional_force(k: ArrayLike, a: ArrayLike, E: ArrayLike, x: ArrayLike) -> BodyForces:
    """Return the wrench of a force ``k a``, constant in the world, on a point of a body (Sueda 1.9.2).

    Sueda uses ``symmetric_part`` of its K instead.

    Parameters
    ----------
    k : (...)
        Factor; k a is the force, N.
    a : (..., 3)
        Direction in world coordinates, dimensionless.
    E : (..., 4, 4)
        Pose of the body, m.
    x : (..., 3)
        The point in body coordinates, m.

    Returns
    -------
    BodyForces
        ``w (..., 6)``, ``K`` and ``D (..., 6, 6)``: there is one point, so no axis for it.

    Raises
    ------
    InvalidArgument
        If ``E`` is not a pose or the shape of ``k``, ``a`` or ``x`` does not fit.
    """
    return BodyForces(*unchecked_wrenches.directional_force(*_check_constant_force_arguments(k, a, E, x)))


def directional_energy(k: ArrayLike, a: ArrayLike, E: ArrayLike, x: ArrayLike) -> Array:
    """Return ``-k X . a``, J ``(...)`` (Sueda eq. (1.32)); arguments as for the force.

    Raises InvalidArgument if ``E`` is not a pose or the shape of ``k``, ``a`` or ``x`` does not fit.
    """
    return unchecked_wrenches.directional_energy(*_check_constant_force_arguments(k, a, E, x))


def viscous_damping(d: ArrayLike, phi: ArrayLike) -> BodyForces:
    """Return the wrench ``-d phi`` that resists every motion of a body (Sueda 1.9.1).

    One coefficient for both halves of the twist: N m s for the angular, N s/m for the linear part, and the
    result depends on where the body's origin is.

    Parameters
    ----------
    d : (...)
        Coefficient, at least 0, N s/m and N m s/rad.
    phi : (..., 6)
        Twists in body coordinates, rad/s and m/s.

    Returns
    -------
    BodyForces
        ``w (..., 6)``, ``K = 0`` and ``D = -d I (..., 6, 6)``.

    Raises
    ------
    InvalidArgument
        If ``d`` is negative or the shape of ``phi`` does not fit.
    """
    d, phi = arguments.real_array("d", d, minimum=0.0), arguments.twist("phi", phi)
    arguments.common_shape(d=d.shape, phi=phi.shape[:-1])
    return BodyForces(*unchecked_wrenches.viscous_damping(d, phi))


def _check_spring_arguments(k: ArrayLike, E: ArrayLike, x: ArrayLike) -> tuple[Array, Array, Array]:
    k = arguments.real_array("k", k, minimum=0.0)
    E, x = arguments.frame("E", E), arguments.vector("x", x)
    shape = arguments.common_shape(E=E.shape[:-2], x=x.shape[:-1])
    if not shape or shape[-1] != 2:
        raise InvalidArgument("x", f"points of shape {(*shape, 3)}", "two points (..., 2, 3)")
    arguments.common_shape(k=k.shape, x=shape[:-1])
    return k, E, x


def _check_constant_force_arguments(
    k: ArrayLike, a: ArrayLike, E: ArrayLike, x: ArrayLike
) -> tuple[Array, Array, Array, Array]:
    k, a = arguments.real_array("k", k), arguments.vector("a", a)
    E, x = arguments.frame("E", E), arguments.vector("x", x)
    arguments.common_shape(k=k.shape, a=a.shape[:-1], E=E.shape[:-2], x=x.shape[:-1])
    return k, a, E, x
