"""What the paper's printed numbers must come to if they agree with one another."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from lethe.analysis.intervals import wilson
from lethe.forgeteval.cases import ADVERSARIAL_CATEGORIES
from lethe.paper.published import Place, Published, PublishedNumber
from lethe.schemas import ALL, WITHOUT_COMPOUND


class Comparison(NamedTuple):
    """A printed number and what the paper's other numbers make of it."""

    name: str
    printed: float
    follows: float
    tolerance: float

    @property
    def agrees(self) -> bool:
        return abs(self.printed - self.follows) <= self.tolerance + 1e-9


def all_comparisons(paper: Published) -> Iterator[Comparison]:
    yield from percents_of_counts(paper)
    yield from wilson_intervals(paper)
    yield from category_sums(paper)
    yield from partition_sums(paper)
    yield from not_applicable_sums(paper)
    yield from differences(paper)
    yield from memora_sums(paper)
    yield from longmemeval_mean(paper)
    yield from judges(paper)
    yield from repeated_numbers(paper)
    yield from claims(paper)


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
        round(float(paper.value("naive_sql", name, "naive_sql", "percent")) / 100 * _size(paper, name))
        for name in ADVERSARIAL_CATEGORIES
    )
    yield Comparison("sum naive_sql passed", float(paper.value("naive_sql", ALL, "naive_sql", "cases")), naive, 0)


def _size(paper: Published, category: str) -> int:
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
            yield Comparison(f"N/A {system}/{name} and evaluable", whole, _size(paper, name), 0)
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


def differences(paper: Published) -> Iterator[Comparison]:
    """A printed difference from the two printed percents (which are rounded, as the paper's differences are)."""

    def gap(name: str, printed: float, first: float, second: float, half_step: float) -> Comparison:
        return Comparison(f"difference {name}", printed, first - second, half_step)

    for backend in ("lethe", "langgraph"):
        base = float(paper.value("cross_llm", backend, "no_llm", "percent"))
        for model in ("qwen-2.5-72b", "deepseek-v3"):
            lift = float(paper.value("cross_llm", f"{backend}_delta", model, "points"))
            with_model = float(paper.value("cross_llm", backend, model, "percent"))
            yield gap(f"cross_llm/{backend}/{model}", lift, with_model, base, 0)
        llama = float(paper.value("cross_llm", backend, "llama-3.1-70b", "percent"))
        yield gap(f"cross_llm/{backend}/llama-3.1-70b falls through to the baseline", 0, llama, base, 0)
    for system in paper.rows("provenance"):
        core, expansion = (float(paper.value("provenance", system, part, "percent")) for part in ("core", "expansion"))
        yield gap(
            f"provenance/{system}", float(paper.value("provenance", system, "delta", "points")), core, expansion, 0.1
        )
    for row in paper.rows("mem0_modes"):
        on, off = (float(paper.value("mem0_modes", row, mode, "percent")) for mode in ("mem0_infer", "mem0"))
        yield gap(f"mem0_modes/{row}", float(paper.value("mem0_modes", row, "delta", "points")), on, off, 0)
    for row, number in (
        ("all", -23),
        *((name, None) for name in ("prefix_collision", "paraphrase_supersession", "negation_trap")),
    ):
        naive, lethe = (float(paper.value("naive_sql", row, system, "percent")) for system in ("naive_sql", "lethe"))
        printed = float(paper.value("text_naive_sql", row, "delta", "points"))
        yield gap(f"naive_sql/{row}", printed, naive, lethe, 0.5 if number else 0)
    for system in ("lethe", "langgraph"):
        hooked = float(paper.value("external", ALL, f"{system}+llm", "percent"))
        lift = float(paper.value("text_external", "lift", f"{system}+llm", "points"))
        yield gap(f"external/{system}+llm", lift, hooked, float(paper.value("external", ALL, system, "percent")), 0)
    for table, where in (("text_external", "lift"), ("text_headline", "external_joint_lift")):
        joint, alone = (
            float(paper.value("external_ecosystem", "evaluable", system, "percent"))
            for system in ("letta+llm", "letta")
        )
        yield gap(f"{table} letta+llm", float(paper.value(table, where, "letta+llm", "points")), joint, alone, 0)
    excl = {
        s: float(paper.value("adversarial", WITHOUT_COMPOUND, s, "percent"))
        for s in ("lethe", "langgraph", "lethe+llm")
    }
    lift = float(paper.value("text_headline", "lift_without_compound_fact", "lethe+llm", "points"))
    yield gap("headline lethe+llm", lift, excl["lethe+llm"], excl["lethe"], 0)
    lift = float(paper.value("text_headline", "lift_without_compound_fact", "langgraph+llm", "points"))
    high = float(paper.value("text_headline", "hook_without_compound_fact", "high", "percent"))
    yield gap("headline langgraph+llm", lift, high, excl["langgraph"], 0)
    whole = {s: float(paper.value("adversarial", ALL, s, "percent")) for s in ("lethe", "langgraph", "mem0")}
    spread = float(paper.value("text_headline", "pass_band", "spread", "points"))
    yield gap("pass band spread", spread, whole["mem0"], whole["langgraph"], 0)
    forgetting = float(paper.value("text_memora", "trade_off", "forgetting_lethe_over_langgraph", "points"))
    yield gap("trade-off forgetting", forgetting, whole["lethe"], whole["langgraph"], 0)
    recall = [float(paper.value("memora_persona", "total", s, "percent")) for s in ("langgraph", "lethe")]
    printed = float(paper.value("text_memora", "trade_off", "recall_langgraph_over_lethe", "points"))
    yield gap("trade-off recall", printed, *recall, 0)
    for part, columns in (("lift_core", "core"), ("lift_expansion", "expansion")):
        hooked, plain = (
            float(paper.value("provenance", s, columns, "percent")) for s in ("langgraph+llm", "langgraph")
        )
        yield gap(
            f"text {part}", float(paper.value("text_provenance", part, "langgraph+llm", "points")), hooked, plain, 0.5
        )


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


def judges(paper: Published) -> Iterator[Comparison]:
    """What two-valued labels on the same 100 cases allow."""
    well = {
        row: int(paper.value("judge_agreement", row, "well_formed", "cases")) for row in paper.rows("judge_agreement")
    }
    for row, count in well.items():
        ill = int(paper.value("judge_agreement", row, "ill_formed", "cases"))
        yield Comparison(f"judge_agreement/{row} labels", count + ill, 100, 0)
        for column in ("human_majority", "qwen-2.5-72b", "deepseek-v3"):
            one, other = (paper.find("judge_agreement", a, b, "cases") for a, b in ((row, column), (column, row)))
            if one is not None and other is not None:
                yield Comparison(
                    f"judge_agreement/{row}/{column} both ways", float(one.value or 0), float(other.value or 0), 0
                )
            if one is not None:
                # Disagreements and the difference of the counts are even or odd together.
                odd = (100 - int(one.value or 0) - (count - well[column])) % 2
                yield Comparison(f"judge_agreement/{row}/{column} parity", odd, 0, 0)
    pairs = sum(
        int(paper.value("judge_agreement", a, b, "cases"))
        for a, b in (
            ("claude-opus-4.7", "qwen-2.5-72b"),
            ("claude-opus-4.7", "deepseek-v3"),
            ("qwen-2.5-72b", "deepseek-v3"),
        )
    )
    # With two labels, three judges who are not unanimous have exactly one pair that agrees.
    yield Comparison(
        "three judges unanimous",
        float(paper.value("text_agreement", "three_judges", "unanimous", "cases")),
        (pairs - 100) / 2,
        0,
    )
    ill_wf = int(paper.value("text_agreement", "judge_claude-opus-4.7", "judge_ill_humans_wf", "cases"))
    yield Comparison("claude well-formed", well["claude-opus-4.7"], well["human_majority"] - ill_wf, 0)

    def qwen(column: str) -> int:
        return int(paper.value("text_agreement", "judge_qwen-2.5-72b", column, "cases"))

    modes = qwen("judge_ill_humans_wf") + qwen("judge_wf_humans_ill")
    yield Comparison("qwen disagreements by mode", modes, qwen("disagreements"), 0)
    yield Comparison("qwen disagreements", qwen("disagreements"), 100 - qwen("agrees_with_majority"), 0)
    surplus = qwen("judge_wf_humans_ill") - qwen("judge_ill_humans_wf")
    yield Comparison("qwen well-formed surplus by mode", surplus, well["qwen-2.5-72b"] - well["human_majority"], 0)
    yield Comparison(
        "qwen accepted, humans and Claude rejected, compound_fact",
        qwen("accepted_and_claude_rejected"),
        qwen("disagreements_compound_fact"),
        0,
    )

    def audit(row: str, column: str = "all") -> int:
        return int(paper.value("text_judge_audit", row, column, "cases"))

    yield Comparison("judge audit rejected", audit("core", "rejected"), 112 - audit("core", "admitted"), 0)
    yield Comparison(
        "judge audit modes", audit("core", "rejected"), audit("mode_a") + audit("mode_b") + audit("mode_c"), 0
    )
    mode_a = audit("mode_a", "identifier_obfuscation") + audit("mode_a", "cross_lingual_identifier")
    yield Comparison("judge audit mode A", audit("mode_a"), mode_a, 0)

    def sample(column: str) -> int:
        return int(paper.value("text_agreement", "sample", column, "count"))

    yield Comparison("agreement sample", sample("cases"), sample("core") + sample("expansion"), 0)
    yield Comparison("agreement labels", sample("labels"), sample("cases") * sample("annotators"), 0)


_REPEATED = (
    # A table of one system beside Table "adversarial", and numbers of the text beside the tables'.
    *(
        (("cross_architecture", row, "lethe+llm"), ("adversarial", row, "lethe+llm"))
        for row in (*ADVERSARIAL_CATEGORIES, ALL)
    ),
    *((("mem0_modes", row, "mem0"), ("adversarial", row, "mem0")) for row in (*ADVERSARIAL_CATEGORIES, ALL)),
    *(
        ((table, row, "lethe"), ("adversarial", row, "lethe"))
        for table in ("a_mem", "graphiti", "letta", "naive_sql")
        for row in (*ADVERSARIAL_CATEGORIES, ALL)
    ),
    *(
        (("external", "in_house_385", system), ("adversarial", ALL, system))
        for system in ("lethe", "langgraph", "mempalace", "mem0", "lethe+llm")
    ),
    *((("cross_llm", system, "no_llm"), ("adversarial", ALL, system)) for system in ("lethe", "langgraph")),
    *(
        (("text_latency", system, "wall_per_case"), ("adversarial", "wall_per_case", system))
        for system in ("lethe", "mem0", "langgraph", "mempalace")
    ),
    *(
        (("text_heatmap", row, system), (system, row, system))
        for system in ("letta", "a_mem", "graphiti")
        for row in ("evaluable", ALL)
    ),
    (("text_heatmap", ALL, "mem0_infer"), ("mem0_modes", ALL, "mem0_infer")),
    (("text_external", "in_house_evaluable", "letta+llm"), ("text_heatmap", "evaluable", "letta+llm")),
    (("text_external", "in_house_evaluable", "letta"), ("letta", "evaluable", "letta")),
    (("text_hipporag", "canonicalisation", "openmemory"), ("text_heatmap", "identifier_obfuscation", "openmemory")),
    (("text_cross_llm", "compound_fact_v0.5", "deepseek-v3"), ("adversarial", "compound_fact", "lethe+llm")),
    (("text_external", "pass_band_table_caption", "high"), ("text_external", "pass_band_main_text", "high")),
    (("text_headline", "wall_per_case", "deterministic_highest"), ("adversarial", "wall_per_case", "mem0")),
)


def repeated_numbers(paper: Published) -> Iterator[Comparison]:
    """A number that stands in two places."""
    for one, other in _REPEATED:
        first, second = paper.by_place.get(one, {}), paper.by_place.get(other, {})
        for unit in first.keys() & second.keys():
            printed, again = first[unit], second[unit]
            tolerance = max(printed.half_step, again.half_step) if printed.half_step != again.half_step else 0
            yield Comparison(
                f"repeated {'/'.join(one)} {unit}", float(printed.value or 0), float(again.value or 0), tolerance
            )


def claims(paper: Published) -> Iterator[Comparison]:
    """Sums and bounds that the text states."""

    def size(row: str) -> float:
        return float(paper.value("text_suites", row, "cases", "count"))

    yield Comparison("suites together", size("both"), size("template") + size("adversarial"), 0)
    yield Comparison("core and expansion", size("adversarial"), size("core") + size("expansion"), 0)
    yield Comparison("core", size("core"), size("core_original") + size("core_added"), 0)
    grown = size("identifier_obfuscation_before") + size("core_added")
    yield Comparison("identifier_obfuscation", size("identifier_obfuscation_after"), grown, 0)
    scripts = sum(float(n.value or 0) for n in paper if n.table == "text_scripts" and n.column == "n")
    yield Comparison("scripts", _size(paper, "cross_lingual_identifier"), scripts, 0)
    only = [float(paper.value("text_paired", "lethe_langgraph", f"{who}_only", "cases")) for who in ("first", "second")]
    yield Comparison(
        "McNemar discordant", float(paper.value("text_paired", "lethe_langgraph", "discordant", "cases")), sum(only), 0
    )
    statistic = (abs(only[0] - only[1]) - 1) ** 2 / sum(only)
    yield Comparison(
        "McNemar statistic",
        float(paper.value("text_paired", "lethe_langgraph", "chi_squared_corrected", "score")),
        statistic,
        0.0005,
    )
    lead = float(
        paper.value("adversarial", ALL, "lethe", "cases") - paper.value("adversarial", ALL, "langgraph", "cases")
    )
    yield Comparison("McNemar lead", only[0] - only[1], lead, 0)
    yield Comparison(
        "external cases", size("external"), float(paper.value("text_external", "cases", "admitted", "cases")), 0
    )
    audit = [float(paper.value("text_scorer_audit", row, "lethe", "cases")) for row in ("true_failures", "artifacts")]
    yield Comparison(
        "scorer audit", sum(audit), float(paper.value("text_scorer_audit", "sample", "failures", "count")), 0
    )
    kinds = sum(
        float(paper.value("text_scorer_audit", "artifacts", c, "cases"))
        for c in ("prefix_collision", "supersession", "canonicalisation")
    )
    yield Comparison("scorer artifacts", audit[1], kinds, 0)
    failures = [
        float(paper.value("text_external", "universal_failures", c, "cases"))
        for c in ("negation_trap", "compound_fact", "recursive_supersession")
    ]
    yield Comparison(
        "external universal failures",
        float(paper.value("text_external", "universal_failures", ALL, "cases")),
        sum(failures),
        0,
    )
    repaired = 100 * float(paper.value("text_mem0_modes", "repaired", "mem0_infer", "calls")) / 1200
    yield Comparison(
        "malformed JSON",
        float(paper.value("text_mem0_modes", "malformed_json", "mem0_infer", "percent")),
        repaired,
        0.5,
    )
    whole = 385 * float(paper.value("text_latency", "a_mem", "wall_per_case", "s")) / 60
    yield Comparison("A-MEM run", float(paper.value("text_latency", "a_mem", "whole_run", "min")), whole, 1)
    slower = float(paper.value("text_latency", "mem0", "wall_per_case", "ms")) / float(
        paper.value("text_latency", "lethe", "wall_per_case", "ms")
    )
    yield Comparison(
        "Mem0 against Lethe", float(paper.value("text_latency", "mem0", "times_lethe", "ratio")), slower, 0.5
    )
    lift = float(paper.value("cross_llm", "lethe_delta", "qwen-2.5-72b", "points"))
    yield Comparison(
        "Qwen's lift in the limitations",
        float(paper.value("text_cross_llm", "limitations_lift", "qwen-2.5-72b", "points")),
        lift,
        0.5,
    )
    lift = float(paper.value("text_headline", "lift_without_compound_fact", "lethe+llm", "points"))
    yield Comparison(
        "DeepSeek's lift in the limitations",
        float(paper.value("text_cross_llm", "limitations_lift", "deepseek-v3", "points")),
        lift,
        0.5,
    )
    for category in ("identifier_obfuscation", "cross_lingual_identifier"):
        top = max(float(paper.value("adversarial", category, s, "percent")) for s in ("lethe", "langgraph", "mem0"))
        yield Comparison(
            f"deterministic highest {category}",
            float(paper.value("text_headline", category, "deterministic_highest", "percent")),
            top,
            0,
        )
    lowest = min(
        float(paper.value("adversarial", category, s, "percent"))
        for category in ("substring_trap", "temporal_qualifier", "negation_trap", "recursive_supersession")
        for s in ("lethe", "langgraph", "mem0")
    )
    yield Comparison(
        "deterministic lowest lexical/temporal",
        float(paper.value("text_headline", "lexical_temporal", "deterministic_lowest", "percent")),
        lowest,
        0,
    )
