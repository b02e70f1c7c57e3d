"""Simulated scenes of several tests, and evaluations of the runs."""

from functools import partial

import mujoco
import numpy as np
import pytest
from maximal_simulation import contact_events

from rbnotes import friction, inertia, se3, so3
from rbnotes.contact import Collider
from rbnotes.dynamics import (
    WORLD,
    State,
    energy_conserving_euler,
    implicit_momentum_conserving_euler,
    momentum_conserving_euler,
    symplectic_euler,
)
from rbnotes.joints import ExponentialSpherical, Revolute
from rbnotes.multibody import maximal
from rbnotes.multibody.maximal import MaximalModel
from rbnotes.shapes import Box, Capsule, Plane, Sphere

g = 9.81
SCHEMES = [
    symplectic_euler,
    momentum_conserving_euler,
    energy_conserving_euler,
    implicit_momentum_conserving_euler,
]
MODELS = [
    friction.box_friction,
    friction.anitescu_stewart,
    friction.single_qp,
    friction.gauss_seidel_friction,
    partial(
        friction.socp_fixed_point_friction, tolerance=1e-5
    ),  # the default asks for more than a solver can give in places
]
round_cones = pytest.mark.parametrize(
    "law",
    [
        friction.gauss_seidel_friction,
        pytest.param(friction.socp_fixed_point_friction, marks=pytest.mark.slow),
    ],
)


def masses(shapes, densities):
    """Return the spatial inertias of solids."""
    densities = np.broadcast_to(densities, len(shapes))
    return np.stack([shape.spatial_inertia(density=d) for shape, d in zip(shapes, densities, strict=True)])


def on_ground(shapes, density, *, mu=0.5, restitution=0.0, slope=0.0, gravity=(0.0, 0.0, -g), joints=()):
    """Return bodies of one density, or of one each, above a plane that descends by the angle ``slope``."""
    surface = {"mu": mu, "restitution": restitution}
    ground = Collider(WORLD, Plane(), se3.frame(so3.exp([0, slope, 0]), np.zeros(3)), **surface)
    carried = [Collider(i, shape, **surface) for i, shape in enumerate(shapes)]
    return MaximalModel(masses(shapes, density), joints, gravity, colliders=[ground, *carried])


def pose_at(x, y, z, *rotation):
    return se3.frame(so3.exp(rotation or (0.0, 0.0, 0.0)), [x, y, z])


def rest(*poses):
    return State(np.stack(poses), np.zeros((len(poses), 6)))


def world_velocities(path, body=0):
    """Return the angular and linear velocity in world coordinates ``(T + 1, 6)``."""
    R = path.states.E[:, body, :3, :3]
    twists = path.states.phi[:, body].reshape(-1, 2, 3)
    return np.einsum("tij,tkj->tki", R, twists).reshape(-1, 6)


def kinds(path, kind):
    return [event.time for event in contact_events(path) if event.kind == kind]


def pile():
    """Return two capsules, hinged to each other and hung from the world, swing into a box and a sphere."""
    shapes = [Capsule(0.1, 0.6), Capsule(0.1, 0.6), Box([0.4, 0.5, 0.3]), Sphere(0.2)]
    tilted = so3.exp([0, np.pi / 2 - 0.3, 0])
    first = se3.frame(tilted, [-0.5, 0.05, 1.0])
    second = first @ se3.frame(so3.exp([0.2, 0, 0]), [0, 0.0, -0.75])
    poses = np.stack([first, second, pose_at(0.3, 0, 0.15, 0, 0, 0.2), pose_at(0.72, 0.1, 0.2)])
    joints = [
        maximal.joint_from_world_frame(ExponentialSpherical(), first @ pose_at(0, 0, 0.4), poses, 0),
        maximal.joint_from_world_frame(Revolute(), first @ pose_at(0, 0, -0.4, np.pi / 2, 0, 0), poses, 1, 0),
    ]
    twists = np.zeros((4, 6))
    twists[2] = [0.5, 0.2, 1.0, -0.5, 0.1, -0.3]
    model = on_ground(shapes, [300.0, 500.0, 200.0, 400.0], mu=0.4, joints=joints)
    return model, State(poses, twists)


CHAIN = """
<mujoco>
  <option timestep="2e-4" integrator="RK4" gravity="1 0.5 -9.81"/>
  <worldbody>{body}</worldbody>
</mujoco>
"""


def quaternion(rotation):
    result = np.zeros(4)
    mujoco.mju_mat2Quat(result, so3.exp(rotation).ravel())
    return " ".join(map(str, result))


def text(values):
    return " ".join(map(str, values))


def chain(count):
    """Return mechanism, poses and MuJoCo description of a chain with general axes and centers of mass."""
    rng = np.random.default_rng(5)
    inertias, joints, poses, body, parent = [], [], [], "{body}", np.eye(4)
    for i in range(count):
        mass, moments, com = (
            1.0 + 0.3 * i,
            rng.uniform(0.02, 0.03, 3),
            rng.uniform(-0.1, 0.1, 3) - np.array([0, 0, 0.15]),
        )
        rotation_vector, anchor = 0.5 * rng.normal(size=3), np.array([0.05, 0.02, -0.3 if i else 0.0])
        axis_frame = se3.frame(so3.exp(rng.normal(size=3)), np.zeros(3))
        relative = se3.frame(so3.exp(rotation_vector), anchor)
        inertias.append(inertia.spatial_inertia(mass, np.diag(moments), com))
        joints.append(maximal.Joint(Revolute(), i, axis_frame, i - 1 if i else WORLD, relative @ axis_frame))
        parent = parent @ relative
        poses.append(parent)
        body = body.format(
            body=f"""<body pos="{text(anchor)}" quat="{quaternion(rotation_vector)}">
            <joint type="hinge" axis="{text(axis_frame[:3, 2])}"/>
            <inertial pos="{text(com)}" mass="{mass}" diaginertia="{text(moments)}"/>{{body}}</body>"""
        )
    return (
        MaximalModel(np.stack(inertias), joints, [1, 0.5, -9.81]),
        rest(*poses),
        CHAIN.format(body=body.format(body="")),
    )
