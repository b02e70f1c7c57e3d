"""The simulator against physics: scenes whose motion is known, each with its error beside its tolerance.

    python tools/physics_table.py                   # ten minutes; writes book/_data/physics.csv for the book
    python tools/physics_table.py --only ladder     # rows whose names contain a word; the others stay
    python tools/physics_table.py --default         # the defaults alone; writes nothing

Scenes with contact are run with several friction models, the others with several integrators; where a model
stops with an error, or takes longer than anyone waits, the table says so. The scenes are in
tests/maximal, and so are tests that the defaults have to pass. Exit status 1 if a default misses a tolerance.
"""

from __future__ import annotations

import argparse
import csv
import platform
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import ellipj, ellipk

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "maximal"))

import physics_scenes as scenes  # noqa: E402

import rbnotes  # noqa: E402
from rbnotes import friction, inertia, maximal, se3, so3  # noqa: E402
from rbnotes.contact import Collider, Plane  # noqa: E402
from rbnotes.dynamics import WORLD, Forces, State, keeping_energy, keeping_momentum, symplectic_euler  # noqa: E402
from rbnotes.errors import NotConverged  # noqa: E402
from rbnotes.forces import ForceGroups, Paths, SpringDamper, on_body, on_world, through  # noqa: E402
from rbnotes.joints import Revolute  # noqa: E402
from rbnotes.maximal import Mechanism, Trajectory, World, simulate  # noqa: E402
from rbnotes.solids import Box, Sphere  # noqa: E402

TABLE = ROOT / "book" / "_data" / "physics.csv"
COLUMNS = ("kind", "scene", "measured", "tolerance", "way", "error", "seconds")
PATIENCE = 40.0
"""Of one run, s."""

g = scenes.GRAVITY
Options = dict[str, Any]

FRICTIONS: dict[str, Options] = {
    "newton_friction": {},
    "box_friction": {"friction": friction.box_friction},
    "anitescu_stewart": {"friction": friction.anitescu_stewart},
    "gauss_seidel_friction": {"friction": partial(friction.gauss_seidel_friction, max_sweeps=1000)},
    "single_qp": {"friction": friction.single_qp},
}
INTEGRATORS: dict[str, Options] = {
    "rattle": {},
    "keeping_momentum": {"integrator": keeping_momentum},
    "keeping_energy": {"integrator": keeping_energy},
    "symplectic_euler": {"integrator": symplectic_euler},
}
IMPACTS: dict[str, Options] = {"simultaneous": {}, "sequential": {"impacts": "sequential"}}


class TooLong(Exception):
    """A run that takes more than it is worth."""


@dataclass(frozen=True)
class Row:
    """A scene."""

    name: str
    measured: str
    """What the error is of, with its unit."""
    tolerance: float
    error: Callable[[Options], float]
    ways: dict[str, Options]
    """What it is run with; the first is the default."""


def run(world: World, start: State, T: float, h: float, options: Options) -> Trajectory:
    began = time.process_time()

    def watch(done: int, of: int) -> None:
        if time.process_time() - began > PATIENCE:
            raise TooLong

    return simulate(world, start, h, round(T / h), progress=watch, **options)


def displacements(path: Trajectory) -> Any:
    return path.states.E[-1, :, :3, 3] - path.states.E[0, :, :3, 3]


def threshold(scene: Callable[[float], Any], T: float, given: float, options: Options) -> float:
    """How far from one the part of the friction of statics is at which a scene gives way by ``given``."""

    def stands(ratio: float) -> bool:
        return bool(
            np.abs(displacements(run(scene(ratio)[0], scene(ratio)[1], T, 0.01, options))).max() < given
        )

    low, high = 0.5, 2.0
    if stands(low):
        return 1 - low
    if not stands(high):
        return high - 1
    for _ in range(11):
        middle = (low + high) / 2
        low, high = (low, middle) if stands(middle) else (middle, high)
    return abs((low + high) / 2 - 1)


def slides(options: Options, what: str) -> float:
    worst = 0.0
    for heading in (0.0, np.pi / 8, np.pi / 4, 1.2):
        world, start, plane = scenes.block_on_a_slope(0.6, 0.5, heading)
        moved = plane.T @ displacements(run(world, start, 0.5, 0.01, options))[0]
        distance = g * (np.sin(0.6) - 0.5 * np.cos(0.6)) * 0.5**2 / 2
        off = abs(np.degrees(np.arctan2(moved[1], moved[0])))
        worst = max(worst, off if what == "direction" else abs(moved[0] / distance - 1))
    return worst


def slope_threshold(options: Options) -> float:
    """The slope stays, the coefficient is varied, over four headings."""

    def scene(ratio: float, heading: float) -> Any:
        return scenes.block_on_a_slope(0.4, ratio * np.tan(0.4), heading)

    return max(
        threshold(partial(scene, heading=heading), 0.1, 1e-6, options)
        for heading in (0.0, np.pi / 8, np.pi / 4)
    )


def rolling(options: Options, part: float, hollow: bool = False) -> float:
    """The part of its first speed with which a ball that slid along a diagonal rolls."""
    ball, speed = Sphere(0.1), 2.0
    M = inertia.spatial_inertia(1.0, (2 / 3 if hollow else 2 / 5) * 0.1**2 * np.eye(3))
    world = World(Mechanism(M[None]), [Collider(WORLD, Plane(), mu=0.3), Collider(0, ball, mu=0.3)])
    start = State(scenes.at(0, 0, 0.1), [0, 0, 0, speed / np.sqrt(2), speed / np.sqrt(2), 0])
    path = run(world, start, 0.5, 0.01, options)
    return abs(float(np.linalg.norm(path.states.phi[-1, 0, 3:])) / speed / part - 1)


def rolls_from(options: Options) -> float:
    ball, speed = Sphere(0.1), 2.0
    M = ball.spatial_inertia(mass=1.0)
    world = World(Mechanism(M[None]), [Collider(WORLD, Plane(), mu=0.3), Collider(0, ball, mu=0.3)])
    start = State(scenes.at(0, 0, 0.1), [0, 0, 0, speed / np.sqrt(2), speed / np.sqrt(2), 0])
    path = run(world, start, 0.5, 0.005, options)
    rolls = [event.time for event in path.events if event.kind == "sticks"]
    return abs(rolls[0] - 2 * speed / (7 * 0.3 * g)) if rolls else np.inf


def spinning_slab(options: Options) -> float:
    """A square slab spins on its four corners: friction mu m g acts at their distance from the middle."""
    slab, mu, spin = Box([0.4, 0.4, 0.05]), 0.3, 10.0
    M = slab.spatial_inertia(mass=1.0)
    world = World(Mechanism(M[None]), [Collider(WORLD, Plane(), mu=mu), Collider(0, slab, mu=mu)])
    path = run(world, State(scenes.at(0, 0, 0.025), [0, 0, spin, 0, 0, 0]), 0.4, 0.0025, options)
    slows = mu * g * 0.2 * np.sqrt(2) / M[2, 2]
    turned = np.unwrap(np.arctan2(path.states.E[:, 0, 1, 0], path.states.E[:, 0, 0, 0]))[-1]
    return float(abs(turned / (spin**2 / 2 / slows) - 1))


def slip_stick(options: Options) -> float:
    """A block on a spring, let go 5.3 times beyond what friction holds, loses 2 mu m g / k a swing."""
    box, mu, stiffness = Box([0.2, 0.2, 0.1]), 0.3, 100.0
    M = box.spatial_inertia(mass=1.0)
    holds = mu * g / stiffness

    def spring(state: State) -> Forces:
        return Forces.without_derivatives([0, 0, 0, -stiffness * state.E[0, 0, 3], 0, 0])

    world = World(
        Mechanism(M[None], applied=spring), [Collider(WORLD, Plane(), mu=mu), Collider(0, box, mu=mu)]
    )
    path = run(world, State(scenes.at(5.3 * holds, 0, 0.05)[None]), 1.5, 0.0025, options)
    ends = 5.3 * holds
    while abs(ends) > holds:
        ends = -np.sign(ends) * (abs(ends) - 2 * holds)
    return float(abs(path.states.E[-1, 0, 0, 3] - ends) / holds)


def rebound(options: Options) -> float:
    """Heights of the first two rebounds, e^2 and e^4 of the first, relative to it."""
    ball, e, height = Sphere(0.1), 0.7, 0.5
    world = World(
        Mechanism(ball.spatial_inertia(mass=1.0)[None]),
        [Collider(WORLD, Plane(), restitution=e), Collider(0, ball, restitution=e)],
    )
    path = run(world, State(scenes.at(0, 0, 0.1 + height)[None]), 1.05, 1e-3, options)
    z, t, fall = path.states.E[:, 0, 2, 3] - 0.1, path.states.t, np.sqrt(2 * height / g)
    second = fall * (1 + 2 * e)
    tops = z[(t > fall) & (t < second)].max(), z[t > second + 0.01].max()
    return float(np.abs(np.array(tops) / height - [e**2, e**4]).max())


def siconos_ball(options: Options) -> float:
    """How far the height after 0.7 s is from the one that Siconos gives for its example."""
    world, start = scenes.bouncing_ball()
    path = run(world, start, 0.7, 5e-3, options)
    return float(abs(path.states.E[-1, 0, 2, 3] - 0.1 - scenes.SICONOS_BALL[0.7][0]))


def pulled_with_its_friction(options: Options) -> float:
    """Along a diagonal, with exactly mu m g: it stays."""
    box, mu = Box([0.3, 0.2, 0.1]), 0.5
    M = box.spatial_inertia(mass=2.0)
    pull = mu * 2.0 * g * np.array([np.cos(0.6), np.sin(0.6), 0])
    applied = lambda state: Forces.without_derivatives([0, 0, 0, *pull])  # noqa: E731
    world = World(
        Mechanism(M[None], applied=applied), [Collider(WORLD, Plane(), mu=mu), Collider(0, box, mu=mu)]
    )
    return float(
        np.abs(displacements(run(world, State(scenes.at(0, 0, 0.05)[None]), 1.0, 0.01, options))).max()
    )


def creep(scene: Any, T: float, options: Options) -> float:
    return float(np.abs(displacements(run(scene[0], scene[1], T, 0.01, options))).max())


def cpu_seconds(scene: Any, T: float, options: Options) -> float:
    began = time.process_time()
    run(scene[0], scene[1], T, 0.01, options)
    return time.process_time() - began


def worst_residual(scene: Any, T: float, h: float, options: Options) -> float:
    return max(record.residual for record in run(scene[0], scene[1], T, h, options).contacts)


def heavy_on_light(ratio: float, options: Options) -> float:
    """Two cubes, the upper one heavier: creep."""
    return creep(scenes.tower(2, densities=[500.0, 500.0 * ratio]), 0.5, options)


def slider_crank(options: Options) -> float:
    mechanism, start = scenes.slider_crank(6.0)
    path = run(World(mechanism), start, 0.5, 5e-3, options)
    return float(abs(path.energies[-1] / path.energies[0] - 1))


def double_pendulum(options: Options, what: str) -> float:
    mechanism, path = scenes.double_pendulum()[0], _swing(tuple(options.items()))
    if what == "joints":
        apart = [np.abs(maximal.joint_errors(mechanism.joints, E)).max() for E in path.states.E[::20]]
        return float(max(apart))
    return float(np.ptp(path.energies) / (2 * g))  # of the energy from level to hanging


@cache
def _flight(options: tuple[tuple[str, Any], ...]) -> Trajectory:
    M = inertia.spatial_inertia(1.0, np.diag([1.0, 2.0, 3.0]))
    start = State(np.eye(4), [1e-3 * np.sqrt(3), 3.0, 0, 0, 0, 0])
    return run(World(Mechanism(M[None], (), (0, 0, 0))), start, 60.0, 0.01, dict(options))


@cache
def _swing(options: tuple[tuple[str, Any], ...]) -> Trajectory:
    return run(World(scenes.double_pendulum()[0]), scenes.double_pendulum()[1], 20.0, 5e-3, dict(options))


def flips(options: Options, what: str) -> float:
    """A body that spins about its middle axis, nearly: the flips are at quarters of Jacobi's period."""
    path, h = _flight(tuple(options.items())), 0.01
    J, w = np.array([1.0, 2.0, 3.0]), path.states.phi[0, 0, :3]
    if what == "energy":
        return float(np.abs(path.energies / path.energies[0] - 1).max())
    # About the axes of moments 1 < 2 < 3; twice the energy and the squared momentum say which way it turns.
    energy, momentum = float(J @ w**2), float(J**2 @ w**2)
    if momentum > energy * J[1]:
        rate = np.sqrt((J[2] - J[1]) * (momentum - energy * J[0]) / np.prod(J))
        m = (J[1] - J[0]) * (energy * J[2] - momentum) / ((J[2] - J[1]) * (momentum - energy * J[0]))
    else:
        rate = np.sqrt((J[1] - J[0]) * (energy * J[2] - momentum) / np.prod(J))
        m = (J[2] - J[1]) * (momentum - energy * J[0]) / ((J[1] - J[0]) * (energy * J[2] - momentum))
    quarter = float(ellipk(m)) / rate
    times = path.states.t
    exact = ellipj(rate * (times + quarter), m)[0] * np.sqrt(
        (energy * J[2] - momentum) / (J[1] * (J[2] - J[1]))
        if momentum > energy * J[1]
        else (momentum - energy * J[0]) / (J[1] * (J[1] - J[0]))
    )
    turning = path.states.phi[:, 0, 1]
    if what == "course":
        return float(np.abs(turning - exact).max() / 3.0)
    k = np.flatnonzero(np.diff(np.sign(turning)))
    found = times[k] + h * turning[k] / (turning[k] - turning[k + 1])
    wanted = quarter * (2 * np.arange(1, 1 + int((60 / quarter + 1) // 2)) - 1)
    wanted = wanted[wanted < 60]
    if len(found) != len(wanted):
        return np.inf
    return float(np.abs(found / wanted - 1).max())


def heavy_top(options: Options) -> float:
    M, start, precession = scenes.heavy_top(400.0)
    T = 0.5
    path = run(World(Mechanism(M[None], [maximal.ball(0)])), start, T, 5e-4, options)
    spun = (400.0 - precession * np.cos(0.5)) * T
    exact = so3.exp([0, 0, precession * T]) @ so3.exp([0, 0.5, 0]) @ so3.exp([0, 0, spun])
    R = path.states.E[-1, 0, :3, :3]
    return float(so3.angle(exact.T @ R)) if np.all(np.isfinite(R)) else np.inf


def catenary(options: Options) -> float:
    """Ten rods hang between two hooks, come to rest by drag: by their moments, with one thrust."""
    count, span = 10, 6.0
    lean = np.arccos(span / count)
    signs = np.where(np.arange(count) < count / 2, 1.0, -1.0)
    along = np.stack([np.full(count, np.cos(lean)), np.zeros(count), -signs * np.sin(lean)], axis=1)
    ends = np.concatenate([np.zeros((1, 3)), np.cumsum(along, axis=0)])
    poses = np.stack(
        [se3.frame(so3.exp([0, s * lean, 0]), (ends[k] + ends[k + 1]) / 2) for k, s in enumerate(signs)]
    )
    rod = Box([1.0, 0.05, 0.05]).spatial_inertia(mass=1.0)
    hinge = so3.exp([-np.pi / 2, 0, 0])
    joints = [
        maximal.joint_at(Revolute(), se3.frame(hinge, ends[k]), poses, k, k - 1 if k else WORLD)
        for k in range(count)
    ]
    joints.append(maximal.joint_at(Revolute(), se3.frame(hinge, ends[-1]), poses, count - 1))
    masses = np.stack([rod] * count)
    drag = -3.0 * np.kron(np.eye(count), rod)
    mechanism = Mechanism(masses, joints, applied=lambda state: Forces(drag @ state.velocity, 0 * drag, drag))
    path = run(World(mechanism), State(poses), 8.0, 0.01, options)
    lifts = (np.arange(count) - (count - 1) / 2) * g
    thrust = brentq(lambda H: np.sum(1 / np.sqrt(1 + (lifts / H) ** 2)) - span, 0.1, 1e4)
    slopes = np.arctan(lifts / thrust)
    steps = np.stack([np.cos(slopes), np.zeros(count), np.sin(slopes)], axis=1)
    middles = np.cumsum(steps, axis=0) - steps / 2
    return float(np.abs(path.states.E[-1, :, :3, 3] - middles).max())


def tendon(options: Options) -> float:
    """Two bodies on a spring that runs from the world through one to the other: MuJoCo's spatial tendon."""
    try:
        import mujoco  # type: ignore[import-untyped, unused-ignore]
    except ImportError:
        return np.nan
    boxes = [Box([0.2, 0.3, 0.4]), Box([0.3, 0.2, 0.2])]
    masses: list[float] = [2.0, 1.0]
    at: list[list[float]] = [[0.0, 0.0, 0.0], [0.5, 0.1, -0.6]]
    anchor, sites = [0.1, 0.0, 0.9], [[0.1, 0.15, 0.2], [0.0, -0.1, 0.1]]
    sides = " ".join
    bodies = "".join(
        f'<body name="b{i}" pos="{sides(str(x) for x in at[i])}"><freejoint/>'
        f'<geom type="box" contype="0" conaffinity="0" mass="{masses[i]}" '
        f'size="{sides(str(s / 2) for s in boxes[i].sides)}"/>'
        f'<site name="s{i}" pos="{sides(str(x) for x in sites[i])}"/></body>'
        for i in (0, 1)
    )
    model = mujoco.MjModel.from_xml_string(
        '<mujoco><option timestep="1e-4" integrator="RK4" gravity="0 0 -9.81"/>'
        f'<worldbody><site name="a" pos="{sides(str(x) for x in anchor)}"/>{bodies}</worldbody>'
        '<tendon><spatial stiffness="60" damping="0.5" springlength="1.0"><site site="a"/><site site="s0"/>'
        '<site site="s1"/></spatial></tendon></mujoco>'
    )
    data = mujoco.MjData(model)
    for _ in range(5000):
        mujoco.mj_step(model, data)
    inertias = np.stack([box.spatial_inertia(mass=m) for box, m in zip(boxes, masses, strict=True)])
    path_ = through(on_world(anchor), on_body(0, sites[0]), on_body(1, sites[1]))
    mechanism = Mechanism(inertias, applied=ForceGroups([Paths(SpringDamper(60.0, 0.5, 1.0), path_)]))
    start = State(np.stack([scenes.at(*each) for each in at]))
    path = run(World(mechanism), start, 0.5, 2.5e-3, options)
    return float(np.abs(path.states.E[-1, :, :3, 3] - data.xpos[1:]).max())


def cradle(count: int, hitting: int, options: Options) -> float:
    """Against what steel balls do: as many fly off as came."""
    world, start = scenes.cradle(count, [1.0] * hitting)
    path = run(world, start, 0.03, 0.01, options)
    return float(np.abs(path.states.phi[-1, :, 3] - (np.arange(count) >= count - hitting)).max())


def cradle_energy(options: Options) -> float:
    world, start = scenes.cradle(5, [1.0])
    path = run(world, start, 0.03, 0.01, options)
    return float(np.abs(path.energies / path.energies[0] - 1).max())


DEFAULT = {"newton_friction": FRICTIONS["newton_friction"]}
FEW = {name: FRICTIONS[name] for name in ("newton_friction", "box_friction", "gauss_seidel_friction")}
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
    Row("block on a slope, three headings", "threshold, relative", 1e-3, slope_threshold, FRICTIONS),
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
        FEW,
    ),
    Row("block pulled with exactly mu m g", "moved in 1 s, m", 1e-8, pulled_with_its_friction, FRICTIONS),
    Row("ball slides, then rolls", "speed 5/7, relative", 1e-6, partial(rolling, part=5 / 7), FRICTIONS),
    Row(
        "hollow ball slides, then rolls",
        "speed 3/5, relative",
        1e-6,
        partial(rolling, part=3 / 5, hollow=True),
        FRICTIONS,
    ),
    Row("ball slides, then rolls", "when, s", 0.0051, rolls_from, FRICTIONS),
    Row("slab spins on its corners", "angle, relative", 2e-3, spinning_slab, FRICTIONS),
    Row("block on a spring slips and sticks", "where, part of mu m g / k", 0.01, slip_stick, FRICTIONS),
    Row("ball rebounds", "heights, relative", 0.01, rebound, FRICTIONS),
    Row("bouncing ball of Siconos's examples, 5 ms", "height at 0.7 s, m", 0.02, siconos_ball, FRICTIONS),
    Row("tower of ten cubes", "moved in 3 s, m", 1e-9, lambda o: creep(scenes.tower(10), 3.0, o), FEW),
    Row("cube on one a million times lighter", "moved in 0.5 s, m", 1e-6, partial(heavy_on_light, 1e6), FEW),
    Row("trilithon", "moved in 10 s, m", 1e-9, lambda o: creep(scenes.trilithon(), 10.0, o), DEFAULT),
    Row("trilithon", "time for 3 s, s", 10.0, lambda o: cpu_seconds(scenes.trilithon(), 3.0, o), FEW),
    Row("arch, t/R = 0.25", "moved in 10 s, m", 1e-9, lambda o: creep(scenes.arch(0.25), 10.0, o), DEFAULT),
    Row("arch, t/R = 0.15", "moved in 10 s, m", 1e-9, lambda o: creep(scenes.arch(0.15), 10.0, o), DEFAULT),
    Row(
        "arch, t/R = 0.08",
        "stands, 0 if it falls",
        0.5,
        lambda o: float(creep(scenes.arch(0.08), 1.0, o) < 0.1),
        FEW,
    ),
    Row(
        "arch, t/R = 0.08, falls",
        "time for 3 s, s",
        10.0,
        lambda o: cpu_seconds(scenes.arch(0.08), 3.0, o),
        FEW,
    ),
    Row(
        "twelve dominoes",
        "worst residual",
        1e-3,
        lambda o: worst_residual(scenes.dominoes(12), 0.5, 0.005, o),
        FEW,
    ),
    Row("slider-crank, 0.5 s, 5 ms", "energy, relative", 5e-3, slider_crank, INTEGRATORS),
    Row(
        "double pendulum, 20 s, 5 ms",
        "energy, relative",
        0.01,
        partial(double_pendulum, what="energy"),
        INTEGRATORS,
    ),
    Row(
        "double pendulum, 20 s, 5 ms", "joints, m", 1e-8, partial(double_pendulum, what="joints"), INTEGRATORS
    ),
    Row(
        "body near the separatrix, 60 s, 10 ms",
        "energy, relative",
        1e-6,
        partial(flips, what="energy"),
        INTEGRATORS,
    ),
    Row(
        "body near the separatrix, 60 s, 10 ms",
        "times of flips, relative",
        0.01,
        partial(flips, what="times"),
        INTEGRATORS,
    ),
    Row(
        "body near the separatrix, 60 s, 10 ms",
        "rate against ellipj, relative",
        0.01,
        partial(flips, what="course"),
        INTEGRATORS,
    ),
    Row("heavy top at 400 rad/s, 0.5 s, 0.5 ms", "attitude, rad", 1e-3, heavy_top, INTEGRATORS),
    Row("ten rods between two hooks", "places at rest, m", 1e-3, catenary, INTEGRATORS),
    Row("spring through two bodies against MuJoCo, 0.5 s", "places, m", 1e-3, tendon, INTEGRATORS),
    Row("cradle of five balls, elastic", "energy, relative", 1e-9, cradle_energy, IMPACTS),
    Row("cradle of three balls, one comes", "last flies off alone, m/s", 2.0, partial(cradle, 3, 1), IMPACTS),
    Row("cradle of five balls, two come", "two fly off, m/s", 2.0, partial(cradle, 5, 2), IMPACTS),
)


def measured(row: Row, default_only: bool) -> Iterator[tuple[str, ...]]:
    """The lines of the table for one row."""
    kinds = {id(INTEGRATORS): "integrator", id(IMPACTS): "impacts"}
    for way, options in list(row.ways.items())[: 1 if default_only else None]:
        began = time.process_time()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                error = f"{row.error(options):.1e}"
        except TooLong:
            error = f"more than {PATIENCE:.0f} s"
        except (NotConverged, np.linalg.LinAlgError, ValueError, FloatingPointError) as found:
            error = f"stops: {type(found).__name__}"
        seconds = f"{time.process_time() - began:.1f}"
        kind = kinds.get(id(row.ways), "friction")
        yield kind, row.name, row.measured, f"{row.tolerance:g}", way, error, seconds


def misses(line: tuple[str, ...]) -> bool:
    try:
        return not float(line[5]) <= float(line[3]) and line[5] != "nan"
    except ValueError:
        return True


def write(lines: Iterable[tuple[str, ...]]) -> None:
    """The table as it is so far, in the order of the rows; lines of rows that are no more are left out."""
    order = [(row.name, row.measured, way) for row in ROWS for way in row.ways]
    kept = [line for line in lines if (line[1], line[2], line[4]) in order]
    kept.sort(key=lambda line: order.index((line[1], line[2], line[4])))
    processor = platform.processor() or platform.machine()
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([f"{date.today()}, rbnotes {rbnotes.__version__}, {processor}, one thread"])
        writer.writerows([COLUMNS, *kept])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="*", help="rows whose names contain one of these")
    parser.add_argument("--default", action="store_true", help="the defaults alone")
    arguments = parser.parse_args()
    lines: dict[tuple[str, ...], tuple[str, ...]] = {}
    missed = 0
    if arguments.only and TABLE.exists():
        with TABLE.open(encoding="utf-8", newline="") as file:
            lines = {tuple(line[:5]): tuple(line) for line in list(csv.reader(file))[2:]}
    for row in ROWS:
        if arguments.only and not any(word in row.name for word in arguments.only):
            continue
        for k, line in enumerate(measured(row, arguments.default)):
            missed += k == 0 and misses(line)
            mark = "misses" if misses(line) else ""
            print("{1:50} {2:32} {3:>8} {4:22} {5:>12} {6:>7} s ".format(*line) + mark, flush=True)
            lines[line[:5]] = line
            if not arguments.default:
                write(lines.values())
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
