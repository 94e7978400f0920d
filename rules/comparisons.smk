# Tables and the figure that set systems against each other.
COMPARISONS = {
    "paired_tests": expand(
        rules.compare_systems.output.paired, suite=ADVERSARIAL_SUITE
    ),
    "latency": expand(rules.compare_systems.output.latency, suite=SUITES),
    "label_partition": expand(
        rules.compare_systems.output.partition, suite=ADVERSARIAL_SUITE
    ),
    "embedder_ablation": expand(SCORES, suite=ADVERSARIAL_SUITE),
}


rule write_comparison:
    input:
        results=lambda wildcards: COMPARISONS[wildcards.comparison],
        published=ROOT / "config" / "published.csv",
    output:
        latex=out("paper_tables/{comparison}.tex"),
        csv=out("paper_tables/{comparison}.csv"),
    log:
        out("results/logs/paper/{comparison}.log"),
    wildcard_constraints:
        comparison="|".join(COMPARISONS),
    params:
        labels=LABELS,
        suite=ADVERSARIAL_SUITE,
        suites=SUITES,
        reference=config["paper"]["reference_system"],
        embedder=config["embedder"]["name"],
        embedding_rows=[
            name
            for name, row in CONFIGURATIONS.items()
            if row["regime"] == "deterministic" and row.get("backend") != "naive_sql"
        ],
        fingerprint=script_fingerprint("write_comparison.py"),
    script:
        "../workflow_scripts/write_comparison.py"


rule draw_trade_off:
    input:
        scores=expand(SCORES, suite=ADVERSARIAL_SUITE),
        memora=(
            expand(rules.score_crosseval.output.scores, benchmark="memora")
            if CROSSEVAL_CONFIGURATIONS["memora"]
            else []
        ),
    output:
        pdf=out("figures/trade_off.pdf"),
        png=report(out("figures/trade_off.png"), category="Figures"),
    log:
        out("results/logs/paper/trade_off.log"),
    params:
        labels=LABELS,
        suite=ADVERSARIAL_SUITE,
        lifts=hook_pairs(CONFIGURATIONS),
        absent=reason_absent(config, "memora"),
        fingerprint=script_fingerprint("draw_trade_off.py"),
    script:
        "../workflow_scripts/draw_trade_off.py"


COMPARISON_FILES = [
    *expand(out("paper_tables/{table}.{kind}"), table=COMPARISONS, kind=["tex", "csv"]),
    *rules.draw_trade_off.output,
]
