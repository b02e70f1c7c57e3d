"""Compare compiled LCPs, friction and quadratic programs with compiled solvers of the same accuracy.

    pip install "rbnotes[bench]"
    OMP_NUM_THREADS=1 python benchmarks/compiled_problems.py            # two minutes; prints a table
    OMP_NUM_THREADS=1 python benchmarks/compiled_problems.py --check    # exits 1 if a limit is exceeded

The solvers of a row run alternately, each on the same data in its preferred format: problems with checked
arguments for ours, dense arrays for daqp, quadprog and Lemke's method, sparse columns for the others. A
solver counts if the relative natural residual of its solution is at most 1e-8; tolerances are the loosest
power of a hundred that achieves this. Small problems may take at most twice the time of the fastest solver,
walls at most the same time.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import qpsolvers
from contact_problems import heap, random_lcp, wall
from quantecon.optimize import lcp_lemke
from scipy import sparse

from rbnotes.complementarity import LCP, QP, box_residuals, lcp_from_qp, solve
from rbnotes.contact import Contacts
from rbnotes.dynamics import StepProblem
from rbnotes.friction import friction_lcp

ACCURATE = 1e-8
SMALL_LIMIT, WALL_LIMIT = 2.0, 1.0
"""Limits of our time over that of the fastest solver."""
TOLERANCES = {
    "piqp": ("eps_abs", "eps_rel"),
    "osqp": ("eps_abs", "eps_rel"),
    "clarabel": ("tol_gap_abs", "tol_gap_rel", "tol_feas"),
    "scs": ("eps_abs", "eps_rel"),
}
EXTRA_OPTIONS = {"piqp": {"max_iter": 1000}, "osqp": {"max_iter": 100_000}, "scs": {"max_iters": 100_000}}
TIGHTER_TOLERANCES = (1e-6, 1e-8, 1e-10, 1e-12)
ROUNDS, SECONDS = 400, 1.5
"""Most rounds, and most s for each row."""

Solver = Callable[[], np.ndarray | None]


class Row(NamedTuple):
    name: str
    library_solver: Solver
    other_solvers: dict[str, Solver]
    lcp: LCP
    limit: float


def friction(contacts: int) -> LCP:
    """Return a friction problem of loaded contacts between a few bodies, with pyramids of four facets."""
    rng = np.random.default_rng(contacts)
    bodies = max(2, contacts // 3)
    rows = np.zeros((3 * contacts, 6 * bodies))
    for i in range(contacts):
        body = rng.integers(bodies)
        rows[3 * i : 3 * i + 3, 6 * body : 6 * body + 6] = rng.normal(size=(3, 6))
    step = StepProblem(
        np.eye(6 * bodies),
        rng.normal(size=6 * bodies),
        contacts=Contacts(rows, np.full(contacts, 0.4), np.zeros(contacts)),
    )
    lcp: LCP = friction_lcp(step).lcp
    return lcp


def lcp_row(name: str, lcp: LCP, *, symmetric: bool) -> Row:
    """Return the row of an LCP."""
    M = lcp.M.toarray() if sparse.issparse(lcp.M) else lcp.M
    M, q, lower = np.ascontiguousarray(M), lcp.q, np.zeros(lcp.size)
    dense = LCP(M, q)
    other_solvers: dict[str, Solver] = {"quantecon": lambda: lcp_lemke(M, q, max_iter=10**6).z}
    if symmetric:
        for solver in ("daqp", "quadprog"):
            other_solvers[solver] = lambda solver=solver: qpsolvers.solve_qp(M, q, lb=lower, solver=solver)
    return Row(name, lambda: solve(dense, compiled=True).z, other_solvers, lcp, SMALL_LIMIT)


def program_row(name: str, qp: QP, lcp: LCP, solvers: tuple[str, ...], limit: float) -> Row:
    """Return the row of a contact step as a quadratic program."""
    P, G = sparse.csc_matrix(qp.Q), sparse.csc_matrix(-qp.A)
    sparse_data, dense_data = (P, qp.c, G, -qp.b), (P.toarray(), qp.c, G.toarray(), -qp.b)
    other_solvers = {}
    for solver in solvers:
        data = sparse_data if solver in TOLERANCES else dense_data
        options = accurate_options(solver, data, lcp)
        if options is not None:
            other_solvers[solver] = multipliers(solver, data, options)
    return Row(name, lambda: solve(qp, compiled=True).z, other_solvers, lcp, limit)


def multipliers(solver: str, data: tuple, options: dict) -> Solver:
    return lambda: qpsolvers.solve_problem(qpsolvers.Problem(*data), solver=solver, **options).z


def accurate_options(solver: str, data: tuple, lcp: LCP) -> dict | None:
    """Return the loosest tolerances with which a solver is accurate; none if it never is."""
    names = TOLERANCES.get(solver, ())
    for tolerance in TIGHTER_TOLERANCES if names else TIGHTER_TOLERANCES[:1]:
        options = dict.fromkeys(names, tolerance) | EXTRA_OPTIONS.get(solver, {})
        if solution_error(lcp, multipliers(solver, data, options)) <= ACCURATE:
            return options
    return None


def solution_error(lcp: LCP, run: Solver) -> float:
    """Return the residual of a solution; infinite if the solver fails or rejects the problem.

    Walls have semidefinite problems, which some solvers reject.
    """
    try:
        z = run()
    except qpsolvers.exceptions.ProblemError:
        return np.inf
    usable = z is not None and np.all(np.isfinite(z))
    return box_residuals(lcp, z).relative if usable else np.inf


def rows(largest: int) -> Iterator[Row]:
    for size in (10, 20, 50, 100):
        yield lcp_row(f"random dense LCP, {size}", random_lcp(size), symmetric=True)
    for size in (3, 5, 10, 20):
        yield lcp_row(f"friction on facets, {size} contacts", friction(size), symmetric=False)
    for family in (heap, wall):
        for size in (10, 20, 50, 100):
            qp = family(size)
            lcp, name = lcp_from_qp(qp), f"{family.__name__}, {size} contacts"
            yield lcp_row(f"{name}, LCP", lcp, symmetric=True)
            yield program_row(f"{name}, program", qp, lcp, ("daqp", "quadprog"), SMALL_LIMIT)
    for size in (100, 200, 500, 1000, 2000):
        if size <= largest:
            qp = wall(size)
            name = f"wall, {size} contacts, sparse"
            yield program_row(name, qp, lcp_from_qp(qp), ("piqp", "osqp", "clarabel", "scs"), WALL_LIMIT)


def measure_row(row: Row) -> dict[str, float]:
    """Return the median times of all accurate solvers of a row, run alternately."""
    if solution_error(row.lcp, row.library_solver) > ACCURATE:
        return {"ours": np.inf}
    codes = {"ours": row.library_solver} | {
        name: run for name, run in row.other_solvers.items() if solution_error(row.lcp, run) <= ACCURATE
    }
    times: dict[str, list[float]] = {name: [] for name in codes}
    start = time.perf_counter()
    while len(times["ours"]) < 5 or (len(times["ours"]) < ROUNDS and time.perf_counter() - start < SECONDS):
        for name, run in codes.items():
            begin = time.perf_counter()
            run()
            times[name].append(time.perf_counter() - begin)
    return {name: float(np.median(each)) for name, each in times.items()}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="exit with status 1 if a limit is exceeded")
    parser.add_argument("--largest", type=int, default=2000, help="contacts of the largest wall")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    missed = []
    print("| problem | ours, us | fastest accurate peer | us | ratio | limit |\n|---|---|---|---|---|---|")
    for row in rows(arguments.largest):
        times = measure_row(row)
        own_time = times.pop("ours")
        peer = min(times, key=lambda name: times[name]) if times else "none"
        peer_time = times.get(peer, np.inf)
        ratio = own_time / peer_time if np.isfinite(own_time) else np.inf
        cells = f"{1e6 * own_time:.1f} | {peer} | {1e6 * peer_time:.1f} | {ratio:.2f} | {row.limit:g}"
        print(f"| {row.name} | {cells} |", flush=True)
        if ratio > row.limit:
            missed.append(row.name)
    if missed:
        print("\nmissed: " + "; ".join(missed))
    if arguments.check and missed:
        sys.exit(1)


if __name__ == "__main__":
    main()
