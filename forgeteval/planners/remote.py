"""A planner in another process: its three decisions as JSON messages.

The matcher needs libraries that no system's environment holds, so the worker asks the parent process. Nothing but the
standard library is imported here.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from forgeteval.json_records import from_json
from forgeteval.planners.protocol import SHOWN, Candidate, Decision, Meant, Planner, Shown, Unsure, check_decision


@dataclass(frozen=True, slots=True)
class _Supersede:
    query: str
    new_fact: str
    candidates: tuple[Candidate, ...]

    def decided_by(self, planner: Planner) -> Decision:
        return planner.supersede(self.query, self.new_fact, self.candidates)


@dataclass(frozen=True, slots=True)
class _Release:
    query: str
    candidates: tuple[Candidate, ...]

    def decided_by(self, planner: Planner) -> Decision:
        return planner.release(self.query, self.candidates)


@dataclass(frozen=True, slots=True)
class _Purge:
    query: str
    candidates: tuple[Candidate, ...]

    def decided_by(self, planner: Planner) -> Decision:
        return planner.purge(self.query, self.candidates)


_Question = _Supersede | _Release | _Purge
_QUESTIONS: dict[str, type[_Question]] = {"supersede": _Supersede, "release": _Release, "purge": _Purge}
_NAMES = {kind: name for name, kind in _QUESTIONS.items()}
_ANSWERS: dict[str, type[Decision]] = {"meant": Meant, "unsure": Unsure}


class RemotePlanner:
    """A `Planner`, answered by whoever takes its messages.

    Args:
        ask: sends `{"decision": OPERATION, ...arguments}` and returns what `answer` returned for it.
        shown: how many memories the planner that answers is shown.
    """

    def __init__(self, ask: Callable[[dict[str, Any]], Mapping[str, Any]], shown: Shown = SHOWN) -> None:
        self._ask, self.is_shown = ask, shown

    def supersede(self, query: str, new_fact: str, candidates: Sequence[Candidate]) -> Decision:
        return self._decide(_Supersede(query, new_fact, tuple(candidates)))

    def release(self, query: str, candidates: Sequence[Candidate]) -> Decision:
        return self._decide(_Release(query, tuple(candidates)))

    def purge(self, query: str, candidates: Sequence[Candidate]) -> Decision:
        return self._decide(_Purge(query, tuple(candidates)))

    def _decide(self, question: _Question) -> Decision:
        fields = dict(self._ask({"decision": _NAMES[type(question)], **asdict(question)}))
        return from_json(_ANSWERS[fields.pop("kind")], fields)


def check_message(message: Mapping[str, Any]) -> None:
    """Raise ValueError for what is not a message of `RemotePlanner`."""
    _question(message)


def answer(planner: Planner, message: Mapping[str, Any]) -> dict[str, Any]:
    """What `planner` decides on a message of `RemotePlanner`, as JSON.

    Raises:
        PlannerUnavailable: where that is not a decision on these memories.
        TypeError: where a field of it is not of its type.
    """
    question = _question(message)
    decision = question.decided_by(planner)
    check_decision(planner, message["decision"], decision, len(question.candidates))
    kind = "meant" if isinstance(decision, Meant) else "unsure"
    from_json(_ANSWERS[kind], asdict(decision))
    return {"kind": kind, **asdict(decision)}


def _question(message: Mapping[str, Any]) -> _Question:
    fields = dict(message)
    try:
        question = from_json(_QUESTIONS[fields.pop("decision")], fields)
    except (KeyError, TypeError):
        raise ValueError("no decision is asked for") from None
    if not question.candidates:
        raise ValueError("a decision on no memory is asked for")
    return question
