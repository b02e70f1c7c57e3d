"""Sets of notes of the active ledger: the three of this package, or a folder of the user.

A ledger is a folder that Python can import as a package: ``notes.toml`` names its sources, ``inventory.csv``
lists their displays (optional, to find displays without a record), and every other module contains records::

    [[source]]
    name = "pendulum"            # ids of its claims begin with it: pendulum/s1/e3
    author = "A. Lecturer"       # author in citations
    letter = "P"                 # equation 3 is P 3
    module = "."                 # subpackage with its records; "." is the folder itself
"""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
import re
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

from rbnotes.arguments import InvalidArgument

ENTRY_POINT_GROUP = "rbnotes.ledgers"
"""Group of the entry points that name ledger packages."""
NOTES_FILE = "notes.toml"


@dataclass(frozen=True)
class Version:
    """A dated version of the author, with which the records were compared page by page.

    Attributes
    ----------
    date
        Date that it bears, such as ``2019-09-18``.
    num_pages
        Number of its pages.
    note
        Remark for readers.
    """

    date: str
    num_pages: int
    note: str = ""


@dataclass(frozen=True)
class Source:
    """One set of notes.

    Attributes
    ----------
    name
        First part of the ids, such as ``lloyd``.
    author
        Author in citations.
    letter
        Letter for the author before the number of a formula.
    module
        Subpackage of its records; ``.`` is the package itself.
    versions
        Versions of the author with which the records were compared; the text was converted from the first.
    references
        Corrections of the names in the references; they are not claims.
    """

    name: str
    author: str
    letter: str
    module: str = "."
    versions: tuple[Version, ...] = ()
    references: str = ""


@dataclass(frozen=True)
class Ledger:
    """A ledger: its folder, the package under which it is imported, and its sources in reading order.

    Attributes
    ----------
    folder
        Folder of ``notes.toml`` and of other data.
    package
        Dotted name of the package.
    sources
        Sets of notes in reading order.
    modified_at
        Time of the latest change of its files, in ns; results cached before it are not reused.
    """

    folder: Path
    package: str
    sources: tuple[Source, ...]
    modified_at: int = 0

    def modules(self) -> Iterator[ModuleType]:
        """Yield all modules that can contain records."""
        for source in self.sources:
            importlib.invalidate_caches()
            yield from _import_submodules(importlib.import_module(self._package_of(source)))

    def section_modules(self, source: Source, section: str) -> Iterator[ModuleType]:
        """Yield the modules named after a section, like ``section_1_2``: they define most of its records."""
        name = f"{self._package_of(source)}.section_{section.replace('.', '_')}"
        if importlib.util.find_spec(name) is not None:
            module = importlib.import_module(name)
            yield module
            if hasattr(module, "__path__"):
                yield from _import_submodules(module)

    def _package_of(self, source: Source) -> str:
        return self.package if source.module == "." else f"{self.package}.{source.module}"

    def source(self, name: str) -> Source:
        """Return the source with a name.

        Raises
        ------
        InvalidArgument
            If there is none.
        """
        for source in self.sources:
            if source.name == name:
                return source
        names = ", ".join(source.name for source in self.sources)
        raise InvalidArgument("source", repr(name), f"one of {names}")


def _import_submodules(package: ModuleType) -> Iterator[ModuleType]:
    for info in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        yield importlib.import_module(info.name)


_active_ledgers: list[Ledger] = []


def active_ledger() -> Ledger:
    """Return the ledger that commands and functions use."""
    return _active_ledgers[-1] if _active_ledgers else _package_ledger()


@cache
def _package_ledger() -> Ledger:
    return _read_ledger(Path(__file__).parent, "rbnotes.ledger")


def open_ledger(name: str | Path) -> Ledger:
    """Return a ledger by its folder, or by the name of an entry point of the group ``rbnotes.ledgers``.

    Raises
    ------
    InvalidArgument
        If there is none, or its ``notes.toml`` is invalid.
    """
    folder = Path(name)
    if folder.is_dir():
        folder = folder.resolve()
        if not folder.name.isidentifier():
            raise InvalidArgument("ledger", repr(folder.name), "a folder named as a package is")
        if str(folder.parent) not in sys.path:
            sys.path.insert(0, str(folder.parent))
        imported = sys.modules.get(folder.name)
        if imported is not None and str(folder) not in map(str, getattr(imported, "__path__", ())):
            raise InvalidArgument("ledger", f"{folder.name}, the name of another package", "another name")
        # Records are edited between one call and the next, as in a notebook.
        for module in [name for name in sys.modules if f"{name}.".startswith(f"{folder.name}.")]:
            del sys.modules[module]
        modified_at = max(path.stat().st_mtime_ns for path in folder.iterdir())
        return replace(_read_ledger(folder, folder.name), modified_at=modified_at)
    for point in entry_points(group=ENTRY_POINT_GROUP):
        if point.name == str(name):
            spec = find_spec(point.value)
            if spec is None or not spec.submodule_search_locations:
                raise InvalidArgument("ledger", f"{name}, which is {point.value}", "a package")
            return _read_ledger(Path(next(iter(spec.submodule_search_locations))), point.value)
    raise InvalidArgument(
        "ledger", repr(str(name)), f"a folder, or an entry point of the group {ENTRY_POINT_GROUP}"
    )


def _read_source(entry: dict[str, Any]) -> Source:
    return Source(**{**entry, "versions": tuple(Version(**each) for each in entry.get("versions", ()))})


def _read_ledger(folder: Path, package: str) -> Ledger:
    """Return the ledger that a folder describes in ``notes.toml``."""
    path = folder / NOTES_FILE
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InvalidArgument("ledger", f"{folder} without {NOTES_FILE}", "the folder of a ledger") from error
    except tomllib.TOMLDecodeError as error:
        raise InvalidArgument(str(path), str(error), "TOML") from error
    try:
        sources = tuple(_read_source(entry) for entry in table["source"])
    except (KeyError, TypeError) as error:
        raise InvalidArgument(str(path), str(error), "[[source]] with name, author and letter") from error
    for source in sources:
        if not re.fullmatch(r"[a-z][a-z0-9_]*", source.name):
            raise InvalidArgument(f"{path}: name", repr(source.name), "small letters and digits")
    return Ledger(folder, package, sources)


@contextmanager
def context(name: str | Path | None) -> Iterator[Ledger]:
    """Use another ledger inside the block; ``None`` keeps the active one."""
    if name is None:
        yield active_ledger()
        return
    opened = open_ledger(name)
    _active_ledgers.append(opened)
    try:
        yield opened
    finally:
        _active_ledgers.remove(opened)


def use(name: str | Path) -> Ledger:
    """Use another ledger from now on; call this again after its files were changed."""
    opened = open_ledger(name)
    _active_ledgers.append(opened)
    return opened
