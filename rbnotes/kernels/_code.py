"""Machine code when it is first needed, with a word about it where that takes long."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from threading import Timer
from typing import Any

LOG = logging.getLogger("rbnotes.kernels")
PATIENCE = 3.0
"""Seconds after which it is said what takes so long. Code that is on disk is there sooner."""


class MissingExtra(ImportError):
    """A package is missing that only an extra of this one brings."""


@cache
def code(name: str) -> Callable[..., int]:
    """The function of this name in :mod:`rbnotes.kernels._entries`, compiled, called without any checks."""
    start = time.monotonic()
    waiting = Timer(PATIENCE, LOG.warning, ["compiling %s, once: the next program finds it on disk", name])
    waiting.daemon = True
    waiting.start()
    try:
        entry = _entry(name)
    finally:
        waiting.cancel()
    took = time.monotonic() - start
    if took > PATIENCE:
        LOG.warning("compiled %s in %.0f s", name, took)
    return entry


def _entry(name: str) -> Callable[..., int]:
    try:
        import numba
    except ImportError as error:
        message = "compiled models need numba: pip install 'rbnotes[compiled]'"
        raise MissingExtra(message, name="numba") from error
    from rbnotes.kernels import _entries

    entries: Any = _entries
    configuration: Any = numba.config
    sources = b"".join(path.read_bytes() for path in sorted(Path(__file__).parent.glob("_*.py")))
    function: Any = entries.functions(1 + int.from_bytes(sha256(sources).digest()[:6]))[name]
    if configuration.DISABLE_JIT:
        return function  # type: ignore[no-any-return]
    signature = entries.signature(function.py_func)
    function.compile(signature)
    # Python's way to a dispatcher looks at the types of all arguments, which takes longer than a short chain.
    return function.get_overload(signature)  # type: ignore[no-any-return]
