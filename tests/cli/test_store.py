"""`lethe`: what each command prints and changes, and that a dry run changes nothing."""

import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import apsw
import numpy as np
import pytest
from typer.testing import CliRunner

from lethe.store import PurgeReceipt
from lethe.store.cli.commands import store as app
from lethe.store.embedders import hashed_words
from lethe.store.errors import LetheError

Run = Callable[..., list[str]]
KEY = ("--key", "k")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a command of `lethe` in an empty folder; returns the lines it prints."""
    monkeypatch.chdir(tmp_path)

    def act(command: str, *arguments: str, given: str | None = None) -> list[str]:
        done = CliRunner().invoke(app, [command, *arguments], input=given)
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        assert done.exit_code == 0, done.output
        return done.stdout.splitlines()

    return act


@pytest.fixture
def filled(run: Run) -> Run:
    """The same, with a key and a store of four memories."""
    run("key", "k")
    new = ("m.db", "--key", "k", "--embedder", "words")
    run("inscribe", *new, "Ines keeps the key at the bakery", "Ines likes tea", "--owner", "ines")
    run("inscribe", *new, given="Tom works in Oslo\n\nTom rows on Sundays\n")
    return run


def ids(run: Run, *arguments: str) -> list[int]:
    return [json.loads(line)["memory_id"] for line in run("export", "m.db", *arguments)]


def test_inscribe_and_recall(filled: Run) -> None:
    assert [line.split("\t")[0] for line in filled("recall", "m.db", "the key at the bakery", "-k", "1")] == ["1"]
    (found,) = filled("recall", "m.db", "Ines", "--mode", "lexical", "--owner", "ines", "-k", "1", "--json")
    assert json.loads(found)["text"] in ("Ines keeps the key at the bakery", "Ines likes tea")
    assert filled("recall", "m.db", "Tom", "--mode", "lexical", "--owner", "ines") == []


def test_export_holds_depth_scope_and_end(filled: Run) -> None:
    filled("inscribe", "m.db", "Rain today", "--ttl", "3600", "--source", "radio", "--key", "k")
    rows: list[dict[str, Any]] = [json.loads(line) for line in filled("export", "m.db")]
    assert [row["owner"] for row in rows] == ["ines", "ines", None, None, None]
    assert rows[4]["source"] == "radio" and rows[4]["expires_at"] > 1e9 and rows[0]["expires_at"] is None
    assert rows[0] == {
        "memory_id": 1,
        "text": "Ines keeps the key at the bakery",
        "depth": 1.0,
        "owner": "ines",
        "session": None,
        "source": None,
        "expires_at": None,
        "inscribed_at": rows[0]["inscribed_at"],
    }
    assert rows[0]["inscribed_at"] > 1e9


def test_what_a_writer_signs_is_recalled_by_that(filled: Run) -> None:
    (writer,) = filled("key", "ines.key")
    (told,) = filled("inscribe", "m.db", "Ines keeps the key at home", "--owner", "ines", "--sign", "ines.key", *KEY)
    assert filled("recall", "m.db", "the key", "--signed-by", writer, "--owner", "ines") != []
    assert [line.split("\t")[0] for line in filled("recall", "m.db", "the key", "--signed-by", writer)] == [
        told.split("\t")[0]
    ]
    with pytest.raises(LetheError, match="--relearn takes no --sign"):
        filled("inscribe", "m.db", "Ines", "--sign", "ines.key", "--relearn")


def test_what_is_exported_is_imported(filled: Run, tmp_path: Path) -> None:
    filled("inscribe", "m.db", "Rain today", "--ttl", "3600", "--source", "radio", "--key", "k")
    filled("release", "m.db", "--id", "3", *KEY)
    exported = filled("export", "m.db")
    Path("all.jsonl").write_text("\n".join(exported) + "\n")
    assert filled("import", "new.db", "all.jsonl", "--embedder", "words") == ["5 memories"]
    moments = [json.loads(line).pop("inscribed_at") for line in exported]
    imported = [
        json.loads(line) | {"inscribed_at": at} for line, at in zip(filled("export", "new.db"), moments, strict=True)
    ]
    assert imported == list(map(json.loads, exported))
    assert [line.split("\t")[2] for line in filled("log", "new.db", "--after", "5")] == ["release"]
    with pytest.raises(LetheError, match=r"line 1: no memory .* \(no memory has the key 'age'\)"):
        filled("import", "other.db", given='{"text": "Ines", "age": 3}\n')
    assert not Path("other.db").exists()
    for wrong in (
        '"owner": 5',
        '"owner": "\\ud800"',
        '"session": ""',
        '"expires_at": "now"',
        '"depth": true',
        '"depth": 1.5',
        '"depth": -1',
        '"text": "Ben"',
    ):
        with pytest.raises(LetheError, match="line 1: no memory as lethe export prints one"):
            filled("import", "other.db", given=f'{{"text": "Ines", {wrong}}}\n')
        assert not Path("other.db").exists()
    for wrong in ("[]", "5", '"Ines"', "null"):
        with pytest.raises(LetheError, match=r"line 1: no memory .* \(it is no object\)"):
            filled("import", "other.db", given=f"{wrong}\n")
    with pytest.raises(LetheError, match="a scope has one owner"):
        filled("import", "m.db", "all.jsonl", "--owner", "tom", *KEY)
    assert filled("import", "m.db", "--owner", "tom", *KEY, given='{"text": "Tom likes tea"}\n') == ["1 memories"]
    filled("backup", "m.db", "copy.db")
    assert filled("export", "copy.db") == filled("export", "m.db")


def test_supersede_and_blame(filled: Run) -> None:
    assert filled("supersede", "m.db", "Ines keeps the key at home", "--id", "1", "--dry-run") == [
        "1\tInes keeps the key at the bakery"
    ]
    assert ids(filled) == [1, 2, 3, 4]
    filled("supersede", "m.db", "Ines keeps the key at home", "--query", "Ines keeps the key at the bakery", *KEY)
    assert [line.split("\t")[2] for line in filled("blame", "m.db", "5")] == [
        "Ines keeps the key at the bakery",
        "Ines keeps the key at home",
    ]
    assert json.loads(filled("blame", "m.db", "5", "--json")[0])["superseded_at"] > 0


def test_release_and_its_dry_run(filled: Run) -> None:
    would = filled("release", "m.db", "--query", "Tom works in Oslo", "--dry-run")
    assert would == ["3\tTom works in Oslo"]
    assert ids(filled, "--no-submerged") == [1, 2, 3, 4]
    assert filled("release", "m.db", "--query", "Tom works in Oslo", *KEY) == would
    filled("release", "m.db", "--id", "2", "--id", "4", *KEY)
    assert ids(filled, "--no-submerged") == [1]
    with pytest.raises(LetheError, match="there is no memory 9"):
        filled("release", "m.db", "--id", "1", "--id", "9")
    assert ids(filled, "--no-submerged") == [1], "none of several is released if one cannot be"


@pytest.mark.parametrize(
    ("arguments", "gone"),
    [
        (["--id", "2", "--id", "3"], [2, 3]),
        (["--query", "where does Tom work, in Oslo?"], [3]),
        (["--all", "--owner", "ines"], [1, 2]),
        (["--expired"], []),
    ],
)
def test_purge_and_its_dry_run(filled: Run, arguments: list[str], gone: list[int]) -> None:
    would = filled("purge", "m.db", *arguments, "--dry-run", "--json")
    assert [json.loads(line)["memory_id"] for line in would] == gone
    assert ids(filled) == [1, 2, 3, 4]
    (receipt,) = filled("purge", "m.db", *arguments, "--key", "k", "--json")
    assert len(json.loads(receipt)["events"]) == len(gone)
    assert ids(filled) == [id for id in (1, 2, 3, 4) if id not in gone]


def test_a_receipt_is_checked_by_whoever_has_the_public_key(filled: Run, tmp_path: Path) -> None:
    (public,) = filled("key", "k")
    filled("purge", "m.db", "--id", "3", "--key", "k", "--receipt", "r.json")
    filled("inscribe", "m.db", "Tom works in Rome", "--key", "k")
    for proof in ([], ["--store", "m.db"]):
        assert "holds" in filled("verify", "r.json", "--public-key", public, *proof)[0]
    Path("later.json").write_text(filled("log", "m.db", "--extends", "r.json", "--key", "k")[0])
    Path("public").write_text(public + "\n")
    assert "1 memories" in filled("verify", "r.json", "--public-key", "public", "--extension", "later.json")[0]
    Path("unsigned.json").write_text(filled("log", "m.db", "--extends", "r.json")[0])
    for arguments, said in (
        (["--public-key", public, "--extension", "unsigned.json"], "^unsigned.json: refused: .*it is not signed"),
        (["--public-key", "nofile"], "^--public-key: nofile: neither a public key"),
        (["--public-key", "k"], "^--public-key: k: a private key.*`lethe key k` prints the public"),
        (["--public-key", public, "--store", "gone.db"], r"^store gone\.db does not exist"),
        (["--public-key", public, "--extension", "gone.json"], r"gone\.json: .*check its name"),
    ):
        with pytest.raises(LetheError, match=said):
            filled("verify", "r.json", *arguments)
    with pytest.raises(LetheError, match="refused: it names another key"):
        filled("verify", "r.json", "--public-key", "00" * 32)
    Path("r.json").write_text(Path("r.json").read_text().replace("purge", "edit!"))
    with pytest.raises(LetheError, match="refused: its signature"):
        filled("verify", "r.json", "--public-key", public)
    with pytest.raises(LetheError, match=r"r\.json: exists"):
        filled("purge", "m.db", "--id", "1", "--key", "k", "--receipt", "r.json")
    assert 1 in ids(filled)


def test_what_is_to_stay_forgotten(filled: Run) -> None:
    filled("purge", "m.db", "--id", "3", "--stay-forgotten", "--key", "k")
    with pytest.raises(LetheError, match="this text was erased to stay forgotten"):
        filled("inscribe", "m.db", "TOM works  in Oslo", "--key", "k")
    with pytest.raises(LetheError, match="text 2: was erased to stay forgotten"):
        filled("inscribe", "m.db", "Tom swims", "TOM works  in Oslo", "--key", "k")
    with pytest.raises(LetheError, match="holds tombstones"):
        filled("inscribe", "m.db", "Tom works in Rome")
    taken = filled("inscribe", "m.db", "Tom works in Oslo", "Tom swims", "--skip-forgotten", "--key", "k")
    assert taken == ["5\tTom swims"]
    with pytest.raises(LetheError, match="no tombstone"):
        filled("inscribe", "m.db", "Tom works in Oslo", "Tom skates", "--relearn", "--key", "k")
    assert filled("inscribe", "m.db", "Tom works in Oslo", "--relearn", "--key", "k") == ["6\tTom works in Oslo"]
    assert json.loads(filled("log", "m.db", "--json")[-1])["operation"] == "relearn"


def test_log_and_scrub(filled: Run) -> None:
    assert filled("log", "m.db", "--check") == ["4 events, unchanged"]
    assert [line.split("\t")[2:] for line in filled("log", "m.db", "--id", "2")] == [["inscribe", "2"]]
    assert filled("scrub", "m.db") == []


def test_moments_are_told_as_people_read_them_and_in_json_as_numbers(filled: Run) -> None:
    for command in (["log", "m.db", "--id", "2"], ["blame", "m.db", "2"]):
        (told,), (number,) = filled(*command), filled(*command, "--json")
        at = json.loads(number).get("at") or json.loads(number)["inscribed_at"]
        moment = told.split("\t")[1]
        assert moment.endswith("Z") and datetime.fromisoformat(moment).timestamp() == int(at)


def test_a_proof_that_is_not_signed_says_so(filled: Run) -> None:
    filled("purge", "m.db", "--id", "3", *KEY, "--receipt", "r.json")
    for what in (["--extends", "r.json"], ["--head"]):
        for key, said in (((), "not signed, so that others cannot check it: give --key\n"), (KEY, "")):
            done = CliRunner().invoke(app, ["log", "m.db", *what, *key])
            assert (done.exit_code, done.stderr) == (0, said)
            assert bool(json.loads(done.stdout)["signature"]) == bool(key)


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("purge", "what it replaced and what was derived stay."),
        ("receipt", "--json prints it, --receipt writes it to a file."),
    ],
)
def test_a_sentence_of_the_help_is_a_line_that_is_whole(command: str, said: str) -> None:
    done = CliRunner().invoke(app, [command, "--help"], env={"COLUMNS": "200", "TERMINAL_WIDTH": "200"})
    assert any(line.rstrip(" │").endswith(said) for line in done.stdout.splitlines()), done.stdout


def test_the_help_of_import_says_what_its_scope_gives() -> None:
    done = CliRunner().invoke(app, ["import", "--help"], env={"COLUMNS": "200", "TERMINAL_WIDTH": "200"})
    assert "whose memories these are" in done.stdout and done.stdout.count("not with --from") == 2


def test_log_and_blame_say_who_did_it_and_why(filled: Run) -> None:
    said = ("--actor", "agent-7", "--reason", "Tom moved", *KEY)
    filled("supersede", "m.db", "Tom works in Bergen", "--id", "3", *said)
    filled("release", "m.db", "--id", "4", *said)
    filled("move-end", "m.db", "4", "--never", *said)
    filled("inscribe", "m.db", "Tom has a boat", "--embedder", "words", "--actor", "agent-8", *KEY)
    filled("import", "m.db", *said, given='{"text": "Tom has a dog"}')
    why = ["by: agent-7", "because: Tom moved"]
    told = [line.split("\t")[2:] for line in filled("log", "m.db", "--after", "4")]
    assert told == [
        ["inscribe", "5", *why],
        ["supersede", "3", "5", *why],
        ["release", "4", *why],
        ["commit", "4", *why],
        ["inscribe", "6", "by: agent-8"],
        ["inscribe", "7", *why],
    ]
    assert filled("blame", "m.db", "5")[1].split("\t")[2:] == ["Tom works in Bergen", *why]
    assert json.loads(filled("blame", "m.db", "5", "--json")[1])["reason"] == "Tom moved"
    filled("purge", "m.db", "--id", "3", "--reason", "request 4711", *KEY)
    told = [line.split("\t")[2:] for line in filled("log", "m.db", "--after", "4")]
    assert told[:2] == [["inscribe", "5", "who and why: (erased)"], ["supersede", "3", "5", "who and why: (erased)"]]
    assert told[-1] == ["purge", "3", "because: request 4711"]
    assert json.loads(filled("log", "m.db", "--id", "3", "--json")[-1])["reason"] == "request 4711"
    with pytest.raises(LetheError, match="name the request"):
        filled("purge", "m.db", "--id", "4", "--reason", "Tom rows on Sundays", *KEY)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["recall", "nowhere.db", "Tom"], "does not exist"),
        (["purge", "m.db"], "give one of --id, --query"),
        (["purge", "m.db", "--id", "1", "--expired"], "give one of --id, --query"),
        (["purge", "m.db", "--all"], "needs a scope"),
        (["purge", "m.db", "--id", "1", "--stay-forgotten"], "key"),
        (["purge", "m.db", "--id", "3", "--owner", "ines"], "there is no memory 3"),
        (["recall", "m.db", "Tom", "--mode", "fuzzy"], "--mode"),
        (["inscribe", "new.db", "Tom", "--embedder", "my_model"], "my_model"),
        (["inscribe", "m.db", "Tom", "--ttl", "-1"], "ttl must be positive"),
        (["recall", "k", "Tom"], "not a Lethe store"),
        (["log", "m.db", "--extends", "nothing.json"], "nothing.json"),
        (["inscribe", ":memory:", "Tom"], "nothing of it is kept; name a file"),
        (["export", ":memory:"], "nothing of it is kept; name a file"),
        (["backup", "m.db", ":memory:"], ":memory: names no file"),
        (
            ["supersede", "m.db", "3", "Tom works in Bergen"],
            "named by --id, or by --query: lethe supersede FILE --id ID TEXT",
        ),
        (["purge", "m.db", "3"], "'3': a memory is named by --id, or by --query: lethe purge FILE --id ID"),
        (["release", "m.db", "3", "4"], "'3 4': a memory is named by --id, or by --query: lethe release FILE --id ID"),
        (["import", "new.db", "k"], "name the store that it is of: --from chroma or langgraph or mcp or mem0"),
        (
            ["import", "new.db", "."],
            ".: a folder; name the store that it is of: --from chroma or langgraph or mcp or mem0",
        ),
    ],
    ids=str,
)
def test_mistakes_are_one_line_and_change_nothing(filled: Run, arguments: list[str], said: str) -> None:
    before = filled("export", "m.db")
    with pytest.raises(LetheError) as caught:
        filled(*arguments)
    assert said in str(caught.value) and "\n" not in str(caught.value)
    assert filled("export", "m.db") == before
    assert not Path("nowhere.db").exists() and not Path("new.db").exists()


def test_hashed_words_are_unit_vectors_and_near_for_shared_words() -> None:
    vectors = hashed_words(["the old bakery", "bakery of old", "nothing shared", " "])
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, rtol=1e-6)
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2]


def test_nothing_erased_is_no_success(filled: Run) -> None:
    filled("purge", "m.db", "--id", "1", *KEY)
    for arguments in (["--id", "1"], ["--all", "--owner", "nobody"], ["--query", "?!"]):
        with pytest.raises(LetheError, match=r"nothing was erased|no memory meets"):
            filled("purge", "m.db", *arguments, *KEY)
    (receipt,) = filled("purge", "m.db", "--expired", "--json", *KEY)
    Path("nothing.json").write_text(receipt)
    with pytest.raises(LetheError, match=r"^nothing\.json: holds, and erases nothing$"):
        filled("verify", "nothing.json", "--public-key", *filled("key", "k"), "--store", "m.db")


def test_a_purge_with_its_line_reaches_what_was_derived(filled: Run) -> None:
    filled("supersede", "m.db", "Tom works in Rome", "--id", "3", "--key", "k")
    filled("inscribe", "m.db", "Tom moved for his work", "--derived-from", "3", "--derived-from", "4", "--key", "k")
    for which in (["--id", "5"], ["--query", "Tom works in Rome"]):
        would = filled("purge", "m.db", *which, "--with-line", "--dry-run", "--json")
        assert [json.loads(line)["memory_id"] for line in would] == [5, 3, 6]
        assert len(filled("purge", "m.db", *which, "--dry-run")) == 1
    said = filled("purge", "m.db", "--id", "5", "--with-line", "--key", "k", "--receipt", "r.json")
    assert said == ["3 memories and 3 texts erased, 2 of them with the line of others"]
    assert PurgeReceipt.from_json(Path("r.json").read_text()).asked == (5,)
    with pytest.raises(LetheError, match="there is no memory 9"):
        filled("inscribe", "m.db", "Tom", "--derived-from", "9", "--key", "k")
    with pytest.raises(LetheError, match="--with-line goes with"):
        filled("purge", "m.db", "--all", "--owner", "ines", "--with-line")
    assert filled("purge", "m.db", "--expired", "--with-line", "--key", "k") == ["0 memories and 0 texts erased"]


def test_a_receipt_is_completed_and_given_again(filled: Run) -> None:
    (public,) = filled("key", "k")
    reader = apsw.Connection("m.db")
    reader.execute("BEGIN; SELECT * FROM memory").fetchall()
    with pytest.raises(LetheError, match="run lethe complete with the receipt"):
        filled("purge", "m.db", "--id", "3", "--key", "k", "--receipt", "r.json")
    with pytest.raises(LetheError, match="run lethe complete with the receipt"):
        filled("complete", "m.db", "r.json", "--key", "k")
    for file in ([], ["--store", "m.db"]):
        with pytest.raises(LetheError, match=r"^r\.json: genuine but incomplete: .*write-ahead log.*`lethe complete"):
            filled("verify", "r.json", "--public-key", public, *file)
    reader.close()
    filled("complete", "m.db", "r.json", "--key", "k", "--receipt", "done.json")
    assert "holds" in filled("verify", "done.json", "--public-key", public, "--store", "m.db")[0]
    assert PurgeReceipt.from_json(Path("done.json").read_text()).complete
    for which in ([], ["--id", "3"]):
        assert filled("receipt", "m.db", *which, "--key", "k", "--json") == [Path("done.json").read_text().strip()]
    Path("again.json").write_text(filled("receipt", "m.db", "--key", "k", "--json")[0])
    assert "holds" in filled("verify", "again.json", "--public-key", public, "--store", "m.db")[0]
    for arguments, said in (
        (["receipt", "m.db", "--id", "1", "--key", "k"], "was not purged"),
        (["receipt", "m.db", "--key", "k", "--receipt", "r.json"], "exists"),
        (["receipt", "m.db", "--key", "k", "--receipt", "m.db-journal"], "SQLite's own file of the store"),
        (["complete", "m.db", "k", "--key", "k"], "no receipt of a purge"),
        (["complete", "m.db", "r.json"], "with its key"),
        (["log", "m.db", "--check", "--since", "k"], r"^k: no head of a log; name the file"),
        (["log", "m.db", "--check", "--since", "r.json"], r"^r\.json: no head of a log; name the file"),
        (["log", "m.db", "--since", "r.json"], "goes with --check"),
        (["log", "m.db", "--check", "--owner", "ines"], "^--check takes no --owner; ask"),
        (["log", "m.db", "--check", "--head"], "^--check takes no --head; ask for each in a command of its own"),
        (["log", "m.db", "--head", "--id", "1", "--limit", "0"], "^--head takes no --id, --limit; ask"),
        (["log", "m.db", "--extends", "k"], r"^k: no receipt and no head; name the file"),
    ):
        with pytest.raises(LetheError, match=said):
            filled(*arguments)


def test_a_store_that_only_grew_since_a_head_is_not_to_be_restored(filled: Run) -> None:
    Path("head.json").write_text(filled("log", "m.db", "--head", "--key", "k")[0])
    filled("inscribe", "m.db", "more", "--key", "k")
    with pytest.raises(LetheError, match=r"1 findings, see above; if you know of them all, take a new head"):
        filled("log", "m.db", "--check", "--since", "head.json", "--key", "k")


def test_a_receipt_that_cannot_be_written_leaves_no_file(filled: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    to_json, path = PurgeReceipt.to_json, Path("r.json")

    def full(receipt: PurgeReceipt) -> str:
        if path.exists():
            raise OSError(28, "No space left on device")
        return to_json(receipt)

    with monkeypatch.context() as patched:
        patched.setattr(PurgeReceipt, "to_json", full)
        with pytest.raises(LetheError, match=r"r\.json: No space left on device; .* lethe receipt gives it"):
            filled("purge", "m.db", "--id", "3", "--key", "k", "--receipt", str(path))
    assert not path.exists()
    filled("receipt", "m.db", "--key", "k", "--receipt", str(path))
    assert PurgeReceipt.from_json(path.read_text()).complete


def test_nothing_is_erased_where_the_receipt_has_no_folder(filled: Run) -> None:
    with pytest.raises(LetheError, match=r"no/r\.json: its folder does not exist; make it, or name another file"):
        filled("purge", "m.db", "--id", "3", "--key", "k", "--receipt", "no/r.json")
    assert len(filled("log", "m.db", "--key", "k", "--id", "3")) == 1


def test_what_is_there_already_is_told_once(filled: Run) -> None:
    once = ("inscribe", "m.db", "--key", "k", "--owner", "ines", "--once")
    assert filled(*once, "INES likes tea", "Ines rows") == ["2\tInes likes tea", "5\tInes rows"]
    assert filled(*once, "Ines likes some tea", "--min-similarity", "0.5")[0].startswith("2\t")
    with pytest.raises(LetheError, match="--min-similarity goes with --once"):
        filled("inscribe", "m.db", "--key", "k", "x", "--min-similarity", "0.5")
    with pytest.raises(LetheError, match="--once takes no"):
        filled(*once, "x", "--derived-from", "1")


def test_pages(filled: Run) -> None:
    assert ids(filled, "--after", "1", "--limit", "2") == [2, 3]
    everything = filled("recall", "m.db", "Ines Tom tea")
    assert filled("recall", "m.db", "Ines Tom tea", "-k", "2", "--offset", "1") == everything[1:3]
    assert filled("log", "m.db", "--after", "1", "--limit", "2") == filled("log", "m.db")[1:3]


def test_an_end_is_moved(filled: Run) -> None:
    filled("move-end", "m.db", "3", "--ttl", "3600", "--key", "k")
    assert json.loads(filled("export", "m.db", "--after", "2", "--limit", "1")[0])["expires_at"] > 1e9
    filled("move-end", "m.db", "3", "--never", "--key", "k")
    assert json.loads(filled("export", "m.db", "--after", "2", "--limit", "1")[0])["expires_at"] is None
    for options in ((), ("--never", "--ttl", "1")):
        with pytest.raises(LetheError, match="give one of --ttl, --never"):
            filled("move-end", "m.db", "3", *options)
