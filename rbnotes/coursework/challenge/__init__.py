"""Check a user's function in place of the library's: search for a counterexample with the record of a claim.

The steps can run separately:

- :func:`cases`: inputs of a claim in named regions, with the right results;
- :func:`collect_answers`: the results of a function on them, as plain data; only this step runs user code;
- :func:`assess`: the verdict on these answers;
- :func:`challenge`: all steps, and the smallest counterexample. It is exported as ``rbnotes.challenge``.

:func:`collect_answers` imports only NumPy, so that a process that runs a user's code contains no right
results.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rbnotes.coursework.challenge.assessment import Assessment, assess
    from rbnotes.coursework.challenge.calls import Answer, collect_answer, collect_answers
    from rbnotes.coursework.challenge.case_generation import Case, cases
    from rbnotes.coursework.challenge.runner import ChallengeResult, challenge

_EXPORTS = {
    "Answer": "calls",
    "Case": "case_generation",
    "ChallengeResult": "runner",
    "Assessment": "assessment",
    "cases": "case_generation",
    "challenge": "runner",
    "collect_answer": "calls",
    "collect_answers": "calls",
    "assess": "assessment",
}
__all__ = [
    "Answer",
    "Assessment",
    "Case",
    "ChallengeResult",
    "assess",
    "cases",
    "challenge",
    "collect_answer",
    "collect_answers",
]


def __getattr__(name: str) -> Any:
    if name in _EXPORTS:
        return getattr(importlib.import_module(f"{__name__}.{_EXPORTS[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
