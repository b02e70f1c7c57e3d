"""The children that run submissions, so that all of them can be ended at once."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_TERMINATION_TIMEOUT = 0.4
"""Seconds that a child may take to end what it has started."""


class ChildProcesses:
    """The children that run in threads of this process."""

    def __init__(self) -> None:
        self._children: set[subprocess.Popen[bytes]] = set()
        self._lock = threading.Lock()
        self._stopped = False

    @contextmanager
    def track(self, process: subprocess.Popen[bytes]) -> Iterator[None]:
        """Count a child while this lasts; raises :class:`Interrupted` if all have been ended."""
        with self._lock:
            if self._stopped:
                raise Interrupted
            self._children.add(process)
        try:
            yield
        finally:
            with self._lock:
                self._children.discard(process)
        if self._stopped:  # what it gave is what was there when it was ended
            raise Interrupted

    def stop_all(self) -> None:
        """End them, and start no more: at first politely, lest they leave processes of their own."""
        with self._lock:
            self._stopped = True
            children = list(self._children)
        for child in children:
            with suppress(ProcessLookupError):
                child.terminate()
        deadline = time.monotonic() + _TERMINATION_TIMEOUT
        while time.monotonic() < deadline and any(child.poll() is None for child in children):
            time.sleep(_TERMINATION_TIMEOUT / 10)
        for child in children:
            if child.poll() is None:
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(child.pid, signal.SIGKILL)


class Interrupted(Exception):
    """A submission was not run to its end, because nothing is to be run any more."""
