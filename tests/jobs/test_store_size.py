"""Cases among unrelated rows: what is in the store, what is timed, what is sent, and how it is counted."""

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from forgeteval.cases.case import Case
from forgeteval.cases.sampling import first_of_each_category
from forgeteval.errors import UserError
from forgeteval.run.trials import Trial
from lethe.jobs import worker_process
from lethe.jobs.kept import KeptTrials
from lethe.jobs.messages import Message, encode
from lethe.parquet import read_rows, write_rows
from lethe.schemas import STORE_SIZE
from lethe.stored.cases import cases_at_size
from lethe.study.steps.score_store_size import score_sizes
from tests.support.bench import DIM, Bench, HashEmbedder, make_case, run_trial
from tests.support.misbehaving import Obedient

HAYSTACK = [f"Alice rides past barge {number}" for number in range(12)]
CASE = make_case("c", ["Bob feeds the cat", "Alice rides a tandem"], "alice rides", ["tandem"])


class Keeping(Obedient):
    """Counts what it holds whenever it is asked, and takes its time over unrelated rows."""

    def __init__(self) -> None:
        super().__init__()
        self.held: list[list[str]] = []

    def inscribe(self, texts: Sequence[str]) -> None:
        if "barge" in texts[0]:
            time.sleep(0.2)
        super().inscribe(texts)

    def recall_texts(self, query: str, k: int) -> list[str]:
        self.held.append(list(self.memories))
        return super().recall_texts(query, k)


class Prefilled(Keeping):
    """Comes back to the same rows without inscribing them."""

    def reset(self) -> None:
        raise AssertionError("reset_to was to be called instead")

    def reset_to(self, texts: Sequence[str]) -> None:
        self.memories = list(texts)


def trial_among(haystack: Sequence[str], adapter: Any, case: Case = CASE) -> Trial:
    return run_trial(adapter, case, 10, haystack)


def run(
    folder: Path, cases: Sequence[Case], haystack: Sequence[str], backend: str = "Obedient", **options: Any
) -> list[dict[str, Any]]:
    return Bench(folder).run(cases, backend, haystack=haystack, **{"start_timeout_s": 120.0, **options})


# In the store


@pytest.mark.parametrize("kind", [Keeping, Prefilled])
def test_the_unrelated_rows_stand_in_the_store_before_the_facts(kind: type[Keeping]) -> None:
    adapter = kind()
    for _ in range(2):
        trial = trial_among(HAYSTACK, adapter)
        assert trial.error is None
        assert adapter.held[-1] == [*HAYSTACK, *CASE.setup_facts]


def test_without_unrelated_rows_a_case_runs_on_an_empty_store() -> None:
    adapter = Keeping()
    trial_among((), adapter)
    assert adapter.held[-1] == list(CASE.setup_facts)


@pytest.mark.parametrize("backend", ["Obedient", "lethe"])
def test_rows_that_outrank_the_fact_push_it_out_of_the_top_k(tmp_path: Path, backend: str) -> None:
    case = make_case("c", ["Bob feeds the cat"], "who rides past a barge", ["feeds the cat"])
    for size, verdict in ((0, "pass"), (5, "pass"), (12, "fail")):
        (row,) = run(tmp_path, [case], HAYSTACK[:size], backend=backend)
        assert row["verdict"] == verdict, (size, row)
        assert sum("barge" in text for text in row["recalled"]) == min(size, 10)


def test_mutations_and_probes_see_the_unrelated_rows() -> None:
    case = make_case("c", ["Alice rides past"], "barge", [], ["rides past barge 3"], [("purge", "alice rides past")])
    trial = trial_among(HAYSTACK[:4], Keeping(), case)
    assert (trial.verdict, trial.leaked) == ("fail", ["rides past barge 3"])


# Timing


def test_trial_timings_leave_out_the_unrelated_rows() -> None:
    start = time.perf_counter()
    trial = trial_among(HAYSTACK, Keeping())
    assert time.perf_counter() - start > 0.2
    assert max(trial.inscribe_ms, trial.mutate_ms, trial.recall_ms) < 150


def test_a_case_may_take_longer_by_the_time_that_the_rows_take(tmp_path: Path) -> None:
    """Inscribing them is not hanging; hanging is still found."""
    slow = "tests.jobs.test_store_size:SlowToFill"
    (row,) = run(tmp_path, [CASE], HAYSTACK, backend=slow, limit_s=0.5)
    assert row["error"] is None
    with pytest.raises(UserError, match=r"the worker hung at case c for 0\.5 s"):
        run(tmp_path, [replace(CASE, setup_facts=tuple(HAYSTACK))], (), backend=slow, limit_s=0.5)


class SlowToFill(Obedient):
    def inscribe(self, texts: Sequence[str]) -> None:
        if len(texts) > 10:
            time.sleep(1.5)
        super().inscribe(texts)


# On the way to the worker


class Counting:
    """An embedder that notes each text it is asked for."""

    dim = DIM

    def __init__(self) -> None:
        self.inner, self.asked = HashEmbedder(), []  # type: ignore[var-annotated]

    def embed(self, texts: Sequence[str]) -> Any:
        self.asked.extend(texts)
        return self.inner.embed(texts)


def test_rows_and_vectors_reach_the_worker_once_at_its_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[str] = []

    def noting(message: Message, lane: int = 0) -> bytes:
        sent.append(encode(message, lane).decode())
        return sent[-1].encode()

    monkeypatch.setattr(worker_process, "encode", noting)
    cases = [replace(CASE, case_id=f"c{number}") for number in range(3)]
    embedder = Counting()
    rows = run(tmp_path, cases, HAYSTACK, backend="lethe", embedder=embedder)
    assert all(row["error"] is None and len(row["recalled"]) == 10 for row in rows)
    assert [message.partition(":")[0] for message in sent] == [
        '{"Start"',
        *['{"Tell"'] * 6,
    ]  # no vector was asked for again
    assert [HAYSTACK[5] in message for message in sent] == [True, *[False] * 6]
    assert all(embedder.asked.count(text) == 1 for text in HAYSTACK)


def test_trials_among_other_unrelated_rows_are_not_taken_over(tmp_path: Path) -> None:
    switch = tmp_path / "switch"
    cases = [CASE, replace(CASE, case_id="d", setup_facts=(*CASE.setup_facts, f"!exit {switch}"))]
    for again, kept in ((HAYSTACK[:4], 1), (HAYSTACK[:5], 0)):
        switch.touch()
        bench = Bench(tmp_path / str(kept))
        with pytest.raises(UserError, match="kept: 1 of 2 trials"):
            bench.run(cases, haystack=HAYSTACK[:4])
        switch.unlink()
        (key,) = (line.split(" ")[1] for line in bench.kept.read_text(encoding="utf-8").splitlines())
        with KeptTrials(bench.kept) as trials:
            trial = trials.find(key)
            assert trial is not None
            trials.add(key, replace(trial, replay=replace(trial.replay, decisions=["from the file"])))
        rows = bench.run(cases, haystack=again)
        assert [row["decisions"] for row in rows].count(["from the file"]) == kept


# Choosing and counting


def test_the_first_cases_of_each_category_are_chosen() -> None:
    cases = [replace(CASE, case_id=f"{category}{n}", category=category) for n in range(3) for category in "ab"]
    assert [case.case_id for case in first_of_each_category(cases, 2)] == ["a0", "b0", "a1", "b1"]
    assert len(first_of_each_category(cases, 9)) == 6
    assert [case.suite for case in cases_at_size(cases[:1], 100)] == ["bench+100"]


def trial_row(
    case_id: str, verdict: str, size: int = 100, system: str = "sut", recall_ms: float = 4.0
) -> dict[str, Any]:
    row = {"suite": f"mine+{size}", "system": system, "case_id": case_id, "verdict": verdict, "recall_ms": recall_ms}
    return {**row, "leaked": [], "missing": ["x"] if verdict == "fail" else [], "recalled": []}


def case_row(case_id: str) -> dict[str, Any]:
    facts = [f"Of the case {case_id} there is this fact."]
    return {"case_id": case_id, "setup_facts": facts, "mutations": [{"text": None}, {"text": f"{facts[0]} Not that."}]}


def test_sizes_are_counted_apart(tmp_path: Path) -> None:
    trials = [
        *(trial_row(str(number), verdict) for number, verdict in enumerate(("pass", "pass", "fail", "na"))),
        trial_row("error", "error", recall_ms=900.0),
        trial_row("0", "pass", size=0),
        trial_row("0", "na", size=0, system="other"),
    ]
    cases = [case_row(case_id) for case_id in ("0", "1", "2", "3", "error")]
    scores = score_sizes("mine", [0, 100], 10, trials, cases, HAYSTACK)
    write_rows(tmp_path / "scores.parquet", STORE_SIZE, scores, "test")
    assert read_rows(tmp_path / "scores.parquet", STORE_SIZE) == scores
    hundred, none, other = scores
    assert (hundred["suite"], hundred["size"], hundred["system"]) == ("mine", 100, "sut")
    assert [hundred[name] for name in ("cases", "passed", "na", "errors", "rate")] == [5, 2, 1, 1, 0.4]
    assert (round(hundred["wilson_low"], 3), round(hundred["wilson_high"], 3)) == (0.118, 0.769)
    assert hundred["recall_ms"] == 4.0
    assert (none["size"], none["rate"]) == (0, 1.0)
    assert (other["system"], other["na"], other["recall_ms"]) == ("other", 1, None)


def test_recalls_of_more_than_k_memories_in_their_texts_are_counted() -> None:
    """A store that joins all that it holds in ten texts passed as many among many memories as among few."""
    case = case_row("c")
    told = [f"Unrelated memory {number} is about {number} buckets." for number in range(100)]
    all_joined = ["\n".join([*case["setup_facts"], *told][place::10]) for place in range(10)]
    trials = [
        {**trial_row("c", "pass", size, system), "recalled": recalled}
        for size, system, recalled in (
            (100, "joins", all_joined),
            (100, "sut", [*case["setup_facts"], *told[:9]]),
            (100, "adds", [f"user: {text}" for text in told[:10]]),
            (0, "joins", ["\n".join([*case["setup_facts"], case["mutations"][1]["text"]])]),
        )
    ]
    scores = score_sizes("mine", [0, 100], 10, trials, [case], told)
    found = {(score["system"], score["size"]): score["joined"] for score in scores}
    assert found == {("joins", 100): 1, ("sut", 100): 0, ("adds", 100): 0, ("joins", 0): 0}
