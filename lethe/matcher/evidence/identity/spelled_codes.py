"""Codes that are spelled out: digit words, the radio alphabet, Roman numerals."""

import functools
import re

from lethe.matcher.evidence.text.syntax import VERBS
from lethe.matcher.evidence.text.words import letter_runs

_DIGITS = {word: str(number) for number, word in enumerate("zero one two three four five six seven eight nine".split())}
_DIGITS |= {"oh": "0", "nought": "0", "niner": "9"}
_TIMES = {"double": 2, "triple": 3}
_DIGIT_WORDS = re.compile(
    rf"\b(?:(?:double|triple)[ -])?(?:{'|'.join(_DIGITS)})(?:(?:[ -]{{1,2}}|, )(?:(?:double|"
    rf"triple)[ -])?(?:{'|'.join(_DIGITS)}|\d)\b)+",
    re.IGNORECASE,
)
_RADIO = {
    word: word[0]
    for word in """alfa alpha bravo charlie delta echo foxtrot golf hotel india juliett juliet kilo lima mike november
    oscar papa quebec romeo sierra tango uniform victor whiskey whisky xray yankee zulu""".split()
}
_RADIO_WORDS = re.compile(
    rf"\b(?:{'|'.join(_RADIO)})(?:(?:[ -](?:{'|'.join([*_RADIO, *_DIGITS])})){{2,}}|[ -](?:{'|'.join(_RADIO)}))\b",
    re.IGNORECASE,
)
_ONES = {
    word: number
    for number, word in enumerate(
        """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
    seventeen eighteen nineteen""".split()
    )
}
_TENS = {
    word: 10 * number + 20
    for number, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split())
}
_NUMBERS = frozenset((*_ONES, *_TENS))
_NUMBER = "|".join(sorted(_NUMBERS, key=lambda word: (-len(word), word)))
_LABELLED_NUMBER = re.compile(
    rf"(?:(?<=[^\W\d_] )|(?P<no>(?<=\bno\. )|(?<=\bnr\. )))(?:{_NUMBER})"
    rf"(?:[ -](?:{_NUMBER}|oh|hundred|and(?= (?:{_NUMBER}))))*\b(?(no)|(?![-_#./ ]*\d))",
    re.IGNORECASE,
)
_ORDINALS = {
    word: str(number + 1)
    for number, word in enumerate(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split()
    )
}
_ORDINAL = re.compile(
    rf"\b(?:({'|'.join(_ORDINALS)})|(\d+)(?:st|nd|rd|th))[ -](?!of\b|and\b|or\b|to\b|in\b|from\b|time)([a-z]{{3,}})\b",
    re.IGNORECASE,
)
_CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3\u0e00-\u0e7f"
_BESIDE_CJK = re.compile(rf"(?<=[{_CJK}])(?=[A-Za-z0-9])|(?<=[A-Za-z0-9])(?=[{_CJK}])")
_BEFORE_SLASH = re.compile(r"\b([SPACsp])/([NCnc])\b")
_RHESUS = re.compile(r"(?<!\w)(AB|[ABO]) (?:Rh(?:esus)?[ -]?)?((?i:pos(?:itive)?|neg(?:ative)?|plus))\b")
_LIKE = re.compile(r"(?<!\w)([A-Z]) (?:like|as in|for|wie|comme) (?:in )?([A-Z])[a-z]+,?(?!\w)")
_SPELLED_LETTERS = re.compile(r"(?<![\w-])[A-Za-z](?:-[A-Za-z]){2,}(?![\w-])|(?<![\w.])[A-Z](?: [A-Z\d]){3,}(?![\w.'])")
_SPELLED_DIGITS = re.compile(r"(?<![\w.,:+/-])(?<!\d )\d(?: \d){3,}(?![\w.,:/-]\w| ?\d|[%€$£])")
_INITIALS = re.compile(r"(?<!\w)(?:[A-Z]\.){2,}(?! [A-Z][a-z]+\b(?! ?#?\d))(?!\w)")
_SIGNS = {"underscore": "_", "dash": "-", "hyphen": "-", "slash": "/", "point": ".", "hash": "#"}
_SAID_SIGN = re.compile(
    r"(?<=\w) (underscore) (?=\w)|(?:(?<=\d)|(?<=\b[A-Za-z])) (dash|hyphen|slash|point|hash) (?=\w)"
    r"|(?<=\w) (dash|hyphen|slash|point|hash) (?=\d|[A-Za-z]\b)"
)
_NO_LABEL = re.compile(
    r"(?:^|\W)(?:last|first|next|this|that|no|old|new|other|same|any|every|each|which|the|a|an|in|on|at|for|of|to|with|"
    r"has|have|had|is|are|was|were|and|or|by|from|all|than) $",
    re.IGNORECASE,
)
_DETERMINED = re.compile(r"\b(?:the|an?|this|that|another|other|every|each|any|some|no) [\w-]+ $", re.IGNORECASE)
"""What stands before "one" in place of a noun ("the big one")."""
_ROMAN = re.compile(
    r"(?:(?<=[a-z.] )|(?<=[A-Z]{3} )(?=[IVXL]{2}))(?=[IVXL])"
    r"(?:XL|L?X{0,3})(?:IX|IV|V?I{0,3})(?!\w|'(?!s\b)| ?[-./]? ?[A-Z\d])"
)
_ROMAN_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50}


@functools.lru_cache(maxsize=4096)
def plain_codes(text: str) -> str:
    """The text with spelled-out digits, radio alphabet and Roman numerals after a word as plain characters."""
    text = _BESIDE_CJK.sub(" ", text) if not text.isascii() else text
    letters = letter_runs(text)
    text = _BEFORE_SLASH.sub(r"\1\2", text) if "/" in text else text
    if letters & {"rh", "rhesus", "pos", "positive", "neg", "negative", "plus"}:
        text = _RHESUS.sub(lambda found: found[1] + ("+" if found[2][0].lower() == "p" else "-"), text)
    text = _SPELLED_DIGITS.sub(lambda found: found[0].replace(" ", ""), text)
    text = _SPELLED_LETTERS.sub(lambda found: re.sub("[ -]", "", found[0]), text)
    text = _INITIALS.sub(lambda found: found[0].replace(".", ""), text)
    text = text if letters.isdisjoint(_SIGNS) else _SAID_SIGN.sub(_said_sign, text)
    if letters & {"like", "as", "for", "wie", "comme"}:
        text = _LIKE.sub(lambda found: found[1] if found[1] == found[2] else found[0], text)
    text = text if letters.isdisjoint(_DIGITS) else _DIGIT_WORDS.sub(lambda found: _digits(found[0]), text)
    text = text if letters.isdisjoint(_RADIO) else _RADIO_WORDS.sub(_by_radio, text)
    text = text if letters.isdisjoint(_NUMBERS) else _LABELLED_NUMBER.sub(_labelled_number, text)
    return _ROMAN.sub(lambda found: str(_number(found[0])) if found[0] != "I" and found[0] else found[0], text)


def _by_radio(found: "re.Match[str]") -> str:
    return "".join(_RADIO.get(word) or _DIGITS[word] for word in re.split("[ -]", found[0].lower())).upper()


def _said_sign(found: "re.Match[str]") -> str:
    """A sign that is spoken between two parts of a code; "GPS point 4" has none."""
    last = re.findall(r"\w+", found.string[: found.start()])[-1]
    is_part = re.search(r"\d$", last) or len(last) == 1 or last.lower() in _ONES or found[0].strip().lower() != "point"
    return _SIGNS[found[0].strip().lower()] if is_part else found[0]


def ordinals(text: str) -> str:
    """The text with "the third desk" as "the desk 3"."""
    return _ORDINAL.sub(lambda found: f"{found[3]} {found[2] or _ORDINALS[found[1].lower()]}", text)


def _labelled_number(found: "re.Match[str]") -> str:
    """A number in words after what it numbers ("table five", "room two-oh-four"), in digits."""
    before = found.string[: found.start()]
    behind = re.match(r" ([a-z]{3,}s)\b", found.string[found.end() :])
    if behind and found["no"] is None and behind[1] not in VERBS:
        return found[0]
    if found[0].lower() == "one" and _DETERMINED.search(before):
        return found[0]
    if _NO_LABEL.search(before) and not re.search(r"[a-z] A $", before):
        return found[0]
    digits, last = "", ""
    for word in re.split("[ -]", found[0].lower()):
        if word in _TENS:
            digits += str(_TENS[word])
        elif word == "hundred":
            digits += "00"
        elif word in _ONES or word == "oh":
            value = str(_ONES.get(word, 0))
            if len(value) == 1 and value != "0" and (last in _TENS or last in ("hundred", "and")):
                digits = digits[:-1] + value
            elif last in ("hundred", "and"):
                digits = digits[:-2] + value
            else:
                digits += value
        last = word
    return digits


def _digits(phrase: str) -> str:
    digits, times = "", 1
    for word in re.split(r"[ ,-]+", phrase.lower()):
        if word in _TIMES:
            times = _TIMES[word]
        else:
            digits += _DIGITS.get(word, word) * times
            times = 1
    return digits if len(digits) > 2 else phrase


def _number(roman: str) -> int:
    values = [_ROMAN_VALUES[letter] for letter in roman]
    return sum(-value if value < after else value for value, after in zip(values, [*values[1:], 0], strict=True))
