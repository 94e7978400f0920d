"""The case: one ForgetEval test (paper, section "ForgetEval")."""

from dataclasses import dataclass
from typing import Any, Literal, get_args

from lethe.cases.history import History, Operation, Question

MutationOp = Literal["supersede", "release", "purge"]
OPERATIONS: tuple[str, ...] = get_args(MutationOp)

FAMILIES = ("supersession", "decay", "amnesia", "purge", "drift")
ADVERSARIAL_CATEGORIES = (
    "substring_trap",
    "prefix_collision",
    "paraphrase_supersession",
    "negation_trap",
    "temporal_qualifier",
    "shared_attribute",
    "compound_fact",
    "identifier_obfuscation",
    "cross_lingual_identifier",
    "recursive_supersession",
)
CATEGORIES = FAMILIES + ADVERSARIAL_CATEGORIES
"""All categories; those of the template suite are the families."""

PROVENANCES = ("template", "core", "expansion", "held_out", "external", "imported")
SUBLABELS = ("mechanism", "script", "identifier_type")
REQUIRED_FIELDS = ("category", "setup_facts", "mutations", "final_query", "must_contain", "must_not_contain")
_OPTIONAL = ("family", "provenance", "gold_rows", "suite", *SUBLABELS)
FIELDS = ("case_id", *REQUIRED_FIELDS, *_OPTIONAL)


@dataclass(frozen=True, slots=True)
class Mutation:
    """One control-plane call; `text` is the new fact of a supersede, otherwise None."""

    op: MutationOp
    query: str
    text: str | None = None

    def to_json(self) -> list[str]:
        return [self.op, self.query] if self.text is None else [self.op, self.query, self.text]


@dataclass(frozen=True, slots=True)
class Case:
    """One test (paper, section "ForgetEval"): facts are inscribed, mutations are called, one query is asked.

    `gold_rows` are the memories that a perfect store holds at the end; None if an imported suite lacks them.
    """

    case_id: str
    suite: str
    category: str
    setup_facts: tuple[str, ...]
    mutations: tuple[Mutation, ...]
    final_query: str
    must_contain: tuple[str, ...]
    must_not_contain: tuple[str, ...]
    family: str | None = None
    provenance: str = "imported"
    gold_rows: tuple[str, ...] | None = None
    mechanism: str | None = None
    script: str | None = None
    identifier_type: str | None = None

    def texts(self) -> list[str]:
        """Each distinct text that a system may want a vector of: facts, queries, new facts and forbidden strings."""
        return self.to_history().texts()

    def to_history(self) -> History:
        """The case as a history with one question, which is probed for every forbidden string."""
        facts = (Operation("inscribe", None, fact) for fact in self.setup_facts)
        mutations = (Operation(mutation.op, mutation.query, mutation.text) for mutation in self.mutations)
        question = Question(
            self.case_id,
            self.category,
            self.final_query,
            required=self.must_contain,
            forbidden=self.must_not_contain,
            probes=self.must_not_contain,
            gold_texts=self.gold_rows,
        )
        return History(self.case_id, (*facts, *mutations, question))

    def to_json(self) -> dict[str, Any]:
        """The interchange form, without the fields that are None."""
        record: dict[str, Any] = {}
        for name in FIELDS:
            value = getattr(self, name)
            if value is None:
                continue
            if name == "mutations":
                value = [mutation.to_json() for mutation in value]
            record[name] = list(value) if isinstance(value, tuple) else value
        return record
