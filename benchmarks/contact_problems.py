"""Contact steps of increasing size: a wall of bricks, a heap of spheres, and random monotone problems.

One step of a scene without friction is a quadratic program in the velocities, whose multipliers are the
impulses z: ``M v = M v0 + h f + N^T z``, ``0 <= z _|_ N v >= 0``.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.spatial import cKDTree

from rbnotes.complementarity import LCP, QP
from rbnotes.contact import BodyPairJacobian
from rbnotes.dynamics import WORLD

GRAVITY, STEP = 9.81, 0.01


def heap(contacts: int, seed: int = 0) -> QP:
    """Return a step of spheres of unequal mass in a loose hexagonal heap on the ground; N has full rank."""
    rng = np.random.default_rng(seed)
    side = max(2, round((contacts / 4.5) ** (1 / 3)))
    while True:
        layers = [
            np.array([i + 0.5 * (k % 2), 0.9 * j + 0.5 * (k % 2), 0.8 * k])
            for k in range(side)
            for j in range(side)
            for i in range(side)
        ]
        centers = np.array(layers) + 0.03 * rng.standard_normal((len(layers), 3))
        pairs = cKDTree(centers).query_pairs(1.02, output_type="ndarray")
        ground = np.flatnonzero(centers[:, 2] < 0.2)
        if len(pairs) + len(ground) >= contacts:
            break
        side += 1
    normals = centers[pairs[:, 1]] - centers[pairs[:, 0]]
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    rows = [np.zeros((len(ground), 3)), normals]
    first = np.concatenate([np.full(len(ground), -1), pairs[:, 0]])
    second = np.concatenate([ground, pairs[:, 1]])
    rows[0][:, 2] = 1.0
    selected = np.concatenate([np.arange(len(ground)), len(ground) + rng.permutation(len(pairs))])[:contacts]
    selected = rng.permutation(selected)
    normal, first, second = np.concatenate(rows)[selected], first[selected], second[selected]
    N = _jacobian(normal, first, second, 3 * len(centers))
    masses = np.repeat(rng.uniform(0.5, 2.0, len(centers)), 3)
    velocity = 0.2 * rng.standard_normal(3 * len(centers))
    velocity[2::3] -= GRAVITY * STEP
    return _step(masses, velocity, N)


def wall(contacts: int, seed: int = 0) -> QP:
    """Return a step of bricks in running bond with four contacts per interface; N is redundant."""
    rng = np.random.default_rng(seed)
    length, depth, height = 1.0, 0.5, 0.3
    rows = max(1, round(np.sqrt(contacts / 8)))
    columns = max(1, -(-contacts // (8 * rows)) + 1)
    points, lower, upper = [], [], []
    centers = []
    for k in range(rows):
        for i in range(columns):
            brick = len(centers)
            center = np.array([(i + 0.5 * (k % 2)) * length, 0.0, (k + 0.5) * height])
            centers.append(center)
            below = (
                [WORLD]
                if k == 0
                else [(k - 1) * columns + j for j in (i - 1 + k % 2, i + k % 2) if 0 <= j < columns]
            )
            for other in below:
                left = center[0] - length / 2 if other < 0 else max(center[0], centers[other][0]) - length / 2
                right = (
                    center[0] + length / 2 if other < 0 else min(center[0], centers[other][0]) + length / 2
                )
                for x in (left, right):
                    for y in (-depth / 2, depth / 2):
                        points.append((x, y, k * height))
                        lower.append(other)
                        upper.append(brick)
    selected = (
        np.sort(rng.permutation(len(points))[:contacts]) if len(points) > contacts else np.arange(len(points))
    )
    points, lower, upper = np.array(points)[selected], np.array(lower)[selected], np.array(upper)[selected]
    centers = np.array(centers)
    up = np.array([0.0, 0.0, 1.0])
    moments_and_forces = [
        np.concatenate([np.cross(points - centers[body], up), np.tile(up, (len(points), 1))], axis=1)
        for body in (upper, lower)
    ]
    rows = BodyPairJacobian(
        upper, lower, moments_and_forces[0][:, None], -moments_and_forces[1][:, None], len(centers)
    )
    mass = 2.0
    inertia = mass / 12 * np.array([depth**2 + height**2, length**2 + height**2, length**2 + depth**2])
    M = np.tile(np.concatenate([inertia, np.full(3, mass)]), len(centers))
    velocity = 0.02 * rng.standard_normal(len(M))
    velocity[5::6] -= GRAVITY * STEP
    return _step(M, velocity, rows.matrix)


def _step(masses: np.ndarray, velocity: np.ndarray, N: sparse.sparray) -> QP:
    """Return the problem of a step with a diagonal mass matrix."""
    return QP(sparse.diags_array(masses, format="csc"), -masses * velocity, N, np.zeros(N.shape[0]))


def random_lcp(size: int, seed: int = 0) -> LCP:
    """Return a dense strictly monotone LCP with a known solution, half of it active."""
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((size, size))
    M = A @ A.T / size + 0.1 * np.eye(size)
    active = rng.random(size) < 0.5
    z, w = np.where(active, rng.random(size), 0.0), np.where(active, 0.0, rng.random(size))
    return LCP(M, w - M @ z)


def _jacobian(normal: np.ndarray, first: np.ndarray, second: np.ndarray, size: int) -> sparse.csc_array:
    """Return the rows of the separation speeds of pairs of particles; the index -1 is the ground."""
    row = np.repeat(np.arange(len(normal)), 3)
    entries = []
    for body, sign in ((first, -1.0), (second, 1.0)):
        column = (3 * body[:, None] + np.arange(3)).ravel()
        moves = column >= 0
        entries.append((sign * normal.ravel()[moves], row[moves], column[moves]))
    values, rows, columns = (np.concatenate(parts) for parts in zip(*entries, strict=True))
    return sparse.coo_array((values, (rows, columns)), shape=(len(normal), size)).tocsc()
