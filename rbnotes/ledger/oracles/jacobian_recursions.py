"""Products with the Jacobian of a tree of hinges by recursion, and free bodies that hang on each other.

Only sums and products occur in the recursions, so that numbers which count their products can be put in.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rbnotes.arguments import Array
from rbnotes.ledger.oracles import body_trees
from rbnotes.ledger.oracles.bodies import bracket
from rbnotes.ledger.oracles.twists import adjoint_by_conjugation, commutator, twist_from_matrix


def hinge_links(assembly: body_trees.Assembly, q: Array, qdot: Array) -> list[tuple[Array, ...]]:
    """Of each body on its hinge: adjoint from the parent, its rate, S and its rate, in the body's frame."""
    E, F = body_trees.poses(assembly, q), body_trees.joint_poses(assembly, q)
    found: list[tuple[Array, ...]] = []
    for i, parent in enumerate(assembly.parents):
        before = np.eye(4) if parent < 0 else E[parent]
        X = adjoint_by_conjugation(np.linalg.inv(E[i]) @ before)
        S = adjoint_by_conjugation(np.linalg.inv(E[i]) @ F[i])[:, 2]
        adjoint_rate = np.stack([commutator(column, S * qdot[i]) for column in X.T], axis=-1)
        found.append((X, adjoint_rate, S, np.zeros(6)))
    return found


def jacobian_blocks(parents: tuple[int, ...], links: list[tuple[Any, ...]]) -> list[list[Any]]:
    """Of each body, the column of every ancestor's hinge and its own; None elsewhere."""
    J: list[list[Any]] = [[None] * len(links) for _ in links]
    for i, (X, _, S, _) in enumerate(links):
        J[i][i] = S
        for a in range(i):
            if parents[i] >= 0 and J[parents[i]][a] is not None:
                J[i][a] = X @ J[parents[i]][a]
    return J


def jacobian_product(parents: tuple[int, ...], links: list[tuple[Any, ...]], x: Any) -> list[Any]:
    """Return twists of the bodies for velocities x of the hinges."""
    y: list[Any] = []
    for i, (X, _, S, _) in enumerate(links):
        y.append(S * x[i] if parents[i] < 0 else X @ y[parents[i]] + S * x[i])
    return y


def jacobian_rate_product(parents: tuple[int, ...], links: list[tuple[Any, ...]], x: Any) -> list[Any]:
    """Return rates of these twists while x stays the same."""
    y = jacobian_product(parents, links, x)
    z: list[Any] = []
    for i, (X, Xdot, _, Sdot) in enumerate(links):
        own = Sdot * x[i]
        z.append(own if parents[i] < 0 else X @ z[parents[i]] + Xdot @ y[parents[i]] + own)
    return z


def jacobian_transpose_product(parents: tuple[int, ...], links: list[tuple[Any, ...]], y: Any) -> list[Any]:
    """Torques on the hinges that wrenches y on the bodies come to."""
    gathered_wrenches, torques = list(y), []
    for i in reversed(range(len(links))):
        X, _, S, _ = links[i]
        torques.append(S @ gathered_wrenches[i])
        if parents[i] >= 0:
            gathered_wrenches[parents[i]] = gathered_wrenches[parents[i]] + X.T @ gathered_wrenches[i]
    return torques[::-1]


def free_chain_jacobian(joints: Array, bodies: Array) -> Array:
    """Body twists ``(6 n, 6 n)`` of a chain in which every frame of a joint may shift and turn.

    Each joint has three shifts and then three small turns as coordinates, zero where the frames
    ``(n, 4, 4)`` of joints and bodies stand in the world. By complex steps of the poses.
    """
    n, tiny = len(joints), 1e-30
    J = np.zeros((6 * n, 6 * n))
    for a in range(n):
        for k in range(6):
            perturbation = np.eye(4, dtype=complex)
            if k < 3:
                perturbation[k, 3] = 1j * tiny
            else:
                perturbation[:3, :3] = perturbation[:3, :3] + 1j * tiny * bracket(np.eye(3)[k - 3])
            carried = joints[a] @ perturbation @ np.linalg.inv(joints[a])
            for i in range(a, n):
                rate = np.imag(carried @ bodies[i]) / tiny
                J[6 * i : 6 * i + 6, 6 * a + k] = twist_from_matrix(np.linalg.inv(bodies[i]) @ rate)
    return J
