"""Oracles of the assignment, without the formulas that are asked for, and their inputs."""

import numpy as np
from scipy.optimize import minimize, minimize_scalar
from scipy.spatial.transform import Rotation


def midpoint_orientation(A, B):
    """Rotate A towards B by half of the relative rotation vector."""
    rotation_vector = Rotation.from_matrix(A.T @ B).as_rotvec()
    return A @ Rotation.from_rotvec(rotation_vector / 2).as_matrix()


def hinge_angle(u, R):
    """Search a grid of angles, then refine the best one."""

    def squared_distance(theta):
        return np.sum((Rotation.from_rotvec(theta * u).as_matrix() - R) ** 2)

    angles = np.linspace(-np.pi, np.pi, 721)
    start = angles[np.argmin([squared_distance(theta) for theta in angles])]
    # The derivative of a square is solution to more digits than its minimum.
    angle = minimize_scalar(
        lambda theta: abs(squared_distance(theta + 1e-4) - squared_distance(theta - 1e-4)),
        bounds=(start - 0.01, start + 0.01),
        method="bounded",
        options={"xatol": 1e-12},
    )
    return angle.x


def mean_orientation(Rs):
    """Minimize over rotation vectors, starting at the best of the given orientations."""
    start = min(Rs, key=lambda R: np.sum((Rs - R) ** 2))

    def squared_distance(w):
        return np.sum((Rs - start @ Rotation.from_rotvec(w).as_matrix()) ** 2)

    solution = minimize(squared_distance, np.zeros(3), method="BFGS", options={"gtol": 1e-9})
    return start @ Rotation.from_rotvec(solution.x).as_matrix()


def _axis(rng):
    u = rng.normal(size=3)
    return u / np.linalg.norm(u)


def _pair_sampler(angle):
    def draw(rng):
        A = Rotation.random(random_state=rng)
        return {"A": A.as_matrix(), "B": (A * Rotation.from_rotvec(angle(rng) * _axis(rng))).as_matrix()}

    return draw


pairs = {
    "generic": _pair_sampler(lambda rng: rng.uniform(0.2, 2.8)),
    "tiny": _pair_sampler(lambda rng: 10.0 ** rng.uniform(-9, -3)),
    "near pi": _pair_sampler(lambda rng: np.pi - 10.0 ** rng.uniform(-3, -1)),
}


def draw_hinges(rng):
    """Draw an axis, and an orientation for which the best angle is unique."""
    u = _axis(rng)
    tilt = Rotation.from_rotvec(rng.uniform(0, 1) * _axis(rng))
    R = Rotation.from_rotvec(rng.uniform(-2.5, 2.5) * u) * tilt
    return {"u": u, "R": R.as_matrix()}


def draw_orientations(rng):
    """Draw orientations around a random one."""
    center = Rotation.random(random_state=rng)
    deviations = Rotation.from_rotvec(rng.normal(scale=0.5, size=(int(rng.integers(3, 9)), 3)))
    return {"Rs": (center * deviations).as_matrix()}
