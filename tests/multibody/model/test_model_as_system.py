"""A model as a mechanical system: its matrices and forces, and the schemes of the dynamics on it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from rbnotes import Body, Model, joints, se3, simulate
from rbnotes.arguments import InvalidArgument
from rbnotes.dynamics import (
    bridson_marino,
    energy_conserving_euler,
    fully_implicit_euler,
    implicit_euler,
    implicit_midpoint,
    implicit_momentum_conserving_euler,
    integrate,
    momentum_conserving_euler,
    runge_kutta,
    symplectic_euler,
    trapezoidal,
)
from rbnotes.forces import (
    ForceGroups,
    LinearSpring,
    PathForces,
    on_body,
    on_particle,
    on_world,
    path_through,
)
from rbnotes.inertia import spatial_inertia
from rbnotes.multibody import (
    bias_forces,
    damping,
    equilibrium,
    forward_dynamics,
    frame_jacobian,
    frame_jacobian_rate,
    inverse_dynamics,
    joint_wrench,
    kinetic_energy,
    mass_matrix,
    maximal_coordinates,
    potential_energy,
    stiffness,
)
from rbnotes.multibody.formats import to_mjcf
from rbnotes.multibody.reduced import LoopClosure

GRAVITY = np.array([0.5, 1.0, -9.0])
MASSES = np.array([0.75, 1.25])
INERTIAS = [
    spatial_inertia(2.0, np.diag([0.2, 0.3, 0.4]), [0.05, -0.1, 0.02]),
    spatial_inertia(1.0, np.diag([0.1, 0.15, 0.12]), [0.0, 0.03, -0.04]),
]
BODIES = [Body("a", inertia=INERTIAS[0]), Body("b", inertia=INERTIAS[1])]
ARM = Body(
    "arm",
    inertia=INERTIAS[1],
    parent="b",
    joint=joints.Revolute([0, 1, 0]),
    joint_frame=se3.exp([0.1, 0.2, 0.3, 0.1, -0.2, 0.3]),
    stiffness=3.0,
    damping=0.25,
    armature=0.1,
)
SCHEMES = (
    symplectic_euler,
    implicit_euler,
    trapezoidal,
    bridson_marino,
    fully_implicit_euler,
    implicit_midpoint,
    momentum_conserving_euler,
    energy_conserving_euler,
    implicit_momentum_conserving_euler,
)
SECOND_ORDER = (trapezoidal, bridson_marino, implicit_midpoint)
FREE_ONLY = SCHEMES[-3:]


def springs(*others):
    points = (on_body(0, [0.1, 0.2, 0.0]), on_particle(0)), (on_particle(0), on_particle(1)), *others
    return [PathForces(LinearSpring(20.0, rest_length=0.2), path_through(*pair)) for pair in points]


FREE = Model(BODIES, particles=MASSES, forces=springs(), gravity=GRAVITY)
JOINTED = Model([*BODIES, ARM], particles=MASSES, forces=springs(), gravity=GRAVITY)


@pytest.fixture
def rng():
    return np.random.default_rng(17)


def motion(rng, model):
    """Return a state of a model with random poses, positions and velocities."""
    q = {"arm": 0.3} if model is not FREE else {}
    return model.state(
        poses={name: se3.exp(rng.normal(size=6)) for name in "ab"},
        twists={name: rng.normal(size=6) for name in "ab"},
        q=q,
        qdot={name: -0.7 for name in q},
        x=rng.normal(size=(2, 3)),
        v=rng.normal(size=(2, 3)),
        t=0.5,
    )


def derivative(function, size, step=1e-6):
    """Return the derivative ``(n, size)`` of a function of increments at zero, by central differences."""
    columns = [(function(step * e) - function(-step * e)) / (2 * step) for e in np.eye(size)]
    return np.transpose(columns)


def test_mass_matrix_of_free_bodies_is_block_diagonal(rng):
    state = motion(rng, FREE)
    M = FREE.mass_matrix(state)
    np.testing.assert_allclose(M[:6, :6], INERTIAS[0], rtol=1e-14)
    np.testing.assert_allclose(M[6:12, 6:12], INERTIAS[1], rtol=1e-14)
    np.testing.assert_allclose(M[12:, 12:], np.diag(np.repeat(MASSES, 3)), rtol=1e-14)
    assert np.count_nonzero(M[:6, 6:]) == np.count_nonzero(M[6:12, 12:]) == 0
    np.testing.assert_array_equal(mass_matrix(FREE, state), M)


def test_free_bodies_have_the_forces_that_they_have_beside_a_tree(rng):
    """A joint elsewhere changes the algorithm, not the motion of the bodies that it does not touch."""
    post = Body("arm", inertia=INERTIAS[0], joint=joints.Revolute([1, 0, 0]))
    beside = Model([*BODIES, post], particles=MASSES, forces=springs(), gravity=GRAVITY)
    state = motion(rng, FREE)
    with_post = beside.state(
        poses=dict(zip("ab", state.E, strict=True)),
        twists=dict(zip("ab", state.phi, strict=True)),
        x=state.x,
        v=state.v,
        t=state.t,
    )
    assert FREE.free_system is not None
    assert beside.free_system is None
    a = rng.normal(size=state.size)
    n = state.size
    for name in ("mass_matrix", "force", "acceleration"):
        expected = getattr(beside, name)(with_post)[(slice(n),) * (2 if name == "mass_matrix" else 1)]
        np.testing.assert_allclose(getattr(FREE, name)(state), expected, rtol=1e-11, atol=1e-11)
    result = FREE.linearized_residual(state, a)
    expected = beside.linearized_residual(with_post, np.append(a, 0.0))
    np.testing.assert_allclose(result.f, expected.f[:n], rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(result.D.toarray(), expected.D[:n, :n], rtol=1e-11, atol=1e-10)
    # The mass matrix is constant, so that K does not contain the acceleration.
    np.testing.assert_allclose(result.K.toarray(), expected.K[:n, :n], rtol=1e-11, atol=1e-10)
    np.testing.assert_allclose(bias_forces(FREE, state), bias_forces(beside, with_post)[:n], atol=1e-11)


@pytest.mark.slow
@pytest.mark.parametrize("model", [FREE, JOINTED], ids=["free", "jointed"])
def test_derivatives_are_those_of_the_force_and_of_the_residual(rng, model):
    state = motion(rng, model)
    a = rng.normal(size=state.size)

    def residual(at):
        return model.force(at) - model.mass_matrix(at) @ a

    for function, (f, K, D) in (
        (model.force, model.linearized_force(state)),
        (residual, model.linearized_residual(state, a)),
    ):
        K, D = (each.toarray() if sparse.issparse(each) else each for each in (K, D))
        by_position = derivative(lambda dx, g=function: g(model.retract(state, dx, 0.0)), state.size)
        by_velocity = derivative(
            lambda dv, g=function: g(state.with_velocity(state.velocity + dv)), state.size
        )
        np.testing.assert_allclose(f, function(state), rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(K, by_position, rtol=1e-6, atol=2e-7)
        np.testing.assert_allclose(D, by_velocity, rtol=1e-6, atol=2e-7)
    np.testing.assert_allclose(
        stiffness(model, state),
        derivative(lambda dx: model.force(model.retract(state, dx, 0.0)), state.size),
        rtol=1e-6,
        atol=2e-7,
    )
    np.testing.assert_allclose(
        damping(model, state),
        derivative(lambda dv: model.force(state.with_velocity(state.velocity + dv)), state.size),
        rtol=1e-6,
        atol=2e-7,
    )


@pytest.mark.parametrize("model", [FREE, JOINTED], ids=["free", "jointed"])
def test_functions_of_a_model_agree_with_its_methods(rng, model):
    state = motion(rng, model)
    tau, a = rng.normal(size=state.size), rng.normal(size=state.size)
    M, f = model.mass_matrix(state), model.force(state)
    np.testing.assert_allclose(M @ forward_dynamics(model, state, tau), f + tau, rtol=1e-11, atol=1e-10)
    np.testing.assert_allclose(M @ model.acceleration(state), f, rtol=1e-11, atol=1e-10)
    np.testing.assert_allclose(inverse_dynamics(model, state, a), M @ a - f, rtol=1e-11, atol=1e-10)
    np.testing.assert_allclose(kinetic_energy(model, state), state.velocity @ M @ state.velocity / 2)
    np.testing.assert_allclose(
        model.energy(state), kinetic_energy(model, state) + potential_energy(model, state)
    )


def test_the_energy_changes_by_the_power_of_the_dampers_alone(rng):
    """The energy contains springs in joints and on particles, gravity and the rotor."""
    state = motion(rng, JOINTED)
    h = 1e-5
    ahead, behind = (runge_kutta_for(JOINTED, state, sign * h) for sign in (1, -1))
    power = (JOINTED.energy(ahead) - JOINTED.energy(behind)) / (2 * h)
    np.testing.assert_allclose(power, -0.25 * state.qdot[0] ** 2, rtol=1e-4)


def runge_kutta_for(model, state, t):
    """Return the state after a time that may be negative, by the explicit midpoint rule."""
    v, a = state.velocity, model.acceleration(state)
    middle = model.retract(state, t / 2 * v, t / 2).with_velocity(v + t / 2 * a)
    a_middle = model.acceleration(middle)
    return model.retract(state, t * middle.velocity, t).with_velocity(v + t * a_middle)


@pytest.mark.slow
@pytest.mark.parametrize(
    "scheme",
    SCHEMES,
    ids=[
        "symplectic_euler",
        "implicit_euler",
        "trapezoidal",
        "bridson_marino",
        "fully_implicit_euler",
        "implicit_midpoint",
        "momentum_conserving",
        "energy_conserving",
        "implicit_momentum_conserving",
    ],
)
@pytest.mark.parametrize("model", [FREE, JOINTED], ids=["free", "jointed"])
def test_every_scheme_steps_a_model_with_its_order(rng, model, scheme):
    state = motion(rng, model)
    if scheme in FREE_ONLY and model is JOINTED:
        with pytest.raises(InvalidArgument, match="system: got Model, expected a Model of free bodies"):
            scheme(model, state, 0.01)
        return
    reference = runge_kutta(model, state, 0.04)

    def error(steps):
        end = integrate(scheme, model, state, 0.04 / steps, steps)[-1]
        increments = [se3.log(se3.inverse(A) @ B) for A, B in zip(reference.E, end.E, strict=True)]
        parts = [*increments, end.x - reference.x, end.q - reference.q, end.velocity - reference.velocity]
        return np.linalg.norm(np.concatenate([np.ravel(each) for each in parts]))

    coarse, fine = error(8), error(16)
    if scheme in SECOND_ORDER and model is JOINTED and scheme is not implicit_midpoint:
        # A varying mass matrix lowers their order, but its share of the error is small here.
        assert 1.7 < coarse / fine < 4.6
    else:
        order = 2 if scheme in SECOND_ORDER else 1
        assert coarse / fine == pytest.approx(2**order, rel=0.15)


def test_accurate_steps_agree_with_the_simulation(rng):
    model = Model([*BODIES, ARM], gravity=GRAVITY)
    state = model.state(
        poses={name: se3.exp(rng.normal(size=6)) for name in "ab"},
        twists={name: rng.normal(size=6) for name in "ab"},
        q={"arm": 0.3},
    )
    result = runge_kutta(model, state, 0.2)
    expected = simulate(model, state, h=0.2, steps=1, scheme="DOP853").states[-1]
    np.testing.assert_allclose(result.E, expected.E, rtol=0, atol=1e-7)
    np.testing.assert_allclose(result.q, expected.q, rtol=0, atol=1e-7)
    np.testing.assert_allclose(result.velocity, expected.velocity, rtol=0, atol=1e-7)


def test_matrices_of_many_free_bodies_are_sparse():
    count = 60
    model = Model([Body(str(i), inertia=INERTIAS[0]) for i in range(count)], particles=[2.0])
    state = model.state(x=np.zeros((1, 3)))
    M = model.mass_matrix(state)
    assert sparse.issparse(M)
    np.testing.assert_array_equal(M.toarray()[:6, :6], INERTIAS[0])
    assert all(sparse.issparse(each) for each in model.linearized_force(state)[1:])
    assert isinstance(mass_matrix(model, state), np.ndarray)
    assert isinstance(stiffness(model, state), np.ndarray)


def test_particles_fall_and_stay_out_of_the_motion_of_bodies(rng):
    particles = Model(particles=MASSES, gravity=GRAVITY)
    x, v = rng.normal(size=(2, 3)), rng.normal(size=(2, 3))
    end = runge_kutta(particles, particles.state(x=x, v=v), 0.5)
    np.testing.assert_allclose(end.x, x + 0.5 * v + GRAVITY / 8, rtol=1e-12)
    assert repr(particles) == "<Model: 2 particles>"
    assert repr(JOINTED) == "<Model: 3 bodies (a, b, arm), 2 particles>"

    alone, beside = Model([*BODIES, ARM]), Model([*BODIES, ARM], particles=MASSES)
    state = motion(rng, beside)
    same = alone.state(
        poses=dict(zip("ab", state.E, strict=True)),
        twists=dict(zip("ab", state.phi, strict=True)),
        q={"arm": 0.3},
        qdot={"arm": -0.7},
    )
    keep = np.r_[:12, 18]
    np.testing.assert_allclose(joint_wrench(beside, state, "arm"), joint_wrench(alone, same, "arm"))
    for function in (frame_jacobian, frame_jacobian_rate):
        J = function(beside, state, "arm")
        np.testing.assert_allclose(J[:, keep], function(alone, same, "arm"), atol=1e-13)
        assert not np.any(J[:, 12:18])


def test_equilibrium_of_particles_on_springs():
    points = path_through(on_world([0, 0, 0]), on_particle(0)), path_through(on_particle(0), on_particle(1))
    chain = ForceGroups([PathForces(LinearSpring(100.0, rest_length=0.5), each) for each in points])
    model = Model(particles=MASSES, forces=chain)
    rest = equilibrium(model, model.state(x=[[0.1, 0, -0.5], [0, 0.1, -1.1]], v=np.ones((2, 3))))
    first = -0.5 - 9.81 * MASSES.sum() / 100
    np.testing.assert_allclose(rest.x[:, 2], [first, first - 0.5 - 9.81 * MASSES[1] / 100], rtol=1e-12)
    np.testing.assert_allclose(rest.x[:, :2], 0, atol=1e-10)
    np.testing.assert_array_equal(rest.v, 0)


def test_equality_constraints_act_on_accelerations():
    closure = LoopClosure("a", [0.1, 0, 0], "b", [-0.1, 0, 0])
    model = Model(BODIES, constraints=[closure], gravity=GRAVITY)
    state = model.state(poses={"b": se3.frame(np.eye(3), [0.2, 0, 0])}, twists={"a": [0, 0, 1.0, 0, 0, 0]})
    state = state.with_velocity(np.r_[0, 0, 1.0, 0, 0, 0, 0, 0, 1.0, 0, 0.2, 0])
    a = model.acceleration(state)
    # The points of the bodies that coincide have equal accelerations in the world.
    points = [np.array([0.1, 0, 0]), np.array([-0.1, 0, 0])]
    omega, spin = np.split(state.phi, 2, axis=1), np.split(a.reshape(2, 6), 2, axis=1)
    accelerations = [
        spin[1][i] + np.cross(spin[0][i], p) + np.cross(omega[0][i], omega[1][i] + np.cross(omega[0][i], p))
        for i, p in enumerate(points)
    ]
    np.testing.assert_allclose(*accelerations, atol=1e-10)
    assert np.linalg.norm(model.mass_matrix(state) @ a - model.force(state)) > 0.1


def test_what_does_not_support_particles_says_so():
    model = Model(BODIES, particles=MASSES)
    for function in (maximal_coordinates, to_mjcf):
        with pytest.raises(InvalidArgument, match="model: particles: got 2, expected none"):
            function(model)
    with pytest.raises(InvalidArgument, match=r"x: got None, expected positions \(2, 3\)"):
        model.state()
    with pytest.raises(InvalidArgument, match="0 particles, expected 2 poses and 0 of each, 2 particles"):
        model.force(Model(BODIES).state())
    with pytest.raises(InvalidArgument, match="bodies: got none, expected one or more, or particles"):
        Model([])
    with pytest.raises(InvalidArgument, match="particles"):
        Model(particles=[1.0, -1.0])
