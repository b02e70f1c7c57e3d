"""Ctrl-C that arrives, wherever it falls."""

from __future__ import annotations

import _thread
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

AGAIN = 0.02
"""Seconds after which an interrupt that was lost is sent again."""


@contextmanager
def interruptible() -> Iterator[None]:
    """Within it an interrupt ends what runs, even where Python would go on after it.

    An exception cannot leave a callback of the garbage collector, or a finalizer: Python reports it as
    ignored. Hypothesis has such a callback, and signals that come while memory is collected are raised there.
    """
    before = sys.unraisablehook

    def hook(told: sys.UnraisableHookArgs) -> None:
        if issubclass(told.exc_type, KeyboardInterrupt):
            threading.Timer(AGAIN, _thread.interrupt_main).start()
        else:
            before(told)

    sys.unraisablehook = hook
    try:
        yield
    finally:
        sys.unraisablehook = before
