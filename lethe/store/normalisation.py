"""When two texts are the same: one answer for purges, tombstones, blank texts, scopes and lines that are read."""

import hashlib
import re
import unicodedata

_IGNORABLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""Default_Ignorable_Code_Point of the Unicode Character Database, which Python's `unicodedata` does not tell."""
_BLANK = re.compile("[\u115f\u1160\u2800\u3164\uffa0]")
"""Characters with the width of a letter and no ink, which are not white space."""
_UNSEEN = re.compile(f"[{_IGNORABLE}\u2800]")
_FULL_STOPS = ".\u3002\u0964\u06d4"


def forms(text: str) -> tuple[str, ...]:
    """The normal forms of a text; two texts are the same if they share one.

    Without what a copy may have otherwise: Unicode form, case (folded, so that STRASSE is straße), white space, what
    cannot be seen, the last full stop. There are two where a character is blank: it may stand for a space or nothing.
    """
    if text.isascii() or not _BLANK.search(text):
        return (_form(text),)
    return tuple(dict.fromkeys(map(_form, (text, _BLANK.sub(" ", text)))))


def _form(text: str) -> str:
    if text.isascii():
        seen = text.lower()  # all that the next lines would change of it
    else:
        seen = without_unseen(unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold()))
    if not seen.isprintable():
        seen = "".join(mark for mark in seen if mark.isspace() or not _directs(mark))
    form = " ".join(seen.split())
    return form.rstrip(_FULL_STOPS).rstrip() or form


def without_unseen(text: str) -> str:
    """A text without what Unicode says to ignore."""
    return _UNSEEN.sub("", text)


def _directs(mark: str) -> bool:
    """Whether a character is a control or format character."""
    return unicodedata.category(mark) in ("Cc", "Cf")


def form_hashes(text: str) -> tuple[bytes, ...]:
    """The hashes of a text's normal forms, by which the store finds every memory with the same text."""
    return tuple(hashlib.sha256(form.encode()).digest() for form in forms(text))


def is_blank(text: str) -> bool:
    """Whether nothing of a text can be seen."""
    return not any(forms(text))


def name_form(name: str) -> str:
    """The name of an owner, a session or a source, equal for two Unicode forms of one (NFC); case counts."""
    return unicodedata.normalize("NFC", name)


def line_text(line: str) -> str:
    """A line that was read, without its end and the mark of byte order before the first."""
    return line.removeprefix("\ufeff").rstrip("\r\n")


def normalised(text: str) -> str:
    """The paper's reading of the same text: NFKC, lower case, white space collapsed."""
    return " ".join(unicodedata.normalize("NFKC", text).lower().split())


def spelling(text: str) -> str:
    """What tombstones of files up to format 3 were made of: the normal form of that time."""
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    return " ".join("".join(mark for mark in folded if unicodedata.category(mark) != "Cf").split())
