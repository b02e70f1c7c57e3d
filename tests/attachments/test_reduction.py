"""The reduced system against the full KKT system, on random directed acyclic graphs."""

from itertools import pairwise
from operator import attrgetter

import numpy as np
import pytest
from random_systems import attachment_rows, random_dag, random_system, solve_full_kkt_system
from scipy import sparse

from rbnotes.arguments import InvalidArgument
from rbnotes.attachments import (
    Attachment,
    CyclicAttachments,
    eliminate_attachment,
    elimination_order,
    null_space_reduction,
    point_on_points,
    reduction_matrix,
)
from rbnotes.dynamics import BilateralRows, StepProblem, StepSolution, solve_step

SIZES = [3, 6, 2, 3, 1, 6, 3, 4]
N = sum(SIZES)


@pytest.mark.parametrize("soft", [False, True])
@pytest.mark.parametrize("attached", [0, 1, 4, 6])
@pytest.mark.parametrize("seed", range(4))
def test_reduced_system_equals_full_kkt_system(seed, attached, soft):
    rng = np.random.default_rng(seed)
    attachments = random_dag(rng, SIZES, attached)
    system = random_system(rng, N, rows=min(2, N - attached), soft=soft)
    space = null_space_reduction(SIZES, attachments)
    solution = space.expand(solve_step(space.reduce(system)))
    v, multipliers = solution.velocity, solution.bilateral
    if not attached:
        assert space.max_depth == 0
        return
    expected, expected_multipliers, forces, _ = solve_full_kkt_system(system, SIZES, attachments)
    scale = 1 + np.abs(expected).max()
    assert np.allclose(v, expected, rtol=0, atol=1e-10 * scale)
    assert np.allclose(multipliers, expected_multipliers, rtol=0, atol=1e-9 * (1 + np.abs(forces).max()))


@pytest.mark.parametrize("seed", range(4))
def test_attachment_forces_are_the_multipliers_of_the_full_system(seed):
    rng = np.random.default_rng(seed)
    attachments = sorted(random_dag(rng, SIZES, 5), key=lambda attachment: attachment.component)
    system = random_system(rng, N)
    space = null_space_reduction(SIZES, attachments)
    v, multipliers, forces, C = solve_full_kkt_system(system, SIZES, attachments)
    result = space.attachment_forces(system, StepSolution(v, multipliers))
    assert np.allclose(result, forces, rtol=0, atol=1e-10 * (1 + np.abs(forces).max()))
    # They do no work on motions that keep the attachments, and balance the rest.
    total = C.T @ result
    assert np.allclose(space.J.T @ total, 0, atol=1e-9 * (1 + np.abs(total).max()))
    assert np.allclose(system.mass @ v, system.momentum + system.bilateral.rows.T @ multipliers + total)


@pytest.mark.parametrize("seed", range(4))
def test_successive_elimination_equals_simultaneous_elimination(seed):
    rng = np.random.default_rng(seed)
    attachments = random_dag(rng, SIZES, 5)
    system = random_system(rng, N)
    space = null_space_reduction(SIZES, attachments)
    expected = space.reduce(system)
    step = system
    for attachment in elimination_order(attachments):
        step = eliminate_attachment(step, SIZES, attachment)
    a, b = space.active_indices, space.attached_indices
    assert np.allclose(step.mass[np.ix_(a, a)], expected.mass)
    assert np.allclose(step.momentum[a], expected.momentum)
    assert np.allclose(step.bilateral.rows[:, a], expected.bilateral.rows)
    assert np.allclose(step.bilateral.target, expected.bilateral.target)
    for zero in (step.mass[b], step.mass[:, b], step.momentum[b], step.bilateral.rows[:, b]):
        assert np.abs(zero).max() < 1e-12 * np.abs(expected.mass).max()


def test_wrong_elimination_order_of_attached_masters_changes_the_result():
    """If the master is eliminated first, the components attached to it are lost."""
    attachments = [point_on_points(2, [1], [1.0]), point_on_points(1, [0], [1.0])]
    system = StepProblem(np.eye(9), np.ones(9))
    right = wrong = system
    for attachment in attachments:
        right = eliminate_attachment(right, [3, 3, 3], attachment)
    for attachment in attachments[::-1]:
        wrong = eliminate_attachment(wrong, [3, 3, 3], attachment)
    assert np.allclose(right.mass[:3, :3], 3 * np.eye(3))
    assert not np.allclose(wrong.mass[:3, :3], 3 * np.eye(3))


def test_attachments_to_active_components_commute(rng):
    sizes = [3, 6, 2, 4]
    first = Attachment(2, {0: rng.normal(size=(2, 3)), 1: rng.normal(size=(2, 6))}, rng.normal(size=2))
    second = Attachment(3, {0: rng.normal(size=(4, 3)), 1: rng.normal(size=(4, 6))}, rng.normal(size=4))
    (P, _), (Q, _) = reduction_matrix(sizes, first), reduction_matrix(sizes, second)
    assert np.allclose((P @ Q).toarray(), (Q @ P).toarray())
    system = random_system(rng, 15)
    one = eliminate_attachment(eliminate_attachment(system, sizes, first), sizes, second)
    other = eliminate_attachment(eliminate_attachment(system, sizes, second), sizes, first)
    for name in ("mass", "momentum", "bilateral.rows", "bilateral.target"):
        assert np.allclose(attrgetter(name)(one), attrgetter(name)(other))


def test_null_space_satisfies_the_attachments(rng):
    attachments = random_dag(rng, SIZES, 6)
    space = null_space_reduction(SIZES, attachments)
    C, c = attachment_rows(SIZES, attachments)
    assert np.allclose(C @ space.J.toarray(), 0, atol=1e-10 * abs(space.J).max())
    assert np.allclose(C @ space.bias, c)
    assert np.array_equal(space.J.toarray()[space.active_indices], np.eye(len(space.active_indices)))
    assert not space.bias[space.active_indices].any()


def test_sparse_equals_dense(rng):
    attachments = random_dag(rng, SIZES, 5)
    dense = random_system(rng, N)
    like = StepProblem(
        sparse.csc_array(dense.mass),
        dense.momentum,
        BilateralRows(sparse.csr_array(dense.bilateral.rows), dense.bilateral.target),
    )
    space = null_space_reduction(SIZES, attachments)
    assert sparse.issparse(space.reduce(like).mass)
    one, other = (solve_step(space.reduce(problem)) for problem in (like, dense))
    assert np.allclose(one.velocity, other.velocity)
    assert np.allclose(one.bilateral, other.bilateral)


def test_elimination_order_puts_masters_later(rng):
    for _ in range(10):
        attachments = random_dag(rng, SIZES, 6)
        order = elimination_order(attachments)
        position = {attachment.component: i for i, attachment in enumerate(order)}
        assert sorted(position) == sorted(attachment.component for attachment in attachments)
        for attachment in order:
            assert all(position.get(j, np.inf) > position[attachment.component] for j in attachment.blocks)


def test_long_chain():
    """Five hundred points, each attached to the one before: all move with the first."""
    count = 500
    attachments = [point_on_points(k, [k - 1], [1.0]) for k in range(1, count)]
    space = null_space_reduction([3] * count, attachments)
    assert space.max_depth == count - 1
    assert np.array_equal(space.expand_velocities([1.0, 2.0, 3.0]), np.tile([1.0, 2.0, 3.0], count))
    system = StepProblem(sparse.eye_array(3 * count, format="csc"), np.ones(3 * count))
    assert np.allclose(space.reduce(system).mass.toarray(), count * np.eye(3))


@pytest.mark.parametrize("cycle", [(0, 1), (2, 0, 3), (0, 1, 2, 3)])
def test_cycles_are_named(cycle):
    attachments = [point_on_points(k, [j], [1.0]) for k, j in pairwise([*cycle, cycle[0]])]
    attachments.append(point_on_points(4, [cycle[0]], [1.0]))
    with pytest.raises(CyclicAttachments) as raised:
        null_space_reduction([3] * 5, attachments)
    reported_cycle = raised.value.cycle
    assert sorted(reported_cycle) == sorted(cycle)
    masters = {k: j for k, j in pairwise([*cycle, cycle[0]])}
    assert all(masters[k] == j for k, j in pairwise([*reported_cycle, reported_cycle[0]]))
    assert " -> ".join(map(str, [*reported_cycle, reported_cycle[0]])) in str(raised.value)


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("blocks", lambda: Attachment(0, {})),
        ("own master", lambda: Attachment(0, {0: np.eye(3)})),
        ("blocks", lambda: Attachment(0, {1: np.eye(3), 2: np.eye(2)})),
        ("bias", lambda: Attachment(0, {1: np.eye(3)}, np.zeros(2))),
        (r"blocks\[1\]", lambda: Attachment(0, {1: [[np.nan]]})),
        (r"blocks\[1\]", lambda: null_space_reduction([3, 6], [Attachment(0, {1: np.eye(3)})])),
        ("component 5", lambda: null_space_reduction([3, 3], [Attachment(0, {5: np.eye(3)})])),
        ("two for component 0", lambda: null_space_reduction([3, 3], [Attachment(0, {1: np.eye(3)})] * 2)),
        ("sizes", lambda: null_space_reduction([3, 0], [])),
        ("problem", lambda: null_space_reduction([3], []).reduce(StepProblem(np.eye(2), [0, 0.0]))),
        ("v_reduced", lambda: null_space_reduction([3], []).expand_velocities([1.0])),
    ],
)
def test_bad_input_is_named(name, call):
    with pytest.raises(InvalidArgument, match=name):
        call()
