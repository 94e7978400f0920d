"""A planner in another process: its three decisions, and the choice of a memory, as JSON messages.

The matcher needs libraries that no system's environment holds, so the worker asks the parent process. Nothing but the
standard library is imported here.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from lethe.planners.protocol import Choice, ChoosesMemory, Edit, Matches, Planner, Replace, Unsure

Decision = Replace | Edit | Matches | Choice | Unsure

_KINDS: dict[str, type[Any]] = {
    "replace": Replace,
    "edit": Edit,
    "matches": Matches,
    "choice": Choice,
    "unsure": Unsure,
}
_NAMES = {kind: name for name, kind in _KINDS.items()}


class RemotePlanner:
    """A `Planner` and `ChoosesMemory`, answered by whoever takes its messages.

    Args:
        ask: sends `{"decision": METHOD, ...arguments}` and returns what `answer` returned for it.
    """

    def __init__(self, ask: Callable[[dict[str, Any]], Mapping[str, Any]]) -> None:
        self._ask = ask

    def supersede(
        self, memory: str, query: str, new_fact: str, written: Sequence[str] | None = None
    ) -> Replace | Edit | Unsure | None:
        known = {} if written is None else {"written": list(written)}
        decided: Replace | Edit | Unsure | None = self._decide(
            "supersede", memory=memory, query=query, new_fact=new_fact, **known
        )
        return decided

    def purge_match(self, target: str, candidates: Sequence[str]) -> Matches | Unsure | None:
        decided: Matches | Unsure | None = self._decide("purge_match", target=target, candidates=list(candidates))
        return decided

    def release_match(self, target: str, candidates: Sequence[str]) -> Matches | Unsure | None:
        decided: Matches | Unsure | None = self._decide("release_match", target=target, candidates=list(candidates))
        return decided

    def choose(
        self, query: str, new_fact: str, candidates: Sequence[str], written_for: Sequence[str] = ()
    ) -> Choice | Unsure:
        decided: Choice | Unsure = self._decide(
            "choose", query=query, new_fact=new_fact, candidates=list(candidates), written_for=list(written_for)
        )
        return decided

    def _decide(self, decision: str, **arguments: Any) -> Any:
        return _from_json(self._ask({"decision": decision, **arguments}))


def answer(planner: Planner, message: Mapping[str, Any]) -> dict[str, Any]:
    """What `planner` decides on a message of `RemotePlanner`, as JSON."""
    arguments = {name: value for name, value in message.items() if name != "decision"}
    match message["decision"]:
        case "supersede":
            return _to_json(planner.supersede(**arguments))
        case "purge_match":
            return _to_json(planner.purge_match(**arguments))
        case "release_match":
            return _to_json(planner.release_match(**arguments))
        case "choose" if isinstance(planner, ChoosesMemory):
            return _to_json(planner.choose(**arguments))
        case other:
            raise ValueError(f"{type(planner).__name__} makes no decision {other!r}")


def _to_json(decision: Decision | None) -> dict[str, Any]:
    return {} if decision is None else {"kind": _NAMES[type(decision)], **asdict(decision)}


def _from_json(fields: Mapping[str, Any]) -> Decision | None:
    if not fields:
        return None
    arguments = {name: _frozen(value) for name, value in fields.items() if name != "kind"}
    decision: Decision = _KINDS[fields["kind"]](**arguments)
    return decision


def _frozen(value: Any) -> Any:
    """The value with lists as tuples, which JSON lacks."""
    return tuple(_frozen(part) for part in value) if isinstance(value, list) else value
