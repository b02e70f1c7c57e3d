"""Lloyd 0.8: on demand pivoting for a mixed LCP formulation."""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import strategies as st

from rbnotes.arguments import Array
from rbnotes.checking.strategies import full_rank_matrices, matrices, spd_matrices, vectors
from rbnotes.complementarity import LCP, Basis, Columns, MixedLCP, System, lcp_from_mixed
from rbnotes.ledger.oracles import constrained_system
from rbnotes.ledger.record import Record, Verdict

CHAPTER = "pivoting"
SIZE, EQUATIONS, ROWS = 4, 2, 4
COMMON = {"chapter": CHAPTER, "verdict": Verdict.HOLDS, "tolerance": 1e-8}
PARTITIONS = st.sampled_from([(0,), (2,), (1, 3), (2, 0), (0, 1, 3), (3, 2, 1)])
MIXED = {
    "M": spd_matrices(SIZE),
    "G": full_rank_matrices(EQUATIONS, SIZE),
    "N": matrices(ROWS, SIZE),
    "f": vectors(SIZE),
    "g": vectors(EQUATIONS),
    "n": vectors(ROWS),
    "alpha": PARTITIONS,
}
PIVOTED = {
    "M": st.builds(lambda M, S: M + S - S.T, spd_matrices(ROWS), matrices(ROWS, ROWS)),
    "q": vectors(ROWS),
    "alpha": PARTITIONS,
}
COLUMN = {"M": PIVOTED["M"], "alpha": PARTITIONS, "choice": st.integers(0, 2)}


def split(alpha: tuple[int, ...]) -> tuple[list[int], list[int]]:
    """alpha and the rest, beta."""
    return list(alpha), [i for i in range(ROWS) if i not in alpha]


def ordered(alpha: tuple[int, ...]) -> list[int]:
    """All indices, alpha first."""
    a, b = split(alpha)
    return [*a, *b]


def blocks(M: Array, alpha: tuple[int, ...]) -> tuple[Array, Array, Array, Array]:
    a, b = split(alpha)
    return M[np.ix_(a, a)], M[np.ix_(a, b)], M[np.ix_(b, a)], M[np.ix_(b, b)]


def slacks(M: Array, G: Array, N: Array, f: Array, g: Array, n: Array, z: Array) -> Array:
    """w under the given z, from the whole mixed system."""
    pushed = f + sum(weight * row for weight, row in zip(z, N, strict=True))
    x, _ = constrained_system(M, G, pushed, g)
    return np.array([row @ x for row in N]) - n


def inverse_and_rows(M: Array, G: Array, N: Array) -> tuple[Array, Array]:
    """The inverse of A, and N-bar, as defined in the section before."""
    A = np.block([[M, -G.T], [G, np.zeros((EQUATIONS, EQUATIONS))]])
    return np.linalg.inv(A), np.hstack([N, np.zeros((ROWS, EQUATIONS))])


def partition_printed(M, G, N, f, g, n, alpha):
    a, b = split(alpha)
    Ai, padded = inverse_and_rows(M, G, N)
    Na, Nb = padded[a], padded[b]
    return np.block([[Na @ Ai @ Na.T, Na @ Ai @ Nb.T], [Nb @ Ai @ Na.T, Nb @ Ai @ Nb.T]])


def partition_library(M, G, N, f, g, n, alpha):
    order = ordered(alpha)
    return lcp_from_mixed(MixedLCP(M, f, N, n, G, g)).M[np.ix_(order, order)]


def partition_reference(M, G, N, f, g, n, alpha):
    """How w answers to a unit of each z, in the order of the partition."""
    order = ordered(alpha)
    at_zero = slacks(M, G, N, f, g, n, np.zeros(ROWS))
    answers = [slacks(M, G, N, f, g, n, np.eye(ROWS)[j]) - at_zero for j in order]
    return np.stack(answers, axis=1)[order]


def vector_printed(M, G, N, f, g, n, alpha):
    a, b = split(alpha)
    Ai, padded = inverse_and_rows(M, G, N)
    Na, Nb = padded[a], padded[b]
    right = np.concatenate((f, g))
    return np.concatenate([Na @ Ai @ right, Nb @ Ai @ right])


def vector_library(M, G, N, f, g, n, alpha):
    return lcp_from_mixed(MixedLCP(M, f, N, n, G, g)).q[ordered(alpha)]


def vector_reference(M, G, N, f, g, n, alpha):
    """w without contact impulses."""
    return slacks(M, G, N, f, g, n, np.zeros(ROWS))[ordered(alpha)]


def exchanged(M: Array, q: Array, alpha: tuple[int, ...]) -> tuple[Array, Array]:
    """``w = M z + q`` solved for z of alpha and w of beta: by elimination, all pairs at once."""
    basic_z = np.isin(np.arange(ROWS), alpha)
    left = np.where(basic_z, -M, np.eye(ROWS))
    right = np.where(basic_z, np.eye(ROWS), -M)
    order = ordered(alpha)
    return np.linalg.solve(left, -right)[np.ix_(order, order)], np.linalg.solve(left, q)[order]


def basis_of(M: Array, q: Array, alpha: tuple[int, ...]) -> Basis:
    basis = Basis(System(LCP(M, q)))
    for s in alpha:
        basis.exchange(s)
    basis.refresh()
    return basis


def pivoted_printed(M, q, alpha):
    Maa, Mab, Mba, Mbb = blocks(M, alpha)
    Pab = -np.linalg.inv(Maa) @ Mab
    return np.block(
        [[np.linalg.inv(Maa), -np.linalg.inv(Maa) @ Mab], [Mba @ np.linalg.inv(Maa), Mbb + Mba @ Pab]]
    )


def pivoted_library(M, q, alpha):
    basis, order = basis_of(M, q, alpha), ordered(alpha)
    return np.stack([basis.column(r) for r in order], axis=1)[order]


def pivoted_reference(M, q, alpha):
    return exchanged(M, q, alpha)[0]


def pivoted_vector_printed(M, q, alpha):
    a, b = split(alpha)
    Maa, _, Mba, _ = blocks(M, alpha)
    qa = -np.linalg.inv(Maa) @ q[a]
    return np.concatenate([qa, q[b] + Mba @ qa])


def pivoted_vector_library(M, q, alpha):
    basis = basis_of(M, q, alpha)
    return np.where(basis.basic, basis.z, basis.w)[ordered(alpha)]


def pivoted_vector_reference(M, q, alpha):
    return exchanged(M, q, alpha)[1]


def column_inside_printed(M, alpha, choice):
    Maa, _, Mba, _ = blocks(M, alpha)
    unit = np.eye(len(alpha))[choice % len(alpha)]
    m_a = np.linalg.inv(Maa) @ unit
    return np.concatenate([m_a, Mba @ m_a])


def column_inside_library(M, alpha, choice):
    return pivoted_library_column(M, alpha, alpha[choice % len(alpha)])


def column_inside_reference(M, alpha, choice):
    return exchanged(M, np.zeros(ROWS), alpha)[0][:, choice % len(alpha)]


def column_outside_printed(M, alpha, choice):
    a, b = split(alpha)
    Maa, _, Mba, _ = blocks(M, alpha)
    r = b[choice % len(b)]
    m_a = -np.linalg.inv(Maa) @ M[a, r]
    return np.concatenate([m_a, M[b, r] + Mba @ m_a])


def column_outside_library(M, alpha, choice):
    b = split(alpha)[1]
    return pivoted_library_column(M, alpha, b[choice % len(b)])


def column_outside_reference(M, alpha, choice):
    b = split(alpha)[1]
    return exchanged(M, np.zeros(ROWS), alpha)[0][:, len(alpha) + choice % len(b)]


def pivoted_library_column(M: Array, alpha: tuple[int, ...], r: int) -> Array:
    return basis_of(M, np.zeros(ROWS), alpha).column(r)[ordered(alpha)]


def advantage_printed(rows, columns, pivots):
    """Whether the number of pivots is smaller than the number of columns of N-bar."""
    return float(pivots < columns)


def advantage_library(rows, columns, pivots):
    """Whether columns are left that were never built, if every pivot brings in another z_j."""
    on_demand = Columns(rows, lambda j: np.eye(rows)[j])
    for j in range(pivots):
        _ = on_demand[j % rows]
    return float(on_demand.built < rows)


def advantage_reference(rows, columns, pivots):
    """Whether some contact stays out of the basis whatever the pivots are, by trying all sequences of them."""
    return float(all(len(set(entered)) < rows for entered in product(range(rows), repeat=pivots)))


def available_printed(M, entering):
    """The blocks as far as the columns of the z_j that were added to the basis, each stored once, tell them."""
    stored = {j: M[:, j] for j in entering}
    alpha, beta = split(tuple(stored))
    columns = np.stack([stored[j] for j in alpha], axis=1)
    return np.concatenate([columns[alpha].ravel(), columns[beta].ravel()])


def available_library(M, entering):
    basis = Basis(System(LCP(M, np.zeros(ROWS))))
    for j in entering:
        basis.exchange(j)
    alpha, beta = split(tuple(entering))
    inside = np.stack([basis.columns.rows(i, basis.alpha) for i in alpha])
    outside = [basis.columns.rows(i, basis.alpha) for i in beta]
    assert basis.columns.built == len(entering)
    return np.concatenate([inside.ravel(), *outside])


def available_reference(M, entering):
    """Both blocks entry by entry, from how w answers to a unit of each basic z."""
    outside = [i for i in range(ROWS) if i not in entering]
    answers = [[M[i] @ np.eye(ROWS)[j] for j in entering] for i in (*entering, *outside)]
    return np.array(answers).ravel()


RECORDS = [
    Record(
        id="lloyd/s0.8/t236",
        title="When building columns on demand pays",
        verdict=Verdict.ERRATUM,
        chapter=CHAPTER,
        formula=r"\text{number of pivots} < \text{number of columns of } \bar{\mathbf N}",
        correction=r"number of pivots $<$ number of *rows* of $\bar{\mathbf N}$, which are the columns of $\bar{\mathbf N}\mathbf A^{-1}\bar{\mathbf N}^T$.",
        remark=r"The columns of $\bar{\mathbf N}$ belong to the unknowns $\mathbf x$ and $\boldsymbol\lambda$, whose number says nothing about it. What counts are the different $z_j$ that enter: one that enters again costs no solve, so that it may pay with more pivots than rows too.",
        oracle="whether all sequences of that many pivots leave some z_j out, by trying them",
        implemented_by=("rbnotes.complementarity.Columns", "rbnotes.complementarity.pivoting"),
        inputs={
            "rows": st.integers(1, 4),
            "columns": st.integers(1, 8),
            "pivots": st.integers(0, 4),
        },
        printed=advantage_printed,
        library=advantage_library,
        reference=advantage_reference,
    ),
    Record(
        id="lloyd/s0.8/d1#a",
        title="The LCP matrix partitioned by the basis",
        formula=r"\begin{pmatrix} \mathbf M_{\alpha\alpha} & \mathbf M_{\alpha\beta} \\ \mathbf M_{\beta\alpha} & \mathbf M_{\beta\beta} \end{pmatrix} = \begin{pmatrix} \bar{\mathbf N}_\alpha\mathbf A^{-1}\bar{\mathbf N}_\alpha^T & \bar{\mathbf N}_\alpha\mathbf A^{-1}\bar{\mathbf N}_\beta^T \\ \bar{\mathbf N}_\beta\mathbf A^{-1}\bar{\mathbf N}_\alpha^T & \bar{\mathbf N}_\beta\mathbf A^{-1}\bar{\mathbf N}_\beta^T \end{pmatrix}",
        oracle="how w answers to a unit of each z, from the whole mixed system",
        implemented_by=("rbnotes.complementarity.lcp_from_mixed",),
        inputs=MIXED,
        printed=partition_printed,
        library=partition_library,
        reference=partition_reference,
        **COMMON,
    ),
    Record(
        id="lloyd/s0.8/d1#b",
        title="The LCP vector partitioned by the basis",
        formula=r"\begin{pmatrix} \mathbf q_\alpha \\ \mathbf q_\beta \end{pmatrix} = \begin{pmatrix} \bar{\mathbf N}_\alpha\mathbf A^{-1}\mathbf b \\ \bar{\mathbf N}_\beta\mathbf A^{-1}\mathbf b \end{pmatrix}",
        verdict=Verdict.ERRATUM,
        chapter=CHAPTER,
        correction=r"$\begin{pmatrix} \bar{\mathbf N}_\alpha\mathbf A^{-1}\mathbf b - \mathbf n_\alpha \\ \bar{\mathbf N}_\beta\mathbf A^{-1}\mathbf b - \mathbf n_\beta \end{pmatrix}$, as in the section before. Without $\mathbf n$ contacts neither rebound nor take up penetration, and gaps close at once.",
        oracle="w without contact impulses, from the whole mixed system",
        implemented_by=("rbnotes.complementarity.lcp_from_mixed",),
        inputs=MIXED,
        printed=vector_printed,
        library=vector_library,
        reference=vector_reference,
        tolerance=1e-8,
    ),
    Record(
        id="lloyd/s0.8/e0.4#a",
        title="The pivoted matrix",
        formula=r"\mathbf M' = \begin{pmatrix} \mathbf M_{\alpha\alpha}^{-1} & -\mathbf M_{\alpha\alpha}^{-1}\mathbf M_{\alpha\beta} \\ \mathbf M_{\beta\alpha}\mathbf M_{\alpha\alpha}^{-1} & \mathbf M_{\beta\beta} + \mathbf M_{\beta\alpha}\mathbf M'_{\alpha\beta} \end{pmatrix}",
        oracle="w = M z + q solved for the basic variables by elimination, for matrices that are not symmetric",
        implemented_by=("rbnotes.complementarity.Basis.column",),
        inputs=PIVOTED,
        printed=pivoted_printed,
        library=pivoted_library,
        reference=pivoted_reference,
        **COMMON,
    ),
    Record(
        id="lloyd/s0.8/e0.4#b",
        title="The pivoted vector",
        formula=r"\mathbf q' = \begin{pmatrix} -\mathbf M_{\alpha\alpha}^{-1}\mathbf q_\alpha \\ \mathbf q_\beta + \mathbf M_{\beta\alpha}\mathbf q'_\alpha \end{pmatrix}",
        oracle="w = M z + q solved for the basic variables by elimination, for matrices that are not symmetric",
        implemented_by=("rbnotes.complementarity.Basis.refresh",),
        inputs=PIVOTED,
        printed=pivoted_vector_printed,
        library=pivoted_vector_library,
        reference=pivoted_vector_reference,
        **COMMON,
    ),
    Record(
        id="lloyd/s0.8/t254",
        title="Columns stored as their z_j enter give the blocks of the basis",
        formula=r"\mathbf m_j \text{ stored for all } j \in \alpha \;\Rightarrow\; \mathbf M_{\alpha\alpha}, \mathbf M_{\beta\alpha} \text{ available}",
        remark=r"To move $z_r$ with $r \in \beta$ takes $\mathbf m_r$ as well, also if $z_r$ stops at a bound and is never added; the text below says so (\"if necessary\").",
        oracle="both blocks entry by entry, from the whole matrix",
        implemented_by=("rbnotes.complementarity.Columns", "rbnotes.complementarity.Basis.exchange"),
        inputs={"M": PIVOTED["M"], "entering": PARTITIONS},
        printed=available_printed,
        library=available_library,
        reference=available_reference,
        **COMMON,
    ),
    Record(
        id="lloyd/s0.8/d2",
        title="A column of the pivoted matrix with index in alpha",
        formula=r"\mathbf m'_r = \begin{pmatrix} \mathbf m'_{\alpha r} \\ \mathbf m'_{\beta r} \end{pmatrix} = \begin{pmatrix} \mathbf M_{\alpha\alpha}^{-1}\mathbf e_r \\ \mathbf M_{\beta\alpha}\mathbf m'_{\alpha r} \end{pmatrix},\quad r \in \alpha",
        remark=r"$\mathbf e_r$ has as many entries as $\alpha$, the one at the place of r in $\alpha$ being 1.",
        oracle="w = M z + q solved for the basic variables by elimination",
        implemented_by=("rbnotes.complementarity.Basis.column",),
        inputs=COLUMN,
        printed=column_inside_printed,
        library=column_inside_library,
        reference=column_inside_reference,
        **COMMON,
    ),
    Record(
        id="lloyd/s0.8/d3",
        title="A column of the pivoted matrix with index in beta",
        formula=r"\mathbf m'_r = \begin{pmatrix} -\mathbf M_{\alpha\alpha}^{-1}\mathbf m_{\alpha r} \\ \mathbf m_{\beta r} + \mathbf M_{\beta\alpha}\mathbf m'_{\alpha r} \end{pmatrix},\quad r \in \beta",
        oracle="w = M z + q solved for the basic variables by elimination",
        implemented_by=("rbnotes.complementarity.Basis.column",),
        inputs=COLUMN,
        printed=column_outside_printed,
        library=column_outside_library,
        reference=column_outside_reference,
        **COMMON,
    ),
]
