"""Whether a model answers live, by what was recorded of it, or not at all."""

from pathlib import Path
from typing import Any

import pytest

from lethe import installed
from lethe.config.answering import answering_mode, is_live, model_label, reason_unanswered
from lethe.config.selection import reasons_not_run
from lethe.stored.answers import RecordedRun, write_index
from tests.support.config import of, put

MODEL = "qwen2.5-coder-0.5b"


@pytest.fixture
def recorded(config: dict[str, Any], tmp_path: Path) -> dict[str, Any]:
    """The shipped configuration with the answers to Lethe+LLM on the adversarial suite recorded."""
    write_index(tmp_path, [RecordedRun(MODEL, "adversarial", "lethe+llm", 385, 1)])
    return put(config, "llm/answers", str(tmp_path))


def test_recorded_answers_stand_in_for_a_model_that_is_not_switched_on(recorded: dict[str, Any]) -> None:
    assert answering_mode(of(recorded), MODEL) == "recorded" and not is_live(of(recorded), MODEL)
    assert reason_unanswered(of(recorded), MODEL, "adversarial", "lethe+llm") == ""
    assert model_label(of(recorded), MODEL) == "Qwen2.5-Coder 0.5B, recorded"
    reasons = reasons_not_run(of(recorded), "adversarial")
    assert f"lethe+llm@{MODEL}" not in reasons
    expected = f"not run: no answers recorded; switch the model on with llm.serve: [{MODEL}]"
    assert reasons[f"langgraph+llm@{MODEL}"] == expected
    assert reasons_not_run(of(recorded), "held_out")[f"lethe+llm@{MODEL}"] == expected


def test_fewer_repetitions_than_are_run_are_not_enough(recorded: dict[str, Any]) -> None:
    more = put(recorded, f"models/{MODEL}/repetitions", 2)
    assert reason_unanswered(of(more), MODEL, "adversarial", "lethe+llm") != ""


def test_a_model_that_is_switched_on_needs_no_record(recorded: dict[str, Any]) -> None:
    live = put(recorded, "llm/serve", [MODEL])
    assert answering_mode(of(live), MODEL) == "live"
    assert model_label(of(live), MODEL) == "Qwen2.5-Coder 0.5B, partly recorded"
    alone = put(live, "llm/answers", "none-yet")
    assert model_label(of(alone), MODEL) == "Qwen2.5-Coder 0.5B"
    assert f"lethe+llm@{MODEL}" not in reasons_not_run(of(live), "held_out")
    reason = reasons_not_run(of(live), "letta_core_memory")[f"lethe+llm@{MODEL}"]
    assert reason == f"not run: the model is not for this suite (models.{MODEL}.suites)"


def test_a_model_that_would_be_asked_needs_the_client(
    recorded: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(installed, "MODULES", {**installed.MODULES, "endpoints": "no_such_module"})
    live = put(recorded, "llm/serve", [MODEL])
    reason = reasons_not_run(of(live), "held_out")[f"lethe+llm@{MODEL}"]
    assert reason == "not run: needs the extra endpoints (make env-all)"
    assert reason_unanswered(of(recorded), MODEL, "adversarial", "lethe+llm") == "", "a recorded answer needs none"


def test_in_mode_replay_a_model_that_is_not_switched_on_has_its_record_alone(recorded: dict[str, Any]) -> None:
    replay = put(recorded, "llm/mode", "replay")
    assert reason_unanswered(of(replay), MODEL, "adversarial", "lethe+llm") == ""
    assert reason_unanswered(of(replay), MODEL, "held_out", "lethe+llm").startswith("no answers recorded")
    assert reason_unanswered(of(put(replay, "llm/serve", [MODEL])), MODEL, "held_out", "lethe+llm") == ""


def test_nothing_is_asked_or_replayed_in_mode_off(recorded: dict[str, Any]) -> None:
    off = put(recorded, "llm/mode", "off")
    assert answering_mode(of(off), MODEL) == "off"
    assert reasons_not_run(of(off), "adversarial")[f"lethe+llm@{MODEL}"] == "not run: llm.mode is off"
