"""Ctrl-C that arrives, wherever it falls."""

from __future__ import annotations

import _thread
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

RESEND_INTERVAL = 0.02
"""Seconds after which an interrupt that was lost is sent again."""


@contextmanager
def interruptible() -> Iterator[None]:
    """Within it an interrupt ends what runs, even where Python would go on after it.

    An exception cannot leave a callback of the garbage collector, or a finalizer: Python reports it as
    ignored. Hypothesis has such a callback, and signals that come while memory is collected are raised there.
    Only the main thread is ever interrupted; in any other this does nothing.
    """
    original_handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(original_handler):
        yield
        return
    original_hook = sys.unraisablehook
    handled = threading.Event()

    def handle_interrupt(number: int, frame: FrameType | None) -> None:
        handled.set()
        original_handler(number, frame)

    def resend_interrupt() -> None:
        # Again and again: one that comes just before the main thread begins to wait does not end the wait.
        while not handled.wait(RESEND_INTERVAL):
            _interrupt_main()

    def unraisable_hook(unraisable: sys.UnraisableHookArgs) -> None:
        if issubclass(unraisable.exc_type, KeyboardInterrupt):
            handled.clear()
            threading.Thread(target=resend_interrupt, daemon=True).start()
        else:
            original_hook(unraisable)

    sys.unraisablehook = unraisable_hook
    signal.signal(signal.SIGINT, handle_interrupt)
    try:
        yield
    finally:
        handled.set()
        signal.signal(signal.SIGINT, original_handler)
        sys.unraisablehook = original_hook


def _interrupt_main() -> None:
    main = threading.main_thread().ident
    if main is not None and hasattr(signal, "pthread_kill"):
        # A thread that waits for a lock is woken by a signal of the system only.
        signal.pthread_kill(main, signal.SIGINT)
    else:  # Windows
        _thread.interrupt_main()
