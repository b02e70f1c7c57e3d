"""Compiled code refuses what the reference refuses: singular trees and states, steps of any size."""

from functools import partial

import numpy as np
import pytest
from maximal_simulation import simulate
from random_trees import body, frame

from rbnotes import joints, se3
from rbnotes.arguments import InvalidArgument, SingularConfiguration
from rbnotes.contact import Collider
from rbnotes.dynamics import WORLD, State
from rbnotes.multibody import packing, reduced
from rbnotes.multibody.maximal import MaximalModel
from rbnotes.multibody.reduced import Link, Tree
from rbnotes.shapes import Box, Plane


def outcome(function):
    """Return the result of a call, or the type of its error."""
    try:
        return function()
    except (InvalidArgument, SingularConfiguration) as error:
        return type(error)


def nearly_singular_tree(rng, kind):
    """Return a tree with a nearly singular mass matrix: light bodies, or parallel sliders."""
    links, count = [], int(rng.integers(2, 7))
    for i in range(count):
        axis = rng.standard_normal(3)
        axis /= np.linalg.norm(axis)
        joint = (
            joints.Revolute(tuple(axis)),
            joints.Prismatic(tuple(axis)),
            joints.ExponentialSpherical(),
            joints.EulerSpherical("XYZ"),
            joints.Free3D(),
        )[int(rng.integers(0, 5))]
        inertia, placements = body(rng), (frame(rng), frame(rng))
        if kind == "light":
            inertia = inertia * 10.0 ** rng.uniform(-18, 0)
        elif kind == "parallel":
            axis = np.eye(3)[2] + 10.0 ** rng.uniform(-10, -7) * axis
            joint, placements = joints.Prismatic(tuple(axis / np.linalg.norm(axis))), (np.eye(4), np.eye(4))
            inertia = inertia if i == count - 1 else inertia * 10.0 ** rng.uniform(-20, -10)
        links.append(Link(f"link{i}", joint, inertia, f"link{i - 1}" if i else None, *placements))
    return Tree(links)


def nearly_singular_state(tree, rng):
    """Return coordinates with spherical joints at or near their singular states."""
    q = rng.standard_normal(tree.num_coordinates)
    for link, columns in zip(tree.links, tree.coordinate_slices, strict=True):
        distance = 10.0 ** rng.uniform(-17, -6) * rng.integers(0, 2)
        if isinstance(link.joint, joints.EulerSpherical):
            q[columns.start + 1] = np.pi / 2 + distance
        elif isinstance(link.joint, joints.ExponentialSpherical):
            q[columns] *= 2 * np.pi / np.linalg.norm(q[columns]) * (1 + distance)
    return q


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["light", "parallel", "singular state"])
def test_nearly_singular_trees(kind):
    """The reference alone decides if an inertia is a rounding error."""
    rng, num_refused = np.random.default_rng(30), 0
    for _ in range(25):
        tree = nearly_singular_tree(rng, kind)
        compiled = packing.compile(tree)
        q, v, x = rng.standard_normal((3, tree.num_coordinates))
        if kind == "singular state":
            q = nearly_singular_state(tree, rng)
        first = {"link0": np.ones(tree.links[0].joint.num_coordinates)}
        many = np.tile(q, (9, 1))
        calls = (
            (partial(reduced.forward_dynamics, tree, q, v, x), partial(compiled.forward_dynamics, q, v, x)),
            (
                partial(reduced.forward_dynamics, tree, many, v, x),
                partial(compiled.forward_dynamics, many, v, x),
            ),
            (
                partial(reduced.inverse_mass_product, tree, q, x),
                partial(compiled.inverse_mass_product, q, x),
            ),
            (
                partial(reduced.hybrid_dynamics, tree, q, v, first, x),
                partial(compiled.hybrid_dynamics, q, v, first, x),
            ),
        )
        for reference_call, compiled_call in calls:
            expected, actual = outcome(reference_call), outcome(compiled_call)
            assert isinstance(expected, type) == isinstance(actual, type)
            assert not isinstance(expected, type) or expected is actual
        if isinstance(outcome(calls[0][0]), type):
            num_refused += 1
            derivatives = outcome(partial(compiled.forward_dynamics_derivatives, q, v, x))
            assert derivatives is SingularConfiguration
    assert 2 < num_refused < 23


@pytest.mark.parametrize("revolutions", [1, 2])
@pytest.mark.parametrize(
    "axis", [(1.0, 0, 0), (0, -1.0, 0), (0, 0, 1.0), (0.6, 0, 0.8), (1 / 3, 2 / 3, 2 / 3)]
)
def test_full_turns_of_a_rotation_vector(axis, revolutions):
    rng = np.random.default_rng(4)
    tree = Tree(
        [
            Link("hip", joints.Revolute(), body(rng)),
            Link("ball", joints.ExponentialSpherical(), body(rng), "hip"),
        ]
    )
    compiled, v = packing.compile(tree), np.full(4, 0.1)
    q = np.append(0.3, 2 * np.pi * revolutions * np.array(axis))
    for call in (
        partial(compiled.forward_dynamics, q, v),
        partial(compiled.forward_dynamics, np.tile(q, (9, 1)), v),
        partial(compiled.forward_dynamics_derivatives, q, v),
        partial(compiled.inverse_mass_product, q, v),
        partial(compiled.hybrid_dynamics, q, v, {"hip": 0.0}),
    ):
        with pytest.raises(SingularConfiguration, match="'ball'"):
            call()
    near = compiled.forward_dynamics(0.97 * q, v)
    np.testing.assert_allclose(near, reduced.forward_dynamics(tree, 0.97 * q, v), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("h", [1e-300, 1e10, 1e19, 1e20, 1e50, 9e99, 1e200])
@pytest.mark.parametrize("has_ground", [False, True])
def test_steps_of_any_size(h, has_ground):
    """Angles of 1e19 rad once overflowed when rounded to an integer, and the result was NaN."""
    cube = Box([0.2] * 3)
    colliders = [Collider(WORLD, Plane(), mu=0.5), Collider(0, cube, mu=0.5)] if has_ground else []
    model = MaximalModel(cube.spatial_inertia(density=500.0)[None], colliders=colliders)
    state = State(se3.frame(np.eye(3), [0, 0, 0.1])[None], np.array([0.1, 0.2, 0.3, 0.3, 0, 0]))
    expected = outcome(partial(simulate, model, state, h, 2))
    assert isinstance(expected, type)
    assert outcome(partial(simulate, model, state, h, 2, compiled=True)) is expected
