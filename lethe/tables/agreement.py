"""The tables about annotators: how they agree, and how judges agree with their majority.

Paper, section "Multi-annotator agreement" and appendix "Cross-family judge validation"; published numbers stand beside.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from lethe.analysis.agreement import ILL_FORMED, MAJORITY, WELL_FORMED
from lethe.analysis.published import Published
from lethe.cases.case import ADVERSARIAL_CATEGORIES
from lethe.schemas import ALL
from lethe.tables.cells import PaperTable
from lethe.tables.judges import NO_JUDGE

Row = Mapping[str, Any]

NO_ANNOTATIONS = "no annotations yet"
_HUMANS = "human majority"
_PUBLISHED_RATERS = {
    "claude-opus-4.7": "Claude Opus 4.7",
    "qwen-2.5-72b": "Qwen-2.5-72B",
    "deepseek-v3": "DeepSeek-V3",
    MAJORITY: _HUMANS,
}


def agreement_table(measures: Sequence[Row], published: Published, label: str) -> PaperTable:
    """Fleiss' kappa, Krippendorff's alpha and observed agreement, over all cases and by category.

    Args:
        measures: rows of `lethe.schemas.AGREEMENT`.
        label: the suite's name in tables.
    """
    by_key = {(row["part"], row["measure"]): row for row in measures}
    parts = [part for part in (ALL, *ADVERSARIAL_CATEGORIES) if (part, "fleiss_kappa") in by_key]

    def cells(part: str) -> list[str]:
        kappa, alpha, observed = (
            by_key[part, name] for name in ("fleiss_kappa", "krippendorff_alpha", "observed_agreement")
        )
        share = "–" if observed["value"] is None else f"{100 * observed['value']:.1f}"
        return [part, _interval(kappa), _interval(alpha), share, str(kappa["cases"]), str(kappa["annotators"])]

    header = ("Part", "Fleiss' κ", "Krippendorff's α", "observed %", "cases", "annotators")
    kappa = published.value("text_agreement", "fleiss", "kappa", "kappa")
    observed = published.value("text_agreement", "fleiss", "observed_agreement", "percent")
    cases, annotators = (
        published.value("text_agreement", "sample", column, "count") for column in ("cases", "annotators")
    )
    return PaperTable(
        "agreement",
        f"Agreement of annotators on a stratified sample of the {label.lower()} suite, with 95 % bootstrap intervals "
        "(cases resampled). –: not defined, one label alone was given. The last row is what the paper published, on "
        "cases of its own.",
        header,
        [
            [cells(part) for part in parts] or [[NO_ANNOTATIONS, *[""] * (len(header) - 1)]],
            [["published: all", str(kappa), "", str(observed), str(cases), str(annotators)]],
        ],
    )


def judge_agreement_table(
    pairs: Sequence[Row], judges: Mapping[str, str], label: str, annotated: bool, not_run: str = NO_JUDGE
) -> PaperTable:
    """Judges and the annotators' majority, each with each, on the sampled cases (paper, Table "third_judge").

    Args:
        pairs: rows of `lethe.schemas.RATER_PAIRS`.
        judges: the judges' names in tables by their name in config.
        annotated: whether there are annotations.
        not_run: why there is no judge, where there is none.
    """
    by_pair = {(row["first"], row["second"]): row for row in pairs}
    names = {**judges, MAJORITY: _HUMANS}
    raters = [name for name in names if (name, name) in by_pair]

    def cell(first: str, second: str) -> str:
        if first == second:
            return "–"
        pair = by_pair[first, second]
        kappa = "" if pair["kappa"] is None else f" (κ {pair['kappa']:.2f})".replace("-", "−")
        return f"{pair['equal']}/{pair['cases']}{kappa}"

    def row(name: str) -> list[str]:
        own = by_pair[name, name]
        others = [cell(name, other) for other in raters]
        return [names[name], *others, f"{own['well_formed']}/{own['cases'] - own['well_formed']}"]

    reasons = [NO_ANNOTATIONS] if not annotated else []
    reasons += [] if judges else [not_run]
    header = ("Rater", *(f"vs. {names[name]}" for name in raters), "wf/ill")
    return PaperTable(
        "judge_agreement",
        f"Judges and the annotators' majority on the sample of the {label.lower()} suite, measured here: equal "
        "verdicts of the cases that both gave one on, with Cohen's κ where it is defined.",
        header,
        [[row(name) for name in raters] or [["; ".join(reasons), *[""] * (len(header) - 1)]]],
        [f"{reason.capitalize()}." for reason in reasons if raters],
    )


def published_judges_table(published: Published) -> PaperTable:
    """The paper's own matrix of judges, on its own cases."""
    table = "judge_agreement"
    columns = [name for name in published.columns(table) if name in _PUBLISHED_RATERS]

    def cell(row: str, column: str) -> str:
        number = published.find(table, row, column)
        return "–" if number is None or number.value is None else f"{number.value}/{number.n}"

    rows = [
        [
            _PUBLISHED_RATERS[row],
            *(cell(row, column) for column in columns),
            "/".join(str(published.value(table, row, f"{kind}_formed", "cases")) for kind in ("well", "ill")),
        ]
        for row in published.rows(table)
    ]
    return PaperTable(
        "judge_agreement_published",
        "Judges and the annotators' majority as the paper published them, on 100 cases of its own: equal verdicts. "
        "docs/published.md says where these numbers do not agree with one another.",
        ("Rater", *(f"vs. {_PUBLISHED_RATERS[column]}" for column in columns), "wf/ill"),
        [rows],
    )


def disagreement_table(
    cases: Sequence[Row], judges: Mapping[str, str], published: Published, not_run: str = NO_JUDGE
) -> PaperTable:
    """How each judge differs from the annotators' majority, by mode and category.

    Args:
        cases: rows of `lethe.schemas.MAJORITY_CASES`.
    """
    header = ("Judge", "Mode", "cases", "annotators unanimous", "categories")
    sections = [_modes(judges[name], [row for row in cases if row["judge"] == name]) for name in judges]
    sections = [section for section in sections if section]
    missing = NO_ANNOTATIONS if judges else not_run
    row, compound = "judge_qwen-2.5-72b", "judge_wf_humans_ill_compound_fact"

    def printed(column: str) -> str:
        return str(published.value("text_agreement", row, column, "cases"))

    return PaperTable(
        "judge_disagreements",
        "Cases on which a judge differs from the annotators' majority, measured here; a tie of the annotators is no "
        "majority. The last rows are what the paper published, on cases of its own.",
        header,
        [
            *(sections or [[[missing, "", "", "", ""]]]),
            [
                ["published: Qwen-2.5-72B", "judge ill, humans wf", printed("judge_ill_humans_wf"), "all", ""],
                ["", "judge wf, humans ill", printed("judge_wf_humans_ill"), "", f"compound_fact {printed(compound)}"],
            ],
        ],
        wide=True,
    )


def _modes(judge: str, rows: Sequence[Row]) -> list[list[str]]:
    if not rows:
        return []
    lines = []
    for verdict, majority in ((ILL_FORMED, WELL_FORMED), (WELL_FORMED, ILL_FORMED)):
        found = [row for row in rows if row["verdict"] == verdict and row["majority"] == majority]
        unanimous = sum(row["well_formed"] in (0, row["annotators"]) for row in found)
        lines.append(
            [judge, f"judge {verdict}, humans {majority}", str(len(found)), str(unanimous), _categories(found)]
        )
    for mode, found in (
        ("no majority", [row for row in rows if row["majority"] is None]),
        ("no verdict", [row for row in rows if row["verdict"] is None]),
    ):
        if found:
            lines.append([judge, mode, str(len(found)), "", _categories(found)])
    return lines


def _categories(rows: Sequence[Row]) -> str:
    return ", ".join(f"{name} {count}" for name, count in Counter(row["category"] for row in rows).most_common())


def _interval(row: Row) -> str:
    if row["value"] is None:
        return "–"
    return f"{row['value']:.3f} [{row['low']:.3f}, {row['high']:.3f}]".replace("-", "−")
