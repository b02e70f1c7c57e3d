"""Measure the error rates of `rbnotes.challenge` on 42 functions and about a thousand mutants.

Each submission is the right form of a claim with one change to its source. A separate test decides if it is
wrong: many inputs from all regions, with another seed, against the claim's oracle. The tool prints the
fraction of wrong submissions that fail and the number of right ones that fail, and writes them for the book.

    python tools/challenge_trial.py               about ten minutes on one core
    python tools/challenge_trial.py --count 100   fewer mutants; writes nothing
    python tools/challenge_trial.py --angles 150  only functions that are wrong close to special angles
    python tools/challenge_trial.py --limits 1000  only functions that are wrong beyond a size of an argument
    python tools/challenge_trial.py --code        instead run all code that the cards offer
    python tools/challenge_trial.py --cards       instead check that all cards are complete
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from challenge_variants import VARIANTS

from rbnotes import ledger
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.coursework.cards import Card, standalone_code
from rbnotes.coursework.challenge import Case, assess, collect_answers
from rbnotes.coursework.challenge.case_generation import (
    MAX_TINY_ANGLE,
    iterate_all_cases,
    iterate_angle_cases,
    make_case,
    right_forms,
    with_precision_masks,
)
from rbnotes.coursework.challenge.library_tasks import load_all
from rbnotes.coursework.challenge.structured_inputs import is_scalable
from rbnotes.ledger import Record
from rbnotes.ledger.checks.claim_code import UnreadableFunction, readable_function
from rbnotes.ledger.checks.mutation import (
    MIN_CALL_LIMIT,
    call_counter,
    form_under_test,
    source_mutants,
)
from rbnotes.ledger.evaluation import Values, distance, evaluate, samples
from rbnotes.ledger.record import Function
from rbnotes.testing.strategies import Region

RESULTS = Path(__file__).parents[1] / "book" / "_data" / "challenge.json"
EXAMPLES, DENSE = 96, 96
"""Numbers of cases of the challenge (half of its default) and of the independent test."""
ANGLE_SLIPS_EACH = 8
"""Functions that are wrong close to special angles, for one claim."""
EACH = 60
"""Submissions made of one claim."""
SLOW = 0.0008
"""Claims whose oracle takes longer, in seconds, are left out: they would take hours."""
LIMIT_SLIPS_EACH = 10
"""Functions that are wrong beyond a size of an argument, for one claim."""
LARGE_LIMITS, SMALL_LIMITS = (3.0, 10.0, 30.0, 100.0), tuple(10.0**-decade for decade in range(1, 6))
"""Limits relative to the usual sizes of an argument, above or below which functions are wrong."""
NUM_LIMIT_SLIPS = 1000
"""Number of such functions in the full trial."""
SEED, OTHER_SEED = 0, 20_000
SLIP_RANGES = (*(10.0**-decade for decade in range(1, 7)), 0.02)
"""Distances from a special angle below which the functions of :func:`angle_slips` are wrong, rad."""
NUM_RANGE_DRAWS, MIN_WRONG_FRACTION = 12, 0.25
"""Number of random angles within such a distance, and fraction on which a wrong function must be wrong."""


@dataclass(frozen=True)
class Submission:
    """Form of a claim, unchanged or with one change."""

    claim: Record
    change: str
    form: Function


@dataclass
class Tally:
    """Counts of the submissions by result."""

    wrong: int = 0
    wrong_failed: int = 0
    right: int = 0
    right_failed: int = 0

    def add(self, right: bool, passed: bool) -> None:
        """Count one submission."""
        self.right += right
        self.right_failed += right and not passed
        self.wrong += not right
        self.wrong_failed += not right and not passed

    @property
    def detection_rate(self) -> float:
        """Return the fraction of the wrong submissions that fail."""
        return self.wrong_failed / max(1, self.wrong)


def submissions(claim: Record, generator: random.Random, count: int) -> list[Submission]:
    """Return the right forms of a claim and mutants of one of them."""
    form = form_under_test(claim)
    result = [Submission(claim, "", right) for right in right_forms(claim)]
    if form is None:
        return result
    try:
        inputs = samples(claim.allowed_inputs, 4)
        mutants = list(source_mutants(readable_function(form), inputs))
    except UnreadableFunction:
        return result
    chosen = generator.sample(mutants, min(count, len(mutants)))
    return result + [Submission(claim, mutant.change, mutant.form) for mutant in chosen]


def passes(submission: Submission, cases: Sequence[Case]) -> bool:
    """Return True if the submission passes the challenge."""
    few = 8
    for some in (cases[:few], cases[few:]):
        with call_counter(MIN_CALL_LIMIT * len(some) * 16):  # each is called up to four times
            answers = collect_answers(submission.form, [case.inputs for case in some])
        assessments = (
            assess(submission.claim, case, answer) for case, answer in zip(some, answers, strict=True)
        )
        if not all(assessments):
            return False
    return True


def is_right(submission: Submission, cases: Sequence[Case]) -> bool:
    """Return True if a submission agrees with the oracle: the independent check of the challenge.

    Near zero the tolerance of a case allows for the digits that right forms lose there.
    """
    for case in cases:
        try:
            with call_counter(MIN_CALL_LIMIT * 16):
                off = distance(
                    evaluate(submission.form, case.inputs), case.expected, printed_numbers=not case.inputs
                )
        except Exception:  # a change may break a form in any way
            return False
        if not off <= case.tolerance:
            return False
    return True


def challenge_cases(claim: Record, seed: int, examples: int) -> list[Case]:
    """Return the cases of a challenge."""
    return with_precision_masks(claim, list(iterate_all_cases(claim, seed=seed, examples=examples)))


def independent_cases(claim: Record, seed: int, examples: int) -> list[Case]:
    """Return the cases of the independent test: those of all regions of a challenge, with another seed."""
    return list(iterate_all_cases(claim, seed=seed + OTHER_SEED, examples=examples))


def claims(generator: random.Random) -> Iterator[Record]:
    """Yield claims with fast oracles in random order."""
    checkable = [
        (record, record.reference)
        for record in ledger.load()
        if record.reference is not None and record.inputs
    ]
    for record, oracle in generator.sample(checkable, len(checkable)):
        some = samples(record.inputs, 3)
        start = time.perf_counter()
        for values in some:
            evaluate(oracle, values)
        if (time.perf_counter() - start) / len(some) < SLOW:
            yield record


def trial(
    count: int, *, seed: int = SEED, examples: int = EXAMPLES, dense: int = DENSE, each: int = EACH
) -> tuple[Tally, list[Submission]]:
    """Test mutants; return the tally and the submissions on which challenge and dense test disagree."""
    generator = random.Random(seed)
    tally, disagreed = Tally(), list[Submission]()
    num_changed = 0
    for claim in claims(generator):
        print(f"\r{num_changed} ", end="", file=sys.stderr, flush=True)
        claim_cases = challenge_cases(claim, seed, examples)
        dense_cases = independent_cases(claim, seed, dense)
        for submission in submissions(claim, generator, min(each, count - num_changed)):
            num_changed += bool(submission.change)
            right = is_right(submission, dense_cases)
            passed = passes(submission, claim_cases)
            tally.add(right, passed)
            if right != passed:
                disagreed.append(submission)
        if num_changed >= count:
            break
    return tally, disagreed


def variants(examples: int = EXAMPLES) -> tuple[Tally, list[str]]:
    """Test the functions written by hand; return the tally and the wrong results."""
    tally, missed = Tally(), list[str]()
    cases_by_claim = {
        name: challenge_cases(ledger.find(name), SEED, examples) for name in {each.claim for each in VARIANTS}
    }
    for variant in VARIANTS:
        submission = Submission(ledger.find(variant.claim), variant.description, variant.function)
        passed = passes(submission, cases_by_claim[variant.claim])
        tally.add(variant.right, passed)
        if passed is not variant.right:
            missed.append(f"{variant.claim}: {variant.description}")
    return tally, missed


def code() -> list[str]:
    """Run all code that the cards offer; return the failures."""
    failed = []
    for record in ledger.load():
        text = standalone_code(record)
        if text is None or record.library is None:
            continue
        names: dict[str, Any] = {}
        try:
            exec(compile(text, f"<{record.id}>", "exec"), names)
            for values in islice(samples(record.inputs, 3), 3):
                if (
                    not distance(evaluate(names["right_form"], values), evaluate(record.library, values))
                    < 1e-9
                ):
                    failed.append(f"{record.id}: another result")
                    break
        except Exception as error:
            failed.append(f"{record.id}: {error}")
    return failed


def cards() -> list[str]:
    """Return the missing parts of the cards of all claims that can be challenged."""
    missing = []
    for record in load_all():
        if record.reference is None:
            continue
        card = Card(record)
        parts = [("the example", card.example), ("the result", card.returns)]
        parts += [(f"the meaning of {name}", card.arguments.get(name)) for name in record.inputs]
        if card.example is not None and card.example[1].ndim:
            parts.append(("the frame of the result", record.result.meaning))
        missing += [f"{record.id}: {description}" for description, text in parts if not text]
    return missing


def angle_argument(cases: Sequence[Case]) -> str | None:
    """Return the argument that is an angle or starts with a rotation vector; None if there is none."""
    for name in cases[0].inputs if cases else ():
        values = [case.inputs[name] for case in cases]
        if all(isinstance(value, (float, np.ndarray)) and np.size(value) in (1, 3, 6) for value in values):
            lengths = [np.linalg.norm(np.ravel(value)[:3]) for value in values]
            if np.allclose(lengths, [case.angle or 0.0 for case in cases], rtol=1e-9):
                return name
    return None


def with_angle(values: Values, name: str, angle: float) -> Values:
    """Return inputs in which an argument has another angle about the same axis."""
    value = np.array(values[name], dtype=float)
    flat = value.reshape(-1)
    flat[:3] *= angle / np.linalg.norm(flat[:3])
    return {**values, name: value if value.ndim else float(value)}


def confirmed_case(claim: Record, region: Region, values: Values) -> Case | None:
    """Return the case of these inputs, or None if a right form is wrong there: the claim may not hold."""
    case = make_case(claim, region, values)
    if case is None or not all(is_right(Submission(claim, "", form), [case]) for form in right_forms(claim)):
        return None
    return case


def angle_slips(claim: Record, generator: random.Random) -> Iterator[Submission]:
    """Yield functions that are wrong close to a special angle, on a quarter of the angles there.

    Within a distance of 0, a quarter, a half or a full turn they take that angle itself, or, near zero, the
    odd part of the result as a series that is cut after its first term.
    """
    cases = list(iterate_angle_cases(claim, seed=SEED + OTHER_SEED))
    name, forms = angle_argument(cases), right_forms(claim)
    if name is None or not forms:
        return
    form, names = forms[0], list(cases[0].inputs)

    def evaluate_at(values: Values, angle: float) -> Any:
        return form(*with_angle(values, name, angle).values())

    ranges = [
        *((turn * np.pi, width, False) for turn in (0.0, 0.5, 1.0, 2.0) for width in SLIP_RANGES),
        *((0.0, width, True) for width in SLIP_RANGES),
    ]
    generator.shuffle(ranges)
    for special, width, is_series in ranges:

        def wrong(
            *inputs: Any, special: float = special, width: float = width, is_series: bool = is_series
        ) -> Any:
            values = dict(zip(names, inputs, strict=True))
            angle = float(np.linalg.norm(np.ravel(values[name])[:3]))
            if angle == 0 or abs(angle - special) > width:
                return form(*inputs)
            if is_series:
                difference = np.subtract(form(*inputs), evaluate_at(values, -angle))
                return evaluate_at(values, 0.0) + difference / 2
            return evaluate_at(values, special)

        wrong_draws = 0
        for _ in range(NUM_RANGE_DRAWS):
            offset = width * 10.0 ** -generator.uniform(0, 1) * generator.choice((-1, 1))
            angle = special + offset if special else abs(offset)
            values = with_angle(generator.choice(cases).inputs, name, angle)
            region: Region = "tiny" if angle <= MAX_TINY_ANGLE else "special angle"
            case = confirmed_case(claim, region, values)
            wrong_draws += case is not None and not is_right(Submission(claim, "", wrong), [case])
        if wrong_draws >= MIN_WRONG_FRACTION * NUM_RANGE_DRAWS:
            kind = "first-order series" if is_series else f"angle {special:.4g}"
            yield Submission(claim, f"{kind} within {width:g}", wrong)


def _size(value: Any) -> float:
    """Return the size of a number or the largest entry of an array; NaN for other arguments."""
    if isinstance(value, float):
        return abs(value)
    is_array = isinstance(value, np.ndarray) and value.dtype.kind == "f" and value.size > 0
    return float(np.max(np.abs(value))) if is_array else np.nan


SLIP_KINDS: dict[str, Callable[[Array], Array]] = {
    "zero": np.zeros_like,
    "opposite sign": np.negative,
    "double": lambda result: 2 * result,
    "without its last entry": lambda result: np.where(
        np.arange(result.size).reshape(result.shape) == result.size - 1, 0.0, result
    ),
    "in reverse order": lambda result: np.flip(result),
    "transposed": lambda result: result.T,
    "one less": lambda result: result - 1.0,
}
"""Wrong results made of right ones."""


def limit_slips(claim: Record, generator: random.Random) -> Iterator[Submission]:
    """Yield functions that are wrong beyond a size of an argument, on a quarter of such inputs.

    The size is that of the numbers of one argument, or of its rows and columns. The inputs that show whether
    a function is wrong there are generic ones with this argument rescaled, where the oracle confirms the
    right form.
    """
    forms, inputs = right_forms(claim), samples(claim.allowed_inputs, 24, random_seed=SEED + OTHER_SEED)
    if not forms or not inputs[0]:
        return
    form, names = forms[0], list(inputs[0])
    limits = [
        (name, factor * usual, factor > 1)
        for name in names
        for usual in [float(np.median([_size(values[name]) for values in inputs]))]
        if usual > 0 and is_scalable([values[name] for values in inputs])
        for factor in (*LARGE_LIMITS, *SMALL_LIMITS)
    ]
    generator.shuffle(limits)
    for name, limit, is_large in limits:
        index, kind = names.index(name), generator.choice(list(SLIP_KINDS))

        def wrong(
            *arguments: Any,
            index: int = index,
            limit: float = limit,
            large: bool = is_large,
            kind: str = kind,
        ) -> Any:
            result, size = np.asarray(form(*arguments), dtype=float), _size(arguments[index])
            is_beyond = size > limit if large else size < limit
            return SLIP_KINDS[kind](result) if is_beyond else result

        right_draws = wrong_draws = 0
        for values in inputs[:NUM_RANGE_DRAWS]:
            if not _size(values[name]) > 0:
                continue
            factor = limit / _size(values[name]) * 10.0 ** (generator.uniform(0, 1) * (1 if is_large else -1))
            rescaled = {**values, name: values[name] * factor}
            case = confirmed_case(claim, "large" if is_large else "tiny", rescaled)
            if case is not None:
                is_wrong = not is_right(Submission(claim, "", wrong), [case])
                wrong_draws, right_draws = wrong_draws + is_wrong, right_draws + (not is_wrong)
        if wrong_draws >= MIN_WRONG_FRACTION * NUM_RANGE_DRAWS:
            relation = "above" if is_large else "below"
            yield Submission(claim, f"{kind} if {name} is {relation} {limit:.2g}", wrong)


def limit_trial(count: int, *, seed: int = SEED, examples: int = EXAMPLES) -> tuple[Tally, list[Submission]]:
    """Test functions that are wrong beyond a size; return the tally and the misjudged functions."""
    return _slip_trial(limit_slips, LIMIT_SLIPS_EACH, count, seed, examples)


def angle_trial(count: int, *, seed: int = SEED, examples: int = EXAMPLES) -> tuple[Tally, list[Submission]]:
    """Test functions that are wrong near special angles; return the tally and the misjudged functions."""
    return _slip_trial(angle_slips, ANGLE_SLIPS_EACH, count, seed, examples)


def _slip_trial(
    make_slips: Callable[[Record, random.Random], Iterator[Submission]],
    each: int,
    count: int,
    seed: int,
    examples: int,
) -> tuple[Tally, list[Submission]]:
    generator = random.Random(seed)
    tally, disagreed = Tally(), list[Submission]()
    for claim in claims(generator):
        chosen = list(islice(make_slips(claim, generator), min(each, count - tally.wrong)))
        if not chosen:
            continue
        claim_cases = challenge_cases(claim, seed, examples)
        rights = [Submission(claim, "", form) for form in right_forms(claim)]
        for submission in rights + chosen:
            right = not submission.change
            passed = passes(submission, claim_cases)
            tally.add(right, passed)
            if right != passed:
                disagreed.append(submission)
        if tally.wrong >= count:
            break
    return tally, disagreed


def report(tally: Tally, disagreed: Sequence[Submission]) -> int:
    """Print a tally; return 1 if a right submission fails or too many wrong ones pass."""
    print(f"{tally.wrong_failed} of {tally.wrong} wrong submissions fail ({tally.detection_rate:.2%}),")
    print(f"  {tally.right_failed} of {tally.right} right ones fail")
    for each in disagreed:
        print(f"    {each.claim.id}: {each.change or 'unchanged'}")
    return int(tally.right_failed > 0 or tally.detection_rate < 0.99)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the tool; exit status 1 if a right submission fails or too many wrong ones pass."""
    parser = argparse.ArgumentParser(description="Measure the error rates of rbnotes.challenge.")
    parser.add_argument("--count", type=int, default=1000, help="number of mutants")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--examples", type=int, default=EXAMPLES, help="number of cases of the challenge")
    parser.add_argument("--dense", type=int, default=DENSE, help="number of cases of the independent test")
    parser.add_argument("--angles", type=int, default=0, help="number of functions wrong near special angles")
    parser.add_argument("--limits", type=int, default=0, help="number of functions wrong beyond a size")
    parser.add_argument("--code", action="store_true", help="run the code on the cards")
    parser.add_argument("--cards", action="store_true", help="check that the cards are complete")
    options = parser.parse_args(arguments)
    if options.count < 1:
        raise InvalidArgument("--count", str(options.count), "a positive number")
    if options.code:
        wrong_code = code()
        print("\n".join(wrong_code) or "all code on the cards is correct")
        return bool(wrong_code)
    if options.cards:
        missing = cards()
        print("\n".join(missing) or "all cards are complete")
        return bool(missing)
    if options.limits:
        return report(*limit_trial(options.limits, seed=options.seed, examples=options.examples))
    if options.angles:
        return report(*angle_trial(options.angles, seed=options.seed, examples=options.examples))
    by_hand, missed = variants(options.examples)
    print(
        f"{by_hand.right + by_hand.wrong} by hand: {by_hand.wrong_failed} of {by_hand.wrong} wrong ones fail,"
    )
    print(f"  {by_hand.right_failed} of {by_hand.right} right ones fail", *missed, sep="\n    ")
    tally, disagreed = trial(options.count, seed=options.seed, examples=options.examples, dense=options.dense)
    failed = report(tally, disagreed)
    by_limit, missed_limits = limit_trial(NUM_LIMIT_SLIPS, seed=options.seed, examples=options.examples)
    failed |= report(by_limit, missed_limits)
    if options.count >= 1000:
        figures = {
            "by_hand": vars(by_hand),
            "by_mutation": vars(tally),
            "by_limit": vars(by_limit),
            "seed": options.seed,
        }
        RESULTS.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    return int(bool(missed) or failed)


if __name__ == "__main__":
    np.seterr(all="ignore")
    sys.exit(main())
