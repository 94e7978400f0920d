"""Write every table, and the recipe that lets the audit rebuild them."""

from pathlib import Path

from lethe.study.setup import Setup
from lethe.tables.writing import write_tables
from lethe.trust.recipe import write_recipe
from lethe.workflow import job

with job(snakemake):
    setup, root = Setup.from_json(snakemake.params.setup), Path(snakemake.output.recipe).parents[1]
    write_tables(setup, root, snakemake.params.room)
    write_recipe(root, setup, snakemake.params.room)
