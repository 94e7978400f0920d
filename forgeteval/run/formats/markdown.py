"""A summary in Markdown for the page of a CI's run; what a store returned is text there, never markup."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from forgeteval.errors import describe_os_error, printable
from forgeteval.run.formats.told import in_full, why
from forgeteval.run.results import Rate, Results
from forgeteval.run.shown import MEANINGS, controls_line, counts_line, first_error, headline

_MOST_FAILED = 10
_MOST_CHARACTERS = 6000
"""Of a block; GitHub takes 1 MiB in all."""
_MARKUP = re.compile(r"[\\`*_\[\]<>#|~&@:$]|(?<=www)\.", re.IGNORECASE)
"""What means something in the middle of a line, links without brackets included."""


def append_summary(results: Results, path: Path) -> None:
    """Append the summary to a file.

    Raises:
        UserError: where it cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8", newline="\n") as stream:
            stream.write(summary(results))
    except OSError as error:
        raise describe_os_error(error, f"writing {path}") from error


def summary(results: Results) -> str:
    """Score, categories, facts, controls, notes, the first error, and cases that are failed."""
    blocks = [
        [f"## ForgetEval: {inline(headline(results))}"],
        [*_rates("category", "passed", [*results.by_category().items(), ("all", results.rate)])],
        [*_facts(results.facts())],
        [inline(counts_line(results))],
        [inline(controls_line(results.controls))] if results.controls else [],
        [f"- note: {inline(note)}" for note in results.notes],
        [*_first_error(results)],
        [*_failed(results)],
    ]
    return "\n\n".join("\n".join(block) for block in blocks if any(block)) + "\n\n"


def inline(text: str) -> str:
    r"""Text that means nothing in Markdown, for the middle of a line.

    >>> print(inline("<b>*not bold*</b> | @nobody"))
    \<b\>\*not bold\*\</b\> \| \@nobody
    """
    return _MARKUP.sub(r"\\\g<0>", printable(text))


def fenced(text: str) -> str:
    """A block of text that shows as it is; its fence is longer than any in the text."""
    if len(text) > _MOST_CHARACTERS:
        text = text[:_MOST_CHARACTERS] + "\n…"
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{text}\n{fence}"


def _rates(first: str, counted: str, rates: Iterable[tuple[str, Rate]]) -> Iterator[str]:
    yield from _table([first, counted, "%", "95 % interval"], "-rrr")
    for name, rate in rates:
        yield f"| {inline(name)} | {_cells(rate)} |"


def _facts(rates: Mapping[str, Rate]) -> Iterator[str]:
    if rates:
        yield from _table(["facts", "wrong", "%", "95 % interval", ""], "-rrr-")
    for name, rate in rates.items():
        yield f"| {name} | {_cells(rate)} | {MEANINGS[name]} |"


def _table(titles: Sequence[str], alignments: str) -> Iterator[str]:
    yield f"| {' | '.join(titles)} |"
    yield f"|{'|'.join('---:' if alignment == 'r' else '---' for alignment in alignments)}|"


def _cells(rate: Rate) -> str:
    return f"{rate.count} of {rate.total} | {100 * rate.share:.0f} | {100 * rate.low:.0f} to {100 * rate.high:.0f}"


def _first_error(results: Results) -> Iterator[str]:
    lines = [printable(line) for line in first_error(results)]
    if lines:
        yield fenced("\n".join(lines))


def _failed(results: Results) -> Iterator[str]:
    failures = results.failures()
    if not failures:
        return
    shown = failures[:_MOST_FAILED]
    which = f"the first {len(shown)} of {len(failures)}" if len(shown) < len(failures) else f"{len(failures)}"
    yield f"<details><summary>Failed cases: {which}</summary>"
    for case, trial in shown:
        yield from ("", f"Case {inline(case.case_id)}: {inline(why(trial))}", "", fenced(in_full(case, trial)))
    yield from ("", "</details>")
