"""Models that are served on this machine, in the configuration: the shipped ones, and mistakes in an entry."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from lethe.config.answering import answering_options, is_live
from lethe.config.chat_models import ModelConfig
from tests.support.config import mistake, of, put
from tests.support.paths import ROOT

NAME = "qwen2.5-coder-0.5b"
SUM = "ab" * 32
OWN = {"weights": "my.gguf", "sha256": SUM, "context": 4096, "threads": 1}
ENDPOINT = {"family": "f", "base_url": "http://127.0.0.1:1/v1", "model": "m"}


def test_the_shipped_models_can_be_read_and_say_their_size(config: dict[str, Any]) -> None:
    for name, options in config["models"].items():
        assert ModelConfig.from_config(name, options).serve is not None
        assert options["parameters"]


@pytest.mark.parametrize("name", ["smollm2-135m", NAME, "qwen2.5-coder-1.5b", "gemma3-270m-judge"])
def test_locks_of_weights_pin_every_package_by_hash_and_name_no_index(config: dict[str, Any], name: str) -> None:
    path = ROOT / config["models"][name]["serve"]["weights"]
    lock = path.read_text(encoding="utf-8")
    pinned = [line for line in lock.splitlines() if "==" in line]
    asked = path.with_suffix(".in").read_text(encoding="utf-8").split()
    assert sorted(line.split()[0] for line in pinned) == sorted(asked)
    assert lock.count("--hash=sha256:") >= len(pinned) and "://" not in lock


def test_one_line_switches_a_model_on(config: dict[str, Any]) -> None:
    on = put(config, "llm/serve", [NAME])
    of(on)
    assert is_live(of(on), NAME) and not is_live(of(config), NAME) and not is_live(of(on), "smollm2-135m")
    assert not is_live(of(put(on, "llm/mode", "replay")), NAME)
    assert is_live(of(put(config, "models/endpoint", ENDPOINT)), "endpoint")


def test_the_checksum_decides_and_threads_do_not(config: dict[str, Any]) -> None:
    def deciding(**entry: Any) -> dict[str, Any]:
        return answering_options(of(put(config, "models/m", {"family": "f", **entry})), "m")

    assert deciding(serve=OWN) == {"weights": SUM}
    assert deciding(serve={**OWN, "threads": 8, "context": 512}) == deciding(serve=OWN)
    assert deciding(serve={**OWN, "sha256": "cd" * 32}) != deciding(serve=OWN)
    assert deciding(serve=OWN, structured="none") != deciding(serve=OWN)
    assert deciding(**ENDPOINT) == {"base_url": ENDPOINT["base_url"], "model": "m"}


def test_what_is_recorded_decides_too_so_that_other_answers_are_not_taken_for_asked_ones(
    config: dict[str, Any], tmp_path: Path
) -> None:
    def deciding() -> dict[str, Any]:
        return answering_options(of(put(config, "llm/answers", str(tmp_path))), NAME)

    nothing = deciding()
    (tmp_path / f"{NAME}.parquet").write_bytes(b"some")
    some = deciding()
    (tmp_path / f"{NAME}.parquet").write_bytes(b"others")
    assert len({str(each) for each in (nothing, some, deciding())}) == 3


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("models/m", {"family": "f"}, "models.m: give base_url with model, or serve"),
        ("models/m", {"family": "f", "base_url": "http://h/v1"}, "models.m: give base_url with model, or serve"),
        (
            "models/m",
            {**ENDPOINT, "serve": OWN},
            "models.m.base_url: a model with `serve` has no endpoint; remove either",
        ),
        ("models/m/serve/threads", 0, "models.m.serve.threads: should be greater than or equal to 1, not 0"),
        ("models/m/serve/slots", 1, "models.m.serve.slots: unknown key; known keys: weights, sha256, context, threads"),
        ("models/m/serve", {**OWN, "context": None}, "models.m.serve.context: should be a valid integer"),
        ("models/m/serve", {"weights": "my.gguf", "context": 512, "threads": 1}, "models.m.serve.sha256: missing"),
        ("models/m/serve/weights", {"path": "my.gguf"}, "models.m.serve.weights: should be a valid string"),
        ("models/m/serve/sha256", "short", "models.m.serve.sha256: should match pattern"),
        (
            "models/m/serve/weights",
            "envs/weights/none.lock",
            "models.m.serve.weights: envs/weights/none.lock does not exist",
        ),
        ("models/m/structured", "json", "models.m.structured: should be 'schema', 'object' or 'none', not 'json'"),
        ("llm/serve", ["qwen"], "llm.serve: unknown name 'qwen'; config/models.yaml has"),
    ],
)
def test_a_mistake_is_one_line_that_names_its_key(config: dict[str, Any], key: str, value: Any, said: str) -> None:
    with_own = put(config, "models/m", {"family": "f", "serve": OWN})
    of(with_own)
    message = mistake(put(with_own, key, value))
    assert message.startswith(f"config: {said}") and "\n" not in message


def test_only_a_model_without_an_endpoint_is_switched_on(config: dict[str, Any]) -> None:
    changed = put(put(config, "models/endpoint", ENDPOINT), "llm/serve", ["endpoint"])
    assert mistake(changed) == "config: llm.serve: endpoint has an endpoint of its own; remove it from the list"


def test_the_environment_of_the_server_has_its_lock() -> None:
    lock = (ROOT / "envs/llama_cpp.lock").read_text(encoding="utf-8")
    assert "xllamacpp==" in lock and "--hash=sha256:" in lock
    assert yaml.safe_load((ROOT / "config/config.yaml").read_text(encoding="utf-8"))["llm"]["serve"] == []
