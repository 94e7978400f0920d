# Cases and histories: generated, written, imported, of other authors, handed in; each as Parquet.
from forgeteval.cases.erasure.generate import FILE as ERASURE_MATERIAL
from forgeteval.cases.long.material import FILE as LONG_MATERIAL
from lethe.config.configurations import ATLAS
from lethe.config.model import HANDED_IN
from lethe.config.atlas import RECORD_FILE, long_fingerprint
from lethe.config.model import RELEASED_SUITES
from lethe.crosseval.datasets import data_stamp
from lethe.crosseval.selection import BENCHMARKS, data_path, reading_options
from lethe.study.released.reading import CASES_SHA256, READERS

CROSSEVAL_DATA = "results/crosseval_data/{benchmark}"
RELEASE = CONFIG.released


wildcard_constraints:
    benchmark="|".join(BENCHMARKS),
    by="[^/]+",


rule build_suite:
    input:
        source=lambda wildcards: [*map(here, CONFIG.suites[wildcards.suite].files())],
    output:
        cases=out("results/suites/{suite}/cases.parquet"),
    log:
        out("results/logs/suites/{suite}.log"),
    priority: EMBEDDING_FIRST
    params:
        options=lambda wildcards: CONFIG.suites[wildcards.suite].deciding(),
        contents=lambda wildcards: CONFIG.suites[wildcards.suite].contents(),
        fingerprint=script_fingerprint("build_suite.py"),
    script:
        "../workflow_scripts/build_suite.py"


rule build_long:
    input:
        material=here(f"suites/long/{LONG_MATERIAL}"),
    output:
        events=out(schemas.LONG_EVENTS.path),
    log:
        out("results/logs/long/build.log"),
    priority: EMBEDDING_FIRST
    params:
        rows="lethe.stored.histories:long_rows",
        options=dict(
            folder="suites/long",
            seed=CONFIG.seed,
            histories=CONFIG.long.histories,
            ks=CONFIG.long.k,
        ),
        fingerprint=script_fingerprint("write_rows.py", "lethe.stored.histories"),
    script:
        "../workflow_scripts/write_rows.py"


rule build_erasure:
    input:
        material=here(f"suites/erasure/{ERASURE_MATERIAL}"),
    output:
        cases=out(schemas.ERASURE_CASES.path),
    log:
        out("results/logs/erasure/build.log"),
    params:
        rows="lethe.stored.erasure:erasure_rows",
        options=dict(
            folder="suites/erasure", seed=CONFIG.seed, cases=SETUP.erasure.cases
        ),
        fingerprint=script_fingerprint("write_rows.py", "lethe.stored.erasure"),
    script:
        "../workflow_scripts/write_rows.py"


rule read_dataset:
    output:
        operations=out(f"{CROSSEVAL_DATA}/operations.parquet"),
        questions=out(f"{CROSSEVAL_DATA}/questions.parquet"),
        sizes=out(schemas.CROSSEVAL_SIZES.path),
    log:
        out("results/logs/crosseval/{benchmark}/read.log"),
    priority: EMBEDDING_FIRST
    params:
        rows="lethe.crosseval.datasets:dataset_rows",
        options=lambda wildcards: dict(
            benchmark=wildcards.benchmark,
            options=reading_options(CONFIG, wildcards.benchmark),
        ),
        stamp=lambda wildcards: data_stamp(data_path(CONFIG, wildcards.benchmark)),
        fingerprint=lambda wildcards: script_fingerprint(
            "write_rows.py",
            "lethe.crosseval.datasets",
            f"lethe.crosseval.{wildcards.benchmark}",
        ),
    script:
        "../workflow_scripts/write_rows.py"


# What the authors released: their verdicts, answers and labels.
rule read_release:
    input:
        **{name: here(RELEASE / file) for name, (file, _, _) in READERS.items()},
    output:
        **{name: out(table.path) for name, (_, table, _) in READERS.items()},
    log:
        out("results/logs/released/read.log"),
    params:
        rows="lethe.study.released.reading:released_rows",
        options=dict(
            folder=str(RELEASE),
            pinned=CONFIG.suites[RELEASED_SUITES["adversarial"]].sha256
            == CASES_SHA256,
        ),
        fingerprint=script_fingerprint("write_rows.py", "lethe.study.released.reading"),
    script:
        "../workflow_scripts/write_rows.py"


# What others handed in (`forgeteval admit`), taken up from its folder.
rule take_up_handed_in:
    input:
        record=here(f"{HANDED_IN}/{{by}}/{{system}}/submission.json"),
        trials=here(f"{HANDED_IN}/{{by}}/{{system}}/trials/{{suite}}.parquet"),
        cases=rules.build_suite.output.cases,
    output:
        trials=out(paths.HANDED_TRIALS),
    log:
        out("results/logs/handed_in/{by}/{system}/{suite}.log"),
    params:
        fingerprint=script_fingerprint("take_up_handed_in.py"),
    script:
        "../workflow_scripts/take_up_handed_in.py"


# What is recorded of the systems of the atlas (`forgeteval atlas run`).
rule take_up_atlas:
    input:
        recorded=[
            here(file)
            for name, found in SETUP.atlas.items()
            if found.day
            for file in sorted((Path(ATLAS) / name).glob("*.parquet"))
        ],
        records=[
            here(Path(ATLAS) / name / RECORD_FILE)
            for name, found in SETUP.atlas.items()
            if found.day
        ],
        cases=[cases_of(suite) for suite in SETUP.atlas_suites()],
    output:
        trials=out(paths.ATLAS_TRIALS),
        answers=out(paths.ATLAS_LONG),
        records=out(paths.ATLAS_RECORDS),
    log:
        out("results/logs/atlas.log"),
    params:
        atlas=ATLAS,
        suites=SETUP.atlas_suites(),
        long=long_fingerprint(CONFIG),
        seed=CONFIG.seed,
        k=CONFIG.run.k,
        fingerprint=script_fingerprint("take_up_atlas.py"),
    script:
        "../workflow_scripts/take_up_atlas.py"
