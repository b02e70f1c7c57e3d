"""Your own function in the place of the library's: the record of a claim hunts for a counterexample.

The room is callable, ``rbnotes.challenge("lloyd/s0.2/d2", my_product)``, and it is made of parts that need
not run together:

    cases       inputs of a claim in named regions, with the right results
    answer      what a function returns on them, as plain data: this part alone runs foreign code
    judge       what is to be said about an answer
    challenge   all of it, with the smallest counterexample

``answer`` imports numpy only, so that a process that runs foreign code holds no right results.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rbnotes.challenge.calling import Answer, collect_answer, collect_answers
    from rbnotes.challenge.challenging import ChallengeResult, challenge
    from rbnotes.challenge.drawing import Case, cases
    from rbnotes.challenge.judging import Judgement, judge

_EXPORTS = {
    "Answer": "calling",
    "answer": "calling",
    "answers": "calling",
    "Case": "drawing",
    "cases": "drawing",
    "Judgement": "judging",
    "judge": "judging",
    "ChallengeResult": "challenging",
    "challenge": "challenging",
}
__all__ = [
    "Answer",
    "Case",
    "ChallengeResult",
    "Judgement",
    "collect_answer",
    "collect_answers",
    "cases",
    "challenge",
    "judge",
]


class _CallablePackage(ModuleType):
    """The package, which can be called."""

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        from rbnotes.challenge.challenging import challenge

        return challenge(*arguments, **options)


sys.modules[__name__].__class__ = _CallablePackage


def __getattr__(name: str) -> Any:
    if name in _EXPORTS:
        return getattr(importlib.import_module(f"{__name__}.{_EXPORTS[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
