"""Matcher: what its decisions look like, what each kind of evidence decides, and what it loads when."""

import json
import os
import subprocess
import sys
from typing import Any

import pytest

from lethe.errors import LetheError
from lethe.planners.matcher import EVIDENCE_KINDS
from lethe.planners.matcher.evidence.text.scripts import romanised
from lethe.planners.matcher.planner import Matcher
from lethe.planners.protocol import Choice, Edit, Matches, Replace, Unsure
from lethe.planners.remote import RemotePlanner, answer
from tests.support.bench import HashEmbedder
from tests.support.paths import ROOT

MEMORIES = [
    "The kiln room opens at 7 on Mondays",
    "Ines has locker 12 and the key to the kiln room",
    "Glaze buckets are stirred by Otto",
]
STIRRED = ("choose", "who stirs the glaze buckets", "Glaze buckets are stirred by Mara", MEMORIES)
LOCKER = ("supersede", MEMORIES[1], "Ines's locker", "Ines has locker 15")
TICKET = ("purge_match", "INC-0042", ["inc 42 is open", "INC-420 is closed"])
PHONE = ("purge_match", "Henry phone", ["Henry's phone is 555-0142 and email is h@x.io", "Zoe's phone is 555-0143"])
NAKAMURA = ("purge_match", "Nakamura", ["中村さんは弁護士です。", "Tea at four."])
EDITOR = (
    "release_match",
    "everything about Ana Ruiz",
    ["Ana Ruiz, our Basque editor, works in Bilbao", "The Basque editor is on leave", "Bob is a cook"],
)
MOVE = ("release_match", "Ana's move", ["Ana moves in May", "Ana likes tea"])
NOBODY = ("purge_match", "nobody", MEMORIES)


def decide(planner: Any, call: tuple[Any, ...]) -> Any:
    method, *arguments = call
    return getattr(planner, method)(*arguments)


def test_the_memory_is_chosen_by_what_query_and_new_fact_say() -> None:
    choice = decide(Matcher(), STIRRED)
    assert isinstance(choice, Choice)
    assert choice.index == 2


def test_a_fact_about_nothing_stored_is_no_choice() -> None:
    choice = Matcher().choose("parking fee in Lyon", "Parking in Lyon costs 4 an hour", MEMORIES)
    assert isinstance(choice, Unsure)


def test_a_decision_says_which_evidence_and_form_it_rests_on() -> None:
    assert decide(Matcher(), TICKET) == Matches((0,), "identity: 0: code inc0042")


def test_a_purge_of_one_attribute_leaves_the_others_of_its_memory() -> None:
    decision = decide(Matcher(), PHONE)
    assert isinstance(decision, Matches)
    assert (decision.indices, decision.edits) == ((), ((0, "Henry's email is h@x.io."),))


@pytest.mark.parametrize("call", [STIRRED, LOCKER, TICKET, PHONE, MOVE, NOBODY], ids=lambda call: str(call[1]))
def test_decisions_survive_json(call: tuple[Any, ...]) -> None:
    matcher = Matcher(HashEmbedder())
    remote = RemotePlanner(lambda message: json.loads(json.dumps(answer(matcher, message))))
    assert decide(remote, call) == decide(matcher, call)


WITHOUT: dict[str, tuple[tuple[Any, ...], object, object]] = {
    "identity": (TICKET, (0,), Unsure),
    "names": (NAKAMURA, (0,), Unsure),
    "links": (EDITOR, (0, 1), (0,)),
    "scope": (MOVE, (0,), (0, 1)),
    "choice": (STIRRED, 2, 0),
    "clauses": (LOCKER, Edit, Replace),
}
"""For each kind of evidence a question, what is decided with it, and what without it."""


def outcome(decision: object) -> object:
    """The positions of a decision, or its type where it gives none."""
    match decision:
        case Matches(indices=indices):
            return indices
        case Choice(index=index):
            return index
    return type(decision)


@pytest.mark.parametrize("evidence", EVIDENCE_KINDS)
def test_each_kind_of_evidence_can_be_switched_off(evidence: str) -> None:
    call, with_it, without_it = WITHOUT[evidence]
    assert outcome(decide(Matcher(), call)) == with_it
    assert outcome(decide(Matcher(off=frozenset({evidence})), call)) == without_it


def test_an_unknown_kind_of_evidence_is_refused() -> None:
    with pytest.raises(LetheError, match="no kind of evidence 'magic'"):
        Matcher(off=frozenset({"magic"}))


def test_a_decision_does_not_depend_on_the_order_of_hashes() -> None:
    code = (
        "import sys; sys.path.insert(0, '.');"
        "from tests.planners.matcher.test_planner import *;"
        "print([decide(Matcher(), call) for call, *_ in WITHOUT.values()])"
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
        "import sys, lethe.planners.matcher;"
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
        "from lethe.planners.matcher.planner import Matcher;"
        "planner = Matcher(); planner.load(); before = set(sys.modules);"
        "planner.purge_match('Delete +44 20 7946 0018', ['Call 020 7946 0018.', 'Call 030 1234567.']);"
        "planner.purge_match('Delete ISBN 978-0-306-40615-7', ['ISBN 0-306-40615-2 is lent out.', 'Tea at four.']);"
        "planner.purge_match('Delete jörg@bücher.example', ['Write to jörg@bücher.example.', 'Tea at four.']);"
        "planner.purge_match('Forget Nakamura', ['中村さんは弁護士です。', 'Екатерина поёт.', 'Tea at four.']);"
        "print(sorted(name.partition('.')[0] for name in set(sys.modules) - before if 'encodings' not in name))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
