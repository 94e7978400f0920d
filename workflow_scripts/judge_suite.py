"""Let one judge model give its Stage 2 verdict on every case of a suite, or on those that people labelled."""

import sys
from pathlib import Path

from forgeteval.progress import progress
from lethe.config.answering import answering_mode, is_live
from lethe.config.chat_models import ModelConfig
from lethe.config.model import LLM_CACHE, Config
from lethe.gateway.answers import RecordedAnswers
from lethe.gateway.server import Gateway
from lethe.jobs.opening import prepared_server
from lethe.parquet import read_rows, write_rows
from lethe.people.judge_run import judge_cases, judging_lines
from lethe.schemas import JUDGEMENTS, RELEASED_LABELS
from lethe.serving.locating import served
from lethe.stored.cases import read_suite
from lethe.workflow import job

with job(snakemake):
    given, params, config = snakemake.input, snakemake.params, Config.of(snakemake.config)
    name = snakemake.wildcards.model
    model = ModelConfig.from_config(name, config.models[name].model_dump(exclude_unset=True))
    cache = Path(config.output_dir, LLM_CACHE)
    recorded = RecordedAnswers.of(Path(config.llm.answers), [name])
    cases = read_suite(Path(given.cases))
    if labels := given.get("labels"):
        labelled = {row["case_id"] for row in read_rows(Path(labels), RELEASED_LABELS)}
        cases = [case for case in cases if case.case_id in labelled]
    weights, server = (Path(given[key]) if given.get(key) else None for key in ("weights", "server"))
    with (
        served(model, prepared_server(config, Path(params.environments), weights, server)) as addresses,
        Gateway({name: model}, cache, answering_mode(config, name), served=addresses, recorded=recorded) as gateway,
        progress(f"{name} judges {snakemake.wildcards.suite}", len(cases)) as advance,
    ):
        rows = judge_cases(cases, gateway, model, advance)
    output = Path(snakemake.output.judgements)
    write_rows(output, JUDGEMENTS, rows, params.fingerprint)
    for line in judging_lines(output, rows, gateway.usage, is_live(config, name)):
        print(line, file=sys.stderr)
