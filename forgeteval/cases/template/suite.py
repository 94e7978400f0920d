"""The template suite: a seeded generator that cycles through the sub-templates of each family."""

from itertools import cycle, islice

from forgeteval.cases.case import Case
from forgeteval.cases.draw import Draw
from forgeteval.cases.template.families import POOLS, SUB_TEMPLATES


def generate_template_suite(suite: str, seed: int, cases_per_family: int, distractors: int) -> list[Case]:
    """The cases of the template suite (paper, section "Template suite": 1000 cases at seed 42 with 4 distractors).

    The same arguments give the same cases on every machine and Python version.

    Args:
        cases_per_family: number of cases in each of the five families, which cycle through their four sub-templates.
        distractors: unrelated facts mixed into each case.
    """
    return [
        _case(suite, family, sub_template, number, seed, distractors)
        for family, sub_templates in SUB_TEMPLATES.items()
        for number, sub_template in enumerate(islice(cycle(sub_templates), cases_per_family), start=1)
    ]


def _case(suite: str, family: str, sub_template: str, number: int, seed: int, distractors: int) -> Case:
    draw = Draw(f"{seed}/{family}/{sub_template}/{number}")
    draft = SUB_TEMPLATES[family][sub_template].fill(draw)
    facts = [*draft.dead, *draft.kept, *draw.several(POOLS["distractors"], distractors)]
    facts = draw.several(facts, len(facts))
    newest = [mutation.text for mutation in draft.mutations if mutation.text is not None][-1:]
    return Case(
        case_id=f"{family}-{sub_template}-{number:04d}",
        suite=suite,
        category=family,
        family=family,
        provenance="template",
        mechanism=sub_template,
        setup_facts=tuple(facts),
        mutations=tuple(draft.mutations),
        final_query=draft.query,
        must_contain=tuple(draft.required),
        must_not_contain=tuple(draft.forbidden),
        gold_rows=tuple([fact for fact in facts if fact not in draft.dead] + newest),
    )
