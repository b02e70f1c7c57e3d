"""Systems of many forces: sums, sparse Jacobians, energies, against differences of the whole."""

import re

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rbnotes import se3
from rbnotes.arguments import InvalidArgument
from rbnotes.dynamics import State
from rbnotes.forces import CallableTensionLaw, LinearSpring, SpringDamper, path_force
from rbnotes.forces.anchor_points import on_body, on_particle, on_world, path_through
from rbnotes.forces.assembly import ForceGroups, assemble
from rbnotes.forces.groups import ConstantForces, Damping, PathForces, ZeroLengthSprings
from rbnotes.forces.muscle import Muscle
from rbnotes.testing import jacobian

RNG = np.random.default_rng(11)
STATE = State(
    se3.exp(RNG.normal(size=(3, 6))),
    RNG.normal(size=(3, 6)),
    RNG.normal(size=(2, 3)),
    RNG.normal(size=(2, 3)),
)
GROUPS = (
    PathForces(
        SpringDamper(np.array([2.0, 3.0]), 0.7, 0.6),
        path_through(
            on_body([0, 1], RNG.normal(size=(2, 3))), on_world(RNG.normal(size=3)), on_body(2, np.ones(3))
        ),
    ),
    PathForces(
        SpringDamper(1.5, 0.3, 0.4),
        path_through(
            on_body(0, [0.1, 0.2, 0.3]), on_particle(1), on_body(0, [-0.5, 0.4, 0.1]), on_particle(0)
        ),
    ),
    ZeroLengthSprings(
        [0.8, 1.1], path_through(on_body([1, 2], RNG.normal(size=(2, 3))), on_particle([0, 1]))
    ),
    ConstantForces([0.5, -2.0], [0.3, -0.4, 1.2], on_body([2, 0], RNG.normal(size=(2, 3)))),
    ConstantForces(0.7, [0.0, 0.0, -1.0], on_particle(1)),
    Damping([0.2, 0.6], [0, 2]),
)


def test_forces_against_the_energy():
    at_rest = STATE.with_velocity(np.zeros(STATE.size))
    gradient = jacobian(lambda q: ForceGroups(GROUPS).energy(at_rest.retract(q)), np.zeros(STATE.size))
    assert_allclose(assemble(GROUPS, at_rest).f, -gradient.value, atol=1e-9 + gradient.error)


def test_stiffness_against_differences_in_motion():
    K = jacobian(lambda q: assemble(GROUPS, STATE.retract(q)).f, np.zeros(STATE.size))
    assert_allclose(assemble(GROUPS, STATE).K.toarray(), K.value, atol=1e-8 * np.abs(K.value).max() + K.error)


def test_damping_against_differences():
    D = jacobian(lambda v: assemble(GROUPS, STATE.with_velocity(v)).f, STATE.velocity)
    assert_allclose(assemble(GROUPS, STATE).D.toarray(), D.value, atol=1e-8 * np.abs(D.value).max() + D.error)


def test_power_balance():
    stored = jacobian(lambda t: ForceGroups(GROUPS).energy(STATE.retract(t * STATE.velocity)), np.zeros(1))
    dissipated = ForceGroups(GROUPS).dissipated_power(STATE)
    assert dissipated > 0
    assert_allclose(assemble(GROUPS, STATE).f @ STATE.velocity, -stored.value[0] - dissipated, rtol=1e-9)


def test_rigid_motion_of_all_bodies_changes_no_wrench():
    T = se3.exp([0.4, -0.3, 0.9, 1.0, 2.0, -0.5])
    points = path_through(on_body(0, [0.1, 0.2, 0.3]), on_particle(1), on_body(1, [-0.5, 0.4, 0.1]))
    group = PathForces(SpringDamper(1.5, 0.3, 0.4), points)
    displaced = State(T @ STATE.E, STATE.phi, se3.transform_points(T, STATE.x), STATE.v @ T[:3, :3].T)
    before, after = (assemble([group], state).f for state in (STATE, displaced))
    assert_allclose(after[:18], before[:18], atol=1e-12)
    assert_allclose(after[18:].reshape(-1, 3), before[18:].reshape(-1, 3) @ T[:3, :3].T, atol=1e-12)


def test_positions_of_each_kind_of_point():
    """A spring of rest length zero pulls a particle to the world, and a body to a particle."""
    target = np.array([0.3, -0.2, 0.5])
    for number in (0, 1):
        group = ZeroLengthSprings(2.0, path_through(on_particle(number), on_world(target)))
        expected = np.zeros(24)
        expected[18 + 3 * number :][:3] = 2.0 * (target - STATE.x[number])
        assert_allclose(assemble([group], STATE).f, expected, atol=1e-13)
        group = ZeroLengthSprings(2.0, path_through(on_body(number, np.zeros(3)), on_particle(1)))
        R, p = STATE.E[number, :3, :3], STATE.E[number, :3, 3]
        assert_allclose(
            assemble([group], STATE).f[6 * number :][3:6], 2.0 * R.T @ (STATE.x[1] - p), atol=1e-13
        )


def test_path_within_one_body_exerts_no_force():
    group = PathForces(
        Muscle(3.0, 1.0, 2.0, activation=1.0),
        path_through(on_body(0, [1.0, 0.0, 0.0]), on_body(0, np.zeros(3))),
    )
    forces = assemble([group], STATE)
    assert np.abs(forces.f).max() < 1e-14
    assert max(np.abs(forces.K).max(), np.abs(forces.D).max()) < 1e-13


def test_large_particle_net_is_the_sum_of_its_springs():
    side, rng = 71, np.random.default_rng(12)
    x = np.stack(np.meshgrid(np.arange(side), np.arange(side), [0.0], indexing="ij"), axis=-1).reshape(-1, 3)
    x = x + 0.1 * rng.normal(size=x.shape)
    v = rng.normal(size=x.shape)
    number = np.arange(side * side).reshape(side, side)
    ends = np.concatenate(
        [
            np.stack([number[:-1].ravel(), number[1:].ravel()], axis=1),
            np.stack([number[:, :-1].ravel(), number[:, 1:].ravel()], axis=1),
        ]
    )
    law = LinearSpring(rng.uniform(1, 2, len(ends)), 0.5, 0.9)
    points = path_through(on_particle(ends[:, 0]), on_particle(ends[:, 1]))
    forces = assemble([PathForces(law, points)], State(x=x, v=v))
    springs = path_force(law, x[ends], v[ends])
    f = np.zeros_like(x)
    np.add.at(f, ends, springs.f)
    assert len(ends) > 9000
    assert_allclose(forces.f, f.ravel(), atol=1e-11)
    # How the net answers small motions of all particles.
    dx = rng.normal(size=x.shape)
    for part, blocks in ((forces.K, springs.K), (forces.D, springs.D)):
        change = np.zeros_like(x)
        np.add.at(change, ends, (blocks @ dx[ends].reshape(-1, 6, 1)).reshape(-1, 2, 3))
        assert_allclose(part @ dx.ravel(), change.ravel(), atol=1e-11)


def test_no_forces_give_zero():
    forces = assemble([], STATE)
    assert forces.f.shape == (24,)
    assert forces.K.shape == forces.D.shape == (24, 24)
    assert forces.K.nnz == 0


class TestErrors:
    @pytest.mark.parametrize("points", [on_body(3, np.zeros(3)), on_particle(2)])
    def test_no_such_carrier(self, points):
        group = ZeroLengthSprings(1.0, path_through(points, on_world(np.zeros(3))))
        with pytest.raises(InvalidArgument, match="points: got number"):
            assemble([group], STATE)

    def test_no_such_body(self):
        with pytest.raises(InvalidArgument, match="bodies: got number 3"):
            assemble([Damping(1.0, [3])], STATE)

    def test_indices_must_be_nonnegative(self):
        with pytest.raises(InvalidArgument, match="body"):
            on_body(-1, np.zeros(3))
        with pytest.raises(InvalidArgument, match="index"):
            on_particle(0.5)

    def test_names_of_bodies_need_a_model(self):
        group = ZeroLengthSprings(2.0, path_through(on_body("b", np.ones(3)), on_world(np.zeros(3))))
        for each, argument in ((group, "points"), (Damping(1.0, ["b"]), "bodies")):
            with pytest.raises(InvalidArgument, match=f"{argument}: got names of bodies: 'b'"):
                assemble([each], STATE)
        resolved = group.resolve_names({"a": 0, "b": 1}.__getitem__)
        by_index = ZeroLengthSprings(2.0, path_through(on_body(1, np.ones(3)), on_world(np.zeros(3))))
        np.testing.assert_array_equal(assemble([resolved], STATE).f, assemble([by_index], STATE).f)
        with pytest.raises(InvalidArgument, match="names and indices"):
            path_through(on_body("b", np.ones(3)), on_body(0, np.zeros(3)))

    def test_law_without_energy(self):
        law = CallableTensionLaw(lambda L, Ldot: Ldot)
        points = path_through(on_body(0, np.zeros(3)), on_body(1, np.zeros(3)))
        with pytest.raises(InvalidArgument, match="potential"):
            ForceGroups([PathForces(law, points)]).energy(STATE)
        with pytest.raises(InvalidArgument, match="law: got function, expected a law with a potential"):
            PathForces(lambda L, Ldot: law(L, Ldot), points).energy(STATE)

    def test_paths_have_two_points(self):
        with pytest.raises(InvalidArgument, match="points: got 1"):
            path_through(on_particle(0))

    def test_state_shapes(self):
        with pytest.raises(InvalidArgument, match="phi: got shape"):
            State(np.tile(np.eye(4), (2, 1, 1)), np.zeros((3, 6)))
        with pytest.raises(InvalidArgument, match="v: got shape"):
            State(x=np.zeros((2, 3)), v=np.zeros((3, 3)))
        with pytest.raises(InvalidArgument, match="increment"):
            STATE.retract(np.zeros(5))


def test_paths_with_passive_segments_have_no_energy():
    """Their force depends on the active length only, so that it has no potential."""
    ends = path_through(on_world([0.0, 0, 0]), on_particle(0), on_world([0.0, 2, 0]))
    state = State(x=[[1.0, 1, 0]])
    law = LinearSpring(2.0)
    assert PathForces(law, ends, active=[True, True]).energy(state) == pytest.approx(8.0)
    with pytest.raises(InvalidArgument, match=r"^active: got passive segments"):
        PathForces(law, ends, active=[True, False]).energy(state)


@pytest.mark.parametrize(
    ("bodies", "expected"), [([0, 1], "one number, or one for each path: shape (2,)"), (0, "one number")]
)
def test_parameters_of_a_law_are_those_of_its_paths(bodies, expected):
    ends = np.zeros((np.size(bodies), 3)) if np.ndim(bodies) else np.zeros(3)
    path = path_through(on_body(bodies, ends), on_world(ends + 1.0))
    with pytest.raises(InvalidArgument, match=re.escape(f"got shape (3,), expected {expected}") + "$"):
        PathForces(LinearSpring([1.0, 2.0, 3.0]), path)


def test_points_of_a_path_broadcast():
    ends = on_body([0, 1], np.zeros((2, 3))), on_world(np.zeros((3, 3)))
    with pytest.raises(InvalidArgument, match=r"points: got shapes \(2,\), \(3,\), expected shapes that"):
        path_through(*ends)
