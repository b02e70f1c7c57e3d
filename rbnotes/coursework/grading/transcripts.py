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
    """Resource limits of one function of a submission."""

    seconds: float = 5.0
    """Wall-clock limit for all cases of one function, s."""
    cpu: float = 10.0
    """Processor-time limit for all cases of one function, s; the kernel enforces it in whole seconds."""
    memory: float = 1024.0
    """Limit of the address space, MB."""
    output: float = 2.0
    """Limit for printed text, for all answers of a function, and for any file, MB."""
    files: int = 64
    """Number of open files."""
    processes: int = 16
    """Number of processes and threads at a time."""
    library: bool = False
    """Allow submissions to import rbnotes (never the ledger, the challenges and the grader)."""


@dataclass(frozen=True)
class Request:
    """Function to call, and its arguments for each case."""

    function: str
    """Name of the function."""
    cases: tuple[Values, ...]
    """Arguments by name, for each case."""


@dataclass(frozen=True, eq=False)
class FunctionTranscript:
    """Answers of one function of a submission, and the reason if it was stopped."""

    answers: tuple[Answer, ...] = ()
    """Answers in the order of the cases; fewer if the function was stopped."""
    stop: Stop | None = None
    """Reason for which the function ended before the last case, if it did."""
    message: str = ""
    """Reason as text."""


@dataclass(frozen=True, eq=False)
class Transcript:
    """All answers of a submission."""

    functions: dict[str, FunctionTranscript]
    """Transcripts of the functions by name."""
    restrictions: tuple[str, ...] = ()
    """Restrictions that this system enforced."""
    seconds: float = 0.0
    """Wall-clock time, s."""
