"""A name as other languages inflect it: endings, particles and forms of address taken off a word, in its own script."""

import functools
import re

from lethe.matcher.evidence.tables import table

_CYRILLIC = table("base_forms", "cyrillic")  # fmt: skip
"""Case endings of names in East Slavic and Turkic languages, and what the nominative has in their place."""
_GREEK = table("base_forms", "greek")
_HANGUL = re.compile(
    r"(?<=[\uac00-\ud7af]{2})(?:씨|님|선생님)?(?:은|는|이|가|을|를|의|에게|께|와|과|도|한테|에서|으로|로)?$"
)
_ARABIC = re.compile(r"^(?:و?[لبك]|و)(?=[\u0600-\u06ff]{3})")
_HEBREW = re.compile(r"^(?:ו?[לבמשה]|ו)(?=[\u0590-\u05ff]{3})")
_JAPANESE = re.compile(r"(?<=.)(?:さん|さま|くん|ちゃん|様|氏|君|殿|先生|女士|小姐|老师|老師)$")
_LATIN = re.compile(r"(?<=[^\W\d_]{3})'[^\W\d_]{1,5}$")
_GEORGIAN = table("base_forms", "georgian")  # fmt: skip
"""Case endings of Georgian, and what the nominative has in their place."""
_ARMENIAN = table("base_forms", "armenian")  # fmt: skip
_ADDRESSES = re.compile(r"^(?:คุณ|นางสาว|นาง|นาย)(?=.{2})")


@functools.lru_cache(maxsize=8192)
def base_forms(word: str, script: str) -> tuple[str, ...]:
    """The word itself and what it may be an inflected form of, in the script of the word."""
    forms = [word]
    if script in _ENDINGS:
        forms += _replaced(re.sub("σ$", "ς", word), _ENDINGS[script])
    else:
        pattern = _PATTERNS.get(script)
        shorter = pattern.sub("", word) if pattern else word
        forms += [shorter] if shorter and shorter != word else []
    return tuple(dict.fromkeys(forms))


_PATTERNS = {
    "hangul": _HANGUL, "arabic": _ARABIC, "hebrew": _HEBREW, "han": _JAPANESE, "kana": _JAPANESE, "latin": _LATIN,
    "thai": _ADDRESSES,
}  # fmt: skip


_ENDINGS = {"cyrillic": _CYRILLIC, "greek": _GREEK, "georgian": _GEORGIAN, "armenian": _ARMENIAN}


def _replaced(word: str, endings: dict[str, tuple[str, ...]]) -> list[str]:
    """The word with its longest known ending replaced by each of those that may stand for it."""
    for length in range(6, 0, -1):
        ending = word[-length:]
        if ending in endings and len(word) - length >= 3:
            return [word[:-length] + other for other in endings[ending]]
    return []


KINDS = frozenset(table("base_forms", "kinds").split())
"""Words that names of places, firms and things begin or end with, in English and words of other languages."""
