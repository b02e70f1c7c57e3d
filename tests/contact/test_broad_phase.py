"""The broad phase finds all pairs, and the number of pairs that it tests grows with the number of bodies."""

import os
import subprocess
import sys

import numpy as np
import pytest

from rbnotes import se3, so3
from rbnotes.contact import Collider, contact_points, detection
from rbnotes.contact.detection import overlapping_spheres
from rbnotes.dynamics import WORLD
from rbnotes.shapes import Box, Plane, Sphere


@pytest.mark.parametrize("count", [0, 1, 2, 40, 400])
def test_overlapping_spheres_are_those_of_all_pairs(count):
    rng = np.random.default_rng(count)
    centers = rng.uniform(0, max(count, 1) ** (1 / 3), (count, 3))
    radii = rng.uniform(0.1, 0.6, count) * np.where(rng.random(count) < 0.1, 8.0, 1.0)
    distances = np.linalg.norm(centers[:, None] - centers, axis=-1) - radii[:, None] - radii
    expected = {frozenset(map(int, pair)) for pair in np.argwhere(np.triu(distances <= 0, 1))}
    pairs = overlapping_spheres(centers, radii)
    assert len(pairs) == len(expected)
    assert {frozenset(map(int, pair)) for pair in pairs} == expected


def heap(edge):
    """Return colliders and poses of a cube of turned boxes and balls on a large box, and far from a wall."""
    positions = np.stack(np.meshgrid(*[np.arange(edge)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    rng = np.random.default_rng(edge)
    poses = se3.frame(so3.exp(rng.normal(size=positions.shape)), 0.25 * positions + [0, 0, 0.2])
    shapes = [Box([0.15, 0.2, 0.1]), Sphere(0.12)]
    below = se3.frame(np.eye(3), [0, 0, -0.5])
    wall = se3.frame(so3.exp([0, np.pi / 2, 0]), [-0.5, 0, 0])
    colliders = [Collider(i, shapes[i % 2]) for i in range(len(poses))]
    return [*colliders, Collider(WORLD, Box([20, 20, 1]), below), Collider(WORLD, Plane(), wall)], poses


def test_pairs_tested_for_each_body_do_not_grow(monkeypatch):
    counts = {}
    for edge in (5, 10):
        calls = []

        def narrow_phase(*arguments, calls=calls):
            calls.append(arguments)
            return detection.empty_manifold()

        monkeypatch.setattr(detection, "_narrow_phase", narrow_phase)
        colliders, poses = heap(edge)
        contact_points(colliders, poses, 0.01)
        counts[edge] = len(calls) / len(poses)
    # A body inside has seven neighbors below it or beside it, and all are near the large box.
    assert counts[10] < 8
    assert counts[10] < 1.5 * counts[5]


COUNT = """
import numpy as np
from test_broad_phase import heap
from rbnotes.compiled.collision import broad_phase

number = 0
overlap = broad_phase.spheres_overlap

def spheres_overlap(*arguments):
    global number
    number += 1
    return overlap(*arguments)

broad_phase.spheres_overlap = spheres_overlap
for edge in (5, 10):
    number = 0
    _, poses = heap(edge)
    centers, radii = np.random.default_rng(edge).permutation(poses[:, :3, 3]), np.full(len(poses), 0.14)
    grid, indices = broad_phase.build_grid(centers, radii), np.empty(len(poses), dtype=int)
    pairs = sum(broad_phase.later_neighbors(i, centers, radii, grid, indices) for i in range(len(poses)))
    print(number / len(poses), pairs / len(poses))
"""


@pytest.mark.slow
def test_pairs_compared_for_each_body_do_not_grow_in_compiled_code():
    """The functions run without the compiler, which does not count."""
    path = os.pathsep.join([os.path.dirname(__file__), *sys.path])
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": path}
    output = subprocess.check_output([sys.executable, "-c", COUNT], env=environment, text=True)
    (few, _), (many, pairs) = (map(float, line.split()) for line in output.splitlines())
    assert few < many < 1.7 * few  # at the sides of the cube are fewer
    assert many < 150  # half of those in 27 cells
    assert pairs == pytest.approx(2.7)  # 3 * 9 * 10 * 10 neighbors along the axes
