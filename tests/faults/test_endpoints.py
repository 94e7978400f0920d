"""Endpoints that repeat the key, send elsewhere, or answer with more than there can be."""

import base64
import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import openai
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forgeteval.chat.attempts import MOST_BYTES
from forgeteval.chat.completions import MOST_TOKENS, UnusableAnswerError, read_completion
from forgeteval.chat.redaction import REDACTED, Redactor
from forgeteval.errors import UserError
from tests.gateway.conftest import KEY_VARIABLE, StartGateway, ask, model
from tests.support.config import of, shipped
from tests.support.gateway_logs import rows
from tests.support.scripted_endpoint import ScriptedEndpoint, body, completion, refuse

KEY = 'sk-a/b+c"d=e0123456789'
SPELLINGS = {
    "as it is": KEY,
    "JSON": json.dumps(KEY)[1:-1],
    "JSON in JSON": json.dumps(json.dumps(KEY)[1:-1])[1:-1],
    "escaped slashes": json.dumps(KEY)[1:-1].replace("/", "\\/"),
    "escaped plus": json.dumps(KEY)[1:-1].replace("+", "\\u002B"),
    "escaped throughout": "".join(f"\\u{ord(one):04x}" for one in KEY),
    "Python": "".join(f"\\x{ord(one):02x}" for one in KEY),
    "address": "".join(f"%{ord(one):02X}" for one in KEY),
    "HTML": "".join(f"&#{ord(one)};" for one in KEY),
    "HTML, hexadecimal": "".join(f"&#x{ord(one):X};" for one in KEY),
}


@pytest.fixture(autouse=True)
def key_and_short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    monkeypatch.setattr("openai._base_client.INITIAL_RETRY_DELAY", 0.01)


def kept(path: Path) -> str:
    """What the cache file holds, as it is and with every escape read."""
    texts = [str(value) for table in ("answers", "calls") for row in rows(path, table) for value in row.values()]
    raw = b"".join(file.read_bytes() for file in path.parent.iterdir()).decode("utf-8", errors="replace")
    return "\n".join(
        [raw, *texts, *(text.encode("ascii", "ignore").decode("unicode_escape", "ignore") for text in texts)]
    )


@pytest.mark.parametrize("spelling", SPELLINGS.values(), ids=SPELLINGS)
def test_a_key_is_taken_out_however_it_is_written(spelling: str) -> None:
    redact = Redactor([KEY, "another-secret"])
    assert redact(f"before {spelling} after") == f"before {REDACTED} after"
    assert redact(f"before {spelling[:-7]} after") == f"before {spelling[:-7]} after", "half of it is not a key"


@given(st.binary(max_size=5), st.binary(max_size=5), st.sampled_from([base64.b64encode, base64.urlsafe_b64encode]))
def test_a_key_is_taken_out_of_what_was_encoded(before: bytes, after: bytes, encode: Callable[[bytes], bytes]) -> None:
    redact = Redactor([KEY])
    for written in (encode(before + KEY.encode() + after).decode(), (before + KEY.encode() + after).hex()):
        for spelled in (written, json.dumps(json.dumps(written)), quote(written, safe="")):
            shown = redact(spelled)
            assert REDACTED in shown and written not in shown
    unlike = encode(before + KEY.swapcase().encode() + after).decode()
    assert redact(unlike) == unlike


@given(st.lists(st.sampled_from(sorted(SPELLINGS)), min_size=len(KEY), max_size=len(KEY)), st.text(), st.text())
def test_a_key_is_taken_out_though_each_character_is_written_another_way(
    ways: list[str], before: str, after: str
) -> None:
    written = "".join(_spelled(character, way) for character, way in zip(KEY, ways, strict=True))
    shown = Redactor([KEY])(f"{before}{written}{after}")
    assert written not in shown and REDACTED in shown


def _spelled(character: str, way: str) -> str:
    escaped = json.dumps(character)[1:-1]
    return {
        "as it is": character,
        "JSON": escaped,
        "JSON in JSON": json.dumps(escaped)[1:-1],
        "escaped slashes": escaped.replace("/", "\\/"),
        "escaped plus": escaped.replace("+", "\\u002B"),
        "escaped throughout": f"\\u{ord(character):04x}",
        "Python": f"\\x{ord(character):02x}",
        "address": f"%{ord(character):02X}",
        "HTML": f"&#{ord(character)};",
        "HTML, hexadecimal": f"&#x{ord(character):X};",
    }[way]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["message", "content", "usage", "x"]), inner),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(["id", "usage", "model"]), JSON), st.lists(JSON, max_size=2), st.integers(0, 60))
def test_whatever_an_endpoint_says_is_a_completion_or_unusable(
    said: dict[str, Any], choices: list[Any], cut: int
) -> None:
    for text in (json.dumps({**said, "choices": choices}), json.dumps({**completion("yes"), **said})):
        for body_text in (text, text[: len(text) - cut]):
            try:
                answer = read_completion(body_text)
            except UnusableAnswerError:
                continue
            json.loads(answer.response)
            assert all(0 <= (count or 0) <= MOST_TOKENS for count in (answer.tokens_in, answer.tokens_out))


@pytest.mark.parametrize("spelling", ["JSON", "escaped slashes", "escaped plus", "escaped throughout"])
def test_a_key_in_an_answer_reaches_no_file(
    start: StartGateway,
    endpoint: ScriptedEndpoint,
    cache: Path,
    spelling: str,
) -> None:
    text = json.dumps(completion("my key is HERE")).replace("HERE", SPELLINGS[spelling])
    assert json.loads(text)["choices"][0]["message"]["content"] == f"my key is {KEY}"
    endpoint.script = [body(text), body(text.replace("choices", "choice"))]
    gateway = start(model(endpoint.url, max_attempts=1))
    assert ask(gateway).choices[0].message.content == f"my key is {REDACTED}"
    with pytest.raises(openai.APIStatusError) as caught:
        ask(gateway, "again")
    assert KEY not in kept(cache) and KEY not in str(caught.value)


@pytest.mark.parametrize("room", range(470, 500, 3))
def test_an_error_is_cut_only_when_the_key_is_out_of_it(
    start: StartGateway,
    endpoint: ScriptedEndpoint,
    cache: Path,
    room: int,
) -> None:
    endpoint.script = [refuse(400, message="x" * room + KEY + "y" * 100)]
    with pytest.raises(openai.APIStatusError) as caught:
        ask(start(model(endpoint.url)))
    for shown in (kept(cache), str(caught.value)):
        assert not any(KEY[:length] in shown for length in range(6, len(KEY)))


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(
    start: StartGateway,
    endpoint: ScriptedEndpoint,
    cache: Path,
    status: int,
) -> None:
    endpoint.script = [body("", status, {"location": f"{endpoint.url}/chat/completions"})]
    with pytest.raises(openai.APIStatusError, match=f"answered {status}"):
        ask(start(model(endpoint.url)))
    assert len(endpoint.asked) == 1
    assert rows(cache, "answers") == []


def test_a_body_beyond_the_limit_is_not_read(start: StartGateway, endpoint: ScriptedEndpoint, cache: Path) -> None:
    endpoint.script = [body(json.dumps(completion("a" * MOST_BYTES)))]
    with pytest.raises(openai.APIStatusError, match="answered with a body of more than 16 MiB"):
        ask(start(model(endpoint.url, max_attempts=1)))
    (call,) = rows(cache, "calls")
    assert call["spent"] and len(call["error"]) < 500


def test_a_compressed_body_is_not_unpacked(start: StartGateway, endpoint: ScriptedEndpoint, cache: Path) -> None:
    packed = gzip.compress(json.dumps(completion("yes")).encode())
    endpoint.script = [body(packed, headers={"content-encoding": "gzip"})]
    with pytest.raises(openai.APIStatusError, match="answered with a compressed body, which was not asked for"):
        ask(start(model(endpoint.url, max_attempts=1)))
    assert endpoint.headers[0]["accept-encoding"] == "identity"
    assert rows(cache, "answers") == []


@pytest.mark.parametrize("tokens", [MOST_TOKENS + 1, 2**63, 2**64, 10**400])
def test_impossible_usage_is_no_answer(
    start: StartGateway,
    endpoint: ScriptedEndpoint,
    cache: Path,
    tokens: int,
) -> None:
    answered = {**completion("yes"), "usage": {"prompt_tokens": tokens, "completion_tokens": 1}}
    endpoint.script = [body(json.dumps(answered))]
    gateway = start(model(endpoint.url, max_attempts=1, max_calls=1))
    with pytest.raises(openai.APIStatusError, match="answered with a usage of more than"):
        ask(gateway)
    with pytest.raises(openai.APIStatusError, match="max_calls 1 is reached"):
        ask(gateway, "again")
    assert rows(cache, "answers") == []


@pytest.mark.parametrize(
    "address",
    ["https://me:secret@host/v1", "https://secret@host/v1", "https://host/v1?key=secret", "https://host/v1#secret"],
)
def test_credentials_in_an_address_that_nobody_asks_are_refused(address: str) -> None:
    config = shipped()
    config["llm"]["mode"] = "off"
    config["models"]["unused"] = {"family": "none", "base_url": address, "model": "m"}
    with pytest.raises(UserError, match=r"models\.unused\.base_url: contains credentials or a query") as caught:
        of(config)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("number", ["NaN", "-Infinity", "1e999"])
def test_an_answer_with_a_number_that_no_json_has_is_none(number: str) -> None:
    said = f'{{"choices": [{{"message": {{"content": "yes"}}, "logprobs": {number}}}]}}'
    with pytest.raises(UnusableAnswerError, match="not JSON"):
        read_completion(said)
