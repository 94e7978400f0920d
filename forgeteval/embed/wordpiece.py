"""The tokens of an uncased BERT: words cut at spaces and punctuation, then into the longest pieces that it knows."""

import unicodedata
from collections.abc import Sequence

_LONGEST_WORD = 100
"""Characters; a longer word is one unknown token."""
_CJK = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)
"""Ranges of characters that are words of their own, as BERT lists them."""


class WordPiece:
    """Turns texts into numbers of tokens, the opening and the closing one included."""

    def __init__(self, vocabulary: Sequence[str], max_tokens: int) -> None:
        self._numbers = {piece: number for number, piece in enumerate(vocabulary)}
        self._opening, self._closing = self._numbers["[CLS]"], self._numbers["[SEP]"]
        self._unknown = [self._numbers["[UNK]"]]
        self._max_tokens = max_tokens
        self._pieces_of_words: dict[str, list[int]] = {}

    def tokens(self, text: str) -> list[int]:
        """The tokens of a text, at most `max_tokens`; what is beyond them is left out."""
        pieces: list[int] = []
        for word in _words(text):
            if word not in self._pieces_of_words:
                self._pieces_of_words[word] = self._pieces(word)
            pieces += self._pieces_of_words[word]
        return [self._opening, *pieces[: self._max_tokens - 2], self._closing]

    def _pieces(self, word: str) -> list[int]:
        if len(word) > _LONGEST_WORD:
            return self._unknown
        pieces: list[int] = []
        start = 0
        while start < len(word):
            found = self._longest_piece(word, start)
            if found is None:
                return self._unknown
            number, start = found
            pieces.append(number)
        return pieces

    def _longest_piece(self, word: str, start: int) -> tuple[int, int] | None:
        """Number and end of the longest known piece that begins at `start`."""
        continued = "##" if start else ""
        for end in range(len(word), start, -1):
            number = self._numbers.get(continued + word[start:end])
            if number is not None:
                return number, end
        return None


def _words(text: str) -> list[str]:
    """The words of a text in lower case and without accents; each mark of punctuation is a word."""
    cleaned = "".join(map(_cleaned, text))
    letters = (letter for letter in unicodedata.normalize("NFD", cleaned) if unicodedata.category(letter) != "Mn")
    lower = "".join(letter.lower() for letter in letters)
    return "".join(f" {letter} " if _is_punctuation(letter) else letter for letter in lower).split()


def _cleaned(character: str) -> str:
    if " " <= character <= "~":
        return character
    if character in "\t\n\r":
        return " "
    if character == "\ufffd" or unicodedata.category(character).startswith("C"):
        return ""
    if any(first <= ord(character) <= last for first, last in _CJK):
        return f" {character} "
    return character


def _is_punctuation(character: str) -> bool:
    # BERT counts every sign of ASCII, such as $ and +, which Unicode calls symbols.
    ascii_sign = "!" <= character <= "~" and not character.isalnum()
    return ascii_sign or unicodedata.category(character).startswith("P")
