"""Write one of the tables that compare systems: paired tests, latency, label partition, embedders."""

from pathlib import Path

from lethe.analysis.published import read_published
from lethe.analysis.results import SuiteResults
from lethe.parquet import read_rows
from lethe.schemas import LABEL_PARTITION, LATENCY, PAIRED
from lethe.tables.embedder_ablation import embedder_ablation_table
from lethe.tables.label_partition import label_partition_table
from lethe.tables.latency import latency_table
from lethe.tables.paired_tests import paired_tests_table
from lethe.workflow import job

with job(snakemake):
    params, labels, suite = snakemake.params, snakemake.params.labels, snakemake.params.suite
    published = read_published(Path(snakemake.input.published))
    paths = [Path(path) for path in snakemake.input.results]
    systems, label = labels["systems"], labels["suites"][suite]
    match snakemake.wildcards.comparison:
        case "paired_tests":
            pairs = read_rows(paths[0], PAIRED)
            table = paired_tests_table(pairs, systems, params.reference, label, labels["scorer"], published)
        case "latency":
            rows = [row for path in paths for row in read_rows(path, LATENCY)]
            suites = {name: labels["suites"][name] for name in params.suites}
            table = latency_table(rows, systems, suites, suite, published)
        case "label_partition":
            rows = read_rows(paths[0], LABEL_PARTITION)
            table = label_partition_table(rows, systems, labels["reference"], label, published)
        case "embedder_ablation":
            results = SuiteResults.read(paths[0], suite, labels)
            table = embedder_ablation_table(results, params.embedder, params.embedding_rows, published)
    table.write(Path(snakemake.output.latex), Path(snakemake.output.csv))
