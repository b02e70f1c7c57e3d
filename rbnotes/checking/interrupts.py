"""Ctrl-C that arrives, wherever it falls."""

from __future__ import annotations

import _thread
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

AGAIN = 0.02
"""Seconds after which an interrupt that was lost is sent again."""


@contextmanager
def interruptible() -> Iterator[None]:
    """Within it an interrupt ends what runs, even where Python would go on after it.

    An exception cannot leave a callback of the garbage collector, or a finalizer: Python reports it as
    ignored. Hypothesis has such a callback, and signals that come while memory is collected are raised there.
    Only the main thread is ever interrupted; in any other this does nothing.
    """
    handle = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handle):
        yield
        return
    report = sys.unraisablehook
    handled = threading.Event()

    def note(number: int, frame: FrameType | None) -> None:
        handled.set()
        handle(number, frame)

    def send() -> None:
        # Again and again: one that comes just before the main thread begins to wait does not end the wait.
        while not handled.wait(AGAIN):
            _interrupt_main()

    def hook(told: sys.UnraisableHookArgs) -> None:
        if issubclass(told.exc_type, KeyboardInterrupt):
            handled.clear()
            threading.Thread(target=send, daemon=True).start()
        else:
            report(told)

    sys.unraisablehook = hook
    signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        handled.set()
        signal.signal(signal.SIGINT, handle)
        sys.unraisablehook = report


def _interrupt_main() -> None:
    main = threading.main_thread().ident
    if main is not None and hasattr(signal, "pthread_kill"):
        # A thread that waits for a lock is woken by a signal of the system only.
        signal.pthread_kill(main, signal.SIGINT)
    else:  # Windows
        _thread.interrupt_main()
