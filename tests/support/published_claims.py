"""Differences, judges, repeated numbers and claims of the paper: what they must come to if they agree."""

from collections.abc import Iterator

from forgeteval.cases.case import ADVERSARIAL_CATEGORIES
from lethe.schemas import ALL, WITHOUT_COMPOUND
from lethe.study.published import Published
from tests.support.published_sums import Comparison, size_of


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
    yield Comparison("scripts", size_of(paper, "cross_lingual_identifier"), scripts, 0)
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
