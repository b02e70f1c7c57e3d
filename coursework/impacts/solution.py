"""One way to solve the sheet."""

import numpy as np


def inertia(m, x):
    d = x - np.average(x, axis=0, weights=m)
    return np.sum(m * np.sum(d**2, axis=1)) * np.eye(3) - (m * d.T) @ d


def angular_velocity_after_impulse(m, x, i, p):
    arm = x[i] - np.average(x, axis=0, weights=m)
    return np.linalg.solve(inertia(m, x), np.cross(arm, p))


def bounce(v, omega, r, e, mu):
    contact = np.array([0.0, 0.0, -r])
    slip = (v + np.cross(omega, contact)) * [1, 1, 0]
    normal = -(1 + e) * v[2]
    speed = np.linalg.norm(slip)
    friction_impulse = np.zeros(3)
    if speed > 0:
        friction_impulse = -min(mu * normal, 2 / 7 * speed) * slip / speed
    after = v + friction_impulse + [0, 0, normal]
    return np.concatenate([after, omega + np.cross(contact, friction_impulse) / (2 / 5 * r**2)])
