"""What makes a job run again is the code that it loads, no less and no more."""

import ast
import functools
import hashlib
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from forgeteval.errors import UserError
from lethe import fingerprints, module_imports
from lethe import own_modules as modules_of_ones_own
from lethe.fingerprints import code_files, file_fingerprint, script_fingerprint, sha256_of
from lethe.jobs.session import TRIAL_MODULES
from lethe.module_imports import parsed
from lethe.own_modules import _own_modules, installed_fingerprint, own_modules
from lethe.study.axis import chosen_modules, run_fingerprint
from tests.support.jobs import RUN_SCRIPT, Job, all_jobs, configurations, copy_project, imported_files
from tests.support.paths import ROOT

PACKAGES = [ROOT / name for name in fingerprints.PACKAGES]
MODULES = sorted(module for package in PACKAGES for module in package.rglob("*.py"))


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder that the fingerprints take for the project's."""
    monkeypatch.setattr(fingerprints, "PROJECT", tmp_path)
    monkeypatch.setattr(fingerprints, "PACKAGE", tmp_path / "lethe")
    forget()
    yield tmp_path
    forget()


def forget() -> None:
    forget_contents()
    fingerprints._module_files.cache_clear()
    fingerprints._files_of.cache_clear()


def forget_contents() -> None:
    for cached in (script_fingerprint, fingerprints._read, fingerprints._line, _own_modules, installed_fingerprint):
        cached.cache_clear()


def test_a_clone_and_its_wheels_have_the_same_fingerprint(project: Path) -> None:
    for name, content in (("forgeteval/one.py", "1"), ("lethe/two.py", "2"), ("lethe/data.yaml", "a: 1")):
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).write_text(content)
    wheel = fingerprints.package_fingerprint()
    (project / "lethe/pyproject.toml").write_text("[project]")
    (project / "lethe/project/config").mkdir(parents=True)
    (project / "lethe/project/config/config.yaml").write_text("a: 1")
    assert fingerprints.package_fingerprint() == wheel
    (project / "lethe/data.yaml").write_text("a: 2")
    forget_contents()
    assert fingerprints.package_fingerprint() != wheel


def test_an_edited_file_reaches_the_jobs_that_load_it_and_no_other(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = all_jobs()
    loaded = imported_files(copy_project(project), jobs)
    edited = [
        path
        for package in fingerprints.PACKAGES
        for path in project.glob(f"{package}/**/*")
        if path.is_file() and "__pycache__" not in path.parts
    ]
    assert len(edited) >= len(MODULES)
    known, line = dict[Path, str](), fingerprints._line.__wrapped__

    def changed_since(before: dict[Job, str], path: Path) -> set[Job]:
        known.pop(path, None)
        script_fingerprint.cache_clear()
        return {job for job in jobs if script_fingerprint(*job) != before[job]}

    with monkeypatch.context() as patch:
        # Read once: a comment at its end changes no import of a file, and no other file.
        patch.setattr(fingerprints, "code_files", functools.cache(code_files))
        patch.setattr(fingerprints, "_read", fingerprints._read.__wrapped__)
        patch.setattr(fingerprints, "_line", lambda file: known.get(file) or known.setdefault(file, line(file)))
        before = {job: script_fingerprint(*job) for job in jobs}
        for path in edited:
            content = path.read_bytes()
            path.write_bytes(content + b"\n# edited\n")
            changed = changed_since(before, path)
            path.write_bytes(content)
            known.pop(path, None)
            name = str(path.relative_to(project))
            assert changed == {job for job in jobs if name in loaded[job]}, name


@pytest.mark.parametrize(
    ("source", "told"),
    [
        (b"import os\n\ndef f(:\n", "mystore.py, line 3: not Python (invalid syntax)"),
        (b"import os\nDATA_FILES = [name for name in ()]\n", "mystore.py, line 2: not Python (DATA_FILES is no"),
        (b"RUNS_MODULES = 5\n", "mystore.py, line 1: not Python (RUNS_MODULES is no literal"),
        (b"a\0b", "mystore.py"),
        (b"# \xff\n'\xff'\n", "mystore.py"),
    ],
)
def test_a_module_that_is_not_python_is_named_with_its_line(project: Path, source: bytes, told: str) -> None:
    (project / "mystore.py").write_bytes(source)
    with pytest.raises(UserError) as caught:
        script_fingerprint("", "mystore")
    assert str(caught.value).startswith(f"{project}/{told}") and "; correct it, then run again" in str(caught.value)


def test_a_configuration_depends_on_its_own_backend_and_planner() -> None:
    jobs = [job for job in all_jobs() if job[0] == RUN_SCRIPT]

    def jobs_of(file: str) -> set[str]:
        return {" ".join(job[1:]) for job in jobs if ROOT / file in code_files(*job)}

    assert jobs_of("lethe/systems/langgraph.py") == {
        "lethe.systems.langgraph",
        "lethe.systems.langgraph forgeteval.planners.llm forgeteval.planners.llm.planner "
        "lethe.gateway lethe.gateway.server",
        "lethe.systems.langgraph lethe.matcher lethe.matcher.planner",
        "lethe.systems.langgraph forgeteval.planners.oracle forgeteval.planners.llm forgeteval.planners.llm.planner",
        "lethe.systems.langgraph_redis",
        "lethe.systems.langgraph_sqlite",
    }
    prompt = "forgeteval/planners/llm/prompts/supersede.txt"
    assert jobs_of(prompt) == {job for job in map(" ".join, (job[1:] for job in jobs)) if "planners.llm" in job}
    assert len(jobs_of("lethe/jobs/worker.py")) == len(jobs)
    assert not jobs_of("lethe/systems/backends.py"), "a further backend would run every other again"


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("lethe", "lethe/systems/lethe_store.py"),
        ("lethe+matcher", "lethe/matcher/planner.py"),
        ("lethe+matcher", "lethe/matcher/decision/choice.py"),
        ("lethe+llm@m", "forgeteval/planners/llm/planner.py"),
        ("lethe+llm@m", "forgeteval/planners/llm/reading.py"),
        ("lethe+llm@m", "lethe/gateway/chat.py"),
    ],
)
def test_a_kept_trial_depends_on_what_decides_it(name: str, file: str) -> None:
    entry = configurations()[name]
    trial = {path.relative_to(ROOT).as_posix() for path in code_files("", *TRIAL_MODULES, *chosen_modules(entry))}
    assert file in trial and (ROOT / file).is_file()
    other = configurations()["naive_sql"]
    assert ROOT / file not in code_files("", *TRIAL_MODULES, *chosen_modules(other))


@pytest.mark.parametrize("path", sorted((ROOT / "rules").glob("*.smk")), ids=lambda path: path.name)
def test_each_rule_has_the_fingerprint_of_its_own_script(path: Path) -> None:
    script = ""
    for rule in re.split(r"(?m)^(?=rule |use rule )", path.read_text(encoding="utf-8"))[1:]:
        if not rule.startswith("use "):
            (script,) = re.findall(r"\.\./workflow_scripts/(\w+\.py)", rule)
        (fingerprint,) = re.findall(r'(?m)^ {8}fingerprint=[^"]*"(\w+\.py)"', rule)
        assert fingerprint == script


WRITTEN = {
    "lethe/__init__.py": "",
    "lethe/top.py": "from lethe.rooms.one import thing\nimport json\n",
    "lethe/rooms/__init__.py": "",
    "lethe/rooms/one.py": (
        "from typing import TYPE_CHECKING\n"
        "if TYPE_CHECKING:\n    from lethe.rooms import typed\nelse:\n    from lethe.rooms import otherwise\n"
        "DATA_FILES = ('words.txt', 'page')\nRUNS_MODULES = ('lethe.rooms.started',)\n"
        "CHOSEN_MODULES = ('lethe.chosen',)\n"
        "class Thing:\n    def made(self):\n        with self:\n            try:\n                pass\n"
        "            except OSError:\n                from lethe.rooms import within\n"
        "def choose():\n    from lethe.chosen.here import thing\n    from lethe.chosen_not import other\n"
    ),
    **{f"lethe/rooms/{name}.py": "" for name in ("typed", "otherwise", "started", "within", "unused")},
    "lethe/chosen/__init__.py": "",
    "lethe/chosen/here.py": "",
    "lethe/chosen_not.py": "",
    "lethe/rooms/words.txt": "a",
    "lethe/rooms/unread.txt": "a",
    "lethe/rooms/page/deep/style.css": "a",
    "mine.py": "import mine_too\nimport lethe.rooms.unused\n",
    "mine_too.py": "",
    "workflow_scripts/one.py": "import lethe.top\n",
}
CLOSURE = {
    "workflow_scripts/one.py",
    *(f"lethe/{name}.py" for name in ("__init__", "top", "chosen_not", "rooms/__init__", "rooms/one")),
    *(
        f"lethe/rooms/{name}"
        for name in ("otherwise.py", "started.py", "within.py", "words.txt", "page/deep/style.css")
    ),
}


@pytest.mark.parametrize(
    ("modules", "further"),
    [
        ((), set()),
        (("lethe.chosen",), {"lethe/chosen/__init__.py", "lethe/chosen/here.py"}),
        (("lethe.rooms.typed",), {"lethe/rooms/typed.py"}),
        (("mine",), {"mine.py", "lethe/rooms/unused.py"}),
        (("numpy.linalg",), set()),
    ],
    ids=["no choice", "a package", "a module", "a module outside the package", "an installed one"],
)
def test_the_closure(project: Path, modules: tuple[str, ...], further: set[str]) -> None:
    for name, text in WRITTEN.items():
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert {str(path.relative_to(project)) for path in code_files("one.py", *modules)} == CLOSURE | further


OWN = {
    "forgeteval/__init__.py": "",
    "forgeteval/stores.py": "",
    "own_store.py": (
        "import json, numpy.linalg\nimport forgeteval.stores\nfrom my_helper import X\nfrom mypkg.rooms import deep\n"
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import typed\n"
        "RUNS_MODULES = ('started',)\nCHOSEN_MODULES = ('chosen',)\n"
        "def choose():\n    import chosen\n"
    ),
    "my_helper.py": "def late():\n    try:\n        import my_second\n    except ImportError:\n        pass\n",
    "my_second.py": "import own_store\nDATA_FILES = ('words.txt',)\n",
    "words.txt": "a",
    "mypkg/__init__.py": "from .core import Store\n",
    "mypkg/core.py": "from . import beside\nfrom .rooms.deep import thing\nfrom ... import above_all\n",
    "mypkg/beside.py": "",
    "mypkg/unused.py": "",
    "mypkg/rooms/__init__.py": "",
    "mypkg/rooms/deep.py": "from ..upper import thing\nfrom . import *\n",
    "mypkg/upper.py": "",
    **dict.fromkeys(("core.py", "beside.py", "typed.py", "chosen.py", "started.py", "above_all.py", "unused.py"), ""),
}
OF_PACKAGE = ("mypkg", "mypkg.beside", "mypkg.core", "mypkg.rooms", "mypkg.rooms.deep", "mypkg.upper")


@pytest.fixture
def own(project: Path) -> Path:
    """A project's folder with two systems of one's own."""
    for name, text in OWN.items():
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return project


def of_backend(backend: str) -> str:
    forget()
    entry = replace(configurations()["naive_sql"], backend=backend)
    return script_fingerprint("", *chosen_modules(entry))


def test_a_system_of_ones_own_has_the_modules_that_it_imports(own: Path) -> None:
    assert own_modules("mypkg") == OF_PACKAGE
    assert own_modules("own_store") == ("my_helper", "my_second", *OF_PACKAGE, "own_store", "started")
    assert own_modules("lethe.systems.langgraph") == own_modules("numpy.linalg") == ()


@pytest.mark.parametrize(
    ("backend", "file", "runs_again"),
    [
        ("own_store:Store", "my_helper.py", True),
        ("own_store:Store", "my_second.py", True),
        ("own_store:Store", "words.txt", True),
        ("own_store:Store", "mypkg/upper.py", True),
        ("own_store:Store", "unused.py", False),
        ("own_store:Store", "core.py", False),
        ("mypkg:Store", "mypkg/core.py", True),
        ("mypkg:Store", "mypkg/beside.py", True),
        ("mypkg:Store", "mypkg/unused.py", False),
        ("mypkg:Store", "my_helper.py", False),
    ],
)
def test_an_edited_module_runs_the_system_again_that_imports_it(
    own: Path, backend: str, file: str, runs_again: bool
) -> None:
    before = of_backend(backend)
    with (own / file).open("a", encoding="utf-8") as stream:
        stream.write("\n# edited\n")
    assert (of_backend(backend) != before) == runs_again


def test_an_imported_module_that_is_not_python_is_named_with_its_line(own: Path) -> None:
    (own / "my_helper.py").write_text("import os\n\ndef f(:\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"my_helper\.py, line 3: not Python"):
        of_backend("own_store:Store")


def test_more_modules_than_a_system_may_have_are_refused(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lethe.own_modules._MOST", 5)
    with pytest.raises(UserError, match=r"^mypkg: imports more than 5 modules in .*; install them as a package$"):
        own_modules("mypkg")


def test_what_is_installed_is_not_looked_through(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed = own.with_name("site-packages")
    own.rename(installed)
    monkeypatch.setattr(fingerprints, "PROJECT", installed)
    assert own_modules("own_store") == ("own_store",)
    assert own_modules("mypkg") == OF_PACKAGE


@pytest.mark.parametrize("linked", [False, True])
def test_another_version_of_a_package_that_is_installed_runs_the_system_again(
    own: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch, linked: bool
) -> None:
    folder = tmp_path_factory.mktemp("installed") / ("elsewhere" if linked else "site-packages")
    package, info = folder / "shelf_memory", folder / "shelf_memory-1.dist-info"
    package.mkdir(parents=True)
    info.mkdir()
    monkeypatch.syspath_prepend(str(folder))

    def install(code: str) -> None:
        (package / "__init__.py").write_text(code)
        if not linked:
            (info / "METADATA").write_text("Metadata-Version: 2.1\nName: shelf-memory\nVersion: 1\n")
            (info / "RECORD").write_text(
                f"shelf_memory/__init__.py,sha256={hashlib.sha256(code.encode()).hexdigest()},\n"
            )

    (own / "own_store.py").write_text("def build():\n    import shelf_memory\n", encoding="utf-8")
    install("KEEP = True")
    before = of_run("own_store:Store"), of_run("shelf_memory:Store"), of_run("mypkg:Store"), of_run("naive_sql")
    assert before == (of_run("own_store:Store"), of_run("shelf_memory:Store"), *before[2:])
    install("KEEP = False")
    after = of_run("own_store:Store"), of_run("shelf_memory:Store"), of_run("mypkg:Store"), of_run("naive_sql")
    assert [was != is_now for was, is_now in zip(before, after, strict=True)] == [True, True, False, False]


def test_an_edited_file_that_options_name_runs_the_system_again(own: Path) -> None:
    options = {"rules": ["rules.json", "x" * 5000], "k": 3, "deep": {"file": str(own / "words.txt")}}
    found = set[str]()
    for name in ("rules.json", "rules.json", "words.txt"):
        with (own / name).open("a", encoding="utf-8") as stream:
            stream.write("[]\n")
        found.add(of_run("my_helper:Store", options=options))
    assert len(found) == 3


def test_a_file_that_a_system_writes_does_not_run_it_again(own: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "journal.txt"
    options = {"database": "memories.db", "journal": str(elsewhere)}
    found = {of_run("my_helper:Store", options=options)}
    for content in ("one", "two"):
        (own / "memories.db").write_bytes(b"SQLite format 3\0" + content.encode())
        elsewhere.write_text(content, encoding="utf-8")
        found.add(of_run("my_helper:Store", options=options))
    assert len(found) == 1


def test_an_option_that_names_a_link_to_itself_names_no_file(own: Path) -> None:
    (own / "loop").symlink_to("loop")
    assert of_run("my_helper:Store", options={"journal": "loop"}) == of_run("my_helper:Store")


def of_run(backend: str, **fields: Any) -> str:
    forget()
    lock = ROOT / "envs" / "extras" / "matcher.lock"
    return run_fingerprint(lock, replace(configurations()["naive_sql"], backend=backend, **fields))


def test_each_data_file_of_the_package_is_declared() -> None:
    declared = {
        file
        for module in MODULES
        for name in parsed(module.read_bytes()).data_files
        for file in fingerprints._files_below(module.with_name(name))
    }
    found = {file for package in PACKAGES for file in fingerprints._files_below(package) if file.suffix != ".py"}
    assert declared == {file for file in found if file.name not in ("py.typed", "pyproject.toml", "README.md")}


def test_the_package_reads_its_files_as_data_files_or_found_modules_alone() -> None:
    readers = [Path(str(reader.__file__)) for reader in (fingerprints, module_imports, modules_of_ones_own)]
    for module in MODULES:
        if module in readers:
            continue
        code = ast.unparse(ast.parse(module.read_bytes()))
        places = len(re.findall(r"(?<![.\w])__file__", code))
        assert places == code.count("Path(__file__).with_name(DATA_FILES["), module
        assert code.count("found_modules(") == len(
            re.findall(r"(\w+) in FOUND_MODULES.*?\bfound_modules\(\1\)", code, re.DOTALL)
        ), module
        assert not re.search(
            r"\bpkgutil\.(?!extend_path)|\bPackageLoader\b|(?<!import )\bPACKAGE\b(?!\.parent)", code
        ), module
        assert "importlib.resources" not in code, module


def test_a_checksum_is_whole_and_a_fingerprint_its_start(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"content")
    assert sha256_of(file) == hashlib.sha256(b"content").hexdigest()
    assert file_fingerprint(file) == sha256_of(file)[:16]
