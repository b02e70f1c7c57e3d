"""Machine code when it is first needed, with a word about it where that takes long."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from hashlib import sha256
from pathlib import Path
from threading import Timer
from typing import Any

LOG = logging.getLogger("rbnotes.compiled")
MAX_SILENT_SECONDS = 3.0
"""Seconds after which it is said what takes so long. Code that is on disk is there sooner."""


class MissingExtra(ImportError):
    """A package is missing that only an extra of this one brings."""


@contextmanager
def log_compilation(name: str) -> Iterator[None]:
    """Says what is compiled meanwhile, and how long it took, where that is longer than one waits gladly."""
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


@cache
def compiled_function(name: str) -> Callable[..., int]:
    """The function of this name in :mod:`rbnotes.compiled.entry_points`, compiled, called without any checks."""
    with log_compilation(name):
        return _compile_by_name(name)


def require_numba() -> None:
    """Looks for the compiler.

    Raises
    ------
    MissingExtra
        If it is not there.
    """
    try:
        import numba  # noqa: F401  # only whether it is there
    except ImportError as error:
        message = "compiled models need numba: pip install 'rbnotes[compiled]'"
        raise MissingExtra(message, name="numba") from error


def _compile_by_name(name: str) -> Callable[..., int]:
    require_numba()
    from rbnotes.compiled import entry_points

    entries: Any = entry_points
    return compile_entry(entries.functions(failure_code())[name], entries.signature)


@cache
def failure_code() -> int:
    """What the functions return if something is wrong: a number for each state of their sources.

    Modules outside belong to them that they take numbers from: those are part of compiled code.
    """
    folder = Path(__file__).parent
    sources = b"".join(path.read_bytes() for path in sorted(folder.rglob("*.py")))
    for module in sorted(set(_EXTERNAL_IMPORTS.findall(sources))):
        sources += folder.parents[1].joinpath(*module.decode().split(".")).with_suffix(".py").read_bytes()
    return 1 + int.from_bytes(sha256(sources).digest()[:6])


_EXTERNAL_IMPORTS = re.compile(rb"^from (rbnotes\.(?!compiled\.)[\w.]+) import", re.MULTILINE)


def compile_entry(function: Any, signature_of: Callable[..., Any]) -> Callable[..., int]:
    """The way into a function that numba compiles, or the function itself where it does not."""
    import numba

    configuration: Any = numba.config
    entry: Callable[..., int] = function
    if not configuration.DISABLE_JIT:
        signature = signature_of(function.py_func)
        function.compile(signature)
        # Python's way to a dispatcher looks at all types of arguments: that takes longer than a short chain.
        entry = function.get_overload(signature)
    return entry
