"""Suites by name, by path, or made of cases: what is evaluated, with its version and checksum."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, overload

from forgeteval.cases.case import Case, in_known_order
from forgeteval.cases.interchange import case_from_json, cases_sha256, checked_case, require_unique_ids
from forgeteval.cases.others import find_other, other_suites, read_other
from forgeteval.cases.packaged import packaged_suites, read_packaged
from forgeteval.cases.reading import read_cases
from forgeteval.errors import UserError, check_name

_UNNAMED = "cases"


@dataclass(frozen=True, slots=True)
class Suite(Sequence[Case]):
    """A suite: a sequence of cases that knows what it is.

    >>> suite = load_suite("owners")
    >>> suite.label, suite.version, suite.sha256[:12]
    ('Owners', 1, '2624380459dc')
    >>> len(suite), suite[0].case_id, suite.categories[:2]
    (120, 'owners-before_a_date-01', ['same_fact', 'what_i_told'])

    Attributes:
        name: by which it was asked for; of a file, its name without the ending.
        label: what people read.
        version: of one of ours, from 1, a number more where cases were withdrawn; 0 for any other.
        sha256: of what the cases say, whatever file they came in.
    """

    name: str
    label: str
    version: int
    sha256: str
    cases: tuple[Case, ...] = field(repr=False)

    @property
    def categories(self) -> list[str]:
        """Each category once: those of our suites in their order, then the others as they come."""
        return in_known_order(case.category for case in self.cases)

    @overload
    def __getitem__(self, place: int) -> Case: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[Case]: ...

    def __getitem__(self, place: int | slice) -> Case | Sequence[Case]:
        return self.cases[place]

    def __len__(self) -> int:
        return len(self.cases)

    def __iter__(self) -> Iterator[Case]:
        return iter(self.cases)


@dataclass(frozen=True, slots=True)
class KnownSuite:
    """A suite that has a name.

    Attributes:
        cases: how many there are.
        here: whether it can be read; one of other authors has to be fetched first.
    """

    name: str
    label: str
    cases: int
    here: bool


def known_suites(data: Path | None = None) -> list[KnownSuite]:
    """Every suite that `load_suite` knows by name: our own, then those of other authors.

    Args:
        data: see `load_suite`.
    """
    return [
        *(KnownSuite(entry.name, entry.label, entry.cases, True) for entry in packaged_suites().values()),
        *(
            KnownSuite(name, pinned["label"], pinned["cases"], find_other(name, data) is not None)
            for name, pinned in other_suites().items()
        ),
    ]


def load_suite(suite: str | Path | Iterable[Case | Mapping[str, Any]], data: Path | None = None) -> Suite:
    """A suite by its name, the cases of a file or folder, or cases themselves.

    >>> load_suite("adversarial").label
    'Adversarial'
    >>> mine = load_suite(
    ...     [
    ...         {
    ...             "category": "gdpr_request",
    ...             "setup_facts": ["Ada lives in Ghent.", "Bo lives in Tartu."],
    ...             "mutations": [["purge", "Ada"]],
    ...             "final_query": "Who lives where?",
    ...             "must_contain": ["Tartu"],
    ...             "must_not_contain": ["Ghent"],
    ...         }
    ...     ]
    ... )
    >>> mine.categories, mine[0].case_id
    (['gdpr_request'], 'cases-1')

    Args:
        suite: a name of `known_suites`; a path to anybody's cases (see `forgeteval.cases.reading.read_cases`); or
            cases, each a `Case` or a mapping with the same fields as a line of a file.
        data: folder with the files of other authors, looked into before that of `FORGETEVAL_DATA`, `datasets`, and
            `../shared/datasets`.

    Raises:
        UserError: where there is no such suite, it is not here, or a case is malformed.
    """
    if isinstance(suite, Suite):
        return suite
    if data is not None and not isinstance(data, str | Path):
        raise UserError(f"data: {data!r:.80} is no path of a folder")
    data = None if data is None else Path(data)
    if isinstance(suite, str) and not suite.strip():
        raise UserError("suite: no name or path is given; give one, or `.` for the current folder")
    if not isinstance(suite, str | Path):
        return _made(_UNNAMED, _UNNAMED, 0, _given(suite))
    name = str(suite)
    if name in packaged_suites():
        entry = packaged_suites()[name]
        return Suite(name, entry.label, entry.version, entry.sha256, tuple(read_packaged(name)))
    if name in other_suites():
        return _made(name, other_suites()[name]["label"], 0, read_other(name, data))
    path = Path(suite)
    # Unlike Path.exists, it says of a name that is too long that there is none.
    if not os.path.exists(path):  # noqa: PTH110
        raise UserError(
            f"suite {name!r:.80}: no such suite, file or folder; known are {', '.join(packaged_suites())}, and, once "
            f"`forgeteval fetch NAME` has brought it, {', '.join(other_suites())}"
        )
    check_name("suite", path.stem)
    return _made(path.stem, path.stem, 0, read_cases(path, path.stem))


def _made(name: str, label: str, version: int, cases: Sequence[Case]) -> Suite:
    return Suite(name, label, version, cases_sha256(cases), tuple(cases))


def _given(cases: Iterable[Case | Mapping[str, Any]]) -> list[Case]:
    if isinstance(cases, str | bytes | Mapping) or not isinstance(cases, Iterable):
        raise UserError(f"suite: {cases!r:.80} is no suite; give its name, a path, or a list of cases")
    found = [_given_case(case, number) for number, case in enumerate(cases, start=1)]
    if not found:
        raise UserError("suite: there is no case; give at least one")
    require_unique_ids((f"case {number}", case.case_id) for number, case in enumerate(found, start=1))
    return found


def _given_case(case: Case | Mapping[str, Any], number: int) -> Case:
    where, default_id = f"case {number}", f"{_UNNAMED}-{number}"
    if isinstance(case, Case):
        return checked_case(case, where, default_id, _UNNAMED)
    return case_from_json(dict(case) if isinstance(case, Mapping) else case, _UNNAMED, where, default_id=default_id)
