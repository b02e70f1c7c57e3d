"""Scenes with known motion: in closed form, from statics, or from experiments."""

from __future__ import annotations

import numpy as np

from rbnotes import se3, so3
from rbnotes.contact import Collider
from rbnotes.dynamics import WORLD, State
from rbnotes.inertia import spatial_inertia
from rbnotes.joints import Prismatic, Revolute
from rbnotes.multibody.maximal import MaximalModel, joint_from_world_frame, project
from rbnotes.shapes import Box, Capsule, Plane, Sphere

GRAVITY = 9.81
DENSITY = 500.0


def pose_at(x, y, z, *rotation):
    return se3.frame(so3.exp(rotation or (0.0, 0.0, 0.0)), [x, y, z])


def block_on_a_slope(angle, mu, heading=0.0, rotation_angle=0.7, sides=(0.4, 0.3, 0.1)):
    """Return world, state and plane frame of a box on a plane with slope ``angle`` along a heading."""
    plane = so3.exp([0, 0, heading]) @ so3.exp([0, angle, 0])
    box = Box(sides)
    pose = se3.frame(plane @ so3.exp([0, 0, rotation_angle]), plane @ [0, 0, sides[2] / 2])
    floor = Collider(WORLD, Plane(), se3.frame(plane, np.zeros(3)), mu=mu)
    return (
        MaximalModel(box.spatial_inertia(density=DENSITY)[None], colliders=[floor, Collider(0, box, mu=mu)]),
        State(pose[None]),
        plane,
    )


def ladder(angle, ratio, length=3.0, thickness=0.02):
    """Return a rod against a smooth wall, with ``ratio`` times the friction that statics requires.

    The moment of the weight about the foot balances the force of the wall, which the friction at the foot
    must equal: cot(angle) / 2 times the weight, and a little less for the round ends.
    """
    mu = ratio * length / 2 * np.cos(angle) / (length * np.sin(angle) + thickness / 2)
    rod = Capsule(thickness / 2, length)
    center = [-length / 2 * np.cos(angle), 0, length / 2 * np.sin(angle) + thickness / 2]
    pose = se3.frame(so3.exp([0, np.pi / 2 - angle, 0]), center)
    floor = Collider(WORLD, Plane(), mu=mu)
    wall = Collider(WORLD, Plane(), se3.frame(so3.exp([0, -np.pi / 2, 0]), [thickness / 2, 0, 0]), mu=0.0)
    return MaximalModel(
        rod.spatial_inertia(density=DENSITY)[None], colliders=[floor, wall, Collider(0, rod, mu=mu)]
    ), State(pose[None])


def tower(count, side=0.2, mu=0.5, densities=DENSITY):
    """Return cubes on top of each other."""
    boxes = [Box([side] * 3)] * count
    densities = np.broadcast_to(densities, count)
    inertias = np.stack([each.spatial_inertia(density=d) for each, d in zip(boxes, densities, strict=True)])
    poses = np.stack([pose_at(0, 0, side * (k + 0.5)) for k in range(count)])
    colliders = [Collider(WORLD, Plane(), mu=mu)] + [Collider(i, each, mu=mu) for i, each in enumerate(boxes)]
    return MaximalModel(inertias, colliders=colliders), State(poses)


def trilithon(mu=0.5):
    """Return two uprights and a lintel, like those of Stonehenge."""
    upright, lintel = Box([0.3, 0.4, 1.2]), Box([1.6, 0.4, 0.3])
    boxes = [upright, upright, lintel]
    inertias = np.stack([each.spatial_inertia(density=DENSITY) for each in boxes])
    poses = np.stack([pose_at(-0.5, 0, 0.6), pose_at(0.5, 0, 0.6), pose_at(0, 0, 1.35)])
    colliders = [Collider(WORLD, Plane(), mu=mu)] + [Collider(i, each, mu=mu) for i, each in enumerate(boxes)]
    return MaximalModel(inertias, colliders=colliders), State(poses)


def arch(ratio, count=7, mu=0.8, radius=1.0, depth=0.4):
    """Return a semicircular arch of wedges, ``ratio`` of its thickness to its mean radius.

    A wedge touches its neighbors with two plates, thin boxes whose outer faces are its own. Its inertia is
    that of the wedge: a sector of a ring.
    """
    t, half = ratio * radius, np.pi / count / 2
    inner, outer = radius - t / 2, radius + t / 2
    area = half * (outer**2 - inner**2)
    center = 2 / 3 * (outer**3 - inner**3) / (outer**2 - inner**2) * np.sin(half) / half
    mass = DENSITY * area * depth
    about_origin = mass * (outer**2 + inner**2) / 2
    # Second moments of the sector about its axis of symmetry and across, by integration over the angle.
    radial = (outer**4 - inner**4) / 4 * DENSITY * depth
    along = radial * (half + np.sin(2 * half) / 2)  # of r^2 cos^2
    across = radial * (half - np.sin(2 * half) / 2)
    along -= mass * center**2
    width = mass * depth**2 / 12
    inertia = np.zeros((6, 6))
    # Body frame: x across, y along the arch's axis, z outwards along the axis of symmetry.
    inertia[:3, :3] = np.diag([along + width, along + across, across + width])
    inertia[3:, 3:] = mass * np.eye(3)
    assert np.isclose(along + across + mass * center**2, about_origin)
    thin = 0.2 * t
    plates = []
    for side in (-1, 1):
        turn = se3.frame(so3.exp([0, side * half, 0]), np.zeros(3))
        plates.append(pose_at(0, 0, -center) @ turn @ pose_at(-side * thin / 2, 0, radius))
    plate = Box([thin, depth, t])
    poses, colliders = [], [Collider(WORLD, Plane(), mu=mu)]
    for k in range(count):
        angle = -np.pi / 2 + (2 * k + 1) * half
        poses.append(se3.frame(so3.exp([0, angle, 0]), np.zeros(3)) @ pose_at(0, 0, center))
        colliders += [Collider(k, plate, frame, mu=mu) for frame in plates]
    return MaximalModel(np.stack([inertia] * count), colliders=colliders), State(np.stack(poses))


def dominoes(count=20, gap=0.03, mu=0.2, push=3.0):
    """Return boxes of 1 by 4 by 8 cm in a row, the first of which rotates about its lower edge."""
    piece = Box([0.01, 0.04, 0.08])
    inertias = np.stack([piece.spatial_inertia(density=1000.0)] * count)
    poses = np.stack([pose_at(k * gap, 0, 0.04) for k in range(count)])
    twists = np.zeros((count, 6))
    twists[0] = [0, push, 0, 0.04 * push, 0, 0.005 * push]
    colliders = [Collider(WORLD, Plane(), mu=0.6)] + [Collider(i, piece, mu=mu) for i in range(count)]
    return MaximalModel(inertias, colliders=colliders), State(poses, twists)


def bouncing_ball():
    """Return the bouncing ball of the examples of Siconos: 1 m above the floor, restitution 0.9."""
    ball, surface = Sphere(0.1), {"mu": 0.0, "restitution": 0.9}
    colliders = [Collider(WORLD, Plane(), **surface), Collider(0, ball, **surface)]
    return MaximalModel(ball.spatial_inertia(mass=1.0)[None], colliders=colliders), State(
        pose_at(0, 0, 1.1)[None]
    )


SICONOS_BALL = {0.455: (5.6338750e-3, 3.97305), 0.7: (0.6846085, 1.5696)}
"""Gap and velocity after so many seconds, as BouncingBallTS.ref of Siconos has them (h = 5 ms)."""


def a_frame(angle, ratio, yaw=0.0, apart=0.0, length=1.0, thickness=0.05):
    """Return two planks that lean on each other, with ``ratio`` times the friction that statics requires.

    By symmetry their mutual force is horizontal; its moment about the edge on the floor balances the weight.
    One of them may be rotated by a yaw angle, and the edges may be apart.
    """
    plank = Box([thickness, 0.3, length])
    tilt = np.pi / 2 - angle
    corners = np.array([[x, z] for x in (-1, 1) for z in (-1, 1)]) * [thickness / 2, length / 2]
    c, s = np.cos(tilt), np.sin(tilt)
    placed = np.stack([c * corners[:, 0] + s * corners[:, 1], -s * corners[:, 0] + c * corners[:, 1]], axis=1)
    lowest, foremost = placed[np.argmin(placed[:, 1])], placed[np.argmax(placed[:, 0])]
    mu = ratio * -lowest[0] / (foremost[1] - lowest[1])
    x, z = foremost[0] + apart / 2, -lowest[1]
    poses = np.stack(
        [pose_at(-x, 0, z, 0, tilt, 0), pose_at(x, 0, z, 0, 0, yaw) @ pose_at(0, 0, 0, 0, -tilt, 0)]
    )
    inertias = np.stack([plank.spatial_inertia(density=DENSITY)] * 2)
    colliders = [Collider(WORLD, Plane(), mu=mu)] + [Collider(i, plank, mu=mu) for i in range(2)]
    return MaximalModel(inertias, colliders=colliders), State(poses)


def hung_cradle(count, angle, restitution=1.0, radius=0.1, length=1.0):
    """Return balls on rods without mass that hang side by side and touch, the first lifted by ``angle``."""
    ball = Sphere(radius)
    inertias = np.stack([ball.spatial_inertia(mass=1.0)] * count)
    hooks = [np.array([2 * radius * k, 0, length]) for k in range(count)]
    poses = np.stack([pose_at(2 * radius * k, 0, 0) for k in range(count)])
    lifted = so3.exp([0, angle, 0])
    poses[0] = se3.frame(lifted, hooks[0] - length * lifted[:, 2])
    axis = so3.exp([-np.pi / 2, 0, 0])
    joints = [
        joint_from_world_frame(Revolute(), se3.frame(axis, hook), poses, k) for k, hook in enumerate(hooks)
    ]
    colliders = [Collider(i, ball, mu=0.0, restitution=restitution) for i in range(count)]
    return MaximalModel(inertias, joints, colliders=colliders), State(poses)


def cradle(count, speeds, restitution=1.0, radius=0.1):
    """Return touching balls in a row along x, without support and weight, with these velocities."""
    ball = Sphere(radius)
    inertias = np.stack([ball.spatial_inertia(mass=1.0)] * count)
    poses = np.stack([pose_at(2 * radius * k, 0, 0) for k in range(count)])
    twists = np.zeros((count, 6))
    twists[: len(speeds), 3] = speeds
    colliders = [Collider(i, ball, mu=0.0, restitution=restitution) for i in range(count)]
    return MaximalModel(inertias, (), [0, 0, 0], colliders=colliders), State(poses, twists)


def slider_crank(speed):
    """Return a closed loop of one freedom without weight; its rows repeat each other in space."""
    bodies = [Box([0.06, 0.06, 0.2]), Box([0.8, 0.05, 0.05]), Box([0.2, 0.2, 0.2])]
    pin, guide = np.array([0, 0, 0.6]), np.array([np.sqrt(0.8**2 - 0.45**2), 0, 0.15])
    about_y, along_x = so3.exp([-np.pi / 2, 0, 0]), so3.exp([0, np.pi / 2, 0])
    poses = np.stack(
        [pose_at(0, 0, 0.5), pose_at(*(pin + guide) / 2, 0, np.arcsin(0.45 / 0.8), 0), pose_at(*guide)]
    )
    joints = [
        joint_from_world_frame(Revolute(), se3.frame(about_y, [0, 0, 0.4]), poses, 0),
        joint_from_world_frame(Revolute(), se3.frame(about_y, pin), poses, 1, 0),
        joint_from_world_frame(Revolute(), se3.frame(about_y, guide), poses, 2, 1),
        joint_from_world_frame(Prismatic(), se3.frame(along_x, guide), poses, 2),
    ]
    inertias = np.stack([body.spatial_inertia(density=DENSITY) for body in bodies])
    model = MaximalModel(inertias, joints, (0, 0, 0))
    twists = project(model, State(poses, np.eye(18)[1].reshape(3, 6))).phi
    return model, State(poses, speed / twists[0, 1] * twists)


def double_pendulum():
    """Return two rods on hinges that start level."""
    return hanging_rods(2, np.pi / 2)


def hanging_rods(count, angle):
    """Return rods of 1 m and 1 kg on hinges, one below the other, at ``angle`` from hanging."""
    rod = Box([0.05, 0.05, 1.0]).spatial_inertia(mass=1.0)
    along = np.array([np.sin(angle), 0, -np.cos(angle)])
    poses = np.stack([se3.frame(so3.exp([0, -angle, 0]), (k + 0.5) * along) for k in range(count)])
    about_y = so3.exp([-np.pi / 2, 0, 0])
    joints = [
        joint_from_world_frame(Revolute(), se3.frame(about_y, k * along), poses, k, k - 1 if k else WORLD)
        for k in range(count)
    ]
    return MaximalModel(np.stack([rod] * count), joints), State(poses)


def heavy_top(spin, tilt=0.5):
    """Return a top that precesses steadily: inertia, start, rate of precession."""
    M = spatial_inertia(1.0, np.diag([2e-3, 2e-3, 1e-3]), [0, 0, 0.1])
    across, along = M[0, 0], M[2, 2]
    precession = min(np.roots([across * np.cos(tilt), -along * spin, 9.81 * 0.1]).real)
    R = so3.exp([0, tilt, 0])
    omega = R.T @ [0, 0, precession]
    omega[2] = spin
    return M, State(se3.frame(R, np.zeros(3)), np.r_[omega, 0, 0, 0]), precession
