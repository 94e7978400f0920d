"""Blind sheets of end states: annotators see facts and requests alone, and write what becomes of each fact."""

import csv
import io
import random
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from forgeteval.cases.case import Case
from forgeteval.cases.states import GONE
from forgeteval.csv_cells import as_text
from forgeteval.errors import UserError
from forgeteval.files import write_text
from lethe.people.annotation.reading import filled_rows, shown_alike
from lethe.people.annotation.sample import item_name

_REQUESTS = "requests, in order"
COLUMNS = ("item", _REQUESTS, "number", "fact", "state", "what is left, if edited")
STATES = ("stays", "goes", "replaced", "edited")
"""What an annotator may write: nothing touches the fact; it was released or purged; a newer one took its place; a part
of it went."""
INSTRUCTIONS = (
    "The facts of a case are stored, then the requests are carried out in order by a perfect store; the new text of a "
    "supersede is stored too and is listed after the others. Write in the column `state` what has become of each fact "
    f"at the end: {', '.join(STATES)}. If it is edited, write what is left of it beside it. Work alone."
)


def draw_states_sample(cases: Sequence[Case], count: int, seed: int) -> list[Case]:
    """So many cases with states, of each category alike as far as there are enough, in random order."""
    generator, groups = random.Random(seed), defaultdict(list)
    for case in cases:
        if case.states is not None:
            groups[case.category].append(case)
    for group in groups.values():
        generator.shuffle(group)
    chosen: list[Case] = []
    while len(chosen) < count and any(groups.values()):
        chosen += [group.pop() for group in groups.values() if group]
    chosen = chosen[:count]
    generator.shuffle(chosen)
    return chosen


def write_states_sheet(path: Path, sample: Sequence[Case]) -> None:
    """Write an empty sheet as CSV, one row a fact; the name of an item hides the category of its case.

    Raises:
        UserError: where the file exists, or its ending is another.
    """
    if path.suffix != ".csv":
        raise UserError(f"{path}: a sheet of states is a .csv file; give it that ending")
    if path.exists():
        raise UserError(f"{path}: exists and may be filled in; name another file")
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for case in sample:
        for number, shown in enumerate(_shown(case), start=1):
            cells = (item_name(case), shown[_REQUESTS], str(number), shown["fact"], "", "")
            writer.writerow([as_text(cell) for cell in cells])
    # Spreadsheet programs recognise UTF-8 in a CSV file by its byte order mark.
    write_text(path, "\ufeff" + stream.getvalue())


def read_states_sheet(path: Path, cases: Mapping[str, Case]) -> dict[tuple[str, int], str]:
    """What an annotator wrote: (case, number of the fact from 0) to its state.

    Raises:
        UserError: where the file is not such a sheet, a row is left out or empty, facts or requests are not those of
            the case, or a state is none of `STATES`.
    """
    written: dict[tuple[str, int], str] = {}
    shown: dict[tuple[str, int], dict[str, str]] = {}
    for row, cells in filled_rows(path, COLUMNS[:5], COLUMNS):
        place, state = _stated(f"{path}: row {row}", cells)
        if place in written:
            raise UserError(f"{path}: fact {place[1] + 1} of {place[0]} has two rows; remove one")
        written[place], shown[place] = state, cells
    if not written:
        raise UserError(f"{path}: has no row; fill in the whole sheet")
    items = {item_name(case): case for case in cases.values()}
    found: dict[tuple[str, int], str] = {}
    for item in dict.fromkeys(item for item, _ in written):
        if item not in items:
            raise UserError(
                f"{path}: {item} is not a case of the suite as worded now; name the suite that the sheet was made "
                "from, or write a new sheet"
            )
        case = items[item]
        own = {(item, number): texts for number, texts in enumerate(_shown(case))}
        for place in own:
            if place not in written:
                raise UserError(f"{path}: fact {place[1] + 1} of {item} has no row; fill in the whole sheet")
        for _, number in (place for place in written if place[0] == item):
            if (item, number) not in own:
                raise UserError(f"{path}: {item} has no fact {number + 1}; remove that row")
            for name, text in own[item, number].items():
                if not shown_alike(shown[item, number][name], text):
                    raise UserError(
                        f"{path}: fact {number + 1} of {item}: column {name!r} is another than in the suite; states "
                        "may have moved, fill in a new sheet"
                    )
            found[case.case_id, number] = written[item, number]
    return found


def written_states(case: Case) -> list[frozenset[str]]:
    """What an annotator may rightly write of each fact of a case with states."""
    of_fact: dict[int, set[str]] = defaultdict(set)
    for state in case.states or ():
        of_fact[state.fact].add(state.state)
    return [_right(of_fact[number]) for number in range(len(case.facts()))]


def _right(states: set[str]) -> frozenset[str]:
    if "either" in states:
        return frozenset(("stays", "goes", "replaced"))
    if "stays" in states:
        return frozenset(("edited",)) if states & set(GONE) else frozenset(("stays",))
    return frozenset(("replaced",)) if "replaced" in states else frozenset(("goes",))


def _stated(where: str, cells: Mapping[str, str]) -> tuple[tuple[str, int], str]:
    """Item and number of a row's fact, from 0, and its state."""
    item, number, state = cells["item"], cells["number"], cells["state"].lower()
    if not re.fullmatch(r"-?\d{1,4}", number):
        raise UserError(f"{where}: number {number!r:.80}; restore that of the fact")
    if state not in STATES:
        wrong = f"state {state!r:.80}" if state else "no state"
        raise UserError(f"{where}: fact {number} of {item}: {wrong}; write {', '.join(STATES)}")
    return (item, int(number) - 1), state


def _shown(case: Case) -> Iterator[dict[str, str]]:
    """What the row of each fact shows, by column; the requests stand beside the first."""
    requests = "\n".join(_listed(case))
    for number, fact in enumerate(case.facts()):
        yield {_REQUESTS: "" if number else requests, "fact": fact}


def _listed(case: Case) -> Iterator[str]:
    for number, mutation in enumerate(case.mutations, start=1):
        new = "" if mutation.text is None else f"\n   new: {mutation.text}"
        yield f"{number}. {mutation.op}: {mutation.query}{new}"
