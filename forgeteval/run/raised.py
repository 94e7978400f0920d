"""What a measured system raised, in words that can be stored.

This module runs in the systems' own environments: only the standard library is imported here.
"""

import inspect
import os
import traceback
from pathlib import Path
from types import TracebackType

from forgeteval.errors import UserError
from forgeteval.run.storable import storable
from forgeteval.stores.contract import Adapter

_MOST_SAID = 500
"""Characters of what an exception says that are kept."""
_MOST_TRACED = 4000
"""Characters of a traceback that are kept."""
_LIBRARY = str(Path(traceback.__file__).parent) + os.sep
_PACKAGE = str(Path(inspect.getfile(Adapter)).parents[1]) + os.sep
_REFUSE_ANSWERS = tuple(
    _PACKAGE + str(Path(path)) for path in ("stores/given.py", "stores/contract.py", "run/child.py")
)
"""Where an answer of the store is refused, and where one of the parent's planner is passed on."""


def describe(reason: BaseException) -> str:
    """The class of an exception and what it says, in one line that can be stored."""
    return f"{_kind(reason)}: {said(reason)}"[:_MOST_SAID]


def traced(reason: BaseException) -> str:
    """The traceback of an exception, from the store's own code on, its last part where it is long; empty where an
    answer of the store was refused, of which the exception says enough."""
    own = _own_part(reason)
    if own is None and not issubclass(type(reason), SyntaxError):
        return ""
    try:
        lines = traceback.format_exception(type(reason), reason, own)
    except BaseException:  # noqa: BLE001 - see `said`
        lines = traceback.format_tb(own)
    return storable("".join(lines))[-_MOST_TRACED:]


def _own_part(reason: BaseException) -> TracebackType | None:
    """The traceback without what leads to the store's own code; the whole where there is none of that, but None where
    an answer of the store was refused, or its file is not Python."""
    found, file = reason.__traceback__, ""
    while found is not None and _leads_to_it(file := found.tb_frame.f_code.co_filename):
        found = found.tb_next
    if found is None and (file in _REFUSE_ANSWERS or issubclass(type(reason), SyntaxError | UserError)):
        return None
    return found or reason.__traceback__


def _leads_to_it(file: str) -> bool:
    if file.startswith((_PACKAGE, "<frozen ")):
        return True
    return file.startswith(_LIBRARY) and not any(part in file for part in ("site-packages", "dist-packages"))


def _kind(reason: BaseException) -> str:
    """The name of an exception's class, whatever the class says of itself."""
    return storable(type.__dict__["__name__"].__get__(type(reason)))


def said(reason: BaseException) -> str:
    """What an exception says, in one line; an exception is a part of the measured system too."""
    try:
        return " ".join(storable(str(reason)).split())[:_MOST_SAID]
    except BaseException as error:  # noqa: BLE001 - see above
        return f"it cannot say why ({_kind(error)})"
