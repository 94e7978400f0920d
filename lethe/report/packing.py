"""Packed data of a page: JSON, deflated, in base64; its script inflates them when they are looked at."""

import base64
import binascii
import json
import zlib
from typing import Any


def plain_json(value: Any) -> str:
    """JSON that can stand in a script element: "</script" would end it, and "<!--<script" hide its end."""
    return _compact(value).replace("<", "\\u003c")


def pack(value: Any) -> str:
    """JSON as base64 of a zlib stream, of which no character is markup."""
    return base64.b64encode(zlib.compress(_compact(value).encode(), 9)).decode()


def unpack(text: str | bytes, most: int) -> bytes:
    """The JSON of `pack`, of at most so many bytes.

    Raises:
        ValueError: where the text holds nothing of the kind, more than that, or anything beside it.
    """
    stream = zlib.decompressobj()
    try:
        found = stream.decompress(base64.b64decode(text, validate=True), most)
    except (binascii.Error, zlib.error) as error:
        raise ValueError(f"no packed data ({error})") from error
    if not stream.eof or stream.unused_data:
        raise ValueError(f"packed data that do not end after {most} bytes at most")
    return found


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
