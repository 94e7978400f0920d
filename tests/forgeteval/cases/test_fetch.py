"""Fetching a suite of other authors from a server on loopback, and checking the one that is there."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from forgeteval.cases.fetch import fetch_suite
from forgeteval.cases.interchange import cases_sha256
from forgeteval.cases.reading import read_cases
from forgeteval.cases.released import read_released
from forgeteval.errors import UserError
from tests.support.serving import served_folder

SOURCE = Path(__file__).parent / "data" / "released.py.txt"


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """A folder and the address under which it is served."""
    with served_folder(tmp_path / "served") as found:
        yield found


def options(folder: Path, address: str, tmp_path: Path) -> dict[str, Any]:
    """A suite whose cases are released as Python source with one patch."""
    shutil.copy(SOURCE, folder / "adversarial.py")
    patch = {"adv_negation_trap_03": {"add_facts": ["b"], "must_contain": ["b"]}}
    (folder / "patch.json").write_text(json.dumps(patch), encoding="utf-8")
    expected = tmp_path / "expected.jsonl"
    records = read_released([folder / "adversarial.py", folder / "patch.json"])
    expected.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return {
        "source": str(tmp_path / "data" / "cases.jsonl"),
        "url": [f"{address}/adversarial.py", f"{address}/patch.json"],
        "sha256": cases_sha256(read_cases(expected, "published")),
    }


def test_the_authors_form_is_fetched_and_written_as_cases(served: tuple[Path, str], tmp_path: Path) -> None:
    suite = options(*served, tmp_path)
    said = fetch_suite("published", suite)
    assert said == f"{suite['source']}: 3 cases, sha256 {suite['sha256']}, fetched"
    cases = read_cases(Path(suite["source"]), "published")
    assert cases[2].setup_facts == ("a", "b") and cases_sha256(cases) == suite["sha256"]
    assert fetch_suite("published", {**suite, "url": ["http://127.0.0.1:1/x.py"]}).endswith("there already")
    assert [path.name for path in Path(suite["source"]).parent.iterdir()] == ["cases.jsonl"]


def test_a_case_without_an_id_is_called_as_at_its_place(served: tuple[Path, str], tmp_path: Path) -> None:
    folder, address = served
    record = {
        "setup_facts": ["The code is 4417."],
        "mutations": [["purge", "the code"]],
        "final_query": "What is the code?",
    }
    record["must_not_contain"] = ["4417"]
    place = tmp_path / "data" / "mine.jsonl"
    place.parent.mkdir()
    for file in (place, folder / "other.jsonl"):
        file.write_text(json.dumps(record) + "\n", encoding="utf-8")
    digest = cases_sha256(read_cases(place, "mine"))
    place.unlink()
    suite = {"source": str(place), "url": [f"{address}/other.jsonl"], "sha256": digest}
    assert fetch_suite("mine", suite).endswith("fetched")
    assert fetch_suite("mine", suite).endswith("there already")


def test_cases_that_stand_there_spoilt_are_to_be_removed(served: tuple[Path, str], tmp_path: Path) -> None:
    suite = options(*served, tmp_path)
    fetch_suite("published", suite)
    source = Path(suite["source"])
    source.write_bytes(source.read_bytes()[:-9])
    with pytest.raises(UserError, match=f":3: line: not JSON .*; to fetch it again, remove {source}$"):
        fetch_suite("published", suite)


def test_json_lines_are_kept_as_they_are(served: tuple[Path, str], tmp_path: Path) -> None:
    suite = options(*served, tmp_path)
    written = (tmp_path / "expected.jsonl").read_bytes() + b"\n"
    (served[0] / "cases.jsonl").write_bytes(written)
    fetch_suite("published", {**suite, "url": [f"{served[1]}/cases.jsonl"]})
    assert Path(suite["source"]).read_bytes() == written


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"sha256": "0" * 64}, "the checksum of the cases is"),
        (
            {"url": ["http://127.0.0.1:1/adversarial.py"]},
            "suites.published.url: http://127.0.0.1:1/adversarial.py cannot be",
        ),
    ],
)
def test_nothing_is_kept_of_what_does_not_fit(
    served: tuple[Path, str], tmp_path: Path, changed: dict[str, Any], said: str
) -> None:
    suite = options(*served, tmp_path) | changed
    with pytest.raises(UserError) as caught:
        fetch_suite("published", suite)
    assert said in str(caught.value) and "\n" not in str(caught.value)
    assert not Path(suite["source"]).parent.exists()


def test_other_cases_in_its_place_are_refused(served: tuple[Path, str], tmp_path: Path) -> None:
    suite = options(*served, tmp_path)
    fetch_suite("published", suite)
    path = Path(suite["source"])
    path.write_text(path.read_text(encoding="utf-8").replace("7741", "7742"), encoding="utf-8")
    with pytest.raises(UserError, match=r"suites\.published\.sha256; another release"):
        fetch_suite("published", suite)
