"""A list, in which a search counts the words that a memory shares with the query."""

import itertools

from forgeteval import Backend, Hit


class ListStore(Backend):
    """The least that a store can be: four methods, and a number as each memory's id."""

    def reset(self):
        self.memories = {}
        self.ids = itertools.count(1)

    def add(self, texts):
        for text in texts:
            self.memories[next(self.ids)] = text

    def search(self, query, k):
        asked = words(query)
        hits = [Hit(id, text, len(asked & words(text))) for id, text in self.memories.items()]
        return sorted(hits, key=lambda hit: hit.score, reverse=True)[:k]

    def delete(self, id):
        del self.memories[id]


def words(text):
    return {word.strip(".,;:!?'\"()") for word in text.lower().split()}
