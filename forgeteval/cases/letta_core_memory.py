"""Letta's `core_memory_update` (letta-evals): a store of ten facts, a fact that contradicts some, a question."""

from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from forgeteval.cases.case import Case, Mutation
from forgeteval.cases.interchange import CaseError, checked_text, checked_texts, read_json_lines

ONE_SPAN, REWORDED, SEVERAL = "one_span", "reworded", "several_facts"
"""Kinds of update: the new fact differs from the one that it replaces in a single run of words, in more than one, or it
replaces several facts."""
_EXTRA = ("facts", "contradicting_fact", "contradicting_answer", "supporting_fact_indices")


def read_letta(path: Path, suite: str) -> list[Case]:
    """The questions that can be scored without a judge: the new answer stands in the new fact and in none of the ten.

    The ten facts are inscribed, the contradicting fact supersedes by the question, which is then asked. The answer is
    required; the texts of the facts that are replaced are forbidden.

    Raises:
        CaseError: at the first line that is not of that form.
        UserError: where the file cannot be read.
    """
    seen: Counter[str] = Counter()
    cases = []
    for number, record in read_json_lines(path):
        kind, fields = _fields(record, f"{path}:{number}")
        if fields:
            seen[kind] += 1
            cases.append(Case(f"letta_{kind}_{seen[kind]:03}", suite, kind, **fields))
    return cases


def _fields(record: Any, where: str) -> tuple[str, dict[str, Any]]:
    """The kind of update and the case's fields; none where a judge would be needed."""
    try:
        asked, extra = record["input"], record["agent_args"]["extra"]
        stated, contradicting, answering, indices = (extra[name] for name in _EXTRA)
    except (KeyError, TypeError) as error:
        raise CaseError(where, "line", f"not a question of core_memory_update ({error!r:.200})") from error
    question, facts = checked_text(asked, "input", where), checked_texts(stated, "facts", where, at_least=1)
    new = checked_text(contradicting, "contradicting_fact", where).strip('"')
    answer = checked_text(answering, "contradicting_answer", where)
    if not isinstance(indices, list) or any(type(at) is not int or at not in range(len(facts)) for at in indices):
        raise CaseError(where, "supporting_fact_indices", f"must be a list of numbers below {len(facts)}")
    replaced = tuple(facts[index] for index in indices)
    scorable = answer.lower() in new.lower() and not any(answer.lower() in fact.lower() for fact in facts)
    fields = {
        "setup_facts": facts,
        "mutations": (Mutation("supersede", question, new),),
        "final_query": question,
        "must_contain": (answer,),
        "must_not_contain": replaced,
    }
    return _kind(replaced, new), fields if scorable else {}


def _kind(replaced: Sequence[str], new: str) -> str:
    if len(replaced) != 1:
        return SEVERAL
    old_words, new_words = (text.rstrip(".").split() for text in (replaced[0], new))
    matcher = SequenceMatcher(None, old_words, new_words, autojunk=False)
    changes = [tag for tag, *_ in matcher.get_opcodes() if tag != "equal"]
    return ONE_SPAN if len(changes) == 1 else REWORDED
