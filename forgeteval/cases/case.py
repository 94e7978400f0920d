"""The case: one ForgetEval test (paper, section "ForgetEval")."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any, Literal, get_args

from forgeteval.cases.history import Anchor, History, Operation, Question
from forgeteval.cases.states import FactState, states_to_json

MutationOp = Literal["supersede", "release", "purge"]
OPERATIONS: tuple[str, ...] = get_args(MutationOp)

UNCATEGORISED = "uncategorised"
"""Category of a case that names none."""

# The words of our own suites, in the order of the tables. A suite of somebody else has words of its own.
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
OWNER_CATEGORIES = (
    "same_fact",
    "what_i_told",
    "not_entitled",
    "before_a_date",
    "quoted_elsewhere",
    "shared_row",
    "mixed_operations",
)
"""Categories of the cases about whose memory something is."""
LANGUAGE_CATEGORIES = ("same_language", "other_language")
"""Categories of the requests in ten languages: the facts are in the request's language, or in another."""
CATEGORIES = FAMILIES + ADVERSARIAL_CATEGORIES + OWNER_CATEGORIES + LANGUAGE_CATEGORIES
"""All categories of our suites; those of the template suite are the families."""

PROVENANCES = ("template", "written_first", "written_later", "held_out", "core", "expansion", "external", "imported")
"""Where a case of ours is from; `core` and `expansion` are the paper's handcrafted and generated cases."""
FIRST = ("written_first", "core")
"""Provenances of the cases that a suite was begun with, all of them written by hand."""
SUBLABELS = ("mechanism", "script", "identifier_type", "language")
"""Parts of a suite that a case may name; `language` is that of the request."""
CHECKED_FIELDS = ("must_contain", "must_not_contain")
"""Of these a case has at least one."""
TESTED_FIELDS = ("case_id", "category", "setup_facts", "mutations", "final_query", *CHECKED_FIELDS)
"""What a suite's checksum is made of, with `OWNER_FIELDS` where a case has them."""
OWNER_FIELDS = ("owners", "asked_by", "asker")
"""Whose a memory is, and who asks."""
_FURTHER = (
    "family",
    "provenance",
    "gold_rows",
    "states",
    "forbidden_identifiers",
    *OWNER_FIELDS,
    "language_check",
    "twin_of",
    "suite",
    *SUBLABELS,
)
FIELDS = (*TESTED_FIELDS, *_FURTHER)


def in_known_order(words: Iterable[str], known: Sequence[str] = CATEGORIES) -> list[str]:
    """Each of the words once: those of our suites in their order, then the others as they come.

    >>> in_known_order(["gdpr_request", "purge", "drift", "purge"])
    ['purge', 'drift', 'gdpr_request']
    """
    present = dict.fromkeys(words)
    return [*(word for word in known if word in present), *(word for word in present if word not in known)]


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

    >>> from forgeteval import load_suite
    >>> case = load_suite("adversarial")[0]
    >>> case.case_id, case.category, [mutation.op for mutation in case.mutations]
    ('compound_fact-01', 'compound_fact', ['supersede', 'release'])
    >>> case.must_not_contain
    ('Hutnik Benda', 'sampled at noon')

    Attributes:
        category, family, provenance: the suite's own words; tables show ours in their order and others after them.
        gold_rows: the memories that a perfect store holds at the end; None if an imported suite lacks them.
        states: what becomes of each fact, likewise.
        forbidden_identifiers: what must not be recalled as whole words, for the `identifier` scorer alone: the
            substring scorer finds it in a longer identifier that has to stay.
        language_check: whether a native speaker has checked the wording.
        owners: whose each setup fact is; None where the case knows of no owners.
        asked_by: who asks for each mutation, and whose its new text is.
        asker: who asks the final query; what he may not see is forbidden.
        twin_of: the case whose facts these are, where the mutations name something that is not stored.
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
    states: tuple[FactState, ...] | None = None
    forbidden_identifiers: tuple[str, ...] = ()
    owners: tuple[tuple[str, ...], ...] | None = None
    asked_by: tuple[str, ...] = ()
    asker: str | None = None
    twin_of: str | None = None
    mechanism: str | None = None
    script: str | None = None
    identifier_type: str | None = None
    language: str | None = None
    language_check: str | None = None

    def facts(self) -> list[str]:
        """All texts that are stored: the setup facts, then the new texts of the supersedes."""
        return [*self.setup_facts, *(mutation.text for mutation in self.mutations if mutation.text is not None)]

    def texts(self) -> list[str]:
        """Each distinct text that a system may want a vector of: facts, queries, new facts and forbidden strings."""
        return self.to_history().texts()

    def to_history(self, anchored: bool = True) -> History:
        """The case as a history with one question, which is probed for every forbidden string.

        Args:
            anchored: every fact is asked for too, where the case has states.
        """
        told = self.facts()
        owners = self.owners or ((),) * len(self.setup_facts)
        facts = (
            Operation("inscribe", None, fact, owners=own) for fact, own in zip(self.setup_facts, owners, strict=True)
        )
        asked_by = ((name,) for name in self.asked_by) if self.asked_by else repeat(())
        mutations = (
            Operation(mutation.op, mutation.query, mutation.text, owners=own)
            for mutation, own in zip(self.mutations, asked_by, strict=False)
        )
        question = Question(
            self.case_id,
            self.category,
            self.final_query,
            required=self.must_contain,
            forbidden=self.must_not_contain,
            probes=self.must_not_contain,
            gold_texts=self.gold_rows,
            anchors=None
            if self.states is None or not anchored
            else tuple(Anchor(told[state.fact], state.any_of) for state in self.states),
            asker=self.asker,
        )
        return History(self.case_id, (*facts, *mutations, question))

    def to_json(self) -> dict[str, Any]:
        """The interchange form, without the fields that are None."""
        record: dict[str, Any] = {}
        for name in FIELDS:
            value = getattr(self, name)
            if value is None or (name in ("forbidden_identifiers", "asked_by") and not value):
                continue
            if name == "mutations":
                value = [mutation.to_json() for mutation in value]
            if name == "states":
                value = states_to_json(value)
            if name == "owners":
                value = [list(own) for own in value]
            record[name] = list(value) if isinstance(value, tuple) else value
        return record
