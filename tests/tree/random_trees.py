"""Random trees of mixed joints, and the same trees as models of Pinocchio."""

import numpy as np
import pinocchio

from rbnotes import inertia, joints, se3
from rbnotes.tree import Link, Tree


def unit(rng):
    axis = rng.normal(size=3)
    return axis / np.linalg.norm(axis)


def frame(rng):
    return se3.exp(rng.normal(size=6))


def body(rng):
    """A spatial inertia of a body whose frame is nowhere special in it."""
    points, masses = rng.normal(size=(6, 3)), rng.uniform(0.2, 2.0, 6)
    com = masses @ points / masses.sum()
    arms = points - com
    J = np.einsum("p,pij->ij", masses, np.sum(arms**2, axis=1)[:, None, None] * np.eye(3)) - np.einsum(
        "p,pi,pj->ij", masses, arms, arms
    )
    return inertia.spatial_inertia(masses.sum(), J, com)


KINDS = {
    "revolute": lambda rng: joints.Revolute(unit(rng)),
    "prismatic": lambda rng: joints.Prismatic(unit(rng)),
    "translational": lambda rng: joints.Translational(),
    "universal": lambda rng: joints.Universal(),
    "cylindrical": lambda rng: joints.Cylindrical(),
    "fixed": lambda rng: joints.Fixed(),
}
"""Joints that Pinocchio knows, or has as several joints in a row."""

ALL = {
    **KINDS,
    "exponential": lambda rng: joints.ExponentialSpherical(),
    "Euler": lambda rng: joints.EulerSpherical("ZXY"),
    "quaternion": lambda rng: joints.QuaternionSpherical(),
    "free": lambda rng: joints.Free3D(),
    "free, rotation first": lambda rng: joints.Free3D(position_first=False),
    "plane": lambda rng: joints.Free2D(),
    "screw": lambda rng: joints.Helical(unit(rng), 0.3),
    "curve": lambda rng: joints.SplineCurve(se3.exp(0.6 * rng.normal(size=(5, 6)))),
    "surface": lambda rng: joints.SplineSurface(rng.normal(size=(4, 4, 6))),
    "offset": lambda rng: joints.Composite(
        joints.Revolute(unit(rng)), joints.Fixed(frame(rng)), joints.Prismatic(unit(rng))
    ),
}
"""Every type of the package."""


def random_tree(rng, links, kinds=tuple(KINDS), make=KINDS):
    """A tree with branches, joints and bodies at general places; sometimes several roots.

    Branches follow one after the other (depth first), as Pinocchio needs it.
    """
    made, branch = [], []
    for i in range(links):
        joint = make[kinds[rng.integers(len(kinds))] if i else kinds[0]](rng)
        branch = branch[: rng.integers(1, len(branch) + 1) if branch and rng.random() < 0.4 else len(branch)]
        branch = [] if rng.random() < 0.1 else branch
        parent = branch[-1] if branch else None
        made.append(Link(f"link {i}", joint, body(rng), parent, frame(rng), frame(rng)))
        branch = [*branch, f"link {i}"]
    return Tree(made, gravity=rng.normal(size=3))


def _parts(joint):
    return joint.parts if isinstance(joint, joints.Composite) else (joint,)


def _joint_model(part):
    twist = part.S(np.zeros(part.coordinates))
    if isinstance(part, joints.Revolute):
        return pinocchio.JointModelRevoluteUnaligned(twist[:3, 0])
    if isinstance(part, joints.Prismatic):
        return pinocchio.JointModelPrismaticUnaligned(twist[3:, 0])
    if isinstance(part, joints.ExponentialSpherical):
        return pinocchio.JointModelSpherical()
    assert isinstance(part, joints.Translational), part
    return pinocchio.JointModelTranslation()


def pinocchio_model(tree):
    """The same tree; a joint of several parts is several joints with nothing heavy in between."""
    model = pinocchio.Model()
    model.gravity.linear = tree.gravity
    numbers, offsets = [], []
    for i, link in enumerate(tree.links):
        parent = tree.parents[i]
        number = 0 if parent < 0 else numbers[parent]
        place = (np.eye(4) if parent < 0 else offsets[parent]) @ link.placement
        for j, part in enumerate(_parts(link.joint)):
            if isinstance(part, joints.Fixed):
                place = place @ part.pose
                continue
            at = pinocchio.SE3(place[:3, :3], place[:3, 3])
            number = model.addJoint(number, _joint_model(part), at, f"{link.name}, {j}")
            place = np.eye(4)
        numbers.append(number)
        offsets.append(place)  # of the link's joint frame in that of the last moving joint
        mass, J, com = inertia.from_spatial_inertia(link.inertia)
        where = place @ link.body
        own = pinocchio.Inertia(float(mass), com, J)
        model.appendBodyToJoint(number, own, pinocchio.SE3(where[:3, :3], where[:3, 3]))
    return model
