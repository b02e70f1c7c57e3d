"""Mechanisms against Lagrangians, Pinocchio and closed forms; what joints bear; how steps hold together."""

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import solve_ivp
from scipy.linalg import null_space
from scipy.spatial.transform import Rotation

from rbnotes import inertia, maximal, se3
from rbnotes.arguments import InvalidArgument, SingularConfiguration
from rbnotes.checking.strategies import arrays, frames, inertias, masses, numbers, vectors
from rbnotes.constraints import factor_kkt
from rbnotes.dynamics import WORLD, Forces, FreeSystem, State, integrate, runge_kutta, symplectic_euler
from rbnotes.dynamics.bodies import DENSE
from rbnotes.joints import Cylindrical, ExponentialSpherical, Fixed, Revolute, Universal
from rbnotes.maximal import Mechanism
from rbnotes.maximal.mechanism import STABILIZATIONS

G9 = 9.81
LINEAR_FIRST = [3, 4, 5, 0, 1, 2]
X, Y, Z = np.eye(3)


def pose(R=None, p=(0, 0, 0)):
    return se3.frame(np.eye(3) if R is None else R, np.asarray(p, dtype=float))


def turn(axis, angle):
    return Rotation.from_rotvec(angle * np.asarray(axis)).as_matrix()


def run(mechanism, state, h, steps):
    """States of the reference, one after the other."""
    return integrate(runge_kutta, mechanism, state, h, steps)


def step(mechanism, state, h, **options):
    """The state after a step of the simulator, and the impulses of the joints."""
    path = maximal.simulate(maximal.World(mechanism), state, h, 1, integrator=symplectic_euler, **options)
    return path.states[-1], path.joint_impulses[0]


def rods(lengths, weights):
    """Spatial inertias of thin rods along x from the origin of their frames."""
    return np.stack(
        [
            inertia.spatial_inertia(m, m * length**2 / 12 * np.diag([1e-3, 1, 1]), [length / 2, 0, 0])
            for length, m in zip(lengths, weights, strict=True)
        ]
    )


def rod_chain(lengths, weights, angles, rates, placed=None):
    """Rods hinged end to end in the plane of x and z; angles below the horizontal and their rates.

    ``placed`` turns the whole, gravity with it.
    """
    placed = pose() if placed is None else placed
    bodies, poses, twists, joints = rods(lengths, weights), [], [], []
    at, velocity = np.zeros(3), np.zeros(3)
    for k, (length, angle, rate) in enumerate(zip(lengths, angles, rates, strict=True)):
        R = turn(Y, angle)
        poses.append(pose(R, at))
        twists.append(np.concatenate([rate * Y, R.T @ velocity]))
        along = R @ (length * X)
        at, velocity = at + along, velocity + np.cross(rate * Y, along)
        about_y = turn(X, -np.pi / 2)  # its z axis is our y axis
        before = pose() if k == 0 else pose(p=[lengths[k - 1], 0, 0])
        own = pose(about_y)
        joints.append(
            maximal.hinge(k, own, k - 1 if k else WORLD, (placed if k == 0 else pose()) @ before @ own)
        )
    gravity = placed[:3, :3] @ [0, 0, -G9]
    return Mechanism(bodies, joints, gravity), State(placed @ np.stack(poses), np.stack(twists))


def lagrangian_of_rods(lengths, weights):
    """Accelerations of the angles below the horizontal, from the Lagrangian of thin rods, by sympy."""
    count = len(lengths)
    q, v = sp.symbols(f"q:{count}"), sp.symbols(f"v:{count}")
    kinetic, potential, x, z = 0, 0, sp.Integer(0), sp.Integer(0)
    for k, (length, m) in enumerate(zip(lengths, weights, strict=True)):
        xc, zc = x + length / 2 * sp.cos(q[k]), z - length / 2 * sp.sin(q[k])
        vx, vz = (sum(sp.diff(e, q[i]) * v[i] for i in range(count)) for e in (xc, zc))
        kinetic += m * (vx**2 + vz**2) / 2 + m * length**2 / 12 * v[k] ** 2 / 2
        potential += m * G9 * zc
        x, z = x + length * sp.cos(q[k]), z - length * sp.sin(q[k])
    L = kinetic - potential
    momenta = [sp.diff(L, vi) for vi in v]
    M = sp.Matrix(momenta).jacobian(v)
    right = sp.Matrix([sp.diff(L, qi) for qi in q]) - sp.Matrix(momenta).jacobian(q) * sp.Matrix(v)
    evaluate = sp.lambdify((q, v), (M, right))

    def rates(t, y):
        mass, force = evaluate(y[:count], y[count:])
        return np.concatenate([y[count:], np.linalg.solve(mass, force.ravel())])

    return rates


class TestAgainstLagrangians:
    @given(st.integers(1, 3), arrays(3), arrays(3), frames())
    def test_accelerations_of_rods(self, count, angles, rates, placed):
        lengths, weights = [0.5, 0.8, 0.3][:count], [1.0, 0.4, 2.0][:count]
        angles, rates = angles[:count], rates[:count]
        mechanism, state = rod_chain(lengths, weights, angles, rates, placed)
        phidot = maximal.accelerations(mechanism, state).phidot
        expected = lagrangian_of_rods(lengths, weights)(0, np.concatenate([angles, rates]))[count:]
        np.testing.assert_allclose(phidot[:, 1], expected, atol=1e-7)

    def test_double_pendulum_for_a_second(self):
        lengths, weights = [0.6, 0.4], [1.0, 0.7]
        placed = pose(turn([0.6, 0.0, 0.8], 1.1), [0.3, -2.0, 1.0])
        mechanism, state = rod_chain(lengths, weights, [0.2, -0.9], [0.0, 1.0], placed)
        path = run(mechanism, state, 0.005, 200)
        exact = solve_ivp(
            lagrangian_of_rods(lengths, weights), (0, 1), [0.2, -0.9, 0.0, 1.0], rtol=1e-10, atol=1e-10
        ).y[:2, -1]
        ends = [pose(turn(Y, q)) for q in exact]
        np.testing.assert_allclose(path.E[-1, :, :3, :3], [(placed @ E)[:3, :3] for E in ends], atol=1e-5)
        energy = [mechanism.energy(path[k]) for k in range(len(path))]
        np.testing.assert_allclose(energy, energy[0], atol=1e-5)


def test_heavy_top_precesses_steadily():
    """A top whose axis keeps its angle to the vertical: I1 p^2 cos - I3 (s + p cos) p + m g l = 0."""
    m, length, I1, I3, tilt, p = 1.2, 0.2, 0.15, 0.12, 0.7, 2.0  # I1 about the tip
    s = (I1 * p**2 * np.cos(tilt) + m * G9 * length) / (I3 * p) - p * np.cos(tilt)
    about_com = np.diag([I1 - m * length**2, I1 - m * length**2, I3])
    top = inertia.spatial_inertia(m, about_com, [0, 0, length])
    R = turn(Y, tilt)
    omega = R.T @ (p * Z) + s * Z
    mechanism = Mechanism(top[None], [maximal.ball(0)])
    state = State(pose(R)[None], np.append(omega, np.zeros(3))[None])
    path = run(mechanism, state, 0.01, 100)
    axis = path.E[:, 0, :3, 2]
    t = 0.01 * np.arange(101)
    exact = np.stack(
        [np.sin(tilt) * np.cos(p * t), np.sin(tilt) * np.sin(p * t), np.full_like(t, np.cos(tilt))], 1
    )
    np.testing.assert_allclose(axis, exact, atol=1e-6)


class PinocchioChain:
    """Bodies hinged one to the other about z of their own frames, in both libraries."""

    def __init__(self, seed, count=5):
        rng = np.random.default_rng(seed)
        self.model = pin.Model()
        self.model.gravity.linear = np.array([0.5, -2.0, -G9])
        bodies, joints, last = [], [], 0
        for k in range(count):
            spread = rng.normal(size=(3, 3))
            J = np.trace(spread @ spread.T) * np.eye(3) - spread @ spread.T + 0.1 * np.eye(3)
            m, com = rng.uniform(0.5, 2), rng.normal(size=3) * 0.3
            placement = pose(
                Rotation.random(random_state=rng.integers(1 << 30)).as_matrix(), rng.normal(size=3)
            )
            last = self.model.addJoint(last, pin.JointModelRZ(), pin.SE3(placement), f"hinge{k}")
            self.model.appendBodyToJoint(last, pin.Inertia(m, com, 0.2 * J), pin.SE3.Identity())
            bodies.append(inertia.spatial_inertia(m, 0.2 * J, com))
            joints.append(maximal.hinge(k, None, k - 1 if k else WORLD, placement))
        self.mechanism = Mechanism(np.stack(bodies), joints, self.model.gravity.linear)
        self.q, self.v = rng.uniform(-2, 2, count), rng.normal(size=count)

    def state(self, q, v):
        data = self.model.createData()
        pin.forwardKinematics(self.model, data, q, v)
        poses = np.stack([E.homogeneous for E in list(data.oMi)[1:]])
        return State(poses, np.stack([w.vector[LINEAR_FIRST] for w in list(data.v)[1:]]))

    def accelerations(self, q, v):
        data = self.model.createData()
        qdd = pin.aba(self.model, data, q, v, np.zeros_like(v)).copy()
        pin.forwardKinematics(self.model, data, q, v, qdd)
        return qdd, np.stack([a.vector[LINEAR_FIRST] for a in list(data.a)[1:]])


class TestAgainstPinocchio:
    @pytest.mark.parametrize("seed", range(5))
    def test_accelerations_of_a_hinge_chain(self, seed):
        chain = PinocchioChain(seed)
        state = chain.state(chain.q, chain.v)
        np.testing.assert_allclose(maximal.joint_errors(chain.mechanism.joints, state.E), 0, atol=1e-12)
        motion = maximal.accelerations(chain.mechanism, state)
        _, expected = chain.accelerations(chain.q, chain.v)
        np.testing.assert_allclose(motion.phidot, expected, rtol=1e-9, atol=1e-9)

    def test_hinge_chain_for_a_second(self):
        chain = PinocchioChain(3)
        path = run(chain.mechanism, chain.state(chain.q, chain.v), 0.005, 200)

        def rates(t, y):
            q, v = np.split(y, 2)
            return np.concatenate([v, chain.accelerations(q, v)[0]])

        end = solve_ivp(rates, (0, 1), np.concatenate([chain.q, chain.v]), rtol=1e-10, atol=1e-10).y[:, -1]
        expected = chain.state(*np.split(end, 2))
        np.testing.assert_allclose(path.E[-1], expected.E, atol=1e-6)
        np.testing.assert_allclose(path.phi[-1], expected.phi, atol=1e-5)

    def test_many_bodies_take_the_sparse_way(self):
        chain = PinocchioChain(8, DENSE // 6 + 2)
        state = chain.state(chain.q, chain.v)
        _, expected = chain.accelerations(chain.q, chain.v)
        phidot = maximal.accelerations(chain.mechanism, state).phidot
        np.testing.assert_allclose(phidot, expected, atol=1e-7 * np.abs(expected).max())


class TestReactions:
    @given(frames(), frames(), frames(), masses(), inertias(), vectors(), vectors())
    def test_a_bracket_bears_the_weights_and_their_moments(self, E0, E1, where, m, J, com, g):
        """Two bodies at rest, one fixed to the other, and that one fixed to the world."""
        M = np.stack([inertia.spatial_inertia(m, J, com), inertia.spatial_inertia(2.0, J, -com)])
        poses = np.stack([E0, E1])
        joints = [maximal.joint_at(Fixed(), where, poses, 0), maximal.joint_at(Fixed(), where, poses, 1, 0)]
        mechanism = Mechanism(M, joints, g)
        motion = maximal.accelerations(mechanism, State(poses, np.zeros((2, 6))))
        np.testing.assert_allclose(motion.phidot, 0, atol=1e-8)
        on_world = maximal.reactions(joints[0], poses, motion.multipliers[:6]).on_parent
        arms = np.stack([se3.transform_points(E0, com), se3.transform_points(E1, -com)])
        weights = np.array([m, 2.0])[:, None] * g
        np.testing.assert_allclose(on_world[3:], weights.sum(axis=0), atol=1e-8)
        np.testing.assert_allclose(on_world[:3], np.cross(arms, weights).sum(axis=0), atol=1e-7)
        on_first = maximal.reactions(joints[1], poses, motion.multipliers[6:]).on_parent
        expected = E0[:3, :3].T @ np.cross(arms[1] - E0[:3, 3], weights[1])
        np.testing.assert_allclose(on_first[:3], expected, atol=1e-7)

    @given(
        st.sampled_from(("hinge", "cylindrical", "slider", "ball", "planar", "universal")),
        frames(),
        arrays(6),
    )
    def test_no_joint_pushes_where_it_gives_way(self, kind, where, pull):
        """The reaction in the joint frame has no component along a freedom, and the rest holds the body."""
        body = inertia.spatial_inertia(1.0, np.diag([0.3, 0.4, 0.5]))
        joint = getattr(maximal, kind)(0, None, WORLD, where)
        pulled = Mechanism(body[None], [joint], np.zeros(3), lambda state: Forces.without_derivatives(pull))
        state = State(where)
        motion = maximal.accelerations(pulled, state)
        reaction = maximal.reactions(joint, state.E, motion.multipliers).on_body
        free = {
            "hinge": [2],
            "slider": [5],
            "cylindrical": [2, 5],
            "planar": [2, 3, 4],
            "ball": [0, 1, 2],
            "universal": [0, 1],
        }[kind]
        held = [k for k in range(6) if k not in free]
        np.testing.assert_allclose(reaction[free], 0, atol=1e-12)
        np.testing.assert_allclose(reaction[held], -pull[held], atol=1e-9)
        expected = np.zeros(6)
        expected[free] = pull[free] / np.diag(body)[free]
        np.testing.assert_allclose(motion.phidot[0], expected, atol=1e-9)

    def test_a_whirling_rod_pulls_at_its_hinge(self):
        length, m, rate = 0.8, 1.5, 3.0
        joint = maximal.hinge(0)
        mechanism = Mechanism(rods([length], [m]), [joint])
        state = State(pose(turn(Z, 0.4))[None], np.array([[0, 0, rate, 0, 0, 0.0]]))
        motion = maximal.accelerations(mechanism, state)
        reaction = maximal.reactions(joint, state.E, motion.multipliers).on_body
        np.testing.assert_allclose(reaction[3:], [-m * rate**2 * length / 2, 0, m * G9], atol=1e-9)
        np.testing.assert_allclose(reaction[:3], [0, -m * G9 * length / 2, 0], atol=1e-9)


def four_bar(angle, rate, placed):
    """Parallelogram: equal cranks at an angle below the horizontal. It swings like one pendulum."""
    crank, coupler, m_crank, m_coupler = 0.5, 0.8, 0.6, 1.5
    bodies = rods([crank, coupler, crank], [m_crank, m_coupler, m_crank])
    end = turn(Y, angle) @ (crank * X)
    R, start = turn(Y, angle), np.array([coupler, 0, 0])
    poses = placed @ np.stack([pose(R), pose(p=end), pose(R, start)])
    speed = np.cross(rate * Y, end)
    twists = np.stack([[0, rate, 0, 0, 0, 0], [0, 0, 0, *speed], [0, rate, 0, 0, 0, 0]])
    own = pose(turn(X, -np.pi / 2))
    at = [placed @ pose(p=p) @ own for p in (np.zeros(3), start, end, start + end)]
    joints = [
        maximal.joint_at(Revolute(), at[0], poses, 0),
        maximal.joint_at(Revolute(), at[1], poses, 2),
        maximal.joint_at(Revolute(), at[2], poses, 1, 0),
        maximal.joint_at(Revolute(), at[3], poses, 1, 2),
    ]
    mechanism = Mechanism(bodies, joints, placed[:3, :3] @ [0, 0, -G9])
    inertia_ = 2 * m_crank * crank**2 / 3 + m_coupler * crank**2
    torque = G9 * (m_crank * crank + m_coupler * crank)

    def pendulum(t, y):
        return [y[1], torque * np.cos(y[0]) / inertia_]

    return mechanism, State(poses, twists), pendulum


class TestClosedLoops:
    @given(numbers(0.25, 1.25), numbers(-3, 3), frames())
    def test_parallelogram_is_accelerated_as_a_pendulum(self, angle, rate, placed):
        mechanism, state, pendulum = four_bar(angle, rate, placed)
        G = maximal.joint_matrix(mechanism.joints, state.E).toarray()
        assert factor_kkt(mechanism.mass(state), G).redundant == 3
        motion = maximal.accelerations(mechanism, state)
        np.testing.assert_allclose(motion.phidot[[0, 2], 1], pendulum(0, [angle, rate])[1], atol=1e-8)
        np.testing.assert_allclose(motion.phidot[1, :3], 0, atol=1e-8)
        # Of all multipliers that do it the least ones are taken, and they hold the bodies as any would.
        np.testing.assert_allclose(null_space(G.T, rcond=1e-9).T @ motion.multipliers, 0, atol=1e-8)
        force = mechanism.force(state) + G.T @ motion.multipliers
        np.testing.assert_allclose(mechanism.mass(state) @ motion.phidot.ravel(), force, atol=1e-8)

    @pytest.mark.parametrize("stabilization", STABILIZATIONS)
    def test_parallelogram_steps(self, stabilization):
        h, steps = 0.002, 200
        mechanism, state, pendulum = four_bar(0.4, 0.5, pose(turn(X, 0.7), [1, 2, 3]))
        exact = solve_ivp(pendulum, (0, h * steps), [0.4, 0.5], rtol=1e-10, atol=1e-10).y[1, -1]
        for _ in range(steps):
            state = step(mechanism, state, h, stabilization=stabilization)[0]
        np.testing.assert_allclose(state.phi[[0, 2], 1], exact, rtol=0.01)

    def cardan(self, bend):
        """Two shafts in bearings, at an angle, with a universal joint between them: a closed loop."""
        drive, driven = pose(turn(Y, -np.pi / 2)), pose(turn(Z, bend) @ turn(Y, -np.pi / 2))
        bodies = np.stack([inertia.spatial_inertia(1.0, np.diag([0.2, 0.2, 0.1]))] * 2)
        poses = np.stack([drive, driven])
        joints = [
            maximal.hinge(0, None, WORLD, drive),
            maximal.hinge(1, None, WORLD, driven),
            # x of the parent and y of the body are the axes of the cross, perpendicular to both shafts.
            maximal.universal(1, pose(), 0, pose()),
        ]
        return Mechanism(bodies, joints, np.zeros(3)), poses

    @pytest.mark.parametrize("bend", [0.0, 0.5, 1.0])
    def test_universal_joint_drives_a_bent_shaft(self, bend):
        """Ratio of speeds: cos b / (1 - sin^2 b sin^2 q), with the cross upright at q = 0."""
        mechanism, poses = self.cardan(bend)
        np.testing.assert_allclose(maximal.joint_errors(mechanism.joints, poses), 0, atol=1e-12)
        twists = np.zeros((2, 6))
        twists[0, 2] = 3.0
        state = maximal.project(mechanism, State(poses, twists))
        ratios, angles = [], []
        for _ in range(60):
            state = step(mechanism, state, 0.02)[0]
            fresh = maximal.project(mechanism, state)  # twists that fit the poses after the step
            ratios.append(fresh.phi[1, 2] / fresh.phi[0, 2])
            turned = (poses[0].T @ fresh.E[0])[:2, 0]
            angles.append(np.arctan2(turned[1], turned[0]))
        assert np.ptp(angles) > np.pi / 2
        np.testing.assert_allclose(
            ratios, np.cos(bend) / (1 - np.sin(bend) ** 2 * np.sin(angles) ** 2), atol=1e-9
        )


def hanging_chain():
    """Bodies on joints of several kinds, in general frames, moving as the joints allow."""
    rng = np.random.default_rng(5)
    bodies = np.stack(
        [
            inertia.spatial_inertia(m, J * np.diag([1.0, 0.8, 0.6]))
            for m, J in ((1, 0.2), (2, 0.3), (0.5, 0.1))
        ]
    )
    poses = se3.exp(rng.normal(size=(3, 6)))
    where = se3.exp(0.5 * rng.normal(size=(3, 6)))
    joints = [
        maximal.joint_at(ExponentialSpherical(), where[0], poses, 0),
        maximal.joint_at(Universal(), where[1], poses, 1, 0),
        maximal.joint_at(Cylindrical(), where[2], poses, 2, 1),
    ]
    mechanism = Mechanism(bodies, joints)
    return mechanism, maximal.project(mechanism, State(poses, rng.normal(size=(3, 6))))


class TestSteps:
    def test_reference_keeps_the_energy_and_the_joints(self):
        mechanism, state = hanging_chain()
        ends = [run(mechanism, state, 0.2 / n, n)[n] for n in (1, 20)]
        np.testing.assert_allclose(ends[0].E, ends[1].E, atol=1e-8)
        for end in ends:
            assert mechanism.energy(end) == pytest.approx(mechanism.energy(state), abs=1e-7)
            np.testing.assert_allclose(maximal.joint_errors(mechanism.joints, end.E), 0, atol=1e-8)

    @pytest.mark.parametrize("stabilization", STABILIZATIONS)
    def test_step_is_of_first_order(self, stabilization):
        mechanism, state = hanging_chain()
        exact = run(mechanism, state, 0.01, 20).E[-1]
        errors = []
        for n in (40, 80):
            now = state
            for _ in range(n):
                now = step(mechanism, now, 0.2 / n, stabilization=stabilization)[0]
            errors.append(np.linalg.norm(now.E - exact))
        assert 1.8 < errors[0] / errors[1] < 2.2

    def test_drift_of_each_stabilisation(self):
        mechanism, state = hanging_chain()
        drift = {}
        for stabilization in STABILIZATIONS:
            now, worst = state, 0.0
            for _ in range(100):
                now = step(mechanism, now, 0.01, stabilization=stabilization)[0]
                worst = max(worst, np.abs(maximal.joint_errors(mechanism.joints, now.E)).max())
            drift[stabilization] = worst
        assert drift["projection"] < 1e-10
        assert 1e-5 < drift["baumgarte"] < 0.3 * drift["none"]

    def test_baumgarte_takes_back_its_part_of_the_error(self):
        mechanism, state = hanging_chain()
        apart = state.E @ se3.exp(1e-4 * np.arange(18).reshape(3, 6) / 18)
        before = maximal.joint_errors(mechanism.joints, apart)
        G = maximal.joint_matrix(mechanism.joints, apart)
        after, _ = step(mechanism, State(apart, state.phi), 1e-3, stabilization="baumgarte", gain=0.3)
        np.testing.assert_allclose(G @ after.phi.ravel(), -0.3 / 1e-3 * before, rtol=1e-6, atol=1e-9)

    def test_impulses_are_forces_times_the_step(self):
        mechanism, state = hanging_chain()
        h = 1e-6
        impulses = step(mechanism, state, h, stabilization="none")[1]
        # Twists before and after the step satisfy the same rows: the drift is not in it.
        G = maximal.joint_matrix(mechanism.joints, state.E).toarray()
        force = mechanism.force(state)
        expected = factor_kkt(mechanism.mass(state), G).solve(force)[1]
        np.testing.assert_allclose(impulses / h, expected, rtol=1e-5)

    def test_applied_wrenches_do_work(self):
        mechanism, state = hanging_chain()
        push = np.arange(18.0)
        pushed = replace(mechanism, applied=lambda state: Forces.without_derivatives(push))
        motion = maximal.accelerations(pushed, state)
        power = np.sum((mechanism.bodies @ motion.phidot[..., None])[..., 0] * state.phi)
        lift = mechanism.force(state) @ state.velocity
        np.testing.assert_allclose(power, lift + push @ state.velocity, atol=1e-9)

    def test_bodies_without_joints_fly(self):
        bodies = rods([0.5, 0.7], [1.0, 2.0])
        state = State(np.stack([pose(), pose(turn(X, 0.3))]), np.arange(12.0).reshape(2, 6) / 6)
        after, _ = step(Mechanism(bodies), state, 0.01)
        for k in range(2):
            free = FreeSystem(bodies[k])
            alone = symplectic_euler(free, State(state.E[k], state.phi[k]), 0.01)
            np.testing.assert_allclose(after.E[k], alone.E[0], atol=1e-12)
            np.testing.assert_allclose(after.phi[k], alone.phi[0], atol=1e-12)


class TestProjection:
    @given(arrays(3, 6), arrays(3, 6))
    def test_brings_joints_together(self, moves, twists):
        mechanism, state = hanging_chain()
        apart = State(state.E @ se3.exp(0.1 * moves), twists)
        together = maximal.project(mechanism, apart)
        np.testing.assert_allclose(maximal.joint_errors(mechanism.joints, together.E), 0, atol=1e-10)
        G = maximal.joint_matrix(mechanism.joints, together.E)
        np.testing.assert_allclose(G @ together.phi.ravel(), 0, atol=1e-9)

    def test_moves_bodies_by_their_masses(self):
        """Two free bodies, apart along z: the heavy one moves less, and their centre of mass stays."""
        bodies = np.stack([inertia.spatial_inertia(m, 0.1 * np.eye(3)) for m in (1.0, 3.0)])
        mechanism = Mechanism(bodies, [maximal.fixed(0, parent=1)])
        together = maximal.project_poses(mechanism, np.stack([pose(), pose(p=[0, 0, 0.4])]))
        np.testing.assert_allclose(together[:, :3, 3], [[0, 0, 0.3]] * 2, atol=1e-12)

    def test_says_when_joints_cannot_meet(self):
        body = inertia.spatial_inertia(1.0, 0.1 * np.eye(3))
        joints = [maximal.ball(0, None, WORLD, pose(p=[x, 0, 0])) for x in (0, 1)]
        with pytest.raises(SingularConfiguration, match=r"poses: got joints that are still 0\.5 apart"):
            maximal.project_poses(Mechanism(body[None], joints), np.eye(4)[None])


class TestErrors:
    def test_mechanisms_are_checked(self):
        body = rods([1.0], [1.0])
        with pytest.raises(InvalidArgument, match="joints: got a revolute joint between 1 and 0"):
            Mechanism(body, [maximal.hinge(0, parent=1)])
        with pytest.raises(InvalidArgument, match=r"bodies: got shape \(6, 6\)"):
            Mechanism(body[0])
        with pytest.raises(InvalidArgument, match="bodies: got smallest eigenvalue"):
            Mechanism(np.zeros((2, 6, 6)))
        with pytest.raises(InvalidArgument, match=r"gravity: got shape \(2, 3\)"):
            Mechanism(body, gravity=np.zeros((2, 3)))

    def test_states_are_checked(self):
        mechanism, state = hanging_chain()
        with pytest.raises(InvalidArgument, match="state: got 2 bodies"):
            maximal.accelerations(mechanism, State(state.E[:2], state.phi[:2]))
        short = replace(mechanism, applied=lambda state: Forces.without_derivatives(np.ones(6)))
        with pytest.raises(InvalidArgument, match=r"applied: got shape \(6,\)"):
            short.force(state)
        with pytest.raises(InvalidArgument, match="applied: got ndarray, expected a function"):
            replace(mechanism, applied=lambda state: np.ones(18)).force(state)
        with pytest.raises(InvalidArgument, match="gain: got 2"):
            maximal.mechanism_rows(mechanism, state, 0.1, gain=2.0)
        with pytest.raises(InvalidArgument, match="h: got 0"):
            maximal.mechanism_rows(mechanism, state, 0.0, gain=0.5)
