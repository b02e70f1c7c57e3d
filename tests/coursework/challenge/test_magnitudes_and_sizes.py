"""Functions that are wrong for arguments of some magnitudes or sizes only, and what a pass says of them."""

import numpy as np
import pytest

from rbnotes import challenge, ledger
from rbnotes.coursework.challenge.calls import NUM_REPEATED_INPUTS
from rbnotes.coursework.challenge.case_generation import (
    iterate_angle_cases,
    iterate_cases,
    iterate_scaled_cases,
    iterate_size_cases,
    right_forms,
)
from rbnotes.coursework.challenge.runner import FIRST_BATCH_SIZE, FULL_COVERAGE_EXAMPLES
from rbnotes.coursework.challenge.structured_inputs import is_scalable

EXAMPLES = FULL_COVERAGE_EXAMPLES
CALLS_OF_REPEATED_INPUTS = 4
"""Calls besides the first one: at once, with strided arrays, with perturbed numbers, and at the end."""
STEP, PROGRAM, FORCE = "lloyd/s0.9.1/d1#a", "lloyd/s0.3/d3#b", "lloyd/s0.5/t106"
PIVOT, PATH = "lloyd/s0.8/e0.4#b", "lloyd/s0.14/d1"
ANY_SIZE = [record for record in ledger.load() if record.any_size and record.reference is not None]


def planted(id, is_affected, wrong_result):
    """Return the right form with wrong results for some arguments."""
    form = right_forms(ledger.find(id))[0]

    def function(*values):
        return wrong_result(*values) if is_affected(*values) else form(*values)

    return function


@pytest.mark.slow
@pytest.mark.parametrize(
    ("id", "is_affected", "wrong_result"),
    [
        (STEP, lambda M, f, K, D, x, v, h: h < 1e-4, lambda M, f, K, D, x, v, h: np.append(x, v)),
        (STEP, lambda M, *_: np.max(M) < 1e-4, lambda M, f, K, D, x, v, h: np.append(x, v)),
        (PROGRAM, lambda Q, c, A, b: len(c) > 3, lambda Q, c, A, b: np.zeros(len(b))),
        (PROGRAM, lambda Q, c, A, b: len(c) < 3, lambda Q, c, A, b: np.zeros(len(b))),
        (
            FORCE,
            lambda M, G, f: len(G) > 2,
            lambda M, G, f: right_forms(ledger.find(FORCE))[0](M, G[:2], f),
        ),
        (STEP, lambda M, f, K, D, x, v, h: len(x) > 4, lambda M, f, K, D, x, v, h: np.append(x, v)),
        (PIVOT, lambda M, q, alpha: len(q) > 4, lambda M, q, alpha: -q),
        (PATH, lambda x, *_: len(x) != 4, lambda x, *_: 0 * x),
        ("sueda/s1.1/t29#a", lambda r: abs(np.linalg.norm(r) - 2 * np.pi) < 1e-3, lambda r: np.eye(3)),
        (
            "lloyd/s0.19/e0.36",
            lambda *values: max(map(np.max, map(np.abs, values))) > 10,
            lambda *_: -np.eye(4),
        ),
    ],
    ids=[
        *("step size", "mass", "more unknowns", "fewer unknowns", "rows", "more coordinates"),
        *("more contacts", "other points", "full turn", "fast rotation"),
    ],
)
def test_functions_wrong_in_one_range_fail(id, is_affected, wrong_result):
    result = challenge(id, planted(id, is_affected, wrong_result), examples=EXAMPLES)
    assert not result
    assert is_affected(*result.counterexample.values())


@pytest.mark.slow
@pytest.mark.parametrize("id", [STEP, FORCE, PROGRAM])
def test_a_pass_states_the_regions(id):
    result = challenge(id, right_forms(ledger.find(id))[0], examples=EXAMPLES)
    assert result
    assert sum(result.cases_by_region.values()) == result.examples
    count = result.cases_by_region["rescaled"]
    assert count > 20
    # That many cases all miss a fault on this part of the region in one run of twenty.
    assert (1 - result.smallest_noticed_part("rescaled")) ** count == pytest.approx(0.05)
    assert f"rescaled {result.smallest_noticed_part('rescaled'):.0%}" in " ".join(str(result).split())


def test_only_the_first_inputs_of_two_batches_are_repeated():
    form, num_calls = right_forms(ledger.find(PROGRAM))[0], 0

    def counted(*values):
        nonlocal num_calls
        num_calls += 1
        return form(*values)

    result = challenge(PROGRAM, counted, examples=EXAMPLES)
    assert result.examples > 2 * FIRST_BATCH_SIZE
    assert num_calls == result.examples + 2 * NUM_REPEATED_INPUTS * CALLS_OF_REPEATED_INPUTS


@pytest.mark.slow
def test_the_closest_angle_is_stated():
    id = "sueda/s1.3/e1.10#a"
    result = challenge(id, right_forms(ledger.find(id))[0], examples=EXAMPLES)
    assert 0 < result.nearest_special_angle < 1e-7
    assert "quarter turns" in str(result)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("id", "argument", "special_angle", "sides"),
    [("sueda/s1.3/e1.10#f", "phi", np.pi, (-1,)), ("sueda/s2.4.8/t972#d", "q", 2 * np.pi, (-1, 1))],
)
def test_angles_close_to_the_limits_of_the_inputs_are_tried(id, argument, special_angle, sides):
    """Filters accept these angles and reject others, which once ended the search."""
    offsets = [
        np.linalg.norm(case.inputs[argument][:3]) - special_angle
        for case in iterate_angle_cases(ledger.find(id), seed=0)
    ]
    for decade in range(2, 7):
        for side in sides:
            assert np.isclose(offsets, side * 10.0**-decade, rtol=1e-6, atol=0).any(), (decade, side)


def test_arguments_of_all_magnitudes_are_tried():
    sizes = [case.inputs["h"] for case in iterate_scaled_cases(ledger.find(STEP), seed=0)]
    assert min(sizes) < 1e-4
    assert max(sizes) > 100


@pytest.mark.slow
@pytest.mark.parametrize(("id", "argument"), [("lloyd/s0.17/e0.23", "M"), ("lloyd/s0.21/d1", "R")])
def test_magnitudes_at_which_right_forms_lose_digits_on_some_inputs_are_tried(id, argument):
    claim = ledger.find(id)
    for seed in (1, 2, 52):
        cases = iterate_scaled_cases(claim, seed=seed)
        sizes = np.array([np.max(np.abs(case.inputs[argument])) for case in cases])
        usual = np.median(sizes)
        assert np.count_nonzero(sizes < 5e-5 * usual) >= 2
        assert np.count_nonzero(sizes < 5e-4 * usual) >= 4


def test_arrays_of_other_sizes_fit_each_other():
    shapes = set()
    for case in iterate_size_cases(ledger.find(FORCE), seed=0):
        M, G, f = case.inputs.values()
        assert M.shape == (len(f), len(f))
        assert G.shape[1] == len(f)
        np.testing.assert_allclose(M, M.T)
        assert np.linalg.eigvalsh(M)[0] > 0
        shapes.add(G.shape)
    assert {(3, 4), (2, 5)} <= shapes
    assert len(shapes) > 4


def test_most_claims_about_systems_of_any_size_say_so():
    assert len(ANY_SIZE) >= 140


@pytest.mark.slow
@pytest.mark.parametrize("record", ANY_SIZE, ids=lambda record: record.id)
def test_claims_of_any_size_have_cases_of_other_sizes(record):
    """Oracle and right forms agree on more entries than usual, and on fewer unless there is one row."""
    usual = next(iterate_cases(record, seed=0, examples=1)).inputs
    changes = {
        np.sign(np.size(value) - np.size(usual[name]))
        for case in iterate_size_cases(record, seed=0)
        for name, value in case.inputs.items()
    }
    assert 1 in changes
    assert -1 in changes or any(np.shape(value)[:1] == (1,) for value in usual.values())


@pytest.mark.slow
def test_a_stride_leaves_all_arguments_both_sides_of_angles_and_several_sizes():
    claim = ledger.find(STEP)
    scaled = list(iterate_scaled_cases(claim, seed=0, stride=3))
    assert len(scaled) == pytest.approx(len(list(iterate_scaled_cases(claim, seed=0))) / 3, abs=2)
    for name in claim.inputs:
        sizes = [np.linalg.norm(case.inputs[name]) for case in scaled]
        assert max(sizes) > 30 * np.median(sizes) > 900 * min(sizes), name
    angles = [
        case.angle for case in iterate_angle_cases(ledger.find("sueda/s2.4.8/t972#d"), seed=0, stride=3)
    ]
    offsets = np.array(angles) - 2 * np.pi
    assert offsets[np.abs(offsets) < 0.2].min() < 0 < offsets[np.abs(offsets) < 0.2].max()
    shapes = {case.inputs["G"].shape for case in iterate_size_cases(ledger.find(FORCE), seed=0, stride=3)}
    assert len(shapes) > 4


@pytest.mark.slow
def test_few_examples_try_a_part_of_the_directed_cases():
    form = right_forms(ledger.find(PROGRAM))[0]
    counts = {
        examples: challenge(PROGRAM, form, examples=examples).cases_by_region["rescaled"]
        for examples in (20, 30, EXAMPLES)
    }
    assert 3 * counts[30] == counts[EXAMPLES]
    assert counts[20] < counts[30]


def test_only_arrays_without_fixed_lengths_are_rescaled():
    rng = np.random.default_rng(0)
    vectors = rng.standard_normal((8, 3))
    directions = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    poses = np.array([np.block([[np.eye(3), v[:, None]], [0, 0, 0, 1.0]]) for v in vectors])
    assert is_scalable(list(vectors))
    assert is_scalable([1.0, 0.5, 2.0])
    assert not is_scalable(list(directions))
    assert not is_scalable(list(poses))
    assert not is_scalable([1, 2, 3])
