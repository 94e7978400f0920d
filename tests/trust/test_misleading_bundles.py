"""Bundles that mislead whoever audits them: files of the auditor, records and files that nothing gives, what fills the
memory, and credentials."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from forgeteval.cases.suites import build_suite
from forgeteval.errors import UserError
from forgeteval.files import write_text
from lethe.parquet import write_rows
from lethe.schemas import MANIFEST
from lethe.trust.check import audit
from lethe.trust.folder import MANIFEST_FILE, PAGES, VERSIONS_FILE, listed_files
from lethe.trust.manifest import _entry
from lethe.trust.recipe import RECIPE_FILE
from lethe.trust.versions import said_without, without_credentials
from tests.support.bundle import PRODUCER, RUN, SUITE, config, sign_off
from tests.support.memory import ROOM_MB, megabytes
from tests.support.paths import ROOT

pytestmark = pytest.mark.slow


def sign_as_it_is(root: Path) -> None:
    """Write the manifest of what stands there, the forged record of versions included."""
    (root / MANIFEST_FILE).unlink()
    write_rows(root / MANIFEST_FILE, MANIFEST, [_entry(root, path) for path in listed_files(root)], PRODUCER)


def change_json(path: Path, change: Callable[[Any], None]) -> None:
    data = json.loads(path.read_text(encoding="utf-8"))
    change(data)
    write_text(path, json.dumps(data))


@pytest.mark.parametrize("own", [{"cases_per_family": 2}, {"folder": "suites/adversarial"}], ids=["generated", "own"])
@pytest.mark.parametrize("key", ["source", "intake"])
def test_no_file_of_the_auditor_is_read(bundle: Path, own: dict[str, str], key: str) -> None:
    private = bundle.parent / "cases.jsonl"
    case = {**build_suite(SUITE, config()["suites"][SUITE])[0].to_json(), "setup_facts": ["what the auditor alone has"]}
    private.write_text(json.dumps(case) + "\n", encoding="utf-8")
    options = {"label": "Mine", **own, key: str(private if key == "source" else private.parent)}
    change_json(bundle / VERSIONS_FILE, lambda versions: versions["config"]["suites"].update({SUITE: options}))
    sign_as_it_is(bundle)
    assert "what the auditor alone has" not in " ".join(audit(bundle).findings)


@pytest.mark.parametrize(
    "name",
    ["paper_tables/headline.tex", "paper_tables/templ\u0430te.csv", "paper_tables/Template.csv", "figures/heatmap.svg",
     "results/report/more.html"],
)  # fmt: skip
def test_a_listed_file_that_no_stage_makes_is_a_finding_or_named(bundle: Path, name: str) -> None:
    write_text(bundle / name, "Lethe passes everything.")
    sign_off(bundle)
    found = audit(bundle)
    assert any(name in line for line in [*found.findings, *found.taken])


FORGED_RECORDS: dict[str, Callable[[dict[str, Any]], object]] = {
    "no judge": lambda setup: setup.update(no_judge="judged by three humans"),
    "an empty suite": lambda setup: setup["empty_suites"].update(x={"label": "X", "reason": "500 cases are promised"}),
    "seen by": lambda setup: setup["suites"][SUITE].update(seen_by=["matcher"]),
    "available since": lambda setup: setup["suites"][SUITE].update(available_since="abc"),
    "store size": lambda setup: setup["store_size"].update(sizes=[0, 100]),
    "memories of a recall": lambda setup: setup.update(k=100),
}


@pytest.mark.parametrize("name", FORGED_RECORDS)
def test_a_record_that_the_configuration_does_not_give_is_found(bundle: Path, name: str) -> None:
    from lethe.study.setup import Setup
    from lethe.tables.writing import write_tables

    change_json(bundle / RECIPE_FILE, lambda recipe: FORGED_RECORDS[name](recipe["setup"]))
    write_tables(Setup.from_json(json.loads((bundle / RECIPE_FILE).read_text(encoding="utf-8"))["setup"]), bundle)
    sign_off(bundle)
    assert audit(bundle).findings != []


def test_a_folder_of_many_folders_is_one_line_or_findings(bundle: Path) -> None:
    before = Path.cwd()
    try:
        os.chdir(bundle / "results")
        for _ in range(1200):
            Path("d").mkdir()
            os.chdir("d")
    finally:
        os.chdir(before)
    try:
        audit(bundle)
    except UserError:
        pass
    finally:
        # What pytest removes temporary folders with goes down as far as Python may.
        subprocess.run(["rm", "-rf", str(bundle / "results")], check=True)


def test_what_a_killed_process_left_of_a_file_is_no_finding(bundle: Path) -> None:
    """A run that was killed and then ended well has honest results: what lies about is removed, or passed over."""
    path = bundle / "results/analysis/scores/mine.parquet"
    code = (
        "import os, sys\nfrom pathlib import Path\nfrom lethe.folders import atomic_write\n"
        "with atomic_write(Path(sys.argv[1])) as stream:\n    stream.write(b'half')\n    os.kill(os.getpid(), 9)\n"
    )
    subprocess.run([sys.executable, "-c", code, str(path)], cwd=ROOT, check=False)
    sign_off(bundle)
    assert audit(bundle).findings == []


def repeated(path: Path, column: str, key: str, keys: list[str]) -> None:
    """A file whose dictionary holds one long text, which every row names: its own account is of that text alone."""
    data = pa.concat_tables([pq.read_table(path).slice(0, 1)] * len(keys))
    for name, values in ((column, ["A" * (20 << 20)] * len(keys)), (key, keys)):
        data = data.set_column(data.column_names.index(name), data.schema.field(name), pa.array(values))
    pq.write_table(
        data,
        path,
        compression="zstd",
        dictionary_pagesize_limit=1 << 30,
        data_page_size=1 << 30,
        write_statistics=False,
    )


@pytest.mark.parametrize(
    "path", ["results/recipe.json", "paper_tables/own_template.csv", PAGES[0], "figures/heatmap.png"]
)
def test_a_long_file_without_contents_does_not_fill_the_memory(bundle_with_figures: Path, path: str) -> None:
    os.truncate(bundle_with_figures / path, 0)
    os.truncate(bundle_with_figures / path, 600 << 20)
    assert megabytes(bundle_with_figures) < ROOM_MB


def test_a_dictionary_does_not_fill_the_memory(bundle: Path) -> None:
    repeated(bundle / RUN, "error", "case_id", [str(number) for number in range(60)])
    assert (bundle / RUN).stat().st_size < 100_000
    assert megabytes(bundle) < ROOM_MB


def test_a_manifest_does_not_fill_the_memory(bundle: Path) -> None:
    repeated(bundle / MANIFEST_FILE, "sha256", "file", [f"results/{number}" for number in range(60)])
    assert (bundle / MANIFEST_FILE).stat().st_size < 100_000
    assert megabytes(bundle) < ROOM_MB


@pytest.mark.parametrize(
    "config",
    [
        {"suites": {"x": {"url": ["https://example.org/x?token=secret"]}}},
        {"data": {"memora": {"url": "https://example.org/x?sig=secret"}}},
        {"url": "https://me:pass@secret@example.org/x"},
        {"url": "https://me:pass/secret@example.org/x"},
        {"models": {"m": {"extra_body": {"api_key": "secret"}}}},
        {"accessToken": "secret", "openaiAPIKey": "secret", "db": {"dbPassword": "secret"}},
        {"clientSecret": "secret", "passphrase": "secret", "pwd": "secret", "auth": "secret"},
        {"api_keys": ["secret"], "api_key": {"value": "secret", "of": [{"name": "secret"}]}},
        {"headers": {"Cookie": "secret"}, "sent": [{"name": "Authorization", "value": "secret"}]},
        {"start": "serve --api-key secret --port 5", "headers": ["Authorization: Bearer secret", "X-Token: secret"]},
        {
            "start": "PGPASSWORD=secret API_KEY='my secret' serve",
            "json": '{"api_key": "secret"}',
            "say": "Bearer secret12",
        },
        {"command": ["serve", "--api-key", "secret", "-token", "secret"]},
        {"env": {"PGPASSWORD": "secret", "authtoken": "secret", "redis_pass": "secret"}, "token_text": "secret"},
        {
            "headers": [["X-Api-Key", "secret"]],
            "opts": ["api_key", "secret"],
            "env": [{"Name": "KEY", "Value": "secret"}],
        },
        {
            "headers": ["Authorization: Token secret", "authorization: Digest a, secret"],
            "conf": "port: 5\ntoken: secret",
        },
        {"command": ["srv", "--authToken=secret", "/token:secret"], "text": "srv --authToken secret --pinToken:secret"},
        {
            "text": "AccountName=a;AccountKey=secret;x=y",
            "yaml": "signingKey: secret",
            "json": '{"accountKey": "secret"}',
        },
        {"text": '["--api-key", "secret"]', "json": '{\\"api_key\\": \\"secret\\"}'},
        {
            "pem": "-----BEGIN RSA PRIVATE KEY-----\nsecret\n-----END RSA PRIVATE KEY-----",
            "arg": "sk-proj-0123456789secret",
        },
        {"options": {"arguments": ["--token=secret", "--verbose"], "dsn": "host=here password=secret dbname=x"}},
        {
            "repr": "Client(api_key='secret', auth=('ana', 'secret'))",
            "more": "f(token=b'secret', key=SecretStr('secret'))",
        },
        {"pass": "{'auth': {'user': 'ana', 'pass': 'secret'}}", "DB": "DB_PASS=secret `token`: `secret`"},
        {"said": "Invalid API key: x-1secret; the password is 'x-1secret'; unknown token x-1secret"},
        {"proxy": "no way to ana:secret@proxy:3128", "query": "api_key%3Dsecret api_key => secret api_key='secret"},
        {"groq": "gsk_0123456789abcdsecret", "google": "ya29.0123456789abcdsecret", "live": "sk_live_0123456789secret"},
        {"aws": "ASIA0123456789ABCDsecret", "mem0": "m0-0123456789abcdefghijklmnopqrsecret"},
    ],
    ids=str,
)
def test_no_credentials_of_other_addresses_reach_the_versions(config: dict[str, Any]) -> None:
    assert "secret" not in json.dumps(without_credentials(config))


@pytest.mark.parametrize(
    "key",
    [
        "SG.x4Tq0Zr8vB1nW6yPq.b2", "dop_v1_0123456789abcdef0123456789abcdef", "rk_live_0123456789abcdef01234567",
        "AGE-SECRET-KEY-1QPZRY9X8GF2TVDW0S3JN54KH", "https://hooks.here/services/T0/B0/x4Tq0Zr8vB1nW6yPqA2b9KfC",
        "pa-0123456789abcdef0123456789", "0123456789abcdef0123456789abcdef",
    ],
)  # fmt: skip
def test_a_long_random_word_is_left_out_of_what_was_said(key: str) -> None:
    told = said_without(
        [f"401 for {key}, of Llama-3-8B-Instruct-Q4_K_M in tests/a_long_folder_of_2026/test_stores.py", None]
    )
    assert re.fullmatch(
        r"401 for \S*, of Llama-3-8B-Instruct-Q4_K_M in tests/a_long_folder_of_2026/test_stores.py", told[0]
    )
    assert key.split("/")[-1] not in told[0] and told[1] is None


def test_what_only_sounds_like_a_credential_stays() -> None:
    kept = {"max_tokens": "512", "keyword": "x", "author": "x", "tokens": ["x"], "label": "a monkey=b"}
    kept["command"] = ["serve", "--max-tokens", "5", "key", "x", "--min", "pass=0.3", "tiktoken==0.14.0"]
    kept["pair"] = ["it stays by its key", "and so does this"]
    kept["lock"] = "    # via tiktoken\nrequests==2.34.2 \\\n    --hash=sha256:01"
    kept["image"] = "registry/qdrant:1.2@sha256:0123456789abcdef"
    kept["caveat"] = "a turn-key bearer of news, by key: then value; --token-limit 5"
    assert without_credentials(kept) == kept


def test_a_password_of_digits_is_left_out_and_a_long_text_takes_no_time() -> None:
    assert without_credentials({"password": 12345678, "secret": True}) == {"password": "", "secret": True}
    for text in ("-" * 20000, "\\" * 20000, "a-" * 10000):
        assert without_credentials(text) == text
