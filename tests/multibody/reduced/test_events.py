"""Events of an adaptive integration: times, directions, terminal events, reparametrization."""

from dataclasses import replace

import numpy as np
import pytest
from random_trees import body
from scipy.integrate import solve_ivp

from rbnotes import joints
from rbnotes.arguments import InvalidArgument
from rbnotes.dynamics import State
from rbnotes.multibody import reduced
from rbnotes.multibody.reduced import Event, Link, Tree, integrate_adaptively

M = np.diag([1.0, 1.0, 1.0, 2.0, 2.0, 2.0])


def thrown_stone():
    """Return a body that flies on a parabola from height 1 with 5 m/s upwards, and its height."""
    tree = Tree([Link("stone", joints.Free3D(), M)], gravity=[0.0, 0.0, -10.0])
    start = State(q=[0, 0, 1.0, 0, 0, 0], qdot=[2.0, 0, 5.0, 0, 0, 0], t=3.0)
    return tree, start, lambda state: tree.maximal_state(state).E[0, 2, 3]


def test_times_and_directions():
    """Height 1 + 5 t - 5 t^2 is 2 at (5 -+ sqrt(5)) / 10 s, and falls to 0.5 at (5 + sqrt(35)) / 10 s."""
    tree, start, height = thrown_stone()
    heights = [(2.0, 0), (2.0, 1), (2.0, -1), (0.5, 0)]
    events = [Event(lambda s, z=z: height(s) - z, direction=way) for z, way in heights]
    trajectory = integrate_adaptively(tree, start, [3.0, 3.5, 4.5], events=events, max_step=0.3)
    rising, falling = 3 + (5 - np.sqrt(5)) / 10, 3 + (5 + np.sqrt(5)) / 10
    times = [[state.t for state in each] for each in trajectory.events]
    for actual, expected in zip(
        times, [[rising, falling], [rising], [falling], [3 + (5 + np.sqrt(35)) / 10]], strict=True
    ):
        np.testing.assert_allclose(actual, expected, rtol=1e-12)
    assert trajectory.terminating_event is None
    starts_at_zero = integrate_adaptively(tree, start, [4.0], events=[Event(lambda s: s.q[0])])
    assert starts_at_zero.events == ((),)
    np.testing.assert_array_equal(trajectory.states.t, [3.0, 3.5, 4.5])
    np.testing.assert_allclose(height(trajectory.events[2][0]), 2, rtol=1e-12)
    np.testing.assert_allclose(trajectory.events[1][0].qdot[2], np.sqrt(5), rtol=1e-9)


def test_terminal_event_ends_the_motion():
    tree, start, height = thrown_stone()
    events = [Event(lambda s: s.q[0] - 2.3), Event(height, terminal=True), Event(lambda s: s.q[0] - 2.5)]
    lands = 3 + (5 + np.sqrt(45)) / 10
    trajectory = integrate_adaptively(tree, start, [3.5, 4.0, 4.5, 9.0], events=events)
    assert trajectory.terminating_event == 1
    np.testing.assert_array_equal(trajectory.states.t, [3.5, 4.0])
    assert [len(each) for each in trajectory.events] == [1, 1, 0]
    assert trajectory.events[1][0].t == pytest.approx(lands, rel=1e-12)
    early = integrate_adaptively(tree, start, [9.0], events=events)
    assert len(early.states) == 0
    assert early.states.q.shape == (0, 6)
    # Thrown again from there, the stone is on the ground and does not land at once.
    up = replace(early.events[1][0], qdot=np.array([0, 0, 5.0, 0, 0, 0]))
    again = integrate_adaptively(tree, up, [9.0], events=[replace(events[1], direction=-1)])
    assert again.events[0][0].t == pytest.approx(lands + 1.0, rel=1e-9)


class ReparametrizingTree(Tree):
    """A tree that remembers when its coordinates were exchanged."""

    def reparametrize(self, state):
        new = super().reparametrize(state)
        if np.max(np.abs(new.q - state.q)) > 1:
            self.__dict__.setdefault("exchanged", []).append(state.t)
        return new


def test_reparametrization_loses_no_event():
    """For a tumbling body with rotation vectors, and with quaternions, which need no reparametrization."""
    trajectories, systems, times = [], [], np.linspace(0, 2.6, 261)
    for ball in (joints.ExponentialSpherical(), joints.QuaternionSpherical()):
        tree = ReparametrizingTree([Link("top", ball, np.diag([1.0, 1.7, 2.3, 2.0, 2.0, 2.0]))])
        spin = np.linalg.pinv(ball.motion_subspace(ball.neutral)[:3]) @ [6.0, -0.6, 0.4]
        start = State(q=ball.neutral, qdot=spin)

        def upright(state, tree=tree):
            return tree.maximal_state(state).E[0, 1, 1]

        events = [Event(upright), Event(upright, direction=-1)]
        options = {"rtol": 1e-7, "atol": 1e-8, "max_step": 0.1}
        seen = integrate_adaptively(tree, start, times, events=events, **options)
        trajectories.append([[state.t for state in each] for each in seen.events])
        systems.append(tree)
    for first, second in zip(*trajectories, strict=True):
        assert first
        np.testing.assert_allclose(first, second, atol=1e-5)
    exchanged = systems[0].exchanged
    assert not hasattr(systems[1], "exchanged")
    assert trajectories[0][0][0] < exchanged[-1] < trajectories[0][0][-1]
    states = seen.states
    signs = np.sign([upright(states[i]) for i in range(len(states))])
    assert np.count_nonzero(np.diff(signs)) == len(trajectories[0][0])
    assert np.count_nonzero(np.diff(signs) < 0) == len(trajectories[0][1])


def test_against_scipy():
    """A pendulum's swings, from its own equation of motion."""
    rng = np.random.default_rng(0)
    tree = Tree([Link("pendulum", joints.Revolute((0.0, 1.0, 0.0)), body(rng), damping=0.3)])

    def rates(t, y):
        return [y[1], float(reduced.forward_dynamics_dense(tree, y[:1], y[1:])[0])]

    event = lambda t, y: y[1]  # noqa: E731
    event.direction = -1
    expected = solve_ivp(rates, (0, 9), [1.0, 0.5], "DOP853", events=event, rtol=1e-8, atol=1e-9)
    trajectory = integrate_adaptively(
        tree,
        State(q=[1.0], qdot=[0.5]),
        [9.0],
        events=[Event(lambda s: s.qdot[0], direction=-1)],
        rtol=1e-8,
        atol=1e-9,
    )
    assert len(expected.t_events[0]) >= 2
    np.testing.assert_allclose([s.t for s in trajectory.events[0]], expected.t_events[0], rtol=1e-5)
    np.testing.assert_allclose([s.q[0] for s in trajectory.events[0]], expected.y_events[0][:, 0], rtol=1e-5)


def test_invalid_events_are_rejected():
    tree, start, height = thrown_stone()
    with pytest.raises(InvalidArgument, match="direction: got 2"):
        Event(height, direction=2)
    with pytest.raises(InvalidArgument, match=r"events\[0\]: got function"):
        integrate_adaptively(tree, start, [4.0], events=[height])
    with pytest.raises(InvalidArgument, match=r"events\[1\]: got NaN"):
        integrate_adaptively(tree, start, [4.0], events=[Event(height), Event(lambda s: np.nan)])
