"""Stabilisation: what keeps constraints on velocities or accelerations from drifting apart (Sueda 1.12).

A constraint ``g(q) = 0`` has the rate ``dg/dt = G v``. Imposed as ``G v = 0`` in steps of size h, the error g
stays where it is, and each step adds some. Baumgarte's targets send it back,

    G v = -gamma g,                                     dg/dt = -gamma g,
    G a = -(dG/dt) v - 2 alpha G v - beta^2 g,          d2g/dt2 = -2 alpha dg/dt - beta^2 g,

at rates ``gamma``, or ``alpha`` and ``beta``, 1/s. In steps they are stable only while the rates times h are
small enough: the growth matrices here take the errors of a constraint with constant rows from one step to the
next, and curved ones follow them to first order. Post-stabilisation moves the positions themselves, without
velocity.
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
"""The velocities that move the positions in a step: those after it (symplectic Euler), or those before."""


class ProjectionResult(NamedTuple):
    """Positions on the constraints, and what it took to get there."""

    positions: Array
    """``(n,)``, or poses ``(bodies, 4, 4)``."""
    error: float
    """Largest entry of ``|g|`` that is left."""
    iterations: int


class ProjectionNotConverged(NotConverged):
    """Post-stabilisation did not reach its tolerance: constraints contradict each other, or are far away."""

    solution: ProjectionResult

    def __init__(self, result: ProjectionResult, tolerance: float) -> None:
        remaining = f"an error of {result.error:.3g} is left after {result.iterations} steps"
        super().__init__(f"{remaining}, expected {tolerance:.3g}", result, result.error)


def velocity_target(g: ArrayLike, gamma: float) -> Array:
    """What ``G v`` shall be, ``-gamma g (k,)`` (Sueda eq. (1.82), first line).

    Parameters
    ----------
    g : (k,)
        Constraint errors, m or rad; gaps, for contacts, whose ``G v`` shall be at least this.
    gamma
        Rate at which they vanish, not negative, 1/s. Stable for ``gamma h < 2``; ``1/h`` aims at zero after
        one step.

    Raises
    ------
    InvalidArgument
        If ``gamma`` is negative or the shape of ``g`` does not fit.
    """
    return -_check_rate("gamma", gamma) * arguments.single_vector("g", g, None)


def acceleration_target(
    g: ArrayLike, gdot: ArrayLike, bias_acceleration: ArrayLike, alpha: float, beta: float
) -> Array:
    """What ``G a`` shall be, ``-drift - 2 alpha gdot - beta^2 g (k,)`` (Sueda eq. (1.82), second line).

    Parameters
    ----------
    g, gdot : (k,)
        Constraint errors, m or rad, and their rates ``G v``.
    bias_acceleration : (k,)
        ``(dG/dt) v``, what the constraints make of the motion itself, m/s^2 or rad/s^2.
    alpha, beta
        Rates of damping and of the spring, not negative, 1/s; equal ones damp critically.

    Raises
    ------
    InvalidArgument
        If ``alpha`` or ``beta`` is negative or the shape of ``g``, ``gdot`` or ``bias_acceleration`` does not fit.
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
    """Matrix ``(1, 1)`` that takes g from one step to the next with :func:`velocity_target`.

    Raises InvalidArgument if ``gamma`` is negative or ``h`` is not positive.
    """
    return np.array([[1 - _check_step(h) * _check_rate("gamma", gamma)]])


def acceleration_growth(alpha: float, beta: float, h: float, position_update: str = "new") -> Array:
    """Matrix ``(2, 2)`` that takes (g, dg/dt) from one step to the next with :func:`acceleration_target`.

    Parameters
    ----------
    position_update : {"new", "old"}
        Whether the new velocities move the positions (as in Sueda eqs. (1.28), (1.29)) or the old ones.

    Raises
    ------
    InvalidArgument
        If ``alpha`` or ``beta`` is negative, ``h`` is not positive, or ``position_update`` is not one of the names.
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
    """Largest size ``(...)`` of an eigenvalue of matrices ``(..., n, n)``: errors grow if it is above 1.

    Raises InvalidArgument if the shape of ``growth`` does not fit.
    """
    growth = arguments.array("growth", growth, None, None)
    if growth.shape[-1] != growth.shape[-2]:
        raise InvalidArgument("growth", f"shape {growth.shape}", "square matrices (..., n, n)")
    result: Array = np.max(np.abs(np.linalg.eigvals(growth)), axis=-1)
    return result


def largest_stable_step(alpha: float, beta: float, position_update: str = "new") -> float:
    """Step size below which Baumgarte's method is stable at the acceleration level, s.

    If the new velocities move the positions it is ``2 / (alpha + sqrt(alpha^2 + beta^2))``: for equal rates
    0.83/alpha, so that ``alpha = beta = 1/h`` is unstable. If the old ones do, it is
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
    """Post-stabilisation: positions moved back onto ``g(x) = 0`` (Sueda 1.12).

    Newton steps, each the least in the norm of the mass: heavy bodies move less, and in a free system the
    centre of mass stays. Rows may repeat each other, as those of closed loops do: they are the slightest bit
    soft, so that errors contradicting each other on the way are averaged.

    Parameters
    ----------
    x : (n,)
        Positions near the constraints, m or rad.
    mass : (n, n)
        Inertia, kg; dense or scipy.sparse.
    error
        g(x) ``(k,)``.
    rows
        ``G = dg/dx (k, n)``, dense or scipy.sparse.
    tolerance
        Largest accepted entry of ``|g|``, m or rad.
    max_iterations
        Largest number of steps.

    Raises
    ------
    InvalidArgument
        If ``mass`` is not symmetric, ``constraint_residual`` or ``constraint_jacobian`` is no function, ``tolerance`` is not positive,
        ``max_iterations`` is negative, or the shape of ``x`` does not fit.
    SingularConfiguration
        If ``mass`` is not positive definite.
    NotProjected
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
    """Post-stabilisation of bodies, by increments ``E exp([xi])`` (Sueda 1.12).

    Parameters
    ----------
    poses : (n, 4, 4)
        Poses near the constraints.
    inertias : (n, 6, 6)
        Spatial inertias in the body frames.
    error
        g(poses) ``(k,)``, such as :func:`rbnotes.multibody.maximal.joints.joint_errors`.
    rows
        G(poses) ``(k, 6 n)``, dense or scipy.sparse: ``G @ twists.ravel()`` is the rate of g where g is zero.
    tolerance, max_iterations
        As for :func:`project_positions`.

    Raises
    ------
    InvalidArgument
        If ``poses`` are no poses, ``inertias`` are not positive definite, ``constraint_residual`` or ``constraint_jacobian`` is no
        function, ``tolerance`` is not positive, or ``max_iterations`` is negative.
    NotProjected
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
    """The step ``(n,)`` with ``G step = -g`` that is the least in the norm of the mass.

    Parameters
    ----------
    G : (k, n)
        Constraint rows, dense or scipy.sparse. They may repeat each other: they are the slightest bit soft,
        so that errors which contradict each other are averaged.
    responses : (n, k)
        ``M^-1 G^T``, dense or scipy.sparse.
    g : (k,)
        Errors to take back.

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
    arguments.require_function("constraint_residual", constraint_residual, "positions")
    arguments.require_function("constraint_jacobian", constraint_jacobian, "positions")
    tolerance = arguments.positive_number("tolerance", tolerance)
    max_iterations = arguments.count("max_iterations", max_iterations)

    def evaluate(positions: Array) -> tuple[Array, Callable[[], Matrix]]:
        g = arguments.single_vector("error(positions)", constraint_residual(positions), None)
        return g, lambda: arguments.matrix("rows(positions)", constraint_jacobian(positions), len(g), size)

    result = ProjectionResult(
        *stabilization.project(positions, solve_mass, evaluate, retract, tolerance, max_iterations)
    )
    if not result.error <= tolerance:
        raise ProjectionNotConverged(result, tolerance)
    return result


def _mass_solver(mass: Matrix) -> Callable[[Matrix], Matrix]:
    """``M^-1 G^T`` for any G, with M factored once."""
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
