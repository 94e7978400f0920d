"""The steps of the analysis with the files that they work on: what the rules run, and what the audit repeats."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain

from forgeteval.errors import UserError
from lethe import schemas
from lethe.schemas import Table
from lethe.study.planned import Planned
from lethe.study.setup import Setup
from lethe.study.steps import (
    check_release,
    compare_memora,
    compare_released,
    compare_systems,
    find_near_duplicates,
    pair_twins,
    score_ablation,
    score_agreement,
    score_crosseval,
    score_embedder_ablation,
    score_erasure,
    score_handed_in,
    score_latency,
    score_long,
    score_released_labels,
    score_store_size,
    score_trials,
)

EMBEDDER_TRIALS = "results/embedder_ablation/{embedder}/{system}.parquet"
ABLATION_TRIALS = "results/ablation/{evidence}.parquet"
LATENCY_TRIALS = "results/latency/{system}.parquet"
HANDED_TRIALS = "results/handed_in/{by}/{system}/{suite}.parquet"
STORE_SIZE_TRIALS = "results/store_size/{size}/{system}.parquet"


def plan_trials(setup: Setup, suite: str) -> Planned:
    """The verdicts and scores of a suite."""
    return Planned(
        score_trials.STEP,
        {"cases": _cases(suite), "trials": _trials(setup, suite)},
        {"reference_system": setup.reference, "controls": setup.controls()},
        {"suite": suite},
    )


def plan_handed_in(setup: Setup, by: str, system: str, suite: str) -> Planned:
    """The scores of what somebody handed in."""
    names = {"by": by, "system": system, "suite": suite}
    trials = [HANDED_TRIALS.format(**names)]
    options = {"by": by, "scorer": setup.scorer}
    return Planned(score_handed_in.STEP, {"cases": _cases(suite), "trials": trials}, options, names)


def plan_systems(setup: Setup, suite: str) -> Planned:
    """The comparisons of the configurations of a suite with each other."""
    return Planned(
        compare_systems.STEP,
        {"verdicts": _verdicts(suite)},
        {"controls": setup.controls(), **_bootstrap(setup)},
        {"suite": suite},
    )


def plan_latency(setup: Setup) -> Planned:
    """The time per case; of a configuration with a chat model, that of its run."""
    suite = setup.adversarial_suite
    asking = [name for name in setup.measured() if setup.configurations[name].asks_model and setup.runs(name, suite)]
    alone = [LATENCY_TRIALS.format(system=name) for name in setup.timed()]
    runs = [schemas.TRIALS.path.format(suite=suite, system=name) for name in asking]
    return Planned(score_latency.STEP, {"trials": alone + runs})


def plan_near_duplicates(_: Setup, suite: str) -> Planned:
    """The near-duplicates of a suite."""
    vectors = [schemas.VECTORS.path.format(suite=suite)]
    return Planned(
        find_near_duplicates.STEP, {"cases": _cases(suite), "vectors": vectors}, {"suite": suite}, {"suite": suite}
    )


def plan_twins(setup: Setup, suite: str) -> Planned:
    """A suite of twins beside the cases whose twins they are."""
    return Planned(
        pair_twins.STEP,
        {
            "twins": _cases(suite),
            "trials": _trials(setup, suite),
            "twin_verdicts": _verdicts(suite),
            "case_verdicts": _verdicts(setup.suites[suite].twins_of),
        },
        {"scorer": setup.scorer},
        {"suite": suite},
    )


def plan_long(setup: Setup) -> Planned:
    """The long histories."""
    runs = [schemas.LONG_ANSWERS.path.format(system=name) for name in setup.long.configurations]
    return Planned(score_long.STEP, {"events": [schemas.LONG_EVENTS.path], "answers": runs})


def plan_erasure(setup: Setup) -> Planned:
    """The erasure audit."""
    runs = [
        schemas.ERASURE_RECORDS.path.format(rows=number, system=name)
        for name, stores in setup.erasure.stores.items()
        for number, _ in stores
    ]
    return Planned(score_erasure.STEP, {"records": runs})


def plan_ablation(setup: Setup) -> Planned:
    """The ablation of the matcher."""
    runs = {kind: [ABLATION_TRIALS.format(evidence=kind)] for kind in score_ablation.LEFT_OUT}
    return Planned(score_ablation.STEP, {"cases": _cases(setup.adversarial_suite), **runs})


def plan_embedder_ablation(setup: Setup) -> Planned:
    """The adversarial suite with further embedders."""
    suite, axis = setup.adversarial_suite, setup.embedder_ablation
    used = [schemas.TRIALS.path.format(suite=suite, system=name) for name in axis.configurations]
    runs = {
        embedder: [EMBEDDER_TRIALS.format(embedder=embedder, system=name) for name in axis.configurations]
        for embedder in axis.embedders_to_run()
    }
    return Planned(
        score_embedder_ablation.STEP,
        {"cases": _cases(suite), setup.embedder: used, **runs},
        {"used": setup.embedder},
    )


def plan_store_size(setup: Setup) -> Planned:
    """The passes by store size."""
    axis = setup.store_size
    trials = [STORE_SIZE_TRIALS.format(size=size, system=name) for size in axis.sizes for name in axis.configurations]
    return Planned(score_store_size.STEP, {"trials": trials}, {"suite": axis.suite, "sizes": axis.sizes})


def plan_crosseval(setup: Setup, benchmark: str) -> Planned:
    """The scores of a benchmark of other authors."""
    return Planned(
        score_crosseval.STEP,
        {
            "questions": [schemas.CROSSEVAL_QUESTIONS.path.format(benchmark=benchmark)],
            "answers": _answers(schemas.CROSSEVAL, setup, benchmark),
            "histories": _answers(schemas.CROSSEVAL_HISTORIES, setup, benchmark),
        },
        names={"benchmark": benchmark},
    )


def plan_released(setup: Setup, suite: str) -> Planned:
    """The runs of a suite beside the published ones."""
    released = {suite: name for name, suite in setup.compared_suites().items()}
    oracles = [name for name, entry in setup.configurations.items() if entry.backend == "oracle"]
    return Planned(
        compare_released.STEP,
        {
            "released": [schemas.RELEASED_VERDICTS.path],
            "cases": _cases(suite),
            "verdicts": _verdicts(suite),
            "trials": _trials(setup, suite),
        },
        {
            "suite": suite,
            "released_suite": released[suite],
            "controls": setup.controls(),
            "oracles": oracles,
            **_bootstrap(setup),
        },
        {"suite": suite},
    )


def plan_released_labels(setup: Setup) -> Planned:
    """The agreement of the released labels, and of judges with them."""
    suite = setup.release.suites["adversarial"]
    return Planned(
        score_released_labels.STEP,
        {
            "labels": [schemas.RELEASED_LABELS.path],
            "cases": _cases(suite),
            "judgements": _judgements(setup, suite),
        },
        _bootstrap(setup),
    )


def plan_release(setup: Setup) -> Planned:
    """What the release says twice, on the suites that hold its cases."""
    released = {
        "verdicts": schemas.RELEASED_VERDICTS,
        "origins": schemas.RELEASED_ORIGINS,
        "rejections": schemas.RELEASED_REJECTIONS,
        "summaries": schemas.RELEASED_SUMMARIES,
        "variance": schemas.RELEASED_VARIANCE,
    }
    suites = {name: _cases(suite) for name, suite in setup.compared_suites().items()}
    return Planned(check_release.STEP, {**{name: [table.path] for name, table in released.items()}, **suites})


def plan_agreement(setup: Setup) -> Planned:
    """The agreement of annotators and judges."""
    suite = setup.adversarial_suite
    return Planned(
        score_agreement.STEP,
        {
            "sample": [schemas.ANNOTATION_SAMPLE.path],
            "annotations": [schemas.ANNOTATIONS.path],
            "judgements": _judgements(setup, suite),
        },
        _bootstrap(setup),
    )


def plan_memora(setup: Setup) -> Planned:
    """The answers to Memora's questions beside the published ones."""
    return Planned(
        compare_memora.STEP,
        {
            "released": [schemas.RELEASED_MEMORA.path],
            "questions": [schemas.CROSSEVAL_QUESTIONS.path.format(benchmark="memora")],
            "answers": _answers(schemas.CROSSEVAL, setup, "memora"),
        },
    )


PLANS: Mapping[str, Callable[..., Planned]] = {
    "score_trials": plan_trials,
    "score_handed_in": plan_handed_in,
    "compare_systems": plan_systems,
    "score_latency": plan_latency,
    "find_near_duplicates": plan_near_duplicates,
    "pair_twins": plan_twins,
    "score_long": plan_long,
    "score_erasure": plan_erasure,
    "score_ablation": plan_ablation,
    "score_embedder_ablation": plan_embedder_ablation,
    "score_store_size": plan_store_size,
    "score_crosseval": plan_crosseval,
    "compare_released": plan_released,
    "score_released_labels": plan_released_labels,
    "check_release": plan_release,
    "score_agreement": plan_agreement,
    "compare_memora": plan_memora,
}
"""What plans each step, by the name of its module; called with the record of the study and what names its outputs."""


def every_step(setup: Setup) -> Iterator[Planned]:
    """Every step that can run with this record, whether or not a table needs it."""
    yield from _steps_of_suites(setup)
    for benchmark, options in setup.benchmarks.items():
        if options.runs:
            yield plan_crosseval(setup, benchmark)
    if setup.matcher_runs:
        yield plan_ablation(setup)
    if setup.long.configurations:
        yield plan_long(setup)
    if setup.erasure.stores:
        yield plan_erasure(setup)
    if setup.store_size.enabled:
        yield plan_store_size(setup)
    if setup.labelled_suite:
        yield plan_released_labels(setup)
        yield plan_release(setup)
    if setup.memora_is_compared():
        yield plan_memora(setup)
    yield plan_latency(setup)
    yield plan_embedder_ablation(setup)
    yield plan_agreement(setup)


def _steps_of_suites(setup: Setup) -> Iterator[Planned]:
    for suite in setup.suites:
        yield plan_trials(setup, suite)
        yield plan_systems(setup, suite)
        yield plan_near_duplicates(setup, suite)
    for suite in setup.twins():
        yield plan_twins(setup, suite)
    for suite in setup.compared_suites().values():
        yield plan_released(setup, suite)
    for by, name, suite in setup.handed_in_runs():
        yield plan_handed_in(setup, by, name, suite)


def results_behind(setup: Setup, paths: Iterable[str]) -> list[str]:
    """The files of `paths`, with those of the steps that they follow from, sorted."""
    steps = [{*planned.outputs, *chain(*planned.inputs.values())} for planned in every_step(setup)]
    outputs = [planned.outputs.keys() for planned in every_step(setup)]
    found, before = set(paths), set[str]()
    while found != before:
        before = set(found)
        found.update(*(files for files, made in zip(steps, outputs, strict=True) if made & before))
    return sorted(found)


def _cases(suite: str) -> list[str]:
    return [schemas.CASES.path.format(suite=suite)]


def _verdicts(suite: str) -> list[str]:
    return [schemas.VERDICTS.path.format(suite=suite)]


def _trials(setup: Setup, suite: str) -> list[str]:
    if suite not in setup.suites:
        raise UserError(f"the suite {suite} is not run; name it in run.suites")
    names = [name for name in setup.configurations if setup.runs(name, suite)]
    return [schemas.TRIALS.path.format(suite=suite, system=name) for name in names]


def _judgements(setup: Setup, suite: str) -> list[str]:
    return [schemas.JUDGEMENTS.path.format(suite=suite, model=name) for name in setup.judging(suite)]


def _answers(table: Table, setup: Setup, benchmark: str) -> list[str]:
    not_run = setup.benchmarks[benchmark].not_run
    names = [name for name in setup.configurations if name not in not_run]
    return [table.path.format(benchmark=benchmark, system=name) for name in names]


def _bootstrap(setup: Setup) -> dict[str, int]:
    return {"resamples": setup.resamples, "seed": setup.seed}
