"""How a chat model's answers are had: asked for, or only those that were kept."""

from collections.abc import Mapping
from typing import Any, Literal

_ANSWERING = ("base_url", "model", "temperature", "max_tokens", "extra_body", "structured")
"""Limits, caps, prices and keys change no answer, so changing them runs nothing again."""


def is_live(config: Mapping[str, Any], model: str) -> bool:
    """Whether a model may be asked: `llm.mode` allows it, and one that is served on this machine is switched on."""
    llm = config["llm"]
    return llm["mode"] == "live" and ("serve" not in config["models"][model] or model in llm["serve"])


def answering_mode(config: Mapping[str, Any], model: str) -> Literal["live", "replay", "off"]:
    """The gateway's mode for a model: `llm.mode`, but only kept answers of one that is not switched on."""
    mode: Literal["live", "replay", "off"] = config["llm"]["mode"]
    return "replay" if mode == "live" and not is_live(config, model) else mode


def reason_unanswered(config: Mapping[str, Any], model: str) -> str:
    """Why a model cannot answer; empty where it can."""
    if config["llm"]["mode"] != "live" or is_live(config, model):
        return ""
    return f"switch it on with llm.serve: [{model}]"


def answering_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """What of a model's entry decides its answers; of one that is served on this machine, the weights' checksum."""
    deciding = {key: options[key] for key in _ANSWERING if key in options}
    return deciding | ({"weights": options["serve"]["weights"]["sha256"]} if "serve" in options else {})
