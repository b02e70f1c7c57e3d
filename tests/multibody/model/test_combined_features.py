"""One run with everything at once: contacts, restitution, losses, limits, a bearing, a servo and a spring."""

import numpy as np
import pytest
from model_parts import shift

from rbnotes import joints
from rbnotes.forces import LinearSpring, PathForces, on_body, path_through
from rbnotes.friction import journal_bearing
from rbnotes.multibody import Body, Model, PositionServo, simulate
from rbnotes.multibody.reduced import JointLimit
from rbnotes.shapes import Box, Capsule, Plane, Sphere

HINGE = joints.Revolute([0, 1, 0])
H, STEPS, LIMIT, MAX_TORQUE = 0.005, 40, 0.05, 3.0


def leg():
    """Return a leg that falls on the floor while a ball falls on it, and its state."""
    trunk = Body("trunk", Box([0.3, 0.2, 0.1]), mass=3.0, position=[0, 0, 0.62], restitution=0.3)
    thigh = Body(
        "thigh",
        Capsule(0.04, 0.2),
        mass=1.0,
        parent="trunk",
        joint=HINGE,
        joint_frame=shift(0.1, 0, -0.05),
        body_frame=shift(0, 0, -0.15),
        joint_friction=0.2,
        armature=0.02,
        damping=0.05,
        stiffness=1.0,
    )
    shank = Body(
        "shank",
        Capsule(0.03, 0.2),
        mass=0.5,
        parent="thigh",
        joint=HINGE,
        joint_frame=shift(0, 0, -0.15),
        body_frame=shift(0, 0, -0.12),
    )
    ball = Body("ball", Sphere(0.08), mass=0.4, position=[-0.05, 0, 0.9])
    tendon = path_through(on_body("trunk", [-0.1, 0, 0]), on_body("shank", [0, 0, -0.1]))
    model = Model(
        [trunk, thigh, shank, ball],
        ground=Plane(),
        mu=0.6,
        restitution=0.5,
        forces=PathForces(LinearSpring(40.0, 0.4, 0.3), tendon),
        constraints=[JointLimit("shank", -1.0, LIMIT)],
        actuators=[PositionServo("thigh", kp=30.0, kd=1.0, force_limit=MAX_TORQUE)],
        bearings={"shank": journal_bearing(0.02, 0.03, 0.3, axis=[0, 1, 0])},
    )
    start = model.state(q={"thigh": 0.3, "shank": -0.3}, twists={"ball": [0, 0, 0, 0.2, 0, -1.0]})
    return model, start


def command(state):
    return {"thigh": 0.4 * np.sin(10 * state.t)}


@pytest.mark.slow
def test_all_features_in_one_run_in_both_coordinates():
    model, start = leg()
    names = ["trunk", "thigh.torque", "shank.friction", "shank.contact_force", "contacts", "energy"]
    motions = []
    for coordinates in ("reduced", "maximal"):
        options = {"h": H, "control": command, "coordinates": coordinates}
        motion = simulate(model, start, steps=STEPS, record=names, **options)
        np.testing.assert_allclose(np.diff(motion.energies), motion.work.total, rtol=0, atol=1e-12)
        assert np.sum(motion.work.contacts) < -1e-3
        pushing = {
            (a, b)
            for each in motion.contacts
            for a, b, impulse in zip(each.points.a, each.points.b, each.impulses[:, 0], strict=True)
            if impulse > 1e-3
        }
        assert len(pushing) >= 2, "the ball hits the trunk, and the foot the floor"
        assert motion.q("shank").max() == pytest.approx(LIMIT, abs=1e-4)
        assert np.abs(motion.recorded["thigh.torque"].values).max() == pytest.approx(MAX_TORQUE, rel=1e-9)
        assert np.abs(motion.recorded["shank.friction"].values).max() > 1e-3
        assert [motion.recorded[name].unit for name in names] == ["m", "N m", "N m", "N", "", "J"]
        half = simulate(model, start, steps=STEPS // 2, **options)
        rest = simulate(model, half, steps=STEPS - STEPS // 2, **options)
        for name in ("E", "phi"):
            np.testing.assert_array_equal(
                getattr(rest.body_states, name)[-1], getattr(motion.body_states, name)[-1]
            )
        motions.append(motion)
    reduced, maximal = motions
    np.testing.assert_allclose(maximal.body_states.E, reduced.body_states.E, atol=2e-4)
