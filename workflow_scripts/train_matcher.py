"""Learn the weights of the matcher's decisions from the written cases that it may be developed on."""

import json
from pathlib import Path

from forgeteval.files import write_text
from lethe.embedding.embedder import FastEmbedder
from lethe.matcher.training.learn import examples, learned
from lethe.matcher.training.material import batches
from lethe.workflow import job

with job(snakemake):
    embedder = FastEmbedder(Path(snakemake.input.embedder).parent, threads=1)
    cases = batches(Path(snakemake.params.suites))
    weights = learned(list(examples(cases, lambda texts: embedder.embed(list(texts)).astype("float64"))))
    for path in map(Path, snakemake.output):
        write_text(path, json.dumps(weights[path.stem], separators=(",", ":")) + "\n")
