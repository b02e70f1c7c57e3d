"""The exact copy of the package runs its own modules, and leaves the normal one alone."""

import importlib.util
import subprocess
import sys

import numpy as np
import pytest

from rbnotes import so3
from rbnotes.ledger.exact import loader
from rbnotes.ledger.exact.arrays import ExactArray, to_exact
from rbnotes.ledger.exact.loader import exact_package
from rbnotes.ledger.exact.numbers import rational


@pytest.fixture(scope="module")
def exact_so3():
    with exact_package():
        from rbnotes import so3

        return so3


def test_functions_of_the_library_are_exact(exact_so3):
    w = to_exact(np.array([0.5, -0.25, 1.0]))
    R = exact_so3.exp(w)
    assert isinstance(R, ExactArray)
    np.testing.assert_allclose(R.view(np.ndarray).astype(float), so3.exp([0.5, -0.25, 1.0]), atol=1e-15)
    error = exact_so3.log(R) - w
    assert max(abs(float(each)) for each in error.view(np.ndarray)) < 1e-80


def test_the_normal_package_is_unaffected(exact_so3):
    assert exact_so3 is not so3
    assert type(so3.exp([0.1, 0.2, 0.3])) is np.ndarray
    assert sys.modules["rbnotes.so3"] is so3


SOURCE = """
import numpy as np
from math import sqrt

def form(n):
    return n / 3 + 0.1 + np.sum(np.full(2, 1 / 3)) + sqrt(4)
"""


def test_literals_and_divisions_are_exact(tmp_path):
    path = tmp_path / "form.py"
    path.write_text(SOURCE, encoding="utf-8")
    spec = importlib.util.spec_from_loader("form", loader.ExactLoader("form", str(path)))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.form(1) == rational(31, 10)


def test_importing_the_package_loads_no_exact_arithmetic():
    code = (
        "import sys, rbnotes.ledger; "
        "print([name for name in sys.modules if 'flint' in name or 'ledger.exact' in name])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"
