"""A key with white space about it, or what is none, and addresses that are none: each is one line without the key."""

import json
import tracemalloc
from pathlib import Path

import pytest

from forgeteval.chat import LLM
from forgeteval.chat.connecting import LONGEST_KEY
from forgeteval.chat.llm import model_planner
from forgeteval.chat.redaction import REDACTED, Redactor
from forgeteval.cli.exits import Exit
from forgeteval.errors import UserError
from lethe.config.chat_models import ModelConfig, check_address
from tests.forgeteval.cli.conftest import Command
from tests.support.scripted_endpoint import ScriptedEndpoint, answer

KEY = "sk-0123456789abcdef"
PASSWORD = "hunter2-Secret"
HOLD_MORE = [
    *(
        f"http://me:{PASSWORD}@h/v1",
        f"http://{PASSWORD}@h/v1",
        f"http://me:{PASSWORD}/x@h/v1",
        f"http://me:1/{PASSWORD}@h/v1",
    ),
    *(f"https://h/openai/deployments/d?api-version={PASSWORD}", f"http://h/v1#{PASSWORD}", "http://h/v1?"),
]
NO_ADDRESSES = ["http://[::1/v1", "http://h\nost/v1", "http://h\x00/v1", "http://h:99999/v1", "127.0.0.1:8000/v1", " "]


@pytest.mark.parametrize("around", ["{}\r", "{}\n", "{}\r\n", " {}\t"], ids=ascii)
def test_white_space_about_a_key_is_no_part_of_it(
    run: Command, endpoint: ScriptedEndpoint, monkeypatch: pytest.MonkeyPatch, around: str
) -> None:
    monkeypatch.setenv("MY_KEY", around.format(KEY))
    endpoint.otherwise = answer('{"whole": [], "in_part": []}')
    asked = ("--model", "small", "--base-url", endpoint.url, "--key-env", "MY_KEY", "--limit", "1")
    assert run("shelves:Shelf", *asked).exit_code == Exit.fine
    assert {headers["authorization"] for headers in endpoint.headers} == {f"Bearer {KEY}"}


@pytest.mark.parametrize(
    "key", [f"{KEY}\r{KEY}", f"{KEY}\x00", f"{KEY} {KEY}", f"{KEY}é", f"{KEY}\udcff", "k" * (LONGEST_KEY + 1)], ids=len
)
def test_a_key_that_can_be_none_is_said_and_not_shown(monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    # The environment of a process cannot hold a NUL; what starts one in Python can.
    monkeypatch.setattr("os.environ", {"MY_KEY": key})
    for read in (
        lambda: model_planner(LLM("small", "http://127.0.0.1:1/v1", "MY_KEY")),
        lambda: ModelConfig(name="small", label="Small", family="f", api_key_env="MY_KEY").read_key(),
    ):
        with pytest.raises(UserError, match=r"small: the variable MY_KEY has \D*([\d,]+ )?characters") as caught:
            read()
        said = str(caught.value)
        assert said.isprintable() and KEY[:8] not in said and "kkkk" not in said


@pytest.mark.parametrize("address", [*NO_ADDRESSES, "http://[v1.x]/v1", "http://ｈ/v1"], ids=ascii)
def test_what_is_no_address_is_one_line(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    with pytest.raises(UserError, match=r"^--base-url \(base_url\)[^\n]*: must be http://HOST/v1 "):
        model_planner(LLM("small", address, None))
    # An empty variable is one that is not set; an empty option would send the key to OpenAI.
    with pytest.raises(UserError, match=r"^--base-url \(base_url\): must be http://HOST/v1 "):
        model_planner(LLM("small", "", None))
    monkeypatch.setattr("os.environ", {"OPENAI_BASE_URL": address})
    with pytest.raises(UserError, match=r"OPENAI_BASE_URL: must be http://HOST/v1 "):
        model_planner(LLM("small", None, None))


@pytest.mark.parametrize("address", NO_ADDRESSES, ids=ascii)
def test_what_is_no_address_is_none_of_an_entry(address: str) -> None:
    with pytest.raises(UserError, match=r"^config: models\.m\.base_url: must be http://HOST/v1 "):
        check_address("m", address)


@pytest.mark.parametrize("address", HOLD_MORE)
def test_credentials_or_a_query_in_an_address_are_refused_and_not_shown(
    monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    said = []
    for mode in ("live", "replay"):
        with pytest.raises(UserError, match=r"^--base-url \(base_url\): contains credentials or a query, ") as caught:
            model_planner(LLM("small", address, None, mode=mode))
        said.append(str(caught.value))
    with pytest.raises(UserError, match=r"^config: models\.m\.base_url: contains credentials or a query, ") as caught:
        check_address("m", address)
    said.append(str(caught.value))
    monkeypatch.setattr("os.environ", {"OPENAI_BASE_URL": address})
    with pytest.raises(UserError, match=r"^OPENAI_BASE_URL: contains credentials or a query, ") as caught:
        model_planner(LLM("small", None, None))
    said.append(str(caught.value))
    for line in said:
        assert PASSWORD not in line and "\n" not in line
        assert "the variable that api_key_env (--key-env) names" in line and "https://HOST/openai/v1" in line


@pytest.mark.parametrize("form", ["http://me:{}@{}", "http://{1}?code={0}"])
def test_a_run_with_a_password_in_the_address_sends_nothing(
    run: Command, endpoint: ScriptedEndpoint, form: str
) -> None:
    endpoint.otherwise = answer('{"whole": [], "in_part": []}')
    address = form.format(PASSWORD, endpoint.url.removeprefix("http://"))
    done = run("shelves:Shelf", "--model", "small", "--base-url", address, "--key-env", "", "--limit", "1")
    assert "contains credentials or a query" in str(done.exception) and not endpoint.asked
    assert PASSWORD not in f"{done.exception}{done.output}"


def test_an_address_with_a_line_break_at_its_end_is_one(
    run: Command, endpoint: ScriptedEndpoint, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    endpoint.otherwise = answer('{"whole": [], "in_part": []}')
    monkeypatch.setenv("OPENAI_BASE_URL", f"{endpoint.url}\r\n")
    assert run("shelves:Shelf", "--model", "small", "--key-env", "", "--limit", "1").exit_code == Exit.fine


@pytest.mark.parametrize("secret", [f"{KEY}\r", f"{KEY}\n\t{KEY}", f"{KEY}\x7f"], ids=ascii)
def test_a_key_is_taken_out_as_python_shows_it(secret: str) -> None:
    for shown in (repr(secret), repr(secret.encode()), ascii(repr(secret)), secret.upper(), repr(secret.upper())):
        cleared = Redactor([secret])(f"Illegal header value {shown}!")
        assert REDACTED in cleared and KEY.lower() not in cleared.lower(), cleared


@pytest.mark.parametrize("character", ["x", "\\", '"'])
def test_a_long_text_takes_memory_of_its_length(character: str) -> None:
    text = json.dumps({"content": character * 500_000})
    redact = Redactor([KEY])
    tracemalloc.start()
    try:
        assert redact.in_json(text) == text
        assert tracemalloc.get_traced_memory()[1] < 10 * len(text)
    finally:
        tracemalloc.stop()
