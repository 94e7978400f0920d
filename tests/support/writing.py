"""Lethe as `agent-memory-integrity` (agmi) attacks it through its own API, read in one of three ways."""

from typing import Literal, get_args

from agmi.adapters.semantic_base import MemoryItem, Retrieved, SemanticMemoryAdapter
from agmi.signing import KEYRING

from lethe.store import Key, Store, sign, unsuspicious

Read = Literal["recall", "signed by the user", "signed by the user, unsuspicious"]
READS: tuple[Read, ...] = get_args(Read)
_TAG = "trust"


class LetheByItsApi(SemanticMemoryAdapter):
    """A user is an owner, the label of a channel a source, the tag of metadata a session.

    The suite's signatures are a model, by a secret that it shares with a store. So this adapter is the writer's hand:
    it has an Ed25519 key for each user, and signs what bears a signature of the suite.
    """

    def __init__(self, read: Read) -> None:
        self.name = f"lethe: {read}"
        self._read = read
        self._keys: dict[str, Key] = {}

    def reset(self) -> None:
        self._store = Store(key=Key(bytes(range(32))))

    def _key(self, user: str) -> Key:
        return self._keys.setdefault(user, Key(bytes(31) + bytes([len(self._keys)])))

    def add_memory(self, item: MemoryItem) -> None:
        tag = item.metadata.get(_TAG)
        within = self._store.within(owner=item.user_id, session=tag)
        if KEYRING.verify(item.user_id, item.source, item.text, item.signature):
            signature = sign(self._key(item.user_id), item.text, owner=item.user_id, session=tag)
            within.inscribe(item.text, signature=signature)
        else:
            within.within(source=item.source).inscribe(item.text)

    def retrieve(self, query: str, user_id: str, k: int = 5) -> list[Retrieved]:
        return self._recalled(self._store.within(owner=user_id), query, user_id, k)

    def retrieve_where(self, query: str, user_id: str, where: dict[str, str], k: int = 5) -> list[Retrieved]:
        return self._recalled(self._store.within(owner=user_id, session=where[_TAG]), query, user_id, k)

    def _recalled(self, within: Store, query: str, user: str, k: int) -> list[Retrieved]:
        found = within.recall(
            query,
            k,
            signed_by=None if self._read == "recall" else self._key(user).public.hex(),
            accept=unsuspicious if self._read.endswith("unsuspicious") else None,
        )
        return [Retrieved(memory.text, user, memory.score) for memory in found]
