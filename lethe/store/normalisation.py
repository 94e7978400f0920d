"""The form in which two texts that state the same fact are equal."""

import unicodedata


def normalised(text: str) -> str:
    """The text in NFKC and lower case with white space collapsed; equal for two texts that state the same fact."""
    return " ".join(unicodedata.normalize("NFKC", text).lower().split())
