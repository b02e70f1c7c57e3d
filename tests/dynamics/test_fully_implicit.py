"""Fully implicit steps of systems with constant mass matrices: bodies, particles, generalized coordinates."""

import numpy as np
import pytest

from rbnotes import Body, Model, inertia, se3
from rbnotes.arguments import InvalidArgument
from rbnotes.dynamics import (
    FullyImplicitScheme,
    State,
    fully_implicit_euler,
    implicit_midpoint,
    integrate,
    mechanical_system,
    runge_kutta,
)
from rbnotes.forces import ForceGroups, LinearSpring, PathForces, on_body, on_particle, on_world, path_through
from rbnotes.testing import jacobian

STEPS = {"end": fully_implicit_euler, "middle": implicit_midpoint}
BODY = inertia.spatial_inertia(2.0, np.diag([0.3, 0.5, 0.7]), [0.1, -0.2, 0.05])


def bodies(springs=True, gravity=(0.3, -9.0, 2.0)):
    law = LinearSpring(30.0, 0.4, 0.5)
    ends = [
        (on_body(0, [0.3, 0.2, 0.1]), on_body(1, [-0.2, 0.4, 0.0])),
        (on_body(1, [0.5, 0.0, 0.2]), on_particle(0)),
        (on_particle(0), on_world([1.0, 1.0, 1.0])),
    ]
    groups = [PathForces(law, path_through(*pair)) for pair in ends] if springs else []
    bodies = [Body(name, inertia=BODY) for name in "ab"]
    system = Model(bodies, particles=[0.7], gravity=gravity, forces=ForceGroups(groups))
    rng = np.random.default_rng(3)
    start = State(
        se3.exp(rng.normal(size=(2, 6))),
        2 * rng.normal(size=(2, 6)),
        rng.normal(size=(1, 3)),
        rng.normal(size=(1, 3)),
    )
    return system, start


@pytest.mark.parametrize("name", STEPS)
def test_the_equations_of_motion_hold(name):
    """For bodies that rotate far in one step; Newton's method needs few corrections."""
    step, (system, start), h = FullyImplicitScheme(STEPS[name].fraction, max_iterations=7), bodies(), 0.15
    after, c = step(system, start, h), step.fraction
    mean = start.velocity + c * (after.velocity - start.velocity)
    np.testing.assert_allclose(after.E, start.E @ se3.exp(h * mean[:12].reshape(2, 6)), atol=1e-13)
    intermediate_state = start.retract(c * h * mean, c * h).with_velocity(mean)
    rate = system.mass_matrix(intermediate_state) @ (after.velocity - start.velocity) / h
    np.testing.assert_allclose(system.force(intermediate_state), rate, atol=1e-8 * np.linalg.norm(rate))
    assert np.linalg.norm(h * mean[:3]) > 0.3


@pytest.mark.slow
@pytest.mark.parametrize(("name", "order"), [("end", 1), ("middle", 2)])
def test_order(name, order):
    system, start = bodies()

    def pack(state):
        return np.concatenate([state.E.ravel(), state.x.ravel(), state.velocity])

    exact, errors = pack(runge_kutta(system, start, 0.05, rtol=1e-9, atol=1e-10)), []
    for steps in (3, 6):
        end = integrate(STEPS[name], system, start, 0.05 / steps, steps)[steps]
        errors.append(np.linalg.norm(pack(end) - exact))
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.1)


def test_generalized_coordinates():
    def force(q, qdot):
        return np.array(
            [np.sin(q[1]) - q[0] ** 3 - 0.2 * qdot[0] * q[1], -4 * q[1] + q[0] - 0.1 * qdot[1] ** 3]
        )

    M = np.array([[2.0, 0.3], [0.3, 1.0]])
    system = mechanical_system(
        M,
        force,
        lambda q, qdot: jacobian(lambda q: force(q, qdot), q).value,
        lambda q, qdot: jacobian(lambda v: force(q, v), qdot).value,
    )
    start = State(q=[0.5, -1.0], qdot=[1.0, 2.0])
    after = fully_implicit_euler(system, start, 0.5)
    np.testing.assert_allclose(after.q, start.q + 0.5 * after.qdot, rtol=1e-14)
    np.testing.assert_allclose(M @ (after.qdot - start.qdot) / 0.5, force(after.q, after.qdot), atol=1e-9)


def test_midpoint_conserves_energy_of_a_free_body_better():
    system, start = bodies(springs=False, gravity=(0.0, 0.0, 0.0))
    energy_losses = {}
    for name, step in STEPS.items():
        states = integrate(step, system, start, 0.05, 20)
        energy_losses[name] = abs(system.energy(states[20]) - system.energy(start))
    assert energy_losses["end"] > 0.3
    assert energy_losses["middle"] < energy_losses["end"] / 50


def test_invalid_arguments_are_rejected():
    system, start = bodies()

    class Incomplete:
        mass_matrix, force = system.mass_matrix, system.force
        linearized_force, retract = system.linearized_force, system.retract

    message = "system: got Incomplete, expected a system with linearized_residual"
    with pytest.raises(InvalidArgument, match=message):
        fully_implicit_euler(Incomplete(), start, 0.1)
    with pytest.raises(InvalidArgument, match=r"fraction: got 0\.3"):
        FullyImplicitScheme(0.3)
    with pytest.raises(InvalidArgument, match="tolerance: got 0"):
        FullyImplicitScheme(1.0, tolerance=0.0)
    with pytest.raises(InvalidArgument, match="h: got 0"):
        fully_implicit_euler(system, start, 0.0)
