"""Generate the cases of the erasure audit from their written sentences."""

from pathlib import Path

from forgeteval.cases.erasure.generate import case_rows, generate_cases, read_material
from lethe.parquet import write_rows
from lethe.schemas import ERASURE_CASES
from lethe.workflow import job

with job(snakemake):
    params = snakemake.params
    material = read_material(Path(snakemake.input.material).parent)
    rows = case_rows(generate_cases(material, params.seed, params.cases))
    write_rows(Path(snakemake.output.cases), ERASURE_CASES, rows, params.fingerprint)
