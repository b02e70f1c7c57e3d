"""An oracle that forms the same products as the print restates it: print, library and oracle share an error.

Both run on exact numbers that record each product by its size, so that names, loops, einsum, helpers, signs,
and the order of sums and factors make no difference.
"""

import tomllib
import zlib
from collections import Counter
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import rotation
from flint import fmpq

from rbnotes import ledger
from rbnotes.ledger.exact.evidence import _draws, evaluate
from rbnotes.ledger.exact.loader import exact_package
from rbnotes.ledger.exact.numbers import Exact, convert
from rbnotes.ledger.record import NEEDS_CORRECTION

MIN_PRODUCTS = 4
"""Forms with fewer products can agree by chance."""
MAX_RATIO = 4
"""Largest ratio of the operations of two forms with the same products, in other orders."""
MAX_COUNT = 20_000
"""Operations of the longest print that is compared."""
NUM_GROUPS = 30
"""Groups of records; one is tried each day."""
INDEPENDENT = tomllib.loads(Path(__file__).with_name("same_products.toml").read_text("utf-8"))
"""Records whose oracle forms the products of the print, with what makes it independent."""
TRIVIAL = {fmpq(0), fmpq(1), fmpq(2), fmpq(1, 2)}


class Products:
    """Products and quotients of two numbers that are no factors of other products.

    Hence ``(a b) c`` and ``a (b c)`` are one product. Factors 0, 1, 2 and 1/2 with either sign do not count.
    """

    def __init__(self, max_count):
        self.by_number = {}  # with the number, which keeps its identity unique
        self.factors = {}
        self.count = 0
        self.max_count = max_count

    def add(self, a, b, result):
        self.count += 1
        if self.count > self.max_count:  # an exception within a function of NumPy can end the process
            return
        if is_trivial(a) or is_trivial(b):
            self.replace(a, result)
            self.replace(b, result)
            return
        for factor in (a, b):
            if id(factor) in self.by_number:
                self.factors[id(factor)] = self.by_number.pop(id(factor))
        self.by_number[id(result)] = result

    def replace(self, number, result):
        """Let a result stand for the product from which it differs by a sign or a trivial factor."""
        if id(number) in self.by_number:
            self.factors[id(number)] = self.by_number.pop(id(number))
            self.by_number[id(result)] = result

    def sizes(self):
        return Counter(size_of(each) for each in self.by_number.values())


@contextmanager
def recorded_products(max_count):
    """Record the products of exact numbers in at most so many operations; others are counted."""
    products = Products(max_count)
    names = "__mul__", "__rmul__", "__truediv__", "__rtruediv__", "__add__", "__radd__", "__neg__"
    originals = {name: getattr(Exact, name) for name in names}

    def recording(name):
        def record(a, *others):
            result = originals[name](a, *others)
            if isinstance(result, Exact):
                record_operation(name, [a, *map(convert, others)], result)
            return result

        return record

    def record_operation(name, operands, result):
        if "mul" in name or "div" in name:
            products.add(*operands, result)
        elif "neg" in name or any(each.value == 0 for each in operands if is_trivial(each)):
            for each in operands:
                products.replace(each, result)

    for name in names:
        setattr(Exact, name, recording(name))
    try:
        yield products
    finally:
        for name, operation in originals.items():
            setattr(Exact, name, operation)


def is_trivial(number):
    return isinstance(number, Exact) and isinstance(number.value, fmpq) and abs(number.value) in TRIVIAL


def size_of(number):
    size = abs(number.value)
    return size if isinstance(size, fmpq) else size.mid().str(25, radius=False)


def products_of(form, values, max_count):
    """Return the sizes of the products of a form and the number of its operations; no sizes if it fails."""
    with recorded_products(max_count) as products:
        results = evaluate(form, values)
    failed = products.count > max_count or any(each.numbers is None for each in results)
    return Counter() if failed else products.sizes(), products.count


def restates(record):
    """Return True if the oracle forms the same products as the print, each as often.

    Prints with more operations than `MAX_COUNT` are not compared.
    """
    with exact_package():
        (values,) = _draws(record, record.allowed_inputs, 1)
        products, count = products_of(record.printed, values, MAX_COUNT)
        if len(products) < MIN_PRODUCTS:
            return False
        return products == products_of(record.reference, values, MAX_RATIO * count)[0]


def exact_record(name):
    with exact_package():
        from rbnotes.ledger import find

        return find(name)


COMPARABLE = [
    each.id
    for each in ledger.load()
    if each.printed and each.reference and each.inputs and not each.exact
    if each.verdict not in NEEDS_CORRECTION  # a print that its oracle refutes
]


def test_oracles_do_not_restate_the_print():
    due = [name for name in COMPARABLE if rotation.is_due(zlib.crc32(name.encode()), NUM_GROUPS)]
    restated = {name for name in due if restates(exact_record(name))}
    assert restated == {name for name in due if name in INDEPENDENT}


def test_listed_records_exist_and_have_reasons():
    assert set(INDEPENDENT) <= set(COMPARABLE)
    assert all(INDEPENDENT.values())


# --- Planted: print, library and oracle state one wrong form of the stiffness of a spring, k = 3 and r = 1/2


def direction(x):
    length = np.sqrt((x[1] - x[0]) @ (x[1] - x[0]))
    return (x[1] - x[0]) / length, length


def without_geometric_term(x, v):
    u, _ = direction(x)
    return -3 * np.outer(u, u)


def without_geometric_term_by_loops(x, v):
    u, _ = direction(x)
    return np.array([[-(3 * u[i] * u[j]) for i in range(3)] for j in range(3)])


def outer(a, b):
    return np.einsum("i,j->ij", a, b)


def without_geometric_term_by_einsum(x, v):
    u, _ = direction(x)
    return outer(u, u) * (-3)


def with_flipped_sign(x, v):
    u, length = direction(x)
    tension = 3 * (length - 0.5)
    return -3 * np.outer(u, u) + tension / length * (np.eye(3) - np.outer(u, u))


def with_flipped_sign_by_entries(x, v):
    u, length = direction(x)
    uu = [[u[i] * u[j] for j in range(3)] for i in range(3)]
    scale = 3 * (length - 0.5) / length
    return np.array([[scale * ((i == j) - u[i] * u[j]) - 3 * uu[i][j] for j in range(3)] for i in range(3)])


def crossed_twice(x, v):
    return np.cross(x[0], np.cross(v[0], v[1]))


def crossed_twice_by_components(x, v):
    a, b, c = x[0], v[0], v[1]
    d = [b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2], b[0] * c[1] - b[1] * c[0]]
    return np.array([a[1] * d[2] - a[2] * d[1], a[2] * d[0] - a[0] * d[2], a[0] * d[1] - a[1] * d[0]])


def differentiated_tension(x, v):
    """Differentiate the tension by central differences: the wrong premise by another route."""
    columns = []
    for step in np.eye(3) / 1024:
        ends = [direction(np.array([x[0] + sign * step, x[1]]))[1] for sign in (1, -1)]
        columns.append(3 * (ends[0] - ends[1]) * 512)
    return np.outer(direction(x)[0], columns)


@pytest.mark.parametrize(
    ("printed", "reference"),
    [
        (without_geometric_term, without_geometric_term_by_loops),
        (without_geometric_term, without_geometric_term_by_einsum),
        (with_flipped_sign, with_flipped_sign_by_entries),
        (with_flipped_sign_by_entries, with_flipped_sign),
        (crossed_twice, crossed_twice_by_components),
    ],
)
def test_a_restated_print_is_noticed(printed, reference):
    record = exact_record("lloyd/s0.12/d7#d")
    assert not restates(record)
    assert restates(replace(record, printed=printed, reference=reference))


def test_a_wrong_premise_by_another_route_is_not_noticed():
    record = exact_record("lloyd/s0.12/d7#d")
    assert not restates(replace(record, printed=without_geometric_term, reference=differentiated_tension))
