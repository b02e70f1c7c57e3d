"""Quadratic programs through cvxpy: compiled once, solved repeatedly with new numbers.

cvxpy compiles a problem for its solver once; after that only parameters change (its rules of disciplined
parametrized programming). An interior-point or splitting method is accurate to about the square root of its
tolerance if z and w are both zero. The result is therefore refined on the active set that it suggests, and
accepted on the natural residual, not on the status of the solver.
"""

from __future__ import annotations

import contextlib
import time
import warnings
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any

import numpy as np
from scipy import linalg, sparse

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument, Matrix
from rbnotes.complementarity.block_principal_pivoting import MAX_DENSE_SIZE
from rbnotes.complementarity.certificate import find_row_certificate
from rbnotes.complementarity.elimination import Elimination
from rbnotes.complementarity.problems import QP, to_dense
from rbnotes.complementarity.residuals import Residuals
from rbnotes.complementarity.solution import QPSolution, Statistics, Status
from rbnotes.constraints.kkt import factor_kkt

QP_FIELDS = ("Q", "c", "A", "b", "G", "g")

_TOLERANCES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "CLARABEL": ("tol_gap_abs", "tol_gap_rel", "tol_feas"),
        "OSQP": ("eps_abs", "eps_rel"),
        "SCS": ("eps_abs", "eps_rel"),
        "HIGHS": ("primal_feasibility_tolerance", "dual_feasibility_tolerance"),
    }
)
"""Names of the tolerances of each solver."""

_LIMITS: Mapping[str, dict[str, Any]] = MappingProxyType(
    {"OSQP": {"max_iter": 100_000}, "SCS": {"max_iters": 100_000}}
)

_STATUS = {
    "infeasible": Status.INFEASIBLE,
    "infeasible_inaccurate": Status.INFEASIBLE,
    "unbounded": Status.UNBOUNDED,
    "unbounded_inaccurate": Status.UNBOUNDED,
    "user_limit": Status.ITERATION_LIMIT,
}
"""Statuses of cvxpy without a solution x."""


class ParametrizedQP:
    """Quadratic program compiled for a solver, with numbers that can be changed.

    >>> from rbnotes.complementarity import QP, ParametrizedQP
    >>> first = QP(Q=[[2.0]], c=[0.0], A=[[1.0]], b=[1.0])
    >>> program = ParametrizedQP(first, vary=("b",))
    >>> for bound in (1.0, 2.0):
    ...     next_one = QP(Q=[[2.0]], c=[0.0], A=[[1.0]], b=[bound])
    ...     print(program.solve(next_one).x.round(6))
    [1.]
    [2.]

    Parameters
    ----------
    example
        Program of the shape of those to be solved.
    vary
        Names among ``Q, c, A, b, G, g`` of varying data, all by default. Constant data, in particular Q,
        make solving faster. Sparse matrices may change within the pattern of the example; a varying sparse Q
        must be diagonal, otherwise it is treated as dense.
    solver
        Name in ``cvxpy.installed_solvers()`` of a solver of quadratic programs.
    solver_tolerance
        Dimensionless tolerance of CLARABEL, OSQP, SCS or HIGHS; by default 1e-9, and 1e-7 for the splitting
        methods OSQP and SCS.
    options
        Further options of the solver.

    Raises
    ------
    InvalidArgument
        If Q is not positive semidefinite, or the solver is not installed.
    """

    def __init__(
        self,
        example: QP,
        *,
        vary: tuple[str, ...] = QP_FIELDS,
        solver: str = "CLARABEL",
        solver_tolerance: float | None = None,
        **options: Any,
    ) -> None:
        import cvxpy as cp  # slow to import and needed only here

        arguments.require_instance("example", example, QP)
        if not example.size:
            raise InvalidArgument("example", "a program without unknowns", "one with some")
        solver, solver_tolerance = _check_solver(solver, solver_tolerance)
        for name in arguments.instances("vary", vary, str):
            arguments.choice("vary", name, QP_FIELDS)
        tolerance_options = dict.fromkeys(_TOLERANCES.get(solver, ()), solver_tolerance)
        self.solver, self.vary = solver, vary
        self._options = {**tolerance_options, **_LIMITS.get(solver, {}), **options}
        self._example = example
        self._parameters: dict[str, Any] = {}
        self._cp = cp
        self._is_diagonal = sparse.issparse(example.Q) and _is_diagonal(example.Q)
        self._x = cp.Variable(example.size)
        self._problem = self._build_problem()

    def solve(self, qp: QP, *, tolerance: float = 1e-8) -> QPSolution:
        """Solve with the numbers of ``qp``.

        Parameters
        ----------
        qp
            Program of the shape of the example, and equal to it in all constant data.
        tolerance
            Accepted relative residual of the optimality conditions, after refinement.

        Returns
        -------
        QPSolution
            Solution with x, the multipliers z of ``A x >= b`` and those of ``G x = g``. Statuses: solved,
            infeasible, unbounded, iteration limit, ill-conditioned.

        Raises
        ------
        InvalidArgument
            If ``tolerance`` is not positive.
        """
        arguments.require_instance("qp", qp, QP)
        tolerance = arguments.positive_number("tolerance", tolerance)
        start = time.perf_counter()
        self._set_parameters(qp)
        options = {"solver": self.solver, "ignore_dpp": False, **self._options}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an inaccurate result is judged below
            try:
                self._problem.solve(**options)
            except self._cp.SolverError:
                return _solution_at_zero(qp, Status.ILL_CONDITIONED, Statistics(), self.solver)
        elapsed, stats = time.perf_counter() - start, self._problem.solver_stats
        solver_time = float(stats.solve_time or 0.0)
        statistics = Statistics(
            iterations=int(stats.num_iters or 0),
            solver_time=solver_time,
            interface_time=elapsed - solver_time,
        )
        if self._x.value is None:
            status = _STATUS.get(self._problem.status, Status.ILL_CONDITIONED)
            return _infeasible_result(qp, status, statistics, self.solver)
        z = np.zeros(len(qp.b)) if self._inequality is None else np.asarray(self._inequality.dual_value)
        multipliers = np.zeros(len(qp.g)) if self._equality is None else np.asarray(self._equality.dual_value)
        # cvxpy adds the multipliers of an equation to the Lagrangian; here they are subtracted.
        cvxpy_point = (np.asarray(self._x.value), np.maximum(z.reshape(-1), 0.0), -multipliers.reshape(-1))
        x, z, multipliers, residuals = _refine_on_active_rows(qp, cvxpy_point)
        status = Status.SOLVED if residuals.relative <= tolerance else Status.ILL_CONDITIONED
        if status is not Status.SOLVED and self._problem.status == "user_limit":
            status = Status.ITERATION_LIMIT
        method = f"cvxpy ({self.solver})"
        return QPSolution(
            status, z, qp.A @ x - qp.b, residuals, method, statistics, x=x, multipliers=multipliers
        )

    def _build_problem(self) -> Any:
        """Return the problem of cvxpy, with a parameter for each field that varies."""
        cp, example, x = self._cp, self._example, self._x
        if "Q" in self.vary and self._is_diagonal:
            objective = cp.sum_squares(cp.multiply(self._new_parameter("Q", (example.size,)), x)) / 2
        elif "Q" in self.vary:
            objective = cp.sum_squares(self._new_parameter("Q", (example.size, example.size)) @ x) / 2
        else:
            _square_root_factor(example.Q)
            objective = cp.quad_form(x, cp.psd_wrap(example.Q)) / 2
        objective = objective + self._constant_or_parameter("c") @ x
        self._inequality = (
            self._constant_or_parameter("A") @ x >= self._constant_or_parameter("b")
            if len(example.b)
            else None
        )
        self._equality = (
            self._constant_or_parameter("G") @ x == self._constant_or_parameter("g")
            if len(example.g)
            else None
        )
        constraints = [c for c in (self._inequality, self._equality) if c is not None]
        return cp.Problem(cp.Minimize(objective), constraints)

    def _constant_or_parameter(self, name: str) -> Any:
        value = getattr(self._example, name)
        if name not in self.vary:
            return value
        if sparse.issparse(value):
            pattern = value.tocoo().coords
            return self._new_parameter(name, value.shape, sparsity=pattern)
        return self._new_parameter(name, value.shape)

    def _new_parameter(self, name: str, shape: tuple[int, ...], **attributes: Any) -> Any:
        self._parameters[name] = self._cp.Parameter(shape, **attributes)
        return self._parameters[name]

    def _set_parameters(self, qp: QP) -> None:
        """Set all parameters; raise an error if a field that does not vary differs from the example."""
        for name in QP_FIELDS:
            value, expected = getattr(qp, name), getattr(self._example, name)
            if value.shape != expected.shape:
                raise InvalidArgument(
                    name, f"shape {value.shape}", f"shape {expected.shape} as in the example"
                )
            if name in self._parameters:
                self._set_parameter(name, value)
            elif name in self.vary:
                continue  # no rows, nothing to change
            elif value is not expected and not np.array_equal(to_dense(value), to_dense(expected)):
                raise InvalidArgument(name, "other numbers", f"those of the example, or {name!r} in vary")

    def _set_parameter(self, name: str, value: Any) -> None:
        """Set one parameter, Q by its square-root factor; check the sparsity pattern of the example."""
        parameter, example = self._parameters[name], getattr(self._example, name)
        if name == "Q" and self._is_diagonal:
            if not (sparse.issparse(value) and _is_diagonal(value)) or np.any(value.diagonal() < 0):
                got = "other than a diagonal with entries >= 0"
                raise InvalidArgument("Q", got, "a sparse diagonal matrix as in the example")
            parameter.value = np.sqrt(value.diagonal())
        elif name == "Q":
            parameter.value = _square_root_factor(value)
        elif sparse.issparse(example):
            rows, columns = example.tocoo().coords
            entries = np.asarray(sparse.csr_array(value)[rows, columns]).ravel()
            if np.count_nonzero(entries) < sparse.csr_array(value).count_nonzero():
                raise InvalidArgument(name, "entries outside the example's pattern", "entries within it")
            parameter.value_sparse = sparse.coo_array((entries, (rows, columns)), shape=example.shape)
        else:
            parameter.value = to_dense(value)


@lru_cache(maxsize=32)
def cached_program(
    sizes: tuple[int, int, int], solver: str, solver_tolerance: float | None
) -> ParametrizedQP:
    """Return a program of ``(unknowns, inequalities, equations)`` in which all data vary, cached by shape."""
    d, m, k = sizes
    example = QP(np.eye(d), np.zeros(d), np.zeros((m, d)), np.zeros(m), np.zeros((k, d)), np.zeros(k))
    return ParametrizedQP(example, solver=solver, solver_tolerance=solver_tolerance)


def solve_by_cvxpy(
    qp: QP, *, solver: str = "CLARABEL", solver_tolerance: float | None = None, tolerance: float = 1e-8
) -> QPSolution:
    """Solve one quadratic program through cvxpy; programs of the same shape reuse the compiled one.

    Sparse programs are compiled each time, so that they stay sparse; to solve many of them, use
    :class:`ParametrizedQP`, which has the same arguments and result.

    Raises
    ------
    InvalidArgument
        If Q is not positive semidefinite, ``solver`` is not one of the names or ``tolerance`` is not
        positive.
    """
    arguments.require_instance("qp", qp, QP)
    solver, solver_tolerance = _check_solver(solver, solver_tolerance)
    if not qp.size:  # no unknowns: cvxpy does not accept such a program
        is_feasible = not np.any(qp.b > 0) and not np.any(qp.g)
        status = Status.SOLVED if is_feasible else Status.INFEASIBLE
        return _infeasible_result(qp, status, Statistics(), solver)
    if any(sparse.issparse(matrix) for matrix in (qp.Q, qp.A, qp.G)):
        program = ParametrizedQP(qp, vary=(), solver=solver, solver_tolerance=solver_tolerance)
    else:
        program = cached_program((qp.size, len(qp.b), len(qp.g)), solver, solver_tolerance)
    return program.solve(qp, tolerance=tolerance)


def _check_solver(solver: str, solver_tolerance: float | None) -> tuple[str, float]:
    """Return an installed solver and its tolerance."""
    import cvxpy as cp

    solver = str(arguments.choice("solver", solver, tuple(cp.installed_solvers())))
    if solver_tolerance is None:
        return solver, 1e-7 if solver in ("OSQP", "SCS") else 1e-9
    return solver, arguments.positive_number("solver_tolerance", solver_tolerance)


def _is_diagonal(Q: Matrix) -> bool:
    return bool((Q - sparse.diags_array(Q.diagonal())).count_nonzero() == 0)


def _square_root_factor(Q: Matrix) -> Array:
    """Return R with ``R^T R = Q``."""
    Q = to_dense(Q)
    try:
        result: Array = linalg.cholesky(Q)
        return result
    except linalg.LinAlgError:
        values, vectors = np.linalg.eigh(Q)
        if values[0] < -1e-9 * max(values[-1], -values[0]):
            got = f"smallest eigenvalue {values[0]:.3g}"
            raise InvalidArgument("Q", got, "a positive semidefinite matrix") from None
        result = np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T
        return result


PrimalDualPoint = tuple[Array, Array, Array]


def _refine_on_active_rows(qp: QP, point: PrimalDualPoint) -> tuple[Array, Array, Array, Residuals]:
    """Return the better of x, z and lambda as found, and the solution with the active rows as equations."""
    problem = Elimination.from_qp(qp)

    def with_residuals(primal_dual: PrimalDualPoint) -> tuple[Array, Array, Array, Residuals]:
        return (*primal_dual, problem.residuals_unchecked(primal_dual[0], primal_dual[2], primal_dual[1]))

    best = with_residuals(point)
    is_active = point[1] > np.abs(qp.A @ point[0] - qp.b)
    with contextlib.suppress(InvalidArgument):
        for _ in range(6):
            candidate = with_residuals(_solve_with_active_rows(qp, is_active, point))
            best = min(best, candidate, key=lambda each: each[3].relative)
            speeds, z = qp.A @ candidate[0], candidate[1]
            sign_threshold = 1e-12 * max(
                np.max(np.abs(speeds), initial=0.0), np.max(np.abs(qp.b), initial=0.0)
            )
            new_active = (is_active & (z > 0)) | (~is_active & (speeds - qp.b < -sign_threshold))
            if np.array_equal(new_active, is_active):
                break
            is_active = new_active
    if best[3].relative > 1e-12:  # noise around zero does not determine the active set
        best = min(
            best,
            with_residuals((0 * point[0], 0 * point[1], 0 * point[2])),
            key=lambda each: each[3].relative,
        )
    return best


def _solve_with_active_rows(qp: QP, is_active: Any, point: PrimalDualPoint) -> PrimalDualPoint:
    """Return x, z and lambda with the active rows as equations and negative z clipped.

    The multipliers are changed as little as possible, so that those of redundant rows stay positive.
    """
    z = np.where(is_active, point[1], 0.0)
    if qp.size <= MAX_DENSE_SIZE:
        kkt = factor_kkt(to_dense(qp.Q), np.vstack([to_dense(qp.G), to_dense(qp.A)[is_active]]))
    else:
        rows = sparse.vstack([sparse.csc_array(qp.G), sparse.csr_array(qp.A)[is_active]], format="csc")
        kkt = factor_kkt(qp.Q, rows if sparse.issparse(qp.Q) else rows.toarray())
    right_hand_side = qp.A.T @ z + qp.G.T @ point[2] - qp.c
    x, change = kkt.solve(right_hand_side, np.concatenate([qp.g, qp.b[is_active]]))
    z[is_active] = np.maximum(z[is_active] + change[len(qp.g) :], 0.0)
    return x, z, point[2] + change[: len(qp.g)]


def _infeasible_result(qp: QP, status: Status, statistics: Statistics, solver: str) -> QPSolution:
    """Return the result for a program without solution, infeasible only if a certificate proves it."""
    solution = _solution_at_zero(qp, status, statistics, solver)
    if status is not Status.INFEASIBLE:
        return solution
    proof = find_row_certificate(qp.A, qp.b, qp.G, qp.g)
    if proof is None:
        return replace(solution, status=Status.ILL_CONDITIONED)
    return replace(solution, status=proof.status, certificate=proof.certificate)


def _solution_at_zero(qp: QP, status: Status, statistics: Statistics, solver: str) -> QPSolution:
    """Return a result in which all unknowns are zero."""
    x, z, multipliers = np.zeros(qp.size), np.zeros(len(qp.b)), np.zeros(len(qp.g))
    residuals = Elimination.from_qp(qp).residuals_unchecked(x, multipliers, z)
    method = f"cvxpy ({solver})"
    return QPSolution(status, z, qp.A @ x - qp.b, residuals, method, statistics, x=x, multipliers=multipliers)
