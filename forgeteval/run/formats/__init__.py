"""What a run leaves for other programs: results, JUnit XML, a CI's summary and annotations, a badge, Parquet."""

from pathlib import Path

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
    annotations: bool = False,
) -> None:
    """Write those that are asked for; docs/results-json.md describes them.

    Args:
        out: the results themselves, as JSON.
        junit: JUnit XML.
        summary: Markdown is appended to this file, such as that of the variable `GITHUB_STEP_SUMMARY`.
        badge: JSON for shields.io/endpoint.
        parquet: the trials as the study's workflow writes them.
        annotations: print annotations for a CI on GitHub.

    Raises:
        UserError: where a file cannot be written, or pyarrow is missing.
    """
    if out is not None:
        results.save(out)
    if junit is not None:
        from forgeteval.run.formats.junit import junit_xml

        write_text(junit, junit_xml(results))
    if summary is not None:
        from forgeteval.run.formats.markdown import append_summary

        append_summary(results, summary)
    if badge is not None:
        from forgeteval.run.formats.badge import badge_json

        write_text(badge, badge_json(results))
    if parquet is not None:
        from forgeteval.run.formats.parquet import write_trials

        write_trials(results, parquet)
    if annotations:
        from forgeteval.run.formats.annotations import annotation_lines

        for line in annotation_lines(results):
            print(line)
