"""Inverse, forward and hybrid dynamics by recursion, against the mass matrix, Pinocchio and MuJoCo."""

import tracemalloc
from dataclasses import replace

import mujoco
import numpy as np
import pinocchio
import pytest
from closeness import relative_comparison
from random_trees import (
    ALL,
    MUJOCO_KINDS,
    body,
    frame,
    mujoco_model,
    mujoco_state,
    pinocchio_model,
    random_tree,
    unit,
)

from rbnotes import inertia, joints
from rbnotes.arguments import InvalidArgument, SingularConfiguration
from rbnotes.dynamics import State
from rbnotes.multibody import reduced
from rbnotes.multibody.reduced import Link, PrescribedJoint, Tree
from rbnotes.testing import derivative

SPRINGY = {"stiffness": 1.3, "damping": 0.7, "spring_reference": 0.2}


close = relative_comparison(1e-10, min_scale=1e-3)


def moving_state(tree, rng):
    """Return a state in general, with rates that keep quaternions as long as they are."""
    q, qdot = (
        tree.neutral + 0.4 * rng.normal(size=tree.num_coordinates),
        rng.normal(size=tree.num_coordinates),
    )
    for link, own in zip(tree.links, tree.coordinate_slices, strict=True):
        rows = link.joint.coordinate_constraint_jacobian(q[own])
        qdot[own] -= np.linalg.pinv(rows) @ rows @ qdot[own]
    return q, qdot


@pytest.fixture(params=[(seed, size) for seed in range(4) for size in (1, 3, 10)], ids=str)
def case(request):
    """Return every type of joint, with branches and several roots, springs and dampers."""
    rng = np.random.default_rng(request.param)
    tree = random_tree(rng, request.param[1], tuple(np.roll(tuple(ALL), 4 * request.param[0])), ALL)
    tree = Tree([replace(link, **SPRINGY) for link in tree.links], tree.gravity)
    applied = rng.normal(size=tree.num_coordinates), rng.normal(size=(len(tree.links), 6))
    return tree, *moving_state(tree, rng), *applied, rng


def remove_constraint_forces(tree, rows):
    """Return the forces without their components along the coordinate constraints."""
    rows = np.array(rows)
    for link, own in zip(tree.links, tree.coordinate_slices, strict=True):
        if link.joint.num_coordinate_constraints:
            rows[own] = 0
    return rows


class TestAgainstTheMassMatrix:
    def test_inverse(self, case):
        tree, q, qdot, a, wrenches, _ = case
        expected = reduced.inverse_dynamics_dense(tree, q, qdot, a, wrenches)
        close(reduced.inverse_dynamics(tree, q, qdot, a, wrenches), expected)

    def test_forward(self, case):
        tree, q, qdot, tau, wrenches, _ = case
        expected = reduced.forward_dynamics_dense(tree, q, qdot, tau, wrenches)
        close(reduced.forward_dynamics(tree, q, qdot, tau, wrenches), expected)

    def test_bias_forces(self, case):
        """The springs, the dampers and the applied wrenches have no part in them."""
        tree, q, qdot, _, _, _ = case
        force = reduced.net_generalized_force(tree, q, qdot) - reduced.passive_joint_forces(tree, q, qdot)
        close(reduced.bias_forces(tree, q, qdot), -force)

    def test_hybrid(self, case):
        """The equations of motion with the unknown accelerations first, then the prescribed ones."""
        tree, q, qdot, tau, wrenches, rng = case
        driven = [
            i
            for i in range(len(tree.links))
            if rng.random() < 0.5 or tree.links[i].joint.num_coordinate_constraints
        ]
        known = np.zeros(tree.num_coordinates, dtype=bool)
        for i in driven:
            known[tree.coordinate_slices[i]] = True
        prescribed = rng.normal(size=tree.num_coordinates)
        given = {tree.links[i].name: prescribed[tree.coordinate_slices[i]] for i in driven}
        actual = reduced.hybrid_dynamics(tree, q, qdot, given, tau, wrenches)

        M = reduced.mass_matrix(tree, q)
        force = reduced.net_generalized_force(tree, q, qdot, 0.0, wrenches)
        expected = np.where(known, prescribed, 0.0)
        free = ~known
        push = (tau + force)[free] - M[np.ix_(free, known)] @ prescribed[known]
        expected[free] = np.linalg.solve(M[np.ix_(free, free)], push)
        close(actual.qddot, expected)
        close(actual.tau, np.where(known, M @ expected - force, tau))

    def test_all_or_no_joints_prescribed(self, case):
        tree, q, qdot, prescribed, wrenches, rng = case
        given = {
            link.name: prescribed[own] for link, own in zip(tree.links, tree.coordinate_slices, strict=True)
        }
        all_driven = reduced.hybrid_dynamics(
            tree, q, qdot, given, rng.normal(size=tree.num_coordinates), wrenches
        )
        close(all_driven.qddot, prescribed)
        close(all_driven.tau, reduced.inverse_dynamics_dense(tree, q, qdot, prescribed, wrenches))
        none = reduced.hybrid_dynamics(tree, q, qdot, {}, prescribed, wrenches)
        close(none.qddot, reduced.forward_dynamics_dense(tree, q, qdot, prescribed, wrenches))
        close(none.tau, prescribed)

    def test_hybrid_dynamics_inverts_inverse_dynamics(self, case):
        """Inverse dynamics of the results of hybrid dynamics returns all forces."""
        tree, q, qdot, tau, wrenches, rng = case
        given = {
            link.name: rng.normal(size=link.joint.num_coordinates)
            for link in tree.links
            if rng.random() < 0.5 and not link.joint.num_coordinate_constraints
        }
        result = reduced.hybrid_dynamics(tree, q, qdot, given, tau, wrenches)
        free = [link.name not in given for link in tree.links for _ in range(link.joint.num_coordinates)]
        np.testing.assert_array_equal(result.tau[free], tau[free])
        back = reduced.inverse_dynamics(tree, q, qdot, result.qddot, wrenches)
        close(remove_constraint_forces(tree, back), remove_constraint_forces(tree, result.tau))


@pytest.mark.parametrize("seed", range(3))
def test_bias_forces_of_the_lagrangian(seed):
    """d/dt dL/dqdot - dL/dq at zero acceleration, by finite differences; L has no energy of springs."""
    rng = np.random.default_rng(seed)
    tree = random_tree(rng, 4, tuple(np.roll(tuple(ALL), 5 * seed)), ALL)
    q, qdot = moving_state(tree, rng)

    def lagrangian(coordinates):
        return reduced.kinetic_energy(tree, coordinates, qdot) - reduced.potential_energy(tree, coordinates)

    momentum_rate = derivative(lambda t: reduced.mass_product(tree, q + t * qdot, qdot)).value
    steps = np.eye(tree.num_coordinates)
    by_q = derivative(lambda t: lagrangian(q + t * steps)).value
    sprung = Tree([replace(link, **SPRINGY) for link in tree.links], tree.gravity)
    forces = reduced.bias_forces(sprung, q, qdot)
    np.testing.assert_allclose(forces, momentum_rate - by_q, rtol=0, atol=1e-7 * np.max(np.abs(forces)))


def test_prescribed_joints_of_the_constraints():
    """A free and a prescribed quaternion joint."""
    rng = np.random.default_rng(3)
    kinds = joints.QuaternionSpherical, joints.Universal, joints.QuaternionSpherical, joints.Revolute
    parents = None, "0", "1", "0"
    links = [
        Link(str(i), kind(), body(rng), parent, frame(rng), frame(rng), damping=0.3)
        for i, (kind, parent) in enumerate(zip(kinds, parents, strict=True))
    ]
    tree = Tree(links, gravity=rng.normal(size=3))
    q, qdot = moving_state(tree, rng)
    prescribed = rng.normal(size=2)
    motion = PrescribedJoint(
        "1", lambda t: (q[tree.coordinate_slices[1]], qdot[tree.coordinate_slices[1]], prescribed)
    )
    state = State(q=q, qdot=qdot)
    expected, _ = reduced.constrained_acceleration(tree, [motion], state)
    actual = reduced.hybrid_dynamics(tree, q, qdot, {"1": prescribed})
    close(actual.qddot, expected)
    close(actual.tau[tree.coordinate_slices[1]], reduced.prescribed_forces(tree, [motion], state)["1"])

    own = tree.coordinate_slices[2]  # where the quaternion keeps its length
    ball = tree.links[2].joint
    prescribed = rng.normal(size=4)
    rows, drift = (
        ball.coordinate_constraint_jacobian(q[own]),
        ball.coordinate_constraint_jacobian_rate(q[own], qdot[own]) @ qdot[own],
    )
    prescribed -= np.linalg.pinv(rows) @ (rows @ prescribed + drift)
    actual = reduced.hybrid_dynamics(tree, q, qdot, {"2": prescribed})
    motion = PrescribedJoint("2", lambda t: (q[own], qdot[own], prescribed))
    expected, _ = reduced.constrained_acceleration(tree, [motion], state)
    close(actual.qddot, expected)


@pytest.mark.parametrize("seed", range(4))
class TestAgainstPinocchio:
    def test_all(self, seed):
        rng = np.random.default_rng(seed)
        tree = random_tree(rng, (2, 6, 11, 17)[seed])
        model = pinocchio_model(tree)
        data = model.createData()
        q, v, a = rng.normal(size=(3, tree.num_coordinates))
        close(reduced.inverse_dynamics(tree, q, v, a), pinocchio.rnea(model, data, q, v, a))
        close(reduced.forward_dynamics(tree, q, v, a), pinocchio.aba(model, data, q, v, a))

    def test_hybrid(self, seed):
        """By the inverse mass matrix of Pinocchio: forces that produce the prescribed accelerations."""
        rng = np.random.default_rng(seed)
        tree = random_tree(rng, (2, 6, 11, 17)[seed])
        model = pinocchio_model(tree)
        data = model.createData()
        q, v, tau = rng.normal(size=(3, tree.num_coordinates))
        driven = [link.name for link in tree.links if rng.random() < 0.4] or [tree.links[0].name]
        known = np.concatenate(
            [np.arange(tree.num_coordinates)[tree.coordinate_slices[tree.index(name)]] for name in driven]
        )
        prescribed = rng.normal(size=tree.num_coordinates)
        upper = np.triu(pinocchio.computeMinverse(model, data, q))
        response = (upper + np.triu(upper, 1).T)[np.ix_(known, known)]
        tau[known] += np.linalg.solve(response, (prescribed - pinocchio.aba(model, data, q, v, tau))[known])
        given = {name: prescribed[tree.coordinate_slices[tree.index(name)]] for name in driven}
        result = reduced.hybrid_dynamics(
            tree, q, v, given, np.where(np.isin(range(tree.num_coordinates), known), 9.0, tau)
        )
        close(result.tau, tau)
        close(result.qddot, pinocchio.aba(model, data, q, v, tau))


@pytest.mark.parametrize("seed", range(4))
def test_against_mujoco(seed):
    """With spherical, free and multi-coordinate joints, springs and dampers; some are prescribed."""
    rng = np.random.default_rng(seed)
    kinds = tuple(np.roll(("ball", "free", "offset", "universal", "planar", "euler", "fixed"), -seed))
    tree = random_tree(rng, (3, 6, 9, 12)[seed], kinds, MUJOCO_KINDS)
    q, v, tau = rng.normal(size=(3, tree.num_coordinates))
    given = {link.name: rng.normal(size=link.joint.num_coordinates) for link in tree.links[1::3]}
    result = reduced.hybrid_dynamics(tree, q, v, given, tau)

    model = mujoco_model(tree)
    data = mujoco.MjData(model)
    state = mujoco_state(tree, model, q, v)
    data.qpos[:], data.qvel[:] = state.qpos, state.qvel
    data.qfrc_applied[:] = np.linalg.pinv(state.T).T @ result.tau
    mujoco.mj_forward(model, data)
    close(state.T @ result.qddot + state.drift, data.qacc)
    data.qacc[:] = state.T @ result.qddot + state.drift
    mujoco.mj_inverse(model, data)
    close(reduced.inverse_dynamics(tree, q, v, result.qddot), state.T.T @ data.qfrc_inverse)


def test_many_states_at_once():
    rng = np.random.default_rng(4)
    tree = random_tree(rng, 5, ("quaternion", "revolute", "universal"), ALL)
    q = tree.neutral + 0.3 * rng.normal(size=(3, 1, tree.num_coordinates))
    v, wrenches = rng.normal(size=(2, tree.num_coordinates)), rng.normal(size=(4, 1, 1, len(tree.links), 6))
    name = next(link.name for link in tree.links if link.joint.num_coordinates == 2)
    prescribed, tau = rng.normal(size=(2, 2)), rng.normal(size=(3, 1, tree.num_coordinates))
    many = reduced.hybrid_dynamics(tree, q, v, {name: prescribed}, tau, wrenches)
    assert many.qddot.shape == many.tau.shape == (4, 3, 2, tree.num_coordinates)
    alone = reduced.hybrid_dynamics(tree, q[2, 0], v[1], {name: prescribed[1]}, tau[2, 0], wrenches[3, 0, 0])
    close(many.qddot[3, 2, 1], alone.qddot)
    close(many.tau[3, 2, 1], alone.tau)
    back = reduced.inverse_dynamics(tree, q, v, many.qddot, wrenches)
    close(back[3, 2, 1], reduced.inverse_dynamics(tree, q[2, 0], v[1], alone.qddot, wrenches[3, 0, 0]))


class TestSingularTrees:
    HINGE = joints.Revolute()
    M = inertia.spatial_inertia(2.0, np.diag([0.4, 0.7, 0.9]), [0.1, -0.2, 0.3])

    def tree(self):
        return Tree(
            [
                Link("base", joints.Prismatic(), self.M),
                Link("a", self.HINGE, None, "base"),
                Link("b", self.HINGE, self.M, "a"),
            ]
        )

    def test_a_light_link_between_parallel_hinges(self):
        tree = self.tree()
        with pytest.raises(SingularConfiguration, match=r"q: got 'a' without inertia along its rev"):
            reduced.forward_dynamics(tree, np.zeros(3), np.zeros(3))
        assert np.all(np.isfinite(reduced.hybrid_dynamics(tree, np.zeros(3), np.zeros(3), {"a": 2.0}).qddot))

    def test_rounding_of_a_large_inertia_is_singular(self):
        """Two hinges on one axis, in frames that are turned: inertias about it differ by rounding."""
        place = frame(np.random.default_rng(1))
        place[:3, 3] = 0, 0, 0.7
        axis = place[2, :3]
        heavy = Link("b", joints.Revolute(axis), 1e6 * self.M, "a", place)
        tree = Tree([Link("a", self.HINGE), heavy])
        for beyond in np.linspace(0.3, 3.0, 10):
            with pytest.raises(SingularConfiguration, match="'a' without inertia"):
                reduced.forward_dynamics(tree, [0.2, beyond], [0.1, 0.2])

    def test_light_link_between_inclined_hinges(self):
        tree = Tree([Link("a", self.HINGE), Link("b", joints.Revolute((1.0, 0.0, 0.0)), self.M, "a")])
        close(
            reduced.forward_dynamics(tree, [0.3, 0.4], [0.1, 0.2]),
            reduced.forward_dynamics_dense(tree, [0.3, 0.4], [0.1, 0.2]),
        )

    def test_singular_joint_is_named(self):
        tree = Tree(
            [Link("hip", self.HINGE, self.M), Link("ball", joints.EulerSpherical("XZX"), self.M, "hip")]
        )
        for q in (np.zeros(4), np.array([[0.3, 0.4, 0.5, 0.6], np.zeros(4)])):
            with pytest.raises(SingularConfiguration, match="'ball' without inertia"):
                reduced.forward_dynamics(tree, q, np.zeros(4))
        result = reduced.hybrid_dynamics(tree, np.zeros(4), np.zeros(4), {"ball": np.ones(3)})
        assert np.all(np.isfinite(result.tau))

    @pytest.mark.parametrize(
        "axis", [(1.0, 0, 0), (0, -1.0, 0), (0, 0, 1.0), (0.6, 0, 0.8), (1 / 3, 2 / 3, 2 / 3)]
    )
    @pytest.mark.parametrize("turns", [1, 2])
    def test_full_turns_of_a_rotation_vector_about_any_axis(self, axis, turns):
        """About a coordinate axis, columns of S vanish to rounding and no two are parallel."""
        hip = Link("hip", self.HINGE, self.M)
        ball = Link("ball", joints.ExponentialSpherical(), self.M, "hip")
        tree, q = Tree([hip, ball]), np.append(0.3, 2 * np.pi * turns * np.array(axis))
        for function in (reduced.forward_dynamics, reduced.forward_dynamics_dense):
            with pytest.raises(SingularConfiguration, match="'ball'"):
                function(tree, q, np.full(4, 0.1))
            with pytest.raises(SingularConfiguration, match="'ball'"):
                function(tree, np.stack([np.full(4, 0.1), q]), np.full(4, 0.1))
        close(
            reduced.forward_dynamics(tree, 0.97 * q, np.full(4, 0.1)),
            reduced.forward_dynamics_dense(tree, 0.97 * q, np.full(4, 0.1)),
        )

    def test_coordinates_in_small_units_are_not_singular(self):
        """A slider in nanometers, and one that starts with zero velocity."""
        factor = 1e-9
        slider = joints.FunctionJoint(lambda q: (np.eye(3), np.array([factor * q[0], 0, 0])), 1)
        tree = Tree([Link("slider", slider, self.M)])
        accelerations = reduced.forward_dynamics(tree, [2.0], [0.0], [3.0 * factor])
        close(
            accelerations * factor,
            reduced.forward_dynamics(
                Tree([Link("a", joints.Prismatic((1.0, 0, 0)), self.M)]), [0.0], [0.0], [3.0]
            ),
        )

    def test_small_and_light_is_not_singular(self):
        """A hair at the end of a crane."""
        hair = inertia.spatial_inertia(1e-9, 1e-15 * np.eye(3), [0.0, 0.0, 0.0])
        crane = [
            Link("crane", self.HINGE, 1e5 * self.M),
            Link("hair", joints.Revolute((1.0, 0.0, 0.0)), hair, "crane", np.diag([1.0, 1, 1, 1])),
        ]
        accelerations = reduced.forward_dynamics(Tree(crane), [0.1, 0.2], [0.0, 0.0], [0.0, 1e-15])
        assert accelerations[1] == pytest.approx(1.0, rel=1e-8)

    def test_names_and_shapes(self):
        tree, q = self.tree(), np.zeros(3)
        with pytest.raises(InvalidArgument, match=r"^accelerations: got 'c', expected one of 'base', 'a'"):
            reduced.hybrid_dynamics(tree, q, q, {"c": 1.0})
        with pytest.raises(InvalidArgument, match=r"^accelerations\['a'\]: got shape \(2,\)"):
            reduced.hybrid_dynamics(tree, q, q, {"a": [1.0, 2.0]})
        with pytest.raises(InvalidArgument, match=r"accelerations\['a'\], accelerations\['b'\]: got leading"):
            reduced.hybrid_dynamics(tree, q, q, {"a": np.zeros((2, 1)), "b": np.zeros((3, 1))})
        with pytest.raises(InvalidArgument, match="1 of 'a'"):
            reduced.inverse_dynamics(tree, q, q, np.zeros(2))
        with pytest.raises(InvalidArgument, match=r"^wrenches: "):
            reduced.inverse_dynamics(tree, q, q, q, np.zeros(6))

    def test_tree_without_coordinates(self):
        rock = Tree([Link("rock", joints.Fixed(), self.M)])
        assert reduced.forward_dynamics(rock, [], []).shape == (0,)
        assert reduced.hybrid_dynamics(rock, [], [], {"rock": []}).tau.shape == (0,)
        assert reduced.inverse_dynamics(rock, [], [], []).shape == (0,)


def test_one_axis_needs_a_unit_vector():
    """Two hinges about any axes: Newton's law of the outer one, by hand."""
    rng = np.random.default_rng(0)
    axis = unit(rng)
    wheel = inertia.spatial_inertia(1.5, 0.2 * np.eye(3), [0.0, 0.0, 0.0])
    tree = Tree([Link("wheel", joints.Revolute(axis), wheel)])
    assert reduced.forward_dynamics(tree, [0.4], [2.0], [0.6])[0] == pytest.approx(3.0)


class TestManyStates:
    HINGE = joints.Revolute((0.0, 0.6, 0.8))
    M = inertia.spatial_inertia(2.0, np.diag([0.4, 0.7, 0.9]), [0.1, -0.2, 0.3])

    def chain(self, size):
        links = [Link(str(i), self.HINGE, self.M, str(i - 1) if i else None) for i in range(size)]
        return Tree(links)

    @pytest.mark.parametrize("prescribed", [{}, {"1": 0.3}])
    def test_blocks_of_states_agree_with_single_states(self, monkeypatch, prescribed):
        """Over two leading axes, with wrenches that have none and torques that have one."""
        tree, rng = self.chain(3), np.random.default_rng(0)
        q, qdot, tau = rng.normal(size=(5, 4, 3)), rng.normal(size=(5, 1, 3)), rng.normal(size=(4, 3))
        wrenches = rng.normal(size=(3, 6))
        whole = reduced.hybrid_dynamics(tree, q, qdot, prescribed, tau, wrenches)
        monkeypatch.setattr("rbnotes.multibody.reduced.recursive_dynamics.MAX_LINK_STATES", 21)
        blocks = reduced.hybrid_dynamics(tree, q, qdot, prescribed, tau, wrenches)
        for actual, expected in zip(blocks, whole, strict=True):
            assert actual.shape == expected.shape == (5, 4, 3)
            np.testing.assert_allclose(actual, expected, rtol=1e-13, atol=1e-13)
        alone = reduced.hybrid_dynamics(tree, q[2, 3], qdot[2, 0], prescribed, tau[3], wrenches)
        np.testing.assert_allclose(blocks.qddot[2, 3], alone.qddot, rtol=1e-12)

    def test_the_memory_does_not_grow_with_the_number_of_states(self):
        tree, rng = self.chain(30), np.random.default_rng(0)
        states = rng.normal(size=(3, 4000, 30))
        tracemalloc.start()
        try:
            reduced.forward_dynamics(tree, *states)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert peak < 50e6  # 137 MB at once
