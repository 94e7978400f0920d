"""Matcher: what its decisions look like, and how the hook uses them."""

import json
import subprocess
import sys
from dataclasses import asdict

import pytest

from lethe.errors import LetheError
from lethe.planners.matcher import EVIDENCE_KINDS, Matcher
from lethe.planners.matcher.text.scripts import romanised
from lethe.planners.protocol import Choice, Edit, Matches, Unsure
from tests.support.bench import HashEmbedder
from tests.support.paths import ROOT

ROWS = [
    "The kiln room opens at 7 on Mondays",
    "Ines has locker 12 and the key to the kiln room",
    "Glaze buckets are stirred by Otto",
]


def test_the_row_is_chosen_by_what_query_and_new_fact_say() -> None:
    choice = Matcher().choose("who stirs the glaze buckets", "Glaze buckets are stirred by Mara", ROWS)
    assert isinstance(choice, Choice)
    assert choice.index == 2


def test_a_fact_about_nothing_stored_is_no_choice() -> None:
    choice = Matcher().choose("parking fee in Lyon", "Parking in Lyon costs 4 an hour", ROWS)
    assert isinstance(choice, Unsure)


def test_a_decision_says_which_rule_and_form_it_rests_on() -> None:
    decision = Matcher().purge_match("INC-0042", ["inc 42 is open", "INC-420 is closed"])
    assert isinstance(decision, Matches)
    assert decision.indices == (0,)
    assert decision.reason is not None
    assert "identity" in decision.reason
    assert "inc0042" in decision.reason


def test_a_purge_of_one_attribute_leaves_the_others_of_its_row() -> None:
    rows = ["Henry's phone is 555-0142 and email is h@x.io", "Zoe's phone is 555-0143"]
    decision = Matcher().purge_match("Henry phone", rows)
    assert isinstance(decision, Matches)
    assert (decision.indices, decision.edits) == ((), ((0, "Henry's email is h@x.io."),))


def test_decisions_are_plain_json() -> None:
    planner = Matcher()
    decisions = [
        planner.purge_match("Henry phone", ["Henry's phone is 1 and email is h@x.io"]),
        planner.choose("the kiln room", "The kiln room opens at 9", ROWS),
        planner.supersede(ROWS[1], "Ines's locker", "Ines has locker 15"),
        planner.purge_match("nobody", ROWS),
    ]
    assert all(json.loads(json.dumps(asdict(decision))) for decision in decisions if decision is not None)


@pytest.mark.parametrize("family", EVIDENCE_KINDS)
def test_each_family_can_be_switched_off(family: str) -> None:
    planner = Matcher(off=frozenset({family}))
    assert planner.choose("the kiln room", "The kiln room opens at 9", ROWS) is not None
    assert planner.purge_match("Ines", ROWS) is not None


def test_switched_off_rules_decide_nothing() -> None:
    rows = ["inc 42 is open", "INC-420 is closed"]
    decision = Matcher(off=frozenset({"identity", "names", "scope"})).purge_match("INC-0042", rows)
    assert isinstance(decision, Unsure)
    merged = Matcher(off=frozenset({"clauses"})).supersede(ROWS[1], "Ines's locker", "Ines has locker 15")
    assert not isinstance(merged, Edit)


def test_an_unknown_family_is_refused() -> None:
    with pytest.raises(LetheError, match="no kind of evidence 'magic'"):
        Matcher(off=frozenset({"magic"}))


def test_one_input_has_one_decision() -> None:
    rows = ["Ann has locker 3", "Joanne has locker 4"]
    assert Matcher().purge_match("Ann", rows) == Matcher().purge_match("Ann", rows)


def test_the_import_is_light() -> None:
    """No table, model or third-party package is loaded before a rule needs it."""
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
        "from lethe.planners.matcher import Matcher;"
        "planner = Matcher(); planner.load(); before = set(sys.modules);"
        "planner.purge_match('Delete +44 20 7946 0018', ['Call 020 7946 0018.', 'Call 030 1234567.']);"
        "planner.purge_match('Delete ISBN 978-0-306-40615-7', ['ISBN 0-306-40615-2 is lent out.', 'Tea at four.']);"
        "planner.purge_match('Delete jörg@bücher.example', ['Write to jörg@bücher.example.', 'Tea at four.']);"
        "planner.purge_match('Forget Nakamura', ['中村さんは弁護士です。', 'Екатерина поёт.', 'Tea at four.']);"
        "print(sorted(name.partition('.')[0] for name in set(sys.modules) - before if 'encodings' not in name))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
