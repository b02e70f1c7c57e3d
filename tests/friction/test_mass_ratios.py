"""Extreme mass ratios: a model returns its best result with the residual."""

import numpy as np

from rbnotes import se3
from rbnotes.contact import Collider
from rbnotes.dynamics import WORLD, State
from rbnotes.multibody.maximal import MaximalModel, simulate
from rbnotes.shapes import Box, Plane


def test_simulation_with_box_friction_continues():
    """A cube on one that is a million times lighter."""
    cube = Box([0.2] * 3)
    inertias = np.stack([cube.spatial_inertia(density=d) for d in (500.0, 5e8)])
    poses = np.stack([se3.frame(np.eye(3), [0, 0, z]) for z in (0.1, 0.3)])
    colliders = [Collider(WORLD, Plane(), mu=0.5), *(Collider(i, cube, mu=0.5) for i in (0, 1))]
    path = simulate(MaximalModel(inertias, colliders=colliders), State(poses), 0.01, 1, friction_model="box")
    assert 1e-10 < max(record.residual for record in path.contacts) < 1e-6
    assert np.abs(path.states.E[-1] - poses).max() < 1e-6
