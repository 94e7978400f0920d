# One job for each configuration writes every file of its runs; see lethe/study/runs.py. Short runs of an axis share one.
from lethe.study.runs import Runs

RUNS = Runs(CONFIG, SETUP)


def asked_alone():
    """The files of results, from output_dir, that are all that is asked for, of runs that are not all there."""
    targets = targets_asked()
    asked = [
        os.path.relpath(target, OUT)
        for target in targets
        if target.endswith(".parquet")
    ]
    if not targets or len(asked) < len(targets):
        return []
    jobs = {run.job for run in RUNS.behind(asked)}
    wanted = [path for run in RUNS.all() if run.job in jobs for path in run.writes]
    return asked if not all(os.path.exists(out(path)) for path in wanted) else []


# Who asks for single files has only what they follow from run. The workflow's first process alone knows its targets, and
# those that it starts elsewhere need the same rules.
if workflow.is_main_process:
    os.environ["LETHE_ASKED"] = "\n".join(asked_alone())


envvars:
    "LETHE_ASKED",


ASKED = os.environ["LETHE_ASKED"].splitlines()

for JOB in RUNS.jobs(ASKED):
    RUN = JOB.runs[0]

    rule:
        name:
            RUN.job
        input:
            **files_of_model(RUN.entry.model),
            files=[out(path) for path in JOB.reads],
            embedder=(
                FURTHER_EMBEDDER.format(embedder=RUN.embedder)
                if RUN.embedder
                else rules.prepare_embedder.output.description
            ),
            freeze=sorted({path for entry in JOB.entries for path in freezes_of(entry)}),
            lender=[out(path) for path in JOB.waits_for],
        output:
            [out(path) for path in JOB.writes],
        log:
            out(f"results/logs/{RUN.log}.log"),
        benchmark:
            out(f"results/benchmarks/{RUN.log}.tsv")
        # Third-party stores take longest, and nothing long is to be left for the end.
        priority: LONG_JOBS_FIRST if RUN.entry.environment != PIPELINE and not RUN.alone else 0
        # Where times are shown, nothing runs beside.
        threads:
            workflow.resource_settings.cores or 1
            if RUN.alone
            else threads_of_model(RUN.entry.model)
        resources:
            llm=1 if RUN.entry.model else 0,
        params:
            runs={run.kept: run_params(run) for run in JOB.runs},
            k=CONFIG.run.k,
            environments=built(),
            fingerprint=run_fingerprint(*JOB.entries, script="run_configuration.py"),
        script:
            "../workflow_scripts/run_configuration.py"
