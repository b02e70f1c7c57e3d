"""Springs between particles, many at once: their sum is that of single springs, and stays sparse."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from rbnotes.arguments import InvalidArgument, SingularConfiguration
from rbnotes.dynamics import State
from rbnotes.forces import (
    ForceGroups,
    LinearSpring,
    PathForces,
    QuadraticStrain,
    on_particle,
    path_force,
    path_length,
    path_stiffness,
    path_through,
)
from rbnotes.forces.anchor_points import NO_PARTICLE
from rbnotes.testing import jacobian
from rbnotes.testing.strategies import positive_numbers, vectors


def net(law, ends, stiffness="exact"):
    first, second = np.transpose(ends)
    springs = path_through(on_particle(first), on_particle(second))
    return ForceGroups([PathForces(law, springs, stiffness=stiffness)])


@st.composite
def networks(draw):
    """Return springs between five particles, each with its own parameters.

    Pairs may repeat, in either order.
    """
    pairs = st.tuples(st.integers(0, 4), st.integers(0, 4)).filter(lambda pair: pair[0] != pair[1])
    ends = np.array(draw(st.lists(pairs, min_size=1, max_size=8)))
    k, d, r = (np.array([draw(positive_numbers()) for _ in ends]) for _ in range(3))
    are_distinct = lambda x: min(np.linalg.norm(x[i] - x[j]) for i in range(5) for j in range(i)) > 0.25  # noqa: E731
    x = draw(vectors(15).map(lambda e: e.reshape(5, 3)).filter(are_distinct))
    return ends, (k, d, r), x, draw(vectors(15)).reshape(5, 3)


@given(networks())
def test_network_is_the_sum_of_its_springs(network):
    ends, parameters, x, v = network
    forces = net(LinearSpring(*parameters), ends)(State(x=x, v=v))
    f, K, D = np.zeros((5, 3)), np.zeros((15, 15)), np.zeros((15, 15))
    for (i, j), k, d, r in zip(ends, *parameters, strict=True):
        one = path_force(LinearSpring(k, d, r), x[[i, j]], v[[i, j]])
        rows = [3 * i, 3 * i + 1, 3 * i + 2, 3 * j, 3 * j + 1, 3 * j + 2]
        f[i] += one.f[0]
        f[j] += one.f[1]
        K[np.ix_(rows, rows)] += one.K
        D[np.ix_(rows, rows)] += one.D
    assert_allclose(forces.f, f.ravel(), atol=1e-12)
    assert_allclose(forces.K.toarray(), K, atol=1e-11)
    assert_allclose(forces.D.toarray(), D, atol=1e-11)


@given(networks())
def test_taut_network_is_the_sum_of_taut_springs(network):
    ends, parameters, x, v = network
    exact = net(LinearSpring(*parameters), ends)(State(x=x, v=v))
    forces = net(LinearSpring(*parameters), ends, "taut")(State(x=x, v=v))
    missing = np.zeros((15, 15))
    for (i, j), k, d, r in zip(ends, *parameters, strict=True):
        one = LinearSpring(k, d, r)
        if one(*path_length(x[[i, j]], v[[i, j]])).F < 0:
            rows = [3 * i, 3 * i + 1, 3 * i + 2, 3 * j, 3 * j + 1, 3 * j + 2]
            missing[np.ix_(rows, rows)] += path_stiffness(one, x[[i, j]], v[[i, j]]).geometric
    assert_allclose(forces.K.toarray(), exact.K.toarray() - missing, atol=1e-11)
    assert_allclose(forces.f, exact.f)
    assert_allclose(forces.D.toarray(), exact.D.toarray())


@given(networks())
def test_forces_are_minus_the_energy_gradient(network):
    ends, (k, _, r), x, v = network
    springs = net(QuadraticStrain(k, r), ends)
    gradient = jacobian(lambda z: springs.energy(State(x=z.reshape(5, 3))), x.ravel())
    assert_allclose(springs(State(x=x, v=v)).f, -gradient.value, rtol=1e-8, atol=1e-7)


def test_ten_thousand_springs_stay_sparse():
    side = 71
    number = np.arange(side * side).reshape(side, side)
    ends = np.concatenate(
        [
            np.stack([number[:, :-1].ravel(), number[:, 1:].ravel()], axis=1),
            np.stack([number[:-1].ravel(), number[1:].ravel()], axis=1),
        ]
    )
    x = np.stack([*np.divmod(number.ravel(), side), np.zeros(side * side)], axis=1).astype(float)
    x[:, 2] = np.sin(x[:, 0]) * np.cos(x[:, 1])
    forces = net(LinearSpring(10.0, 0.1, 0.9), ends)(State(x=x, v=np.cos(x)))
    assert len(ends) == 9940
    assert forces.K.shape == (3 * side * side, 3 * side * side)
    assert forces.K.nnz <= 9 * (side * side + 2 * len(ends))
    # The rows of K and D sum to zero: moving all particles together changes nothing.
    together = np.tile(np.eye(3), (side * side, 1))
    assert_allclose(forces.K @ together, 0, atol=1e-11)
    assert_allclose(forces.D @ together, 0, atol=1e-11)


def test_world_points_are_fixed():
    """A net with an end in the world is that of all particles, on the coordinates of those that move."""
    x = np.array([[0.5, 0, 0], [1, 0, 0.25], [1, 2, 0]])
    law = LinearSpring([3.0, 5.0], 0.5, 0.75)
    hung = path_through(on_particle([0, 0]), on_particle([1, 1]))
    fixed = np.zeros((2, 2, 3))
    fixed[0, 0] = x[0]
    hung = replace(hung, particle=np.array([[NO_PARTICLE, 0], [0, 1]]), x=fixed)
    v = np.sin(x)
    v[0] = 0
    full = net(law, [[0, 1], [1, 2]])(State(x=x, v=v))
    forces = ForceGroups([PathForces(law, hung)])(State(x=x[1:], v=v[1:]))
    assert_allclose(forces.f, full.f[3:], atol=1e-13)
    assert_allclose(forces.K.toarray(), full.K.toarray()[3:, 3:], atol=1e-13)
    assert_allclose(forces.D.toarray(), full.D.toarray()[3:, 3:], atol=1e-13)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: net(LinearSpring(1.0), [[0.0, 1.0]]), InvalidArgument, "index: got ndarray"),
        (lambda: net(LinearSpring(1.0), [[0, -1]]), InvalidArgument, "index: got -1"),
        (lambda: PathForces(LinearSpring(1.0), on_particle(0)), InvalidArgument, r"points: got shape \(\)"),
        (lambda: net(LinearSpring(1.0), [[0, 1]], "slack"), InvalidArgument, "stiffness: got 'slack'"),
        (
            lambda: PathForces(
                LinearSpring(1.0), path_through(on_particle(0), on_particle(1)), [True, False]
            ),
            InvalidArgument,
            r"active: got shape \(2,\)",
        ),
        (
            lambda: net(LinearSpring(1.0), [[0, 3]])(State(x=np.eye(3))),
            InvalidArgument,
            "points: got number 3",
        ),
        (
            lambda: net(LinearSpring(1.0), [[0, 1], [2, 2]])(State(x=np.eye(3))),
            SingularConfiguration,
            r"of path \(1,\)",
        ),
        (
            lambda: net(lambda L, Ldot: None, [[0, 1]]).energy(State(x=np.eye(3))),
            InvalidArgument,
            "law: got function",
        ),
    ],
)
def test_bad_arguments_are_named(call, error, message):
    with pytest.raises(error, match=message):
        call()
