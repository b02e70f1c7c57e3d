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
from rbnotes.dynamics import (
    State,
    energy_conserving_euler,
    momentum_conserving_euler,
    symplectic_euler,
)
from rbnotes.multibody import Model, Trajectory, simulate

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "multibody" / "maximal"))

import physics_scenes  # noqa: E402  # the path comes first

scenes = physics_scenes
"""Module of the scenes, shared with the tests."""

MAX_SECONDS, MAX_SECONDS_IN_JOINT_COORDINATES = 40.0, 160.0
"""Time limits of one run [s]."""

g = scenes.GRAVITY
Options = dict[str, Any]

JOINT_COORDINATES: Options = {"coordinates": "reduced"}
"""Option of runs in the coordinates of the joints; the others use maximal coordinates."""

FRICTIONS: dict[str, Options] = {
    "semismooth_newton_friction": {},
    "newton, joint coordinates": JOINT_COORDINATES,
    "box_friction": {"friction_model": friction.box_friction},
    "anitescu_stewart": {"friction_model": friction.anitescu_stewart},
    "gauss_seidel_friction": {"friction_model": partial(friction.gauss_seidel_friction, max_sweeps=1000)},
    "single_qp": {"friction_model": friction.single_qp},
    "coulomb": {"friction_model": friction.socp_fixed_point_friction},
    "staggered": {"friction_model": partial(friction.staggered_projections, cone="disc")},
}
INTEGRATORS: dict[str, Options] = {
    "rattle": {},
    "joint coordinates": JOINT_COORDINATES,
    "momentum_conserving_euler": {"scheme": momentum_conserving_euler},
    "energy_conserving_euler": {"scheme": energy_conserving_euler},
    "symplectic_euler": {"scheme": symplectic_euler},
}
IMPACTS: dict[str, Options] = {
    "simultaneous": {},
    "sequential": {"impacts": "sequential"},
    "simultaneous, joint coordinates": JOINT_COORDINATES,
    "sequential, joint coordinates": {"impacts": "sequential", **JOINT_COORDINATES},
}


class TimeLimitExceeded(Exception):
    """Raised when a run takes too long; the message is the limit."""


@dataclass(frozen=True)
class Row:
    """Scene of the table.

    Attributes
    ----------
    name
        Name of the scene.
    measured
        Quantity that the error refers to, with its unit.
    tolerance
        Accepted error.
    error
        Function from options to the error of the run.
    variants
        Options of its runs by name; the first is the default.
    """

    name: str
    measured: str
    tolerance: float
    error: Callable[[Options], float]
    variants: dict[str, Options]


def run(model: Model, start: State, T: float, h: float, options: Options) -> Trajectory:
    """Return the motion of a scene, in maximal coordinates unless the options say otherwise.

    Raises
    ------
    TimeLimitExceeded
        If it takes too long.
    """
    began = time.process_time()
    limit = MAX_SECONDS_IN_JOINT_COORDINATES if "coordinates" in options else MAX_SECONDS

    def watch(done: int, of: int) -> None:
        if time.process_time() - began > limit:
            raise TimeLimitExceeded(f"more than {limit:.0f} s")

    options = {"coordinates": "maximal", **options}
    return simulate(model, start, h=h, steps=round(T / h), progress=watch, **options)


def displacements(path: Trajectory) -> Any:
    return path.body_states.E[-1, :, :3, 3] - path.body_states.E[0, :, :3, 3]


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
