"""Run the scenes of `tools/physics_table.py`: options, durations and thresholds."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from rbnotes import friction
from rbnotes.dynamics import State, energy_conserving_euler, momentum_conserving_euler, symplectic_euler
from rbnotes.multibody.maximal import MaximalModel, Trajectory, simulate

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "multibody" / "maximal"))

import physics_scenes  # noqa: E402  # the path comes first

scenes = physics_scenes
"""Module of the scenes, shared with the tests."""

MAX_SECONDS = 40.0
"""Time limit of one run [s]."""

g = scenes.GRAVITY
Options = dict[str, Any]

FRICTIONS: dict[str, Options] = {
    "semismooth_newton_friction": {},
    "box_friction": {"friction_model": friction.box_friction},
    "anitescu_stewart": {"friction_model": friction.anitescu_stewart},
    "gauss_seidel_friction": {"friction_model": partial(friction.gauss_seidel_friction, max_sweeps=1000)},
    "single_qp": {"friction_model": friction.single_qp},
    "coulomb": {"friction_model": friction.socp_fixed_point_friction},
    "staggered": {"friction_model": partial(friction.staggered_projections, cone="disc")},
}
INTEGRATORS: dict[str, Options] = {
    "rattle": {},
    "momentum_conserving_euler": {"integrator": momentum_conserving_euler},
    "energy_conserving_euler": {"integrator": energy_conserving_euler},
    "symplectic_euler": {"integrator": symplectic_euler},
}
IMPACTS: dict[str, Options] = {"simultaneous": {}, "sequential": {"impacts": "sequential"}}


class TimeLimitExceeded(Exception):
    """Raised when a run takes too long."""


@dataclass(frozen=True)
class Row:
    """Scene of the table.

    Attributes
    ----------
    measured
        Quantity that the error refers to, with its unit.
    variants
        Options of its runs by name; the first is the default.
    """

    name: str
    measured: str
    tolerance: float
    error: Callable[[Options], float]
    variants: dict[str, Options]


def run(model: MaximalModel, start: State, T: float, h: float, options: Options) -> Trajectory:
    began = time.process_time()

    def watch(done: int, of: int) -> None:
        if time.process_time() - began > MAX_SECONDS:
            raise TimeLimitExceeded

    return simulate(model, start, h, round(T / h), progress=watch, **options)


def displacements(path: Trajectory) -> Any:
    return path.states.E[-1, :, :3, 3] - path.states.E[0, :, :3, 3]


def threshold(scene: Callable[[float], Any], T: float, displacement: float, options: Options) -> float:
    """Return the error of the ratio to static friction at which a scene moves by ``displacement``."""

    def sticks(ratio: float) -> bool:
        return bool(
            np.abs(displacements(run(scene(ratio)[0], scene(ratio)[1], T, 0.01, options))).max()
            < displacement
        )

    low, high = 0.5, 2.0
    if sticks(low):
        return 1 - low
    if not sticks(high):
        return high - 1
    for _ in range(11):
        middle = (low + high) / 2
        low, high = (low, middle) if sticks(middle) else (middle, high)
    return abs((low + high) / 2 - 1)
