"""Chroma, in memory. The vectors are those of the embedder that ForgetEval gives: the parameter asks for it."""

import itertools

import chromadb

from forgeteval import Backend, Hit

COSINE = {"hnsw": {"space": "cosine"}}


class ChromaStore(Backend):
    """A collection, made anew for each case."""

    def __init__(self, embedder):
        self.embedder = embedder
        self.client = chromadb.EphemeralClient(chromadb.Settings(anonymized_telemetry=False))

    def reset(self):
        for collection in self.client.list_collections():
            self.client.delete_collection(collection.name)
        self.collection = self.client.create_collection("memories", embedding_function=None, configuration=COSINE)
        self.ids = itertools.count(1)

    def add(self, texts):
        ids = [str(next(self.ids)) for _ in texts]
        self.collection.add(ids=ids, documents=texts, embeddings=self.embedder.embed(texts))

    def search(self, query, k):
        found = self.collection.query(query_embeddings=self.embedder.embed([query]), n_results=k)
        hits = zip(found["ids"][0], found["documents"][0], found["distances"][0], strict=True)
        return [Hit(id, text, 1 - distance) for id, text, distance in hits]

    def delete(self, id):
        self.collection.delete(ids=[id])
