"""Joints of bodies that glide along surfaces and curves, and of wheels that roll (Si & Guenter 1, 5).

Each is a function of its coordinates, a few lines long, that :class:`~rbnotes.joints.FunctionJoint`
differentiates. The surface or curve of the resting frame is called the first, that of the moving frame the
second one. What touches stays in touch; nothing keeps the rest of two bodies apart.

Where a body may turn about the normal of a sphere or an ellipsoid, longitude and latitude are singular at the
poles, and within 1e-6 of them all methods raise an error: lay the poles where the motion does not come.
Normals may point anywhere, also against each other. Where the relative curvature of two surfaces vanishes
(two tori that lie in each other), the *joint* is singular, whatever its coordinates:
:meth:`~rbnotes.joints.JointType.distance_to_singularity` measures how near that is.
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
"""Half a turn about x: where two surfaces touch, their normals are opposite."""


def surface_on_surface(first: Surface, second: Surface, spin_angle: float | None = None) -> FunctionJoint:
    """Two surfaces touch at a point of each, with opposite normals.

    The coordinates are u and v on the first, u and v on the second one, and the angle about the normal from
    the x axis of the first frame to that of the second; without it if it is held.

    Parameters
    ----------
    spin_angle
        The angle, rad, if it is held: four coordinates are left, as in Si & Guenter's chains.

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
        places = ("first", first, q[0], q[1]), ("second", second, q[2], q[3])
        return _surface_margins(places, rotates_about_normal=spin_angle is None)

    low, high = [*first.low, *second.low], [*first.high, *second.high]
    if spin_angle is None:
        low, high = [*low, -np.pi], [*high, np.pi]
    else:
        spin_angle = float(arguments.single_vector("spin_angle", [spin_angle], 1)[0])
    return _function_joint(function, f"{first.name}-{second.name}", low, high, margins)


def point_on_surface(
    surface: Surface, rotation: str = "ball", height: float = 0.0
) -> FunctionJoint | Composite:
    """The origin of the moving frame stays on a surface, or at a height above it.

    Parameters
    ----------
    rotation
        ``"ball"``: in any way, by a rotation vector, five coordinates in all; ``"normal"``: about the normal,
        which is the z axis, three; ``"none"``: the frame keeps to that of the surface, two.
    height
        Along the normal, m. A sphere that glides on a surface is a point above it, by its radius, that turns
        as a ball: so it has no poles.

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
    """The origin of the moving frame stays on a curve.

    Parameters
    ----------
    rotation
        ``"ball"``: in any way, by a rotation vector, four coordinates in all; ``"tangent"``: the z axis keeps
        to the tangent, and the frame turns about it, two; ``"none"``: the frame keeps to that of the curve.
    reference_direction
        Direction ``(3,)`` to which the x axis of the curve's frame is nearest; z by default. The curve must
        not run along it, except for a ball.

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
    """Two curves cross at a point of each: rings that hang in each other, for thin wire.

    The coordinates are those of the points on both curves, with a rotation vector between them. It is
    singular where the curves are tangent to each other: then both points glide the same way.

    Raises InvalidArgument if ``first`` is no ``Curve`` or ``second`` is no ``Curve``.
    """
    arguments.require_instance("first", first, Curve)
    arguments.require_instance("second", second, Curve)
    return Composite(
        _translation_along(first), ExponentialSpherical(), _translation_along(second, inverse=True)
    )


def rolling_gear(radius: float, wheel_radius: float, *, internal: bool = False) -> FunctionJoint:
    """A gear wheel rolls around a gear at rest; both have their axes along z.

    The coordinate is the angle of the arm from one centre to the other.

    Parameters
    ----------
    radius, wheel_radius
        Pitch radii of the gear at rest and of the one that rolls, m.
    internal
        Whether it rolls inside a ring, as a planet wheel on its ring gear.

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
    """Translation to a point of the curve, or from there to the origin."""

    def function(q: Symbolic) -> PoseFactor:
        return np.eye(3), -curve.point(q[0]) if inverse else curve.point(q[0])

    return _function_joint(function, f"translation along {curve.name}", [curve.low], [curve.high])


def _surface_margins(
    places: Iterable[tuple[str, Surface, Symbolic, Symbolic]], *, rotates_about_normal: bool
) -> dict[str, Symbolic]:
    """What is zero where a frame is singular; and, if the body turns about the normal, where a chart is."""
    margins = {}
    for which, surface, u, v in places:
        fold = surface.fold_margin(u, v)
        if fold is not None:
            margins[f"a fold of its {which} surface, {surface.name}"] = fold
        if rotates_about_normal and surface.pole is not None:
            margins[f"a pole of its {which} surface, {surface.name}"] = surface.pole(u, v)
    return margins


def _round_zeros(R: Array) -> Array:
    """A rotation by right angles without rounding: zeros take no instructions."""
    return np.where(np.abs(R) < 1e-15, 0.0, R)
