"""Write the report for people: the page of all tables, figures and trials, and the page of the replication."""

from pathlib import Path

from forgeteval.files import write_text
from lethe.fingerprints import sha256_of
from lethe.report.build import build_pages
from lethe.study.inputs import Files
from lethe.study.setup import Setup
from lethe.tables.table import read_table
from lethe.trust.versions import read_versions
from lethe.workflow import job

with job(snakemake):
    given, output, params = snakemake.input, snakemake.output, snakemake.params
    tables = {Path(path).stem: read_table(Path(path)) for path in given.tables}
    figures, manifest = [Path(path) for path in given.figures], sha256_of(Path(given.manifest))
    packages = read_versions(Path(given.versions)).environments
    files = Files(Path(output.page).parents[2])
    pages = build_pages(Setup.from_json(params.setup), files, tables, figures, manifest, packages)
    for path, page in zip((output.page, output.replication), pages, strict=True):
        write_text(Path(path), page)
