"""Lloyd 0.8: columns of the LCP matrix that are computed when they are needed."""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import strategies as st

from rbnotes.complementarity import Basis, LazyColumns, PivotingData
from rbnotes.dynamics import BilateralRows, StepProblem, UnilateralRows, lcp_from_step
from rbnotes.ledger.claims.lloyd.section_0_8 import (
    CHAPTER,
    MIXED,
    PIVOTED,
    ROWS,
    SORTED,
    basic,
    basis_of,
    blocks,
    exchanged,
    inverse_and_rows,
    slacks,
)
from rbnotes.ledger.oracles.index_partitions import ordered_indices, split_indices
from rbnotes.ledger.quantities import INVERSE_MASS, MOMENTUM, NUMBER, VELOCITY
from rbnotes.ledger.record import Verdict, claim
from rbnotes.testing.strategies import matrices

QUANTITIES = {"f": MOMENTUM, "g": VELOCITY, "n": VELOCITY, "other": INVERSE_MASS, "q": VELOCITY}


def known_columns(M, alpha, other):
    """The matrix with other numbers in the columns that were never computed, those of beta."""
    return np.where(np.isin(np.arange(ROWS), alpha), M, other)


@claim("lloyd/s0.8/t236", "When building columns on demand pays")
class t236:
    formula = r"\text{number of pivots} < \text{number of columns of } \bar{\mathbf N}"
    inputs = {
        "rows": st.integers(1, 4),
        "columns": st.integers(1, 8),
        "pivots": st.integers(0, 4),
    }
    result = NUMBER

    def printed(rows, columns, pivots):
        """Whether the number of pivots is smaller than the number of columns of N-bar."""
        return float(pivots < columns)

    def library(rows, columns, pivots):
        """Whether columns are left that were never built, if every pivot brings in another z_j."""
        on_demand = LazyColumns(rows, lambda j: np.eye(rows)[j])
        for j in range(pivots):
            _ = on_demand[j % rows]
        return float(on_demand.num_built < rows)

    oracle = "whether all sequences of that many pivots leave some z_j out, by trying them"

    def reference(rows, columns, pivots):
        """Whether some contact stays out of the basis whatever the pivots are, by trying all sequences of them."""
        return float(all(len(set(entered)) < rows for entered in product(range(rows), repeat=pivots)))

    combined_with = ("lloyd/s0.7/t229",)
    verdict = Verdict.ERRATUM
    correction = (
        r"number of pivots $<$ number of *rows* of $\bar{\mathbf N}$, which are the columns of "
        r"$\bar{\mathbf N}\mathbf A^{-1}\bar{\mathbf N}^T$."
    )
    remark = (
        r"The columns of $\bar{\mathbf N}$ belong to the unknowns $\mathbf x$ and $\boldsymbol\lambda$, "
        r"whose number says nothing about it. What counts are the different $z_j$ that enter: one that "
        r"enters again costs no solve, so that it may pay with more pivots than rows too."
    )
    implemented_by = ("rbnotes.complementarity.LazyColumns",)
    chapter = CHAPTER


@claim("lloyd/s0.8/t254", "Columns stored as their z_j enter give the blocks of the basis")
class t254:
    formula = (
        r"\mathbf m_j \text{ stored for all } j \in \alpha \;\Rightarrow\; \mathbf M_{\alpha\alpha}, "
        r"\mathbf M_{\beta\alpha} \text{ available}"
    )
    inputs = {**MIXED, "left": st.integers(0, ROWS - 1)}
    result = INVERSE_MASS

    def printed(M, G, N, f, g, n, alpha, left):
        """Columns are computed once each, as z_j enter; the last to enter may leave again, and its column stays."""
        Ai, padded = inverse_and_rows(M, G, N)
        stored = {}
        for j in (*alpha, left, *alpha):
            if j not in stored:
                stored[j] = padded @ Ai @ padded[j]
        basic, rest = split_indices(alpha, ROWS)
        columns = np.stack([stored[j] for j in basic], axis=1)
        return np.concatenate([columns[basic].ravel(), columns[rest].ravel()])

    def library(M, G, N, f, g, n, alpha, left):
        lcp = lcp_from_step(StepProblem(M, f, BilateralRows(G, g), UnilateralRows(N, n)))
        basis = Basis(PivotingData(lcp))
        for j in alpha:
            basis.exchange(j)
        inside = [
            basis.columns.entries(i, basis.basic_indices) for i in (*alpha, *split_indices(alpha, ROWS)[1])
        ]
        return np.concatenate(inside)

    oracle = "how the slacks of the mixed system, solved whole, answer to a unit of each basic z"

    def reference(M, G, N, f, g, n, alpha, left):
        at_zero = slacks(M, G, N, f, g, n, np.zeros(ROWS))
        answers = [slacks(M, G, N, f, g, n, np.eye(ROWS)[j]) - at_zero for j in alpha]
        rows = [*alpha, *(i for i in range(ROWS) if i not in alpha)]
        return np.array([[answer[i] for answer in answers] for i in rows]).ravel()

    tolerance = 1e-08
    equivalent_mutants = {
        "in inverse_and_rows: negated G in `[G, np.zeros((EQUATIONS, EQUATIONS))]`": "changes the sign of lambda alone",
        "in inverse_and_rows: dropped minus in `-G.T`": "changes the sign of lambda alone",
        "in inverse_and_rows: negated N in `[N, np.zeros((ROWS, EQUATIONS))]`": "N stands on both sides",
    }
    verdict = Verdict.HOLDS
    remark = (
        r"To move $z_r$ with $r \in \beta$ takes $\mathbf m_r$ as well, also if $z_r$ stops at a bound "
        r"and is never added; the text below says so ('if necessary')."
    )
    implemented_by = ("rbnotes.complementarity.Basis.exchange",)
    chapter = CHAPTER


@claim("lloyd/s0.8/t256", "The pivoted vector takes no column that was not computed")
class t256:
    formula = (
        r"\mathbf q'\ \text{`can be determined using}\ \mathbf M_{\alpha\alpha}\ \text{and}\ "
        r"\mathbf M_{\beta\alpha}\text{, assuming that}\ \mathbf q\ \text{has already been computed'}"
    )
    inputs = {**PIVOTED, "other": matrices(ROWS, ROWS)}
    quantities = {"M": INVERSE_MASS}
    result = basic

    def printed(M, q, alpha, other):
        """(0.4), with other numbers in the columns of beta."""
        a, b = split_indices(alpha, ROWS)
        Maa, _, Mba, _ = blocks(known_columns(M, alpha, other), alpha)
        qa = -np.linalg.inv(Maa) @ q[a]
        return np.concatenate([qa, q[b] + Mba @ qa])

    def library(M, q, alpha, other):
        basis = basis_of(known_columns(M, alpha, other), q, alpha)
        return np.where(basis.is_basic, basis.z, basis.w)[ordered_indices(alpha, ROWS)]

    oracle = "w = M z + q solved for the basic variables by elimination, with the columns as they are"

    def reference(M, q, alpha, other):
        return exchanged(M, q, alpha)[1]

    tolerance = 1e-08
    primitives = SORTED
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.complementarity.Basis.recompute_values",)
    chapter = CHAPTER
