"""Arrays of models are read-only copies of the given ones: compiled steps and caches keep what they read."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass

import numpy as np
import pytest
from backend_combinations import SCENES

from rbnotes import joints
from rbnotes.multibody import Body, Model
from rbnotes.shapes import Box, ConvexMesh, HeightField

CUBE = [[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)]
FRAMES = [np.eye(4)] * 5


def writable_arrays(value, name=""):
    """Yield the names of the arrays that can be changed in the fields of dataclasses."""
    if isinstance(value, np.ndarray) and value.flags.writeable:
        yield name
    elif is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            yield from writable_arrays(getattr(value, field.name), f"{name}.{field.name}")
    elif isinstance(value, tuple | list):
        for number, entry in enumerate(value):
            yield from writable_arrays(entry, f"{name}[{number}]")
    elif isinstance(value, Mapping):
        for key, entry in value.items():
            yield from writable_arrays(entry, f"{name}[{key!r}]")


@pytest.mark.parametrize("feature", SCENES)
def test_arrays_of_models_are_read_only(feature):
    model = SCENES[feature]()[0]
    assert not list(writable_arrays(model, "model"))


def test_arrays_of_joints_and_shapes_are_read_only():
    model = Model(
        [
            Body("mesh", ConvexMesh(CUBE), mass=1.0),
            Body("fixed", Box([1, 1, 1]), mass=1.0, joint=joints.Fixed(np.eye(4))),
            Body("curve", Box([1, 1, 1]), mass=1.0, joint=joints.SplineCurve(FRAMES)),
        ],
        ground=HeightField(np.zeros((3, 3)), [1.0, 1.0]),
    )
    assert not list(writable_arrays(model, "model"))


def test_a_change_of_an_array_is_refused_and_given_arrays_are_copied():
    gravity, pose = np.array([0.0, 0.0, -9.81]), np.eye(4)
    model = Model([Body("box", Box([1, 1, 1]), mass=1.0, pose=pose)], gravity=gravity)
    gravity[2] = pose[0, 3] = 1.0
    assert model.gravity[2] == -9.81
    assert model.bodies[0].initial_pose[0, 3] == 0.0
    with pytest.raises(ValueError, match="read-only"):
        model.gravity[2] = 0.0
    with pytest.raises(ValueError, match="read-only"):
        model.bodies[0].spatial_inertia[0, 0] = 2.0
