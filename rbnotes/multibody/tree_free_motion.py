"""Motion of a tree without forces, as between the impulses of a step in joint coordinates.

A link alone on a free or spherical joint moves as a free body does: its center of mass, or its fixed point,
moves uniformly, and its rotation solves Euler's equations, to rounding
(:mod:`rbnotes.dynamics.free_rotation`). The other links solve ``M dqdot/dt = -c(q, qdot)`` by one Runge-Kutta
step of order four, after which the velocities are scaled so that the kinetic energy is conserved exactly, as
in the exact motion.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rbnotes.arguments import Array, IntArray
from rbnotes.dynamics.free_rotation import integrate_free_rotation
from rbnotes.joints import ExponentialSpherical, Free3D, JointType
from rbnotes.multibody.reduced.dynamics import (
    generalized_body_force,
    kinetic_energy_from_twists,
    mass_matrix_from_jacobian,
    rotor_energy_from_rates,
    solve_accelerations,
)
from rbnotes.multibody.reduced.kinematics import body_kinematics_unchecked, twists_unchecked
from rbnotes.multibody.reduced.tree import Tree
from rbnotes.unchecked import se3, so3
from rbnotes.unchecked.linear_algebra import cross, matvec
from rbnotes.unchecked.spatial_inertia import transform_inertia

MIN_INERTIA_RATIO = 1e-12
"""Smallest ratio of the principal moments of inertia of a link that moves as a free body."""


@dataclass(frozen=True, eq=False)
class SingleLinks:
    """Links alone on free or spherical joints, with mass properties in the frames of their joints.

    Attributes
    ----------
    joints
        Joints of the n links.
    coordinates
        Indices of their coordinates ``(n, 6)`` or ``(n, 3)``, for each joint.
    inertias
        Inertias about the points that move uniformly ``(n, 3, 3)``, kg m^2.
    centers
        Points that move uniformly ``(n, 3)``: the centers of mass, or the fixed points at zero, m.
    """

    joints: tuple[JointType, ...]
    coordinates: tuple[IntArray, ...]
    inertias: Array
    centers: Array

    def advance(self, q: Array, qdot: Array, h: float, end_q: Array, end_qdot: Array) -> None:
        """Write the coordinates and velocities after the time h."""
        parts = list(zip(self.joints, self.coordinates, strict=True))
        poses = np.array([joint.compute_transform(q[own]) for joint, own in parts])
        twists = np.array([joint.compute_motion_subspace(q[own]) @ qdot[own] for joint, own in parts])
        R, omega = poses[:, :3, :3], twists[:, :3]
        velocity = matvec(R, twists[:, 3:] + cross(omega, self.centers))
        place = se3.transform_points(poses, self.centers) + h * velocity
        rotation, omega = integrate_free_rotation(self.inertias, omega, h)
        R = R @ rotation
        poses = se3.frame(R, place - matvec(R, self.centers))
        twists = np.concatenate([omega, matvec(R.mT, velocity) - cross(omega, self.centers)], axis=1)
        for (joint, own), pose, twist in zip(parts, poses, twists, strict=True):
            end_q[own] = joint.compute_nearest_coordinates(pose)
            rotation_vector = own[_rotation_slice(joint)]
            end_q[rotation_vector] = _continue_rotation(end_q[rotation_vector], q[rotation_vector])
            end_qdot[own] = np.linalg.lstsq(joint.compute_motion_subspace(end_q[own]), twist)[0]


@dataclass(frozen=True, eq=False)
class FreeMotion:
    """Motion of a tree without gravity, springs and dampers.

    Attributes
    ----------
    single
        Links that move as free bodies.
    tree
        The other links.
    coordinates
        Indices of their coordinates ``(k,)``.
    armature
        Inertias of their rotors ``(k,)``, kg m^2 or kg.
    """

    single: SingleLinks
    tree: Tree
    coordinates: IntArray
    armature: Array

    @classmethod
    def of_tree(cls, tree: Tree, armature: Array) -> FreeMotion:
        """Return the motion of a tree with rotors of these inertias ``(k,)``."""
        indices = np.arange(tree.num_coordinates)
        joints, coordinates, others, inertias, centers = [], [], [], [], []
        for i, (link, own) in enumerate(zip(tree.links, tree.coordinate_slices, strict=True)):
            inertia, center = _inertia_about_uniform_point(tree, i)
            moments = np.linalg.eigvalsh(inertia)
            if (
                type(link.joint) in (Free3D, ExponentialSpherical)
                and link.parent is None
                and not tree.children[i]
                and not np.any(armature[own])
                and moments[0] > MIN_INERTIA_RATIO * moments[-1]
            ):
                joints.append(link.joint)
                coordinates.append(indices[own])
                inertias.append(inertia)
                centers.append(center)
            else:
                others.append(i)
        slices = [tree.coordinate_slices[i] for i in others]
        kept = np.concatenate([indices[:0], *(indices[own] for own in slices)])
        single = SingleLinks(
            tuple(joints),
            tuple(coordinates),
            np.array(inertias).reshape(-1, 3, 3),
            np.array(centers).reshape(-1, 3),
        )
        rest = Tree([tree.links[i] for i in others], gravity=np.zeros(3))
        return cls(single, rest, kept, armature[kept])

    def advance(self, q: Array, qdot: Array, h: float) -> tuple[Array, Array]:
        """Return coordinates and velocities ``(k,)`` after the time h."""
        end_q, end_qdot = q.copy(), qdot.copy()
        if self.single.joints:
            self.single.advance(q, qdot, h, end_q, end_qdot)
        own = self.coordinates
        if len(own):
            end_q[own], end_qdot[own] = self._integrate(q[own], qdot[own], h)
        return end_q, end_qdot

    def _integrate(self, q: Array, qdot: Array, h: float) -> tuple[Array, Array]:
        """Return coordinates and velocities of the other links after the time h."""

        def acceleration(q: Array, qdot: Array) -> Array:
            kinematics = body_kinematics_unchecked(self.tree, q, qdot)
            force = generalized_body_force(self.tree, kinematics, np.zeros(()))
            mass = mass_matrix_from_jacobian(self.tree, q, kinematics.J) + np.diag(self.armature)
            return solve_accelerations(self.tree, q, qdot, mass, force)

        def energy(q: Array, qdot: Array) -> float:
            twists = twists_unchecked(self.tree, q, qdot)
            rotors = rotor_energy_from_rates(self.armature, qdot)
            return float(kinetic_energy_from_twists(self.tree, twists) + rotors)

        v1, a1 = qdot, acceleration(q, qdot)
        v2, a2 = qdot + h / 2 * a1, acceleration(q + h / 2 * v1, qdot + h / 2 * a1)
        v3, a3 = qdot + h / 2 * a2, acceleration(q + h / 2 * v2, qdot + h / 2 * a2)
        v4, a4 = qdot + h * a3, acceleration(q + h * v3, qdot + h * a3)
        end_q = q + h / 6 * (v1 + 2 * v2 + 2 * v3 + v4)
        end_qdot = qdot + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
        start_energy, end_energy = energy(q, qdot), energy(end_q, end_qdot)
        if end_energy > 0:
            end_qdot = end_qdot * np.sqrt(start_energy / end_energy)
        return end_q, end_qdot


def _rotation_slice(joint: JointType) -> slice:
    """Return the place of the rotation vector among the coordinates of a free or spherical joint."""
    comes_last = isinstance(joint, Free3D) and isinstance(joint.parts[1], ExponentialSpherical)
    return slice(3, 6) if comes_last else slice(0, 3)


def _continue_rotation(vector: Array, previous: Array) -> Array:
    """Return the rotation vector ``(3,)`` of the same rotation that is nearest to the previous one."""
    length = float(np.linalg.norm(vector))
    if not length:
        return vector
    turns = np.round((vector @ previous / length - length) / (2 * np.pi))
    return vector * (1 + 2 * np.pi * turns / length)


def _inertia_about_uniform_point(tree: Tree, i: int) -> tuple[Array, Array]:
    """Return the rotational inertia ``(3, 3)`` of a link about the point that moves uniformly, and the point.

    The point ``(3,)`` is the center of mass of a free link, or the center of a spherical joint. Both results
    are in the joint frame.
    """
    M = transform_inertia(tree.body_frames[i], tree.inertias[i])
    if not isinstance(tree.links[i].joint, Free3D):
        return M[:3, :3], np.zeros(3)
    mass = M[5, 5]
    center = so3.vee(M[:3, 3:]) / (mass or 1.0)
    C = so3.hat(center)
    return M[:3, :3] + mass * C @ C, center
