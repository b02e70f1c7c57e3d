"""Stabilization of constraints on velocities or accelerations against drift (Sueda 1.12).

A constraint ``g(q) = 0`` has the rate ``dg/dt = G v``. If ``G v = 0`` is imposed in steps of size h, the
error g does not decrease, and each step adds to it. Baumgarte's targets reduce it,

    G v = -gamma g,                                     dg/dt = -gamma g,
    G a = -(dG/dt) v - 2 alpha G v - beta^2 g,          d2g/dt2 = -2 alpha dg/dt - beta^2 g,

at rates ``gamma``, or ``alpha`` and ``beta``, 1/s. They are stable only if the rates times h are small
enough. The growth matrices take the errors of a constraint with constant rows from one step to the next; they
hold to first order for curved constraints. Post-stabilization changes the positions directly, without
velocities.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg, sparse
from scipy.sparse.linalg import splu

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument, Matrix, SingularConfiguration
from rbnotes.constraints.matrices import is_symmetric_unchecked
from rbnotes.errors import NotConverged
from rbnotes.unchecked import stabilization

POSITION_UPDATES = ("new", "old")
"""Velocities used in the position update: those after the step (symplectic Euler), or those before."""


class ProjectionResult(NamedTuple):
    """Result of a projection of positions on the constraints.

    Attributes
    ----------
    positions
        Projected positions ``(n,)``, or poses ``(bodies, 4, 4)``.
    error
        Largest remaining entry of ``|g|``.
    iterations
        Number of corrections.
    """

    positions: Array
    error: float
    iterations: int


class ProjectionNotConverged(NotConverged):
    """Error of a projection that did not reach its tolerance."""

    solution: ProjectionResult

    def __init__(self, result: ProjectionResult, tolerance: float) -> None:
        remaining = f"an error of {result.error:.3g} is left after {result.iterations} steps"
        super().__init__(f"{remaining}, expected {tolerance:.3g}", result, result.error)


def velocity_target(g: ArrayLike, gamma: float) -> Array:
    """Return Baumgarte's target ``-gamma g (k,)`` for ``G v`` (Sueda eq. (1.82), first line).

    Parameters
    ----------
    g : (k,)
        Constraint errors, m or rad; for contacts, gaps, and the target is a lower bound.
    gamma
        Rate of decay, not negative, 1/s. Stable for ``gamma h < 2``; ``1/h`` removes the error in one step.

    Raises
    ------
    InvalidArgument
        If ``gamma`` is negative or the shape of ``g`` does not fit.
    """
    return -_check_rate("gamma", gamma) * arguments.single_vector("g", g, None)


def acceleration_target(
    g: ArrayLike, gdot: ArrayLike, bias_acceleration: ArrayLike, alpha: float, beta: float
) -> Array:
    """Return Baumgarte's target ``-bias - 2 alpha gdot - beta^2 g (k,)`` for ``G a`` (Sueda eq. (1.82)).

    Parameters
    ----------
    g, gdot : (k,)
        Constraint errors, m or rad, and their rates ``G v``.
    bias_acceleration : (k,)
        Bias acceleration ``(dG/dt) v``, m/s^2 or rad/s^2.
    alpha, beta
        Rates of damping and of the spring, not negative, 1/s; equal rates give critical damping.

    Raises
    ------
    InvalidArgument
        If ``alpha`` or ``beta`` is negative or the shape of ``g``, ``gdot`` or ``bias_acceleration`` does not
        fit.
    """
    g = arguments.single_vector("g", g, None)
    gdot, bias_acceleration = (
        arguments.single_vector(name, x, len(g))
        for name, x in (("gdot", gdot), ("bias_acceleration", bias_acceleration))
    )
    result: Array = (
        -bias_acceleration - 2 * _check_rate("alpha", alpha) * gdot - _check_rate("beta", beta) ** 2 * g
    )
    return result


def velocity_growth(gamma: float, h: float) -> Array:
    """Return the amplification matrix ``(1, 1)`` of g in a step with :func:`velocity_target`.

    Raises
    ------
    InvalidArgument
        If ``gamma`` is negative or ``h`` is not positive.
    """
    return np.array([[1 - _check_step(h) * _check_rate("gamma", gamma)]])


def acceleration_growth(alpha: float, beta: float, h: float, position_update: str = "new") -> Array:
    """Return the amplification matrix ``(2, 2)`` of (g, dg/dt) in a step with :func:`acceleration_target`.

    Parameters
    ----------
    position_update : {"new", "old"}
        Velocities in the position update: new (as in Sueda eqs. (1.28), (1.29)) or old.

    Raises
    ------
    InvalidArgument
        If ``alpha`` or ``beta`` is negative, ``h`` is not positive, or ``position_update`` is not one of the
        names.
    """
    h, alpha, beta = _check_step(h), _check_rate("alpha", alpha), _check_rate("beta", beta)
    rate = np.array([-h * beta**2, 1 - 2 * h * alpha])
    position_rate = (
        rate
        if arguments.choice("position_update", position_update, POSITION_UPDATES) == "new"
        else np.array([0.0, 1.0])
    )
    return np.array([np.array([1.0, 0.0]) + h * position_rate, rate])


def spectral_radius(growth: ArrayLike) -> Array:
    """Return the largest absolute eigenvalue ``(...)`` of matrices ``(..., n, n)``; above 1, errors grow.

    Raises
    ------
    InvalidArgument
        If the shape of ``growth`` does not fit.
    """
    growth = arguments.array("growth", growth, None, None)
    if growth.shape[-1] != growth.shape[-2]:
        raise InvalidArgument("growth", f"shape {growth.shape}", "square matrices (..., n, n)")
    result: Array = np.max(np.abs(np.linalg.eigvals(growth)), axis=-1)
    return result


def largest_stable_step(alpha: float, beta: float, position_update: str = "new") -> float:
    """Return the step size below which Baumgarte's method is stable at the acceleration level, s.

    With new velocities in the position update it is ``2 / (alpha + sqrt(alpha^2 + beta^2))``: for equal rates
    0.83/alpha, so that ``alpha = beta = 1/h`` is unstable. With old velocities it is
    ``2 / (alpha + sqrt(alpha^2 - beta^2))`` for ``beta <= alpha``, and ``2 alpha / beta^2`` for larger beta.

    Parameters
    ----------
    alpha, beta
        Rates, positive, 1/s.
    position_update : {"new", "old"}
        As for :func:`acceleration_growth`.

    Raises
    ------
    InvalidArgument
        If ``alpha`` or ``beta`` is not positive or ``position_update`` is not one of the names.
    """
    alpha, beta = arguments.positive_number("alpha", alpha), arguments.positive_number("beta", beta)
    if arguments.choice("position_update", position_update, POSITION_UPDATES) == "new":
        return 2 / (alpha + math.hypot(alpha, beta))
    if beta <= alpha:
        return 2 / (alpha + math.sqrt(alpha**2 - beta**2))
    return 2 * alpha / beta**2


def project_positions(
    x: ArrayLike,
    mass: Matrix,
    constraint_residual: Callable[[Array], ArrayLike],
    constraint_jacobian: Callable[[Array], Matrix],
    *,
    tolerance: float = 1e-10,
    max_iterations: int = 20,
) -> ProjectionResult:
    """Project positions on the constraints ``g(x) = 0`` (post-stabilization, Sueda 1.12).

    Each Newton step is smallest in the norm of the mass: heavy bodies move less, and the center of mass of a
    free system does not move. Rows may be redundant, as in closed loops: they are slightly regularized, so
    that contradicting errors are averaged.

    Parameters
    ----------
    x : (n,)
        Positions near the constraints, m or rad.
    mass : (n, n)
        Inertia, kg; dense or scipy.sparse.
    constraint_residual
        Function that returns g(x) ``(k,)``.
    constraint_jacobian
        Function that returns ``G = dg/dx (k, n)``, dense or scipy.sparse.
    tolerance
        Largest accepted entry of ``|g|``, m or rad.
    max_iterations
        Largest number of steps.

    Raises
    ------
    InvalidArgument
        If ``mass`` is not symmetric, ``constraint_residual`` or ``constraint_jacobian`` is not a function,
        ``tolerance`` is not positive, ``max_iterations`` is negative, or the shape of ``x`` does not fit.
    SingularConfiguration
        If ``mass`` is not positive definite.
    ProjectionNotConverged
        If the tolerance is not reached.
    """
    x = arguments.single_vector("x", x, None)
    mass = arguments.matrix("mass", mass, len(x), len(x))
    if not is_symmetric_unchecked(mass):
        raise InvalidArgument("mass", "a matrix that is not symmetric", "a symmetric matrix")

    def retract(point: Array, step: Array) -> Array:
        return point + step

    return _project(
        x,
        len(x),
        _mass_solver(mass),
        constraint_residual,
        constraint_jacobian,
        retract,
        tolerance,
        max_iterations,
    )


def project_poses(
    poses: ArrayLike,
    inertias: ArrayLike,
    constraint_residual: Callable[[Array], ArrayLike],
    constraint_jacobian: Callable[[Array], Matrix],
    *,
    tolerance: float = 1e-10,
    max_iterations: int = 20,
) -> ProjectionResult:
    """Project poses on the constraints by increments ``E exp([xi])`` (post-stabilization, Sueda 1.12).

    Parameters
    ----------
    poses : (n, 4, 4)
        Poses near the constraints.
    inertias : (n, 6, 6)
        Spatial inertias in the body frames.
    constraint_residual
        Function that returns g(poses) ``(k,)``, such as
        :func:`rbnotes.multibody.maximal.constraint_error`.
    constraint_jacobian
        Function that returns G(poses) ``(k, 6 n)``, dense or scipy.sparse: ``G @ twists.ravel()`` is the rate
        of g at g = 0.
    tolerance, max_iterations
        See :func:`project_positions`.

    Raises
    ------
    InvalidArgument
        If ``poses`` are not poses, ``inertias`` are not positive definite, ``constraint_residual`` or
        ``constraint_jacobian`` is not a function, ``tolerance`` is not positive, or ``max_iterations`` is
        negative.
    ProjectionNotConverged
        If the tolerance is not reached.
    """
    poses = arguments.frame("poses", poses)
    inertias = arguments.positive_definite("inertias", inertias, 6)
    if poses.ndim != 3 or inertias.shape != (len(poses), 6, 6):
        got = f"shapes {poses.shape} and {inertias.shape}"
        raise InvalidArgument("poses, inertias", got, "shapes (n, 4, 4) and (n, 6, 6)")
    mobility = sparse.block_diag(list(np.linalg.inv(inertias)), format="csc")

    def solve_mass(G: Matrix) -> Matrix:
        return mobility @ G.T

    size = 6 * len(poses)
    return _project(
        poses,
        size,
        solve_mass,
        constraint_residual,
        constraint_jacobian,
        stabilization.retract_poses,
        tolerance,
        max_iterations,
    )


def least_norm_correction(G: Matrix, responses: Matrix, g: ArrayLike) -> Array:
    """Return the step ``(n,)`` with ``G step = -g`` that is smallest in the norm of the mass.

    Parameters
    ----------
    G : (k, n)
        Constraint rows, dense or scipy.sparse. They may be redundant: they are slightly regularized, so that
        contradicting errors are averaged.
    responses : (n, k)
        Responses ``M^-1 G^T``, dense or scipy.sparse.
    g : (k,)
        Errors to remove.

    Raises
    ------
    InvalidArgument
        If the shape of ``G``, ``responses`` or ``g`` does not fit.
    SingularConfiguration
        If ``responses`` are not ``M^-1 G^T`` with a positive definite ``M``.
    """
    G = arguments.matrix("G", G)
    responses = arguments.matrix("responses", responses, *reversed(G.shape))
    try:
        return stabilization.least_norm_correction(G, responses, arguments.single_vector("g", g, G.shape[0]))
    except (RuntimeError, linalg.LinAlgError) as error:
        got = "responses that are not those of the rows"
        raise SingularConfiguration("responses", got, "M^-1 G^T, with M positive definite") from error


def _project(
    positions: Array,
    size: int,
    solve_mass: Callable[[Matrix], Matrix],
    constraint_residual: Callable[[Array], ArrayLike],
    constraint_jacobian: Callable[[Array], Matrix],
    retract: Callable[[Array, Array], Array],
    tolerance: float,
    max_iterations: int,
) -> ProjectionResult:
    """Check the functions and project positions; raise an error if the tolerance is not reached."""
    arguments.require_function("constraint_residual", constraint_residual, "positions")
    arguments.require_function("constraint_jacobian", constraint_jacobian, "positions")
    tolerance = arguments.positive_number("tolerance", tolerance)
    max_iterations = arguments.count("max_iterations", max_iterations)

    def evaluate(positions: Array) -> tuple[Array, Callable[[], Matrix]]:
        g = arguments.call_user_function("constraint_residual", constraint_residual, positions)
        g = arguments.single_vector("constraint_residual(positions)", g, None)

        def evaluate_jacobian() -> Matrix:
            G = arguments.call_user_function("constraint_jacobian", constraint_jacobian, positions)
            return arguments.matrix("constraint_jacobian(positions)", G, len(g), size)

        return g, evaluate_jacobian

    result = ProjectionResult(
        *stabilization.project(positions, solve_mass, evaluate, retract, tolerance, max_iterations)
    )
    if not result.error <= tolerance:
        raise ProjectionNotConverged(result, tolerance)
    return result


def _mass_solver(mass: Matrix) -> Callable[[Matrix], Matrix]:
    """Return a function from G to ``M^-1 G^T``, with M factored once."""
    try:
        return _factor_mass(mass)
    except (RuntimeError, linalg.LinAlgError) as error:
        raise SingularConfiguration("mass", "a singular matrix", "positive definite") from error


def _factor_mass(mass: Matrix) -> Callable[[Matrix], Matrix]:
    if sparse.issparse(mass):
        factors = splu(sparse.csc_array(mass))
        return lambda G: factors.solve(G.T.toarray() if sparse.issparse(G) else np.ascontiguousarray(G.T))
    cholesky = linalg.cho_factor(mass)
    return lambda G: linalg.cho_solve(cholesky, G.T.toarray() if sparse.issparse(G) else G.T)


def _check_rate(name: str, rate: float) -> float:
    return arguments.real_number(name, rate, minimum=0.0)


def _check_step(h: float) -> float:
    return arguments.positive_number("h", h)
