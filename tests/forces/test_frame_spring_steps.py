"""Frame springs in chains and in steps."""

import numpy as np
import pytest
from frame_springs import (
    close,
    second_force,
)
from hypothesis import given
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp
from scipy.linalg import block_diag
from scipy.spatial.transform import Rotation

from rbnotes import se3, so3
from rbnotes.dynamics import State, linearly_implicit_velocity
from rbnotes.forces.assembly import ForceGroups, assemble
from rbnotes.forces.frame_spring import (
    FrameSpring,
    FrameSprings,
    frame_displacement,
    frame_spring_dissipated_power,
    frame_spring_energy,
    frame_spring_forces,
)
from rbnotes.testing import jacobian
from rbnotes.testing.strategies import inertias, numbers


def chain():
    """Return three bodies, sprung to each other and the first to the world."""
    rng = np.random.default_rng(1)
    X_1, X_2 = se3.exp(rng.normal(size=(3, 6))), se3.exp(rng.normal(size=(3, 6)))
    spring = FrameSpring.isotropic(X_1, X_2, [1.0, 2.0, 3.0], 2.0, 0.5, 0.25)
    state = State(se3.exp(0.4 * rng.normal(size=(3, 6))), rng.normal(size=(3, 6)))
    return FrameSprings(spring, [[-1, 0], [0, 1], [2, 1]]), state


@pytest.mark.slow
def test_assembled_jacobians_of_a_chain():
    springs, state = chain()
    forces = assemble([springs], state)
    K = jacobian(lambda z: assemble([springs], state.retract(z)).f, np.zeros(18)).value
    D = jacobian(lambda v: assemble([springs], state.with_velocity(v)).f, state.velocity).value
    close(forces.K.toarray(), K)
    close(forces.D.toarray(), D)
    gradient = jacobian(lambda z: ForceGroups([springs]).energy(state.retract(z)), np.zeros(18)).value
    close(assemble([springs], state.with_velocity(np.zeros(18))).f, -gradient)
    power = (assemble([springs], state.with_velocity(np.zeros(18))).f - forces.f) @ state.velocity
    assert ForceGroups([springs]).dissipated_power(state) == pytest.approx(power)


def test_empty_spring_list():
    springs, state = chain()
    none = FrameSprings(FrameSpring.isotropic(np.eye(4), np.eye(4), 1.0, 1.0), np.zeros((0, 2), dtype=int))
    both, alone = assemble([springs, none], state), assemble([springs], state)
    assert_allclose(both.f, alone.f)
    assert_allclose(both.K.toarray(), alone.K.toarray())
    assert ForceGroups([none]).energy(state) == 0


# --- motion ---------------------------------------------------------------------------------------------


def momentum_rate(M, phi):
    """Return the gyroscopic wrenches.

    In body coordinates the momentum of a free body rotates against its twist.
    """
    return np.concatenate(
        [se3.ad(twist).T @ (inertia @ twist) for inertia, twist in zip(M, phi, strict=True)]
    )


def step(spring, M, E, phi, h):
    """Take a step, linearly implicit in the spring and explicit in the gyroscopic wrenches."""
    w, K, D = frame_spring_forces(spring, E, phi)
    f = w.ravel() + momentum_rate(M, phi)
    phi = linearly_implicit_velocity(block_diag(*M), phi.ravel(), f, K, D, h).reshape(2, 6)
    return E @ se3.exp(h * phi), phi


def swinging_pair():
    """Return a spring with offset frames between unequal bodies, and their state."""
    X = se3.frame(so3.exp([[0.3, -0.2, 0.5], [-0.4, 0.6, 0.1]]), [[0.5, 0.1, -0.2], [-0.4, 0.2, 0.3]])
    M = np.array([np.diag([1.0, 2.0, 2.5, 3, 3, 3]), np.diag([0.5, 0.7, 0.6, 1.5, 1.5, 1.5])])
    E = se3.frame(so3.exp([[0.1, 0.2, -0.3], [0.9, -0.5, 0.4]]), [[0.0, 0, 0], [1.0, 0.5, -0.2]])
    phi = np.array([[0.5, -0.4, 0.3, 0.1, 0.2, 0], [-0.3, 0.6, 0.8, 0.3, -0.2, 0.1]])
    return X, M, E, phi


@pytest.mark.slow
def test_linearly_implicit_step_is_of_first_order():
    X, M, E, phi = swinging_pair()
    spring = FrameSpring.isotropic(*X, 8.0, 3.0, 0.4, 0.2)
    time = 0.5

    def rate(_, y):
        E, phi = y[:32].reshape(2, 4, 4), y[32:].reshape(2, 6)
        E = E.copy()
        E[:, :3, :3] = Rotation.from_matrix(E[:, :3, :3]).as_matrix()
        f = second_force(spring, E, phi) + momentum_rate(M, phi)
        acceleration = np.linalg.solve(block_diag(*M), f)
        return np.concatenate([(E @ se3.hat(phi)).ravel(), acceleration])

    exact = solve_ivp(rate, (0, time), np.concatenate([E.ravel(), phi.ravel()]), rtol=1e-9, atol=1e-10).y[
        32:, -1
    ]
    errors = []
    for steps in (20, 40, 80):
        pose, twist = E, phi
        for _ in range(steps):
            pose, twist = step(spring, M, pose, twist, time / steps)
        errors.append(np.linalg.norm(twist.ravel() - exact))
    assert_allclose(np.log2(np.divide(errors[:-1], errors[1:])), 1.0, atol=0.1)


def test_stiff_spring_is_stable():
    """Steps of about two periods of the stiff spring: it settles, and the slow motion stays."""
    X, M, E, phi = swinging_pair()
    start = se3.exp([0.02, -0.03, 0.04, 0.005, -0.002, 0.004])
    E[1] = E[0] @ X[0] @ start @ se3.inverse(X[1])
    spring = FrameSpring.isotropic(*X, 1e6, 1e6)
    kinetic = 0.5 * np.einsum("ni,nij,nj->", phi, M, phi)
    for _ in range(60):
        E, phi = step(spring, M, E, phi, 0.01)
        total = frame_spring_energy(spring, E) + 0.5 * np.einsum("ni,nij,nj->", phi, M, phi)
        assert total < 10 * kinetic
    assert 0.1 * kinetic < total < kinetic
    assert np.linalg.norm(se3.log(frame_displacement(spring, E))) < 1e-6


@given(inertias(), numbers(-1.0, 1.0))
def test_origin_damping_dissipates_in_a_common_rotation(inertia, rate):
    """A stretched spring at rest in a rotating frame: only Lloyd's damper loses energy."""
    E = np.array([np.eye(4), se3.frame(np.eye(3), [0.0, 1.0, 0.0])])
    twist = np.array([0, 0, rate, 0, 0, 0])
    phi = np.array([se3.Ad_inverse(pose) @ twist for pose in E])
    for damping, dissipated in (("origins", 2.0 * rate**2), ("displacement", 0.0)):
        spring = FrameSpring.isotropic(np.eye(4), np.eye(4), 1.0, 1.0, 2.0, 1.0, damping=damping)
        assert frame_spring_dissipated_power(spring, E, phi) == pytest.approx(dissipated, abs=1e-12)
