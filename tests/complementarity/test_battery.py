"""Random problems against exact arithmetic: none falsely solved, none falsely without solution.

Solutions are judged row by row in rational arithmetic. Claims that there is no solution are compared with
the enumeration of all bases in rational arithmetic, for programs with a linear program of SciPy. The problems
without a counterexample are those of audits, and their neighbors.
"""

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import product

import numpy as np
import pytest
from exact_lemke import rational, solve_exactly
from matrix_kinds import hard_kinds, matrix_kinds
from scipy.optimize import linprog

from rbnotes.complementarity import LCP, METHODS, QP, BoxLCP, Elimination, Status, enumeration, lemke, solve
from rbnotes.complementarity.certificate import find_infeasibility_certificate
from rbnotes.complementarity.fallbacks import solve_box_by_lemke, try_fallbacks
from rbnotes.constraints import matrices

OWN_METHODS = ("block_principal_pivoting", "principal_pivoting", "lemke")
CLAIMS = (Status.INFEASIBLE, Status.NO_SOLUTION)


@lru_cache(maxsize=1)  # the methods solve one problem in turn
def exact_solutions(problem):
    """Return every solution with a regular basis of an LCP or box LCP."""
    return list(find_exact_solutions(problem))


def find_exact_solutions(problem):
    n, M, q = problem.size, [rational(row) for row in problem.M.tolist()], rational(problem.q.tolist())
    lower, upper = problem.lower, problem.upper
    has_lower, has_upper = np.isfinite(lower), np.isfinite(upper)
    options = [
        [side for side, allowed in ((-1, low), (1, high), (0, True)) if allowed]
        for low, high in zip(has_lower, has_upper, strict=True)
    ]
    for sides in product(*options):
        z = [
            Fraction((float(upper[i]), float(lower[i]))[s < 0]) if s else Fraction(0)
            for i, s in enumerate(sides)
        ]
        inside = [i for i in range(n) if sides[i] == 0]
        w = [q[i] + sum(M[i][j] * z[j] for j in range(n)) for i in range(n)]
        part = solve_exactly([[M[i][j] for j in inside] for i in inside], [-w[i] for i in inside])
        if part is None:
            continue
        for i, value in zip(inside, part, strict=True):
            z[i] = value
        w = [q[i] + sum(M[i][j] * z[j] for j in range(n)) for i in range(n)]
        is_within = all(
            (not has_lower[i] or z[i] >= lower[i]) and (not has_upper[i] or z[i] <= upper[i]) for i in inside
        )
        if is_within and all(w[i] * -sides[i] >= 0 for i in range(n)):
            yield z


def largest_violation(problem, z):
    """Return the violation of the rows by z in exact arithmetic, relative to the terms of each row."""
    M, q, worst = problem.M.tolist(), problem.q.tolist(), 0.0
    assert np.all((z >= problem.lower) & (z <= problem.upper))
    for i, row in enumerate(M):
        products = [Fraction(entry) * Fraction(value) for entry, value in zip(row, z.tolist(), strict=True)]
        w, terms = sum(products, Fraction(q[i])), sum(map(abs, products), abs(Fraction(q[i])))
        # Entries of z that are zero but for underflow have products of this size.
        terms += Fraction(1e-18) * sum(map(abs, map(Fraction, row))) * Fraction(float(np.max(np.abs(z))))
        # A z within rounding of a bound stands at the bound.
        distance = 1e-30 * (1 + np.max(np.abs(z)))
        allowed_up, allowed_down = z[i] - problem.lower[i] <= distance, problem.upper[i] - z[i] <= distance
        wrong = (w if w > 0 and not allowed_up else Fraction(0)) - (w if w < 0 and not allowed_down else 0)
        worst = max(worst, float(wrong / terms) if terms else 0.0)
    return worst


def assert_judged_rightly(problem, solution, context, counts):
    """Assert that a solution solves the problem, or that its claim is true."""
    counts[solution.status] += 1
    if solution.is_solved:
        assert solution.residuals.relative <= 1e-10, context
        assert largest_violation(problem, solution.z) < 1e-8, context
    elif solution.status in CLAIMS:
        assert exact_solutions(problem) == [], context
        assert (solution.certificate is not None) == (solution.status is Status.INFEASIBLE)
    elif solution.status is Status.NEARLY_INFEASIBLE:
        for z in exact_solutions(problem):
            terms = np.abs(problem.M) @ np.abs(np.array([float(value) for value in z]))
            assert np.max(terms / np.abs(problem.q)) > 1e4, context


def random_lcps(seed, count):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        n = int(rng.integers(1, 6))
        for kinds in (matrix_kinds, hard_kinds):
            yield from kinds(rng, n)


@pytest.mark.parametrize("seed", [29, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (34, 35))])
@pytest.mark.parametrize("compiled", [False, True], ids=["reference", "compiled"])
def test_lcps(compiled, seed):
    counts = Counter()
    for name, M, q in random_lcps(seed, 4):
        problem = LCP(M, q)
        for method in (None,) if compiled else OWN_METHODS:
            solution = solve(problem, method, compiled=compiled, raise_on_failure=False)
            assert_judged_rightly(problem, solution, (name, method, M, q), counts)
            if "solvable" in name or name.startswith(("definite", "P-matrix", "M-matrix")):
                assert solution.is_solved, (name, method, M, q)
    assert {Status.SOLVED, *CLAIMS, Status.NEARLY_INFEASIBLE} <= set(counts)
    assert counts[Status.ILL_CONDITIONED] < 0.02 * counts.total()


@pytest.mark.slow
def test_boxes():
    """All matrices in boxes with one, two or no bounds; a bounded box has a solution for every matrix."""
    rng, counts = np.random.default_rng(30), Counter()
    for step in range(10):
        n = int(rng.integers(1, 5))
        for name, M, q in matrix_kinds(rng, n):
            kinds = rng.integers(0, 4, n) if step % 2 else np.zeros(n)
            lower = rng.integers(-8, 9, n) / 8
            upper = np.where(np.isin(kinds, (0, 2)), lower + rng.integers(0, 17, n) / 8, np.inf)
            problem = BoxLCP(M, q, np.where(np.isin(kinds, (0, 1)), lower, -np.inf), upper)
            for method in OWN_METHODS:
                solution = solve(problem, method, raise_on_failure=False)
                assert_judged_rightly(problem, solution, (name, method, problem), counts)
                if not np.any(kinds):
                    assert solution.is_solved, (name, method, problem)
    assert {Status.SOLVED, Status.INFEASIBLE, Status.NEARLY_INFEASIBLE} <= set(counts)


@pytest.mark.slow
def test_programs():
    """Programs with and without equations, some with a singular Q, some infeasible."""
    rng, counts = np.random.default_rng(31), Counter()
    for step in range(60):
        d, m, k = int(rng.integers(2, 6)), int(rng.integers(1, 6)), int(rng.integers(0, 3))

        def draw(*shape, is_integral=step % 2):
            return rng.integers(-2, 3, shape).astype(float) if is_integral else rng.standard_normal(shape)

        B, A, G, x = draw(d, int(rng.integers(1, d + 1))), draw(m, d), draw(k, d), draw(d)
        Q = B @ B.T + (0.5 * np.eye(d) if step % 3 else 0.0)
        b = draw(m) if rng.random() < 0.5 else A @ x - np.abs(draw(m))
        problem = QP(Q, draw(d), A, b, G, G @ x)
        equations = {"A_eq": G, "b_eq": G @ x} if k else {}
        feasible = linprog(np.zeros(d), -A, -b, bounds=(None, None), **equations).status == 0
        has_minimum = {}
        for method in (*OWN_METHODS, "cvxpy") if step % 4 == 0 else OWN_METHODS:
            solution = solve(problem, method, raise_on_failure=False)
            counts[solution.status] += 1
            assert solution.is_infeasible <= (not feasible), (method, problem)
            if solution.is_solved:
                assert feasible
                has_minimum[method] = problem.objective(solution.x)
                residuals = Elimination.from_qp(problem).residuals(
                    solution.x, solution.multipliers, solution.z
                )
                assert residuals.relative < 1e-8, (method, problem)
            elif step % 3:
                assert not feasible, (method, problem)
                assert solution.status is Status.INFEASIBLE or solution.is_infeasible
        values = list(has_minimum.values())
        np.testing.assert_allclose(values, values[:1] * len(values), rtol=1e-6, atol=1e-6)
    assert {Status.SOLVED, Status.INFEASIBLE, Status.UNSUITED} <= set(counts)


SINGULAR_PROGRAM = QP(
    [[2, 2, 3, 0], [2, 2, 3, 0], [3, 3, 5, -1], [0, 0, -1, 2]],
    [-3, -1, -1, 1],
    [[1, 2, 1, -2], [1, 1, -1, 2]],
    [1, 0],
    [[-1, -1, 1, 1], [-1, 1, 1, 1]],
    [-1, -1],
)
"""Program with a solution and a singular Q, whose Cholesky factorization ends with a pivot of 1e-16."""


@pytest.mark.parametrize("method", METHODS)
def test_a_singular_program_is_refused(method):
    solution = solve(SINGULAR_PROGRAM, method, raise_on_failure=False)
    assert solution.status is (Status.SOLVED if method == "cvxpy" else Status.UNSUITED)


@pytest.mark.parametrize("method", OWN_METHODS)
def test_certificates_of_programs_hold_for_their_own_data(method, monkeypatch):
    """Without the check of pivots, the LCP of the program is infeasible; the program is not."""
    monkeypatch.setattr(matrices, "ROUNDING_PIVOT", 0.0)
    solution = solve(SINGULAR_PROGRAM, method, raise_on_failure=False)
    assert solution.status is Status.ILL_CONDITIONED
    assert solution.certificate is None


@pytest.mark.parametrize("compiled", [False, True], ids=["reference", "compiled"])
@pytest.mark.parametrize(
    ("M", "q"),
    [
        (
            [
                [168175.20, -70407814800.0, 819942339000.0],
                [0.00880561619, -433.701471, -22635.3010],
                [-4.83880226e-09, 6.18014331e-04, -0.0357201850],
            ],
            [4695884.50, 0.0421423979, -3.87216792e-08],
        ),
        (
            [
                [-2.17632836e-08, -6.17040691e-06, 5.91778215, 9.16409770e-14, 9.51048395e-13],
                [3.63280795e04, 5.69552205e07, 2.29392245e12, 7.72189115e-02, 1.25732230e01],
                [-8.23548073e-09, 6.29745914e-06, 4.90762643e-01, -8.22359809e-15, -2.57633864e-12],
                [1.13047262e01, 4.09794866e04, -7.54420014e10, -1.32059046e-06, -7.84177753e-02],
                [1.56869276e-06, 4.51619130e-03, 1.07256388e03, 3.08549415e-12, 2.33173790e-09],
            ],
            [-3.07764358e-06, -1.06431244e06, 1.67642781e-06, 1.30653009e04, 3.95169050e-04],
        ),
    ],
    ids=["three pairs", "five pairs"],
)
def test_rows_and_columns_in_different_units(M, q, compiled):
    """One row was violated by its own size: its error was compared with other rows, or in scaled units."""
    problem = LCP(M, q)
    for method in (None,) if compiled else OWN_METHODS:
        solution = solve(problem, method, compiled=compiled, raise_on_failure=False)
        assert_judged_rightly(problem, solution, (M, q, method), Counter())


def test_solutions_in_other_units_are_judged_in_those_of_the_problem():
    """A planted fallback reports z = 1 as solved; Lemke's solution is returned."""
    problem = LCP(np.diag([1.0, 1e6]), [-1.0, -3.0])

    def accept(scaled, _units):
        return replace(solve(scaled), z=np.ones(2))

    failed = replace(solve(problem), status=Status.ILL_CONDITIONED, z=np.zeros(2))
    solution = try_fallbacks(problem, failed, accept)
    assert solution.is_solved
    np.testing.assert_allclose(solution.z, [1.0, 3e-6], rtol=1e-12)


def test_large_solution_is_not_reported_infeasible():
    """The smallest eigenvalue is 1e-10; the claim that no basis is a solution needs exact arithmetic."""
    problem = LCP([[0.0363592277093, -0.04858058505942], [-0.04858058505942, 0.06490988405231]], [-2.3, -0.2])
    assert min(min(z) for z in exact_solutions(problem)) > 1e9
    for solution in (enumeration(problem), *(solve(problem, m, raise_on_failure=False) for m in OWN_METHODS)):
        assert solution.is_solved or solution.status is Status.ILL_CONDITIONED


def test_lemke_solves_all_bounded_boxes():
    """The path ends at a solution for every matrix if only the first pair of each variable is covered."""
    rng = np.random.default_rng(33)
    for n in (2, 5, 12):
        for _ in range(10):
            lower, width = rng.standard_normal((2, n))
            problem = BoxLCP(
                *rng.standard_normal((1, n, n)), rng.standard_normal(n), lower, lower + abs(width)
            )
            solution = solve_box_by_lemke(problem)
            assert solution.is_solved
            assert largest_violation(problem, solution.z) < 1e-8


def test_a_box_without_semidefinite_matrix():
    """Lemke's path ends at a solution if the second pair of each variable is not covered."""
    problem = BoxLCP([[-2, 1], [1, -2]], [-2, -1], -1, 1)
    for method in METHODS:
        assert largest_violation(problem, solve(problem, method).z) == 0.0


@pytest.mark.slow
def test_enumeration_of_boxes():
    """Bounds of all kinds, without help of another method."""
    rng = np.random.default_rng(32)
    for _ in range(20):
        M, q = rng.integers(-2, 3, (3, 3)).astype(float), rng.integers(-2, 3, 3).astype(float)
        for bounds in ((-1, 1), (0, np.inf), (-np.inf, 0), ([0, -np.inf, -1], [np.inf, np.inf, 1])):
            problem = BoxLCP(M, q, *bounds)
            assert_judged_rightly(problem, enumeration(problem), problem, Counter())


def test_a_proof_to_rounding_is_not_exact():
    """M y is zero but for the rounding of M: solutions exist, of size 1e15."""
    N = np.array([[0.1, 0.7], [0.3, -0.2], [-0.4, -0.5]])
    problem = LCP(N @ N.T, [-1.0, -2.0, -1.5])
    assert find_infeasibility_certificate(problem).status is Status.NEARLY_INFEASIBLE
    for method in OWN_METHODS:
        assert solve(problem, method, raise_on_failure=False).status is Status.NEARLY_INFEASIBLE
    assert lemke(LCP([[1.0, -1.0], [-1.0, 1.0]], [-1.0, -1.0])).status is Status.INFEASIBLE


@pytest.mark.parametrize("scale", [1.0, 1e-30, 1e-60])
@pytest.mark.parametrize("M", [[[1.0, 1e6], [1e6, 1.0]], [[1e-6, 1.0], [-1.0, 1e-6]]])
def test_iterates_that_grow_without_bound_raise_no_error(M, scale):
    """Gauss-Seidel diverges to numbers that no argument may have; another method solves the equations."""
    M, q = np.array(M), np.array([1.0, 2.0])
    problem = BoxLCP(scale * M, q, np.full(2, -np.inf), np.full(2, np.inf))
    solution = solve(problem, "gauss_seidel", raise_on_failure=False)
    assert solution
    np.testing.assert_allclose(solution.z, np.linalg.solve(M, -q) / scale, rtol=1e-9)
