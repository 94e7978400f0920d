"""Why Snakemake would run a job again, told by what a user changed: files, keys of the configuration, modules."""

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from forgeteval.errors import UserError

_JOB = re.compile(r"^(?:local)?rule (\w+):\n((?:    .*\n)+)", re.MULTILINE)
_PARAMS = re.compile(r"Params have changed since last execution: .*?before: (.*) now: (.*)$")
_NOTHING = "<nothing exclusive>"
_FINGERPRINT = re.compile(r"[0-9a-f]{16}")
_STARTS = ("Using ", "Assuming ", "Config file ", "host: ", "SNAKEMAKE", "=", "  ", "Building DAG of jobs")
"""How the lines begin that Snakemake shows at each start."""
_ERROR = "error: "
_MISSING = "Missing output files"
_FOLLOWS = "Input files updated by another job"


@dataclass(frozen=True, slots=True)
class Job:
    """A job that would run.

    Attributes:
        outputs: its first output, and how many more there are.
        reason: Snakemake's own words.
    """

    rule: str
    outputs: str
    reason: str

    @property
    def follows(self) -> bool:
        """Whether it runs only because another job does."""
        return self.reason.startswith(_FOLLOWS)

    @property
    def is_new(self) -> bool:
        """Whether it runs because what it makes is not there."""
        return self.reason.startswith(_MISSING)


def jobs_to_run(targets: Sequence[str], configfiles: Sequence[Path], root: Path, listings: Path) -> list[Job]:
    """The jobs that Snakemake would run for targets.

    Args:
        root: folder of the Snakefile.
        listings: folder for what the fingerprints of today's code are made of.

    Raises:
        UserError: with Snakemake's last line, where it cannot say.
    """
    further = ["--configfile", *map(str, configfiles)] if configfiles else []
    command = [sys.executable, "-m", "snakemake", "--dry-run", "--cores", "1", "--nocolor", *further, "--", *targets]
    environment = os.environ | {"LETHE_LISTINGS": str(listings.absolute())}
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        problem = what_is_wrong(f"{done.stderr}\n{done.stdout}")
        raise UserError(f"{' '.join(targets)}: Snakemake cannot plan this: {problem}")
    found = []
    for rule, block in _JOB.findall(done.stdout + done.stderr):
        fields = dict(line.strip().split(": ", 1) for line in block.splitlines() if ": " in line)
        first, *more = fields.get("output", "nothing").split(", ")
        outputs = first + (f" and {len(more)} more" if more else "")
        found.append(Job(rule, outputs, fields.get("reason", "no reason given")))
    return found


def what_is_wrong(output: str) -> str:
    """What Snakemake ended with: the one line of a mistake that this project found, or the beginning of its own words,
    without what it says at each start."""
    lines = [line for line in output.splitlines() if not line.startswith(_STARTS)]
    ours = [line.removeprefix(_ERROR) for line in lines if line.startswith(_ERROR)]
    return ours[-1] if ours else " ".join(" ".join(lines).split())[:300]


def told(job: Job, before: Path, now: Path) -> list[str]:
    """What changed, as phrases for a sentence.

    Args:
        before: folder of the listings that runs kept.
        now: folder of today's.
    """
    phrases = []
    for part in job.reason.split("; "):
        changed = _PARAMS.search(part)
        if changed is None:
            phrases.append(part[:1].lower() + part[1:])
        else:
            phrases += _changed_params(_literals(changed[1]), _literals(changed[2]), before, now)
    return phrases


def _literals(text: str) -> list[Any]:
    text = text.strip()
    return [] if text == _NOTHING else list(ast.literal_eval(f"[{text}]"))


def _changed_params(old: list[Any], new: list[Any], before: Path, now: Path) -> Iterator[str]:
    """Changed parameters, matched by what they are: fingerprints of code, mappings, other values."""
    was, is_now = [_kind(value) for value in old], [_kind(value) for value in new]
    for kind in dict.fromkeys([*was, *is_now]):
        gone = [value for value, one in zip(old, was, strict=True) if one == kind]
        come = [value for value, one in zip(new, is_now, strict=True) if one == kind]
        if kind == "code":
            yield from _changed_code(" ".join(gone), " ".join(come), before, now)
        elif kind == "mapping" and len(gone) == len(come):
            for was_one in gone:
                like = max(come, key=lambda one: len(one.keys() & was_one.keys()))
                come.remove(like)
                yield from _changed_keys(was_one, like)
        else:
            yield f"a parameter was {_shown(gone)} and is {_shown(come)}"


def _kind(value: Any) -> str:
    if isinstance(value, str) and all(_FINGERPRINT.fullmatch(word) for word in value.split() or ["-"]):
        return "code"
    return "mapping" if isinstance(value, Mapping) else "value"


def _changed_code(old: str, new: str, before: Path, now: Path) -> Iterator[str]:
    kept = {*old.split()} & {*new.split()}
    listed = [
        [_listing(folder, word) for word in text.split() if word not in kept]
        for text, folder in ((old, before), (new, now))
    ]
    if None in listed[0] + listed[1]:
        # An installed package, a lock and a file that options name have no listing.
        yield "its code, a package that it has or a file that it names changed (what it was made of is not listed)"
    was, is_now = ({name: digest for part in parts for name, digest in (part or {}).items()} for parts in listed)
    if not was or not is_now:
        return
    for verb, names in (
        ("changed", [name for name in was if name in is_now and was[name] != is_now[name]]),
        ("new", [name for name in is_now if name not in was]),
        ("gone", [name for name in was if name not in is_now]),
    ):
        if names:
            yield f"code {verb}: {', '.join(sorted(names))}"


def _listing(folder: Path, fingerprint: str) -> dict[str, str] | None:
    path = folder / f"{fingerprint}.txt"
    if not path.is_file():
        return None
    parted = (line.rpartition(" ") for line in path.read_text(encoding="utf-8").splitlines())
    return {name: digest for name, _, digest in parted}


def _changed_keys(old: Mapping[str, Any], new: Mapping[str, Any], path: str = "") -> Iterator[str]:
    for key in dict.fromkeys([*old, *new]):
        was, now = old.get(key), new.get(key)
        if isinstance(was, Mapping) and isinstance(now, Mapping):
            yield from _changed_keys(was, now, f"{path}{key}.")
        elif was != now:
            yield f"{path}{key} was {_shown(was)} and is {_shown(now)}"


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
