"""The five lines. Every number of theirs is that of a cell; words that judge are chosen by comparing cells."""

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import replace

from forgeteval.errors import UserError
from lethe.findings.sheet import Line, Sheet
from lethe.tables.table import Table

Sheets = Mapping[str, Sheet]
EXTERNAL = "Published, external"
"""Label of the suite of the cases by outside authors."""
_RATES = ("leak", "collateral")
_LEFT_OUT = ("suite_published_external", "twins", "adversarial_extended")
"""Tables whose part of a line is left out where they are missing or were not run."""
_NO_MODEL = ("deterministic", "vec-only")
"""Regimes in which nothing but the store decides."""
_CONTROLS = ("null", "nuke", "verbatim", "frozen", "oracle")


def five_lines(tables: Mapping[str, Table], *, partial: bool = False) -> list[str]:
    """What was measured, what stores lose, what hooks do, what published passes are worth, what lasts.

    Args:
        tables: by name, those of `TOPICS`.
        partial: let a line whose table was not run say so, in place of an error.

    Raises:
        UserError: where a table, a column or a number is lacking.
    """
    return [f"**{topic}.** {line_of(topic, tables, partial=partial)}" for topic in TOPICS]


def line_of(topic: str, tables: Mapping[str, Table], *, partial: bool = False) -> str:
    """One of the lines, without its topic; arguments and errors as of `five_lines`."""
    tables = _parted(tables)
    needed = [name for name in TOPICS[topic] if name in tables or name not in _LEFT_OUT]
    missing = [name for name in needed if name not in tables]
    if missing:
        raise UserError(f"tables {', '.join(missing)}: missing; this finding needs {', '.join(needed)}")
    sheets = {name: Sheet(tables[name]) for name in needed}
    absent = {name: sheet.absent for name, sheet in sheets.items() if sheet.absent and name not in _LEFT_OUT}
    if absent and not partial:
        name, reason = next(iter(absent.items()))
        raise UserError(f"table {name}: {reason}; run it, or let the line say so by --partial")
    return "; ".join(dict.fromkeys(absent.values())) or _LINES[topic][1](sheets)


def _parted(tables: Mapping[str, Table]) -> Mapping[str, Table]:
    """The tables with those of one suite that findings read, as parts of the tables over suites."""
    parts = dict(tables)
    states, suites = tables.get("states"), tables.get("suites_by_category")
    if states and len(states.sections) > 2:
        parts["states_held_out"] = replace(states, name="states_held_out", sections=states.sections[2:])
    for section in suites.sections if suites else ():
        if section[0][0].text == EXTERNAL and suites:
            rows = [row[1:] for row in section]
            parts["suite_published_external"] = replace(suites, header=suites.header[1:], sections=[rows])
    return parts


def _measured(sheets: Sheets) -> str:
    controls, states = sheets["controls"], sheets["states"]
    suites = [
        line
        for section in controls.table.sections
        for line in section
        if controls.cell(line, "scorer").text == "substring" and any(cell.count for cell in line)
    ]
    systems = list(states.measured(0, "pass"))
    total = states.count(next(states.measured(1, "pass")), "pass")
    passed = {line[0].text: f"{states.value(line, 'pass'):.0f}" for line in states.measured(1, "pass")}
    shown = ", ".join(f"{name} {passed[name]}" for name in _CONTROLS if name in passed)
    silent = sum(states.cell(line, "pass").text == "N/A" for line in states.table.sections[0])
    more = f" (beside {silent} that are N/A on every case)" if silent else ""
    return (
        f"{len(systems)} configurations of memory stores, with and without a hook{more}, on this project's {total} "
        f"adversarial cases, some of them on further suites ({len(suites)} in all). Of the adversarial cases the "
        f"{len(passed)} controls pass: {shown}."
    )


def _stores(sheets: Sheets) -> str:
    states, held_out, regimes = sheets["states"], sheets["states_held_out"], _regimes(sheets)
    known = [line for line in _complete(states) if regimes.get(line[0].text) in _NO_MODEL]
    if not known:
        raise UserError(
            "tables adversarial, adversarial_extended: no store without hook and model with a verdict on every fact"
        )
    names = {line[0].text for line in known}
    unseen = [line for line in held_out.measured(0, "pass") if line[0].text in names]
    passed = f"{_ends(states, known, 'pass', '')} of {states.count(known[0], 'pass')}"
    if unseen:
        passed += f", {_ends(held_out, unseen, 'pass', '')} of {held_out.count(unseen[0], 'pass')} held-out ones"
    leak, lost = (_ends(states, known, rate, " %") for rate in _RATES)
    best, cases = max(states.value(line, "pass") for line in known), states.count(known[0], "pass")
    return (
        f"{'None passes' if 2 * best < cases else 'Some pass'} half of the adversarial cases: "
        f"{len(known)} configurations with neither hook nor model, no case N/A and no caveat{_unlike(sheets, names)} "
        f"pass {passed}. Of what was released or purged in the adversarial cases they still recall {leak}; of what had "
        f"to stay they lose {lost} (95 % intervals in brackets)."
    )


def _complete(states: Sheet) -> list[Line]:
    """The rows of systems with a verdict on every fact, so that no case is N/A, and without a caveat."""
    lines = [line for line in states.measured(0, "pass", *_RATES) if not line[0].note]
    facts = [max((states.count(line, rate) for line in lines), default=0) for rate in _RATES]
    return [line for line in lines if [states.count(line, rate) for rate in _RATES] == facts]


def _by_category(sheets: Sheets) -> Iterator[tuple[Sheet, Line]]:
    for name in filter(sheets.__contains__, ("adversarial", "adversarial_extended")):
        yield from ((sheets[name], line) for line in sheets[name].table.rows())


def _regimes(sheets: Sheets) -> dict[str, str]:
    return {line[0].text: sheet.cell(line, "regime").text.casefold() for sheet, line in _by_category(sheets)}


def _unlike(sheets: Sheets, names: Set[str]) -> str:
    """How many of the rows of these systems differ in a count of a category; nothing where all do."""
    counts = {
        line[0].text: tuple((cell.value, cell.count) for cell in line if cell.count)
        for sheet, line in _by_category(sheets)
        if line[0].text in names
    }
    different = len(set(counts.values()))
    return f" ({different} different rows by category)" if different < len(counts) else ""


def _hooks(sheets: Sheets) -> str:
    sizes = sheets["model_size"]
    suite = sizes.table.sections[0][0][0].text.partition(": ")[0]
    stores = [
        list(sizes.measured(at, "passed"))
        for at, section in enumerate(sizes.table.sections)
        if len(section) > 1 and section[0][0].text.startswith(f"{suite}: ")
    ]
    alone = [lines[0] for lines in stores]
    by_size: dict[str, dict[str, Line]] = {}
    for plain, *hooked in stores:
        for line in reversed(hooked):
            by_size.setdefault(sizes.cell(line, "parameters").text, {})[plain[0].text] = line
    by_size = {size: by_size[size] for size in reversed(by_size) if size[:1].isdigit() and size != "0"}
    if not by_size:
        raise UserError("table model_size: no row of a hook with a chat model in its first section")
    own = {plain[0].text: sizes.value(plain, "passed") for plain in alone}
    gains = [sizes.value(line, "passed") - own[store] for lines in by_size.values() for store, line in lines.items()]
    worse, better = sum(gain < 0 for gain in gains), sum(gain > 0 for gain in gains)
    passed = ", ".join(
        f"{_low_to_high(sizes, list(lines.values()), 'passed')} with {size}" for size, lines in by_size.items()
    )
    return (
        f"A small chat model, asked before each mutation (recorded answers), {_helps(worse, better)}: with it {worse} "
        f"of {len(gains)} pairs of store and model pass fewer cases than the store alone, {better} more. Of "
        f"{sizes.count(alone[0], 'passed')} adversarial cases {len(alone)} stores pass "
        f"{_low_to_high(sizes, alone, 'passed')} without one, {passed} parameters. {_matcher(sheets)}"
    )


def _helps(worse: int, better: int) -> str:
    if worse == better:
        return "harms as often as it helps"
    return "mostly harms" if worse > better else "mostly helps"


def _matcher(sheets: Sheets) -> str:
    """With and without the matcher, the same store on cases of this project, of others, and on twins."""
    told = []
    plain = ""
    for name, head, what in (
        ("states_held_out", "pass", "held-out cases, written in this house,"),
        ("suite_published_external", "all", "cases by outside authors"),
        ("twins", "twin", "twins, requests for what is not stored,"),
    ):
        sheet = sheets.get(name)
        if sheet is None or sheet.absent:
            continue
        lines = {line[0].text: line for section in sheet.table.sections for line in section}
        plain = plain or next((known for known in lines if f"{known}+matcher" in lines), "")
        if not plain:
            raise UserError(f"table {name}: no row of a store with and without the matcher")
        if plain in lines and f"{plain}+matcher" in lines:
            own, hooked = (sheet.value(lines[name], head) for name in (plain, f"{plain}+matcher"))
            told.append(f"of {sheet.count(lines[plain], head)} {what} {own:.0f} and {hooked:.0f}{_beside(sheet, head)}")
    return f"A planner that asks no model, {plain} without and with it: {'; '.join(told)}."


def _beside(sheet: Sheet, head: str) -> str:
    """The control that passes most, where one that knows no answer passes any."""
    known = [line for line in sheet.table.rows() if line[0].text in _CONTROLS[:-1]]
    passed = {line[0].text: sheet.cell(line, head).value or 0.0 for line in known}
    best = max(passed, key=passed.__getitem__, default="")
    return f" (the control {best}: {passed[best]:.0f})" if best and passed[best] else ""


def _worth(sheets: Sheets) -> str:
    worth = sheets["pass_worth"]
    heads = ("all cases", "no control passes")
    runs = [
        line for line in worth.measured(0, *heads) if all(worth.cell(line, head).state == "published" for head in heads)
    ]
    if not runs:
        raise UserError("table pass_worth: no published run in its first section")
    cases, hard = (max(worth.count(line, head) for line in runs) for head in heads)
    spans = [_span([100 * worth.value(line, head) / worth.count(line, head) for line in runs]) for head in heads]
    return (
        f"{hard} of the {cases} cases that the paper's authors released are passed by no control. On these the "
        f"{len(runs)} published runs pass {spans[1]}; on all {cases}, {spans[0]}."
    )


def _lasting(sheets: Sheets) -> str:
    long, erasure = sheets["long"], sheets["erasure"]
    complete = {line[0].text for line in _complete(sheets["states"])}
    lines = [line for line in long.measured(0, "own text", "collateral") if line[0].text in complete]
    if not lines:
        raise UserError("table long: no system that has a verdict on every fact in table states")
    leak, lost = (_ends(long, lines, head, " %") for head in ("own text", "collateral"))
    controls = {line[0].text for line in sheets["states"].table.sections[-1]}
    audited = [
        line
        for line in erasure.table.sections[-1]
        if line[0].text not in controls and erasure.cell(line, "a3").state == "measured"
    ]
    if not audited:
        raise UserError("table erasure: no system with a verdict at level A3")
    gone = [line[0].text for line in audited if erasure.cell(line, "a3").text.startswith("gone")]
    named = f" ({', '.join(gone)})" if gone else ""
    cases = max(erasure.count(line, "a3") for line in audited)
    memories = erasure.value(audited[0], "memories")
    told, held = (max(long.count(line, head) for line in lines) for head in ("own text", "collateral"))
    return (
        f"In histories of hundreds of facts, of {told} that were released or purged {leak} are recalled when asked for "
        f"by their own text, and of {held} that hold {lost} are not, by the {len(lines)} configurations of which no "
        f"adversarial case is N/A. After a purge by a memory's own words, {len(gone)} of the {len(audited)} systems "
        f"whose files were searched{named} have nothing of it left in them (tried on {cases} cases, among "
        f"{memories:.0f} memories each)."
    )


def _ends(sheet: Sheet, lines: Sequence[Line], head: str, unit: str) -> str:
    """The least and the most of rows, with the systems they are of; a rate as its table shows it."""
    low, high = (ends(lines, key=lambda line: sheet.value(line, head)) for ends in (min, max))

    def shown(line: Line) -> str:
        if unit:
            rate, *interval = sheet.cell(line, head).text.split(" ", 1)
            return f"{rate}{unit} {interval[0]}" if interval else f"{sheet.value(line, head):.0f}{unit}"
        return f"{sheet.value(line, head):.0f}"

    return f"{shown(low)} ({low[0].text}) to {shown(high)} ({high[0].text})"


def _low_to_high(sheet: Sheet, lines: Sequence[Line], head: str) -> str:
    low, high = (ends(sheet.value(line, head) for line in lines) for ends in (min, max))
    return f"{low:.0f}" if low == high else f"{low:.0f} to {high:.0f}"


def _span(percents: Sequence[float]) -> str:
    return f"{min(percents):.0f} to {max(percents):.0f} %"


_LINES: dict[str, tuple[Sequence[str], Callable[[Sheets], str]]] = {
    "What was measured": (("controls", "states"), _measured),
    "Stores alone": (("states", "states_held_out", "adversarial", "adversarial_extended"), _stores),
    "Hooks": (("model_size", "states_held_out", "suite_published_external", "twins"), _hooks),
    "What published passes are worth": (("pass_worth",), _worth),
    "What lasts": (("long", "erasure", "states"), _lasting),
}
TOPICS: Mapping[str, Sequence[str]] = {topic: needed for topic, (needed, _) in _LINES.items()}
"""The tables that each line is made of."""
_WHOLE = {
    "states_held_out": "states",
    "suite_published_external": "suites_by_category",
    "adversarial_extended": "adversarial",
}
NEEDED = tuple(dict.fromkeys(name for needed in TOPICS.values() for name in needed))
KEPT_TABLES = tuple(dict.fromkeys(_WHOLE.get(name, name) for name in NEEDED))
"""The tables of a run that hold these."""
