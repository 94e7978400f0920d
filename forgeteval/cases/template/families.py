"""The twenty sub-templates: four for each of the five families (paper, sections "Five families" and "Template suite").

Beside the target each sets up a bystander of the same kind that no mutation touches, so that deleting everything fails.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from forgeteval.cases.case import Mutation
from forgeteval.cases.draw import Draw
from forgeteval.yaml_data import read_yaml_data

DATA_FILES = ("families.yaml", "words.yaml")
_FAMILIES = read_yaml_data(Path(__file__).with_name(DATA_FILES[0]))
POOLS: dict[str, list[str]] = read_yaml_data(Path(__file__).with_name(DATA_FILES[1]))


@dataclass(frozen=True, slots=True)
class Draft:
    """A case before distractors are mixed in; a perfect store loses the `dead` facts and keeps the last new text."""

    dead: list[str]
    kept: list[str]
    mutations: list[Mutation]
    query: str
    required: list[str]
    forbidden: list[str]


@dataclass(frozen=True, slots=True)
class SubTemplate:
    """One sub-template; families.yaml explains its fields."""

    draws: dict[str, Any]
    dead: list[str]
    kept: list[str]
    mutations: list[list[Any]]
    query: str
    required: list[str]
    forbidden: list[str]
    lower_case: dict[str, str] = field(default_factory=dict)

    def fill(self, draw: Draw) -> Draft:
        """One case with newly drawn values."""
        values: dict[str, Any] = {}
        for names, source in self.draws.items():
            wanted = names.split(", ")
            values |= zip(wanted, _drawn(draw, source, len(wanted)), strict=True)
        values |= {name: text.format_map(values).lower() for name, text in self.lower_case.items()}

        def filled(texts: list[str]) -> list[str]:
            return [text.format_map(values) for text in texts]

        return Draft(
            dead=filled(self.dead),
            kept=filled(self.kept),
            mutations=[Mutation(op, *filled(texts)) for op, *texts in self.mutations],
            query=self.query.format_map(values),
            required=filled(self.required),
            forbidden=filled(self.forbidden),
        )


def _drawn(draw: Draw, source: Any, count: int) -> list[Any]:
    if isinstance(source, str):
        return draw.several(POOLS[source], count)
    if "digits" in source:
        return [draw.digits(source["digits"]) for _ in range(count)]
    return draw.several(range(source["from"], source["to"] + 1), count)


SUB_TEMPLATES = {
    family: {name: SubTemplate(**fields) for name, fields in sub_templates.items()}
    for family, sub_templates in _FAMILIES.items()
}
