"""The ceilings of hooks: one for each backend and contract that models are asked on, where states are, nowhere else."""

from typing import Any

from forgeteval.cases.suites import build_suite
from lethe.config.selection import all_configurations, hook_pairs, reasons_not_run
from lethe.study.configured import setup_of
from lethe.study.replication.paper_alone import paper_alone
from tests.support.config import of


def test_each_hooked_backend_has_a_ceiling_by_each_contract(config: dict[str, Any]) -> None:
    entries = all_configurations(of(config)).values()
    hooked = {entry.backend for entry in entries if entry.hook == "llm" and not entry.heavy}
    ceilings = {(entry.backend, entry.hook_contract): entry for entry in entries if entry.is_ceiling}
    assert ceilings.keys() == {(backend, contract) for backend in hooked for contract in ("paper", "rows")}
    assert {entry.regime for entry in ceilings.values()} == {"control"}


def test_a_ceiling_stands_where_states_are(config: dict[str, Any]) -> None:
    checked = of(config)
    ceilings = [name for name, entry in all_configurations(checked).items() if entry.is_ceiling]
    assert ceilings
    for suite, options in checked.suites.items():
        reasons = reasons_not_run(checked, suite)
        if options.folder is None:
            assert all("no states" in reasons[name] for name in ceilings), suite
        else:
            stated = all(case.states is not None for case in build_suite(suite, options.options()))
            assert all(("skip_suites" in reasons.get(name, "")) is not stated for name in ceilings), suite


def test_a_ceiling_is_no_store_no_pair_and_nothing_of_the_paper(config: dict[str, Any]) -> None:
    checked = of(config)
    ceilings = {name for name, entry in all_configurations(checked).items() if entry.is_ceiling}
    assert not ceilings & {name for pair in hook_pairs(all_configurations(checked)) for name in pair}
    assert not ceilings & {*setup_of(checked).controls()}
    assert not ceilings & {*paper_alone(checked).run.systems}
