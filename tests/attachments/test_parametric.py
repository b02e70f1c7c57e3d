"""Prescribed motion against the full KKT system, and the force against applying it."""

from dataclasses import replace

import numpy as np
import pytest
from random_systems import attachment_rows, random_dag, random_system

from rbnotes.arguments import InvalidArgument
from rbnotes.attachments import null_space_reduction, solve_prescribed_motion
from rbnotes.constraints import InconsistentConstraints
from rbnotes.dynamics import BilateralRows, StepProblem, solve_step

SIZES = [3, 4, 2, 3, 3, 2]
N = sum(SIZES)


@pytest.mark.parametrize("soft", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_prescribed_motion_against_the_full_kkt_system(seed, soft):
    """Prescribed velocities are rows of the full system; their multipliers are the force."""
    rng = np.random.default_rng(seed)
    attachments = random_dag(rng, SIZES, 3)
    system = random_system(rng, N, rows=2, soft=soft)
    space = null_space_reduction(SIZES, attachments)
    controlled = rng.choice(len(space.active_indices), 3, replace=False)
    rates = rng.normal(size=3)
    motion = solve_prescribed_motion(space.reduce(system), controlled, rates)

    C, c = attachment_rows(SIZES, attachments)
    prescribed = np.eye(N)[space.active_indices[controlled]]
    rows = np.concatenate([system.bilateral.rows, C, prescribed])
    R = np.zeros((len(rows), len(rows)))
    if soft:
        R[:2, :2] = np.diag(system.bilateral.regularization)
    K = np.block([[system.mass, -rows.T], [rows, R]])
    full = np.linalg.solve(K, np.concatenate([system.momentum, system.bilateral.target, c, rates]))
    scale = 1 + np.abs(full).max()
    assert np.allclose(space.expand_velocities(motion.velocity), full[:N], rtol=0, atol=1e-9 * scale)
    assert np.allclose(motion.bilateral_impulses, full[N : N + 2], rtol=0, atol=1e-9 * scale)
    assert np.allclose(motion.actuation_force, full[-3:], rtol=0, atol=1e-9 * scale)


def test_prescribing_force_produces_the_motion(rng):
    system = random_system(rng, 8)
    motion = solve_prescribed_motion(system, [2, 5], [0.3, -1.2])
    f = system.momentum.copy()
    f[[2, 5]] += motion.actuation_force
    free = solve_step(replace(system, momentum=f))
    assert np.allclose(free.velocity, motion.velocity)
    assert np.allclose(free.bilateral, motion.bilateral_impulses)
    assert np.allclose(motion.velocity[[2, 5]], [0.3, -1.2])


def test_all_or_no_velocities_prescribed(rng):
    system = random_system(rng, 4, rows=0)
    nothing = solve_prescribed_motion(system, [], [])
    assert np.allclose(nothing.velocity, np.linalg.solve(system.mass, system.momentum))
    v = rng.normal(size=4)
    everything = solve_prescribed_motion(system, [2, 1, 3, 0], v[[2, 1, 3, 0]])
    assert np.allclose(everything.actuation_force, (system.mass @ v - system.momentum)[[2, 1, 3, 0]])
    with pytest.raises(InvalidArgument, match="every velocity"):
        solve_prescribed_motion(random_system(rng, 4, rows=1), [0, 1, 2, 3], v)


@pytest.mark.parametrize("indices", [[0, 0], [-1, 2], [1, 9], [0.5, 1.0]])
def test_indices_that_do_not_exist_are_named(rng, indices):
    with pytest.raises(InvalidArgument, match="prescribed_indices"):
        solve_prescribed_motion(random_system(rng, 6), indices, [0.0, 0.0])


def test_contradictions_are_named():
    system = StepProblem(np.eye(2), np.zeros(2), BilateralRows([[1.0, 0.0]], [1.0]))
    with pytest.raises(InconsistentConstraints):
        solve_prescribed_motion(system, [0], [2.0])
