# The workflow: suites -> embeddings -> runs -> analysis -> paper. Each stage is one file of rules/.

import time

from lethe.config.answering import is_live
from lethe.findings.ending import column_lines, result_lines

STARTED = time.time()


configfile: "config/config.yaml"
configfile: "config/suites.yaml"
configfile: "config/systems.yaml"
configfile: "config/models.yaml"
configfile: "config/embedders.yaml"


include: "rules/common.smk"
include: "rules/environments.smk"
include: "rules/serving.smk"
include: "rules/suites.smk"
include: "rules/embedders.smk"
include: "rules/embeddings.smk"
include: "rules/judging.smk"
include: "rules/runs.smk"
include: "rules/analysis.smk"
include: "rules/llm.smk"
include: "rules/matcher.smk"
include: "rules/report.smk"


# To Snakemake, an older file in place of another is no change.
for EACH in workflow.rules:
    GIVEN = [file for file in EACH.input if getattr(file, "flags", {}).get("local")]
    if GIVEN:
        EACH.set_params(given=partial(contents_of, GIVEN))


# What needs the network runs where the workflow was started, on a cluster too.
localrules:
    all,
    paper,
    paper_tables,
    build_environment,
    fetch_weights,
    prepare_embedder,
    prepare_further_embedder,


# Where machines share no files, what has an input that is in no storage runs there by itself; data sets are no inputs.
if STORED:

    localrules:
        read_dataset,


# The paper's own tables and figures with their report and manifest, without everything that this project adds.
rule paper:
    input:
        rules.write_tables.output,
        rules.draw_figures.output,
        rules.write_report.output,
        [] if STORED else BEHIND,


rule paper_tables:
    input:
        rules.paper.input,
        LLM_CHECKS,


rule all:
    default_target: True
    input:
        rules.paper_tables.input,


# The whole ends with its result; single files are their own. Columns of models that were asked stand beside their stores.
onsuccess:
    touched = "--touch" in sys.argv  # nothing ran
    asked = [
        name for name in CONFIG.models if is_live(CONFIG, name) and not touched
    ]
    print(
        *column_lines(OUT, asked, STARTED),
        sep="\n",
        end="\n" if asked else "",
        file=sys.stderr,
    )
    if not touched and whole_asked():
        print(*result_lines(Path(OUT), SETUP), sep="\n", file=sys.stderr)


# A failure, and Ctrl-C too.
onerror:
    print(
        "stopped; what is finished is kept, and the same command goes on from there",
        file=sys.stderr,
    )
