"""The chat models that a command line names."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from forgeteval.errors import UserError
from forgeteval.yaml_data import read_yaml

if TYPE_CHECKING:
    from lethe.config.chat_models import ModelConfig


def configured_model(option: str, name: str, path: Path) -> "ModelConfig":
    """The model that an option names.

    Args:
        path: file of the chat models.

    Raises:
        UserError: naming the file or the option, where there is no such model or its entry is wrong.
    """
    # The web server and client take a second to import, which other commands should not wait.
    from lethe.config.chat_models import ModelConfig

    models = _models(path)
    if name not in models:
        raise UserError(f"{option} {name}: not configured; {path} has {', '.join(map(str, models)) or 'no model'}")
    return ModelConfig.from_config(name, models[name])


def served_models(path: Path) -> list[str]:
    """Names of the models in a file that are served on this machine."""
    return [name for name, options in _models(path).items() if "serve" in options]


def endpoint_models(*paths: Path) -> list[str]:
    """Names of the models in some files of configuration that have an endpoint."""
    found: dict[str, Any] = {}
    for path in paths:
        found |= read_yaml(path).get("models") or {}
    return [name for name, options in found.items() if "base_url" in options]


def _models(path: Path) -> dict[str, dict[str, Any]]:
    try:
        models = read_yaml(path)["models"]
    except (TypeError, LookupError) as error:
        raise UserError(
            f"{path}: not a readable list of models ({type(error).__name__}); see docs/models.md"
        ) from error
    if not isinstance(models, dict) or not all(isinstance(options, dict) for options in models.values()):
        raise UserError(f"{path}: models: must map each name to its options; see docs/models.md")
    return models
