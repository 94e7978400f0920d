"""A case of the erasure audit.

This module is imported in the systems' own environments: nothing is imported here that they do not have.
"""

from dataclasses import dataclass

from forgeteval.cases.history import History, Operation, Question


@dataclass(frozen=True, slots=True)
class ErasureCase:
    """A memory that is erased among others, of which one is asked for afterwards.

    Attributes:
        target, bystander: the memory that is erased, and the one that has to survive.
        marker, kept_marker: the random string in each.
        question, kept_question: asks for each, without its marker.
        neighbours: texts near the target that do not hold its marker.
    """

    case_id: str
    target: str
    marker: str
    question: str
    bystander: str
    kept_marker: str
    kept_question: str
    neighbours: tuple[str, ...]

    @property
    def kept_words(self) -> str:
        """The bystander without its marker: what knows the marker alone by what it holds can give it."""
        return self.bystander.replace(self.kept_marker, "")

    def to_history(self) -> History:
        """What is done to the store, and what is asked afterwards."""
        told = [Operation("inscribe", None, text) for text in (self.target, self.bystander)]
        asked = [self.question, self.marker, self.kept_question, self.kept_words, *self.neighbours]
        questions = [Question(f"{number}", "erasure", text) for number, text in enumerate(asked)]
        return History(self.case_id, (*told, Operation("purge", self.target, None), *questions))
