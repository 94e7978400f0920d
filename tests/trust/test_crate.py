"""The RO-Crate of a run: read by its own library, the same bytes each time, and its checksums compared by the audit."""

import json
from pathlib import Path
from typing import Any

import pytest
from rocrate.rocrate import ROCrate

from forgeteval.files import write_text
from lethe.fingerprints import sha256_of
from lethe.parquet import read_rows
from lethe.schemas import MANIFEST
from lethe.trust.check import audit
from lethe.trust.crate import CRATE_FILE, PROFILE
from lethe.trust.folder import MANIFEST_FILE, VERSIONS_FILE
from lethe.trust.versions import read_versions
from tests.support.bundle import SUITE, sign_off


def test_the_library_reads_what_ran_from_what_with_which_versions(bundle: Path) -> None:
    crate = ROCrate(bundle / "results")
    assert crate.root_dataset["conformsTo"].id == PROFILE
    action = crate.get(f"#run/{SUITE}/lethe")
    assert action["instrument"]["name"] == "Lethe"
    cases, trials = action["object"], action["result"]
    assert (cases.id, trials.id) == (f"suites/{SUITE}/cases.parquet", f"runs/{SUITE}/lethe.parquet")
    assert trials["sha256"] == sha256_of(bundle / "results" / trials.id)
    versions = read_versions(bundle / VERSIONS_FILE)
    assert action["instrument"]["softwareVersion"] == versions.code
    assert versions.environments["pipeline"][0] in crate.get("#environment/pipeline")["description"]


def test_every_file_of_the_results_is_in_it_and_it_is_in_the_manifest(bundle: Path) -> None:
    listed = {row["file"]: row["sha256"] for row in read_rows(bundle / MANIFEST_FILE, MANIFEST)}
    assert listed.pop(CRATE_FILE.as_posix()) == sha256_of(bundle / CRATE_FILE)
    crate = ROCrate(bundle / "results")
    described = {f"results/{file.id}" for file in crate.get_by_type("File")}
    assert described == {name for name in listed if name.startswith("results/")}


def test_the_bytes_are_the_same_each_time(bundle: Path) -> None:
    before = (bundle / CRATE_FILE).read_bytes()
    sign_off(bundle)
    assert (bundle / CRATE_FILE).read_bytes() == before


def test_the_date_may_be_given(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    sign_off(bundle)
    assert ROCrate(bundle / "results").root_dataset["datePublished"] == "1970-01-02T00:00:00+00:00"


def _forge(bundle: Path, change: Any) -> list[str]:
    """The findings where the crate was changed and the manifest knows of it."""
    data = json.loads((bundle / CRATE_FILE).read_text(encoding="utf-8"))
    change({entity["@id"]: entity for entity in data["@graph"]}, data)
    write_text(bundle / CRATE_FILE, json.dumps(data))
    return [line for line in audit(bundle).findings if not line.endswith("changed since it was written")]


@pytest.mark.parametrize("change", [{"sha256": "0" * 64}, {"contentSize": "1"}], ids=["checksum", "size"])
def test_the_audit_names_a_file_that_the_manifest_describes_otherwise(bundle: Path, change: dict[str, str]) -> None:
    name = f"runs/{SUITE}/lethe.parquet"
    (finding,) = _forge(bundle, lambda entities, _: entities[name].update(change))
    assert finding == f"{CRATE_FILE}: results/{name}: of another checksum or size than the manifest gives"


def test_the_audit_names_what_is_missing_and_what_is_more(bundle: Path) -> None:
    def change(entities: dict[str, Any], data: dict[str, Any]) -> None:
        data["@graph"].remove(entities["recipe.json"])
        data["@graph"].append({"@id": "better.parquet", "@type": "File"})

    findings = _forge(bundle, change)
    assert f"{CRATE_FILE}: results/recipe.json: missing" in findings
    assert f"{CRATE_FILE}: results/better.parquet: no file of the manifest" in findings


@pytest.mark.parametrize(
    ("change", "finding"),
    [
        (lambda _, data: data.update({"@graph": [1]}), "not an RO-Crate"),
        (lambda _, data: data["@graph"].append(data["@graph"][0]), "two entities have one @id"),
    ],
)
def test_what_is_no_crate_is_one_finding(bundle: Path, change: Any, finding: str) -> None:
    (found,) = _forge(bundle, change)
    assert finding in found
