"""Si & Guenter, appendix A: the matrices that propagate twists from body to descendants, eqs. (43) to (45)."""

from __future__ import annotations

import numpy as np

from rbnotes.ledger.claims.si.appendix_a import section
from rbnotes.ledger.claims.si.appendix_a.twists import ZERO_RATES, library_operators
from rbnotes.ledger.claims.si.section_4.trees import POSITIONS
from rbnotes.ledger.oracles import body_trees
from rbnotes.ledger.oracles.body_quantities import (
    body_quantities,
    stacked_matrices,
    twist_propagation_matrix,
)
from rbnotes.ledger.oracles.twists import adjoint_by_conjugation
from rbnotes.ledger.quantities import (
    ADJOINT,
    NUMBER,
)
from rbnotes.ledger.record import Result
from rbnotes.multibody.reduced import SpatialOperators


@section.definition("e43", "Transformation of the parents' twists to the children")
class e43:
    formula = r"\Gamma_\lambda = \mathbf M_\lambda\Theta_\lambda"
    defines = (r"\Gamma_\lambda",)
    inputs = POSITIONS
    result = Result(ADJOINT, "takes twists of parents to the frames of their bodies")

    def printed(assembly, q):
        matrices = stacked_matrices(assembly, q, ZERO_RATES)
        return matrices.parent_adjoints @ matrices.parent_selection

    def library(assembly, q):
        return library_operators(assembly, q, ZERO_RATES).Gamma

    def reference(assembly, q):
        """Conjugate unit twists with the poses of the bodies in the frames of their ancestors."""
        E, Gamma = body_trees.poses(assembly, q), np.zeros((18, 18))
        for i, parent in enumerate(assembly.parents):
            if parent >= 0:
                adjoint = adjoint_by_conjugation(np.linalg.inv(E[i]) @ E[parent])
                Gamma[6 * i : 6 * i + 6, 6 * parent : 6 * parent + 6] = adjoint
        return Gamma

    implements = SpatialOperators


@section.definition("e44", "The operator that propagates twists from body to descendants")
class e44:
    formula = r"\mathbf G_\lambda = (\mathbf I - \Gamma_\lambda)^{-1}"
    defines = (r"\mathbf G_\lambda",)
    inputs = POSITIONS
    result = Result(ADJOINT, "of all bodies, each in its frame")

    def printed(assembly, q):
        return np.linalg.inv(np.eye(18) - stacked_matrices(assembly, q, ZERO_RATES).Gamma)

    def library(assembly, q):
        return library_operators(assembly, q, ZERO_RATES).G

    def reference(assembly, q):
        """Compare with adjoints of the poses of bodies in the frames of each of their ancestors."""
        return twist_propagation_matrix(body_quantities(assembly, q, ZERO_RATES))

    implements = SpatialOperators


@section.holds("e45", "The propagation operator as a finite sum")
class e45:
    formula = r"\mathbf G_\lambda = \mathbf I + \Gamma_\lambda + \cdots + \Gamma_\lambda^{n-1}"
    inputs = POSITIONS
    result = Result(ADJOINT, "of all bodies, each in its frame")

    def printed(assembly, q):
        Gamma = stacked_matrices(assembly, q, ZERO_RATES).Gamma
        return np.eye(18) + Gamma + Gamma @ Gamma

    def library(assembly, q):
        return library_operators(assembly, q, ZERO_RATES).G

    def reference(assembly, q):
        """Compare with adjoints of the poses of bodies in the frames of each of their ancestors."""
        return twist_propagation_matrix(body_quantities(assembly, q, ZERO_RATES))

    implements = SpatialOperators


@section.holds("t292", "Gamma is nilpotent")
class t292:
    formula = r"\Gamma_\lambda^n = 0"
    inputs = POSITIONS
    result = Result(NUMBER, "ranks of the powers")

    def printed(assembly, q):
        """Return the ranks of the powers of Gamma; the last one is zero."""
        Gamma = stacked_matrices(assembly, q, ZERO_RATES).Gamma
        return [np.linalg.matrix_rank(np.linalg.matrix_power(Gamma, p)) for p in (1, 2, 3)]

    def library(assembly, q):
        Gamma = library_operators(assembly, q, ZERO_RATES).Gamma
        twice = Gamma @ Gamma
        values = [np.linalg.svd(power, compute_uv=False) for power in (Gamma, twice, twice @ Gamma)]
        return [np.sum(each > 1e-9) for each in values]

    def reference(assembly, q):
        """Count the parents, grandparents and further ancestors of the bodies, six for each."""
        counts, bodies = [], set(range(len(assembly.parents)))
        for _ in q[::2]:
            bodies = {assembly.parents[i] for i in bodies} - {-1}
            counts.append(6 * len(bodies))
        return counts

    exact = "ranks are integers"
    remark = (
        r"The power $\Gamma_\lambda^k$ maps twists of the k-th ancestor to the frame of the body, and "
        "no body has n ancestors."
    )
    implements = SpatialOperators
