"""Compare the elimination of attachments with SciPy's solution of the whole KKT system.

    OMP_NUM_THREADS=1 python benchmarks/attachments.py      # about a minute; prints a table
    OMP_NUM_THREADS=1 python benchmarks/attachments.py --particles 10000 --attached 0.3

The system is one implicit step of a square net of particles with springs. Some particles are attached to
rigid bodies, patch by patch, and a few hundred to weighted sets of other particles, which may be attached
themselves. Each line is the fastest of several runs, relative to the time of ``scipy.sparse.linalg.spsolve``
for the whole system with all attachments as constraints.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import spsolve

from rbnotes import se3
from rbnotes.attachments import Attachment, null_space_reduction, point_on_points, points_on_body
from rbnotes.dynamics import StepProblem

REPEATS = 5
STEP, STIFFNESS, MASS = 0.01, 400.0, 0.02


@dataclass(frozen=True)
class Scene:
    """System and its attachments; bodies come first."""

    sizes: list[int]
    problem: StepProblem
    attach: Callable[[], list[Attachment]]


def particle_net(
    particles: int, attached_fraction: float, bodies: int = 20, hanging: int = 300, seed: int = 0
) -> Scene:
    """Return a net of about ``particles`` particles, a share of which is attached to bodies."""
    rng = np.random.default_rng(seed)
    side = round(np.sqrt(particles))
    grid = np.arange(side**2).reshape(side, side)
    first = np.concatenate([grid[:, :-1].ravel(), grid[:-1].ravel()])
    second = np.concatenate([grid[:, 1:].ravel(), grid[1:].ravel()])
    ends = np.concatenate([first, second])
    incidence = sparse.coo_array(
        (np.repeat([1.0, -1.0], len(first)), (np.tile(np.arange(len(first)), 2), ends)),
        shape=(len(first), side**2),
    ).tocsr()
    laplacian = incidence.T @ incidence
    points = sparse.kron(MASS * sparse.eye_array(side**2) + STEP**2 * STIFFNESS * laplacian, np.eye(3))
    M = sparse.block_diag([sparse.diags_array(rng.uniform(0.5, 2.0, 6 * bodies)), points], format="csc")
    sizes = [6] * bodies + [3] * side**2
    x = np.stack([*(np.indices((side, side)).reshape(2, -1) * 0.1), np.zeros(side**2)], axis=1)
    poses = se3.exp(rng.normal(size=(bodies, 6)) * 0.1)
    twists = rng.normal(size=(bodies, 6))
    attached = np.arange(round(attached_fraction * side**2))
    owner = attached * bodies // len(attached)
    local_positions = np.einsum("nji,nj->ni", poses[owner, :3, :3], x[attached] - poses[owner, :3, 3])
    hanging_points = len(attached) + 3 * np.arange(min(hanging, (side**2 - len(attached)) // 3))

    def attach() -> list[Attachment]:
        to_bodies: list[Attachment] = []
        for b, (E, phi) in enumerate(zip(poses, twists, strict=True)):
            own_points = attached[owner == b]
            to_bodies += points_on_body(
                (bodies + own_points).tolist(), b, E, local_positions[own_points], phi
            )
        weights = np.array([0.25, 0.25, 0.5])
        masters = bodies + np.stack(
            [hanging_points - len(attached), hanging_points + 1, hanging_points + 2], axis=1
        )
        to_points = [
            point_on_points(bodies + k, js, weights)
            for k, js in zip(hanging_points.tolist(), masters.tolist(), strict=True)
            if bodies + k not in js and max(js) < len(sizes)
        ]
        return to_bodies + to_points

    return Scene(sizes, StepProblem(M, rng.normal(size=M.shape[0])), attach)


def kkt_system(scene: Scene) -> tuple[sparse.csc_array, np.ndarray]:
    """Return the KKT matrix with all attachments as rows, and its right-hand side."""
    starts = np.concatenate([[0], np.cumsum(scene.sizes)])
    attachments = scene.attach()
    rows, columns, values, right, row = [], [], [], [], 0
    for attachment in attachments:
        rows_of_attachment = row + np.arange(attachment.size)
        blocks = {attachment.component: -np.eye(attachment.size), **attachment.blocks}
        for j, block in blocks.items():
            masters = starts[j] + np.arange(block.shape[1])
            rows.append(np.repeat(rows_of_attachment, len(masters)))
            columns.append(np.tile(masters, len(rows_of_attachment)))
            values.append(-block.ravel())
        right.append(attachment.bias)
        row += attachment.size
    C = sparse.coo_array(
        (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))), shape=(row, starts[-1])
    ).tocsc()
    K = sparse.block_array([[scene.problem.mass, -C.T], [C, None]], format="csc")
    return K, np.concatenate([scene.problem.momentum, *right])


def fastest(function: Callable[[], object]) -> tuple[float, object]:
    times, result = [], None
    for _ in range(REPEATS):
        start = time.process_time()
        result = function()
        times.append(time.process_time() - start)
        if sum(times) > 30:
            break
    return min(times), result


def table(particles: int, attached_fraction: float) -> str:
    scene = particle_net(particles, attached_fraction)
    K, right = kkt_system(scene)
    kkt_time, expected = fastest(lambda: spsolve(K, right))
    attaching, attachments = fastest(scene.attach)
    mapping, space = fastest(lambda: null_space_reduction(scene.sizes, attachments))
    reducing, reduced = fastest(lambda: space.reduce(scene.problem))
    solving, v_active = fastest(lambda: spsolve(reduced.mass, reduced.momentum))
    v = space.expand_velocities(v_active)
    n = len(v)
    error = np.abs(v - expected[:n]).max() / np.abs(expected[:n]).max()
    lines = [
        f"\n### {len(scene.sizes)} components, {len(attachments)} attached: "
        f"{K.shape[0]} unknowns in the whole system, {len(v_active)} in the reduced one\n",
        "| stage | time / time of the whole solve | ms |",
        "|---|---|---|",
    ]
    stages = {
        "spsolve, whole system": kkt_time,
        "attachments": attaching,
        "null_space": mapping,
        "reduce": reducing,
        "spsolve, reduced system": solving,
    }
    lines += [
        f"| {name} | {seconds / kkt_time:.3f} | {1e3 * seconds:.1f} |" for name, seconds in stages.items()
    ]
    lines.append(f"\nlargest difference of velocities: {error:.1e} of the largest velocity")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--particles", type=int, nargs="+", default=[1000, 10000])
    parser.add_argument("--attached", type=float, nargs="+", default=[0.1, 0.4], help="shares of particles")
    arguments = parser.parse_args()
    for particles in arguments.particles:
        for fraction in arguments.attached:
            print(table(particles, fraction), flush=True)


if __name__ == "__main__":
    main()
