"""Errors of flights, mechanisms and impacts whose motion is known: rows of `tools/physics_table.py`."""

from __future__ import annotations

from functools import cache, partial
from typing import Any

import numpy as np
from physics_runs import (
    IMPACTS,
    INTEGRATORS,
    Options,
    Row,
    g,
    run,
    scenes,
)
from scipy.optimize import brentq
from scipy.special import ellipj, ellipk

from rbnotes import Body, Model, inertia, se3, so3
from rbnotes.dynamics import Forces, State
from rbnotes.forces import PathForces, SpringDamper, on_body, on_world, path_through
from rbnotes.joints import Revolute
from rbnotes.multibody import Trajectory, maximal, maximal_coordinates
from rbnotes.multibody.reduced import LoopJoint
from rbnotes.shapes import Box


def slider_crank(options: Options, what: str) -> float:
    """Return the drift or the largest error of the energy of a slider-crank without gravity and friction."""
    if what == "order":
        coarse, fine = (_crank(options, h).max() for h in (2.5e-3, 1.25e-3))
        return float(abs(np.log2(coarse / fine) - 2))
    off = _crank(options, 5e-3)
    return float(off.max() if what == "swing" else off[-1])


def _crank(options: Options, h: float) -> Any:
    model, start = scenes.slider_crank(6.0)
    path = run(model, start, 0.5, h, options)
    return np.abs(path.energies / path.energies[0] - 1)


def double_pendulum(options: Options, what: str) -> float:
    path = _swing(tuple(options.items()))
    if what == "joints":
        joints = maximal_coordinates(path.model).maximal_model.joints
        joint_errors = [np.abs(maximal.constraint_error(joints, E)).max() for E in path.body_states.E[::20]]
        return float(max(joint_errors))
    return float(np.ptp(path.energies) / (2 * g))  # relative to the energy between horizontal and hanging


NEAR_AXIS_SPIN, NEARER_AXIS_SPIN = (0.05, 2.0, 0.0), (1e-3 * np.sqrt(3), 3.0, 0.0)
"""Spins of a body of moments 1, 2, 3 near its middle axis, rad/s: it flips each 8.789 s, or each 10.211 s."""


@cache
def _flight(options: tuple[tuple[str, Any], ...], spin: tuple[float, ...]) -> Trajectory:
    M = inertia.spatial_inertia(1.0, np.diag([1.0, 2.0, 3.0]))
    model = Model([Body("body", inertia=M)], gravity=(0, 0, 0))
    return run(model, model.state(twists={"body": [*spin, 0, 0, 0]}), 60.0, 0.01, dict(options))


@cache
def _swing(options: tuple[tuple[str, Any], ...]) -> Trajectory:
    model, start = scenes.double_pendulum()
    return run(model, start, 20.0, 5e-3, dict(options))


def flips(options: Options, what: str, spin: tuple[float, ...]) -> float:
    """Return the error of a body that spins about its intermediate axis; its flips are periodic."""
    path, h = _flight(tuple(options.items()), spin), 0.01
    J, w = np.array([1.0, 2.0, 3.0]), path.body_states.phi[0, 0, :3]
    if what == "energy":
        return float(np.abs(path.energies / path.energies[0] - 1).max())
    # About the axes of moments 1 < 2 < 3; twice the energy and the squared momentum determine the polhode.
    energy, momentum = float(J @ w**2), float(J**2 @ w**2)
    if momentum > energy * J[1]:
        rate = np.sqrt((J[2] - J[1]) * (momentum - energy * J[0]) / np.prod(J))
        m = (J[1] - J[0]) * (energy * J[2] - momentum) / ((J[2] - J[1]) * (momentum - energy * J[0]))
    else:
        rate = np.sqrt((J[1] - J[0]) * (energy * J[2] - momentum) / np.prod(J))
        m = (J[2] - J[1]) * (momentum - energy * J[0]) / ((J[1] - J[0]) * (energy * J[2] - momentum))
    quarter = float(ellipk(m)) / rate
    times = path.t
    exact = ellipj(rate * (times + quarter), m)[0] * np.sqrt(
        (energy * J[2] - momentum) / (J[1] * (J[2] - J[1]))
        if momentum > energy * J[1]
        else (momentum - energy * J[0]) / (J[1] * (J[1] - J[0]))
    )
    turning = path.body_states.phi[:, 0, 1]
    if what == "course":
        return float(np.abs(turning - exact).max() / spin[1])
    k = np.flatnonzero(np.diff(np.sign(turning)))
    flip_times = times[k] + h * turning[k] / (turning[k] - turning[k + 1])
    expected = quarter * (2 * np.arange(1, 1 + int((60 / quarter + 1) // 2)) - 1)
    expected = expected[expected < 60]
    if len(flip_times) != len(expected):
        return np.inf
    return float(np.abs(flip_times / expected - 1).max())


def heavy_top(options: Options) -> float:
    model, start, precession = scenes.heavy_top(400.0)
    T = 0.5
    path = run(model, start, T, 5e-4, options)
    spin_angle = (400.0 - precession * np.cos(0.5)) * T
    exact = so3.exp([0, 0, precession * T]) @ so3.exp([0, 0.5, 0]) @ so3.exp([0, 0, spin_angle])
    R = path.body_states.E[-1, 0, :3, :3]
    return float(so3.angle(exact.T @ R)) if np.all(np.isfinite(R)) else np.inf


def catenary(options: Options) -> float:
    """Return the error of ten rods between two hooks at rest, against their balance of moments."""
    count, span = 10, 6.0
    lean = np.arccos(span / count)
    signs = np.where(np.arange(count) < count / 2, 1.0, -1.0)
    along = np.stack([np.full(count, np.cos(lean)), np.zeros(count), -signs * np.sin(lean)], axis=1)
    ends = np.concatenate([np.zeros((1, 3)), np.cumsum(along, axis=0)])
    poses = [se3.frame(so3.exp([0, s * lean, 0]), (ends[k] + ends[k + 1]) / 2) for k, s in enumerate(signs)]
    shape = Box([1.0, 0.05, 0.05])
    hinges = [se3.frame(scenes.ABOUT_Y, end) for end in ends]
    rods = []
    for k, pose in enumerate(poses):
        above = (f"{k - 1}", hinges[k - 1]) if k else ()
        rods.append(scenes.hinged(f"{k}", shape, hinges[k], pose, *above, mass=1.0, collision=()))
    hook = LoopJoint(Revolute(), f"{count - 1}", se3.inverse(poses[-1]) @ hinges[-1], None, hinges[-1])
    drag = -3.0 * np.kron(np.eye(count), shape.spatial_inertia(mass=1.0))

    def damp(state: State) -> Forces:
        return Forces(drag @ state.velocity, 0 * drag, drag)

    model = Model(rods, constraints=[hook], forces=damp)
    path = run(model, model.state(), 8.0, 0.01, options)
    lifts = (np.arange(count) - (count - 1) / 2) * g
    thrust = brentq(lambda H: np.sum(1 / np.sqrt(1 + (lifts / H) ** 2)) - span, 0.1, 1e4)
    angles = np.arctan(lifts / thrust)
    steps = np.stack([np.cos(angles), np.zeros(count), np.sin(angles)], axis=1)
    middles = np.cumsum(steps, axis=0) - steps / 2
    return float(np.abs(path.body_states.E[-1, :, :3, 3] - middles).max())


def tendon(options: Options) -> float:
    """Return the difference to MuJoCo's spatial tendon of a spring that runs through two bodies."""
    try:
        # The package has no types where it is installed; elsewhere mypy must not report it as missing.
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
    mujoco_model = mujoco.MjModel.from_xml_string(
        '<mujoco><option timestep="1e-4" integrator="RK4" gravity="0 0 -9.81"/>'
        f'<worldbody><site name="a" pos="{sides(str(x) for x in anchor)}"/>{bodies}</worldbody>'
        '<tendon><spatial stiffness="60" damping="0.5" springlength="1.0"><site site="a"/><site site="s0"/>'
        '<site site="s1"/></spatial></tendon></mujoco>'
    )
    data = mujoco.MjData(mujoco_model)
    for _ in range(5000):
        mujoco.mj_step(mujoco_model, data)
    solids = [
        Body(name, box, mass=m, position=position, collision=())
        for name, box, m, position in zip("ab", boxes, masses, at, strict=True)
    ]
    path_ = path_through(on_world(anchor), on_body("a", sites[0]), on_body("b", sites[1]))
    model = Model(solids, forces=PathForces(SpringDamper(60.0, 0.5, 1.0), path_))
    path = run(model, model.state(), 0.5, 2.5e-3, options)
    return float(np.abs(path.body_states.E[-1, :, :3, 3] - data.xpos[1:]).max())


def cradle(count: int, hitting: int, options: Options) -> float:
    """Return the error of equal balls in contact against the solution of each impact law.

    With sequential impacts as many balls leave as arrive. With simultaneous impacts only the approaching pair
    separates, at its speed of approach: this makes two groups, whose speeds follow from momentum.
    """
    model, start = scenes.cradle(count, [1.0] * hitting)
    path = run(model, start, 0.03, 0.01, options)
    number = np.arange(count)
    if "impacts" in options:
        expected = np.where(number >= count - hitting, 1.0, 0.0)
    else:
        expected = 2 * hitting / count - np.where(number < hitting, 1.0, 0.0)
    return float(np.abs(path.body_states.phi[-1, :, 3] - expected).max())


def cradle_energy(options: Options) -> float:
    model, start = scenes.cradle(5, [1.0])
    path = run(model, start, 0.03, 0.01, options)
    return float(np.abs(path.energies / path.energies[0] - 1).max())


ROWS = (
    Row(
        "slider-crank, 0.5 s, 5 ms",
        "energy loss, relative",
        5e-3,
        partial(slider_crank, what="end"),
        INTEGRATORS,
    ),
    Row(
        "slider-crank, 0.5 s, 5 ms",
        "largest deviation of the energy",
        0.02,
        partial(slider_crank, what="swing"),
        INTEGRATORS,
    ),
    Row(
        "slider-crank, 0.5 s, 5 ms",
        "order of that deviation, minus two",
        0.1,
        partial(slider_crank, what="order"),
        INTEGRATORS,
    ),
    Row(
        "double pendulum, 20 s, 5 ms",
        "energy, relative",
        0.01,
        partial(double_pendulum, what="energy"),
        INTEGRATORS,
    ),
    Row(
        "double pendulum, 20 s, 5 ms",
        "joint errors, m",
        1e-8,
        partial(double_pendulum, what="joints"),
        INTEGRATORS,
    ),
    *(
        Row(
            f"body that flips each {each} s, 60 s, 10 ms",
            measured,
            limit,
            partial(flips, what=what, spin=spin),
            INTEGRATORS,
        )
        for each, spin in (("8.79", NEAR_AXIS_SPIN), ("10.21", NEARER_AXIS_SPIN))
        for measured, limit, what in (
            ("energy, relative", 1e-6, "energy"),
            ("times of flips, relative", 0.01, "times"),
            ("rate against ellipj, relative", 0.01, "course"),
        )
    ),
    Row("heavy top at 400 rad/s, 0.5 s, 0.5 ms", "attitude, rad", 1e-3, heavy_top, INTEGRATORS),
    Row("ten rods between two hooks", "positions at rest, m", 1e-3, catenary, INTEGRATORS),
    Row("spring through two bodies against MuJoCo, 0.5 s", "positions, m", 1e-3, tendon, INTEGRATORS),
    Row("cradle of five balls, elastic", "energy, relative", 1e-9, cradle_energy, IMPACTS),
    Row(
        "cradle of three balls, one approaches",
        "velocities against its law, m/s",
        1e-9,
        partial(cradle, 3, 1),
        IMPACTS,
    ),
    Row(
        "cradle of five balls, two approach",
        "velocities against its law, m/s",
        1e-9,
        partial(cradle, 5, 2),
        IMPACTS,
    ),
)
