"""A wrong dimension is reported first; consistent units give no report."""

from dataclasses import replace

import numpy as np
import pytest

import rbnotes
from rbnotes import ledger
from rbnotes.coursework.challenge.calls import collect_answers
from rbnotes.coursework.challenge.case_generation import cases
from rbnotes.coursework.challenge.dimensions import probes, units_mismatch
from rbnotes.ledger.quantities import LENGTH
from rbnotes.ledger.record import Result

STEP = ledger.find("sueda/s1.8/e1.28")
REACTION = ledger.find("sueda/s1.13/t668#b")
EXAMPLES = 32


def step(m, c, J, phi, wrench, h):
    return STEP.library(m, c, J, phi, wrench, h)


def without_h(m, c, J, phi, wrench, h):
    return phi + (step(m, c, J, phi, wrench, h) - phi) / h


def acceleration(m, c, J, phi, wrench, h):
    return (step(m, c, J, phi, wrench, h) - phi) / h


def dimension_message(claim, function):
    drawn_cases = cases(claim, examples=4)
    answers = collect_answers(function, [one.inputs for one in drawn_cases])
    found = probes(claim, drawn_cases)
    return units_mismatch(
        [
            (probe, answers[probe.case_index], collect_answers(function, probe.converted_inputs))
            for probe in found
        ]
    )


def test_wrong_dimension_is_reported_first():
    found = rbnotes.challenge(STEP.id, acceleration, examples=EXAMPLES)
    assert found.assessment.message == "the dimension is wrong in entry 1: 1/s² where 1/s is expected"
    assert str(found).splitlines()[0].endswith(found.assessment.message)


def test_missing_common_factor_is_reported():
    assert dimension_message(REACTION, REACTION.printed) == "the dimension is wrong: N s where N is expected"


def test_missing_factor_in_one_term_is_reported():
    assert dimension_message(STEP, without_h).startswith(
        "the units are inconsistent in entry 1: 1/s is expected"
    )


@pytest.mark.parametrize(
    "slip",
    [
        lambda right: -right,
        lambda right: 2 * right,
        lambda right: right * (1 + 1e-3 * np.arange(6)),
    ],
)
def test_slips_that_keep_the_dimension_are_not_reported(slip):
    assert dimension_message(STEP, lambda *values: slip(step(*values))) == ""


@pytest.mark.parametrize(
    "other",
    [
        {"result": Result()},
        {"constants": (LENGTH,)},
        {"arguments": {}},
        {"result": Result(LENGTH)},  # with which its own oracle does not agree
    ],
)
def test_missing_or_false_declaration_gives_no_report(other):
    drawn_cases = cases(STEP, examples=4)
    assert probes(STEP, drawn_cases)
    assert probes(replace(STEP, **other), drawn_cases) == ()
