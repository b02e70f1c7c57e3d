"""Compare the compiled recursions with ``pinocchio.aba`` and with other codes for the same computation.

    pip install ".[bench]" -c constraints.txt
    OMP_NUM_THREADS=1 python benchmarks/dynamics.py             # a minute or two; prints the table
    OMP_NUM_THREADS=1 python benchmarks/dynamics.py --check     # and exits 1 if a limit is exceeded
    OMP_NUM_THREADS=1 python benchmarks/dynamics.py --csv FILE  # and writes it, with the machine

All codes run alternately in one process on one core, in many short rounds. The result is the median over the
rounds of the ratio to Pinocchio's processor time in the same round. Everything is called from Python and
computes the same accelerations, which is checked first. Rows without a limit are for comparison.

Chains of tori are those of Si & Guenter, with compiled joints given as functions; in Pinocchio the same
chains consist of revolute joints, four for each pair of tori. Two rows are not measured: the times of the
paper's own Table 1.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import platform
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.metadata import version as installed
from pathlib import Path
from typing import NamedTuple

import numba
import numpy as np
import pinocchio
from other_codes import casadi_call, expand_to_revolute, inverse_mass_product, mujoco_call, pinocchio_model

from rbnotes import inertia, joints, se3
from rbnotes.arguments import Array
from rbnotes.multibody import packing, reduced
from rbnotes.multibody.reduced import Link, Tree
from rbnotes.multibody.reduced.examples import torus_chain

SIZES = (20, 50, 100)
TORI = (10, 20)
COORDINATES = tuple(4 * tori - 2 for tori in TORI)
BATCH = 1024
ROUNDS = 41
MIN_TURN_SECONDS = 0.005
"""Seconds of a measurement: short, to be rarely interrupted, and enough for a few batches, of which the first
one has to load the data into the cache."""
ABA, RNEA, MINVERSE = "pinocchio.aba", "pinocchio.rnea", "pinocchio.computeMinverse @ x"
ABA_DERIVATIVES, REFERENCE = "pinocchio.computeABADerivatives", "its reference in numpy"
METHOD_I, FEATHERSTONE = "Si & Guenter's Method I, Table 1", "Featherstone, Table 1"
PAPER = {METHOD_I: (20.0, 50.0, 112.0), FEATHERSTONE: (25.0, 64.0, 127.0)}
"""Microseconds for chains of 20, 50 and 100 hinges on the machine of the paper (2.67 GHz, 2010)."""


class Row(NamedTuple):
    """Line of the table.

    Attributes
    ----------
    work
        Name of the call.
    reference
        Name of the call by whose time the time is divided.
    ratios
        Ratios of the times by number of links.
    limits
        Largest accepted ratios by number of links.
    microseconds
        Times of the call by number of links.
    """

    work: str
    reference: str
    ratios: dict[int, float]
    limits: dict[int, float]
    microseconds: dict[int, float]


LIMITS = {
    "forward dynamics, chain": (0.33, 0.25, 0.22),
    "forward dynamics, random tree": (0.40, 0.32, 0.30),
    "forward dynamics, batch of 1024": (0.045, 0.045, 0.045),
    "inverse dynamics": (0.4, 0.3, 0.25),
    "inverse mass times a vector": (0.4, 0.3, 0.25),
    "exact tangent, chain": (1.5, 1.5, 1.5),
    "chain of tori, joints as functions": (0.45, 0.45),
}
GROWTH_LIMIT = 1.05
DERIVATION_LIMIT = 5.0
"""Seconds for a new joint."""


def random_body(rng: np.random.Generator) -> np.ndarray:
    lengths = rng.uniform(0.1, 0.5, 3)
    J = np.diag(
        [
            lengths[1] ** 2 + lengths[2] ** 2,
            lengths[0] ** 2 + lengths[2] ** 2,
            lengths[0] ** 2 + lengths[1] ** 2,
        ]
    )
    mass = rng.uniform(0.5, 2.0)
    return inertia.spatial_inertia(mass, mass / 12 * J, rng.uniform(-0.2, 0.2, 3))


def revolute_tree(n: int, branched: bool) -> Tree:
    """Return a tree of revolute joints about axis 2 at random frames, as a chain or with random parents."""
    rng = np.random.default_rng(n)
    parents = [None, *(str(rng.integers(i) if branched else i - 1) for i in range(1, n))]

    def random_frame() -> Array:
        return se3.exp(rng.uniform(-0.6, 0.6, 6))

    return Tree(
        [
            Link(str(i), joints.Revolute(), random_body(rng), parents[i], random_frame(), random_frame())
            for i in range(n)
        ]
    )


Calls = dict[str, tuple[Callable[[], object], int]]
"""Calls by name, with the number of evaluations that each makes."""


def measure_interleaved(calls: Calls) -> dict[str, list[float]]:
    """Return the processor time of one evaluation in s, a list with one entry for each round."""
    repeats = {}
    for name, (call, _) in calls.items():
        call()
        start = time.process_time()
        call()
        repeats[name] = max(1, int(MIN_TURN_SECONDS / max(time.process_time() - start, 1e-7)))
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(ROUNDS):
        for name, (call, evaluations) in calls.items():
            start = time.process_time()
            for _ in itertools.repeat(None, repeats[name]):
                call()
            times[name].append((time.process_time() - start) / repeats[name] / evaluations)
    return times


def check_agreement(actual: np.ndarray, expected: np.ndarray, quantity: str) -> None:
    error = np.max(np.abs(actual - expected)) / np.max(np.abs(expected))
    if not error < 1e-9:
        raise SystemExit(f"{quantity}: off by {error:.1e}, relatively")


def measure_tree(n: int, branched: bool, everything: bool) -> dict[str, list[float]]:
    """Measure the times for one tree."""
    tree = revolute_tree(n, branched)
    compiled, (model, order) = packing.compile(tree), pinocchio_model(tree)
    data, rng = model.createData(), np.random.default_rng(1)
    q, v, x = rng.uniform(-1, 1, (3, n))
    Q, V, X = rng.uniform(-1, 1, (3, BATCH, n))
    pq, pv, px = (np.ascontiguousarray(each[order]) for each in (q, v, x))
    expected = pinocchio.aba(model, data, pq, pv, px)
    check_agreement(compiled.forward_dynamics(q, v, x)[order], expected, "forward dynamics")
    check_agreement(
        compiled.forward_dynamics(Q, V, X)[7], compiled.forward_dynamics(Q[7], V[7], X[7]), "batch"
    )
    calls: Calls = {
        ABA: (lambda: pinocchio.aba(model, data, pq, pv, px), 1),
        "forward dynamics": (lambda: compiled.forward_dynamics(q, v, x), 1),
        "batch": (lambda: compiled.forward_dynamics(Q, V, X), BATCH),
    }
    if everything:
        check_agreement(
            compiled.inverse_dynamics(q, v, x)[order], pinocchio.rnea(model, data, pq, pv, px), "inverse"
        )
        check_agreement(
            compiled.inverse_mass_product(q, x)[order],
            inverse_mass_product(model, data, pq, px),
            "inverse mass",
        )
        pinocchio.computeABADerivatives(model, data, pq, pv, px)
        derivatives, columns = compiled.forward_dynamics_derivatives(q, v, x), np.ix_(order, order)
        check_agreement(derivatives.q[columns], data.ddq_dq, "tangent, by q")
        check_agreement(derivatives.qdot[columns], data.ddq_dv, "tangent, by qdot")
        calls |= {
            RNEA: (lambda: pinocchio.rnea(model, data, pq, pv, px), 1),
            "inverse dynamics": (lambda: compiled.inverse_dynamics(q, v, x), 1),
            MINVERSE: (lambda: inverse_mass_product(model, data, pq, px), 1),
            "inverse mass": (lambda: compiled.inverse_mass_product(q, x), 1),
            ABA_DERIVATIVES: (lambda: pinocchio.computeABADerivatives(model, data, pq, pv, px), 1),
            "tangent": (lambda: compiled.forward_dynamics_derivatives(q, v, x), 1),
            "MuJoCo": (mujoco_call(tree, q, v, x), 1),
            "O(n^3)": (lambda: reduced.forward_dynamics_dense(tree, q, v, x), 1),
            "CasADi": (casadi_call(tree, q, v, x), 1),
        }
        for name in ("MuJoCo", "CasADi"):
            check_agreement(np.array(calls[name][0]()), compiled.forward_dynamics(q, v, x), name)
    return measure_interleaved(calls)


def measure_torus_chain(tori: int) -> dict[str, list[float]]:
    """Measure the times for a chain of tori."""
    example = torus_chain(tori)
    hinges, coordinate_order = expand_to_revolute(example.tree)
    compiled, of_hinges = packing.compile(example.tree), packing.compile(hinges)
    model, order = pinocchio_model(hinges)
    data, rng = model.createData(), np.random.default_rng(1)
    v, x = rng.uniform(-1, 1, (2, hinges.num_coordinates))
    q = example.initial_state.q + rng.uniform(-0.1, 0.1, hinges.num_coordinates)
    hq, hv, hx = (each[coordinate_order] for each in (q, v, x))
    pq, pv, px = (np.ascontiguousarray(each[order]) for each in (hq, hv, hx))
    expected = pinocchio.aba(model, data, pq, pv, px)
    check_agreement(
        compiled.forward_dynamics(q, v, x)[coordinate_order][order], expected, "tori, joints as functions"
    )
    check_agreement(of_hinges.forward_dynamics(hq, hv, hx)[order], expected, "tori, hinges")
    reference = reduced.forward_dynamics_derivatives(example.tree, q, v, x)
    for actual, expected_derivative in zip(
        compiled.forward_dynamics_derivatives(q, v, x), reference, strict=True
    ):
        check_agreement(actual, expected_derivative, "tori, tangent")
    return measure_interleaved(
        {
            REFERENCE: (lambda: reduced.forward_dynamics_derivatives(example.tree, q, v, x), 1),
            "tangent": (lambda: compiled.forward_dynamics_derivatives(q, v, x), 1),
            ABA: (lambda: pinocchio.aba(model, data, pq, pv, px), 1),
            "functions": (lambda: compiled.forward_dynamics(q, v, x), 1),
            "hinges": (lambda: of_hinges.forward_dynamics(hq, hv, hx), 1),
        }
    )


def time_new_joint() -> float:
    """Return the seconds until the first accelerations of a body on a new joint of two surfaces.

    Its program is compiled, even if an earlier run left it on disk; the sweeps are loaded.
    """
    cache_folder = numba.config.CACHE_DIR
    with tempfile.TemporaryDirectory() as empty:
        numba.config.CACHE_DIR = empty
        start = time.process_time()
        joint = joints.surface_on_surface(joints.surfaces.torus(0.1, 0.02), joints.surfaces.torus(0.12, 0.03))
        body_on_it = packing.compile(Tree([Link("torus", joint, np.eye(6))]))
        body_on_it.forward_dynamics(np.full(5, 0.3), np.ones(5), np.zeros(5))
        elapsed = time.process_time() - start
        numba.config.CACHE_DIR = cache_folder
    return elapsed


def ratio(times: dict[str, list[float]], name: str, over: str) -> float:
    return statistics.median(a / b for a, b in zip(times[name], times[over], strict=True))


def table() -> list[Row]:
    """Return all rows."""
    chains = {n: measure_tree(n, branched=False, everything=True) for n in SIZES}
    branched = {n: measure_tree(n, branched=True, everything=False) for n in SIZES}
    tori = {n: measure_torus_chain(count) for n, count in zip(COORDINATES, TORI, strict=True)}
    paper = {n: {name: [1e-6 * each[i]] for name, each in PAPER.items()} for i, n in enumerate(SIZES)}

    def row(work: str, name: str, over: str, times: dict[int, dict[str, list[float]]]) -> Row:
        limits = dict(zip(times, LIMITS.get(work, ()), strict=False))
        ratios = {n: ratio(of_n, name, over) for n, of_n in times.items()}
        return Row(work, over, ratios, limits, {n: 1e6 * min(of_n[name]) for n, of_n in times.items()})

    return [
        row(ABA, ABA, ABA, chains),
        row("forward dynamics, chain", "forward dynamics", ABA, chains),
        row("forward dynamics, random tree", "forward dynamics", ABA, branched),
        row("forward dynamics, batch of 1024", "batch", ABA, chains),
        row("forward dynamics, batch of 1024, random tree", "batch", ABA, branched),
        row("inverse dynamics", "inverse dynamics", RNEA, chains),
        row("inverse mass times a vector", "inverse mass", MINVERSE, chains),
        row("exact tangent, chain", "tangent", ABA_DERIVATIVES, chains),
        row("MuJoCo, mj_forward", "MuJoCo", ABA, chains),
        row("CasADi, one graph", "CasADi", ABA, chains),
        row("O(n^3), numpy (S 2.18)", "O(n^3)", ABA, chains),
        row(METHOD_I, METHOD_I, FEATHERSTONE, paper),
        row("chain of tori, joints as functions", "functions", ABA, tori),
        row("chain of tori, hinges", "hinges", ABA, tori),
        row("exact tangent, chain of tori", "tangent", REFERENCE, tori),
    ]


def growth_exponent() -> float:
    """Return the exponent of the time of one call from 50 to 400 links."""
    sizes = (50, 100, 200, 400)
    calls: Calls = {}
    for n in sizes:
        compiled, state = (
            packing.compile(revolute_tree(n, False)),
            np.random.default_rng(1).uniform(-1, 1, (3, n)),
        )
        calls[str(n)] = (lambda compiled=compiled, state=state: compiled.forward_dynamics(*state), 1)
    times = measure_interleaved(calls)
    shortest = [min(times[str(n)]) for n in sizes]
    return float(np.polyfit(np.log(sizes), np.log(shortest), 1)[0])


def steps_per_second(n: int) -> float:
    """Return the steps per second of a Python loop: semi-implicit Euler, one evaluation per step."""
    compiled = packing.compile(revolute_tree(n, False))
    q, v, tau, h = np.zeros(n), np.zeros(n), np.zeros(n), 1e-4
    best = np.inf
    for _ in range(5):
        start = time.process_time()
        for _ in range(400):
            v = v + h * compiled.forward_dynamics(q, v, tau)
            q = q + h * v
        best = min(best, (time.process_time() - start) / 400)
    return 1 / best


def processor_name() -> str:
    """Return the name of the processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="exit with status 1 if a limit is exceeded")
    parser.add_argument("--csv", type=Path, help="write the table to a file")
    options = parser.parse_args()
    rows, exponent, new_joint_seconds = table(), growth_exponent(), time_new_joint()
    speeds = {n: steps_per_second(n) for n in SIZES}
    print(f"{processor_name()}; {package_versions()}")
    missed = []
    sizes: tuple[int, ...] = ()
    for row in rows:
        if sizes != tuple(row.ratios):
            sizes = tuple(row.ratios)
            print(f"{'time over that of':>66}" + "".join(f"{f'n = {n}':>18}" for n in sizes))
        cells = []
        for n in sizes:
            limit = row.limits.get(n)
            is_missed = limit is not None and row.ratios[n] > limit
            if is_missed:
                missed.append(f"{row.work}, n = {n}: {row.ratios[n]:.3f}, limit {limit}")
            cells.append(f"{row.ratios[n]:.3g}" + (f" ({'!' if is_missed else ''}{limit})" if limit else ""))
        print(
            f"{row.work:<40}{row.reference.removeprefix('pinocchio.'):>26}"
            + "".join(f"{cell:>18}" for cell in cells)
        )
    print(f"{'steps per second':<66}" + "".join(f"{speeds[n]:>18.0f}" for n in SIZES))
    print(f"exponent of the time from 50 to 400 links: {exponent:.3f} ({GROWTH_LIMIT})")
    print(
        f"a new joint of two surfaces, derived and compiled: {new_joint_seconds:.2f} s ({DERIVATION_LIMIT:g})"
    )
    if new_joint_seconds > DERIVATION_LIMIT:
        missed.append(f"a new joint: {new_joint_seconds:.2f} s, limit {DERIVATION_LIMIT:g}")
    if exponent > GROWTH_LIMIT:
        missed.append(f"growth: {exponent:.3f}, limit {GROWTH_LIMIT}")
    if options.csv:
        write_csv(options.csv, rows, exponent, speeds, new_joint_seconds)
    for line in missed:
        print("missed:", line, file=sys.stderr)
    return int(options.check and bool(missed))


def package_versions() -> str:
    """Return the versions of the packages that are compared."""
    names = {"numba": "numba", "pin": "Pinocchio", "mujoco": "MuJoCo", "casadi": "CasADi"}
    return ", ".join(f"{name} {installed(package)}" for package, name in names.items())


def write_csv(path: Path, rows: list[Row], exponent: float, speeds: dict[int, float], derived: float) -> None:
    with path.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["work", "over", "n", "ratio", "limit", "microseconds"])
        for row in rows:
            for n in row.ratios:
                limit = row.limits.get(n, "")
                writer.writerow(
                    [row.work, row.reference, n, f"{row.ratios[n]:.4g}", limit, f"{row.microseconds[n]:.4g}"]
                )
        for n in SIZES:
            writer.writerow(["steps per second", "", n, f"{speeds[n]:.4g}", "", ""])
        writer.writerow(["growth from 50 to 400", "", "", f"{exponent:.4g}", GROWTH_LIMIT, ""])
        writer.writerow(
            ["seconds for a new joint of two surfaces", "", "", f"{derived:.3g}", DERIVATION_LIMIT, ""]
        )
        writer.writerow(["machine", processor_name(), "", "", "", ""])
        writer.writerow(["versions", package_versions(), "", "", "", ""])


if __name__ == "__main__":
    sys.exit(main())
