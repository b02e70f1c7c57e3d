"""Trees under constraints: inequalities on accelerations, reduced systems, forces, argument errors."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from random_trees import body, frame, unit
from test_constraints import branched_system, close, four_bars, wave

from rbnotes import joints
from rbnotes.arguments import InvalidArgument, SingularConfiguration
from rbnotes.constraints import InconsistentConstraints
from rbnotes.dynamics import State, constrained_step, symplectic_euler
from rbnotes.forces import ForceGroups, LinearSpring, PathForces, on_particle, path_through
from rbnotes.multibody import reduced as reduced_coordinates
from rbnotes.multibody.reduced import (
    AttachedParticle,
    Gear,
    JointLimit,
    Link,
    LoopClosure,
    PlaneLimit,
    PrescribedJoint,
    Tree,
    attach_particles,
    constrained_acceleration,
    constraint_forces,
    constraint_rows,
    gear_coordinates,
    prescribed_forces,
    reduce_coordinates,
    velocity_constraints,
)
from rbnotes.testing import derivative, jacobian

ATTACHED = [AttachedParticle(1, "hand", [0.2, 0.3, -0.1]), AttachedParticle(3, None, [0.5, 0.1, 0.4])]


def hinge_chain(seed, count=4, masses=()):
    """Return a chain of hinges with a branch."""
    rng = np.random.default_rng(seed)
    links = [
        Link(f"{i}", joints.Revolute(unit(rng)), body(rng), (None, "0", "1", "1")[i], frame(rng), frame(rng))
        for i in range(count)
    ]
    return Tree(links, gravity=rng.normal(size=3), masses=masses), rng


def with_chain(seed):
    """Return the branched tree of the tests of constraints, four particles in a row, two of them attached."""
    plain, state = branched_system(np.random.default_rng(seed))
    springs = [
        PathForces(LinearSpring(7.0, 0.4, 0.3), path_through(on_particle(k), on_particle(k + 1)))
        for k in range(3)
    ]
    system = replace(plain, masses=[0.7, 1.1, 0.4, 0.3], applied_forces=ForceGroups(springs))
    x, v = np.random.default_rng(seed + 50).normal(size=(2, 2, 3))
    return attach_particles(system, ATTACHED), State(q=state.q, qdot=state.qdot, x=x, v=v, t=0.3)


class TestLoops:
    @pytest.mark.parametrize("seed", range(3))
    def test_rows_and_drift_are_exact_while_a_loop_is_open(self, seed):
        """The directions turn with the first body: their change counts where there is a gap or a slip."""
        system, state = branched_system(np.random.default_rng(seed))
        loop = LoopClosure("hand", [0.3, -0.1, 0.2], "leg", [0.1, 0.4, -0.3], axis=[0.6, 0.0, 0.8])
        rows = loop.rows(system, state, state.t)
        assert np.linalg.norm(rows.error) > 0.1
        G = jacobian(lambda step: loop.rows(system, state.retract(step), 0.0).error, np.zeros(state.size))
        close(rows.G, G.value)
        v = state.velocity
        speed = derivative(lambda t: loop.rows(system, state.retract(t * v), 0.0).G @ v)
        close(rows.bias_acceleration, speed.value)


def solve_by_active_sets(M, f, G, g, C, c):
    """Return the minimizer of a^T M a / 2 - f^T a with G a = g and C a >= c, by trying all active sets."""
    best, minimizer = np.inf, None
    for chosen in itertools.product((False, True), repeat=len(C)):
        rows, targets = np.vstack([G, C[list(chosen)]]), np.append(g, c[list(chosen)])
        k = len(rows)
        kkt = np.block([[M, rows.T], [rows, np.zeros((k, k))]])
        if np.linalg.matrix_rank(rows) < k:
            continue
        a = np.linalg.solve(kkt, np.append(f, targets))[: len(f)]
        value = a @ M @ a / 2 - f @ a
        if np.all(C @ a >= c - 1e-9) and value < best:
            best, minimizer = value, a
    return minimizer


class TestInequalities:
    @pytest.mark.parametrize("method", ["block_principal_pivoting", "cvxpy"])
    @pytest.mark.parametrize("seed", range(6))
    def test_inequalities_against_enumeration(self, seed, method):
        """On both kinds of coordinates: limits of joints, and a point kept on one side of a plane."""
        system, rng = hinge_chain(seed)
        q, free = rng.normal(size=(2, 4))
        gear, plane = Gear("0", "2", -0.7), PlaneLimit("3", rng.normal(size=3), unit(rng))
        state = State(q=q, qdot=np.zeros(4))
        height = plane.rows(system, state, 0.0).error[0]
        plane = replace(plane, offset=height)
        C = np.vstack([[[0, 0, 0, -1.0]], plane.rows(system, state, 0.0).G])
        rest = np.vstack([C, gear.rows(system, state, 0.0).G])
        qdot = free - np.linalg.pinv(rest) @ rest @ free  # along all of them: at rest in their directions
        state = State(q=q, qdot=qdot)
        constraints = [gear, JointLimit("3", upper=q[3]), plane]
        c = np.append(0.0, -plane.rows(system, state, 0.0).bias_acceleration)
        expected = solve_by_active_sets(
            system.mass_matrix(state), system.force(state), rest[2:], np.zeros(1), C, c
        )
        a, multipliers = constrained_acceleration(system, constraints, state, method=method)
        close(a, expected, 1e-6 if method == "cvxpy" else 1e-8)
        close(
            system.mass_matrix(state) @ a,
            system.force(state) + np.vstack([rest[2:], C]).T @ multipliers,
            1e-6,
        )
        assert np.all(multipliers[1:] >= -1e-9)

    def test_open_or_opening_inequalities_are_inactive(self):
        system, rng = hinge_chain(1)
        state = State(q=rng.normal(size=4), qdot=rng.normal(size=4))
        free = system.acceleration(state)
        opening = [JointLimit(f"{i}", lower=q) if v > 0 else JointLimit(f"{i}", upper=q)
                   for i, (q, v) in enumerate(zip(state.q, state.qdot, strict=True))]  # fmt: skip
        wide = [JointLimit(f"{i}", q - 0.1, q + 0.1) for i, q in enumerate(state.q)]
        assert any(rows.G[0] @ free < 0 for rows in (each.rows(system, state, 0.0) for each in opening))
        for constraints in (opening, wide):
            a, multipliers = constrained_acceleration(system, constraints, state)
            close(a, free)
            assert not np.any(multipliers)

    def test_closing_inequality_is_reported(self):
        system, _ = hinge_chain(1)
        state = State(q=np.zeros(4), qdot=np.array([0, 0.3, 0, 0]))
        with pytest.raises(InvalidArgument, match=r"JointLimit\('1'\) closed and closing at 0.3"):
            constrained_acceleration(system, [JointLimit("1", upper=0.0)], state)

    def test_forces_are_listed_by_constraint(self):
        """An open limit has a zero of its own in the place of its multiplier."""
        system, _ = hinge_chain(2)
        state = State(q=np.zeros(4))
        f = system.force(state)
        pressed = JointLimit("0", 0.0, np.inf) if f[0] < 0 else JointLimit("0", -np.inf, 0.0)
        constraints = [JointLimit("1", -1.0, 1.0), pressed, Gear("2", "3")]
        forces = constraint_forces(system, constraints, state)
        assert [len(each) for each in forces] == [2, 1, 1]
        a, multipliers = constrained_acceleration(system, constraints, state)
        close(np.concatenate(forces), multipliers)
        G = np.concatenate([each.rows(system, state, 0.0).G for each in constraints])
        close(system.mass_matrix(state) @ a, f + G.T @ multipliers)


class TestAttachedParticles:
    @pytest.mark.parametrize("seed", range(2))
    def test_velocities_and_accelerations_against_differences(self, seed):
        system, state = with_chain(seed)
        a = np.random.default_rng(9).normal(size=state.size)

        def whole(t):
            state_at_t = state.retract(t * state.velocity + t**2 / 2 * a).with_velocity(
                state.velocity + t * a
            )
            return system.expand(state_at_t)

        rate = derivative(lambda t: np.append(whole(t).x.ravel(), whole(t).q)).value
        close(system.expand(state).velocity, rate)
        close(system.reduction(state).expand_velocities(state.velocity), rate)
        accelerations = system.acceleration_reduction(state).expand_velocities(a)
        close(accelerations, derivative(lambda t: whole(t).velocity).value)

    @pytest.mark.parametrize("seed", range(3))
    def test_attached_system_equals_constrained_system(self, seed):
        system, state = with_chain(seed)
        whole = system.expand(state)
        expected, _ = constrained_acceleration(system.tree, ATTACHED, whole)
        close(system.acceleration_reduction(state).expand_velocities(system.acceleration(state)), expected)

    def test_attached_system_conserves_energy(self):
        damped, state = with_chain(0)
        links = [
            replace(link, damping=0.0, stiffness=2.0, spring_reference=None) for link in damped.tree.links
        ]
        spring = PathForces(LinearSpring(7.0, 0.0, 0.3), path_through(on_particle(0), on_particle(1)))
        whole = Tree(links, masses=damped.tree.masses, applied_forces=ForceGroups([spring]))
        system = attach_particles(whole, ATTACHED)
        a = system.acceleration(state)

        def energy(t):
            return system.energy(
                state.retract(t * state.velocity + t**2 / 2 * a).with_velocity(state.velocity + t * a)
            )

        assert abs(energy(0.0)) > 1
        close(derivative(energy).value, 0.0, 1e-7)

    def test_errors(self):
        system, state = with_chain(0)
        with pytest.raises(InvalidArgument, match="particle 1 twice"):
            attach_particles(system.tree, [ATTACHED[0], ATTACHED[0]])
        with pytest.raises(InvalidArgument, match="attachments: got particle 4"):
            attach_particles(system.tree, [AttachedParticle(4, "hand", np.zeros(3))])
        with pytest.raises(InvalidArgument, match="'nose', expected one of"):
            attach_particles(system.tree, [AttachedParticle(0, "nose", np.zeros(3))])
        with pytest.raises(InvalidArgument, match="state: got 4 particles"):
            system.mass_matrix(system.expand(state))


LOOP = LoopClosure("3", [0.3, -0.1, 0.2], "2", [0.1, 0.4, -0.3], axis=[0.0, 0.6, 0.8])


class TestReducedSystems:
    """Constraints on a system in fewer velocities, as on the whole one with gears or attachments besides."""

    @pytest.mark.parametrize("seed", range(3))
    def test_accelerations_of_a_geared_tree(self, seed):
        system, rng = hinge_chain(seed)
        reduced = reduce_coordinates(system, gear_coordinates(system, {"0": 1.0, "1": -0.5}))
        state = State(q=rng.normal(size=3), qdot=rng.normal(size=3), t=0.4)
        whole = reduced.expand(state)
        for constraints in ([LOOP], [PrescribedJoint("3", wave(0.3, 1)), PrescribedJoint("0", wave(0.1, 1))]):
            expected, forces = constrained_acceleration(system, [*constraints, Gear("0", "1", -0.5)], whole)
            actual, mine = constrained_acceleration(reduced, constraints, state)
            close(reduced.acceleration_reduction(state).expand_velocities(actual), expected)
            close(mine, forces[:-1])

    def test_rows_on_curved_coordinates(self):
        """The drift of J_rR counts."""
        system, _ = hinge_chain(3)
        curved = reduced_coordinates.JointCoordinates(
            2,
            lambda r: np.array([r[0], r[0] * r[1], np.sin(r[1]), r[1] ** 2]),
            lambda r: np.array([[1, 0], [r[1], r[0]], [0, np.cos(r[1])], [0, 2 * r[1]]]),
            lambda r, v: np.array([[0, 0], [v[1], v[0]], [0, -np.sin(r[1]) * v[1]], [0, 2 * v[1]]]),
        )
        reduced, state = reduce_coordinates(system, curved), State(q=[0.4, -0.7], qdot=[1.1, 0.6])
        rows = constraint_rows(reduced, LOOP, state, 0.0)

        def error(step):
            return constraint_rows(reduced, LOOP, state.retract(step), 0.0).error

        close(rows.G, jacobian(error, np.zeros(2)).value)
        v = state.velocity
        speed = derivative(lambda t: constraint_rows(reduced, LOOP, state.retract(t * v), 0.0).G @ v)
        close(rows.bias_acceleration, speed.value)

    def test_steps_of_an_attached_system(self):
        system, state = with_chain(1)
        prescribed = PrescribedJoint("arm", wave(0.5, 1))
        step = constrained_step(
            symplectic_euler,
            system,
            state,
            1e-2,
            lambda s, h: velocity_constraints(system, [prescribed], s, h),
        )
        arm = system.tree.coordinate_slices[1]
        close(step.state.qdot[arm], prescribed.motion(0.31)[1])

    def test_joints_with_constraints_of_their_own(self):
        rng = np.random.default_rng(8)
        tree = Tree([Link("ball", joints.QuaternionSpherical(), body(rng), None, frame(rng), frame(rng))])
        system = attach_particles(replace(tree, masses=[0.4]), [AttachedParticle(0, "ball", [0.3, 0.1, 0.2])])
        q = rng.normal(size=4)
        q /= np.linalg.norm(q)
        state = State(q=q, qdot=np.array([-q[1], q[0], -q[3], q[2]]))
        close(constrained_acceleration(system, [], state)[0], system.acceleration(state))
        rows = velocity_constraints(system, [], state, 0.1)[0]
        close(rows.rows, q[None])


class TestSteps:
    def test_steps_reduce_initial_errors(self):
        """The change of a prescribed angle within the step is not an error."""
        system, state = branched_system(np.random.default_rng(3))
        prescribed = PrescribedJoint("arm", wave(0.5, 1))
        arm, h, gamma = system.coordinate_slices[1], 0.05, 6.0
        step = constrained_step(
            symplectic_euler,
            system,
            state,
            h,
            lambda s, h: velocity_constraints(system, [prescribed], s, h, gamma),
        )
        error = state.q[arm] - prescribed.motion(state.t)[0]
        assert abs(error) > 0.1
        close(step.state.qdot[arm], prescribed.motion(state.t + h)[1] - gamma * error)


class TestPrescribedForces:
    @pytest.mark.parametrize("seed", range(3))
    def test_prescribed_force_of_a_linkage(self, seed):
        """The torque of a four-bar crank plus the loop forces equals inverse dynamics."""
        system, loop, state = four_bars(seed)
        prescribed = PrescribedJoint("left", lambda t: (state.q[2], state.qdot[2], 1.7))
        forces = prescribed_forces(system, [loop, prescribed], state)
        qddot, _ = constrained_acceleration(system, [loop, prescribed], state)
        tau = reduced_coordinates.inverse_dynamics_dense(system, state.q, state.qdot, qddot)
        G = loop.rows(system, state, 0.0).G
        unit = np.eye(state.size)[2]
        # What the joints do: the loop's two forces, and one torque.
        solved = np.linalg.lstsq(np.vstack([G, unit]).T, tau, rcond=None)[0]
        close(np.vstack([G, unit]).T @ solved, tau)
        assert list(forces) == ["left"]
        close(forces["left"], solved[2:])

    def test_prescribed_forces_of_all_joints_are_inverse_dynamics(self):
        system, state = branched_system(np.random.default_rng(4))
        prescribed = [PrescribedJoint(link.name, wave(0.1 * i, link.joint.num_coordinates))
                for i, link in enumerate(system.links)]  # fmt: skip
        forces = prescribed_forces(system, prescribed, state)
        qddot = np.concatenate([each.motion(state.t)[2] for each in prescribed])
        expected = reduced_coordinates.inverse_dynamics_dense(system, state.q, state.qdot, qddot)
        close(np.concatenate([forces[link.name] for link in system.links]), expected)


class TestRejected:
    def test_contradictions_are_named(self):
        system, rng = hinge_chain(0)
        state = State(q=rng.normal(size=4), qdot=rng.normal(size=4))
        prescribed = [PrescribedJoint("0", wave(0.0, 1)), PrescribedJoint("2", wave(1.0, 1)), Gear("0", "2")]
        message = r"Gear\('0', '2'\) against PrescribedJoint\('0'\) and PrescribedJoint\('2'\), off by"
        with pytest.raises(InconsistentConstraints, match=message):
            constrained_acceleration(system, prescribed, state)
        with pytest.raises(InconsistentConstraints, match=message):
            velocity_constraints(system, prescribed, state, 0.01)

    def test_rows_without_motion(self):
        system, rng = hinge_chain(0)
        state = State(q=rng.normal(size=4), qdot=rng.normal(size=4))
        base = Pull(np.zeros((1, 4)))
        with pytest.raises(InconsistentConstraints, match=r"Pull\(\) against joints that cannot move so"):
            constrained_acceleration(system, [Gear("0", "2"), base], state)

    def test_redundant_constraint_forces_are_rejected(self):
        """Motions are determined, the sharing of the load is not: unless only others share it."""
        system, rng = hinge_chain(0)
        state = State(q=rng.normal(size=4), qdot=rng.normal(size=4))
        twice, prescribed = [Gear("0", "2"), Gear("2", "0")], PrescribedJoint("3", wave(0.0, 1))
        constrained_acceleration(system, twice, state)
        message = r"Gear\('0', '2'\) and Gear\('2', '0'\) with dependent rows"
        with pytest.raises(SingularConfiguration, match=message):
            constraint_forces(system, [*twice, prescribed], state)
        forces = prescribed_forces(system, [*twice, prescribed], state)
        close(forces["3"], prescribed_forces(system, [twice[0], prescribed], state)["3"])
        both = [Gear("0", "2"), *(PrescribedJoint(name, lambda t: (0, 0, 1.0)) for name in "02")]
        with pytest.raises(SingularConfiguration, match=r"Gear\('0', '2'\) and PrescribedJoint\('0'\) and"):
            prescribed_forces(system, both, state)


class Pull:
    """A row of one's own."""

    unilateral = False

    def __init__(self, G):
        self.G = G

    def rows(self, system, state, t):
        return reduced_coordinates.ConstraintRows(self.G, np.zeros(1), np.zeros(1), np.ones(1))
