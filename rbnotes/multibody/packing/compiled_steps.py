"""Compiled steps in maximal coordinates: contact detection, friction, and whole time steps.

The step of :mod:`~rbnotes.multibody.maximal.rattle_integrator` is compiled, with projection, simultaneous
impacts and the default friction model, under gravity and applied forces, with joints whose constraint rows
are constant (fixed, spherical, revolute, prismatic, cylindrical, planar). Python evaluates the forces during
a step and, in models with joints, the displacement that separates overlapping bodies. The reference takes
exceptional steps: those with dependent constraint rows, friction that the compiled methods do not solve, or
a too long step. The results are those of the reference to rounding. If contacts can share an impulse in many
ways, rounding selects one of them, and with it the spin of a body that slides on all of them.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rbnotes.arguments import Array
from rbnotes.compiled.compilation import compiled_function
from rbnotes.dynamics import StepProblem, StepSolution
from rbnotes.friction import FrictionModel, semismooth_newton_friction
from rbnotes.friction.contact_problem import DelassusProblem
from rbnotes.friction.semismooth_newton import TOLERANCE, newton_search, solve_friction
from rbnotes.multibody.maximal.rattle_integrator import Rattle
from rbnotes.multibody.maximal.stepping import Integrator, StepContext
from rbnotes.multibody.packing.packed_model import PackedModel, pack_model
from rbnotes.multibody.packing.refusals import unsupported_error
from rbnotes.multibody.step_settings import SIMULTANEOUS, StepSettings
from rbnotes.multibody.warm_started_friction import WarmStartedFriction


def compile_context(context: StepContext, integrator: Integrator) -> tuple[StepContext, PackedModel]:
    """Compile the steps; return the context with compiled detection and friction, and the packed model.

    Raises
    ------
    InvalidArgument
        If compiled steps do not support the model, the integrator or an option.
    MissingExtra
        If numba is not installed.
    """
    if type(integrator) is not Rattle:
        raise unsupported_error("another scheme than rattle")
    if context.joint_space is not None:
        raise unsupported_error(f"models with {', '.join(context.joint_space.features)}")
    packed = pack_model(context.model)
    settings = compile_settings(context.settings)
    compiled_function("take_steps")
    return replace(context, settings=settings, detect_contacts=packed.colliders.detect_contacts), packed


def compile_settings(settings: StepSettings) -> StepSettings:
    """Return the settings with the compiled friction solver.

    Raises
    ------
    InvalidArgument
        If compiled steps do not support an option.
    """
    model = settings.friction.model
    for is_supported, feature in (
        (settings.impacts == SIMULTANEOUS, f"impacts={settings.impacts!r}"),
        (settings.uses_projection, f"stabilization={settings.stabilization!r}"),
        (model.solve is semismooth_newton_friction, "another friction model than 'newton'"),
        (model.accepts_initial_guess, "a friction model that does not accept an initial guess"),
    ):
        if not is_supported:
            raise unsupported_error(feature)
    friction = WarmStartedFriction(
        _compile_friction(model), settings.friction.max_residual, settings.friction.matching_distance
    )
    return replace(settings, friction=friction)


@lru_cache(maxsize=16)
def _compile_friction(model: FrictionModel) -> FrictionModel:
    """Return the friction model with the compiled solver."""
    return replace(model, solve=compiled_newton_friction)


def compiled_newton_friction(
    problem: StepProblem,
    *,
    initial_guess: ArrayLike | None = None,
    tolerance: float = TOLERANCE,
    max_iterations: int = 50,
    raise_on_failure: bool = True,
) -> StepSolution:
    """Solve a step as :func:`rbnotes.friction.semismooth_newton_friction`, in compiled code."""
    return solve_friction(_solve_newton, problem, initial_guess, tolerance, max_iterations, raise_on_failure)


def _solve_newton(
    contact_problem: DelassusProblem, r: Array, tolerance: float, max_iterations: int
) -> tuple[Array, float, int]:
    """Search for impulses as :func:`rbnotes.friction.semismooth_newton.newton_search`."""
    result: Any = np.empty(r.size + 1)
    steps = compiled_function("solve_friction")(
        np.array([max_iterations], dtype=np.uint64),
        np.ascontiguousarray(contact_problem.delassus_matrix).ravel(),
        np.ascontiguousarray(contact_problem.free_contact_velocities).ravel(),
        np.ascontiguousarray(contact_problem.mu),
        np.ascontiguousarray(r).ravel(),
        np.array([tolerance]),
        result,
    )
    if steps > max_iterations:
        return newton_search(contact_problem, r, tolerance, max_iterations)
    return result[:-1].reshape(-1, 3), float(result[-1]), steps
