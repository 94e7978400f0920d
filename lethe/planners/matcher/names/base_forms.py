"""A name as other languages inflect it: endings, particles and forms of address taken off a word, in its own script."""

import functools
import re

from lethe.planners.matcher.text.lists import listed

_CYRILLIC = {
    "ого": ("ий", "ый", "ой"), "ому": ("ий", "ый", "ой"), "ским": ("ский",), "ской": ("ская",), "скую": ("ская",),
    "ською": ("ська",), "ської": ("ська",), "ській": ("ська",),
    "ой": ("а",), "ою": ("а",), "ої": ("а",), "ей": ("я",), "ею": ("я",), "ий": ("ия",), "ій": ("а", "ія"),
    "ию": ("ий", "ия"), "ии": ("ий", "ия"), "ию́": ("ия",), "ія": ("ій",), "ію": ("ія",), "ії": ("ія",),
    "ом": ("", "о"), "ем": ("", "й"), "ым": ("",), "им": ("",), "ові": ("", "о"), "еві": ("", "й"), "єм": ("й",),
    "а": ("", "о"), "я": ("й", "ь"), "у": ("а", "", "о"), "ю": ("я", "й", "ь"), "ы": ("а",), "и": ("а", "я"),
    "і": ("а", "я"),
    "е": ("а", ""),
    "ға": ("",), "қа": ("",), "ның": ("",), "нің": ("",), "дың": ("",), "дің": ("",), "ді": ("",), "ні": ("",),
}  # fmt: skip
"""Case endings of names in East Slavic and Turkic languages, and what the nominative has in their place."""
_GREEK = {
    "ού": ("ός", "ής"),
    "ό": ("ός",),
    "ή": ("ής",),
    "ά": ("άς",),
    "ου": ("ος", "ης"),
    "ο": ("ος",),
    "η": ("ης",),
    "α": ("ας",),
    "ας": ("α",),
    "ης": ("η",),
}
_HANGUL = re.compile(
    r"(?<=[\uac00-\ud7af]{2})(?:씨|님|선생님)?(?:은|는|이|가|을|를|의|에게|께|와|과|도|한테|에서|으로|로)?$"
)
_ARABIC = re.compile(r"^(?:و?[لبك]|و)(?=[\u0600-\u06ff]{3})")
_HEBREW = re.compile(r"^(?:ו?[לבמשה]|ו)(?=[\u0590-\u05ff]{3})")
_JAPANESE = re.compile(r"(?<=.)(?:さん|さま|くん|ちゃん|様|氏|君|殿|先生|女士|小姐|老师|老師)$")
_LATIN = re.compile(r"(?<=[^\W\d_]{3})'[^\W\d_]{1,5}$")
_GEORGIAN = {
    "ისთვის": ("ი", ""), "სთვის": ("", "ი"), "თან": ("", "ს"), "სთან": ("", "ი"), "მა": ("ი", ""), "მ": ("",),
    "ს": ("", "ი"),
    "ის": ("ი", "ა", "ე"), "ით": ("ი", "ა"), "თი": ("",), "ად": ("ი",), "დ": ("",), "ო": ("ი", ""), "ი": ("",),
    "ზე": ("",), "ში": ("",),
}  # fmt: skip
"""Case endings of Georgian, and what the nominative has in their place."""
_ARMENIAN = {
    "ին": ("", "ի"), "ի": ("", "ա"), "ից": ("",), "ով": ("",), "ը": ("",), "ն": ("",), "այի": ("ա",), "ում": ("",),
    "իդ": ("",),
}  # fmt: skip
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


def same_base(one: str, other: str, script: str) -> bool:
    """Whether two folded words of one script may be forms of the same name."""
    if one == other:
        return True
    mine, theirs = base_forms(one, script), base_forms(other, script)
    return one in theirs or other in mine or (len(mine) > 1 and bool(set(mine[1:]) & set(theirs[1:])))


KINDS = frozenset(
    listed(
        """street road avenue lane square boulevard alley quarter district hotel inn hostel guesthouse restaurant cafe
    bistro bar pub bakery pharmacy clinic hospital practice school university college academy kindergarten company
    firm bank shop store market supermarket station airport port harbour harbor bridge river lake island mountain
    mount valley bay beach castle tower palace depot warehouse office branch plant factory mill team club union church
    mosque temple synagogue museum theatre theater cinema library gallery studio workshop farm garden park house
    teahouse kitchen foundation association society trading group brothers sons ltd inc gmbh llc co corp limited
    village town city province region county monastery cemetery stadium pool gym laboratory lab institute centre
    center agency ship boat ferry vessel choir orchestra band account project"""
    )
)
"""Words that names of places, firms and things begin or end with, in English and words of other languages."""
