"""Drafting cases with a model, from a category's brief and examples; Stage 1 and Stage 2 check the drafts.

The paper's expansion cases were made in this way (section "Adversarial layer").
"""

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import astuple, dataclass, replace
from pathlib import Path
from typing import Any

from forgeteval.admission.check import NO_ID, check_lines
from forgeteval.admission.rejection import Rejection
from forgeteval.cases.case import ADVERSARIAL_CATEGORIES, Case
from forgeteval.csv_cells import as_text
from forgeteval.errors import UserError, printable
from forgeteval.planners.llm.reading import UnusableAnswer, only_value
from forgeteval.planners.protocol import PlannerUnavailable
from lethe.people.judging import Judgement

Ask = Callable[[str, str], str]
"""Maps (purpose, prompt) to the text of the answer; raises PlannerUnavailable if there is none."""
Judge = Callable[[Sequence[Case]], Iterable[Judgement]]
"""Maps cases to their judgements, in the same order."""

SUITE = "drafted"
DATA_FILES = ("draft_prompt.txt",)
_PROMPT = Path(__file__).with_name(DATA_FILES[0]).read_text(encoding="utf-8")
_REPAIR = (
    "An earlier answer to this message could not be used: it was not one complete JSON object with the one field "
    '"cases". Answer again, with nothing around the object.\n\n'
)
_BLOCK = "```json\n"
_NOT_SHOWN = {"suite", "provenance"}
_BRIEFS = {
    "substring_trap": "The string that has to go is also a piece of a longer word or name in a row that has to stay, "
    "so a memory that deletes or searches by piece of text hits the wrong row.",
    "prefix_collision": "Two identifiers (addresses, numbers, names, codes) begin with the same long run of "
    "characters. The mutation means one of them; the row of the other stays.",
    "paraphrase_supersession": "A new fact replaces an old one and shares hardly a word with it; only the meaning "
    "shows which row went out of date. Another row shares more words and stays.",
    "negation_trap": "A row says that something is so and another that something is not so, about the same or a "
    "neighbouring thing. The mutation means one of the two and the other stays.",
    "temporal_qualifier": "Facts carry dates or spans of time, and a chain of updates goes on from one to the next. "
    "Only the row of the time that the mutation means goes out of date.",
    "shared_attribute": "Two or more people or things have the same property. Forgetting it for one keeps it for the "
    "others.",
    "compound_fact": "One sentence states two things on different topics. One of them is superseded; the other has to "
    "live on in the perfect memory's row.",
    "identifier_obfuscation": "One identifier is written in several forms (capitals, spaces, separators, country "
    "codes). The mutation uses a form other than the row's; a different identifier that looks alike stays.",
    "cross_lingual_identifier": "One person or thing is written in two scripts or languages. The mutation names it in "
    "one form and the row in the other; somebody of a similar name stays.",
    "recursive_supersession": "A chain of updates comes back to a value that was superseded earlier (A, B, A). The "
    "last state counts; what was current in between is gone.",
}


@dataclass(frozen=True, slots=True)
class DraftReport:
    """Result of a draft: the admitted cases, and every reason against the others."""

    admitted: tuple[Case, ...]
    rejections: tuple[Rejection, ...]

    def rejections_csv(self) -> str:
        """The rejections as CSV with a header line."""
        text = io.StringIO(newline="")
        rows = ([as_text(printable(str(cell))) for cell in astuple(rejection)] for rejection in self.rejections)
        csv.writer(text, lineterminator="\n").writerows([("case_id", "reason", "detail"), *rows])
        return text.getvalue()


def draft_cases(
    category: str,
    count: int,
    exemplars: Sequence[Case],
    ask: Ask,
    judge: Judge | None = None,
    earlier: Iterable[Case] = (),
) -> DraftReport:
    """Let a model draft `count` cases of a category, and check each.

    Args:
        exemplars: cases shown to the model; a draft that repeats one is rejected.
        judge: Stage 2, for the cases that Stage 1 admits; None to leave it out.
        earlier: further cases that a draft must not repeat.

    Raises:
        UserError: if the category is not an adversarial one, or the model does not answer.
    """
    prompt = draft_prompt(category, count, exemplars)
    lines = _ask_for_lines(prompt, ask)
    if lines is None:
        return DraftReport(
            (), (Rejection(NO_ID, "unusable-answer", "neither of two answers was a JSON array of cases"),)
        )
    intake = check_lines(Path("draft"), lines[:count], [*exemplars, *earlier])
    rejections = [Rejection(o.case_id, o.reason, f"case {o.line}: {o.detail}") for o in intake.objections]
    if len(lines) > count:
        rejections.append(
            Rejection(NO_ID, "beyond-count", f"{len(lines)} cases instead of {count}; the last ones were left out")
        )
    sound = []
    for case in intake.admitted:
        if case.category == category:
            sound.append(replace(case, suite=SUITE, provenance="expansion"))
        else:
            rejections.append(Rejection(case.case_id, "other-category", f"{case.category} instead of {category}"))
    if judge is None:
        return DraftReport(tuple(sound), tuple(rejections))
    admitted = []
    for case, row in zip(sound, judge(sound), strict=True):
        if row["verdict"] == "admit":
            admitted.append(case)
        else:
            detail = row["reason"] or row["error"] or ""
            rejections.append(Rejection(case.case_id, f"judge-{row['verdict']}", f"{row['judge']}: {detail}"))
    return DraftReport(tuple(admitted), tuple(rejections))


def check_category(category: str) -> None:
    """Raise UserError unless cases of this category can be drafted."""
    if category not in _BRIEFS:
        raise UserError(f"category {category!r}: unknown; known: {', '.join(ADVERSARIAL_CATEGORIES)}")


def draft_prompt(category: str, count: int, exemplars: Sequence[Case]) -> str:
    """The drafting prompt; it ends with its only fenced block, the request in JSON."""
    check_category(category)
    shown = [{name: value for name, value in case.to_json().items() if name not in _NOT_SHOWN} for case in exemplars]
    values = {
        "category": category,
        "count": str(count),
        "brief": _BRIEFS[category],
        "exemplars": "\n".join(map(_json, shown)) or "(none)",
        "request": _json({"task": "draft", "category": category, "count": count}),
    }
    # In one pass, so that a placeholder in an example stays as it is.
    return re.sub(r"\{(\w+)\}", lambda found: values[found[1]], _PROMPT)


def _ask_for_lines(prompt: str, ask: Ask) -> list[bytes] | None:
    """The drafted cases as lines of JSON; if the first answer is unusable, the model is asked once more."""
    instructions, opening, block = prompt.rpartition(_BLOCK)
    try:
        lines = _read_answer(ask("draft", prompt))
        return _read_answer(ask("draft_repair", f"{instructions}{_REPAIR}{opening}{block}")) if lines is None else lines
    except PlannerUnavailable as error:
        raise UserError(f"the drafting model does not answer ({error}); nothing was written") from error


def _read_answer(text: str) -> list[bytes] | None:
    """Read a JSON array of cases, by itself or as the only field `cases` of an object."""
    try:
        found = only_value(text).value
    except UnusableAnswer:
        return None
    if isinstance(found, dict) and found.keys() == {"cases"}:
        found = found["cases"]
    return [json.dumps(item).encode("ascii") for item in found] if isinstance(found, list) and found else None


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False).replace("`", "\\u0060")
