"""Program that takes from itself the network and all files but its own, and then becomes what is not trusted.

    python -m lethe.jobs.sandbox FOLDER COMMAND…

COMMAND writes below FOLDER alone. It reads there, in its environment, in this project's code and what the system comes
with. Its network is a loopback of its own. Linux alone has what that takes: a network namespace, and Landlock from
Linux 6.2 on. Without either nothing is run.
"""

import contextlib
import ctypes
import errno
import fcntl
import os
import platform
import shutil
import socket
import struct
import sys
from collections.abc import Iterable
from pathlib import Path

from lethe.fingerprints import PROJECT

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
"""Numbers of the system calls of Landlock, on every processor but Alpha."""
_VERSION, _PATH_BENEATH = 1, 1
_NO_NEW_PRIVILEGES = 38
_NEW_USERS, _NEW_NETWORK = 0x10000000, 0x40000000
_LIST = 1 << 3
_READ = 0b0101 | _LIST
"""Rights of Landlock to files: run, read, list. All rights that Linux 6.2 knows are bits 0 to 14."""
_ALL = (1 << 15) - 1
_ON_FILES = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 14
"""Those rights that a file may have which is no folder."""
_NEEDED = 3
"""The version of Landlock that knows how a file is cut off."""
_GET_FLAGS, _SET_FLAGS, _UP = 0x8913, 0x8914, 1
_SYSTEM = ("/bin", "/dev", "/etc", "/lib", "/lib64", "/opt", "/proc", "/sys", "/usr")
_CODE = [PROJECT / package for package in ("lethe", "forgeteval", "atlas")]
"""Without the cases that are written beside it, and without results."""
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/tty")


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("folder", ctypes.c_int32))


def main() -> None:
    """Entry point; see the module's docstring."""
    folder, *command = sys.argv[1:]
    program = Path(shutil.which(command[0]) or command[0])
    try:
        enter(Path(folder), [program.parent.parent, program.resolve().parent.parent, *_CODE], PROJECT)
    except OSError as error:
        sys.exit(f"not run, since it is not trusted and cannot be confined here: {error.args[-1]}")
    os.execv(program, command)


def enter(folder: Path, readable: Iterable[Path], listed: Path) -> None:
    """Confine this process, and all that it starts, for good.

    Args:
        folder: where it may write.
        readable: where it may also read, besides what the system comes with.
        listed: where it may also see the names of files.

    Raises:
        OSError: where that cannot be done.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    _leave_network(libc)
    version = libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), _VERSION)
    if version < _NEEDED:
        raise OSError(errno.ENOSYS, f"Linux {platform.release()} has no Landlock, or one before that of Linux 6.2")
    handled = ctypes.c_uint64(_ALL)
    ruleset = libc.syscall(_CREATE_RULESET, ctypes.byref(handled), ctypes.c_size_t(ctypes.sizeof(handled)), 0)
    _checked(ruleset)
    allowed = {listed: _LIST, **dict.fromkeys([*map(Path, _SYSTEM), *readable], _READ)}
    for path, rights in (allowed | {Path(device): _ON_FILES for device in _DEVICES} | {folder: _ALL}).items():
        with contextlib.suppress(FileNotFoundError):
            _allow(libc, ruleset, path, rights)
    _checked(libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0))
    _checked(libc.syscall(_RESTRICT_SELF, ruleset, 0))
    os.close(ruleset)


def _leave_network(libc: ctypes.CDLL) -> None:
    """Move to a network that has only a loopback of its own."""
    user, group = os.getuid(), os.getgid()
    if libc.unshare(_NEW_NETWORK):
        _checked(libc.unshare(_NEW_USERS | _NEW_NETWORK))
        # Unmapped, it would be nobody, and own none of its files.
        for file, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
            Path("/proc/self", file).write_text(text)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        request = struct.pack("16sh14x", b"lo", 0)
        name, flags = struct.unpack("16sh14x", fcntl.ioctl(asking, _GET_FLAGS, request))
        fcntl.ioctl(asking, _SET_FLAGS, struct.pack("16sh14x", name, flags | _UP))


def _allow(libc: ctypes.CDLL, ruleset: int, path: Path, rights: int) -> None:
    place = os.open(path, os.O_PATH)
    try:
        given = rights if path.is_dir() else rights & _ON_FILES
        _checked(libc.syscall(_ADD_RULE, ruleset, _PATH_BENEATH, ctypes.byref(_PathBeneath(given, place)), 0))
    finally:
        os.close(place)


def _checked(result: int) -> None:
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{os.strerror(code)}; it takes user namespaces and Landlock")


if __name__ == "__main__":
    main()
