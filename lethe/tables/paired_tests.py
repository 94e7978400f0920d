"""The table of systems compared case by case (paper, section "Adversarial layer", McNemar's test)."""

from collections.abc import Mapping, Sequence
from typing import Any

from lethe.analysis.published import Published
from lethe.tables.cells import PaperTable

Row = Mapping[str, Any]

_ROOM = 45
"""Pairs that fit a page; where there are more, the table shows those with the reference system."""
_HEADER = ("System", "against", "only it", "only other", "p exact", "Holm", "χ²", "p corr.", "Holm", "Δ pt [95 %]")


def paired_tests_table(
    pairs: Sequence[Row],
    systems: Mapping[str, Mapping[str, Any]],
    reference: str,
    label: str,
    scorer: str,
    published: Published,
) -> PaperTable:
    """Pairs under one scorer, and the one pair that the paper tested, as published.

    Args:
        pairs: rows of `lethe.schemas.PAIRED` of one suite.
        systems: the rows of the tables by name, with their labels.
        reference: the row whose pairs are shown where there are too many for a page.
        label: the suite's name in tables.
    """
    family = [pair for pair in pairs if pair["scorer"] == scorer]
    shown = [pair for pair in family if reference in (pair["first"], pair["second"])] if len(family) > _ROOM else family
    left_out = (
        ""
        if len(shown) == len(family)
        else (f" Shown are the {len(shown)} pairs of {systems[reference]['label']}; the Parquet file holds all.")
    )

    def cells(pair: Row) -> list[str]:
        return [
            str(systems[pair["first"]]["label"]),
            str(systems[pair["second"]]["label"]),
            str(pair["first_only"]),
            str(pair["second_only"]),
            *(_p(pair[name]) for name in ("p_exact", "p_exact_holm")),
            f"{pair['chi_squared']:.3f}",
            *(_p(pair[name]) for name in ("p_corrected", "p_corrected_holm")),
            f"{_points(pair['difference'])} [{_points(pair['low'])}, {_points(pair['high'])}]",
        ]

    table, row = "text_paired", "lethe_langgraph"
    only = [str(published.value(table, row, f"{who}_only", "cases")) for who in ("first", "second")]
    printed = [
        "published: Lethe", "LangGraph", *only, "", "",
        str(published.value(table, row, "chi_squared_corrected", "score")),
        str(published.value(table, row, "p_corrected", "score")), "", "",
    ]  # fmt: skip
    none = [["not run: fewer than two systems", *[""] * (len(_HEADER) - 1)]]
    return PaperTable(
        "paired_tests",
        f"Systems compared case by case, {label.lower()} suite, measured here, {scorer} scorer: cases that one of the "
        f"two passes, McNemar's test (exact; χ² with continuity correction), each adjusted by Holm over the family of "
        f"{len(family)} pairs, and the difference of pass rates with its paired-bootstrap interval. N/A and errors "
        f"count as not passed; a row that is N/A on every case is left out.{left_out} The last row is what the paper "
        "published, on cases of its own.",
        _HEADER,
        [[cells(pair) for pair in shown] or none, [printed]],
        wide=True,
    )


def _p(value: float) -> str:
    return "<0.001" if value < 0.001 else f"{value:.3f}"


def _points(share: float) -> str:
    return f"{100 * share:+.1f}".replace("-", "−")
