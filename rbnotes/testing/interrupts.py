"""Reliable handling of Ctrl-C."""

from __future__ import annotations

import _thread
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

RESEND_INTERVAL = 0.02
"""Time after which a lost interrupt is sent again, s."""


@contextmanager
def interruptible() -> Iterator[None]:
    """Return a context in which an interrupt always ends the running code.

    An exception cannot leave a callback of the garbage collector or a finalizer: Python reports it as
    ignored. Hypothesis has such a callback, and signals that arrive during garbage collection are raised
    there. Only the main thread is interrupted; in other threads the context has no effect.
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
        # Repeated: a signal just before the main thread begins to wait does not end the wait.
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
        # Only a signal of the operating system wakes a thread that waits for a lock.
        signal.pthread_kill(main, signal.SIGINT)
    else:  # Windows
        _thread.interrupt_main()
