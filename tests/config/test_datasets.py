"""Where other authors' data are looked for, and what is said where a file of them is missing."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from lethe.config.model import RELEASED_FILES, Config
from lethe.config.reading import read_config
from lethe.config.selection import chosen_suites, reasons_suite_empty
from lethe.crosseval.selection import BENCHMARKS, reason_absent
from lethe.study.configured import setup_of

ROOT = Path(__file__).parents[2]
MEMORA = ROOT / "tests" / "crosseval" / "data" / "memora" / "weekly"
BENCHMARK_FILES = (
    "factconsolidation/Conflict_Resolution.json",
    "longmemeval/longmemeval_s_cleaned.json",
    "locomo/locomo10.json",
)
FILES = ("adversarial_385.jsonl", "repaired_385.jsonl", "external_77.jsonl", *RELEASED_FILES)


@pytest.fixture
def configured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Config]:
    """The shipped configuration, read in a clone that has a folder of its own in `tmp_path`."""
    clone = tmp_path / "clone"
    clone.mkdir()
    for name in ("config", "envs", "suites"):
        (clone / name).symlink_to(ROOT / name)
    monkeypatch.chdir(clone)
    return lambda: read_config(Path())


def fill(folder: Path) -> None:
    (folder / "forgeteval").mkdir(parents=True)
    for name in FILES:
        (folder / "forgeteval" / name).touch()
    shutil.copytree(MEMORA, folder / "memora" / "weekly")
    for name in BENCHMARK_FILES:
        (folder / name).parent.mkdir()
        (folder / name).touch()


@pytest.mark.parametrize("empty", ["", "datasets", "../shared/datasets", "../shared/datasets/forgeteval"])
def test_without_data_every_row_says_how_to_get_them(empty: str, configured: Callable[[], Config]) -> None:
    if empty:
        Path(empty).mkdir(parents=True)
    config = configured()
    reasons = reasons_suite_empty(config)
    assert not [name for name in chosen_suites(config) if config.suites[name].url]
    wanted = "not run: no data at datasets/forgeteval/adversarial_385.jsonl; `forgeteval fetch published` brings it"
    assert reasons["published"] == wanted
    for name in BENCHMARKS:
        assert (reason_absent(config, name) or "").endswith(f"; `forgeteval fetch {name}` brings it")
    absent = setup_of(config).release.absent
    assert absent == "not run: no data at datasets/forgeteval/verdicts.csv (they cannot be fetched)"


@pytest.mark.parametrize("folder", ["datasets", "../shared/datasets"])
def test_what_is_there_is_found_in_the_clone_and_beside_it(folder: str, configured: Callable[[], Config]) -> None:
    fill(Path(folder))
    config = configured()
    assert {"published", "published_repaired", "published_external"} <= {*chosen_suites(config)}
    assert config.suites["published"].source == f"{folder}/forgeteval/adversarial_385.jsonl"
    assert config.suites["published"].labels == f"{folder}/forgeteval/provenance.csv"
    assert [reason_absent(config, name) for name in BENCHMARKS] == [None] * len(BENCHMARKS)
    assert setup_of(config).release.absent is None


def test_what_was_fetched_does_not_hide_what_stands_beside(configured: Callable[[], Config]) -> None:
    fill(Path("../shared/datasets"))
    Path("datasets/forgeteval").mkdir(parents=True)
    Path("datasets/forgeteval/adversarial_385.jsonl").touch()
    config = configured()
    assert config.suites["published"].source == "datasets/forgeteval/adversarial_385.jsonl"
    assert config.released == Path("../shared/datasets/forgeteval")


def test_another_folder_is_the_only_one(configured: Callable[[], Config], tmp_path: Path) -> None:
    fill(Path("../shared/datasets"))
    config = read_config(Path(), datasets=tmp_path / "mine")
    assert config.suites["published"].source == f"{tmp_path}/mine/forgeteval/adversarial_385.jsonl"
    assert "published" not in chosen_suites(config)


@pytest.mark.parametrize("missing", FILES)
def test_each_released_file_can_be_missing(missing: str, configured: Callable[[], Config]) -> None:
    fill(Path("datasets"))
    (Path("datasets/forgeteval") / missing).unlink()
    config = configured()
    empty = {name for name, suite in config.suites.items() if suite.url and name in reasons_suite_empty(config)}
    suites = {"adversarial": "published", "repaired": "published_repaired", "external": "published_external"}
    gone = {suites[missing.split("_")[0]]} if missing.endswith(".jsonl") else set()
    assert empty == {*gone, "letta_core_memory"}
    assert (config.suites["published"].labels is None) == (missing == "provenance.csv")
    absent = setup_of(config).release.absent
    said = f"not run: no data at datasets/forgeteval/{missing} (they cannot be fetched)"
    assert absent == (said if missing in RELEASED_FILES else None)


def test_a_persona_of_memora_can_lack_its_files(configured: Callable[[], Config]) -> None:
    fill(Path("datasets"))
    weekly = Path("datasets/memora/weekly")
    persona = min(weekly.iterdir())
    for lost in (persona / f"evaluation_questions_{persona.name}.json", persona / "conversations"):
        shutil.rmtree(lost) if lost.is_dir() else lost.unlink()
        assert reason_absent(configured(), "memora") == (
            f"not run: no data at {persona / 'conversations' if lost.name == 'conversations' else lost}; "
            "`forgeteval fetch memora` brings it"
        )
    shutil.rmtree(weekly)
    weekly.mkdir()
    assert reason_absent(configured(), "memora") == f"not run: no data at {weekly}; `forgeteval fetch memora` brings it"
