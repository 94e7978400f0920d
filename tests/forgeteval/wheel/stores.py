"""Stores that break, each in its way; copied to where a stranger runs `forgeteval`."""

import os
import pathlib
import sys
import time

from forgeteval import Backend, Hit


class Good(Backend):
    """A list that is searched by words."""

    def __init__(self):
        self.memories = {}

    def reset(self):
        self.memories = {}

    def add(self, texts):
        for text in texts:
            self.memories[max(self.memories, default=0) + 1] = text

    def search(self, query, k):
        asked = set(query.lower().split())
        hits = [Hit(id, text, len(asked & set(text.lower().split()))) for id, text in self.memories.items()]
        return sorted(hits, key=lambda hit: -hit.score)[:k]

    def delete(self, id):
        del self.memories[id]


class Raises(Good):
    def delete(self, id):
        raise RuntimeError("the disk is gone\nand \x1b[31mred")


class Hangs(Good):
    def delete(self, id):
        pathlib.Path("hangs").touch()
        time.sleep(600)


class HangsAtOnce(Good):
    def __init__(self):
        pathlib.Path("hangs").touch()
        time.sleep(600)


class Dicts(Good):
    def search(self, query, k):
        return [{"text": text} for text in self.memories.values()][:k]


class Nothing(Good):
    def search(self, query, k):
        return None


class Exits(Good):
    def delete(self, id):
        os._exit(7)


class ExitsPolitely(Good):
    def delete(self, id):
        sys.exit("no more")


class Prints(Good):
    def add(self, texts):
        print("adding \x1b[31m", len(texts))
        super().add(texts)


class Asks(Good):
    def delete(self, id):
        input("really? ")


class CannotBeBuilt(Good):
    def __init__(self):
        raise ValueError("no connection")


class WantsAnAddress(Good):
    def __init__(self, address):
        self.address = address


class WithoutDelete:
    def __init__(self):
        self.good = Good()

    def reset(self):
        self.good.reset()

    def add(self, texts):
        self.good.add(texts)

    def search(self, query, k):
        return self.good.search(query, k)


class WithoutSearch:
    def add(self, texts):
        pass


class Sometimes(Good):
    """Breaks where an amount of money is told."""

    def add(self, texts):
        if any("euros" in text for text in texts):
            raise RuntimeError("no money")
        super().add(texts)
