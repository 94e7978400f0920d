"""Chinese characters in one form: traditional, simplified and Japanese ones of the same character."""

import functools
import re
from importlib.resources import files

_HAN = re.compile("[\u3400-\u9fff\U00020000-\U0003ffff]")
_OF_NAMES = {"髙": "高", "﨑": "崎", "邉": "邊", "嵜": "崎", "濵": "濱", "槗": "橋", "栁": "柳", "圡": "土"}
"""Forms of characters in Japanese family names that the tables of OpenCC leave out."""


@functools.lru_cache(maxsize=8192)
def simplified(text: str) -> str:
    """A text with each Chinese character in its simplified form; the text keeps its length."""
    return text.translate(_forms()) if _HAN.search(text) else text


@functools.cache
def _forms() -> dict[int, str]:
    """For each character, its simplified form by OpenCC's tables; for Japanese ones by way of the traditional form."""
    plain = _table("TSCharacters.txt")
    japanese = {other: old for old, other in _table("JPVariants.txt").items()} | _OF_NAMES
    joined = plain | {new: plain.get(old, old) for new, old in japanese.items() if new not in plain}
    return {ord(one): other for one, other in joined.items() if len(one) == len(other) == 1}


def _table(name: str) -> dict[str, str]:
    lines = (files("opencc") / "dictionary" / name).read_text(encoding="utf-8").splitlines()
    return {one: others.split()[0] for one, others in (line.split("\t", 1) for line in lines if "\t" in line)}
