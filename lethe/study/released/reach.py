"""What cases of other authors can show of a hook: those that no hook can pass, and those that require nothing."""

from collections.abc import Iterator

from forgeteval.cases.case import Case


def reason_no_hook_passes(case: Case) -> str | None:
    """Why the strings of a case let no hook pass it, whatever it decides; None where they do not."""
    forbidden = [string.lower() for string in case.must_not_contain]
    stored = [mutation.text.lower() for mutation in case.mutations if mutation.text is not None]
    if stored and case.mutations[-1].text is not None and any(string in stored[-1] for string in forbidden):
        return "its last new fact, which is stored whatever is decided, holds a forbidden string"
    facts = [fact.lower() for fact in case.facts()]
    for required in map(str.lower, case.must_contain):
        holding = [fact for fact in facts if required in fact]
        if holding and all(_overlaps(fact, required, forbidden) for fact in holding):
            return "each fact with a required string has a forbidden one over the same words"
    return None


def requires_nothing(case: Case) -> bool:
    """Whether a store that returns nothing passes it."""
    return not case.must_contain


def _overlaps(fact: str, required: str, forbidden: list[str]) -> bool:
    taken = {at for string in forbidden for at in _places(fact, string)}
    return all(taken & set(range(start, start + len(required))) for start in _starts(fact, required))


def _places(text: str, string: str) -> Iterator[int]:
    for start in _starts(text, string):
        yield from range(start, start + len(string))


def _starts(text: str, string: str) -> list[int]:
    return [at for at in range(len(text)) if text.startswith(string, at)]
