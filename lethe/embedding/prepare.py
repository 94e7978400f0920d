"""Preparation of the configured embedder's directory, from the weights package or from a reachable hub."""

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

from forgeteval.errors import UserError
from lethe.embedding import minilm
from lethe.embedding.embedder import EmbedderDescription
from lethe.fingerprints import sha256_of
from lethe.installed import require

MAX_TOKENS = 128
"""What texts are cut to, as in the hub's ONNX copy of all-MiniLM-L6-v2."""


def embedder_options(name: str) -> dict[str, Any]:
    """What `prepare_embedder` takes for the configuration's `embedder`: one is in a package, others on the hub."""
    packaged = name == Path(minilm.MODEL_NAME).name
    return {
        "name": minilm.MODEL_NAME if packaged else name,
        "source": "package" if packaged else "hub",
        "max_tokens": MAX_TOKENS,
    }


def prepare_embedder(folder: Path, name: str, source: str, max_tokens: int) -> None:
    """Write the model `name` and its description to `folder`.

    Args:
        source: "package" builds all-MiniLM-L6-v2 from its weights package; "hub" downloads any fastembed model.
        max_tokens: truncation length in tokens; a model from the hub keeps its own.

    Raises:
        UserError: if the package does not contain the model, or the hub does not provide it.
    """
    if source == "package":
        if name != minilm.MODEL_NAME:
            raise UserError(f"embedder: {name} comes only from the hub")
        minilm.build_model_dir(folder, max_tokens)
        EmbedderDescription(name, source, minilm.DIM, max_tokens, minilm.WEIGHTS_SHA256).write(folder)
        return
    _download(folder, name)


def _download(folder: Path, name: str) -> None:
    require("hub", f"embedder: {name}")
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    from fastembed import TextEmbedding

    known = {model["model"]: model for model in TextEmbedding.list_supported_models()}
    if name not in known:
        raise UserError(f"embedder: fastembed has no model {name!r}; see its list of supported models")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        try:
            model = TextEmbedding(name, cache_dir=scratch, threads=1)
            next(iter(model.embed(["warm-up"])))
        except Exception as error:  # noqa: BLE001 - whatever the hub's libraries raise
            # Not the library's words: those on a proxy's address quote its password.
            reason = getattr(error, "strerror", None) or type(error).__name__
            raise UserError(
                f"embedder: {name} cannot be fetched from the hub ({reason}); check the network, and HTTPS_PROXY if set"
            ) from None
        graph = next(Path(scratch).rglob(Path(known[name]["model_file"]).name))
        tokenizer: Any = model.model.tokenizer  # type: ignore[attr-defined]
        dim, max_tokens = known[name]["dim"], tokenizer.truncation["max_length"]
        EmbedderDescription(name, "hub", dim, max_tokens, sha256_of(graph.resolve())).write(Path(scratch))
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(scratch, folder, symlinks=True)
