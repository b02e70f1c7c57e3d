"""A seeded sample of `tools/challenge_trial.py`, and the stored results of the full run."""

import json
from pathlib import Path

import challenge_trial
import numpy as np
import pytest
from challenge_variants import VARIANTS

from rbnotes import ledger

REPOSITORY = Path(__file__).parents[3]


@pytest.mark.slow
def test_handwritten_functions_are_judged_correctly():
    assert len(VARIANTS) == 42
    tally, missed = challenge_trial.variants(examples=96)
    assert missed == []
    assert (tally.right, tally.wrong) == (10, 32)


@pytest.mark.slow
def test_the_independent_test_covers_the_regions_of_the_challenge():
    claim = ledger.find("lloyd/s0.3/d3#b")
    regions, independent = (
        {case.region for case in make(claim, 0, 16)}
        for make in (challenge_trial.challenge_cases, challenge_trial.independent_cases)
    )
    assert independent == regions
    assert {"rescaled", "other size"} <= regions


def test_slips_lie_where_the_claim_holds():
    """The printed form shortens vectors by a full turn, which is right from half a turn on."""
    claim = ledger.find("sueda/s2.4.8/t972#d")
    q = np.array([0.6, 0.0, 0.8])
    assert challenge_trial.confirmed_case(claim, "tiny", {"q": 1e-3 * q}) is None
    assert challenge_trial.confirmed_case(claim, "special angle", {"q": 6.0 * q}) is not None


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
