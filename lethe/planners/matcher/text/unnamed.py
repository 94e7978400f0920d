"""A text without the words that name whom or what it is about.

With the names in, two sentences on the same person are always similar, whatever they say.
"""

from collections.abc import Collection

from lethe.planners.matcher.text.words import words


def unnamed(text: str, names: Collection[str]) -> str:
    """A text without the words whose keys are `names`; unchanged where nothing would be left."""
    tokens = text.replace("'s", "").split()
    return " ".join(token for token in tokens if not any(word.key in names for word in words(token))) or text


def capitals(text: str) -> set[str]:
    """The keys of the words with a capital."""
    return {word.key for word in words(text) if word.is_capital}
