"""Reading an entry of config/models.yaml."""

import re
from typing import Any

import pytest
import yaml

from forgeteval.errors import UserError
from lethe.config.chat_models import ModelConfig
from lethe.config.model import Model
from tests.support.paths import ROOT

ENTRY: dict[str, Any] = {"label": "A", "family": "a", "base_url": "http://127.0.0.1:8080/v1", "model": "a-7b"}
PAGE = ROOT / "docs" / "models.md"


def test_an_entry_with_defaults() -> None:
    found = ModelConfig.from_config("a", ENTRY)
    assert (found.name, found.label, found.model, found.base_url) == ("a", "A", "a-7b", ENTRY["base_url"])
    assert (found.concurrency, found.max_attempts, found.max_usd, found.extra_body) == (16, 5, None, {})


def test_cost() -> None:
    found = ModelConfig.from_config("a", {**ENTRY, "usd_per_million_in": 2, "usd_per_million_out": 8.0})
    assert found.cost_usd(1_000_000, 500_000) == pytest.approx(6.0)
    assert found.cost_usd(None, None) == 0
    assert found.priced


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"modle": "x"}, "modle: extra inputs are not permitted"),
        ({"model": None}, "model: input should be a valid string"),
        ({"label": ""}, "label: .*at least 1 character"),
        ({"concurrency": 0}, "concurrency: .*greater than or equal to 1"),
        ({"concurrency": "16"}, "concurrency: .*valid integer"),
        ({"max_usd": -1}, "max_usd: .*greater than or equal to 0"),
        ({"max_usd": float("nan")}, "max_usd: .*finite"),
        ({"max_calls": True}, "max_calls: .*valid integer"),
        ({"timeout_s": 0}, "timeout_s: .*greater than 0"),
        ({"extra_body": [1]}, "extra_body: .*dictionary"),
        ({"extra_body": {"n": "3"}}, "extra_body.n: must be a whole number from 1, not '3'"),
        ({"extra_body": {"best_of": True}}, "extra_body.best_of: must be a whole number from 1, not True"),
        ({"extra_body": {"max_tokens": 2**63}}, "extra_body.max_tokens: must fit 64 bits"),
        ({"extra_body": {"messages": []}}, "extra_body: messages is part of every request as it is; remove it"),
        ({"extra_body": {"api_key": "sk-1"}}, "extra_body: holds a key, .* the variable that api_key_env names"),
        ({"extra_body": {"stream": True}}, "extra_body.stream: an answer is asked for as a whole"),
        ({"extra_body": {"top_p": float("nan")}}, "extra_body: cannot be sent as JSON"),
        ({"drop": ["top_p", "messages"]}, "drop: messages is part of every request as it is; remove it"),
        ({"rename": {"model": "engine"}}, "rename: model is part of every request as it is; remove it"),
        ({"rename": {"prompt": "messages"}}, "rename: messages is part of every request as it is; remove it"),
        (
            {"rename": {"max_tokens": "temperature"}},
            "rename: max_tokens becomes temperature, which is sent itself; drop or rename temperature too",
        ),
        ({"rename": {"seed": "a", "user": "a"}}, "rename: two fields become a; rename one of them alone"),
        ({"base_url": "127.0.0.1:8080"}, "base_url: must be http"),
        ({"base_url": "https://user:secret@host/v1"}, "base_url: contains credentials"),
        ({"base_url": "https://host/v1?key=secret"}, "base_url: contains credentials"),
    ],
)
def test_a_wrong_entry_is_one_line_that_names_the_key(change: dict[str, Any], said: str) -> None:
    with pytest.raises(UserError, match=f"^config: models.a.{said}") as caught:
        ModelConfig.from_config("a", {**ENTRY, **change})
    assert "secret" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_model_without_a_label_is_labelled_by_its_name() -> None:
    entry = {name: value for name, value in ENTRY.items() if name != "label"}
    assert ModelConfig.from_config("a", entry).label == "a"


@pytest.mark.parametrize("missing", [name for name in ENTRY if name != "label"])
def test_a_missing_key_is_named(missing: str) -> None:
    with pytest.raises(UserError, match=f"models.a.{missing}: field required"):
        ModelConfig.from_config("a", {name: value for name, value in ENTRY.items() if name != missing})


def test_the_examples_of_the_page_are_entries() -> None:
    blocks = re.findall(r"```yaml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    entries = {name: options for block in blocks for name, options in yaml.safe_load(block).get("models", {}).items()}
    assert len(entries) >= 4
    for name, options in entries.items():
        ModelConfig.from_config(name, options)


def test_the_page_lists_every_field() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for name in Model.model_fields:
        assert f"`{name}`" in page
