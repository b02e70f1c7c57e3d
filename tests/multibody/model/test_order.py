"""The order of the default scheme in both coordinates: through charts and impacts, and of its own energy."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from model_parts import parallelogram, shift

from rbnotes import joints
from rbnotes.multibody import Body, Model, simulate
from rbnotes.shapes import Box, Capsule, Sphere

HINGE = joints.Revolute([0, 1, 0])
BOTH = pytest.mark.parametrize("coordinates", ["reduced", "maximal"])


def two_links(joint, *others, **options):
    """Return two links, the first on the joint; nothing collides with the first."""
    upper = Body(
        "upper",
        Capsule(0.05, 0.4),
        mass=2.0,
        joint=joint,
        joint_frame=shift(0, 0, 0.7),
        body_frame=shift(0, 0, -0.2),
        collision=(),
    )
    lower = Body(
        "lower",
        Box([0.1, 0.06, 0.4]),
        mass=1.5,
        parent="upper",
        joint=HINGE,
        joint_frame=shift(0, 0, -0.4),
        body_frame=shift(0.03, 0, -0.2),
    )
    return Model([upper, lower, *others], **options)


def assert_second_order(ends):
    """Check that the differences of three runs, each with half the step, fall to a quarter."""
    coarse, fine = (np.abs(a - b).max() for a, b in pairwise(ends))
    assert 1e-7 < fine < 0.05
    assert coarse / fine == pytest.approx(4.0, abs=0.5)


@BOTH
@pytest.mark.parametrize("impacts", ["simultaneous", "sequential"])
def test_impact_with_friction_keeps_the_second_order(coordinates, impacts):
    """A sliding ball that touches the lower link hits it at the start of the first step."""
    ball = Body("ball", Sphere(0.1), mass=1.0, position=[0.18, 0.0, 0.1])
    model = two_links(HINGE, ball, restitution=0.6, mu=0.3)
    start = model.state(qdot={"upper": 0.3}, twists={"ball": [0, 0, 0, -3.0, 0.5, 0]})
    motions = [
        simulate(model, start, h=h, duration=0.04, coordinates=coordinates, impacts=impacts)
        for h in (0.02, 0.01, 0.005)
    ]
    for motion in motions:
        assert [bool(np.any(record.impulses)) for record in motion.contacts][:2] == [True, False]
        assert np.abs(motion.contacts[0].impulses[:, 1:]).max() > 0.1
    for name in ("E", "phi"):
        assert_second_order([getattr(motion.body_states, name)[-1] for motion in motions])


@BOTH
def test_change_of_charts_keeps_the_second_order(coordinates):
    """The rotation vector of the upper link leaves its chart during the motion."""
    model = two_links(joints.ExponentialSpherical())
    start = model.state(
        q={"upper": [0.4, 0.2, 4.6], "lower": 0.5}, qdot={"upper": [0.5, -0.3, 4.0], "lower": -1.0}
    )
    motions = [
        simulate(model, start, h=h, duration=0.08, coordinates=coordinates) for h in (0.02, 0.01, 0.005)
    ]
    if coordinates == "reduced":
        lengths = np.linalg.norm(motions[-1].q("upper"), axis=1)
        assert np.max(np.abs(np.diff(lengths))) > 1.0, "the rotation vector jumps"
    for name in ("E", "phi"):
        assert_second_order([getattr(motion.body_states, name)[-1] for motion in motions])


@BOTH
def test_losses_in_a_closed_loop_keep_the_second_order(coordinates):
    """The impulses that close the loop change the velocities on which dampers and dry friction act."""
    bodies, closure = parallelogram()
    bodies = [replace(each, damping=0.5, joint_friction=0.05) for each in bodies]
    model = Model(bodies, constraints=[closure])
    start = model.state(
        q={"left": 0.4, "coupler": -0.4, "right": 0.4},
        qdot={"left": 3.0, "coupler": -3.0, "right": 3.0},
    )
    motions = [
        simulate(model, start, h=h, duration=0.04, coordinates=coordinates) for h in (0.02, 0.01, 0.005)
    ]
    for name in ("E", "phi"):
        assert_second_order([getattr(motion.body_states, name)[-1] for motion in motions])


@BOTH
def test_energy_error_of_the_scheme_is_bounded_and_of_second_order(coordinates):
    """Work that no force, contact or stabilization does; the account closes to rounding."""
    model = two_links(HINGE)
    start = model.state(q={"upper": 1.2, "lower": 0.4})
    sizes = []
    for h in (0.04, 0.02):
        motion = simulate(model, start, h=h, duration=1.2, coordinates=coordinates)
        np.testing.assert_allclose(np.diff(motion.energies), motion.work.total, rtol=0, atol=1e-12)
        np.testing.assert_allclose(motion.work.stabilization, 0.0, atol=1e-14)
        error = np.abs(np.cumsum(motion.work.integrator + motion.work.joints))
        assert error[len(error) // 2 :].min() < 0.1 * error.max(), "it oscillates without a drift"
        sizes.append(error.max())
    assert sizes[1] < 0.03 * 1.5 * 9.81 * np.ptp(motion.poses("lower")[:, 2, 3])
    assert sizes[0] / sizes[1] == pytest.approx(4.0, abs=0.6)
