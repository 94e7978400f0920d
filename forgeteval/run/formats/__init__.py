"""What a run leaves for other programs: results, JUnit XML, a CI's summary and annotations, a badge, Parquet."""

from pathlib import Path

from forgeteval.errors import UserError
from forgeteval.files import write_text
from forgeteval.run.results import Results


def write_outputs(
    results: Results,
    *,
    out: Path | None = None,
    junit: Path | None = None,
    summary: Path | None = None,
    badge: Path | None = None,
    parquet: Path | None = None,
) -> list[UserError]:
    """Write those that are asked for, each whatever became of the others; docs/results-json.md describes them.

    Args:
        out: the results themselves, as JSON.
        junit: JUnit XML.
        summary: Markdown is appended to this file, such as that of the variable `GITHUB_STEP_SUMMARY`.
        badge: JSON for shields.io/endpoint.
        parquet: the trials as the study's workflow writes them.

    Returns:
        Why a file could not be written, for each of those.
    """
    problems = []
    writers = ((out, Results.save), (junit, _junit), (summary, _summary), (badge, _badge), (parquet, _parquet))
    for path, write in writers:
        if path is None:
            continue
        try:
            write(results, path)
        except UserError as error:
            problems.append(error)
    return problems


def _junit(results: Results, path: Path) -> None:
    from forgeteval.run.formats.junit import junit_xml

    write_text(path, junit_xml(results))


def _summary(results: Results, path: Path) -> None:
    from forgeteval.run.formats.markdown import append_summary

    append_summary(results, path)


def _badge(results: Results, path: Path) -> None:
    from forgeteval.run.formats.badge import badge_json

    write_text(path, badge_json(results))


def _parquet(results: Results, path: Path) -> None:
    from forgeteval.run.formats.parquet import write_trials

    write_trials(results, path)
