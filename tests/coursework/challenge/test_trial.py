"""A seeded sample of `tools/challenge_trial.py`, and the stored results of the full run."""

import json
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[3]
sys.path.insert(0, str(REPOSITORY / "tools"))

import challenge_trial  # noqa: E402
from challenge_variants import VARIANTS  # noqa: E402


def test_handwritten_functions_are_judged_correctly():
    assert len(VARIANTS) == 42
    tally, missed = challenge_trial.variants(examples=96)
    assert missed == []
    assert (tally.right, tally.wrong) == (10, 32)


@pytest.mark.slow
def test_wrong_submissions_fail_and_right_ones_pass():
    tally, _ = challenge_trial.trial(30, seed=1, examples=32, dense=32, each=10)
    assert tally.wrong > 20
    assert tally.right >= 3
    assert tally.detection_rate >= 0.99
    assert tally.right_failed == 0


@pytest.mark.slow
def test_functions_wrong_beyond_a_size_fail():
    tally, missed = challenge_trial.limit_trial(10, seed=1, examples=32)
    assert missed == []
    assert tally.wrong == 10


def test_book_shows_the_result_of_the_full_trial():
    figures = json.loads((REPOSITORY / "book" / "_data" / "challenge.json").read_text(encoding="utf-8"))
    by_hand, by_mutation = figures["by_hand"], figures["by_mutation"]
    assert by_hand == {"wrong": 32, "wrong_failed": 32, "right": 10, "right_failed": 0}
    assert by_mutation["wrong_failed"] >= 0.99 * by_mutation["wrong"]
    assert by_mutation["wrong"] + by_mutation["right"] >= 1000
    assert by_mutation["right_failed"] == 0
    by_limit = figures["by_limit"]
    assert by_limit["wrong_failed"] >= 0.99 * by_limit["wrong"]
    assert by_limit["wrong"] == challenge_trial.NUM_LIMIT_SLIPS
    assert by_limit["right_failed"] == 0
