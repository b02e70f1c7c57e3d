"""Oracles of the assignment, without the formulas that are asked for, and their inputs."""

import numpy as np
from scipy.optimize import minimize, minimize_scalar
from scipy.spatial.transform import Rotation


def midway(A, B):
    """Go from A towards B by half of the rotation vector that leads there."""
    way = Rotation.from_matrix(A.T @ B).as_rotvec()
    return A @ Rotation.from_rotvec(way / 2).as_matrix()


def hinge_angle(u, R):
    """Look everywhere, then more closely."""

    def far(theta):
        return np.sum((Rotation.from_rotvec(theta * u).as_matrix() - R) ** 2)

    angles = np.linspace(-np.pi, np.pi, 721)
    start = angles[np.argmin([far(theta) for theta in angles])]
    # The derivative of a square is found to more digits than its minimum.
    slope = minimize_scalar(
        lambda theta: abs(far(theta + 1e-4) - far(theta - 1e-4)),
        bounds=(start - 0.01, start + 0.01),
        method="bounded",
        options={"xatol": 1e-12},
    )
    return slope.x


def mean_orientation(Rs):
    """Minimise over rotation vectors, from the best of those given."""
    start = min(Rs, key=lambda R: np.sum((Rs - R) ** 2))

    def far(w):
        return np.sum((Rs - start @ Rotation.from_rotvec(w).as_matrix()) ** 2)

    found = minimize(far, np.zeros(3), method="BFGS", options={"gtol": 1e-9})
    return start @ Rotation.from_rotvec(found.x).as_matrix()


def _axis(rng):
    u = rng.normal(size=3)
    return u / np.linalg.norm(u)


def _pair(angle):
    def draw(rng):
        A = Rotation.random(random_state=rng)
        return {"A": A.as_matrix(), "B": (A * Rotation.from_rotvec(angle(rng) * _axis(rng))).as_matrix()}

    return draw


pairs = {
    "generic": _pair(lambda rng: rng.uniform(0.2, 2.8)),
    "tiny": _pair(lambda rng: 10.0 ** rng.uniform(-9, -3)),
    "near pi": _pair(lambda rng: np.pi - 10.0 ** rng.uniform(-3, -1)),
}


def hinges(rng):
    """Draw an axis, and an orientation for which the best angle is unique."""
    u = _axis(rng)
    tilt = Rotation.from_rotvec(rng.uniform(0, 1) * _axis(rng))
    R = Rotation.from_rotvec(rng.uniform(-2.5, 2.5) * u) * tilt
    return {"u": u, "R": R.as_matrix()}


def clouds(rng):
    """Orientations about one of them."""
    middle = Rotation.random(random_state=rng)
    turns = Rotation.from_rotvec(rng.normal(scale=0.5, size=(int(rng.integers(3, 9)), 3)))
    return {"Rs": (middle * turns).as_matrix()}
