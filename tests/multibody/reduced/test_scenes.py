"""Scenes of linked bodies against independent results."""

from dataclasses import replace

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
from rbnotes.multibody import Body, Model, reduced, simulate
from rbnotes.multibody.reduced import JointLimit, Link, Tree
from rbnotes.shapes import Box, Capsule, Plane, Sphere

G = 9.81
FLOOR = Collider(WORLD, Plane(), mu=1.0)  # friction is the geometric mean: the other's square root


def translation(x=0.0, y=0.0, z=0.0):
    E = np.eye(4)
    E[:3, 3] = x, y, z
    return E


def reduced_run(model, start, h, steps, **options):
    """Return a simulation in joint coordinates without stabilization, by default by symplectic Euler."""
    options = {"scheme": symplectic_euler, "stabilization": "none", "coordinates": "reduced", **options}
    return simulate(model, start, h=h, steps=steps, **options)


class TestContact:
    """Schemes of first order in joint coordinates, with contact."""

    @pytest.mark.parametrize("heading", [0.0, 0.7])
    def test_a_sliding_box_stops(self, heading):
        """Friction takes mu g h from its speed in each step, and nothing across."""
        mu, h, speed = 0.3, 0.01, 0.35
        box = Body(
            "box", Box([0.4, 0.3, 0.2]), mass=2.0, joint=joints.Free3D(), joint_frame=translation(z=0.1)
        )
        model = Model([box], ground=Plane(), mu=mu)
        along = np.array([np.cos(heading), np.sin(heading)])
        start = model.state(qdot={"box": [*(speed * along), 0, 0, 0, 0]})
        motion = reduced_run(model, start, h, 16)
        way = 0.0
        for _ in range(16):
            speed = max(speed - mu * G * h, 0.0)
            way += h * speed
        np.testing.assert_allclose(motion.q("box")[-1], [*(way * along), 0, 0, 0, 0], atol=1e-6)
        np.testing.assert_allclose(motion.qdot("box")[-1], 0, atol=1e-6)
        pushed = [record.impulses[:, 0].sum() for record in motion.contacts]
        np.testing.assert_allclose(pushed, 2.0 * G * h, rtol=1e-6)

    def test_models_by_name(self):
        """The prism of the box model stops a diagonal motion by sqrt(2) too much."""
        mu, h = 0.3, 0.01
        box = Body(
            "box", Box([0.4, 0.3, 0.2]), mass=2.0, joint=joints.Free3D(), joint_frame=translation(z=0.1)
        )
        model = Model([box], ground=Plane(), mu=mu)
        start = model.state(qdot={"box": [1.0, 1.0, 0, 0, 0, 0]})
        for name, factor in (("newton", np.sqrt(0.5)), ("box", 1.0)):
            motion = reduced_run(model, start, h, 1, friction_model=name)
            np.testing.assert_allclose(motion.qdot("box")[1, :2], 1 - factor * mu * G * h, atol=1e-6)

    def test_sliding_ball_rolls_at_five_sevenths(self):
        """Its angular momentum about the contact line does not change."""
        root = joints.Composite(joints.Translational(), joints.QuaternionSpherical())
        ball = Body("ball", Sphere(0.5), mass=3.0, joint=root)
        model = Model([ball], ground=Plane(), mu=0.4)
        start = model.state(q={"ball": [0, 0, 0.5, 1, 0, 0, 0]}, qdot={"ball": [1.4, 0, 0, 0, 0, 0, 0]})
        motion = reduced_run(model, start, 0.01, 20)
        spin = motion.channel("ball.angular_velocity").values[-1]
        np.testing.assert_allclose(spin, [0, 2.0, 0], atol=1e-3)
        assert motion.channel("ball.velocity").values[-1, 0] == pytest.approx(1.0, abs=5e-4)

    def test_linked_bodies_against_maximal_coordinates(self):
        """From rest, one step of two rods on the floor: the same twists and impulses, by other equations."""
        rod, h, tilt = Capsule(0.05, 0.8), 0.01, 0.4
        lying = se3.exp([0, np.pi / 2, 0, 0, 0, 0])
        first = Body("first", rod, mass=1.5, joint=joints.Free3D(), body_frame=lying, mu=0.25)
        second = Body(
            "second",
            rod,
            mass=3.0,
            joint=joints.Revolute((0.0, 1.0, 0.0)),
            parent="first",
            joint_frame=translation(0.4),
            body_frame=translation(0.4) @ lying,
            mu=0.09,
        )
        model = Model([first, second], ground=Plane(), mu=1.0)
        start = model.state(q={"first": [0, 0, 0.05, 0, 0, 0], "second": -tilt})
        mine, theirs = (
            reduced_run(model, start, h, 1, coordinates=coordinates, friction_model="coulomb")
            for coordinates in ("reduced", "maximal")
        )
        np.testing.assert_allclose(mine.body_states.phi[1], theirs.body_states.phi[1], atol=1e-5)
        assert np.linalg.norm(mine.body_states.phi[1]) > 0.05
        assert len(mine.contacts[0].points) == len(theirs.contacts[0].points) >= 2
        assert np.sum(mine.contacts[0].impulses[:, 0]) > 0.5 * 4.5 * G * h

    def test_overlaps_are_reduced_but_not_those_of_links_and_parents(self):
        ball = Sphere(0.3)
        lower = Body("a", ball, mass=1.0, joint=joints.Fixed())
        for parent, speed in (("a", -G * 0.01), (None, 0.3)):  # 3 / s of the overlap of 0.1 m
            upper = Body(
                "b", ball, mass=1.0, joint=joints.Prismatic(), parent=parent, joint_frame=translation(z=0.5)
            )
            model = Model([lower, upper])
            motion = reduced_run(model, model.state(), 0.01, 1, stabilization="baumgarte", gamma=3.0)
            assert len(motion.contacts[0].points) == (parent is None)
            assert motion.qdot("b")[1, 0] == pytest.approx(speed, rel=1e-9)
        assert motion.contacts[0].impulses[0, 0] == pytest.approx(0.3 + G * 0.01, rel=1e-9)

    def test_a_hinged_rod_on_the_floor_with_a_limit_and_implicit_steps(self):
        """At rest on the floor its moments balance, and the limit does not act; then it alone holds."""
        h, high = 0.01, 0.3
        angle = np.arcsin((high - 0.05) / 1.0)
        rod = Body(
            "rod",
            Capsule(0.05, 1.0),
            mass=2.0,
            joint=joints.Revolute((0.0, 1.0, 0.0)),
            joint_frame=translation(z=high),
            body_frame=translation(0.5) @ se3.exp([0, np.pi / 2, 0, 0, 0, 0]),
            mu=0.0,
        )
        model = Model([rod], ground=Plane(), constraints=[JointLimit("rod", upper=2.0)])
        start = model.state(q={"rod": angle})
        for scheme in (symplectic_euler, fully_implicit_euler):
            motion = reduced_run(model, start, h, 1, scheme=scheme)
            assert motion.q("rod")[1, 0] == pytest.approx(angle, abs=1e-8)
            # Weight at half the length, the floor below the far end of the axis.
            pushed = motion.contacts[0].impulses[:, 0].max()
            np.testing.assert_allclose(pushed, 2.0 * G * h / 2, rtol=1e-6)
            assert motion.work.joints[0] == pytest.approx(0, abs=1e-15)
        limited = Model([rod], constraints=[JointLimit("rod", upper=0.1)])
        motion_at_limit = reduced_run(limited, limited.state(q={"rod": 0.1}), h, 1)
        assert motion_at_limit.q("rod")[1, 0] == pytest.approx(0.1, abs=1e-12)
        assert reduced_run(limited, limited.state(q={"rod": 0.0}), h, 1).qdot("rod")[1, 0] > 0.05

    def test_fully_implicit_with_friction(self):
        """A box on a stiff spring slides: with f = -k x at the end, m (v+ - v) = h f - mu m g h."""
        mu, h, k = 0.3, 0.05, 50.0
        box = Body(
            "box",
            Box([0.4, 0.3, 0.2]),
            mass=2.0,
            joint=joints.Free3D(),
            joint_frame=translation(z=0.1),
            stiffness=[k, 0, 0, 0, 0, 0],
        )
        model = Model([box], ground=Plane(), mu=mu)
        start, scheme = (
            model.state(qdot={"box": [1.0, 0, 0, 0, 0, 0]}),
            FullyImplicitScheme(1.0, 1e-7),
        )
        motion = reduced_run(model, start, h, 3, scheme=scheme, friction_model="gauss_seidel")
        x, v = 0.0, 1.0
        for _ in range(3):
            v = (2.0 * v - h * k * x - mu * 2.0 * G * h) / (2.0 + h**2 * k)
            x += h * v
        assert v > 0.1
        result = [motion.q("box")[-1, 0], motion.qdot("box")[-1, 0]]
        np.testing.assert_allclose(result, [x, v], atol=1e-6)

    def test_invalid_arguments_are_named(self):
        model = Model([Body("a", Sphere(0.1), mass=1.0, joint=joints.Fixed())])
        for gamma in (-1.0, 201.0):
            with pytest.raises(InvalidArgument, match=f"gamma: .*{gamma:.0f}"):
                reduced_run(model, model.state(), 0.01, 1, stabilization="baumgarte", gamma=gamma)


def test_springs_and_dampers_between_bodies():
    """Two bodies on a line, a spring and a damper between points of them: by the matrix exponential."""
    M, m = np.diag([1.0, 1.0, 1.0, 2.0, 2.0, 2.0]), np.array([2.0, 2.0])
    x = (1.0, 0.0, 0.0)
    tree = Tree(
        [Link("a", joints.Prismatic(x), M), Link("b", joints.Prismatic(x), M, None, translation(2.0))],
        np.zeros(3),
    )
    k, d, slack = 5.0, 0.8, 1.0
    ends = path_through(on_body(0, [0.3, 0, 0]), on_body(1, [-0.2, 0, 0]))
    tree = replace(tree, applied_forces=ForceGroups([PathForces(LinearSpring(k, d, slack), ends)]))
    start, time = State(q=[0.1, -0.1], qdot=[0.4, 0.0]), 1.0
    spread = np.array([[-1.0, 1.0], [1.0, -1.0]])  # of what the stretch does to both
    A = np.zeros((5, 5))
    A[:2, 2:4] = np.eye(2)
    A[2:4, :2], A[2:4, 2:4] = k * spread / m[:, None], d * spread / m[:, None]
    A[2:4, 4] = k * np.array([1.0, -1.0]) * (2.0 - 0.2 - 0.3 - slack) / m
    expected = (expm(A * time) @ [0.1, -0.1, 0.4, 0.0, 1.0])[:4]
    end = integrate(implicit_midpoint, tree, start, time / 60, 60)[60]
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
    accelerations = [reduced.forward_dynamics_dense(tree, q, qdot) for tree in (one, many)]
    np.testing.assert_allclose(accelerations[0], accelerations[1], rtol=1e-10, atol=1e-10)
    assert np.linalg.norm(accelerations[0]) > 1
