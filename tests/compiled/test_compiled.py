"""Compiled recursions against the reference in numpy, on random trees of all joints."""

import json
import logging
import pickle
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from numba import njit
from random_trees import ALL, body, frame, random_tree

from rbnotes import joints, se3
from rbnotes.arguments import InvalidArgument, SingularConfiguration
from rbnotes.compiled import compilation
from rbnotes.compiled.simd.spatial_algebra import sine_cosine
from rbnotes.multibody import packing, reduced
from rbnotes.multibody.reduced import Link, Tree
from rbnotes.multibody.reduced.dynamics import regularized_mass_matrix

SAME = 1e-11


def assert_close(actual, expected, tolerance=SAME):
    scale = max(1.0, np.max(np.abs(expected), initial=0.0))
    np.testing.assert_allclose(actual, expected, rtol=0, atol=tolerance * scale)


def with_springs(tree, rng):
    """Return the same tree with springs and dampers in all joints."""
    links = [
        Link(
            link.name,
            link.joint,
            link.inertia,
            link.parent,
            link.placement,
            link.body_frame,
            *rng.uniform(0.1, 2.0, (2, link.joint.num_coordinates)),
            spring_reference=rng.normal(size=link.joint.num_coordinates),
        )
        for link in tree.links
    ]
    return Tree(links, tree.gravity)


@pytest.fixture(params=range(8), ids="tree {}".format)
def case(request):
    rng = np.random.default_rng(request.param)
    tree = with_springs(random_tree(rng, int(rng.integers(1, 12)), list(ALL), ALL), rng)
    return tree, packing.compile(tree), rng


def condition_tolerance(tree, q):
    """Return the loss of digits of a solution by the condition of the problem."""
    return np.maximum(1.0, np.linalg.cond(regularized_mass_matrix(tree, q)) / 1e3)


def test_forward_dynamics(case):
    tree, compiled, rng = case
    for q, v, tau in rng.normal(size=(3, 3, tree.num_coordinates)):
        wrenches = rng.normal(size=(len(tree.links), 6))
        tolerance = SAME * condition_tolerance(tree, q)
        assert_close(
            compiled.forward_dynamics(q, v, tau), reduced.forward_dynamics_dense(tree, q, v, tau), tolerance
        )
        expected = reduced.forward_dynamics_dense(tree, q, v, tau, wrenches)
        assert_close(compiled.forward_dynamics(q, v, tau, wrenches), expected, tolerance)


def test_inverse_dynamics_and_products(case):
    tree, compiled, rng = case
    q, v, a = rng.normal(size=(3, tree.num_coordinates))
    wrenches = rng.normal(size=(len(tree.links), 6))
    assert_close(compiled.inverse_dynamics(q, v, a), reduced.inverse_dynamics_dense(tree, q, v, a))
    assert_close(
        compiled.inverse_dynamics(q, v, a, wrenches), reduced.inverse_dynamics_dense(tree, q, v, a, wrenches)
    )
    M, kinematics = reduced.mass_matrix(tree, q), reduced.body_kinematics(tree, q, v)
    assert_close(compiled.mass_product(q, a), M @ a)
    assert_close(compiled.jacobian_product(q, v), kinematics.phi)
    assert_close(compiled.bias_acceleration(q, v), kinematics.bias_acceleration)
    assert_close(compiled.bias_forces(q, v), reduced.bias_forces(tree, q, v))
    assert_close(
        compiled.jacobian_transpose_product(q, wrenches), reduced.jacobian(tree, q).T @ wrenches.ravel()
    )
    result = compiled.inverse_mass_product(q, a)
    assert_close(
        result,
        np.linalg.solve(regularized_mass_matrix(tree, q), a),
        SAME * np.max(condition_tolerance(tree, q)),
    )
    assert_close(
        result, reduced.inverse_mass_product(tree, q, a), SAME * np.max(condition_tolerance(tree, q))
    )


def test_hybrid_dynamics(case):
    """About half of the joints are prescribed, for one state and for many."""
    tree, compiled, rng = case
    for lead in ((), (), (17,)):
        prescribed = {
            link.name: rng.normal(size=(*lead, link.joint.num_coordinates))
            for link in tree.links
            if rng.random() < 0.5
        }
        q, v, tau = rng.normal(size=(3, *lead, tree.num_coordinates))
        wrenches = rng.normal(size=(len(tree.links), 6))
        actual = compiled.hybrid_dynamics(q, v, prescribed, tau, wrenches)
        expected = reduced.hybrid_dynamics(tree, q, v, prescribed, tau, wrenches)
        tolerance = SAME * np.max(condition_tolerance(tree, q))
        assert_close(actual.qddot, expected.qddot, tolerance)
        assert_close(actual.tau, expected.tau, tolerance)
    all_prescribed = {link.name: np.ones(link.joint.num_coordinates) for link in tree.links}
    everything = compiled.hybrid_dynamics(q[0], v[0], all_prescribed)
    assert_close(
        everything.tau, reduced.inverse_dynamics_dense(tree, q[0], v[0], np.ones(tree.num_coordinates))
    )


AXES = {
    name: ALL[name] for name in ("revolute", "prismatic", "screw", "universal", "plane", "Euler", "offset")
}


@pytest.mark.parametrize("seed", range(3))
def test_derivatives(seed):
    """Trees of one-axis joints, many states, applied wrenches."""
    rng = np.random.default_rng(seed)
    tree = with_springs(random_tree(rng, 9, list(AXES), AXES), rng)
    compiled = packing.compile(tree)
    q, v, a = rng.normal(size=(3, 2, tree.num_coordinates))
    wrenches = rng.normal(size=(9, 6))
    for function in ("inverse_dynamics_derivatives", "forward_dynamics_derivatives"):
        expected = getattr(reduced, function)(tree, q, v, a, wrenches)
        tolerance = (
            SAME * np.max(condition_tolerance(tree, q)) ** 2 if function.startswith("forward") else SAME
        )
        for actual, right in zip(getattr(compiled, function)(q, v, a, wrenches), expected, strict=True):
            assert_close(actual, right, tolerance)
    actual = compiled.inverse_dynamics_derivatives(q[0], v[0], a[0])
    for each, right in zip(actual, reduced.inverse_dynamics_derivatives(tree, q[0], v[0], a[0]), strict=True):
        assert_close(each, right)


def test_derivatives_at_large_angles_agree_with_the_reference():
    rng = np.random.default_rng(1)
    tree = Tree([Link("a", joints.Revolute(), body(rng), None, frame(rng), frame(rng))])
    q, v, a = 1e7 * rng.normal(size=(3, tree.num_coordinates))
    expected = reduced.forward_dynamics_derivatives(tree, q, v, a)
    result = packing.compile(tree).forward_dynamics_derivatives(q, v, a)
    for actual, right in zip(result, expected, strict=True):
        assert_close(actual, right)


@pytest.mark.parametrize("seed", range(2))
def test_derivatives_with_quaternions(seed, monkeypatch):
    """Quaternions have any length, with springs and forces along them; the reference is not called."""
    rng = np.random.default_rng(seed)
    kinds = ["quaternion", "revolute", "free", "exponential", "offset", "quaternion"]
    tree = with_springs(random_tree(rng, 7, kinds, ALL), rng)
    compiled = packing.compile(tree)
    q, v, x = rng.normal(size=(3, 2, tree.num_coordinates))
    wrenches = rng.normal(size=(7, 6))
    names = "inverse_dynamics_derivatives", "forward_dynamics_derivatives"
    expected = [getattr(reduced, name)(tree, q, v, x, wrenches) for name in names]
    alone = reduced.forward_dynamics_derivatives(tree, q[0], v[0], x[0])
    for name in names:
        monkeypatch.setattr(reduced, name, None)
    tolerance = SAME * np.max(condition_tolerance(tree, q)) ** 2
    for name, right in zip(names, expected, strict=True):
        for actual, each in zip(getattr(compiled, name)(q, v, x, wrenches), right, strict=True):
            assert_close(actual, each, tolerance)
    for actual, each in zip(compiled.forward_dynamics_derivatives(q[0], v[0], x[0]), alone, strict=True):
        assert_close(actual, each, tolerance)


def test_batches_equal_single_states(case):
    """Batch sizes that are multiples of the number of lanes or not; leading axes broadcast."""
    tree, compiled, rng = case
    for size in (1, 16, 19):
        q, v, x = rng.normal(size=(3, size, tree.num_coordinates))
        tolerance = SAME * np.max(condition_tolerance(tree, q))
        one_by_one = np.array([compiled.forward_dynamics(*each) for each in zip(q, v, x, strict=True)])
        assert_close(compiled.forward_dynamics(q, v, x), one_by_one, tolerance)
        one_by_one = np.array([compiled.inverse_dynamics(*each) for each in zip(q, v, x, strict=True)])
        assert_close(compiled.inverse_dynamics(q, v, x), one_by_one)
    q, v = q[:6].reshape(2, 3, -1), v[:3]
    assert_close(compiled.forward_dynamics(q, v), reduced.forward_dynamics_dense(tree, q, v), tolerance)


def test_parallel_and_antiparallel_axes():
    """Such axes have no unique common normal."""
    rng = np.random.default_rng(5)
    angles = (0.0, 1e-15, 1e-9, 1e-4, 5e-3, 2e-2, np.pi - 1e-6, np.pi)
    for angle in angles:
        links = []
        for i in range(5):
            direction, spin, *shift = rng.normal(size=5)
            leaning = se3.exp([angle * np.cos(direction), angle * np.sin(direction), 0, 0, 0, 0])
            placement = leaning @ se3.exp([0, 0, spin, *shift])
            joint = (joints.Revolute(), joints.Prismatic(), joints.Helical(pitch=0.3))[i % 3]
            parent = None if i == 0 else f"{min(i, 3) - 1}"
            links.append(Link(f"{i}", joint, body(rng), parent, placement, frame(rng)))
        tree = Tree(links)
        compiled = packing.compile(tree)
        q, v, x = rng.normal(size=(3, tree.num_coordinates))
        assert_close(compiled.forward_dynamics(q, v, x), reduced.forward_dynamics_dense(tree, q, v, x))
        assert_close(compiled.inverse_dynamics(q, v, x), reduced.inverse_dynamics_dense(tree, q, v, x))


def test_accelerations_far_from_the_origin(case):
    """The position of a free body does not affect its accelerations."""
    _, _, rng = case
    free = joints.Composite(joints.Translational(), joints.QuaternionSpherical())
    elbow = Link("b", joints.Universal(), body(rng), "a", frame(rng), frame(rng))
    satellite = Tree([Link("a", free, body(rng)), elbow])
    compiled = packing.compile(satellite)
    q, v, x = rng.normal(size=(3, satellite.num_coordinates))
    far = q + np.array([7e6, 3e5, -1e6, 0, 0, 0, 0, 0, 0])
    assert_close(compiled.forward_dynamics(far, v, x), reduced.forward_dynamics_dense(satellite, q, v, x))
    assert_close(compiled.inverse_dynamics(far, v, x), reduced.inverse_dynamics_dense(satellite, q, v, x))


def test_failed_call_leaves_no_state(case):
    tree, compiled, rng = case
    q, v, x = rng.normal(size=(3, tree.num_coordinates))
    with pytest.raises(InvalidArgument, match="qdot"):
        compiled.forward_dynamics(q, np.full(tree.num_coordinates, np.nan), x)
    for _ in range(2):
        assert_close(
            compiled.forward_dynamics(q, v, x),
            reduced.forward_dynamics_dense(tree, q, v, x),
            SAME * condition_tolerance(tree, q),
        )
        assert_close(compiled.inverse_dynamics(q, v, x), reduced.inverse_dynamics_dense(tree, q, v, x))


def test_errors_do_not_grow_along_the_chain():
    rng = np.random.default_rng(6)
    names = [str(i) for i in range(150)]
    links = [
        Link(name, joints.Revolute(), body(rng), parent, frame(rng))
        for name, parent in zip(names, [None, *names], strict=False)
    ]
    tree = Tree(links)
    q, v, a = rng.normal(size=(3, tree.num_coordinates)) / 10
    assert_close(
        packing.compile(tree).inverse_dynamics(q, v, a),
        reduced.inverse_dynamics_dense(tree, q, v, a),
    )


def test_axes_along_frame_axes():
    """Both signs: a vector perpendicular to one axis is parallel to another."""
    rng = np.random.default_rng(8)
    axes = np.concatenate([np.eye(3), -np.eye(3)])
    for kind in (joints.Revolute, joints.Prismatic):
        tree = Tree([Link(f"{i}", kind(axis), body(rng), None, frame(rng)) for i, axis in enumerate(axes)])
        q, v, x = rng.normal(size=(3, tree.num_coordinates))
        assert_close(
            packing.compile(tree).forward_dynamics(q, v, x),
            reduced.forward_dynamics_dense(tree, q, v, x),
        )


def test_angles_small_large_and_too_large(case):
    tree, compiled, rng = case
    v, x = rng.normal(size=(2, tree.num_coordinates))
    for size in (1e-9, 1e3, 1e7):
        q = tree.neutral + size * rng.normal(size=tree.num_coordinates)
        if size > 1 and any(not isinstance(link.joint, joints.Revolute) for link in tree.links):
            continue
        assert_close(compiled.inverse_dynamics(q, v, x), reduced.inverse_dynamics_dense(tree, q, v, x))
    hinge = Tree([Link("a", joints.Revolute(), body(rng), None, frame(rng), frame(rng))])
    for size in (1e3, 3e5, 1e7):
        for q in size * rng.normal(size=(5, 1)):
            accelerations = packing.compile(hinge).forward_dynamics(q, [0.3], [0.2])
            assert_close(accelerations, reduced.forward_dynamics_dense(hinge, q, [0.3], [0.2]))


def test_invalid_arguments_are_named():
    rng = np.random.default_rng(0)
    tree = Tree([Link("a", joints.Revolute(), body(rng)), Link("b", joints.Prismatic(), body(rng), "a")])
    compiled = packing.compile(tree)
    good = np.zeros(2)
    for name, states in {
        "q": ([np.zeros(3), good, good], [[np.nan, 0.0], good, good], [[1j, 0.0], good, good]),
        "qdot": ([good, np.zeros((2, 1)), good], [good, [0.0, np.inf], good]),
        "tau": ([good, good, np.zeros(5)], [good, good, [0.0, np.nan]]),
    }.items():
        for each in states:
            with pytest.raises(InvalidArgument, match=f"^{name}: "):
                compiled.forward_dynamics(*each)
    with pytest.raises(InvalidArgument, match=r"^qddot: "):
        compiled.inverse_dynamics(good, good, [np.inf, 0.0])
    with pytest.raises(InvalidArgument, match=r"accelerations: .*'c'"):
        compiled.hybrid_dynamics(good, good, {"c": 1.0})
    with pytest.raises(InvalidArgument, match=r"accelerations.*'a'"):
        compiled.hybrid_dynamics(good, good, {"a": [1.0, 2.0]})
    for name, states in {"q": ([0.0], good, good), "qddot": (good, good, [0.0, np.nan])}.items():
        with pytest.raises(InvalidArgument, match=f"^{name}: "):
            compiled.inverse_dynamics_derivatives(*states)
    with pytest.raises(InvalidArgument, match=r"^model: .*int"):
        packing.compile(3)
    # What is no array of doubles in a row is as good.
    expected = reduced.forward_dynamics_dense(tree, [1, 0], [0, 1], [1, 1])
    assert_close(compiled.forward_dynamics([1, 0], (0, 1), np.ones(2, dtype=np.float32)), expected)
    assert_close(compiled.forward_dynamics(np.array([1.0, 9.0, 0.0])[::2], [0.0, 1.0], 1.0), expected)


@pytest.mark.parametrize("state", [0, 7, 8, 12, 17, 20])
def test_one_invalid_state_of_a_batch_is_detected(state):
    """At any index: the sweeps take eight states at a time, and the last eight overlap the previous ones."""
    rng = np.random.default_rng(3)
    tree = Tree([Link("a", joints.Revolute(), body(rng)), Link("b", joints.Prismatic(), body(rng), "a")])
    compiled = packing.compile(tree)
    good, bad = rng.normal(size=(2, 21, 2))
    bad[state, 1] = np.nan
    with pytest.raises(InvalidArgument, match=r"^tau: "):
        compiled.forward_dynamics(good, good, bad)
    with pytest.raises(InvalidArgument, match=r"^qddot: "):
        compiled.inverse_dynamics(good, good, bad)


def test_singular_joints_are_named():
    tree = Tree([Link("elbow", joints.EulerSpherical("XYZ"), body(np.random.default_rng(0)))])
    with pytest.raises(SingularConfiguration, match="elbow"):
        packing.compile(tree).forward_dynamics([0.3, np.pi / 2, 0.1], np.zeros(3))
    with pytest.raises(SingularConfiguration, match="elbow"):
        packing.compile(tree).hybrid_dynamics([0.3, np.pi / 2, 0.1], np.zeros(3), {})


def test_pickles_and_runs_in_threads(case):
    tree, compiled, rng = case
    states = rng.normal(size=(4, 3, 16, tree.num_coordinates))
    again = pickle.loads(pickle.dumps(compiled))
    with ThreadPoolExecutor(2) as threads:
        actual = list(threads.map(lambda each: again.inverse_dynamics(*each), states))
    for each, result in zip(states, actual, strict=True):
        assert_close(result, reduced.inverse_dynamics_dense(tree, *each))


ORDER_OF_TYPES = """
import operator
from numba.core.registry import cpu_target
from rbnotes.compiled.compilation import import_entries
import_entries()
cpu_target.typing_context.refresh()
types = cpu_target.typing_context.resolve_value_type(operator.getitem).templates
print([hasattr(each, "_overload_func") for each in types])
"""


@pytest.mark.slow
def test_types_of_array_items_are_found_first():
    """The order of imports in a new process decides; others lengthen the compilation."""
    run = subprocess.run(
        [sys.executable, "-c", ORDER_OF_TYPES], capture_output=True, text=True, check=True, timeout=100
    )
    are_overloads = json.loads(run.stdout.lower())
    assert are_overloads == sorted(are_overloads)
    assert len(set(are_overloads)) == 2


def test_compilation_is_announced(monkeypatch, caplog):
    """A message is logged only if compilation takes long."""

    def wait_for_message(name):
        deadline = time.monotonic() + 60
        while not caplog.messages and time.monotonic() < deadline:
            time.sleep(0.01)
        return len

    monkeypatch.setattr(compilation, "_compile_by_name", lambda name: len)
    with caplog.at_level(logging.WARNING, logger="rbnotes.compiled"):
        monkeypatch.setattr(compilation, "MAX_SILENT_SECONDS", 600.0)
        compilation.compiled_function.__wrapped__("forward_dynamics_single")
        assert not caplog.messages
        monkeypatch.setattr(compilation, "MAX_SILENT_SECONDS", 0.01)
        monkeypatch.setattr(compilation, "_compile_by_name", wait_for_message)
        compilation.compiled_function.__wrapped__("forward_dynamics_single")
    compiling, compiled = caplog.messages
    assert compiling.startswith("compiling forward_dynamics_single, once")
    assert compiled.startswith("compiled forward_dynamics_single in ")


@pytest.mark.slow
def test_sin_and_cos_are_accurate_to_three_ulp():
    """The error is at most two ulp; the reference contributes another."""

    @njit(error_model="numpy")
    def sin_cos(angles, out):
        for i in range(len(angles)):
            out[i] = sine_cosine(angles[i])

    for bound in (1.0, 100.0, 5e5):
        angles = bound * np.linspace(-1, 1, 4001)
        both = np.empty((4001, 2))
        sin_cos(angles, both)
        expected = np.stack([np.sin(angles), np.cos(angles)], axis=1)
        assert np.max(np.abs(both - expected) / np.spacing(np.abs(expected))) <= 3
