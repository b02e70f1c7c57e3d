"""Joints of bodies that slide along surfaces and curves, and of wheels that roll (Si & Guenter 1, 5).

Each is a short function of its coordinates, which :class:`~rbnotes.joints.FunctionJoint` differentiates. The
first surface or curve belongs to the fixed frame, the second to the moving frame. The joint keeps a contact
at one point of each; it does not detect other contacts.

If a body may rotate about the normal of a sphere or an ellipsoid, longitude and latitude are singular at the
poles, and within 1e-6 of them all methods raise an error: place the poles away from the motion. Normals may
have any directions. Where the relative curvature of two surfaces vanishes, the *joint* is singular, whatever
its coordinates: :meth:`~rbnotes.joints.JointType.distance_to_singularity` measures the distance.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.joints.composite import Composite
from rbnotes.joints.general.casadi_functions import MarginFunction, PoseFactor, PoseFunction
from rbnotes.joints.general.curves import Curve
from rbnotes.joints.general.function_joint import FunctionJoint
from rbnotes.joints.general.surfaces import Surface, rotation_about_z
from rbnotes.joints.general.symbols import Symbolic
from rbnotes.joints.simple import Z
from rbnotes.joints.spherical import ExponentialSpherical

OPPOSITE_NORMALS = np.diag([1.0, -1.0, -1.0])
"""Half turn about x: the normals of two surfaces in contact are opposite."""


def surface_on_surface(first: Surface, second: Surface, spin_angle: float | None = None) -> FunctionJoint:
    """Return the joint of two surfaces in contact at a point of each, with opposite normals.

    The coordinates are u and v on the first surface, u and v on the second, and, unless it is fixed, the
    angle about the normal from the x axis of the first frame to that of the second.

    Parameters
    ----------
    spin_angle
        The angle, rad, if it is fixed: four coordinates remain, as in Si & Guenter's chains.

    Raises
    ------
    InvalidArgument
        If the shape of ``spin_angle`` does not fit.
    """
    arguments.require_instance("first", first, Surface)
    arguments.require_instance("second", second, Surface)

    def function(q: Symbolic) -> list[PoseFactor]:
        contact_rotation = (
            rotation_about_z(q[4]) if spin_angle is None else _round_zeros(rotation_about_z(spin_angle))
        ) @ OPPOSITE_NORMALS
        inverse_factors = [(R.T, -R.T @ t) for R, t in reversed(second.frame(q[2], q[3]))]
        return [*first.frame(q[0], q[1]), (contact_rotation, np.zeros(3)), *inverse_factors]

    def margins(q: Symbolic) -> dict[str, Symbolic]:
        surface_points = ("first", first, q[0], q[1]), ("second", second, q[2], q[3])
        return _surface_margins(surface_points, rotates_about_normal=spin_angle is None)

    low, high = [*first.low, *second.low], [*first.high, *second.high]
    if spin_angle is None:
        low, high = [*low, -np.pi], [*high, np.pi]
    else:
        spin_angle = float(arguments.single_vector("spin_angle", [spin_angle], 1)[0])
    return _function_joint(function, f"{first.name}-{second.name}", low, high, margins)


def point_on_surface(
    surface: Surface, rotation: str = "ball", height: float = 0.0
) -> FunctionJoint | Composite:
    """Return the joint that keeps the origin of the moving frame on a surface or above it.

    Parameters
    ----------
    rotation
        ``"ball"``: any rotation, by a rotation vector, five coordinates in all; ``"normal"``: about the
        normal, which is the z axis, three; ``"none"``: the frame of the surface, two.
    height
        Height along the normal, m. A sphere that slides on a surface is a point at the height of its radius
        with ``"ball"``: it has no poles.

    Raises
    ------
    InvalidArgument
        If ``rotation`` is not one of the names or the shape of ``height`` does not fit.
    """
    arguments.require_instance("surface", surface, Surface)
    arguments.choice("rotation", rotation, ("ball", "normal", "none"))
    height = float(arguments.single_vector("height", [height], 1)[0])

    def function(q: Symbolic) -> list[PoseFactor]:
        factors = surface.frame(q[0], q[1])
        if rotation == "normal":
            factors = [*factors, (rotation_about_z(q[2]), np.zeros(3))]
        factors = [*factors, (np.eye(3), np.array([0, 0, height]))]
        if rotation == "ball":
            inverse_rotations = [(R.T, np.zeros(3)) for R, _ in reversed(factors)]
            factors = [*factors, *inverse_rotations]
        return factors

    def margins(q: Symbolic) -> dict[str, Symbolic]:
        return _surface_margins([("only", surface, q[0], q[1])], rotates_about_normal=rotation != "none")

    low, high = list(surface.low), list(surface.high)
    if rotation == "normal":
        low, high = [*low, -np.pi], [*high, np.pi]
    joint = _function_joint(function, f"point on {surface.name}", low, high, margins)
    return Composite(joint, ExponentialSpherical()) if rotation == "ball" else joint


def point_on_curve(
    curve: Curve, rotation: str = "ball", reference_direction: ArrayLike = Z
) -> FunctionJoint | Composite:
    """Return the joint that keeps the origin of the moving frame on a curve.

    Parameters
    ----------
    rotation
        ``"ball"``: any rotation, by a rotation vector, four coordinates in all; ``"tangent"``: about the
        tangent, which is the z axis, two; ``"none"``: the frame of the curve, one.
    reference_direction
        Direction ``(3,)`` to which the x axis of the curve's frame is nearest; z by default. The tangent
        must not be parallel to it, except for ``"ball"``.

    Raises
    ------
    InvalidArgument
        If ``rotation`` is not one of the names or ``reference_direction`` is not of unit length.
    """
    arguments.require_instance("curve", curve, Curve)
    arguments.choice("rotation", rotation, ("ball", "tangent", "none"))
    reference_direction = arguments.with_ndim(
        "reference_direction", arguments.unit_vector("reference_direction", reference_direction), 1
    )
    if rotation == "ball":
        return Composite(_translation_along(curve), ExponentialSpherical())

    def function(q: Symbolic) -> list[PoseFactor]:
        extra_rotation = [(rotation_about_z(q[1]), np.zeros(3))] if rotation == "tangent" else []
        return [curve._frame(q[0], reference_direction), *extra_rotation]

    def margins(q: Symbolic) -> dict[str, Symbolic]:
        return {
            f"a tangent of its {curve.name} along {reference_direction.tolist()}": curve._fold_margin(
                q[0], reference_direction
            )
        }

    low, high = [curve.low], [curve.high]
    if rotation == "tangent":
        low, high = [*low, -np.pi], [*high, np.pi]
    return _function_joint(function, f"point on {curve.name}", low, high, margins)


def curve_on_curve(first: Curve, second: Curve) -> Composite:
    """Return the joint of two curves that intersect at a point of each, such as linked rings of thin wire.

    The coordinates are those of the points on both curves, with a rotation vector between them. It is
    singular where the curves are tangent to each other.

    Raises InvalidArgument if ``first`` or ``second`` is not a ``Curve``.
    """
    arguments.require_instance("first", first, Curve)
    arguments.require_instance("second", second, Curve)
    return Composite(
        _translation_along(first), ExponentialSpherical(), _translation_along(second, inverse=True)
    )


def rolling_gear(radius: float, wheel_radius: float, *, internal: bool = False) -> FunctionJoint:
    """Return the joint of a gear that rolls around a gear at rest, both with axes along z.

    The coordinate is the angle of the arm from one center to the other.

    Parameters
    ----------
    radius, wheel_radius
        Pitch radii of the gear at rest and of the rolling one, m.
    internal
        True if it rolls inside a ring gear.

    Raises
    ------
    InvalidArgument
        If ``radius`` or ``wheel_radius`` is not positive.
    """
    radius, wheel_radius = (
        arguments.positive_number("radius", radius),
        arguments.positive_number("wheel_radius", wheel_radius),
    )
    if internal and wheel_radius >= radius:
        raise InvalidArgument(
            "wheel_radius", f"{wheel_radius:g}", f"a wheel smaller than its ring, {radius:g}"
        )
    signed_radius = -wheel_radius if internal else wheel_radius

    def function(q: Symbolic) -> list[PoseFactor]:
        center = np.array([radius + signed_radius, 0, 0])
        return [
            (rotation_about_z(q[0]), np.zeros(3)),
            (rotation_about_z(q[0] * radius / signed_radius), center),
        ]

    return _function_joint(function, "rolling gear", [-np.pi], [np.pi])


def _function_joint(
    function: PoseFunction,
    name: str,
    low: list[float],
    high: list[float],
    margins: MarginFunction | None = None,
) -> FunctionJoint:
    neutral = (np.array(low) + np.array(high)) / 2
    return FunctionJoint(function, len(low), name=name, neutral=neutral, low=low, high=high, margins=margins)


def _translation_along(curve: Curve, *, inverse: bool = False) -> FunctionJoint:
    """Return the translation to a point of the curve, or its inverse."""

    def function(q: Symbolic) -> PoseFactor:
        return np.eye(3), -curve.point(q[0]) if inverse else curve.point(q[0])

    return _function_joint(function, f"translation along {curve.name}", [curve.low], [curve.high])


def _surface_margins(
    surface_points: Iterable[tuple[str, Surface, Symbolic, Symbolic]], *, rotates_about_normal: bool
) -> dict[str, Symbolic]:
    """Return named numbers that vanish where a frame, or a chart if the body may rotate, is singular."""
    margins = {}
    for ordinal, surface, u, v in surface_points:
        fold = surface.fold_margin(u, v)
        if fold is not None:
            margins[f"a fold of its {ordinal} surface, {surface.name}"] = fold
        if rotates_about_normal and surface.pole is not None:
            margins[f"a pole of its {ordinal} surface, {surface.name}"] = surface.pole(u, v)
    return margins


def _round_zeros(R: Array) -> Array:
    """Set entries of the size of rounding errors to zero, which saves instructions."""
    return np.where(np.abs(R) < 1e-15, 0.0, R)
