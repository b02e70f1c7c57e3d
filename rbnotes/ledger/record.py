"""The record: one claim of the notes, the code that states it, and the verdict that follows.

Records are written as classes under the decorators of a :class:`rbnotes.ledger.section.Section`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any

from hypothesis.strategies import SearchStrategy
from numpy.typing import ArrayLike

from rbnotes.ledger.dotted_names import dotted_name, is_private
from rbnotes.ledger.pages import Origin, Page
from rbnotes.ledger.quantities import Dimension, QuantityDeclaration

Function = Callable[..., ArrayLike]
Inputs = Mapping[str, SearchStrategy]


class Verdict(StrEnum):
    """Result of comparing a claim with its oracle; ordered from best to worst.

    A missing or additional mark (a dot, a prime, a delta) makes an erratum if the remaining symbol is itself
    a quantity of the notes that fits there, so that code written from the print runs and gives a wrong
    number, even if another display is correct. It makes a misprint if the print itself reveals it: the
    remaining symbol is not defined, does not fit, or repeats its neighbor.

    The name of a quantity (a force for an impulse) makes a misprint if its neighbors show the right one; an
    equation that defines it makes an erratum. A row before a column stands for their outer product, and makes
    a misprint if the printed order transposes the matrix.

    A formula with an inverse presupposes that it exists. A sentence that a system can be solved, or has one
    solution, is conditional if it is not always so. A matrix is dense if no entry vanishes by structure, for
    all values of the parameters.

    A sentence that is right once the display that it cites is corrected holds.
    """

    DEFINITION = "definition"  # no statement to check; names what implements it
    DEMONSTRATION = "demonstration"  # printed numbers, reproduced to their last digit
    HOLDS = "holds"
    CONDITIONAL = "conditional"  # true only under a condition that is not stated there
    MISPRINT = "misprint"  # a slip every reader corrects without thinking
    ERRATUM = "erratum"  # code written from the print gives wrong numbers


NEEDS_CORRECTION = (Verdict.ERRATUM, Verdict.MISPRINT)
WRONG_AS_PRINTED = (*NEEDS_CORRECTION, Verdict.CONDITIONAL)
"""Verdicts with inputs on which the printed form is wrong."""
ID_PATTERN = re.compile(
    r"([a-z][a-z0-9_]*)/s([0-9A-Z.]+)/((?:e|d|alg|m|table|fig|t)[0-9A-Za-z.]*)(?:#([a-z]))?"
)


@dataclass(frozen=True)
class Argument:
    """Physical quantity and meaning of an argument.

    Attributes
    ----------
    quantity
        Dimensions of its entries (:mod:`rbnotes.ledger.quantities`); integers, flags and names have none.
    meaning
        Information that neither shape nor units show: the frame or the order of the entries.
    """

    quantity: QuantityDeclaration | None = None
    meaning: str = ""


@dataclass(frozen=True)
class Result:
    """Physical quantity and meaning of the values that the forms return.

    Attributes
    ----------
    quantity
        Dimensions of its entries; if they are declared, the units of all forms are checked.
    meaning
        Information that neither shape nor units show: the frame or the order of the entries.
    """

    quantity: QuantityDeclaration | None = None
    meaning: str = ""


@dataclass(frozen=True, kw_only=True, eq=False)
class Record:
    """One claim, everything needed to check it, and the chapter that treats it.

    ``printed``, ``library`` and ``reference`` are functions of the same arguments, the keys of
    ``inputs`` in order, and return arrays of one shape.

    Attributes
    ----------
    id
        Inventory id, such as ``lloyd/s0.2/e0.1``; ``#a``, ``#b`` distinguish several claims of one display;
        prose is ``t`` and its line.
    title
        The claim in a few words.
    verdict
        Verdict that the run has to confirm.
    chapter
        File name of the chapter that treats it, without suffix.
    implements
        Public functions, classes, modules or constants of the library that implement the right form.
    formula
        TeX of the claim as printed.
    oracle
        One imperative sentence, such as "Compare with ...": the independent computation of the same quantity.
    condition
        For a conditional claim: the condition the notes leave out.
    correction
        For an erratum or a misprint: the error and the right form (text with TeX between dollars).
    replacement
        For an erratum or a misprint: LaTeX that replaces the whole print, in the notes' symbols.

        It is the formula of a display, or the sentence of prose (:attr:`is_prose`) with TeX between dollars.
    rests_on
        Displays that the claim uses and that the notes do not cite there, as ids without ``#``.
    remark
        Further remark for the reader (text with TeX between dollars).
    effect
        For an erratum: one sentence on a simulation that uses the printed form, with numbers from a run.
    no_simulation
        For an erratum without `effect` that shows its root cause best: reason for which none was run.
    scan
        The slip may come from the conversion of the text; only if no page of the author is available.
    page_2019
        Page of the author's version of 2019, from which the text was converted; None if it is not available.
    page_2021
        Page of the author's version of 2021.
    reply
        Reply of the author to a correction, with its date; empty if there is none.
    inputs
        A hypothesis strategy for each argument, generic enough that no term of the formula vanishes.
    condition_inputs
        For a conditional claim: inputs that satisfy the condition.
    holds_when
        For a conditional claim: the condition as a predicate of the inputs, true on `condition_inputs`.
    arguments
        Quantity and meaning of each argument.
    result
        Quantity and meaning of the values that the forms return.
    constants
        Dimensions of numbers that are fixed in the forms, such as a rest length of 1.

        Only changes of units that preserve these numbers are tried.
    units_mismatch
        Reason for which the units of the printed form are inconsistent.
    printed
        Form that is written literally from the notes.
    library
        Form that calls rbnotes.
    reference
        Oracle, which computes the same quantity without the formula under test.
    tolerance
        Largest accepted residual, see :func:`rbnotes.ledger.runner.residual`.
    tolerance_reason
        Reason for a tolerance above the limit of the runner.
    primitives
        Dotted names of code that oracle and form may share: geometry, a solver of another subpackage.
    exact
        Reason for which the form and its oracle agree to the last bit, if they do on every input.
    special
        Inputs that are special by their meaning, such as a diagonal mass matrix, with the reason.
    defines
        For a definition: the symbols (TeX) that it introduces, each alone on one side of its equations.
    combined_with
        For an erratum that another convention would make right: ids of the formulas that settle it.
    any_size
        True if the arrays may have any number of rows, columns and entries; the challenge tries other ones.
    undefined
        If the printed form gives no number on any input: the reason.
    """

    id: str
    title: str
    verdict: Verdict
    chapter: str
    implements: tuple[Any, ...] = ()
    formula: str = ""
    oracle: str = ""
    condition: str = ""
    correction: str = ""
    rests_on: tuple[str, ...] = ()
    replacement: str = ""
    remark: str = ""
    effect: str = ""
    no_simulation: str = ""
    scan: bool = False
    page_2019: Page | None = None
    page_2021: Page | None = None
    reply: str = ""

    inputs: Inputs = field(default_factory=dict)
    condition_inputs: Inputs | None = None
    holds_when: Function | None = None
    arguments: Mapping[str, Argument] = field(default_factory=dict)
    result: Result = field(default_factory=Result)
    constants: tuple[Dimension, ...] = ()
    units_mismatch: str = ""
    printed: Function | None = None
    library: Function | None = None
    reference: Function | None = None
    tolerance: float = 1e-9
    tolerance_reason: str = ""
    primitives: tuple[str, ...] = ()
    exact: str = ""
    special: Mapping[str, str] = field(default_factory=dict)
    defines: tuple[str, ...] = ()
    combined_with: tuple[str, ...] = ()
    any_size: bool = False
    undefined: str = ""

    def __post_init__(self) -> None:
        def require(condition: bool, message: str) -> None:
            if not condition:
                raise ValueError(f"record {self.id}: {message}")

        require(ID_PATTERN.fullmatch(self.id) is not None, "an id looks like 'lloyd/s0.2/e0.1' or '...#a'")
        require(bool(self.chapter), "names no chapter")
        require(bool(self.implements), "names nothing that implements it")
        for name in self.implemented_by:
            require(not is_private(name), f"implements {name}, which is private")
        unknown = [name for name in self.arguments if name not in self.inputs]
        require(not unknown, f"describes {', '.join(unknown)}, which is not an argument")
        checkable = self.library is not None or self.printed is not None
        require(not checkable or self.reference is not None, "has a form to check but no reference")
        require(
            not checkable or bool(self.oracle),
            "does not say what its oracle is: the docstring of `reference` is missing",
        )
        if self.verdict is not Verdict.DEFINITION:
            require(checkable, f"verdict {self.verdict} needs a form to check")
        if self.verdict in (Verdict.HOLDS, Verdict.DEMONSTRATION, Verdict.ERRATUM, Verdict.CONDITIONAL):
            require(self.printed is not None, f"verdict {self.verdict} needs the printed form")
        if self.verdict in NEEDS_CORRECTION:
            require(self.library is not None, f"verdict {self.verdict} needs the library's right form")
            require(bool(self.correction), f"verdict {self.verdict} needs a correction")
        require((self.page_2019 is None) == (self.page_2021 is None), "names the page of one version only")
        if self.page_2021 is not None and self.page_2021.fixed:
            wrong = self.verdict in WRONG_AS_PRINTED and self.origin is Origin.AUTHOR
            require(wrong, "is fixed by its author, who did not write it")
        require(
            not self.scan or self.page_2019 is None,
            "has `scan`, although the author's page decides its origin",
        )
        if self.verdict is Verdict.CONDITIONAL:
            require(
                self.condition_inputs is not None, "a conditional claim needs the inputs on which it holds"
            )
            require(bool(self.condition), "a conditional claim needs its condition")

    @cached_property
    def implemented_by(self) -> tuple[str, ...]:
        """Dotted names of :attr:`implements`, by the paths that users import from."""
        return tuple(map(dotted_name, self.implements))

    @property
    def quantities(self) -> dict[str, QuantityDeclaration]:
        """Quantities of the arguments that have one."""
        return {
            name: argument.quantity
            for name, argument in self.arguments.items()
            if argument.quantity is not None
        }

    @property
    def source(self) -> str:
        """Name of the notes: ``lloyd``, ``sueda`` or ``si`` in the ledger of this package."""
        return self.id.split("/")[0]

    @property
    def is_prose(self) -> bool:
        """Return True if the claim is in the text of the notes, not in a display."""
        return re.match("t[0-9]", self.id.split("/")[2]) is not None

    @property
    def section(self) -> str:
        """Section number in its source, such as ``0.22.1``."""
        return self.id.split("/")[1][1:]

    @property
    def origin(self) -> Origin:
        """Origin of the text: the author if the page from which it was converted has the same."""
        if self.page_2019 is None:
            return Origin.UNDECIDED
        return Origin.AUTHOR if self.page_2019.is_same else Origin.CONVERSION

    @property
    def is_from_conversion(self) -> bool:
        """Return True if the slip is due to the conversion, or may be because no page is available."""
        return self.scan or self.origin is Origin.CONVERSION

    @property
    def is_fixed(self) -> bool:
        """Return True if a slip of the author is corrected in the version of 2021."""
        return self.page_2021 is not None and self.page_2021.fixed

    @property
    def allowed_inputs(self) -> Inputs:
        """Inputs on which the claim is true."""
        return self.inputs if self.condition_inputs is None else self.condition_inputs

    @property
    def display(self) -> str:
        """Id in the inventory, without the ``#`` suffix of a partial claim."""
        return self.id.split("#")[0]
