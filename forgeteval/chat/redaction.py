"""Removal of secrets from everything that is stored, logged or answered."""

import base64
import contextlib
import html
import json
import re
import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from urllib.parse import unquote

REDACTED = "[redacted]"
SHORTEST_SECRET = 8
"""Length in characters; shorter keys are placeholders for local servers ("none", "EMPTY"), which are ordinary words."""
READINGS = 8
"""How often a text is read again for the escapes in it, each time in what the reading before it gave."""

_LETTERS = {"\a": "a", "\b": "b", "\f": "f", "\n": "n", "\r": "r", "\t": "t", "\v": "v"}
"""What stands after a backslash for a character, in JSON and Python."""
_STRING = re.compile(r'"(?:[^"\\]++|\\.)*+"')
_ESCAPED = re.compile(
    r"(?:(?<!\\)\\++|%(?=[uU]))"
    r"(?:U(?P<eight>[0-9a-fA-F]{8})|[uU](?P<four>[0-9a-fA-F]{4})|[xX](?P<two>[0-9a-fA-F]{2})"
    r"|(?P<octal>[0-3][0-7]{2})|N\{(?P<name>[\w -]{1,90})\}|(?P<itself>[^\\\w]))"
)
_NUMBERED = re.compile(r"&#(?:0*([0-9]{1,7})(?![0-9])|[0-9]+)")


class Redactor:
    """Replaces the given secrets everywhere in a text, in capitals or not, however their characters are escaped there.

    The escapes are those of JSON, Python, addresses and HTML, in any mixture and of each other. A secret is found in
    base64 and hexadecimal too, alone or as part of what was encoded. A text in which a secret appears only when it is
    read again is replaced by what was read.
    """

    def __init__(self, secrets: Iterable[str]) -> None:
        self._secrets: set[str] = set()
        self._pattern: re.Pattern[str] | None = None
        for secret in secrets:
            self.add(secret)

    def add(self, secret: str | None) -> None:
        """One more secret, if any."""
        if secret is None or len(secret) < SHORTEST_SECRET:
            return
        self._secrets.add(secret)
        longest_first = sorted(self._secrets, key=len, reverse=True)
        known = "|".join("".join(map(_spellings, secret)) for secret in longest_first)
        encoded = "|".join(code for secret in longest_first for code in _encoded(secret.encode()))
        self._pattern = re.compile(rf"(?<!\\)(?i:{known})|{encoded}")

    def __call__(self, text: str) -> str:
        if self._pattern is None or len(text) < SHORTEST_SECRET:
            return text
        shown = cleared = self._pattern.sub(REDACTED, text)
        for _ in range(READINGS):
            read = _read(cleared)
            if read == cleared:
                break
            cleared = self._pattern.sub(REDACTED, read)
            if cleared != read:
                shown = cleared
        return shown

    def in_json(self, text: str) -> str:
        """A JSON text with the secrets taken out of its strings and numbers as they are read; any other text as by a
        call."""
        if self._pattern is None:
            return text
        try:
            written = json.dumps(json.loads(text, parse_int=self._number(int), parse_float=self._number(float)))
        except (ValueError, RecursionError):
            return self(text)
        return _STRING.sub(lambda string: json.dumps(self(json.loads(string[0]))), written)

    def _number(self, kind: type[int] | type[float]) -> Callable[[str], float | str]:
        def read(written: str) -> float | str:
            number = kind(written)
            return number if self(f"{written} {number}") == f"{written} {number}" else REDACTED

        return read


def _spellings(character: str) -> str:
    """A pattern of the ways in which JSON (also within JSON), Python, addresses and HTML write a character."""
    if character == "\\":
        return r"\\++"
    code, name = ord(character), re.escape(unicodedata.name(character, ""))
    backslashed = rf"(?i:u{code:04x}|x{code:02x}|u{code:08x})|{code:03o}|N\{{(?i:{name})\}}"
    if letter := _LETTERS.get(character):
        backslashed += f"|{letter}"
    coded = rf"%(?i:u{code:04x}|{code:02x})|&#(?:0*{code}|(?i:x0*{code:x}));"
    return rf"\\*+(?:{re.escape(character)}|{backslashed}|{coded})"


def _encoded(secret: bytes) -> Iterator[str]:
    """Patterns of a secret in hexadecimal and in base64, in which it may begin at each of three places."""
    yield f"(?i:{secret.hex()})"
    for before in range(3):
        code = base64.b64encode(bytes(before) + secret).decode().rstrip("=")
        # Without the characters that hold bits of what stands before and after the secret.
        whole = code[(before * 8 + 5) // 6 : (before + len(secret)) * 8 // 6]
        yield re.escape(whole).replace(r"\+", "[+-]").replace("/", "[/_]")


def _read(text: str) -> str:
    """The text with its escapes replaced by what they stand for."""
    unquoted = unquote(_ESCAPED.sub(_character, text))
    # Python refuses to read numbers of very many digits, which are not characters.
    return html.unescape(_NUMBERED.sub(lambda number: f"&#{number[1]}" if number[1] else "\ufffd", unquoted))


def _character(escape: re.Match[str]) -> str:
    kind = escape.lastgroup or ""
    match kind:
        case "itself":
            return escape[kind]
        case "name":
            with contextlib.suppress(KeyError):
                return unicodedata.lookup(escape[kind])
            return escape[0]
    code = int(escape[kind], 8 if kind == "octal" else 16)
    return chr(code).encode("utf-8", "replace").decode() if code <= sys.maxunicode else escape[0]
