"""Matcher: what its decisions look like, what each kind of evidence decides, and what it loads when."""

import json
import os
import re
import subprocess
import sys
from typing import Any

import pytest

from forgeteval.errors import UserError
from forgeteval.planners.protocol import Choice, Edit, Matches, Replace, Unsure
from forgeteval.planners.remote import RemotePlanner, answer
from lethe.embedding.embedder import FastEmbedder
from lethe.matcher import EVIDENCE_KINDS
from lethe.matcher.evidence.text.scripts import romanised
from lethe.matcher.planner import Matcher
from tests.support.bench import HashEmbedder
from tests.support.paths import ROOT

MEMORIES = [
    "The kiln room opens at 7 on Mondays",
    "Ines has locker 12 and a bicycle in the yard",
    "Glaze buckets are stirred by Otto",
    "Ticket INC-0042 is open since Monday",
    "INC-420 was closed by Otto",
    "中村さんは弁護士です。",
]
STIRRED = ("choose", "who stirs the glaze buckets", "Glaze buckets are stirred by Mara", MEMORIES)
LOCKER = ("supersede", "Ines has locker 12. Her bicycle is in the yard.", "Ines's locker", "Ines has locker 15")
TICKET = ("purge_match", "INC-0042", MEMORIES)
NAKAMURA = ("purge_match", "Nakamura", MEMORIES)
KILN = ("release_match", "the opening hours of the kiln room", MEMORIES)
NOBODY = ("purge_match", "Zbigniew's passport", MEMORIES)
COURSE = (
    "release_match",
    "the swimming course in May 2023",
    ["The swimming course was on Mondays in May 2023", "The swimming course moved to June 2024", *MEMORIES],
)
CALLS = (STIRRED, LOCKER, TICKET, NAKAMURA, KILN, COURSE, NOBODY)


@pytest.fixture(scope="module")
def matcher(minilm: FastEmbedder) -> Matcher:
    return Matcher(minilm)


def decide(planner: Any, call: tuple[Any, ...]) -> Any:
    method, *arguments = call
    return getattr(planner, method)(*arguments)


def test_the_memory_is_chosen_by_what_query_and_new_fact_say(matcher: Matcher) -> None:
    choice = decide(matcher, STIRRED)
    assert isinstance(choice, Choice)
    assert choice.index == 2


@pytest.mark.parametrize(("call", "meant"), [(TICKET, 3), (NAKAMURA, 5), (KILN, 0)], ids=["code", "script", "words"])
def test_the_memory_that_is_meant_is_found(matcher: Matcher, call: tuple[Any, ...], meant: int) -> None:
    decision = decide(matcher, call)
    assert isinstance(decision, Matches)
    assert decision.indices == (meant,)


def test_a_clause_that_still_holds_stays(matcher: Matcher) -> None:
    decision = decide(matcher, LOCKER)
    assert isinstance(decision, Edit)
    assert decision.text == "Ines has locker 15. Her bicycle is in the yard."
    assert "stays" in (decision.reason or "")


def test_a_request_for_what_is_not_stored_is_unsure(matcher: Matcher) -> None:
    decision = decide(matcher, NOBODY)
    assert isinstance(decision, Unsure)
    assert "no memory is likely meant" in decision.reason


def test_a_decision_names_its_evidence_for_and_against(matcher: Matcher) -> None:
    reason = decide(matcher, TICKET).reason
    assert re.match(r"3: \d+%: [a-z ]+ [+-]\d\.\d\d, .*; at first: [a-z ]+ [+-]\d\.\d\d, ", reason)


@pytest.mark.parametrize("call", CALLS, ids=lambda call: str(call[1]))
def test_decisions_survive_json(call: tuple[Any, ...]) -> None:
    matcher = Matcher(HashEmbedder())
    remote = RemotePlanner(lambda message: json.loads(json.dumps(answer(matcher, message))))
    assert decide(remote, call) == decide(matcher, call)


def test_clauses_left_out_replace_whole_memories(minilm: FastEmbedder) -> None:
    assert isinstance(decide(Matcher(minilm, frozenset({"clauses"})), LOCKER), Replace)


@pytest.mark.parametrize("evidence", [kind for kind in EVIDENCE_KINDS if kind != "clauses"])
def test_decisions_are_made_without_any_kind_and_rest_on_others(
    matcher: Matcher, minilm: FastEmbedder, evidence: str
) -> None:
    without = [decide(Matcher(minilm, frozenset({evidence})), call) for call in CALLS]
    assert all(isinstance(decision, Choice | Edit | Replace | Matches | Unsure) for decision in without)
    assert without != [decide(matcher, call) for call in CALLS]


def test_an_unknown_kind_of_evidence_is_refused() -> None:
    with pytest.raises(UserError, match="no kind of evidence 'magic'"):
        Matcher(off=frozenset({"magic"}))


def test_a_decision_does_not_depend_on_the_order_of_hashes() -> None:
    code = (
        "import sys; sys.path.insert(0, '.');"
        "from tests.matcher.test_planner import *;"
        "print([decide(Matcher(), call) for call in CALLS])"
    )
    told = [
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2", "3")
    ]
    assert told[0]
    assert told[1:] == told[:1] * 2


def test_the_import_is_light() -> None:
    """No table, model or third-party package is loaded before a decision needs it."""
    code = (
        "import sys, lethe.matcher;"
        "lazy = {'numpy', 'phonenumbers', 'stdnum', 'pypinyin', 'sudachipy', 'jaconv', 'anyascii'};"
        "print(sorted(lazy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_load_asks_the_embedder_and_reads_words_of_other_scripts() -> None:
    embedder = HashEmbedder()
    romanised.cache_clear()
    Matcher(embedder).load()
    assert embedder.asked
    assert romanised.cache_info().currsize >= 3


def test_nothing_is_imported_after_load() -> None:
    code = (
        "import sys;"
        "from lethe.matcher.planner import Matcher;"
        "planner = Matcher(); planner.load(); before = set(sys.modules);"
        "planner.purge_match('Delete +44 20 7946 0018', ['Call 020 7946 0018.', 'Call 030 1234567.']);"
        "planner.purge_match('Delete ISBN 978-0-306-40615-7', ['ISBN 0-306-40615-2 is lent out.', 'Tea at four.']);"
        "planner.purge_match('Delete jörg@bücher.example', ['Write to jörg@bücher.example.', 'Tea at four.']);"
        "planner.purge_match('Forget Nakamura', ['中村さんは弁護士です。', 'Екатерина поёт.', 'Tea at four.']);"
        "print(sorted(name.partition('.')[0] for name in set(sys.modules) - before if 'encodings' not in name))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
