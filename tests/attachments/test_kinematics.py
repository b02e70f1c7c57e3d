"""Attachments against moving positions; their bias against differences of the velocity."""

import numpy as np
import pytest
from hypothesis import given
from scipy.linalg import expm

from rbnotes import se3
from rbnotes.arguments import InvalidArgument
from rbnotes.attachments import (
    null_space_reduction,
    point_on_body,
    point_on_points,
    points_on_body,
)
from rbnotes.dynamics import StepProblem, solve_step
from rbnotes.inertia import spatial_inertia
from rbnotes.testing import derivative
from rbnotes.testing.strategies import frames, inertias, twists, vectors


def body_motion(E, phi, phidot):
    """Return pose and twist of a body with twist ``phi + t phidot``, to third order in t."""

    def pose(t):
        return E @ expm(se3.hat(t * phi + t**2 / 2 * phidot + t**3 / 12 * se3.ad(phi) @ phidot))

    return pose


@given(frames(), vectors(3), twists(), twists())
def test_point_on_body(E, x, phi, phidot):
    pose = body_motion(E, phi, phidot)
    attachment = point_on_body(1, 0, E, x, phi)

    def position(t):
        return pose(t)[:3, :3] @ x + pose(t)[:3, 3]

    velocity, acceleration = (
        derivative(position),
        derivative(lambda t: derivative(lambda s: position(t + s)).value),
    )
    size = (1 + np.abs(x).max() + np.abs(E[:3, 3]).max()) * (1 + np.abs(phi).max()) ** 2 + np.abs(
        phidot
    ).max()
    assert np.allclose(attachment.blocks[0] @ phi, velocity.value, rtol=0, atol=1e-7 * size)
    result = attachment.blocks[0] @ phidot + attachment.bias
    assert np.allclose(result, acceleration.value, rtol=0, atol=1e-4 * size * (1 + np.abs(x).max()))


def test_many_points_on_a_body_equal_single_points(rng):
    E, phi, x = se3.exp(rng.normal(size=6)), rng.normal(size=6), rng.normal(size=(4, 3))
    many = points_on_body([5, 2, 7, 3], 1, E, x, phi)
    for component, position, attachment in zip([5, 2, 7, 3], x, many, strict=True):
        one = point_on_body(component, 1, E, position, phi)
        assert attachment.component == component
        assert np.allclose(attachment.blocks[1], one.blocks[1])
        assert np.allclose(attachment.bias, one.bias)
        assert np.allclose(attachment.blocks[1] @ phi, se3.point_velocity(E, position, phi))
    with pytest.raises(InvalidArgument, match="x"):
        points_on_body([5, 2], 1, E, x, phi)


@given(frames(), inertias(), twists(), vectors(3), vectors(6))
def test_particle_on_a_body_adds_its_mass_to_the_body(E, body, phi, x, wrench):
    """A body with an attached particle accelerates like a body with the particle's mass at that point."""
    m = 0.7
    M = spatial_inertia(1.6, body, [0.2, -0.1, 0.3])
    both = np.zeros((9, 9))
    both[:6, :6], both[6:, 6:] = M, m * np.eye(3)
    space = null_space_reduction([6, 3], [point_on_body(1, 0, E, x, phi)])
    force = np.concatenate([se3.ad(phi).T @ M @ phi + wrench, np.zeros(3)])
    reduced = space.reduce(StepProblem(both, force))
    heavier = M + m * se3.Gamma(x).T @ se3.Gamma(x)
    expected = np.linalg.solve(heavier, se3.ad(phi).T @ heavier @ phi + wrench)
    scale = 1 + np.abs(expected).max()
    assert np.allclose(reduced.mass, heavier, rtol=1e-12, atol=1e-12 * np.abs(heavier).max())
    assert np.allclose(solve_step(reduced).velocity, expected, rtol=0, atol=1e-8 * scale)


def test_weights_of_wrong_shape_are_rejected():
    assert np.allclose(point_on_points(3, [0, 1], [0.3, 0.7]).blocks[1], 0.7 * np.eye(3))
    with pytest.raises(InvalidArgument, match="weights"):
        point_on_points(3, [0, 1], [1.0])
    with pytest.raises(InvalidArgument, match="masters"):
        point_on_points(3, [0, 1, 0], [0.2, 0.5, 0.3])
    with pytest.raises(InvalidArgument, match="E"):
        point_on_body(1, 0, np.ones((4, 4)), [0, 0, 0])
