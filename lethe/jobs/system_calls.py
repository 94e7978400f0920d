"""What the kernel refuses a process for good, besides what its namespaces keep from it.

Keys of the kernel belong to a user, and sockets between a virtual machine and its host to the machine; no namespace
holds either. So a filter of the kernel (seccomp) refuses all calls for keys, and sockets of all families but those that
namespaces hold. It is for x86-64 and 64-bit ARM; elsewhere nothing is filtered.
"""

import ctypes
import errno
import os
import socket
import struct
import sys
from dataclasses import dataclass

_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
"""Instructions of the kernel's filters; a comparison says how many to skip if it holds, and if not."""
_CALL, _MACHINE, _FIRST_ARGUMENT = 0, 4, 16
"""Where the kernel writes these for a filter, in bytes."""
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000 | errno.EPERM
_OTHER_CALLS = 0x40000000
"""The first number of x32, whose calls x86-64 takes beside its own."""
_FAMILIES = (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6, 16)
"""The last is netlink's, which Python names on Linux alone."""
_SET_FILTER, _BY_FILTER = 22, 2


@dataclass(frozen=True, slots=True)
class _Calls:
    """A machine as the kernel names it, and the numbers that it has for some calls.

    Attributes:
        machine: its number.
        sockets: socket and socketpair.
        refused: add_key, request_key, keyctl, and io_uring_setup, whose rings open sockets past any filter.
    """

    machine: int
    sockets: tuple[int, int]
    refused: tuple[int, int, int, int]


_MACHINES = {
    "x86_64": _Calls(0xC000003E, (41, 53), (248, 249, 250, 425)),
    "aarch64": _Calls(0xC00000B7, (198, 199), (217, 218, 219, 425)),
}


class _Program(ctypes.Structure):
    _fields_ = (("size", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def refuse_keys_and_sockets(libc: ctypes.CDLL) -> int:
    """Have the kernel refuse them to this process and all that it starts; negative where it cannot."""
    calls = _MACHINES.get(os.uname().machine) if sys.maxsize > 2**32 else None
    if calls is None:
        return 0
    instructions = _filter(calls)
    program = _Program(len(instructions) // 8, instructions)
    done: int = libc.prctl(_SET_FILTER, _BY_FILTER, ctypes.byref(program), 0, 0)
    return done


def _filter(calls: _Calls) -> bytes:
    refuse, allow = (_RETURN, 0, 0, _REFUSE), (_RETURN, 0, 0, _ALLOW)
    program = [(_LOAD, 0, 0, _MACHINE), (_EQUAL, 1, 0, calls.machine), refuse]
    program += [(_LOAD, 0, 0, _CALL), (_AT_LEAST, 0, 1, _OTHER_CALLS), refuse]
    for number in calls.refused:
        program += [(_EQUAL, 0, 1, number), refuse]
    one, pair = calls.sockets
    program += [(_EQUAL, 2, 0, one), (_EQUAL, 1, 0, pair), allow]
    program += [(_LOAD, 0, 0, _FIRST_ARGUMENT)]
    for family in _FAMILIES:
        program += [(_EQUAL, 0, 1, family), allow]
    program += [refuse]
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in program)
