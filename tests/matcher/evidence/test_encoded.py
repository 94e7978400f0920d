"""Texts in a transport encoding."""

import pytest

from lethe.matcher.evidence.text.encoded import written_out


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("YWxpY2VAeC5jb20= wrote", "alice@x.com wrote"),
        ("616c69636540782e636f6d", "alice@x.com"),
        (r"alice\u0040x.com", "alice@x.com"),
        ("alice=40x.com", "alice@x.com"),
        ("no. \u0664\u0664\u0661\u0667", "no. 4417"),
        ("=?utf-8?B?YWxpY2VAeC5jb20=?=", "alice@x.com"),
    ],
)
def test_an_encoded_text_is_written_out(text: str, plain: str) -> None:
    assert written_out(text) == plain


@pytest.mark.parametrize(
    "text",
    [
        "9fceb02d0ae598e95dc970b7",
        "InternationalBusiness",
        "RotterdamHarbour",
        "id=4417",
        "657374657374",
        "6b7c5f2a3d7e",
        "AKIAIOSF0DNN7",
    ],
)
def test_what_encodes_no_words_stays(text: str) -> None:
    assert written_out(text) == text
