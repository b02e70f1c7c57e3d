"""Measure the cost of argument checks, relative to the work that they guard.

    OMP_NUM_THREADS=1 python benchmarks/checks.py      # half a minute; prints two tables

A public function is compared with the formula that it calls after its checks, on one frame and on a thousand.
Both sides of a ratio run alternately, under the same conditions. The checks of the simulator are timed
one by one while it runs. Times are medians of processor time.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any
from unittest import mock

import numpy as np
from hanging_chain import hanging_chain

from rbnotes import Body, Model, arguments, quaternion, se3, simulate, so3
from rbnotes.dynamics import implicit_momentum_conserving_euler
from rbnotes.forces import (
    FrameSpring,
    FrameSprings,
    Muscle,
    PathForces,
    SpringDamper,
    on_body,
    on_world,
    path_through,
)
from rbnotes.inertia import transform_inertia
from rbnotes.joints import ExponentialSpherical, Universal
from rbnotes.multibody import Geometry
from rbnotes.shapes import Box, Capsule, Plane
from rbnotes.unchecked import (
    quaternion as unchecked_quaternion,
)
from rbnotes.unchecked import (
    se3 as unchecked_se3,
)
from rbnotes.unchecked import (
    so3 as unchecked_so3,
)

PAIRS = 15
RUNS = 5
BATCH = 1000


def seconds(function: Callable[[], object], repeats: int) -> float:
    start = time.process_time()
    for _ in range(repeats):
        function()
    return (time.process_time() - start) / repeats


def time_ratio(
    first: Callable[[], object],
    second: Callable[[], object],
    *,
    pairs: int = PAIRS,
    min_seconds: float = 0.01,
) -> tuple[float, float]:
    """Return the median ratio of the times of ``first`` and ``second``, and that of ``second`` in s.

    Each side of a pair runs for at least ``min_seconds`` seconds.
    """
    first(), second()  # first calls are not measured
    repeats = 1
    while seconds(second, repeats) * repeats < min_seconds:
        repeats *= 2
    times = [(seconds(first, repeats), seconds(second, repeats)) for _ in range(pairs)]
    return statistics.median(a / b for a, b in times), statistics.median(b for _, b in times)


def function_table() -> str:
    """Print public functions beside their formulas."""
    rng = np.random.default_rng(0)
    xi = rng.normal(size=(BATCH, 6))
    E, w, x = unchecked_se3.exp(xi), xi[:, :3], rng.normal(size=(BATCH, 3))
    R, q = E[:, :3, :3], unchecked_quaternion.from_rotation_vector(w)
    cases: dict[str, tuple[Callable[..., Any], Callable[..., Any], tuple[Any, ...]]] = {
        "so3.exp": (so3.exp, unchecked_so3.exp, (w,)),
        "so3.log": (so3.log, unchecked_so3.log, (R,)),
        "se3.exp": (se3.exp, unchecked_se3.exp, (xi,)),
        "se3.log": (se3.log, unchecked_se3.log, (E,)),
        "se3.inverse": (se3.inverse, unchecked_se3.inverse, (E,)),
        "se3.Ad": (se3.Ad, unchecked_se3.Ad, (E,)),
        "se3.Ad_inverse": (se3.Ad_inverse, unchecked_se3.Ad_inverse, (E,)),
        "se3.transform_points": (se3.transform_points, unchecked_se3.transform_points, (E, x)),
        "quaternion.product": (quaternion.product, unchecked_quaternion.product, (q, q)),
        "quaternion.rotate": (quaternion.rotate, unchecked_quaternion.rotate, (q, x)),
    }
    lines = [
        f"| function | one: ratio | formula, us | {BATCH}: ratio | formula, us |",
        "|---|---|---|---|---|",
    ]
    for name, (function, formula, batch) in cases.items():
        cells = []
        for values in ([each[0] for each in batch], batch):
            ratio, formula_time = time_ratio(partial(function, *values), partial(formula, *values))
            cells += [f"{ratio:.2f}", f"{1e6 * formula_time:.1f}"]
        lines.append(f"| `{name}` | {' | '.join(cells)} |")
    return "\n".join(lines)


def check_fraction(run: Callable[[], object]) -> tuple[float, float]:
    """Return the share of argument checks and conversions in the time of a run, and that time in s.

    Both are processor times of the same run. The time of reading the clock is subtracted. Calls of force laws
    and friction models are work, not checks.
    """
    clock = time.process_time_ns
    check_time = calls = 0
    is_nested = False

    def timed(check: Callable[..., Any]) -> Callable[..., Any]:
        def call(*values: Any, **options: Any) -> Any:
            nonlocal check_time, calls, is_nested
            if is_nested:  # a check that calls another
                return check(*values, **options)
            is_nested, calls, start = True, calls + 1, clock()
            try:
                return check(*values, **options)
            finally:
                check_time, is_nested = check_time + clock() - start, False

        return call

    names = {name for name in arguments.__all__ if name.islower()} - {"call_user_function"}
    functions = {name: timed(getattr(arguments, name)) for name in names}
    run()
    fractions, lengths = [], []
    with mock.patch.multiple(arguments, **functions):
        for _ in range(RUNS):
            check_time = calls = 0
            clock_cost = 1e9 * seconds(clock, 20_000)
            start = clock()
            run()
            total_time = clock() - start - 2 * calls * clock_cost
            fractions.append((check_time - calls * clock_cost) / total_time)
            lengths.append(total_time * 1e-9)
    return statistics.median(fractions), statistics.median(lengths)


def scenes() -> dict[str, Callable[[], object]]:
    """Return runs of the simulator: sliding bodies, swinging and falling chains, bodies on springs."""
    box, num_bodies, links = Box([0.4, 0.5, 0.3]), 5, 10
    boxes = [Body(f"{i}", box, density=300.0, position=[0.6 * i, 0.0, 0.15]) for i in range(num_bodies)]
    sliding = Model(boxes, ground=Plane())
    moving = sliding.state(twists={body.name: [0.0, 0, 0, 1, 0.3, 0] for body in boxes})
    chain = hanging_chain(links, box, 300.0)
    options: dict[str, Any] = {"h": 0.01, "steps": 40, "coordinates": "maximal"}
    return {
        f"{num_bodies} boxes slide, 40 steps": lambda: simulate(sliding, moving, **options),
        f"{links} links swing, 40 steps": lambda: simulate(chain, **options),
        **falling_chain(),
        **bodies_on_springs(),
    }


def falling_chain(links: int = 6) -> dict[str, Callable[[], object]]:
    """Return capsules joined by universal and spherical joints that fall on a plane; joints have targets."""
    rod, across = Capsule(0.05, 0.4), se3.frame(so3.exp([0.0, np.pi / 2, 0.0]), np.zeros(3))
    along_x = {
        "inertia": transform_inertia(across, rod.spatial_inertia(density=800.0)),
        "collision": [Geometry(rod, across)],
    }
    rods = [Body("0", pose=se3.exp([0.0, -0.2, 0.0, 0.0, 0.0, 0.3]), **along_x)]
    rods += [
        Body(
            f"{i}",
            joint=(Universal(), ExponentialSpherical())[i % 2],
            parent=f"{i - 1}",
            joint_frame=se3.frame(np.eye(3), [0.25 if i == 1 else 0.5, 0.0, 0.0]),
            body_frame=se3.frame(np.eye(3), [0.25, 0.0, 0.0]),
            **along_x,
        )
        for i in range(1, links)
    ]
    model = Model(rods, ground=Plane())
    name = f"{links} rods fall, 40 steps"
    options: dict[str, Any] = {"h": 0.01, "steps": 40, "stabilization": "baumgarte"}
    return {name: lambda: simulate(model, coordinates="maximal", **options)}


def bodies_on_springs(bodies: int = 8) -> dict[str, Callable[[], object]]:
    """Return bodies connected by springs, frame springs and muscles, stepped implicitly."""
    box, names = Box([0.4, 0.5, 0.3]), [f"{i}" for i in range(bodies)]
    upper, lower = names[:-1], names[1:]
    corners = [[0.2, 0.1, -0.15], [0.2, 0.1, 0.15]]
    between = path_through(on_body(upper, corners[0]), on_body(lower, corners[1]))
    threaded = path_through(
        on_world([0.3, 0.0, 0.5]), on_body("0", [0.2, 0.0, 0.0]), on_body("1", [0.2, 0.0, 0.0])
    )
    pads = FrameSpring.isotropic(np.eye(4), se3.frame(np.eye(3), [0, 0, 0.5]), 5e3, 50.0, 20.0, 2.0)
    springs = [
        PathForces(SpringDamper(2e3, 10.0, 0.2), between),
        PathForces(Muscle(100.0, 0.5, 10.0, activation=0.3), threaded),
        FrameSprings(pads, [["world", "0"], *map(list, zip(upper, lower, strict=True))]),
    ]
    hanging = [
        Body(each, box, density=300.0, position=[0.0, 0.0, -0.5 * i], collision=())
        for i, each in enumerate(names)
    ]
    model = Model(hanging, forces=springs)
    name = f"{bodies} bodies on springs, 40 steps"
    options: dict[str, Any] = {"h": 0.01, "steps": 40, "scheme": implicit_momentum_conserving_euler}
    return {name: lambda: simulate(model, **options)}


def simulator_table() -> str:
    lines = ["| scene | share of the checks | s in all |", "|---|---|---|"]
    for name, run in scenes().items():
        fraction, total_time = check_fraction(run)
        lines.append(f"| {name} | {100 * fraction:.1f} % | {total_time:.3f} |")
    return "\n".join(lines)


def main() -> None:
    print(function_table(), simulator_table(), sep="\n\n", flush=True)


if __name__ == "__main__":
    main()
