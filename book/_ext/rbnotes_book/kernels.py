"""Fork kernels from a process that has loaded the library.

Loading the library takes longer than many chapters run.
"""

from __future__ import annotations

import multiprocessing
import os
import pkgutil
import sys
from importlib.metadata import EntryPoint
from multiprocessing import forkserver
from multiprocessing.process import BaseProcess
from threading import Lock
from typing import Any, cast

from ipykernel.kernelapp import IPKernelApp
from jupyter_client.connect import KernelConnectionInfo
from jupyter_client.provisioning.factory import KernelProvisionerFactory
from jupyter_client.provisioning.local_provisioner import LocalProvisioner

import rbnotes

NAME = "forked"
LOADED = (
    *("build_book", "matplotlib.pyplot"),
    *("ipykernel.kernelapp", "ipykernel.debugger", "ipykernel.zmqshell", "psutil"),
    *("casadi", "cvxpy", "scipy.integrate", "scipy.optimize"),
)
BACKEND = "module://matplotlib_inline.backend_inline"
"""Named where pyplot is loaded, and loaded by each kernel itself: it asks at that time who shows figures."""
_server = Lock()


class ForkedKernel(LocalProvisioner):
    """Provisioner that starts kernels as forks of a server."""

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> KernelConnectionInfo:
        arguments = cmd[cmd.index("ipykernel_launcher") + 1 :]
        started = _Forked(arguments, kwargs["cwd"], kwargs["env"])
        self.process, self.pid, self.cwd = cast("Any", started), started.pid, kwargs["cwd"]
        return self.connection_info


class _Forked:
    """Forked process with the part of ``subprocess.Popen`` that a provisioner uses."""

    stdin = stdout = stderr = None

    def __init__(self, arguments: list[str], folder: str, environment: dict[str, str]) -> None:
        with _server:
            _start_server()
        context = multiprocessing.get_context("forkserver")
        self._process: BaseProcess = context.Process(target=_run, args=(arguments, folder, environment))
        self._process.start()
        self.pid = self._process.pid
        self.kill, self.terminate = self._process.kill, self._process.terminate

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self) -> int | None:
        self._process.join()
        return self._process.exitcode

    def send_signal(self, number: int) -> None:
        if self.pid is not None and self._process.is_alive():
            os.kill(self.pid, number)


def _start_server() -> None:
    """Start the fork server unless it runs already."""
    modules = [module.name for module in pkgutil.walk_packages(rbnotes.__path__, "rbnotes.")]
    public = [name for name in modules if "._" not in name]
    forkserver.set_forkserver_preload([*LOADED, *public, "rbnotes_book.preload"])
    before = dict(os.environ)
    # The server finds modules where this process does, and not first in the working directory.
    os.environ["PYTHONPATH"] = os.pathsep.join(sys.path)
    os.environ["PYTHONSAFEPATH"] = "1"
    os.environ["MPLBACKEND"] = BACKEND
    os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"  # or the debugger warns of frozen modules
    try:
        forkserver.ensure_running()
    finally:
        os.environ.clear()
        os.environ.update(before)


def _run(arguments: list[str], folder: str, environment: dict[str, str]) -> None:
    os.chdir(folder)
    os.environ.update(environment)
    IPKernelApp.launch_instance(argv=[*arguments, f"--IPKernelApp.parent_handle={os.getppid()}"])


def fork_kernels() -> None:
    """Make this process fork its kernels if the operating system supports it.

    This returns when the server has loaded the library, so that no chapter's time includes it.
    """
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return
    factory = KernelProvisionerFactory.instance()
    group = KernelProvisionerFactory.GROUP_NAME
    factory.provisioners[NAME] = EntryPoint(NAME, f"{__name__}:{ForkedKernel.__name__}", group)
    factory.default_provisioner_name = NAME
    _start_server()
    idle = multiprocessing.get_context("forkserver").Process()
    idle.start()
    idle.join()
