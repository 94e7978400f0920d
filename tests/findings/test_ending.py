"""A run ends with its result."""

from pathlib import Path

from forgeteval.run.trials import Trial
from lethe.findings.ending import column_lines, digest_lines, result_lines
from lethe.parquet import write_rows
from lethe.schemas import (
    CROSSEVAL_SCORES,
    ERASURE_SCORES,
    JUDGEMENTS,
    LONG_SCORES,
    REPLICATION,
    SCORES,
    STORE_SIZE,
    TRIALS,
)
from lethe.study.replication.compare import VERDICTS
from lethe.study.setup import Suite
from lethe.tables.paper.replication import replication_summary_table
from tests.support.tables import REPLICATION_ROWS, configuration, setup


def test_a_run_says_how_many_numbers_have_an_answer_and_where_they_are(tmp_path: Path) -> None:
    write_rows(tmp_path / REPLICATION.path, REPLICATION, REPLICATION_ROWS, "test")
    (tmp_path / "paper_tables").mkdir()
    (tmp_path / "paper_tables/paper.tex").touch()
    (tmp_path / "paper_tables/replication.csv").touch()
    assert result_lines(tmp_path, setup()) == [
        "Result: of 3 numbers that the paper printed, 1 measured here on the paper's cases, 0 counted in these cases, "
        "1 counted again from what its authors released, 0 measured on other cases, 1 only as printed; 1 of 2 with an "
        "answer differ (paper_tables/replication.csv).",
        f"{tmp_path}/paper_tables/paper.tex: the paper's tables, for pdflatex",
    ]


def test_a_run_counts_as_its_summary_does(tmp_path: Path) -> None:
    write_rows(tmp_path / REPLICATION.path, REPLICATION, REPLICATION_ROWS, "test")
    summary = replication_summary_table(REPLICATION_ROWS)
    (((_, *cells),), _), names = summary.sections, summary.header[1:]
    every = {name: int(cell.value or 0) for name, cell in zip(names, cells, strict=True)}
    numbers, differ = every["Places"] - every["Repeats"], every["differs"]
    answered = sum(every[name] for name in VERDICTS[:-1])
    assert every["Repeats"] and differ
    (said,) = result_lines(tmp_path, setup())
    assert said.startswith(f"Result: of {numbers} numbers that the paper printed, {every['measured']} measured here ")
    assert said.endswith(f"; {differ} of {answered} with an answer differ ({REPLICATION.path}).")


def test_a_run_without_the_papers_cases_says_how_to_get_them(tmp_path: Path) -> None:
    rows = [row for row in REPLICATION_ROWS if row["state"] != "measured"]
    write_rows(tmp_path / REPLICATION.path, REPLICATION, rows, "test")
    assert "`forgeteval fetch` brings them" in result_lines(tmp_path, setup())[1]


def test_a_run_says_what_broke_more_often_than_once_in_ten(tmp_path: Path) -> None:
    write_rows(tmp_path / REPLICATION.path, REPLICATION, REPLICATION_ROWS, "test")
    whole = {"suite": "mine", "model": "", "scorer": "substring", "cut": "overall", "value": "all", "cases": 20}
    counts = {"passed": 0, "failed": 0, "na": 0, "leaks": 0, "collateral": 0}
    rates = {"rate": 0.0, "wilson_low": 0.0, "wilson_high": 0.2, "evaluable_rate": None}
    scores = [{**whole, **counts, **rates, "system": name, "errors": n} for name, n in (("mem0", 3), ("lethe", 2))]
    write_rows(tmp_path / SCORES.path.format(suite="mine"), SCORES, scores, "test")
    said = "mem0 on mine: 3 of 20 trials broke (error), more than a tenth; its numbers say little of it."
    assert result_lines(tmp_path, setup())[1:] == [said]


def test_a_run_says_what_broke_outside_of_suites(tmp_path: Path) -> None:
    write_rows(tmp_path / REPLICATION.path, REPLICATION, REPLICATION_ROWS, "test")
    of = {"system": "mem0", "model": ""}
    plain = dict.fromkeys(column.name for column in CROSSEVAL_SCORES.columns)
    counts = {"questions": 10, "passed": 1, "failed": 7, "na": 0, "errors": 2, "wilson_low": 0.0, "wilson_high": 0.4}
    asked = {**plain, **of, **counts, "benchmark": "memora", "cut": "overall", "value": "all"}
    write_rows(tmp_path / CROSSEVAL_SCORES.path.format(benchmark="memora"), CROSSEVAL_SCORES, [asked], "test")
    whole = {"k": 5, "cut": "overall", "value": "all", "measure": "broken", "histories": 1, "facts": 20, "counted": 9}
    long = {**of, **whole, "rate": 0.45, "low": 0.2, "high": 0.7}
    write_rows(tmp_path / LONG_SCORES.path, LONG_SCORES, [long], "test")
    erased = [
        {**of, "rows": 10, "level": level, "verdict": verdict, "cases": cases}
        for level, verdict, cases in (("A0", "gone", 3), ("A3", "error", 2), ("A3", "gone", 1))
    ]
    write_rows(tmp_path / ERASURE_SCORES.path, ERASURE_SCORES, erased, "test")
    assert [line.partition(" trials broke")[0] for line in result_lines(tmp_path, setup())[1:]] == [
        "mem0 on memora: 2 of 10",
        "mem0 on long: 9 of 20",
        "mem0 on erasure: 2 of 3",
    ]


def test_a_run_says_who_joins_memories_in_one_text(tmp_path: Path) -> None:
    write_rows(tmp_path / REPLICATION.path, REPLICATION, REPLICATION_ROWS, "test")
    of = {"system": "mem0", "model": "", "cut": "overall", "value": "all"}
    counts = {"passed": 1, "na": 0, "errors": 0, "wilson_low": 0.0, "wilson_high": 0.4}
    plain = dict.fromkeys(column.name for column in CROSSEVAL_SCORES.columns)
    asked = [
        {**plain, **of, **counts, "failed": 9, "benchmark": name, "questions": 10, "joined": joined}
        for name, joined in (("factcons", 4), ("locomo", None), ("memora", 0))
    ]
    for row in asked:
        write_rows(tmp_path / CROSSEVAL_SCORES.path.format(benchmark=row["benchmark"]), CROSSEVAL_SCORES, [row], "test")
    rate = {"rate": 0.45, "low": 0.2, "high": 0.7, "histories": 1, "facts": 20}
    long = [{**of, **rate, "k": k, "measure": "joined", "counted": counted} for k, counted in ((5, 9), (10, 2))]
    write_rows(tmp_path / LONG_SCORES.path, LONG_SCORES, long, "test")
    shown = {"suite": "mine", "system": "mem0", "cases": 8, "leaks": 0, "collateral": 0, "rate": 0.1, "recall_ms": None}
    sizes = [{**shown, **counts, "size": size, "joined": joined} for size, joined in ((0, 0), (100, 8))]
    write_rows(tmp_path / STORE_SIZE.path, STORE_SIZE, sizes, "test")
    assert [
        line.partition(" answers hold more than k memories: ")[0] for line in result_lines(tmp_path, setup())[1:]
    ] == [
        "mem0 on factcons: 4 of 10",
        "mem0 on long: 11 of 40",
        "mem0 on mine among 100 unrelated memories: 8 of 8",
    ]


def test_a_run_says_which_judges_gave_too_few_verdicts(tmp_path: Path) -> None:
    write_rows(tmp_path / REPLICATION.path, REPLICATION, REPLICATION_ROWS, "test")
    given = {"suite": "mine", "category": "c", "provenance": "core", "family": "f", "prompt_hash": "0" * 16}
    used = {"llm_calls": 2, "tokens_in": 0, "tokens_out": 0, "cost_usd": 0.0, "answer_ms": 0.0}
    absent = dict.fromkeys(("must_contain_survive", "forbidden_absent", "answerable", "reason", "error"))
    for judge, verdicts in {"cut-off": ["unusable"] * 10, "fine": ["error", *["admit"] * 9]}.items():
        rows = [
            {**given, **used, **absent, "judge": judge, "case_id": str(number), "verdict": verdict}
            for number, verdict in enumerate(verdicts)
        ]
        write_rows(tmp_path / JUDGEMENTS.path.format(suite="mine", model=judge), JUDGEMENTS, rows, "test")
    assert result_lines(tmp_path, setup())[1:] == [
        "cut-off on mine: 10 of 10 judgements are no verdict, more than a tenth (10 without a usable answer, 0 without "
        "any); its numbers say little of it."
    ]


def test_a_run_of_something_else_says_nothing_of_it(tmp_path: Path) -> None:
    assert result_lines(tmp_path, setup()) == []


def test_verdicts_of_stores_alone_have_a_digest_for_each_suite_that_texts_and_times_do_not_change(
    tmp_path: Path,
) -> None:
    stores = {
        "lethe": configuration("Lethe", "deterministic"),
        "vectors": configuration("Vectors", "vec-only"),
        "lethe+matcher": configuration("Lethe+matcher", "matcher", hook="matcher"),
        "chroma": configuration("Chroma", "vec-only", backend="chroma"),
        "left_out": configuration("Left out", "deterministic"),
    }
    run = setup(stores, suites={"s": Suite("S", {"left_out": "not in run.systems"})})

    def digest(verdicts: dict[str, str], text: str = "a") -> str:
        for name, said in verdicts.items():
            made = [
                Trial("s", name, "", 0, f"c{n}", verdict=v, recalled=[text])  # type: ignore[arg-type]
                for n, v in enumerate(said.split())
            ]
            write_rows(tmp_path / f"results/runs/s/{name}.parquet", TRIALS, [one.to_row() for one in made], "test")
        (line,) = digest_lines(tmp_path, run)
        return line

    first = digest({"lethe": "pass fail", "vectors": "fail fail", "lethe+matcher": "pass pass"})
    assert "but for those on Chroma, which vary: SHA-256 by suite (stores): s " in first
    assert first.endswith(" (2).")
    assert digest({"lethe": "pass fail"}, "another text") == first
    assert digest({"lethe+matcher": "fail fail", "chroma": "pass pass", "left_out": "pass pass"}) == first
    assert digest({"vectors": "fail pass"}) != first


def test_a_column_of_a_model_stands_beside_its_store_alone_case_by_case(tmp_path: Path) -> None:
    verdicts = {"lethe": "pass fail fail pass fail", "lethe+llm@m": "pass pass fail fail error"}
    for name, said in verdicts.items():
        system, _, model = name.partition("@")
        made = [
            Trial("s", system, model, 0, f"c{n}", verdict=v)  # type: ignore[arg-type]
            for n, v in enumerate(said.split())
        ]
        write_rows(tmp_path / f"results/runs/s/{name}.parquet", TRIALS, [one.to_row() for one in made], "test")
    assert column_lines(tmp_path, ["m", "other"]) == [
        "s: lethe+llm@m passes 2 of 5, 1 broke, lethe alone 2; "
        "1 cases with it alone, 1 without it alone (McNemar p = 1)"
    ]
