"""Word lists, written as running text."""


def listed(text: str) -> tuple[str, ...]:
    """The words of `text`, in order."""
    return tuple(text.split())
