"""What is attached, against positions that move; the drift against differences of the velocity."""

import numpy as np
import pytest
from hypothesis import given
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from rbnotes import se3
from rbnotes.arguments import InvalidArgument, SingularConfiguration
from rbnotes.attachments import (
    frame_on_body,
    frame_on_points,
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
    """Pose and twist of a body with twist ``phi + t phidot`` near time zero, to third order in t."""

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
    found = attachment.blocks[0] @ phidot + attachment.bias
    assert np.allclose(found, acceleration.value, rtol=0, atol=1e-4 * size * (1 + np.abs(x).max()))


def test_many_points_on_a_body_are_one_by_one(rng):
    E, phi, x = se3.exp(rng.normal(size=6)), rng.normal(size=6), rng.normal(size=(4, 3))
    many = points_on_body([5, 2, 7, 3], 1, E, x, phi)
    for component, place, attachment in zip([5, 2, 7, 3], x, many, strict=True):
        one = point_on_body(component, 1, E, place, phi)
        assert attachment.component == component
        assert np.allclose(attachment.blocks[1], one.blocks[1])
        assert np.allclose(attachment.bias, one.bias)
        assert np.allclose(attachment.blocks[1] @ phi, se3.point_velocity(E, place, phi))
    with pytest.raises(InvalidArgument, match="x"):
        points_on_body([5, 2], 1, E, x, phi)


@given(frames(), frames(), twists())
def test_frame_on_body(E, E_k, phi):
    attachment = frame_on_body(1, 0, E_k)
    rate = derivative(lambda t: E @ se3.exp(t * phi) @ E_k).value
    found = E @ E_k @ se3.hat(attachment.blocks[0] @ phi)
    size = (1 + np.abs(phi).max()) * (1 + np.abs(E).max()) * (1 + np.abs(E_k).max())
    assert np.allclose(rate, found, rtol=0, atol=1e-9 * size)
    assert not attachment.bias.any()


def fitted(x, weights, arms):
    """The frame that fits: mean and the rotation of the weighted Procrustes problem, by SciPy."""
    mean = weights @ x
    return Rotation.align_vectors(x - mean, arms, weights=weights)[0].as_matrix(), mean


@pytest.fixture
def cloud(rng):
    weights = rng.uniform(0.5, 1.5, 5)
    weights /= weights.sum()
    arms = rng.normal(size=(5, 3))
    arms -= weights @ arms
    turned = arms @ Rotation.from_rotvec([0.4, -1.1, 0.7]).as_matrix().T
    return weights, arms, turned + [1.0, -2.0, 0.5] + 0.2 * rng.normal(size=(5, 3)), rng.normal(size=(5, 3))


def test_frame_on_points_moves_as_the_fit_does(cloud, rng):
    weights, arms, x, v = cloud
    a = rng.normal(size=(5, 3))
    attachment = frame_on_points(5, range(5), weights, x, arms, v)
    J = np.concatenate([attachment.blocks[j] for j in range(5)], axis=1)

    def twist(t):
        R = fitted(x + t * v + t**2 / 2 * a, weights, arms)[0]
        rate = derivative(
            lambda s: np.column_stack(fitted(x + (t + s) * v + (t + s) ** 2 / 2 * a, weights, arms))
        )
        spin = R.T @ rate.value[:, :3]
        return np.concatenate([[spin[2, 1], spin[0, 2], spin[1, 0]], R.T @ rate.value[:, 3]])

    assert np.allclose(J @ v.ravel(), twist(0.0), atol=1e-8)
    found = J @ a.ravel() + attachment.bias
    assert np.allclose(found, derivative(twist, step=0.05).value, atol=1e-6)


def test_frame_on_points_of_a_rigid_body_moves_with_it(cloud, rng):
    weights, arms, _, _ = cloud
    E, phi = se3.exp(rng.normal(size=6)), rng.normal(size=6)
    x = se3.transform_points(E, arms)
    v = se3.point_velocity(E, arms, phi)
    attachment = frame_on_points(5, range(5), weights, x, arms, v)
    J = np.concatenate([attachment.blocks[j] for j in range(5)], axis=1)
    assert np.allclose(J @ v.ravel(), phi)


def test_points_without_velocities_are_at_rest(cloud):
    weights, arms, x, _ = cloud
    found = frame_on_points(5, range(5), weights, x, arms)
    resting = frame_on_points(5, range(5), weights, x, arms, np.zeros((5, 3)))
    assert np.array_equal(found.bias, np.zeros(6))
    assert np.allclose(resting.bias, 0, atol=1e-15)
    for master in range(5):
        assert np.array_equal(found.blocks[master], resting.blocks[master])


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("x", {"x": np.outer(np.arange(5.0), [1.0, 2.0, 3.0])}),
        ("arms", {"arms": np.ones((5, 3))}),
        ("weights", {"weights": [0.5] * 5}),
        ("weights", {"weights": [0.1] * 5, "arms": np.arange(15.0).reshape(5, 3) - [6, 7, 8]}),
        ("weights", {"weights": [1.0, 1.0, -1.0, 0.5, -0.5]}),
        ("weights", {"weights": [1.0]}),
    ],
)
def test_points_that_fit_no_frame_are_named(cloud, name, change):
    weights, arms, x, _ = cloud
    arguments = {"weights": weights, "x": x, "arms": arms, **change}
    with pytest.raises(InvalidArgument, match=name):
        frame_on_points(5, range(5), **arguments)


def test_three_points_are_enough():
    """They lie in a plane, and across it a mirror image is no other one."""
    weights, arms = np.full(3, 1 / 3), np.array([[2.0, 0.0, 0.0], [-1.0, 1.0, 0.0], [-1.0, -1.0, 0.0]])
    R, phi = Rotation.from_rotvec([0.4, -1.1, 0.7]).as_matrix(), np.array([0.3, -0.2, 0.5, 1.0, 2.0, -1.0])
    E = se3.frame(R, [0.1, 0.2, 0.3])
    v = se3.point_velocity(E, arms, phi)
    attachment = frame_on_points(3, range(3), weights, se3.transform_points(E, arms), arms, v)
    J = np.concatenate([attachment.blocks[j] for j in range(3)], axis=1)
    assert np.allclose(J @ v.ravel(), phi)


def test_mirrored_points_are_singular():
    # A mirror image of points that are as wide as high determines no rotation.
    sphere = np.concatenate([np.eye(3), -np.eye(3)])
    with pytest.raises(SingularConfiguration, match="mirrored"):
        frame_on_points(6, range(6), np.full(6, 1 / 6), -sphere, sphere)


@given(frames(), inertias(), twists(), vectors(3), vectors(6))
def test_particle_on_a_body_is_part_of_the_body(E, body, phi, x, wrench):
    """A body with a particle attached accelerates as one body with the particle's mass at that place."""
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


def test_weights_have_to_fit():
    assert np.allclose(point_on_points(3, [0, 1], [0.3, 0.7]).blocks[1], 0.7 * np.eye(3))
    with pytest.raises(InvalidArgument, match="weights"):
        point_on_points(3, [0, 1], [1.0])
    with pytest.raises(InvalidArgument, match="masters"):
        point_on_points(3, [0, 1, 0], [0.2, 0.5, 0.3])
    with pytest.raises(InvalidArgument, match="E"):
        point_on_body(1, 0, np.ones((4, 4)), [0, 0, 0])
