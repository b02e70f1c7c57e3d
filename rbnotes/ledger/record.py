"""The record: one claim of the notes, the code that states it, and the verdict that follows.

A record is written as the body of a class under :func:`claim`, to be read from top to bottom: the formula as
printed, that form as code, the library's right form, the oracle, the verdict.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from hypothesis.strategies import SearchStrategy
from numpy.typing import ArrayLike

from rbnotes.ledger.quantities import Dimension, QuantityDeclaration
from rbnotes.ledger.replacements import replacement
from rbnotes.ledger.symbols import USUAL

Function = Callable[..., ArrayLike]
Inputs = Mapping[str, SearchStrategy]


class Verdict(StrEnum):
    """What running a claim against its oracle says; ordered from best to worst.

    A mark that is lost or too many (a dot, a prime, a delta) makes an erratum where what is left is itself a
    quantity of the notes that fits there, so that code written from the print runs and gives a wrong number,
    even if another display has it right. It is a misprint where the print itself shows it: what is left is
    not defined, does not fit, or says again what stands beside it.
    """

    DEFINITION = "definition"  # nothing to be right or wrong: names what implements it
    DEMONSTRATION = "demonstration"  # printed numbers, reproduced to their last digit
    HOLDS = "holds"
    CONDITIONAL = "conditional"  # true only under a condition that is not stated there
    MISPRINT = "misprint"  # a slip every reader mends without thinking
    ERRATUM = "erratum"  # code written from the print gives a wrong number


NEEDS_CORRECTION = (Verdict.ERRATUM, Verdict.MISPRINT)
WRONG_AS_PRINTED = (*NEEDS_CORRECTION, Verdict.CONDITIONAL)
"""Verdicts with inputs on which the print is wrong."""
ID_PATTERN = re.compile(
    r"([a-z][a-z0-9_]*)/s([0-9A-Z.]+)/((?:e|d|alg|m|table|fig|t)[0-9A-Za-z.]*)(?:#([a-z]))?"
)


@dataclass(frozen=True, kw_only=True)
class Record:
    """One claim, everything needed to check it, and the chapter that treats it.

    ``printed``, ``library`` and ``reference`` are functions of the same arguments, the keys of
    ``inputs`` in order, and return arrays of one shape. ``printed`` is written literally from the notes;
    ``library`` calls rbnotes; ``reference`` computes the same thing without the formula under test.
    """

    id: str
    """Inventory id, such as ``lloyd/s0.2/e0.1``; ``#a``, ``#b`` distinguish several claims of one
    display; prose is ``t`` and its line."""
    title: str
    """The claim in a few words."""
    verdict: Verdict
    """Verdict that the run has to confirm."""
    chapter: str
    """File name of the chapter that treats it, without suffix."""
    implemented_by: tuple[str, ...] = ()
    """Dotted names of the right form in the library."""
    formula: str = ""
    """TeX of the claim as printed."""
    oracle: str = ""
    """One line: what it is compared with, and why that is independent."""
    condition: str = ""
    """For a conditional claim: the condition the notes leave out."""
    correction: str = ""
    """For an erratum or a misprint: what is wrong and what is right (text with TeX between dollars)."""
    replacement: str = ""
    """For an erratum or a misprint: LaTeX to put in the place of the print, whole and in the notes' symbols.

    For a display its formula, for prose (see :attr:`is_prose`) the sentence with TeX between dollars. Records
    of this package have theirs in :mod:`rbnotes.ledger.replacements`."""
    remark: str = ""
    """Further remark for the reader (text with TeX between dollars)."""
    scan: bool = False
    """The slip may come from the scan of the text rather than from its author."""

    inputs: Inputs = field(default_factory=dict)
    """A hypothesis strategy for each argument, generic enough that no term of the formula vanishes."""
    given: Inputs | None = None
    """For a conditional claim: the inputs on which it does hold."""
    holds_when: Function | None = None
    """For a conditional claim: the condition as a predicate of the inputs, true on those of ``given``."""
    quantities: Mapping[str, QuantityDeclaration] = field(default_factory=dict)
    """Quantity of each argument (:mod:`rbnotes.ledger.quantities`); integers, flags and names need none.

    Symbols have their usual quantity (:mod:`rbnotes.ledger.symbols`), unless ``QUANTITIES`` of the record's
    module, or the record itself, declares another.
    """
    result: QuantityDeclaration | None = None
    """Quantity that the forms return; the units of all forms are then checked."""
    constants: tuple[Dimension, ...] = ()
    """Dimensions of numbers that the forms hold fixed, such as a law's rest length of 1.

    Units are changed only in ways that leave these as they are."""
    units_mismatch: str = ""
    """Reason for which the units of the printed form do not fit."""
    printed: Function | None = None
    library: Function | None = None
    reference: Function | None = None
    tolerance: float = 1e-9
    """Largest accepted residual, see :func:`rbnotes.ledger.runner.residual`."""
    tolerance_reason: str = ""
    """Why a tolerance is above the ceiling that the runner sets."""
    primitives: tuple[str, ...] = ()
    """Dotted names of code that oracle and form may share: geometry, a solver of another subpackage."""
    exact: str = ""
    """Why the form and its oracle may agree to the last bit, if they do on every input."""
    rare: Mapping[str, str] = field(default_factory=dict)
    """Branches of the code (source of their conditions) that inputs hardly ever take, with the reason."""
    special: Mapping[str, str] = field(default_factory=dict)
    """Inputs that are special by their meaning, such as a diagonal mass matrix, with the reason."""
    equivalent_mutants: Mapping[str, str] = field(default_factory=dict)
    """Mutations of the checked form or its helpers that leave it true, each with the reason."""
    defines: tuple[str, ...] = ()
    """For a definition: the symbols (TeX) that it introduces, each alone on one side of its equations."""
    combined_with: tuple[str, ...] = ()
    """For an erratum that another convention would make right: ids of the formulas that settle it."""
    undefined: str = ""
    """For a print that gives no number on any input: why."""

    def __post_init__(self) -> None:
        def require(condition: bool, message: str) -> None:
            if not condition:
                raise ValueError(f"record {self.id}: {message}")

        require(ID_PATTERN.fullmatch(self.id) is not None, "an id looks like 'lloyd/s0.2/e0.1' or '...#a'")
        require(bool(self.chapter), "names no chapter")
        require(bool(self.implemented_by), "names nothing that implements it")
        checkable = self.library is not None or self.printed is not None
        require(not checkable or self.reference is not None, "has a form to check but no reference")
        require(not checkable or bool(self.oracle), "does not say what its oracle is")
        if self.verdict is not Verdict.DEFINITION:
            require(checkable, f"verdict {self.verdict} needs a form to check")
        if self.verdict in (Verdict.HOLDS, Verdict.DEMONSTRATION, Verdict.ERRATUM, Verdict.CONDITIONAL):
            require(self.printed is not None, f"verdict {self.verdict} needs the printed form")
        if self.verdict in NEEDS_CORRECTION:
            require(self.library is not None, f"verdict {self.verdict} needs the library's right form")
            require(bool(self.correction), f"verdict {self.verdict} needs a correction")
        if self.verdict is Verdict.CONDITIONAL:
            require(self.given is not None, "a conditional claim needs the inputs on which it holds")
            require(bool(self.condition), "a conditional claim needs its condition")

    @property
    def source(self) -> str:
        """Name of the notes: ``lloyd``, ``sueda`` or ``si`` in the ledger of this package."""
        return self.id.split("/")[0]

    @property
    def is_prose(self) -> bool:
        """Whether it is said in the notes' text, and not in a display."""
        return re.match("t[0-9]", self.id.split("/")[2]) is not None

    @property
    def section(self) -> str:
        """Section number in its source, such as ``0.22.1``."""
        return self.id.split("/")[1][1:]

    @property
    def allowed_inputs(self) -> Inputs:
        """The inputs on which the claim is true."""
        return self.inputs if self.given is None else self.given

    @property
    def display(self) -> str:
        """The inventory id, without the ``#`` suffix of a partial claim."""
        return self.id.split("#")[0]


def claim(id: str, title: str) -> Callable[[type], Record]:
    """Return a decorator that makes a record of a class: its attributes and functions are the fields.

    Fields may be inherited. The bases are classes without this decorator, whose modules also say what their
    symbols mean.
    """

    def record(body: type) -> Record:
        classes = body.__mro__[-2::-1]  # from the first base, without object, to the body
        fields = {
            name: value for each in classes for name, value in vars(each).items() if not name.startswith("__")
        }
        symbols = dict(USUAL)
        for each in classes:
            symbols |= getattr(sys.modules.get(each.__module__), "QUANTITIES", {})
        symbols |= fields.get("quantities", {})
        declared = {name: symbols[name] for name in fields.get("inputs", {}) if name in symbols}
        replacement_text = fields.get("replacement") or replacement(id, fields.get("formula", ""))
        return Record(
            id=id, title=title, **{**fields, "quantities": declared, "replacement": replacement_text}
        )

    return record
