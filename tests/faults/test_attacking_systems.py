"""Measured systems that attack the run: what they do costs their own trial."""

import contextlib
import subprocess
import sys
import textwrap
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from forgeteval.cases.case import Case
from forgeteval.embed.embedder import Vectors
from forgeteval.errors import UserError
from lethe.parquet import write_rows
from lethe.schemas import TRIALS
from tests.support.bench import Bench, HashEmbedder, make_case
from tests.support.disturbed import ended, gone
from tests.support.paths import ROOT

CASES = [
    make_case("c0", ["alpha"], "alpha", ["alpha"]),
    make_case("c1", ["beta"], "evil", ["beta"]),
    make_case("c2", ["gamma"], "gamma", ["gamma"]),
]


def backend(name: str) -> str:
    return f"tests.support.attacking_systems:{name}"


@pytest.mark.parametrize("name", ["RaisesMute", "RaisesUnsplit", "RaisesNameless", "Embedding"])
def test_what_breaks_out_of_a_trial_is_its_error(bench: Bench, name: str) -> None:
    rows = bench.run(CASES, backend(name), limit_s=10.0)
    assert [row["verdict"] in ("error", "na") for row in rows] == [False, True, False]


def test_what_a_system_says_it_offers_is_named_where_it_is_no_set(bench: Bench) -> None:
    with pytest.raises(UserError, match="not_offered is 5; it is a set of"):
        bench.run(CASES, backend("OffersWhatIsNoSet"))


@pytest.mark.parametrize("name", ["LongOutput", "DeepHome"])
def test_what_a_system_leaves_in_its_files_does_not_break_the_run(bench: Bench, name: str) -> None:
    try:
        assert [row["verdict"] for row in bench.run(CASES, backend(name))] == ["pass"] * 3
    finally:
        subprocess.run(["rm", "-rf", str(bench.kept.parent)], check=True)


def test_last_words_are_read_to_a_limit(bench: Bench) -> None:
    with pytest.raises(UserError, match=r"died at case c1 \(exit code 3\)"):
        bench.run(CASES, backend("LongLog"))


@pytest.mark.parametrize(
    "name", ["BeyondNumbers", "BeyondResidue", "BeyondTime", "BeyondText", "BeforeTime", "BelowNothing"]
)
def test_a_report_that_no_table_holds_is_the_trials_error(bench: Bench, tmp_path: Path, name: str) -> None:
    """Otherwise it stands among the kept trials, and no further start of the run gets by it."""
    rows = bench.run(CASES, backend(name))
    assert [row["verdict"] for row in rows] == ["pass", "pass", "error"]
    write_rows(tmp_path / "trials.parquet", TRIALS, rows, "code")


def test_no_part_of_the_solution_is_in_the_process_that_answers(bench: Bench) -> None:
    case = make_case("c", ["alpha"], "alpha", ["xqSOLUTION-required"], ["xqSOLUTION-forbidden"])
    (row,) = bench.run([case], backend("LooksForTheSolution"))
    assert (row["verdict"], row["recalled"]) == ("fail", ["nothing"])


def test_an_answer_in_the_workers_place_is_judged_by_its_texts_and_costs_its_trial_alone(bench: Bench) -> None:
    rows = bench.run(CASES, backend("ForgesItsAnswer"), worker_failure="record")
    assert [row["verdict"] for row in rows][::2] == ["pass", "pass"]
    assert rows[1]["verdict"] in ("fail", "error"), rows[1]


class Refusing(HashEmbedder):
    def embed(self, texts: Sequence[str]) -> Vectors:
        if "unanswerable" in texts:
            raise IndexError("no vector of it")
        return super().embed(texts)


@pytest.mark.parametrize("name", ["AsksForAPlan", "AsksTheUnanswerable"])
def test_a_request_that_cannot_be_answered_costs_its_trial(bench: Bench, name: str) -> None:
    rows = bench.run(CASES, backend(name), embedder=Refusing(), worker_failure="record")
    assert [row["verdict"] for row in rows] == ["pass", "error", "pass"]
    assert "asked for what cannot be given" in rows[1]["error"]


class SlowEmbedder(HashEmbedder):
    def embed(self, texts: Sequence[str]) -> Vectors:
        time.sleep(0.3)
        return super().embed(texts)


FOR_EVER = textwrap.dedent(
    """
    import sys
    from pathlib import Path
    from forgeteval.errors import UserError
    from tests.faults.test_attacking_systems import CASES, SlowEmbedder, backend
    from tests.support.bench import Bench
    try:
        Bench(Path(sys.argv[1])).run(CASES, backend("EmbeddingForEver"), limit_s=0.5, embedder=SlowEmbedder())
    except UserError:
        pass
    """
)


def test_a_system_that_asks_for_vectors_for_ever_comes_to_its_limit(tmp_path: Path) -> None:
    """The time of replies is not counted, so that half a second never ends."""
    subprocess.run([sys.executable, "-c", FOR_EVER, str(tmp_path)], cwd=ROOT, timeout=40, check=True)


@pytest.mark.parametrize("name", ["EndsItsKeeper", "StopsItsKeeper"])
@pytest.mark.usefixtures("each_way_of_starting")
def test_a_daemon_does_not_outlive_a_run_whose_keeper_was_ended(bench: Bench, tmp_path: Path, name: str) -> None:
    cases: list[Case] = CASES[1:2]
    with ended(tmp_path / "daemon_pid"):
        with contextlib.suppress(UserError):
            bench.run(cases, backend(name), options={"pid": str(tmp_path / "daemon_pid")}, limit_s=5.0)
        assert gone(tmp_path / "daemon_pid", within_s=2)
