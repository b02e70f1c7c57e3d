"""Time of the compiled recursions over that of ``pinocchio.aba``, and of what else does the same work.

    pip install ".[bench]" -c constraints.txt
    OMP_NUM_THREADS=1 python benchmarks/dynamics.py             # a minute or two; prints the table
    OMP_NUM_THREADS=1 python benchmarks/dynamics.py --check     # and ends with 1 where a limit is missed
    OMP_NUM_THREADS=1 python benchmarks/dynamics.py --csv FILE  # and writes it, with the machine told

All run in one process on one core, in turns, many short rounds each; what counts is processor time, the
median over the rounds of the ratio to Pinocchio's in the same round. Everything is called from Python, and
works out the same accelerations, which is checked first. Rows without a limit are there to compare.

Chains of tori are those of Si & Guenter, with joints given as functions; Pinocchio has the same chains made
of hinges, four for each pair of tori. Two rows are not measured: the times of the paper's own Table 1.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import platform
import statistics
import sys
import time
from collections.abc import Callable
from importlib.metadata import version as installed
from pathlib import Path
from typing import NamedTuple

import casadi
import mujoco
import numpy as np
import pinocchio

from rbnotes import inertia, joints, kernels, se3
from rbnotes import tree as trees
from rbnotes.tree import Link, Tree
from rbnotes.tree.examples import torus_chain
from rbnotes.tree.formats import to_mjcf

SIZES = (20, 50, 100)
TORI = (10, 20)
COORDINATES = tuple(4 * tori - 2 for tori in TORI)
BATCH = 1024
ROUNDS = 41
LEAST = 0.0015
"""Seconds of a turn: short, so that few are interrupted."""
ABA, RNEA, MINVERSE = "pinocchio.aba", "pinocchio.rnea", "pinocchio.computeMinverse @ x"
METHOD_I, FEATHERSTONE = "Si & Guenter's Method I, Table 1", "Featherstone, Table 1"
PAPER = {METHOD_I: (20.0, 50.0, 112.0), FEATHERSTONE: (25.0, 64.0, 127.0)}
"""Microseconds for chains of 20, 50 and 100 hinges on the machine of the paper (2.67 GHz, 2010)."""


class Row(NamedTuple):
    """A line of the table."""

    work: str
    over: str
    """What its time is divided by."""
    ratios: dict[int, float]
    limits: dict[int, float]
    microseconds: dict[int, float]


LIMITS = {
    "forward dynamics, chain": (0.33, 0.25, 0.22),
    "forward dynamics, random tree": (0.40, 0.32, 0.30),
    "forward dynamics, batch of 1024": (0.045, 0.045, 0.045),
    "inverse dynamics": (0.4, 0.3, 0.25),
    "inverse mass times a vector": (0.4, 0.3, 0.25),
    "chain of tori, joints as functions": (0.45, 0.45),
}
GROWTH_LIMIT = 1.05


def body(rng: np.random.Generator) -> np.ndarray:
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


def revolutes(n: int, branched: bool) -> Tree:
    """Hinges about axis 2 at general places; each on the one before, or on any one before it."""
    rng = np.random.default_rng(n)
    parents = [None, *(str(rng.integers(i) if branched else i - 1) for i in range(1, n))]
    place = lambda: se3.exp(rng.uniform(-0.6, 0.6, 6))  # noqa: E731
    return Tree([Link(str(i), joints.Revolute(), body(rng), parents[i], place(), place()) for i in range(n)])


def pinocchio_model(tree: Tree) -> tuple[pinocchio.Model, np.ndarray]:
    """The same tree, depth first as Pinocchio needs it, and which link each of its joints is."""
    model = pinocchio.Model()
    model.gravity.linear = np.asarray(tree.gravity)
    order: list[int] = []

    def add(i: int, parent: int) -> None:
        link = tree.links[i]
        where = pinocchio.SE3(link.placement[:3, :3], link.placement[:3, 3])
        number = model.addJoint(parent, pinocchio.JointModelRZ(), where, link.name)
        if link.inertia is not None:
            mass, J, com = inertia.from_spatial_inertia(link.inertia)
            at = pinocchio.SE3(link.body[:3, :3], link.body[:3, 3])
            model.appendBodyToJoint(number, pinocchio.Inertia(float(mass), com, J), at)
        order.append(i)
        for child in tree.children[i]:
            add(child, number)

    for i, parent in enumerate(tree.parents):
        if parent < 0:
            add(i, 0)
    return model, np.array(order)


def as_hinges(tree: Tree) -> tuple[Tree, np.ndarray]:
    """The same tree with a hinge about axis 2 for each coordinate, and which coordinate that is.

    Universal joints and tori on each other are hinges in a row, one exponential after the other. Their screws
    are the columns of S at zero, seen from the resting frame. On the other torus what turns about its tube
    (q[3]) comes before what turns about its axis (q[2]).
    """
    links: list[Link] = []
    which: list[int] = []
    behind: dict[str | None, np.ndarray] = {
        None: np.eye(4)
    }  # what was a joint's frame, seen from its last hinge
    for link, own in zip(tree.links, tree.slices, strict=True):
        home = np.zeros(link.joint.coordinates)
        row = (0, 1, 3, 2)[: len(home)]
        which += [own.start + i for i in row]
        at_home = link.joint.transform(home)
        screws = (se3.Ad(at_home) @ link.joint.S(home)).T[list(row)]
        parent, placement, before = link.parent, behind[link.parent] @ link.placement, np.eye(4)
        for i, screw in enumerate(screws):
            axis = screw[:3] / np.linalg.norm(screw[:3])
            across = np.linalg.svd(axis[None])[2][1]
            place = se3.frame(
                np.stack([across, np.cross(axis, across), axis], axis=1), np.cross(axis, screw[3:])
            )
            last = i + 1 == len(screws)
            name = link.name if last else f"{link.name}, {i}"
            behind[name] = se3.inverse(place) @ at_home
            carried = (link.inertia, behind[name] @ link.body) if last else (None, None)
            where = placement @ se3.inverse(before) @ place
            links.append(Link(name, joints.Revolute(), carried[0], parent, where, carried[1]))
            parent, placement, before = name, np.eye(4), place
    return Tree(links, tree.gravity), np.array(which)


Calls = dict[str, tuple[Callable[[], object], int]]
"""By name: a call, and how many evaluations it makes."""


def interleaved(calls: Calls) -> dict[str, list[float]]:
    """Processor seconds of one evaluation, a list of one for each round."""
    repeats = {}
    for name, (call, _) in calls.items():
        call()
        start = time.process_time()
        call()
        repeats[name] = max(1, int(LEAST / max(time.process_time() - start, 1e-7)))
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(ROUNDS):
        for name, (call, evaluations) in calls.items():
            start = time.process_time()
            for _ in itertools.repeat(None, repeats[name]):
                call()
            times[name].append((time.process_time() - start) / repeats[name] / evaluations)
    return times


def agree(found: np.ndarray, expected: np.ndarray, what: str) -> None:
    error = np.max(np.abs(found - expected)) / np.max(np.abs(expected))
    if not error < 1e-9:
        raise SystemExit(f"{what}: off by {error:.1e}, relatively")


def measured(n: int, branched: bool, everything: bool) -> dict[str, list[float]]:
    """Times for one tree."""
    tree = revolutes(n, branched)
    compiled, (model, order) = kernels.compile(tree), pinocchio_model(tree)
    data, rng = model.createData(), np.random.default_rng(1)
    q, v, x = rng.uniform(-1, 1, (3, n))
    Q, V, X = rng.uniform(-1, 1, (3, BATCH, n))
    pq, pv, px = (np.ascontiguousarray(each[order]) for each in (q, v, x))
    expected = pinocchio.aba(model, data, pq, pv, px)
    agree(compiled.forward_dynamics(q, v, x)[order], expected, "forward dynamics")
    agree(compiled.forward_dynamics(Q, V, X)[7], compiled.forward_dynamics(Q[7], V[7], X[7]), "batch")
    calls: Calls = {
        ABA: (lambda: pinocchio.aba(model, data, pq, pv, px), 1),
        "forward dynamics": (lambda: compiled.forward_dynamics(q, v, x), 1),
        "batch": (lambda: compiled.forward_dynamics(Q, V, X), BATCH),
    }
    if everything:
        agree(compiled.inverse_dynamics(q, v, x)[order], pinocchio.rnea(model, data, pq, pv, px), "inverse")
        agree(compiled.solve_mass(q, x)[order], minverse(model, data, pq, px), "inverse mass")
        calls |= {
            RNEA: (lambda: pinocchio.rnea(model, data, pq, pv, px), 1),
            "inverse dynamics": (lambda: compiled.inverse_dynamics(q, v, x), 1),
            MINVERSE: (lambda: minverse(model, data, pq, px), 1),
            "inverse mass": (lambda: compiled.solve_mass(q, x), 1),
            "MuJoCo": (mujoco_call(tree, q, v, x, compiled.forward_dynamics(q, v, x)), 1),
            "O(n^3)": (lambda: trees.forward_dynamics(tree, q, v, x), 1),
            "CasADi": (casadi_call(tree, q, v, x), 1),
        }
        agree(calls["CasADi"][0](), compiled.forward_dynamics(q, v, x), "CasADi")
    return interleaved(calls)


def minverse(model: pinocchio.Model, data: pinocchio.Data, q: np.ndarray, x: np.ndarray) -> np.ndarray:
    return pinocchio.computeMinverse(model, data, q) @ x


def mujoco_call(
    tree: Tree, q: np.ndarray, v: np.ndarray, x: np.ndarray, expected: np.ndarray
) -> Callable[[], object]:
    """MuJoCo's forward dynamics from the same state, its contact and sensors left out."""
    model = mujoco.MjModel.from_xml_string(to_mjcf(tree))
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_SENSOR
    data = mujoco.MjData(model)

    def call() -> object:
        data.qpos[:], data.qvel[:], data.qfrc_applied[:] = q, v, x
        mujoco.mj_forward(model, data)
        return data.qacc

    agree(np.array(call()), expected, "MuJoCo")
    return call


def casadi_call(tree: Tree, q: np.ndarray, v: np.ndarray, x: np.ndarray) -> Callable[[], np.ndarray]:
    """Featherstone's algorithm for hinges as a graph of CasADi, which its virtual machine evaluates."""
    SX, n = casadi.SX, len(tree.links)
    angles, rates, forces = (SX.sym(name, n) for name in ("q", "v", "x"))
    world = SX.zeros(6)
    world[3:] = -np.asarray(tree.gravity)
    S, to_joint, seen = np.eye(6)[2], [], []
    twists, drifts, inertias, wrenches = [], [], [], []
    for i, (link, parent) in enumerate(zip(tree.links, tree.parents, strict=True)):
        c, s = casadi.cos(angles[i]), casadi.sin(angles[i])
        turned = casadi.vertcat(casadi.horzcat(c, s, 0), casadi.horzcat(-s, c, 0), SX([[0, 0, 1]]))
        R, p = link.placement[:3, :3], link.placement[:3, 3]
        E = turned @ R.T
        seen.append(casadi.blockcat([[E, SX(3, 3)], [-E @ casadi.skew(SX(p)), E]]))
        twist = S * rates[i] + (seen[i] @ twists[parent] if parent >= 0 else 0)
        to_joint.append(se3.Ad_inverse(link.body))
        M = casadi.sparsify(SX(to_joint[i].T @ link.inertia @ to_joint[i]))
        twists.append(twist)
        drifts.append(bracket(twist) @ S * rates[i])
        inertias.append(M)
        wrenches.append(-bracket(twist).T @ (M @ twist))
    freed = []
    for i in reversed(range(n)):
        U = inertias[i] @ S
        gain, force = U / U[2], forces[i] - wrenches[i][2]
        freed.append((gain, force / U[2]))
        parent = tree.parents[i]
        if parent >= 0:
            left = symmetric(inertias[i] - gain @ U.T)
            inertias[parent] = inertias[parent] + symmetric(seen[i].T @ left @ seen[i])
            handed = wrenches[i] + left @ drifts[i] + gain * force
            wrenches[parent] = wrenches[parent] + seen[i].T @ handed
    found, moved = [], []
    for i, (gain, alone) in enumerate(reversed(freed)):
        parent = tree.parents[i]
        carried = seen[i] @ (moved[parent] if parent >= 0 else world) + drifts[i]
        found.append(alone - casadi.dot(gain, carried))
        moved.append(carried + S * found[i])
    function = casadi.Function("aba", [angles, rates, forces], [casadi.densify(casadi.vertcat(*found))])
    buffer, evaluate = function.buffer()
    held, out = [np.array(each) for each in (q, v, x)], np.empty(n)
    for i, each in enumerate(held):
        buffer.set_arg(i, memoryview(each))
    buffer.set_res(0, memoryview(out))

    def call(_: object = (function, buffer)) -> np.ndarray:
        evaluate()
        return out

    return call


def symmetric(matrix: casadi.SX) -> casadi.SX:
    """From its upper triangle: what only the lower one takes is left out of the graph."""
    return casadi.triu2symm(casadi.triu(matrix))


def bracket(twist: casadi.SX) -> casadi.SX:
    """``ad(twist)``."""
    w, u = casadi.skew(twist[:3]), casadi.skew(twist[3:])
    return casadi.blockcat([[w, casadi.SX(3, 3)], [u, w]])


def measured_tori(tori: int) -> dict[str, list[float]]:
    """Times for a chain of tori."""
    example = torus_chain(tori)
    hinges, which = as_hinges(example.tree)
    compiled, of_hinges = kernels.compile(example.tree), kernels.compile(hinges)
    model, order = pinocchio_model(hinges)
    data, rng = model.createData(), np.random.default_rng(1)
    v, x = rng.uniform(-1, 1, (2, hinges.size))
    q = example.start.q + rng.uniform(-0.1, 0.1, hinges.size)
    hq, hv, hx = (each[which] for each in (q, v, x))
    pq, pv, px = (np.ascontiguousarray(each[order]) for each in (hq, hv, hx))
    expected = pinocchio.aba(model, data, pq, pv, px)
    agree(compiled.forward_dynamics(q, v, x)[which][order], expected, "tori, joints as functions")
    agree(of_hinges.forward_dynamics(hq, hv, hx)[order], expected, "tori, hinges")
    return interleaved(
        {
            ABA: (lambda: pinocchio.aba(model, data, pq, pv, px), 1),
            "functions": (lambda: compiled.forward_dynamics(q, v, x), 1),
            "hinges": (lambda: of_hinges.forward_dynamics(hq, hv, hx), 1),
        }
    )


def derivation() -> float:
    """Seconds until the first accelerations of a body on a new joint of two surfaces."""
    start = time.process_time()
    joint = joints.surface_on_surface(joints.surfaces.torus(0.1, 0.02), joints.surfaces.torus(0.12, 0.03))
    body_on_it = kernels.compile(Tree([Link("torus", joint, np.eye(6))]))
    body_on_it.forward_dynamics(np.full(5, 0.3), np.ones(5), np.zeros(5))
    return time.process_time() - start


def ratio(times: dict[str, list[float]], name: str, over: str) -> float:
    return statistics.median(a / b for a, b in zip(times[name], times[over], strict=True))


def table() -> list[Row]:
    """All rows."""
    chains = {n: measured(n, branched=False, everything=True) for n in SIZES}
    branched = {n: measured(n, branched=True, everything=False) for n in SIZES}
    tori = {n: measured_tori(count) for n, count in zip(COORDINATES, TORI, strict=True)}
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
        row("MuJoCo, mj_forward", "MuJoCo", ABA, chains),
        row("CasADi, one graph", "CasADi", ABA, chains),
        row("O(n^3), numpy (S 2.18)", "O(n^3)", ABA, chains),
        row(METHOD_I, METHOD_I, FEATHERSTONE, paper),
        row("chain of tori, joints as functions", "functions", ABA, tori),
        row("chain of tori, hinges", "hinges", ABA, tori),
    ]


def growth() -> float:
    """Exponent of the time of one call from 50 to 400 links."""
    sizes = (50, 100, 200, 400)
    calls: Calls = {}
    for n in sizes:
        compiled, state = (
            kernels.compile(revolutes(n, False)),
            np.random.default_rng(1).uniform(-1, 1, (3, n)),
        )
        calls[str(n)] = (lambda compiled=compiled, state=state: compiled.forward_dynamics(*state), 1)
    times = interleaved(calls)
    shortest = [min(times[str(n)]) for n in sizes]
    return float(np.polyfit(np.log(sizes), np.log(shortest), 1)[0])


def steps_per_second(n: int) -> float:
    """Of a loop in Python: one evaluation a step, velocities before positions."""
    compiled = kernels.compile(revolutes(n, False))
    q, v, tau, h = np.zeros(n), np.zeros(n), np.zeros(n), 1e-4
    best = np.inf
    for _ in range(5):
        start = time.process_time()
        for _ in range(400):
            v = v + h * compiled.forward_dynamics(q, v, tau)
            q = q + h * v
        best = min(best, (time.process_time() - start) / 400)
    return 1 / best


def machine() -> str:
    """The processor, as the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="end with 1 where a limit is missed")
    parser.add_argument("--csv", type=Path, help="write the table to a file")
    options = parser.parse_args()
    rows, exponent, derived = table(), growth(), derivation()
    speeds = {n: steps_per_second(n) for n in SIZES}
    print(f"{machine()}; {versions()}")
    missed = []
    sizes: tuple[int, ...] = ()
    for row in rows:
        if sizes != tuple(row.ratios):
            sizes = tuple(row.ratios)
            print(f"{'time over that of':>66}" + "".join(f"{f'n = {n}':>18}" for n in sizes))
        cells = []
        for n in sizes:
            limit = row.limits.get(n)
            late = limit is not None and row.ratios[n] > limit
            if late:
                missed.append(f"{row.work}, n = {n}: {row.ratios[n]:.3f}, limit {limit}")
            cells.append(f"{row.ratios[n]:.3g}" + (f" ({'!' if late else ''}{limit})" if limit else ""))
        print(
            f"{row.work:<40}{row.over.removeprefix('pinocchio.'):>26}"
            + "".join(f"{cell:>18}" for cell in cells)
        )
    print(f"{'steps per second':<66}" + "".join(f"{speeds[n]:>18.0f}" for n in SIZES))
    print(f"exponent of the time from 50 to 400 links: {exponent:.3f} ({GROWTH_LIMIT})")
    print(f"a new joint of two surfaces, derived and packed: {1000 * derived:.0f} ms")
    if exponent > GROWTH_LIMIT:
        missed.append(f"growth: {exponent:.3f}, limit {GROWTH_LIMIT}")
    if options.csv:
        write(options.csv, rows, exponent, speeds, derived)
    for line in missed:
        print("missed:", line, file=sys.stderr)
    return int(options.check and bool(missed))


def versions() -> str:
    """Of what is compared."""
    names = {"numba": "numba", "pin": "Pinocchio", "mujoco": "MuJoCo", "casadi": "CasADi"}
    return ", ".join(f"{name} {installed(package)}" for package, name in names.items())


def write(path: Path, rows: list[Row], exponent: float, speeds: dict[int, float], derived: float) -> None:
    with path.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["work", "over", "n", "ratio", "limit", "microseconds"])
        for row in rows:
            for n in row.ratios:
                limit = row.limits.get(n, "")
                writer.writerow(
                    [row.work, row.over, n, f"{row.ratios[n]:.4g}", limit, f"{row.microseconds[n]:.4g}"]
                )
        for n in SIZES:
            writer.writerow(["steps per second", "", n, f"{speeds[n]:.4g}", "", ""])
        writer.writerow(["growth from 50 to 400", "", "", f"{exponent:.4g}", GROWTH_LIMIT, ""])
        writer.writerow(["seconds for a new joint of two surfaces", "", "", f"{derived:.3g}", "", ""])
        writer.writerow(["machine", machine(), "", "", "", ""])
        writer.writerow(["versions", versions(), "", "", "", ""])


if __name__ == "__main__":
    sys.exit(main())
