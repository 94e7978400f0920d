"""Systems compared case by case: McNemar's test, Holm's adjustment, and the paired bootstrap."""

from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest

from forgeteval.errors import UserError
from forgeteval.scoring.paired import bootstrap_differences, mcnemar_table
from lethe.parquet import read_rows, write_rows
from lethe.schemas import PAIRED
from lethe.study.paired import paired_rows

NO_CONTROLS: frozenset[str] = frozenset()


def verdicts(repetition: int = 0, scorer: str = "substring", **systems: str) -> list[dict[str, Any]]:
    """Verdicts of systems on cases 0, 1, …: p pass, f fail, n na, e error."""
    words = {"p": "pass", "f": "fail", "n": "na", "e": "error"}
    return [
        {
            "suite": "mine",
            "system": system,
            "model": "",
            "repetition": repetition,
            "case_id": f"c{case}",
            "scorer": scorer,
            "verdict": words[verdict],
        }
        for system, given in systems.items()
        for case, verdict in enumerate(given)
    ]


def only_pair(rows: list[dict[str, Any]], **settings: Any) -> dict[str, Any]:
    (pair,) = paired_rows(rows, NO_CONTROLS, **({"resamples": 200, "seed": 1} | settings))
    return pair


def test_the_papers_pair() -> None:
    """Lethe and LangGraph of the paper: 5 and 3 discordant cases of 385, chi-squared 0.125, p 0.724."""
    pair = only_pair(verdicts(a="p" * 239 + "p" * 5 + "f" * 3 + "f" * 138, b="p" * 239 + "f" * 5 + "p" * 3 + "f" * 138))
    assert (pair["both"], pair["first_only"], pair["second_only"], pair["neither"]) == (239, 5, 3, 138)
    assert pair["cases"] == 385
    assert pair["chi_squared"] == pytest.approx(0.125)
    assert round(pair["p_corrected"], 3) == 0.724
    assert pair["p_exact"] == pytest.approx(binomtest(3, 8).pvalue)
    assert pair["difference"] == pytest.approx(2 / 385)
    assert pair["low"] < 0 < pair["high"]


def test_na_and_errors_are_not_passed_and_a_row_of_na_alone_is_left_out() -> None:
    rows = verdicts(a="ppnef", b="fpppf", mute="nnnnn", control="fffff")
    (pair,) = paired_rows(rows, frozenset({"control"}), 200, 1)
    assert (pair["first"], pair["second"]) == ("a", "b")
    assert (pair["both"], pair["first_only"], pair["second_only"], pair["neither"]) == (1, 1, 2, 1)


def test_no_discordant_case_is_no_evidence() -> None:
    pair = only_pair(verdicts(a="ppf", b="ppf"))
    assert (pair["p_exact"], pair["p_corrected"], pair["chi_squared"]) == (1.0, 1.0, 0.0)
    assert (pair["difference"], pair["low"], pair["high"]) == (0.0, 0.0, 0.0)


def test_holm_over_the_family_of_one_suite_and_scorer() -> None:
    n = 40
    systems = {"a": "p" * n, "b": "p" * 30 + "f" * 10, "c": "p" * 33 + "f" * 7}
    family = paired_rows(verdicts(**systems), NO_CONTROLS, 200, 1)
    by_pair = {(pair["first"], pair["second"]): pair for pair in family}
    assert list(by_pair) == [("a", "b"), ("a", "c"), ("b", "c")]
    raw = {key: pair["p_exact"] for key, pair in by_pair.items()}
    assert by_pair["a", "b"]["p_exact_holm"] == pytest.approx(3 * raw["a", "b"])
    assert by_pair["a", "c"]["p_exact_holm"] == pytest.approx(2 * raw["a", "c"])
    assert by_pair["b", "c"]["p_exact_holm"] == pytest.approx(max(2 * raw["a", "c"], raw["b", "c"]))
    both = paired_rows(verdicts(**systems) + verdicts(scorer="probed", **systems), NO_CONTROLS, 200, 1)
    assert [pair["p_exact_holm"] for pair in both] == 2 * [pair["p_exact_holm"] for pair in family]


def test_repetitions_vote_for_the_test_and_are_averaged_for_the_difference() -> None:
    rows = [*verdicts(0, a="pp", b="pf"), *verdicts(1, a="pf", b="pf"), *verdicts(2, a="pp", b="pf")]
    pair = only_pair(rows)
    assert (pair["both"], pair["first_only"], pair["second_only"], pair["neither"]) == (1, 1, 0, 0)
    assert pair["difference"] == pytest.approx((1 + 2 / 3) / 2 - 1 / 2)


def test_systems_on_other_cases_are_named() -> None:
    rows = [*verdicts(a="pp"), *verdicts(b="ppp")]
    with pytest.raises(UserError, match=r"b on mine: ran on other cases .* results/runs/mine/b\.parquet"):
        paired_rows(rows, NO_CONTROLS, 200, 1)


def test_one_system_has_nobody_to_be_compared_with() -> None:
    assert paired_rows(verdicts(a="pf"), NO_CONTROLS, 200, 1) == []


def test_the_bootstrap_is_paired_seeded_and_of_the_right_width() -> None:
    generator = np.random.default_rng(0)
    first = (generator.random(400) < 0.6).astype(float)
    second = first.copy()
    second[:40] = 1 - second[:40]
    shares = {"a": first, "b": second}
    low, high = bootstrap_differences(shares, 4000, seed=5)["a", "b"]
    assert bootstrap_differences(shares, 4000, seed=5)["a", "b"] == (low, high)
    assert bootstrap_differences(shares, 61, seed=5) != bootstrap_differences(shares, 61, seed=6)
    differences = first - second
    reach = 1.96 * differences.std() / 20
    assert low == pytest.approx(differences.mean() - reach, abs=0.005)
    assert high == pytest.approx(differences.mean() + reach, abs=0.005)
    unpaired = 1.96 * np.sqrt(first.var() + second.var()) / 20
    assert high - low < 0.6 * 2 * unpaired, "pairing the cases narrows the interval"


def test_the_rows_fit_their_schema(tmp_path: Any) -> None:
    rows = paired_rows(verdicts(a="ppff", b="pfpf", c="pppp"), NO_CONTROLS, 200, 1)
    write_rows(tmp_path / "paired.parquet", PAIRED, rows, "test")
    assert read_rows(tmp_path / "paired.parquet", PAIRED) == rows


def test_the_table_counts_both_ways() -> None:
    table = mcnemar_table(np.array([True, True, False, False]), np.array([True, False, True, False]))
    assert table.tolist() == [[1, 1], [1, 1]]
