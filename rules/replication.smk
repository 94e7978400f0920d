# The published numbers beside the measured ones.
REPLICATED_SUITES = {
    role: suite
    for role, suite in {
        "template": TEMPLATE_SUITE,
        "adversarial": ADVERSARIAL_SUITE,
        "external": "external",
    }.items()
    if suite in SUITES
}
REPLICATED_BENCHMARKS = [name for name in BENCHMARKS if CROSSEVAL_CONFIGURATIONS[name]]


rule compare_published:
    input:
        published=ROOT / "config" / "published.csv",
        scores=expand(SCORES, suite=REPLICATED_SUITES.values()),
        paired=expand(rules.compare_systems.output.paired, suite=ADVERSARIAL_SUITE),
        latency=expand(rules.compare_systems.output.latency, suite=ADVERSARIAL_SUITE),
        partition=expand(
            rules.compare_systems.output.partition, suite=ADVERSARIAL_SUITE
        ),
        llm_runs=expand(rules.score_trials.output.llm_runs, suite=ADVERSARIAL_SUITE),
        agreement=rules.score_agreement.output.measures,
        raters=rules.score_agreement.output.raters,
        crosseval=expand(
            rules.score_crosseval.output.scores, benchmark=REPLICATED_BENCHMARKS
        ),
    output:
        rows=out("results/analysis/replication.parquet"),
    log:
        out("results/logs/analysis/replication.log"),
    params:
        labels=LABELS,
        suites=REPLICATED_SUITES,
        benchmarks=REPLICATED_BENCHMARKS,
        absent=reasons_absent(),
        embedder=config["embedder"]["name"],
        fingerprint=script_fingerprint("compare_published.py"),
    script:
        "../workflow_scripts/compare_published.py"


rule write_replication:
    input:
        rows=rules.compare_published.output.rows,
    output:
        latex=out("paper_tables/replication.tex"),
        csv=out("paper_tables/replication.csv"),
        page=out("results/report/replication.html"),
    log:
        out("results/logs/paper/replication.log"),
    params:
        fingerprint=script_fingerprint("write_replication.py"),
    script:
        "../workflow_scripts/write_replication.py"
