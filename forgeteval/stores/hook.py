"""The hook: at each mutation, a Planner decides which memories of a store that can add and delete are meant.

Paper, appendix "Cross-architecture LLM-hook ablation". Only the standard library is imported here.
"""

from collections.abc import Sequence
from typing import cast

from forgeteval.planners.protocol import ChoosesMemory, Edit, Matches, Planner, Replace, Unsure
from forgeteval.stores.contract import Adapter, Backend, Hit, not_offered, offers
from forgeteval.stores.policies import CANDIDATES, ComposedAdapter

_PASSED_ON = ("enter", "stored_bytes", "reset_to")


class HookedAdapter(Backend):
    """The six methods, with a planner in front of an adapter's own mutations.

    Without a usable decision the adapter's own mutation runs, and the fallback is counted. If its configuration has
    no policy for that mutation, nothing is forgotten, and a superseding fact is inscribed.

    For each memory that a supersession wrote, the queries and the last new fact are kept until the memory is gone; a
    planner that chooses among memories is told them.

    Args:
        adapter: a ComposedAdapter, or an adapter that itself has `add`, `search` and `delete`.
        keeps_na: offer no mutation for which the adapter has no policy; otherwise the planner's decision is enough.

    Attributes:
        fallbacks: number of mutations since `reset` for which the planner had no usable decision.
        decisions: one line per decision since `reset`: operation, kind, reason.

    Raises:
        NotImplementedError: from the constructor, if the adapter lacks `add`, `search` or `delete`.
        PlannerUnavailable: from a mutation, before the store has been changed.
    """

    def __init__(self, adapter: Adapter, planner: Planner, keeps_na: bool = False) -> None:
        surface = adapter.backend if isinstance(adapter, ComposedAdapter) else adapter
        lacking = [name for name in ("add", "search", "delete") if not offers(surface, name)]
        if lacking:
            raise NotImplementedError(f"{type(surface).__name__} cannot be hooked: it has no {', '.join(lacking)}")
        self._adapter, self._planner = adapter, planner
        self._without_policy = not_offered(adapter)
        self.not_offered: frozenset[str] = self._without_policy if keeps_na else frozenset()
        self._start_over()

    @property
    def _own(self) -> Backend:
        """The adapter, by what it may offer besides the six methods."""
        return cast(Backend, self._adapter)

    @property
    def _surface(self) -> Backend:
        return cast(Backend, self._adapter.backend if isinstance(self._adapter, ComposedAdapter) else self._adapter)

    def offers(self, name: str) -> bool:
        return super().offers(name) and (name not in _PASSED_ON or offers(self._adapter, name))

    def stored_bytes(self) -> bytes:
        return self._own.stored_bytes()

    def reset_to(self, texts: Sequence[str]) -> None:
        self._start_over()
        self._own.reset_to(texts)

    def enter(self, owners: Sequence[str]) -> None:
        self._own.enter(owners)

    def reset(self) -> None:
        self._start_over()
        self._adapter.reset()

    def inscribe(self, texts: Sequence[str]) -> None:
        self._adapter.inscribe(texts)

    def recall_texts(self, query: str, k: int) -> list[str]:
        return self._adapter.recall_texts(query, k)

    def supersede(self, query: str, text: str) -> None:
        old, repeated = self._superseded(query, text)
        if old is None:
            self._adapter.inscribe([text])
            return
        before = self._written.get(old.text, ()) if isinstance(old, Hit) else ()
        asked = (query, text, *before[:1], *before[2:])
        match old if isinstance(old, Unsure) else self._planned(old.text, query, text):
            case Replace(reason) if isinstance(old, Hit):
                self._note("supersede", "replace", reason)
                self._delete(repeated)
                self._replace(old, text)
                self._written[text] = asked
            case Edit(merged, reason) if isinstance(old, Hit):
                self._note("supersede", "edit", reason)
                self._delete(repeated)
                self._edit(old, merged)
                self._written[merged] = asked
            case undecided:
                self._count_fallback("supersede", undecided)
                if "supersede" in self._without_policy:
                    self._adapter.inscribe([text])
                else:
                    self._adapter.supersede(query, text)

    def release(self, query: str) -> None:
        candidates = self._surface.search(query, CANDIDATES)
        matches = self._planner.release_match(query, [hit.text for hit in candidates]) if candidates else None
        chosen = self._chosen("release", candidates, matches)
        if chosen is None:
            if "release" not in self._without_policy:
                self._adapter.release(query)
        elif offers(self._surface, "release_ids"):
            for hit in chosen:
                self._written.pop(hit.text, None)
            self._surface.release_ids([hit.id for hit in chosen])
        else:
            self._delete(chosen)

    def purge(self, query: str) -> None:
        candidates = self._surface.search(query, CANDIDATES)
        matches = self._planner.purge_match(query, [hit.text for hit in candidates]) if candidates else None
        chosen = self._chosen("purge", candidates, matches)
        if chosen is not None:
            self._delete(chosen)
        elif "purge" not in self._without_policy:
            self._adapter.purge(query)

    def close(self) -> None:
        self._adapter.close()

    def _superseded(self, query: str, text: str) -> tuple[Hit | Unsure | None, list[Hit]]:
        """The memory that `text` supersedes, and those that say it already.

        It is the planner's choice or the best match; None if nothing is stored.
        """
        if not isinstance(self._planner, ChoosesMemory):
            return next(iter(self._surface.search(query, 1)), None), []
        candidates = self._surface.search(query, CANDIDATES)
        if not candidates:
            return None, []
        memories = [hit.text for hit in candidates]
        choice = self._planner.choose(query, text, memories, [self._asked(memory) for memory in memories])
        if isinstance(choice, Unsure):
            return choice, []
        self._note("supersede", f"memory {choice.index + 1} of {len(candidates)}", choice.reason)
        return candidates[choice.index], [candidates[index] for index in choice.repeated]

    def _asked(self, memory: str) -> str:
        """The queries of the supersessions that led to a memory, the last one first, one per line."""
        query, _, *before = self._written.get(memory, ("", ""))
        return "\n".join([query, *before])

    def _planned(self, memory: str, query: str, text: str) -> Replace | Edit | Unsure | None:
        written = self._written.get(memory)
        if written is not None and isinstance(self._planner, ChoosesMemory):
            return self._planner.supersede(memory, query, text, written)
        return self._planner.supersede(memory, query, text)

    def _chosen(self, operation: str, candidates: Sequence[Hit], matches: Matches | Unsure | None) -> list[Hit] | None:
        """The hits that are meant; None if there was nothing to decide or no usable decision (which is counted).

        Memories of which only a part is meant are edited here.
        """
        if not candidates:
            return None
        if not isinstance(matches, Matches):
            self._count_fallback(operation, matches)
            self._written.clear()  # The adapter's own policy does not tell which memories it takes.
            return None
        edited = f", {len(matches.edits)} in part" if matches.edits else ""
        kind = f"{len(matches.indices)} of {len(candidates)} memories{edited}"
        self._note(operation, kind, matches.reason)
        for index, text in matches.edits:
            self._edit(candidates[index], text)
        return [candidates[index] for index in matches.indices]

    def _replace(self, old: Hit, text: str) -> None:
        self._delete([old])
        self._surface.add([text])

    def _edit(self, old: Hit, text: str) -> None:
        self._written.pop(old.text, None)
        if offers(self._surface, "edit"):
            try:
                self._surface.edit(old.id, text)
                return
            except NotImplementedError:
                pass
        self._replace(old, text)

    def _delete(self, hits: Sequence[Hit]) -> None:
        for hit in hits:
            self._written.pop(hit.text, None)
            self._surface.delete(hit.id)

    def _count_fallback(self, operation: str, undecided: object) -> None:
        self.fallbacks += 1
        self._note(operation, "fallback", undecided.reason if isinstance(undecided, Unsure) else "no usable decision")

    def _note(self, operation: str, kind: str, reason: str | None) -> None:
        self.decisions.append(f"{operation}: {kind}" + (f" ({reason})" if reason else ""))

    def _start_over(self) -> None:
        self.fallbacks = 0
        self.decisions: list[str] = []
        self._written: dict[str, tuple[str, ...]] = {}
