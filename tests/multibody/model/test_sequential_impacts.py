"""Sequential impacts in joint coordinates: closed forms, conserved quantities, and maximal coordinates."""

from dataclasses import replace

import numpy as np
import pytest
from model_parts import shift

from rbnotes import joints
from rbnotes.arguments import InvalidArgument
from rbnotes.dynamics import fully_implicit_euler, implicit_euler, symplectic_euler
from rbnotes.multibody import Body, Model, simulate
from rbnotes.multibody.reduced import Gear, LoopClosure
from rbnotes.shapes import Box, Plane, Sphere

HINGE = joints.Revolute([0, 1, 0])
BOTH = pytest.mark.parametrize("coordinates", ["reduced", "maximal"])
SCHEMES = pytest.mark.parametrize(
    "scheme", ["rattle", symplectic_euler, implicit_euler, fully_implicit_euler]
)
REDUCED, SEQUENTIAL = {"coordinates": "reduced"}, {"impacts": "sequential"}


def cradle(masses, restitution=1.0, **options):
    """Pendulums of length 1 m whose balls touch in a row along x."""
    balls = [
        Body(
            f"ball {k}",
            Sphere(0.1),
            mass=mass,
            joint=HINGE,
            joint_frame=shift(0.2 * k, 0, 1),
            body_frame=shift(0, 0, -1),
        )
        for k, mass in enumerate(masses)
    ]
    options = {"mu": 0.0, "restitution": restitution, "gravity": np.zeros(3)} | options
    return Model(balls, **options)


def speeds_after(speeds, masses, restitution):
    """Velocities after a sequence of impacts in a row, from the law of impact for two masses."""
    v, m = np.array(speeds, dtype=float), np.array(masses)
    while True:
        approach = v[:-1] - v[1:]
        i = int(np.argmax(approach))
        if approach[i] <= 1e-9:
            return v
        impulse = (1 + restitution) * approach[i] * m[i] * m[i + 1] / (m[i] + m[i + 1])
        v[i : i + 2] += impulse * np.array([-1 / m[i], 1 / m[i + 1]])


@SCHEMES
@pytest.mark.parametrize(
    ("speeds", "masses", "restitution"),
    [
        ([1.0, 0, 0], [1.0, 1.0, 1.0], 1.0),
        ([1.0, 1.0, 0, 0, 0], [1.0] * 5, 1.0),
        ([1.0, 0.2, 0.0], [2.0, 1.0, 3.0], 0.6),
        ([1.0, 0.0, -0.4], [2.0, 1.0, 0.5], 1.0),
    ],
)
def test_cradle_of_pendulums_follows_the_law_for_two_masses(speeds, masses, restitution, scheme):
    """The masses along the row are those of the pendulums about their hinges."""
    model = cradle(masses, restitution)
    effective = [body.spatial_inertia[1, 1] + mass for body, mass in zip(model.bodies, masses, strict=True)]
    start = model.state(qdot={f"ball {k}": -v for k, v in enumerate(speeds)})
    motion = simulate(model, start, h=1e-4, steps=1, scheme=scheme, **SEQUENTIAL, **REDUCED)
    expected = speeds_after(speeds, effective, restitution)
    np.testing.assert_allclose(-motion.states.qdot[-1], expected, rtol=0, atol=1e-4)
    if restitution == 1.0:
        np.testing.assert_allclose(motion.energies[-1], motion.energies[0], rtol=1e-3)
    np.testing.assert_allclose(
        np.sum(motion.work.contacts), motion.energies[-1] - motion.energies[0], atol=1e-3
    )


@pytest.mark.slow
@BOTH
def test_cradle_releases_as_many_balls_as_arrive(coordinates):
    """Two of five pendulums fall from the same angle; two rise on the other side to the same height."""
    model = cradle([1.0] * 5, gravity=[0, 0, -9.81])
    start = model.state(q={"ball 0": 0.3, "ball 1": 0.3})
    motion = simulate(model, start, h=0.01, duration=0.9, **SEQUENTIAL, coordinates=coordinates)
    np.testing.assert_allclose(np.diff(motion.energies), motion.work.total, rtol=0, atol=1e-11)
    highest = np.min(motion.tree_q, axis=0)
    np.testing.assert_allclose(highest, [0, 0, 0, -0.3, -0.3], rtol=0, atol=0.02)
    np.testing.assert_allclose(motion.energies, motion.energies[0], rtol=0, atol=0.02)


@BOTH
def test_ball_rebounds_on_the_floor(coordinates):
    """The first step leaves e v less half of its gravity on both sides, as a simultaneous impact does."""
    ball = Body("ball", Sphere(0.1), mass=1.0, position=[0, 0, 0.1])
    model = Model([ball], ground=Plane(), restitution=0.7, mu=0.0)
    start = model.state(twists={"ball": [0, 0, 0, 0, 0, -2.0]})
    motion = simulate(model, start, h=0.002, steps=1, **SEQUENTIAL, coordinates=coordinates)
    assert motion.twists("ball")[-1, 5] == pytest.approx(0.7 * 2.0 - 0.002 * 9.81, abs=1e-12)


def driven_bar(**options):
    """A ball hits a bar on a hinge, which a gear couples to another wheel."""
    ball = Body("ball", Sphere(0.1), mass=1.0, position=[0.3, 0, 0.201])
    bar = Body("bar", Box([0.8, 0.2, 0.2]), mass=2.0, joint=HINGE)
    other = Body("other", Box([0.3, 0.2, 0.1]), mass=2.0, joint=HINGE, joint_frame=shift(0, 1, 0))
    model = Model(
        [ball, bar, other],
        gravity=np.zeros(3),
        constraints=[Gear("bar", "other", -2.0)],
        restitution=1.0,
        mu=0.0,
        **options,
    )
    return model, model.state(twists={"ball": [0, 0, 0, 0, 0, -1.0]})


@SCHEMES
def test_gear_transmits_an_impact(scheme):
    """The ball exchanges the impulse p at the arm r with the inertia J of both wheels: elastic."""
    model, start = driven_bar()
    motion = simulate(model, start, h=0.01, steps=3, scheme=scheme, **SEQUENTIAL, **REDUCED)
    _, bar, other = model.bodies
    J = bar.spatial_inertia[1, 1] + 4.0 * other.spatial_inertia[1, 1]
    p = 2.0 / (1.0 + 0.3**2 / J)
    v, rate = motion.twists("ball")[-1, 5], motion.qdot("bar")[-1].item()
    tolerance = 1e-6 if scheme == "rattle" else 2e-2  # those of first order move the bar a little
    np.testing.assert_allclose([v, rate], [-1.0 + p, 0.3 * p / J], rtol=tolerance)
    np.testing.assert_allclose(motion.qdot("other")[-1], -2.0 * rate, rtol=1e-9)


@pytest.mark.parametrize("scheme", [symplectic_euler, implicit_euler, fully_implicit_euler])
def test_impulses_of_the_gear_in_an_impact_are_part_of_its_work(scheme):
    """With constant inertia and no forces, the impulses do all work; here the wheels start at other rates."""
    model, _ = driven_bar()
    start = model.state(qdot={"bar": 0.3}, twists={"ball": [0, 0, 0, 0, 0, -1.0]})
    work = simulate(model, start, h=0.01, steps=1, scheme=scheme, **SEQUENTIAL, **REDUCED).work
    np.testing.assert_allclose(work.integrator, 0, atol=1e-14)
    assert work.joints[0] < -0.01


def linkage(restitution, mu):
    """A four-bar linkage whose coupler and rocker are hit by a row of two balls."""
    bars = [
        Body("crank", Box([0.05, 0.05, 0.5]), mass=1.0, joint=HINGE, body_frame=shift(0, 0, 0.25)),
        Body(
            "coupler",
            Box([1.0, 0.1, 0.1]),
            mass=2.0,
            parent="crank",
            joint=HINGE,
            joint_frame=shift(0, 0, 0.5),
            body_frame=shift(0.5, 0, 0),
        ),
        Body(
            "rocker",
            Box([0.05, 0.05, 0.5]),
            mass=1.0,
            joint=HINGE,
            joint_frame=shift(1.0, 0, 0),
            body_frame=shift(0, 0, 0.25),
        ),
    ]
    closure = LoopClosure("coupler", [0.5, 0, 0], "rocker", [0, 0, 0.25], axis=[0, 1, 0])
    balls = [
        Body("first", Sphere(0.1), mass=1.0, position=[0.3, 0.02, 0.651]),
        Body("second", Sphere(0.1), mass=0.5, position=[0.34, 0.02, 0.851]),
    ]
    model = Model([*bars, *balls], constraints=[closure], restitution=restitution, mu=mu, gravity=np.zeros(3))
    return model, model.state(
        q={"crank": 0.0}, twists={"second": [0, 0, 0, 0.5, 0.1, -2.0], "first": [0, 1.0, 0, 0, 0, -0.1]}
    )


@pytest.mark.parametrize(("restitution", "mu"), [(0.5, 0.0), (1.0, 0.0), (0.5, 0.4)])
@pytest.mark.parametrize(("scheme", "tolerance"), [("rattle", 1e-4), (symplectic_euler, 2e-2)])
def test_impacts_on_a_closed_loop_are_those_of_maximal_coordinates(restitution, mu, scheme, tolerance):
    """Each impact has one contact, whose impulse is unique: velocities and impulses agree."""
    model, start = linkage(restitution, mu)
    motions = [
        simulate(model, start, h=2e-3, steps=3, scheme=scheme, **SEQUENTIAL, coordinates=coordinates)
        for coordinates in ("reduced", "maximal")
    ]
    for motion in motions:
        np.testing.assert_allclose(np.diff(motion.energies), motion.work.total, rtol=0, atol=1e-12)
        assert np.sum(motion.work.contacts) < (-0.1 if restitution < 1.0 else 1e-12)
        if scheme == "rattle":
            assert np.max(np.diff(motion.energies)) < 1e-6
            if restitution == 1.0:
                np.testing.assert_allclose(motion.energies, motion.energies[0], rtol=1e-6)
        assert any(len(np.flatnonzero(record.impulses[:, 0])) > 1 for record in motion.contacts)
    np.testing.assert_allclose(*(motion.body_states.phi[-1] for motion in motions), rtol=0, atol=tolerance)
    impulses = [sum(np.abs(record.impulses).sum(axis=0) for record in motion.contacts) for motion in motions]
    assert (impulses[0][1] > 0.01) == (mu > 0)
    np.testing.assert_allclose(*impulses, rtol=0, atol=tolerance)


def test_sequential_impacts_differ_from_simultaneous_ones():
    """Simultaneous: the first pair separates as it approached, and the others move together."""
    model = cradle([1.0] * 3)
    start = model.state(qdot={"ball 0": -1.0})
    after = {
        impacts: -simulate(model, start, h=0.001, steps=1, impacts=impacts, **REDUCED).states.qdot[-1]
        for impacts in ("simultaneous", "sequential")
    }
    np.testing.assert_allclose(after["simultaneous"], [-1 / 3, 2 / 3, 2 / 3], atol=1e-5)
    np.testing.assert_allclose(after["sequential"], [0, 0, 1], atol=1e-5)


def test_armature_takes_part_in_an_impact():
    """A rotor on the second hinge makes it heavier."""
    model = cradle([1.0, 1.0])
    heavy = replace(model.bodies[1], armature=1.0)
    model = Model([model.bodies[0], heavy], mu=0.0, restitution=1.0, gravity=np.zeros(3))
    inertia = model.bodies[0].spatial_inertia[1, 1] + 1.0
    start = model.state(qdot={"ball 0": -1.0})
    motion = simulate(model, start, h=0.001, steps=1, **SEQUENTIAL, **REDUCED)
    expected = speeds_after([1.0, 0.0], [inertia, inertia + 1.0], 1.0)
    np.testing.assert_allclose(-motion.states.qdot[-1], expected, atol=1e-5)


def test_smooth_schemes_refuse_sequential_impacts():
    model = cradle([1.0])
    with pytest.raises(InvalidArgument, match="impacts: got 'sequential', expected 'simultaneous' with"):
        simulate(model, h=0.01, steps=1, scheme="DOP853", **SEQUENTIAL)
