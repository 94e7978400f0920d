# Chat models that are served on this machine: their weights, and what a job needs that starts a server for one.
from lethe.config.answering import is_live
from lethe.stored.answers import answers_path


def weights_source(wildcards):
    serve = CONFIG.models[wildcards.model].serve
    if serve.lock is not None:
        return here(ROOT / serve.lock)
    return [here(serve.weights)] if Path(serve.weights).is_file() else []


rule fetch_weights:
    input:
        source=weights_source,
    output:
        description=built("weights/{model}.json"),
    log:
        out("results/logs/serving/weights/{model}.log"),
    params:
        serve=lambda wildcards: CONFIG.models[wildcards.model].serve.model_dump(),
        fingerprint=script_fingerprint("fetch_weights.py"),
    script:
        "../workflow_scripts/fetch_weights.py"


def files_of_model(model):
    """What a job that asks a model reads: its weights and the server that the job may start for it, or the recorded answers
    that stand in for it."""
    if not model:
        return {}
    if not is_live(CONFIG, model):
        recorded = answers_path(Path(CONFIG.llm.answers), model)
        return {"recorded": here(recorded)} if recorded.is_file() else {}
    if CONFIG.models[model].serve is None:
        return {}
    return {
        "weights": built(f"weights/{model}.json"),
        "server": built("llama_cpp.freeze.txt"),
    }


def threads_of_model(model):
    """How many threads a job takes up: those of the server that it starts, else one."""
    started = "server" in files_of_model(model)
    return CONFIG.models[model].serve.threads if started else 1
