"""Stores, kept trials, suites and sheets that mislead whoever reads them: each is read or refused in one line."""

import dataclasses
import itertools
import json
import math
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from openpyxl import Workbook

from forgeteval.cases.letta_core_memory import read_letta
from forgeteval.cases.released import read_released
from forgeteval.cases.suites import build_suite
from forgeteval.errors import UserError
from forgeteval.run.replay import Replay
from lethe.config.chat_models import check_address
from lethe.gateway.context import Usage
from lethe.jobs.kept import FinishedTrial, KeptTrials
from lethe.people.annotation.reading import read_sheet
from lethe.store import PurgeReceipt, Store, connection
from lethe.store.errors import LetheError
from lethe.stored.answers import read_index
from tests.support.hash_embedder import DIM, hash_embed


def opened(path: Path | str = ":memory:", **options: Any) -> Store:
    return Store(path, embed=hash_embed, dim=DIM, **options)


def outcome(act: Callable[[], object], seconds: float = 12.0) -> str:
    """What an action comes to: "returned", the kind of its error, or "no answer"."""
    told: list[str] = []

    def run() -> None:
        try:
            act()
            told.append("returned")
        except BaseException as error:  # noqa: BLE001 - whatever it is, the test tells it
            told.append(type(error).__name__)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    return told[0] if told else "no answer"


@pytest.mark.parametrize("now", [math.nan, "x", 10**400], ids=["nan", "text", "beyond numbers"])
def test_a_moment_that_is_none_is_a_wrong_argument_and_no_damage(now: Any) -> None:
    store = opened()
    store.inscribe("alpha")
    with pytest.raises((TypeError, ValueError)):
        store.consolidate(now)


@pytest.mark.parametrize("now", [math.nan, None, 10**400], ids=["nan", "nothing", "beyond numbers"])
def test_a_clock_that_gives_no_moment_is_not_called_damage(now: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        opened(clock=lambda: now).inscribe("alpha")


@pytest.mark.parametrize("given", [math.nan, "x", 10**400, None], ids=["nan", "text", "beyond numbers", "nothing"])
def test_a_number_that_is_none_is_a_wrong_argument_and_no_damage(given: Any) -> None:
    store = opened()
    store.inscribe("alpha")
    for act in (lambda: store.decay(1, given), lambda: store.consolidate(half_life_days=given)):
        with pytest.raises((TypeError, ValueError)):
            act()
    with pytest.raises((TypeError, ValueError)):
        opened(dim=given)


@pytest.mark.parametrize("kind", [KeyError, TypeError, OSError, OverflowError])
def test_what_a_clock_raises_is_not_called_damage(kind: type[Exception]) -> None:
    def clock() -> float:
        raise kind("mine")

    with pytest.raises(ValueError, match=r"the clock has no moment.*mine"):
        opened(clock=clock).inscribe("alpha")


@pytest.mark.parametrize("given", [b"abc", 5, None, ["a"]], ids=str)
def test_what_is_no_text_is_a_wrong_argument(given: Any) -> None:
    store = opened()
    for act in (store.inscribe, store.recall, store.release_matching, store.purge_matching):
        with pytest.raises((TypeError, ValueError)):
            act(given)


def test_a_text_is_no_list_of_texts() -> None:
    with pytest.raises((TypeError, ValueError)):
        opened().inscribe_many("abc")


@pytest.mark.parametrize(
    "change",
    [{"versions": (99,)}, {"versions": ("1",)}, {"events": ()}, {"events": ("[]",)}, {"before": 6}, {"before": None}],
    ids=str,
)
def test_a_forged_receipt_is_refused(change: dict[str, Any]) -> None:
    store = opened()
    store.inscribe_many([f"alpha {number}" for number in range(5)])
    receipt: PurgeReceipt = store.purge(2)
    assert store.verify(receipt) and receipt.event_seqs == (6,)
    assert not store.verify(dataclasses.replace(receipt, **change))


@pytest.mark.parametrize("name", ["reset", "scrub", "stored_bytes"])
def test_whatever_needs_the_whole_file_says_what_to_do_in_the_middle_of_a_write(tmp_path: Path, name: str) -> None:
    with opened(tmp_path / "memories.db") as store:
        store.inscribe("alpha")
        with store._database.writing(), pytest.raises(LetheError, match="in the middle of another operation"):
            getattr(store, name)()


@pytest.mark.parametrize(
    "read",
    [
        lambda store: store.memories(),
        lambda store: store.recall("number 7"),
        lambda store: store.memories(at=9),
        lambda store: store.blame(8),
        lambda store: store.release(8),
    ],
    ids=["memories", "recall", "memories at", "blame", "release"],
)
def test_a_text_that_was_changed_in_the_file_is_not_read_as_if_it_were_the_text(
    tmp_path: Path, read: Callable[[Store], object]
) -> None:
    path = tmp_path / "memories.db"
    with opened(path) as store:
        store.inscribe_many([f"alpha number {number}" for number in range(9)])
        store.scrub()
    changed = path.read_bytes().replace(b"alpha number 7", b"omega number 7")
    assert changed != path.read_bytes()
    path.write_bytes(changed)
    with opened(path) as store, pytest.raises(LetheError, match="damaged"):
        read(store)


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE sqlite_sequence SET seq = 9223372036854775807",
        "DROP TRIGGER event_is_never_updated; UPDATE event SET successor_id = memory_id",
    ],
    ids=["no number is left", "a memory that replaced itself"],
)
def test_other_numbers_in_a_store_are_damage(tmp_path: Path, sql: str) -> None:
    path = tmp_path / "memories.db"
    with opened(path) as store:
        store.inscribe("alpha")
        store.supersede(1, "beta")
    raw = connection.connect(str(path))
    raw.execute(f"PRAGMA foreign_keys = OFF; {sql}").fetchall()
    raw.close()

    def use() -> None:
        with opened(path) as store:
            store.blame(2)
            store.inscribe("gamma")

    assert outcome(use) == "LetheError"


@pytest.mark.parametrize("name", ["x" * 300, "\udcff", "loop"], ids=["too long", "no text", "a link to itself"])
def test_a_path_that_no_file_can_have_is_one_line(tmp_path: Path, name: str) -> None:
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(LetheError):
        opened(f"{tmp_path}/{name}")


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    path = tmp_path / "system.trials"
    with KeptTrials(path) as trials:
        for number in range(3):
            trials.add(f"key{number}", FinishedTrial("mine", f"c{number}", 0, Replay(), Usage()))
    return path


@pytest.mark.parametrize(
    "change",
    [
        lambda whole: whole.replace(b"key0", b"key1", 1),
        lambda whole: whole[whole.index(b" ") + 1 :],
    ],
    ids=["a letter changed", "removed"],
)
def test_trials_are_not_thrown_away_for_a_first_line_that_was_damaged(
    kept: Path, change: Callable[[bytes], bytes]
) -> None:
    """The line begins with a checksum; where that does not fit, no run wrote it."""
    kept.write_bytes(change(kept.read_bytes()))
    before = kept.read_bytes()
    with pytest.raises(UserError, match="line 1 is not as it was written"):
        KeptTrials(kept)
    assert kept.read_bytes() == before


LETTERS = "abcdefgh"
MANY = ", ".join(
    ["&a [l, l, l, l, l, l, l, l, l]"]
    + [f"&{new} [{', '.join([f'*{old}'] * 9)}]" for old, new in itertools.pairwise(LETTERS)]
)
CASE = """
- id: one
  setup_facts: ["Ines has the key."]
  mutations: [[purge, "key"]]
  final_query: "who"
  must_contain: []
  must_not_contain: ["key"]
"""
SUITES = {
    "many texts in place of an id": f"- id: [{MANY}]\n",
    "many texts in place of a text": CASE.replace('"who"', f"[{MANY}]"),
    "many brackets": "[" * 3_000,
    "is longer than 300 letters": f"- id: {'1:' * 3000}1\n",
    "a key twice": CASE + '  must_not_contain: ["nothing"]\n',
}


@pytest.mark.parametrize("name", SUITES)
def test_a_written_suite_is_read_or_refused_in_one_line(tmp_path: Path, name: str) -> None:
    (tmp_path / "purge.yaml").write_text(SUITES[name], encoding="utf-8")
    assert outcome(lambda: build_suite("mine", {"folder": str(tmp_path)})) == "UserError"


READERS: dict[str, Callable[[Path], object]] = {
    "system.trials": KeptTrials,
    "purge.yaml": lambda path: build_suite("mine", {"folder": str(path.parent)}),
}


@pytest.mark.parametrize("device", ["a pipe", "/dev/full", "/dev/zero"])
@pytest.mark.parametrize("name", READERS)
def test_what_is_no_file_keeps_nobody_waiting(tmp_path: Path, name: str, device: str) -> None:
    path = tmp_path / name
    if device == "a pipe":
        os.mkfifo(path)
    else:
        path.symlink_to(device)
    assert outcome(lambda: READERS[name](path)) == "UserError"


@pytest.mark.parametrize("kind", ["a pipe", "a long field", "an unknown family"])
def test_labels_are_read_or_refused_in_one_line(tmp_path: Path, kind: str) -> None:
    source, labels = tmp_path / "cases.jsonl", tmp_path / "labels.csv"
    case = {"id": "a", "category": "purge", "setup_facts": ["a b"], "mutations": [["purge", "a"]], "final_query": "q"}
    source.write_text(json.dumps({**case, "must_not_contain": ["a"]}) + "\n", encoding="utf-8")
    if kind == "a pipe":
        os.mkfifo(labels)
    else:
        row = f"{'a' * 200_000},core,x" if kind == "a long field" else "a,generated,../../etc"
        labels.write_text(f"case_id,provenance,family\n{row}\n", encoding="utf-8")
    options = {"source": str(source), "labels": str(labels)}
    assert outcome(lambda: build_suite("mine", options)) == "UserError"


@pytest.mark.parametrize("patch", [{"a_1": {"add_facts": 5}}, {"a_1": {"add_facts": ["x"]}}], ids=str)
def test_a_patch_that_fits_no_case_is_one_line(tmp_path: Path, patch: Any) -> None:
    source, changes = tmp_path / "cases.py", tmp_path / "patch.json"
    facts = ", setup_facts=['a']" if patch["a_1"]["add_facts"] == 5 else ""
    source.write_text(f"CASES = [GeneratedCase(id='a_1', mutations=[]{facts})]", encoding="utf-8")
    changes.write_text(json.dumps(patch), encoding="utf-8")
    with pytest.raises(UserError):
        read_released([source, changes])


@pytest.mark.parametrize(
    "change",
    [{"input": 5}, {"input": ["x"]}, {"input": "\ud800"}, {"supporting_fact_indices": [-1]}, {"facts": "abc"}],
    ids=str,
)
def test_a_question_of_letta_that_is_none_is_refused(tmp_path: Path, change: dict[str, Any]) -> None:
    extra: dict[str, Any] = {"facts": ["a b", "c d"], "contradicting_fact": "x y", "contradicting_answer": "y"}
    extra |= {"supporting_fact_indices": [0]} | {name: given for name, given in change.items() if name != "input"}
    record = {"input": change.get("input", "q"), "agent_args": {"extra": extra}}
    path = tmp_path / "letta.jsonl"
    path.write_text(json.dumps(record) + "\n", encoding="utf-8")
    with pytest.raises(UserError):
        read_letta(path, "letta")


SAMPLE = [{"item": "i1", "case_id": "c", "category": "purge", "provenance": "core"}]


def test_a_spreadsheet_with_one_cell_far_away_is_read_or_refused_in_time(tmp_path: Path) -> None:
    path, book = tmp_path / "ann.xlsx", Workbook()
    sheet = book.active
    assert sheet is not None
    for row in (["item", "label"], ["i1", "wf"]):
        sheet.append(row)
    sheet.cell(1_048_576, 16_384, "x")
    book.save(path)
    assert outcome(lambda: read_sheet(path, SAMPLE), 15.0) in ("UserError", "returned")


def test_a_spreadsheet_of_nothing_but_styles_is_refused_in_time(tmp_path: Path) -> None:
    path, book = tmp_path / "ann.xlsx", Workbook()
    assert book.active is not None
    for row in (["item", "label"], ["i1", "wf"]):
        book.active.append(row)
    book.save(path)
    with ZipFile(path) as parts:
        read = {part.filename: parts.read(part) for part in parts.infolist()}
    styles = read["xl/styles.xml"].replace(b"</cellXfs>", b"<xf/>" * 300_000 + b"</cellXfs>")
    with ZipFile(path, "w", ZIP_DEFLATED) as parts:
        for name, content in {**read, "xl/styles.xml": styles}.items():
            parts.writestr(name, content)
    assert path.stat().st_size < 20_000
    with pytest.raises(UserError, match="bytes of styles unpacked"):
        read_sheet(path, SAMPLE)


@pytest.mark.parametrize("character", ["\x85", "\x0c", "\x1c", "\u2028"], ids=ascii)
def test_a_comment_with_an_unusual_space_is_one_line(tmp_path: Path, character: str) -> None:
    path = tmp_path / "ann.csv"
    path.write_text(f"item,label,comment\ni1,wf,a{character}b\n", encoding="utf-8")
    assert len(read_sheet(path, SAMPLE)) == 1


@pytest.mark.parametrize(
    "line",
    [
        *(b"\xff,a,b,1,1", b"a" * 200_000 + b",a,b,1,1", b"m,a,b,-1,1", b"m,a,b,1,1\nm,a,b,2,1"),
        *(b"m,a,b,3_8_5,1", b"m,a,b,0,1", b"m,a,b,1,0", b"../../x,a,b,1,1"),
    ],
    ids=[
        *("no UTF-8", "a long field", "fewer than none", "a run twice"),
        *("digits apart", "no case", "no repetition", "a path"),
    ],
)
def test_an_index_of_recorded_answers_is_read_or_named(tmp_path: Path, line: bytes) -> None:
    (tmp_path / "recorded.csv").write_bytes(b"model,suite,system,cases,repetitions\n" + line + b"\n")
    with pytest.raises(UserError):
        read_index(tmp_path)


def test_an_index_with_a_column_twice_is_named(tmp_path: Path) -> None:
    (tmp_path / "recorded.csv").write_bytes(b"model,suite,system,cases,repetitions,cases\nm,a,b,1,1,2\n")
    with pytest.raises(UserError, match="a column that is there twice"):
        read_index(tmp_path)


@pytest.mark.parametrize("address", ["http://ho\nst/v1", "http://h\x00/v1", "http://a b/v1", "http://h\t/v1"])
def test_an_address_with_what_no_address_holds_is_refused(address: str) -> None:
    with pytest.raises(UserError):
        check_address("m", address)
