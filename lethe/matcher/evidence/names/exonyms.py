"""Places with other names in other languages: one place on each line, its English name first."""

from lethe.matcher.evidence.tables import table

_PLACES = table("exonyms", "places")


def _other_names() -> dict[str, list[tuple[str, ...]]]:
    """Each name, in small letters, to all names of the same place, each as its words."""
    known: dict[str, list[tuple[str, ...]]] = {}
    for line in _PLACES.strip().splitlines():
        names = [tuple(name.split("-")) for name in line.split()]
        for name in names:
            known.setdefault(" ".join(name).casefold(), []).extend(other for other in names if other != name)
    return known


_OTHER_NAMES = _other_names()


def other_names(words: tuple[str, ...]) -> list[tuple[str, ...]]:
    """What a place is called in other languages; empty for what is not a place known here."""
    return _OTHER_NAMES.get(" ".join(words).casefold(), [])
