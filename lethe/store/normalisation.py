"""The forms in which two texts that state the same fact are equal."""

import unicodedata


def normalised(text: str) -> str:
    """The text in NFKC and lower case with white space collapsed; equal for two texts that state the same fact."""
    return " ".join(unicodedata.normalize("NFKC", text).lower().split())


def spelling(text: str) -> str:
    """The text without what a copy of it may have otherwise: case, white space, Unicode form, invisible characters.

    Wider than `normalised`: case is folded, so that STRASSE is straße, and characters that only direct others are left
    out.
    """
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    return " ".join("".join(mark for mark in folded if unicodedata.category(mark) != "Cf").split())
