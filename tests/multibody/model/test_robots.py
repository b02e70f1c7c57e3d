"""Robots from URDF as models: collision shapes, limits, and a quadruped on a floor."""

import numpy as np
import pytest

from rbnotes import se3
from rbnotes.arguments import InvalidArgument
from rbnotes.joints import Free3D
from rbnotes.multibody import simulate
from rbnotes.multibody.formats import example, load_urdf
from rbnotes.multibody.reduced import JointLimit, spatial_momentum
from rbnotes.shapes import Plane

LEGS = [f"{end}_{side}" for end in ("front", "hind") for side in ("left", "right")]


@pytest.fixture(scope="module")
def quadruped():
    return load_urdf(example("quadruped"), base=Free3D()).model(ground=Plane(), mu=0.8)


def test_links_joints_and_limits_are_those_of_the_file(quadruped):
    assert [body.name for body in quadruped.bodies if body.is_free] == ["trunk"]
    assert len(quadruped.bodies) == 9
    limits = [each for each in quadruped.constraints if isinstance(each, JointLimit)]
    assert {each.link for each in limits} == {f"{leg}_{part}" for leg in LEGS for part in ("thigh", "shank")}
    feet = [each for each in quadruped.colliders if type(each.shape).__name__ == "Sphere"]
    assert [quadruped.bodies[each.body].name for each in feet] == [f"{leg}_shank" for leg in LEGS]
    assert all(each.mu == 0.8 for each in quadruped.colliders)


def test_masses_are_those_of_the_file(quadruped):
    masses = [body.spatial_inertia[5, 5] for body in quadruped.bodies]
    assert sum(masses) == pytest.approx(8.0 + 4 * (0.9 + 0.3))


@pytest.mark.slow
def test_quadruped_stands_on_its_feet(quadruped):
    hips, knees = 0.7, -1.4
    height = 0.4 * np.cos(hips) + 0.022
    sign = {leg: 1.0 if leg.startswith("front") else -1.0 for leg in LEGS}
    posture = {f"{leg}_thigh": sign[leg] * hips for leg in LEGS}
    posture |= {f"{leg}_shank": sign[leg] * knees for leg in LEGS}
    state = quadruped.state(q=posture, poses={"trunk": se3.frame(np.eye(3), [0, 0, height + 0.002])})
    target = state.q.copy()

    def control(state):
        return 60.0 * (target - state.q) - 0.5 * state.qdot

    motion = simulate(quadruped, state, h=0.005, duration=0.2, control=control)
    last = motion.contacts[-1]
    touching = {quadruped.bodies[max(pair)].name for pair in zip(last.points.a, last.points.b, strict=True)}
    assert touching == {f"{leg}_shank" for leg in LEGS}
    weight = 9.81 * (8.0 + 4 * 1.2)
    upward = [
        np.where(record.points.b < 0, 1.0, -1.0) @ record.world_impulses[:, 2] for record in motion.contacts
    ]
    # The impulses of the floor are those of the weight and the change of the momentum.
    momentum = spatial_momentum(quadruped.tree, motion.tree_q, motion.tree_qdot)[:, 5]
    expected = weight * motion.t[-1] + momentum[-1] - momentum[0]
    assert np.sum(upward) == pytest.approx(expected, rel=1e-4)
    trunk = motion.poses("trunk")[-1]
    assert 0.8 * height < trunk[2, 3] < height + 0.002
    assert np.abs(trunk[:3, :3] - np.eye(3)).max() < 0.05
    assert max(record.max_overlap for record in motion.contacts) < 1e-3


def test_unsupported_collision_geometry_is_refused_by_link():
    text = example("quadruped").read_text()
    with_mesh = text.replace('<sphere radius="0.022"/>', '<mesh filename="foot.stl"/>')
    with pytest.raises(InvalidArgument, match="link 'front_left_shank': collision mesh"):
        load_urdf(with_mesh, base=Free3D()).model()


def test_dry_friction_of_joints_is_read():
    text = example("quadruped").read_text()
    rough = load_urdf(text.replace('damping="0.05"', 'damping="0.05" friction="0.2"'), base=Free3D())
    model = rough.model()
    np.testing.assert_array_equal(model.joint_friction, np.r_[np.zeros(6), np.full(8, 0.2)])


def test_mimic_offsets_are_refused_by_joint():
    text = example("quadruped").read_text()
    limit = '<limit lower="-2.6" upper="-0.2" effort="40" velocity="20"/>'
    mimic = load_urdf(
        text.replace(limit, limit + '<mimic joint="front_left_hip" offset="0.3"/>', 1), base=Free3D()
    )
    with pytest.raises(InvalidArgument, match=r"joint 'front_left_knee': mimic: got an offset of 0\.3"):
        mimic.model()
