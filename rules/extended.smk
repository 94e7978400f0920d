# The tables of the extended systems, beside what the paper printed.
from lethe.tables.extended import EXTENDED

EXTENDED_SUITES = {
    table: "external" if table.startswith("external") else ADVERSARIAL_SUITE
    for table in [*EXTENDED, "ecosystem"]
}


rule write_extended_table:
    input:
        scores=extended_scores,
        published=ROOT / "config" / "published.csv",
    output:
        latex=out("paper_tables/{table}.tex"),
        csv=report(out("paper_tables/{table}.csv"), category="Tables"),
    log:
        out("results/logs/paper/{table}.log"),
    wildcard_constraints:
        table="|".join(EXTENDED_SUITES),
    params:
        labels=LABELS,
        suite=lambda wildcards: EXTENDED_SUITES[wildcards.table],
        absent=lambda wildcards: EMPTY_SUITES.get(
            EXTENDED_SUITES[wildcards.table], "not run: left out by run.suites"
        ),
        fingerprint=script_fingerprint("write_extended_table.py"),
    script:
        "../workflow_scripts/write_extended_table.py"


EXTENDED_TABLES = expand(
    out("paper_tables/{table}.{kind}"), table=EXTENDED_SUITES, kind=["tex", "csv"]
)
