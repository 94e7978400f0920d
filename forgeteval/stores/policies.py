"""Mutation policies, which compose supersede, release and purge from what a backend's API offers."""

import itertools
from collections.abc import Callable, Mapping, Sequence

from forgeteval.stores.contract import Backend, Hit, not_offered, offers
from forgeteval.stores.owned import OwnedBackend

CANDIDATES = 20
"""Number of hits that a release or purge considers (docs/systems.md, "Exactness")."""
MINIMUM_GAP, TOP_SHARE = 0.05, 0.95
"""What `largest_gap_threshold` decides by."""
_PASSED_ON = ("stored_bytes", "reset_to")


class ComposedAdapter(Backend):
    """The six-method Adapter on top of a Backend, with one policy per mutation.

    Args:
        policies: maps operation to name of policy; an operation without a policy raises NotImplementedError.
        composes_scopes: whether scopes are kept beside a backend that has none.
    """

    def __init__(self, backend: Backend, policies: Mapping[str, str], composes_scopes: bool = False) -> None:
        self._bare = self.backend = backend
        self._composes_scopes = composes_scopes
        self._policies = policies
        self.not_offered = frozenset(POLICIES.keys() - policies.keys()) | not_offered(backend)

    def offers(self, name: str) -> bool:
        return super().offers(name) and (name not in _PASSED_ON or offers(self.backend, name))

    def stored_bytes(self) -> bytes:
        return self.backend.stored_bytes()

    def reset_to(self, texts: Sequence[str]) -> None:
        self.backend = self._bare
        self.backend.reset_to(texts)

    def enter(self, owners: Sequence[str]) -> None:
        if not offers(self.backend, "enter"):
            if not self._composes_scopes:
                raise NotImplementedError("it has no scopes")
            self.backend = OwnedBackend(self._bare)
        self.backend.enter(owners)

    def reset(self) -> None:
        self.backend = self._bare
        self.backend.reset()

    def inscribe(self, texts: Sequence[str]) -> None:
        self.backend.add(texts)

    def recall_texts(self, query: str, k: int) -> list[str]:
        return [hit.text for hit in self.backend.search(query, k)]

    def supersede(self, query: str, text: str) -> None:
        hits = self._chosen("supersede", SUPERSEDE_POLICIES, query)
        if hits and offers(self.backend, "supersede_id"):
            self.backend.supersede_id(hits[0].id, text)
        else:
            self._delete(hits)
            self.backend.add([text])

    def release(self, query: str) -> None:
        hits = self._chosen("release", RELEASE_POLICIES, query)
        if offers(self.backend, "release_ids"):
            self.backend.release_ids([hit.id for hit in hits])
        else:
            self._delete(hits)

    def purge(self, query: str) -> None:
        self._delete(self._chosen("purge", PURGE_POLICIES, query))

    def close(self) -> None:
        self.backend.close()

    def _chosen(self, op: str, known: Mapping[str, "Choose"], query: str) -> list[Hit]:
        if op not in self._policies:
            raise NotImplementedError(f"{op} is not composed in this configuration")
        return known[self._policies[op]](self.backend, query)

    def _delete(self, hits: Sequence[Hit]) -> None:
        if hits and offers(self.backend, "delete_ids"):
            self.backend.delete_ids([hit.id for hit in hits])
            return
        for hit in hits:
            self.backend.delete(hit.id)


Choose = Callable[[Backend, str], list[Hit]]


def best_match(backend: Backend, query: str) -> list[Hit]:
    """The best hit; none if the store is empty."""
    return backend.search(query, 1)


def largest_gap(backend: Backend, query: str) -> list[Hit]:
    """The hits above the largest gap in the backend's own scores; see `largest_gap_threshold`."""
    hits = backend.search(query, CANDIDATES)
    if not hits:
        return []
    threshold = largest_gap_threshold(sorted((hit.score for hit in hits), reverse=True))
    return [hit for hit in hits if hit.score >= threshold]


def largest_gap_threshold(similarities: Sequence[float]) -> float:
    """The similarity at or above which candidates are released.

    The middle of the largest gap between neighbours in the sorted similarities (the highest of equal gaps) if
    that gap is at least `MINIMUM_GAP`, else `TOP_SHARE` times the highest, as also for a single candidate. The
    order of the input does not matter. Raises `ValueError` if there are no similarities.
    """
    if not similarities:
        raise ValueError("a threshold needs at least one similarity")
    ranked = sorted(similarities, reverse=True)
    neighbours = list(itertools.pairwise(ranked))
    if neighbours:
        upper, lower = max(neighbours, key=lambda pair: pair[0] - pair[1])
        if upper - lower >= MINIMUM_GAP:
            return (upper + lower) / 2
    return TOP_SHARE * ranked[0]


def equal_text(backend: Backend, query: str) -> list[Hit]:
    """Every hit with exactly the text of the best one."""
    hits = backend.search(query, CANDIDATES)
    return [hit for hit in hits if hit.text == hits[0].text]


def all_hits(backend: Backend, query: str) -> list[Hit]:
    """All of the ten best hits, however distant.

    Only this policy gives Letta, OpenMemory and A-MEM the scores that the paper publishes (appendices "Letta" and
    "A-MEM"): all of both canonicalisation categories, whose published cases require nothing to be recalled, and no
    prefix collision, whose cases do.
    """
    return backend.search(query, 10)


def nothing(backend: Backend, query: str) -> list[Hit]:
    """No hit; the store is left to resolve the contradiction itself."""
    return []


SUPERSEDE_POLICIES: dict[str, Choose] = {"best_match": best_match, "add_only": nothing}
RELEASE_POLICIES: dict[str, Choose] = {"largest_gap": largest_gap, "best_match": best_match}
PURGE_POLICIES: dict[str, Choose] = {
    "largest_gap": largest_gap,
    "equal_text": equal_text,
    "best_match": best_match,
    "all_hits": all_hits,
}
POLICIES = {"supersede": SUPERSEDE_POLICIES, "release": RELEASE_POLICIES, "purge": PURGE_POLICIES}
