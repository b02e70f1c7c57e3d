"""Requests to a submission, its resource limits and its answers: plain data for any process."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rbnotes.coursework.challenge.calls import Answer
from rbnotes.ledger.evaluation import Values

Stop = Literal["timeout", "crash", "output limit", "missing", "syntax", "exception"]
"""Reasons for which a function does not answer."""


@dataclass(frozen=True)
class Limits:
    """What one function of a submission may use."""

    seconds: float = 5.0
    """Wall-clock limit for all cases of one function, s."""
    cpu: float = 10.0
    """Processor-time limit for all cases of one function, s; the kernel enforces it in whole seconds."""
    memory: float = 1024.0
    """Megabytes of address space."""
    output: float = 2.0
    """Megabytes: of what is printed, of all answers of a function, and of any file."""
    files: int = 64
    """Open at a time."""
    processes: int = 16
    """And threads, at a time."""
    library: bool = False
    """Whether a submission may import rbnotes (never the ledger, the challenges and the grader)."""


@dataclass(frozen=True)
class Request:
    """A function to call, and for each case its arguments by name, in order."""

    function: str
    """Its name."""
    cases: tuple[Values, ...]
    """Arguments by name, for each case."""


@dataclass(frozen=True, eq=False)
class FunctionTranscript:
    """What one function of a submission gave: answers in the order of the cases, and what stopped it."""

    answers: tuple[Answer, ...] = ()
    """Fewer than there are cases if it was stopped."""
    stop: Stop | None = None
    """Reason for which the function ended before the last case, if it did."""
    message: str = ""
    """Why it was stopped, in words."""


@dataclass(frozen=True, eq=False)
class Transcript:
    """All that a submission gave."""

    functions: dict[str, FunctionTranscript]
    """Transcripts of the functions by name."""
    restrictions: tuple[str, ...] = ()
    """Restrictions that this system enforced."""
    seconds: float = 0.0
    """Wall-clock time, s."""
