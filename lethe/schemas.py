"""The Parquet tables of the workflow, as schemas.yaml declares them: columns, what they mean, and unique keys.

`docs/data.md` is generated from there (`forgeteval docs`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from forgeteval.yaml_data import read_yaml_data

DATA_FILES = ("schemas.yaml",)
SCHEMA_VERSION = 1

ALL, WITHOUT_COMPOUND = "all", "without_compound_fact"
"""Values of the cut `overall`. The paper's headline excludes compound_fact, which tests whether an edit primitive
exists (Table "adv", dagger)."""
SCORERS = ("substring", "probed", "identifier")

_KINDS = {
    "text": pa.string(),
    "count": pa.int64(),
    "real": pa.float64(),
    "flag": pa.bool_(),
    "texts": pa.list_(pa.string()),
    "counts": pa.list_(pa.int64()),
    "vector": pa.list_(pa.float32()),
    "mutations": pa.list_(pa.struct([("op", pa.string()), ("query", pa.string()), ("text", pa.string())])),
    "lists": pa.list_(pa.list_(pa.string())),
    "flags": pa.list_(pa.bool_()),
    "states": pa.list_(pa.struct([("fact", pa.int64()), ("state", pa.string()), ("any_of", pa.list_(pa.string()))])),
    "anchors": pa.list_(pa.struct([("text", pa.string()), ("any_of", pa.list_(pa.string())), ("role", pa.string())])),
    "evidence": pa.list_(pa.struct([("key", pa.string()), ("value", pa.string())])),
}


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


def _column(name: str, kind: str, meaning: str) -> Column:
    plain = kind.removesuffix(" or null")
    return Column(name, _KINDS[plain], meaning, nullable=plain != kind)


def _table(name: str, entry: Mapping[str, Any]) -> Table:
    columns = tuple(_column(column, *declared) for column, declared in entry["columns"].items())
    return Table(name, entry["path"], entry["meaning"], tuple(entry["key"]), columns)


_DECLARED = read_yaml_data(Path(__file__).with_name(DATA_FILES[0]))
_BY_NAME = {name: _table(name, entry) for name, entry in _DECLARED["tables"].items()}
TABLES = tuple(_BY_NAME.values())

MANIFEST = _BY_NAME["manifest"]
CASES = _BY_NAME["cases"]
VECTORS = _BY_NAME["vectors"]
TRIALS = _BY_NAME["trials"]
VERDICTS = _BY_NAME["verdicts"]
SCORES = _BY_NAME["scores"]
HANDED_IN = _BY_NAME["handed_in"]
FACT_STATES = _BY_NAME["fact_states"]
TWINS = _BY_NAME["twins"]
SCORER_AUDIT = _BY_NAME["scorer_audit"]
NEAR_DUPLICATES = _BY_NAME["near_duplicates"]
ABLATION = _BY_NAME["ablation"]
EMBEDDERS = _BY_NAME["embedders"]
EMBEDDER_ABLATION = _BY_NAME["embedder_ablation"]
STORE_SIZE = _BY_NAME["store_size"]
LLM_RUNS = _BY_NAME["llm_runs"]
HOOK_CHOICES = _BY_NAME["hook_choices"]
LLM_CALLS = _BY_NAME["llm_calls"]
RECORDED_ANSWERS = _BY_NAME["recorded_answers"]
JUDGEMENTS = _BY_NAME["judgements"]
PAIRED = _BY_NAME["paired"]
RELEASED_VERDICTS = _BY_NAME["released_verdicts"]
RELEASED_MEMORA = _BY_NAME["released_memora"]
RELEASED_LABELS = _BY_NAME["released_labels"]
RELEASED_ORIGINS = _BY_NAME["released_origins"]
RELEASED_REJECTIONS = _BY_NAME["released_rejections"]
RELEASED_SUMMARIES = _BY_NAME["released_summaries"]
RELEASED_VARIANCE = _BY_NAME["released_variance"]
RELEASED_AGREEMENT = _BY_NAME["released_agreement"]
RELEASED_MAJORITY = _BY_NAME["released_majority"]
RELEASED_JUDGES = _BY_NAME["released_judges"]
REPLICAS = _BY_NAME["replicas"]
PAIRED_RELEASED = _BY_NAME["paired_released"]
MEMORA_REPLICAS = _BY_NAME["memora_replicas"]
PASS_WORTH = _BY_NAME["pass_worth"]
NA_READINGS = _BY_NAME["na_readings"]
CLAIMS = _BY_NAME["claims"]
SUMMARY_CHECKS = _BY_NAME["summary_checks"]
HOOK_VARIANCE = _BY_NAME["hook_variance"]
REJECTION_COUNTS = _BY_NAME["rejection_counts"]
LATENCY = _BY_NAME["latency"]
ANNOTATION_SAMPLE = _BY_NAME["annotation_sample"]
ANNOTATIONS = _BY_NAME["annotations"]
AGREEMENT = _BY_NAME["agreement"]
RATER_PAIRS = _BY_NAME["rater_pairs"]
MAJORITY_CASES = _BY_NAME["majority_cases"]
REPLICATION = _BY_NAME["replication"]
LONG_EVENTS = _BY_NAME["long_events"]
LONG_ANSWERS = _BY_NAME["long_answers"]
LONG_REPLAYS = _BY_NAME["long_replays"]
LONG_SCORES = _BY_NAME["long_scores"]
ERASURE_CASES = _BY_NAME["erasure_cases"]
ERASURE_RECORDS = _BY_NAME["erasure_records"]
ERASURE_VERDICTS = _BY_NAME["erasure_verdicts"]
ERASURE_SCORES = _BY_NAME["erasure_scores"]
ERASURE_TRACES = _BY_NAME["erasure_traces"]
CROSSEVAL_OPERATIONS = _BY_NAME["crosseval_operations"]
CROSSEVAL_SIZES = _BY_NAME["crosseval_sizes"]
CROSSEVAL_QUESTIONS = _BY_NAME["crosseval_questions"]
CROSSEVAL = _BY_NAME["crosseval"]
CROSSEVAL_HISTORIES = _BY_NAME["crosseval_histories"]
CROSSEVAL_SCORES = _BY_NAME["crosseval_scores"]
