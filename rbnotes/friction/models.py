"""Friction models, their properties, and the names that select them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.dynamics import StepProblem, StepSolution
from rbnotes.friction.anitescu_stewart import anitescu_stewart
from rbnotes.friction.box_friction import box_friction
from rbnotes.friction.gauss_seidel_friction import gauss_seidel_friction
from rbnotes.friction.semismooth_newton import semismooth_newton_friction
from rbnotes.friction.single_qp import single_qp
from rbnotes.friction.socp_fixed_point import socp_fixed_point_friction
from rbnotes.friction.staggered_projections import staggered_projections


@dataclass(frozen=True)
class FrictionModel:
    """Function that solves a step with friction, with a flag for warm starts.

    A function that is passed without this class is not warm-started, unless it is one of
    :data:`FRICTION_MODELS` or a :func:`functools.partial` of one.

    Attributes
    ----------
    solve
        Function from a :class:`~rbnotes.dynamics.StepProblem` to its solution.
    accepts_initial_guess
        True if ``solve`` accepts contact impulses ``(c, 3)``, N s, as the keyword ``initial_guess``.

    Raises
    ------
    InvalidArgument
        If ``solve`` is not a function.
    """

    solve: Callable[..., StepSolution]
    accepts_initial_guess: bool = False

    def __post_init__(self) -> None:
        arguments.require_function("solve", self.solve, "problem")

    def __call__(self, problem: StepProblem, initial_guess: ArrayLike | None = None) -> StepSolution:
        """Solve a step, starting from the initial guess if the model accepts one.

        Parameters
        ----------
        initial_guess : (c, 3), optional
            Contact impulses, N s, such as those of the previous step.

        Raises
        ------
        InvalidArgument
            If ``solve`` writes into its arguments.
        """
        is_used = initial_guess is not None and self.accepts_initial_guess
        options = {"initial_guess": initial_guess} if is_used else {}
        solution: StepSolution = arguments.call_user_function(
            "friction_model", self.solve, problem, **options
        )
        return solution


FRICTION_MODELS: dict[str, FrictionModel] = {
    "anitescu_stewart": FrictionModel(anitescu_stewart),
    "box": FrictionModel(box_friction),
    "coulomb": FrictionModel(socp_fixed_point_friction),
    "gauss_seidel": FrictionModel(gauss_seidel_friction, accepts_initial_guess=True),
    "newton": FrictionModel(semismooth_newton_friction, accepts_initial_guess=True),
    "single_qp": FrictionModel(single_qp),
    "staggered": FrictionModel(staggered_projections, accepts_initial_guess=True),
}
"""Friction models of this package by name."""


def friction_model(name: str, value: Any) -> FrictionModel:
    """Return the friction model that an argument selects: a name, a function or a :class:`FrictionModel`.

    A name is a key of :data:`FRICTION_MODELS`; the suffix ``_friction`` may follow it.

    Raises
    ------
    InvalidArgument
        If no model has the name, or ``value`` is not a function. The message calls the argument ``name``.
    """
    if isinstance(value, FrictionModel):
        return value
    if isinstance(value, str):
        key = arguments.choice(name, value.removesuffix("_friction"), tuple(FRICTION_MODELS))
        return FRICTION_MODELS[key]
    function = value.func if isinstance(value, partial) else value
    model = next((each for each in FRICTION_MODELS.values() if each.solve is function), None)
    if model is not None and value is function:
        return model
    arguments.require_function(
        name, value, hint=f", or one of the names {', '.join(map(repr, FRICTION_MODELS))}"
    )
    return FrictionModel(value) if model is None else replace(model, solve=value)
