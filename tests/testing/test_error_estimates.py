"""Error estimates of numerical derivatives: never below the true error, and not far above it.

Each family draws functions with known derivatives: at stationary points, where slopes say nothing about
rounding; on rotations and frames near and at a half turn, and at symmetric points, where rounding off the
group counts; with values and positions of many sizes; and with digits lost inside the function.
"""

import mpmath
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from rbnotes.testing import derivative, jacobian, jacobian_se3, jacobian_so3

CASES = 150
ON_NUMBERS, ON_VECTORS, ON_ROTATIONS, ON_FRAMES, AT_SYMMETRY = {}, {}, {}, {}, {}


def bracket(a):
    x, y, z = a
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def size(rng, low, high):
    """Return a power of ten."""
    return 10.0 ** rng.integers(low, high + 1)


def draw_rotation(rng):
    axis = rng.normal(size=3)
    axis /= np.linalg.norm(axis)
    angle = rng.choice([0.0, np.pi, np.pi - size(rng, -10, -2), size(rng, -10, -2), rng.uniform(0, np.pi)])
    if rng.integers(4) == 0:
        axis, angle = np.eye(3)[rng.integers(3)], rng.integers(4) * np.pi / 2
    return Rotation.from_rotvec(angle * axis).as_matrix()


def draw_frame(rng):
    E = np.eye(4)
    E[:3, :3], E[:3, 3] = draw_rotation(rng), size(rng, -6, 6) * rng.normal(size=3)
    return E


def family(families):
    return lambda case: families.setdefault(case.__name__.replace("_", " "), case)


# Each case returns a function, the point, and the derivative there.


@family(ON_NUMBERS)
def waves(rng):
    t, height, frequency = rng.uniform(-3, 3), size(rng, -8, 8), 10 ** rng.uniform(-6, 1)
    return lambda s: height * np.sin(frequency * s), t, height * frequency * np.cos(frequency * t)


@family(ON_NUMBERS)
def waves_at_their_top(rng):
    height, frequency = size(rng, -8, 8), 10 ** rng.uniform(-3, 1)
    t = np.pi / 2 / frequency
    # Not zero: t is not the top to the last digit.
    exact = frequency * mpmath.cos(mpmath.mpf(frequency) * mpmath.mpf(t))
    return lambda s: height * np.sin(frequency * s), t, height * float(exact)


@family(ON_NUMBERS)
def waves_far_from_zero(rng):
    t = rng.uniform(-1, 1) * size(rng, 2, 6)
    return np.sin, t, np.cos(t)


@family(ON_NUMBERS)
def composed_function(rng):
    t = rng.uniform(-2, 2)
    exact = mpmath.diff(lambda s: mpmath.exp(mpmath.sin(2 * s)) / (1 + s * s), mpmath.mpf(t))
    return lambda s: np.exp(np.sin(2 * s)) / (1 + s * s), t, float(exact)


@family(ON_NUMBERS)
def small_change_of_a_large_number(rng):
    t, offset = rng.uniform(-3, 3), size(rng, 1, 6)
    return lambda s: offset + np.sin(s), t, np.cos(t)


@family(ON_NUMBERS)
def digits_lost_inside(rng):
    t, offset = rng.uniform(-3, 3), size(rng, 1, 6)
    return lambda s: (offset + np.sin(s)) - offset, t, np.cos(t)


@family(ON_NUMBERS)
def digits_lost_at_a_minimum(rng):
    t = rng.uniform(-3, 3)
    return lambda s: s * s - 2 * t * s + t * t, t, 0.0


@family(ON_VECTORS)
def energies(rng):
    n, stiffness = rng.integers(1, 7), size(rng, -8, 8)
    A, x = rng.normal(size=(n, n)), size(rng, -6, 6) * rng.normal(size=n)
    displacement = rng.normal(size=n)
    B, origin = stiffness * A @ A.T, x - displacement
    return lambda q: (q - origin) @ B @ (q - origin) / 2, x, B @ (x - origin)


@family(ON_VECTORS)
def energies_at_rest(rng):
    n, stiffness = rng.integers(1, 7), size(rng, -8, 8)
    A, x = rng.normal(size=(n, n)), size(rng, -6, 6) * rng.normal(size=n)
    B = stiffness * A @ A.T
    return lambda q: (q - x) @ B @ (q - x) / 2, x, np.zeros(n)


@family(ON_VECTORS)
def distances(rng):
    n = rng.integers(2, 5)
    x, displacement = size(rng, -6, 6) * rng.normal(size=n), rng.normal(size=n)
    anchor = x - displacement / np.linalg.norm(displacement)
    return lambda q: np.linalg.norm(q - anchor), x, (x - anchor) / np.linalg.norm(x - anchor)


@family(ON_ROTATIONS)
def rotated_vectors(rng):
    R, a = draw_rotation(rng), size(rng, -3, 3) * rng.normal(size=3)
    return lambda Q: Q @ a, R, -R @ bracket(a)


@family(ON_ROTATIONS)
def one_coordinate(rng):
    R, a, b = draw_rotation(rng), rng.normal(size=3), rng.normal(size=3)
    return lambda Q: b @ (Q @ a), R, np.cross(a, R.T @ b)


@family(ON_ROTATIONS)
def rotated_inertias(rng):
    R, J = draw_rotation(rng), np.diag(rng.uniform(1, 3, 3))
    exact = [R @ (bracket(w) @ J - J @ bracket(w)) @ R.T for w in np.eye(3)]
    return lambda Q: Q @ J @ Q.T, R, np.moveaxis(exact, 0, -1)


@family(ON_ROTATIONS)
def springs_at_rest(rng):
    R, a, stiffness = draw_rotation(rng), rng.normal(size=3), size(rng, -8, 8)
    origin = R @ a
    return lambda Q: stiffness * np.sum((Q @ a - origin) ** 2), R, np.zeros(3)


@family(ON_ROTATIONS)
def one_minus_the_cosine(rng):
    R, stiffness = draw_rotation(rng), size(rng, -8, 8)
    return lambda Q: stiffness * (3 - np.trace(R.T @ Q)), R, np.zeros(3)


@family(ON_ROTATIONS)
def distances_of_rotations(rng):
    R, stiffness = draw_rotation(rng), size(rng, -8, 8)
    return lambda Q: stiffness * np.sum((Q - R) ** 2), R, np.zeros(3)


@family(ON_ROTATIONS)
def what_no_rotation_changes(rng):
    R, a = draw_rotation(rng), size(rng, -3, 3) * rng.normal(size=3)
    return lambda Q: np.sum((Q @ a) ** 2) - a @ a, R, np.zeros(3)


@family(ON_ROTATIONS)
def determinants(rng):
    return np.linalg.det, draw_rotation(rng), np.zeros(3)


def symmetric_rotation(rng):
    """Return a rotation of the cube, or a half turn about any axis."""
    if rng.integers(3) == 0:
        axis = rng.normal(size=3)
        return 2 * np.outer(axis, axis) / (axis @ axis) - np.eye(3)
    R = np.eye(3)[rng.permutation(3)] * rng.choice([-1.0, 1.0], 3)[:, None]
    return R * np.linalg.det(R)


@family(AT_SYMMETRY)
def traces(rng):
    R, stiffness, D = symmetric_rotation(rng), size(rng, -8, 8), np.diag(rng.normal(size=3))
    return lambda Q: stiffness * np.trace(D @ R.T @ Q), R, np.zeros(3)


@family(AT_SYMMETRY)
def squared_angles(rng):
    R, stiffness = symmetric_rotation(rng), size(rng, -8, 8)
    return lambda Q: stiffness * np.arccos(np.clip(np.trace(R.T @ Q) / 2 - 0.5, -1, 1)) ** 2, R, np.zeros(3)


@family(AT_SYMMETRY)
def squared_sines(rng):
    R, stiffness, a = symmetric_rotation(rng), size(rng, -8, 8), rng.normal(size=3)
    a /= np.linalg.norm(a)
    return lambda Q: stiffness * (1 - (a @ R.T @ Q @ a) ** 2), R, np.zeros(3)


@family(AT_SYMMETRY)
def what_is_orthogonal(rng):
    R, stiffness = symmetric_rotation(rng), size(rng, -8, 8)
    return lambda Q: stiffness * (Q[0] @ Q[1]), R, np.zeros(3)


@family(AT_SYMMETRY)
def volumes(rng):
    R, stiffness = symmetric_rotation(rng), size(rng, -8, 8)
    return lambda Q: stiffness * (np.linalg.det(Q) - 1), R, np.zeros(3)


@family(AT_SYMMETRY)
def lengths(rng):
    R, stiffness, a = symmetric_rotation(rng), size(rng, -8, 8), rng.normal(size=3)
    return lambda Q: stiffness * np.linalg.norm(Q @ a), R, np.zeros(3)


@family(ON_ROTATIONS)
def rotation_vectors(rng):
    R = draw_rotation(rng)
    return lambda Q: Rotation.from_matrix(R.T @ Q).as_rotvec(), R, np.eye(3)


@family(ON_FRAMES)
def points(rng):
    E, a = draw_frame(rng), size(rng, -3, 3) * rng.normal(size=3)
    return lambda F: F[:3, :3] @ a + F[:3, 3], E, E[:3, :3] @ np.hstack([-bracket(a), np.eye(3)])


@family(ON_FRAMES)
def distances_to_points(rng):
    E, a, displacement = draw_frame(rng), rng.normal(size=3), rng.normal(size=3)
    point = E[:3, :3] @ a + E[:3, 3]
    anchor = point - displacement / np.linalg.norm(displacement)
    direction = (point - anchor) / np.linalg.norm(point - anchor)
    exact = direction @ E[:3, :3] @ np.hstack([-bracket(a), np.eye(3)])
    return lambda F: np.linalg.norm(F[:3, :3] @ a + F[:3, 3] - anchor), E, exact


@family(ON_FRAMES)
def stretched_to_nothing(rng):
    E, a, stiffness = draw_frame(rng), rng.normal(size=3), size(rng, -8, 8)
    point = E[:3, :3] @ a + E[:3, 3]
    return lambda F: stiffness * np.sum((F[:3, :3] @ a + F[:3, 3] - point) ** 2), E, np.zeros(6)


@family(ON_FRAMES)
def points_in_body_frame(rng):
    E, displacement = draw_frame(rng), rng.normal(size=3)
    R, p = E[:3, :3], E[:3, 3]
    anchor = p + displacement
    local = R.T @ (anchor - p)
    return lambda F: F[:3, :3].T @ (anchor - F[:3, 3]), E, np.hstack([bracket(local), -np.eye(3)])


KINDS = [
    pytest.param(differentiate, case, id=name)
    for differentiate, families in (
        (derivative, ON_NUMBERS),
        (jacobian, ON_VECTORS),
        (jacobian_so3, ON_ROTATIONS),
        (jacobian_se3, ON_FRAMES),
    )
    for name, case in families.items()
]


# On a line of symmetry the rounding to both sides cancels, which no estimate can count on.
BY_SYMMETRY = {waves_at_their_top, energies_at_rest, distances_of_rotations}


@pytest.mark.slow
@pytest.mark.parametrize(("differentiate", "case"), KINDS)
def test_no_error_exceeds_its_estimate(differentiate, case):
    rng = np.random.default_rng(1)
    errors, estimates = [], []
    for _ in range(CASES):
        function, point, exact = case(rng)
        value, error = differentiate(function, point)
        errors.append(np.max(np.abs(value - exact)))
        estimates.append(error)
    errors, estimates = np.array(errors), np.array(estimates)
    assert np.all(errors <= estimates)
    wrong = errors > 0
    assert np.any(wrong)
    if case not in BY_SYMMETRY:
        assert np.median(estimates[wrong] / errors[wrong]) < 250


@pytest.mark.slow
@pytest.mark.parametrize("case", AT_SYMMETRY.values(), ids=AT_SYMMETRY)
def test_group_rounding_at_symmetric_points(case):
    """A thousand cases with zero derivatives: the only error is rounding of the rotation."""
    rng = np.random.default_rng(2)
    for _ in range(1000 // len(AT_SYMMETRY) + 1):
        function, R, exact = case(rng)
        value, error = jacobian_so3(function, R)
        assert np.max(np.abs(value - exact)) <= error


def test_rounding_estimate_of_a_linear_function():
    """A multiple of t at zero, in binary fractions: no other error is left to count."""
    step = 2.0**-6
    result = derivative(lambda t: 8 * t, step=step)
    assert result.value == pytest.approx(8, rel=1e-14)
    values, positions = 8 * 4 * step, 8 * 4 * step
    rounding = 4 * np.finfo(float).eps * (values + positions)
    assert result.error * step / rounding == pytest.approx(1, rel=0.1)
