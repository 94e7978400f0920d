"""What made the results: the code, the configuration, the packages and the machine."""

import importlib.metadata
import json
import platform
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from forgeteval.errors import UserError
from forgeteval.files import write_text
from forgeteval.json_records import read_object
from lethe.fingerprints import package_fingerprint

PIPELINE = "pipeline"
_ACCOUNT = re.compile(
    r"(?<=://)(?:[^/@\s]*:\S*@|(?:[^/@\s]*@)+)|(?<![\w/@:.+-])[\w.+-]+:[^\s@/:'\"]+@(?=[\w.-]+:\d{2,5}\b)"
)
"""Of an address; a password may hold `@` and `/`, so that all up to the last `@` counts where a colon comes first. One
without a scheme has a port."""
_QUERY = re.compile(r"(://[^\s?#]*)[?#]\S*")
_AFTER_PATH = re.compile(r"[?#].*", re.DOTALL)
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_LONG_WORD = r"token|secret|password|passwd|passphrase|passcode|pwd"
"""Words that end a name of a credential whatever letters stand before them."""
_ONE_WORD = r"key|cookie|bearer|jwt|creds|credential|authorization|auth"
_SECRET = re.compile(
    rf"(?:^|_)(?:\w*(?:api|access|secret|private|priv)_?key|\w*(?:{_LONG_WORD})|pass|{_ONE_WORD})s?"
    r"(?:_(?:value|text|string|hash))?$"
)
"""Names whose values are credentials, in small letters and with `_` between words."""
_ANY = "[a-z0-9_-]{0,60}"
_JOINED = r"(?-i:\w*[a-z0-9](?:Key|Token|Secret|Password))"
_LONG_NAME = rf"{_ANY}(?:(?:api|access|secret|private)[_-]?key|{_LONG_WORD})"
_NAMED = rf"(?:{_LONG_NAME}|{_ANY}[_-]pass|(?:{_ANY}[_-])?(?:{_ONE_WORD})|{_JOINED})"
_GIVEN = re.compile(
    rf"""(?imx) (
      (?<![a-z0-9_-]) -{{0,9}}{_NAMED} \s*(?:=>?|%3d)\s* (?!=)
      | (?<!\\)\\*["'`] (?:{_NAMED}|pass) \\*["'`] \s*[=:]\s* \\*
      | (?<![\w-]) (?:{_ANY} [_-] {_NAMED} | {_JOINED}) \s*:\s*
      | (?:^|[/'"-]) \s* (?:{_LONG_WORD}|api[_-]?key) \s*:\s*
      | (?<![^\s\["',]) --? {_NAMED} (?:\\*["']\s*,)? \s+ \\* (?!-)
      | (?<![a-z0-9_-]) (?:bearer|basic|api\ key|{_LONG_NAME}) (?:\s+is|\s*:)?[\ \t]+ (?=\S*\d) (?=\S{{8}})
    ) (?:\([^)]*\)|[\w.]*\(?(?:"[^"]*"|'[^']*'|`[^`]*`)|["']?[^\s;&,"'\\]+)
    | ((?<![a-z]) (?:authorization|cookie|password) \s*:\s*) [^\s"'\\] [^"'\\\n]*"""
)
"""A credential in a text: an option of a command, a variable, a header, a key of JSON, a part of an address."""
_SHAPED = re.compile(
    r"(?<![A-Za-z0-9])(?:(?:[sp]k[-_]|(?:pcsk|gsk|lsv2|r8|npm|hf|gh[opusr]|github_pat)_|(?:nvapi|xai|tvly|glpat|xox[a-z])-"
    r"|ya29\.|A[KS]IA|AIza|eyJ)[\w.-]{16,}|m0-[A-Za-z0-9]{30,})"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*-----|\Z)",
    re.DOTALL,
)
"""A credential that its own letters tell, whatever it is called."""
_LONG = re.compile(r"(?<![\w.-])[\w.-]{20,}")
"""A word that may have been drawn at random."""
_NUMBERS_OF = re.compile(r"(?:^|_)(?:max|min|most|num|n|prompt|completion|new|total)_.*tokens?$|^tokens$")
"""Names of limits and counts."""
_NAMING, _VALUES = ("name", "header", "key", "id", "variable"), ("value", "val")
"""Keys of a mapping that hold a name, and what is given under it."""


@dataclass(frozen=True, slots=True)
class Versions:
    """What is recorded beside the manifest.

    Attributes:
        code: fingerprint of the package.
        config: the configuration of the run, without credentials.
        environments: name to `NAME==VERSION` of each package; `pipeline` is the workflow's own.
        machine: its platform and its Python.
    """

    code: str
    config: Mapping[str, Any]
    environments: Mapping[str, Sequence[str]]
    machine: Mapping[str, str]

    def other_code(self) -> list[str]:
        """That other code wrote this than runs now; nothing where it is the same."""
        now = package_fingerprint()
        if self.code == now:
            return []
        return [
            f"this run was written by code {self.code}, and you audit it with code {now}: what differs below may be "
            "the code's change, not one of the files"
        ]

    def lines(self) -> list[str]:
        """One line for the machine and the code, and one for each environment."""
        lines = [f"code {self.code}, " + ", ".join(f"{name} {value}" for name, value in self.machine.items())]
        for name, packages in self.environments.items():
            named = [package for package in packages if "==" in package]
            lines.append(f"{name}: {len(named)} packages: {', '.join(named)}")
        return lines


def write_versions(path: Path, config: Mapping[str, Any], freezes: Iterable[Path]) -> None:
    """Write what runs now.

    Args:
        config: the configuration that the workflow ran with.
        freezes: the package lists of the systems' environments.
    """
    versions = Versions(
        package_fingerprint(),
        config,
        {
            PIPELINE: _installed(),
            **{file.name.removesuffix(".freeze.txt"): file.read_text(encoding="utf-8").split("\n") for file in freezes},
        },
        {"platform": platform.platform(), "Python": sys.version.split()[0]},
    )
    write_text(path, json.dumps(without_credentials(asdict(versions)), indent=1, sort_keys=True) + "\n")


@cache
def _installed() -> list[str]:
    """`NAME==VERSION` of each package that is installed here."""
    each = (found.metadata for found in importlib.metadata.distributions())
    return sorted({f"{about['Name']}=={about['Version']}" for about in each})


def read_versions(path: Path) -> Versions:
    """Read what `write_versions` wrote.

    Raises:
        UserError: where it is nothing of the kind.
    """
    data = read_object(path)
    kinds = {"code": str, "config": dict, "environments": dict, "machine": dict}
    if data.keys() != kinds.keys() or any(not isinstance(data[name], kind) for name, kind in kinds.items()):
        raise UserError(f"{path.name}: must hold {', '.join(kinds)} and nothing else")
    lists = data["environments"]
    if PIPELINE not in lists or not all(isinstance(found, list) for found in lists.values()):
        raise UserError(f"{path.name}: environments must hold lists of packages, that of the {PIPELINE} among them")
    environments = {name: [str(package) for package in packages] for name, packages in lists.items()}
    machine = {name: str(value) for name, value in data["machine"].items()}
    return Versions(data["code"], data["config"], environments, machine)


def without_credentials(value: Any, key: str = "") -> Any:
    """A JSON-like value whose addresses have neither account nor query, and whose credentials are empty texts, whatever
    lies below their name."""
    return _without(value, key, False)


def said_without(value: Any) -> Any:
    """The same of what a system or a hook said, in which a long word that looks drawn at random may be a key too.

    >>> said_without("401 for SG.x4Tq0Zr8vB1nW6yPq of Llama-3-8B-Instruct-Q4_K_M at 0.1234567890123456e-05")
    '401 for  of Llama-3-8B-Instruct-Q4_K_M at 0.1234567890123456e-05'
    """
    return _without_random(without_credentials(value))


def _without_random(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_random(part) for part in value]
    return _LONG.sub(lambda word: "" if _is_random(word[0]) else word[0], value) if isinstance(value, str) else value


def _is_random(word: str) -> bool:
    """Whether a part of a word mixes letters and digits as no name does."""
    runs = re.findall(r"[A-Za-z0-9]{16,}", word)
    return any(len(re.findall("[0-9]", run)) > 2 and len(re.findall("[A-Za-z]", run)) > 3 for run in runs)


def _without(value: Any, key: str, secret: bool) -> Any:
    secret = secret or _is_secret(key)
    if isinstance(value, Mapping):
        named = any(_names_one(part) for name, part in value.items() if str(name).lower() in _NAMING)
        return {
            name: _without(part, str(name), secret or (named and str(name).lower() in _VALUES))
            for name, part in value.items()
        }
    if isinstance(value, list | tuple):
        next_to = _names_one if len(value) == 2 else _names_next
        return [_without(part, key, secret or next_to(before)) for before, part in pairwise(("", *value))]
    if secret and isinstance(value, str | int | float) and not isinstance(value, bool):
        return ""
    if not isinstance(value, str):
        return value
    text = _SHAPED.sub("", _GIVEN.sub(r"\1\2", _QUERY.sub(r"\1", _ACCOUNT.sub("", value))))
    return _AFTER_PATH.sub("", text) if key == "base_url" else text


def _names_one(part: Any) -> bool:
    """Whether a text is the name of a credential, and no sentence that ends with one."""
    return isinstance(part, str) and " " not in part and _is_secret(part)


def _names_next(part: Any) -> bool:
    """Whether a part of a command is an option whose value, a credential, is the next part.

    >>> [_names_next(part) for part in ("--api-key", "-token", "--api-key=x", "api-key", 5)]
    [True, True, False, False, False]
    """
    return isinstance(part, str) and part.startswith("-") and "=" not in part and _is_secret(part)


def _is_secret(key: str) -> bool:
    """Whether a name is that of a credential.

    >>> [_is_secret(name) for name in ("accessToken", "openaiAPIKeys", "PGPASSWORD", "max_tokens", "monkey", "keyword")]
    [True, True, True, False, False, False]
    """
    name = "_".join(_WORD.findall(key)).lower()
    return bool(_SECRET.search(name)) and not _NUMBERS_OF.search(name)
