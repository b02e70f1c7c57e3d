"""Pages of the author's own versions of the notes, with their text for a claim.

A ledger is written against a text. Where that text was converted from pages, a slip may be the author's or
the conversion's; the pages decide.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

SAME = "same"
"""Content of a page that agrees with the text in everything that the verdict rests on."""
_DROPPED = "dropped"
NO_PAGE = "no page available"
"""Text for a claim whose author's pages were not compared."""


class Origin(StrEnum):
    """Origin of a claim as the text has it."""

    AUTHOR = "author"  # the page has it as well
    CONVERSION = "conversion"  # the page differs in a part that determines the verdict
    UNDECIDED = "undecided"  # no page available


@dataclass(frozen=True)
class Page:
    """Page of one version of the notes, and its text for a claim.

    Attributes
    ----------
    number
        Number of the page, or of the first of several; None if the version drops the claim.
    content
        :data:`SAME`, or the different text of the page (with TeX between dollars).

        Numbers of equations and sections, and the letters A and a for Ad and ad, do not count as differences.
    last
        Number of the last page, if there are several.
    fixed
        The page is right where the text and an earlier page are wrong, or states the missing condition.
    """

    number: int | None
    content: str = SAME
    last: int | None = None
    fixed: bool = False

    def __post_init__(self) -> None:
        if (self.number is None) != (self.content == _DROPPED):
            raise ValueError("a page has a number unless the claim is dropped")
        if self.last is not None and (self.number is None or self.last <= self.number):
            raise ValueError(f"the last page, {self.last}, is not after the first, {self.number}")
        if self.fixed and self.content in (SAME, _DROPPED):
            raise ValueError("a page that is fixed needs its text")

    @property
    def is_same(self) -> bool:
        """Return True if the page agrees with the text."""
        return self.content == SAME

    @property
    def is_dropped(self) -> bool:
        """Return True if the version does not have the claim."""
        return self.content == _DROPPED

    @property
    def range(self) -> str:
        """Page numbers, such as ``3`` or ``3-5``; empty if the claim is dropped."""
        if self.number is None:
            return ""
        return str(self.number) if self.last is None else f"{self.number}-{self.last}"

    def describe(self) -> str:
        """Return the page numbers and the content as text with TeX between dollars."""
        if self.is_dropped:
            return "dropped"
        pages = f"{'page' if self.last is None else 'pages'} {self.range}"
        if self.is_same:
            return f"{pages}, same as the text"
        return f"{pages}: {self.content}{' (fixed)' if self.fixed else ''}"


DROPPED = Page(None, _DROPPED)
"""Entry for a version that does not have the claim."""
