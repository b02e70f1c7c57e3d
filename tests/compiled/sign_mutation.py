"""Flip each sign of the compiled code, and print the changes that no comparison detects.

    NUMBA_DISABLE_JIT=1 python sign_mutation.py STRIDE    # every STRIDE-th sign of each module

It runs as plain Python, so that nothing is compiled. The number of breaks is printed last.
"""

import ast
import sys
from importlib import import_module
from importlib.machinery import SourceFileLoader
from pathlib import Path

import numpy as np
from lift_joint import lift

from rbnotes import compiled as compiled_package
from rbnotes import inertia, joints, se3, so3
from rbnotes.contact import Collider
from rbnotes.dynamics import WORLD
from rbnotes.friction import semismooth_newton
from rbnotes.friction.contact_problem import DelassusProblem
from rbnotes.multibody import maximal, reduced
from rbnotes.multibody.reduced import Link, Tree
from rbnotes.shapes import Box, Capsule, Plane, RoundedBox

FOLDER = Path(compiled_package.__file__).parent
TREE_MODULES = (
    "simd/spatial_algebra",
    "simd/memory",
    "recursions/multi_dof_joints",
    "programs",
    "recursions/forward_dynamics_derivatives",
    "recursions/inverse_dynamics_derivatives",
    "recursions/element_steps",
    "recursions/tree_sweeps",
)
WORLD_MODULES = (
    "linear_algebra",
    "collision/distance",
    "collision/narrow_phase",
    "contact_solver/newton_friction",
    "contact_solver/dense_newton_step",
)
SKIPPED = (
    *("sine_cosine", "stumpff", "_lower_run_program", "_lower_transposed", "prefetch_states"),
    *("matvec", "matvec_transposed", "quaternion_product", "dot6", "dot_range", "reordered_dot_range"),
)
"""Functions of series whose last terms are below rounding, of machine code alone, or of time steps alone."""
FLIPPED = {ast.Add: ast.Sub, ast.Sub: ast.Add}
AGREE = 1e-8


START = np.random.default_rng(7).uniform(-0.1, 0.3, (4, 3))
"""Initial guess of the impulses."""

HARMLESS = (
    *("evaluated - 1", "evaluated - 1 - STAGNATION_WINDOW", "max_iterations + 1", "+= damping"),
    *("1 + abs(limit)", "- TILT_TIE_TOLERANCE", "c + MIN_INERTIA"),
    *("workspace.records + WRENCH", "- state * joints", "total - first", "result_start + results + c"),
    "+ _COLUMN_RATE",
    *("+ TILE_WIDTH - ONE", "k + LANES - ONE", "inertia += table.mass[at * table.mass_width + at]"),
    *(
        "+ JOINT_FRAME",
        "+ POSITION",
        "+ POSE",
        "+ JOINT_POSE",
        "+ KIND",
        "+ _COLUMN_RATE",
        "+ EXTERNAL_START",
    ),
)
"""Ends of sums whose sign does not matter: the last operand is zero for single states or in the layout, is a
tolerance, or makes an array a little longer."""


def is_sign(node):
    """Return True for a sum or difference whose sign matters."""
    sum_of_two = isinstance(node, ast.BinOp | ast.AugAssign) and type(node.op) in FLIPPED
    return sum_of_two and not ast.unparse(node).endswith(HARMLESS)


def signs(source):
    """Yield the places of all signs in the functions of a module."""
    functions = [node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)]
    for function in functions:
        if function.name not in SKIPPED:
            for node in ast.walk(function):
                if is_sign(node):
                    yield function.name, node.lineno, node.col_offset, node.end_col_offset


def flip_sign(source, location):
    """Return the module with one flipped sign."""
    module = ast.parse(source)
    for node in ast.walk(module):
        if is_sign(node) and (node.lineno, node.col_offset, node.end_col_offset) == location:
            node.op = FLIPPED[type(node.op)]()
    return compile(module, "broken", "exec")


def model():
    """Return calls on a small tree with all kinds of elements, and their results by the reference."""
    rng = np.random.default_rng(3)
    kinds = (
        joints.Revolute((0.0, 0.6, 0.8)),
        joints.Helical(pitch=0.2),
        joints.Revolute(),
        joints.Prismatic((0.6, 0.0, 0.8)),
        joints.ExponentialSpherical(),
        joints.QuaternionSpherical(),
        joints.SplineCurve(se3.exp(0.4 * rng.normal(size=(5, 6)))),
        joints.Revolute((1.0, 0.0, 0.0)),
        lift(0.6),
        lift(1.2),
        lift(0.9),
    )
    parents = (None, "0", "1", "2", "0", "4", "0", "5", "2", "8", "3")
    descriptions = zip(kinds, parents, strict=True)
    links = []
    for i, (joint, parent) in enumerate(descriptions):
        spread = rng.normal(size=(3, 3))
        M = inertia.spatial_inertia(1.3, 4 * np.eye(3) + (spread + spread.T) / 4, rng.normal(size=3) / 2)
        frames = se3.exp(rng.normal(size=(2, 6)))
        links.append(Link(f"{i}", joint, M, parent, *frames, 0.7, 0.3))
    tree = Tree(links)
    q, v, x = rng.normal(size=(3, tree.num_coordinates))
    prescribed = {"1": 0.7, "4": x[:3], "5": x[3:7], "6": 0.4}
    calls = {
        "forward_dynamics": (
            tree,
            rng.normal(size=(3, 9, tree.num_coordinates)),
        ),  # more states than go at once
        "inverse_dynamics": (tree, (q, v, x, rng.normal(size=(len(links), 6)))),
        "hybrid_dynamics": (tree, (q, v, prescribed, x)),
        "forward_dynamics_derivatives": (
            tree,
            (*rng.normal(size=(3, tree.num_coordinates)), rng.normal(size=(11, 6))),
        ),
    }
    dense = {
        "forward_dynamics": reduced.forward_dynamics_dense,
        "inverse_dynamics": reduced.inverse_dynamics_dense,
    }
    expected = {
        name: np.concatenate(dense.get(name, getattr(reduced, name, None))(of, *args), axis=None)
        for name, (of, args) in calls.items()
    }
    kinematics = reduced.body_kinematics(tree, q, v)
    reference = {
        "jacobian_product": kinematics.phi.ravel(),
        "bias_acceleration": kinematics.bias_acceleration.ravel(),
    }
    return calls | dict.fromkeys(reference, (tree, (q, v))), expected | reference


def contact_cases():
    """Return shapes at some poses, contacts of all regimes, and the results of the reference."""
    rng = np.random.default_rng(6)
    shapes = (
        Box([0.4, 0.3, 0.5]),
        Capsule(0.1, 0.4),
        RoundedBox([0.2, 0.3, 0.0], 0.05),
        Box([0.3, 0.2, 0.1]),
    )
    frames = se3.exp(rng.normal(size=(4, 6)) / 5)
    carried = [Collider(i, shape, frames[i]) for i, shape in enumerate(shapes)]
    incline = Collider(WORLD, Plane(), se3.exp([0.1, 0.2, 0.0, 0.0, 0.0, -0.2]))
    model = maximal.MaximalModel(np.stack([np.eye(6)] * 4), colliders=[carried[0], incline, *carried[1:]])
    pose_sets = [se3.exp(rng.normal(size=(4, 6)) * np.repeat([1, s], 3)) for s in (0.2, 0.2, 0.3, 0.4, 0.5)]
    flat = se3.frame(so3.exp(0.01 * rng.normal(size=(4, 3))), np.outer([0, 0.7, 0.35, -0.3], [0.1, 0.2, 1]))
    pose_sets.append(flat @ se3.inverse(frames))
    for overlap in (1e-5, 8e-5, 0.02):  # touching, nearly so, and deep
        pose_sets += [poses @ se3.inverse(frames) for poses in overlapping_edges(overlap)]
    J = rng.normal(size=(12, 18))
    space = DelassusProblem(
        delassus_matrix=J @ J.T,
        free_contact_velocities=3 * rng.normal(size=(4, 3)),
        mu=np.array([0.3, 0.6, 0.0, 0.9]),
    )
    points = [numbers(model.detect_contacts(poses, 0.1)) for poses in pose_sets]
    searched = {most: semismooth_newton.newton_search(space, START, 1e-8, most) for most in (0, 1, 2, 3, 50)}
    assert searched[50][1] < 1e-12 < min(len(each) for each in points)
    return model, pose_sets, points, space, searched


def overlapping_edges(overlap):
    """Return poses at which the first box and the last one overlap in crossed edges, and in parallel ones."""
    crossed, parallel = (se3.frame(np.eye(3), np.outer(np.arange(4), [5.0, 0.0, 0.0])) for _ in range(2))
    height = 0.3 * np.sin(0.6) + 0.3 * np.cos(0.6)
    crossed[0] = se3.frame(so3.exp([0.6, 0.0, 0.0]), [0.01, 0.02, height - overlap])
    crossed[3] = se3.frame(so3.exp([0.0, 0.6, 0.0]), np.zeros(3))
    parallel[0, :3, 3] = 0.35 - overlap, 0.25 - 1.1 * overlap, 0.03
    parallel[3] = np.eye(4)
    return crossed, parallel


def numbers(points):
    return np.column_stack([points.a, points.b, points.position, points.normal, points.gap])


def contacts_differ(model, pose_sets, points, space, searched):
    """Return True if the reloaded code finds other contacts or impulses, or takes more steps."""
    unload_compiled_modules()
    try:
        steps = import_module("rbnotes.multibody.packing.compiled_steps")
        packed_colliders = import_module("rbnotes.multibody.packing.packed_colliders")
        packed = packed_colliders.pack_colliders(model.colliders, len(model.inertias), model.excluded_pairs)
        for poses, expected in zip(pose_sets, points, strict=True):
            contacts = numbers(packed.detect_contacts(poses, 0.1))
            if contacts.shape != expected.shape or not np.max(np.abs(contacts - expected)) <= AGREE:
                return True
        with np.errstate(all="ignore"):
            # On the way, too: with wrong slopes the same impulses are found, but later.
            for most, (impulses, residual, count) in searched.items():
                contacts, final_residual, iterations = steps._solve_newton(space, START, 1e-8, most)
                error = max(np.max(np.abs(contacts - impulses)), abs(final_residual - residual))
                if not error <= AGREE or abs(iterations - count) > 1:
                    return True
        return False
    except Exception:  # a break may do anything; then it is noticed
        return True


def unload_compiled_modules():
    """Remove the compiled code and its callers from the loaded modules."""
    for name in list(sys.modules):
        is_kernel = name.startswith("rbnotes.compiled") and name != "rbnotes.compiled.simd.lanes"
        if is_kernel or name.startswith("rbnotes.multibody.packing"):
            del sys.modules[name]


def results_differ(calls, expected):
    """Return True if the reloaded code has another result, or none."""
    unload_compiled_modules()
    try:
        compiled = import_module("rbnotes.multibody.packing.compiled_tree")
        for name, (of, args) in calls.items():
            with np.errstate(all="ignore"):
                actual = np.concatenate(getattr(compiled.CompiledTree(of), name)(*args), axis=None)
            if not np.max(np.abs(actual - expected[name])) <= AGREE * np.max(np.abs(expected[name])):
                return True
    except Exception:  # a break may do anything; then it is noticed
        return True
    return False


def main(stride):
    calls, expected = model()
    of_contacts = contact_cases()
    # Where results are not finite, the reference answers: not here.
    for name in (*calls, "body_kinematics"):
        setattr(reduced, name, None)
    semismooth_newton.newton_search = None
    changed = {}
    get_code = SourceFileLoader.get_code
    SourceFileLoader.get_code = lambda self, name: changed.get(name) or get_code(self, name)
    assert not results_differ(calls, expected)
    assert not contacts_differ(*of_contacts)
    count = 0
    for module in (*TREE_MODULES, *WORLD_MODULES):
        source = (FOLDER / f"{module}.py").read_text()
        for function, *location in list(signs(source))[stride // 2 :: stride]:
            changed = {f"rbnotes.compiled.{module.replace('/', '.')}": flip_sign(source, tuple(location))}
            count += 1
            if not (
                contacts_differ(*of_contacts) if module in WORLD_MODULES else results_differ(calls, expected)
            ):
                print(
                    f"{module}.py, line {location[0]}, column {location[1]} to {location[2]}, in {function}"
                )
    print(count)


if __name__ == "__main__":
    main(int(sys.argv[1]))
