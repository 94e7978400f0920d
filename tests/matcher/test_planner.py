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
from lethe.matcher.evidence.scripts import romanised
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
    "ハラダさんは弁護士です。",
)
STIRRED = ("supersede", "who stirs the glaze buckets", "Glaze buckets are stirred by Mara", MEMORIES)
LOCKER = ("supersede", "Ines's locker", "Ines has locker 15", MEMORIES)
TICKET = ("purge", "INC-0042", MEMORIES)
ALIKE = ("purge", "INC-0043", MEMORIES)
HARADA = ("purge", "Harada", MEMORIES)
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
CALLS = (STIRRED, LOCKER, TICKET, ALIKE, HARADA, KILN, COURSE, NOBODY)


@pytest.fixture(scope="module")
def matcher(minilm: FastEmbedder) -> Matcher:
    return Matcher(minilm)


def decide(planner: Any, call: tuple[Any, ...]) -> Any:
    method, *arguments = call
    return getattr(planner, method)(*arguments)


@pytest.mark.parametrize(("call", "meant"), [(STIRRED, 2), (COURSE, 0)], ids=["supersede", "release"])
def test_it_acts_on_exactly_the_memory_that_is_meant(matcher: Matcher, call: tuple[Any, ...], meant: int) -> None:
    decision = decide(matcher, call)
    assert isinstance(decision, Meant)
    assert decision.named == (meant,)


@pytest.mark.parametrize("call", [ALIKE, NOBODY], ids=["code", "name"])
def test_it_leaves_everything_as_it_is_where_what_is_named_is_not_stored(
    minilm: FastEmbedder, call: tuple[Any, ...]
) -> None:
    decision = decide(Matcher(minilm, absent=0.9), call)
    assert isinstance(decision, Meant)
    assert decision.named == ()
    assert decision.reason and decision.reason.startswith("nothing that is stored is meant, ")


@pytest.mark.parametrize(("call", "nearest"), [(HARADA, 5), (LOCKER, 1)], ids=["sound alone", "a memory says more"])
def test_where_it_does_not_know_it_says_between_which_memories(
    matcher: Matcher, call: tuple[Any, ...], nearest: int
) -> None:
    decision = decide(matcher, call)
    assert isinstance(decision, Unsure)
    assert decision.candidates == (nearest,)
    assert re.match(r"\d+% sure that exactly these are meant, \d+% that nothing is: ", decision.reason)


def test_the_thresholds_are_the_callers(minilm: FastEmbedder) -> None:
    assert isinstance(decide(Matcher(minilm, sure=0.0), HARADA), Meant)
    assert decide(Matcher(minilm, sure=1.1, absent=0.0), STIRRED).named == ()
    assert isinstance(decide(Matcher(minilm, sure=1.1, absent=1.1), STIRRED), Unsure)


@pytest.mark.parametrize(
    ("asked", "stored"),
    [("58214", "5821"), ("QV-0093", "QW-0093"), ("7001-383-29", "7010-383-29"), ("HB-204", "HB-204-XL")],
)
@pytest.mark.parametrize("operation", ["purge", "release"])
def test_a_look_alike_of_a_code_never_goes(minilm: FastEmbedder, operation: str, asked: str, stored: str) -> None:
    shown = candidates(f"Order {stored} is paid by Otto", "Tea is at four", f"Otto asked for {stored} again")
    careless = Matcher(minilm, sure=0.0)
    for planner in (careless, Matcher(minilm)):
        decision = getattr(planner, operation)(f"order {asked} of Otto", shown)
        assert isinstance(decision, Unsure) or not set(decision.named) & {0, 2}


def test_a_memory_is_never_cut(minilm: FastEmbedder) -> None:
    """ "v." ends no sentence."""
    case = candidates("The appeal in Osgood v. Hartnell is heard in May. Mara minutes it.", "Tea is at four")
    for sure in (0.0, 0.8):
        decision = Matcher(minilm, sure=sure).supersede(
            "when Osgood v. Hartnell is heard", "Osgood v. Hartnell is heard in June", case
        )
        assert isinstance(decision, Unsure) or decision.parts == ()


def test_a_memory_that_says_the_new_fact_is_a_duplicate_unless_it_is_all_there_is(matcher: Matcher) -> None:
    said = candidates("Glaze buckets are stirred by Mara.", "glaze buckets are now stirred by Mara")
    beside = decide(matcher, (*STIRRED[:3], [*said, *MEMORIES]))
    assert (beside.whole, beside.duplicates) == ((4,), (0, 1))
    alone = decide(matcher, (*STIRRED[:3], said))
    assert (alone.whole, alone.duplicates, alone.reason) == ((0,), (1,), "says the new fact already")


def test_a_query_that_wrote_a_memory_tells_which_one_is_superseded_again(matcher: Matcher) -> None:
    query = "who conducts the choir"
    told = [Candidate("Ravn has it since May", (Supersession(query, "Ravn has it since May"),)), *MEMORIES]
    decision = matcher.supersede(query, "Ilse is back", told)
    assert isinstance(decision, Meant)
    assert (decision.whole, decision.reason) == ((0,), "was written for this very query")


def test_a_decision_names_its_evidence_for_and_against(matcher: Matcher) -> None:
    reason = decide(matcher, STIRRED).reason
    assert re.match(r"\d+% sure: [a-z ]+ [+-]\d\.\d\d, .*; 2: [a-z ]+ [+-]\d\.\d\d, ", reason)


@pytest.mark.parametrize("call", CALLS, ids=lambda call: str(call[1]))
def test_decisions_survive_json(call: tuple[Any, ...]) -> None:
    matcher = Matcher(HashEmbedder())
    remote = RemotePlanner(lambda message: json.loads(json.dumps(answer(matcher, message))))
    assert decide(remote, call) == decide(matcher, call)


@pytest.mark.parametrize("evidence", EVIDENCE_KINDS)
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
        "lazy = {'numpy', 'anyascii', 'Stemmer', 'rapidfuzz', 'sklearn'};"
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
        "planner.purge('Delete jörg@bücher.example', shown('Write to jörg@bücher.example.', 'Tea at four.'));"
        "planner.purge('Forget Nakamura', shown('中村さんは弁護士です。', 'Екатерина поёт.', 'Tea at four.'));"
        "print(sorted(name.partition('.')[0] for name in set(sys.modules) - before if 'encodings' not in name))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
