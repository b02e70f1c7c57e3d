"""Pytest plugin that measures how near each numerical comparison of the tests is to failing.

It measures `np.testing.assert_allclose`, `np.allclose` in a test, `pytest.approx`, and bare assertions whose
bound is written as a number: `a < 1e-12`, `a <= 1e-12 * b`, `a <= b + 1e-12`, `a > -1e-12`. It does not
measure bounds that are variables, `np.all(a < b)`, comparisons that a helper outside the test's file makes
with a bare assertion, and branches such as `if a < 1e-12`.
"""

from __future__ import annotations

import ast
import json
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from _pytest.assertion import rewrite

TESTS = str(Path(__file__).parents[1] / "tests")

worst: dict[str, tuple[float, float]] = {}
"""For each place of each test: residual and tolerance of the comparison that came nearest, in units of the
number compared with, so that the size of a tolerance says whether it is about rounding."""


def note(location: str, residual: float, tolerance: float) -> None:
    """Keep the comparison if it has the smallest margin at its place; the test reports failures."""
    if not (0 <= residual <= tolerance and 0 < tolerance < np.inf):
        return
    test = os.environ.get("PYTEST_CURRENT_TEST", "import").rpartition(" (")[0]
    key = f"{test} {location}"
    if key not in worst or residual / tolerance > worst[key][0] / worst[key][1]:
        worst[key] = residual, tolerance


def caller() -> str:
    """Return the line of a test file that makes a comparison, or ""."""
    frame: Any = sys._getframe(2)
    while frame is not None and not frame.f_code.co_filename.startswith(TESTS):
        if "rbnotes" in frame.f_globals.get("__name__", "").split("."):
            return ""  # the library's own decision
        frame = frame.f_back
    return f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno}" if frame is not None else ""


def compare(actual: Any, desired: Any, rtol: float, atol: float) -> None:
    location = caller()
    if not location:
        return
    try:
        actual, desired = np.broadcast_arrays(np.asarray(actual, float), np.asarray(desired, float))
    except (TypeError, ValueError):
        return
    finite = np.isfinite(actual) & np.isfinite(desired)
    actual, desired = actual[finite], desired[finite]
    size = np.abs(desired)
    unit = np.where(rtol * size > atol, size, np.maximum(1.0, size)) + np.finfo(float).tiny
    residual, tolerance = np.abs(actual - desired) / unit, (atol + rtol * size) / unit
    used = tolerance > 0
    if np.any(used):
        nearest = np.argmax(residual[used] / tolerance[used])
        note(location, float(residual[used][nearest]), float(tolerance[used][nearest]))


def observe_numpy() -> None:
    checked, allclose = np.testing.assert_allclose, np.allclose

    def assert_allclose(actual: Any, desired: Any, rtol: float = 1e-7, atol: float = 0, **more: Any) -> None:
        checked(actual, desired, rtol=rtol, atol=atol, **more)
        compare(actual, desired, rtol, atol)

    def is_allclose(a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8, **more: Any) -> bool:
        close = allclose(a, b, rtol=rtol, atol=atol, **more)
        if close:
            compare(a, b, rtol, atol)
        return close

    # The replaced functions have overloads, the replacements have one signature.
    np.testing.assert_allclose, np.allclose = assert_allclose, is_allclose  # type: ignore[assignment]


def observe_approx() -> None:
    scalar = type(pytest.approx(1.0))
    equal = scalar.__eq__

    def observed(self: Any, actual: Any) -> bool:
        same = equal(self, actual)
        if same and isinstance(actual, int | float | np.number):
            compare(actual, self.expected, 0.0, self.tolerance)
        return same

    # The method is replaced on purpose.
    scalar.__eq__ = observed  # type: ignore[method-assign]


def only_in_tests() -> None:
    """Restrict pytest's assertion hook to test files; it would see those of Hypothesis, too."""
    prepare = rewrite.AssertionRewriter.__init__

    def prepared(self: Any, module_path: str | None, *more: Any) -> None:
        prepare(self, module_path, *more)
        self.enable_assertion_pass_hook &= str(module_path).startswith(TESTS)

    # The method is replaced on purpose.
    rewrite.AssertionRewriter.__init__ = prepared  # type: ignore[method-assign, assignment]


observe_numpy()
observe_approx()
only_in_tests()


def pytest_assertion_pass(item: pytest.Item, lineno: int, orig: str, expl: str) -> None:
    bound = residual_and_tolerance(orig, expl.split("\n")[0])
    if bound is not None:
        note(f"{item.path.name}:{lineno}", *bound)


def residual_and_tolerance(source: str, explained: str) -> tuple[float, float] | None:
    """Return residual and tolerance of an assertion, from its source and pytest's explanation."""
    text, values = (_comparison(code) for code in (source, explained))
    if text is None or values is None:
        return None
    (low, high), (low_value, high_value) = text, values
    try:
        if written := _number(high):
            residual, tolerance = _evaluate(low_value), _evaluate(high_value)
        elif written := -_number(low):
            residual, tolerance = -_evaluate(high_value), -_evaluate(low_value)
        elif isinstance(high, ast.BinOp) and isinstance(high.op, ast.Add) and _number(high.right):
            written = _number(high.right)
            assert isinstance(high_value, ast.BinOp)
            tolerance = _evaluate(high_value.right)
            residual = max(0.0, _evaluate(low_value) - _evaluate(high_value.left))
        else:
            return None
    except (AssertionError, ValueError, ZeroDivisionError, OverflowError):
        return None
    if not (written > 0 and 0 < tolerance < np.inf):
        return None
    return residual * written / tolerance, written


def _comparison(code: str) -> tuple[ast.expr, ast.expr] | None:
    """Return the smaller and the larger side of a comparison such as `a < b` or `b > a`."""
    try:
        tree = ast.parse(code.strip(), mode="eval").body
    except SyntaxError:
        return None
    if not isinstance(tree, ast.Compare) or len(tree.ops) != 1:
        return None
    if isinstance(tree.ops[0], ast.Lt | ast.LtE):
        return tree.left, tree.comparators[0]
    if isinstance(tree.ops[0], ast.Gt | ast.GtE):
        return tree.comparators[0], tree.left
    return None


def _number(node: ast.expr) -> float:
    """Return the small number, alone or as a factor, that makes a bound a tolerance; 0 for other bounds."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_number(node.operand)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        return _number(node.left) or _number(node.right)
    if isinstance(node, ast.Constant) and isinstance(node.value, float) and 0 < node.value < 0.1:
        return node.value
    return 0.0


def _evaluate(node: ast.expr) -> float:
    """Return the number that pytest printed, such as `np.float64(1e-16)` or `(1e-12 * 3.0)`."""
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return float(node.value)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_evaluate(node.operand)
    if isinstance(node, ast.Call) and len(node.args) == 1 and not node.keywords:
        if isinstance(node.func, ast.Attribute):
            return _evaluate(node.args[0])  # np.float64(...)
        if isinstance(node.func, ast.Name) and node.func.id == "abs":
            return abs(_evaluate(node.args[0]))
    if isinstance(node, ast.BinOp):
        left, right = _evaluate(node.left), _evaluate(node.right)
        match node.op:
            case ast.Add():
                return left + right
            case ast.Sub():
                return left - right
            case ast.Mult():
                return left * right
            case ast.Div():
                return left / right
            case ast.Pow():
                return float(left**right)
    raise ValueError(ast.dump(node))


def pytest_sessionfinish() -> None:
    folder = os.environ.get("MARGINS")
    if folder and worst:
        Path(folder, f"{os.getpid()}.json").write_text(json.dumps(worst), encoding="utf-8")
