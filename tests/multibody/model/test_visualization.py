"""Visualization of a trajectory: poses of shapes, and the energy figure."""

import numpy as np
import pytest

from rbnotes import Body, Model, se3, simulate
from rbnotes.forces import PathForces, SpringDamper, on_body, on_world, path_through
from rbnotes.multibody import Geometry
from rbnotes.shapes import Box, Plane, RoundedBox, Sphere
from rbnotes.viewer import Scene

BRICK, BALL = Box([0.4, 0.2, 0.1]), Sphere(0.15)
ASIDE = se3.exp([0.3, -0.2, 0.5, 0.1, 0.2, 0.0])
SPRING = PathForces(
    SpringDamper(40.0, 0.5, 1.5),
    path_through(on_world([0.1, 0.0, 3.0]), on_body("brick", [0.2, 0.1, 0.0])),
)


def swing(*bodies, **options):
    """Return the motion of a brick on a spring and a ball."""
    model = Model(bodies, forces=SPRING, **options)
    state = model.state(twists={body.name: np.full(6, 0.3) for body in bodies})
    return simulate(model, state, h=0.005, steps=60)


@pytest.fixture(scope="module")
def motion():
    """Return the motion of bodies that touch nothing, without the ground."""
    brick = Body("brick", BRICK, mass=1.0, collision=(), pose=se3.exp([0.2, 0.1, 0.3, 0.3, 0.0, 1.5]))
    return swing(brick, Body("ball", BALL, mass=0.5, collision=(), position=[3.0, 0.0, 2.0]))


@pytest.mark.slow
def test_collision_shapes_are_drawn_at_their_poses():
    bead = Geometry(RoundedBox([0.1, 0, 0], 0.02))
    collision = [Geometry(BRICK, ASIDE), bead]
    brick = Body("brick", BRICK, mass=1.0, collision=collision, pose=se3.exp([0.2, 0.1, 0.3, 0.3, 0, 1.5]))
    ball = Body("ball", inertia=BALL.spatial_inertia(mass=0.5), position=[3.0, 0.0, 2.0])
    motion = swing(brick, ball, ground=Plane())
    floor, brick, bead, ball = motion.scene("A brick swings.")._items
    assert (floor.shape.kind, ball.shape.kind) == ("ground", "axes")
    np.testing.assert_allclose(brick.poses, motion.poses("brick") @ ASIDE)
    np.testing.assert_allclose(bead.poses, motion.poses("brick"))
    np.testing.assert_allclose(ball.poses, motion.poses("ball"))
    assert brick.shape.color == bead.shape.color != floor.shape.color


def test_solids_of_bodies_without_collision_shapes_are_drawn(motion):
    scene = motion.scene()
    assert [item.shape.kind for item in scene._items] == ["box", "sphere"]
    np.testing.assert_allclose(scene._items[1].poses, motion.poses("ball"))
    np.testing.assert_array_equal(scene.times, motion.t)


def test_colors_and_camera_options(motion):
    one = motion.scene(colors=["red"], view=(0.3, 0.1))
    assert [item.shape.color for item in one._items] == ["red", "red"]
    assert tuple(one.view) == (0.3, 0.1)
    assert motion.scene(poster=0.1).poster == 0.1
    two = motion.scene(colors=["teal", "brown"])
    assert [item.shape.color for item in two._items] == ["teal", "brown"]
    np.testing.assert_array_equal(two.view, Scene("As it is.").view)


def test_energy_account_of_the_figure_is_complete(motion):
    _, axes = motion.energy_figure(motion.model.force_law.energy)
    curves = {line.get_label(): np.asarray(line.get_ydata()) for line in axes.lines}
    np.testing.assert_allclose(curves["total"], curves["kinetic and gravity"] + curves["springs and muscles"])
    lost = curves["work of muscles and dampers"]
    assert lost[-1] < -0.02  # the damper takes, at a power that the law tells
    power = [motion.model.force_law.groups[0].dissipated_power(state) for state in motion.body_states]
    np.testing.assert_allclose(lost[-1], -np.trapezoid(power, motion.t), rtol=0.05)
    left = sum(curves.get(name, 0.0) for name in ("contacts", "joints", "stabilization", "integrator"))
    np.testing.assert_allclose(lost + left, curves["total"] - curves["total"][0], atol=1e-4)
    assert "work of applied forces" in {line.get_label() for line in motion.energy_figure()[1].lines}
