"""Texts in a transport encoding, written out: Base64, hexadecimal, escapes, decimal digits of other scripts."""

import base64
import binascii
import re
import unicodedata

_BASE64 = re.compile(r"(?<![\w+/=-])(?=[\w+/-]*[A-Z])(?=[\w+/-]*[a-z])[A-Za-z0-9+/_-]{12,}={0,2}(?![\w+/=])")
_HEX_TEXT = re.compile(r"(?<!\w)(?:0x)?(?=\d*[a-fA-F])((?:[2-7][0-9a-fA-F]){6,})(?!\w)")
_ENCODED_WORD = re.compile(r"=\?[\w-]+\?[bB]\?([\w+/=]+)\?=")
_ESCAPE = re.compile(r"\\u\{?([0-9a-fA-F]{4})\}?|\\x([2-7][0-9a-fA-F])|(?<=\w)=(40|2E|2D|5F)(?=[A-Za-z])")
_WINDOWS_PATH = re.compile(r"\b[A-Za-z]:\\|\\\\\w")
_LONG = re.compile(r"[\w+/-]{12}")
"""A quick test that every text in Base64 or hexadecimal digits passes."""
_TEXT = re.compile(r"[\w@.+:/ #-]{6,}")
_OTHER_DIGIT = re.compile(r"(?![0-9])\d")


def written_out(text: str) -> str:
    """`text` with what its encoded parts say in their place; parts that decode to no readable word stay."""
    if not text.isascii():
        text = _OTHER_DIGIT.sub(lambda digit: str(unicodedata.decimal(digit[0])), text)
    if "\\" in text or "=" in text:
        text = _ENCODED_WORD.sub(lambda found: _from_base64(found[1]) or found[0], text)
        if not _WINDOWS_PATH.search(text):
            text = _ESCAPE.sub(lambda found: chr(int(found[1] or found[2] or found[3], 16)), text)
    if not _LONG.search(text):
        return text
    text = _BASE64.sub(lambda found: _from_base64(found[0]) or found[0], text)
    return _HEX_TEXT.sub(lambda found: _readable(bytes.fromhex(found[1])) or found[0], text)


def _from_base64(code: str) -> str:
    code = code.replace("-", "+").replace("_", "/").rstrip("=")
    try:
        return _readable(base64.b64decode(code + "=" * (-len(code) % 4), validate=True))
    except binascii.Error:
        return ""


def _readable(decoded: bytes) -> str:
    """The decoded text if somebody may have written it (an address, a code or words), otherwise ""."""
    try:
        text = decoded.decode("ascii")
    except UnicodeDecodeError:
        return ""
    told = re.search(r"[\w.]@[\w]|\d{3}|[a-z]{4}", text)
    return text if _TEXT.fullmatch(text) and told and re.search("[A-Za-z]{2}", text) else ""
