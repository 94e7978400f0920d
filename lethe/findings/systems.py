"""The part of the page of a system, in docs/systems, that follows from a run: what it passed, and what goes wrong."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from forgeteval.errors import UserError
from forgeteval.files import read_file
from forgeteval.run.facts import MEASURES
from lethe import schemas
from lethe.config.configurations import configuration_name
from lethe.findings.markdown import TEMPLATES, Shown, first_wrong
from lethe.schemas import ALL
from lethe.stored.cases import suite_from_rows
from lethe.study.erasure import SHOWN
from lethe.study.inputs import Files
from lethe.study.results import Score, SuiteResults
from lethe.study.setup import Setup
from lethe.tables.beyond.erasure import worst_of, worst_verdicts

DATA_FILES = ("systems.md.j2",)
PAGES = Path("docs/systems")
_BLOCK = re.compile(r"(?P<begin><!-- measured: (?P<names>[^>]*) -->\n).*?(?P<end><!-- end of measured -->)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Standing:
    """What one configuration did.

    Attributes:
        adversarial: [passed, cases, N/A, errors] of the adversarial suite; empty where it did not run.
        suites: the same of each suite that it ran on, by its name in tables.
        not_run: why it did not run on the others, likewise.
        developed_on: of those that it ran on, the ones whose cases its planner was developed on, likewise.
        caveat: what its numbers may not be taken for; empty for nothing.
        rates: leak, collateral and stale of the adversarial suite (`rate`) with 95 % intervals (`low`, `high`), from 0
            to 1; none where its planner was developed on that suite.
        memories: in the largest store of the erasure audit; 0 where that did not run.
        erased: the worst verdict of each level there, with how many cases have it, and of how many.
        shown: the first adversarial case that counts against it under each rate.
    """

    label: str
    regime: str
    contract: str
    adversarial: Sequence[int]
    suites: Mapping[str, Sequence[int]]
    not_run: Mapping[str, str]
    developed_on: Sequence[str]
    caveat: str
    rates: Mapping[str, Mapping[str, float]]
    memories: int
    erased: Mapping[str, tuple[str, int, int]]
    shown: Sequence[Shown]


def system_pages(root: Path) -> list[Path]:
    """The pages of systems in a project's folder."""
    return sorted((root / PAGES).glob("*.md"))


def systems_on(page: Path) -> list[str]:
    """The entries of config/systems.yaml that a page is of.

    Raises:
        UserError: where it does not say.
    """
    return _block(page)["names"].split(", ")


def standings(setup: Setup, files: Files, systems: Sequence[str]) -> dict[str, Standing]:
    """What the configurations of these systems did in a finished run, by their names."""
    run = _Run(setup, files)
    names = [name for system in systems for name, entry in setup.configurations.items() if entry.system == system]
    return {name: run.standing(name) for name in names}


class _Run:
    """The rows that the pages are made of."""

    def __init__(self, setup: Setup, files: Files) -> None:
        self._setup, self._files, self._main = setup, files, setup.adversarial_suite
        self._results = [
            SuiteResults.of(files.rows(schemas.SCORES, schemas.SCORES.path.format(suite=suite)), suite, setup)
            for suite in setup.suites
        ]
        self._cases = suite_from_rows(files.rows(schemas.CASES, schemas.CASES.path.format(suite=self._main)))
        states = files.rows(schemas.FACT_STATES, schemas.FACT_STATES.path.format(suite=self._main))
        self._rates = {
            (configuration_name(row), row["measure"]): {part: row[part] for part in ("rate", "low", "high")}
            for row in states
            if (row["cut"], row["value"]) == ("overall", ALL)
        }
        audited = files.rows(schemas.ERASURE_SCORES, schemas.ERASURE_SCORES.path) if setup.erasure.stores else []
        self._audited = worst_verdicts(audited)

    def standing(self, name: str) -> Standing:
        entry = self._setup.configurations[name]
        memories = max((rows for audited, rows in self._audited if audited == name), default=0)
        levels = self._audited.get((name, memories), {})
        worst = {level: worst_of(levels[level]) for level in SHOWN if level in levels}
        ran = {found.suite: _counts(score) for found in self._results if (score := found.score(name))}
        labels = {found.suite: found.label for found in self._results}
        developed_on = [found.label for found in self._results if found.suite in ran and found.is_seen_by(name)]
        rates = {} if labels[self._main] in developed_on else self._rates
        return Standing(
            entry.label,
            entry.regime,
            entry.contract,
            ran.get(self._main, []),
            {labels[suite]: counts for suite, counts in ran.items()},
            {found.label: found.not_run[name] for found in self._results if name in found.not_run},
            developed_on,
            self._setup.caveats.get(name, ""),
            {measure: rates[name, measure] for measure in MEASURES if (name, measure) in rates},
            memories,
            {level: (verdict, levels[level][verdict], sum(levels[level].values())) for level, verdict in worst.items()},
            self._shown(name),
        )

    def _shown(self, name: str) -> list[Shown]:
        if not self._setup.runs(name, self._main):
            return []
        trials = self._files.rows(schemas.TRIALS, schemas.TRIALS.path.format(suite=self._main, system=name))
        ran = {(row["suite"], row["case_id"]): row for row in trials}
        return [shown for measure in MEASURES if (shown := first_wrong(measure, self._cases, ran))]


def filled(page: Path, found: Mapping[str, Standing]) -> str:
    """The text of a page with what the configurations of its systems did.

    Raises:
        UserError: where nothing is known of one of them.
    """
    block = _block(page)
    own: list[Standing] = []
    for system in systems_on(page):
        configurations = [each for name, each in found.items() if name.partition("@")[0] == system]
        if not configurations:
            raise UserError(f"{page}: the run has no {system}")
        own += configurations
    absent: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for each in own:
        for reason in dict.fromkeys(each.not_run.values()):
            suites = tuple(suite for suite, why in each.not_run.items() if why == reason)
            left_out = suites if each.suites or len(suites) < len(each.not_run) else ("every suite",)
            absent.setdefault((reason.removeprefix("not run: "), left_out), []).append(each.label)
    text = TEMPLATES.from_string(read_file(Path(__file__).with_name(DATA_FILES[0])).decode()).render(
        own=own,
        first=next((each for each in own if each.rates), own[0]),
        suites=dict.fromkeys(suite for each in own for suite in each.suites),
        absent=absent,
        levels=SHOWN,
        measures=list(MEASURES),
        counts=_in_words,
    )
    return f"{block.string[: block.end('begin')]}{text}{block.string[block.start('end') :]}"


def _counts(score: Score) -> list[int]:
    return [score["passed"], score["cases"], score["na"], score["errors"]]


def _in_words(counts: Sequence[int]) -> str:
    passed, cases, na, errors = counts
    parts = [f"{passed}/{cases}", *([f"{na} N/A"] if na else []), *([f"{errors} broke"] if errors else [])]
    return "N/A" if na == cases else ", ".join(parts)


def _block(page: Path) -> re.Match[str]:
    found = _BLOCK.search(page.read_text(encoding="utf-8"))
    if found is None:
        raise UserError(f"{page}: no markers <!-- measured: NAMES --> and <!-- end of measured -->")
    return found
