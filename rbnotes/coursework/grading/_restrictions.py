"""Restrict the child process of a grader as far as the operating system allows.

This runs only in the child, before the submission, and imports nothing of the package. The kernel enforces
the restrictions where it can (resource limits, namespaces, Landlock); an audit hook repeats them in Python
for other systems. They contain accidents and pranks; they are not a security boundary.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import resource
import signal
import struct
import sys
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

_LIBC = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None
_NEW_USER, _NEW_PID, _NEW_NET, _NEW_IPC = 0x10000000, 0x20000000, 0x40000000, 0x08000000
_NEW_MOUNTS = 0x20000
_SET_DEATH_SIGNAL, _SET_SECCOMP, _SET_SUBREAPER, _NO_NEW_PRIVILEGES = 1, 22, 36, 38
_PRIVATE, _NO_SUID_OR_DEVICES = 0x44000, 0x6  # flags of mount: MS_REC | MS_PRIVATE; MS_NOSUID | MS_NODEV
_MAX_DISK_BYTES, _MAX_NUM_FILES = 64 * 2**20, 1000
# Identifier of the processor and numbers of the system calls add_key, request_key, keyctl.
_KEY_CALLS = {"x86_64": (0xC000003E, (248, 249, 250)), "aarch64": (0xC00000B7, (217, 218, 219))}
# Landlock: file rights by version of its interface, and system calls (the same on all processors).
_CREATE, _ADD, _RESTRICT = 444, 445, 446
_READ = 1 << 0 | 1 << 2 | 1 << 3  # execute, read a file, list a folder
_WRITE = 1 << 1 | sum(1 << bit for bit in range(4, 13))
_RIGHTS_SINCE_VERSION = {2: 1 << 13, 3: 1 << 14}  # moving between folders, truncating
_FIRST_RESERVED_UID = 61000  # below the range that distributions assign to users


def _call_libc(name: str, *arguments: Any) -> bool:
    return _LIBC is not None and getattr(_LIBC, name)(*arguments) == 0


def isolate() -> list[str]:
    """Isolate this process from network, other processes and memory; return the restrictions in force."""
    # Orphaned descendants become children of this process, which can end them.
    _call_libc("prctl", _SET_SUBREAPER, 1, 0, 0, 0)
    user, group = os.geteuid(), os.getegid()
    for spaces, isolated in (
        (_NEW_NET | _NEW_PID | _NEW_IPC, ["network", "processes of others"]),
        (_NEW_NET, ["network"]),
        (_NEW_PID, ["processes of others"]),
    ):
        if not _call_libc("unshare", spaces if user == 0 else spaces | _NEW_USER):
            continue
        if user != 0:
            with suppress(OSError):
                _write("/proc/self/setgroups", "deny")
                _write("/proc/self/uid_map", f"{user} {user} 1")
                _write("/proc/self/gid_map", f"{group} {group} 1")
        return isolated
    return []


def _write(path: str, text: str) -> None:
    with open(path, "w") as file:
        file.write(text)


def die_with_parent(death_signal: signal.Signals = signal.SIGKILL) -> None:
    """Make the kernel send a signal to this process when its parent ends."""
    _call_libc("prctl", _SET_DEATH_SIGNAL, death_signal, 0, 0, 0)


def limit_disk_space(folder: str) -> list[str]:
    """Mount a file system in memory at the folder, with a limited size and number of files."""
    options = f"size={_MAX_DISK_BYTES},nr_inodes={_MAX_NUM_FILES},mode=700".encode()
    if not (
        _call_libc("unshare", _NEW_MOUNTS)
        and _call_libc("mount", None, b"/", None, ctypes.c_ulong(_PRIVATE), None)
        and _call_libc(
            "mount", b"tmpfs", os.fsencode(folder), b"tmpfs", ctypes.c_ulong(_NO_SUID_OR_DEVICES), options
        )
    ):
        return []
    os.chdir(folder)
    return ["disk space"]


def forbid_kernel_keys() -> list[str]:
    """Refuse the system calls for the kernel's keyrings, which outlive a process, by a filter of seccomp."""
    if platform.machine() not in _KEY_CALLS:
        return []
    processor, calls = _KEY_CALLS[platform.machine()]
    refuse, allow = 0x50000 | errno.EPERM, 0x7FFF0000
    refusal = len(calls) + 5  # number of the last operation
    # Operations: load a word, jump if equal (0x15) or not smaller (0x35), return.
    program = [
        (0x20, 0, 0, 4),
        (0x15, 0, refusal - 2, processor),
        (0x20, 0, 0, 0),
        (0x35, refusal - 4, 0, 0x40000000),  # numbers of another interface of the same kernel
        *((0x15, refusal - 5 - place, 0, call) for place, call in enumerate(calls)),
        (0x06, 0, 0, allow),
        (0x06, 0, 0, refuse),
    ]
    instructions = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *each) for each in program))
    header = struct.pack("HP", len(program), ctypes.addressof(instructions))
    _call_libc("prctl", _NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    return ["kernel keys"] if _call_libc("prctl", _SET_SECCOMP, 2, header, 0, 0) else []


def switch_user(number: int, needed: Iterable[str], folder: str) -> list[str]:
    """Switch from root to a user who owns only the folder, if that user can read the needed files.

    `number` selects one of a thousand such users, so that process limits of two children are separate. Below
    a private folder of root no other user can read the files: the result then lacks "separate user".
    """
    if os.geteuid() != 0:
        return []
    user = _FIRST_RESERVED_UID + number % 1000
    probe = os.fork()
    if probe == 0:
        try:
            os.setgroups([])
            os.setresgid(user, user, user)
            os.setresuid(user, user, user)
            os._exit(0 if all(os.access(path, os.R_OK) for path in needed) else 1)
        finally:
            os._exit(1)
    if os.waitpid(probe, 0)[1] != 0:
        return []
    os.chown(folder, user, user)
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    return ["files of others", "separate user"]


def set_resource_limits(memory: int, file_size: int, files: int, processes: int) -> list[str]:
    """Set the kernel's limits: bytes of memory and of a file, open files, processes at a time."""
    if os.geteuid() != 0 and not _has_own_process_count():
        processes += _count_user_processes()
    limited = []
    for name, value in (("AS", memory), ("FSIZE", file_size), ("NOFILE", files), ("NPROC", processes)):
        number = getattr(resource, f"RLIMIT_{name}", None)
        if number is not None:
            with suppress(ValueError, OSError):
                resource.setrlimit(number, (value, value))
                limited.append(name)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    names = {"AS": "memory", "FSIZE": "file size", "NOFILE": "open files"}
    names_of_limits = [names[name] for name in limited if name in names]
    return (
        [*names_of_limits, "number of processes"]
        if "NPROC" in limited and os.geteuid() != 0
        else names_of_limits
    )


def _has_own_process_count() -> bool:
    """Return True if this user's processes are counted separately.

    They are in a user namespace, and for a user without other processes.
    """
    if _FIRST_RESERVED_UID <= os.geteuid() < _FIRST_RESERVED_UID + 1000:
        return True
    with suppress(OSError), open("/proc/self/uid_map") as file:
        return file.read().split() != ["0", "0", "4294967295"]
    return False


def _count_user_processes() -> int:
    count = 0
    with suppress(OSError):
        for name in os.listdir("/proc"):
            with suppress(OSError):
                count += name.isdigit() and os.stat(f"/proc/{name}").st_uid == os.geteuid()
    return count


def limit_cpu_time(seconds: float) -> None:
    """Let the kernel end this process after a limit of additional processor time, in whole seconds."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    allowed = int(used.ru_utime + used.ru_stime + seconds) + 1
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CPU, (allowed, resource.getrlimit(resource.RLIMIT_CPU)[1]))


def apply_landlock(readable: Iterable[str], writable: Iterable[str]) -> list[str]:
    """Restrict reading and writing to these folders, and forbid signals to other processes."""
    if _LIBC is None:
        return []
    version = _LIBC.syscall(_CREATE, None, 0, 1)
    if version < 1:
        return []
    files = _READ | _WRITE | sum(right for since, right in _RIGHTS_SINCE_VERSION.items() if version >= since)
    # All rights to files, to TCP ports (since 4), and to sockets and signals outside the domain (since 6).
    attributes = struct.pack("QQQ", files, 0b11, 0b11)
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    rules = _LIBC.syscall(_CREATE, ctypes.c_char_p(attributes), ctypes.c_size_t(size), 0)
    if rules < 0:
        return []
    one_file = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 14
    for path, rights in [(path, _READ) for path in readable] + [(path, files) for path in writable]:
        with suppress(OSError):
            handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
            allowed = rights & files & (-1 if os.path.isdir(path) else one_file)
            _LIBC.syscall(_ADD, rules, 1, ctypes.c_char_p(struct.pack("=Qi", allowed, handle)), 0)
            os.close(handle)
    _call_libc("prctl", _NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    restricted = _LIBC.syscall(_RESTRICT, rules, 0) == 0
    os.close(rules)
    if not restricted:
        return []
    return ["files of others", *(["network"] if version >= 4 else []), *(["signals"] if version >= 6 else [])]


_FILE_CHANGE_EVENTS = frozenset(
    {"os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.chmod", "os.chown", "os.truncate"}
)


_PROCESS_START_EVENTS = frozenset(
    {"os.fork", "os.forkpty", "os.exec", "os.posix_spawn", "os.system", "subprocess.Popen"}
)
_NETWORK_EVENTS = frozenset({"socket.connect", "socket.bind", "socket.sendto", "socket.getaddrinfo"})


def install_audit_hook(
    folder: str, hidden_modules: Iterable[str], hidden_folders: Iterable[str], *, may_start: bool
) -> None:
    """Forbid in Python what the kernel may allow: changing other files, signals, sockets, the reference.

    If the kernel does not count processes, none may be started.
    """
    inside = os.path.realpath(folder) + os.sep
    hidden = tuple(os.path.realpath(path) + os.sep for path in hidden_folders)
    modules = tuple(hidden_modules)
    real, writing = os.path.realpath, os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC

    def refuse(operation: str) -> None:
        raise PermissionError(f"{operation} is not available to a submission")

    def is_inside(path: Any) -> bool:
        return isinstance(path, int) or (real(os.fsdecode(path)) + os.sep).startswith((inside, "/dev/null"))

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, _, flags = arguments
            if isinstance(path, (str, bytes)):
                if flags & writing and not is_inside(path):
                    refuse(f"writing to {os.fsdecode(path)}")
                if (real(os.fsdecode(path)) + os.sep).startswith(hidden):
                    refuse("a file of the grader")
        elif event == "import":
            name = str(arguments[0])
            if any(name == module or name.startswith(module + ".") for module in modules):
                raise ImportError(f"{name} is not available to a submission")
        elif event in _FILE_CHANGE_EVENTS:
            paths = arguments[:2] if event == "os.rename" else arguments[:1]
            if not all(is_inside(path) for path in paths):
                refuse(f"{event} outside of its own folder")
        elif event in ("os.kill", "os.killpg"):
            refuse("sending signals")
        elif event in _NETWORK_EVENTS:
            refuse("the network")
        elif event in _PROCESS_START_EVENTS and not may_start:
            refuse("starting processes")

    sys.addaudithook(watch)
