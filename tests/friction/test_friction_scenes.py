"""The scenes of the friction tests are the bodies that they describe."""

import numpy as np
import pytest
from friction_scenes import stack

from rbnotes.shapes import Box


def test_cubes_of_a_stack_have_the_inertia_of_boxes():
    M = stack(3, 2.0).mass
    for k in range(3):
        block = slice(6 * k, 6 * k + 6)
        np.testing.assert_allclose(M[block, block], Box([1.0] * 3).spatial_inertia(mass=2.0**k), atol=1e-15)


@pytest.mark.parametrize("twist", np.eye(6))
def test_a_stack_that_moves_as_one_body_slides_on_the_floor_only(twist):
    """The corners of the lowest cube have velocities, in the order normal and two tangents."""
    omega, velocity = np.split(twist, 2)
    centers = np.arange(3)[:, None] * np.array([0, 0, 1.0])
    v = np.hstack([np.tile(omega, (3, 1)), velocity + np.cross(omega, centers)])
    rows = np.asarray(stack(3, 1.0).contacts.rows).reshape(3, 4, 3, 18)
    slip = rows @ v.ravel()
    corners = np.array([[0.5, 0.5, -0.5], [0.5, -0.5, -0.5], [-0.5, 0.5, -0.5], [-0.5, -0.5, -0.5]])
    np.testing.assert_allclose(slip[0], np.roll(velocity + np.cross(omega, corners), 1, axis=1), atol=1e-15)
    np.testing.assert_allclose(slip[1:], 0, atol=1e-15)
