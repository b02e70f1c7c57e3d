r"""A section of the notes: its chapter, its arguments, and the decorators that turn classes into records.

A record is written as a class under a decorator of its section, which names the verdict::

    section = Section(
        "lloyd/s0.16",
        chapter="friction",
        arguments={"v": Argument(VELOCITY, "in the generalized coordinates of the system")},
    )


    @section.erratum("d3", "The friction impulse of one direction")
    class d3:
        formula = r"v_t \le w"
        edit = (r"v_t \le w", r"v_t \le -w")
        inputs = {"v": vectors()}
        result = Result(MOMENTUM, "along the tangent of the contact")
        implements = friction_impulse

        def printed(v): ...

        def library(v): ...

        def reference(v):
            "Minimize the kinetic energy over the interval of impulses."

The attributes and functions of the class are the fields of :class:`rbnotes.ledger.record.Record`. The first
paragraph of the docstring of ``reference`` is the record's oracle, unless the class sets ``oracle``.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from dataclasses import fields as dataclass_fields
from typing import Any

from rbnotes.ledger.pages import Page
from rbnotes.ledger.record import Argument, Record, Verdict

# TeX interprets a bracket after a row break as a distance; here it is nearly always a cross product matrix.
ROW_OF_BRACKETS = re.compile(r"\\\\\s*\[(?!-?[\d.]+(?:pt|em|ex|mm|cm)\])")

SET_BY_DECORATOR = ("id", "title", "verdict", "chapter")
"""Fields of a record that its class does not set."""
RECORD_FIELDS = {each.name for each in dataclass_fields(Record)} | {"edit", "edits"}
"""Fields that the class of a record may set."""


@dataclass(frozen=True)
class Section:
    """One section of a set of notes.

    Attributes
    ----------
    id
        Source and section, such as ``lloyd/s0.22.1``.
    chapter
        File name of the chapter that treats it, without suffix.
    arguments
        Quantities and meanings of the arguments that records of the section have.

        A record whose argument means something else has ``arguments`` of its own.
    any_size
        Default of :attr:`rbnotes.ledger.record.Record.any_size` in this section.
    page_2019, page_2021
        Pages of the section in two versions of the author, for the records that name no page of their own.
    """

    id: str
    chapter: str = ""
    arguments: Mapping[str, Argument] = field(default_factory=dict)
    any_size: bool = False
    page_2019: Page | None = None
    page_2021: Page | None = None

    def holds(self, key: str, title: str, *, chapter: str = "") -> Callable[[type], Record]:
        """Return a decorator that makes a record of a claim that holds.

        Parameters
        ----------
        key
            Last part of the record's id, such as ``e0.1#b``.
        title
            The claim in a few words.
        chapter
            Chapter that treats it, if it is not that of the section.
        """
        return self._decorator(Verdict.HOLDS, key, title, chapter)

    def erratum(self, key: str, title: str, *, chapter: str = "") -> Callable[[type], Record]:
        """Return a decorator for a printed form that gives a wrong number, see :meth:`holds`."""
        return self._decorator(Verdict.ERRATUM, key, title, chapter)

    def conditional(self, key: str, title: str, *, chapter: str = "") -> Callable[[type], Record]:
        """Return a decorator for a claim that needs an unstated condition, see :meth:`holds`."""
        return self._decorator(Verdict.CONDITIONAL, key, title, chapter)

    def misprint(self, key: str, title: str, *, chapter: str = "") -> Callable[[type], Record]:
        """Return a decorator for a slip that every reader corrects, see :meth:`holds`."""
        return self._decorator(Verdict.MISPRINT, key, title, chapter)

    def definition(self, key: str, title: str, *, chapter: str = "") -> Callable[[type], Record]:
        """Return a decorator for a definition, see :meth:`holds`."""
        return self._decorator(Verdict.DEFINITION, key, title, chapter)

    def demonstration(self, key: str, title: str, *, chapter: str = "") -> Callable[[type], Record]:
        """Return a decorator for printed numbers that are reproduced, see :meth:`holds`."""
        return self._decorator(Verdict.DEMONSTRATION, key, title, chapter)

    def _decorator(self, verdict: Verdict, key: str, title: str, chapter: str) -> Callable[[type], Record]:
        """Return the decorator that makes a record of a class body."""

        def make_record(body: type) -> Record:
            id, fields = f"{self.id}/{key}", _inherited_fields(body)
            for name in SET_BY_DECORATOR:
                if name in fields:
                    raise ValueError(f"record {id}: `{name}` is set by the decorator")
            for name in fields.keys() - RECORD_FIELDS:
                raise ValueError(f"record {id}: `{name}` is not a field of a record")
            described = {
                name: self.arguments[name] for name in fields.get("inputs", {}) if name in self.arguments
            }
            return Record(
                **{
                    "page_2019": self.page_2019,
                    "page_2021": self.page_2021,
                    "any_size": self.any_size,
                    **{name: value for name, value in fields.items() if name not in ("edit", "edits")},
                    "id": id,
                    "title": title,
                    "verdict": verdict,
                    "chapter": chapter or self.chapter,
                    "implements": _as_tuple(fields.get("implements", ())),
                    "arguments": {**described, **fields.get("arguments", {})},
                    "oracle": _oracle(body),
                    "replacement": _replacement(id, fields),
                }
            )

        return make_record


def edit_formula(id: str, formula: str, edits: Iterable[tuple[str, str]]) -> str:
    r"""Return the formula of a record with parts of it replaced.

    Parameters
    ----------
    id
        Record that the formula belongs to.
    formula
        The formula as printed.
    edits
        Pairs of a part of the formula and its replacement, such as ``(r"v_t \le w", r"v_t \le -w")``.

    Raises
    ------
    ValueError
        If a part is not in the formula.
    """
    for printed, right in edits:
        if printed not in formula:
            raise ValueError(f"record {id}: {printed!r} of its edits is not in the formula")
        formula = formula.replace(printed, right)
    return formula


def mark_brackets_in_rows(tex: str) -> str:
    """Return the same formula with brackets after row breaks marked as brackets.

    TeX would interpret such a bracket as the optional distance of the row break.
    """
    return ROW_OF_BRACKETS.sub(r"\\\\{}[", tex)


def _replacement(id: str, fields: Mapping[str, Any]) -> str:
    """Return the correct formula: that of `replacement`, or the printed one with `edit` or `edits`."""
    ways = [name for name in ("edit", "edits", "replacement") if name in fields]
    if len(ways) > 1:
        raise ValueError(f"record {id}: has both `{ways[0]}` and `{ways[1]}`")
    if "replacement" in fields:
        return mark_brackets_in_rows(fields["replacement"].strip())
    edits = (fields["edit"],) if "edit" in fields else fields.get("edits", ())
    return mark_brackets_in_rows(edit_formula(id, fields.get("formula", ""), edits)) if edits else ""


def _inherited_fields(body: type) -> dict[str, Any]:
    """Return the attributes of a class and of its bases, those of the class first; tables are merged."""
    fields: dict[str, Any] = {}
    for each in body.__mro__[-2::-1]:  # from the first base, without object, to the body
        own = {name: value for name, value in vars(each).items() if not name.startswith("__")}
        arguments = {**fields.get("arguments", {}), **own.get("arguments", {})}
        fields |= own | ({"arguments": arguments} if arguments else {})
    return fields


def _oracle(body: type) -> str:
    """Return the text of the oracle: that of the nearest class that sets `oracle` or `reference`."""
    for each in body.__mro__:
        if "oracle" in vars(each):
            return str(vars(each)["oracle"])
        if "reference" in vars(each):
            docstring = inspect.getdoc(vars(each)["reference"]) or ""
            return " ".join(docstring.split("\n\n")[0].split())
    return ""


def _as_tuple(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, tuple) else (value,)
