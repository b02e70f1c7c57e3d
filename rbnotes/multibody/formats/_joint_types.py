"""Composition of joints from simple ones, for the writers."""

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
from rbnotes.multibody.formats.robot import Robot
from rbnotes.multibody.reduced.tree import Tree

SPHERICAL_JOINTS = (ExponentialSpherical, QuaternionSpherical)
"""Joints that allow every rotation, about their own axes."""


def as_robot(robot: Robot | Tree) -> Robot:
    return Robot(robot) if isinstance(robot, Tree) else robot


def elementary_joints(joint: JointType) -> Iterator[JointType]:
    """Return the elementary joints of a joint; composites are expanded."""
    if isinstance(joint, Composite):
        for part in joint.parts:
            yield from elementary_joints(part)
    else:
        yield joint


def is_planar_joint(joint: JointType) -> bool:
    """Return True if a joint allows every motion in its xy plane, and nothing else."""
    if not isinstance(joint, Composite):
        return False
    return sorted(joint.parts, key=_is_rotational) == [PlanarTranslation(), Revolute()]


def is_free_joint(joint: JointType) -> bool:
    """Return True if a joint consists of a free translation and a free rotation."""
    if not isinstance(joint, Composite) or len(joint.parts) != 2:
        return False
    first, second = sorted(joint.parts, key=_is_rotational)
    return isinstance(first, Translational) and isinstance(second, (*SPHERICAL_JOINTS, EulerSpherical))


def _is_rotational(joint: JointType) -> bool:
    return isinstance(joint, (Revolute, *SPHERICAL_JOINTS, EulerSpherical))
