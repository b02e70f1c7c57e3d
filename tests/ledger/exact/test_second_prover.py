"""Proofs are repeated in an arithmetic that does not use python-flint: a few each day, all in a deep run."""

import random
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import intervals
import mpmath
import numpy as np
import pytest
import rotation

from rbnotes import ledger
from rbnotes.ledger.evidence import find_evidence

TOOLS = Path(__file__).parents[3] / "tools"
NUM_GROUPS = 300
"""Groups of claims, by digest; one group is repeated each day."""
DIGITS = 110

arb, fmpq = intervals.arb, intervals.fmpq


def is_due(stored):
    return rotation.is_due(int(stored.digest, 16), NUM_GROUPS)


def run(script, *arguments):
    """Return the status and the output of a script that is run beside the tools."""
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(TOOLS)!r})\n{script}", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return done.returncode, done.stdout


ROTATION = "sueda/s1.3/e1.10#a"
"""A claim about the exponential of a rotation vector."""
MAIN = "import repeat_proofs; sys.exit(repeat_proofs.main())"


def test_proofs_are_repeated():
    stored = {record.id: find_evidence(record) for record in ledger.load()}
    due = [name for name, each in stored.items() if each.is_proof and is_due(each)]
    status, output = run(MAIN, *due, "sueda/s1.1/e1.2")
    assert status == 0, output


@pytest.mark.slow
def test_a_planted_error_in_either_arithmetic_is_detected():
    planted = """
import intervals
right = intervals.arb.sin
intervals.arb.sin = lambda self: right(self) + intervals.fmpq(1, 10**50)
"""
    status, output = run(planted + MAIN, ROTATION)
    assert status == 1
    assert "0 repeated; 1 contradicted" in output


@pytest.mark.slow
def test_a_proof_of_a_wrong_print_is_contradicted():
    planted = """
import copy
import repeat_proofs as tool
from rbnotes.ledger import Verdict
from rbnotes.ledger.exact.loader import exact_package

def prove_print(name, num_draws, seconds_for_symbols):
    with exact_package():
        from rbnotes.ledger import find
        record = copy.copy(find(name))
        object.__setattr__(record, "verdict", Verdict.HOLDS)
    return tool.prover.prove(record, num_draws)

tool.prover.prove_claim = prove_print
sys.exit(tool.main())
"""
    status, output = run(planted, "sueda/s1.9.6/e1.66")
    assert status == 1
    assert "contradicted" in output


FUNCTIONS = {
    "sin": mpmath.sin,
    "cos": mpmath.cos,
    "tan": mpmath.tan,
    "exp": mpmath.exp,
    "log": mpmath.log,
    "sqrt": mpmath.sqrt,
    "atan": mpmath.atan,
    "sinh": mpmath.sinh,
    "cosh": mpmath.cosh,
    "tanh": mpmath.tanh,
    "asinh": mpmath.asinh,
    "acos": mpmath.acos,
}


def holds(enclosure, number):
    """Return True if a narrow interval contains a number of mpmath."""
    lower, upper = (mpmath.mp.make_mpf(end) for end in enclosure.ends)
    margin = mpmath.mpf(10) ** -DIGITS
    return lower - margin <= number <= upper + margin and upper - lower < margin


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_enclose_their_values(name):
    with mpmath.workdps(DIGITS + 20):
        for numerator in (1, 17, 63, 99):
            result = getattr(arb(fmpq(numerator, 100)), name)()
            assert holds(result, FUNCTIONS[name](mpmath.mpf(numerator) / 100))


def test_arithmetic_of_fractions_is_that_of_python():
    draw = random.Random(0)
    for _ in range(50):
        a, b = (Fraction(draw.randint(-99, 99), draw.randint(1, 99)) for _ in range(2))
        x, y = (fmpq(*each.as_integer_ratio()) for each in (a, b))
        for actual, expected in ((x + y, a + b), (x - y, a - b), (x * y, a * b), (-x, -a), (abs(x), abs(a))):
            assert Fraction(actual.p, actual.q) == expected
        if b:
            assert Fraction((x / y).p, (x / y).q) == a / b
        assert (x < y, x <= y, x == y, x.floor()) == (a < b, a <= b, a == b, a.__floor__())
    with pytest.raises(ZeroDivisionError):
        fmpq(1) / fmpq(0)


def test_intervals_enclose_sums_products_and_powers():
    third, seventh = arb(1) / 3, arb(fmpq(1, 7))
    with mpmath.workdps(DIGITS + 20):
        a, b = mpmath.mpf(1) / 3, mpmath.mpf(1) / 7
        pairs = ((third - seventh, a - b), (third * seventh, a * b), (third**5, a**5), (1 - third, 1 - a))
        for actual, expected in (
            *pairs,
            (third**seventh, a**b),
            (seventh.atan2(-third), mpmath.atan2(b, -a)),
        ):
            assert holds(actual, expected)
        assert holds(arb.pi(), mpmath.pi)
    assert not third.is_exact()
    assert third < fmpq(34, 100)
    assert not third < fmpq(1, 3)
    assert third.contains(fmpq(1, 3))
    assert arb(-1).sqrt().is_nan()
    assert (third + arb("nan")).is_nan()


def test_linear_algebra_encloses_that_of_numpy():
    draw = np.random.default_rng(0)
    entries = draw.integers(-9, 9, (4, 4))
    symmetric = entries + entries.T
    for kind, number in ((intervals.fmpq_mat, fmpq), (intervals.arb_mat, arb)):
        M = kind(4, 4, [number(int(e)) for e in symmetric.flat])
        assert float(M.det()) == pytest.approx(np.linalg.det(symmetric))
        solution = M.solve(kind(4, 1, [M[i, 0] for i in range(4)]))
        assert [float(solution[i, 0]) for i in range(4)] == pytest.approx([1, 0, 0, 0])
    values, vectors = intervals.acb_mat(M).eig(right=True)
    assert sorted(map(float, values)) == pytest.approx(np.linalg.eigvalsh(symmetric))
    for j, value in enumerate(values):
        rest = [sum(int(symmetric[i, k]) * vectors[k, j] for k in range(4)) for i in range(4)]
        assert all((each - value * vectors[i, j]).contains(0) for i, each in enumerate(rest))
    M = intervals.fmpq_mat(4, 4, [fmpq(int(e)) for e in symmetric.flat])
    roots = intervals.fmpz_poly([int(c.p) for c in M.charpoly().coeffs()]).complex_roots()
    assert sorted(float(root) for root, _ in roots) == pytest.approx(np.linalg.eigvalsh(symmetric))


def test_exponential_of_a_matrix_is_a_rotation():
    angle = fmpq(7, 2)
    E = intervals.arb_mat(2, 2, [arb(0), -arb(angle), arb(angle), arb(0)]).exp()
    assert E[0, 0].overlaps(arb(angle).cos())
    assert E[1, 0].overlaps(arb(angle).sin())
    assert float(E[0, 0].rad()) < 1e-80


def test_quadrature_is_exact_for_polynomials():
    nodes = [arb.legendre_p_root(4, k, weight=True) for k in range(4)]
    assert nodes[0][0] > nodes[1][0]
    assert sum((weight * x**6 for x, weight in nodes), arb(0)).contains(fmpq(2, 7))
