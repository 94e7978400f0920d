"""The audit of the paper's scorer: what the other scorers say about its verdicts, and readers of its failures."""

from collections.abc import Sequence

from lethe import schemas
from lethe.config.configurations import configuration_name
from lethe.parquet import Row
from lethe.schemas import ALL
from lethe.study import inputs
from lethe.study.inputs import Input
from lethe.study.published import Published, PublishedNumber
from lethe.study.scorer_audit import FIRST, SECOND, AuditCounts, Reading, audit_scorer, read_readings
from lethe.study.setup import Setup
from lethe.tables import cells
from lethe.tables.registry import table
from lethe.tables.sources import Source, published_numbers, record
from lethe.tables.table import Cell, Table

_POOLED = {
    "supersession": ("Paraphrase and recursive", ("paraphrase_supersession", "recursive_supersession")),
    "canonicalisation": (
        "Canonicalisation",
        ("identifier_obfuscation", "cross_lingual_identifier", "compound_fact"),
    ),
}
"""The paper's groups of categories, by the names in config/published.csv."""
_HEADER = {
    "Category or system": "", "Cases": "Passed", "Probed fails": "Passed", "Cases failed": "Failed",
    "Identifier passes": "Failed", "Read": "Failures read", "Artifact, first": "Failures read",
    "Artifact, second": "Failures read", "Artifact, both": "Failures read", "Artifacts, printed": "",
}  # fmt: skip


def _audited(path: schemas.Table, **names: str) -> Source:
    """Rows about the released 385 cases."""

    def source(setup: Setup) -> Input | str:
        suite = setup.labelled_suite
        if suite is None:
            return setup.release.absent or "not run: the published cases are not run"
        if not setup.runs(setup.reference, suite):
            return f"not run: {setup.reference_label} does not run on the published cases"
        return inputs.rows(path, suite=suite, **{name: value.format(setup=setup) for name, value in names.items()})

    return source


@table(
    "scorer_audit",
    inputs=(
        _audited(schemas.SCORER_AUDIT),
        _audited(schemas.TRIALS, system="{setup.reference}"),
        record,
        published_numbers,
    ),
)
def scorer_audit_table(
    rows: Sequence[Row],
    trials: Sequence[Row],
    setup: Setup,
    published: Published,
    readings: Sequence[Reading] | None = None,
) -> Table:
    """The reference system's verdicts audited (paper, appendix "Substring-scorer reliability audit").

    Args:
        rows: rows of `lethe.schemas.SCORER_AUDIT` of the released 385 cases.
        trials: rows of `lethe.schemas.TRIALS` of the reference system on them.
        readings: those that were made; by default, those that the project has.
    """
    read = read_readings() if readings is None else readings
    by_name: dict[str, list[Row]] = {}
    for row in rows:
        by_name.setdefault(configuration_name(row), []).append(row)
    audit = audit_scorer(by_name.pop(setup.reference, []), trials, read)
    equal, kappa = audit.agreement()
    others = {
        name: audit_scorer(by_name[name], (), ()).counts()
        for name, entry in setup.configurations.items()
        if name in by_name and not entry.extended and not entry.hook
    }

    def printed(row: str) -> PublishedNumber | None:
        return published.find("text_scorer_audit", "artifacts", row, "cases")

    unread = len(audit.drawn) - len(audit.labels)
    notes = [
        f"The two readings agree on {equal} of {len(audit.labels)} failures"
        f"{'' if kappa is None else f' (Cohen’s κ {kappa:.2f})'}."
    ]
    if unread:
        notes.append(f"{unread} of those drawn have no two readings of what was recalled here.")
    return Table(
        "scorer_audit",
        f"The substring scorer audited on the released 385 cases, measured here. By category, {setup.reference_label}: "
        "of the cases passed, those that fail where each forbidden string is also asked for (probed); of those failed, "
        "those that pass where strings match whole identifiers only (identifier); and of failures drawn from each "
        "category in turn, those that either of two readings by a language model calls an artifact of the scorer, "
        "with the paper's count of such a sample of its own. Below, the other systems.",
        list(_HEADER),
        [
            [_line(cells.named(found.category), found, printed(found.category)) for found in audit.by_category()],
            [
                _line(cells.label(label), audit.counts(categories), printed(name))
                for name, (label, categories) in _POOLED.items()
            ]
            + [_line(cells.named(ALL), audit.counts(), printed(setup.reference))],
            [_line(cells.label(setup.configurations[name].label), found, None) for name, found in others.items()],
        ],
        notes,
        wide=True,
        groups=list(_HEADER.values()),
    )


def _line(head: Cell, found: AuditCounts, printed: PublishedNumber | None) -> list[Cell]:
    shown = [head, *map(cells.count, (found.passed, found.probed_fails, found.failed, found.identifier_passes))]
    if not found.read:
        return [*shown, *[cells.BLANK] * 4, cells.published_number(printed)]
    judged = (found.artifacts[FIRST], found.artifacts[SECOND], found.both)
    return [*shown, *map(cells.count, (found.read, *judged)), cells.published_number(printed)]
