# Checked configuration and the paths that every stage shares.
import os
import re
import sys
from dataclasses import asdict, replace
from functools import cache, partial
from pathlib import Path

from snakemake.cli import get_argument_parser

from lethe import fingerprints, schemas
from lethe.study import axis, paths, plan
from lethe.study.estimate import begin_run
from lethe.study.inputs import PUBLISHED_FILE
from lethe.study.configured import setup_of
from lethe.study.replication.paper_alone import paper_alone
from lethe.config.atlas import take_in_atlas
from lethe.config.reading import check_files, checked, made_folder
from lethe.environments.extras import extra_files
from lethe.config.configurations import PIPELINE
from lethe.systems.backends import backend_class
from forgeteval.errors import UserError, one_line_errors
from lethe.fingerprints import contents_of, files_fingerprint, keep_listings
from lethe.forked_scripts import fork_scripts
from lethe.config.answering import answering_options
from lethe.jobs.work import as_parameter
from lethe.config.selection import all_configurations, chosen_suites
from lethe.config.selection import configurations_to_run


@cache
def targets_asked():
    """What the command line asks for; each look at it looks for all plugins of Snakemake."""
    return get_argument_parser().parse_known_args(sys.argv[1:])[0].targets


def whole_asked():
    """Whether the command line asks for all, and not for single files."""
    return set(targets_asked()) <= {"all", "paper", "paper_tables"}


# Relative to where Snakemake runs, so that a folder that is moved is what it was.
ROOT = Path(os.path.relpath(workflow.basedir))
# Results go to storage, such as S3, and jobs may run on machines that share no files; each then makes for itself what
# stands in environments_dir, of which storage holds the descriptions.
STORED = workflow.storage_settings.default_storage_provider is not None

# The plugin for S3 keeps the path that a pattern had before the constraints of its wildcards were set (0.3.6), so that
# several rules seem to make one file.
if workflow.storage_settings.default_storage_provider == "s3":
    provider = workflow.storage_registry.default_storage_provider
    stored = provider.get_storage_object_cls()
    stored.local_suffix = lambda it: os.path.normpath(it.query.removeprefix("s3://"))


onstart:
    with one_line_errors():
        if workflow.resource_settings.cores == 0:
            raise UserError(
                "--cores 0: no job would ever start; give 1 or more, or all"
            )
        made = [file for job in workflow.dag.needrun_jobs() for file in job.output]
        is_seen = sys.stdin is not None and sys.stdin.isatty()
        begin_run(CONFIG, is_seen, None if STORED else made, whole_asked())
    # Snakemake's limit of jobs a second, 100 unless another is asked for, makes it look at all jobs again a second after
    # each look, and once more for each job that ends: in the end hundreds of times a second (9.27).
    limit = workflow.scheduling_settings.max_jobs_per_timespan
    if limit and (limit.max_jobs, limit.timespan) == (100, 1):
        workflow.scheduler.job_rate_limiter = None


if workflow.is_main_process:
    fork_scripts()

# `snakemake paper` runs what the paper's own tables and figures follow from, and nothing else. The workflow's first process
# alone knows its targets, and those that it starts need the same rules.
if workflow.is_main_process:
    os.environ["LETHE_PAPER"] = "yes" if targets_asked() == ["paper"] else ""


envvars:
    "LETHE_PAPER",


with one_line_errors():
    check_files(map(Path, workflow.configfiles), sys.argv)
    take_in_atlas(config, ROOT)
    CONFIG = checked(config, ROOT)
if os.environ["LETHE_PAPER"]:
    CONFIG = paper_alone(CONFIG)

# What most jobs wait for comes first, then what takes longest, so that nothing long is left for the end.
EMBEDDING_FIRST, LONG_JOBS_FIRST = 2, 1

OUT = Path(CONFIG.output_dir)
# `forgeteval why` compares what the code of a job was made of with what it is now.
with one_line_errors():
    if "LETHE_LISTINGS" in os.environ:
        keep_listings(Path(os.environ["LETHE_LISTINGS"]))
    elif not workflow.output_settings.dryrun:
        keep_listings(made_folder("output_dir", OUT / "results/logs/code"))


def out(path):
    """A path below output_dir."""
    return str(OUT / path)


def built(*parts):
    """A path below environments_dir."""
    return str(Path(CONFIG.environments_dir, *parts))


def here(path):
    """A file that is not a result, and is in no storage."""
    return local(str(path))


def log_of(job, outputs):
    """The log of a job, named by the wildcards of the outputs that it makes."""
    names = re.findall(r"\{\w+\}", next(iter(outputs.values())))
    return out("/".join(["results/logs", job, *names]) + ".log")


def input_paths(names):
    """The files of a specification's inputs, by their names in lethe.study.inputs."""
    return [
        here(ROOT / name) if name == PUBLISHED_FILE else out(name) for name in names
    ]


def inputs_of(step):
    """The files of a planned step by their names, for `unpack`."""

    def named(wildcards):
        found = step.on(SETUP, **dict(wildcards.items())).inputs
        return {name: [out(path) for path in paths] for name, paths in found.items()}

    return named


def options_of(step):
    """The options of a planned step."""
    return lambda wildcards: step.on(SETUP, **dict(wildcards.items())).options


SUITES = chosen_suites(CONFIG)
CONFIGURATIONS = all_configurations(CONFIG)
# Nothing of the paper follows from what others recorded or handed in.
ELSEWHERE = [Path(os.devnull)] * 2 if os.environ["LETHE_PAPER"] else []
SETUP = setup_of(CONFIG, *ELSEWHERE)


def cases_of(suite):
    return out(schemas.CASES.path.format(suite=suite))


def freezes_of(entry):
    """The description of a configuration's environment; nothing for the workflow's own."""
    environment = entry.environment
    return [] if environment == PIPELINE else [built(f"{environment}.freeze.txt")]


# Code that is not Python is one line, as a mistake in the configuration is.
script_fingerprint = one_line_errors()(fingerprints.script_fingerprint)


run_fingerprint = one_line_errors()(
    partial(axis.run_fingerprint, ROOT / "envs" / "extras" / "matcher.lock")
)


def run_params(run):
    """What of a run its trials depend on, with its code and works; Snakemake compares no records."""
    entry = run.entry
    recalling = replace(entry, hook="", policies={}, model="")
    alike = "" if entry.gateway == "chat" else run_fingerprint(recalling)
    # How it is run; no part of what its trials depend on.
    manner = dict(heavy=entry.heavy, in_order=entry.in_order)
    backend = backend_class(entry.backend)
    return dict(
        system=asdict(replace(entry.for_trials(), backend=backend, **manner)),
        answering=answering_options(CONFIG, entry.model) if entry.model else {},
        code=[run_fingerprint(entry), alike],
        works=[as_parameter(work) for work in run.works],
        lender=run.lender,
    )


wildcard_constraints:
    suite="[^/]+",
    system="[^/]+",
    environment="[^/]+",
    embedder="[^/]+",
    model="[^/]+",
