"""The cells of the paper's tables: what stands for each printed place, in the paper's form, and where it comes from."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from lethe.parquet import Row
from lethe.study.published import Place, Published, PublishedNumber
from lethe.study.replication.compare import COUNTED, DIFFERS, ELSEWHERE, MEASURED, PRINTED, RECOUNTED
from lethe.tables import cells
from lethe.tables.table import Cell, State

MARKS: Mapping[str, str] = {MEASURED: "", COUNTED: "§", RECOUNTED: "†", ELSEWHERE: "‡", PRINTED: "*"}
"""What stands after a number that was not measured here on the paper's cases."""
LEGEND: Mapping[str, str] = {
    MEASURED: "unmarked: measured here on the paper's cases",
    COUNTED: "§: counted in the paper's cases, where no system runs",
    RECOUNTED: "†: counted again from the verdicts, or totals, that its authors released of the printed run",
    ELSEWHERE: "‡: measured here on other cases of the same kind",
    PRINTED: "*: as printed, since neither can be had",
}
_ERROR = 1e-9
"""Of floating point."""
_UNITS = {"ms": " ms", "s": " s"}


@dataclass(frozen=True, slots=True)
class Places:
    """The printed places with what stands for them.

    Attributes:
        rows: rows of `lethe.schemas.REPLICATION` by place and unit.
        published: what the paper printed.
    """

    rows: Mapping[tuple[Place, str], Row]
    published: Published

    @classmethod
    def of(cls, rows: Iterable[Row], published: Published) -> "Places":
        """The places of rows of `lethe.schemas.REPLICATION`."""
        return cls({((row["table"], row["row"], row["column"]), row["unit"]): row for row in rows}, published)

    def cell(self, table: str, row: str, column: str) -> Cell:
        """What stands for a printed cell; blank where the paper has none, a dash where it prints one."""
        units = self.published.by_place.get((table, row, column))
        if units is None:
            return cells.BLANK
        number = units.get("cases") or next(iter(units.values()))
        found = self.rows.get((number.place, number.unit))
        if found is None:
            return cells.DASH if number.unit == "na" else cells.NOT_RUN
        skipped = self.rows.get(((table, row, "na"), "count")) if column == table else None
        if number.unit == "na":
            return _not_given(found, skipped)
        form = _Form(number, units.get("percent"))
        return self._shown(found, form, skipped)

    def later(self, table: str, row: str, column: str) -> Cell:
        """What a later released run gives for a cell that stands as printed; blank without one."""
        units = self.published.by_place.get((table, row, column), {})
        number = units.get("cases") or next(iter(units.values()), None)
        found = None if number is None else self.rows.get((number.place, number.unit))
        if number is None or found is None or found["later"] is None or found["state"] != PRINTED:
            return cells.BLANK
        text = _Form(number, units.get("percent")).text(found["later"], found["later_n"])
        return Cell(text, "published", found["later"], found["later_n"], note=found["later_run"])

    def interval(self, table: str, fixed: Mapping[str, str], name: str, *, printed: bool = False) -> Cell:
        """Two ends in one cell: what stands for them, or what was printed.

        Args:
            fixed: the row or the column that both stand in.
            name: the other of the two; the names of the ends are it with "_low" and "_high".
        """
        rows = [self.rows.get(((table, *place), "percent")) for place in self._ends_of(fixed, name)]
        ends = [row for row in rows if row is not None]
        if len(ends) < len(rows):
            return cells.BLANK
        if printed:
            return cells.published_text(f"[{', '.join(row['printed'] for row in ends)}]", ends[0]["published"])
        values = (_Form(self._number(row), None).text(*_standing(row)) for row in ends)
        text = f"[{', '.join(values)}]{_broke(ends[0])}{MARKS[ends[0]['state']]}"
        return Cell(text, "measured", note=ends[0]["note"])

    @staticmethod
    def _ends_of(fixed: Mapping[str, str], name: str) -> list[tuple[str, str]]:
        found = [{"row": f"{name}_{end}", "column": f"{name}_{end}", **fixed} for end in ("low", "high")]
        return [(place["row"], place["column"]) for place in found]

    def _number(self, row: Row) -> PublishedNumber:
        return self.published.by_place[row["table"], row["row"], row["column"]][row["unit"]]

    @staticmethod
    def _shown(found: Row, form: "_Form", skipped: Row | None) -> Cell:
        """A number and the cases that are N/A, under one mark, or each under its own where these are not as printed."""
        value, n = _standing(found)
        mark = MARKS[found["state"]]
        inside, outside = "", ""
        if skipped is not None and skipped["verdict"] == DIFFERS:
            outside = f", {_skipped(skipped)} N/A{MARKS[skipped['state']]} [{skipped['printed']}]"
        elif skipped is not None and _skipped(skipped):
            inside = f", {_skipped(skipped)} N/A"
        text = f"{form.text(value, n)}{inside}{_broke(found)}{mark}{outside}"
        if found["verdict"] == DIFFERS:
            text += f" [{form.printed(n)}]"
        state: State = "published" if found["state"] == PRINTED else "measured"
        note = found["recounted_run"] if found["state"] == RECOUNTED else found["note"]
        return Cell(text, state, value, n, note=note)


@dataclass(frozen=True, slots=True)
class _Form:
    """How the paper prints a cell: its number, and the percentage that it prints next to cases."""

    number: PublishedNumber
    percent: PublishedNumber | None

    def text(self, value: float, n: int | None) -> str:
        """A value in that form."""
        unit = self.number.unit
        if unit == "cases" and n:
            beside = f" ({_rounded(100 * value / n, self.percent)})" if self.percent else ""
            return f"{cells.mean_count(value)}/{n}{beside}"
        if unit == "percent":
            return _rounded(value, self.number) + ("" if "wilson" in f"{self.number.row}{self.number.column}" else " %")
        if unit == "points":
            return cells.signed(float(_rounded(value, self.number)), _digits(self.number)).text
        return _rounded(value, self.number) + _UNITS.get(unit, "")

    def printed(self, n: int | None = None) -> str:
        """What the paper printed; the cases alone where they are out of the same n."""
        if self.number.unit == "cases":
            if n == self.number.n:
                return str(self.number.value)
            beside = f" ({self.percent.value})" if self.percent else ""
            return f"{self.number.value}/{self.number.n}{beside}"
        unit = " %" if self.number.unit == "percent" else _UNITS.get(self.number.unit, "")
        return f"{self.number.value}{unit}".replace("-", "−")


def _standing(row: Row) -> tuple[float, int | None]:
    """The number that stands for a printed one, and what it is out of."""
    name = {RECOUNTED: "recounted", PRINTED: "published"}.get(row["state"], "measured")
    return row[name], row[f"{name}_n"]


def _skipped(row: Row) -> int:
    """How many cases are N/A, of the row of their number."""
    return round(_standing(row)[0])


def _not_given(found: Row, skipped: Row | None) -> Cell:
    """A cell that is printed N/A: N/A, or the passes where cases of it have verdicts."""
    value, n = _standing(found)
    mark = MARKS[found["state"]]
    if n:
        return Cell(f"{cells.mean_count(value)}/{n}{mark} [N/A]", "measured", value, n, note=found["note"])
    cases = f" ({_skipped(skipped)})" if skipped is not None else ""
    return Cell(f"N/A{cases}{mark}", "N/A", note=found["note"])


def _broke(row: Row) -> str:
    """What a cell says of trials that broke behind the number that stands in it."""
    return f", {row['broken']} broke" if row["broken"] and row["state"] in (MEASURED, ELSEWHERE) else ""


def _digits(number: PublishedNumber) -> int:
    return 0 if number.value is None else max(0, -int(number.value.as_tuple().exponent))


def _rounded(value: float, like: PublishedNumber | None) -> str:
    """A number with the decimals of a printed one: that one where both are equal, since the paper rounds a half either
    way; otherwise a half away from zero."""
    if like is not None and like.value is not None and abs(value - float(like.value)) <= like.half_step + _ERROR:
        return str(like.value)
    step = Decimal(1).scaleb(-_digits(like) if like else 0)
    return str(Decimal(repr(round(value, 9))).quantize(step, ROUND_HALF_UP))
