"""XML elements with the lines where they begin, and errors that name both."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from rbnotes.arguments import InvalidArgument

MAX_DEPTH = 200
"""Largest number of nested elements."""
MAX_LENGTH = 20_000_000
"""Largest number of characters in a file."""


@dataclass
class Element:
    """XML element with the line where it begins.

    Attributes
    ----------
    tag
        Tag of the element.
    attrib
        Texts of the attributes by name.
    line
        Line of the file, from 1.
    children
        Elements in this one.
    """

    tag: str
    attrib: dict[str, str]
    line: int
    children: list[Element] = field(default_factory=list)

    def __iter__(self) -> Iterator[Element]:
        return iter(self.children)

    def get(self, name: str, default: str = "") -> str:
        """Return the text of an attribute."""
        return self.attrib.get(name, default)

    def descendants(self) -> Iterator[Element]:
        """Return all elements in this one."""
        for element in self.children:
            yield element
            yield from element.descendants()

    @property
    def label(self) -> str:
        """Element, name and line, for errors."""
        name = self.get("name") or self.get("class")
        return f"<{self.tag}>{f' {name!r}' if name else ''}, line {self.line}"


def read_file(argument: str, path: Path, expected: str) -> str:
    """Return the text of a file; errors name the argument and the kind of file that was expected."""
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise
    except (OSError, ValueError) as error:
        raise InvalidArgument(argument, f"a file that cannot be read ({error})", expected) from error


def parse_text(argument: str, text: str) -> Element:
    """Return the root element of a text; errors name the argument."""
    if len(text) > MAX_LENGTH:
        raise InvalidArgument(argument, f"{len(text)} characters", f"at most {MAX_LENGTH}")
    body = text.lstrip()
    lines_before = text[: len(text) - len(body)].count("\n")
    roots: list[Element] = []
    stack: list[Element] = []
    parser = expat.ParserCreate()

    def start(tag: str, attributes: dict[str, str]) -> None:
        element = Element(tag, attributes, lines_before + parser.CurrentLineNumber)
        if len(stack) >= MAX_DEPTH:
            raise InvalidArgument(element.label, f"more than {MAX_DEPTH} nested elements", "fewer")
        (stack[-1].children if stack else roots).append(element)
        stack.append(element)

    def doctype(*_: object) -> None:
        raise InvalidArgument(
            f"{argument}, line {lines_before + parser.CurrentLineNumber}",
            "a DOCTYPE",
            "a file without one",
        )

    parser.StartElementHandler = start
    parser.EndElementHandler = lambda tag: stack.pop()
    parser.StartDoctypeDeclHandler = doctype
    try:
        parser.Parse(body, True)
    except (expat.ExpatError, ValueError, LookupError) as error:
        if isinstance(error, InvalidArgument):
            raise
        raise InvalidArgument(argument, f"XML with an error ({error})", "a well-formed file") from error
    return roots[0]


@contextmanager
def locate_errors(element: Element) -> Iterator[None]:
    """Add an element and its line to errors that name none."""
    try:
        yield
    except InvalidArgument as error:
        if ", line " in error.name:
            raise
        raise InvalidArgument(f"{element.label}: {error.name}", error.got, error.expected) from None
