"""`/v1/embeddings`: vectors of texts by the run's embedder, whatever model the request names."""

import base64
from collections.abc import Mapping
from typing import Any

from forgeteval.embed.embedder import Embedder
from lethe.gateway.errors import bad_request

MOST_TEXTS = 2048
"""What a request may have, as with OpenAI's own service."""


def read_texts(asked: Mapping[str, Any], dim: int) -> list[str]:
    """The texts of an embeddings request.

    Raises:
        GatewayError: if there are none or too many, if they are token ids, or if `dimensions` or the encoding is not
            supported.
    """
    given = asked.get("input")
    texts = [given] if isinstance(given, str) else given
    if not isinstance(texts, list) or not texts:
        raise bad_request("input must be a text or a list with at least one text")
    if len(texts) > MOST_TEXTS:
        raise bad_request(f"input must be no more than {MOST_TEXTS} texts")
    if not all(isinstance(text, str) for text in texts):
        raise bad_request("input must be texts, not token ids (LangChain: check_embedding_ctx_length=False)")
    if asked.get("dimensions") not in (None, dim):
        raise bad_request(f"dimensions: this embedder gives {dim}")
    if asked.get("encoding_format") not in (None, "float", "base64"):
        raise bad_request("encoding_format must be float or base64")
    return texts


def embed(embedder: Embedder, asked: Mapping[str, Any]) -> dict[str, Any]:
    """The answer to an embeddings request, with one float32 unit vector per text; see `read_texts` for errors.

    Tokens are not counted: the reported usage is 0.
    """
    vectors: Any = embedder.embed(read_texts(asked, embedder.dim))
    if asked.get("encoding_format") == "base64":
        vectors = [base64.b64encode(vector.astype("<f4").tobytes()).decode("ascii") for vector in vectors]
    else:
        vectors = vectors.tolist()
    return {
        "object": "list",
        "model": asked.get("model", ""),
        "data": [{"object": "embedding", "index": i, "embedding": vector} for i, vector in enumerate(vectors)],
        "usage": {"prompt_tokens": 0, "total_tokens": 0},
    }
