"""The registry: which tables and figures there are, what they read, and that each is built from that alone."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from forgeteval.errors import UserError
from forgeteval.run.trials import Trial
from lethe.parquet import write_rows
from lethe.schemas import ABLATION, CROSSEVAL_SCORES, LLM_RUNS, SCORES, STORE_SIZE
from lethe.study import inputs
from lethe.study.configured import setup_of
from lethe.study.inputs import PUBLISHED_FILE, Files, paths_of
from lethe.study.llm_runs import llm_run_rows
from lethe.study.remarks import Broken, remarks_of
from lethe.study.setup import Benchmark, EmptySuite, Setup, StoreSize, Suite
from lethe.tables.registry import all_paths, build, build_table, figure_specs, table, table_specs
from lethe.tables.table import Table
from lethe.tables.writing import RENDERERS, documents, draw_figures, forms, write_tables
from tests.support.config import FILES, load, of, put
from tests.support.tables import configuration, judges, setup, write_inputs

ENTRIES = {
    "lethe": configuration("Lethe"),
    "lethe+matcher": configuration("Lethe+matcher", "matcher", hook="matcher"),
    "lethe+llm@m": configuration("Lethe+LLM", "mutation hook", system="lethe+llm", model="m", hook="llm"),
    "oracle": configuration("oracle", "control"),
}
SETUP = setup(
    ENTRIES,
    suites={name: Suite(name.capitalize(), {}) for name in ("small", "mine", "own")},
    empty_suites={"published_external": EmptySuite("External", "no cases yet")},
    template_suite="small",
    judges=judges(j="J"),
    models={"m": "M"},
    families={"m": "f"},
    hook_pairs=[["lethe", "lethe+matcher"], ["lethe", "lethe+llm@m"]],
    benchmarks={name: Benchmark(True, None, {}) for name in ("memora", "factcons", "longmemeval", "locomo")},
    store_size=StoreSize(True, "Mine", ["lethe"], "mine", [0, 100], 5),
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """An output folder in which every file is there and holds nothing."""
    write_inputs(tmp_path, all_paths([*table_specs(SETUP), *figure_specs(SETUP)]))
    return tmp_path


def paths(record: Setup, name: str) -> list[str]:
    (found,) = [spec.inputs for spec in table_specs(record) if spec.name == name]
    return list(paths_of(found))


def test_further_suites_stand_in_one_table() -> None:
    names = [spec.name for spec in table_specs(SETUP)]
    assert len(names) == len(set(names))
    assert paths(SETUP, "controls") == [SCORES.path.format(suite=name) for name in ("small", "mine", "own")]
    for name in ("suites_by_category", "suites_by_own_category"):
        assert paths(SETUP, name) == [SCORES.path.format(suite="own")]


def test_a_table_without_its_suite_says_so_and_a_figure_is_not_drawn(root: Path) -> None:
    without = replace(SETUP, suites={"own": SETUP.suites["own"]})
    tables = {spec.name: build(spec, Files(root)) for spec in table_specs(without) if not spec.inputs}
    assert [cell.text for cell in next(tables["own_adversarial"].rows())] == ["not run: left out by run.suites"]
    assert "heatmap_all" in {spec.name for spec in figure_specs(SETUP)} - {spec.name for spec in figure_specs(without)}


def test_two_builders_cannot_have_one_name() -> None:
    with pytest.raises(ValueError, match="registered as own_adversarial"):
        table("own_adversarial", inputs=())(lambda: Table("own_adversarial", "", ("",), [[]]))


def test_what_is_not_run_is_not_read() -> None:
    assert ABLATION.path in paths(SETUP, "matcher_ablation")
    assert paths(setup(), "matcher_ablation") == []
    assert paths(setup(), "memora_systems") == [PUBLISHED_FILE]
    assert CROSSEVAL_SCORES.path.format(benchmark="memora") in paths(SETUP, "memora_systems")
    assert STORE_SIZE.path not in all_paths(figure_specs(setup()))


def test_every_table_is_built_and_a_cell_stands_in_every_column(root: Path) -> None:
    files = Files(root)
    for spec in table_specs(SETUP):
        built = build(spec, files)
        assert built.name == spec.name
        assert {len(row) for row in built.rows()} <= {len(built.header)}, spec.name


def test_every_table_that_shows_what_broke_too_often_says_so(root: Path) -> None:
    broken = Broken("mine", "lethe", "Lethe", 3, 20)
    files = Files(root)
    showing = 0
    for spec in table_specs(SETUP):
        built = build(spec, files)
        texts = {*built.header, *built.groups, *(cell.text for row in built.rows() for cell in row)}
        reads = any("mine" in Path(path).with_suffix("").parts for path in paths_of(spec.inputs))
        wanted = "Lethe" in texts and reads
        showing += wanted
        assert (str(broken) in build_table(spec, files, [broken]).notes) is wanted, spec.name
    assert showing > 1


def test_tables_say_of_how_many_memories_a_recall_was_where_it_is_not_the_papers(root: Path) -> None:
    files, specs = Files(root), table_specs(SETUP)
    assert not any("run.k" in str(each) for each in remarks_of(SETUP, files, []))
    remarks = remarks_of(replace(SETUP, k=3), files, [])
    line = "Each recall here gave at most 3 memories (run.k); the paper's gave 10."
    noted = {spec.name: build_table(spec, files, remarks).notes.count(line) for spec in specs}
    assert noted["ecosystem"] == noted["memora_systems"] == 1 and max(noted.values()) == 1
    assert noted["long"] == 0


@pytest.mark.parametrize(("fell_back", "said"), [(2, True), (1, False), (0, False)])
def test_a_column_in_which_every_decision_fell_back_is_marked(root: Path, fell_back: int, said: bool) -> None:
    trials = [
        {
            **Trial("mine", "lethe+llm", "m", 0, f"c{n}", "pass").to_row(),
            "decisions": ["purge: "],
            "llm_fallbacks": fell,
        }
        for n, fell in enumerate([1] * fell_back + [0] * (2 - fell_back))
    ]
    path = LLM_RUNS.path.format(suite="mine")
    write_rows(root / path, LLM_RUNS, llm_run_rows(trials), "test")
    line = (
        "Lethe+LLM on mine: all 2 decisions of its model fell back to the store's own policy; its numbers are the "
        "store's alone, no result of the model."
    )
    specs = table_specs(SETUP)
    write_tables(SETUP, root)
    noted = {spec.name for spec in specs if line in (root / forms(spec)["json"]).read_text(encoding="utf-8")}
    assert ("ecosystem" in noted) is said and bool(noted) is said


def test_people_read_words_and_no_machine_names(root: Path) -> None:
    """Identifiers of cases and runs, and what was recalled, stand as they are; so do keys of the configuration."""
    files = Files(root)
    for spec in table_specs(SETUP):
        built = build(spec, files)
        shown = [built.caption, *built.header, *built.groups]
        shown += [
            cell.text
            for row in built.rows()
            for place, cell in enumerate(row)
            if built.kind(place) != "id" and cell.state != "not run"
        ]
        assert [text for text in shown if "_" in text] == [], spec.name
        latex = RENDERERS["latex"](built)
        assert not any(command in latex for command in ("\\resizebox", "\\tiny")), spec.name


def test_a_path_that_leaves_the_folder_is_not_read(root: Path) -> None:
    write_inputs(root.parent, [SCORES.path.format(suite="mine")])
    for path in (f"../{SCORES.path.format(suite='mine')}", str(root / SCORES.path.format(suite="mine"))):
        with pytest.raises(UserError, match="leaves the folder"):
            Files(root).rows(SCORES, path)


def test_every_form_of_every_table_is_written(root: Path) -> None:
    write_tables(SETUP, root)
    written = {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()}
    assert {path for spec in table_specs(SETUP) for path in forms(spec).values()} | documents(SETUP).keys() <= written
    assert "paper_tables/paired_released.csv" in written and "paper_tables/paired_released.tex" not in written


def test_an_error_names_its_table(root: Path) -> None:
    (root / ABLATION.path).unlink()
    with pytest.raises(UserError, match=r"^table matcher_ablation: .*ablation\.parquet: is not there"):
        write_tables(SETUP, root)


def test_an_error_names_its_figure(root: Path) -> None:
    (root / SCORES.path.format(suite="mine")).unlink()
    with pytest.raises(UserError, match=r"^figure heatmap_all: "):
        draw_figures(SETUP, root)


def test_the_registry_imports_nothing_slow() -> None:
    """Snakemake imports it in every process that reads the rules."""
    slow = ("scipy", "statsmodels", "matplotlib", "jinja2", "pandas")
    command = "import sys, lethe.tables.registry as registry; registry._import_builders(); "
    command += f"sys.exit(' '.join(set({slow}) & set(sys.modules)) or 0)"
    done = subprocess.run([sys.executable, "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_every_table_can_be_made_where_none_of_the_papers_suites_is_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed = {name: value for file in FILES for name, value in load(file).items()}
    for key, value in (("run/suites", ["twins"]), ("run/systems", ["null"]), ("run/workloads", ["store_size"])):
        changed = put(changed, key, value)
    monkeypatch.setattr(inputs, "read_rows", lambda path, table: [])
    setup = setup_of(of(changed))
    made = {spec.name: build(spec, Files(tmp_path)) for spec in table_specs(setup)}
    assert len(made) > 70 and all(table.rows() for table in made.values())
    assert "store_size" not in {spec.name for spec in figure_specs(setup)}
