"""The five lines. Every number of theirs is that of a cell; words that judge are chosen by comparing cells."""

from collections.abc import Callable, Mapping, Sequence

from lethe.errors import LetheError
from lethe.findings.sheet import Line, Sheet
from lethe.tables.table import Table

Sheets = Mapping[str, Sheet]
_RATES = ("leak", "collateral")
_CONTROLS = ("null", "nuke", "verbatim", "frozen", "oracle")


def five_lines(tables: Mapping[str, Table], *, partial: bool = False) -> list[str]:
    """What was measured, what stores lose, what hooks do, what published passes are worth, what lasts.

    Args:
        tables: by name, those of `TOPICS`.
        partial: let a line whose table was not run say so, in place of an error.

    Raises:
        LetheError: where a table, a column or a number is lacking.
    """
    return [f"**{topic}.** {line_of(topic, tables, partial=partial)}" for topic in TOPICS]


def line_of(topic: str, tables: Mapping[str, Table], *, partial: bool = False) -> str:
    """One of the lines, without its topic; arguments and errors as of `five_lines`."""
    needed = TOPICS[topic]
    missing = [name for name in needed if name not in tables]
    if missing:
        raise LetheError(f"tables {', '.join(missing)}: missing; this finding needs {', '.join(needed)}")
    sheets = {name: Sheet(tables[name]) for name in needed}
    absent = {name: sheet.absent for name, sheet in sheets.items() if sheet.absent}
    if absent and not partial:
        name, reason = next(iter(absent.items()))
        raise LetheError(f"table {name}: {reason}; run it, or let the line say so by --partial")
    return "; ".join(dict.fromkeys(absent.values())) or _LINES[topic][1](sheets)


def _measured(sheets: Sheets) -> str:
    controls, states = sheets["controls"], sheets["states"]
    suites = [
        line
        for section in controls.table.sections
        for line in section
        if controls.cell(line, "scorer").text == "substring" and any(cell.count for cell in line)
    ]
    cases = sum(max(cell.count or 0 for cell in line) for line in suites)
    systems = [line for line in states.table.sections[0] if states.cell(line, "pass").state in ("measured", "N/A")]
    total = states.count(next(states.measured(1, "pass")), "pass")
    passed = {line[0].text: f"{states.value(line, 'pass'):.0f}" for line in states.measured(1, "pass")}
    shown = ", ".join(f"{name} {passed[name]}" for name in _CONTROLS if name in passed)
    return (
        f"{cases:,} cases in {len(suites)} suites; on the {total} adversarial ones {len(systems)} configurations of "
        f"memory stores, with and without a hook, and {len(passed)} controls. The controls pass of these: {shown}."
    )


def _stores(sheets: Sheets) -> str:
    states, regimes = sheets["states"], _regimes(sheets)
    lines = list(states.measured(0, "pass", *_RATES))
    facts = max(states.count(line, "leak") for line in lines)
    known = [
        line for line in lines if regimes.get(line[0].text) == "deterministic" and states.count(line, "leak") == facts
    ]
    if not known:
        raise LetheError(
            "tables adversarial, adversarial_extended: no deterministic store with a verdict on every fact"
        )
    best = max(known, key=lambda line: states.value(line, "pass"))
    least = min(known, key=lambda line: states.value(line, "leak"))
    told = (
        f"Of {len(known)} deterministic stores with a verdict on every fact, {best[0].text} passes most of the "
        f"adversarial cases, {_passes(states, best, 'pass')}: it still recalls {_rate(states, best, 'leak')} of what "
        f"was released or purged, and loses {_rate(states, best, 'collateral')} of what had to stay."
    )
    if least is best:
        return f"{told} No other one recalls less."
    return (
        f"{told} {least[0].text} recalls least, {_rate(states, least, 'leak')}, and loses "
        f"{_rate(states, least, 'collateral')}."
    )


def _regimes(sheets: Sheets) -> dict[str, str]:
    found = {}
    for name in ("adversarial", "adversarial_extended"):
        sheet = sheets[name]
        found.update({line[0].text: sheet.cell(line, "regime").text.casefold() for line in sheet.table.rows()})
    return found


def _hooks(sheets: Sheets) -> str:
    sizes = sheets["model_size"]
    section = next((at for at, part in enumerate(sizes.table.sections) if len(part) > 1), 0)
    plain, *hooked = sizes.measured(section, "passed", "leaks", "collateral")
    by_size = {sizes.cell(line, "parameters").text: line for line in reversed(hooked)}
    by_size = {size: by_size[size] for size in reversed(by_size) if size[:1].isdigit() and size != "0"}
    if not by_size:
        raise LetheError("table model_size: no row of a hook with a chat model in its first section")
    largest = list(by_size.values())[-1]
    passed = ", ".join(f"{sizes.value(line, 'passed'):.0f} with {size}" for size, line in by_size.items())
    store = plain[0].text.rsplit(": ", 1)[-1]
    own = sizes.value(plain, "passed")
    worse = all(sizes.value(line, "passed") < own for line in by_size.values())
    return (
        f"A small chat model, asked before each mutation (recorded answers){', makes it worse' if worse else ''}: of "
        f"{sizes.count(plain, 'passed')} cases {store} passes {own:.0f} without one, {passed} parameters; with the "
        f"largest, leaks go from {sizes.value(plain, 'leaks'):.0f} cases to {sizes.value(largest, 'leaks'):.0f}, "
        f"losses from {sizes.value(plain, 'collateral'):.0f} to {sizes.value(largest, 'collateral'):.0f}. "
        f"{_matcher(sheets)}"
    )


def _matcher(sheets: Sheets) -> str:
    held_out = sheets["states_held_out"]
    lines = {line[0].text: line for line in held_out.measured(0, "pass", *_RATES)}
    matched = [name for name in lines if name.endswith("+matcher") and name.removesuffix("+matcher") in lines]
    if not matched:
        raise LetheError("table states_held_out: no row of a store with and without the matcher")
    best = max(matched, key=lambda name: held_out.value(lines[name], "pass"))
    plain = best.removesuffix("+matcher")
    return (
        f"A planner that asks no model, on held-out cases: {best} passes {_passes(held_out, lines[best], 'pass')}, "
        f"{plain} alone {held_out.value(lines[plain], 'pass'):.0f}."
    )


def _worth(sheets: Sheets) -> str:
    worth = sheets["pass_worth"]
    heads = ("all cases", "no control passes")
    runs = [
        line for line in worth.measured(0, *heads) if all(worth.cell(line, head).state == "published" for head in heads)
    ]
    if not runs:
        raise LetheError("table pass_worth: no published run in its first section")
    cases, hard = (max(worth.count(line, head) for line in runs) for head in heads)
    spans = [_span([100 * worth.value(line, head) / worth.count(line, head) for line in runs]) for head in heads]
    return (
        f"No control passes {hard} of the {cases} cases that the paper's authors released. On these the {len(runs)} "
        f"published runs pass {spans[1]}; on all cases, {spans[0]}."
    )


def _lasting(sheets: Sheets) -> str:
    long, erasure = sheets["long"], sheets["erasure"]
    told = []
    for head, what in (
        ("own text", "of what was released or purged comes back"),
        ("collateral", "of what holds is lost"),
    ):
        lines = list(long.measured(0, head))
        low, high = (ends(lines, key=lambda line: long.value(line, head)) for ends in (min, max))
        told.append(f"{_rate(long, low, head)} ({low[0].text}) to {_rate(long, high, head)} ({high[0].text}) {what}")
    controls = {line[0].text for line in sheets["states"].table.sections[-1]}
    verdicts = [
        erasure.cell(line, "a3").text.split(" ")[0]
        for line in erasure.table.sections[-1]
        if line[0].text not in controls and erasure.cell(line, "a3").state == "measured"
    ]
    if not verdicts:
        raise LetheError("table erasure: no system with a verdict at level A3")
    return (
        f"In histories of hundreds of facts, by system, {' and '.join(told)}. After a purge, "
        f"{verdicts.count('gone')} of {len(verdicts)} systems have nothing of it left in their files."
    )


def _passes(sheet: Sheet, line: Line, head: str) -> str:
    part, whole = sheet.value(line, head), sheet.count(line, head)
    return f"{part:.0f} of {whole} ({100 * part / whole:.0f} %)"


def _rate(sheet: Sheet, line: Line, head: str) -> str:
    return f"{sheet.value(line, head):.0f} %"


def _span(percents: Sequence[float]) -> str:
    return f"{min(percents):.0f} to {max(percents):.0f} %"


_LINES: dict[str, tuple[Sequence[str], Callable[[Sheets], str]]] = {
    "What was measured": (("controls", "states"), _measured),
    "Stores alone": (("states", "adversarial", "adversarial_extended"), _stores),
    "Hooks": (("model_size", "states_held_out"), _hooks),
    "What published passes are worth": (("pass_worth",), _worth),
    "What lasts": (("long", "erasure", "states"), _lasting),
}
TOPICS: Mapping[str, Sequence[str]] = {topic: needed for topic, (needed, _) in _LINES.items()}
"""The tables that each line is made of."""
NEEDED = tuple(dict.fromkeys(name for needed in TOPICS.values() for name in needed))
