"""Visualization of a trajectory: poses of shapes, and the energy figure."""

import numpy as np
import pytest

from rbnotes import se3
from rbnotes.arguments import InvalidArgument
from rbnotes.contact import Collider
from rbnotes.dynamics import WORLD, State
from rbnotes.forces import ForceGroups, PathForces, SpringDamper, on_body, on_world, path_through
from rbnotes.multibody.maximal import MaximalModel, simulate
from rbnotes.shapes import Box, Plane, RoundedBox, Sphere
from rbnotes.viewer import Scene

BRICK, BALL = Box([0.4, 0.2, 0.1]), Sphere(0.15)
ASIDE = se3.exp([0.3, -0.2, 0.5, 0.1, 0.2, 0.0])
SPRING = ForceGroups(
    [
        PathForces(
            SpringDamper(40.0, 0.5, 1.5), path_through(on_world([0.1, 0.0, 3.0]), on_body(0, [0.2, 0.1, 0.0]))
        )
    ]
)


@pytest.fixture(scope="module")
def model():
    bodies = [BRICK.spatial_inertia(mass=1.0), BALL.spatial_inertia(mass=0.5)]
    shapes = [Collider(WORLD, Plane()), Collider(0, BRICK, ASIDE), Collider(0, RoundedBox([0.1, 0, 0], 0.02))]
    return MaximalModel(bodies, applied_forces=SPRING, colliders=shapes)


@pytest.fixture(scope="module")
def path(model):
    start = np.array([se3.exp([0.2, 0.1, 0.3, 0.3, 0.0, 1.5]), se3.exp([0, 0, 0, 3.0, 0.0, 2.0])])
    return simulate(model, State(E=start, phi=np.full((2, 6), 0.3)), 0.005, 60)


@pytest.mark.slow
def test_collision_shapes_are_drawn_at_their_poses(path, model):
    floor, brick, bead, ball = path.scene(model.colliders, "A brick swings.")._items
    assert (floor.shape.kind, ball.shape.kind) == ("ground", "axes")
    np.testing.assert_allclose(brick.poses, path.states.E[:, 0] @ ASIDE)
    np.testing.assert_allclose(bead.poses, path.states.E[:, 0])
    np.testing.assert_allclose(ball.poses, path.states.E[:, 1])
    assert brick.shape.color == bead.shape.color != floor.shape.color


def test_massive_shapes_are_drawn(path):
    scene = path.scene([BRICK, BALL])
    assert [item.shape.kind for item in scene._items] == ["box", "sphere"]
    np.testing.assert_allclose(scene._items[1].poses, path.states.E[:, 1])
    np.testing.assert_array_equal(scene.times, path.states.t)


def test_colors_and_camera_options(path):
    one = path.scene([BRICK, BALL], colors=["red"], view=(0.3, 0.1))
    assert [item.shape.color for item in one._items] == ["red", "red"]
    assert tuple(one.view) == (0.3, 0.1)
    assert path.scene([BRICK, BALL], poster=0.1).poster == 0.1
    two = path.scene([BRICK, BALL], colors=["teal", "brown"])
    assert [item.shape.color for item in two._items] == ["teal", "brown"]
    np.testing.assert_array_equal(two.view, Scene("As it is.").view)


@pytest.mark.parametrize("shapes", [[BRICK], [Collider(2, BALL)], ["a box"]])
def test_shapes_of_unknown_bodies_are_rejected(path, shapes):
    with pytest.raises(InvalidArgument, match="shapes"):
        path.scene(shapes)


def test_energy_account_of_the_figure_is_complete(path):
    _, axes = path.energy_figure(SPRING.energy)
    curves = {line.get_label(): np.asarray(line.get_ydata()) for line in axes.lines}
    np.testing.assert_allclose(curves["total"], curves["kinetic and gravity"] + curves["springs and muscles"])
    lost = curves["work of muscles and dampers"]
    assert lost[-1] < -0.02  # the damper takes, at a power that the law tells
    power = [SPRING.groups[0].dissipated_power(state) for state in path.states]
    np.testing.assert_allclose(lost[-1], -np.trapezoid(power, path.states.t), rtol=0.05)
    left = sum(curves.get(name, 0.0) for name in ("contacts", "joints", "stabilization", "integrator"))
    np.testing.assert_allclose(lost + left, curves["total"] - curves["total"][0], atol=1e-4)
    assert "work of applied forces" in {line.get_label() for line in path.energy_figure()[1].lines}
