"""Example systems of Si & Guenter 5: chains of revolutes and of tori, a windmill, a slide and a board.

The paper gives the numbers of coordinates, the kinds of joints and control points. Sizes, masses, springs and
initial states are chosen here. Gravity points down the z axis.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from rbnotes import arguments, inertia
from rbnotes.arguments import Array
from rbnotes.dynamics import State
from rbnotes.joints import (
    JointType,
    Revolute,
    Universal,
    point_on_curve,
    point_on_surface,
    surface_on_surface,
)
from rbnotes.joints.general.curves import Curve, bezier_curve
from rbnotes.joints.general.surfaces import Surface, bezier_surface, ellipsoid, sphere, torus
from rbnotes.multibody.reduced.link import Link
from rbnotes.multibody.reduced.tree import Tree
from rbnotes.shapes import Box, Capsule, Shape, Sphere
from rbnotes.unchecked import se3

TORUS_RADIUS, TUBE_RADIUS = 0.1, 0.018
"""Radii of the tori, m."""
QUARTER_TURN, HALF_TURN = np.pi / 2, np.pi
Y_AXIS = (0.0, 1.0, 0.0)


@dataclass(frozen=True, eq=False)
class Example:
    """Tree with an initial state and the shapes of its bodies.

    Attributes
    ----------
    tree
        Its links and joints.
    initial_state
        Coordinates, rad and m, and velocities, rad/s and m/s, to start from.
    shapes
        Shape of each body, in its own frame, by the name of its link.
    track
        Curve or surface on which the first body slides.
    """

    tree: Tree
    initial_state: State
    shapes: Mapping[str, Shape | Surface]
    track: Curve | Surface | None = None


def revolute_chain(count: int = 20) -> Example:
    """Return RC20, RC50 or RC100: rods of 10 cm on revolute joints about y and x alternately; n coordinates.

    Raises
    ------
    InvalidArgument
        If ``count`` is below 1.
    """
    count = arguments.count("count", count, 1)
    length = 0.1
    rod = Capsule(0.1 * length, 0.8 * length)
    links = [
        Link(
            f"rod {i}",
            Revolute((1.0, 0.0, 0.0) if i % 2 else Y_AXIS),
            rod.spatial_inertia(mass=0.1),
            parent=f"rod {i - 1}" if i else None,
            placement=_translation(0, 0, -length if i else 0),
            body_frame=_translation(0, 0, -length / 2),
        )
        for i in range(count)
    ]
    tree = Tree(links)
    q = np.zeros(count)
    q[0], q[1:] = 0.5, 1.0 / count
    qdot = np.zeros(count)
    qdot[0] = 1.5
    return Example(tree, State(q=q, qdot=qdot), {link.name: rod for link in links})


def torus_chain(count: int = 10) -> Example:
    """Return TC10 or TC20: linked tori, the first on a universal joint; ``4 n - 2`` coordinates.

    Raises
    ------
    InvalidArgument
        If ``count`` is below 1.
    """
    count = arguments.count("count", count, 1)
    # The x axis of the joint points down, the torus hangs on its top.
    first = Link(
        "torus 0",
        Universal(),
        _torus_inertia(),
        placement=_rotation(Y_AXIS, QUARTER_TURN),
        body_frame=_translation(TORUS_RADIUS - TUBE_RADIUS, 0, 0),
    )
    tree = Tree([first, *_linked_tori(count, placement=first.body_frame)])
    q = tree.coordinates({"torus 0": [0.3, 0.6]}, default=tree.joint_parameter("spring_reference"))
    return Example(tree, State(q=q, qdot=np.zeros(tree.num_coordinates)), _tori(tree))


def sliding_chain(count: int = 6) -> Example:
    """Return a chain of tori whose first one slides along a Bezier curve; ``4 n - 2`` coordinates.

    Raises
    ------
    InvalidArgument
        If ``count`` is below 1.
    """
    count = arguments.count("count", count, 1)
    points = [[-1.2, -0.3, 0.7], [-0.9, 0.5, 0.0], [-0.5, 0.6, -0.5], [0, -0.9, 0.3], [0.5, 0.4, -0.5]]
    track = bezier_curve([*points, [0.9, 0.3, 0.1], [1.2, -0.2, 0.8]])
    first = Link("torus 0", point_on_curve(track, "tangent"), _torus_inertia())
    tree = Tree([first, *_linked_tori(count)])
    # Half a turn about the tangent: the x axis points down.
    q = tree.coordinates({"torus 0": [0.08, HALF_TURN]}, default=tree.joint_parameter("spring_reference"))
    return Example(tree, State(q=q, qdot=np.zeros(tree.num_coordinates)), _tori(tree), track)


def windmill() -> Example:
    """Return WM: a hub with six arms of three bodies, which slide against springs; 73 coordinates.

    The hub has a revolute joint. There are three joints of each kind: sphere-sphere, sphere-torus and
    torus-torus on every other arm, sphere-ellipsoid, ellipsoid-torus and torus-ellipsoid on the arms between.
    """
    ball, ring, egg = sphere(0.06), torus(0.06, 0.02), ellipsoid([0.08, 0.06, 0.05])
    weights = {
        ball.name: inertia.sphere(0.06),
        ring.name: inertia.torus(0.06, 0.02),
        egg.name: inertia.ellipsoid([0.08, 0.06, 0.05]),
    }
    hub = Sphere(0.12)
    joints = {pair: surface_on_surface(*pair, QUARTER_TURN) for pair in pairwise((ball, ball, ring, ring))}
    joints |= {pair: surface_on_surface(*pair, QUARTER_TURN) for pair in pairwise((ball, egg, ring, egg))}
    links = [Link("hub", Revolute(Y_AXIS), hub.spatial_inertia(mass=3.0))]
    shapes: dict[str, Shape | Surface] = {"hub": hub}
    for arm in range(6):
        kinds = (ball, ball, ring, ring) if arm % 2 else (ball, egg, ring, egg)
        # The first ball of each arm is part of the hub.
        placement = _rotation(Y_AXIS, arm * HALF_TURN / 3) @ _translation(0.18, 0, 0)
        parent = "hub"
        for i in range(3):
            first, second = kinds[i], kinds[i + 1]
            name = f"{second.name} {arm}.{i}"
            spatial = inertia.spatial_inertia(*inertia.with_mass(weights[second.name], 0.2))
            # The second body touches with its far side, at u = pi.
            spring_reference = [0.0, 0.0, HALF_TURN, 0.0]
            joint = joints[first, second]
            links.append(
                Link(
                    name, joint, spatial, parent, placement, stiffness=5.0, spring_reference=spring_reference
                )
            )
            shapes[name] = second
            placement, parent = np.eye(4), name
    tree = Tree(links)
    q = tree.joint_parameter("spring_reference")
    qdot = tree.coordinates({"hub": 4.0}, default=0.0)
    return Example(tree, State(q=q, qdot=qdot), shapes)


def board() -> Example:
    """Return a rider on a board that slides on a Bezier surface of 25 points; 13 coordinates."""
    x, y = np.meshgrid(np.linspace(-1, 1, 5), np.linspace(-1, 1, 5), indexing="ij")
    height = 0.6 * (x**2 + y**2) + 0.2 * np.sin(3 * x) * np.cos(2 * y)
    track = bezier_surface(np.stack([x, y, height], axis=-1))
    deck, trunk = Box([0.4, 0.12, 0.02]), Box([0.1, 0.14, 0.3])
    head, arm = Sphere(0.06), Capsule(0.025, 0.18)
    shapes: dict[str, Shape | Surface] = {"board": deck, "trunk": trunk, "head": head}
    above = _translation(0, 0, 0.15)
    links = [
        Link("board", point_on_surface(track, "normal", 0.01), deck.spatial_inertia(mass=1.0)),
        _limb("trunk", "board", Universal(), trunk, 4.0, (0, 0, 0.02), above, 25.0),
        _limb("head", "trunk", Universal(), head, 0.5, (0, 0, 0.3), _translation(0, 0, 0.08), 3.0),
    ]
    for name, side in (("left", 1.0), ("right", -1.0)):
        joint: JointType = Universal()
        for part in ("upper arm", "lower arm"):
            position = (0, side * 0.1, 0.26) if part == "upper arm" else (0, side * 0.24, 0)
            parent = "trunk" if part == "upper arm" else f"{name} upper arm"
            body_frame = _translation(0, side * 0.12, 0) @ _rotation((1.0, 0.0, 0.0), QUARTER_TURN)
            links.append(_limb(f"{name} {part}", parent, joint, arm, 0.3, position, body_frame, 1.0))
            shapes[f"{name} {part}"] = arm
            joint = Revolute((1.0, 0.0, 0.0))
    tree = Tree(links)
    q = tree.coordinates({"board": [0.12, 0.3, 0.5]})
    return Example(tree, State(q=q, qdot=np.zeros(tree.num_coordinates)), shapes, track)


def _linked_tori(count: int, placement: Array | None = None) -> list[Link]:
    """Return all tori except the first: each is linked with the previous one, at a right angle."""
    ring = torus(TORUS_RADIUS, TUBE_RADIUS)
    joint: JointType = surface_on_surface(ring, ring, QUARTER_TURN)
    return [
        Link(
            f"torus {i}",
            joint,
            _torus_inertia(),
            parent=f"torus {i - 1}",
            placement=placement if i == 1 else None,
            spring_reference=[0.0, HALF_TURN, HALF_TURN, HALF_TURN],
        )
        for i in range(1, count)
    ]


def _limb(
    name: str,
    parent: str,
    joint: JointType,
    shape: Shape,
    mass: float,
    position: tuple[float, float, float],
    body: Array,
    stiffness: float,
) -> Link:
    """Return the link of a limb at a position in the frame of its parent."""
    spatial_inertia = shape.spatial_inertia(mass=mass)
    return Link(name, joint, spatial_inertia, parent, _translation(*position), body, stiffness=stiffness)


def _tori(tree: Tree) -> dict[str, Shape | Surface]:
    return {link.name: torus(TORUS_RADIUS, TUBE_RADIUS) for link in tree.links}


def _torus_inertia() -> Array:
    return inertia.spatial_inertia(*inertia.with_mass(inertia.torus(TORUS_RADIUS, TUBE_RADIUS), 0.2))


def _translation(x: float, y: float, z: float) -> Array:
    return se3.exp(np.array([0.0, 0, 0, x, y, z]))


def _rotation(axis: tuple[float, float, float], angle: float) -> Array:
    return se3.exp(np.array([*(angle * np.array(axis)), 0.0, 0, 0]))
