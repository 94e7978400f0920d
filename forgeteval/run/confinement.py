"""Keeping this process, and all that it starts, from seeing other processes and signalling them: Linux's Landlock.

Whoever runs as the same user can otherwise read, below /proc, what environment a process was started with: an API key
that was exported, for one. Nothing but the standard library is imported here.
"""

import ctypes
import os
import platform
import sys

_NO_NEW_PRIVILEGES, _IN_BOUNDING_SET, _DROP_FROM_BOUNDING_SET = 38, 23, 24
"""Options of prctl."""
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
"""Numbers of the system calls, on every processor but Alpha."""
_PATH_BENEATH = 1
_REFER = 1 << 13
"""To move a file into another folder: the right that is lost without a rule, and so the one that a rule gives back."""
_ASK_VERSION, _SCOPING = 1, 6
"""The flag that asks for the version of Landlock; the first that holds signals, of Linux 6.12."""
_SIGNALS = 1 << 1
_CAPABILITIES_VERSION = 0x20080522
_SEEING_OTHERS = (19, 21, 38)
"""Root's capabilities before which Landlock gives way: SYS_PTRACE, SYS_ADMIN, PERFMON."""


class _Ruleset(ctypes.Structure):
    _fields_ = tuple((name, ctypes.c_uint64) for name in ("files", "network", "scoped"))


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed_access", ctypes.c_uint64), ("parent_fd", ctypes.c_int32))


def confine() -> str | None:
    """Confine this process for good; why that cannot be done, or None.

    Processes outside can then not be traced, nor their memory, environment or open files be read, by root either; those
    that this process starts can. From Linux 6.12 on, they cannot be sent a signal either: not ended, nor stopped. No
    right to files is lost. Threads that run already are not confined.
    """
    if sys.platform != "linux":
        return f"{platform.system()} has no Landlock"
    libc = ctypes.CDLL(None, use_errno=True)
    handled, size = _Ruleset(_REFER, 0, _SIGNALS), ctypes.sizeof(_Ruleset)
    if libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), _ASK_VERSION) < _SCOPING:
        # Older kernels refuse what they do not know.
        handled, size = _Ruleset(_REFER), _Ruleset.network.offset
    ruleset = libc.syscall(_CREATE_RULESET, ctypes.byref(handled), ctypes.c_size_t(size), 0)
    if ruleset < 0:
        return f"Linux {platform.release()} has no Landlock, or one before that of Linux 5.19"
    root = os.open("/", os.O_PATH)
    try:
        everything = _PathBeneath(_REFER, root)
        if (
            libc.syscall(_ADD_RULE, ruleset, _PATH_BENEATH, ctypes.byref(everything), 0)
            or (os.geteuid() == 0 and _drop_capabilities(libc))
            or libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
            or libc.syscall(_RESTRICT_SELF, ruleset, 0)
        ):
            return f"Landlock refuses: {os.strerror(ctypes.get_errno())}"
    finally:
        os.close(root)
        os.close(ruleset)
    return None


def _drop_capabilities(libc: ctypes.CDLL) -> bool:
    """Give up what lets root see other processes; whether that failed."""
    header = (ctypes.c_uint32 * 2)(_CAPABILITIES_VERSION, 0)
    sets = (ctypes.c_uint32 * 6)()
    """Effective, permitted and inheritable capabilities below 32; the same from 32 on."""
    bound = [number for number in _SEEING_OTHERS if libc.prctl(_IN_BOUNDING_SET, number, 0, 0, 0) == 1]
    if libc.capget(header, sets) or any(libc.prctl(_DROP_FROM_BOUNDING_SET, number, 0, 0, 0) for number in bound):
        return True
    for number in _SEEING_OTHERS:
        for position in range(3):
            sets[3 * (number // 32) + position] &= ~(1 << number % 32)
    return bool(libc.capset(header, sets))
