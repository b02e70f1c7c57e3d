"""Registry of the child processes that run submissions, to end all of them at once."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_TERMINATION_TIMEOUT = 0.4
"""Seconds that a child has to end its own child processes."""


class ChildProcesses:
    """Child processes that threads of this process started."""

    def __init__(self) -> None:
        self._children: set[subprocess.Popen[bytes]] = set()
        self._lock = threading.Lock()
        self._stopped = False

    @contextmanager
    def track(self, process: subprocess.Popen[bytes]) -> Iterator[None]:
        """Register a child process inside the context; raise :class:`Interrupted` after `stop_all`."""
        with self._lock:
            if self._stopped:
                raise Interrupted
            self._children.add(process)
        try:
            yield
        finally:
            with self._lock:
                self._children.discard(process)
        if self._stopped:  # its answers are incomplete
            raise Interrupted

    def stop_all(self) -> None:
        """End all child processes and start no more: SIGTERM first, so that they end their descendants."""
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
    """Raised when a submission did not finish because the run is stopped."""
