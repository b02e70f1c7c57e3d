"""Cylinders and cones in motion: they stand, roll, tip and come to rest as rigid bodies do."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from rbnotes import Body, Model, se3, simulate
from rbnotes.arguments import InvalidArgument
from rbnotes.multibody import Geometry
from rbnotes.shapes import Box, Cone, Cylinder, Plane, Sphere

AXES = np.eye(3)
LYING = Rotation.from_euler("x", np.pi / 2).as_matrix()  # the axis of the shape is along y
G = 9.81


def slope(angle):
    """Return a plane that descends along x."""
    return [Geometry(Plane(), se3.frame(Rotation.from_euler("y", angle).as_matrix(), np.zeros(3)))]


def on_slope(angle, R, height):
    """Return a pose at a height above the slope, with axes relative to it."""
    tilt = Rotation.from_euler("y", angle).as_matrix()
    return se3.frame(tilt @ R, tilt @ [0, 0, height])


@pytest.mark.slow
def test_cylinder_rolls_down_with_two_thirds_of_the_sliding_acceleration():
    angle, radius = 0.3, 0.1
    body = Body("wheel", Cylinder(radius, 0.05), mass=2.0, pose=on_slope(angle, LYING, radius))
    model = Model([body], ground=slope(angle), mu=0.8)
    motion = simulate(model, h=0.005, duration=0.5)
    traveled = np.linalg.norm(motion.poses("wheel")[:, :3, 3] - motion.poses("wheel")[0, :3, 3], axis=1)
    expected = G * np.sin(angle) / 3 * motion.t**2
    assert np.allclose(traveled, expected, rtol=2e-3, atol=1e-6)
    omega = np.linalg.norm(motion.body_states.phi[-1, 0, :3])
    assert omega * radius == pytest.approx(2 / 3 * G * np.sin(angle) * 0.5, rel=1e-6)
    assert np.ptp(motion.energies) < 1e-6 * np.max(motion.work.contacts, initial=1.0)


@pytest.mark.parametrize("ground", [Plane(), [Geometry(Box([2, 2, 1]), se3.frame(AXES, [0, 0, -0.5]))]])
def test_cylinder_stands(ground):
    model = Model([Body("can", Cylinder(0.05, 0.2), mass=1.0, position=[0, 0, 0.1])], ground=ground, mu=0.5)
    motion = simulate(model, h=0.005, duration=0.15)
    assert np.allclose(motion.poses("can")[-1], motion.poses("can")[0], rtol=0, atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("spin", [0.0, np.pi / 8, 1.0])
@pytest.mark.parametrize(("factor", "falls"), [(0.97, False), (1.03, True)])
def test_cylinder_tips_over_when_its_center_passes_the_rim(factor, falls, spin):
    radius, length = 0.05, 0.2
    angle = factor * np.arctan(2 * radius / length)
    R = Rotation.from_euler("z", spin).as_matrix()
    body = Body("can", Cylinder(radius, length), mass=1.0, pose=on_slope(angle, R, length / 2))
    motion = simulate(Model([body], ground=slope(angle), mu=2.0), h=0.01, duration=1.0)
    rotation = motion.poses("can")[-1, :3, :3].T @ motion.poses("can")[0, :3, :3]
    assert (np.trace(rotation) < 2.99) == falls


@pytest.mark.slow
@pytest.mark.parametrize("shape", [Cylinder(0.1, 0.15), Cone(0.1, 0.3)])
def test_thrown_solid_comes_to_rest_without_gaining_energy(shape):
    R = Rotation.from_euler("xyz", [0.9, 0.4, 0.2]).as_matrix()
    model = Model(
        [Body("die", shape, density=800.0, pose=se3.frame(R, [0, 0, 0.25]))], ground=Plane(), mu=0.6
    )
    motion = simulate(model, h=0.004, duration=1.2)
    assert np.max(np.diff(motion.energies)) < 1e-3 * (motion.energies[0] - motion.energies[-1])
    assert np.min([np.min(each.points.gap, initial=0.0) for each in motion.contacts]) > -1e-3
    R, p = motion.poses("die")[-1, :3, :3], motion.poses("die")[-1, :3, 3]
    match shape:
        case Cylinder(radius, length):
            heights = (radius, length / 2)
        case Cone(radius, length):
            heights = (length / 4, 3 / 4 * length * radius / np.hypot(radius, length))
    assert min(abs(p[2] - height) for height in heights) < 2e-4


@pytest.mark.slow
def test_rolling_cone_returns_to_its_apex():
    """A cone that rolls on its side turns about its apex, which stays where it is."""
    radius, length = 0.1, 0.3
    half_angle = np.arctan2(radius, length)
    R = Rotation.from_euler("y", np.pi / 2 + half_angle).as_matrix()
    apex = se3.frame(R, [0, 0, 3 / 4 * length * np.sin(half_angle)])
    at_apex = apex[:3, :3] @ [0, 0, 3 / 4 * length] + apex[:3, 3]
    spin = 2.0  # about the vertical through the apex, rad/s
    side = np.hypot(radius, length)
    # Rolling: the line of contact rests, so that the rotation vector lies along it.
    along = R @ [0, 0, 1] - np.sin(half_angle) * np.array([0, 0, -1.0])
    direction = np.array([along[0], along[1], 0]) / np.linalg.norm(along[:2])
    omega = spin / np.tan(half_angle) * direction
    velocity = np.cross(omega, apex[:3, 3] - at_apex)
    model = Model([Body("cone", Cone(radius, length), mass=1.0, pose=apex)], ground=Plane(), mu=1.0)
    start = model.state(twists={"cone": np.concatenate([R.T @ omega, R.T @ velocity])})
    motion = simulate(model, start, h=0.004, duration=0.5)
    poses = motion.poses("cone")
    tips = poses[:, :3, :3] @ [0, 0, 3 / 4 * length] + poses[:, :3, 3]
    assert np.max(np.linalg.norm(tips - at_apex, axis=1)) < 2e-3
    assert np.linalg.norm(poses[-1, :3, 3] - poses[0, :3, 3]) > 0.3 * side
    assert np.ptp(motion.energies) < 1e-3 * motion.energies[0]


def test_ball_and_cylinder_collide():
    model = Model(
        [
            Body("ball", Sphere(0.1), mass=1.0, position=[0.5, 0, 0]),
            Body("drum", Cylinder(0.1, 0.4), mass=1.0, position=[0, 0, 0]),
        ],
        gravity=[0, 0, 0],
        mu=0.0,
        restitution=1.0,
    )
    start = model.state(twists={"ball": [0, 0, 0, -2.0, 0, 0]})
    motion = simulate(model, start, h=0.005, duration=0.4)
    assert np.allclose(motion.body_states.phi[-1, :, 3:], [[0, 0, 0], [-2.0, 0, 0]], atol=1e-6)


def test_compiled_steps_refuse_cylinders():
    model = Model([Body("can", Cylinder(0.1, 0.2), mass=1.0)], ground=Plane())
    with pytest.raises(InvalidArgument, match="colliders of the type Cylinder"):
        simulate(model, h=0.01, steps=1, compiled=True)
