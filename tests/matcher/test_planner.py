"""Matcher: what its decisions look like, what each kind of evidence decides, and what it loads when."""

import json
import os
import re
import subprocess
import sys
from typing import Any

import pytest

from forgeteval.errors import UserError
from forgeteval.planners.protocol import Candidate, Meant, Supersession, Unsure
from forgeteval.planners.remote import RemotePlanner, answer
from lethe.embedding.embedder import FastEmbedder
from lethe.matcher import EVIDENCE_KINDS
from lethe.matcher.evidence.text.scripts import romanised
from lethe.matcher.planner import Matcher
from tests.support.bench import HashEmbedder
from tests.support.paths import ROOT
from tests.support.scripted_planner import candidates

MEMORIES = candidates(
    "The kiln room opens at 7 on Mondays",
    "Ines has locker 12 and a bicycle in the yard",
    "Glaze buckets are stirred by Otto",
    "Ticket INC-0042 is open since Monday",
    "INC-420 was closed by Otto",
    "中村さんは弁護士です。",
)
STIRRED = ("supersede", "who stirs the glaze buckets", "Glaze buckets are stirred by Mara", MEMORIES)
LOCKER = (
    "supersede",
    "Ines's locker",
    "Ines has locker 15",
    candidates("The yard is locked at 8", "Ines has locker 12. Her bicycle is in the yard."),
)
TICKET = ("purge", "INC-0042", MEMORIES)
NAKAMURA = ("purge", "Nakamura", MEMORIES)
KILN = ("release", "the opening hours of the kiln room", MEMORIES)
NOBODY = ("purge", "Zbigniew's passport", MEMORIES)
COURSE = (
    "release",
    "the swimming course in May 2023",
    [
        *candidates("The swimming course was on Mondays in May 2023", "The swimming course moved to June 2024"),
        *MEMORIES,
    ],
)
CALLS = (STIRRED, LOCKER, TICKET, NAKAMURA, KILN, COURSE, NOBODY)


@pytest.fixture(scope="module")
def matcher(minilm: FastEmbedder) -> Matcher:
    return Matcher(minilm)


def decide(planner: Any, call: tuple[Any, ...]) -> Any:
    method, *arguments = call
    return getattr(planner, method)(*arguments)


def test_the_memory_is_chosen_by_what_query_and_new_fact_say(matcher: Matcher) -> None:
    decision = decide(matcher, STIRRED)
    assert (decision.whole, decision.parts, decision.restated) == ((2,), (), False)
    assert decision.extent == "it makes one statement"


@pytest.mark.parametrize(("call", "meant"), [(TICKET, 3), (NAKAMURA, 5), (KILN, 0)], ids=["code", "script", "words"])
def test_the_memory_that_is_meant_is_found(matcher: Matcher, call: tuple[Any, ...], meant: int) -> None:
    decision = decide(matcher, call)
    assert isinstance(decision, Meant)
    assert decision.whole == (meant,)


def test_a_clause_that_still_holds_stays(matcher: Matcher) -> None:
    decision = decide(matcher, LOCKER)
    assert decision.parts == ((1, "Ines has locker 15. Her bicycle is in the yard."),)
    assert (decision.whole, decision.restated) == ((), True)
    assert "stays" in decision.extent


def test_a_memory_that_says_the_new_fact_is_a_duplicate_unless_it_is_all_there_is(matcher: Matcher) -> None:
    said = candidates("Glaze buckets are stirred by Mara.", "glaze buckets are now stirred by Mara")
    beside = decide(matcher, (*STIRRED[:3], [*said, *MEMORIES]))
    assert (beside.whole, beside.duplicates) == ((4,), (0, 1))
    alone = decide(matcher, (*STIRRED[:3], said))
    assert (alone.whole, alone.duplicates, alone.reason) == ((0,), (1,), "says the new fact already")


def test_a_query_that_wrote_a_memory_tells_which_one_is_superseded_again(matcher: Matcher) -> None:
    plain = candidates("Ravn has it since May", "The choir sings on Mondays")
    query, new_fact = "who conducts the choir", "Ilse is back"
    told = [Candidate(plain[0].text, (Supersession(query, plain[0].text),)), plain[1]]
    assert matcher.supersede(query, new_fact, plain) != matcher.supersede(query, new_fact, told)
    decision = matcher.supersede(query, new_fact, told)
    assert isinstance(decision, Meant)
    assert decision.whole == (0,)


def test_a_request_for_what_is_not_stored_is_unsure(matcher: Matcher) -> None:
    decision = decide(matcher, NOBODY)
    assert isinstance(decision, Unsure)
    assert decision.reason.startswith(f"no memory is likely meant; the best, {decision.candidates[0]}: ")


def test_a_decision_names_its_evidence_for_and_against(matcher: Matcher) -> None:
    reason = decide(matcher, TICKET).reason
    assert re.match(r"3: \d+%: [a-z ]+ [+-]\d\.\d\d, .*; at first: [a-z ]+ [+-]\d\.\d\d, ", reason)


@pytest.mark.parametrize("call", CALLS, ids=lambda call: str(call[1]))
def test_decisions_survive_json(call: tuple[Any, ...]) -> None:
    matcher = Matcher(HashEmbedder())
    remote = RemotePlanner(lambda message: json.loads(json.dumps(answer(matcher, message))))
    assert decide(remote, call) == decide(matcher, call)


def test_clauses_left_out_replace_whole_memories(minilm: FastEmbedder) -> None:
    decision = decide(Matcher(minilm, frozenset({"clauses"})), LOCKER)
    assert (decision.whole, decision.parts, decision.extent) == ((1,), (), "clauses are left out")


@pytest.mark.parametrize("evidence", [kind for kind in EVIDENCE_KINDS if kind != "clauses"])
def test_decisions_are_made_without_any_kind_and_rest_on_others(
    matcher: Matcher, minilm: FastEmbedder, evidence: str
) -> None:
    without = [decide(Matcher(minilm, frozenset({evidence})), call) for call in CALLS]
    assert all(isinstance(decision, Meant | Unsure) for decision in without)
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
        "from forgeteval.planners.protocol import Candidate;"
        "from lethe.matcher.planner import Matcher;"
        "shown = lambda *texts: [Candidate(text) for text in texts];"
        "planner = Matcher(); planner.load(); before = set(sys.modules);"
        "planner.purge('Delete +44 20 7946 0018', shown('Call 020 7946 0018.', 'Call 030 1234567.'));"
        "planner.purge('Delete ISBN 978-0-306-40615-7', shown('ISBN 0-306-40615-2 is lent out.', 'Tea at four.'));"
        "planner.purge('Delete jörg@bücher.example', shown('Write to jörg@bücher.example.', 'Tea at four.'));"
        "planner.purge('Forget Nakamura', shown('中村さんは弁護士です。', 'Екатерина поёт.', 'Tea at four.'));"
        "print(sorted(name.partition('.')[0] for name in set(sys.modules) - before if 'encodings' not in name))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
