# Each distinct text of a suite, embedded once; what a suite shares with the one that it revises, or is a sample of, is not
# embedded again. The clauses that the matcher takes texts apart into are embedded for all of its configurations together.
from lethe.config.selection import related_suite

# The texts of a benchmark, or of the long histories, are embedded by as many jobs; with one they would be the longest way
# through the workflow.
VECTOR_PARTS = 4


def related_vectors(wildcards):
    suite = related_suite(CONFIG, wildcards.suite)
    return out(f"results/embeddings/{suite}.parquet") if suite else []


rule embed_suite:
    input:
        known=related_vectors,
        cases=rules.build_suite.output.cases,
        embedder=rules.prepare_embedder.output.description,
    output:
        vectors=out("results/embeddings/{suite}.parquet"),
    log:
        out("results/logs/embeddings/{suite}.log"),
    priority: EMBEDDING_FIRST
    params:
        fingerprint=script_fingerprint("embed_suite.py"),
    script:
        "../workflow_scripts/embed_suite.py"


def texts_with_clauses(wildcards):
    kind, _, name = wildcards.material.partition("/")
    if kind == "suites":
        return vectors_of(name)
    if kind == "crosseval":
        return expand(VECTORS_OF_PART, part=range(VECTOR_PARTS), benchmark=name)
    return VECTORS_OF_LONG


def clauses_for(system, material):
    """Vectors of the clauses of `material` (suites/NAME, crosseval/NAME, long) where the system asks the matcher."""
    is_asked = CONFIGURATIONS[system].hook == "matcher"
    return out(f"results/matcher/clauses/{material}.parquet") if is_asked else []


rule embed_clauses:
    input:
        vectors=texts_with_clauses,
        embedder=rules.prepare_embedder.output.description,
    output:
        clauses=out("results/matcher/clauses/{material}.parquet"),
    log:
        out("results/logs/matcher/clauses/{material}.log"),
    wildcard_constraints:
        material="suites/[^/]+|crosseval/[^/]+|long",
    priority: EMBEDDING_FIRST
    params:
        fingerprint=script_fingerprint("embed_clauses.py"),
    script:
        "../workflow_scripts/embed_clauses.py"
