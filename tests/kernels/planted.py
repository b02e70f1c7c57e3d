"""Breaks the kernels on purpose, one sign at a time, and prints the breaks that no comparison notices.

    NUMBA_DISABLE_JIT=1 python planted.py STRIDE    # every STRIDE-th sign of each module

Run as plain Python, so that nothing is compiled. Last comes the number of breaks.
"""

import ast
import sys
from importlib import import_module
from importlib.machinery import SourceFileLoader
from pathlib import Path

import numpy as np

from rbnotes import inertia, joints, kernels, se3
from rbnotes import tree as trees
from rbnotes.tree import Link, Tree

FOLDER = Path(kernels.__file__).parent
MODULES = ("_algebra", "_blocks", "_memory", "_slopes", "_steps", "_sweeps")
FAINT = ("sine_cosine", "stumpff")
"""Functions of series whose last terms are below rounding."""
FLIPPED = {ast.Add: ast.Sub, ast.Sub: ast.Add}
AGREE = 1e-8


NAUGHT = ("lane", " SCREW_0", " COSINE", " TURN", " KIND", " _R", " SMALLEST", " GIVEN_FROM")
"""What is zero here, of single states and in the layout, or may be anything small."""


def is_sign(node):
    """Of a sum of which both parts count."""
    sum_of_two = isinstance(node, ast.BinOp | ast.AugAssign) and type(node.op) in FLIPPED
    return sum_of_two and not ast.unparse(node).endswith(NAUGHT)


def signs(source):
    """Places of all signs of sums in the functions of a module."""
    functions = [node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)]
    for function in functions:
        if function.name not in FAINT:
            for node in ast.walk(function):
                if is_sign(node):
                    yield function.name, node.lineno, node.col_offset, node.end_col_offset


def broken(source, place):
    """The module with one sign flipped."""
    module = ast.parse(source)
    for node in ast.walk(module):
        if is_sign(node) and (node.lineno, node.col_offset, node.end_col_offset) == place:
            node.op = FLIPPED[type(node.op)]()
    return compile(module, "broken", "exec")


def model():
    """Two small trees, of all kinds of nodes and of axes, at some states; what the reference says of them."""
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
    )
    parents = (None, "0", "1", "2", "0", "4", "0", "5")
    places = zip(kinds, parents, strict=True)
    links = []
    for i, (joint, parent) in enumerate(places):
        spread = rng.normal(size=(3, 3))
        M = inertia.spatial_inertia(1.3, 4 * np.eye(3) + (spread + spread.T) / 4, rng.normal(size=3) / 2)
        frames = se3.exp(rng.normal(size=(2, 6)))
        links.append(Link(f"{i}", joint, M, parent, *frames, 0.7, 0.3))
    tree, of_axes = Tree(links), Tree(links[:4])
    q, v, x = rng.normal(size=(3, tree.size))
    told = {"1": 0.7, "4": x[:3], "5": x[3:7], "6": 0.4}
    calls = {
        "forward_dynamics": (tree, (q, v, x)),
        "inverse_dynamics": (tree, (q, v, x, rng.normal(size=(len(links), 6)))),
        "hybrid_dynamics": (tree, (q, v, told, x)),
        "inverse_dynamics_slopes": (of_axes, (q[:4], v[:4], x[:4], rng.normal(size=(4, 6)))),
    }
    expected = {
        name: np.concatenate(getattr(trees, name)(of, *args), axis=None) for name, (of, args) in calls.items()
    }
    at = trees.motion(tree, q, v)
    seen = {"jacobian_times": at.phi.ravel(), "jacobian_dot_times": at.drift.ravel()}
    return calls | dict.fromkeys(seen, (tree, (q, v))), expected | seen


def noticed(calls, expected):
    """Whether some result of the kernels, imported anew, is another one, or none."""
    old = [name for name in sys.modules if name.startswith("rbnotes.kernels") and name[-6:] != "_width"]
    for name in old:
        del sys.modules[name]
    try:
        compiled = import_module("rbnotes.kernels.compiled")
        for name, (of, args) in calls.items():
            with np.errstate(all="ignore"):
                found = np.concatenate(getattr(compiled.CompiledTree(of), name)(*args), axis=None)
            if not np.max(np.abs(found - expected[name])) <= AGREE * np.max(np.abs(expected[name])):
                return True
    except Exception:  # a break may do anything; then it is noticed
        return True
    return False


def main(stride):
    calls, expected = model()
    # Where results are not finite, the reference answers: not here.
    for name in (*calls, "motion"):
        if hasattr(trees, name):
            setattr(trees, name, None)
    changed = {}
    get_code = SourceFileLoader.get_code
    SourceFileLoader.get_code = lambda self, name: changed.get(name) or get_code(self, name)
    assert not noticed(calls, expected)
    count = 0
    for module in MODULES:
        source = (FOLDER / f"{module}.py").read_text()
        for function, *place in list(signs(source))[stride // 2 :: stride]:
            changed = {f"rbnotes.kernels.{module}": broken(source, tuple(place))}
            count += 1
            if not noticed(calls, expected):
                print(f"{module}.py, line {place[0]}, column {place[1]} to {place[2]}, in {function}")
    print(count)


if __name__ == "__main__":
    main(int(sys.argv[1]))
