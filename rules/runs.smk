# One job for each configuration writes every file of its runs; see lethe/study/runs.py. The axes whose times or whose
# embedder need jobs of their own have rules of the same form.
import re
import sys

from snakemake.cli import get_argument_parser

from lethe.crosseval.selection import equal_runs
from lethe.jobs.work import BenchmarkWork, as_parameter
from lethe.study.runs import KEPT, Runs
from lethe.study.steps.score_ablation import LEFT_OUT

RUNS = Runs(CONFIG, SETUP)
# Nothing is mutated there, so that some configurations recall alike.
LENDERS = equal_runs(CONFIG, "factcons")
RUN_SCRIPT = "run_configuration.py"
# Who asks for single files of results has only what they follow from run. Snakemake tells its targets after this.
TARGETS = get_argument_parser().parse_known_args(sys.argv[1:])[0].targets
ASKED = [
    os.path.relpath(target, OUT) for target in TARGETS if target.endswith(".parquet")
]
ALONE = len(ASKED) == len(TARGETS) > 0


def run_params(entry, works, lender=""):
    """What a run depends on, and where it keeps its trials."""
    recalling = replace(entry, hook="", policies={}, model="")
    return dict(
        system=run_entry(entry),
        works=[as_parameter(work) for work in works],
        k=CONFIG.run.k,
        environments=built(),
        answering=answering_options(CONFIG.models[entry.model]) if entry.model else {},
        code=[run_fingerprint(entry), "" if entry.gateway == "chat" else run_fingerprint(recalling)],
        lender=KEPT.format(name=lender) if lender else "",
        fingerprint=run_fingerprint(entry, RUN_SCRIPT),
    )


def files_of(works):
    """Each file that works read, once, in their order."""
    return [
        out(path)
        for path in dict.fromkeys(
            path for work in works for path in (*work.vectors, *work.reads)
        )
    ]


def vectors_of(works):
    return [out(path) for work in works for path in work.vectors]


def lent_by(lender, works):
    """The answers of a configuration that recalls alike, which have to be there first."""
    benchmarks = [work.benchmark for work in works if isinstance(work, BenchmarkWork)]
    return (
        [out(schemas.CROSSEVAL.path.format(benchmark="factcons", system=lender))]
        if lender and "factcons" in benchmarks
        else []
    )


for NAME, WORKS in (RUNS.works_behind(ASKED) if ALONE else RUNS.works).items():
    ENTRY = CONFIGURATIONS[NAME]
    LENDER = LENDERS.get(NAME, "")

    rule:
        name:
            re.sub(r"\W", "_", f"run_{NAME}")
        input:
            files=files_of(WORKS),
            embedder=rules.prepare_embedder.output.description,
            freeze=freezes_of(ENTRY),
            weights=weights_of_model(ENTRY.model),
            server=server_of_model(ENTRY.model),
            recorded=recorded_of_model(ENTRY.model),
            lender=lent_by(LENDER, WORKS),
        output:
            [out(path) for work in WORKS for path in work.writes],
        log:
            out(f"results/logs/runs/{NAME}.log"),
        benchmark:
            out(f"results/benchmarks/runs/{NAME}.tsv")
        threads: threads_of_model(ENTRY.model)
        # Third-party stores take longest, and nothing long is to be left for the end.
        priority: LONG_JOBS_FIRST if ENTRY.environment != PIPELINE else 0
        resources:
            llm=1 if ENTRY.model else 0,
        params:
            kept=KEPT.format(name=NAME),
            **run_params(ENTRY, WORKS, LENDER),
        script:
            "../workflow_scripts/run_configuration.py"


def axis_params(kept, entry, works):
    """The parameters of a job of an axis, with a file of trials of its own."""
    return dict(kept=KEPT.format(name=kept), **run_params(entry, works))


# Time per case: one configuration after the other with nothing beside it.
for NAME in SETUP.timed():
    ENTRY, WORKS = CONFIGURATIONS[NAME], RUNS.latency(NAME)

    rule:
        name:
            re.sub(r"\W", "_", f"time_{NAME}")
        input:
            files=files_of(WORKS),
            embedder=rules.prepare_embedder.output.description,
            freeze=freezes_of(ENTRY),
        output:
            [out(path) for work in WORKS for path in work.writes],
        log:
            out(f"results/logs/latency/{NAME}.log"),
        threads: workflow.resource_settings.cores or 1
        params:
            **axis_params(f"latency/{NAME}", ENTRY, WORKS),
        script:
            "../workflow_scripts/run_configuration.py"


# What each kind of the matcher's evidence is worth.
for EVIDENCE in LEFT_OUT if SETUP.matcher_runs else []:
    ENTRY, WORKS = without_evidence(EVIDENCE), RUNS.ablation(ABLATED, EVIDENCE)

    rule:
        name:
            f"run_without_{EVIDENCE}"
        input:
            files=files_of(WORKS),
            embedder=rules.prepare_embedder.output.description,
        output:
            [out(path) for work in WORKS for path in work.writes],
        log:
            out(f"results/logs/ablation/{EVIDENCE}.log"),
        params:
            **axis_params(f"ablation/{EVIDENCE}", ENTRY, WORKS),
        script:
            "../workflow_scripts/run_configuration.py"


# The adversarial suite with further embedders.
for EMBEDDER_NAME in SETUP.embedder_ablation.embedders_to_run():
    for NAME in SETUP.embedder_ablation.configurations:
        ENTRY, WORKS = CONFIGURATIONS[NAME], RUNS.with_embedder(NAME, EMBEDDER_NAME)

        rule:
            name:
                re.sub(r"\W", "_", f"run_{NAME}_with_{EMBEDDER_NAME}")
            input:
                files=files_of(WORKS),
                embedder=FURTHER_EMBEDDER.format(embedder=EMBEDDER_NAME),
                freeze=freezes_of(ENTRY),
            output:
                [out(path) for work in WORKS for path in work.writes],
            log:
                out(f"results/logs/embedder_ablation/{EMBEDDER_NAME}/{NAME}.log"),
            params:
                **axis_params(f"{EMBEDDER_NAME}/{NAME}", ENTRY, WORKS),
            script:
                "../workflow_scripts/run_configuration.py"
