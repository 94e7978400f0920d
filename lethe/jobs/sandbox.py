"""Program that leaves the network, all files but its own and every other process, and then becomes what is not trusted.

    python -m lethe.jobs.sandbox FOLDER COMMAND…

COMMAND has a root of its own, in which only FOLDER can be written. It reads there, in its environment, in this
project's code and what the system comes with; of the system's settings, what anybody may read. Its network is a
loopback, it is the first process of those that it sees, and it has no capability and none of the kernel's keys. Linux
alone has what that takes: namespaces of users, files, processes and networks, and filters of system calls. Where one
cannot be had, nothing is run.
"""

import ctypes
import fcntl
import os
import shutil
import signal
import socket
import stat
import struct
import sys
from collections.abc import Iterable
from pathlib import Path

from forgeteval.run.descendants import end_as, wait_for
from lethe.fingerprints import PROJECT
from lethe.jobs.system_calls import refuse_keys_and_sockets

_NEW_SPACES = 0x10000000 | 0x00020000 | 0x08000000 | 0x04000000 | 0x20000000 | 0x40000000
"""Of users, files, System V's queues, host names, processes and networks."""
_NO_SUID, _NO_DEVICES, _NO_PROGRAMS = 2, 4, 8
_BIND, _RECURSIVE, _PRIVATE, _LET_GO = 1 << 12, 1 << 14, 1 << 18, 2
_SET_ATTRIBUTES, _HERE, _READ_ONLY, _ALL_BELOW = 442, -100, 1, 0x8000
"""The system call mount_setattr, of Linux 5.12, with its arguments."""
_DIE_WITH_PARENT, _NO_NEW_PRIVILEGES, _IN_BOUNDING_SET, _DROP_FROM_BOUNDING_SET = 1, 38, 23, 24
_CAPABILITIES, _CAPABILITIES_VERSION = 64, 0x20080522
_GET_FLAGS, _SET_FLAGS, _UP = 0x8913, 0x8914, 1
_SYSTEM = ("/bin", "/lib", "/lib64", "/opt", "/sys", "/usr")
_PROGRAMS = ("bin", "lib", "lib64")
_SETTINGS = Path("/etc")
_KEYS = ("keys", "key-users")
"""Files below /proc in which the kernel lists its users' keys."""
_DEVICES = ("null", "zero", "full", "random", "urandom")
_CODE = [PROJECT / package for package in ("lethe", "forgeteval", "atlas")]
"""Without the cases that are written beside it, and without results."""


class _Attributes(ctypes.Structure):
    _fields_ = tuple((name, ctypes.c_uint64) for name in ("put", "taken", "propagation", "users"))


def main() -> None:
    """Entry point; see the module's docstring."""
    folder, *command = sys.argv[1:]
    program = Path(shutil.which(command[0]) or command[0])
    readable = [*map(Path, _SYSTEM), *_installed(program), *_installed(program.resolve()), *_CODE]
    try:
        child = enter(Path(folder), readable)
    except OSError as error:
        sys.exit(f"not run, since it is not trusted and cannot be confined here: {error.args[-1]}")
    if child:
        end_as(wait_for(child))
    os.execv(program, command)


def _installed(program: Path) -> list[Path]:
    """What is there to run a program: its virtual environment, or of another prefix, which may be somebody's HOME, the
    programs and libraries."""
    prefix = program.parent.parent
    if (prefix / "pyvenv.cfg").is_file():
        return [prefix]
    return [path for name in _PROGRAMS if (path := prefix / name).is_dir()]


def enter(folder: Path, readable: Iterable[Path]) -> int:
    """Fork a process that is confined, with all that it starts, for good; 0 in that, its number in this one.

    Args:
        folder: where it may write.
        readable: where it may also read.

    Raises:
        OSError: where that cannot be done, in either.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    here = Path.cwd()
    _leave(libc)
    child = os.fork()
    if not child:
        _take_root(libc, folder.absolute(), readable)
        os.chdir(here if here.is_dir() else folder)
        _drop_capabilities(libc)
        _checked(refuse_keys_and_sockets(libc))
        _checked(libc.prctl(_DIE_WITH_PARENT, signal.SIGKILL, 0, 0, 0))
    return child


def _leave(libc: ctypes.CDLL) -> None:
    """Move to namespaces of its own; the next child is the first process in that of processes."""
    user, group = os.getuid(), os.getgid()
    _checked(libc.unshare(_NEW_SPACES))
    # Unmapped, it would be nobody, and own none of its files.
    for file, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        Path("/proc/self", file).write_text(text)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        request = struct.pack("16sh14x", b"lo", 0)
        name, flags = struct.unpack("16sh14x", fcntl.ioctl(asking, _GET_FLAGS, request))
        fcntl.ioctl(asking, _SET_FLAGS, struct.pack("16sh14x", name, flags | _UP))


def _take_root(libc: ctypes.CDLL, folder: Path, readable: Iterable[Path]) -> None:
    """Make a root in memory that has nothing but these folders, all but `folder` to be read only."""

    def mount(source: str | None, target: Path, kind: bytes | None, flags: int) -> None:
        _checked(libc.mount(source and os.fsencode(source), os.fsencode(target), kind, flags, None))

    mount(None, Path("/"), None, _RECURSIVE | _PRIVATE)
    settings = _open_to_all(_SETTINGS)
    links = {path: path.readlink() for path in (*readable, *settings) if path.is_symlink()}
    devices = [Path("/dev", name) for name in _DEVICES]
    # Where a link among the settings leads is not shown for that.
    wanted = {*readable, *(path.resolve() for path in readable), *settings, folder, *devices}
    # What stands where the new root is made is reached by what was opened before.
    places = {path: os.open(path, os.O_PATH) for path in wanted - links.keys() if path.exists()}
    root = folder
    mount("tmpfs", root, b"tmpfs", _NO_SUID | _NO_DEVICES)
    for name, kind in (("/proc", b"proc"), ("/dev/shm", b"tmpfs")):
        target = _below(root, Path(name))
        target.mkdir(parents=True)
        mount(kind.decode(), target, kind, _NO_SUID | _NO_DEVICES | _NO_PROGRAMS)
    nothing = places[Path("/dev/null")]
    for file in filter(Path.exists, (_below(root, Path("/proc", name)) for name in _KEYS)):
        mount(f"/proc/self/fd/{nothing}", file, None, _BIND)
    # As a user in a namespace within this one, a process would have all capabilities again.
    _below(root, Path("/proc/sys/user/max_user_namespaces")).write_text("0")
    # Who is root outside owns what the kernel lets root write there.
    _read_only(libc, _below(root, Path("/proc")), _ALL_BELOW)
    for path, link in links.items():
        _below(root, path).parent.mkdir(parents=True, exist_ok=True)
        _below(root, path).symlink_to(link)
    for path, place in sorted(places.items()):
        target, is_folder = _below(root, path), stat.S_ISDIR(os.fstat(place).st_mode)
        (target if is_folder else target.parent).mkdir(parents=True, exist_ok=True)
        if not is_folder:
            target.touch()
        # With what is mounted below, `folder` would be the new root.
        mount(f"/proc/self/fd/{place}", target, None, _BIND if path == folder else _BIND | _RECURSIVE)
        if path != folder:
            _read_only(libc, target, _ALL_BELOW)
        os.close(place)
    os.chdir(root)
    _checked(libc.pivot_root(b".", b"."))
    _checked(libc.umount2(b".", _LET_GO))
    os.chdir("/")
    _read_only(libc, Path("/"), 0)


def _open_to_all(folder: Path) -> list[Path]:
    """What anybody may read of a folder: itself, if that is all of it, otherwise the parts of which it is all."""
    parts, is_all = list[Path](), True
    with os.scandir(folder) as entries:
        for entry in entries:
            path, mode = Path(entry.path), entry.stat(follow_symlinks=False).st_mode
            if stat.S_ISDIR(mode):
                found = _open_to_all(path) if mode & 0o5 == 0o5 else []
            else:
                found = [path] if stat.S_ISLNK(mode) or (stat.S_ISREG(mode) and mode & stat.S_IROTH) else []
            parts += found
            is_all = is_all and found == [path]
    return [folder] if is_all else parts


def _below(root: Path, path: Path) -> Path:
    return root / path.relative_to("/")


def _read_only(libc: ctypes.CDLL, path: Path, flags: int) -> None:
    attributes = _Attributes(_READ_ONLY, 0, 0, 0)
    size = ctypes.c_size_t(ctypes.sizeof(attributes))
    _checked(libc.syscall(_SET_ATTRIBUTES, _HERE, os.fsencode(path), flags, ctypes.byref(attributes), size))


def _drop_capabilities(libc: ctypes.CDLL) -> None:
    """Give up what would let it undo this, for good."""
    for number in range(_CAPABILITIES):
        if libc.prctl(_IN_BOUNDING_SET, number, 0, 0, 0) == 1:
            _checked(libc.prctl(_DROP_FROM_BOUNDING_SET, number, 0, 0, 0))
    header, none = (ctypes.c_uint32 * 2)(_CAPABILITIES_VERSION, 0), (ctypes.c_uint32 * 6)()
    _checked(libc.capset(header, none))
    _checked(libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0))


def _checked(result: int) -> None:
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(
            code, f"{os.strerror(code)}; it takes namespaces of users, files, processes and networks, and seccomp"
        )


if __name__ == "__main__":
    main()
