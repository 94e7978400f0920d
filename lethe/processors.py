"""Processors of this machine: a job of one thread has one to itself.

Its processes, and the threads of a store's library, wait for one another all the time. On a processor of their own the
next one runs at once; else it is woken on another processor, behind what runs there.
"""

import os
import re
import socket
from collections.abc import Iterator, Set
from contextlib import contextmanager
from pathlib import Path

_SIBLINGS = "/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list"


@contextmanager
def own_processor() -> Iterator[Set[int]]:
    """A processor that no other job on this machine holds until the block ends; all that this process may use where
    each is held."""
    ours = os.sched_getaffinity(0)
    for number in sorted(ours, key=lambda each: (_shares_a_core(each), each)):
        with socket.socket(socket.AF_UNIX) as held:
            try:
                # A name without a file: it is free again as soon as its process has ended, in whatever way.
                held.bind(f"\0lethe.processor.{number}")
            except OSError:
                continue
            yield {number}
            return
    yield ours


def _shares_a_core(number: int) -> bool:
    """Whether a processor is another one than the first of its core."""
    try:
        siblings = Path(_SIBLINGS.format(number)).read_text(encoding="ascii")
    except OSError:
        return False
    return number != int(re.split("[-,]", siblings)[0])
