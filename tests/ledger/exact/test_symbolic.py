"""Identities of rational functions are proved on symbols; false ones, and branches on symbols, are not."""

import functools

import pytest
from exact_claims import claim, hat

from rbnotes.ledger.exact import evidence, stand_ins
from rbnotes.ledger.exact.evidence import prove
from rbnotes.ledger.exact.expressions import NotExact
from rbnotes.ledger.exact.loader import exact_package
from rbnotes.ledger.exact.symbolic import is_identity

np = stand_ins.numpy
FIRST, LAST = -8, 9


def draw(inputs):
    with exact_package():
        return evidence._draws(claim(), inputs, 1)[0]


def zero_at_many_points(a):
    """Return a polynomial that vanishes at all integers and halves between two bounds."""
    return functools.reduce(lambda p, i: p * (2 * a - i), range(2 * FIRST, 2 * LAST + 1), 1 + 0 * a)


def test_identities_of_vectors_are_proved(some):
    inputs = {name: some.vectors() for name in "abc"}
    result = prove(
        claim(
            printed=lambda a, b, c: np.cross(a, np.cross(b, c)),
            reference=lambda a, b, c: b * (a @ c) - c * (a @ b),
            inputs=inputs,
        )
    )
    assert (result.kind, result.degree, result.num_draws) == ("symbolic", 3, 3)
    assert str(result).startswith("symbolic for all inputs, and exact of degree 3")


def test_identities_of_rotations_poses_and_unit_vectors_are_proved(some):
    inputs = {"R": some.rotations(), "v": some.vectors(), "u": some.unit_vectors(), "E": some.frames()}

    def rotated(R, v, u, E):
        return np.concatenate([(R @ hat(v) @ R.T).ravel(), [u @ u], (np.linalg.inv(E) @ E)[0]])

    def expected(R, v, u, E):
        return np.concatenate([hat(R @ v).ravel(), [1], [1, 0, 0, 0]])

    assert is_identity(rotated, expected, draw(inputs))
    assert not is_identity(lambda *args: rotated(*args) * 2, expected, draw(inputs))


def test_identities_of_angles_are_proved(some):
    inputs = {"a": some.numbers(), "b": some.numbers()}
    assert is_identity(
        lambda a, b: np.sin(a + b / 2),
        lambda a, b: np.sin(a) * np.cos(b / 2) + np.cos(a) * np.sin(b / 2),
        draw(inputs),
    )
    assert not is_identity(lambda a, b: np.sin(a - b), lambda a, b: np.sin(a + b), draw(inputs))
    assert not is_identity(lambda a, b: np.sin(a), lambda a, b: a, draw(inputs))
    with pytest.raises(NotExact):
        is_identity(lambda a, b: np.sin(a * b), lambda a, b: np.sin(b * a), draw(inputs))


def test_a_false_identity_that_holds_at_many_points_is_not_proved(some):
    inputs = {"a": some.numbers()}

    def planted(a):
        return a + zero_at_many_points(a)

    points = [np.array(float(i) / 2) for i in range(2 * FIRST, 2 * LAST + 1)]
    assert all(planted(a) == a for a in points)
    assert not is_identity(planted, lambda a: a, draw(inputs))
    assert prove(claim(printed=planted, reference=lambda a: a, inputs=inputs)).kind == "undecided"


BRANCHES = {
    "absolute value": abs,
    "maximum": lambda a: np.maximum(a, -a),
    "comparison": lambda a: a if a > 0 else -a,
    "root": lambda a: np.sqrt(a * a),
    "rounded": lambda a: float(a) * 1.0,
    "sorted": lambda a: np.sort(np.array([a, -a]))[1],
}


@pytest.mark.parametrize("name", BRANCHES)
def test_branches_on_symbols_are_refused(some, name):
    values = draw({"a": some.numbers(0.5, 1.5)})  # here each of these functions is the identity
    with pytest.raises((NotExact, TypeError)):
        is_identity(BRANCHES[name], lambda a: a, values)


def test_swallowed_refusals_are_refused(some):
    def swallow(a):
        try:
            return a if a > 0 else -a
        except ArithmeticError:
            return a

    with pytest.raises(NotExact, match="rational function"):
        is_identity(swallow, lambda a: a, draw({"a": some.numbers()}))


def test_wrong_prints_are_proved_with_the_right_form(some):
    inputs = {"A": some.matrices(3, 3), "B": some.matrices(3, 3)}
    fields = {"reference": lambda A, B: (A @ B).T, "library": lambda A, B: B.T @ A.T, "inputs": inputs}
    result = prove(claim("erratum", printed=lambda A, B: A.T @ B.T, **fields))
    assert (result.kind, result.num_wrong) == ("symbolic", 3)
    fields["library"] = lambda A, B: A.T @ B.T
    assert prove(claim("erratum", printed=lambda A, B: A.T @ B.T, **fields)).kind == "undecided"
