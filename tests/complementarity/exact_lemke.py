"""Lemke's method in exact rational arithmetic on a full tableau, the reference of the solvers.

Rows are ``w - M z - d z_0 = q``. Ties are broken lexicographically by ``[B^-1 q, B^-1]``, whose second part
stands in the columns of w.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations


@dataclass(frozen=True)
class Exact:
    solved: bool
    z: list[Fraction]
    pivots: int


def rational(values) -> list[Fraction]:
    return [Fraction(value) for value in values]


def exact_lemke(M, q, d=None) -> Exact:
    n = len(q)
    M, q = [rational(row) for row in M], rational(q)
    d = rational(d) if d is not None else [Fraction(1)] * n
    if all(value >= 0 for value in q):
        return Exact(True, [Fraction(0)] * n, 0)
    unit = [[Fraction(int(i == j)) for j in range(n)] for i in range(n)]
    # Columns: q, w (n), z (n), z0.
    table = [[q[i], *unit[i], *(-entry for entry in M[i]), -d[i]] for i in range(n)]
    basis = list(range(1, n + 1))
    z0 = 2 * n + 1
    row = min(range(n), key=lambda i: [entry / d[i] for entry in table[i][: n + 1]])
    entering, pivots = z0, 0
    while True:
        leaving = basis[row]
        pivot = table[row][entering]
        table[row] = [entry / pivot for entry in table[row]]
        for i in range(n):
            if i != row and table[i][entering] != 0:
                factor = table[i][entering]
                table[i] = [a - factor * b for a, b in zip(table[i], table[row], strict=True)]
        basis[row] = entering
        pivots += 1
        if leaving == z0:
            z = [Fraction(0)] * n
            for i, variable in enumerate(basis):
                if variable > n:
                    z[variable - n - 1] = table[i][0]
            return Exact(True, z, pivots)
        entering = leaving + n if leaving <= n else leaving - n
        blocking = [i for i in range(n) if table[i][entering] > 0]
        if not blocking:
            return Exact(False, [Fraction(0)] * n, pivots)
        ratios = {i: table[i][0] / table[i][entering] for i in blocking}
        ends = [i for i in blocking if basis[i] == z0 and ratios[i] == min(ratios.values())]
        row = (
            ends[0]
            if ends
            else min(blocking, key=lambda i: [entry / table[i][entering] for entry in table[i][: n + 1]])
        )


def all_solutions(M, q) -> list[list[Fraction]]:
    """Return every solution with a regular basis, by trying all subsets; each is exact."""
    n = len(q)
    M, q = [rational(row) for row in M], rational(q)
    solutions = []
    for size in range(n + 1):
        for alpha in combinations(range(n), size):
            part = solve_exactly([[M[i][j] for j in alpha] for i in alpha], [-q[i] for i in alpha])
            if part is None or any(value < 0 for value in part):
                continue
            z = [Fraction(0)] * n
            for i, value in zip(alpha, part, strict=True):
                z[i] = value
            w = [q[i] + sum(M[i][j] * z[j] for j in range(n)) for i in range(n)]
            if all(value >= 0 for value in w) and z not in solutions:
                solutions.append(z)
    return solutions


def solve_exactly(A, b):
    """Solve by Gaussian elimination over the rationals; return None if A is singular."""
    n = len(b)
    rows = [[*A[i], b[i]] for i in range(n)]
    for k in range(n):
        pivot = next((i for i in range(k, n) if rows[i][k] != 0), None)
        if pivot is None:
            return None
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [entry / rows[k][k] for entry in rows[k]]
        for i in range(n):
            if i != k and rows[i][k] != 0:
                factor = rows[i][k]
                rows[i] = [a - factor * b for a, b in zip(rows[i], rows[k], strict=True)]
    return [row[n] for row in rows]
