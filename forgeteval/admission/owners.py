"""Stage 1 of admission for cases with owners: everybody who asks owns something, and sees nothing that is not his."""

from collections.abc import Iterator

from forgeteval.admission.rejection import Rejection
from forgeteval.cases.case import Case


def owner_rejections(case: Case) -> Iterator[Rejection]:
    """Yield every reason against the owners of a case, if it has any."""
    if case.owners is None:
        return
    known = {name for own in case.owners for name in own}
    for name in dict.fromkeys((*case.asked_by, case.asker or "")):
        if name not in known:
            yield Rejection(case.case_id, "unknown-owner", f"{name!r} asks, but owns no setup fact")
    own = {fact for fact, names in zip(case.setup_facts, case.owners, strict=True) if case.asker in names}
    for memory in case.gold_rows or ():
        if memory in case.setup_facts and memory not in own:
            yield Rejection(case.case_id, "gold-of-another", f"{memory!r} is in gold_rows, but not {case.asker}'s")
