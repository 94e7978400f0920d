"""Admission: a case must distinguish forgetting from returning nothing, deleting everything and keeping everything."""

from dataclasses import replace

import pytest

from forgeteval.admission.rejection import Rejection
from forgeteval.admission.structure import rejections, run_control
from forgeteval.cases.case import Case, Mutation
from forgeteval.scoring.scorers import Contains, identifier_contains, substring_contains
from forgeteval.stores.controls import Frozen, Nuke, Null, Oracle, Verbatim
from tests.support.lockers import BYSTANDER, GOOD, NEW, OTHERS, SUPERSEDED, TARGET

FILLERS = tuple(f"Filler fact number w{letter}." for letter in "abcdefghijkl")


def with_facts(*facts: str, **changes: object) -> Case:
    """The good case with other facts; all but the target stay."""
    gold = tuple(dict.fromkeys(fact for fact in facts if fact != TARGET))
    return replace(GOOD, setup_facts=facts, gold_rows=gold, **changes)  # type: ignore[arg-type]


def reasons(case: Case, strict: bool = True) -> set[str]:
    return {rejection.reason for rejection in rejections(case, strict)}


TWO_CHANGED = replace(
    SUPERSEDED,
    mutations=(
        Mutation("supersede", "Ada's locker code", NEW),
        Mutation("supersede", "Bo's locker code", "Bo's locker code is 3131."),
    ),
    gold_rows=(*OTHERS, NEW, "Bo's locker code is 3131."),
    must_contain=("7755", "3131"),
)

OBEYED = replace(GOOD, mutations=(Mutation("supersede", "Ada's locker code", "Ada's locker code is no longer 4417."),))
"""Whoever does what is asked recalls what is forbidden."""
PARTED = replace(
    GOOD,
    setup_facts=(TARGET, "Profile of Bo: vegetarian, locker 9920, likes jazz.", *OTHERS),
    mutations=(Mutation("purge", "the locker codes"),),
    must_contain=("vegetarian, likes jazz", "opens at six"),
    must_not_contain=("4417", "9920"),
    gold_rows=("Profile of Bo: vegetarian, likes jazz.", *OTHERS),
)
"""What stays of a fact are words that stood apart."""
CURLY = replace(
    GOOD,
    setup_facts=("Ada O\u2019Dea has the locker code 4417.", "Bo O\u2019Dea has 9920.", *OTHERS),
    gold_rows=("Bo O\u2019Dea has 9920.", *OTHERS),
)
"""Its names have another apostrophe than most keyboards."""
OF_ANOTHER = replace(
    OBEYED,
    owners=(("Bo",), ("Bo",), ("Ada", "Bo"), ("Ada",)),
    asked_by=("Ada",),
    asker="Bo",
    gold_rows=(BYSTANDER, OTHERS[0]),
)
"""Its last mutation is of somebody whose memory is not asked."""


@pytest.mark.parametrize(
    "case",
    [
        GOOD,
        SUPERSEDED,
        PARTED,
        replace(GOOD, mutations=(Mutation("purge", "Ada"),)),
        with_facts(TARGET, BYSTANDER, *FILLERS[:6]),
        with_facts(TARGET, BYSTANDER, OTHERS[0], category="decay"),
        with_facts(*FILLERS[:8], BYSTANDER, TARGET, category="decay"),
    ],
    ids=["release", "supersede", "parted", "purge", "eight-facts", "three-facts-in-a-family", "ten-facts-in-a-family"],
)
def test_a_good_case_is_admitted(case: Case) -> None:
    assert list(rejections(case, strict=True)) == []


@pytest.mark.parametrize(
    ("case", "reason"),
    [
        (replace(GOOD, gold_rows=None), "no-gold-rows"),
        (replace(GOOD, mutations=()), "no-mutation"),
        (with_facts(TARGET, BYSTANDER, OTHERS[0]), "setup-size"),
        (with_facts(TARGET, BYSTANDER, *FILLERS[:7]), "setup-size"),
        (with_facts(TARGET, BYSTANDER, OTHERS[0], OTHERS[0]), "repeated-fact"),
        (with_facts(BYSTANDER, *FILLERS[:10], TARGET, category="decay"), "too-many-rows"),
        (replace(GOOD, must_not_contain=("4417", "zebra")), "forbidden-never-said"),
        (replace(GOOD, must_not_contain=("4417", "441")), "forbidden-never-said"),
        (TWO_CHANGED, "no-bystander"),
        (
            replace(GOOD, must_contain=("9920", "a rat"), gold_rows=(*OTHERS, BYSTANDER, "Bo's locker is a rat.")),
            "required-never-said",
        ),
        (replace(GOOD, gold_rows=(*OTHERS, BYSTANDER, "Zed owns a boat.")), "gold-never-told"),
        (replace(GOOD, gold_rows=(*OTHERS, BYSTANDER, *OTHERS)), "repeated-gold-row"),
        (replace(CURLY, must_not_contain=("4417", "Ada O'Dea")), "forbidden-never-said"),
        (OBEYED, "forbidden-told-last"),
        (replace(OBEYED, must_not_contain=("Ada",), forbidden_identifiers=("4417",)), "forbidden-told-last"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_case_is_rejected_for_one_reason_alone(case: Case, reason: str) -> None:
    assert reasons(case) == {reason}


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        # Told letter by letter otherwise: nobody can pass it, or everybody does.
        (replace(CURLY, must_contain=("9920", "Bo O'Dea")), {"required-not-in-gold", "oracle-fails"}),
        # Forbids nothing.
        (replace(GOOD, must_not_contain=()), {"verbatim-passes", "frozen-passes"}),
        # A forbidden string inside a gold memory: not even the perfect store can pass.
        (with_facts(TARGET, BYSTANDER, OTHERS[0], "Part 44170 is in stock."), {"self-trap", "oracle-fails"}),
        # Only the substring scorer of the paper sees the forbidden string inside a required one.
        (
            replace(
                GOOD,
                setup_facts=(TARGET, "Bo's code is 44179920.", *OTHERS),
                gold_rows=("Bo's code is 44179920.", *OTHERS),
                must_contain=("44179920",),
            ),
            {"forbidden-in-required", "self-trap", "oracle-fails"},
        ),
        # Only the identifier scorer misses a required string that stands inside a longer one.
        (replace(GOOD, must_contain=("992",)), {"required-not-in-gold", "oracle-fails"}),
        (replace(GOOD, must_contain=("9920", "8888")), {"required-not-in-gold", "oracle-fails"}),
        (replace(GOOD, must_contain=()), {"no-bystander", "null-passes", "nuke-passes"}),
        (replace(SUPERSEDED, must_contain=("7755",)), {"no-bystander", "nuke-passes"}),
    ],
    ids=[
        "apostrophe",
        "forbids-nothing",
        "self-trap",
        "forbidden-in-required",
        "required-part",
        "required-absent",
        "null",
        "nuke",
    ],
)
def test_a_case_is_rejected_for_all_its_reasons(case: Case, expected: set[str]) -> None:
    assert reasons(case) == expected


def test_what_somebody_else_is_told_last_may_be_forbidden() -> None:
    assert "forbidden-told-last" not in reasons(OF_ANOTHER)
    assert "forbidden-told-last" in reasons(replace(OF_ANOTHER, asked_by=("Bo",)))


def test_a_rejection_names_the_case_and_says_why() -> None:
    assert list(rejections(replace(GOOD, gold_rows=None), strict=True)) == [
        Rejection(
            "good", "no-gold-rows", "gold_rows is missing; list the memories that a perfect store holds at the end"
        )
    ]


@pytest.mark.parametrize(
    ("required", "scorers"),
    [(("992",), {"identifier"}), (("8888",), {"substring", "identifier"})],
)
def test_the_controls_run_under_both_scorers(required: tuple[str, ...], scorers: set[str]) -> None:
    found = rejections(replace(GOOD, must_contain=required))
    assert {r.detail.split()[-2] for r in found if r.reason == "oracle-fails"} == scorers


@pytest.mark.parametrize("contains", [substring_contains, identifier_contains])
@pytest.mark.parametrize("case", [GOOD, SUPERSEDED], ids=["release", "supersede"])
@pytest.mark.parametrize(
    ("control", "passes"), [(Oracle, True), (Null, False), (Nuke, False), (Verbatim, False), (Frozen, False)]
)
def test_only_the_perfect_memory_passes_a_good_case(
    control: type[Null], passes: bool, case: Case, contains: Contains
) -> None:
    assert run_control(control(), case, contains) is passes


def test_null_returns_nothing() -> None:
    null = Null()
    null.inscribe([TARGET])
    assert null.recall_texts("code", 10) == []


def test_nuke_keeps_everything_until_the_first_mutation() -> None:
    nuke = Nuke()
    nuke.inscribe([TARGET, BYSTANDER])
    assert nuke.recall_texts("code", 10) == [BYSTANDER, TARGET]
    nuke.supersede("code", NEW)
    assert nuke.recall_texts("code", 10) == [NEW]
    for forget in (nuke.release, nuke.purge):
        nuke.inscribe([TARGET])
        forget("something else")
        assert nuke.recall_texts("code", 10) == []


def test_verbatim_never_forgets_and_recalls_the_newest() -> None:
    verbatim = Verbatim()
    verbatim.inscribe([TARGET, BYSTANDER])
    verbatim.supersede("code", NEW)
    verbatim.release("code")
    verbatim.purge("code")
    assert verbatim.recall_texts("code", 10) == [NEW, BYSTANDER, TARGET]
    assert verbatim.recall_texts("code", 2) == [NEW, BYSTANDER]
    verbatim.reset()
    assert verbatim.recall_texts("code", 10) == []


def test_oracle_recalls_the_gold_rows_up_to_k() -> None:
    oracle = Oracle()
    oracle.expect(GOOD.gold_rows)
    assert oracle.recall_texts("code", 10) == list(GOOD.gold_rows or ())
    assert oracle.recall_texts("code", 1) == [BYSTANDER]


def test_oracle_is_not_applicable_without_gold_rows() -> None:
    with pytest.raises(NotImplementedError):
        Oracle().expect(None)


def test_frozen_ignores_every_mutation() -> None:
    frozen = Frozen()
    frozen.inscribe([TARGET, BYSTANDER])
    frozen.supersede("code", NEW)
    frozen.release("code")
    frozen.purge("code")
    assert frozen.recall_texts("code", 10) == [BYSTANDER, TARGET]


WITHOUT_GOLD = replace(GOOD, gold_rows=None)


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        (GOOD, set()),
        (WITHOUT_GOLD, set()),
        (replace(GOOD, category="gdpr_request", family="erasure", provenance="interviews"), set()),
        (with_facts(TARGET, BYSTANDER), set()),
        (with_facts(TARGET, BYSTANDER, OTHERS[0], OTHERS[0]), set()),
        (with_facts(BYSTANDER, *FILLERS[:10], TARGET), set()),
        (replace(WITHOUT_GOLD, mutations=()), {"no-mutation"}),
        (replace(WITHOUT_GOLD, must_contain=()), {"null-passes", "nuke-passes"}),
        (replace(WITHOUT_GOLD, must_not_contain=()), {"verbatim-passes", "frozen-passes"}),
        (replace(WITHOUT_GOLD, must_not_contain=("4417", "zebra")), {"forbidden-never-said"}),
        (replace(WITHOUT_GOLD, must_contain=("9920", "zebra")), {"required-never-said"}),
        (replace(CURLY, gold_rows=None, must_contain=("9920", "Bo O'Dea")), {"required-never-said"}),
        (replace(SUPERSEDED, gold_rows=None, must_contain=("7755",)), {"nuke-passes"}),
        (replace(GOOD, must_contain=("9920", "zebra")), {"required-not-in-gold", "oracle-fails"}),
    ],
)
def test_what_is_asked_of_anybodys_case(case: Case, expected: set[str]) -> None:
    assert reasons(case, strict=False) == expected


def test_a_chain_that_ends_where_it_began_is_rejected() -> None:
    case = replace(
        GOOD,
        mutations=(Mutation("supersede", "code", NEW), Mutation("supersede", "code", TARGET)),
        must_contain=("4417", "9920"),
        must_not_contain=("8888",),
        gold_rows=(*GOOD.setup_facts,),
    )
    assert "frozen-passes" in reasons(case)
