"""The erasure audit of scripted systems through their workers: what each is found to keep, level by level."""

import stat
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import pytest

from forgeteval.cases.erasure.generate import generate_cases, read_material
from forgeteval.errors import UserError
from forgeteval.limits import Limits
from lethe.jobs import looking
from lethe.jobs.acting import Acted
from lethe.jobs.erasing import examine, is_kept, is_left
from lethe.jobs.erasure_trials import _clear_of_others, run_erasures
from lethe.jobs.kept import FinishedTrial, KeptTrials
from lethe.parquet import Row, write_rows
from lethe.schemas import ERASURE_RECORDS
from lethe.study.erasure import claim_rows, score_rows, verdict_rows
from tests.support.bench import Bench
from tests.support.disturbed import kept, left_behind
from tests.support.erasure_cheats import DISGUISES, HIDERS
from tests.support.paths import ROOT

CASES = generate_cases(read_material(ROOT / "suites" / "erasure"), 5, 2)
HAYSTACK = ["Swallows nest under the roof of the mill.", "The ferry leaves at six."]


def audit(bench: Bench, name: str) -> list[Row]:
    backend = name if ":" in name else f"tests.support.erasing:{name}"
    with bench.session(backend) as session:
        return run_erasures(session, CASES, HAYSTACK, limit_s=20.0)


def verdicts(rows: list[Row], level: str) -> dict[str, str]:
    """The verdict of each place, which is the same for every case."""
    found = [{row["place"]: row["verdict"] for row in verdict_rows(rows) if _at(row, case, level)} for case in _ids()]
    assert found[0] == found[1]
    return found[0]


def worst(rows: list[Row]) -> dict[str, str]:
    return {row["level"]: row["verdict"] for row in score_rows(verdict_rows(rows)) if row["cases"] == len(CASES)}


def details(rows: list[Row], level: str, place: str) -> list[str]:
    return next(row["detail"] for row in rows if row["level"] == level and row["place"] == place)


def _at(row: Row, case: str, level: str) -> bool:
    return bool(row["case_id"] == case and row["level"] == level)


def _ids() -> Iterator[str]:
    return (case.case_id for case in CASES)


@pytest.mark.parametrize("name", ["Eraser", "Rehoused"])
def test_one_that_erases_is_clean_at_every_level(bench: Bench, tmp_path: Path, name: str) -> None:
    rows = audit(bench, name)
    assert worst(rows) == {
        "A0": "gone", "A1": "gone", "A2": "N/A", "A3": "gone", "A4": "N/A", "A5": "gone", "A6": "N/A",
        "A6 fed again": "present",
    }  # fmt: skip
    assert {row["rows"] for row in rows} == {4}
    write_rows(tmp_path / "records.parquet", ERASURE_RECORDS, rows, "test")


def test_one_that_keeps_everything_is_present_wherever_it_is_asked(bench: Bench) -> None:
    rows = audit(bench, "Keeper")
    assert worst(rows) == {
        **dict.fromkeys(("A0", "A1", "A2", "A3", "A5", "A6", "A6 fed again"), "present"),
        "A4": "N/A",
    }
    assert details(rows, "A3", "text") == ["rows.json: UTF-8"]


def test_one_that_cannot_purge_is_told_how_to_leave_the_audit_out(bench: Bench) -> None:
    with pytest.raises(UserError, match=r"NotImplementedError: it has no purge; .*`skip_suites: \[erasure\]`"):
        audit(bench, "Unpurging")


def test_a_memory_is_read_by_its_id_though_another_is_found_first(bench: Bench) -> None:
    rows = audit(bench, "Overshadowed")
    assert verdicts(rows, "A2")["get"] == "present"


def test_one_that_marks_what_it_purged_is_present_until_its_compaction(bench: Bench) -> None:
    rows = audit(bench, "Tombstoner")
    assert verdicts(rows, "A3")["text"] == "present until compaction"
    assert details(rows, "A3", "text") == ["tombstones: UTF-8"]
    assert verdicts(rows, "A4") == {"text": "gone", "sentence": "gone", "token": "N/A", "vector": "N/A"}


def test_words_whose_sentence_is_gone_are_told_apart_and_a_claim_is_checked(bench: Bench) -> None:
    rows = audit(bench, "Boaster")
    assert verdicts(rows, "A3") == {"text": "present", "sentence": "gone", "token": "N/A", "vector": "N/A"}
    assert {(row["level"], row["verdict"], *row["detail"]) for row in claim_rows(rows)} == {
        ("A3", "false", "files", "1 row erased")
    }


def test_a_claim_of_neither_reads_nor_files_is_unchecked(bench: Bench) -> None:
    assert {row["verdict"] for row in claim_rows(audit(bench, "Vague"))} == {"unchecked"}


def test_a_process_that_claims_of_something_else_is_not_believed() -> None:
    said = {"offered": Acted(["claim"]), "claim": Acted(["file", "erased"], ["gone"])}
    examination = examine(CASES[0], 0, Mock(), set(), 10)
    told = next(examination)
    with pytest.raises(StopIteration) as ended:
        while True:
            told = examination.send(said.get(told.do, Acted()))
    details = [found.detail for found in ended.value.value.findings]
    assert ["a claim of 'file'; it is of reads or of files"] in details


def test_a_compaction_that_fails_is_never_clean(bench: Bench) -> None:
    rows = audit(bench, "FailingCompaction")
    assert set(verdicts(rows, "A4").values()) == {"compaction failed"}
    assert verdicts(rows, "A3")["text"] == "present"
    assert details(rows, "A4", "compaction") == ["OSError: no room for a second copy"]


def test_a_copy_with_every_bit_inverted_is_not_gone(bench: Bench) -> None:
    rows = audit(bench, "Flipper")
    assert verdicts(rows, "A3")["text"] == "present"
    assert details(rows, "A3", "text") == ["copy.bin: each byte XORed"]


def test_what_the_detector_did_not_see_before_the_purge_is_not_called_gone(bench: Bench) -> None:
    rows = audit(bench, "Secretive")
    assert verdicts(rows, "A3") == {"text": "error", "sentence": "N/A", "token": "N/A", "vector": "N/A"}


def test_the_log_and_temporary_files_are_looked_through(bench: Bench) -> None:
    rows = audit(bench, "Chatty")
    assert details(rows, "A3", "text") == ["log of the process: UTF-8", "~/queue.tmp: UTF-8"]


def test_what_stands_beside_the_folders_of_the_cases_is_looked_through(bench: Bench) -> None:
    rows = audit(bench, "Beside")
    assert details(rows, "A3", "text") == ["~/stores/queue: UTF-8", "~/stores/shared/queue: UTF-8"]


def test_no_link_is_followed(bench: Bench) -> None:
    """What it leads to is no business of the audit, and what was found is told to the system."""
    assert verdicts(audit(bench, "Leading"), "A3")["text"] == "gone"
    assert list(bench.kept.parent.rglob("outside/kept")), "the links led somewhere"


def test_sockets_and_pipes_in_a_folder_are_left_where_they_are(bench: Bench) -> None:
    rows = audit(bench, "Listening")
    assert worst(rows) == worst(audit(bench, "Eraser")) and not any(row["place"] == "examination" for row in rows)


def test_what_a_system_has_its_process_say_of_its_files_is_not_believed(bench: Bench) -> None:
    rows = audit(bench, "Forger")
    assert verdicts(rows, "A3")["text"] == "present until compaction"


def test_what_takes_the_detector_too_long_is_an_error_and_never_clean(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(looking, "LIMITS", Limits(seconds=2))
    with pytest.raises(UserError, match="what it wrote cannot be looked through: packed: reading it takes longer"):
        audit(bench, "Swelling")


def test_a_file_of_any_name_is_looked_through(bench: Bench) -> None:
    assert details(audit(bench, "Misnaming"), "A3", "text") == ["a?: UTF-8"]


def test_names_of_folders_and_targets_of_links_are_looked_through(bench: Bench) -> None:
    rows = audit(bench, "Naming")
    found = ["link (target of the link): UTF-8", f"names/{CASES[0].target} (its name): UTF-8"]
    assert details(rows, "A3", "text") == details(rows, "A3", "sentence") == found


def test_what_is_packed_over_pages_of_a_database_is_looked_through(bench: Bench) -> None:
    rows = audit(bench, "Archivist")
    assert details(rows, "A3", "text") == details(rows, "A3", "sentence") == ["archive.db (zlib): UTF-8"]


def test_the_audits_own_questions_are_not_taken_for_the_memory(bench: Bench) -> None:
    rows = audit(bench, "Logger")
    assert {level: worst(rows)[level] for level in ("A0", "A1", "A3", "A5")} == dict.fromkeys(
        ("A0", "A1", "A3", "A5"), "gone"
    )


def test_deleting_everything_loses(bench: Bench) -> None:
    rows = audit(bench, "Nuker")
    assert {worst(rows)[level] for level in ("A0", "A1", "A3", "A5")} == {"bystander lost"}


def test_what_comes_back_with_a_restart_is_present_there(bench: Bench) -> None:
    rows = audit(bench, "Reviver")
    assert worst(rows)["A0"] == "gone"
    assert verdicts(rows, "A5")["question"] == "present"
    assert details(rows, "A3", "text") == ["log: reversed"]


def test_one_without_a_folder_has_no_files_to_look_through(bench: Bench) -> None:
    rows = audit(bench, "InMemory")
    assert worst(rows)["A0"] == "gone"
    assert {worst(rows)[level] for level in ("A3", "A4", "A5")} == {"N/A"}
    assert "keeps nothing on disk" in details(rows, "A3", "files")[0]


def test_one_that_refuses_a_purged_text_is_clean_when_it_is_fed_again(bench: Bench) -> None:
    rows = audit(bench, "Refuser")
    assert worst(rows)["A6 fed again"] == "gone"
    assert verdicts(rows, "A2") == {"reads": "error"}


CHEATS = "tests.support.erasure_cheats"


@pytest.mark.parametrize("name", ["Expecting", "Echoing", "Rigging"])
def test_who_deletes_everything_has_no_way_to_the_bystander(bench: Bench, name: str) -> None:
    rows = audit(bench, f"{CHEATS}:{name}")
    assert {worst(rows)[level] for level in ("A0", "A1", "A3", "A5", "A6 fed again")} == {"bystander lost"}


def test_the_process_after_the_restart_holds_nothing_of_the_bystander(bench: Bench) -> None:
    rows = audit(bench, f"{CHEATS}:Peeping")
    assert {worst(rows)[level] for level in ("A5", "A6 fed again")} == {"bystander lost"}


@pytest.mark.parametrize("name", DISGUISES)
def test_a_memory_is_recalled_in_whatever_form_it_is_shown(bench: Bench, name: str) -> None:
    rows = audit(bench, f"{CHEATS}:{name}")
    assert verdicts(rows, "A0")["question"] == verdicts(rows, "A1")["own text"] == "present"
    assert verdicts(rows, "A2")["history"] == "present"


def test_a_bystander_is_kept_in_the_form_that_people_see(bench: Bench) -> None:
    rows = audit(bench, f"{CHEATS}:DisguisedKeeper")
    assert worst(rows)["A0"] == worst(audit(bench, "Eraser"))["A0"] == "gone"


def test_what_a_case_is_not_told_is_as_random_as_its_marker() -> None:
    """No half of a marker is in another text of its case, however both are read."""
    for case in CASES:
        assert not is_left(case.marker, [case.question, case.bystander, case.kept_question, *case.neighbours])
        assert is_kept(case.kept_marker, [case.bystander]) and not is_kept(case.kept_marker, [case.kept_words])


@pytest.mark.parametrize("before", [(1 << 20) - 30, (1 << 20) - 12, 1 << 20])
def test_a_marker_in_a_long_text_is_found_wherever_it_stands(before: int) -> None:
    marker = CASES[0].marker
    text = "é" * before + "\u200b".join(marker)
    assert is_kept(marker, [text]) and is_left(marker, [text])
    assert not is_kept(marker, [text[:-1]]) and not is_left(marker, [text[: before + 20]])


def test_a_folder_that_is_withdrawn_is_an_error_and_never_na(bench: Bench) -> None:
    rows = audit(bench, f"{CHEATS}:Withdrawing")
    found = {(row["case_id"], row["level"]): row["verdict"] for row in verdict_rows(rows) if row["place"] == "text"}
    assert found[CASES[0].case_id, "A3"] == found[CASES[0].case_id, "A5"] == "present"
    second = {row["level"]: row for row in verdict_rows(rows) if row["case_id"] == CASES[1].case_id}
    assert second["A0"]["detail"] == second["A3"]["detail"] == ["it offered open before, and does not any more"]
    assert {second[level]["verdict"] for level in ("A0", "A3", "A4")} == {"error"}


def test_a_folder_that_the_process_after_the_restart_has_not_is_an_error(bench: Bench) -> None:
    rows = audit(bench, f"{CHEATS}:WithdrawingLater")
    assert worst(rows)["A3"] == "present" and worst(rows)["A5"] == "error"
    assert details(rows, "A5", "examination") == ["it offered open before, and does not any more"]


def test_a_folder_that_is_withdrawn_while_the_audit_is_interrupted_is_an_error(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupt(bench, monkeypatch, f"{CHEATS}:WithdrawingLater")
    rows = audit(bench, f"{CHEATS}:WithdrawingLater")
    assert details(rows, "A5", "examination") == ["it offered open before, and does not any more"]


def test_a_recall_of_more_texts_than_were_asked_for_is_an_error(bench: Bench) -> None:
    rows = audit(bench, f"{CHEATS}:Listing")
    assert "where 10 were asked for" in details(rows, "A0", "bystander")[0]
    assert verdicts(rows, "A1")["own text"] == verdicts(rows, "A0")["question"] == "error"


def test_a_process_that_says_more_texts_than_were_asked_for_is_not_believed() -> None:
    acts = examine(CASES[0], 0, Mock(), set(), k=10)
    act = next(acts)
    with pytest.raises(StopIteration) as ended:
        while True:
            act = acts.send(Acted(["x"] * 11 if act.do == "recall" else []))
    found = {finding.place: finding.detail for finding in ended.value.value.findings if finding.level == "A0"}
    assert found["question"] == found["bystander"] == ["more texts than the 10 that were asked for"]


def test_who_has_a_recall_cannot_lack_it_for_what_was_purged(bench: Bench) -> None:
    rows = audit(bench, f"{CHEATS}:Refusing")
    assert verdicts(rows, "A1")["own text"] == "error"


@pytest.mark.parametrize("name", HIDERS)
def test_what_is_hidden_in_the_folders_of_other_uses_is_found(bench: Bench, name: str) -> None:
    rows = audit(bench, f"{CHEATS}:{name}")
    assert verdicts(rows, "A3")["text"] == "present"
    assert details(rows, "A3", "text") == [f"~/stores/{HIDERS[name]}/kept: UTF-8"]


@pytest.mark.parametrize("name", HIDERS)
def test_what_is_hidden_there_after_the_restart_is_found(bench: Bench, name: str) -> None:
    rows = audit(bench, f"{CHEATS}:Late{name}")
    assert f"~/stores/{HIDERS[name]}/kept: UTF-8" in details(rows, "A5", "text")


@pytest.mark.parametrize("control", ["nuke", "null"])
def test_controls_that_recall_nothing_lose(bench: Bench, control: str) -> None:
    assert worst(audit(bench, f"forgeteval.stores.controls:{control.title()}"))["A0"] == "bystander lost"


def test_the_perfect_memory_passes_and_one_that_never_forgets_does_not(bench: Bench) -> None:
    oracle, verbatim = (worst(audit(bench, f"forgeteval.stores.controls:{name}")) for name in ("Oracle", "Verbatim"))
    assert {oracle[level] for level in ("A0", "A1", "A6 fed again")} == {"gone"}
    assert {verbatim[level] for level in ("A0", "A1", "A3", "A5")} == {"present"}


HOME = "sut.erasure-4.home"


def interrupt(bench: Bench, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Interrupt an audit when the first parts of its cases are done."""
    add = KeptTrials.add

    def interrupting(kept: KeptTrials, key: str, trial: FinishedTrial) -> None:
        if trial.repetition == 1:
            raise KeyboardInterrupt
        add(kept, key, trial)

    with monkeypatch.context() as patch:
        patch.setattr(KeptTrials, "add", interrupting)
        with pytest.raises(KeyboardInterrupt):
            audit(bench, name)


@pytest.fixture
def interrupted(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """An audit that was interrupted when the first parts of its cases were done."""
    interrupt(bench, monkeypatch, "Eraser")
    assert stat.S_IMODE(bench.kept.with_name(HOME).stat().st_mode) == 0o700, "what is left is for its user alone"
    return bench


def test_an_audit_that_was_interrupted_goes_on_with_the_stores_it_left(interrupted: Bench) -> None:
    assert kept(interrupted) == [case.case_id for case in CASES]
    first_parts = interrupted.kept.read_bytes()
    rows = audit(interrupted, "Eraser")
    assert worst(rows)["A5"] == "gone"
    assert interrupted.kept.read_bytes().startswith(first_parts), "no first part ran again"
    assert left_behind(interrupted) == ["sut.trials"]


def test_what_trials_of_other_code_left_is_not_taken_up(interrupted: Bench) -> None:
    folder = interrupted.kept.with_name(HOME)
    home = folder / "home"
    _clear_of_others(home, (folder / "made_of").read_text(encoding="utf-8"))
    assert (home / "stores").is_dir()
    _clear_of_others(home, "others")
    assert [path.name for path in folder.iterdir()] == ["made_of"]


def test_an_audit_that_is_done_is_not_done_again(bench: Bench) -> None:
    rows = audit(bench, "Eraser")
    content = bench.kept.read_bytes()
    assert audit(bench, "Eraser") == rows
    assert bench.kept.read_bytes() == content
    assert left_behind(bench) == ["sut.trials"]


def test_what_an_earlier_audit_of_the_job_printed_is_not_left_of_this_one(bench: Bench) -> None:
    with bench.session("tests.support.erasing:Muttering") as session:
        first, second = (run_erasures(session, CASES, HAYSTACK[:size]) for size in (1, 2))
    assert verdicts(first, "A5")["text"] == verdicts(second, "A3")["text"] == "gone"


def test_stores_of_two_sizes_are_examined_apart(bench: Bench) -> None:
    with bench.session("tests.support.erasing:Eraser") as session:
        sizes = [run_erasures(session, CASES, HAYSTACK[:size]) for size in (1, 2)]
    assert [{row["rows"] for row in rows} for rows in sizes] == [{3}, {4}]
    assert kept(bench) == [case.case_id for case in CASES] * 4


def test_a_case_that_is_looked_for_otherwise_is_examined_again(bench: Bench) -> None:
    audit(bench, "Eraser")
    before = bench.kept.read_bytes()
    with bench.session("tests.support.erasing:Eraser") as session:
        run_erasures(session, [replace(case, kept_marker=case.bystander) for case in CASES], HAYSTACK)
    assert not set(before.splitlines()) & set(bench.kept.read_bytes().splitlines())
    assert len(kept(bench)) == 2 * len(CASES), "what was replaced is dropped"


def test_a_store_that_was_removed_meanwhile_is_an_error(interrupted: Bench) -> None:
    for path in interrupted.kept.with_name(HOME).glob("home/stores/erasure-*"):
        path.rename(path.with_name(f"moved-{path.name}"))
    rows = audit(interrupted, "Eraser")
    assert "is gone; remove the kept trials beside it" in details(rows, "A5", "examination")[0]
