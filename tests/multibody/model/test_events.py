"""Events of `simulate`: times in closed form, directions, terminal events, continued and saved runs."""

from dataclasses import replace

import numpy as np
import pytest
from model_parts import shift
from scipy.special import ellipk

from rbnotes import joints
from rbnotes.arguments import InvalidArgument
from rbnotes.dynamics import State, symplectic_euler
from rbnotes.forces import LinearSpring, PathForces, on_particle, on_world, path_through
from rbnotes.multibody import Body, Event, Model, Motor, load_trajectory, save_trajectory, simulate
from rbnotes.multibody.events import EventDetector
from rbnotes.shapes import Box, Plane, Sphere

ADAPTIVE = {"scheme": "DOP853", "rtol": 1e-10, "atol": 1e-11}
SLIDER = Model(
    [Body("slider", Sphere(0.1), mass=2.0, joint=joints.Prismatic([1, 0, 0]))], actuators=[Motor("slider")]
)
STONE = Model([Body("stone", Sphere(0.1), mass=2.0, position=[0, 0, 1.0])], gravity=[0, 0, -10.0])


def thrown_stone(up=5.0, t=3.0):
    """Return the state of the stone at height 1 with horizontal speed 2 and a vertical one, m/s."""
    return STONE.state(twists={"stone": [0.3, 0.4, 0, 2.0, 0, up]}, t=t)


def height(state):
    return state.E[0, 2, 3]


def vertical_velocity(state):
    return (state.E[0, :3, :3] @ state.phi[0, 3:])[2]


def above(z, **options):
    return Event(lambda state: height(state) - z, **options)


def times(motion):
    return [states.t.tolist() for states in motion.events]


def test_times_and_directions():
    """Height 1 + 5 t - 5 t^2 is 2 at (5 -+ sqrt(5)) / 10 s, and falls to 0.5 at (5 + sqrt(35)) / 10 s."""
    rising, falling, low = (3 + (5 + root) / 10 for root in (-np.sqrt(5), np.sqrt(5), np.sqrt(35)))
    events = [above(2.0), above(2.0, direction=1), above(2.0, direction=-1), above(0.5), above(5.0)]
    motion = simulate(STONE, thrown_stone(), h=0.5, steps=3, events=events, **ADAPTIVE)
    expected = [[rising, falling], [rising], [falling], [low], []]
    assert [len(each) for each in times(motion)] == [2, 1, 1, 1, 0]
    np.testing.assert_allclose(np.concatenate(times(motion)), np.concatenate(expected), rtol=1e-10)
    np.testing.assert_array_equal(motion.t, [3.0, 3.5, 4.0, 4.5])
    assert motion.terminating_event is None
    at_rise = motion.events[1][0]
    np.testing.assert_allclose(at_rise.E[0, :3, 3], [2 * (rising - 3), 0, 2], rtol=0, atol=1e-9)
    assert vertical_velocity(at_rise) == pytest.approx(np.sqrt(5), rel=1e-8)
    # A function that starts at zero does not cross it.
    from_zero = simulate(STONE, thrown_stone(), h=0.5, steps=1, events=[above(1.0)], **ADAPTIVE)
    assert times(from_zero) == [[]]


@pytest.mark.parametrize(("scheme", "amplitude"), [("DOP853", 0.5), ("DOP853", 2.5), ("LSODA", 2.5)])
def test_pendulum_passes_the_lowest_point_at_the_times_of_the_elliptic_integral(scheme, amplitude):
    """A point mass on a rod swings through the lowest point at odd quarters of its period."""
    length, gravity = 0.7, 9.81
    bob = Body("bob", mass=1.3, joint=joints.Revolute([0, 1, 0]), body_frame=shift(0, 0, -length))
    model = Model([bob], gravity=[0, 0, -gravity])
    start = model.state(q={"bob": amplitude})
    quarter = ellipk(np.sin(amplitude / 2) ** 2) * np.sqrt(length / gravity)
    events = [Event(lambda state: np.sin(state.q[0]), direction=way) for way in (0, 1, -1)]
    options = ADAPTIVE | {"scheme": scheme, "rtol": 1e-8, "atol": 1e-9}
    motion = simulate(model, start, h=quarter / 2, steps=15, events=events, **options)
    for states, odd in zip(motion.events, ([1, 3, 5, 7], [3, 7], [1, 5]), strict=True):
        np.testing.assert_allclose(states.t, quarter * np.array(odd), rtol=1e-6)
        speed = 2 * np.sqrt(gravity / length) * np.sin(amplitude / 2)
        np.testing.assert_allclose(np.abs(states.qdot[:, 0]), speed, rtol=1e-6)


def test_event_at_a_recorded_instant():
    """The stone is highest after 0.5 s, which is a recorded instant, up to the error of the method."""
    apex = Event(vertical_velocity, direction=-1)
    motion = simulate(STONE, thrown_stone(t=0.0), h=0.25, steps=4, events=[apex], **ADAPTIVE)
    assert times(motion) == [[pytest.approx(0.5, abs=1e-9)]]
    assert len(motion.t) == 5
    ended = simulate(
        STONE, thrown_stone(t=0.0), h=0.25, steps=4, events=[replace(apex, terminal=True)], **ADAPTIVE
    )
    # Times that differ by rounding are not two recorded instants.
    assert len(ended.t) == 3
    np.testing.assert_allclose(ended.t, [0, 0.25, 0.5], rtol=0, atol=1e-9)
    assert ended.t[-1] == ended.events[0].t[0]


def test_terminal_event_ends_the_motion_at_its_time():
    events = [
        Event(lambda s: s.E[0, 0, 3] - 2.0),
        above(0.0, terminal=True),
        above(-1.0),
        Event(lambda s: s.E[0, 0, 3] - 2.1),
    ]
    lands = 3 + (5 + np.sqrt(45)) / 10
    done = []
    motion = simulate(
        STONE,
        thrown_stone(),
        h=0.5,
        steps=20,
        events=events,
        progress=lambda *counts: done.append(counts),
        **ADAPTIVE,
    )
    assert motion.terminating_event == 1
    assert "4.17082 s (events[1])" in repr(motion)
    np.testing.assert_allclose(motion.t, [3.0, 3.5, 4.0, lands], rtol=1e-11)
    np.testing.assert_allclose(np.concatenate(times(motion)), [4.0, lands, 4.05], rtol=1e-9)
    np.testing.assert_array_equal(motion.states.E[-1], motion.events[1].E[0])
    assert done == [(1, 20), (2, 20), (3, 20)]


def test_account_of_energy_and_channels_of_a_shortened_last_step():
    """A motor pushes a slider with 3 N from rest: 2 kg pass 0.5 m at sqrt(2/3) s, with a work of 1.5 J."""
    motion = simulate(
        SLIDER,
        h=0.2,
        steps=50,
        control=lambda state: {"slider": 3.0},
        events=[Event(lambda state: state.q[0] - 0.5, terminal=True)],
        record=["slider.force"],
        **ADAPTIVE,
    )
    assert motion.t[-1] == pytest.approx(np.sqrt(2 / 3), rel=1e-10)
    assert len(motion.t) == 6
    np.testing.assert_allclose(motion.recorded["slider.force"].values.ravel(), 3.0, rtol=1e-9)
    assert motion.work.applied_forces.sum() == pytest.approx(1.5, rel=1e-9)
    np.testing.assert_allclose(np.diff(motion.energies), motion.work.total, rtol=0, atol=1e-12)


def test_motion_ends_before_a_contact_that_its_own_step_would_reach():
    """Methods of SciPy refuse contacts: a step that a terminal event ends does not look beyond it."""
    falling = Model([Body("ball", Sphere(0.1), mass=1.0, position=[0, 0, 0.6])], ground=Plane())
    with pytest.raises(InvalidArgument, match="contacts ball-world"):
        simulate(falling, h=1.0, steps=1, **ADAPTIVE)
    motion = simulate(falling, h=1.0, steps=1, events=[above(0.1, terminal=True)], **ADAPTIVE)
    assert motion.t[-1] == pytest.approx(np.sqrt(2 * 0.5 / 9.81), rel=1e-9)


def test_crossings_are_sought_between_recorded_states_although_the_method_takes_longer_steps():
    """Without forces the method takes long steps; at 1 m/s sin(100 x) crosses zero every pi/100 s."""
    wave = Event(lambda state: np.sin(100 * state.q[0] + 0.5))
    start = SLIDER.state(qdot={"slider": 1.0}, t=0.1)
    motion = simulate(SLIDER, start, h=0.02, steps=50, events=[wave], **ADAPTIVE)
    expected = (np.pi * np.arange(1, 32) - 0.5) / 100
    assert expected[-1] < 1 < expected[-1] + np.pi / 100
    np.testing.assert_allclose(motion.events[0].t, 0.1 + expected, rtol=1e-9)
    np.testing.assert_array_equal(motion.t, np.cumsum([0.1] + 50 * [0.02]))


SCALES = (1.0, 3.0, 0.7, -1.3)


@pytest.mark.parametrize("terminal", range(len(SCALES)))
def test_events_at_one_time_all_occur(terminal):
    """Multiples of one function vanish at the same time, but their computed roots differ by rounding."""
    events = [
        Event(lambda s, c=c: c * (height(s) - 1 / 3), terminal=i == terminal) for i, c in enumerate(SCALES)
    ]
    motion = simulate(STONE, thrown_stone(), h=0.3, steps=10, events=events, **ADAPTIVE)
    assert motion.terminating_event == terminal
    lands = 3 + (5 + np.sqrt(25 + 40 / 3)) / 10
    np.testing.assert_allclose(times(motion), len(SCALES) * [[lands]], rtol=1e-10)
    assert max(times(motion)) == [motion.t[-1]]
    # A continued motion finds none of them again.
    further = simulate(STONE, motion, h=0.3, steps=1, events=events, **ADAPTIVE)
    assert times(further) == [[], [], [], []]
    assert further.terminating_event is None


@pytest.mark.parametrize("h", [0.1, 0.25, (5 + np.sqrt(5)) / 30])
def test_continued_motion_loses_and_repeats_no_event(h):
    """The third step size ends its third step at an event, up to rounding."""
    events = [above(2.0), Event(vertical_velocity), above(1.8, direction=-1)]
    options = {"h": h, "events": events, **ADAPTIVE}
    motion = whole = simulate(STONE, thrown_stone(t=0.0), steps=9, **options)
    parts = []
    for part in range(9):
        motion = simulate(STONE, motion if part else thrown_stone(t=0.0), steps=1, **options)
        parts.append(times(motion))
    joined = [np.concatenate(each) for each in zip(*parts, strict=True)]
    exact = [[(5 - np.sqrt(5)) / 10, (5 + np.sqrt(5)) / 10], [0.5], [0.8]]
    for actual, expected, known in zip(joined, times(whole), exact, strict=True):
        known = [t for t in known if t < 9 * h]
        np.testing.assert_allclose(actual, known, rtol=1e-9)
        np.testing.assert_allclose(expected, known, rtol=1e-9)


def test_motion_that_continues_from_each_event_finds_each_once():
    """Differently rounded functions of one position vanish at one time; the first of them is terminal."""
    places = np.sort(np.random.default_rng(2).uniform(0, 1, 12))
    scales = (1.0, -1.3, 7.1, 0.3, -2.9)
    events = [
        Event(lambda s, c=c, place=place: c * s.q[0] - c * place, terminal=c == scales[0])
        for place in places
        for c in scales
    ]
    motion, counts = SLIDER.state(qdot={"slider": 0.7}), np.zeros(len(events), dtype=int)
    for number, place in enumerate(places):
        motion = simulate(SLIDER, motion, h=2.0, steps=1, events=events, **ADAPTIVE)
        assert motion.terminating_event == number * len(scales)
        assert motion.t[-1] == pytest.approx(place / 0.7, rel=1e-9)
        assert motion.t[-1] == motion.events[motion.terminating_event].t[0]
        counts += [len(each) for each in motion.events]
    np.testing.assert_array_equal(counts, 1)


def test_function_that_is_zero_at_a_recorded_instant():
    """A function of time alone is exactly zero there, and neither lost nor repeated where a run continues."""
    event = Event(lambda state: 0.25 - state.t)
    start = SLIDER.state(qdot={"slider": 1.0})
    for h in (0.125, 0.25, 1.0):
        motion = simulate(SLIDER, start, h=h, steps=3, events=[event], **ADAPTIVE)
        assert times(motion) == [[0.25]]
    first = simulate(SLIDER, start, h=0.25, steps=1, events=[event], **ADAPTIVE)
    second = simulate(SLIDER, first, h=0.25, steps=1, events=[event], **ADAPTIVE)
    assert times(first) + times(second) == [[0.25], []]


def test_other_coordinates_may_change_the_sign_of_a_value_by_rounding():
    """The coordinates are replaced at -1e-17 by others, which are 1e-17."""
    event = Event(lambda state: state.q[0], direction=1)
    detector = EventDetector(SLIDER, [event], State(q=[-1e-17], qdot=[1.0]))
    found = detector.detect(0.0, [1.0], lambda t: State(q=[t + 1e-17], qdot=[1.0], t=t))
    assert [each.state.t for each in found] == [pytest.approx(0.0, abs=1e-15)]


def test_bounces_from_terminal_events():
    """Thrown up at 5 m/s from the ground again and again, the stone lands after one second each time."""
    lands = above(0.0, terminal=True, direction=-1)
    start = replace(thrown_stone(t=0.0), E=np.eye(4)[None])
    for bounce in range(1, 4):
        motion = simulate(STONE, start, h=0.3, steps=10, events=[lands], **ADAPTIVE)
        assert motion.t[-1] == pytest.approx(bounce, rel=1e-9)
        end = motion.states[-1]
        velocity = np.array([2.0, 0, 5.0])
        start = replace(end, phi=np.append(end.phi[0, :3], end.E[0, :3, :3].T @ velocity)[None])


@pytest.mark.parametrize("ends", [False, True])
def test_events_are_saved(tmp_path, ends):
    events = [above(2.0), above(9.0), above(0.0, terminal=ends)]
    motion = simulate(STONE, thrown_stone(), h=0.5, steps=4, events=events, **ADAPTIVE)
    assert motion.terminating_event == (2 if ends else None)
    save_trajectory(motion, tmp_path / "stone.npz")
    loaded = load_trajectory(tmp_path / "stone.npz", STONE)
    assert loaded.terminating_event == motion.terminating_event
    assert [len(each) for each in loaded.events] == [2, 0, 1]
    for actual, expected in zip(loaded.events, motion.events, strict=True):
        assert vars(actual).keys() == vars(expected).keys()
        for name, values in vars(expected).items():
            np.testing.assert_array_equal(getattr(actual, name), values)


def test_functions_of_events_take_particles(tmp_path):
    """A particle on a spring of zero length passes the center at quarters of its period."""
    mass, stiffness = 0.5, 8.0
    spring = PathForces(LinearSpring(stiffness, 0.0, 0.0), path_through(on_world([0, 0, 0]), on_particle(0)))
    model = Model(particles=[mass], gravity=[0, 0, 0], forces=spring)
    center = Event(lambda state: state.x[0, 0])
    start = model.state(x=[[0.3, 0, 0]])
    motion = simulate(model, start, h=0.3, steps=6, events=[center], coordinates="reduced", **ADAPTIVE)
    frequency = np.sqrt(stiffness / mass)
    np.testing.assert_allclose(motion.events[0].t, np.pi / frequency * np.array([0.5, 1.5]), rtol=1e-7)
    np.testing.assert_allclose(motion.events[0].v[:, 0, 0], 0.3 * frequency * np.array([-1, 1]), rtol=1e-7)
    save_trajectory(motion, tmp_path / "particle.npz")
    loaded = load_trajectory(tmp_path / "particle.npz", model)
    np.testing.assert_array_equal(loaded.events[0].x, motion.events[0].x)


@pytest.mark.slow
def test_reparametrization_loses_no_event():
    """A tumbling body with rotation vectors, whose coordinates jump, and with quaternions."""
    found = []
    for ball in (joints.ExponentialSpherical(), joints.QuaternionSpherical()):
        top = Body("top", inertia=np.diag([1.0, 1.7, 2.3, 2.0, 2.0, 2.0]), joint=ball)
        model = Model([top], gravity=[0, 0, 0])
        spin = np.linalg.pinv(ball.motion_subspace(ball.neutral)[:3]) @ [6.0, -0.6, 0.4]

        def upright(state, model=model):
            return model.body_state(state).E[0, 1, 1]

        motion = simulate(
            model,
            model.state(qdot={"top": spin}),
            h=0.01,
            steps=260,
            scheme="DOP853",
            rtol=1e-7,
            atol=1e-8,
            events=[Event(upright), Event(upright, direction=-1)],
        )
        signs = np.sign(motion.body_states.E[:, 0, 1, 1])
        assert len(motion.events[0]) == np.count_nonzero(np.diff(signs)) > 3
        assert len(motion.events[1]) == np.count_nonzero(np.diff(signs) < 0)
        found.append(motion)
    first, second = found
    jumps = np.linalg.norm(np.diff(first.q("top"), axis=0), axis=1) > 1
    exchanged = first.t[1:][jumps]
    assert first.events[0].t[0] < exchanged[-1] < first.events[0].t[-1]
    for actual, expected in zip(times(first), times(second), strict=True):
        np.testing.assert_allclose(actual, expected, rtol=0, atol=1e-5)


@pytest.mark.parametrize("scheme", ["rattle", symplectic_euler])
def test_schemes_with_fixed_steps_refuse_events(scheme):
    box = Model([Body("box", Box([0.1, 0.1, 0.1]), mass=1.0, position=[0, 0, 1.0])], ground=Plane())
    done = []
    options = {"h": 0.01, "steps": 5, "scheme": scheme, "progress": lambda *counts: done.append(counts)}
    with pytest.raises(InvalidArgument, match=r"^events: got 1 with scheme=.* pass scheme='DOP853', or use"):
        simulate(box, events=[above(0.5)], **options)
    assert not done
    motion = simulate(box, events=[], **options)
    assert motion.events == ()


def test_invalid_events_are_rejected():
    options = {"h": 0.1, "steps": 2, **ADAPTIVE}
    with pytest.raises(InvalidArgument, match="direction: got 2"):
        Event(height, direction=2)
    with pytest.raises(InvalidArgument, match=r"events\[0\]: got function"):
        simulate(STONE, thrown_stone(), events=[height], **options)
    with pytest.raises(InvalidArgument, match=r"events\[1\]: got NaN"):
        simulate(STONE, thrown_stone(), events=[Event(height), Event(lambda s: np.nan)], **options)
