"""Matrices of many kinds and units for complementarity solvers."""

import numpy as np


def matrix_kinds(rng, n):
    """Return the name, matrix ``(n, n)`` and vector of each kind."""
    A, C = rng.standard_normal((2, n, n))
    B = rng.standard_normal((n, max(1, n // 2)))
    integers = rng.integers(-2, 3, (n, n)).astype(float)
    skew, spd = integers - integers.T, A @ A.T + 0.1 * np.eye(n)
    left, right = (np.diag(10.0 ** rng.uniform(-4, 4, n)) for _ in range(2))
    small = rng.integers(-4, 3, n).astype(float)
    any_size = rng.standard_normal(n) * 10.0 ** rng.uniform(-3, 3)

    def units(M):
        return rng.standard_normal(n) * np.sqrt(np.abs(np.diag(M)))

    z, w = np.abs(rng.standard_normal((2, n)))
    M_matrix = n * np.eye(n) - rng.uniform(0, 1, (n, n)) * (1 - np.eye(n))
    P_matrix = 3 * np.eye(n) + 0.3 * np.abs(A) / n
    yield "definite", spd, any_size
    yield "definite, whole numbers", integers @ integers.T + np.eye(n), small
    yield "definite, tiny", 1e-10 * spd, any_size
    yield "definite, huge", 1e10 * spd, any_size
    yield "definite, in many units", left @ spd @ left, units(left @ spd @ left)
    yield "semidefinite", B @ B.T, any_size
    yield "semidefinite, solvable", B @ B.T, w - B @ B.T @ z
    yield "semidefinite, in many units", left @ B @ B.T @ left, units(left @ B @ B.T @ left)
    yield "definite and skew", spd + skew, small
    yield "definite and skew, in many units", left @ (spd + skew) @ left, units(left @ spd @ left)
    yield "semidefinite and skew", B @ B.T + skew, small
    yield "semidefinite and skew, in many units", left @ (B @ B.T + skew) @ left, units(left @ spd @ left)
    yield "skew", skew, small
    yield "skew, solvable", skew, w - skew @ z
    yield "P-matrix", P_matrix, any_size
    yield "P-matrix in units of rows and columns", left @ P_matrix @ right, left @ any_size
    yield "M-matrix", M_matrix, any_size
    yield "copositive", np.abs(C), small
    yield "negative definite", -spd, small
    yield "any", C, any_size
    yield "any, whole numbers", integers, small
    yield "zero", np.zeros((n, n)), small


def hard_kinds(rng, n):
    """Return the name, matrix ``(n, n)`` and vector of kinds with a tiny eigenvalue or many units."""
    A, W = rng.standard_normal((n, n)), rng.integers(-1, 2, (n, n)).astype(float)
    U, _ = np.linalg.qr(rng.standard_normal((n, n)))
    q = rng.standard_normal(n)
    for smallest in (1e-10, 1e-13, 1e-14, 1e-15):
        M = U @ np.diag(np.append(10.0 ** rng.uniform(-1, 1, n - 1), smallest)) @ U.T
        M = (M + M.T) / 2
        z, w = np.abs(rng.standard_normal((2, n)))
        z[rng.random(n) < 0.4] = 0.0
        yield f"smallest eigenvalue {smallest:g}", M, q
        yield f"smallest eigenvalue {smallest:g}, solvable", M, np.where(z > 0, 0.0, w) - M @ z
    left, right = 10.0 ** rng.uniform(-8, 8, (2, n))
    yield "any, in units of rows and columns", left[:, None] * A * right, left * q
    yield "any, q in other units", left[:, None] * A * right, q
    yield "definite, q in other units", left[:, None] * (A @ A.T + 0.1 * np.eye(n)) * left, q
    yield "definite and skew, q of any size", left[:, None] * (A @ A.T + A - A.T) * left, q * 10.0**q
    yield "entries of any size", A * 10.0 ** rng.uniform(-6, 6, (n, n)), q
    yield "small whole numbers", W, rng.integers(-2, 3, n).astype(float)
    yield "semidefinite, small whole numbers", W @ W.T, rng.integers(-2, 3, n).astype(float)
