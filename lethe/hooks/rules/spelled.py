"""Codes that are spelled out: digit words, the radio alphabet, Roman numerals."""

import re

from lethe.hooks.rules.lists import listed

_DIGITS = {word: str(number) for number, word in enumerate(listed("zero one two three four five six seven eight nine"))}
_DIGITS |= {"oh": "0", "nought": "0", "niner": "9"}
_TIMES = {"double": 2, "triple": 3}
_DIGIT_WORDS = re.compile(
    rf"\b(?:(?:double|triple)[ -])?(?:{'|'.join(_DIGITS)})(?:[ -]{{1,2}}(?:(?:double|"
    rf"triple)[ -])?(?:{'|'.join(_DIGITS)}|\d)\b){{2,}}",
    re.IGNORECASE,
)
_RADIO = {
    word: word[0]
    for word in listed(
        """alfa alpha bravo charlie delta echo foxtrot golf hotel india juliett juliet kilo lima mike november oscar
    papa quebec romeo sierra tango uniform victor whiskey whisky xray yankee zulu"""
    )
}
_RADIO_WORDS = re.compile(rf"\b(?:{'|'.join(_RADIO)})(?:[ -](?:{'|'.join(_RADIO)}))+\b", re.IGNORECASE)
_ROMAN = re.compile(r"(?<=[a-z.] )(?=[IVXL])(?:XL|L?X{0,3})(?:IX|IV|V?I{0,3})(?![\w'-]|[ ./]?[A-Z\d])")
_ROMAN_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50}


def plain_codes(text: str) -> str:
    """The text with spelled-out digits, radio alphabet and Roman numerals behind a word as plain characters."""
    text = re.sub(r"\b([SPACsp])/([NCnc])\b", r"\1\2", text)
    text = _DIGIT_WORDS.sub(lambda found: _digits(found[0]), text)
    text = _RADIO_WORDS.sub(
        lambda found: "".join(_RADIO[word] for word in re.split("[ -]", found[0].lower())).upper(), text
    )
    return _ROMAN.sub(lambda found: str(_number(found[0])) if found[0] != "I" and found[0] else found[0], text)


def _digits(phrase: str) -> str:
    digits, times = "", 1
    for word in re.split(r"[ -]+", phrase.lower()):
        if word in _TIMES:
            times = _TIMES[word]
        else:
            digits += _DIGITS.get(word, word) * times
            times = 1
    return digits


def _number(roman: str) -> int:
    values = [_ROMAN_VALUES[letter] for letter in roman]
    return sum(-value if value < after else value for value, after in zip(values, [*values[1:], 0], strict=True))
