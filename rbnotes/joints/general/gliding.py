"""Joints of bodies that glide along surfaces and curves, and of wheels that roll (Si & Guenter 1, 5).

Each is a function of its coordinates, a few lines long, that :class:`~rbnotes.joints.FunctionJoint`
differentiates. The surface or curve of the resting frame is called the first, that of the moving frame the
second one. What touches stays in touch; nothing keeps the rest of two bodies apart.

Where a body may turn about the normal of a sphere or an ellipsoid, longitude and latitude are singular at the
poles, and within 1e-6 of them all methods raise an error: lay the poles where the motion does not come.
Normals may point anywhere, also against each other. Where the relative curvature of two surfaces vanishes
(two tori that lie in each other), the *joint* is singular, whatever its coordinates:
:meth:`~rbnotes.joints.JointType.singularity` measures how near that is.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.joints.composite import Composite
from rbnotes.joints.general.curves import Curve
from rbnotes.joints.general.differentiate import Factor, Margins, Pose
from rbnotes.joints.general.functions import FunctionJoint
from rbnotes.joints.general.surfaces import Surface, about_z
from rbnotes.joints.general.symbols import Symbolic
from rbnotes.joints.simple import Z
from rbnotes.joints.spherical import ExponentialSpherical

FACING = np.diag([1.0, -1.0, -1.0])
"""Half a turn about x: where two surfaces touch, their normals are opposite."""


def surface_on_surface(first: Surface, second: Surface, spin: float | None = None) -> FunctionJoint:
    """Two surfaces touch at a point of each, with opposite normals.

    The coordinates are u and v on the first, u and v on the second one, and the angle about the normal from
    the x axis of the first frame to that of the second; without it if it is held.

    Parameters
    ----------
    spin
        The angle, rad, if it is held: four coordinates are left, as in Si & Guenter's chains.

    Raises
    ------
    InvalidArgument
        If the shape of ``spin`` does not fit.
    """

    arguments.instance("first", first, Surface)
    arguments.instance("second", second, Surface)

    def function(q: Symbolic) -> list[Factor]:
        meeting = (about_z(q[4]) if spin is None else _exactly(about_z(spin))) @ FACING
        back = [(R.T, -R.T @ t) for R, t in reversed(second.frame(q[2], q[3]))]
        return [*first.frame(q[0], q[1]), (meeting, np.zeros(3)), *back]

    def margins(q: Symbolic) -> dict[str, Symbolic]:
        places = ("first", first, q[0], q[1]), ("second", second, q[2], q[3])
        return _margins(places, turns=spin is None)

    low, high = [*first.low, *second.low], [*first.high, *second.high]
    if spin is None:
        low, high = [*low, -np.pi], [*high, np.pi]
    else:
        spin = float(arguments.one_vector("spin", [spin], 1)[0])
    return _joint(function, f"{first.name}-{second.name}", low, high, margins)


def point_on_surface(
    surface: Surface, turning: str = "ball", height: float = 0.0
) -> FunctionJoint | Composite:
    """The origin of the moving frame stays on a surface, or at a height above it.

    Parameters
    ----------
    turning
        ``"ball"``: in any way, by a rotation vector, five coordinates in all; ``"normal"``: about the normal,
        which is the z axis, three; ``"none"``: the frame keeps to that of the surface, two.
    height
        Along the normal, m. A sphere that glides on a surface is a point above it, by its radius, that turns
        as a ball: so it has no poles.

    Raises
    ------
    InvalidArgument
        If ``turning`` is not one of the names or the shape of ``height`` does not fit.
    """
    arguments.instance("surface", surface, Surface)
    arguments.choice("turning", turning, ("ball", "normal", "none"))
    height = float(arguments.one_vector("height", [height], 1)[0])

    def function(q: Symbolic) -> list[Factor]:
        factors = surface.frame(q[0], q[1])
        if turning == "normal":
            factors = [*factors, (about_z(q[2]), np.zeros(3))]
        factors = [*factors, (np.eye(3), np.array([0, 0, height]))]
        if turning == "ball":
            backwards = [(R.T, np.zeros(3)) for R, _ in reversed(factors)]
            factors = [*factors, *backwards]
        return factors

    def margins(q: Symbolic) -> dict[str, Symbolic]:
        return _margins([("only", surface, q[0], q[1])], turns=turning != "none")

    low, high = list(surface.low), list(surface.high)
    if turning == "normal":
        low, high = [*low, -np.pi], [*high, np.pi]
    joint = _joint(function, f"point on {surface.name}", low, high, margins)
    return Composite(joint, ExponentialSpherical()) if turning == "ball" else joint


def point_on_curve(curve: Curve, turning: str = "ball", across: ArrayLike = Z) -> FunctionJoint | Composite:
    """The origin of the moving frame stays on a curve.

    Parameters
    ----------
    turning
        ``"ball"``: in any way, by a rotation vector, four coordinates in all; ``"tangent"``: the z axis keeps
        to the tangent, and the frame turns about it, two; ``"none"``: the frame keeps to that of the curve.
    across
        Direction ``(3,)`` to which the x axis of the curve's frame is nearest; z by default. The curve must
        not run along it, except for a ball.

    Raises
    ------
    InvalidArgument
        If ``turning`` is not one of the names or ``across`` is not of unit length.
    """
    arguments.instance("curve", curve, Curve)
    arguments.choice("turning", turning, ("ball", "tangent", "none"))
    across = arguments.exactly("across", arguments.unit_vector("across", across), 1)
    if turning == "ball":
        return Composite(_carried(curve), ExponentialSpherical())

    def function(q: Symbolic) -> list[Factor]:
        turned = [(about_z(q[1]), np.zeros(3))] if turning == "tangent" else []
        return [curve._frame(q[0], across), *turned]

    def margins(q: Symbolic) -> dict[str, Symbolic]:
        return {f"a tangent of its {curve.name} along {across.tolist()}": curve._fold(q[0], across)}

    low, high = [curve.low], [curve.high]
    if turning == "tangent":
        low, high = [*low, -np.pi], [*high, np.pi]
    return _joint(function, f"point on {curve.name}", low, high, margins)


def curve_on_curve(first: Curve, second: Curve) -> Composite:
    """Two curves cross at a point of each: rings that hang in each other, for thin wire.

    The coordinates are those of the points on both curves, with a rotation vector between them. It is
    singular where the curves are tangent to each other: then both points glide the same way.

    Raises InvalidArgument if ``first`` is no ``Curve`` or ``second`` is no ``Curve``.
    """
    arguments.instance("first", first, Curve)
    arguments.instance("second", second, Curve)
    return Composite(_carried(first), ExponentialSpherical(), _carried(second, back=True))


def rolling_gear(radius: float, wheel: float, *, inside: bool = False) -> FunctionJoint:
    """A gear wheel rolls around a gear at rest; both have their axes along z.

    The coordinate is the angle of the arm from one centre to the other.

    Parameters
    ----------
    radius, wheel
        Pitch radii of the gear at rest and of the one that rolls, m.
    inside
        Whether it rolls inside a ring, as a planet wheel on its ring gear.

    Raises
    ------
    InvalidArgument
        If ``radius`` or ``wheel`` is not positive.
    """
    radius, wheel = arguments.number("radius", radius), arguments.number("wheel", wheel)
    if inside and wheel >= radius:
        raise InvalidArgument("wheel", f"{wheel:g}", f"a wheel smaller than its ring, {radius:g}")
    signed = -wheel if inside else wheel

    def function(q: Symbolic) -> list[Factor]:
        along = np.array([radius + signed, 0, 0])
        return [(about_z(q[0]), np.zeros(3)), (about_z(q[0] * radius / signed), along)]

    return _joint(function, "rolling gear", [-np.pi], [np.pi])


def _joint(
    function: Pose, name: str, low: list[float], high: list[float], margins: Margins | None = None
) -> FunctionJoint:
    middle = (np.array(low) + np.array(high)) / 2
    return FunctionJoint(function, len(low), name=name, home=middle, low=low, high=high, margins=margins)


def _carried(curve: Curve, *, back: bool = False) -> FunctionJoint:
    """Translation to a point of the curve, or from there to the origin."""

    def function(q: Symbolic) -> Factor:
        return np.eye(3), -curve.point(q[0]) if back else curve.point(q[0])

    return _joint(function, f"translation along {curve.name}", [curve.low], [curve.high])


def _margins(
    places: Iterable[tuple[str, Surface, Symbolic, Symbolic]], *, turns: bool
) -> dict[str, Symbolic]:
    """What is zero where a frame is singular; and, if the body turns about the normal, where a chart is."""
    found = {}
    for which, surface, u, v in places:
        fold = surface.fold(u, v)
        if fold is not None:
            found[f"a fold of its {which} surface, {surface.name}"] = fold
        if turns and surface.pole is not None:
            found[f"a pole of its {which} surface, {surface.name}"] = surface.pole(u, v)
    return found


def _exactly(R: Array) -> Array:
    """A rotation by right angles without rounding: zeros take no instructions."""
    return np.where(np.abs(R) < 1e-15, 0.0, R)
