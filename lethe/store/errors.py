"""The exceptions that users of a store are meant to read."""

import contextlib
from collections.abc import Iterator, Sequence


class LetheError(Exception):
    """A mistake or a shortage that the user can remedy; its text is one line that names the place and the remedy."""


class NothingMeets(LookupError):
    """No memory meets a request to forget, and nothing was changed.

    Attributes:
        candidates: the ids of the memories that come closest, the best first.
        found: the same in words, without the remedy.
    """

    def __init__(
        self,
        query: str,
        candidates: Sequence[tuple[int, str]],
        remedy: str = "name one by its id, or ask without a floor (floor=None, --closest)",
    ) -> None:
        closest = ", ".join(f"{memory_id} {text!r:.60}" for memory_id, text in candidates)
        self.found = f"no memory meets {query!r:.80}: {f'the closest are {closest}' if closest else 'none is live'}"
        super().__init__(f"{self.found}; {remedy}" if candidates else self.found)
        self.candidates = tuple(memory_id for memory_id, _ in candidates)


@contextlib.contextmanager
def needing(requirement: str) -> Iterator[None]:
    """Have the failed import of a framework's package say what brings it, for example "langgraph>=1"."""
    try:
        yield
    except ImportError as error:
        said = f'{error}; run pip install "{requirement}"'
        raise type(error)(said, name=error.name, path=error.path) from error


def describe_os_error(error: OSError, doing: str) -> LetheError:
    """Turn a failed file operation into one line; `doing` names it, for example "writing memory.db"."""
    reason = error.strerror or str(error) or type(error).__name__
    if isinstance(error, FileNotFoundError):
        return LetheError(f"{doing}: {reason}; check its name, and that its folder exists")
    return LetheError(f"{doing}: {reason}; free space or fix the permissions of that path, then run again")
