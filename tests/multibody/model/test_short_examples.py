"""Typical tasks stay short: each example runs, gives the right numbers, and has a limited number of lines.

Imports do not count.
"""

from textwrap import dedent

import matplotlib as mpl
import numpy as np
import pytest

from rbnotes.multibody import forward_dynamics, inverse_dynamics

mpl.use("Agg")

IMPORTS = """
import numpy as np
from rbnotes import joints, se3
from rbnotes.dynamics import WORLD
from rbnotes.forces import Muscle, PathForces, on_body, path_through
from rbnotes.friction import journal_bearing
from rbnotes.multibody import *
from rbnotes.multibody.formats import example, load_urdf
from rbnotes.multibody.reduced import LoopClosure
from rbnotes.shapes import Box, Capsule, Plane, Sphere
"""


def run(text, max_lines, **names):
    lines = [line for line in dedent(text).strip().splitlines() if line.strip()]
    assert len(lines) <= max_lines
    assert max(map(len, lines)) <= 110
    namespace = dict(names)
    exec(IMPORTS + dedent(text), namespace)
    return namespace


def test_boxes_on_a_floor():
    names = run(
        """
        boxes = [
            Body(f"box{k}", Box([0.2, 0.2, 0.2]), density=500.0, position=[0, 0, 0.12 + 0.22 * k])
            for k in range(3)
        ]
        model = Model(boxes, ground=Plane(), mu=0.5)
        motion = simulate(model, h=0.01, duration=0.5)
        scene = motion.scene()
        """,
        8,
    )
    heights = names["motion"].body_states.E[-1, :, 2, 3]
    np.testing.assert_allclose(heights, [0.1, 0.3, 0.5], atol=1e-4)


def test_dynamics_of_an_arm_from_a_file():
    names = run(
        """
        model = load_urdf(example("arm")).model(collisions=False)
        state = model.state(q=dict.fromkeys(moving(model), 0.3), qdot=dict.fromkeys(moving(model), 0.5))
        M, bias = mass_matrix(model, state), bias_forces(model, state)
        J = frame_jacobian(model, state, model.bodies[-1].name, reference="world_aligned")
        acceleration = forward_dynamics(model, state)
        derivatives = forward_dynamics_derivatives(model, state)
        """,
        6,
        moving=lambda model: [body.name for body in model.bodies if body.joint.num_coordinates],
    )
    passive = -names["model"].tree.joint_parameter("damping") * names["state"].qdot
    np.testing.assert_allclose(names["M"] @ names["acceleration"] + names["bias"], passive, atol=1e-9)
    np.testing.assert_allclose(names["derivatives"].force @ names["M"], np.eye(len(names["M"])), atol=1e-9)


def test_muscle_over_an_elbow():
    names = run(
        """
        down = se3.frame(np.eye(3), [0, 0, -0.2])
        hinge = joints.Revolute([0, 1, 0])
        upper = Body("upper", Capsule(0.05, 0.3), mass=2.0, joint=hinge, body_frame=down)
        lower = Body("lower", Capsule(0.04, 0.3), mass=1.5, parent="upper", joint=hinge,
                     joint_frame=se3.frame(np.eye(3), [0, 0, -0.4]), body_frame=down)
        biceps = Muscle(500.0, 0.28, 10.0, tendon_length=0.08, activation=0.05)
        path = path_through(on_body("upper", [0.05, 0, 0.1]), on_body("lower", [0.04, 0, 0.12]))
        arm = Model([upper, lower], forces=PathForces(biceps, path))
        rest = equilibrium(arm, arm.state(q={"lower": -0.5}), locked=["upper"])
        K = stiffness(arm, rest)
        """,
        10,
    )
    arm, rest, step = names["arm"], names["rest"], 1e-6
    assert forward_dynamics(arm, rest)[0] != 0

    def torque(angle):
        bent = arm.state(q={"upper": rest.q[0], "lower": angle})
        return -inverse_dynamics(arm, bent, [0.0, 0.0])[1]

    assert torque(rest.q[1]) == pytest.approx(0.0, abs=1e-9)
    difference = (torque(rest.q[1] + step) - torque(rest.q[1] - step)) / (2 * step)
    assert names["K"][1, 1] == pytest.approx(difference, rel=1e-6)


def test_dominoes_and_a_bouncing_ball():
    names = run(
        """
        tiles = [
            Body(f"tile{k}", Box([0.02, 0.1, 0.2]), mass=0.1, position=[0.1 * k, 0, 0.1]) for k in range(4)
        ]
        ball = Body("ball", Sphere(0.05), mass=0.3, position=[0.0, 1.0, 0.4], restitution=0.8)
        model = Model([*tiles, ball], ground=[Geometry(Plane(), restitution=0.8)], mu=0.3)
        start = model.state(twists={"tile0": [0, 3.0, 0, 0.3, 0, 0]})
        motion = simulate(model, start, h=0.005, duration=0.6)
        figure, axes = motion.energy_figure()
        """,
        9,
    )
    motion = names["motion"]
    ups = [motion.poses(f"tile{k}")[-1, 2, 2] for k in range(4)]
    assert max(ups[:3]) < 0.8  # they have fallen over
    assert motion.poses("ball")[-1, 2, 3] > 0.1
    mpl.pyplot.close(names["figure"])


def test_four_bar_with_dry_bearings():
    names = run(
        """
        hinge, dry = joints.Revolute([0, 1, 0]), journal_bearing(0.02, 0.05, 0.3, axis=[0, 1, 0])
        at = lambda x, z: se3.frame(np.eye(3), [x, 0, z])
        crank = Body("crank", Box([0.02, 0.02, 0.3]), mass=0.5, joint=hinge, body_frame=at(0, -0.15))
        coupler = Body("coupler", Box([0.5, 0.02, 0.02]), mass=1.0, parent="crank", joint=hinge,
                       joint_frame=at(0, -0.3), body_frame=at(0.25, 0))
        rocker = Body("rocker", Box([0.02, 0.02, 0.3]), mass=0.5, joint=hinge, joint_frame=at(0.5, 0),
                      body_frame=at(0, -0.15))
        loop = LoopClosure("coupler", [0.25, 0, 0], "rocker", [0, 0, -0.15], [0, 1, 0])
        bearings = dict.fromkeys(["crank", "coupler", "rocker", loop], dry)
        model = Model([crank, coupler, rocker], constraints=[loop], bearings=bearings)
        start = model.state(q={"crank": 1.0, "coupler": -1.0, "rocker": 1.0})
        motion = simulate(model, start, h=0.01, steps=30)
        """,
        12,
    )
    motion = names["motion"]
    np.testing.assert_allclose(motion.q("crank"), motion.q("rocker"), atol=1e-9)
    assert motion.work.applied_forces.sum() < -1e-3


def test_own_helical_joint_in_a_chain():
    names = run(
        """
        def screw(q):
            return [joints.rotation([0, 0, 1], q[0]), joints.translation(0, 0, 0.05 * q[0])]
        down = se3.frame(np.eye(3), [0, 0, -0.2])
        nut = Body("nut", Box([0.1, 0.1, 0.1]), mass=1.0, joint=joints.FunctionJoint(screw, 1, name="screw"))
        bob = Body("bob", Sphere(0.05), mass=0.5, parent="nut", joint=joints.Universal(), body_frame=down)
        chain = Model([nut, bob])
        start = chain.state(q={"bob": [0.4, 0.2]})
        motion = simulate(chain, start, h=0.01, duration=0.5)
        energy = [kinetic_energy(chain, state) + potential_energy(chain, state) for state in motion.states]
        """,
        12,
    )
    motion = names["motion"]
    np.testing.assert_allclose(motion.poses("nut")[:, 2, 3], 0.05 * motion.q("nut")[:, 0], atol=1e-12)
    assert np.ptp(names["energy"]) < 5e-3
    assert motion.q("nut")[-1, 0] < -0.1
