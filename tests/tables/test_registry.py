"""The registry: which tables and figures there are, what they read, and that each is built from that alone."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from lethe.analysis.inputs import PUBLISHED, Inputs
from lethe.analysis.setup import Benchmark, EmptySuite, Setup, StoreSize, Suite
from lethe.errors import LetheError
from lethe.schemas import ABLATION, CROSSEVAL_SCORES, SCORES, STORE_SIZE
from lethe.tables.registry import all_inputs, build_table, figure_specs, table_specs
from lethe.tables.writing import TABLE_FORMS, draw_figures, write_tables
from tests.support.tables import configuration, setup, write_inputs

ENTRIES = {
    "lethe": configuration("Lethe"),
    "lethe+matcher": configuration("Lethe+matcher", "matcher", hook="matcher"),
    "lethe+llm@m": configuration("Lethe+LLM", "mutation hook", system="lethe+llm", model="m", hook="llm"),
    "oracle": configuration("oracle", "control"),
}
SETUP = setup(
    ENTRIES,
    suites={name: Suite(name.capitalize(), {}) for name in ("small", "mine", "own")},
    empty_suites={"external": EmptySuite("External", "no cases yet")},
    template_suite="small",
    judges={"j": "J"},
    models={"m": "M"},
    hook_pairs=[["lethe", "lethe+matcher"], ["lethe", "lethe+llm@m"]],
    benchmarks={name: Benchmark(True, None, {}) for name in ("memora", "factcons", "longmemeval")},
    store_size=StoreSize(True, "Mine", ["lethe"], 10),
)


@pytest.fixture
def inputs(tmp_path: Path) -> Inputs:
    """Inputs of which every file is there and holds nothing."""
    write_inputs(tmp_path, all_inputs([*table_specs(SETUP), *figure_specs(SETUP)]))
    return Inputs(SETUP, tmp_path)


def inputs_of(record: Setup, name: str) -> list[str]:
    (found,) = [spec.inputs for spec in table_specs(record) if spec.name == name]
    return list(found)


def test_suites_that_are_not_of_the_paper_have_tables_of_their_own() -> None:
    names = [spec.name for spec in table_specs(SETUP)]
    assert len(names) == len(set(names))
    assert [name for name in names if name.startswith(("suite_", "adversarial"))] == [
        "adversarial",
        "suite_own",
        "suite_external",
        "adversarial_extended",
        "suite_own_extended",
    ]
    assert inputs_of(SETUP, "controls") == [SCORES.path.format(suite=name) for name in ("small", "mine", "own")]
    assert inputs_of(SETUP, "suite_external") == []


def test_what_is_not_run_is_not_read() -> None:
    assert ABLATION.path in inputs_of(SETUP, "matcher_ablation")
    assert inputs_of(setup(), "matcher_ablation") == []
    assert inputs_of(setup(), "memora") == [PUBLISHED]
    assert CROSSEVAL_SCORES.path.format(benchmark="memora") in inputs_of(SETUP, "memora")
    assert "external" not in "".join(inputs_of(SETUP, "external_primary"))
    assert STORE_SIZE.path not in all_inputs(figure_specs(setup()))


def test_every_table_is_built_from_its_inputs_alone_and_a_cell_stands_in_every_column(inputs: Inputs) -> None:
    for spec in table_specs(SETUP):
        table = build_table(spec, inputs)
        assert table.name == spec.name
        assert {len(row) for row in table.rows()} <= {len(table.header)}, spec.name


def test_an_input_that_is_not_declared_is_not_read(inputs: Inputs) -> None:
    spec = next(spec for spec in table_specs(SETUP) if spec.name == "template")
    with pytest.raises(LetheError, match=r"small\.parquet: read, but not declared"):
        build_table(replace(spec, inputs=[]), inputs)


def test_every_form_of_every_table_is_written(inputs: Inputs) -> None:
    write_tables(inputs)
    written = {path.relative_to(inputs.root).as_posix() for path in inputs.root.rglob("*") if path.is_file()}
    forms = {form.format(name=spec.name) for spec in table_specs(SETUP) for form in TABLE_FORMS.values()}
    assert forms <= written


def test_an_error_names_its_table(inputs: Inputs) -> None:
    (inputs.root / ABLATION.path).unlink()
    with pytest.raises(LetheError, match=r"^table matcher_ablation: .*ablation\.parquet: cannot be read"):
        write_tables(inputs)


def test_an_error_names_its_figure(inputs: Inputs) -> None:
    (inputs.root / SCORES.path.format(suite="mine")).unlink()
    with pytest.raises(LetheError, match=r"^figure heatmap: "):
        draw_figures(inputs)


def test_the_registry_imports_nothing_slow() -> None:
    """Snakemake imports it in every process that reads the rules."""
    slow = ("scipy", "statsmodels", "matplotlib", "jinja2", "pandas", "krippendorff")
    command = f"import sys, lethe.tables.registry; sys.exit(' '.join(set({slow}) & set(sys.modules)) or 0)"
    done = subprocess.run([sys.executable, "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
