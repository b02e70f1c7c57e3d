"""The card of a claim: everything that a reader, a student or an engineer asks of it, as text or as data."""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rbnotes.arguments import Array
from rbnotes.cards.describing import conventions, described, measured
from rbnotes.cards.meanings import meaning
from rbnotes.cards.standalone import standalone
from rbnotes.challenge.drawing import Case, case_of
from rbnotes.challenge.own import find
from rbnotes.challenge.showing import shown, telling_decimals
from rbnotes.ledger.covariance import of_result, quantities
from rbnotes.ledger.honesty.claim_code import Unreadable, helpers, plain
from rbnotes.ledger.naming import LIBRARY, where
from rbnotes.ledger.quantities import Anything
from rbnotes.ledger.record import WRONG_AS_PRINTED, Function, Record
from rbnotes.ledger.runner import counterexample_of
from rbnotes.ledger.trials import Values, result, samples

SEEN = 6
"""Inputs that descriptions and examples are made from."""
TRIED = 3
"""Inputs that the example is chosen from."""
NUMBER = "number"
"""What comes back where it is no array."""
PACKAGES = {"numpy": "NumPy", "scipy": "SciPy"}
"""Packages as their authors spell them."""
BRIEF = 12
"""Lines of an example that is shown in a list of claims."""


@dataclass(frozen=True)
class Card:
    """One claim; its parts are made when they are asked for."""

    record: Record
    """The record of the claim."""

    @cached_property
    def arguments(self) -> Mapping[str, str]:
        """What to hand in: a function of these, by position, each with what it is."""
        drawn = self._drawn
        return {name: described([values[name] for values in drawn]) for name in drawn[0]}

    @cached_property
    def units(self) -> Mapping[str, str]:
        """Units of the arguments that have any, and of the ``result``, if the claim says what they are."""
        return {name: text for name, quantity in self._told.items() if (text := measured(quantity))}

    @cached_property
    def returns(self) -> str:
        """What comes back."""
        if not self._cases:
            return ""
        shapes = list(dict.fromkeys(case.expected.shape for case in self._cases))
        text = " or ".join(str(shape) for shape in shapes)
        return f"array {text}" if shapes != [()] else NUMBER

    @cached_property
    def example(self) -> tuple[Values, Array] | None:
        """Inputs with the right result, as few of whose entries are zero as there are."""
        if not self._cases:
            return None
        best = max(self._cases, key=lambda case: np.count_nonzero(case.expected))
        return best.inputs, best.expected

    @cached_property
    def counterexample(self) -> tuple[Values, Array | None, Array] | None:
        """Inputs on which the print is wrong, what it gives there (if a number), and what is right."""
        record = self.record
        if record.verdict not in WRONG_AS_PRINTED or record.printed is None or record.reference is None:
            return None
        values = counterexample_of(record).counterexample
        if values is None:
            return None
        return values, _number(record.printed, values), result(record.reference, values)

    @cached_property
    def code(self) -> str | None:
        """Source of the right form that can be pasted, see :func:`rbnotes.cards.standalone`."""
        return standalone(self.record)

    @property
    def needs(self) -> tuple[str, ...]:
        """Packages that have to be installed for the code to run."""
        found = set()
        for node in ast.walk(ast.parse(self.code or "")):
            if isinstance(node, ast.Import):
                found |= {each.name.partition(".")[0] for each in node.names}
            elif isinstance(node, ast.ImportFrom):
                found.add((node.module or "").partition(".")[0])
        return tuple(sorted(found - sys.stdlib_module_names))

    @cached_property
    def printed_code(self) -> str | None:
        """The formula as printed, as code."""
        return _source(self.record.printed)

    @property
    def task(self) -> str:
        """What to hand in, with an example: what a student sees."""
        if self.record.reference is None:
            return "Nothing to hand in: the claim only defines a name."
        return "\n".join([*self._title, *self._whole])

    @property
    def brief(self) -> str:
        """The same, with the example only if it is a small one; empty if there is nothing to hand in."""
        if self.record.reference is None:
            return ""
        sample = self._sample if len(self._sample) <= BRIEF else []
        return "\n".join([*self._request, *sample, *self._check])

    @property
    def _whole(self) -> list[str]:
        return [*self._request, *self._sample, *self._check]

    @property
    def _title(self) -> list[str]:
        return [f"{self.record.id}  {where(self.record)}", self.record.title]

    @cached_property
    def _request(self) -> list[str]:
        wide = max(map(len, self.arguments), default=0)
        lines = [f"Hand in a function of ({', '.join(self.arguments)}):"]
        for name, text in self.arguments.items():
            lines.append(f"  {name:<{wide}}  {self._in_words(name, text)}")
        lines.append(f"that returns {self._in_words('result', self.returns)}.")
        if self.record.condition:
            lines.append(f"It is tried only where this holds: {self.record.condition.rstrip('.')}.")
        return lines

    @cached_property
    def _sample(self) -> list[str]:
        if self.example is None:
            return []
        inputs, expected = self.example
        return ["For example,", *"\n".join(_listed(inputs, "gives", expected)).splitlines()]

    @cached_property
    def _check(self) -> list[str]:
        texts = [*self.arguments.values(), self.returns]
        lines = conventions(texts, list(self._told.values()), linear_first=self.record.source == "lloyd")
        return [*lines, f'Check it: rbnotes.challenge("{self.record.id}", your_function)']

    @property
    def verdict(self) -> str:
        """The claim, its verdict and the texts that say why."""
        record = self.record
        notes = "" if record.source == LIBRARY else f"; {where(record)} of the notes"
        parts = (
            ("printed" if record.correction else "claim", record.formula),
            ("right", record.correction),
            ("latex", " ".join(record.replacement.split())),
            ("only if", record.condition),
            ("units", f"do not fit: {record.misfit}" if record.misfit else ""),
            ("remark", record.remark),
            ("scan", "the slip may come from the scan of the notes" if record.scan else ""),
            ("checked", f"against {record.oracle}" if record.oracle else ""),
            ("library", ", ".join(record.implemented_by)),
            ("told in", f"{record.chapter}.html of the book{notes}"),
        )
        lines = [f"{record.id}  {where(record)}  {str(record.verdict).upper()}", record.title]
        return "\n".join([*lines, *(f"  {name:<8} {text}" for name, text in parts if text)])

    @property
    def wrong(self) -> str:
        """The print as code, and inputs on which it is wrong."""
        if self.counterexample is None:
            return ""
        inputs, printed, right = self.counterexample
        lines = ["As printed:", textwrap.indent(self.printed_code or "", "  ").rstrip()]
        decimals = None if printed is None else telling_decimals(printed, right)
        got = "no number" if printed is None else shown(printed, decimals=decimals, indent=len("  gives "))
        lines += ["is wrong, for example on", *_listed(inputs, "gives", got)]
        return "\n".join([*lines, f"  right is {shown(right, decimals=decimals or 6)}"])

    @property
    def pasted(self) -> str:
        """The code to paste, with a heading."""
        if self.code is None:
            return ""
        needs = " and ".join(PACKAGES.get(name, name) for name in self.needs)
        alone = " alone" if self.needs == ("numpy",) else ""
        return (
            f"The right form, with {needs or 'Python'}{alone}:\n\n{textwrap.indent(self.code, '  ')}".rstrip()
        )

    def __str__(self) -> str:
        task = self.task if self.record.reference is None else "\n".join(self._whole)
        return "\n\n".join(part for part in (self.verdict, self.wrong, self.pasted, task) if part)

    __repr__ = __str__

    def as_data(self) -> dict[str, Any]:
        """All parts as plain values."""
        record = self.record
        return {
            "id": record.id,
            "where": where(record),
            "verdict": str(record.verdict),
            "title": record.title,
            "formula": record.formula,
            "correction": record.correction,
            "replacement": record.replacement,
            "condition": record.condition,
            "remark": record.remark,
            "implemented_by": list(record.implemented_by),
            "chapter": record.chapter,
            "arguments": dict(self.arguments) if record.reference is not None else {},
            "returns": self.returns,
            "units": dict(self.units),
            "meanings": {name: told for name in (*record.inputs, "result") if (told := self._meaning(name))},
            "printed_code": self.printed_code,
            "code": self.code,
            "needs": list(self.needs),
        }

    @cached_property
    def _drawn(self) -> list[Values]:
        return samples(self.record.allowed_inputs, SEEN, start=0)

    @cached_property
    def _told(self) -> Mapping[str, Anything]:
        if self.record.result is None:
            return {}
        values = self._drawn[0]
        return {**quantities(self.record, values), "result": of_result(self.record, values)}

    def _with_units(self, name: str, text: str) -> str:
        return f"{text} {self.units[name]}" if name in self.units else text

    def _meaning(self, name: str) -> str:
        """A single number that comes back is in no frame."""
        return "" if name == "result" and self.returns in ("", NUMBER) else meaning(self.record, name)

    def _in_words(self, name: str, text: str) -> str:
        told = self._meaning(name)
        return f"{self._with_units(name, text)}: {told}" if told else self._with_units(name, text)

    @cached_property
    def _cases(self) -> tuple[Case, ...]:
        if self.record.reference is None:
            return ()
        found = (case_of(self.record, "generic", values) for values in self._drawn[:TRIED])
        return tuple(case for case in found if case is not None)


def card(id: str) -> Card:
    """The card of a claim.

    Parameters
    ----------
    id
        The claim, by its id or another name: ``"S 1.62"``, ``"lloyd 0.45"``, ``"1.62"``.

    Raises
    ------
    InvalidArgument
        If there is no such claim, or if there are several.
    """
    return Card(find(id))


def _listed(inputs: Values, verb: str, outcome: Any) -> list[str]:
    lines = [f"  {name} = {shown(value, indent=5 + len(name))}" for name, value in inputs.items()]
    text = outcome if isinstance(outcome, str) else shown(outcome, decimals=6, indent=3 + len(verb))
    return [*lines, f"  {verb} {text}"]


def _number(form: Function, values: Values) -> Array | None:
    try:
        return result(form, values)
    except (ValueError, IndexError, ArithmeticError):
        return None


def _source(form: Function | None) -> str | None:
    """Source of a form, after that of the claim's functions that it calls."""
    if form is None:
        return None
    try:
        sources = [inspect.getsource(part) for part in helpers(plain(form))]
    except (Unreadable, OSError):
        return None
    return "\n".join(textwrap.dedent(source) for source in reversed(sources))
