"""The Parquet tables of the workflow: columns, what they mean, and the keys that must be unique.

`docs/data.md` is generated from here (`lethe docs`).
"""

from dataclasses import dataclass

import pyarrow as pa

SCHEMA_VERSION = 1

ALL, WITHOUT_COMPOUND = "all", "without_compound_fact"
"""Values of the cut `overall`. The paper's headline leaves compound_fact out: it tests whether an edit primitive
exists (Table "adv", dagger)."""
SCORERS = ("substring", "probed", "identifier")

_TEXTS = pa.list_(pa.string())
_MUTATION = pa.struct([("op", pa.string()), ("query", pa.string()), ("text", pa.string())])


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its Arrow type, what it holds (with unit), and whether it may be null."""

    name: str
    type: pa.DataType
    meaning: str
    nullable: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """One kind of Parquet file: where it stands, its columns and its unique key."""

    name: str
    path: str
    meaning: str
    key: tuple[str, ...]
    columns: tuple[Column, ...]

    @property
    def arrow(self) -> pa.Schema:
        return pa.schema([pa.field(c.name, c.type, c.nullable) for c in self.columns])


def _text(name: str, meaning: str, nullable: bool = False) -> Column:
    return Column(name, pa.string(), meaning, nullable)


def _count(name: str, meaning: str, nullable: bool = False) -> Column:
    return Column(name, pa.int64(), meaning, nullable)


def _real(name: str, meaning: str, nullable: bool = False) -> Column:
    return Column(name, pa.float64(), meaning, nullable)


_TRIAL_COLUMNS = (
    _text("suite", "name of the suite"),
    _text("system", "name of the system in config"),
    _text("model", "name of the chat model in config; empty where the system calls none"),
    _count("repetition", "number of the repetition, from 0"),
    _text("case_id", "name of the case"),
)
_TRIAL_KEY = tuple(column.name for column in _TRIAL_COLUMNS)

CASES = Table(
    "cases",
    "results/suites/{suite}/cases.parquet",
    "The cases of one suite, in the suite's order.",
    ("suite", "case_id"),
    (
        _text("case_id", "name of the case, unique in its suite"),
        _text("suite", "name of the suite in config"),
        _text("category", "attack category, or the family for template cases"),
        _text("family", "supersession, decay, amnesia, purge or drift", nullable=True),
        _text("provenance", "template, core, expansion, external or imported"),
        Column("setup_facts", _TEXTS, "facts inscribed before the mutations, in order"),
        Column("mutations", pa.list_(_MUTATION), "control-plane calls in order; text is null but for supersede"),
        _text("final_query", "the one question asked at the end"),
        Column("must_contain", _TEXTS, "strings that the recalled texts must hold"),
        Column("must_not_contain", _TEXTS, "strings that the recalled texts must not hold"),
        Column("gold_rows", _TEXTS, "what a perfect memory holds at the end; null where a suite lacks it", True),
        _text("mechanism", "what makes the case hard; the sub-template of a template case", nullable=True),
        _text("script", "script family of a cross-lingual case", nullable=True),
        _text("identifier_type", "kind of identifier the case turns on", nullable=True),
    ),
)

VECTORS = Table(
    "vectors",
    "results/embeddings/{suite}.parquet",
    "Each distinct text of a suite with its vector by the configured embedder.",
    ("text",),
    (
        _text("text", "the text as embedded"),
        Column("vector", pa.list_(pa.float32()), "unit vector, one float32 a dimension"),
    ),
)

TRIALS = Table(
    "trials",
    "results/runs/{suite}/{system}.parquet",
    "What one system did on each case of a suite.",
    _TRIAL_KEY,
    (
        *_TRIAL_COLUMNS,
        _text("verdict", "pass, fail, na (an operation cannot be expressed) or error (it broke)"),
        Column("missing", _TEXTS, "required strings that were not recalled"),
        Column("leaked", _TEXTS, "forbidden strings that were recalled"),
        Column("recalled", _TEXTS, "the top k texts for the final query, best first"),
        _text("probed_verdict", "verdict where each forbidden string is also asked for directly", nullable=True),
        _count("residue", "forbidden strings left in the system's own storage; null where not examined", True),
        _real("inscribe_ms", "wall time of inscribing the facts, ms"),
        _real("mutate_ms", "wall time of the mutations, ms"),
        _real("recall_ms", "wall time of the final query, ms"),
        _count("llm_calls", "chat calls made during the case"),
        _count("llm_fallbacks", "decisions that fell back to the deterministic policy"),
        _count("tokens_in", "prompt tokens"),
        _count("tokens_out", "completion tokens"),
        _real("cost_usd", "cost of the calls, US dollars"),
        _text("error", "what broke, or why the case is na", nullable=True),
    ),
)

VERDICTS = Table(
    "verdicts",
    "results/analysis/verdicts/{suite}.parquet",
    "Each trial's verdict under each scorer.",
    ("suite", "system", "model", "repetition", "case_id", "scorer"),
    (
        *_TRIAL_COLUMNS,
        _text("scorer", "substring (the paper's), probed (also asked for directly) or identifier (word boundaries)"),
        _text("verdict", "pass, fail, na or error"),
    ),
)

SCORES = Table(
    "scores",
    "results/analysis/scores/{suite}.parquet",
    "Pass counts of each system under each scorer, over all cases and by each way of cutting the suite.",
    ("suite", "system", "model", "scorer", "cut", "value"),
    (
        _text("suite", "name of the suite"),
        _text("system", "name of the system in config"),
        _text("model", "name of the chat model in config; empty where the system calls none"),
        _text("scorer", "substring, probed or identifier"),
        _text("cut", "overall, category, provenance, difficulty, script, identifier_type or mechanism"),
        _text("value", "the part of the suite, by that cut; for overall: all or without_compound_fact"),
        _count("cases", "number of cases"),
        _count("passed", "verdict pass"),
        _count("failed", "verdict fail"),
        _count("na", "verdict na"),
        _count("errors", "verdict error"),
        _real("rate", "passed / cases (na and errors count against it)"),
        _real("wilson_low", "lower end of the 95 % Wilson interval of the rate"),
        _real("wilson_high", "upper end of the 95 % Wilson interval of the rate"),
        _real("evaluable_rate", "passed / (passed + failed); null where nothing could be evaluated", True),
        _real("wall_ms", "mean wall time of an evaluated case, ms, without embedding; null where there is none", True),
    ),
)

STORE_SIZE = Table(
    "store_size",
    "results/analysis/store_size.parquet",
    "Pass counts of each system by the number of unrelated rows in its store.",
    ("suite", "size", "system"),
    (
        _text("suite", "name of the suite that the cases are taken from"),
        _count("size", "unrelated rows inscribed before each case"),
        _text("system", "name of the system in config"),
        _count("cases", "number of cases"),
        _count("passed", "verdict pass"),
        _count("na", "verdict na"),
        _count("errors", "verdict error"),
        _real("rate", "passed / cases (na and errors count against it)"),
        _real("wilson_low", "lower end of the 95 % Wilson interval of the rate"),
        _real("wilson_high", "upper end of the 95 % Wilson interval of the rate"),
        _real("recall_ms", "mean wall time of the final query, ms; null where no case was evaluated", True),
    ),
)

SCORER_AUDIT = Table(
    "scorer_audit",
    "results/analysis/scorer_audit/{suite}.parquet",
    "Evaluated trials of the measured systems with their verdict under every scorer side by side.",
    _TRIAL_KEY,
    (
        *_TRIAL_COLUMNS,
        _text("category", "category of the case"),
        *(_text(scorer, f"verdict under the {scorer} scorer") for scorer in SCORERS),
        Column("agree", pa.bool_(), "the scorers give the same verdict"),
    ),
)

LLM_CALLS = Table(
    "llm_calls",
    "results/llm/calls.parquet",
    "Every chat call that went through the gateway, answered or not.",
    ("call",),
    (
        _count("call", "number of the call in the log, from 1"),
        _text("suite", "name of the suite; empty where the caller gave none"),
        _text("system", "name of the system in config; empty where the caller gave none"),
        _text("case_id", "name of the case; empty where the caller gave none"),
        _count("repetition", "number of the repetition, from 0"),
        _text("purpose", "what the call was for; empty where the caller gave none"),
        _text("prompt_hash", "first 16 hexadecimal digits of the SHA-256 of the messages"),
        _text("model", "name of the chat model in config"),
        _count("tokens_in", "prompt tokens of the answer; null where there is none or it reports none", nullable=True),
        _count("tokens_out", "completion tokens, likewise", nullable=True),
        _real("cost_usd", "cost of the answer when it was made, US dollars; a cache hit was not paid again"),
        _real("latency_ms", "time of the answered (else the last) attempt, without queueing and back-off, ms"),
        _count("attempts", "requests sent to the endpoint for this call; 0 for a cache hit"),
        Column("cache_hit", pa.bool_(), "answered from the cache, or by an identical call that was under way"),
        _text("finish_reason", "why the model ended its answer; empty where there is none"),
        _text("error", "why there is no answer", nullable=True),
    ),
)

LLM_RUNS = Table(
    "llm_runs",
    "results/analysis/llm_runs/{suite}.parquet",
    "What each run with a chat model came to.",
    ("suite", "system", "model"),
    (
        _text("suite", "name of the suite"),
        _text("system", "name of the system in config"),
        _text("model", "name of the chat model in config"),
        _count("repetitions", "how often each case was run"),
        _count("cases", "cases of the suite"),
        _real("rate", "share of cases passed, mean over the repetitions"),
        _real("rate_sd", "standard deviation of that share over the repetitions; null for one", True),
        _count("errors", "trials that ended in an error"),
        _text("first_error", "the first of them", nullable=True),
        _count("calls", "chat calls, cached answers included"),
        _count("fallbacks", "decisions that fell back to the deterministic policy"),
        _count("tokens_in", "prompt tokens"),
        _count("tokens_out", "completion tokens"),
        _real("cost_usd", "what the answers cost when they were made, US dollars"),
        _real("mutate_ms", "median wall time of a case's mutations, ms; null where none was evaluated", True),
    ),
)

JUDGEMENTS = Table(
    "judgements",
    "results/judging/{suite}/{model}.parquet",
    "What one judge model made of each case of a suite (Stage 2 of admission).",
    ("suite", "case_id", "judge"),
    (
        _text("suite", "name of the suite"),
        _text("case_id", "name of the case"),
        _text("category", "category of the case"),
        _text("provenance", "provenance of the case"),
        _text("judge", "name of the judge model in config"),
        _text("family", "family of the judge model"),
        _text("verdict", "admit, reject, unusable (two answers without a verdict) or error (no answer)"),
        Column("must_contain_survive", pa.bool_(), "condition (a) as the judge sees it; null without an answer", True),
        Column("forbidden_absent", pa.bool_(), "condition (b), likewise", True),
        Column("answerable", pa.bool_(), "condition (c), likewise", True),
        _text("reason", "what the judge gave as its reason; null without an answer", nullable=True),
        _text("prompt_hash", "first 16 hexadecimal digits of the SHA-256 of the prompt"),
        _text("error", "why there is no answer", nullable=True),
    ),
)

TABLES = (CASES, VECTORS, TRIALS, VERDICTS, SCORES, SCORER_AUDIT, STORE_SIZE, LLM_RUNS, LLM_CALLS, JUDGEMENTS)
