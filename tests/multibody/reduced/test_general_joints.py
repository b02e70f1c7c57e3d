"""Trees of joints given as functions: Lagrange's equations of their transforms, and the paper's systems."""

import casadi as ca
import numpy as np
import pytest

from rbnotes import inertia, joints, se3
from rbnotes.dynamics import State
from rbnotes.joints import curves, surfaces
from rbnotes.multibody import Model, simulate
from rbnotes.multibody.reduced import (
    Link,
    Tree,
    examples,
    forward_dynamics_dense,
    forward_dynamics_derivatives,
    inverse_dynamics_dense,
    kinetic_energy,
    poses,
)
from rbnotes.testing import jacobian


def wander(q):
    """Return a function of a user: a screw along a wave, with a nodding rotation."""
    c, s = np.cos(q[0]), np.sin(q[0])
    a, b = np.cos(np.sin(q[1])), np.sin(np.sin(q[1]))
    turn = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    nod = np.array([[a, 0, b], [0, 1, 0], [-b, 0, a]])
    return turn @ nod, np.array([0.3 * q[0], 0.2 * np.sin(q[0] + q[1]), 0.1 * q[1] ** 2])


def random_tree(seed):
    """Return six links with a branch, joints of all kinds of surfaces and curves between frames anywhere."""
    rng = np.random.default_rng(seed)
    ring, egg = surfaces.torus(0.6, 0.2), surfaces.ellipsoid(rng.uniform(0.3, 0.6, 3))
    sheet = surfaces.bezier_surface(
        0.3 * rng.normal(size=(3, 4, 3)) + np.mgrid[:3, :4, :1].T[0].swapaxes(0, 1)
    )
    wire = curves.bezier_curve(np.cumsum(0.3 * rng.normal(size=(5, 3)) + [0.5, 0, 0], axis=0))
    kinds = {
        "a": (joints.surface_on_surface(surfaces.sphere(0.5), ring), None),
        "b": (joints.FunctionJoint(wander, 2, name="wander"), "a"),
        "c": (joints.point_on_curve(wire, "tangent"), "b"),
        "d": (joints.surface_on_surface(ring, egg, 0.4), "a"),
        "e": (joints.point_on_surface(sheet, "normal", 0.1), "d"),
        "f": (joints.rolling_gear(0.5, 0.2), "d"),
    }

    def frame():
        return se3.exp(rng.normal(size=6) * 0.7)

    def weight():
        arm = rng.normal(size=(3, 3))
        moments = arm @ arm.T
        return inertia.spatial_inertia(
            rng.uniform(0.5, 2), np.trace(moments) * np.eye(3) - moments, 0.3 * rng.normal(size=3)
        )

    links = [Link(n, joint, weight(), parent, frame(), frame()) for n, (joint, parent) in kinds.items()]
    tree = Tree(links, gravity=rng.normal(size=3) * 5)
    q = tree.neutral + rng.uniform(-0.3, 0.3, tree.num_coordinates)
    return tree, q, rng.normal(size=tree.num_coordinates), rng.normal(size=tree.num_coordinates)


def lagrange(tree, q, qdot, tau):
    """Return the accelerations from d/dt dL/dqdot - dL/dq = tau, with L from the joints' transforms alone."""
    x, v = ca.SX.sym("q", tree.num_coordinates), ca.SX.sym("v", tree.num_coordinates)
    kinetic = potential = 0
    frames = []
    for link, own, parent in zip(tree.links, tree.coordinate_slices, tree.parents, strict=True):
        R, t, *_ = link.joint.kinematics_function(x[own], ca.SX.zeros(own.stop - own.start))
        Q = ca.vertcat(ca.horzcat(R, t), ca.DM([[0, 0, 0, 1]]))
        before = ca.SX.eye(4) if parent < 0 else frames[parent]
        frames.append(before @ ca.DM(link.placement) @ Q)
        E = frames[-1] @ ca.DM(link.body_frame)
        Edot = ca.reshape(ca.jtimes(ca.vec(E), x, v), 4, 4)
        body = inertia.from_spatial_inertia(link.inertia)
        # The second moments of the mass, in homogeneous coordinates.
        moments = np.trace(body.inertia) / 2 * np.eye(3) - body.inertia
        second = np.zeros((4, 4))
        second[:3, :3] = moments + body.mass * np.outer(body.com, body.com)
        second[:3, 3] = second[3, :3] = body.mass * body.com
        second[3, 3] = body.mass
        kinetic += ca.trace(Edot @ ca.DM(second) @ Edot.T) / 2
        potential -= ca.DM(tree.gravity).T @ (E @ ca.DM(second[:, 3]))[:3]
    L = kinetic - potential
    momentum = ca.gradient(L, v)
    right = ca.gradient(L, x) - ca.jtimes(momentum, x, v)
    M, f = ca.Function("lagrange", [x, v], [ca.jacobian(momentum, v), right])(q, qdot)
    return np.linalg.solve(np.array(M), np.array(f)[:, 0] + tau)


@pytest.mark.parametrize("seed", range(3))
def test_accelerations_against_lagrange(seed):
    tree, q, qdot, tau = random_tree(seed)
    expected = lagrange(tree, q, qdot, tau)
    accelerations = forward_dynamics_dense(tree, q, qdot, tau)
    np.testing.assert_allclose(accelerations, expected, atol=1e-8 * np.max(np.abs(expected)))
    back = inverse_dynamics_dense(tree, q, qdot, expected)
    np.testing.assert_allclose(back, tau, atol=1e-7 * np.max(np.abs(tau)))


def test_exact_tangents():
    tree, q, qdot, tau = random_tree(3)
    slopes = forward_dynamics_derivatives(tree, q, qdot, tau)
    by_q = jacobian(lambda x: forward_dynamics_dense(tree, x, qdot, tau), q).value
    by_qdot = jacobian(lambda x: forward_dynamics_dense(tree, q, x, tau), qdot).value
    np.testing.assert_allclose(slopes.q, by_q, atol=1e-7 * np.max(np.abs(by_q)))
    np.testing.assert_allclose(slopes.qdot, by_qdot, atol=1e-7 * np.max(np.abs(by_qdot)))


SYSTEMS = {
    "RC20": (lambda: examples.revolute_chain(20), 20),
    "RC50": (lambda: examples.revolute_chain(50), 50),
    "RC100": (lambda: examples.revolute_chain(100), 100),
    "TC10": (lambda: examples.torus_chain(10), 38),
    "TC20": (lambda: examples.torus_chain(20), 78),
    "WM": (examples.windmill, 73),
    "slide": (lambda: examples.sliding_chain(6), 22),
    "board": (examples.board, 13),
}


@pytest.mark.parametrize("name", SYSTEMS)
def test_number_of_coordinates_of_the_papers_systems(name):
    make, size = SYSTEMS[name]
    example = make()
    tree, start, shapes = example.tree, example.initial_state, example.shapes
    assert tree.num_coordinates == size
    assert set(shapes) == {link.name for link in tree.links}
    # None starts at a singular state.
    for link, own in zip(tree.links, tree.coordinate_slices, strict=True):
        assert link.joint.distance_to_singularity(start.q[own]) > 0.01


def test_windmill_contains_each_kind_of_joint():
    names = {str(link.joint) for link in examples.windmill().tree.links}
    pairs = {"sphere-sphere", "sphere-ellipsoid", "sphere-torus", "torus-torus", "torus-ellipsoid"}
    assert names == pairs | {"revolute", "ellipsoid-torus"}


def test_rest_configuration_of_the_torus_chain():
    """At rest, straight down: each center is on the axis, two radii less two tubes below the last one."""
    tree = examples.torus_chain(4).tree
    q = tree.coordinates({"torus 0": [0, 0]}, default=tree.joint_parameter("spring_reference"))
    centers = poses(tree, q).body_poses[:, :3, 3]
    np.testing.assert_allclose(centers[:, :2], 0, atol=1e-14)
    np.testing.assert_allclose(np.diff(centers[:, 2]), -2 * (0.1 - 0.018), atol=1e-14)
    np.testing.assert_allclose(inverse_dynamics_dense(tree, q, 0 * q, 0 * q), 0, atol=1e-12)


@pytest.mark.parametrize("name", ["RC20", "TC10", "WM", "slide", "board"])
def test_papers_systems_conserve_energy(name):
    example, size = SYSTEMS[name][0](), SYSTEMS[name][1]
    tree = example.tree
    start = State(q=example.initial_state.q, qdot=example.initial_state.qdot + 0.5 * np.cos(np.arange(size)))
    options = {"scheme": "DOP853", "rtol": 1e-4, "atol": 1e-5}
    end = simulate(Model.from_tree(tree), start, h=0.02, steps=1, **options).states[-1]
    before, after = tree.energy(start), tree.energy(end)
    moving = [kinetic_energy(example.tree, state.q, state.qdot) for state in (start, end)]
    assert abs(after - before) < 1e-4 * abs(moving[1] - moving[0])


def test_positions_in_the_examples():
    expected = np.column_stack([np.eye(3), [1, 2, 3]])
    np.testing.assert_array_equal(examples._translation(1.0, 2.0, 3.0)[:3], expected)
