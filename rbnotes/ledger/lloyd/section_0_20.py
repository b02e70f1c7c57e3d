"""Lloyd 0.20: attachments for one-dimensional constraints."""

from __future__ import annotations

import numpy as np

from rbnotes.checking.strategies import nonzero_vectors, numbers, spd_matrices, vectors
from rbnotes.constraints.sequential import satisfy_one
from rbnotes.ledger.record import Verdict, claim

CHAPTER = "gauss-seidel"
FIRST, SECOND = 2, 3
ALONE = {
    "M": spd_matrices(FIRST + SECOND),
    "G": nonzero_vectors(FIRST + SECOND),
    "v0": vectors(5),
    "gamma": numbers(),
}


def block_diagonal(M):
    blocks = np.zeros_like(M)
    blocks[:FIRST, :FIRST], blocks[FIRST:, FIRST:] = M[:FIRST, :FIRST], M[FIRST:, FIRST:]
    return blocks


BLOCKS = {**ALONE, "M": spd_matrices(FIRST + SECOND).map(block_diagonal)}


def velocity_reference(M, G, v0, gamma):
    system = np.block([[M, -G[:, None]], [G[None], np.zeros((1, 1))]])
    return np.linalg.solve(system, np.append(M @ v0, gamma))[:-1]


def velocity_library(M, G, v0, gamma):
    return satisfy_one(np.linalg.inv(M), G, gamma, v0)[0]


@claim("lloyd/s0.20/d1", "A single constraint satisfied in isolation")
class d1:
    formula = (
        r"\mathbf v = \mathbf v_0 + \mathbf M^{-1}\mathbf G^T(\mathbf G\mathbf M^{-1}\mathbf "
        r"G^T)^{-1}(\gamma - \mathbf G\mathbf v_0)"
    )
    inputs = ALONE

    def printed(M, G, v0, gamma):
        row = G[None]
        Mi = np.linalg.inv(M)
        return v0 + Mi @ row.T @ np.linalg.inv(row @ Mi @ row.T) @ (gamma - row @ v0)

    library = velocity_library
    oracle = "the KKT system with this constraint, solved at once"
    reference = velocity_reference
    verdict = Verdict.HOLDS
    remark = (
        r"The text before it refers to (0.24) for $\mathbf G' = \mathbf G_{\alpha\alpha} - \mathbf "
        r"G_{\alpha\beta}\mathbf G_{\beta\alpha}$, which is (0.22)."
    )
    implemented_by = ("rbnotes.constraints.sequential.satisfy_one",)
    chapter = CHAPTER


@claim("lloyd/s0.20/d2", "The same, component by component")
class d2:
    formula = (
        r"\mathbf v_j = \mathbf v_{j0} + \mathbf M_j^{-1}\mathbf g_j^T\Bigl(\sum_{k\in\alpha}\mathbf "
        r"g_k\mathbf M_k^{-1}\mathbf g_k^T\Bigr)^{-1}\Bigl(\gamma - \sum_{k\in\alpha}\mathbf g_k\mathbf "
        r"v_{k0}\Bigr)"
    )
    inputs = ALONE

    def printed(M, G, v0, gamma):
        g1, g2 = G[:FIRST], G[FIRST:]
        Mi1, Mi2 = np.linalg.inv(M[:FIRST, :FIRST]), np.linalg.inv(M[FIRST:, FIRST:])
        effective = g1 @ Mi1 @ g1 + g2 @ Mi2 @ g2
        impulse = (gamma - (g1 @ v0[:FIRST] + g2 @ v0[FIRST:])) / effective
        return np.concatenate([v0[:FIRST] + Mi1 @ g1 * impulse, v0[FIRST:] + Mi2 @ g2 * impulse])

    library = velocity_library
    oracle = "the KKT system with this constraint, solved at once"
    reference = velocity_reference
    verdict = Verdict.CONDITIONAL
    given = BLOCKS
    condition = "the mass matrix is block diagonal"
    remark = (
        "Attaching a component to more than one master couples the masters' masses, as 0.18 says; then "
        "this does not hold."
    )
    implemented_by = ("rbnotes.constraints.sequential.satisfy_one",)
    chapter = CHAPTER


@claim("lloyd/s0.20/t928", "The effective inverse inertia of a component along the constraint")
class t928:
    formula = r"\mathbf g_k\mathbf M_k^{-1}\mathbf g_k^T"
    inputs = BLOCKS

    def printed(M, G, v0, gamma):
        g = G[:FIRST]
        return g @ np.linalg.inv(M[:FIRST, :FIRST]) @ g

    oracle = "the change of G v by a unit impulse that reaches the first component alone"

    def reference(M, G, v0, gamma):
        """How much of G v a unit impulse along the row changes through the first component alone."""
        impulse = np.concatenate([G[:FIRST], np.zeros(SECOND)])
        return G @ np.linalg.solve(M, impulse)

    verdict = Verdict.HOLDS
    remark = "For a mass matrix that is block diagonal."
    implemented_by = ("rbnotes.constraints.sequential.satisfy_one",)
    chapter = CHAPTER
