"""Find the evidence for a claim: printed form, library and oracle compared on exact inputs."""

from __future__ import annotations

import gc
import signal
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from flint import fmpq

from rbnotes.ledger.evidence import Evidence
from rbnotes.ledger.exact.arrays import ExactArray, array, plain_objects
from rbnotes.ledger.exact.degrees import sum_degree
from rbnotes.ledger.exact.linear_algebra import ProvedSingular, is_close_to_zero
from rbnotes.ledger.exact.loader import exact_package
from rbnotes.ledger.exact.numbers import MAX_WIDTH, Exact, ball, trace
from rbnotes.ledger.exact.replacements import SET_BITS, SET_SIZE, seed_offsets
from rbnotes.ledger.exact.symbolic import is_identity
from rbnotes.ledger.record import WRONG_AS_PRINTED

NUM_DRAWS = 3
"""Inputs on which a claim is compared."""
MAX_DRAWS = 30
"""Inputs that are tried until a wrong print fails."""
FIRST_DRAW = 2
"""Draws that are skipped: the first are the simplest."""
MAX_ERROR_PROBABILITY = 1e-18
SECONDS_PER_EVALUATION = 10.0
MAX_PATHS = 32
"""Outcomes of undecided comparisons that are tried."""
SECONDS_FOR_SYMBOLS = 2.0
"""Limit of time for the proof of one claim on symbols."""
SYMBOLIC, EXACT, ENCLOSED = "symbolic", "exact", "enclosed"


class TimeLimitExceeded(Exception):
    """An evaluation took too long."""


@dataclass(frozen=True)
class Comparison:
    """Comparison of one form with the oracle on one input.

    Attributes
    ----------
    outcome
        ``equal``, ``different``, or ``unknown``.
    kind
        ``exact`` or ``enclosed``, empty if unknown.
    degree
        Bound on the degree of the difference.
    width
        Width of the enclosures of the difference, relative to the size of the entries.
    distance
        Distance of the difference from zero in float64, relative to the size of entries above 1.
    reason
        Why the outcome is unknown.
    """

    outcome: str
    kind: str = ""
    degree: int = 0
    width: float = 0.0
    distance: float = 0.0
    reason: str = ""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Return a context that raises TimeLimitExceeded after some seconds, in a main thread with signals.

    Contexts within each other are not supported: the inner one ends the limit of the outer one.
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return

    def stop(_: int, frame: Any) -> None:
        # Python ignores exceptions of functions that the garbage collector calls; the alarm rings again.
        if all(getattr(each, "__code__", None) is not frame.f_code for each in gc.callbacks):
            raise TimeLimitExceeded(f"more than {seconds:g} s")

    previous = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds, 1.0)  # again, should a callback swallow the exception
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, previous)


@dataclass
class Evaluation:
    """Result of a form on one input, for one outcome of the comparisons that the balls cannot decide.

    Attributes
    ----------
    numbers
        Its entries; None if it could not be evaluated.
    caveat
        Why the result proves nothing, if so.
    num_branches
        Comparisons of numbers that depend on the inputs.
    undefined
        ``exact`` or ``enclosed`` if a matrix is shown to have no inverse, so that the form has no value.
    """

    numbers: np.ndarray | None
    caveat: str = ""
    num_branches: int = 0
    undefined: str = ""


def evaluate(form: Any, values: Mapping[str, Any]) -> list[Evaluation]:
    """Run a form on exact inputs, once for each outcome of the comparisons that the balls cannot decide.

    The true outcomes are among them, so that what holds for all results is proved.
    """
    results: list[Evaluation] = []
    waiting: list[tuple[bool, ...]] = [()]
    try:
        with time_limit(SECONDS_PER_EVALUATION):
            while waiting:
                choices = waiting.pop()
                results.append(_evaluate_path(form, values, choices))
                if len(results) + len(waiting) + len(trace.outcomes) - len(choices) > MAX_PATHS:
                    reason = f"undecided comparisons in {', '.join(trace.undecided_sources)}"
                    return [Evaluation(None, results[0].caveat or reason)]
                waiting += [
                    (*trace.outcomes[:i], not trace.outcomes[i])
                    for i in range(len(choices), len(trace.outcomes))
                ]
    except TimeLimitExceeded as error:
        return [Evaluation(None, f"TimeLimitExceeded: {error}")]
    return results


def _evaluate_path(form: Any, values: Mapping[str, Any], choices: tuple[bool, ...]) -> Evaluation:
    """Evaluate a form with given outcomes of undecided comparisons."""
    trace.reset(choices)
    try:
        result = array(form(*deepcopy(list(values.values()))), float)
        if not isinstance(result, ExactArray):
            return Evaluation(None, "the result is not an array of numbers")
        numbers = plain_objects(result)
    except TimeLimitExceeded:
        raise
    except ProvedSingular as error:
        kind = EXACT if error.is_exact else ENCLOSED
        is_proved = not trace.tainted_decisions and not trace.outcomes
        return Evaluation(None, f"LinAlgError: {error}", undefined=kind if is_proved else "")
    except Exception as error:
        return Evaluation(None, f"{type(error).__name__}: {error}"[:120])
    if len(trace.outcomes) < len(choices):
        return Evaluation(None, "undecided comparisons that are not repeated")
    entries = list(numbers.flat)
    if not all(each.__class__ is Exact for each in entries):
        return Evaluation(None, "the result contains derivatives")
    if any(each.tainted for each in entries) or trace.tainted_decisions:
        sources = ", ".join(trace.taint_sources) or "the inputs or a quadrature"
        return Evaluation(numbers, f"rounded numbers enter in {sources}")
    if not all(each.value.__class__ is fmpq or each.value.is_finite() for each in entries):
        return Evaluation(None, "the result is not finite")
    return Evaluation(numbers, "", trace.num_branches)


def compare(actual: list[Evaluation], expected: list[Evaluation]) -> Comparison:
    """Compare all possible results of a form with all those of the oracle."""
    comparisons = [_compare_results(a, b) for b in expected for a in actual]
    outcomes = {each.outcome for each in comparisons}
    if outcomes == {"equal", "different"}:
        distance = max(each.distance for each in comparisons)
        return Comparison("unknown", distance=distance, reason="undecided comparisons change the result")
    if "unknown" in outcomes:
        return next(each for each in comparisons if each.outcome == "unknown")
    return Comparison(
        outcomes.pop(),
        ENCLOSED if any(each.kind == ENCLOSED for each in comparisons) else EXACT,
        degree=max(each.degree for each in comparisons),
        width=max(each.width for each in comparisons),
        distance=max(each.distance for each in comparisons),
    )


def _compare_results(actual: Evaluation, expected: Evaluation) -> Comparison:
    """Compare two results: equal, different or unknown, exactly or by enclosures."""
    reason = expected.caveat and f"oracle: {expected.caveat}"
    reason = reason or (actual.caveat and f"form: {actual.caveat}")
    if actual.undefined and not expected.caveat:
        return Comparison("different", actual.undefined, distance=np.inf)
    if actual.numbers is None or expected.numbers is None:
        return Comparison("unknown", reason=reason)
    if actual.numbers.shape != expected.numbers.shape:
        return Comparison("different", EXACT, distance=np.inf, reason=reason)
    pairs = list(zip(actual.numbers.flat, expected.numbers.flat, strict=True))
    differences = [a - b for a, b in pairs]
    sizes = [max(abs(float(a)), abs(float(b))) for a, b in pairs]
    largest = max(sizes, default=0.0)
    scales = [max(size, 1e-5 * largest) or 1.0 for size in sizes]
    distance = max(
        (abs(float(d)) / max(1.0, s) for d, s in zip(differences, scales, strict=True)), default=0.0
    )
    if reason:
        return Comparison("unknown", distance=distance, reason=reason)
    is_exact = all(each.value.__class__ is fmpq for each in differences)
    if not all(map(is_close_to_zero, differences)):
        return Comparison("different", EXACT if is_exact else ENCLOSED, distance=distance)
    if is_exact:
        degree = max((d.degree.numerator for d in differences if d.degree is not None), default=0)
        degree = max([degree, *(_difference_degree(a, b) for a, b in pairs)])
        if degree / SET_SIZE > MAX_ERROR_PROBABILITY:
            return Comparison("unknown", reason=f"the degree may be as large as {degree:.0e}")
        return Comparison("equal", EXACT, degree=degree)
    width = max(float(ball(d.value).rad()) / s for d, s in zip(differences, scales, strict=True))
    if width > MAX_WIDTH:
        return Comparison("unknown", width=width, reason=f"the enclosure is {width:.1g} wide")
    return Comparison("equal", ENCLOSED, width=width)


def _difference_degree(a: Exact, b: Exact) -> int:
    return sum_degree(a.degree, b.degree).numerator if a.degree is not None and b.degree is not None else 0


@dataclass
class _Tally:
    """Comparisons of one form with the oracle on several inputs."""

    comparisons: list[Comparison] = field(default_factory=list)

    def count(self, outcome: str) -> int:
        return sum(each.outcome == outcome for each in self.comparisons)

    @property
    def all_equal(self) -> bool:
        return bool(self.comparisons) and self.count("equal") == len(self.comparisons)

    @property
    def reason(self) -> str:
        return next((each.reason for each in self.comparisons if each.outcome == "unknown"), "")


def _draws(record: Any, inputs: Mapping[str, Any], num_draws: int) -> list[Any]:
    from rbnotes.ledger.evaluation import samples

    seed_offsets(record.id)
    with time_limit(SECONDS_PER_EVALUATION):
        drawn = samples(inputs, num_draws + FIRST_DRAW) if inputs else [{}]
        return drawn[FIRST_DRAW:] or drawn


def _draws_to_compare(
    record: Any, name: str, inputs: Mapping[str, Any], num_draws: int, tallies: Mapping[Any, _Tally]
) -> Iterator[Any]:
    """Return inputs, more of them as long as a print that must fail does not."""
    yield from _draws(record, inputs, num_draws)
    must_fail = record.printed is not None and record.verdict in WRONG_AS_PRINTED
    if name == "inputs" and inputs and must_fail:
        for values in _draws(record, inputs, MAX_DRAWS)[num_draws:]:
            if tallies[("printed", name)].count("different"):
                break
            yield values


def prove(
    record: Any, num_draws: int = NUM_DRAWS, *, seconds_for_symbols: float = SECONDS_FOR_SYMBOLS
) -> Evidence:
    """Return the evidence for a record of the exact copy of the package.

    Parameters
    ----------
    record
        A record.
    num_draws
        Number of exact inputs.
    seconds_for_symbols
        Processor time in which a proof on symbols is tried, s; 0 for none.
    """
    with exact_package():
        try:
            result = _prove(record, num_draws)
            can_be_symbolic = seconds_for_symbols > 0 and result.kind in (EXACT, ENCLOSED)
            if can_be_symbolic and _is_proved_on_symbols(record, seconds_for_symbols):
                return replace(result, kind=SYMBOLIC)
            return result
        except TimeLimitExceeded as error:  # the alarm rang while a limit ended
            return Evidence("sampled", reason=f"TimeLimitExceeded: {error}")


def _right_forms(record: Any) -> Iterator[tuple[Any, Any]]:
    """Return the forms that must agree with the oracle, with their inputs."""
    for name, inputs in (("inputs", record.inputs), ("condition_inputs", record.condition_inputs)):
        for kind in ("printed", "library"):
            form = getattr(record, kind)
            if inputs is None or form is None:
                continue
            is_wrong = kind == "printed" and name == "inputs" and record.verdict in WRONG_AS_PRINTED
            is_elsewhere = record.condition_inputs is not None and kind == "library" and name == "inputs"
            if not is_wrong and not is_elsewhere:
                yield form, inputs


def _is_proved_on_symbols(record: Any, seconds: float) -> bool:
    """Return True if all forms that must agree with the oracle are the same functions of symbols."""
    forms = list(_right_forms(record))
    if not forms or not all(inputs for _, inputs in forms):
        return False
    try:
        draws = [_draws(record, inputs, 1)[0] for _, inputs in forms]
        with time_limit(seconds):
            return all(
                is_identity(form, record.reference, values)
                for (form, _), values in zip(forms, draws, strict=True)
            )
    except (Exception, TimeLimitExceeded):
        return False


def prove_claim(
    id: str, num_draws: int = NUM_DRAWS, *, seconds_for_symbols: float = SECONDS_FOR_SYMBOLS
) -> Evidence:
    """Return the evidence for the claim of this id; see :func:`prove`."""
    with exact_package():
        from rbnotes.ledger import find

        record = find(id)
    return prove(record, num_draws, seconds_for_symbols=seconds_for_symbols)


def _prove(record: Any, num_draws: int) -> Evidence:
    """Evaluate the forms of a record on exact inputs and return the evidence."""
    if record.reference is None:
        return Evidence("sampled", reason="a definition without a form")
    tallies: dict[tuple[str, str], _Tally] = {}
    num_branches = 0
    try:
        for name, inputs in (("inputs", record.inputs), ("condition_inputs", record.condition_inputs)):
            if inputs is None:
                continue
            for values in _draws_to_compare(record, name, inputs, num_draws, tallies):
                expected = evaluate(record.reference, values)
                for form in ("printed", "library"):
                    if getattr(record, form) is not None:
                        results = evaluate(getattr(record, form), values)
                        num_branches = max([num_branches, *(each.num_branches for each in results)])
                        tally = tallies.setdefault((form, name), _Tally())
                        tally.comparisons.append(compare(results, expected))
                if any(tally.count("unknown") for tally in tallies.values()):
                    break  # no proof is possible
    except (Exception, TimeLimitExceeded) as error:
        return Evidence("sampled", reason=f"inputs: {type(error).__name__}: {error}"[:160])
    return replace(_judge(record, tallies), num_branches=num_branches)


def _judge(record: Any, tallies: dict[tuple[str, str], _Tally]) -> Evidence:
    """Return the evidence that the comparisons of all forms give."""
    verdict = str(record.verdict)
    must_fail = verdict in WRONG_AS_PRINTED
    right = {key: t for key, t in tallies.items() if not (must_fail and key == ("printed", "inputs"))}
    if verdict == "conditional":
        right.pop(("library", "inputs"), None) if ("library", "condition_inputs") in right else None
    wrong = tallies.get(("printed", "inputs")) if must_fail else None
    compared = [c for tally in tallies.values() for c in tally.comparisons]
    num_draws = max((len(t.comparisons) for t in tallies.values()), default=0)
    num_wrong = wrong.count("different") if wrong else 0
    for (form, _), tally in right.items():
        if tally.count("different"):
            worst = max(c.distance for c in tally.comparisons if c.outcome == "different")
            if record.tolerance_reason and worst <= record.tolerance:
                reason = f"the {form} form is an approximation: {record.tolerance_reason}"
                return Evidence("sampled", num_draws=num_draws, num_wrong=num_wrong, reason=reason)
            return Evidence(
                "undecided",
                num_draws=num_draws,
                reason=f"the {form} form differs from the oracle by {worst:.2g}",
            )
    for (form, name), tally in right.items():
        if not tally.all_equal:
            where = " where the condition holds" if name == "condition_inputs" else ""
            return Evidence(
                "sampled", num_draws=num_draws, num_wrong=num_wrong, reason=f"{form}{where}: {tally.reason}"
            )
    if wrong is not None and not num_wrong and not record.undefined:
        reason = wrong.reason or "the print is right on all inputs drawn"
        return Evidence("sampled", num_draws=num_draws, reason=f"the print is not shown wrong: {reason}")
    used = [c for c in compared if c.outcome != "unknown"]
    if not used:
        return Evidence("sampled", num_draws=num_draws, reason="no form is compared")
    if verdict == "demonstration":
        return Evidence("reproduced", num_draws=num_draws)
    equal = [c for c in used if c.outcome == "equal"]
    if any(c.kind == ENCLOSED for c in used):
        width = max((c.width for c in equal), default=0.0)
        digits = int(-np.log10(width)) if width else 0
        return Evidence(ENCLOSED, digits=digits, num_draws=num_draws, num_wrong=num_wrong)
    degree = max((c.degree for c in equal), default=0)
    return Evidence(
        EXACT,
        degree=degree,
        set_bits=SET_BITS,
        bound=degree / SET_SIZE,
        num_draws=num_draws,
        num_wrong=num_wrong,
    )
