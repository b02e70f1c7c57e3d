"""One difference to solve the sheet."""

import numpy as np


def bead_force(a, b, x, k, rest):
    to_a, to_b = a - x, b - x
    stretch = np.linalg.norm(to_a) + np.linalg.norm(to_b) - rest
    direction = to_a / np.linalg.norm(to_a) + to_b / np.linalg.norm(to_b)
    return k * max(stretch, 0.0) * direction


def bead_stiffness(a, b, x, k, rest):
    K = np.zeros((3, 3))
    direction = np.zeros(3)
    lengths = [np.linalg.norm(a - x), np.linalg.norm(b - x)]
    tension = k * max(sum(lengths) - rest, 0.0)
    if tension == 0.0:
        return K
    for end, length in zip((a, b), lengths, strict=True):
        u = (end - x) / length
        direction += u
        K -= tension / length * (np.eye(3) - np.outer(u, u))
    return K - k * np.outer(direction, direction)


def spring_wrench(E, p, anchor, k, rest):
    R = E[:3, :3]
    difference = anchor - (R @ p + E[:3, 3])
    length = np.linalg.norm(difference)
    force = R.T @ (k * (length - rest) * difference / length)
    return np.concatenate([np.cross(p, force), force])
