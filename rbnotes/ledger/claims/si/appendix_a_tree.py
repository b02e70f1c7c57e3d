"""Si & Guenter, appendix A: the matrices that hand twists down the tree, eqs. (43) to (45)."""

from __future__ import annotations

import numpy as np

from rbnotes.ledger.claims.si.appendix_a import CONJUGATED, OPERATORS, operators
from rbnotes.ledger.claims.si.section_4_trees import CHAPTER, PLACED
from rbnotes.ledger.oracles import body_trees
from rbnotes.ledger.oracles.body_quantities import (
    body_quantities,
    stacked_matrices,
    twist_propagation_matrix,
)
from rbnotes.ledger.oracles.twists import adjoint_by_conjugation
from rbnotes.ledger.quantities import ADJOINT, NUMBER
from rbnotes.ledger.record import Verdict, claim

REST = np.zeros(6)


@claim("si/sA/e43", "What children have of their parents' twists")
class e43:
    formula = r"\Gamma_\lambda = \mathbf M_\lambda\Theta_\lambda"
    defines = (r"\Gamma_\lambda",)
    inputs = PLACED
    result = ADJOINT

    def printed(assembly, q):
        at = stacked_matrices(assembly, q, REST)
        return at.parent_adjoints @ at.parent_selection

    def library(assembly, q):
        return operators(assembly, q, REST).Gamma

    oracle = CONJUGATED

    def reference(assembly, q):
        E, Gamma = body_trees.poses(assembly, q), np.zeros((18, 18))
        for i, parent in enumerate(assembly.parents):
            if parent >= 0:
                seen = adjoint_by_conjugation(np.linalg.inv(E[i]) @ E[parent])
                Gamma[6 * i : 6 * i + 6, 6 * parent : 6 * parent + 6] = seen
        return Gamma

    verdict = Verdict.DEFINITION
    implemented_by = OPERATORS
    chapter = CHAPTER


@claim("si/sA/e44", "The operator that hands twists down the tree")
class e44:
    formula = r"\mathbf G_\lambda = (\mathbf I - \Gamma_\lambda)^{-1}"
    defines = (r"\mathbf G_\lambda",)
    inputs = PLACED
    result = ADJOINT

    def printed(assembly, q):
        return np.linalg.inv(np.eye(18) - stacked_matrices(assembly, q, REST).Gamma)

    def library(assembly, q):
        return operators(assembly, q, REST).G

    oracle = "poses of bodies, seen from each of their ancestors, as adjoints"

    def reference(assembly, q):
        return twist_propagation_matrix(body_quantities(assembly, q, REST))

    verdict = Verdict.DEFINITION
    implemented_by = OPERATORS
    chapter = CHAPTER


@claim("si/sA/e45", "The same as a finite sum")
class e45:
    formula = r"\mathbf G_\lambda = \mathbf I + \Gamma_\lambda + \cdots + \Gamma_\lambda^{n-1}"
    inputs = PLACED
    result = ADJOINT

    def printed(assembly, q):
        Gamma = stacked_matrices(assembly, q, REST).Gamma
        return np.eye(18) + Gamma + Gamma @ Gamma

    def library(assembly, q):
        return operators(assembly, q, REST).G

    oracle = "poses of bodies, seen from each of their ancestors, as adjoints"

    def reference(assembly, q):
        return twist_propagation_matrix(body_quantities(assembly, q, REST))

    verdict = Verdict.HOLDS
    implemented_by = OPERATORS
    chapter = CHAPTER


@claim("si/sA/t292", "Gamma is nilpotent")
class t292:
    formula = r"\Gamma_\lambda^n = 0"
    inputs = PLACED
    result = NUMBER

    def printed(assembly, q):
        """Ranks of its powers: the last one is zero."""
        Gamma = stacked_matrices(assembly, q, REST).Gamma
        return [np.linalg.matrix_rank(np.linalg.matrix_power(Gamma, p)) for p in (1, 2, 3)]

    def library(assembly, q):
        Gamma = operators(assembly, q, REST).Gamma
        twice = Gamma @ Gamma
        values = [np.linalg.svd(power, compute_uv=False) for power in (Gamma, twice, twice @ Gamma)]
        return [np.sum(each > 1e-9) for each in values]

    oracle = "how many bodies are parents, grandparents, and so on; each counts six times"

    def reference(assembly, q):
        counts, bodies = [], set(range(len(assembly.parents)))
        for _ in q[::2]:
            bodies = {assembly.parents[i] for i in bodies} - {-1}
            counts.append(6 * len(bodies))
        return counts

    exact = "ranks are whole numbers"
    verdict = Verdict.HOLDS
    remark = "A power leads from a body to an ancestor so many steps back, and nobody has n of them."
    implemented_by = OPERATORS
    chapter = CHAPTER
