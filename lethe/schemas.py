"""The Parquet tables of the workflow: columns, what they mean, and the keys that must be unique.

`docs/data.md` is generated from here (`lethe docs`).
"""

from dataclasses import dataclass

import pyarrow as pa

SCHEMA_VERSION = 1

ALL, WITHOUT_COMPOUND = "all", "without_compound_fact"
"""Values of the cut `overall`. The paper's headline excludes compound_fact, which tests whether an edit primitive
exists (Table "adv", dagger)."""
SCORERS = ("substring", "probed", "identifier")

_TEXTS = pa.list_(pa.string())
_MUTATION = pa.struct([("op", pa.string()), ("query", pa.string()), ("text", pa.string())])


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its Arrow type, its meaning (with unit), and whether it may be null."""

    name: str
    type: pa.DataType
    meaning: str
    nullable: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """One kind of Parquet file: its path, columns and unique key."""

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
    _text("model", "name of the chat model in config; empty if the system calls none"),
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
        _text("provenance", "template, core, expansion, held_out, external or imported"),
        Column("setup_facts", _TEXTS, "facts inscribed before the mutations, in order"),
        Column("mutations", pa.list_(_MUTATION), "control-plane calls in order; text is null except for supersede"),
        _text("final_query", "the one question asked at the end"),
        Column("must_contain", _TEXTS, "strings that the recalled texts must contain"),
        Column("must_not_contain", _TEXTS, "strings that the recalled texts must not contain"),
        Column(
            "gold_rows", _TEXTS, "memories that a perfect store holds at the end; null if the suite lacks them", True
        ),
        _text("mechanism", "what makes the case hard; the sub-template of a template case", nullable=True),
        _text("script", "script family of a cross-lingual case", nullable=True),
        _text("identifier_type", "kind of identifier that the case is about", nullable=True),
    ),
)

VECTORS = Table(
    "vectors",
    "results/embeddings/{suite}.parquet",
    "Each distinct text of a suite with its vector by the configured embedder.",
    ("text",),
    (
        _text("text", "the text as embedded"),
        Column("vector", pa.list_(pa.float32()), "unit vector of float32"),
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
        _text("probed_verdict", "verdict if each forbidden string is also asked for directly", nullable=True),
        _count("residue", "forbidden strings left in the system's storage; null if not examined", True),
        _real("inscribe_ms", "wall time of inscribing the facts, ms"),
        _real("mutate_ms", "wall time of the mutations, ms"),
        _real("recall_ms", "wall time of the final query, ms"),
        _count("llm_calls", "chat calls made during the case"),
        _count("llm_fallbacks", "decisions of a chat model that fell back to the deterministic policy"),
        _count("matcher_fallbacks", "decisions of the matcher that fell back to the deterministic policy"),
        Column("decisions", _TEXTS, "each decision of a hook: operation, outcome and reason"),
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
    "Pass counts of each system under each scorer, over all cases and by each partition of the suite.",
    ("suite", "system", "model", "scorer", "cut", "value"),
    (
        _text("suite", "name of the suite"),
        _text("system", "name of the system in config"),
        _text("model", "name of the chat model in config; empty if the system calls none"),
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
        _real("evaluable_rate", "passed / (passed + failed); null if nothing could be evaluated", True),
        _real("wall_ms", "mean wall time of an evaluated case, ms, without embedding; null if there is none", True),
    ),
)

STORE_SIZE = Table(
    "store_size",
    "results/analysis/store_size.parquet",
    "Pass counts of each system by the number of unrelated memories in its store.",
    ("suite", "size", "system"),
    (
        _text("suite", "name of the suite that the cases are taken from"),
        _count("size", "unrelated memories inscribed before each case"),
        _text("system", "name of the system in config"),
        _count("cases", "number of cases"),
        _count("passed", "verdict pass"),
        _count("na", "verdict na"),
        _count("errors", "verdict error"),
        _real("rate", "passed / cases (na and errors count against it)"),
        _real("wilson_low", "lower end of the 95 % Wilson interval of the rate"),
        _real("wilson_high", "upper end of the 95 % Wilson interval of the rate"),
        _real("recall_ms", "mean wall time of the final query, ms; null if no case was evaluated", True),
    ),
)

SCORER_AUDIT = Table(
    "scorer_audit",
    "results/analysis/scorer_audit/{suite}.parquet",
    "Evaluated trials of the measured systems with their verdicts under all scorers.",
    _TRIAL_KEY,
    (
        *_TRIAL_COLUMNS,
        _text("category", "category of the case"),
        *(_text(scorer, f"verdict under the {scorer} scorer") for scorer in SCORERS),
        Column("agree", pa.bool_(), "whether all scorers give the same verdict"),
    ),
)

NEAR_DUPLICATES = Table(
    "near_duplicates",
    "results/analysis/near_duplicates/{suite}.parquet",
    "How many pairs of a suite's cases are too alike by each measure, and the most alike pair.",
    ("suite", "measure"),
    (
        _text("suite", "name of the suite"),
        _text("measure", "meaning, row or shape"),
        _real("threshold", "similarity from which on two cases are too alike"),
        _count("pairs", "pairs of cases at or above the threshold"),
        _text("first", "the case of the most alike pair that stands first in the suite; null for a single case", True),
        _text("second", "the other case of that pair; null likewise", True),
        _real("similarity", "similarity of that pair, from 0 to 1; null likewise", True),
    ),
)

ABLATION = Table(
    "ablation",
    "results/analysis/ablation.parquet",
    "Passes of Lethe with the matcher on the adversarial suite where one kind of evidence is left out.",
    ("left_out", "category"),
    (
        _text("left_out", "the kind of evidence left out; none for the matcher as it is"),
        _text("category", "category of the cases, or all"),
        _count("cases", "number of cases"),
        _count("passed", "verdict pass"),
    ),
)

LLM_CALLS = Table(
    "llm_calls",
    "results/llm/calls.parquet",
    "Every chat call through the gateway, answered or not.",
    ("call",),
    (
        _count("call", "number of the call in the log, from 1"),
        _text("suite", "name of the suite; empty if the caller gave none"),
        _text("system", "name of the system in config; empty if the caller gave none"),
        _text("case_id", "name of the case; empty if the caller gave none"),
        _count("repetition", "number of the repetition, from 0"),
        _text("purpose", "what the call was for; empty if the caller gave none"),
        _text("prompt_hash", "first 16 hexadecimal digits of the SHA-256 of the messages"),
        _text("model", "name of the chat model in config"),
        _count("tokens_in", "prompt tokens of the answer; null if there is none or it reports none", nullable=True),
        _count("tokens_out", "completion tokens, likewise", nullable=True),
        _real("cost_usd", "original cost of the answer, US dollars; a cache hit was not paid again"),
        _real("latency_ms", "time of the answered (else the last) attempt, without queueing and back-off, ms"),
        _count("attempts", "requests sent to the endpoint for this call; 0 for a cache hit"),
        Column("cache_hit", pa.bool_(), "answered from the cache, or by an identical call in progress"),
        _text("finish_reason", "why the model ended its answer; empty if there is none"),
        _text("error", "why there is no answer", nullable=True),
    ),
)

LLM_RUNS = Table(
    "llm_runs",
    "results/analysis/llm_runs/{suite}.parquet",
    "Summary of each run with a chat model.",
    ("suite", "system", "model"),
    (
        _text("suite", "name of the suite"),
        _text("system", "name of the system in config"),
        _text("model", "name of the chat model in config"),
        _count("repetitions", "number of runs of each case"),
        _count("cases", "cases of the suite"),
        _real("rate", "share of cases passed, mean over the repetitions"),
        _real("rate_sd", "standard deviation of that share over the repetitions; null for one", True),
        _count("errors", "trials with the verdict error"),
        _text("first_error", "the first of them", nullable=True),
        _count("calls", "chat calls, cached answers included"),
        _count("fallbacks", "decisions that fell back to the deterministic policy"),
        _count("tokens_in", "prompt tokens"),
        _count("tokens_out", "completion tokens"),
        _real("cost_usd", "original cost of the answers, US dollars"),
        _real("mutate_ms", "median wall time of a case's mutations, ms; null if none was evaluated", True),
    ),
)

JUDGEMENTS = Table(
    "judgements",
    "results/judging/{suite}/{model}.parquet",
    "The judgement of one judge model on each case of a suite (Stage 2 of admission).",
    ("suite", "case_id", "judge"),
    (
        _text("suite", "name of the suite"),
        _text("case_id", "name of the case"),
        _text("category", "category of the case"),
        _text("provenance", "provenance of the case"),
        _text("judge", "name of the judge model in config"),
        _text("family", "model family of the judge"),
        _text("verdict", "admit, reject, unusable (two answers without a verdict) or error (no answer)"),
        Column("must_contain_survive", pa.bool_(), "condition (a) as the judge sees it; null without an answer", True),
        Column("forbidden_absent", pa.bool_(), "condition (b), likewise", True),
        Column("answerable", pa.bool_(), "condition (c), likewise", True),
        _text("reason", "the judge's reason; null without an answer", nullable=True),
        _text("prompt_hash", "first 16 hexadecimal digits of the SHA-256 of the prompt"),
        _text("error", "why there is no answer", nullable=True),
    ),
)

PAIRED = Table(
    "paired",
    "results/analysis/paired/{suite}.parquet",
    "Every two configurations on a suite compared case by case, under each scorer; N/A and errors count as not passed.",
    ("suite", "scorer", "first", "second"),
    (
        _text("suite", "name of the suite"),
        _text("scorer", "substring, probed or identifier"),
        _text("first", "configuration that is compared: SYSTEM or SYSTEM@MODEL"),
        _text("second", "configuration that it is compared with"),
        _count("cases", "number of cases"),
        _count("both", "cases that both pass"),
        _count("first_only", "cases that the first passes and the second does not"),
        _count("second_only", "cases that the second passes and the first does not"),
        _count("neither", "cases that neither passes"),
        _real("chi_squared", "McNemar's statistic with continuity correction"),
        _real("p_exact", "p of the exact (binomial) McNemar test, two-sided"),
        _real("p_corrected", "p of the continuity-corrected McNemar test"),
        _real("p_exact_holm", "p_exact, adjusted by Holm over all pairs of the suite under the scorer"),
        _real("p_corrected_holm", "p_corrected, adjusted likewise"),
        _real("difference", "pass rate of the first minus that of the second"),
        _real("low", "lower end of the paired-bootstrap 95 % interval of the difference (percentiles)"),
        _real("high", "upper end of that interval"),
        _count("resamples", "number of resamplings for the interval"),
    ),
)

LATENCY = Table(
    "latency",
    "results/analysis/latency/{suite}.parquet",
    "Wall time and chat calls per case, over the evaluated trials of each configuration; without embedding and reset.",
    ("suite", "system", "model"),
    (
        _text("suite", "name of the suite"),
        _text("system", "name of the system in config"),
        _text("model", "name of the chat model in config; empty if the system calls none"),
        _count("trials", "evaluated trials (pass or fail)"),
        _real("inscribe_ms", "mean wall time of inscribing a case's facts, ms"),
        _real("mutate_ms", "mean wall time of its mutations, ms"),
        _real("recall_ms", "mean wall time of its final query, ms"),
        _real("wall_ms", "mean of their sum, ms"),
        _real("wall_low", "lower end of the 95 % t interval of that mean, ms; null for a single trial", True),
        _real("wall_high", "upper end of that interval, ms; null likewise", True),
        _real("wall_median_ms", "median of the sum, ms"),
        _real("llm_calls", "mean chat calls per case, cached answers included"),
    ),
)

LABEL_PARTITION = Table(
    "label_partition",
    "results/analysis/label_partition/{suite}.parquet",
    "Passes by post-hoc label, which the reference system and the same one with a hook define.",
    ("suite", "hooked", "label", "configuration"),
    (
        _text("suite", "name of the suite"),
        _text("hooked", "configuration with a hook that splits the hard cases; empty where none ran"),
        _text("label", "manual, easy, llm_lift, unsolvable; hard where none with a hook ran; unlabelled"),
        _text("configuration", "whose passes are counted: SYSTEM or SYSTEM@MODEL"),
        _count("cases", "number of cases"),
        _count("passed", "verdict pass"),
        _count("na", "verdict na"),
        _count("errors", "verdict error"),
    ),
)

ANNOTATION_SAMPLE = Table(
    "annotation_sample",
    "results/agreement/sample.parquet",
    "The cases that annotators label, in the order of the sheets.",
    ("item",),
    (
        _count("position", "row of the case in a sheet, from 1"),
        _text("item", "name of the case in a sheet; hides its category and changes with its content"),
        _text("suite", "name of the suite"),
        _text("case_id", "name of the case"),
        _text("category", "category of the case"),
        _text("provenance", "provenance of the case"),
    ),
)

ANNOTATIONS = Table(
    "annotations",
    "results/agreement/annotations.parquet",
    "The label of each annotator for each sampled case.",
    ("annotator", "case_id"),
    (
        _text("annotator", "name of the annotator: the sheet's file name without its ending"),
        _text("case_id", "name of the case"),
        _text("category", "category of the case"),
        _text("provenance", "provenance of the case"),
        _text("label", "wf (well-formed) or ill (ill-formed)"),
        _text("comment", "the annotator's comment; may be empty"),
    ),
)

AGREEMENT = Table(
    "agreement",
    "results/analysis/agreement/measures.parquet",
    "Agreement of the annotators, over all cases and by category.",
    ("part", "measure"),
    (
        _text("part", "all, or a category"),
        _text(
            "measure", "fleiss_kappa, krippendorff_alpha or observed_agreement (mean share of equal pairs of labels)"
        ),
        _real("value", "the measure; null if it is not defined (only one label was given)", True),
        _real("low", "lower end of the bootstrap 95 % interval, cases resampled; null likewise", True),
        _real("high", "upper end of that interval; null likewise", True),
        _count("cases", "number of cases"),
        _count("annotators", "number of annotators"),
        _count("resamples", "resamplings on which the measure was defined"),
    ),
)

RATER_PAIRS = Table(
    "rater_pairs",
    "results/analysis/agreement/raters.parquet",
    "Agreement of every two of the judges and the annotators' majority, on the cases with verdicts of both.",
    ("first", "second"),
    (
        _text("first", "name of a judge model in config, or human_majority"),
        _text("second", "likewise; equal to first for the row of its own counts"),
        _count("cases", "cases with verdicts of both"),
        _count("equal", "those with equal verdicts"),
        _count("well_formed", "those that are well-formed for the first"),
        _real("kappa", "Cohen's kappa; null if it is not defined", True),
    ),
)

MAJORITY_CASES = Table(
    "majority_cases",
    "results/analysis/agreement/cases.parquet",
    "Each sampled case with the annotators' majority and each judge's verdict.",
    ("judge", "case_id"),
    (
        _text("judge", "name of the judge model in config"),
        _text("case_id", "name of the case"),
        _text("category", "category of the case"),
        _text("provenance", "provenance of the case"),
        _text("verdict", "wf or ill by the judge; null if it gave no verdict", nullable=True),
        _text("majority", "wf or ill by most annotators; null for a tie", nullable=True),
        _count("well_formed", "annotators who labelled the case well-formed"),
        _count("annotators", "number of annotators"),
    ),
)

_CROSSEVAL_KEY = (
    _text("benchmark", "memora, factcons or longmemeval"),
    _text("system", "name of the system in config"),
    _text("model", "name of the chat model in config; empty if the system calls none"),
)
_EVIDENCE = pa.struct([("key", pa.string()), ("value", pa.string())])

CROSSEVAL_OPERATIONS = Table(
    "crosseval_operations",
    "results/crosseval_data/{benchmark}/operations.parquet",
    "The operations on the store in each history of an external benchmark, in order.",
    ("benchmark", "history", "position"),
    (
        _text("benchmark", "memora, factcons or longmemeval"),
        _text("history", "the persona, the length of the facts, or the question whose haystack it is"),
        _count("position", "place in the history, from 0"),
        _text("op", "inscribe, supersede or purge"),
        _text("query", "query of a supersede or purge; null for inscribe", nullable=True),
        _text("text", "the memory inscribed; null for purge", nullable=True),
        _text("row_id", "the data set's own name of the memory: session or number of the fact", nullable=True),
    ),
)

CROSSEVAL_QUESTIONS = Table(
    "crosseval_questions",
    "results/crosseval_data/{benchmark}/questions.parquet",
    "The questions about each history's final state.",
    ("benchmark", "history", "question_id"),
    (
        _text("benchmark", "memora, factcons or longmemeval"),
        _text("history", "the history that it is about"),
        _text("question_id", "the data set's own name of the question"),
        _text("part", "task of Memora, bucket of FactConsolidation, question type of LongMemEval"),
        _text("question", "the question as asked"),
        _text(
            "criterion",
            "when it is passed: all (every required string, no forbidden one), any (one required string) or rows (a "
            "gold row)",
        ),
        Column("required", _TEXTS, "strings that the recalled texts must hold, by the criterion"),
        Column("forbidden", _TEXTS, "strings that the recalled texts must not contain"),
        Column("gold_rows", _TEXTS, "`row_id`s of the memories that answer the question"),
        Column("evidence", pa.list_(_EVIDENCE), "every scalar of Memora's memory evidence, by dotted key"),
    ),
)

CROSSEVAL = Table(
    "crosseval",
    "results/crosseval/{benchmark}/{system}.parquet",
    "The answers of one system to the questions of an external benchmark.",
    ("benchmark", "system", "model", "history", "question_id"),
    (
        *_CROSSEVAL_KEY,
        _text("history", "the history that the question is about"),
        _text("question_id", "the data set's own name of the question"),
        _text("part", "task, bucket or question type"),
        _text("verdict", "pass, fail, na (its haystack contains no gold memory) or error (the system broke)"),
        Column("missing", _TEXTS, "required strings that were not recalled; for the criterion any, where none was"),
        Column("leaked", _TEXTS, "forbidden strings that were recalled"),
        _real("recall_rate", "share of the required strings recalled (Memora); null if none is required", True),
        _real(
            "forgetting_rate", "share of the forbidden strings not recalled (Memora); null if none is forbidden", True
        ),
        Column("gold_ranks", pa.list_(pa.int64()), "ranks, from 1, of the gold memories recalled"),
        _real("ndcg", "NDCG@10 with gain 1 for a gold memory; null except for LongMemEval", True),
        Column("recalled", _TEXTS, "the top k, best first: texts, or `row_id`s for LongMemEval"),
        _real("recall_ms", "wall time of the recall, ms"),
        _text("error", "what broke", nullable=True),
    ),
)

CROSSEVAL_HISTORIES = Table(
    "crosseval_histories",
    "results/crosseval/{benchmark}/histories/{system}.parquet",
    "The replay of each history on one system.",
    ("benchmark", "system", "model", "history"),
    (
        *_CROSSEVAL_KEY,
        _text("history", "name of the history"),
        _count("inscribed", "memories inscribed, without those that superseded others"),
        _count("mutated", "mutations carried out"),
        _count("not_expressed", "mutations that the system cannot express; they are skipped, and the old memory stays"),
        _real("inscribe_ms", "wall time of inscribing, ms"),
        _real("mutate_ms", "wall time of the mutations, ms"),
        _count("fallbacks", "decisions of a hook that fell back to the deterministic policy"),
        _count("llm_calls", "chat calls made during the history"),
        _count("tokens_in", "prompt tokens"),
        _count("tokens_out", "completion tokens"),
        _real("cost_usd", "cost of the calls, US dollars"),
        _text("error", "what broke the replay", nullable=True),
    ),
)

CROSSEVAL_SCORES = Table(
    "crosseval_scores",
    "results/analysis/crosseval/{benchmark}.parquet",
    "Pass counts and rates of each system on an external benchmark, by each partition of it.",
    ("benchmark", "system", "model", "cut", "value"),
    (
        *_CROSSEVAL_KEY,
        _text("cut", "overall, part, history, or reading (another reading of Memora's evidence values)"),
        _text("value", "the part of the benchmark, by that cut; for overall: all"),
        _count("questions", "number of questions"),
        _count("passed", "verdict pass"),
        _count("failed", "verdict fail"),
        _count("na", "verdict na"),
        _count("errors", "verdict error"),
        _real("rate", "passed / (questions - na); errors count against it; null if there is none", True),
        _real("wilson_low", "lower end of the 95 % Wilson interval of the rate"),
        _real("wilson_high", "upper end of the 95 % Wilson interval of the rate"),
        _real("recall_rate", "mean of the questions' recall rates; null if no question has one", True),
        _real("forgetting_rate", "mean of the questions' forgetting rates, likewise", True),
        _real(
            "recall_at_1", "share of the questions with a gold memory in first place; null except for LongMemEval", True
        ),
        _real("recall_at_5", "the same among the first 5", True),
        _real("recall_at_10", "the same among the first 10", True),
        _real("ndcg_at_10", "mean NDCG@10; null except for LongMemEval", True),
        _count("not_expressed", "mutations that the system cannot express; null except for overall and history", True),
        _real("wall_s", "wall time of replay and recalls, s, without embedding; likewise", True),
    ),
)

REPLICATION = Table(
    "replication",
    "results/analysis/replication.parquet",
    "Each published number beside the one measured here; a cell printed as cases and percent is one row.",
    ("table", "row", "column", "unit", "measured_row"),
    (
        _text("table", "table of config/published.csv"),
        _text("row", "its row there"),
        _text("column", "its column there"),
        _text("unit", "unit of both numbers"),
        _text("printed", "the published number as printed"),
        _real("published", "the published number"),
        _count("published_n", "number of cases that it is a share of; null if the paper gives none", nullable=True),
        _text(
            "measured_row",
            "label of the row in our tables; empty for a number of no system, or of one that is not configured",
        ),
        _text("source", "label of the suite or benchmark measured on; empty if nothing ran"),
        Column(
            "same_data",
            pa.bool_(),
            "whether it was measured on the published number's own questions; null if nothing ran",
            True,
        ),
        _real("measured", "the measured number; null if nothing ran", True),
        _count("measured_n", "number of cases that it is a share of; null if it is not a share", nullable=True),
        _real("difference", "measured minus published; percentage points for cases, percent and points", True),
        _real("low", "lower end of the 95 % interval of the difference; null if there is none", True),
        _real("high", "upper end of that interval", True),
        _text("verdict", "reproduced, differs or not run"),
        _text("note", "why it was not run; empty otherwise"),
    ),
)

MANIFEST = Table(
    "manifest",
    "results/manifest.parquet",
    "Every file of a finished workflow, with checksums that reveal changes; `lethe audit` checks against it.",
    ("file",),
    (
        _text("file", "path of the file, relative to the output folder"),
        _text("sha256", "checksum of its bytes"),
        _count("bytes", "its size"),
        _text("table", "table that a Parquet file contains", nullable=True),
        _text("producer", "fingerprint of the code that made a Parquet file", nullable=True),
        _count("rows", "number of rows of a Parquet file", nullable=True),
        Column("row_digests", _TEXTS, "64-bit digest of each row, hexadecimal"),
        Column("columns", _TEXTS, "names of the columns"),
        Column("column_digests", _TEXTS, "64-bit digest of each column, hexadecimal"),
    ),
)

TABLES = (
    MANIFEST,
    CASES,
    VECTORS,
    TRIALS,
    VERDICTS,
    SCORES,
    SCORER_AUDIT,
    NEAR_DUPLICATES,
    ABLATION,
    STORE_SIZE,
    LLM_RUNS,
    LLM_CALLS,
    JUDGEMENTS,
    PAIRED,
    LATENCY,
    LABEL_PARTITION,
    ANNOTATION_SAMPLE,
    ANNOTATIONS,
    AGREEMENT,
    RATER_PAIRS,
    MAJORITY_CASES,
    REPLICATION,
    CROSSEVAL_OPERATIONS,
    CROSSEVAL_QUESTIONS,
    CROSSEVAL,
    CROSSEVAL_HISTORIES,
    CROSSEVAL_SCORES,
)
