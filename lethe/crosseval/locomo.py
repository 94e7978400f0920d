"""LoCoMo: long conversations, with the turns that hold the answer to each question; a history per conversation.

Which turns a question needs is known, so that recall is measured without a judge.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from forgeteval.cases.history import History, Operation, Question
from lethe.crosseval.reading_files import read_json, unexpected

FIRST_FIVE = ("conv-26", "conv-30", "conv-41", "conv-42", "conv-43")
"""The conversations that Lethe's recall was chosen on; it was never looked at on the others."""
CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
_TURN = re.compile(r"D:?(\d+):(\d+)")


def load_locomo(path: Path, conversations: Collection[str]) -> list[History]:
    """One history for each of `conversations`, in the file's order.

    A turn is a memory: `SPEAKER: TEXT`, and what a picture of it shows. The gold rows of a question are the turns of
    its evidence, as far as the conversation has them.

    Raises:
        UserError: where the file is not in the released format, or lacks a conversation.
    """
    entries = read_json(path)
    try:
        found = {entry["sample_id"]: entry for entry in entries}
        missing = [name for name in conversations if name not in found]
        if missing:
            raise unexpected(path, f"no conversation {missing[0]!r} (crosseval.locomo_conversations)")
        return [_history(name, entry) for name, entry in found.items() if name in conversations]
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise unexpected(path, f"a conversation is not as released ({error!r})") from error


def session_of(turn: str) -> str:
    """The session of a turn, by its name."""
    return turn.partition(":")[0]


def _history(name: str, entry: Mapping[str, Any]) -> History:
    turns = dict(_turns(entry["conversation"]))
    operations = (Operation("inscribe", None, text, turn) for turn, text in turns.items())
    questions = (_question(f"{name}-{number}", asked, turns) for number, asked in enumerate(entry["qa"]))
    return History(name, (*operations, *questions))


def _turns(conversation: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for turns in conversation.values():
        for turn in turns if isinstance(turns, list) else ():
            shown = f" [shares {turn['blip_caption']}]" if turn.get("blip_caption") else ""
            yield turn["dia_id"], f"{turn['speaker']}: {turn['text']}{shown}"


def _question(question_id: str, asked: Mapping[str, Any], turns: Mapping[str, str]) -> Question:
    part = CATEGORIES[asked["category"]]
    return Question(question_id, part, asked["question"], "rows", gold_rows=tuple(_gold(asked["evidence"], turns)))


def _gold(evidence: Sequence[str], turns: Mapping[str, str]) -> list[str]:
    """The turns that an evidence names; some hold several, or are written as D:1:2 or D1:02."""
    named = (f"D{int(session)}:{int(turn)}" for entry in evidence for session, turn in _TURN.findall(entry))
    return [turn for turn in dict.fromkeys(named) if turn in turns]
