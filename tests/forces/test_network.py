"""A network is the sum of its springs, however it is assembled."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from rbnotes.arguments import InvalidArgument, SingularConfiguration
from rbnotes.checking import jacobian
from rbnotes.checking.strategies import positive_numbers, vectors
from rbnotes.forces import (
    LinearSpring,
    QuadraticStrain,
    SpringNetwork,
    coordinates,
    path_force,
    path_length,
    path_stiffness,
)


@st.composite
def networks(draw):
    """Springs between five particles, each with its own parameters; pairs may repeat, in either order."""
    pairs = st.tuples(st.integers(0, 4), st.integers(0, 4)).filter(lambda pair: pair[0] != pair[1])
    ends = np.array(draw(st.lists(pairs, min_size=1, max_size=8)))
    k, d, r = (np.array([draw(positive_numbers()) for _ in ends]) for _ in range(3))
    apart = lambda x: min(np.linalg.norm(x[i] - x[j]) for i in range(5) for j in range(i)) > 0.25  # noqa: E731
    x = draw(vectors(15).map(lambda e: e.reshape(5, 3)).filter(apart))
    return ends, (k, d, r), x, draw(vectors(15)).reshape(5, 3)


@given(networks())
def test_network_is_the_sum_of_its_springs(network):
    ends, parameters, x, v = network
    found = SpringNetwork(LinearSpring(*parameters), ends).forces(x, v)
    f, K, D = np.zeros((5, 3)), np.zeros((15, 15)), np.zeros((15, 15))
    for (i, j), k, d, r in zip(ends, *parameters, strict=True):
        one = path_force(LinearSpring(k, d, r), x[[i, j]], v[[i, j]])
        rows = [3 * i, 3 * i + 1, 3 * i + 2, 3 * j, 3 * j + 1, 3 * j + 2]
        f[i] += one.f[0]
        f[j] += one.f[1]
        K[np.ix_(rows, rows)] += one.K
        D[np.ix_(rows, rows)] += one.D
    assert_allclose(found.f, f, atol=1e-12)
    assert_allclose(found.K.toarray(), K, atol=1e-11)
    assert_allclose(found.D.toarray(), D, atol=1e-11)


@given(networks())
def test_taut_network_is_the_sum_of_taut_springs(network):
    ends, parameters, x, v = network
    exact = SpringNetwork(LinearSpring(*parameters), ends).forces(x, v)
    found = SpringNetwork(LinearSpring(*parameters), ends).forces(x, v, taut=True)
    missing = np.zeros((15, 15))
    for (i, j), k, d, r in zip(ends, *parameters, strict=True):
        one = LinearSpring(k, d, r)
        if one(*path_length(x[[i, j]], v[[i, j]])).F < 0:
            rows = coordinates([i, j]).ravel()
            missing[np.ix_(rows, rows)] += path_stiffness(one, x[[i, j]], v[[i, j]]).geometric
    assert_allclose(found.K.toarray(), exact.K.toarray() - missing, atol=1e-11)
    assert_allclose(found.f, exact.f)
    assert_allclose(found.D.toarray(), exact.D.toarray())


@given(networks())
def test_forces_are_minus_the_energy_gradient(network):
    ends, (k, _, r), x, v = network
    network = SpringNetwork(QuadraticStrain(k, r), ends)
    slope = jacobian(lambda z: network.energy(z.reshape(5, 3)), x.ravel())
    assert_allclose(network.forces(x, v).f.ravel(), -slope.value, rtol=1e-8, atol=1e-7)


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
    forces = SpringNetwork(LinearSpring(10.0, 0.1, 0.9), ends).forces(x, np.cos(x))
    assert len(ends) == 9940
    assert forces.K.shape == (3 * side * side, 3 * side * side)
    assert forces.K.nnz <= 9 * (side * side + 2 * len(ends))
    # The rows of K and D sum to zero: moving all particles together changes nothing.
    together = np.tile(np.eye(3), (side * side, 1))
    assert_allclose(forces.K @ together, 0, atol=1e-11)
    assert_allclose(forces.D @ together, 0, atol=1e-11)


def test_coordinates_select_the_moving_particles():
    assert_allclose(coordinates([0, 2]), [[0, 1, 2], [6, 7, 8]])
    network = SpringNetwork(LinearSpring(1.0), [[0, 1], [1, 2]])
    x = np.array([[0.0, 0, 0], [1, 0, 0], [1, 2, 0], [5, 5, 5]])
    rows = coordinates([1]).ravel()
    assert_allclose(network.forces(x, 0 * x).K[np.ix_(rows, rows)].toarray(), -2 * np.eye(3), atol=1e-15)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda net: SpringNetwork(net.law, [[0.0, 1.0]]), InvalidArgument, "ends: got float64"),
        (lambda net: SpringNetwork(net.law, [0, 1]), InvalidArgument, r"integers of shape \(N, 2\)"),
        (lambda net: SpringNetwork(net.law, [[0, -1]]), InvalidArgument, "particle -1"),
        (
            lambda net: SpringNetwork(net.law, [[0, 1], [2, 2]]),
            InvalidArgument,
            "spring 1 from a particle to",
        ),
        (lambda net: net.forces(np.eye(2, 3), np.eye(2, 3)), InvalidArgument, "at least 3 particles"),
        (lambda net: net.forces(np.eye(3), np.eye(4, 3)), InvalidArgument, r"v: got shape \(4, 3\)"),
        (lambda net: net.forces(np.ones((3, 3)), np.eye(3)), SingularConfiguration, r"of path \(0,\)"),
        (
            lambda net: SpringNetwork(lambda L, Ldot: None, net.ends).energy(np.eye(3)),
            InvalidArgument,
            "law: got function",
        ),
        (lambda net: coordinates([0.5]), InvalidArgument, "particles: got float64"),
    ],
)
def test_bad_arguments_are_named(call, error, message):
    with pytest.raises(error, match=message):
        call(SpringNetwork(LinearSpring(1.0), [[0, 1], [1, 2]]))
