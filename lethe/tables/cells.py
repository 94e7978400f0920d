"""The cells of every table: what is printed of a number, a share, an interval, or where there is none."""

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal

from lethe.parquet import Row
from lethe.study.published import Published, PublishedNumber
from lethe.study.results import Score
from lethe.tables.table import Cell
from lethe.tables.words import words, words_within

_NOTHING = "–"
BLANK = Cell("", "blank")
DASH = Cell(_NOTHING, "blank")
NOT_RUN = Cell("not run", "not run")


def label(text: str, note: str = "") -> Cell:
    """A name: of a row, a suite, a category."""
    return Cell(text, note=note)


def labels(*texts: str) -> list[Cell]:
    """Several names."""
    return [Cell(text) for text in texts]


def named(name: str, after: str = "") -> Cell:
    """A machine name in words: of a category, a part, a regime."""
    return Cell(f"{words(name)}{after}", name=name)


def not_run(reason: str) -> Cell:
    """Why there is no number; `reason` says "not run" where that is what happened."""
    return Cell(reason, "not run")


def not_run_row(reason: str, width: int) -> list[Cell]:
    """A row of `width` cells of which the first says why there is no number."""
    return [not_run(reason), *[BLANK] * (width - 1)]


def text(shown: str) -> Cell:
    """A measured finding that is not a number."""
    return Cell(shown, "measured") if shown else BLANK


def count(number: int) -> Cell:
    """A whole number."""
    return Cell(str(number), "measured", number)


def counts_by_name(counts: Mapping[str, int]) -> Cell:
    """Several names, each with its number."""
    return text(", ".join(f"{words_within(name)} {number}" for name, number in counts.items()))


def number(value: float | None, digits: int, n: int | None = None) -> Cell:
    """A number with so many decimals; a dash where there is none."""
    return DASH if value is None else Cell(f"{value:.{digits}f}", "measured", value, n)


def significant(value: float, unit: str) -> Cell:
    """A number with four significant digits and its unit."""
    return Cell(f"{value:.4g}{unit}", "measured", value)


def percent(share: float | None, digits: int = 1, n: int | None = None) -> Cell:
    """A share from 0 to 1, in percent."""
    return number(None if share is None else 100 * share, digits, n)


def points(difference: float) -> Cell:
    """A difference of shares in whole percentage points, with its sign."""
    return Cell(_minus(f"{round(100 * difference):+d}"), "measured", 100 * difference)


def points_with_interval(difference: float, low: float, high: float) -> Cell:
    """A difference of shares in percentage points with its 95 % interval."""
    value, *ends = (100 * part for part in (difference, low, high))
    shown = (f"{part:+.1f}" for part in (value, *ends))
    return Cell(_minus("{} [{}, {}]".format(*shown)), "measured", value, low=ends[0], high=ends[1])


def signed(value: float | None, digits: int | None) -> Cell:
    """A difference with its sign: so many decimals, or three significant digits."""
    return BLANK if value is None else Cell(_signed(value, digits), "measured", value)


def signed_interval(low: float | None, high: float | None, digits: int | None) -> Cell:
    """The ends of an interval of a difference, as `signed` prints them."""
    if low is None or high is None:
        return BLANK
    return Cell(f"[{_signed(low, digits)}, {_signed(high, digits)}]", "measured", low=low, high=high)


def interval(low: float | None, high: float | None, digits: int = 1) -> Cell:
    """The ends of an interval; a dash where there is none."""
    if low is None or high is None:
        return DASH
    return Cell(f"[{low:.{digits}f}, {high:.{digits}f}]", "measured", low=low, high=high)


def ends_of(score: Row, digits: int = 1) -> Cell:
    """The interval of a score's rate, in percent; a dash where no case of it came to a verdict."""
    if score["na"] + score["errors"] == score["cases"]:
        return DASH
    return interval(100 * score["wilson_low"], 100 * score["wilson_high"], digits)


def with_interval(value: float | None, low: float | None, high: float | None, n: int) -> Cell:
    """A coefficient of n cases and its interval, three decimals each; a dash where it is not defined."""
    if value is None or low is None or high is None:
        return DASH
    return Cell(_minus(f"{value:.3f} [{low:.3f}, {high:.3f}]"), "measured", value, n, low, high)


def share(rate: float, low: float, high: float, n: int) -> Cell:
    """A share of n items and its interval, from 0 to 1, in whole percent."""
    value, *ends = (100 * part for part in (rate, low, high))
    return Cell(f"{value:.0f} [{ends[0]:.0f}, {ends[1]:.0f}]", "measured", value, n, ends[0], ends[1])


def with_spread(value: float, spread: float | None) -> Cell:
    """A share from 0 to 1 in percent, with its standard deviation where there is one."""
    plus = "" if spread is None else f" ± {100 * spread:.1f}"
    return Cell(f"{100 * value:.1f}{plus}", "measured", 100 * value)


def p_value(p: float) -> Cell:
    """A probability with three decimals."""
    return Cell("<0.001" if p < 0.001 else f"{p:.3f}", "measured", p)


def fraction(part: int, whole: int) -> Cell:
    """A part of a whole."""
    return Cell(f"{part}/{whole}", "measured", part, whole)


def two_counts(first: int, second: int) -> Cell:
    """Two numbers that stand side by side, neither a part of the other."""
    return Cell(f"{first}/{second}", "measured", first)


def agreement(equal: int, cases: int, kappa: float | None) -> Cell:
    """Cases with equal verdicts of those that both judged, with Cohen's kappa where it is defined."""
    shown = "" if kappa is None else f" (κ {kappa:.2f})"
    return Cell(_minus(f"{equal}/{cases}{shown}"), "measured", equal, cases)


def passes(score: Score | None) -> Cell:
    """Cases passed, percent of all, and how many are N/A."""
    if score is None:
        return NOT_RUN
    if score["errors"] == score["cases"]:
        return Cell("error", "error", count=score["cases"])
    ends = score["wilson_low"], score["wilson_high"]
    return partly_broken(part_passed(score["passed"], score["cases"], score["na"], ends), score)


def part_passed(passed: int, cases: int, na: int, ends: tuple[float, float] | None = None) -> Cell:
    """Cases passed of a part of a suite, percent, and how many are N/A, with the interval where it is known."""
    if na == cases:
        return Cell("N/A", "N/A", count=cases)
    low, high = ends or (None, None)
    shown = f"{passed} ({100 * passed / cases:.0f}){f' [{na}]' if na else ''}"
    return Cell(shown, "measured", passed, cases, low, high)


def passes_of_all(score: Score | None, digits: int = 0) -> Cell:
    """Passed of all cases, N/A and errors among those not passed; a dash where nothing was scored."""
    if score is None:
        return DASH
    shown = f"{score['passed']}/{score['cases']} ({100 * score['rate']:.{digits}f})"
    found = Cell(shown, "measured", score["passed"], score["cases"], score["wilson_low"], score["wilson_high"])
    return partly_broken(found, score)


def partly_broken(cell: Cell, score: Row) -> Cell:
    """The cell of a score, a run or a benchmark's part, which says itself how many of its trials broke."""
    return replace(cell, text=f"{cell.text}, {score['errors']} broke") if score["errors"] else cell


def handed_in(cell: Cell) -> Cell:
    """The same number as of a run elsewhere."""
    return replace(cell, state="handed in")


def passes_of_evaluable(score: Score | None) -> Cell:
    """Passed of the cases that came to a verdict, percent, and how many are N/A."""
    if score is None:
        return DASH
    evaluated = score["passed"] + score["failed"]
    if not evaluated:
        return Cell("N/A", "N/A") if score["na"] else Cell("error", "error")
    partly = f" [{score['na']} N/A]" if score["na"] else ""
    share = passes_of(score["passed"], evaluated)
    return partly_broken(replace(share, text=f"{share.text}{partly}"), score)


def passes_of(passed: int, cases: int) -> Cell:
    """Passed of so many cases, percent; a dash where there is none."""
    return Cell(f"{passed}/{cases} ({100 * passed / cases:.0f})", "measured", passed, cases) if cases else DASH


def answered(passed: int, questions: int, rate: float | None = None) -> Cell:
    """Questions passed of those asked, with the percentage where it is given."""
    share = "" if rate is None else f" ({100 * rate:.1f}%)"
    return Cell(f"{passed}/{questions}{share}", "measured", passed, questions)


def share_of(passed: float, n: int) -> Cell:
    """Passed of n, with the percentage."""
    return Cell(f"{mean_count(passed)}/{n} ({100 * passed / n:.1f} %)", "measured", passed, n)


def mean_count(cases: float) -> str:
    """A number of cases, or its mean over several runs.

    >>> mean_count(244.0), mean_count(244.25)
    ('244', '244.2')
    """
    return f"{round(cases, 1):g}"


def published_text(shown: str, value: Decimal | float | None = None, n: int | None = None) -> Cell:
    """What the paper printed, as `shown`."""
    if not shown:
        return BLANK
    return Cell(shown, "published", None if value is None else float(value), n)


def published_of(printed: str, value: float, n: int) -> Cell:
    """Cases that the paper printed, with the percentage."""
    return published_text(f"{printed}/{n} ({100 * value / n:.1f} %)", value, n)


def published_number(found: PublishedNumber | None) -> Cell:
    """A number as the paper printed it; blank where it printed none."""
    return BLANK if found is None or found.value is None else published_text(str(found.value), found.value, found.n)


def published_with_unit(found: PublishedNumber) -> Cell:
    """A printed number and its unit."""
    return published_text(f"{found.value} {found.unit}", found.value)


def published_fraction(found: PublishedNumber | None, between: str = "/") -> Cell:
    """A printed number and what it is out of."""
    if found is None or found.value is None:
        return BLANK
    return published_text(f"{found.value}{between}{found.n}", found.value, found.n)


def published_share(numbers: Published, table: str, row: str, column: str) -> Cell:
    """A printed share, as cases or percent, with the N/A cases of the system that the table is of."""
    cases = numbers.find(table, row, column, "cases")
    share = numbers.find(table, row, column, "percent")
    skipped = numbers.find(table, row, "na", "count")
    partly = f" [{skipped.value} N/A]" if skipped is not None and column == table else ""
    if cases is not None and cases.value is not None and cases.n is not None:
        shown = f"{cases.value}/{cases.n} ({100 * int(cases.value) / cases.n:.0f}){partly}"
        return published_text(shown, cases.value, cases.n)
    if share is not None:
        return published_text(f"{share.value} %", share.value, share.n)
    return DASH if numbers.find(table, row, column) is None else Cell(f"N/A{partly}", "N/A")


def _signed(value: float, digits: int | None) -> str:
    return _minus(f"{value:+.3g}" if digits is None else f"{value:+.{digits}f}")


def _minus(shown: str) -> str:
    """Hyphens before digits as minus signs."""
    return shown.replace("-", "−")
