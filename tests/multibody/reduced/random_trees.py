"""Random trees of mixed joints, and the same trees as models of Pinocchio and MuJoCo."""

from typing import NamedTuple

import mujoco
import numpy as np
import pinocchio

from rbnotes import inertia, joints, quaternion, se3
from rbnotes.multibody.formats import to_mjcf
from rbnotes.multibody.reduced import Link, Tree


def unit(rng):
    axis = rng.normal(size=3)
    return axis / np.linalg.norm(axis)


def frame(rng):
    return se3.exp(rng.normal(size=6))


def body(rng):
    """Return the spatial inertia of a body with a general frame."""
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
WITH_BALLS = {
    **KINDS,
    "ball": lambda rng: joints.ExponentialSpherical(),
    "quaternion": lambda rng: joints.QuaternionSpherical(),
}
"""Joints that Pinocchio has, in its own coordinates if they differ."""

MUJOCO_KINDS = {
    "ball": lambda rng: joints.ExponentialSpherical(),
    "free": lambda rng: joints.Free3D(),
    **KINDS,
    "euler": lambda rng: joints.EulerSpherical("YXZ"),
    "planar": lambda rng: joints.Free2D(),
    "offset": lambda rng: joints.Composite(
        joints.Revolute(unit(rng)),
        joints.Fixed(frame(rng)),
        joints.Prismatic(unit(rng)),
        joints.Fixed(frame(rng)),
    ),
}
"""Joints that MuJoCo knows, or has as several joints of one body."""


def random_tree(rng, links, kinds=tuple(KINDS), make=KINDS):
    """Return a tree with branches, joints and bodies at general places; sometimes several roots.

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
    twist = part.motion_subspace(part.neutral)
    if isinstance(part, joints.Revolute):
        return pinocchio.JointModelRevoluteUnaligned(twist[:3, 0])
    if isinstance(part, joints.Prismatic):
        return pinocchio.JointModelPrismaticUnaligned(twist[3:, 0])
    if isinstance(part, joints.ExponentialSpherical | joints.QuaternionSpherical):
        return pinocchio.JointModelSpherical()
    assert isinstance(part, joints.Translational), part
    return pinocchio.JointModelTranslation()


def pinocchio_model(tree):
    """Return the same tree; a joint of several parts is several joints with nothing heavy in between."""
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
            placement = pinocchio.SE3(place[:3, :3], place[:3, 3])
            number = model.addJoint(number, _joint_model(part), placement, f"{link.name}, {j}")
            place = np.eye(4)
        numbers.append(number)
        offsets.append(place)  # of the link's joint frame in that of the last moving joint
        mass, J, com = inertia.from_spatial_inertia(link.inertia)
        where = place @ link.body_frame
        own = pinocchio.Inertia(float(mass), com, J)
        model.appendBodyToJoint(number, own, pinocchio.SE3(where[:3, :3], where[:3, 3]))
    return model


class PinocchioRates(NamedTuple):
    """A state in Pinocchio's coordinates, where balls have quaternions and angular velocities.

    Attributes
    ----------
    q
        Coordinates of Pinocchio.
    B
        Velocities of Pinocchio from those of the tree ``(nv, k)``.
    dB
        Its derivatives with respect to the coordinates ``(nv, k, k)``, along the last axis.
    slope
        Derivative ``(nv, k)`` of Bdot qdot with respect to the coordinates.
    """

    q: np.ndarray
    B: np.ndarray
    dB: np.ndarray
    slope: np.ndarray


def pinocchio_rates(tree, q, qdot):
    balls = [
        isinstance(link.joint, joints.ExponentialSpherical | joints.QuaternionSpherical)
        for link in tree.links
    ]
    widths = [3 if ball else link.joint.num_coordinates for ball, link in zip(balls, tree.links, strict=True)]
    k, n = tree.num_coordinates, sum(widths)
    theirs, B, dB, slope = [], np.zeros((n, k)), np.zeros((n, k, k)), np.zeros((n, k))
    for i, (link, own) in enumerate(zip(tree.links, tree.coordinate_slices, strict=True)):
        rows, own_q = slice(sum(widths[:i]), sum(widths[: i + 1])), q[own]
        if balls[i]:
            B[rows, own], dB[rows, own, own] = (
                link.joint.motion_subspace(own_q)[:3],
                link.joint.motion_subspace_derivative(own_q)[:3],
            )
            slope[rows, own] = link.joint.bias_acceleration_derivative(own_q, qdot[own])[:3]
            theirs.extend(np.roll(quaternion.from_rotation(link.joint.transform(own_q)[:3, :3]), -1))
        else:
            B[rows, own] = np.eye(widths[i])
            theirs.extend(own_q)
    return PinocchioRates(np.array(theirs), B, dB, slope)


class MujocoState(NamedTuple):
    """A state in MuJoCo's coordinates, where balls have quaternions and angular velocities.

    Attributes
    ----------
    qpos, qvel
        Coordinates and velocities of MuJoCo.
    T
        Velocities of MuJoCo from those of the tree ``(nv, k)``.
    drift
        Tdot qdot ``(nv,)``.
    """

    qpos: np.ndarray
    qvel: np.ndarray
    T: np.ndarray
    drift: np.ndarray


def mujoco_model(tree):
    return mujoco.MjModel.from_xml_string(to_mjcf(tree))


def _elements(joint):
    """Return the parts of a joint that move, those of composites of composites too."""
    if isinstance(joint, joints.Composite):
        return [part for each in joint.parts for part in _elements(each)]
    return [] if isinstance(joint, joints.Fixed) else [joint]


def mujoco_state(tree, model, q, qdot):
    qpos, T, drift = np.zeros(model.nq), np.zeros((model.nv, tree.num_coordinates)), np.zeros(model.nv)
    for link, own in zip(tree.links, tree.coordinate_slices, strict=True):
        names = [name for name in map(lambda i: model.joint(i).name, range(model.njnt))]
        names = [name for name in names if name == link.name or name.startswith(f"{link.name} ")]
        free = model.joint(names[0]).type == mujoco.mjtJoint.mjJNT_FREE if names else False
        offset, each = own.start, 0
        for part in _elements(link.joint):
            columns = slice(offset, offset + part.num_coordinates)
            own_q, own_v = q[columns], qdot[columns]
            ball = isinstance(part, joints.ExponentialSpherical)
            if free:
                joint = model.joint(names[0])
                start, first = joint.qposadr[0], joint.dofadr[0]
            elif ball:
                joint = model.joint(names[each])
                start, first, each = joint.qposadr[0], joint.dofadr[0], each + 1
            if ball:
                start, first = (start + 3, first + 3) if free else (start, first)
                R = part.transform(own_q)[:3, :3]
                R = link.placement[:3, :3] @ R if free else R
                qpos[start : start + 4] = quaternion.from_rotation(R)
                T[first : first + 3, columns] = part.motion_subspace(own_q)[:3]
                drift[first : first + 3] = part.motion_subspace_rate(own_q, own_v)[:3] @ own_v
            elif free:
                qpos[start : start + 3] = link.placement[:3, :3] @ own_q + link.placement[:3, 3]
                T[first : first + 3, columns] = link.placement[:3, :3]
            else:
                for n in range(part.num_coordinates):
                    joint = model.joint(names[each])
                    qpos[joint.qposadr[0]] = own_q[n]
                    T[joint.dofadr[0], offset + n] = 1
                    each += 1
            offset += part.num_coordinates
    return MujocoState(qpos, T @ qdot, T, drift)
