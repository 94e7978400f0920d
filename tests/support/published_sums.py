"""Counts, percents, intervals and sums of the paper's tables: what they must come to if they agree."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from forgeteval.cases.case import ADVERSARIAL_CATEGORIES
from forgeteval.scoring.intervals import wilson
from lethe.schemas import ALL, WITHOUT_COMPOUND
from lethe.study.published import Place, Published, PublishedNumber


class Comparison(NamedTuple):
    """A printed number and what the paper's other numbers make of it."""

    name: str
    printed: float
    follows: float
    tolerance: float

    @property
    def agrees(self) -> bool:
        return abs(self.printed - self.follows) <= self.tolerance + 1e-9


def percents_of_counts(paper: Published) -> Iterator[Comparison]:
    """k of n beside the percent printed with it."""
    for (table, row, column), units in paper.by_place.items():
        if "cases" in units and "percent" in units:
            cases, percent = units["cases"], units["percent"]
            assert cases.value is not None and cases.n is not None and percent.value is not None
            follows = 100 * float(cases.value) / cases.n
            yield Comparison(f"percent {table}/{row}/{column}", float(percent.value), follows, percent.half_step)


def wilson_intervals(paper: Published) -> Iterator[Comparison]:
    """Ends of a 95 % Wilson interval from its own counts."""
    of_counts = [("template", system, "pass", system, "") for system in paper.rows("template")]
    of_counts += [
        (table, ALL, system, "", system)
        for table in ("adversarial", "cross_architecture")
        for system in paper.columns(table)
        if system != "n"
    ]
    for table, row, column, of_row, of_column in of_counts:
        for end, place in zip(("low", "high"), (0, 1), strict=True):
            name = f"wilson_{end}"
            ends = paper.find(table, of_row or name, of_column or name)
            yield _wilson(f"{table} {row}/{column} {end}", paper, (table, row, column), ends, place)
    for row in paper.rows("text_wilson"):
        for system in paper.columns("text_wilson"):
            category, _, end = row.rpartition("_")
            printed = paper.find("text_wilson", row, system)
            if printed is not None:
                place = ["low", "high"].index(end)
                yield _wilson(
                    f"text {category}/{system} {end}", paper, ("adversarial", category, system), printed, place
                )


def _wilson(name: str, paper: Published, counts: Place, printed: PublishedNumber | None, place: int) -> Comparison:
    found = paper.by_place[counts]["cases"]
    assert found.value is not None and found.n is not None and printed is not None and printed.value is not None
    follows = 100 * wilson(int(found.value), found.n)[place]
    return Comparison(f"wilson {name}", float(printed.value), follows, printed.half_step)


_BY_CATEGORY = {
    "adversarial": ALL,
    "cross_architecture": ALL,
    "mem0_modes": ALL,
    "external": ALL,
    "a_mem": "evaluable",
    "graphiti": "evaluable",
    "letta": "evaluable",
    "external_ecosystem": "evaluable",
}


def category_sums(paper: Published) -> Iterator[Comparison]:
    """The categories' passes and sizes add up to the totals."""
    for table, total in _BY_CATEGORY.items():
        for system in paper.columns(table):
            counted = paper.find(table, total, system, "cases")
            if counted is None or system == "n":
                continue
            passed, size = _sums(paper, table, ADVERSARIAL_CATEGORIES, system)
            assert counted.value is not None and counted.n is not None
            yield Comparison(f"sum {table}/{system} passed", float(counted.value), passed, 0)
            yield Comparison(f"sum {table}/{system} n", counted.n, size, 0)
    for system in paper.columns("adversarial"):
        without = paper.find("adversarial", WITHOUT_COMPOUND, system, "cases")
        if without is not None:
            assert without.value is not None and without.n is not None
            names = [name for name in ADVERSARIAL_CATEGORIES if name != "compound_fact"]
            passed, size = _sums(paper, "adversarial", names, system)
            yield Comparison(f"sum adversarial/{system} passed excl. compound_fact", float(without.value), passed, 0)
            yield Comparison(f"sum adversarial/{system} n excl. compound_fact", without.n, size, 0)
    sizes = sum(float(paper.value("adversarial", name, "n", "count")) for name in ADVERSARIAL_CATEGORIES)
    yield Comparison("sum adversarial n", float(paper.value("text_suites", "adversarial", "cases", "count")), sizes, 0)
    naive = sum(
        round(float(paper.value("naive_sql", name, "naive_sql", "percent")) / 100 * size_of(paper, name))
        for name in ADVERSARIAL_CATEGORIES
    )
    yield Comparison("sum naive_sql passed", float(paper.value("naive_sql", ALL, "naive_sql", "cases")), naive, 0)


def size_of(paper: Published, category: str) -> int:
    return int(paper.value("adversarial", category, "n", "count"))


def _sums(paper: Published, table: str, rows: Iterable[str], column: str) -> tuple[float, float]:
    found = [number for row in rows if (number := paper.find(table, row, column, "cases")) is not None]
    return sum(float(number.value or 0) for number in found), sum(number.n or 0 for number in found)


def partition_sums(paper: Published) -> Iterator[Comparison]:
    """The label partition's own sums, and against the provenance split: 20 core cases are not in the partition."""
    labels = ("manual", "easy", "llm_lift", "unsolvable")
    for system in ("lethe", "mem0", "lethe+llm"):
        passed, size = _sums(paper, "label_partition", labels, system)
        total = paper.find("label_partition", "total", system, "cases")
        assert total is not None and total.value is not None and total.n is not None
        yield Comparison(f"sum label_partition/{system} passed", float(total.value), passed, 0)
        yield Comparison(f"sum label_partition/{system} n", total.n, size, 0)
        expansion, _ = _sums(paper, "label_partition", labels[1:], system)
        split = float(paper.value("provenance", system, "expansion", "cases"))
        yield Comparison(f"provenance/{system} expansion against label_partition", split, expansion, 0)
    yield Comparison(
        "label_partition total against the suite",
        float(paper.value("label_partition", "total", "n", "count")),
        float(paper.value("text_suites", "adversarial", "cases", "count")),
        0,
    )
    for label, share in (("llm_lift", 1.0), ("unsolvable", 0.0)):
        number = paper.find("label_partition", label, "lethe+llm", "cases")
        assert number is not None and number.value is not None and number.n is not None
        name = f"label_partition/{label}/lethe+llm by definition"
        yield Comparison(name, float(number.value), share * number.n, 0)
    yield Comparison(
        "label_partition/unsolvable/mem0 against the text",
        float(paper.value("label_partition", "unsolvable", "mem0", "cases")),
        float(paper.value("text_label_partition", "unsolvable", "passed_by_any", "cases")),
        0,
    )
    share = 100 * float(paper.value("label_partition", "unsolvable", "n", "count")) / 365
    yield Comparison(
        "text unsolvable share",
        float(paper.value("text_label_partition", "unsolvable", "share", "percent")),
        share,
        0.05,
    )
    for system in paper.rows("provenance"):
        core, expansion = (paper.find("provenance", system, part, "cases") for part in ("core", "expansion"))
        assert core is not None and expansion is not None and core.n is not None and expansion.n is not None
        passed, n = float(core.value or 0) + float(expansion.value or 0), core.n + expansion.n
        total = _overall(paper, system)
        yield Comparison(f"sum provenance/{system} passed", passed, total[0], 0)
        yield Comparison(f"sum provenance/{system} n", n, total[1], 0)


def _overall(paper: Published, system: str) -> tuple[float, float]:
    for table, row in (
        ("adversarial", ALL),
        ("cross_architecture", ALL),
        ("a_mem", "evaluable"),
        ("graphiti", "evaluable"),
        ("letta", "evaluable"),
    ):
        number = paper.find(table, row, system, "cases")
        if number is not None and number.value is not None and number.n is not None:
            return float(number.value), number.n
    percent = float(paper.value("text_heatmap", "evaluable", system, "percent"))
    return round(percent / 100 * 310), 310


def not_applicable_sums(paper: Published) -> Iterator[Comparison]:
    """N/A and evaluable cases make the whole; N/A by category make the total."""
    for system in ("a_mem", "graphiti", "letta"):
        evaluable = paper.find(system, "evaluable", system, "cases")
        assert evaluable is not None and evaluable.n is not None
        na = sum(
            float(number.value or 0)
            for name in ADVERSARIAL_CATEGORIES
            if (number := paper.find(system, name, "na", "count")) is not None
        )
        yield Comparison(f"N/A {system} by category", na, 385 - evaluable.n, 0)
        yield Comparison(f"N/A {system} in the text", float(paper.value("text_heatmap", "na", system, "cases")), na, 0)
        for name in ADVERSARIAL_CATEGORIES:
            cell, missing = paper.find(system, name, system), paper.find(system, name, "na", "count")
            whole = (cell.n if cell is not None and cell.n else 0) + float(missing.value or 0 if missing else 0)
            yield Comparison(f"N/A {system}/{name} and evaluable", whole, size_of(paper, name), 0)
    for system in ("openmemory", "hipporag"):
        evaluable = paper.find("text_heatmap", "evaluable", system, "cases")
        assert evaluable is not None and evaluable.n is not None
        na = float(paper.value("text_heatmap", "na", system, "cases"))
        yield Comparison(f"N/A {system} and evaluable", na + evaluable.n, 385, 0)
    for system in paper.columns("external_ecosystem"):
        missing = sum(
            5 if name == "prefix_collision" else 8
            for name in ADVERSARIAL_CATEGORIES
            if (cell := paper.find("external_ecosystem", name, system)) is not None and cell.unit == "na"
        )
        na = float(paper.value("external_ecosystem", "na", system, "count"))
        yield Comparison(f"N/A external_ecosystem/{system} by category", na, missing, 0)


def memora_sums(paper: Published) -> Iterator[Comparison]:
    """Memora by persona, by task and in total."""
    tasks = ("remembering", "reasoning", "recommending")
    for system in paper.rows("memora"):
        total = float(paper.value("memora", system, "total", "cases"))
        by_task = sum(float(paper.value("memora", system, task, "cases")) for task in tasks)
        yield Comparison(f"sum memora/{system} by task", total, by_task, 0)
        personas = [row for row in paper.rows("memora_persona") if row != "total"]
        passed, size = _sums(paper, "memora_persona", personas, system)
        yield Comparison(f"sum memora_persona/{system} passed", total, passed, 0)
        yield Comparison(f"sum memora_persona/{system} n", 150, size, 0)
        for task in tasks:
            first = float(paper.value("memora", system, task, "cases"))
            yield Comparison(
                f"memora_task/{task}/{system}", float(paper.value("memora_task", task, system, "cases")), first, 0
            )
    data = {
        c: float(paper.value("text_memora", "data", c, "count"))
        for c in paper.columns("text_memora")
        if c in ("personas", "questions", "questions_per_persona", "sessions", "sessions_per_persona")
    }
    yield Comparison("memora questions", data["questions"], data["personas"] * data["questions_per_persona"], 0)
    yield Comparison("memora sessions", data["sessions"], data["personas"] * data["sessions_per_persona"], 0)


def longmemeval_mean(paper: Published) -> Iterator[Comparison]:
    """The micro average over question types."""
    types = [row for row in paper.rows("longmemeval") if row != ALL]
    sizes = [float(paper.value("longmemeval", row, "n", "count")) for row in types]
    hits = [
        round(float(paper.value("longmemeval", row, "r@5", "score")) * n) for row, n in zip(types, sizes, strict=True)
    ]
    yield Comparison("longmemeval n", float(paper.value("longmemeval", ALL, "n", "count")), sum(sizes), 0)
    yield Comparison(
        "longmemeval r@5", float(paper.value("longmemeval", ALL, "r@5", "score")), sum(hits) / sum(sizes), 0.0005
    )
    for row, n, hit in zip(types, sizes, hits, strict=True):
        yield Comparison(f"longmemeval {row}", float(paper.value("longmemeval", row, "r@5", "score")), hit / n, 0.0005)
