"""Newton's method for Coulomb's law: against closed forms and its own conditions, at every heading."""

from dataclasses import replace

import numpy as np
import pytest

from rbnotes import se3, so3
from rbnotes.contact import Collider, Contacts, Plane
from rbnotes.dynamics import WORLD, State, StepProblem
from rbnotes.errors import NotConverged
from rbnotes.friction import FrictionNotConverged, measure_laws, newton_friction
from rbnotes.friction.contact_space import contact_space
from rbnotes.friction.newton import _equation, _error, _reciprocal
from rbnotes.maximal import FrictionWarning, Mechanism, World, simulate
from rbnotes.solids import Box

FLOOR = [[[0, 0, 1.0], [1.0, 0, 0], [0, 1.0, 0]]]


@pytest.mark.parametrize("heading", [0.0, 0.3, np.pi / 4, 2.0])
def test_a_puck_slides_straight(heading):
    along = np.array([np.cos(heading), np.sin(heading), 0])
    momentum = 3.0 * along - [0, 0, 2.0]
    found = newton_friction(StepProblem(np.eye(3), momentum, contacts=Contacts(FLOOR, 0.5)))
    np.testing.assert_allclose(found.velocity, 2.0 * along, atol=1e-7)
    np.testing.assert_allclose(found.normal, 2.0, atol=1e-7)


def several(seed, count=6, size=9):
    """Contacts among coupled velocities, some of which stick, slide and separate."""
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(size, size))
    rows = rng.normal(size=(count, 3, size))
    contacts = Contacts(rows, rng.uniform(0, 0.9, count))
    return StepProblem(A @ A.T + size * np.eye(size), 4 * rng.normal(size=size), contacts=contacts)


@pytest.mark.parametrize("seed", range(6))
def test_coulombs_laws(seed):
    problem = several(seed)
    found = newton_friction(problem)
    laws = measure_laws(problem, found)
    assert max(laws[:4]) < 1e-6
    assert abs(laws.dissipation) < 1e-6
    assert found.iterations < 150


def test_slope_is_the_derivative():
    """At impulses that stick, slide and separate, by central differences."""
    space = contact_space(several(3))
    r = np.random.default_rng(1).normal(size=(6, 3)) * [1, 0.5, 0.5]
    rho = _reciprocal(space.mobility)
    slope = _equation(space, r, rho)[1]
    for k, unit in enumerate(np.eye(18)):
        step = 1e-6 * unit.reshape(6, 3)
        difference = (_error(space, r + step, rho) - _error(space, r - step, rho)) / 2e-6
        np.testing.assert_allclose(slope[:, k], difference.ravel(), atol=1e-6)


@pytest.mark.parametrize(("ratio", "slides"), [(0.999, False), (1.001, True)])
@pytest.mark.parametrize("heading", [0.4, np.pi / 4])
def test_a_block_gives_way_at_the_angle_of_friction_at_every_heading(heading, ratio, slides):
    """In the simulator: the plane descends along a heading between the tangents."""
    mu, h, steps = 0.5, 0.01, 20
    slope = np.arctan(ratio * mu)
    turned = so3.exp([0, 0, heading]) @ so3.exp([0, slope, 0])
    floor = Collider(WORLD, Plane(), se3.frame(turned, np.zeros(3)), mu=mu)
    block = Box([0.4, 0.4, 0.1])
    start = se3.frame(turned @ so3.exp([0, 0, 0.7]), turned @ [0, 0, 0.05])
    world = World(Mechanism(block.spatial_inertia(density=500.0)[None]), [floor, Collider(0, block, mu=mu)])
    path = simulate(world, State(start), h, steps, friction=newton_friction)
    moved = turned.T @ (path.states.E[-1, 0, :3, 3] - path.states.E[0, 0, :3, 3])
    expected = max(0.0, 9.81 * (np.sin(slope) - mu * np.cos(slope))) * (h * steps) ** 2 / 2
    np.testing.assert_allclose(moved, [expected, 0, 0], atol=1e-7)
    assert (moved[0] > 5e-5) == slides


class TestRunsGoOn:
    def world(self):
        block = Box([0.4, 0.4, 0.1])
        floor = Collider(WORLD, Plane())
        start = State(se3.frame(np.eye(3), [0, 0, 0.05]), [0, 0, 0, 1.0, 0.7, 0])
        return World(
            Mechanism(block.spatial_inertia(density=500.0)[None]), [floor, Collider(0, block)]
        ), start

    def lame(self, problem, start=None):
        """Ends before it has converged."""
        raise FrictionNotConverged(replace(newton_friction(problem), residual=0.01), 1e-8)

    def test_one_warning_and_residuals_in_the_records(self):
        world, start = self.world()
        with pytest.warns(FrictionWarning) as told:
            path = simulate(world, start, 0.01, 3, friction=self.lame)
        assert len(told) == 1
        assert {record.residual for record in path.contacts} == {0.01}

    def test_a_limit_stops_it(self):
        world, start = self.world()
        with pytest.raises(NotConverged):
            simulate(world, start, 0.01, 3, friction=self.lame, friction_limit=1e-4)
