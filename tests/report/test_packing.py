import base64
import zlib

import pytest

from lethe.report.packing import pack, plain_json, unpack

VALUE = {"text": ["</script>", "<!--<script", "ж", "\u2028"], "n": [1, None, 2.5]}


def test_what_was_packed_is_unpacked() -> None:
    assert unpack(pack(VALUE), 1000).decode() == plain_json(VALUE).replace("\\u003c", "<")


@pytest.mark.parametrize(
    "text",
    [
        "no base64!",
        base64.b64encode(b"no stream").decode(),
        base64.b64encode(zlib.compress(b"{}")[:-2]).decode(),
        base64.b64encode(zlib.compress(b"{}") + b"hidden").decode(),
        base64.b64encode(zlib.compress(b"0" * 1001)).decode(),
    ],
    ids=["base64", "stream", "cut", "more after it", "large"],
)
def test_whatever_else_a_pack_holds_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="packed data"):
        unpack(text, 1000)
