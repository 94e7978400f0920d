"""The tables about annotators: how they agree, and how judges agree with their majority.

Paper, section "Multi-annotator agreement" and appendix "Cross-family judge validation"; also published numbers.
"""

from collections.abc import Mapping, Sequence

from forgeteval.cases.case import CATEGORIES, in_known_order
from lethe import schemas
from lethe.parquet import Row
from lethe.schemas import ALL, MAJORITY
from lethe.study.agreement import Mode, disagreement_modes
from lethe.study.published import Published
from lethe.study.setup import Setup
from lethe.tables import cells
from lethe.tables.beyond.judge_labels import PAPER, reason_unlabelled
from lethe.tables.beyond.judges import family_notes, marked_label, unjudged_notes
from lethe.tables.registry import table
from lethe.tables.sources import judged, labelled, main, published_numbers, record
from lethe.tables.table import Cell, Table
from lethe.tables.words import words_within

NO_ANNOTATIONS = "no annotations yet"
_HUMANS = "human majority"
_PUBLISHED_RATERS = {**PAPER, MAJORITY: _HUMANS}
_RECOMPUTED = "recomputed from the released labels"


@table("agreement", inputs=(main(schemas.AGREEMENT), labelled(schemas.RELEASED_AGREEMENT), record, published_numbers))
def agreement_table(measures: Sequence[Row], released: Sequence[Row], setup: Setup, published: Published) -> Table:
    """Fleiss' kappa, Krippendorff's alpha and observed agreement, over all cases and by category.

    Args:
        measures: rows of `lethe.schemas.AGREEMENT`.
        released: rows of `lethe.schemas.RELEASED_AGREEMENT`; none without the release.
    """

    def shown(part: str, own: Mapping[tuple[str, str], Row], where: str) -> list[Cell]:
        kappa, alpha, observed = (
            own[part, name] for name in ("fleiss_kappa", "krippendorff_alpha", "observed_agreement")
        )
        return [
            cells.label(f"{where}{words_within(part)}") if where else cells.named(part),
            *(cells.with_interval(row["value"], row["low"], row["high"], row["cases"]) for row in (kappa, alpha)),
            cells.percent(observed["value"], n=observed["cases"]),
            cells.count(kappa["cases"]),
            cells.count(kappa["annotators"]),
        ]

    def section(rows: Sequence[Row], where: str = "") -> list[list[Cell]]:
        own = {(row["part"], row["measure"]): row for row in rows}
        parts = in_known_order((part for part, name in own if name == "fleiss_kappa"), (ALL, *CATEGORIES))
        return [shown(part, own, where) for part in parts]

    def printed(row: str, column: str) -> Cell:
        return cells.published_number(published.find("text_agreement", row, column))

    observed, sample = printed("fleiss", "observed_agreement"), map(printed, ("sample",) * 2, ("cases", "annotators"))
    header = ("Part", "Fleiss' κ", "Krippendorff's α", "Observed (%)", "Cases", "Annotators")
    return Table(
        "agreement",
        f"Agreement of annotators on a stratified sample of the {setup.suite_labels[setup.adversarial_suite].lower()} "
        "suite, with 95 % bootstrap intervals (cases resampled). –: not defined, one label alone was given. Below, the "
        f"paper's own sample: {_RECOMPUTED}, and as published.",
        header,
        [
            section(measures) or [cells.not_run_row(NO_ANNOTATIONS, len(header))],
            section(released, "recomputed: ") or [cells.not_run_row(reason_unlabelled(setup), len(header))],
            [[cells.label("published: all"), printed("fleiss", "kappa"), cells.BLANK, observed, *sample]],
        ],
    )


@table(
    "own_judge_agreement",
    inputs=(
        main(schemas.RATER_PAIRS),
        main(schemas.AGREEMENT),
        judged(lambda setup: setup.adversarial_suite),
        record,
    ),
)
def judge_agreement_table(
    pairs: Sequence[Row], measures: Sequence[Row], judgements: Sequence[Row], setup: Setup
) -> Table:
    """Judges and the annotators' majority, each with each, on the sampled cases (paper, Table "third_judge").

    Args:
        pairs: rows of `lethe.schemas.RATER_PAIRS`.
        measures: rows of `lethe.schemas.AGREEMENT`; none without annotations.
        judgements: rows of `lethe.schemas.JUDGEMENTS` of the adversarial suite.
    """
    by_pair = {(row["first"], row["second"]): row for row in pairs}
    suite = setup.adversarial_suite
    names = {**_labels(suite, setup), MAJORITY: _HUMANS}
    raters = [name for name in names if (name, name) in by_pair]

    def cell(first: str, second: str) -> Cell:
        pair = by_pair[first, second]
        return cells.DASH if first == second else cells.agreement(pair["equal"], pair["cases"], pair["kappa"])

    def row(name: str) -> list[Cell]:
        own = by_pair[name, name]
        formed = cells.two_counts(own["well_formed"], own["cases"] - own["well_formed"])
        return [cells.label(names[name]), *(cell(name, other) for other in raters), formed]

    reasons = [] if measures else [NO_ANNOTATIONS]
    reasons += _no_judgement(suite, setup)
    header = ("Rater", *(f"vs. {names[name]}" for name in raters), "wf/ill")
    return Table(
        "own_judge_agreement",
        "Judges and the annotators' majority on the sample of the "
        f"{setup.suite_labels[suite].lower()} suite, measured here: equal verdicts of the cases on "
        "which both gave one, with Cohen's κ where it is defined.",
        header,
        [[row(name) for name in raters] or [cells.not_run_row("; ".join(reasons), len(header))]],
        [
            *(f"{reason.capitalize()}." for reason in reasons if raters),
            *family_notes(suite, setup),
            *unjudged_notes(judgements, setup),
        ],
    )


@table(
    "judge_disagreements",
    inputs=(main(schemas.MAJORITY_CASES), labelled(schemas.RELEASED_MAJORITY), record, published_numbers),
)
def disagreement_table(cases: Sequence[Row], released: Sequence[Row], setup: Setup, published: Published) -> Table:
    """How each judge differs from the annotators' majority, by mode and category.

    Args:
        cases: rows of `lethe.schemas.MAJORITY_CASES`.
        released: rows of `lethe.schemas.RELEASED_MAJORITY`; none without the release.
    """
    header = ("Judge", "Mode", "Cases", "Annotators unanimous", "Categories")

    def by_judge(rows: Sequence[Row], names: Mapping[str, str]) -> list[list[list[Cell]]]:
        sections = (
            [_mode(judge, mode) for mode in disagreement_modes([row for row in rows if row["judge"] == name])]
            for name, judge in names.items()
        )
        return [section for section in sections if section]

    suite = setup.adversarial_suite
    sections = by_judge(cases, _labels(suite, setup))
    paper = {judge: f"{label}, recomputed" for judge, label in _PUBLISHED_RATERS.items() if judge != MAJORITY}
    missing = next(iter(_no_judgement(suite, setup)), NO_ANNOTATIONS)

    def printed(column: str, before: str = "") -> Cell:
        value = published.value("text_agreement", "judge_qwen-2.5-72b", column, "cases")
        return cells.published_text(f"{before}{value}", value)

    ill = printed("judge_ill_humans_wf"), cells.published_text("all")
    well = printed("judge_wf_humans_ill")
    compound = printed("judge_wf_humans_ill_compound_fact", f"{words_within('compound_fact')} ")
    return Table(
        "judge_disagreements",
        "Cases on which a judge differs from the annotators' majority, measured here; a tie of the annotators is not a "
        f"majority. Below, on the paper's own sample: {_RECOMPUTED}, and as published.",
        header,
        [
            *(sections or [[cells.not_run_row(missing, len(header))]]),
            *(by_judge(released, paper) or [[cells.not_run_row(reason_unlabelled(setup), len(header))]]),
            [
                [*cells.labels("published: Qwen-2.5-72B", "judge ill, humans wf"), *ill, cells.BLANK],
                [cells.BLANK, cells.label("judge wf, humans ill"), well, cells.BLANK, compound],
            ],
        ],
        family_notes(suite, setup) if sections else [],
        wide=True,
        kinds=("label", "label", "number", "number", "text"),
    )


def _labels(suite: str, setup: Setup) -> dict[str, str]:
    """The labels of the judges that judge a suite."""
    return {name: marked_label(name, suite, setup) for name in setup.judging(suite)}


def _no_judgement(suite: str, setup: Setup) -> list[str]:
    """Why no judge judges a suite, where none does."""
    if setup.judging(suite):
        return []
    return ["not run: no judge can answer (the audit of judges says why)" if setup.judges else setup.no_judge]


def _mode(judge: str, mode: Mode) -> list[Cell]:
    return [
        *cells.labels(judge, mode.name),
        cells.count(mode.cases),
        cells.BLANK if mode.unanimous is None else cells.count(mode.unanimous),
        cells.counts_by_name(mode.categories),
    ]
