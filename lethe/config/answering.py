"""How a chat model's answers are had: asked for, or only those that were kept."""

from pathlib import Path
from typing import Any, Literal

from lethe.config.model import Config
from lethe.fingerprints import file_fingerprint
from lethe.installed import lack, reason_lacking
from lethe.stored.answers import JUDGE, answers_path, read_index

Mode = Literal["live", "replay", "recorded", "off"]
_ANSWERING = (
    "base_url",
    "model",
    "temperature",
    "max_tokens",
    "most_tokens",
    "extra_body",
    "structured",
    "contract",
    "preset",
    "drop",
    "rename",
)
"""Limits, caps, prices and keys change no answer, so changing them runs nothing again."""


def is_live(config: Config, model: str) -> bool:
    """Whether a model may be asked: `llm.mode` allows it, and one that is served on this machine is switched on."""
    return config.llm.mode == "live" and not uses_recorded(config, model)


def uses_recorded(config: Config, model: str) -> bool:
    """Whether recorded answers stand in for a model: it is served on this machine and not switched on."""
    return config.llm.mode != "off" and config.models[model].serve is not None and model not in config.llm.serve


def answering_mode(config: Config, model: str) -> Mode:
    """The gateway's mode for a model: `llm.mode`, but `recorded` for one that is not switched on."""
    return "recorded" if uses_recorded(config, model) else config.llm.mode


def reason_unanswered(config: Config, model: str, suite: str, system: str) -> str:
    """Why a model cannot answer a system, or as a judge (`JUDGE`), on a suite; empty where it can, live or recorded."""
    if is_live(config, model):
        return reason_lacking("endpoints")
    if not uses_recorded(config, model) or has_recorded(config, model, suite, system):
        return ""
    return _not_recorded(model)


def reasons_of_model(model: str) -> list[str]:
    """The reasons that `reason_unanswered` may give for a model."""
    return [lack("endpoints"), _not_recorded(model)]


def _not_recorded(model: str) -> str:
    return f"no answers recorded; switch the model on with llm.serve: [{model}]"


def repetitions(config: Config, model: str) -> int:
    """How often a configuration with this model runs each case; without a model, as `run.repetitions` says."""
    return config.models[model].repetitions if model else config.run.repetitions


def has_recorded(config: Config, model: str, suite: str, system: str) -> bool:
    """Whether the answers of a model to a system on a suite are recorded, in the repetitions that are run."""
    runs = {(run.model, run.suite, run.system): run for run in read_index(Path(config.llm.answers))}
    found = runs.get((model, suite, system))
    wanted = 1 if system == JUDGE else repetitions(config, model)
    return found is not None and found.repetitions >= wanted


def model_label(config: Config, model: str) -> str:
    """A model's name in tables; it says where its answers are recorded ones."""
    label = config.models[model].label or model
    if uses_recorded(config, model):
        return f"{label}, recorded"
    asked_here = config.models[model].serve is not None and config.llm.mode == "live"
    recorded = any(run.model == model for run in read_index(Path(config.llm.answers))) if asked_here else False
    return f"{label}, partly recorded" if recorded else label


def answering_options(config: Config, name: str) -> dict[str, Any]:
    """What of a model's entry decides its answers; of one that is served on this machine, the checksums of its weights
    and of what is recorded of it."""
    model, recorded = config.models[name], answers_path(Path(config.llm.answers), name)
    deciding = model.model_dump(include=set(_ANSWERING), exclude_unset=True)
    if model.serve is None:
        return deciding
    answers = {"recorded": file_fingerprint(recorded)} if recorded.is_file() else {}
    return {**deciding, "weights": model.serve.sha256, **answers}
