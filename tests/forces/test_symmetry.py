"""Asymmetry of Jacobians: it equals the wrench of any potential; effect of neglecting it."""

import numpy as np
import pytest
from hypothesis import given
from numpy.testing import assert_allclose
from scipy.linalg import block_diag, expm

from rbnotes import se3, so3
from rbnotes.arguments import InvalidArgument
from rbnotes.dynamics import State
from rbnotes.forces import assemble
from rbnotes.forces.body_forces import directional_force
from rbnotes.forces.frame_spring import FrameSpring, FrameSprings, frame_spring_forces
from rbnotes.forces.path import symmetric_part
from rbnotes.forces.symmetry import asymmetry, inertia_asymmetry, inertia_stiffness, inertia_variation
from rbnotes.forces.world_axes import rotate_to_world
from rbnotes.forces.wrenches import BodyForces
from rbnotes.testing import derivative, jacobian, jacobian_se3, jacobian_so3
from rbnotes.testing.strategies import (
    frames,
    inertias,
    matrices,
    nonzero_vectors,
    rotations,
    vectors,
)

BASIS = np.array([se3.hat(unit) for unit in np.eye(6)])


def energy(E, C, Q):
    """Return a potential without any symmetry, of the twelve entries of a pose."""
    y = E[:3].ravel()
    return C.ravel() @ y + 0.5 * y @ Q @ y + 0.1 * np.sum(y**3)


def wrench(E, C, Q):
    """Return minus the derivatives of the energy along E exp([xi])."""
    y = E[:3].ravel()
    gradient = C.ravel() + 0.5 * (Q + Q.T) @ y + 0.3 * y**2
    return -np.array([gradient @ (E @ generator)[:3].ravel() for generator in BASIS])


def stiffness(E, C, Q):
    return jacobian_se3(lambda E: wrench(E, C, Q), E).value


@given(frames(), matrices(3, 4), matrices(12, 12))
def test_asymmetry_of_any_potential_is_its_wrench(E, C, Q):
    w, K = wrench(E, C, Q), stiffness(E, C, Q)
    scale = max(1.0, np.abs(K).max())
    assert_allclose(w, -jacobian_se3(lambda E: energy(E, C, Q), E).value, rtol=0, atol=1e-9 * scale)
    assert_allclose(K - K.T, asymmetry(w[None]), rtol=0, atol=1e-9 * scale)
    forces = rotate_to_world(BodyForces(w[None], K, np.zeros((6, 6))), E[None])
    expected = asymmetry(forces.w, axes="world")
    assert_allclose(forces.K - forces.K.T, expected, rtol=0, atol=1e-9 * scale)


@given(frames(), matrices(3, 4), matrices(12, 12), vectors(6))
def test_symmetric_part_is_minus_the_second_derivative_along_screws(E, C, Q, xi):
    def power(t):
        displaced = E @ expm(t * se3.hat(xi))
        displaced[3] = 0, 0, 0, 1
        return -wrench(displaced, C, Q) @ xi

    K = symmetric_part(stiffness(E, C, Q))
    assert_allclose(xi @ K @ xi, -derivative(power).value, rtol=1e-8, atol=1e-7 * max(1.0, np.abs(K).max()))


def test_asymmetry_of_several_bodies_and_leading_axes():
    w = np.random.default_rng(0).normal(size=(4, 2, 6))
    for axes in ("body", "world"):
        full = asymmetry(w, axes=axes)
        assert full.shape == (4, 12, 12)
        alone = [asymmetry(w[3, n : n + 1], axes=axes) for n in (0, 1)]
        assert_allclose(full[3], block_diag(*alone))
        assert np.all(full == -np.swapaxes(full, -1, -2))


@given(inertias(), rotations(), nonzero_vectors(), vectors())
def test_inertia_in_world_axes(J_body, R, tau, theta):
    def J(R):
        return R @ J_body @ R.T

    rotated = jacobian_so3(J, R).value @ (R.T @ theta)
    assert_allclose(inertia_variation(J(R), theta), rotated, rtol=0, atol=1e-9 * J_body.max())
    # How J times the acceleration changes with orientation, the torque and the J in front held.
    change = J(R) @ jacobian_so3(lambda R: np.linalg.solve(J(R), tau), R).value @ R.T
    X = inertia_stiffness(J(R), tau)
    assert_allclose(X, -change, rtol=0, atol=1e-8)
    assert_allclose(inertia_asymmetry(J(R), tau), X - X.T, rtol=0, atol=1e-12 * J_body.max())


@given(nonzero_vectors(), rotations())
def test_inertia_term_is_symmetric_for_some_torques(tau, R):
    assert_allclose(inertia_stiffness(2.5 * np.eye(3), tau), 0, atol=1e-14)
    # About the axis whose moment is the mean of the three, whatever the other two are.
    J = R @ np.diag([1.0, 2.0, 3.0]) @ R.T
    assert_allclose(inertia_asymmetry(J, R[:, 1] * tau[0]), 0, atol=1e-13)
    others = tau - (tau @ R[:, 1]) * R[:, 1]
    if np.linalg.norm(others) > 0.1:
        assert np.abs(inertia_asymmetry(J, others)).max() > 0.02


def test_wrong_arguments_are_named():
    with pytest.raises(InvalidArgument, match=r"w: got shape \(6,\)"):
        asymmetry(np.zeros(6))
    with pytest.raises(InvalidArgument, match=r"axes.*'body', 'world'"):
        asymmetry(np.zeros((1, 6)), axes="space")
    with pytest.raises(InvalidArgument, match=r"J: got smallest eigenvalue"):
        inertia_stiffness(np.diag([1.0, 1.0, 0.0]), np.ones(3))
    with pytest.raises(InvalidArgument, match=r"J.*symmetric"):
        inertia_variation(np.triu(np.ones((3, 3))), np.ones(3))


# --- what symmetrizing costs ----------------------------------------------------------------------------


def exact(K):
    return K


def loaded_body():
    """Return a body on a frame spring to the world, pulled by a constant force at a point of it."""
    spring = FrameSpring.isotropic(np.eye(4), se3.exp([0.2, -0.1, 0.3, 0.1, 0.2, -0.3]), 40.0, 5.0)
    springs = FrameSprings(spring, [-1, 0])
    return springs, np.array([1.0, -2.0, 3.0]), np.array([0.5, 0.2, -0.4])


def total(springs, f, x, E):
    """Return wrench and K of the spring and the constant force together."""
    elastic, weight = assemble([springs], State(E[None])), directional_force(1.0, f, E, x)
    return elastic.f + weight.w, elastic.K.toarray() + weight.K


def converge(system, move, z, tolerance):
    """Return the norms of the residuals of Newton's method."""
    norms = []
    while not norms or (norms[-1] > tolerance and len(norms) < 30):
        residual, matrix = system(z)
        norms.append(np.linalg.norm(residual))
        z = move(z, -np.linalg.solve(matrix, residual))
    return np.array(norms), z


def test_newton_with_symmetrized_stiffness_stays_quadratic_in_statics():
    """The asymmetry is the wrench, which vanishes at the solution: Newton's method stays quadratic."""
    springs, f, x = loaded_body()
    counts = []
    for treat in (exact, symmetric_part):

        def system(E, treat=treat):
            w, K = total(springs, f, x, E)
            return w, treat(K)

        norms, E = converge(system, lambda E, xi: E @ se3.exp(xi), np.eye(4), 1e-12)
        counts.append(len(norms))
        assert norms[-1] < 1e-12
        # Quadratic: each error is bounded by a multiple of the square of the one before.
        late = norms[norms < 1e-1]
        assert np.all(late[1:] < 10 * late[:-1] ** 2 + 1e-13)
        _, K = total(springs, f, x, E)
        assert_allclose(K, K.T, atol=1e-10)
    assert abs(counts[0] - counts[1]) <= 1


def test_newton_with_symmetrized_stiffness_is_linear_in_dynamics():
    """One step of implicit Euler: quadratic with the exact K, linear with its symmetric part."""
    X = se3.exp([[0.3, -0.2, 0.5, 0.5, 0.1, -0.2], [-0.4, 0.6, 0.1, -0.4, 0.2, 0.3]])
    spring = FrameSpring.isotropic(*X, 100.0, 100.0, 1.0, 1.0, damping="displacement")
    M = np.diag([1.0, 2.0, 2.5, 3, 3, 3, 0.5, 0.7, 0.6, 1.5, 1.5, 1.5])
    E = se3.exp([[0.1, 0.2, -0.3, 0, 0, 0], [0.9, -0.5, 0.4, 1.0, 0.5, -0.2]])
    h, start = 0.1, np.array([0.5, -0.4, 0.3, 0.1, 0.2, 0, -0.3, 0.6, 0.8, 0.3, -0.2, 0.1])

    def system(phi, treat):
        # The gyroscopic wrenches are left out: this is about the spring.
        increment = h * phi.reshape(2, 6)
        w, K, D = frame_spring_forces(spring, E @ se3.exp(increment), phi.reshape(2, 6))
        matrix = M - h * D - h * h * treat(K) @ block_diag(*se3.right_jacobian(increment))
        return M @ (phi - start) - h * w.ravel(), matrix

    def run(treat):
        return converge(lambda phi: system(phi, treat), np.add, start, 1e-11)

    numeric = jacobian(lambda phi: system(phi, exact)[0], start).value
    assert_allclose(system(start, exact)[1], numeric, rtol=0, atol=1e-8)

    norms, phi = run(exact)
    assert len(norms) <= 6
    late = norms[norms < 1.0]
    assert np.all(late[1:] < 10 * late[:-1] ** 2 + 1e-12)

    symmetrized, same = run(symmetric_part)
    assert len(symmetrized) >= 9
    ratios = symmetrized[3:-1] / symmetrized[2:-2]
    assert np.all((ratios > 5e-3) & (ratios < 0.5))
    assert_allclose(same, phi, atol=1e-9)
    # The slowest component contracts at the rate that the asymmetry sets.
    contraction = np.linalg.solve(system(phi, symmetric_part)[1], system(phi, exact)[1]) - np.eye(12)
    rate = np.abs(np.linalg.eigvals(contraction)).max()
    assert np.exp(np.log(ratios).mean()) < 1.5 * rate
    forces = frame_spring_forces(spring, E @ se3.exp(h * phi.reshape(2, 6)), np.zeros((2, 6)))
    assert_allclose(forces.K - forces.K.T, asymmetry(forces.w), atol=1e-10)
    assert np.abs(forces.w).max() > 10
    assert so3.angle(se3.exp(h * phi[:6])[:3, :3]) > 0.1
