"""KKT systems, projections, regularization, sweeps, stabilization."""

from __future__ import annotations

import numpy as np
from engine import Call
from scipy import sparse

from rbnotes.constraints import (
    kkt,
    projection,
    sequential_impulses,
    soft_constraints,
    stabilization,
)

M = np.array([[2.0, 0.5, 0.0], [0.5, 1.0, 0.25], [0.0, 0.25, 3.0]])
G = np.array([[1.0, 1.0, 0.0], [0.0, 1.0, -1.0]])
V, B, ERRORS = np.array([1.0, 2.0, -1.0]), np.array([0.5, -1.0, 2.0]), np.array([0.5, -0.25])
LARGE = {"M": sparse.csc_array(M), "G": sparse.csc_array(G)}
FACTORS = kkt.factor_kkt(M, G)
POSES = np.stack([np.eye(4), np.eye(4)])
POSES[1, 0, 3] = 1.0
# Matrices may be sparse; the numbers of conditions and of right sides are free.
MATRICES = {"M": ("sparse",), "G": ("sparse", "shorter", "longer")}


def sphere(x):
    return np.array([x @ x - 1.0])


def sphere_rows(x):
    return 2 * x[None]


def at_origin(poses):
    return poses[0, :3, 3] - [0.1, 0.0, 0.0]


def at_origin_rows(poses):
    return np.hstack([np.zeros((3, 3)), poses[0, :3, :3], np.zeros((3, 6))])


CALLS = [
    *(
        Call(function, matrices, fine={"M": ("sparse",), "G": ("sparse",)})
        for function in (kkt.kkt_matrix, kkt.factor_kkt, kkt.kkt_inverse)
        for matrices in ({"M": M, "G": G}, LARGE)
    ),
    Call(kkt.factor_kkt, {"M": M, "G": G, "redundancy": "raise"}, fine={"M": ("sparse",), "G": ("sparse",)}),
    # Right sides may have columns.
    Call(FACTORS.solve, {"b": B, "g": ERRORS}),
    Call(kkt.factor_kkt(**LARGE).solve, {"b": B, "g": ERRORS}),
    *(
        Call(function, {"M": M, "G": G}, fine={"M": ("sparse",), "G": ("sparse",)})
        for function in (projection.force_projection, projection.velocity_projection)
    ),
    Call(
        projection.constrained_force,
        {"M": M, "G": G, "force": B, "g": ERRORS},
        fine={"M": ("sparse",), "G": ("sparse",)},
    ),
    Call(
        projection.constrained_velocity,
        {"M": M, "G": G, "v": V, "g": ERRORS},
        fine={"M": ("sparse",), "G": ("sparse",)},
    ),
    Call(
        soft_constraints.soft_force,
        {"phi": ERRORS, "phidot": np.array([0.1, 0.2]), "alpha": np.array([0.1, 0.5]), "beta": 2.0},
    ),
    Call(soft_constraints.soft_energy, {"phi": ERRORS, "alpha": np.array([0.1, 0.5])}),
    Call(
        soft_constraints.target_and_regularization,
        {"phi": ERRORS, "alpha": np.array([0.1, 0.5]), "beta": np.array([1.0, 0.5]), "h": 0.01},
    ),
    Call(sequential_impulses.solve_single_constraint, {"M_inverse": M, "G": G[0], "gamma": 0.5, "v": V}),
    Call(
        sequential_impulses.equality_gauss_seidel,
        {"M_inverse": M, "N": G, "c": ERRORS, "v0": V, "sweeps": 5, "initial_impulses": ERRORS},
    ),
    Call(sequential_impulses.friction_impulse, {"v_t": 1.5, "w": 0.5, "limit": 2.0}),
    Call(stabilization.velocity_target, {"g": ERRORS, "gamma": 5.0}, fine={"g": ("longer", "shorter")}),
    Call(
        stabilization.acceleration_target,
        {"g": ERRORS, "gdot": ERRORS, "bias_acceleration": ERRORS, "alpha": 5.0, "beta": 3.0},
    ),
    Call(stabilization.velocity_growth, {"gamma": 5.0, "h": 0.01}),
    Call(stabilization.acceleration_growth, {"alpha": 5.0, "beta": 3.0, "h": 0.01, "position_update": "old"}),
    Call(stabilization.spectral_radius, {"growth": M}),
    Call(stabilization.largest_stable_step, {"alpha": 5.0, "beta": 3.0, "position_update": "old"}),
    Call(
        stabilization.project_positions,
        {
            "x": np.array([0.9, 0.1, 0.4]),
            "mass": M,
            "constraint_residual": sphere,
            "constraint_jacobian": sphere_rows,
            "tolerance": 1e-8,
            "max_iterations": 20,
        },
        fine={"mass": ("sparse",)},
    ),
    Call(
        stabilization.project_poses,
        {
            "poses": POSES,
            "inertias": np.stack([np.eye(6), np.eye(6)]),
            "constraint_residual": at_origin,
            "constraint_jacobian": at_origin_rows,
            "tolerance": 1e-8,
            "max_iterations": 20,
        },
    ),
    Call(
        stabilization.least_norm_correction,
        {"G": G, "responses": np.linalg.solve(M, G.T), "g": ERRORS},
        fine={"G": ("sparse",), "responses": ("sparse",)},
    ),
]
