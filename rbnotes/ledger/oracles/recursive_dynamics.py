"""Recursive forward dynamics (Featherstone 1983) and dense elimination, with counts of operations.

The functions use only sums, products and quotients, so that they accept numbers that count them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rbnotes.arguments import Array
from rbnotes.ledger.oracles import body_trees
from rbnotes.ledger.oracles.bodies import kinetic_energy_matrix
from rbnotes.ledger.oracles.point_mass_dynamics import inertial_wrench
from rbnotes.ledger.oracles.twists import adjoint_by_conjugation, commutator

Links = list[tuple[Any, Any, Any, Any, Any]]
"""Adjoint from the parent, S, bias acceleration, inertia and load of each body."""


def _value(number: Any) -> Any:
    return number.value if isinstance(number, CountedNumber) else number


class CountedNumber:
    """Count the products and quotients of a number."""

    def __init__(self, value: Any, tally: list[int]) -> None:
        self.value, self.tally = float(_value(value)), tally

    def _same_tally(self, value: float) -> CountedNumber:
        return CountedNumber(value, self.tally)

    def __add__(self, other: Any) -> CountedNumber:
        return self._same_tally(self.value + _value(other))

    def __sub__(self, other: Any) -> CountedNumber:
        return self._same_tally(self.value - _value(other))

    def __neg__(self) -> CountedNumber:
        return self._same_tally(-self.value)

    def __mul__(self, other: Any) -> CountedNumber:
        self.tally[0] += 1
        return self._same_tally(self.value * _value(other))

    def __truediv__(self, other: Any) -> CountedNumber:
        self.tally[0] += 1
        return self._same_tally(self.value / _value(other))

    def __float__(self) -> float:
        return self.value


def counted_array(array: Array, tally: list[int]) -> Array:
    """Return the array with entries that count their products and quotients in `tally`."""
    counted = np.empty(array.shape, dtype=object)
    for index in np.ndindex(array.shape):
        counted[index] = CountedNumber(array[index], tally)
    return counted


def hinge_links(assembly: body_trees.Assembly, q: Array, qdot: Array) -> Links:
    """Return adjoint, S, bias acceleration, inertia and load of each body, in body frames."""
    E, F, phi = (
        body_trees.poses(assembly, q),
        body_trees.joint_poses(assembly, q),
        body_trees.twists(assembly, q, qdot),
    )
    links = []
    for i, parent in enumerate(assembly.parents):
        m, c, J = assembly.masses[i], assembly.centers[i], assembly.inertias[i]
        parent_pose = np.eye(4) if parent < 0 else E[parent]
        X = adjoint_by_conjugation(np.linalg.inv(E[i]) @ parent_pose)
        S = adjoint_by_conjugation(np.linalg.inv(E[i]) @ F[i])[:, 2]
        force = m * E[i, :3, :3].T @ assembly.gravity
        load = np.concatenate([np.cross(c, force), force]) - inertial_wrench(m, c, J, phi[i], np.zeros(6))
        links.append((X, S, commutator(phi[i], S) * qdot[i], kinetic_energy_matrix(m, J, c), load))
    return links


def recursive_accelerations(parents: tuple[int, ...], links: Links, tau: Any) -> list[Any]:
    """Return the joint accelerations of a tree of revolute joints under the torques tau.

    The first pass sums articulated inertias towards the roots; the second computes accelerations outwards.
    """
    inertias, loads = [link[3] for link in links], [link[4] for link in links]
    joint_terms: list[Any] = [None] * len(links)
    for i in reversed(range(len(links))):
        X, S, bias, _, _ = links[i]
        U = inertias[i] @ S
        D = S @ U
        u = tau[i] + S @ loads[i]
        joint_terms[i] = (U, D, u)
        if parents[i] >= 0:
            projected_inertia = inertias[i] - np.outer(U / D, U)
            inertias[parents[i]] = inertias[parents[i]] + X.T @ projected_inertia @ X
            loads[parents[i]] = loads[parents[i]] + X.T @ (loads[i] - projected_inertia @ bias - U * (u / D))
    rates: list[Any] = []
    qddot: list[Any] = []
    for i, (X, S, bias, _, _) in enumerate(links):
        U, D, u = joint_terms[i]
        inherited = bias if parents[i] < 0 else X @ rates[parents[i]] + bias
        qddot.append((u - U @ inherited) / D)
        rates.append(inherited + S * qddot[i])
    return qddot


def gaussian_elimination(M: Any, f: Any) -> list[Any]:
    """Return the solution of ``M x = f`` by Gaussian elimination without pivoting."""
    M, f, n = M.copy(), f.copy(), len(f)
    for i in range(n):
        for j in range(i + 1, n):
            factor = M[j, i] / M[i, i]
            for k in range(i + 1, n):
                M[j, k] = M[j, k] - factor * M[i, k]
            f[j] = f[j] - factor * f[i]
    x: list[Any] = [None] * n
    for i in reversed(range(n)):
        remainder = f[i]
        for k in range(i + 1, n):
            remainder = remainder - M[i, k] * x[k]
        x[i] = remainder / M[i, i]
    return x
