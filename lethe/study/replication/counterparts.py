"""Which measured number stands beside which published one, table by table of `config/published.csv`."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from forgeteval.cases.case import ADVERSARIAL_CATEGORIES
from forgeteval.scoring.intervals import newcombe
from lethe.schemas import ALL, WITHOUT_COMPOUND
from lethe.study.published import PublishedNumber
from lethe.study.replication.data_counts import memora_count, script_count
from lethe.study.replication.measured import Counterpart, Found, Measured, Missing, Quantity

Resolver = Callable[[PublishedNumber, Measured], Found]

_REASONS = {
    "text_scorer_audit": "the paper's sample and readings were not released; the table scorer_audit has another sample "
    "with two readings",
    "label_partition": "the labels split a snapshot of 365 cases",
    "text_mem0_modes": "counted in a log that was not released",
    "text_external": "known to the authors alone",
    "text_suites": "a statement of the paper's design",
    "text_cross_llm": "a price, or a run that was not released",
    "text_latency": "a time of a chat model of the paper's",
}
"""Why a number of a table cannot be had, where nothing measures it."""
_EVALUABLE = ("letta", "a_mem", "graphiti", "letta+llm")
"""Systems whose printed denominators leave the N/A cases out, in the table by provenance."""
_DETERMINISTIC = ("lethe", "mem0", "langgraph")
_UNHOOKED = {f"{name}+llm": name for name in ("lethe", "langgraph", "letta", "mem0")}


def counterpart(number: PublishedNumber, measured: Measured) -> Found:
    """What was measured of a published number, or why nothing was."""
    resolver = _RESOLVERS.get(number.table)
    return resolver(number, measured) if resolver else _nothing(number)


def _nothing(number: PublishedNumber) -> Missing:
    return Missing(_REASONS.get(number.table, "nothing here measures this"))


def _template(number: PublishedNumber, measured: Measured) -> Found:
    return _share_or_end(measured, "template", number.row, (ALL, "overall"), number.column)


def _by_category(role: str, *, evaluable: bool = False) -> Resolver:
    """Categories (or overall) by system.

    Args:
        evaluable: the printed denominators leave the N/A cases out.
    """

    def resolve(number: PublishedNumber, measured: Measured) -> Found:
        row, column = number.row, number.column
        if number.unit == "na":
            return measured.of_system(
                column, role, lambda name: measured.share(role, name, *_part_of(row), evaluable=True, none=True)
            )
        if column == "n":
            return measured.cases(role, row, "category")
        if column == "na":
            return measured.not_applicable(number.table, role, row, "category")
        if column == "delta":
            return _lift(measured, role, "mem0_infer", "mem0", *_part_of(row))
        if row == "wall_per_case":
            return _time(number, measured)
        if row == "na":
            return measured.not_applicable(column, role)
        if row == "in_house_385":
            return measured.of_system(column, "adversarial", lambda name: measured.share("adversarial", name))
        if row in ("wilson_low", "wilson_high"):
            return _share_or_end(measured, role, column, (ALL, "overall"), row)
        of_evaluable = column != "lethe" and (row == "evaluable" or (evaluable and row != ALL))
        return measured.of_system(
            column, role, lambda name: measured.share(role, name, *_part_of(row), evaluable=of_evaluable)
        )

    return resolve


def _part_of(row: str) -> tuple[str, str]:
    """Value and cut of a row: a category, all without `compound_fact`, or all."""
    if row in ADVERSARIAL_CATEGORIES:
        return row, "category"
    return (row if row == WITHOUT_COMPOUND else ALL), "overall"


def _share_or_end(measured: Measured, role: str, system: str, part: tuple[str, str], column: str) -> Found:
    """A share, or an end of its Wilson interval in percent."""

    def quantity(name: str) -> Quantity | None:
        if not column.startswith("wilson"):
            return measured.share(role, name, *part)
        score = measured.suites[role].score(name, *part) if role in measured.suites else None
        if score is None:
            return None
        end = score["wilson_low"] if column.endswith("low") else score["wilson_high"]
        return Quantity(100 * end, broken=score["errors"])

    return measured.of_system(system, role, quantity)


def _time(number: PublishedNumber, measured: Measured) -> Found:
    """Milliseconds or seconds per case; of hooked systems the paper gives the mutations' alone."""
    system = number.column if number.table == "adversarial" else number.row
    if number.column == "whole_run":
        return _nothing(number)
    if number.column == "times_lethe":
        return _times_lethe(system, measured)
    scale = {"ms": 1.0, "s": 1e-3}[number.unit]
    return measured.time(system, "mutate_ms" if system.endswith("+llm") else "wall_ms", scale)


def _times_lethe(system: str, measured: Measured) -> Found:
    own, lethe = (measured.time(name, "wall_ms", 1.0) for name in (system, "lethe"))
    if isinstance(own, Missing) or isinstance(lethe, Missing):
        return own if isinstance(own, Missing) else lethe
    ratio = Quantity(own.quantity.value / lethe.quantity.value)
    return Counterpart(own.configuration, own.source, ratio, own.same_data, own.note)


def _lift(
    measured: Measured,
    role: str,
    system: str,
    plain: str,
    value: str = ALL,
    cut: str = "overall",
    *,
    evaluable: bool = False,
    model: str | None = None,
) -> Found:
    """Percentage points between a system and another, in a part of a suite."""

    def shares(name: str) -> Quantity | None:
        return measured.share(role, name, value, cut, evaluable=evaluable)

    found = measured.of_system(system, role, shares, model=model)
    other = measured.of_system(plain, role, shares)
    if isinstance(found, Missing) or isinstance(other, Missing):
        return found if isinstance(found, Missing) else other
    return measured.counterpart(found.configuration, role, _points(found.quantity, other.quantity))


def _points(first: Quantity, second: Quantity) -> Quantity:
    """The difference of two shares, with the verdicts that both were compared with."""
    value = 100 * (first.value / (first.n or 1) - second.value / (second.n or 1))
    points = Quantity(value, broken=first.broken + second.broken)
    if first.compared is None or second.compared is None:
        return points
    return replace(
        points,
        compared=first.compared + second.compared,
        only_published=first.only_published + second.only_published,
        only_here=first.only_here + second.only_here,
        na_here=first.na_here + second.na_here,
        na_there=first.na_there + second.na_there,
    )


def _provenance(number: PublishedNumber, measured: Measured) -> Found:
    evaluable = number.row in _EVALUABLE

    def part(name: str, value: str) -> Quantity | None:
        return measured.share("adversarial", name, value, "provenance", evaluable=evaluable)

    def quantity(name: str) -> Quantity | None:
        if number.column != "delta":
            return part(name, number.column)
        core, expansion = part(name, "core"), part(name, "expansion")
        if core is None or expansion is None or not core.n or not expansion.n:
            return None
        low, high = newcombe(core.value, core.n, expansion.value, expansion.n)
        return replace(_points(core, expansion), low=100 * low, high=100 * high)

    return measured.of_system(number.row, "adversarial", quantity)


def _cross_llm(number: PublishedNumber, measured: Measured) -> Found:
    backend = number.row.removesuffix("_delta")
    hooked = f"{backend}+llm"
    if number.column == "no_llm":
        return measured.of_system(backend, "adversarial", lambda name: measured.share("adversarial", name))
    if number.unit == "points":
        return _lift(measured, "adversarial", hooked, backend, model=number.column)
    return measured.of_system(
        hooked, "adversarial", lambda name: measured.share("adversarial", name), model=number.column
    )


def _text_cross_llm(number: PublishedNumber, measured: Measured) -> Found:
    if number.row != "temporal_qualifier":
        return _nothing(number)
    return measured.of_system(
        "lethe+llm",
        "adversarial",
        lambda name: measured.share("adversarial", name, number.row, "category"),
        model=number.column,
    )


def _memora(number: PublishedNumber, measured: Measured) -> Found:
    system, value = (number.row, number.column) if number.table == "memora" else (number.column, number.row)
    cut = {"memora_persona": "history"}.get(number.table, "part")
    return _answered(measured, "memora", system, *(("overall", ALL) if value == "total" else (cut, value)))


def _factconsolidation(number: PublishedNumber, measured: Measured) -> Found:
    """Nothing is changed or erased there, so that the hook asks no model."""
    return _answered(measured, "factcons", number.row, "part", number.column, asks_nothing=True)


def _answered(
    measured: Measured, benchmark: str, system: str, cut: str, value: str, *, asks_nothing: bool = False
) -> Found:
    def quantity(name: str) -> Quantity | None:
        score = measured.answered(benchmark, name, cut, value)
        if score is None:
            return None
        paired = _replicated(measured, name, cut, value) if benchmark == "memora" else {}
        return Quantity(score["passed"], score["questions"] - score["na"], **paired, broken=score["errors"])

    return measured.of_system(system, benchmark, quantity, asks_nothing=asks_nothing)


def _replicated(measured: Measured, name: str, cut: str, value: str) -> dict[str, int]:
    """Questions of Memora with a released verdict, and those passed there alone or here alone; empty without any."""
    column = {"history": "persona", "part": "task"}.get(cut)
    own = [row for row in measured.memora if row["configuration"] == name and (column is None or row[column] == value)]
    differing = [row["published"] == "pass" for row in own if not row["agree"]]
    paired = {
        "compared": len(own),
        "only_published": sum(differing),
        "only_here": len(differing) - sum(differing),
    }
    return paired if own else {}


def _longmemeval(number: PublishedNumber, measured: Measured) -> Found:
    cut = "overall" if number.row == ALL else "part"

    def quantity(name: str) -> Quantity | None:
        score = measured.answered("longmemeval", name, cut, number.row)
        if score is None:
            return None
        if number.column == "n":
            return Quantity(score["questions"])
        rate = score[f"recall_at_{number.column.removeprefix('r@')}"]
        return None if rate is None else Quantity(rate, broken=score["errors"])

    return measured.of_system("lethe", "longmemeval", quantity)


def _suites(number: PublishedNumber, measured: Measured) -> Found:
    parts = {
        "template": ("template", ALL, "overall"),
        "adversarial": ("adversarial", ALL, "overall"),
        "core": ("adversarial", "core", "provenance"),
        "expansion": ("adversarial", "expansion", "provenance"),
        "identifier_obfuscation_after": ("adversarial", "identifier_obfuscation", "category"),
        "external": ("external", ALL, "overall"),
    }
    if number.row in parts:
        return measured.cases(*parts[number.row])
    if number.row == "both":
        return _sum(measured, parts["template"], parts["adversarial"])
    if number.row == "categories" and "adversarial" in measured.suites:
        return measured.counterpart("", "adversarial", Quantity(len(measured.suites["adversarial"].values("category"))))
    if number.row == "families" and "adversarial" in measured.case_rows:
        families = {row["family"] for row in measured.case_rows["adversarial"]}
        return measured.counterpart("", "adversarial", Quantity(len(families)))
    return _nothing(number)


def _sum(measured: Measured, *parts: tuple[str, str, str]) -> Found:
    found = [measured.cases(*part) for part in parts]
    missing = next((one for one in found if isinstance(one, Missing)), None)
    if missing is not None:
        return missing
    whole = sum(one.quantity.value for one in found if isinstance(one, Counterpart))
    return Counterpart("", " and ".join(measured.source(role) for role, _, _ in parts), Quantity(whole))


def _headline(number: PublishedNumber, measured: Measured) -> Found:
    if number.row == "lift_without_compound_fact":
        return _lift(measured, "adversarial", number.column, _UNHOOKED[number.column], WITHOUT_COMPOUND)
    if number.row == "external_joint_lift":
        return _lift(measured, "external", number.column, _UNHOOKED[number.column], evaluable=True)
    if number.row in ("pass_band", "identifier_obfuscation", "cross_lingual_identifier"):
        return _among(number, measured, _DETERMINISTIC)
    if number.row == "deterministic_without_compound_fact":
        return _among(number, measured, ("lethe", "langgraph"))
    if number.row == "cost_per_run":
        costs = {f"{run['system']}@{run['model']}": run["cost_usd"] / run["repetitions"] for run in measured.llm_runs}

        def cost(name: str) -> Quantity | None:
            return Quantity(costs[name]) if name in costs else None

        return measured.of_system(number.column, "adversarial", cost)
    if number.row == "wall_per_case":
        return _slowest(number, measured)
    return _nothing(number)


def _among(number: PublishedNumber, measured: Measured, systems: tuple[str, ...], role: str = "adversarial") -> Found:
    """The lowest and the highest of some systems, overall, without `compound_fact` or in a category."""
    part = _part_of(WITHOUT_COMPOUND if number.row.endswith(WITHOUT_COMPOUND) else number.row)
    found: list[Counterpart] = []
    for system in systems:
        one = measured.of_system(system, role, lambda name: measured.share(role, name, *part))
        if isinstance(one, Missing):
            return one
        found.append(one)
    found.sort(key=lambda one: one.quantity.value)
    if number.column == "spread":
        label = f"{found[-1].configuration} and {found[0].configuration}"
        return measured.counterpart(label, role, _points(found[-1].quantity, found[0].quantity))
    return found[0 if number.column == "low" else -1]


def _slowest(number: PublishedNumber, measured: Measured) -> Found:
    """The shortest or the longest time per case of the systems of the sentence."""
    found = [measured.time(system, "wall_ms", 1.0) for system in ("lethe", "langgraph", "mempalace")]
    missing = next((one for one in found if isinstance(one, Missing)), None)
    if missing is not None:
        return missing
    times = sorted((one for one in found if isinstance(one, Counterpart)), key=lambda one: one.quantity.value)
    return times[0 if number.column.endswith("lowest") else -1]


def _paired(number: PublishedNumber, measured: Measured) -> Found:
    for pair in measured.paired:
        if (pair["first"], pair["second"], pair["scorer"]) == ("lethe", "langgraph", measured.setup.scorer):
            values = {
                "discordant": Quantity(pair["first_only"] + pair["second_only"], pair["cases"]),
                "first_only": Quantity(pair["first_only"], pair["cases"]),
                "second_only": Quantity(pair["second_only"], pair["cases"]),
                "chi_squared_corrected": Quantity(pair["chi_squared"]),
                "p_corrected": Quantity(pair["p_corrected"]),
            }
            return measured.counterpart("Lethe and LangGraph", "adversarial", values[number.column])
    return Missing("Lethe or LangGraph did not run")


def _wilson(number: PublishedNumber, measured: Measured) -> Found:
    category, _, end = number.row.rpartition("_")
    return _share_or_end(measured, "adversarial", number.column, (category, "category"), f"wilson_{end}")


def _scripts(number: PublishedNumber, measured: Measured) -> Found:
    if "adversarial" not in measured.case_rows:
        return Missing(measured.reason_absent("adversarial"))
    found = script_count(number, measured.case_rows["adversarial"])
    return _nothing(number) if found is None else measured.counterpart("", "adversarial", found)


def _text_external(number: PublishedNumber, measured: Measured) -> Found:
    if number.row == "pass_band_table_caption" or (number.row, number.column) == ("pass_band_main_text", "low"):
        return _among(number, measured, _DETERMINISTIC, "external")
    if number.row == "lift":
        return _lift(measured, "external", number.column, _UNHOOKED[number.column], evaluable=True)
    if number.row == "in_house_lift" and number.column in _UNHOOKED:
        return _lift(measured, "adversarial", number.column, _UNHOOKED[number.column], evaluable=True)
    if number.row == "in_house_evaluable":
        return measured.of_system(
            number.column, "adversarial", lambda name: measured.share("adversarial", name, evaluable=True)
        )
    if (number.row, number.column) == ("cases", "admitted"):
        found = measured.cases("external")
        if isinstance(found, Missing):
            return found
        return measured.counterpart("", "external", Quantity(found.quantity.value, number.n))
    return _nothing(number)


def _text_provenance(number: PublishedNumber, measured: Measured) -> Found:
    if not number.row.startswith("lift_"):
        return _nothing(number)
    part = number.row.removeprefix("lift_")
    return _lift(measured, "adversarial", number.column, _UNHOOKED[number.column], part, "provenance")


def _text_naive_sql(number: PublishedNumber, measured: Measured) -> Found:
    return _lift(measured, "adversarial", "naive_sql", "lethe", *_part_of(number.row))


def _text_hipporag(number: PublishedNumber, measured: Measured) -> Found:
    """The lower of the two canonicalisation categories."""
    categories = ("identifier_obfuscation", "cross_lingual_identifier")
    found = [_by_category("adversarial")(replace(number, row=category), measured) for category in categories]
    missing = next((one for one in found if isinstance(one, Missing)), None)
    if missing is not None:
        return missing
    return min((one for one in found if isinstance(one, Counterpart)), key=lambda one: one.quantity.value)


def _text_memora(number: PublishedNumber, measured: Measured) -> Found:
    if number.row == "longmemeval":
        score = measured.answered("longmemeval", "lethe", "overall", ALL)
        if score is None or score["recall_at_5"] is None:
            return Missing(measured.reason("lethe", "longmemeval"))
        return measured.counterpart(measured.label("lethe"), "longmemeval", Quantity(100 * score["recall_at_5"]))
    if number.column == "forgetting_lethe_over_langgraph":
        return _lift(measured, "adversarial", "lethe", "langgraph")
    if number.column == "recall_langgraph_over_lethe":
        first, second = (_answered(measured, "memora", name, "overall", ALL) for name in ("langgraph", "lethe"))
        if isinstance(first, Missing) or isinstance(second, Missing):
            return first if isinstance(first, Missing) else second
        return measured.counterpart(first.configuration, "memora", _points(first.quantity, second.quantity))
    found = memora_count(number, measured.sizes)
    return Missing(measured.reason("lethe", "memora")) if found is None else measured.counterpart("", "memora", found)


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
    "memora": _memora,
    "memora_persona": _memora,
    "memora_task": _memora,
    "factconsolidation": _factconsolidation,
    "longmemeval": _longmemeval,
    "text_suites": _suites,
    "text_headline": _headline,
    "text_paired": _paired,
    "text_wilson": _wilson,
    "text_latency": _time,
    "text_scripts": _scripts,
    "text_external": _text_external,
    "text_provenance": _text_provenance,
    "text_naive_sql": _text_naive_sql,
    "text_hipporag": _text_hipporag,
    "text_memora": _text_memora,
    "text_cross_llm": _text_cross_llm,
}
