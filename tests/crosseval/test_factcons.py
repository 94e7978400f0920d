"""FactConsolidation: numbered lines become facts in source order, and the two buckets of a length share them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from forgeteval.errors import UserError
from lethe.crosseval.factcons import LENGTHS, load_factcons

DATA = Path(__file__).parent / "data" / "factconsolidation" / "Conflict_Resolution.json"


def test_facts_in_source_order_without_their_numbers() -> None:
    (short,) = load_factcons(DATA, ["6k"])
    assert short.name == "6k"
    assert [operation.text for operation in short.operations] == [
        "The capital of Arda is Ost.",
        "Mira plays the position of keeper.",
        "The author of 1. Night is Mira.",
        "The capital of Arda is Wold.",
    ]
    assert {operation.op for operation in short.operations} == {"inscribe"}


def test_both_buckets_ask_one_history_single_hop_first() -> None:
    (short,) = load_factcons(DATA, ["6k"])
    assert [(q.question_id, q.part, q.required, q.criterion) for q in short.questions] == [
        ("factconsolidation_sh_6k_no0", "sh_6k", ("Wold",), "any"),
        ("factconsolidation_sh_6k_no1", "sh_6k", ("keeper", "goalkeeper"), "any"),
        ("factconsolidation_mh_6k_no0", "mh_6k", ("Wold",), "any"),
    ]


def test_lengths_come_shortest_first_and_only_those_asked_for() -> None:
    assert [history.name for history in load_factcons(DATA, LENGTHS)] == ["6k", "32k", "64k", "262k"]
    assert [history.name for history in load_factcons(DATA, ["64k", "6k"])] == ["6k", "64k"]


def test_the_hubs_parquet_file_reads_the_same(tmp_path: Path) -> None:
    path = tmp_path / "split.parquet"
    pq.write_table(pa.Table.from_pylist(json.loads(DATA.read_text(encoding="utf-8"))), path)
    assert load_factcons(path, LENGTHS) == load_factcons(DATA, LENGTHS)


def rename(entries: list[dict[str, Any]]) -> None:
    entries[0]["metadata"]["source"] = "eventqa_full"


def change_a_fact(entries: list[dict[str, Any]]) -> None:
    entries[0]["context"] = entries[0]["context"].replace("Ost", "West")


def skip_a_number(entries: list[dict[str, Any]]) -> None:
    entries[0]["context"] = entries[0]["context"].replace("\n1. ", "\n7. ")


def drop_an_answer(entries: list[dict[str, Any]]) -> None:
    entries[0]["answers"] = []


def answer_with_a_text(entries: list[dict[str, Any]]) -> None:
    entries[0]["answers"][0] = "Ghent"


def answer_with_nothing(entries: list[dict[str, Any]]) -> None:
    entries[0]["answers"][0] = [""]


def answer_with_a_blank_behind(entries: list[dict[str, Any]]) -> None:
    entries[0]["answers"][0] = ["Wold", "Ost "]


def answer_in_another_form(entries: list[dict[str, Any]]) -> None:
    entries[0]["answers"][0] = ["Wöld", "W\u043eld"]


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (rename, "unknown bucket 'eventqa_full'"),
        (change_a_fact, "sh_6k has other facts"),
        (skip_a_number, "mh_6k are not numbered from 0"),
        (drop_an_answer, "mh_6k: questions, answers and .* differ in length"),
        (answer_with_a_text, r"\[0\]\.answers\[0\]: should be a valid list"),
        (answer_with_nothing, r"\[0\]\.answers\[0\]\[0\]: is empty or blank"),
        (answer_with_a_blank_behind, r"\[0\]\.answers\[0\]\[1\]: 'Ost ' begins or ends with a blank"),
        (answer_in_another_form, "no answer to 'factconsolidation_mh_6k_no0' stands in the facts of mh_6k: .'Wöld'"),
    ],
)
def test_a_file_that_is_not_as_released(
    tmp_path: Path, spoil: Callable[[list[dict[str, Any]]], None], said: str
) -> None:
    entries = json.loads(DATA.read_text(encoding="utf-8"))
    spoil(entries)
    path = tmp_path / "spoilt.json"
    path.write_text(json.dumps(entries), encoding="utf-8")
    with pytest.raises(UserError, match=said) as caught:
        load_factcons(path, LENGTHS)
    assert str(path) in str(caught.value)
