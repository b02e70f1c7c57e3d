"""A body in flight: momentum, energy, analytic solutions, order, gravity."""

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given
from scipy.integrate import solve_ivp

from rbnotes import Body, Model, inertia, se3, so3
from rbnotes.arguments import InvalidArgument
from rbnotes.dynamics import (
    Forces,
    State,
    body_acceleration,
    bridson_marino,
    gravity_wrench,
    gyroscopic_wrench,
    implicit_euler,
    integrate,
    kinetic_energy,
    runge_kutta,
    spatial_momentum,
    symplectic_euler,
    trapezoidal,
)
from rbnotes.forces import (
    Damping,
    ForceGroups,
    PathForces,
    SpringDamper,
    on_body,
    on_particle,
    on_world,
    path_through,
)
from rbnotes.testing import jacobian
from rbnotes.testing.strategies import frames, inertias, masses, twists, vectors

M = inertia.spatial_inertia(2.0, np.diag([0.4, 0.7, 0.9]), [0.1, -0.2, 0.3])
START = State(se3.exp([0.3, -0.2, 0.5, 1.0, 0.0, 2.0]), np.array([1.0, 2.0, -0.5, 0.3, 0.4, -0.2]))


def one_body(M, **fields):
    """Return a model of one free body."""
    return Model([Body("body", inertia=M)], **fields)


FREE = one_body(M, gravity=[0.0, 0.0, 0.0])


@given(masses(), inertias(), vectors(), twists(), twists())
def test_acceleration_against_pinocchio(m, J, c, phi, wrench):
    first = [3, 4, 5, 0, 1, 2]
    body, twist = pin.Inertia(m, c, J), pin.Motion(phi[first])
    rate = body_acceleration(inertia.spatial_inertia(m, J, c), phi, wrench)
    needed = body * pin.Motion(rate[first]) + twist.cross(body * twist)
    np.testing.assert_allclose(needed.vector[first], wrench, atol=1e-8)


@given(masses(), inertias(), vectors(), twists())
def test_gyroscopic_wrench_does_no_work(m, J, c, phi):
    work = phi @ gyroscopic_wrench(inertia.spatial_inertia(m, J, c), phi)
    np.testing.assert_allclose(work, 0, atol=1e-10)


@given(masses(), inertias(), vectors(), frames(), twists(), vectors())
def test_gravity_does_the_work_of_the_weight(m, J, c, E, phi, g):
    wrench = gravity_wrench(E, inertia.spatial_inertia(m, J, c), g)
    np.testing.assert_allclose(wrench @ phi, m * g @ se3.point_velocity(E, c, phi), atol=1e-9)


@pytest.mark.slow
def test_free_flight_conserves_momentum_and_energy():
    path = integrate(runge_kutta, FREE, START, 0.1, 20)
    momentum = spatial_momentum(M, path.E[:, 0], path.phi[:, 0])
    np.testing.assert_allclose(momentum, np.broadcast_to(momentum[0], momentum.shape), atol=1e-7)
    energy = kinetic_energy(M, path.phi[:, 0])
    np.testing.assert_allclose(energy, energy[0], rtol=1e-8)


@pytest.mark.slow
def test_precession_of_an_axisymmetric_body():
    """A symmetric top without torque turns about its axis while the axis goes round the angular momentum."""
    I1, I3, spin = 0.5, 0.8, np.array([0.6, 0.0, 3.0])
    top = inertia.spatial_inertia(1.0, np.diag([I1, I1, I3]))
    h, steps = 0.05, 20
    start = State(np.eye(4), np.append(spin, np.zeros(3)))
    path = integrate(runge_kutta, one_body(top, gravity=[0, 0, 0]), start, h, steps)
    t = h * np.arange(steps + 1)
    rate = (I3 - I1) / I1 * spin[2]
    expected = np.stack(
        [spin[0] * np.cos(rate * t), spin[0] * np.sin(rate * t), np.full_like(t, spin[2])], axis=1
    )
    np.testing.assert_allclose(path.phi[:, 0, :3], expected, atol=1e-8)
    momentum = np.array([I1 * spin[0], 0, I3 * spin[2]])
    rotations = so3.exp(t[:, None] * momentum / I1) @ so3.exp(-t[:, None] * [0, 0, rate])
    np.testing.assert_allclose(path.E[:, 0, :3, :3], rotations, atol=1e-8)


@given(inertias(), masses(), vectors(), twists())
def test_gyroscopic_damping_is_the_derivative(J, m, c, phi):
    body = inertia.spatial_inertia(m, J, c)
    result = one_body(body).linearized_force(State(np.eye(4), phi)).D.toarray()
    expected = jacobian(lambda twist: gyroscopic_wrench(body, twist), phi).value
    np.testing.assert_allclose(result, expected, rtol=0, atol=1e-7 * (1 + np.abs(expected).max()))


def tumbling_system():
    """Return two spinning bodies and a particle on springs and dampers, under gravity, in general frames."""
    bodies = np.stack([M, inertia.spatial_inertia(1.1, np.diag([0.3, 0.2, 0.25]), [-0.1, 0.1, 0.2])])
    groups = ForceGroups(
        [
            PathForces(
                SpringDamper(9.0, 1.0, 0.6),
                path_through(on_body(0, [0.3, 0.1, -0.2]), on_body(1, [-0.2, 0.4, 0.1])),
            ),
            PathForces(
                SpringDamper(7.0, 0.8, 0.3), path_through(on_body(1, [0.1, 0.0, 0.3]), on_particle(0))
            ),
            PathForces(
                SpringDamper(12.0, 0.5, 0.2),
                path_through(on_world([0.2, 1.0, 3.0]), on_body(0, [0.0, 0.2, 0.1])),
            ),
            Damping(0.2, [0, 1]),
        ]
    )
    named = [Body(name, inertia=each) for name, each in zip("ab", bodies, strict=True)]
    system = Model(named, particles=[0.7], forces=groups)
    poses = se3.exp([[0.3, -0.2, 0.5, 1.0, 0.0, 2.0], [-0.6, 0.4, 0.1, 0.2, 1.1, 1.4]])
    twists = [[1.0, 2.0, -0.5, 0.3, 0.4, -0.2], [-1.5, 0.3, 0.8, 0.1, -0.6, 0.4]]
    return system, State(poses, twists, [[0.3, 1.8, 0.9]], [[0.5, -0.4, 0.2]])


@pytest.mark.slow
def test_forces_and_their_derivatives():
    system, state = tumbling_system()
    result = system.linearized_force(state)
    np.testing.assert_allclose(result.f, system.force(state), rtol=1e-13, atol=1e-13)
    K = jacobian(lambda xi: system.force(state.retract(xi)), np.zeros(15)).value
    D = jacobian(lambda v: system.force(state.with_velocity(v)), state.velocity).value
    np.testing.assert_allclose(result.K.toarray(), K, rtol=0, atol=1e-7)
    np.testing.assert_allclose(result.D.toarray(), D, rtol=0, atol=1e-7)
    # What gravity and the gyroscopic wrench contribute is not small beside it.
    applied = system.forces(state)
    assert abs(result.K - applied.K).max() > 0.1
    assert abs(result.D - applied.D).max() > 0.1


def test_power_is_the_rate_of_the_energy():
    system, state = tumbling_system()
    groups, h = system.forces, 1e-4
    ends = [runge_kutta(system, state, each * h) for each in (1, 2)]
    energies = [system.energy(s) for s in (state, *ends)]
    rate = (4 * energies[1] - 3 * energies[0] - energies[2]) / (2 * h)
    assert rate == pytest.approx(-groups.dissipated_power(state), rel=1e-4)


def flatten_state(state):
    return np.concatenate([state.E[:, :3].ravel(), state.x.ravel(), state.velocity])


@pytest.mark.slow
def test_runge_kutta_against_the_entries_of_the_poses():
    """The poses as twelve free numbers each, dE/dt = E [phi]: no increments."""
    system, state = tumbling_system()

    def rates(_, y):
        E = np.tile(np.eye(4), (2, 1, 1))
        E[:, :3] = y[:24].reshape(2, 3, 4)
        U, _, Vt = np.linalg.svd(E[:, :3, :3])  # leaves the group by rounding
        new_state = State(se3.frame(U @ Vt, E[:, :3, 3]), x=y[24:27].reshape(1, 3)).with_velocity(y[27:])
        accelerations = np.linalg.solve(system.mass_matrix(new_state), system.force(new_state))
        return np.concatenate(
            [(E @ se3.hat(new_state.phi))[:, :3].ravel(), new_state.v.ravel(), accelerations]
        )

    exact = solve_ivp(rates, (0, 0.1), flatten_state(state), rtol=1e-10, atol=1e-11, method="DOP853").y[:, -1]
    np.testing.assert_allclose(flatten_state(runge_kutta(system, state, 0.1)), exact, rtol=0, atol=1e-7)


@pytest.fixture(scope="module")
def exact():
    return flatten_state(runge_kutta(*tumbling_system(), 0.2))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("step", "order"), [(symplectic_euler, 1), (implicit_euler, 1), (trapezoidal, 2), (bridson_marino, 2)]
)
def test_order_of_every_scheme_for_bodies_and_particles(step, order, exact):
    (system, state), errors = tumbling_system(), []
    for steps in (8, 16):
        end = integrate(step, system, state, 0.2 / steps, steps)[steps]
        assert end.t == pytest.approx(0.2)
        errors.append(np.linalg.norm(flatten_state(end) - exact))
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.25)


@pytest.mark.slow
def test_thrown_body_follows_a_parabola():
    body = inertia.spatial_inertia(0.01, 1e-5 * np.diag([1.0, 2.0, 2.5]))
    g, h, steps = np.array([0.0, 0.0, -9.81]), 0.02, 25
    start = State(np.eye(4), np.array([0.0, 5.0, 0.0, 1.0, 0.0, 3.0]))
    path = integrate(runge_kutta, one_body(body, gravity=g), start, h, steps)
    t = h * np.arange(steps + 1)[:, None]
    np.testing.assert_allclose(path.E[:, 0, :3, 3], t * start.phi[0, 3:] + t**2 / 2 * g, atol=1e-9)


class TestErrors:
    def test_invalid_arguments_are_named(self):
        with pytest.raises(InvalidArgument, match="steps: got 0"):
            integrate(symplectic_euler, FREE, START, 0.1, 0)
        with pytest.raises(InvalidArgument, match="h: got -1"):
            symplectic_euler(FREE, START, -1.0)
        with pytest.raises(InvalidArgument, match=r"wrench: got shape \(3,\)"):
            body_acceleration(M, START.phi, np.zeros(3))
        with pytest.raises(InvalidArgument, match="M: got smallest eigenvalue"):
            kinetic_energy(-M, START.phi)
        with pytest.raises(InvalidArgument, match="body 'body': inertia: got"):
            one_body(-M)
        with pytest.raises(InvalidArgument, match="particles: got 0"):
            Model(particles=[0.0])
        with pytest.raises(InvalidArgument, match=r"state: got 1 poses, .* 1 particles, expected"):
            FREE.force(State(np.eye(4), x=[0.0, 0.0, 0.0]))
        with pytest.raises(InvalidArgument, match="forces: got tuple"):
            one_body(M, forces=lambda state: (1, 2)).force(START)
        wrong = Forces(np.zeros(6), np.eye(3), np.eye(6))
        with pytest.raises(InvalidArgument, match=r"forces K: got shape \(3, 3\)"):
            one_body(M, forces=lambda state: wrong).linearized_force(START)


@pytest.mark.parametrize(("bodies", "particles"), [(0, 3), (2, 0), (2, 2)])
def test_size_counts_six_for_a_body_and_three_for_a_particle(bodies, particles):
    system = Model([Body(str(i), inertia=M) for i in range(bodies)], particles=np.ones(particles))
    state = system.state(x=np.zeros((particles, 3)))
    assert state.size == system.mass_matrix(state).shape[0] == 6 * bodies + 3 * particles
