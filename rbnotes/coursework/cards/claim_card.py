"""Card of a claim: its contents for a reader, a student or an engineer, as text or as data."""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import starmap
from operator import attrgetter
from typing import Any

import numpy as np

from rbnotes.arguments import Array
from rbnotes.coursework.cards.code_extraction import standalone_code
from rbnotes.coursework.cards.descriptions import (
    describe_conventions,
    describe_units,
    describe_values,
)
from rbnotes.coursework.challenge.case_generation import Case, make_case
from rbnotes.coursework.challenge.formatting import distinguishing_decimals, format_input, format_result
from rbnotes.coursework.challenge.library_tasks import find_task
from rbnotes.ledger import dependencies
from rbnotes.ledger.checks.claim_code import UnreadableFunction, form_functions, readable_function
from rbnotes.ledger.checks.units import argument_quantities, result_quantity
from rbnotes.ledger.evaluation import Values, samples
from rbnotes.ledger.evidence import Evidence, find_evidence, is_stale
from rbnotes.ledger.lookup import LIBRARY, describe_origin, describe_pages, place_in_notes
from rbnotes.ledger.quantities import AnyQuantity
from rbnotes.ledger.record import WRONG_AS_PRINTED, Function, Record
from rbnotes.ledger.shown_counterexample import Counterexample, counterexample
from rbnotes.ledger.unicode_math import (
    LABEL_WIDTH,
    SCREEN_WIDTH,
    labeled_lines,
    readable_formula,
    readable_sentence,
)

NUM_DESCRIBED_INPUTS = 6
"""Number of inputs from which descriptions and examples are made."""
NUM_EXAMPLE_CANDIDATES = 3
"""Number of inputs from which the example is chosen."""
NUMBER = "number"
"""Kind of a result that is a scalar."""
PACKAGE_NAMES = {"numpy": "NumPy", "scipy": "SciPy"}
"""Packages as their authors spell them."""
MAX_BRIEF_LINES = 12
"""Largest number of lines of an example in a list of claims."""
SCREEN_HEIGHT = 24
"""Lines of the summary."""
NUM_CLOSING_LINES = 7
"""Lines of a summary around and below the inputs of a counterexample."""
MIN_INPUT_LINES = 2
"""Smallest number of lines of the inputs of a counterexample."""
MAX_SUMMARY_LINES = {"formula": 4, "text": 3, "inputs": 6, "pages": 2}
"""Largest numbers of lines of the parts of a summary."""


@dataclass(frozen=True)
class Card:
    """Card of one claim; each part is computed at its first use.

    Attributes
    ----------
    record
        The record of the claim.
    """

    record: Record

    @cached_property
    def arguments(self) -> Mapping[str, str]:
        """Positional arguments of the function to submit, each with its description."""
        samples = self._samples
        return {name: describe_values([values[name] for values in samples]) for name in samples[0]}

    @cached_property
    def units(self) -> Mapping[str, str]:
        """Units of the arguments that have any, and of the ``result``, if the claim says what they are."""
        return {
            name: text for name, quantity in self._quantities.items() if (text := describe_units(quantity))
        }

    @cached_property
    def returns(self) -> str:
        """Description of the result."""
        if not self._cases:
            return ""
        shapes = list(dict.fromkeys(case.expected.shape for case in self._cases))
        text = " or ".join(str(shape) for shape in shapes)
        return f"array {text}" if shapes != [()] else NUMBER

    @cached_property
    def example(self) -> tuple[Values, Array] | None:
        """Inputs and right result, chosen for few zero entries."""
        if not self._cases:
            return None
        best = max(self._cases, key=lambda case: np.count_nonzero(case.expected))
        return best.inputs, best.expected

    @cached_property
    def counterexample(self) -> Counterexample | None:
        """Inputs on which the printed form is wrong, its result if there is one, and the right result."""
        return counterexample(self.record)

    @cached_property
    def code(self) -> str | None:
        """Source of the right form without the library, see :func:`standalone_code`."""
        return standalone_code(self.record)

    @property
    def required_packages(self) -> tuple[str, ...]:
        """Packages that have to be installed for the code to run."""
        packages = set()
        for node in ast.walk(ast.parse(self.code or "")):
            if isinstance(node, ast.Import):
                packages |= {each.name.partition(".")[0] for each in node.names}
            elif isinstance(node, ast.ImportFrom):
                packages.add((node.module or "").partition(".")[0])
        return tuple(sorted(packages - sys.stdlib_module_names))

    @cached_property
    def printed_code(self) -> str | None:
        """Source of the printed form."""
        return _form_source(self.record.printed)

    @property
    def task(self) -> str:
        """Task as shown to a student: the function to submit, with an example."""
        if self.record.reference is None:
            return "Nothing to submit: the claim only defines a name."
        return "\n".join([*self._title_lines, *self._task_lines])

    @property
    def brief_task(self) -> str:
        """Task without title, with the example only if it is short; empty if there is nothing to submit."""
        if self.record.reference is None:
            return ""
        sample = self._example_lines if len(self._example_lines) <= MAX_BRIEF_LINES else []
        return "\n".join([*self._request_lines, *sample, *self._check_lines])

    @property
    def _task_lines(self) -> list[str]:
        return [*self._request_lines, *self._example_lines, *self._check_lines]

    @property
    def _title_lines(self) -> list[str]:
        return [f"{self.record.id}  {place_in_notes(self.record)}", self.record.title]

    @cached_property
    def _request_lines(self) -> list[str]:
        name_width = max(map(len, self.arguments), default=0)
        lines = [f"Submit a function of ({', '.join(self.arguments)}):"]
        for name, text in self.arguments.items():
            lines.append(f"  {name:<{name_width}}  {self._describe(name, text)}")
        lines.append(f"that returns {self._describe('result', self.returns)}.")
        if self.record.any_size:
            lines.append("It is tested on arrays of other sizes, too.")
        if self.record.condition:
            condition = readable_sentence(self.record.condition).rstrip(".")
            lines.append(f"It is tested only under this condition: {condition}.")
        return lines

    @cached_property
    def _example_lines(self) -> list[str]:
        if self.example is None:
            return []
        inputs, expected = self.example
        lines = [*starmap(format_input, inputs.items()), format_result("gives", expected, decimals=6)]
        return ["For example,", *"\n".join(lines).splitlines()]

    @cached_property
    def _check_lines(self) -> list[str]:
        texts = [*self.arguments.values(), self.returns]
        lines = describe_conventions(
            texts, list(self._quantities.values()), linear_first=self.record.source == "lloyd"
        )
        return [*lines, f'Check it: rbnotes.challenge("{self.record.id}", your_function)']

    def describe_verdict(self, *, tex: bool = False) -> str:
        """Return claim, verdict and reasons.

        Parameters
        ----------
        tex
            If True, write formulas in TeX, otherwise in Unicode.
        """
        record = self.record
        notes = "" if record.source == LIBRARY else f"; {place_in_notes(record)} of the notes"
        mismatch = self._sentence(record.units_mismatch, tex)
        parts = (
            (self._claim_label, self._formula(record.formula, tex)),
            ("right", self._replacement(tex)),
            ("because", self._sentence(record.correction, tex)),
            ("only if", self._sentence(record.condition, tex)),
            ("units", f"are inconsistent: {mismatch}" if mismatch else ""),
            ("remark", self._sentence(record.remark, tex)),
            ("in a run", self._sentence(record.effect, tex)),
            ("origin", describe_origin(record) if record.verdict in WRONG_AS_PRINTED else ""),
            ("pages", self._pages(tex)),
            ("reply", self._sentence(record.reply, tex)),
            ("oracle", self._sentence(record.oracle, tex)),
            ("evidence", self._evidence(str)),
            *self._dependencies,
            ("library", ", ".join(record.implemented_by)),
            ("chapter", f"{record.chapter}.html of the book{notes}"),
        )
        lines = [f"  {name:<{LABEL_WIDTH}} {text}" for name, text in parts if text]
        return "\n".join([*self._heading(tex), *lines])

    def summarize(self, *, tex: bool = False) -> str:
        """Return the text that fits on a screen: verdict, print and right form, a counterexample, the code.

        Parameters
        ----------
        tex
            If True, write formulas in TeX, otherwise in Unicode.
        """
        record, max_lines = self.record, MAX_SUMMARY_LINES
        lines = [line for part in self._heading(tex) for line in textwrap.wrap(part, SCREEN_WIDTH)]
        for name, text, limit in (
            (self._claim_label, self._formula(record.formula, tex), max_lines["formula"]),
            ("right", self._replacement(tex), max_lines["formula"]),
            ("because", self._sentence(record.correction, tex), max_lines["text"]),
            ("only if", self._sentence(record.condition, tex), max_lines["text"]),
            ("pages", self._pages(tex), max_lines["pages"]),
            ("evidence", self._evidence(attrgetter("summary")), 1),
        ):
            lines += labeled_lines(name, text, limit)
        num_free = SCREEN_HEIGHT - len(lines) - NUM_CLOSING_LINES - MIN_INPUT_LINES
        if num_free > 0:
            effect = self._sentence(record.effect, tex)
            lines += labeled_lines("in a run", effect, min(max_lines["text"], num_free))
        if self.counterexample is not None:
            num_free = SCREEN_HEIGHT - len(lines) - NUM_CLOSING_LINES
            most = max(MIN_INPUT_LINES, min(max_lines["inputs"], num_free))
            *input_lines, results = self.counterexample.describe(most, SCREEN_WIDTH - 4)
            lines += ["  for", *(f"    {line}" for line in input_lines), *labeled_lines("", results, 2)]
        lines += labeled_lines("library", ", ".join(record.implemented_by), 2)
        code = textwrap.indent(self.code or "", "    ").splitlines()
        is_narrow = all(len(line) <= SCREEN_WIDTH for line in code)
        if code and is_narrow and len(lines) + len(code) + 3 <= SCREEN_HEIGHT:
            lines += ["  code", *code]
        options = "--full, --tex or --task" if record.reference is not None else "--full or --tex"
        if len(lines) + 4 <= SCREEN_HEIGHT:
            lines += [line for name, text in self._dependencies for line in labeled_lines(name, text, 1)]
        lines += [f"  more      rbnotes show {record.id} with {options}"]
        lines += labeled_lines("chapter", f"{record.chapter}.html of the book", 1)
        return "\n".join(lines)

    def _heading(self, tex: bool) -> list[str]:
        record = self.record
        heading = f"{record.id}  {place_in_notes(record)}  {str(record.verdict).upper()}"
        return [heading, self._sentence(record.title, tex)]

    def _pages(self, tex: bool) -> str:
        """Return the text of the author's pages; empty for a task that does not come from notes."""
        return "" if self.record.source == LIBRARY else self._sentence(describe_pages(self.record), tex)

    def _evidence(self, describe: Callable[[Evidence], str]) -> str:
        """Return the evidence, and whether it is stale; empty for a task that is not a claim of notes."""
        if self.record.source == LIBRARY:
            return ""
        text = describe(find_evidence(self.record))
        return f"{text} (changed since)" if is_stale(self.record) else text

    @property
    def _dependencies(self) -> list[tuple[str, str]]:
        """Return the displays on which the claim rests, and those that use it, with the wrong ones marked."""
        display = self.record.display
        return [
            ("rests on", ", ".join(map(dependencies.describe, dependencies.rests_on(display)))),
            ("used by", ", ".join(map(dependencies.describe, dependencies.used_by(display)))),
        ]

    @property
    def _claim_label(self) -> str:
        return "printed" if self.record.correction else "claim"

    def _formula(self, formula: str, tex: bool) -> str:
        return formula if tex else readable_formula(formula)

    def _sentence(self, sentence: str, tex: bool) -> str:
        return sentence if tex else readable_sentence(sentence)

    def _replacement(self, tex: bool) -> str:
        text = " ".join(self.record.replacement.split())
        return self._sentence(text, tex) if self.record.is_prose else self._formula(text, tex)

    @property
    def counterexample_text(self) -> str:
        """Printed form as code, and inputs on which it is wrong."""
        if self.counterexample is None:
            return ""
        inputs, printed, right = self.counterexample
        lines = ["As printed:", textwrap.indent(self.printed_code or "", "  ").rstrip()]
        decimals = None if printed is None else distinguishing_decimals(printed, right)
        lines += ["is wrong, for example on", *starmap(format_input, inputs.items())]
        lines.append(format_result("gives", "no number" if printed is None else printed, decimals=decimals))
        return "\n".join([*lines, format_result("right is", right, decimals=decimals or 6)])

    @property
    def code_text(self) -> str:
        """Code of the right form with a heading."""
        if self.code is None:
            return ""
        packages = " and ".join(PACKAGE_NAMES.get(name, name) for name in self.required_packages)
        only = " alone" if self.required_packages == ("numpy",) else ""
        code = textwrap.indent(self.code, "  ").rstrip()
        return f"The right form, with {packages or 'Python'}{only}:\n\n{code}"

    def describe(self, *, tex: bool = False) -> str:
        """Return the whole card.

        Parameters
        ----------
        tex
            If True, write formulas in TeX, otherwise in Unicode.
        """
        task = self.task if self.record.reference is None else "\n".join(self._task_lines)
        parts = (self.describe_verdict(tex=tex), self.counterexample_text, self.code_text, task)
        return "\n\n".join(part for part in parts if part)

    def __str__(self) -> str:
        return self.describe()

    __repr__ = __str__

    def to_dict(self) -> dict[str, Any]:
        """Return all parts as plain values."""
        record = self.record
        return {
            "id": record.id,
            "where": place_in_notes(record),
            "verdict": str(record.verdict),
            "title": record.title,
            "formula": record.formula,
            "correction": record.correction,
            "replacement": record.replacement,
            "condition": record.condition,
            "remark": record.remark,
            "origin": str(record.origin),
            "pages": describe_pages(record),
            "reply": record.reply,
            "evidence": self._evidence(str),
            "rests_on": list(dependencies.rests_on(record.display)),
            "used_by": list(dependencies.used_by(record.display)),
            "implemented_by": list(record.implemented_by),
            "chapter": record.chapter,
            "arguments": dict(self.arguments) if record.reference is not None else {},
            "returns": self.returns,
            "units": dict(self.units),
            "meanings": {name: text for name in (*record.inputs, "result") if (text := self._meaning(name))},
            "printed_code": self.printed_code,
            "code": self.code,
            "needs": list(self.required_packages),
        }

    @cached_property
    def _samples(self) -> list[Values]:
        return samples(self.record.allowed_inputs, NUM_DESCRIBED_INPUTS, random_seed=0)

    @cached_property
    def _quantities(self) -> Mapping[str, AnyQuantity]:
        if self.record.result.quantity is None:
            return {}
        values = self._samples[0]
        return {**argument_quantities(self.record, values), "result": result_quantity(self.record, values)}

    def _with_units(self, name: str, text: str) -> str:
        return f"{text} {self.units[name]}" if name in self.units else text

    def _meaning(self, name: str) -> str:
        """Return the meaning of an argument or of the result; a single number has no frame."""
        if name == "result":
            return "" if self.returns in ("", NUMBER) else self.record.result.meaning
        argument = self.record.arguments.get(name)
        return "" if argument is None else argument.meaning

    def _describe(self, name: str, text: str) -> str:
        explanation, described = self._meaning(name), self._with_units(name, text)
        return f"{described}: {explanation}" if explanation else described

    @cached_property
    def _cases(self) -> tuple[Case, ...]:
        if self.record.reference is None:
            return ()
        cases = (
            make_case(self.record, "generic", values) for values in self._samples[:NUM_EXAMPLE_CANDIDATES]
        )
        return tuple(case for case in cases if case is not None)


def card(id: str) -> Card:
    """Return the card of a claim.

    Parameters
    ----------
    id
        The claim, by its id or another name: ``"S 1.62"``, ``"lloyd 0.45"``, ``"1.62"``.

    Raises
    ------
    InvalidArgument
        If there is no such claim, or if there are several.
    """
    return Card(find_task(id))


def _form_source(form: Function | None) -> str | None:
    """Return the source of a form, after the sources of the claim's functions that it calls."""
    if form is None:
        return None
    try:
        sources = [inspect.getsource(part) for part in form_functions(readable_function(form))]
    except (UnreadableFunction, OSError):
        return None
    return "\n".join(textwrap.dedent(source) for source in reversed(sources))
