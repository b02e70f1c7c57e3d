"""Scenes of linked bodies against independent results."""

import numpy as np
import pytest
from random_trees import body, frame, unit
from scipy.linalg import expm

from rbnotes import inertia, joints, se3
from rbnotes.arguments import InvalidArgument
from rbnotes.contact import Collider
from rbnotes.dynamics import (
    WORLD,
    FullyImplicitScheme,
    State,
    fully_implicit_euler,
    implicit_midpoint,
    integrate,
    symplectic_euler,
)
from rbnotes.forces import ForceGroups, LinearSpring, PathForces, on_body, path_through
from rbnotes.friction import gauss_seidel_friction, socp_fixed_point_friction
from rbnotes.multibody import maximal, reduced
from rbnotes.multibody.reduced import JointLimit, Link, Tree, TreeSystem, contact_step
from rbnotes.shapes import Box, Capsule, Plane, Sphere

G = 9.81
FLOOR = Collider(WORLD, Plane(), mu=1.0)  # friction is the geometric mean: the other's square root


def at(x=0.0, y=0.0, z=0.0):
    E = np.eye(4)
    E[:3, 3] = x, y, z
    return E


class TestContact:
    @pytest.mark.parametrize("heading", [0.0, 0.7])
    def test_a_sliding_box_stops(self, heading):
        """Friction takes mu g h from its speed in each step, and nothing across."""
        box, mu, h, speed = Box([0.4, 0.3, 0.2]), 0.3, 0.01, 0.35
        tree = Tree([Link("box", joints.Free3D(), box.spatial_inertia(mass=2.0))])
        system, colliders = TreeSystem(tree), [FLOOR, Collider(0, box, mu=mu**2)]
        along = np.array([np.cos(heading), np.sin(heading)])
        state = State(q=[0, 0, 0.1, 0, 0, 0], qdot=[*(speed * along), 0, 0, 0, 0])
        way, pushed = 0.0, []
        for _ in range(16):
            speed = max(speed - mu * G * h, 0.0)
            way += h * speed
            step = contact_step(symplectic_euler, system, state, h, colliders)
            state = step.state
            pushed.append(step.solution.normal.sum())
        np.testing.assert_allclose(state.q[:2], way * along, atol=1e-6)
        np.testing.assert_allclose(state.q[2:], [0.1, 0, 0, 0], atol=1e-6)
        np.testing.assert_allclose(state.qdot, 0, atol=1e-6)
        np.testing.assert_allclose(pushed, 2.0 * G * h, rtol=1e-6)

    def test_models_by_name(self):
        """The prism of the box model stops a diagonal motion by sqrt(2) too much."""
        box, mu, h = Box([0.4, 0.3, 0.2]), 0.3, 0.01
        system = TreeSystem(Tree([Link("box", joints.Free3D(), box.spatial_inertia(mass=2.0))]))
        colliders = [FLOOR, Collider(0, box, mu=mu**2)]
        state = State(q=[0, 0, 0.1, 0, 0, 0], qdot=[1.0, 1.0, 0, 0, 0, 0])
        for model, factor in (("newton", np.sqrt(0.5)), ("box", 1.0)):
            step = contact_step(symplectic_euler, system, state, h, colliders, friction=model)
            np.testing.assert_allclose(step.state.qdot[:2], 1 - factor * mu * G * h, atol=1e-6)

    def test_sliding_ball_rolls_at_five_sevenths(self):
        """Its angular momentum about the contact line does not change."""
        ball, h = Sphere(0.5), 0.01
        root = joints.Composite(joints.Translational(), joints.QuaternionSpherical())
        tree = Tree([Link("ball", root, ball.spatial_inertia(mass=3.0))])
        system, colliders = TreeSystem(tree), [FLOOR, Collider(0, ball, mu=0.16)]
        state = State(q=[0, 0, 0.5, 1, 0, 0, 0], qdot=[1.4, 0, 0, 0, 0, 0, 0])
        for _ in range(20):
            state = system.reparametrize(state)
            state = contact_step(symplectic_euler, system, state, h, colliders).state
        twist = system.maximal_state(state).phi[0]
        E = system.maximal_state(state).E[0]
        np.testing.assert_allclose(E[:3, :3] @ twist[:3], [0, 2.0, 0], atol=1e-3)
        assert state.qdot[0] == pytest.approx(1.0, abs=5e-4)

    def test_linked_bodies_against_maximal_coordinates(self):
        """From rest, one step of two rods on the floor: the same twists and impulses, by other equations."""
        rod, h, tilt = Capsule(0.05, 0.8), 0.01, 0.4
        M = rod.spatial_inertia(mass=1.5)
        lying = se3.exp([0, np.pi / 2, 0, 0, 0, 0])
        links = [
            Link("first", joints.Free3D(), M, None, None, lying),
            Link("second", joints.Revolute((0.0, 1.0, 0.0)), 2 * M, "first", at(0.4), at(0.4) @ lying),
        ]
        tree = Tree(links)
        system, start = TreeSystem(tree), State(q=[0, 0, 0.05, 0, 0, 0, -tilt])
        colliders = [FLOOR, Collider(0, rod, mu=0.25), Collider(1, rod, mu=0.09)]
        step = contact_step(symplectic_euler, system, start, h, colliders, friction=socp_fixed_point_friction)
        poses = system.maximal_state(start)
        hinge = maximal.Joint(
            links[1].joint, 1, se3.inverse(links[1].body_frame), 0, se3.inverse(lying) @ links[1].placement
        )
        world = maximal.World(maximal.Mechanism(tree.inertias, [hinge]), colliders)
        path = maximal.simulate(
            world,
            State(poses.E),
            h,
            1,
            friction=socp_fixed_point_friction,
            integrator=symplectic_euler,
            stabilization="none",
        )
        found = system.reduction(start).expand_velocities(step.state.velocity).reshape(2, 6)
        np.testing.assert_allclose(found, path.states.phi[1], atol=1e-5)
        assert np.linalg.norm(found) > 0.05
        assert len(step.points) == len(path.contacts[0].points) >= 2
        assert np.sum(step.solution.normal) > 0.5 * 4.5 * G * h

    def test_links_and_parents_do_not_collide_by_default(self):
        ball = Sphere(0.3)
        M = ball.spatial_inertia(mass=1.0)
        tree = Tree([Link("a", joints.Fixed(), M), Link("b", joints.Prismatic(), M, "a", at(z=0.5))])
        system, start = TreeSystem(tree), State(q=[0.0], qdot=[0.0])
        colliders = [Collider(0, ball), Collider(1, ball)]
        free = contact_step(symplectic_euler, system, start, 0.01, colliders)
        assert len(free.points) == 0
        assert free.state.qdot[0] == pytest.approx(-G * 0.01)
        held = contact_step(symplectic_euler, system, start, 0.01, colliders, gamma=3.0, excluded_pairs=())
        assert held.state.qdot[0] == pytest.approx(0.3, rel=1e-9)  # 3 / s of the overlap of 0.1 m
        assert held.solution.normal[0] == pytest.approx(0.3 + G * 0.01, rel=1e-9)

    def test_a_hinged_rod_on_the_floor_with_a_limit_and_implicit_steps(self):
        """At rest on the floor its moments balance, and the limit has nothing to do; then it alone holds."""
        rod, h = Capsule(0.05, 1.0), 0.01
        along = se3.exp([0, np.pi / 2, 0, 0, 0, 0])
        M, high = rod.spatial_inertia(mass=2.0), 0.3
        angle = np.arcsin((high - 0.05) / 1.0)
        link = Link("rod", joints.Revolute((0.0, 1.0, 0.0)), M, None, at(z=high), at(0.5) @ along)
        system = TreeSystem(Tree([link]))
        colliders = [FLOOR, Collider(0, rod, mu=0.0)]
        state = State(q=[angle], qdot=[0.0])
        for scheme in (symplectic_euler, fully_implicit_euler):
            step = contact_step(scheme, system, state, h, colliders, [JointLimit("rod", upper=2.0)])
            assert step.state.q[0] == pytest.approx(angle, abs=1e-8)
            # Weight at half the length, the floor below the far end of the axis.
            np.testing.assert_allclose(step.solution.normal.max(), 2.0 * G * h / 2, rtol=1e-6)
            assert step.solution.unilateral[0] == pytest.approx(0, abs=1e-12)
        held = contact_step(
            symplectic_euler, system, State(q=[0.1]), h, [FLOOR], [JointLimit("rod", upper=0.1)]
        )
        moment = 2.0 * G * 0.5 * np.cos(0.1)
        assert held.solution.unilateral[0] == pytest.approx(moment * h, rel=1e-9)
        assert held.state.q[0] == pytest.approx(0.1, abs=1e-12)

    def test_fully_implicit_with_friction(self):
        """A box on a stiff spring slides: with f = -k x at the end, m (v+ - v) = h f - mu m g h."""
        box, mu, h, k = Box([0.4, 0.3, 0.2]), 0.3, 0.05, 50.0
        root = Link("box", joints.Free3D(), box.spatial_inertia(mass=2.0), stiffness=[k, 0, 0, 0, 0, 0])
        system, colliders = TreeSystem(Tree([root])), [FLOOR, Collider(0, box, mu=mu**2)]
        state, scheme = (
            State(q=[0, 0, 0.1, 0, 0, 0], qdot=[1.0, 0, 0, 0, 0, 0]),
            FullyImplicitScheme(1.0, 1e-7),
        )
        x, v = 0.0, 1.0
        for _ in range(3):
            v = (2.0 * v - h * k * x - mu * 2.0 * G * h) / (2.0 + h**2 * k)
            x += h * v
            state = contact_step(scheme, system, state, h, colliders, friction=gauss_seidel_friction).state
        assert v > 0.1
        np.testing.assert_allclose([state.q[0], state.qdot[0]], [x, v], atol=1e-6)

    def test_invalid_arguments_are_named(self):
        tree = Tree([Link("a", joints.Fixed(), np.eye(6))])
        with pytest.raises(InvalidArgument, match="gamma"):
            contact_step(symplectic_euler, TreeSystem(tree), State(), 0.01, [FLOOR], gamma=-1.0)
        with pytest.raises(InvalidArgument, match="gamma: got 201"):
            contact_step(symplectic_euler, TreeSystem(tree), State(), 0.01, [FLOOR], gamma=201.0)


def test_springs_and_dampers_between_bodies():
    """Two bodies on a line, a spring and a damper between points of them: by the matrix exponential."""
    M, m = np.diag([1.0, 1.0, 1.0, 2.0, 2.0, 2.0]), np.array([2.0, 2.0])
    x = (1.0, 0.0, 0.0)
    tree = Tree(
        [Link("a", joints.Prismatic(x), M), Link("b", joints.Prismatic(x), M, None, at(2.0))], np.zeros(3)
    )
    k, d, slack = 5.0, 0.8, 1.0
    ends = path_through(on_body(0, [0.3, 0, 0]), on_body(1, [-0.2, 0, 0]))
    system = TreeSystem(tree, applied_forces=ForceGroups([PathForces(LinearSpring(k, d, slack), ends)]))
    start, time = State(q=[0.1, -0.1], qdot=[0.4, 0.0]), 1.0
    spread = np.array([[-1.0, 1.0], [1.0, -1.0]])  # of what the stretch does to both
    A = np.zeros((5, 5))
    A[:2, 2:4] = np.eye(2)
    A[2:4, :2], A[2:4, 2:4] = k * spread / m[:, None], d * spread / m[:, None]
    A[2:4, 4] = k * np.array([1.0, -1.0]) * (2.0 - 0.2 - 0.3 - slack) / m
    expected = (expm(A * time) @ [0.1, -0.1, 0.4, 0.0, 1.0])[:4]
    end = integrate(implicit_midpoint, system, start, time / 60, 60)[60]
    np.testing.assert_allclose([*end.q, *end.qdot], expected, atol=2e-4)
    assert abs(expected[0] - 0.1) > 0.1


def test_solids_of_one_link_equal_fixed_links():
    """The sum of their inertias, and links that are fixed to each other: the same accelerations."""
    rng = np.random.default_rng(5)
    solids = [Box([0.3, 0.2, 0.5]), Sphere(0.2), Capsule(0.1, 0.4)]
    masses, places = [2.0, 0.7, 1.1], np.stack([frame(rng) for _ in solids])
    each = [solid.mass_properties(mass=mass) for solid, mass in zip(solids, masses, strict=True)]
    fused = inertia.spatial_inertia(*inertia.composite(each, places))
    hip, where = joints.Composite(joints.Universal(), joints.Prismatic(unit(rng))), frame(rng)
    tail = Link("tail", joints.Revolute(unit(rng)), body(rng), "fused", frame(rng))
    one = Tree([Link("fused", hip, fused, None, where), tail])
    many = Tree(
        [
            Link("fused", hip, solids[0].spatial_inertia(mass=masses[0]), None, where, places[0]),
            Link("b", joints.Fixed(), solids[1].spatial_inertia(mass=masses[1]), "fused", None, places[1]),
            Link("c", joints.Fixed(places[2]), solids[2].spatial_inertia(mass=masses[2]), "fused"),
            tail,
        ]
    )
    q, qdot = rng.normal(size=(2, 4))
    found = [reduced.forward_dynamics_dense(tree, q, qdot) for tree in (one, many)]
    np.testing.assert_allclose(found[0], found[1], rtol=1e-10, atol=1e-10)
    assert np.linalg.norm(found[0]) > 1
