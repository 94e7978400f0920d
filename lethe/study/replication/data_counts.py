"""What the paper says of its data, counted in the data: the scripts of the cross-lingual cases, the size of Memora."""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from lethe.parquet import Row
from lethe.study.published import PublishedNumber
from lethe.study.replication.measured import Quantity

CROSS_LINGUAL = "cross_lingual_identifier"
_LATIN = "latin"
_NAMED = {"cjk": "han"}
"""The paper's name of a script where it is not the first word of its letters' Unicode names."""


def script_of(case: Row) -> str:
    """The script other than Latin that most letters of a case have, by their Unicode names; Latin where all are Latin.

    Args:
        case: a row of `lethe.schemas.CASES`; facts, mutations and question count.
    """
    mutations = (part for mutation in case["mutations"] for part in (mutation["query"], mutation["text"]) if part)
    letters = Counter(_scripts("".join((*case["setup_facts"], *mutations, case["final_query"]))))
    del letters[_LATIN]
    return max(letters, key=lambda script: letters[script], default=_LATIN)


def count_scripts(cases: Iterable[Row]) -> Counter[str]:
    """How many of the cross-lingual cases have each script."""
    return Counter(script_of(case) for case in cases if case["category"] == CROSS_LINGUAL)


def script_count(number: PublishedNumber, cases: Iterable[Row]) -> Quantity | None:
    """The cross-lingual cases of a script, or how many scripts there are (`text_scripts`).

    Args:
        cases: rows of `lethe.schemas.CASES` of the 385 cases.
    """
    found = count_scripts(cases)
    if not found:
        return None
    return {"n": Quantity(found[number.row]), "families": Quantity(len(found))}.get(number.column)


def memora_count(number: PublishedNumber, sizes: Sequence[Row]) -> Quantity | None:
    """The personas, questions and sessions of Memora (`text_memora`); of a persona, where all have as many.

    Args:
        sizes: rows of `lethe.schemas.CROSSEVAL_SIZES` of Memora.
    """
    if number.row != "data" or not sizes:
        return None
    questions, sessions = ([row[name] for row in sizes] for name in ("questions", "sources"))
    counts = {
        "personas": Quantity(len(sizes)),
        "questions": Quantity(sum(questions)),
        "questions_per_persona": Quantity(sum(questions) / len(sizes)),
        "sessions": Quantity(sum(sessions)),
        "sessions_per_persona": Quantity(sum(sessions) / len(sizes), None, min(sessions), max(sessions)),
    }
    return counts.get(number.column)


def _scripts(text: str) -> Iterator[str]:
    """The script of each letter of a text, as the first word of its Unicode name."""
    for letter in filter(str.isalpha, text):
        name = unicodedata.name(letter, "").lower()
        script = _LATIN if _LATIN in name else name.partition(" ")[0]
        yield _NAMED.get(script, script)
