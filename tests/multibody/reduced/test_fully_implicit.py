"""Steps on trees: the order of each scheme, its energy, and Newton's method on the exact tangent."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from random_trees import body, frame, unit

from rbnotes import inertia, joints
from rbnotes.dynamics import (
    FullyImplicitScheme,
    State,
    bridson_marino,
    constrained_step,
    fully_implicit_euler,
    implicit_euler,
    implicit_midpoint,
    integrate,
    runge_kutta,
    symplectic_euler,
    trapezoidal,
)
from rbnotes.errors import NotConverged
from rbnotes.forces import ForceGroups, LinearSpring, PathForces, on_body, on_particle, path_through
from rbnotes.multibody.reduced import Gear, Link, Tree, velocity_constraints


def loaded_system(damping=0.5):
    """Return a branched tree with a quaternion, springs between its bodies and a particle, and gravity."""
    rng = np.random.default_rng(1)
    soft = {"stiffness": 2.0, "damping": damping}
    links = [
        Link("trunk", joints.Universal(), body(rng), None, frame(rng), frame(rng), **soft),
        Link("arm", joints.QuaternionSpherical(), body(rng), "trunk", frame(rng), frame(rng)),
        Link("leg", joints.Prismatic(unit(rng)), body(rng), "trunk", frame(rng), frame(rng), **soft),
    ]
    tree = Tree(links, gravity=rng.normal(size=3))
    law = LinearSpring(6.0, damping, 0.4)
    springs = [
        PathForces(law, path_through(on_body(1, [0.3, -0.2, 0.1]), on_particle(0))),
        PathForces(law, path_through(on_body(1, [0.3, 0.2, 0.1]), on_body(2, [0.1, 0.4, -0.2]))),
    ]
    tree = replace(tree, masses=[0.8], applied_forces=ForceGroups(springs))
    q, qdot = (
        tree.neutral + 0.4 * rng.normal(size=tree.num_coordinates),
        rng.normal(size=tree.num_coordinates),
    )
    return tree, tree.reparametrize(State(q=q, qdot=qdot, x=rng.normal(size=(1, 3))))


def flatten_state(tree, state):
    """Return poses and velocities, which do not depend on the coordinates."""
    maximal_state = tree.maximal_state(state)
    return np.concatenate([maximal_state.E.ravel(), maximal_state.x.ravel(), maximal_state.velocity])


ORDERS = {
    "symplectic Euler": (symplectic_euler, 1),
    "linearly implicit Euler": (implicit_euler, 1),
    "fully implicit Euler": (fully_implicit_euler, 1),
    "implicit midpoint": (implicit_midpoint, 2),
    # Of second order only where the mass matrix is constant and no force is left out of K and D.
    "linearized trapezoidal": (trapezoidal, 1),
    "Bridson-Marino": (bridson_marino, 1),
}


@pytest.fixture(scope="module")
def exact():
    tree, start = loaded_system()
    return flatten_state(tree, runge_kutta(tree, start, 0.2, rtol=1e-9, atol=1e-10))


@pytest.mark.parametrize(
    "name",
    [
        name
        if step in (fully_implicit_euler, implicit_midpoint)
        else pytest.param(name, marks=pytest.mark.slow)
        for name, (step, _) in ORDERS.items()
    ],
)
def test_order(name, exact):
    step, order = ORDERS[name]
    (tree, start), errors = loaded_system(), []
    for steps in (8, 16):
        end = integrate(step, tree, start, 0.2 / steps, steps)[steps]
        errors.append(np.linalg.norm(flatten_state(tree, end) - exact))
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.1)


@pytest.mark.parametrize("step", [fully_implicit_euler, implicit_midpoint], ids=["end", "middle"])
def test_the_equations_of_motion_hold(step):
    tree, start = loaded_system()
    h, c = 0.1, step.fraction
    after = step(tree, start, h)
    mean = start.velocity + c * (after.velocity - start.velocity)
    np.testing.assert_allclose(after.q, start.q + h * mean[3:], rtol=1e-13)
    np.testing.assert_allclose(after.x.ravel(), start.x.ravel() + h * mean[:3], rtol=1e-13)
    assert after.t == h
    intermediate_state = start.retract(c * h * mean, c * h).with_velocity(mean)
    force, rate = (
        tree.force(intermediate_state),
        tree.mass_matrix(intermediate_state) @ (after.velocity - start.velocity) / h,
    )
    assert np.linalg.norm(rate) > 10
    np.testing.assert_allclose(force, rate, atol=1e-9 * np.linalg.norm(rate))


ROD = inertia.spatial_inertia(*inertia.cuboid([0.2, 0.1, 1.0], 50.0))
X, Y = np.eye(3)[:2]


def along_z(z):
    E = np.eye(4)
    E[2, 3] = z
    return E


def pendulum(second=None):
    """Return two rods that swing about crossed axes, from rest."""
    second = joints.Revolute(X) if second is None else second
    links = [
        Link("upper", joints.Revolute(Y), ROD, None, None, along_z(-0.5)),
        Link("lower", second, ROD, "upper", along_z(-1.0), along_z(-0.5)),
    ]
    tree = Tree(links)
    return tree, State(q=[1.2, 0.5, 0.3][: tree.num_coordinates])


def energies(step, h, time=1.0):
    tree, start = pendulum()
    states = integrate(step, tree, start, h, round(time / h))
    values = [tree.energy(states[i]) for i in range(len(states))]
    return np.array(values) - values[0]


def test_energy_of_a_pendulum():
    """Without springs, linearly implicit Euler is symplectic Euler; on a tree, neither keeps the energy."""
    h = 0.02
    explicit, linear, full, middle = (
        energies(step, h)
        for step in (symplectic_euler, implicit_euler, fully_implicit_euler, implicit_midpoint)
    )
    np.testing.assert_allclose(linear, explicit, atol=1e-9)
    assert np.max(linear) > 0.05
    assert np.all(np.diff(full) < 0)  # less and less in each step
    assert full[-1] < -0.5
    assert np.max(np.abs(middle)) < 5e-3
    finer = energies(implicit_midpoint, h / 2)
    assert np.max(np.abs(middle)) / np.max(np.abs(finer)) == pytest.approx(4, abs=0.3)


class CountingSystem:
    """System that counts the evaluations of its tangent."""

    def __init__(self, tree, tangent):
        self.system, self.tangent, self.count = tree, tangent, 0

    def __getattr__(self, name):
        return getattr(self.system, name)

    def linearized_residual(self, state, acceleration):
        self.count += 1
        return self.tangent(self.system, state, acceleration)


def truncated_tangent(tree, state, acceleration):
    """Return the tangent with the derivatives of linearly implicit Euler."""
    forces = tree.linearized_force(state)
    return forces._replace(f=forces.f - tree.mass_matrix(state) @ acceleration)


class TestNewton:
    def test_converges_quickly_on_the_exact_tangent(self):
        tree, start = pendulum(joints.Universal())
        exact = CountingSystem(tree, Tree.linearized_residual)
        kept = CountingSystem(tree, truncated_tangent)
        ends = [fully_implicit_euler(each, start, 0.1).velocity for each in (exact, kept)]
        np.testing.assert_allclose(ends[1], ends[0], rtol=1e-8)
        assert exact.count <= 6 < 2 * exact.count < kept.count

    def test_line_search_handles_large_corrections(self):
        tree, start = pendulum(joints.Universal())
        start = replace(start, qdot=np.array([-1.0, 2.0, 1.0]))
        after = fully_implicit_euler(tree, start, 1.0)
        left = tree.linearized_residual(after, (after.velocity - start.velocity) / 1.0).f
        np.testing.assert_allclose(left, 0, atol=1e-7)

    def test_failure_reports_time_and_residual(self):
        tree, start = pendulum()
        with pytest.raises(
            NotConverged, match=r"a fully implicit step of 0.5 s .* after 1 corrections"
        ) as caught:
            FullyImplicitScheme(1.0, max_iterations=1)(tree, start, 0.5)
        solution, residual = caught.value.solution, caught.value.residual
        assert isinstance(solution, State)
        assert solution.t == 0.5
        # Newton's method goes on from there with the correction that it returned.
        tangent = tree.linearized_residual(solution, (solution.velocity - start.velocity) / 0.5)
        matrix = tree.mass_matrix(solution) - 0.5 * tangent.D - 0.25 * tangent.K
        correction = np.linalg.solve(matrix, 0.5 * tangent.f)
        assert residual == pytest.approx(0.5 * np.linalg.norm(correction), rel=1e-9)
        assert residual > 1e-6


@pytest.mark.parametrize("step", [fully_implicit_euler, implicit_midpoint], ids=["end", "middle"])
def test_constraints_are_passed_to_the_solver(step):
    """A gear: the same motion as with one coordinate in the place of both."""
    links = [
        Link("upper", joints.Revolute(Y), ROD, None, None, along_z(-0.5)),
        Link("lower", joints.Revolute(Y), ROD, "upper", along_z(-1.0), along_z(-0.5)),
    ]
    tree, h = Tree(links), 0.05
    state = State(q=[0.4, 0.8])
    rows = partial(velocity_constraints, tree, [Gear("upper", "lower", 2.0)])
    for _ in range(4):
        after = constrained_step(step, tree, state, h, rows)
        c = step.fraction
        mean = state.velocity + c * (after.state.velocity - state.velocity)
        intermediate_state = state.retract(c * h * mean, c * h).with_velocity(mean)
        G = np.array([2.0, -1.0])
        left = (
            tree.linearized_residual(intermediate_state, (after.state.velocity - state.velocity) / h).f
            + G * after.bilateral_impulses[0] / h
        )
        np.testing.assert_allclose(left, 0, atol=1e-7)
        assert abs(after.bilateral_impulses[0]) > 0.01
        state = after.state
        assert state.q[1] == pytest.approx(2 * state.q[0], rel=1e-12)
