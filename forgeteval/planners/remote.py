"""A planner in another process: its three decisions, and the choice of a memory, as JSON messages.

The matcher needs libraries that no system's environment holds, so the worker asks the parent process. Nothing but the
standard library is imported here.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from forgeteval.json_records import from_json
from forgeteval.planners.protocol import Choice, ChoosesMemory, Edit, Matches, Planner, Replace, Unsure

_DECISIONS: dict[str, dict[str, type[str] | type[list[Any]]]] = {
    "supersede": {"memory": str, "query": str, "new_fact": str, "written": list},
    "purge_match": {"target": str, "candidates": list},
    "release_match": {"target": str, "candidates": list},
    "choose": {"query": str, "new_fact": str, "candidates": list, "written_for": list},
}
"""What each decision takes: texts and lists of texts."""
_MAY_LACK = {"written"}
_KINDS: dict[str, type[Any]] = {kind.__name__.lower(): kind for kind in (Replace, Edit, Matches, Choice, Unsure)}
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
        fields = dict(self._ask({"decision": decision, **arguments}))
        return from_json(_KINDS[fields.pop("kind")], fields) if fields else None


def check_message(message: Mapping[str, Any]) -> None:
    """Raise ValueError for what is no message of `RemotePlanner`."""
    takes = _DECISIONS.get(str(message.get("decision")), {})
    given = {name: value for name, value in message.items() if name != "decision"}
    fit = takes.keys() - _MAY_LACK <= given.keys() <= takes.keys() and bool(given)
    if not fit or not all(_is_of(value, takes[name]) for name, value in given.items()):
        raise ValueError("no decision is asked for")


def _is_of(value: Any, kind: type[str] | type[list[Any]]) -> bool:
    return isinstance(value, kind) and all(isinstance(item, str) for item in value)


def answer(planner: Planner, message: Mapping[str, Any]) -> dict[str, Any]:
    """What `planner` decides on a message of `RemotePlanner`, as JSON; ValueError for what it does not decide."""
    arguments = {name: value for name, value in message.items() if name != "decision"}
    name = message["decision"]
    if name == "choose" and not isinstance(planner, ChoosesMemory):
        raise ValueError(f"{type(planner).__name__} makes no decision {name!r}")
    decision = getattr(planner, name)(**arguments)
    return {} if decision is None else {"kind": _NAMES[type(decision)], **asdict(decision)}
