"""Requests to a submission, its resource limits and its answers: plain data for any process."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rbnotes.coursework.challenge.calls import Answer
from rbnotes.ledger.evaluation import Values

Stop = Literal["timeout", "crash", "output limit", "missing", "syntax", "exception"]
"""Reason why a function returned no answer."""


@dataclass(frozen=True)
class Limits:
    """Resource limits of one function of a submission.

    Attributes
    ----------
    seconds
        Wall-clock limit for all cases of one function, s.
    cpu
        Processor-time limit for all cases of one function, s; the kernel enforces it in whole seconds.
    memory
        Limit of the address space, MB.
    output
        Limit for printed text, for all answers of a function, and for any file, MB.
    files
        Number of open files.
    processes
        Number of processes and threads at a time.
    library
        True if submissions may import rbnotes (never the ledger, the challenges and the grader).
    """

    seconds: float = 5.0
    cpu: float = 10.0
    memory: float = 1024.0
    output: float = 2.0
    files: int = 64
    processes: int = 16
    library: bool = False


@dataclass(frozen=True)
class Request:
    """Function to call, and its arguments for each case.

    Attributes
    ----------
    function
        Name of the function.
    cases
        Arguments by name, for each case.
    """

    function: str
    cases: tuple[Values, ...]


@dataclass(frozen=True, eq=False)
class FunctionTranscript:
    """Answers of one function of a submission, and the reason if it was stopped.

    Attributes
    ----------
    answers
        Answers in the order of the cases; fewer if the function was stopped.
    stop
        Reason for which the function ended before the last case, if it did.
    message
        Reason as text.
    """

    answers: tuple[Answer, ...] = ()
    stop: Stop | None = None
    message: str = ""


@dataclass(frozen=True, eq=False)
class Transcript:
    """All answers of a submission.

    Attributes
    ----------
    functions
        Transcripts of the functions by name.
    restrictions
        Restrictions that this system enforced.
    seconds
        Wall-clock time, s.
    """

    functions: dict[str, FunctionTranscript]
    restrictions: tuple[str, ...] = ()
    seconds: float = 0.0
