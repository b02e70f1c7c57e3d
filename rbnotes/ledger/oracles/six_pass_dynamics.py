"""Si & Guenter's six passes for revolute joints: only sums, products and quotients, to count them."""

from __future__ import annotations

from typing import Any

import numpy as np

from rbnotes.ledger.oracles.recursive_dynamics import Links


def six_pass_accelerations(parents: tuple[int, ...], links: Links) -> list[Any]:
    """Return the accelerations of revolute joints without torques.

    One wrench for each body contains its gyroscopic and applied parts; one twist is its bias acceleration.
    """
    n = len(links)
    alpha: list[Any] = [None] * n
    for k, (A, _, a, _, _) in enumerate(links):
        alpha[k] = a if parents[k] < 0 else A @ alpha[parents[k]] + a
    p = [J @ alpha[k] - load for k, (_, _, _, J, load) in enumerate(links)]
    tau_bar: list[Any] = [None] * n
    Jbar: list[Any] = [J for _, _, _, J, _ in links]
    Y: list[Any] = [None] * n
    Pi: list[Any] = [None] * n
    Omega: list[Any] = [None] * n
    z: list[Any] = [None] * n
    c_bar: list[Any] = [None] * n
    for k in reversed(range(n)):
        A, S, _, _, _ = links[k]
        tau_bar[k] = -(S @ p[k])
        U = Jbar[k] @ S
        Omega[k] = S @ U
        K = U / Omega[k]
        c_bar[k] = (tau_bar[k] if z[k] is None else tau_bar[k] - S @ z[k]) / Omega[k]
        if (parent := parents[k]) >= 0:
            p[parent] = p[parent] + A.T @ p[k]
            Jbar[parent] = Jbar[parent] + A.T @ (Jbar[k] - np.outer(K, U)) @ A
            Y[k], Pi[k] = A.T @ -(np.outer(K, S) - np.eye(6)), A.T @ K
            passed = Pi[k] * tau_bar[k] if z[k] is None else Pi[k] * tau_bar[k] + Y[k] @ z[k]
            z[parent] = passed if z[parent] is None else z[parent] + passed
    eta: list[Any] = [None] * n
    qddot: list[Any] = [None] * n
    for k, (_, S, _, _, _) in enumerate(links):
        eta[k], qddot[k] = S * c_bar[k], c_bar[k]
        if (parent := parents[k]) >= 0:
            eta[k] = eta[k] + Y[k].T @ eta[parent]
            qddot[k] = qddot[k] - Pi[k] @ eta[parent]
    return qddot
