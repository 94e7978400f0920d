"""Why what stands for a printed number differs from it, as far as a test of the cell shows it."""

from collections.abc import Callable, Sequence

from forgeteval.scoring.intervals import wilson
from lethe.parquet import Row
from lethe.study.published import Published, PublishedNumber
from lethe.study.replication.measured import Measured
from lethe.study.setup import PAPER_K

_MEASURED, _COUNTED, _RECOUNTED = "measured", "counted in the cases", "recounted"
"""States of `lethe.study.replication.compare`, which reads this module."""

_LATER = "adv_identifier_obfuscation_30"
"""The case on which one run of all 385 differs from the authors' two, which put the 20 later cases by themselves."""


def cause(number: PublishedNumber, row: Row, published: Published, measured: Measured) -> str:
    """The first of `CAUSES` whose test holds for the cell; empty where none does.

    Args:
        row: of `lethe.schemas.REPLICATION`, of the number.
    """
    return next((text for test, text in CAUSES if test(number, row, published, measured)), "")


def _of_other_k(_: PublishedNumber, row: Row, __: Published, measured: Measured) -> bool:
    """Whether the systems recalled another number of memories than in the paper."""
    return row["state"] == _MEASURED and measured.setup.k != PAPER_K


def _one_later_case(_: PublishedNumber, row: Row, published: Published, measured: Measured) -> bool:
    """Whether the verdicts of the cell differ from the released ones on that case alone."""
    if row["state"] != _MEASURED or not row["compared"] or row["only_published"] + row["only_here"] != 1:
        return False
    return _LATER in _disagreeing(row, measured)


def _interval_of_later_case(number: PublishedNumber, row: Row, _: Published, measured: Measured) -> bool:
    """Whether an end of an interval of all cases comes out of the released verdicts, which differ on one case alone."""
    if row["state"] != _MEASURED or row["recounted"] is None or not number.row.startswith("wilson_"):
        return False
    comes_out = abs(row["recounted"] - row["published"]) <= number.half_step
    return comes_out and _disagreeing(row, measured) == [_LATER]


def _disagreeing(row: Row, measured: Measured) -> list[str]:
    """The cases on which the configuration of a row and the released run disagree."""
    return [
        replica["case_id"]
        for replica in measured.replicas.get("adversarial", ())
        if not replica["agree"] and measured.label(replica["configuration"]) in row["configuration"]
    ]


def _interval_of_count(number: PublishedNumber, row: Row, published: Published, measured: Measured) -> bool:
    """Whether a printed end of a Wilson interval does not follow from the count that is printed with it."""
    name = number.row if number.row.endswith(("_low", "_high")) else number.column
    part, end = name.rpartition("_")[::2]
    if number.unit != "percent" or end not in ("low", "high"):
        return False
    counts = {
        "template": (number.table, number.row, "pass"),
        "text_wilson": ("adversarial", part, number.column),
    }
    count = published.find(*counts.get(number.table, (number.table, "all", number.column)), unit="cases")
    if count is None or count.value is None or count.n is None:
        return False
    follows = 100 * wilson(int(count.value), count.n)[("low", "high").index(end)]
    return abs(follows - float(number.value or 0)) > number.half_step


def _of_rounding(number: PublishedNumber, row: Row, published: Published, measured: Measured) -> bool:
    """Whether a difference of percentages is within one step of the last printed digit."""
    return number.unit == "points" and abs(row["difference"]) <= 2 * number.half_step


def _cut_off(number: PublishedNumber, row: Row, published: Published, measured: Measured) -> bool:
    """Whether a printed percentage is what stands for it, with the further digits left out."""
    return number.unit == "percent" and 0 < row["difference"] < 2 * number.half_step


def _before_additions(number: PublishedNumber, row: Row, published: Published, measured: Measured) -> bool:
    """Whether a share of the hand-crafted cases is out of those that there were before more were added."""
    if (number.table, number.column) != ("provenance", "core"):
        return False
    before = published.find("text_suites", "core_original", "cases")
    return before is not None and before.value == number.n and row["measured"] == row["published"]


def _of_first_persona(number: PublishedNumber, row: Row, published: Published, measured: Measured) -> bool:
    """Whether the sessions of Memora are those of its first persona, or as many for each."""
    if (number.table, number.row) != ("text_memora", "data") or not measured.sizes:
        return False
    first = measured.sizes[0]["sources"]
    return number.value == {"sessions": len(measured.sizes) * first, "sessions_per_persona": first}.get(number.column)


def _of_lethe_alone(number: PublishedNumber, _: Row, published: Published, measured: Measured) -> bool:
    """Whether the paper prints a higher share of a category, of another deterministic system, in its main table."""
    if (number.table, number.column) != ("text_headline", "deterministic_highest"):
        return False
    shares = [published.find("adversarial", number.row, system, "cases") for system in ("mem0", "langgraph")]
    return any(
        100 * float(share.value or 0) / share.n > float(number.value or 0) + number.half_step
        for share in shares
        if share is not None and share.n
    )


def _lacking(number: PublishedNumber, row: Row, published: Published, measured: Measured) -> bool:
    """Whether N/A cases were counted from what cases need and the paper says that the system lacks."""
    return "na" in (number.row, number.column) and row["state"] == _COUNTED


def _not_given(number: PublishedNumber, row: Row, published: Published, measured: Measured) -> bool:
    """Whether the paper prints N/A for cases of which its authors released verdicts."""
    return number.unit == "na" and row["state"] == _RECOUNTED


def _released_differ(_: PublishedNumber, row: Row, published: Published, measured: Measured) -> bool:
    """Whether the number was counted again from what the authors released."""
    return bool(row["state"] == _RECOUNTED)


Test = Callable[[PublishedNumber, Row, Published, Measured], bool]
CAUSES: Sequence[tuple[Test, str]] = (
    (_of_other_k, f"run with another number of memories a recall than the paper's {PAPER_K} (run.k)"),
    (_of_lethe_alone, "the paper's main table prints more for another deterministic system"),
    (_interval_of_count, "the printed interval does not follow from the count printed with it"),
    (
        _one_later_case,
        "the collection goes on from case to case, and the authors ran the 20 later cases by themselves: run so, all "
        f"385 verdicts agree; in one run {_LATER} differs",
    ),
    (
        _interval_of_later_case,
        f"as its count, which differs by {_LATER}: by the released verdicts the printed interval comes out",
    ),
    (_before_additions, "out of the hand-crafted cases before more were added; other rows are out of all of them"),
    (_of_first_persona, "the sessions of the first persona, printed for each of them"),
    (_lacking, "counted: the cases that need an operation which, by the paper, the system lacks"),
    (_not_given, "printed N/A; what the authors released has verdicts of these cases"),
    (_cut_off, "cut off after the last printed digit, not rounded"),
    (_of_rounding, "within one step of the last printed digit"),
    (_released_differ, "what the authors released gives another number than they printed"),
)
