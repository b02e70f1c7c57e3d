"""Projections: preserved and removed components, and minimality in kinetic energy."""

import numpy as np
from hypothesis import given
from scipy import linalg

from rbnotes.constraints import (
    constrained_force,
    constrained_velocity,
    force_projection,
    velocity_projection,
)
from rbnotes.testing.strategies import full_rank_matrices, spd_matrices, vectors

N, K = 5, 2
SYSTEM = (spd_matrices(N), full_rank_matrices(K, N))


@given(*SYSTEM)
def test_projections(M, G):
    P_f, P_v = force_projection(M, G), velocity_projection(M, G)
    close = {"atol": 1e-9 * (1 + np.max(np.abs(P_f)))}
    np.testing.assert_allclose(P_v @ P_v, P_v, **close)
    np.testing.assert_allclose(P_f, P_v.T, **close)
    np.testing.assert_allclose(G @ P_v, 0, **close)
    Z = linalg.null_space(G)
    np.testing.assert_allclose(P_v @ Z, Z, **close)
    np.testing.assert_allclose(P_f @ G.T, 0, **close)
    np.testing.assert_allclose(np.trace(P_v), N - K, **close)  # the trace of a projection is its rank


@given(*SYSTEM, vectors(N), vectors(K))
def test_velocity_is_the_nearest_in_kinetic_energy(M, G, v, g):
    after, impulse = constrained_velocity(M, G, v, g)
    np.testing.assert_allclose(G @ after, g, atol=1e-9 * (1 + np.max(np.abs(impulse))))
    np.testing.assert_allclose(M @ after, M @ v + G.T @ impulse, atol=1e-9 * (1 + np.max(np.abs(impulse))))

    # Least squares in the factor of M, over v0 + Z y.
    L, Z, v0 = np.linalg.cholesky(M), linalg.null_space(G), np.linalg.pinv(G) @ g
    y = np.linalg.lstsq(L.T @ Z, L.T @ (v - v0), rcond=None)[0]
    np.testing.assert_allclose(after, v0 + Z @ y, atol=1e-9 * (1 + np.max(np.abs(after))))


@given(*SYSTEM, vectors(N), vectors(K))
def test_projected_force_preserves_constraints_and_does_no_work(M, G, f, g):
    total, multipliers = constrained_force(M, G, f, g)
    scale = 1 + np.max(np.abs(multipliers))
    np.testing.assert_allclose(G @ np.linalg.solve(M, total), g, atol=1e-9 * scale)
    np.testing.assert_allclose(linalg.null_space(G).T @ (total - f), 0, atol=1e-9 * scale)


@given(*SYSTEM, vectors(N))
def test_redundant_rows_do_not_change_projections(M, G, v):
    twice = np.vstack([G, G[::-1] * 2.0])
    scale = 1 + np.max(np.abs(v))
    np.testing.assert_allclose(velocity_projection(M, twice), velocity_projection(M, G), atol=1e-8)
    np.testing.assert_allclose(force_projection(M, twice), force_projection(M, G), atol=1e-8)
    after = constrained_velocity(M, twice, v)[0]
    np.testing.assert_allclose(after, constrained_velocity(M, G, v)[0], atol=1e-8 * scale)
