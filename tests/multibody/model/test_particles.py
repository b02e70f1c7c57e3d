"""Particles in simulations: against the model's own equations for particles, and as masses of bodies."""

from dataclasses import replace

import numpy as np
import pytest
from model_parts import shift

from rbnotes import joints, se3
from rbnotes.arguments import InvalidArgument
from rbnotes.dynamics import (
    Forces,
    fully_implicit_euler,
    implicit_euler,
    integrate,
    runge_kutta,
    symplectic_euler,
)
from rbnotes.forces import LinearSpring, PathForces, on_body, on_particle, on_world, path_through
from rbnotes.multibody import Body, Geometry, Model, Motor, load_trajectory, save_trajectory, simulate, step
from rbnotes.multibody.reduced import AttachedParticle, ConstraintRows
from rbnotes.shapes import Box, Plane, Sphere

COORDINATES = ("reduced", "maximal")
MASSES = [0.5, 0.3]
X, V = [[0.3, 0.1, 0.9], [0.6, -0.2, 1.1]], [[0.2, 0.4, -0.1], [-0.3, 0.1, 0.5]]
STONE = Body("stone", Box([0.2, 0.3, 0.1]), mass=1.5, pose=shift(0.9, 0.1, 1.0))
FLOOR = {"ground": [Geometry(Plane(), shift(0, 0, 0.8))]}
ARM = Body(
    "arm",
    Box([0.1, 0.1, 0.4]),
    mass=1.0,
    joint=joints.Revolute([0, 1, 0]),
    joint_frame=shift(0, 0, 1),
    body_frame=shift(0, 0, -0.2),
    collision=(),
)
TWIST = {"stone": [0.4, -0.3, 0.5, 0.1, 0.2, 0.3]}


def springs(first, last):
    """Return damped springs from the world through the particles, and between two bodies."""
    paths = [
        path_through(on_world([0, 0, 2]), on_particle(0)),
        path_through(on_particle(0), on_particle(1)),
        path_through(on_particle(1), on_body(last, [0.1, 0.1, 0])),
        path_through(on_particle(0), on_body(first, [0, 0.05, -0.2])),
    ]
    return [PathForces(LinearSpring(30.0, 0.4, 0.3), path) for path in paths]


def free_model(**options):
    return Model([STONE], particles=MASSES, forces=springs("stone", "stone"), **options)


def jointed_model(**options):
    return Model([STONE, ARM], particles=MASSES, forces=springs("arm", "stone"), **options)


def start(model):
    q = {"arm": 0.3} if len(model.bodies) == 2 else {}
    return model.state(x=X, v=V, q=q, qdot={name: -0.5 for name in q}, twists=TWIST)


def end_values(model, state):
    """Return the poses of all bodies and the positions and velocities of the particles."""
    bodies = model.body_state(state)
    return np.concatenate([each.ravel() for each in (bodies.E, bodies.phi, bodies.x, bodies.v)])


@pytest.mark.parametrize("coordinates", COORDINATES)
def test_particle_is_on_the_parabola(coordinates):
    model = Model(particles=MASSES)
    motion = simulate(model, model.state(x=X, v=V), h=0.1, steps=7, coordinates=coordinates)
    t = motion.t[:, None, None]
    np.testing.assert_allclose(motion.states.x, X + t * V + t**2 / 2 * model.gravity, atol=1e-13)
    np.testing.assert_allclose(motion.states.v, V + t * model.gravity, atol=1e-13)


@pytest.mark.slow
@pytest.mark.parametrize("coordinates", COORDINATES)
@pytest.mark.parametrize("build", [free_model, jointed_model])
def test_second_order_against_an_adaptive_method_on_the_equations_of_the_model(build, coordinates):
    model = build()
    state = start(model)
    exact = end_values(model, runge_kutta(model, state, 0.05))
    errors = []
    for steps in (10, 20):
        motion = simulate(model, state, h=0.05 / steps, steps=steps, coordinates=coordinates)
        errors.append(np.max(np.abs(end_values(model, motion.states[-1]) - exact)))
        np.testing.assert_allclose(np.diff(motion.energies), motion.work.total, rtol=0, atol=1e-12)
    assert 3.5 < errors[0] / errors[1] < 4.5
    assert errors[1] < 5e-3


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scheme", "coordinates"),
    [
        (symplectic_euler, "reduced"),
        (implicit_euler, "reduced"),
        (fully_implicit_euler, "reduced"),
        (symplectic_euler, "maximal"),
        (implicit_euler, "maximal"),
    ],
)
def test_schemes_take_the_steps_that_they_take_on_the_model(scheme, coordinates):
    model = jointed_model() if coordinates == "reduced" else free_model()
    state = start(model)
    if coordinates == "reduced":
        ends = integrate(scheme, model.tree, model.tree_state(state), 0.01, 10)
        expected = model.state_from_tree(ends[-1])
    else:
        expected = integrate(scheme, model, state, 0.01, 10)[-1]
    motion = simulate(model, state, h=0.01, steps=10, scheme=scheme, coordinates=coordinates)
    np.testing.assert_allclose(
        end_values(model, motion.states[-1]), end_values(model, expected), rtol=0, atol=1e-11
    )


@pytest.mark.slow
@pytest.mark.parametrize("coordinates", COORDINATES)
def test_attached_particle_is_a_point_mass_of_the_body(coordinates):
    point, mass = np.array([0.05, 0.02, -0.3]), 0.7
    J = se3.Gamma(point)
    loaded = Body(
        "arm",
        inertia=ARM.spatial_inertia + mass * J.T @ J,
        joint=ARM.joint,
        joint_frame=ARM.joint_frame,
        body_frame=ARM.body_frame,
    )
    model = Model([ARM], particles=[mass], constraints=[AttachedParticle(0, "arm", point)])
    E = model.body_state(model.state(x=[[0, 0, 0]], q={"arm": 0.8})).E[0]
    state = model.state(x=[se3.transform_points(E, point)], q={"arm": 0.8})
    motion = simulate(model, state, h=0.01, steps=50, coordinates=coordinates)
    alone = Model([loaded])
    expected = runge_kutta(alone, alone.state(q={"arm": 0.8}), 0.5)
    np.testing.assert_allclose(motion.q("arm")[-1], expected.q, atol=5e-4)
    points = se3.transform_points(motion.poses("arm"), point)
    np.testing.assert_allclose(motion.states.x[:, 0], points, atol=1e-9)
    np.testing.assert_allclose(np.diff(motion.energies), motion.work.total, rtol=0, atol=1e-12)


@pytest.mark.parametrize("coordinates", COORDINATES)
def test_particle_attached_to_the_world_stays(coordinates):
    model = Model(particles=MASSES, constraints=[AttachedParticle(1, None, X[1])])
    state = model.state(x=X, v=[V[0], [0, 0, 0]])
    motion = simulate(model, state, h=0.01, steps=20, coordinates=coordinates)
    np.testing.assert_allclose(motion.states.x[:, 1], np.tile(X[1], (21, 1)), atol=1e-12)
    assert motion.states.x[-1, 0, 2] == pytest.approx(0.9 - 0.1 * 0.2 - 9.81 * 0.2**2 / 2, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("coordinates", "compiled"),
    [("reduced", False), ("maximal", False), ("maximal", True)],
)
def test_a_run_in_two_parts_from_a_file_is_the_whole_run_bit_for_bit(coordinates, compiled, tmp_path):
    model = free_model(**FLOOR) if compiled else jointed_model(**FLOOR, actuators=[Motor("arm")])
    seen = []

    def control(state):
        seen.append((state.x.shape, len(state.E)))
        return {"arm": 5.0 * state.x[0, 2]}

    options = {"h": 0.01, "coordinates": coordinates, "compiled": compiled}
    if not compiled:
        options["control"] = control
    record = ["particle[1]", "particle[1].velocity", "stone", "energy"]
    whole = simulate(model, start(model), steps=40, record=record, **options)
    half = simulate(model, start(model), steps=25, record=record, **options)
    save_trajectory(half, tmp_path / "half.npz")
    loaded = load_trajectory(tmp_path / "half.npz", model)
    rest = simulate(model, loaded, steps=15, record=record, **options)
    assert any(np.any(each.impulses) for each in whole.contacts)
    assert whole.compiled == compiled
    for each in ("E", "phi", "x", "v", "q", "qdot"):
        np.testing.assert_array_equal(
            getattr(rest.states, each), getattr(whole.states, each)[25:], err_msg=each
        )
        np.testing.assert_array_equal(getattr(loaded.states, each), getattr(half.states, each))
    for name in record:
        np.testing.assert_array_equal(rest.recorded[name].values[1:], whole.recorded[name].values[26:])
        np.testing.assert_array_equal(loaded.recorded[name].values, half.recorded[name].values)
    np.testing.assert_array_equal(whole.recorded["particle[1]"].values, whole.states.x[:, 1])
    np.testing.assert_array_equal(whole.recorded["particle[1].velocity"].values, whole.states.v[:, 1])
    np.testing.assert_array_equal(whole.body_states.x, whole.states.x)
    assert whole.tree_q.shape == (41, model.tree.num_coordinates)
    assert whole.actuator_impulses.shape == (40, model.tree.num_coordinates)
    assert set(seen) <= {((2, 3), 1)}
    assert len(seen) >= 80 or compiled


@pytest.mark.slow
def test_compiled_steps_move_particles_as_the_reference():
    model = free_model(**FLOOR)
    runs = [
        simulate(model, start(model), h=0.01, steps=60, compiled=compiled, coordinates="maximal")
        for compiled in (False, True)
    ]
    ends = [end_values(model, run.states[-1]) for run in runs]
    np.testing.assert_allclose(ends[1], ends[0], rtol=1e-7, atol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("coordinates", COORDINATES)
def test_contacts_of_bodies_do_not_feel_free_particles(coordinates):
    ball = Body("ball", Sphere(0.1), mass=1.0, position=[0.3, 0.1, 0.3])
    options = {"ground": Plane(), "restitution": 0.5}
    alone, beside = Model([ball], **options), Model([ball], particles=MASSES, **options)
    motions = [
        simulate(model, state, h=0.01, steps=50, coordinates=coordinates)
        for model, state in ((alone, alone.state()), (beside, beside.state(x=X)))
    ]
    np.testing.assert_allclose(motions[1].poses("ball"), motions[0].poses("ball"), atol=1e-12)
    assert motions[1].states.x[-1, 0, 2] < 0, "it falls through the ball and the floor"


def test_one_step_returns_a_state_of_the_model():
    model = jointed_model()
    end = step(model, start(model), 0.01)
    model.check_state(end)
    expected = runge_kutta(model, start(model), 0.01)
    np.testing.assert_allclose(end.x, expected.x, atol=1e-5)


def test_refusals_name_the_argument():
    model = jointed_model()
    with pytest.raises(InvalidArgument, match="positions of the particles"):
        simulate(model, h=0.01, steps=1)
    other = Model([ARM])
    with pytest.raises(InvalidArgument, match="2 particles"):
        simulate(model, other.state(), h=0.01, steps=1)
    missing = Model([ARM], particles=[1.0], constraints=[AttachedParticle(1, "arm", [0, 0, 0])])
    with pytest.raises(InvalidArgument, match=r"constraints.*particle 1"):
        simulate(missing, missing.state(x=[[0, 0, 0]]), h=0.01, steps=1)

    def short_force(state):
        return Forces.without_derivatives(np.zeros(3))

    wrong = Model([ARM], particles=[1.0], forces=short_force)
    with pytest.raises(InvalidArgument, match="forces"):
        simulate(wrong, wrong.state(x=[[0, 0, 0]]), h=0.01, steps=1)


class Winch:
    """Rod between two particles whose length s decreases by 0.1 m for each radian of the arm."""

    unilateral = False
    RATE = 0.1

    def __init__(self, length):
        self.length = length

    def rows(self, tree, state, t):
        column = 3 * len(state.x) + tree.coordinate_slices[tree.index("arm")].start
        d, ddot, s = state.x[0] - state.x[1], state.v[0] - state.v[1], self.length - self.RATE * state.q[-1]
        G = np.zeros((1, state.size))
        G[0, :6], G[0, column] = np.append(d, -d), s * self.RATE
        bias = ddot @ ddot - (self.RATE * state.qdot[-1]) ** 2
        return ConstraintRows(G, np.array([d @ d - s**2]) / 2, np.zeros(1), np.array([bias]))


@pytest.mark.slow
@pytest.mark.parametrize("coordinates", COORDINATES)
def test_user_defined_constraint_of_particles_and_a_joint(coordinates):
    free = jointed_model()
    state = start(free)
    d = state.x[0] - state.x[1]
    winch = Winch(np.linalg.norm(d) + Winch.RATE * state.q[0])
    model = replace(free, constraints=[winch])
    G = winch.rows(model.tree, model.tree_state(state), 0.0).G[0]
    rate = G[:6] @ state.v.ravel() + G[-1] * state.qdot[0]
    v = state.v - np.stack([d, -d]) * rate / (2 * d @ d)
    state = model.state(x=X, v=v, q={"arm": 0.3}, qdot={"arm": -0.5}, twists=TWIST)
    exact = end_values(model, runge_kutta(model, state, 0.1))
    errors = []
    for steps in (20, 40):
        motion = simulate(model, state, h=0.1 / steps, steps=steps, coordinates=coordinates)
        end = motion.states[-1]
        errors.append(np.max(np.abs(end_values(model, end) - exact)))
        assert abs(winch.rows(model.tree, model.tree_state(end), 0.0).error[0]) < 1e-9
    assert 3.5 < errors[0] / errors[1] < 4.5
    assert errors[1] < 5e-3
    violating = model.state(x=np.add(X, [[0.1, 0, 0], [0, 0, 0]]), v=v, q={"arm": 0.3})
    with pytest.raises(InvalidArgument, match=r"a violation of .* of UserDefinedConstraint"):
        simulate(model, violating, h=0.01, steps=1, coordinates=coordinates)
