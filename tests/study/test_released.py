"""Published runs beside runs here: reading the release, pairing, what a pass was worth, the claims, N/A."""

from pathlib import Path
from typing import Any

import pytest

from forgeteval.errors import UserError
from lethe.parquet import write_rows
from lethe.schemas import CLAIMS as CLAIMS_TABLE
from lethe.schemas import (
    NA_READINGS,
    PAIRED_RELEASED,
    PASS_WORTH,
    RELEASED_LABELS,
    RELEASED_MEMORA,
    RELEASED_VERDICTS,
    REPLICAS,
)
from lethe.study.agreement import agreement_rows, majority_case_rows, rater_rows
from lethe.study.released.compare import paired_rows, replica_rows
from lethe.study.released.labels import as_annotations, as_judgements, as_sample
from lethe.study.released.na import CANONICAL, LEFT_OUT, WITHOUT_RELEASE, na_rows
from lethe.study.released.reading import read_labels, read_memora, read_verdicts
from lethe.study.released.runs import Run, replicated_run, runs_of
from lethe.study.released.worth import (
    CLAIMS,
    EVERY,
    FALLS,
    HARD,
    REVERSED,
    STANDS,
    UNTESTED,
    Claim,
    ReleasedSuite,
    claim_rows,
    worth_rows,
)

VERDICTS_HEAD = "suite,system,model,scorer,release,case_id,verdict,source,note\n"
WORDS = {"P": "pass", "f": "fail", "n": "na", "e": "error"}
LETHE = Run("lethe", "", "substring", "v0.5")
HOOKED = Run("lethe+llm", "deepseek-ai/DeepSeek-V3", "substring", "v0.5")


def by_case(letters: str) -> dict[str, str]:
    """Verdicts of cases c0, c1, …"""
    return {f"c{place}": WORDS[letter] for place, letter in enumerate(letters)}


def measured(system: str, letters: str, scorer: str = "substring", model: str = "") -> list[dict[str, Any]]:
    return [
        {"system": system, "model": model, "scorer": scorer, "repetition": 0, "case_id": case, "verdict": verdict}
        for case, verdict in by_case(letters).items()
    ]


def trials(system: str, letters: str) -> list[dict[str, Any]]:
    lost = {"missing": ["m"], "leaked": ["l"], "recalled": ["r"]}
    return [{"system": system, "model": "", "repetition": 0, "case_id": case, **lost} for case in by_case(letters)]


def test_the_released_files_are_read(tmp_path: Path) -> None:
    (tmp_path / "verdicts.csv").write_text(
        f'{VERDICTS_HEAD}adversarial,lethe,,substring,v0.5,c0,pass,a.json,\nexternal,x,m,,v0.7,c1,na,b.json,"why, so"\n'
    )
    (tmp_path / "memora_verdicts.csv").write_text(
        "system,persona,task,question_id,n_must,n_must_hit,n_must_not,n_must_not_hit,verdict\nlethe,p,recalling,q,5,4,3,0,fail\n"
    )
    (tmp_path / "annotations.csv").write_text(
        "case_id,human_majority,qwen,deepseek,claude,n_wf,n_ill\nc0,false,true,false,true,3,7\n"
    )
    verdicts, memora, labels = read_verdicts(tmp_path), read_memora(tmp_path), read_labels(tmp_path)
    assert verdicts[1]["note"] == "why, so" and verdicts[1]["verdict"] == "na" and verdicts[1]["scorer"] == ""
    assert (memora[0]["must"], memora[0]["must_not_hit"], memora[0]["verdict"]) == (5, 0, "fail")
    assert labels == [
        {"case_id": "c0", "well_formed": 3, "ill_formed": 7, "claude": True, "deepseek": False, "qwen": True}
    ]
    for table, rows in ((RELEASED_VERDICTS, verdicts), (RELEASED_MEMORA, memora), (RELEASED_LABELS, labels)):
        write_rows(tmp_path / "out.parquet", table, rows, "test")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (f"{VERDICTS_HEAD}adversarial,lethe,,substring,v0.5,c0,passed,a,\n", ":2: not a line of the release"),
        (f"{VERDICTS_HEAD}adversarial,lethe\n", ":2: not a line of the release"),
        ("suite,system\na,b\n", ":2: not a line of the release (ValueError(\"no column 'model'\"))"),
        (b"\xff\xfe\n", "not UTF-8 (byte 0)"),
        (None, "cannot be read"),
    ],
)
def test_what_is_no_release_is_refused_by_its_line(tmp_path: Path, content: str | bytes | None, said: str) -> None:
    if content is not None:
        (tmp_path / "verdicts.csv").write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(UserError, match=r"verdicts\.csv") as caught:
        read_verdicts(tmp_path)
    assert said in str(caught.value) and "\n" not in str(caught.value)


def test_runs_are_told_apart_and_replicated_by_name_release_and_scorer() -> None:
    fields = {"suite": "adversarial", "system": "lethe", "model": "", "scorer": "substring", "case_id": "c"}
    rows = [{**fields, "release": release, "verdict": "pass"} for release in ("v0.4", "v0.5")]
    runs = runs_of([*rows, {**rows[0], "suite": "repaired"}], "adversarial")
    assert [run.name for run in runs] == ["lethe (v0.4, substring)", "lethe (v0.5, substring)"]
    assert replicated_run("lethe", runs, "adversarial") == LETHE
    assert replicated_run("lethe", runs, "repaired") is None and replicated_run("chroma", runs, "adversarial") is None
    assert HOOKED.name == "lethe+llm (DeepSeek-V3, v0.5, substring)"
    assert Run("letta+llm", "m", "", "").scored_by == "probed"


def test_replicas_agree_where_both_pass_or_both_do_not(tmp_path: Path) -> None:
    runs = {LETHE: by_case("PPnf")}
    verdicts = [*measured("lethe", "PfnP"), *measured("lethe", "PPPP", "probed"), *measured("chroma", "PPPP")]
    rows = replica_rows("published", "adversarial", runs, verdicts, trials("lethe", "PfnP"))
    assert [(row["case_id"], row["agree"]) for row in rows] == [
        ("c0", True),
        ("c1", False),
        ("c2", True),
        ("c3", False),
    ]
    assert {row["configuration"] for row in rows} == {"lethe"} and rows[1]["leaked"] == ["l"]
    assert rows[0]["recalled"] == [] and rows[1]["recalled"] == ["r"]
    write_rows(tmp_path / "out.parquet", REPLICAS, rows, "test")


def test_configurations_are_paired_with_published_runs_on_their_cases(tmp_path: Path) -> None:
    runs = {LETHE: by_case("PPPff"), Run("old", "", "substring", "v0.4"): by_case("PPP")}
    verdicts = [*measured("lethe", "PPfff"), *measured("null", "PPPPP"), *measured("palace", "nnnnn")]
    rows = paired_rows("published", runs, verdicts, frozenset({"null"}), 200, 1)
    assert [(row["configuration"], row["run"], row["cases"]) for row in rows] == [
        ("lethe", "lethe (v0.5, substring)", 5),
        ("lethe", "old (v0.4, substring)", 3),
    ], "controls and what is N/A everywhere are left out"
    assert (rows[0]["both"], rows[0]["first_only"], rows[0]["second_only"], rows[0]["neither"]) == (2, 0, 1, 2)
    assert rows[0]["difference"] == pytest.approx(-0.2) and rows[0]["low"] <= -0.2 <= rows[0]["high"]
    assert rows[0]["kappa"] == pytest.approx(0.6153846)
    write_rows(tmp_path / "out.parquet", PAIRED_RELEASED, rows, "test")


CONTROLS = [*measured("null", "Pffff"), *measured("nuke", "fPfff"), *measured("oracle", "PPPPP")]


def released(runs: dict[Run, dict[str, str]], *more: dict[str, Any], controls: str = "null nuke") -> ReleasedSuite:
    return ReleasedSuite("published", "adversarial", runs, [*CONTROLS, *more], frozenset(controls.split()))


def test_a_pass_is_counted_again_where_no_control_passes(tmp_path: Path) -> None:
    suite = released({LETHE: by_case("PPPff"), HOOKED: by_case("PP")}, *measured("lethe", "PPfff"))
    rows = {(row["origin"], row["name"], row["subset"]): row for row in worth_rows(suite)}
    assert (rows["published", LETHE.name, EVERY]["passed"], rows["published", LETHE.name, EVERY]["cases"]) == (3, 5)
    assert (rows["published", LETHE.name, HARD]["passed"], rows["published", LETHE.name, HARD]["cases"]) == (1, 3)
    assert rows["measured", "lethe", HARD]["passed"] == 0
    assert not [key for key in rows if key[1] == HOOKED.name], "a run of a part of the suite has no rate"
    write_rows(tmp_path / "out.parquet", PASS_WORTH, list(rows.values()), "test")


def claimed(monkeypatch: pytest.MonkeyPatch, suite: ReleasedSuite, **options: Any) -> dict[str, dict[str, Any]]:
    claim = Claim("a claim", "a section", adversarial=[HOOKED.name, LETHE.name], **options)
    monkeypatch.setattr("lethe.study.released.worth.CLAIMS", [claim])
    cases = [
        {"case_id": case, "category": "a" if case in ("c0", "c1") else "b"} for case in next(iter(suite.runs.values()))
    ]
    return {row["subset"]: row for row in claim_rows(suite, cases, 100, 1)}


@pytest.mark.parametrize(
    ("hooked", "lethe", "equal", "verdict"),
    [
        ("PPPPPPPPPP", "Pfffffffff", False, STANDS),
        ("Pfffffffff", "PPPPPPPPPP", False, REVERSED),
        ("PPPfffffff", "Pfffffffff", False, FALLS),
        ("PPPfffffff", "Pfffffffff", True, STANDS),
        ("PPPPPPPPPP", "Pfffffffff", True, FALLS),
    ],
)
def test_a_claim_stands_where_the_test_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, hooked: str, lethe: str, equal: bool, verdict: str
) -> None:
    suite = ReleasedSuite("published", "adversarial", {HOOKED: by_case(hooked), LETHE: by_case(lethe)}, [], frozenset())
    rows = claimed(monkeypatch, suite, equal=equal)
    assert rows[EVERY]["verdict"] == verdict and rows[EVERY]["cases"] == 10
    write_rows(tmp_path / "out.parquet", CLAIMS_TABLE, list(rows.values()), "test")


def test_a_claim_about_cases_that_controls_pass_cannot_be_tested(monkeypatch: pytest.MonkeyPatch) -> None:
    suite = released({HOOKED: by_case("PPPff"), LETHE: by_case("fffff")})
    rows = claimed(monkeypatch, suite, categories=["a"])
    assert rows[EVERY]["cases"] == 2
    assert (rows[HARD]["cases"], rows[HARD]["verdict"], rows[HARD]["difference"]) == (0, UNTESTED, None)


def test_every_written_claim_is_about_two_runs() -> None:
    assert len(CLAIMS) >= 10
    for claim in CLAIMS:
        assert len(claim.adversarial) == 2 and len(claim.repaired) in (0, 2), claim.claim


def test_labels_enter_as_sheets_do() -> None:
    labels = [
        {"case_id": "c0", "well_formed": 9, "ill_formed": 1, "claude": True, "deepseek": False, "qwen": True},
        {"case_id": "c1", "well_formed": 0, "ill_formed": 10, "claude": False, "deepseek": False, "qwen": True},
    ]
    cases = [{"case_id": f"c{n}", "category": "negation_trap", "provenance": "core", "suite": "s"} for n in range(3)]
    sample = as_sample(labels, cases)
    annotations, judgements = as_annotations(labels, sample), as_judgements(labels)
    kappa, _, observed = agreement_rows(annotations, 10, 1)[:3]
    assert (kappa["cases"], kappa["annotators"]) == (2, 10)
    assert observed["value"] == pytest.approx((36 / 45 + 1) / 2)
    assert kappa["value"] == pytest.approx(0.798, abs=1e-3)
    raters = {(row["first"], row["second"]): row["equal"] for row in rater_rows(annotations, judgements, sample)}
    assert raters["claude-opus-4.7", "human_majority"] == 2 and raters["qwen-2.5-72b", "human_majority"] == 1
    assert raters["claude-opus-4.7", "deepseek-v3"] == 1
    assert {row["majority"] for row in majority_case_rows(annotations, judgements, sample)} == {"wf", "ill"}


def test_each_reading_of_na_gives_its_number(tmp_path: Path) -> None:
    operations = ["release", "purge", "purge", "supersede"]
    cases = [
        {"case_id": f"c{n}", "category": "identifier_obfuscation" if n == 1 else "b", "mutations": [{"op": op}]}
        for n, op in enumerate(operations)
    ]
    run = Run("amem", "", "substring", "v0.5")
    suite = ReleasedSuite("published", "adversarial", {run: by_case("nPPf")}, measured("a_mem", "nPff"), frozenset())
    rows = {(row["origin"], row["reading"]): (row["passed"], row["cases"]) for row in na_rows(suite, cases)}
    assert rows["published", "N/A as failures"] == (2, 4) and rows["published", LEFT_OUT] == (2, 3)
    assert rows["published", WITHOUT_RELEASE] == (2, 3) and rows["published", CANONICAL] == (1, 1)
    assert rows["measured", LEFT_OUT] == (1, 3)
    write_rows(tmp_path / "out.parquet", NA_READINGS, na_rows(suite, cases), "test")
