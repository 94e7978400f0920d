"""Which measured number stands beside which published one, table by table of `config/published.csv`."""

from collections.abc import Callable, Iterable, Iterator, Mapping

from forgeteval.cases.case import ADVERSARIAL_CATEGORIES
from forgeteval.scoring.intervals import newcombe
from lethe.schemas import ALL, WITHOUT_COMPOUND
from lethe.study.published import PublishedNumber
from lethe.study.replication.agreement import judge_agreement, text_agreement
from lethe.study.replication.measured import Found, Measured, Missing, Quantity

Resolver = Callable[[PublishedNumber, Measured], Iterable[Found]]

NO_COUNTERPART = "not run: nothing here measures this"
_EVALUABLE = ("letta", "a_mem", "graphiti", "letta+llm")
"""Systems whose printed denominators leave the N/A cases out, in the table by provenance."""
_DETERMINISTIC = ("lethe", "mem0", "langgraph")
_UNHOOKED = {f"{name}+llm": name for name in ("lethe", "langgraph", "letta", "mem0")}


def counterparts(number: PublishedNumber, measured: Measured) -> list[Found]:
    """What was measured of a published number: one for each configuration it stands for, or why there is none."""
    if number.unit == "na":
        return []
    resolver = _RESOLVERS.get(number.table)
    return list(resolver(number, measured)) if resolver else [Missing(NO_COUNTERPART)]


def _template(number: PublishedNumber, measured: Measured) -> Iterator[Found]:
    return _share_or_end(number, measured, "template", number.row, ALL, "overall", number.column)


def _by_category(suite: str, evaluable: bool = False) -> Resolver:
    """Categories (or overall) by system."""

    def resolve(number: PublishedNumber, measured: Measured) -> Iterator[Found]:
        row, column = number.row, number.column
        if column == "n":
            return measured.cases(suite, row, "category")
        if column == "na":
            return measured.each_configuration(
                number.table, suite, lambda name: measured.not_applicable(suite, name, row, "category")
            )
        if column == "delta":
            return _differences(measured, "mem0_infer", "mem0", row)
        if row == "wall_per_case":
            return _wall(number, measured)
        if row == "na":
            return measured.each_configuration(column, suite, lambda name: measured.not_applicable(suite, name))
        if row == "in_house_385":
            return measured.each_configuration(column, "adversarial", lambda name: measured.share("adversarial", name))
        if row in ("wilson_low", "wilson_high"):
            return _share_or_end(number, measured, suite, column, ALL, "overall", row)
        cut = "category" if row in ADVERSARIAL_CATEGORIES else "overall"
        value = row if row in (*ADVERSARIAL_CATEGORIES, WITHOUT_COMPOUND) else ALL
        of_evaluable = (evaluable and row != ALL and column != "lethe") or row == "evaluable"
        return measured.each_configuration(
            column, suite, lambda name: measured.share(suite, name, value, cut, evaluable=of_evaluable)
        )

    return resolve


def _share_or_end(
    number: PublishedNumber, measured: Measured, suite: str, system: str, value: str, cut: str, column: str
) -> Iterator[Found]:
    """A share, or an end of its Wilson interval in percent."""

    def quantity(name: str) -> Quantity | None:
        if not column.startswith("wilson"):
            return measured.share(suite, name, value, cut)
        score = measured.suites[suite].score(name, value, cut) if suite in measured.suites else None
        return (
            None
            if score is None
            else Quantity(100 * (score["wilson_low"] if column == "wilson_low" else score["wilson_high"]))
        )

    return measured.each_configuration(system, suite, quantity)


def _wall(number: PublishedNumber, measured: Measured) -> Iterator[Found]:
    """Milliseconds or seconds per case; of hooked systems the paper gives the mutations' alone."""
    system = number.column if number.table == "adversarial" else number.row
    hooked = system.endswith("+llm")
    scale = {"ms": 1.0, "s": 1e-3}.get(number.unit)

    def quantity(name: str) -> Quantity | None:
        found = measured.wall(name, "mutate_ms" if hooked else "wall_ms")
        if found is None or scale is None:
            return None
        low, high = (None if end is None else scale * end for end in (found.low, found.high))
        return Quantity(scale * found.value, None, low, high)

    if number.column in ("whole_run", "times_lethe"):
        return iter([Missing(NO_COUNTERPART)])
    if measured.released:
        return iter([Missing("not run: time is taken on cases of this project")])
    return measured.each_configuration(system, "adversarial", quantity)


def _differences(measured: Measured, system: str, other: str, row: str) -> Iterator[Found]:
    """Percentage points between a system and another, overall or in a category."""

    def quantity(name: str) -> Quantity | None:
        if row == ALL:
            return measured.difference(name, other)
        return _lift(measured, "adversarial", name, other, row, "category")

    return measured.each_configuration(system, "adversarial", quantity)


def _lift(
    measured: Measured, suite: str, name: str, plain: str, value: str = ALL, cut: str = "overall", **share: bool
) -> Quantity | None:
    return _points(*(measured.share(suite, each, value, cut, **share) for each in (name, plain)))


def _points(first: Quantity | None, second: Quantity | None) -> Quantity | None:
    if first is None or second is None or not first.n or not second.n:
        return None
    return Quantity(100 * (first.value / first.n - second.value / second.n))


def _provenance(number: PublishedNumber, measured: Measured) -> Iterator[Found]:
    evaluable = number.row in _EVALUABLE

    def part(name: str, value: str) -> Quantity | None:
        return measured.share("adversarial", name, _part(measured, value), "provenance", evaluable=evaluable)

    def quantity(name: str) -> Quantity | None:
        if number.column != "delta":
            return part(name, number.column)
        core, expansion = part(name, "core"), part(name, "expansion")
        points = _points(core, expansion)
        if points is None or core is None or expansion is None or not core.n or not expansion.n:
            return None
        low, high = newcombe(core.value, core.n, expansion.value, expansion.n)
        return Quantity(points.value, None, 100 * low, 100 * high)

    return measured.each_configuration(number.row, "adversarial", quantity)


def _part(measured: Measured, provenance: str) -> str:
    """The part of this project's suite that stands beside a provenance of the paper's."""
    return provenance if measured.released else {"core": "written_first", "expansion": "written_later"}[provenance]


def _cross_llm(number: PublishedNumber, measured: Measured) -> Iterator[Found]:
    """Hooked configurations beside every model of the paper; ours are of other models, as their labels say."""
    backend = number.row.removesuffix("_delta")
    if number.column == "no_llm":
        return measured.each_configuration(backend, "adversarial", lambda name: measured.share("adversarial", name))
    if number.unit == "points":
        return measured.each_configuration(
            f"{backend}+llm", "adversarial", lambda name: measured.difference(name, backend)
        )
    return measured.each_configuration(
        f"{backend}+llm", "adversarial", lambda name: measured.share("adversarial", name)
    )


def _label_partition(number: PublishedNumber, measured: Measured) -> Iterator[Found]:
    rows = [row for row in measured.partition if number.row in (row["label"], "total")]
    if not rows:
        yield Missing("not run: no hooked twin of the reference system ran")
        return
    splitter = rows[0]["hooked"]
    rows = [row for row in rows if row["hooked"] == splitter]
    if number.column == "n":
        cases = sum(row["cases"] for row in rows if row["configuration"] == rows[0]["configuration"])
        yield measured.counterpart("", "adversarial", Quantity(cases))
        return

    def quantity(name: str) -> Quantity | None:
        own = [row for row in rows if row["configuration"] == name]
        return Quantity(sum(row["passed"] for row in own), sum(row["cases"] for row in own)) if own else None

    yield from measured.each_configuration(number.column, "adversarial", quantity)


def _memora(number: PublishedNumber, measured: Measured) -> Iterator[Found]:
    system, value = (number.row, number.column) if number.table == "memora" else (number.column, number.row)
    cut = {"memora_persona": "history"}.get(number.table, "part")
    return _answered(measured, "memora", system, *(("overall", ALL) if value == "total" else (cut, value)))


def _factconsolidation(number: PublishedNumber, measured: Measured) -> Iterator[Found]:
    return _answered(measured, "factcons", number.row, "part", number.column)


def _answered(measured: Measured, benchmark: str, system: str, cut: str, value: str) -> Iterator[Found]:
    def quantity(name: str) -> Quantity | None:
        score = measured.answered(benchmark, name, cut, value)
        if score is None:
            return None
        return Quantity(
            score["passed"], score["questions"] - score["na"], **_replicated(measured, benchmark, name, cut, value)
        )

    return measured.each_configuration(system, benchmark, quantity, same_data=True)


def _replicated(measured: Measured, benchmark: str, name: str, cut: str, value: str) -> dict[str, int]:
    """Questions with a released verdict, and those of them on which it agrees; empty where there are none."""
    column = {"history": "persona", "part": "task"}.get(cut)
    own = [
        row
        for row in (measured.memora if benchmark == "memora" else [])
        if row["configuration"] == name and (column is None or row[column] == value)
    ]
    return {"compared": len(own), "agree": sum(row["agree"] for row in own)} if own else {}


def _longmemeval(number: PublishedNumber, measured: Measured) -> Iterator[Found]:
    cut = "overall" if number.row == ALL else "part"

    def quantity(name: str) -> Quantity | None:
        score = measured.answered("longmemeval", name, cut, number.row)
        if score is None:
            return None
        if number.column == "n":
            return Quantity(score["questions"])
        rate = score[f"recall_at_{number.column.removeprefix('r@')}"]
        return None if rate is None else Quantity(rate)

    return measured.each_configuration("lethe", "longmemeval", quantity, same_data=True)


def _suites(number: PublishedNumber, measured: Measured) -> Iterator[Found]:
    parts = {
        "template": ("template", ALL, "overall"),
        "adversarial": ("adversarial", ALL, "overall"),
        "core": ("adversarial", _part(measured, "core"), "provenance"),
        "expansion": ("adversarial", _part(measured, "expansion"), "provenance"),
        "identifier_obfuscation_after": ("adversarial", "identifier_obfuscation", "category"),
        "external": ("external", ALL, "overall"),
    }
    if number.row in parts:
        return measured.cases(*parts[number.row])
    return iter([Missing(NO_COUNTERPART)])


def _headline(number: PublishedNumber, measured: Measured) -> Iterator[Found]:
    if number.row == "lift_without_compound_fact":
        plain = _UNHOOKED[number.column]
        return measured.each_configuration(
            number.column,
            "adversarial",
            lambda name: _lift(measured, "adversarial", name, plain, WITHOUT_COMPOUND),
        )
    if number.row in ("pass_band", "identifier_obfuscation", "cross_lingual_identifier"):
        return _among_deterministic(number, measured)
    if number.row == "cost_per_run":
        costs = {f"{run['system']}@{run['model']}": run["cost_usd"] / run["repetitions"] for run in measured.llm_runs}
        return measured.each_configuration(
            number.column, "adversarial", lambda name: Quantity(costs[name]) if name in costs else None
        )
    return iter([Missing(NO_COUNTERPART)])


def _among_deterministic(number: PublishedNumber, measured: Measured) -> Iterator[Found]:
    """The lowest and the highest of the paper's three deterministic systems, overall or in a category."""
    place = (ALL, "overall") if number.row == "pass_band" else (number.row, "category")
    found = {
        name: share for name in _DETERMINISTIC if (share := measured.share("adversarial", name, *place)) is not None
    }
    if len(found) < len(_DETERMINISTIC):
        yield Missing("not run: not all of Lethe, Mem0 and LangGraph ran")
        return
    lowest, highest = (pick(found, key=lambda name: found[name].value) for pick in (min, max))
    if number.column == "spread":
        spread = measured.difference(highest, lowest)
        label = f"{measured.label(highest)} and {measured.label(lowest)}"
        yield Missing(NO_COUNTERPART) if spread is None else measured.counterpart(label, "adversarial", spread)
    else:
        name = lowest if number.column == "low" else highest
        yield measured.counterpart(measured.label(name), "adversarial", found[name])


def _paired(number: PublishedNumber, measured: Measured) -> Iterator[Found]:
    scorer = measured.setup.scorer
    for pair in measured.paired:
        if (pair["first"], pair["second"], pair["scorer"]) == ("lethe", "langgraph", scorer):
            values = {
                "discordant": Quantity(pair["first_only"] + pair["second_only"], pair["cases"]),
                "first_only": Quantity(pair["first_only"], pair["cases"]),
                "second_only": Quantity(pair["second_only"], pair["cases"]),
                "chi_squared_corrected": Quantity(pair["chi_squared"]),
                "p_corrected": Quantity(pair["p_corrected"]),
            }
            yield measured.counterpart("Lethe and LangGraph", "adversarial", values[number.column])
            return
    yield Missing("not run: Lethe or LangGraph did not run")


def _wilson(number: PublishedNumber, measured: Measured) -> Iterator[Found]:
    category, _, end = number.row.rpartition("_")
    return _share_or_end(number, measured, "adversarial", number.column, category, "category", f"wilson_{end}")


def _scripts(number: PublishedNumber, measured: Measured) -> Iterator[Found]:
    return (
        measured.cases("adversarial", number.row, "script") if number.column == "n" else iter([Missing(NO_COUNTERPART)])
    )


def _embedder(number: PublishedNumber, measured: Measured) -> Iterator[Found]:
    category, setup = "cross_lingual_identifier", measured.setup
    if number.column == setup.embedder:
        return measured.each_configuration(
            number.row, "adversarial", lambda name: measured.share("adversarial", name, category, "category")
        )
    reason = setup.embedder_ablation.embedders.get(number.column, "not run: no such embedder configured")
    runs = [
        row
        for row in measured.embedders
        if row["embedder"] == number.column and row["category"] == category and row["cases"]
    ]
    found = {row["configuration"]: Quantity(row["passed"], row["cases"]) for row in runs}
    if not found:
        return iter([Missing(reason or "not run: no configuration runs with further embedders")])
    return measured.each_configuration(number.row, "adversarial", found.get)


def _external_text(number: PublishedNumber, measured: Measured) -> Iterator[Found]:
    if number.row != "lift":
        return iter([Missing(NO_COUNTERPART)])
    plain = _UNHOOKED[number.column]
    return measured.each_configuration(
        number.column,
        "external",
        lambda name: _lift(measured, "external", name, plain, evaluable=True),
    )


def _provenance_lifts(number: PublishedNumber, measured: Measured) -> Iterator[Found]:
    if not number.row.startswith("lift_"):
        return iter([Missing(NO_COUNTERPART)])
    part, plain = number.row.removeprefix("lift_"), _UNHOOKED[number.column]
    return measured.each_configuration(
        number.column,
        "adversarial",
        lambda name: _lift(measured, "adversarial", name, plain, part, "provenance"),
    )


_RESOLVERS: Mapping[str, Resolver] = {
    "template": _template,
    "adversarial": _by_category("adversarial"),
    "cross_architecture": _by_category("adversarial"),
    "mem0_modes": _by_category("adversarial"),
    "naive_sql": _by_category("adversarial"),
    "a_mem": _by_category("adversarial", evaluable=True),
    "graphiti": _by_category("adversarial", evaluable=True),
    "letta": _by_category("adversarial", evaluable=True),
    "external": _by_category("external"),
    "external_ecosystem": _by_category("external", evaluable=True),
    "text_heatmap": _by_category("adversarial"),
    "provenance": _provenance,
    "cross_llm": _cross_llm,
    "label_partition": _label_partition,
    "memora": _memora,
    "memora_persona": _memora,
    "memora_task": _memora,
    "factconsolidation": _factconsolidation,
    "longmemeval": _longmemeval,
    "judge_agreement": judge_agreement,
    "text_suites": _suites,
    "text_headline": _headline,
    "text_paired": _paired,
    "text_wilson": _wilson,
    "text_agreement": text_agreement,
    "text_scripts": _scripts,
    "text_embedder": _embedder,
    "text_latency": _wall,
    "text_external": _external_text,
    "text_provenance": _provenance_lifts,
    "text_naive_sql": lambda number, measured: _differences(measured, "naive_sql", "lethe", number.row),
}
