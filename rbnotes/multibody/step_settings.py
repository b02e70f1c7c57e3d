"""Settings of a run that every step takes, in either coordinates."""

from __future__ import annotations

from dataclasses import dataclass

from rbnotes.multibody.warm_started_friction import WarmStartedFriction

PROJECTION, BAUMGARTE = "projection", "baumgarte"
STABILIZATIONS = (PROJECTION, BAUMGARTE, "none")
"""Names of the corrections of position errors."""
SIMULTANEOUS, SEQUENTIAL = "simultaneous", "sequential"
IMPACT_MODES = (SIMULTANEOUS, SEQUENTIAL)
"""Accepted values of ``impacts``."""


@dataclass(frozen=True, eq=False)
class StepSettings:
    """Settings of a run, which are the same in each step.

    Attributes
    ----------
    h
        Size of the step, s.
    friction
        Friction model that stores the contacts of the last velocity update.
    stabilization
        Correction of position errors: ``"projection"``, ``"baumgarte"`` or ``"none"``.
    gamma
        Error reduction rate of Baumgarte's stabilization, 1/s.
    slop
        Overlap that is not corrected, m.
    impacts
        Mode of impacts: ``"simultaneous"`` or ``"sequential"``.
    """

    h: float
    friction: WarmStartedFriction
    stabilization: str
    gamma: float
    slop: float
    impacts: str

    @property
    def uses_projection(self) -> bool:
        """True if positions are projected."""
        return self.stabilization == PROJECTION

    @property
    def error_reduction_rate(self) -> float:
        """Rate at which velocities reduce errors, 1/s."""
        return self.gamma if self.stabilization == BAUMGARTE else 0.0
