"""Numerical derivatives and their error estimates at many scales, on SO(3) and SE(3)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rbnotes import arguments
from rbnotes.arguments import InvalidArgument
from rbnotes.testing import complex_step, derivative, jacobian, jacobian_se3, jacobian_so3
from rbnotes.testing.strategies import (
    frames,
    matrices,
    nonzero_vectors,
    numbers,
    rotations,
    vectors,
)


def bracket(a):
    x, y, z = a
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def assert_error_estimate(estimate, exact, tolerance=1e-9):
    """Assert that the error stays within its estimate, and that the estimate is sharp enough."""
    exact = np.asarray(exact)
    assert estimate.value.shape == exact.shape
    error = np.max(np.abs(estimate.value - exact), initial=0.0)
    assert error <= estimate.error
    assert estimate.error <= tolerance * max(1.0, np.max(np.abs(exact), initial=0.0))


SMOOTH = {
    "constant": (lambda t: 3.0, lambda t: 0.0),
    "line": (lambda t: 2 * t - 7, lambda t: 2.0),
    "polynomial": (lambda t: t**7 - 3 * t**2, lambda t: 7 * t**6 - 6 * t),
    "exponential": (np.exp, np.exp),
    "hill": (lambda t: 1 / (1 + t * t), lambda t: -2 * t / (1 + t * t) ** 2),
    "small change of a large number": (lambda t: 1e3 + np.sin(t), np.cos),
    "logistic": (lambda t: np.tanh(3 * t), lambda t: 3 / np.cosh(3 * t) ** 2),
}


@pytest.mark.parametrize(("function", "expected"), SMOOTH.values(), ids=SMOOTH)
@given(t=numbers(-3, 3))
def test_smooth_functions(function, expected, t):
    assert_error_estimate(derivative(function, t), expected(t))


@given(numbers(-3, 3), st.sampled_from([1e-6, 1e-3, 0.1, 1.0, 10.0]), st.sampled_from([1e-8, 1.0, 1e8]))
def test_waves_of_all_lengths_and_amplitudes(t, frequency, height):
    estimate = derivative(lambda s: height * np.sin(frequency * s), t)
    exact = height * frequency * np.cos(frequency * t)
    assert abs(estimate.value - exact) <= estimate.error
    assert estimate.error <= 1e-9 * height * max(1, frequency)


@given(numbers(-3, 3), st.sampled_from([50, 100, 200, 300]))
def test_error_estimate_of_fast_waves(t, frequency):
    """The step is too long for them; the estimate has to say so, and a shorter step to help."""
    exact = frequency * np.cos(frequency * t)
    rough = derivative(lambda s: np.sin(frequency * s), t)
    assert abs(rough.value - exact) <= rough.error
    fine = derivative(lambda s: np.sin(frequency * s), t, step=0.1 / frequency)
    assert abs(fine.value - exact) <= fine.error
    assert fine.error < 1e-7 * frequency


@pytest.mark.parametrize("t", [1e3, -123456.789, 1e6 / 3])
def test_argument_rounding_far_from_zero(t):
    for estimate, exact in (
        (derivative(np.sin, t), np.cos(t)),
        (derivative(lambda s: s - t, t), 1.0),
        (jacobian(lambda x: x - t, [t]), [[1.0]]),
    ):
        assert np.abs(estimate.value - exact) <= estimate.error
        assert estimate.error < 1e-6


def test_values_of_any_shape():
    def function(t):
        return np.array([[np.sin(t), t], [t**2, 1.0], [0.0, np.exp(t)]])

    assert_error_estimate(derivative(function, 0.5), [[np.cos(0.5), 1], [1, 0], [0, np.exp(0.5)]])
    assert derivative(lambda t: np.zeros((0, 3))).value.shape == (0, 3)


@given(matrices(4, 3), matrices(3, 3), vectors(), vectors())
def test_jacobian(A, B, x, offset):
    assert_error_estimate(jacobian(lambda q: A @ q, x), A)
    assert_error_estimate(jacobian(lambda q: 1e3 * A @ (q - x), x), 1e3 * A)
    assert_error_estimate(jacobian(lambda q: q @ B @ q, x), (B + B.T) @ x)
    assert_error_estimate(jacobian(lambda q: np.outer(q, q + offset), x), outer_slope(x, offset))
    assert_error_estimate(jacobian(lambda q: np.sin(A @ q), x), np.cos(A @ x)[:, None] * A)


def outer_slope(x, offset):
    """Return d (q (q + offset)^T)_ij / dq_k."""
    eye = np.eye(3)
    return np.einsum("ik,j->ijk", eye, x + offset) + np.einsum("i,jk->ijk", x, eye)


def test_jacobian_of_coordinates_with_different_units():
    x = np.array([1e6, 1e-3])
    estimate = jacobian(lambda q: np.array([q[0] * q[1], np.sin(q[0] / 1e6)]), x, step=1e-4)
    exact = np.array([[1e-3, 1e6], [np.cos(1.0) * 1e-6, 0]])
    assert np.max(np.abs(estimate.value - exact)) <= estimate.error


@given(rotations(), vectors(), matrices(3, 3))
def test_jacobian_on_rotations(R, a, A):
    """R exp([w]) a changes by R (w x a), and (R exp([w]))^T a by -w x R^T a."""
    assert_error_estimate(jacobian_so3(lambda Q: Q @ a, R), -R @ bracket(a))
    assert_error_estimate(jacobian_so3(lambda Q: Q.T @ a, R), bracket(R.T @ a))
    assert_error_estimate(jacobian_so3(lambda Q: 1e3 * (Q - R) @ a, R), -1e3 * R @ bracket(a))
    assert_error_estimate(jacobian_so3(lambda Q: 1e-6 * Q @ a, R), -1e-6 * R @ bracket(a))
    P = A @ R
    assert_error_estimate(
        jacobian_so3(lambda Q: np.trace(A @ Q), R),
        [P[1, 2] - P[2, 1], P[2, 0] - P[0, 2], P[0, 1] - P[1, 0]],
    )
    phase, expected = 2 * (a @ R @ a), -2 * a @ R @ bracket(a)
    assert_error_estimate(jacobian_so3(lambda Q: np.sin(2 * (a @ Q @ a)), R), np.cos(phase) * expected, 1e-6)


@given(rotations(), vectors())
def test_second_derivative_on_rotations(R, a):
    """The derivative of a derivative: step and noise of the inner one go into the outer one."""

    def inner(Q):
        return jacobian_so3(lambda P: P @ a, Q).value

    exact = np.stack([-R @ bracket(w) @ bracket(a) for w in np.eye(3)], axis=-1)
    np.testing.assert_allclose(jacobian_so3(inner, R).value, exact, atol=1e-9)


@given(frames(), vectors(), nonzero_vectors(), st.sampled_from([1.0, 1e3]))
def test_jacobian_on_frames(E, x, offset, scale):
    E = E.copy()
    E[:3, 3] *= scale
    R, p = E[:3, :3], E[:3, 3]
    position = R @ x + p
    material = R @ np.hstack([-bracket(x), np.eye(3)])
    assert_error_estimate(jacobian_se3(lambda F: F[:3, :3] @ x + F[:3, 3], E), material, 1e-8)
    anchor = position - offset
    length = np.linalg.norm(offset)
    distance = jacobian_se3(lambda F: np.linalg.norm(F[:3, :3] @ x + F[:3, 3] - anchor), E)
    assert_error_estimate(distance, offset @ material / length, 1e-6)
    # The inverse: seen from the body, what is fixed in the world moves by -xi.
    local_offset = R.T @ (anchor - p)
    assert_error_estimate(
        jacobian_se3(lambda F: F[:3, :3].T @ (anchor - F[:3, 3]), E),
        np.hstack([bracket(local_offset), -np.eye(3)]),
        1e-8,
    )


@given(rotations(), frames())
def test_perturbed_arguments_stay_in_the_group(R, E):
    """The function is called with a rotation, or a pose with an exact last row."""

    def rotation(Q):
        return arguments.rotation("Q", Q)[0]

    def frame(F):
        assert np.array_equal(F[3], [0, 0, 0, 1])
        return arguments.frame("F", F)[0]

    jacobian_so3(rotation, R)
    jacobian_se3(frame, E)


@given(rotations(), frames(), vectors())
def test_arguments_are_not_changed(R, E, x):
    before = [R.copy(), E.copy(), x.copy()]
    jacobian(lambda q: q, x)
    jacobian_so3(lambda Q: Q[0], R)
    jacobian_se3(lambda F: F[0], E)
    complex_step(lambda q: q, x)
    for now, then in zip((R, E, x), before, strict=True):
        np.testing.assert_array_equal(now, then)


def test_batches_of_rotations_and_frames():
    R = np.stack(
        [np.eye(3), np.diag([1.0, -1, -1]), np.diag([-1.0, 1, -1]), np.diag([-1.0, -1, 1]), np.eye(3)]
    )
    E = np.zeros((5, 4, 4))
    E[:, :3, :3], E[:, :3, 3], E[:, 3, 3] = R, np.arange(15).reshape(5, 3), 1
    a = np.array([1.0, 2, 3])
    many = jacobian_so3(lambda Q: Q @ a, R).value
    poses = jacobian_se3(lambda F: F[..., :3, :3] @ a + F[..., :3, 3], E).value
    for k in range(5):
        np.testing.assert_allclose(many[k], -R[k] @ bracket(a), atol=1e-11)
        np.testing.assert_allclose(poses[k], R[k] @ np.hstack([-bracket(a), np.eye(3)]), atol=1e-10)


ANALYTIC = {
    "exponential": (np.exp, np.exp),
    "wave": (lambda x: np.sin(50 * x), lambda x: 50 * np.cos(50 * x)),
    "root": (lambda x: np.sqrt(1 + x * x), lambda x: x / np.sqrt(1 + x * x)),
    "large and small": (lambda x: 1e12 + 1e-12 * x**3, lambda x: 3e-12 * x**2),
}


@pytest.mark.parametrize(("function", "expected"), ANALYTIC.values(), ids=ANALYTIC)
@given(x=vectors(2))
def test_complex_step_is_exact_to_rounding(function, expected, x):
    np.testing.assert_allclose(complex_step(function, x), np.diag(expected(x)), rtol=2e-14, atol=1e-40)


@given(vectors(4), matrices(3, 4))
def test_complex_step_of_vectors_and_matrices(x, A):
    np.testing.assert_allclose(complex_step(lambda q: A @ q, x), A, rtol=1e-14)
    exact = np.einsum("ik,j->ijk", np.eye(4), x) + np.einsum("i,jk->ijk", x, np.eye(4))
    np.testing.assert_allclose(complex_step(lambda q: np.outer(q, q), x), exact, atol=1e-14)
    np.testing.assert_allclose(complex_step(lambda q: q @ q, x), 2 * x, rtol=1e-14)
    np.testing.assert_array_equal(complex_step(lambda q: np.ones(2), x), np.zeros((2, 4)))


@pytest.mark.parametrize(
    "function", [np.abs, np.linalg.norm, lambda x: np.abs(x) ** 2, lambda x: x.real**3], ids=range(4)
)
def test_complex_step_refuses_functions_that_drop_the_imaginary_part(function):
    with pytest.raises(InvalidArgument, match="function: got real values for complex arguments"):
        complex_step(function, [1.0, -2.0])


def blows_up(x):
    return np.where(np.real(x) > 1, np.nan, x)


CALLS = [
    (lambda: derivative(blows_up, 1.0), "function: got NaN or infinite values within 4 steps"),
    (lambda: derivative(lambda t: np.inf, 0.0), "function: got NaN or infinite values"),
    (lambda: derivative(np.sin, np.nan), "t: got NaN"),
    (lambda: derivative(np.sin, "now"), "t: got str 'now'"),
    (lambda: derivative(np.sin, 0.0, step=0.0), "step: got 0, expected numbers greater than 0"),
    (lambda: derivative(np.sin, 0.0, step=np.nan), "step: got NaN"),
    (lambda: jacobian(lambda x: x, [1.0, np.inf]), "x: got NaN"),
    (lambda: jacobian(lambda x: x, 1.0), r"x: got shape \(\)"),
    (lambda: jacobian(lambda x: x, np.ones((2, 3))), r"x: got shape \(2, 3\), expected one vector of shape"),
    (lambda: jacobian(lambda x: x, []), r"x: got shape \(0,\), expected one vector"),
    (lambda: jacobian(blows_up, [1.0]), "function: got NaN"),
    (lambda: jacobian(lambda x: x, [1.0], step=-1), "step: got -1"),
    (lambda: jacobian_so3(lambda R: R, 2 * np.eye(3)), r"R: got a matrix with max \|R\^T R - I\| = 3"),
    (lambda: jacobian_so3(lambda R: R, np.eye(4)), r"R: got shape \(4, 4\)"),
    (lambda: jacobian_se3(lambda E: E, np.ones((4, 4))), "E: got a last row 1 off"),
    (lambda: complex_step(lambda x: x, np.ones((2, 2))), r"x: got shape \(2, 2\)"),
    (lambda: complex_step(lambda x: x, [1j]), "x: got list"),
    (lambda: complex_step(blows_up, [2.0]), r"function: got NaN or infinite values at \[2\.\]"),
]


@pytest.mark.parametrize(("call", "message"), CALLS, ids=range(len(CALLS)))
def test_errors_name_the_argument(call, message):
    with pytest.raises(InvalidArgument, match=message):
        call()


def test_position_rounding_on_both_sides_of_the_origin():
    def error(side):
        E = np.eye(4)
        E[:3, 3] = 0.1, side * 1e6, 0.2
        return jacobian_se3(lambda F: F[:3, 3], E).error

    assert error(-1) == pytest.approx(error(1), rel=1e-6)


def test_complex_step_accepts_real_values_of_constant_functions():
    def square(q):
        return q[:1] ** 2 if q[0].imag else q[:1].real ** 2

    np.testing.assert_allclose(complex_step(square, np.array([1.5, 0.3])), [[3.0, 0.0]], rtol=1e-14)
