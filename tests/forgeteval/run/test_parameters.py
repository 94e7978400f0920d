"""What becomes of a request's fields: presets, entries, and what an endpoint refuses by name."""

import json

import pytest

from forgeteval.chat.parameters import Preset, Refusals, preset, presets
from forgeteval.errors import UserError

ASKED = {"model": "m", "messages": [], "max_tokens": 9, "temperature": 0, "seed": 1, "response_format": {}}


@pytest.mark.parametrize("name", presets())
def test_every_preset_has_a_source_and_leaves_what_is_needed(name: str) -> None:
    family = preset(name)
    assert family.source.startswith("https://")
    sent = family.sent(ASKED)
    assert {"model", "messages"} <= sent.keys() and {"max_tokens", "max_completion_tokens"} & sent.keys()


def test_the_families_of_today_are_known() -> None:
    families = {"openai_reasoning", "deepseek", "qwen", "gemini", "claude", "vllm", "ollama"}
    assert families | {"llama_cpp", "lm_studio", "openrouter"} == presets().keys()
    with pytest.raises(UserError, match="known: openai_reasoning, "):
        preset("other")


def test_an_entry_names_drops_and_renames() -> None:
    own = preset("openai_reasoning").joined(["seed"], {"temperature": "warmth"})
    assert own.sent(ASKED) == {
        "model": "m", "messages": [], "max_completion_tokens": 9, "warmth": 0, "response_format": {}
    }  # fmt: skip
    assert Preset(set={"seed": 2, "top_k": 1}).sent(ASKED)["seed"] == 1


def test_what_is_refused_is_left_out_from_then_on(capsys: pytest.CaptureFixture[str]) -> None:
    refusals = Refusals("m")
    body = json.dumps({"error": {"message": "Unknown name", "param": "seed"}})
    assert refusals.learn(400, body, ASKED) and refusals.learn(400, body, ASKED)
    assert "seed" not in refusals.sent(ASKED) and capsys.readouterr().err.count("refuses seed") == 1
    assert refusals.learn(400, '{"error": "use max_completion_tokens instead of max_tokens"}', ASKED)
    assert refusals.sent(ASKED)["max_completion_tokens"] == 9
    assert not refusals.learn(400, '{"error": {"message": "no such model", "param": "model"}}', ASKED)
    assert not refusals.learn(500, body, ASKED)
