"""Joints given as functions: compiled programs against the reference, in trees with joints of all kinds."""

import pickle
from pathlib import Path

import numpy as np
import pytest
from lift_joint import lift
from random_trees import body, frame, unit

from rbnotes import joints, se3
from rbnotes.arguments import InvalidArgument, SingularConfiguration
from rbnotes.compiled import compilation, programs
from rbnotes.joints import FunctionJoint, surface_on_surface, surfaces
from rbnotes.multibody import packing, reduced
from rbnotes.multibody.packing import external_joints, motion_subspace_derivatives
from rbnotes.multibody.reduced import Link, Tree
from rbnotes.multibody.reduced.dynamics import regularized_mass_matrix

SAME = 1e-11


def rings(rng):
    return surface_on_surface(surfaces.torus(rng.uniform(0.5, 0.9), 0.2), surfaces.torus(0.7, 0.1), 0.4)


JOINTS = {
    "rings": rings,
    "lift": lambda rng: lift(rng.uniform(0.5, 1.5)),
    "hung lift": lambda rng: joints.Composite(joints.Universal(), lift(1.0)),
    "hinge": lambda rng: joints.Revolute(unit(rng)),
    "ball": lambda rng: joints.ExponentialSpherical(),
    "quaternion": lambda rng: joints.QuaternionSpherical(),
    "spline": lambda rng: joints.SplineCurve(se3.exp(0.4 * rng.normal(size=(5, 6)))),
}


PROGRAMS = tuple(kind for kind in JOINTS if kind != "spline")
"""Kinds that are ready without a call of Python."""


def random_tree_of(kinds, rng):
    """Return a random tree with springs and dampers."""
    links = []
    for i, kind in enumerate(kinds):
        joint = JOINTS[kind](rng)
        parent = None if i < 2 else f"{rng.integers(i)}"
        springs = rng.uniform(0.1, 2.0, (2, joint.num_coordinates))
        links.append(Link(f"{i}", joint, body(rng), parent, frame(rng), frame(rng), *springs))
    return Tree(links)


def assert_close(actual, expected, tolerance=SAME):
    scale = max(1.0, np.max(np.abs(expected), initial=0.0))
    np.testing.assert_allclose(actual, expected, rtol=0, atol=tolerance * scale)


@pytest.fixture(scope="module", params=range(3), ids="tree {}".format)
def case(request):
    rng = np.random.default_rng(request.param)
    # Nine of a program are more than are evaluated at once.
    tree = random_tree_of(rng.permutation(["rings"] * (9, 1, 3)[request.param] + [*PROGRAMS, "lift"]), rng)
    compiled = packing.compile(tree)
    q, v = rng.normal(size=(2, tree.num_coordinates))
    assert compiled._external.try_fill(compiled._floats, q, v)
    return tree, compiled, rng


def condition_tolerance(tree, q):
    return SAME * np.maximum(1.0, np.max(np.linalg.cond(regularized_mass_matrix(tree, q))) / 1e3)


def test_single_state_against_reference(case):
    tree, compiled, rng = case
    for q, v, x in rng.normal(size=(2, 3, tree.num_coordinates)):
        wrenches, tolerance = rng.normal(size=(len(tree.links), 6)), condition_tolerance(tree, q)
        assert_close(
            compiled.forward_dynamics(q, v, x), reduced.forward_dynamics_dense(tree, q, v, x), tolerance
        )
        expected = reduced.forward_dynamics_dense(tree, q, v, x, wrenches)
        assert_close(compiled.forward_dynamics(q, v, x, wrenches), expected, tolerance)
        assert_close(compiled.inverse_dynamics(q, v, x), reduced.inverse_dynamics_dense(tree, q, v, x))
        kinematics = reduced.body_kinematics(tree, q, v)
        assert_close(compiled.jacobian_product(q, v), kinematics.phi)
        assert_close(compiled.bias_acceleration(q, v), kinematics.bias_acceleration)
        applied = reduced.jacobian(tree, q).T @ wrenches.ravel()
        assert_close(compiled.jacobian_transpose_product(q, wrenches), applied)
        assert_close(compiled.bias_forces(q, v), reduced.bias_forces(tree, q, v))
        inverse = np.linalg.solve(regularized_mass_matrix(tree, q), x)
        assert_close(compiled.inverse_mass_product(q, x), inverse, tolerance)
        prescribed = {link.name: rng.normal(size=link.joint.num_coordinates) for link in tree.links[::2]}
        actual, expected = (
            of.hybrid_dynamics(*on, q, v, prescribed, x) for of, on in ((compiled, ()), (reduced, (tree,)))
        )
        assert_close(actual.qddot, expected.qddot, tolerance)


BENT = ("rings", "lift", "hung lift", "hinge", "ball", "spline", "quaternion")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_derivatives(seed, monkeypatch):
    """Compiled code evaluates all joints; the reference is not called."""
    rng = np.random.default_rng(seed)
    tree = random_tree_of(rng.permutation(BENT), rng)
    compiled = packing.compile(tree)
    q, v, x = rng.normal(size=(3, 2, tree.num_coordinates))
    wrenches = rng.normal(size=(len(tree.links), 6))
    right = reduced.inverse_dynamics_derivatives(tree, q, v, x, wrenches)
    right_forward = reduced.forward_dynamics_derivatives(tree, q, v, x, wrenches)
    for name in ("inverse_dynamics_derivatives", "forward_dynamics_derivatives"):
        monkeypatch.setattr(reduced, name, None)
    for actual, expected in zip(compiled.inverse_dynamics_derivatives(q, v, x, wrenches), right, strict=True):
        assert_close(actual, expected)
    tolerance = condition_tolerance(tree, q) * np.max(condition_tolerance(tree, q)) / SAME
    found_forward = compiled.forward_dynamics_derivatives(q, v, x, wrenches)
    for actual, expected in zip(found_forward, right_forward, strict=True):
        assert_close(actual, expected, tolerance)


def test_derivatives_of_repeated_joints():
    rng = np.random.default_rng(3)
    shared = lift(0.8)
    links = [
        Link(f"{i}", joint, body(rng), f"{i - 1}" if i else None, frame(rng), frame(rng))
        for i, joint in enumerate((shared, joints.Revolute(), shared, shared))
    ]
    tree = Tree(links)
    q, v, a = rng.normal(size=(3, 2, tree.num_coordinates))
    expected = reduced.inverse_dynamics_derivatives(tree, q, v, a)
    result = packing.compile(tree).inverse_dynamics_derivatives(q, v, a)
    for actual, right in zip(result, expected, strict=True):
        assert_close(actual, right)


def test_compiled_subspace_derivatives_against_casadi():
    """Against derivatives of S, of the accelerations and of the bias by CasADi."""
    rng = np.random.default_rng(4)
    for name in ("rings", "lift"):
        joint = JOINTS[name](rng)
        m = joint.num_coordinates
        bent = motion_subspace_derivatives.SubspaceDerivatives([(joint, 1)], m + 1)
        assert bent._compiled
        q, v, a = rng.normal(size=(3, m + 1))
        actual = bent.evaluate(q, v, a)[48:]
        expected = motion_subspace_derivatives._subspace_derivatives(joint, q[1:], v[1:], a[1:])
        assert_close(actual[: expected.size], expected, 1e-12)
        assert np.max(np.abs(expected)) > 0.1


def test_derivatives_against_differences_of_forces():
    """Against central differences of the reference's forces."""
    rng = np.random.default_rng(2)
    tree = random_tree_of(rng.permutation(BENT), rng)
    q, v, a = rng.normal(size=(3, tree.num_coordinates))
    step = 1e-5 * np.eye(tree.num_coordinates)
    by_q = reduced.inverse_dynamics_dense(tree, q + step, v, a) - reduced.inverse_dynamics_dense(
        tree, q - step, v, a
    )
    by_v = reduced.inverse_dynamics_dense(tree, q, v + step, a) - reduced.inverse_dynamics_dense(
        tree, q, v - step, a
    )
    derivatives = packing.compile(tree).inverse_dynamics_derivatives(q, v, a)
    assert_close(derivatives.q, by_q.T / 2e-5, 1e-6)
    assert_close(derivatives.qdot, by_v.T / 2e-5, 1e-6)


def test_derivatives_at_singular_states_are_rejected():
    tree = Tree([Link("end", lift(1.0), body(np.random.default_rng(0)))])
    with pytest.raises(SingularConfiguration, match="lift"):
        packing.compile(tree).inverse_dynamics_derivatives([0.3, np.pi], [0.0, 1.0], [0.0, 0.0])


def without_springs(link):
    return Link(link.name, link.joint, link.inertia, link.parent, link.placement, link.body_frame)


def test_batch_against_reference(case):
    tree, compiled, rng = case
    for lead in ((3,), (2, 5)):
        q, v, x = rng.normal(size=(3, *lead, tree.num_coordinates))
        tolerance = condition_tolerance(tree, q)
        assert_close(
            compiled.forward_dynamics(q, v, x), reduced.forward_dynamics_dense(tree, q, v, x), tolerance
        )
        assert_close(compiled.inverse_dynamics(q, v, x[0]), reduced.inverse_dynamics_dense(tree, q, v, x[0]))
    again = pickle.loads(pickle.dumps(compiled))
    assert_close(again.inverse_dynamics(q, v, x), compiled.inverse_dynamics(q, v, x))


def test_equal_operations_share_a_program():
    """Constants do not matter: the program is compiled once and cached on disk."""
    torus, other, ball = surfaces.torus(1.1, 0.3), surfaces.torus(0.7, 0.2), surfaces.sphere(0.7)
    pairs = (torus, other), (other, torus), (torus, ball)
    first, second, third = (
        external_joints.joint_program(surface_on_surface(*pair, 0.4), "kinematics_and_margins_function")
        for pair in pairs
    )
    assert first.key == second.key != third.key
    assert not np.array_equal(first.constants, second.constants)
    assert programs.PROGRAMS[third.key].steps != programs.PROGRAMS[first.key].steps
    packing.compile(Tree([Link("ring", surface_on_surface(torus, other, 0.4), np.eye(6))]))
    again = programs.program_entry(compilation.failure_code(), first.key)
    compilation.compile_entry(again, programs.program_signature(again))
    assert sum(again.stats.cache_hits.values()) == 1
    # Processes that compile both at the same time do not write to the same files.
    assert again.__qualname__ != programs.program_entry(compilation.failure_code(), third.key).__qualname__


@pytest.mark.parametrize(
    "name",
    [
        "programs.py",
        "lanes.py",
        "tree_sweeps.py",
        "distance.py",
        "sparse_rows.py",
        "newton_friction.py",
        "rattle_step.py",
        "stabilization.py",
        "semismooth_newton.py",
        "packed_tree.py",
    ],
)
def test_cached_code_depends_on_its_sources(name, monkeypatch):
    """The hash covers every folder and the modules of imported constants, but not argument packing."""
    as_they_are, read_bytes = compilation.failure_code(), Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda path: read_bytes(path) + b"#" * (path.name == name))
    assert (compilation.failure_code.__wrapped__() == as_they_are) == (name == "packed_tree.py")


def test_singular_state_errors_equal_those_of_the_reference():
    rng = np.random.default_rng(5)
    tree = random_tree_of(["hinge", "lift", "lift"], rng)
    compiled = packing.compile(tree)
    q, v, x = rng.normal(size=(3, tree.num_coordinates))
    good = compiled.forward_dynamics(q, v, x)
    for index in (2, 4):
        for away, singular in ((1e-7, True), (3e-6, False)):
            near = q.copy()
            near[index] = np.pi - 2 * away
            calls = {"forward_dynamics": (near, v, x), "inverse_dynamics": (near, v, x)}
            calls |= {"inverse_mass_product": (near, x), "jacobian_product": (near, v)}
            calls["bias_forces"] = near, v
            calls["jacobian_transpose_product"] = near, np.ones((3, 6))
            for name, states in calls.items():
                call = getattr(compiled, name)
                if not singular:
                    assert np.all(np.isfinite(call(*states)))
                    continue
                with pytest.raises(SingularConfiguration, match=r"the lift joint 1\.0e-07 from its end"):
                    call(*states)
            if singular:
                with pytest.raises(SingularConfiguration, match="from its end"):
                    compiled.forward_dynamics(np.stack([q, near]), v, x)
    assert_close(compiled.forward_dynamics(q, v, x), good)
    with pytest.raises(InvalidArgument, match=r"^qdot"):
        compiled.forward_dynamics(q, v[1:], x)
    # Angles that the sweeps do not turn are those of the reference.
    far = q + np.array([0.0, 1e7, 0.0, 0.0, 0.0])
    assert_close(compiled.inverse_dynamics(far, v, x), reduced.inverse_dynamics_dense(tree, far, v, x))


def test_uncompiled_joints_are_named(caplog):
    import casadi

    def steps(q):
        position = type(q[0])(casadi.erf(q[0].expression))
        return np.eye(3), np.array([q[0], position, 0.0])

    tree = random_tree_of(["hinge", "lift"], np.random.default_rng(1))
    odd = FunctionJoint(steps, 1, name="stairs")
    tree = Tree([*tree.links, Link("odd", odd, np.eye(6), "1"), Link("odder", odd, np.eye(6), "0")])
    compiled = packing.compile(tree)
    # Other messages may tell what was compiled, where that takes long.
    (message,) = (message for message in caplog.messages if "is not compiled" in message)
    assert "stairs joint" in message
    assert "OP_ERF" in message
    q, v, x = np.random.default_rng(2).normal(size=(3, 9, tree.num_coordinates))
    assert_close(compiled.forward_dynamics(q, v, x), reduced.forward_dynamics_dense(tree, q, v, x))
    assert_close(
        compiled.forward_dynamics(q[0], v[0], x[0]), reduced.forward_dynamics_dense(tree, q[0], v[0], x[0])
    )
