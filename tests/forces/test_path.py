"""Forces along paths: against the energy, against an independent force, and against physics."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp
from tension_laws import STIFFENING

from rbnotes.arguments import InvalidArgument, SingularConfiguration
from rbnotes.forces import (
    CallableTensionLaw,
    ConstantTension,
    LinearSpring,
    LinearStress,
    QuadraticStrain,
    SpringDamper,
    dissipated_power,
    length_gradient,
    length_hessian,
    path_energy,
    path_force,
    path_length,
    path_segments,
    path_stiffness,
    stress,
    symmetric_part,
    taut_stiffness,
    unchecked_path,
)
from rbnotes.testing import complex_step, jacobian
from rbnotes.testing.strategies import numbers, positive_numbers, rotations, vectors


def dot(a, b):
    return sum(p * q for p, q in zip(a, b, strict=True))


def tension_forces(tension, x, v, active=None):
    """Return the forces on the points, one segment after the other.

    The forces are analytic functions, so that complex steps can differentiate them.
    """
    n = len(x) - 1
    steps = [x[i + 1] - x[i] for i in range(n)]
    lengths = [np.sqrt(dot(s, s)) for s in steps]
    counted = range(n) if active is None else np.flatnonzero(active)
    L = sum(lengths[i] for i in counted)
    Ldot = sum(dot(v[i + 1] - v[i], steps[i]) / lengths[i] for i in counted)
    f = np.zeros(x.shape, dtype=np.result_type(x, v))
    for i in range(n):
        pulling = tension(L, Ldot) * steps[i] / lengths[i]
        f[i] += pulling
        f[i + 1] -= pulling
    return f


@st.composite
def paths(draw, most=4, passive=True):
    """Return points at least 1/4 apart along the path, their velocities, and the active segments."""
    n = draw(st.integers(1, most))
    x = draw(vectors(3 * n + 3).map(lambda e: e.reshape(-1, 3)).filter(_spread))
    v = draw(vectors(3 * n + 3)).reshape(-1, 3)
    flags = st.lists(st.booleans(), min_size=n, max_size=n).filter(any)
    active = np.array(draw(flags)) if passive else np.ones(n, dtype=bool)
    return x, v, active


def _spread(x):
    return np.min(np.linalg.norm(np.diff(x, axis=0), axis=-1)) >= 0.25


@st.composite
def laws(draw):
    """Return a tension law and an independent implementation of its formula."""
    k, d, r = draw(positive_numbers()), draw(numbers(0.0, 2.0)), draw(positive_numbers())
    return draw(
        st.sampled_from(
            [
                (LinearSpring(k, d, r), lambda L, Ldot: k * (L - r) + d * Ldot),
                (SpringDamper(k, d, r), lambda L, Ldot: (k * (L - r) + d * Ldot) / r),
                (QuadraticStrain(k, r), lambda L, Ldot: k * L * (L * L / (r * r) - 1) / 2),
                (ConstantTension(k), lambda L, Ldot: k + 0 * L),
                (STIFFENING, STIFFENING.function),
            ]
        )
    )


@given(laws(), paths())
def test_force_and_jacobians_against_complex_step(law, path):
    law, tension = law
    x, v, active = path
    forces = path_force(law, x, v, active)
    K = complex_step(lambda z: tension_forces(tension, z.reshape(x.shape), v, active).ravel(), x.ravel())
    D = complex_step(lambda z: tension_forces(tension, x, z.reshape(x.shape), active).ravel(), v.ravel())
    scale = max(1.0, np.abs(K).max(), np.abs(D).max())
    assert_allclose(forces.f, tension_forces(tension, x, v, active), rtol=0, atol=1e-12 * scale)
    assert_allclose(forces.K, K, rtol=0, atol=1e-12 * scale)
    assert_allclose(forces.D, D, rtol=0, atol=1e-12 * scale)


@given(laws(), paths(passive=False))
def test_force_is_minus_the_energy_gradient(law, path):
    law, _ = law
    if law is STIFFENING:
        law = CallableTensionLaw(law.function, potential=lambda L: L**3 / 3)
    x, v, _ = path
    gradient = jacobian(lambda z: path_energy(law, z.reshape(x.shape)), x.ravel())
    assert_allclose(
        path_force(law, x, 0 * v).f.ravel(), -gradient.value, rtol=1e-8, atol=1e-8 + gradient.error
    )


@given(paths())
def test_length_and_its_derivatives(path):
    x, v, active = path
    u, lengths = path_segments(x)
    assert_allclose(u * lengths[:, None], np.diff(x, axis=0), atol=1e-14)

    def length(z):
        steps = np.diff(z.reshape(x.shape), axis=0)[active]
        return np.sum(np.sqrt(steps[:, 0] ** 2 + steps[:, 1] ** 2 + steps[:, 2] ** 2))

    gradient = length_gradient(x, active)
    L, Ldot = path_length(x, v, active)
    assert_allclose(L, length(x), rtol=1e-14)
    assert_allclose(gradient, complex_step(length, x.ravel()), atol=1e-13)
    assert_allclose(Ldot, gradient @ v.ravel(), atol=1e-13)
    hessian = jacobian(lambda z: length_gradient(z.reshape(x.shape), active), x.ravel())
    assert_allclose(length_hessian(x, active), hessian.value, atol=1e-8)


@given(laws(), paths())
def test_internal_forces_have_no_resultant_and_no_moment(law, path):
    x, v, active = path
    f = path_force(law[0], x, v, active).f
    scale = max(1.0, np.abs(f).max())
    assert_allclose(np.sum(f, axis=0), 0, atol=1e-12 * scale)
    assert_allclose(np.sum(np.cross(x, f), axis=0), 0, atol=1e-12 * scale)


@given(laws(), paths(), rotations(), vectors(), vectors(), vectors())
def test_forces_rotate_with_rigid_motions(law, path, R, p, omega, velocity):
    x, v, active = path
    here = path_force(law[0], x, v, active)
    displaced = x @ R.T + p
    there = path_force(law[0], displaced, v @ R.T + np.cross(omega, displaced) + velocity, active)
    rotation = np.kron(np.eye(len(x)), R)
    scale = max(1.0, np.abs(here.K).max(), np.abs(here.f).max())
    assert_allclose(there.f, here.f @ R.T, atol=1e-11 * scale)
    assert_allclose(there.D, rotation @ here.D @ rotation.T, atol=1e-11 * scale)
    still = path_force(law[0], displaced, v @ R.T + velocity, active)
    assert_allclose(still.K, rotation @ here.K @ rotation.T, atol=1e-11 * scale)


@given(paths(passive=False), positive_numbers(), positive_numbers(), positive_numbers())
def test_dampers_are_passive(path, k, d, r):
    x, v, _ = path
    law = LinearSpring(k, d, r)
    damping = path_force(law, x, v).f - path_force(law, x, 0 * v).f
    power = np.sum(damping * v)
    assert power <= 1e-12
    assert_allclose(dissipated_power(law, x, v), -power, atol=1e-11)
    assert np.linalg.eigvalsh(symmetric_part(path_force(law, x, v).D)).max() <= 1e-11


def test_inactive_segments_can_add_energy():
    # The active segment shortens while the passive one grows: the damper pulls the wrong way.
    x = np.array([[0.0, 0, 0], [1, 0, 0], [2, 0, 0]])
    v = np.array([[0.0, 0, 0], [-1, 0, 0], [2, 0, 0]])
    active = np.array([True, False])
    law = LinearSpring(0.0, 2.0, 1.0)
    f = path_force(law, x, v, active).f
    assert dissipated_power(law, x, v, active) == pytest.approx(-4.0)
    assert np.sum(f * v) == pytest.approx(4.0)


@given(
    positive_numbers(), positive_numbers(), vectors(), vectors().filter(lambda u: np.linalg.norm(u) > 0.25)
)
def test_stretched_attracts_compressed_repels(k, r, start, direction):
    direction = direction / np.linalg.norm(direction)
    for law in (LinearSpring(k, 0, r), SpringDamper(k, 0, r), LinearStress(k, r), QuadraticStrain(k, r)):
        for length, sign in ((1.5 * r, 1), (0.5 * r, -1)):
            x = np.array([start, start + length * direction])
            f = path_force(law, x, np.zeros((2, 3))).f
            assert sign * f[0] @ direction > 0 > sign * f[1] @ direction


@given(laws(), paths(most=1, passive=False))
def test_one_segment_is_the_axial_spring_of_stress_form(law, path):
    law, _ = law
    x, v, _ = path
    L, Ldot = path_length(x, v)
    sigma, sigma_L, sigma_Ldot = stress(law, L, Ldot)
    step, speed = x[1] - x[0], v[1] - v[0]
    u = step / L
    across = speed - u * (u @ speed)
    block = -np.outer(step, sigma_L * u + sigma_Ldot * across / L) - sigma * np.eye(3)
    forces = path_force(law, x, v)
    assert_allclose(forces.f[0], sigma * step, atol=1e-10)
    assert_allclose(forces.K, np.block([[block, -block], [-block, block]]), rtol=1e-9, atol=1e-9)


def test_straight_path_pulls_like_the_axial_spring_through_its_ends():
    law = LinearSpring(3.0, 0.5, 1.0)
    x = np.linspace([0.0, 1, 2], [2.0, 0, 1], 5)
    v = np.linspace([1.0, 0, 0], [0.0, 2, 0], 5)
    ends = path_force(law, x[[0, -1]], v[[0, -1]]).f
    f = path_force(law, x, v).f
    assert_allclose(f[[0, -1]], ends, atol=1e-13)
    assert_allclose(f[1:-1], 0, atol=1e-13)


@given(laws(), paths())
def test_symmetrized_stiffness_is_the_symmetric_part_at_constant_rates(law, path):
    x, v, active = path
    terms = unchecked_path.path_terms(law[0], x, v, np.asarray(active))
    positional = terms.stiffness("positional")
    np.testing.assert_allclose(terms.stiffness("symmetrized"), (positional + positional.T) / 2, atol=1e-12)


@given(laws(), paths())
def test_parts_of_the_stiffness(law, path):
    x, v, active = path
    parts = path_stiffness(law[0], x, v, active)
    K = path_force(law[0], x, v, active).K
    assert_allclose(sum(parts), K, atol=1e-12 * max(1.0, np.abs(K).max()))
    still, at_rest = path_stiffness(law[0], x, 0 * v, active), path_force(law[0], x, 0 * v, active)
    F = law[0](*path_length(x, 0 * v, active)).F
    scale = max(1.0, np.abs(at_rest.K).max())
    assert_allclose(still.rate, 0)
    assert_allclose(still.geometric, -F * length_hessian(x), atol=1e-12 * scale)
    if np.all(active):
        assert_allclose(at_rest.K, at_rest.K.T, atol=1e-12 * scale)


@given(paths(passive=False), positive_numbers(), positive_numbers(), positive_numbers())
def test_taut_stiffness_is_exact_under_tension_and_stable_under_compression(path, k, d, r):
    x, v, _ = path
    law = LinearSpring(k, d, r)
    K, taut = path_force(law, x, v).K, taut_stiffness(law, x, v)
    if law(*path_length(x, v)).F >= 0:
        assert_allclose(taut, K, atol=1e-12 * max(1.0, np.abs(K).max()))
    at_rest = taut_stiffness(law, x, 0 * v)
    assert_allclose(at_rest, at_rest.T, atol=1e-12)
    assert np.linalg.eigvalsh(symmetric_part(at_rest)).max() <= 1e-11


def test_taut_stiffness_of_a_batch_drops_only_compressive_terms():
    law = LinearSpring(10.0, 0.0, 1.0)
    x = np.array([[[0.0, 0, 0], [2, 0, 0]], [[0, 0, 0], [0.5, 0, 0]]])
    taut = taut_stiffness(law, x, 0 * x)[:, :3, :3]
    assert_allclose(taut, [np.diag([-10, -5, -5]), np.diag([-10, 0, 0])], atol=1e-14)


@given(paths())
def test_paths_of_a_batch_are_independent(path):
    x, v, active = path
    rng = np.random.default_rng(len(x))
    k = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    shifts = rng.normal(scale=0.02, size=(2, 3, *x.shape))
    batch = path_force(LinearSpring(k, 0.3, 0.7), x + shifts, v, active)
    for index in np.ndindex(2, 3):
        one = path_force(LinearSpring(k[index], 0.3, 0.7), x + shifts[index], v, active)
        for batch_part, part in zip(batch, one, strict=True):
            assert_allclose(batch_part[index], part, rtol=1e-13, atol=1e-13)


def implicit_step(law, masses, x, v, h):
    """Return one step of linearly implicit Euler, (M - h D - h^2 K) v' = M v + h (f - D v).

    Sueda's (1.30) with D and K as plain derivatives; f holds the damping force, so D v is taken off.
    """
    f, K, D = path_force(law, x, v)
    M = np.kron(np.diag(masses), np.eye(3))
    after = np.linalg.solve(M - h * D - h**2 * K, (M - h * D) @ v.ravel() + h * f.ravel()).reshape(v.shape)
    return x + h * after, after


SCENE = (
    np.array([1.0, 0.5, 2.0]),
    np.array([[0.0, 0, 0], [1.2, 0.3, 0], [1.5, 1.4, 0.4]]),
    np.array([[0.2, -0.5, 0.1], [0.0, 0.4, -0.3], [-0.6, 0.1, 0.5]]),
)


@pytest.mark.slow
def test_linearly_implicit_euler_is_of_first_order():
    law = LinearSpring(8.0, 0.6, 1.5)
    masses, x, v = SCENE

    def rate(t, state):
        y = state.reshape(2, *x.shape)
        return np.concatenate([y[1], path_force(law, y[0], y[1]).f / masses[:, None]]).ravel()

    exact = solve_ivp(rate, (0, 1.0), np.concatenate([x, v]).ravel(), rtol=1e-8, atol=1e-8).y[:, -1]
    errors = []
    for steps in (64, 128):
        a, b = x, v
        for _ in range(steps):
            a, b = implicit_step(law, masses, a, b, 1.0 / steps)
        errors.append(np.linalg.norm(np.concatenate([a, b]).ravel() - exact))
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert_allclose(orders, 1.0, atol=0.1)


def test_linearly_implicit_euler_solves_the_implicit_equations_to_second_order():
    # Its defect in M (v' - v) = h f(x + h v', v') is h times the square of a change of order h: order 3.
    # With a wrong or missing term of K it would be order 2.
    law = LinearSpring(8.0, 0.6, 1.5)
    masses, x, v = SCENE
    defects = []
    for h in (0.01, 0.005, 0.0025):
        _, after = implicit_step(law, masses, x, v, h)
        f = path_force(law, x + h * after, after).f
        defects.append(np.linalg.norm(masses[:, None] * (after - v) - h * f))
    assert_allclose(np.log2(np.array(defects[:-1]) / defects[1:]), 3.0, atol=0.15)


def test_a_stiff_damped_spring_is_stable_at_large_steps():
    law = LinearSpring(1e6, 1e3, 1.0)
    masses, x, v = SCENE
    center = masses @ x / masses.sum() + masses @ v / masses.sum() * 0.05 * 200
    for _ in range(200):
        x, v = implicit_step(law, masses, x, v, 0.05)
    assert_allclose(path_length(x, v).L, 1.0, atol=1e-3)
    assert np.abs(v).max() < 5.0
    assert_allclose(masses @ x / masses.sum(), center, atol=1e-6)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: path_force(ConstantTension(1.0), [[0, 0, 0], [1, 0, 0], [1, 0, 0]], np.zeros((3, 3))),
            SingularConfiguration,
            "x: got coinciding points 1 and 2, expected segments longer than zero",
        ),
        (
            lambda: path_segments([[[0, 0, 0], [1, 0, 0]], [[2, 2, 2], [2, 2, 2]]]),
            SingularConfiguration,
            r"coinciding points 0 and 1 of path \(1,\)",
        ),
        (lambda: path_segments(np.zeros((2, 3))), SingularConfiguration, "coinciding points 0 and 1,"),
        (lambda: path_segments([[0, 0, 0]]), InvalidArgument, "at least two points"),
        (lambda: path_segments(np.zeros((2, 2))), InvalidArgument, r"x: got shape \(2, 2\)"),
        (
            lambda: path_length([[0, 0, 0], [1, 0, 0]], np.zeros((3, 3))),
            InvalidArgument,
            "one velocity for each point",
        ),
        (
            lambda: path_length(np.arange(12.0).reshape(2, 2, 3), np.zeros((3, 2, 3))),
            InvalidArgument,
            "broadcasts",
        ),
        (
            lambda: path_length([[0, 0, 0], [1, 0, 0]], np.zeros((2, 3)), [1]),
            InvalidArgument,
            r"active: got list \[1\]",
        ),
        (
            lambda: path_length([[0, 0, 0], [1, 0, 0]], np.zeros((2, 3)), [True, False]),
            InvalidArgument,
            r"booleans of shape \(1,\)",
        ),
        (
            lambda: path_length([[0, 0, 0], [1, 0, 0]], np.zeros((2, 3)), [False]),
            InvalidArgument,
            "no active segment",
        ),
        (lambda: path_segments([[0, 0, 0], [np.nan, 0, 0]]), InvalidArgument, "x: got NaN"),
        (lambda: symmetric_part(np.zeros((2, 3))), InvalidArgument, "square matrices"),
    ],
)
def test_bad_arguments_are_named(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_symmetric_parts_of_a_stack():
    stack = np.random.default_rng(3).normal(size=(2, 4, 3, 3))
    result = symmetric_part(stack)
    for i in np.ndindex(2, 4):
        np.testing.assert_array_equal(result[i], (stack[i] + stack[i].T) / 2)
