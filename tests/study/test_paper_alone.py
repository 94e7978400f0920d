"""What is run for the paper's tables and figures alone."""

import os
from pathlib import Path

from lethe.config.model import Config
from lethe.config.reading import checked
from lethe.config.selection import all_configurations, configurations_to_run
from lethe.study.configured import setup_of
from lethe.study.replication.paper_alone import paper_alone
from lethe.study.replication.printed_systems import SYSTEMS
from tests.support.config import shipped
from tests.support.paths import ROOT


def default() -> Config:
    return checked(shipped(), ROOT)


def test_suites_systems_and_benchmarks_of_the_paper_are_left() -> None:
    alone = paper_alone(default())
    assert set(alone.run.suites) == {"template", "adversarial", "published", "published_external"}
    assert alone.run.workloads == ["memora", "factcons", "longmemeval"]
    every = all_configurations(alone)
    systems = {every[name].system for name in alone.run.systems}
    assert systems >= {"lethe", "mem0_paper", "null", "oracle"} and "chroma" not in systems
    assert systems <= {entry.system for entry in SYSTEMS.values()} | {"null", "nuke", "verbatim", "frozen", "oracle"}
    assert list(alone.crosseval.factcons_lengths) == ["6k", "32k"]


def test_no_other_model_is_asked_on_the_papers_cases() -> None:
    alone = paper_alone(default())
    every = all_configurations(alone)
    assert not [name for name in configurations_to_run(alone, "published") if every[name].asks_model]
    assert [name for name in alone.run.systems if every[name].model], "some run on the benchmarks"
    for suite in ("published", "adversarial"):
        assert not [name for name in alone.run.only[suite] if every[name].model]


def test_what_a_configuration_leaves_out_stays_left_out() -> None:
    config = default()
    run = config.run.model_copy(update={"suites": ["published"], "systems": ["lethe", "chroma"], "workloads": []})
    alone = paper_alone(config.model_copy(update={"run": run}))
    assert (alone.run.suites, alone.run.systems, alone.run.workloads) == (["published"], ["lethe"], [])


def test_what_others_recorded_or_handed_in_can_be_left_out() -> None:
    assert setup_of(default()).atlas, "the project has recorded systems"
    alone = setup_of(paper_alone(default()), Path(os.devnull), Path(os.devnull))
    assert (alone.atlas, alone.handed_in) == ({}, [])
