"""A tree that moves: forces and their derivatives, energy, momentum, order of the steps, kinds of joints."""

from dataclasses import replace

import numpy as np
import pytest
from closeness import relative_comparison
from random_trees import body, frame, unit

from rbnotes import joints
from rbnotes.arguments import InvalidArgument, SingularConfiguration
from rbnotes.dynamics import Forces, State, implicit_euler, runge_kutta
from rbnotes.forces import (
    Damping,
    ForceGroups,
    LinearSpring,
    PathForces,
    on_body,
    on_particle,
    on_world,
    path_through,
)
from rbnotes.multibody import reduced
from rbnotes.multibody.reduced import Link, Tree
from rbnotes.testing import derivative

close = relative_comparison(1e-8)


def springs(damping=0.0):
    """Return springs between two bodies, a body and a particle, and a particle and the world."""
    law = LinearSpring(6.0, damping, 0.4)
    ends = [
        (on_body(1, [0.3, -0.2, 0.1]), on_body(3, [0.1, 0.4, -0.2])),
        (on_body(2, [-0.1, 0.2, 0.3]), on_particle(0)),
        (on_particle(0), on_world([0.5, 1.0, -1.5])),
    ]
    return [PathForces(law, path_through(*pair)) for pair in ends]


def joint_drive(state):
    """Return nonlinear joint forces, each of which depends on several joints."""
    q, qdot = state.q, state.qdot
    k = len(q)
    f = np.sin(np.roll(q, 1)) - 0.1 * np.roll(qdot, 2) ** 3
    K = np.roll(np.eye(k), 1, axis=1).T @ np.diag(np.cos(q))
    D = np.roll(np.eye(k), 2, axis=1).T @ np.diag(-0.3 * qdot**2)
    return Forces(f, K, D)


def branched_system(seed, groups=(), drive=None, damping=0.0, root=None):
    rng = np.random.default_rng(seed)
    first = joints.Universal() if root is None else root
    parts = [
        ("trunk", first, None),
        ("arm", joints.Revolute(unit(rng)), "trunk"),
        ("hand", joints.Cylindrical(), "arm"),
        ("leg", joints.Prismatic(unit(rng)), "trunk"),
    ]
    links = [
        Link(
            name,
            joint,
            body(rng),
            parent,
            frame(rng),
            frame(rng),
            stiffness=2.0,
            damping=damping,
            spring_reference=joint.neutral + 0.1,
        )
        for name, joint, parent in parts
    ]
    tree = Tree(links, gravity=rng.normal(size=3))
    tree = replace(tree, masses=[0.8], applied_forces=ForceGroups(groups), applied_joint_forces=drive)
    q, qdot = (
        tree.neutral + 0.5 * rng.normal(size=tree.num_coordinates),
        rng.normal(size=tree.num_coordinates),
    )
    x, v = rng.normal(size=(2, 1, 3))
    return tree, State(q=q, qdot=qdot, x=x, v=v)


@pytest.mark.parametrize("seed", range(3))
def test_derivatives_with_the_jacobian_held(seed):
    """K and D of linearly implicit Euler: applied, drive and joint forces at constant J."""
    groups = [*springs(0.7), Damping([0.3, 0.5], [0, 2])]
    tree, state = branched_system(seed, groups, joint_drive, damping=0.9)
    J = tree.reduction(state).J
    bodies = 6 * len(tree.links)

    def applied_forces(step, velocity):
        maximal = tree.maximal_state(state)
        E = maximal.retract(np.append((J @ step)[:bodies], (J @ step)[bodies:]))
        joint = State(q=state.q + step[3:], qdot=velocity[3:])
        f = J.T @ tree.applied_forces(E.with_velocity(J @ velocity)).f
        f[3:] += reduced.passive_joint_forces(tree, joint.q, joint.qdot) + joint_drive(joint).f
        return f

    result = tree.linearized_force(state)
    zero, velocity = np.zeros(state.size), state.velocity
    for along in np.random.default_rng(seed).normal(size=(2, state.size)):  # in general directions
        close(result.K @ along, derivative(lambda t, d=along: applied_forces(t * d, velocity)).value, 1e-7)
        close(
            result.D @ along,
            derivative(lambda t, d=along: applied_forces(zero, velocity + t * d)).value,
            1e-7,
        )
    close(result.f, tree.force(state), 1e-13)


@pytest.mark.parametrize("seed", range(3))
def test_forces_do_the_work_that_changes_the_energy(seed):
    tree, state = branched_system(seed, springs())
    a = tree.acceleration(state)

    def energy(t):
        state_at_t = state.retract(t * state.velocity + t**2 / 2 * a)
        return tree.energy(state_at_t.with_velocity(state.velocity + t * a))

    assert derivative(energy).value == pytest.approx(0, abs=1e-7)
    damped, _ = branched_system(seed, springs(0.7), damping=0.9)
    power = derivative(
        lambda t: damped.energy(
            state.retract(t * state.velocity).with_velocity(state.velocity + t * damped.acceleration(state))
        )
    ).value
    lost = damped.applied_forces.dissipated_power(damped.maximal_state(state)) + 0.9 * state.qdot @ state.qdot
    assert power == pytest.approx(-lost, rel=1e-7)


def test_mass_matrix_of_bodies_and_particles():
    tree, state = branched_system(0)
    maximal, v = tree.maximal_state(state), state.velocity
    moving = np.einsum("na,nab,nb->", maximal.phi, tree.inertias, maximal.phi) / 2
    moving += 0.8 * np.sum(state.v**2) / 2
    assert v @ tree.mass_matrix(state) @ v / 2 == pytest.approx(moving, rel=1e-12)
    close(tree.reduction(state).J @ v, maximal.velocity, 1e-12)
    a = np.random.default_rng(3).normal(size=state.size)
    rate = derivative(
        lambda t: tree.maximal_state(state.retract(t * v + t**2 / 2 * a).with_velocity(v + t * a)).velocity
    ).value
    close(tree.acceleration_reduction(state).expand_velocities(a), rate)


ROOTS = {
    "free": joints.Free3D(),
    "free, rotation first": joints.Free3D(position_first=False),
    "quaternion": joints.Composite(joints.Translational(), joints.QuaternionSpherical()),
}


@pytest.mark.parametrize("root", ROOTS.values(), ids=ROOTS)
def test_free_trees_conserve_momentum_and_energy(root):
    tree, state = branched_system(1, root=root)
    links = [replace(link, stiffness=0.0 if link.parent is None else 2.0) for link in tree.links]
    tree = Tree(links, gravity=np.zeros(3))
    state = tree.reparametrize(State(q=state.q, qdot=state.qdot))
    end = runge_kutta(tree, state, 0.7, rtol=1e-10, atol=1e-11)
    assert np.linalg.norm(end.q - state.q) > 0.3
    close(
        reduced.spatial_momentum(tree, end.q, end.qdot),
        reduced.spatial_momentum(tree, state.q, state.qdot),
        1e-7,
    )
    assert tree.energy(end) == pytest.approx(tree.energy(state), rel=1e-7)
    for link, own in zip(tree.links, tree.coordinate_slices, strict=True):
        close(
            link.joint.coordinate_constraint(end.q[own]),
            np.zeros(link.joint.num_coordinate_constraints),
            1e-7,
        )


def test_coordinates_of_one_motion():
    """Rotation vector, quaternion, Euler angles: the same accelerations of all bodies."""
    turns = [joints.ExponentialSpherical(), joints.QuaternionSpherical(), joints.EulerSpherical("XYZ")]
    pose, accelerations = turns[0].transform([0.4, -1.1, 0.7]), []
    for joint in turns:
        tree, state = branched_system(2, springs(), root=joint)
        links = [replace(link, stiffness=0.0 if link.parent is None else 2.0) for link in tree.links]
        tree = replace(tree, links=links)
        q = tree.coordinates({"trunk": joint.nearest_coordinates(pose)}, np.ones(tree.num_coordinates))
        rates = np.linalg.pinv(joint.motion_subspace(q[tree.coordinate_slices[0]])) @ np.array(
            [0.3, 1.2, -0.8, 0, 0, 0]
        )
        state = State(
            q=q,
            qdot=tree.coordinates({"trunk": rates}, np.ones(tree.num_coordinates)),
            x=[[0.3, -0.2, 0.1]],
            v=[[0.1, 0.5, 0.2]],
        )
        assert np.linalg.norm(tree.maximal_state(state).phi[0, :3]) > 1
        accelerations.append(tree.acceleration_reduction(state).expand_velocities(tree.acceleration(state)))
    close(accelerations[1], accelerations[0], 1e-10)
    close(accelerations[2], accelerations[0], 1e-10)


def test_implicit_euler_is_stable_for_stiff_springs():
    tree, state = branched_system(0, damping=1e4)
    stiff = [replace(link, stiffness=1e6) for link in tree.links]
    tree = replace(tree, links=stiff)
    before = tree.energy(state)
    for _ in range(50):
        state = implicit_euler(tree, state, 0.02)
    assert tree.energy(state) < before
    assert np.max(np.abs(state.q - tree.joint_parameter("spring_reference"))) < 0.05


def test_reparametrization_keeps_the_motion():
    tree, state = branched_system(1, root=joints.Free3D())
    q = np.array(state.q)
    q[3:6] *= 5.0 / np.linalg.norm(q[3:6])
    state = replace(state, q=q)
    new = tree.reparametrize(state)
    assert np.linalg.norm(new.q[3:6]) < 2
    before, after = tree.maximal_state(state), tree.maximal_state(new)
    close(after.E, before.E, 1e-12)
    close(after.phi, before.phi, 1e-12)
    assert tree.reparametrize(new).q == pytest.approx(new.q, abs=0)


class TestErrors:
    def test_invalid_arguments_are_named(self):
        tree, state = branched_system(0)
        with pytest.raises(InvalidArgument, match="masses: got 0"):
            replace(tree, masses=[0.0])
        for wrong in (
            State(q=state.q, qdot=state.qdot),
            State(q=state.q[:-1], qdot=state.qdot[:-1], x=state.x),
            State(np.eye(4), q=state.q, qdot=state.qdot, x=state.x),
        ):
            for function in (
                tree.mass_matrix,
                tree.force,
                tree.energy,
                tree.maximal_state,
                tree.reparametrize,
            ):
                with pytest.raises(InvalidArgument, match="expected q and qdot"):
                    function(wrong)
        short = replace(tree, applied_joint_forces=lambda state: Forces.without_derivatives(np.zeros(2)))
        with pytest.raises(InvalidArgument, match="applied_joint_forces: f"):
            short.force(state)
        narrow = replace(
            tree, applied_joint_forces=lambda state: Forces(np.zeros(6), np.zeros((2, 2)), np.zeros((6, 6)))
        )
        with pytest.raises(InvalidArgument, match="applied_joint_forces: K"):
            narrow.linearized_force(state)

    def test_singular_state(self):
        ball = joints.EulerSpherical("XZX")
        tree = Tree([Link("ball", ball, body(np.random.default_rng(0)))])
        with pytest.raises(SingularConfiguration):
            tree.acceleration(State(q=np.zeros(3), qdot=np.zeros(3)))
