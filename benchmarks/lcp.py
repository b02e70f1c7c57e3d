"""Compare LCP and contact solvers: ours, cvxpy, quantecon's Lemke, the solvers of qpsolvers.

    pip install "rbnotes[bench]"
    OMP_NUM_THREADS=1 python benchmarks/lcp.py              # a few minutes; prints a table per family
    OMP_NUM_THREADS=1 python benchmarks/lcp.py --sizes 10 100 --json results.json

There are three families: contact steps of a heap of spheres (independent contacts) and of a wall of bricks
(redundant contacts), given as sparse M, f, N, n; and random dense LCPs, given as M, q. Every solver starts
from these data (quantecon's Lemke from the LCP's M, q, whose assembly is not measured) and returns the
impulses z. Solvers run with their default tolerances; the error is the relative natural residual of z. Times
are processor times of one thread, the shortest of several runs, which other work on the machine hardly
affects. Solvers that are not installed are omitted.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import multiprocessing
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace

import numpy as np
from contact_problems import heap, random_lcp, wall
from scipy import sparse

from rbnotes.complementarity import (
    LCP,
    QP,
    ParametrizedQP,
    box_residuals,
    lcp_from_qp,
    qp_from_lcp,
    solve,
)

SIZES = (10, 20, 50, 100, 200, 500, 1000, 2000)
BUDGET = 2.0
"""A solver that takes longer than this time in s runs neither a second time nor at larger sizes."""

TIMEOUT = 30.0
"""A solver that takes longer than this wall-clock time in s is stopped and counts as failed."""

ACCURATE = 1e-8
DENSE_LIMIT = 500
"""Most contacts of a step for dense QP solvers."""

FAMILIES = {"heap": heap, "wall": wall, "random": random_lcp}
Solver = Callable[[], np.ndarray]


@dataclass(frozen=True)
class Result:
    family: str
    size: int
    solver: str
    seconds: float
    error: float


def pairs(problem: LCP | QP) -> int:
    """Return the number of pairs (z, w)."""
    return problem.size if isinstance(problem, LCP) else len(problem.b)


def library_solvers(problem: LCP | QP) -> Iterator[tuple[str, Solver]]:
    """Return our solvers; each call builds new problem objects, so that nothing is cached."""

    def fresh() -> LCP | QP:
        if isinstance(problem, LCP):
            return LCP(problem.M, problem.q)
        return QP(problem.Q, problem.c, problem.A, problem.b)

    for method in ("block_principal_pivoting", "principal_pivoting", "gauss_seidel", "lemke"):
        if method == "lemke" and pairs(problem) > 500:
            continue
        yield f"rbnotes {method}", lambda method=method: solve(fresh(), method, raise_on_failure=False).z


def cvxpy_solvers(problem: LCP | QP) -> Iterator[tuple[str, Solver]]:
    """Return cvxpy's solvers; the translation is not measured, and each solve sets all parameters."""
    if pairs(problem) > 1000 and isinstance(problem, LCP):
        return
    qp = qp_from_lcp(problem) if isinstance(problem, LCP) else problem
    for name in ("CLARABEL", "OSQP"):
        program = ParametrizedQP(
            qp, vary=("Q", "c", "A", "b") if sparse.issparse(qp.Q) else ("Q", "c"), solver=name
        )
        if isinstance(problem, LCP):
            yield f"cvxpy {name}", lambda program=program: program.solve(qp).x
        else:
            yield f"cvxpy {name}", lambda program=program: program.solve(qp).z


def quantecon_solvers(lcp: LCP) -> Iterator[tuple[str, Solver]]:
    with contextlib.suppress(ImportError):
        from quantecon.optimize import lcp_lemke

        if lcp.size <= 500:
            lcp_lemke(np.eye(1), -np.ones(1))  # compiles
            M = lcp.M.toarray() if sparse.issparse(lcp.M) else lcp.M
            yield "quantecon lcp_lemke", lambda: lcp_lemke(M, lcp.q, max_iter=10**6).z


def qpsolvers_solvers(problem: LCP | QP) -> Iterator[tuple[str, Solver]]:
    try:
        import qpsolvers
    except ImportError:
        return
    for name in sorted(qpsolvers.available_solvers):
        if isinstance(problem, LCP):
            if pairs(problem) > (200 if name in ("ecos", "qpalm", "scs", "highs") else 2000):
                continue
            if name in qpsolvers.dense_solvers:
                arguments = (problem.M, problem.q)
            else:
                arguments = (sparse.csc_matrix(problem.M), problem.q)
            zero = np.zeros(pairs(problem))
            yield (
                f"qpsolvers {name}",
                lambda arguments=arguments, name=name, zero=zero: qpsolvers.solve_qp(
                    *arguments, lb=zero, solver=name
                ),
            )
            continue
        P, G = sparse.csc_matrix(problem.Q), sparse.csc_matrix(-problem.A)
        if name not in qpsolvers.sparse_solvers:
            if pairs(problem) > DENSE_LIMIT:
                continue
            P, G = P.toarray(), G.toarray()
        arguments = (P, problem.c, G, -problem.b)

        def multipliers(arguments: tuple = arguments, name: str = name) -> np.ndarray:
            return qpsolvers.solve_problem(qpsolvers.Problem(*arguments), solver=name).z

        yield f"qpsolvers {name}", multipliers


def measure(solver: Solver) -> tuple[float, np.ndarray]:
    """Return the shortest processor time of several runs, and the last solution."""
    best, total, runs = np.inf, 0.0, 0
    while runs < 3 or (total < 0.3 and runs < 200):
        start = time.process_time()
        z = solver()
        elapsed = time.process_time() - start
        best, total, runs = min(best, elapsed), total + elapsed, runs + 1
        if elapsed > BUDGET:
            break
    return best, z


def measure_with_timeout(solver: Solver) -> tuple[float, np.ndarray]:
    """Run :func:`measure` in its own process, which can be stopped."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)

    def report() -> None:
        try:
            sender.send(measure(solver))
        except Exception as error:
            sender.send(error)

    process = context.Process(target=report)
    process.start()
    try:
        if not receiver.poll(TIMEOUT):
            raise TimeoutError(f"no result after {TIMEOUT:.0f} s")
        result = receiver.recv()
    finally:
        process.kill()
        process.join()
    if isinstance(result, Exception):
        raise result
    return result


def run(family: str, sizes: tuple[int, ...]) -> list[Result]:
    results, slow = [], set()
    for size in sizes:
        problem = FAMILIES[family](size)
        lcp = problem if isinstance(problem, LCP) else lcp_from_qp(problem)
        for name, solver in (
            *library_solvers(problem),
            *cvxpy_solvers(problem),
            *quantecon_solvers(lcp),
            *qpsolvers_solvers(problem),
        ):
            if name in slow:
                continue
            try:
                seconds, z = measure_with_timeout(solver)
            except Exception as error:  # the failure of another solver is a result
                print(f"  {family} {size} {name}: {type(error).__name__} {error}"[:110])
                slow.add(name)
                continue
            if seconds > BUDGET:
                slow.add(name)
            error = np.inf if z is None or not np.all(np.isfinite(z)) else box_residuals(lcp, z).relative
            results.append(Result(family, pairs(problem), name, seconds, error))
    return results


def growth_exponent(results: list[Result], name: str) -> float:
    """Return the exponent of the time by size, from the upper half of the sizes."""
    points = sorted((r.size, r.seconds) for r in results if r.solver == name)
    points = points[len(points) // 2 :]
    if len(points) < 2:
        return np.nan
    sizes, times = np.log(np.array(points)).T
    return float(np.polyfit(sizes, times, 1)[0])


def table(results: list[Result]) -> str:
    """Return a table of solvers by sizes: time over that of our fastest accurate method, and error."""
    sizes = sorted({r.size for r in results})
    by_key = {(r.solver, r.size): r for r in results}
    fastest = {
        size: min(
            r.seconds
            for r in results
            if r.size == size and r.solver.startswith("rbnotes") and r.error <= ACCURATE
        )
        for size in sizes
    }
    names = list(dict.fromkeys(r.solver for r in results))
    lines = ["| solver | " + " | ".join(map(str, sizes)) + " | growth |", "|---" * (len(sizes) + 2) + "|"]
    lines.append("| *our fastest, ms* | " + " | ".join(f"{1e3 * fastest[s]:.3g}" for s in sizes) + " | |")
    for name in names:
        cells = []
        for size in sizes:
            r = by_key.get((name, size))
            mark = "" if r is None or r.error <= ACCURATE else f" ({r.error:.0e})"
            cells.append("-" if r is None else f"{r.seconds / fastest[size]:.2g}{mark}")
        lines.append(f"| {name} | " + " | ".join(cells) + f" | {growth_exponent(results, name):.1f} |")
    return "\n".join(lines)


def cvxpy_overhead(size: int = 100) -> str:
    """Return the time of a solve through cvxpy beyond its solver, for a sequence of other forces."""
    rng = np.random.default_rng(0)
    lines = ["| problem | solver | solver alone, ms | cvxpy on top, ms | ratio |", "|---|---|---|---|---|"]
    for family in ("heap", "wall"):
        qp = FAMILIES[family](size)
        sequence = [replace(qp, c=qp.c * rng.uniform(0.5, 1.5, qp.size)) for _ in range(30)]
        for vary in (("c", "b"), ("Q", "c", "A", "b")):
            for name in ("CLARABEL", "OSQP"):
                program = ParametrizedQP(qp, vary=vary, solver=name)
                runs = [program.solve(each).statistics for each in sequence][5:]
                quickest = min(runs, key=lambda run: run.solver_time + run.interface_time)
                solver_time, interface_time = quickest.solver_time, quickest.interface_time
                label = f"{family}, {', '.join(vary)} vary"
                ratio = interface_time / solver_time
                cells = f"{1e3 * solver_time:.2f} | {1e3 * interface_time:.2f} | {ratio:.1f}"
                lines.append(f"| {label} | {name} | {cells} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--families", nargs="+", choices=FAMILIES, default=list(FAMILIES))
    parser.add_argument("--json", help="write all results to this file")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    everything = []
    for family in arguments.families:
        results = run(family, tuple(arguments.sizes))
        everything += results
        print(
            f"\n### {family}: time over that of our fastest accurate method (error if above {ACCURATE:.0e})\n"
        )
        print(table(results), flush=True)
    print("\n### cvxpy per re-solve at 100 contacts\n")
    print(cvxpy_overhead())
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump([asdict(r) for r in everything], file, indent=1)


if __name__ == "__main__":
    main()
