"""An interrupt in a callback that swallows exceptions is not lost."""

import gc
import signal
import sys
import threading
import time

import pytest

from rbnotes.testing import interruptible


@pytest.fixture
def interrupt_in_callback():
    """Interrupt once, inside a callback of the garbage collector."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)

    def interrupting_callback(phase, messages):
        gc.callbacks.remove(interrupting_callback)
        signal.raise_signal(signal.SIGINT)

    yield lambda: gc.callbacks.append(interrupting_callback)
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("wait", [time.sleep, threading.Event().wait], ids=["asleep", "at a lock"])
def test_interrupt_in_a_callback_stops_the_run(interrupt_in_callback, wait):
    hook, ended = sys.unraisablehook, []

    @interruptible()
    def long():
        gc.collect()
        wait(60)
        ended.append(True)

    interrupt_in_callback()
    with pytest.raises(KeyboardInterrupt):
        long()
    assert not ended, "the interrupt came when the wait was over"
    assert sys.unraisablehook is hook


def test_other_errors_in_callbacks_are_reported_as_before(monkeypatch):
    messages = []
    monkeypatch.setattr(sys, "unraisablehook", messages.append)

    class WithoutRepr:
        def __del__(self):
            raise ValueError("broken")

    with interruptible():
        WithoutRepr()
        gc.collect()
    assert len(messages) == 1
