"""Hints about wrong answers: their dimension, and a slip that explains all of them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

import numpy as np

from rbnotes.coursework.challenge.calls import Answer
from rbnotes.coursework.challenge.case_generation import Case
from rbnotes.coursework.challenge.diagnosis import find_slip
from rbnotes.coursework.challenge.dimensions import Probe, units_mismatch
from rbnotes.ledger.record import Record

NUM_SCREENED_CASES = 12
"""Number of cases that a slip must explain before it is tested on the others."""
COMPARED_DECIMALS = 9
"""Number of decimals to which answers of several students must agree to count as equal."""


class HintFinder:
    """Find the hints for one function; equal answers of several students are searched once."""

    def __init__(self, claim: Record | None, cases: Sequence[Case], probes: Sequence[Probe]) -> None:
        self._claim, self._cases, self._probes = claim, cases, probes
        self._found: dict[bytes, str] = {}

    def dimension_hint(self, answers: Sequence[Answer]) -> str:
        """Return a description of a wrong dimension; empty if the dimension is right.

        Parameters
        ----------
        answers
            Answers on the cases, then those on the inputs in other units.
        """
        converted_answers = iter(answers[len(self._cases) :])
        if len(answers) < len(self._cases):
            return ""
        return units_mismatch(
            [
                (
                    probe,
                    answers[probe.case_index],
                    list(islice(converted_answers, len(probe.converted_inputs))),
                )
                for probe in self._probes
            ]
        )

    def slip_hint(self, answers: Sequence[Answer]) -> str:
        """Return the hint of the only slip that explains the answers.

        It is empty if there is none or several.
        """
        if self._claim is None or len(answers) < len(self._cases):
            return ""
        answered_cases = list(zip(self._cases, answers, strict=False))
        key = b"|".join(_answer_key(answer) for _, answer in answered_cases)
        if key not in self._found:
            self._found[key] = find_slip(self._claim, answered_cases, first=NUM_SCREENED_CASES)
        return self._found[key]


def _answer_key(answer: Answer) -> bytes:
    if answer.value is None:
        return answer.kind.encode()
    return (
        np.round(answer.value.astype(complex), COMPARED_DECIMALS).tobytes()
        + repr(answer.value.shape).encode()
    )
