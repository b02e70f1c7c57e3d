"""Lloyd 0.3: equivalence between LCP and quadratic programming."""

from __future__ import annotations

from itertools import product

import numpy as np

from rbnotes.arguments import Array
from rbnotes.complementarity import LCP, QP, lcp_from_qp, qp_minimizer, solve
from rbnotes.ledger.quantities import FORCE, LENGTH, NUMBER, STIFFNESS
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section
from rbnotes.testing.strategies import matrices, spd_matrices, vectors

section = Section(
    "lloyd/s0.3",
    chapter="qp-and-lcp",
    any_size=True,
    arguments={
        "Q": Argument(STIFFNESS, "numbers without a frame"),
        "c": Argument(FORCE, "numbers without a frame"),
        "A": Argument(NUMBER, "numbers without a frame"),
        "b": Argument(LENGTH, "numbers without a frame"),
        "z": Argument(FORCE, "numbers without a frame"),
    },
)


ROWS, SIZE = 3, 3


QP_DATA = {"Q": spd_matrices(SIZE), "c": vectors(SIZE), "A": matrices(ROWS, SIZE), "b": vectors(ROWS)}
FEASIBLE = {**QP_DATA, "b": vectors(ROWS).map(lambda b: -np.abs(b))}
"""Programs that allow x = 0, which is no loss: x can be measured from any point that is allowed."""


def lagrangian_minimizer(Q: Array, c: Array, A: Array, z: Array) -> Array:
    """Return the minimizer x of the Lagrangian ``x^T Q x / 2 + c^T x - z^T (A x - b)``, by least squares."""
    root = np.linalg.cholesky(Q).T
    force = -c + sum(weight * row for weight, row in zip(z, A, strict=True))
    return np.linalg.lstsq(root, np.linalg.lstsq(root.T, force, rcond=None)[0], rcond=None)[0]


def minimizer_slacks(Q: Array, c: Array, A: Array, b: Array, z: Array) -> Array:
    """Return ``w = A x - b`` at that minimizer."""
    return np.array([row @ lagrangian_minimizer(Q, c, A, z) for row in A]) - b


def solve_lcp_by_enumeration(M: Array, q: Array) -> Array:
    """Solve an LCP by trying all active sets; return the z with the smallest violation."""
    best, least = np.zeros(len(q)), np.inf
    for selection in product((False, True), repeat=len(q)):
        inner = np.array(selection)
        z = np.zeros(len(q))
        z[inner] = np.linalg.lstsq(M[np.ix_(inner, inner)], -q[inner], rcond=1e-9)[0]
        violation = max(-np.min(z), -np.min(M @ z + q), np.max(np.abs((M @ z + q)[inner]), initial=0.0))
        if violation < least - 1e-12:
            best, least = z, violation
    return best


@section.definition("d1", "A quadratic program with inequalities")
class d1:
    formula = r"f(x) = \tfrac12 \mathbf x^T\mathbf Q\mathbf x + \mathbf c^T\mathbf x,\quad \mathbf A\mathbf x \ge \mathbf b"
    defines = (r"f(x)",)
    implements = QP


@section.definition("d2", "A linear complementarity problem")
class d2:
    formula = r"\mathbf M\mathbf z + \mathbf q = \mathbf w,\quad 0 \le \mathbf z \perp \mathbf w \ge 0"
    defines = (r"\mathbf w",)
    implements = LCP


@section.holds("d3#a", "Matrix of the LCP of a quadratic program")
class d3_a:
    formula = r"\mathbf M = \mathbf A\mathbf Q^{-1}\mathbf A^T"
    inputs = QP_DATA
    result = Result(LENGTH / FORCE, "of the inequalities, in their order")

    def printed(Q, c, A, b):
        return A @ np.linalg.inv(Q) @ A.T

    def library(Q, c, A, b):
        return lcp_from_qp(QP(Q, c, A, b)).M

    def reference(Q, c, A, b):
        """Measure the change of the slacks with each multiplier at the minimizer of the Lagrangian.

        Column j is the change for a unit of z_j. The minimizer is found by least squares.
        """
        at_zero = minimizer_slacks(Q, c, A, b, np.zeros(len(b)))
        return np.stack([minimizer_slacks(Q, c, A, b, unit) - at_zero for unit in np.eye(len(b))], axis=1)

    implements = lcp_from_qp


@section.holds("d3#b", "Vector of the LCP of a quadratic program")
class d3_b:
    formula = r"\mathbf q = -\mathbf b - \mathbf A\mathbf Q^{-1}\mathbf c"
    inputs = QP_DATA
    result = Result(LENGTH, "of the inequalities, in their order")

    def printed(Q, c, A, b):
        return -b - A @ np.linalg.inv(Q) @ c

    def library(Q, c, A, b):
        return lcp_from_qp(QP(Q, c, A, b)).q

    def reference(Q, c, A, b):
        """Compute the slacks of the unconstrained minimizer, by least squares."""
        return minimizer_slacks(Q, c, A, b, np.zeros(len(b)))

    implements = lcp_from_qp


@section.holds("d3#c", "The minimizer from the multipliers")
class d3_c:
    formula = r"\mathbf x = \mathbf Q^{-1}(\mathbf A^T\mathbf z - \mathbf c)"
    inputs = {**QP_DATA, "z": vectors(ROWS)}
    result = Result(LENGTH, "numbers without a frame")

    def printed(Q, c, A, b, z):
        return np.linalg.inv(Q) @ (A.T @ z - c)

    def library(Q, c, A, b, z):
        return qp_minimizer(QP(Q, c, A, b), z)

    def reference(Q, c, A, b, z):
        """Minimize the Lagrangian by least squares in a factor of Q."""
        return lagrangian_minimizer(Q, c, A, z)

    implements = qp_minimizer


@section.holds("t51", "The quadratic program and the LCP have the same solution")
class t51:
    formula = r"\min f,\ \mathbf A\mathbf x \ge \mathbf b \iff 0 \le \mathbf z \perp \mathbf M\mathbf z + \mathbf q \ge 0"
    inputs = FEASIBLE
    result = Result(LENGTH, "numbers without a frame")

    def printed(Q, c, A, b):
        M = A @ np.linalg.inv(Q) @ A.T
        q = -b - A @ np.linalg.inv(Q) @ c
        z = solve_lcp_by_enumeration(M, q)
        return np.linalg.inv(Q) @ (A.T @ z - c)

    def library(Q, c, A, b):
        qp = QP(Q, c, A, b)
        return qp_minimizer(qp, solve(lcp_from_qp(qp)).z)

    def reference(Q, c, A, b):
        """Solve the quadratic program by trying all sets of active rows, without multipliers.

        The result is the best of the minimizers on all sets of equations that satisfies all rows.
        """
        best, least = np.zeros(len(c)), np.inf
        for selection in product((False, True), repeat=len(b)):
            G, g = A[list(selection)], b[list(selection)]
            point = np.linalg.lstsq(G, g, rcond=1e-9)[0] if len(G) else np.zeros(len(c))
            _, sizes, directions = np.linalg.svd(np.vstack([G, np.zeros((1, len(c)))]))
            Z = directions[int(np.sum(sizes > 1e-9)) :].T
            x = point - Z @ np.linalg.solve(Z.T @ Q @ Z, Z.T @ (Q @ point + c))
            value = x @ Q @ x / 2 + c @ x
            if np.all(A @ x >= b - 1e-9) and value < least:
                best, least = x, value
        return best

    tolerance = 1e-08
    implements = (solve, lcp_from_qp)
