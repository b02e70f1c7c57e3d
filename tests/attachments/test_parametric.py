"""Prescribed motion against the whole system, and the force against applying it."""

import numpy as np
import pytest
from random_systems import attachment_rows, random_dag, random_system

from rbnotes.arguments import InvalidArgument
from rbnotes.attachments import ConstrainedSystem, null_space, solve_controlled
from rbnotes.constraints import InconsistentConstraints

SIZES = [3, 4, 2, 3, 3, 2]
N = sum(SIZES)


@pytest.mark.parametrize("soft", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_against_the_whole_system(seed, soft):
    """Controlled velocities as rows of the whole system: their multipliers are the force."""
    rng = np.random.default_rng(seed)
    attachments = random_dag(rng, SIZES, 3)
    system = random_system(rng, N, rows=2, soft=soft)
    space = null_space(SIZES, attachments)
    controlled = rng.choice(len(space.active), 3, replace=False)
    given = rng.normal(size=3)
    motion = solve_controlled(space.reduce(system), controlled, given)

    C, c = attachment_rows(SIZES, attachments)
    prescribed = np.eye(N)[space.active[controlled]]
    rows = np.concatenate([system.G, C, prescribed])
    R = np.zeros((len(rows), len(rows)))
    if soft:
        R[:2, :2] = np.diag(system.R)
    K = np.block([[system.M, -rows.T], [rows, R]])
    whole = np.linalg.solve(K, np.concatenate([system.f, system.g, c, given]))
    scale = 1 + np.abs(whole).max()
    assert np.allclose(space.velocities(motion.v), whole[:N], rtol=0, atol=1e-9 * scale)
    assert np.allclose(motion.multipliers, whole[N : N + 2], rtol=0, atol=1e-9 * scale)
    assert np.allclose(motion.force, whole[-3:], rtol=0, atol=1e-9 * scale)


def test_the_force_applied_gives_the_motion(rng):
    system = random_system(rng, 8)
    motion = solve_controlled(system, [2, 5], [0.3, -1.2])
    f = system.f.copy()
    f[[2, 5]] += motion.force
    v, multipliers = ConstrainedSystem(system.M, f, system.G, system.g).solve()
    assert np.allclose(v, motion.v)
    assert np.allclose(multipliers, motion.multipliers)
    assert np.allclose(motion.v[[2, 5]], [0.3, -1.2])


def test_everything_or_nothing_controlled(rng):
    system = random_system(rng, 4, rows=0)
    nothing = solve_controlled(system, [], [])
    assert np.allclose(nothing.v, np.linalg.solve(system.M, system.f))
    v = rng.normal(size=4)
    everything = solve_controlled(system, [2, 1, 3, 0], v[[2, 1, 3, 0]])
    assert np.allclose(everything.force, (system.M @ v - system.f)[[2, 1, 3, 0]])
    with pytest.raises(InvalidArgument, match="every velocity"):
        solve_controlled(random_system(rng, 4, rows=1), [0, 1, 2, 3], v)


@pytest.mark.parametrize("indices", [[0, 0], [-1, 2], [1, 9], [0.5, 1.0]])
def test_indices_that_do_not_exist_are_named(rng, indices):
    with pytest.raises(InvalidArgument, match="controlled"):
        solve_controlled(random_system(rng, 6), indices, [0.0, 0.0])


def test_contradictions_are_named():
    system = ConstrainedSystem(np.eye(2), np.zeros(2), [[1.0, 0.0]], [1.0])
    with pytest.raises(InconsistentConstraints):
        solve_controlled(system, [0], [2.0])
