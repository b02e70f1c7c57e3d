"""Oracles of the assignment, from differences of energies, and their inputs."""

import numpy as np

from rbnotes import se3

STEP = 1e-5


def _energy(a, b, x, k, rest):
    length = np.linalg.norm(x - a) + np.linalg.norm(b - x)
    return 0.5 * k * max(length - rest, 0.0) ** 2


def _gradient(function, size):
    steps = STEP * np.eye(size)
    return np.array([(function(step) - function(-step)) / (2 * STEP) for step in steps])


def bead_force(a, b, x, k, rest):
    return -_gradient(lambda dx: _energy(a, b, x + dx, k, rest), 3)


def bead_stiffness(a, b, x, k, rest):
    def force(point):
        step = 1e-3 * np.eye(3)
        # Five points: nested differences lose digits.
        return -np.array(
            [
                8 * (_energy(a, b, point + d, k, rest) - _energy(a, b, point - d, k, rest))
                - (_energy(a, b, point + 2 * d, k, rest) - _energy(a, b, point - 2 * d, k, rest))
                for d in step
            ]
        ) / (12 * 1e-3)

    d = 1e-3 * np.eye(3)
    columns = [
        (8 * (force(x + e) - force(x - e)) - (force(x + 2 * e) - force(x - 2 * e))) / (12 * 1e-3) for e in d
    ]
    return np.stack(columns, axis=1)


def spring_wrench(E, p, anchor, k, rest):
    def energy(xi):
        point = (E @ se3.exp(xi) @ np.append(p, 1.0))[:3]
        return 0.5 * k * (np.linalg.norm(point - anchor) - rest) ** 2

    return -_gradient(energy, 6)


def _draw_band(rng, ratio):
    a, b, x = rng.normal(size=(3, 3))
    length = np.linalg.norm(x - a) + np.linalg.norm(b - x)
    return {"a": a, "b": b, "x": x, "k": rng.uniform(5, 20), "rest": length * ratio}


def draw_taut_band(rng):
    return _draw_band(rng, rng.uniform(0.3, 0.8))


bands = {"generic": draw_taut_band, "slack": lambda rng: _draw_band(rng, rng.uniform(1.1, 1.5))}


def draw_bodies(rng):
    return {
        "E": se3.exp(rng.normal(size=6)),
        "p": rng.normal(size=3),
        "anchor": rng.normal(size=3) + 3.0,
        "k": rng.uniform(5, 20),
        "rest": rng.uniform(0.5, 1.5),
    }
