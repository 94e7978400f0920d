"""How many memories a hook chose, beside how many were meant: what a model that errs does wrong."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from forgeteval.cases.case import Case
from lethe.parquet import Row

_CHOSEN = re.compile(r"(purge|release): (\d+) of (\d+) memories(?:, (\d+) in part)?")


def hook_choice_rows(cases: Sequence[Case], trials: Iterable[Row]) -> list[dict[str, Any]]:
    """Rows of `lethe.schemas.HOOK_CHOICES`.

    Counted are the cases with one mutation, a purge or a release, and known gold rows: there the memories meant are the
    facts that a perfect memory no longer holds.
    """
    meant = {case.case_id: found for case in cases if (found := _meant(case)) is not None}
    groups: dict[tuple[str, str, str, str], list[tuple[int, int, int]]] = defaultdict(list)
    undecided: dict[tuple[str, str, str, str], int] = defaultdict(int)
    for trial in trials:
        if trial["case_id"] not in meant or not trial["decisions"]:
            continue
        operation = trial["decisions"][0].partition(":")[0]
        key = (trial["suite"], trial["system"], trial["model"], operation)
        decided = _CHOSEN.match(trial["decisions"][0])
        if decided is None:
            undecided[key] += 1
        else:
            chosen, shown, partly = (int(decided[group] or 0) for group in (2, 3, 4))
            groups[key].append((chosen + partly, meant[trial["case_id"]], shown))
    return [_row(key, groups[key], undecided[key]) for key in sorted({*groups, *undecided})]


def _meant(case: Case) -> int | None:
    if len(case.mutations) != 1 or case.mutations[0].op == "supersede" or case.gold_rows is None:
        return None
    # A fact that stays in part counts too: it is not a gold row as it stands.
    return sum(fact not in case.gold_rows for fact in case.setup_facts)


def _row(key: tuple[str, str, str, str], counts: Sequence[tuple[int, int, int]], undecided: int) -> dict[str, Any]:
    suite, system, model, operation = key
    return {
        "suite": suite,
        "system": system,
        "model": model,
        "operation": operation,
        "decisions": len(counts),
        "undecided": undecided,
        "chosen": sum(chosen for chosen, _, _ in counts),
        "meant": sum(meant for _, meant, _ in counts),
        "shown": sum(shown for _, _, shown in counts),
        "as_many": sum(chosen == meant for chosen, meant, _ in counts),
        "fewer": sum(chosen < meant for chosen, meant, _ in counts),
        "more": sum(chosen > meant for chosen, meant, _ in counts),
        "every": sum(chosen == shown > meant for chosen, meant, shown in counts),
    }
