"""The paper's numbers counted again from Parquet, by code that the builders of the tables do not share."""

import csv
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import sqrt
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

Rows = list[dict[str, Any]]
Verdicts = Mapping[str, str]

MEASURED, RECOUNTED, OTHER_CASES, PRINTED = "", "†", "‡", "*"
COUNTED = "§"
"""In the cases themselves."""
MARKS = (MEASURED, RECOUNTED, OTHER_CASES, PRINTED)
"""From the strongest to the weakest."""

DEEPSEEK = "deepseek-ai/DeepSeek-V3"
QWEN = "Qwen/Qwen2.5-72B-Instruct"
LLAMA = "meta-llama/Meta-Llama-3.1-70B-Instruct"
FLASH = "deepseek/deepseek-v4-flash"
CONFIGURATIONS = {"mem0": "mem0_paper"}
"""Configurations that are named otherwise than in the paper's tables."""

RELEASED = {
    ("published", "lethe"): ("adversarial", "lethe", "", "substring", "v0.5"),
    ("published", "mem0"): ("adversarial", "mem0", "", "substring", "v0.5"),
    ("published", "langgraph"): ("adversarial", "langgraph", "", "substring", "v0.5"),
    ("published", "mempalace"): ("adversarial", "mempalace", "", "substring", "v0.5"),
    ("published", "naive_sql"): ("adversarial", "naive_sql", "", "substring", "v0.5"),
    ("published", "a_mem"): ("adversarial", "amem", "", "substring", "v0.5"),
    ("published", "mem0_infer"): ("adversarial", "mem0 infer=True", DEEPSEEK, "substring", "v0.5"),
    ("published", "lethe+llm"): ("adversarial", "lethe+llm", DEEPSEEK, "substring", "v0.5"),
    ("published", "langgraph+llm"): ("adversarial", "langgraph+llm", DEEPSEEK, "substring", "v0.5"),
    ("published", "lethe+llm@qwen"): ("adversarial", "lethe+llm", QWEN, "substring", "v0.5"),
    ("published", "langgraph+llm@qwen"): ("adversarial", "langgraph+llm", QWEN, "substring", "v0.5"),
    ("published", "lethe+llm@llama"): ("adversarial", "lethe+llm", LLAMA, "substring", "v0.5-365"),
    ("published_external", "lethe+llm"): ("external", "lethe+llm", DEEPSEEK, "substring", "v0.5"),
    ("published_external", "mem0_infer"): ("external", "mem0 infer=True", DEEPSEEK, "substring", "v0.5"),
    ("published_external", "a_mem"): ("external", "amem", "", "substring", "v0.5"),
    ("published_external", "graphiti"): ("external", "graphiti", "", "substring", "v0.5"),
    ("published_external", "hipporag"): ("external", "hipporag", "", "substring", "v0.5"),
    ("published_external", "letta"): ("external", "letta", "", "substring", "v0.5"),
    ("published_external", "letta+llm"): ("external", "letta+llm", "", "substring", "v0.5"),
    ("published_external", "openmemory"): ("external", "openmemory", "", "substring", "v0.5"),
}
"""The released run that is the printed one, by suite and system: suite, system, model, scorer and release there."""

LATER = {
    ("published", "letta"): ("repaired", "letta", "", "probed", "v0.7"),
    ("published", "graphiti"): ("repaired", "graphiti", FLASH, "probed", "v0.7"),
    ("published_external", "langgraph+llm"): ("external", "langgraph+llm", FLASH, "probed", "v0.7"),
    ("published_external", "mem0"): ("external", "mem0", "", "probed", "v0.7"),
}
"""A later run of a system whose printed run was not released."""


@dataclass(frozen=True)
class Count:
    """How many cases were passed, and how many could be evaluated at all."""

    passed: int
    cases: int
    na: int = 0

    @property
    def evaluable(self) -> "Count":
        return Count(self.passed, self.cases - self.na, self.na)

    @property
    def percent(self) -> Fraction:
        return Fraction(100 * self.passed, self.cases)


def counted(verdicts: Iterable[str]) -> Count:
    listed = list(verdicts)
    assert set(listed) <= {"pass", "fail", "na"}, f"verdicts that no table may count: {set(listed)}"
    return Count(listed.count("pass"), len(listed), listed.count("na"))


def wilson(count: Count) -> tuple[float, float]:
    """The 95 % Wilson interval, in percent."""
    z, n = 1.959963984540054, count.cases
    share = count.passed / n
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return 100 * max(0.0, middle - half), 100 * min(1.0, middle + half)


def weakest(*marks: str) -> str:
    return max(marks, key=MARKS.index)


@dataclass(frozen=True)
class Printed:
    """What the paper prints in one place: the text of each unit, and the number of cases."""

    texts: Mapping[str, str]
    cases: int | None

    @property
    def not_given(self) -> bool:
        return "na" in self.texts

    def digits(self, unit: str) -> int:
        return len(self.texts[unit].partition(".")[2])

    @property
    def share(self) -> str:
        percent = f" ({self.texts['percent']})" if "percent" in self.texts else ""
        return f"{self.texts['cases']}/{self.cases}{percent}"


def read_printed(path: Path) -> dict[tuple[str, str, str], Printed]:
    places: dict[tuple[str, str, str], Printed] = {}
    with path.open(encoding="utf-8") as stream:
        for line in csv.DictReader(stream):
            key = (line["table"], line["row"], line["column"])
            earlier = places[key].texts if key in places else {}
            cases = int(line["n"]) if line["n"] else None
            places[key] = Printed({**earlier, line["unit"]: line["value"]}, cases)
    return places


def is_rounding(value: Fraction, text: str) -> bool:
    """Whether the text is the value rounded to the text's digits; a half may go either way."""
    step = Fraction(1, 10 ** len(text.partition(".")[2]))
    return abs(value - Fraction(text)) <= step / 2


def rounded(value: Fraction | float, digits: int, like: str | None = None) -> str:
    """The value with that many digits; a half goes the way of the text `like`, or else to the even digit."""
    exact = Fraction(value)
    half = (exact * 10**digits).denominator == 2
    if half and like is not None and is_rounding(exact, like):
        return like
    return f"{float(round(exact, digits)):.{digits}f}"


def signed(text: str) -> str:
    return text.replace("-", "−") if text.startswith("-") else f"+{text}"


def share_text(count: Count, printed: Printed | None, digits: int | None = None) -> str:
    """ "33/36 (92)"; without the percent where none is printed."""
    like = printed.texts.get("percent") if printed else None
    if printed and like is not None:
        digits = printed.digits("percent")
    percent = "" if digits is None else f" ({rounded(count.percent, digits, like)})"
    return f"{count.passed}/{count.cases}{percent}"


def share_cell(printed: Printed, count: Count | None, mark: str, digits: int | None = None) -> str:
    """A cell of passed cases: what stands for the number, its mark, and what was printed where it differs."""
    if count is None:
        return f"N/A{PRINTED}" if printed.not_given else f"{printed.share}{PRINTED}"
    if count.cases == 0 or (printed.not_given and count.na == count.cases):
        assert printed.not_given, f"nothing to evaluate, but {printed} is printed"
        return f"N/A{mark}"
    text = f"{share_text(count, printed, digits)}{mark}"
    if printed.not_given:
        return f"{text} [N/A]"
    if count.cases != printed.cases:
        return f"{text} [{printed.share}]"
    return text if str(count.passed) == printed.texts["cases"] else f"{text} [{printed.texts['cases']}]"


def percent_cell(printed: Printed, count: Count | None, mark: str) -> str:
    like = printed.texts["percent"]
    if count is None:
        return f"{like} %{PRINTED}"
    differs = "" if is_rounding(count.percent, like) else f" [{like} %]"
    return f"{rounded(count.percent, printed.digits('percent'), like)} %{mark}{differs}"


def points_cell(printed: Printed, points: Fraction, mark: str) -> str:
    """A difference of two shares, with its sign."""
    like = printed.texts["points"]
    differs = "" if is_rounding(points, like) else f" [{like.replace('-', '−')}]"
    return f"{signed(rounded(points, printed.digits('points'), like))}{mark}{differs}"


def interval_text(low: str, high: str) -> str:
    return f"[{low}, {high}]"


class Results:
    """The Parquet files of a finished run, read directly."""

    def __init__(self, folder: Path, published: Path):
        self.folder = folder
        self.printed = read_printed(published)

    def rows(self, name: str) -> Rows:
        found: Rows = pq.read_table(self.folder / name).to_pylist()
        return found

    def optional(self, name: str) -> Rows | None:
        return self.rows(name) if (self.folder / name).is_file() else None

    @cached_property
    def runs(self) -> dict[tuple[str, ...], dict[str, str]]:
        """The released verdicts of each run."""
        runs: dict[tuple[str, ...], dict[str, str]] = {}
        for row in self.rows("released/verdicts.parquet"):
            key = (row["suite"], row["system"], row["model"], row["scorer"], row["release"])
            runs.setdefault(key, {})[row["case_id"]] = row["verdict"]
        return runs

    @cached_property
    def summaries(self) -> Rows:
        return self.rows("released/summaries.parquet")

    @cached_property
    def origins(self) -> Rows:
        return self.rows("released/origins.parquet")

    @cached_property
    def cases(self) -> dict[str, dict[str, dict[str, Any]]]:
        suites = ("published", "published_external")
        return {suite: {c["case_id"]: c for c in self.rows(f"suites/{suite}/cases.parquet")} for suite in suites}

    def summary(self, file: str, system: str, suite: str, category: str) -> Count | None:
        found = [
            Count(row["passed"], row["n"])
            for row in self.summaries
            if (row["file"], row["system"], row["suite"], row["category"]) == (file, system, suite, category)
        ]
        assert len(found) < 2, f"{file} states {category} of {system} twice"
        return found[0] if found else None

    def trials(self, suite: str, system: str) -> dict[str, str] | None:
        name = CONFIGURATIONS.get(system, system)
        rows = self.optional(f"runs/{suite}/{name}.parquet")
        return None if rows is None else {row["case_id"]: row["verdict"] for row in rows if row["model"] == ""}

    def standing(self, suite: str, system: str) -> tuple[Verdicts | None, str]:
        """The verdicts that stand for a printed system's, with their mark: trials of this run, or released ones."""
        trials = self.trials(suite, system)
        if trials is not None:
            return trials, MEASURED
        run = RELEASED.get((suite, system))
        return (None, PRINTED) if run is None else (self.runs[run], RECOUNTED)

    def count(self, suite: str, system: str, wanted: Callable[[dict[str, Any]], bool]) -> tuple[Count | None, str]:
        verdicts, mark = self.standing(suite, system)
        return (None if verdicts is None else self.part(suite, verdicts, wanted)), mark

    def part(self, suite: str, verdicts: Verdicts, wanted: Callable[[dict[str, Any]], bool]) -> Count:
        cases = self.cases[suite]
        assert verdicts.keys() <= cases.keys(), f"verdicts of cases that {suite} lacks"
        return counted(verdict for case, verdict in verdicts.items() if wanted(cases[case]))

    def later(self, suite: str, system: str, wanted: Callable[[dict[str, Any]], bool]) -> Count:
        return self.part(suite, self.runs[LATER[suite, system]], wanted)


def everything(_case: dict[str, Any]) -> bool:
    return True


def in_category(name: str) -> Callable[[dict[str, Any]], bool]:
    return lambda case: bool(case["category"] == name)


def not_in_category(name: str) -> Callable[[dict[str, Any]], bool]:
    return lambda case: bool(case["category"] != name)


def needing(operations: set[str]) -> Callable[[dict[str, Any]], bool]:
    """Cases with one of these mutations."""
    return lambda case: any(mutation["op"] in operations for mutation in case["mutations"])
