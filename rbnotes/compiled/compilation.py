"""Compilation on first use, with a message if it takes long."""

from __future__ import annotations

import gc
import logging
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from threading import Timer
from types import ModuleType
from typing import Any

from rbnotes.errors import MissingExtra

LOG = logging.getLogger("rbnotes.compiled")
MAX_SILENT_SECONDS = 3.0
"""Seconds without a message. Code that is on disk loads faster."""


@contextmanager
def log_compilation(name: str) -> Iterator[None]:
    """Log the name and the duration of a compilation that takes longer than ``MAX_SILENT_SECONDS``."""
    start = time.monotonic()
    timer = Timer(
        MAX_SILENT_SECONDS, LOG.warning, ["compiling %s, once: the next program finds it on disk", name]
    )
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
    elapsed = time.monotonic() - start
    if elapsed > MAX_SILENT_SECONDS:
        LOG.warning("compiled %s in %.0f s", name, elapsed)


@contextmanager
def pause_garbage_collection() -> Iterator[None]:
    """Pause the search for reference cycles, which would take a seventh of the compilation."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@cache
def compiled_function(name: str) -> Callable[..., int]:
    """Return the compiled entry of this name in :mod:`rbnotes.compiled.entry_points`; it checks nothing."""
    with log_compilation(name), pause_garbage_collection():
        return _compile_by_name(name)


def require_numba() -> None:
    """Import the compiler.

    Raises
    ------
    MissingExtra
        If numba is not installed.
    """
    try:
        import numba  # noqa: F401  # only whether it is there
    except ImportError as error:
        message = "compiled code needs numba: pip install 'rbnotes[compiled]'"
        raise MissingExtra(message, name="numba") from error


def _compile_by_name(name: str) -> Callable[..., int]:
    return compile_entry(*import_entries().ENTRIES[name])


def import_entries() -> ModuleType:
    """Import the module of the entries, which needs this module.

    Numba tries the types of a function in the order in which they were imported. Those of the items of arrays
    are imported first: the search among those of strings, lists and others takes a sixth of the compilation.
    """
    require_numba()
    import_module("numba.core.typing.arraydecl")
    return import_module("rbnotes.compiled.entry_points")


@cache
def failure_code() -> int:
    """Return the status of failed calls, a number that changes with the sources of compiled code.

    The sources are the modules of this subpackage that numba compiles, and the modules outside of it from
    which they import constants, because compiled code contains the values of constants. Compiled modules
    import from modules, not from packages.
    """
    folder = Path(__file__).parent
    paths = (path for path in sorted(folder.rglob("*.py")) if path.name not in _PYTHON_MODULES)
    sources = b"".join(path.read_bytes() for path in paths)
    for module in sorted(set(_EXTERNAL_IMPORTS.findall(sources))):
        path = folder.parents[1].joinpath(*module.decode().split("."))
        sources += (path / "__init__.py" if path.is_dir() else path.with_suffix(".py")).read_bytes()
    return 1 + int.from_bytes(sha256(sources).digest()[:6])


_PYTHON_MODULES = ("cache_files.py", "compilation.py", "problems.py")
_EXTERNAL_IMPORTS = re.compile(rb"^from (rbnotes\.(?!compiled\.)[\w.]+) import", re.MULTILINE)


def compile_entry(function: Any, signature: Any) -> Callable[..., int]:
    """Return the compiled function of this signature, or the function itself if numba is disabled."""
    import numba

    configuration: Any = numba.config
    if configuration.DISABLE_JIT:
        entry: Callable[..., int] = function
        return entry
    function.compile(signature)
    # A dispatcher inspects the types of all arguments, which takes longer than the dynamics of a short chain.
    entry = function.get_overload(signature)
    return entry
