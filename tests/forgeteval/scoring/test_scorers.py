"""The two scorers: what counts as being in a recalled text."""

import random
import time
import unicodedata

import pytest

from forgeteval.scoring.scorers import (
    Contains,
    Score,
    as_seen,
    identifier_contains,
    score,
    seen_contains,
    shows,
    substring_contains,
)

SEEN_ALIKE = [
    (unicodedata.normalize("NFD", "Café Šárka"), "Café Šárka"),
    ("Café Šárka", unicodedata.normalize("NFD", "Café Šárka")),
    ("flat\u00a012 b", "flat 12 B"),
    ("code Ｐ９２-ｘ", "P92-X"),
    ("İstanbul", "istanbul"),
    ("istanbul", "İSTANBUL"),
    ("I\u0307\u0301lker", "ílker"),
    ("Karl-Marx-Straße", "karl-marx-strasse"),
    ("pass\u00adword hunter\u200b2", "password hunter2"),
    ("pass\u034fword hun\ufe0fter\U000e01002", "password hunter2"),
    ("pass\u3164word hun\u180bter\uffa02", "password hunter2"),
    ("Cafe\u034f\u0301", "Café"),
    ("pass\x7fwo\x1frd hun\x00ter2", "password hunter2"),
    ("pass\x85word\u2800hunt\U000e0fffer2", "pass word hunter2"),
    ("Anna lives\nin Ghent", "Anna lives in Ghent"),
    ("Anna  lives\tin\r\n Ghent", "Anna lives in  Ghent"),
    ("TXN–4711—B", "txn-4711-b"),
    ("O’Brien’s “Rex”", "O'Brien's \"Rex\""),
]


@pytest.mark.parametrize(
    ("text", "needle", "found"),
    [
        ("Ada lives in Ghent.", "Ghent", True),
        ("Ada lives in GHENT.", "ghent", True),
        ("ada lives in ghent.", "GHENT", True),
        ("Ada lives in Tartu.", "Ghent", False),
        ("write to malice@x.org", "alice@x", True),
        ("part 123456", "12345", True),
        ("ЩЕРБАКОВА", "щербакова", True),
        ("", "x", False),
    ],
)
def test_substring(text: str, needle: str, found: bool) -> None:
    assert substring_contains(text, needle) is found


@pytest.mark.parametrize(
    ("text", "needle"),
    [
        ("Ada lives in GHENT now", "ghent"),
        ("ghent", "Ghent"),
        # The end of a sentence, brackets and quotes do not make an identifier longer.
        ("Write to alice@x.org.", "alice@x.org"),
        ("Write to alice@x.org. Then wait.", "alice@x.org"),
        ("Is it 12345?", "12345"),
        ("It is 12345!", "12345"),
        ("(12345)", "12345"),
        ('"12345", he said', "12345"),
        ("12345, 678", "12345"),
        ("12345; 678", "12345"),
        ("12345-", "12345"),
        ("12345- and more", "12345"),
        ("12345 - and more", "12345"),
        ("-12345", "12345"),
        ("see 12345.\nNext line", "12345"),
        ("code:\n12345\n", "12345"),
        # Whole hyphenated ids.
        ("Order TXN-12345-B is open.", "TXN-12345-B"),
        ("Order txn-12345-b.", "TXN-12345-B"),
        # An earlier longer one does not hide a later whole one.
        ("TXN-12345-B and 12345", "12345"),
        ("malice@x.org, alice@x.org", "alice@x.org"),
        # Inner spaces and punctuation of the wanted string.
        ("call +1 555 0142 now", "+1 555 0142"),
        ("top shelf of kiln B", "shelf of kiln"),
        # A value behind its name, and two words.
        ("city:Lund name:Ada Lind", "Lund"),
        ("city:Lund name:Ada Lind", "ada lind"),
        ("user_id:4417", "4417"),
        ("isbn:978", "isbn"),
        ("pay by card:4417-B", "4417-B"),
        ("tea/coffee", "tea"),
        ("Zo\u00eb/Ben", "ben"),
        # Scripts without spaces.
        ("王小明的电话是五", "王小明"),
        ("たかはしさんは", "たかはし"),
        ("คุณสมชายโทรมา", "สมชาย"),
        ("서지훈의주소", "서지훈"),
        ("电话555号", "555"),
        ("Юлия Щербакова просила", "щербакова"),
    ],
)
def test_identifier_is_found(text: str, needle: str) -> None:
    assert identifier_contains(text, needle)


@pytest.mark.parametrize(
    ("text", "needle"),
    [
        ("write to malice@x.org", "alice@x"),
        ("write to malice@x.org", "alice@x.org"),
        ("write to alice@x.org", "alice@x"),
        ("write to alice@x.org.uk", "alice@x.org"),
        ("write to b.alice@x.org", "alice@x.org"),
        ("part 123456", "12345"),
        ("part 012345", "12345"),
        ("Order TXN-12345-B is open.", "12345"),
        ("Order TXN-12345-B is open.", "TXN-12345"),
        ("Order TXN-12345-B is open.", "12345-B"),
        ("host db_main", "main"),
        ("host db_main", "db"),
        ("path /srv/data", "srv/d"),
        ("at 12:30", "30"),
        ("aa:bb:cc:0d", "bb"),
        ("mailto:ada@x.org", "ada@x.org"),
        ("a4:ff:c0:11", "c0:11"),
        ("order PO:77:X", "PO:77"),
        ("on 12/03/2025", "03"),
        ("plot 4/b", "b"),
        ("logs/app/old", "logs/app"),
        ("bay:60-315", "60-31"),
        ("version 1.2", "1"),
        ("a#12", "12"),
        ("logs\\temp", "temp"),
        ("Müllerin", "Müller"),
        ("Щербакова", "щербаков"),
        ("123456 and 1234567", "12345"),
        ("", "12345"),
        ("1234", "12345"),
    ],
)
def test_identifier_is_not_found_inside_a_longer_one(text: str, needle: str) -> None:
    assert not identifier_contains(text, needle)


@pytest.mark.parametrize(
    ("text", "needle"),
    [("रामायण पढ़ी", "राम"), ("अनिला शर्मा", "अनिल"), ("cafe\u0301 noir", "cafe")],
    ids=["devanagari-long", "devanagari-name", "combining-accent"],
)
def test_a_combining_mark_continues_a_word(text: str, needle: str) -> None:
    assert not identifier_contains(text, needle)


@pytest.mark.parametrize("contains", [substring_contains, identifier_contains])
def test_score_lists_what_is_missing_and_what_leaked(contains: Contains) -> None:
    result = score(["Ada lives in Ghent.", "Bo rows."], ["Ghent", "Tartu"], ["Bo", "Cy"], contains)
    assert result == Score(missing=("Tartu",), leaked=("Bo",))
    assert not result.passed


@pytest.mark.parametrize("contains", [substring_contains, identifier_contains])
def test_score_passes_with_nothing_missing_and_nothing_leaked(contains: Contains) -> None:
    assert score(["Ada lives in Ghent."], ["ghent"], ["Tartu"], contains).passed


@pytest.mark.parametrize("contains", [substring_contains, identifier_contains])
def test_an_empty_recall_misses_everything_and_leaks_nothing(contains: Contains) -> None:
    assert score([], ["a", "b"], ["c"], contains) == Score(("a", "b"), ())
    assert score([], [], ["c"], contains).passed


def test_one_missing_or_one_leaked_string_is_enough_to_fail() -> None:
    assert not Score(("a",), ()).passed
    assert not Score((), ("a",)).passed
    assert Score((), ()).passed


def test_a_string_does_not_match_across_two_rows() -> None:
    assert score(["lives in", "Ghent"], ["in Ghent", "inGhent"], [], substring_contains).missing == (
        "in Ghent",
        "inGhent",
    )
    for contains in (identifier_contains, seen_contains):
        assert score(["lives in", "Ghent"], [], ["in Ghent"], contains).passed


def test_the_scorers_differ_on_a_longer_identifier() -> None:
    recalled = ["write to malice@x.org"]
    assert score(recalled, [], ["alice@x.org"], substring_contains).leaked == ("alice@x.org",)
    assert score(recalled, [], ["alice@x.org"], identifier_contains).leaked == ()


@pytest.mark.parametrize(("text", "needle"), SEEN_ALIKE)
def test_texts_that_look_alike_are_alike_but_to_the_papers_scorer(text: str, needle: str) -> None:
    assert identifier_contains(f"It is {text}.", needle)
    assert seen_contains(f"It is {text}.", needle)
    assert not substring_contains(text, needle)


def test_a_dash_between_two_numbers_joins_them_to_no_identifier() -> None:
    assert identifier_contains("open 19–20", "19") and not identifier_contains("open 19-20", "19")
    assert not identifier_contains("TXN–4711", "TXN-47")


def test_texts_that_look_otherwise_are_not_alike() -> None:
    assert not seen_contains("Munchen", "München")
    assert not identifier_contains("Ｐ９２-ｘ１", "P92-X")


@pytest.mark.parametrize(
    "marks", ["\u0301\u0316", "\uff9e\u0301\u0316", "\u0344\u0316", "\u0345\u0301\u0316"], ids=ascii
)
def test_a_text_of_marks_without_end_is_read_in_the_time_of_its_length(marks: str) -> None:
    start = time.process_time()
    assert identifier_contains("It is a" + marks * 100_000 + ". It is flat 12.", "flat 12")
    assert time.process_time() - start < 5


def test_many_marks_on_one_letter_are_seen_as_unicode_has_them() -> None:
    choice = random.Random(11).choice
    for _ in range(200):
        text = choice("ae\u1f82\u05d0") + "".join(
            choice("\u0301\u0316\u0344\uff9e\u0323\u0f73\u064e") for _ in range(60)
        )
        assert as_seen(text) == unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def test_many_wordings_are_looked_for_in_texts_that_are_read_once() -> None:
    recalled = [f"home {number} " + "\u0105" * 50_000 for number in range(10)]
    start = time.process_time()
    assert not any(shows(recalled, [f"dog {number}"]) for number in range(300))
    assert time.process_time() - start < 5


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("a" * 1_000_000, "a" * 500_000),
        ("a" * 200_000 + "x", "a" * 100_000),
        ("ab" * 200_000, "b" + "ab" * 100_000),
        ("ab " * 330_000, "ab " * 160_000 + "a"),
    ],
    ids=["one-letter", "one-letter-and-another", "two-letters", "words"],
)
def test_a_wording_that_overlaps_itself_is_looked_for_in_little_time(text: str, wanted: str) -> None:
    start = time.process_time()
    assert not identifier_contains(text, wanted)
    assert time.process_time() - start < 10


def test_places_that_overlap_are_all_looked_at() -> None:
    assert identifier_contains("a-a a-a-a b", "a-a b") is False
    assert identifier_contains("xaba aba", "aba")
    assert identifier_contains("aba-aba aba", "aba aba") is False
    assert identifier_contains("no no no. no", "no no. no")
