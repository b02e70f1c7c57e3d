"""Schemes refuse models with parts that they would leave out, and `simulate` accounts for these parts."""

import re

import numpy as np
import pytest
from model_parts import parallelogram, shift
from test_model_as_system import SCHEMES

from rbnotes import joints
from rbnotes.arguments import InvalidArgument
from rbnotes.contact import Collider
from rbnotes.dynamics import (
    WORLD,
    BilateralRows,
    constrained_step,
    integrate,
    runge_kutta,
    symplectic_euler,
)
from rbnotes.friction import journal_bearing
from rbnotes.multibody import Body, Model, Motor, PositionServo, VelocityServo, maximal_coordinates, simulate
from rbnotes.multibody.maximal import MaximalModel
from rbnotes.multibody.reduced import Gear, JointLimit
from rbnotes.shapes import Box, Plane, Sphere

HINGE = joints.Revolute([0, 1, 0])


def pendulums(**options):
    """Return two pendulums side by side that do not collide."""
    bodies = [
        Body(
            name,
            Sphere(0.1),
            mass=1.0,
            joint=HINGE,
            joint_frame=shift(0, y, 1),
            body_frame=shift(0, 0, -0.5),
        )
        for name, y in (("a", 0.0), ("b", 1.0))
    ]
    return Model(bodies, **{"excluded_pairs": [("a", "b")], **options})


def rubbing():
    bar = Body("bar", Box([0.1, 0.1, 0.4]), mass=1.0, joint=HINGE, joint_friction=0.2)
    return Model([bar])


def balls():
    pair = [Body(name, Sphere(0.1), mass=1.0, position=[x, 0, 1]) for name, x in (("a", 0.0), ("b", 1.0))]
    return Model(pair)


PARTS = {
    "contacts .*'a' and 'b'": balls,
    "contacts .*the ground and 'a'": lambda: pendulums(ground=Plane()),
    r"limits \(JointLimit\('a'\)\)": lambda: pendulums(constraints=[JointLimit("a", -1.0, 1.0)]),
    r"constraints \(Gear\('a', 'b'\)\)": lambda: pendulums(constraints=[Gear("a", "b", 2.0)]),
    r"bearings \(1\)": lambda: pendulums(bearings={"a": journal_bearing(0.03, 0.05, 0.3, axis=[0, 1, 0])}),
    r"dry friction in joints \('bar'\)": rubbing,
    r"servos \('a', 'b'\)": lambda: pendulums(
        actuators=[PositionServo("a", kp=1.0), VelocityServo("b", kv=1.0)]
    ),
}


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("scheme", [*SCHEMES, runge_kutta])
def test_schemes_name_the_part_that_they_would_leave_out(scheme, part):
    model = PARTS[part]()
    if scheme is runge_kutta and "Gear" in part:
        runge_kutta(model, model.state(), 0.01)
        return
    for step in (scheme, lambda *args: integrate(scheme, *args, 1)):
        with pytest.raises(InvalidArgument, match=rf"{part}.*leaves out.*simulate"):
            step(model, model.state(), 0.01)


@pytest.mark.parametrize("part", PARTS)
def test_simulate_accounts_for_the_parts(part):
    model = PARTS[part]()
    scheme = {} if model.bearings else {"scheme": symplectic_euler}
    simulate(model, h=0.01, steps=1, **scheme)


def test_all_parts_are_named_at_once():
    model = pendulums(ground=Plane(), constraints=[JointLimit("a", -1.0, 1.0)])
    with pytest.raises(InvalidArgument) as error:
        symplectic_euler(model, model.state(), 0.01)
    assert re.search("contacts.*limits", str(error.value))


@pytest.mark.parametrize(
    "model",
    [
        pendulums(),
        pendulums(actuators=[Motor("a")]),
        Model([Body("ball", Sphere(0.1), mass=1.0)]),
        Model([Body(name, Sphere(0.1), mass=1.0, collision=()) for name in "ab"], ground=Plane()),
    ],
    ids=["bodies that do not touch", "motor without a command", "one body", "bodies without shapes"],
)
def test_models_without_such_parts_are_stepped(model):
    end = integrate(symplectic_euler, model, model.state(), 0.01, 2)
    expected = simulate(model, h=0.01, steps=2, scheme=symplectic_euler, coordinates="reduced")
    np.testing.assert_allclose(end.q, expected.states.q, atol=1e-12)


def test_rows_account_for_constraints_but_not_for_servos():
    bodies, closure = parallelogram()
    start = {"left": 0.4, "coupler": -0.4, "right": 0.4}

    def rows(state, h):
        return [BilateralRows(np.ones((1, 3)), np.zeros(1))]

    model = Model(bodies, constraints=[closure], ground=Plane())
    result = constrained_step(symplectic_euler, model, model.state(q=start), 0.01, rows)
    assert np.sum(result.state.qdot) == pytest.approx(0.0, abs=1e-12)
    driven = Model(bodies, constraints=[closure], actuators=[PositionServo("left", kp=10.0)])
    with pytest.raises(InvalidArgument, match=r"system.*servos \('left'\)"):
        constrained_step(symplectic_euler, driven, driven.state(q=start), 0.01, rows)


def test_maximal_models_with_joints_or_contacts_need_impulses():
    model = pendulums()
    converted = maximal_coordinates(model)
    state = converted.maximal_state(model.state())
    with pytest.raises(InvalidArgument, match=r"system.*joints \(2\)"):
        symplectic_euler(converted.maximal_model, state, 0.01)
    runge_kutta(converted.maximal_model, state, 0.01)
    inertias = [body.spatial_inertia for body in model.bodies]
    resting = MaximalModel(inertias, colliders=[Collider(WORLD, Plane()), Collider(1, Sphere(0.1))])
    with pytest.raises(InvalidArgument, match=r"contacts .*the ground and '1'"):
        symplectic_euler(resting, state, 0.01)
