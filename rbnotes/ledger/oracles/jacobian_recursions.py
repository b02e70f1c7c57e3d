"""Recursive products with the Jacobian of a tree of revolute joints, and the Jacobian of a free chain.

The recursions use only sums and products, so that they accept numbers that count their products.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rbnotes.arguments import Array
from rbnotes.ledger.oracles import body_trees, complex_steps
from rbnotes.ledger.oracles.bodies import bracket
from rbnotes.ledger.oracles.twists import adjoint_by_conjugation, commutator, twist_from_matrix


def hinge_links(assembly: body_trees.Assembly, q: Array, qdot: Array) -> list[tuple[Array, ...]]:
    """Return for each body the adjoint from its parent, its rate, S and its rate, in the body frame."""
    E, F = body_trees.poses(assembly, q), body_trees.joint_poses(assembly, q)
    links: list[tuple[Array, ...]] = []
    for i, parent in enumerate(assembly.parents):
        parent_pose = np.eye(4) if parent < 0 else E[parent]
        X = adjoint_by_conjugation(np.linalg.inv(E[i]) @ parent_pose)
        S = adjoint_by_conjugation(np.linalg.inv(E[i]) @ F[i])[:, 2]
        adjoint_rate = np.stack([commutator(column, S * qdot[i]) for column in X.T], axis=-1)
        links.append((X, adjoint_rate, S, np.zeros(6)))
    return links


def jacobian_blocks(parents: tuple[int, ...], links: list[tuple[Any, ...]]) -> list[list[Any]]:
    """Return for each body the Jacobian columns of its own and its ancestors' joints; None elsewhere."""
    J: list[list[Any]] = [[None] * len(links) for _ in links]
    for i, (X, _, S, _) in enumerate(links):
        J[i][i] = S
        for a in range(i):
            if parents[i] >= 0 and J[parents[i]][a] is not None:
                J[i][a] = X @ J[parents[i]][a]
    return J


def jacobian_product(parents: tuple[int, ...], links: list[tuple[Any, ...]], x: Any) -> list[Any]:
    """Return the body twists for joint velocities x."""
    y: list[Any] = []
    for i, (X, _, S, _) in enumerate(links):
        y.append(S * x[i] if parents[i] < 0 else X @ y[parents[i]] + S * x[i])
    return y


def jacobian_rate_product(parents: tuple[int, ...], links: list[tuple[Any, ...]], x: Any) -> list[Any]:
    """Return the rates of the body twists for constant joint velocities x."""
    y = jacobian_product(parents, links, x)
    z: list[Any] = []
    for i, (X, Xdot, _, Sdot) in enumerate(links):
        joint_term = Sdot * x[i]
        z.append(joint_term if parents[i] < 0 else X @ z[parents[i]] + Xdot @ y[parents[i]] + joint_term)
    return z


def jacobian_transpose_product(parents: tuple[int, ...], links: list[tuple[Any, ...]], y: Any) -> list[Any]:
    """Return the joint torques that are equivalent to wrenches y on the bodies."""
    gathered_wrenches, torques = list(y), []
    for i in reversed(range(len(links))):
        X, _, S, _ = links[i]
        torques.append(S @ gathered_wrenches[i])
        if parents[i] >= 0:
            gathered_wrenches[parents[i]] = gathered_wrenches[parents[i]] + X.T @ gathered_wrenches[i]
    return torques[::-1]


def free_chain_jacobian(joints: Array, bodies: Array) -> Array:
    """Return the body Jacobian ``(6 n, 6 n)`` of a chain whose joints have six degrees of freedom.

    Each joint has three translations and then three small rotations as coordinates, zero at the given world
    frames ``(n, 4, 4)`` of joints and bodies. The twists follow from complex steps of the displacement.
    """
    n = len(joints)
    J = np.zeros((6 * n, 6 * n))

    def displacement(q: Array) -> Array:
        return np.block([[np.eye(3) + bracket(q[3:]), q[:3, None]], [np.zeros((1, 3)), np.ones((1, 1))]])

    for k, direction in enumerate(np.eye(6)):
        change = complex_steps.directional_derivative(displacement, np.zeros(6), direction)
        for a in range(n):
            rate = joints[a] @ change @ np.linalg.inv(joints[a])
            for i in range(a, n):
                J[6 * i : 6 * i + 6, 6 * a + k] = twist_from_matrix(
                    np.linalg.inv(bodies[i]) @ rate @ bodies[i]
                )
    return J
