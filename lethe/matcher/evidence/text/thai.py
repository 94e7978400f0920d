"""Thai words in Latin letters, near the royal system: vowels where they are spoken, no tones, no silent letters."""

import re

from lethe.matcher.evidence.tables import table

_CONSONANTS = table("thai", "consonants")  # fmt: skip
_FINALS = dict.fromkeys("สศษจฉชซฌดฎฐฑฒธถทฏ", "t") | dict.fromkeys("ญรลฬณ", "n") | dict.fromkeys("พฟภบ", "p")
"""How consonants sound at the end of a word."""
_FINALS["ว"] = "o"
"""How consonants sound at the end of a word."""
_C = "[ก-ฮ]"
_ONSET = f"((?:[กขคตปผพทบดฟ][รลว](?=[ก-ฺ็])|{_C})(?<!อ)|อ)"
_SILENCED = re.compile("(?:[ทต]ร|[ก-ฮ])[ิุ]?์")
_TITLE = re.compile("^(?:ร้าน|โรงแรม|บริษัท|นาย|นางสาว|นาง|คุณ)")
_LEADING_H = re.compile("ห(?=[งญนมยรลว])")
_MARKS = re.compile("[็่-๋ํ-๎ฺ]")
_OPEN = re.compile("(?:^|[เ-ไ]).$|ัว$")
"""The last letter where it begins a syllable or is half a vowel."""
_VOWELS = tuple(
    (re.compile(pattern), written)
    for pattern, written in (
        (f"เ{_ONSET}ีย", r"\1<ia>"),
        (f"เ{_ONSET}ือ", r"\1<uea>"),
        (f"เ{_ONSET}าะ", r"\1<o>"),
        (f"เ{_ONSET}า", r"\1<ao>"),
        (f"เ{_ONSET}ิ", r"\1<oe>"),
        (f"เ{_ONSET}อ", r"\1<oe>"),
        (f"เ{_ONSET}ย", r"\1<oei>"),
        (f"[เแ]{_ONSET}ะ", r"\1<ae>"),
        (f"โ{_ONSET}ะ?", r"\1<o>"),
        (f"เ{_ONSET}", r"\1<e>"),
        (f"แ{_ONSET}", r"\1<ae>"),
        (f"[ไใ]{_ONSET}ย?", r"\1<ai>"),
        ("ัว", "<ua>"),
        ("[ัา]ย(?![ะ-ฺ])", "<ai>"),
        ("^อ(?=[ก-ฮ])", "<a>"),
        ("ญ(?=[ก-ฮ])", "น"),
        ("รร(?=[ก-ฮ](?![ะ-ฺ]))", "<a>"),
        ("รร", "<an>"),
        ("[ัะา]", "<a>"),
        ("ำ", "<am>"),
        ("[ิี]", "<i>"),
        ("[ึื]อ?", "<ue>"),
        ("[ุู]", "<u>"),
        (f"(?<={_C})ว(?={_C})", "<ua>"),
        (f"(?<={_C})อ(?!<)", "<o>"),
    )
)
"""Vowels as they are written around their consonants, and what is spoken after these."""
_LETTER = re.compile(f"<([a-z]+)>|({_C})")


def romanised_thai(word: str) -> str:
    """A Thai word as it is written in Latin letters, without unwritten vowels and without titles."""
    word = _SILENCED.sub("", word)
    word = _TITLE.sub("", word) or word
    word = _MARKS.sub("", _LEADING_H.sub("", word))
    last = "" if _OPEN.search(word) else _FINALS.get(word[-1:], "")
    body = word[:-1] if last else word
    for pattern, written in _VOWELS:
        body = pattern.sub(written, body)
    return "".join(found[1] or _CONSONANTS.get(found[2], "") for found in _LETTER.finditer(body)) + last
