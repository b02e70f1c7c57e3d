"""Scenes with known motion: in closed form, from statics, or from experiments."""

from __future__ import annotations

import numpy as np
from scipy.linalg import null_space

from rbnotes import Body, Model, se3, so3
from rbnotes.dynamics import State
from rbnotes.inertia import spatial_inertia
from rbnotes.joints import ExponentialSpherical, Prismatic, Revolute
from rbnotes.multibody import Geometry, maximal_coordinates
from rbnotes.multibody.reduced import LoopJoint
from rbnotes.shapes import Box, Capsule, Plane, Sphere

GRAVITY = 9.81
DENSITY = 500.0
ABOUT_Y = so3.exp([-np.pi / 2, 0, 0])
"""Orientation of a joint frame whose z axis, the default axis of a revolute joint, is y of the world."""


def pose_at(x, y, z, *rotation):
    return se3.frame(so3.exp(rotation or (0.0, 0.0, 0.0)), [x, y, z])


def solids(shapes, poses, densities=DENSITY, **options):
    """Return free bodies of these shapes at poses ``(n, 4, 4)``, named by their indices."""
    densities = np.broadcast_to(densities, len(shapes))
    return [
        Body(f"{k}", shape, density=density, pose=pose, **options)
        for k, (shape, pose, density) in enumerate(zip(shapes, poses, densities, strict=True))
    ]


def hinged(name, shape, joint_frame, pose, parent=None, parent_joint_frame=None, **options):
    """Return a body on a revolute joint, with its pose and the frames of the joints in the world."""
    relative = joint_frame if parent is None else se3.inverse(parent_joint_frame) @ joint_frame
    frames = {"joint_frame": relative, "body_frame": se3.inverse(joint_frame) @ pose}
    return Body(name, shape, joint=Revolute(), parent=parent, **frames, **options)


def with_twists(model, twists):
    """Return the initial state of a model with other twists ``(n, 6)`` of its bodies."""
    converted = maximal_coordinates(model)
    return converted.model_state(State(converted.maximal_state(model.state()).E, twists))


def in_maximal_coordinates(scene):
    """Return the system in maximal coordinates of a scene, and its state."""
    model, state = scene[:2]
    converted = maximal_coordinates(model)
    return converted.maximal_model, converted.maximal_state(state)


def on_floor(shape, pose, twist=(0, 0, 0, 0, 0, 0), *, inertia=None, mu=0.3, **options):
    """Return a body, of one kilogram without an inertia, above a plane, and its state."""
    mass = {"mass": 1.0} if inertia is None else {"inertia": inertia}
    model = Model([Body("body", shape, pose=pose, **mass)], ground=Plane(), mu=mu, **options)
    return model, model.state(twists={"body": twist})


def block_on_a_slope(angle, mu, heading=0.0, rotation_angle=0.7, sides=(0.4, 0.3, 0.1)):
    """Return model, state and plane frame of a box on a plane with slope ``angle`` along a heading."""
    plane = so3.exp([0, 0, heading]) @ so3.exp([0, angle, 0])
    box = Box(sides)
    pose = se3.frame(plane @ so3.exp([0, 0, rotation_angle]), plane @ [0, 0, sides[2] / 2])
    floor = Geometry(Plane(), se3.frame(plane, np.zeros(3)))
    model = Model(solids([box], [pose]), ground=[floor], mu=mu)
    return model, model.state(), plane


def ladder(angle, ratio, length=3.0, thickness=0.02):
    """Return a rod against a smooth wall, with ``ratio`` times the friction that statics requires.

    The moment of the weight about the foot balances the force of the wall, which the friction at the foot
    must equal: cot(angle) / 2 times the weight, and a little less for the round ends.
    """
    mu = ratio * length / 2 * np.cos(angle) / (length * np.sin(angle) + thickness / 2)
    rod = Capsule(thickness / 2, length)
    center = [-length / 2 * np.cos(angle), 0, length / 2 * np.sin(angle) + thickness / 2]
    pose = se3.frame(so3.exp([0, np.pi / 2 - angle, 0]), center)
    wall = Geometry(Plane(), se3.frame(so3.exp([0, -np.pi / 2, 0]), [thickness / 2, 0, 0]), mu=0.0)
    model = Model(solids([rod], [pose]), ground=[Geometry(Plane()), wall], mu=mu)
    return model, model.state()


def tower(count, side=0.2, mu=0.5, densities=DENSITY):
    """Return cubes on top of each other."""
    boxes = [Box([side] * 3)] * count
    poses = [pose_at(0, 0, side * (k + 0.5)) for k in range(count)]
    model = Model(solids(boxes, poses, densities), ground=Plane(), mu=mu)
    return model, model.state()


def trilithon(mu=0.5):
    """Return two uprights and a lintel, like those of Stonehenge."""
    upright, lintel = Box([0.3, 0.4, 1.2]), Box([1.6, 0.4, 0.3])
    poses = [pose_at(-0.5, 0, 0.6), pose_at(0.5, 0, 0.6), pose_at(0, 0, 1.35)]
    model = Model(solids([upright, upright, lintel], poses), ground=Plane(), mu=mu)
    return model, model.state()


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
    collision = [Geometry(Box([thin, depth, t]), frame) for frame in plates]
    angles = -np.pi / 2 + (2 * np.arange(count) + 1) * half
    wedges = [
        Body(
            f"{k}",
            inertia=inertia,
            collision=collision,
            pose=pose_at(0, 0, 0, 0, angle, 0) @ pose_at(0, 0, center),
        )
        for k, angle in enumerate(angles)
    ]
    model = Model(wedges, ground=Plane(), mu=mu)
    return model, model.state()


def dominoes(count=20, gap=0.03, mu=0.2, push=3.0):
    """Return boxes of 1 by 4 by 8 cm in a row, the first of which rotates about its lower edge."""
    piece = Box([0.01, 0.04, 0.08])
    poses = [pose_at(k * gap, 0, 0.04) for k in range(count)]
    model = Model(solids([piece] * count, poses, 1000.0, mu=mu), ground=Plane(), mu=0.6)
    return model, model.state(twists={"0": [0, push, 0, 0.04 * push, 0, 0.005 * push]})


def bouncing_ball():
    """Return the bouncing ball of the examples of Siconos: 1 m above the floor, restitution 0.9."""
    ball = Body("ball", Sphere(0.1), mass=1.0, position=[0, 0, 1.1])
    model = Model([ball], ground=Plane(), mu=0.0, restitution=0.9)
    return model, model.state()


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
    poses = [pose_at(-x, 0, z, 0, tilt, 0), pose_at(x, 0, z, 0, 0, yaw) @ pose_at(0, 0, 0, 0, -tilt, 0)]
    model = Model(solids([plank] * 2, poses), ground=Plane(), mu=mu)
    return model, model.state()


def hung_cradle(count, angle, restitution=1.0, gravity=(0, 0, -GRAVITY), radius=0.1, length=1.0):
    """Return balls on rods without mass that hang side by side and touch, the first lifted by ``angle``."""
    balls = []
    for k in range(count):
        hook = np.array([2 * radius * k, 0, length])
        lifted = so3.exp([0, 0 if k else angle, 0])
        pose = se3.frame(lifted, hook - length * lifted[:, 2])
        balls.append(hinged(f"{k}", Sphere(radius), se3.frame(ABOUT_Y, hook), pose, mass=1.0))
    model = Model(balls, mu=0.0, restitution=restitution, gravity=gravity)
    return model, model.state()


def cradle(count, speeds, restitution=1.0, radius=0.1):
    """Return touching balls in a row along x, without support and weight, with these velocities."""
    balls = [Body(f"{k}", Sphere(radius), mass=1.0, position=[2 * radius * k, 0, 0]) for k in range(count)]
    model = Model(balls, mu=0.0, restitution=restitution, gravity=(0, 0, 0))
    return model, model.state(twists={f"{k}": [0, 0, 0, speed, 0, 0] for k, speed in enumerate(speeds)})


def slider_crank(speed, **options):
    """Return a closed loop of one freedom without weight; its rows repeat each other in space."""
    pin, guide = np.array([0, 0, 0.6]), np.array([np.sqrt(0.8**2 - 0.45**2), 0, 0.15])
    slider = pose_at(*guide)
    rail = se3.frame(so3.exp([0, np.pi / 2, 0]), guide)
    axle, crank_pin, wrist_pin = (se3.frame(ABOUT_Y, point) for point in ([0, 0, 0.4], pin, guide))
    rod = pose_at(*(pin + guide) / 2, 0, np.arcsin(0.45 / 0.8), 0)
    solid = {"density": DENSITY, "collision": ()}
    bodies = [
        hinged("crank", Box([0.06, 0.06, 0.2]), axle, pose_at(0, 0, 0.5), **solid),
        hinged("rod", Box([0.8, 0.05, 0.05]), crank_pin, rod, "crank", axle, **solid),
        hinged("slider", Box([0.2, 0.2, 0.2]), wrist_pin, slider, "rod", crank_pin, **solid),
    ]
    loop = LoopJoint(Prismatic(), "slider", se3.inverse(slider) @ rail, None, rail)
    model = Model(bodies, constraints=[loop], **{"gravity": (0, 0, 0), **options})
    state = model.state()
    motion = null_space(loop.rows(model.tree, model.tree_state(state), 0.0).G, rcond=1e-9)[:, 0]
    return model, state.with_velocity(speed / motion[0] * motion)


def double_pendulum(**options):
    """Return two rods on hinges that start level."""
    return hanging_rods(2, np.pi / 2, **options)


def hanging_rods(count, angle, **options):
    """Return rods of 1 m and 1 kg on hinges, one below the other, at ``angle`` from hanging."""
    along = np.array([np.sin(angle), 0, -np.cos(angle)])
    hinges = [se3.frame(ABOUT_Y, k * along) for k in range(count)]
    rods = []
    for k, hinge in enumerate(hinges):
        pose = se3.frame(so3.exp([0, -angle, 0]), (k + 0.5) * along)
        above = (f"{k - 1}", hinges[k - 1]) if k else ()
        rods.append(hinged(f"{k}", Box([0.05, 0.05, 1.0]), hinge, pose, *above, mass=1.0, collision=()))
    model = Model(rods, **options)
    return model, model.state()


def heavy_top(spin, tilt=0.5):
    """Return a top that precesses steadily, its state, and the rate of precession."""
    M = spatial_inertia(1.0, np.diag([2e-3, 2e-3, 1e-3]), [0, 0, 0.1])
    across, along = M[0, 0], M[2, 2]
    precession = min(np.roots([across * np.cos(tilt), -along * spin, 9.81 * 0.1]).real)
    R = so3.exp([0, tilt, 0])
    omega = R.T @ [0, 0, precession]
    omega[2] = spin
    model = Model([Body("top", inertia=M, joint=ExponentialSpherical())])
    state = State(se3.frame(R, np.zeros(3)), np.r_[omega, 0, 0, 0])
    return model, maximal_coordinates(model).model_state(state), precession
