"""The page's script: small modules, put into one in the order of their imports."""

import re
from pathlib import Path

_IMPORT = re.compile(r'^import \{[^}]*\} from "\./(\w+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:const|function) (\w+))", re.MULTILINE)


def joined_modules(folder: Path, first: str) -> str:
    """The text of a module after those that it imports, each once and in a scope of its own.

    What a module exports is a constant of the whole, so no two may export the same name.
    """
    texts: dict[str, str] = {}
    _add(folder, first, texts)
    return "\n".join(texts.values())


def _add(folder: Path, name: str, texts: dict[str, str]) -> None:
    source = (folder / name).read_text(encoding="utf-8")
    for needed in _IMPORT.findall(source):
        if needed not in texts:
            _add(folder, needed, texts)
    exported = ", ".join(_EXPORT.findall(source))
    body = _EXPORT.sub("", _IMPORT.sub("", source)).strip()
    texts[name] = f"const {{ {exported} }} = (() => {{\n{body}\nreturn {{ {exported} }};\n}})();"
