"""The verdict of one case on small fake adapters."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from forgeteval.cases.case import Case
from forgeteval.cases.history import Operation
from forgeteval.run.replay import apply_mutation
from forgeteval.run.trials import Trial
from forgeteval.stores.controls import Oracle
from tests.support.bench import make_case, run_trial
from tests.support.misbehaving import Obedient

ALICE, BOB = "Alice rides a tandem", "Bob rides a unicycle"


def trial_of(case: Case, adapter: object, k: int = 10) -> Trial:
    return run_trial(adapter, case, k)  # type: ignore[arg-type]


class Noting(Obedient):
    def __init__(self) -> None:
        super().__init__()
        self.calls: list[object] = []

    def reset(self) -> None:
        self.calls.append("reset")
        super().reset()

    def inscribe(self, texts: Sequence[str]) -> None:
        self.calls.append(("inscribe", *texts))
        super().inscribe(texts)

    def recall_texts(self, query: str, k: int) -> list[str]:
        self.calls.append(("recall", query, k))
        return super().recall_texts(query, k)


class Hiding(Obedient):
    """Purge only hides the row from questions that do not name it."""

    def __init__(self) -> None:
        super().__init__()
        self.hidden: list[str] = []

    def recall_texts(self, query: str, k: int) -> list[str]:
        asked_for = [row for row in self.hidden if query.lower() in row.lower()]
        return (asked_for + super().recall_texts(query, k))[:k]

    def purge(self, query: str) -> None:
        for row in Obedient.recall_texts(self, query, 1):
            self.memories.remove(row)
            self.hidden.append(row)


class Residual(Obedient):
    def stored_bytes(self) -> bytes:
        return b"\xff\x00page " + "deleted: TANDEM Größe".encode() + b"\x80"


PURGED = make_case("c", [ALICE, BOB], "who rides what", ["unicycle"], ["tandem"], [("purge", "alice tandem")])


def test_pass() -> None:
    trial = trial_of(PURGED, Obedient())
    assert (trial.verdict, trial.missing, trial.leaked, trial.error) == ("pass", [], [], None)
    assert trial.recalled == [BOB]
    assert trial.probed_verdict == "pass"
    assert trial.residue is None
    assert min(trial.inscribe_ms, trial.mutate_ms, trial.recall_ms) >= 0.0


def test_missing_and_leaked_strings_are_named() -> None:
    wanted = ["UNICYCLE", "a kayak", "rides"]
    case = make_case("c", [ALICE, BOB], "who rides what", wanted, ["TANDEM", "bob rides", "kayak"])
    trial = trial_of(case, Obedient())
    assert trial.verdict == "fail"
    assert trial.missing == ["a kayak"]
    assert trial.leaked == ["TANDEM", "bob rides"]
    assert trial.probed_verdict == "fail"


def test_missing_alone_and_leaked_alone_fail() -> None:
    assert trial_of(make_case("c", [ALICE], "q", ["kayak"]), Obedient()).verdict == "fail"
    assert trial_of(make_case("c", [ALICE], "q", [], ["tandem"]), Obedient()).verdict == "fail"


def test_only_the_top_k_counts() -> None:
    case = make_case("c", [ALICE, BOB], "unicycle", ["unicycle"], ["tandem"])
    trial = trial_of(case, Obedient(), k=1)
    assert trial.verdict == "pass"
    assert trial.recalled == [BOB]
    assert trial.probed_verdict == "fail"


def test_a_store_that_only_hides_a_row_passes_but_not_when_probed() -> None:
    trial = trial_of(PURGED, Hiding())
    assert trial.verdict == "pass"
    assert trial.probed_verdict == "fail"
    assert trial.leaked == []
    assert trial.recalled == [BOB]


def test_a_probed_verdict_is_no_better_than_the_verdict() -> None:
    trial = trial_of(make_case("c", [ALICE], "q", ["kayak"], ["nowhere"]), Obedient())
    assert (trial.verdict, trial.probed_verdict) == ("fail", "fail")


def test_probing_asks_for_each_forbidden_string_after_the_final_query() -> None:
    adapter = Noting()
    trial_of(make_case("c", [ALICE, BOB], "who", [], ["kayak", "canoe"]), adapter, k=3)
    recalls = [("recall", "who", 3), ("recall", "kayak", 3), ("recall", "canoe", 3)]
    assert adapter.calls == ["reset", ("inscribe", ALICE, BOB), *recalls]


def test_residue_counts_forbidden_strings_in_the_systems_storage() -> None:
    case = make_case("c", [BOB], "q", [], ["tandem", "grösse", "GRÖßE", "kayak"])
    trial = trial_of(case, Residual())
    assert trial.residue == 2
    assert trial.verdict == "pass"


def test_nothing_stored_is_a_residue_of_zero() -> None:
    class Clean(Obedient):
        def stored_bytes(self) -> bytes:
            return b""

    assert trial_of(PURGED, Clean()).residue == 0


def test_an_operation_known_not_to_be_offered_is_na_and_not_run() -> None:
    class Limited(Noting):
        not_offered = frozenset({"purge", "release"})

    adapter = Limited()
    trial = trial_of(PURGED, adapter)
    assert (trial.verdict, trial.error) == ("na", "not offered: purge")
    assert (trial.probed_verdict, trial.residue, trial.recalled) == (None, None, [])
    assert adapter.calls == []
    assert trial_of(make_case("c", [ALICE], "q", ["tandem"]), adapter).verdict == "pass"


def test_every_operation_not_offered_is_named_once() -> None:
    class Limited(Noting):
        not_offered = frozenset({"purge", "release", "supersede"})

    mutations = [("release", "a"), ("purge", "a"), ("release", "b")]
    assert trial_of(make_case("c", [ALICE], "q", mutations=mutations), Limited()).error == (
        "not offered: purge, release"
    )


@pytest.mark.parametrize(("text", "reason"), [("no way to do that", "no way to do that"), ("", "not offered")])
def test_not_implemented_is_na(text: str, reason: str) -> None:
    class Refusing(Obedient):
        def purge(self, query: str) -> None:
            raise NotImplementedError(text)

    trial = trial_of(PURGED, Refusing())
    assert (trial.verdict, trial.error) == ("na", reason)
    assert trial.probed_verdict is None


@pytest.mark.parametrize("method", ["reset", "inscribe", "purge", "recall_texts", "stored_bytes"])
def test_an_exception_anywhere_is_an_error_of_one_line(method: str) -> None:
    def broken(*_: object) -> None:
        raise ValueError("it is\n  " + "very " * 300 + "broken")

    adapter = Residual()
    setattr(adapter, method, broken)
    trial = trial_of(PURGED, adapter)
    assert trial.verdict == "error"
    assert trial.error is not None
    assert trial.error.startswith("ValueError: it is very very")
    assert "\n" not in trial.error
    assert len(trial.error) <= 500


def test_nobody_but_the_oracle_is_told_the_gold_memories() -> None:
    class Curious(Noting):
        def expect(self, gold: Sequence[str] | None) -> None:
            raise AssertionError("told")

    case = replace(PURGED, gold_rows=(BOB,))
    assert trial_of(case, Curious()).error is None
    assert trial_of(case, Oracle()).recalled == [BOB]


def test_without_gold_memories_the_perfect_memory_is_na() -> None:
    trial = trial_of(PURGED, Oracle())
    assert (trial.verdict, trial.recalled) == ("na", [])
    assert "no gold rows" in (trial.error or "")


def test_mutations_are_applied_in_order() -> None:
    calls: list[tuple[str, ...]] = []

    class Recording(Obedient):
        def supersede(self, query: str, text: str) -> None:
            calls.append(("supersede", query, text))

        def release(self, query: str) -> None:
            calls.append(("release", query))

        def purge(self, query: str) -> None:
            calls.append(("purge", query))

    mutations = [("release", "a"), ("supersede", "b", "c"), ("purge", "d"), ("release", "e")]
    trial_of(make_case("c", [ALICE], "q", mutations=mutations), Recording())
    assert calls == mutations


def test_supersede_without_a_new_fact_is_refused() -> None:
    with pytest.raises(ValueError, match="new fact"):
        apply_mutation(Obedient(), Operation("supersede", "q", None))


def test_a_row_holds_every_field() -> None:
    row = trial_of(PURGED, Obedient()).to_row()
    assert set(row) == set(Trial.__dataclass_fields__)
    assert (row["llm_calls"], row["cost_usd"], row["case_id"]) == (0, 0.0, "c")
