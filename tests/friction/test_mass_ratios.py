"""Extreme mass ratios: a model returns its best result with the residual."""

import numpy as np

from rbnotes import Body, Model, simulate
from rbnotes.shapes import Box, Plane


def test_simulation_with_box_friction_continues():
    """A cube on one that is a million times lighter."""
    cube = Box([0.2] * 3)
    cubes = [
        Body("light", cube, density=500.0, position=[0, 0, 0.1]),
        Body("heavy", cube, density=5e8, position=[0, 0, 0.3]),
    ]
    path = simulate(Model(cubes, ground=Plane(), mu=0.5), h=0.01, steps=1, friction_model="box")
    assert 1e-10 < max(record.residual for record in path.contacts) < 1e-6
    assert np.abs(path.states.E[-1] - path.states.E[0]).max() < 1e-6
