"""Equilibria of models against closed forms and minima of the energy."""

import numpy as np
import pytest
from random_models import random_state, robot
from scipy.optimize import minimize

from rbnotes import Body, Model, joints, se3
from rbnotes.arguments import InvalidArgument
from rbnotes.errors import NotConverged
from rbnotes.forces import LinearSpring, PathForces, on_body, on_world, path_through
from rbnotes.multibody import (
    equilibrium,
    forward_dynamics,
    inverse_dynamics,
    potential_energy,
    stiffness,
)
from rbnotes.multibody.reduced import JointLimit, LoopClosure, LoopJoint
from rbnotes.shapes import Box, Capsule, Sphere


def pose_at_height(z):
    return se3.frame(np.eye(3), [0, 0, z])


def hanging_ball(**options):
    """Return a ball on a spring of 100 N/m that is 0.5 m long without force."""
    spring = LinearSpring(100.0, rest_length=0.5)
    path = path_through(on_world([0, 0, 2.0]), on_body("ball", [0, 0, 0.1]))
    ball = Body("ball", Sphere(0.1), mass=2.0, position=[0.2, -0.1, 1.0])
    return Model([ball], forces=PathForces(spring, path), **options)


def test_a_ball_on_a_spring_hangs_at_its_weight():
    """The yaw of the ball is free: a further spring holds it."""
    model = hanging_ball()
    with pytest.raises(NotConverged, match="singular"):
        equilibrium(model, model.state())
    spring = PathForces(
        LinearSpring(10.0, rest_length=0.1),
        path_through(on_world([1.0, 0, 1.3]), on_body("ball", [0.1, 0, 0])),
    )
    model_with_spring = Model(model.bodies, forces=[*model.force_law.groups, spring])
    rest = equilibrium(model_with_spring, model_with_spring.state())
    np.testing.assert_allclose(forward_dynamics(model_with_spring, rest), 0, atol=1e-7)
    values = np.linalg.eigvalsh(
        -(stiffness(model_with_spring, rest) + stiffness(model_with_spring, rest).T) / 2
    )
    assert values.min() > -1e-6


@pytest.mark.parametrize("seed", range(3))
def test_equilibria_are_minima_of_the_energy(seed):
    """A random arm with joint springs: SciPy minimizes its potential energy."""
    rng = np.random.default_rng(seed)
    bodies, parent = [], None
    for k in range(4):
        axis = rng.normal(size=3)
        bodies.append(
            Body(
                f"b{k}",
                Box([0.1, 0.2, 0.4]),
                density=300.0,
                parent=parent,
                joint=joints.Revolute(axis / np.linalg.norm(axis)),
                stiffness=rng.uniform(2, 6),
                joint_frame=se3.frame(np.eye(3), rng.normal(size=3) * 0.2),
                body_frame=pose_at_height(-0.2),
            )
        )
        parent = f"b{k}" if k != 1 else "b0"
    model = Model(bodies)

    def energy(q):
        return potential_energy(model, model.state(q={f"b{k}": q[k] for k in range(4)}))

    lowest = minimize(energy, rng.normal(size=4) * 0.2, method="BFGS", options={"gtol": 1e-9}).x
    rest = equilibrium(model, model.state(q={f"b{k}": lowest[k] + 0.05 for k in range(4)}))
    np.testing.assert_allclose(rest.q, lowest, atol=1e-5)
    np.testing.assert_allclose(inverse_dynamics(model, rest, np.zeros(4)), 0, atol=1e-8)


def test_locked_bodies_stay():
    model = robot(2)
    guess = random_state(model)
    rest = equilibrium(model, guess, locked=["trunk", "stone", "shank"])
    np.testing.assert_array_equal(rest.E, guess.E)
    torques = inverse_dynamics(model, rest, np.zeros(rest.size))
    names = [each.name for each in model.bodies if not each.is_free]
    for k, name in enumerate(names):
        assert (abs(torques[12 + k]) < 1e-9) == (name != "shank")
        assert (rest.q[k] == guess.q[k]) == (name == "shank")


def test_a_closed_loop_hangs_symmetrically():
    """Two equal bars between pins at the same height: the joint between them is lowest halfway."""

    def pin(x):
        return se3.frame(np.eye(3), [x, 0, 0])

    hinge = joints.Revolute([0, 1, 0])
    bars = [
        Body("left", Box([0.5, 0.04, 0.04]), mass=1.0, joint=hinge, body_frame=pin(0.25)),
        Body(
            "right",
            Box([0.5, 0.04, 0.04]),
            mass=1.0,
            joint=hinge,
            parent="left",
            joint_frame=pin(0.5),
            body_frame=pin(0.25),
        ),
    ]
    closure = LoopClosure("right", [0.25, 0, 0], None, [0.8, 0, 0], [0, 1, 0])
    model = Model(bars, constraints=[closure])
    rest = equilibrium(model, model.state(q={"left": 0.7, "right": -1.4}))
    angle = np.arccos(0.8)
    np.testing.assert_allclose(rest.q, [angle, -2 * angle], atol=1e-9)


def test_muscle_over_an_elbow():
    """The stiffness at the equilibrium predicts how the angle changes under a small torque."""
    hinge = joints.Revolute([0, 1, 0])
    upper = Body(
        "upper", Capsule(0.04, 0.3), mass=2.0, joint=joints.Fixed(), body_frame=pose_at_height(-0.15)
    )
    lower = Body(
        "lower",
        Capsule(0.03, 0.3),
        mass=1.5,
        joint=hinge,
        parent="upper",
        joint_frame=pose_at_height(-0.3),
        body_frame=pose_at_height(-0.15),
    )
    path = path_through(on_body("upper", [0.04, 0, 0.1]), on_body("lower", [0.04, 0, 0.1]))
    model = Model([upper, lower], forces=PathForces(LinearSpring(900.0, rest_length=0.18), path))
    rest = equilibrium(model, model.state(q={"lower": -0.5}))
    K = stiffness(model, rest)[-1, -1]
    assert K < 0
    pulled = Model(model.bodies, forces=[*model.force_law.groups])
    angle = rest.q[-1]

    def torque(q):
        return -inverse_dynamics(pulled, pulled.state(q={"lower": q}), [0.0])[-1]

    assert (torque(angle + 1e-5) - torque(angle - 1e-5)) / 2e-5 == pytest.approx(K, rel=1e-6)


def test_failures_are_named():
    rod = Body(
        "rod", Capsule(0.05, 0.5), mass=1.0, joint=joints.Revolute([0, 1, 0]), body_frame=pose_at_height(-0.3)
    )
    limited = Model([rod], constraints=[JointLimit("rod", 0.5, 1.0)])
    with pytest.raises(NotConverged, match="beyond"):
        equilibrium(limited, limited.state(q={"rod": 0.2}))
    slider = Model([Body("cart", Box([1, 1, 1]), mass=1.0, joint=joints.Prismatic([0, 0, 1]))])
    with pytest.raises(NotConverged, match="singular"):
        equilibrium(slider, slider.state())
    with pytest.raises(InvalidArgument, match="locked"):
        equilibrium(slider, slider.state(), locked="cart")
    with pytest.raises(InvalidArgument, match="'wagon'"):
        equilibrium(slider, slider.state(), locked=["wagon"])


def four_bar(closing):
    """Return a linkage of three unequal bars whose last one a constraint holds."""
    lengths, names, bars = [0.3, 0.7, 0.5], ["crank", "coupler", "rocker"], []
    for k, (name, length) in enumerate(zip(names, lengths, strict=True)):
        bars.append(
            Body(
                name,
                Box([length, 0.02, 0.02]),
                mass=length,
                joint=joints.Revolute([0, 1, 0]),
                parent=names[k - 1] if k else None,
                joint_frame=se3.frame(np.eye(3), [lengths[k - 1] if k else 0.0, 0, 0]),
                body_frame=se3.frame(np.eye(3), [length / 2, 0, 0]),
            )
        )
    return Model(bars, constraints=closing)


def test_redundant_rows_do_not_change_the_equilibrium():
    """A hinge in the place of the two rows that close a four-bar: three of its five repeat others."""
    end, ground = [0.25, 0, 0], [0.8, 0, 0]
    hinge = LoopJoint(
        joints.Revolute([0, 1, 0]), "rocker", se3.frame(np.eye(3), end), None, se3.frame(np.eye(3), ground)
    )
    two, five = (four_bar([each]) for each in (LoopClosure("rocker", end, None, ground, [0, 1, 0]), hinge))
    guess = {"crank": 2.0, "coupler": -1.5, "rocker": 1.2}
    expected = equilibrium(two, two.state(q=guess))
    rest = equilibrium(five, five.state(q=guess))
    np.testing.assert_allclose(rest.q, expected.q, rtol=0, atol=1e-9)
    assert np.abs(rest.q - list(guess.values())).max() > 0.05


def test_contradictory_constraints_are_named():
    at = [LoopClosure("rocker", [0.25, 0, 0], None, [x, 0, 0], [0, 1, 0]) for x in (0.8, 0.9)]
    model = four_bar(at)
    with pytest.raises(NotConverged, match=r"constraints contradict each other|no step|singular"):
        equilibrium(model, model.state(q={"crank": 2.0, "coupler": -1.5, "rocker": 1.2}))
    fixed = Body("block", Box([1, 1, 1]), mass=1.0, joint=joints.Fixed())
    apart = LoopJoint(joints.Fixed(), "block", np.eye(4), None, pose_at_height(0.1))
    contradictory = Model([fixed], constraints=[apart])
    with pytest.raises(NotConverged, match=r"contradict each other, with an error of 0\.1 rad or m"):
        equilibrium(contradictory, contradictory.state())
