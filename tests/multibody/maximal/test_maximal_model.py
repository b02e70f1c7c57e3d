"""Mechanisms against Lagrangians, Pinocchio and closed forms; joint reactions."""

from dataclasses import replace
from functools import cache

import numpy as np
import pinocchio as pin
import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st
from mechanisms import G9, X, Y, Z, hanging_chain, pose, rods, run, turn
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

from rbnotes import inertia, se3
from rbnotes.arguments import InvalidArgument
from rbnotes.dynamics import WORLD, Forces, State
from rbnotes.dynamics.free_system import MAX_DENSE_SIZE
from rbnotes.joints import Cylindrical, ExponentialSpherical, Fixed, Free2D, Prismatic, Revolute, Universal
from rbnotes.multibody import maximal
from rbnotes.multibody.maximal import MaximalModel
from rbnotes.testing.strategies import arrays, frames, inertias, masses, vectors

LINEAR_FIRST = [3, 4, 5, 0, 1, 2]


def rod_chain(lengths, weights, angles, rates, placed=None):
    """Return rods hinged end to end in the plane of x and z; angles below the horizontal and their rates.

    ``placed`` turns the whole, gravity with it.
    """
    placed = pose() if placed is None else placed
    bodies, poses, twists, joints = rods(lengths, weights), [], [], []
    origin, velocity = np.zeros(3), np.zeros(3)
    for k, (length, angle, rate) in enumerate(zip(lengths, angles, rates, strict=True)):
        R = turn(Y, angle)
        poses.append(pose(R, origin))
        twists.append(np.concatenate([rate * Y, R.T @ velocity]))
        along = R @ (length * X)
        origin, velocity = origin + along, velocity + np.cross(rate * Y, along)
        about_y = turn(X, -np.pi / 2)  # its z axis is our y axis
        before = pose() if k == 0 else pose(p=[lengths[k - 1], 0, 0])
        own = pose(about_y)
        joints.append(
            maximal.Joint(
                Revolute(), k, own, k - 1 if k else WORLD, (placed if k == 0 else pose()) @ before @ own
            )
        )
    gravity = placed[:3, :3] @ [0, 0, -G9]
    return MaximalModel(bodies, joints, gravity), State(placed @ np.stack(poses), np.stack(twists))


@cache
def lagrangian_of_rods(lengths, weights):
    """Return the accelerations of the angles of thin rods, from their Lagrangian by sympy."""
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
    @pytest.mark.slow
    @given(st.integers(1, 3), arrays(3), arrays(3), frames())
    def test_accelerations_of_rods(self, count, angles, rates, placed):
        lengths, weights = (0.5, 0.8, 0.3)[:count], (1.0, 0.4, 2.0)[:count]
        angles, rates = angles[:count], rates[:count]
        model, state = rod_chain(lengths, weights, angles, rates, placed)
        phidot = maximal.accelerations(model, state).phidot
        expected = lagrangian_of_rods(lengths, weights)(0, np.concatenate([angles, rates]))[count:]
        np.testing.assert_allclose(phidot[:, 1], expected, atol=1e-7)

    @pytest.mark.slow
    def test_double_pendulum_for_a_second(self):
        lengths, weights = (0.6, 0.4), (1.0, 0.7)
        placed = pose(turn([0.6, 0.0, 0.8], 1.1), [0.3, -2.0, 1.0])
        model, state = rod_chain(lengths, weights, [0.2, -0.9], [0.0, 1.0], placed)
        path = run(model, state, 0.1, 10)
        exact = solve_ivp(
            lagrangian_of_rods(lengths, weights), (0, 1), [0.2, -0.9, 0.0, 1.0], rtol=1e-10, atol=1e-10
        ).y[:2, -1]
        ends = [pose(turn(Y, q)) for q in exact]
        np.testing.assert_allclose(path.E[-1, :, :3, :3], [(placed @ E)[:3, :3] for E in ends], atol=1e-5)
        energy = [model.energy(path[k]) for k in range(len(path))]
        np.testing.assert_allclose(energy, energy[0], atol=1e-5)


@pytest.mark.slow
def test_heavy_top_precesses_steadily():
    """A top whose axis keeps its angle to the vertical: I1 p^2 cos - I3 (s + p cos) p + m g l = 0."""
    m, length, I1, I3, tilt, p = 1.2, 0.2, 0.15, 0.12, 0.7, 2.0  # I1 about the tip
    s = (I1 * p**2 * np.cos(tilt) + m * G9 * length) / (I3 * p) - p * np.cos(tilt)
    about_com = np.diag([I1 - m * length**2, I1 - m * length**2, I3])
    top = inertia.spatial_inertia(m, about_com, [0, 0, length])
    R = turn(Y, tilt)
    omega = R.T @ (p * Z) + s * Z
    model = MaximalModel(top[None], [maximal.Joint(ExponentialSpherical(), 0)])
    state = State(pose(R)[None], np.append(omega, np.zeros(3))[None])
    path = run(model, state, 0.1, 10)
    axis = path.E[:, 0, :3, 2]
    t = 0.1 * np.arange(11)
    exact = np.stack(
        [np.sin(tilt) * np.cos(p * t), np.sin(tilt) * np.sin(p * t), np.full_like(t, np.cos(tilt))], 1
    )
    np.testing.assert_allclose(axis, exact, atol=1e-6)


class PinocchioChain:
    """Bodies hinged one to the other about z of their own frames, in both libraries."""

    def __init__(self, seed, count=5):
        rng = np.random.default_rng(seed)
        self.pinocchio_model = pin.Model()
        self.pinocchio_model.gravity.linear = np.array([0.5, -2.0, -G9])
        bodies, joints, last = [], [], 0
        for k in range(count):
            spread = rng.normal(size=(3, 3))
            J = np.trace(spread @ spread.T) * np.eye(3) - spread @ spread.T + 0.1 * np.eye(3)
            m, com = rng.uniform(0.5, 2), rng.normal(size=3) * 0.3
            placement = pose(
                Rotation.random(random_state=rng.integers(1 << 30)).as_matrix(), rng.normal(size=3)
            )
            last = self.pinocchio_model.addJoint(last, pin.JointModelRZ(), pin.SE3(placement), f"hinge{k}")
            self.pinocchio_model.appendBodyToJoint(last, pin.Inertia(m, com, 0.2 * J), pin.SE3.Identity())
            bodies.append(inertia.spatial_inertia(m, 0.2 * J, com))
            joints.append(maximal.Joint(Revolute(), k, None, k - 1 if k else WORLD, placement))
        self.model = MaximalModel(np.stack(bodies), joints, self.pinocchio_model.gravity.linear)
        self.q, self.v = rng.uniform(-2, 2, count), rng.normal(size=count)

    def state(self, q, v):
        data = self.pinocchio_model.createData()
        pin.forwardKinematics(self.pinocchio_model, data, q, v)
        poses = np.stack([E.homogeneous for E in list(data.oMi)[1:]])
        return State(poses, np.stack([w.vector[LINEAR_FIRST] for w in list(data.v)[1:]]))

    def accelerations(self, q, v):
        data = self.pinocchio_model.createData()
        qdd = pin.aba(self.pinocchio_model, data, q, v, np.zeros_like(v)).copy()
        pin.forwardKinematics(self.pinocchio_model, data, q, v, qdd)
        return qdd, np.stack([a.vector[LINEAR_FIRST] for a in list(data.a)[1:]])


class TestAgainstPinocchio:
    @pytest.mark.parametrize("seed", range(5))
    def test_accelerations_of_a_hinge_chain(self, seed):
        chain = PinocchioChain(seed)
        state = chain.state(chain.q, chain.v)
        np.testing.assert_allclose(maximal.constraint_error(chain.model.joints, state.E), 0, atol=1e-12)
        motion = maximal.accelerations(chain.model, state)
        _, expected = chain.accelerations(chain.q, chain.v)
        np.testing.assert_allclose(motion.phidot, expected, rtol=1e-9, atol=1e-9)

    @pytest.mark.slow
    def test_hinge_chain_for_a_second(self):
        chain = PinocchioChain(3)
        path = run(chain.model, chain.state(chain.q, chain.v), 0.1, 10)

        def rates(t, y):
            q, v = np.split(y, 2)
            return np.concatenate([v, chain.accelerations(q, v)[0]])

        end = solve_ivp(rates, (0, 1), np.concatenate([chain.q, chain.v]), rtol=1e-10, atol=1e-10).y[:, -1]
        expected = chain.state(*np.split(end, 2))
        np.testing.assert_allclose(path.E[-1], expected.E, atol=1e-6)
        np.testing.assert_allclose(path.phi[-1], expected.phi, atol=1e-5)

    def test_many_bodies_use_sparse_matrices(self):
        chain = PinocchioChain(8, MAX_DENSE_SIZE // 6 + 2)
        state = chain.state(chain.q, chain.v)
        _, expected = chain.accelerations(chain.q, chain.v)
        phidot = maximal.accelerations(chain.model, state).phidot
        np.testing.assert_allclose(phidot, expected, atol=1e-7 * np.abs(expected).max())


class TestReactions:
    @pytest.mark.slow
    @given(frames(), frames(), frames(), masses(), inertias(), vectors(), vectors())
    def test_reactions_of_a_bracket_carry_weights_and_moments(self, E0, E1, where, m, J, com, g):
        """Two bodies at rest, one fixed to the other, and that one fixed to the world."""
        M = np.stack([inertia.spatial_inertia(m, J, com), inertia.spatial_inertia(2.0, J, -com)])
        poses = np.stack([E0, E1])
        joints = [
            maximal.joint_from_world_frame(Fixed(), where, poses, 0),
            maximal.joint_from_world_frame(Fixed(), where, poses, 1, 0),
        ]
        model = MaximalModel(M, joints, g)
        motion = maximal.accelerations(model, State(poses, np.zeros((2, 6))))
        np.testing.assert_allclose(motion.phidot, 0, atol=1e-8)
        on_world = maximal.joint_reactions(joints[0], poses, motion.multipliers[:6]).on_parent
        arms = np.stack([se3.transform_points(E0, com), se3.transform_points(E1, -com)])
        weights = np.array([m, 2.0])[:, None] * g
        np.testing.assert_allclose(on_world[3:], weights.sum(axis=0), atol=1e-8)
        np.testing.assert_allclose(on_world[:3], np.cross(arms, weights).sum(axis=0), atol=1e-7)
        on_first = maximal.joint_reactions(joints[1], poses, motion.multipliers[6:]).on_parent
        expected = E0[:3, :3].T @ np.cross(arms[1] - E0[:3, 3], weights[1])
        np.testing.assert_allclose(on_first[:3], expected, atol=1e-7)

    @given(
        st.sampled_from(
            (
                (Revolute(), [2]),
                (Cylindrical(), [2, 5]),
                (Prismatic(), [5]),
                (ExponentialSpherical(), [0, 1, 2]),
                (Free2D(), [2, 3, 4]),
                (Universal(), [0, 1]),
            )
        ),
        frames(),
        arrays(6),
    )
    def test_reactions_have_no_component_along_freedoms(self, kind_and_freedoms, where, pull):
        """The reaction in the joint frame has no component along a freedom, and the rest holds the body."""
        body = inertia.spatial_inertia(1.0, np.diag([0.3, 0.4, 0.5]))
        kind, free = kind_and_freedoms
        joint = maximal.Joint(kind, 0, None, WORLD, where)
        pulled = MaximalModel(
            body[None], [joint], np.zeros(3), lambda state: Forces.without_derivatives(pull)
        )
        state = State(where)
        motion = maximal.accelerations(pulled, state)
        reaction = maximal.joint_reactions(joint, state.E, motion.multipliers).on_body
        constrained = [k for k in range(6) if k not in free]
        np.testing.assert_allclose(reaction[free], 0, atol=1e-12)
        np.testing.assert_allclose(reaction[constrained], -pull[constrained], atol=1e-9)
        expected = np.zeros(6)
        expected[free] = pull[free] / np.diag(body)[free]
        np.testing.assert_allclose(motion.phidot[0], expected, atol=1e-9)

    def test_reaction_of_a_rotating_rod(self):
        length, m, rate = 0.8, 1.5, 3.0
        joint = maximal.Joint(Revolute(), 0)
        model = MaximalModel(rods([length], [m]), [joint])
        state = State(pose(turn(Z, 0.4))[None], np.array([[0, 0, rate, 0, 0, 0.0]]))
        motion = maximal.accelerations(model, state)
        reaction = maximal.joint_reactions(joint, state.E, motion.multipliers).on_body
        np.testing.assert_allclose(reaction[3:], [-m * rate**2 * length / 2, 0, m * G9], atol=1e-9)
        np.testing.assert_allclose(reaction[:3], [0, -m * G9 * length / 2, 0], atol=1e-9)


class TestErrors:
    def test_models_are_checked(self):
        body = rods([1.0], [1.0])
        with pytest.raises(InvalidArgument, match="joints: got a revolute joint between 1 and 0"):
            MaximalModel(body, [maximal.Joint(Revolute(), 0, parent=1)])
        with pytest.raises(InvalidArgument, match=r"inertias: got shape \(6, 6\)"):
            MaximalModel(body[0])
        with pytest.raises(InvalidArgument, match=r"inertias\[1\]: got smallest eigenvalue"):
            MaximalModel([body[0], np.zeros((6, 6))])
        with pytest.raises(InvalidArgument, match=r"gravity: got shape \(2, 3\)"):
            MaximalModel(body, gravity=np.zeros((2, 3)))

    def test_states_are_checked(self):
        model, state = hanging_chain()
        with pytest.raises(InvalidArgument, match="state: got 2 bodies"):
            maximal.accelerations(model, State(state.E[:2], state.phi[:2]))
        short = replace(model, applied_forces=lambda state: Forces.without_derivatives(np.ones(6)))
        with pytest.raises(InvalidArgument, match=r"applied_forces: got shape \(6,\)"):
            short.force(state)
        with pytest.raises(InvalidArgument, match="applied_forces: got ndarray, expected a function"):
            replace(model, applied_forces=lambda state: np.ones(18)).force(state)
        with pytest.raises(InvalidArgument, match="gamma: got -1"):
            maximal.joint_velocity_constraints(model, state, gamma=-1.0)
