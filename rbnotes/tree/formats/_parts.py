"""What writers ask of joints: of which simple ones they are made."""

from __future__ import annotations

from collections.abc import Iterator

from rbnotes.joints import (
    Composite,
    EulerSpherical,
    ExponentialSpherical,
    JointType,
    PlanarTranslation,
    QuaternionSpherical,
    Revolute,
    Translational,
)
from rbnotes.tree.formats.robot import Robot
from rbnotes.tree.model import Tree

BALLS = (ExponentialSpherical, QuaternionSpherical)
"""Joints that turn any way, about their own axes."""


def as_robot(robot: Robot | Tree) -> Robot:
    return Robot(robot) if isinstance(robot, Tree) else robot


def parts(joint: JointType) -> Iterator[JointType]:
    """The joints that a joint is made of, composites taken apart."""
    if isinstance(joint, Composite):
        for part in joint.parts:
            yield from parts(part)
    else:
        yield joint


def moves_in_a_plane(joint: JointType) -> bool:
    """Whether a joint allows any motion in its xy plane, and nothing else."""
    if not isinstance(joint, Composite):
        return False
    return sorted(joint.parts, key=_is_turning) == [PlanarTranslation(), Revolute()]


def moves_anywhere(joint: JointType) -> bool:
    """Whether a joint is a translation and a rotation, both of them any."""
    if not isinstance(joint, Composite) or len(joint.parts) != 2:
        return False
    first, second = sorted(joint.parts, key=_is_turning)
    return isinstance(first, Translational) and isinstance(second, (*BALLS, EulerSpherical))


def _is_turning(joint: JointType) -> bool:
    return isinstance(joint, (Revolute, *BALLS, EulerSpherical))
