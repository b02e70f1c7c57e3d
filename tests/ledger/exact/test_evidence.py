"""Right forms are proved, and planted wrong ones are found wrong, also where a tolerance hides them."""

import functools

import pytest
from exact_claims import claim, hat

from rbnotes.ledger.exact import evidence, stand_ins
from rbnotes.ledger.exact.loader import exact_package
from rbnotes.ledger.exact.numbers import decimal

np = stand_ins.numpy
prove = functools.partial(evidence.prove, seconds_for_symbols=0)
NUM_DRAWS = 3


def triple_product(a, b, c):
    return np.cross(a, np.cross(b, c))


def expanded_triple_product(a, b, c):
    return b * (a @ c) - c * (a @ b)


def rotate(w, v):
    angle = np.linalg.norm(w)
    u = w / angle
    return v * np.cos(angle) + np.cross(u, v) * np.sin(angle) + u * (u @ v) * (1 - np.cos(angle))


def rotate_by_exponential(w, v):
    from rbnotes.ledger.exact.scipy_stand_in import linalg

    return linalg.expm(hat(w)) @ v


def test_a_rational_identity_is_proved_exactly(some):
    inputs = {name: some.vectors() for name in "abc"}
    result = prove(claim(printed=triple_product, reference=expanded_triple_product, inputs=inputs))
    assert (result.kind, result.degree, result.num_draws) == ("exact", 3, NUM_DRAWS)
    assert 0 < result.bound < 1e-18


def test_a_transcendental_identity_is_enclosed(some):
    inputs = {"w": some.nonzero_vectors(), "v": some.vectors()}
    result = prove(claim(printed=rotate, reference=rotate_by_exponential, inputs=inputs))
    assert result.kind == "enclosed"
    assert result.digits > 40


def truncated_rotation(w, v):
    t = np.linalg.norm(w)
    sine, cosine = 1 - t**2 / 6 + t**4 / 120 - t**6 / 5040, 1 / 2 - t**2 / 24 + t**4 / 720
    W = hat(w)
    return v + sine * (W @ v) + cosine * (W @ W @ v)


def small(some):
    return some.rotation_vectors("small").filter(lambda w: bool(np.linalg.norm(w) > 1e-9))


PLANTED = {
    "a sign": lambda some: (
        lambda a, b, c: b * (a @ c) + c * (a @ b),
        triple_product,
        {name: some.vectors() for name in "abc"},
    ),
    "a series cut near zero": lambda some: (
        truncated_rotation,
        rotate_by_exponential,
        {"w": small(some), "v": some.vectors()},
    ),
    "a tuned constant": lambda some: (
        lambda w, v: rotate(w * 1.00012, v),
        rotate_by_exponential,
        {"w": some.nonzero_vectors(), "v": some.vectors()},
    ),
    "a difference far below a tolerance": lambda some: (
        lambda a: np.sqrt(a @ a) + 1e-30,
        np.linalg.norm,
        {"a": some.nonzero_vectors()},
    ),
    "a fraction of the result": lambda some: (
        lambda a, b: np.cross(a, b) * (1 + np.array(1e-25)),
        lambda a, b: hat(a) @ b,
        {"a": some.vectors(), "b": some.vectors()},
    ),
    "another shape": lambda some: (lambda a: a[:, None], lambda a: a, {"a": some.vectors()}),
}


@pytest.mark.parametrize("name", PLANTED)
def test_planted_wrong_forms_are_found_wrong(name, some):
    printed, reference, inputs = PLANTED[name](some)
    result = prove(claim(printed=printed, reference=reference, inputs=inputs))
    assert result.kind == "undecided", result
    assert "differs" in result.reason
    # As an erratum with the right library form, the print is proved wrong.
    erratum = claim("erratum", printed=printed, reference=reference, library=reference, inputs=inputs)
    result = prove(erratum)
    assert result.is_proof
    assert result.num_wrong == result.num_draws


def test_an_erratum_that_is_right_is_not_proved_wrong(some):
    inputs = {name: some.vectors() for name in "abc"}
    result = prove(
        claim(
            "erratum",
            printed=triple_product,
            library=expanded_triple_product,
            reference=expanded_triple_product,
            inputs=inputs,
        )
    )
    assert not result.is_proof
    assert "right on all inputs" in result.reason


def test_a_misprint_without_a_printed_form_is_compared_once_for_each_draw(some):
    inputs = {name: some.vectors() for name in "abc"}
    result = prove(
        claim(
            "misprint", printed=None, library=triple_product, reference=expanded_triple_product, inputs=inputs
        )
    )
    assert result.num_draws == NUM_DRAWS
    assert "KeyError" not in result.reason


def test_a_wrong_library_form_is_found_in_an_erratum(some):
    def wrong(a, b, c):
        return -expanded_triple_product(a, b, c)

    inputs = {name: some.vectors() for name in "abc"}
    result = prove(
        claim("erratum", printed=wrong, library=wrong, reference=expanded_triple_product, inputs=inputs)
    )
    assert result.kind == "undecided"


def test_conditional_claims_are_proved_on_both_sides(some):
    fields = {"printed": lambda A, B: A @ B, "reference": lambda A, B: B @ A}
    general = {"A": some.matrices(3, 3), "B": some.matrices(3, 3)}
    commuting = {"A": some.matrices(3, 3), "B": some.numbers().map(lambda s: s * np.eye(3))}
    result = prove(claim("conditional", inputs=general, condition_inputs=commuting, **fields))
    assert (result.kind, result.num_wrong) == ("exact", NUM_DRAWS)
    assert prove(claim("conditional", inputs=general, condition_inputs=general, **fields)).kind == "undecided"
    assert not prove(claim("conditional", inputs=commuting, condition_inputs=commuting, **fields)).is_proof


def solve_with_twice_the_row(scale):
    """Return a solve with a singular matrix, if the scales of both rows are exact multiples."""
    return lambda a: np.linalg.solve(np.array([np.sqrt(2) * a, np.sqrt(8) * a * scale]), np.ones(2))


def test_a_singular_matrix_proves_a_print_undefined(some):
    def twice_the_same_row(a):
        return np.linalg.solve(np.array([a, 2 * a]), np.ones(2))

    fields = {"reference": lambda a: a, "library": lambda a: a, "inputs": {"a": some.nonzero_vectors(2)}}
    result = prove(claim("erratum", **fields, printed=twice_the_same_row))
    assert (result.kind, result.num_wrong) == ("exact", NUM_DRAWS)
    result = prove(claim("erratum", **fields, printed=solve_with_twice_the_row(1)))
    assert (result.kind, result.num_wrong) == ("enclosed", NUM_DRAWS)
    rounded = 1 + 1e-15 / 3
    assert prove(claim("erratum", **fields, printed=solve_with_twice_the_row(rounded))).kind == "sampled"


def test_a_tolerance_decides_the_rank_of_balls(some):
    from rbnotes.ledger.exact.scipy_stand_in import linalg

    def dependent_rows(a, b):
        return np.array([np.sqrt(2) * a, np.sqrt(3) * b, np.sqrt(6) * a + np.sqrt(27) * b])

    def by_null_space(a, b):
        basis = linalg.null_space(dependent_rows(a, b), rcond=1e-9)
        return basis @ basis.T

    def by_least_squares(a, b):
        rows = dependent_rows(a, b)
        return np.eye(3) - np.linalg.lstsq(rows, rows, rcond=1e-9)[0]

    def by_normal(a, b):
        normal = np.cross(a, b)
        return np.outer(normal, normal) / (normal @ normal)

    def without_tolerance(a, b):
        basis = linalg.null_space(dependent_rows(a, b))
        return basis @ basis.T

    def off_by_one_part(a, b):
        return (1 + np.sqrt(2) * decimal("1e-30")) * by_normal(a, b)

    inputs = {"a": some.vectors(), "b": some.vectors()}
    for form in (by_null_space, by_least_squares):
        result = prove(claim(printed=form, reference=by_normal, inputs=inputs))
        assert result.kind == "enclosed"
        assert result.digits > 60
        assert prove(claim(printed=form, reference=off_by_one_part, inputs=inputs)).kind == "undecided"
    assert prove(claim(printed=without_tolerance, reference=by_normal, inputs=inputs)).kind == "sampled"


def test_complementarity_problems_are_solved_exactly(some):
    with exact_package():
        from rbnotes.complementarity import LCP, BoxLCP, block_principal_pivoting

    def free_and_bound(a):
        M = np.array([[a * a + 1, a], [a, 2]])
        return block_principal_pivoting(LCP(M, np.array([-1, 3]))).z

    def solved(a):
        return np.array([1 / (a * a + 1), 0])

    def at_both_bounds(a):
        M = np.array([[a, 0], [0, 2]])
        return block_principal_pivoting(BoxLCP(M, np.array([-9, -1]), -np.ones(2), np.ones(2))).z

    inputs = {"a": some.numbers(0.25, 2)}
    result = prove(claim(printed=free_and_bound, reference=solved, inputs=inputs))
    assert result.is_proof
    result = prove(
        claim(printed=at_both_bounds, reference=lambda a: np.array([1, 1 / 2]) + 0 * a, inputs=inputs)
    )
    assert result.is_proof


def test_taint_is_never_forgiven(some):
    def rounded(a):
        return np.asarray([float(f"{float(x):.17g}") for x in a])

    result = prove(claim(printed=rounded, reference=rounded, inputs={"a": some.vectors()}))
    assert result.kind == "sampled"
    assert "rounded" in result.reason


def test_an_undecided_comparison_is_no_proof(some):
    def form(a):
        root = np.sqrt(a @ a + 1)
        return root if root**2 == a @ a + 1 else -root

    result = prove(claim(printed=form, reference=form, inputs={"a": some.vectors()}))
    assert result.kind == "sampled"
    assert "undecided" in result.reason


def test_an_undecided_comparison_is_proved_for_both_outcomes(some):
    def root(a):
        return np.sqrt(a @ a + 1)

    def absolute(a):
        difference = root(a) ** 2 - (a @ a + 1)
        return root(a) + (difference if difference > 0 else -difference)

    def chain(a):
        return sum(absolute(a) for _ in range(50)) / 50

    inputs = {"a": some.vectors()}
    assert prove(claim(printed=absolute, reference=root, inputs=inputs)).kind == "enclosed"
    assert prove(claim(printed=lambda a: -absolute(a), reference=root, inputs=inputs)).kind == "undecided"
    result = prove(claim(printed=chain, reference=root, inputs=inputs))
    assert not result.is_proof
    assert "undecided comparisons" in result.reason


def test_a_declared_approximation_is_no_proof_and_no_contradiction(some):
    def approximate(a):
        return np.linalg.norm(a) + 1e-12

    fields = {"printed": approximate, "reference": np.linalg.norm, "inputs": {"a": some.nonzero_vectors()}}
    assert prove(claim(**fields)).kind == "undecided"
    result = prove(claim(**fields, tolerance_reason="a difference", tolerance=1e-11))
    assert (result.kind, result.reason) == ("sampled", "the printed form is an approximation: a difference")
    assert prove(claim(**fields, tolerance_reason="a difference", tolerance=1e-13)).kind == "undecided"


def test_a_wrong_form_is_tried_on_more_inputs_until_it_fails(some):
    def seldom_wrong(a):
        return abs(a) if a > -1.5 else 2 * a

    fields = {"printed": seldom_wrong, "library": abs, "reference": abs, "inputs": {"a": some.numbers()}}
    result = prove(claim("erratum", **fields))
    assert result.is_proof
    assert 0 < result.num_wrong < result.num_draws


def test_inputs_of_one_value_are_not_moved(some):
    fields = {"printed": lambda a: a, "reference": lambda a: 0 * a}
    assert prove(claim(**fields, inputs={"a": some.vectors(3, 0, 0)})).is_proof


def test_caches_keyed_by_bytes_keep_exact_numbers(some):
    @functools.lru_cache
    def squares(key):
        return np.frombuffer(key) ** 2

    fields = {"printed": lambda a: squares(np.sqrt(a).tobytes()), "reference": lambda a: a}
    result = prove(claim(**fields, inputs={"a": some.vectors(3, 0.5, 2.0)}))
    assert result.kind == "enclosed"


def test_a_slow_form_is_stopped(some, monkeypatch):
    monkeypatch.setattr(evidence, "SECONDS_PER_EVALUATION", 0.2)

    def slow(a):
        while True:
            a = a + 1

    result = prove(claim(printed=slow, reference=slow, inputs={"a": some.vectors()}))
    assert result.kind == "sampled"
    assert "TimeLimitExceeded" in result.reason


def test_the_largest_of_equal_numbers_needs_no_comparison(some):
    from rbnotes.ledger.exact.stand_ins import BUILTINS

    def largest(a):
        return BUILTINS["max"]([np.sqrt(a @ a + 1) ** 2, a @ a + 1] * 20)

    result = prove(claim(printed=largest, reference=lambda a: a @ a + 1, inputs={"a": some.vectors()}))
    assert result.kind == "enclosed"
    assert BUILTINS["min"]([1, 2], default=3) == 1
    assert BUILTINS["max"]([], default=3) == 3
    assert BUILTINS["max"]("ab", "c", key=len) == "ab"
