"""The exception that users of a store are meant to read."""


class LetheError(Exception):
    """A mistake or a shortage that the user can remedy; its text is one line that names the place and the remedy."""


def describe_os_error(error: OSError, doing: str) -> LetheError:
    """Turn a failed file operation into one line; `doing` names it, for example "writing memory.db"."""
    reason = error.strerror or str(error) or type(error).__name__
    return LetheError(f"{doing}: {reason}; free space or fix the permissions of that path, then run again")
