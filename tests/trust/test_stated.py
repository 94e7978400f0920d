"""Each field of a run's record is held against its configuration; reasons of what did not run, where they can hold."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, replace
from typing import Any

import pytest

from forgeteval.errors import UserError
from lethe.config.configurations import Configuration
from lethe.config.model import Config
from lethe.config.submission import Admission, Submission
from lethe.study.configured import setup_of
from lethe.study.handed_in import HandedIn, handed_in_of
from lethe.study.setup import EmptySuite, Release, Setup
from lethe.trust.record import Audit
from lethe.trust.stated import check_stated
from tests.support.config import of, shipped
from tests.support.paths import ROOT

HANDED = HandedIn("Ana", "mem0", "mem0", "", "Mem0", 1, False, 300, 300, ["adversarial"], {})
OTHER = HandedIn("Ben", "shelf", "shelf", "", "Ben's shelf", 1, True, 0, 0, ["adversarial"], {})


@pytest.fixture(scope="module")
def config() -> Config:
    return of(shipped())


@pytest.fixture(scope="module")
def setup(config: Config) -> Iterator[Setup]:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        yield setup_of(config)


def findings(setup: Setup, config: Config) -> list[str]:
    return list(check_stated(setup, config, Audit("")))


def changed(values: Mapping[str, Any], name: str, **fields_of_it: Any) -> dict[str, Any]:
    return {**values, name: replace(values[name], **fields_of_it)}


def without(values: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {other: value for other, value in values.items() if other != name}


def also_not_run(setup: Setup, **reasons: str) -> dict[str, Any]:
    return changed(setup.suites, "adversarial", not_run={**setup.suites["adversarial"].not_run, **reasons})


FORGED: Mapping[str, list[Callable[[Setup], Any]]] = {
    "configurations": [lambda it: changed(it.configurations, "mem0", label="Naive SQL")],
    "suites": [
        lambda it: changed(it.suites, "template", withdrawn=300),
        lambda it: changed(it.suites, "template", version=7),
        lambda it: changed(it.suites, "held_out", seen_by=["x"]),
        lambda it: changed(it.suites, "adversarial", not_run={**it.suites["adversarial"].not_run, "mem0": ""}),
        lambda it: changed(
            it.suites, "adversarial", not_run={**it.suites["adversarial"].not_run, "mem0": "not run: x"}
        ),
        lambda it: changed(it.suites, "adversarial", not_run={**it.suites["adversarial"].not_run, "nobody": "not run"}),
        lambda it: without(it.suites, "held_out"),
    ],
    "suite_labels": [lambda it: {**it.suite_labels, "template": "Adversarial"}],
    "empty_suites": [lambda it: {**it.empty_suites, "nothing": EmptySuite("Nothing", "not run")}],
    "template_suite": [lambda it: "adversarial"],
    "adversarial_suite": [lambda it: "held_out"],
    "held_out_suite": [lambda it: "adversarial"],
    "scorer": [lambda it: "probed"],
    "reference": [lambda it: "mem0"],
    "judges": [
        lambda it: changed(it.judges, next(iter(it.judges)), recorded=not next(iter(it.judges.values())).recorded),
        lambda it: changed(it.judges, next(iter(it.judges)), not_run={"adversarial": "not run: it was late"}),
        lambda it: {},
    ],
    "no_judge": [lambda it: "none"],
    "models": [lambda it: dict.fromkeys(it.models, "GPT")],
    "families": [lambda it: dict.fromkeys(it.families, "gpt")],
    "parameters": [lambda it: dict.fromkeys(it.parameters, 1)],
    "benchmarks": [
        lambda it: changed(it.benchmarks, "memora", only={"naive_sql": ["sales_manager"]}),
        lambda it: changed(it.benchmarks, "factcons", only={"lethe": ["6k"]}),
        lambda it: changed(it.benchmarks, "memora", runs=False, absent="not run: no time"),
        lambda it: changed(it.benchmarks, "memora", not_run={**it.benchmarks["memora"].not_run, "lethe": "not run: x"}),
        lambda it: without(it.benchmarks, "locomo"),
    ],
    "reading": [lambda it: "another"],
    "hook_pairs": [lambda it: it.hook_pairs[1:], lambda it: [pair[::-1] for pair in it.hook_pairs]],
    "release": [
        lambda it: Release("not run: lost", it.release.suites),
        lambda it: replace(it.release, suites={**it.release.suites, "adversarial": "template"}),
    ],
    "latency": [lambda it: replace(it.latency, repetitions=99)],
    "store_size": [
        lambda it: replace(it.store_size, configurations=["lethe"]),
    ],
    "embedder": [lambda it: "another"],
    "embedder_ablation": [
        lambda it: replace(it.embedder_ablation, configurations=it.embedder_ablation.configurations[1:]),
        lambda it: replace(it.embedder_ablation, embedders={}),
    ],
    "resamples": [lambda it: 7],
    "k": [lambda it: 7],
    "seed": [lambda it: 7],
    "repetitions": [lambda it: {**it.repetitions, "": 9}],
    "long": [
        lambda it: replace(it.long, configurations=it.long.configurations[1:]),
        lambda it: replace(it.long, ks=[1]),
        lambda it: replace(
            it.long, configurations=it.long.configurations[1:], not_run={it.long.configurations[0]: "not run: x"}
        ),
    ],
    "erasure": [
        lambda it: replace(it.erasure, capped={"lethe": 3}),
        lambda it: replace(it.erasure, stores=without(it.erasure.stores, "lethe")),
    ],
    "told": [lambda it: ["lethe"]],
    "handed_in": [
        lambda it: [replace(HANDED, same=301)],
        lambda it: [replace(HANDED, label="Lethe")],
        lambda it: [replace(HANDED, gateway="chat")],
        lambda it: [replace(HANDED, by="../Ana")],
        lambda it: [replace(HANDED, name="lethe")],
        lambda it: [replace(OTHER, own_adapter=False)],
        lambda it: [replace(HANDED, own_adapter=True, rerun=0, same=0)],
        lambda it: [replace(OTHER, rerun=300, same=300)],
        lambda it: [replace(OTHER, label="Lethe")],
        lambda it: [replace(OTHER, label="L\u0435the")],
        lambda it: [replace(OTHER, label="Leth\u0435 ")],
        lambda it: [replace(OTHER, label="\u039b\u03b5\u03b8\u03b7 Mem\u043e")],
        lambda it: [replace(OTHER, label=" Naive  SQL")],
        lambda it: [replace(OTHER, label="NaIve SQL")],
        lambda it: [replace(OTHER, label="=HYPERLINK(A1)")],
        lambda it: [replace(OTHER, label="<b>Ben's shelf</b>")],
        lambda it: [replace(OTHER, label="x" * 61)],
        lambda it: [replace(OTHER, label="\u3164")],
        lambda it: [replace(OTHER, label="a\x1b[2J")],
        lambda it: [replace(OTHER, by="")],
        lambda it: [replace(OTHER, by="Ben & Co")],
        lambda it: [replace(OTHER, name="../shelf", system="../shelf")],
        lambda it: [replace(OTHER, name="shelf@gpt")],
        lambda it: [replace(OTHER, label=next(iter(it.atlas["agno"].labels.values())))],
        lambda it: [replace(OTHER, name="agno", system="agno")],
    ],
    "atlas": [
        lambda it: {**it.atlas, "agno": it.atlas["areev"], "areev": it.atlas["agno"]},
        lambda it: without(it.atlas, "agno"),
        lambda it: changed(it.atlas, "agno", reviewed=not it.atlas["agno"].reviewed),
        lambda it: changed(it.atlas, "agno", skipped={"agno": ["told", "erasure", "long"]}),
        lambda it: {**it.atlas, "best": replace(it.atlas["agno"], labels={"best": "Lethe"})},
        lambda it: {**it.atlas, "best": replace(it.atlas["agno"], labels={"best": "L\u0435the"})},
        lambda it: {**it.atlas, "best": replace(it.atlas["agno"], labels={"agno": "Best"})},
    ],
    "caveats": [lambda it: {}],
    "recorded": [lambda it: []],
}


def test_what_a_run_records_is_what_its_configuration_gives(setup: Setup, config: Config) -> None:
    audit = Audit("")
    assert list(check_stated(replace(setup, handed_in=[HANDED, OTHER]), config, audit)) == []
    assert audit.taken == [
        "mem0, handed in by Ana: 300 trials run again, 300 with the same verdict",
        "shelf, handed in by Ben: 0 trials run again, 0 with the same verdict",
    ]


def test_what_is_not_shown_and_whose_atlas_it_is_are_named_as_handed_on(setup: Setup, config: Config) -> None:
    audit = Audit("")
    hidden = replace(OTHER, suites=[], not_shown={"adversarial": "it was late"})
    further = {**setup.atlas, "best": replace(setup.atlas["agno"], labels={"best": "Best"})}
    assert list(check_stated(replace(setup, handed_in=[hidden], atlas=further), config, audit)) == []
    assert "shelf, handed in by Ben: not shown on adversarial: it was late" in audit.taken
    assert "the atlas: best, which is not of this project, with its records, as handed on" in audit.taken


def test_no_field_of_the_record_is_left_out() -> None:
    assert FORGED.keys() == {field.name for field in fields(Setup)}


@pytest.mark.parametrize(
    ("name", "number"), [(name, number) for name, forms in FORGED.items() for number in range(len(forms))]
)
def test_a_field_that_was_forged_is_found(setup: Setup, config: Config, name: str, number: int) -> None:
    forged = replace(setup, **{name: FORGED[name][number](setup)})
    assert forged != setup
    assert findings(forged, config)


def test_what_a_machine_lacks_is_believed_of_what_needs_it(setup: Setup, config: Config) -> None:
    lacks = "not run: needs the extra matcher (make env-all)"
    matched = {name: lacks for name, entry in setup.configurations.items() if entry.hook == "matcher"}
    assert matched
    suites = {name: replace(suite, not_run={**suite.not_run, **matched}) for name, suite in setup.suites.items()}
    found = findings(replace(setup, suites=suites), config)
    assert all("no machine gives" not in line for line in found)
    found = findings(replace(setup, suites=also_not_run(setup, mem0=lacks)), config)
    assert any("no machine gives" in line and "mem0" in line for line in found)


def test_data_that_another_machine_lacks_are_missing_in_another_place(setup: Setup, config: Config) -> None:
    assert setup.release.absent is not None and setup.empty_suites

    def moved(reason: str) -> str:
        return reason.replace("no data at no-data/", "no data at /home/ana/../shared/")

    empty = {name: replace(suite, reason=moved(suite.reason)) for name, suite in setup.empty_suites.items()}
    release = replace(setup.release, absent=moved(setup.release.absent))
    assert release != setup.release and empty != setup.empty_suites
    assert findings(replace(setup, release=release, empty_suites=empty), config) == []


@pytest.mark.parametrize(
    ("entry", "own_adapter", "said"),
    [
        (Configuration("shelf", "Ben's shelf"), False, "has no system of this name"),
        (Configuration("shelf", "Lethe"), True, "label: 'Lethe' is that of lethe here"),
        (Configuration("shelf", "Agno"), True, "label: 'Agno' is that of agno here"),
    ],
)
def test_what_was_admitted_under_another_configuration_stops_the_run_at_once(
    config: Config, entry: Configuration, own_adapter: bool, said: str
) -> None:
    submission = Submission(1, "Ben", entry, config.run.k, 1, {}, "", [], {}, {})
    with pytest.raises(UserError, match=f"handed_in/Ben/shelf: .*{said}.*admit its bundle again"):
        handed_in_of(submission, Admission(own_adapter), config, {"agno": "Agno"})
