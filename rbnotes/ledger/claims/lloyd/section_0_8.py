"""Lloyd 0.8: on demand pivoting for a mixed LCP formulation."""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import strategies as st

from rbnotes.arguments import Array
from rbnotes.complementarity import LCP, Basis, LazyColumns, PivotingData
from rbnotes.dynamics import BilateralRows, StepProblem, UnilateralRows, lcp_from_step
from rbnotes.ledger.oracles.constrained_systems import constrained_system
from rbnotes.ledger.oracles.index_partitions import ordered_indices, split_indices
from rbnotes.ledger.quantities import (
    INVERSE_MASS,
    MASS,
    MOMENTUM,
    NUMBER,
    VELOCITY,
    matrix_quantity,
    vector_quantity,
)
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section
from rbnotes.testing.strategies import full_rank_matrices, matrices, spd_matrices, vectors

CONTACTS_OF_ALPHA_FIRST = "of the contacts: those of alpha, then the others"

section = Section(
    "lloyd/s0.8",
    chapter="pivoting",
    any_size=True,
    arguments={
        "M": Argument(INVERSE_MASS, "of the complementarity problem: a row and a column for each contact"),
        "G": Argument(NUMBER, "one row for each constraint, over the generalized coordinates of the system"),
        "N": Argument(NUMBER, "one row for each contact, over the generalized coordinates of the system"),
        "f": Argument(MOMENTUM, "in the generalized coordinates of the system (arbitrary)"),
        "g": Argument(VELOCITY, "one for each constraint"),
        "n": Argument(VELOCITY, "one for each contact"),
        "alpha": Argument(NUMBER),
        "q": Argument(VELOCITY, "one for each contact"),
        "other": Argument(INVERSE_MASS, "columns outside of alpha, of another problem"),
    },
)


SIZE, EQUATIONS, ROWS = 4, 2, 4
PARTITIONS = st.sampled_from([(0,), (2,), (1, 3), (2, 0), (0, 1, 3), (3, 2, 1)])
MIXED_PROBLEM = {
    "M": spd_matrices(SIZE),
    "G": full_rank_matrices(EQUATIONS, SIZE),
    "N": matrices(ROWS, SIZE),
    "f": vectors(SIZE),
    "g": vectors(EQUATIONS),
    "n": vectors(ROWS),
    "alpha": PARTITIONS,
}
PIVOTED_LCP = {
    "M": st.builds(lambda M, S: M + S - S.T, spd_matrices(ROWS), matrices(ROWS, ROWS)),
    "q": vectors(ROWS),
    "alpha": PARTITIONS,
}
SHARED_ORDERING = ("rbnotes.ledger.oracles.index_partitions",)
COLUMN = {"M": PIVOTED_LCP["M"], "alpha": PARTITIONS, "choice": st.integers(0, 2)}


def blocks(M: Array, alpha: tuple[int, ...]) -> tuple[Array, Array, Array, Array]:
    a, b = split_indices(alpha, len(M))
    return M[np.ix_(a, a)], M[np.ix_(a, b)], M[np.ix_(b, a)], M[np.ix_(b, b)]


def basic(values):
    """Return the quantities of the basic variables: z of alpha, then w of the others."""
    count = len(values["alpha"])
    return vector_quantity((MOMENTUM, count), (VELOCITY, ROWS - count))


def nonbasic(values):
    """Return the quantities of the nonbasic variables: w of alpha, then z of the others."""
    count = len(values["alpha"])
    return vector_quantity((VELOCITY, count), (MOMENTUM, ROWS - count))


def slacks(M: Array, G: Array, N: Array, f: Array, g: Array, n: Array, z: Array) -> Array:
    """Return w under the given z, from the whole mixed system."""
    total_force = f + sum(weight * row for weight, row in zip(z, N, strict=True))
    x, _ = constrained_system(M, G, total_force, g)
    return np.array([row @ x for row in N]) - n


def inverse_and_rows(M: Array, G: Array, N: Array) -> tuple[Array, Array]:
    """Return the inverse of A, and N-bar, as defined in the preceding section."""
    A = np.block([[M, -G.T], [G, np.zeros((len(G), len(G)))]])
    return np.linalg.inv(A), np.hstack([N, np.zeros((len(N), len(G)))])


def exchange_variables(M: Array, q: Array, alpha: tuple[int, ...]) -> tuple[Array, Array]:
    """Solve ``w = M z + q`` for z of alpha and w of beta, by elimination of all pairs at once."""
    basic_z = np.isin(np.arange(len(M)), alpha)
    left = np.where(basic_z, -M, np.eye(len(M)))
    right = np.where(basic_z, np.eye(len(M)), -M)
    order = ordered_indices(alpha, len(M))
    return np.linalg.solve(left, -right)[np.ix_(order, order)], np.linalg.solve(left, q)[order]


def basis_of(M: Array, q: Array, alpha: tuple[int, ...]) -> Basis:
    basis = Basis(PivotingData(LCP(M, q)))
    for s in alpha:
        basis.exchange(s)
    basis.recompute_values()
    return basis


def pivoted_library_column(M: Array, alpha: tuple[int, ...], r: int) -> Array:
    return basis_of(M, np.zeros(len(M)), alpha).pivoted_column(r)[ordered_indices(alpha, len(M))]


@section.holds("d1#a", "The LCP matrix partitioned by the basis")
class d1_a:
    formula = r"\begin{pmatrix} \mathbf M_{\alpha\alpha} & \mathbf M_{\alpha\beta} \\ \mathbf M_{\beta\alpha} & \mathbf M_{\beta\beta} \end{pmatrix} = \begin{pmatrix} \bar{\mathbf N}_\alpha\mathbf A^{-1}\bar{\mathbf N}_\alpha^T & \bar{\mathbf N}_\alpha\mathbf A^{-1}\bar{\mathbf N}_\beta^T \\ \bar{\mathbf N}_\beta\mathbf A^{-1}\bar{\mathbf N}_\alpha^T & \bar{\mathbf N}_\beta\mathbf A^{-1}\bar{\mathbf N}_\beta^T \end{pmatrix}"
    inputs = MIXED_PROBLEM
    arguments = {"M": Argument(MASS, "in the generalized coordinates of the system (arbitrary)")}
    result = Result(INVERSE_MASS, CONTACTS_OF_ALPHA_FIRST)

    def printed(M, G, N, f, g, n, alpha):
        a, b = split_indices(alpha, len(N))
        Ai, N_bar = inverse_and_rows(M, G, N)
        Na, Nb = N_bar[a], N_bar[b]
        return np.block([[Na @ Ai @ Na.T, Na @ Ai @ Nb.T], [Nb @ Ai @ Na.T, Nb @ Ai @ Nb.T]])

    def library(M, G, N, f, g, n, alpha):
        order = ordered_indices(alpha, len(N))
        return lcp_from_step(StepProblem(M, f, BilateralRows(G, g), UnilateralRows(N, n))).M[
            np.ix_(order, order)
        ]

    def reference(M, G, N, f, g, n, alpha):
        """Measure the change of w with a unit of each z, from the whole mixed system."""
        order = ordered_indices(alpha, len(N))
        at_zero = slacks(M, G, N, f, g, n, 0 * n)
        changes = [slacks(M, G, N, f, g, n, np.eye(len(N))[j]) - at_zero for j in order]
        return np.stack(changes, axis=1)[order]

    tolerance = 1e-08
    primitives = SHARED_ORDERING
    implements = lcp_from_step


@section.erratum("d1#b", "The LCP vector partitioned by the basis")
class d1_b:
    formula = r"\begin{pmatrix} \mathbf q_\alpha \\ \mathbf q_\beta \end{pmatrix} = \begin{pmatrix} \bar{\mathbf N}_\alpha\mathbf A^{-1}\mathbf b \\ \bar{\mathbf N}_\beta\mathbf A^{-1}\mathbf b \end{pmatrix}"
    edits = (
        (r"_\alpha\mathbf A^{-1}\mathbf b", r"_\alpha\mathbf A^{-1}\mathbf b - \mathbf n_\alpha"),
        (r"_\beta\mathbf A^{-1}\mathbf b", r"_\beta\mathbf A^{-1}\mathbf b - \mathbf n_\beta"),
    )
    inputs = MIXED_PROBLEM
    arguments = {"M": Argument(MASS, "in the generalized coordinates of the system (arbitrary)")}
    result = Result(VELOCITY, CONTACTS_OF_ALPHA_FIRST)

    def printed(M, G, N, f, g, n, alpha):
        a, b = split_indices(alpha, len(N))
        Ai, N_bar = inverse_and_rows(M, G, N)
        Na, Nb = N_bar[a], N_bar[b]
        right = np.concatenate((f, g))
        return np.concatenate([Na @ Ai @ right, Nb @ Ai @ right])

    def library(M, G, N, f, g, n, alpha):
        return lcp_from_step(StepProblem(M, f, BilateralRows(G, g), UnilateralRows(N, n))).q[
            ordered_indices(alpha, len(N))
        ]

    def reference(M, G, N, f, g, n, alpha):
        """Compute w without contact impulses, from the whole mixed system."""
        return slacks(M, G, N, f, g, n, 0 * n)[ordered_indices(alpha, len(N))]

    tolerance = 1e-08
    primitives = SHARED_ORDERING
    correction = (
        r"$\begin{pmatrix} \bar{\mathbf N}_\alpha\mathbf A^{-1}\mathbf b - \mathbf n_\alpha \\ "
        r"\bar{\mathbf N}_\beta\mathbf A^{-1}\mathbf b - \mathbf n_\beta \end{pmatrix}$, as in the"
        r" preceding section. Without $\mathbf n$, contacts neither rebound nor correct "
        "penetration, and gaps close at once."
    )
    effect = "A body released 1 m above the floor stays there, because its contact is treated as closed."
    implements = lcp_from_step


def e0_4_a_quantity(values):
    return matrix_quantity(basic(values), nonbasic(values))


@section.holds("e0.4#a", "The pivoted matrix")
class e0_4_a:
    formula = r"\mathbf M' = \begin{pmatrix} \mathbf M_{\alpha\alpha}^{-1} & -\mathbf M_{\alpha\alpha}^{-1}\mathbf M_{\alpha\beta} \\ \mathbf M_{\beta\alpha}\mathbf M_{\alpha\alpha}^{-1} & \mathbf M_{\beta\beta} + \mathbf M_{\beta\alpha}\mathbf M'_{\alpha\beta} \end{pmatrix}"
    inputs = PIVOTED_LCP

    result = Result(e0_4_a_quantity, CONTACTS_OF_ALPHA_FIRST)

    def printed(M, q, alpha):
        Maa, Mab, Mba, Mbb = blocks(M, alpha)
        Pab = -np.linalg.inv(Maa) @ Mab
        return np.block(
            [[np.linalg.inv(Maa), -np.linalg.inv(Maa) @ Mab], [Mba @ np.linalg.inv(Maa), Mbb + Mba @ Pab]]
        )

    def library(M, q, alpha):
        basis, order = basis_of(M, q, alpha), ordered_indices(alpha, len(M))
        return np.stack([basis.pivoted_column(r) for r in order], axis=1)[order]

    def reference(M, q, alpha):
        """Solve w = M z + q for the basic variables by elimination, with unsymmetric M."""
        return exchange_variables(M, q, alpha)[0]

    tolerance = 1e-08
    primitives = SHARED_ORDERING
    implements = Basis.pivoted_column


@section.holds("e0.4#b", "The pivoted vector")
class e0_4_b:
    formula = r"\mathbf q' = \begin{pmatrix} -\mathbf M_{\alpha\alpha}^{-1}\mathbf q_\alpha \\ \mathbf q_\beta + \mathbf M_{\beta\alpha}\mathbf q'_\alpha \end{pmatrix}"
    inputs = PIVOTED_LCP
    result = Result(basic, CONTACTS_OF_ALPHA_FIRST)

    def printed(M, q, alpha):
        a, b = split_indices(alpha, len(M))
        Maa, _, Mba, _ = blocks(M, alpha)
        qa = -np.linalg.inv(Maa) @ q[a]
        return np.concatenate([qa, q[b] + Mba @ qa])

    def library(M, q, alpha):
        basis = basis_of(M, q, alpha)
        return np.where(basis.is_basic, basis.z, basis.w)[ordered_indices(alpha, len(q))]

    def reference(M, q, alpha):
        """Solve w = M z + q for the basic variables by elimination, with unsymmetric M."""
        return exchange_variables(M, q, alpha)[1]

    tolerance = 1e-08
    primitives = SHARED_ORDERING
    implements = Basis.recompute_values


def d2_quantity(values):
    return basic(values) / VELOCITY


@section.holds("d2", "A column of the pivoted matrix with index in alpha")
class d2:
    formula = r"\mathbf m'_r = \begin{pmatrix} \mathbf m'_{\alpha r} \\ \mathbf m'_{\beta r} \end{pmatrix} = \begin{pmatrix} \mathbf M_{\alpha\alpha}^{-1}\mathbf e_r \\ \mathbf M_{\beta\alpha}\mathbf m'_{\alpha r} \end{pmatrix},\quad r \in \alpha"
    inputs = COLUMN

    result = Result(d2_quantity, CONTACTS_OF_ALPHA_FIRST)

    def printed(M, alpha, choice):
        Maa, _, Mba, _ = blocks(M, alpha)
        unit = np.eye(len(alpha))[choice % len(alpha)]
        m_a = np.linalg.inv(Maa) @ unit
        return np.concatenate([m_a, Mba @ m_a])

    def library(M, alpha, choice):
        return pivoted_library_column(M, alpha, alpha[choice % len(alpha)])

    def reference(M, alpha, choice):
        """Solve w = M z + q for the basic variables by elimination."""
        return exchange_variables(M, np.zeros(len(M)), alpha)[0][:, choice % len(alpha)]

    tolerance = 1e-08
    primitives = SHARED_ORDERING
    remark = r"$\mathbf e_r$ has as many entries as $\alpha$, with 1 at the position of r in $\alpha$."
    implements = Basis.pivoted_column


def d3_quantity(values):
    return basic(values) / MOMENTUM


@section.holds("d3", "A column of the pivoted matrix with index in beta")
class d3:
    formula = r"\mathbf m'_r = \begin{pmatrix} -\mathbf M_{\alpha\alpha}^{-1}\mathbf m_{\alpha r} \\ \mathbf m_{\beta r} + \mathbf M_{\beta\alpha}\mathbf m'_{\alpha r} \end{pmatrix},\quad r \in \beta"
    inputs = COLUMN

    result = Result(d3_quantity, CONTACTS_OF_ALPHA_FIRST)

    def printed(M, alpha, choice):
        a, b = split_indices(alpha, len(M))
        Maa, _, Mba, _ = blocks(M, alpha)
        r = b[choice % len(b)]
        m_a = -np.linalg.inv(Maa) @ M[a, r]
        return np.concatenate([m_a, M[b, r] + Mba @ m_a])

    def library(M, alpha, choice):
        b = split_indices(alpha, len(M))[1]
        return pivoted_library_column(M, alpha, b[choice % len(b)])

    def reference(M, alpha, choice):
        """Solve w = M z + q for the basic variables by elimination."""
        b = split_indices(alpha, len(M))[1]
        return exchange_variables(M, np.zeros(len(M)), alpha)[0][:, len(alpha) + choice % len(b)]

    tolerance = 1e-08
    primitives = SHARED_ORDERING
    implements = Basis.pivoted_column


# ------------------------------------------------------------------------------------------------------------
# Columns of the LCP matrix that are computed when they are needed.


def computed_columns(M, alpha, other):
    """Return the matrix with arbitrary numbers in the columns of beta, which are never computed."""
    return np.where(np.isin(np.arange(len(M)), alpha), M, other)


@section.erratum("t236", "Condition under which computing columns on demand is cheaper")
class t236:
    formula = r"\text{number of pivots} < \text{number of columns of } \bar{\mathbf N}"
    any_size = False
    inputs = {
        "rows": st.integers(1, 4),
        "columns": st.integers(1, 8),
        "pivots": st.integers(0, 4),
    }
    result = Result(NUMBER, CONTACTS_OF_ALPHA_FIRST)

    def printed(rows, columns, pivots):
        """Return 1 if there are fewer pivots than columns of N-bar."""
        return float(pivots < columns)

    def library(rows, columns, pivots):
        """Return 1 if some columns are never built although every pivot adds another z_j."""
        lazy_columns = LazyColumns(rows, lambda j: np.eye(rows)[j])
        for j in range(pivots):
            _ = lazy_columns[j % rows]
        return float(lazy_columns.num_built < rows)

    def reference(rows, columns, pivots):
        """Try all sequences of that many pivots, and check whether each omits some z_j."""
        return float(
            all(len(set(entering_indices)) < rows for entering_indices in product(range(rows), repeat=pivots))
        )

    combined_with = ("lloyd/s0.7/t229",)
    correction = (
        r"number of pivots $<$ number of *rows* of $\bar{\mathbf N}$, which are the columns of "
        r"$\bar{\mathbf N}\mathbf A^{-1}\bar{\mathbf N}^T$."
    )
    replacement = r"The matrix $\bar{\mathbf N}\mathbf A^{-1}\bar{\mathbf N}^T$ described in the previous section can be created on demand, which may be advantageous if the number of pivots is smaller than the number of rows of $\bar{\mathbf N}$."
    remark = (
        r"The columns of $\bar{\mathbf N}$ belong to the unknowns $\mathbf x$ and "
        r"$\boldsymbol\lambda$, whose number is irrelevant. The cost is the number of different "
        "$z_j$ that enter. A $z_j$ that enters again costs no solve, so that columns on demand "
        "can be cheaper even with more pivots than rows."
    )
    no_simulation = "It compares costs; the result is the same."
    implements = LazyColumns


@section.holds("t254", "Columns stored when their z_j enter give the blocks of the basis")
class t254:
    formula = r"\mathbf m_j \text{ stored for all } j \in \alpha \;\Rightarrow\; \mathbf M_{\alpha\alpha}, \mathbf M_{\beta\alpha} \text{ available}"
    inputs = {**MIXED_PROBLEM, "left": st.integers(0, ROWS - 1)}
    arguments = {"M": Argument(MASS, "in the generalized coordinates of the system (arbitrary)")}
    result = Result(INVERSE_MASS, "columns of alpha: row by row, those of alpha before the others")

    def printed(M, G, N, f, g, n, alpha, left):
        """Compute each column once, when z_j enters; keep it when z_j leaves."""
        Ai, N_bar = inverse_and_rows(M, G, N)
        columns_by_index = {}
        for j in (*alpha, left, *alpha):
            if j not in columns_by_index:
                columns_by_index[j] = N_bar @ Ai @ N_bar[j]
        basic, rest = split_indices(alpha, len(N))
        columns = np.stack([columns_by_index[j] for j in basic], axis=1)
        return np.concatenate([columns[basic].ravel(), columns[rest].ravel()])

    def library(M, G, N, f, g, n, alpha, left):
        lcp = lcp_from_step(StepProblem(M, f, BilateralRows(G, g), UnilateralRows(N, n)))
        basis = Basis(PivotingData(lcp))
        for j in alpha:
            basis.exchange(j)
        inside = [
            basis.columns.entries(i, basis.basic_indices) for i in (*alpha, *split_indices(alpha, len(N))[1])
        ]
        return np.concatenate(inside)

    def reference(M, G, N, f, g, n, alpha, left):
        """Measure the change of the slacks with a unit of each basic z, from the whole mixed system."""
        at_zero = slacks(M, G, N, f, g, n, 0 * n)
        changes = [slacks(M, G, N, f, g, n, np.eye(len(N))[j]) - at_zero for j in alpha]
        rows = [*alpha, *(i for i in range(len(N)) if i not in alpha)]
        return np.array([[change[i] for change in changes] for i in rows]).ravel()

    tolerance = 1e-08
    remark = (
        r"Increasing $z_r$ with $r \in \beta$ also requires $\mathbf m_r$, even if $z_r$ stops at "
        "a bound and never enters; the text below mentions this ('if necessary')."
    )
    implements = Basis.exchange


@section.holds("t256", "The pivoted vector only requires columns that were computed")
class t256:
    formula = r"\mathbf q'\ \text{`can be determined using}\ \mathbf M_{\alpha\alpha}\ \text{and}\ \mathbf M_{\beta\alpha}\text{, assuming that}\ \mathbf q\ \text{has already been computed'}"
    inputs = {**PIVOTED_LCP, "other": matrices(ROWS, ROWS)}
    result = Result(basic, CONTACTS_OF_ALPHA_FIRST)

    def printed(M, q, alpha, other):
        """Evaluate (0.4) with arbitrary numbers in the columns of beta."""
        a, b = split_indices(alpha, len(M))
        Maa, _, Mba, _ = blocks(computed_columns(M, alpha, other), alpha)
        qa = -np.linalg.inv(Maa) @ q[a]
        return np.concatenate([qa, q[b] + Mba @ qa])

    def library(M, q, alpha, other):
        basis = basis_of(computed_columns(M, alpha, other), q, alpha)
        return np.where(basis.is_basic, basis.z, basis.w)[ordered_indices(alpha, len(q))]

    def reference(M, q, alpha, other):
        """Solve w = M z + q for the basic variables by elimination, with the true columns."""
        return exchange_variables(M, q, alpha)[1]

    tolerance = 1e-08
    primitives = SHARED_ORDERING
    implements = Basis.recompute_values
