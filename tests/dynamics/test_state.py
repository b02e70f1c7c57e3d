"""The state: its parts, retraction, argument errors."""

import numpy as np
import pytest
from hypothesis import given

from rbnotes import se3
from rbnotes.arguments import InvalidArgument
from rbnotes.dynamics import State, States
from rbnotes.testing import derivative
from rbnotes.testing.strategies import arrays, vectors

RNG = np.random.default_rng(3)
FULL_STATE = State(
    se3.exp(RNG.normal(size=(2, 6))),
    RNG.normal(size=(2, 6)),
    RNG.normal(size=(3, 3)),
    RNG.normal(size=(3, 3)),
    RNG.normal(size=4),
    RNG.normal(size=4),
    0.5,
)
N = 12 + 9 + 4


def test_omitted_parts_are_empty_and_at_rest():
    nothing = State()
    assert nothing.size == 0
    assert nothing.E.shape == (0, 4, 4)
    body = State(np.eye(4))
    assert (body.E.shape, body.phi.shape, body.x.shape, body.q.shape) == ((1, 4, 4), (1, 6), (0, 3), (0,))
    assert not body.velocity.any()
    assert State(np.eye(4), np.arange(6.0)).velocity.tolist() == [0, 1, 2, 3, 4, 5]
    particle = State(x=[1.0, 2.0, 3.0], v=[4.0, 5.0, 6.0])
    assert (particle.x.shape, particle.velocity.tolist()) == ((1, 3), [4, 5, 6])
    assert State(q=[1.0, 2.0]).qdot.tolist() == [0, 0]
    assert State(q=[1.0, 0, 0, 0], qdot=[0.1, 0.2, 0.3]).size == 3


def test_velocities_are_stacked_in_order():
    np.testing.assert_array_equal(
        FULL_STATE.velocity, np.concatenate([FULL_STATE.phi.ravel(), FULL_STATE.v.ravel(), FULL_STATE.qdot])
    )
    phi, v, qdot = FULL_STATE.split(np.arange(float(N)))
    assert (phi.shape, v.shape, qdot.shape) == ((2, 6), (3, 3), (4,))
    again = FULL_STATE.with_velocity(np.arange(float(N)))
    np.testing.assert_array_equal(again.velocity, np.arange(N))
    for name in ("E", "x", "q", "t"):
        np.testing.assert_array_equal(getattr(again, name), getattr(FULL_STATE, name))


@given(vectors(N))
def test_retraction(increment):
    displaced = FULL_STATE.retract(increment, 0.25)
    xi, dx, dq = FULL_STATE.split(increment)
    for k in range(2):
        np.testing.assert_allclose(displaced.E[k], FULL_STATE.E[k] @ se3.exp(xi[k]), atol=1e-12)
    np.testing.assert_array_equal(displaced.x, FULL_STATE.x + dx)
    np.testing.assert_array_equal(displaced.q, FULL_STATE.q + dq)
    np.testing.assert_array_equal(displaced.velocity, FULL_STATE.velocity)
    assert displaced.t == 0.75


@given(arrays(2, 6), vectors(N))
def test_increment_rate_gives_the_velocity(xi, velocity):
    """Along an increment that changes at this rate, the pose changes as the twist says."""
    start = np.concatenate([0.3 * xi.ravel(), np.zeros(N - 12)])
    rate = FULL_STATE.increment_rate(start, velocity)
    inverse = se3.inverse(FULL_STATE.retract(start).E)
    moving = derivative(lambda t: se3.log(inverse @ FULL_STATE.retract(start + t * rate).E)).value
    phi, v, qdot = FULL_STATE.split(velocity)
    np.testing.assert_allclose(moving, phi, rtol=0, atol=1e-7 * (1 + np.max(np.abs(velocity))))
    np.testing.assert_array_equal(rate[12:], np.concatenate([v.ravel(), qdot]))


def test_stacked_states():
    path = States.stack([FULL_STATE, FULL_STATE.retract(np.ones(N), 1.0)])
    assert len(path) == 2
    assert path.E.shape == (2, 2, 4, 4)
    np.testing.assert_array_equal(path.t, [0.5, 1.5])
    np.testing.assert_array_equal(path.velocity[1], FULL_STATE.velocity)
    np.testing.assert_array_equal(path[0].E, FULL_STATE.E)
    np.testing.assert_array_equal(path[-1].q, FULL_STATE.q + 1)


def test_states_compare_by_identity():
    assert State(q=[1.0]) != State(q=[1.0])
    assert len({FULL_STATE, State()}) == 2


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: State(np.ones((4, 4))), "E: got"),
        (
            lambda: State(np.eye(4), np.zeros((2, 6))),
            r"phi: got shape \(2, 6\), expected shape \(1, 6\), for 1",
        ),
        (lambda: State(x=np.zeros((2, 3)), v=np.zeros((1, 3))), r"v: got shape \(1, 3\)"),
        (lambda: State(phi=np.zeros((1, 6))), r"phi: got shape \(1, 6\), expected shape \(0, 6\)"),
        (lambda: State(q=[[1.0]]), r"q: got shape \(1, 1\)"),
        (lambda: State(q=[np.nan]), "q: got NaN"),
        (lambda: FULL_STATE.retract(np.zeros(3)), "increment: got shape"),
        (
            lambda: State(q=[1.0, 0, 0, 0], qdot=[0.0, 0, 0]).retract(np.zeros(3)),
            "q: got 4 coordinates and 3 velo",
        ),
    ],
)
def test_invalid_shapes_are_named(make, message):
    with pytest.raises(InvalidArgument, match=message):
        make()
