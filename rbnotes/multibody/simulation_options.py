"""Options of a simulation that both coordinates share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rbnotes import arguments
from rbnotes.arguments import InvalidArgument
from rbnotes.friction import FrictionModel
from rbnotes.multibody.step_settings import BAUMGARTE, IMPACT_MODES, STABILIZATIONS, StepSettings
from rbnotes.multibody.warm_started_friction import WarmStartedFriction
from rbnotes.unchecked.frozen import set_fields
from rbnotes.unchecked.stabilization import check_error_reduction_rate

Progress = Callable[[int, int], object]
"""Callback after each step, with the number of steps done and of all steps."""

MATCHING_DISTANCE = 0.02
"""Largest distance between a contact and its match of the previous velocity update, m."""
DEFAULT_ERROR_REDUCTION = 0.2
"""Part of errors that Baumgarte's stabilization removes in a step by default."""


@dataclass(frozen=True, kw_only=True)
class SimulationOptions:
    """Checked options of a simulation, those of :func:`rbnotes.multibody.simulate` with the same names.

    Attributes
    ----------
    h
        Step size, s.
    steps
        Number of steps.
    friction_model
        Friction model.
    max_friction_residual
        Largest accepted residual of the friction model, dimensionless, or None.
    impacts
        Mode of impacts: ``"simultaneous"`` or ``"sequential"``.
    compiled
        True, False or ``"auto"``.
    stabilization
        Correction of pose errors: ``"projection"``, ``"baumgarte"`` or ``"none"``.
    gamma
        Error reduction rate of Baumgarte's stabilization, 1/s, or None.
    slop
        Overlap that is not corrected, m.
    progress
        Callback after each step, or None.

    Raises
    ------
    InvalidArgument
        If a value does not fit.
    """

    h: float
    steps: int
    friction_model: FrictionModel
    max_friction_residual: float | None
    impacts: str
    compiled: bool | str
    stabilization: str
    gamma: float | None
    slop: float
    progress: Progress | None

    def __post_init__(self) -> None:
        h = arguments.positive_number("h", self.h)
        arguments.count("steps", self.steps, minimum=1)
        arguments.choice("impacts", self.impacts, IMPACT_MODES)
        if not (
            isinstance(self.compiled, bool) or (isinstance(self.compiled, str) and self.compiled == "auto")
        ):
            got = arguments.format_value(self.compiled)
            raise InvalidArgument("compiled", got, 'False, "auto" or True')
        arguments.choice("stabilization", self.stabilization, STABILIZATIONS)
        if self.gamma is not None:
            if self.stabilization != BAUMGARTE:
                expected = f"None without stabilization={BAUMGARTE!r}"
                raise InvalidArgument("gamma", f"{self.gamma}", expected)
            set_fields(self, gamma=check_error_reduction_rate(self.gamma, h))
        if self.max_friction_residual is not None:
            arguments.positive_number("max_friction_residual", self.max_friction_residual)
        if self.progress is not None:
            arguments.require_function("progress", self.progress, "done", "steps")
        set_fields(self, h=h, slop=arguments.real_number("slop", self.slop, minimum=0.0))

    def step_settings(self) -> StepSettings:
        """Return the settings of each step; the first step has no warm start of friction."""
        limit = np.inf if self.max_friction_residual is None else float(self.max_friction_residual)
        friction = WarmStartedFriction(self.friction_model, limit, MATCHING_DISTANCE)
        gamma = DEFAULT_ERROR_REDUCTION / self.h if self.gamma is None else self.gamma
        return StepSettings(self.h, friction, self.stabilization, gamma, self.slop, self.impacts)
