"""Errors of scenes with contact whose motion is known: rows of `tools/physics_table.py`."""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import numpy as np
from physics_runs import (
    FRICTIONS,
    Options,
    Row,
    displacements,
    g,
    run,
    scenes,
    threshold,
)

from rbnotes import Model, inertia
from rbnotes.arguments import Array
from rbnotes.dynamics import Forces, State
from rbnotes.shapes import Box, Sphere


def slides(options: Options, what: str) -> float:
    worst = 0.0
    for heading in (0.0, np.pi / 8, np.pi / 4, 1.2):
        model, start, plane = scenes.block_on_a_slope(0.6, 0.5, heading)
        displacement = plane.T @ displacements(run(model, start, 0.5, 0.01, options))[0]
        distance = g * (np.sin(0.6) - 0.5 * np.cos(0.6)) * 0.5**2 / 2
        off = abs(np.degrees(np.arctan2(displacement[1], displacement[0])))
        worst = max(worst, off if what == "direction" else abs(displacement[0] / distance - 1))
    return worst


def incline_threshold(options: Options) -> float:
    """Return the worst error of the slip threshold on a slope over three headings, by varying mu."""

    def scene(ratio: float, heading: float) -> Any:
        return scenes.block_on_a_slope(0.4, ratio * np.tan(0.4), heading)

    return max(
        threshold(partial(scene, heading=heading), 0.1, 1e-6, options)
        for heading in (0.0, np.pi / 8, np.pi / 4)
    )


def sliding_ball(speed: float, inertia: Array | None = None) -> tuple[Model, State]:
    """Return a ball that slides on a floor along a diagonal, and its state."""
    twist = [0, 0, 0, speed / np.sqrt(2), speed / np.sqrt(2), 0]
    scene: tuple[Model, State] = scenes.on_floor(
        Sphere(0.1), scenes.pose_at(0, 0, 0.1), twist, inertia=inertia
    )
    return scene


def rolling(options: Options, part: float, hollow: bool = False) -> float:
    """Return the error of the final rolling speed of a ball that starts to slide along a diagonal."""
    speed = 2.0
    M = inertia.spatial_inertia(1.0, (2 / 3 if hollow else 2 / 5) * 0.1**2 * np.eye(3))
    model, start = sliding_ball(speed, M)
    path = run(model, start, 0.5, 0.01, options)
    return abs(float(np.linalg.norm(path.body_states.phi[-1, 0, 3:])) / speed / part - 1)


def rolls_from(options: Options) -> float:
    speed = 2.0
    model, start = sliding_ball(speed)
    path = run(model, start, 0.5, 0.005, options)
    rolls = [event.time for event in path.contact_events if event.kind == "stick_begins"]
    return abs(rolls[0] - 2 * speed / (7 * 0.3 * g)) if rolls else np.inf


def spinning_slab(options: Options) -> float:
    """Return the error of a square slab that spins on its four corners under the friction mu m g."""
    slab, mu, spin = Box([0.4, 0.4, 0.05]), 0.3, 10.0
    model, start = scenes.on_floor(slab, scenes.pose_at(0, 0, 0.025), [0, 0, spin, 0, 0, 0], mu=mu)
    path = run(model, start, 0.4, 0.0025, options)
    slows = mu * g * 0.2 * np.sqrt(2) / slab.spatial_inertia(mass=1.0)[2, 2]
    angle = np.unwrap(np.arctan2(path.body_states.E[:, 0, 1, 0], path.body_states.E[:, 0, 0, 0]))[-1]
    return float(abs(angle / (spin**2 / 2 / slows) - 1))


def slip_stick(options: Options) -> float:
    """Return the error of a block on a spring, which loses the amplitude 2 mu m g / k in each swing."""
    box, mu, stiffness = Box([0.2, 0.2, 0.1]), 0.3, 100.0
    stick_limit = mu * g / stiffness

    def spring(state: State) -> Forces:
        return Forces.without_derivatives([0, 0, 0, -stiffness * state.E[0, 0, 3], 0, 0])

    model, start = scenes.on_floor(box, scenes.pose_at(5.3 * stick_limit, 0, 0.05), mu=mu, forces=spring)
    path = run(model, start, 1.5, 0.0025, options)
    ends = 5.3 * stick_limit
    while abs(ends) > stick_limit:
        ends = -np.sign(ends) * (abs(ends) - 2 * stick_limit)
    return float(abs(path.body_states.E[-1, 0, 0, 3] - ends) / stick_limit)


def rebound(options: Options) -> float:
    """Return the error of the first two rebound heights, e^2 and e^4 times the drop height."""
    ball, e, height = Sphere(0.1), 0.7, 0.5
    model, start = scenes.on_floor(ball, scenes.pose_at(0, 0, 0.1 + height), mu=0.5, restitution=e)
    path = run(model, start, 1.05, 1e-3, options)
    z, t, fall = path.body_states.E[:, 0, 2, 3] - 0.1, path.t, np.sqrt(2 * height / g)
    second = fall * (1 + 2 * e)
    tops = z[(t > fall) & (t < second)].max(), z[t > second + 0.01].max()
    return float(np.abs(np.array(tops) / height - [e**2, e**4]).max())


def siconos_ball(options: Options) -> float:
    """Return the difference to the height after 0.7 s in the bouncing-ball example of Siconos."""
    model, start = scenes.bouncing_ball()
    path = run(model, start, 0.7, 5e-3, options)
    return float(abs(path.body_states.E[-1, 0, 2, 3] - 0.1 - scenes.SICONOS_BALL[0.7][0]))


def pulled_at_the_friction_limit(options: Options) -> float:
    """Return the motion of a block pulled along a diagonal with exactly mu m g; it must stay."""
    box, mu = Box([0.3, 0.2, 0.1]), 0.5
    force = mu * 2.0 * g * np.array([np.cos(0.6), np.sin(0.6), 0])

    def applied_forces(state: State) -> Forces:
        return Forces.without_derivatives([0, 0, 0, *force])

    M = box.spatial_inertia(mass=2.0)
    model, start = scenes.on_floor(box, scenes.pose_at(0, 0, 0.05), inertia=M, mu=mu, forces=applied_forces)
    return float(np.abs(displacements(run(model, start, 1.0, 0.01, options))).max())


def creep(scene: Any, T: float, options: Options) -> float:
    return float(np.abs(displacements(run(scene[0], scene[1], T, 0.01, options))).max())


def cpu_seconds(scene: Any, T: float, options: Options) -> float:
    began = time.process_time()
    run(scene[0], scene[1], T, 0.01, options)
    return time.process_time() - began


def worst_residual(scene: Any, T: float, h: float, options: Options) -> float:
    return max(record.residual for record in run(scene[0], scene[1], T, h, options).contacts)


def heavy_on_light(ratio: float, options: Options) -> float:
    """Return the creep of two stacked cubes of which the upper one is heavier."""
    return creep(scenes.tower(2, densities=[500.0, 500.0 * ratio]), 0.5, options)


ROWS = (
    Row(
        "block slides down, four headings",
        "direction, degrees",
        0.1,
        partial(slides, what="direction"),
        FRICTIONS,
    ),
    Row(
        "block slides down, four headings",
        "distance, relative",
        1e-3,
        partial(slides, what="distance"),
        FRICTIONS,
    ),
    Row("block on a slope, three headings", "threshold, relative", 1e-3, incline_threshold, FRICTIONS),
    Row(
        "ladder on a smooth wall",
        "threshold, relative",
        0.01,
        lambda o: threshold(partial(scenes.ladder, 1.1), 0.3, 1e-5, o),
        FRICTIONS,
    ),
    Row(
        "planks that lean on each other",
        "threshold, relative",
        0.01,
        lambda o: threshold(partial(scenes.a_frame, 1.1), 0.25, 1e-5, o),
        FRICTIONS,
    ),
    Row(
        "block pulled with exactly mu m g",
        "displacement in 1 s, m",
        1e-8,
        pulled_at_the_friction_limit,
        FRICTIONS,
    ),
    Row("ball slides, then rolls", "speed 5/7, relative", 1e-6, partial(rolling, part=5 / 7), FRICTIONS),
    Row(
        "hollow ball slides, then rolls",
        "speed 3/5, relative",
        1e-6,
        partial(rolling, part=3 / 5, hollow=True),
        FRICTIONS,
    ),
    Row("ball slides, then rolls", "time of rolling, s", 0.0051, rolls_from, FRICTIONS),
    Row("slab spins on its corners", "angle, relative", 2e-3, spinning_slab, FRICTIONS),
    Row("block on a spring slips and sticks", "position, part of mu m g / k", 0.01, slip_stick, FRICTIONS),
    Row("ball rebounds", "heights, relative", 0.01, rebound, FRICTIONS),
    Row("bouncing ball of Siconos's examples, 5 ms", "height at 0.7 s, m", 0.02, siconos_ball, FRICTIONS),
    Row(
        "tower of ten cubes",
        "displacement in 3 s, m",
        1e-9,
        lambda o: creep(scenes.tower(10), 3.0, o),
        FRICTIONS,
    ),
    Row(
        "cube on one a million times lighter",
        "displacement in 0.5 s, m",
        1e-6,
        partial(heavy_on_light, 1e6),
        FRICTIONS,
    ),
    Row(
        "trilithon", "displacement in 10 s, m", 1e-9, lambda o: creep(scenes.trilithon(), 10.0, o), FRICTIONS
    ),
    Row("trilithon", "time for 3 s, s", 10.0, lambda o: cpu_seconds(scenes.trilithon(), 3.0, o), FRICTIONS),
    Row(
        "arch, t/R = 0.25",
        "displacement in 10 s, m",
        1e-9,
        lambda o: creep(scenes.arch(0.25), 10.0, o),
        FRICTIONS,
    ),
    Row(
        "arch, t/R = 0.15",
        "displacement in 10 s, m",
        1e-9,
        lambda o: creep(scenes.arch(0.15), 10.0, o),
        FRICTIONS,
    ),
    Row(
        "arch, t/R = 0.08",
        "stands, 0 if it falls",
        0.5,
        lambda o: float(creep(scenes.arch(0.08), 1.0, o) < 0.1),
        FRICTIONS,
    ),
    Row(
        "arch, t/R = 0.08, falls",
        "time for 3 s, s",
        10.0,
        lambda o: cpu_seconds(scenes.arch(0.08), 3.0, o),
        FRICTIONS,
    ),
    Row(
        "twelve dominoes",
        "worst residual",
        1e-3,
        lambda o: worst_residual(scenes.dominoes(12), 0.5, 0.005, o),
        FRICTIONS,
    ),
)
