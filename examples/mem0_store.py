"""Mem0 without a chat model (`infer=False`), on Qdrant in memory, with the embedder that ForgetEval gives."""

import os

os.environ["MEM0_TELEMETRY"] = "False"

from mem0 import Memory
from qdrant_client import QdrantClient

from forgeteval import Backend, Hit

USER = "user"
NO_SERVICE = {"api_key": "unused", "openai_base_url": "http://127.0.0.1:9"}
"""Mem0 asks for a key even of services that are never called."""


class Embeddings:
    """ForgetEval's embedder, as Mem0 calls one."""

    def __init__(self, embedder, config):
        self.embedder, self.config = embedder, config

    def embed(self, text, memory_action=None):
        return self.embed_batch([text])[0]

    def embed_batch(self, texts, memory_action=None):
        return self.embedder.embed(texts).tolist()


class Mem0Store(Backend):
    """The memories of one user."""

    def __init__(self, embedder):
        qdrant = {
            "collection_name": "memories",
            "embedding_model_dims": embedder.dim,
            "client": QdrantClient(":memory:"),
        }
        self.memory = Memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": qdrant},
                "embedder": {"provider": "openai", "config": {"embedding_dims": embedder.dim, **NO_SERVICE}},
                "llm": {"provider": "openai", "config": NO_SERVICE},
                "history_db_path": ":memory:",
            }
        )
        self.memory.embedding_model = Embeddings(embedder, self.memory.embedding_model.config)

    def reset(self):
        self.memory.reset()

    def add(self, texts):
        self.memory.add([{"role": "user", "content": text} for text in texts], user_id=USER, infer=False)

    def search(self, query, k):
        found = self.memory.search(query, filters={"user_id": USER}, top_k=k, threshold=0.0)
        return [Hit(item["id"], item["memory"], item["score"]) for item in found["results"]]

    def delete(self, id):
        self.memory.delete(id)

    def close(self):
        self.memory.close()
