"""The hook: at each mutation, a Planner decides which memories of a store that can add and delete are meant.

Paper, appendix "Cross-architecture LLM-hook ablation". Only the standard library is imported here.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, cast

from forgeteval.errors import ENDS_A_RUN
from forgeteval.planners.protocol import (
    Candidate,
    Decision,
    Meant,
    Planner,
    PlannerUnavailable,
    Supersession,
    Unsure,
    check_decision,
    shown_to,
)
from forgeteval.stores.contract import Adapter, Backend, Hit, not_offered, offers
from forgeteval.stores.policies import ComposedAdapter


@dataclass(frozen=True, slots=True)
class Asked:
    """A mutation that waits for its caller, since the planner was unsure.

    Attributes:
        operation: supersede, release or purge.
        query: of the mutation.
        reason: why the planner was unsure.
        candidates: texts of the memories between which it hesitates; all that it was shown, where it named none.
    """

    operation: str
    query: str
    reason: str
    candidates: tuple[str, ...]


WhenUnsure = Literal["policy", "ask"]
"""What an unsure planner leads to: the store's own policy runs, or nothing is forgotten and the caller is asked."""
_MOST_OF_A_REASON = 10_000
"""Letters."""
_PASSED_ON = ("enter", "stored_bytes", "reset_to")


class HookedAdapter(Backend):
    """The six methods, with a planner in front of an adapter's own mutations.

        HookedAdapter(MyStore(), MyPlanner(), unsure="ask")

    What the planner means goes, whole or in part; where it means none, nothing goes, and a superseding fact is
    inscribed beside. Where it is unsure, the adapter's own mutation runs, and the fallback is counted; if its
    configuration has no policy for that mutation, or the caller is to be asked, nothing is forgotten, and a superseding
    fact is inscribed. On an empty store nobody is asked.

    For each memory that a decision on a supersession wrote, the supersessions that led to it are kept until the memory
    is gone, and shown with it.

    Args:
        adapter: a ComposedAdapter, or an adapter that itself has `add`, `search` and `delete`.
        keeps_na: offer no mutation for which the adapter has no policy; otherwise the planner's decision is enough.
        unsure: what an unsure planner leads to: the adapter's own policy, or a question in `asked`.

    Attributes:
        fallbacks: number of mutations since `reset` that were left to the adapter, since the planner was unsure.
        asked: mutations since `reset` that wait for the caller.
        decisions: one line per decision since `reset`: operation, kind, reason; a supersession by a planner that is
            shown several memories has two, which memory and what becomes of it.

    Raises:
        NotImplementedError: from the constructor, if the adapter lacks `add`, `search` or `delete`.
        PlannerUnavailable: from a mutation, before the store has been changed, where the planner raises anything, or
            answers what is not a decision on the memories that it was shown.
    """

    def __init__(
        self,
        adapter: Adapter,
        planner: Planner,
        keeps_na: bool = False,
        unsure: WhenUnsure = "policy",
    ) -> None:
        surface = adapter.backend if isinstance(adapter, ComposedAdapter) else adapter
        lacking = [name for name in ("add", "search", "delete") if not offers(surface, name)]
        if lacking:
            raise NotImplementedError(f"{type(surface).__name__} cannot be hooked: it has no {', '.join(lacking)}")
        self._adapter, self._planner, self._asks = adapter, planner, unsure == "ask"
        self._shown = shown_to(planner)
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
        hits = self._surface.search(query, self._shown.supersede)
        if self._shown.new_fact:
            known = {hit.id for hit in hits}
            hits += [hit for hit in self._surface.search(text, self._shown.new_fact) if hit.id not in known]
        if not hits:
            self._adapter.inscribe([text])
            return
        decision = self._decided("supersede", hits, self._planner.supersede, query, text)
        if isinstance(decision, Meant):
            self._note_superseded(decision, len(hits))
            self._supersede(query, text, hits, decision)
        elif self._leaves_to_policy("supersede", query, hits, decision):
            self._adapter.supersede(query, text)
        else:
            self._adapter.inscribe([text])

    def release(self, query: str) -> None:
        chosen = self._chosen("release", query, self._planner.release, self._adapter.release)
        if chosen is not None and offers(self._surface, "release_ids"):
            for hit in chosen:
                self._written.pop(hit.text, None)
            self._surface.release_ids([hit.id for hit in chosen])
        else:
            self._delete(chosen or ())

    def purge(self, query: str) -> None:
        self._delete(self._chosen("purge", query, self._planner.purge, self._adapter.purge) or ())

    def close(self) -> None:
        self._adapter.close()

    def _supersede(self, query: str, text: str, hits: Sequence[Hit], decision: Meant) -> None:
        """Put a new fact in the place of the memories that are meant."""
        before = [past for at in decision.superseded for past in self._written.get(hits[at].text, ())]
        self._delete([hits[at] for at in (*decision.duplicates, *decision.whole)])
        for at, left in decision.parts:
            self._edit(hits[at], left)
        stating = [left for _, left in decision.parts] if decision.restated else [text]
        if not decision.restated:
            self._surface.add([text])
        self._written.update(dict.fromkeys(stating, (Supersession(query, text), *before)))

    def _chosen(
        self,
        operation: str,
        query: str,
        decide: Callable[[str, Sequence[Candidate]], Decision],
        own_policy: Callable[[str], None],
    ) -> list[Hit] | None:
        """The memories that are meant whole; None without a decision: then the adapter's own policy has run, if any.

        Memories of which only a part is meant are edited here.
        """
        hits = self._surface.search(query, self._shown.forget)
        if not hits:
            if operation not in self._without_policy:
                own_policy(query)
            return None
        decision = self._decided(operation, hits, decide, query)
        if isinstance(decision, Unsure):
            if self._leaves_to_policy(operation, query, hits, decision):
                own_policy(query)
            return None
        edited = f", {len(decision.parts)} in part" if decision.parts else ""
        self._note(operation, f"{len(decision.whole)} of {len(hits)} memories{edited}", decision.reason)
        for at, left in decision.parts:
            self._edit(hits[at], left)
        return [hits[at] for at in decision.whole]

    def _decided(self, operation: str, hits: Sequence[Hit], decide: Callable[..., Decision], *asked: str) -> Decision:
        """What the planner decides; whatever else it answers or raises is PlannerUnavailable."""
        try:
            decision = decide(*asked, [Candidate(hit.text, self._written.get(hit.text, ())) for hit in hits])
        except (PlannerUnavailable, *ENDS_A_RUN):
            raise
        except BaseException as error:
            named = f"{type(self._planner).__name__}.{operation}"
            raise PlannerUnavailable(f"{named} raised {type(error).__name__}: {error}") from error
        check_decision(self._planner, operation, decision, len(hits))
        return decision

    def _leaves_to_policy(self, operation: str, query: str, hits: Sequence[Hit], unsure: Unsure) -> bool:
        """Count a mutation on which the planner is unsure; whether the adapter's own policy is to run."""
        if self._asks:
            texts = tuple(hits[at].text for at in unsure.candidates or range(len(hits)))
            self.asked.append(Asked(operation, query, unsure.reason, texts))
            about = _places(unsure.candidates, len(hits)) if unsure.candidates else f"any of {len(hits)} memories"
            self._note(operation, f"asked about {about}", unsure.reason)
            return False
        self.fallbacks += 1
        self._note(operation, "fallback", unsure.reason)
        if operation != "supersede":
            self._written.clear()  # The adapter's own policy does not tell which memories it takes.
        return operation not in self._without_policy

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

    def _note_superseded(self, decision: Meant, shown: int) -> None:
        """Note which memories a new fact supersedes, if the planner could choose, and what becomes of them."""
        superseded = decision.superseded
        chosen = self._shown.supersede > 1
        if chosen or not superseded:
            self._note("supersede", _places(superseded, shown), decision.reason)
        if superseded:
            kind = "replace" if not decision.parts else "edit" if decision.restated else "edit and add"
            self._note("supersede", kind, decision.extent if chosen else decision.extent or decision.reason)

    def _note(self, operation: str, kind: str, reason: str | None) -> None:
        told = (reason or "")[:_MOST_OF_A_REASON].encode(errors="replace").decode()
        self.decisions.append(f"{operation}: {kind}" + (f" ({told})" if told else ""))

    def _start_over(self) -> None:
        self.fallbacks = 0
        self.asked: list[Asked] = []
        self.decisions: list[str] = []
        self._written: dict[str, tuple[Supersession, ...]] = {}


def _places(positions: Sequence[int], shown: int) -> str:
    """Which of the memories that were shown, counted from 1: "memory 3 of 20"."""
    if not positions:
        return f"0 of {shown} memories"
    word = "memory" if len(positions) == 1 else "memories"
    return f"{word} {', '.join(str(at + 1) for at in sorted(positions))} of {shown}"
