"""Challenges: functions that must pass or fail, and messages."""

import re

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

import rbnotes
from rbnotes import ledger, so3
from rbnotes.arguments import InvalidArgument
from rbnotes.coursework.challenge import assess, cases, collect_answer, collect_answers
from rbnotes.coursework.challenge.formatting import LINE_WIDTH, format_input, format_result, format_value
from rbnotes.forces import FrameSpring
from rbnotes.ledger.lookup import find_claims, nearest_ids
from rbnotes.ledger.tex_to_text import sentence_to_text

PRODUCT = "lloyd/s0.2/d2"
EXPONENTIAL = "sueda/s1.3/e1.10#a"
LOGARITHM = "sueda/s1.3/e1.10#b"


def right(q, p):
    return np.concatenate(
        [[q[0] * p[0] - q[1:] @ p[1:]], q[0] * p[1:] + p[0] * q[1:] + np.cross(q[1:], p[1:])]
    )


def bracket(w):
    return np.cross(w, np.eye(3)).T


def status(id, function, **options):
    return rbnotes.challenge(id, function, **options).assessment.status


class TestMustPass:
    def test_right_variants_pass(self):
        result = rbnotes.challenge(PRODUCT, right)
        assert result
        assert result.residual < 1e-12
        assert f"passed {result.examples} examples" in str(result)
        assert result.examples >= 200
        assert rbnotes.challenge(EXPONENTIAL, lambda w: expm(bracket(w)))
        assert rbnotes.challenge(EXPONENTIAL, lambda w: Rotation.from_rotvec(w).as_matrix().tolist())

    @pytest.mark.slow
    def test_code_right_under_the_condition_passes(self):
        record = ledger.find("sueda/s1.6/e1.22")
        assert record.condition_inputs is not None
        printed, general = (
            rbnotes.challenge(record.id, form, examples=60) for form in (record.printed, record.library)
        )
        assert printed
        assert general
        assert "but it fails where the condition does not hold" in str(printed)
        assert "beyond" not in str(general)

    @pytest.mark.slow
    def test_integer_results_and_correct_caches_pass(self):
        cache = {}

        def cached(q, p):
            return cache.setdefault((q.tobytes(), p.tobytes()), right(q, p))

        assert rbnotes.challenge(PRODUCT, cached, examples=40)
        assert rbnotes.challenge("sueda/s1.1/e1.3#c", lambda *values: 1, examples=40)


class TestMustFail:
    def test_code_wrong_at_tiny_angles_fails(self):
        def exponential(w):
            return np.eye(3) if np.linalg.norm(w) < 0.01 else expm(bracket(w))

        result = rbnotes.challenge(EXPONENTIAL, exponential)
        assert (result.assessment.status, result.region) == ("wrong", "tiny")

    def test_code_wrong_at_singularities_fails(self):
        """The claim keeps ordinary angles away from 0 and from pi; not the challenge."""
        claim = ledger.find("lloyd/s0.22.1/e0.45")

        def near_zero(w):
            return np.eye(3) if np.linalg.norm(w) < 1e-6 else claim.library(w)

        def near_pi(w):
            angle = np.linalg.norm(w)
            return claim.library(w * (1 - 2 * np.pi / angle) if angle > 3.1 else w)

        test_cases = cases(claim, examples=96)
        for slipped, region in ((near_zero, "tiny"), (near_pi, "near pi")):
            answered_cases = [(case, collect_answer(slipped, case.inputs)) for case in test_cases]
            assert {case.region for case, found in answered_cases if not assess(claim, case, found)} == {
                region
            }

    def test_naive_logarithm_fails(self):
        def logarithm(w):
            R = Rotation.from_rotvec(w).as_matrix()
            angle = np.arccos((np.trace(R) - 1) / 2)
            return angle / (2 * np.sin(angle)) * (R - R.T)

        assert status(LOGARITHM, logarithm) in ("wrong", "nonfinite")

    def test_code_wrong_for_large_entries_fails(self):
        result = rbnotes.challenge(
            PRODUCT, lambda q, p: -right(q, p) if np.max(np.abs([q, p])) > 2 else right(q, p)
        )
        assert result.assessment.status == "wrong"
        assert result.region in ("large", "near pi")

    def test_wrong_number_types_fail(self):
        single = np.float32
        assert status(PRODUCT, lambda q, p: right(q, p) * (1 + 1j)) == "dtype"
        assert status(PRODUCT, lambda q, p: right(q.astype(single), p.astype(single))) == "dtype"
        hidden = rbnotes.challenge(PRODUCT, lambda q, p: right(*np.float32([q, p])).astype(float))
        assert hidden.assessment.status == "wrong"
        got, expected = str(hidden).splitlines()[-2:]
        assert got.split("[")[1] != expected.split("[")[1]  # so many digits are shown

    @pytest.mark.parametrize(
        ("function", "kind", "words"),
        [
            (lambda q, p: None, "missing", "is a return missing"),
            (lambda q, p: right(q, p)[:3], "shape", "shape (3,) where an array of shape (4,)"),
            (lambda q, p: right(q, p)[0], "shape", "a single number"),
            (lambda q, p: [1, [2, 3]], "dtype", "different shapes"),
            (lambda q, p: "the product", "dtype", "a str"),
            (lambda q, p: right(q, p) * np.nan, "nonfinite", "NaN"),
            (lambda q: q, "exception", "the arguments are: q, p"),
        ],
    )
    def test_incomparable_results_fail(self, function, kind, words):
        result = rbnotes.challenge(PRODUCT, function, examples=20)
        assert result.assessment.status == kind
        assert words in str(result)
        assert "wrong by inf" not in str(result)

    def test_exception_message_contains_the_students_line(self):
        def raises(q, p):
            return np.linalg.inv(q) @ p

        text = str(rbnotes.challenge(PRODUCT, raises, examples=20))
        assert "LinAlgError" in text
        assert "of raises: return np.linalg.inv(q) @ p" in text

    def test_changed_arguments_fail(self):
        def halved(q, p):
            q /= 2
            return 2 * right(q, p)

        result = rbnotes.challenge(PRODUCT, halved, examples=20)
        assert result.assessment.status == "mutated"
        assert "its argument `q`" in str(result)

    def test_random_numbers_and_hidden_state_fail(self):
        generator = np.random.default_rng(1)
        calls = []

        def counted(q, p):
            calls.append(0)
            return len(calls) * right(q, p)

        last = np.zeros(4)

        def remembers(q, p):
            result = right(q, p) + 1e-3 * (last - q if last.any() else 0)
            last[:] = q
            return result

        assert status(PRODUCT, lambda q, p: right(q, p) + generator.normal()) == "random"
        assert "`calls`" in str(rbnotes.challenge(PRODUCT, counted))
        assert status(PRODUCT, counted) == "stateful"
        assert status(PRODUCT, remembers) == "stateful"

    def test_changes_in_nested_containers_are_noticed_and_other_objects_are_not_shown(self):
        class Body:
            def __repr__(self):
                raise AssertionError("a list of these takes long to show")

        memory, bodies, q = {"array": np.zeros(2), "set": {0}, "list": [[0]]}, [Body()], np.eye(4)[0]

        def changed_names(function):
            return collect_answer(function, {"q": q}).changed_globals

        assert changed_names(lambda q: np.add(memory["array"], 1, out=memory["array"])) == ("memory",)
        assert changed_names(lambda q: memory["set"].add(1)) == ("memory",)
        assert changed_names(lambda q: memory["list"][0].append(0)) == ("memory",)
        assert changed_names(lambda q: len(bodies) * q) == ()

    def test_a_wrong_function_gets_a_small_counterexample(self):
        result = rbnotes.challenge(PRODUCT, lambda q, p: right(p, q))
        q, p = result.counterexample.values()
        assert np.count_nonzero(q) + np.count_nonzero(p) == 2
        np.testing.assert_allclose(result.expected, right(q, p), atol=1e-9)
        np.testing.assert_allclose(result.got, right(p, q), atol=1e-9)


class TestTasksOfTheLibrary:
    @pytest.mark.slow
    def test_jacobians_of_rigid_motions(self):
        se3 = rbnotes.se3
        for name in ("left_jacobian", "right_jacobian", "left_jacobian_inverse", "right_jacobian_inverse"):
            result = rbnotes.challenge(f"se3.{name}", getattr(se3, name), examples=40)
            assert result, result
            assert result.examples > 25
        mixed = rbnotes.challenge("se3.left_jacobian", se3.right_jacobian, examples=20)
        assert mixed.assessment.status == "wrong"
        assert "`xi` enters with the wrong sign" in mixed.hint
        assert rbnotes.card("se3.left_jacobian").arguments == {"xi": "vector (6,)"}


class TestCases:
    def test_cases_cover_all_regions_reproducibly(self):
        record = ledger.find(EXPONENTIAL)
        some, same = (cases(record, seed=3, examples=48) for _ in range(2))
        assert {case.region for case in some} == {
            *("generic", "tiny", "near pi", "large", "non-dyadic", "degenerate"),
        }
        for one, other in zip(some, same, strict=True):
            np.testing.assert_array_equal(one.inputs["w"], other.inputs["w"])
        sizes = [np.linalg.norm(case.inputs["w"]) for case in some if case.region == "tiny"]
        assert 0 < min(size for size in sizes if size) < 1e-8
        others = cases(record, examples=48)
        assert [case.inputs["w"].tolist() for case in some] != [case.inputs["w"].tolist() for case in others]

    def test_judging_calls_no_function(self):
        record = ledger.find(PRODUCT)
        test_cases = cases(record, examples=8)
        answers = collect_answers(right, [case.inputs for case in test_cases])
        silent = dict(reference=None, library=None, printed=None)
        import dataclasses

        mute = dataclasses.replace(record, verdict=ledger.Verdict.DEFINITION, **silent)
        assert all(assess(mute, case, found) for case, found in zip(test_cases, answers, strict=True))

    def test_invalid_arguments_are_rejected(self):
        with pytest.raises(InvalidArgument, match="examples: got 0"):
            rbnotes.challenge(PRODUCT, right, examples=0)
        unchecked = next(record.id for record in ledger.load() if record.reference is None)
        with pytest.raises(InvalidArgument, match="only defines"):
            rbnotes.challenge(unchecked, right)


def test_arrays_of_several_shapes_and_all_digits_are_shown():
    assert "[5., 6., 7.]" in format_value((np.eye(2), np.array([5.0, 6, 7])))
    assert format_value(np.array([1e-9, 0.0])) == "[1e-09, 0.0]"


def test_rows_fit_a_phone():
    matrix = np.arange(36).reshape(6, 6) - np.pi / 10
    result = format_result("expected", matrix, decimals=6)
    assert result.startswith("  expected\n    [[")
    assert result.count("\n") == 6
    beside = format_result("expected", matrix[:2, :2], decimals=1)
    assert beside.splitlines() == ["  expected [[-0.3,  0.7],", 12 * " " + "[ 5.7,  6.7]]"]
    inputs = format_input("E", matrix)
    assert np.array_equal(eval(inputs.removeprefix("  E = ")), matrix)
    for text in (result, inputs, format_input("count", np.arange(10**9, 10**9 + 20))):
        assert max(map(len, text.splitlines())) <= LINE_WIDTH


def test_object_fields_are_shown_on_separate_lines():
    text = format_value(FrameSpring.isotropic(np.eye(4), np.eye(4), 3.0, 2.0, 0.5, 0.25), indent=11)
    assert text.startswith("FrameSpring with\n")
    assert f"\n{11 * ' '}X_2 = [[1., 0., 0., 0.],\n{18 * ' '}[0., 1.," in text
    assert "array(" not in text


def test_the_condition_of_every_claim_is_shown_without_tex():
    found = [sentence_to_text(record.condition) for record in ledger.load() if record.condition]
    assert "|ω| < π" in found
    assert [text for text in found if re.search(r"[$\\{}]", text)] == []


def test_rounding_errors_are_shown_as_zero():
    assert format_value(np.array([0.25, -1.7e-13, 0.0]), decimals=6) == "[0.25, 0.  , 0.  ]"
    assert format_value(np.array([6.3e-3, 4e-13]), decimals=6) == "[0.0063, 0.    ]"
    assert format_value(np.array([1.0, 1e-11]), decimals=12) == "[1.           , 0.00000000001]"  # told apart
    assert format_value(np.array([2e-12, 1e-12]), decimals=6) == "[2.e-12, 1.e-12]"  # no larger one beside it


class TestNames:
    @pytest.mark.parametrize(
        ("name", "id"),
        [
            ("S 1.62", "sueda/s1.9.5/e1.62"),
            ("1.62", "sueda/s1.9.5/e1.62"),
            ("(1.62)", "sueda/s1.9.5/e1.62"),
            ("lloyd 0.45", "lloyd/s0.22.1/e0.45"),
            ("(L 0.45)", "lloyd/s0.22.1/e0.45"),
            ("G 27", "si/s4/e27"),
            ("S 1.69#b", "sueda/s1.10/e1.69#b"),
            ("Algorithm 6", "sueda/s2.10/alg6"),
            ("S alg. 6", "sueda/s2.10/alg6"),
        ],
    )
    def test_name_of_one_claim(self, name, id):
        assert ledger.find(name).id == id

    def test_several_claims_are_listed(self):
        everything = ledger.load()
        assert {record.section for record in find_claims("section 1.3", everything)} == {"1.3"}
        assert {record.section for record in find_claims("0.22.1", everything)} == {"0.22.1"}
        assert all(
            "rbnotes.so3.log" in record.implemented_by for record in find_claims("so3.log", everything)
        )
        with pytest.raises(InvalidArgument, match=r"names 2 claims(.|\n)*e1.69#a(.|\n)*e1.69#b"):
            ledger.find("S 1.69")

    def test_a_mistyped_id_gets_the_five_nearest(self):
        for wrong in ("loyd/s0.2/d2", "lloyd/s0.2/d22", "lloyd/s.2/d2"):
            near = nearest_ids(wrong, ledger.load())
            assert len(near) == 5
            assert PRODUCT in near
        with pytest.raises(InvalidArgument, match=PRODUCT):
            rbnotes.challenge("loyd/s0.2/d2", right)


@pytest.mark.parametrize(
    ("id", "name", "words"),
    [
        ((right, PRODUCT), "id", "function.*the name of a claim"),
        ((1.62, right), "id", "float 1.62.*'S 1.62'"),
        ((PRODUCT, np.zeros(4)), "function", "ndarray, expected a function"),
        ((PRODUCT, "right"), "function", "str, expected a function"),
    ],
)
def test_unknown_claim_or_function_is_named(id, name, words):
    with pytest.raises(InvalidArgument, match=words) as error:
        rbnotes.challenge(*id)
    assert error.value.name == name


@pytest.mark.parametrize("options", [{"examples": 2.5}, {"examples": 0}, {"seed": "1"}, {"seed": -1}])
def test_examples_and_seed_must_be_integers(options):
    with pytest.raises(InvalidArgument, match="a whole number") as error:
        rbnotes.challenge(PRODUCT, right, **options)
    assert {error.value.name} == {*options}


def identity_near_full_turn(w):
    return np.eye(3) if abs(np.linalg.norm(w) - 2 * np.pi) < 1e-3 else so3.exp(w)


def series_below_a_fiftieth(w):
    angle, W = np.linalg.norm(w), so3.hat(w)
    return np.eye(3) + (1 - angle**2 / 6) * W + W @ W / 2 if angle < 0.02 else so3.exp(w)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_functions_wrong_close_to_special_angles_fail(seed):
    name = "sueda/s1.3/e1.10#a"
    for wrong, angle in ((identity_near_full_turn, 2 * np.pi), (series_below_a_fiftieth, 0.02)):
        result = rbnotes.challenge(name, wrong, seed=seed)
        assert result.assessment.status == "wrong"
        assert abs(np.linalg.norm(result.counterexample["w"]) - angle) < 0.02
    assert rbnotes.challenge(name, so3.exp, seed=seed)
